# SPDX-License-Identifier: LGPL-2.1-or-later
"""What robocache does in Python: samples as arrays (fused), windows for a DataLoader (loader), training sets (export) and recordings of a
robot (record).

    import robocache

    for sample in robocache.samples("robocachefuse name=fuse rate=50/1 v4l2src ! videoconvert ! fuse.camera_0 …"):
        tensors = robocache.to_torch(sample)
"""
from typing import TYPE_CHECKING, Dict

from . import gstreamer as _gstreamer

if TYPE_CHECKING:
    import torch
    from .fused import Sample, Samples

__all__ = ["samples", "to_torch"]

_gstreamer.prepare()


def samples(pipeline: str) -> "Samples":
    """The samples of a pipeline, described as for gst-launch-1.0, in the order of their ticks.

    appsink is added to a robocachefuse whose output is free. The pipeline runs while the result is iterated over, and ends with its streams.
    Each sample has `tick_ns`, and by stream `tensors` (NumPy arrays), `status` and `age_ns`.

    Raises fused.PipelineError where the description is wrong or an element fails, and gstreamer.MissingError, an ImportError, where the system
    lacks packages."""
    from .fused import fused
    return fused(pipeline)


def to_torch(sample: "Sample") -> "Dict[str, torch.Tensor]":
    """{stream: tensor of PyTorch} of a sample: copies on the CPU, the sample's own memory on a GPU. Shapes and types are those of
    `sample.tensors`, except that bfloat16 is torch.bfloat16."""
    return {place.name: sample.torch(place.name) for place in sample.format.places if place.name != "info"}

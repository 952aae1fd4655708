# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of an episode on their way to files: videos, or arrays in HDF5; and their statistics."""
import numpy as np

from . import depth
from .encoder import Encoder

SAMPLED_FRAMES = 100  # of an episode at least, for statistics
SAMPLED_PIXELS = 150  # along each side


def file_of(feature):
    return f"{feature}.mp4"


class Histogram:
    """Exact counts of the values of sampled pixels, a row a colour; of depth those of its codes. It adds up over episodes."""

    def __init__(self, expected_frames, size, is_depth):
        self._every = max(1, expected_frames // SAMPLED_FRAMES)
        self._step = max(1, min(size) // SAMPLED_PIXELS)
        self.size, self.is_depth, self.seen, self.frames = size, is_depth, 0, 0
        self.counts = np.zeros((1, depth.CODES) if is_depth else (3, 256), np.int64)

    def add(self, buffer):
        if self.seen % self._every == 0:
            pixels = self._pixels(buffer)[::self._step, ::self._step]
            colours, levels = self.counts.shape
            self.counts += [np.bincount(pixels[..., colour].ravel(), minlength=levels) for colour in range(colours)]
            self.frames += 1
        self.seen += 1

    def _pixels(self, buffer):
        """[height, width, colours]."""
        if self.is_depth:
            return depth.CODE_OF[depth.pixels(buffer, self.size)][..., None]
        width, height = self.size
        return np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8).reshape(height, width, 3)

    def state(self):
        return {"frames": self.frames, "counts": self.counts.tolist()}


class Arrays:
    """Pictures as they are, for HDF5: a dataset [frames, height, width, 3] of each camera, and uint16 [frames, height, width] in mm of depth."""

    def __init__(self, path, layout):
        import h5py  # it is slow to load, and only HDF5 needs it
        self._file = h5py.File(path, "w")
        self._sets = {feature: self._create(feature, size, feature in layout.depth) for feature, size in layout.sizes.items()}

    def _create(self, feature, size, is_depth):
        shape = (size[1], size[0]) if is_depth else (size[1], size[0], 3)
        return self._file.create_dataset(feature, (0, *shape), np.uint16 if is_depth else np.uint8, maxshape=(None, *shape), chunks=(1, *shape))

    def add(self, feature, buffer):
        dataset = self._sets[feature]
        dataset.resize(len(dataset) + 1, axis=0)
        dataset[-1] = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), dataset.dtype).reshape(dataset.shape[1:])

    def finish(self):
        self._file.close()

    close = finish


class Videos:
    """Pictures as videos, a file of each camera."""

    def __init__(self, folder, layout, mapping):
        self._encoders = {feature: (depth.Encoder if feature in layout.depth else Encoder)(folder / file_of(feature), size, mapping.fps, mapping.video)
                          for feature, size in layout.sizes.items()}

    def add(self, feature, buffer):
        self._encoders[feature].add(buffer)

    def finish(self):
        for encoder in self._encoders.values():
            encoder.finish()

    def close(self):
        for encoder in self._encoders.values():
            encoder.close()

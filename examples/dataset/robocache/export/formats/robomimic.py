# SPDX-License-Identifier: LGPL-2.1-or-later
"""The one HDF5 file of robomimic. Times are in groups of their own.

Source: "Dataset Structure" in the documentation of github.com/ARISE-Initiative/robomimic.
"""
import json
import shutil

import h5py
import numpy as np

from ..parts import kinds_of
from .hdf5 import columns_of, copy_pictures, write_times

HAS_VIDEOS = False
ENTRIES = None
QUANTITIES = ("position", "velocity")
GYM_TYPE = 2  # of robomimic's EnvType: the one without a simulator of its own


def suggested_lines(features):
    return []


def check_mapping(mapping):
    """Any features fit."""


def read_appended_to(mapping, said, path):
    """Episodes fit if their channels fit, which was checked before."""
    return path


def read_manifest(path):
    if not path.is_file() or not h5py.is_hdf5(path):
        return None
    try:
        with h5py.File(path) as file:
            if "env_args" not in file["data"].attrs:
                return None
            return json.loads(file["manifest"][()]) if "manifest" in file else {}
    except (OSError, KeyError, ValueError):
        return None


def _short(feature):
    """Of a feature in robomimic's obs: observation.state is state, observation.images.front front_image."""
    name = feature.removeprefix("observation.")
    return f"{name.removeprefix('images.')}_image" if name.startswith("images.") else name


def _next(values):
    """Of each row the following one; the last one stays."""
    return np.concatenate([values[1:], values[-1:]])


def _write_demo(demo, part):
    columns, count = columns_of(part), part.said["frames"]
    demo.attrs["num_samples"] = count
    demo.attrs["task"] = part.said["task"]
    demo["actions"] = columns["action"]
    # there is no simulator's state of a real robot
    demo["states"] = np.zeros((count, 0), np.float32)
    ended = np.arange(count) == count - 1
    demo["dones"] = ended.astype(np.int64)
    demo["rewards"] = (ended & bool(part.said["success"])).astype(np.float64)
    for name, values in columns.items():
        if name.startswith("observation."):
            demo[f"obs/{_short(name)}"] = values
            demo[f"next_obs/{_short(name)}"] = _next(values)
    copy_pictures(part, demo.require_group("obs"), _short)
    write_times(demo, columns)


def _masks(demos):
    """Filter keys of {demo: success}: all demos, and those that were marked a success or a failure."""
    names = {"train": list(demos)}
    for mask, value in (("success", True), ("failure", False)):
        chosen = [demo for demo, success in demos.items() if success is value]
        names |= {mask: chosen} if chosen else {}
    return names


def _write_mask(group, name, demos):
    """Behind the demos that the mask has."""
    there = [demo.decode() for demo in group[name]] if name in group else []
    if there:
        del group[name]
    group[name] = np.array([*there, *demos], dtype="S")


def write(path, parts, mapping, manifest, appended_to=None):
    """The file of these parts, behind the demos of the file appended_to."""
    if appended_to:
        shutil.copyfile(appended_to, path)
    with h5py.File(path, "r+" if appended_to else "w") as file:
        data = file.require_group("data")
        begin = len(data)
        data.attrs["total"] = int(data.attrs.get("total", 0)) + sum(part.said["frames"] for part in parts)
        data.attrs["env_args"] = json.dumps({"env_name": mapping.robot_type or "robot", "type": GYM_TYPE,
                                             "env_kwargs": {"control_freq": mapping.fps}})
        data.attrs["kinds"] = json.dumps(kinds_of(manifest["episodes"]))
        data.attrs["names"] = json.dumps(parts[0].said["names"])
        for i, part in enumerate(parts, begin):
            _write_demo(data.create_group(f"demo_{i}"), part)
        for mask, names in _masks({f"demo_{i}": part.said["success"] for i, part in enumerate(parts, begin)}).items():
            _write_mask(file.require_group("mask"), mask, names)
        if appended_to:
            del file["manifest"]
        # an attribute holds 64 KB at most
        file["manifest"] = json.dumps(manifest)

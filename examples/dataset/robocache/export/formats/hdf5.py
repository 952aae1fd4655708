# SPDX-License-Identifier: LGPL-2.1-or-later
"""HDF5 sets: robomimic's one file, and ACT's one file an episode. The times are beside them, in groups of their own.

Sources: "Dataset Structure" in the documentation of github.com/ARISE-Initiative/robomimic; utils.py in github.com/tonyzhaozh/act.
"""
import json
import shutil

import h5py
import numpy as np

from ..errors import ExportError
from ..manifest import MANIFEST, link_or_copy, sizes_below, write_json
from ..parts import ARRAYS, TIMES, column_values, kinds_of

GYM_TYPE = 2  # of robomimic's EnvType: the one without a simulator of its own
# names of ACT and the features they are from
ALOHA = {"qpos": "observation.state", "qvel": "observation.velocity", "effort": "observation.effort"}


def _short(feature):
    """Of a feature in robomimic's obs: observation.state is state, observation.images.front front_image."""
    name = feature.removeprefix("observation.")
    return f"{name.removeprefix('images.')}_image" if name.startswith("images.") else name


def _columns(part):
    table = part.table()
    return {name: column_values(table.column(name)) for name in table.column_names}


def _write_times(group, columns):
    """times/capture_time/STREAM in ns, and so age, gap and status."""
    for name, values in columns.items():
        if name.split(".")[0] in TIMES:
            group[f"times/{name.replace('.', '/', 1)}"] = values[:, 0]


def _copy_pictures(part, group, name_of):
    if not part.said["sizes"]:
        return
    with h5py.File(part.folder / ARRAYS) as pictures:
        for feature in part.said["sizes"]:
            pictures.copy(feature, group, name_of(feature))


# ---- robomimic ----

def _next(values):
    """Of each row the following one; the last one stays."""
    return np.concatenate([values[1:], values[-1:]])


def _write_demo(demo, part):
    columns, count = _columns(part), part.said["frames"]
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
    _copy_pictures(part, demo.require_group("obs"), _short)
    _write_times(demo, columns)


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


def write_robomimic(path, parts, mapping, manifest, appended_to=None):
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


# ---- ACT ----

def check_aloha(mapping):
    names = set(mapping.vectors)
    if "observation.state" not in names:
        raise ExportError("ACT reads /observations/qpos: map observation.state")
    if "observation.velocity" not in names and mapping.velocity != "zeros":
        raise ExportError("ACT reads /observations/qvel: map observation.velocity, or set velocity = \"zeros\" in [aloha]")


def _write_episode(file, part, mapping):
    columns = _columns(part)
    file.attrs.update({"sim": False, "compress": False, "task": part.said["task"], "fps": mapping.fps,
                       "kinds": json.dumps(kinds_of([part.said])), "names": json.dumps(part.said["names"])})
    if part.said["success"] is not None:
        file.attrs["success"] = part.said["success"]
    for name, feature in ALOHA.items():
        if feature in columns:
            file[f"observations/{name}"] = columns[feature]
    if "observations/qvel" not in file:
        file["observations/qvel"] = np.zeros_like(columns["observation.state"])
    file["action"] = columns["action"]
    _copy_pictures(part, file.require_group("observations/images"), lambda feature: feature.removeprefix("observation.images."))
    _write_times(file, columns)


def write_aloha(folder, parts, mapping, manifest, appended_to=None):
    """The folder of these parts, behind the episodes of the folder appended_to."""
    folder.mkdir(parents=True)
    before = sorted(appended_to.glob("episode_*.hdf5")) if appended_to else []
    for path in before:
        link_or_copy(path, folder / path.name)
    for i, part in enumerate(parts, len(before)):
        with h5py.File(folder / f"episode_{i}.hdf5", "w") as file:
            _write_episode(file, part, mapping)
    write_json(folder / MANIFEST, manifest | {"files": sizes_below(folder)})

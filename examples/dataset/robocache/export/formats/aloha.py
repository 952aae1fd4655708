# SPDX-License-Identifier: LGPL-2.1-or-later
"""ACT's HDF5 files, one an episode. Times are in groups of their own.

Source: utils.py in github.com/tonyzhaozh/act.
"""
import json
import re

import h5py
import numpy as np

from ..errors import ExportError
from ..manifest import MANIFEST, link_or_copy, read, sizes_below, write_json
from ..parts import kinds_of
from .hdf5 import columns_of, copy_pictures, write_times

HAS_VIDEOS = False
ENTRIES = re.compile(rf"episode_\d+\.hdf5|{re.escape(MANIFEST)}")
QUANTITIES = ("position",)  # velocities are apart
# names of ACT and the features they are from
ALOHA = {"qpos": "observation.state", "qvel": "observation.velocity", "effort": "observation.effort"}


def suggested_lines(features):
    return [] if ALOHA["qvel"] in features else ["", "[aloha]", 'velocity = "zeros"']


def check_mapping(mapping):
    names = set(mapping.vectors)
    if "observation.state" not in names:
        raise ExportError("ACT reads /observations/qpos: map observation.state")
    if "observation.velocity" not in names and mapping.velocity != "zeros":
        raise ExportError("ACT reads /observations/qvel: map observation.velocity, or set velocity = \"zeros\" in [aloha]")


def read_appended_to(mapping, said, path):
    """Episodes fit if their channels fit, which was checked before."""
    return path


def read_manifest(path):
    return (read(path) or {}) if path.is_dir() and any(path.glob("episode_*.hdf5")) else None


def _write_episode(file, part, mapping):
    columns = columns_of(part)
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
    copy_pictures(part, file.require_group("observations/images"), lambda feature: feature.removeprefix("observation.images."))
    write_times(file, columns)


def write(folder, parts, mapping, manifest, appended_to=None):
    """The folder of these parts, behind the episodes of the folder appended_to."""
    folder.mkdir(parents=True)
    before = sorted(appended_to.glob("episode_*.hdf5")) if appended_to else []
    for path in before:
        link_or_copy(path, folder / path.name)
    for i, part in enumerate(parts, len(before)):
        with h5py.File(folder / f"episode_{i}.hdf5", "w") as file:
            _write_episode(file, part, mapping)
    write_json(folder / MANIFEST, manifest | {"files": sizes_below(folder)})

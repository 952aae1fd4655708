# SPDX-License-Identifier: LGPL-2.1-or-later
"""Columns, times and pictures of a part in HDF5, for the formats that use it."""
import h5py

from ..parts import ARRAYS, TIMES, column_values


def columns_of(part):
    table = part.table()
    return {name: column_values(table.column(name)) for name in table.column_names}


def write_times(group, columns):
    """times/capture_time/STREAM in ns, and so age, gap and status."""
    for name, values in columns.items():
        if name.split(".")[0] in TIMES:
            group[f"times/{name.replace('.', '/', 1)}"] = values[:, 0]


def copy_pictures(part, group, name_of):
    if not part.said["sizes"]:
        return
    with h5py.File(part.folder / ARRAYS) as pictures:
        for feature in part.said["sizes"]:
            pictures.copy(feature, group, name_of(feature))

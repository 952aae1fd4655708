# SPDX-License-Identifier: LGPL-2.1-or-later
"""The formats of training sets, one module each. To add a format, add its module to this folder and its name to NAMES.

A module of a format has
  HAS_VIDEOS                       whether pictures become videos; otherwise they become arrays
  ENTRIES                          pattern for the names in the folder of a set; None: a set is one file
  QUANTITIES                       quantities of joints that a suggested mapping puts into one feature
  suggested_lines(features)        lines that a suggested mapping with these features needs in addition
  check_mapping(mapping)           raises an ExportError if the format cannot hold the mapping's features
  read_manifest(path)              the manifest of a set; {} if it has none; None if path is not a set of this format
  read_appended_to(mapping, said, path)
                                   a set to append to, for write; raises an ExportError if episodes with the manifest `said` do not fit into it
  write(path, parts, mapping, manifest, appended_to=None)
                                   writes the parts to path, which does not exist, after the episodes of appended_to
"""
import importlib

NAMES = ("lerobot", "robomimic", "aloha")


def module_of(name):
    """Imported only now: packages for HDF5 and Parquet are slow to load, and the command line needs only NAMES."""
    return importlib.import_module(f".{name}", __name__)

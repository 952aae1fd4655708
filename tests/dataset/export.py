#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Training sets of robocache-export: schema, grid, statistics, frames, values, shards and errors.

Run by examples/dataset/robocache-export with ROBOCACHE_EXPORT_PROGRAM, which has its packages. Prints PASS or FAIL for each case;
exit status 1 if one failed.
"""
import sys
import tempfile
from pathlib import Path

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402: require_version comes first

Gst.init(None)

import actions  # noqa: E402: elements come first
import channels  # noqa: E402
import clocks  # noqa: E402
import db3_bags  # noqa: E402
import errors  # noqa: E402: elements come first
import existing  # noqa: E402
import hdf5_sets  # noqa: E402
import holes  # noqa: E402
import lerobot_sets  # noqa: E402
import marks  # noqa: E402
import names  # noqa: E402
import recorded_csv  # noqa: E402
import ros1_bags  # noqa: E402
import shards  # noqa: E402
import slurm  # noqa: E402
import suggestions  # noqa: E402
import synchronizer  # noqa: E402
from mcapplan import run_cases  # noqa: E402


MODULES = (lerobot_sets, hdf5_sets, holes, marks, shards, slurm, errors, actions, db3_bags, ros1_bags, recorded_csv, synchronizer,
           channels, names, suggestions, existing, clocks)
NEEDED = ("x264enc", "jpegenc", "jpegdec", "rawvideoparse", "robocachemcapsink")


def main(names):
    absent = [name for name in NEEDED if Gst.ElementFactory.find(name) is None]
    if absent:
        print(f"SKIP export: needs {', '.join(absent)} (gstreamer1.0-plugins-good, -bad and -ugly)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        cases = [case for module in MODULES for case in module.cases(Path(folder))]
        return run_cases([case for case in cases if not names or any(name in case[0] for name in names)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

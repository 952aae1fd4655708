#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""voxels.py on a small cloud: every work is checked, whether another library does it or not; what is written of it.
Prints PASS or FAIL for each case.

    voxels_test.py BENCH     a folder with bench-voxels"""
import contextlib
import csv
import io
import pathlib
import sys
import tempfile

import voxels


def main():
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        voxels.compare(pathlib.Path(sys.argv[1]), voxels.points_at_random(2000), "some points", f"{folder}/grids.csv")
        with open(f"{folder}/grids_libraries.csv", newline="", encoding="utf-8") as file:
            works = list(csv.DictReader(file))
        with open(f"{folder}/grids.csv", newline="", encoding="utf-8") as file:
            of_peers = list(csv.DictReader(file))
    is_well = {
        "works": len(works) > 15,
        "checked": all(work["checked"] == "yes" for work in works),
        "times": all(float(work["p5_us"]) <= float(work["robocache_us"]) <= float(work["p95_us"]) for work in works),
        "cloud": all(work["cloud"] == "some points" for work in works),
        "peers": {"yes", "no peer does this"} <= {work["peers_checked"] for work in works},
        "times_of_peers": all(float(peer["p5_us"]) <= float(peer["median_us"]) <= float(peer["p95_us"]) for peer in of_peers),
        "peers_agree": all(peer["checked"] == "yes" for peer in of_peers if peer["library"] == "NumPy"),
    }
    for name, well in is_well.items():
        print(f"{'PASS' if well else 'FAIL'} {name}")
    return 0 if all(is_well.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""bench-kernels says what is wrong with a file of works, before it looks for a GPU. Prints PASS or FAIL for each case.

    configurations_test.py BENCH_KERNELS"""
import pathlib
import subprocess
import sys
import tempfile

WORKS = (pathlib.Path(__file__).resolve().parent / "configurations.ini").read_text(encoding="utf-8")
NO_SUCH_WORK = "no work of this size and kind has such a name"
failed = False


def refused(name, expected, *arguments, old="", new=""):
    """With the first OLD of the works replaced by NEW the last line of errors holds what is expected, and the status is 1."""
    global failed
    with tempfile.NamedTemporaryFile("w", suffix=".ini", encoding="utf-8") as file:
        file.write(WORKS.replace(old, new, 1))
        file.flush()
        run = subprocess.run([sys.argv[1], "--configurations", file.name, *arguments], capture_output=True, text=True,
                             check=False)
    if old in WORKS and run.returncode == 1 and expected in run.stderr:
        print(f"PASS {name}")
    else:
        print(f"FAIL {name}: status {run.returncode}, {run.stderr.strip()!r}, expected {expected!r}")
        failed = True


refused("size", "huge: --size expects small, medium or large", "--size", "huge")
refused("name", NO_SUCH_WORK, "--only", "no such work")
refused("kind", NO_SUCH_WORK, "--voxels", "--only", "resample")
refused("size_and_name", NO_SUCH_WORK, "--size", "small", "--only", "64 x 200,000")
refused("unknown_key", "colour is there, expected only keys", old="kind = alignment", new="kind = alignment\ncolour = red")
refused("missing_key", "batch is absent, expected a whole number above 0", old="batch = 32\n")
refused("unknown_kind", "kind is cloud, expected alignment, voxels", old="kind = voxels", new="kind = cloud")
refused("no_number", "points is many, expected a whole number above 0", old="points = 50000", new="points = many")
refused("no_time", "wanted_us is -5, expected a number above 0", old="wanted_us = 5\n", new="wanted_us = -5\n")
refused("no_flag", "kept is yes, expected true", old="kept = true", new="kept = yes")
refused("streams", "streams is 4x14 +, expected up to 64", old="streams = 4x14 + 4x6", new="streams = 4x14 +")
refused("too_many_streams", "expected up to 64 of rows x channels", old="streams = 4x14 + 4x6",
        new="streams = 60 of 1x1 + 5 of 1x1")
refused("like_streams", "streams is 8 200x64, expected up to 64", old="streams = 8 of 200x64", new="streams = 8 200x64")
refused("dtype", "in is float8, expected int8, uint8", old="in = bfloat16", new="in = float8")
refused("mode", "mode is sum, expected occupancy, count, mean", old="mode = mean", new="mode = sum")
refused("quaternions", "four channels for each", old="quaternions = 16", new="quaternions = 17")
refused("live_batch", "batch = 1 and ticks = 1 with it", old="ticks = 1\n", new="ticks = 2\n")
refused("chunks", "points is 100000 +, expected a whole number above 0, or up to 8 with + between",
        old="points = 100000 + 100000", new="points = 100000 +")
refused("image", "image is 640, expected width x height", old="image = 640x480", new="image = 640")
refused("image_and_points", "points is there, expected only keys", old="image = 640x480", new="image = 640x480\npoints = 10")
refused("distortion", "distortion is true, expected an image with it", old="points = 50000\n",
        new="points = 50000\ndistortion = true\n")
refused("items", "most_items is absent, expected least_items and most_items", old="size = small\n",
        new="size = small\nleast_items = 4\n")
refused("alone", "alone is absent, expected true", old="alone = true\nclouds", new="clouds")
refused("kept_window", "kept is true, expected float32 points in one chunk", old="kept = true",
        new="kept = true\nalone = true\nwindow = 2")
refused("window_of_chunks", "window is there, expected clouds in one chunk", old="points = 12500 +",
        new="window = 2\npoints = 12500 +")
refused("range_of_one_chunk", "ranges_whole is true, expected several chunks", old="points = 50000\n",
        new="points = 50000\nranges_whole = true\n")
sys.exit(failed)

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voxel grids on one core beside NumPy, Open3D and PCL, where they are installed, one after another.

    voxels.py DIR [CLOUD] [--csv FILE]

DIR: a release build, or a bundle (tests/gpu/bundle.sh). CLOUD: float32 x, y, z, or else 120,000 points at random in the grid.
FILE gets a line a peer, and FILE_libraries a line a work, where `checked` is of ours: whether bench-voxels found in it what
the baseline makes of the same clouds. libraries.py is for a GPU."""
import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import peers

SIDE = 256.0
RUNS = 15
LIBRARIES = ("NumPy", "Open3D", "PCL")
OUR_COLUMNS = ("robocache_us", "p5_us", "p95_us", "deviation_us")
WANTED = {"occupancy, uint8, 64^3": 400, "occupancy, uint8, 256^3": 1500}  # us, set beforehand, cleared or not
OTHER_GRID = "not compared: its grid begins elsewhere"


def time_runs(work):
    work()
    us = []
    for _ in range(RUNS):
        before = time.perf_counter()
        work()
        us.append((time.perf_counter() - before) * 1e6)
    return us


# ---- peers ----


def indices(points, axis):
    inside = np.floor((points + np.float32(SIDE / 2)) / np.float32(SIDE / axis)).astype(np.int64)
    inside = inside[((inside >= 0) & (inside < axis)).all(axis=1)]
    return (inside[:, 2] * axis + inside[:, 1]) * axis + inside[:, 0]


def numpy_works(points):
    def occupancy(axis):
        grid = np.zeros(axis**3, np.uint8)
        grid[indices(points, axis)] = 1
        return grid

    def count(axis):
        return np.bincount(indices(points, axis), minlength=axis**3).astype(np.uint32)

    return {
        "occupancy, uint8, 64^3": lambda: occupancy(64),
        "occupancy, uint8, 256^3": lambda: occupancy(256),
        "count, uint32, 64^3": lambda: count(64),
    }


def measure_numpy(points, grids):
    """Times, or what differs from ours; grids: the files that ours left."""
    peer, measured = peers.Peer("NumPy", "index", None), {}
    for name, work in numpy_works(points).items():
        result = work()
        is_same = np.array_equal(result, np.fromfile(grids[name], result.dtype))
        measured[name] = {peer: peers.Times.of(time_runs(work)) if is_same else "other values"}
    return measured


def measure_open3d(points):
    try:
        import open3d
    except ImportError:
        print("without Open3D: it is not installed")
        return {}
    cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points.astype(np.float64)))
    peer = peers.Peer("Open3D", "voxel_down_sample", None)
    return {f"centroid, sparse, {axis}^3": {peer: dataclasses.replace(peers.Times.of(
        time_runs(lambda axis=axis: cloud.voxel_down_sample(SIDE / axis))), checked=OTHER_GRID)} for axis in (64, 256)}


def of_program(program, *arguments):
    """What a program prints, a name and values a line."""
    lines = subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {name: values for name, *values in (line.split("\t") for line in lines)}


def measure_pcl(program, cloud):
    if not program:
        print("without PCL: there is no bench-voxels-pcl")
        return {}
    peer = peers.Peer("PCL", "VoxelGrid", None)
    return {name: {peer: peers.Times(*map(float, us), checked=OTHER_GRID)} for name, us in of_program(program, cloud).items()}


# ---- the table ----


def measure_cpu(folder, points):
    """Of each of our works what bench-voxels prints, and what peers take for it."""
    with tempfile.TemporaryDirectory() as files:
        cloud = f"{files}/cloud"
        points.tofile(cloud)
        ours = of_program(peers.find(folder, "bench-voxels"), cloud, files)
        grids = {name: f"{files}/{i}.grid" for i, name in enumerate(ours)}
        libraries = (measure_numpy(points, grids), measure_open3d(points),
                     measure_pcl(peers.find(folder, "bench-voxels-pcl"), cloud))
    works = (work.removesuffix(", cleared") for work in ours)
    return ours, [{peer: times for library in libraries for peer, times in library.get(work, {}).items()} for work in works]


def library_line(cloud, work, ours, of_row):
    *us, checked = ours
    return [work, cloud, WANTED.get(work.removesuffix(", cleared"), ""), *us, *peers.best_cells(of_row, LIBRARIES), checked, peers.checked_of(of_row)]


def compare(folder, points, cloud, csv_path):
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    ours, measured = measure_cpu(folder, points)
    os.sched_setaffinity(0, cores)
    print(f"{cloud}: {len(points)} points, ms on one core\n")
    rows = [{"work": work, "cpu_us": float(us)} for work, (us, *_) in ours.items()]
    peers.print_cpu(LIBRARIES, rows, measured)
    if csv_path:
        peers.write_peers(csv_path, rows, measured)
        peers.write_csv(peers.path_of_libraries(csv_path),
                        ["work", "cloud", "wanted_us", *OUR_COLUMNS, *map(peers.column_of, LIBRARIES), "checked", "peers_checked"],
                        [library_line(cloud, *of_work, of_row) for of_work, of_row in zip(ours.items(), measured)])


def points_at_random(n):
    return np.random.default_rng(1).uniform(-SIDE / 2, SIDE / 2, (n, 3)).astype(np.float32)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("cloud", nargs="?")
    parser.add_argument("--csv", metavar="FILE")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    if not peers.find(arguments.dir, "bench-voxels"):
        sys.exit(f"{arguments.dir} is not a build or a bundle: it has no bench-voxels")
    if arguments.cloud:
        points, cloud = np.fromfile(arguments.cloud, np.float32).reshape(-1, 3), pathlib.Path(arguments.cloud).name
    else:
        points, cloud = points_at_random(120000), "120,000 points at random"
    compare(arguments.dir, points, cloud, arguments.csv)


if __name__ == "__main__":
    main()

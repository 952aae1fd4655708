#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voxel grids beside other libraries: the tables of docs/performance.md.

    voxels.py DIR [CLOUD]     DIR: a release build, or a bundle (tests/gpu/bundle.sh) on a machine with a GPU
                              CLOUD: float32 x, y, z, or else 120,000 points at random in the grid

On one core: NumPy, Open3D and PCL, where they are installed, one after another on one CPU; medians in ms. On a GPU, where
there is one: PyTorch and Triton; medians in us (voxels_gpu.py)."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import voxels_gpu

SIDE = 256.0
RUNS = 15


def median_us(work):
    work()
    times = []
    for _ in range(RUNS):
        before = time.perf_counter()
        work()
        times.append(time.perf_counter() - before)
    return statistics.median(times) * 1e6


def indices(points, axis):
    inside = np.floor((points + np.float32(SIDE / 2)) / np.float32(SIDE / axis)).astype(np.int64)
    inside = inside[((inside >= 0) & (inside < axis)).all(axis=1)]
    return (inside[:, 2] * axis + inside[:, 1]) * axis + inside[:, 0]


def numpy_works(points):
    def occupancy(axis):
        grid = np.zeros(axis**3, np.uint8)
        grid[indices(points, axis)] = 1

    def count(axis):
        np.bincount(indices(points, axis), minlength=axis**3).astype(np.uint32)

    return {
        "occupancy, uint8, 64^3": lambda: occupancy(64),
        "occupancy, uint8, 256^3": lambda: occupancy(256),
        "count, uint32, 64^3": lambda: count(64),
    }


def open3d_works(points):
    try:
        import open3d
    except ImportError:
        return {}
    cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points.astype(np.float64)))
    return {f"centroid, sparse, {axis}^3": lambda axis=axis: cloud.voxel_down_sample(SIDE / axis) for axis in (64, 256)}


def of_program(program, cloud):
    """What a program prints, a name and us a line."""
    if not program:
        return {}
    lines = subprocess.run([program, cloud], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: float(us) for name, us in (line.split("\t") for line in lines)}


def find(folder, name):
    """A program of a build or of a bundle; None: there is none."""
    return next((path for path in (folder / "tests/bench" / name, folder / name) if path.exists()), None)


def print_cpu(folder, points):
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        points.tofile(file.name)
        columns = {
            "robocache": of_program(find(folder, "bench-voxels"), file.name),
            "NumPy": {name: median_us(work) for name, work in numpy_works(points).items()},
            "Open3D": {name: median_us(work) for name, work in open3d_works(points).items()},
            "PCL": of_program(find(folder, "bench-voxels-pcl"), file.name),
        }
    columns = {name: column for name, column in columns.items() if column}
    print(f"{len(points)} points, ms on one core\n")
    print("| work | " + " | ".join(columns) + " |\n" + "|---" * (1 + len(columns)) + "|")
    for work in columns["robocache"]:
        cells = (f"{column[work] / 1000:.2f}" if work in column else "" for column in columns.values())
        print(f"| {work} | " + " | ".join(cells) + " |", flush=True)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    if not find(folder, "bench-voxels"):
        sys.exit(f"{folder} is not a build or a bundle: it has no bench-voxels")
    if len(sys.argv) == 3:
        points = np.fromfile(sys.argv[2], np.float32).reshape(-1, 3)
    else:
        points = np.random.default_rng(1).uniform(-SIDE / 2, SIDE / 2, (120000, 3)).astype(np.float32)
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    print_cpu(folder, points)
    os.sched_setaffinity(0, cores)
    voxels_gpu.print_gpu(find(folder, "bench-kernels"))


if __name__ == "__main__":
    main()

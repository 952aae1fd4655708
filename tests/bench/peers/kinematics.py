#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times kinematics of batches on a GPU beside pytorch_kinematics (PyPI), in one run, of an arm of seven joints, in double.

    kinematics.py BENCH_KINEMATICS URDF [--csv FILE]      BENCH_KINEMATICS: the program of this name; URDF: examples/arm.urdf

Needs PyTorch, and pytorch_kinematics with what it imports on PYTHONPATH. Times are of runs that follow each other in one stream, and hold
their launches: each is the mean of a round of about 2 ms. What differs:

- pytorch_kinematics computes the matrices of all links, robocache the quaternion of one.
- Inverses make at most 100 iterations from starts within 0.05 rad of a solution, to 1e-6 m and rad. The share of rows that converged is
  beside the time. robocache keeps to the limits of joints, pytorch_kinematics has none here.
- torch_compile: its tensor functions under torch.compile with CUDA graphs.
"""
import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pytorch_kinematics
import torch

WARM_UP = 5
ROUND = 0.002  # seconds
MIN_ROUNDS, MAX_ROUNDS = 5, 201
WORK = 2.0  # seconds of all rounds, about
SIZES = (100, 1024, 100000)
MAX_INVERSE_ROWS = 1024
PEERS = ("pytorch_kinematics", "torch_compile")


def round_time(run, runs):
    """Seconds of a run."""
    began = time.perf_counter()
    for _ in range(runs):
        run()
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / runs


def microseconds(run):
    """5th percentile, median and 95th percentile."""
    round_time(run, WARM_UP)
    runs = max(1, int(ROUND / round_time(run, WARM_UP)))
    began, times = time.perf_counter(), []
    while len(times) < MIN_ROUNDS or (len(times) < MAX_ROUNDS and time.perf_counter() - began < WORK):
        times.append(round_time(run, runs))
    return np.percentile(times, (5, 50, 95)) * 1e6


def columns(peer, times, converged=None):
    names = (f"{peer}_p5_us", f"{peer}_us", f"{peer}_p95_us")
    share = {} if converged is None else {f"{peer}_converged": f"{converged:.4f}"}
    return {**{name: f"{value:.2f}" for name, value in zip(names, times)}, **share}


def time_inverse(chain, positions, use_compile):
    """Times, and the share that converged."""
    targets = chain.forward_kinematics(positions, end_only=True)
    solver = pytorch_kinematics.PseudoInverseIK(chain, max_iterations=100, num_retries=1, config_sampling_method="gaussian",
                                                pos_tolerance=1e-6, rot_tolerance=1e-6, early_stopping_no_improvement=None,
                                                enforce_joint_limits=False, use_compile=use_compile)
    solver.initial_config = positions + torch.rand_like(positions) * 0.1 - 0.05  # a start for each target
    solution = solver.solve(targets)
    return microseconds(lambda: solver.solve(targets)), float(solution.converged_any.double().mean())


def peers_of(chain, rows):
    """Columns of pytorch_kinematics for each work: {work: columns}."""
    torch._dynamo.reset()
    positions = torch.rand(rows, 7, dtype=torch.float64, device="cuda") * 4 - 2
    works = {"poses": chain.forward_kinematics_tensor, "Jacobians": chain.jacobian_tensor}
    measured = {"inverse": {}}
    for work, function in works.items():
        compiled = torch.compile(function, mode="reduce-overhead", fullgraph=True, dynamic=False)
        measured[work] = {name: text for peer, run in zip(PEERS, (function, compiled))
                          for name, text in columns(peer, microseconds(lambda run=run: run(positions))).items()}
    for peer, use_compile in zip(PEERS, (False, True)):
        if rows <= MAX_INVERSE_ROWS:
            measured["inverse"].update(columns(peer, *time_inverse(chain, positions, use_compile)))
    return measured


def ours(program):
    """What the program wrote, a dictionary a work. Ends the process if it has no GPU."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "ours.csv"
        run = subprocess.run([program, "--gpu", "--csv", path], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            print(run.stdout + run.stderr, end="")
            sys.exit(run.returncode)
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="BENCH_KINEMATICS")
    parser.add_argument("urdf", metavar="URDF", type=pathlib.Path)
    parser.add_argument("--csv", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    rows = ours(arguments.program)
    chain = pytorch_kinematics.build_serial_chain_from_urdf(arguments.urdf.read_bytes(), "tool").to(dtype=torch.float64, device="cuda")
    peers = {size: peers_of(chain, size) for size in SIZES}
    rows = [{**row, **peers[int(row["rows"])][row["work"]]} for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row))
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    with open(arguments.csv or "/dev/stdout", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times kinematics of batches on a GPU beside pytorch_kinematics (PyPI), in one run, of an arm of seven joints, in double.

    kinematics.py BENCH_KINEMATICS URDF        BENCH_KINEMATICS: the program of this name; URDF: examples/arm.urdf

Needs PyTorch, and pytorch_kinematics with what it imports on PYTHONPATH. Times are means of runs that follow each other in one stream,
and hold their launches. What differs:

- pytorch_kinematics computes the matrices of all links, robocache the quaternion of one.
- Inverses make at most 100 iterations from starts within 0.05 rad of a solution, to 1e-6 m and rad. The share of rows that converged is
  beside the time. robocache keeps to the limits of joints, pytorch_kinematics has none here.
- compiled: its tensor functions under torch.compile with CUDA graphs.
"""
import re
import subprocess
import sys
import time

import pytorch_kinematics
import torch

TIMED = 2.0  # seconds of a time at most
SIZES = (100, 1024, 100000)


def microseconds(run):
    for _ in range(5):
        run()
    torch.cuda.synchronize()
    began, n = time.perf_counter(), 0
    while n < 1000 and time.perf_counter() - began < TIMED:
        run()
        n += 1
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / n * 1e6


def compiled(function):
    return torch.compile(function, mode="reduce-overhead", fullgraph=True, dynamic=False)


def peers_of(chain, rows):
    """Times of pytorch_kinematics: {work: (as it is, compiled)}."""
    torch._dynamo.reset()
    positions = torch.rand(rows, 7, dtype=torch.float64, device="cuda") * 4 - 2
    works = {"poses": chain.forward_kinematics_tensor, "Jacobians": chain.jacobian_tensor}
    times = {}
    for work, function in works.items():
        times[work] = [f"{microseconds(lambda: run(positions)):.1f}" for run in (function, compiled(function))]
    times["inverse"] = [time_inverse(chain, positions, False), time_inverse(chain, positions, True)] if rows <= 1024 else ["-", "-"]
    return times


def time_inverse(chain, positions, use_compile):
    targets = chain.forward_kinematics(positions, end_only=True)
    solver = pytorch_kinematics.PseudoInverseIK(chain, max_iterations=100, num_retries=1, config_sampling_method="gaussian",
                                                pos_tolerance=1e-6, rot_tolerance=1e-6, early_stopping_no_improvement=None,
                                                enforce_joint_limits=False, use_compile=use_compile)
    solver.initial_config = positions + torch.rand_like(positions) * 0.1 - 0.05  # a start for each target
    solution = solver.solve(targets)
    time_us = microseconds(lambda: solver.solve(targets))
    return f"{time_us:.0f}, {100 * solution.converged_any.double().mean():.0f} %"


def ours(program):
    """{(work, rows): what the program printed}"""
    said = subprocess.run([program, "--gpu"], capture_output=True, text=True, check=True).stdout
    return {(work, int(rows)): time_us + (f", {float(share):.0f} %" if share else "")
            for work, rows, time_us, share in re.findall(r"^(\w+) +(\d+) rows +([\d.]+) us(?:, ([\d.]+) %)?", said, re.M)}


def main(program, urdf):
    with open(urdf, "rb") as file:
        chain = pytorch_kinematics.build_serial_chain_from_urdf(file.read(), "tool").to(dtype=torch.float64, device="cuda")
    measured = ours(program)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, times in us")
    print("| work | rows | robocache | pytorch_kinematics | compiled |\n|---|---|---|---|---|")
    for rows in SIZES:
        for work, times in peers_of(chain, rows).items():
            print(f"| {work} | {rows:,} | {measured[work, rows]} | {times[0]} | {times[1]} |")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

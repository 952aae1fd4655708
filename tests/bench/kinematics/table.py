#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times kinematics of an arm of seven joints beside KDL, in one run, on the same rows, on one core.

    table.py KINEMATICSTOOL [ROWS]      prints a table; KDL needs a C++ compiler and liborocos-kdl-dev

The arm is examples/arm.urdf. Each call has one row. KDL computes a pose as a matrix, robocache as a quaternion. Inverse kinematics
starts within 0.05 rad of a solution, and ends at 1e-6 m and rad in both. robocache keeps to the limits of the joints, KDL has none. Both run
without threads.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ARM = HERE.parents[2] / "examples" / "arm.urdf"
KDL = HERE.parents[1] / "check" / "kinematics" / "kdl.cc"
NAMES = ",".join(f"q{i}" for i in range(7))


def run(command, rows):
    return subprocess.run([str(word) for word in command], input=rows.tobytes(), capture_output=True, check=True)


def tool(program, mode, rows):
    return run([program, ARM, "0", "", "tool", NAMES, mode], rows).stdout


def build_kdl(folder):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "orocos-kdl", "eigen3"], capture_output=True, text=True, check=False)
    program = folder / "kdl"
    if flags.returncode != 0 or subprocess.run(["c++", "-O3", "-march=native", "-o", program, KDL, *flags.stdout.split()],
                                               check=False).returncode != 0:
        return None
    return program


def times_of_kdl(folder, program, positions, targets):
    (folder / "joints").write_bytes(subprocess.run([program, ARM], capture_output=True, check=True).stdout)
    kdl = build_kdl(folder)
    if kdl is None:
        return ["not installed"] * 3
    forward = run([kdl, "base", "base", "tool", "forward", folder / "joints"], positions).stderr.split()
    inverse = run([kdl, "base", "base", "tool", "inverse", folder / "joints"], targets).stderr.split()
    return [f"{float(x):.2f} us" for x in forward + inverse]


def main(program, n):
    random = np.random.default_rng(1)
    limits = np.array([2.9, 2.0, 2.9, 2.0, 3.0, 2.0, 3.0])
    positions = random.uniform(-limits, limits, (n, 7))
    rows = np.hstack([positions, np.zeros_like(positions)])
    poses = np.frombuffer(tool(program, "forward", rows)).reshape(n, -1)[:, :7]
    targets = np.hstack([poses, positions + random.uniform(-0.05, 0.05, positions.shape)])
    with tempfile.TemporaryDirectory() as scratch:
        peer = times_of_kdl(pathlib.Path(scratch), program, positions, targets)
    ours = tool(program, "time-forward", rows).split() + tool(program, "time-inverse", targets).split()
    print("| one row, seven joints, one core | robocache | KDL |\n|---|---|---|")
    for name, mine, theirs in zip(["pose", "Jacobian", "inverse from a near start, median"], ours, peer):
        print(f"| {name} | {float(mine):.2f} us | {theirs} |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20000)

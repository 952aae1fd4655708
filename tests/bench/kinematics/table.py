#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times kinematics of an arm of seven joints beside KDL and Pinocchio (C++), in one run, on the same rows, on one core.

    table.py KINEMATICSTOOL [VENV [ROWS]]

KDL needs a C++ compiler and liborocos-kdl-dev. Pinocchio needs libeigen3-dev, and a virtual environment VENV with its package:
python3 -m venv VENV && VENV/bin/pip install pin. A library that is missing has no times.

The arm is examples/arm.urdf. Each call has one row, without threads. What differs:

- KDL and Pinocchio compute a pose as a matrix, robocache as a quaternion.
- Pinocchio has no inverse kinematics. KDL's knows no limits, robocache keeps to them.
- Inverse kinematics ends at 1e-6 m and rad. Near starts are within 0.05 rad of a solution, far ones anywhere within limits. Far times are means.
- KDL makes at most 500 iterations, robocache 100 with 20 other starts. The share that converged is beside the time, and for robocache
  also without limits.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ARM = HERE.parents[2] / "examples" / "arm.urdf"
KDL = HERE.parents[1] / "check" / "kinematics" / "kdl.cc"
# Its variant of joints has more types than Boost allows by default. Its library was compiled for another alignment than this processor's,
# so nothing of it is linked.
PINOCCHIO_FLAGS = ["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS"]
NAMES = ",".join(f"q{i}" for i in range(7))


def run(command, rows):
    return subprocess.run([str(word) for word in command], input=rows.tobytes(), capture_output=True, check=True)


def tool(program, mode, rows, level="0"):
    return run([program, ARM, level, "", "tool", NAMES, mode], rows).stdout


def compile_peer(program, source, flags):
    built = subprocess.run(["c++", "-O3", "-march=native", "-DNDEBUG", "-o", program, source, *flags], capture_output=True, check=False)
    return program if built.returncode == 0 else None


def flags_of(*packages):
    return subprocess.run(["pkg-config", "--cflags", "--libs", *packages], capture_output=True, text=True, check=False).stdout.split()


# ---------------------------------------------------------------- KDL
def times_of_kdl(folder, positions, near, far):
    kdl = compile_peer(folder / "kdl", KDL, flags_of("orocos-kdl", "eigen3"))
    if kdl is None:
        return ["not installed"] * 4
    call = lambda mode, rows: run([kdl, "base", "base", "tool", mode, folder / "joints"], rows)
    forward, inverse, other = call("forward", positions), call("inverse", near), call("inverse", far)
    solved = np.frombuffer(other.stdout).reshape(len(far), -1)[:, 0] == 0
    median, mean = inverse.stderr.split()[0], other.stderr.split()[1]
    return [f"{float(x):.2f} us" for x in (*forward.stderr.split(), median)] + [f"{float(mean):.1f} us, {solved.mean():.1%}"]


# ---------------------------------------------------------------- Pinocchio
def times_of_pinocchio(folder, venv, positions, poses):
    prefix = next(pathlib.Path(venv).glob("lib/python*/site-packages/cmeel.prefix"), None) if venv else None
    peer = prefix and compile_peer(folder / "pinocchio", HERE / "pinocchio.cc", ["-std=c++17", *PINOCCHIO_FLAGS, "-isystem", prefix / "include", *flags_of("eigen3")])
    if not peer:
        return ["not installed"] * 2 + ["-"] * 2
    times = run([peer, folder / "joints", "tool"], positions).stdout.split()
    # the first joint is vertical, so J[0][0] is -y
    if abs(float(times[2]) - (poses[:, 0] - poses[:, 1]).mean()) > 1e-6:
        raise SystemExit("Pinocchio computes another arm")
    return [f"{float(x):.2f} us" for x in times[:2]] + ["-"] * 2


# ---------------------------------------------------------------- robocache
def times_of_robocache(program, rows, near, far):
    forward, inverse = tool(program, "time-forward", rows).split(), tool(program, "time-inverse", near).split()
    mean = tool(program, "time-inverse", far).split()[1]
    rate = lambda level: (np.frombuffer(tool(program, "inverse", far, level)).reshape(len(far), -1)[:, 9] == 0).mean()
    return [f"{float(x):.2f} us" for x in (*forward, inverse[0])] + [f"{float(mean):.1f} us, {rate('0'):.1%}, without limits {rate('0free'):.1%}"]


def main(program, venv, n):
    os.environ["RESTARTS"] = "20"
    random = np.random.default_rng(1)
    limits = np.array([2.9, 2.0, 2.9, 2.0, 3.0, 2.0, 3.0])
    positions = random.uniform(-limits, limits, (n, 7))
    rows = np.hstack([positions, np.zeros_like(positions)])
    poses = np.frombuffer(tool(program, "forward", rows)).reshape(n, -1)[:, :7]
    near = np.hstack([poses, positions + random.uniform(-0.05, 0.05, positions.shape)])
    far = np.hstack([poses, random.uniform(-limits, limits, (n, 7))])[:4000]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "joints").write_bytes(subprocess.run([program, ARM], capture_output=True, check=True).stdout)
        kdl = times_of_kdl(folder, positions, near, far)
        pinocchio = times_of_pinocchio(folder, venv, positions, poses)
    ours = times_of_robocache(program, rows, near, far)
    print("| one row, seven joints, one core | robocache | KDL | Pinocchio |\n|---|---|---|---|")
    for line in zip(["pose", "Jacobian", "inverse from a near start, median", "inverse from a far start, mean, and converged"], ours, kdl, pinocchio):
        print(f"| {' | '.join(line)} |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None, int(sys.argv[3]) if len(sys.argv) > 3 else 20000)

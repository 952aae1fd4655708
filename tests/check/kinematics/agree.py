#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares kinematics with Pinocchio, KDL and differences of rotations in SciPy, on robots of the PyPI package example-robot-data.

    agree.py KINEMATICSTOOL VENV [ROWS [PART OF A NAME]...]     ROWS random configurations of each robot, by default 1000

VENV is a virtual environment with Pinocchio, SciPy and the robots, which is not made here: they are large. KDL needs a C++ compiler and the
package liborocos-kdl-dev. Prints PASS, FAIL or SKIP for each robot and library, with the greatest difference; exits with 77 where
Pinocchio is missing. 100,000 rows take about 20 minutes.
The robots are read from the package. Their licences are BSD (Baxter, Panda, PR2, Romeo, Talos, TIAGo, UR5), and none is copied.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOLERANCE = 1e-12
PART = 5000                     # rows that are in memory
STEP = 1e-3                     # of differences, exact to its fourth power
# name, file below robots/, base, frames; of those with one frame behind no mimicking joint, KDL computes the chain, too
ROBOTS = [
    ("panda", "panda_description/urdf/panda.urdf", "", ["panda_hand"]),
    ("panda_fingers", "panda_description/urdf/panda.urdf", "", ["panda_leftfinger", "panda_rightfinger"]),
    ("ur5", "ur_description/urdf/ur5_robot.urdf", "", ["tool0"]),
    ("kinova", "kinova_description/robots/kinova.urdf", "", ["j2s6s200_end_effector"]),
    ("tiago", "tiago_description/robots/tiago.urdf", "", ["arm_tool_link"]),
    ("baxter", "baxter_description/urdf/baxter.urdf", "", ["left_gripper", "right_gripper"]),
    ("baxter_from_arm_to_arm", "baxter_description/urdf/baxter.urdf", "left_gripper", ["right_gripper"]),
    ("baxter_left_arm", "baxter_description/urdf/baxter.urdf", "", ["left_gripper"]),
    ("pr2", "pr2_description/urdf/pr2.urdf", "", ["l_gripper_tool_frame", "l_gripper_l_finger_tip_link"]),
    ("romeo", "romeo_description/urdf/romeo.urdf", "", ["l_ankle", "r_wrist"]),
    ("talos", "talos_data/robots/talos_full_v2.urdf", "", ["arm_left_7_link", "arm_right_7_link", "leg_left_6_link"]),
    ("talos_arm", "talos_data/robots/talos_full_v2.urdf", "", ["arm_left_7_link"]),
    ("talos_leg", "talos_data/robots/talos_full_v2.urdf", "", ["leg_left_6_link"]),
]
INVERSE = ["panda", "ur5", "kinova", "tiago", "baxter_from_arm_to_arm", "baxter_left_arm", "talos_arm", "talos_leg"]
INVERSE_ROWS = 2000
KDL_ITERATIONS = 500            # KDL's own default


def find_robots():
    """Where the wheel puts the files of the package; None: it is not there."""
    return next(pathlib.Path(sys.prefix).glob("lib/python*/site-packages/cmeel.prefix/share/example-robot-data/robots"), None)


def use_venv(venv):
    """Goes on in VENV, once."""
    python = pathlib.Path(venv) / "bin" / "python"
    if python.is_file() and pathlib.Path(sys.prefix).resolve() != pathlib.Path(venv).resolve():
        os.execv(python, [str(python), "-B", *sys.argv])
    try:
        import pinocchio  # noqa: F401
        import scipy  # noqa: F401
        found = find_robots()
    except ImportError:
        found = None
    if not found:
        print(f"SKIP kinematics_agree: needs Pinocchio: python3 -m venv {venv} && {venv}/bin/pip install pin scipy example-robot-data")
        sys.exit(77)


# ---------------------------------------------------------------- robots
class Robot:
    def __init__(self, tool, path, base, frames, folder):
        self.tool, self.path, self.base, self.frames = tool, path, base, frames
        lines = subprocess.run([tool, path], capture_output=True, text=True, check=True).stdout
        self.list = folder / "joints"
        self.list.write_text(lines, encoding="utf-8")
        fields = [line.split() for line in lines.splitlines()]
        self.kinds = {w[0]: int(w[1]) for w in fields}
        self.before = {w[3]: (w[0], w[2]) for w in fields}
        self.limits = {w[0]: (float(w[13]), float(w[14])) for w in fields}
        self.mimics = {w[0]: w[15] for w in fields}
        self.root = next(iter({w[2] for w in fields} - {w[3] for w in fields}))
        self.names = self.find_movers()

    def way(self, link):
        found = []
        while link in self.before:
            found.insert(0, self.before[link][0])
            link = self.before[link][1]
        return found

    def find_movers(self):
        found = []
        for frame in self.frames:
            up, down = self.way(self.base), self.way(frame)
            while up and down and up[0] == down[0]:
                up, down = up[1:], down[1:]
            for joint in up[::-1] + down:
                while self.mimics[joint] != "-":
                    joint = self.mimics[joint]
                if self.kinds[joint] and joint not in found:
                    found.append(joint)
        return found

    def has_mimicry(self):
        return any(self.mimics[joint] != "-" for frame in self.frames for joint in self.way(frame))

    def random(self, random, n):
        limits = [(-10, 10) if self.kinds[name] == 2 else self.limits[name] for name in self.names]
        low, high = np.array(limits).clip(-1e3, 1e3).T
        return random.uniform(low, high, (n, len(self.names)))

    def run(self, mode, rows, level="0", **environment):
        command = [self.tool, self.path, level, self.base, ",".join(self.frames), ",".join(self.names), mode]
        done = subprocess.run(command, input=rows.tobytes(), capture_output=True, check=False, env={**os.environ, **environment})
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode())
        return np.frombuffer(done.stdout).reshape(len(rows), -1)

    def forward(self, positions, velocities):
        """poses [n, F, 7], Jacobians [n, F, 6, V], manipulabilities [n, F], twists [n, F, 6]"""
        n, frames, v = len(positions), len(self.frames), len(self.names)
        out = self.run("forward", np.hstack([positions, velocities]))
        poses, jacobians, rest = np.split(out, [7 * frames, (7 + 6 * v) * frames], axis=1)
        return (poses.reshape(n, frames, 7), jacobians.reshape(n, frames, 6, v), rest[:, :frames], rest[:, frames:].reshape(n, frames, 6))


def rotations(q):
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.moveaxis(np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                                 [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                                 [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]), (0, 1), (-2, -1))


class Differences:
    """The greatest of each kind, in units of its tolerance."""

    def __init__(self):
        self.greatest = {}

    def expect(self, got, wanted, what, scale=1.0, tolerance=TOLERANCE):
        error = np.max(np.abs(got - wanted) / scale, initial=0)
        if not error <= tolerance:
            raise AssertionError(f"{what}: off by {error:g}")
        self.greatest[what] = max(error, self.greatest.get(what, 0))

    def __str__(self):
        return ", ".join(f"{what} {error:.1e}" for what, error in self.greatest.items())


def parts_of(rows):
    """Numbers of rows to compute at once."""
    return [min(PART, rows - first) for first in range(0, rows, PART)]


# ---------------------------------------------------------------- Pinocchio
class Pinocchio:
    def __init__(self, robot):
        self.robot, self.model = robot, pinocchio.buildModelFromUrdf(robot.path, mimic=robot.has_mimicry())
        self.data = self.model.createData()
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in robot.names]
        self.frames = [self.model.getFrameId(frame, pinocchio.FrameType.BODY) for frame in robot.frames]
        self.base = self.model.getFrameId(robot.base or robot.root, pinocchio.FrameType.BODY)

    def configure(self, row):
        q = pinocchio.neutral(self.model)
        for joint, x in zip(self.joints, row):
            q[joint.idx_q:joint.idx_q + joint.nq] = x if joint.nq == 1 else [np.cos(x), np.sin(x)]
        return q

    def jacobian(self, frame):
        full = pinocchio.getFrameJacobian(self.model, self.data, frame, pinocchio.LOCAL_WORLD_ALIGNED)
        return full[:, [joint.idx_v for joint in self.joints]]

    def relative(self, frame):
        """Pose and Jacobian in the base, whose own motion is taken away."""
        base, at = self.data.oMf[self.base], self.data.oMf[frame]
        matrix, moved = self.jacobian(frame), self.jacobian(self.base)
        moved[:3] += np.cross(moved[3:].T, at.translation - base.translation).T
        turn = base.rotation.T
        return base.actInv(at), np.vstack([turn @ (matrix - moved)[:3], turn @ (matrix - moved)[3:]])

    def compute(self, row):
        pinocchio.computeJointJacobians(self.model, self.data, self.configure(row))
        pinocchio.updateFramePlacements(self.model, self.data)
        return [self.relative(frame) for frame in self.frames]


def compare_part(robot, peer, n, random, differences):
    positions = robot.random(random, n)
    velocities = random.normal(size=positions.shape)
    poses, jacobians, manipulabilities, twists = robot.forward(positions, velocities)
    found = [peer.compute(row) for row in positions]
    for f in range(len(robot.frames)):
        matrices = np.array([frames[f][1] for frames in found])
        moving = matrices[:, :, np.abs(jacobians[:, f]).max(axis=(0, 1)) > 0]
        differences.expect(poses[:, f, :3], [frames[f][0].translation for frames in found], "origin")
        differences.expect(rotations(poses[:, f, 3:]), [frames[f][0].rotation for frames in found], "rotation")
        differences.expect(jacobians[:, f], matrices, "Jacobian")
        differences.expect(twists[:, f], np.einsum("nij,nj->ni", matrices, velocities), "velocity", 1 + np.abs(velocities).max(axis=1, keepdims=True))
        differences.expect(manipulabilities[:, f], np.prod(np.linalg.svd(moving, compute_uv=False), axis=1), "manipulability")


def compare_pinocchio(robot, rows, random):
    differences, peer = Differences(), Pinocchio(robot)
    for n in parts_of(rows):
        compare_part(robot, peer, n, random, differences)
    return f"{rows} rows: {differences}"


# ---------------------------------------------------------------- SciPy
def compare_scipy(robot, rows, random):
    """Columns of Jacobians against differences of four poses: rotations as rotation vectors, and origins."""
    positions, differences = robot.random(random, rows), Differences()
    poses, jacobians, _, _ = robot.forward(positions, np.zeros_like(positions))
    for k in range(len(robot.names)):
        moved = [robot.forward(positions + s * STEP * np.eye(len(robot.names))[k], np.zeros_like(positions))[0] for s in (-2, -1, 1, 2)]
        for f in range(len(robot.frames)):
            turn_of = lambda pose: Rotation.from_quat(pose[:, f, 3:], scalar_first=True)
            turns = [(turn_of(pose) * turn_of(poses).inv()).as_rotvec() for pose in moved]
            shifts = [pose[:, f, :3] for pose in moved]
            for rows_of, (a, b, c, d), what in ((slice(3, 6), turns, "angular rows"), (slice(0, 3), shifts, "linear rows")):
                differences.expect(jacobians[:, f, rows_of, k], (a - 8 * b + 8 * c - d) / (12 * STEP), what, tolerance=1e-10)
    return f"{rows} rows: {differences}"


# ---------------------------------------------------------------- KDL
def build_kdl(folder):
    """A program, or None."""
    source, program = pathlib.Path(__file__).with_name("kdl.cc"), folder / "kdl"
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "orocos-kdl", "eigen3"], capture_output=True, text=True, check=False)
    if flags.returncode != 0 or not shutil.which("c++"):
        return None
    built = subprocess.run(["c++", "-O2", "-o", program, source, *flags.stdout.split()], capture_output=True, check=False)
    return program if built.returncode == 0 else None


def run_kdl(program, robot, mode, rows, iterations=KDL_ITERATIONS):
    command = [program, robot.root, robot.base or robot.root, robot.frames[0], mode, robot.list, str(iterations)]
    done = subprocess.run(command, input=rows.tobytes(), capture_output=True, check=True)
    return np.frombuffer(done.stdout).reshape(len(rows), -1)


def compare_kdl(program, robot, rows, random):
    """Velocities are KDL's Jacobians times those of the joints."""
    differences = Differences()
    for n in parts_of(rows):
        positions = robot.random(random, n)
        velocities = random.normal(size=positions.shape)
        poses, jacobians, _, twists = robot.forward(positions, velocities)
        out = run_kdl(program, robot, "forward", positions)
        matrices = out[:, 12:].reshape(n, 6, -1)
        differences.expect(poses[:, 0, :3], out[:, :3], "origin")
        differences.expect(rotations(poses[:, 0, 3:]), out[:, 3:12].reshape(-1, 3, 3), "rotation")
        differences.expect(jacobians[:, 0], matrices, "Jacobian")
        differences.expect(twists[:, 0], np.einsum("nij,nj->ni", matrices, velocities), "velocity", 1 + np.abs(velocities).max(axis=1, keepdims=True))
    return f"{rows} rows: {differences}"


def compare_inverse(program, robot, rows, random):
    """Without limits, which KDL does not have. From near starts all are solved. From far ones at least as many as KDL solves, with the same number
    of iterations. Solutions within limits are solutions."""
    n = len(robot.names)
    positions = robot.random(random, rows)
    targets = robot.forward(positions, np.zeros_like(positions))[0][:, 0]
    near = np.hstack([targets, positions + random.uniform(-0.05, 0.05, positions.shape)])
    far = np.hstack([targets, robot.random(random, rows)])
    solved = lambda starts, restarts, iterations: robot.run("inverse", starts, "0free", RESTARTS=str(restarts),
                                                            ITERATIONS=str(iterations))[:, n + 2] == 0
    if not solved(near, 0, 100).all():
        raise AssertionError("a target close to the start is not found")
    peer, ours = run_kdl(program, robot, "inverse", far)[:, 0] == 0, solved(far, 100, KDL_ITERATIONS)
    if ours.sum() < peer.sum():
        raise AssertionError(f"KDL solves {peer.sum()} far targets, and robocache {ours.sum()}")
    check_limits(robot, far)
    fewer = run_kdl(program, robot, "inverse", far, 100)[:, 0] == 0
    return (f"from {rows} far starts, with {KDL_ITERATIONS} iterations KDL {peer.mean():.2%}, robocache {ours.mean():.2%}, "
            f"missing {(peer & ~ours).sum()} of KDL's; with 100 iterations KDL {fewer.mean():.2%}, robocache "
            f"{solved(far, 20, 100).mean():.2%}, and without restarts {solved(far, 0, 100).mean():.2%}")


def check_limits(robot, far):
    n = len(robot.names)
    found = robot.run("inverse", far, "0", RESTARTS="20")
    good = found[:, n + 2] == 0
    again = robot.forward(np.ascontiguousarray(found[good, :n]), np.zeros((good.sum(), n)))[0][:, 0]
    differences = Differences()
    differences.expect(again[:, :3], far[good, :3], "solutions within limits", tolerance=1.001e-6)
    differences.expect(rotations(again[:, 3:]), rotations(far[good, 3:7]), "solutions within limits", tolerance=2e-6)


# ---------------------------------------------------------------- robots and libraries
def report(name, check, *arguments):
    """Whether it failed."""
    try:
        said = check(*arguments)
        print(f"PASS {name}" + (f" ({said})" if said else ""), flush=True)
        return False
    except Exception as error:  # a case may fail in any way, and the others go on
        print(f"FAIL {name}: {type(error).__name__}: {error}".replace("\n", " "), flush=True)
        return True


def checks_of(robot, name, program, rows, i):
    """(name, function, arguments) of what one robot is held against."""
    yield f"pinocchio_{name}", compare_pinocchio, robot, rows, np.random.default_rng(i)
    yield f"scipy_{name}", compare_scipy, robot, min(rows, 1000), np.random.default_rng(300 + i)
    if len(robot.frames) > 1 or robot.has_mimicry():
        return
    if program is None:
        print(f"SKIP kdl_{name}: needs a C++ compiler and liborocos-kdl-dev")
        return
    yield f"kdl_{name}", compare_kdl, program, robot, rows, np.random.default_rng(100 + i)
    if name in INVERSE:
        yield f"kdl_inverse_{name}", compare_inverse, program, robot, min(rows, INVERSE_ROWS), np.random.default_rng(200 + i)


def main(tool, rows, parts):
    failed = False
    robots = find_robots()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        program = build_kdl(folder)
        for i, (name, file, base, frames) in enumerate(ROBOTS):
            robot = Robot(tool, str(robots / file), base, frames, folder)
            for check in checks_of(robot, name, program, rows, i):
                if not parts or any(part in check[0] for part in parts):
                    failed |= report(*check)
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    use_venv(sys.argv[2])
    import numpy as np
    import pinocchio
    from scipy.spatial.transform import Rotation

    sys.exit(main(sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 1000, sys.argv[4:]))

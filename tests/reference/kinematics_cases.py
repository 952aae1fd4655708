# SPDX-License-Identifier: LGPL-2.1-or-later
"""robocachekinematics in real pipelines against kinematics.py, which defines its arithmetic."""
import subprocess

from pipelines import HERE, Skip, case, csv_source, from_bytes, np, properties, recording

ARM = HERE.parent.parent / "examples" / "arm.urdf"
LWA = HERE / "lwa4p.urdf"
NAMES = [f"q{i}" for i in range(7)] + ["grip"]


def load(robot=ARM):
    import kinematics
    if subprocess.run(["gst-inspect-1.0", "robocachekinematics"], capture_output=True, check=False).returncode != 0:
        raise Skip("robocachekinematics is not in this build")
    return kinematics, kinematics.Robot(robot)


def random_rows(scene, robot, n=200):
    """Positions within limits, some of them at a limit or at 0."""
    limits = np.array([robot.joints[name].limits for name in NAMES]).clip(-7, 7)
    rows = scene.random.uniform(*limits.T, (n, len(NAMES)))
    rows[scene.random.random(rows.shape) < 0.05] = 0
    return np.where(scene.random.random(rows.shape) < 0.05, limits[:, 1], rows)


def play(scene, rows, **settings):
    """float64 rows through the element; blocks of 20."""
    path = scene.write(rows.astype("<f8"))
    settings = properties(urdf=ARM, **settings)
    source = (f"filesrc location={path} blocksize={20 * 8 * rows.shape[1]} ! other/tensors,format=(string)static,num_tensors=(int)1,"
              f"types=(string)float64,dimensions=(string){rows.shape[1]}:20,framerate=(fraction)0/1")
    return np.frombuffer(scene.play(f"{source} ! robocachekinematics {settings} ! {{out}}"), "<f8").reshape(len(rows), -1)


def expect(got, wanted, what, tolerance=1e-12):
    error = np.abs(np.asarray(got) - wanted).max()
    if not error <= tolerance:
        raise AssertionError(f"{what}: off by {error}")


LINKS = [("base", "tool"), ("base", "right_finger"), ("tool", "base"), ("left_finger", "right_finger"), ("link3", "link1"), ("link2", "link2")]
for base, link in LINKS:
    @case(f"kinematics_of_{link}_in_{base}", base, link)
    def forward(scene, base, link):
        kinematics, robot = load()
        rows, rates = random_rows(scene, robot), scene.random.normal(size=(200, len(NAMES)))
        settings = {"base": base, "frames": link, "joints": ",".join(NAMES)}
        poses = play(scene, rows, manipulability=True, **settings)
        matrices = play(scene, rows, mode="jacobian", **settings).reshape(len(rows), 6, -1)
        twists = play(scene, np.hstack([rows, rates]), mode="velocity", velocities="8-15", **settings)
        for i, row in enumerate(rows):
            positions = dict(zip(NAMES, row))
            at, _ = kinematics.forward(robot, base, link, positions)
            matrix = kinematics.jacobian(robot, base, link, NAMES, positions)
            q = kinematics.quaternion(at[:3, :3])
            q = q if q @ poses[i, 3:7] > 0 else -q  # w may be 0 but for rounding
            expect(poses[i, :7], np.concatenate([at[:3, 3], q]), f"pose {i}")
            expect(poses[i, 7], kinematics.manipulability(matrix), f"manipulability {i}")
            expect(matrices[i], matrix, f"Jacobian {i}")
            expect(twists[i], matrix @ rates[i], f"velocity {i}")


for weight in (1.0, 0.3, 0.0):
    @case(f"kinematics_inverse_of_weight_{weight:g}", weight)
    def inverse(scene, weight):
        """Each row starts from the solution of the row before, as the element does. Steps are small."""
        kinematics, robot = load()
        names = NAMES[:7]
        path = np.cumsum(scene.random.uniform(-0.03, 0.03, (200, 7)), axis=0) + [0.3, 0.4, -0.2, 0.9, 0.5, -0.6, 0.1]
        targets = [kinematics.forward(robot, "", "tool", dict(zip(names, row)))[0] for row in path]
        rows = np.array([np.concatenate([at[:3, 3], kinematics.quaternion(at[:3, :3])]) for at in targets])
        out = play(scene, rows, mode="ik", frames="tool", poses="0-6", orientation_weight=weight)
        middle = [0.0 if np.isinf(robot.joints[name].limits).any() else sum(robot.joints[name].limits) / 2 for name in names]
        q, solved = np.array(middle), 0
        for i, target in enumerate(targets):
            q, status, distance, angle = kinematics.inverse(robot, "", "tool", names, target, q, weight=weight)
            solved += status == kinematics.CONVERGED
            if status != out[i, 7]:
                raise AssertionError(f"row {i}: status {out[i, 7]}, the reference has {status}")
            expect(out[i, :7], q, f"row {i}", 1e-6)
            expect(out[i, 8:], [distance, angle], f"residuals of row {i}", 1e-6)
            q = out[i, :7]
        if solved < 150:
            raise AssertionError(f"only {solved} of {len(targets)} rows converged")


for restarts in (0, 20):
    @case(f"kinematics_inverse_from_far_with_{restarts}_restarts", restarts)
    def far(scene, restarts):
        """Targets far from each other, so that descents get stuck. The last bits of a long descent may decide where it ends: one row in ten may."""
        kinematics, robot = load()
        names = NAMES[:7]
        targets = [kinematics.forward(robot, "", "tool", dict(zip(names, row)))[0] for row in random_rows(scene, robot, 60)[:, :7]]
        for at in targets[::15]:
            at[:3, 3] *= 3  # beyond reach
        rows = np.array([np.concatenate([at[:3, 3], kinematics.quaternion(at[:3, :3])]) for at in targets])
        out = play(scene, rows, mode="ik", frames="tool", poses="0-6", restarts=restarts)
        same = solved = 0
        for i in range(1, len(rows)):
            q, status, *_ = kinematics.inverse(robot, "", "tool", names, targets[i], out[i - 1, :7], restarts=restarts)
            same += status == out[i, 7] and np.abs(out[i, :7] - q).max() <= 1e-5
            solved += out[i, 7] == kinematics.CONVERGED
        if same < 53 or solved < (40 if restarts else 10):
            raise AssertionError(f"of 59 rows {same} agree with the reference, and {solved} converged")


@case("kinematics_of_a_recorded_arm")
def recorded(scene):
    """Joints of a real arm become the path of its flange, and the path becomes the joints again."""
    kinematics, robot = load(LWA)
    table = np.genfromtxt(recording("arm_joints_250hz.csv"), delimiter=",", names=True)
    names = [f"q{i}" for i in range(6)]
    given = np.stack([table[name] for name in names], axis=1).astype(np.float32).astype(float)
    rates = np.stack([table["qd" + name[1:]] for name in names], axis=1).astype(np.float32).astype(float)
    source = csv_source(recording("arm_joints_250hz.csv"), properties(start="keep"))
    to_path = f"robocachekinematics {properties(urdf=LWA, frames='flange', type='float64')}"
    path = from_bytes(scene.play(f"{source} ! {to_path} ! {{out}}"), "float64").reshape(len(given), 7)
    for row, positions in zip(path, given):
        at, _ = kinematics.forward(robot, "", "flange", dict(zip(names, positions)))
        q = kinematics.quaternion(at[:3, :3])
        expect(row, np.concatenate([at[:3, 3], q if q @ row[3:] > 0 else -q]), "pose")
    twist = f"robocachekinematics {properties(urdf=LWA, frames='flange', type='float64', mode='velocity', velocities='6-11')}"
    twists = from_bytes(scene.play(f"{source} ! {twist} ! {{out}}"), "float64").reshape(len(given), 6)
    for row, positions, rate in zip(twists, given, rates):
        expect(row, kinematics.jacobian(robot, "", "flange", names, dict(zip(names, positions))) @ rate, "velocity")
    # the path is what the robot's own velocities say: recorded speeds are measured, hence the bound
    moved = np.linalg.norm(path[2:, :3] - path[:-2, :3] - twists[1:-1, :3] * 0.008, axis=1)
    if not np.median(moved) < 0.1 * np.median(np.linalg.norm(twists[:, :3], axis=1)) * 0.008:
        raise AssertionError(f"the path departs from its velocities by {np.median(moved)} m in two periods")
    back = from_bytes(scene.play(f"{source} ! {to_path} ! robocachekinematics {properties(urdf=LWA, frames='flange', mode='ik')} ! {{out}}"),
                      "float64").reshape(len(given), 9)
    for row, there in zip(back[back[:, 6] == kinematics.CONVERGED], path[back[:, 6] == kinematics.CONVERGED]):
        expect(kinematics.forward(robot, "", "flange", dict(zip(names, row[:6])))[0][:3, 3], there[:3], "pose of joints found", 1e-5)
    if (back[:, 6] != kinematics.CONVERGED).mean() > 0.01:
        raise AssertionError(f"{(back[:, 6] != kinematics.CONVERGED).sum()} poses of the path have no solution")

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: actions as poses, steps and joints, of recorded joints of examples/arm.urdf. NumPy has the arm's kinematics."""
import json
import sys
from pathlib import Path

import make
import numpy as np
import robots
from lerobot_sets import Set
from run import export, must_export

ROOT = Path(__file__).resolve().parents[2]
ARM = ROOT / "examples" / "arm.urdf"
sys.path.insert(0, str(ROOT / "tests" / "reference"))
import kinematics  # noqa: E402: the folder is in the path then

NAMES = [f"q{i}" for i in range(7)]
POSE = [f"tool.{name}" for name in ("x", "y", "z", "qw", "qx", "qy", "qz")]
FEATURES = {"observation.state": '"joints"', "action": '"command"', "observation.images.front": None, "observation.images.wrist": None}
STREAMS = {"front": None, "wrist": None}
SECTION = f'[actions]\nurdf = "{ARM}"\nframe = "tool"\n'


def _record(folder):
    return make.record(folder / "arm.mcap", [make.rows("sink_0", 100, 2, 7, "seed=4"), make.rows("sink_1", 50, 2, 8, "seed=5")],
                       ["/joint_states", "/command"])


def _set(folder, name, *options, recording="arm.mcap", more=SECTION, features=None, streams=None, **changes):
    mapping = make.mapping(folder, f"{name}.toml", STREAMS | (streams or {}), FEATURES | (features or {}), more, **changes)
    must_export(folder / recording, "--mapping", mapping, "--output", folder / name, *options)
    return Set(folder / name)


def _at(robot, row):
    return kinematics.forward(robot, "", "tool", dict(zip(NAMES, row)))[0]


def _difference(got, at):
    """Greatest of a pose as seven numbers and a matrix."""
    q = kinematics.quaternion(at[:3, :3])
    return max(abs(got[:3] - at[:3, 3]).max(), min(abs(got[3:7] - q).max(), abs(got[3:7] + q).max()))


def cartesian(folder):
    robot, joints = kinematics.Robot(ARM), _set(folder, "joint", "--actions", "joint")
    made = _set(folder, "cartesian", "--actions", "cartesian", more=SECTION + 'keep = "q7"\n')
    rows, poses = joints.column("action"), made.column("action")
    yield "names", made.info["features"]["action"]["names"], [*POSE, "q7"]
    yield "rows", len(poses), len(rows)
    yield "poses", max(_difference(pose, _at(robot, row)) for pose, row in zip(poses, rows)) < 1e-5, True
    yield "kept", poses[:, 7].tolist(), rows[:, 7].tolist()
    yield "states", made.column("observation.state").tolist(), joints.column("observation.state").tolist()
    yield "statistics", len(made.stats["action"]["mean"]), 8


def delta(folder):
    robot, joints = kinematics.Robot(ARM), Set(folder / "joint")
    made = _set(folder, "delta", "--actions", "delta")
    pairs = zip(joints.column("observation.state"), joints.column("action"))
    yield "steps", max(_difference(step, np.linalg.inv(_at(robot, state)) @ _at(robot, row))
                       for step, (state, row) in zip(made.column("action"), pairs)) < 1e-5, True


def next_state(folder):
    robot = kinematics.Robot(ARM)
    made = _set(folder, "next-pose", "--actions", "cartesian", action="next-state", features={"action": None}, streams={"command": None})
    states = made.column("observation.state")
    yield "names", made.info["features"]["action"]["names"], POSE
    yield "poses", max(_difference(pose, _at(robot, row)) for pose, row in zip(made.column("action")[:-1], states[1:])) < 1e-5, True


def poses_to_joints(folder):
    """Recorded poses of the tool, 1 s of which is within reach."""
    robot = kinematics.Robot(ARM)
    poses = f"robocachetestsrc kind=proprio rate=100/1 channels=7 num-buffers=200 seed=4 ! robocachekinematics urdf={ARM} frames=tool ! record.sink_1"
    make.record(folder / "poses.mcap", [make.rows("sink_0", 100, 2, 7, "seed=4"), poses], ["/joint_states", "/command"])
    recorded = _set(folder, "poses", recording="poses.mcap", more="")
    made = _set(folder, "solved", "--actions", "joint", recording="poses.mcap")
    yield "recorded", recorded.info["features"]["action"]["names"], POSE
    yield "names", made.info["features"]["action"]["names"], NAMES
    yield "joints", max(_difference(pose, _at(robot, row)) for pose, row in zip(recorded.column("action"), made.column("action"))) < 1e-5, True


# {name: orders of the joints of two recordings}; the section actions names them by place, or does not
BY_PLACE = {"by place": (f'joints = "{",".join(NAMES)}"\nstate-joints = "{",".join(NAMES)}"\n', [f"axis{i}" for i in range(7)]), "by name": ("", NAMES)}


def appended(folder, name):
    """Poses of a recording whose joints come in another order are the same in a set that it is appended to."""
    named, order = BY_PLACE[name]
    values = {joint: lambda t, i=i: 0.1 * i + 0.2 * t for i, joint in enumerate(order)}
    for kind in ("cartesian", "joint"):
        out, toml = folder / f"appended {name} {kind}", make.mapping(folder, "appended.toml", STREAMS | {"command": '{topic = "/command", interpolation = "linear"}'},
                                                                     FEATURES | {"observation.state": '"joints"'}, SECTION + named)
        for number, own in enumerate((order, order[::-1])):
            path = robots.write(folder / f"appended-{number}.mcap", {topic: (50, robots.joints(values, order=own)) for topic in ("/joint_states", "/command")}, 2.0,
                                robots.BEGIN + number * 10 * robots.SECOND)
            said = must_export(path, "--mapping", toml, "--output", out, "--append", "--actions", kind, "--episodes", make.spans(folder, [",+0.2,+1.5,,,"], "appended.csv"))
        made = Set(out)
        yield f"{kind}: {said}", [np.allclose(made.of(0, feature), made.of(1, feature), atol=1e-5) for feature in ("observation.state", "action")], [True, True]
        yield f"{kind}, moving", bool(abs(np.diff(made.of(1, "action"), axis=0)).max() > 1e-4), True


def errors(folder):
    wrong = {
        "kind": ('[actions]\nkind = "polar"', "actions.kind = 'polar': expected joint, cartesian, delta"),
        "robot": ('[actions]\nkind = "delta"', "need a robot"),
        "file": ('[actions]\nurdf = "/none.urdf"\nframe = "tool"', "actions.urdf:"),
        "frame": (f'[actions]\nurdf = "{ARM}"', "actions.frame is missing"),
        "link": (f'[actions]\nkind = "cartesian"\nurdf = "{ARM}"\nframe = "nose"', "nose"),
        "keep": (SECTION + 'kind = "cartesian"\nkeep = "grip"', "actions.keep: no channel grip"),
        "number of names": (SECTION + 'kind = "cartesian"\njoints = "q0,q1"', "2 names"),
    }
    for name, (section, text) in wrong.items():
        mapping = make.mapping(folder, "wrong.toml", STREAMS, FEATURES, section)
        status, said = export(folder / "arm.mcap", "--mapping", mapping, "--output", folder / "wrong")
        yield name, (status, said if text not in said else text), (1, text)


def cases(folder):
    _record(folder)
    yield from ((f"actions appended {name}", appended, folder, name) for name in BY_PLACE)
    yield from ((f"actions {case.__name__}", case, folder) for case in (cartesian, delta, next_state, poses_to_joints, errors))

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: mappings that --suggest prints: robots, commands, grippers and modes, and what is left out."""
import math
import tomllib

import make
import numpy as np
import robots
from lerobot_sets import Set
from robocache.export.recordings import open_recordings
from robocache.export.suggest import suggest
from run import export, must_export

SIN, COS = math.sin, math.cos
ARM = {"b": SIN, "a": COS}
JOINTS, FULL = robots.joints(ARM), robots.joints(ARM, ARM, ARM)
NUMBER, SWITCH = robots.number(SIN), robots.number(lambda t: t > 1, "Bool")
MODE = robots.number(lambda t: int(t), "Int8")
COMMAND = robots.array([SIN, COS])
CAMERA = robots.camera(30)
STATE, ACTION = "observation.state", "action"

# {name: (topics as {topic: (Hz, type and message)}, the features, what is left out as {topic: reason})}
RECORDINGS = {
    "one arm": ({"/joint_states": (50, JOINTS), "/joint_commands": (50, JOINTS)},
                {STATE: ["joint_states:b.position,a.position"], ACTION: ["joint_commands:b.position,a.position"]}, {}),
    "two arms": ({f"/{side}_arm/{what}": (50, kind) for side in ("right", "left") for what, kind in (("joint_states", JOINTS), ("joint_commands", COMMAND))},
                 {STATE: ["left_arm_joint_states:b.position,a.position", "right_arm_joint_states:b.position,a.position"],
                  ACTION: ["left_arm_joint_commands", "right_arm_joint_commands"]}, {}),
    "leaders are commands": ({f"/{who}_{side}/joint_states": (50, JOINTS) for who in ("master", "puppet") for side in ("left", "right")},
                             {STATE: [f"puppet_{side}_joint_states:b.position,a.position" for side in ("left", "right")],
                              ACTION: [f"master_{side}_joint_states:b.position,a.position" for side in ("left", "right")]}, {}),
    "two namespaces": ({f"/{robot}/{what}": (50, JOINTS) for robot in ("panda", "ur5") for what in ("joint_states", "target")},
                       {STATE: [f"{robot}_joint_states:b.position,a.position" for robot in ("panda", "ur5")],
                        ACTION: [f"{robot}_target:b.position,a.position" for robot in ("panda", "ur5")]}, {}),
    "joints of two arms in one topic": (
        {"/joint_states": (50, robots.joints({name: SIN for name in ("left_a", "right_a", "left_b", "right_b", "torso")}))},
        {STATE: ["joint_states:left_a.position,left_b.position,right_a.position,right_b.position,torso.position"]}, {}),
    "positions and velocities alike": (
        {"/joint_states": (50, FULL), "/joint_command": (50, robots.joints(ARM, ARM))},
        {STATE: ["joint_states:b.position,a.position,b.velocity,a.velocity"], ACTION: ["joint_command:b.position,a.position,b.velocity,a.velocity"],
         "observation.effort": ["joint_states:b.effort,a.effort"]}, {}),
    "torques beside positions": (
        {"/joint_states": (50, JOINTS), "/torque/command": (50, robots.joints(ARM, None, ARM))},
        {STATE: ["joint_states:b.position,a.position"], ACTION: ["torque_command:b.position,a.position"]},
        {"/torque/command": "channels b.effort, a.effort beside the positions"}),
    "torques alone": (
        {"/joint_states": (50, JOINTS), "/torque/command": (50, robots.joints(ARM, None, ARM, has_positions=False))},
        {STATE: ["joint_states:b.position,a.position"], ACTION: ["torque_command:b.effort,a.effort"]}, {}),
    "grippers and modes": (
        {"/joint_states": (50, JOINTS), "/gripper/position": (50, NUMBER), "/mode_state": (2, MODE), "/gripper/command": (50, SWITCH), "/joint_command": (50, JOINTS),
         "/mode_command": (2, MODE), "/estop": (2, SWITCH)},
        {STATE: ["joint_states:b.position,a.position", "gripper_position:data"], ACTION: ["joint_command:b.position,a.position", "gripper_command:data"],
         "observation.mode_state": ["mode_state:data"], "observation.estop": ["estop:data"], "action.mode_command": ["mode_command"]}, {}),
    "a mode that is called state": (
        {"/robot/state": (2, MODE), "/positions": (50, robots.array([SIN, COS])), "/command": (50, NUMBER)},
        {STATE: ["positions"], ACTION: ["command:data"], "observation.robot_state": ["robot_state:data"]}, {}),
    "what a controller was told": (
        {"/joint_states": (50, JOINTS), "/controller_state": (50, robots.controller_state([SIN], [COS])), "/joy/axes": (50, NUMBER)},
        {STATE: ["joint_states:b.position,a.position"], ACTION: ["joy_axes:data"], "observation.controller_state": ["controller_state:actual[0]"]},
        {"/controller_state": "channels desired[0] are commands, or made of them"}),
    "controllers of ros2_control": (
        {"/joint_states": (50, JOINTS), "/joint_trajectory_controller/state": (50, robots.controller_state([SIN], [COS])), "/dynamic_joint_states": (50, COMMAND),
         "/joint_trajectory_controller/joint_trajectory": (20, COMMAND)},
        {STATE: ["joint_states:b.position,a.position"], ACTION: ["joint_trajectory_controller_joint_trajectory"],
         "observation.joint_trajectory_controller_state": ["joint_trajectory_controller_state:actual[0]"],
         "observation.dynamic_joint_states": ["dynamic_joint_states"]},
        {"/joint_trajectory_controller/state": "channels desired[0] are commands, or made of them"}),
    "joints twice": ({"/joint_states": (50, JOINTS), "/joint_states_filtered": (50, JOINTS)}, {STATE: ["joint_states:b.position,a.position"]},
                     {"/joint_states_filtered": "the same joints as /joint_states"}),
    "what is no sensor": (
        {"/joint_states": (50, JOINTS), "/rosout": (2, robots.log()), "/ns/parameter_events": (2, NUMBER), "/set_mode/_service_event": (2, robots.service_event()),
         "/tf_static": (2, NUMBER), "/lidar/points": (10, robots.cloud()), "/arm/_action/feedback": (2, NUMBER), "/text": (2, robots.number(lambda t: "x", "String")),
         "/once": (0.4, NUMBER)},
        {STATE: ["joint_states:b.position,a.position"]},
        {"/rosout": "messages of a log", "/ns/parameter_events": "changes of parameters", "/set_mode/_service_event": "events of a service",
         "/tf_static": "transforms that do not change", "/lidar/points": "application/x-pointcloud, which sets do not hold",
         "/arm/_action/feedback": "the progress of a ROS action", "/text": "no numbers or pictures that can be read", "/once": "fewer than two messages"}),
    "cameras": (
        {"/joint_states": (50, JOINTS), "/camera/front/color/image_raw/compressed": (30, CAMERA), "/camera/wrist/compressed": (15, robots.camera(15)),
         "/camera/wrist": (15, robots.camera(15))},
        {STATE: ["joint_states:b.position,a.position"], "observation.images.camera_front": ["camera_front"], "observation.images.camera_wrist": ["camera_wrist"]},
        {"/camera/wrist/compressed": "the same pictures as /camera/wrist"}),
}


def _record(folder, name, topics):
    return robots.write(folder / f"suggest {name}.mcap", topics)


def _left_out(text):
    lines = [line.removeprefix("# left out: ").partition(": ")[::2] for line in text.splitlines() if line.startswith("# left out: ")]
    return dict(lines)


def suggested(folder, name, topics, features, left_out):
    text = must_export(_record(folder, name, topics), "--suggest")
    made = tomllib.loads(text)
    yield f"features of {text}", made["features"], features
    yield f"left out of {text}", _left_out(text), left_out
    yield "the reason for next-state", "# no topic has commands" in text, made.get("action") == "next-state"
    yield "each topic is a stream or is left out", sorted({stream["topic"] for stream in made["streams"].values()} | set(_left_out(text))), sorted(topics)
    commands = [stream for stream in made["streams"] if any(word in stream for word in ("command", "target", "master", "joy", "joint_trajectory_controller_joint"))]
    uses = {part.partition(":")[0] for feature, parts in made["features"].items() if feature.startswith("observation") for part in parts}
    yield "no command is an observation", uses & set(commands), set()
    path = folder / "suggested.toml"
    path.write_text(text)
    status, said = export(folder / f"suggest {name}.mcap", "--mapping", path, "--output", folder / "suggested", "--check", "--episodes", "whole")
    yield f"it can be exported: {said}", status, 0


def rates(folder):
    """fps is that of the slowest camera, and what is slower is said."""
    text = must_export(_record(folder, "rates", {"/joint_states": (50, JOINTS), "/command": (20, JOINTS), "/camera": (30, CAMERA)}), "--suggest")
    yield f"with a camera: {text}", (tomllib.loads(text)["fps"], "# /command has 20.00 rows per second, and the set 30" in text), (30, True)
    text = must_export(_record(folder, "rates alone", {"/joint_states": (50, JOINTS), "/command": (20, JOINTS)}), "--suggest")
    yield f"without: {text}", (tomllib.loads(text)["fps"], "rows per second" in text), (20, False)


def act(folder):
    """ACT has positions, velocities and efforts apart, and needs velocities, or zeros."""
    for name, kind, velocity in (("full", FULL, ["joint_states:b.velocity,a.velocity"]), ("positions", JOINTS, None)):
        made = tomllib.loads(must_export(_record(folder, f"act {name}", {"/joint_states": (50, kind)}), "--suggest", "--format", "aloha"))
        yield f"{name} state", made["features"][STATE], ["joint_states:b.position,a.position"]
        yield f"{name} velocity", (made["features"].get("observation.velocity"), made.get("aloha")), (velocity, None if velocity else {"velocity": "zeros"})


def names_of_lerobot(folder):
    """--names lerobot is in the mapping, with names of cameras."""
    path = _record(folder, "lerobot", {"/left/joint_states": (50, JOINTS), "/right/joint_states": (50, JOINTS), "/camera/front": (30, CAMERA)})
    made = tomllib.loads(must_export(path, "--suggest", "--names", "lerobot"))
    yield "names", made["names"], "lerobot"
    yield "robots", [made["streams"][f"{side}_joint_states"]["robot"] for side in ("left", "right")], ["left", "right"]
    yield "camera", [name for name in made["features"] if "images" in name], ["observation.images.front"]


class _Hostile:
    """A recording whose topic is called what TOML does not take as it is."""
    name = "hostile"

    def __init__(self, recording, topic):
        self._recording, self._topic = recording, topic

    def described(self):
        return [(self._topic if topic == "/rosout" else topic, part, caps) for topic, part, caps in self._recording.described()]

    def topics(self):
        return [self._topic, "/joint_states"]

    def times(self, topic):
        return self._recording.times("/joint_states")


def hostile_topic(folder):
    recording, = open_recordings([_record(folder, "hostile", {"/joint_states": (50, JOINTS), "/rosout": (2, robots.log())})])
    for topic in ('/a"b', "/a\nfps = 7", "/a\\b\x1b", "/rosout\n/rosout"):
        made = tomllib.loads(suggest(_Hostile(recording, topic)))
        yield repr(topic), (made["fps"], made["features"][STATE]), (30, ["joint_states:b.position,a.position"])


# ---- from a bag to a set by what --suggest prints alone ----

SIDES = ("left", "right")
ORDER = {"left": ("elbow", "shoulder", "wrist"), "right": ("wrist", "elbow", "shoulder")}
CAMERAS = {"front": 30, "left_wrist": 30, "right_wrist": 60}
FPS = 30


def _line(*words):
    """A function of time of its own for each channel: a line, so that interpolation is exact."""
    number = sum(map(ord, "".join(words)))
    return lambda t: number % 7 + (number % 5 - 2.5) * t


def _joint_lines(side, what):
    return {joint: _line(side, what, joint) for joint in ORDER[side]}


def _whole_robot():
    topics = {"/rosout": (2, robots.log()), "/parameter_events": (1, NUMBER), "/tf_static": (1, NUMBER), "/lidar/points": (10, robots.cloud()),
              "/set_mode/_service_event": (1, robots.service_event())}
    for side in SIDES:
        topics |= {
            f"/{side}_arm/joint_states": (200, robots.joints(_joint_lines(side, "position"), _joint_lines(side, "velocity"), order=ORDER[side])),
            f"/{side}_arm/joint_commands": (50, robots.joints(_joint_lines(side, "command"), _joint_lines(side, "rate"), order=ORDER[side])),
            f"/{side}_gripper/state": (100, robots.number(_line(side, "gripper"))), f"/{side}_gripper/command": (50, robots.number(_line(side, "grip")))}
    return topics | {f"/cameras/{name}/image_raw/compressed": (rate, robots.camera(rate)) for name, rate in CAMERAS.items()}


def whole_robot(folder):
    """Two arms, two grippers, three cameras, a lidar, and commands at another rate: each name has the values that it should have."""
    path = robots.write(folder / "whole robot.mcap", _whole_robot(), 2.5)
    toml, out = folder / "whole.toml", folder / "whole"
    toml.write_text(must_export(path, "--suggest", "--names", "lerobot"))
    said = must_export(path, "--mapping", toml, "--output", out, "--episodes", make.spans(folder, [",+0.5,+2,fold,true,"], "whole.csv"))
    made = Set(out)
    names = lambda feature: made.info["features"][feature]["names"]
    expected = [name for side in SIDES for name in [*(f"{side}_{joint}.{what}" for what in ("pos", "vel") for joint in ORDER[side]), f"{side}_gripper.pos"]]
    yield f"names, and said: {said}", (names("observation.state"), names("action")), (expected, expected)
    ticks = [0.5 + k / FPS for k in range(45)]
    held = [math.floor(t * 50 + 1e-6) / 50 for t in ticks]
    for feature, times, words in (("observation.state", ticks, ("position", "velocity", "gripper")), ("action", held, ("command", "rate", "grip"))):
        lines = [line for side in SIDES for line in [*(_line(side, what, joint) for what in words[:2] for joint in ORDER[side]), _line(side, words[2])]]
        yield feature, np.allclose(made.column(feature), [[line(t) for line in lines] for t in times], atol=1e-4), True
    for name, rate in CAMERAS.items():
        # the nearest frame, the earlier one of two
        counters = [make.counter_of(pixels) for _, pixels in made.frames(0, f"observation.images.{name}")]
        yield name, counters, [math.ceil(t * rate - 0.5 - 1e-6) for t in ticks]
    yield "features", sorted(name for name in made.info["features"] if name.startswith(("observation", "action"))), \
        sorted(["observation.state", "action", *(f"observation.images.{name}" for name in CAMERAS)])
    yield "left out", sorted(_left_out(toml.read_text())), ["/lidar/points", "/parameter_events", "/rosout", "/set_mode/_service_event", "/tf_static"]
    yield "task", made.episodes[0]["tasks"], ["fold"]


def cases(folder):
    folder = folder / "suggestions"
    folder.mkdir()
    yield from ((f"suggest {name}", suggested, folder, name, *row) for name, row in RECORDINGS.items())
    yield from ((f"suggest {case.__name__}", case, folder) for case in (rates, act, names_of_lerobot, hostile_topic, whole_robot))

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: recordings are joined by the names of channels, and what a mapping, a set and a recording say of names."""
import math

import make
import numpy as np
import robots
from lerobot_sets import SECOND, Set
from run import export, must_export

FPS = 20
TICKS = [k / FPS for k in range(2 * FPS)]
# each joint is a line of its own, so that interpolation is exact
ARM = {"shoulder": lambda t: 1 + t, "elbow": lambda t: 2 - 3 * t, "wrist": lambda t: 0.5 * t}
COMMANDED = {name: lambda t, own=own: 10 * own(t) for name, own in ARM.items()}
MAPPING = """fps = {fps}
{top}
[streams]
joints = {{topic = "/joint_states"{joints}}}
command = {{topic = "/command", interpolation = "linear"}}
[features]
"observation.state" = {state}
"action" = {action}
"""


def mapping(folder, name="names.toml", fps=FPS, top="", joints="", state='"joints"', action='"command"'):
    path = folder / name
    path.write_text(MAPPING.format(fps=fps, top=top, joints=joints, state=state, action=action))
    return path


def bag(folder, name, order=("shoulder", "elbow", "wrist"), arm=None, seconds=3.0, begin=robots.BEGIN, command=None):
    """Joints at 50 Hz and commands at 25 Hz in an order of joints."""
    arm = arm or ARM
    return robots.write(folder / f"{name}.mcap", {
        "/joint_states": (50, robots.joints(arm, order=list(order))),
        "/command": (25, robots.joints(command or {one: COMMANDED.get(one, math.sin) for one in arm}, order=list(order)))}, seconds, begin)


def _marks(folder):
    return make.spans(folder, [",+0,+2,,,"], "names.csv")


def _export(folder, out, recordings, path, *more):
    return export(*recordings, "--mapping", path, "--output", folder / out, "--episodes", _marks(folder), *more)


def _is_close(values, functions):
    expected = np.array([[function(t) for function in functions] for t in TICKS])
    return np.allclose(values.reshape(expected.shape), expected, atol=1e-5, equal_nan=True)


# {name: (stream's other settings, features.observation.state, features.action, the state's joints)}
CHOICES = {
    "whole streams": ('"joints"', '"command"', ["shoulder", "elbow", "wrist"]),
    "numbers": ('"joints:0-1"', '"command:0-1"', ["shoulder", "elbow"]),
    "names": ('"joints:wrist.position,shoulder.position"', '"command:wrist.position,shoulder.position"', ["wrist", "shoulder"]),
    "a glob": ('"joints:*er.position,*st.position"', '"command:*er.position,*st.position"', ["shoulder", "wrist"]),
}


def reordered(folder, name, state, action, chosen):
    """Bags with joints in other orders make one set, in the order of the first one."""
    orders = {"first": ("shoulder", "elbow", "wrist"), "second": ("wrist", "shoulder", "elbow"), "third": ("elbow", "wrist", "shoulder")}
    recordings = [bag(folder, f"order-{key}", order) for key, order in orders.items()]
    status, said = _export(folder, f"reordered-{name}", recordings, mapping(folder, state=state, action=action))
    yield f"said: {said}", status, 0
    made = Set(folder / f"reordered-{name}")
    yield "names", [made.info["features"][feature]["names"] for feature in ("observation.state", "action")], [[f"{joint}.position" for joint in chosen]] * 2
    for episode in range(3):
        yield f"state of {episode}", _is_close(made.of(episode, "observation.state"), [ARM[joint] for joint in chosen]), True
        yield f"action of {episode}", _is_close(made.of(episode, "action"), [COMMANDED[joint] for joint in chosen]), True


def reordered_columns(folder):
    """Folders of CSV files, whose columns are in another order."""
    sources = []
    for name, order in (("one", ("shoulder", "elbow", "wrist")), ("two", ("elbow", "wrist", "shoulder"))):
        source = folder / f"columns-{name}"
        source.mkdir()
        for file, functions in (("joints", ARM), ("command", COMMANDED)):
            rows = "".join(f"{100 + i / 50:.2f}," + ",".join(f"{functions[joint](i / 50):.6f}" for joint in order) + "\n" for i in range(150))
            (source / f"{file}.csv").write_text(f"t,{','.join(order)}\n{rows}")
        sources.append(source)
    path = mapping(folder, "columns.toml")
    path.write_text(path.read_text().replace("/joint_states", "/joints"))
    status, said = _export(folder, "columns", sources, path)
    yield f"said: {said}", status, 0
    made = Set(folder / "columns")
    for episode in range(2):
        yield f"state of {episode}", _is_close(made.of(episode, "observation.state"), ARM.values()), True


def recorded(folder):
    """Recordings of robocachemcapsink, as robocache-record writes them, note the caps of their rows."""
    recordings = []
    for name, order in (("one", ("shoulder", "elbow", "wrist")), ("two", ("wrist", "elbow", "shoulder"))):
        rows = folder / f"rows-{name}.csv"
        rows.write_text(f"t,{','.join(order)}\n" + "".join(f"{i / 50:.2f},{','.join(f'{ARM[joint](i / 50):.6f}' for joint in order)}\n" for i in range(150)))
        parse = f"filesrc location={rows} ! robocacheparse time-origin=0 ! record."
        recordings.append(make.record(folder / f"recorded-{name}.mcap", [f"{parse}sink_0", f"{parse}sink_1"], ["/joint_states", "/command"]))
    status, said = _export(folder, "recorded", recordings, mapping(folder))
    yield f"said: {said}", status, 0
    made = Set(folder / "recorded")
    for episode in range(2):
        yield f"state of {episode}", _is_close(made.of(episode, "observation.state"), ARM.values()), True


OTHER = {"j1": math.sin, "j2": math.cos, "j3": math.sin}
FOUR = ARM | {"tool": lambda t: 7 + t}
TWO = {name: ARM[name] for name in ("wrist", "shoulder")}
ALL, CALLED = '"joints"', "/joint_states (joints) has "
# {name: (joints of the second recording, features.observation.state, parts of the error)}
REFUSED = {
    "other joints": (OTHER, ALL, ["other-other joints.mcap episode 0", CALLED + "j1.position,j2.position,j3.position, and "
                                  "shoulder.position,elbow.position,wrist.position in refused.mcap: no name is in both lists"]),
    "missing": (TWO, ALL, [CALLED + "wrist.position,shoulder.position, and shoulder.position,elbow.position,wrist.position in refused.mcap: "
                           "elbow.position is missing; --fill nan writes NaN"]),
    "extra": (FOUR, ALL, [": tool.position is extra; --fill nan writes NaN", '"joints:shoulder.position,elbow.position,wrist.position" leave channels out']),
    "missing and extra": ({name: FOUR[name] for name in ("shoulder", "wrist", "tool")}, ALL, [": elbow.position is missing and tool.position is extra; --fill nan"]),
    "missing by name": (TWO, '"joints:elbow.position"', [": elbow.position is missing; --fill nan"]),
    "extra of a glob": (FOUR, '"joints:*.position"', [": tool.position is extra; --fill nan"]),
}


def refused(folder, name, arm, state, parts):
    recordings = [bag(folder, "refused"), folder / f"other-{name}.mcap"]
    robots.write(recordings[1], {"/joint_states": (50, robots.joints(arm)), "/command": (25, robots.joints(COMMANDED))})
    status, said = _export(folder, f"refused-{name}", recordings, mapping(folder, state=state))
    yield f"said: {said}", (status, [part for part in parts if part not in said], (folder / f"refused-{name}").exists()), (1, [], False)


def not_chosen(folder):
    """Channels that no feature takes may differ."""
    recordings = [bag(folder, "chosen-one"), bag(folder, "chosen-two", FOUR, FOUR, command=COMMANDED | {"tool": math.sin})]
    status, said = _export(folder, "chosen", recordings, mapping(folder, state='"joints:wrist.position"', action='"command:wrist.position"'))
    yield f"said: {said}", status, 0
    made = Set(folder / "chosen")
    yield "values", [_is_close(made.of(episode, "observation.state"), [ARM["wrist"]]) for episode in range(2)], [True, True]


def filled(folder):
    """--fill nan takes missing and extra channels by name: NaN where a recording lacks one, and no tick is dropped for that."""
    none = lambda t: math.nan
    recordings = [bag(folder, "filled-one"), bag(folder, "filled-two", ("tool", "wrist", "shoulder"), {name: FOUR[name] for name in ("shoulder", "wrist", "tool")})]
    status, said = _export(folder, "filled", recordings, mapping(folder), "--fill", "nan")
    yield f"said: {said}", (status, "hole" in said), (0, False)
    made = Set(folder / "filled")
    yield "names", made.info["features"]["observation.state"]["names"], [f"{name}.position" for name in FOUR]
    yield "lengths", [row["length"] for row in made.episodes], [len(TICKS)] * 2
    yield "first", _is_close(made.of(0, "observation.state"), [*ARM.values(), none]), True
    yield "second", _is_close(made.of(1, "observation.state"), [ARM["shoulder"], none, ARM["wrist"], FOUR["tool"]]), True
    yield "statistics", (made.stats["observation.state"]["max"][1], made.stats["observation.state"]["min"][3]), (2.0, 7.0)
    status, said = _export(folder, "filled-none", [recordings[0], bag(folder, "filled-other", OTHER, OTHER)], mapping(folder), "--fill", "nan")
    yield f"nothing in common: {said}", (status, "no name is in both lists" in said), (1, True)
    must_export(recordings[0], "--mapping", mapping(folder, top='fill = "nan"'), "--output", folder / "filled-alone", "--episodes", _marks(folder))
    yield "as the mapping says", Set(folder / "filled-alone").info["features"]["observation.state"]["names"], [f"{name}.position" for name in ARM]


def two_publishers(folder):
    """Two nodes send other joints on one topic. Which comes first, and in which order its joints are, is chance."""
    arm, tool = {"shoulder": ARM["shoulder"], "elbow": ARM["elbow"]}, {"finger": math.sin, "thumb": math.cos}
    recordings = []
    for number, orders in enumerate(((("shoulder", "elbow"), ("finger", "thumb")), (("thumb", "finger"), ("elbow", "shoulder")))):
        kinds = [robots.joints(arm if "elbow" in order else tool, order=list(order))[1] for order in orders]
        both = "sensor_msgs/msg/JointState", lambda time, t, kinds=kinds: kinds[round(t * 100) % 2](time, t)
        recordings.append(robots.write(folder / f"publishers-{number}.mcap", {"/joint_states": (100, both), "/command": (25, robots.joints(COMMANDED))}))
    text = must_export(recordings[0], "--suggest")
    path = folder / "publishers.toml"
    path.write_text(text.replace("fps = 25", f"fps = {FPS}"))
    # the second of them begins 10 ms later
    status, said = export(*recordings, "--mapping", path, "--output", folder / "publishers", "--episodes", make.spans(folder, [",+0.1,+2.1,,,"], "publishers.csv"))
    yield f"said: {said} of {text}", status, 0
    made = Set(folder / "publishers")
    names = [name.rpartition("joint_states_")[2] for name in made.info["features"]["observation.state"]["names"]]
    yield "names", names, ["shoulder_elbow.shoulder.position", "shoulder_elbow.elbow.position", "finger_thumb.finger.position", "finger_thumb.thumb.position"]
    for episode in range(2):
        yield f"state of {episode}", np.allclose(made.of(episode, "observation.state"), [[f(t + 0.1) for f in (*arm.values(), *tool.values())] for t in TICKS], atol=1e-3), True


def without_names(folder):
    """Arrays have no names: their channels are those of other arrays as long, and of nothing else."""
    array = lambda count: robots.array([lambda t, i=i: i + t for i in range(count)])
    recordings = [robots.write(folder / f"array-{name}.mcap", {"/joint_states": (50, robots.joints(ARM)), "/command": (25, kind)})
                  for name, kind in (("three", array(3)), ("again", array(3)), ("four", array(4)), ("named", robots.joints(COMMANDED)))]
    status, said = _export(folder, "arrays", recordings[:2], mapping(folder))
    yield f"said: {said}", status, 0
    yield "names", Set(folder / "arrays").info["features"]["action"]["names"], ["0", "1", "2"]
    for second, text in ((recordings[2], "/command (command) has 0,1,2,3, and 0,1,2 in array-three.mcap: channels without their own names are not joined"),
                         (recordings[3], "has shoulder.position,elbow.position,wrist.position, and 0,1,2 in array-three.mcap")):
        for more in ([], ["--fill", "nan"]):
            status, said = _export(folder, "arrays-none", [recordings[0], second], mapping(folder), *more)
            yield f"said: {said}", (status, text in said), (1, True)


def by_place(folder):
    """Settings that name channels by places hold for one order; angles are adapted."""
    recordings = [bag(folder, "place-one"), bag(folder, "place-two", ("wrist", "elbow", "shoulder"))]
    for setting, is_taken in (('kinds = "real*2,hold"', False), ("velocities = 2", False), ('kinds = "ignore"', True), ('kinds = "real*3"', True), ("angles = 1", True)):
        out = f"place {setting}"
        status, said = _export(folder, out, recordings, mapping(folder, joints=f", {setting}"))
        yield f"{setting}: {said}", (status, f"streams.joints has {setting.split()[0]} by the places of channels" in said), (int(not is_taken), not is_taken)
    # from 3 rad to −3 rad across π, in the second recording at another place
    turning = {"turn": lambda t: math.remainder(3 + 8 * t, 2 * math.pi), "line": lambda t: t}
    recordings = [robots.write(folder / f"turn-{order[0]}.mcap", {"/joint_states": (10, robots.joints(turning, order=list(order))), "/command": (25, robots.joints(COMMANDED))})
                  for order in (("turn", "line"), ("line", "turn"))]
    status, said = _export(folder, "turn", recordings, mapping(folder, joints=", angles = 0"))
    made = Set(folder / "turn")
    yield f"angles: {said}", (status, *(_is_close(made.of(episode, "observation.state"), turning.values()) for episode in range(2))), (0, True, True)


def _changing(folder, name, orders, seconds=3):
    """A recording whose joints have each order for some seconds, as where a driver is started again; commands have one."""
    parts = []
    for k, order in enumerate(orders):
        rows, first = folder / f"{name}-{k}.csv", 50 * seconds * k
        rows.write_text(f"t,{','.join(order)}\n" + "".join(f"{i / 50:.2f},{','.join(f'{ARM[joint](i / 50):.6f}' for joint in order)}\n"
                                                           for i in range(first, first + 50 * seconds)))
        parts.append(f"filesrc location={rows} ! robocacheparse time-origin=0 ! together.")
    return make.record(folder / f"{name}.mcap", ["concat name=together adjust-base=false ! record.sink_0", *parts, make.rows("sink_1", 25, seconds * len(orders), 3)],
                       ["/joint_states", "/command"])


def changing_within(folder):
    """The joints of a recording that change their order are reordered between episodes; in an episode they are refused with both lists."""
    path = _changing(folder, "within", (("shoulder", "elbow"), ("elbow", "shoulder"), ("shoulder", "elbow")))
    spans = {"apart": [",+1,+2.9,,,", ",+3.2,+5,,,", ",+6.5,+8,,,"], "across": [",+2,+4,,,"]}
    status, said = export(path, "--mapping", mapping(folder), "--output", folder / "within", "--episodes", make.spans(folder, spans["apart"], "within.csv"))
    yield f"apart: {said}", (status, "hole" in said), (0, False)
    made = Set(folder / "within")
    for episode, (begin, end) in enumerate(((1, 2.9), (3.2, 5), (6.5, 8))):
        expected = [[ARM[joint](begin + k / FPS) for joint in ("shoulder", "elbow")] for k in range(round((end - begin) * FPS))]
        yield f"episode {episode}", np.allclose(made.of(episode, "observation.state"), expected, atol=1e-5), True
    status, said = export(path, "--mapping", mapping(folder), "--output", folder / "across", "--episodes", make.spans(folder, spans["across"], "across.csv"))
    yield f"across: {said}", (status, "episode 0 (+2.000 s to +4.000 s): the channels of /joint_states (joints) change in the episode: elbow,shoulder | shoulder,elbow" in said), \
        (1, True)


def changing_unnoted(folder):
    """Rows of other writers note no caps: a change is found when it is read, also where the episode lies behind it."""
    source = _changing(folder, "noted", (("shoulder", "elbow"), ("elbow", "shoulder")))
    path = robots.without_metadata(source, folder / "unnoted.mcap")
    for name, span, expected in (("before", ",+1,+2.5,,,", 0), ("across", ",+2,+4,,,", 1), ("behind", ",+4.5,+5.5,,,", 1)):
        status, said = export(path, "--mapping", mapping(folder), "--output", folder / f"unnoted {name}", "--episodes", make.spans(folder, [span], "unnoted.csv"))
        yield f"{name}: {said}", (status, "the channels of /joint_states (joints) change: shoulder,elbow | elbow,shoulder" in said), (expected, bool(expected))


# ---- what is said of rates, and of episodes ----

def slow_rows(folder):
    """fps above what joints or commands have is said with both rates, once a set, and not of cameras and switches."""
    recordings = [robots.write(folder / f"slow-{rate}.mcap", {"/joint_states": (rate, robots.joints(ARM)), "/command": (25, robots.joints(COMMANDED))})
                  for rate in (50, 10)]
    said = must_export(*recordings, "--mapping", mapping(folder, fps=30), "--output", folder / "slow-rows", "--episodes", _marks(folder))
    yield f"joints: {said}", said.count("warning: /joint_states (joints) has 10.00 rows per second, and the set 30: in 1 of 2 episodes; ticks between rows are interpolated"), 1
    yield "commands", said.count("warning: /command (command) has 25.00 rows per second, and the set 30: in 2 of 2 episodes; "), 1
    said = must_export(recordings[0], "--mapping", mapping(folder, fps=25), "--output", folder / "slow-none", "--episodes", _marks(folder))
    yield f"none: {said}", "rows per second" in said, False


def order_given(folder):
    """Recordings are exported in the order in which they are given, each once, and those of a folder by their names."""
    for name in ("c", "a", "b"):
        bag(folder / "given", name)
    for given, expected in ((["c.mcap", "a.mcap", "c.mcap"], ["c.mcap", "a.mcap"]), (["b.mcap", "."], ["b.mcap", "a.mcap", "c.mcap"])):
        out = folder / f"given-{len(given)}"
        must_export(*(folder / "given" / name for name in given), "--mapping", mapping(folder), "--output", out, "--episodes", _marks(folder))
        yield f"{given}", [row["recording"] for row in Set(out).episodes], expected


# {name: (spans, the one that is refused and the one that it overlaps; None: none is)}
SPANS = {
    "one after the other": ([",+0,+1,,,", ",+1,+2,,,"], None),
    "overlapping": ([",+0,+1,,,", ",+0.5,+2,,,"], (1, 0)),
    "within another": ([",+0,+2.5,,,", ",+1,+1.5,,,", ",+2,+2.8,,,"], (2, 0)),
    "twice": ([",+0,+1,,,", ",+0,+1,,,"], (1, 0)),
    "discarded": ([",+0,+1,,,", ",+0.5,+2,,,yes"], None),
}


def overlapping(folder, name, rows, expected):
    path = bag(folder, f"spans-{name}")
    status, said = export(path, "--mapping", mapping(folder), "--output", folder / "overlapping", "--check", "--episodes", make.spans(folder, rows, "overlap.csv"))
    if expected is None:
        yield f"said: {said}", (status, "overlaps" in said), (0, False)
        return
    one, other = expected
    yield f"said: {said}", (status, f"{path.name} episode {one} (+" in said, f"it overlaps {path.name} episode {other} (+" in said), (1, True, True)


# ---- names as LeRobot writes them ----

GRIPPER = {"gripper": lambda t: t}
# {name: (robot-type, streams, features.observation.state, names of the set)}; a stream is (topic, robot, type and message)
LEROBOT = {
    "SO-101": ("so101", {"joints": ("/joint_states", "", robots.joints(ARM | GRIPPER))}, '"joints"',
               ["shoulder.pos", "elbow.pos", "wrist.pos", "gripper.pos"]),
    "an arm and a gripper": ("", {"joints": ("/joint_states", "", robots.joints(ARM)), "gripper": ("/gripper/state", "", robots.number(math.sin))},
                             '["joints", "gripper"]', ["shoulder.pos", "elbow.pos", "wrist.pos", "gripper.pos"]),
    "two arms": ("", {name: (f"/{name}/joint_states", name, robots.joints(ARM)) for name in ("left", "right")}, '["left", "right"]',
                 [f"{side}_{joint}.pos" for side in ("left", "right") for joint in ARM]),
    "names with their side": ("", {name: (f"/{name}/joint_states", name, robots.joints({f"{name}_{joint}": own for joint, own in ARM.items()}))
                                   for name in ("left", "right")}, '["left", "right"]', [f"{side}_{joint}.pos" for side in ("left", "right") for joint in ARM]),
    "ALOHA": ("aloha", {"left": ("/puppet_left/joint_states", "left", robots.joints(ARM)), "left_gripper": ("/puppet_left/gripper", "left", robots.number(math.sin))},
              '["left", "left_gripper"]', ["left_shoulder", "left_elbow", "left_wrist", "left_gripper"]),
    "velocities and efforts": ("", {"joints": ("/joint_states", "", robots.joints(TWO, TWO, TWO))}, '"joints"',
                               [f"{joint}.{quantity}" for quantity in ("pos", "vel", "torque") for joint in TWO]),
    "an array": ("", {"left_command": ("/left/command", "left", robots.array([math.sin] * 2))}, '"left_command"', ["left_command_0", "left_command_1"]),
}


def lerobot(folder, name, robot_type, streams, state, expected):
    path = robots.write(folder / f"lerobot-{name}.mcap", {topic: (50, kind) for topic, _, kind in streams.values()})
    lines = "\n".join(f'{key} = {{topic = "{topic}", robot = "{robot}"}}' for key, (topic, robot, _) in streams.items())
    toml = folder / "lerobot.toml"
    toml.write_text(f'fps = {FPS}\naction = "next-state"\nrobot-type = "{robot_type}"\n[streams]\n{lines}\n[features]\n"observation.state" = {state}\n')
    must_export(path, "--mapping", toml, "--output", folder / f"lerobot-{name}-set", "--episodes", _marks(folder), "--names", "lerobot")
    made = Set(folder / f"lerobot-{name}-set")
    yield "names", [made.info["features"][feature]["names"] for feature in ("observation.state", "action")], [expected] * 2


def lerobot_twice(folder):
    """A name that two channels would have is refused."""
    path = robots.write(folder / "twice.mcap", {f"/{name}/joint_states": (50, robots.joints(ARM)) for name in ("left", "right")})
    toml = folder / "twice-names.toml"
    toml.write_text(f'fps = {FPS}\naction = "next-state"\nnames = "lerobot"\n[streams]\none = {{topic = "/left/joint_states"}}\nother = {{topic = "/right/joint_states"}}\n'
                    '[features]\n"observation.state" = ["one", "other"]\n')
    status, said = _export(folder, "twice-names", [path], toml)
    yield f"said: {said}", (status, "--names lerobot calls shoulder.pos more than one channel; set robot" in said), (1, True)


def cases(folder):
    folder = folder / "names"
    folder.mkdir()
    yield from ((f"names reordered: {name}", reordered, folder, name, *row) for name, row in CHOICES.items())
    yield from ((f"names refused: {name}", refused, folder, name, *row) for name, row in REFUSED.items())
    yield from ((f"names {case.__name__}", case, folder) for case in (reordered_columns, recorded, two_publishers, not_chosen, filled, without_names, by_place, changing_within, changing_unnoted,
                                                                 slow_rows, order_given, lerobot_twice))
    yield from ((f"episodes {name}", overlapping, folder, name, *row) for name, row in SPANS.items())
    yield from ((f"names of LeRobot: {name}", lerobot, folder, name, *row) for name, row in LEROBOT.items())

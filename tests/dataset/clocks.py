# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: recordings whose topics were stamped by other clocks than the recorder's. Two joints see one ramp, whose value is the true time, so that
the difference of their aligned values is the error of one clock against the other."""
import json
import os
import random
import re
import struct
import subprocess
from pathlib import Path

import ros1_bags
from gi.repository import Gst
from lerobot_sets import Set
from mcap_ros2.writer import Writer as RosWriter
from run import export, must_export

UTC, SECONDS, RATE, FPS = 1_700_000_000 * 10**9, 20, 50, 20
JOINT_STATE = """std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec"""
# of ROS 1, where headers have a number
JOINT_STATE_1 = JOINT_STATE.replace("builtin_interfaces/Time stamp", "uint32 seq\ntime stamp").partition("\n" + "=" * 80 + "\nMSG: builtin_interfaces")[0]
MAPPING = """fps = 20
action = "next-state"
[streams]
a = {topic = "/a"}
b = {topic = "/b"%s}
[features]
"observation.state" = ["a", "b"]
"""


def _at(offset_s, drift=0.0, origin=UTC):
    """A clock: stamps of true times in ns from the beginning."""
    return lambda time: origin + int(offset_s * 1e9) + time + round(time * drift)


RECORDER, NO_CLOCK = _at(0), lambda time: None
# {robot: (clock of /a, clock of /b, number of clocks)}
ROBOTS = {
    "simulated time": (_at(1438, origin=0), _at(1438, origin=0), 1),
    "stamps from 0": (_at(0, origin=0), _at(0, origin=0), 1),
    "simulated time beside a topic without stamps": (_at(1438, origin=0), NO_CLOCK, 2),
    "boot time": (RECORDER, _at(523.7, origin=0), 2),
    "another host that drifts": (RECORDER, _at(37.4, 180e-6), 2),
    "two clocks, none the recorder's": (_at(1438, origin=0), _at(-86400 * 90), 2),
    "months behind": (RECORDER, _at(-86400 * 90), 2),
    "0.5 s behind": (RECORDER, _at(-0.5), 2),
    "4 s ahead": (RECORDER, _at(4), 2),
    "300 s behind": (RECORDER, _at(-300), 2),
    "all 0.5 s ahead": (_at(0.5), _at(0.5), 1),
    "all 4 s ahead": (_at(4), _at(4), 1),
    "all 300 s behind": (_at(-300), _at(-300), 1),
}


def _messages(clocks, seed, spans=((0, SECONDS),)):
    """[(log time, topic, stamp, value)] in the order of log times. A message arrives 2 to 5 ms after its capture, and of /b 3 to 6 ms. Several
    spans of true time restart clocks at their beginnings."""
    chance, found = random.Random(seed), []
    for number, clock in enumerate(clocks):
        for begin, end in spans:
            for row in range(int((end - begin) * RATE)):
                time = row * 10**9 // RATE
                true = time + int(begin * 1e9)
                delay = (2 + number) * 10**6 + chance.randrange(3 * 10**6)
                stamp = clock(time if len(spans) > 1 else true)
                found.append((UTC + true + delay, "/ab"[0] + "ab"[number], stamp, true / 1e9))
    return sorted(found, key=lambda one: one[0])


def _write_ros1(path, messages):
    def text(word):
        return struct.pack("<I", len(word)) + word.encode()

    def message(stamp, value):
        if stamp is None:
            return struct.pack("<d", value)
        header = struct.pack("<III", 7, stamp // 10**9, stamp % 10**9) + text("")
        return header + struct.pack("<I", 1) + text("j") + struct.pack("<Id", 1, value) + struct.pack("<II", 0, 0)

    kinds = {topic: ("std_msgs/Float64", "float64 data\n") if stamp is None else ("sensor_msgs/JointState", JOINT_STATE_1) for _, topic, stamp, _ in messages}
    ros1_bags.write(path, kinds, [(log_time, topic, message(stamp, value)) for log_time, topic, stamp, value in messages])


def write(path, messages):
    """As the ending of the path says: a bag of ROS 1, or MCAP."""
    if path.suffix == ".bag":
        _write_ros1(path, messages)
        return
    with open(path, "wb") as output:
        ros = RosWriter(output)
        schema = ros.register_msgdef("sensor_msgs/msg/JointState", JOINT_STATE)
        bare = ros.register_msgdef("std_msgs/msg/Float64", "float64 data")
        text = ros.register_msgdef("std_msgs/msg/String", "string data")
        for number, (log_time, topic, stamp, value) in enumerate(messages):
            if stamp is None:
                ros.write_message(topic, text if isinstance(value, str) else bare, {"data": value}, log_time=log_time, publish_time=log_time, sequence=number)
                continue
            header = {"stamp": {"sec": stamp // 10**9, "nanosec": stamp % 10**9}, "frame_id": ""}
            ros.write_message(topic, schema, {"header": header, "name": ["j"], "position": [value], "velocity": [], "effort": []},
                              log_time=log_time, publish_time=log_time, sequence=number)
        ros.finish()


def _align(path, *options):
    """(exit status, rows of floats, all that was printed)."""
    program = Path(os.environ["ROBOCACHE_BUILD_DIR"], "examples", "tools", "robocache-align")
    run = subprocess.run([program, "--report=", "--no-status", "--rate", str(FPS), "-o", "-", *options, path], capture_output=True, text=True,
                         timeout=100, check=False)
    return run.returncode, [list(map(float, line.split(","))) for line in run.stdout.splitlines()[2:]], run.stderr


def _uncertainty(said):
    """Seconds; a millionth where nothing is shifted, for rounding to float32."""
    return max([float(found) / 1e3 for found in re.findall(r"uncertainty ([0-9.]+) ms", said)], default=0.0) + 2e-6


def _offset(rows):
    """Greatest difference of the two joints, where both have a value."""
    return max(abs(a - b) for a, b in rows if a == a and b == b)


def _made(folder, name, more="", ending="mcap"):
    """(recording, mapping) of a robot."""
    path, mapping = folder / f"clocks {name}.{ending}", folder / "clocks.toml"
    write(path, _messages(ROBOTS[name][:2], len(name)))
    mapping.write_text(MAPPING % more)
    return path, mapping


def _robot(folder, name, ending):
    def case(_):
        *clocks, count = ROBOTS[name]
        path, mapping = _made(folder, name, ending=ending)
        # of messages without stamps the times are those of arrival
        delay = 0.006 if NO_CLOCK in clocks else 0.0
        status, rows, said = _align(path)
        yield "aligned", status, 0
        whole = [row[1:] for row in rows if row[1] == row[1] and row[2] == row[2]]
        yield "aligned whole", len(whole) >= SECONDS * FPS - 2, True
        yield "aligned within the uncertainty", _offset(whole) <= _uncertainty(said) + delay, True
        yield "clocks that are said", len(re.findall(r"clock \d of \d", said)), count
        output = folder / f"clocks {name} {ending}"
        status, said = export(path, "--mapping", mapping, "--output", output, "--check")
        yield f"can be exported: {said}", (status, said.splitlines()[-1], output.exists()), (0, "1 episodes can be exported", False)
        said = must_export(path, "--mapping", mapping, "--output", output)
        made = Set(output)
        state = made.column("observation.state")
        yield "exported whole", len(state) >= SECONDS * FPS - 3, True
        yield "exported within the uncertainty", _offset(state.tolist()) <= _uncertainty(said) + delay, True
        manifest = json.loads((output / "meta" / "manifest.json").read_text())
        yield "clocks of the set", len(manifest["episodes"][0]["clocks"]["clocks"]), count
    return case


def marks(folder, name):
    """Episodes are cut on the timeline, also by marks that are messages without a stamp."""
    path, mapping, spans = folder / f"clocks marks {name}.mcap", folder / "clocks.toml", folder / "clocks.csv"
    words = [(UTC + ms * 10**6, "/episode", None, word) for ms, word in ((5000, "start fold"), (9980, "success"))]
    write(path, sorted([*_messages(ROBOTS[name][:2], 7), *words], key=lambda one: one[0]))
    mapping.write_text(MAPPING % "")
    spans.write_text("recording,start,end,task,success,discard\n,+5,+9.98,fold,true,\n")
    for what, episodes in (("topic", "topic:/episode"), ("spans", spans)):
        output = folder / f"clocks marks {name} {what}"
        must_export(path, "--mapping", mapping, "--output", output, "--episodes", episodes)
        state = Set(output).column("observation.state")
        yield what, (len(state), bool(abs(state[0] - 5).max() < 0.01), bool(abs(state[-1] - 9.9).max() < 0.01)), (5 * FPS - 1, True, True)


def stamps_as_they_are(folder):
    """Two clocks of one bag are two clocks of two files: an error, whose advice the programs have options for."""
    path, mapping = _made(folder, "boot time")
    status, _, said = _align(path, "--time-source", "stamp")
    yield "align", (status, "do not overlap" in said, "--time-source auto" in said, "--allow-gaps" in said), (1, True, True, True)
    status, said = export(path, "--mapping", mapping, "--output", folder / "no", "--time-source", "stamp", "--check")
    yield "export", (status, "--time-source auto" in said), (1, True)
    status, rows, _ = _align(path, "--time-source", "log")
    yield "log times", (status, _offset([row[1:] for row in rows]) <= 0.005), (0, True)
    must_export(path, "--mapping", mapping, "--output", folder / "clocks-log", "--time-source", "log")
    yield "log times of a set", len(Set(folder / "clocks-log").column("observation.state")) >= SECONDS * FPS - 3, True


def delays(folder):
    """Less than half a second is a delay: it stays, and the programs say so."""
    path = folder / "clocks delay.mcap"
    write(path, _messages((RECORDER, _at(-0.3)), 1))
    status, rows, said = _align(path)
    yield "aligned", (status, 0.299 < _offset([row[1:] for row in rows]) < 0.301), (0, True)
    yield "said", re.search(r"at least 2\.\d+ ms \(/a\) to 303\.\d+ ms \(/b\) after their stamps: differences below 0.5 s are delays", said) is not None, True


def step_back(folder):
    """A simulation that begins anew: a break, which ends an episode, and rows of both sides are not sorted together."""
    path, mapping = folder / "clocks break.mcap", folder / "clocks.toml"
    mapping.write_text(MAPPING % "")
    write(path, _messages((_at(0, origin=0), _at(0, origin=0)), 2, ((0, 12), (15, 20))))
    status, rows, said = _align(path)
    values = [row[1] for row in rows if row[1] == row[1]]
    yield "aligned", (status, values == sorted(values), values[-1] > 19.9), (0, True, True)
    yield "said", len(re.findall(r"stamps step back by 11\.\d+ s at log time 17000000\d+\.\d+ s: a break", said)), 2
    must_export(path, "--mapping", mapping, "--output", folder / "clocks-break")
    yield "episodes", [row["length"] for row in Set(folder / "clocks-break").episodes], [12 * FPS - 1, 5 * FPS - 1]


# {name: clock from 12.1 s on, of one that has 1438 s at the beginning}
STEPS = {"back": lambda time: 1438 * 10**9 + time - 12 * 10**9, "forward": lambda time: 1442 * 10**9 + time, "forward to UTC": lambda time: UTC + time}


def step_without_a_gap(folder, name):
    """No tick is between a row before the step and one after it, also where the gap is short."""
    path, mapping, step = folder / f"clocks step {name}.mcap", folder / "clocks.toml", round(12.1e9)
    mapping.write_text(MAPPING % "")
    clock = lambda time: STEPS[name](time) if time >= step else 1438 * 10**9 + time
    write(path, [one for one in _messages((clock, clock), 4) if not 12 <= one[3] < 12.1])
    status, _, said = _align(path)
    yield f"said: {said}", (status, len(re.findall(rf"stamps step {name.split()[0]} by \d+\.\d+ s at log time 1700000012\.1", said))), (0, 2)
    must_export(path, "--mapping", mapping, "--output", folder / f"clocks-step {name}")
    made = Set(folder / f"clocks-step {name}")
    sides = [made.of(episode, "observation.state") for episode in range(len(made.episodes))]
    yield "sides", [(side.min() > 12 - 0.0001, side.max() < 12) for side in sides], [(False, True), (True, False)]
    # of 12 s and of 7.9 s less a row, and the last tick has no next state
    yield "whole", [len(side) for side in sides], [240 - 1, 158 - 1]
    yield "within 7 ms", all(_offset(side.tolist()) < 0.007 for side in sides), True


def one_ahead(folder):
    """One stamp that is 30 s ahead moves no other row. It is in the last second, which is always read."""
    path, mapping = folder / "clocks ahead.mcap", folder / "clocks.toml"
    mapping.write_text(MAPPING % "")
    messages = _messages((RECORDER, _at(523.7, origin=0)), 5)
    ahead = [(log_time, topic, stamp + (30 * 10**9 if number == 1970 else 0), value) for number, (log_time, topic, stamp, value) in enumerate(messages)]
    write(path, ahead)
    status, rows, said = _align(path)
    yield "aligned", (status, re.search(r"/[ab]: 1 of 1000 stamps are ahead of the others, by up to \d+\.\d+ s", said) is not None), (0, True)
    errors = sorted(abs(a - b) for _, a, b in rows if a == a and b == b)
    yield "the others", errors[len(errors) * 95 // 100] <= _uncertainty(said), True


def latched(folder):
    """A latched message whose stamp is older than the recording takes no other topic along."""
    path = folder / "clocks latched.mcap"
    write(path, sorted([*_messages((_at(1438, origin=0), NO_CLOCK), 6), (UTC + 10**7, "/map", UTC - 100 * 10**9, 0.0)], key=lambda one: one[0]))
    status, rows, said = _align(path, "--allow-gaps")
    yield f"said: {said}", (status, "/map (too few stamps for a clock)" in said, _offset([row[1:3] for row in rows]) <= 0.007), (0, True, True)


def zero_is_a_stamp(folder):
    """The element alone takes stamps of 0 at the start of simulated time for times."""
    path, _ = _made(folder, "stamps from 0")
    pipeline = Gst.parse_launch(f'filesrc location="{path}" ! robocachemcapdemux topics=/a start=keep ! appsink name=sink sync=false')
    pipeline.set_state(Gst.State.PLAYING)
    sink = pipeline.get_by_name("sink")
    found = [sink.emit("pull-sample").get_buffer().pts for _ in range(3)]
    pipeline.set_state(Gst.State.NULL)
    yield "times", found, [0, 10**9 // RATE, 2 * 10**9 // RATE]


def offset_onto_utc(folder):
    """Boot time that an offset of the mapping puts onto UTC."""
    path, mapping = _made(folder, "boot time", f', offset = "{UTC // 10**9 - 524}.3s"')
    arguments = (path, "--mapping", mapping, "--time-source", "stamp")
    status, said = export(*arguments, "--output", folder / "no", "--check")
    yield "check", (status, said.splitlines()[-1]), (0, "1 episodes can be exported")
    must_export(*arguments, "--output", folder / "clocks-offset")
    yield "set", _offset(Set(folder / "clocks-offset").column("observation.state").tolist()) < 1e-5, True


def cases(folder):
    yield from ((f"clocks {name}, {ending}", _robot(folder, name, ending), folder) for name in ROBOTS for ending in ("mcap", "bag"))
    yield from ((f"clocks {case.__name__}", case, folder) for case in (stamps_as_they_are, delays, step_back, one_ahead, latched, zero_is_a_stamp, offset_onto_utc))
    yield from ((f"clocks marks, {name}", marks, folder, name) for name in ("simulated time", "boot time", "all 4 s ahead", "another host that drifts"))
    yield from ((f"clocks step {name}", step_without_a_gap, folder, name) for name in STEPS)

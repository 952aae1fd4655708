# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: .db3 files of bags make the set of the MCAP file that has their messages."""
import math
import sqlite3
import struct
from contextlib import closing

import make
import numpy as np
from lerobot_sets import SECOND, Set
from mcap.reader import NonSeekingReader
from run import export, must_export

TABLES = ("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT, offered_qos_profiles TEXT)",
          "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB)")
STRING = "std_msgs/msg/String"
# at these times, and beside a topic without messages
TEXTS = [(SECOND // 2, "start pick up"), (SECOND * 3 // 2, "success")]


def _string(text, order):
    """A std_msgs/String in CDR."""
    data = text.encode() + b"\0"
    return struct.pack(f"{order}BBHI", 0, order == "<", 0, len(data)) + data


def _write(path, source, texts, order="<"):
    with closing(sqlite3.connect(path)) as database, open(source, "rb") as stream:
        for table in TABLES:
            database.execute(table)
        topics = {}
        for schema, channel, message in NonSeekingReader(stream).iter_messages(log_time_order=False):
            if channel.topic == "/robocache/events":
                continue
            if channel.topic not in topics:
                topics[channel.topic] = len(topics) + 1
                database.execute("INSERT INTO topics VALUES (?, ?, ?, 'cdr', '')", (topics[channel.topic], channel.topic, schema.name))
            database.execute("INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)",
                             (topics[channel.topic], message.log_time, message.data))
        database.execute("INSERT INTO topics VALUES (100, '/episode', ?, 'cdr', '')", (STRING,))
        database.execute("INSERT INTO topics VALUES (101, '/silent', ?, 'cdr', '')", (STRING,))
        database.executemany("INSERT INTO messages (topic_id, timestamp, data) VALUES (100, ?, ?)",
                             [(time, _string(text, order)) for time, text in texts])
        database.commit()


def same_as_mcap(folder):
    """Marks from a topic, in both orders of bytes. Channels of the robot's joints are called as in JointState."""
    streams = {"observation.state": '["joints:0-4", "joints:6"]'}
    for name, order in (("little", "<"), ("big", ">")):
        bag = folder / f"bag-{name}"
        bag.mkdir()
        _write(bag / "bag_0.db3", folder / "a.mcap", TEXTS, order)
        out = folder / f"bag-{name}-set"
        must_export(bag, "--mapping", make.mapping(folder, "bag.toml", features=streams), "--output", out, "--episodes", "topic:/episode")
        made, mcap = Set(out), Set(folder / "set")
        yield f"{name} episodes", [(row["tasks"], row["length"], row["success"]) for row in made.episodes], [(["pick up"], 30, True)]
        # messages have float64, and the MCAP file notes that its rows were float32
        yield f"{name} state", np.allclose(made.column("observation.state"), mcap.of(0, "observation.state"), rtol=1e-6, atol=1e-6), True
        for column in ("action", "capture_time.joints", "age.command", "status.front", "capture_time.wrist"):
            yield f"{name} {column}", made.column(column).tolist(), mcap.of(0, column).tolist()
        counters = [[make.counter_of(pixels) for _, pixels in one.frames(0, "observation.images.front")] for one in (made, mcap)]
        yield f"{name} pictures", *counters


def _write_numbers(path, topics):
    """{topic: (type, form of its value, [(seconds, value)])}, in CDR."""
    with closing(sqlite3.connect(path)) as database:
        for table in TABLES:
            database.execute(table)
        for number, (topic, (type_name, form, values)) in enumerate(topics.items(), 1):
            database.execute("INSERT INTO topics VALUES (?, ?, ?, 'cdr', '')", (number, topic, type_name))
            database.executemany("INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)",
                                 [(number, round(seconds * SECOND), struct.pack(f"<4B{form}", 0, 1, 0, 0, value)) for seconds, value in values])
        database.commit()


def bool_of_long_before(folder):
    """The last message of a Bool is in force, 10 s later and more."""
    bag, rows = folder / "bag-switch", ("std_msgs/msg/Float64", "d", [(i / 20, i) for i in range(300)])
    bag.mkdir()
    _write_numbers(bag / "bag_0.db3", {"/joints": rows, "/command": rows, "/closed": ("std_msgs/msg/Bool", "?", [(0.2, False), (1, True)])})
    path = folder / "switch.toml"
    path.write_text('fps = 20\n[streams]\njoints = {topic = "/joints"}\nclosed = {topic = "/closed"}\ncommand = {topic = "/command"}\n'
                    '[features]\n"observation.state" = ["joints", "closed"]\n"action" = "command"\n')
    said = must_export(bag, "--mapping", path, "--output", folder / "switch-set", "--episodes", make.spans(folder, [",+11,+13,,,"], "switch.csv"))
    yield f"said: {said}", "hole" in said, False
    yield "values", Set(folder / "switch-set").column("observation.state").tolist(), [[220.0 + k, 1.0] for k in range(40)]


def one_topic_twice(folder, seconds):
    """What ticks fold is measured of each use of a topic, by what the mapping takes it for, also of less than 5 s in blocks of several lengths."""
    bag, number = folder / f"bag-twice-{seconds}", "std_msgs/msg/Float64"
    bag.mkdir()
    _write_numbers(bag / "bag_0.db3", {"/joints": (number, "d", [(i / 200, math.sin(1.3 * i)) for i in range(200 * seconds)]),
                                       "/command": (number, "d", [(i / 20, i) for i in range(20 * seconds)])})
    path = folder / "twice.toml"
    path.write_text('fps = 20\n[streams]\nheld = {topic = "/joints", kinds = "hold"}\nreal = {topic = "/joints"}\nagain = {topic = "/joints"}\n'
                    'command = {topic = "/command"}\n[features]\n"observation.state" = ["held", "real", "again"]\n"action" = "command"\n')
    said = must_export(bag, "--mapping", path, "--output", folder / f"twice-{seconds}", "--episodes", make.spans(folder, [",+0,+2,,,"], "twice.csv"))
    yield f"said: {said}", [name for name in ("held", "real", "again") if f"warning: streams.{name}, " in said], ["real", "again"]


def slow_from_the_middle(folder):
    """Rows at 4 Hz are interpolated from the first tick of an episode on, as in the whole recording, however short the others are held."""
    bag, number = folder / "bag-slow", "std_msgs/msg/Float64"
    bag.mkdir()
    _write_numbers(bag / "bag_0.db3", {"/joints": (number, "d", [(i / 4, i * 5) for i in range(160)]),
                                       "/command": (number, "d", [(i / 20, i) for i in range(800)])})
    path = folder / "slow.toml"
    path.write_text('fps = 20\n[streams]\njoints = {topic = "/joints"}\ncommand = {topic = "/command", hold-limit = "200ms"}\n'
                    '[features]\n"observation.state" = "joints"\n"action" = "command"\n')
    said = must_export(bag, "--mapping", path, "--output", folder / "slow-set", "--episodes", make.spans(folder, [",+20.1,+24,,,"], "slow.csv"))
    made = Set(folder / "slow-set")
    yield f"said: {said}", "hole" in said, False
    yield "values", made.column("observation.state").ravel().round(3).tolist(), [402.0 + k for k in range(78)]
    yield "status", set(made.column("status.joints").ravel().tolist()), {0}


def faults(folder):
    bag = folder / "bag-little" / "bag_0.db3"
    mapping = make.mapping(folder)
    for name, path, marks, expected in (
            ("no such topic", bag, "topic:/other", "no topic /other"), ("silent", bag, "topic:/silent", "no episodes"),
            ("no texts", bag, "topic:/joint_states", "/joint_states holds marks, and its messages must be std_msgs/String"),
            ("no database", folder / "broken.db3", "whole", "broken.db3: file is not a database")):
        (folder / "broken.db3").write_bytes(b"no database" * 100)
        status, said = export(path, "--mapping", mapping, "--output", folder / "no", "--episodes", marks)
        yield f"{name}: {said}", (status, expected in said), (1, True)


def cases(folder):
    yield from ((f"bags {case.__name__}", case, folder) for case in (same_as_mcap, bool_of_long_before, slow_from_the_middle, faults))
    yield from ((f"bags one_topic_twice, {seconds} s", one_topic_twice, folder, seconds) for seconds in (3, 7))

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: what an export takes from a recording's summary, beside the official reader, and recordings that are cut or damaged."""
import contextlib
import io
import random
import struct

import make
from lerobot_sets import Set

from mcap.data_stream import ReadDataStream
from mcap.records import Channel
from mcap_ros2.writer import Writer
from robocache.export.errors import ExportError
from robocache.export.recordings.mcapfile import McapFile
from robocache.export.recordings.mcapindex import FOOTER_RECORD, MAGIC, read_channel
from run import export, must_export


def _text(text):
    return struct.pack("<I", len(text.encode())) + text.encode()


def _channel(topic, metadata=()):
    texts = b"".join(map(_text, metadata))
    return struct.pack("<HH", 7, 1) + _text(topic) + _text("cdr") + struct.pack("<I", len(texts)) + texts


PLAIN = _channel("/joints")
NOTED = _channel("/größe", ["caps", "other/tensors", "dtype", ""])
WHOLE = {"plain": PLAIN, "no name": _channel(""), "with metadata": NOTED, "with a later field": NOTED + b"later"}
DAMAGED = {f"cut at byte {end}": NOTED[:end] for end in range(len(NOTED))} | {
    "a key without value": _channel("/joints", ["caps"]), "not UTF-8": PLAIN.replace(b"joints", b"joint\xff")}


def whole(content):
    official = Channel.read(ReadDataStream(io.BytesIO(content)))
    yield "channel", tuple(read_channel(content)), (official.id, official.topic, official.metadata)


def damaged(content):
    try:
        found = read_channel(content)
    except (ValueError, struct.error):
        found = None
    yield "channel", found, None


# ---- files ----

def _look(path):
    """What an export plans with: (error, {topic: times}), and what was said."""
    said, found, error = io.StringIO(), McapFile(path, path.name), None
    with contextlib.redirect_stderr(said):
        try:
            times = {topic: found.times(topic).tolist() for topic in found.topics()}
        except ExportError as caught:
            times, error = {}, str(caught)
    return error, times, said.getvalue()


def flips(folder):
    """A bit of each byte of the summary and of the index before it: read all the same, by the chunks, and said."""
    path = make.record(folder / "flips.mcap", [make.rows("sink_0", 100, 1, 3), make.rows("sink_1", 20, 1, 2)], ["/a", "/b"])
    whole, at = path.read_bytes(), random.Random(1)
    error, expected, said = _look(path)
    yield "whole", (error, sorted(expected), said), (None, ["/a", "/b", "/robocache/events"] if "/robocache/events" in expected else ["/a", "/b"], "")
    begin = FOOTER_RECORD.unpack_from(whole, len(whole) - len(MAGIC) - FOOTER_RECORD.size)[2]
    wrong, silent = [], []
    for place in range(begin, len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << at.randrange(8)
        path.write_bytes(flipped)
        error, found, said = _look(path)
        if error or found != expected:
            wrong.append(place)
        if not said.startswith("warning: flips.mcap: "):
            silent.append(place)
    yield "bits", len(whole) - begin > 500, True
    yield "wrong", wrong, []
    yield "silent", silent, []


def cut_at(folder, share, parts):
    """A cut recording: what it has is exported, and what it lacks is said."""
    whole = (folder / "a.mcap").read_bytes()
    path = folder / f"cut{int(100 * share)}.mcap"
    path.write_bytes(whole[:int(len(whole) * share)])
    spans = make.spans(folder, [f"{path.name},+0,+2.9,,,"], "cut-spans.csv")
    status, said = export(path, "--mapping", make.mapping(folder), "--output", path.with_suffix(".set"), "--episodes", spans)
    yield f"said: {said}", (status, [part for part in parts if part not in said]), (0, [])


def flipped_summary(folder):
    """The whole set, and a warning."""
    whole = bytearray((folder / "a.mcap").read_bytes())
    whole[-40] ^= 4
    path = folder / "flipped.mcap"
    path.write_bytes(whole)
    spans = make.spans(folder, [f"{name},+0,+1,,," for name in ("a.mcap", "flipped.mcap")], "flipped-spans.csv")
    arguments = ["--mapping", make.mapping(folder), "--episodes", spans, "--output"]
    expected, got = (export(name, *arguments, folder / f"{name.stem}.flips") for name in (folder / "a.mcap", path))
    yield f"said: {got[1]}", (got[0], "warning: flipped.mcap: the summary is damaged: " in got[1], "30 frames" in got[1]), (0, True, True)
    yield "as the whole one", "30 frames" in expected[1], True


JOINTS = "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n" + "=" * 80 + """
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
""" + "=" * 80 + "\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"


def streams_of_one_topic(folder):
    """The row of a gripper is 6 s old where an episode begins: reading begins there, however often the arm's rows come on its topic."""
    path, start = folder / "groups.mcap", 1_700_000_000
    with Writer(str(path)) as writer:
        schema = writer.register_msgdef("sensor_msgs/msg/JointState", JOINTS)
        messages = [("/joint_states", ["arm"], k, k / 50) for k in range(600)] + [("/joint_states", ["gripper"], 7, 2.0)]
        for topic, names, value, time in sorted(messages + [("/command", ["c"], k, k / 50) for k in range(600)], key=lambda one: one[3]):
            stamp = {"sec": start + int(time), "nanosec": round(time % 1 * 1e9)}
            writer.write_message(topic, schema, {"header": {"stamp": stamp, "frame_id": ""}, "name": names, "position": [float(value)], "velocity": [],
                                                 "effort": []}, round((start + time) * 1e9), round((start + time) * 1e9))
    mapping = folder / "groups.toml"
    mapping.write_text('fps = 20\n[streams]\narm = {topic = "/joint_states", stream = ""}\ngripper = {topic = "/joint_states", stream = "gripper", '
                       'kinds = "hold"}\ncommand = {topic = "/command"}\n[features]\n"observation.state" = ["arm", "gripper"]\n"action" = "command"\n')
    said = must_export(path, "--mapping", mapping, "--output", folder / "groups-set", "--episodes", make.spans(folder, [",+8,+10,,,"], "groups.csv"))
    yield f"said: {said}", "hole" in said, False
    yield "values", Set(folder / "groups-set").column("observation.state").round(3).tolist(), [[400 + 2.5 * k, 7.0] for k in range(40)]


# (share of the bytes, parts of what is said)
CUTS = [
    (0.5, ["warning: cut50.mcap: the file is cut: ", " of 87 frames", "ticks absent, as the recording has no rows there"]),
    (0.9999, ["warning: cut99.mcap: the file is cut: ", "87 frames"]),
]


def cases(folder):
    yield from ((f"channel {name}", whole, content) for name, content in WHOLE.items())
    yield from ((f"channel {name}", damaged, content) for name, content in DAMAGED.items())
    yield "summary flips", flips, folder
    yield from ((f"cut at {share}", cut_at, folder, share, parts) for share, parts in CUTS)
    yield "summary flipped", flipped_summary, folder
    yield "streams of one topic", streams_of_one_topic, folder

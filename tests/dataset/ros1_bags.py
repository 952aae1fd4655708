# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases: bags of ROS 1 make the set of the .db3 file that has their messages, in every compression."""
import bz2
import struct

import lz4.frame
import make
from db3_bags import _write_numbers
from lerobot_sets import SECOND, Set
from run import export, must_export

COMPRESSIONS = {"none": bytes, "bz2": bz2.compress, "lz4": lz4.frame.compress}
# topic: type, definition, form of its value
TOPICS = {"/joints": ("std_msgs/Float64", "float64 data\n", "<d"), "/command": ("std_msgs/Float64", "float64 data\n", "<d"),
          "/episode": ("std_msgs/String", "string data\n", None)}
VALUES = {"/joints": [(i / 20, i * 3.0) for i in range(100)], "/command": [(i / 20, float(i)) for i in range(100)],
          "/episode": [(1.0, "start pick"), (3.0, "success")]}


def _record(op, data=b"", **fields):
    header = b"".join(struct.pack("<I", len(name) + 1 + len(value)) + name.encode() + b"=" + value
                      for name, value in {"op": bytes([op]), **fields}.items())
    return struct.pack("<I", len(header)) + header + struct.pack("<I", len(data)) + data


def _word(number):
    return struct.pack("<I", number)


def _time(nanoseconds):
    return struct.pack("<II", nanoseconds // SECOND, nanoseconds % SECOND)


def _connection(number, topic, kind, definition):
    texts = {"topic": topic, "type": kind, "md5sum": "*", "message_definition": definition}
    data = b"".join(struct.pack("<I", len(name) + 1 + len(text)) + f"{name}={text}".encode() for name, text in texts.items())
    return _record(7, data, conn=_word(number), topic=topic.encode())


def write(path, topics, messages, compression="none", has_index=True, chunk_messages=70):
    """topics: {topic: (type, definition)}, messages: [(log time in ns, topic, bytes)] in order. Records of connections are in the first chunk and behind
    all."""
    body, infos, begin, numbers = b"", b"", 13 + 4096, {topic: number for number, topic in enumerate(topics)}
    connections = [_connection(numbers[topic], topic, *named) for topic, named in topics.items()]
    parts = [messages[i:i + chunk_messages] for i in range(0, len(messages), chunk_messages)]
    for part in parts:
        chunk, entries = b"".join(connections) if not body else b"", {}
        for time, topic, data in part:
            number = numbers[topic]
            entries.setdefault(number, []).append(_time(time) + _word(len(chunk)))
            chunk += _record(2, data, conn=_word(number), time=_time(time))
        place = begin + len(body)
        body += _record(5, COMPRESSIONS[compression](chunk), compression=compression.encode(), size=_word(len(chunk)))
        for number, items in entries.items():
            body += _record(4, b"".join(items), ver=_word(1), conn=_word(number), count=_word(len(items)))
        infos += _record(6, b"".join(_word(n) + _word(len(items)) for n, items in entries.items()), ver=_word(1), chunk_pos=struct.pack("<Q", place),
                         start_time=_time(part[0][0]), end_time=_time(part[-1][0]), count=_word(len(entries)))
    head = {"index_pos": struct.pack("<Q", begin + len(body) if has_index else 0), "conn_count": _word(len(topics)), "chunk_count": _word(len(parts))}
    padding = b" " * (4096 - len(_record(3, **head)))
    path.write_bytes(b"#ROSBAG V2.0\n" + _record(3, padding, **head) + body + (b"".join(connections) + infos if has_index else b""))
    return path


def _write(path, compression, has_index=True):
    def message(topic, value):
        form = TOPICS[topic][2]
        return struct.pack(form, value) if form else struct.pack("<I", len(value)) + value.encode()

    # those of one time in the order of topics
    messages = sorted(((round(seconds * SECOND), topic, message(topic, value)) for topic in TOPICS for seconds, value in VALUES[topic]), key=lambda one: one[0])
    return write(path, {topic: named[:2] for topic, named in TOPICS.items()}, messages, compression, has_index)


def _mapping(folder):
    path = folder / "ros1.toml"
    path.write_text('fps = 20\n[streams]\njoints = {topic = "/joints"}\ncommand = {topic = "/command"}\n'
                    '[features]\n"observation.state" = "joints"\n"action" = "command"\n')
    return path


def same_as_db3(folder):
    bag = folder / "bag-for-ros1"
    bag.mkdir()
    _write_numbers(bag / "bag_0.db3", {topic: ("std_msgs/msg/Float64", "d", VALUES[topic]) for topic in ("/joints", "/command")})
    spans = make.spans(folder, [",+1,+3,,,"], "ros1.csv")
    must_export(bag, "--mapping", _mapping(folder), "--output", folder / "ros1-wanted", "--episodes", spans)
    wanted = Set(folder / "ros1-wanted")
    for compression in COMPRESSIONS:
        path, out = _write(folder / f"{compression}.bag", compression), folder / f"ros1-{compression}"
        must_export(path, "--mapping", _mapping(folder), "--output", out, "--episodes", spans)
        for column in ("observation.state", "action", "status.joints"):
            yield f"{compression} {column}", Set(out).column(column).tolist(), wanted.column(column).tolist()
        out = folder / f"ros1-{compression}-marks"
        must_export(path, "--mapping", _mapping(folder), "--output", out, "--episodes", "topic:/episode")
        yield f"{compression} episodes", [(row["tasks"], row["length"]) for row in Set(out).episodes], [(["pick"], 40)]


def faults(folder):
    mapping, whole = _mapping(folder), _write(folder / "whole.bag", "none")
    for name, data, expected in (("no index", _write(folder / "open.bag", "none", has_index=False).read_bytes(), "its recorder was stopped"),
                                 ("cut", whole.read_bytes()[:-100], "the bag is cut"), ("other", b"text" * 100, "it is not of version 2.0"),
                                 ("empty", b"", "cannot mmap an empty file")):
        path = folder / "faulty.bag"
        path.write_bytes(data)
        status, said = export(path, "--mapping", mapping, "--output", folder / "no", "--episodes", "whole")
        yield f"{name}: {said}", (status, expected in said), (1, True)
    status, said = export(whole, "--mapping", mapping, "--output", folder / "no", "--episodes", "topic:/joints")
    yield f"no texts: {said}", (status, "/joints holds marks, and its messages must be std_msgs/String" in said), (1, True)


def cases(folder):
    yield from ((f"ROS 1 {case.__name__}", case, folder) for case in (same_as_db3, faults))

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bags of ROS 1 that rosbags writes, in every compression, through robocachebagsrc: the same values, and what is whole of a cut bag.

    ros1.py DEMUXTOOL [CASE...]

Prints PASS, FAIL or SKIP for each case; exit status 1 if one failed.
"""
import re
import sys
from pathlib import Path

import bags
import numpy as np
from bags import BEGIN, MS, differences, expected, in_folder, play, report
from mcapplan import run_cases
from rosbags.rosbag1 import Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

STORE = get_typestore(Stores.ROS1_NOETIC)
STORE.register(get_types_from_msg("std_msgs/Header header\nContact[] contacts\nfloat64 sum", "my_msgs/msg/Force"))
STORE.register(get_types_from_msg("geometry_msgs/Vector3 force\nint16 sensor", "my_msgs/msg/Contact"))
STORE.register(get_types_from_msg("std_msgs/Header header\nuint64 timebase\nuint32 point_num\nuint8 lidar_id\nuint8[3] rsvd\nCustomPoint[] points",
                                  "livox_ros_driver2/msg/CustomMsg"))
STORE.register(get_types_from_msg("uint32 offset_time\nfloat32 x\nfloat32 y\nfloat32 z\nuint8 reflectivity\nuint8 tag\nuint8 line",
                                  "livox_ros_driver2/msg/CustomPoint"))
COMPRESSIONS = {"none": None, "bz2": Writer.CompressionFormat.BZ2, "lz4": Writer.CompressionFormat.LZ4}


def to_ros1(message, name):
    """A message of ROS 2 in ROS 1, where headers have a number."""
    if isinstance(message, list):
        return [to_ros1(item, name) for item in message]
    if not hasattr(message, "__msgtype__"):
        return message
    name = message.__msgtype__
    fields = {field: to_ros1(getattr(message, field), name) for field, _ in STORE.get_msgdef(name).fields if hasattr(message, field)}
    return STORE.types[name](**{**({"seq": 7} if name == "std_msgs/msg/Header" else {}), **fields})


def write_bag(path, compression, end_ms=1000, topics=bags.TOPICS, chunk_bytes=20000):
    """As write_bag of bags.py; messages come 3 ms after their capture."""
    writer = Writer(path)
    if COMPRESSIONS[compression]:
        writer.set_compression(COMPRESSIONS[compression])
    writer.chunk_threshold = chunk_bytes
    with writer:
        connections = {topic: writer.add_connection(topic, bags.ALL_TOPICS[topic][0], typestore=STORE) for topic in topics}
        for ms in range(0, end_ms, 5):
            for topic, connection in connections.items():
                name, message, _, period = bags.ALL_TOPICS[topic]
                if ms % period == 0:
                    writer.write(connection, BEGIN + (ms + 3) * MS, bytes(STORE.serialize_ros1(to_ros1(message(ms), name), name)))
    return path


# ---- cases: generators of (what, got, expected) ----

def every_compression(folder, compression):
    bag = write_bag(Path(folder, "a.bag"), compression)
    pads, messages = play(bag)
    yield "messages", messages, []
    yield from differences(pads, expected())
    yield "one topic", play(bag, "topics=/joints")[0]["/joints"], pads["/joints"]
    for start, stop in ((300, 400), (990, 1000)):
        got = bags.rounded(bags.as_numbers(play(bag, part=(start, stop))[0]))
        for topic, buffers in bags.rounded(expected()).items():
            yield f"{topic} from {start}", [pair for pair in got[topic] if start <= pair[0] < stop], [
                pair for pair in buffers if start <= pair[0] < stop]


def camera(folder):
    """Raw pictures with their calibration, whose fields have other names in ROS 1, and the transforms of tf."""
    path = Path(folder, "a.bag")
    header = to_ros1(bags.header(0), "")
    identity = np.eye(3).ravel()
    info = STORE.types["sensor_msgs/msg/CameraInfo"](
        header=header, height=2, width=2, distortion_model="plumb_bob", D=np.arange(5.0), K=np.array([500.0, 0, 1, 0, 501, 2, 0, 0, 1]),
        R=identity, P=np.zeros(12), binning_x=0, binning_y=0, roi=STORE.types["sensor_msgs/msg/RegionOfInterest"](0, 0, 0, 0, False))
    picture = STORE.types["sensor_msgs/msg/Image"](header=header, height=2, width=2, encoding="mono8", is_bigendian=0, step=2,
                                                   data=np.arange(4, dtype=np.uint8))
    with Writer(path) as writer:
        for topic, message in (("/camera/camera_info", info), ("/camera/image_raw", picture)):
            connection = writer.add_connection(topic, message.__msgtype__, typestore=STORE)
            writer.write(connection, BEGIN, bytes(STORE.serialize_ros1(message, message.__msgtype__)))
    text = bags.run_tool(path)
    yield "intrinsics", re.findall(r"< ([^>]*) >", text.replace("(double)", "")), ["500, 501, 1, 2"]


def cut(folder, compression):
    """What is whole of a bag whose recorder was stopped: without an index, and cut within a chunk."""
    bag = write_bag(Path(folder, "a.bag"), compression, end_ms=20000, topics=["/wrench"])
    data = bag.read_bytes()
    index = int.from_bytes(re.search(b"index_pos=(.{8})", data, re.S).group(1), "little")
    for what, end, least in (("index", index, 2000), ("chunk", index // 2, 500)):
        bag.write_bytes(data[:end])
        pads, messages = play(bag)
        rows = bags.rounded(bags.as_numbers(pads))["/wrench"]
        yield f"rows without {what}", rows, bags.rounded(expected(["/wrench"], 0, 20000))["/wrench"][:len(rows)]
        yield f"number without {what}", len(rows) >= least, True
        yield f"warning without {what}", [re.sub("[0-9]+ on", "N on", line) for line in report(messages, "warning")], [
            f"{bag}: the recording is cut: no whole record is left from byte N on"]


def truncated(folder):
    """At every byte of a small bag: rows and a warning, or one error."""
    bag = write_bag(Path(folder, "a.bag"), "lz4", end_ms=30, topics=["/wrench"])
    data = bag.read_bytes()
    wanted = bags.rounded(expected(["/wrench"], 0, 30))["/wrench"]
    # the padding of the first record is 4 KiB
    for end in (*range(0, 120), *range(4000, len(data))):
        bag.write_bytes(data[:end])
        pads, messages = play(bag)
        said = [line for line in messages if line.startswith(("warning", "error"))]
        rows = bags.rounded(bags.as_numbers(pads)).get("/wrench", [])
        if len(said) != 1 or rows != wanted[:len(rows)] or (not rows and not said[0].startswith("error")):
            yield f"cut at {end}", (said, rows), "one line, and rows from the beginning"
    yield "whole", len(wanted), 3


def livox(folder):
    """CustomMsg of the drivers of Livox: points as rosbags has them, with their own times in ns after the stamp."""
    path, name = Path(folder, "a.bag"), "livox_ros_driver2/msg/CustomMsg"
    point = STORE.types["livox_ros_driver2/msg/CustomPoint"]
    dtype = np.dtype([(n, "<f4") for n in "xyz"] + [("offset_time", "<u4")] + [(n, "u1") for n in ("reflectivity", "tag", "line")])
    clouds = []
    with Writer(path) as writer:
        connection = writer.add_connection("/livox/lidar", name, typestore=STORE)
        for n in (12, 0, 7):
            rows = np.zeros(n, dtype)
            for i, field in enumerate(dtype.names):
                rows[field] = np.arange(n) * (i + 1.25) - (3 if field in "xyz" else 0) if field in "xyz" else np.arange(n) * 31 * (i + 1) % 251
            rows["offset_time"] = 4000000000 - np.arange(n)
            message = STORE.types[name](header=to_ros1(bags.header(10 * len(clouds)), ""), timebase=1, point_num=n, lidar_id=2, rsvd=np.zeros(3, np.uint8),
                                        points=[point(**{field: row[field].item() for field in dtype.names}) for row in rows])
            writer.write(connection, BEGIN + 10 * len(clouds) * MS, bytes(STORE.serialize_ros1(message, name)))
            clouds.append(rows.tobytes().hex())
    pads, messages = play(path)
    yield "points", pads["/livox/lidar"], [(10.0 * i, cloud) for i, cloud in enumerate(clouds)]
    yield "messages", messages, []


def several_connections(folder):
    """Each publisher of a topic has a connection of its own: a seek finds the last message of any of them."""
    path = Path(folder, "a.bag")
    name, message, values, _ = bags.ALL_TOPICS["/wrench"]
    wanted = {0: "first", 400: "second", 700: "first", 800: "second", 900: "first"}
    with Writer(path) as writer:
        connections = {caller: writer.add_connection("/wrench", name, typestore=STORE, callerid=f"/{caller}") for caller in ("first", "second")}
        for ms, caller in wanted.items():
            writer.write(connections[caller], BEGIN + (ms + 3) * MS, bytes(STORE.serialize_ros1(to_ros1(message(ms), name), name)))
    for start, times in ((0, [*wanted]), (650, [400, 700, 800, 900]), (750, [700, 800, 900]), (850, [800, 900])):
        pads, messages = play(path, part=(start, 1000)) if start else play(path)
        yield f"from {start}", bags.as_numbers(pads)["/wrench"], [(ms, values(ms)) for ms in times]
        yield f"messages from {start}", messages, []


def wrong_times(folder):
    """The index of a bag has no checksum: messages outside the times that it gives a chunk are read, with a warning."""
    bag = write_bag(Path(folder, "a.bag"), "none", end_ms=100, topics=["/wrench"])
    data = bag.read_bytes()
    index = int.from_bytes(re.search(b"index_pos=(.{8})", data, re.S).group(1), "little")
    field = re.compile(b"end_time=(.{8})", re.S)
    assert len(field.findall(data[index:])) == 1
    bag.write_bytes(data[:index] + field.sub(b"end_time=" + (BEGIN // 10**9).to_bytes(4, "little") + (50 * MS).to_bytes(4, "little"), data[index:]))
    pads, messages = play(bag)
    yield from differences(pads, expected(["/wrench"], 0, 100))
    # that of the first message behind 50 ms
    times = [BEGIN + 53 * MS, BEGIN + 3 * MS, BEGIN + 50 * MS]
    yield "warning", [f"it has a message at log time {times[0]}, but its header gives {times[1]} to {times[2]}" in line for line in report(messages, "warning")], [True]


def other_files(folder):
    for name, data, text in (("old", b"#ROSBAG V1.2\n" + bytes(99), 'a bag of ROS 1 of version 1.2, expected 2.0: convert it with "rosbag migrate"'),
                             ("px4", b"ULog\1\x12\x35" + bytes(99), "a PX4 log: convert it to CSV with ulog2csv of pyulog"),
                             ("text", b"a,b\n1,2\n", "neither MCAP, nor SQLite, nor a bag of ROS 1")):
        path = Path(folder, name)
        path.write_bytes(data)
        yield name, report(play(path)[1], "error"), [f"{path}: {text}"]


def list_cases():
    for compression in COMPRESSIONS:
        yield f"every compression: {compression}", in_folder, every_compression, compression
        yield f"cut: {compression}", in_folder, cut, compression
    for case in (camera, livox, truncated, several_connections, wrong_times, other_files):
        yield case.__name__.replace("_", " "), in_folder, case


if __name__ == "__main__":
    bags.TOOL = sys.argv[1]
    sys.exit(run_cases([case for case in list_cases() if not sys.argv[2:] or case[0] in sys.argv[2:]]))

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings of Foxglove's messages, which mcap-protobuf-support and mcap write in protobuf and JSON, through both elements: the same values.

    foxglove.py DEMUXTOOL [CASE...]

Prints PASS, FAIL or SKIP for each case; exit status 1 if one failed.
"""
import base64
import json
import sys
from pathlib import Path

import bags
import numpy as np
from bags import BEGIN, MS, in_folder, play, report
from foxglove_schemas_protobuf import (CameraCalibration_pb2, CompressedImage_pb2, FrameTransform_pb2, FrameTransforms_pb2, LaserScan_pb2,
                                       PointCloud_pb2, PoseInFrame_pb2, RawImage_pb2)
from mcap.writer import Writer as McapWriter
from mcap_protobuf.writer import Writer
from mcapplan import run_cases

JPEG = b"\xff\xd8\xff\xe0 a picture"
POINTS = np.arange(12, dtype=np.float32).reshape(3, 4)
# of PackedElementField
FLOAT32, UINT8 = 7, 1


def stamped(kind, ms, **fields):
    message = kind(**fields)
    message.timestamp.FromNanoseconds(BEGIN + ms * MS)
    return message


def pose(x):
    return {"position": {"x": x, "y": 2 * x, "z": 3.0}, "orientation": {"x": 0.0, "y": 0.0, "z": 0.6, "w": 0.8}}


def transform(ms, child):
    return stamped(FrameTransform_pb2.FrameTransform, ms, parent_frame_id="map", child_frame_id=child,
                   translation={"x": ms, "y": 1.0, "z": 2.0}, rotation={"w": 1.0})


def cloud(ms):
    fields = [{"name": name, "offset": 4 * i, "type": FLOAT32} for i, name in enumerate("xyz")] + [
        {"name": "a", "offset": 12, "type": UINT8}, {"name": "b", "offset": 12, "type": UINT8}]
    return stamped(PointCloud_pb2.PointCloud, ms, frame_id="lidar", point_stride=16, fields=fields, data=POINTS.tobytes(),
                   pose=pose(0.0) if ms else {"orientation": {"w": 1.0}})


# topic: message at ms, values of the buffers by topic
TOPICS = {
    "/jpeg": (lambda ms: stamped(CompressedImage_pb2.CompressedImage, ms, frame_id="c", data=JPEG, format="jpeg"), lambda ms: JPEG.hex()),
    "/raw": (lambda ms: stamped(RawImage_pb2.RawImage, ms, frame_id="c", width=4, height=2, encoding="mono8", step=4, data=bytes(range(8))),
             lambda ms: bytes(range(8)).hex()),
    "/cloud": (cloud, lambda ms: POINTS.tobytes().hex()),
    "/scan": (lambda ms: stamped(LaserScan_pb2.LaserScan, ms, frame_id="l", start_angle=0.0, end_angle=np.pi / 2, ranges=[1.0, float("inf"), 3.0]),
              None),
    "/pose": (lambda ms: stamped(PoseInFrame_pb2.PoseInFrame, ms, frame_id="map", pose=pose(ms)), lambda ms: [ms, 2 * ms, 3, 0, 0, 0.6, 0.8]),
}


# ms of boot time at the beginning
BOOT = 523_700


def booted(ms):
    """/pose stamped by another clock."""
    message = TOPICS["/pose"][0](ms)
    message.timestamp.FromNanoseconds((BOOT + ms) * MS)
    return message


TOPICS["/boot"] = (booted, None)


def write_protobuf(path, topics, n=3):
    with open(path, "wb") as file, Writer(file) as writer:
        for ms in range(0, 10 * n, 10):
            for topic in topics:
                time = BEGIN + (ms + 3) * MS
                writer.write_message(topic, TOPICS[topic][0](ms), log_time=time, publish_time=time)
    return path


def json_schema(descriptor):
    """As foxglove-sdk has them: times as sec and nsec, bytes in base64, enumerations as constants."""
    if descriptor.full_name in ("google.protobuf.Timestamp", "google.protobuf.Duration"):
        return {"type": "object", "title": "time", "properties": {"sec": {"type": "integer", "minimum": 0}, "nsec": {"type": "integer"}}}
    properties = {}
    for field in descriptor.fields:
        if field.message_type:
            schema = json_schema(field.message_type)
        elif field.enum_type:
            schema = {"title": field.enum_type.full_name, "oneOf": [{"title": v.name, "const": v.number} for v in field.enum_type.values]}
        elif field.type == field.TYPE_BYTES:
            schema = {"type": "string", "contentEncoding": "base64"}
        else:
            schema = {"type": "string" if field.type == field.TYPE_STRING else "number" if field.type in (1, 2) else "integer"}
        properties[field.name] = {"type": "array", "items": schema} if field.is_repeated else schema
    return {"title": descriptor.full_name, "type": "object", "properties": properties}


def json_value(message):
    value = {}
    if message.DESCRIPTOR.full_name == "google.protobuf.Timestamp":
        return {"sec": message.seconds, "nsec": message.nanos}
    for field in message.DESCRIPTOR.fields:
        def one(item, field=field):
            return json_value(item) if field.message_type else base64.b64encode(item).decode() if isinstance(item, bytes) else item
        item = getattr(message, field.name)
        value[field.name] = [one(x) for x in item] if field.is_repeated else one(item)
    return value


def write_json(path, topics, n=3):
    with open(path, "wb") as file:
        writer = McapWriter(file)
        writer.start()
        for topic in topics:
            descriptor = TOPICS[topic][0](0).DESCRIPTOR
            schema = writer.register_schema(descriptor.full_name, "jsonschema", json.dumps(json_schema(descriptor)).encode())
            channel = writer.register_channel(topic, "json", schema)
            for ms in range(0, 10 * n, 10):
                time = BEGIN + (ms + 3) * MS
                writer.add_message(channel, time, json.dumps(json_value(TOPICS[topic][0](ms))).encode(), time)
        writer.finish()
    return path


IDL = "".join(f'{"=" * 80}\nIDL: {name}\nmodule {name.split("/")[0]} {{ module msg {{ struct {name.split("/")[2]} {{ {fields} }}; }}; }};\n' for name, fields in {
    "geometry_msgs/msg/Vector3Stamped": "std_msgs::msg::Header header; geometry_msgs::msg::Vector3 vector;",
    "geometry_msgs/msg/Vector3": "double x; double y; double z;",
    "std_msgs/msg/Header": "builtin_interfaces::msg::Time stamp; string frame_id;",
    "builtin_interfaces/msg/Time": "long sec; unsigned long nanosec;"}.items())


def write_idl(path, topics, n=3):
    """/pose and /boot as vectors of ROS 2, with a definition in IDL."""
    name = "geometry_msgs/msg/Vector3Stamped"
    with open(path, "wb") as file:
        writer = McapWriter(file)
        writer.start(profile="ros2")
        for topic in topics:
            channel = writer.register_channel(topic, "cdr", writer.register_schema(name, "ros2idl", IDL.encode()))
            for ms in range(0, 10 * n, 10):
                header, time = bags.header(ms), BEGIN + (ms + 3) * MS
                if topic == "/boot":
                    header.stamp.sec, header.stamp.nanosec = (BOOT + ms) // 1000, (BOOT + ms) % 1000 * MS
                message = bags.make("geometry_msgs/Vector3Stamped", header=header, vector=bags.vector(ms, 2 * ms, 3))
                writer.add_message(channel, time, bytes(bags.STORE.serialize_cdr(message, name)), time)
        writer.finish()
    return path


def clocks(folder, write, source):
    """Stamps are read for the clocks, too: boot time is put beside UTC, and the uncertainty is that of a delay."""
    path = write(Path(folder, "a.mcap"), ["/pose", "/boot"], 200)
    pads, messages = play(path, "clocks=auto", source=source)
    yield "messages", messages, []
    for topic in ("/pose", "/boot"):
        times, rows = zip(*((ms, float(value.split(",")[0])) for ms, value in pads[topic]))
        yield f"rows of {topic}", rows, tuple(float(ms) for ms in range(0, 2000, 10))
        yield f"times of {topic}", max(abs(time - row) for time, row in zip(times, rows)) < 1.0, True
    pads, _ = play(path, "clocks=stamp", source=source)
    yield "as they are", all(time - row > 1e6 for time, row in ((ms, float(value.split(",")[0])) for ms, value in pads["/pose"])), True


def values(folder, write, source):
    topics = [topic for topic, (_, wanted) in TOPICS.items() if wanted]
    path = write(Path(folder, "a.mcap"), topics)
    pads, messages = play(path, source=source)
    for topic in topics:
        got = [(ms, value if isinstance(TOPICS[topic][1](0), str) else [float(x) for x in value.split(",")]) for ms, value in pads[topic]]
        yield topic, got, [(ms, TOPICS[topic][1](ms)) for ms in (0, 10, 20)]
    yield "notes", messages, ['info /cloud: the field "b" of points is left out: it has the same bytes as "a"',
                              "info /cloud: points stay in the coordinates of the message: the cloud's pose is not applied"]


def scan(folder, write):
    """Rays at 0, 45 and 90 degrees, the second of which has no return."""
    path = write(Path(folder, "a.mcap"), ["/scan"])
    pads, messages = play(path)
    points = np.frombuffer(bytes.fromhex(pads["/scan"][0][1]), np.float32).reshape(3, 3)
    yield "finite", [bool(np.isfinite(p).all()) for p in points], [True, False, True]
    yield "points", [round(float(x), 5) for x in points[[0, 2]].ravel()], [1, 0, 0, 0, 3, 0]
    yield "messages", messages, []


def partial_point(folder, write):
    """A cloud whose bytes are not a whole number of points is lost, with a warning; those around it are read."""
    path = Path(folder, "a.mcap")
    TOPICS["/cut"] = (lambda ms: stamped(PointCloud_pb2.PointCloud, ms, frame_id="lidar", point_stride=16, fields=cloud(0).fields,
                                         data=POINTS.tobytes()[:-5 if ms == 10 else None]), None)
    pads, messages = play(write(path, ["/cut"]))
    yield "clouds", pads["/cut"], [(ms, POINTS.tobytes().hex()) for ms in (0, 20)]
    yield "warning", ["43 bytes are not a whole number of points of 16 bytes" in line for line in report(messages, "warning")], [True]


def transforms(folder):
    """Each child frame is a stream, in single messages and in lists."""
    path = Path(folder, "a.mcap")
    with open(path, "wb") as file, Writer(file) as writer:
        for ms in (0, 10):
            for child in ("base", "tool"):
                writer.write_message("/single", transform(ms, child), log_time=BEGIN + ms * MS, publish_time=0)
            writer.write_message("/list", FrameTransforms_pb2.FrameTransforms(transforms=[transform(ms, "base"), transform(ms + 1, "tool")]),
                                 log_time=BEGIN + ms * MS, publish_time=0)
    lines = [line.split(" ", 1)[1] for line in bags.run_tool(path).splitlines() if line.startswith("src_")]
    got = sorted((line.partition("@")[0], line.partition("]")[2].replace(" eos", "").strip()) for line in lines)
    rows = "0=0,1,2,0,0,0,1 10=10,1,2,0,0,0,1"
    yield "streams", got, [("/list:base", rows), ("/list:tool", "1=1,1,2,0,0,0,1 11=11,1,2,0,0,0,1"), ("/single:base", rows), ("/single:tool", rows)]


def calibration(folder):
    path = Path(folder, "a.mcap")
    with open(path, "wb") as file, Writer(file) as writer:
        writer.write_message("/camera/calibration", stamped(CameraCalibration_pb2.CameraCalibration, 0, width=4, height=2, K=[500, 0, 1, 0, 501, 2, 0, 0, 1]),
                             log_time=BEGIN, publish_time=BEGIN)
        writer.write_message("/camera/image", TOPICS["/raw"][0](0), log_time=BEGIN, publish_time=BEGIN)
    yield "intrinsics", "< 500, 501, 1, 2 >" in bags.run_tool(path).replace("(double)", ""), True


def refused(folder):
    """What no reader has is refused by the name of its encoding; other topics are read."""
    path = Path(folder, "a.mcap")
    with open(path, "wb") as file:
        writer = McapWriter(file)
        writer.start()
        for topic, encoding, schema_encoding in (("/f", "flatbuffer", "flatbuffer"), ("/m", "msgpack", ""), ("/n", "json", "")):
            schema = writer.register_schema("T", schema_encoding, b"x") if schema_encoding else 0
            channel = writer.register_channel(topic, encoding, schema)
            writer.add_message(channel, BEGIN, b"{}", BEGIN)
        schema = writer.register_schema("T", "jsonschema", b'{"type":"object","properties":{"x":{"type":"number"}}}')
        writer.add_message(writer.register_channel("/x", "json", schema), BEGIN, b'{"x":1.5}', BEGIN)
        writer.finish()
    pads, messages = play(path)
    yield "read", pads, {"/x": [(0.0, "1.5")]}
    known = "cdr of ros2msg, cdr of ros2idl, ros1 of ros1msg, protobuf of protobuf, json of jsonschema"
    yield "refused", sorted(report(messages, "info"))[:3], [
        f'/f of type T cannot be read: its messages are "flatbuffer" with a schema in "flatbuffer", and only {known} can be read',
        '/m of type unknown cannot be read: its messages are "msgpack" without a schema',
        '/n of type unknown cannot be read: its messages are "json" without a schema']
    with open(path, "wb") as file:
        writer = McapWriter(file)
        writer.start()
        writer.add_message(writer.register_channel("/f", "flatbuffer", writer.register_schema("T", "flatbuffer", b"x")), BEGIN, b"{}", BEGIN)
        writer.finish()
    yield "nothing else", report(play(path)[1], "error"), [
        f'the recording has no readable message of /f: its messages are "flatbuffer" with a schema in "flatbuffer", and only {known} can be read']


def list_cases():
    for name, write in (("protobuf", write_protobuf), ("JSON", write_json)):
        for source in ("bag", "0", "77"):
            yield f"values: {name}, {source}", in_folder, values, write, source
        yield f"scan: {name}", in_folder, scan, write
        yield f"partial point: {name}", in_folder, partial_point, write
    for name, write in (("protobuf", write_protobuf), ("JSON", write_json), ("ros2idl", write_idl)):
        for source in ("bag", "0"):
            yield f"clocks: {name}, {source}", in_folder, clocks, write, source
    for case in (transforms, calibration, refused):
        yield case.__name__, in_folder, case


if __name__ == "__main__":
    bags.TOOL = sys.argv[1]
    sys.exit(run_cases([case for case in list_cases() if not sys.argv[2:] or case[0] in sys.argv[2:]]))

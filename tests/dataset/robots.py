# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bags of ROS 2 of robots, by the official writer: joints, grippers, modes, commands, pictures and clouds whose values are functions of time."""
from fractions import Fraction

import av
import make
import numpy as np
from mcap.reader import NonSeekingReader
from mcap.writer import Writer as Records
from mcap_ros2.writer import Writer

SECOND = 10**9
BEGIN = 1_700_000_000 * SECOND

_STAMPED = "std_msgs/Header header\n"
_HEADER = "\n" + "=" * 80 + "\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
_FIELD = "=" * 80 + "\nMSG: sensor_msgs/PointField\nstring name\nuint32 offset\nuint8 datatype\nuint32 count\n"
DEFINITIONS = {
    "sensor_msgs/msg/JointState": _STAMPED + "string[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort" + _HEADER,
    "std_msgs/msg/Float64": "float64 data",
    "std_msgs/msg/Bool": "bool data",
    "std_msgs/msg/Int8": "int8 data",
    "std_msgs/msg/String": "string data",
    "std_msgs/msg/Float64MultiArray": "std_msgs/MultiArrayLayout layout\nfloat64[] data\n" + "=" * 80 + "\nMSG: std_msgs/MultiArrayLayout\n"
                                      "std_msgs/MultiArrayDimension[] dim\nuint32 data_offset\n" + "=" * 80
                                      + "\nMSG: std_msgs/MultiArrayDimension\nstring label\nuint32 size\nuint32 stride\n",
    "rcl_interfaces/msg/Log": "builtin_interfaces/Time stamp\nuint8 level\nstring name\nstring msg\nstring file\nstring function\nuint32 line",
    "sensor_msgs/msg/CompressedImage": _STAMPED + "string format\nuint8[] data" + _HEADER,
    "sensor_msgs/msg/PointCloud2": _STAMPED + "uint32 height\nuint32 width\nsensor_msgs/PointField[] fields\nbool is_bigendian\nuint32 point_step\n"
                                   "uint32 row_step\nuint8[] data\nbool is_dense" + _HEADER + _FIELD,
    "control_msgs/msg/JointTrajectoryControllerState": _STAMPED + "float64[] desired\nfloat64[] actual" + _HEADER,
    "example_interfaces/msg/SetModeEvent": "int8 mode\nint8 result",
}


def _stamp(time):
    return {"sec": time // SECOND, "nanosec": time % SECOND}


def header(time):
    return {"stamp": _stamp(time), "frame_id": "base"}


# ---- topics: {topic: (type, Hz, message of a time)}; values are functions of seconds ----

def joints(values, velocities=None, efforts=None, order=None, has_positions=True):
    """JointState of {name: function}; order: which name comes first."""
    def message(time, seconds):
        names = order or list(values)
        listed = lambda functions: [float(functions[name](seconds)) for name in names] if functions else []
        return {"header": header(time), "name": list(names), "position": listed(values if has_positions else None), "velocity": listed(velocities), "effort": listed(efforts)}
    return "sensor_msgs/msg/JointState", message


def number(function, kind="Float64"):
    return f"std_msgs/msg/{kind}", lambda time, seconds: {"data": function(seconds)}


def array(functions):
    return "std_msgs/msg/Float64MultiArray", lambda time, seconds: {"layout": {"dim": [], "data_offset": 0}, "data": [float(f(seconds)) for f in functions]}


def log():
    return "rcl_interfaces/msg/Log", lambda time, seconds: {"stamp": _stamp(time), "level": 20, "name": "node", "msg": "hello", "file": "", "function": "", "line": 7}


def service_event():
    return "example_interfaces/msg/SetModeEvent", lambda time, seconds: {"mode": 1, "result": 2}


def controller_state(desired, actual):
    return "control_msgs/msg/JointTrajectoryControllerState", lambda time, seconds: {
        "header": header(time), "desired": [float(f(seconds)) for f in desired], "actual": [float(f(seconds)) for f in actual]}


def cloud(points=50):
    def message(time, seconds):
        data = np.full((points, 3), seconds, np.float32).tobytes()
        fields = [{"name": name, "offset": 4 * i, "datatype": 7, "count": 1} for i, name in enumerate("xyz")]
        return {"header": header(time), "height": 1, "width": points, "fields": fields, "is_bigendian": False, "point_step": 12,
                "row_step": 12 * points, "data": data, "is_dense": True}
    return "sensor_msgs/msg/PointCloud2", message


class _Jpeg:
    """Pictures with a counter in them."""

    def __init__(self, width, height):
        self._codec = av.CodecContext.create("mjpeg", "w")
        self._codec.width, self._codec.height, self._codec.pix_fmt = width, height, "yuvj420p"
        self._codec.time_base = Fraction(1, 1000)
        self._codec.options = {"qmin": "2", "qmax": "2"}
        self._pts = 0

    def encode(self, counter):
        frame = av.VideoFrame.from_ndarray(make.picture(counter, self._codec.width, self._codec.height), format="rgb24").reformat(format="yuvj420p")
        frame.pts, self._pts = self._pts, self._pts + 1
        packet, = self._codec.encode(frame)
        return bytes(packet)


def camera(rate, size=(64, 48)):
    encoder = _Jpeg(*size)
    return "sensor_msgs/msg/CompressedImage", lambda time, seconds: {"header": header(time), "format": "jpeg", "data": encoder.encode(round(seconds * rate))}


def write(path, topics, seconds=3.0, begin=BEGIN, delay=0):
    """topics: {topic: (Hz, (type, message))}, or (Hz, (type, message), offset of the first one in s). Messages arrive `delay` ns after their stamp."""
    path.parent.mkdir(parents=True, exist_ok=True)
    messages = []
    for topic, (rate, (kind, message), *first) in topics.items():
        for i in range(int(round(seconds * rate))):
            after = (first[0] if first else 0) + i / rate
            messages.append((begin + round(after * SECOND), topic, kind, message, after))
    with open(path, "wb") as output:
        writer = Writer(output)
        schemas = {kind: writer.register_msgdef(kind, DEFINITIONS[kind]) for kind in {one[2] for one in messages}}
        for i, (time, topic, kind, message, after) in enumerate(sorted(messages, key=lambda one: (one[0], one[1]))):
            writer.write_message(topic, schemas[kind], message(time, after), log_time=time + delay, publish_time=time + delay, sequence=i)
        writer.finish()
    return path


def without_metadata(source, path):
    """A copy of a recording whose channels note nothing, as other writers leave them."""
    with open(source, "rb") as stream, open(path, "wb") as output:
        writer, channels = Records(output), {}
        writer.start(profile="ros2")
        for schema, channel, message in NonSeekingReader(stream).iter_messages(log_time_order=False):
            if channel.topic not in channels:
                number = writer.register_schema(schema.name, schema.encoding, schema.data)
                channels[channel.topic] = writer.register_channel(channel.topic, channel.message_encoding, number)
            writer.add_message(channels[channel.topic], message.log_time, message.data, message.publish_time, message.sequence)
        writer.finish()
    return path

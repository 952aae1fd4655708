#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of the official writers through robocachemcapdemux, held against the official readers.

    official.py DEMUXTOOL

Prints PASS, FAIL or SKIP for each case. It needs the Python packages mcap, mcap-ros2-support and rosbags, in python3 or in the
interpreter that ROBOCACHE_PYTHON names."""
import io
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

if "ROBOCACHE_PYTHON" in os.environ and os.environ["ROBOCACHE_PYTHON"] != sys.executable:
    python = os.environ["ROBOCACHE_PYTHON"]
    os.execv(python, [python, "-B", *sys.argv])
try:
    import numpy
    from mcap.reader import NonSeekingReader
    from mcap.writer import CompressionType, IndexType, Writer
    from mcap_ros2.decoder import DecoderFactory
    from rosbags.typesys import Stores, get_typestore
except ImportError as error:
    print(f"SKIP official: {error}: set ROBOCACHE_PYTHON to a python with them (pip install mcap mcap-ros2-support rosbags)")
    sys.exit(77)

STORE = get_typestore(Stores.ROS2_HUMBLE)
TYPES = STORE.types
MS = 10**6


def make(name, /, **fields):
    return TYPES[name.replace("/", "/msg/")](**fields)


def header(ms, frame="base"):
    return make("std_msgs/Header", stamp=make("builtin_interfaces/Time", sec=ms // 1000, nanosec=ms % 1000 * MS), frame_id=frame)


class Topics:
    """Messages of each kind, with random values."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def real(self):
        return self.random.uniform(-100, 100)

    def vector(self, kind="geometry_msgs/Vector3"):
        return make(kind, x=self.real(), y=self.real(), z=self.real())

    def quaternion(self):
        return make("geometry_msgs/Quaternion", x=self.real(), y=self.real(), z=self.real(), w=self.real())

    def pose(self):
        return make("geometry_msgs/Pose", position=self.vector("geometry_msgs/Point"), orientation=self.quaternion())

    def twist(self):
        return make("geometry_msgs/Twist", linear=self.vector(), angular=self.vector())

    def joints(self, ms):
        names = ["a", "b", "c"]
        self.random.shuffle(names)
        numbers = lambda: numpy.array([self.real() for _ in names])
        return make("sensor_msgs/JointState", header=header(ms), name=names, position=numbers(), velocity=numbers(),
                    effort=numpy.array([]))

    def imu(self, ms):
        zeros = numpy.zeros(9)
        return make("sensor_msgs/Imu", header=header(ms, "imu"), orientation=self.quaternion(), orientation_covariance=zeros,
                    angular_velocity=self.vector(), angular_velocity_covariance=zeros, linear_acceleration=self.vector(),
                    linear_acceleration_covariance=zeros)

    def wrench(self, ms):
        return make("geometry_msgs/WrenchStamped", header=header(ms),
                    wrench=make("geometry_msgs/Wrench", force=self.vector(), torque=self.vector()))

    def pose_stamped(self, ms):
        return make("geometry_msgs/PoseStamped", header=header(ms), pose=self.pose())

    def odometry(self, ms):
        zeros = numpy.zeros(36)
        return make("nav_msgs/Odometry", header=header(ms), child_frame_id="c",
                    pose=make("geometry_msgs/PoseWithCovariance", pose=self.pose(), covariance=zeros),
                    twist=make("geometry_msgs/TwistWithCovariance", twist=self.twist(), covariance=zeros))

    def twist_stamped(self, ms):
        return make("geometry_msgs/TwistStamped", header=header(ms), twist=self.twist())

    def array(self, _):
        dims = [make("std_msgs/MultiArrayDimension", label="r", size=2, stride=6),
                make("std_msgs/MultiArrayDimension", label="c", size=3, stride=3)]
        return make("std_msgs/Float64MultiArray", layout=make("std_msgs/MultiArrayLayout", dim=dims, data_offset=0),
                    data=numpy.array([self.real() for _ in range(6)]))

    def battery(self, ms):
        number = lambda: float(numpy.float32(self.real()))
        return make("sensor_msgs/BatteryState", header=header(ms), voltage=number(), temperature=number(), current=number(),
                    charge=number(), capacity=number(), design_capacity=number(), percentage=number(), power_supply_status=1,
                    power_supply_health=2, power_supply_technology=3, present=True,
                    cell_voltage=numpy.array([1.5, 2.5], dtype=numpy.float32), cell_temperature=numpy.array([], dtype=numpy.float32),
                    location="x", serial_number="yz")

    def points(self, ms):
        fields = [make("sensor_msgs/PointField", name=n, offset=4 * i, datatype=7, count=1) for i, n in enumerate("xyz")]
        n = self.random.randrange(5)
        data = numpy.array([self.real() for _ in range(3 * n)], dtype=numpy.float32).view(numpy.uint8)
        return make("sensor_msgs/PointCloud2", header=header(ms), height=1, width=n, fields=fields, is_bigendian=False, point_step=12,
                    row_step=12 * n, data=data, is_dense=True)

    def image(self, ms):
        data = numpy.array([self.random.randrange(256) for _ in range(24)], dtype=numpy.uint8)
        return make("sensor_msgs/Image", header=header(ms), height=2, width=4, encoding="rgb8", is_bigendian=0, step=12, data=data)


def three(v):
    return [v.x, v.y, v.z]


def four(q):
    return [q.x, q.y, q.z, q.w]


def joints_row(m):
    order = sorted(range(len(m.name)), key=lambda i: FIRST_JOINTS.index(m.name[i]))
    return [list_[i] for list_ in (m.position, m.velocity) for i in order]


FIRST_JOINTS = []

# topic: type, maker of Topics, and the values of a message as the official reader decodes it
KINDS = {
    "/joints": ("sensor_msgs/JointState", "joints", joints_row),
    "/imu": ("sensor_msgs/Imu", "imu", lambda m: four(m.orientation) + three(m.angular_velocity) + three(m.linear_acceleration)),
    "/wrench": ("geometry_msgs/WrenchStamped", "wrench", lambda m: three(m.wrench.force) + three(m.wrench.torque)),
    "/pose": ("geometry_msgs/PoseStamped", "pose_stamped", lambda m: three(m.pose.position) + four(m.pose.orientation)),
    "/odom": ("nav_msgs/Odometry", "odometry", lambda m: three(m.pose.pose.position) + four(m.pose.pose.orientation)
              + three(m.twist.twist.linear) + three(m.twist.twist.angular)),
    "/twist": ("geometry_msgs/TwistStamped", "twist_stamped", lambda m: three(m.twist.linear) + three(m.twist.angular)),
    "/array": ("std_msgs/Float64MultiArray", "array", lambda m: list(m.data)),
    "/battery": ("sensor_msgs/BatteryState", "battery", lambda m: [
        m.voltage, m.temperature, m.current, m.charge, m.capacity, m.design_capacity, m.percentage, m.power_supply_status,
        m.power_supply_health, m.power_supply_technology, m.present, *m.cell_voltage, *m.cell_temperature]),
    "/points": ("sensor_msgs/PointCloud2", "points", lambda m: bytes(m.data).hex()),
    "/image": ("sensor_msgs/Image", "image", lambda m: bytes(m.data).hex()),
}


def plan(seed, in_order):
    """(topic, capture in ms, arrival in ms) of messages, in the order in which they are written."""
    noise = random.Random(seed)
    found = [(topic, 1000 + 10 * k + i, 1000 + 10 * k + i + noise.randrange(1, 40)) for k in range(30) for i, topic in enumerate(KINDS)]
    # the first one sets the origin
    found = [("/joints", 900, 901), *found]
    if in_order:
        found.sort(key=lambda item: item[2])
    return found


def write(file, seed, in_order=True, extras=False, **options):
    writer = Writer(file, **options)
    writer.start("ros2", "official")
    topics, channels = Topics(seed), {}
    for topic, (name, _, _) in KINDS.items():
        long_name = name.replace("/", "/msg/")
        schema = writer.register_schema(long_name, "ros2msg", STORE.generate_msgdef(long_name, ros_version=2)[0].encode())
        channels[topic] = (writer.register_channel(topic, "cdr", schema), long_name)
    for i, (topic, capture, arrival) in enumerate(plan(seed, in_order)):
        channel, long_name = channels[topic]
        message = getattr(topics, KINDS[topic][1])(capture)
        if topic == "/joints" and not FIRST_JOINTS:
            FIRST_JOINTS.extend(message.name)
        raw = bytes(STORE.serialize_cdr(message, long_name, little_endian=i % 3 != 0))
        writer.add_message(channel, log_time=arrival * MS, publish_time=capture * MS, data=raw, sequence=i)
        if extras and i % 50 == 7:
            writer.add_attachment(5, 6, f"a{i}", "text/plain", b"attached" * i)
            writer.add_metadata(f"m{i}", {"key": "value"})
    writer.finish()


def with_unknown_records(raw):
    """The file with records of opcodes that nobody knows, behind its header; its summary is gone."""
    size = struct.unpack_from("<Q", raw, 9)[0]
    end = 8 + 9 + size
    unknown = struct.pack("<BQ", 0x7F, 5) + b"dummy" + struct.pack("<BQ", 0x90, 0)
    return raw[:end] + unknown + raw[end:]


def expected(raw):
    """{topic: [(ms after the first capture, values)]} by the official reader, in order of log time."""
    rows = {}
    for _, channel, message, decoded in NonSeekingReader(io.BytesIO(raw), decoder_factories=[DecoderFactory()]).iter_decoded_messages():
        rows.setdefault(channel.topic, []).append((message.publish_time // MS - 900, KINDS[channel.topic][2](decoded)))
    return rows


def parse(line):
    """Topic and rows of a line of demuxtool."""
    pad, _, words = line.partition(": ")
    topic = pad.split(" ")[1].split("@")[0]
    rows = []
    for word in words.split(" "):
        time, equals, values = word.partition("=")
        if not equals or "[" in time:
            continue
        number = (lambda text: float(numpy.float32(text))) if topic == "/battery" else float
        rows.append((float(time), values if topic in ("/points", "/image") else [number(v) for v in values.split(",")]))
    return topic, rows


def check(tool, raw, block_size, wanted):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "file.mcap")
        path.write_bytes(raw)
        lines = subprocess.run([tool, "", str(path), str(block_size)], capture_output=True, text=True, check=True).stdout.splitlines()
    faults = [line for line in lines if line.startswith(("warning ", "error "))]
    found = dict(parse(line) for line in lines if line.startswith("src_"))
    if found.keys() != wanted.keys():
        return [*faults, f"topics {sorted(found)}, expected {sorted(wanted)}"]
    for topic, rows in wanted.items():
        # in order of arrival without an index
        got, want = (sorted(rows_, key=lambda row: row[0]) for rows_ in (found[topic], rows))
        want = [(float(t), v if isinstance(v, str) else [float(x) for x in v]) for t, v in want]
        if got != want:
            bad = next((pair for pair in zip(got, want) if pair[0] != pair[1]), (len(got), len(want)))
            faults.append(f"{topic}: {bad[0]}, expected {bad[1]}")
    return faults


def cases():
    """{name: bytes of a file}"""
    def made(**options):
        FIRST_JOINTS.clear()
        file = io.BytesIO()
        write(file, **options)
        return file.getvalue()

    for compression in CompressionType:
        name = compression.name.lower()
        yield f"chunks_{name}", lambda c=compression: made(seed=1, compression=c, chunk_size=4096)
        yield f"one_chunk_{name}", lambda c=compression: made(seed=2, compression=c)
        yield f"out_of_order_{name}", lambda c=compression: made(seed=3, compression=c, chunk_size=2048, in_order=False)
    yield "plain", lambda: made(seed=4, use_chunking=False)
    yield "plain_out_of_order", lambda: made(seed=5, use_chunking=False, in_order=False)
    yield "no_indexes", lambda: made(seed=6, chunk_size=4096, index_types=IndexType.NONE)
    yield "no_statistics", lambda: made(seed=7, chunk_size=4096, use_statistics=False, use_summary_offsets=False)
    yield "no_repeated_definitions", lambda: made(seed=8, chunk_size=4096, repeat_channels=False, repeat_schemas=False)
    yield "attachments", lambda: made(seed=9, chunk_size=4096, extras=True)
    yield "unknown_records", lambda: with_unknown_records(made(seed=10, use_chunking=False))


def main(tool):
    failed = 0
    for name, build in cases():
        raw = build()
        wanted = expected(raw)
        faults = [f"blocks of {size}: {fault}" for size in (0, 1000) for fault in check(tool, raw, size, wanted)]
        failed += bool(faults)
        print(f"FAIL {name}: {'; '.join(faults[:3])}" if faults else f"PASS {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)

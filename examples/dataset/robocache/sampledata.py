# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write the files that the pages use: recordings, bags and tables of a robot that does not exist.

    robocache sample-data DIR

DIR is made. Files that exist are not overwritten, and are an error unless they are the same.
"""
import argparse
import filecmp
import math
import pathlib
import random
import shutil
import sqlite3
import struct
import sys
import tempfile

from .printable import describe_os_error, printable


def rows(header, rate, seconds, values, start=0.0):
    lines = [header]
    for i in range(int(rate * seconds)):
        t = start + i / rate
        lines.append(",".join([f"{t:.4f}", *(f"{x:.6f}" for x in values(t))]))
    return "\n".join(lines) + "\n"


def motion(t):
    """The angular rate of a body that nobody moves evenly: smooth, and not periodic."""
    noise = random.Random(7)
    waves = [(noise.uniform(0.2, 2.0), noise.uniform(0, 6.28)) for _ in range(8)]
    return [sum(math.sin(2 * math.pi * f * t + p + axis) for f, p in waves) / 4 for axis in range(3)]


FILES = ["joints.csv", "imu.csv", "odometry.csv", "bundles.csv", "cloud.pcd", "run.mcap", "cut.mcap", "bag", "old.db3", "src"]

STAMPED = "std_msgs/Header header\n"
HEADER = "\n===\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
VECTOR = "\n===\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n"
QUATERNION = "\n===\nMSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"
TOPICS = {
    "/joint_states": ("sensor_msgs/msg/JointState", STAMPED + "string[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort"
                      + HEADER),
    "/imu": ("sensor_msgs/msg/Imu", STAMPED + "geometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
             "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
             "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance" + HEADER + VECTOR + QUATERNION),
}


def mcap(seconds):
    """A recording of two joints at 100 Hz and an IMU at 200 Hz."""
    text = lambda string: struct.pack("<I", len(string)) + string.encode()
    record = lambda opcode, content: struct.pack("<BQ", opcode, len(content)) + content
    parts = [b"\x89MCAP0\r\n", record(1, text("ros2") + text(""))]
    for i, (topic, (name, definition)) in enumerate(TOPICS.items(), 1):
        parts.append(record(3, struct.pack("<H", i) + text(name) + text("ros2msg") + text(definition)))
        parts.append(record(4, struct.pack("<HH", i, i) + text(topic) + text("cdr") + text("")))
    for k in range(200 * seconds):
        ns = 1_700_000_000 * 10**9 + 5_000_000 * k
        header = struct.pack("<BBHiII4s", 0, 1, 0, ns // 10**9, ns % 10**9, 4, b"arm")
        imu = struct.pack("<4d9d3d9d3d9d", 0, 0, 0, 1, *[0] * 9, *motion(k / 200), *[0] * 9, 0, 0, 9.8, *[0] * 9)
        joints = struct.pack("<II4sI4sI", 2, 3, b"q0", 3, b"q1", 2) + struct.pack("<2dII", math.sin(k / 99), 1.0, 0, 0)
        messages = [(1, joints)] * (k % 2 == 0) + [(2, imu)]
        parts += [record(5, struct.pack("<HIQQ", channel, k, ns, ns) + header + body) for channel, body in messages]
    return b"".join([*parts, record(15, bytes(4)), record(2, bytes(20)), b"\x89MCAP0\r\n"])


METADATA = """rosbag2_bagfile_information:
  version: 5
  storage_identifier: mcap
  duration:
    nanoseconds: 4995000000
  starting_time:
    nanoseconds_since_epoch: 1700000000000000000
  message_count: 1500
  topics_with_message_count: []
  compression_format: ""
  compression_mode: ""
  relative_file_paths:
    - bag_0.mcap
"""


def old_bag(path):
    """A file of SQLite without definitions, of a type that its owner made: forces at 100 Hz."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL, "
                     "offered_qos_profiles TEXT NOT NULL)")
    database.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL)")
    database.execute("CREATE INDEX timestamp_idx ON messages (timestamp ASC)")
    database.execute("INSERT INTO topics VALUES (1, '/force', 'my_msgs/msg/Force', 'cdr', '')")
    for k in range(100):
        ns = 1_700_000_000 * 10**9 + 10_000_000 * k
        data = struct.pack("<BBHiII4sB7xd", 0, 1, 0, ns // 10**9, ns % 10**9, 4, b"arm", 2, k / 10)
        database.execute("INSERT INTO messages (topic_id, timestamp, data) VALUES (1, ?, ?)", (ns, data))
    database.commit()
    database.close()


def write_bags(folder):
    (folder / "run.mcap").write_bytes(mcap(5))
    (folder / "cut.mcap").write_bytes(mcap(5)[:300_100])
    (folder / "bag").mkdir()
    shutil.copy(folder / "run.mcap", folder / "bag" / "bag_0.mcap")
    (folder / "bag" / "metadata.yaml").write_text(METADATA, encoding="utf-8")
    old_bag(folder / "old.db3")
    (folder / "src" / "my_msgs" / "msg").mkdir(parents=True)
    (folder / "src" / "my_msgs" / "msg" / "Force.msg").write_text("std_msgs/Header header\nuint8 contacts\nfloat64 newtons\n", encoding="utf-8")


def write_files(folder):
    write_bags(folder)
    joints = lambda t: [math.sin((i + 1) * t) for i in range(6)]
    (folder / "joints.csv").write_text(rows("t,q0,q1,q2,q3,q4,q5", 100, 20, joints), encoding="utf-8")
    (folder / "imu.csv").write_text(rows("t,qx,qy,qz,qw,gx,gy,gz", 200, 20, lambda t: [0, 0, 0, 1, *motion(t)]), encoding="utf-8")
    # rows of a tenth of a second arrive together, 15 ms after the last of them
    bundles = [f"{20 * k},{100 * (k // 5) + 95},{k},{3 * k}" for k in range(101)]
    (folder / "bundles.csv").write_text("\n".join(["stamp_ms,arrival_ms,a,b", *bundles, ""]), encoding="utf-8")
    points = [f"{math.cos(i):.3f} {math.sin(i):.3f} {i / 100:.2f}" for i in range(300)]
    (folder / "cloud.pcd").write_text("\n".join(
        ["# .PCD v0.7", "VERSION 0.7", "FIELDS x y z", "SIZE 4 4 4", "TYPE F F F", "COUNT 1 1 1", "WIDTH 300", "HEIGHT 1",
         "VIEWPOINT 0 0 0 1 0 0 0", "POINTS 300", "DATA ascii", *points, ""]), encoding="utf-8")
    (folder / "odometry.csv").write_text(rows("t,wx,wy,wz", 50, 20, lambda t: motion(t - 0.032)), encoding="utf-8")


def _place(made, folder):
    """Copies the files of a folder to another one; those that are there already stay. Where some of these are others, returns them, and copies nothing."""
    files = [path.relative_to(made) for path in sorted(made.rglob("*")) if path.is_file()]
    there = [file for file in files if (folder / file).exists()]
    others = [folder / file for file in there if not filecmp.cmp(made / file, folder / file, shallow=False)]
    for file in files if not others else ():
        if file not in there:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(made / file, folder / file)
    return others


def main():
    parser = argparse.ArgumentParser(prog="robocache sample-data", description="Write the files that the pages use: recordings, bags and tables of a "
                                     "robot that does not exist.", epilog="Example:\n  robocache sample-data data", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path, help="where to write; it is made")
    folder = parser.parse_args().folder
    try:
        with tempfile.TemporaryDirectory() as made:
            write_files(pathlib.Path(made))
            others = _place(pathlib.Path(made), folder)
    except OSError as error:
        print(f"error: {describe_os_error(error)}", file=sys.stderr)
        return 1
    if others:
        print(f"error: {printable(others[0])} exists, and is another file: name another folder", file=sys.stderr)
        return 1
    print(f"{printable(folder)}: {', '.join(FILES)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

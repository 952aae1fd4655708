#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Memory of readers: at most 4 times the file and 64 MiB, beside what a small file of the same kind takes.

    memory.py PEAK [CASE...]     PEAK: peak.c

Prints PASS, FAIL or SKIP for each case, with what it took; exit status 1 if one failed.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

import bags
import foxglove
import laspy
import numpy as np
import plyfile
import ros1
from bags import BEGIN, MS, in_folder
from mcap.writer import Writer as McapWriter
from mcap_protobuf.writer import Writer as ProtobufWriter
from mcapplan import run_cases
from rosbags.rosbag1 import Writer

MIB = 1 << 20
SIZE = 24 * MIB
RANDOM = np.random.default_rng(4)


def points(n):
    return RANDOM.random((n, 4), np.float32)


# ---- files of about n_bytes in messages, or points, or rows ----

def write_bag(path, n_bytes, compression, message_bytes, chunk_bytes):
    writer = Writer(path)
    if ros1.COMPRESSIONS[compression]:
        writer.set_compression(ros1.COMPRESSIONS[compression])
    writer.chunk_threshold = chunk_bytes
    with writer:
        connection = writer.add_connection("/cloud", "sensor_msgs/msg/PointCloud2", typestore=ros1.STORE)
        for i in range(max(1, n_bytes // message_bytes)):
            message = bags.large(i)
            message.data = points(message_bytes // 16).view(np.uint8).ravel()
            message.width, message.row_step, message.point_step = message_bytes // 16, message_bytes, 16
            message = ros1.to_ros1(message, "")
            writer.write(connection, BEGIN + i * MS, bytes(ros1.STORE.serialize_ros1(message, message.__msgtype__)))


def cloud(i, n_points):
    message = foxglove.cloud(i)
    message.data = points(n_points).tobytes()
    return message


def write_protobuf(path, n_bytes, message_bytes):
    with open(path, "wb") as file, ProtobufWriter(file) as writer:
        for i in range(max(1, n_bytes // message_bytes)):
            writer.write_message("/cloud", cloud(i, message_bytes // 16), log_time=BEGIN + i * MS, publish_time=BEGIN)


def write_json(path, n_bytes, message_bytes):
    descriptor = foxglove.cloud(0).DESCRIPTOR
    with open(path, "wb") as file:
        writer = McapWriter(file)
        writer.start()
        schema = writer.register_schema(descriptor.full_name, "jsonschema", json.dumps(foxglove.json_schema(descriptor)).encode())
        channel = writer.register_channel("/cloud", "json", schema)
        for i in range(max(1, n_bytes // message_bytes)):
            writer.add_message(channel, BEGIN + i * MS, json.dumps(foxglove.json_value(cloud(i, message_bytes // 16))).encode(), BEGIN)
        writer.finish()


def write_table(path, n_bytes, n_columns):
    row = "," + ",".join(f"{x:.6f}" for x in RANDOM.random(n_columns)) + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write("t" + "".join(f",c{i}" for i in range(n_columns)) + "\n")
        for i in range(max(2, n_bytes // (len(row) + 8))):
            file.write(f"{i * 0.001:.3f}{row}")


def write_ply(path, n_bytes, text):
    vertices = np.zeros(max(1, n_bytes // (32 if text else 16)), [(name, "f4") for name in ("x", "y", "z", "i")])
    for name in vertices.dtype.names:
        vertices[name] = RANDOM.random(len(vertices), np.float32)
    plyfile.PlyData([plyfile.PlyElement.describe(vertices, "vertex")], text=text).write(str(path))


def write_las(path, n_bytes):
    las = laspy.create(point_format=3, file_version="1.2")
    n = max(1, n_bytes // 34)
    las.header.scales = [0.001] * 3
    las.x, las.y, las.z = RANDOM.random((3, n)) * 100
    las.write(str(path))


BAG, PARSE = "robocachebagsrc location={path} ! fakesink", "filesrc location={path} ! robocacheparse {more} ! fakesink"
# pipeline, suffix, writer of a path and a size
FILES = {
    **{f"ROS 1, {compression}, {what}": (BAG, ".bag", lambda path, n, c=compression, m=message, k=chunk: write_bag(path, n, c, min(m, n), k))
       for compression in ros1.COMPRESSIONS for what, message, chunk in (("messages", 60000, 768 << 10), ("a chunk", 60000, 1 << 30),
                                                                        ("a message", SIZE, 768 << 10))},
    **{f"{name}, {what}": (BAG, ".mcap", lambda path, n, w=write, m=message: w(path, n, min(m, n)))
       for name, write in (("protobuf", write_protobuf), ("JSON", write_json)) for what, message in (("messages", 60000), ("a message", SIZE))},
    "table": (PARSE, ".csv", lambda path, n: write_table(path, n, 12)),
    "table, 10,000 columns": (PARSE, ".csv", lambda path, n: write_table(path, n, 10000)),
    "PLY, text": (PARSE, ".ply", lambda path, n: write_ply(path, n, True)),
    "PLY, binary": (PARSE, ".ply", lambda path, n: write_ply(path, n, False)),
    "LAS": (PARSE, ".las", write_las),
}


def peak(pipeline, path):
    words = pipeline.format(path=path, more="" if path.suffix == ".csv" else f"format={path.suffix[1:]}").split()
    done = subprocess.run([PEAK, "gst-launch-1.0", "-q", *words], env={**os.environ, "MALLOC_ARENA_MAX": "2", "MALLOC_PERTURB_": "0"}, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=250, check=False)
    if done.returncode:
        raise RuntimeError(f"status {done.returncode}: {done.stderr.decode()[-500:]}")
    return int(done.stdout.splitlines()[-1]) * 1024


def bounded(folder, name):
    pipeline, suffix, write = FILES[name]
    taken = []
    for what, n in (("small", 1600), ("large", SIZE)):
        path = Path(folder, what + suffix)
        write(path, n)
        taken.append((path.stat().st_size, peak(pipeline, path)))
    (_, base), (size, most) = taken
    yield f"{(most - base) / MIB:.0f} MiB more for a file of {size / MIB:.0f} MiB", most - base <= 4 * size + 64 * MIB, True
    print(f"{name}: {(most - base) / MIB:.0f} MiB more than a small file, for {size / MIB:.1f} MiB", file=sys.stderr)


if __name__ == "__main__":
    PEAK = sys.argv[1]
    sys.exit(run_cases([(name, in_folder, bounded, name) for name in FILES if not sys.argv[2:] or name in sys.argv[2:]]))

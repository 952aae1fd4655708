#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Memory of readers: at most 4 times the file and 64 MiB, beside what a small file of the same kind takes. Data that expand a thousand times are read
within it, or are an error that says how large they are.

    memory.py PEAK [CASE...]     PEAK: peak.c

Prints PASS, FAIL or SKIP for each case, with what it took; exit status 1 if one failed.
"""
import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import bags
import foxglove
import laspy
import numpy as np
import plyfile
import ros1
import zstandard
from bags import BEGIN, MS, in_folder
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter
from mcap_protobuf.schema import build_file_descriptor_set
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


# what downstream keeps does not count
SINK = "fakesink enable-last-sample=false"
BAG, PARSE = f"robocachebagsrc location={{path}} ! {SINK}", f"filesrc location={{path}} ! robocacheparse {{more}} ! {SINK}"
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


# ---- zeros, which compression makes small, before a small message: gst-launch-1.0 of GStreamer 1.22 may wait for ever after an error at the start ----

def write_zeros(path, n_bytes, compression, message_bytes, together):
    """Chunks of `together` bytes of messages whose times overlap: chunk i has messages i, i + n, i + 2 n …"""
    n_chunks, each = max(1, n_bytes // together), max(1, together // message_bytes)
    with open(path, "wb") as file:
        writer = McapWriter(file, chunk_size=together - message_bytes // 2, compression=compression)
        writer.start()
        schema = writer.register_schema("foxglove.PointCloud", "protobuf", build_file_descriptor_set(type(foxglove.cloud(0))).SerializeToString())
        channel = writer.register_channel("/cloud", "protobuf", schema)
        for i in range(n_chunks):
            for k in range(each):
                ms = k * n_chunks + i
                message = foxglove.cloud(ms)
                message.data = bytes(message_bytes // 16 * 16)
                writer.add_message(channel, BEGIN + ms * MS, message.SerializeToString(), BEGIN)
        writer.add_message(channel, BEGIN + 2 * n_chunks * each * MS, cloud(0, 10).SerializeToString(), BEGIN)
        writer.finish()


def write_zero_bag(path, n_bytes, compression, message_bytes):
    writer = Writer(path)
    writer.set_compression(ros1.COMPRESSIONS[compression])
    writer.chunk_threshold = n_bytes - message_bytes // 2
    sizes = [message_bytes // 16 * 16] * max(1, n_bytes // message_bytes) + [160]
    with writer:
        connection = writer.add_connection("/cloud", "sensor_msgs/msg/PointCloud2", typestore=ros1.STORE)
        for i, size in enumerate(sizes):
            message = bags.large(i)
            message.data = np.zeros(size, np.uint8)
            message.width, message.row_step, message.point_step = size // 16, size, 16
            message = ros1.to_ros1(message, "")
            writer.write(connection, BEGIN + i * MS, bytes(ros1.STORE.serialize_ros1(message, message.__msgtype__)))


def write_zero_messages(path, n_bytes):
    """A message that is compressed by itself."""
    with open(path, "wb") as file:
        writer = McapWriter(file, compression=CompressionType.NONE)
        writer.start()
        definition = bags.STORE.generate_msgdef("sensor_msgs/msg/PointCloud2", ros_version=2)[0]
        channel = writer.register_channel("/cloud", "cdr", writer.register_schema("sensor_msgs/msg/PointCloud2", "ros2msg", definition.encode()))
        for i, size in enumerate((n_bytes, n_bytes, 160)):
            message = bags.large(i)
            message.data = np.zeros(size, np.uint8)
            message.width, message.row_step, message.point_step = size // 16, size, 16
            data = bytes(bags.STORE.serialize_cdr(message, message.__msgtype__))
            writer.add_message(channel, BEGIN + i * MS, zstandard.ZstdCompressor().compress(data), BEGIN)
        writer.finish()


def write_depths(path, n_bytes, form, head):
    """Pictures of n_bytes pixels, of which the data have few."""
    sides = [int(n_bytes ** 0.5)] * 2 + [8]
    with open(path, "wb") as file:
        writer = McapWriter(file)
        writer.start()
        definition = bags.STORE.generate_msgdef("sensor_msgs/msg/CompressedImage", ros_version=2)[0]
        channel = writer.register_channel("/depth", "cdr", writer.register_schema("sensor_msgs/msg/CompressedImage", "ros2msg", definition.encode()))
        for i, side in enumerate(sides):
            data = np.frombuffer(struct.pack("<iff", 0, 1, 0) + head(side), np.uint8)
            message = bags.make("sensor_msgs/CompressedImage", header=bags.header(i), format=f"32FC1; compressedDepth {form}", data=data)
            writer.add_message(channel, BEGIN + i * MS, bytes(bags.STORE.serialize_cdr(message, message.__msgtype__)), BEGIN)
        writer.finish()


def zero_png(side):
    part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    packed = zlib.compress(bytes(side * (1 + 2 * side)), 9)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", side, side, 16, 0, 0, 0, 0)) + part(b"IDAT", packed) + part(b"IEND", b"")


def zero_rvl(side):
    """One run of zeros: groups of three bits, the lowest first, each but the last with the fourth bit, from the highest four bits of a word on."""
    n, nibbles = side * side, []
    while n or not nibbles:
        nibbles.append(n & 7 | 8 * (n > 7))
        n >>= 3
    nibbles += [0] * (-(len(nibbles) + 1) % 8 + 1)
    words = [sum(nibble << 28 - 4 * k for k, nibble in enumerate(nibbles[i:i + 8])) for i in range(0, len(nibbles), 8)]
    return struct.pack(f"<II{len(words)}I", side, side, *words)


MCAP, ZEROS = CompressionType, 160 * MIB
# pipeline, suffix, writer of a path and a size, bytes that are read whole, bytes above the limit, and what is said of them
EXPANDING = {
    **{f"MCAP, {name} of zeros, a chunk of {what}": (BAG, ".mcap", lambda path, n, c=compression, m=message: write_zeros(path, n, c, min(m, n), n),
                                                     fit * MIB, large * MIB, text)
       for name, compression in (("zstd", MCAP.ZSTD), ("LZ4", MCAP.LZ4))
       for what, message, fit, large, text in (("messages", MIB, 30, 160, "the chunk announces"), ("a message", ZEROS, 14, 30, "bytes unpacked, more than"))},
    "MCAP, many chunks at one time": (BAG, ".mcap", lambda path, n: write_zeros(path, n, MCAP.ZSTD, MIB, 4 * MIB), 28 * MIB, ZEROS,
                                      "messages are out of order: chunks that overlap in time have more than 32 MiB unpacked. Set max-message-bytes"),
    **{f"ROS 1, {name} of zeros": (BAG, ".bag", lambda path, n, c=name: write_zero_bag(path, n, c, min(n, MIB)), 27 * MIB, ZEROS,
                                   "the chunk announces") for name in ("bz2", "lz4")},
    "messages of zeros by zstd": (BAG, ".mcap", write_zero_messages, 30 * MIB, ZEROS, "a message compressed by zstd has more than"),
    **{f"depth of zeros, {form}": (BAG, ".mcap", lambda path, n, f=form, h=head: write_depths(path, n, f, h), 8 * MIB, 100 * MIB, "a depth image of")
       for form, head in (("png", zero_png), ("rvl", zero_rvl))},
}


def run(pipeline, path):
    """(peak, what was said)"""
    words = pipeline.format(path=path, more="" if path.suffix == ".csv" else f"format={path.suffix[1:]}").split()
    done = subprocess.run([PEAK, "gst-launch-1.0", *words], env={**os.environ, "MALLOC_ARENA_MAX": "2", "MALLOC_PERTURB_": "0"}, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=250, check=False)
    said = [line for line in (done.stdout + done.stderr).decode().splitlines() if line.startswith(("WARNING", "ERROR"))]
    return int(done.stdout.splitlines()[-1]) * 1024, done.returncode, "\n".join(said)


def peak(pipeline, path):
    most, status, said = run(pipeline, path)
    if status:
        raise RuntimeError(f"status {status}: {said[-500:]}")
    return most


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


def expanding(folder, name):
    pipeline, suffix, write, fitting, too_large, text = EXPANDING[name]
    small, path = Path(folder, "small" + suffix), Path(folder, "expanding" + suffix)
    write(small, 1600)
    base = peak(pipeline, small)
    for n, wanted in ((fitting, ""), (too_large, text)):
        path.unlink(missing_ok=True)
        write(path, n)
        size, (most, _, said) = path.stat().st_size, run(pipeline, path)
        most -= base
        yield f"{most / MIB:.0f} MiB more for {n / MIB:.0f} MiB in {size} bytes", most <= 4 * size + 64 * MIB, True
        yield f"said of {n / MIB:.0f} MiB", (wanted in said) if wanted else said, True if wanted else ""
        print(f"{name}: {most / MIB:.0f} MiB more than a small file, for {n / MIB:.0f} MiB in {size} bytes", file=sys.stderr)


if __name__ == "__main__":
    PEAK = sys.argv[1]
    # the first one scans the plugins
    subprocess.run(["gst-inspect-1.0", "robocachebagsrc"], stdout=subprocess.DEVNULL, check=True)
    CASES = [(name, in_folder, case, name) for case, names in ((bounded, FILES), (expanding, EXPANDING)) for name in names]
    sys.exit(run_cases([case for case in CASES if not sys.argv[2:] or case[0] in sys.argv[2:]]))

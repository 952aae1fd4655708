#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bags through examples/tools/robocache-align: the same as from CSV files with the same rows, and what is left out or refused.

    aligned.py ALIGN-RECORDINGS [CASE...]

Prints PASS, FAIL or SKIP for each case; exit status 1 if one failed.
"""
import csv
import json
import math
import io
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from mcap.reader import SeekingReader
from mcap.writer import Writer as McapWriter
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2 import StoragePlugin, Writer

import ros1
from bags import BEGIN, KINDS, MS, STORE, TOPICS, file_of, header, make, vector, without_definitions, wrench, write_bag
from mcapplan import run_cases

NAMES = {
    "/wrench": ["fx", "fy", "fz", "tx", "ty", "tz"],
    "/joints": ["a.position", "b.position"],
    "/force": [f"contacts[{i}].{field}" for i in range(2) for field in ("force.x", "force.y", "force.z", "sensor")] + ["sum"],
}


def align(folder, *arguments):
    """(status, standard output, errors)."""
    done = subprocess.run([PROGRAM, "--overwrite", *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def write_csv(path, topic, times_ms, delay_ms=0):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["stamp_ns", *NAMES[topic]])
        for ms in times_ms:
            writer.writerow([BEGIN + (ms + delay_ms) * MS, *(repr(float(x)) for x in TOPICS[topic][2](ms))])
    return path


def csvs(folder, topics=tuple(NAMES), begin_ms=0, end_ms=1000):
    return [write_csv(Path(folder, topic.strip("/") + ".csv"), topic, range(begin_ms, end_ms, TOPICS[topic][3])) for topic in topics]


def aligned(folder, *arguments, warning=None):
    """The lines of the CSV, once it is written without an error; its only warning, if any, has that text."""
    status, _, errors = align(folder, "--output", "out.csv", *arguments)
    assert status == 0 and (warning in errors and errors.count("\n") == 1 if warning else errors == ""), errors
    return Path(folder, "out.csv").read_text(encoding="utf-8").splitlines()


def rows_of(lines):
    """By the name of a column. The first line is a comment with the origin."""
    return list(csv.DictReader(lines[1:]))


def rounded(lines):
    """Rows of a bag are double until they are blended, those of CSV files are not."""
    def one(text):
        try:
            return f"{float(text):.6g}" if "." in text else text
        except ValueError:
            return text
    return [",".join(map(one, line.split(","))) for line in lines]


# ---- cases: generators of (what, got, expected) ----

def as_csv(folder, kind):
    """All kinds of bags are as good as CSV files."""
    bag = write_bag(Path(folder, "bag"), kind)
    for rate in ("100", "62.5", "1000/3"):
        wanted = rounded(aligned(folder, "--rate", rate, *csvs(folder)))
        found = aligned(folder, "--rate", rate, f"{bag},topics=/wrench,/joints,/force")
        yield f"at {rate}", rounded(found), wanted
        yield f"at {rate}, by file", aligned(folder, "--rate", rate, f"{file_of(bag)},topics=/wrench,/joints,/force"), found
    for options, warning in (("interpolation=previous", None), ("offset=-20ms,max-gap=10ms", "max-gap is 10ms"), ("required,hold-limit=0", None)):
        yield options, rounded(aligned(folder, f"{bag},topics=/joints,{options}", warning=warning)), \
            rounded(aligned(folder, f"{csvs(folder, ['/joints'])[0]},{options}", warning=warning))


def as_csv_of_ros1(folder, compression):
    """A bag of ROS 1, too."""
    bag = ros1.write_bag(Path(folder, "a.bag"), compression)
    yield "rows", rounded(aligned(folder, "--rate", "62.5", f"{bag},topics=/wrench,/joints,/force")), \
        rounded(aligned(folder, "--rate", "62.5", *csvs(folder)))


def what_it_says(folder):
    bag = write_bag(Path(folder, "bag"), "mcap")
    _, said, _ = align(folder, bag)
    lines = said.splitlines()
    yield "left out", [line for line in lines if "left out" in line], [f"{bag} /cloud is left out: application/x-pointcloud is no row of numbers"]
    yield "rows", [line for line in lines if line.startswith(f"{bag} /wrench")], [
        f"{bag} /wrench: 100 rows of 6 channels, about 100 Hz, from 1700000000 s to 1700000000.99 s"]
    yield "table", [line.split()[:3] for line in lines if line.startswith(("wrench ", "joints ", "force "))], [
        ["wrench", "100", "100"], ["joints", "50", "50"], ["force", "40", "40"]]
    _, said, _ = align(folder, f"{write_imu(folder)}")
    yield "quaternions", "; quaternions at channel 0, by slerp (by its type)" in said, True


def imu(ms, angle):
    zeros = np.zeros(9)
    half = angle / 2
    return make("sensor_msgs/Imu", header=header(ms), orientation=make("geometry_msgs/Quaternion", x=0.0, y=0.0, z=math.sin(half), w=math.cos(half)),
                orientation_covariance=zeros, angular_velocity=vector(0, 0, 1), angular_velocity_covariance=zeros,
                linear_acceleration=vector(0, 0, 9.8), linear_acceleration_covariance=zeros)


def write_messages(folder, name, messages):
    """A bag of (topic, type, log ms, message)."""
    bag = Path(folder, name)
    with Writer(bag, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        connections = {}
        for topic, kind, ms, message in messages:
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=STORE)
            writer.write(connections[topic], BEGIN + ms * MS, bytes(STORE.serialize_cdr(message, kind)))
    return bag


def write_imu(folder):
    return write_messages(folder, "imu_bag", [("/imu", "sensor_msgs/msg/Imu", ms, imu(ms, ms / 1000)) for ms in range(0, 500, 10)])


def quaternions(folder):
    """Slerp by the type: the norm between two rows is 1, as it is not along the chord."""
    turned = [("/imu", "sensor_msgs/msg/Imu", ms, imu(ms, 2.0 * (ms // 100 % 2))) for ms in range(0, 1000, 100)]
    bag = write_messages(folder, "turned", turned)
    rows = rows_of(aligned(folder, "--rate", "20", bag))
    between = [sum(float(row[c]) ** 2 for c in ("qx", "qy", "qz", "qw")) for row in rows[1::2]]
    yield "rows", len(between) > 5, True
    yield "norms", [round(norm, 5) for norm in between], [1.0] * len(between)


def frame(ms, child, x):
    transform = make("geometry_msgs/Transform", translation=vector(x, 0, 0), rotation=make("geometry_msgs/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0))
    return make("tf2_msgs/TFMessage", transforms=[make("geometry_msgs/TransformStamped", header=header(ms), child_frame_id=child,
                                                       transform=transform)])


def late_streams(folder):
    """A frame of /tf that comes when the others have played for long, and one that ends early."""
    messages = []
    for ms in range(0, 20000, 10):
        messages.append(("/wrench", "geometry_msgs/msg/WrenchStamped", ms, wrench(ms)))
        if ms < 3000 and ms % 100 == 0:
            messages.append(("/tf", "tf2_msgs/msg/TFMessage", ms, frame(ms, "early", ms)))
        if ms >= 15000 and ms % 100 == 0:
            messages.append(("/tf", "tf2_msgs/msg/TFMessage", ms, frame(ms, "late", ms)))
    bag = write_messages(folder, "tf", messages)
    rows = rows_of(aligned(folder, bag))
    yield "ticks", len(rows), 2000
    yield "wrench", [row["fx"] for row in rows], [str(10 * i) for i in range(2000)]
    for child, inside in (("early", range(0, 291)), ("late", range(1500, 1991))):
        x = [row[f"tf:{child}.x"] for row in rows]
        yield child, [x[i] for i in inside], [str(10 * i) for i in inside]
        yield f"{child} is missing", {x[i] for i in range(2000) if i not in range(inside[0], inside[-1] + 25)}, {"nan"}


def long_transport(folder):
    """Rows that arrive 5 s after their capture, and a clock that is an hour ahead."""
    for name, lag in (("behind", 5000), ("ahead", -3600_000)):
        messages = [("/a", "geometry_msgs/msg/WrenchStamped", ms, wrench(ms)) for ms in range(0, 8000, 10)]
        messages += [("/b", "geometry_msgs/msg/WrenchStamped", ms + lag, wrench(ms)) for ms in range(0, 8000, 10)]
        messages = [m for m in messages if BEGIN + m[2] * MS > 0]
        bag = write_messages(folder, name, sorted(messages, key=lambda m: m[2]))
        rows = rows_of(aligned(folder, f"{bag},time-source=stamp"))
        for topic in ("a", "b"):
            yield f"{name} {topic}", [row[f"{topic}.fx"] for row in rows], [str(10 * i) for i in range(800)]


def inspected(folder):
    """What inspect shows of kinds of bags, and of a clock that is an hour ahead."""
    def inspect(path):
        done = subprocess.run([Path(PROGRAM).with_name("robocache-inspect"), "--json", path], cwd=folder, capture_output=True, text=True, timeout=120,
                              check=True)
        return {stream["stream"]: stream for stream in json.loads(done.stdout)[0]["streams"]}
    for kind in KINDS:
        streams = inspect(write_bag(Path(folder, kind), kind))
        for topic, names in NAMES.items():
            yield f"{kind} {topic}", (streams[topic]["channels"], streams[topic]["period_ns"]), (names, TOPICS[topic][3] * MS)
    messages = [("/a", "geometry_msgs/msg/WrenchStamped", ms, wrench(ms)) for ms in range(0, 8000, 10)]
    messages += [("/b", "geometry_msgs/msg/WrenchStamped", ms - 3600_000, wrench(ms)) for ms in range(0, 8000, 10)]
    streams = inspect(write_messages(folder, "ahead", sorted(messages, key=lambda m: m[2])))
    clocks = [streams[topic]["clock"] for topic in ("/a", "/b")]
    yield "timeline", [clock["is_timeline"] for clock in clocks], [True, False]
    yield "shift", round(clocks[1]["shift_ns"] / 10**9), -3600
    yield "rows are on one timeline", abs(streams["/b"]["first_ns"] - clocks[1]["shift_ns"] - BEGIN) <= clocks[1]["uncertainty_ns"] + MS, True


def with_csv(folder):
    """A bag and a CSV file together."""
    bag = write_bag(Path(folder, "bag"), "mcap by message")
    wanted = rounded(aligned(folder, *csvs(folder, ["/joints", "/wrench"])))
    yield "rows", rounded(aligned(folder, csvs(folder, ["/joints"])[0], f"{bag},topics=/wrench")), wanted
    yield "twice", rounded(aligned(folder, f"{bag},topics=/joints", f"{bag},topics=/wrench")), wanted


def humble(folder):
    """Definitions from a folder."""
    bag = without_definitions(write_bag(Path(folder, "bag"), "sqlite"))
    share = Path(folder, "my_msgs")
    share.mkdir()
    (share / "Force.msg").write_text("std_msgs/Header header\nContact[] contacts\nfloat64 sum\n", encoding="utf-8")
    (share / "Contact.msg").write_text("geometry_msgs/Vector3 force\nint16 sensor\n", encoding="utf-8")
    yield "rows", rounded(aligned(folder, f"{bag},topics=/force,msg-path={share}")), \
        rounded(aligned(folder, *csvs(folder, ["/force"])))
    yield "fields", aligned(folder, f"{bag},topics=/force,fields=sum,msg-path={share}")[1].split(",")[1:2], ["sum"]


def to_mcap(folder):
    """The rows of the CSV in an MCAP file, at the times of their ticks."""
    bag = write_bag(Path(folder, "bag"), "sqlite")
    rows = rows_of(aligned(folder, f"{bag},topics=/wrench,/joints"))
    status, _, errors = align(folder, "--output", "out.mcap", f"{bag},topics=/wrench,/joints")
    yield "status", (status, errors), (0, "")
    reader = SeekingReader(io.BytesIO(Path(folder, "out.mcap").read_bytes()), validate_crcs=True, decoder_factories=[DecoderFactory()])
    found = {}
    for _, channel, message, decoded in reader.iter_decoded_messages():
        found.setdefault(channel.topic, []).append((message.publish_time, decoded))
    for topic, source in (("/aligned/sink_0", "/wrench"), ("/aligned/sink_1", "/joints")):
        yield f"times of {topic}", [time for time, _ in found[topic]], [BEGIN + 10 * i * MS for i in range(len(rows))]
        yield topic, [[f"{x:.6g}" for x in decoded.values_float64] for _, decoded in found[topic]], \
            [[f"{float(row[name]):.6g}" for name in NAMES[source]] for row in rows]
    yield "ticks", len(found["/aligned/tick"]), len(rows)
    yield "left", sorted(p.name for p in Path(folder).iterdir()), ["bag", "out.csv", "out.html", "out.mcap"]


def cut(folder):
    """The rows of whole chunks, which are a megabyte, and a warning."""
    bag = write_bag(Path(folder, "bag"), "mcap", end_ms=60000, topics=["/wrench", "/cloud"])
    recording = file_of(bag)
    whole = aligned(folder, f"{bag},topics=/wrench")
    data = recording.read_bytes()
    recording.write_bytes(data[:-len(data) // 3])
    for name in (bag, recording):
        lines = aligned(folder, f"{name},topics=/wrench", warning=f"{recording}: the recording is cut: no whole record is left from byte ")
        yield "number", 1000 < len(lines) < len(whole), True
        yield "rows", lines, whole[:len(lines)]


def overlapping_chunks(folder):
    """A chunk for each topic, of 10 MiB: above the limit messages come too late, which one warning says, and another limit mends."""
    path, topics = Path(folder, "chunks.mcap"), [f"/t{i}" for i in range(6)]
    definition = STORE.generate_msgdef("geometry_msgs/msg/WrenchStamped", ros_version=2)[0]
    with path.open("wb") as file:
        writer = McapWriter(file, chunk_size=(10 << 20) + 1)
        writer.start()
        schema = writer.register_schema("geometry_msgs/msg/WrenchStamped", "ros2msg", definition.encode())
        for topic in topics:
            channel = writer.register_channel(topic, "cdr", schema)
            for ms in range(0, 10000, 10):
                message = wrench(ms)
                message.header.frame_id = "f" * 10000
                writer.add_message(channel, BEGIN + ms * MS, bytes(STORE.serialize_cdr(message, message.__msgtype__)), BEGIN + ms * MS)
        writer.finish()
    for options, warnings, late in ((",reorder-window=0ms", 1, True), (",reorder-window=0ms,max-message-bytes=100000000", 0, False)):
        status, said, errors = align(folder, "--output", "out.csv", str(path) + options)
        lost = [line.split()[3] for line in said.splitlines() if f"/{line.split(' ')[0]}" in topics]
        yield f"warnings{options}", (status, errors.count("messages are out of order: chunks that overlap"), errors.count("\n")), (0, warnings, warnings)
        yield f"rows that are late{options}", (len(lost), lost != ["0"] * len(lost)), (len(topics), late)


def many_topics(folder):
    """The CPU time grows about as the number of topics does: the report with a page is part of it."""
    times = []
    for n in (100, 400):
        bag = write_messages(folder, f"bag{n}", [(f"/t{i}", "geometry_msgs/msg/WrenchStamped", ms, wrench(ms))
                                                 for ms in range(0, 1000, 100) for i in range(n)])
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        status, _, errors = align(folder, "--output", "out.csv", bag)
        # a busy machine may take seconds until all topics have rows
        yield "status", (status, [line for line in errors.splitlines() if " has no row after 2 s" not in line]), (0, [])
        yield "columns", len(Path(folder, "out.csv").read_text(encoding="utf-8").splitlines()[1].split(",")) > 6 * n, True
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    yield f"at most 10 times the CPU time for 4 times the topics: {times}", times[1] < 10 * times[0], True


# arguments with FOLDER, the error with FOLDER, the exit status if it is not 1
REFUSED = {
    "no topic": (["FOLDER/bag,topics=/nothing"], 'FOLDER/bag: no topic of the recording matches topics="/nothing"'),
    "no row": (["FOLDER/bag,topics=/cloud"], "FOLDER/bag has no topic whose messages are rows of numbers"),
    "option of CSV": (["FOLDER/bag,delimiter=;"], "FOLDER/bag: delimiter is an option for CSV files, but this is a bag of ROS 2", 2),
    "option of bags": (["FOLDER/joints.csv,topics=/a"], "FOLDER/joints.csv: topics is an option for bags of ROS 2, but this is not one", 2),
    "limit": (["FOLDER/bag,max-message-bytes=x"], "FOLDER/bag: max-message-bytes=x: expected a number", 2),
    "log of PX4": (["FOLDER/log.ulg"], "FOLDER/log.ulg: a PX4 log: convert it to CSV with ulog2csv of pyulog"),
    "missing file": (["FOLDER/missing"], "FOLDER/missing/missing.mcap: No such file or directory"),
    "no MCAP to a pipe": (["--output", "/dev/fd/9.mcap", "FOLDER/bag"], "/dev/fd/9.mcap: No such file or directory"),
    "onto itself": (["--output", "FOLDER/bag/bag.mcap", "FOLDER/bag/bag.mcap"],
                    "--output FOLDER/bag/bag.mcap is one of the inputs; write to another file"),
    "a file of the bag": (["--output", "FOLDER/bag/bag.mcap", "FOLDER/bag"],
                          "--output FOLDER/bag/bag.mcap is one of the inputs; write to another file"),
    "the bag's metadata": (["--output", "FOLDER/bag/metadata.yaml", "FOLDER/bag"],
                           "--output FOLDER/bag/metadata.yaml is one of the inputs; write to another file"),
    "metadata beside the file": (["--output", "FOLDER/bag/metadata.yaml", "FOLDER/bag/bag.mcap"],
                                 "--output FOLDER/bag/metadata.yaml is one of the inputs; write to another file"),
    "a link to the bag": (["--output", "FOLDER/x.csv", "--report", "FOLDER/missing/../bag/metadata.yaml", "FOLDER/bag"],
                          "--report FOLDER/missing/../bag/metadata.yaml is one of the inputs; write to another file"),
    "a definition": (["--output", "FOLDER/missing/metadata.yaml", "FOLDER/bag,msg-path=FOLDER/none:FOLDER/missing"],
                     "--output FOLDER/missing/metadata.yaml is one of the inputs; write to another file"),
    "one file twice": (["--output", "FOLDER/x.csv", "--report", "FOLDER/bag/../x.csv", "FOLDER/bag"],
                       "--output FOLDER/x.csv and --report FOLDER/bag/../x.csv are the same file; write to two files"),
}


def refused(folder, arguments, text, expected=1):
    write_bag(Path(folder, "bag"), "mcap")
    os.unlink(file_of(write_bag(Path(folder, "missing"), "mcap")))
    csvs(folder, ["/joints"])
    Path(folder, "log.ulg").write_bytes(b"ULog\1\x12\x35" + bytes(99))
    before = {p: p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}
    status, _, errors = align(folder, *(argument.replace("FOLDER", folder) for argument in arguments))
    yield "error", (status, errors), (expected, "error: " + text.replace("FOLDER", folder) + "\n")
    yield "nothing is written", sorted(p.name for p in Path(folder).iterdir()), ["bag", "joints.csv", "log.ulg", "missing"]
    yield "no file is changed", {p: p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}, before


def list_cases():
    for kind in KINDS:
        yield f"as CSV: {kind}", in_folder, as_csv, kind
    for compression in ros1.COMPRESSIONS:
        yield f"as CSV: ROS 1, {compression}", in_folder, as_csv_of_ros1, compression
    for case in (what_it_says, quaternions, late_streams, long_transport, inspected, with_csv, humble, to_mcap, cut, overlapping_chunks,
                 many_topics):
        yield case.__name__.replace("_", " "), in_folder, case
    for name, arguments in REFUSED.items():
        yield f"refused: {name}", in_folder, refused, *arguments


def in_folder(case, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        yield from case(folder, *arguments)


if __name__ == "__main__":
    PROGRAM = Path(sys.argv[1]).resolve()
    sys.exit(run_cases([case for case in list_cases() if not sys.argv[2:] or case[0] in sys.argv[2:]]))

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bags of rosbags in every storage and compression through robocachebagsrc: the same values, and an error for what is wrong.

    bags.py DEMUXTOOL [CASE...]

Prints PASS, FAIL or SKIP for each case; exit status 1 if one failed.
"""
import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import zstandard
from rosbags.rosbag2 import CompressionFormat, CompressionMode, Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from mcapplan import run_cases

STORE = get_typestore(Stores.ROS2_HUMBLE)
STORE.register(get_types_from_msg("std_msgs/Header header\nContact[] contacts\nfloat64 sum", "my_msgs/msg/Force"))
STORE.register(get_types_from_msg("geometry_msgs/Vector3 force\nint16 sensor", "my_msgs/msg/Contact"))
MS, BEGIN = 10**6, 1_700_000_000 * 10**9
FORCE = "std_msgs/Header header\nContact[] contacts # by sensor\nfloat64 sum\n"
CONTACT = "geometry_msgs/Vector3 force\nint16 sensor\n"

# storage and compression, as rosbags calls them
KINDS = {
    "sqlite": (StoragePlugin.SQLITE3, CompressionMode.NONE),
    "sqlite by file": (StoragePlugin.SQLITE3, CompressionMode.FILE),
    "sqlite by message": (StoragePlugin.SQLITE3, CompressionMode.MESSAGE),
    "mcap": (StoragePlugin.MCAP, CompressionMode.NONE),
    "mcap by file": (StoragePlugin.MCAP, CompressionMode.FILE),
    "mcap by message": (StoragePlugin.MCAP, CompressionMode.MESSAGE),
    "mcap by chunk": (StoragePlugin.MCAP, CompressionMode.STORAGE),
}


# ---- bags ----

def make(name, /, **fields):
    return STORE.types[name.replace("/", "/msg/")](**fields)


def header(ms):
    time = BEGIN + ms * MS
    return make("std_msgs/Header", stamp=make("builtin_interfaces/Time", sec=time // 10**9, nanosec=time % 10**9), frame_id="base")


def vector(x, y, z):
    return make("geometry_msgs/Vector3", x=float(x), y=float(y), z=float(z))


def wrench(ms):
    return make("geometry_msgs/WrenchStamped", header=header(ms),
                wrench=make("geometry_msgs/Wrench", force=vector(ms, -ms, 0.5), torque=vector(1, 2, 3)))


def joints(ms):
    return make("sensor_msgs/JointState", header=header(ms), name=["a", "b"], position=np.array([ms / 7, 1.0]), velocity=np.array([]),
                effort=np.array([]))


def force(ms):
    contacts = [make("my_msgs/Contact", force=vector(ms, 0, i), sensor=i) for i in range(2)]
    return make("my_msgs/Force", header=header(ms), contacts=contacts, sum=ms / 2)


def cloud(ms):
    fields = [make("sensor_msgs/PointField", name=n, offset=4 * i, datatype=7, count=1) for i, n in enumerate("xyz")]
    data = np.arange(3 * 50, dtype=np.float32).view(np.uint8)
    return make("sensor_msgs/PointCloud2", header=header(ms), height=1, width=50, fields=fields, is_bigendian=False, point_step=12,
                row_step=600, data=data, is_dense=True)


def large(ms):
    return make("sensor_msgs/PointCloud2", header=header(ms), height=1, width=5000, is_bigendian=False, point_step=12, row_step=60000,
                fields=[make("sensor_msgs/PointField", name=n, offset=4 * i, datatype=7, count=1) for i, n in enumerate("xyz")],
                data=np.zeros(60000, np.uint8), is_dense=True)


# topic: type, message at ms, its values as the tool prints them, and the period (ms)
TOPICS = {
    "/wrench": ("geometry_msgs/msg/WrenchStamped", wrench, lambda ms: [ms, -ms, 0.5, 1, 2, 3], 10),
    "/joints": ("sensor_msgs/msg/JointState", joints, lambda ms: [ms / 7, 1.0], 20),
    "/cloud": ("sensor_msgs/msg/PointCloud2", cloud, lambda ms: np.arange(150, dtype=np.float32).tobytes().hex(), 50),
    "/force": ("my_msgs/msg/Force", force, lambda ms: [ms, 0, 0, 0, ms, 0, 1, 1, ms / 2], 25),
}
ALL_TOPICS = {**TOPICS, "/large": ("sensor_msgs/msg/PointCloud2", large, lambda ms: bytes(60000).hex(), 500)}


def write_bag(folder, kind, begin_ms=0, end_ms=1000, topics=TOPICS, version=9):
    """A bag of rosbags, each message arriving 3 ms after its capture."""
    storage, compression = KINDS[kind]
    writer = Writer(folder, version=version, storage_plugin=storage)
    if compression != CompressionMode.NONE:
        writer.set_compression(compression, CompressionFormat.ZSTD)
    with writer:
        connections = {topic: writer.add_connection(topic, ALL_TOPICS[topic][0], typestore=STORE) for topic in topics}
        for ms in range(begin_ms, end_ms, 5):
            for topic, connection in connections.items():
                name, message, _, period = ALL_TOPICS[topic]
                if ms % period == 0:
                    writer.write(connection, BEGIN + (ms + 3) * MS, bytes(STORE.serialize_cdr(message(ms), name)))
    return folder


def file_of(bag):
    return next(path for path in sorted(bag.iterdir()) if path.name != "metadata.yaml")


def edit_metadata(bag, *replacements):
    path = bag / "metadata.yaml"
    text = path.read_text(encoding="utf-8")
    for pattern, replacement in replacements:
        text, n = re.subn(pattern, replacement, text, flags=re.M)
        assert n, f"no {pattern} in {text}"
    path.write_text(text, encoding="utf-8")


def sql(path, *statements):
    with sqlite3.connect(path) as database:
        for statement in statements:
            database.execute(statement)
    database.close()


# ---- what the element makes of them ----

def run_tool(path, *properties, part=(), source="bag"):
    """What the tool prints. source: "bag", or the block size of robocachemcapdemux."""
    done = subprocess.run([TOOL, " ".join(properties), path, source, *map(str, part)], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr[-800:]}")
    return done.stdout


def play(path, *properties, part=(), source="bag"):
    """({topic: [(ms, values)]}, [messages of the bus])."""
    pads, messages = {}, []
    for line in filter(None, run_tool(path, *properties, part=part, source=source).splitlines()):
        if not line.startswith("src_"):
            messages.append(line)
            continue
        _, topic, words = line.split(" ", 2) if line.count(" ") > 1 else (*line.split(" "), "")
        # behind a flush, if there was one; ! is DISCONT
        words = words.rpartition(" flush")[2].replace("!", "")
        buffers = [word.partition("=")[::2] for word in re.sub(r"caps\[[^]]*\]", "", words).split(" ") if "=" in word]
        pads.setdefault(topic.partition("@")[0].rstrip(":").partition(":")[0], []).extend((float(t), value) for t, value in buffers)
    return pads, messages


def expected(topics=TOPICS, begin_ms=0, end_ms=1000):
    return {topic: [(ms, TOPICS[topic][2](ms)) for ms in range(begin_ms, end_ms, TOPICS[topic][3])] for topic in topics}


def as_numbers(pads):
    def one(value):
        return value if re.fullmatch("[0-9a-f]{100,}", value) else [float(x) for x in value.split(",")]
    return {topic: [(ms, one(value)) for ms, value in buffers] for topic, buffers in pads.items()}


def rounded(pads):
    """The tool prints as many digits as %g does."""
    return {topic: [(ms, v if isinstance(v, str) else [float(f"{x:.5g}") for x in v]) for ms, v in buffers] for topic, buffers in pads.items()}


def differences(pads, wanted):
    """(what, got, expected) of each topic."""
    got, wanted = rounded(as_numbers(pads)), rounded(wanted)
    yield "topics", sorted(got), sorted(wanted)
    for topic, buffers in wanted.items():
        yield topic, got[topic], buffers


def report(messages, kind):
    return [line.partition(" ")[2] for line in messages if line.startswith(kind)]


# ---- cases: generators of (what, got, expected) ----

def every_kind(folder, kind):
    bag = write_bag(Path(folder, "bag"), kind)
    pads, messages = play(bag)
    yield "messages", messages, []
    yield from differences(pads, expected())
    # the file by itself
    yield "file", play(file_of(bag))[0], pads
    with Reader(bag) as reader:
        yield "count", sum(len(buffers) for buffers in pads.values()), reader.message_count


def topics(folder):
    bag = write_bag(Path(folder, "bag"), "sqlite")
    for chosen in (["/wrench"], ["/joints", "/cloud"], ["/force", "/cloud", "/wrench"]):
        yield from differences(play(bag, "topics=" + ",".join(chosen))[0], expected(chosen))


def split(folder, kind):
    """Files of a bag one behind the other; the second of them overlaps the first, the third lies behind a gap."""
    spans = ((0, 500, ["/wrench", "/joints"]), (400, 800, ["/force", "/cloud"]), (900, 1000, ["/wrench", "/joints"]))
    bags = [write_bag(Path(folder, f"bag{i}"), kind, *span) for i, span in enumerate(spans)]
    files = [file_of(bag) for bag in bags]
    for path in files[1:]:
        shutil.move(path, bags[0])
    edit_metadata(bags[0], ("relative_file_paths:\n", f"relative_file_paths:\n  - {files[2].name}\n  - {files[1].name}\n"))
    wanted = expected(["/force", "/cloud"], 400, 800)
    for topic in ("/wrench", "/joints"):
        wanted[topic] = [pair for a, b in ((0, 500), (900, 1000)) for pair in expected([topic], a, b)[topic]]
    pads, messages = play(bags[0])
    yield "messages", messages, []
    yield from differences(pads, wanted)
    pads, messages = play(bags[0], part=(450, 920))
    yield "part", [ms for ms, _ in pads["/wrench"] if ms < 920], [*range(450, 500, 10), *range(900, 920, 10)]
    os.unlink(bags[0] / files[1].name)
    yield "missing file", report(play(bags[0])[1], "error"), [f"{bags[0] / files[1].name}: No such file or directory"]


def parts(folder, kind):
    """After a seek all rows of the segment come, and few before it."""
    bag = write_bag(Path(folder, "bag"), kind)
    for start, stop in ((0, 1000), (300, 400), (0, 50), (990, 1000), (985, 2000)):
        pads, messages = play(bag, part=(start, stop))
        yield f"messages {start}", messages, []
        for topic, buffers in expected().items():
            got = rounded(as_numbers(pads))[topic]
            inside = [(ms, v) for ms, v in got if start <= ms < stop]
            yield f"{topic} from {start} to {stop}", inside, [(ms, v) for ms, v in rounded({topic: buffers})[topic] if start <= ms < stop]
            yield f"{topic} before {start}", [ms for ms, _ in got if ms < start - 2000], []


def without_definitions(bag):
    sql(file_of(bag), "DROP TABLE message_definitions", "DROP TABLE metadata", "DROP TABLE schema")
    return bag


def humble(folder):
    """A .db3 holds no definitions: common types are built in, others come from msg-path."""
    bag = without_definitions(write_bag(Path(folder, "bag"), "sqlite", version=8))
    known = [topic for topic in TOPICS if topic != "/force"]
    pads, messages = play(bag)
    yield from differences(pads, expected(known))
    yield "unknown type", report(messages, "info"), [
        "/force of type my_msgs/msg/Force cannot be read: the recording has no definition of it: set msg-path of robocachebagsrc to a "
        "folder with its .msg file"]
    share, other = Path(folder, "share"), Path(folder, "other")
    for path, text in ((share / "my_msgs" / "msg" / "Force.msg", FORCE), (other / "deep" / "my_msgs" / "msg" / "Contact.msg", CONTACT)):
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    for paths in (f"{share}:{other}", f"{share / 'my_msgs' / 'msg'}:{other / 'deep' / 'my_msgs'}"):
        pads, messages = play(bag, f"msg-path={paths}")
        yield f"messages of {paths}", messages, []
        yield from differences(pads, expected())
    pads, messages = play(bag, f"msg-path={share}")
    yield "part of a definition", report(messages, "info"), [
        "/force of type my_msgs/msg/Force cannot be read: my_msgs/Force has the field contacts of type Contact, whose definition is missing"]
    yield "no folder", report(play(bag, f"msg-path={share}/none")[1], "error"), [
        f"msg-path: {share}/none is not a folder"]


def folder_in_paths(folder):
    """Up to version 3 of the metadata, paths begin with the folder."""
    bag = write_bag(Path(folder, "bag"), "sqlite")
    edit_metadata(bag, (r"version: \d+", "version: 3"), (r"- bag\.db3", "- bag/bag.db3"))
    yield from differences(play(bag)[0], expected())


def yaml_styles(folder):
    """What YAML allows, people write."""
    bag = write_bag(Path(folder, "bag"), "mcap")
    (bag / "metadata.yaml").write_text('%YAML 1.1\n---\n"rosbag2_bagfile_information": {version: 9, "storage_identifier": \'mcap\',  # c\n'
                                       '  relative_file_paths: ["bag.mca\\x70"], compression_mode: ~, compression_format: null}\n...\n', encoding="utf-8")
    yield from differences(play(bag)[0], expected())


def is_cut_mcap(folder):
    """What is whole of a cut file: chunks of a megabyte."""
    bag = write_bag(Path(folder, "bag"), "mcap", end_ms=60000, topics=["/wrench", "/cloud"])
    data = file_of(bag).read_bytes()
    file_of(bag).write_bytes(data[:-len(data) // 3])
    pads, messages = play(bag, "topics=/wrench")
    rows = rounded(as_numbers(pads))["/wrench"]
    yield "rows", rows, rounded(expected(["/wrench"], 0, 60000))["/wrench"][:len(rows)]
    yield "number", 1000 < len(rows) < 6000, True
    yield "warning", [re.sub("[0-9]+ on", "N on", line) for line in report(messages, "warning")], [
        f"{file_of(bag)}: the recording is cut: no whole record is left from byte N on"]


def damaged_message(folder):
    """A message that cannot be decompressed is lost, the others are not."""
    bag = write_bag(Path(folder, "bag"), "sqlite by message", topics=["/wrench"])
    sql(file_of(bag), "UPDATE messages SET data = substr(data, 1, 20) WHERE id = 7")
    pads, messages = play(bag)
    yield "rows", [ms for ms, _ in pads["/wrench"]], [ms for ms in range(0, 1000, 10) if ms != 60]
    yield "warning", report(messages, "warning"), [f"message of /wrench, log time {BEGIN + 63 * MS}: a message compressed by zstd is "
                                                   "damaged: cut"]


def write_ahead_log(folder):
    """A file whose writer used a log beside it: closed, it is read without a trace; with a log that was left, the log counts."""
    bag = write_bag(Path(folder, "bag"), "sqlite", topics=["/wrench"])
    sql(file_of(bag), "PRAGMA journal_mode=WAL")
    names = sorted(path.name for path in bag.iterdir())
    yield from differences(play(bag)[0], expected(["/wrench"]))
    yield "files", sorted(path.name for path in bag.iterdir()), names
    copy = Path(folder, "copy")
    database = sqlite3.connect(file_of(bag))
    database.execute("DELETE FROM messages WHERE id > 50")
    database.commit()
    # as after a crash: its log is not merged yet
    shutil.copytree(bag, copy)
    database.close()
    yield "log", any(path.name.endswith("-wal") for path in copy.iterdir()), True
    yield from differences(play(copy)[0], expected(["/wrench"], 0, 500))


# block sizes of robocachemcapdemux: random access, and as bytes arrive
SOURCES = ("0", "77", "65536")


def by_demuxer(folder, kind):
    """A file in MCAP through robocachemcapdemux alone."""
    bag = write_bag(Path(folder, "bag"), kind)
    for source in SOURCES:
        pads, messages = play(file_of(bag), source=source)
        yield f"messages, blocks of {source}", messages, []
        yield from differences(pads, expected())


# the events of a service, as messages for rosbags, and as rosbag2 defines them: in full, or by the service's text, with or without heading
SERVICE = "int64 a\nint64 b\n---\nint64 sum\n"
LINE = "=" * 80
INFO = "uint8 REQUEST_SENT=0\nuint8 event_type\nbuiltin_interfaces/Time stamp\nchar[16] client_gid\nint64 sequence_number\n"
EVENT = "service_msgs/msg/ServiceEventInfo info\nmy_msgs/{0}Add_Request[<=1] request\nmy_msgs/{0}Add_Response[<=1] response\n"
DEFINITIONS = {
    "in full": f"{EVENT.format('srv/')}\n{LINE}\nMSG: service_msgs/msg/ServiceEventInfo\n{INFO}\n{LINE}\nMSG: my_msgs/srv/Add_Request\n"
               f"int64 a\nint64 b\n{LINE}\nMSG: my_msgs/srv/Add_Response\nint64 sum\n",
    "of the service": f"{LINE}\nSRV: my_msgs/srv/Add\n{SERVICE}",
    "of the service alone": SERVICE,
}
for name, text in {"service_msgs/msg/ServiceEventInfo": INFO, "my_msgs/msg/Add_Request": "int64 a\nint64 b",
                   "my_msgs/msg/Add_Response": "int64 sum", "my_msgs/msg/Add_Event": EVENT.format("")}.items():
    STORE.register(get_types_from_msg(text, name))


def service_event(number, is_request):
    info = make("service_msgs/ServiceEventInfo", event_type=0 if is_request else 3, stamp=header(number).stamp,
                client_gid=np.arange(16, dtype=np.uint8), sequence_number=number)
    request, response = make("my_msgs/Add_Request", a=number, b=-2 * number), make("my_msgs/Add_Response", sum=-number)
    return make("my_msgs/Add_Event", info=info, request=[request] if is_request else [], response=[] if is_request else [response])


def service_events(folder, storage, definition):
    """Requests and responses by turns, and some of each behind each other."""
    path, events = Path(folder, "bag"), [(i, i % 2 == 0 or i > 6) for i in range(10)]
    with Writer(path, version=9, storage_plugin=storage) as writer:
        connection = writer.add_connection("/add/_service_event", "my_msgs/srv/Add_Event", msgdef=DEFINITIONS[definition], rihs01="RIHS01_0")
        for i, is_request in events:
            writer.write(connection, BEGIN + (i + 3) * MS, bytes(STORE.serialize_cdr(service_event(i, is_request), "my_msgs/msg/Add_Event")))
    if storage == StoragePlugin.SQLITE3 and DEFINITIONS[definition] == SERVICE:
        sql(file_of(path), "UPDATE message_definitions SET topic_type = 'my_msgs/srv/Add'")
    pads, messages = play(path)
    yield "messages", messages, []
    gid = [float(i) for i in range(16)]
    yield "rows", as_numbers(pads)["/add/_service_event"], [
        (i, [0.0 if is_request else 3.0, *gid, i, *([i, -2 * i] if is_request else [-i])]) for i, is_request in events]


# opcodes of MCAP, and where the content of such a record has its CRC: chunk, end of data, footer
CRCS = {0x06: 24, 0x0f: 0, 0x02: 16}


def without_crcs(data):
    """An MCAP file whose CRCs are 0: unknown."""
    data, at = bytearray(data), 8
    while at < len(data) - 8:
        opcode, size = data[at], int.from_bytes(data[at + 1:at + 9], "little")
        if opcode in CRCS:
            crc = at + 9 + CRCS[opcode]
            data[crc:crc + 4] = bytes(4)
        at += 9 + size
    return bytes(data)


def damaged_message_by_demuxer(folder):
    """As damaged_message: bytes of one frame are overwritten."""
    bag = write_bag(Path(folder, "bag"), "mcap by message", topics=["/wrench"])
    data = file_of(bag).read_bytes()
    frames = [m.start() for m in re.finditer(rb"\x28\xb5\x2f\xfd", data)]
    damaged = data[:frames[6] + 4] + b"\xff" * 20 + data[frames[6] + 24:]
    file_of(bag).write_bytes(without_crcs(damaged))
    for source in SOURCES:
        pads, messages = play(file_of(bag), source=source)
        yield f"rows, blocks of {source}", [ms for ms, _ in pads["/wrench"]], [ms for ms in range(0, 1000, 10) if ms != 60]
        yield f"warnings, blocks of {source}", [line.partition(" damaged: ")[0] for line in report(messages, "warning")], [
            f"message of /wrench, log time {BEGIN + 63 * MS}: a message compressed by zstd is"]


def unknown_topic_id(folder):
    bag = write_bag(Path(folder, "bag"), "sqlite", topics=["/wrench"])
    sql(file_of(bag), "INSERT INTO messages (topic_id, timestamp, data) VALUES (77, 5, x'00')")
    pads, _ = play(bag)
    yield from differences(pads, expected(["/wrench"]))


def temporary_files(folder):
    """Nothing is left of files that were decompressed."""
    bag = write_bag(Path(folder, "bag"), "sqlite by file")
    temporary = Path(folder, "tmp")
    temporary.mkdir()
    os.environ["TMPDIR"] = str(temporary)
    yield from differences(play(bag)[0], expected())
    yield "left", list(temporary.iterdir()), []
    os.environ["TMPDIR"] = "/nowhere"
    said = report(play(bag)[1], "error")
    del os.environ["TMPDIR"]
    yield "error", [re.sub("robocache-.{6}", "NAME", line) for line in said], [f"{file_of(bag)}: /nowhere/NAME: No such file or directory"]


def killed_while_unpacking(folder):
    """What is unpacked has no name, so that a kill leaves nothing."""
    zeros = Path(folder, "zeros.db3.zstd")
    zeros.write_bytes(zstandard.ZstdCompressor().compress(bytes(1 << 29)))
    temporary = Path(folder, "tmp")
    temporary.mkdir()
    with subprocess.Popen([TOOL, "", zeros, "bag"], env={**os.environ, "TMPDIR": str(temporary)}, stdout=subprocess.DEVNULL) as process:
        opened = []
        while not opened and process.poll() is None:
            opened = [link for link in links_of(process.pid) if link.startswith(str(temporary)) and link.endswith(" (deleted)")]
        yield "names while it runs", [path.name for path in temporary.iterdir()], []
        process.kill()
    yield "was unpacking", len(opened), 1
    yield "left", list(temporary.iterdir()), []


def links_of(pid):
    for entry in Path(f"/proc/{pid}/fd").glob("*"):
        with contextlib.suppress(OSError):
            yield os.readlink(entry)


def large_message(folder):
    """One above max-message-bytes, of each storage: unpacked, compressed by itself, and in a chunk."""
    for number, kind in enumerate(("sqlite", "sqlite by message", "mcap", "mcap by chunk")):
        bag = write_bag(Path(folder, f"bag{number}"), kind, topics=["/large"])
        said = report(play(bag, "max-message-bytes=4096")[1], "")
        yield f"{kind}: said", sum(any(words in line for words in ("too big", "more than 4096")) for line in said) > 0, True
        yield f"{kind}: none with the default", report(play(bag)[1], ""), []


def nested_metadata(bag):
    (bag / "metadata.yaml").write_text("[" * 1000000)


def replace_by_fifo(path):
    path.unlink()
    os.mkfifo(path)


def cut(path):
    path.write_bytes(path.read_bytes()[:-path.stat().st_size // 3])


COMPUTED = "is a view, or has computed columns, which bags of ROS 2 do not have"
NEEDS_SQLITE3 = "the file is cut or damaged (the sqlite3 command .recover saves its readable part)"
# kind, what is done to the bag, and the error, where FOLDER and FILE stand for paths
ERRORS = {
    "no folder": ("mcap", shutil.rmtree, "FOLDER: No such file or directory"),
    "no metadata": ("mcap", lambda b: os.unlink(b / "metadata.yaml"), "FOLDER/metadata.yaml: No such file: the folder is not a bag, or its "
                    "recorder was stopped: set location to one of its .mcap or .db3 files"),
    "no YAML": ("mcap", lambda b: (b / "metadata.yaml").write_text("a: [b\nc: d"), "FOLDER/metadata.yaml: not YAML: line 2: did not find "
                "expected ',' or ']'"),
    "other YAML": ("mcap", lambda b: (b / "metadata.yaml").write_text("a: b\n"), "FOLDER/metadata.yaml: the key "
                   "rosbag2_bagfile_information is missing, so this is not the metadata of a bag"),
    "empty metadata": ("mcap", lambda b: (b / "metadata.yaml").write_text(""), "FOLDER/metadata.yaml: the key "
                       "rosbag2_bagfile_information is missing, so this is not the metadata of a bag"),
    "no version": ("mcap", lambda b: edit_metadata(b, ("^  version: 9", "")), "FOLDER/metadata.yaml: version is missing or not a number"),
    "no storage": ("mcap", lambda b: edit_metadata(b, ("storage_identifier", "storage")),
                   "FOLDER/metadata.yaml: storage_identifier is missing or not a string"),
    "no paths": ("mcap", lambda b: edit_metadata(b, ("relative_file_paths:\n.*", "relative_file_paths: []")),
                 "FOLDER/metadata.yaml: relative_file_paths names no file"),
    "paths of another kind": ("mcap", lambda b: edit_metadata(b, ("relative_file_paths:\n.*", "relative_file_paths: {a: b}")),
                              "FOLDER/metadata.yaml: relative_file_paths is missing or not a list of strings"),
    "other storage": ("mcap", lambda b: edit_metadata(b, ("storage_identifier: mcap", "storage_identifier: rosbag_v2")),
                      "FOLDER/metadata.yaml: the storage \"rosbag_v2\" is neither mcap nor sqlite3"),
    "other compression": ("mcap by file", lambda b: edit_metadata(b, ("compression_format: zstd", "compression_format: lz4")),
                          "FOLDER/metadata.yaml: compression_format \"lz4\" is not zstd"),
    "other mode": ("mcap by file", lambda b: edit_metadata(b, ("compression_mode: file", "compression_mode: bits")),
                   "FOLDER/metadata.yaml: compression_mode \"bits\" is neither file nor message"),
    "missing file": ("sqlite", lambda b: os.unlink(file_of(b)), "FILE: No such file or directory"),
    "empty file": ("sqlite", lambda b: file_of(b).write_bytes(b""), "FILE: neither MCAP, nor SQLite, nor a bag of ROS 1"),
    "other file": ("mcap", lambda b: file_of(b).write_bytes(b"some text, and more of it\n"), "FILE: neither MCAP, nor SQLite, nor a bag of ROS 1"),
    "FIFO for a file": ("sqlite", lambda b: replace_by_fifo(file_of(b)), "FILE: not a regular file"),
    "FIFO for metadata": ("mcap", lambda b: replace_by_fifo(b / "metadata.yaml"), "FOLDER/metadata.yaml: not a regular file"),
    "nested metadata": ("mcap", nested_metadata, "FOLDER/metadata.yaml: nested deeper than 32"),
    "view": ("sqlite", lambda b: sql(file_of(b), "ALTER TABLE messages RENAME TO m", "CREATE VIEW messages AS SELECT id, topic_id, "
                                     "timestamp, zeroblob(900000000) AS data FROM m"), "FILE: messages " + COMPUTED),
    "view of topics": ("sqlite", lambda b: sql(file_of(b), "ALTER TABLE topics RENAME TO t", "CREATE VIEW topics AS SELECT id, "
                                               "replace(hex(zeroblob(200000000)), '0', 'a') AS name, type, serialization_format FROM t"),
                       "FILE: topics " + COMPUTED),
    "computed column": ("sqlite", lambda b: sql(file_of(b), "ALTER TABLE messages DROP COLUMN data", "ALTER TABLE messages ADD COLUMN data "
                                                "GENERATED ALWAYS AS (zeroblob(900000000)) VIRTUAL"), "FILE: messages " + COMPUTED),
    "cut SQLite": ("sqlite", lambda b: cut(file_of(b)), "FILE: database disk image is malformed: " + NEEDS_SQLITE3),
    "cut zstd": ("sqlite by file", lambda b: cut(file_of(b)), "FILE: the compressed file is truncated"),
    "no topics": ("sqlite", lambda b: sql(file_of(b), "DROP TABLE topics"), "FILE: no such table: topics"),
    "no messages": ("sqlite", lambda b: sql(file_of(b), "DROP TABLE messages"), "FILE: no such table: messages"),
    "no column": ("sqlite", lambda b: sql(file_of(b), "ALTER TABLE topics RENAME COLUMN type TO kind"), "FILE: no such column: type"),
    "empty": ("sqlite", lambda b: sql(file_of(b), "DELETE FROM messages"), "the recording has no readable message of /wrench"),
    "no row of topics": ("sqlite", lambda b: sql(file_of(b), "DELETE FROM topics"), 'the recording is empty: it has no topic and no message'),
}


def errors(folder, kind, damage, text):
    bag = write_bag(Path(folder, "bag"), kind, topics=["/wrench"])
    path = file_of(bag)
    damage(bag)
    yield "error", report(play(bag)[1], "error"), [text.replace("FOLDER", str(bag)).replace("FILE", str(path))]


def wrong_page(folder):
    """A page in the middle that is damaged: what is before it is played, then there is an error."""
    bag = write_bag(Path(folder, "bag"), "sqlite", topics=["/wrench"], end_ms=20000)
    data = bytearray(file_of(bag).read_bytes())
    page = int.from_bytes(data[16:18], "big")
    for i in range(len(data) // page // 2, len(data) // page // 2 + 3):
        data[i * page:(i + 1) * page] = b"\x77" * page
    file_of(bag).write_bytes(data)
    pads, messages = play(bag)
    yield "error", report(messages, "error"), [f"{file_of(bag)}: database disk image is malformed: {NEEDS_SQLITE3}"]
    rows = rounded(as_numbers(pads)).get("/wrench", [])
    yield "rows", rows, rounded(expected(["/wrench"], 0, 20000))["/wrench"][:len(rows)]
    yield "number", len(rows) > 100, True


def list_cases():
    for kind in KINDS:
        yield f"every kind: {kind}", in_folder, every_kind, kind
    for kind in KINDS:
        yield f"parts: {kind}", in_folder, parts, kind
    for kind in ("sqlite", "mcap", "sqlite by file", "mcap by message"):
        yield f"split: {kind}", in_folder, split, kind
    for kind in ("mcap", "mcap by message", "mcap by chunk"):
        yield f"by demuxer: {kind}", in_folder, by_demuxer, kind
    for storage in (StoragePlugin.SQLITE3, StoragePlugin.MCAP):
        for definition in DEFINITIONS:
            yield f"service events: {storage.name.lower()}, defined {definition}", in_folder, service_events, storage, definition
    for case in (topics, humble, folder_in_paths, yaml_styles, is_cut_mcap, damaged_message, damaged_message_by_demuxer, write_ahead_log,
                 unknown_topic_id, temporary_files, killed_while_unpacking, large_message, wrong_page):
        yield case.__name__.replace("_", " "), in_folder, case
    for name, arguments in ERRORS.items():
        yield f"error: {name}", in_folder, errors, *arguments


def in_folder(case, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        yield from case(folder, *arguments)


if __name__ == "__main__":
    TOOL = sys.argv[1]
    sys.exit(run_cases([case for case in list_cases() if not sys.argv[2:] or case[0] in sys.argv[2:]]))

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that were cut or damaged, through examples/tools/robocache-recover: the official reader finds in its files what is whole in them.

    recover.py RECOVER

Prints PASS, FAIL or SKIP for each case; exit status 1 if one failed.
"""
import io
import random
import resource
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import zstandard
from mcap.exceptions import McapError
from mcap.reader import NonSeekingReader, SeekingReader
from mcap.writer import CompressionType, Writer

from mcapplan import Plan, run_cases
from official_files import OPTIONS, Files


def limit_memory(mebibytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20,) * 2)


def recover(data, *options, mebibytes=None):
    """(bytes of the file that was written, or None; output; errors). mebibytes: the address space of the process."""
    with tempfile.TemporaryDirectory() as folder:
        path, recovered = Path(folder, "run.mcap"), Path(folder, "run.recovered.mcap")
        path.write_bytes(data)
        done = subprocess.run([RECOVER, *options, path], capture_output=True, text=True, check=False,
                              preexec_fn=mebibytes and limit_memory(mebibytes))
        found = recovered.read_bytes() if recovered.exists() else None
        assert (done.returncode == 0) == (found is not None), (done.returncode, found)
        assert found is None or {p.name for p in Path(folder).iterdir()} == {"run.mcap", "run.recovered.mcap"}
        return found, done.stdout.replace(folder + "/", ""), done.stderr.replace(folder + "/", "")


def take(items):
    """All that a reader gives until it fails."""
    found = []
    try:
        for item in items:
            found.append(item)
    except (McapError, struct.error, ValueError, EOFError, KeyError):
        pass
    return found


def one_message(schema, channel, message):
    return (schema.name, schema.encoding, schema.data, channel.topic, channel.message_encoding, channel.metadata, message.sequence,
            message.log_time, message.publish_time, message.data)


def messages_of(data):
    """In the order of the file."""
    return [one_message(*item) for item in take(NonSeekingReader(io.BytesIO(data)).iter_messages(log_time_order=False))]


def indexed_messages_of(data):
    reader = SeekingReader(io.BytesIO(data), validate_crcs=True)
    messages = [one_message(*item) for item in reader.iter_messages()]
    assert reader.get_summary().statistics.message_count == len(messages)
    return messages


def others_of(data):
    reader = SeekingReader(io.BytesIO(data), validate_crcs=True)
    return [(a.name, a.data) for a in reader.iter_attachments()], [(m.name, m.metadata) for m in reader.iter_metadata()]


def compare(data, found):
    wanted = messages_of(data)
    yield "order of the file", messages_of(found), wanted
    yield "by the index", sorted(indexed_messages_of(found)), sorted(wanted)


# ---- cases: generators of (what, got, expected) ----

def whole(seed, options):
    """A complete file: nothing is lost, and it has an index."""
    data = Files(Plan(seed), **options).data
    found, said, errors = recover(data)
    yield "errors", errors, ""
    yield "output", said.splitlines()[1:], ["run.mcap is complete"]
    yield from compare(data, found)
    yield "others", others_of(found), others_of(Files(Plan(seed)).data)
    again, _, _ = recover(data)
    yield "the same bytes", again, found


def cut(seed, options):
    """Cut at any byte: all of the chunks that are whole."""
    data = Files(Plan(seed, n_messages=60), **options).data
    rng = random.Random(seed)
    for size in sorted(rng.sample(range(30, len(data)), 25)):
        wanted = messages_of(data[:size])
        found, said, errors = recover(data[:size])
        if found is None:
            yield f"nothing of {size} bytes", (len(wanted), "no record is intact" in errors), (0, True)
            continue
        yield f"errors of {size}", errors, ""
        yield f"says it of {size}", "is cut within a record" in said or "lacks a footer" in said, True
        for what, got, expected in compare(data[:size], found):
            yield f"{what}, {size} bytes", got, expected


def damaged(seed):
    """A chunk whose bytes changed is lost, and the others are not."""
    data = bytearray(Files(Plan(seed, with_others=False), chunk_size=2000).data)
    before = messages_of(bytes(data))
    chunks = SeekingReader(io.BytesIO(bytes(data))).get_summary().chunk_indexes
    chunk = chunks[len(chunks) // 2]
    data[chunk.chunk_start_offset + chunk.chunk_length - 5] ^= 0xff
    found, said, errors = recover(bytes(data))
    got = messages_of(found)
    lost = [m for m in before if m not in got]
    yield "order", [m for m in before if m in got], got
    yield "lost", all(chunk.message_start_time <= m[7] <= chunk.message_end_time for m in lost) and 0 < len(lost) < len(before), True
    yield "said", ("1 damaged record is lost" in said, errors.startswith("warning: run.mcap: ")), (True, True)
    indexed_messages_of(found)


def wrong_crc(seed):
    """A chunk with a byte changed is left out, or with --keep-damaged kept, and said."""
    data = bytearray(Files(Plan(seed, with_others=False), chunk_size=2000, compression=CompressionType.NONE).data)
    before = messages_of(bytes(data))
    chunks = SeekingReader(io.BytesIO(bytes(data))).get_summary().chunk_indexes
    chunk = chunks[len(chunks) // 2]
    data[chunk.chunk_start_offset + chunk.chunk_length - 1] ^= 0xff  # of the last message
    found, said, errors = recover(bytes(data))
    got = messages_of(found)
    lost = len(before) - len(got)
    yield "all that are there are whole", [m for m in got if m not in before], []
    yield "left out", ("run.mcap is complete, but damaged" in said, "1 damaged record is lost" in said, "CRC" in errors), (True, True, True)
    kept, said, errors = recover(bytes(data), "--keep-damaged")
    yield "kept", (len(messages_of(kept)), len([m for m in messages_of(kept) if m not in before])), (len(before), 1)
    yield "said", f"{lost} messages of damaged chunks are kept: values may be wrong, without a CRC to detect it" in said, True
    indexed_messages_of(kept)


def damaged_definition(seed):
    """The topic of a channel is changed in the first chunk: that of the summary counts. Another chunk cannot be unpacked, and is lost."""
    plan = Files(Plan(seed, with_others=False), chunk_size=2000, compression=CompressionType.NONE)
    data = bytearray(plan.data)
    before = messages_of(bytes(data))
    topic = before[0][3].encode()
    data[data.index(struct.pack("<I", len(topic)) + topic) + 4] ^= 1
    kept, said, _ = recover(bytes(data), "--keep-damaged")
    yield "messages", messages_of(kept), before
    yield "said", [line for line in said.splitlines() if "damaged" in line][1:2], ["1 damaged chunk is in the output"]
    chunks = SeekingReader(io.BytesIO(bytes(data))).get_summary().chunk_indexes
    at = chunks[len(chunks) // 2].chunk_start_offset + 9 + 28  # the length of its compression
    data[at:at + 4] = struct.pack("<I", 1 << 30)
    _, said, _ = recover(bytes(data), "--keep-damaged")
    yield "both", [line for line in said.splitlines() if "damaged" in line][1:3], ["1 damaged record is lost", "1 damaged chunk is in the output"]


def definitions_of_summary(seed):
    """The first chunk, which defines channels, has a wrong CRC: the summary has them for the messages of later chunks."""
    data = bytearray(Files(Plan(seed, with_others=False), chunk_size=2000, compression=CompressionType.NONE).data)
    chunk = SeekingReader(io.BytesIO(bytes(data))).get_summary().chunk_indexes[0]
    before = messages_of(bytes(data))
    wanted = before[len(messages_of(bytes(data[:chunk.chunk_start_offset + chunk.chunk_length]))):]
    data[chunk.chunk_start_offset + chunk.chunk_length - 1] ^= 0xff
    found, said, _ = recover(bytes(data))
    yield "messages", (messages_of(found), len(wanted) > 0), (wanted, True)
    yield "said", "are not defined" in said, False
    data[-40] ^= 1  # of the footer, whose CRC is wrong then: no definition is trusted
    found, said, errors = recover(bytes(data))
    yield "without the summary", ("are not defined" in said or "no record is intact" in errors), True


def marks():
    """Those that robocache-record wrote go along."""
    spans = "start,end,task,success,discard\n1,2,\"pick, place\",true,\n"
    with tempfile.TemporaryDirectory() as folder:
        path, recovered = Path(folder, "run.mcap"), Path(folder, "saved.mcap")
        path.write_bytes(Files(Plan(3)).data)
        Path(folder, "run.episodes.csv").write_text(spans, encoding="utf-8")
        done = subprocess.run([RECOVER, path, "-o", recovered], capture_output=True, text=True, check=True)
        yield "marks", Path(folder, "saved.episodes.csv").read_text(encoding="utf-8"), spans
        yield "said", done.stdout.splitlines()[-1], "marks of episodes are copied beside the output"
        yield "files", sorted(p.name for p in Path(folder).iterdir()), ["run.episodes.csv", "run.mcap", "saved.episodes.csv", "saved.mcap"]


HEADER = ("std_msgs/Header header\n" + "=" * 80 + "\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
          + "=" * 80 + "\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n")


def messages_with_faults():
    """Longer than their definition, and stamps of 0: kept, and said once with counts."""
    out = io.BytesIO()
    writer = Writer(out)
    writer.start("ros2", "tests")
    for topic, text, bodies in (("/long", "float32 x\nfloat32 y\n", [bytes(12), bytes(12), bytes(8), bytes(11)]),
                                ("/zero", HEADER, [bytes(8) + struct.pack("<I", 1) + b"\0"] * 3)):
        schema = writer.register_schema("pkg/msg/" + topic[1:].title(), "ros2msg", text.encode())
        channel = writer.register_channel(topic, "cdr", schema, {})
        for i, body in enumerate(bodies):
            writer.add_message(channel, i, b"\0\1\0\0" + body, i, i)
    writer.finish()
    found, _, errors = recover(out.getvalue())
    yield "messages", len(messages_of(found)), 7
    yield "warnings", errors.splitlines(), [
        "warning: run.mcap: /long: 2 of 4 messages are longer than their definition; the first: the message has 16 bytes, but by its "
        "definition of pkg/Long it ends after 12: it was written with another version of the definition",
        "warning: run.mcap: /zero: 3 of 3 stamps are 0, so their times are log times"]


def private_records():
    """They are left out, and said."""
    data = Files(Plan(5, with_others=False), chunk_size=2000).data
    header = 8 + 9 + int.from_bytes(data[9:17], "little")
    private = bytes([0x90]) + (5).to_bytes(8, "little") + b"12345"
    found, said, errors = recover(data[:header] + private + data[header:])
    yield "said", ("1 record is left out: private, or above 64 MiB" in said, errors.count("warning")), (True, errors.count("CRC"))
    yield from compare(data, found)


def compressions():
    data = Files(Plan(4)).data
    for name in ("none", "zstd", "lz4"):
        found, _, _ = recover(data, "--compression", name)
        yield name, {c.compression for c in SeekingReader(io.BytesIO(found)).get_summary().chunk_indexes}, {name.replace("none", "")}
        yield from compare(data, found)


def record(opcode, content):
    return struct.pack("<BQ", opcode, len(content)) + content


def text(characters):
    return struct.pack("<I", len(characters)) + characters.encode()


def pressed(size):
    """A file of one message with that many zero bytes, in a chunk of some thousandths of them."""
    channel = record(4, struct.pack("<HH", 1, 0) + text("/zeros") + text("") + struct.pack("<I", 0))
    head = struct.pack("<BQHIQQ", 5, 22 + size, 1, 0, 7, 7)
    press = zstandard.ZstdCompressor(level=19).compressobj()
    records = press.compress(channel + head)
    for _ in range(size >> 20):
        records += press.compress(bytes(1 << 20))
    records += press.flush()
    chunk = struct.pack("<QQQI", 7, 7, len(channel) + len(head) + size, 0) + text("zstd") + struct.pack("<Q", len(records)) + records
    magic = b"\x89MCAP0\r\n"
    return magic + record(1, text("") + text("")) + record(6, chunk) + record(15, bytes(4)) + record(2, bytes(20)) + magic


def low_memory(mebibytes, size, options, text):
    """A small file with much in it: one error, and no file."""
    data = pressed(size << 20)
    yield "size of the file", len(data) < 20_000, True
    yield "what comes of it", recover(data, *options, mebibytes=mebibytes), (None, "", text)


def large_chunk():
    """A chunk above the limit is read with another limit, and is below it then."""
    data = pressed(40 << 20)
    yield "by default", recover(data)[0], None
    found, _, errors = recover(data, *WHOLE)
    yield "with a limit", (errors, [len(message.data) for _, _, message in SeekingReader(io.BytesIO(found)).iter_messages()]), ("", [40 << 20])


LOST = "error: run.mcap: no record is intact, so run.recovered.mcap was not written\n"
ABOVE = "warning: run.mcap: record at byte 25: the chunk announces %d bytes, more than %d (max-message-bytes)\n" + LOST
WHOLE = ("--max-message-bytes", str(256 << 20))
# MiB of the process and of the message, options, errors
LOW_MEMORY = {
    "above the limit by default": (100, 400, (), ABOVE % (419430462, 33573899)),
    "above the limit": (100, 400, WHOLE, ABOVE % (419430462, 268435456)),
    "to unpack a chunk": (100, 240, WHOLE, "warning: run.mcap: record at byte 25: no memory for 251658302 bytes\n" + LOST),
    "to keep a message": (500, 240, WHOLE, "error: run.mcap: no memory for a record of 251658240 bytes, which needs 756023389\n"),
}


def memory_has_limits():
    """Not under sanitizers, which reserve more."""
    return subprocess.run([RECOVER, "--help"], capture_output=True, check=False, preexec_fn=limit_memory(300)).returncode == 0


REFUSED = {
    "limit": (b"", ("--max-message-bytes=-1",), "error: --max-message-bytes: expected a number of bytes\n"),
    "empty": (b"", (), "error: run.mcap: not an MCAP file: it has 0 bytes\n"),
    "other": (b"some text and some more", (), "error: run.mcap: not an MCAP file: no magic bytes at byte 0\n"),
    "compression": (b"", ("--compression=gzip",), "error: --compression gzip: expected none, zstd or lz4\n"),
}


def refused(data, options, text):
    yield "error", recover(data, *options), (None, "", text)


def list_cases():
    for name, options in OPTIONS.items():
        yield f"whole: {name}", whole, 3, options
    for name in ("zstd", "small_chunks", "plain", "no_crcs", "bare"):
        for seed in range(3):
            yield f"cut: {name} {seed}", cut, seed, OPTIONS[name]
    for seed in range(3):
        yield f"damaged {seed}", damaged, seed
        yield f"wrong CRC {seed}", wrong_crc, seed
        yield f"damaged definition {seed}", damaged_definition, seed
        yield f"definitions of the summary {seed}", definitions_of_summary, seed
    yield "marks", marks
    yield "messages with faults", messages_with_faults
    yield "private records", private_records
    yield "compressions", compressions
    yield "large chunk", large_chunk
    for name, arguments in LOW_MEMORY.items():
        if memory_has_limits():
            yield f"low memory {name}", low_memory, *arguments
        else:
            print(f"SKIP low memory {name}: the memory of a process cannot be limited under a sanitizer or qemu")
    for name, arguments in REFUSED.items():
        yield f"refused: {name}", refused, *arguments


if __name__ == "__main__":
    RECOVER = sys.argv[1]
    sys.exit(run_cases(list_cases()))

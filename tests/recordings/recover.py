#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that were cut or damaged, through examples/robocache-recover: the official reader finds in its files what is whole in them.

    recover.py RECOVER

Prints PASS or FAIL for each case; exit status 1 if one failed.
"""
import io
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from mcap.exceptions import McapError
from mcap.reader import NonSeekingReader, SeekingReader

from mcapplan import Plan, run_cases
from official_files import OPTIONS, Files


def recover(data, *options):
    """(bytes of the file that was written, or None; output; errors)."""
    with tempfile.TemporaryDirectory() as folder:
        path, recovered = Path(folder, "run.mcap"), Path(folder, "run.recovered.mcap")
        path.write_bytes(data)
        done = subprocess.run([RECOVER, *options, path], capture_output=True, text=True, check=False)
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
            yield f"nothing of {size} bytes", (len(wanted), "nothing in it is whole" in errors), (0, True)
            continue
        yield f"errors of {size}", errors, ""
        yield f"says it of {size}", "ends in a record" in said or "without a footer" in said, True
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


REFUSED = {
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
    yield "private records", private_records
    yield "compressions", compressions
    for name, arguments in REFUSED.items():
        yield f"refused: {name}", refused, *arguments


if __name__ == "__main__":
    RECOVER = sys.argv[1]
    sys.exit(run_cases(list_cases()))

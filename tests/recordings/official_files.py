#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""MCAP files that the official package `mcap` writes, read by us.

    official_files.py MCAPFILE

MCAPFILE is the program mcapfile.c. Prints PASS or FAIL for each case; exit status 1 if one failed.
"""
import io
import random
import struct
import sys

from mcap.reader import SeekingReader
from mcap.writer import CompressionType, IndexType, Writer

from mcapplan import COMPRESSIONS, Plan, run_cases, run_ours, write_with_ours

# Options of the writer: every way in which files of others differ.
OPTIONS = {
    "zstd": {},
    "lz4": {"compression": CompressionType.LZ4},
    "uncompressed": {"compression": CompressionType.NONE},
    "small_chunks": {"chunk_size": 300},
    "one_chunk": {"chunk_size": 1 << 30},
    "plain": {"use_chunking": False},
    "no_crcs": {"enable_crcs": False},
    "data_crc": {"enable_data_crcs": True},
    "no_statistics": {"use_statistics": False},
    "no_summary_offsets": {"use_summary_offsets": False},
    "no_repeated_channels": {"repeat_channels": False},
    "no_repeated_schemas": {"repeat_schemas": False},
    "no_indexes": {"index_types": IndexType.NONE},
    "no_chunk_index": {"index_types": IndexType.MESSAGE | IndexType.METADATA | IndexType.ATTACHMENT},
    "no_message_index": {"index_types": IndexType.CHUNK | IndexType.METADATA | IndexType.ATTACHMENT},
    "bare": {"index_types": IndexType.NONE, "repeat_channels": False, "repeat_schemas": False, "use_statistics": False,
             "use_summary_offsets": False, "enable_crcs": False},
    "bare_plain": {"use_chunking": False, "index_types": IndexType.NONE, "repeat_channels": False, "repeat_schemas": False,
                   "use_statistics": False, "use_summary_offsets": False, "enable_crcs": False},
}


class Files:
    """A plan as the official writer writes it. It counts channels and schemas itself: ids are by order of definition."""

    def __init__(self, plan, **options):
        output = io.BytesIO()
        self.writer = Writer(output, **options)
        self.writer.start("ros2", "test")
        self.schemas, self.channels, self.lines, self.definitions, self.entries = {}, {}, [], [], []
        for kind, *values in plan.records:
            getattr(self, f"add_{kind}")(*values)
        self.writer.finish()
        self.data = output.getvalue()

    def add_schema(self, number, name, encoding, data):
        if number not in self.schemas:
            self.schemas[number] = self.writer.register_schema(name, encoding, data)
            self.definitions.append(("schema", self.schemas[number], name, encoding, data))

    def add_channel(self, number, schema, topic, encoding, metadata):
        self.channels[number] = self.writer.register_channel(topic, encoding, self.schemas[schema], metadata)
        self.definitions.append(("channel", self.channels[number], self.schemas[schema], topic, encoding, dict(sorted(metadata.items()))))

    def add_message(self, number, sequence, log_time, publish_time, data):
        self.writer.add_message(self.channels[number], log_time, data, publish_time, sequence)
        self.lines.append(("message", self.channels[number], sequence, log_time, publish_time, data))

    def add_chunk(self):
        pass

    def add_attachment(self, log_time, create_time, name, media_type, data):
        self.writer.add_attachment(create_time, log_time, name, media_type, data)
        self.entries.append(("attachment", name, data))

    def add_metadata(self, name, values):
        self.writer.add_metadata(name, values)
        self.entries.append(("metadata", name, dict(sorted(values.items()))))

    def messages(self):
        return lines_of(self.lines)

    def by_time(self):
        return lines_of(sorted(self.lines, key=lambda record: record[3]))

    def definition_lines(self):
        return lines_of(sorted(self.definitions, key=lambda record: (record[0] != "schema", record[1])))

    def entry_lines(self):
        return lines_of(sorted(self.entries, key=lambda record: record[0]))


def lines_of(records):
    return [" ".join(Plan.words(record)) for record in records]


def messages_in(lines):
    return [line for line in lines if line.startswith("message ")]


def entries_in(lines):
    return sorted((line for line in lines if line.startswith(("attachment ", "metadata "))), key=lambda line: line.split()[0])


def definitions_in(lines):
    return [line for line in lines if line.startswith(("schema ", "channel "))]


# ---- cases: generators of (what, got, expected) ----

def read(program, options):
    """All that is in a file, by the index or without one."""
    for seed in (0, 1, 4):
        file = Files(Plan(seed, is_ordered=seed < 3), **options)
        lines = run_ours(program, file.data, "read")
        yield "messages", messages_in(lines), file.by_time()
        yield "definitions", definitions_in(lines), file.definition_lines()
        # without indexes of them a file with chunk index hides the others
        if len(entries_in(lines)) > 0 or "index_types" not in options:
            yield "entries", entries_in(lines), file.entry_lines()
        yield "damaged", [line for line in lines if "damaged" in line], []


def stream(program, options):
    """The same as it arrives."""
    for seed in (0, 1, 4):
        file = Files(Plan(seed, is_ordered=seed < 3), **options)
        lines = run_ours(program, file.data, "stream")
        yield "messages", messages_in(lines), file.messages()
        yield "definitions", definitions_in(lines), file.definition_lines()
        yield "entries", entries_in(lines), file.entry_lines()
        yield "end", lines[-1], "complete"


def seek(program, options):
    """From any time on, all channels or some."""
    for seed in (1, 4):
        file = Files(Plan(seed, is_ordered=seed == 1), **options)
        times = [record[3] for record in file.lines]
        rng = random.Random(seed)
        for time in (0, min(times), max(times), max(times) + 1, *rng.choices(times, k=5), rng.choice(times) + 1):
            yield f"from {time}", messages_in(run_ours(program, file.data, "read", time)), \
                [line for line in file.by_time() if int(line.split()[3]) >= time]
            yield f"channel 2 from {time}", messages_in(run_ours(program, file.data, "read", time, 2)), \
                [line for line in file.by_time() if int(line.split()[3]) >= time and line.split()[1] == "2"]
        yield "two channels", messages_in(run_ours(program, file.data, "read", 0, 1, 3)), \
            [line for line in file.by_time() if line.split()[1] in "13"]


def back(program, options):
    """The last message of a channel before a time that has a size, as key frames are found."""
    for seed in (1, 4):
        file = Files(Plan(seed, is_ordered=seed == 1), **options)
        messages = [record[1:] for record in file.lines]
        rng = random.Random(seed)
        for _, channel, _, time, _, _ in rng.choices(file.lines, k=4):
            size = rng.choice((0, 100, 77))
            found = [m[2] for m in messages if m[0] == channel and m[2] <= time and len(m[4]) == size]
            yield f"back from {time}", run_ours(program, file.data, "back", channel, time, size), \
                [str(max(found)) if found else "none"]


def cut(program, options):
    """A file that ends anywhere: by walk and as a stream the same messages, more where it ends later, none wrong."""
    file = Files(Plan(3), **{"chunk_size": 2000, **options})
    expected, n_before = file.messages(), 0
    by_time = sorted(expected, key=lambda line: int(line.split()[3]))
    for size in (*range(8, 200, 47), *range(200, len(file.data), 12001), len(file.data) - 1):
        lines = run_ours(program, file.data[:size], "stream")
        n = len(messages_in(lines))
        yield f"stream cut at {size}", messages_in(lines), expected[:n]
        yield f"end at {size}", lines[-1], "cut"
        yield f"no fewer at {size}", n >= n_before, True
        yield f"cut at {size}", messages_in(run_ours(program, file.data[:size], "read")), \
            [line for line in by_time if line in set(expected[:n])]
        n_before = n
    # the footer alone is cut
    yield "all", n_before, len(expected)


def unknown_records(program, options):
    """Records that nobody knows, between all others."""
    file = Files(Plan(5), **options)
    strange = b"".join(struct.pack("<BQ", opcode, size) + bytes(size) for opcode, size in ((0x10, 3), (0x7f, 0), (0x80, 5000), (0xff, 1)))
    data, offset = file.data[:8], 8
    while True:
        opcode, size = struct.unpack_from("<BQ", file.data, offset)
        if opcode == 15:  # Data End: with its CRC, and behind it offsets, gone
            break
        # a chunk and its message indexes stay together
        data += (b"" if opcode == 7 else strange) + file.data[offset:offset + 9 + size]
        offset += 9 + size
    data += strange + struct.pack("<BQI", 15, 4, 0) + struct.pack("<BQQQI", 2, 20, 0, 0, 0) + file.data[:8]
    yield "read", messages_in(run_ours(program, data, "read")), file.by_time()
    yield "stream", messages_in(run_ours(program, data, "stream")), file.messages()
    yield "end", run_ours(program, data, "stream")[-1], "complete"


def damaged_chunk(program, options):
    """One chunk is damaged: an error that names its place, and the others are read."""
    file = Files(Plan(3, with_others=False), **{"chunk_size": 2000, **options})
    chunks = SeekingReader(io.BytesIO(file.data)).get_summary().chunk_indexes
    chunk = chunks[len(chunks) // 2]
    data = bytearray(file.data)
    data[chunk.chunk_start_offset + chunk.chunk_length - 20] ^= 1
    for command in ("read", "stream"):
        lines = run_ours(program, bytes(data), command)
        errors = [line for line in lines if line.startswith("damaged")]
        yield "errors", (len(errors), f"byte {chunk.chunk_start_offset}:" in (errors or [""])[0]), (1, True)
        lost = set(file.messages()) - set(messages_in(lines))
        times = [int(line.split()[3]) for line in lost]
        yield "lost", (len(lost) > 0, chunk.message_start_time <= min(times), max(times) <= chunk.message_end_time), (True,) * 3


def own(program, compression):
    """Files of our own, by both."""
    for seed in range(4):
        plan = Plan(seed, is_ordered=seed < 2)
        data = write_with_ours(program, plan, compression)
        expected = lines_of(("message", *m) for m in plan.of("message"))
        lines = run_ours(program, data, "read")
        yield "read", messages_in(lines), sorted(expected, key=lambda line: int(line.split()[3]))
        yield "summary", lines[-1], "summary used"
        yield "stream", messages_in(run_ours(program, data, "stream")), expected
        yield "end", run_ours(program, data, "stream")[-1], "complete"


def not_mcap(program, data):
    for command in ("read", "stream"):
        lines = run_ours(program, data, command)
        yield command, len(messages_in(lines)), 0
        yield "says so", any("not an MCAP file" in line for line in lines) or len(data) < 8 and command == "stream", True


# Those that differ in how messages are found.
WAYS = ("zstd", "small_chunks", "plain", "no_chunk_index", "no_message_index", "bare")


def list_cases(program):
    for name, options in OPTIONS.items():
        for case in (read, stream, seek, back, cut, unknown_records) if name in WAYS else (read, stream):
            yield f"{case.__name__}_{name}", case, program, options
    for name in ("zstd", "lz4", "uncompressed"):
        yield f"damaged_chunk_{name}", damaged_chunk, program, {**OPTIONS[name], "enable_data_crcs": False}
    for compression in COMPRESSIONS:
        yield f"own_{compression}", own, program, compression
    for name, data in {"empty": b"", "short": b"\x89MC", "text": b"hello, world, hello", "bag": b"#ROSBAG V2.0\n" * 9}.items():
        yield f"not_mcap_{name}", not_mcap, program, data


if __name__ == "__main__":
    sys.exit(run_cases(list_cases(sys.argv[1])))

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""MCAP files that we write, read by the official package `mcap`.

    official.py MCAPFILE

MCAPFILE is the program mcapfile.c. Prints PASS or FAIL for each case; exit status 1 if one failed.
"""
import io
import sys

import mcap.records
from mcap.reader import NonSeekingReader, SeekingReader
from mcap.stream_reader import StreamReader

from mcapplan import COMPRESSIONS, Plan, run_cases, write_with_ours


# ---- cases: generators of (what, got, expected) ----

def messages_of(reader, **options):
    return [(c.id, m.sequence, m.log_time, m.publish_time, m.data) for _, c, m in reader.iter_messages(**options)]


def read_by_seeking(program, compression):
    """The summary, each message in order of the index, and those of a time and topic."""
    for seed in range(6):
        plan = Plan(seed, is_ordered=seed < 4)
        data = write_with_ours(program, plan, compression)
        reader = SeekingReader(io.BytesIO(data), validate_crcs=True)
        expected = plan.of("message")
        by_time = sorted(expected, key=lambda m: m[2])
        yield "messages", messages_of(reader), by_time
        middle = by_time[len(by_time) // 2][2]
        yield "half", messages_of(reader, starting_at=middle), [m for m in by_time if m[2] >= middle]
        yield "topic", messages_of(reader, topics=["/topic/1"]), [m for m in by_time if m[0] == 1]
        yield "file order", messages_of(reader, log_time_order=False), expected
        summary = reader.get_summary()
        yield "schemas", {s.id: (s.id, s.name, s.encoding, s.data) for s in summary.schemas.values()}, \
            {s[0]: s for s in plan.of("schema")}
        yield "channels", {c.id: (c.id, c.schema_id, c.topic, c.message_encoding, c.metadata) for c in summary.channels.values()}, \
            {c[0]: c for c in plan.of("channel")}
        yield "attachments", [(a.log_time, a.create_time, a.name, a.media_type, a.data) for a in reader.iter_attachments()], \
            plan.of("attachment")
        yield "metadata", [(m.name, m.metadata) for m in reader.iter_metadata()], plan.of("metadata")
        yield from compare_statistics(summary, plan)


def compare_statistics(summary, plan):
    messages, s = plan.of("message"), summary.statistics
    counts = {channel: sum(m[0] == channel for m in messages) for channel in {m[0] for m in messages}}
    yield "counts", (s.message_count, dict(s.channel_message_counts)), (len(messages), counts)
    yield "times", (s.message_start_time, s.message_end_time), (min(m[2] for m in messages), max(m[2] for m in messages))
    yield "other counts", (s.schema_count, s.channel_count, s.attachment_count, s.metadata_count, s.chunk_count), \
        (len(summary.schemas), len(summary.channels), len(plan.of("attachment")), len(plan.of("metadata")),
         len(summary.chunk_indexes))


def read_as_stream(program, compression):
    """Every record in order of the file, all CRCs, and each message index against its chunk."""
    for seed in range(6):
        plan = Plan(seed, is_ordered=seed < 4)
        data = write_with_ours(program, plan, compression)
        reader = NonSeekingReader(io.BytesIO(data), validate_crcs=True)
        yield "messages", messages_of(reader, log_time_order=False), plan.of("message")
        records = list(StreamReader(io.BytesIO(data), validate_crcs=True, emit_chunks=True).records)
        kinds = [type(r).__name__ for r in records]
        yield "ends", (kinds[0], kinds[-1], kinds.count("DataEnd")), ("Header", "Footer", 1)
        yield "header", (records[0].profile, records[0].library), ("ros2", "robocache")
        yield "crcs", all(r.uncompressed_crc for r in records if isinstance(r, mcap.records.Chunk)), True
        yield "data crc", [r.data_section_crc != 0 for r in records if isinstance(r, mcap.records.DataEnd)], [True]
        yield from compare_indexes(data, records)


def compare_indexes(data, records):
    """Chunk and message indexes lead to the records that they name."""
    for index in (r for r in records if isinstance(r, mcap.records.ChunkIndex)):
        yield "chunk", data[index.chunk_start_offset], 6
        yield "chunk length", int.from_bytes(data[index.chunk_start_offset + 1:][:8], "little") + 9, index.chunk_length
        for channel, offset in index.message_index_offsets.items():
            yield "message index", (data[offset], int.from_bytes(data[offset + 9:][:2], "little")), (7, channel)
        if index.compression == "":
            records_start = index.chunk_start_offset + index.chunk_length - index.uncompressed_size
            for channel, offset in index.message_index_offsets.items():
                size = int.from_bytes(data[offset + 11:][:4], "little")
                entries = [(int.from_bytes(data[e:][:8], "little"), int.from_bytes(data[e + 8:][:8], "little"))
                           for e in range(offset + 15, offset + 15 + size, 16)]
                yield "entries sorted", entries, sorted(entries)
                for time, at in entries:
                    head = data[records_start + at:][:31]
                    yield "entry", (head[0], int.from_bytes(head[9:11], "little"), int.from_bytes(head[15:23], "little")), \
                        (5, channel, time)


def read_cut(program, compression):
    """Whatever the place of a cut, all whole chunks are read."""
    plan = Plan(2, with_others=False)
    data = write_with_ours(program, plan, compression)
    chunks = SeekingReader(io.BytesIO(data)).get_summary().chunk_indexes
    expected = plan.of("message")
    for size in range(100, len(data), 997):
        whole = sum(count_messages(data, c) for c in chunks if c.chunk_start_offset + c.chunk_length <= size)
        got, ended = [], None
        try:
            for _, c, m in NonSeekingReader(io.BytesIO(data[:size])).iter_messages(log_time_order=False):
                got.append((c.id, m.sequence, m.log_time, m.publish_time, m.data))
        except Exception as error:  # the package has several for a file that ends
            ended = error
        yield f"cut at {size} ({ended!r})", got, expected[:whole]


def count_messages(data, chunk):
    return sum(int.from_bytes(data[offset + 11:][:4], "little") // 16 for offset in chunk.message_index_offsets.values())


def repeats(program, compression):
    """The same bytes from the same records."""
    plan = Plan(1)
    yield "again", write_with_ours(program, plan, compression), write_with_ours(program, plan, compression)


def empty(program, compression):
    """A file without messages."""
    for text in ("", "chunk\nchunk\n"):
        plan = Plan(0, 0)
        plan.text = lambda text=text: text
        data = write_with_ours(program, plan, compression)
        reader = SeekingReader(io.BytesIO(data), validate_crcs=True)
        yield "messages", messages_of(reader), []
        s = reader.get_summary().statistics
        yield "statistics", (s.message_count, s.chunk_count, s.message_start_time), (0, 0, 0)


CASES = (read_by_seeking, read_as_stream, read_cut, repeats, empty)

if __name__ == "__main__":
    sys.exit(run_cases([(f"{case.__name__}_{compression}", case, sys.argv[1], compression)
                        for case in CASES for compression in COMPRESSIONS]))

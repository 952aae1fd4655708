# SPDX-License-Identifier: LGPL-2.1-or-later
"""The summary of an MCAP file: its channels, and the times of their messages by the indexes behind the chunks. Where it is missing or
damaged, the chunks themselves.

Each field of each chunk as an object of Python takes as long as an episode takes to export. Source: https://mcap.dev/spec.
"""
import mmap
import struct
import zlib
from contextlib import contextmanager, suppress
from typing import NamedTuple

import numpy as np

MAGIC = b"\x89MCAP0\r\n"
FOOTER, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX, STATISTICS, DATA_END = 0x02, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0B, 0x0F
HEAD = struct.Struct("<BQ")  # of a record: opcode, length
FOOTER_RECORD = struct.Struct("<BQQQI")  # begin of the summary and of its offsets, checksum of all before it
STATISTICS_HEAD = struct.Struct("<QHIIIIQQI")  # counts, first and last log time, bytes of the counts by channel
CHANNEL_HEAD = struct.Struct("<HH")  # its id, and the schema's
SIZE = struct.Struct("<I")
# of a chunk: times, place, size of the chunk; bytes of the map of offsets that follow
CHUNK_HEAD = struct.Struct("<QQQQI")
CHUNK_ENTRY = np.dtype([("channel", "<u2"), ("offset", "<u8")])
# what a chunk begins with: times, size and checksum of its records, bytes of the name of their compression
CHUNK_BEGIN = struct.Struct("<QQQII")
MESSAGE_HEAD = struct.Struct("<HIQQ")  # channel, number, times of arrival and capture
MAX_CHUNK = 1 << 30  # bytes, as robocachemcapdemux has it
# of a message index: opcode, length, channel, bytes of its entries
INDEX_HEAD = struct.Struct("<BQHI")
INDEX_ENTRY = np.dtype([("time", "<u8"), ("offset", "<u8")])


@contextmanager
def _mapped(path):
    with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as file:
        yield file


def _records(file, begin, end):
    """(opcode, content) of each record."""
    while begin + HEAD.size <= end:
        opcode, size = HEAD.unpack_from(file, begin)
        content = file[begin + HEAD.size:min(begin + HEAD.size + size, end)]
        if len(content) < size:
            raise ValueError("the summary is cut")
        yield opcode, content
        begin += HEAD.size + size


class Channel(NamedTuple):
    id: int
    topic: str
    metadata: dict


def _read_bytes(content, begin):
    """(bytes that follow their size, where they end)."""
    begin, end = begin + SIZE.size, begin + SIZE.size + SIZE.unpack_from(content, begin)[0]
    if end > len(content):
        raise ValueError("a channel of the summary is cut")
    return content[begin:end], end


def _texts(content):
    end = 0
    while end < len(content):
        text, end = _read_bytes(content, end)
        yield text.decode()


def read_channel(content):
    """Of a Channel record. Later versions of the format may add fields behind those of this one."""
    number, _ = CHANNEL_HEAD.unpack_from(content)
    topic, end = _read_bytes(content, CHANNEL_HEAD.size)
    _, end = _read_bytes(content, end)  # the encoding of messages
    texts = list(_texts(_read_bytes(content, end)[0]))
    return Channel(number, topic.decode(), dict(zip(texts[::2], texts[1::2], strict=True)))


def _read_statistics(content):
    """((first, last) log time, {channel: messages})."""
    *_, first, last, size = STATISTICS_HEAD.unpack_from(content)
    counts = np.frombuffer(content, CHUNK_ENTRY, size // CHUNK_ENTRY.itemsize, STATISTICS_HEAD.size)
    return (first, last), dict(counts.tolist())


class Summary:
    """`channels` are {id: Channel}."""

    def __init__(self, path):
        """A ValueError or struct.error where the file has no summary, as it was cut, or a damaged one."""
        self._path, self.channels, self._ends, self._counts, chunks = path, {}, None, None, []
        with _mapped(path) as file:
            for opcode, content in _records(file, *self._place(file)):
                if opcode == CHANNEL:
                    channel = read_channel(content)
                    self.channels[channel.id] = channel
                elif opcode == STATISTICS:
                    self._ends, self._counts = _read_statistics(content)
                elif opcode == CHUNK_INDEX:
                    size = CHUNK_HEAD.unpack_from(content)[-1]
                    chunks.append(content[CHUNK_HEAD.size:CHUNK_HEAD.size + size])
        if not self.channels:
            raise ValueError("the summary has no channels")
        self.has_index = bool(chunks)
        self._indexes = np.frombuffer(b"".join(chunks), CHUNK_ENTRY)

    @staticmethod
    def _place(file):
        end = len(file) - len(MAGIC) - FOOTER_RECORD.size
        if end < len(MAGIC) or file[-len(MAGIC):] != MAGIC:
            raise ValueError("the file is cut")
        opcode, _, begin, _, checksum = FOOTER_RECORD.unpack_from(file, end)
        if opcode != FOOTER or not 0 < begin <= end:
            raise ValueError("the file has no summary")
        if checksum and zlib.crc32(file[begin:len(file) - len(MAGIC) - 4]) != checksum:
            raise ValueError("the summary is damaged")
        return begin, end

    def times(self, ids):
        """The log times of some channels. A ValueError where the indexes, which no checksum covers, do not fit to the summary."""
        entries = self._indexes[np.isin(self._indexes["channel"], list(ids))]
        with _mapped(self._path) as file:
            found = b"".join([self._read_index(file, *entry) for entry in entries.tolist()])
        times = np.frombuffer(found, INDEX_ENTRY)["time"]
        if self._counts is not None:
            expected = sum(self._counts.get(number, 0) for number in ids)
            if len(times) != expected:
                raise ValueError(f"its indexes have {len(times)} messages of {expected}")
            if len(times) and not self._ends[0] <= times.min() <= times.max() <= self._ends[1]:
                raise ValueError("its indexes have times that are not within the recording")
        return times.astype(np.int64)

    @staticmethod
    def _read_index(file, number, offset):
        begin = offset + INDEX_HEAD.size
        opcode, length, channel, size = INDEX_HEAD.unpack(file[offset:begin].ljust(INDEX_HEAD.size, b"\0"))
        is_whole = size % INDEX_ENTRY.itemsize == 0 and size <= length and begin + size <= len(file)
        if opcode != MESSAGE_INDEX or channel != number or not is_whole:
            raise ValueError(f"no index of messages at byte {offset}")
        return file[begin:begin + size]


# ---- without a summary ----

def _unpack(content):
    """The records of a chunk, with their checksum checked."""
    _, _, size, checksum, length = CHUNK_BEGIN.unpack_from(content)
    name = content[CHUNK_BEGIN.size:CHUNK_BEGIN.size + length]
    records = content[CHUNK_BEGIN.size + length + 8:]
    if size > MAX_CHUNK:
        raise ValueError(f"a chunk of {size} bytes")
    if name == b"zstd":
        import zstandard  # slow to load, and seldom needed
        records = zstandard.ZstdDecompressor().decompress(records, size)
    elif name == b"lz4":
        import lz4.frame
        records = lz4.frame.LZ4FrameDecompressor().decompress(records, size)
    elif name:
        raise ValueError(f"an unknown compression, {name!r}")
    if len(records) != size or (checksum and zlib.crc32(records) != checksum):
        raise ValueError("a chunk is damaged")
    return records


def _whole_chunks(file):
    """The records outside chunks, and those of each chunk that is whole: those of others are lost, as robocachemcapdemux says."""
    try:
        for opcode, content in _records(file, len(MAGIC), len(file)):
            if opcode == DATA_END:
                return
            if opcode != CHUNK:
                yield opcode, content
                continue
            # each library has errors of its own
            with suppress(Exception):
                records = _unpack(content)
                yield from list(_records(records, 0, len(records)))
    except ValueError:
        # the file is cut there
        return


class Scan:
    """What whole chunks have, as a Summary: `channels`, and times() of their messages."""
    has_index = True

    def __init__(self, path):
        self._path, self.channels, self._times = path, {}, {}
        for channel, message in self._messages():
            self._times.setdefault(channel, []).append(MESSAGE_HEAD.unpack_from(message)[2])

    def _messages(self):
        """(channel id, message) in the order of the file."""
        with _mapped(self._path) as file:
            if file[:len(MAGIC)] != MAGIC:
                raise ValueError("not an MCAP file: no magic bytes")
            for opcode, content in _whole_chunks(file):
                with suppress(ValueError, struct.error):
                    if opcode == CHANNEL:
                        channel = read_channel(content)
                        self.channels.setdefault(channel.id, channel)
                    elif opcode == MESSAGE and MESSAGE_HEAD.unpack_from(content)[0] in self.channels:
                        yield MESSAGE_HEAD.unpack_from(content)[0], content

    def times(self, ids):
        found = [time for channel in ids for time in self._times.get(channel, [])]
        return np.array(found, np.uint64).astype(np.int64)

    def messages(self, ids):
        """[(log time, data)] of some channels."""
        return [(MESSAGE_HEAD.unpack_from(message)[2], message[MESSAGE_HEAD.size:]) for channel, message in self._messages() if channel in ids]

# SPDX-License-Identifier: LGPL-2.1-or-later
"""The summary of an MCAP file: its channels, and the times of their messages by the indexes behind the chunks.

Each field of each chunk as an object of Python takes as long as an episode takes to export. Source: https://mcap.dev/spec.
"""
import mmap
import struct
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

MAGIC = b"\x89MCAP0\r\n"
CHANNEL, MESSAGE_INDEX, CHUNK_INDEX, FOOTER = 0x04, 0x07, 0x08, 0x02
HEAD = struct.Struct("<BQ")  # of a record: opcode, length
FOOTER_RECORD = struct.Struct("<BQQQI")  # begin of the summary and of its offsets, checksum
CHANNEL_HEAD = struct.Struct("<HH")  # its id, and the schema's
SIZE = struct.Struct("<I")
# of a chunk: times, place, size of the chunk; bytes of the map of offsets that follow
CHUNK_HEAD = struct.Struct("<QQQQI")
CHUNK_ENTRY = np.dtype([("channel", "<u2"), ("offset", "<u8")])
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


class Summary:
    """`channels` are {id: Channel}."""

    def __init__(self, path):
        """A ValueError or struct.error where the file has no summary, as it was cut."""
        self._path, self.channels, chunks = path, {}, []
        with _mapped(path) as file:
            for opcode, content in _records(file, *self._place(file)):
                if opcode == CHANNEL:
                    channel = read_channel(content)
                    self.channels[channel.id] = channel
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
        opcode, _, begin, _, _ = FOOTER_RECORD.unpack_from(file, end)
        if opcode != FOOTER or not 0 < begin <= end:
            raise ValueError("the file has no summary")
        return begin, end

    def times(self, ids):
        """The log times of some channels."""
        offsets = self._indexes["offset"][np.isin(self._indexes["channel"], list(ids))]
        with _mapped(self._path) as file:
            entries = b"".join([self._read_index(file, offset) for offset in offsets.tolist()])
        return np.frombuffer(entries, INDEX_ENTRY)["time"].astype(np.int64)

    @staticmethod
    def _read_index(file, offset):
        begin = offset + INDEX_HEAD.size
        opcode, _, _, size = INDEX_HEAD.unpack(file[offset:begin].ljust(INDEX_HEAD.size, b"\0"))
        if opcode != MESSAGE_INDEX or begin + size > len(file):
            raise ValueError(f"no index of messages at byte {offset}")
        return file[begin:begin + size]

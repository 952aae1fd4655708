# SPDX-License-Identifier: LGPL-2.1-or-later
"""One bag of ROS 1: topics and times by its index, streams by robocachebagsrc. Source: wiki.ros.org/Bags/Format/2.0."""
import bz2
import mmap
import struct
from functools import cache, cached_property

import numpy as np

from ..errors import ExportError
from . import pipelines
from .streamfile import StreamFile

MAGIC = b"#ROSBAG V2.0\n"
MESSAGE, BAG, INDEX, CHUNK, CHUNK_INFO, CONNECTION = 2, 3, 4, 5, 6, 7
SIZE, PLACE, TIME = struct.Struct("<I"), struct.Struct("<Q"), struct.Struct("<II")
INDEX_ENTRY = np.dtype([("sec", "<u4"), ("nanosec", "<u4"), ("offset", "<u4")])


def _sized(data, begin):
    """(bytes behind their size, where they end)."""
    end = begin + SIZE.size + SIZE.unpack_from(data, begin)[0]
    if end > len(data):
        raise ValueError("the bag is cut")
    return data[begin + SIZE.size:end], end


def _fields(header):
    """{name: value} of a header."""
    fields, at = {}, 0
    while at < len(header):
        field, at = _sized(header, at)
        name, _, value = field.partition(b"=")
        fields[name.decode(errors="replace")] = value
    return fields


def _record(data, begin):
    """(fields, data, where the record ends)."""
    header, at = _sized(data, begin)
    content, end = _sized(data, at)
    return _fields(header), content, end


class Ros1File(StreamFile):
    def _reader(self):
        return f"robocachebagsrc location={pipelines.quote(self.path)}"

    def _fail(self, error):
        return ExportError(f"{self.name}: the bag has no index that can be used ({error}): \"rosbag reindex\" makes one")

    @cached_property
    def _index(self):
        """({connection: (topic, type)}, [place of a chunk])."""
        connections, chunks = {}, []
        try:
            with open(self.path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as file:
                if file[:len(MAGIC)] != MAGIC:
                    raise ValueError("it is not of version 2.0")
                at, = PLACE.unpack(_record(file, len(MAGIC))[0]["index_pos"])
                if not len(MAGIC) < at <= len(file):
                    raise ValueError("its recorder was stopped")
                while at < len(file):
                    fields, data, at = _record(file, at)
                    if fields["op"][0] == CONNECTION:
                        kind = _fields(data)["type"].decode(errors="replace")
                        connections[SIZE.unpack(fields["conn"])[0]] = fields["topic"].decode(errors="replace"), kind
                    elif fields["op"][0] == CHUNK_INFO:
                        chunks.append(PLACE.unpack(fields["chunk_pos"])[0])
        except (ValueError, KeyError, IndexError, struct.error) as error:
            raise self._fail(error) from None
        return connections, chunks

    def topics(self):
        return sorted({topic for topic, _ in self._index[0].values()})

    def has(self, topic):
        return topic in self.topics()

    @cached_property
    def _log_times(self):
        """{connection: [times]}, by the records behind the chunks."""
        found = {}
        try:
            with open(self.path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as file:
                for place in self._index[1]:
                    # not the data of the chunk, which may be all of the file
                    at = place + 2 * SIZE.size + SIZE.unpack_from(file, place)[0]
                    at += SIZE.unpack_from(file, at - SIZE.size)[0]
                    while at < len(file):
                        fields, data, at = _record(file, at)
                        if fields["op"][0] != INDEX:
                            break
                        entries = np.frombuffer(data, INDEX_ENTRY)
                        found.setdefault(SIZE.unpack(fields["conn"])[0], []).append(entries["sec"] * np.int64(10**9) + entries["nanosec"])
        except (ValueError, KeyError, IndexError, struct.error) as error:
            raise self._fail(error) from None
        return found

    @cache
    def log_times(self, topic):
        parts = [part for connection, (name, _) in self._index[0].items() if name == topic for part in self._log_times.get(connection, [])]
        return np.sort(np.concatenate(parts)) if parts else np.array([], np.int64)

    def channel_formats(self, topic):
        return []

    def _chunk(self, file, place):
        fields, data, _ = _record(file, place)
        if fields["compression"] == b"bz2":
            return bz2.decompress(data)
        if fields["compression"] == b"lz4":
            import lz4.frame  # it is slow to load, and seldom needed
            return lz4.frame.decompress(data)
        return data

    def _messages(self, connections):
        """(time, data) of the messages of some connections."""
        with open(self.path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as file:
            for place in self._index[1]:
                chunk, at = self._chunk(file, place), 0
                while at < len(chunk):
                    fields, data, at = _record(chunk, at)
                    if fields["op"][0] == MESSAGE and SIZE.unpack(fields["conn"])[0] in connections:
                        seconds, nanoseconds = TIME.unpack(fields["time"])
                        yield seconds * 10**9 + nanoseconds, data

    def log_texts(self, topic):
        """Of std_msgs/String messages."""
        connections = {connection for connection, (name, kind) in self._index[0].items() if name == topic and kind == "std_msgs/String"}
        if not connections:
            raise ExportError(f"{self.name}: {topic} holds marks, and its messages must be std_msgs/String")
        try:
            return sorted((time, _sized(data, 0)[0].decode()) for time, data in self._messages(connections))
        except (ValueError, KeyError, IndexError, OSError, RuntimeError, struct.error) as error:
            raise ExportError(f"{self.name}: {topic}: {error}") from None

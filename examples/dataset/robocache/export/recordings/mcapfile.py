# SPDX-License-Identifier: LGPL-2.1-or-later
"""One MCAP file: topics and times by its index, streams by robocachemcapdemux."""
import struct
import sys
from functools import cache, cached_property
from itertools import groupby

import numpy as np

from ...printable import printable
from ..errors import ExportError
from . import pipelines
from .mcapindex import Scan, Summary
from .streamfile import StreamFile, decode_string


def _sorted(times):
    """Most recordings have their messages in the order of time."""
    return times if (times[1:] >= times[:-1]).all() else np.sort(times)


class McapFile(StreamFile):
    def _reader(self):
        return f"filesrc location={pipelines.quote(self.path)} ! robocachemcapdemux"

    # ---- the index ----

    @cached_property
    def _index(self):
        """A summary, or a scan where the file was cut or its summary is damaged."""
        try:
            return Summary(self.path)
        except (ValueError, struct.error) as error:
            self._warn(str(error))
        return self._scan

    @cached_property
    def _scan(self):
        try:
            return Scan(self.path)
        except ValueError as error:
            raise ExportError(f"{self.name}: {error}") from None

    @cache
    def _warn(self, reason):
        print(f"warning: {printable(self.name)}: {printable(reason)}: topics and times are read from intact chunks only", file=sys.stderr)

    @cached_property
    def _channels(self):
        """{topic: [Channel]}."""
        ordered = sorted(self._index.channels.values(), key=lambda channel: (channel.topic, channel.id))
        return {topic: list(group) for topic, group in groupby(ordered, key=lambda channel: channel.topic)}

    # ---- topics ----

    def topics(self):
        return sorted(self._channels)

    def has(self, topic):
        return topic in self._channels

    def _times(self, ids):
        try:
            return (self._index if self._index.has_index else self._scan).times(ids)
        except ValueError as error:
            self._warn(str(error))
        return self._scan.times(ids)

    @cache
    def log_times(self, topic):
        return _sorted(self._times({channel.id for channel in self._channels.get(topic, [])}))

    def channel_formats(self, topic):
        """robocachemcapmux notes the caps of a channel, and begins another where they change."""
        return sorted({channel.metadata["caps"] for channel in self._channels.get(topic, []) if "caps" in channel.metadata})

    def formats_within(self, topic, start, end):
        noted = [(channel.metadata["caps"], self._arrivals(self._times({channel.id}))) for channel in self._channels.get(topic, []) if "caps" in channel.metadata]
        within = {caps for caps, times in noted if ((times >= start) & (times < end)).any()}
        before = [(times[times < start].max(), caps) for caps, times in noted if (times < start).any()]
        return sorted(within) or [caps for _, caps in sorted(before)[-1:]]

    def log_texts(self, topic):
        """Of std_msgs/String messages."""
        try:
            return self._read_texts(topic)
        except ExportError:
            raise
        except Exception:  # pylint: disable=broad-exception-caught
            # of a damaged file each layer of the reader has errors of its own
            return self._scan_texts(topic)

    def _read_texts(self, topic):
        from mcap.reader import make_reader  # these are slow to load, and seldom needed
        from mcap_ros2.decoder import DecoderFactory
        found = []
        with open(self.path, "rb") as stream:
            reader = make_reader(stream, validate_crcs=True, decoder_factories=[DecoderFactory()])
            for _, _, message, decoded in reader.iter_decoded_messages(topics=[topic]):
                if not isinstance(getattr(decoded, "data", None), str):
                    raise ExportError(f"{self.name}: {topic} holds marks, and its messages must be std_msgs/String")
                found.append((message.log_time, decoded.data))
        return found

    def _scan_texts(self, topic):
        ids = {channel.id for channel in self._channels[topic]}
        try:
            return [(time, decode_string(data)) for time, data in sorted(self._scan.messages(ids))]
        except (ValueError, struct.error, IndexError, KeyError):
            raise ExportError(f"{self.name}: {topic} holds marks, and its messages must be std_msgs/String") from None

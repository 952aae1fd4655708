# SPDX-License-Identifier: LGPL-2.1-or-later
"""One MCAP file: topics and times by its index, streams by robocachemcapdemux."""
import struct
from functools import cache, cached_property
from itertools import groupby

import numpy as np

from ..errors import ExportError
from . import pipelines
from .mcapindex import Summary
from .streamfile import StreamFile


def _sorted(times):
    """Most recordings have their messages in the order of time."""
    return times if (times[1:] >= times[:-1]).all() else np.sort(times)


class McapFile(StreamFile):
    def _reader(self):
        return f"filesrc location={pipelines.quote(self.path)} ! robocachemcapdemux"

    # ---- the index ----

    @cached_property
    def _summary(self):
        """None where the file was cut, and has none."""
        try:
            return Summary(self.path)
        except (ValueError, struct.error):
            return None

    @cached_property
    def _channels(self):
        """{topic: [Channel]}."""
        summary = self._summary
        channels = summary.channels.values() if summary else [channel for channel, _ in self._scanned.values()]
        ordered = sorted(channels, key=lambda channel: (channel.topic, channel.id))
        return {topic: list(group) for topic, group in groupby(ordered, key=lambda channel: channel.topic)}

    @cached_property
    def _scanned(self):
        """{channel id: (channel, [log time])} of a file without a summary, up to where it was cut."""
        from mcap.exceptions import McapError  # these are slow to load, and seldom needed
        from mcap.reader import NonSeekingReader
        found = {}
        try:
            with open(self.path, "rb") as stream:
                for _, channel, message in NonSeekingReader(stream).iter_messages(log_time_order=False):
                    found.setdefault(channel.id, (channel, []))[1].append(message.log_time)
        except McapError as error:
            if not found:
                raise ExportError(f"{self.name}: {error}") from None
        return found

    def _indexed_times(self, ids):
        try:
            return self._summary.times(ids)
        except ValueError as error:
            raise ExportError(f"{self.name}: {error}") from None

    # ---- topics ----

    def topics(self):
        return sorted(self._channels)

    def has(self, topic):
        return topic in self._channels

    @cache
    def times(self, topic):
        ids = {channel.id for channel in self._channels.get(topic, [])}
        if self._summary and self._summary.has_index:
            return _sorted(self._indexed_times(ids))
        arrays = [np.array(times, np.int64) for channel, times in self._scanned.values() if channel.id in ids]
        return _sorted(np.concatenate(arrays)) if arrays else np.zeros(0, np.int64)

    def channel_formats(self, topic):
        """robocachemcapmux notes the caps of a channel, and begins another where they change."""
        return sorted({channel.metadata["caps"] for channel in self._channels.get(topic, []) if "caps" in channel.metadata})

    def texts(self, topic):
        """Of std_msgs/String messages."""
        from mcap.reader import make_reader  # these are slow to load, and seldom needed
        from mcap_ros2.decoder import DecoderFactory
        found = []
        with open(self.path, "rb") as stream:
            reader = make_reader(stream, decoder_factories=[DecoderFactory()])
            for _, _, message, decoded in reader.iter_decoded_messages(topics=[topic]):
                if not isinstance(getattr(decoded, "data", None), str):
                    raise ExportError(f"{self.name}: {topic} holds marks, and its messages must be std_msgs/String")
                found.append((message.log_time, decoded.data))
        return found

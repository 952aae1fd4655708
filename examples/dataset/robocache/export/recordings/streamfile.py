# SPDX-License-Identifier: LGPL-2.1-or-later
"""A recording of one file, whose streams an element of robocache sends by pads."""
import struct
from functools import cache, cached_property

import numpy as np
from gi.repository import Gst

from ..errors import ExportError
from . import pipelines
from .clocks import Clocks, Timed
from .found import check_kind, decoder_of, describe, has_format, joints_of

# a position that is not the beginning, which a seek would not look for
SEEK = 10**9
# a buffer a row costs more than the row
BLOCK_ROWS = 1024

# of a std_msgs/String in CDR: which end comes first, bytes of the text with its NUL
STRING_HEAD = {0: struct.Struct(">4xI"), 1: struct.Struct("<4xI")}


def decode_string(data):
    size, = STRING_HEAD[data[1]].unpack_from(data)
    return data[8:8 + size].rstrip(b"\0").decode()


def _part_of(topic, name):
    """Of the name of a stream: its topic, its part and its frame."""
    return name[len(topic):].partition("@")[0].lstrip(":")


def _times_of(buffer):
    """Of a row, or of the rows of a block, whose second tensor has them."""
    if buffer.n_memory() < 2:
        return np.array([buffer.pts], np.int64)
    rest = buffer.peek_memory(0).size
    return np.frombuffer(buffer.extract_dup(rest, buffer.get_size() - rest), np.int64)


class StreamFile(Timed):
    """Derived classes have _reader(), the element in a pipeline, and what the file's index says: topics(), has(), log_times() and log_texts()."""

    def __init__(self, path, name):
        self.path, self.name = path, name
        self._with_parts = set()  # topics with several streams

    def files(self):
        return [self.path]

    def has_said(self, text):
        return False

    @cache
    def span(self):
        times = [ends for topic in self.topics() if topic != "/robocache/events" and len(self.times(topic))
                 for ends in self.times(topic)[[0, -1]]]
        if not times:
            raise ExportError(f"{self.name}: no messages")
        return int(min(times)), int(max(times))

    @cached_property
    def clocks(self):
        """None where times are log times."""
        text = self._looked[0] if self.time_source != "log" else None
        return Clocks(text) if text else None

    @cached_property
    def _looked(self):
        """(what the element says of the clocks, exposed pads) of the topics that are used."""
        settings = f"clocks={self.time_source}" if self.time_source != "log" else ""
        return self._look([topic for topic in self.topics_used if self.has(topic)], settings)

    def _arrivals(self, log_times):
        """On the timeline."""
        return self.clocks.arrivals(log_times) if self.clocks else log_times

    @cache
    def times(self, topic):
        """On the timeline, sorted."""
        log_times = self.log_times(topic)
        return (self.clocks.times(topic, log_times) if self.clocks else log_times) + self.offset_of(topic)

    def texts(self, topic):
        found = self.log_texts(topic)
        times = self._arrivals(np.array([time for time, _ in found], np.int64)).tolist()
        return [(time, text) for time, (_, text) in zip(times, found)]

    def has_offset(self, stream):
        return super().has_offset(stream) and bool(self.clocks) and self.clocks.has_stamps(stream.topic)

    def stream_times(self, stream):
        parts = self._part_times(stream.topic) if stream.topic in self._with_parts else {}
        return parts[stream.part] + self.offset_of(stream.topic) if stream.part in parts else self.times(stream.topic)

    @cache
    def _part_times(self, topic):
        """{part: its times} of a topic with several streams. The index does not tell them apart, so the topic's messages are read once."""
        pipeline, times = pipelines.parse(self._demuxer([topic], f"start=keep block-rows={BLOCK_ROWS} {self._times_setting({})}")), {}

        def add(_, pad):
            sink = Gst.ElementFactory.make("fakesink")
            for key, value in (("sync", False), ("async", False), ("signal-handoffs", True)):
                sink.set_property(key, value)
            rows = times.setdefault(_part_of(topic, pad.get_stream_id().partition("/")[2]), [])
            sink.connect("handoff", lambda _, buffer, __: rows.append(_times_of(buffer)))
            pipeline.add(sink)
            sink.sync_state_with_parent()
            pad.link(sink.get_static_pad("sink"))

        pipeline.get_by_name("demux").connect("pad-added", add)
        try:
            pipeline.set_state(Gst.State.PLAYING)
            pipelines.wait(pipeline, Gst.MessageType.EOS, f"{self.name}: the end", Gst.CLOCK_TIME_NONE)
        finally:
            pipeline.set_state(Gst.State.NULL)
        return {part: np.sort(np.concatenate(rows)) for part, rows in times.items() if rows}

    def _demuxer(self, topics, settings=""):
        """Of all topics without some."""
        return f"{self._reader()} name=demux topics={pipelines.quote(','.join(dict.fromkeys(topics)))} {settings}"

    def _look(self, topics, settings=""):
        """(what the element says of the clocks, [(pad, topic with part and frame, caps)]) of the demuxer alone, as soon as all pads are there."""
        found = []

        def add(_, pad):
            found.append((pad.get_name(), pad.get_stream_id().partition("/")[2], pad.get_current_caps()))

        pipeline = pipelines.parse(self._demuxer(topics, settings))
        demux = pipeline.get_by_name("demux")
        demux.connect("pad-added", add)
        try:
            pipelines.pause(pipeline, demux, f"{self.name}: the streams")
            return demux.get_property("stats").get_string("clocks"), found
        finally:
            pipeline.set_state(Gst.State.NULL)

    def described(self):
        found = []
        for _, name, caps in self._look([])[1]:
            topic = max((topic for topic in self.topics() if name.startswith(topic)), key=len)
            found.append((topic, _part_of(topic, name), caps))
        return found

    def _find(self, stream, pads):
        """The pad of a stream; an error where there are several, and none is chosen."""
        found = {}
        for pad, name, caps in pads:
            if name == stream.topic or name.startswith((stream.topic + ":", stream.topic + "@")):
                found[_part_of(stream.topic, name)] = (pad, caps)
        if len(found) > 1:
            self._with_parts.add(stream.topic)
        if stream.part not in found:
            # a set of joints is the first one of the topic in one recording, and has another order in another
            wanted = set(stream.part.split(","))
            found |= {stream.part: one for one in found.values() if stream.part and set(joints_of(one[1])) == wanted}
        if stream.part not in found and (stream.part or len(found) != 1):
            parts = ", ".join(filter(None, found)) or "none that can be read"
            raise ExportError(f"{stream.topic} has these streams: {parts}; choose one by setting stream of streams.{stream.name}")
        return found.get(stream.part) or next(iter(found.values()))

    def streams(self, mapping):
        pads = self._looked[1]
        return [self._describe(stream, *self._find(stream, pads)) for stream in mapping.streams]

    def _describe(self, stream, pad, caps):
        check_kind(stream, caps)
        return describe(stream, pad, caps, self._decoded_caps(stream) if stream.is_camera and not has_format(caps) else None)

    def _decoded_caps(self, stream):
        """Of the first picture."""
        pad, caps = self._find(stream, self._look([stream.topic])[1])
        pipeline = pipelines.parse(f"{self._demuxer([stream.topic])} demux.{pad} ! {decoder_of(caps.to_string())} fakesink name=sink")
        try:
            pipeline.set_state(Gst.State.PAUSED)
            pipelines.wait(pipeline, Gst.MessageType.ASYNC_DONE, f"{self.name}: the first picture of {stream.topic}")
            return pipeline.get_by_name("sink").get_static_pad("sink").get_current_caps()
        finally:
            pipeline.set_state(Gst.State.NULL)

    def _times_setting(self, offsets):
        if self.time_source == "log":
            return "time-source=log"
        return f"clocks={pipelines.quote(self.clocks.text(offsets))}" if self.clocks else ""

    def source(self, found, origin):
        """The demuxer finds a seek's place by the index, but begins at the file's beginning."""
        offsets = {one.stream.topic: self.offset_of(one.stream.topic) for one in found if self.has_offset(one.stream)}
        settings = f"time-origin={origin - SEEK} block-rows={BLOCK_ROWS} {self._times_setting(offsets)}"
        return self._demuxer([one.stream.topic for one in found], settings), [f"demux.{one.pad}" for one in found]

    def start(self, pipeline, pad):
        """Goes on at the origin: sends a seek to the source pad at the pipeline's end. Until then nothing leaves the demuxer: a flush
        takes caps that are on their way, and decoders that are flushed while they negotiate fail."""
        demux = pipeline.get_by_name("demux")
        gates = pipelines.close_gates(demux)
        pipelines.pause(pipeline, demux, f"{self.name}: the streams")
        pipelines.seek(pad, SEEK)
        pipelines.open_gates(gates)

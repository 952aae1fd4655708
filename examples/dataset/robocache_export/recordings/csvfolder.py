# SPDX-License-Identifier: LGPL-2.1-or-later
"""A folder of CSV files, one a stream: the topic /joints is joints.csv. robocacheparse reads them."""
from functools import cache

import numpy as np
from gi.repository import Gst

from ..errors import ExportError
from . import pipelines
from .found import check_kind, describe


class CsvFolder:
    def __init__(self, path, name):
        self.path, self.name = path, name

    def _file(self, topic):
        return self.path / f"{topic.lstrip('/')}.csv"

    def files(self):
        return sorted(self.path.glob("*.csv"))

    def topics(self):
        return [f"/{file.stem}" for file in self.files()]

    def has(self, topic):
        return self._file(topic).is_file()

    def _parser(self, topic, settings):
        return f"filesrc location={pipelines.quote(self._file(topic))} ! robocacheparse {settings}"

    @cache
    def _read(self, topic):
        """(caps, times) of a file as robocacheparse reads it."""
        pipeline = pipelines.parse(self._parser(topic, "start=keep ! fakesink name=sink sync=false signal-handoffs=true"))
        times, sink = [], pipeline.get_by_name("sink")
        sink.connect("handoff", lambda _, buffer, __: times.append(buffer.pts))
        try:
            pipeline.set_state(Gst.State.PLAYING)
            pipelines.wait(pipeline, Gst.MessageType.EOS, f"{self.name}: the end of {topic}")
            caps = sink.get_static_pad("sink").get_current_caps()
        finally:
            pipeline.set_state(Gst.State.NULL)
        return caps, np.sort(np.array(times, np.int64))

    def times(self, topic):
        return self._read(topic)[1] if self.has(topic) else np.zeros(0, np.int64)

    def span(self):
        ends = [times[[0, -1]] for times in map(self.times, self.topics()) if len(times)]
        if not ends:
            raise ExportError(f"{self.name}: no rows")
        return int(np.min(ends)), int(np.max(ends))

    def channel_formats(self, topic):
        return []

    def texts(self, topic):
        raise ExportError(f"{self.name}: a folder of CSV has no topic of texts; give episodes as a CSV of spans")

    def kinds(self):
        return [(topic, "", "rows") for topic in self.topics()]

    def streams(self, mapping):
        found = [self._read(stream.topic)[0] for stream in mapping.streams]
        for stream, caps in zip(mapping.streams, found):
            check_kind(stream, caps)
        return [describe(stream, f"csv{i}.", caps) for i, (stream, caps) in enumerate(zip(mapping.streams, found))]

    def source(self, found, origin):
        parsers = [self._parser(one.stream.topic, f"name=csv{i} time-origin={origin}") for i, one in enumerate(found)]
        return " ".join(parsers), [f"csv{i}." for i in range(len(found))]

    def start(self, pipeline, pad):
        """robocacheparse drops the rows before its origin."""

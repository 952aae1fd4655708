# SPDX-License-Identifier: LGPL-2.1-or-later
"""A folder of CSV files: the topic /joints is joints.csv. robocacheparse reads them.

A file is one stream, or several where some columns lack values in other rows than the columns beside them. The part of a stream is a list of
its columns, as the parser's property channels takes it.
"""
import re
import sys
from dataclasses import dataclass
from functools import cache

import numpy as np
from gi.repository import Gst

from ...printable import printable
from ..errors import ExportError
from . import pipelines
from .clocks import Timed
from .found import channels_of, check_kind, describe

# columns that are named one by one in a part
MAX_NAMED = 3
# what the property channels takes for numbers of columns
NUMBERS = re.compile(r"\d+(-\d+)?")
# where the names of a header are looked for: its bytes, and what parts names
HEAD, SEPARATORS = 1 << 16, (re.compile(r'[,;\t|"]'), re.compile(r'[,;\t|"\s]'))


@dataclass(frozen=True)
class _Read:
    """What a file, or some of its columns, has."""
    caps: object
    times: np.ndarray
    groups: tuple  # of columns with values in the same rows: "1-3,5"
    warnings: tuple


def _kinds_of(stream):
    return dict(stream.settings).get("kinds", "")


class CsvFolder(Timed):
    def __init__(self, path, name):
        self.path, self.name, self._said = path, name, set()

    def use(self, topics, time_source):
        if time_source == "log":
            raise ExportError(f"{self.name}: --time-source log: CSV files have no log times")
        super().use(topics, time_source)

    def _file(self, topic):
        return self.path / f"{topic.lstrip('/')}.csv"

    def files(self):
        return sorted(self.path.glob("*.csv"))

    def topics(self):
        return [f"/{file.stem}" for file in self.files()]

    def has(self, topic):
        return self._file(topic).is_file()

    def has_said(self, text):
        """text begins with the element's name."""
        return text.partition(": ")[2].startswith(tuple(self._said))

    def _parser(self, topic, part, kinds, settings):
        """kinds: those of the mapping, or "": what the columns' names tell."""
        return (f"filesrc location={pipelines.quote(self._file(topic))} ! robocacheparse channels={pipelines.quote(part)} "
                f"kinds={pipelines.quote(kinds)} {settings}")

    # ---- reading ----

    def _warnings(self, pipeline):
        """Until the end of the file."""
        texts, bus = [], pipeline.get_bus()
        while (message := pipelines.wait(pipeline, Gst.MessageType.EOS | Gst.MessageType.WARNING, f"{self.name}: the end")).type != Gst.MessageType.EOS:
            texts.append(message.parse_warning()[0].message)
        while (message := bus.pop_filtered(Gst.MessageType.WARNING)) is not None:
            texts.append(message.parse_warning()[0].message)
        return tuple(texts)

    @cache
    def _read(self, topic, part="", kinds="ignore"):
        """As robocacheparse reads it."""
        pipeline = pipelines.parse(self._parser(topic, part, kinds, "name=parse start=keep ! fakesink name=sink sync=false signal-handoffs=true"))
        times, sink = [], pipeline.get_by_name("sink")
        sink.connect("handoff", lambda _, buffer, __: times.append(buffer.pts))
        try:
            pipeline.set_state(Gst.State.PLAYING)
            warnings = self._warnings(pipeline)
            caps = sink.get_static_pad("sink").get_current_caps()
            stats = pipeline.get_by_name("parse").get_property("stats")
        finally:
            pipeline.set_state(Gst.State.NULL)
        groups = tuple((stats.get_string("column-groups") or "").split(";"))
        return _Read(caps, np.sort(np.array(times, np.int64)), groups, warnings)

    def _say(self, topic, warnings):
        """Once of each file."""
        for text in warnings:
            if text not in self._said:
                print(f"warning: {printable(self.name)}{printable(topic)}.csv: {printable(text)}", file=sys.stderr)
            self._said.add(text)

    # ---- its streams ----

    @cache
    def _head(self, topic):
        """[the words of a line] of the first lines, by each way to part words."""
        with open(self._file(topic), "rb") as file:
            lines = file.read(HEAD).decode(errors="replace").splitlines()
        return [[word.strip() for word in separator.split(line)] for line in lines for separator in SEPARATORS]

    def _are_plain(self, topic, names, others):
        """Whether each name means its column: it is no number, no other has it, and the header has it as the caps do, where a comma is a _."""
        if any(NUMBERS.fullmatch(name) or others.count(name) > 1 for name in names):
            return False
        return any(all(words.count(name) == 1 for name in names) for words in self._head(topic))

    @cache
    def _parts(self, topic):
        """[(part, what it has)]: one with the part "" where all columns have values in the same rows. A part is named by its columns if
        they are few, and their names plain."""
        whole = self._read(topic)
        self._say(topic, whole.warnings)
        if len(whole.groups) <= 1:
            return [("", whole)]
        found = {group: self._read(topic, group) for group in whole.groups}
        names = {group: channels_of(read.caps.get_structure(0)) for group, read in found.items()}
        others = [name for of_group in names.values() for name in of_group]
        return [(",".join(names[group]) if len(names[group]) <= MAX_NAMED and self._are_plain(topic, names[group], others) else group, read)
                for group, read in found.items()]

    def times(self, topic):
        if not self.has(topic):
            return np.zeros(0, np.int64)
        return np.unique(np.concatenate([read.times for _, read in self._parts(topic)])) + self.offset_of(topic)

    def stream_times(self, stream):
        if not stream.part:
            return self.times(stream.topic)
        return self._read(stream.topic, stream.part, _kinds_of(stream)).times + self.offset_of(stream.topic)

    def span(self):
        ends = [times[[0, -1]] for times in map(self.times, self.topics()) if len(times)]
        if not ends:
            raise ExportError(f"{self.name}: no rows")
        return int(np.min(ends)), int(np.max(ends))

    def channel_formats(self, topic):
        return []

    def texts(self, topic):
        raise ExportError(f"{self.name}: a folder of CSV has no topic of texts; give episodes as a CSV of spans")

    def described(self):
        """As the mapping's streams are read: the kinds are those that the columns' names tell."""
        return [(topic, part, self._read(topic, part, "").caps) for topic in self.topics() for part, _ in self._parts(topic)]

    def _caps(self, stream):
        parts = [part for part, _ in self._parts(stream.topic)]
        if not stream.part and len(parts) > 1:
            raise ExportError(f"{stream.topic} has columns with values in different rows, so it has {len(parts)} streams: {'; '.join(parts)}; choose one by "
                              f"setting stream of streams.{stream.name}")
        read = self._read(stream.topic, stream.part, _kinds_of(stream))
        self._say(stream.topic, read.warnings)
        return read.caps

    def streams(self, mapping):
        found = [self._caps(stream) for stream in mapping.streams]
        for stream, caps in zip(mapping.streams, found):
            check_kind(stream, caps)
        return [describe(stream, f"csv{i}.", caps) for i, (stream, caps) in enumerate(zip(mapping.streams, found))]

    def source(self, found, origin):
        parsers = [self._parser(one.stream.topic, one.stream.part, _kinds_of(one.stream), f"name=csv{i} time-origin={origin - self.offset_of(one.stream.topic)}") for i, one in enumerate(found)]
        return " ".join(parsers), [f"csv{i}." for i in range(len(found))]

    def start(self, pipeline, pad):
        """robocacheparse drops the rows before its origin."""

# SPDX-License-Identifier: LGPL-2.1-or-later
"""One episode through robocachefuse: a sample a tick of the set's rate, the first tick at the episode's start."""
import math
import sys
import warnings
from collections import Counter
from dataclasses import dataclass
from itertools import count

import numpy as np
from gi.repository import Gst

from ..fused import CORRUPTED, NO_TIME, PipelineError, Samples
from ..printable import printable
from . import decimation, depth
from .errors import ExportError
from .plan import lead_ns
from .recordings.found import channels_of, decoder_of
from .recordings.pipelines import quote
from .samplefile import SampleFile

MISSING = 2  # status of a stream at a tick
NO_GAP = -1


@dataclass
class Ticks:
    """Ticks in their order. `rows` are the channels of all streams of numbers, `info` int64 [ticks, streams, 4] as robocachefuse has it."""
    index: np.ndarray  # from the start of the episode
    rows: np.ndarray
    info: np.ndarray
    samples: np.ndarray  # [(buffer, place, size of a picture in m or None)] of the pictures of each; None without pictures

    def __len__(self):
        return len(self.index)

    def __getitem__(self, which):
        return Ticks(self.index[which], self.rows[which], self.info[which], self.samples[which])

    def __add__(self, other):
        return Ticks(*(np.concatenate([getattr(one, name) for one in (self, other)]) for name in ("index", "rows", "info", "samples")))

    def picture(self, tick, number):
        """The bytes of a camera's picture, as a buffer that shares its memory unless it is in m."""
        buffer, place, size = self.samples[tick][number]
        if size is None:
            return buffer.copy_region(Gst.BufferCopyFlags.MEMORY, place.offset, place.size)
        metres = np.frombuffer(buffer.extract_dup(place.offset, place.size), np.float32)
        return Gst.Buffer.new_wrapped(depth.of_metres(metres.reshape(place.shape), size).tobytes())

    def repeat(self, source, columns, number):
        """The same, with the values of one stream those of the ticks `source`: its columns, or without columns its pictures."""
        rows, samples = self.rows.copy(), self.samples.copy()
        if columns is not None:
            rows[:, columns] = self.rows[source][:, columns]
        else:
            for i, k in enumerate(source):
                samples[i] = [*self.samples[i][:number], self.samples[k][number], *self.samples[i][number + 1:]]
        return Ticks(self.index, rows, self.info, samples)


# ---- the pipeline ----

# in the order of robocachefuse
PADS = "camera", "proprio", "sink"


def _kind_of(one):
    """The place in PADS: pictures of video, pictures that are tensors, rows."""
    return 1 if one.are_metres else 0 if one.stream.is_camera else 2


def _pad_names(found):
    numbers = [count() for _ in PADS]
    return [f"{PADS[kind]}_{next(numbers[kind])}" for kind in map(_kind_of, found)]


def _setting(key, value):
    return f"{key}={str(value).lower() if isinstance(value, bool) else value}"


def _pad_settings(found, names, recording):
    """Without offsets that the source applies."""
    left = {name: [_setting(*item) for item in one.stream.settings if item[0] != "offset" or not recording.has_offset(one.stream)]
                  + ["interpolation=nearest"] * one.are_metres for one, name in zip(found, names)}
    return "; ".join(",".join([name, *settings]) for name, settings in left.items() if settings)


def _branch(number, one, pad, name):
    """From the recording through its queue to robocachefuse. All streams share a multiqueue, which grows where one of them is silent."""
    link = f"{pad} ! many.sink_{number}  many.src_{number} ! "
    if not one.stream.is_camera or one.are_metres:
        return f"{link} fuse.{name}"
    width, height = one.size
    # between two depths may be nothing
    scale, form = ("videoscale method=nearest-neighbour", "GRAY16_LE") if one.is_depth else ("videoscale", "RGB")
    return (f"{link} {decoder_of(one.caps)} videoconvert ! {scale} ! "
            f"video/x-raw,format={form},width={width},height={height},pixel-aspect-ratio=1/1 ! fuse.{name}")


def describe(planned, mapping, origin):
    """The pipeline, whose running time 0 is to be `origin` of the recording's clock."""
    names = _pad_names(planned.found)
    source, pads = planned.episode.recording.source(planned.found, origin)
    # streams of one pad of the recording
    tees = {pad: f"tee{i}" for i, (pad, uses) in enumerate(Counter(pads).items()) if uses > 1}
    split = [f"{pad} ! tee name={tee}" for pad, tee in tees.items()]
    ends = [f"{tees[pad]}." if pad in tees else pad for pad in pads]
    branches = [_branch(*one) for one in zip(range(len(pads)), planned.found, ends, names)]
    fuse = (f"robocachefuse name=fuse rate={mapping.fps}/1 type=float32 info=tensor "
            f"pads={quote(_pad_settings(planned.found, names, planned.episode.recording))}")
    return "  ".join([source, "multiqueue name=many max-size-bytes=0 max-size-time=0 max-size-buffers=32", fuse, *split, *branches])


# ---- its samples ----

def count_ticks(nanoseconds, fps):
    """Ticks k with floor(k 10^9 / fps) < nanoseconds."""
    return (nanoseconds * fps + 10**9 - 1) // 10**9


def _index_of(tick_ns, fps):
    return -(-tick_ns * fps // 10**9)


class _Names:
    """Watches the names of the channels that reach robocachefuse: rows of an episode have those of the plan, others may have others."""

    def __init__(self, planned, fuse, begin, end):
        """begin, end: of the episode in running time."""
        self._span, self._probes, self.wrong = (begin, end), {}, None
        by_pad = {name: one for one, name in zip(planned.found, _pad_names(planned.found)) if not one.stream.is_camera}

        def watch(_, pad):
            if one := by_pad.get(pad.get_name()):
                pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self._handle_event, one)

        # links to pads of a recording that come later wait for these
        fuse.connect("pad-added", watch)
        for pad in fuse.sinkpads:
            watch(fuse, pad)

    def _handle_event(self, pad, info, one):
        event = info.get_event()
        if event.type == Gst.EventType.CAPS:
            names = channels_of(event.parse_caps().get_structure(0))
            if probe := self._probes.pop(pad, None):
                pad.remove_probe(probe)
            if names != one.channels:
                text = f"the channels of {one.stream.topic} ({one.stream.name}) change: {','.join(one.channels)} | {','.join(names)}"
                self._probes[pad] = pad.add_probe(Gst.PadProbeType.BUFFER, self._handle_rows, text)
        return Gst.PadProbeReturn.OK

    def _handle_rows(self, pad, info, text):
        buffer, segment = info.get_buffer(), pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        duration = 0 if buffer.duration == Gst.CLOCK_TIME_NONE else buffer.duration
        first, last = (segment.to_running_time(Gst.Format.TIME, time) for time in (buffer.pts, buffer.pts + duration))
        if last >= self._span[0] and first < self._span[1]:
            self.wrong = self.wrong or text
        return Gst.PadProbeReturn.OK


class Alignment:
    """Iterates over the ticks of an episode. `streams` are names in the order of info."""

    def __init__(self, planned, mapping, is_measured=False):
        """is_measured: runs long enough for robocachefuse to find what is folded; a change of channels behind the episode would end it."""
        self.planned, self.fps, self.folded = planned, mapping.fps, []
        self.is_measured = False  # enough rows were read to find what is folded
        self.lead = lead_ns(planned)
        self.origin = planned.episode.span.start - self.lead
        self.count = count_ticks(planned.episode.span.end - planned.episode.span.start, self.fps)
        is_longer = is_measured and all(len(planned.episode.recording.channel_formats(one.stream.topic)) < 2 for one in planned.found)
        self._last = max(self.count, math.ceil(decimation.ENOUGH * self.fps)) if is_longer else self.count
        self.ordered = sorted(planned.found, key=_kind_of)
        self.streams = [one.stream.name for one in self.ordered]
        # of each stream, whether its rows are copies of the nearest one, as caps of samples say
        self._nearest = None
        self._names = None
        self._description = describe(planned, mapping, self.origin)

    def __iter__(self):
        """Parts of the episode, as Ticks: all of it, or with pictures one tick after another."""
        first = self.lead // 10**9 * self.fps
        run = self._one_by_one if any(one.stream.is_camera for one in self.ordered) else self._at_once
        newest = -1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                for ticks in run():
                    ticks.index -= first
                    yield ticks[(ticks.index >= 0) & (ticks.index < self.count)]
                    newest = ticks.index[-1]
                    if newest >= self._last:
                        break
                self.is_measured = newest < self._last or self._last >= decimation.ENOUGH * self.fps
                if self._names.wrong:
                    raise ExportError(f"{self.planned.episode.name}: {self._names.wrong}")
            except PipelineError as error:
                # a fault behind the episode is another one's
                if newest < self.count:
                    raise ExportError(f"{self.planned.episode.name}: {error}") from None
            finally:
                self._report(caught)

    def _start(self, samples):
        self._names = _Names(self.planned, samples.fuse, self.lead, self.lead + self.count * 10**9 // self.fps)
        try:
            self.planned.episode.recording.start(samples.pipeline, samples.fuse.get_static_pad("src"))
        except ExportError:
            samples.close()
            raise

    def _at_once(self):
        samples = SampleFile(self._description)
        self._start(samples)
        data = samples.run(*(self.lead + tick * 10**9 // self.fps for tick in (self._last, self.count)))
        for form in samples.formats:
            _, offset, size = self._split(form)
        if len(data):
            yield self._ticks(data[:, offset:offset + size], data[:, offset + size:], np.full(len(data), None))

    def _one_by_one(self):
        form = split = None
        samples = Samples(self._description)
        self._start(samples)
        for sample in samples:
            if sample.format is not form:
                form, split = sample.format, self._split(sample.format)
            places, offset, size = split
            data = np.frombuffer(sample.buffer.extract_dup(offset, sample.buffer.get_size() - offset), np.uint8)[None]
            carried = np.empty(1, object)
            carried[0] = [(sample.buffer, *place) for place in places]
            yield self._ticks(data[:, :size], data[:, size:], carried)

    def _split(self, form):
        """(place and size of each picture in the order of the mapping, first byte of the rows, bytes of the rows) of a sample; an error where they
        are not those of the plan."""
        cameras = [one for one in self.ordered if one.stream.is_camera]
        by_name = dict(zip((one.stream.name for one in cameras), form.places))
        places = [(by_name[one.stream.name], one.size if one.are_metres else None) for one in self.planned.found if one.stream.is_camera]
        rows = [place for place in form.places[len(cameras):] if place is not form.info]
        width = sum(place.size // 4 for place in rows)
        if width != self.planned.layout.width or len(form.streams) != len(self.streams) or any(place.type != "float32" for place in rows):
            raise ExportError(f"{self.planned.episode.name}: the channels change during the episode: {form.caps.to_string()}")
        nearest = [name in form.nearest for name in form.streams]
        if self._nearest not in (None, nearest):
            raise ExportError(f"{self.planned.episode.name}: the kinds of channels change during the episode: {form.caps.to_string()}")
        self._nearest = nearest
        return places, (rows[0] if rows else form.info).offset, 4 * width

    def _ticks(self, rows, info, samples):
        """Of bytes [ticks, bytes]."""
        rows, info = np.ascontiguousarray(rows).view(np.float32), np.ascontiguousarray(info).view(np.int64).reshape(len(info), -1, 4)
        return Ticks(_index_of(info[:, 0, 0], self.fps), rows, info, samples)

    def _report(self, caught):
        """Rows before the origin are left out on purpose. What is said of a recording, or of the set, is not said of each episode."""
        by_pad = dict(zip(_pad_names(self.planned.found), self.planned.found))
        for text in dict.fromkeys(str(one.message) for one in caught):
            if folded := decimation.read_warning(text):
                self.folded.append((by_pad[folded[0]], folded[1]))
            elif "before running time 0" not in text and not self.planned.episode.recording.has_said(text):
                print(f"warning: {printable(self.planned.episode.name)}: {printable(text)}", file=sys.stderr)

    # ---- times ----

    def times(self, info):
        """(capture times on the recording's clock, ages, gaps, statuses) of info [ticks, streams, 4], each [ticks, streams]. Without a row
        at or before the tick the first two are NO_TIME, and without rows on both sides the third is NO_GAP."""
        tick, before, after, status = np.moveaxis(info, -1, 0)
        # of two at the same distance robocachefuse takes the earlier one; a held row is the one before
        later = np.array(self._nearest) & ((status & ~CORRUPTED) == 0) & (after != NO_TIME) & (before != NO_TIME)
        later &= np.where(later, after, 0) - tick < tick - np.where(later, before, 0)
        captured = np.where(later, after, before)
        is_known = captured != NO_TIME
        is_between = (before != NO_TIME) & (after != NO_TIME)
        return (np.where(is_known, captured + self.origin, NO_TIME), np.where(is_known, tick - captured, NO_TIME),
                np.where(is_between, after - before, NO_GAP), status)

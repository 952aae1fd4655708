# SPDX-License-Identifier: LGPL-2.1-or-later
"""What ticks are too slow for: the share of each channel's variance above half of the set's rate, which interpolation folds below.

robocacheresample measures it in the first 5 s of a stream, or in all of a shorter one.
"""
import math
import re
import sys

import numpy as np
from gi.repository import Gst

from ..printable import printable
from .recordings import pipelines
from .recordings.found import LISTS
from .recordings.pipelines import quote

SECONDS = 5
# rows come one after another, so a tick of this time is sent when those of SECONDS have been looked at
ENOUGH = SECONDS + 0.5
FILTERS = ("mean", "lowpass")
# as robocachefuse has them
LOBES, CUTOFF = 4, 0.4


def is_about(text):
    return "half of the rate of ticks" in text


def _interpolation(stream):
    return dict(stream.settings).get("interpolation", "linear")


# ---- how far lowpass looks ahead ----

def look_ahead_ns(stream, recording, fps):
    """From a tick to the end of its filter; 0 without lowpass. Without cutoff, of the median spacing of the stream's rows."""
    settings = dict(stream.settings)
    if _interpolation(stream) != "lowpass":
        return 0
    cutoff = float(settings.get("cutoff", 0))
    if not cutoff:
        spacings = np.diff(recording.stream_times(stream))
        rate = 1e9 / max(1, float(np.median(spacings))) if len(spacings) else fps
        cutoff = CUTOFF * min(fps, rate)
    return round(int(settings.get("lobes", LOBES)) / (2 * cutoff) * 1e9)


# ---- what is folded ----

def _kinds(stream):
    """What the mapping says of its channels, as properties of robocacheresample."""
    return " ".join(f"{key}={quote(value)}" for key, value in stream.settings if key in ("kinds", *LISTS))


def _what(found):
    """What is measured of a stream."""
    return found.pad, _kinds(found.stream)


def _describe(planned, numbers, fps):
    """All streams of the plan, whose pads have their names together, of which those of the numbers are resampled."""
    source, names = planned.episode.recording.source(planned.found, planned.episode.recording.span()[0])
    numbered = {name: k for k, name in enumerate(dict.fromkeys(names))}
    # what is not linked ends its source with an error
    tees = [f"{name} ! tee name=tee{k} allow-not-linked=true" for name, k in numbered.items()]
    branches = [f"tee{numbered[names[i]]}. ! queue ! robocacheresample name=resample{i} rate={fps}/1 interpolation=linear "
                f"{_kinds(planned.found[i].stream)} ! fakesink name=sink{i} sync=false async=false signal-handoffs=true" for i in numbers]
    return "  ".join([source, *tees, *branches])


def _run(pipeline):
    """The warnings, {element: text}, until the application says that all streams have enough ticks, or the recording ends. An error ends it,
    too: the export reads the same messages, and reports it."""
    texts, bus = {}, pipeline.get_bus()
    types = Gst.MessageType.WARNING | Gst.MessageType.ERROR | Gst.MessageType.EOS | Gst.MessageType.APPLICATION
    while (message := bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, types)).type == Gst.MessageType.WARNING:
        if is_about(text := message.parse_warning()[0].message):
            texts[message.src.get_name()] = text
    return texts


def measure(planned, fps):
    """{stream: what is folded, by channel}, of the streams of numbers of a recording that are interpolated."""
    recording = planned.episode.recording
    wanted = {i: one for i, one in enumerate(planned.found) if not one.stream.is_camera and _interpolation(one.stream) not in FILTERS}
    # streams of one pad are measured once, unless their channels are taken for something else
    numbers = list({_what(one): i for i, one in reversed(wanted.items())}.values())
    if not numbers:
        return {}
    pipeline = pipelines.parse(_describe(planned, numbers, fps))
    counts, enough, bus = dict.fromkeys(numbers, 0), math.ceil(ENOUGH * fps), pipeline.get_bus()
    # made here, as in pipelines.pause
    message = Gst.Message.new_application(None, Gst.Structure.new_empty("enough"))

    def count(_, __, ___, i):
        counts[i] += 1
        if counts[i] == enough and min(counts.values()) >= enough:
            bus.post(message)

    for i in numbers:
        pipeline.get_by_name(f"sink{i}").connect("handoff", count, i)
    try:
        recording.start(pipeline, pipeline.get_by_name(f"resample{numbers[0]}").get_static_pad("src"))
        pipeline.set_state(Gst.State.PLAYING)
        texts = _run(pipeline)
    finally:
        pipeline.set_state(Gst.State.NULL)
    found = {_what(planned.found[i]): texts[f"resample{i}"] for i in numbers if f"resample{i}" in texts}
    return {one.stream.name: _with_names(found[_what(one)], one.channels) for one in wanted.values() if _what(one) in found}


def _with_names(text, channels):
    return re.sub(r"channel (\d+)", lambda number: f"{number[0]} ({channels[int(number[1])]})" if channels[int(number[1])] != number[1] else number[0],
                  text)


class Report:
    """Measures each recording once, which reads no more than its first seconds, and warns of each stream once."""

    def __init__(self, fps):
        self._fps, self._measured, self._others = fps, set(), {}

    def add(self, planned):
        recording = planned.episode.recording
        if recording in self._measured:
            return
        self._measured.add(recording)
        for name, text in measure(planned, self._fps).items():
            if name in self._others:
                self._others[name] += 1
                continue
            self._others[name] = 0
            print(f"warning: streams.{printable(name)}, in the first {SECONDS} s of {printable(recording.name)}: {printable(text)}", file=sys.stderr)

    def end(self):
        for name, count in self._others.items():
            if count:
                print(f"warning: streams.{printable(name)}: the same holds for {count} other recordings", file=sys.stderr)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""The clocks of a recording, as its element finds them (clocksurvey.h): which topics have which, and how they are put on one timeline."""
import json

import numpy as np
from gi.repository import GLib


def _move(times, knots):
    """Times of a clock on the timeline. knots: [(time, shift)] of increasing times; between them, and beyond, shifts are linear."""
    if not knots:
        return times
    places, shifts = (np.array(one, np.int64) for one in zip(*knots))
    if len(knots) == 1:
        return times + shifts[0]
    right = np.clip(np.searchsorted(places, times), 1, len(places) - 1)
    share = (times - places[right - 1]) / (places[right] - places[right - 1])
    return times + shifts[right - 1] + np.rint(share * (shifts[right] - shifts[right - 1])).astype(np.int64)


END_NS = 10**9  # that a topic may end after its last stamp was read
AGREE_NS = 500 * 10**6  # of a break in several topics


class Timed:
    """Which times of a recording are used. Derived classes add offset_of() to their times."""
    time_source, topics_used, clocks = "auto", {}, None

    def use(self, topics, time_source):
        """Before times are read. topics: {topic of the mapping: ns to add to its times}."""
        self.topics_used, self.time_source = topics, time_source

    def offset_of(self, topic):
        return self.topics_used.get(topic, 0)

    def has_offset(self, stream):
        """Whether the times that its source sends have the stream's offset already."""
        return self.offset_of(stream.topic) != 0

    def breaks(self):
        return self.clocks.breaks(self.topics_used) if self.clocks else []


class Clocks:
    """`text` is what the element's property clocks takes, `lines` are sentences for people."""

    def __init__(self, text):
        self._found = GLib.Variant.parse(None, text).unpack()
        self.lines = self._found["lines"]
        self._topics = {name: ends for name, *ends in self._found["topics"]}
        self._recorder = next((pieces[0][1] for name, _, pieces in self._found["map"] if not name), [])

    def arrivals(self, log_times):
        """Log times on the timeline."""
        return _move(log_times, self._recorder)

    def times(self, topic, log_times):
        """Of a topic's messages, sorted: those at both ends by their stamps, the others by their arrival less the least delay."""
        if topic not in self._topics or not len(log_times):
            return self.arrivals(log_times)
        first, last, delay = self._topics[topic]
        times = self.arrivals(log_times) - delay
        # a long recording is read at places, of which the ends may lie within the topic
        if first <= times[0] + END_NS:
            times = np.maximum(times, first)
            times[0] = first
        if last >= times[-1] - END_NS:
            times = np.minimum(times, last)
            times[-1] = last
        return times

    def breaks(self, offsets):
        """[(last time before, first time after)] of steps of stamps, those of one clock once: between them, topics are of different sides. offsets:
        {topic: ns to add to its times}."""
        found, newest = [], None
        times = self.arrivals(np.array([log_time for _, log_time, *_ in self._found["breaks"]], np.int64)).tolist()
        for time, (topic, *_, before, after) in sorted(zip(times, self._found["breaks"]), key=lambda one: one[0]):
            before, after = before + offsets.get(topic, 0), after + offsets.get(topic, 0)
            # a slow topic shows the same step later
            if found and (time - newest <= AGREE_NS or before < found[-1][1]):
                other_before, other_after = found.pop()
                before, after = min(before, other_before), max(after, other_after)
            found.append((before, after))
            newest = time
        return found

    def has_stamps(self, topic):
        return any(name == topic and pieces for name, _, pieces in self._found["map"])

    def text(self, offsets):
        """offsets: {topic: ns to add to its stamps}."""
        def shift(knots, offset):
            return [(time, shift + offset) for time, shift in knots] or [(0, offset)]

        moved = [(name, has_zero, [(begin, shift(knots, offsets[name]) if offsets.get(name) else knots) for begin, knots in pieces])
                 for name, has_zero, pieces in self._found["map"]]
        return GLib.Variant("a{sv}", {"map": GLib.Variant("a(sba(ta(xx)))", moved)}).print_(True)

    def describe(self):
        """For the manifest."""
        keys = ("topics", "shift_ns", "uncertainty_ns", "drift_ppm", "is_timeline", "is_recorder")
        return json.loads(json.dumps({"clocks": [dict(zip(keys, one)) for one in self._found["clocks"]],
                                      "least_delay_ns": {name: delay for name, (_, _, delay) in self._topics.items()},
                                      "breaks": [dict(zip(("topic", "log_time", "step_ns", "before", "after"), one)) for one in self._found["breaks"]]}))

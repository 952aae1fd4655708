# SPDX-License-Identifier: LGPL-2.1-or-later
"""What ticks are too slow for: the share of each channel's variance above half of the set's rate, which interpolation folds below.

robocachefuse measures it in the first 5 s of rows that an episode is made of, and warns.
"""
import re
import sys

import numpy as np

from ..printable import printable

SECONDS = 5
# after an episode's start: a tick of this time is made when rows of SECONDS have been looked at
ENOUGH = SECONDS + 0.5
# as robocachefuse has them
LOBES, CUTOFF = 4, 0.4


def read_warning(text):
    """(pad of robocachefuse, what it measured) of a warning; None: it is another one."""
    found = re.fullmatch(r"\w+: (\w+): (.* half of the rate of ticks.*)", text, re.DOTALL)
    return found.groups() if found else None


# ---- how far lowpass looks ahead ----

def look_ahead_ns(stream, recording, fps):
    """From a tick to the end of its filter; 0 without lowpass. Without cutoff, of the median spacing of the stream's rows."""
    settings = dict(stream.settings)
    if settings.get("interpolation") != "lowpass":
        return 0
    cutoff = float(settings.get("cutoff", 0))
    if not cutoff:
        spacings = np.diff(recording.stream_times(stream))
        rate = 1e9 / max(1, float(np.median(spacings))) if len(spacings) else fps
        cutoff = CUTOFF * min(fps, rate)
    return round(int(settings.get("lobes", LOBES)) / (2 * cutoff) * 1e9)


# ---- what is folded ----

def _with_names(text, channels):
    return re.sub(r"channel (\d+)", lambda number: f"{number[0]} ({channels[int(number[1])]})" if channels[int(number[1])] != number[1] else number[0],
                  text)


class Report:
    """Of each recording, the first episode that is exported is measured. Warns of each stream once."""

    def __init__(self):
        self._measured, self._others = set(), {}

    def wants(self, recording):
        return recording not in self._measured

    def add(self, recording, folded):
        """folded: [(stream of the recording, text)]."""
        if not self.wants(recording):
            return
        self._measured.add(recording)
        for one, text in folded:
            name = one.stream.name
            if name in self._others:
                self._others[name] += 1
                continue
            self._others[name] = 0
            print(f"warning: streams.{printable(name)}, in {SECONDS} s of {printable(recording.name)}: {printable(_with_names(text, one.channels))}",
                  file=sys.stderr)

    def end(self):
        for name, count in self._others.items():
            if count:
                print(f"warning: streams.{printable(name)}: the same holds for {count} other recordings", file=sys.stderr)

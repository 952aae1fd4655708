# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which ticks of an episode the set keeps: those at which no value is missing."""
from collections import Counter

import numpy as np

from .alignment import MISSING


class Kept:
    """Iterates over the ticks to keep. `dropped` counts the others by reason."""

    def __init__(self, alignment, mapping, used):
        self._alignment, self._used = alignment, used
        self._ends, self._needs_next = mapping.missing == "end", mapping.action == "next-state"
        self._reasons = [f"{name} missing" for name in alignment.streams] + ["a value is not a number"]
        self._has_begun = self._has_ended = False
        self._before = None  # the last tick, whose next state is not known yet
        self.dropped = Counter()

    def _faults(self, ticks):
        """Of each tick the number of the first reason not to keep it; that behind the last: none."""
        missing = ticks.info[:, :, 3] & 3 == MISSING
        odd = ~np.isfinite(ticks.rows[:, self._used]).all(axis=1)
        faults = np.column_stack([missing, odd, np.ones(len(ticks), bool)])
        return faults.argmax(axis=1)

    def _complete(self, ticks):
        """Those with all values; with missing = end, up to the first without behind one with them."""
        faults = self._faults(ticks)
        is_whole = faults == len(self._reasons)
        if self._ends:
            has_begun = np.logical_or.accumulate(np.append(self._has_begun, is_whole))
            ends = np.flatnonzero(has_begun[:-1] & ~is_whole)
            self._has_begun, self._has_ended = has_begun[-1], len(ends) > 0
            count = ends[0] + 1 if len(ends) else len(ticks)
            ticks, faults, is_whole = ticks[:count], faults[:count], is_whole[:count]
        for fault in faults[~is_whole]:
            self.dropped[self._reasons[fault]] += 1
        return ticks[is_whole]

    def _with_next(self, ticks):
        """Ticks whose next one on the grid is there, and those."""
        ticks = ticks if self._before is None else self._before + ticks
        self._before = ticks[-1:]
        follows = ticks.index[1:] == ticks.index[:-1] + 1
        self._drop(np.count_nonzero(~follows))
        return ticks[:-1][follows], ticks[1:][follows]

    def _drop(self, count):
        if count:
            self.dropped["no next state"] += count

    def __iter__(self):
        """(ticks, ticks whose state is the action): the same, or the next ones on the grid."""
        for part in self._alignment:
            ticks = self._complete(part)
            pair = self._with_next(ticks) if self._needs_next and len(ticks) else (ticks, ticks)
            if len(pair[0]):
                yield pair
            if self._has_ended:
                break
        self._drop(self._before is not None)

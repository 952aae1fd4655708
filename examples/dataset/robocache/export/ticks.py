# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which ticks of an episode the set keeps, in runs without a hole: a hole is one or more ticks at which a value is missing."""
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from .alignment import MISSING

ODD, ABSENT = "a value is not a number", "no sample"


@dataclass
class Hole:
    """Consecutive ticks without a value, and at how many of them which stream is missing. `others` are counts of ODD and ABSENT."""
    first: int
    last: int
    streams: Counter = field(default_factory=Counter)
    others: Counter = field(default_factory=Counter)

    @property
    def reason(self):
        return ", ".join([*(f"{name} missing" for name in self.streams), *self.others])


class Kept:
    """Iterates over the ticks to keep. `dropped` counts the others by reason, `holes` are all holes in the order of time."""

    def __init__(self, alignment, mapping, layout):
        self._alignment, self._mapping, self._layout = alignment, mapping, layout
        self._needs_next = mapping.action == "next-state"
        self._before = None  # the last tick as Ticks, whose next state is not known yet
        self._held = None  # the last tick, for what is missing after it
        self._newest = None  # index of the last tick, kept or not
        self._last_kept, self._run, self._has_ended = None, -1, False
        self.dropped, self.holes = Counter(), []

    # ---- holes ----

    def _faults(self, ticks):
        """(missing [ticks, streams], odd [ticks]): a tick with a stream that is missing is not odd, too."""
        missing = ticks.info[:, :, 3] & 3 == MISSING
        odd = ~np.isfinite(ticks.rows[:, self._layout.used]).all(axis=1)
        return missing, odd & ~missing.any(axis=1)

    def _hole(self, first, last):
        """That of these ticks, which goes on with one that ends just before."""
        if not self.holes or self.holes[-1].last + 1 < first:
            self.holes.append(Hole(first, last))
        self.holes[-1].last = last
        return self.holes[-1]

    def _before_index(self, ticks):
        """Of each tick, the index of the one that came before it."""
        return np.concatenate([[ticks.index[0] - 1 if self._newest is None else self._newest], ticks.index[:-1]])

    def _note_holes(self, ticks, missing, odd):
        before = self._before_index(ticks)
        jumps = ticks.index != before + 1
        for i in np.flatnonzero(jumps | odd | missing.any(axis=1)):
            if jumps[i]:
                count = int(ticks.index[i] - before[i]) - 1
                self._hole(int(before[i]) + 1, int(ticks.index[i]) - 1).others[ABSENT] += count
            if odd[i] or missing[i].any():
                hole = self._hole(*[int(ticks.index[i])] * 2)
                hole.streams.update(np.array(self._alignment.streams)[missing[i]].tolist())
                hole.others.update([ODD] * int(odd[i]))
        self._newest = int(ticks.index[-1])

    # ---- which ticks are kept ----

    def _drop(self, reason, count):
        if count:
            self.dropped[reason] += int(count)

    def _end(self, ticks, is_whole):
        """Number of the tick at which the episode ends, with missing = end: the first one behind a hole, or in it; None: not among these."""
        has_begun = np.logical_or.accumulate(np.append(self._last_kept is not None, is_whole))[:-1]
        ends = np.flatnonzero(has_begun & (~is_whole | (ticks.index != self._before_index(ticks) + 1)))
        return int(ends[0]) if len(ends) else None

    def _drop_faults(self, missing, odd):
        """Each tick counts once, by its first stream."""
        first = missing.argmax(axis=1)[missing.any(axis=1)]
        for stream, count in zip(self._alignment.streams, np.bincount(first, minlength=missing.shape[1])):
            self._drop(f"{stream} missing", count)
        self._drop(ODD, np.count_nonzero(odd))

    def _whole(self, ticks):
        """Those to keep."""
        missing, odd = self._faults(ticks)
        is_whole = ~(missing.any(axis=1) | odd)
        if self._mapping.missing == "end" and (end := self._end(ticks, is_whole)) is not None:
            self._has_ended = True
            ticks, missing, odd, is_whole = (values[:end + 1] for values in (ticks, missing, odd, is_whole))
        self._note_holes(ticks, missing, odd)
        if self._mapping.missing == "keep":
            return self._fill(ticks, missing) if self._mapping.fill == "hold" else ticks
        self._drop_faults(missing, odd)
        # one that follows a hole without samples is not of this episode
        return ticks[is_whole] if not self._has_ended or not is_whole[-1] else ticks[:-1][is_whole[:-1]]

    def _fill(self, ticks, missing):
        """What is missing is that of the tick before, if that has it."""
        together = ticks if self._held is None else self._held + ticks
        absent = np.vstack([np.zeros((len(together) - len(ticks), missing.shape[1]), bool), missing])
        for number, stream in enumerate(self._alignment.streams):
            source = np.maximum.accumulate(np.where(absent[:, number], 0, np.arange(len(together))))
            together = together.repeat(source, self._layout.streams.get(stream), number)
        self._held = together[-1:]
        return together[-len(ticks):]

    # ---- runs ----

    def _runs(self, ticks):
        """Pieces of these ticks, each within one run. Only missing = drop closes time up."""
        if not len(ticks):
            return
        index = ticks.index
        before = np.concatenate([[-1 if self._last_kept is None else self._last_kept], index[:-1]])
        begins = (index != before + 1) & (self._mapping.missing != "drop")
        begins[0] |= self._run < 0
        self._last_kept = int(index[-1])
        places = np.flatnonzero(begins)
        for first, end in zip([0, *places[places > 0]], [*places[places > 0], len(ticks)]):
            yield bool(begins[first]), ticks[first:end]

    def _with_next(self, ticks):
        """Ticks whose next one on the grid is there, and those."""
        ticks = ticks if self._before is None else self._before + ticks
        self._before = ticks[-1:]
        follows = ticks.index[1:] == ticks.index[:-1] + 1
        self._drop("no next state", np.count_nonzero(~follows))
        return ticks[:-1][follows], ticks[1:][follows]

    def _begin(self):
        self._drop("no next state", self._before is not None)
        self._run, self._before = self._run + 1, None

    def __iter__(self):
        """(number of the run, ticks, ticks whose state is the action): the same, or the next ones on the grid."""
        for part in self._alignment:
            for is_new, ticks in self._runs(self._whole(part)) if len(part) else ():
                if is_new:
                    self._begin()
                pair = self._with_next(ticks) if self._needs_next else (ticks, ticks)
                if len(pair[0]):
                    yield self._run, *pair
            if self._has_ended:
                break
        self._drop("no next state", self._before is not None)

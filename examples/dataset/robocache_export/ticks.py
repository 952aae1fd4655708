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
        self.dropped = Counter()

    def _fault(self, tick):
        """Why a tick is not kept, or None."""
        for name, status in zip(self._alignment.streams, tick.info[:, 3]):
            if status & 3 == MISSING:
                return f"{name} missing"
        return None if np.isfinite(tick.row[self._used]).all() else "a value is not a number"

    def _complete(self):
        """Ticks with all values; with missing = end, those up to the first without."""
        has_begun = False
        for tick in self._alignment:
            fault = self._fault(tick)
            if fault is None:
                has_begun = True
                yield tick
            else:
                self.dropped[fault] += 1
                if self._ends and has_begun:
                    return

    def __iter__(self):
        """(tick, tick whose state is the action): the same, or the next one on the grid."""
        if not self._needs_next:
            yield from ((tick, tick) for tick in self._complete())
            return
        before = None
        for tick in self._complete():
            if before is not None and tick.index == before.index + 1:
                yield before, tick
            elif before is not None:
                self.dropped["no next state"] += 1
            before = tick
        self.dropped["no next state"] += before is not None

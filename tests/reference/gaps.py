# SPDX-License-Identifier: LGPL-2.1-or-later
"""max-gap in periods of the rows, as docs/explanation/arithmetic.md defines it."""
from pipelines import MS, NS, np


def gap_in_periods(times, tick):
    """In ns, of increasing times; by the spacings up to the last row at or before the tick."""
    left = int(np.searchsorted(times, tick, side="right")) - 1
    spacings = np.sort(np.diff(times[max(left - 64, 0):max(left + 1, 0)]))
    if len(spacings) < 8:
        return 200 * MS
    period = int(spacings[len(spacings) // 2])
    return max(min(max(8 * period, 20 * MS), NS), 2 * period)

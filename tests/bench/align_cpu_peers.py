# SPDX-License-Identifier: LGPL-2.1-or-later
"""Alignments as one writes them in NumPy, SciPy and pandas, for others to set beside ours on a CPU.

A peer is a function of times [batch, rows], of rows [batch, rows, channels] and of ticks [batch, ticks]; times and ticks are
int64 ns. It returns [batch, ticks, channels]. Where a tick has rows on one side only, it may return what it likes."""
import numpy as np

from peers import Peer

try:
    from scipy import interpolate
    from scipy.spatial import transform
except ImportError:
    interpolate = None
try:
    import pandas
except ImportError:
    pandas = None

NS = 1e9


def of_items(align):
    """Of a batch, item by item: these libraries align one recording at a time."""
    return lambda times, rows, ticks: np.stack([align(*item) for item in zip(times, rows, ticks)])


# ---- NumPy ----


def bracket(times, ticks):
    after = np.searchsorted(times, ticks, side="right").clip(1, len(times) - 1)
    return after - 1, after


def interp(times, rows, ticks):
    return np.stack([np.interp(ticks, times, channel) for channel in rows.T], axis=1)


def searchsorted(times, rows, ticks):
    before, after = bracket(times, ticks)
    w = ((ticks - times[before]) / (times[after] - times[before])).astype(rows.dtype)[:, np.newaxis]
    y0 = rows[before]
    return y0 + w * (rows[after] - y0)


def searchsorted_nearest(times, rows, ticks):
    before, after = bracket(times, ticks)
    return rows[np.where(ticks - times[before] <= times[after] - ticks, before, after)]


def searchsorted_previous(times, rows, ticks):
    return rows[np.searchsorted(times, ticks, side="right") - 1]


def cumsum(period):
    """Means of the rows within half a period of each tick."""
    def align(times, rows, ticks):
        begin, end = (np.searchsorted(times, ticks - period // 2 + shift) for shift in (0, period))
        sums = np.concatenate((np.zeros((1, rows.shape[1])), rows.cumsum(axis=0, dtype=np.float64)))
        n = (end - begin)[:, np.newaxis]
        return np.where(n > 0, (sums[end] - sums[begin]) / np.maximum(n, 1), searchsorted(times, rows, ticks))
    return align


def numpy_peers(row):
    return [] if row["quaternions"] else {
        "linear": [("interp", interp), ("searchsorted", searchsorted)],
        "nearest": [("searchsorted", searchsorted_nearest)],
        "previous": [("searchsorted", searchsorted_previous)],
        "mean": [("cumsum", cumsum(row["period_ns"]))],
    }.get(row["interpolation"], [])


# ---- SciPy ----


def interp1d(kind):
    return lambda times, rows, ticks: interpolate.interp1d(times, rows, kind, axis=0, bounds_error=False,
                                                           assume_sorted=True)(ticks)


def make_interp_spline(times, rows, ticks):
    return interpolate.make_interp_spline(times / NS, rows, k=1)(ticks / NS)


def cubic_spline(times, rows, ticks):
    """Its second derivative is continuous, so its tangents are others than ours."""
    return interpolate.CubicSpline(times / NS, rows)(ticks / NS)


def cubic_hermite_spline(times, rows, ticks):
    """With the tangents of the parabolas through three rows, as ours."""
    return interpolate.CubicHermiteSpline(times / NS, rows, np.gradient(rows, times / NS, axis=0))(ticks / NS)


def cubic_hermite_spline_with_rates(times, rows, ticks):
    """The second half of the channels are the rates of the first, a second."""
    positions, rates = np.split(rows, 2, axis=1)
    return np.concatenate((interpolate.CubicHermiteSpline(times / NS, positions, rates)(ticks / NS),
                           searchsorted(times, rates, ticks)), axis=1)


def slerp(n_quaternions):
    """The channels behind the quaternions are linear."""
    def align(times, rows, ticks):
        n, inside = 4 * n_quaternions, ticks.clip(times[0], times[-1])
        rotations = (transform.Rotation.from_quat(rows[:, i:i + 4]) for i in range(0, n, 4))
        return np.concatenate([*(transform.Slerp(times, rotation)(inside).as_quat() for rotation in rotations),
                               searchsorted(times, rows[:, n:], ticks)], axis=1)
    return align


def scipy_peers(row):
    if row["quaternions"]:
        return [("Slerp", slerp(row["quaternions"]))]
    return {
        "linear": [("interp1d", interp1d("linear")), ("make_interp_spline", make_interp_spline)],
        "nearest": [("interp1d", interp1d("nearest"))],
        "previous": [("interp1d", interp1d("previous"))],
        "cubic": [("CubicHermiteSpline", cubic_hermite_spline), ("CubicSpline", cubic_spline)],
        "hermite": [("CubicHermiteSpline", cubic_hermite_spline_with_rates)],
    }.get(row["interpolation"], [])


# ---- pandas ----


def reindex_and_interpolate(times, rows, ticks):
    frame = pandas.DataFrame(rows, index=times)
    return frame.reindex(frame.index.union(ticks)).interpolate("index").loc[ticks].to_numpy()


def reindex(method):
    return lambda times, rows, ticks: pandas.DataFrame(rows, index=times).reindex(ticks, method=method).to_numpy()


def pandas_peers(row):
    return [] if row["quaternions"] else {
        "linear": [("reindex, interpolate", reindex_and_interpolate)],
        "nearest": [("reindex", reindex("nearest"))],
        "previous": [("reindex", reindex("ffill"))],
    }.get(row["interpolation"], [])


# ---- which there are ----


def missing():
    """A line for each library that is not installed."""
    modules = {"SciPy": interpolate, "pandas": pandas}
    return [f"without {name}: it is not installed" for name, module in modules.items() if module is None]


def peers_of(row):
    """Peer.run takes times, rows and ticks. Of bfloat16 there is none: these libraries do not have it."""
    if row["in"] == "bfloat16" or row["quaternions"] and row["interpolation"] != "linear":
        return []
    functions = {"NumPy": numpy_peers(row), "SciPy": scipy_peers(row) if interpolate else [],
                 "pandas": pandas_peers(row) if pandas else []}
    return [Peer(library, name, of_items(align)) for library, of_library in functions.items() for name, align in of_library]

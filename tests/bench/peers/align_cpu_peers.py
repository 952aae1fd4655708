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


# ---- bfloat16, which none of these libraries has, and float16, of which each operation takes a conversion ----

NARROW = ("bfloat16", "float16")


def widened(values, dtype):
    """float32."""
    if dtype == "float16":
        return values.astype(np.float32)
    return (values.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def narrowed(values, dtype):
    """To nearest even."""
    if dtype == "float16":
        return values.astype(np.float16)
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16).view(np.int16)


def in_float32(row, align):
    def align_rows(times, rows, ticks):
        result = align(times, widened(rows, row["in"]) if row["in"] in NARROW else rows, ticks)
        return narrowed(result, row["out"]) if row["out"] in NARROW else result
    return align_rows


def in_types(row, functions):
    """Names and functions with those of them that there are for these types of rows."""
    types = {row["in"], row["out"]}
    if not types & set(NARROW):
        return functions
    as_they_are = [] if "bfloat16" in types else functions
    return [*as_they_are, *((f"{name} in float32", in_float32(row, align)) for name, align in functions)]


# ---- NumPy ----


def bracket(times, ticks):
    after = np.searchsorted(times, ticks, side="right").clip(1, len(times) - 1)
    return after - 1, after


def interp(times, rows, ticks):
    return np.stack([np.interp(ticks, times, channel) for channel in rows.T], axis=1)


def place(times, ticks, before, after, dtype):
    """Of each tick between its rows, from 0 to 1."""
    return ((ticks - times[before]) / (times[after] - times[before])).astype(dtype)[:, np.newaxis]


def searchsorted(times, rows, ticks):
    before, after = bracket(times, ticks)
    w, y0 = place(times, ticks, before, after, rows.dtype), rows[before]
    return y0 + w * (rows[after] - y0)


def searchsorted_nearest(times, rows, ticks):
    before, after = bracket(times, ticks)
    return rows[np.where(ticks - times[before] <= times[after] - ticks, before, after)]


def searchsorted_previous(times, rows, ticks):
    return rows[np.searchsorted(times, ticks, side="right") - 1]


def with_rates(times, rows, rates, ticks):
    """Cubics with these tangents, a second."""
    before, after = bracket(times, ticks)
    w, y0 = place(times, ticks, before, after, rows.dtype), rows[before]
    h = ((times[after] - times[before]) / NS).astype(rows.dtype)[:, np.newaxis]
    return y0 + w * w * (3 - 2 * w) * (rows[after] - y0) + h * w * (w - 1) * ((w - 1) * rates[before] + w * rates[after])


def gradient(times, rows, ticks):
    """Its tangents are those of the parabolas through three rows, as ours."""
    return with_rates(times, rows, np.gradient(rows, times / NS, axis=0), ticks)


def searchsorted_hermite(times, rows, ticks):
    """The second half of the channels are the rates of the first, a second."""
    positions, rates = np.split(rows, 2, axis=1)
    return np.concatenate((with_rates(times, positions, rates, ticks), searchsorted(times, rates, ticks)), axis=1)


def unit(quaternions):
    return quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True)


def searchsorted_slerp(n_quaternions):
    """The channels behind the quaternions are linear."""
    def align(times, rows, ticks):
        n, (before, after) = 4 * n_quaternions, bracket(times, ticks)
        w = place(times, ticks, before, after, np.float64)[:, np.newaxis]
        q0, q1 = (unit(rows[i, :n].reshape(len(ticks), n_quaternions, 4)) for i in (before, after))
        cosine = (q0 * q1).sum(axis=-1, keepdims=True)
        angle = np.maximum(np.arccos(np.minimum(abs(cosine), 1), dtype=np.float64), 1e-9)
        q = (np.sin((1 - w) * angle) * q0 + np.sin(w * angle) * np.where(cosine < 0, -q1, q1)) / np.sin(angle)
        return np.concatenate((q.reshape(len(ticks), n), searchsorted(times, rows[:, n:], ticks)), axis=1)
    return align


def window(times, ticks, period):
    """Of rows within half a period of each tick: the first one, and the one behind the last."""
    return (np.searchsorted(times, ticks - period // 2 + shift) for shift in (0, period))


def means(sums, n, times, rows, ticks):
    """Where there is no row, as linear."""
    result = sums / np.maximum(n, 1)[:, np.newaxis]
    result[n == 0] = searchsorted(times, rows, ticks[n == 0])
    return result


def cumsum(period):
    def align(times, rows, ticks):
        begin, end = window(times, ticks, period)
        sums = np.concatenate((np.zeros((1, rows.shape[1])), rows.cumsum(axis=0, dtype=np.float64)))
        return means(sums[end] - sums[begin], end - begin, times, rows, ticks)
    return align


def reduceat(period):
    """It sums from each index to the next one, so every other sum is a window's; an index is one of a row."""
    def align(times, rows, ticks):
        begin, end = window(times, ticks, period)
        bounds = np.stack((begin, end), axis=1).ravel()
        sums = np.add.reduceat(np.pad(rows, ((0, 1), (0, 0))), bounds, axis=0, dtype=np.float64)[::2]
        return means(sums, end - begin, times, rows, ticks)
    return align


def numpy_peers(row):
    if row["quaternions"]:
        return [("searchsorted, arccos", searchsorted_slerp(row["quaternions"]))]
    return {
        "linear": [("interp", interp), ("searchsorted", searchsorted)],
        "nearest": [("searchsorted", searchsorted_nearest)],
        "previous": [("searchsorted", searchsorted_previous)],
        "cubic": [("gradient", gradient)],
        "hermite": [("searchsorted", searchsorted_hermite)],
        "mean": [("cumsum", cumsum(row["period_ns"])), ("add.reduceat", reduceat(row["period_ns"]))],
    }[row["interpolation"]]


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


def rolling(period):
    """Windows around rows and ticks alike, of which a tick adds nothing to a mean."""
    def align(times, rows, ticks):
        frame, at = pandas.DataFrame(rows, index=pandas.to_datetime(times)), pandas.to_datetime(ticks)
        rows_and_ticks = frame.reindex(frame.index.union(at))
        windows = rows_and_ticks.rolling(pandas.Timedelta(period), center=True, closed="left", min_periods=1)
        result = windows.mean().loc[at].to_numpy(copy=True)
        lone = np.isnan(result[:, 0])
        result[lone] = searchsorted(times, rows, ticks[lone])
        return result
    return align


def pandas_peers(row):
    return [] if row["quaternions"] else {
        "linear": [("reindex, interpolate", reindex_and_interpolate)],
        "nearest": [("reindex", reindex("nearest"))],
        "previous": [("reindex", reindex("ffill"))],
        "mean": [("rolling", rolling(row["period_ns"]))],
    }.get(row["interpolation"], [])


# ---- which there are ----


def missing():
    """A line for each library that is not installed."""
    modules = {"SciPy": interpolate, "pandas": pandas}
    return [f"without {name}: it is not installed" for name, module in modules.items() if module is None]


def peers_of(row):
    """Peer.run takes times, rows and ticks."""
    if row["quaternions"] and row["interpolation"] != "linear":
        return []
    functions = {"NumPy": numpy_peers(row), "SciPy": scipy_peers(row) if interpolate else [],
                 "pandas": pandas_peers(row) if pandas else []}
    return [Peer(library, name, of_items(align)) for library, of_library in functions.items()
            for name, align in in_types(row, of_library)]

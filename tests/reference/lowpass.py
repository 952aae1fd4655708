# SPDX-License-Identifier: LGPL-2.1-or-later
"""interpolation=lowpass, as docs/explanation/arithmetic.md defines it, operation by operation in float64.

Times are strictly increasing int64 ns. Results have the bits that every backend has.
"""
import collections

import rotations
from pipelines import np

MAX_SPACINGS = 64  # up to the tick, whose median counts
MIN_PART = 0.5  # of a whole filter
SINE = [float.fromhex(x) for x in (
    "0x1.8829a2b583538p-49", "-0x1.ae431d97fbc7ep-41", "0x1.6123cb290ad83p-33", "-0x1.ae6454cb579efp-26", "0x1.71de3a5287c8bp-19",
    "-0x1.a01a01a0148bdp-13", "0x1.11111111110c1p-7", "-0x1.5555555555555p-3")]

Filter = collections.namedtuple("Filter", "first end weights total")


def sine(x):
    """0 <= x <= pi/2, by the polynomial of the kernels."""
    u = x * x
    p = np.full_like(u, SINE[0])
    for coefficient in SINE[1:]:
        p = p * u + coefficient
    return x + x * u * p


def sinc(z):
    """sin (pi z) / (pi z) for z >= 0."""
    whole = np.floor(z + 0.5)
    part = z - whole
    value = sine(rotations.PI * np.abs(part))
    below = (part < 0) != (whole % 2 != 0)
    with np.errstate(invalid="ignore"):
        return np.where(z == 0, 1.0, np.where(below, -value, value) / (rotations.PI * z))


def in_order(terms):
    """The sum of the first axis, one after another."""
    return np.cumsum(terms, axis=0)[-1]


def median_spacing(t, left):
    """Of the last spacings up to row left; 0 without one."""
    spacings = np.sort(np.diff(t[max(0, left - MAX_SPACINGS):left + 1]))
    return int(spacings[len(spacings) // 2]) if len(spacings) else 0


def lobe_rate(spacing, period, cutoff):
    """Lobes of the sinc per ns. cutoff in Hz; 0: automatic."""
    return 2.0 * cutoff / 1e9 if cutoff > 0 else 0.8 / float(max(spacing, period))


def weights(t, tick, rate, half, spacing):
    """Of rows at t, which are those used."""
    apart = np.abs(t - tick).astype(np.float64)
    taper = sine(0.5 * rotations.PI * (1.0 - apart / float(half)))
    share = np.full(len(t), float(spacing))
    if len(t) > 2:
        share[1:-1] = np.minimum(0.5 * (t[2:] - t[:-2]).astype(np.float64), float(spacing))
    return sinc(apart * rate) * (taper * taper) * share


def is_covered(t, first, end, start, stop, max_gap):
    """Whether rows reach from start to stop without a spacing above max_gap; first and end - 1 are those in between."""
    if first >= end:
        return False
    first -= t[first] > start
    last = end - 1 + (t[end - 1] < stop)
    if first < 0 or last >= len(t):
        return False
    return max_gap is None or not (np.diff(t[first:last + 1]) > max_gap).any()


def find(t, tick, period, max_gap=None, cutoff=0.0, lobes=4):
    """The filter around a tick; None: rows do not suffice."""
    left = int(np.searchsorted(t, tick, side="right")) - 1
    spacing = median_spacing(t, left) if left >= 0 else 0
    if spacing == 0:
        return None
    rate = lobe_rate(spacing, period, cutoff)
    half = max(int(float(lobes) / rate), 1)
    first, end = int(np.searchsorted(t, tick - half)), int(np.searchsorted(t, tick + half, side="right"))
    if rate * float(spacing) > 1 or not is_covered(t, first, end, tick - half, tick + half, max_gap):
        return None
    found = weights(t[first:end], tick, rate, half, spacing)
    total = float(in_order(found))
    return Filter(first, end, found, total) if total * rate >= MIN_PART else None


def plain(y, used):
    """All channels of rows y as numbers."""
    rows = y[used.first:used.end].astype(np.float64)
    return in_order(used.weights[:, None] * rows) / used.total


def row(y, used, quaternions, angles, dtype, out):
    """A row before it is stored, and whether quaternions have a mean."""
    rows, value, found = y[used.first:used.end], plain(y, used).tolist(), True
    for channel in quaternions:
        q = rotations.mean_quaternion(rows[:, channel:channel + 4].tolist(), used.weights.tolist())
        value[channel:channel + 4] = q or [float("nan")] * 4
        found = found and q is not None
    for channel in angles:
        value[channel] = rotations.mean_angle(rows[:, channel].tolist(), dtype, out, used.weights.tolist())
    return value, found


def linear(y, t, tick, quaternions, angles, dtype, out):
    """What linear makes of a tick, None where it is missing; quaternions are not computed."""
    around = rotations.bracket(t, tick)
    if around is None:
        return y[int(np.searchsorted(t, tick))].tolist() if tick in t else None
    before, after, w = around
    real = np.float64 if "float64" in (dtype, out) else np.float32
    y0, y1 = y[before].astype(real), y[after].astype(real)
    value = (y0 + real(w) * (y1 - y0)).astype(np.float64).tolist()
    for channel in angles:
        value[channel] = rotations.angle_between(float(y[before, channel]), float(y[after, channel]), w, dtype, out)
    for channel in quaternions:
        value[channel:channel + 4] = [None] * 4
    return value

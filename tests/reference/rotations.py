# SPDX-License-Identifier: LGPL-2.1-or-later
"""Angles and means of rotations, as docs/explanation/arithmetic.md defines them, operation by operation in float64.

robocache_reference.py defines the rest. Numbers here are Python's floats, so results have the bits that every backend has.
"""
import math

try:
    import numpy as np
except ImportError:  # every case is skipped then
    np = None

PI, TWO_PI = math.pi, 2 * math.pi
HIGH = float.fromhex("0x1.921fb5p+2")  # the first 25 bits of 2 pi
LOW = TWO_PI - HIGH
MIN_MEAN_NORM = 0.5


def stored(dtype, x):
    """The float64 x after it was stored in a dtype: one rounding, to nearest even."""
    if dtype != "bfloat16" or not math.isfinite(x):
        return float(np.dtype(dtype if dtype != "bfloat16" else "float64").type(x))
    mantissa, exponent = math.frexp(x)
    return math.ldexp(float(np.rint(math.ldexp(mantissa, 8))), exponent - 8)


def remainder(x, turns):
    return (x - turns * HIGH) - turns * LOW


def wrap(x):
    """x in (-pi, pi]."""
    p = PI - x
    r = remainder(p, float(math.floor(p / TWO_PI)))
    r = r + TWO_PI if r < 0 else r
    r = r - TWO_PI if r >= TWO_PI else r
    return PI - (r if 0 <= r < TWO_PI else 0.0)


def into_turn(x, rows, dtype, out):
    """x in the turn of the rows of a dtype; out is what it is stored in."""
    pi, two_pi = stored(dtype, PI), stored(dtype, TWO_PI)
    if min(rows) >= 0 and max(rows) <= two_pi:
        low, high = 0.0, two_pi
    elif min(rows) >= -pi and max(rows) <= pi:
        low, high = -pi, pi
    else:
        return x
    if not low <= x < high:
        x = remainder(x, float(math.floor((x - low) / TWO_PI)))
        x = x + TWO_PI if x < low else x
        x = x - TWO_PI if x >= high else x
    return low if x < low or stored(out, x) >= stored(out, high) else x


def angle_between(y0, y1, w, dtype, out):
    return into_turn(y0 + w * wrap(y1 - y0), (y0, y1), dtype, out)


def total_of(weights):
    """In order: Python's sum compensates."""
    total = 0.0
    for weight in weights:
        total += weight
    return total


def mean_angle(rows, dtype, out, weights=None):
    weights = weights or [1.0] * len(rows)
    arc = total = 0.0
    for previous, y, weight in zip(rows, rows[1:], weights[1:]):
        arc += wrap(y - previous)
        total += weight * arc
    return into_turn(rows[0] + total / total_of(weights), rows, dtype, out)


def dot(a, b):
    return ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]


def normalised(q):
    norm = math.sqrt(dot(q, q))
    return [e / norm for e in q]


def mean_quaternion(rows, weights=None):
    """The mean, or None: no rotation stands for the rows."""
    weights = weights or [1.0] * len(rows)
    first = normalised(rows[0])
    total = [weights[0] * e for e in first]
    for row, weight in zip(rows[1:], weights[1:]):
        q = normalised(row)
        sign = -1.0 if dot(q, first) < 0 else 1.0
        total = [a + weight * (sign * b) for a, b in zip(total, q)]
    mean = [e / total_of(weights) for e in total]
    return normalised(mean) if math.sqrt(dot(mean, mean)) >= MIN_MEAN_NORM else None


def bracket(t, tick):
    """The rows of strictly increasing times around a tick, and the weight of the later one; None at a row and outside."""
    after = int(np.searchsorted(t, tick))
    if after in (0, len(t)) or t[after] == tick:
        return None
    return after - 1, after, (tick - int(t[after - 1])) / int(t[after] - t[after - 1])


def interval(t, tick, period):
    """The rows of a mean, from and before."""
    return (int(np.searchsorted(t, tick - period // 2)), int(np.searchsorted(t, tick - period // 2 + period)))

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Alignments in NumPy and SciPy for one core, and in PyTorch, torch.compile and Triton for a GPU, as users write them.

CPU peers are functions of ticks, times and rows of one stream, with a batch as first axis: int64 ns [batch, ticks], int64 ns
[batch, rows] and [batch, rows, channels]. GPU peers are functions of ticks and a list of times and rows of each stream. The
result is [batch, ticks, channels] (of each stream). A tick without rows on both sides may have any value."""
import types

import numpy as np

try:
    from scipy import interpolate
    from scipy.spatial import transform
except ImportError:
    interpolate = None

NS = 1e9
CPU_LIBRARIES = ("NumPy", "SciPy")
GPU_LIBRARIES = ("plain CUDA", "Triton", "torch.compile", "PyTorch")
# For values from -1 to 1. Peers may round weights to the type of the rows.
TOLERANCE = {"float64": 1e-11, "float32": 1e-5, "float16": 2**-9, "bfloat16": 2**-6}


def arrays(row):
    """Name, type and shape of each input."""
    batch = row["batch"]
    return [("ticks", "int64", (batch, row["ticks"]))] + [
        of_stream for i, (rows, channels) in enumerate(row["streams"]) for of_stream in (
            (f"times_{i}", "int64", (batch, rows)), (f"rows_{i}", row["in"], (batch, rows, channels)))]


# ---- comparison ----


def as_rotations(xp, theirs, ours):
    """Unit quaternions with the same sign."""
    theirs, ours = (values.reshape(*values.shape[:-1], -1, 4) for values in (theirs, ours))
    theirs, ours = (values / xp.sqrt((values * values).sum(-1))[..., None] for values in (theirs, ours))
    return xp.where((theirs * ours).sum(-1)[..., None] < 0, -theirs, theirs), ours


def difference(xp, row, theirs, ours):
    """None, or what differs. Missing rows of ours are not compared. xp is NumPy or PyTorch."""
    if row["interpolation"] == "nearest":
        return None if bool(((theirs == ours) | (ours != ours)).all()) else "other rows"
    n = 4 * row["quaternions"]
    parts = [as_rotations(xp, theirs[..., :n], ours[..., :n])] if n else []
    parts += [(theirs[..., n:], ours[..., n:])] if n < ours.shape[-1] else []
    for theirs, ours in parts:
        off = float(xp.where(ours == ours, abs(theirs - ours), 0).max())
        if not off <= TOLERANCE[row["out"]]:  # also if it is NaN
            return f"off by {off:.2g}, more than {TOLERANCE[row['out']]:.2g}"
    return None


def cpu_difference(files, row, _, result):
    ours = files.array("out_0", row["out"], result.shape)
    if row["out"] in NARROW:
        result, ours = (widened(values, row["out"]) for values in (result, ours))
    return difference(np, row, result, ours)


def gpu_difference(torch, files, row, result):
    for i, theirs in enumerate(result):
        ours = files.tensor(torch, f"out_{i}", row["out"], theirs.shape)
        if row["out"] in NARROW:
            theirs, ours = theirs.float(), ours.float()
        what = difference(torch, row, theirs, ours)
        if what:
            return what
    return None


# ---- NumPy and SciPy: bfloat16, which they lack, and float16, which they convert for each operation, go through float32 ----

NARROW = ("bfloat16", "float16")


def widened(values, dtype):
    return values.astype(np.float32) if dtype == "float16" else (values.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def narrowed(values, dtype):
    """Rounds to nearest even."""
    if dtype == "float16":
        return values.astype(np.float16)
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16).view(np.int16)


def of_batch(row, function):
    """A function of one recording, for a batch."""
    def run(ticks, times, rows):
        rows = widened(rows, row["in"]) if row["in"] in NARROW else rows
        result = np.stack([function(*item) for item in zip(ticks, times, rows)])
        return narrowed(result, row["out"]) if row["out"] in NARROW else result
    return run


def bracket(ticks, times):
    after = np.searchsorted(times, ticks, side="right").clip(1, len(times) - 1)
    return after - 1, after


def weight(ticks, times, before, after, dtype):
    return ((ticks - times[before]) / (times[after] - times[before])).astype(dtype)[:, None]


def linear(ticks, times, rows):
    before, after = bracket(ticks, times)
    return rows[before] + weight(ticks, times, before, after, rows.dtype) * (rows[after] - rows[before])


def nearest(ticks, times, rows):
    before, after = bracket(ticks, times)
    return rows[np.where(ticks - times[before] <= times[after] - ticks, before, after)]


def with_rates(ticks, times, rows, rates):
    """Cubics with these tangents per second."""
    before, after = bracket(ticks, times)
    w, y0 = weight(ticks, times, before, after, rows.dtype), rows[before]
    h = ((times[after] - times[before]) / NS).astype(rows.dtype)[:, None]
    return y0 + w * w * (3 - 2 * w) * (rows[after] - y0) + h * w * (w - 1) * ((w - 1) * rates[before] + w * rates[after])


def cubic(ticks, times, rows):
    """np.gradient has our tangents, those of the parabola through three rows."""
    return with_rates(ticks, times, rows, np.gradient(rows, times / NS, axis=0))


def hermite(ticks, times, rows):
    """The second half of the channels are rates per second of the first half."""
    positions, rates = np.split(rows, 2, axis=1)
    return np.concatenate((with_rates(ticks, times, positions, rates), linear(ticks, times, rates)), axis=1)


def slerp(n):
    def align(ticks, times, rows):
        before, after = bracket(ticks, times)
        w = weight(ticks, times, before, after, np.float64)[:, None]
        q0, q1 = (rows[i, :4 * n].reshape(len(ticks), n, 4) for i in (before, after))
        q0, q1 = (q / np.linalg.norm(q, axis=-1, keepdims=True) for q in (q0, q1))
        cosine = (q0 * q1).sum(axis=-1, keepdims=True)
        angle = np.maximum(np.arccos(np.minimum(abs(cosine), 1), dtype=np.float64), 1e-9)
        q = (np.sin((1 - w) * angle) * q0 + np.sin(w * angle) * np.where(cosine < 0, -q1, q1)) / np.sin(angle)
        return np.concatenate((q.reshape(len(ticks), 4 * n), linear(ticks, times, rows[:, 4 * n:])), axis=1)
    return align


def mean(period):
    """Rows within half a period; without any, linear."""
    def align(ticks, times, rows):
        begin, end = (np.searchsorted(times, ticks - period // 2 + shift) for shift in (0, period))
        bounds, n = np.stack((begin, end), axis=1).ravel(), end - begin
        sums = np.add.reduceat(np.pad(rows, ((0, 1), (0, 0))), bounds, axis=0, dtype=np.float64)[::2]
        result = sums / np.maximum(n, 1)[:, None]
        result[n == 0] = linear(ticks[n == 0], times, rows)
        return result
    return align


def scipy_cubic(ticks, times, rows):
    return interpolate.CubicHermiteSpline(times / NS, rows, np.gradient(rows, times / NS, axis=0))(ticks / NS)


def scipy_hermite(ticks, times, rows):
    positions, rates = np.split(rows, 2, axis=1)
    return np.concatenate((interpolate.CubicHermiteSpline(times / NS, positions, rates)(ticks / NS),
                           linear(ticks, times, rates)), axis=1)


def scipy_slerp(n):
    def align(ticks, times, rows):
        inside = ticks.clip(times[0], times[-1])
        rotations = (transform.Rotation.from_quat(rows[:, i:i + 4]) for i in range(0, 4 * n, 4))
        return np.concatenate([*(transform.Slerp(times, rotation)(inside).as_quat() for rotation in rotations),
                               linear(ticks, times, rows[:, 4 * n:])], axis=1)
    return align


def interp1d(kind):
    return lambda ticks, times, rows: interpolate.interp1d(times, rows, kind, axis=0, bounds_error=False,
                                                           assume_sorted=True)(ticks)


def cpu_peers(row):
    kind, n = "slerp" if row["quaternions"] else row["interpolation"], row["quaternions"]
    functions = {
        ("NumPy", "searchsorted"): {"linear": linear, "nearest": nearest, "hermite": hermite, "slerp": slerp(n)},
        ("NumPy", "gradient"): {"cubic": cubic},
        ("NumPy", "add.reduceat"): {"mean": mean(row["period_ns"])},
    }
    if interpolate:
        functions |= {
            ("SciPy", "interp1d"): {name: interp1d(name) for name in ("linear", "nearest")},
            ("SciPy", "make_interp_spline"): {"linear": lambda ticks, times, rows: interpolate.make_interp_spline(
                times / NS, rows, k=1)(ticks / NS)},
            ("SciPy", "CubicHermiteSpline"): {"cubic": scipy_cubic, "hermite": scipy_hermite},
            ("SciPy", "Slerp"): {"slerp": scipy_slerp(n)},
        }
    return {key: of_batch(row, kinds[kind]) for key, kinds in functions.items() if kind in kinds and not row["live"]}


# ---- PyTorch ----


def torch_functions(torch, row):
    """Functions of ticks, times and rows, by kind."""
    dtype = torch.float64 if "float64" in (row["in"], row["out"]) else torch.float32
    period, n = row["period_ns"], 4 * row["quaternions"]

    def take(rows, index):
        return rows.gather(1, index.unsqueeze(-1).expand(-1, -1, rows.shape[-1]))

    def bracket(ticks, times):
        """The rows around each tick, ns from the first of them to the tick, and ns between them."""
        after = torch.searchsorted(times, ticks, right=True).clamp_(1, times.shape[1] - 1)
        t0 = times.gather(1, after - 1)
        return (after - 1, after, (ticks - t0).to(dtype).unsqueeze(-1), (times.gather(1, after) - t0).to(dtype).unsqueeze(-1))

    def linear(ticks, times, rows):
        before, after, to_tick, h = bracket(ticks, times)
        return torch.lerp(take(rows, before), take(rows, after), (to_tick / h).to(rows.dtype))

    def nearest(ticks, times, rows):
        before, after, to_tick, h = bracket(ticks, times)
        return take(rows, torch.where(to_tick.squeeze(-1) * 2 <= h.squeeze(-1), before, after))

    def factors(w):
        """Of the second row, and of the tangents at both rows."""
        return w * w * (3 - 2 * w), w * (w - 1) * (w - 1), w * w * (w - 1)

    def cubic(ticks, times, rows):
        before, after, to_tick, h = bracket(ticks, times)
        first, last = (before - 1).clamp_(min=0), (after + 1).clamp_(max=times.shape[1] - 1)
        left = (times.gather(1, before) - times.gather(1, first)).to(dtype).unsqueeze(-1)
        right = (times.gather(1, last) - times.gather(1, after)).to(dtype).unsqueeze(-1)
        y0, y1 = take(rows, before).to(dtype), take(rows, after).to(dtype)
        slope = (y1 - y0) / h
        slope_left = torch.where(left > 0, (y0 - take(rows, first)) / left, slope)
        slope_right = torch.where(right > 0, (take(rows, last) - y1) / right, slope)
        h01, h10, h11 = factors(to_tick / h)
        return y0 + h01 * (y1 - y0) + h * (h10 * (slope_left * h + slope * left) / (left + h)
                                           + h11 * (slope * right + slope_right * h) / (h + right))

    def hermite(ticks, times, rows):
        before, after, to_tick, h = bracket(ticks, times)
        (y0, rate0), (y1, rate1) = (take(rows, i).to(dtype).chunk(2, -1) for i in (before, after))
        h01, h10, h11 = factors(to_tick / h)
        return torch.cat((y0 + h01 * (y1 - y0) + h / NS * (h10 * rate0 + h11 * rate1),
                          torch.lerp(rate0, rate1, to_tick / h)), -1)

    def slerp(ticks, times, rows):
        before, after, to_tick, h = bracket(ticks, times)
        y0, y1 = (take(rows, i).to(dtype) for i in (before, after))
        w = (to_tick / h).unsqueeze(-1)
        q0, q1 = (torch.nn.functional.normalize(y[..., :n].unflatten(-1, (-1, 4)), dim=-1) for y in (y0, y1))
        cosine = (q0 * q1).sum(-1, keepdim=True)
        q1, cosine = torch.where(cosine < 0, -q1, q1), cosine.abs()
        angle = torch.acos(cosine.clamp(max=1))
        on_arc = (torch.sin((1 - w) * angle) * q0 + torch.sin(w * angle) * q1) / torch.sin(angle)
        q = torch.nn.functional.normalize(torch.where(cosine > 0.9995, torch.lerp(q0, q1, w), on_arc), dim=-1)
        return torch.cat((q.flatten(-2), torch.lerp(y0[..., n:], y1[..., n:], to_tick / h)), -1)

    def mean(ticks, times, rows):
        """Sums of all rows before, in double."""
        begin, end = (torch.searchsorted(times, ticks - period // 2 + shift) for shift in (0, period))
        sums = torch.nn.functional.pad(rows.cumsum(1, dtype=torch.float64), (0, 0, 1, 0))
        count = (end - begin).unsqueeze(-1)
        return torch.where(count > 0, ((take(sums, end) - take(sums, begin)) / count).to(rows.dtype), linear(ticks, times, rows))

    return {"linear": linear, "nearest": nearest, "cubic": cubic, "hermite": hermite, "slerp": slerp, "mean": mean}


def gpu_inputs(row, tensors):
    return types.SimpleNamespace(ticks=tensors["ticks"], streams=[(tensors[f"times_{i}"], tensors[f"rows_{i}"])
                                                                  for i in range(len(row["streams"]))])


def gpu_plain(torch, files, row):
    return [files.tensor(torch, f"plain_out_{i}", row["out"], (row["batch"], row["ticks"], channels))
            for i, (_, channels) in enumerate(row["streams"])]


def gpu_peers(torch, row):
    kind, out = "slerp" if row["quaternions"] else row["interpolation"], getattr(torch, row["out"])
    function = torch_functions(torch, row).get(kind)
    if function is None or (row["quaternions"] and row["interpolation"] != "linear"):
        return {}

    def run(inputs):
        return [function(inputs.ticks, times, rows).to(out) for times, rows in inputs.streams]

    import torch._dynamo
    torch._dynamo.reset()  # the number of graphs is limited
    peers = {("PyTorch", "gather"): run, ("torch.compile", "gather"): torch.compile(run, dynamic=False)}
    if kind in ("linear", "nearest", "cubic") and align_triton():
        peers |= {("Triton", f"{values} values a program"): align_triton().peer(torch, row, values) for values in (1024, 4096)}
    return peers


def align_triton():
    """The module with the kernel, which needs Triton to be imported; None without it."""
    try:
        import align_triton
    except ImportError:
        return None
    return align_triton

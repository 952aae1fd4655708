# SPDX-License-Identifier: LGPL-2.1-or-later
"""Alignments as one writes them in PyTorch, Triton, CuPy and with cuBLAS, for libraries.py to set beside ours.

A peer is a function of a Work and of what a run reads: times [batch, rows] and rows [batch, rows, channels] of each stream,
and ticks [batch, ticks], on the device. It returns [batch, ticks, channels] of each stream. Where a tick has rows on one
side only, it may return what it likes."""
import dataclasses
import functools

import torch

from cupy_arrays import cupy, in_cupy
from peers import Peer

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

NS = 1e9
MAX_BYTES = 32 << 30  # of matrices for all copies


class Work:
    """What a row of bench-kernels asks for, with the constants that no run should make anew."""

    def __init__(self, row, device):
        self.kind = "slerp" if row["quaternions"] else row["interpolation"]
        self.quaternions = row["quaternions"]
        self.out = getattr(torch, row["out"])
        self.weight = torch.float64 if "float64" in (row["in"], row["out"]) else torch.float32
        self.period = row["period_ns"]
        self.item = torch.arange(row["batch"], device=device).unsqueeze(1)


@dataclasses.dataclass(frozen=True)
class Inputs:
    streams: list  # of times and rows
    ticks: object
    matrices: list = None  # of each stream


def inputs_of(row, tensors):
    return Inputs([(tensors[f"times_{i}"], tensors[f"rows_{i}"]) for i in range(len(row["streams"]))], tensors["ticks"])


def each_stream(align):
    """One stream after another, each by align (work, times, rows, ticks)."""
    def align_all(work, inputs):
        return [align(work, times, rows, inputs.ticks).to(work.out) for times, rows in inputs.streams]
    return align_all


# ---- PyTorch: rows at an index of each tick ----


def by_gather(_, rows, index):
    return rows.gather(1, index.unsqueeze(-1).expand(-1, -1, rows.shape[-1]))


def by_index(work, rows, index):
    return rows[work.item, index]


def by_index_select(work, rows, index):
    return rows.flatten(0, 1).index_select(0, (index + work.item * rows.shape[1]).flatten()).view(*index.shape, -1)


# ---- PyTorch: blends ----


def bracket(times, ticks):
    after = torch.searchsorted(times, ticks, right=True).clamp_(1, times.shape[1] - 1)
    return after - 1, after


def spans(work, times, ticks, before, after):
    """From the row before to the tick, and to the row after; ns."""
    t0 = times.gather(1, before)
    return (ticks - t0).to(work.weight).unsqueeze(-1), (times.gather(1, after) - t0).to(work.weight).unsqueeze(-1)


def linear(work, take, times, rows, ticks):
    before, after = bracket(times, ticks)
    to_tick, h = spans(work, times, ticks, before, after)
    return torch.lerp(take(work, rows, before), take(work, rows, after), (to_tick / h).to(rows.dtype))


def nearest(work, take, times, rows, ticks):
    before, after = bracket(times, ticks)
    is_before = ticks - times.gather(1, before) <= times.gather(1, after) - ticks
    return take(work, rows, torch.where(is_before, before, after))


def factors(w):
    """Of the cubic between two rows: of the second one, and of the tangents at both."""
    return w * w * (3 - 2 * w), w * (w - 1) * (w - 1), w * w * (w - 1)


def cubic(work, take, times, rows, ticks):
    before, after = bracket(times, ticks)
    to_tick, h = spans(work, times, ticks, before, after)
    first, last = (before - 1).clamp_(min=0), (after + 1).clamp_(max=times.shape[1] - 1)
    left = (times.gather(1, before) - times.gather(1, first)).to(work.weight).unsqueeze(-1)
    right = (times.gather(1, last) - times.gather(1, after)).to(work.weight).unsqueeze(-1)
    y0, y1 = take(work, rows, before).to(work.weight), take(work, rows, after).to(work.weight)
    slope = (y1 - y0) / h
    slope_left = torch.where(left > 0, (y0 - take(work, rows, first)) / left, slope)
    slope_right = torch.where(right > 0, (take(work, rows, last) - y1) / right, slope)
    h01, h10, h11 = factors(to_tick / h)
    return y0 + h01 * (y1 - y0) + h * (h10 * (slope_left * h + slope * left) / (left + h)
                                       + h11 * (slope * right + slope_right * h) / (h + right))


def hermite(work, take, times, rows, ticks):
    """The second half of the channels are the rates of the first, a second."""
    before, after = bracket(times, ticks)
    to_tick, h = spans(work, times, ticks, before, after)
    (y0, rate0), (y1, rate1) = (take(work, rows, i).to(work.weight).chunk(2, -1) for i in (before, after))
    w = to_tick / h
    h01, h10, h11 = factors(w)
    position = y0 + h01 * (y1 - y0) + h / NS * (h10 * rate0 + h11 * rate1)
    return torch.cat((position, torch.lerp(rate0, rate1, w)), -1)


def slerp(work, take, times, rows, ticks):
    """The channels behind the quaternions are linear."""
    before, after = bracket(times, ticks)
    to_tick, h = spans(work, times, ticks, before, after)
    y0, y1 = (take(work, rows, i).to(work.weight) for i in (before, after))
    n = 4 * work.quaternions
    w = (to_tick / h).unsqueeze(-1)
    q0, q1 = (torch.nn.functional.normalize(y[..., :n].unflatten(-1, (-1, 4)), dim=-1) for y in (y0, y1))
    cosine = (q0 * q1).sum(-1, keepdim=True)
    q1, cosine = torch.where(cosine < 0, -q1, q1), cosine.abs()
    angle = torch.acos(cosine.clamp(max=1))
    on_arc = (torch.sin((1 - w) * angle) * q0 + torch.sin(w * angle) * q1) / torch.sin(angle)
    q = torch.where(cosine > 0.9995, torch.lerp(q0, q1, w), on_arc)
    others = torch.lerp(y0[..., n:], y1[..., n:], to_tick / h)
    return torch.cat((torch.nn.functional.normalize(q, dim=-1).flatten(-2), others), -1)


def mean(work, take, times, rows, ticks):
    """Of the rows within half a period; sums from the first row on, in double."""
    begin, end = (torch.searchsorted(times, ticks - work.period // 2 + shift) for shift in (0, work.period))
    sums = torch.nn.functional.pad(rows.cumsum(1, dtype=torch.float64), (0, 0, 1, 0))
    n = (end - begin).unsqueeze(-1)
    means = ((take(work, sums, end) - take(work, sums, begin)) / n).to(rows.dtype)
    return torch.where(n > 0, means, linear(work, take, times, rows, ticks))


BLENDS = {"linear": linear, "nearest": nearest, "cubic": cubic, "hermite": hermite, "slerp": slerp, "mean": mean}


def torch_align(take):
    return each_stream(lambda work, times, rows, ticks: BLENDS[work.kind](work, take, times, rows, ticks))


# ---- cuBLAS: a product with a banded matrix, [batch, ticks, rows], of two entries a row ----


def matrix(work, times, rows, ticks):
    before, after = bracket(times, ticks)
    to_tick, h = spans(work, times, ticks, before, after)
    w = (to_tick / h).to(rows.dtype)
    weights = torch.zeros(*ticks.shape, times.shape[1], dtype=rows.dtype, device=rows.device)
    return weights.scatter_(2, before.unsqueeze(-1), 1 - w).scatter_(2, after.unsqueeze(-1), w)


def matrices(work, inputs):
    return [matrix(work, times, rows, inputs.ticks) for times, rows in inputs.streams]


def with_matrices(work, inputs):
    return dataclasses.replace(inputs, matrices=matrices(work, inputs))


def bmm(work, inputs):
    return [torch.bmm(weights, rows).to(work.out) for weights, (_, rows) in zip(inputs.matrices, inputs.streams)]


def bmm_tf32(work, inputs):
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        return bmm(work, inputs)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False


def build_and_bmm(work, inputs):
    return bmm(work, with_matrices(work, inputs))


# ---- Triton: a program for some ticks of an item ----

if triton is not None:

    @triton.jit
    def rows_up_to(times, at, n_rows, STEPS: tl.constexpr):
        """How many rows are not after each tick: as many halvings for all."""
        low = tl.zeros_like(at).to(tl.int32)
        n = low + n_rows
        for _ in range(STEPS):
            half = (n + 1) // 2
            is_up_to = (n > 0) & (tl.load(times + low + half - 1, mask=n > 0, other=0) <= at)
            low = tl.where(is_up_to, low + half, low)
            n = tl.where(is_up_to, n - half, half - 1)
        return low

    @triton.jit
    def load_rows(rows, index, channel, N_CHANNELS: tl.constexpr, mask):
        return tl.load(rows + index.to(tl.int64)[:, None] * N_CHANNELS + channel[None, :], mask=mask, other=0)

    @triton.jit
    def align_ticks(times, rows, ticks, out, n_rows, n_ticks, N_CHANNELS: tl.constexpr, KIND: tl.constexpr,
                    WEIGHT: tl.constexpr, STEPS: tl.constexpr, TICKS: tl.constexpr, CHANNELS: tl.constexpr):
        item = tl.program_id(1).to(tl.int64)
        tick = tl.program_id(0) * TICKS + tl.arange(0, TICKS)
        times += item * n_rows
        rows += item * n_rows * N_CHANNELS
        out += item * n_ticks * N_CHANNELS
        at = tl.load(ticks + item * n_ticks + tick, mask=tick < n_ticks, other=0)
        after = tl.minimum(tl.maximum(rows_up_to(times, at, n_rows, STEPS), 1), n_rows - 1)
        before = after - 1
        t0 = tl.load(times + before)
        t1 = tl.load(times + after)
        h = (t1 - t0).to(WEIGHT)
        w = (at - t0).to(WEIGHT) / h
        if KIND == "cubic":
            first = tl.maximum(before - 1, 0)
            last = tl.minimum(after + 1, n_rows - 1)
            left = (t0 - tl.load(times + first)).to(WEIGHT)
            right = (tl.load(times + last) - t1).to(WEIGHT)
            h10 = w * (w - 1) * (w - 1)
            h11 = w * w * (w - 1)
            k0 = tl.where(left > 0, left / (left + h), 1)
            k1 = tl.where(right > 0, (right - h) / right, 1)
            c0 = w * w * (3 - 2 * w) + h10 * k0 + h11 * k1
            c1 = tl.where(left > 0, -h10 * h * h / (left * (left + h)), 0)
            c2 = tl.where(right > 0, h11 * h * h / (right * (h + right)), 0)
        for begin in range(0, N_CHANNELS, CHANNELS):
            channel = begin + tl.arange(0, CHANNELS)
            mask = (tick < n_ticks)[:, None] & (channel < N_CHANNELS)[None, :]
            if KIND == "nearest":
                y = load_rows(rows, tl.where(at - t0 <= t1 - at, before, after), channel, N_CHANNELS, mask)
            else:
                y0 = load_rows(rows, before, channel, N_CHANNELS, mask).to(WEIGHT)
                y1 = load_rows(rows, after, channel, N_CHANNELS, mask).to(WEIGHT)
                if KIND == "linear":
                    y = y0 + w[:, None] * (y1 - y0)
                else:
                    y = y0 + c0[:, None] * (y1 - y0)
                    y += c1[:, None] * (load_rows(rows, first, channel, N_CHANNELS, mask).to(WEIGHT) - y0)
                    y += c2[:, None] * (load_rows(rows, last, channel, N_CHANNELS, mask).to(WEIGHT) - y0)
            tl.store(out + tick.to(tl.int64)[:, None] * N_CHANNELS + channel[None, :], y.to(out.dtype.element_ty), mask=mask)


def triton_align(values):
    """With so many values of a stream to a program."""
    @each_stream
    def align(work, times, rows, ticks):
        batch, n_rows, n_channels = rows.shape
        out = torch.empty(batch, ticks.shape[1], n_channels, dtype=work.out, device=rows.device)
        channels = min(triton.next_power_of_2(n_channels), 256)
        n = max(1, values // channels)
        align_ticks[triton.cdiv(ticks.shape[1], n), batch](
            times, rows, ticks, out, n_rows, ticks.shape[1], N_CHANNELS=n_channels, KIND=work.kind,
            WEIGHT=tl.float64 if work.weight == torch.float64 else tl.float32, STEPS=n_rows.bit_length(), TICKS=n,
            CHANNELS=channels)
        return out
    return align


# ---- CuPy ----

SEARCH = """
const long long item = i / (n_ticks * n_channels), channel = i % n_channels, tick = ticks[i / n_channels];
const long long *const t = &times[item * n_rows];
long long low = 0, high = n_rows;
while (low < high) {
  const long long middle = (low + high) / 2;
  if (t[middle] <= tick) low = middle + 1; else high = middle;
}
const long long after = min (max (low, 1LL), n_rows - 1), before = after - 1, row = item * n_rows;
"""
LINEAR = """
const W w = W (tick - t[before]) / W (t[after] - t[before]);
const W y0 = rows[(row + before) * n_channels + channel], y1 = rows[(row + after) * n_channels + channel];
out = y0 + w * (y1 - y0);
"""
NEAREST = """
out = rows[(row + (tick - t[before] <= t[after] - tick ? before : after)) * n_channels + channel];
"""


def weight_in_cupy(work):
    return cupy.float64 if work.weight == torch.float64 else cupy.float32


@each_stream
@in_cupy
def cupy_searchsorted(work, times, rows, ticks):
    """Of all items at once, each later than the one before it: searchsorted knows no batches."""
    batch, n_rows, n_channels = rows.shape
    shift = cupy.arange(batch)[:, None] << 32  # ns; recordings are shorter
    first = cupy.arange(batch)[:, None] * n_rows
    after = cupy.searchsorted((times + shift).ravel(), (ticks + shift).ravel(), side="right").reshape(ticks.shape)
    after = cupy.clip(after, first + 1, first + n_rows - 1)
    times, rows = times.ravel(), rows.reshape(-1, n_channels)
    t0, t1 = times[after - 1], times[after]
    if work.kind == "nearest":
        return rows[cupy.where(ticks - t0 <= t1 - ticks, after - 1, after)]
    w = ((ticks - t0).astype(weight_in_cupy(work)) / (t1 - t0).astype(weight_in_cupy(work)))[..., None]
    y0 = rows[after - 1]
    return y0 + w * (rows[after] - y0)


@functools.cache
def element_kernel(kind, weight):
    source = SEARCH + {"linear": LINEAR, "nearest": NEAREST}[kind].replace("W", weight)
    arguments = "raw int64 times, raw T rows, raw int64 ticks, int64 n_rows, int64 n_ticks, int64 n_channels"
    return cupy.ElementwiseKernel(arguments, "T out", source, f"align_{kind}_{weight}")


@each_stream
@in_cupy
def cupy_elementwise(work, times, rows, ticks):
    out = cupy.empty((*ticks.shape, rows.shape[-1]), rows.dtype)
    align = element_kernel(work.kind, "double" if work.weight == torch.float64 else "float")
    return align(times, rows, ticks, rows.shape[1], ticks.shape[1], rows.shape[2], out)


# ---- which there are ----


def versions():
    modules = {"PyTorch": torch, "Triton": triton, "CuPy": cupy}
    return {name: module.__version__ if module else "not installed" for name, module in modules.items()}


TAKES = {"gather": by_gather, "index": by_index, "index_select": by_index_select}


def matrix_bytes(row):
    size = {"float64": 8, "float32": 4}.get(row["in"], 2)
    return row["n_copies"] * row["batch"] * row["ticks"] * sum(rows for rows, _ in row["streams"]) * size


def cublas_peers(row):
    if row["interpolation"] != "linear" or row["quaternions"]:
        return []
    size = matrix_bytes(row)
    refused = f"matrices of {size / 1e9:.0f} GB" if size > MAX_BYTES else ""
    peers = [Peer("cuBLAS", "bmm", bmm, prepare=with_matrices, refused=refused),
             Peer("cuBLAS and matrix", "zeros, scatter_, bmm", build_and_bmm, refused=refused)]
    if row["in"] == "float32":
        peers.append(Peer("cuBLAS", "bmm in TF32", bmm_tf32, prepare=with_matrices, refused=refused))
    return peers


def cupy_peers(row):
    if cupy is None or row["quaternions"] or row["interpolation"] not in ("linear", "nearest"):
        return []
    functions = {"searchsorted": cupy_searchsorted, "ElementwiseKernel": cupy_elementwise}
    return [Peer("CuPy", name, function, compiled=True) for name, function in functions.items()]


def triton_peers(row):
    if triton is None or row["quaternions"] or row["interpolation"] not in ("linear", "nearest", "cubic"):
        return []
    return [Peer("Triton", f"{values} values a program", triton_align(values), compiled=True) for values in (1024, 4096)]


def peers_of(row):
    if row["interpolation"] not in BLENDS or row["quaternions"] and row["interpolation"] != "linear":
        return []
    compiled = Peer("torch.compile", "index", torch_align(by_index), compiled=True, traced=True)
    in_torch = [Peer("PyTorch", name, torch_align(take)) for name, take in TAKES.items()]
    return [*triton_peers(row), *in_torch, compiled, *cupy_peers(row), *cublas_peers(row)]

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Alignments in Triton: a program for some ticks of an item."""
import triton
import triton.language as tl


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


def peer(torch, row, values):
    """With so many values of a stream in a program."""
    weight = tl.float64 if "float64" in (row["in"], row["out"]) else tl.float32

    def align(ticks, times, rows):
        batch, n_rows, n_channels = rows.shape
        out = torch.empty(batch, ticks.shape[1], n_channels, dtype=getattr(torch, row["out"]), device=rows.device)
        channels = min(triton.next_power_of_2(n_channels), 256)
        n = max(1, values // channels)
        align_ticks[triton.cdiv(ticks.shape[1], n), batch](
            times, rows, ticks, out, n_rows, ticks.shape[1], N_CHANNELS=n_channels, KIND=row["interpolation"], WEIGHT=weight,
            STEPS=n_rows.bit_length(), TICKS=n, CHANNELS=channels)
        return out

    return lambda inputs: [align(inputs.ticks, times, rows) for times, rows in inputs.streams]

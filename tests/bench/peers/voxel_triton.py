# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voxel grids in Triton: a program for 256 points."""
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def locate(points, i, is_point, n_item, size, AXIS: tl.constexpr, FIELDS: tl.constexpr):
    """Linear indices over all items, and which of the points are in the grid."""
    x = tl.div_rn(tl.load(points + i * FIELDS, mask=is_point, other=-1.0), size)
    y = tl.div_rn(tl.load(points + i * FIELDS + 1, mask=is_point, other=-1.0), size)
    z = tl.div_rn(tl.load(points + i * FIELDS + 2, mask=is_point, other=-1.0), size)
    inside = (x >= 0) & (x < AXIS) & (y >= 0) & (y < AXIS) & (z >= 0) & (z < AXIS)
    plane = i // n_item * AXIS + z.to(tl.int64)
    return (plane * AXIS + y.to(tl.int64)) * AXIS + x.to(tl.int64), inside


@triton.jit
def store(points, out, counts, n, n_item, size, AXIS: tl.constexpr, FIELDS: tl.constexpr, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    index, inside = locate(points, i, i < n, n_item, size, AXIS, FIELDS)
    if KIND == "dense":
        tl.store(out + index, 1, mask=inside)
    elif KIND == "index":
        tl.store(out + i, tl.where(inside, index, -1), mask=i < n)
    elif KIND == "bits":
        tl.atomic_or(out + index // 32, 1 << (index % 32).to(tl.int32), mask=inside, sem="relaxed")
    else:
        tl.atomic_add(counts + index, 1.0, mask=inside, sem="relaxed")
        for c in tl.static_range(FIELDS - 3):
            value = tl.load(points + i * FIELDS + 3 + c, mask=inside, other=0.0)
            tl.atomic_add(out + index * (FIELDS - 3) + c, value, mask=inside, sem="relaxed")


@triton.jit
def divide(sums, counts, n, FEATURES: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    counted = tl.load(counts + i // FEATURES, mask=i < n, other=1.0)
    tl.store(sums + i, tl.load(sums + i, mask=i < n, other=0.0) / tl.maximum(counted, 1.0), mask=i < n)


def peers(torch, row):
    kind = {("occupancy", "dense"): "dense", ("occupancy", "bits"): "bits", ("occupancy", "index"): "index",
            ("mean", "dense"): "mean"}.get((row["mode"], row["output"]))
    cells, features = row["batch"] * row["axis"]**3, max(1, row["features"])

    def run(points):
        n, fields = points.shape[0] * points.shape[1], points.shape[2]
        shape, dtype = {"dense": (cells, getattr(torch, row["dtype"])), "bits": (cells // 32, torch.int32),
                        "index": (n, torch.int64), "mean": (cells * features, torch.float32)}[kind]
        out = torch.zeros(shape, dtype=dtype, device=points.device)
        counts = torch.zeros(cells, device=points.device) if kind == "mean" else out
        store[(triton.cdiv(n, BLOCK),)](points, out, counts, n, points.shape[1], row["voxel"], AXIS=row["axis"], FIELDS=fields,
                                        KIND=kind, BLOCK=BLOCK)
        if kind == "mean":
            divide[(triton.cdiv(shape, 1024),)](out, counts, shape, FEATURES=features, BLOCK=1024)
        return out

    return {("Triton", "atomics" if kind in ("bits", "mean") else "stores"): run} if kind else {}

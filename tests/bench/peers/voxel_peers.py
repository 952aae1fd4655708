# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voxel grids as one writes them in PyTorch and in Triton, and with CuPy (voxel_cupy.py), for libraries.py to set beside
ours.

A peer is a function of a Work and of points [batch, N, 3 + features], float32, on the device. It leaves out points beyond the
grid, as ours does. Of a dense grid it returns [batch voxels (, features)], of bits int32 [batch words]; and where there is
no batch, of a sparse grid n, coordinates [>= n, 3] and values [>= n, …], of a map from points to voxels int64 [N]."""
import torch

import voxel_cupy
from peers import Peer

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

BLOCK = 256  # points of a Triton program


class Work:
    """What a row of bench-kernels asks for, with the constants that no run should make anew."""

    def __init__(self, row, device):
        self.batch, self.axis, self.features = row["batch"], row["axis"], row["features"]
        self.cells = self.axis**3
        self.voxels = self.batch * self.cells
        self.dtype_name = row["dtype"]
        self.dtype = getattr(torch, self.dtype_name)
        self.voxel = row["voxel"]
        self.size = torch.full((), self.voxel, device=device)  # a tensor: by a number PyTorch multiplies with 1 / it
        self.one = torch.ones((), dtype=self.dtype, device=device)
        self.first = (torch.arange(self.batch, device=device) * self.cells).unsqueeze(1)
        self.ones = torch.ones(self.batch * row["points"], device=device)
        self.max_points = row["max_points"]
        self.numbers = torch.arange(row["points"], device=device)
        self.bit = torch.arange(32, dtype=torch.int32, device=device)


def linear_index(work, points):
    """[batch N], over all items; of points beyond the grid one more than the last voxel."""
    scaled = points[..., :3] / work.size
    inside = ((scaled >= 0) & (scaled < work.axis)).all(-1)
    x, y, z = scaled.floor().to(torch.int64).unbind(-1)
    index = work.first + (z * work.axis + y) * work.axis + x
    return torch.where(inside, index, work.voxels).flatten()


def zeros(work, points, *shape, dtype=torch.float32):
    """A voxel more than there are, for points beyond the grid."""
    return torch.zeros(work.voxels + 1, *shape, dtype=dtype, device=points.device)


# ---- occupancy ----


def index_put(work, points):
    return zeros(work, points, dtype=work.dtype).index_put_((linear_index(work, points),), work.one)[:-1]


def scatter(work, points):
    return zeros(work, points, dtype=work.dtype).scatter_(0, linear_index(work, points), 1)[:-1]


def index_fill(work, points):
    return zeros(work, points, dtype=work.dtype).index_fill_(0, linear_index(work, points), 1)[:-1]


def scatter_and_pack(work, points):
    grid = zeros(work, points, dtype=torch.uint8).scatter_(0, linear_index(work, points), 1)[:-1]
    return (grid.view(-1, 32).to(torch.int32) << work.bit).sum(-1, dtype=torch.int32)


# ---- counts and means: not the same bits in every run, but for counts below 2^24 ----


def count(work, points):
    return zeros(work, points, dtype=work.dtype).index_add_(0, linear_index(work, points), work.ones.to(work.dtype))[:-1]


def features(work, points):
    return points[..., 3:].reshape(-1, work.features)


def index_add(work, points):
    index = linear_index(work, points)
    sums = zeros(work, points, work.features).index_add_(0, index, features(work, points))
    counts = zeros(work, points).index_add_(0, index, work.ones)
    return (sums / counts.clamp_(min=1).unsqueeze(1))[:-1]


def scatter_reduce(work, points):
    index = linear_index(work, points).unsqueeze(1).expand(-1, work.features)
    means = zeros(work, points, work.features)
    return means.scatter_reduce_(0, index, features(work, points), "mean", include_self=False)[:-1]


# ---- sparse ----


def coordinates(work, voxels):
    rows = voxels // work.axis
    return torch.stack((voxels % work.axis, rows % work.axis, rows // work.axis), 1).to(torch.int32)


def unique(work, points):
    voxels, rank = torch.unique(linear_index(work, points), return_inverse=True)
    sums = torch.zeros(len(voxels), work.features, device=points.device).index_add_(0, rank, features(work, points))
    counts = torch.zeros(len(voxels), device=points.device).index_add_(0, rank, work.ones)
    return (voxels < work.cells).sum(), coordinates(work, voxels), sums / counts.unsqueeze(1)


def sort(work, points):
    """Of sizes that do not depend on the data, so that it may be captured and compiled."""
    index, order = torch.sort(linear_index(work, points))
    inside = index < work.cells
    is_first = inside & torch.cat((inside[:1], index[1:] != index[:-1]))
    rank = torch.where(inside, is_first.cumsum(0) - 1, len(index))
    sums = torch.zeros(len(index) + 1, work.features, device=points.device)
    sums.index_add_(0, rank, features(work, points)[order])
    counts = torch.zeros(len(index) + 1, device=points.device).index_add_(0, rank, work.ones)
    voxels = torch.zeros(len(index) + 1, dtype=torch.int64, device=points.device).scatter_(0, rank, index)
    return is_first.sum(), coordinates(work, voxels), sums / counts.clamp_(min=1).unsqueeze(1)


def first(work, points):
    """The points themselves, in the order of their numbers, which a stable sort keeps within a voxel."""
    index, order = torch.sort(linear_index(work, points), stable=True)
    inside = index < work.cells
    is_first = inside & torch.cat((inside[:1], index[1:] != index[:-1]))
    rank = is_first.cumsum(0) - 1
    place = work.numbers - torch.where(is_first, work.numbers, 0).cummax(0).values
    slot = torch.where(inside & (place < work.max_points), rank * work.max_points + place, len(index) * work.max_points)
    values = torch.zeros(len(index) * work.max_points + 1, points.shape[-1], device=points.device)
    values.index_copy_(0, slot, points[0][order])
    voxels = torch.zeros(len(index) + 1, dtype=torch.int64, device=points.device)
    voxels.scatter_(0, torch.where(inside, rank, len(index)), index)
    return is_first.sum(), coordinates(work, voxels), values[:-1].view(len(index), -1)


# ---- from points to voxels ----


def index(work, points):
    voxel = linear_index(work, points)
    return torch.where(voxel < work.cells, voxel, -1)


def rank_by_unique(work, points):
    voxels, rank = torch.unique(linear_index(work, points), return_inverse=True)
    return torch.where(voxels[rank] < work.cells, rank, -1)


def rank_by_sort(work, points):
    voxel, order = torch.sort(linear_index(work, points))
    inside = voxel < work.cells
    is_first = torch.cat((inside[:1], voxel[1:] != voxel[:-1]))
    rank = torch.where(inside, is_first.cumsum(0) - 1, -1)
    return torch.empty_like(rank).scatter_(0, order, rank)


# ---- Triton ----

if triton is not None:

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
    def store_ones(points, grid, n, n_item, size, AXIS: tl.constexpr, FIELDS: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        index, inside = locate(points, i, i < n, n_item, size, AXIS, FIELDS)
        tl.store(grid + index, 1, mask=inside)

    @triton.jit
    def store_index(points, indices, n, n_item, size, AXIS: tl.constexpr, FIELDS: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        index, inside = locate(points, i, i < n, n_item, size, AXIS, FIELDS)
        tl.store(indices + i, tl.where(inside, index, -1), mask=i < n)

    @triton.jit
    def set_bits(points, words, n, n_item, size, AXIS: tl.constexpr, FIELDS: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        index, inside = locate(points, i, i < n, n_item, size, AXIS, FIELDS)
        tl.atomic_or(words + index // 32, 1 << (index % 32).to(tl.int32), mask=inside, sem="relaxed")

    @triton.jit
    def add_features(points, sums, counts, n, n_item, size, AXIS: tl.constexpr, FIELDS: tl.constexpr,
                     BLOCK: tl.constexpr):
        i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        index, inside = locate(points, i, i < n, n_item, size, AXIS, FIELDS)
        tl.atomic_add(counts + index, 1.0, mask=inside, sem="relaxed")
        for c in tl.static_range(FIELDS - 3):
            value = tl.load(points + i * FIELDS + 3 + c, mask=inside, other=0.0)
            tl.atomic_add(sums + index * (FIELDS - 3) + c, value, mask=inside, sem="relaxed")

    @triton.jit
    def divide(sums, counts, n, FEATURES: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        counted = tl.load(counts + i // FEATURES, mask=i < n, other=1.0)
        tl.store(sums + i, tl.load(sums + i, mask=i < n, other=0.0) / tl.maximum(counted, 1.0), mask=i < n)


def over_points(work, points, kernel, *outputs):
    batch, n_item, fields = points.shape
    grid = (triton.cdiv(batch * n_item, BLOCK),)
    kernel[grid](points, *outputs, batch * n_item, n_item, work.voxel, AXIS=work.axis, FIELDS=fields, BLOCK=BLOCK)
    return outputs


def triton_store(work, points):
    return over_points(work, points, store_ones, torch.zeros(work.voxels, dtype=work.dtype, device=points.device))[0]


def triton_bits(work, points):
    return over_points(work, points, set_bits, torch.zeros(work.voxels // 32, dtype=torch.int32, device=points.device))[0]


def triton_mean(work, points):
    sums, counts = over_points(work, points, add_features,
                               torch.zeros(work.voxels, work.features, device=points.device),
                               torch.zeros(work.voxels, device=points.device))
    divide[(triton.cdiv(sums.numel(), 1024),)](sums, counts, sums.numel(), FEATURES=work.features, BLOCK=1024)
    return sums


def triton_index(work, points):
    return over_points(work, points, store_index, torch.empty(points.shape[1], dtype=torch.int64, device=points.device))[0]


# ---- which there are ----


def versions():
    modules = {"PyTorch": torch, "Triton": triton, "CuPy": voxel_cupy.cupy}
    return {name: module.__version__ if module else "not installed" for name, module in modules.items()}


def inputs_of(_, tensors):
    return tensors["points"]


def torch_peers(*functions):
    return [Peer("PyTorch", function.__name__, function) for function in functions]


def compiled_peers(*functions):
    return [Peer("torch.compile", function.__name__, function, compiled=True, traced=True, rounded=True)
            for function in functions]


def triton_peers(**functions):
    return [Peer("Triton", name.replace("_", " "), function, compiled=True) for name, function in functions.items()
            if triton is not None]


PEERS = {
    ("occupancy", "dense"): [*triton_peers(store=triton_store), *torch_peers(index_put, scatter, index_fill),
                             *compiled_peers(scatter)],
    ("occupancy", "bits"): [*triton_peers(atomic_or=triton_bits), *torch_peers(scatter_and_pack),
                            *compiled_peers(scatter_and_pack)],
    ("count", "dense"): [*torch_peers(count), *compiled_peers(count)],
    ("mean", "dense"): [*triton_peers(atomic_add=triton_mean), *torch_peers(index_add, scatter_reduce),
                        *compiled_peers(index_add)],
    ("mean", "sparse"): [Peer("PyTorch", "unique", unique, waits=True), *torch_peers(sort), *compiled_peers(sort)],
    ("first", "sparse"): [*torch_peers(first), *compiled_peers(first)],
    ("occupancy", "index"): [*triton_peers(index=triton_index), *torch_peers(index), *compiled_peers(index)],
    ("occupancy", "rank"): [Peer("PyTorch", "unique", rank_by_unique, waits=True), *torch_peers(rank_by_sort),
                            *compiled_peers(rank_by_sort)],
}


def peers_of(row):
    if row["kept"]:
        return []
    return [*PEERS.get((row["mode"], row["output"]), []), *voxel_cupy.peers_of(row)]

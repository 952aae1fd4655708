# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voxel grids as one writes them in CuPy, for voxel_peers.py, which says what a peer gets and returns.

bincount and unique wait for the device; after a sort all sizes are the number of points, so that nothing does."""
import numpy

from cupy_arrays import in_cupy
from peers import Peer

try:
    import cupy
except ImportError:
    cupy = None


def locate(x, y, z, first, size, axis, beyond):
    x, y, z = x / size, y / size, z / size
    inside = (x >= 0) & (x < axis) & (y >= 0) & (y < axis) & (z >= 0) & (z < axis)
    index = first + (z.astype(numpy.int64) * axis + y.astype(numpy.int64)) * axis + x.astype(numpy.int64)
    return cupy.where(inside, index, beyond)


if cupy is not None:
    locate = cupy.fuse(locate)  # one kernel


def linear_index(work, points, beyond):
    """[batch N], over all items; of points beyond the grid what that says."""
    x, y, z = (points[..., axis] for axis in range(3))
    return locate(x, y, z, cupy.from_dlpack(work.first), numpy.float32(work.voxel), work.axis, beyond).ravel()


def features(work, points):
    return points[..., 3:].reshape(-1, work.features)


# ---- occupancy ----


def index(work, points):
    return linear_index(work, points, -1)


def put(work, points, dtype):
    """A voxel more than there are, for points beyond the grid."""
    grid = cupy.zeros(work.voxels + 1, dtype)
    grid[linear_index(work, points, work.voxels)] = 1
    return grid[:-1]


def assign(work, points):
    return put(work, points, work.dtype_name)


def packbits(work, points):
    return cupy.packbits(put(work, points, "uint8"), bitorder="little").view("int32")


def bitwise_or_at(work, points):
    voxel, words = linear_index(work, points, work.voxels), cupy.zeros(work.voxels // 32 + 1, "int32")
    cupy.bitwise_or.at(words, voxel // 32, (1 << voxel % 32).astype("int32"))
    return words[:-1]


# ---- counts and means ----


def bincount(work, points):
    index = linear_index(work, points, work.voxels)
    return cupy.bincount(index, minlength=work.voxels + 1)[:-1].astype(work.dtype_name)


def added(n, index, values, *shape):
    """Sums of n rows of this shape."""
    sums = cupy.zeros((n, *shape), "float32")
    cupy.add.at(sums, index, values)
    return sums


def add_at(work, points):
    index = linear_index(work, points, work.voxels)
    return added(work.voxels + 1, index, 1)[:-1].astype(work.dtype_name, copy=False)


def mean_by_add_at(work, points):
    index, n = linear_index(work, points, work.voxels), work.voxels + 1
    sums, counts = added(n, index, features(work, points), work.features), added(n, index, 1)
    return (sums / cupy.maximum(counts, 1)[:, None])[:-1]


def mean_by_bincount(work, points):
    index, n = linear_index(work, points, work.voxels), work.voxels + 1
    counts = cupy.maximum(cupy.bincount(index, minlength=n), 1)
    means = [cupy.bincount(index, feature, n) / counts for feature in features(work, points).T]
    return cupy.stack(means, axis=1)[:-1].astype("float32")


# ---- sparse ----


def coordinates(work, voxels):
    rows = voxels // work.axis
    return cupy.stack((voxels % work.axis, rows % work.axis, rows // work.axis), axis=1).astype("int32")


def mean_by_unique(work, points):
    voxels, rank, counts = cupy.unique(linear_index(work, points, work.voxels), return_inverse=True, return_counts=True)
    means = added(len(voxels), rank, features(work, points), work.features) / counts[:, None].astype("float32")
    return (voxels < work.cells).sum(), coordinates(work, voxels), means


def sort(work, points):
    """The order of points by their voxels; in it the voxels, which of them are the first, and how many are before each."""
    voxel = linear_index(work, points, work.voxels)
    order = cupy.argsort(voxel, kind="stable")
    voxel = voxel[order]
    is_first = cupy.concatenate((cupy.ones(1, bool), voxel[1:] != voxel[:-1]))
    return order, voxel, is_first, cupy.cumsum(is_first) - 1


def occupied(work, voxel, is_first, rank):
    """How many, and the coordinates of as many as there are points."""
    voxels = cupy.zeros_like(voxel)
    voxels[rank] = voxel
    return (is_first & (voxel < work.cells)).sum(), coordinates(work, voxels)


def mean_by_argsort(work, points):
    order, voxel, is_first, rank = sort(work, points)
    sums, counts = added(len(order), rank, features(work, points)[order], work.features), added(len(order), rank, 1)
    return *occupied(work, voxel, is_first, rank), sums / cupy.maximum(counts, 1)[:, None]


def first(work, points):
    """The points themselves, in the order of their numbers."""
    order, voxel, is_first, rank = sort(work, points)
    n, numbers, begin = len(order), cupy.arange(len(order)), cupy.zeros(len(order) + 1, "int64")
    begin[cupy.where(is_first, rank, n)] = numbers
    place = numbers - begin[rank]
    values = cupy.zeros((n * work.max_points + 1, points.shape[-1]), "float32")
    values[cupy.where(place < work.max_points, rank * work.max_points + place, n * work.max_points)] = points[0][order]
    return *occupied(work, voxel, is_first, rank), values[:-1].reshape(n, -1)


# ---- from points to voxels ----


def rank_by_unique(work, points):
    voxels, rank = cupy.unique(linear_index(work, points, work.voxels), return_inverse=True)
    return cupy.where(voxels[rank] < work.cells, rank, -1)


def rank_by_argsort(work, points):
    order, voxel, _, rank = sort(work, points)
    ranks = cupy.empty_like(order)
    ranks[order] = cupy.where(voxel < work.cells, rank, -1)
    return ranks


# ---- which there are ----


def peer(name, function, waits=False):
    return Peer("CuPy", name, in_cupy(function), compiled=True, waits=waits)


PEERS = {
    ("occupancy", "dense"): [peer("assignment", assign)],
    ("occupancy", "bits"): [peer("assignment, packbits", packbits), peer("bitwise_or.at", bitwise_or_at)],
    ("count", "dense"): [peer("add.at", add_at), peer("bincount", bincount, waits=True)],
    ("mean", "dense"): [peer("add.at", mean_by_add_at), peer("bincount", mean_by_bincount, waits=True)],
    ("mean", "sparse"): [peer("unique, add.at", mean_by_unique, waits=True), peer("argsort, add.at", mean_by_argsort)],
    ("first", "sparse"): [peer("argsort", first)],
    ("occupancy", "index"): [peer("fuse", index)],
    ("occupancy", "rank"): [peer("unique", rank_by_unique, waits=True), peer("argsort", rank_by_argsort)],
}


def peers_of(row):
    return PEERS.get((row["mode"], row["output"]), []) if cupy is not None else []

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voxel grids in NumPy and Open3D for one core, and in PyTorch, torch.compile and Triton for a GPU, as users write them.

A peer is a function of points [batch, N, 3 + features], float32. It leaves out points beyond the grid. It returns a dense grid as
[batch voxels (, features)], bits as int32 words, a sparse grid as the number of voxels, coordinates and values, and a map from
points to voxels as int64 [N]. Sparse grids and maps have no batch."""
import numpy as np

CPU_LIBRARIES = ("NumPy", "Open3D")
GPU_LIBRARIES = ("plain CUDA", "Triton", "torch.compile", "PyTorch")
OTHER_GRID = "not compared: its grid begins elsewhere"


def arrays(row):
    """Name, type and shape of each input."""
    return [] if row["kept"] else [("points", "float32", (row["batch"], row["points"], 3 + row["features"]))]


def dtype_of(row):
    """Of a dense grid, bits or a map in files."""
    return {"bits": "int32", "index": "int64", "rank": "int64"}.get(row["output"], row["dtype"])


def cells_of(row):
    return row["axis"]**3


# ---- comparison ----


def gpu_difference(torch, files, row, result):
    """None, or what differs. A file of a dense grid may have only the first items."""
    if row["output"] == "sparse":
        n, coordinates, values = int(result[0]), result[1], result[2]
        if n != row["occupied"]:
            return f"{n} occupied voxels, not {row['occupied']}"
        ours = files.tensor(torch, "values", "float32")[:values[:n].numel()]
        if not torch.equal(coordinates[:n].flatten(), files.tensor(torch, "coordinates", "int32")[:3 * n]):
            return "other coordinates"
        tolerance = (0, 0) if row["mode"] == "first" else (1e-4, 1e-5)
        return None if torch.allclose(values[:n].flatten(), ours, *tolerance) else "other values"
    ours = files.tensor(torch, "map" if row["output"] in ("index", "rank") else "grid", dtype_of(row))
    theirs = result.flatten()[:len(ours)]
    if row["mode"] == "mean":
        return None if torch.allclose(theirs, ours, 1e-4, 1e-5) else "other means"
    return None if torch.equal(theirs, ours) else "other values"


def cpu_difference(files, row, key, result):
    if key[0] == "Open3D":
        return OTHER_GRID
    return None if np.array_equal(result, files.array("grid", row["dtype"])) else "other values"


# ---- NumPy and Open3D ----


def cpu_peers(row):
    if row["kept"]:
        return {}
    size, axis, origin = np.float32(row["voxel"]), row["axis"], np.float32(row["origin"])

    def voxels(points):
        index = np.floor((points[0] - origin) / size).astype(np.int64)
        index = index[((index >= 0) & (index < axis)).all(axis=1)]
        return (index[:, 2] * axis + index[:, 1]) * axis + index[:, 0]

    def occupancy(points):
        grid = np.zeros(axis**3, row["dtype"])
        grid[voxels(points)] = 1
        return grid

    def count(points):
        return np.bincount(voxels(points), minlength=axis**3).astype(row["dtype"])

    def centroid(points):
        cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points[0].astype(np.float64)))
        return cloud.voxel_down_sample(float(size))

    peers = {("occupancy", "dense"): {("NumPy", "assignment"): occupancy}, ("count", "dense"): {("NumPy", "bincount"): count}}
    try:
        import open3d
        peers["centroid", "sparse"] = {("Open3D", "voxel_down_sample"): centroid}
    except ImportError:
        pass
    return peers.get((row["mode"], row["output"]), {})


# ---- PyTorch ----


def torch_functions(torch, row, device):
    """Lists of functions by mode and output; the first one is also compiled. Constants are made once."""
    axis, cells, features = row["axis"], cells_of(row), row["features"]
    voxels, dtype = row["batch"] * cells, getattr(torch, row["dtype"])
    size = torch.full((), row["voxel"], device=device)  # a tensor, since PyTorch multiplies with the inverse of a number
    first_voxel = (torch.arange(row["batch"], device=device) * cells).unsqueeze(1)
    ones, numbers = torch.ones(row["batch"] * row["points"], device=device), torch.arange(row["points"], device=device)
    one, bit = torch.ones((), dtype=dtype, device=device), torch.arange(32, dtype=torch.int32, device=device)

    def linear_index(points):
        """[batch N] over all items; beyond the grid one more than the last voxel."""
        scaled = (points[..., :3] - row["origin"] if row["origin"] else points[..., :3]) / size
        x, y, z = scaled.floor().to(torch.int64).unbind(-1)
        inside = ((scaled >= 0) & (scaled < axis)).all(-1)
        return torch.where(inside, first_voxel + (z * axis + y) * axis + x, voxels).flatten()

    def zeros(*shape, of=torch.float32):
        return torch.zeros(*shape, dtype=of, device=device)

    def features_of(points):
        return points[..., 3:].reshape(-1, features)

    def coordinates(index):
        rows = index // axis
        return torch.stack((index % axis, rows % axis, rows // axis), 1).to(torch.int32)

    def scatter(points):
        return zeros(voxels + 1, of=dtype).scatter_(0, linear_index(points), 1)[:-1]

    def index_put(points):
        return zeros(voxels + 1, of=dtype).index_put_((linear_index(points),), one)[:-1]

    def scatter_and_pack(points):
        grid = zeros(voxels + 1, of=torch.uint8).scatter_(0, linear_index(points), 1)[:-1]
        return (grid.view(-1, 32).to(torch.int32) << bit).sum(-1, dtype=torch.int32)

    def count(points):
        return zeros(voxels + 1, of=dtype).index_add_(0, linear_index(points), ones.to(dtype))[:-1]

    def index_add(points):
        index = linear_index(points)
        sums = zeros(voxels + 1, features).index_add_(0, index, features_of(points))
        return (sums / zeros(voxels + 1).index_add_(0, index, ones).clamp_(min=1).unsqueeze(1))[:-1]

    def sort_voxels(points, stable=False):
        """Sorted voxels, the points' order, which are inside, and which are the first of a voxel."""
        index, order = torch.sort(linear_index(points), stable=stable)
        inside = index < cells
        return index, order, inside, inside & torch.cat((inside[:1], index[1:] != index[:-1]))

    def sort(points):
        index, order, inside, is_first = sort_voxels(points)
        n, rank = len(index), torch.where(inside, is_first.cumsum(0) - 1, len(index))
        sums = zeros(n + 1, features).index_add_(0, rank, features_of(points)[order])
        counts = zeros(n + 1).index_add_(0, rank, ones).clamp_(min=1).unsqueeze(1)
        return is_first.sum(), coordinates(zeros(n + 1, of=torch.int64).scatter_(0, rank, index)), sums / counts

    def first(points):
        """A stable sort keeps the order of a voxel's points."""
        index, order, inside, is_first = sort_voxels(points, stable=True)
        n, rank, cap = len(index), is_first.cumsum(0) - 1, row["max_points"]
        place = numbers - torch.where(is_first, numbers, 0).cummax(0).values
        slot = torch.where(inside & (place < cap), rank * cap + place, n * cap)
        values = zeros(n * cap + 1, points.shape[-1]).index_copy_(0, slot, points[0][order])
        occupied = zeros(n + 1, of=torch.int64).scatter_(0, torch.where(inside, rank, n), index)
        return is_first.sum(), coordinates(occupied), values[:-1].view(n, -1)

    def index(points):
        voxel = linear_index(points)
        return torch.where(voxel < cells, voxel, -1)

    def rank_by_sort(points):
        _, order, inside, is_first = sort_voxels(points)
        rank = torch.where(inside, is_first.cumsum(0) - 1, -1)
        return torch.empty_like(rank).scatter_(0, order, rank)

    return {("occupancy", "dense"): [scatter, index_put], ("occupancy", "bits"): [scatter_and_pack], ("count", "dense"): [count],
            ("mean", "dense"): [index_add], ("mean", "sparse"): [sort], ("first", "sparse"): [first],
            ("occupancy", "index"): [index], ("occupancy", "rank"): [rank_by_sort]}


def gpu_inputs(_, tensors):
    return tensors["points"]


def gpu_plain(torch, files, row):
    return files.tensor(torch, "plain_map" if row["output"] == "index" else "plain_grid", dtype_of(row))


def gpu_peers(torch, row, device="cuda"):
    functions = [] if row["kept"] else torch_functions(torch, row, device).get((row["mode"], row["output"]), [])
    peers = {("PyTorch", function.__name__): function for function in functions}
    if functions:
        import torch._dynamo
        torch._dynamo.reset()  # the number of graphs is limited
        peers["torch.compile", functions[0].__name__] = torch.compile(  # with PyTorch's quotients
            functions[0], dynamic=False, options={"eager_numerics.division_rounding": True})
    try:
        import voxel_triton
    except ImportError:
        return peers
    return peers | (voxel_triton.peers(torch, row) if functions and not row["origin"] else {})

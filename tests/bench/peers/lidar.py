# SPDX-License-Identifier: LGPL-2.1-or-later
"""The first points of each voxel, and pillars, in libraries for lidars: conch, CUDA-PointPillars, AWML, spconv, and PyTorch.

A peer is a function of points [N, 4], float32: x, y, z and intensity. It returns coordinates x, y, z of voxels, how many points of each
are kept, and their values [voxels, points, channels], in any order of voxels. Of a voxel with more points than are kept, libraries
with atomics keep any of them, and so do not give the same bits twice (DETERMINISTIC). conch and spconv are used where they can be
imported. CUDA-PointPillars and AWML's voxelization are compiled from their own sources by nvcc."""
import ctypes
import importlib
import pathlib
import subprocess
import tempfile
import weakref

GPU_LIBRARIES = ("conch", "CUDA-PointPillars", "AWML", "spconv", "PyTorch")
CPU_LIBRARIES = ()
DETERMINISTIC = {"robocache": "yes", "conch": "no", "CUDA-PointPillars": "no", "AWML": "yes", "spconv": "no", "PyTorch": "yes"}
FEW = 1e-3  # of the voxels, whose points differ by the rounding of quotients
TOLERANCE = 2e-3  # of offsets in float16
built = {}  # libraries that prepare compiled

# Its class, in C.
SHIM = r"""
#include "pointpillar/lidar-voxelization.hpp"
using namespace pointpillar::lidar;
typedef std::shared_ptr<Voxelization> Handle;
extern "C" void *voxels_open (const float *l, const float *u, const float *s, int max_voxels, int max_points, int n)
{
  VoxelizationParameter p;
  p.min_range = {l[0], l[1], l[2]}; p.max_range = {u[0], u[1], u[2]}; p.voxel_size = {s[0], s[1], s[2]};
  p.grid_size = VoxelizationParameter::compute_grid_size (p.max_range, p.min_range, p.voxel_size);
  p.max_voxels = max_voxels; p.max_points_per_voxel = max_points; p.max_points = n; p.num_feature = 4;
  return new Handle (create_voxelization (p));
}
extern "C" void voxels_close (void *h) { delete (Handle *) h; }
extern "C" void voxels_run (void *h, const float *points, int n, void *stream) { (*(Handle *) h)->forward (points, n, stream); }
extern "C" const void *voxels_features (void *h) { return (*(Handle *) h)->features (); }
extern "C" const void *voxels_coords (void *h) { return (*(Handle *) h)->coords (); }
extern "C" const void *voxels_params (void *h) { return (*(Handle *) h)->params (); }
"""


def build_pointpillars(repository):
    """The folder that keeps the library, and its path."""
    source = repository / "src"
    folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with  # it stays as long as the library
    shim, library = pathlib.Path(folder.name) / "shim.cu", pathlib.Path(folder.name) / "pointpillars.so"
    shim.write_text(SHIM, encoding="utf-8")
    command = ["nvcc", "-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC", "-I", source, "-o", library, shim,
               source / "pointpillar/lidar-voxelization.cu"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder, str(library)


def build_awml(repository):
    """Its extension of PyTorch."""
    source = repository / "projects/BEVFusion/bevfusion/ops/voxel/src"
    names = ("voxelization.cpp", "voxelization_cpu.cpp", "voxelization_cuda.cu", "scatter_points_cpu.cpp", "scatter_points_cuda.cu")
    cpp_extension = importlib.import_module("torch.utils.cpp_extension")
    return cpp_extension.load("voxel_layer", [str(source / name) for name in names], extra_cflags=["-DWITH_CUDA"],
                              extra_cuda_cflags=["-DWITH_CUDA"])


def load_spconv(_):
    return importlib.import_module("spconv.pytorch.utils")


def prepare(pointpillars, awml):
    """Loads spconv and compiles the libraries whose repositories are given. Yields which are missing and why."""
    for library, repository, build in (("CUDA-PointPillars", pointpillars, build_pointpillars), ("AWML", awml, build_awml),
                                       ("spconv", "", load_spconv)):
        try:
            if repository is None:
                raise OSError("no folder was given")
            built[library] = build(repository)
        except Exception as error:  # pylint: disable=broad-exception-caught  # libraries raise any
            yield f"without {library}: " + (getattr(error, "stderr", "") or str(error)).strip().splitlines()[0]


# ---- inputs and comparison ----


def arrays(row):
    """Name, type and shape of each input."""
    return [("points", "float32", (row["points"], 3 + row["features"]))]


def gpu_inputs(_, tensors):
    return tensors["points"]


def channels_of(row):
    return 4 if row["mode"] == "first" else 10


def ours(torch, files, row):
    n, dtype = min(row["occupied"], row["max_voxels"]), row["dtype"]
    values = files.tensor(torch, "values", dtype, (-1, row["max_points"], channels_of(row)))[:n]
    counts = files.tensor(torch, "point_counts", "int32")[:n]
    return files.tensor(torch, "coordinates", "int32", (-1, 3))[:n], counts, values


def by_voxel(row, coordinates, counts, values):
    """Sorted linear indices, with counts and values in this order; values beyond the counts are zeros."""
    x, y, z = coordinates.long().unbind(1)
    index, order = ((z * row["grid"][1] + y) * row["grid"][0] + x).sort()
    counts, values = counts.long()[order], values.float()[order]
    beyond = counts.new_tensor(range(row["max_points"]))[None] >= counts[:, None]
    return index, counts, values.masked_fill(beyond[..., None], 0)


def sorted_points(torch, values):
    """Points of each voxel in the order of their fields."""
    for channel in reversed(range(min(7, values.shape[2]))):
        order = values[..., channel].sort(dim=1, stable=True).indices
        values = torch.gather(values, 1, order[..., None].expand_as(values))
    return values


def same_points(torch, row, mine, theirs):
    """Fields are exact; offsets of pillars are about the same."""
    if not torch.equal(mine[..., :4], theirs[..., :4]):
        return False
    return row["mode"] == "first" or torch.allclose(mine, theirs, TOLERANCE, TOLERANCE)


def gpu_difference(torch, files, row, result, library="PyTorch"):
    """None, what differs in few voxels, which begins with "all but", or what differs. A result is coordinates, counts and values."""
    index, counts, values = by_voxel(row, *ours(torch, files, row))
    index_2, counts_2, values_2 = by_voxel(row, *result)
    if DETERMINISTIC[library] == "yes":
        is_same = torch.equal(index, index_2) and torch.equal(counts, counts_2)
        return None if is_same and same_points(torch, row, values, values_2) else "other points"
    found = torch.isin(index, index_2)
    place = torch.searchsorted(index_2, index).clamp_(max=len(index_2) - 1)
    same = found & (counts == counts_2[place])
    others = int((~same).sum()) + int((~torch.isin(index_2, index)).sum())
    if others > FEW * len(index):
        return f"{others} other voxels of {len(index)}"
    whole = same & (counts < row["max_points"])
    mine, theirs = sorted_points(torch, values[whole]), sorted_points(torch, values_2[place[whole]])
    if others == 0 and not same_points(torch, row, mine, theirs):
        return "other points"
    return f"all but {others} of {len(index)} voxels (approximate quotients)" if others else None


# ---- conch ----


def conch_peers(torch, row):
    """Its two kernels as its generate_voxels launches them, without the copy of the number of voxels to the host at the end."""
    import triton
    from conch.kernels.vision.voxelization import generate_dense_voxels_triton_kernel, generate_voxels_triton_kernel
    if row["mode"] != "first":
        return {}
    grid, size, lower = row["grid"], row["size"], row["lower"]
    upper = [low + n * step for low, n, step in zip(lower, grid, size)]
    cells, cap = grid[0] * grid[1] * grid[2], row["max_points"]

    def generate_voxels(points):
        def empty(*shape, of=torch.int32):
            return torch.empty(shape, dtype=of, device=points.device)
        dense_counts, dense = torch.zeros(cells, dtype=torch.int32, device=points.device), empty(cells, cap, 4, of=torch.float32)
        n, counts, values = torch.zeros(1, dtype=torch.int32, device=points.device), empty(cells), torch.empty_like(dense)
        coordinates = empty(cells, 4)
        generate_dense_voxels_triton_kernel[(triton.cdiv(len(points), 256),)](
            points, len(points), *lower, *upper, *size, *grid, cap, dense_counts, dense, cxpr_block_size=256, num_warps=8)
        generate_voxels_triton_kernel[(triton.cdiv(cells, 256),)](
            dense, dense_counts, grid[0], grid[1], cap, cells, n, counts, values, coordinates, cxpr_block_size=256, num_warps=8)
        return n, coordinates, counts, values

    generate_voxels.finish = lambda n, coordinates, counts, values: (coordinates[:int(n), :3], counts[:int(n)], values[:int(n)])
    return {("conch", "generate_voxels"): generate_voxels}


# ---- CUDA-PointPillars ----


class DeviceArray:  # pylint: disable=too-few-public-methods
    """Memory of a GPU that PyTorch reads."""

    def __init__(self, owner, pointer, dtype, shape):
        self.owner = owner
        self.__cuda_array_interface__ = {"data": (pointer, False), "typestr": dtype, "shape": shape, "version": 3}


class PointPillars:
    """Its voxelization, with memory of its own."""

    def __init__(self, row):
        library = ctypes.CDLL(built["CUDA-PointPillars"][1])
        for name in ("open", "features", "coords", "params"):
            getattr(library, "voxels_" + name).restype = ctypes.c_void_p
        upper = [low + n * step for low, n, step in zip(row["lower"], row["grid"], row["size"])]
        of = [(ctypes.c_float * 3)(*values) for values in (row["lower"], upper, row["size"])]
        self.library, self.row = library, row
        self.handle = ctypes.c_void_p(library.voxels_open(*of, row["max_voxels"], row["max_points"], row["points"]))
        weakref.finalize(self, library.voxels_close, self.handle)

    def run(self, points, stream):
        self.library.voxels_run(self.handle, ctypes.c_void_p(points.data_ptr()), len(points), ctypes.c_void_p(stream))

    def array(self, name, dtype, shape):
        return DeviceArray(self, getattr(self.library, "voxels_" + name)(self.handle), dtype, shape)


def pointpillars_peers(torch, row):
    if row["mode"] != "pillars" or "CUDA-PointPillars" not in built:
        return {}
    voxels = []

    def forward(points):
        if not voxels:
            voxels.append(PointPillars(row))
        voxels[0].run(points, torch.cuda.current_stream().cuda_stream)
        return ()

    def finish():
        def tensor(name, dtype, *shape):
            return torch.as_tensor(voxels[0].array(name, dtype, shape), device="cuda")
        n = int(tensor("params", "<i4", 1))
        values = tensor("features", "<f2", row["max_voxels"], row["max_points"], 10)[:n]
        coordinates = tensor("coords", "<i4", row["max_voxels"], 4)[:n].flip(1)[:, :3]
        return coordinates, (values[..., :4] != 0).any(2).sum(1), values

    forward.finish = finish
    return {("CUDA-PointPillars", "forward"): forward}


# ---- AWML and spconv: they wait for the device ----


def awml_peers(torch, row):
    """As its Voxelization calls it, whose default is to keep the order of points."""
    if row["mode"] != "first" or "AWML" not in built:
        return {}
    upper = [low + n * step for low, n, step in zip(row["lower"], row["grid"], row["size"])]
    cap, most = row["max_points"], row["max_voxels"]

    def hard_voxelize(points):
        values, coordinates = points.new_zeros(most, cap, 4), points.new_zeros(most, 3, dtype=torch.int32)
        counts = points.new_zeros(most, dtype=torch.int32)
        n = built["AWML"].hard_voxelize(points, values, coordinates, counts, row["size"], [*row["lower"], *upper], cap, most, 3, True)
        return coordinates[:n], counts[:n], values[:n]

    hard_voxelize.waits, hard_voxelize.finish = True, lambda *result: result
    return {("AWML", "hard_voxelize"): hard_voxelize}


def spconv_peers(torch, row):
    if row["mode"] != "first" or "spconv" not in built:
        return {}
    upper = [low + n * step for low, n, step in zip(row["lower"], row["grid"], row["size"])]
    made = []

    def point_to_voxel(points):
        if not made:
            made.append(built["spconv"].PointToVoxel(row["size"], [*row["lower"], *upper], 4, row["max_voxels"], row["max_points"],
                                                     torch.device("cuda:0")))
        values, coordinates, counts = made[0](points)
        return coordinates.flip(1), counts, values

    point_to_voxel.waits, point_to_voxel.finish = True, lambda *result: result
    return {("spconv", "PointToVoxel"): point_to_voxel}


# ---- PyTorch ----


def cpu_peers(_):
    return {}


def torch_peers(torch, row, device):
    """A stable sort keeps the order of a voxel's points."""
    (nx, ny, nz), cap, most = row["grid"], row["max_points"], row["max_voxels"]
    grid, lower, size = (torch.tensor(row[name], device=device, dtype=torch.float32) for name in ("grid", "lower", "size"))
    numbers = torch.arange(row["points"], device=device)
    slots = torch.arange(cap, device=device)

    def zeros(*shape, of=torch.float32):
        return torch.zeros(*shape, dtype=of, device=device)

    def linear_index(points):
        scaled = (points[:, :3] - lower) / size
        x, y, z = scaled.floor().long().unbind(1)
        return torch.where(((scaled >= 0) & (scaled < grid)).all(1), (z * ny + y) * nx + x, nx * ny * nz)

    def first(points):
        index, order = torch.sort(linear_index(points), stable=True)
        inside = index < nx * ny * nz
        is_first = inside & torch.cat((inside[:1], index[1:] != index[:-1]))
        rank, place = is_first.cumsum(0) - 1, numbers - torch.where(is_first, numbers, 0).cummax(0).values
        rank = torch.where(inside & (rank < most), rank, most)
        slot = torch.where((rank < most) & (place < cap), rank * cap + place, most * cap)
        values = zeros(most * cap + 1, 4).index_copy_(0, slot, points[order])[:-1].view(most, cap, 4)
        counts = zeros(most + 1, of=torch.int64).scatter_add_(0, rank, torch.ones_like(rank))[:-1].clamp_(max=cap)
        voxel = zeros(most + 1, of=torch.int64).scatter_(0, rank, index)[:-1]
        coordinates = torch.stack((voxel % nx, voxel // nx % ny, voxel // nx // ny), 1)
        return is_first.sum(), coordinates, counts, values

    def pillars(points):
        n, coordinates, counts, values = first(points)
        mean = values[..., :3].sum(1) / counts.clamp(min=1)[:, None]
        centre = lower + (coordinates + 0.5) * size
        xyz = values[..., :3]
        rows = torch.cat((values, xyz - mean[:, None], xyz - centre[:, None]), 2)
        return n, coordinates, counts, torch.where((slots < counts[:, None])[..., None], rows, 0).half()

    def finish(n, coordinates, counts, values):
        n = min(int(n), most)
        return coordinates[:n], counts[:n], values[:n]

    function = first if row["mode"] == "first" else pillars
    function.finish = finish
    return {("PyTorch", function.__name__): function}


def gpu_peers(torch, row, device="cuda"):
    peers = {}
    for of in (conch_peers, pointpillars_peers, awml_peers, spconv_peers):
        try:
            peers |= of(torch, row) if device == "cuda" else {}
        except ImportError:
            pass
    return peers | torch_peers(torch, row, device)

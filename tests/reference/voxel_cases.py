# SPDX-License-Identifier: LGPL-2.1-or-later
"""robocachevoxelize on random clouds, and on one cloud of a lidar."""
from pipelines import case, expect_close, expect_equal, load_reference, np, properties, recording

MODES = ("occupancy", "count", "mean", "centroid", "max", "min")
TYPE = {"occupancy": ("uint8", "u1"), "count": ("uint32", "<u4")}
GRID = (13, 7, 5)
ORIGIN, SIZE = (-2.5, -1.25, 0.5), (0.5, 0.3, 0.7)


def cloud(random, n=3000, features=2):
    """Points in and around the grid, some of them on its faces, NaN or infinite."""
    low = np.array(ORIGIN)
    points = low + (random.random((n, 3)) * 1.4 - 0.2) * np.array(GRID) * np.array(SIZE)
    points[::17] = low + random.integers(0, 6, (len(points[::17]), 3)) * np.array(SIZE)
    rows = np.concatenate([points, random.normal(size=(n, features)) * 50], axis=1).astype(np.float32)
    rows[random.choice(n, 20), random.integers(0, 3, 20)] = np.nan
    rows[random.choice(n, 20), random.integers(0, 3, 20)] = np.inf
    return rows


def voxelized(scene, path, n_fields, mode, output, origin=ORIGIN, size=SIZE, grid=GRID, capacity=400):
    names = ",".join(["x", "y", "z", *(f"f{i}" for i in range(n_fields - 3))])
    kind = TYPE.get(mode, ("float32", None))[0] if output == "dense" or mode not in TYPE else "auto"
    caps = f"application/x-pointcloud,fields=(string)\"{names}\",type=(string)float32,framerate=(fraction)0/1"
    return scene.play(
        f"filesrc location={path} blocksize={path.stat().st_size} ! {caps} ! robocachevoxelize mode={mode} output={output} "
        f"type={kind} max-voxels={capacity} grid={':'.join(map(str, grid))} origin=<{','.join(map(str, map(float, origin)))}> "
        f"voxel-size=<{','.join(map(str, map(float, size)))}> ! {{out}}")


def features_of(mode, points):
    return 3 if mode == "centroid" else points.shape[1] - 3


for mode in MODES:
    @case(f"voxelize_{mode}", mode)
    def dense(scene, mode):
        points = cloud(scene.random)
        out = voxelized(scene, scene.write(points), points.shape[1], mode, "dense")
        wanted = load_reference().voxelize(points, ORIGIN, SIZE, GRID, mode)
        if mode in TYPE:
            expect_equal(np.frombuffer(out, TYPE[mode][1]).reshape(wanted.shape), wanted, mode)
        else:
            channels = features_of(mode, points)
            inside = points[load_reference().voxel_index(points, ORIGIN, SIZE, GRID) >= 0]
            expect_close(np.frombuffer(out, "<f4").reshape(-1, channels), wanted.reshape(-1, channels),
                         inside[:, :3] if mode == "centroid" else inside[:, 3:], mode)

    @case(f"voxelize_{mode}_sparse", mode)
    def sparse(scene, mode, capacity=600):
        points = cloud(scene.random)
        out = voxelized(scene, scene.write(points), points.shape[1], mode, "sparse", capacity=capacity)
        xyz, count, _ = load_reference().sparse(points, ORIGIN, SIZE, GRID)
        expect_equal(np.frombuffer(out, "<u4", 1), [len(xyz)], "occupied voxels")
        got = np.frombuffer(out, "<i4", 3 * capacity, 4).reshape(-1, 3)
        expect_equal(got[:len(xyz)], xyz, "coordinates")
        expect_equal(got[len(xyz):], 0 * got[len(xyz):], "coordinates past the last")
        rest = out[4 + 12 * capacity:]
        if mode == "occupancy":
            assert not rest, f"{len(rest)} bytes after the coordinates"
        elif mode == "count":
            expect_equal(np.frombuffer(rest, "<u4")[:len(xyz)], count, "counts")
        else:
            channels = features_of(mode, points)
            dense = load_reference().voxelize(points, ORIGIN, SIZE, GRID, mode)
            expect_close(np.frombuffer(rest, "<f4").reshape(-1, channels)[:len(xyz)], dense[xyz[:, 2], xyz[:, 1], xyz[:, 0]],
                         points[np.isfinite(points).all(axis=1)][:, :3] if mode == "centroid" else points[:, 3:], mode)


def lost(points):
    """What stands for a voxel where a point is in none."""
    xyz = points[:, :3]
    return np.where(np.isnan(xyz).any(axis=1), -2, np.where(np.isinf(xyz).any(axis=1), -3, -1))


@case("voxelize_index")
def index(scene):
    points = cloud(scene.random)
    got = np.frombuffer(voxelized(scene, scene.write(points), points.shape[1], "occupancy", "index"), "<i8")
    voxels = load_reference().voxel_index(points, ORIGIN, SIZE, GRID)
    expect_equal(got, np.where(voxels >= 0, voxels, lost(points)), "voxels of points")


@case("voxelize_rank")
def rank(scene, capacity=150):
    points = cloud(scene.random)
    out = voxelized(scene, scene.write(points), points.shape[1], "occupancy", "rank", capacity=capacity)
    _, _, rows = load_reference().sparse(points, ORIGIN, SIZE, GRID)
    wanted = np.where(rows < 0, lost(points), np.where(rows < capacity, rows, -4))
    assert (wanted == -4).any() and (wanted == capacity - 1).any()
    expect_equal(np.frombuffer(out, "<i8"), wanted, "rows of points")


def lists(scene, path, n_fields, grid, capacity, most, width, **settings):
    """Voxels, coordinates, points and their numbers of a mode that lists points."""
    names = ",".join(["x", "y", "z", *(f"f{i}" for i in range(n_fields - 3))])
    origin, size, n = ([float(x) for x in triple] for triple in grid)
    out = scene.play(
        f"filesrc location={path} blocksize={path.stat().st_size} ! application/x-pointcloud,fields=(string)\"{names}\","
        f"type=(string)float32,framerate=(fraction)0/1 ! robocachevoxelize output=sparse max-voxels={capacity} max-points={most} "
        f"grid={':'.join(str(int(x)) for x in n)} origin=<{','.join(map(str, origin))}> voxel-size=<{','.join(map(str, size))}> "
        f"{properties(**settings)} ! {{out}}")
    at = 4 + 12 * capacity
    dtype = np.dtype("<f2" if settings.get("type") == "float16" else "<f4")
    values = np.frombuffer(out, dtype, capacity * most * width, at).reshape(capacity, most, width)
    return (np.frombuffer(out, "<u4", 1), np.frombuffer(out, "<i4", 3 * capacity, 4).reshape(-1, 3), values,
            np.frombuffer(out, "<u4", capacity, at + values.nbytes))


@case("voxelize_first")
def first(scene, capacity=150, most=4):
    points = cloud(scene.random)
    n, coordinates, values, numbers = lists(scene, scene.write(points), 5, (ORIGIN, SIZE, GRID), capacity, most, 5, mode="first")
    xyz, _, rows = load_reference().sparse(points, ORIGIN, SIZE, GRID)
    wanted = np.zeros((capacity, most, 5), np.float32)
    counts = np.zeros(capacity, np.uint32)
    for row, point in zip(rows, points):
        if 0 <= row < capacity and counts[row] < most:
            wanted[row, counts[row]] = point
            counts[row] += 1
    assert (counts == most).any() and len(xyz) > capacity
    expect_equal(n, [capacity], "voxels")
    expect_equal(coordinates, xyz[:capacity], "coordinates")
    expect_equal(values, wanted, "points")
    expect_equal(numbers, counts, "points of voxels")


def check_pillars(scene, points, path, grid, capacity, most, centre_z=True, kind="float32"):
    """As float64 has them before they are rounded once, and as close to the float32 arithmetic of detectors as that is."""
    from pillars import pillars
    xyz, _, rows = load_reference().sparse(points, *grid)
    xyz, width = xyz[:capacity], points.shape[1] + 5 + centre_z
    n, coordinates, values, numbers = lists(scene, path, points.shape[1], grid, capacity, most, width, mode="pillars",
                                            centre_z=centre_z, type=kind)
    expect_equal(n, [len(xyz)], "pillars")
    expect_equal(coordinates[:len(xyz)], xyz, "coordinates")
    assert not values[len(xyz):].any() and not numbers[len(xyz):].any(), "there is a pillar after the last"
    values, numbers = values[:len(xyz)], numbers[:len(xyz)]
    farthest = np.abs(points[rows >= 0, :3]).max()
    for dtype, tolerance in ((np.float64, 1e-9), (np.float32, 2e-6)):
        wanted, counts = pillars(points, rows, xyz, *grid[:2], most, centre_z, dtype)
        expect_equal(numbers, counts, "points of pillars")
        rounding = 0.51 * np.finfo(kind).eps * np.maximum(np.abs(wanted), np.finfo(kind).tiny)
        off = np.abs(values - wanted) - rounding - tolerance * farthest
        if not (off <= 0).all():
            raise AssertionError(f"features in {np.dtype(dtype)}: {(off > 0).sum()} of {off.size} differ, by up to {off.max()}")
    assert (counts == most).any() and (counts < most).any()
    for pillar, count in enumerate(counts):
        assert not values[pillar, count:].any(), f"pillar {pillar} has a point after its last"


for centre_z, kind in ((True, "float32"), (False, "float32"), (True, "float16")):
    @case(f"voxelize_pillars_{9 + centre_z}_{kind}", centre_z, kind)
    def pillars_of_cloud(scene, centre_z, kind):
        points = cloud(scene.random, features=1)
        check_pillars(scene, points, scene.write(points), (ORIGIN, (0.5, 0.3, 3.5), (13, 7, 1)), 80, 16, centre_z, kind)


def bits_of(out, grid):
    """Occupancy [nz, ny, nx] of words whose bit b is x = 32 w + b."""
    words = np.frombuffer(out, "<u4").reshape(grid[2], grid[1], -1)
    bits = (words[..., None] >> np.arange(32, dtype=np.uint32)) & 1
    return bits.reshape(grid[2], grid[1], -1)


@case("voxelize_bits")
def bits(scene, grid=(45, 7, 5)):
    points = cloud(scene.random)
    got = bits_of(voxelized(scene, scene.write(points), points.shape[1], "occupancy", "bits", grid=grid), grid)
    expect_equal(got[..., :grid[0]], load_reference().voxelize(points, ORIGIN, SIZE, grid), "bits")
    assert not got[..., grid[0]:].any(), "a bit beyond the grid is set"


@case("voxelize_nothing")
def nothing(scene):
    """No point within the grid."""
    points = cloud(scene.random) + np.float32(1000)
    out = voxelized(scene, scene.write(points), points.shape[1], "count", "dense")
    expect_equal(np.frombuffer(out, "<u4"), np.zeros(np.prod(GRID), np.uint32), "counts")


LAYOUT = np.dtype({"names": ["ring", "z", "x", "y", "stamp"], "formats": ["<u2", "<f4", "<f4", "<f4", "<f8"],
                   "offsets": [1, 4, 8, 12, 20], "itemsize": 32})


@case("voxelize_layout")
def layout(scene):
    """Fields in another order, of other types, with gaps: the features follow x, y, z in the order of their names."""
    points = cloud(scene.random)
    rows = np.zeros(len(points), LAYOUT)
    for i, axis in enumerate("xyz"):
        rows[axis] = points[:, i]
    rows["ring"] = scene.random.integers(0, 65536, len(points))
    rows["stamp"] = 1.7e9 + scene.random.random(len(points))
    path = scene.write(rows)
    out = scene.play(
        f"filesrc location={path} blocksize={path.stat().st_size} ! application/x-pointcloud,fields=(string)\"ring,z,x,y,stamp\","
        f"types=(string)\"uint16,float32,float32,float32,float64\",offsets=(string)\"1,4,8,12,20\",point-step=32,"
        f"framerate=(fraction)0/1 ! robocachevoxelize mode=mean grid={':'.join(map(str, GRID))} "
        f"origin=<{','.join(map(str, ORIGIN))}> voxel-size=<{','.join(map(str, SIZE))}> ! {{out}}")
    plain = np.column_stack([points[:, :3].astype("f8"), rows["ring"], rows["stamp"]])
    wanted = load_reference().voxelize(plain, ORIGIN, SIZE, GRID, "mean")
    expect_close(np.frombuffer(out, "<f4").reshape(-1, 2), wanted.reshape(-1, 2), plain[:, 3:], "means")


@case("depth_through_a_lens")
def lens(scene, width=160, height=120):
    depth = scene.random.integers(0, 4000, (height, width)).astype("<u2")
    camera = dict(fx=120.0, fy=121.0, cx=80.5, cy=58.0, k1=-0.08, k2=0.02, k3=-0.003, p1=0.001, p2=-0.002)
    path = scene.write(depth)
    out = scene.play(
        f"filesrc location={path} blocksize={path.stat().st_size} ! video/x-raw,format=GRAY16_LE,width={width},height={height},"
        f"framerate=0/1 ! robocachevoxelize mode=count grid=40:40:20 origin=<-2.0,-2.0,0.0> voxel-size=<0.1,0.1,0.2> "
        f"{' '.join(f'{name}={value}' for name, value in camera.items())} ! {{out}}")
    reference = load_reference()
    points = reference.unproject(depth, reference.ray_table(width, height, **camera), 0.001)
    wanted = reference.voxelize(points, (-2, -2, 0), (0.1, 0.1, 0.2), (40, 40, 20), "count")
    expect_equal(np.frombuffer(out, "<u4").reshape(wanted.shape), wanted, "counts")
    pinhole = reference.unproject(depth, reference.ray_table(width, height, *list(camera.values())[:4]), 0.001)
    assert (wanted != reference.voxelize(pinhole, (-2, -2, 0), (0.1, 0.1, 0.2), (40, 40, 20), "count")).any(), "a flat lens"


for output in ("dense", "sparse", "bits"):
    @case(f"cloud_at_1_m_{output}", output)
    def lidar(scene, output):
        path = recording("cloud_119978_xyz_f32.bin")
        points = np.fromfile(path, "<f4").reshape(-1, 3)
        low = np.floor(np.nanmin(points, axis=0))
        grid = tuple(int(n) for n in np.floor(np.nanmax(points, axis=0)) - low + 1)
        out = voxelized(scene, path, 3, "occupancy", output, low, (1, 1, 1), grid, 5000)
        wanted = load_reference().voxelize(points, low, (1, 1, 1), grid)
        expect_equal(int(wanted.sum()), 3440, "occupied voxels of the reference")
        if output == "sparse":
            xyz, _, _ = load_reference().sparse(points, low, (1, 1, 1), grid)
            expect_equal(np.frombuffer(out, "<u4", 1), [3440], "occupied voxels")
            expect_equal(np.frombuffer(out, "<i4", 3 * 3440, 4).reshape(-1, 3), xyz, "coordinates")
        elif output == "bits":
            expect_equal(bits_of(out, grid)[..., :grid[0]], wanted, "bits")
        else:
            expect_equal(np.frombuffer(out, "u1").reshape(wanted.shape), wanted, "voxels")


@case("cloud_at_1_m_counts")
def counts(scene):
    path = recording("cloud_119978_xyz_f32.bin")
    points = np.fromfile(path, "<f4").reshape(-1, 3)
    low = np.floor(np.nanmin(points, axis=0))
    grid = tuple(int(n) for n in np.floor(np.nanmax(points, axis=0)) - low + 1)
    got = np.frombuffer(voxelized(scene, path, 3, "count", "dense", low, (1, 1, 1), grid), "<u4")
    expect_equal(got, load_reference().voxelize(points, low, (1, 1, 1), grid, "count").ravel(), "counts")
    expect_equal(int(got.max()), 833, "points in the fullest voxel")


@case("cloud_as_pillars_of_16_cm")
def lidar_pillars(scene):
    path = recording("cloud_119978_xyz_f32.bin")
    points = np.fromfile(path, "<f4").reshape(-1, 3)
    check_pillars(scene, points, path, ((0, -39.68, -3), (0.16, 0.16, 4), (432, 496, 1)), 16000, 32)

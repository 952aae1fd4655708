#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What sets other libraries beside ours, without a GPU: that peers compute what ours does, that another result is found, and
what is written. Prints PASS name, FAIL name: why, or SKIP name: why; exit status 1 when one failed.

PyTorch's and Triton's functions are tested where these are installed, on the CPU."""
import contextlib
import csv
import io
import multiprocessing
import os
import pathlib
import sys
import tempfile
import traceback

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np

import align_cpu
import align_cpu_peers
import align_rows
import libraries
import peers
import voxel_rows

BATCH, ROWS, TICKS, CHANNELS = 3, 40, 25, 12


def row_of(interpolation, quaternions=0, dtype="float32"):
    return {"row": 0, "work": f"{interpolation}, {quaternions} quaternions", "batch": BATCH, "ticks": TICKS, "in": dtype,
            "out": dtype, "streams": [[ROWS, CHANNELS]], "interpolation": interpolation, "quaternions": quaternions,
            "period_ns": 38_400_000, "live": False, "must_move": 1000, "cold_us": 1.0, "cpu_us": 2.0, "wanted_us": 0,
            "n_copies": 2}


ALL = [row_of(kind) for kind in ("linear", "nearest", "previous", "cubic", "hermite", "mean")] + [
    row_of("linear", 2), row_of("linear", CHANNELS // 4)]


def recording():
    """Times, rows and ticks; some ticks are at a row."""
    random = np.random.default_rng(1)
    times = np.sort((np.arange(ROWS) + 0.33 * random.random((BATCH, ROWS))) / ROWS * 1e9).astype(np.int64)
    ticks = np.linspace(40e6, 960e6, TICKS).astype(np.int64) + np.arange(BATCH)[:, np.newaxis]
    ticks[:, 5] = times[:, 10]
    ticks[:, 6] = times[:, 11]
    return times, random.uniform(-1, 1, (BATCH, ROWS, CHANNELS)).astype(np.float32), np.sort(ticks)


# ---- the definition, a tick at a time (docs/arithmetic.md) ----


def slope(times, rows, i):
    """Of the parabola through row i and its neighbours, or of the one side that there is."""
    sides = [(rows[j + 1] - rows[j]) / (times[j + 1] - times[j]) for j in (i - 1, i) if 0 <= j < len(times) - 1]
    if len(sides) == 1:
        return sides[0]
    left, right = times[i] - times[i - 1], times[i + 1] - times[i]
    return (sides[0] * right + sides[1] * left) / (left + right)


def hermite(w, h, ends, slopes):
    (y0, y1), (m0, m1) = ends, slopes
    return ((2 * w**3 - 3 * w**2 + 1) * y0 + (w**3 - 2 * w**2 + w) * h * m0 + (3 * w**2 - 2 * w**3) * y1
            + (w**3 - w**2) * h * m1)


def slerp(q0, q1, w):
    q0, q1 = q0 / np.linalg.norm(q0), q1 / np.linalg.norm(q1)
    q1 = -q1 if q0 @ q1 < 0 else q1
    angle = np.arccos(q0 @ q1)
    return (np.sin((1 - w) * angle) * q0 + np.sin(w * angle) * q1) / np.sin(angle)


def at_tick(row, times, rows, tick):
    near = np.flatnonzero((times >= tick - row["period_ns"] // 2) & (times < tick + row["period_ns"] // 2))
    if row["interpolation"] == "mean" and len(near):
        return rows[near].mean(axis=0)
    i = np.flatnonzero(times <= tick)[-1]
    if row["interpolation"] == "previous" or times[i] == tick:
        return rows[i]
    h = times[i + 1] - times[i]
    w = (tick - times[i]) / h
    if row["interpolation"] == "nearest":
        return rows[i if w <= 0.5 else i + 1]
    result = rows[i] + w * (rows[i + 1] - rows[i])
    if row["interpolation"] == "cubic":
        return hermite(w, h, rows[i:i + 2], [slope(times, rows, k) for k in (i, i + 1)])
    if row["interpolation"] == "hermite":
        half = CHANNELS // 2
        result[:half] = hermite(w, h / 1e9, rows[i:i + 2, :half], rows[i:i + 2, half:])
    for c in range(0, 4 * row["quaternions"], 4):
        result[c:c + 4] = slerp(rows[i, c:c + 4], rows[i + 1, c:c + 4], w)
    return result


def defined(row, times, rows, ticks):
    exact = rows.astype(np.float64)
    return np.stack([[at_tick(row, times[k], exact[k], tick) for tick in ticks[k]] for k in range(BATCH)])


# ---- cases ----


class Skipped(Exception):
    """Why a case is not for this machine."""


def must(truth, what):
    if not truth:
        raise AssertionError(what)


def of_type(values, dtype):
    """As arrays have it that are read from files."""
    return align_cpu_peers.narrowed(values, dtype) if dtype == "bfloat16" else values.astype(peers.NUMPY[dtype])


def from_type(values, dtype):
    return align_cpu_peers.widened(values, dtype) if dtype == "bfloat16" else values


def bfloat16_is_rounded():
    """To nearest even, also beyond the range."""
    values = np.array([1, 1 + 2**-8, 1 + 3 * 2**-8, -1 - 5 * 2**-9, 1e-40, 3.4e38], np.float32)
    bits = of_type(values, "bfloat16").view(np.uint16)
    must(bits.tolist() == [0x3F80, 0x3F80, 0x3F82, 0xBF81, 0x0001, 0x7F80], [hex(value) for value in bits])
    must(from_type(bits.view(np.int16), "bfloat16")[2] == 1 + 2**-6, "widened to something else")


def cpu_peers_compute_what_ours_does():
    times, exact, ticks = recording()
    kinds = [row_of(row["interpolation"], row["quaternions"], dtype) for dtype in align_rows.TOLERANCE for row in ALL]
    for row in [*kinds, {**row_of("linear"), "out": "bfloat16"}]:
        rows = of_type(exact, row["in"])
        wanted = of_type(defined(row, times, from_type(rows, row["in"]), ticks), row["out"])
        of_row = align_cpu_peers.peers_of(row)
        must({"NumPy"} <= {peer.library for peer in of_row}, f"{row['work']}: {of_row}")
        for peer in of_row:
            what = align_cpu.difference(row, peer.run(times, rows, ticks), wanted)
            # its spline is another one
            must((what is None) == ("CubicSpline" not in peer.function), f"{row['work']}, {row['out']}: {peer.name}: {what}")


def another_result_is_found():
    row, (times, rows, ticks) = row_of("linear"), recording()
    wanted = defined(row, times, rows, ticks)
    for value in (np.nan, np.inf, wanted[1, 2, 3] + 2e-5):
        other = wanted.copy()
        other[1, 2, 3] = value
        must(align_rows.difference_of(np, row, other, wanted), f"{value} is not found")
        must(align_rows.difference_of(np, row_of("nearest"), other, wanted), f"{value} is not found in rows that are copied")
    other = wanted + 5e-6
    must(align_rows.difference_of(np, row, other, wanted) is None, "a rounding is too much")
    must(align_rows.difference_of(np, row_of("nearest"), other, wanted), "another row is not found")
    missing = wanted.copy()
    missing[1, 2] = np.nan
    for kind in ("linear", "nearest"):
        must(align_rows.difference_of(np, row_of(kind), wanted, missing) is None, "a row that is missing is compared")


def rotations_are_compared():
    row, (_, rows, _) = row_of("linear", CHANNELS // 4), recording()
    must(align_rows.difference_of(np, row, -2 * rows, rows) is None, "sign and norm of quaternions are compared")
    must(align_rows.difference_of(np, row, rows[..., ::-1], rows), "another rotation is not found")
    other = rows.copy()
    other[0, 0, -1] = np.nan
    must(align_rows.difference_of(np, row_of("linear", 1), other, rows), "NaN behind the quaternions is not found")


def rows_of_ours_are_read():
    with tempfile.TemporaryDirectory() as folder:
        must(peers.read_rows(folder) == (None, []), "there are rows in an empty folder")
        lines = '{"device": "one"}\n{"row": 0}\n{"row": 1, "work'
        pathlib.Path(folder, "rows.json").write_text(lines, encoding="utf-8")
        must(peers.read_rows(folder) == ({"device": "one"}, [{"row": 0}]), f"read {peers.read_rows(folder)}")


def processes_share_tasks():
    n_taken = multiprocessing.Value("i", 0)
    here, there = (peers.taken("abcde", n_taken) for _ in range(2))
    got = [next(here), next(there), next(there), *here, *there]
    must(got == list("abcde"), got)


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def csv_has_what_was_measured():
    fast, slow, wrong = (peers.Peer("Some.Library", name, None) for name in ("fast", "slow", "wrong"))
    other = peers.Peer("other", "one", None)
    rows = [{"work": work, "cold_us": i + 1} for i, work in enumerate(("a, b", "c", "d", "e"))]
    measured = [{slow: peers.Times(5, 4, 6), fast: peers.Times(3, 2, 4), wrong: "other rows", other: peers.Times(4)},
                {wrong: "other rows"}, {}, {wrong: "other rows", slow: peers.NO_TIME}]
    with tempfile.TemporaryDirectory() as folder:
        peers.write_csvs(f"{folder}/peers.csv", ("Some.Library", "other"), rows, measured, "cold_us")
        lines = read_csv(f"{folder}/peers.csv")
        works = read_csv(f"{folder}/peers_libraries.csv")
    must([line["checked"] for line in lines] == ["yes", "yes", "other rows", "yes", "other rows", "other rows",
                                                  peers.NO_TIME], f"{lines}")
    must(lines[1] == {"work": "a, b", "library": "Some.Library", "peer": "Some.Library: fast", "median_us": "3.000",
                      "p5_us": "2.000", "p95_us": "4.000", "checked": "yes"}, f"{lines[1]}")
    must(lines[2]["median_us"] == "" and lines[3]["p5_us"] == "", f"{lines}")
    must(works == [
        {"work": "a, b", "robocache_us": "1.000", "some_library_us": "3.000", "other_us": "4.000", "checked": "yes"},
        {"work": "c", "robocache_us": "2.000", "some_library_us": "", "other_us": "",
         "checked": "no peer has the same result"},
        {"work": "d", "robocache_us": "3.000", "some_library_us": "", "other_us": "", "checked": "no peer does this"},
        {"work": "e", "robocache_us": "4.000", "some_library_us": "", "other_us": "", "checked": peers.NO_TIME},
    ], f"{works}")


def files_are_compared_on_one_core():
    row, (times, rows, ticks) = row_of("linear"), recording()
    arrays = {"ticks": ticks, "times_0": times, "rows_0": rows, "out_0": defined(row, times, rows, ticks).astype(np.float32)}
    align_cpu.SECONDS = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
        for name, array in arrays.items():
            array.tofile(f"{folder}/0.{name}")
        _, of_rows, measured = align_cpu.compare(folder, [row, {**row, "must_move": 1e9}])
    must(of_rows == [row], "a work of a gigabyte is for one core")
    must(len(measured[0]) >= 2 and all(times.median > 0 for times in measured[0].values()), f"{measured}")
    must(f"| {row['work']} | 0.00 | " in printed.getvalue(), printed.getvalue())


# ---- peers on a GPU, on a CPU ----


def import_torch():
    try:
        import torch
        peers.DEVICE = "cpu"
        return torch
    except ImportError as error:
        raise Skipped("PyTorch is not installed") from error


def align_peers_compute_what_ours_does():
    torch = import_torch()
    import align_peers
    times, rows, ticks = recording()
    for row in ALL:
        work = align_peers.Work(row, "cpu")
        tensors = {"ticks": ticks, "times_0": times, "rows_0": rows}
        inputs = align_peers.inputs_of(row, {name: torch.from_numpy(array) for name, array in tensors.items()})
        for peer in align_peers.peers_of(row):
            must(peer.library in libraries.KINDS["alignment"].libraries, f"{peer.library} has no column")
            if peer.library == "CuPy" or peer.traced:
                continue
            result = peer.run(work, peer.prepare(work, inputs) if peer.prepare else inputs)
            what = align_rows.difference_of(np, row, result[0].numpy(), defined(row, times, rows, ticks))
            must(what is None, f"{row['work']}: {peer.name}: {what}")


def cloud_of(features):
    """Some points are beyond the grid, and some in one voxel."""
    points = np.random.default_rng(1).uniform(-0.1, 1.1, (2, 500, 3 + features)).astype(np.float32)
    points[:, 1::3] = points[:, ::3][:, :points[:, 1::3].shape[1]]
    return points


def voxel_row(mode, output, dtype="float32", features=0, batch=1):
    return {"row": 0, "work": f"{mode}, {output}", "mode": mode, "output": output, "dtype": dtype, "batch": batch,
            "items": batch, "points": 500, "axis": 32, "voxel": 1 / 32, "features": features, "max_points": 2, "kept": False}


def voxels_of(row, points):
    """Linear indices over all items; -1: beyond the grid."""
    index = np.floor(points[..., :3] / np.float32(row["voxel"])).astype(np.int64)
    inside = ((index >= 0) & (index < row["axis"])).all(axis=-1)
    linear = (index[..., 2] * row["axis"] + index[..., 1]) * row["axis"] + index[..., 0]
    return np.where(inside, linear + np.arange(row["batch"])[:, np.newaxis] * row["axis"]**3, -1).ravel()


def sparse_results(row, points, voxels, occupied):
    """The mean of each occupied voxel's points, or the first of them."""
    members = [points[voxels == voxel] for voxel in occupied]
    planes = occupied // row["axis"]
    coordinates = np.stack((occupied % row["axis"], planes % row["axis"], planes // row["axis"]), axis=1)
    if row["mode"] == "mean":
        values = np.stack([of_voxel[:, 3:].mean(axis=0) for of_voxel in members])
    else:
        values = np.zeros((len(occupied), row["max_points"], points.shape[1]))
        for i, of_voxel in enumerate(members):
            values[i, :len(of_voxel)] = of_voxel[:row["max_points"]]
    return {"coordinates": coordinates.astype(np.int32), "values": values.astype(np.float32)}


def voxel_results(row, points):
    """The files that ours would leave."""
    voxels, flat = voxels_of(row, points), points.reshape(-1, points.shape[-1])
    occupied, counts = np.unique(voxels[voxels >= 0], return_counts=True)
    row["occupied"] = len(occupied)
    if row["output"] == "index":
        return {"map": voxels}
    if row["output"] == "rank":
        return {"map": np.where(voxels >= 0, np.searchsorted(occupied, voxels), -1)}
    if row["output"] == "sparse":
        return sparse_results(row, flat, voxels, occupied)
    grid = np.zeros((row["batch"] * row["axis"]**3, max(1, row["features"] if row["mode"] == "mean" else 1)), np.float32)
    if row["mode"] == "mean":
        for voxel in occupied:
            grid[voxel] = flat[voxels == voxel, 3:].mean(axis=0)
    else:
        grid[occupied, 0] = 1 if row["mode"] == "occupancy" else counts
    if row["output"] == "bits":
        return {"grid": np.packbits(grid.astype(np.uint8), bitorder="little")}
    return {"grid": grid.astype(peers.NUMPY[row["dtype"]])}


def run_voxels(torch, peer, work, inputs):
    """Of CuPy's functions the names are NumPy's, too."""
    if peer.library != "CuPy":
        return peer.run(work, inputs)
    with np.errstate(invalid="ignore"):  # points beyond the grid
        result = peer.run.__wrapped__(work, inputs.numpy())
    return [torch.as_tensor(array) for array in result] if isinstance(result, tuple) else torch.from_numpy(result)


def voxel_peers_compute_what_ours_does():
    torch = import_torch()
    import voxel_cupy
    import voxel_peers
    voxel_cupy.cupy = voxel_cupy.cupy or np
    for row in (voxel_row("occupancy", "dense", batch=2), voxel_row("occupancy", "dense", "uint8"),
                voxel_row("occupancy", "bits", batch=2), voxel_row("count", "dense", batch=2),
                voxel_row("mean", "dense", features=3), voxel_row("mean", "sparse", features=2),
                voxel_row("first", "sparse", features=1), voxel_row("occupancy", "index"), voxel_row("occupancy", "rank")):
        points = cloud_of(row["features"])[:row["batch"]]
        with tempfile.TemporaryDirectory() as folder:
            for name, array in voxel_results(row, points).items():
                array.tofile(f"{folder}/0.{name}")
            files, work, inputs = peers.Files(folder, row), voxel_peers.Work(row, "cpu"), torch.from_numpy(points)
            for peer in voxel_peers.peers_of(row):
                must(peer.library in libraries.KINDS["voxels"].libraries, f"{peer.library} has no column")
                if peer.traced:
                    continue
                what = voxel_rows.difference(torch, files, row, run_voxels(torch, peer, work, inputs))
                must(what is None, f"{row['work']}: {peer.name}: {what}")


def plain_grids_are_compared():
    """Of as many items as there are in files."""
    torch = import_torch()
    row = {**voxel_row("occupancy", "dense", batch=2), "plain": [2.0, 1.0, 3.0]}
    ours = voxel_results(row, cloud_of(0))["grid"].reshape(2, -1)
    times = peers.Times(2.0, 1.0, 3.0)
    for items, wanted in ((ours, times), (ours[:1], times), (1 - ours, "other values")):
        with tempfile.TemporaryDirectory() as folder:
            ours[:len(items)].tofile(f"{folder}/0.grid")
            items.tofile(f"{folder}/0.plain")
            measured = voxel_rows.measured_beforehand(torch, peers.Files(folder, row), row)
        must(measured == {voxel_rows.PLAIN: wanted}, measured)
    must(voxel_rows.PLAIN.library in libraries.KINDS["voxels"].libraries, "plain CUDA has no column")
    del row["plain"]
    must(voxel_rows.measured_beforehand(torch, None, row) == {}, "there is a plain kernel where there is none")


CASES = (bfloat16_is_rounded, cpu_peers_compute_what_ours_does, another_result_is_found, rotations_are_compared,
         rows_of_ours_are_read, processes_share_tasks, csv_has_what_was_measured, files_are_compared_on_one_core,
         align_peers_compute_what_ours_does, voxel_peers_compute_what_ours_does, plain_grids_are_compared)


def passes(case):
    try:
        case()
        print(f"PASS {case.__name__}")
    except Skipped as why:
        print(f"SKIP {case.__name__}: {why}")
    except Exception as error:  # pylint: disable=broad-exception-caught
        traceback.print_exc()
        print(f"FAIL {case.__name__}: {error}")
        return False
    return True


if __name__ == "__main__":
    for missing in align_cpu_peers.missing():
        print(f"SKIP peers {missing}")
    sys.exit(0 if all([passes(case) for case in CASES]) else 1)

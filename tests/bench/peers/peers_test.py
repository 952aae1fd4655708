#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""peers_test.py BENCH_CPU: that peers compute what ours does, that other results are found, and what is written. Prints PASS, FAIL or
SKIP for each case.

NumPy and SciPy are compared with the outputs of bench-cpu. PyTorch's and Triton's functions run on the CPU where they are
installed, with the same outputs."""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np  # noqa: E402

import align  # noqa: E402
import lidar  # noqa: E402
import peers  # noqa: E402
import voxel  # noqa: E402

WORKS = ("1x60000", "occupancy, uint8, 64^3", "count, uint32, 64^3", "16x4096 -> 1024x32, float32")
ALL = ("8x4096 -> 2048x64", "nuScenes sweep")  # one of each interpolation and type


def must(truth, what):
    if not truth:
        raise AssertionError(what)


def bench_cpu(folder, *arguments):
    subprocess.run([sys.argv[1], "--short", "--rows", folder, *arguments], check=True, stdout=subprocess.DEVNULL)
    return peers.read_rows(folder)[1]


def cpu_peers_compute_what_ours_does(folder, rows):
    """And a result that differs in one value is found."""
    kinds = set()
    for row in rows:
        module, files = peers.KINDS[row["kind"]], peers.Files(folder, row)
        inputs = [files.array(name, dtype, shape) for name, dtype, shape in module.arrays(row)]
        for key, run in module.cpu_peers(row).items() if not row.get("kept") else ():
            result = run(*inputs)
            what = module.cpu_difference(files, row, key, result)
            must(what in (None, voxel.OTHER_GRID), f"{row['work']}: {key}: {what}")
            kinds.add((row.get("interpolation", row.get("mode")), key[0]))
            if what is None and row.get("out", "float32") == "float32":
                result.flat[result.size // 2] = 7
                must(module.cpu_difference(files, row, key, result), f"{row['work']}: another value is not found")
    numpy = {kind for kind, library in kinds if library == "NumPy"}
    must(numpy >= {"linear", "nearest", "cubic", "hermite", "mean", "occupancy", "count"}, numpy)


def torch_peers_compute_what_ours_does(folder, rows):
    try:
        import torch
    except ImportError:
        print("SKIP PyTorch is not installed")
        return
    peers.DEVICE = "cpu"
    for row in rows:
        module, files = peers.KINDS[row["kind"]], peers.Files(folder, row)
        if module is lidar:
            continue
        functions = voxel.gpu_peers(torch, row, "cpu") if module is voxel else align.gpu_peers(torch, row)
        for key, run in functions.items() if row["must_move_bytes"] < 8e6 and row.get("dtype") != "uint32" else ():
            is_quick = key[0] == "PyTorch" or (key[0] == "Triton" and module is voxel and row["must_move_bytes"] < 2e6)
            if is_quick:
                what = module.gpu_difference(torch, files, row, run(peers.inputs_of(torch, module, files, row)))
                must(what is None, f"{row['work']}: {key}: {what}")


def lidar_peers_compute_what_ours_does(folder, rows):
    """And other points, in any order, are found."""
    try:
        import torch
    except ImportError:
        print("SKIP PyTorch is not installed")
        return
    peers.DEVICE, kinds = "cpu", set()
    for row in (row for row in rows if row["kind"] == "lidar"):
        files = peers.Files(folder, row)
        (key, run), = lidar.gpu_peers(torch, row, "cpu").items()
        coordinates, counts, values = run.finish(*run(peers.inputs_of(torch, lidar, files, row)))
        turned = coordinates.flip(0), counts.flip(0), values.flip(0)

        def difference(library, *result, row=row, files=files):
            return lidar.gpu_difference(torch, files, row, result, library)
        must(difference(key[0], coordinates, counts, values) is None, f"{row['work']}: PyTorch has other points")
        must(difference("conch", *turned) is None, f"{row['work']}: voxels in another order differ")
        must(difference("conch", coordinates[1:], counts[1:], values[1:]).startswith("all but 1 of"), "a voxel is not missed")
        must(difference("conch", coordinates[9:] + 1, counts[9:], values[9:]).endswith("other voxels of " + str(len(counts))),
             "other voxels are not found")
        values[len(values) // 2, 0, 3] += 1
        must(difference(key[0], coordinates, counts, values) == "other points", "another point is not found")
        kinds.add(row["mode"])
    must(kinds == {"first", "pillars"}, kinds)


def rotations_are_compared(*_):
    row = {"interpolation": "linear", "quaternions": 2, "out": "float32"}
    rows = np.random.default_rng(1).uniform(-1, 1, (3, 5, 9)).astype(np.float32)
    other = rows.copy()
    other[..., :8] *= -2
    must(align.difference(np, row, other, rows) is None, "sign and norm of quaternions are compared")
    must(align.difference(np, row, rows[..., ::-1], rows), "another rotation is not found")
    other[0, 0, -1] = np.nan
    must(align.difference(np, row, other, rows), "NaN after the quaternions is not found")


def bfloat16_is_rounded(*_):
    values = np.array([1, 1 + 2**-8, 1 + 3 * 2**-8, -1 - 5 * 2**-9, 1e-40, 3.4e38], np.float32)
    bits = align.narrowed(values, "bfloat16").view(np.uint16)
    must(bits.tolist() == [0x3F80, 0x3F80, 0x3F82, 0xBF81, 0x0001, 0x7F80], [hex(value) for value in bits])


# CUDA works in the process that used it first, not in its forks
TORCH = '''import os
class cuda:
    used_by = []
    @staticmethod
    def is_available():
        cuda.used_by = cuda.used_by or [os.getpid()]
        return cuda.used_by == [os.getpid()]
'''


def peers_compile_after_cuda_was_used(folder, _):
    package = pathlib.Path(folder, "torch/_inductor")
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text(TORCH, encoding="utf-8")
    (package / "__init__.py").touch()
    (package / "config.py").touch()
    script = "import peers; peers.import_torch(); print(peers.fill_caches(['no works']))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False,
                         env=dict(os.environ, PYTHONPATH=os.pathsep.join((folder, str(pathlib.Path(peers.__file__).parent)))))
    n = min(16, len(os.sched_getaffinity(0)))
    must(run.stdout == f"{n} of {n} processes compiled their share of the peers\n", run.stdout + run.stderr)


def tables_have_what_was_measured(folder, _):
    rows = [{"work": work, "median_us": 1.0, "checked": "yes", "must_move_bytes": 4} for work in ("a, b", "c", "d", "e")]
    slow, fast, other = ("Some.Library", "slow"), ("Some.Library", "fast"), ("other", "one")
    measured = [{slow: peers.Times(5, 4, 6), fast: peers.Times(3, 2, 4), other: "other rows"}, {other: "other rows"}, {},
                {other: peers.LATE}]
    peers.write(pathlib.Path(folder), "peers", ("Some.Library", "other"), rows, measured)
    ours = dict(rows[0], p5_us=0.5, p95_us=2.0)
    peers.write(pathlib.Path(folder), "lidar", ("Some.Library",), [ours], [{slow: peers.Times(5, 4, 6)}],
                {"robocache": "yes", "Some.Library": "no"})
    with open(f"{folder}/lidar.csv", newline="", encoding="utf-8") as file:
        must([(line["library"], line["median_us"], line["deterministic"]) for line in csv.DictReader(file)]
             == [("robocache", "1.000", "yes"), ("Some.Library", "5.000", "no")], "ours is first, with determinism")
    tables = []
    for name in ("peers", "peers_libraries"):
        with open(f"{folder}/{name}.csv", newline="", encoding="utf-8") as file:
            tables.append(list(csv.DictReader(file)))
    must(tables[0][1] == {"work": "a, b", "library": "Some.Library", "peer": "Some.Library: fast", "median_us": "3.000",
                          "p5_us": "2.000", "p95_us": "4.000", "checked": "yes"}, tables[0][1])
    must([line["checked"] for line in tables[0]] == ["yes", "yes", "other rows", "other rows", peers.LATE], tables[0])
    for column, us in (("us", "3.000"), ("p5_us", "2.000"), ("p95_us", "4.000")):
        must([line[f"some_library_{column}"] for line in tables[1]] == [us, "", "", ""], tables[1])
    must([line["peers_checked"] for line in tables[1]] == ["yes", "no peer has the same result", peers.NO_PEER, peers.LATE], tables[1])


def the_runner_measures_a_cpu(folder, rows):
    (row, *_), row_file = rows, pathlib.Path(folder, "rows.json")
    lines = row_file.read_text(encoding="utf-8").splitlines()
    row_file.write_text("\n".join([lines[0], lines[1 + row["row"]], '{"row": 9, "cut']), encoding="utf-8")
    run = subprocess.run([sys.executable, pathlib.Path(peers.__file__), folder, "--csv", folder], capture_output=True, text=True,
                         check=False)
    must(run.returncode == 0, run.stderr)
    with open(f"{folder}/peers_{row['kind']}_cpu_libraries.csv", newline="", encoding="utf-8") as file:
        line = next(csv.DictReader(file))
    must(line["peers_checked"] == "yes" and float(line["numpy_us"]) > 0 and float(line["baseline_us"]) > 0, line)


def passes(case, *arguments):
    try:
        case(*arguments)
        print(f"PASS {case.__name__}")
    except Exception as error:  # pylint: disable=broad-exception-caught
        traceback.print_exc()
        print(f"FAIL {case.__name__}: {error}")
        return False
    return True


def main():
    with tempfile.TemporaryDirectory() as folder:
        rows = bench_cpu(folder, *(word for work in WORKS + ALL for word in ("--only", work)))
        cases = (cpu_peers_compute_what_ours_does, torch_peers_compute_what_ours_does,
                 lidar_peers_compute_what_ours_does, rotations_are_compared,
                 bfloat16_is_rounded, peers_compile_after_cuda_was_used, tables_have_what_was_measured, the_runner_measures_a_cpu)
        return 0 if all([passes(case, folder, rows) for case in cases]) else 1


if __name__ == "__main__":
    sys.exit(main())

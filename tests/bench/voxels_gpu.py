# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voxel grids on a GPU beside PyTorch and Triton, for voxels.py.

bench-kernels times ours and leaves points and results in files; peers work on the same points in the same way: whole jobs in
CUDA graphs, over copies of the data that together are four times the L2. A peer whose result is not ours is no peer."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import numpy as np

OUR_SECONDS = 75
SECONDS = 110  # for all peers: those that come later are left out
LAUNCHES = 15  # of a graph
LAUNCH_US = 200000  # at most, about
RUNS = 20  # in a graph, if that takes no longer

NO_TIME = "no time was left"
NUMPY = {"float32": np.float32, "float16": np.float16, "uint8": np.uint8, "uint32": np.uint32}


def clocks():
    fields = "name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,temperature.gpu,power.draw"
    command = ["nvidia-smi", "-i", "0", f"--query-gpu={fields}", "--format=csv,noheader"]
    try:
        values = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().split(", ")
    except (OSError, subprocess.CalledProcessError):
        return "nvidia-smi does not say"
    return ", ".join(f"{field} {value}" for field, value in zip(fields.split(","), values))


# ---- ours ----


def measure_ours(program, folder):
    """The device, a row for each work, and what went wrong; no device: nothing was measured."""
    errors = []
    try:
        run = subprocess.run([program, "--voxels", "--rows", folder], capture_output=True, text=True, timeout=OUR_SECONDS,
                             check=False)
        errors += [line for line in run.stdout.splitlines() if line.startswith("SKIP")]
        if run.returncode:
            errors += run.stderr.splitlines() or [f"exit status {run.returncode}"]
    except subprocess.TimeoutExpired:
        errors.append(f"it took more than {OUR_SECONDS} s")
    rows = pathlib.Path(folder) / "rows.json"
    lines = rows.read_text(encoding="utf-8").splitlines() if rows.exists() else []
    measured = [json.loads(line) for line in lines if line.endswith("}")]
    return measured[0] if measured else None, measured[1:], errors


def ours(folder, row, kind, dtype):
    return np.fromfile(pathlib.Path(folder) / f"{row['row']}.{kind}", dtype)


# ---- peers ----


def difference(torch, folder, row, result):
    """What of a peer's result is not as ours; None: it is the same."""
    def wanted(kind, dtype):
        return torch.from_numpy(ours(folder, row, kind, dtype)).to("cuda")

    def share(whole):
        """Of as many items as the file has."""
        return whole.reshape(row["batch"], -1)[:row["items"]].flatten()

    if row["output"] == "bits":
        same = torch.equal(share(result), wanted("grid", np.int32))
        return None if same else "other bits"
    if row["output"] in ("index", "rank"):
        return None if torch.equal(result, wanted("map", np.int64)) else "other voxels"
    if row["output"] == "sparse":
        n, coordinates, values = int(result[0]), result[1], result[2]
        if n != row["occupied"]:
            return f"{n} occupied voxels, not {row['occupied']}"
        if not torch.equal(coordinates[:n].flatten(), wanted("coordinates", np.int32)[:3 * n]):
            return "other coordinates"
        ours_of_n = wanted("values", np.float32)[:values[:n].numel()]
        if row["mode"] == "first":
            return None if torch.equal(values[:n].flatten(), ours_of_n) else "other points"
        return None if torch.allclose(values[:n].flatten(), ours_of_n, 1e-4, 1e-5) else "other means"
    grid = wanted("grid", NUMPY[row["dtype"]])
    if row["mode"] == "mean":
        return None if torch.allclose(share(result), grid, 1e-4, 1e-5) else "other means"
    occupied = int(torch.count_nonzero(result))
    if occupied != row["occupied"]:
        return f"{occupied} occupied voxels, not {row['occupied']}"
    return None if torch.equal(share(result), grid) else "other values"


def events_us(torch, enqueue):
    before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    before.record()
    enqueue()
    after.record()
    after.synchronize()
    return before.elapsed_time(after) * 1000


def runs_of(copies, us):
    """Of a launch: each copy as often as any other, and not more than there is time for."""
    most = max(1, int(LAUNCH_US / max(us, 1)))
    return copies * max(1, min(RUNS, most) // copies)


def median_us(torch, peer, run, clouds, check):
    """Median us of a run, or what check says of the result for the first cloud."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):  # what is compiled or loaded at the first call
        for cloud in clouds[:2]:
            run(cloud)
        n = runs_of(len(clouds), events_us(torch, lambda: run(clouds[0])))
    torch.cuda.synchronize()
    kept = [None] * len(clouds)

    def run_all():
        for i in range(n):
            kept[i % len(clouds)] = run(clouds[i % len(clouds)])

    launch = run_all
    if not peer.waits:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run_all()
        launch = graph.replay
    launch()
    us = statistics.median(events_us(torch, launch) for _ in range(LAUNCHES)) / n
    return check(kept[0]) or us


def reason(error):
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:100]}"


def measure_peer(torch, peer, work, folder, row, clouds):
    """us, or why there are none."""
    def run(points):
        return peer.run(work, points)

    try:
        if peer.compiled:
            torch._dynamo.reset()  # a graph for each row: their number is limited
            run = torch.compile(run, dynamic=False)
        return median_us(torch, peer, run, clouds, lambda result: difference(torch, folder, row, result))
    except Exception as error:  # pylint: disable=broad-exception-caught  # what others raise is theirs to choose
        return reason(error)
    finally:
        torch.cuda.empty_cache()


def measure_row(voxel_peers, torch, folder, row, deadline):
    """us or a reason for each peer."""
    peers = voxel_peers.peers_of(row)
    if not peers or time.monotonic() > deadline:
        return {peer.name: NO_TIME for peer in peers}
    try:
        points = ours(folder, row, "points", np.float32).reshape(row["batch"], row["points"], 3 + row["features"])
        clouds = [torch.from_numpy(points).to("cuda") for _ in range(row["n_copies"])]
        work = voxel_peers.Work(row, "cuda")
    except Exception as error:  # pylint: disable=broad-exception-caught
        return {peer.name: reason(error) for peer in peers}
    return {peer.name: measure_peer(torch, peer, work, folder, row, clouds) if time.monotonic() < deadline else NO_TIME
            for peer in peers}


def import_peers():
    """The peers and PyTorch, or None and why there are none."""
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # more start for longer than these kernels need
    try:
        import torch
        import torch._inductor.config
        import voxel_peers
    except (ImportError, OSError) as error:
        return None, None, f"no peers: {error}"
    if not torch.cuda.is_available():
        return None, None, "no peers: this PyTorch finds no GPU"
    torch._inductor.config.assert_indirect_indexing = False  # the others do not check either
    return voxel_peers, torch, f"PyTorch {torch.__version__}, " + (
        f"Triton {voxel_peers.triton.__version__}" if voxel_peers.triton else "no Triton")


# ---- the table ----


def limit_of(row):
    if not row["wanted_us"]:
        return "", ""
    return f"{row['wanted_us']:g}", "pass" if row["cold_us"] <= row["wanted_us"] else "**above**"


def print_row(row, peers, why):
    times = {name: us for name, us in peers.items() if isinstance(us, float)}
    best = min(times, key=times.get, default=None)
    peer = (f"{times[best]:.1f}", best) if best else ("", why if why.startswith("no peers") else "none")
    print(f"| {row['work']} | {row['cold_us']:.1f} | " + " | ".join((*peer, *limit_of(row)))
          + f" | {row['must_move'] / 1e6:.2f} | {row['floor_us']:.1f} | {row['warm_us']:.1f} |", flush=True)


def print_peers(rows, peers):
    print("\n| work | peer | us |\n|---|---|---|")
    for row, times in zip(rows, peers):
        for name, us in times.items():
            print(f"| {row['work']} | {name} | {f'{us:.1f}' if isinstance(us, float) else us} |")


def folder_with_room():
    """In memory where that has 4 GiB for points and results, otherwise where temporary files are."""
    shared = "/dev/shm"
    has_room = os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 4 << 30
    return tempfile.TemporaryDirectory(dir=shared if has_room else None)


def print_gpu(program):
    """Prints the tables, or one line that says why there are none."""
    if not program:
        print("\nno GPU table: there is no bench-kernels, which a build with nvcc has")
        return
    print(f"\nbefore: {clocks()}")
    with folder_with_room() as folder:
        device, rows, said = measure_ours(program, folder)
        if device is None:
            print("no GPU table: " + "; ".join(said))
            return
        voxel_peers, torch, why = import_peers()
        print(f"after ours: {clocks()}\n{device['device']}, {device['multiprocessors']} multiprocessors, L2 "
              f"{device['l2_bytes'] / 1e6:.0f} MB; copy {device['copy_gbps']:.0f} GB/s; empty launch "
              f"{device['launch_us']:.2f} us; {why}\n")
        for line in said:
            print(f"rows are missing: {line}\n")
        print("| work | ours, us | best peer, us | which | limit, us | | must move, MB | floor, us | ours warm, us |\n"
              + "|---" * 9 + "|", flush=True)
        deadline = time.monotonic() + SECONDS
        peers = []
        for row in rows:
            peers.append(measure_row(voxel_peers, torch, folder, row, deadline) if torch else {})
            print_row(row, peers[-1], why)
    print_peers(rows, peers)
    print(f"\nafter peers: {clocks()}")

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Other libraries on the inputs of our kernels.

    bench-kernels --rows ROWS; peers.py ROWS... [--csv FOLDER] [--pointpillars FOLDER] [--awml FOLDER]
                                                                    on a GPU: plain CUDA, Triton, torch.compile and PyTorch;
                                                                    for lidars conch, CUDA-PointPillars, AWML and spconv
    bench-cpu --rows ROWS; peers.py ROWS... [--csv FOLDER]          on one core: NumPy, SciPy and Open3D

A peer is a function as a user writes it, in align.py, voxel.py or lidar.py. It has the inputs of our run and must produce its output.
GPU peers run in CUDA graphs over copies of the data that are together four times the L2, as our kernels do; those that wait for the
device, which a graph cannot, run one after another. FOLDER gets
peers_KIND.csv with a line a peer and peers_KIND_libraries.csv with a line a work, its figures and the best peer of each library;
of a CPU both end with _cpu. The status is 1 if the time for all peers was too short."""
import argparse
import csv
import json
import multiprocessing
import os
import pathlib
import re
import time
import typing

import numpy as np

import align
import lidar
import voxel

KINDS = {"align": align, "voxel": voxel, "lidar": lidar}
SECONDS = 280  # for all peers of a GPU
COMPILE_SECONDS = 60
LAUNCHES = 11  # of a graph
LAUNCH_US = 10000  # at most, about
RUNS = 20  # in a graph if that takes no longer
CPU_SECONDS = 0.2  # for a peer on a CPU, about
CPU_RUNS = 15  # at most
MAX_CPU_BYTES = 60e6  # of a work
DEVICE = "cuda"
LATE = "no time was left"
NO_PEER = "no peer does this"
NUMPY = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": np.int16, "int64": np.int64,
         "int32": np.int32, "uint32": np.uint32, "uint8": np.uint8}


class Times(typing.NamedTuple):
    """us of a run."""
    median: float
    p5: float
    p95: float
    checked: str = "yes"  # or why the result was not compared

    @classmethod
    def of(cls, us, checked="yes"):
        p5, median, p95 = (float(value) for value in np.percentile(us, (5, 50, 95)))
        return cls(median, p5, p95, checked)


class Files:
    """The arrays of a row, in a folder."""

    def __init__(self, folder, row):
        self.stem = pathlib.Path(folder) / str(row["row"])

    def array(self, name, dtype, shape=(-1,)):
        return np.fromfile(f"{self.stem}.{name}", NUMPY[dtype]).reshape(shape)

    def tensor(self, torch, name, dtype, shape=(-1,)):
        return torch.from_numpy(self.array(name, dtype)).to(DEVICE).view(getattr(torch, dtype)).view(shape)


def read_rows(folder):
    """The machine and a row for each work. The last line may be incomplete."""
    path = pathlib.Path(folder) / "rows.json"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [json.loads(line) for line in lines if line.endswith("}")]
    return (rows[0], rows[1:]) if rows else ({}, [])


def works_of(folders):
    return [(KINDS[row["kind"]], folder, row) for folder in folders for row in read_rows(folder)[1]]


def reason(error):
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:100]}"


# ---- on a GPU ----


def import_torch():
    """With its compiler. None if it finds no GPU."""
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # others start for longer than these kernels need
    try:
        import torch
        import torch._inductor.config
    except ImportError as error:
        print(f"SKIP peers on a GPU: {error}")
        return None
    torch._inductor.config.assert_indirect_indexing = False  # no other peer checks indices
    if torch.cuda.is_available():
        return torch
    print("SKIP peers on a GPU: PyTorch finds none")
    return None


def events_us(torch, enqueue):
    before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    before.record()
    enqueue()
    after.record()
    after.synchronize()
    return before.elapsed_time(after) * 1000


def time_graph(torch, run, copies):
    """The result of the first copy, and us of each launch's runs."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for inputs in copies[:2]:
            run(inputs)
        us = events_us(torch, lambda: run(copies[0]))
        n = len(copies) * max(1, min(RUNS, max(1, int(LAUNCH_US / max(us, 1)))) // len(copies))
        results, graph = [None] * len(copies), torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream, capture_error_mode="relaxed"):
            for i in range(n):
                results[i % len(copies)] = run(copies[i % len(copies)])
        graph.replay()
        return results[0], Times.of([events_us(torch, graph.replay) / n for _ in range(LAUNCHES)])


def time_runs(torch, run, copies):
    """The same of a peer that waits for the device."""
    us = min(events_us(torch, lambda inputs=inputs: run(inputs)) for inputs in copies[:2])
    n = len(copies) * max(1, min(RUNS, int(LAUNCH_US / us)) // len(copies))
    times = [events_us(torch, lambda: [run(copies[i % len(copies)]) for i in range(n)]) / n for _ in range(LAUNCHES)]
    return run(copies[0]), Times.of(times)


def inputs_of(torch, module, files, row):
    return module.gpu_inputs(row, {name: files.tensor(torch, name, dtype, shape) for name, dtype, shape in module.arrays(row)})


def judged(torch, module, files, row, peer, result, times):
    """Times, or what differs. A result may need a function of the peer that a graph cannot have."""
    library, run = peer
    if not hasattr(run, "finish"):
        return module.gpu_difference(torch, files, row, result) or times
    difference = module.gpu_difference(torch, files, row, run.finish(*result), library)
    return times._replace(checked=difference) if difference and difference.startswith("all but") else difference or times


def measure_on_gpu(torch, module, files, row, deadline):
    """Times or a reason for each pair of a library and a function."""
    measured = {}
    if "plain" in row:
        result = module.gpu_plain(torch, files, row)
        measured["plain CUDA", "a thread an element"] = module.gpu_difference(torch, files, row, result) or Times(*row["plain"])
    for (library, name), run in module.gpu_peers(torch, row).items():
        if time.monotonic() > deadline:
            measured[library, name] = LATE
            continue
        try:
            copies = [inputs_of(torch, module, files, row) for _ in range(row["n_copies"])]
            result, times = (time_runs if hasattr(run, "waits") else time_graph)(torch, run, copies)
            measured[library, name] = judged(torch, module, files, row, (library, run), result, times)
        except Exception as error:  # pylint: disable=broad-exception-caught  # libraries raise any
            measured[library, name] = reason(error)
        torch.cuda.empty_cache()
    return measured


def compile_peers(folders, i, n_processes):
    """Fills the caches of compilers: the share of process i. An error occurs again, and is reported, when the peer is measured."""
    torch = import_torch()
    if torch is None:
        raise SystemExit(1)
    tasks = [(module, folder, row, key) for module, folder, row in works_of(folders) for key in module.gpu_peers(torch, row)]
    for module, folder, row, key in tasks[i::n_processes]:
        try:
            module.gpu_peers(torch, row)[key](inputs_of(torch, module, Files(folder, row), row))
            torch.cuda.synchronize()
        except Exception as error:  # pylint: disable=broad-exception-caught
            print(f"{row['work']}: {reason(error)}", flush=True)


def fill_caches(folders):
    """In several processes, which are spawned: a fork cannot use CUDA after a library has initialized it. Says how many ended well."""
    deadline, spawn = time.monotonic() + COMPILE_SECONDS, multiprocessing.get_context("spawn")
    n_processes = min(16, len(os.sched_getaffinity(0)))
    children = [spawn.Process(target=compile_peers, args=(folders, i, n_processes), daemon=True) for i in range(n_processes)]
    for child in children:
        child.start()
    for child in children:
        child.join(max(0, deadline - time.monotonic()))
    for child in children:
        child.terminate()
        child.join()
    return f"{sum(child.exitcode == 0 for child in children)} of {n_processes} processes compiled their share of the peers"


# ---- on a CPU ----


def time_cpu(run):
    """The result and us of some runs, without the first one if it is short."""
    us, end = [], time.perf_counter() + CPU_SECONDS
    while not us or (time.perf_counter() < end and len(us) < CPU_RUNS):
        before = time.perf_counter()
        result = run()
        us.append((time.perf_counter() - before) * 1e6)
    return result, us[1:] or us


def measure_on_cpu(module, files, row):
    measured = {}
    if row["must_move_bytes"] <= MAX_CPU_BYTES:
        inputs = [files.array(name, dtype, shape) for name, dtype, shape in module.arrays(row)]
        for key, run in module.cpu_peers(row).items():
            try:
                result, us = time_cpu(lambda run=run: run(*inputs))
                checked = module.cpu_difference(files, row, key, result)
                measured[key] = Times.of(us, checked or "yes") if not checked or checked.startswith("not compared") else checked
            except Exception as error:  # pylint: disable=broad-exception-caught
                measured[key] = reason(error)
    return measured


# ---- tables ----


def best_of(measured, library):
    return min((times for (of, _), times in measured.items() if of == library and isinstance(times, Times)), default=None)


def checked_of(measured):
    checks = dict.fromkeys(times.checked for times in measured.values() if isinstance(times, Times))
    return "; ".join(checks) or (LATE if LATE in measured.values() else "no peer has the same result" if measured else NO_PEER)


def columns_of(library):
    name = re.sub(r"\W", "_", library.lower())
    return f"{name}_us", f"{name}_p5_us", f"{name}_p95_us"


def work_line(row, libraries, measured):
    line = {name: value for name, value in row.items() if name in ("work", "wanted_us") or name.startswith(("must_", "threads"))
            or (name.endswith("_us") and not name.startswith("plain"))}
    for library in libraries:
        best = best_of(measured, library)
        line.update((column, f"{us:.3f}" if best else "") for column, us in zip(columns_of(library), best[:3] if best else [""] * 3))
    best = min((times for times in measured.values() if isinstance(times, Times)), default=None)
    return {**line, "times_best_peer": f"{best.median / row['median_us']:.2f}" if best else "", "checked": row["checked"],
            "peers_checked": checked_of(measured)}


def our_line(row):
    us = [f"{row[name]:.3f}" for name in ("median_us", "p5_us", "p95_us")]
    return dict(zip(("work", "library", "peer", "median_us", "p5_us", "p95_us", "checked"),
                    (row["work"], "robocache", "robocache", *us, row["checked"])))


def with_determinism(lines, deterministic):
    return [{**line, "deterministic": deterministic[line["library"]]} for line in lines]


def peer_lines(row, measured):
    for (library, name), times in measured.items():
        us = [f"{value:.3f}" for value in times[:3]] if isinstance(times, Times) else [""] * 3
        yield dict(zip(("work", "library", "peer", "median_us", "p5_us", "p95_us", "checked"),
                       (row["work"], library, f"{library}: {name}", *us, times.checked if us[0] else times)))


def write_table(path, lines):
    columns = list(dict.fromkeys(column for line in lines for column in line))
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for line in lines:
        print("| " + " | ".join(str(line.get(column, "")) for column in columns) + " |")
    if path:
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)


def write(folder, name, libraries, rows, measured, deterministic=None):
    paths = [folder / f"{name}{end}.csv" if folder else None for end in ("", "_libraries")]
    if rows:
        lines = [list(peer_lines(row, of_row)) for row, of_row in zip(rows, measured)]
        if deterministic:  # a table of all libraries, ours first
            lines = [with_determinism([our_line(row), *of_row], deterministic) for row, of_row in zip(rows, lines)]
        write_table(paths[0], [line for of_row in lines for line in of_row])
        write_table(paths[1], [work_line(row, libraries, of_row) for row, of_row in zip(rows, measured)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=pathlib.Path, nargs="+")
    parser.add_argument("--csv", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--pointpillars", type=pathlib.Path, metavar="FOLDER", help="the repository of CUDA-PointPillars")
    parser.add_argument("--awml", type=pathlib.Path, metavar="FOLDER", help="the repository of AWML")
    arguments = parser.parse_args()
    machine = read_rows(arguments.rows[0])[0]
    on_cpu = machine.get("device") == "CPU"
    torch = None if on_cpu or not machine else import_torch()
    works = works_of(arguments.rows)
    if not works or not (on_cpu or torch):
        parser.exit(1, "expected folders that bench-kernels or bench-cpu has filled, and a GPU for the first\n")
    if arguments.csv:
        arguments.csv.mkdir(parents=True, exist_ok=True)
    if on_cpu:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    else:
        print(fill_caches(arguments.rows))
        for missing in lidar.prepare(arguments.pointpillars, arguments.awml):
            print(missing)
    deadline, late = time.monotonic() + SECONDS, 0
    for name, module in KINDS.items():
        mine = [(Files(folder, row), row) for of, folder, row in works if of is module]
        measured = [measure_on_cpu(module, *work) if on_cpu else measure_on_gpu(torch, module, *work, deadline) for work in mine]
        late += sum(list(of_row.values()).count(LATE) for of_row in measured)
        write(arguments.csv, f"peers_{name}" + ("_cpu" if on_cpu else ""),
              module.CPU_LIBRARIES if on_cpu else module.GPU_LIBRARIES, [row for _, row in mine], measured,
              getattr(module, "DETERMINISTIC", None))
    if late:
        print(f"FAIL {LATE} for {late} peers")
    return 1 if late else 0


if __name__ == "__main__":
    raise SystemExit(main())

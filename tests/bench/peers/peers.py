# SPDX-License-Identifier: LGPL-2.1-or-later
"""What comparisons with other libraries share.

bench-kernels times ours and leaves inputs and results in files. Peers work on the same inputs in the same way: whole works
in CUDA graphs, over copies of the data that together are four times the L2. A peer whose result is not ours is no peer.

What differs between the kinds of works is a Kind."""
import csv
import dataclasses
import importlib
import json
import multiprocessing
import os
import pathlib
import time

import numpy as np

COMPILE_SECONDS = 25
COMPILERS = ("torch.compile", "CuPy", "Triton")  # those that take long come first
SECONDS = 150  # for all peers: those that come later are left out
LAUNCHES = 11  # of a graph
LAUNCH_US = 10000  # at most, about
RUNS = 20  # in a graph, if that takes no longer
PROCESSES = 16  # that compile at once, at most: each begins with CUDA, one after another

NO_TIME = "no time was left"
DEVICE = "cuda"  # of PyTorch
# of elements: what NumPy reads a file as
NUMPY = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": np.int16, "int64": np.int64,
         "int32": np.int32, "uint32": np.uint32, "uint8": np.uint8}


@dataclasses.dataclass(frozen=True)
class Peer:
    library: str
    function: str
    run: object  # of a Work and of inputs
    prepare: object = None  # inputs with what is made of them beforehand
    compiled: bool = False  # when it first runs
    traced: bool = False  # by torch.compile
    rounded: bool = False  # torch.compile is told that quotients are to be PyTorch's
    waits: bool = False  # for the device, so it is launched call by call, not in a graph
    refused: str = ""  # why it is not even tried

    @property
    def name(self):
        return f"{self.library}: {self.function}"


@dataclasses.dataclass(frozen=True)
class Times:
    """us of a run: of as many launches, each the mean of its runs."""
    median: float
    p5: float = None  # not known
    p95: float = None
    checked: str = "yes"  # or why its result was not compared with ours

    @classmethod
    def of(cls, us):
        p5, median, p95 = (float(value) for value in np.percentile(us, (5, 50, 95)))
        return cls(median, p5, p95)


@dataclasses.dataclass(frozen=True)
class Kind:
    """Works of one kind."""
    name: str  # of rows
    # the module that has those for a GPU: versions (), peers_of (row), Work (row, device), inputs_of (row, tensors)
    peers: str
    libraries: tuple  # of these
    inputs: object  # of a row: name, type and shape of each
    difference: object  # of a peer's result from the Files of a row: None, or what is not as ours
    beforehand: object = lambda *_: {}  # Times, or reasons, of peers that bench-kernels has measured
    on_cpu: object = None  # of a folder and rows: libraries, the rows that are for one core, and what peers take there


# ---- ours ----


def read_rows(folder):
    """The device, or None, and a row for each work."""
    path = pathlib.Path(folder) / "rows.json"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    measured = [json.loads(line) for line in lines if line.endswith("}")]  # the last one may be cut off
    return measured[0] if measured else None, measured[1:]


class Files:
    """Arrays that a row has in a folder."""

    def __init__(self, folder, row):
        self.stem = pathlib.Path(folder) / str(row["row"])
        self.tensors = {}  # that were read

    def array(self, name, dtype):
        return np.fromfile(f"{self.stem}.{name}", NUMPY[dtype])

    def tensor(self, torch, name, dtype, shape=(-1,)):
        """On the device."""
        if name not in self.tensors:
            self.tensors[name] = torch.from_numpy(self.array(name, dtype)).to(DEVICE).view(getattr(torch, dtype))
        return self.tensors[name].view(shape)


# ---- one peer ----


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


def time_runs(torch, peer, run, copies):
    """The result of the first copy, and its Times."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):  # what is compiled or loaded at the first call
        for inputs in copies[:2]:
            run(inputs)
        n = runs_of(len(copies), events_us(torch, lambda: run(copies[0])))
        torch.cuda.synchronize()
        kept = [None] * len(copies)

        def run_all():
            for i in range(n):
                kept[i % len(copies)] = run(copies[i % len(copies)])

        launch = run_all
        if not peer.waits:
            graph = torch.cuda.CUDAGraph()
            # relaxed: the memory of some libraries grows meanwhile
            with torch.cuda.graph(graph, stream=stream, capture_error_mode="relaxed"):
                run_all()
            launch = graph.replay
        launch()
        return kept[0], Times.of([events_us(torch, launch) / n for _ in range(LAUNCHES)])


def reason(error):
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:100]}"


def runnable(torch, peer, work):
    def run(inputs):
        return peer.run(work, inputs)

    if not peer.traced:
        return run
    torch._dynamo.reset()  # a graph for each row: their number is limited
    return torch.compile(run, dynamic=False, options={"eager_numerics.division_rounding": True} if peer.rounded else None)


def measure_peer(torch, peer, work, copies, check):
    """Times, or why there are none."""
    if peer.refused:
        return peer.refused
    try:
        if peer.prepare:
            copies = [peer.prepare(work, inputs) for inputs in copies]
        result, times = time_runs(torch, peer, runnable(torch, peer, work), copies)
        return check(result) or times
    except Exception as error:  # pylint: disable=broad-exception-caught  # what others raise is theirs to choose
        return reason(error)
    finally:
        torch.cuda.empty_cache()


# ---- all of them ----


def read_copies(torch, module, row, files, inputs):
    """Inputs, by name, type and shape, as often as ours had them, in memory of their own."""
    return [module.inputs_of(row, {name: files.tensor(torch, name, dtype, shape).clone() for name, dtype, shape in inputs})
            for _ in range(row["n_copies"])]


def measure_row(torch, kind, module, folder, row, deadline):
    """Times or a reason for each peer."""
    peers, files = module.peers_of(row), Files(folder, row)
    if time.monotonic() > deadline:
        return {peer: NO_TIME for peer in peers}
    try:
        measured = kind.beforehand(torch, files, row)
        copies = read_copies(torch, module, row, files, kind.inputs(row)) if peers else []
        work = module.Work(row, DEVICE)
    except Exception as error:  # pylint: disable=broad-exception-caught
        return {peer: reason(error) for peer in peers}

    def check(result):
        return kind.difference(torch, files, row, result)

    for peer in peers:
        measured[peer] = measure_peer(torch, peer, work, copies, check) if time.monotonic() < deadline else NO_TIME
    return measured


def import_torch():
    """With its compiler; CUDA does not begin yet, so that processes may be forked."""
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # more start for longer than these kernels need
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # GPUs are found without CUDA
    import torch
    import torch._inductor.compile_fx
    import torch._inductor.config
    torch._inductor.config.assert_indirect_indexing = False  # the others do not check either
    torch._inductor.config.autotune_local_cache = False  # what is best is found where nothing else runs
    return torch


# ---- compilers, whose caches are filled by many processes at once ----


def compile_one(torch, kind, module, row, i):
    peer, work = module.peers_of(row)[i], module.Work(row, DEVICE)
    tensors = {name: torch.zeros(shape, dtype=getattr(torch, dtype), device=DEVICE)
               for name, dtype, shape in kind.inputs(row)}
    runnable(torch, peer, work)(module.inputs_of(row, tensors))
    torch.cuda.synchronize()


def fill_caches(torch, works):
    """Of (kind, module, row). What fails here fails again, and is said, when it is measured."""
    tasks = [(COMPILERS.index(peer.library), (kind, module, row, i)) for kind, module, row in works
             for i, peer in enumerate(module.peers_of(row)) if peer.compiled]
    tasks = [task for _, task in sorted(tasks, key=lambda task: task[0])]
    deadline = time.monotonic() + COMPILE_SECONDS
    processes = min(PROCESSES, len(tasks), len(os.sched_getaffinity(0)))
    fork = multiprocessing.get_context("fork")  # for imports take seconds
    n_taken = fork.Value("i", 0)
    children = [fork.Process(target=compile_all, args=(torch, tasks, n_taken), daemon=True) for _ in range(processes)]
    for child in children:
        child.start()
    for child in children:
        child.join(max(0, deadline - time.monotonic()))
        child.terminate()


def taken(tasks, n_taken):
    """Those that no other process has taken."""
    while True:
        with n_taken.get_lock():
            i, n_taken.value = n_taken.value, n_taken.value + 1
        if i >= len(tasks):
            return
        yield tasks[i]


def compile_all(torch, tasks, n_taken):
    for task in taken(tasks, n_taken):
        try:
            compile_one(torch, *task)
        except Exception as error:  # pylint: disable=broad-exception-caught
            print(f"not compiled beforehand: {reason(error)}", flush=True)


# ---- tables ----


def best_of(measured, library=None):
    """The fastest peer and its Times, of a library or of all; or None."""
    timed = [(times.median, peer.name, peer, times) for peer, times in measured.items()
             if isinstance(times, Times) and library in (None, peer.library)]
    return min(timed)[2:] if timed else None


def print_cpu(libraries, rows, measured):
    """ms on one core: ours, and of each library the best."""
    print("\n| work | robocache, ms | " + " | ".join(f"{library}, ms" for library in libraries) + " |\n"
          + "|---" * (2 + len(libraries)) + "|")
    for row, of_row in zip(rows, measured):
        best = (best_of(of_row, library) for library in libraries)
        print(f"| {row['work']} | {row['cpu_us'] / 1000:.2f} | "
              + " | ".join(f"{of_library[1].median / 1000:.2f}" if of_library else "" for of_library in best) + " |")


def column_of(library):
    return library.lower().replace(".", "_").replace(" ", "_") + "_us"


def write_csv(path, header, lines):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)


def cell(us):
    return "" if us is None else f"{us:.3f}"


def peer_lines(row, of_row):
    for peer, times in of_row.items():
        cells = [*map(cell, (times.median, times.p5, times.p95)), times.checked] if isinstance(times, Times) else \
            ["", "", "", times]
        yield [row["work"], peer.library, peer.name, *cells]


def checked_of(of_row):
    """Of all times of a work."""
    checks = dict.fromkeys(times.checked for times in of_row.values() if isinstance(times, Times))
    if not of_row:
        return "no peer does this"
    return "; ".join(checks) or (NO_TIME if NO_TIME in of_row.values() else "no peer has the same result")


def best_cells(of_row, libraries):
    best = (best_of(of_row, library) for library in libraries)
    return [cell(of_library and of_library[1].median) for of_library in best]


def path_of_libraries(path):
    """NAME.csv: NAME_libraries.csv."""
    path = pathlib.Path(path)
    return path.with_name(f"{path.stem}_libraries.csv")


def write_peers(path, rows, measured):
    """A line a peer."""
    write_csv(path, ["work", "library", "peer", "median_us", "p5_us", "p95_us", "checked"],
              [line for row, of_row in zip(rows, measured) for line in peer_lines(row, of_row)])


def write_csvs(path, libraries, rows, measured, our_column):
    """A line a peer; and beside it a line a work: ours, and of each library the best."""
    write_peers(path, rows, measured)
    write_csv(path_of_libraries(path), ["work", "robocache_us", *map(column_of, libraries), "checked"],
              [[row["work"], cell(row[our_column]), *best_cells(of_row, libraries), checked_of(of_row)]
               for row, of_row in zip(rows, measured)])


def find(folder, name):
    """A program of a build or of a bundle; None: there is none."""
    return next((path for path in (folder / "tests/bench" / name, folder / name) if path.exists()), None)

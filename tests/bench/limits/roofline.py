#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Nsight Compute counted, a row for each kernel of each work, for profile.sh.

    roofline.py --runs                             the runs of it that are needed, a line each: whether caches are emptied,
                                                   the metrics, and which works
    roofline.py WORKS COUNTED... > roofline.csv    WORKS: what bench-kernels --once printed in the first run, the works, their
                                                   sizes and the bytes each must move; COUNTED: ncu --csv --page raw --nvtx

The first run is of all works, and of metrics that the hardware counts in one pass: in a second one a kernel would find in the
L2 what it has read in the first, so ncu needing one is an error, as a metric that it does not know is. The second run takes
several passes, before each of which caches are emptied; it is of works with a time that is wanted. Launches of one kernel in
a work are one row: counts are added up, shares, waves and registers weighted with the time. What warps wait for is a share of
all cycles of all warps, but those in which they wait for instructions and constants, which emptied caches lack, too."""
import csv
import re
import sys

COUNTS = {
    "time_us": "gpu__time_duration.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "l2_bytes": "lts__t_bytes.sum",
    "warp_instructions": "smsp__inst_executed.sum",
}
SHARES = {
    "share_of_dram": "dram__bytes.sum.pct_of_peak_sustained_elapsed",
    "share_of_l2": "lts__t_sectors.sum.pct_of_peak_sustained_elapsed",
    "share_of_issue": "smsp__inst_executed.sum.pct_of_peak_sustained_elapsed",
    "share_of_float64": "sm__inst_executed_pipe_fp64.sum.pct_of_peak_sustained_elapsed",
    "share_of_occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "share_of_multiprocessors": "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "waves": "launch__waves_per_multiprocessor",
    "registers": "launch__registers_per_thread",
}
PIPES = {
    "share_of_alu": "sm__inst_executed_pipe_alu.sum.pct_of_peak_sustained_elapsed",
    "share_of_fma": "sm__inst_executed_pipe_fma.sum.pct_of_peak_sustained_elapsed",
    "share_of_lsu": "sm__inst_executed_pipe_lsu.sum.pct_of_peak_sustained_elapsed",
    "share_of_l1": "l1tex__data_pipe_lsu_wavefronts.sum.pct_of_peak_sustained_elapsed",
}
WAITS = {f"share_waiting_{reason}": f"smsp__warps_issue_stalled_{reason}.sum" for reason in (
    "barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "lg_throttle", "long_scoreboard", "math_pipe_throttle",
    "membar", "mio_throttle", "misc", "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait")}
RUNS = ({**COUNTS, **SHARES}, {**PIPES, **WAITS})
CACHES = ("none", "all")  # that ncu empties, in each run
WORKS = ("", "--wanted")
PASSES = "profiler__replayer_passes"
PEAK = ("device__attribute_multiprocessor_count", "device__attribute_max_ipc_per_multiprocessor",
        "device__attribute_max_gpu_frequency_khz")
SCALES = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "%": 0.01}
COLUMNS = ["work", "size", "kernel", "launches", *COUNTS, *SHARES, *PIPES, *WAITS, "must_move_bytes",
           "peak_instructions_per_us"]


def number(text, unit, metric):
    try:
        return float(text.replace(",", "")) * SCALES.get(unit, 1)
    except ValueError:
        sys.exit(f"{metric}: ncu counted {text or 'nothing'}")


def counted(path, metrics, caches):
    """A dictionary for each launch, of numbers in our units."""
    with open(path, newline="", encoding="utf-8") as file:
        names, units, *launches = csv.reader([line for line in file if line.startswith('"')] or [[]] * 2)
    if not launches:
        sys.exit(f"{path} has no kernel that ncu has counted")
    missing = {*metrics, PASSES} - set(names)
    if missing:
        sys.exit(f"ncu has not counted {', '.join(sorted(missing))}")
    for launch in launches:
        numbers = {name: number(value, unit, name) if name in metrics or name in (*PEAK, PASSES) else value
                   for name, unit, value in zip(names, units, launch)}
        if numbers[PASSES] != 1 and caches == "none":
            sys.exit(f"{kernel_of(numbers)} took {numbers[PASSES]:.0f} passes, and only a first one finds the L2 as it is "
                     f"when works are timed: {', '.join(metrics)} are too many")
        yield numbers


def kernel_of(launch):
    """Its name, without what is the same of all."""
    return re.sub(r"^void |<unnamed>::|rc::|\(int\)|\(.*", "", launch["Kernel Name"])


def work_of(launch):
    """The name of the outer range."""
    ranges = next(value for name, value in launch.items() if "Push/Pop_Range" in name)
    return re.search(r'"<default domain>:(.*?):none', ranges)[1]


def peak(launch):
    multiprocessors, instructions, khz = (launch[name] for name in PEAK)
    return multiprocessors * instructions * khz / 1e3


def by_kernel(path, run, caches):
    """Launches by their work, their kernel, and which of its launches in the work they are."""
    launches, seen = {}, {}
    for launch in counted(path, run.values(), caches):
        kernel = (work_of(launch), kernel_of(launch))
        seen[kernel] = seen.get(kernel, 0) + 1
        launches[(*kernel, seen[kernel])] = launch
    return launches


def launches(paths):
    """Of each launch of the first run what all runs counted of it."""
    first, second = (by_kernel(*of_run) for of_run in zip(paths, RUNS, CACHES, strict=True))
    works = {work for work, _, _ in second}
    differ = set(second) ^ {launch for launch in first if launch[0] in works}
    if differ:
        sys.exit(f"only one of two runs has {', '.join(sorted(f'{kernel} of {work}' for work, kernel, _ in differ))}")
    for launch, numbers in second.items():
        first[launch].update((metric, numbers[metric]) for metric in RUNS[1].values())
    return first


def rows(paths, works):
    merged = {}
    for (work, kernel, _), launch in launches(paths).items():
        row = merged.setdefault((work, kernel), dict.fromkeys(COLUMNS, 0.0))
        time = launch[COUNTS["time_us"]]
        row.update(work=work, kernel=kernel, launches=row["launches"] + 1, peak_instructions_per_us=peak(launch))
        row["size"], row["must_move_bytes"] = works[work]
        for column, metric in {**SHARES, **PIPES}.items():
            if metric in launch:
                row[column] = (row[column] * row["time_us"] + launch[metric] * time) / (row["time_us"] + time)
            else:
                row[column] = ""
        for column, metric in {**COUNTS, **WAITS}.items():
            row[column] = row[column] + launch[metric] if metric in launch else ""
    for row in merged.values():
        cycles = sum(row[column] or 0 for column in WAITS)
        row.update({column: row[column] / cycles for column in WAITS if cycles})
    return merged.values()


def main():
    if sys.argv[1:] == ["--runs"]:
        print(*(f"{caches} {','.join(run.values())} {works}" for caches, run, works in zip(CACHES, RUNS, WORKS)), sep="\n")
        return
    if len(sys.argv) != 2 + len(RUNS):
        sys.exit(__doc__)
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        works = {work: said for work, *said in csv.reader(file)}
    table = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    table.writeheader()
    for row in rows(sys.argv[2:], works):
        table.writerow({name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()})


if __name__ == "__main__":
    main()

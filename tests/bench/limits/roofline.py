#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hardware counters of every kernel, by Nsight Compute over bench-kernels --once.

    roofline.py BENCH_KERNELS CSV [ARGUMENT...]     ARGUMENT: of bench-kernels, such as --only TEXT

The counters fit one pass, and caches are not emptied: in a second pass, or with empty caches, a kernel would find other data in the L2
than in the benchmarks. More than one pass is an error, as is an unknown counter. A line of CSV is a kernel of a work: counts of
its launches are added; shares, waves and registers are weighted with their times. Counters need root, or the driver's
NVreg_RestrictProfilingToAdminUsers=0."""
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

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
METRICS = {**COUNTS, **SHARES}
PASSES = "profiler__replayer_passes"
SCALES = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "%": 0.01}
COLUMNS = ["work", "size", "kernel", "launches", *METRICS, "must_move_bytes"]


def number(text, unit, metric):
    try:
        return float(text.replace(",", "")) * SCALES.get(unit, 1)
    except ValueError:
        sys.exit(f"{metric}: ncu counted {text or 'nothing'}")


def launches(text):
    """A dictionary for each launch in the output of ncu --csv --page raw."""
    names, units, *lines = csv.reader([line for line in text.splitlines() if line.startswith('"')] or [[]] * 2)
    if not lines:
        sys.exit("ncu has counted no kernel")
    missing = {*METRICS.values(), PASSES} - set(names)
    if missing:
        sys.exit(f"ncu has not counted {', '.join(sorted(missing))}")
    for line in lines:
        launch = {name: number(value, unit, name) if name in (*METRICS.values(), PASSES) else value
                  for name, unit, value in zip(names, units, line)}
        if launch[PASSES] != 1:
            sys.exit(f"{launch['Kernel Name']}: {launch[PASSES]:.0f} passes, expected 1: these are too many metrics")
        yield launch


def kernel_of(launch):
    return re.sub(r"^void |<unnamed>::|rc::|\(int\)|\(.*", "", launch["Kernel Name"])


def work_of(launch):
    """The name of the outer NVTX range."""
    ranges = next(value for name, value in launch.items() if "Push/Pop_Range" in name)
    return re.search(r'"<default domain>:(.*?):none', ranges)[1]


def merge(text, works):
    """A row for each kernel of a work. works: size and bytes that must move, by name."""
    rows = {}
    for launch in launches(text):
        work, kernel = work_of(launch), kernel_of(launch)
        row = rows.setdefault((work, kernel), dict.fromkeys(COLUMNS, 0.0))
        before, time = row["time_us"], launch[COUNTS["time_us"]]
        row.update(work=work, kernel=kernel, size=works[work][0], must_move_bytes=works[work][1], launches=row["launches"] + 1)
        row.update({column: (row[column] * before + launch[metric] * time) / (before + time) for column, metric in SHARES.items()})
        row.update({column: row[column] + launch[metric] for column, metric in COUNTS.items()})
    return rows.values()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ncu = shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        run = subprocess.run([ncu, "--csv", "--page", "raw", "--nvtx", "--nvtx-include", "counted/", "--clock-control", "none",
                              "--cache-control", "none", "--metrics", ",".join(METRICS.values()), "--log-file", log, sys.argv[1],
                              "--once", *sys.argv[3:]], stdout=subprocess.PIPE, text=True, check=False)
        text = log.read_text(encoding="utf-8") if log.exists() else ""
    if run.returncode != 0:
        sys.exit("\n".join(line for line in text.splitlines() if line.startswith("==ERROR==")) or f"ncu: status {run.returncode}")
    works = {line[0]: line[1:] for line in csv.reader(run.stdout.splitlines()) if len(line) == 3}
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for row in merge(text, works):
            table.writerow({name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()})


if __name__ == "__main__":
    main()

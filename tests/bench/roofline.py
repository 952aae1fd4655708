#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Nsight Compute counted, a row for each kernel of each work, for profile.sh.

    roofline.py --metrics                      those that are needed, as ncu wants them
    roofline.py COUNTED WORKS > roofline.csv   COUNTED: ncu --csv --page raw --nvtx of bench-kernels --once
                                               WORKS: what that printed, the works, their sizes and the bytes each must move

Launches of one kernel in a work are one row: counts are added up, shares and registers weighted with the time."""
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
    "share_of_occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
}
PEAK = ("device__attribute_multiprocessor_count", "device__attribute_max_ipc_per_multiprocessor",
        "device__attribute_max_gpu_frequency_khz")
SCALES = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "%": 0.01}
COLUMNS = ["work", "size", "kernel", "launches", *COUNTS, *SHARES, "must_move_bytes", "peak_instructions_per_us"]


def counted(path):
    """A dictionary for each launch, of numbers in our units."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = [line for line in file if line.startswith('"')]
    if len(lines) < 3:
        sys.exit(f"{path} has no kernel that ncu has counted")
    names, units, *launches = csv.reader(lines)
    for launch in launches:
        yield {name: value if not unit else float(value.replace(",", "")) * SCALES.get(unit, 1)
               for name, unit, value in zip(names, units, launch)}


def kernel_of(launch):
    """Its name, without what is the same of all."""
    return re.sub(r"^void |<unnamed>::|rc::|\(.*", "", launch["Kernel Name"])


def work_of(launch):
    """The name of the outer range."""
    ranges = next(value for name, value in launch.items() if "Push/Pop_Range" in name)
    return re.search(r'"<default domain>:(.*?):none', ranges)[1]


def peak(launch):
    multiprocessors, instructions, khz = (float(str(launch[name]).replace(",", "")) for name in PEAK)
    return multiprocessors * instructions * khz / 1e3


def rows(path, works):
    merged = {}
    for launch in counted(path):
        work = work_of(launch)
        row = merged.setdefault((work, kernel_of(launch)), dict.fromkeys(COLUMNS, 0.0))
        time = launch[COUNTS["time_us"]]
        row.update(work=work, kernel=kernel_of(launch), launches=row["launches"] + 1, peak_instructions_per_us=peak(launch))
        row["size"], row["must_move_bytes"] = works[work]
        for column, metric in SHARES.items():
            row[column] = (row[column] * row["time_us"] + launch[metric] * time) / (row["time_us"] + time)
        for column, metric in COUNTS.items():
            row[column] += launch[metric]
    return merged.values()


def main():
    if sys.argv[1:] == ["--metrics"]:
        print(",".join([*COUNTS.values(), *SHARES.values()]))
        return
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], newline="", encoding="utf-8") as file:
        works = {work: said for work, *said in csv.reader(file)}
    table = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    table.writeheader()
    for row in rows(sys.argv[1], works):
        table.writerow({name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()})


if __name__ == "__main__":
    main()

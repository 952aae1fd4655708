#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Alignments on a CPU: with each instruction set, with threads, and beside NumPy, SciPy and pandas, where they are installed.

    alignments.py DIR [--only TEXT] [--csv FILE]

DIR: a release build, or a bundle (tests/gpu/bundle.sh). The works are those of configurations.ini that are of one stream
and not alone, large ones of 8 recordings; --only: those whose names hold the text. All but threads is on one core, one after
another; medians in us. The floor is a copy of as many bytes as must move, by memcpy, read and written counted. Every
instruction set and number of threads must leave the same bytes, and peers the same values, or they are none."""
import argparse
import configparser
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import align_cpu
import align_cpu_peers
import peers

RECORDING_NS = 1_000_000_000  # of the rows
FIRST_NS = 20_000_000  # of the ticks, which end as long before the rows do
TICKS_NS = 960_000_000
FEW = 8  # recordings of a large work, which takes others minutes
WANTED_US = {"resample 16x4096 -> 1024x32, float32": 600, "resample 1x60000 -> 6000x14, float32": 100}
LEVELS = ("baseline", "avx2", "avx512")
LIBRARIES = ("NumPy", "SciPy", "pandas")
COLUMNS = ["work", "must_move_bytes", "floor_us", "wanted_us", "median_us", "p5_us", "p95_us", "deviation_us",
           *(f"{level}_us" for level in LEVELS), "threads", "threads_us", *map(peers.column_of, LIBRARIES),
           "times_numpy", "checked"]


# ---- works ----


def work_of(name, section):
    """A row as bench-kernels writes it, but for what it measures."""
    streams = [[int(n) for n in stream.split("x")] for stream in section["streams"].split("+")]
    return {"work": name, "batch": int(section["batch"]), "ticks": int(section["ticks"]), "streams": streams,
            "in": section["in"], "out": section.get("out", section["in"]),
            "interpolation": section.get("interpolation", "linear"), "quaternions": int(section.get("quaternions", 0)),
            "live": section.get("live") == "true", "period_ns": TICKS_NS // int(section["ticks"])}


def of_few(name, section):
    """A large work with few recordings."""
    batch = section["batch"]
    if section["size"] != "large" or int(batch) <= FEW:
        return name, section
    return name.replace(f" {batch}x", f" {FEW}x", 1), {**section, "size": "medium", "batch": str(FEW)}


def write_configurations(path, few):
    """The alignments for a CPU, as bench-cpu and read_works have them."""
    file, written = configparser.ConfigParser(), configparser.ConfigParser()
    file.read(path, encoding="utf-8")
    sections = [of_few(name, file[name]) for name in file.sections() if file[name]["kind"] == "alignment"
                and file[name].get("alone") != "true"]
    written.read_dict({name: section for name, section in sections if align_cpu.is_recording(work_of(name, section))})
    with open(few, "w", encoding="utf-8") as lines:
        written.write(lines)


def read_works(path, only=""):
    file = configparser.ConfigParser()
    file.read(path, encoding="utf-8")
    return [work_of(name, file[name]) for name in file.sections() if only in name]


def make_rows(random, shape, dtype):
    values = random.uniform(-1, 1, shape).astype(np.float32)
    if dtype == "bfloat16":
        return (values.view(np.uint32) >> 16).astype(np.uint16).view(np.int16)
    return values.astype(peers.NUMPY[dtype])


def make_inputs(work):
    """Times with jitter of a third of a period, rows, and ticks."""
    (n, channels), batch = work["streams"][0], work["batch"]
    random = np.random.default_rng(1)
    times = ((np.arange(n) + 0.33 * random.random((batch, n))) / n * RECORDING_NS).astype(np.int64)
    ticks = (FIRST_NS + TICKS_NS * (np.arange(work["ticks"]) + 0.5) / work["ticks"]).astype(np.int64)
    return times, make_rows(random, (batch, n, channels), work["in"]), np.tile(ticks, (batch, 1))


# ---- bytes ----


def rows_read(work, times, ticks):
    """Those of a recording that some tick needs."""
    after = np.searchsorted(times, ticks).clip(1, len(times) - 1)
    if work["interpolation"] == "mean":
        begin, end = (np.searchsorted(times, ticks - work["period_ns"] // 2 + shift) for shift in (0, work["period_ns"]))
        return np.concatenate([np.arange(*pair) for pair in zip(begin, end)])
    if work["interpolation"] == "nearest":
        return np.where(ticks - times[after - 1] <= times[after] - ticks, after - 1, after)
    neighbours = {"previous": (-1,), "cubic": (-2, -1, 0, 1)}.get(work["interpolation"], (-1, 0))
    return np.concatenate([after + neighbour for neighbour in neighbours])


def must_move(work, times, rows, ticks):
    """Times once, the rows that some tick needs once; output rows, statuses and tick times once."""
    n = sum(len(np.unique(rows_read(work, *item))) for item in zip(times, ticks))
    channels = rows.shape[-1]
    out = ticks.size * channels * np.dtype(peers.NUMPY[work["out"]]).itemsize
    return times.nbytes + n * channels * rows.itemsize + out + ticks.size + ticks.nbytes


# ---- timing ----


def of_program(*arguments):
    """Name and (median, p5, p95, deviation) in us."""
    run = subprocess.run([str(argument) for argument in arguments], check=True, stdout=subprocess.PIPE, text=True)
    lines = (line.split("\t") for line in run.stdout.splitlines())
    return {name: tuple(float(us) for us in values) for name, *values in lines}


def measure(program, configurations, work, inputs, cores):
    """Ours, and what peers take for it."""
    times, rows, ticks = inputs
    with tempfile.TemporaryDirectory() as folder:
        for name, values in (("times", times), ("rows", rows), ("ticks", ticks)):
            values.tofile(f"{folder}/{name}")
        command = (program, configurations, work["work"], work["period_ns"], work["must_move"], folder)
        os.sched_setaffinity(0, {max(cores)})
        ours = of_program(*command)
        out = np.fromfile(f"{folder}/out", peers.NUMPY[work["out"]]).reshape(*ticks.shape, rows.shape[-1])
        measured = align_cpu.measure_row(work, times, rows, ticks, out)
        os.sched_setaffinity(0, cores)
        if len(cores) > 1:
            ours.update(of_program(*command, len(cores)))
    return ours, measured


# ---- the table ----


def checked_of(measured):
    """That instruction sets and threads left the same bytes is seen already; where there are others, theirs are like ours."""
    return peers.checked_of(measured) if measured else "yes"


def line_of(work, ours, measured, cores):
    best = max((level for level in LEVELS if level in ours), key=LEVELS.index)
    libraries = {library: peers.best_of(measured, library) for library in LIBRARIES}
    medians = {library: us[1].median for library, us in libraries.items() if us}
    return {
        "work": work["work"], "must_move_bytes": work["must_move"], "floor_us": peers.cell(ours["copy"][0]),
        "wanted_us": WANTED_US.get(work["work"], ""),
        **dict(zip(("median_us", "p5_us", "p95_us", "deviation_us"), map(peers.cell, ours[best]))),
        **{f"{level}_us": peers.cell(ours[level][0]) for level in LEVELS if level in ours},
        **({"threads": len(cores), "threads_us": peers.cell(ours["threads"][0])} if "threads" in ours else {}),
        **{peers.column_of(library): peers.cell(us) for library, us in medians.items()},
        "times_numpy": f"{medians['NumPy'] / ours[best][0]:.2f}" if "NumPy" in medians else "",
        "checked": checked_of(measured),
    }


def print_line(line):
    cells = [line[column] for column in ("work", "floor_us", "median_us")]
    cells += [line.get(f"{level}_us", "") for level in LEVELS] + [line.get("threads_us", "")]
    print("| " + " | ".join([*cells, *(line.get(peers.column_of(library), "") for library in LIBRARIES)]) + " |", flush=True)


def compare(program, configurations, works, csv_path):
    cores = os.sched_getaffinity(0)
    print("| work | floor, us | ours, us | " + " | ".join(f"{level}, us" for level in LEVELS) + f" | {len(cores)} threads, us | "
          + " | ".join(f"{library}, us" for library in LIBRARIES) + " |\n" + "|---" * (7 + len(LIBRARIES)) + "|")
    lines = []
    for work in works:
        inputs = make_inputs(work)
        work["must_move"] = must_move(work, *inputs)
        lines.append(line_of(work, *measure(program, configurations, work, inputs, cores), cores))
        print_line(lines[-1])
    if csv_path:
        with open(csv_path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", restval="")
            writer.writeheader()
            writer.writerows(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--csv", metavar="FILE")
    arguments = parser.parse_args()
    program = peers.find(arguments.dir, "bench-cpu")
    if not program:
        sys.exit(f"{arguments.dir} is not a build or a bundle: it has no bench-cpu")
    for line in align_cpu_peers.missing():
        print(line)
    with tempfile.TemporaryDirectory() as folder:
        configurations = f"{folder}/configurations.ini"
        write_configurations(pathlib.Path(__file__).parent.parent / "kernels/configurations.ini", configurations)
        compare(program, configurations, read_works(configurations, arguments.only), arguments.csv)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""alignments_test.py BENCH-CPU: alignments.py on works that take no time. Prints PASS name or FAIL name: why; exit status 1 when
one failed."""
import configparser
import contextlib
import csv
import io
import os
import pathlib
import sys
import tempfile
import traceback

import numpy as np

import alignments
import peers

CONFIGURATIONS = pathlib.Path(__file__).parent.parent / "kernels/configurations.ini"
KINDS = ("linear", "nearest", "previous", "cubic", "hermite", "mean")
SHAPE = {"kind": "alignment", "size": "small", "batch": 3, "ticks": 20, "streams": "50x8", "in": "float32"}


def must(condition, what):
    if not condition:
        raise AssertionError(what)


def work_of(kind, **others):
    section = {key: str(value) for key, value in {**SHAPE, "interpolation": kind, **others}.items()}
    return alignments.work_of(f"tiny, {kind}", section)


def rows_by_definition(work, times, tick):
    """Of one tick that is at no row (docs/arithmetic.md)."""
    row = max(i for i, time in enumerate(times) if time < tick)
    if work["interpolation"] == "previous":
        return {row}
    if work["interpolation"] == "nearest":
        return {row if tick - times[row] <= times[row + 1] - tick else row + 1}
    if work["interpolation"] == "cubic":
        return {row - 1, row, row + 1, row + 2}
    half = work["period_ns"] // 2
    mean = {i for i, time in enumerate(times) if tick - half <= time < tick - half + work["period_ns"]}
    return mean if work["interpolation"] == "mean" and mean else {row, row + 1}


def rows_that_are_read():
    for kind in KINDS:
        work = work_of(kind)
        times, _, ticks = alignments.make_inputs(work)
        for of_recording, targets in zip(times, ticks):
            wanted = set().union(*(rows_by_definition(work, of_recording, tick) for tick in targets))
            got = set(alignments.rows_read(work, of_recording, targets).tolist())
            must(got == wanted, f"{kind}: {sorted(got ^ wanted)}")


def bytes_that_must_move():
    work = work_of("linear", ticks=200)
    got = alignments.must_move(work, *alignments.make_inputs(work))
    read = sum(len(np.unique(alignments.rows_read(work, *item))) for item in zip(*alignments.make_inputs(work)[::2]))
    must(got == 3 * 50 * 8 + read * 8 * 4 + 3 * 200 * 8 * 4 + 3 * 200 + 3 * 200 * 8, got)


def works_are_of_all_kinds():
    """Those with a time that is wanted as they are, large ones of few recordings."""
    with tempfile.TemporaryDirectory() as folder:
        alignments.write_configurations(CONFIGURATIONS, f"{folder}/few.ini")
        works = {work["work"]: work for work in alignments.read_works(f"{folder}/few.ini")}
    must(set(alignments.WANTED_US) <= set(works), set(alignments.WANTED_US) - set(works))
    kinds = {work["interpolation"] for work in works.values()}
    must(kinds >= set(KINDS) - {"previous"}, kinds)
    must({work["out"] for work in works.values()} >= {"float32", "bfloat16", "float16", "float64"}, works)
    must(any(work["quaternions"] for work in works.values()), works)
    must(works["resample 8x4096 -> 2048x64, float32, cubic"]["batch"] == 8, works)
    must(all(f" {work['batch']}x" in name for name, work in works.items()), works)
    must(all(len(work["streams"]) == 1 and not work["live"] for work in works.values()), works)


def ours_is_what_others_make(program):
    """On every instruction set and with threads; and what is written of it."""
    with tempfile.TemporaryDirectory() as folder:
        file, path = configparser.ConfigParser(), f"{folder}/tiny.ini"
        for kind in KINDS:
            file[f"tiny, {kind}"] = {**SHAPE, "interpolation": kind}
        file["tiny, quaternions"] = {**SHAPE, "quaternions": "1"}
        for dtype in ("bfloat16", "float16", "float64"):
            file[f"tiny, {dtype}"] = {**SHAPE, "in": dtype, "interpolation": "cubic"}
        file["tiny, to bfloat16"] = {**SHAPE, "out": "bfloat16"}
        with open(path, "w", encoding="utf-8") as ini:
            file.write(ini)
        works = alignments.read_works(path, "tiny")
        must(len(works) == len(KINDS) + 5, works)
        with contextlib.redirect_stdout(io.StringIO()):
            alignments.compare(program, path, works, f"{folder}/tiny.csv")
        with open(f"{folder}/tiny.csv", encoding="utf-8", newline="") as lines:
            written = list(csv.DictReader(lines))
    must([line["work"] for line in written] == [work["work"] for work in works], written)
    for line in written:
        must(all(float(line[column]) > 0 for column in ("floor_us", "median_us", "baseline_us", "must_move_bytes")), line)
        must(len(os.sched_getaffinity(0)) == 1 or float(line["threads_us"]) > 0, line)
        must(line["checked"] == "yes", line)
        must(float(line["numpy_us"]) > 0, line)


def another_result_is_found():
    work = work_of("linear")
    times, rows, ticks = alignments.make_inputs(work)
    measured = alignments.align_cpu.measure_row(work, times, rows, ticks, np.zeros((3, 20, 8), np.float32))
    must(measured and not any(isinstance(times, peers.Times) for times in measured.values()), measured)
    must(alignments.checked_of(measured) != "yes", alignments.checked_of(measured))


def passes(case, *arguments):
    try:
        case(*arguments)
        print(f"PASS {case.__name__}")
        return True
    except Exception as error:  # pylint: disable=broad-exception-caught
        traceback.print_exc()
        print(f"FAIL {case.__name__}: {error}")
        return False


if __name__ == "__main__":
    results = [passes(case) for case in (rows_that_are_read, bytes_that_must_move, works_are_of_all_kinds,
                                         another_result_is_found)]
    sys.exit(0 if all([*results, passes(ours_is_what_others_make, sys.argv[1])]) else 1)

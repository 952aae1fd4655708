# SPDX-License-Identifier: LGPL-2.1-or-later
"""Alignments on one core beside NumPy, SciPy and pandas, as far as they are installed: on what bench-kernels left in files,
one after another."""
import os
import time

import numpy as np

import align_cpu_peers
import align_rows
import peers

LIBRARIES = ("NumPy", "SciPy", "pandas")
SECONDS = 0.2  # for a peer, about
LONG_US = 1e5  # one run is enough
MAX_BYTES = 60e6  # of a work: larger ones take others seconds


def time_run(run):
    """What comes of it, and us."""
    before = time.perf_counter()
    result = run()
    return result, (time.perf_counter() - before) * 1e6


def time_runs(run):
    """What comes of it, and Times."""
    result, first = time_run(run)
    if first > LONG_US:
        return result, peers.Times(first)
    us, end = [], time.perf_counter() + SECONDS
    while not us or time.perf_counter() < end:
        us.append(time_run(run)[1])
    return result, peers.Times.of(us)


def difference(row, result, wanted):
    if row["out"] in align_cpu_peers.NARROW:
        result, wanted = (align_cpu_peers.widened(values, row["out"]) for values in (result, wanted))
    return align_rows.difference_of(np, row, result, wanted)


def measure_row(row, times, rows, ticks, wanted):
    """Times, or why there are none, for each peer: of one stream, [batch, …], and of what is ours."""
    measured = {}
    for peer in align_cpu_peers.peers_of(row):
        try:
            result, us = time_runs(lambda peer=peer: peer.run(times, rows, ticks))
            measured[peer] = difference(row, result, wanted) or us
        except Exception as error:  # pylint: disable=broad-exception-caught  # what others raise is theirs to choose
            measured[peer] = peers.reason(error)
    return measured


def is_recording(row):
    return len(row["streams"]) == 1 and not row["live"]


def is_for_cpu(row):
    return is_recording(row) and row["must_move"] <= MAX_BYTES


def measure_files(folder, row):
    files = peers.Files(folder, row)
    ticks, times, rows = (files.array(name, dtype).reshape(shape) for name, dtype, shape in align_rows.inputs(row))
    wanted = files.array("out_0", row["out"]).reshape(*ticks.shape, rows.shape[-1])
    return measure_row(row, times, rows, ticks, wanted)


def compare(folder, rows):
    """Prints a table; libraries and rows of it, and what was measured."""
    rows = [row for row in rows if is_for_cpu(row)]
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    measured = [measure_files(folder, row) for row in rows]
    os.sched_setaffinity(0, cores)
    for line in align_cpu_peers.missing():
        print(line)
    peers.print_cpu(LIBRARIES, rows, measured)
    return LIBRARIES, rows, measured

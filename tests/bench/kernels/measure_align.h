/* robocache: how fast alignments are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_ALIGN_H
#define BENCH_KERNELS_ALIGN_H

#include "tests/bench/kernels/rows.h"

/* Median us of a run that does nothing: its kernel starts and ends. */
double bench_align_nothing (const Bench * bench);

/* A row for each of the works, which are BenchAlignment; in rows, too, where they are wanted. */
void bench_align (BenchTable * table, BenchRows * rows, const GArray * works);

/* Each as bench_once does. */
void bench_align_once (const Bench * bench, const GArray * works);

#endif

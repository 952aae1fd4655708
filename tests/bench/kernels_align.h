/* robocache: how fast alignments are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_ALIGN_H
#define BENCH_KERNELS_ALIGN_H

#include "kernels_timing.h"

/* Median us of a run that does nothing: its kernel starts and ends. */
double bench_align_nothing (const Bench * bench);

/* A table of the shapes that are wished for. */
void bench_align (const Bench * bench, const BenchWish * wish);

/* Each shape as bench_twice does. */
void bench_align_once (const Bench * bench, const BenchWish * wish);

#endif

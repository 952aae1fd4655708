/* robocache: what the memory of a device can do, which floors are made of
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_MEMORY_H
#define BENCH_KERNELS_MEMORY_H

#include "tests/bench/kernels/timing.h"

/* What a work must move. */
typedef struct
{
  int64_t read, written;
  int64_t scattered;            /* written, too, but in sectors of which each lies anywhere in so many bytes: */
  int64_t among;
} BenchBytes;

/* The bench's, each of 2 GiB, and looks at what was written. */
void bench_measure_rates (Bench * bench);

int64_t bench_total (const BenchBytes * bytes);

/* us of an empty run and of these bytes: as many read as written at the rate of a copy, the rest at that of reading or
 * filling, and then as many sectors, in the way that is fastest, which is measured now: in no order, or in order, each alone
 * or with others that are beside it and stay as they are, or all. */
double bench_floor (const Bench * bench, const BenchBytes * bytes);

#endif

/* robocache: what a work takes that waits for its accesses and does nothing else
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_CHAIN_H
#define BENCH_KERNELS_CHAIN_H

#include "tests/bench/kernels/timing.h"

/* The arrays on the way from what a work reads first to what it writes, each of which it can look at only when it has
 * looked at the one before: bytes. */
typedef struct
{
  int64_t read, between, written;
} BenchChain;

/* us of a run of as many kernels as that of the work, each with as many blocks of as many threads and as much dynamic shared
 * memory. A block does one access after the other: where there is one kernel, it reads a word of the first array, then one of
 * the second, and writes one of the third; of several the first reads, the last writes, and what is between they write and
 * read. What they read is not in the L2 but where a kernel before has written it. Launched as kernels of the plugin are, in a
 * graph. */
double bench_chain (const Bench * bench, BenchRun run, void *data, const BenchChain * chain);

#endif

/* robocache: what timings of kernels share: graphs of runs, medians
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_TIMING_H
#define BENCH_KERNELS_TIMING_H

#include "tests/bench/kernels/device.h"
#include "tests/bench/common/spread.h"

#define BENCH_MAX_LAUNCHES 101  /* of a graph, for a median */
#define BENCH_MAX_COPIES 1024   /* of the data of a work */

/* What a work took, in us. */
typedef struct
{
  BenchSpread cold;
  double warm;                  /* median */
} BenchTimes;

/* Memory of the host that is freed stays with the program: gigabytes come and go with each work, and to fault their pages in
 * again takes longer than to measure it. */
void bench_keep_pages (void);
double bench_now_us (void);

/* One run over copy number i of the data, enqueued on the stream. */
typedef void (*BenchRun) (void *data, int i, cudaStream_t stream);

/* How many copies of what must move are at least four times the L2; two at least, and at most
 * BENCH_MAX_COPIES. */
int bench_copies (const Bench * bench, int64_t must_move);

/* Runs over n_copies in turn, n of them, as a graph. */
cudaGraph_t bench_capture (const Bench * bench, BenchRun run, void *data, int n_copies, int n);
/* us of runs over n_copies in turn, n in a graph. */
BenchSpread bench_time (const Bench * bench, BenchRun run, void *data, int n_copies, int n);
/* The same, where each launch of the graph follows one run of another kind, which is not timed. */
BenchSpread bench_time_after (const Bench * bench, BenchRun before, BenchRun run, void *data, int n_copies, int n);
/* us of a run that is in no graph. */
BenchSpread bench_time_alone (const Bench * bench, BenchRun run, void *data);
/* Cold over all copies; warm over the first where that fits the L2, otherwise as cold; in a graph an even number of runs of
 * each, which may be of two kinds by turns. */
BenchTimes bench_times (const Bench * bench, BenchRun run, void *data, int n_copies, int64_t must_move);
/* Median us of the host for one run that it enqueues. */
double bench_time_enqueue (const Bench * bench, BenchRun run, void *data);
/* us of a run of the CPU backend: of the first one if that is long, or else the median of three more. */
double bench_time_cpu (BenchRun run, void *data);

#endif

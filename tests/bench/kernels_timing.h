/* robocache: what timings of kernels share: the device, graphs of runs, medians
 *
 * Programs that fail say why and end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_TIMING_H
#define BENCH_KERNELS_TIMING_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "spread.h"

#define BENCH_MAX_LAUNCHES 101  /* of a graph, for a median */
#define BENCH_MAX_COPIES 1024   /* of the data of a work */

/* Of the device's memory, GB/s. */
typedef struct
{
  double copy;                  /* bytes read and written */
  double fill, read;
} BenchRates;

typedef struct
{
  RcBackend *backend, *cpu;
  cudaStream_t stream;
  char name[256];               /* of the device */
  int multiprocessors;
  int64_t l2_bytes;
  BenchRates rates;             /* bench_measure_rates */
  double launch_us;             /* of an empty run */
} Bench;

/* What a work took, in us. */
typedef struct
{
  BenchSpread cold;
  double warm;                  /* median */
} BenchTimes;

void bench_fail (const char *what, const char *why) __attribute__ ((noreturn));
void bench_must (cudaError_t result, const char *what);

/* Opens both backends. 0: there is no device, as a SKIP line has said. */
int bench_open (Bench * bench);
void bench_close (Bench * bench);

/* Device memory of at least one byte, as the host's, or other memory of the device, is; NULL: all 0. */
void *bench_memory (RcBackend * backend, uint64_t bytes, const void *like);

/* 0 <= x < 1, the same sequence in every run. */
double bench_uniform (void);
/* Repeats the first bytes of memory until it is full, which is faster than to make new ones. */
void bench_repeat (void *memory, int64_t first, int64_t bytes);
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

/* The first byte on the device that is not as the host's; -1: all are. */
int64_t bench_difference (const Bench * bench, const void *device, const void *host, int64_t bytes);

#endif

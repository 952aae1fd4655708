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

#define BENCH_LAUNCHES 31       /* of a graph, for a median */
#define BENCH_MAX_COPIES 64     /* of the data of a work */

typedef struct
{
  RcBackend *backend, *cpu;
  cudaStream_t stream;
  char name[256];               /* of the device */
  int multiprocessors;
  int64_t l2_bytes;
  double copy_gbps;             /* bytes read and written */
  double launch_us;             /* of an empty run */
} Bench;

/* What a work took, in us. */
typedef struct
{
  double floor, cold, warm;
} BenchTimes;

/* Which shapes. */
typedef struct
{
  size_t every;
  const char *only;             /* names that hold it */
} BenchWish;

int bench_wants (const BenchWish * wish, size_t i, const char *name);

void bench_fail (const char *what, const char *why) __attribute__ ((noreturn));
void bench_must (cudaError_t result, const char *what);

/* Opens both backends, and measures a copy. 0: there is no device, as a SKIP line has said. */
int bench_open (Bench * bench);
void bench_close (Bench * bench);

/* Device memory of at least one byte, as the host's is; NULL: all 0. */
void *bench_memory (RcBackend * backend, uint64_t bytes, const void *host);

/* 0 <= x < 1, the same sequence in every run. */
double bench_uniform (void);
double bench_now_us (void);
float bench_median (float *values, int n);

/* One run over copy number i of the data, enqueued on the stream. */
typedef void (*BenchRun) (void *data, int i, cudaStream_t stream);

/* How many copies of what must move are at least four times the L2; two at least. */
int bench_copies (const Bench * bench, int64_t must_move);

/* Median us of runs over n_copies in turn, n in a graph. */
double bench_time (const Bench * bench, BenchRun run, void *data, int n_copies, int n);
/* Cold over all copies, warm over the first; in a graph an even number of runs of each, which may be of two kinds by turns. */
BenchTimes bench_times (const Bench * bench, BenchRun run, void *data, int n_copies, int64_t must_move);
/* Median us of the host for one run that it enqueues. */
double bench_time_enqueue (const Bench * bench, BenchRun run, void *data);

/* Says its name, and makes two runs over the first copy. */
void bench_twice (const Bench * bench, const char *name, BenchRun run, void *data);

void bench_print_head (const char *what);
void bench_print (const char *name, int64_t must_move, const BenchTimes * times, double enqueue_us, double cpu_us);

#endif

/* robocache: a GPU whose kernels are timed, in graphs and with events
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda_runtime_api.h>

#include "tests/bench/common/table.h"
#include "tests/bench/kernels/job.h"

#define BENCH_MAX_COPIES 1024   /* of the data of a work */

typedef struct
{
  RcBackend *backend, *cpu;
  cudaStream_t stream;
  char name[256];
  int multiprocessors;
  int64_t l2_bytes;
  double copy_gbps, fill_gbps, read_gbps;       /* bench_measure_rates */
  double launch_us;             /* of a run without work */
} Bench;

/* Jobs of a work on the device, of which the data is at least four times the L2, and one on the CPU. */
typedef struct
{
  BenchJob *host, *jobs[BENCH_MAX_COPIES];
  int n;
  float *counts;                /* of plain means */
} BenchCopies;

/* us of a work. */
typedef struct
{
  BenchSpread cold;
  double warm;                  /* median */
} BenchTimes;

/* Enqueues a run over copy i of the data. */
typedef void (*BenchRun) (void *data, int i, cudaStream_t stream);

void bench_must_cuda (cudaError_t result, const char *what);

/* 0: there is no device, which a SKIP line with this name has reported. */
int bench_open (Bench * bench, const char *name);
void bench_close (Bench * bench);

/* How many copies of data have at least four times the bytes of the L2; at least two. */
int bench_copies (const Bench * bench, int64_t must_move);

/* Each job on the device has run once. */
void bench_copies_open (const Bench * bench, const BenchWork * work, BenchCopies * copies);
void bench_copies_close (BenchCopies * copies);
/* A BenchRun of copies. */
void bench_copies_run (void *data, int i, cudaStream_t stream);

/* us of a run over n_copies in turn, n of them in a graph. */
BenchSpread bench_time (const Bench * bench, BenchRun run, void *data, int n_copies, int n);

/* Cold: over all copies, an even number of runs of each. Warm: over the first one if it fits the L2, otherwise as cold. */
BenchTimes bench_times (const Bench * bench, BenchRun run, void *data, int n_copies, int64_t must_move);

/* Median us in which the host enqueues a run. */
double bench_time_enqueue (const Bench * bench, BenchRun run, void *data);

/* us of a run on the CPU: of the first one if it is long, otherwise the median of three others. */
double bench_time_cpu (BenchRun run, void *data);

/* Rates of the memory, over 2 GiB each, and what was written is checked. */
void bench_measure_rates (Bench * bench);

/* us of a run without work and of these bytes: as many read as written at the rate of a copy, the others at that of a read or of
 * a fill. */
double bench_floor (const Bench * bench, int64_t read, int64_t written);

/* ---- kernels of floors.cu: a block has so many threads, of which each has so many words of 16 bytes ---- */

#define BENCH_THREADS 256
#define BENCH_THREAD_WORDS 8
#define BENCH_BLOCK_BYTES (BENCH_THREADS * BENCH_THREAD_WORDS * 16)

extern const void *const bench_fill;    /* (memory, value of 32 bits) */
extern const void *const bench_add_up;  /* (memory, for each block the sum of its 32-bit words) */

/* robocache: alignments that are timed, or checked
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_ALIGN_COPY_H
#define BENCH_KERNELS_ALIGN_COPY_H

#include "tests/bench/kernels/configurations.h"
#include "tests/bench/kernels/floors.h"

/* On the host, but that of a copy that is opened again, which is on the device. */
typedef struct
{
  const BenchAlignment *work;
  RcAlignStreamSpec specs[BENCH_MAX_STREAMS];
  int32_t *channels[BENCH_MAX_STREAMS]; /* that belong together */
  RcAlignStreamArgs host[BENCH_MAX_STREAMS];
  int64_t *ticks;               /* [batch, ticks] */
  RcBracket *brackets[BENCH_MAX_STREAMS];
  int64_t in_bytes[BENCH_MAX_STREAMS], out_bytes[BENCH_MAX_STREAMS];
  BenchBytes must_move;
} BenchAlignData;

/* A work of its own memory, where a backend computes. */
typedef struct
{
  const BenchAlignment *work;
  RcBackend *backend;
  RcAlignStreamArgs streams[BENCH_MAX_STREAMS];
  RcAlignArgs args;
  RcAlignPlan *plan;
  void *memory[BENCH_MAX_STREAMS * 5 + 2];
  int n_memory;
} BenchAlignCopy;

void bench_align_make_data (BenchAlignData * data, const BenchAlignment * work);
void bench_align_free_data (BenchAlignData * data);

void bench_align_open (BenchAlignCopy * copy, const BenchAlignData * data, RcBackend * backend);
/* Another one on the same device, with data from there. */
void bench_align_open_again (BenchAlignCopy * copy, const BenchAlignData * data, const BenchAlignCopy * first);
void bench_align_close (BenchAlignCopy * copy);

/* A BenchRun, over copies that are BenchAlignCopy. */
void bench_align_run (void *copies, int i, cudaStream_t stream);

/* What the device left, and what the CPU did; differs as bench_compare has it. */
void bench_align_compare (const Bench * bench, const BenchAlignData * data, const BenchAlignCopy * device,
    const BenchAlignCopy * cpu, char differs[BENCH_DIFFERS_SIZE]);

#endif

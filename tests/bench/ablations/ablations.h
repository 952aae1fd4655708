/* robocache: what one part of a kernel is worth: measured with it, without it, and with what one might do instead
 *
 * Each ablation is a function that measures its variants in turn, checks what each made, and writes a table. The kernels are
 * experiments: simple and correct, and no part of the plugin. All are built for compute capability 9.0a, which has what most
 * of them are about: bulk copies, clusters and wgmma. docs/performance/ablations.md says what came of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_ABLATIONS_H
#define BENCH_ABLATIONS_H

#include "../kernels_memory.h"
#include "../table.h"

typedef struct
{
  Bench bench;
  const char *folder;           /* of the tables; NULL: they are only shown */
  int failed;                   /* outputs that differ from what was expected */
} Ablations;

/* "yes", or "no" and the program fails. */
const char *ablation_checked (Ablations * all, int as_expected);

/* Bytes, the floor that they set, and what it took: so many cells of a row, with these names. */
#define ABLATION_TIMES "must_move_bytes,floor_us,median_us,p5_us,p95_us,achieved_gbps"
void ablation_put_times (Table * table, const Bench * bench, const BenchBytes * must_move, const BenchTimes * times);

/* A kernel, its arguments and how many threads of it. */
typedef struct
{
  const void *kernel;
  int blocks, threads, cluster; /* cluster: blocks of one; 0 or 1: none */
  size_t shared_bytes;          /* dynamic */
} AblationLaunch;

/* Before the first launch: lets the kernel have so much shared memory. */
void ablation_prepare (const AblationLaunch * launch);
void ablation_launch (const AblationLaunch * launch, void **arguments, cudaStream_t stream);

void ablate_storage (Ablations * all);
void ablate_movement (Ablations * all);
void ablate_banded (Ablations * all);
void ablate_chains (Ablations * all);
void ablate_bitmap (Ablations * all);
void ablate_blocks (Ablations * all);
void ablate_live (Ablations * all);
void ablate_clearing (Ablations * all);

#endif

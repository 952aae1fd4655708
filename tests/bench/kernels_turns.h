/* robocache: works that several backends do by turns
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_TURNS_H
#define BENCH_KERNELS_TURNS_H

#include "kernels_table.h"

/* What came of a work. */
typedef struct
{
  BenchFigures figures;         /* the work, its bytes, copies, and whether the output of any backend differs */
  BenchRun run;
  void *copies[BENCH_TURNS];        /* of each backend, as run takes them */
  BenchSpread us[BENCH_TURNS];      /* cold */
} BenchTurn;

typedef struct BenchTurns
{
  Bench benches[BENCH_TURNS];       /* of one device; they differ in the backend alone */
  /* Called for each work, whose copies are freed afterwards. */
  void (*done) (struct BenchTurns * turns, const BenchTurn * turn);
} BenchTurns;

/* The works, which are BenchAlignment and BenchVoxels, each by turns of all backends. */
void bench_align_turns (BenchTurns * turns, const GArray * works);
void bench_voxels_turns (BenchTurns * turns, const GArray * works);

#endif

/* robocache: works that several backends do by turns
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels_turns.h"

#include "kernels_copies.h"

/* ---- alignments ---- */

static void
align_by_turns (BenchTurns *turns, const BenchAlignment *work)
{
  const Bench *bench = &turns->benches[0];
  BenchTurn turn = {.run = bench_align_run };
  BenchFigures *figures = &turn.figures;
  BenchAlignData data;
  BenchAlignCopy cpu;
  int i;

  bench_align_make_data (&data, work);
  for (i = 0; i < BENCH_TURNS; i++)
    turn.copies[i] = bench_align_copies (&turns->benches[i], &data, figures);
  bench_time_turns (bench, turn.run, turn.copies, figures->n_copies, turn.us);
  bench_align_open (&cpu, &data, bench->cpu);
  bench_align_run (&cpu, 0, NULL);
  for (i = 0; i < BENCH_TURNS; i++)
    bench_align_compare (bench, &data, (BenchAlignCopy *) turn.copies[i] + figures->n_copies - 1, &cpu, figures->differs);
  turns->done (turns, &turn);
  bench_align_close (&cpu);
  for (i = 0; i < BENCH_TURNS; i++)
    bench_align_free_copies (turn.copies[i], figures->n_copies);
  bench_align_free_data (&data);
}

void
bench_align_turns (BenchTurns *turns, const GArray *works)
{
  guint i;

  for (i = 0; i < works->len; i++)
    align_by_turns (turns, &g_array_index (works, BenchAlignment, i));
}

/* ---- voxel grids ---- */

static void
voxels_by_turns (BenchTurns *turns, const BenchVoxels *work)
{
  const Bench *bench = &turns->benches[0];
  BenchTurn turn = {.run = bench_voxel_run };
  BenchFigures *figures = &turn.figures;
  BenchClouds clouds;
  BenchVoxelCopy cpu;
  int i;

  bench_clouds_make (&clouds, work);
  for (i = 0; i < BENCH_TURNS; i++)
    turn.copies[i] = bench_voxel_copies (&turns->benches[i], &clouds, figures);
  bench_time_turns (bench, turn.run, turn.copies, figures->n_copies, turn.us);
  bench_voxel_open (&cpu, &clouds, bench->cpu);
  bench_voxel_run (&cpu, 0, NULL);
  for (i = 0; i < BENCH_TURNS; i++)
    bench_voxel_compare (bench, (BenchVoxelCopy *) turn.copies[i] + figures->n_copies - 1, &cpu, figures->differs);
  turns->done (turns, &turn);
  bench_voxel_close (&cpu);
  for (i = 0; i < BENCH_TURNS; i++)
    bench_voxel_free_copies (turn.copies[i], figures->n_copies);
  bench_clouds_free (&clouds);
}

void
bench_voxels_turns (BenchTurns *turns, const GArray *works)
{
  guint i;

  for (i = 0; i < works->len; i++)
    voxels_by_turns (turns, &g_array_index (works, BenchVoxels, i));
}

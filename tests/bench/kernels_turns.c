/* robocache: works that several backends do by turns
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels_turns.h"

#include <stdlib.h>

#include "kernels_align_copy.h"
#include "kernels_voxel_copy.h"

/* ---- alignments ---- */

static BenchAlignCopy *
align_copies (const Bench *bench, const BenchAlignData *data, int n)
{
  BenchAlignCopy *copies = calloc ((size_t) n, sizeof (*copies));
  int i;

  bench_align_open (&copies[0], data, bench->backend);
  for (i = 1; i < n; i++)
    bench_align_open_again (&copies[i], data, &copies[0]);
  return copies;
}

static void
close_align_copies (BenchAlignCopy *copies, int n)
{
  int i;

  for (i = 0; i < n; i++)
    bench_align_close (&copies[i]);
  free (copies);
}

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
  *figures = (BenchFigures) {.work = &work->work,.bytes = data.must_move,
    .n_copies = bench_copies (bench, bench_total (&data.must_move))
  };
  for (i = 0; i < BENCH_TURNS; i++)
    turn.copies[i] = align_copies (&turns->benches[i], &data, figures->n_copies);
  bench_time_turns (bench, turn.run, turn.copies, figures->n_copies, turn.us);
  bench_align_open (&cpu, &data, bench->cpu);
  bench_align_run (&cpu, 0, NULL);
  for (i = 0; i < BENCH_TURNS; i++)
    bench_align_compare (bench, &data, (BenchAlignCopy *) turn.copies[i] + figures->n_copies - 1, &cpu, figures->differs);
  turns->done (turns, &turn);
  bench_align_close (&cpu);
  for (i = 0; i < BENCH_TURNS; i++)
    close_align_copies (turn.copies[i], figures->n_copies);
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

/* As many as are not in the L2 together, all of which have run once. */
static BenchVoxelCopy *
voxel_copies (const Bench *bench, const BenchClouds *clouds, BenchFigures *figures)
{
  BenchVoxelCopy *copies = calloc (BENCH_MAX_COPIES, sizeof (*copies));
  int i;

  bench_voxel_open (&copies[0], clouds, bench->backend);
  figures->bytes = bench_voxel_bytes (clouds, &copies[0]);
  figures->n_copies = bench_copies (bench, bench_total (&figures->bytes));
  for (i = 1; i < figures->n_copies; i++)
    bench_voxel_open_again (&copies[i], clouds, &copies[0]);
  for (i = 0; i < figures->n_copies; i++)
    bench_voxel_run (copies, i, bench->stream);
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  return copies;
}

static void
close_voxel_copies (BenchVoxelCopy *copies, int n)
{
  int i;

  for (i = 0; i < n; i++)
    bench_voxel_close (&copies[i]);
  free (copies);
}

static void
compare_voxels (const Bench *bench, const BenchVoxelCopy *device, BenchVoxelCopy *cpu, BenchFigures *figures)
{
  while (cpu->turn != device->turn)
    bench_voxel_run (cpu, 0, NULL);
  bench_voxel_compare (bench, device, cpu, figures->differs);
}

static void
voxels_by_turns (BenchTurns *turns, const BenchVoxels *work)
{
  const Bench *bench = &turns->benches[0];
  BenchTurn turn = {.run = bench_voxel_run,.figures = {.work = &work->work} };
  BenchFigures *figures = &turn.figures;
  BenchClouds clouds;
  BenchVoxelCopy cpu;
  int i;

  bench_clouds_make (&clouds, work);
  for (i = 0; i < BENCH_TURNS; i++)
    turn.copies[i] = voxel_copies (&turns->benches[i], &clouds, figures);
  bench_time_turns (bench, turn.run, turn.copies, figures->n_copies, turn.us);
  bench_voxel_open (&cpu, &clouds, bench->cpu);
  bench_voxel_run (&cpu, 0, NULL);
  for (i = 0; i < BENCH_TURNS; i++)
    compare_voxels (bench, (BenchVoxelCopy *) turn.copies[i] + figures->n_copies - 1, &cpu, figures);
  turns->done (turns, &turn);
  bench_voxel_close (&cpu);
  for (i = 0; i < BENCH_TURNS; i++)
    close_voxel_copies (turn.copies[i], figures->n_copies);
  bench_clouds_free (&clouds);
}

void
bench_voxels_turns (BenchTurns *turns, const GArray *works)
{
  guint i;

  for (i = 0; i < works->len; i++)
    voxels_by_turns (turns, &g_array_index (works, BenchVoxels, i));
}

/* robocache: copies of a work, as many as are not in the L2 together
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/copies.h"

#include <stdlib.h>

static void
begin_figures (const Bench *bench, const BenchWork *work, BenchBytes bytes, BenchFigures *figures)
{
  *figures = (BenchFigures) {.work = work,.bytes = bytes,.n_copies = bench_copies (bench, bench_total (&bytes)) };
}

BenchAlignCopy *
bench_align_copies (const Bench *bench, const BenchAlignData *data, BenchFigures *figures)
{
  BenchAlignCopy *copies = calloc (BENCH_MAX_COPIES, sizeof (*copies));
  int i;

  begin_figures (bench, &data->work->work, data->must_move, figures);
  bench_align_open (&copies[0], data, bench->backend);
  for (i = 1; i < figures->n_copies; i++)
    bench_align_open_again (&copies[i], data, &copies[0]);
  return copies;
}

void
bench_align_free_copies (BenchAlignCopy *copies, int n)
{
  int i;

  for (i = 0; i < n; i++)
    bench_align_close (&copies[i]);
  free (copies);
}

BenchVoxelCopy *
bench_voxel_copies (const Bench *bench, const BenchClouds *clouds, BenchFigures *figures)
{
  BenchVoxelCopy *copies = calloc (BENCH_MAX_COPIES, sizeof (*copies));
  int i;

  bench_voxel_open (&copies[0], clouds, bench->backend);
  begin_figures (bench, &clouds->work->work, bench_voxel_bytes (clouds, &copies[0]), figures);
  for (i = 1; i < figures->n_copies; i++)
    bench_voxel_open_again (&copies[i], clouds, &copies[0]);
  for (i = 0; i < figures->n_copies; i++)
    bench_voxel_run (copies, i, bench->stream);
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  return copies;
}

void
bench_voxel_free_copies (BenchVoxelCopy *copies, int n)
{
  int i;

  for (i = 0; i < n; i++)
    bench_voxel_close (&copies[i]);
  free (copies);
}

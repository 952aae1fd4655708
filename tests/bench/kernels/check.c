/* robocache: whether works have the same bits on a device and on the CPU
 *
 *   bench-check CONFIGURATIONS [SIZE]
 *
 * Runs works of bench-kernels, those of a size or all, on both, without timing; voxel grids twice, since the second run goes
 * on from the first, or finds the scratch and the grid as that one left them. Status 1 where results differ.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>

#include "tests/bench/kernels/alignment.h"
#include "tests/bench/kernels/voxels.h"

static int
say (const BenchWork *work, const char *differs)
{
  const int is_wrong = differs[0] != '\0';

  printf ("%s %s%s%s\n", is_wrong ? "FAIL" : "PASS", work->name, is_wrong ? ": " : "", differs);
  fflush (stdout);
  return is_wrong;
}

static int
alignment_is_wrong (const Bench *bench, const BenchAlignment *work)
{
  char differs[BENCH_DIFFERS_SIZE] = "";
  BenchAlignCopy device, cpu;
  BenchAlignData data;

  bench_align_make_data (&data, work);
  bench_align_open (&device, &data, bench->backend);
  bench_align_open (&cpu, &data, bench->cpu);
  bench_align_run (&device, 0, bench->stream);
  bench_align_run (&cpu, 0, NULL);
  bench_align_compare (bench, &data, &device, &cpu, differs);
  bench_align_close (&device);
  bench_align_close (&cpu);
  bench_align_free_data (&data);
  return say (&work->work, differs);
}

static int
voxels_are_wrong (const Bench *bench, const BenchVoxels *work)
{
  char differs[BENCH_DIFFERS_SIZE] = "";
  BenchVoxelCopy device, cpu;
  BenchClouds clouds;
  int i;

  bench_clouds_make (&clouds, work);
  bench_voxel_open (&device, &clouds, bench->backend);
  bench_voxel_open (&cpu, &clouds, bench->cpu);
  for (i = 0; i < 2; i++) {
    bench_voxel_run (&device, 0, bench->stream);
    bench_voxel_run (&cpu, 0, NULL);
    bench_voxel_compare (bench, &device, &cpu, differs);
  }
  bench_voxel_close (&device);
  bench_voxel_close (&cpu);
  bench_clouds_free (&clouds);
  return say (&work->work, differs);
}

int
main (int argc, char **argv)
{
  const BenchWish wish = {.size = argc > 2 ? argv[2] : NULL };
  BenchConfigurations *works;
  GError *error = NULL;
  int wrong = 0;
  Bench bench;
  guint i;

  if (argc < 2 || argc > 3 || (wish.size != NULL && !bench_is_size (wish.size)))
    bench_fail ("usage", "bench-check CONFIGURATIONS [small | medium | large]");
  works = bench_configurations_read (argv[1], &wish, &error);
  if (works == NULL)
    bench_fail ("bench-check", error->message);
  if (!bench_open (&bench))
    return 0;
  for (i = 0; i < works->alignments->len; i++)
    wrong += alignment_is_wrong (&bench, &g_array_index (works->alignments, BenchAlignment, i));
  for (i = 0; i < works->voxels->len; i++)
    wrong += voxels_are_wrong (&bench, &g_array_index (works->voxels, BenchVoxels, i));
  bench_close (&bench);
  bench_configurations_free (works);
  return wrong > 0;
}

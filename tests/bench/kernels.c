/* robocache: how fast the kernels are, against the bytes they must move
 *
 *   bench-kernels [--few] [--only TEXT] [--voxels [--rows FOLDER]]
 *   bench-kernels [--only TEXT] --once
 *
 * --few: a quarter of the shapes; --only: those whose names hold the text; --voxels: voxel grids alone. Each shape is timed with CUDA events in two ways: `cold`,
 * runs over several copies of the data that together are at least four times the L2, captured in one graph and divided
 * by their number; `warm`, the same over one copy. Both are medians of many launches. The floor is the bytes that must
 * move over the bandwidth of a device-to-device copy, measured here, plus one launch of an empty run, measured here in
 * the same way. Times of the CPU backend, one thread, are medians too.
 *
 * --rows: for voxels.py, which sets other libraries beside them. In place of tables a line of JSON for the device and one
 * for each shape; its points and what came of them are in FOLDER.
 *
 * --once: for a profiler. Two runs of each shape, of which the second finds what the first left, and nothing else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <string.h>

#include "kernels_align.h"
#include "kernels_voxel.h"

typedef struct
{
  BenchWish wish;
  int voxels_alone;
  int once;
  const char *rows;             /* NULL: tables */
} Arguments;

static Arguments
read_arguments (int argc, char **argv)
{
  Arguments arguments = { {1, ""}, 0, 0, NULL };
  int i;

  for (i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--few") == 0)
      arguments.wish.every = 4;
    else if (strcmp (argv[i], "--voxels") == 0)
      arguments.voxels_alone = 1;
    else if (strcmp (argv[i], "--only") == 0 && i + 1 < argc)
      arguments.wish.only = argv[++i];
    else if (strcmp (argv[i], "--once") == 0)
      arguments.once = 1;
    else if (strcmp (argv[i], "--rows") == 0 && i + 1 < argc)
      arguments.rows = argv[++i];
    else
      bench_fail (argv[i], "expected --few, --only TEXT, --voxels, --rows FOLDER or --once");
  }
  if (arguments.rows != NULL && !arguments.voxels_alone)
    bench_fail ("--rows", "expected --voxels, too");
  return arguments;
}

int
main (int argc, char **argv)
{
  const Arguments arguments = read_arguments (argc, argv);
  Bench bench;

  if (!bench_open (&bench))
    return 0;
  if (arguments.once) {
    bench_align_once (&bench, &arguments.wish);
    bench_voxels_once (&bench, &arguments.wish);
    bench_close (&bench);
    return 0;
  }
  bench.launch_us = bench_align_nothing (&bench);
  if (arguments.rows != NULL) {
    bench_voxel_rows (&bench, &arguments.wish, arguments.rows);
  } else {
    printf ("%s, %d multiprocessors, L2 %.0f MB; copy %.0f GB/s; empty launch %.2f us\n\n", bench.name,
        bench.multiprocessors, (double) bench.l2_bytes / 1e6, bench.copy_gbps, bench.launch_us);
    if (!arguments.voxels_alone)
      bench_align (&bench, &arguments.wish);
    printf ("\n");
    bench_voxels (&bench, &arguments.wish);
  }
  bench_close (&bench);
  return 0;
}

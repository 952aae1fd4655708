/* robocache: how fast the kernels are, against the bytes they must move
 *
 *   bench-kernels [--alignments] [--voxels] [--size SIZE] [--only TEXT]... [--wanted] [--csv FILE] [--rows FOLDER]
 *   bench-kernels [--alignments] [--voxels] [--size SIZE] [--only TEXT]... [--wanted] --once
 *
 * Measures the works of configurations.ini, which lies beside the program, or of another file; --alignments and --voxels:
 * those alone; --only: those whose names hold one of the texts; --wanted: those with a time that is wanted.
 *
 * Each is timed with CUDA events in two ways: `cold`, runs over several copies of the data that together are at least
 * four times the L2, captured in one graph and divided by their number; `warm`, the same over one copy, where that fits
 * the L2. After three launches that do not count there are up to 101: their median, p5, p95 and standard deviation for
 * cold, their median for warm. The floor is the bytes that must move, at the rates of copying, filling and reading memory
 * and of writing sectors at random (kernels_memory.h), plus one launch of an empty run, all measured here. The chain, of
 * works that fit the L2, is a run of as many blocks that waits for its accesses and does nothing else (kernels_chain.h). Then
 * the CPU backend, one thread, does the same, and what both left must have the same bits: status 1 where they differ. --csv:
 * the table in a file.
 *
 * --rows: for libraries.py, which sets others beside them: inputs and results in files (kernels_rows.h).
 *
 * --once: for a profiler (profile.sh). Runs of each work over its copies in turn, of which the last is over data that is not
 * in the L2, as when it is timed; nothing else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>

#include "tests/bench/kernels/configurations.h"
#include "tests/bench/kernels/measure_align.h"
#include "tests/bench/kernels/rows.h"
#include "tests/bench/kernels/results.h"
#include "tests/bench/kernels/measure_voxel.h"

static gboolean alignments_alone = FALSE, voxels_alone = FALSE, once = FALSE;
static gchar *path = NULL, *csv = NULL, *folder = NULL;
static BenchWish wish = { NULL, NULL, FALSE };

static const GOptionEntry options[] = {
  {"alignments", 'a', 0, G_OPTION_ARG_NONE, &alignments_alone, "Alignments alone", NULL},
  {"voxels", 'v', 0, G_OPTION_ARG_NONE, &voxels_alone, "Voxel grids alone", NULL},
  {"size", 's', 0, G_OPTION_ARG_STRING, &wish.size, "Works of this size: small, medium or large", "SIZE"},
  {"only", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &wish.only, "Works whose names hold it, or another one", "TEXT"},
  {"wanted", 'w', 0, G_OPTION_ARG_NONE, &wish.wanted, "Works with a time that is wanted", NULL},
  {"configurations", 'f', 0, G_OPTION_ARG_FILENAME, &path, "The works (default: configurations.ini beside the program)",
        "FILE"},
  {"csv", 'c', 0, G_OPTION_ARG_FILENAME, &csv, "Write the table there, too", "FILE"},
  {"rows", 'r', 0, G_OPTION_ARG_FILENAME, &folder, "Write inputs and results there", "FOLDER"},
  {"once", 0, 0, G_OPTION_ARG_NONE, &once, "For a profiler: runs of each work, the last of them cold", NULL},
  {NULL}
};

/* Ends the program where something is wrong. */
static BenchConfigurations *
read_arguments (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- how fast the kernels are");
  BenchConfigurations *configurations;
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    bench_fail ("bench-kernels", error->message);
  g_option_context_free (context);
  if (wish.size != NULL && !bench_is_size (wish.size))
    bench_fail (wish.size, "--size expects small, medium or large");
  if (path == NULL)
    path = bench_beside_the_program ("configurations.ini");
  configurations = bench_configurations_read (path, &wish, &error);
  if (configurations == NULL)
    bench_fail ("bench-kernels", error->message);
  if (alignments_alone != voxels_alone)
    g_array_set_size (alignments_alone ? configurations->voxels : configurations->alignments, 0);
  if (configurations->alignments->len + configurations->voxels->len == 0)
    bench_fail (path, "no work of this size and kind has such a name");
  return configurations;
}

/* Whether the results are right. */
static gboolean
measure (const Bench *bench, const BenchConfigurations *configurations)
{
  BenchTable table;
  BenchRows rows;

  bench_table_open (&table, bench, csv);
  bench_rows_open (&rows, bench, folder);
  bench_align (&table, &rows, configurations->alignments);
  bench_voxels (&table, &rows, configurations->voxels);
  bench_rows_close (&rows);
  bench_table_close (&table);
  return table.n_wrong == 0;
}

int
main (int argc, char **argv)
{
  BenchConfigurations *configurations = read_arguments (argc, argv);
  gboolean right = TRUE;
  Bench bench;

  bench_keep_pages ();
  if (!bench_open (&bench))
    return 0;
  if (once) {
    bench_align_once (&bench, configurations->alignments);
    bench_voxels_once (&bench, configurations->voxels);
  } else {
    bench_measure_rates (&bench);
    bench.launch_us = bench_align_nothing (&bench);
    right = measure (&bench, configurations);
  }
  bench_close (&bench);
  bench_configurations_free (configurations);
  return right ? 0 : 1;
}

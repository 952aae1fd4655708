/* robocache: what came of works, as a table to read and as CSV
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/results.h"

#include <inttypes.h>
#include <nvtx3/nvToolsExt.h>
#include <string.h>

const char *
bench_checked (const BenchFigures *figures)
{
  return figures->differs[0] != '\0' ? figures->differs : "yes";
}

void
bench_table_open (BenchTable *table, const Bench *bench, const char *path)
{
  *table = (BenchTable) {.bench = bench };
  printf ("%s, %d multiprocessors, L2 %.0f MB; copy %.0f GB/s, fill %.0f, read %.0f; empty launch %.2f us\n", bench->name,
      bench->multiprocessors, (double) bench->l2_bytes / 1e6, bench->rates.copy, bench->rates.fill, bench->rates.read,
      bench->launch_us);
  if (path == NULL)
    return;
  table->csv = fopen (path, "w");
  if (table->csv == NULL)
    bench_fail (path, "cannot be written");
  fprintf (table->csv, "work,size,must_move_bytes,must_read_bytes,must_write_bytes,must_scatter_bytes,copies,floor_us,"
      "chain_us,wanted_us,median_us,p5_us,p95_us,deviation_us,warm_us,enqueue_us,cpu_us,moved_gbps,copy_gbps,fill_gbps,"
      "read_gbps,share_of_copy,launch_us,checked\n");
}

void
bench_table_head (const char *what)
{
  printf ("\n| %s | MB that must move | floor us | chain us | wanted us | us | p5 | p95 | deviation | times the floor "
      "| share of the copy | warm us | host us to enqueue | CPU us | checked |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n", what);
}

/* Nothing where there is none. */
static const char *
if_any (double us, char text[32])
{
  text[0] = '\0';
  if (us > 0)
    snprintf (text, 32, "%.5g", us);
  return text;
}

static void
print_row (const BenchFigures *figures, double share)
{
  const BenchTimes *times = &figures->times;
  char chain[32], wanted[32];

  printf ("| %s | %.2f | %.1f | %s | %s | %.1f | %.1f | %.1f | %.2f | %.2f | %.0f %% | %.1f | %.1f | %.0f | %s |\n",
      figures->work->name, (double) bench_total (&figures->bytes) / 1e6, figures->floor_us, if_any (figures->chain_us, chain),
      if_any (figures->work->wanted_us, wanted), times->cold.median, times->cold.p5, times->cold.p95, times->cold.deviation,
      times->cold.median / figures->floor_us, 100 * share, times->warm, figures->enqueue_us, figures->cpu_us,
      bench_checked (figures));
  fflush (stdout);
}

static void
write_row (const BenchTable *table, const BenchFigures *figures, double gbps)
{
  const Bench *bench = table->bench;
  const BenchTimes *times = &figures->times;
  const BenchBytes *bytes = &figures->bytes;
  char chain[32], wanted[32];

  fprintf (table->csv, "\"%s\",%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%.3f,%s,%s,", figures->work->name,
      figures->work->size, bench_total (bytes), bytes->read, bytes->written, bytes->scattered, figures->n_copies,
      figures->floor_us, if_any (figures->chain_us, chain), if_any (figures->work->wanted_us, wanted));
  fprintf (table->csv, "%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.1f,%.1f,%.1f,%.1f,%.1f,%.4f,%.3f,\"%s\"\n", times->cold.median,
      times->cold.p5, times->cold.p95, times->cold.deviation, times->warm, figures->enqueue_us, figures->cpu_us, gbps,
      bench->rates.copy, bench->rates.fill, bench->rates.read, gbps / bench->rates.copy, bench->launch_us,
      bench_checked (figures));
  fflush (table->csv);
}

void
bench_table_row (BenchTable *table, const BenchFigures *figures)
{
  const double gbps = (double) bench_total (&figures->bytes) / figures->times.cold.median / 1e3;

  table->n_wrong += figures->differs[0] != '\0';
  print_row (figures, gbps / table->bench->rates.copy);
  if (table->csv != NULL)
    write_row (table, figures, gbps);
}

void
bench_table_close (BenchTable *table)
{
  if (table->csv != NULL && fclose (table->csv) != 0)
    bench_fail ("CSV", "cannot be written");
}

/* ---- for a profiler ---- */

void
bench_once (const Bench *bench, const BenchWork *work, int64_t must_move, BenchRun run, void *data, int n_copies)
{
  int i;

  for (i = 0; i < n_copies; i++)
    run (data, i, bench->stream);
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  nvtxRangePushA (work->name);
  nvtxRangePushA ("counted");
  run (data, 0, bench->stream);
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  nvtxRangePop ();
  nvtxRangePop ();
  printf ("\"%s\",%s,%" PRId64 "\n", work->name, work->size, must_move);
  fflush (stdout);
}

/* robocache: works with their inputs and results in files, for others to compare with
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/rows.h"

#include <inttypes.h>
#include <stdlib.h>

void
bench_rows_open (BenchRows *rows, const Bench *bench, const char *folder)
{
  char path[4096];

  *rows = (BenchRows) {.folder = folder };
  if (folder == NULL)
    return;
  snprintf (path, sizeof (path), "%s/rows.json", folder);
  rows->json = fopen (path, "w");
  if (rows->json == NULL)
    bench_fail (path, "cannot be written");
  fprintf (rows->json, "{\"device\": \"%s\", \"multiprocessors\": %d, \"l2_bytes\": %" PRId64 ", \"copy_gbps\": %.0f, "
      "\"launch_us\": %.2f}\n", bench->name, bench->multiprocessors, bench->l2_bytes, bench->rates.copy, bench->launch_us);
}

void
bench_rows_close (BenchRows *rows)
{
  if (rows->json != NULL && fclose (rows->json) != 0)
    bench_fail (rows->folder, "rows.json cannot be written");
}

void
bench_rows_begin (BenchRows *rows, const char *kind, const BenchFigures *figures)
{
  const BenchSpread *cold = &figures->times.cold;

  fprintf (rows->json, "{\"row\": %d, \"kind\": \"%s\", \"work\": \"%s\", \"size\": \"%s\", \"wanted_us\": %g, "
      "\"must_move\": %" PRId64 ", \"floor_us\": %.3f, \"cold_us\": %.3f, \"p5_us\": %.3f, \"p95_us\": %.3f, "
      "\"deviation_us\": %.3f, \"warm_us\": %.3f, \"enqueue_us\": %.3f, \"cpu_us\": %.1f, \"n_copies\": %d, "
      "\"checked\": \"%s\"", rows->row, kind, figures->work->name, figures->work->size, figures->work->wanted_us,
      bench_total (&figures->bytes), figures->floor_us, cold->median, cold->p5, cold->p95, cold->deviation,
      figures->times.warm, figures->enqueue_us, figures->cpu_us, figures->n_copies, bench_checked (figures));
}

void
bench_rows_end (BenchRows *rows)
{
  fprintf (rows->json, "}\n");
  fflush (rows->json);
  rows->row++;
}

void
bench_rows_host (const BenchRows *rows, const char *kind, const void *data, int64_t bytes)
{
  char path[4096];
  FILE *file;

  snprintf (path, sizeof (path), "%s/%d.%s", rows->folder, rows->row, kind);
  file = fopen (path, "wb");
  if (file == NULL || fwrite (data, 1, (size_t) bytes, file) != (size_t) bytes || fclose (file) != 0)
    bench_fail (path, "cannot be written");
}

void
bench_rows_device (const BenchRows *rows, const char *kind, const void *device, int64_t bytes)
{
  void *host = malloc ((size_t) bytes + 1);

  bench_must (cudaMemcpy (host, device, (size_t) bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  bench_rows_host (rows, kind, host, bytes);
  free (host);
}

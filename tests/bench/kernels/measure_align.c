/* robocache: how fast alignments are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/measure_align.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/bench/kernels/chain.h"
#include "tests/bench/kernels/copies.h"
#include "tests/bench/peers/plain_align.h"

double
bench_align_nothing (const Bench *bench)
{
  static const BenchAlignment nothing = {.batch = 1,.ticks = 1,.streams = {{1, 1}},.n_streams = 1,.in = RC_FLOAT32,
    .out = RC_FLOAT32
  };
  double us;
  BenchAlignData data;
  BenchAlignCopy copy;

  bench_align_make_data (&data, &nothing);
  bench_align_open (&copy, &data, bench->backend);
  copy.streams[0].rows = NULL;
  copy.streams[0].status = NULL;
  us = bench_time (bench, bench_align_run, &copy, 1, 20).median;
  bench_align_close (&copy);
  bench_align_free_data (&data);
  return us;
}

static const char *
kind_of_stream (char text[32], const char *kind, int i)
{
  snprintf (text, 32, "%s_%d", kind, i);
  return text;
}

static void
run_plain (void *data, int i, cudaStream_t stream)
{
  const BenchAlignCopy *copy = (const BenchAlignCopy *) data + i;
  const BenchAlignment *work = copy->work;
  int k;

  for (k = 0; k < work->n_streams; k++)
    bench_plain_align (work->interpolation, work->in, work->streams[k].channels, &copy->args, &copy->streams[k], stream);
  bench_must (cudaGetLastError (), "plain alignment");
}

/* What the plain kernels take, and what they leave in place of ours. */
static void
write_plain (const Bench *bench, const BenchAlignData *data, BenchAlignCopy *copies, const BenchFigures *figures,
    BenchRows *rows)
{
  const BenchAlignment *work = data->work;
  BenchSpread us;
  char kind[32];
  int i;

  if (work->quaternions > 0 || !bench_plain_has_align (work->interpolation, work->in, work->out))
    return;
  for (i = 0; i < work->n_streams; i++)
    bench_must (cudaMemsetAsync (copies->streams[i].out, 0xa5, (size_t) data->out_bytes[i], bench->stream), "cudaMemsetAsync");
  us = bench_time (bench, run_plain, copies, figures->n_copies, 2 * figures->n_copies);
  fprintf (rows->json, ", \"plain\": [%.3f, %.3f, %.3f]", us.median, us.p5, us.p95);
  for (i = 0; i < work->n_streams; i++)
    bench_rows_device (rows, kind_of_stream (kind, "plain", i), copies->streams[i].out, data->out_bytes[i]);
}

static void
write_rows (const Bench *bench, const BenchAlignData *data, BenchAlignCopy *copies, const BenchFigures *figures,
    BenchRows *rows)
{
  const BenchAlignment *work = data->work;
  const char *separator = "";
  char kind[32];
  int i;

  bench_rows_begin (rows, "alignment", figures);
  fprintf (rows->json, ", \"batch\": %" PRId64 ", \"ticks\": %" PRId64 ", \"period_ns\": %" PRId64 ", \"in\": \"%s\", "
      "\"out\": \"%s\", \"interpolation\": \"%s\", \"quaternions\": %" PRId64 ", \"live\": %s, \"streams\": [", work->batch,
      work->ticks, data->specs[0].search.period_ns, rc_dtype_name (work->in), rc_dtype_name (work->out),
      bench_interpolation_name (work->interpolation), work->quaternions, work->live ? "true" : "false");
  bench_rows_host (rows, "ticks", data->ticks, work->batch * work->ticks * 8);
  for (i = 0; i < work->n_streams; i++, separator = ", ") {
    const int64_t n = work->streams[i].rows;

    fprintf (rows->json, "%s[%" PRId64 ", %" PRId64 "]", separator, n, work->streams[i].channels);
    bench_rows_host (rows, kind_of_stream (kind, "rows", i), data->host[i].rows, data->in_bytes[i]);
    bench_rows_host (rows, kind_of_stream (kind, "times", i), data->host[i].times, work->batch * n * 8);
    bench_rows_device (rows, kind_of_stream (kind, "out", i), copies->streams[i].out, data->out_bytes[i]);
  }
  fprintf (rows->json, "]");
  write_plain (bench, data, copies, figures, rows);
  bench_rows_end (rows);
}

/* A block cannot know its rows before it has read times. 0: of a work that does not fit the L2. */
static double
time_chain (const Bench *bench, const BenchAlignData *data, BenchAlignCopy *copies)
{
  const BenchAlignment *work = data->work;
  const BenchChain chain = { work->live ? (int64_t) sizeof (RcBracket) : work->batch * work->streams[0].rows * 8,
    data->in_bytes[0], data->out_bytes[0]
  };

  return bench_total (&data->must_move) < bench->l2_bytes ? bench_chain (bench, bench_align_run, copies, &chain) : 0;
}

static void
measure (const Bench *bench, const BenchAlignment *work, BenchFigures *figures, BenchRows *rows)
{
  BenchAlignCopy *copies, cpu;
  BenchAlignData data;

  bench_align_make_data (&data, work);
  copies = bench_align_copies (bench, &data, figures);
  bench_align_open (&cpu, &data, bench->cpu);
  figures->floor_us = bench_floor (bench, &figures->bytes);
  figures->chain_us = time_chain (bench, &data, copies);
  figures->times = bench_times (bench, bench_align_run, copies, figures->n_copies, bench_total (&figures->bytes));
  figures->enqueue_us = bench_time_enqueue (bench, bench_align_run, copies);
  figures->cpu_us = bench_time_cpu (bench_align_run, &cpu);
  bench_align_compare (bench, &data, &copies[figures->n_copies - 1], &cpu, figures->differs);
  if (rows->json != NULL && !work->work.alone)
    write_rows (bench, &data, copies, figures, rows);
  bench_align_close (&cpu);
  bench_align_free_copies (copies, figures->n_copies);
  bench_align_free_data (&data);
}

void
bench_align (BenchTable *table, BenchRows *rows, const GArray *works)
{
  BenchFigures figures;
  guint i;

  if (works->len > 0)
    bench_table_head ("alignment");
  for (i = 0; i < works->len; i++) {
    measure (table->bench, &g_array_index (works, BenchAlignment, i), &figures, rows);
    bench_table_row (table, &figures);
  }
}

void
bench_align_once (const Bench *bench, const GArray *works)
{
  BenchFigures figures;
  guint i;

  for (i = 0; i < works->len; i++) {
    BenchAlignCopy *copies;
    BenchAlignData data;

    bench_align_make_data (&data, &g_array_index (works, BenchAlignment, i));
    copies = bench_align_copies (bench, &data, &figures);
    bench_once (bench, figures.work, bench_total (&figures.bytes), bench_align_run, copies, figures.n_copies);
    bench_align_free_copies (copies, figures.n_copies);
    bench_align_free_data (&data);
  }
}

/* robocache: how fast alignments are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels_align.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/align.h"
#include "kernels/memory.h"
#include "kernels_chain.h"
#include "kernels_plain_align.h"

#define RECORDING_NS 1000000000 /* of the rows */
#define FIRST_NS 20000000       /* of the ticks, which end as long before the rows do */
#define TICKS_NS 960000000
#define DISTINCT 1000003        /* elements of rows */

typedef struct
{
  const BenchAlignment *work;
  RcAlignStreamSpec specs[BENCH_MAX_STREAMS];
  int32_t *channels[BENCH_MAX_STREAMS]; /* that belong together */
  RcAlignStreamArgs host[BENCH_MAX_STREAMS];
  int64_t *ticks;               /* [batch, ticks] */
  RcBracket *brackets[BENCH_MAX_STREAMS];
  int64_t in_bytes[BENCH_MAX_STREAMS], out_bytes[BENCH_MAX_STREAMS];
  BenchBytes must_move;
} Data;

/* ---- data ---- */

/* Rows of a recording of one second: jitter of a third of a period. */
static void
fill_times (int64_t *times, int64_t n)
{
  int64_t i;

  for (i = 0; i < n; i++)
    times[i] = (int64_t) ((((double) i + 0.33 * bench_uniform ()) / (double) n) * RECORDING_NS);
}

static void
fill_element (void *rows, RcDtype dtype, int64_t i)
{
  const float x = (float) (2 * bench_uniform () - 1);

  if (dtype == RC_FLOAT32)
    ((float *) rows)[i] = x;
  else if (dtype == RC_FLOAT64)
    ((double *) rows)[i] = x;
  else if (dtype == RC_FLOAT16)
    ((uint16_t *) rows)[i] = (uint16_t) (0x3000 + (int) (bench_uniform () * 0x0C00) + (x < 0 ? 0x8000 : 0));
  else if (dtype == RC_BFLOAT16)
    memcpy ((uint16_t *) rows + i, (const uint16_t *) &x + 1, 2);
  else
    ((uint8_t *) rows)[i] = (uint8_t) (bench_uniform () * 256);
}

/* An odd number of them comes again and again, so that rows differ from their neighbours. */
static void
fill_rows (void *rows, RcDtype dtype, int64_t n)
{
  const int64_t distinct = n < DISTINCT ? n : DISTINCT;
  int64_t i;

  for (i = 0; i < distinct; i++)
    fill_element (rows, dtype, i);
  bench_repeat (rows, distinct * (int64_t) rc_dtype_size (dtype), n * (int64_t) rc_dtype_size (dtype));
}

/* Rows of an episode that some tick reads. */
static int64_t
rows_needed (const Data *data, int i, int64_t e, uint8_t *seen)
{
  const RcAlignStreamArgs *args = &data->host[i];
  const int64_t ticks = data->work->ticks;
  int64_t k, n = 0, r;

  memset (seen, 0, (size_t) args->n_rows);
  for (k = 0; k < ticks; k++) {
    const RcBracket b = rc_bracket_find (&data->specs[i].search, args->times + e * args->n_rows, args->n_rows,
        data->ticks[e * ticks + k]);

    if (b.blend == RC_BLEND_MEAN)
      memset (seen + b.row, 1, (size_t) (b.next - b.row));
    else if (b.blend != RC_BLEND_NONE)
      seen[b.row] = seen[b.next] = seen[b.before] = seen[b.after] = 1;
  }
  for (r = 0; r < args->n_rows; r++)
    n += seen[r];
  return n;
}

/* Quaternions in the first channels, or the rates of the first half of them in the second. */
static void
make_channels (Data *data, int i)
{
  const BenchAlignment *work = data->work;
  const int64_t half = work->streams[i].channels / 2;
  RcAlignStreamSpec *spec = &data->specs[i];
  int32_t *list = data->channels[i] = malloc ((size_t) work->streams[i].channels * sizeof (*list));
  int64_t k;

  if (work->quaternions > 0) {
    for (k = 0; k < work->quaternions; k++)
      list[k] = (int32_t) (4 * k);
    spec->quaternions = list;
    spec->n_quaternions = work->quaternions;
  } else if (work->interpolation == RC_HERMITE) {
    for (k = 0; k < half; k++)
      list[k] = (int32_t) (half + k);
    spec->velocities = list;
    spec->n_velocities = half;
  }
}

static void
make_stream (Data *data, int i)
{
  const BenchAlignment *work = data->work;
  const int64_t rows = work->streams[i].rows, channels = work->streams[i].channels, batch = work->batch;
  const int64_t in_row = channels * (int64_t) rc_dtype_size (work->in);
  const int64_t out_row = channels * (int64_t) rc_dtype_size (work->out);
  int64_t *times = malloc ((size_t) (batch * rows * 8));
  uint8_t *seen = malloc ((size_t) rows);
  void *memory;
  int64_t e;

  data->specs[i] = (RcAlignStreamSpec) {.in = work->in,.out = work->out,.channels = channels,
    .search = {work->interpolation, -1, 0, TICKS_NS / work->ticks}
  };
  make_channels (data, i);
  data->in_bytes[i] = batch * rows * in_row;
  data->out_bytes[i] = batch * work->ticks * out_row;
  memory = malloc ((size_t) data->in_bytes[i]);
  fill_rows (memory, work->in, batch * rows * channels);
  for (e = 0; e < batch; e++)
    fill_times (times + e * rows, rows);
  data->host[i] = (RcAlignStreamArgs) {.rows = memory,.n_rows = rows,.row_stride = in_row,.batch_stride = rows * in_row,
    .times = times,.times_batch_stride = rows * 8,.out_row_stride = out_row,.out_batch_stride = work->ticks * out_row,
    .status_batch_stride = work->ticks
  };
  for (e = 0; e < batch; e++)
    data->must_move.read += rows_needed (data, i, e, seen) * in_row + rows * 8;
  data->must_move.written += data->out_bytes[i] + batch * work->ticks;
  free (seen);
  if (!work->live)
    return;
  data->brackets[i] = malloc (sizeof (RcBracket));
  *data->brackets[i] = rc_bracket_find (&data->specs[i].search, times, rows, data->ticks[0]);
  data->host[i].brackets = data->brackets[i];
}

static void
make_data (Data *data, const BenchAlignment *work)
{
  int64_t e, k;
  int i;

  memset (data, 0, sizeof (*data));
  data->work = work;
  data->ticks = malloc ((size_t) (work->batch * work->ticks * 8));
  for (e = 0; e < work->batch; e++) {
    for (k = 0; k < work->ticks; k++)
      data->ticks[e * work->ticks + k] = (int64_t) (FIRST_NS + TICKS_NS * ((double) k + 0.5) / (double) work->ticks);
  }
  data->must_move.read = work->batch * work->ticks * 8;
  for (i = 0; i < work->n_streams; i++)
    make_stream (data, i);
}

static void
free_data (Data *data)
{
  int i;

  for (i = 0; i < data->work->n_streams; i++) {
    free ((void *) data->host[i].rows);
    free ((void *) data->host[i].times);
    free (data->channels[i]);
    free (data->brackets[i]);
  }
  free (data->ticks);
}

/* ---- timing ---- */

typedef struct
{
  const BenchAlignment *work;
  RcBackend *backend;
  RcAlignStreamArgs streams[BENCH_MAX_STREAMS];
  RcAlignArgs args;
  RcAlignPlan *plan;
  void *memory[BENCH_MAX_STREAMS * 5 + 2];
  int n_memory;
} Copy;

/* Memory as another one, which the CPU reads where it is. */
static void *
keep (Copy *copy, int64_t bytes, const void *like)
{
  if (like != NULL && rc_backend_kind (copy->backend) == RC_BACKEND_CPU)
    return (void *) like;
  return copy->memory[copy->n_memory++] = bench_memory (copy->backend, (uint64_t) bytes, like);
}

static void
make_copy (Copy *copy, const Data *data, RcBackend *backend)
{
  const RcAlignSpec spec = { data->specs, data->work->n_streams };
  const int64_t batch = data->work->batch, n_ticks = data->work->ticks;
  RcFootprint footprint;
  RcError error;
  int i;

  memset (copy, 0, sizeof (*copy));
  copy->work = data->work;
  copy->backend = backend;
  if (rc_align_plan (backend, &spec, &copy->plan, &footprint, &error) != RC_OK)
    bench_fail ("plan", error.message);
  for (i = 0; i < data->work->n_streams; i++) {
    RcAlignStreamArgs *s = &copy->streams[i];

    *s = data->host[i];
    s->rows = keep (copy, data->in_bytes[i], s->rows);
    s->out = keep (copy, data->out_bytes[i], NULL);
    s->status = keep (copy, batch * n_ticks, NULL);
    if (s->brackets != NULL)
      s->brackets = keep (copy, sizeof (RcBracket), s->brackets);
    s->times = keep (copy, batch * s->n_rows * 8, s->times);
  }
  copy->args = (RcAlignArgs) { copy->streams, batch, n_ticks, keep (copy, batch * n_ticks * 8, data->ticks),
    n_ticks * 8, keep (copy, (int64_t) footprint.scratch_bytes, NULL)
  };
}

/* Another one on the same device, from there. */
static void
copy_again (Copy *copy, const Data *data, const Copy *first)
{
  Data there = *data;

  memcpy (there.host, first->streams, sizeof (there.host));
  there.ticks = (int64_t *) first->args.tick_times;
  make_copy (copy, &there, first->backend);
}

static void
free_copy (Copy *copy)
{
  int i;

  rc_align_plan_free (copy->plan);
  for (i = 0; i < copy->n_memory; i++)
    rc_memory_free (copy->backend, RC_MEMORY_DEVICE, copy->memory[i]);
}

/* As many as are not in the L2 together; returns how many. */
static int
make_copies (Copy *copies, const Data *data, const Bench *bench)
{
  const int n = bench_copies (bench, bench_total (&data->must_move));
  int i;

  make_copy (&copies[0], data, bench->backend);
  for (i = 1; i < n; i++)
    copy_again (&copies[i], data, &copies[0]);
  return n;
}

static void
free_copies (Copy *copies, int n)
{
  int i;

  for (i = 0; i < n; i++)
    free_copy (&copies[i]);
  free (copies);
}

static void
run_copy (void *data, int i, cudaStream_t stream)
{
  Copy *copies = data;
  RcError error;

  if (rc_align_run (copies[i].plan, &copies[i].args, stream, &error) != RC_OK)
    bench_fail ("run", error.message);
}

double
bench_align_nothing (const Bench *bench)
{
  static const BenchAlignment nothing = {.batch = 1,.ticks = 1,.streams = {{1, 1}},.n_streams = 1,.in = RC_FLOAT32,
    .out = RC_FLOAT32
  };
  double us;
  Data data;
  Copy copy;

  make_data (&data, &nothing);
  make_copy (&copy, &data, bench->backend);
  copy.streams[0].rows = NULL;
  copy.streams[0].status = NULL;
  us = bench_time (bench, run_copy, &copy, 1, 20).median;
  free_copy (&copy);
  free_data (&data);
  return us;
}

/* What the device left, and what the CPU does. */
static void
compare (const Bench *bench, const Data *data, const Copy *device, const Copy *cpu, BenchFigures *figures)
{
  int i;

  for (i = 0; i < data->work->n_streams; i++) {
    bench_compare (bench, figures, "output", device->streams[i].out, cpu->streams[i].out, data->out_bytes[i]);
    bench_compare (bench, figures, "status", device->streams[i].status, cpu->streams[i].status,
        data->work->batch * data->work->ticks);
  }
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
  const Copy *copy = (const Copy *) data + i;
  const BenchAlignment *work = copy->work;
  int k;

  for (k = 0; k < work->n_streams; k++)
    bench_plain_align (work->interpolation, work->in, work->streams[k].channels, &copy->args, &copy->streams[k], stream);
  bench_must (cudaGetLastError (), "plain alignment");
}

/* What the plain kernels take, and what they leave in place of ours. */
static void
write_plain (const Bench *bench, const Data *data, Copy *copies, const BenchFigures *figures, BenchRows *rows)
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
write_rows (const Bench *bench, const Data *data, Copy *copies, const BenchFigures *figures, BenchRows *rows)
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
time_chain (const Bench *bench, const Data *data, Copy *copies)
{
  const BenchAlignment *work = data->work;
  const BenchChain chain = { work->live ? (int64_t) sizeof (RcBracket) : work->batch * work->streams[0].rows * 8,
    data->in_bytes[0], data->out_bytes[0]
  };

  return bench_total (&data->must_move) < bench->l2_bytes ? bench_chain (bench, run_copy, copies, &chain) : 0;
}

static void
measure (const Bench *bench, const BenchAlignment *work, BenchFigures *figures, BenchRows *rows)
{
  Copy *copies = calloc (BENCH_MAX_COPIES, sizeof (*copies)), cpu;
  Data data;
  int n;

  make_data (&data, work);
  n = make_copies (copies, &data, bench);
  make_copy (&cpu, &data, bench->cpu);
  *figures = (BenchFigures) {.work = &work->work,.bytes = data.must_move,.n_copies = n,
    .floor_us = bench_floor (bench, &data.must_move),.chain_us = time_chain (bench, &data, copies)
  };
  figures->times = bench_times (bench, run_copy, copies, n, bench_total (&data.must_move));
  figures->enqueue_us = bench_time_enqueue (bench, run_copy, copies);
  figures->cpu_us = bench_time_cpu (run_copy, &cpu);
  compare (bench, &data, &copies[n - 1], &cpu, figures);
  if (rows->json != NULL)
    write_rows (bench, &data, copies, figures, rows);
  free_copy (&cpu);
  free_copies (copies, n);
  free_data (&data);
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
  guint i;

  for (i = 0; i < works->len; i++) {
    const BenchAlignment *work = &g_array_index (works, BenchAlignment, i);
    Copy *copies = calloc (BENCH_MAX_COPIES, sizeof (*copies));
    Data data;
    int n;

    make_data (&data, work);
    n = make_copies (copies, &data, bench);
    bench_once (bench, &work->work, bench_total (&data.must_move), run_copy, copies, n);
    free_copies (copies, n);
    free_data (&data);
  }
}

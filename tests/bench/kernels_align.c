/* robocache: how fast alignments are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels_align.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/align.h"
#include "kernels/memory.h"

#define MAX_STREAMS 4
#define MS 1e6

typedef struct
{
  const char *name;
  int n_streams;
  int64_t batch;
  int64_t ticks;
  RcDtype in, out;
  RcInterpolation interpolation;
  struct
  {
    int64_t rows, channels;
  } streams[MAX_STREAMS];
  int live;                     /* brackets of one tick */
} Shape;

static const Shape shapes[] = {
  {"resample 32x500 -> 256x256, bfloat16", 1, 32, 256, RC_BFLOAT16, RC_BFLOAT16, RC_LINEAR, {{500, 256}}, 0},
  {"resample 32x500 -> 256x256, float32", 1, 32, 256, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{500, 256}}, 0},
  {"resample 256x4096 -> 2048x64, float32", 1, 256, 2048, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{4096, 64}}, 0},
  {"resample 256x4096 -> 2048x64, float32, nearest", 1, 256, 2048, RC_FLOAT32, RC_FLOAT32, RC_NEAREST, {{4096, 64}}, 0},
  {"resample 256x4096 -> 2048x64, float32, cubic", 1, 256, 2048, RC_FLOAT32, RC_FLOAT32, RC_CUBIC, {{4096, 64}}, 0},
  {"resample 256x4096 -> 2048x64, float32 to bfloat16", 1, 256, 2048, RC_FLOAT32, RC_BFLOAT16, RC_LINEAR,
    {{4096, 64}}, 0},
  {"resample 256x4096 -> 2048x64, float16", 1, 256, 2048, RC_FLOAT16, RC_FLOAT16, RC_LINEAR, {{4096, 64}}, 0},
  {"resample 256x4096 -> 2048x64, float64", 1, 256, 2048, RC_FLOAT64, RC_FLOAT64, RC_LINEAR, {{4096, 64}}, 0},
  {"resample 256x1000 -> 500x14, float32", 1, 256, 500, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{1000, 14}}, 0},
  {"resample 256x1000 -> 500x7, float32", 1, 256, 500, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{1000, 7}}, 0},
  {"resample 1x100000 -> 100000x64, float32", 1, 1, 100000, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{100000, 64}}, 0},
  {"fuse 256x(100x512 + 200x128 + 300x64) -> 128, bfloat16", 3, 256, 128, RC_BFLOAT16, RC_BFLOAT16, RC_LINEAR,
    {{100, 512}, {200, 128}, {300, 64}}, 0},
  {"fuse 256x(100x512 + 200x128 + 300x64) -> 128, float32", 3, 256, 128, RC_FLOAT32, RC_FLOAT32, RC_LINEAR,
    {{100, 512}, {200, 128}, {300, 64}}, 0},
  {"one live tick of 14 + 6 channels, float32", 2, 1, 1, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{4, 14}, {4, 6}}, 1},
  {"one live frame of 640x480x3, uint8", 1, 1, 1, RC_UINT8, RC_UINT8, RC_NEAREST, {{4, 921600}}, 1},
};

typedef struct
{
  const Shape *shape;
  RcAlignStreamSpec specs[MAX_STREAMS];
  RcAlignStreamArgs host[MAX_STREAMS];
  int64_t *ticks;               /* [batch, ticks] */
  RcBracket *brackets[MAX_STREAMS];
  int64_t in_bytes[MAX_STREAMS], out_bytes[MAX_STREAMS];
  int64_t must_move;            /* bytes */
} Data;

/* ---- data ---- */

/* Rows of a recording of one second: jitter of a third of a period. */
static void
fill_times (int64_t *times, int64_t n)
{
  int64_t i;

  for (i = 0; i < n; i++)
    times[i] = (int64_t) ((((double) i + 0.33 * bench_uniform ()) / (double) n) * 1000 * MS);
}

static void
fill_rows (void *rows, RcDtype dtype, int64_t n)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    const float x = (float) (2 * bench_uniform () - 1);
    const double d = x;
    const uint16_t half = (uint16_t) (0x3000 + (int) (bench_uniform () * 0x0C00) + (x < 0 ? 0x8000 : 0));

    if (dtype == RC_FLOAT32)
      ((float *) rows)[i] = x;
    else if (dtype == RC_FLOAT64)
      ((double *) rows)[i] = d;
    else if (dtype == RC_FLOAT16)
      ((uint16_t *) rows)[i] = half;
    else if (dtype == RC_BFLOAT16)
      memcpy ((uint16_t *) rows + i, (const uint16_t *) &x + 1, 2);
    else
      ((uint8_t *) rows)[i] = (uint8_t) (bench_uniform () * 256);
  }
}

/* Rows of an episode that some tick reads. */
static int64_t
rows_needed (const Data *data, int i, int64_t e, uint8_t *seen)
{
  const RcAlignStreamArgs *args = &data->host[i];
  const int64_t ticks = data->shape->ticks;
  int64_t k, n = 0, r;

  memset (seen, 0, (size_t) args->n_rows);
  for (k = 0; k < ticks; k++) {
    const RcBracket b = rc_bracket_find (&data->specs[i].search, args->times + e * args->n_rows, args->n_rows,
        data->ticks[e * ticks + k]);

    if (b.blend != RC_BLEND_NONE)
      seen[b.row] = seen[b.next] = seen[b.before] = seen[b.after] = 1;
  }
  for (r = 0; r < args->n_rows; r++)
    n += seen[r];
  return n;
}

static void
make_stream (Data *data, int i)
{
  const Shape *shape = data->shape;
  const int64_t rows = shape->streams[i].rows, channels = shape->streams[i].channels, batch = shape->batch;
  const int64_t in_row = channels * (int64_t) rc_dtype_size (shape->in);
  const int64_t out_row = channels * (int64_t) rc_dtype_size (shape->out);
  int64_t *times = malloc ((size_t) (batch * rows * 8));
  uint8_t *seen = malloc ((size_t) rows);
  void *memory;
  int64_t e;

  data->specs[i] = (RcAlignStreamSpec) {.in = shape->in,.out = shape->out,.channels = channels,
    .search = {shape->interpolation, -1, 0, 0}
  };
  data->in_bytes[i] = batch * rows * in_row;
  data->out_bytes[i] = batch * shape->ticks * out_row;
  memory = malloc ((size_t) data->in_bytes[i]);
  fill_rows (memory, shape->in, batch * rows * channels);
  for (e = 0; e < batch; e++)
    fill_times (times + e * rows, rows);
  data->host[i] = (RcAlignStreamArgs) {.rows = memory,.n_rows = rows,.row_stride = in_row,.batch_stride = rows * in_row,
    .times = times,.times_batch_stride = rows * 8,.out = malloc ((size_t) data->out_bytes[i]),.out_row_stride = out_row,
    .out_batch_stride = shape->ticks * out_row,.status = malloc ((size_t) (batch * shape->ticks)),
    .status_batch_stride = shape->ticks
  };
  for (e = 0; e < batch; e++)
    data->must_move += rows_needed (data, i, e, seen) * in_row + rows * 8;
  data->must_move += data->out_bytes[i] + batch * shape->ticks;
  free (seen);
  if (!shape->live)
    return;
  data->brackets[i] = malloc (sizeof (RcBracket));
  *data->brackets[i] = rc_bracket_find (&data->specs[i].search, times, rows, data->ticks[0]);
  data->host[i].brackets = data->brackets[i];
}

static void
make_data (Data *data, const Shape *shape)
{
  int64_t e, k;
  int i;

  memset (data, 0, sizeof (*data));
  data->shape = shape;
  data->ticks = malloc ((size_t) (shape->batch * shape->ticks * 8));
  for (e = 0; e < shape->batch; e++) {
    for (k = 0; k < shape->ticks; k++)
      data->ticks[e * shape->ticks + k] = (int64_t) ((20 + 960 * ((double) k + 0.5) / (double) shape->ticks) * MS);
  }
  data->must_move = shape->batch * shape->ticks * 8;
  for (i = 0; i < shape->n_streams; i++)
    make_stream (data, i);
}

static void
free_data (Data *data)
{
  int i;

  for (i = 0; i < data->shape->n_streams; i++) {
    free ((void *) data->host[i].rows);
    free ((void *) data->host[i].times);
    free (data->host[i].out);
    free (data->host[i].status);
    free (data->brackets[i]);
  }
  free (data->ticks);
}

/* ---- timing ---- */

typedef struct
{
  RcBackend *backend;
  RcAlignStreamArgs streams[MAX_STREAMS];
  RcAlignArgs args;
  RcAlignPlan *plan;
  void *memory[MAX_STREAMS * 5 + 2];
  int n_memory;
} Copy;

static void *
keep (Copy *copy, int64_t bytes, const void *host)
{
  return copy->memory[copy->n_memory++] = bench_memory (copy->backend, (uint64_t) bytes, host);
}

static void
make_copy (Copy *copy, const Data *data, RcBackend *backend)
{
  const RcAlignSpec spec = { data->specs, data->shape->n_streams };
  const int64_t batch = data->shape->batch, n_ticks = data->shape->ticks;
  RcFootprint footprint;
  RcError error;
  int i;

  memset (copy, 0, sizeof (*copy));
  copy->backend = backend;
  if (rc_align_plan (backend, &spec, &copy->plan, &footprint, &error) != RC_OK)
    bench_fail ("plan", error.message);
  for (i = 0; i < data->shape->n_streams; i++) {
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

static void
free_copy (Copy *copy)
{
  int i;

  rc_align_plan_free (copy->plan);
  for (i = 0; i < copy->n_memory; i++)
    rc_memory_free (copy->backend, RC_MEMORY_DEVICE, copy->memory[i]);
}

static void
run_copy (void *data, int i, cudaStream_t stream)
{
  Copy *copies = data;
  RcError error;

  if (rc_align_run (copies[i].plan, &copies[i].args, stream, &error) != RC_OK)
    bench_fail ("run", error.message);
}

static double
time_cpu (const Data *data, RcBackend *cpu)
{
  const RcAlignSpec spec = { data->specs, data->shape->n_streams };
  const RcAlignArgs args = { data->host, data->shape->batch, data->shape->ticks, data->ticks, data->shape->ticks * 8,
    NULL
  };
  RcAlignPlan *plan;
  RcError error;
  float us[5];
  int i;

  if (rc_align_plan (cpu, &spec, &plan, NULL, &error) != RC_OK)
    bench_fail ("plan", error.message);
  for (i = 0; i < 5; i++) {
    const double before = bench_now_us ();

    if (rc_align_run (plan, &args, NULL, &error) != RC_OK)
      bench_fail ("run", error.message);
    us[i] = (float) (bench_now_us () - before);
  }
  rc_align_plan_free (plan);
  return bench_median (us, 5);
}

double
bench_align_nothing (const Bench *bench)
{
  static const Shape nothing = { "", 1, 1, 1, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{1, 1}}, 0 };
  double us;
  Data data;
  Copy copy;

  make_data (&data, &nothing);
  make_copy (&copy, &data, bench->backend);
  copy.streams[0].rows = NULL;
  copy.streams[0].status = NULL;
  us = bench_time (bench, run_copy, &copy, 1, 20);
  free_copy (&copy);
  free_data (&data);
  return us;
}

static void
measure (const Bench *bench, const Shape *shape)
{
  Copy *copies = calloc (BENCH_MAX_COPIES, sizeof (*copies));
  BenchTimes times;
  int n_copies, i;
  Data data;

  make_data (&data, shape);
  n_copies = bench_copies (bench, data.must_move);
  for (i = 0; i < n_copies; i++)
    make_copy (&copies[i], &data, bench->backend);
  times = bench_times (bench, run_copy, copies, n_copies, data.must_move);
  bench_print (shape->name, data.must_move, &times, bench_time_enqueue (bench, run_copy, copies),
      time_cpu (&data, bench->cpu));
  for (i = 0; i < n_copies; i++)
    free_copy (&copies[i]);
  free_data (&data);
  free (copies);
}

void
bench_align (const Bench *bench, const BenchWish *wish)
{
  size_t i;

  bench_print_head ("alignment");
  for (i = 0; i < sizeof (shapes) / sizeof (shapes[0]); i++) {
    if (bench_wants (wish, i, shapes[i].name))
      measure (bench, &shapes[i]);
  }
}

void
bench_align_once (const Bench *bench, const BenchWish *wish)
{
  size_t i;

  for (i = 0; i < sizeof (shapes) / sizeof (shapes[0]); i++) {
    Copy copy;
    Data data;

    if (!bench_wants (wish, i, shapes[i].name))
      continue;
    make_data (&data, &shapes[i]);
    make_copy (&copy, &data, bench->backend);
    bench_twice (bench, shapes[i].name, run_copy, &copy);
    free_copy (&copy);
    free_data (&data);
  }
}

/* robocache: alignments that are timed, or checked
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/alignment.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/memory.h"

#define RECORDING_NS 1000000000 /* of the rows */
#define FIRST_NS 20000000       /* of the ticks, which end as long before the rows do */
#define TICKS_NS 960000000
#define DISTINCT 1000003        /* elements of rows */

/* ---- data ---- */

/* Rows of a recording of one second: jitter of a third of a period. */
static void
fill_times (int64_t *times, int64_t n)
{
  int64_t i;

  for (i = 0; i < n; i++)
    times[i] = (int64_t) ((((double) i + 0.33 * bench_uniform ()) / (double) n) * RECORDING_NS);
}

/* An odd number of them comes again and again, so that rows differ from their neighbours. */
static void
fill_rows (void *rows, RcDtype dtype, int64_t n)
{
  const int64_t distinct = n < DISTINCT ? n : DISTINCT, size = (int64_t) rc_dtype_size (dtype);
  const double least = rc_dtype_is_float (dtype) ? -1 : 0, most = rc_dtype_is_float (dtype) ? 1 : 127;
  int64_t i;

  for (i = 0; i < distinct; i++)
    bench_put ((char *) rows + i * size, dtype, least + (most - least) * bench_uniform ());
  bench_repeat (rows, distinct * size, n * size);
}

/* Rows of an episode that some tick reads. */
static int64_t
rows_needed (const BenchAlignData *data, int i, int64_t e, uint8_t *seen)
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
make_channels (BenchAlignData *data, int i)
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
make_stream (BenchAlignData *data, int i)
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

void
bench_align_make_data (BenchAlignData *data, const BenchAlignment *work)
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

void
bench_align_free_data (BenchAlignData *data)
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

/* ---- copies ---- */

/* Memory as another one, which the CPU reads where it is. */
static void *
keep (BenchAlignCopy *copy, int64_t bytes, const void *like)
{
  if (like != NULL && rc_backend_kind (copy->backend) == RC_BACKEND_CPU)
    return (void *) like;
  return copy->memory[copy->n_memory++] = bench_memory (copy->backend, (uint64_t) bytes, like);
}

void
bench_align_open (BenchAlignCopy *copy, const BenchAlignData *data, RcBackend *backend)
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

void
bench_align_open_again (BenchAlignCopy *copy, const BenchAlignData *data, const BenchAlignCopy *first)
{
  BenchAlignData there = *data;

  memcpy (there.host, first->streams, sizeof (there.host));
  there.ticks = (int64_t *) first->args.tick_times;
  bench_align_open (copy, &there, first->backend);
}

void
bench_align_close (BenchAlignCopy *copy)
{
  int i;

  rc_align_plan_free (copy->plan);
  for (i = 0; i < copy->n_memory; i++)
    rc_memory_free (copy->backend, RC_MEMORY_DEVICE, copy->memory[i]);
}

void
bench_align_run (void *copies, int i, cudaStream_t stream)
{
  const BenchAlignCopy *copy = (const BenchAlignCopy *) copies + i;
  RcError error;

  if (rc_align_run (copy->plan, &copy->args, stream, &error) != RC_OK)
    bench_fail ("run", error.message);
}

void
bench_align_compare (const Bench *bench, const BenchAlignData *data, const BenchAlignCopy *device,
    const BenchAlignCopy *cpu, char differs[BENCH_DIFFERS_SIZE])
{
  int i;

  for (i = 0; i < data->work->n_streams; i++) {
    bench_compare (bench, differs, "output", device->streams[i].out, cpu->streams[i].out, data->out_bytes[i]);
    bench_compare (bench, differs, "status", device->streams[i].status, cpu->streams[i].status,
        data->work->batch * data->work->ticks);
  }
}

/* robocache: runs of alignments
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/kernels/job.h"

#define RECORDING_NS 1000000000 /* duration of the rows */
#define FIRST_NS 20000000       /* first and last 20 ms have no ticks */
#define TICKS_NS 960000000
#define DISTINCT 1000003        /* elements before rows repeat; a prime, so that rows differ from their neighbours */

/* ---- inputs ---- */

static void
fill_rows (void *rows, RcDtype dtype, int64_t n)
{
  const int64_t distinct = n < DISTINCT ? n : DISTINCT, size = (int64_t) rc_dtype_size (dtype);
  const double least = rc_dtype_is_float (dtype) ? -1 : 0, most = rc_dtype_is_float (dtype) ? 1 : 127;

  for (int64_t i = 0; i < distinct; i++)
    bench_put ((char *) rows + i * size, dtype, least + (most - least) * bench_uniform ());
  bench_repeat (rows, distinct * size, n * size);
}

/* Rows of an episode that some tick reads. seen is 0 for each row, before and after. */
static int64_t
rows_needed (const BenchJob *job, int i, int64_t episode, uint8_t *seen)
{
  const RcAlignStreamArgs *stream = &job->streams[i];
  const int64_t ticks = job->work->align.ticks;
  int64_t n = 0;

  for (int64_t k = 0; k < ticks; k++) {
    const RcBracket b = rc_bracket_find (&job->specs[i].search, stream->times + episode * stream->n_rows, stream->n_rows,
        job->align_args.tick_times[episode * ticks + k]);

    if (b.blend == RC_BLEND_MEAN)
      memset (seen + b.row, 1, (size_t) (b.next - b.row));
    else if (b.blend != RC_BLEND_NONE)
      seen[b.row] = seen[b.next] = seen[b.before] = seen[b.after] = 1;
  }
  for (int64_t r = 0; r < stream->n_rows; r++) {
    n += seen[r];
    seen[r] = 0;
  }
  return n;
}

static void
fill_stream (BenchJob *job, int i)
{
  const BenchAlignment *work = &job->work->align;
  const RcAlignStreamArgs *stream = &job->streams[i];
  uint8_t *seen = calloc ((size_t) stream->n_rows, 1);

  fill_rows ((void *) stream->rows, work->in, work->batch * stream->n_rows * job->specs[i].channels);
  for (int64_t e = 0; e < work->batch; e++) {
    for (int64_t k = 0; k < stream->n_rows; k++)
      ((int64_t *) stream->times)[e * stream->n_rows + k] =
          (int64_t) ((((double) k + 0.33 * bench_uniform ()) / (double) stream->n_rows) * RECORDING_NS);
    job->bytes.read += rows_needed (job, i, e, seen) * stream->row_stride + stream->n_rows * 8;
  }
  job->bytes.written += work->batch * work->ticks * (stream->out_row_stride + 1);
  if (stream->brackets != NULL)
    *(RcBracket *) stream->brackets = rc_bracket_find (&job->specs[i].search, stream->times, stream->n_rows,
        job->align_args.tick_times[0]);
  free (seen);
}

/* ---- plans ---- */

/* First channel of each quaternion, or the rate of each position. */
static void
describe_channels (BenchJob *job, int i)
{
  RcAlignStreamSpec *spec = &job->specs[i];
  const BenchAlignment *work = &job->work->align;
  const int64_t half = spec->channels / 2, n = work->quaternions > 0 ? work->quaternions : half;
  int32_t *list;

  if (work->quaternions == 0 && work->interpolation != RC_HERMITE)
    return;
  list = job->channels[i] = malloc ((size_t) n * sizeof (*list));
  for (int64_t k = 0; k < n; k++)
    list[k] = (int32_t) (work->quaternions > 0 ? 4 * k : half + k);
  if (work->quaternions > 0) {
    spec->quaternions = list;
    spec->n_quaternions = n;
  } else {
    spec->velocities = list;
    spec->n_velocities = n;
  }
}

static void
open_stream (BenchJob *job, const BenchJob *like, int64_t rows, int64_t channels)
{
  static const char *const kinds[] = { "rows", "times", "out", "status", "bracket" };
  const BenchAlignment *work = &job->work->align;
  const int64_t in_row = channels * (int64_t) rc_dtype_size (work->in), out_row = channels * (int64_t) rc_dtype_size (work->out);
  const int64_t bytes[] = { work->batch * rows * in_row, work->batch * rows * 8, work->batch * work->ticks * out_row,
    work->batch * work->ticks, (int64_t) sizeof (RcBracket)
  };
  const int i = job->n_streams++;
  void *arrays[5] = { NULL };
  char name[16];

  for (int k = 0; k < 4 + work->live; k++) {
    snprintf (name, sizeof (name), "%s_%d", kinds[k], i);
    arrays[k] = bench_job_array (job, like, name, bytes[k], k != 2 && k != 3, k == 2 || k == 3);
  }
  job->specs[i] = (RcAlignStreamSpec) {.in = work->in,.out = work->out,.channels = channels,
    .search = {work->interpolation, -1, 0, TICKS_NS / work->ticks}
  };
  describe_channels (job, i);
  job->streams[i] = (RcAlignStreamArgs) {.rows = arrays[0],.n_rows = rows,.row_stride = in_row,.batch_stride = rows * in_row,
    .times = arrays[1],.times_batch_stride = rows * 8,.out = arrays[2],.out_row_stride = out_row,
    .out_batch_stride = work->ticks * out_row,.status = arrays[3],.status_batch_stride = work->ticks,.brackets = arrays[4]
  };
}

void
bench_job_open_alignment (BenchJob *job, const BenchJob *like)
{
  const BenchAlignment *work = &job->work->align;
  const int64_t tick_bytes = work->batch * work->ticks * 8;
  RcFootprint footprint;
  RcError error;
  int64_t n;

  job->align_args = (RcAlignArgs) { job->streams, work->batch, work->ticks,
    bench_job_array (job, like, "ticks", tick_bytes, 1, 0), work->ticks * 8, NULL
  };
  for (size_t k = 0; k < sizeof (work->streams) / sizeof (work->streams[0]) && work->streams[k].rows > 0; k++) {
    for (n = work->streams[k].n > 0 ? work->streams[k].n : 1; n > 0; n--)
      open_stream (job, like, work->streams[k].rows, work->streams[k].channels);
  }
  bench_must (rc_align_plan (job->backend, &(RcAlignSpec) {job->specs, job->n_streams}, &job->align, &footprint, &error),
      &error, job->work->name);
  job->align_args.scratch = bench_job_array (job, like, "scratch", (int64_t) footprint.scratch_bytes, 0, 0);
  if (like != NULL) {
    job->bytes = like->bytes;
    return;
  }
  for (int64_t i = 0; i < work->batch * work->ticks; i++)
    ((int64_t *) job->align_args.tick_times)[i] =
        (int64_t) (FIRST_NS + TICKS_NS * ((double) (i % work->ticks) + 0.5) / (double) work->ticks);
  job->bytes.read = tick_bytes;
  for (size_t k = 0; k < (size_t) job->n_streams; k++)
    fill_stream (job, (int) k);
}

/* robocache: all ticks of one stream
 *
 * A tick moves the bytes of the bracketed rows in and one row out, nothing else: rows that are not float32 or float64
 * pass through blocks on the stack.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align_stream.h"

#include "convert.h"
#include "kernels/arithmetic.h"

#include <string.h>

#define RC_BLOCK 256            /* channels; four blocks of doubles stay in the first-level cache */

static const RcConversions *const conversions = &RC_LEVEL_NAME (rc_conversions);

#define REAL float
#define REAL_DTYPE RC_FLOAT32
#define LOOSE float_loose
#define NAME(x) x##_float32
#define CANONICAL rc_canonical32
#define LOADS conversions->load_float32
#define STORES conversions->store_float32
#include "blend.h"
#undef REAL
#undef REAL_DTYPE
#undef LOOSE
#undef NAME
#undef CANONICAL
#undef LOADS
#undef STORES

#define REAL double
#define REAL_DTYPE RC_FLOAT64
#define LOOSE double_loose
#define NAME(x) x##_float64
#define CANONICAL rc_canonical64
#define LOADS conversions->load_float64
#define STORES conversions->store_float64
#include "blend.h"

static const struct
{
  void (*blend_row) (const RcAlignStream * stream, const char *rows, int64_t row_stride, const RcBracket * bracket,
      char *out);
  void (*copy_row) (const RcAlignStream * stream, const char *row, char *out);
} computed[] = {
  [RC_COMPUTE_FLOAT32] = {blend_row_float32, copy_row_float32},
  [RC_COMPUTE_FLOAT64] = {blend_row_float64, copy_row_float64},
};

static int64_t
block_of (int64_t left)
{
  return left < RC_BLOCK ? left : RC_BLOCK;
}

static void
missing_row (const RcAlignStream *stream, char *out)
{
  double nothing[RC_BLOCK];
  int64_t done, m;

  for (m = 0; m < block_of (stream->channels); m++)
    nothing[m] = rc_float64 (RC_NAN64_BITS);
  for (done = 0; done < stream->channels; done += m) {
    m = block_of (stream->channels - done);
    conversions->store_float64[stream->out] (nothing, out + done * stream->out_size, m);
  }
}

static void
copy_integers (const RcAlignStream *stream, const char *row, char *out)
{
  int64_t values[RC_BLOCK], done, m;

  for (done = 0; done < stream->channels; done += m) {
    m = block_of (stream->channels - done);
    conversions->load_int64[stream->in] (row + done * stream->in_size, values, m);
    conversions->store_int64[stream->out] (values, out + done * stream->out_size, m);
  }
}

static void
copy_row (const RcAlignStream *stream, const char *row, char *out)
{
  if (stream->copy == RC_COPY_BITS)
    memcpy (out, row, (size_t) stream->in_row);
  else if (stream->copy == RC_COPY_INTEGERS)
    copy_integers (stream, row, out);
  else
    computed[stream->compute].copy_row (stream, row, out);
}

static void
add_row (double *restrict sum, const double *restrict row, int64_t n)
{
  int64_t i;

  for (i = 0; i < n; i++)
    sum[i] = sum[i] + row[i];
}

/* times is NULL in the brackets form; otherwise of rows with equal times only the last counts. */
static void
mean_row (const RcAlignStream *stream, const char *rows, int64_t row_stride, const int64_t *times,
    const RcBracket *bracket, char *out)
{
  double sum[RC_BLOCK], row[RC_BLOCK];
  int64_t done, m, i, k, count;

  for (done = 0; done < stream->channels; done += m) {
    m = block_of (stream->channels - done);
    count = 0;
    for (i = bracket->row; i < bracket->next; i++) {
      if (times != NULL && i + 1 < bracket->next && times[i + 1] == times[i])
        continue;
      conversions->load_float64[stream->in] (rows + i * row_stride + done * stream->in_size, count == 0 ? sum : row, m);
      if (count++ > 0)
        add_row (sum, row, m);
    }
    for (k = 0; k < m; k++)
      sum[k] = sum[k] / (double) count;
    conversions->store_float64[stream->out] (sum, out + done * stream->out_size, m);
  }
}

static void
blend_quaternion (const RcAlignStream *stream, const char *y0, const char *y1, int64_t channel, double w, char *out)
{
  double q0[4], q1[4], q[4];

  conversions->load_float64[stream->in] (y0 + channel * stream->in_size, q0, 4);
  conversions->load_float64[stream->in] (y1 + channel * stream->in_size, q1, 4);
  rc_slerp (q0, q1, w, q);
  conversions->store_float64[stream->out] (q, out + channel * stream->out_size, 4);
}

static void
blend_angles (const RcAlignStream *stream, const char *y0, const char *y1, const RcChannelRun *run, double w, char *out)
{
  double a0[RC_BLOCK], a1[RC_BLOCK];
  int64_t done, m, i;

  for (done = run->first; done < run->first + run->n; done += m) {
    m = block_of (run->first + run->n - done);
    conversions->load_float64[stream->in] (y0 + done * stream->in_size, a0, m);
    conversions->load_float64[stream->in] (y1 + done * stream->in_size, a1, m);
    for (i = 0; i < m; i++)
      a0[i] = rc_blend_angle (a0[i], a1[i], w);
    conversions->store_float64[stream->out] (a0, out + done * stream->out_size, m);
  }
}

static void
blend_row (const RcAlignStream *stream, const char *rows, int64_t row_stride, const RcBracket *bracket, char *out)
{
  const char *y0 = rows + bracket->row * row_stride, *y1 = rows + bracket->next * row_stride;
  int64_t i;

  computed[stream->compute].blend_row (stream, rows, row_stride, bracket, out);
  for (i = 0; i < stream->n_quaternions; i++)
    blend_quaternion (stream, y0, y1, stream->quaternions[i], bracket->w, out);
  for (i = 0; i < stream->n_angles; i++)
    blend_angles (stream, y0, y1, &stream->angles[i], bracket->w, out);
}

static void
align_row (const RcAlignStream *stream, const char *rows, int64_t row_stride, const int64_t *times,
    const RcBracket *bracket, char *out)
{
  switch (bracket->blend) {
    case RC_BLEND_NONE:
      missing_row (stream, out);
      break;
    case RC_BLEND_COPY:
      copy_row (stream, rows + bracket->row * row_stride, out);
      break;
    case RC_BLEND_MEAN:
      mean_row (stream, rows, row_stride, times, bracket, out);
      break;
    default:
      blend_row (stream, rows, row_stride, bracket, out);
      break;
  }
}

/* Whether n times never decrease. Counts all steps back, which vectorises, rather than stopping at the first. */
static int
is_ordered (const int64_t *times, int64_t n)
{
  int64_t i, back = 0;

  for (i = 1; i < n; i++)
    back += times[i] < times[i - 1];
  return back == 0;
}

/* The rows of one episode; an episode that cannot be searched has none. */
typedef struct
{
  const char *rows;
  const int64_t *times;
  int64_t n;
  int disordered;
} Episode;

static Episode
episode_of (const RcAlignStreamArgs *args, int64_t e)
{
  Episode episode = { NULL, NULL, 0, 0 };

  if (args->rows == NULL)
    return episode;
  episode.rows = (const char *) args->rows + e * args->batch_stride;
  if (args->brackets != NULL)
    return episode;
  episode.n = args->row_counts != NULL ? args->row_counts[e] : args->n_rows;
  if (args->times != NULL)
    episode.times = (const int64_t *) ((const char *) args->times + e * args->times_batch_stride);
  episode.disordered = episode.n < 0 || episode.n > args->n_rows || !is_ordered (episode.times, episode.n);
  if (episode.disordered)
    episode.n = 0;
  return episode;
}

static void
align_episode (const RcAlignStream *stream, const RcAlignStreamArgs *args, const RcAlignArgs *all, int64_t e,
    int64_t *statuses)
{
  const Episode episode = episode_of (args, e);
  const int64_t *ticks = all->tick_times == NULL ? NULL
      : (const int64_t *) ((const char *) all->tick_times + e * all->tick_times_batch_stride);
  char *out = (char *) args->out + e * args->out_batch_stride;
  uint8_t *status = args->status == NULL ? NULL : args->status + e * args->status_batch_stride;
  int64_t k;

  for (k = 0; k < all->ticks; k++) {
    RcBracket found;
    const RcBracket *bracket = &found;

    if (episode.rows != NULL && args->brackets != NULL)
      bracket = &args->brackets[k];
    else
      found = episode.n == 0 ? rc_bracket_none ()
          : rc_bracket_find (&stream->search, episode.times, episode.n, ticks[k]);
    align_row (stream, episode.rows, args->row_stride, episode.times, bracket, out + k * args->out_row_stride);
    statuses[bracket->status]++;
    if (status != NULL)
      status[k] = (uint8_t) bracket->status;
  }
  if (args->counters != NULL)
    args->counters->disordered_episodes += episode.disordered;
}

void
RC_LEVEL_NAME (rc_cpu_align_stream) (const RcAlignStream *stream, const RcAlignStreamArgs *rows,
    const RcAlignArgs *args)
{
  int64_t statuses[RC_MISSING + 1] = { 0, 0, 0 };
  int64_t e;

  for (e = 0; e < args->batch; e++)
    align_episode (stream, rows, args, e, statuses);
  if (rows->counters != NULL) {
    rows->counters->aligned += statuses[RC_ALIGNED];
    rows->counters->held += statuses[RC_HELD];
    rows->counters->missing += statuses[RC_MISSING];
  }
}

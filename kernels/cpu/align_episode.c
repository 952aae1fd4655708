/* robocache: all ticks of one episode
 *
 * A tick moves the bytes of the bracketed rows in and one row out, nothing else: rows that are not float32 or float64
 * pass through blocks on the stack. Ticks are taken some at a time: while one block of them is blended, the rows that the
 * next one's brackets name are on their way to the cache.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align_episode.h"

#include "align_search.h"
#include "convert.h"
#include "kernels/arithmetic.h"

#include <string.h>

#define RC_BLOCK 256            /* channels; four blocks of doubles stay in the first-level cache */
#define RC_FETCHED 256          /* bytes of a row that are fetched before they are read; those after them are in order */
#define RC_LINE 64              /* bytes of a line of the cache */
#define RC_WEIGHTS 512          /* of a lowpass that are kept */

static const RcConversions *const conversions = &RC_LEVEL_NAME (rc_conversions);

static int64_t
block_of (int64_t left)
{
  return left < RC_BLOCK ? left : RC_BLOCK;
}

/* ---- a row ---- */

#define REAL float
#define BITS int32_t
#define NAN_BITS (int32_t) RC_NAN32_BITS
#define REAL_DTYPE RC_FLOAT32
#define LOOSE float_loose
#define NAME(x) x##_float32
#define CANONICAL rc_canonical32
#define LOADS conversions->load_float32
#define STORES conversions->store_float32
#include "blend.h"
#undef REAL
#undef BITS
#undef NAN_BITS
#undef REAL_DTYPE
#undef LOOSE
#undef NAME
#undef CANONICAL
#undef LOADS
#undef STORES

#define REAL double
#define BITS int64_t
#define NAN_BITS (int64_t) RC_NAN64_BITS
#define REAL_DTYPE RC_FLOAT64
#define LOOSE double_loose
#define NAME(x) x##_float64
#define CANONICAL rc_canonical64
#define LOADS conversions->load_float64
#define STORES conversions->store_float64
#include "blend.h"

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
copy_integers (const RcAlignStream *stream, const char *from, char *out, int64_t n)
{
  int64_t values[RC_BLOCK], done, m;

  for (done = 0; done < n; done += m) {
    m = block_of (n - done);
    conversions->load_int64[stream->in] (from + done * stream->in_size, values, m);
    conversions->store_int64[stream->out] (values, out + done * stream->out_size, m);
  }
}

static void
copy_channels (const RcAlignStream *stream, const char *from, char *out, int64_t n)
{
  if (stream->copy == RC_COPY_BITS)
    memcpy (out, from, (size_t) (n * stream->in_size));
  else if (stream->copy == RC_COPY_INTEGERS)
    copy_integers (stream, from, out, n);
  else if (stream->compute == RC_COMPUTE_FLOAT32)
    copy_channels_float32 (stream, from, out, n);
  else
    copy_channels_float64 (stream, from, out, n);
}

/* What was blended there is overwritten. */
static __attribute__ ((noinline)) void
copy_holds (const RcAlignStream *stream, const char *row, char *out)
{
  int64_t i;

  for (i = 0; i < stream->n_holds; i++)
    copy_channels (stream, row + stream->holds[i].first * stream->in_size, out + stream->holds[i].first * stream->out_size,
        stream->holds[i].n);
}

static void
add_row (double *restrict sum, const double *restrict row, int64_t n)
{
  int64_t i;

  for (i = 0; i < n; i++)
    sum[i] = sum[i] + row[i];
}

/* The rows of a mean or lowpass. */
typedef struct
{
  const RcAlignStream *stream;
  const char *rows;
  int64_t row_stride;
  const int64_t *times;         /* NULL in the brackets form of a mean; otherwise of rows with equal times only the last counts */
  const RcBracket *bracket;
  const double *weights;        /* of a lowpass: of the first n_weights rows, equal ones too */
  int64_t n_weights;
} SumRows;

/* The first row from i on that counts; bracket->next when there is no such row. */
static int64_t
counted_row (const SumRows *all, int64_t i)
{
  return all->times == NULL ? i : rc_counted_row (all->times, all->bracket->next, i);
}

/* 1 in a mean. */
static double
weight_of (const SumRows *all, int64_t i)
{
  if (all->bracket->blend == RC_BLEND_MEAN)
    return 1.0;
  if (i - all->bracket->row < all->n_weights)
    return all->weights[i - all->bracket->row];
  return rc_lowpass_weight (all->bracket, all->times, i);
}

static void
load_channels (const SumRows *all, int64_t i, int64_t channel, double *values, int64_t n)
{
  conversions->load_float64[all->stream->in] (all->rows + i * all->row_stride + channel * all->stream->in_size, values, n);
}

/* Every channel as a plain number. Returns how many rows count. */
static int64_t
mean_plain (const SumRows *all, char *out)
{
  const RcAlignStream *stream = all->stream;
  const int64_t first = all->bracket->row, end = all->bracket->next;
  double sum[RC_BLOCK], row[RC_BLOCK];
  int64_t done, m, i, k, count = 0;

  for (done = 0; done < stream->channels; done += m) {
    m = block_of (stream->channels - done);
    count = 0;
    for (i = counted_row (all, first); i < end; i = counted_row (all, i + 1)) {
      load_channels (all, i, done, count == 0 ? sum : row, m);
      if (count++ > 0)
        add_row (sum, row, m);
    }
    for (k = 0; k < m; k++)
      sum[k] = sum[k] / (double) count;
    conversions->store_float64[stream->out] (sum, out + done * stream->out_size, m);
  }
  return count;
}

static void
add_weighted_row (double *restrict sum, const double *restrict row, double weight, int64_t n)
{
  int64_t i;

  for (i = 0; i < n; i++)
    sum[i] = sum[i] + weight * row[i];
}

/* Every channel as a plain number. */
static void
filter_plain (const SumRows *all, char *out)
{
  const RcAlignStream *stream = all->stream;
  const int64_t first = counted_row (all, all->bracket->row), end = all->bracket->next;
  double sum[RC_BLOCK], row[RC_BLOCK];
  int64_t done, m, i, k;

  for (done = 0; done < stream->channels; done += m) {
    m = block_of (stream->channels - done);
    load_channels (all, first, done, row, m);
    for (k = 0; k < m; k++)
      sum[k] = weight_of (all, first) * row[k];
    for (i = counted_row (all, first + 1); i < end; i = counted_row (all, i + 1)) {
      load_channels (all, i, done, row, m);
      add_weighted_row (sum, row, weight_of (all, i), m);
    }
    for (k = 0; k < m; k++)
      sum[k] = sum[k] / all->bracket->w;
    conversions->store_float64[stream->out] (sum, out + done * stream->out_size, m);
  }
}

/* total: of all weights. */
static void
mean_angles (const SumRows *all, const RcChannelRun *run, double total, char *out)
{
  const RcAlignStream *stream = all->stream;
  const int64_t first = counted_row (all, all->bracket->row), end = all->bracket->next;
  RcAngleMean means[RC_BLOCK];
  double row[RC_BLOCK];
  int64_t done, m, i, k;

  for (done = run->first; done < run->first + run->n; done += m) {
    m = block_of (run->first + run->n - done);
    load_channels (all, first, done, row, m);
    for (k = 0; k < m; k++)
      rc_angle_mean_begin (&means[k], row[k]);
    for (i = counted_row (all, first + 1); i < end; i = counted_row (all, i + 1)) {
      const double weight = weight_of (all, i);

      load_channels (all, i, done, row, m);
      for (k = 0; k < m; k++)
        rc_angle_mean_add (&means[k], row[k], weight);
    }
    for (k = 0; k < m; k++)
      row[k] = rc_angle_mean_end (&means[k], total, &stream->angle_limits);
    conversions->store_float64[stream->out] (row, out + done * stream->out_size, m);
  }
}

/* Returns whether its rows are scattered. */
static int
mean_quaternion (const SumRows *all, int64_t channel, double total, char *out)
{
  const int64_t first = counted_row (all, all->bracket->row), end = all->bracket->next;
  RcQuaternionMean mean;
  int is_scattered;
  double q[4];
  int64_t i;

  load_channels (all, first, channel, q, 4);
  rc_quaternion_mean_begin (&mean, q, weight_of (all, first));
  for (i = counted_row (all, first + 1); i < end; i = counted_row (all, i + 1)) {
    load_channels (all, i, channel, q, 4);
    rc_quaternion_mean_add (&mean, q, weight_of (all, i));
  }
  is_scattered = rc_quaternion_mean_end (&mean, total, q);
  conversions->store_float64[all->stream->out] (q, out + channel * all->stream->out_size, 4);
  return is_scattered;
}

/* Computes the quaternions and angles of a row whose other channels are computed already. Returns whether the rows of some quaternion are
 * scattered. */
static int
mean_special (const SumRows *all, double total, char *out)
{
  const RcAlignStream *stream = all->stream;
  int are_scattered = 0;
  int64_t i;

  for (i = 0; i < stream->n_quaternions; i++)
    are_scattered |= mean_quaternion (all, stream->quaternions[i], total, out);
  for (i = 0; i < stream->n_angles; i++)
    mean_angles (all, &stream->angles[i], total, out);
  return are_scattered;
}

/* A lowpass; weights are computed once for the first RC_WEIGHTS rows, which mostly are all. */
static __attribute__ ((noinline)) int
filter_row (const SumRows *rows, char *out)
{
  const RcBracket *bracket = rows->bracket;
  double weights[RC_WEIGHTS];
  SumRows all = *rows;
  int64_t i;

  all.weights = weights;
  all.n_weights = bracket->next - bracket->row < RC_WEIGHTS ? bracket->next - bracket->row : RC_WEIGHTS;
  for (i = 0; i < all.n_weights; i++)
    weights[i] = rc_lowpass_weight (bracket, all.times, bracket->row + i);
  filter_plain (&all, out);
  return mean_special (&all, bracket->w, out);
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
      a0[i] = rc_blend_angle (a0[i], a1[i], w, &stream->angle_limits);
    conversions->store_float64[stream->out] (a0, out + done * stream->out_size, m);
  }
}

/* The quaternions and angles of a row whose other channels are blended. */
static void
blend_special (const RcAlignStream *stream, const char *rows, int64_t row_stride, const RcBracket *bracket, char *out)
{
  const char *y0 = rows + bracket->row * row_stride, *y1 = rows + bracket->next * row_stride;
  int64_t i;

  for (i = 0; i < stream->n_quaternions; i++)
    blend_quaternion (stream, y0, y1, stream->quaternions[i], bracket->w, out);
  for (i = 0; i < stream->n_angles; i++)
    blend_angles (stream, y0, y1, &stream->angles[i], bracket->w, out);
}

/* ---- an episode ---- */

/* Its rows, and where its ticks go; one that cannot be searched has no rows. */
typedef struct
{
  const RcAlignStream *stream;
  const char *rows;
  int64_t row_stride;
  const int64_t *times;
  const int64_t *filter_times;  /* the same, or those that come with brackets */
  int64_t n;                    /* times */
  int disordered;
  const int64_t *ticks;
  char *out;
  int64_t out_stride;
  uint8_t *status;              /* NULL: not wanted */
} Episode;

/* Whether n times never decrease. Counts all steps back, which vectorises, rather than stopping at the first. */
static int
is_ordered (const int64_t *times, int64_t n)
{
  int64_t i, back = 0;

  for (i = 1; i < n; i++)
    back += times[i] < times[i - 1];
  return back == 0;
}

static Episode
episode_of (const RcAlignStream *stream, const RcAlignStreamArgs *args, const RcAlignArgs *all, int64_t e)
{
  Episode episode = {.stream = stream,.row_stride = args->row_stride,.out_stride = args->out_row_stride };

  episode.out = (char *) args->out + e * args->out_batch_stride;
  episode.status = args->status == NULL ? NULL : args->status + e * args->status_batch_stride;
  if (args->rows == NULL)
    return episode;
  episode.rows = (const char *) args->rows + e * args->batch_stride;
  episode.filter_times = args->times;
  if (args->brackets != NULL)
    return episode;
  if (all->tick_times != NULL)
    episode.ticks = (const int64_t *) ((const char *) all->tick_times + e * all->tick_times_batch_stride);
  episode.n = args->row_counts != NULL ? args->row_counts[e] : args->n_rows;
  if (args->times != NULL)
    episode.times = episode.filter_times = (const int64_t *) ((const char *) args->times + e * args->times_batch_stride);
  episode.disordered = episode.n < 0 || episode.n > args->n_rows || !is_ordered (episode.times, episode.n);
  if (episode.disordered)
    episode.n = 0;
  return episode;
}

static inline void
fetch_row (const char *row, int64_t bytes)
{
  int64_t i;

  for (i = 0; i < bytes; i += RC_LINE)
    __builtin_prefetch (row + i);
}

static int
align_sum (const Episode *episode, const RcBracket *bracket, char *out)
{
  SumRows rows = { episode->stream, episode->rows, episode->row_stride, episode->times, bracket, NULL, 0 };

  if (bracket->blend == RC_BLEND_MEAN)
    return mean_special (&rows, (double) mean_plain (&rows, out), out);
  rows.times = episode->filter_times;
  return filter_row (&rows, out);
}

/* Returns whether it is a sum of a quaternion whose rows are scattered. */
static int
align_other_row (const Episode *episode, const RcBracket *bracket, char *out)
{
  if (rc_bracket_is_sum (bracket))
    return align_sum (episode, bracket, out);
  if (bracket->blend == RC_BLEND_NONE)
    missing_row (episode->stream, out);
  else
    copy_channels (episode->stream, episode->rows + bracket->row * episode->row_stride, out, episode->stream->channels);
  return 0;
}

/* Counts of ticks: of each status, and of means whose rows are scattered. */
enum
{
  SCATTERED = RC_MISSING + 1,
  N_COUNTS
};

/* Tick k, which was counted with the status of its bracket, is missing: its rows are scattered. */
static __attribute__ ((noinline)) void
lose_tick (const Episode *episode, const RcBracket *bracket, int64_t k, int64_t counts[N_COUNTS])
{
  counts[bracket->status]--;
  counts[RC_MISSING]++;
  counts[SCATTERED]++;
  if (episode->status != NULL)
    episode->status[k] = RC_MISSING;
}

/* Ticks that follow one another, and their brackets. */
typedef struct
{
  int64_t first;
  int64_t n;
  const RcBracket *brackets;
} Ticks;

typedef void (*BlendRow) (const RcAlignStream * stream, const char *rows, int64_t row_stride, const RcBracket * bracket,
    char *out);

/* Inlined with what blends the plain channels, which then is inlined too: rows of few channels take less than a call. What
 * it reads of structs is read beforehand, for as far as a compiler knows an output row may lie in them. next: the ticks after
 * these, whose rows are fetched; as many at most. */
static inline __attribute__ ((always_inline)) void
align_rows_by (BlendRow blend_row, const Episode *episode, const Ticks *ticks, const Ticks *next, int64_t counts[N_COUNTS])
{
  const RcAlignStream *stream = episode->stream;
  const int has_special = stream->n_quaternions > 0 || stream->n_angles > 0, has_holds = stream->n_holds > 0;
  const char *rows = episode->rows;
  const int64_t row_stride = episode->row_stride, out_stride = episode->out_stride, n = ticks->n, n_next = next->n;
  const int64_t fetched = stream->in_row < RC_FETCHED ? stream->in_row : RC_FETCHED;
  const RcBracket *brackets = ticks->brackets, *next_brackets = next->brackets;
  char *out = episode->out + ticks->first * episode->out_stride;
  int64_t k;

  for (k = 0; k < n; k++, out += out_stride) {
    const RcBracket *bracket = &brackets[k];

    if (k < n_next) {
      fetch_row (rows + next_brackets[k].row * row_stride, fetched);
      fetch_row (rows + next_brackets[k].next * row_stride, fetched);
    }
    if (bracket->blend <= RC_BLEND_COPY || bracket->blend >= RC_BLEND_MEAN) {
      if (align_other_row (episode, bracket, out))
        lose_tick (episode, bracket, ticks->first + k, counts);
    } else {
      blend_row (stream, rows, row_stride, bracket, out);
      if (has_special)
        blend_special (stream, rows, row_stride, bracket, out);
    }
    if (has_holds && bracket->blend != RC_BLEND_NONE)
      copy_holds (stream, rows + bracket->hold * row_stride, out);
  }
}

static void
count_statuses (const Ticks *ticks, uint8_t *status, int64_t counts[N_COUNTS])
{
  const RcBracket *brackets = ticks->brackets;
  const int64_t n = ticks->n;
  int64_t k;

  for (k = 0; k < n; k++)
    counts[brackets[k].status]++;
  for (k = 0; k < n && status != NULL; k++)
    status[ticks->first + k] = (uint8_t) brackets[k].status;
}

static void
align_ticks (const Episode *episode, const Ticks *ticks, const Ticks *next, int64_t counts[N_COUNTS])
{
  count_statuses (ticks, episode->status, counts);
  if (episode->stream->compute == RC_COMPUTE_FLOAT32)
    align_rows_by (blend_row_float32, episode, ticks, next, counts);
  else
    align_rows_by (blend_row_float64, episode, ticks, next, counts);
}

/* Finds the ticks from first on; at the end there are 0 ticks. */
static Ticks
find_ticks (const Episode *episode, int64_t first, int64_t end, RcCpuCursor *cursor, RcBracket *brackets)
{
  const Ticks ticks = { first, end - first < RC_CPU_TICKS ? end - first : RC_CPU_TICKS, brackets };

  if (ticks.n > 0)
    RC_LEVEL_NAME (rc_cpu_find_brackets) (&episode->stream->search, episode->times, episode->n,
        episode->ticks + first, ticks.n, cursor, brackets);
  return ticks;
}

static void
align_searched (const Episode *episode, int64_t n_ticks, int64_t counts[N_COUNTS])
{
  RcBracket brackets[2][RC_CPU_TICKS];
  RcCpuCursor cursor = { 0, 0 };
  Ticks ticks = find_ticks (episode, 0, n_ticks, &cursor, brackets[0]), next;
  int64_t turn;

  for (turn = 1; ticks.n > 0; turn++, ticks = next) {
    next = find_ticks (episode, ticks.first + ticks.n, n_ticks, &cursor, brackets[turn % 2]);
    align_ticks (episode, &ticks, &next, counts);
  }
}

static void
align_unsearched (const Episode *episode, const RcBracket *brackets, int64_t n_ticks, int64_t counts[N_COUNTS])
{
  const RcBracket missing = rc_bracket_none ();
  const Ticks none = { n_ticks, 0, NULL };
  int64_t k;

  for (k = 0; k < n_ticks; k++) {
    const Ticks tick = { k, 1, brackets != NULL ? &brackets[k] : &missing };

    align_ticks (episode, &tick, &none, counts);
  }
}

void
RC_LEVEL_NAME (rc_cpu_align_episode) (const RcAlignStream *stream, const RcAlignStreamArgs *rows,
    const RcAlignArgs *args, int64_t e, RcAlignCounters *counters)
{
  const Episode episode = episode_of (stream, rows, args, e);
  int64_t counts[N_COUNTS] = { 0 };

  if (episode.n > 0)
    align_searched (&episode, args->ticks, counts);
  else
    align_unsearched (&episode, rows->rows != NULL ? rows->brackets : NULL, args->ticks, counts);
  counters->aligned += counts[RC_ALIGNED];
  counters->held += counts[RC_HELD];
  counters->missing += counts[RC_MISSING];
  counters->scattered += counts[SCATTERED];
  counters->disordered_episodes += episode.disordered;
}

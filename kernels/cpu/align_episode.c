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
  else if (stream->compute == RC_COMPUTE_FLOAT32)
    copy_row_float32 (stream, row, out);
  else
    copy_row_float64 (stream, row, out);
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
  if (args->brackets != NULL)
    return episode;
  if (all->tick_times != NULL)
    episode.ticks = (const int64_t *) ((const char *) all->tick_times + e * all->tick_times_batch_stride);
  episode.n = args->row_counts != NULL ? args->row_counts[e] : args->n_rows;
  if (args->times != NULL)
    episode.times = (const int64_t *) ((const char *) args->times + e * args->times_batch_stride);
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

static void
align_other_row (const Episode *episode, const RcBracket *bracket, char *out)
{
  if (bracket->blend == RC_BLEND_NONE)
    missing_row (episode->stream, out);
  else if (bracket->blend == RC_BLEND_COPY)
    copy_row (episode->stream, episode->rows + bracket->row * episode->row_stride, out);
  else
    mean_row (episode->stream, episode->rows, episode->row_stride, episode->times, bracket, out);
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
align_rows_by (BlendRow blend_row, const Episode *episode, const Ticks *ticks, const Ticks *next)
{
  const RcAlignStream *stream = episode->stream;
  const int has_special = stream->n_quaternions > 0 || stream->n_angles > 0;
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
    if (bracket->blend <= RC_BLEND_COPY || bracket->blend == RC_BLEND_MEAN) {
      align_other_row (episode, bracket, out);
      continue;
    }
    blend_row (stream, rows, row_stride, bracket, out);
    if (has_special)
      blend_special (stream, rows, row_stride, bracket, out);
  }
}

static void
count_statuses (const Ticks *ticks, uint8_t *status, int64_t statuses[RC_MISSING + 1])
{
  const RcBracket *brackets = ticks->brackets;
  const int64_t n = ticks->n;
  int64_t k;

  for (k = 0; k < n; k++)
    statuses[brackets[k].status]++;
  for (k = 0; k < n && status != NULL; k++)
    status[ticks->first + k] = (uint8_t) brackets[k].status;
}

static void
align_ticks (const Episode *episode, const Ticks *ticks, const Ticks *next, int64_t statuses[RC_MISSING + 1])
{
  if (episode->stream->compute == RC_COMPUTE_FLOAT32)
    align_rows_by (blend_row_float32, episode, ticks, next);
  else
    align_rows_by (blend_row_float64, episode, ticks, next);
  count_statuses (ticks, episode->status, statuses);
}

/* The ticks from first on, of which there are none at the end. */
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
align_searched (const Episode *episode, int64_t n_ticks, int64_t statuses[RC_MISSING + 1])
{
  RcBracket brackets[2][RC_CPU_TICKS];
  RcCpuCursor cursor = { 0, 0 };
  Ticks ticks = find_ticks (episode, 0, n_ticks, &cursor, brackets[0]), next;
  int64_t turn;

  for (turn = 1; ticks.n > 0; turn++, ticks = next) {
    next = find_ticks (episode, ticks.first + ticks.n, n_ticks, &cursor, brackets[turn % 2]);
    align_ticks (episode, &ticks, &next, statuses);
  }
}

static void
align_unsearched (const Episode *episode, const RcBracket *brackets, int64_t n_ticks, int64_t statuses[RC_MISSING + 1])
{
  const RcBracket missing = rc_bracket_none ();
  const Ticks none = { n_ticks, 0, NULL };
  int64_t k;

  for (k = 0; k < n_ticks; k++) {
    const Ticks tick = { k, 1, brackets != NULL ? &brackets[k] : &missing };

    align_ticks (episode, &tick, &none, statuses);
  }
}

void
RC_LEVEL_NAME (rc_cpu_align_episode) (const RcAlignStream *stream, const RcAlignStreamArgs *rows,
    const RcAlignArgs *args, int64_t e, RcAlignCounters *counters)
{
  const Episode episode = episode_of (stream, rows, args, e);
  int64_t statuses[RC_MISSING + 1] = { 0, 0, 0 };

  if (episode.n > 0)
    align_searched (&episode, args->ticks, statuses);
  else
    align_unsearched (&episode, rows->rows != NULL ? rows->brackets : NULL, args->ticks, statuses);
  counters->aligned += statuses[RC_ALIGNED];
  counters->held += statuses[RC_HELD];
  counters->missing += statuses[RC_MISSING];
  counters->disordered_episodes += episode.disordered;
}

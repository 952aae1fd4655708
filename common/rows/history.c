/* robocache: the recent rows of one stream, in order of time, and their alignment to ticks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "history.h"

#include "common/element/errordomain.h"

#include <stdlib.h>
#include <string.h>

#include "common/device/budget.h"
#include "common/tensors/tensorelements.h"
#include "common/time/numberorder.h"
#include "kernels/arithmetic.h"
#include "kernels/floatmode.h"

enum
{
  ROW_USED = 1 << 0,            /* took part in an output row */
  ROW_AFTER_GAP = 1 << 1,       /* a GAP lies between the row before it and this one */
};

#define INITIAL_CAPACITY 64
#define INITIAL_BYTES (1 << 20) /* fewer rows at first where they are large */

/* ---- life ---- */

void
robocache_history_init (RobocacheHistory *history, gsize row_bytes, RobocacheReleaseRow release_row, gpointer release_data)
{
  memset (history, 0, sizeof (*history));
  history->row_bytes = row_bytes;
  history->release_row = release_row;
  history->release_data = release_data;
  history->oldest_row = history->newest_row = history->gap_end = history->last_tick = ROBOCACHE_NO_TIME;
}

static gint64 *
kept_times (const RobocacheHistory *history)
{
  return history->times + history->first;
}

static guint8 *
kept_row (const RobocacheHistory *history, gsize index)
{
  return history->rows + (history->first + index) * history->row_bytes;
}

static void
release_row (RobocacheHistory *history, gsize index)
{
  if (history->release_row)
    history->release_row (kept_row (history, index), history->release_data);
}

static void
count_late (RobocacheHistory *history, gint64 time, gint64 lateness)
{
  history->counts.late++;
  robocache_losses_late (history->losses, time, lateness);
}

static void
count_and_clear (RobocacheHistory *history, gsize index, guint64 *unused_in_time)
{
  const gsize at = history->first + index;

  if (history->flags[at] & ROW_USED)
    history->counts.used++;
  else if (history->overdue_by[at] >= 0)
    count_late (history, history->times[at], history->overdue_by[at]);
  else
    (*unused_in_time)++;
  release_row (history, index);
}

static void
count_and_forget_oldest (RobocacheHistory *history, gsize n, guint64 *unused_in_time)
{
  for (gsize i = 0; i < n; i++) {
    count_and_clear (history, i, unused_in_time);
    history->past[history->n_past++ % RC_MAX_SPACINGS] = kept_times (history)[i];
  }
  history->first += n;
  history->n -= n;
}

static void
forget_all (RobocacheHistory *history, guint64 *unused_in_time)
{
  count_and_forget_oldest (history, history->n, unused_in_time);
  history->first = 0;
  history->oldest_row = history->newest_row = history->gap_end = history->last_tick = ROBOCACHE_NO_TIME;
  history->n_spacings = history->n_past = 0;
  history->eos = FALSE;
}

void
robocache_history_reset (RobocacheHistory *history)
{
  forget_all (history, &history->counts.superseded);
}

void
robocache_history_discard (RobocacheHistory *history, RobocacheDropReason reason)
{
  forget_all (history, &history->counts.dropped[reason]);
}

void
robocache_history_discard_from (RobocacheHistory *history, gint64 time, RobocacheDropReason reason)
{
  const gsize keep = rc_lower_bound (kept_times (history), history->n, time);

  for (gsize i = keep; i < history->n; i++)
    count_and_clear (history, i, &history->counts.dropped[reason]);
  history->n = keep;
  if (time <= history->oldest_row)
    history->oldest_row = ROBOCACHE_NO_TIME;
}

void
robocache_history_clear (RobocacheHistory *history)
{
  robocache_history_discard (history, ROBOCACHE_DROPPED_FLUSH);
  g_clear_pointer (&history->times, g_free);
  g_clear_pointer (&history->rows, g_free);
  g_clear_pointer (&history->flags, g_free);
  g_clear_pointer (&history->overdue_by, g_free);
  g_free ((gpointer) history->quaternions.first);
  history->quaternions = (RobocacheRowQuaternions) { 0 };
  history->capacity = 0;
}

void
robocache_history_set_quaternions (RobocacheHistory *history, const RobocacheRowQuaternions *quaternions)
{
  gint32 *first = g_new (gint32, MAX (quaternions->n, 1));
  gint64 n = 0;

  for (gint64 i = 0; i < quaternions->n; i++) {
    first[n] = quaternions->first[i];
    n += first[n] >= 0 && (guint64) first[n] + 4 <= quaternions->channels;
  }
  g_free ((gpointer) history->quaternions.first);
  history->quaternions = *quaternions;
  history->quaternions.first = first;
  history->quaternions.n = n;
}

/* ---- rows in ---- */

gint64
robocache_history_frontier (const RobocacheHistory *history)
{
  return rc_add_saturating (MAX (history->newest_row, history->gap_end), -history->reorder_window);
}

static gint64
gap_frontier (const RobocacheHistory *history)
{
  return rc_add_saturating (history->gap_end, -history->reorder_window);
}

static gint64
span_ns (gint64 earlier, gint64 later)
{
  return (gint64) MIN (rc_span (earlier, later), (uint64_t) G_MAXINT64);
}

/* FALSE: there is no memory. Arrays that grew meanwhile stay. */
static gboolean
grow (RobocacheHistory *history, gsize capacity)
{
  const struct
  {
    gpointer *array;
    gsize item_bytes;
  } arrays[] = { {(gpointer *) &history->times, sizeof (gint64)}, {(gpointer *) &history->flags, 1},
  {(gpointer *) &history->overdue_by, sizeof (gint64)}, {(gpointer *) &history->rows, history->row_bytes} };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++) {
    gsize had = history->capacity;
    gpointer array = robocache_try_grow (*arrays[i].array, &had, capacity, arrays[i].item_bytes);

    if (array == NULL)
      return FALSE;
    *arrays[i].array = array;
  }
  history->capacity = capacity;
  return TRUE;
}

/* Room for one more row at the end: moves the rows down when half of the space is free, otherwise doubles it. FALSE: there is no
 * memory. */
static gboolean
make_room (RobocacheHistory *history)
{
  if (history->first + history->n < history->capacity)
    return TRUE;
  if (history->capacity > 0 && history->first >= history->capacity / 2) {
    memmove (history->times, kept_times (history), history->n * sizeof (gint64));
    memmove (history->flags, history->flags + history->first, history->n);
    memmove (history->overdue_by, history->overdue_by + history->first, history->n * sizeof (gint64));
    memmove (history->rows, kept_row (history, 0), history->n * history->row_bytes);
    history->first = 0;
    return TRUE;
  }
  return grow (history, history->capacity > 0 ? 2 * history->capacity
      : CLAMP (INITIAL_BYTES / history->row_bytes, 2, INITIAL_CAPACITY));
}

static gboolean
insert_at (RobocacheHistory *history, gsize index, gint64 time, gconstpointer row)
{
  const gint64 previous = index > 0 ? kept_times (history)[index - 1] : ROBOCACHE_NO_TIME;
  const gsize n_after = history->n - index;
  gint64 *times, *overdue_by;
  guint8 *flags, *rows;

  if (!make_room (history))
    return FALSE;
  times = kept_times (history) + index;
  flags = history->flags + history->first + index;
  overdue_by = history->overdue_by + history->first + index;
  rows = kept_row (history, index);
  memmove (times + 1, times, n_after * sizeof (gint64));
  memmove (flags + 1, flags, n_after);
  memmove (overdue_by + 1, overdue_by, n_after * sizeof (gint64));
  memmove (rows + history->row_bytes, rows, n_after * history->row_bytes);

  *times = time;
  *flags = 0;
  *overdue_by = -1;
  if (history->last_tick != ROBOCACHE_NO_TIME && time <= history->last_tick)
    *overdue_by = span_ns (time, history->last_tick);
  if (history->gap_end != ROBOCACHE_NO_TIME && gap_frontier (history) > previous)
    *flags |= ROW_AFTER_GAP;
  memcpy (rows, row, history->row_bytes);
  history->n++;
  return TRUE;
}

static void
note_newest (RobocacheHistory *history, gint64 time)
{
  if (time <= history->newest_row)
    return;
  if (history->newest_row != ROBOCACHE_NO_TIME)
    history->spacings[history->n_spacings++ % ROBOCACHE_N_SPACINGS] = time - history->newest_row;
  history->newest_row = time;
}

static void
release_offered (RobocacheHistory *history, gconstpointer row)
{
  if (history->release_row)
    history->release_row ((gpointer) row, history->release_data);
}

static void
count_overflow (RobocacheHistory *history, gint64 time)
{
  history->counts.dropped[ROBOCACHE_DROPPED_OVERFLOW]++;
  robocache_losses_dropped (history->losses, time, 1);
}

static void
drop_oldest_for_room (RobocacheHistory *history)
{
  const gint64 time = kept_times (history)[0];
  guint64 unused = 0;

  count_and_forget_oldest (history, 1, &unused);
  if (unused > 0)
    count_overflow (history, time);
}

RobocacheRowFate
robocache_history_insert (RobocacheHistory *history, gint64 time, gconstpointer row)
{
  const gint64 frontier = robocache_history_frontier (history);
  gsize index;

  history->counts.in++;
  if (time < frontier) {
    history->counts.overtaken++;
    count_late (history, time, span_ns (time, frontier));
    release_offered (history, row);
    return ROBOCACHE_ROW_LATE;
  }
  note_newest (history, time);

  index = rc_lower_bound (kept_times (history), history->n, time);
  if (index < history->n && kept_times (history)[index] == time) {
    history->counts.duplicate++;
    release_row (history, index);
    memcpy (kept_row (history, index), row, history->row_bytes);
    return ROBOCACHE_ROW_DUPLICATE;
  }
  if (history->max_rows > 0 && history->n == history->max_rows) {
    if (index == 0) {
      count_overflow (history, time);
      release_offered (history, row);
      return ROBOCACHE_ROW_OVERFLOW;
    }
    drop_oldest_for_room (history);
    index--;
  }
  if (!insert_at (history, index, time, row)) {
    count_overflow (history, time);
    release_offered (history, row);
    return ROBOCACHE_ROW_NO_MEMORY;
  }
  if (history->oldest_row == ROBOCACHE_NO_TIME || time < history->oldest_row)
    history->oldest_row = time;
  return ROBOCACHE_ROW_INSERTED;
}

const gchar *
robocache_row_fate_name (RobocacheRowFate fate)
{
  static const gchar *const names[] = {
    [ROBOCACHE_ROW_INSERTED] = "inserted",
    [ROBOCACHE_ROW_DUPLICATE] = "replaced the row with its time",
    [ROBOCACHE_ROW_LATE] = "late, dropped",
    [ROBOCACHE_ROW_OVERFLOW] = "dropped: older than all rows of a full history",
    [ROBOCACHE_ROW_NO_MEMORY] = "dropped: no memory",
  };

  return names[fate];
}

void
robocache_history_set_no_memory (const RobocacheHistory *history, GError **error)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory for more than %" G_GSIZE_FORMAT " rows "
      "of %" G_GSIZE_FORMAT " bytes: send fewer rows per buffer, or smaller rows", history->capacity, history->row_bytes);
}

/* Rows outside the segment, and those without a value, are not a loss. */
void
robocache_history_count_dropped (RobocacheHistory *history, RobocacheDropReason reason, gint64 time, guint64 n_rows)
{
  robocache_row_counts_refuse (&history->counts, reason, n_rows);
  if (reason != ROBOCACHE_DROPPED_OUTSIDE_SEGMENT && reason != ROBOCACHE_DROPPED_NAN)
    robocache_losses_dropped (history->losses, time, n_rows);
}

void
robocache_history_gap (RobocacheHistory *history, gint64 end)
{
  history->gap_end = MAX (history->gap_end, end);
}

void
robocache_history_eos (RobocacheHistory *history)
{
  history->eos = TRUE;
}

/* ---- max-gap ---- */

/* Copies the times of the last rows up to kept row `left`, RC_MAX_SPACINGS + 1 or those that there were, and returns how many. */
static gint64
copy_times_until (const RobocacheHistory *history, gint64 left, gint64 *times)
{
  const gint64 kept = MIN (left + 1, RC_MAX_SPACINGS + 1);
  const gint64 past = MIN (RC_MAX_SPACINGS + 1 - kept, (gint64) MIN (history->n_past, RC_MAX_SPACINGS));

  for (gint64 i = 0; i < past; i++)
    times[i] = history->past[(history->n_past - past + i) % RC_MAX_SPACINGS];
  if (kept > 0)
    memcpy (times + past, kept_times (history) + left + 1 - kept, kept * sizeof (gint64));
  return past + kept;
}

gint64
robocache_history_max_gap (const RobocacheHistory *history, const RcSearch *search, gint64 t)
{
  gint64 times[RC_MAX_SPACINGS + 1], n;

  if (search->max_gap_ns != RC_GAP_AUTO)
    return search->max_gap_ns;
  if (history->row_period > 0)
    return rc_gap_of_period (history->row_period);
  n = copy_times_until (history, rc_upper_bound (kept_times (history), (gint64) history->n, t) - 1, times);
  return n <= RC_MIN_SPACINGS ? RC_GAP_UNKNOWN : rc_gap_of_period (rc_median_spacing (times, n - 1));
}

/* The greatest span that a tick may be judged by: those between the rows around it, and what has passed since the last of them. */
static guint64
greatest_span (const RobocacheHistory *history, const RcSearch *search, gint64 tick)
{
  const gint64 *times = kept_times (history), n = (gint64) history->n;
  const gint64 left = rc_upper_bound (times, n, tick) - 1, last = left + (search->interpolation == RC_CUBIC ? 2 : 1);
  guint64 greatest = 0;

  if (left < 0)
    return 0;
  for (gint64 i = MAX (left - 1, 0); i < MIN (last, n - 1); i++)
    greatest = MAX (greatest, rc_span (times[i], times[i + 1]));
  if (last >= n)
    greatest = MAX (greatest, rc_span (times[n - 1], MAX (times[n - 1], MAX (tick, robocache_history_frontier (history)))));
  return greatest;
}

/* The automatic gap at the tick, or another one that no span tells from it: a median takes longer than to compare spacings. */
static gint64
gap_for_tick (const RobocacheHistory *history, const RcSearch *search, gint64 tick)
{
  const guint64 span = search->interpolation == RC_LOWPASS ? G_MAXUINT64 : greatest_span (history, search, tick);
  gint64 times[RC_MAX_SPACINGS + 1], n;

  if (span <= (guint64) RC_MIN_GAP)
    return RC_MIN_GAP;
  if (span <= (guint64) RC_MAX_GAP) {
    n = copy_times_until (history, rc_upper_bound (kept_times (history), (gint64) history->n, tick) - 1, times);
    if (rc_within_gap (search, times, n - 1, span))
      return (gint64) span;
  }
  return robocache_history_max_gap (history, search, tick);
}

/* The search with the gap that is in force at the tick. */
static RcSearch
resolve_gap (const RobocacheHistory *history, const RcSearch *search, gint64 tick)
{
  RcSearch resolved = *search;

  if (search->max_gap_ns == RC_GAP_AUTO && history->row_period == 0)
    resolved.max_gap_ns = gap_for_tick (history, search, tick);
  else
    resolved.max_gap_ns = robocache_history_max_gap (history, search, tick);
  return resolved;
}

/* ---- ticks out ---- */

/* Whether the row at tick is fixed without the row after it, given that no row before `passed` (> tick) will come. */
static gboolean
decided_without_after (const RobocacheHistory *history, const RcSearch *search, gint64 tick, gint64 passed)
{
  const gint64 *times = kept_times (history);
  const gint64 before = rc_upper_bound (times, history->n, tick) - 1;

  if (before < 0 || search->interpolation == RC_PREVIOUS || times[before] == tick)
    return TRUE;
  if (search->interpolation == RC_MEAN && times[before] >= rc_mean_start (tick, search->period_ns))
    return TRUE;
  return search->max_gap_ns >= 0 && !rc_within (rc_span (times[before], passed), search->max_gap_ns);
}

/* Whether the second row after the tick, which cubic needs, has arrived or cannot be used. */
static gboolean
cubic_decided (const RobocacheHistory *history, const RcSearch *search, gint64 tick, gint64 after, gboolean settled)
{
  const gint64 *times = kept_times (history);
  const gint64 passed = robocache_history_frontier (history);

  if (search->interpolation != RC_CUBIC || after == 0 || times[after - 1] == tick)
    return TRUE;
  if (after + 1 < (gint64) history->n && (settled ? passed > times[after + 1] : passed >= times[after + 1]))
    return TRUE;
  return search->max_gap_ns >= 0 && passed > times[after]
      && !rc_within (rc_span (times[after], passed), search->max_gap_ns);
}

/* Whether the row after the tick has arrived, and no row can come before it. */
static gboolean
is_after_known (const RobocacheHistory *history, gint64 after, gboolean settled)
{
  const gint64 passed = robocache_history_frontier (history);
  const gint64 *times = kept_times (history);

  return after < (gint64) history->n && (settled ? passed > times[after] : passed >= times[after]);
}

/* The end of a filter around the tick. row_spacing: 1 for the shortest filter that there may be. */
static gint64
lowpass_end (const RcSearch *search, gint64 tick, gint64 row_spacing)
{
  return rc_add_saturating (tick, rc_lowpass_half_width (search->lobes, rc_lowpass_lobe_rate (search, row_spacing)));
}

/* Whether the rows up to `end`, including rows that may still come, can have no spacing above max-gap. */
static gboolean
may_be_covered (const RobocacheHistory *history, const RcSearch *search, gint64 start, gint64 end)
{
  const gint64 *times = kept_times (history), passed = robocache_history_frontier (history);
  gint64 i = rc_upper_bound (times, history->n, start) - 1;

  if (i < 0)
    return FALSE;
  for (; i < (gint64) history->n && times[i] < MIN (end, passed); i++) {
    const gint64 next = i + 1 < (gint64) history->n ? MIN (times[i + 1], passed) : passed;

    if (!rc_within (rc_span (times[i], next), search->max_gap_ns))
      return FALSE;
  }
  return TRUE;
}

/* Apart from its caller, so that no operation leaves the float mode in between. Whether a lowpass waits for rows; otherwise its
 * tick is decided where one of linear is. */
static __attribute__ ((noinline)) gboolean
lowpass_waits (const RobocacheHistory *history, const RcSearch *search, gint64 tick, gboolean settled)
{
  const gint64 *times = kept_times (history), passed = robocache_history_frontier (history);
  const gint64 left = rc_upper_bound (times, (gint64) history->n, tick) - 1;
  gint64 spacing, end;

  if (passed < lowpass_end (search, tick, 1))
    return TRUE;
  spacing = left >= 0 ? rc_median_spacing (times, left) : 0;
  if (spacing == 0)
    return FALSE;
  end = lowpass_end (search, tick, spacing);
  return !is_after_known (history, rc_lower_bound (times, (gint64) history->n, end), settled)
      && may_be_covered (history, search, rc_subtract_saturating (tick, rc_subtract_saturating (end, tick)), end);
}

/* Whether GAPs, or rows beyond the reorder window, fix a tick without the row after it. */
static gboolean
is_decided_by_silence (const RobocacheHistory *history, const RcSearch *search, gint64 tick, gint64 after, gboolean settled)
{
  const gint64 passed = robocache_history_frontier (history);

  if (settled)
    return history->gap_end != ROBOCACHE_NO_TIME && gap_frontier (history) > tick
        && decided_without_after (history, search, tick, gap_frontier (history));
  if (passed == tick)
    return search->interpolation == RC_PREVIOUS || (after > 0 && kept_times (history)[after - 1] == tick);
  return passed > tick && decided_without_after (history, search, tick, passed);
}

/* That a tick waits for, where there was a row or GAP; the gap of search is resolved. */
static RobocacheWait
wait_for_rows (const RobocacheHistory *history, const RcSearch *search, gint64 tick, gboolean settled)
{
  gint64 after;

  if (search->interpolation == RC_MEAN && robocache_history_frontier (history) < rc_mean_end (tick, search->period_ns))
    return ROBOCACHE_WAIT_MEAN_WINDOW;
  if (search->interpolation == RC_LOWPASS) {
    const RcFloatMode mode = rc_float_mode_enter ();
    const gboolean waits = lowpass_waits (history, search, tick, settled);

    rc_float_mode_leave (mode);
    if (waits)
      return ROBOCACHE_WAIT_LOWPASS;
  }

  after = rc_upper_bound (kept_times (history), (gint64) history->n, tick);
  if (is_after_known (history, after, settled))
    return cubic_decided (history, search, tick, after, settled) ? ROBOCACHE_WAIT_NONE : ROBOCACHE_WAIT_SECOND_ROW_AFTER;
  return is_decided_by_silence (history, search, tick, after, settled) ? ROBOCACHE_WAIT_NONE : ROBOCACHE_WAIT_ROW_AFTER;
}

RobocacheWait
robocache_history_wait (const RobocacheHistory *history, const RcSearch *search, gint64 tick, gboolean settled)
{
  RcSearch resolved;

  if (history->eos)
    return ROBOCACHE_WAIT_NONE;
  if (history->newest_row == ROBOCACHE_NO_TIME && history->gap_end == ROBOCACHE_NO_TIME)
    return ROBOCACHE_WAIT_FIRST_ROW;
  resolved = resolve_gap (history, search, tick);
  return wait_for_rows (history, &resolved, tick, settled);
}

gboolean
robocache_history_ready (const RobocacheHistory *history, const RcSearch *search, gint64 tick, gboolean settled)
{
  return robocache_history_wait (history, search, tick, settled) == ROBOCACHE_WAIT_NONE;
}

const gchar *
robocache_wait_reason (RobocacheWait wait)
{
  static const gchar *const reasons[] = {
    [ROBOCACHE_WAIT_NONE] = "nothing",
    [ROBOCACHE_WAIT_FIRST_ROW] = "the first row",
    [ROBOCACHE_WAIT_ROW_AFTER] = "a row after the tick, beyond the reorder window",
    [ROBOCACHE_WAIT_SECOND_ROW_AFTER] = "the second row after the tick",
    [ROBOCACHE_WAIT_MEAN_WINDOW] = "the end of the tick's mean",
    [ROBOCACHE_WAIT_LOWPASS] = "a row at or after the end of the tick's filter",
  };

  return reasons[wait];
}

/* The rows around ticks up to the next row are the same, and so is their age's excess of a limit. */
gint64
robocache_history_missing_until (const RobocacheHistory *history, const RcSearch *search, gint64 tick, gboolean settled)
{
  const gint64 after = rc_upper_bound (kept_times (history), (gint64) history->n, tick);
  gint64 until = after < (gint64) history->n ? kept_times (history)[after] : G_MAXINT64;

  if (!history->eos && !is_after_known (history, after, settled))
    until = MIN (until, settled ? gap_frontier (history) : robocache_history_frontier (history));
  if (search->interpolation == RC_MEAN)
    until = rc_add_saturating (until, 1 - (search->period_ns - search->period_ns / 2));
  return MAX (until, rc_add_saturating (tick, 1));
}

/* Apart from its caller, so that no operation leaves the float mode in between. */
static __attribute__ ((noinline)) void
find_bracket (const RobocacheHistory *history, const RcSearch *search, gint64 tick, RcBracket *bracket)
{
  *bracket = rc_bracket_find (search, kept_times (history), history->n, tick);
}

static gboolean
read_quaternion (const RobocacheHistory *history, gint64 row, gint32 channel, gdouble *q)
{
  const RobocacheRowQuaternions *quaternions = &history->quaternions;
  const gsize size = rc_dtype_size (quaternions->dtype);
  guint8 copied[4 * sizeof (gdouble)];
  const guint8 *elements = kept_row (history, row);

  if (quaternions->read && !quaternions->read (elements, channel * size, 4 * size, copied))
    return FALSE;
  elements = quaternions->read ? copied : elements + channel * size;
  robocache_elements_read (quaternions->dtype, elements, size, 4, q);
  return TRUE;
}

static gdouble
weight_of (const RobocacheHistory *history, const RcBracket *bracket, gint64 row)
{
  return bracket->blend == RC_BLEND_MEAN ? 1.0 : rc_lowpass_weight (bracket, kept_times (history), row);
}

/* Rows that cannot be read are not scattered: nor can the plan read them, and that is an error. */
static gboolean
is_scattered (const RobocacheHistory *history, const RcBracket *bracket, gint32 channel)
{
  RcQuaternionMean mean;
  gdouble q[4];

  if (!read_quaternion (history, bracket->row, channel, q))
    return FALSE;
  rc_quaternion_mean_begin (&mean, q, weight_of (history, bracket, bracket->row));
  for (gint64 i = bracket->row + 1; i < bracket->next; i++) {
    if (!read_quaternion (history, i, channel, q))
      return FALSE;
    rc_quaternion_mean_add (&mean, q, weight_of (history, bracket, i));
  }
  return rc_quaternion_mean_end (&mean, bracket->blend == RC_BLEND_MEAN ? (gdouble) (bracket->next - bracket->row) : bracket->w, q);
}

/* As find_bracket, apart from its caller. */
static __attribute__ ((noinline)) void
find_scattered (const RobocacheHistory *history, RcBracket *bracket)
{
  for (gint64 i = 0; i < history->quaternions.n; i++) {
    if (is_scattered (history, bracket, history->quaternions.first[i]))
      bracket->status = RC_MISSING;
  }
}

static void
mark_used (RobocacheHistory *history, const RcBracket *bracket)
{
  guint8 *flags = history->flags + history->first;

  if (bracket->blend != RC_BLEND_NONE)
    flags[bracket->hold] |= ROW_USED;
  switch (bracket->blend) {
    case RC_BLEND_NONE:
      break;
    case RC_BLEND_MEAN:
    case RC_BLEND_LOWPASS:
      for (gint64 i = bracket->row; i < bracket->next; i++)
        flags[i] |= ROW_USED;
      break;
    default:
      flags[bracket->row] |= ROW_USED;
      flags[bracket->next] |= ROW_USED;
      flags[bracket->before] |= ROW_USED;
      flags[bracket->after] |= ROW_USED;
      break;
  }
}

static gint64
first_row_after (const RobocacheHistory *history, const RcBracket *bracket, gint64 tick)
{
  switch (bracket->blend) {
    case RC_BLEND_LINEAR:
    case RC_BLEND_CUBIC:
    case RC_BLEND_HERMITE:
      return bracket->next;
    default:
      return rc_upper_bound (kept_times (history), (gint64) history->n, tick);
  }
}

void
robocache_history_align (RobocacheHistory *history, const RcSearch *search, gint64 tick, RobocacheAlignment *alignment)
{
  const gint64 *times = kept_times (history);
  const RcSearch resolved = resolve_gap (history, search, tick);
  const RcFloatMode mode = rc_float_mode_enter ();
  gint64 after;

  find_bracket (history, &resolved, tick, &alignment->bracket);
  if (rc_bracket_is_sum (&alignment->bracket))
    find_scattered (history, &alignment->bracket);
  rc_float_mode_leave (mode);
  mark_used (history, &alignment->bracket);
  after = first_row_after (history, &alignment->bracket, tick);
  alignment->before = after > 0 ? times[after - 1] : ROBOCACHE_NO_TIME;
  alignment->used = alignment->bracket.blend == RC_BLEND_COPY ? times[alignment->bracket.row] : alignment->before;
  alignment->after = ROBOCACHE_NO_TIME;
  if (after < (gint64) history->n && !(history->flags[history->first + after] & ROW_AFTER_GAP))
    alignment->after = times[after];
  else if (alignment->used > tick)
    alignment->used = alignment->before;        /* as the age of a sample, which knows no other row */
  history->last_tick = MAX (history->last_tick, tick);
}

/* The first row that a lowpass of next_tick, or of a later tick, can need. If rows are slower than ticks, the filter is longer than the
 * period of the ticks implies. It then still reaches back for less than RC_MAX_SPACINGS rows, since half of their spacings are at least
 * the median. */
static __attribute__ ((noinline)) gint64
first_of_lowpass (const RobocacheHistory *history, const RcSearch *search, gint64 next_tick)
{
  const gint64 *times = kept_times (history), reach = rc_subtract_saturating (lowpass_end (search, next_tick, 1), next_tick);
  const gint64 spacings = rc_lower_bound (times, history->n, next_tick) - RC_MAX_SPACINGS - 2;

  return MIN (spacings, rc_lower_bound (times, history->n, rc_subtract_saturating (next_tick, reach)) - 1);
}

void
robocache_history_prune (RobocacheHistory *history, const RcSearch *search, gint64 next_tick)
{
  const gint64 *times = kept_times (history);
  gint64 keep;

  /* cubic uses the row before the left one */
  if (history->n <= 2 || times[2] >= next_tick)
    return;
  keep = rc_lower_bound (times, history->n, next_tick) - 2;
  if (search->interpolation == RC_MEAN)
    keep = MIN (keep, rc_lower_bound (times, history->n, rc_mean_start (next_tick, search->period_ns)));
  if (search->interpolation == RC_LOWPASS) {
    const RcFloatMode mode = rc_float_mode_enter ();

    keep = MIN (keep, first_of_lowpass (history, search, next_tick));
    rc_float_mode_leave (mode);
  }
  /* a row that may still be replaced by one with its time stays */
  keep = MIN (keep, rc_lower_bound (times, history->n, robocache_history_frontier (history)));
  if (keep > 0)
    count_and_forget_oldest (history, keep, &history->counts.superseded);
}

/* ---- questions ---- */

gboolean
robocache_history_has_rows (const RobocacheHistory *history)
{
  return history->n > 0;
}

gint64
robocache_history_first_time (const RobocacheHistory *history)
{
  return history->n > 0 ? kept_times (history)[0] : ROBOCACHE_NO_TIME;
}

gint64
robocache_history_last_time (const RobocacheHistory *history)
{
  return history->n > 0 ? kept_times (history)[history->n - 1] : ROBOCACHE_NO_TIME;
}

gconstpointer
robocache_history_rows (const RobocacheHistory *history)
{
  return kept_row (history, 0);
}

const gint64 *
robocache_history_times (const RobocacheHistory *history)
{
  return kept_times (history);
}

gconstpointer
robocache_history_row (const RobocacheHistory *history, gint64 index)
{
  return kept_row (history, index);
}

gsize
robocache_history_rows_after (const RobocacheHistory *history, gint64 t)
{
  return history->n - rc_upper_bound (kept_times (history), history->n, t);
}

gint64
robocache_history_next_after (const RobocacheHistory *history, gint64 t)
{
  const gint64 after = rc_upper_bound (kept_times (history), history->n, t);

  return after < (gint64) history->n ? kept_times (history)[after] : ROBOCACHE_NO_TIME;
}

gint64
robocache_history_median_spacing (const RobocacheHistory *history)
{
  const guint n = (guint) MIN (history->n_spacings, ROBOCACHE_N_SPACINGS);
  gint64 sorted[ROBOCACHE_N_SPACINGS];

  if (n == 0)
    return 0;
  memcpy (sorted, history->spacings, n * sizeof (gint64));
  qsort (sorted, n, sizeof (gint64), robocache_compare_integers);
  return sorted[n / 2];
}

/* As find_bracket, apart from its caller. */
static __attribute__ ((noinline)) gint64
lowpass_latency (RcSearch search, gint64 row_period_ns, gint64 tick_period_ns)
{
  search.period_ns = MAX (tick_period_ns, 1);
  return lowpass_end (&search, 0, row_period_ns);
}

gint64
robocache_interpolation_latency (const RcSearch *search, gint64 row_period_ns, gint64 tick_period_ns)
{
  RcFloatMode mode;
  gint64 latency;

  switch (search->interpolation) {
    case RC_PREVIOUS:
      return 0;
    case RC_CUBIC:
      return rc_add_saturating (row_period_ns, row_period_ns);
    case RC_MEAN:
      return rc_add_saturating (row_period_ns, tick_period_ns / 2);
    case RC_LOWPASS:
      mode = rc_float_mode_enter ();
      latency = lowpass_latency (*search, row_period_ns, tick_period_ns);
      rc_float_mode_leave (mode);
      return latency;
    default:
      return row_period_ns;
  }
}

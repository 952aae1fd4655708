/* robocache: the next tick of robocachefuse: on an exact grid, or of the rows of a reference stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tickclock.h"

static FuseStream *
stream_at (const FuseTickClock *clock, guint i)
{
  return g_ptr_array_index (clock->streams, i);
}

void
fuse_tick_clock_init (FuseTickClock *clock, GPtrArray *streams)
{
  *clock = (FuseTickClock) {.streams = streams,.grid.den = 1 };
  fuse_tick_clock_reset (clock);
}

void
fuse_tick_clock_reset (FuseTickClock *clock)
{
  clock->ticking = FALSE;
  clock->last_tick = clock->last_row = clock->last_out = clock->earliest_start = ROBOCACHE_NO_TIME;
}

void
fuse_tick_clock_set_grid (FuseTickClock *clock, RobocacheTickGrid grid)
{
  clock->grid = grid;
  if (clock->ticking && grid.num > 0)
    clock->next_index = robocache_tick_at_or_after (&grid, rc_add_saturating (clock->last_tick, 1));
}

gint64
fuse_tick_clock_period (const FuseTickClock *clock)
{
  if (clock->grid.num > 0)
    return robocache_tick_period (&clock->grid);
  return clock->reference ? fuse_stream_nominal_period (clock->reference, MAX (clock->last_tick, -1)) : 0;
}

void
fuse_tick_clock_sync_period (FuseTickClock *clock)
{
  const gint64 period = fuse_tick_clock_period (clock);

  for (guint i = 0; i < clock->streams->len; i++)
    fuse_stream_set_period (stream_at (clock, i), period);
}

/* ---- the first and the last tick of a grid ---- */

/* Not live: whether the stream that an earlier question was in vain for has no row still. With thousands of streams, each of them at
 * each row takes long. */
static gboolean
still_waits (const FuseTickClock *clock)
{
  const FuseStream *stream = !clock->live && clock->waits_for < clock->streams->len ? stream_at (clock, clock->waits_for) : NULL;

  return stream && !fuse_stream_is_over (stream) && fuse_stream_frontier (stream) == ROBOCACHE_NO_TIME;
}

/* The first row of the earliest stream. Not live: known once no stream can still bring an earlier one. */
static gboolean
earliest_row (FuseTickClock *clock, gint64 *earliest)
{
  gint64 first = G_MAXINT64;

  if (still_waits (clock))
    return FALSE;
  for (guint i = 0; i < clock->streams->len; i++) {
    const gint64 t = fuse_stream_first_time (stream_at (clock, i));

    if (t != ROBOCACHE_NO_TIME)
      first = MIN (first, t);
  }
  if (first == G_MAXINT64)
    return FALSE;
  for (guint i = 0; !clock->live && i < clock->streams->len; i++) {
    const FuseStream *stream = stream_at (clock, i);

    if (!fuse_stream_is_over (stream) && fuse_stream_frontier (stream) < first) {
      clock->waits_for = i;
      return FALSE;
    }
  }
  *earliest = first;
  return TRUE;
}

/* The last row of the latest stream so far. */
static gint64
latest_row (const FuseTickClock *clock)
{
  gint64 latest = ROBOCACHE_NO_TIME;

  for (guint i = 0; i < clock->streams->len; i++)
    latest = MAX (latest, fuse_stream_last_time (stream_at (clock, i)));
  return latest;
}

static gboolean
has_ended (const FuseStream *stream)
{
  return stream->eos || stream->segment_done;
}

/* Streams that are declared and never came do not hold back the end. */
static gboolean
all_are_over (const FuseTickClock *clock)
{
  gboolean any = FALSE;

  for (guint i = 0; i < clock->streams->len; i++) {
    const FuseStream *stream = stream_at (clock, i);

    if (!fuse_stream_is_over (stream))
      return FALSE;
    any |= has_ended (stream);
  }
  return any;
}

/* ---- the next tick ---- */

static gboolean
begin_of_grid (FuseTickClock *clock, gint64 *time)
{
  if (clock->starts_without_rows && clock->earliest_start != ROBOCACHE_NO_TIME)
    *time = clock->earliest_start;
  else if (!earliest_row (clock, time))
    return FALSE;
  *time = MAX (*time, rc_add_saturating (clock->last_tick, 1));
  if (clock->live)
    *time = MAX (*time, clock->earliest_start);
  return TRUE;
}

static gboolean
next_of_grid (FuseTickClock *clock, gint64 *time)
{
  gint64 begin;

  if (!clock->ticking) {
    if (!begin_of_grid (clock, &begin))
      return FALSE;
    clock->next_index = robocache_tick_at_or_after (&clock->grid, begin);
  }
  *time = robocache_tick_time (&clock->grid, clock->next_index);
  return *time > clock->last_tick;      /* the end of time, where the grid stands still, is a tick once */
}

/* Not live, rows that an offset moves back to before the last tick make none. */
static gboolean
next_of_reference (const FuseTickClock *clock, gint64 *time)
{
  const gint64 last = MAX (MAX (clock->last_tick, clock->live ? -1 : clock->last_out), -1);

  *time = fuse_stream_next_row_after (clock->reference, last);
  return *time > last;          /* an offset may move many rows to the end of time, which is a tick once */
}

gboolean
fuse_tick_clock_candidate (FuseTickClock *clock, gint64 *time)
{
  if (clock->grid.num > 0)
    return next_of_grid (clock, time);
  return clock->reference && next_of_reference (clock, time);
}

static gboolean
is_certain (const FuseTickClock *clock, gint64 time)
{
  if (clock->reference && clock->grid.num == 0) /* when not live, an earlier row may still come */
    return clock->live || fuse_stream_is_over (clock->reference) || fuse_stream_frontier (clock->reference) >= time;
  /* the grid ends with the last row of the latest stream; live, only EOS makes that known */
  return (clock->live && !all_are_over (clock)) || time <= latest_row (clock);
}

static gint64
duration_of (const FuseTickClock *clock, gint64 time)
{
  gint64 period = fuse_tick_clock_period (clock);

  if (clock->grid.num > 0)
    period = robocache_tick_time (&clock->grid, rc_add_saturating (clock->next_index, 1)) - time;
  return period > 0 ? period : ROBOCACHE_NO_TIME;
}

gboolean
fuse_tick_clock_next (FuseTickClock *clock, FuseTick *tick)
{
  if (!fuse_tick_clock_candidate (clock, &tick->time) || !is_certain (clock, tick->time))
    return FALSE;
  tick->index = clock->next_index;
  tick->duration = duration_of (clock, tick->time);
  return TRUE;
}

gboolean
fuse_tick_clock_streams_are_over (const FuseTickClock *clock)
{
  return all_are_over (clock) || (clock->reference && has_ended (clock->reference));
}

gboolean
fuse_tick_clock_is_over (FuseTickClock *clock)
{
  FuseTick tick;

  return fuse_tick_clock_streams_are_over (clock) && !fuse_tick_clock_next (clock, &tick);
}

gboolean
fuse_tick_clock_lower_bound (FuseTickClock *clock, gint64 *time)
{
  const FuseStream *reference = clock->reference;

  if (!fuse_tick_clock_candidate (clock, time))
    return FALSE;
  if (reference && !fuse_stream_is_over (reference))
    *time = MIN (*time, fuse_stream_frontier (reference));
  if (reference && reference->epochs.length > 1)        /* its rate may change, and with it what a mean needs */
    return FALSE;
  /* live, the first tick moves forward to an earlier first row of another stream */
  return reference || clock->ticking || !clock->live;
}

/* ---- progress ---- */

static void
set_last_tick (FuseTickClock *clock, gint64 time)
{
  clock->last_tick = time;
  clock->last_row = clock->reference ? rc_subtract_saturating (time, fuse_stream_offset (clock->reference)) : time;
}

void
fuse_tick_clock_advance (FuseTickClock *clock, const FuseTick *tick)
{
  clock->ticking = TRUE;
  clock->last_out = tick->time;
  set_last_tick (clock, tick->time);
  if (clock->grid.num > 0)
    clock->next_index = rc_add_saturating (tick->index, 1);
}

void
fuse_tick_clock_enter (FuseTickClock *clock, gint64 time)
{
  set_last_tick (clock, MAX (rc_subtract_saturating (time, 1), ROBOCACHE_NO_TIME + 1));
}

void
fuse_tick_clock_leave (FuseTickClock *clock)
{
  if (!clock->ticking && !clock->live)
    clock->last_tick = clock->last_row = ROBOCACHE_NO_TIME;
}

gint64
fuse_tick_clock_after (const FuseTickClock *clock, gint64 time)
{
  if (clock->grid.num > 0)
    return robocache_tick_time (&clock->grid, clock->next_index);
  return rc_add_saturating (time, 1);
}

void
fuse_tick_clock_move (FuseTickClock *clock, gint64 to)
{
  fuse_tick_clock_enter (clock, to);
  if (!clock->ticking && clock->earliest_start != ROBOCACHE_NO_TIME)
    clock->earliest_start = to;
  else if (clock->ticking && clock->grid.num > 0)
    clock->next_index = robocache_tick_at_or_after (&clock->grid, MAX (to, 0));
}

void
fuse_tick_clock_set_reference (FuseTickClock *clock, FuseStream *reference)
{
  clock->reference = reference;
  if (clock->last_tick != ROBOCACHE_NO_TIME)
    set_last_tick (clock, clock->last_tick);
}

void
fuse_tick_clock_follow_offset (FuseTickClock *clock)
{
  if (clock->ticking && clock->grid.num == 0)
    clock->last_tick = MAX (rc_add_saturating (clock->last_row, fuse_stream_offset (clock->reference)), ROBOCACHE_NO_TIME + 1);
}

guint64
fuse_tick_clock_skip (FuseTickClock *clock, gint64 time)
{
  gint64 index, n;

  if (clock->grid.num == 0 || !clock->ticking)
    return 0;
  index = robocache_tick_at_or_after (&clock->grid, time);
  n = index - clock->next_index;
  if (n <= 0)
    return 0;
  clock->next_index = index;
  clock->last_out = robocache_tick_time (&clock->grid, index - 1);
  set_last_tick (clock, clock->last_out);
  return (guint64) n;
}

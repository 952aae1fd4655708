/* robocache: jumps of running time, and the ticks of robocachefuse after them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timejumps.h"

#include "ticklatency.h"

#define JUMP ROBOCACHE_SECOND

void
fuse_note_move (FuseCore *core)
{
  fuse_tick_clock_leave (&core->clock);
  core->awaited = ROBOCACHE_NO_TIME;
}

static gint64
clock_time (const FuseInstant *seen)
{
  return rc_add_saturating (seen->running_time, seen->base_time);
}

/* By how much the pipeline's clock has moved beyond the elapsed time: it was set, or is another clock. 0: it has not jumped, but may have
 * stood still. */
static gint64
clock_moved (const FuseInstant *before, const FuseInstant *now, gboolean has_paused)
{
  const gint64 on = rc_subtract_saturating (clock_time (now), clock_time (before));
  const gint64 more = rc_subtract_saturating (on, now->monotonic - before->monotonic);

  if (has_paused && now->clock == before->clock)
    return MIN (on, 0);
  return on < -JUMP || more > JUMP ? more : 0;
}

/* Sensors need not follow running time that has moved. */
static void
expect_moves (FuseCore *core, const FuseInstant *now)
{
  const FuseInstant *before = &core->seen;
  const gint64 by_clock = clock_moved (before, now, core->has_paused);
  gint64 moved = rc_add_saturating (by_clock, rc_subtract_saturating (before->base_time, now->base_time));

  if (by_clock != 0)
    fuse_journal_add (&core->journal, FUSE_JOURNAL_ENDED, -1, 0, now->running_time);
  if (moved >= -JUMP && moved <= JUMP)
    moved = 0;
  for (guint i = 0; (moved != 0 || by_clock != 0) && i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    if (stream->source.live)
      fuse_stream_expect_move (stream, now->running_time, moved, by_clock != 0);
  }
}

/* Streams whose sources are live follow running time. Returns whether ticks do: they may be rows of one that is not live. */
static gboolean
move_streams (FuseCore *core, gint64 moved)
{
  gboolean ticks_follow = TRUE;

  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    if (stream->source.live)
      fuse_stream_follow_running_time (stream, moved);
    else if (core->clock.grid.num == 0 && core->clock.reference == stream)
      ticks_follow = FALSE;
  }
  return ticks_follow;
}

static void
go_back (FuseCore *core, gint64 before, gint64 now, GQueue *notes)
{
  const gint64 to = core->clock.grid.num > 0 ? now : fuse_earliest_in_time (now, MAX (core->total, 0));

  FUSE_LOG (&core->log, INFO, NULL, "running time goes back from %" FUSE_TIME_FORMAT " to %" FUSE_TIME_FORMAT, FUSE_TIME_ARGS (before), FUSE_TIME_ARGS (now));
  fuse_note_add (notes, FUSE_NOTE_TIME, NULL, g_strdup_printf ("running time went back by %.3f s: earlier rows are dropped, and ticks continue "
          "from there", FUSE_SECONDS (before - now)));
  fuse_journal_add (&core->journal, FUSE_JOURNAL_ENDED, -1, 0, now);
  if (move_streams (core, now - before)) {
    fuse_tick_clock_move (&core->clock, to);
    fuse_note_move (core);
  }
  fuse_core_wake (core);
}

void
fuse_follow_time (FuseCore *core, const FuseInstant *now, GQueue *notes)
{
  const gint64 before = core->seen.running_time;

  if (before != ROBOCACHE_NO_TIME)
    expect_moves (core, now);
  core->seen = *now;
  core->has_paused = FALSE;
  if (before != ROBOCACHE_NO_TIME && now->running_time + JUMP < before)
    go_back (core, before, now->running_time, notes);
}

void
fuse_begin_tick (FuseCore *core, gint64 tick, FuseDeparture *departure)
{
  if (core->clock.last_out == ROBOCACHE_NO_TIME || tick > core->clock.last_out)
    return;
  FUSE_LOG (&core->log, INFO, NULL, "ticks go back from %" FUSE_TIME_FORMAT " to %" FUSE_TIME_FORMAT ": a new segment", FUSE_TIME_ARGS (core->clock.last_out),
      FUSE_TIME_ARGS (tick));
  departure->segment_from = tick;
  core->discont = core->window_is_stale = TRUE;
  core->hole.n = 0;
  core->last_gap = core->last_report = ROBOCACHE_NO_TIME;
}

static gboolean
is_about_now (gint64 t, gint64 now)
{
  return t <= rc_add_saturating (now, JUMP) && t >= rc_subtract_saturating (now, JUMP);
}

gboolean
fuse_return_to_now (FuseCore *core, gint64 tick)
{
  const FuseTickClock *clock = &core->clock;
  const gint64 now = core->now;
  gboolean any_is_now = FALSE, any_is_held = FALSE, any_is_ahead = FALSE;

  if (now == ROBOCACHE_NO_TIME || !clock->ticking || clock->grid.num == 0
      || rc_subtract_saturating (tick, now) <= JUMP
      || robocache_tick_at_or_after (&clock->grid, now) >= clock->next_index)
    return FALSE;
  for (guint i = 0; i < core->streams->len; i++) {
    const FuseStream *stream = fuse_core_stream (core, i);
    /* a GAP decides ticks as rows do, and they may be as far ahead of running time */
    const gint64 newest = fuse_stream_is_over (stream) ? ROBOCACHE_NO_TIME
        : MAX (fuse_stream_last_time (stream), fuse_stream_frontier (stream));

    if (newest == ROBOCACHE_NO_TIME)
      continue;
    if (rc_subtract_saturating (tick, newest) <= JUMP) {
      any_is_ahead = TRUE;
    } else if (is_about_now (newest, now)) {
      any_is_now = TRUE;
      any_is_held |= !fuse_stream_is_ready (stream, tick, FALSE);
    }
  }
  if (!any_is_now || (any_is_ahead && !any_is_held))
    return FALSE;
  FUSE_LOG (&core->log, INFO, NULL, "ticks return from %" FUSE_TIME_FORMAT " to running time %" FUSE_TIME_FORMAT ": no stream has rows there any more",
      FUSE_TIME_ARGS (tick), FUSE_TIME_ARGS (now));
  fuse_tick_clock_move (&core->clock, now);
  fuse_journal_add (&core->journal, FUSE_JOURNAL_MOVED, -1, 0, now);
  fuse_note_move (core);
  return TRUE;
}

void
fuse_follow_rows (FuseCore *core, const FuseStream *stream)
{
  FuseTickClock *clock = &core->clock;
  const gint64 newest = fuse_stream_last_time (stream), now = core->now;

  if (now == ROBOCACHE_NO_TIME || !stream->source.live || clock->grid.num > 0 || clock->reference != stream
      || newest == ROBOCACHE_NO_TIME || newest >= clock->last_tick
      || rc_subtract_saturating (clock->last_tick, now) <= JUMP)
    return;
  FUSE_LOG (&core->log, INFO, stream, "ticks follow the rows of the reference back to %" FUSE_TIME_FORMAT, FUSE_TIME_ARGS (newest));
  fuse_tick_clock_move (clock, newest);
  fuse_note_move (core);
}

/* Whether a row up to the tick is more than a second ahead of running time: an offset has moved the rows ahead. */
static gboolean
is_among_rows_ahead (const FuseCore *core, gint64 tick)
{
  const gint64 ahead = rc_add_saturating (core->now, JUMP);

  for (guint i = 0; tick > ahead && i < core->streams->len; i++) {
    const gint64 row = fuse_stream_next_row_after (fuse_core_stream (core, i), ahead);

    if (row != ROBOCACHE_NO_TIME && row <= tick)
      return TRUE;
  }
  return FALSE;
}

/* The first time from the tick's on that has a row near it. G_MAXINT64: none has. */
static gint64
next_near (const FuseCore *core, gint64 tick)
{
  gint64 next = G_MAXINT64;

  for (guint i = 0; i < core->streams->len && next > tick; i++)
    next = MIN (next, fuse_stream_next_near (fuse_core_stream (core, i), tick));
  return next;
}

guint64
fuse_skip_empty (FuseCore *core, const FuseTick *tick, FuseDeparture *departure)
{
  FuseTickClock *clock = &core->clock;
  const gint64 now = core->now;
  gint64 until;

  if (now == ROBOCACHE_NO_TIME || !clock->ticking || clock->grid.num == 0)
    return 0;
  until = next_near (core, tick->time);
  if (!fuse_tick_clock_streams_are_over (clock) && (until == G_MAXINT64 || !is_among_rows_ahead (core, tick->time)))
    until = MIN (until, fuse_earliest_in_time (now, MAX (core->total, 0)));
  if (rc_subtract_saturating (until, tick->time) <= JUMP
      || robocache_tick_at_or_after (&clock->grid, until) - clock->next_index < (gint64) core->settings.output.window)
    return 0;
  fuse_begin_tick (core, tick->time, departure);
  return fuse_tick_clock_skip (clock, until);
}

gint64
fuse_earliest_departure (const FuseCore *core, gint64 tick)
{
  const gint64 now = core->now;

  if (now == ROBOCACHE_NO_TIME || tick <= now || core->clock.grid.num == 0 || fuse_tick_clock_streams_are_over (&core->clock))
    return ROBOCACHE_NO_TIME;
  return next_near (core, tick) <= tick || is_among_rows_ahead (core, tick) ? ROBOCACHE_NO_TIME : tick;
}

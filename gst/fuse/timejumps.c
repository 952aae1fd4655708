/* robocache: jumps of running time, and the ticks of robocachefuse after them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timejumps.h"

#include "gst/fuse/stream/debug.h"

#define JUMP ((gint64) GST_SECOND)

/* A tick that was found before is none any more. */
static void
note_move (GstRobocacheFuse *fuse)
{
  fuse->n_moves++;
  fuse->awaited = ROBOCACHE_NO_TIME;
}

static gboolean
is_flushing (GstRobocacheFuse *fuse)
{
  return fuse->flushing || fuse->open_flush != GST_SEQNUM_INVALID;
}

static gint64
clock_time (const FuseTimeSeen *seen)
{
  return (gint64) (seen->running_time + seen->base_time);
}

/* How far the pipeline's clock has moved, other than by the time that has passed: it was set, or is another one. 0: it has not,
 * though it may have stood still. */
static gint64
clock_moved (const FuseTimeSeen *before, const FuseTimeSeen *now)
{
  const gint64 on = rc_subtract_saturating (clock_time (now), clock_time (before));
  const gint64 more = rc_subtract_saturating (on, now->monotonic - before->monotonic);

  if (before->has_paused && now->clock == before->clock)
    return MIN (on, 0);
  return on < -JUMP || more > JUMP ? more : 0;
}

/* Sensors need not follow running time that has moved. */
static void
expect_moves (GstRobocacheFuse *fuse, const FuseTimeSeen *now)
{
  const FuseTimeSeen *before = &fuse->seen;
  const gint64 by_clock = clock_moved (before, now);
  gint64 moved = rc_add_saturating (by_clock, rc_subtract_saturating ((gint64) before->base_time, (gint64) now->base_time));

  if (by_clock != 0)
    fuse_journal_add (&fuse->journal, FUSE_JOURNAL_ENDED, -1, 0, now->running_time);
  if (moved >= -JUMP && moved <= JUMP)
    moved = 0;
  for (guint i = 0; (moved != 0 || by_clock != 0) && i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (pad->live)
      fuse_stream_expect_move (&pad->stream, (gint64) now->running_time, moved, by_clock != 0);
  }
}

/* Streams whose sources are live follow running time. Returns whether ticks do: they may be rows of one that is not live. */
static gboolean
move_streams (GstRobocacheFuse *fuse, gint64 moved)
{
  gboolean ticks_follow = TRUE;

  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (pad->live)
      fuse_stream_follow_running_time (&pad->stream, moved);
    else if (fuse->clock.grid.num == 0 && fuse->clock.reference == &pad->stream)
      ticks_follow = FALSE;
  }
  fuse->composition_changed = TRUE;     /* rows of an older format may have gone */
  return ticks_follow;
}

static void
note_running_time (GstRobocacheFuse *fuse, const FuseTimeSeen *seen)
{
  const GstClockTime before = fuse->seen.running_time, now = seen->running_time;

  if (GST_CLOCK_TIME_IS_VALID (before))
    expect_moves (fuse, seen);
  fuse->seen = *seen;
  if (!GST_CLOCK_TIME_IS_VALID (before) || now + JUMP >= before)
    return;
  GST_INFO_OBJECT (fuse, "running time goes back from %" GST_TIME_FORMAT " to %" GST_TIME_FORMAT, GST_TIME_ARGS (before),
      GST_TIME_ARGS (now));
  fuse->went_back += before - now;
  fuse_journal_add (&fuse->journal, FUSE_JOURNAL_ENDED, -1, 0, now);
  if (move_streams (fuse, (gint64) now - (gint64) before)) {
    fuse_tick_clock_move (&fuse->clock, fuse->clock.grid.num > 0 ? (gint64) now : fuse_earliest_in_time (now, fuse->total_latency));
    note_move (fuse);
  }
  gst_robocache_fuse_wake (fuse);
}

GstClockTime
gst_robocache_fuse_note_running_time (GstRobocacheFuse *fuse)
{
  FuseTimeSeen seen;

  if (!fuse->clock.live || !fuse->playing)
    return GST_CLOCK_TIME_NONE;
  seen = gst_robocache_fuse_see_time (fuse);
  if (GST_CLOCK_TIME_IS_VALID (seen.running_time) && !is_flushing (fuse))
    note_running_time (fuse, &seen);
  return seen.running_time;
}

void
gst_robocache_fuse_sync_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, gboolean at_tick)
{
  const gint64 offset = pad->stream.settings.offset;

  fuse->composition_changed |= gst_robocache_fuse_pad_sync_settings (pad, at_tick || pad->stream.warned_no_reference);
  if (pad->stream.settings.offset != offset && fuse->clock.reference == &pad->stream) {
    fuse_tick_clock_follow_offset (&fuse->clock);
    note_move (fuse);
  }
}

void
gst_robocache_fuse_begin_tick (GstRobocacheFuse *fuse, gint64 tick)
{
  if (fuse->clock.last_out == ROBOCACHE_NO_TIME || tick > fuse->clock.last_out)
    return;
  GST_INFO_OBJECT (fuse, "ticks go back from %" GST_STIME_FORMAT " to %" GST_STIME_FORMAT ": a new segment",
      GST_STIME_ARGS (fuse->clock.last_out), GST_STIME_ARGS (tick));
  fuse->segment_from = tick;
  fuse->need_segment = fuse->discont = fuse->window_is_stale = TRUE;
  fuse->hole.n = 0;
  fuse->last_gap = fuse->qos_last = ROBOCACHE_NO_TIME;
  robocache_statistics_timer_reset (&fuse->stats_timer);
}

static gboolean
is_about_now (gint64 t, GstClockTime now)
{
  return t <= rc_add_saturating ((gint64) now, JUMP) && t >= rc_subtract_saturating ((gint64) now, JUMP);
}

gboolean
gst_robocache_fuse_return_to_now (GstRobocacheFuse *fuse, gint64 tick, GstClockTime now)
{
  const FuseTickClock *clock = &fuse->clock;
  gboolean any_is_now = FALSE, any_is_held = FALSE, any_is_ahead = FALSE;

  if (!GST_CLOCK_TIME_IS_VALID (now) || !clock->ticking || clock->grid.num == 0
      || rc_subtract_saturating (tick, (gint64) now) <= JUMP
      || robocache_tick_at_or_after (&clock->grid, (gint64) now) >= clock->next_index)
    return FALSE;
  for (guint i = 0; i < fuse->pads->len; i++) {
    const FuseStream *stream = &gst_robocache_fuse_nth_pad (fuse, i)->stream;
    const gint64 newest = fuse_stream_is_over (stream) ? ROBOCACHE_NO_TIME : fuse_stream_last_time (stream);

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
  fuse_tick_clock_move (&fuse->clock, (gint64) now);
  fuse_journal_add (&fuse->journal, FUSE_JOURNAL_MOVED, -1, 0, now);
  note_move (fuse);
  return TRUE;
}

void
gst_robocache_fuse_note_rows (GstRobocacheFuse *fuse, const GstRobocacheFusePad *pad, GstClockTime now)
{
  FuseTickClock *clock = &fuse->clock;
  const gint64 newest = fuse_stream_last_time (&pad->stream);

  if (!GST_CLOCK_TIME_IS_VALID (now) || !pad->live || clock->grid.num > 0 || clock->reference != &pad->stream
      || newest == ROBOCACHE_NO_TIME || newest >= clock->last_tick
      || rc_subtract_saturating (clock->last_tick, (gint64) now) <= JUMP)
    return;
  fuse_tick_clock_move (clock, newest);
  note_move (fuse);
}

guint64
gst_robocache_fuse_skip_overdue (GstRobocacheFuse *fuse, const FuseTick *tick, GstClockTime now)
{
  FuseTickClock *clock = &fuse->clock;
  gint64 until;

  if (!GST_CLOCK_TIME_IS_VALID (now) || !clock->ticking || clock->grid.num == 0)
    return 0;
  until = fuse_tick_clock_streams_are_over (clock) ? G_MAXINT64 : fuse_earliest_in_time (now, fuse->total_latency);
  if (rc_subtract_saturating (until, tick->time) <= JUMP)
    return 0;
  for (guint i = 0; i < fuse->pads->len && until > tick->time; i++)
    until = MIN (until, fuse_stream_next_near (&gst_robocache_fuse_nth_pad (fuse, i)->stream, tick->time));
  if (robocache_tick_at_or_after (&clock->grid, until) - clock->next_index < (gint64) fuse->started_output.window)
    return 0;
  gst_robocache_fuse_begin_tick (fuse, tick->time);
  return fuse_tick_clock_skip (clock, until);
}

GstClockTime
gst_robocache_fuse_earliest_departure (GstRobocacheFuse *fuse, gint64 tick, GstClockTime now)
{
  if (!GST_CLOCK_TIME_IS_VALID (now) || tick <= (gint64) now || fuse->clock.grid.num == 0
      || fuse_tick_clock_streams_are_over (&fuse->clock))
    return 0;
  for (guint i = 0; i < fuse->pads->len; i++) {
    const FuseStream *stream = &gst_robocache_fuse_nth_pad (fuse, i)->stream;
    const gint64 row = fuse_stream_next_row_after (stream, (gint64) now);

    if (fuse_stream_next_near (stream, tick) <= tick || (row != ROBOCACHE_NO_TIME && row <= tick))
      return 0;
  }
  return (GstClockTime) tick;
}

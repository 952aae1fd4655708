/* robocache: inputs of robocachefuse's core: rows, events and time
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "core.h"

#include "commonclock.h"
#include "control.h"
#include "ticklatency.h"
#include "seekranges.h"
#include "status.h"
#include "stream/rowrules.h"
#include "timejumps.h"

/* Few enough frames for any camera's pool. */
#define MIN_ROWS_WORTH_PRUNING 4

/* ---- the journal ---- */

/* n: rows of FUSE_JOURNAL_ROWS. */
static void
note_taken (FuseCore *core, FuseStream *stream, FuseJournalKind kind, guint64 n, gint64 now)
{
  if (stream->is_removed)       /* later events change nothing */
    return;
  if (stream->journal_number < 0)
    stream->journal_number = fuse_journal_add_pad (&core->journal, stream->name);
  stream->n_rows += kind == FUSE_JOURNAL_ROWS ? (gint64) n : 0;
  stream->n_gaps += kind == FUSE_JOURNAL_GAP;
  stream->n_events += kind == FUSE_JOURNAL_EVENT;
  fuse_journal_add (&core->journal, kind, stream->journal_number, n, now);
}

static void
note_event (FuseCore *core, FuseStream *stream)
{
  note_taken (core, stream, FUSE_JOURNAL_EVENT, 0, ROBOCACHE_NO_TIME);
}

static void
note_rows (FuseCore *core, FuseStream *stream, const FuseRows *rows, guint64 n_outside)
{
  if (rows->ignores_row_times)
    note_taken (core, stream, FUSE_JOURNAL_PTS, (guint64) rows->buffer_duration, rows->buffer_pts);
  note_taken (core, stream, FUSE_JOURNAL_ROWS, rows->n_rows - n_outside, core->now);
}

gint64
fuse_core_note_settings (FuseCore *core)
{
  const gint64 number = core->journal.n_settings++;

  if (number > 0)
    fuse_journal_add (&core->journal, FUSE_JOURNAL_SETTINGS, -1, (guint64) number, ROBOCACHE_NO_TIME);
  return number;
}

gboolean
fuse_core_has_settings (const FuseCore *core)
{
  return core->journal.n_settings > 0;
}

const gchar *
fuse_core_journal_names (FuseCore *core)
{
  return fuse_journal_pads (&core->journal);
}

/* ---- rows ---- */

gboolean
fuse_core_begin_ticks (FuseCore *core)
{
  FuseTickClock *clock = &core->clock;

  if (clock->ticking || clock->earliest_start != ROBOCACHE_NO_TIME || core->now == ROBOCACHE_NO_TIME || core->total == ROBOCACHE_NO_TIME)
    return FALSE;
  clock->earliest_start = fuse_earliest_in_time (core->now, core->total);
  FUSE_LOG (&core->log, INFO, NULL, "live: the first tick is not before %" FUSE_TIME_FORMAT ", for ticks wait up to %" G_GINT64_FORMAT " ns",
      FUSE_TIME_ARGS (clock->earliest_start), core->total);
  return TRUE;
}

/* No tick is before running time 0. FALSE: rows may still be shifted, or a mean may need any of them. */
static gboolean
first_possible_tick (const FuseCore *core, const FuseStream *stream, gint64 *tick)
{
  *tick = 0;
  return core->clock.grid.num > 0 && !stream->origin_is_first_row;
}

/* Releases rows between two ticks that no tick needs: a camera's pool may be small. */
static void
prune (FuseCore *core, FuseStream *stream)
{
  const FuseEpoch *epoch = fuse_stream_epoch (stream);
  gint64 tick;

  if (epoch == NULL || epoch->history.n <= MIN_ROWS_WORTH_PRUNING || fuse_core_awaits_streams (core))
    return;
  if (fuse_tick_clock_lower_bound (&core->clock, &tick) || first_possible_tick (core, stream, &tick))
    fuse_stream_prune (stream, tick);
}

/* Ticks of the reference are its rows, so no tick is in a gap of it, and it may not be chosen yet. */
static void
check_rows (FuseCore *core, FuseStream *stream, gboolean at_end, GQueue *notes)
{
  const FuseTickClock *clock = &core->clock;
  const gboolean may_be_reference = clock->reference ? clock->reference == stream : clock->grid.num == 0;

  if (!may_be_reference)
    fuse_note_add_warning (notes, FUSE_NOTE_SETTING, stream, fuse_stream_check_gap (stream, at_end));
  if (at_end)
    robocache_decimation_check_complete (&stream->decimation);
  fuse_note_add_warning (notes, FUSE_NOTE_SETTING, stream, robocache_decimation_check_take_warning (&stream->decimation,
          fuse_stream_search (stream, fuse_stream_newest_epoch (stream))));
  fuse_note_add_warning (notes, FUSE_NOTE_FORMAT, stream, robocache_quaternion_check_take_warning (&stream->statistics.quaternions));
  fuse_note_add_warning (notes, FUSE_NOTE_FORMAT, stream, robocache_nan_check_take_warning (&stream->nan,
          stream->settings.nan == FUSE_NAN_MISSING));
}

/* Whether check_rows may have a warning: a few comparisons for each buffer. */
static gboolean
may_warn (const FuseStream *stream)
{
  const RobocacheQuaternionCheck *quaternions = &stream->statistics.quaternions;

  return !stream->gap.is_done || stream->decimation.is_full || (stream->nan.counts && !stream->nan.is_reported)
      || quaternions->zero.n > 0 || quaternions->not_unit.n > 0 || quaternions->n_scattered > 0;
}

/* Wakes the owner if the stream, which has changed, was the last one that the next tick waits for, or if it makes the next tick known or
 * earlier. */
static void
look_at_stream (FuseCore *core, FuseStream *stream)
{
  FuseTickClock *clock = &core->clock;
  FuseTick tick;

  if (!core->is_waiting || fuse_core_awaits_streams (core))
    return;
  if (core->awaited == ROBOCACHE_NO_TIME) {
    if (fuse_tick_clock_next (clock, &tick) || fuse_tick_clock_is_over (clock))
      fuse_core_wake (core);
    else
      core->may_continue = TRUE;        /* the row may have determined the first tick */
    return;
  }
  /* live, the first tick and those of a reference may become earlier */
  if (clock->live && (clock->reference || !clock->ticking) && fuse_tick_clock_next (clock, &tick) && tick.time != core->awaited) {
    fuse_core_wake (core);
    return;
  }
  if (!stream->is_ready && fuse_stream_is_ready (stream, core->awaited, !clock->live)) {
    stream->is_ready = TRUE;
    if (--core->n_unready == 0)
      fuse_core_wake (core);
  }
}

gboolean
fuse_core_insert (FuseCore *core, FuseStream *stream, const FuseRows *rows, GQueue *notes, GError **error)
{
  FuseInsertion insertion = { 0 };

  fuse_core_begin_ticks (core);
  if (!fuse_stream_insert (stream, rows, core->clock.live && stream->source.live, core->now, &insertion, notes, error))
    return FALSE;
  if (stream->warned_no_reference)
    fuse_stream_apply_timestamps (stream);      /* no tick may come of such rows */
  note_rows (core, stream, rows, insertion.n_outside);
  fuse_core_choose_reference (core, NULL);
  if (may_warn (stream))
    check_rows (core, stream, FALSE, notes);
  prune (core, stream);
  if (fuse_latency_is_off (core, stream))
    fuse_note_add (notes, FUSE_NOTE_LATENCY, stream, NULL);
  if (insertion.jumped)
    fuse_note_add_warning (notes, FUSE_NOTE_FORMAT, stream, robocache_clock_jump_take_warning (&stream->jump));
  fuse_follow_rows (core, stream);
  if (insertion.n_outside > 0)
    FUSE_LOG (&core->log, LOG, stream, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " rows have no time in the segment", insertion.n_outside,
        rows->n_rows);
  if (insertion.jumped || fuse_core_losses_are_due (core, stream))
    fuse_core_wake (core);
  else
    look_at_stream (core, stream);
  return TRUE;
}

void
fuse_core_refuse (FuseCore *core, FuseStream *stream, RobocacheDropReason reason)
{
  if (stream->is_removed)
    robocache_row_counts_refuse (&core->removed.rows, ROBOCACHE_DROPPED_REMOVED, stream->format ? stream->format->n_rows : 1);
  else
    fuse_stream_refuse (stream, reason);
  if (fuse_core_losses_are_due (core, stream))
    fuse_core_wake (core);
}

/* The journal ends once a sample: a starving owner drops thousands. */
void
fuse_core_drop_unread (FuseCore *core, FuseStream *stream, guint n)
{
  const guint64 n_rows = n * (guint64) (stream->format ? stream->format->n_rows : 1);

  if (stream->is_removed) {
    robocache_row_counts_refuse (&core->removed.rows, ROBOCACHE_DROPPED_REMOVED, n_rows);
    return;
  }
  fuse_stream_drop_unread (stream, n_rows);
  if (!core->journal.has_ended)
    fuse_journal_add (&core->journal, FUSE_JOURNAL_ENDED, -1, 0, core->now);
  if (fuse_core_losses_are_due (core, stream))
    fuse_core_wake (core);
}

/* ---- events ---- */

static void
take_format (FuseCore *core, FuseStream *stream, const FuseEvent *event)
{
  fuse_stream_apply_timestamps (stream);
  g_free (stream->quaternions);
  stream->quaternions = event->quaternions;
  stream->n_quaternions = event->n_quaternions;
  stream->unfiltered = event->unfiltered;
  stream->has_holds = event->has_holds;
  stream->is_held = event->is_held;
  FUSE_LOG (&core->log, DEBUG, stream, "%s format of %" G_GUINT64_FORMAT " rows a buffer, %" G_GUINT64_FORMAT " channels%s", event->is_declared
      ? "expects a" : "has a", event->format->n_rows, (guint64) event->format->channels, event->has_same_rows ? ", as before" : "");
  fuse_stream_set_format (stream, event->format, event->has_same_rows, event->is_declared);
  if (!event->is_declared)
    note_event (core, stream);
  fuse_tick_clock_sync_period (&core->clock);
}

static void
take_segment (FuseCore *core, FuseStream *stream, const FuseEvent *event)
{
  FUSE_LOG (&core->log, DEBUG, stream, "a segment from %" FUSE_TIME_FORMAT ", at running time %" FUSE_TIME_FORMAT "%s",
      FUSE_TIME_ARGS (event->segment.start), FUSE_TIME_ARGS (event->segment.begin), event->segment.continues ? ", continues the one before" : "");
  if (!event->segment.continues || stream->segment_done)
    fuse_stream_begin_segment (stream);
  fuse_note_start_of_segment (stream, event->segment.start, fuse_ranges_start (core, stream, event->segment.number));
  if (stream->awaited_segment != 0)
    fuse_ranges_begin_stream (core, stream, event->segment.begin, event->segment.number);
  stream->was_done = FALSE;
  note_event (core, stream);
  core->segment_done &= fuse_tick_clock_streams_are_over (&core->clock);
}

static void
take_gap (FuseCore *core, FuseStream *stream, const FuseEvent *event)
{
  const gint64 now = stream->source.live ? core->now : ROBOCACHE_NO_TIME;

  fuse_stream_gap (stream, event->gap.start, event->gap.end, now);
  if (event->gap.start != ROBOCACHE_NO_TIME)    /* a recording has only such GAPs */
    note_taken (core, stream, FUSE_JOURNAL_GAP, 0, now);
}

/* Settings hold at once for rows to come. Ticks that are rows of the stream follow its offset. */
static void
take_settings (FuseCore *core, FuseStream *stream, const FuseStreamSettings *settings)
{
  const gint64 offset = stream->settings.offset;

  fuse_stream_set_settings (stream, settings);
  if (stream->settings.offset != offset && core->clock.reference == stream) {
    fuse_tick_clock_follow_offset (&core->clock);
    fuse_note_move (core);
  }
}

/* They hold from the next tick on, so that it is certain for which rows; where rows had no reference, no tick may come of them. */
static void
take_timestamps (FuseStream *stream, const FuseTimestampSettings *timestamps)
{
  stream->next_timestamps = *timestamps;
  if (stream->warned_no_reference || stream->format == NULL)
    fuse_stream_apply_timestamps (stream);
}

/* After SEGMENT_DONE the end may follow. */
static gboolean
all_have_ended (const FuseCore *core)
{
  gboolean all = TRUE;

  for (guint i = 0; i < core->streams->len; i++)
    all &= fuse_core_stream (core, i)->eos;
  return all;
}

static void
end_stream (FuseCore *core, FuseStream *stream, GQueue *notes)
{
  FUSE_LOG (&core->log, INFO, stream, "has ended: its newest row is at %" FUSE_TIME_FORMAT, FUSE_TIME_ARGS (fuse_stream_newest_row (stream)));
  fuse_stream_eos (stream);
  fuse_ranges_forget_void (core);
  core->segment_done &= !all_have_ended (core);
  note_event (core, stream);
  check_rows (core, stream, TRUE, notes);
}

static void
flush_stream (FuseCore *core, FuseStream *stream)
{
  fuse_stream_apply_timestamps (stream);        /* after an error there may be no tick */
  fuse_stream_flush (stream);
  fuse_ranges_forget_void (core);
  core->may_continue = TRUE;
}

void
fuse_core_event (FuseCore *core, FuseStream *stream, const FuseEvent *event, GQueue *notes)
{
  switch (event->kind) {
    case FUSE_EVENT_STREAM_START:
      fuse_stream_restart (stream);
      break;
    case FUSE_EVENT_FORMAT:
      take_format (core, stream, event);
      break;
    case FUSE_EVENT_SAME_FORMAT:
      note_event (core, stream);
      break;
    case FUSE_EVENT_SEGMENT:
      take_segment (core, stream, event);
      break;
    case FUSE_EVENT_GAP:
      take_gap (core, stream, event);
      break;
    case FUSE_EVENT_ORIGIN:
      if (!stream->is_removed)
        fuse_core_set_origin (core, stream, event->origin.time, event->origin.is_first_row, notes);
      note_event (core, stream);
      return;
    case FUSE_EVENT_SEGMENT_DONE:
      fuse_stream_segment_done (stream);
      break;
    case FUSE_EVENT_SEEK:
      fuse_stream_await_segment (stream, event->seek);
      core->may_continue = TRUE;
      break;
    case FUSE_EVENT_SEEK_FAILED:
      fuse_stream_await_no_segment (stream, event->seek);
      fuse_ranges_forget_void (core);
      break;
    case FUSE_EVENT_EOS:
      end_stream (core, stream, notes);
      break;
    case FUSE_EVENT_FLUSH:
      flush_stream (core, stream);
      note_event (core, stream);
      break;
    case FUSE_EVENT_DISCARD:
      flush_stream (core, stream);
      break;
    case FUSE_EVENT_SETTINGS:
      take_settings (core, stream, &event->settings);
      break;
    case FUSE_EVENT_TIMESTAMPS:
      take_timestamps (stream, &event->timestamps);
      break;
    case FUSE_EVENT_SOURCE:
      stream->source = event->source;
      return;
  }
  fuse_core_wake (core);
}

/* ---- time ---- */

void
fuse_core_set_time (FuseCore *core, const FuseInstant *now, GQueue *notes)
{
  core->now = core->clock.live && core->is_playing ? now->running_time : ROBOCACHE_NO_TIME;
  if (core->now != ROBOCACHE_NO_TIME && !now->is_flushing)
    fuse_follow_time (core, now, notes);
}

static void
set_playing (FuseCore *core, gboolean is_playing, gint64 base_time)
{
  FUSE_LOG (&core->log, INFO, NULL, "%s, base time %" G_GINT64_FORMAT, is_playing ? "PLAYING: live ticks leave" : "PAUSED: live ticks wait", base_time);
  core->is_playing = is_playing;
  fuse_journal_add (&core->journal, is_playing ? FUSE_JOURNAL_PLAYING : FUSE_JOURNAL_PAUSED, -1, 0, base_time);
  core->has_paused = TRUE;
  fuse_core_wake (core);
}

void
fuse_core_play (FuseCore *core, gint64 base_time)
{
  set_playing (core, TRUE, base_time);
}

void
fuse_core_pause (FuseCore *core, gint64 base_time)
{
  set_playing (core, FALSE, base_time);
  core->now = ROBOCACHE_NO_TIME;
}

/* ---- wakeups ---- */

gboolean
fuse_core_clear_wakeup (FuseCore *core)
{
  const gboolean must_wake = core->must_wake;

  core->must_wake = FALSE;
  return must_wake;
}

gboolean
fuse_core_clear_progress (FuseCore *core)
{
  const gboolean may_continue = core->may_continue;

  core->may_continue = FALSE;
  return may_continue;
}

/* robocache: what comes to robocachefuse: streams, rows, events and time
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "core.h"

#include <string.h>

#include "common/element/errordomain.h"
#include "commonclock.h"
#include "stream/insertion.h"
#include "latency.h"
#include "timejumps.h"

/* Few enough frames for any camera's pool. */
#define MIN_ROWS_WORTH_PRUNING 4

/* ---- life ---- */

FuseCore *
fuse_core_new (GPtrArray *released, const FuseLog *log)
{
  FuseCore *core = g_new0 (FuseCore, 1);

  core->released = g_ptr_array_ref (released);
  core->log = *log;
  core->streams = g_ptr_array_new ();
  core->composed = g_ptr_array_new ();
  core->next_composed = g_ptr_array_new ();
  core->keys = g_array_new (FALSE, FALSE, sizeof (FuseComposed));
  core->next_keys = g_array_new (FALSE, FALSE, sizeof (FuseComposed));
  core->origins = fuse_origins_new ();
  fuse_tick_clock_init (&core->clock, core->streams);
  fuse_journal_init (&core->journal);
  core->total = core->deadline = core->now = core->range_end = ROBOCACHE_NO_TIME;
  fuse_core_reset_ticks (core);
  return core;
}

void
fuse_core_free (FuseCore *core)
{
  fuse_journal_clear (&core->journal);
  fuse_origins_free (core->origins);
  g_ptr_array_unref (core->streams);
  g_ptr_array_unref (core->composed);
  g_ptr_array_unref (core->next_composed);
  g_array_unref (core->keys);
  g_array_unref (core->next_keys);
  g_ptr_array_unref (core->released);
  g_free (core->settings.reference);
  g_free (core);
}

/* Those that hold at once, but the rate. */
static void
copy_settings (FuseCore *core, const FuseSettings *settings)
{
  core->settings.latency = MIN (settings->latency, G_MAXINT64);
  core->settings.min_upstream_latency = MIN (settings->min_upstream_latency, G_MAXINT64);
  core->settings.reports_losses = settings->reports_losses;
  core->settings.loss_interval = MIN (settings->loss_interval, G_MAXINT64);
}

static void
start_settings (FuseCore *core, const FuseSettings *settings)
{
  g_free (core->settings.reference);
  core->settings = *settings;
  core->settings.reference = g_strdup (settings->reference);
  copy_settings (core, settings);
  core->clock.grid = settings->rate;
  core->clock.reference = NULL;
  core->clock.live = core->clock.starts_without_rows = settings->force_live;
}

static void
reset_streams (FuseCore *core)
{
  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    fuse_stream_reset (stream);
    fuse_stream_apply_timestamps (stream);
  }
}

void
fuse_core_start (FuseCore *core, const FuseSettings *settings)
{
  start_settings (core, settings);
  core->is_started = TRUE;
  core->reference_lost = core->has_failed = core->is_accepted = core->is_playing = core->total_is_given = FALSE;
  core->n_expected = 0;
  core->told = core->total = ROBOCACHE_NO_TIME;
  fuse_core_reset_ticks (core);
  core->window_is_stale = FALSE;
  fuse_journal_reset (&core->journal);
  core->journal_latency = G_MININT64;
  core->range_start = 0;
  core->range_end = ROBOCACHE_NO_TIME;
  core->range_is_segment = FALSE;
  memset (&core->ticks, 0, sizeof (core->ticks));
  memset (&core->removed, 0, sizeof (core->removed));
  reset_streams (core);
  fuse_tick_clock_sync_period (&core->clock);
}

void
fuse_core_stop (FuseCore *core)
{
  core->is_started = FALSE;
  fuse_journal_reset (&core->journal);
}

/* Ticks go on at another rate; without one before or now, that holds from the next start on. */
static void
change_rate (FuseCore *core, RobocacheTickGrid rate)
{
  if (!core->is_started || rate.num <= 0 || core->clock.grid.num <= 0 || (rate.num == core->clock.grid.num && rate.den == core->clock.grid.den))
    return;
  FUSE_LOG (&core->log, INFO, NULL, "ticks continue at %d/%d Hz", rate.num, rate.den);
  fuse_tick_clock_set_grid (&core->clock, rate);
  fuse_journal_add (&core->journal, FUSE_JOURNAL_RATE, -1, 0, ROBOCACHE_NO_TIME);
  fuse_tick_clock_sync_period (&core->clock);
  core->discont = TRUE;
  core->awaited = ROBOCACHE_NO_TIME;
}

void
fuse_core_set_settings (FuseCore *core, const FuseSettings *settings)
{
  copy_settings (core, settings);
  change_rate (core, settings->rate);
  fuse_core_wake (core);
}

const FuseSettings *
fuse_core_settings (const FuseCore *core)
{
  return &core->settings;
}

void
fuse_core_set_failed (FuseCore *core, gboolean has_failed)
{
  core->has_failed = has_failed;
}

gboolean
fuse_core_has_failed (const FuseCore *core)
{
  return core->has_failed;
}

void
fuse_core_reset_ticks (FuseCore *core)
{
  fuse_tick_clock_reset (&core->clock);
  fuse_journal_add (&core->journal, FUSE_JOURNAL_ENDED, -1, 0, ROBOCACHE_NO_TIME);
  core->has_sent = core->segment_done = FALSE;
  core->discont = core->window_is_stale = TRUE;
  core->hole.n = core->lost_ticks = 0;
  core->last_gap = core->last_report = core->awaited = core->common_origin = core->seen.running_time = ROBOCACHE_NO_TIME;
  for (guint i = 0; i < core->streams->len; i++)
    fuse_core_stream (core, i)->start_is_checked = fuse_core_stream (core, i)->end_is_checked = FALSE;
}

void
fuse_core_set_range (FuseCore *core, gint64 start, gint64 end, gboolean is_segment)
{
  core->range_start = start;
  core->range_end = end;
  core->range_is_segment = is_segment;
}

/* ---- streams come and go ---- */

static gint
compare_streams (gconstpointer a, gconstpointer b)
{
  const guint64 x = (*(FuseStream *const *) a)->order, y = (*(FuseStream *const *) b)->order;

  return (x > y) - (x < y);
}

void
fuse_core_add_stream (FuseCore *core, FuseStream *stream)
{
  stream->log = &core->log;
  stream->times.origins = core->origins;
  stream->released = g_ptr_array_ref (core->released);
  g_ptr_array_add (core->streams, stream);
  g_ptr_array_sort (core->streams, compare_streams);
  fuse_tick_clock_sync_period (&core->clock);
  fuse_core_wake (core);
}

/* Its rows are counted among those of streams that were removed. */
static void
close_stream (FuseCore *core, FuseStream *stream)
{
  fuse_stream_discard (stream, ROBOCACHE_DROPPED_REMOVED);
  fuse_stream_add_statistics (stream, &core->removed);
  fuse_timestamps_reset (&stream->times);       /* its use of a shared origin ends */
  stream->is_removed = TRUE;
  g_ptr_array_remove (core->streams, stream);
  core->is_accepted &= !g_ptr_array_remove (core->composed, stream);
  core->next_is_void |= g_ptr_array_remove (core->next_composed, stream);
}

static void
lose_reference (FuseCore *core, FuseStream *stream, GQueue *notes)
{
  core->clock.reference = NULL;
  core->reference_lost = TRUE;
  fuse_note_add (notes, FUSE_NOTE_REFERENCE_LOST, NULL, g_strdup_printf ("the reference pad %s was released: there are no ticks until %s",
          stream->name, stream->is_camera ? "it or another camera brings a frame" : "it is requested again"));
}

void
fuse_core_remove_stream (FuseCore *core, FuseStream *stream, GQueue *notes)
{
  if (core->clock.reference == stream)
    lose_reference (core, stream, notes);
  close_stream (core, stream);
  if (!fuse_core_has_epochs (core)) {     /* ticks start anew with the next row */
    core->clock.ticking = FALSE;
    core->clock.earliest_start = ROBOCACHE_NO_TIME;
    core->discont = TRUE;
  }
  fuse_tick_clock_leave (&core->clock);
  fuse_core_share_origin (core);
  core->may_continue = TRUE;
  fuse_core_wake (core);
}

/* ---- streams that the first tick waits for ---- */

void
fuse_core_expect_streams (FuseCore *core, guint n)
{
  core->n_expected = n;
  core->may_continue = TRUE;
  fuse_core_wake (core);
}

gboolean
fuse_core_awaits_streams (const FuseCore *core)
{
  gboolean awaits = core->n_expected > 0;

  if (core->clock.live || core->clock.ticking || core->has_failed)
    return FALSE;
  for (guint i = 0; !awaits && i < core->streams->len; i++)
    awaits = fuse_core_stream (core, i)->is_declared && !fuse_core_stream (core, i)->eos;
  return awaits;
}

/* ---- the reference ---- */

static FuseStream *
find_reference (const FuseCore *core)
{
  const gchar *name = core->settings.reference;

  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    if (name ? g_str_equal (stream->name, name) : stream->is_camera)
      return stream;
  }
  return NULL;
}

/* "camera_0, proprio_0"; free with g_free. */
static gchar *
list_streams (const FuseCore *core)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < core->streams->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", fuse_core_stream (core, i)->name);
  return g_string_free (names, FALSE);
}

static void
fail_without_reference (const FuseCore *core, GError **error)
{
  gchar *names = list_streams (core);

  if (core->settings.reference)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "reference-pad=%s: expected one of the sink pads, which are %s",
        core->settings.reference, names);
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "no tick source: set rate (like rate=50/1) or reference-pad, "
        "or link a camera pad");
  g_free (names);
}

/* Chooses the stream whose rows are the ticks, if there is no rate. */
gboolean
fuse_core_choose_reference (FuseCore *core, GError **error)
{
  FuseTickClock *clock = &core->clock;
  FuseStream *stream;

  if (clock->reference || clock->grid.num > 0 || fuse_core_awaits_streams (core))
    return TRUE;
  stream = find_reference (core);
  if (stream) {
    fuse_tick_clock_set_reference (clock, stream);
    fuse_tick_clock_sync_period (clock);
    return TRUE;
  }
  if (!core->reference_lost)
    fail_without_reference (core, error);
  return core->reference_lost;
}

/* ---- the journal ---- */

/* n: rows of FUSE_JOURNAL_ROWS. */
static void
note_taken (FuseCore *core, FuseStream *stream, FuseJournalKind kind, guint64 n, gint64 now)
{
  if (stream->is_removed)       /* what comes now changes nothing */
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
  return TRUE;
}

/* Releases rows between two ticks that no tick needs: a camera's pool may be small. */
static void
prune (FuseCore *core, FuseStream *stream)
{
  const FuseEpoch *epoch = fuse_stream_epoch (stream);
  gint64 tick;

  if (epoch && epoch->history.n > MIN_ROWS_WORTH_PRUNING && !fuse_core_awaits_streams (core) && fuse_tick_clock_lower_bound (&core->clock, &tick))
    fuse_stream_prune (stream, tick);
}

static void
add_warning (GQueue *notes, FuseNoteKind kind, FuseStream *stream, gchar *warning)
{
  if (warning)
    fuse_note_add (notes, kind, stream, g_strdup_printf ("%s: %s", stream->name, warning));
  g_free (warning);
}

/* Ticks of the reference are its rows, so no tick is in a gap of it, and it may not be chosen yet. */
static void
check_rows (FuseCore *core, FuseStream *stream, gboolean at_end, GQueue *notes)
{
  const FuseTickClock *clock = &core->clock;
  const gboolean may_be_reference = clock->reference ? clock->reference == stream : clock->grid.num == 0;

  if (!may_be_reference)
    add_warning (notes, FUSE_NOTE_SETTING, stream, fuse_stream_check_gap (stream, at_end));
  add_warning (notes, FUSE_NOTE_FORMAT, stream, robocache_quaternion_check_take_warning (&stream->statistics.quaternions));
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
      core->may_continue = TRUE;        /* the row may have told where the first tick is */
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

static gboolean
losses_are_due (const FuseCore *core, const FuseStream *stream)
{
  const gint64 time = core->now != ROBOCACHE_NO_TIME ? core->now : fuse_stream_last_time (stream);

  return core->settings.reports_losses && robocache_losses_are_due (&stream->losses, time, (gint64) core->settings.loss_interval);
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
  check_rows (core, stream, FALSE, notes);
  prune (core, stream);
  if (fuse_latency_is_off (core, stream))
    fuse_note_add (notes, FUSE_NOTE_LATENCY, stream, NULL);
  if (insertion.jumped)
    add_warning (notes, FUSE_NOTE_FORMAT, stream, robocache_clock_jump_take_warning (&stream->jump));
  fuse_follow_rows (core, stream);
  if (insertion.jumped || losses_are_due (core, stream))
    fuse_core_wake (core);
  else
    look_at_stream (core, stream);
  return TRUE;
}

void
fuse_core_refuse (FuseCore *core, FuseStream *stream)
{
  if (stream->is_removed)
    robocache_row_counts_refuse (&core->removed.rows, ROBOCACHE_DROPPED_REMOVED, stream->format ? stream->format->n_rows : 1);
  else
    fuse_stream_refuse (stream);
}

/* ---- events ---- */

static void
take_format (FuseCore *core, FuseStream *stream, const FuseEvent *event)
{
  fuse_stream_apply_timestamps (stream);
  fuse_stream_set_format (stream, event->format, event->has_same_rows, event->is_declared);
  g_free (stream->quaternions);
  stream->quaternions = event->quaternions;
  stream->n_quaternions = event->n_quaternions;
  if (!event->is_declared)
    note_event (core, stream);
  fuse_tick_clock_sync_period (&core->clock);
}

static void
take_segment (FuseCore *core, FuseStream *stream, const FuseEvent *event)
{
  if (!event->segment.continues || stream->segment_done)
    fuse_stream_begin_segment (stream);
  fuse_core_note_start_of_segment (core, stream, event->segment.start);
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

static void
end_stream (FuseCore *core, FuseStream *stream, GQueue *notes)
{
  fuse_stream_eos (stream);
  note_event (core, stream);
  check_rows (core, stream, TRUE, notes);
}

static void
flush_stream (FuseCore *core, FuseStream *stream)
{
  fuse_stream_apply_timestamps (stream);        /* after an error there may be no tick */
  fuse_stream_flush (stream);
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
        fuse_core_take_origin (core, stream, event->origin.time, event->origin.is_first_row, notes);
      note_event (core, stream);
      return;
    case FUSE_EVENT_SEGMENT_DONE:
      fuse_stream_segment_done (stream);
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
fuse_core_take_wakeup (FuseCore *core)
{
  const gboolean must_wake = core->must_wake;

  core->must_wake = FALSE;
  return must_wake;
}

gboolean
fuse_core_take_progress (FuseCore *core)
{
  const gboolean may_continue = core->may_continue;

  core->may_continue = FALSE;
  return may_continue;
}

/* ---- questions ---- */

const GPtrArray *
fuse_core_streams (const FuseCore *core)
{
  return core->streams;
}

gboolean
fuse_core_is_live (const FuseCore *core)
{
  return core->clock.live;
}

gboolean
fuse_core_is_playing (const FuseCore *core)
{
  return core->is_playing;
}

gboolean
fuse_core_is_composing (const FuseCore *core)
{
  return core->is_composing;
}

const FuseTickStatistics *
fuse_core_tick_statistics (const FuseCore *core)
{
  return &core->ticks;
}

void
fuse_core_add_removed_statistics (const FuseCore *core, FuseStatistics *sum)
{
  fuse_statistics_add (sum, &core->removed);
}

void
fuse_core_add_statistics (const FuseCore *core, FuseStatistics *sum)
{
  fuse_core_add_removed_statistics (core, sum);
  for (guint i = 0; i < core->streams->len; i++)
    fuse_stream_add_statistics (fuse_core_stream (core, i), sum);
}

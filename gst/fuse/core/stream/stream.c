/* robocache: one sensor of robocachefuse: its format, its rows, and their ticks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include <string.h>

/* Used until caps contain the rate. */
#define USUAL_CAMERA_FRAMES 8
/* How far from a row a tick is still near it, at least and at most. */
#define MIN_NEAR ROBOCACHE_SECOND
#define MAX_NEAR (10 * ROBOCACHE_SECOND)

/* ---- life ---- */

static void
epoch_free (gpointer data)
{
  FuseEpoch *epoch = data;

  robocache_history_clear (&epoch->history);
  fuse_row_format_unref (epoch->format);
  g_free (epoch);
}

FuseStream *
fuse_stream_new (const gchar *name, guint64 order, gboolean is_camera)
{
  static gsize n_streams = 0;
  FuseStream *stream = g_new0 (FuseStream, 1);

  stream->id = (guint64) g_atomic_pointer_add (&n_streams, 1) + 1;
  stream->name = g_strdup (name);
  stream->order = order;
  stream->is_camera = is_camera;
  stream->max_frames = USUAL_CAMERA_FRAMES;
  stream->journal_number = -1;
  stream->source.max = ROBOCACHE_NO_TIME;
  g_queue_init (&stream->epochs);
  fuse_timestamps_init (&stream->times);
  stream->next_timestamps = stream->times.settings;
  robocache_clock_jump_init (&stream->jump);
  return stream;
}

void
fuse_stream_free (FuseStream *stream)
{
  g_queue_clear_full (&stream->epochs, epoch_free);
  fuse_row_format_unref (stream->format);
  fuse_timestamps_reset (&stream->times);
  robocache_decimation_check_end (&stream->decimation);
  robocache_nan_check_clear (&stream->nan);
  g_clear_pointer (&stream->released, g_ptr_array_unref);
  g_free (stream->quaternions);
  g_free (stream->name);
  g_free (stream);
}

static void
fit_search (RcSearch *search, const FuseStream *stream, gboolean has_holds, gboolean is_held)
{
  *search = stream->settings.search;
  robocache_search_set_holds (search, has_holds, is_held);
}

static void
fit_searches (FuseStream *stream)
{
  fit_search (&stream->search, stream, stream->has_holds, stream->is_held);
  for (GList *l = stream->epochs.head; l; l = l->next) {
    FuseEpoch *epoch = l->data;

    fit_search (&epoch->search, stream, epoch->has_holds, epoch->is_held);
  }
}

void
fuse_stream_reset (FuseStream *stream)
{
  g_queue_clear_full (&stream->epochs, epoch_free);
  g_clear_pointer (&stream->format, fuse_row_format_unref);
  robocache_decimation_check_end (&stream->decimation);
  robocache_nan_check_clear (&stream->nan);
  fuse_timestamps_reset (&stream->times);
  stream->times.n_jumps = 0;
  robocache_clock_jump_init (&stream->jump);
  stream->n_positions++;
  stream->has_holds = stream->is_held = FALSE;
  fit_searches (stream);
  stream->is_declared = stream->has_data = stream->eos = stream->segment_done = stream->was_done = FALSE;
  stream->awaited_segment = 0;
  stream->warned_no_time = stream->warned_no_reference = stream->warned_far = stream->gap.is_done = FALSE;
  stream->has_origin = stream->origin_is_first_row = FALSE;
  stream->origin = stream->origin_shift = stream->sought_by = 0;
  stream->source = (FuseSource) {.max = ROBOCACHE_NO_TIME };
  stream->is_ready = FALSE;
  stream->n_rows = stream->n_gaps = stream->n_events = 0;
  stream->journal_number = -1;
  stream->max_gap = 0;
  memset (&stream->statistics, 0, sizeof (stream->statistics));
  memset (&stream->losses, 0, sizeof (stream->losses));
}

/* ---- epochs ---- */

FuseEpoch *
fuse_stream_epoch (const FuseStream *stream)
{
  return stream->epochs.head ? stream->epochs.head->data : NULL;
}

FuseEpoch *
fuse_stream_newest_epoch (const FuseStream *stream)
{
  return stream->epochs.tail ? stream->epochs.tail->data : NULL;
}

const RcSearch *
fuse_stream_search (const FuseStream *stream, const FuseEpoch *epoch)
{
  return epoch ? &epoch->search : &stream->search;
}

void
fuse_stream_set_period (FuseStream *stream, gint64 period)
{
  if (stream->settings.search.period_ns == period)
    return;
  stream->settings.search.period_ns = period;
  fit_searches (stream);
}

/* Of an epoch whose rows go. */
static void
note_max_gap (FuseStream *stream, const FuseEpoch *epoch)
{
  const RobocacheHistory *history = &epoch->history;

  if (history->last_tick != ROBOCACHE_NO_TIME)
    stream->max_gap = robocache_history_max_gap (history, &epoch->search, history->last_tick);
}

static void
end_epoch (FuseStream *stream, FuseEpoch *epoch)
{
  g_queue_remove (&stream->epochs, epoch);
  note_max_gap (stream, epoch);
  robocache_history_reset (&epoch->history);
  robocache_row_counts_add (&stream->statistics.rows, &epoch->history.counts);
  epoch_free (epoch);
}

static void
release_later (gpointer row, gpointer stream)
{
  g_ptr_array_add (((FuseStream *) stream)->released, *(gpointer *) row);
}

/* Whose means decide the status of a tick. */
static void
set_quaternions (const FuseStream *stream, RobocacheHistory *history)
{
  const FuseRowFormat *format = stream->format;
  const RobocacheRowQuaternions quaternions = { format->dtype, format->channels, stream->quaternions, stream->n_quaternions, format->read };

  if (stream->n_quaternions > 0 && (format->read || format->ref_buffer == NULL))
    robocache_history_set_quaternions (history, &quaternions);
}

/* The newest one. */
static void
use_format (const FuseStream *stream, FuseEpoch *epoch)
{
  fuse_row_format_unref (epoch->format);
  epoch->format = fuse_row_format_ref (stream->format);
  epoch->has_holds = stream->has_holds;
  epoch->is_held = stream->is_held;
  fit_search (&epoch->search, stream, epoch->has_holds, epoch->is_held);
}

/* Rows of the newest epoch are complete; new ones have the current format and segment. */
static void
begin_epoch (FuseStream *stream)
{
  FuseEpoch *epoch = fuse_stream_newest_epoch (stream);

  if (epoch && robocache_history_has_rows (&epoch->history))
    robocache_history_eos (&epoch->history);
  else if (epoch)
    end_epoch (stream, epoch);

  if (fuse_stream_newest_row (stream) != ROBOCACHE_NO_TIME)
    FUSE_LOG (stream->log, DEBUG, stream, "rows have no connection with those before: the newest one is at %" FUSE_TIME_FORMAT,
        FUSE_TIME_ARGS (fuse_stream_newest_row (stream)));
  epoch = g_new0 (FuseEpoch, 1);
  use_format (stream, epoch);
  epoch->serial = stream->serial;
  epoch->begin = ROBOCACHE_NO_TIME;
  robocache_history_init (&epoch->history, stream->format->kept_bytes, stream->format->ref_buffer ? release_later : NULL, stream);
  epoch->history.reorder_window = stream->settings.reorder_window;
  epoch->history.row_period = fuse_row_format_period (stream->format);
  epoch->history.losses = &stream->losses;
  set_quaternions (stream, &epoch->history);
  g_queue_push_tail (&stream->epochs, epoch);
}

void
fuse_stream_begin_epoch_at (FuseStream *stream, gint64 t)
{
  GList *next;

  FUSE_LOG (stream->log, INFO, stream, "its clock jumped: rows continue at %" FUSE_TIME_FORMAT ", those from there on are dropped",
      FUSE_TIME_ARGS (t));
  for (GList *l = stream->epochs.head; l; l = next) {
    FuseEpoch *epoch = l->data;

    next = l->next;
    robocache_history_discard_from (&epoch->history, t, ROBOCACHE_DROPPED_CLOCK_JUMP);
    if (!robocache_history_has_rows (&epoch->history))
      end_epoch (stream, epoch);
  }
  begin_epoch (stream);
}

void
fuse_stream_end_epochs_ahead (FuseStream *stream, gint64 t)
{
  GList *next;

  for (GList *l = stream->epochs.head; l != stream->epochs.tail; l = next) {
    FuseEpoch *epoch = l->data;

    next = l->next;
    if (robocache_history_first_time (&epoch->history) <= t)
      continue;
    FUSE_LOG (stream->log, INFO, stream, "%" G_GSIZE_FORMAT " rows from %" FUSE_TIME_FORMAT " on are dropped: the next row is at %" FUSE_TIME_FORMAT,
        epoch->history.n, FUSE_TIME_ARGS (robocache_history_first_time (&epoch->history)), FUSE_TIME_ARGS (t));
    robocache_history_discard (&epoch->history, ROBOCACHE_DROPPED_CLOCK_JUMP);
    end_epoch (stream, epoch);
  }
}

/* New rows have no connection with those before. */
static void
begin_position (FuseStream *stream)
{
  robocache_clock_jump_restart (&stream->jump);
  if (stream->format)
    begin_epoch (stream);
}

void
fuse_stream_set_settings (FuseStream *stream, const FuseStreamSettings *settings)
{
  const gint64 period = stream->settings.search.period_ns;

  FUSE_LOG (stream->log, DEBUG, stream, "settings: interpolation %d, max-gap %" G_GINT64_FORMAT ", hold-limit %" G_GINT64_FORMAT ", offset %"
      G_GINT64_FORMAT ", reorder-window %" G_GINT64_FORMAT ", max-lead %" G_GINT64_FORMAT " ns%s", (gint) settings->search.interpolation,
      settings->search.max_gap_ns, settings->search.hold_limit_ns, settings->offset, settings->reorder_window, settings->max_lead,
      settings->required ? ", required" : "");
  stream->gap.is_done &= stream->settings.search.max_gap_ns == settings->search.max_gap_ns;
  stream->settings = *settings;
  stream->settings.search.period_ns = period;
  fit_searches (stream);
  stream->warned_far = FALSE;
  for (GList *l = stream->epochs.head; l; l = l->next)
    ((FuseEpoch *) l->data)->history.reorder_window = settings->reorder_window;
}

void
fuse_stream_apply_timestamps (FuseStream *stream)
{
  if (fuse_timestamp_settings_is_equal (&stream->times.settings, &stream->next_timestamps))
    return;
  stream->times.settings = stream->next_timestamps;
  fuse_timestamps_reset (&stream->times);
  stream->warned_no_reference = stream->warned_far = FALSE;
  robocache_clock_jump_restart (&stream->jump);
  if (stream->format && !stream->eos)
    begin_epoch (stream);
}

/* ---- offset ---- */

gint64
fuse_stream_offset (const FuseStream *stream)
{
  return rc_add_saturating (stream->settings.offset, stream->origin_shift);
}

gint64
fuse_stream_position (const FuseStream *stream, gint64 position)
{
  return MAX (rc_subtract_saturating (position, stream->origin_shift), 0);
}

gint64
fuse_stream_with_offset (const FuseStream *stream, gint64 t)
{
  return t == ROBOCACHE_NO_TIME ? t : MAX (rc_add_saturating (t, fuse_stream_offset (stream)), ROBOCACHE_NO_TIME + 1);
}

static inline gint64
without_offset (const FuseStream *stream, gint64 t)
{
  return MAX (rc_subtract_saturating (t, fuse_stream_offset (stream)), ROBOCACHE_NO_TIME + 1);
}

/* ---- events ---- */

void
fuse_stream_set_format (FuseStream *stream, FuseRowFormat *format, gboolean has_same_rows, gboolean is_declared)
{
  FuseEpoch *epoch = fuse_stream_newest_epoch (stream);

  if (!has_same_rows)
    robocache_decimation_check_end (&stream->decimation);
  if ((stream->format == NULL || stream->is_declared) && format->ref_buffer == NULL && !format->is_camera)
    robocache_decimation_check_begin (&stream->decimation, format->dtype, format->channels, stream->unfiltered);
  fuse_row_format_unref (stream->format);
  stream->format = format;
  stream->is_declared = is_declared;
  stream->serial += !has_same_rows;
  fit_searches (stream);
  if (epoch && !epoch->history.eos && has_same_rows) {
    use_format (stream, epoch);
    epoch->history.row_period = fuse_row_format_period (format);
  } else {
    begin_epoch (stream);
  }
}

void
fuse_stream_begin_segment (FuseStream *stream)
{
  stream->segment_done = FALSE;
  stream->n_positions++;
  begin_position (stream);
}

/* Whether a GAP of a live stream shows the time of its rows. */
static gboolean
fits (const FuseStream *stream, gint64 start, gint64 now)
{
  return now == ROBOCACHE_NO_TIME || start == ROBOCACHE_NO_TIME || fuse_timestamps_are_tracked (&stream->times)
      || robocache_clock_jump_fits (&stream->jump, now, stream->settings.reorder_window, start);
}

void
fuse_stream_gap (FuseStream *stream, gint64 start, gint64 end, gint64 now)
{
  FuseEpoch *epoch = fuse_stream_newest_epoch (stream);
  gint64 t = end;

  if (epoch == NULL || !fits (stream, start, now) || end == ROBOCACHE_NO_TIME || !fuse_timestamps_of_gap (&stream->times, &t))
    return;
  t = rc_subtract_saturating (rc_add_saturating (t, stream->jump.shift), stream->sought_by);
  if (now != ROBOCACHE_NO_TIME && rc_subtract_saturating (fuse_stream_with_offset (stream, t), now) > stream->settings.max_lead) {
    FUSE_LOG (stream->log, DEBUG, stream, "a GAP until %" FUSE_TIME_FORMAT " is ignored: that is more than max-lead=%" G_GINT64_FORMAT
        " ns ahead of running time %" FUSE_TIME_FORMAT, FUSE_TIME_ARGS (t), stream->settings.max_lead, FUSE_TIME_ARGS (now));
    return;
  }
  FUSE_LOG (stream->log, LOG, stream, "a GAP: no row comes before %" FUSE_TIME_FORMAT, FUSE_TIME_ARGS (t));
  robocache_history_gap (&epoch->history, t);
  stream->has_data = TRUE;
}

static void
end_rows (FuseStream *stream)
{
  FuseEpoch *epoch = fuse_stream_newest_epoch (stream);

  if (epoch)
    robocache_history_eos (&epoch->history);
}

void
fuse_stream_eos (FuseStream *stream)
{
  stream->eos = TRUE;
  stream->awaited_segment = 0;
  end_rows (stream);
}

void
fuse_stream_segment_done (FuseStream *stream)
{
  stream->was_done = TRUE;
  stream->segment_done = stream->awaited_segment == 0;
  if (stream->segment_done)
    end_rows (stream);
  else
    begin_position (stream);
}

void
fuse_stream_await_segment (FuseStream *stream, guint32 number)
{
  if (stream->eos)
    return;
  stream->awaited_segment = number;
  if (stream->segment_done)
    begin_position (stream);
  stream->segment_done = FALSE;
}

void
fuse_stream_await_no_segment (FuseStream *stream, guint32 number)
{
  if (stream->awaited_segment != number)
    return;
  stream->awaited_segment = 0;
  stream->segment_done = stream->was_done;
  if (stream->segment_done)
    end_rows (stream);
}

void
fuse_stream_restart (FuseStream *stream)
{
  if (!stream->eos)
    return;
  stream->eos = FALSE;
  begin_position (stream);
}

void
fuse_stream_discard (FuseStream *stream, RobocacheDropReason reason)
{
  FuseEpoch *epoch;

  if (fuse_stream_last_time (stream) != ROBOCACHE_NO_TIME)
    FUSE_LOG (stream->log, DEBUG, stream, "rows that wait for ticks are dropped (%s): the newest one is at %" FUSE_TIME_FORMAT,
        robocache_drop_reason_name (reason), FUSE_TIME_ARGS (fuse_stream_last_time (stream)));
  while ((epoch = fuse_stream_epoch (stream))) {
    robocache_history_discard (&epoch->history, reason);
    end_epoch (stream, epoch);
  }
}

void
fuse_stream_flush (FuseStream *stream)
{
  fuse_stream_discard (stream, ROBOCACHE_DROPPED_FLUSH);
  stream->eos = stream->segment_done = stream->was_done = FALSE;
  stream->awaited_segment = 0;
  stream->n_positions++;
  begin_position (stream);
}

void
fuse_stream_follow_running_time (FuseStream *stream, gint64 moved)
{
  fuse_stream_discard (stream, ROBOCACHE_DROPPED_CLOCK_JUMP);
  stream->n_positions++;
  robocache_clock_jump_follow (&stream->jump, moved);
  if (stream->format)
    begin_epoch (stream);
  if (stream->eos || stream->segment_done)
    end_rows (stream);
}

/* A tracked clock is known relative to the pipeline's clock, independently of the base time. */
void
fuse_stream_expect_move (FuseStream *stream, gint64 now, gint64 moved, gboolean by_clock)
{
  if (!fuse_timestamps_are_tracked (&stream->times)) {
    if (moved == 0)
      return;
    fuse_timestamps_forget_origin (&stream->times);
    robocache_clock_jump_expect (&stream->jump, now, moved);
  } else if (by_clock) {
    fuse_timestamps_reset (&stream->times);
  }
}

void
fuse_stream_settle (FuseStream *stream)
{
  for (GList *l = stream->epochs.head; l; l = l->next) {
    FuseEpoch *epoch = l->data;

    note_max_gap (stream, epoch);
    robocache_history_reset (&epoch->history);
    epoch->history.eos = stream->eos || stream->segment_done;
  }
}

/* ---- rows in ---- */

void
fuse_stream_drop_unread (FuseStream *stream, guint64 n_rows)
{
  robocache_row_counts_refuse (&stream->statistics.rows, ROBOCACHE_DROPPED_OVERFLOW, n_rows);
  robocache_losses_dropped (&stream->losses, fuse_stream_newest_row (stream), n_rows);
}

void
fuse_stream_refuse (FuseStream *stream, RobocacheDropReason reason)
{
  const guint64 n_rows = stream->format ? stream->format->n_rows : 1;

  robocache_row_counts_refuse (&stream->statistics.rows, reason, n_rows);
  if (reason == ROBOCACHE_DROPPED_MALFORMED)
    robocache_losses_dropped (&stream->losses, ROBOCACHE_NO_TIME, n_rows);
}

static gboolean
copy_frame (FuseStream *stream, gpointer *frame, gpointer (*copy) (gpointer frame))
{
  gpointer copied = copy (*frame);

  if (copied == NULL)
    return FALSE;
  g_ptr_array_add (stream->released, *frame);
  *frame = copied;
  return TRUE;
}

gboolean
fuse_stream_copy_frames (FuseStream *stream, gpointer (*copy) (gpointer frame))
{
  gboolean ok = TRUE;

  for (GList *l = stream->epochs.head; l; l = l->next) {
    const FuseEpoch *epoch = l->data;

    for (gsize i = 0; epoch->format->is_camera && i < epoch->history.n; i++)
      ok &= copy_frame (stream, (gpointer *) robocache_history_row (&epoch->history, (gint64) i), copy);
  }
  return ok;
}

/* ---- ticks out ---- */

gboolean
fuse_stream_is_over (const FuseStream *stream)
{
  return stream->eos || stream->segment_done || (stream->is_declared && !stream->has_data);
}

/* Whether an instant lies beyond an epoch's rows and within those of the next. */
static gboolean
epoch_is_over (GList *link, gint64 t)
{
  const FuseEpoch *epoch = link->data;
  const FuseEpoch *next = link->next ? link->next->data : NULL;

  return next && t > robocache_history_last_time (&epoch->history) && robocache_history_has_rows (&next->history)
      && MAX (robocache_history_first_time (&next->history), next->begin) <= t;
}

gboolean
fuse_stream_is_ready (const FuseStream *stream, gint64 tick, gboolean settled)
{
  const gint64 t = without_offset (stream, tick);
  GList *link = stream->epochs.head;
  const FuseEpoch *epoch;

  if (fuse_stream_is_over (stream))
    return TRUE;
  if (link == NULL)
    return FALSE;
  while (epoch_is_over (link, t))
    link = link->next;
  epoch = link->data;
  if (link->next && t > robocache_history_last_time (&epoch->history)) {
    /* held from this epoch, unless a row of the next comes before t */
    const FuseEpoch *next = link->next->data;

    return MAX (robocache_history_frontier (&next->history), next->begin) > t;
  }
  return robocache_history_ready (&epoch->history, &epoch->search, t, settled);
}

const gchar *
fuse_stream_awaits (const FuseStream *stream, gint64 tick, gboolean settled)
{
  const FuseEpoch *epoch = fuse_stream_epoch (stream);
  RobocacheWait wait;

  if (epoch == NULL)
    return "caps";
  wait = robocache_history_wait (&epoch->history, &epoch->search, without_offset (stream, tick), settled);
  return wait == ROBOCACHE_WAIT_NONE ? "a row of the next caps or segment" : robocache_wait_reason (wait);
}

void
fuse_stream_enter_tick (FuseStream *stream, gint64 tick)
{
  while (stream->epochs.head && epoch_is_over (stream->epochs.head, without_offset (stream, tick)))
    end_epoch (stream, stream->epochs.head->data);
}

void
fuse_stream_count_ticks (FuseStream *stream, RcRowStatus status, guint64 n)
{
  guint64 *const counters[] = {
    [RC_ALIGNED] = &stream->statistics.ticks_aligned,
    [RC_HELD] = &stream->statistics.ticks_held,
    [RC_MISSING] = &stream->statistics.ticks_missing,
  };

  *counters[status] += n;
}

gboolean
fuse_stream_read (FuseStream *stream, gint64 tick, gboolean live, FuseSnapshot *snapshot, GError **error)
{
  FuseEpoch *epoch = fuse_stream_epoch (stream);
  RcSearch search = epoch->search;
  RobocacheAlignment alignment;

  search.ends_open = live;      /* the row after a filter may come when its tick has left */
  robocache_history_align (&epoch->history, &search, without_offset (stream, tick), &alignment);
  alignment.before = fuse_stream_with_offset (stream, alignment.before);
  alignment.after = fuse_stream_with_offset (stream, alignment.after);
  if (!fuse_snapshot_read (snapshot, epoch->format, &epoch->history, &alignment, error))
    return FALSE;
  fuse_stream_count_ticks (stream, alignment.bracket.status, 1);
  robocache_quaternion_check_scattered (&stream->statistics.quaternions, rc_bracket_is_scattered (&alignment.bracket));
  if (alignment.bracket.status != RC_MISSING && alignment.used != ROBOCACHE_NO_TIME)
    robocache_histogram_add (&stream->statistics.age, rc_subtract_saturating (tick, fuse_stream_with_offset (stream, alignment.used)));
  return TRUE;
}

void
fuse_stream_prune (FuseStream *stream, gint64 next_tick)
{
  FuseEpoch *epoch = fuse_stream_epoch (stream);

  if (epoch)
    robocache_history_prune (&epoch->history, &epoch->search, without_offset (stream, next_tick));
}

/* How long a row that is held at t stays held, when no other comes. limit: the hold limit. */
static gint64
end_of_hold (const FuseStream *stream, gint64 limit, gint64 t)
{
  const FuseEpoch *epoch = fuse_stream_epoch (stream);
  const gint64 n_before = (gint64) (epoch->history.n - robocache_history_rows_after (&epoch->history, t));

  if (limit < 0)
    return G_MAXINT64;
  if (n_before == 0)
    return t;
  return rc_add_saturating (rc_add_saturating (epoch->history.times[epoch->history.first + n_before - 1], limit), 1);
}

gint64
fuse_stream_same_status_until (const FuseStream *stream, gint64 tick, RcRowStatus status)
{
  const RcSearch *search = fuse_stream_search (stream, fuse_stream_epoch (stream));
  const gint64 t = without_offset (stream, tick);
  gint64 next = fuse_stream_next_row_after (stream, tick), end;

  if (status == RC_ALIGNED || (status == RC_HELD && search->interpolation == RC_LOWPASS))
    return tick;
  end = next == ROBOCACHE_NO_TIME ? G_MAXINT64 : without_offset (stream, next);
  if (!fuse_stream_is_over (stream))
    end = MIN (end, robocache_history_frontier (&fuse_stream_newest_epoch (stream)->history));
  if (search->interpolation == RC_MEAN && end != G_MAXINT64)
    end = rc_add_saturating (end, -search->period_ns);
  if (status == RC_HELD)
    end = MIN (end, end_of_hold (stream, search->hold_limit_ns, t));
  return end == G_MAXINT64 ? end : MAX (tick, fuse_stream_with_offset (stream, end));
}

/* ---- questions ---- */

gint64
fuse_stream_frontier (const FuseStream *stream)
{
  const FuseEpoch *epoch = fuse_stream_newest_epoch (stream);

  return epoch ? fuse_stream_with_offset (stream, robocache_history_frontier (&epoch->history)) : ROBOCACHE_NO_TIME;
}

gint64
fuse_stream_begin (const FuseStream *stream)
{
  const FuseEpoch *epoch = fuse_stream_epoch (stream);

  return epoch ? fuse_stream_with_offset (stream, MAX (epoch->history.oldest_row, epoch->begin)) : ROBOCACHE_NO_TIME;
}

gint64
fuse_stream_first_time (const FuseStream *stream)
{
  const FuseEpoch *epoch = fuse_stream_epoch (stream);

  return epoch ? fuse_stream_with_offset (stream, epoch->history.oldest_row) : ROBOCACHE_NO_TIME;
}

gint64
fuse_stream_last_time (const FuseStream *stream)
{
  for (const GList *l = stream->epochs.tail; l; l = l->prev) {
    const FuseEpoch *epoch = l->data;

    if (robocache_history_has_rows (&epoch->history))
      return fuse_stream_with_offset (stream, robocache_history_last_time (&epoch->history));
  }
  return ROBOCACHE_NO_TIME;
}

gint64
fuse_stream_newest_row (const FuseStream *stream)
{
  gint64 newest = ROBOCACHE_NO_TIME;

  for (const GList *l = stream->epochs.head; l; l = l->next)
    newest = MAX (newest, fuse_stream_with_offset (stream, ((const FuseEpoch *) l->data)->history.newest_row));
  return newest;
}

gint64
fuse_stream_next_row_after (const FuseStream *stream, gint64 t)
{
  for (const GList *l = stream->epochs.head; l; l = l->next) {
    const FuseEpoch *epoch = l->data;
    const gint64 after = MAX (without_offset (stream, t), rc_subtract_saturating (epoch->begin, 1));
    const gint64 row = robocache_history_next_after (&epoch->history, after);

    if (row != ROBOCACHE_NO_TIME)
      return fuse_stream_with_offset (stream, row);
  }
  return ROBOCACHE_NO_TIME;
}

gsize
fuse_stream_rows_after (const FuseStream *stream, gint64 t)
{
  gsize n = 0;

  for (const GList *l = stream->epochs.head; l; l = l->next)
    n += robocache_history_rows_after (&((FuseEpoch *) l->data)->history, without_offset (stream, t));
  return n;
}

gint64
fuse_stream_next_near (const FuseStream *stream, gint64 t)
{
  const RcSearch *search = fuse_stream_search (stream, fuse_stream_epoch (stream));
  /* -1 is for ever; by RC_GAP_AUTO a gap is no longer than a second or two periods, which count anyway */
  const guint64 gap = search->max_gap_ns == RC_GAP_AUTO ? 0 : (guint64) search->max_gap_ns;
  const guint64 reach = MAX ((guint64) search->hold_limit_ns, gap);
  const gint64 period = fuse_stream_period (stream);
  const gint64 span = MAX ((gint64) CLAMP (reach, MIN_NEAR, MAX_NEAR), rc_add_saturating (period, period));
  const gint64 row = fuse_stream_next_row_after (stream, rc_subtract_saturating (rc_subtract_saturating (t, span), 1));

  return row == ROBOCACHE_NO_TIME ? G_MAXINT64 : MAX (t, rc_subtract_saturating (row, span));
}

gint64
fuse_stream_nominal_period (const FuseStream *stream, gint64 t)
{
  const GList *l = stream->epochs.head;

  while (l && l->next && robocache_history_last_time (&((FuseEpoch *) l->data)->history) <= without_offset (stream, t))
    l = l->next;
  return l ? fuse_row_format_period (((FuseEpoch *) l->data)->format) : 0;
}

gint64
fuse_stream_period (const FuseStream *stream)
{
  const FuseEpoch *epoch = fuse_stream_newest_epoch (stream);

  if (epoch == NULL)
    return 0;
  if (epoch->format->rate_num > 0)
    return fuse_row_format_period (epoch->format);
  return robocache_history_median_spacing (&epoch->history);
}

gint64
fuse_stream_max_gap (const FuseStream *stream)
{
  const FuseEpoch *epoch = fuse_stream_epoch (stream);
  const RcSearch *search = fuse_stream_search (stream, epoch);

  if (search->max_gap_ns != RC_GAP_AUTO)
    return search->max_gap_ns;
  if (epoch && (epoch->history.last_tick != ROBOCACHE_NO_TIME || stream->max_gap == 0))
    return robocache_history_max_gap (&epoch->history, search, epoch->history.last_tick);
  return stream->max_gap > 0 ? stream->max_gap : RC_GAP_UNKNOWN;
}

gchar *
fuse_stream_check_gap (FuseStream *stream, gboolean at_end)
{
  const FuseEpoch *epoch = fuse_stream_newest_epoch (stream);

  return epoch && !epoch->is_held ? robocache_gap_check (&stream->gap, &epoch->history, &epoch->search, at_end) : NULL;
}

void
fuse_stream_add_statistics (const FuseStream *stream, FuseStatistics *sum)
{
  fuse_statistics_add (sum, &stream->statistics);
  for (const GList *l = stream->epochs.head; l; l = l->next) {
    const FuseEpoch *epoch = l->data;

    robocache_row_counts_add (&sum->rows, &epoch->history.counts);
    sum->n_kept += epoch->history.n;
  }
  sum->clock_jumps += stream->jump.n_jumps + fuse_timestamps_estimate (&stream->times).jumps;
  robocache_histogram_merge (&sum->lateness, &stream->losses.lateness);
}

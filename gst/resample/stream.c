/* robocache: robocacheresample, one stream: rows in, ticks of a grid out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include "common/rows/blender.h"

#define GST_CAT_DEFAULT gst_robocache_resample_debug

#define N_FIRST_SPACINGS 4      /* the period is measured with each of the first spacings */
/* Rows are kept for a grid that is set later, back to the last tick but no longer than this. */
#define MAX_KEPT_NS (1 * (gint64) GST_SECOND)
/* No sensor pauses for so long; clocks that begin at 0 and at 1970 are further apart. */
#define MAX_PAUSE_NS (10 * 365 * 86400 * (gint64) GST_SECOND)

/* ---- life ---- */

void
gst_robocache_resample_stream_init (GstRobocacheResampleStream *stream, gpointer log_object)
{
  stream->log_object = log_object;
  stream->last_tick = -1;
  stream->placed = ROBOCACHE_NO_TIME;
  robocache_row_times_init (&stream->clock);
  robocache_clock_jump_init (&stream->jump);
}

/* 1/framerate (ns); 0 where caps have none. */
static gint64
nominal_period (const GstRobocacheResampleStream *stream)
{
  const RobocacheTensorsInfo *in = &stream->format.in;

  return in->rate_num > 0 ? (gint64) gst_util_uint64_scale_int (GST_SECOND, in->rate_den, in->rate_num) : 0;
}

static void
init_history (GstRobocacheResampleStream *stream, gint64 reorder_window, RobocacheLosses *losses)
{
  const RobocacheRowLayout *layout = &stream->format.layout;
  const gsize row_bytes = layout->channels * rc_dtype_size (layout->dtype);
  const RobocacheChannelList *list = &stream->roles->lists[ROBOCACHE_ROLE_QUATERNIONS];
  const RobocacheRowQuaternions quaternions = { layout->dtype, layout->channels, list->channels, list->n,
    stream->rows_on_device ? robocache_device_row_read : NULL
  };

  robocache_history_init (&stream->history, stream->rows_on_device ? sizeof (RobocacheDeviceRow) : row_bytes,
      stream->rows_on_device ? robocache_device_row_release : NULL, NULL);
  stream->history.reorder_window = reorder_window;
  stream->history.row_period = nominal_period (stream);
  stream->history.losses = losses;
  if (quaternions.n > 0)
    robocache_history_set_quaternions (&stream->history, &quaternions);
  stream->n_measured = 0;
  stream->is_ticking = FALSE;
}

/* Blocks of other lengths are of the same rows. */
static void
follow_decimation (GstRobocacheResampleStream *stream)
{
  if (!stream->rows_on_device)
    robocache_decimation_check_follow (&stream->decimation, stream->format.layout.dtype, stream->format.layout.channels,
        robocache_channel_roles_unfiltered (stream->roles));
}

void
gst_robocache_resample_stream_open (GstRobocacheResampleStream *stream, const GstRobocacheResampleFormat *format,
    const GstRobocacheResampleSettings *settings, gboolean rows_on_device, const RobocacheChannelRoles *roles, RobocacheLosses *losses)
{
  stream->format = *format;
  stream->search = gst_robocache_resample_search (settings, format, roles);
  stream->drops_gaps = settings->gap_policy == GST_ROBOCACHE_GAP_DROP;
  stream->rows_on_device = rows_on_device;
  stream->roles = roles;
  stream->is_open = TRUE;
  stream->gap.is_done = FALSE;
  stream->max_gap = 0;
  robocache_row_times_set_rate (&stream->clock, format->in.rate_num, format->in.rate_den);
  follow_decimation (stream);
  init_history (stream, settings->reorder_window, losses);
}

void
gst_robocache_resample_stream_close (GstRobocacheResampleStream *stream, gboolean flushed, RobocacheRowCounts *counts)
{
  if (flushed)
    robocache_decimation_check_end (&stream->decimation);
  if (!stream->is_open)
    return;
  stream->max_gap = gst_robocache_resample_stream_max_gap (stream);
  if (flushed)
    robocache_history_discard (&stream->history, ROBOCACHE_DROPPED_FLUSH);
  else
    robocache_history_reset (&stream->history);
  robocache_row_counts_add (counts, &stream->history.counts);
  robocache_history_clear (&stream->history);
  stream->is_open = FALSE;
}

void
gst_robocache_resample_stream_restart (GstRobocacheResampleStream *stream, gboolean flushed, RobocacheRowCounts *counts)
{
  const RobocacheHistory old = stream->history;

  if (!stream->is_open)
    return;
  gst_robocache_resample_stream_close (stream, flushed, counts);
  stream->is_open = TRUE;
  follow_decimation (stream);
  init_history (stream, old.reorder_window, old.losses);
}

void
gst_robocache_resample_stream_set_output (GstRobocacheResampleStream *stream, const GstRobocacheResampleFormat *format,
    const GstRobocacheResampleSettings *settings)
{
  stream->format.grid = format->grid;
  stream->format.out = format->out;
  stream->format.out_bytes = format->out_bytes;
  stream->search = gst_robocache_resample_search (settings, format, stream->roles);
  stream->is_ticking = FALSE;
}

/* ---- rows in ---- */

/* Of rows that stay on the device only their times, if any, are read. */
gboolean
gst_robocache_resample_rows_map (GstRobocacheResampleRows *rows, const GstRobocacheResampleStream *stream,
    GstBuffer *buffer, GError **error)
{
  const RobocacheTensorsInfo *in = &stream->format.in;
  const gboolean has_times = stream->format.layout.has_times;
  gpointer row_times = NULL;

  rows->buffer = buffer;
  rows->next = 0;
  rows->no_memory = FALSE;
  rows->is_mapped = !stream->rows_on_device;
  if (rows->is_mapped) {
    if (!robocache_tensors_map (&rows->map, buffer, in, GST_MAP_READ, error))
      return FALSE;
    row_times = has_times ? rows->map.data[1] : NULL;
  } else if (!robocache_tensors_check_memories (buffer, in, error)
      || (has_times && !robocache_tensors_copy (buffer, in, 1, &row_times, error))) {
    return FALSE;
  }
  rows->row_times = row_times;
  return TRUE;
}

void
gst_robocache_resample_rows_unmap (GstRobocacheResampleRows *rows)
{
  if (rows->is_mapped)
    robocache_tensors_unmap (&rows->map);
  else
    g_free (rows->row_times);
}

static void
count_dropped (GstRobocacheResampleStream *stream, RobocacheDropReason reason, gint64 time)
{
  GST_DEBUG_OBJECT (stream->log_object, "row at %" GST_STIME_FORMAT " dropped: %s", GST_STIME_ARGS (time),
      robocache_drop_reason_name (reason));
  robocache_history_count_dropped (&stream->history, reason, time, 1);
}

/* FALSE: there is no memory. */
static gboolean
insert_row (GstRobocacheResampleStream *stream, const GstRobocacheResampleRows *rows, gint64 time)
{
  RobocacheDeviceRow on_device;
  RobocacheRowFate fate;

  if (rows->is_mapped) {
    const guint8 *row = (guint8 *) rows->map.data[0] + rows->next * stream->history.row_bytes;

    fate = robocache_history_insert (&stream->history, time, row);
    if (stream->decimation.is_open)
      robocache_decimation_check_add (&stream->decimation, time, row);
  } else {
    on_device = robocache_device_row (rows->buffer, &stream->format.in, 0, rows->next);
    fate = robocache_history_insert (&stream->history, time, &on_device);
  }
  GST_LOG_OBJECT (stream->log_object, "row at %" GST_STIME_FORMAT " %s; newest at %" GST_STIME_FORMAT ", reorder-window %"
      G_GINT64_FORMAT " ns", GST_STIME_ARGS (time), robocache_row_fate_name (fate),
      GST_STIME_ARGS (stream->history.newest_row), stream->history.reorder_window);
  return fate != ROBOCACHE_ROW_NO_MEMORY;
}

/* A row after a jump is placed once: it is inserted by the next call. */
static RobocacheRowPlace
place_row (GstRobocacheResampleStream *stream, GstClockTime now, gint64 *time)
{
  RobocacheRowPlace place = ROBOCACHE_ROW_PLACED;

  if (stream->placed != ROBOCACHE_NO_TIME) {
    *time = stream->placed;
    stream->placed = ROBOCACHE_NO_TIME;
  } else if (GST_CLOCK_TIME_IS_VALID (now)) {
    place = robocache_clock_jump_place (&stream->jump, (gint64) now, stream->history.reorder_window, time);
  }
  return place;
}

gboolean
gst_robocache_resample_stream_begin_rows (GstRobocacheResampleStream *stream, GstRobocacheResampleRows *rows)
{
  if (robocache_row_times_begin (&stream->clock, rows->buffer, stream->format.layout.n_rows, rows->row_times, &rows->times)
      == ROBOCACHE_BUFFER_TIMED)
    return TRUE;
  robocache_history_count_dropped (&stream->history, ROBOCACHE_DROPPED_NO_TIME, ROBOCACHE_NO_TIME, rows->times.n_rows);
  return FALSE;
}

gboolean
gst_robocache_resample_stream_insert (GstRobocacheResampleStream *stream, GstRobocacheResampleRows *rows, GstClockTime now)
{
  for (; rows->next < rows->times.n_rows; rows->next++) {
    gint64 time;

    if (!robocache_row_times_nth (&stream->clock, &rows->times, rows->next, &time)) {
      count_dropped (stream, ROBOCACHE_DROPPED_OUTSIDE_SEGMENT, ROBOCACHE_NO_TIME);
      continue;
    }
    switch (place_row (stream, now, &time)) {
      case ROBOCACHE_ROW_OUTLIER:
        count_dropped (stream, ROBOCACHE_DROPPED_CLOCK_JUMP, time);
        break;
      case ROBOCACHE_ROW_AFTER_JUMP:
        stream->placed = time;
        return FALSE;
      default:
        if (insert_row (stream, rows, time))
          break;
        rows->no_memory = TRUE;
        return TRUE;
    }
  }
  return TRUE;
}

gboolean
gst_robocache_resample_stream_gap (GstRobocacheResampleStream *stream, GstClockTime start, GstClockTime end,
    GstClockTime now)
{
  const GstSegment *segment = &stream->clock.segment;
  const GstClockTime running_end = gst_segment_to_running_time (segment, GST_FORMAT_TIME, end);
  const GstClockTime running_start = gst_segment_to_running_time (segment, GST_FORMAT_TIME, start);

  if (!GST_CLOCK_TIME_IS_VALID (running_end))
    return FALSE;
  if (GST_CLOCK_TIME_IS_VALID (now) && GST_CLOCK_TIME_IS_VALID (running_start)
      && !robocache_clock_jump_fits (&stream->jump, (gint64) now, stream->history.reorder_window, (gint64) running_start))
    return FALSE;
  robocache_history_gap (&stream->history, rc_add_saturating ((gint64) running_end, stream->jump.shift));
  return TRUE;
}

/* ---- ticks out ---- */

/* The first tick is the first one that is not before the first row. FALSE: not known yet. */
static gboolean
find_tick (GstRobocacheResampleStream *stream)
{
  const RobocacheTickGrid *grid = &stream->format.grid;
  const gint64 first = robocache_history_first_time (&stream->history);

  if (stream->is_ticking)
    return TRUE;
  if (first == ROBOCACHE_NO_TIME)
    return FALSE;
  /* a row before it may still come */
  if (!stream->live && !stream->history.eos && robocache_history_frontier (&stream->history) < first)
    return FALSE;
  stream->next_index = robocache_tick_at_or_after (grid, MAX (first, stream->last_tick + 1));
  stream->next_tick = robocache_tick_time (grid, stream->next_index);
  return TRUE;
}

static gboolean
is_ready (const GstRobocacheResampleStream *stream)
{
  const gint64 last = robocache_history_last_time (&stream->history), tick = stream->next_tick;
  RobocacheWait wait = ROBOCACHE_WAIT_ROW_AFTER;

  if (last != ROBOCACHE_NO_TIME && tick <= last)
    wait = robocache_history_wait (&stream->history, &stream->search, tick, !stream->live);
  if (wait == ROBOCACHE_WAIT_NONE)
    return TRUE;
  GST_LOG_OBJECT (stream->log_object, "tick at %" GST_STIME_FORMAT " waits for %s; newest row at %" GST_STIME_FORMAT,
      GST_STIME_ARGS (tick), robocache_wait_reason (wait), GST_STIME_ARGS (stream->history.newest_row));
  return FALSE;
}

static const gchar *
status_name (const GstRobocacheResampleTick *tick)
{
  switch (tick->alignment.bracket.status) {
    case RC_ALIGNED:
      return "aligned";
    case RC_HELD:
      return "held";
    default:
      return tick->dropped ? "dropped" : "missing";
  }
}

/* Extends a dropped tick to the run of ticks that the same rows leave out. */
static void
extend_run (GstRobocacheResampleStream *stream, GstRobocacheResampleTick *tick)
{
  const RobocacheTickGrid *grid = &stream->format.grid;
  const gint64 until = robocache_history_missing_until (&stream->history, &stream->search, tick->time, !stream->live);
  const gint64 end = robocache_tick_at_or_after (grid, until);
  RobocacheAlignment last;

  tick->n_ticks = (guint64) (end - stream->next_index);
  if (tick->n_ticks == 1)
    return;
  stream->next_index = end - 1;
  stream->next_tick = robocache_tick_time (grid, end - 1);
  robocache_history_align (&stream->history, &stream->search, stream->next_tick, &last);
}

gboolean
gst_robocache_resample_stream_next (GstRobocacheResampleStream *stream, GstRobocacheResampleTick *tick)
{
  if (!stream->is_open || !find_tick (stream) || !is_ready (stream))
    return FALSE;
  tick->time = stream->next_tick;
  tick->n_ticks = 1;
  robocache_history_align (&stream->history, &stream->search, tick->time, &tick->alignment);
  tick->dropped = stream->drops_gaps && tick->alignment.bracket.status == RC_MISSING;
  if (tick->dropped && !rc_bracket_is_scattered (&tick->alignment.bracket))
    extend_run (stream, tick);
  stream->last_tick = stream->next_tick;
  stream->next_tick = robocache_tick_time (&stream->format.grid, ++stream->next_index);
  stream->is_ticking = TRUE;
  tick->duration = stream->next_tick - tick->time;
  GST_LOG_OBJECT (stream->log_object, "tick at %" GST_STIME_FORMAT " %s, rows around it at %" GST_STIME_FORMAT " and %"
      GST_STIME_FORMAT, GST_STIME_ARGS (tick->time), status_name (tick), GST_STIME_ARGS (tick->alignment.before),
      GST_STIME_ARGS (tick->alignment.after));
  return TRUE;
}

gboolean
gst_robocache_resample_stream_check (const GstRobocacheResampleStream *stream, const GstRobocacheResampleTick *tick,
    GError **error)
{
  const gint64 before = tick->alignment.before == ROBOCACHE_NO_TIME ? tick->time : tick->alignment.before;

  if (rc_span (before, stream->history.newest_row) <= (guint64) MAX_PAUSE_NS)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "rows at %.3f s and %.3f s are years apart, so they have "
      "different clocks: remove the rows of one clock", (gdouble) before / 1e9, (gdouble) stream->history.newest_row / 1e9);
  return FALSE;
}

void
gst_robocache_resample_stream_prune (GstRobocacheResampleStream *stream)
{
  gint64 from;

  if (!stream->is_open || !find_tick (stream))
    return;
  from = stream->next_tick;
  if (stream->last_tick >= 0)
    from = MIN (from, MAX (stream->last_tick + 1, rc_add_saturating (from, -MAX_KEPT_NS)));
  robocache_history_prune (&stream->history, &stream->search, from);
}

gint64
gst_robocache_resample_stream_max_gap (const GstRobocacheResampleStream *stream)
{
  const gint64 tick = stream->history.last_tick;

  if (stream->is_open && (tick != ROBOCACHE_NO_TIME || stream->max_gap == 0))
    return robocache_history_max_gap (&stream->history, &stream->search, tick);
  return stream->max_gap;
}

/* ---- latency ---- */

GstClockTime
gst_robocache_resample_stream_latency (const GstRobocacheResampleStream *stream)
{
  gint64 period;

  if (!stream->is_open)
    return 0;
  period = nominal_period (stream);
  if (period == 0)
    period = robocache_history_median_spacing (&stream->history);
  return rc_add_saturating (robocache_interpolation_latency (&stream->search, period, stream->search.period_ns),
      stream->history.reorder_window);
}

gboolean
gst_robocache_resample_stream_measures_again (GstRobocacheResampleStream *stream)
{
  const guint64 n = stream->history.n_spacings, fresh = n - stream->n_measured;

  if (!stream->is_open || stream->format.in.rate_num > 0 || fresh == 0
      || (stream->n_measured >= N_FIRST_SPACINGS && fresh < ROBOCACHE_N_SPACINGS))
    return FALSE;
  stream->n_measured = n;
  return TRUE;
}

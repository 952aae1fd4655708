/* robocache: robocacheresample, the flow of rows: buffers in, ticks decided, buffers out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flow.h"

#include "batch.h"
#include "common/device/devicememory.h"
#include "common/element/errors.h"

#define GST_CAT_DEFAULT gst_robocache_resample_debug

/* Posts an error about data, after which the stream ends, or about a device, after which everything does. */
static GstFlowReturn
fail (GstRobocacheResampleFlow *flow, GError *error)
{
  const gboolean is_data = g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA);

  if (is_data || !flow->failed)
    robocache_post_error (flow->element, error);
  if (is_data)
    flow->stream_failed = TRUE;
  else
    flow->failed = TRUE;
  g_error_free (error);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_robocache_resample_flow_refuse (GstRobocacheResampleFlow *flow, GError *error)
{
  if (!robocache_input_faults_drop (&flow->faults, error))
    return fail (flow, error);
  g_error_free (error);
  return GST_BASE_TRANSFORM_FLOW_DROPPED;
}

/* The running time of the clock, if it is needed to detect distant rows and late ticks. */
static GstClockTime
live_now (GstRobocacheResampleFlow *flow)
{
  return flow->stream.live ? robocache_running_time_now (flow->element) : GST_CLOCK_TIME_NONE;
}

static void
post_losses (GstRobocacheResampleFlow *flow, gboolean at_end)
{
  GstRobocacheResampleStatistics *statistics = &flow->statistics;
  GstRobocacheResampleReport report = {.at_end = at_end };
  GstClockTime now;

  if (statistics->rows.pending.n == 0 && statistics->ticks.pending.n == 0)
    return;
  now = live_now (flow);
  report.now = flow->stream.is_open ? flow->stream.history.newest_row : ROBOCACHE_NO_TIME;
  if (GST_CLOCK_TIME_IS_VALID (now))
    report.now = (gint64) now;
  GST_OBJECT_LOCK (flow->element);
  report.on = flow->properties->qos_messages;
  report.interval = flow->properties->qos_interval;
  GST_OBJECT_UNLOCK (flow->element);
  gst_robocache_resample_statistics_report (statistics, &flow->stream, flow->element, &report);
}

static void
restart_stream (GstRobocacheResampleFlow *flow, gboolean flushed)
{
  GST_OBJECT_LOCK (flow->element);
  gst_robocache_resample_stream_restart (&flow->stream, flushed, &flow->statistics.past_rows);
  GST_OBJECT_UNLOCK (flow->element);
}

static void
warn_of_quaternions (GstRobocacheResampleFlow *flow)
{
  gchar *warning;

  while ((warning = robocache_quaternion_check_take_warning (&flow->statistics.quaternions))) {
    GST_ELEMENT_WARNING (flow->element, STREAM, FORMAT, ("%s", warning), (NULL));
    g_free (warning);
  }
}

static void
count_batches (GstRobocacheResampleFlow *flow)
{
  GError *error = NULL;

  if (!gst_robocache_resample_batch_wait (&flow->engine, &flow->statistics, 0, &error))
    fail (flow, error);
  warn_of_quaternions (flow);
}

/* ---- ticks out ---- */

/* Duration and position in the segment. */
static void
set_times (GstRobocacheResampleFlow *flow, const GstRobocacheResampleTick *tick, GstClockTime *position,
    GstClockTime *duration)
{
  const GstSegment *segment = &flow->stream.clock.segment;

  *position = gst_segment_position_from_running_time (segment, GST_FORMAT_TIME, (guint64) tick->time);
  *duration = (GstClockTime) tick->duration;
  if (ABS (segment->rate) != 1.0)
    *duration = (GstClockTime) ((gdouble) tick->duration * ABS (segment->rate) + 0.5);
}

static GstFlowReturn
drop_ticks (GstRobocacheResampleFlow *flow, const GstRobocacheResampleTick *tick)
{
  const gchar *reason = rc_bracket_is_scattered (&tick->alignment.bracket) ? "orientations without a mean"
      : "no rows around them that are at most max-gap apart";
  GstPad *src = flow->src;
  const GstClockTime now = live_now (flow);
  GstClockTime position, duration;

  GST_OBJECT_LOCK (flow->element);
  gst_robocache_resample_statistics_add_tick (&flow->statistics, tick, now);
  GST_OBJECT_UNLOCK (flow->element);
  /* live, a hole has a call for each of its ticks */
  if (!flow->is_in_hole)
    GST_WARNING_OBJECT (flow->element, "%" G_GUINT64_FORMAT " ticks from %" GST_STIME_FORMAT " dropped: %s", tick->n_ticks,
        GST_STIME_ARGS (tick->time), reason);
  else
    GST_LOG_OBJECT (flow->element, "%" G_GUINT64_FORMAT " more ticks from %" GST_STIME_FORMAT " dropped: %s", tick->n_ticks,
        GST_STIME_ARGS (tick->time), reason);
  flow->is_in_hole = TRUE;
  post_losses (flow, FALSE);
  set_times (flow, tick, &position, &duration);
  if (flow->sent_buffer)
    gst_pad_push_event (src, gst_event_new_gap (position, duration));
  flow->discont = TRUE;
  return GST_PAD_IS_FLUSHING (src) ? GST_FLOW_FLUSHING : GST_FLOW_OK;
}

static GstFlowReturn
output_tick (GstRobocacheResampleFlow *flow, const GstRobocacheResampleTick *tick, GstBuffer **buffer)
{
  GError *error = NULL;
  const GstFlowReturn ret = gst_robocache_resample_new_row (&flow->engine, &flow->offer,
      &flow->stream.history, &tick->alignment, buffer, &error);

  if (error)
    return fail (flow, error);
  if (ret != GST_FLOW_OK)
    return ret;
  set_times (flow, tick, &GST_BUFFER_PTS (*buffer), &GST_BUFFER_DURATION (*buffer));
  if (flow->discont)
    GST_BUFFER_FLAG_SET (*buffer, GST_BUFFER_FLAG_DISCONT);
  if (flow->is_in_hole)
    GST_INFO_OBJECT (flow->element, "ticks are sent again, from %" GST_STIME_FORMAT " on", GST_STIME_ARGS (tick->time));
  flow->discont = flow->is_in_hole = FALSE;
  flow->sent_buffer = TRUE;
  return GST_FLOW_OK;
}

/* The next tick that is decided, counted unless it is dropped. */
static gboolean
next_tick (GstRobocacheResampleFlow *flow, GstRobocacheResampleTick *tick, gboolean *stats_due)
{
  gboolean found;

  GST_OBJECT_LOCK (flow->element);
  found = gst_robocache_resample_stream_next (&flow->stream, tick);
  if (found && !tick->dropped)
    gst_robocache_resample_statistics_add_tick (&flow->statistics, tick, GST_CLOCK_TIME_NONE);
  if (found)
    *stats_due = robocache_statistics_timer_due (&flow->properties->stats_timer, tick->time);
  else
    gst_robocache_resample_stream_prune (&flow->stream);
  GST_OBJECT_UNLOCK (flow->element);
  return found;
}

/* One tick: a row, or GAP events in place of dropped ones. FALSE: none is decided. */
static gboolean
pass_tick (GstRobocacheResampleFlow *flow, GstBuffer **buffer, GstFlowReturn *ret)
{
  GstRobocacheResampleTick tick;
  GError *error = NULL;
  gboolean stats_due;

  if (!next_tick (flow, &tick, &stats_due))
    return FALSE;
  if (!gst_robocache_resample_stream_check (&flow->stream, &tick, &error)) {
    *ret = fail (flow, error);
    return TRUE;
  }
  if (rc_bracket_is_scattered (&tick.alignment.bracket))
    warn_of_quaternions (flow);
  *ret = tick.dropped ? drop_ticks (flow, &tick) : output_tick (flow, &tick, buffer);
  if (stats_due)
    robocache_statistics_post_last (flow->element);
  return TRUE;
}

GstFlowReturn
gst_robocache_resample_flow_next (GstRobocacheResampleFlow *flow, GstBuffer **buffer)
{
  GstFlowReturn ret = GST_FLOW_OK;

  *buffer = NULL;
  if (flow->failed || flow->stream_failed)
    return GST_FLOW_ERROR;
  *buffer = g_steal_pointer (&flow->batch_out);
  while (*buffer == NULL && ret == GST_FLOW_OK && flow->stream.is_open) {
    if (!pass_tick (flow, buffer, &ret)) {
      post_losses (flow, FALSE);
      break;
    }
  }
  return ret;
}

static void
push_ready_rows (GstRobocacheResampleFlow *flow)
{
  GstFlowReturn ret;
  GstBuffer *buffer;

  do {
    ret = gst_robocache_resample_flow_next (flow, &buffer);
    if (buffer)
      ret = gst_pad_push (flow->src, buffer);
  } while (buffer && ret == GST_FLOW_OK);
}

/* at_end: use only the rows that have arrived. */
static void
check_gap (GstRobocacheResampleFlow *flow, gboolean at_end)
{
  gchar *warning = robocache_gap_check (&flow->stream.gap, &flow->stream.history, &flow->stream.search, at_end);

  if (warning)
    GST_ELEMENT_WARNING (flow->element, LIBRARY, SETTINGS, ("%s", warning), (NULL));
  g_free (warning);
}

static void
check_decimation (GstRobocacheResampleFlow *flow, gboolean at_end)
{
  gchar *warning;

  if (at_end)
    robocache_decimation_check_complete (&flow->stream.decimation);
  warning = robocache_decimation_check_take_warning (&flow->stream.decimation, &flow->stream.search);

  if (warning)
    GST_ELEMENT_WARNING (flow->element, LIBRARY, SETTINGS, ("%s", warning), (NULL));
  g_free (warning);
}

/* In host memory; the first tensor has the rows, of a batch too. */
static void
check_quaternions (GstRobocacheResampleFlow *flow, GstBuffer *buffer)
{
  const RobocacheChannelList *quaternions = &flow->engine.roles.lists[ROBOCACHE_ROLE_QUATERNIONS];
  const RobocacheTensorInfo *rows = &flow->engine.format.in.tensors[0];
  const guint64 channels = robocache_tensor_info_dim (rows, 0);
  RobocacheQuaternionCheck found = { 0 };
  GstMemory *memory;
  GstMapInfo map;
  gsize offset;

  if (quaternions->n == 0 || !robocache_tensors_check_memories (buffer, &flow->engine.format.in, NULL))
    return;
  memory = robocache_tensors_peek_memory (buffer, &flow->engine.format.in, 0, &offset);
  if (robocache_is_gpu_memory (memory) || !gst_memory_map (memory, &map, GST_MAP_READ))
    return;
  robocache_quaternion_check_rows (&found, quaternions->channels, quaternions->n, rows->dtype, channels, map.data + offset,
      robocache_tensor_info_size (rows) / (channels * rc_dtype_size (rows->dtype)));
  gst_memory_unmap (memory, &map);
  GST_OBJECT_LOCK (flow->element);
  robocache_quaternion_check_add (&flow->statistics.quaternions, &found);
  GST_OBJECT_UNLOCK (flow->element);
  warn_of_quaternions (flow);
}

void
gst_robocache_resample_flow_drain (GstRobocacheResampleFlow *flow, gboolean at_end)
{
  GST_DEBUG_OBJECT (flow->element, "ticks up to the newest row are sent%s", at_end ? ", and losses are reported" : "");
  count_batches (flow);
  if (flow->stream.is_open) {
    check_gap (flow, TRUE);
    robocache_history_eos (&flow->stream.history);
    push_ready_rows (flow);
    restart_stream (flow, FALSE);
  }
  post_losses (flow, at_end);
}

void
gst_robocache_resample_flow_end (GstRobocacheResampleFlow *flow)
{
  check_decimation (flow, TRUE);
  gst_robocache_resample_flow_drain (flow, TRUE);
}

/* ---- rows in ---- */

/* FALSE: the next row follows a clock jump. */
static gboolean
insert_rows (GstRobocacheResampleFlow *flow, GstRobocacheResampleRows *rows, GstClockTime now)
{
  gboolean is_done;

  GST_OBJECT_LOCK (flow->element);
  is_done = gst_robocache_resample_stream_insert (&flow->stream, rows, now);
  GST_OBJECT_UNLOCK (flow->element);
  return is_done;
}

/* As insert_rows, of a new buffer. */
static gboolean
begin_rows (GstRobocacheResampleFlow *flow, GstRobocacheResampleRows *rows, GstClockTime now, gboolean *is_timed)
{
  gboolean is_done;

  GST_OBJECT_LOCK (flow->element);
  *is_timed = gst_robocache_resample_stream_begin_rows (&flow->stream, rows);
  is_done = !*is_timed || gst_robocache_resample_stream_insert (&flow->stream, rows, now);
  GST_OBJECT_UNLOCK (flow->element);
  return is_done;
}

static void
warn_of_no_time (GstRobocacheResampleFlow *flow)
{
  if (!flow->warned_no_time)
    robocache_row_times_warn (flow->element, NULL);
  flow->warned_no_time = TRUE;
}

static void
warn_of_jump (GstRobocacheResampleFlow *flow)
{
  gchar *warning = robocache_clock_jump_take_warning (&flow->stream.jump);

  if (warning)
    GST_ELEMENT_WARNING (flow->element, STREAM, FORMAT, ("%s", warning), (NULL));
  g_free (warning);
}

static GstFlowReturn
insert_buffer (GstRobocacheResampleFlow *flow, GstBuffer *buffer)
{
  const GstClockTime now = live_now (flow);
  GstRobocacheResampleRows rows;
  GError *error = NULL;
  gboolean is_done, is_timed;

  if (!gst_robocache_resample_rows_map (&rows, &flow->stream, buffer, &error))
    return gst_robocache_resample_flow_refuse (flow, error);
  for (is_done = begin_rows (flow, &rows, now, &is_timed); !is_done; is_done = insert_rows (flow, &rows, now)) {
    GST_INFO_OBJECT (flow->element, "the sensor's clock jumped: rows continue elsewhere");
    gst_robocache_resample_flow_drain (flow, FALSE);
    warn_of_jump (flow);
  }
  if (!is_timed)
    warn_of_no_time (flow);
  gst_robocache_resample_rows_unmap (&rows);
  check_gap (flow, FALSE);
  check_decimation (flow, FALSE);
  post_losses (flow, FALSE);
  if (!rows.no_memory)
    return GST_FLOW_OK;
  robocache_history_set_no_memory (&flow->stream.history, &error);
  return fail (flow, error);
}

/* Statistics are posted by the running time of the output. */
static void
post_stats_when_due (GstRobocacheResampleFlow *flow, GstClockTime running_time)
{
  gboolean due;

  GST_OBJECT_LOCK (flow->element);
  due = robocache_statistics_timer_due (&flow->properties->stats_timer, running_time);
  GST_OBJECT_UNLOCK (flow->element);
  if (due)
    robocache_statistics_post_last (flow->element);
}

static GstFlowReturn
resample_batch (GstRobocacheResampleFlow *flow, GstBuffer *buffer)
{
  const GstSegment *segment = &flow->stream.clock.segment;
  GError *error = NULL;
  GstBuffer *out = gst_robocache_resample_batch_run (&flow->engine, &flow->statistics, buffer, &error);
  GstFlowReturn ret = GST_FLOW_OK;

  if (out && flow->engine.format.out_memory == ROBOCACHE_SYSTEM_MEMORY)
    ret = gst_robocache_resample_move_to_offer (&flow->offer, &out, &error);
  if (error)
    return gst_robocache_resample_flow_refuse (flow, error);
  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (buffer))
    post_stats_when_due (flow, gst_segment_to_running_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer)));
  flow->batch_out = out;
  return ret;
}

GstFlowReturn
gst_robocache_resample_flow_insert (GstRobocacheResampleFlow *flow, GstBuffer *buffer)
{
  check_quaternions (flow, buffer);
  return flow->engine.format.batch ? resample_batch (flow, buffer) : insert_buffer (flow, buffer);
}

void
gst_robocache_resample_flow_count_refused (GstRobocacheResampleFlow *flow, GstFlowReturn ret)
{
  const gboolean is_malformed = ret == GST_BASE_TRANSFORM_FLOW_DROPPED, is_batch = flow->engine.format.batch;

  GST_LOG_OBJECT (flow->element, "a buffer is %s: %s", is_malformed ? "dropped, since it is malformed" : "refused", gst_flow_get_name (ret));
  GST_OBJECT_LOCK (flow->element);
  /* rows of episodes are in no account, but a faulty buffer is */
  if (is_malformed || !is_batch)
    robocache_row_counts_refuse (&flow->statistics.past_rows, is_malformed ? ROBOCACHE_DROPPED_MALFORMED : ROBOCACHE_DROPPED_REFUSED,
        flow->stream.is_open && !is_batch ? flow->stream.format.layout.n_rows : 1);
  GST_OBJECT_UNLOCK (flow->element);
}

gboolean
gst_robocache_resample_flow_gap (GstRobocacheResampleFlow *flow, GstClockTime start, GstClockTime end)
{
  const GstClockTime now = live_now (flow);
  gboolean ok;

  GST_OBJECT_LOCK (flow->element);
  ok = gst_robocache_resample_stream_gap (&flow->stream, start, end, now);
  GST_OBJECT_UNLOCK (flow->element);
  if (ok)
    push_ready_rows (flow);
  return ok;
}

/* ---- formats ---- */

static void
close_stream (GstRobocacheResampleFlow *flow, gboolean flushed)
{
  GST_OBJECT_LOCK (flow->element);
  gst_robocache_resample_stream_close (&flow->stream, flushed, &flow->statistics.past_rows);
  GST_OBJECT_UNLOCK (flow->element);
}

void
gst_robocache_resample_flow_leave_format (GstRobocacheResampleFlow *flow)
{
  gst_robocache_resample_flow_drain (flow, FALSE);
  close_stream (flow, FALSE);
  gst_robocache_resample_engine_close (&flow->engine);
}

static void reset (GstRobocacheResampleFlow * flow);

void
gst_robocache_resample_flow_stop (GstRobocacheResampleFlow *flow)
{
  reset (flow);
  count_batches (flow);
  close_stream (flow, TRUE);
  flow->engine.format.batch = FALSE;
  gst_robocache_resample_engine_close (&flow->engine);
  gst_robocache_resample_offer_clear (&flow->offer);
}

static void
open_stream (GstRobocacheResampleFlow *flow, const GstRobocacheResampleFormat *format,
    const GstRobocacheResampleSettings *settings)
{
  GstRobocacheResampleStream *stream = &flow->stream;
  const gboolean rows_on_device = gst_robocache_resample_engine_keeps_device_rows (&flow->engine);

  GST_OBJECT_LOCK (flow->element);
  if (stream->is_open && stream->rows_on_device == rows_on_device) {
    flow->discont |= stream->format.grid.num != format->grid.num || stream->format.grid.den != format->grid.den;
    gst_robocache_resample_stream_set_output (stream, format, settings);
  } else {
    gst_robocache_resample_stream_close (stream, FALSE, &flow->statistics.past_rows);
    gst_robocache_resample_stream_open (stream, format, settings, rows_on_device, &flow->engine.roles, &flow->statistics.rows);
  }
  GST_OBJECT_UNLOCK (flow->element);
}

/* What is chosen of the channels, and why. */
static void
note_kinds (GstRobocacheResampleFlow *flow)
{
  const RobocacheChannelRoles *roles = &flow->engine.roles;
  gchar *text = robocache_channel_roles_describe (roles, flow->engine.spec.in);

  GST_INFO_OBJECT (flow->element, "%s", text);
  g_free (text);
  GST_OBJECT_LOCK (flow->element);
  flow->statistics.kinds = g_intern_string (roles->used ? roles->used : "");
  flow->statistics.kinds_source = roles->source;
  GST_OBJECT_UNLOCK (flow->element);
}

gboolean
gst_robocache_resample_flow_set_format (GstRobocacheResampleFlow *flow, const GstRobocacheResampleFormat *format,
    const GstRobocacheResampleSettings *settings, const RobocacheChannelRoles *roles, GError **error)
{
  if (format->batch || !flow->stream.is_open
      || !gst_robocache_resample_same_input (format, &flow->stream.format)
      || g_strcmp0 (roles->kinds, flow->engine.roles.kinds) != 0
      || g_strcmp0 (roles->names, flow->engine.roles.names) != 0)       /* which lists and kinds count by */
    gst_robocache_resample_flow_leave_format (flow);
  GST_DEBUG_OBJECT (flow->element, "%s", format->batch ? "episodes are resampled, a buffer is a batch of them" : "rows are resampled as they come");
  if (!gst_robocache_resample_engine_open (&flow->engine, format, settings, roles, error)) {
    close_stream (flow, FALSE);
    return FALSE;
  }
  note_kinds (flow);
  flow->stream_failed = FALSE;
  if (!format->batch)
    open_stream (flow, format, settings);
  return TRUE;
}

/* ---- life ---- */

/* Resets the output, as if nothing had been sent. */
static void
reset (GstRobocacheResampleFlow *flow)
{
  flow->stream.last_tick = -1;
  flow->sent_buffer = flow->stream_failed = flow->is_in_hole = FALSE;
  flow->discont = TRUE;
  gst_clear_buffer (&flow->batch_out);
  GST_OBJECT_LOCK (flow->element);
  robocache_statistics_timer_reset (&flow->properties->stats_timer);
  GST_OBJECT_UNLOCK (flow->element);
}

static void
restart_clock (GstRobocacheResampleFlow *flow, const GstSegment *segment)
{
  robocache_row_times_set_segment (&flow->stream.clock, segment);
  GST_OBJECT_LOCK (flow->element);
  robocache_clock_jump_restart (&flow->stream.jump);
  GST_OBJECT_UNLOCK (flow->element);
}

void
gst_robocache_resample_flow_set_segment (GstRobocacheResampleFlow *flow, const GstSegment *segment, gboolean live)
{
  gst_robocache_resample_flow_drain (flow, TRUE);
  GST_INFO_OBJECT (flow->element, "the source is %s: segment %" GST_SEGMENT_FORMAT, live ? "live, ticks leave once their rows are there"
      : "not live, ticks wait until no row can change them", segment);
  flow->stream_failed = FALSE;
  flow->stream.live = live;
  restart_clock (flow, segment);
}

void
gst_robocache_resample_flow_flush (GstRobocacheResampleFlow *flow)
{
  restart_stream (flow, TRUE);
  restart_clock (flow, &flow->stream.clock.segment);
  reset (flow);
}

void
gst_robocache_resample_flow_start (GstRobocacheResampleFlow *flow)
{
  robocache_row_times_init (&flow->stream.clock);
  reset (flow);
  flow->warned_no_time = flow->failed = FALSE;
  GST_OBJECT_LOCK (flow->element);
  robocache_clock_jump_init (&flow->stream.jump);
  gst_robocache_resample_statistics_reset (&flow->statistics);
  robocache_input_faults_start (&flow->faults);
  GST_OBJECT_UNLOCK (flow->element);
}

void
gst_robocache_resample_flow_init (GstRobocacheResampleFlow *flow, GstElement *element, GstPad *src, RobocacheDevice *device,
    GstRobocacheResampleProperties *properties)
{
  flow->element = flow->engine.element = element;
  flow->src = src;
  robocache_input_faults_init (&flow->faults, GST_BASE_TRANSFORM_SINK_PAD (element), robocache_drop_reason_field (ROBOCACHE_DROPPED_MALFORMED));
  flow->properties = properties;
  flow->engine.device = device;
  gst_robocache_resample_stream_init (&flow->stream, element);
  gst_robocache_resample_statistics_reset (&flow->statistics);
  reset (flow);
}

GstStructure *
gst_robocache_resample_flow_make_stats (GstRobocacheResampleFlow *flow)
{
  GstStructure *stats;

  /* exact for last-pts; a device that failed is reported when it is used again */
  gst_robocache_resample_batch_count (&flow->engine, &flow->statistics, NULL);
  stats = gst_robocache_resample_statistics_to_structure (&flow->statistics, &flow->stream);
  robocache_device_to_structure (flow->engine.device, stats);
  return stats;
}

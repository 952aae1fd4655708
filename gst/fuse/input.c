/* robocache: robocachefuse, what comes in: rows, events and queries of the sink pads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachefuse.h"

#include "common/time/segments.h"

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_fuse_debug);
#define GST_CAT_DEFAULT gst_robocache_fuse_debug

static GstAggregatorClass *
base_class (GstAggregator *agg)
{
  return g_type_class_peek_parent (GST_AGGREGATOR_GET_CLASS (agg));
}

/* ---- rows ---- */

static gboolean
pad_is_ahead (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  gboolean ahead;

  FUSE_LOCK (fuse);
  ahead = gst_robocache_fuse_is_too_far_ahead (fuse, pad);
  FUSE_UNLOCK (fuse);
  return ahead;
}

/* Called with the lock. The running time, when it says which rows and ticks are of use. */
static GstClockTime
live_now (GstRobocacheFuse *fuse)
{
  return fuse->live ? robocache_running_time_now (GST_ELEMENT (fuse)) : GST_CLOCK_TIME_NONE;
}

static gboolean end_streams (GstRobocacheFuse * fuse, GstFlowReturn flow);

/* Before a pad waits for the first time: whether it may, which is asked upstream. */
static GstFlowReturn
make_sure_that_waiting_ends (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GError *error = NULL;

  pad->latencies_checked = TRUE;
  gst_robocache_fuse_update_live (fuse, pad);
  if (!pad_is_ahead (fuse, pad) || gst_robocache_fuse_check_sources (fuse, &error))
    return GST_FLOW_OK;
  if (end_streams (fuse, GST_FLOW_NOT_NEGOTIATED))
    gst_robocache_fuse_post_failure (fuse, NULL, error);
  else
    g_error_free (error);
  return GST_FLOW_NOT_NEGOTIATED;
}

static GstFlowReturn
wait_for_the_others (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  if (!pad->latencies_checked && pad_is_ahead (fuse, pad)
      && make_sure_that_waiting_ends (fuse, pad) != GST_FLOW_OK)
    return GST_FLOW_NOT_NEGOTIATED;
  FUSE_LOCK (fuse);
  while (gst_robocache_fuse_is_too_far_ahead (fuse, pad)) {
    pad->waiting = TRUE;
    g_cond_wait (&fuse->progress, &fuse->lock);
  }
  pad->waiting = FALSE;
  FUSE_UNLOCK (fuse);
  return GST_FLOW_OK;
}

/* What is left to do without the lock when a buffer's rows are in. */
typedef struct
{
  GstFlowReturn flow;
  GError *error;
  GstRobocacheFuseOddities oddities;
  gboolean own_token, all_tokens;
  gboolean latency_off;
  GQueue messages;
} AfterRows;

/* Called with the lock. Rows of a pad that was removed meanwhile are counted where the pad's others are. */
static void
refuse_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  if (pad->removed)
    robocache_row_counts_refuse (&fuse->removed.rows, ROBOCACHE_DROPPED_REMOVED,
        pad->has_format ? pad->format.rows.n_rows : 1);
  else
    gst_robocache_fuse_pad_refuse (pad);
}

/* Called with the lock. */
static void
take_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *buffer, AfterRows *then)
{
  const GstClockTime now = live_now (fuse);
  gint64 tick;

  then->flow = pad->removed ? GST_FLOW_FLUSHING : pad->flow;
  if (then->flow == GST_FLOW_OK && (!pad->has_format || pad->clock.segment.format != GST_FORMAT_TIME))
    then->flow = GST_FLOW_NOT_NEGOTIATED;
  if (then->flow != GST_FLOW_OK) {
    refuse_rows (fuse, pad);
    gst_buffer_unref (buffer);
    return;
  }
  gst_robocache_fuse_note_start (fuse, now);
  pad->base_time = (gint64) gst_element_get_base_time (GST_ELEMENT (fuse));
  if (!gst_robocache_fuse_pad_take (pad, buffer, fuse->live && pad->live, now, &then->oddities, &then->error)) {
    then->flow = GST_FLOW_ERROR;
    gst_robocache_fuse_end_streams (fuse, then->flow);
    return;
  }
  if (!gst_robocache_fuse_choose_reference (fuse, &then->error)) {
    then->flow = GST_FLOW_NOT_NEGOTIATED;
    gst_robocache_fuse_end_streams (fuse, then->flow);
    return;
  }
  gst_robocache_fuse_let_go_of_rows (fuse, pad);
  gst_robocache_fuse_collect_qos (fuse, pad, &then->messages);
  gst_robocache_fuse_collect_clock_event (fuse, pad, &then->messages);
  then->latency_off = gst_robocache_fuse_measured_latency_is_off (fuse, pad)
      || gst_robocache_fuse_tick_period_is_new (fuse);
  if (then->oddities.jumped)    /* rows of an older format may have gone */
    fuse->composition_changed = TRUE;
  if (gst_robocache_fuse_tick_moved_back (fuse))
    fuse->tick_known = FALSE;
  if (fuse->src_is_awake) {
    if (!gst_robocache_fuse_next_tick (fuse, &tick))
      return;
    if (gst_robocache_fuse_pad_ready (pad, tick, FALSE))
      GST_TRACE_OBJECT (pad, "ready");
    g_atomic_int_inc (&fuse->looks);    /* ready or not: the tick may be new, and with it the deadline */
    return;
  }
  if (fuse->tick_known && pad->token_out)
    return;
  if (!gst_robocache_fuse_next_tick (fuse, &tick))
    fuse->tick_known = FALSE;   /* who makes it known again wakes all who are ready */
  else if (!fuse->tick_known)
    then->all_tokens = TRUE;
  else if (!pad->flushing && gst_robocache_fuse_pad_ready (pad, tick, !fuse->live))
    pad->token_out = then->own_token = TRUE;
}

GstFlowReturn
gst_robocache_fuse_chain (GstPad *gstpad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (parent);
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (gstpad);
  AfterRows then = { .flow = GST_FLOW_OK, .messages = G_QUEUE_INIT };

  GST_LOG_OBJECT (pad, "%" GST_PTR_FORMAT, buffer);
  gst_robocache_fuse_pad_await (pad, buffer);
  FUSE_LOCK (fuse);
  take_rows (fuse, pad, buffer, &then);
  FUSE_UNLOCK (fuse);

  if (then.error)
    gst_robocache_fuse_post_failure (fuse, pad, then.error);
  if (then.oddities.without_time)
    robocache_row_times_warn (GST_ELEMENT (fuse), GST_PAD (pad));
  if (then.oddities.without_reference)
    gst_robocache_fuse_timing_warn_of_reference (fuse, pad);
  if (then.oddities.jumped)
    robocache_clock_jump_warn (&pad->jump, GST_ELEMENT (fuse), GST_PAD (pad));
  gst_robocache_fuse_post_messages (fuse, &then.messages);
  if (then.flow != GST_FLOW_OK)
    return then.flow;
  if (then.latency_off)
    gst_robocache_fuse_update_latency (fuse);
  if (then.all_tokens)
    gst_robocache_fuse_refresh_tokens (fuse);
  else if (then.own_token)
    then.flow = gst_robocache_fuse_push_token (fuse, pad);
  return then.flow == GST_FLOW_OK ? wait_for_the_others (fuse, pad) : then.flow;
}

/* ---- events, in order with rows ---- */

static gboolean
caps_are_new (GstRobocacheFusePad *pad, const GstCaps *caps)
{
  GstCaps *current = gst_pad_get_current_caps (GST_PAD (pad));
  const gboolean same = current && pad->has_format && gst_caps_is_equal (current, caps);

  gst_clear_caps (&current);
  return !same;
}

/* Core sends caps and segments that were refused again before each buffer. */
static gboolean
end_streams (GstRobocacheFuse *fuse, GstFlowReturn flow)
{
  gboolean first_failure;

  FUSE_LOCK (fuse);
  first_failure = gst_robocache_fuse_end_streams (fuse, flow);
  FUSE_UNLOCK (fuse);
  return first_failure;
}

static gboolean
take_caps (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  GstRobocacheFuseFormat format;
  GError *error = NULL;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!caps_are_new (pad, caps))
    return TRUE;
  if (!gst_robocache_fuse_format_parse (&format, caps, &error)) {
    if (end_streams (fuse, GST_FLOW_NOT_NEGOTIATED))
      gst_robocache_fuse_post_failure (fuse, pad, error);
    else
      g_error_free (error);
    return FALSE;
  }
  robocache_device_prepare (&fuse->device, GST_ELEMENT (fuse), format.on_device);
  FUSE_LOCK (fuse);
  gst_robocache_fuse_pad_sync_settings (pad);
  gst_robocache_fuse_pad_set_format (pad, &format);
  gst_robocache_fuse_sync_period (fuse);
  fuse->composition_changed = TRUE;
  fuse->tick_known = FALSE;
  FUSE_UNLOCK (fuse);
  gst_robocache_fuse_update_latency (fuse);
  gst_robocache_fuse_update_live (fuse, pad);
  return TRUE;
}

static gboolean
take_segment (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  if (segment->format != GST_FORMAT_TIME) {
    if (end_streams (fuse, GST_FLOW_ERROR))
      GST_ELEMENT_ERROR (fuse, STREAM, FORMAT, ("%s: a segment in %s, but alignment needs times: expected a TIME segment",
            GST_OBJECT_NAME (pad), gst_format_get_name (segment->format)), (NULL));
    return FALSE;
  }
  FUSE_LOCK (fuse);
  if (!robocache_segment_continues (&pad->clock.segment, segment))
    gst_robocache_fuse_pad_set_segment (pad, segment);
  fuse->tick_known = FALSE;
  FUSE_UNLOCK (fuse);
  gst_robocache_fuse_update_live (fuse, pad);
  return TRUE;
}

static void
take_gap (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  GstClockTime pts, duration;

  gst_event_parse_gap (event, &pts, &duration);
  FUSE_LOCK (fuse);
  gst_robocache_fuse_pad_gap (pad, pts, duration, pad->live ? live_now (fuse) : GST_CLOCK_TIME_NONE);
  FUSE_UNLOCK (fuse);
}

void
gst_robocache_fuse_set_flushing (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, gboolean flushing)
{
  FUSE_LOCK (fuse);
  pad->flushing = flushing;
  g_cond_broadcast (&fuse->progress);
  FUSE_UNLOCK (fuse);
}

GstFlowReturn
gst_robocache_fuse_sink_event_pre_queue (GstAggregator *agg, GstAggregatorPad *aggpad, GstEvent *event)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (aggpad);
  const GstEventType type = GST_EVENT_TYPE (event);
  GstFlowReturn flow;

  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  switch (type) {
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP:
      return gst_robocache_fuse_take_flush (fuse, pad, event);
    case GST_EVENT_STREAM_START:
      FUSE_LOCK (fuse);
      gst_robocache_fuse_pad_restart (pad);
      fuse->tick_known = FALSE;
      FUSE_UNLOCK (fuse);
      break;
    case GST_EVENT_CAPS:
      if (!take_caps (fuse, pad, event)) {
        gst_event_unref (event);
        return GST_FLOW_NOT_NEGOTIATED;
      }
      break;
    case GST_EVENT_SEGMENT:
      if (!take_segment (fuse, pad, event)) {
        gst_event_unref (event);
        return GST_FLOW_ERROR;
      }
      break;
    case GST_EVENT_GAP:
      take_gap (fuse, pad, event);
      gst_event_unref (event);
      gst_robocache_fuse_refresh_tokens (fuse);
      return GST_FLOW_OK;
    case GST_EVENT_EOS:
      FUSE_LOCK (fuse);
      gst_robocache_fuse_pad_eos (pad);
      FUSE_UNLOCK (fuse);
      break;
    default:
      break;
  }
  flow = base_class (agg)->sink_event_pre_queue (agg, aggpad, event);
  g_atomic_int_inc (&fuse->events_in);
  if (type == GST_EVENT_EOS)
    gst_robocache_fuse_refresh_tokens (fuse);
  return flow;
}

/* ---- queries ---- */

/* Pinned memory, where frames go up to a GPU. */
static void
propose_pinned_memory (GstRobocacheFuse *fuse, GstQuery *query)
{
  GstAllocator *pinned = robocache_device_ref_pinned (&fuse->device, GST_ELEMENT (fuse));

  if (pinned == NULL)
    return;
  gst_query_add_allocation_param (query, pinned, NULL);
  gst_object_unref (pinned);
}

static gboolean
propose_camera_allocation (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstQuery *query)
{
  GstVideoInfo video;
  GstCaps *caps;
  guint frames;

  gst_query_parse_allocation (query, &caps, NULL);
  if (caps == NULL || !gst_video_info_from_caps (&video, caps))
    return FALSE;
  FUSE_LOCK (fuse);
  frames = pad->camera_frames;
  FUSE_UNLOCK (fuse);
  gst_query_add_allocation_pool (query, NULL, GST_VIDEO_INFO_SIZE (&video), frames + 2, 0);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  propose_pinned_memory (fuse, query);
  return TRUE;
}

static gboolean
answer_caps (GstRobocacheFuse *fuse, GstPad *pad, GstQuery *query)
{
  GstCaps *caps = gst_robocache_fuse_sink_caps (fuse, pad), *filter, *filtered;

  gst_query_parse_caps (query, &filter);
  if (filter) {
    filtered = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (caps);
    caps = filtered;
  }
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

/* Answered at once: the base class would queue serialized queries behind a token and wait. */
gboolean
gst_robocache_fuse_sink_query_pre_queue (GstAggregator *agg, GstAggregatorPad *aggpad, GstQuery *query)
{
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (aggpad);

  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    return answer_caps (GST_ROBOCACHE_FUSE (agg), GST_PAD (pad), query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return pad->role == GST_ROBOCACHE_FUSE_CAMERA && propose_camera_allocation (GST_ROBOCACHE_FUSE (agg), pad, query);
  if (GST_QUERY_IS_SERIALIZED (query))
    return gst_pad_query_default (GST_PAD (pad), GST_OBJECT (agg), query);
  return base_class (agg)->sink_query_pre_queue (agg, aggpad, query);
}

/* robocache: robocacheresample, one stream with any timing in, an exact grid out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-robocacheresample
 * @title: robocacheresample
 *
 * Interpolates the rows of a sensor at the ticks of an exact grid. Three tensors at once (rows, their times and target
 * times) are recorded episodes, and each buffer becomes one buffer of rows at the target times.
 *
 * |[
 * gst-launch-1.0 robocachetestsrc kind=force rate=1000/1 jitter=200000 is-live=true ! robocacheresample rate=100/1 ! \
 *     fakesink silent=false -v
 * ]|
 * |[
 * gst-launch-1.0 filesrc location=imu.csv ! robocacheparse ! robocacheresample rate=200/1 interpolation=cubic \
 *     quaternions=0 max-gap=100000000 gap-policy=nan ! filesink location=imu.f32
 * ]|
 */
#include "gstrobocacheresample.h"

#include <string.h>

#include "common/element/properties.h"
#include "common/element/errors.h"

GST_DEBUG_CATEGORY_STATIC (resample_debug);
#define GST_CAT_DEFAULT resample_debug

#define DEFAULT_QOS_INTERVAL GST_SECOND
#define N_FIRST_SPACINGS 4      /* a period is measured anew with each of so many */

enum
{
  PROP_0,
  PROP_RATE,
  PROP_INTERPOLATION,
  PROP_MAX_GAP,
  PROP_GAP_POLICY,
  PROP_REORDER_WINDOW,
  PROP_TYPE,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_QOS_MESSAGES,
  PROP_QOS_INTERVAL,
  PROP_ROLES,
  PROP_DEVICE = PROP_ROLES + ROBOCACHE_N_ROLES
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS));

#define gst_robocache_resample_parent_class parent_class
G_DEFINE_FINAL_TYPE_WITH_CODE (GstRobocacheResample, gst_robocache_resample, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (resample_debug, "robocacheresample", 0, "one stream onto an exact grid"));
GST_ELEMENT_REGISTER_DEFINE (robocacheresample, "robocacheresample", GST_RANK_NONE, GST_TYPE_ROBOCACHE_RESAMPLE);

#define TYPE_GAP_POLICY (gap_policy_get_type ())
static ROBOCACHE_DEFINE_ENUM (gap_policy_get_type, "GstRobocacheResampleGapPolicy",
    {GST_ROBOCACHE_GAP_DROP, "No row; a GAP event, and DISCONT on what follows", "drop"},
    {GST_ROBOCACHE_GAP_NAN, "A row of NaN, or of 0 for integers", "nan"},
    {GST_ROBOCACHE_GAP_HOLD, "The row before the gap", "hold"})

static GstRobocacheResampleSettings
get_settings (GstRobocacheResample *resample)
{
  GstRobocacheResampleSettings settings;

  GST_OBJECT_LOCK (resample);
  settings = resample->settings;
  GST_OBJECT_UNLOCK (resample);
  return settings;
}

/* ---- negotiation ---- */

/* What the source pad offers for caps of the sink pad. */
static GstCaps *
offer_output (GstRobocacheResample *resample, const GstCaps *in_caps)
{
  const GstRobocacheResampleSettings settings = get_settings (resample);

  return robocache_caps_offer (gst_robocache_resample_output_caps (&settings, in_caps),
      robocache_device_offer_as (&resample->device, GST_ELEMENT (resample), in_caps));
}

static GstCaps *
gst_robocache_resample_transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *filter)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  GstCaps *other;

  if (direction == GST_PAD_SINK)
    other = offer_output (resample, caps);
  else
    other = robocache_caps_offer (gst_caps_new_empty_simple (ROBOCACHE_TENSORS_MEDIA_TYPE),
        robocache_device_offer (&resample->device, GST_ELEMENT (resample)));
  if (filter) {
    GstCaps *intersection = gst_caps_intersect_full (filter, other, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (other);
    other = intersection;
  }
  return other;
}

static GstCaps *
gst_robocache_resample_fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  const GstRobocacheResampleSettings settings = get_settings (GST_ROBOCACHE_RESAMPLE (trans));
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD (trans);
  GstCaps *ours, *peer, *spelled;

  if (direction != GST_PAD_SINK)
    return gst_caps_fixate (other);
  if (!gst_pad_is_linked (src)) {
    /* the base class proposes the input's own caps when there is nobody to ask */
    gst_caps_unref (other);
    other = offer_output (GST_ROBOCACHE_RESAMPLE (trans), caps);
  }
  ours = gst_robocache_resample_fixate_output (&settings, caps, other);
  peer = gst_pad_peer_query_caps (src, NULL);
  spelled = robocache_tensors_caps_in_spelling_of (ours, peer);
  gst_caps_unref (peer);
  gst_caps_unref (ours);
  return spelled;
}

static void
end_history (GstRobocacheResample *resample, gboolean flushed)
{
  GST_OBJECT_LOCK (resample);
  if (resample->has_history) {
    if (flushed)
      robocache_history_discard (&resample->history, ROBOCACHE_DROPPED_FLUSH);
    else
      robocache_history_reset (&resample->history);
    robocache_row_counts_add (&resample->past_counts, &resample->history.counts);
    robocache_history_clear (&resample->history);
    resample->has_history = FALSE;
  }
  GST_OBJECT_UNLOCK (resample);
  resample->ticking = FALSE;
}

static void
begin_history (GstRobocacheResample *resample)
{
  const gboolean on_device = gst_robocache_resample_keeps_device_rows (resample);
  const gsize row_bytes = resample->format.layout.channels * rc_dtype_size (resample->format.layout.dtype);

  GST_OBJECT_LOCK (resample);
  robocache_history_init (&resample->history, on_device ? sizeof (RobocacheDeviceRow) : row_bytes,
      on_device ? robocache_device_row_clear : NULL);
  resample->history.reorder_window = resample->run.reorder_window;
  resample->history.losses = &resample->losses;
  resample->has_history = TRUE;
  GST_OBJECT_UNLOCK (resample);
  resample->spacings_measured = 0;
}

static void
refuse_caps (GstRobocacheResample *resample, const gchar *reason)
{
  if (!resample->refused)
    GST_ELEMENT_ERROR (resample, CORE, NEGOTIATION, ("%s", reason), (NULL));
  resample->refused = TRUE;
}

/* What is refused may be caps, a property, too large, rather than wrong, or a device that failed. */
static void
refuse_job (GstRobocacheResample *resample, const GError *error)
{
  if (!resample->refused)
    robocache_post_error (GST_ELEMENT (resample), error);
  resample->refused = TRUE;
}

static void update_latency (GstRobocacheResample * resample);

/* What the old caps are about goes out. */
static void
leave_format (GstRobocacheResample *resample)
{
  gst_robocache_resample_finish_history (resample);
  end_history (resample, FALSE);
  gst_robocache_resample_close_engine (resample);
}

static gboolean
gst_robocache_resample_set_caps (GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  GError *error = NULL;
  gboolean ok;

  resample->tried_caps = TRUE;
  leave_format (resample);
  resample->run = get_settings (resample);
  resample->in_on_device = robocache_caps_on_device (in_caps);
  resample->out_on_device = robocache_caps_on_device (out_caps);
  ok = gst_robocache_resample_format_from_caps (&resample->format, &resample->run, in_caps, out_caps, &error)
      && gst_robocache_resample_open_engine (resample, &error);
  if (!ok) {
    refuse_job (resample, error);
    g_error_free (error);
    return FALSE;
  }
  resample->refused = resample->stream_failed = FALSE;
  if (!resample->format.batch) {
    robocache_row_times_set_rate (&resample->clock, resample->format.in.rate_num, resample->format.in.rate_den);
    begin_history (resample);
  }
  update_latency (resample);
  return TRUE;
}

/* "14:1" without a type reads as a set of flags. */
static gboolean
has_untyped_dimensions (const GstCaps *caps)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (gst_structure_has_field_typed (gst_caps_get_structure (caps, i), "dimensions", GST_TYPE_FLAG_SET))
      return TRUE;
  }
  return FALSE;
}

static void
refuse_downstream (GstRobocacheResample *resample, const GstCaps *in_caps)
{
  const GstRobocacheResampleSettings settings = get_settings (resample);
  GstCaps *allowed = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (resample), NULL);
  GstCaps *ours = gst_robocache_resample_fixate_output (&settings, in_caps,
      gst_robocache_resample_output_caps (&settings, in_caps));
  gchar *theirs_text = gst_caps_to_string (allowed), *ours_text = gst_caps_to_string (ours);
  const gchar *hint = has_untyped_dimensions (allowed)
      ? "; its dimensions are a flagset: write them like dimensions=(string)14:1" : "";
  gchar *why = robocache_device_explain (&resample->device, GST_ELEMENT (resample), allowed);
  gchar *reason = g_strdup_printf ("downstream takes %s, but the input makes %s%s%s", theirs_text, ours_text, hint, why);

  refuse_caps (resample, reason);
  g_free (why);
  g_free (reason);
  g_free (ours_text);
  g_free (theirs_text);
  gst_caps_unref (ours);
  gst_caps_unref (allowed);
}

/* Where the base class finds no caps for both sides it says so in its log only. */
static void
negotiation_failed (GstRobocacheResample *resample, const GstCaps *in_caps)
{
  if (resample->tried_caps || GST_PAD_IS_FLUSHING (GST_BASE_TRANSFORM_SRC_PAD (resample)))
    return;
  leave_format (resample);
  refuse_downstream (resample, in_caps);
}

/* The base class takes an element without a transform function for one that hands buffers on, and would ask downstream, which
 * gets other ones. */
static gboolean
gst_robocache_resample_propose_allocation (GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  robocache_device_propose (&GST_ROBOCACHE_RESAMPLE (trans)->device, query, 0);
  return TRUE;
}

/* ---- latency ---- */

static GstClockTime
own_latency (GstRobocacheResample *resample)
{
  gint64 period;

  if (resample->format.batch || !resample->has_history)
    return 0;
  if (resample->format.in.rate_num > 0)
    period = gst_util_uint64_scale_int (GST_SECOND, resample->format.in.rate_den, resample->format.in.rate_num);
  else
    period = robocache_history_median_spacing (&resample->history);
  return rc_add_saturating (robocache_interpolation_latency (resample->search.interpolation, period,
          resample->search.period_ns), resample->run.reorder_window);
}

static void
update_latency (GstRobocacheResample *resample)
{
  const GstClockTime latency = own_latency (resample);
  gboolean changed;

  GST_OBJECT_LOCK (resample);
  changed = latency != resample->announced_latency;
  resample->announced_latency = latency;
  GST_OBJECT_UNLOCK (resample);
  if (changed)
    gst_element_post_message (GST_ELEMENT (resample), gst_message_new_latency (GST_OBJECT (resample)));
}

/* A measured period wavers: it is looked at after the first rows and then once all spacings are new, and the latency
 * follows when it is off by more than an eighth. */
static void
follow_measured_period (GstRobocacheResample *resample)
{
  const guint n = resample->history.n_spacings, fresh = n - resample->spacings_measured;
  GstClockTime latency;
  GstClockTimeDiff off;

  if (resample->format.in.rate_num > 0 || fresh == 0
      || (resample->spacings_measured >= N_FIRST_SPACINGS && fresh < ROBOCACHE_N_SPACINGS))
    return;
  resample->spacings_measured = n;
  latency = own_latency (resample);
  off = ABS (GST_CLOCK_DIFF (resample->announced_latency, latency));
  if (off > (GstClockTimeDiff) (resample->announced_latency / 8))
    update_latency (resample);
}

static gboolean
answer_latency (GstRobocacheResample *resample, GstQuery *query)
{
  GstClockTime min, max, own;
  gboolean live;

  if (!gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (resample), query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  GST_OBJECT_LOCK (resample);
  own = resample->announced_latency;
  GST_OBJECT_UNLOCK (resample);
  gst_query_set_latency (query, live, min + own, GST_CLOCK_TIME_IS_VALID (max) ? max + own : max);
  return TRUE;
}

static gboolean
gst_robocache_resample_query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  if (direction == GST_PAD_SRC && GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return answer_latency (GST_ROBOCACHE_RESAMPLE (trans), query);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->query (trans, direction, query);
}

/* Not live, a tick waits until no row can change it any more. */
static void
look_whether_live (GstRobocacheResample *resample)
{
  GstQuery *query = gst_query_new_latency ();

  resample->live = FALSE;
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (resample), query))
    gst_query_parse_latency (query, &resample->live, NULL, NULL);
  gst_query_unref (query);
}

/* ---- rows in ---- */

static gboolean
check_segment (GstRobocacheResample *resample, const GstSegment *segment)
{
  const gboolean is_there = segment->format != GST_FORMAT_UNDEFINED;

  if (segment->format == GST_FORMAT_TIME)
    return TRUE;
  if (!resample->refused)
    GST_ELEMENT_ERROR (resample, STREAM, FORMAT, ("%s%s, but resampling needs times: expected a TIME segment",
            is_there ? "a segment in " : "a buffer before its segment", is_there ? gst_format_get_name (segment->format) : ""),
        (NULL));
  resample->refused = resample->stream_failed = TRUE;
  return FALSE;
}

static GstFlowReturn
negotiate (GstRobocacheResample *resample)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (resample);

  if (resample->failed)
    return GST_FLOW_ERROR;
  resample->tried_caps = FALSE;
  if (!gst_base_transform_reconfigure (trans)) {
    GstCaps *in_caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (trans));

    negotiation_failed (resample, in_caps);
    gst_caps_unref (in_caps);
    return GST_PAD_IS_FLUSHING (GST_BASE_TRANSFORM_SRC_PAD (trans)) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  }
  if (!gst_robocache_resample_is_negotiated (resample)) {
    refuse_caps (resample, "a buffer before its caps: expected " ROBOCACHE_TENSORS_MEDIA_TYPE " caps first");
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (!resample->format.batch && !check_segment (resample, &resample->clock.segment))
    return GST_FLOW_ERROR;
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_robocache_resample_submit_input_buffer (GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  GstFlowReturn flow = negotiate (resample);
  gboolean taken = FALSE;
  GError *error = NULL;

  if (flow == GST_FLOW_OK) {
    taken = resample->format.batch ? gst_robocache_resample_take_batch (resample, buffer, &flow, &error)
        : gst_robocache_resample_take_rows (resample, buffer, &error);
    if (!taken) {
      GST_ELEMENT_ERROR (resample, STREAM, FORMAT, ("%s", error->message), (NULL));
      resample->stream_failed = TRUE;
      g_error_free (error);
      flow = GST_FLOW_ERROR;
    }
  }
  if (!taken)
    gst_robocache_resample_refuse_rows (resample);
  gst_buffer_unref (buffer);
  if (taken && !resample->format.batch)
    follow_measured_period (resample);
  return flow;
}

/* ---- ticks out ---- */

/* The next tick: the first one that is not before the first row, and then one after the other. FALSE: not known yet. */
static gboolean
next_tick (GstRobocacheResample *resample, gint64 *tick)
{
  const gint64 first = robocache_history_first_time (&resample->history);

  if (!resample->ticking) {
    if (first == ROBOCACHE_NO_TIME)
      return FALSE;
    /* a row that belongs before it may still come */
    if (!resample->live && !resample->history.eos && robocache_history_frontier (&resample->history) < first)
      return FALSE;
    resample->next_index = robocache_tick_at_or_after (&resample->format.grid, MAX (first, resample->last_tick + 1));
    resample->next_tick = robocache_tick_time (&resample->format.grid, resample->next_index);
  }
  *tick = resample->next_tick;
  return TRUE;
}

static gboolean
tick_is_ready (GstRobocacheResample *resample, gint64 tick)
{
  const gint64 last = robocache_history_last_time (&resample->history);

  return last != ROBOCACHE_NO_TIME && tick <= last
      && robocache_history_ready (&resample->history, &resample->search, tick, !resample->live);
}

static GstClockTime
position_of (GstRobocacheResample *resample, gint64 running_time)
{
  return gst_segment_position_from_running_time (&resample->clock.segment, GST_FORMAT_TIME, (guint64) running_time);
}

/* Aligns the tick, counts it and moves on. Returns whether somebody wants to hear of statistics. */
static gboolean
pass_tick (GstRobocacheResample *resample, gint64 tick, RobocacheAlignment *alignment, gboolean *dropped)
{
  gboolean tells_stats;
  gint32 status;

  GST_OBJECT_LOCK (resample);
  robocache_history_align (&resample->history, &resample->search, tick, alignment);
  status = alignment->bracket.status;
  *dropped = status == RC_MISSING && resample->run.gap_policy == GST_ROBOCACHE_GAP_DROP;
  resample->ticks_out += !*dropped;
  resample->ticks_dropped += *dropped;
  resample->ticks_held += status == RC_HELD;
  resample->ticks_nan += status == RC_MISSING && !*dropped;
  if (status != RC_MISSING && alignment->before != ROBOCACHE_NO_TIME)
    robocache_histogram_add (&resample->age, tick - alignment->before);
  resample->next_tick = robocache_tick_time (&resample->format.grid, ++resample->next_index);
  tells_stats = resample->stats_timer.interval > 0;
  GST_OBJECT_UNLOCK (resample);
  resample->ticking = TRUE;
  resample->last_tick = tick;
  return tells_stats;
}

static void
let_go (GstRobocacheResample *resample)
{
  gint64 tick;

  if (!next_tick (resample, &tick))
    return;
  GST_OBJECT_LOCK (resample);
  robocache_history_prune (&resample->history, &resample->search, tick);
  GST_OBJECT_UNLOCK (resample);
  gst_robocache_resample_post_losses (resample);
}

/* One row a call, until no tick is ready; dropped ticks become GAP events on the way. *buffer is NULL at the end. */
static GstFlowReturn
next_row (GstRobocacheResample *resample, GstBuffer **buffer)
{
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD (resample);
  gint64 tick;

  *buffer = NULL;
  if (resample->failed || resample->stream_failed)
    return GST_FLOW_ERROR;
  while (resample->has_history && next_tick (resample, &tick) && tick_is_ready (resample, tick)) {
    RobocacheAlignment alignment;
    GstClockTime duration;
    gboolean dropped;
    const gboolean tells_stats = pass_tick (resample, tick, &alignment, &dropped);

    duration = resample->next_tick - tick;
    if (!dropped && (*buffer = gst_robocache_resample_new_row (resample, &alignment)) == NULL)
      return GST_FLOW_ERROR;
    if (tells_stats)
      gst_robocache_resample_post_stats_when_due (resample, tick);
    if (dropped) {
      gst_robocache_resample_count_dropped_tick (resample, tick);
      gst_robocache_resample_post_losses (resample);
      if (resample->sent_buffer)
        gst_pad_push_event (src, gst_event_new_gap (position_of (resample, tick), duration));
      resample->discont = TRUE;
      if (GST_PAD_IS_FLUSHING (src))
        return GST_FLOW_FLUSHING;
      continue;
    }
    GST_BUFFER_PTS (*buffer) = position_of (resample, tick);
    GST_BUFFER_DURATION (*buffer) = duration;
    if (resample->discont)
      GST_BUFFER_FLAG_SET (*buffer, GST_BUFFER_FLAG_DISCONT);
    resample->discont = FALSE;
    resample->sent_buffer = TRUE;
    return GST_FLOW_OK;
  }
  if (resample->has_history)
    let_go (resample);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_robocache_resample_generate_output (GstBaseTransform *trans, GstBuffer **buffer)
{
  GstRobocacheResample *resample = (GstRobocacheResample *) trans;      /* unchecked, since this is once a row */

  if (resample->format.batch) {
    *buffer = g_steal_pointer (&resample->batch_out);
    return GST_FLOW_OK;
  }
  return next_row (resample, buffer);
}

static GstFlowReturn
push_ready_rows (GstRobocacheResample *resample)
{
  GstFlowReturn flow;
  GstBuffer *buffer;

  do {
    flow = next_row (resample, &buffer);
    if (buffer)
      flow = gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (resample), buffer);
  } while (buffer && flow == GST_FLOW_OK);
  return flow;
}

/* ---- events ---- */

static void
restart_history (GstRobocacheResample *resample, gboolean flushed)
{
  if (!resample->has_history)
    return;
  end_history (resample, flushed);
  begin_history (resample);
}

void
gst_robocache_resample_finish_history (GstRobocacheResample *resample)
{
  gst_robocache_resample_count_batches (resample, 0);
  if (!resample->has_history)
    return;
  robocache_history_eos (&resample->history);
  push_ready_rows (resample);
  restart_history (resample, FALSE);
  gst_robocache_resample_post_losses (resample);
}

/* Of what comes now nothing is known; stats tell of it. */
static void
restart_jump (GstRobocacheResample *resample)
{
  GST_OBJECT_LOCK (resample);
  robocache_clock_jump_restart (&resample->jump);
  GST_OBJECT_UNLOCK (resample);
}

static gboolean
take_segment (GstRobocacheResample *resample, const GstSegment *segment)
{
  if (!resample->format.batch && !check_segment (resample, segment))
    return FALSE;
  gst_robocache_resample_finish_history (resample);
  gst_robocache_resample_flush_losses (resample);
  resample->stream_failed = FALSE;
  robocache_row_times_set_segment (&resample->clock, segment);
  restart_jump (resample);
  look_whether_live (resample);
  return TRUE;
}

/* Whether the position is where a live sensor's next row would be dropped. */
static gboolean
is_wild (GstRobocacheResample *resample, GstClockTime position)
{
  const GstClockTime now = gst_robocache_resample_live_now (resample);
  const GstClockTime running = gst_segment_to_running_time (&resample->clock.segment, GST_FORMAT_TIME, position);

  return GST_CLOCK_TIME_IS_VALID (now) && GST_CLOCK_TIME_IS_VALID (running)
      && !robocache_clock_jump_fits (&resample->jump, (gint64) now, resample->run.reorder_window, (gint64) running);
}

/* No row comes before the gap's end. Where rows wait, the gap may decide ticks, and those to come are not decided;
 * otherwise there is no tick before its end, which downstream may know. */
static gboolean
take_gap (GstRobocacheResample *resample, GstEvent *event)
{
  const GstSegment *segment = &resample->clock.segment;
  GstClockTime start, duration, end, running;

  gst_event_parse_gap (event, &start, &duration);
  gst_event_unref (event);
  end = GST_CLOCK_TIME_IS_VALID (duration) ? start + duration : start;
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (segment->stop))
    end = MIN (end, segment->stop);
  if (segment->format != GST_FORMAT_TIME || !resample->has_history)
    return TRUE;
  running = gst_segment_to_running_time (segment, GST_FORMAT_TIME, end);
  if (!GST_CLOCK_TIME_IS_VALID (running) || is_wild (resample, start))
    return TRUE;
  GST_OBJECT_LOCK (resample);
  robocache_history_gap (&resample->history, rc_add_saturating ((gint64) running, resample->jump.shift));
  GST_OBJECT_UNLOCK (resample);
  push_ready_rows (resample);
  if (resample->ticking || robocache_history_has_rows (&resample->history) || !resample->sent_buffer || end <= start)
    return TRUE;
  return gst_pad_push_event (GST_BASE_TRANSFORM_SRC_PAD (resample), gst_event_new_gap (start, end - start));
}

static gboolean
take_caps (GstRobocacheResample *resample, GstEvent *event)
{
  GstCaps *caps;
  gboolean ok;

  gst_event_parse_caps (event, &caps);
  gst_caps_ref (caps);
  resample->tried_caps = FALSE;
  ok = GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (GST_BASE_TRANSFORM (resample), event);
  if (!ok)
    negotiation_failed (resample, caps);
  gst_caps_unref (caps);
  return ok;
}

static void
reset_stream (GstRobocacheResample *resample)
{
  resample->last_tick = -1;
  resample->sent_buffer = resample->stream_failed = FALSE;
  resample->discont = TRUE;
  gst_clear_buffer (&resample->batch_out);
  GST_OBJECT_LOCK (resample);
  robocache_statistics_timer_reset (&resample->stats_timer);
  GST_OBJECT_UNLOCK (resample);
}

static gboolean
gst_robocache_resample_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  const GstSegment *segment;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (!take_segment (resample, segment)) {
        gst_event_unref (event);
        return FALSE;
      }
      break;
    case GST_EVENT_CAPS:
      return take_caps (resample, event);
    case GST_EVENT_STREAM_START:
      gst_robocache_resample_finish_history (resample);
      break;
    case GST_EVENT_EOS:
      gst_robocache_resample_finish_history (resample);
      gst_robocache_resample_flush_losses (resample);
      robocache_statistics_post_last (GST_ELEMENT (resample));
      break;
    case GST_EVENT_GAP:
      if (resample->format.batch)
        break;
      return take_gap (resample, event);
    case GST_EVENT_FLUSH_STOP:
      restart_history (resample, TRUE);
      robocache_row_times_set_segment (&resample->clock, &resample->clock.segment);
      restart_jump (resample);
      reset_stream (resample);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* ---- states ---- */

static gboolean
gst_robocache_resample_start (GstBaseTransform *trans)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);

  robocache_row_times_init (&resample->clock);
  reset_stream (resample);
  resample->warned_no_time = FALSE;
  resample->refused = FALSE;
  resample->failed = FALSE;
  resample->announced_latency = 0;
  GST_OBJECT_LOCK (resample);
  robocache_clock_jump_init (&resample->jump);
  gst_robocache_resample_reset_stats (resample);
  GST_OBJECT_UNLOCK (resample);
  return robocache_device_open (&resample->device, GST_ELEMENT (resample));
}

static gboolean
gst_robocache_resample_stop (GstBaseTransform *trans)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);

  end_history (resample, TRUE);
  reset_stream (resample);
  gst_robocache_resample_count_batches (resample, 0);
  resample->format.batch = FALSE;
  gst_robocache_resample_close_engine (resample);
  robocache_device_close (&resample->device, GST_ELEMENT (resample));
  return TRUE;
}

/* ---- properties ---- */

/* Where properties that are a plain field lie. */
static const gsize fields[] = {
  [PROP_RATE] = G_STRUCT_OFFSET (GstRobocacheResample, settings.rate),
  [PROP_INTERPOLATION] = G_STRUCT_OFFSET (GstRobocacheResample, settings.interpolation),
  [PROP_MAX_GAP] = G_STRUCT_OFFSET (GstRobocacheResample, settings.max_gap),
  [PROP_GAP_POLICY] = G_STRUCT_OFFSET (GstRobocacheResample, settings.gap_policy),
  [PROP_REORDER_WINDOW] = G_STRUCT_OFFSET (GstRobocacheResample, settings.reorder_window),
  [PROP_TYPE] = G_STRUCT_OFFSET (GstRobocacheResample, settings.dtype),
  [PROP_QOS_MESSAGES] = G_STRUCT_OFFSET (GstRobocacheResample, qos_messages),
  [PROP_QOS_INTERVAL] = G_STRUCT_OFFSET (GstRobocacheResample, qos_interval),
  [PROP_STATS_INTERVAL] = G_STRUCT_OFFSET (GstRobocacheResample, stats_timer.interval),
};

static void
gst_robocache_resample_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (object);

  GST_OBJECT_LOCK (resample);
  if (prop_id >= PROP_DEVICE)
    robocache_device_set_property (&resample->device, prop_id - PROP_DEVICE, value);
  else if (prop_id >= PROP_ROLES)
    robocache_channel_roles_set_property (&resample->roles, prop_id - PROP_ROLES, value);
  else
    robocache_setting_set (G_STRUCT_MEMBER_P (resample, fields[prop_id]), value);
  if (prop_id == PROP_STATS_INTERVAL)
    robocache_statistics_timer_reset (&resample->stats_timer);
  GST_OBJECT_UNLOCK (resample);
}

static void
gst_robocache_resample_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (object);

  GST_OBJECT_LOCK (resample);
  if (prop_id >= PROP_DEVICE)
    robocache_device_get_property (&resample->device, prop_id - PROP_DEVICE, value);
  else if (prop_id >= PROP_ROLES)
    robocache_channel_roles_get_property (&resample->roles, prop_id - PROP_ROLES, value);
  else if (prop_id == PROP_STATS)
    g_value_take_boxed (value, gst_robocache_resample_make_stats (resample));
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (resample, fields[prop_id]), value);
  GST_OBJECT_UNLOCK (resample);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property (object_class, PROP_RATE, gst_param_spec_fraction ("rate", "Rate",
          "Ticks per second, on a grid anchored at running time 0 (0/1 = downstream's framerate, or else the input's)",
          0, 1, GST_ROBOCACHE_MAX_TICK_RATE, 1, 0, 1, ready));
  g_object_class_install_property (object_class, PROP_INTERPOLATION, g_param_spec_enum ("interpolation",
          "Interpolation", "How a tick's row is made of the rows around it", ROBOCACHE_TYPE_INTERPOLATION, RC_LINEAR,
          ready));
  g_object_class_install_property (object_class, PROP_MAX_GAP, g_param_spec_int64 ("max-gap", "Maximum gap",
          "Rows further apart than this are not interpolated between (ns, -1 = none)", -1, G_MAXINT64, -1, ready));
  g_object_class_install_property (object_class, PROP_GAP_POLICY, g_param_spec_enum ("gap-policy", "Gap policy",
          "What becomes of the ticks within a gap", TYPE_GAP_POLICY, GST_ROBOCACHE_GAP_DROP, ready));
  g_object_class_install_property (object_class, PROP_REORDER_WINDOW, g_param_spec_int64 ("reorder-window",
          "Reorder window", "How much older than the newest row a row may be when it arrives (ns)", 0, G_MAXINT64, 0,
          ready));
  g_object_class_install_property (object_class, PROP_TYPE, g_param_spec_enum ("type", "Type",
          "Element type of the output (auto = the input's for floats, float32 for integers)",
          ROBOCACHE_TYPE_DTYPE, ROBOCACHE_DTYPE_AUTO, ready));
  g_object_class_install_property (object_class, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
          "Rows and ticks, counted since the element was started", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (object_class, PROP_STATS_INTERVAL, g_param_spec_uint64 ("stats-interval",
          "Statistics interval", "Post stats as an element message this often (ns of running time, 0 = off)", 0,
          G_MAXUINT64, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (object_class, PROP_QOS_MESSAGES, g_param_spec_boolean ("qos-messages", "QoS messages",
          "Post QoS messages about rows that are late or dropped, and about dropped ticks",
          TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (object_class, PROP_QOS_INTERVAL, g_param_spec_uint64 ("qos-interval", "QoS interval",
          "Minimum time between QoS messages, each with the counts since the last (ns, 0 = one for each loss)", 0,
          G_MAXUINT64, DEFAULT_QOS_INTERVAL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  robocache_channel_roles_install_properties (object_class, PROP_ROLES);
  robocache_device_install_properties (object_class, PROP_DEVICE);
  robocache_device_install_batch_properties (object_class, PROP_DEVICE);
}

static void
gst_robocache_resample_finalize (GObject *object)
{
  robocache_channel_roles_clear (&GST_ROBOCACHE_RESAMPLE (object)->roles);
  robocache_device_finalize (&GST_ROBOCACHE_RESAMPLE (object)->device);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_resample_class_init (GstRobocacheResampleClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_robocache_resample_set_property;
  object_class->get_property = gst_robocache_resample_get_property;
  object_class->finalize = gst_robocache_resample_finalize;
  install_properties (object_class);

  robocache_add_pad_template (element_class, &sink_template, GST_TYPE_PAD);
  robocache_add_pad_template (element_class, &src_template, GST_TYPE_PAD);
  gst_element_class_set_static_metadata (element_class, "Robot sensor resampler", "Filter/Converter/Tensor",
      "Interpolates the rows of one sensor at the ticks of an exact grid", "The robocache authors");

  trans_class->transform_caps = gst_robocache_resample_transform_caps;
  trans_class->fixate_caps = gst_robocache_resample_fixate_caps;
  trans_class->set_caps = gst_robocache_resample_set_caps;
  trans_class->propose_allocation = gst_robocache_resample_propose_allocation;
  trans_class->query = gst_robocache_resample_query;
  trans_class->submit_input_buffer = gst_robocache_resample_submit_input_buffer;
  trans_class->generate_output = gst_robocache_resample_generate_output;
  trans_class->sink_event = gst_robocache_resample_sink_event;
  trans_class->start = gst_robocache_resample_start;
  trans_class->stop = gst_robocache_resample_stop;

  gst_type_mark_as_plugin_api (TYPE_GAP_POLICY, 0);
}

static void
gst_robocache_resample_init (GstRobocacheResample *resample)
{
  resample->settings.rate[1] = 1;
  resample->settings.interpolation = RC_LINEAR;
  resample->settings.max_gap = -1;
  resample->settings.gap_policy = GST_ROBOCACHE_GAP_DROP;
  resample->settings.dtype = ROBOCACHE_DTYPE_AUTO;
  resample->qos_messages = TRUE;
  resample->qos_interval = DEFAULT_QOS_INTERVAL;
  robocache_device_init (&resample->device);
  resample->last_pts = GST_CLOCK_TIME_NONE;
  robocache_row_times_init (&resample->clock);
  robocache_clock_jump_init (&resample->jump);
  reset_stream (resample);
  gst_base_transform_set_gap_aware (GST_BASE_TRANSFORM (resample), TRUE);
}

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

#include "common/element/errors.h"
#include "common/element/linkadvice.h"
#include "common/element/propertytypes.h"
#include "common/tensors/flexibleinput.h"
#include "common/time/segments.h"
#include "flow.h"
#include "negotiation.h"

GST_DEBUG_CATEGORY (gst_robocache_resample_debug);
#define GST_CAT_DEFAULT gst_robocache_resample_debug

struct _GstRobocacheResample
{
  GstBaseTransform parent;

  /* object lock */
  GstRobocacheResampleProperties properties;
  RobocacheDevice device;
  gboolean is_started;
  GstRobocacheResampleSettings settings;        /* as they were at the last start, with the current rate */
  RobocacheChannelRoles roles;  /* likewise */
  GstClockTime announced_latency;

  /* streaming thread; written under the object lock where stats and queries read it */
  GstRobocacheResampleFlow flow;

  RobocacheFlexibleInput flexible;

  /* streaming thread */
  gboolean tried_caps;          /* set_caps was called since last cleared */
  gboolean refused;             /* an error about caps or segment was posted, and nothing was right since */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_SRC_TEMPLATE_CAPS));

#define gst_robocache_resample_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheResample, gst_robocache_resample, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_robocache_resample_debug, "robocacheresample", 0, "one stream onto an exact grid"));
GST_ELEMENT_REGISTER_DEFINE (robocacheresample, "robocacheresample", GST_RANK_NONE, GST_TYPE_ROBOCACHE_RESAMPLE);

/* ---- caps ---- */

/* Posts an error about caps, a property that does not fit them, or a device that cannot serve them; once, since upstream
 * may send the same caps again. */
static void
refuse (GstRobocacheResample *resample, GError *error)
{
  /* what waited may have failed before these caps */
  if (!resample->refused && !resample->flow.stream_failed) {
    robocache_post_error (GST_ELEMENT (resample), error);
    resample->refused = TRUE;
  }
  g_error_free (error);
}

/* Live, good caps may follow. */
static void
refuse_caps (GstRobocacheResample *resample, GError *error)
{
  if (robocache_input_faults_await_caps (&resample->flow.faults, error))
    g_error_free (error);
  else
    refuse (resample, error);
}

static GstRobocacheResampleNegotiation
get_negotiation (GstBaseTransform *trans)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  GstRobocacheResampleNegotiation negotiation = { GST_ELEMENT (trans), GST_BASE_TRANSFORM_SRC_PAD (trans), &resample->device };

  GST_OBJECT_LOCK (resample);
  negotiation.settings = resample->is_started ? resample->settings : resample->properties.settings;
  GST_OBJECT_UNLOCK (resample);
  return negotiation;
}

static GstCaps *
resolve_caps (GstBaseTransform *trans, GstCaps *caps)
{
  return robocache_flexible_input_resolve (&GST_ROBOCACHE_RESAMPLE (trans)->flexible, caps);
}

static GstCaps *
transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  const GstRobocacheResampleNegotiation negotiation = get_negotiation (trans);
  GstCaps *ours = resolve_caps (trans, caps), *other = gst_robocache_resample_transform_caps (&negotiation, direction, ours, filter);

  gst_caps_unref (ours);
  return other;
}

static GstCaps *
fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  const GstRobocacheResampleNegotiation negotiation = get_negotiation (trans);
  GstCaps *ours = resolve_caps (trans, caps), *fixed = gst_robocache_resample_fixate_caps (&negotiation, direction, ours, other);

  gst_caps_unref (ours);
  return fixed;
}

static gboolean
accept_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps)
{
  return robocache_flexible_input_accept_caps (trans, GST_BASE_TRANSFORM_CLASS (parent_class), direction, caps);
}

static void
update_latency (GstRobocacheResample *resample)
{
  const GstClockTime latency = gst_robocache_resample_stream_latency (&resample->flow.stream);
  gboolean changed;

  GST_OBJECT_LOCK (resample);
  changed = latency != resample->announced_latency;
  resample->announced_latency = latency;
  GST_OBJECT_UNLOCK (resample);
  if (!changed)
    return;
  GST_INFO_OBJECT (resample, "latency %" GST_TIME_FORMAT, GST_TIME_ARGS (latency));
  gst_element_post_message (GST_ELEMENT (resample), gst_message_new_latency (GST_OBJECT (resample)));
}

static gboolean
set_format (GstRobocacheResample *resample, GstCaps *in_caps, GstCaps *out_caps, GError **error)
{
  const GstRobocacheResampleSettings settings = get_negotiation (GST_BASE_TRANSFORM (resample)).settings;
  const GstStructure *in = gst_caps_get_structure (in_caps, 0);
  GstRobocacheResampleFormat format;
  RobocacheChannelRoles roles = { 0 };
  gboolean ok;

  if (!gst_robocache_resample_format_from_caps (&format, &settings, in_caps, out_caps, error)) {
    gst_robocache_resample_flow_leave_format (&resample->flow);
    return FALSE;
  }
  GST_OBJECT_LOCK (resample);
  robocache_channel_roles_copy (&roles, &resample->roles);
  GST_OBJECT_UNLOCK (resample);
  robocache_channel_roles_set_channels (&roles, robocache_tensor_info_dim (&format.in.tensors[0], 0),
      gst_structure_get_string (in, "channels"), gst_structure_get_string (in, ROBOCACHE_KINDS_FIELD));
  ok = gst_robocache_resample_flow_set_format (&resample->flow, &format, &settings, &roles, error);
  robocache_channel_roles_clear (&roles);
  return ok;
}

static gboolean
set_caps (GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  GstCaps *ours = resolve_caps (trans, in_caps);
  GError *error = NULL;
  gboolean is_set;

  resample->tried_caps = TRUE;
  is_set = set_format (resample, ours, out_caps, &error);
  gst_caps_unref (ours);
  if (!is_set) {
    refuse_caps (resample, error);
    return FALSE;
  }
  resample->refused = FALSE;
  GST_INFO_OBJECT (resample, "%" GST_PTR_FORMAT " becomes %" GST_PTR_FORMAT " on the %s", in_caps, out_caps,
      gst_robocache_resample_engine_is_gpu (&resample->flow.engine) ? "GPU" : "CPU");
  update_latency (resample);
  return TRUE;
}

/* Caps that cannot be read match nothing either. */
static void
refuse_unmatched (GstRobocacheResample *resample, const GstCaps *in_caps)
{
  const GstRobocacheResampleNegotiation negotiation = get_negotiation (GST_BASE_TRANSFORM (resample));
  RobocacheTensorsInfo in;
  GError *error = NULL;

  if (robocache_tensors_info_from_caps (&in, in_caps, &error))
    refuse (resample, gst_robocache_resample_downstream_error (&negotiation, in_caps));
  else
    refuse_caps (resample, error);
}

/* After a negotiation. Where the base class finds no caps for both sides it only logs that. */
static void
end_negotiation (GstRobocacheResample *resample, gboolean ok, const GstCaps *in_caps)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (resample);
  GstAllocationParams params;
  GstAllocator *allocator;

  if (ok && resample->tried_caps) {
    gst_base_transform_get_allocator (trans, &allocator, &params);
    GST_INFO_OBJECT (resample, "rows are in memory of %" GST_PTR_FORMAT ", which downstream offers", allocator);
    gst_robocache_resample_offer_set (&resample->flow.offer, gst_base_transform_get_buffer_pool (trans), allocator, &params);
  }
  if (!ok && !resample->tried_caps && !GST_PAD_IS_FLUSHING (GST_BASE_TRANSFORM_SRC_PAD (trans))) {
    gst_robocache_resample_flow_leave_format (&resample->flow);
    refuse_unmatched (resample, in_caps);
  }
}

/* ---- allocation ---- */

/* Output in device memory is the element's own. Otherwise pools of downstream must provide the size of the output. */
static gboolean
decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  const GstRobocacheResampleFormat *format = &GST_ROBOCACHE_RESAMPLE (trans)->flow.engine.format;
  const guint bytes = (guint) MIN (format->out_bytes, (gsize) G_MAXUINT);

  for (guint i = gst_query_get_n_allocation_pools (query); i-- > 0;) {
    GstBufferPool *pool;
    guint size, min, max;

    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &min, &max);
    if (format->out_memory != ROBOCACHE_SYSTEM_MEMORY || pool == NULL || bytes == G_MAXUINT)
      gst_query_remove_nth_allocation_pool (query, i);
    else
      gst_query_set_nth_allocation_pool (query, i, pool, MAX (size, bytes), min, max);
    gst_clear_object (&pool);
  }
  for (guint i = gst_query_get_n_allocation_params (query); i-- > 0 && format->out_memory != ROBOCACHE_SYSTEM_MEMORY;)
    gst_query_remove_nth_allocation_param (query, i);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->decide_allocation (trans, query);
}

static gboolean
propose_allocation (GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  const GstRobocacheResampleFormat *format = &resample->flow.engine.format;

  robocache_device_propose (&resample->device, query, 0);
  /* single rows in system memory are copied to the history by the CPU */
  if (format->batch && !format->in_on_device)
    robocache_device_propose_pinned (&resample->device, GST_ELEMENT (resample), query);
  return TRUE;
}

/* ---- queries ---- */

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
  GST_DEBUG_OBJECT (resample, "answers latency %" GST_TIME_FORMAT ", of which %" GST_TIME_FORMAT " are its own, %s", GST_TIME_ARGS (min + own),
      GST_TIME_ARGS (own), live ? "live" : "not live");
  gst_query_set_latency (query, live, min + own, GST_CLOCK_TIME_IS_VALID (max) ? max + own : max);
  return TRUE;
}

static gboolean
query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  const GstRobocacheResampleStream *stream = &resample->flow.stream;

  if (direction == GST_PAD_SRC && GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return answer_latency (resample, query);
  /* rows in system memory are copies; those in device memory keep upstream's buffers until their tick */
  if (direction == GST_PAD_SINK && GST_QUERY_TYPE (query) == GST_QUERY_DRAIN)
    return !(stream->is_open && stream->rows_on_device && robocache_history_has_rows (&stream->history));
  return robocache_device_answer_context (&resample->device, GST_ELEMENT (resample), query)
      || robocache_flexible_input_query (&resample->flexible, trans, GST_BASE_TRANSFORM_CLASS (parent_class), direction, query);
}

/* ---- rows in ---- */

static gboolean
check_segment (GstRobocacheResample *resample, const GstSegment *segment)
{
  const gboolean is_there = segment->format != GST_FORMAT_UNDEFINED;
  GError *error = NULL;

  if (segment->format != GST_FORMAT_TIME && !resample->flow.engine.format.batch)
    error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s%s, but resampling needs times: " ROBOCACHE_ADVICE_ON_TIMES,
        is_there ? "a segment in " : "a buffer before its segment", is_there ? gst_format_get_name (segment->format) : "");
  else if (robocache_segment_check (segment, &error))
    return TRUE;
  refuse (resample, error);
  resample->flow.stream_failed = TRUE;
  return FALSE;
}

static void
refuse_missing_caps (GstRobocacheResample *resample)
{
  GError *error = robocache_error_without_caps (GST_BASE_TRANSFORM_SINK_PAD (resample));

  if (error)
    refuse (resample, error);
}

static GstFlowReturn
negotiate (GstRobocacheResample *resample)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (resample);
  GstCaps *in_caps, *ours;
  gboolean ok;

  if (resample->flow.failed)
    return GST_FLOW_ERROR;
  resample->tried_caps = FALSE;
  ok = gst_base_transform_reconfigure (trans);
  if (!ok || resample->tried_caps) {
    in_caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (trans));
    ours = resolve_caps (trans, in_caps);
    end_negotiation (resample, ok, ours);
    gst_caps_unref (ours);
    gst_caps_unref (in_caps);
  }
  if (!ok)
    return GST_PAD_IS_FLUSHING (GST_BASE_TRANSFORM_SRC_PAD (trans)) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  if (!resample->flow.engine.is_open) {
    refuse_missing_caps (resample);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  /* one that came was checked then */
  if (resample->flow.engine.format.batch || resample->flow.stream.clock.segment.format == GST_FORMAT_TIME)
    return GST_FLOW_OK;
  check_segment (resample, &resample->flow.stream.clock.segment);
  return GST_FLOW_ERROR;
}

/* A measured period varies: the latency follows when it is off by more than an eighth. */
static void
follow_measured_period (GstRobocacheResample *resample)
{
  GstClockTimeDiff off;

  if (!gst_robocache_resample_stream_measures_again (&resample->flow.stream))
    return;
  off = ABS (GST_CLOCK_DIFF (resample->announced_latency, gst_robocache_resample_stream_latency (&resample->flow.stream)));
  if (off > (GstClockTimeDiff) (resample->announced_latency / 8))
    update_latency (resample);
}

static GstFlowReturn
submit_input_buffer (GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  GError *error = NULL;
  GstFlowReturn ret = robocache_flexible_input_strip (&resample->flexible, &buffer, &error);

  if (error)
    ret = gst_robocache_resample_flow_refuse (&resample->flow, error);
  else if (robocache_input_faults_skip (&resample->flow.faults))
    ret = GST_BASE_TRANSFORM_FLOW_DROPPED;
  else if (ret == GST_FLOW_OK)
    ret = negotiate (resample);
  if (ret == GST_FLOW_OK)
    ret = gst_robocache_resample_flow_insert (&resample->flow, buffer);
  if (ret == GST_FLOW_OK)
    follow_measured_period (resample);
  else
    gst_robocache_resample_flow_count_refused (&resample->flow, ret);
  gst_buffer_unref (buffer);
  return ret;
}

static GstFlowReturn
generate_output (GstBaseTransform *trans, GstBuffer **buffer)
{
  /* unchecked, since this is once a row */
  return gst_robocache_resample_flow_next (&((GstRobocacheResample *) trans)->flow, buffer);
}

/* Never called, as generate_output makes the buffers. The base class asks downstream for memory only on behalf of classes with a
 * transform function; it takes others for elements that forward buffers. */
static GstFlowReturn
transform (GstBaseTransform *trans, GstBuffer *in, GstBuffer *out)
{
  g_return_val_if_reached (GST_FLOW_NOT_SUPPORTED);
}

/* ---- events ---- */

/* Whether upstream is live: otherwise a tick waits until no row can change it. */
static gboolean
is_upstream_live (GstRobocacheResample *resample)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (resample), query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  gst_query_unref (query);
  return live;
}

static gboolean
set_segment (GstRobocacheResample *resample, GstEvent *event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  if (!check_segment (resample, segment)) {
    gst_event_unref (event);
    return FALSE;
  }
  gst_robocache_resample_flow_set_segment (&resample->flow, segment, is_upstream_live (resample));
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (GST_BASE_TRANSFORM (resample), event);
}

/* A GAP may decide ticks that wait. Where no tick can be before its end, it is forwarded. */
static gboolean
handle_gap (GstRobocacheResample *resample, GstEvent *event)
{
  GstRobocacheResampleStream *stream = &resample->flow.stream;
  const GstSegment *segment = &stream->clock.segment;
  GstClockTime start, duration, end;

  GST_DEBUG_OBJECT (resample, "%" GST_PTR_FORMAT, event);
  gst_event_parse_gap (event, &start, &duration);
  gst_event_unref (event);
  end = GST_CLOCK_TIME_IS_VALID (duration) ? start + duration : start;
  if (segment->format != GST_FORMAT_TIME || !stream->is_open)
    return TRUE;
  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    end = MIN (end, segment->stop);
  if (!gst_robocache_resample_flow_gap (&resample->flow, start, end) || stream->is_ticking
      || robocache_history_has_rows (&stream->history) || !resample->flow.sent_buffer || end <= start)
    return TRUE;
  return gst_pad_push_event (GST_BASE_TRANSFORM_SRC_PAD (resample), gst_event_new_gap (start, end - start));
}

static gboolean
handle_caps (GstRobocacheResample *resample, GstEvent *event)
{
  GstCaps *caps;
  gboolean ok;

  gst_event_parse_caps (event, &caps);
  gst_caps_ref (caps);
  resample->tried_caps = FALSE;
  robocache_input_faults_begin_caps (&resample->flow.faults);
  ok = GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (GST_BASE_TRANSFORM (resample), event);
  end_negotiation (resample, ok, caps);
  gst_caps_unref (caps);
  return robocache_input_faults_end_caps (&resample->flow.faults, ok);
}

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);
  GError *error = NULL;

  GST_DEBUG_OBJECT (GST_BASE_TRANSFORM_SINK_PAD (trans), "%" GST_PTR_FORMAT, event);
  if (robocache_flexible_input_take_event (&resample->flexible, event, &error)) {
    if (error)
      refuse (resample, error);
    return error == NULL;
  }
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      return set_segment (resample, event);
    case GST_EVENT_CAPS:
      return handle_caps (resample, event);
    case GST_EVENT_STREAM_START:
      gst_robocache_resample_flow_drain (&resample->flow, FALSE);
      break;
    case GST_EVENT_SEGMENT_DONE:
      gst_robocache_resample_flow_drain (&resample->flow, TRUE);
      break;
    case GST_EVENT_EOS:
      gst_robocache_resample_flow_end (&resample->flow);
      robocache_statistics_post_last (GST_ELEMENT (resample));
      break;
    case GST_EVENT_GAP:
      if (resample->flow.engine.format.batch)
        break;
      return handle_gap (resample, event);
    case GST_EVENT_FLUSH_STOP:
      gst_robocache_resample_flow_flush (&resample->flow);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* ---- states ---- */

static gboolean
start (GstBaseTransform *trans)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);

  gst_robocache_resample_flow_start (&resample->flow);
  resample->refused = FALSE;
  GST_OBJECT_LOCK (resample);
  resample->settings = resample->properties.settings;
  robocache_channel_roles_copy (&resample->roles, &resample->properties.roles);
  resample->is_started = TRUE;
  resample->announced_latency = 0;
  GST_OBJECT_UNLOCK (resample);
  return robocache_device_open (&resample->device, GST_ELEMENT (resample));
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (trans);

  gst_robocache_resample_flow_stop (&resample->flow);
  robocache_flexible_input_clear (&resample->flexible);
  GST_OBJECT_LOCK (resample);
  resample->is_started = FALSE;
  GST_OBJECT_UNLOCK (resample);
  robocache_device_close (&resample->device, GST_ELEMENT (resample));
  return TRUE;
}

/* ---- properties ---- */

/* Settings hold from the start on, apart from the rate. */
static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (object);
  const gint *rate = resample->properties.settings.rate;
  GError *error = NULL;
  gboolean changes_rate;

  GST_OBJECT_LOCK (resample);
  gst_robocache_resample_properties_set (&resample->properties, &resample->device, id, value, resample->is_started, &error);
  changes_rate = resample->is_started && (rate[0] != resample->settings.rate[0] || rate[1] != resample->settings.rate[1]);
  memcpy (resample->settings.rate, rate, sizeof (resample->settings.rate));
  GST_OBJECT_UNLOCK (resample);
  if (changes_rate)
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (resample));
  if (error)
    GST_ELEMENT_WARNING (resample, LIBRARY, SETTINGS, ("%s; the property keeps its value", error->message), (NULL));
  else
    robocache_warn_of_late_setting (object, pspec);
  g_clear_error (&error);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (object);

  GST_OBJECT_LOCK (resample);
  if (id == GST_ROBOCACHE_RESAMPLE_PROP_STATS)
    g_value_take_boxed (value, gst_robocache_resample_flow_make_stats (&resample->flow));
  else
    gst_robocache_resample_properties_get (&resample->properties, &resample->device, id, value);
  GST_OBJECT_UNLOCK (resample);
}

/* ---- class ---- */

static void
finalize (GObject *object)
{
  GstRobocacheResample *resample = GST_ROBOCACHE_RESAMPLE (object);

  gst_robocache_resample_properties_clear (&resample->properties);
  robocache_channel_roles_clear (&resample->roles);
  robocache_device_finalize (&resample->device);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_resample_class_init (GstRobocacheResampleClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  gst_robocache_resample_properties_install (object_class);
  g_object_class_install_property (object_class, GST_ROBOCACHE_RESAMPLE_PROP_STATS, g_param_spec_boxed ("stats",
          "Statistics", "Rows and ticks since the element started", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  robocache_add_pad_template (element_class, &sink_template, GST_TYPE_PAD);
  robocache_add_pad_template (element_class, &src_template, GST_TYPE_PAD);
  gst_element_class_set_static_metadata (element_class, "Robot sensor resampler", "Filter/Converter/Tensor",
      "Interpolates the rows of one sensor at the ticks of an exact grid", "The robocache authors");

  trans_class->transform_caps = transform_caps;
  trans_class->fixate_caps = fixate_caps;
  trans_class->accept_caps = accept_caps;
  trans_class->set_caps = set_caps;
  trans_class->decide_allocation = decide_allocation;
  trans_class->propose_allocation = propose_allocation;
  trans_class->query = query;
  trans_class->submit_input_buffer = submit_input_buffer;
  trans_class->generate_output = generate_output;
  trans_class->transform = transform;
  trans_class->sink_event = sink_event;
  trans_class->start = start;
  trans_class->stop = stop;
}

static void
gst_robocache_resample_init (GstRobocacheResample *resample)
{
  gst_robocache_resample_properties_init (&resample->properties);
  robocache_device_init (&resample->device, GST_ELEMENT (resample), 0);  /* mostly of batches */
  gst_robocache_resample_flow_init (&resample->flow, GST_ELEMENT (resample), GST_BASE_TRANSFORM_SRC_PAD (resample),
      &resample->device, &resample->properties);
  gst_base_transform_set_gap_aware (GST_BASE_TRANSFORM (resample), TRUE);
  robocache_flexible_input_init (&resample->flexible, GST_BASE_TRANSFORM_SINK_PAD (resample));
}

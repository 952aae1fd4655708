/* robocache: bytes of a recording or a serial port to a stream of rows, and files of points to clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocacheparse
 * @title: robocacheparse
 *
 * Cuts bytes into records, CSV lines or binary ones, wherever the buffers fall, and sends each as a row of float32 that
 * is stamped with the time in the record. With `arrival-column` a recording is replayed live. Files of points (PCD, KITTI,
 * nuScenes) become one cloud a buffer.
 *
 * |[
 * gst-launch-1.0 filesrc location=joints.csv ! robocacheparse ! robocacheresample rate=100 ! fakesink
 * gst-launch-1.0 multifilesrc location=velodyne/%06d.bin caps="application/octet-stream,framerate=10/1" \
 *   ! robocacheparse format=kitti ! robocachevoxelize ! fakesink
 * gst-launch-1.0 filesrc location=imu.csv ! robocacheparse time-column=1 arrival-column=0 time-unit=ns ! fakesink
 * ]|
 */
#include "gstrobocacheparse.h"

#include "cloudparser.h"
#include "common/element/propertytypes.h"
#include "common/points/pointcloudcaps.h"
#include "common/time/segments.h"
#include "rowparser.h"
#include "seek.h"

#define GST_CAT_DEFAULT robocache_parse_debug

struct _GstRobocacheParse
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  RobocacheParseSettings properties;    /* object lock; copied at READY → PAUSED */
  RobocacheParseOutput output;

  /* READY → PAUSED on, one of the two */
  RobocacheRowParser *rows;
  RobocacheCloudParser *clouds;

  RobocacheSourceWait wait;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "
        "framerate=(fraction)0/1; " ROBOCACHE_POINTCLOUD_MEDIA_TYPE "; " ROBOCACHE_LIDAR_MEDIA_TYPE));

#define gst_robocache_parse_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheParse, gst_robocache_parse, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (robocache_parse_debug, "robocacheparse", 0, "bytes to rows and clouds"));
GST_ELEMENT_REGISTER_DEFINE (robocacheparse, "robocacheparse", GST_RANK_NONE, GST_TYPE_ROBOCACHE_PARSE);

/* ---- start ---- */

static gboolean
start (GstRobocacheParse *self)
{
  RobocacheParseSettings s;
  GError *fault = NULL;

  GST_OBJECT_LOCK (self);
  robocache_parse_settings_copy (&s, &self->properties);
  GST_OBJECT_UNLOCK (self);
  robocache_parse_output_start (&self->output, robocache_input_format_is_of_clouds (s.format), s.max_errors);
  if (self->output.is_of_clouds)
    self->clouds = robocache_cloud_parser_new (&s, &self->output, self->sinkpad, &fault);
  else
    self->rows = robocache_row_parser_new (&s, &self->output, self->sinkpad, &self->wait, &fault);
  robocache_parse_settings_clear (&s);
  robocache_source_wait_set_flushing (&self->wait, FALSE);
  if (!fault)
    return TRUE;
  GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", fault->message), (NULL));
  g_error_free (fault);
  return FALSE;
}

static void
stop (GstRobocacheParse *self)
{
  g_clear_pointer (&self->rows, robocache_row_parser_free);
  g_clear_pointer (&self->clouds, robocache_cloud_parser_free);
  robocache_parse_output_stop (&self->output);
}

/* ---- input ---- */

/* Media types that are no bytes of a recording, and where to link them. */
static const struct
{
  const gchar *media_type, *advice;
} no_recordings[] = {
  {"other/tensors", "rows need no parser: link them without robocacheparse"},
  {ROBOCACHE_POINTCLOUD_MEDIA_TYPE, "clouds need no parser: link them without robocacheparse"},
  {ROBOCACHE_LIDAR_MEDIA_TYPE, "clouds need no parser: link them without robocacheparse"},
  {"video/x-raw", "link frames of a camera to a camera pad of robocachefuse"},
  {"audio/x-raw", "link the bytes of a file or a device"},
};

static gboolean
check_caps_of_records (GstRobocacheParse *self, const GstCaps *caps)
{
  const gchar *media_type = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  for (guint i = 0; i < G_N_ELEMENTS (no_recordings); i++) {
    if (!g_str_equal (media_type, no_recordings[i].media_type))
      continue;
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, ("robocacheparse reads bytes of a recording, but its input is %s; %s", media_type,
            no_recordings[i].advice), (NULL));
    self->output.failed = TRUE;
    return FALSE;
  }
  return TRUE;
}

/* Other caps of records are of no matter. */
static gboolean
handle_caps (GstRobocacheParse *self, GstCaps *caps)
{
  if (!self->clouds)
    return self->output.failed || check_caps_of_records (self, caps);
  if (!self->output.failed)
    robocache_cloud_parser_drain (self->clouds);
  return robocache_cloud_parser_set_caps (self->clouds, caps);
}

static GstFlowReturn
gst_robocache_parse_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (parent);

  GST_LOG_OBJECT (pad, "%" GST_PTR_FORMAT, buffer);
  if (self->output.failed) {
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  return self->clouds ? robocache_cloud_parser_push (self->clouds, buffer) : robocache_row_parser_push (self->rows, buffer);
}

static void
drain (GstRobocacheParse *self)
{
  if (self->output.failed)
    return;
  if (self->clouds)
    robocache_cloud_parser_drain (self->clouds);
  else
    robocache_row_parser_drain (self->rows);
}

/* Between two parts of the input that do not follow each other. */
static void
restart (GstRobocacheParse *self)
{
  GST_DEBUG_OBJECT (self, "the input begins anew");
  if (self->clouds)
    robocache_cloud_parser_restart (self->clouds);
  else
    robocache_row_parser_restart (self->rows);
  robocache_parse_output_restart (&self->output);
}

/* ---- events ---- */

/* Times of files of points are upstream's when its segment is in TIME; those of a recording are in the recording. */
static gboolean
handle_segment (GstRobocacheParse *self, GstEvent *event)
{
  const GstSegment *segment;
  GError *fault = NULL;

  gst_event_parse_segment (event, &segment);
  if (self->output.failed)      /* upstream tries again with each buffer */
    return FALSE;
  if (!robocache_segment_check (segment, &fault)) {
    robocache_parse_output_refuse (&self->output, fault);
    g_error_free (fault);
    return FALSE;
  }
  drain (self);
  restart (self);
  robocache_parse_seek_answered (&self->output);
  if (self->clouds && segment->format == GST_FORMAT_TIME) {
    robocache_parse_output_set_segment (&self->output, segment, gst_event_get_seqnum (event));
    GST_OBJECT_LOCK (self);
    self->output.follows_upstream = TRUE;
    GST_OBJECT_UNLOCK (self);
  }
  return TRUE;
}

static void
handle_end (GstRobocacheParse *self)
{
  drain (self);
  robocache_parse_output_end (&self->output);
  robocache_parse_output_check_not_empty (&self->output);
  /* a header, or a layout, makes caps without a row */
  if (!self->output.failed && self->rows)
    robocache_row_parser_send_headers (self->rows);
}

/* TRUE: the event continues downstream. */
static gboolean
handle_eos (GstRobocacheParse *self)
{
  handle_end (self);
  robocache_statistics_post_last (GST_ELEMENT (self));
  return self->output.failed || !robocache_parse_seek_end_segment (&self->output);
}

/* Upstream's SEGMENT_DONE and GAP are of bytes, unless the times are upstream's. */
static gboolean
handle_segment_done (GstRobocacheParse *self, GstEvent *event)
{
  if (self->output.follows_upstream) {
    drain (self);
    return robocache_parse_output_send_event (&self->output, event);
  }
  gst_event_unref (event);
  handle_end (self);
  if (!self->output.failed)
    robocache_parse_seek_end_segment (&self->output);
  return TRUE;
}

static gboolean
gst_robocache_parse_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (parent);
  gboolean is_handled;
  GstCaps *caps;

  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      robocache_source_wait_set_flushing (&self->wait, TRUE);
      break;
    case GST_EVENT_FLUSH_STOP:
      restart (self);
      robocache_parse_output_flush (&self->output);
      robocache_source_wait_set_flushing (&self->wait, FALSE);
      break;
    case GST_EVENT_STREAM_START:
      break;
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      is_handled = handle_caps (self, caps);
      gst_event_unref (event);
      return is_handled;
    case GST_EVENT_SEGMENT:
      is_handled = handle_segment (self, event);
      gst_event_unref (event);
      return is_handled;
    case GST_EVENT_SEGMENT_DONE:
      return handle_segment_done (self, event);
    case GST_EVENT_EOS:
      if (handle_eos (self))
        break;
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_GAP:
      if (!self->output.follows_upstream) {
        gst_event_unref (event);
        return TRUE;
      }
      /* fall through */
    default:
      return robocache_parse_output_send_event (&self->output, event);
  }
  return gst_pad_push_event (self->srcpad, event);
}

static gboolean
gst_robocache_parse_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (parent);
  gboolean follows_upstream, is_done;

  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  GST_OBJECT_LOCK (self);
  follows_upstream = self->output.follows_upstream;
  GST_OBJECT_UNLOCK (self);
  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK || follows_upstream)
    return gst_pad_event_default (pad, parent, event);
  is_done = robocache_parse_seek (&self->output, self->sinkpad, event);
  gst_event_unref (event);
  return is_done;
}

static gboolean
gst_robocache_parse_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (parent);

  return robocache_parse_query (&self->output, self->sinkpad, query);
}

/* ---- life of the element ---- */

static GstStateChangeReturn
gst_robocache_parse_change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self)) {
    stop (self);
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    robocache_source_wait_set_playing (&self->wait, FALSE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    robocache_source_wait_set_flushing (&self->wait, TRUE);

  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (ret == GST_STATE_CHANGE_FAILURE) {
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
      stop (self);              /* no pad was activated that could reach the parser */
    return ret;
  }

  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    robocache_source_wait_set_playing (&self->wait, TRUE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    stop (self);
  /* a live replay sends nothing in PAUSED */
  if (self->output.is_live && GST_STATE_TRANSITION_NEXT (transition) == GST_STATE_PAUSED)
    return GST_STATE_CHANGE_NO_PREROLL;
  return ret;
}

static void
gst_robocache_parse_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (object);

  GST_OBJECT_LOCK (self);
  robocache_setting_set (robocache_parse_settings_field (&self->properties, id), value);
  self->output.stats_interval = self->properties.stats_interval;
  GST_OBJECT_UNLOCK (self);
  robocache_warn_of_late_setting (self, pspec);
}

static void
gst_robocache_parse_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (object);

  GST_OBJECT_LOCK (self);
  if (id == ROBOCACHE_PARSE_PROP_STATS)
    g_value_take_boxed (value, robocache_parse_statistics_to_structure (&self->output.statistics));
  else
    robocache_setting_get (robocache_parse_settings_field (&self->properties, id), value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_robocache_parse_finalize (GObject *object)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (object);

  stop (self);
  g_free (self->output.statistics.column_groups);
  robocache_parse_settings_clear (&self->properties);
  robocache_source_wait_clear (&self->wait);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_parse_class_init (GstRobocacheParseClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_robocache_parse_set_property;
  object_class->get_property = gst_robocache_parse_get_property;
  object_class->finalize = gst_robocache_parse_finalize;
  robocache_parse_properties_install (object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Sensor recording parser", "Codec/Parser/Sensor",
      "Cuts CSV or binary records into timestamped rows, replays recordings live, and reads files of points", "robocache");
  element_class->change_state = gst_robocache_parse_change_state;
}

static void
gst_robocache_parse_init (GstRobocacheParse *self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_robocache_parse_chain);
  gst_pad_set_event_function (self->sinkpad, gst_robocache_parse_sink_event);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, gst_robocache_parse_src_event);
  gst_pad_set_query_function (self->srcpad, gst_robocache_parse_src_query);
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);

  robocache_parse_settings_init (&self->properties);
  robocache_parse_output_init (&self->output, GST_ELEMENT (self), self->srcpad);
  robocache_source_wait_init (&self->wait);
}

/* robocache: streams to live topics of ROS 2
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocacherossink
 * @title: robocacherossink
 *
 * Publishes rows, samples, point clouds and pictures as live topics of ROS 2 through DDS, without an installation of ROS. Messages are those
 * that robocachemcapsink records.
 *
 * |[
 * gst-launch-1.0 robocachetestsrc kind=proprio is-live=true ! s.sink_0 robocacherossink name=s sink_0::topic=/joint_states
 * gst-launch-1.0 robocacherossrc topics=/joint_states ! robocachefuse rate=100 ! s.sink_0 robocacherossink name=s sink_0::topic=/samples
 * ]|
 */
#include "gstrobocacherossink.h"

#include "common/element/errors.h"
#include "common/element/propertytypes.h"
#include "common/rospads/networkproperties.h"
#include "stream.h"

GST_DEBUG_CATEGORY_STATIC (robocache_ros_sink_debug);
#define GST_CAT_DEFAULT robocache_ros_sink_debug

struct _GstRobocacheRosSink
{
  GstRobocacheSinkBin parent;

  RobocacheRosSinkSettings properties;  /* object lock; copied at start */
  RobocacheRosSinkSession *session;     /* from start to stop */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (ROBOCACHE_ENCODER_CAPS));

#define gst_robocache_ros_sink_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheRosSink, gst_robocache_ros_sink, GST_TYPE_ROBOCACHE_SINK_BIN,
    GST_DEBUG_CATEGORY_INIT (robocache_ros_sink_debug, "robocacherossink", 0, "streams to live topics of ROS 2"));
GST_ELEMENT_REGISTER_DEFINE (robocacherossink, "robocacherossink", GST_RANK_NONE, GST_TYPE_ROBOCACHE_ROS_SINK);

/* ---- streams ---- */

static void
start_stream (GstRobocacheSinkBin *bin, GstPad *pad, GstRobocacheStreamSink *stream)
{
  RobocacheRosPadSettings settings;

  gst_robocache_ros_sink_pad_get_settings (GST_ROBOCACHE_ROS_SINK_PAD (pad), &settings);
  gst_robocache_ros_stream_start (GST_ROBOCACHE_ROS_STREAM (stream), GST_ROBOCACHE_ROS_SINK (bin)->session, &settings);
}

static void
stop_stream (GstRobocacheSinkBin *bin, GstRobocacheStreamSink *stream)
{
  gst_robocache_ros_stream_stop (GST_ROBOCACHE_ROS_STREAM (stream));
}

/* ---- start and stop ---- */

static gboolean
start (GstRobocacheSinkBin *bin, gint64 *origin_ns)
{
  GstRobocacheRosSink *self = GST_ROBOCACHE_ROS_SINK (bin);
  RobocacheRosSinkSettings settings;
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  robocache_ros_sink_settings_copy (&settings, &self->properties);
  GST_OBJECT_UNLOCK (self);
  *origin_ns = settings.time_origin;
  self->session = robocache_ros_sink_session_new (&settings, &error);
  robocache_ros_sink_settings_clear (&settings);
  if (!self->session) {
    robocache_post_error_at (GST_ELEMENT (self), NULL, error, GST_CLOCK_TIME_NONE);
    g_error_free (error);
    return FALSE;
  }
  robocache_network_warn_of_open_topics (GST_ELEMENT (self));
  GST_INFO_OBJECT (self, "node %s in namespace %s, domain %u, discovery=%s", self->session->settings.node_name, self->session->settings.namespace,
      robocache_dds->participant_network (self->session->participant)->domain,
      robocache_dds_discovery_name (robocache_dds->participant_network (self->session->participant)->discovery));
  return TRUE;
}

static void
stop (GstRobocacheSinkBin *bin)
{
  g_clear_pointer (&GST_ROBOCACHE_ROS_SINK (bin)->session, robocache_ros_sink_session_free);
}

/* ---- properties ---- */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_setting_set (robocache_ros_sink_settings_field (&GST_ROBOCACHE_ROS_SINK (object)->properties, id), value);
  GST_OBJECT_UNLOCK (object);
  robocache_warn_of_late_setting (object, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheRosSink *self = GST_ROBOCACHE_ROS_SINK (object);

  if (id == ROBOCACHE_ROS_SINK_PROP_STATS) {
    g_value_take_boxed (value, gst_robocache_sink_bin_statistics (GST_ROBOCACHE_SINK_BIN (self), gst_robocache_ros_stream_statistics));
    return;
  }
  GST_OBJECT_LOCK (object);
  robocache_setting_get (robocache_ros_sink_settings_field (&self->properties, id), value);
  GST_OBJECT_UNLOCK (object);
}

/* ---- life ---- */

static void
finalize (GObject *object)
{
  GstRobocacheRosSink *self = GST_ROBOCACHE_ROS_SINK (object);

  robocache_ros_sink_settings_clear (&self->properties);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_ros_sink_class_init (GstRobocacheRosSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstRobocacheSinkBinClass *bin_class = GST_ROBOCACHE_SINK_BIN_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  robocache_ros_sink_properties_install (object_class);
  bin_class->stream_type = GST_TYPE_ROBOCACHE_ROS_STREAM;
  bin_class->start = start;
  bin_class->stop = stop;
  bin_class->start_stream = start_stream;
  bin_class->stop_stream = stop_stream;
  robocache_add_pad_template (element_class, &sink_template, GST_TYPE_ROBOCACHE_ROS_SINK_PAD);
  gst_element_class_set_static_metadata (element_class, "ROS 2 live sink", "Sink/Network",
      "Publishes rows, samples, point clouds and pictures as live topics of ROS 2", "robocache");
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_ROS_SINK_PAD, 0);
}

static void
gst_robocache_ros_sink_init (GstRobocacheRosSink *self)
{
  robocache_ros_sink_settings_init (&self->properties);
}

/* robocache: live topics of ROS 2 to streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocacherossrc
 * @title: robocacherossrc
 *
 * Reads live topics of ROS 2 through DDS, without an installation of ROS. Its topics become streams as those of robocachebagsrc.
 *
 * |[
 * gst-launch-1.0 robocacherossrc topics=/joint_states,/imu name=r \
 *   r.src_0 ! robocachefuse name=f rate=100 ! fakesink  r.src_1 ! f.
 * gst-launch-1.0 robocacherossrc discovery=subnet topics=/camera/image_raw ! videoconvert ! autovideosink
 * ]|
 */
#include "gstrobocacherossrc.h"

#include "common/element/elementtask.h"
#include "common/element/errors.h"
#include "common/element/propertytypes.h"
#include "common/rospads/networkproperties.h"
#include "common/element/fixedcapsquery.h"
#include "expected.h"
#include "run.h"

GST_DEBUG_CATEGORY_STATIC (robocache_ros_src_debug);
#define GST_CAT_DEFAULT robocache_ros_src_debug

struct _GstRobocacheRosSrc
{
  GstElement parent;

  RobocacheRosSrcSettings properties;   /* object lock; copied at start */
  RobocacheRosSession *session; /* from READY → PAUSED on; the object lock guards the pointer */
  GstStructure *last_stats;     /* object lock; statistics of the previous run */
  GstTask *task;                /* READY → PAUSED on */
  GRecMutex lock;               /* of the task */
  gint eos_seqnum;              /* atomic: of the EOS event that asks for the end */
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src_%u", GST_PAD_SRC, GST_PAD_SOMETIMES,
    GST_STATIC_CAPS (ROBOCACHE_ROS_SRC_CAPS));

#define gst_robocache_ros_src_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheRosSrc, gst_robocache_ros_src, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (robocache_ros_src_debug, "robocacherossrc", 0, "live topics of ROS 2 to streams"));
GST_ELEMENT_REGISTER_DEFINE (robocacherossrc, "robocacherossrc", GST_RANK_NONE, GST_TYPE_ROBOCACHE_ROS_SRC);

/* ---- the task ---- */

static void
end (GstRobocacheRosSrc *self, guint32 seqnum)
{
  GST_INFO_OBJECT (self, "the application asked for the end");
  gst_task_pause (self->task);
  robocache_ros_session_end (self->session, seqnum);
}

/* An error of downstream was posted there. */
static void
stop_by_flow (GstRobocacheRosSrc *self, GstFlowReturn ret)
{
  GST_DEBUG_OBJECT (self, "the thread pauses: %s", gst_flow_get_name (ret));
  gst_task_pause (self->task);
  if (ret == GST_FLOW_EOS || ret < GST_FLOW_EOS) {
    if (ret < GST_FLOW_EOS && ret != GST_FLOW_ERROR)
      GST_ELEMENT_FLOW_ERROR (self, ret);
    robocache_ros_session_end (self->session, gst_util_seqnum_next ());
  }
}

static void
loop (gpointer data)
{
  GstRobocacheRosSrc *self = data;
  const GstFlowReturn ret = robocache_ros_session_run (self->session);

  if (ret == GST_FLOW_CUSTOM_SUCCESS)
    end (self, (guint32) g_atomic_int_get (&self->eos_seqnum));
  else if (ret != GST_FLOW_OK)
    stop_by_flow (self, ret);
}

/* ---- start and stop ---- */

static gboolean
start (GstRobocacheRosSrc *self)
{
  RobocacheRosSrcSettings settings;
  RobocacheRosSession *session;
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  robocache_ros_src_settings_copy (&settings, &self->properties);
  GST_OBJECT_UNLOCK (self);
  session = robocache_ros_session_new (GST_ELEMENT (self), robocache_ros_src_debug, &settings, &error);
  if (session && !robocache_ros_expected_expose (session, &error))
    g_clear_pointer (&session, robocache_ros_session_free);
  if (!session) {
    robocache_post_error (GST_ELEMENT (self), error);
    g_error_free (error);
    return FALSE;
  }
  robocache_network_warn_of_open_topics (GST_ELEMENT (self));
  GST_OBJECT_LOCK (self);
  self->session = session;
  g_clear_pointer (&self->last_stats, gst_structure_free);
  GST_OBJECT_UNLOCK (self);
  self->task = robocache_element_task_new (GST_ELEMENT (self), &self->lock, loop, self);
  gst_task_start (self->task);
  return TRUE;
}

/* The pads are flushing, so the task comes to its end. */
static void
stop (GstRobocacheRosSrc *self)
{
  RobocacheRosSession *session;

  if (!self->task)
    return;
  GST_DEBUG_OBJECT (self, "stops");
  robocache_ros_inbox_stop (self->session->inbox);
  gst_task_stop (self->task);
  /* the task may have paused itself since */
  g_rec_mutex_lock (&self->lock);
  g_rec_mutex_unlock (&self->lock);
  gst_task_stop (self->task);
  gst_task_join (self->task);
  gst_clear_object (&self->task);
  GST_OBJECT_LOCK (self);
  session = g_steal_pointer (&self->session);
  self->last_stats = robocache_ros_session_statistics (session);
  GST_OBJECT_UNLOCK (self);
  robocache_ros_session_free (session);
}

static GstStateChangeReturn
gst_robocache_ros_src_change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheRosSrc *self = GST_ROBOCACHE_ROS_SRC (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    robocache_ros_session_pause (self->session);
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && ret == GST_STATE_CHANGE_FAILURE))
    stop (self);
  if (ret == GST_STATE_CHANGE_FAILURE)
    return ret;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    robocache_ros_session_play (self->session);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED || transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    return GST_STATE_CHANGE_NO_PREROLL;
  return ret;
}

/* ---- events and queries ---- */

/* A live source ends when the application asks. */
static gboolean
gst_robocache_ros_src_send_event (GstElement *element, GstEvent *event)
{
  GstRobocacheRosSrc *self = GST_ROBOCACHE_ROS_SRC (element);

  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return GST_ELEMENT_CLASS (parent_class)->send_event (element, event);
  g_atomic_int_set (&self->eos_seqnum, (gint) gst_event_get_seqnum (event));
  gst_event_unref (event);
  GST_OBJECT_LOCK (self);
  if (self->session)
    robocache_ros_inbox_end (self->session->inbox);
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static gboolean
gst_robocache_ros_src_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    gst_event_unref (event);
    return FALSE;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_robocache_ros_src_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRobocacheRosSrc *self = GST_ROBOCACHE_ROS_SRC (parent);
  GstClockTime latency;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return robocache_fixed_caps_query (pad, parent, query);
  GST_OBJECT_LOCK (self);
  latency = self->session ? self->session->settings.latency : self->properties.latency;
  GST_OBJECT_UNLOCK (self);
  gst_query_set_latency (query, TRUE, latency, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static void
pad_added (GstElement *element, GstPad *pad)
{
  gst_pad_set_event_function (pad, gst_robocache_ros_src_src_event);
  gst_pad_set_query_function (pad, gst_robocache_ros_src_src_query);
}

/* ---- properties ---- */

static void
gst_robocache_ros_src_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheRosSrc *self = GST_ROBOCACHE_ROS_SRC (object);

  GST_OBJECT_LOCK (self);
  robocache_setting_set (robocache_ros_src_settings_field (&self->properties, id), value);
  if (self->session)
    self->session->timer.interval = self->properties.stats_interval;
  GST_OBJECT_UNLOCK (self);
  robocache_warn_of_late_setting (self, pspec);
}

/* Empty before the first run. */
static GstStructure *
get_stats (const GstRobocacheRosSrc *self)
{
  if (self->session)
    return robocache_ros_session_statistics (self->session);
  return self->last_stats ? gst_structure_copy (self->last_stats) : gst_structure_new_empty ("robocacherossrc");
}

static void
gst_robocache_ros_src_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheRosSrc *self = GST_ROBOCACHE_ROS_SRC (object);

  GST_OBJECT_LOCK (self);
  if (id == ROBOCACHE_ROS_SRC_PROP_STATS)
    g_value_take_boxed (value, get_stats (self));
  else
    robocache_setting_get (robocache_ros_src_settings_field (&self->properties, id), value);
  GST_OBJECT_UNLOCK (self);
}

/* ---- life of the element ---- */

static void
gst_robocache_ros_src_finalize (GObject *object)
{
  GstRobocacheRosSrc *self = GST_ROBOCACHE_ROS_SRC (object);

  robocache_ros_src_settings_clear (&self->properties);
  g_clear_pointer (&self->last_stats, gst_structure_free);
  g_rec_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_ros_src_class_init (GstRobocacheRosSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_robocache_ros_src_set_property;
  object_class->get_property = gst_robocache_ros_src_get_property;
  object_class->finalize = gst_robocache_ros_src_finalize;
  robocache_ros_src_properties_install (object_class);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "ROS 2 live source", "Source/Sensor/Network",
      "Reads live topics of ROS 2 and decodes their messages into rows, clouds and frames", "robocache");
  element_class->change_state = gst_robocache_ros_src_change_state;
  element_class->send_event = gst_robocache_ros_src_send_event;
  element_class->pad_added = pad_added;
}

static void
gst_robocache_ros_src_init (GstRobocacheRosSrc *self)
{
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
  g_rec_mutex_init (&self->lock);
  robocache_ros_src_settings_init (&self->properties);
}

/* robocache: a bag of ROS to streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocachebagsrc
 * @title: robocachebagsrc
 *
 * Reads a bag of ROS 2, a folder with metadata.yaml and its files in MCAP or SQLite, or one of these files, or a bag of ROS 1, compressed by zstd
 * or not.
 * Its topics become streams as those of robocachemcapdemux.
 *
 * |[
 * gst-launch-1.0 robocachebagsrc location=run topics=/joint_states,/imu name=b \
 *   b.src_0 ! queue ! robocachefuse name=f rate=100 ! fakesink  b.src_1 ! queue ! f.
 * gst-launch-1.0 robocachebagsrc location=old.db3 msg-path=/opt/ws/src topics=/camera/image_raw ! videoconvert ! autovideosink
 * ]|
 */
#include "gstrobocachebagsrc.h"

#include "common/bags/openbag.h"
#include "common/element/elementtask.h"
#include "common/element/fixedcapsquery.h"
#include "player.h"

GST_DEBUG_CATEGORY_STATIC (robocache_bag_src_debug);
#define GST_CAT_DEFAULT robocache_bag_src_debug

struct _GstRobocacheBagSrc
{
  GstElement parent;

  RobocacheMcapPlayer player;   /* the properties, too */

  GstTask *task;                /* READY → PAUSED on */
  GRecMutex lock;               /* of the task */
  gboolean is_active;           /* lock: the task may be started */
  gint is_stopped;              /* atomic: what takes long is to end */
  gint eos_seqnum;              /* atomic: of an EOS event that asks for the end; 0: none came */
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src_%u", GST_PAD_SRC, GST_PAD_SOMETIMES,
    GST_STATIC_CAPS (ROBOCACHE_ROS_SRC_CAPS));

#define gst_robocache_bag_src_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheBagSrc, gst_robocache_bag_src, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (robocache_bag_src_debug, "robocachebagsrc", 0, "bags of ROS to streams"));
GST_ELEMENT_REGISTER_DEFINE (robocachebagsrc, "robocachebagsrc", GST_RANK_NONE, GST_TYPE_ROBOCACHE_BAG_SRC);

/* ---- the recording ---- */

static RobocacheBag *
open_bag (gpointer user_data, GError **error)
{
  GstRobocacheBagSrc *self = user_data;
  const RobocacheMcapDemuxSettings *settings = &self->player.session->settings;
  const RobocacheBagPlace place = { settings->location, settings->msg_path, settings->max_message_bytes, &self->is_stopped };

  GST_INFO_OBJECT (self, "opens %s, definitions of messages %s", GST_STR_NULL (settings->location), settings->msg_path ? settings->msg_path
      : "are those of the bag");
  return robocache_bag_open (&place, error);
}

static GstFlowReturn
reason (gpointer self)
{
  return g_atomic_int_get (&GST_ROBOCACHE_BAG_SRC (self)->is_stopped) ? GST_FLOW_FLUSHING : GST_FLOW_ERROR;
}

/* ---- the task ---- */

/* The application asked for the end. */
static void
end (GstRobocacheBagSrc *self, guint32 seqnum)
{
  GST_DEBUG_OBJECT (self, "the application asked for the end%s", self->player.has_ended ? ", which was sent before" : "");
  gst_task_pause (self->task);
  if (!self->player.has_ended)
    robocache_mcap_player_finish (&self->player, seqnum);
}

static void
loop (gpointer data)
{
  GstRobocacheBagSrc *self = data;
  const guint32 seqnum = (guint32) g_atomic_int_get (&self->eos_seqnum);

  if (seqnum != 0 && g_atomic_int_compare_and_exchange (&self->eos_seqnum, (gint) seqnum, 0))
    end (self, seqnum);
  else
    robocache_mcap_player_run (&self->player);
}

static void
start_task (gpointer self)
{
  gst_task_start (GST_ROBOCACHE_BAG_SRC (self)->task);
}

static void
pause_task (gpointer self)
{
  gst_task_pause (GST_ROBOCACHE_BAG_SRC (self)->task);
}

static gboolean
is_active (gpointer self)
{
  return GST_ROBOCACHE_BAG_SRC (self)->is_active;
}

/* ---- start and stop ---- */

static void
start (GstRobocacheBagSrc *self)
{
  const RobocacheMcapOpener opener = { open_bag, reason, self };

  g_atomic_int_set (&self->is_stopped, FALSE);
  g_atomic_int_set (&self->eos_seqnum, 0);
  robocache_mcap_player_start (&self->player);
  robocache_mcap_player_open (&self->player, &opener);
  self->task = robocache_element_task_new (GST_ELEMENT (self), &self->lock, loop, self);
  g_rec_mutex_lock (&self->lock);
  self->is_active = TRUE;
  g_rec_mutex_unlock (&self->lock);
  gst_task_start (self->task);
}

/* The pads are flushing, so the task comes to its end. */
static void
stop (GstRobocacheBagSrc *self)
{
  if (!self->task)
    return;
  GST_DEBUG_OBJECT (self, "stops");
  robocache_mcap_player_close (&self->player);
  gst_task_stop (self->task);
  /* a seek may be in progress; from here on it does not start a task */
  g_rec_mutex_lock (&self->lock);
  self->is_active = FALSE;
  g_rec_mutex_unlock (&self->lock);
  gst_task_stop (self->task);
  gst_task_join (self->task);
  gst_clear_object (&self->task);
  robocache_mcap_player_stop (&self->player);
}

static GstStateChangeReturn
gst_robocache_bag_src_change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheBagSrc *self = GST_ROBOCACHE_BAG_SRC (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    g_atomic_int_set (&self->is_stopped, TRUE);
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && ret != GST_STATE_CHANGE_FAILURE)
    start (self);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    stop (self);
  return ret;
}

/* ---- events and queries ---- */

/* EOS of the application, which a source turns into that of its streams. */
static gboolean
gst_robocache_bag_src_send_event (GstElement *element, GstEvent *event)
{
  GstRobocacheBagSrc *self = GST_ROBOCACHE_BAG_SRC (element);

  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return GST_ELEMENT_CLASS (parent_class)->send_event (element, event);
  g_atomic_int_set (&self->eos_seqnum, (gint) gst_event_get_seqnum (event));
  gst_event_unref (event);
  return TRUE;
}

static gboolean
gst_robocache_bag_src_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    return robocache_mcap_player_seek (&GST_ROBOCACHE_BAG_SRC (parent)->player, event);
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_robocache_bag_src_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  gboolean is_known, is_answered;

  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
    return TRUE;
  }
  is_answered = robocache_mcap_player_query (&GST_ROBOCACHE_BAG_SRC (parent)->player, query, &is_known);
  return is_known ? is_answered : robocache_fixed_caps_query (pad, parent, query);
}

static void
pad_added (GstElement *element, GstPad *pad)
{
  gst_pad_set_event_function (pad, gst_robocache_bag_src_src_event);
  gst_pad_set_query_function (pad, gst_robocache_bag_src_src_query);
}

/* ---- properties ---- */

static void
gst_robocache_bag_src_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  robocache_mcap_player_set_property (&GST_ROBOCACHE_BAG_SRC (object)->player, id, value, pspec);
}

static void
gst_robocache_bag_src_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  robocache_mcap_player_get_property (&GST_ROBOCACHE_BAG_SRC (object)->player, id, value);
}

/* ---- life of the element ---- */

static void
gst_robocache_bag_src_finalize (GObject *object)
{
  GstRobocacheBagSrc *self = GST_ROBOCACHE_BAG_SRC (object);

  robocache_mcap_player_clear (&self->player);
  g_rec_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_bag_src_class_init (GstRobocacheBagSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_robocache_bag_src_set_property;
  object_class->get_property = gst_robocache_bag_src_get_property;
  object_class->finalize = gst_robocache_bag_src_finalize;
  robocache_bag_src_properties_install (object_class);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "ROS bag source", "Source/Sensor/File",
      "Reads a bag of ROS 2 or ROS 1 and decodes its messages into rows, clouds and frames", "robocache");
  element_class->change_state = gst_robocache_bag_src_change_state;
  element_class->send_event = gst_robocache_bag_src_send_event;
  element_class->pad_added = pad_added;
}

static void
gst_robocache_bag_src_init (GstRobocacheBagSrc *self)
{
  const RobocacheMcapThread thread = { &self->lock, start_task, pause_task, is_active, NULL };

  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
  g_rec_mutex_init (&self->lock);
  robocache_mcap_player_init (&self->player, GST_ELEMENT (self), robocache_bag_src_debug, &thread);
}

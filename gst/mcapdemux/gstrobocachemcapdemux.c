/* robocache: an MCAP recording to streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocachemcapdemux
 * @title: robocachemcapdemux
 *
 * Decodes the messages of an MCAP file, of ROS 2, ROS 1 or Foxglove, each topic to a stream or several: rows of joints, IMU and poses, clouds, pictures and
 * video, and the numbers of any other message. Buffers are stamped with the time of capture.
 *
 * |[
 * gst-launch-1.0 filesrc location=run.mcap ! robocachemcapdemux topics=/joint_states,/imu name=d \
 *   d.src_0 ! queue ! robocachefuse name=f rate=100 ! fakesink  d.src_1 ! queue ! f.
 * gst-launch-1.0 filesrc location=run.mcap ! robocachemcapdemux topics=/camera/image_raw ! videoconvert ! autovideosink
 * ]|
 */
#include "gstrobocachemcapdemux.h"

#include <string.h>

#include "common/element/fixedcapsquery.h"
#include "padsource.h"
#include "player.h"
#include "pushinput.h"

GST_DEBUG_CATEGORY (robocache_mcap_demux_debug);
#define GST_CAT_DEFAULT robocache_mcap_demux_debug

struct _GstRobocacheMcapDemux
{
  GstElement parent;
  GstPad *sinkpad;

  RobocacheMcapPlayer player;   /* the properties, too */
  /* Of the inputs there is one, by the mode of the sink pad */
  RobocacheMcapPadSource source;
  RobocacheMcapPushInput *push;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-mcap"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src_%u", GST_PAD_SRC, GST_PAD_SOMETIMES,
    GST_STATIC_CAPS (ROBOCACHE_ROS_SRC_CAPS));

#define gst_robocache_mcap_demux_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheMcapDemux, gst_robocache_mcap_demux, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (robocache_mcap_demux_debug, "robocachemcapdemux", 0, "MCAP recordings to streams"));
GST_ELEMENT_REGISTER_DEFINE (robocachemcapdemux, "robocachemcapdemux", GST_RANK_PRIMARY, GST_TYPE_ROBOCACHE_MCAP_DEMUX);

/* ---- types ---- */

static void
find_type (GstTypeFind *find, gpointer data)
{
  const guint8 *magic = gst_type_find_peek (find, 0, ROBOCACHE_MCAP_MAGIC_SIZE);

  if (magic && memcmp (magic, ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE) == 0)
    gst_type_find_suggest_empty_simple (find, GST_TYPE_FIND_MAXIMUM, "application/x-mcap");
}

gboolean
gst_robocache_mcap_register_types (GstPlugin *plugin)
{
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-mcap");
  const gboolean registered = gst_type_find_register (plugin, "application/x-mcap", GST_RANK_PRIMARY, find_type, "mcap", caps, NULL, NULL);

  gst_caps_unref (caps);
  return registered;
}

/* ---- stop ---- */

static void
stop (GstRobocacheMcapDemux *self)
{
  GST_PAD_STREAM_LOCK (self->sinkpad);
  g_clear_pointer (&self->push, robocache_mcap_push_input_free);
  GST_PAD_STREAM_UNLOCK (self->sinkpad);
  robocache_mcap_player_stop (&self->player);
}

/* ---- random access ---- */

/* The task of the sink pad, which runs once a message. */
static void
loop (gpointer data)
{
  GstRobocacheMcapDemux *self = data;

  robocache_mcap_player_run (&self->player);
}

static void
start_task (gpointer self)
{
  gst_pad_start_task (GST_ROBOCACHE_MCAP_DEMUX (self)->sinkpad, loop, self, NULL);
}

static void
pause_task (gpointer self)
{
  gst_pad_pause_task (GST_ROBOCACHE_MCAP_DEMUX (self)->sinkpad);
}

static gboolean
is_in_pull_mode (gpointer self)
{
  return GST_PAD_MODE (GST_ROBOCACHE_MCAP_DEMUX (self)->sinkpad) == GST_PAD_MODE_PULL;
}

static void
flush_upstream (gpointer self, GstEvent *event)
{
  gst_pad_push_event (GST_ROBOCACHE_MCAP_DEMUX (self)->sinkpad, event);
}

static gboolean
gst_robocache_mcap_demux_activate (GstPad *pad, GstObject *parent)
{
  GstQuery *query = gst_query_new_scheduling ();
  gboolean has_pull_mode;

  has_pull_mode = gst_pad_peer_query (pad, query)
      && gst_query_has_scheduling_mode_with_flags (query, GST_PAD_MODE_PULL, GST_SCHEDULING_FLAG_SEEKABLE);
  gst_query_unref (query);
  GST_INFO_OBJECT (pad, "%s", has_pull_mode ? "upstream gives random access" : "upstream gives no random access: seeks are refused, and the "
      "duration is unknown");
  return gst_pad_activate_mode (pad, has_pull_mode ? GST_PAD_MODE_PULL : GST_PAD_MODE_PUSH, TRUE);
}

static gboolean
activate_pull (GstRobocacheMcapDemux *self, gboolean active)
{
  RobocacheMcapOpener opener;

  if (!active) {
    robocache_mcap_player_close (&self->player);
    return gst_pad_stop_task (self->sinkpad);
  }
  opener = robocache_mcap_pad_source_init (&self->source, self->sinkpad, self->player.session->settings.max_message_bytes);
  robocache_mcap_player_open (&self->player, &opener);
  return gst_pad_start_task (self->sinkpad, loop, self, NULL);
}

static gboolean
gst_robocache_mcap_demux_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (parent);

  if (mode == GST_PAD_MODE_PULL)
    return activate_pull (self, active);
  if (active)
    self->push = robocache_mcap_push_input_new (self->player.session);
  return TRUE;
}

/* ---- buffers ---- */

/* Who returns EOS has sent it: upstream may send none. */
static GstFlowReturn
gst_robocache_mcap_demux_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (parent);
  GstFlowReturn ret = self->player.has_ended ? GST_FLOW_EOS : robocache_mcap_push_input_push (self->push, buffer);

  GST_LOG_OBJECT (pad, "%s after %" GST_PTR_FORMAT, gst_flow_get_name (ret), buffer);
  gst_buffer_unref (buffer);
  if (ret == GST_FLOW_EOS && !self->player.has_ended && !robocache_mcap_player_finish (&self->player, 0))
    ret = GST_FLOW_ERROR;
  return ret;
}

/* Between two parts of the input that do not follow each other. */
static void
restart (GstRobocacheMcapDemux *self, guint32 seqnum)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  self->player.has_ended = FALSE;
  robocache_mcap_push_input_restart (self->push);
  robocache_mcap_session_restart (self->player.session, &segment, seqnum, TRUE);
}

static gboolean
end_of_input (GstRobocacheMcapDemux *self, guint32 seqnum)
{
  if (self->player.has_ended)
    return TRUE;
  if (self->push)
    robocache_mcap_push_input_end (self->push);
  return robocache_mcap_player_finish (&self->player, seqnum);
}

/* The segment of upstream is of bytes, and EOS where nothing could be read is an error. */
static gboolean
gst_robocache_mcap_demux_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (parent);
  const guint32 seqnum = gst_event_get_seqnum (event);

  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      robocache_mcap_session_set_seqnum (self->player.session, seqnum);
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_STREAM_START:
      robocache_mcap_session_follow (self->player.session, event);
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_CAPS:
    case GST_EVENT_GAP:
    case GST_EVENT_TAG:
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_EOS:
      gst_event_unref (event);
      return end_of_input (self, seqnum);
    case GST_EVENT_FLUSH_STOP:
      restart (self, seqnum);
      return gst_pad_event_default (pad, parent, event);
    default:
      return gst_pad_event_default (pad, parent, event);
  }
}

/* ---- seeks and queries ---- */

static gboolean
gst_robocache_mcap_demux_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    return robocache_mcap_player_seek (&GST_ROBOCACHE_MCAP_DEMUX (parent)->player, event);
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_robocache_mcap_demux_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  gboolean is_known;
  const gboolean is_answered = robocache_mcap_player_query (&GST_ROBOCACHE_MCAP_DEMUX (parent)->player, query, &is_known);

  return is_known ? is_answered : robocache_fixed_caps_query (pad, parent, query);
}

/* ---- life of the element ---- */

static void
pad_added (GstElement *element, GstPad *pad)
{
  if (GST_PAD_IS_SRC (pad)) {
    gst_pad_set_event_function (pad, gst_robocache_mcap_demux_src_event);
    gst_pad_set_query_function (pad, gst_robocache_mcap_demux_src_query);
  }
}

static GstStateChangeReturn
gst_robocache_mcap_demux_change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    robocache_mcap_player_start (&self->player);
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && ret == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return ret;
}

static void
gst_robocache_mcap_demux_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  robocache_mcap_player_set_property (&GST_ROBOCACHE_MCAP_DEMUX (object)->player, id, value, pspec);
}

static void
gst_robocache_mcap_demux_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  robocache_mcap_player_get_property (&GST_ROBOCACHE_MCAP_DEMUX (object)->player, id, value);
}

static void
gst_robocache_mcap_demux_finalize (GObject *object)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (object);

  robocache_mcap_player_clear (&self->player);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_mcap_demux_class_init (GstRobocacheMcapDemuxClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_robocache_mcap_demux_set_property;
  object_class->get_property = gst_robocache_mcap_demux_get_property;
  object_class->finalize = gst_robocache_mcap_demux_finalize;
  robocache_mcap_demux_properties_install (object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "MCAP demuxer", "Codec/Demuxer/Sensor",
      "Decodes ROS 2 messages of an MCAP recording into rows, clouds and frames", "robocache");
  element_class->change_state = gst_robocache_mcap_demux_change_state;
  element_class->pad_added = pad_added;
}

static void
gst_robocache_mcap_demux_init (GstRobocacheMcapDemux *self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_activate_function (self->sinkpad, gst_robocache_mcap_demux_activate);
  gst_pad_set_activatemode_function (self->sinkpad, gst_robocache_mcap_demux_activate_mode);
  gst_pad_set_chain_function (self->sinkpad, gst_robocache_mcap_demux_chain);
  gst_pad_set_event_function (self->sinkpad, gst_robocache_mcap_demux_sink_event);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  robocache_mcap_player_init (&self->player, GST_ELEMENT (self), robocache_mcap_demux_debug, &(RobocacheMcapThread) {
      GST_PAD_GET_STREAM_LOCK (self->sinkpad), start_task, pause_task, is_in_pull_mode, flush_upstream});
}

/* robocache: an MCAP recording of ROS 2 messages to streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocachemcapdemux
 * @title: robocachemcapdemux
 *
 * Decodes the ROS 2 messages of an MCAP file, each topic to a stream or several: rows of joints, IMU and poses, clouds, pictures and
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

#include "common/element/propertytypes.h"
#include "common/points/pointcloudcaps.h"
#include "common/tensors/tensorcaps.h"
#include "pullinput.h"
#include "pushinput.h"
#include "queries.h"

GST_DEBUG_CATEGORY_EXTERN (robocache_mcap_demux_debug);
#define GST_CAT_DEFAULT robocache_mcap_demux_debug

struct _GstRobocacheMcapDemux
{
  GstElement parent;
  GstPad *sinkpad;

  RobocacheMcapDemuxSettings properties;        /* object lock; copied at READY → PAUSED */
  GstStructure *last_stats;     /* object lock; of the run before, once it is over */

  /* READY → PAUSED on; the pointer is under the object lock. Of the inputs there is one, by the mode of the sink pad */
  RobocacheMcapSession *session;
  gboolean is_seekable;         /* object lock */
  RobocacheMcapPullInput *pull;
  RobocacheMcapPushInput *push;
  gboolean has_ended;           /* streaming thread: EOS was sent */
};

#define SRC_CAPS ROBOCACHE_TENSORS_MEDIA_TYPE "; " ROBOCACHE_POINTCLOUD_MEDIA_TYPE "; video/x-raw; video/x-bayer; " \
    "video/x-h264, stream-format=(string)byte-stream, alignment=(string)au; " \
    "video/x-h265, stream-format=(string)byte-stream, alignment=(string)au; video/x-vp9; video/x-av1; image/jpeg; image/png"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-mcap"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src_%u", GST_PAD_SRC, GST_PAD_SOMETIMES,
    GST_STATIC_CAPS (SRC_CAPS));

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
  robocache_mcap_tags_register ();
  return registered;
}

/* ---- start ---- */

static void
start (GstRobocacheMcapDemux *self)
{
  RobocacheMcapDemuxSettings settings;
  RobocacheMcapSession *session;

  GST_OBJECT_LOCK (self);
  robocache_mcap_demux_settings_copy (&settings, &self->properties);
  GST_OBJECT_UNLOCK (self);
  self->has_ended = FALSE;
  session = robocache_mcap_session_new (GST_ELEMENT (self), gst_element_get_pad_template (GST_ELEMENT (self), "src_%u"), &settings);
  GST_OBJECT_LOCK (self);
  self->session = session;
  g_clear_pointer (&self->last_stats, gst_structure_free);
  GST_OBJECT_UNLOCK (self);
}

static void
stop (GstRobocacheMcapDemux *self)
{
  RobocacheMcapSession *session;

  /* a seek may be on its way */
  GST_PAD_STREAM_LOCK (self->sinkpad);
  GST_OBJECT_LOCK (self);
  session = g_steal_pointer (&self->session);
  if (session)
    self->last_stats = robocache_mcap_session_statistics (session);
  GST_OBJECT_UNLOCK (self);
  g_clear_pointer (&self->pull, robocache_mcap_pull_input_free);
  g_clear_pointer (&self->push, robocache_mcap_push_input_free);
  if (session)
    robocache_mcap_session_free (session);
  GST_PAD_STREAM_UNLOCK (self->sinkpad);
}

/* ---- end ---- */

static void
send_segment_done (GstRobocacheMcapDemux *self)
{
  RobocacheMcapSession *session = self->session;
  GstMessage *message;
  GstEvent *event;
  gint64 position;

  GST_OBJECT_LOCK (self);
  /* where the next segment continues when its seek does not flush */
  if (GST_CLOCK_TIME_IS_VALID (session->segment.stop))
    session->segment.position = session->segment.stop;
  position = (gint64) session->segment.position;
  GST_OBJECT_UNLOCK (self);
  message = gst_message_new_segment_done (GST_OBJECT (self), GST_FORMAT_TIME, position);
  event = gst_event_new_segment_done (GST_FORMAT_TIME, position);
  gst_message_set_seqnum (message, session->segment_seqnum);
  gst_event_set_seqnum (event, session->segment_seqnum);
  gst_element_post_message (GST_ELEMENT (self), message);
  robocache_mcap_session_send (session, event);
}

/* FALSE: an error was posted. */
static gboolean
finish (GstRobocacheMcapDemux *self)
{
  GstEvent *event;

  self->has_ended = TRUE;
  if (!robocache_mcap_session_check_end (self->session))
    return FALSE;
  robocache_mcap_session_no_more_pads (self->session);
  robocache_statistics_post_last (GST_ELEMENT (self));
  if (self->session->segment.flags & GST_SEGMENT_FLAG_SEGMENT) {
    send_segment_done (self);
    return TRUE;
  }
  event = gst_event_new_eos ();
  gst_event_set_seqnum (event, self->session->segment_seqnum);
  robocache_mcap_session_send (self->session, event);
  return TRUE;
}

/* ---- random access ---- */

/* The task of the sink pad. */
static void
loop (gpointer data)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (data);
  const GstFlowReturn ret = robocache_mcap_pull_input_run (self->pull);

  if (ret == GST_FLOW_OK)
    return;
  GST_DEBUG_OBJECT (self, "pausing: %s", gst_flow_get_name (ret));
  gst_pad_pause_task (self->sinkpad);
  if (ret == GST_FLOW_EOS)
    finish (self);
  else if (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS) {
    /* one that was posted where it happened is GST_FLOW_ERROR, as is one of downstream */
    if (ret != GST_FLOW_ERROR)
      GST_ELEMENT_FLOW_ERROR (self, ret);
    robocache_mcap_session_send (self->session, gst_event_new_eos ());
  }
}

static gboolean
gst_robocache_mcap_demux_activate (GstPad *pad, GstObject *parent)
{
  GstQuery *query = gst_query_new_scheduling ();
  gboolean has_pull_mode;

  has_pull_mode = gst_pad_peer_query (pad, query)
      && gst_query_has_scheduling_mode_with_flags (query, GST_PAD_MODE_PULL, GST_SCHEDULING_FLAG_SEEKABLE);
  gst_query_unref (query);
  return gst_pad_activate_mode (pad, has_pull_mode ? GST_PAD_MODE_PULL : GST_PAD_MODE_PUSH, TRUE);
}

static gboolean
activate_pull (GstRobocacheMcapDemux *self, gboolean active)
{
  GST_OBJECT_LOCK (self);
  self->is_seekable = active;
  GST_OBJECT_UNLOCK (self);
  if (!active)
    return gst_pad_stop_task (self->sinkpad);
  self->pull = robocache_mcap_pull_input_new (self->session, self->sinkpad);
  return gst_pad_start_task (self->sinkpad, loop, self, NULL);
}

static gboolean
gst_robocache_mcap_demux_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (parent);

  if (mode == GST_PAD_MODE_PULL)
    return activate_pull (self, active);
  if (active)
    self->push = robocache_mcap_push_input_new (self->session);
  return TRUE;
}

/* ---- buffers ---- */

/* Who returns EOS has sent it: upstream may send none. */
static GstFlowReturn
gst_robocache_mcap_demux_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (parent);
  GstFlowReturn ret = self->has_ended ? GST_FLOW_EOS : robocache_mcap_push_input_push (self->push, buffer);

  gst_buffer_unref (buffer);
  if (ret == GST_FLOW_EOS && !self->has_ended && !finish (self))
    ret = GST_FLOW_ERROR;
  return ret;
}

/* Between two parts of the input that do not follow each other. */
static void
restart (GstRobocacheMcapDemux *self)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  self->has_ended = FALSE;
  robocache_mcap_push_input_restart (self->push);
  robocache_mcap_session_restart (self->session, &segment, gst_util_seqnum_next ());
}

/* The segment of upstream is of bytes, and EOS where nothing could be read is an error. */
static gboolean
gst_robocache_mcap_demux_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (parent);

  GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT, event);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_GAP:
    case GST_EVENT_TAG:
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_EOS:
      gst_event_unref (event);
      return self->has_ended || finish (self);
    case GST_EVENT_FLUSH_STOP:
      restart (self);
      return gst_pad_event_default (pad, parent, event);
    default:
      return gst_pad_event_default (pad, parent, event);
  }
}

/* ---- seeks and queries ---- */

static gboolean
push_flush (GstElement *element, GstPad *pad, gpointer event)
{
  gst_pad_push_event (pad, gst_event_ref (event));
  return TRUE;
}

/* Events on all source pads; takes it. */
static void
send_flush (GstRobocacheMcapDemux *self, GstEvent *event, guint32 seqnum)
{
  gst_event_set_seqnum (event, seqnum);
  gst_element_foreach_src_pad (GST_ELEMENT (self), push_flush, event);
  gst_event_unref (event);
}

/* Stops the task, and starts it at a new place. */
static gboolean
seek (GstRobocacheMcapDemux *self, GstEvent *event)
{
  const guint32 seqnum = gst_event_get_seqnum (event);
  GstSeekFlags flags;
  GstSegment segment;
  gboolean is_valid;

  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  if (flags & GST_SEEK_FLAG_FLUSH) {
    GstEvent *flush = gst_event_new_flush_start ();

    gst_event_set_seqnum (flush, seqnum);
    gst_pad_push_event (self->sinkpad, flush);
    send_flush (self, gst_event_new_flush_start (), seqnum);
  } else {
    gst_pad_pause_task (self->sinkpad);
  }
  GST_PAD_STREAM_LOCK (self->sinkpad);
  /* the element may have been stopped */
  is_valid = self->pull && GST_PAD_MODE (self->sinkpad) == GST_PAD_MODE_PULL;
  if (is_valid) {
    segment = self->session->segment;
    is_valid = robocache_mcap_seek_segment (&segment, event);
  }
  if (flags & GST_SEEK_FLAG_FLUSH) {
    GstEvent *flush = gst_event_new_flush_stop (TRUE);

    gst_event_set_seqnum (flush, seqnum);
    gst_pad_push_event (self->sinkpad, flush);
    send_flush (self, gst_event_new_flush_stop (TRUE), seqnum);
  }
  if (is_valid) {
    robocache_mcap_session_restart (self->session, &segment, seqnum);
    robocache_mcap_pull_input_seek (self->pull);
    if (segment.flags & GST_SEGMENT_FLAG_SEGMENT)
      gst_element_post_message (GST_ELEMENT (self), gst_message_new_segment_start (GST_OBJECT (self), GST_FORMAT_TIME,
              (gint64) segment.position));
  }
  if (self->pull && GST_PAD_MODE (self->sinkpad) == GST_PAD_MODE_PULL)
    gst_pad_start_task (self->sinkpad, loop, self, NULL);
  GST_PAD_STREAM_UNLOCK (self->sinkpad);
  return is_valid;
}

static gboolean
can_seek (GstRobocacheMcapDemux *self, GstEvent *event)
{
  gboolean is_possible;
  GstSegment segment;

  GST_OBJECT_LOCK (self);
  is_possible = self->session && self->is_seekable;
  if (is_possible)
    segment = self->session->segment;
  GST_OBJECT_UNLOCK (self);
  return is_possible && robocache_mcap_seek_segment (&segment, event);
}

static gboolean
gst_robocache_mcap_demux_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (parent);
  gboolean is_done;

  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return gst_pad_event_default (pad, parent, event);
  is_done = can_seek (self, event) && seek (self, event);
  if (!is_done)
    GST_INFO_OBJECT (self, "refused %" GST_PTR_FORMAT, event);
  gst_event_unref (event);
  return is_done;
}

static gboolean
gst_robocache_mcap_demux_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (parent);
  gboolean is_known = FALSE, is_answered = FALSE;

  GST_OBJECT_LOCK (self);
  if (self->session)
    is_answered = robocache_mcap_query (self->session, self->is_seekable, query, &is_known);
  GST_OBJECT_UNLOCK (self);
  return is_known ? is_answered : gst_pad_query_default (pad, parent, query);
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
    start (self);
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && ret == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return ret;
}

static void
gst_robocache_mcap_demux_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (object);

  GST_OBJECT_LOCK (self);
  robocache_setting_set (robocache_mcap_demux_settings_field (&self->properties, id), value);
  if (self->session)
    self->session->timer.interval = self->properties.stats_interval;
  GST_OBJECT_UNLOCK (self);
  robocache_warn_of_late_setting (self, pspec);
}

static GstStructure *
get_stats (GstRobocacheMcapDemux *self)
{
  if (self->session)
    return robocache_mcap_session_statistics (self->session);
  return self->last_stats ? gst_structure_copy (self->last_stats) : gst_structure_new_empty ("robocachemcapdemux");
}

static void
gst_robocache_mcap_demux_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (object);

  GST_OBJECT_LOCK (self);
  if (id == ROBOCACHE_MCAP_DEMUX_PROP_STATS)
    g_value_take_boxed (value, get_stats (self));
  else
    robocache_setting_get (robocache_mcap_demux_settings_field (&self->properties, id), value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_robocache_mcap_demux_finalize (GObject *object)
{
  GstRobocacheMcapDemux *self = GST_ROBOCACHE_MCAP_DEMUX (object);

  g_clear_pointer (&self->last_stats, gst_structure_free);
  robocache_mcap_demux_settings_clear (&self->properties);
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
  robocache_mcap_demux_settings_init (&self->properties);
}

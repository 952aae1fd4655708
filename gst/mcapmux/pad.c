/* robocache: a sink pad of the recorders
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pad.h"

#include "common/element/propertytypes.h"

enum
{
  PROP_0,
  PROP_TOPIC,
  PROP_FRAME_ID
};

G_DEFINE_TYPE (GstRobocacheMcapPad, gst_robocache_mcap_pad, GST_TYPE_PAD)

void
mux_item_free (MuxItem *item, GQueue *released)
{
  g_queue_push_tail (released, item->object);
  g_clear_pointer (&item->format, robocache_encoder_format_free);
  g_free (item);
}

/* ---- properties ---- */

static gchar **
field_of (GstRobocacheMcapPad *pad, guint id)
{
  return id == PROP_TOPIC ? &pad->topic : &pad->frame_id;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstEvent *begin = gst_pad_get_sticky_event (GST_PAD (object), GST_EVENT_STREAM_START, 0);

  GST_OBJECT_LOCK (object);
  robocache_setting_set (field_of (GST_ROBOCACHE_MCAP_PAD (object), id), value);
  GST_OBJECT_UNLOCK (object);
  /* a pad may be requested while the element runs */
  if (begin)
    robocache_warn_of_late_setting (object, pspec);
  gst_clear_event (&begin);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_setting_get (field_of (GST_ROBOCACHE_MCAP_PAD (object), id), value);
  GST_OBJECT_UNLOCK (object);
}

/* ---- life ---- */

static void
finalize (GObject *object)
{
  GstRobocacheMcapPad *pad = GST_ROBOCACHE_MCAP_PAD (object);
  GQueue released = G_QUEUE_INIT;

  gst_robocache_mcap_pad_drop_waiting (pad, &released);
  g_queue_clear_full (&released, (GDestroyNotify) gst_mini_object_unref);
  robocache_flexible_input_clear (&pad->flexible);
  mux_stream_clear (&pad->stream);
  g_queue_clear_full (&pad->early, (GDestroyNotify) mux_early_event_free);
  g_free (pad->topic);
  g_free (pad->frame_id);
  G_OBJECT_CLASS (gst_robocache_mcap_pad_parent_class)->finalize (object);
}

static void
gst_robocache_mcap_pad_class_init (GstRobocacheMcapPadClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  g_object_class_install_property (object_class, PROP_TOPIC, g_param_spec_string ("topic", "Topic",
      "Topic of the stream's messages (NULL = \"/\" and the pad's name)", NULL, flags));
  g_object_class_install_property (object_class, PROP_FRAME_ID, g_param_spec_string ("frame-id", "Frame id",
      "Coordinate frame of the stream, in the header of its messages", NULL, flags));
}

static void
gst_robocache_mcap_pad_init (GstRobocacheMcapPad *pad)
{
  robocache_flexible_input_init (&pad->flexible, GST_PAD (pad));
  g_queue_init (&pad->waiting);
  g_queue_init (&pad->early);
  mux_stream_init (&pad->stream);
  pad->known_until_ns = pad->last_ns = ROBOCACHE_ROS_NO_TIME;
}

void
mux_early_event_free (MuxEarlyEvent *event)
{
  g_free (event->text);
  g_free (event);
}

guint64
gst_robocache_mcap_pad_close (GstRobocacheMcapPad *pad, GQueue *released)
{
  const guint64 n_rows = mux_stream_has_item (&pad->stream) ? pad->stream.items.n_items - pad->stream.position : 0;
  GstBuffer *buffer = mux_stream_close (&pad->stream);

  if (buffer)
    g_queue_push_tail (released, buffer);
  return n_rows;
}

void
gst_robocache_mcap_pad_drop_waiting (GstRobocacheMcapPad *pad, GQueue *released)
{
  MuxItem *item;

  gst_robocache_mcap_pad_close (pad, released);
  while ((item = g_queue_pop_head (&pad->waiting)))
    mux_item_free (item, released);
  pad->waiting_bytes = 0;
  pad->n_turns = 0;
}

static void
copy_settings (GstRobocacheMcapPad *pad)
{
  GST_OBJECT_LOCK (pad);
  g_free (pad->stream.name);
  g_free (pad->stream.topic);
  g_free (pad->stream.frame_id);
  pad->stream.name = g_strdup (GST_OBJECT_NAME (pad));
  pad->stream.topic = pad->topic && *pad->topic ? g_strdup (pad->topic) : g_strconcat ("/", GST_OBJECT_NAME (pad), NULL);
  pad->stream.frame_id = g_strdup (pad->frame_id);
  GST_OBJECT_UNLOCK (pad);
}

void
gst_robocache_mcap_pad_begin (GstRobocacheMcapPad *pad)
{
  if (pad->stream.statistics.buffers == 0)
    copy_settings (pad);
}

void
gst_robocache_mcap_pad_start (GstRobocacheMcapPad *pad, gboolean keep_buffers)
{
  g_queue_clear_full (&pad->early, (GDestroyNotify) mux_early_event_free);
  mux_stream_reset (&pad->stream);
  copy_settings (pad);
  pad->stream.settings.keep_buffers = keep_buffers;
  pad->is_queried = pad->is_live = pad->is_flushing = pad->is_eos = pad->has_origin = pad->wants_key = FALSE;
  pad->faults = (RobocachePadFaults) { 0 };
  pad->known_until_ns = pad->last_ns = ROBOCACHE_ROS_NO_TIME;
  pad->overflow = 0;
}

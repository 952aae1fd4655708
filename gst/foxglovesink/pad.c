/* robocache: a sink pad of robocachefoxglovesink, with the settings of its topics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pad.h"

#include "common/element/propertytypes.h"

enum
{ PROP_0, PROP_TOPIC, PROP_FRAME_ID };

struct _GstRobocacheFoxgloveSinkPad
{
  GstGhostPad parent;
  gchar *topic, *frame_id;      /* object lock */
};

G_DEFINE_TYPE (GstRobocacheFoxgloveSinkPad, gst_robocache_foxglove_sink_pad, GST_TYPE_GHOST_PAD)

static gchar **
field_of (GObject *object, guint id)
{
  GstRobocacheFoxgloveSinkPad *pad = GST_ROBOCACHE_FOXGLOVE_SINK_PAD (object);

  return id == PROP_TOPIC ? &pad->topic : &pad->frame_id;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_setting_set (field_of (object, id), value);
  GST_OBJECT_UNLOCK (object);
  robocache_warn_of_late_setting (object, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_setting_get (field_of (object, id), value);
  GST_OBJECT_UNLOCK (object);
}

void
gst_robocache_foxglove_sink_pad_get_settings (GstRobocacheFoxgloveSinkPad *pad, gchar **topic, gchar **frame_id)
{
  GST_OBJECT_LOCK (pad);
  *topic = pad->topic && *pad->topic ? g_strdup (pad->topic) : g_strconcat ("/", GST_OBJECT_NAME (pad), NULL);
  *frame_id = g_strdup (pad->frame_id);
  GST_OBJECT_UNLOCK (pad);
}

static void
finalize (GObject *object)
{
  g_free (GST_ROBOCACHE_FOXGLOVE_SINK_PAD (object)->topic);
  g_free (GST_ROBOCACHE_FOXGLOVE_SINK_PAD (object)->frame_id);
  G_OBJECT_CLASS (gst_robocache_foxglove_sink_pad_parent_class)->finalize (object);
}

static void
gst_robocache_foxglove_sink_pad_class_init (GstRobocacheFoxgloveSinkPadClass *klass)
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
gst_robocache_foxglove_sink_pad_init (GstRobocacheFoxgloveSinkPad *pad)
{
}

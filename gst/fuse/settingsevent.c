/* robocache: the settings of robocachefuse as an event downstream, so that recordings of samples have them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "settingsevent.h"

#include "debug.h"
#include "downstream.h"
#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"

/* Those that no sample depends on; and the last, whose settings are those of the pads. */
static const gchar *const skipped[] = { "name", "parent", "direction", "template", "caps", "backend", "device-id", "max-device-memory",
  "stats-interval", "qos-messages", "qos-interval", "busy-wait", "pads", NULL
};

static void
add_text (GstStructure *settings, const gchar *of, const gchar *name, const gchar *text)
{
  gchar *key = g_strconcat (of, ".", name, NULL);

  gst_structure_set (settings, key, G_TYPE_STRING, text, NULL);
  g_free (key);
}

/* A NULL value counts as unset. */
static gboolean
has_value (const GValue *value)
{
  return (!G_VALUE_HOLDS_STRING (value) && !G_VALUE_HOLDS_BOXED (value)) || g_value_peek_pointer (value) != NULL;
}

static void
add_property (GstStructure *settings, const gchar *of, GObject *object, GParamSpec *pspec)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  if ((pspec->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE || g_strv_contains (skipped, pspec->name))
    return;
  g_value_init (&value, pspec->value_type);
  g_object_get_property (object, pspec->name, &value);
  text = has_value (&value) ? gst_value_serialize (&value) : NULL;
  if (text)
    add_text (settings, of, pspec->name, text);
  g_free (text);
  g_value_unset (&value);
}

static void
add_properties (GstStructure *settings, const gchar *of, gpointer object)
{
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  for (guint i = 0; i < n; i++)
    add_property (settings, of, object, pspecs[i]);
  g_free (pspecs);
}

static void
add_number (GstStructure *settings, const gchar *of, const gchar *name, guint64 number)
{
  gchar *text = g_strdup_printf ("%" G_GUINT64_FORMAT, number);

  add_text (settings, of, name, text);
  g_free (text);
}

/* The answer of the pad's source, and its stream. */
static void
add_source (GstStructure *settings, GstRobocacheFusePad *pad)
{
  const FuseSource *source = &pad->stream->source;
  const gchar *name = GST_OBJECT_NAME (pad);
  gchar *stream_id = gst_pad_get_stream_id (GST_PAD (pad));

  if (stream_id)
    add_text (settings, name, "source-stream-id", stream_id);
  g_free (stream_id);
  if (!source->is_known)
    return;
  add_text (settings, name, "source-live", source->live ? "true" : "false");
  add_number (settings, name, "source-min-latency", (guint64) source->min);
  add_number (settings, name, "source-max-latency", fuse_clock_time_of (source->max));
}

static void
queue_event (GstRobocacheFuse *fuse)
{
  GstStructure *settings = gst_structure_new (FUSE_SETTINGS_EVENT, "number", G_TYPE_INT64, fuse_core_note_settings (fuse->core),
      FUSE_RULES_FIELD, G_TYPE_INT, FUSE_RULES, NULL);

  GST_DEBUG_OBJECT (fuse, "settings for a recording follow the next sample, of %u pads", fuse->pads->len);
  add_properties (settings, "element", fuse);
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    add_properties (settings, GST_OBJECT_NAME (pad), pad);
    add_source (settings, pad);
  }
  gst_robocache_fuse_queue_event (fuse, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, settings));
}

void
gst_robocache_fuse_begin_settings (GstRobocacheFuse *fuse)
{
  if (!fuse_core_has_settings (fuse->core))
    queue_event (fuse);
}

void
gst_robocache_fuse_note_settings (GstRobocacheFuse *fuse)
{
  if (!fuse->is_started || !fuse_core_has_settings (fuse->core))
    return;
  queue_event (fuse);
}

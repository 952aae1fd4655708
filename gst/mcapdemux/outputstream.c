/* robocache: a stream of a topic, and its pad
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "outputstream.h"

#include "common/time/originevent.h"

GST_DEBUG_CATEGORY_EXTERN (robocache_mcap_demux_debug);
#define GST_CAT_DEFAULT robocache_mcap_demux_debug

/* Silence that is announced. */
#define MIN_GAP (GST_SECOND / 2)

void
robocache_mcap_tags_register (void)
{
  gst_tag_register_static (ROBOCACHE_TAG_TOPIC, GST_TAG_FLAG_META, G_TYPE_STRING, "topic", "Topic of a recording", NULL);
  gst_tag_register_static (ROBOCACHE_TAG_FRAME_ID, GST_TAG_FLAG_META, G_TYPE_STRING, "frame", "Coordinate frame of a stream", NULL);
  gst_tag_register_static (ROBOCACHE_TAG_STREAM, GST_TAG_FLAG_META, G_TYPE_STRING, "stream", "One of the streams of a topic", NULL);
}

/* ---- life ---- */

RobocacheMcapOutput *
robocache_mcap_output_new (RobocacheMcapTopic *topic, const gchar *key)
{
  RobocacheMcapOutput *output = g_new0 (RobocacheMcapOutput, 1);

  output->topic = topic;
  output->key = g_strdup (key);
  output->frame_id = g_strdup ("");
  robocache_mcap_output_restart (output);
  return output;
}

void
robocache_mcap_output_free (RobocacheMcapOutput *output)
{
  g_free (output->key);
  g_free (output->frame_id);
  gst_clear_caps (&output->decoded_caps);
  gst_clear_caps (&output->caps);
  g_clear_pointer (&output->camera, gst_structure_free);
  g_clear_object (&output->pad);
  g_free (output);
}

void
robocache_mcap_output_restart (RobocacheMcapOutput *output)
{
  output->needs_segment = output->needs_discont = TRUE;
  output->position = GST_CLOCK_TIME_NONE;
}

/* ---- caps ---- */

static gboolean
add_field (GQuark field, const GValue *value, gpointer caps)
{
  gst_caps_set_value (caps, g_quark_to_string (field), value);
  return TRUE;
}

static gboolean
has_camera (const RobocacheMcapOutput *output, const GstStructure *camera)
{
  return camera == NULL ? output->camera == NULL : output->camera && gst_structure_is_equal (camera, output->camera);
}

void
robocache_mcap_output_update (RobocacheMcapOutput *output, const RobocacheRosSample *sample, const GstStructure *camera)
{
  if (!g_str_equal (sample->frame_id, output->frame_id)) {
    g_free (output->frame_id);
    output->frame_id = g_strdup (sample->frame_id);
    output->needs_tags = TRUE;
  }
  if (output->decoded_caps == sample->caps && has_camera (output, camera))
    return;
  gst_caps_replace (&output->decoded_caps, sample->caps);
  g_clear_pointer (&output->camera, gst_structure_free);
  gst_clear_caps (&output->caps);
  output->caps = gst_caps_copy (sample->caps);
  if (camera) {
    output->camera = gst_structure_copy (camera);
    gst_structure_foreach (camera, add_field, output->caps);
  }
  output->needs_caps = TRUE;
}

/* ---- pads ---- */

static void
send_stream_start (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context)
{
  gchar *id = gst_pad_create_stream_id_printf (output->pad, context->element, "%s%s%s%s%s", output->topic->name,
      *output->key ? ":" : "", output->key, *output->frame_id ? "@" : "", output->frame_id);
  GstEvent *event = gst_event_new_stream_start (id);

  gst_event_set_group_id (event, context->group_id);
  gst_pad_push_event (output->pad, event);
  g_free (id);
}

void
robocache_mcap_output_expose (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context, GstPadTemplate *template,
    guint number)
{
  gchar *name = g_strdup_printf ("src_%u", number);

  output->pad = gst_object_ref_sink (gst_pad_new_from_template (template, name));
  g_free (name);
  GST_INFO_OBJECT (output->pad, "%s%s%s, %" GST_PTR_FORMAT, output->topic->name, *output->key ? " " : "", output->key, output->caps);
  gst_pad_use_fixed_caps (output->pad);
  gst_pad_set_active (output->pad, TRUE);
  output->needs_tags = TRUE;
  send_stream_start (output, context);
  gst_pad_push_event (output->pad, gst_event_new_caps (output->caps));
  output->needs_caps = FALSE;
}

/* ---- events and buffers ---- */

/* The origin is among them, as a pad keeps one TAG event alone. */
static GstEvent *
tags_of (const RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context)
{
  GstTagList *tags = gst_tag_list_new (GST_TAG_TITLE, output->topic->name, ROBOCACHE_TAG_TOPIC, output->topic->name, NULL);

  gst_tag_list_set_scope (tags, GST_TAG_SCOPE_STREAM);
  if (*output->frame_id)
    gst_tag_list_add (tags, GST_TAG_MERGE_REPLACE, ROBOCACHE_TAG_FRAME_ID, output->frame_id, NULL);
  if (*output->key)
    gst_tag_list_add (tags, GST_TAG_MERGE_REPLACE, ROBOCACHE_TAG_STREAM, output->key, NULL);
  if (context->origin_ns != ROBOCACHE_MCAP_NO_ORIGIN)
    robocache_origin_tags_add (tags, context->origin_ns, context->is_origin_of_first_row);
  return gst_event_new_tag (tags);
}

static void
send_segment (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context)
{
  GstEvent *event = gst_event_new_segment (context->segment);

  gst_event_set_seqnum (event, context->segment_seqnum);
  gst_pad_push_event (output->pad, event);
  output->needs_segment = FALSE;
  output->needs_tags = TRUE;
}

void
robocache_mcap_output_send_headers (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context)
{
  if (output->needs_caps)
    gst_pad_push_event (output->pad, gst_event_new_caps (output->caps));
  output->needs_caps = FALSE;
  if (output->needs_segment)
    send_segment (output, context);
  if (output->needs_tags)
    gst_pad_push_event (output->pad, tags_of (output, context));
  output->needs_tags = FALSE;
}

GstFlowReturn
robocache_mcap_output_push (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context, GstBuffer *buffer)
{
  const guint64 pts = GST_BUFFER_PTS (buffer);

  robocache_mcap_output_send_headers (output, context);
  if (output->needs_discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  output->needs_discont = FALSE;
  if (!GST_CLOCK_TIME_IS_VALID (output->position) || pts > output->position)
    output->position = pts;
  GST_LOG_OBJECT (output->pad, "%" GST_PTR_FORMAT, buffer);
  return gst_pad_push (output->pad, buffer);
}

void
robocache_mcap_output_advance (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context, guint64 pts)
{
  const guint64 from = GST_CLOCK_TIME_IS_VALID (output->position) ? output->position : context->segment->start;

  if (pts <= from || pts - from < MIN_GAP)
    return;
  robocache_mcap_output_send_headers (output, context);
  gst_pad_push_event (output->pad, gst_event_new_gap (from, pts - from));
  output->position = pts;
}

/* robocache: a stream of a topic, and its pad
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "outputstream.h"

#include "common/time/originevent.h"

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
robocache_mcap_output_new (RobocacheMcapTopic *topic, const gchar *key, guint block_rows, GstDebugCategory *category)
{
  RobocacheMcapOutput *output = g_new0 (RobocacheMcapOutput, 1);

  output->topic = topic;
  output->key = g_strdup (key);
  output->frame_id = g_strdup ("");
  output->block_rows = block_rows;
  output->category = category;
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
  robocache_row_block_free (output->block);
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

/* Samples that a block cannot hold are buffers of their own, with the caps of a row. */
static gboolean
may_collect (const RobocacheMcapOutput *output, const RobocacheRosSample *sample)
{
  return output->block_rows > 1 && robocache_row_block_holds (sample);
}

static gboolean
has_format (const RobocacheMcapOutput *output, const RobocacheRosSample *sample, const GstStructure *camera)
{
  return output->decoded_caps == sample->caps && output->may_collect == may_collect (output, sample) && has_camera (output, camera);
}

gboolean
robocache_mcap_output_continues (const RobocacheMcapOutput *output, const RobocacheRosSample *sample, const GstStructure *camera)
{
  return g_str_equal (sample->frame_id, output->frame_id) && has_format (output, sample, camera);
}

static void
make_block (RobocacheMcapOutput *output, const RobocacheRosSample *sample)
{
  output->may_collect = may_collect (output, sample);
  g_clear_pointer (&output->block, robocache_row_block_free);
  if (output->may_collect)
    output->block = robocache_row_block_new (output->caps, output->block_rows);
  if (!output->block)
    return;
  gst_caps_unref (output->caps);
  output->caps = robocache_row_block_caps (output->block, 0);
}

static void
make_caps (RobocacheMcapOutput *output, const GstStructure *camera)
{
  g_clear_pointer (&output->camera, gst_structure_free);
  gst_clear_caps (&output->caps);
  output->caps = gst_caps_copy (output->decoded_caps);
  if (camera) {
    output->camera = gst_structure_copy (camera);
    gst_structure_foreach (camera, add_field, output->caps);
  }
  output->needs_caps = TRUE;
}

/* Only pictures have a camera, and a block holds none. */
void
robocache_mcap_output_set_camera (RobocacheMcapOutput *output, const GstStructure *camera)
{
  if (!has_camera (output, camera))
    make_caps (output, camera);
}

void
robocache_mcap_output_update (RobocacheMcapOutput *output, const RobocacheRosSample *sample, const GstStructure *camera)
{
  if (!g_str_equal (sample->frame_id, output->frame_id)) {
    g_free (output->frame_id);
    output->frame_id = g_strdup (sample->frame_id);
    output->needs_tags = TRUE;
  }
  if (has_format (output, sample, camera))
    return;
  gst_caps_replace (&output->decoded_caps, sample->caps);
  make_caps (output, camera);
  make_block (output, sample);
}

/* ---- pads ---- */

static void
send_caps (RobocacheMcapOutput *output)
{
  gst_pad_push_event (output->pad, gst_event_new_caps (output->caps));
  output->needs_caps = FALSE;
  output->sent_rows = 0;
}

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
  gst_pad_use_fixed_caps (output->pad);
  gst_pad_set_active (output->pad, TRUE);
  output->needs_tags = TRUE;
  send_stream_start (output, context);
  send_caps (output);
}

/* ---- events and buffers ---- */

/* The origin is among them, as a pad keeps one TAG event of a scope. */
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

/* Tags of the recording are an event of their own, by their scope. */
static GstEvent *
container_tags_of (const RobocacheMcapOutputContext *context)
{
  GstTagList *tags = gst_tag_list_new (GST_TAG_CONTAINER_FORMAT, context->container, NULL);

  gst_tag_list_set_scope (tags, GST_TAG_SCOPE_GLOBAL);
  return gst_event_new_tag (tags);
}

static void
send_segment (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context)
{
  GstEvent *event = gst_event_new_segment (context->segment);

  GST_CAT_DEBUG_OBJECT (output->category, output->pad, "sends segment %" GST_SEGMENT_FORMAT, context->segment);
  gst_event_set_seqnum (event, context->segment_seqnum);
  gst_pad_push_event (output->pad, event);
  output->needs_segment = FALSE;
  output->needs_tags = TRUE;
}

void
robocache_mcap_output_send_headers (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context)
{
  if (output->needs_caps) {
    GST_CAT_INFO_OBJECT (output->category, output->pad, "caps are %" GST_PTR_FORMAT " now", output->caps);
    send_caps (output);
  }
  if (output->needs_segment)
    send_segment (output, context);
  if (output->needs_tags) {
    gst_pad_push_event (output->pad, tags_of (output, context));
    gst_pad_push_event (output->pad, container_tags_of (context));
  }
  output->needs_tags = FALSE;
}

static void
note_position (RobocacheMcapOutput *output, guint64 pts)
{
  if (!GST_CLOCK_TIME_IS_VALID (output->position) || pts > output->position)
    output->position = pts;
}

GstFlowReturn
robocache_mcap_output_push (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context, GstBuffer *buffer)
{
  robocache_mcap_output_send_headers (output, context);
  if (output->needs_discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  output->needs_discont = FALSE;
  note_position (output, GST_BUFFER_PTS (buffer));
  GST_CAT_LOG_OBJECT (output->category, output->pad, "%" GST_PTR_FORMAT, buffer);
  return gst_pad_push (output->pad, buffer);
}

/* ---- blocks of rows ---- */

gboolean
robocache_mcap_output_has_rows (const RobocacheMcapOutput *output)
{
  return output->block && robocache_row_block_count (output->block) > 0;
}

void
robocache_mcap_output_collect (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context, const RobocacheRosSample *sample,
    guint64 pts)
{
  if (!robocache_mcap_output_has_rows (output)) {
    robocache_mcap_output_send_headers (output, context);
    output->block_is_discont = output->needs_discont;
    output->needs_discont = FALSE;
  }
  note_position (output, pts);
  robocache_row_block_add (output->block, sample, pts);
}

/* Caps name the number of rows in a buffer. */
static void
announce_rows (RobocacheMcapOutput *output)
{
  const guint n = robocache_row_block_is_full (output->block) ? 0 : robocache_row_block_count (output->block);
  GstCaps *caps;

  if (n == output->sent_rows)
    return;
  caps = robocache_row_block_caps (output->block, n);
  gst_pad_push_event (output->pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  output->sent_rows = n;
}

GstFlowReturn
robocache_mcap_output_push_rows (RobocacheMcapOutput *output)
{
  GstBuffer *buffer;

  announce_rows (output);
  buffer = robocache_row_block_take (output->block);
  if (output->block_is_discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  GST_CAT_LOG_OBJECT (output->category, output->pad, "collected rows are sent: %" GST_PTR_FORMAT, buffer);
  return gst_pad_push (output->pad, buffer);
}

void
robocache_mcap_output_discard_rows (RobocacheMcapOutput *output)
{
  if (robocache_mcap_output_has_rows (output))
    GST_CAT_DEBUG_OBJECT (output->category, output->pad, "the flush drops %u rows that were collected", robocache_row_block_count (output->block));
  if (output->block)
    robocache_row_block_discard (output->block);
}

/* ---- silence ---- */

static guint64
position_of (const RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context)
{
  return GST_CLOCK_TIME_IS_VALID (output->position) ? output->position : context->segment->start;
}

gboolean
robocache_mcap_output_is_behind (const RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context, guint64 pts)
{
  const guint64 from = position_of (output, context);

  return pts > from && pts - from >= MIN_GAP;
}

void
robocache_mcap_output_advance (RobocacheMcapOutput *output, const RobocacheMcapOutputContext *context, guint64 pts)
{
  const guint64 from = position_of (output, context);

  if (!robocache_mcap_output_is_behind (output, context, pts))
    return;
  GST_CAT_DEBUG_OBJECT (output->category, output->pad, "no message of %s for long: GAP from %" GST_TIME_FORMAT " to %" GST_TIME_FORMAT,
      output->topic->name, GST_TIME_ARGS (from), GST_TIME_ARGS (pts));
  robocache_mcap_output_send_headers (output, context);
  gst_pad_push_event (output->pad, gst_event_new_gap (from, pts - from));
  output->position = pts;
}

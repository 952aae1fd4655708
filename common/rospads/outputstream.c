/* robocache: a stream of a ROS topic, and its pad
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "outputstream.h"

#include <string.h>

#include "common/time/originevent.h"

/* Silence that is announced. */
#define MIN_GAP (GST_SECOND / 2)

void
robocache_ros_tags_register (void)
{
  gst_tag_register_static (ROBOCACHE_TAG_TOPIC, GST_TAG_FLAG_META, G_TYPE_STRING, "topic", "Topic of a recording", NULL);
  gst_tag_register_static (ROBOCACHE_TAG_FRAME_ID, GST_TAG_FLAG_META, G_TYPE_STRING, "frame", "Coordinate frame of a stream", NULL);
  gst_tag_register_static (ROBOCACHE_TAG_STREAM, GST_TAG_FLAG_META, G_TYPE_STRING, "stream", "One of the streams of a topic", NULL);
}

/* ---- life ---- */

RobocacheRosOutput *
robocache_ros_output_new (GRefString *name, const gchar *key, guint block_rows, GstDebugCategory *category)
{
  RobocacheRosOutput *output = g_new0 (RobocacheRosOutput, 1);

  output->name = g_ref_string_acquire (name);
  output->key = g_strdup (key);
  output->frame_id = g_strdup ("");
  output->block_rows = block_rows;
  output->category = category;
  robocache_ros_output_restart (output);
  return output;
}

void
robocache_ros_output_free (RobocacheRosOutput *output)
{
  g_ref_string_release (output->name);
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
robocache_ros_output_restart (RobocacheRosOutput *output)
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
has_camera (const RobocacheRosOutput *output, const GstStructure *camera)
{
  return camera == NULL ? output->camera == NULL : output->camera && gst_structure_is_equal (camera, output->camera);
}

/* Samples that a block cannot hold are buffers of their own, with the caps of a row. */
static gboolean
may_collect (const RobocacheRosOutput *output, const RobocacheRosSample *sample)
{
  return output->block_rows > 1 && robocache_row_block_holds (sample);
}

static gboolean
has_format (const RobocacheRosOutput *output, const RobocacheRosSample *sample, const GstStructure *camera)
{
  return output->decoded_caps == sample->caps && output->may_collect == may_collect (output, sample) && has_camera (output, camera);
}

gboolean
robocache_ros_output_continues (const RobocacheRosOutput *output, const RobocacheRosSample *sample, const GstStructure *camera)
{
  return g_str_equal (sample->frame_id, output->frame_id) && has_format (output, sample, camera);
}

static void
make_block (RobocacheRosOutput *output, const RobocacheRosSample *sample)
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
make_caps (RobocacheRosOutput *output, const GstStructure *camera)
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
robocache_ros_output_set_camera (RobocacheRosOutput *output, const GstStructure *camera)
{
  if (!has_camera (output, camera))
    make_caps (output, camera);
}

void
robocache_ros_output_update (RobocacheRosOutput *output, const RobocacheRosSample *sample, const GstStructure *camera)
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
send_caps (RobocacheRosOutput *output)
{
  gst_pad_push_event (output->pad, gst_event_new_caps (output->caps));
  output->needs_caps = FALSE;
  output->sent_rows = 0;
}

static void
send_stream_start (RobocacheRosOutput *output, const RobocacheRosOutputContext *context)
{
  gchar *id = gst_pad_create_stream_id_printf (output->pad, context->element, "%s%s%s%s%s", output->name,
      *output->key ? ":" : "", output->key, *output->frame_id ? "@" : "", output->frame_id);
  GstEvent *event = gst_event_new_stream_start (id);

  gst_event_set_group_id (event, context->group_id);
  gst_pad_push_event (output->pad, event);
  g_free (id);
}

void
robocache_ros_output_expose (RobocacheRosOutput *output, const RobocacheRosOutputContext *context, GstPadTemplate *template,
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
tags_of (const RobocacheRosOutput *output, const RobocacheRosOutputContext *context)
{
  GstTagList *tags = gst_tag_list_new (GST_TAG_TITLE, output->name, ROBOCACHE_TAG_TOPIC, output->name, NULL);

  gst_tag_list_set_scope (tags, GST_TAG_SCOPE_STREAM);
  if (*output->frame_id)
    gst_tag_list_add (tags, GST_TAG_MERGE_REPLACE, ROBOCACHE_TAG_FRAME_ID, output->frame_id, NULL);
  if (*output->key)
    gst_tag_list_add (tags, GST_TAG_MERGE_REPLACE, ROBOCACHE_TAG_STREAM, output->key, NULL);
  if (context->origin_ns != ROBOCACHE_ROS_NO_ORIGIN)
    robocache_origin_tags_add (tags, context->origin_ns, context->is_origin_of_first_row);
  return gst_event_new_tag (tags);
}

/* Tags of the recording are an event of their own, by their scope. */
static GstEvent *
container_tags_of (const RobocacheRosOutputContext *context)
{
  GstTagList *tags = gst_tag_list_new (GST_TAG_CONTAINER_FORMAT, context->container, NULL);

  gst_tag_list_set_scope (tags, GST_TAG_SCOPE_GLOBAL);
  return gst_event_new_tag (tags);
}

static void
send_segment (RobocacheRosOutput *output, const RobocacheRosOutputContext *context)
{
  GstEvent *event = gst_event_new_segment (context->segment);

  GST_CAT_DEBUG_OBJECT (output->category, output->pad, "sends segment %" GST_SEGMENT_FORMAT, context->segment);
  gst_event_set_seqnum (event, context->segment_seqnum);
  gst_pad_push_event (output->pad, event);
  output->needs_segment = FALSE;
  output->needs_tags = TRUE;
}

void
robocache_ros_output_send_headers (RobocacheRosOutput *output, const RobocacheRosOutputContext *context)
{
  if (output->needs_caps) {
    GST_CAT_INFO_OBJECT (output->category, output->pad, "caps are %" GST_PTR_FORMAT " now", output->caps);
    send_caps (output);
  }
  if (output->needs_segment)
    send_segment (output, context);
  if (output->needs_tags) {
    gst_pad_push_event (output->pad, tags_of (output, context));
    if (context->container)
      gst_pad_push_event (output->pad, container_tags_of (context));
  }
  output->needs_tags = FALSE;
}

/* Times of rows are relative to the stamp; converts them to the timeline of PTS. */
static void
shift_row_times (GstBuffer *buffer, guint64 pts)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, gst_buffer_n_memory (buffer) - 1);
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_READWRITE))
    return;
  for (gsize i = 0; i + sizeof (guint64) <= map.size; i += sizeof (guint64)) {
    guint64 time;

    memcpy (&time, map.data + i, sizeof (time));
    time += pts;
    memcpy (map.data + i, &time, sizeof (time));
  }
  gst_memory_unmap (memory, &map);
}

static void
add_timestamp (GstBuffer *buffer, GstStaticCaps *clock, guint64 time)
{
  GstCaps *caps = gst_static_caps_get (clock);

  gst_buffer_add_reference_timestamp_meta (buffer, caps, time, GST_CLOCK_TIME_NONE);
  gst_caps_unref (caps);
}

/* Times on the clock of the data: of capture, and of arrival. */
static void
add_timestamps (GstBuffer *buffer, gint64 time_ns, gint64 arrival_ns)
{
  static GstStaticCaps unix_clock = GST_STATIC_CAPS ("timestamp/x-unix");
  static GstStaticCaps arrival = GST_STATIC_CAPS ("timestamp/x-robocache-arrival");

  if (time_ns >= 0)
    add_timestamp (buffer, &unix_clock, (guint64) time_ns);
  if (arrival_ns >= 0)
    add_timestamp (buffer, &arrival, (guint64) arrival_ns);
}

GstBuffer *
robocache_ros_output_make_buffer (RobocacheRosSample *sample, guint64 pts, gint64 time_ns, gint64 arrival_ns)
{
  GstBuffer *buffer = sample->buffer ? g_steal_pointer (&sample->buffer) : gst_buffer_new_memdup (sample->row, sample->row_bytes);

  add_timestamps (buffer, time_ns, arrival_ns);
  GST_BUFFER_PTS (buffer) = pts;
  if (sample->has_row_times)
    shift_row_times (buffer, pts);
  return buffer;
}

static void
note_position (RobocacheRosOutput *output, guint64 pts)
{
  if (!GST_CLOCK_TIME_IS_VALID (output->position) || pts > output->position)
    output->position = pts;
}

GstFlowReturn
robocache_ros_output_push (RobocacheRosOutput *output, const RobocacheRosOutputContext *context, GstBuffer *buffer)
{
  robocache_ros_output_send_headers (output, context);
  if (output->needs_discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  output->needs_discont = FALSE;
  note_position (output, GST_BUFFER_PTS (buffer));
  GST_CAT_LOG_OBJECT (output->category, output->pad, "%" GST_PTR_FORMAT, buffer);
  return gst_pad_push (output->pad, buffer);
}

/* ---- blocks of rows ---- */

gboolean
robocache_ros_output_has_rows (const RobocacheRosOutput *output)
{
  return output->block && robocache_row_block_count (output->block) > 0;
}

void
robocache_ros_output_collect (RobocacheRosOutput *output, const RobocacheRosOutputContext *context, const RobocacheRosSample *sample,
    guint64 pts)
{
  if (!robocache_ros_output_has_rows (output)) {
    robocache_ros_output_send_headers (output, context);
    output->block_is_discont = output->needs_discont;
    output->needs_discont = FALSE;
  }
  note_position (output, pts);
  robocache_row_block_add (output->block, sample, pts);
}

/* Caps name the number of rows in a buffer. */
static void
announce_rows (RobocacheRosOutput *output)
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
robocache_ros_output_push_rows (RobocacheRosOutput *output)
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
robocache_ros_output_discard_rows (RobocacheRosOutput *output)
{
  if (robocache_ros_output_has_rows (output))
    GST_CAT_DEBUG_OBJECT (output->category, output->pad, "the flush drops %u rows that were collected", robocache_row_block_count (output->block));
  if (output->block)
    robocache_row_block_discard (output->block);
}

/* ---- silence ---- */

static guint64
position_of (const RobocacheRosOutput *output, const RobocacheRosOutputContext *context)
{
  return GST_CLOCK_TIME_IS_VALID (output->position) ? output->position : context->segment->start;
}

gboolean
robocache_ros_output_is_behind (const RobocacheRosOutput *output, const RobocacheRosOutputContext *context, guint64 pts)
{
  const guint64 from = position_of (output, context);

  return pts > from && pts - from >= MIN_GAP;
}

void
robocache_ros_output_advance (RobocacheRosOutput *output, const RobocacheRosOutputContext *context, guint64 pts)
{
  const guint64 from = position_of (output, context);

  if (!robocache_ros_output_is_behind (output, context, pts))
    return;
  GST_CAT_DEBUG_OBJECT (output->category, output->pad, "no message of %s for long: GAP from %" GST_TIME_FORMAT " to %" GST_TIME_FORMAT,
      output->name, GST_TIME_ARGS (from), GST_TIME_ARGS (pts));
  robocache_ros_output_send_headers (output, context);
  gst_pad_push_event (output->pad, gst_event_new_gap (from, pts - from));
  output->position = pts;
}

/* robocache: robocachemcapdemux on a recording, and what came out as text; with TEST_BAGSRC robocachebagsrc
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/recordings/demuxrun.h"

GstElement *
launch_recording_with (gboolean by_bagsrc, const gchar *path, const gchar *between, const gchar *properties)
{
  gchar *launch = by_bagsrc ? g_strdup_printf ("pipeline. ( robocachebagsrc location=%s name=d %s )", path, properties)
      : g_strdup_printf ("filesrc location=%s %s ! robocachemcapdemux name=d %s", path, between, properties);
  GstElement *pipeline = gst_parse_launch (launch, NULL);

  g_free (launch);
  return pipeline;
}

/* Pads of another run have the same names. */
static guint
find_pad (GstPad *pad)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (pad), "index"));
}

static GString *
text_of (DemuxOutput *output, GstPad *pad)
{
  return g_ptr_array_index (output->texts, find_pad (pad));
}

static void
append_bytes (GString *text, GstBuffer *buffer)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (gsize i = 0; i < map.size; i++)
    g_string_append_printf (text, "%02x", map.data[i]);
  gst_buffer_unmap (buffer, &map);
}

static void
append_values (GString *text, GstBuffer *buffer, const GstCaps *caps, gboolean has_bytes)
{
  RobocacheTensorsInfo info;

  if (!caps || !robocache_tensors_info_from_caps (&info, caps, NULL)) {
    if (has_bytes)
      append_bytes (text, buffer);
    else
      g_string_append_printf (text, "#%" G_GSIZE_FORMAT, gst_buffer_get_size (buffer));
    return;
  }
  for (guint t = 0; t < gst_buffer_n_memory (buffer); t++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, t);
    const gsize size = rc_dtype_size (info.tensors[t].dtype);
    GString *values = g_string_new (NULL);
    GstMapInfo map;

    gst_memory_map (memory, &map, GST_MAP_READ);
    for (gsize i = 0; i < map.size; i += size) {
      g_string_append_c (values, ',');
      append_number (values, info.tensors[t].dtype, map.data + i);
    }
    gst_memory_unmap (memory, &map);
    g_string_append_printf (text, "%s%s", t ? "|" : "", values->str + 1);
    g_string_free (values, TRUE);
  }
}

/* The layout of rows with a time each. FALSE: the caps are others. */
static gboolean
parse_block (const GstCaps *caps, RobocacheRowLayout *layout)
{
  RobocacheTensorsInfo info;

  return caps && robocache_tensors_info_from_caps (&info, caps, NULL) && robocache_row_layout_from_info (layout, &info, NULL)
      && layout->has_times;
}

/* Caps of blocks as those of a row. */
static GstCaps *
flat_caps (GstCaps *caps)
{
  RobocacheRowLayout layout;
  GstCaps *flat = gst_caps_copy (caps);
  gchar *dimensions;

  if (!parse_block (caps, &layout))
    return flat;
  dimensions = g_strdup_printf ("%" G_GUINT64_FORMAT, layout.channels);
  gst_caps_set_simple (flat, "num_tensors", G_TYPE_INT, 1, "types", G_TYPE_STRING, rc_dtype_name (layout.dtype), "dimensions",
      G_TYPE_STRING, dimensions, NULL);
  g_free (dimensions);
  return flat;
}

static void
append_caps_fields (GString *text, const GstCaps *caps)
{
  static const gchar *const fields[] = { "types", "dimensions", "channels", "format", "intrinsics", "fields" };
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  g_string_append_printf (text, " caps[%s", gst_structure_get_name (structure));
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const GValue *value = gst_structure_get_value (structure, fields[i]);
    gchar *string = value ? (G_VALUE_HOLDS_STRING (value) ? g_value_dup_string (value) : gst_value_serialize (value)) : NULL;

    if (string && !g_str_equal (string, "static"))
      g_string_append_printf (text, " %s", string);
    g_free (string);
  }
  g_string_append_c (text, ']');
}

/* Flat caps are those of the row before where only the number of rows changes. */
static void
append_caps (DemuxOutput *output, GString *text, guint index, GstCaps *caps)
{
  GstCaps *shown = output->is_flat ? flat_caps (caps) : gst_caps_ref (caps);
  GString *fields = g_string_new (NULL);

  gst_caps_replace ((GstCaps **) & output->caps->pdata[index], caps);
  append_caps_fields (fields, shown);
  if (!output->is_flat || g_strcmp0 (fields->str, output->caps_texts->pdata[index]) != 0)
    g_string_append (text, fields->str);
  g_free (output->caps_texts->pdata[index]);
  output->caps_texts->pdata[index] = g_string_free (fields, FALSE);
  gst_caps_unref (shown);
}

static void
append_ms (GString *text, guint64 ns)
{
  if (GST_CLOCK_TIME_IS_VALID (ns))
    g_string_append_printf (text, "%.9g", ns / 1e6);
  else
    g_string_append (text, "none");
}

static void
append_event (DemuxOutput *output, GString *text, guint index, GstEvent *event)
{
  const GstSegment *segment;
  GstClockTime from, duration;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      append_caps (output, text, index, caps);
      break;
    case GST_EVENT_EOS:
      g_string_append (text, " eos");
      break;
    case GST_EVENT_SEGMENT_DONE:
      g_string_append (text, " segment-done");
      break;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (!output->has_events)
        break;
      g_string_append (text, " seg:");
      append_ms (text, segment->start);
      g_string_append_c (text, '-');
      append_ms (text, segment->stop);
      break;
    case GST_EVENT_GAP:
      gst_event_parse_gap (event, &from, &duration);
      if (!output->has_events)
        break;
      g_string_append (text, " gap:");
      append_ms (text, from);
      g_string_append_c (text, ',');
      append_ms (text, duration);
      break;
    case GST_EVENT_FLUSH_STOP:
      if (output->has_events)
        g_string_append (text, " flush");
      break;
    default:
      break;
  }
}

static void
append_row (DemuxOutput *output, GString *text, GstBuffer *buffer, const RobocacheRowLayout *layout, guint64 i)
{
  const gsize size = rc_dtype_size (layout->dtype);
  GString *values = g_string_new (NULL);
  GstMapInfo rows, times;

  gst_memory_map (gst_buffer_peek_memory (buffer, 0), &rows, GST_MAP_READ);
  gst_memory_map (gst_buffer_peek_memory (buffer, 1), &times, GST_MAP_READ);
  g_string_append_c (text, ' ');
  append_ms (text, (guint64) ((const gint64 *) (gconstpointer) times.data)[i]);
  for (guint64 c = 0; c < layout->channels; c++) {
    g_string_append_c (values, ',');
    append_number (values, layout->dtype, rows.data + (i * layout->channels + c) * size);
  }
  g_string_append_printf (text, "=%s", values->str + 1);
  if (i == 0 && output->has_events && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT))
    g_string_append_c (text, '!');
  g_string_free (values, TRUE);
  gst_memory_unmap (gst_buffer_peek_memory (buffer, 1), &times);
  gst_memory_unmap (gst_buffer_peek_memory (buffer, 0), &rows);
}

static gboolean
append_block (DemuxOutput *output, GString *text, guint index, GstBuffer *buffer)
{
  RobocacheRowLayout layout;

  if (!output->is_flat || !parse_block (output->caps->pdata[index], &layout))
    return FALSE;
  for (guint64 i = 0; i < layout.n_rows; i++)
    append_row (output, text, buffer, &layout, i);
  output->n_buffers++;
  return TRUE;
}

static void
append_buffer (DemuxOutput *output, GString *text, guint index, GstBuffer *buffer)
{
  if (append_block (output, text, index, buffer))
    return;
  g_string_append_c (text, ' ');
  append_ms (text, GST_BUFFER_PTS (buffer));
  g_string_append_c (text, '=');
  append_values (text, buffer, output->caps->pdata[index], output->has_bytes);
  if (output->has_events && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT))
    g_string_append_c (text, '!');
  output->n_buffers++;
}

static GstPadProbeReturn
note_data (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  DemuxOutput *output = user_data;
  const guint index = find_pad (pad);

  g_mutex_lock (&output->lock);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    append_buffer (output, text_of (output, pad), index, GST_PAD_PROBE_INFO_BUFFER (info));
  else
    append_event (output, text_of (output, pad), index, GST_PAD_PROBE_INFO_EVENT (info));
  g_cond_signal (&output->changed);
  g_mutex_unlock (&output->lock);
  return GST_PAD_PROBE_OK;
}

/* Each pad gets a sink that waits for nothing. Sticky events come once it is linked. */
static void
link_pad (GstElement *demux, GstPad *pad, gpointer user_data)
{
  DemuxOutput *output = user_data;
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *sinkpad = gst_element_get_static_pad (sink, "sink");
  GstObject *bin = gst_object_get_parent (GST_OBJECT (demux));
  gchar *id = gst_pad_get_stream_id (pad);

  g_object_set (sink, "async", FALSE, "sync", FALSE, NULL);
  g_mutex_lock (&output->lock);
  g_object_set_data (G_OBJECT (pad), "index", GUINT_TO_POINTER (output->texts->len));
  g_object_set_data (G_OBJECT (pad), "sink", sink);
  g_ptr_array_add (output->texts, g_string_new (NULL));
  g_ptr_array_add (output->caps, NULL);
  g_ptr_array_add (output->caps_texts, NULL);
  g_string_append_printf (text_of (output, pad), "%s %s:", GST_PAD_NAME (pad), strchr (id, '/') + 1);
  g_mutex_unlock (&output->lock);
  g_free (id);
  gst_bin_add (GST_BIN (bin), sink);
  gst_element_sync_state_with_parent (sink);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH, note_data,
      output, NULL);
  if (gst_pad_link (pad, sinkpad) != GST_PAD_LINK_OK)
    g_error ("%s cannot be linked", GST_PAD_NAME (pad));
  gst_object_unref (sinkpad);
  gst_object_unref (bin);
}

/* A sink that gets no EOS would keep the pipeline from its end. */
static void
remove_sink (GstElement *demux, GstPad *pad, gpointer user_data)
{
  GstElement *sink = g_object_get_data (G_OBJECT (pad), "sink");
  GstObject *bin = gst_object_get_parent (GST_OBJECT (demux));

  if (!sink || !bin)
    return;
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (bin), sink);
  gst_object_unref (bin);
}

static void
note_no_more_pads (GstElement *demux, gpointer output)
{
  ((DemuxOutput *) output)->no_more_pads = TRUE;
}

static void
free_text (gpointer text)
{
  g_string_free (text, TRUE);
}

void
demux_output_init (DemuxOutput *output, GstElement *demux, gboolean has_events)
{
  *output = (DemuxOutput) {.has_events = has_events };
  g_mutex_init (&output->lock);
  g_cond_init (&output->changed);
  output->texts = g_ptr_array_new_with_free_func (free_text);
  output->caps = g_ptr_array_new ();
  output->caps_texts = g_ptr_array_new_with_free_func (g_free);
  g_signal_connect (demux, "pad-added", G_CALLBACK (link_pad), output);
  g_signal_connect (demux, "pad-removed", G_CALLBACK (remove_sink), output);
  g_signal_connect (demux, "no-more-pads", G_CALLBACK (note_no_more_pads), output);
}

void
demux_output_clear (DemuxOutput *output)
{
  for (guint i = 0; i < output->caps->len; i++)
    gst_clear_caps ((GstCaps **) & output->caps->pdata[i]);
  g_ptr_array_unref (output->texts);
  g_ptr_array_unref (output->caps);
  g_ptr_array_unref (output->caps_texts);
  g_mutex_clear (&output->lock);
  g_cond_clear (&output->changed);
}

void
append_message (GString *text, GstMessage *message)
{
  const GstMessageType type = GST_MESSAGE_TYPE (message);
  GError *error = NULL;

  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (type == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else if (type == GST_MESSAGE_INFO)
    gst_message_parse_info (message, &error, NULL);
  if (error)
    g_string_append_printf (text, "%s %s; ", gst_message_type_get_name (type), error->message);
  g_clear_error (&error);
}

void
wait_for_end (GstElement *pipeline, GString *text)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessageType type;

  do {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING
        | GST_MESSAGE_INFO | GST_MESSAGE_SEGMENT_DONE);

    if (!message)
      g_error ("no end after 20 s");
    type = GST_MESSAGE_TYPE (message);
    append_message (text, message);
    gst_message_unref (message);
  } while (type == GST_MESSAGE_WARNING || type == GST_MESSAGE_INFO);
  gst_object_unref (bus);
}

void
append_pads (GString *text, DemuxOutput *output)
{
  for (guint i = 0; i < output->texts->len; i++)
    g_string_append_printf (text, "%s; ", ((GString *) g_ptr_array_index (output->texts, i))->str);
}

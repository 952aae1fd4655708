/* robocache: run a pipeline to its end, and keep what came out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/runpipeline.h"

static void
keep_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user_data)
{
  Output *out = (Output *) user_data;

  g_ptr_array_add (out->buffers, gst_buffer_ref (buffer));
  gst_caps_take (&out->caps, gst_pad_get_current_caps (pad));
}

static gboolean
is_from_tested_element (GstMessage *message)
{
  return GST_MESSAGE_SRC (message) && g_str_equal (GST_OBJECT_NAME (GST_MESSAGE_SRC (message)), "e");
}

/* TRUE: the pipeline has ended. */
static gboolean
take_message (Output *out, GstMessage *message)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    if (is_from_tested_element (message) && out->n_errors++ == 0)
      out->error = g_strdup (error->message);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    gst_message_parse_warning (message, &error, NULL);
    if (is_from_tested_element (message) && out->n_warnings++ == 0)
      out->warning = g_strdup (error->message);
  }
  g_clear_error (&error);
  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
}

Output
play_to_end (GstElement *pipeline)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink"), *e = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  Output out = { g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref) };
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean ended = FALSE;
  GstMessage *message;
  gulong id;

  g_object_set (sink, "signal-handoffs", TRUE, "sync", FALSE, NULL);
  id = g_signal_connect (sink, "handoff", G_CALLBACK (keep_buffer), &out);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!ended && (message = gst_bus_timed_pop (bus, 60 * GST_SECOND))) {
    ended = take_message (&out, message);
    gst_message_unref (message);
  }
  fail_unless (ended, "the pipeline did not end within a minute");
  if (e)
    g_object_get (e, "stats", &out.stats, NULL);
  gst_clear_object (&e);
  gst_element_set_state (pipeline, GST_STATE_READY);
  while ((message = gst_bus_pop (bus))) {
    take_message (&out, message);
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_signal_handler_disconnect (sink, id);
  gst_object_unref (bus);
  gst_object_unref (sink);
  return out;
}

Run
run_begin (gchar *description)
{
  GError *error = NULL;
  Run run = { gst_parse_launch (description, &error) };

  fail_unless (error == NULL, "%s: %s", description, error ? error->message : "");
  run.e = gst_bin_get_by_name (GST_BIN (run.pipeline), "e");
  g_free (description);
  return run;
}

void
run_preroll (const Run *run)
{
  gst_element_set_state (run->pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (gst_element_get_state (run->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
}

void
run_end (Run *run)
{
  gst_element_set_state (run->pipeline, GST_STATE_NULL);
  gst_clear_object (&run->e);
  gst_object_unref (run->pipeline);
  if (run->file)
    g_unlink (run->file);
  g_free (run->file);
}

Output
run_pipeline (const gchar *description)
{
  Run run = run_begin (g_strdup (description));
  Output out = play_to_end (run.pipeline);

  run_end (&run);
  return out;
}

void
output_clear (Output *out)
{
  g_ptr_array_unref (out->buffers);
  gst_clear_caps (&out->caps);
  gst_clear_structure (&out->stats);
  g_free (out->error);
  g_free (out->warning);
}

GstBuffer *
output_buffer (const Output *out, guint i)
{
  fail_unless (i < out->buffers->len, "buffer %u of %u", i, out->buffers->len);
  return g_ptr_array_index (out->buffers, i);
}

GstClockTime
output_pts (const Output *out, guint i)
{
  return GST_BUFFER_PTS (output_buffer (out, i));
}

gfloat
output_value (const Output *out, guint i, guint channel)
{
  gfloat value = 0.0f;

  fail_unless_equals_int (gst_buffer_extract (output_buffer (out, i), channel * sizeof value, &value, sizeof value),
      sizeof value);
  return value;
}

guint64
output_count (const Output *out, const gchar *field)
{
  guint64 value = 0;

  fail_unless (gst_structure_get_uint64 (out->stats, field, &value), "no %s in stats", field);
  return value;
}

GBytes *
output_bytes (const Output *out)
{
  GByteArray *all = g_byte_array_new ();

  for (guint i = 0; i < out->buffers->len; i++) {
    GstBuffer *buffer = output_buffer (out, i);
    GstMapInfo map;

    g_byte_array_append (all, (const guint8 *) &GST_BUFFER_PTS (buffer), sizeof (GstClockTime));
    g_byte_array_append (all, (const guint8 *) &GST_BUFFER_OFFSET (buffer), sizeof (guint64));
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    g_byte_array_append (all, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  return g_byte_array_free_to_bytes (all);
}

GBytes *
expect_equal_lives (const Run *run, guint n_lives)
{
  GBytes *first = NULL;

  for (guint life = 0; life < n_lives; life++) {
    Output out = play_to_end (run->pipeline);
    GBytes *bytes = output_bytes (&out);

    fail_unless (out.error == NULL, "%s", out.error);
    fail_unless (out.buffers->len > 100);
    fail_unless (!first || g_bytes_equal (first, bytes), "life %u differs", life);
    if (!first)
      first = g_bytes_ref (bytes);
    g_bytes_unref (bytes);
    output_clear (&out);
  }
  return first;
}

void
expect_complaints (const Output *out, const gchar *error, const gchar *warning, const gchar *name)
{
  fail_unless (out->n_errors == (error != NULL) && (!error || strstr (out->error, error)), "%s: %u errors: %s", name,
      out->n_errors, out->error);
  fail_unless (out->n_warnings == (warning != NULL) && (!warning || strstr (out->warning, warning)), "%s: %u warnings: %s", name,
      out->n_warnings, out->warning);
}

static void
count_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, gint *n)
{
  (*n)++;
}

void
expect_segments (const Run *run, const GstClockTime *stops, const gint *n_buffers, guint n)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (run->pipeline), "sink");
  GstBus *bus = gst_element_get_bus (run->pipeline);
  GstClockTime start = 0;
  gint n_received = 0;

  g_object_set (sink, "signal-handoffs", TRUE, "sync", FALSE, NULL);
  run_preroll (run);
  g_signal_connect (sink, "handoff", G_CALLBACK (count_buffer), &n_received);
  for (guint i = 0; i < n; i++) {
    const GstSeekFlags flags = (i == 0 ? GST_SEEK_FLAG_FLUSH : 0) | (i < n - 1 ? GST_SEEK_FLAG_SEGMENT : 0);
    GstMessage *message;
    GstFormat format;
    gint64 position;

    n_received = 0;
    fail_unless (gst_element_seek (run->pipeline, 1.0, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, (gint64) start,
            GST_SEEK_TYPE_SET, (gint64) stops[i]));
    gst_element_set_state (run->pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
        GST_MESSAGE_SEGMENT_DONE | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless (message && GST_MESSAGE_TYPE (message) == (i < n - 1 ? GST_MESSAGE_SEGMENT_DONE : GST_MESSAGE_EOS));
    if (i < n - 1) {
      gst_message_parse_segment_done (message, &format, &position);
      fail_unless_equals_int (format, GST_FORMAT_TIME);
      fail_unless_equals_uint64 ((guint64) position, stops[i]);
    }
    fail_unless_equals_int (n_received, n_buffers[i]);
    gst_message_unref (message);
    start = stops[i];
  }
  gst_element_set_state (run->pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
}

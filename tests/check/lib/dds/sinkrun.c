/* robocache: robocacherossink s in a pipeline of the test, fed by appsrc a0 and a1, and what readers in other processes get
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkrun.h"

#include <gst/check/gsttestclock.h>
#include <string.h>
#include <unistd.h>

#include "tests/check/lib/messagetext.h"

/* ---- a run ---- */

void
sink_run_begin (SinkRun *live, guint domain, const gchar *format, ...)
{
  GError *error = NULL;
  va_list args;
  gchar *launch;

  va_start (args, format);
  launch = g_strdup_vprintf (format, args);
  va_end (args);
  live->pipeline = gst_parse_launch (launch, &error);
  fail_unless (error == NULL, "%s: %s", launch, error ? error->message : "");
  g_free (launch);
  live->clock = NULL;
  live->domain = domain;
  live->sink = gst_bin_get_by_name (GST_BIN (live->pipeline), "s");
  live->sources[0] = gst_bin_get_by_name (GST_BIN (live->pipeline), "a0");
  live->sources[1] = gst_bin_get_by_name (GST_BIN (live->pipeline), "a1");
  g_object_set (live->sink, "domain", domain, "time-origin", ORIGIN_S * (gint64) GST_SECOND, NULL);
}

/* Of the appsrc a0 or a1. */
void
live_set_caps (SinkRun *live, guint source, const gchar *format, ...)
{
  GstCaps *caps;
  va_list args;
  gchar *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  caps = gst_caps_from_string (text);
  fail_unless (caps != NULL, "%s", text);
  g_object_set (live->sources[source], "caps", caps, NULL);
  gst_caps_unref (caps);
  g_free (text);
}

/* Running time is what the test sets. */
void
live_use_test_clock (SinkRun *live)
{
  live->clock = gst_test_clock_new ();
  gst_pipeline_use_clock (GST_PIPELINE (live->pipeline), live->clock);
  gst_element_set_start_time (live->pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_base_time (live->pipeline, 0);
}

void
live_set (SinkRun *live, GstState state)
{
  fail_if (gst_element_set_state (live->pipeline, state) == GST_STATE_CHANGE_FAILURE);
}

/* In this state before it returns. */
void
live_reach (SinkRun *live, GstState state)
{
  live_set (live, state);
  fail_if (gst_element_get_state (live->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE) == GST_STATE_CHANGE_FAILURE);
}

void
sink_run_end (SinkRun *live)
{
  gst_element_set_state (live->pipeline, GST_STATE_NULL);
  gst_clear_object (&live->sources[0]);
  gst_clear_object (&live->sources[1]);
  gst_clear_object (&live->clock);
  gst_object_unref (live->sink);
  gst_object_unref (live->pipeline);
}

void
push_bytes (SinkRun *live, guint source, GstClockTime pts, gconstpointer bytes, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_memdup (bytes, size);
  GstFlowReturn flow;

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = PERIOD;
  g_signal_emit_by_name (live->sources[source], "push-buffer", buffer, &flow);
  fail_unless_equals_int (flow, GST_FLOW_OK);
  gst_buffer_unref (buffer);
}

/* A row of two channels. */
void
push_row (SinkRun *live, guint source, GstClockTime pts, gdouble value)
{
  const gdouble row[] = { value, -value };

  push_bytes (live, source, pts, row, sizeof (row));
}

void
end_stream (SinkRun *live, guint source)
{
  GstFlowReturn flow;

  g_signal_emit_by_name (live->sources[source], "end-of-stream", &flow);
}

guint64
sink_count (const SinkRun *live, const gchar *pad, const gchar *field)
{
  const GstStructure *stream;
  GstStructure *stats;
  guint64 n = 0;
  guint small = 0;

  g_object_get (live->sink, "stats", &stats, NULL);
  stream = gst_value_get_structure (gst_structure_get_value (stats, pad));
  if (gst_structure_get_uint (stream, field, &small))
    n = small;
  else
    fail_unless (gst_structure_get_uint64 (stream, field, &n), "no %s", field);
  gst_structure_free (stats);
  return n;
}

/* Wakes those that wait for a time that the clock of the test has passed. */
static void
wake_due (const SinkRun *live)
{
  GstClockID id = live->clock ? gst_test_clock_process_next_clock_id (GST_TEST_CLOCK (live->clock)) : NULL;

  if (id)
    gst_clock_id_unref (id);
}

void
sink_run_wait_for_count (const SinkRun *live, const gchar *pad, const gchar *field, guint64 n)
{
  while (sink_count (live, pad, field) != n) {
    wake_due (live);
    g_usleep (1000);
  }
}

GstMessage *
next_message (const SinkRun *live, GstMessageType types)
{
  GstBus *bus = gst_element_get_bus (live->pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, types | GST_MESSAGE_ERROR);

  gst_object_unref (bus);
  return message;
}

void
wait_for_eos (const SinkRun *live)
{
  GstMessage *message = next_message (live, GST_MESSAGE_EOS);
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (error == NULL, "%s", error ? error->message : "");
  gst_message_unref (message);
}

/* ---- what readers get ---- */

Received
receive (Peer *peer, guint reader)
{
  gchar **words = g_strsplit (peer_do (peer, "next %u", reader), " ", 3);
  const Received received = { g_ascii_strtoll (words[0], NULL, 10), g_ascii_strtoll (words[1], NULL, 10), bytes_of_hex (words[2]) };

  g_strfreev (words);
  return received;
}

guint
waiting (Peer *peer, guint reader)
{
  return (guint) atoi (peer_do (peer, "count %u", reader));
}

/* The first number of a Float64MultiArray: after the encoding, no dimensions, the offset and the count, at a multiple of 8. */
gdouble
receive_number (Peer *peer, guint reader)
{
  const Received received = receive (peer, reader);
  gdouble number;

  fail_unless (received.bytes->len >= 4 + 16 + sizeof (number));
  memcpy (&number, received.bytes->data + 4 + 16, sizeof (number));
  g_byte_array_unref (received.bytes);
  return number;
}

/* A network pads messages to a multiple of four bytes. */
void
expect_message_bytes (const GByteArray *received, gconstpointer expected, gsize size, const gchar *what)
{
  gchar *got = hex_of_bytes (received->data, received->len), *wanted = hex_of_bytes (expected, size);

  fail_unless (received->len >= size && received->len < size + 4 && memcmp (received->data, expected, size) == 0, "%s: %s is not %s", what, got,
      wanted);
  g_free (got);
  g_free (wanted);
}

gchar *
make_csv (const gchar *text)
{
  gchar *path = NULL;
  const gint fd = g_file_open_tmp ("rossink-XXXXXX.csv", &path, NULL);

  fail_unless (fd >= 0);
  close (fd);
  fail_unless (g_file_set_contents (path, text, -1, NULL));
  return path;
}

/* The settings as those of sink_0. */
gchar *
on_pad (const gchar *settings)
{
  gchar **words = g_strsplit (settings, " ", -1);
  GString *text = g_string_new (NULL);

  for (guint i = 0; words[i]; i++)
    if (*words[i])
      g_string_append_printf (text, " sink_0::%s", words[i]);
  g_strfreev (words);
  return g_string_free (text, FALSE);
}

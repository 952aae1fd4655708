/* robocache: a pipeline of robocacherossrc, and a peer that publishes what it reads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live.h"

/* Statistics have no event. */
#define POLL_US 1000

void
live_begin (Live *live, guint domain, const gchar *properties)
{
  gchar *launch = g_strdup_printf ("pipeline. ( robocacherossrc name=d domain=%u wait=18446744073709551615 %s )", domain, properties);

  live->origin_ns = g_get_real_time () / G_TIME_SPAN_SECOND * (gint64) GST_SECOND;
  live->pipeline = gst_parse_launch (launch, NULL);
  g_free (launch);
  live->source = gst_bin_get_by_name (GST_BIN (live->pipeline), "d");
  g_object_set (live->source, "time-origin", live->origin_ns, "max-future", 10 * GST_SECOND, NULL);
  live->peer = peer_start (domain);
  demux_output_init (&live->output, live->source, FALSE);
}

void
live_play (Live *live)
{
  fail_unless_equals_int (gst_element_set_state (live->pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_NO_PREROLL);
  fail_if (gst_element_set_state (live->pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE);
}

void
live_end (Live *live)
{
  gst_element_set_state (live->pipeline, GST_STATE_NULL);
  if (live->peer)
    peer_stop (live->peer);
  demux_output_clear (&live->output);
  gst_object_unref (live->source);
  gst_object_unref (live->pipeline);
}

guint
live_buffers (Live *live)
{
  guint n;

  g_mutex_lock (&live->output.lock);
  n = live->output.n_buffers;
  g_mutex_unlock (&live->output.lock);
  return n;
}

void
wait_for_buffers (Live *live, guint n)
{
  g_mutex_lock (&live->output.lock);
  while (live->output.n_buffers < n)
    g_cond_wait (&live->output.changed, &live->output.lock);
  g_mutex_unlock (&live->output.lock);
}

void
send_wrench_at (Live *live, guint writer, gint64 time_ns, guint force)
{
  peer_do (live->peer, "text %u 1 (((%" G_GINT64_FORMAT " %" G_GINT64_FORMAT ") 'base') ((%u 0 0) (0 0 0)))", writer,
      time_ns / (gint64) GST_SECOND, time_ns % (gint64) GST_SECOND, force);
}

void
send_wrench (Live *live, guint writer, guint ms, guint force)
{
  send_wrench_at (live, writer, live->origin_ns + ms * (gint64) GST_MSECOND, force);
}

void
open_wrench (Live *live, const gchar *topic, guint writer, const gchar *settings)
{
  peer_do (live->peer, "open %s " WRENCH " %s", topic, settings);
  peer_do (live->peer, "wait %u 1", writer);
}

void
expect_pads (Live *live, const gchar *expected)
{
  GString *text = g_string_new (NULL);

  g_mutex_lock (&live->output.lock);
  append_pads (text, &live->output);
  g_mutex_unlock (&live->output.lock);
  fail_unless_equals_string (text->str, expected);
  g_string_free (text, TRUE);
}

guint64
live_count (const Live *live, const gchar *field)
{
  GstStructure *stats;
  guint64 n = 0;

  g_object_get (live->source, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &n), "no %s", field);
  gst_structure_free (stats);
  return n;
}

void
wait_for_count (const Live *live, const gchar *field, guint64 n)
{
  while (live_count (live, field) < n)
    g_usleep (POLL_US);
}

/* Free with g_free. */
static gchar *
next_complaint (const Live *live)
{
  GstBus *bus = gst_element_get_bus (live->pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  GString *text = g_string_new (NULL);

  append_message (text, message);
  gst_message_unref (message);
  gst_object_unref (bus);
  return g_string_free (text, FALSE);
}

void
expect_complaint (const Live *live, const gchar *expected)
{
  gchar *text = next_complaint (live);

  fail_unless (g_str_has_prefix (text, expected), "\"%s\" is not \"%s\"", text, expected);
  g_free (text);
}

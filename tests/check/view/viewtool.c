/* robocache: a pipeline with a robocachefoxglovesink named s, for tests in Python
 *
 *     viewtool LAUNCH
 *
 * Prints "port N" when the pipeline is prerolled, plays it after a line on standard input, prints "end" at its end, and exits after another line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <stdio.h>

static gboolean
wait_for_line (void)
{
  gchar line[16];

  fflush (stdout);
  return fgets (line, sizeof line, stdin) != NULL;
}

static guint
port_of (GstElement *pipeline)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstStructure *stats;
  guint port = 0;

  g_object_get (sink, "stats", &stats, NULL);
  gst_structure_get_uint (stats, "port", &port);
  gst_structure_free (stats);
  gst_object_unref (sink);
  return port;
}

/* Whether it ended without an error. */
static gboolean
play (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gboolean is_end;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  is_end = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  puts (is_end ? "end" : "error");
  gst_message_unref (message);
  gst_object_unref (bus);
  return is_end;
}

int
main (int argc, char **argv)
{
  GstElement *pipeline;
  GError *error = NULL;
  gboolean is_good;

  gst_init (&argc, &argv);
  pipeline = argc == 2 ? gst_parse_launch (argv[1], &error) : NULL;
  if (!pipeline || error) {
    fprintf (stderr, "usage: viewtool LAUNCH: %s\n", error ? error->message : "");
    return 2;
  }
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  is_good = gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE) != GST_STATE_CHANGE_FAILURE;
  if (is_good) {
    printf ("port %u\n", port_of (pipeline));
    is_good = wait_for_line () && play (pipeline) && wait_for_line ();
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return is_good ? 0 : 1;
}

/* robocache: prints what robocacherossrc makes of live topics
 *
 *   rossrctool N PROPERTIES      until N buffers came, or 55 s are over; the texts of its pads, one a line
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/check/lib/recordings/demuxrun.h"

#define LIMIT_US (55 * G_TIME_SPAN_SECOND)

int
main (int argc, char **argv)
{
  GString *text = g_string_new (NULL);
  const gint64 end_us = g_get_monotonic_time () + LIMIT_US;
  GstElement *pipeline, *source;
  DemuxOutput output;
  gchar *launch;

  gst_init (&argc, &argv);
  if (argc != 3)
    return 2;
  launch = g_strdup_printf ("pipeline. ( robocacherossrc name=d %s )", argv[2]);
  pipeline = gst_parse_launch (launch, NULL);
  source = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  demux_output_init (&output, source, FALSE);
  output.has_bytes = TRUE;
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_mutex_lock (&output.lock);
  while (output.n_buffers < (guint) atoi (argv[1]) && g_cond_wait_until (&output.changed, &output.lock, end_us))
    ;
  g_mutex_unlock (&output.lock);
  append_pads (text, &output);
  puts (text->str);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  demux_output_clear (&output);
  gst_object_unref (source);
  gst_object_unref (pipeline);
  g_string_free (text, TRUE);
  g_free (launch);
  return 0;
}

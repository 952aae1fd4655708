/* robocache: recordings through robocachemcapdemux or robocachebagsrc, for programs in Python
 *
 *   demuxtool PROPERTIES FILE BLOCKSIZE   prints a line for each message of the bus and each pad, as demuxrun.h has them; blocks of 0
 *                                         bytes: random access; "bag": robocachebagsrc
 *   demuxtool PROPERTIES FILE BLOCKSIZE START STOP   plays from START to STOP (ms), with events
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>

#include "tests/check/lib/recordings/demuxrun.h"

/* The elements of the file, the last of them named d. Freed with g_free. */
static gchar *
launch_line (const gchar *properties, const gchar *file, const gchar *block)
{
  if (g_str_equal (block, "bag"))
    return g_strdup_printf ("pipeline. ( robocachebagsrc location=\"%s\" name=d %s )", file, properties);
  if (g_str_equal (block, "0"))
    return g_strdup_printf ("filesrc location=\"%s\" ! robocachemcapdemux name=d %s", file, properties);
  return g_strdup_printf ("filesrc location=\"%s\" blocksize=%s ! queue ! robocachemcapdemux name=d %s", file, block, properties);
}

/* Goes to a part of the recording, once all pads are there. What came before is in front of "flush". */
static void
seek (GstElement *pipeline, GstElement *demux, DemuxOutput *output, gchar **ms)
{
  const gint64 start = g_ascii_strtoll (ms[0], NULL, 10) * GST_MSECOND, stop = g_ascii_strtoll (ms[1], NULL, 10) * GST_MSECOND;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  g_mutex_lock (&output->lock);
  while (output->n_buffers == 0)
    g_cond_wait (&output->changed, &output->lock);
  g_mutex_unlock (&output->lock);
  if (!gst_element_seek (demux, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET, stop))
    puts ("refused");
}

int
main (int argc, char **argv)
{
  GString *text = g_string_new (NULL);
  GstElement *pipeline, *demux;
  DemuxOutput output;
  gchar *launch;
  gchar **lines;

  if (argc != 4 && argc != 6)
    return 2;
  gst_init (NULL, NULL);
  launch = launch_line (argv[1], argv[2], argv[3]);
  pipeline = gst_parse_launch (launch, NULL);
  demux = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  demux_output_init (&output, demux, argc == 6);
  output.has_bytes = TRUE;
  if (argc == 6)
    seek (pipeline, demux, &output, argv + 4);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_end (pipeline, text);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  append_pads (text, &output);
  lines = g_strsplit (text->str, "; ", -1);
  for (guint i = 0; lines[i]; i++)
    puts (lines[i]);
  g_strfreev (lines);
  demux_output_clear (&output);
  gst_object_unref (demux);
  gst_object_unref (pipeline);
  g_string_free (text, TRUE);
  g_free (launch);
  return 0;
}

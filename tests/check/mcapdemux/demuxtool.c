/* robocache: recordings through robocachemcapdemux, for official.py
 *
 *   demuxtool PROPERTIES FILE BLOCKSIZE   prints a line for each message of the bus and each pad, as demuxrun.h has them; blocks of 0
 *                                         bytes: random access
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>

#include "demuxrun.h"

int
main (int argc, char **argv)
{
  GString *text = g_string_new (NULL);
  GstElement *pipeline, *demux;
  DemuxOutput output;
  gchar *launch;
  gchar **lines;

  if (argc != 4)
    return 2;
  gst_init (NULL, NULL);
  launch = g_strdup_printf ("filesrc location=%s %s%s ! %s robocachemcapdemux name=d %s", argv[2], *argv[3] == '0' ? "" : "blocksize=",
      *argv[3] == '0' ? "" : argv[3], *argv[3] == '0' ? "" : "queue !", argv[1]);
  pipeline = gst_parse_launch (launch, NULL);
  demux = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  demux_output_init (&output, demux, FALSE);
  output.has_bytes = TRUE;
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

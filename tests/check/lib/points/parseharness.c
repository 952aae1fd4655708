/* robocache: ways to run robocacheparse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/parseharness.h"

gchar *
write_file (gconstpointer bytes, gssize n)
{
  gchar *path;
  gint fd = g_file_open_tmp ("robocacheparse-XXXXXX", &path, NULL);

  fail_unless (fd >= 0);
  close (fd);
  fail_unless (g_file_set_contents (path, bytes, n, NULL));
  return path;
}

gchar *
describe (const gchar *path, const gchar *properties, guint block)
{
  return g_strdup_printf (
      "filesrc location=%s blocksize=%u ! robocacheparse name=e %s ! fakesink name=sink", path, block, properties);
}

Run
file_run_begin (gconstpointer bytes, gssize n, const gchar *properties, guint block)
{
  gchar *path = write_file (bytes, n);
  Run run = run_begin (describe (path, properties, block));

  run.file = path;
  return run;
}

Output
parse (const gchar *text, const gchar *properties)
{
  Run run = file_run_begin (text, -1, properties, 4096);
  Output out = play_to_end (run.pipeline);

  run_end (&run);
  return out;
}

GstHarness *
parse_harness (const gchar *properties)
{
  GstHarness *h = element_open ("robocacheparse", properties);

  gst_harness_set_src_caps_str (h, "text/csv");
  return h;
}

GstFlowReturn
push_text (GstHarness *h, const gchar *text)
{
  return gst_harness_push (h, gst_buffer_new_memdup (text, strlen (text)));
}

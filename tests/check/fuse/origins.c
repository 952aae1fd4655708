/* robocache: robocachefuse, streams that count from their own first rows, on one clock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

#include <glib/gstdio.h>


/* The value of a row is its own time in ms: a shift of 20 ms is seen as t-20. */
static const Scenario scenarios[] = {
  {"tags of something else", "rate=100/1", "a b", "ab:title a:origin=1000 b:origin=1000 ab+0..20/10 eos >0..20/10 >eos"},

  /* a seek to 100 ms of the element is one to 80 ms of the stream that is shifted by 20 ms */
  {"a source that obeys a seek", "rate=100/1", "a,on-seek:flush b,on-seek:flush",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 seek:100 drop a:sought=100 b:sought=80 a:segment:start=100 b:segment:start=80 "
      "a+100..130/10 b+80..110/10 eos >100..130/10 b=t-20 >eos"},
  {"a source that begins where the others do after a seek", "rate=100/1", "a,on-seek:flush b,on-seek:flush",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 seek:100 drop a:segment:start=100 b:segment:start=100 "
      "a+100..130/10 b+100..110/10 eos >100..110/10 b=missing >120..130/10 b=t-20 >eos"},
  {"a seek to a time before the stream begins", "rate=100/1", "a,on-seek:flush b,on-seek:flush",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 seek:10..40 drop a:sought=10..40 b:sought=0..20 a:segment:start=10,stop=40 "
      "b:segment:start=0,stop=20 a+10..40/10 b+0..20/10 eos >10 b=missing >20..30/10 b=t-20 >eos"},
};

/* ---- parsers, and what is between them and the element ---- */

/* Rows of 100 Hz from the time first on: the value is the time in ms since 1700000000. */
static gchar *
write_recording (const gchar *folder, const gchar *name, gint first_ms, gint n)
{
  GString *text = g_string_new ("t,v\n");
  gchar *path = g_build_filename (folder, name, NULL);

  for (gint i = 0; i < n; i++)
    g_string_append_printf (text, "%d.%03d,%d\n", 1700000000 + (first_ms + 10 * i) / 1000, (first_ms + 10 * i) % 1000, first_ms + 10 * i);
  fail_unless (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
  g_string_free (text, TRUE);
  return path;
}

static const gchar *const between[] = { "", "queue ! ", "robocacheresample rate=100/1 ! ", "queue ! robocacheresample rate=100/1 ! queue ! ",
  "gdppay ! gdpdepay ! "
};

/* Where both are there they have the same value. */
static void
assert_one_clock (const gchar *bytes, gsize size)
{
  const gfloat *rows = (const gfloat *) (gconstpointer) bytes;

  fail_unless_equals_uint64 (size, 300 * 2 * sizeof (gfloat));
  for (guint i = 0; i < 300; i++) {
    assert_value (rows[2 * i], 200 + 10 * (gfloat) i);
    assert_value (rows[2 * i + 1], i >= 125 && i < 225 ? 200 + 10 * (gfloat) i : NAN);
  }
}

/* 300 rows and 100 rows that begin 1.25 s later, read in whatever order threads run: the same bytes. */
static void
align_often (const gchar *folder, const gchar *elements)
{
  gchar *out = g_build_filename (folder, "out.f32", NULL), *bytes, *before = NULL;
  gchar *a = write_recording (folder, "a.csv", 200, 300), *b = write_recording (folder, "b.csv", 1450, 100);
  gchar *line = g_strdup_printf ("robocachefuse name=fuse rate=100/1 layout=concat pads=\"proprio_0,hold-limit=0;proprio_1,hold-limit=0\" "
      "! filesink location=%s filesrc location=%s ! robocacheparse ! %s fuse.proprio_0 filesrc location=%s ! robocacheparse ! %s "
      "fuse.proprio_1", out, a, elements, b, elements);

  for (guint run = 0; run < 20; run++) {
    GstElement *fuse, *pipeline = launch (line, &fuse);
    gsize size;

    run_to_eos (pipeline);
    end_pipeline (pipeline, fuse);
    fail_unless (g_file_get_contents (out, &bytes, &size, NULL));
    assert_one_clock (bytes, size);
    fail_unless (before == NULL || memcmp (before, bytes, size) == 0, "run %u differs", run);
    g_free (before);
    before = bytes;
  }
  g_remove (out);
  g_remove (a);
  g_remove (b);
  g_free (before);
  g_free (line);
  g_free (a);
  g_free (b);
  g_free (out);
}

GST_START_TEST (test_recordings)
{
  gchar *folder = g_dir_make_tmp ("robocache-XXXXXX", NULL);

  if (strstr (between[__i__], "gdppay") == NULL || gst_registry_check_feature_version (gst_registry_get (), "gdppay", 1, 0, 0))
    align_often (folder, between[__i__]);
  g_rmdir (folder);
  g_free (folder);
}

GST_END_TEST;

/* ---- seeks ---- */

#define N_SEEKS 40

typedef struct
{
  GstClockTime start;           /* samples before it are not collected */
  GByteArray *bytes;            /* PTS and values of each sample */
} Samples;

static void
collect_sample (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  const Samples *samples = data;
  const guint64 pts = GST_BUFFER_PTS (buffer);
  GstMapInfo map;

  if (pts < samples->start)
    return;
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_byte_array_append (samples->bytes, (const guint8 *) &pts, sizeof (pts));
  g_byte_array_append (samples->bytes, map.data, (guint) map.size);
  gst_buffer_unmap (buffer, &map);
}

/* The samples from start on, of a run from the beginning or after a seek. */
static GByteArray *
play_from (const gchar *line, GstClockTime start, gboolean is_sought)
{
  GstElement *fuse, *pipeline = launch (line, &fuse), *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  Samples samples = { start, g_byte_array_new () };

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  if (is_sought) {
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, (gint64) start));
    gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  }
  g_signal_connect (sink, "handoff", G_CALLBACK (collect_sample), &samples);
  run_to_eos (pipeline);
  gst_object_unref (sink);
  end_pipeline (pipeline, fuse);
  return samples.bytes;
}

static const gchar *const interpolations[] = { "nearest", "previous", "linear" };

/* Rows at 30 Hz beside some at 100 Hz: the row before the start is in force there. */
GST_START_TEST (test_seeks_are_as_a_whole_run)
{
  gchar *folder = g_dir_make_tmp ("robocache-XXXXXX", NULL), *a = write_recording (folder, "a.csv", 0, 300), *b;
  GString *slow = g_string_new ("t,v\n");
  gchar *line;

  for (gint i = 0; i < 90; i++)
    g_string_append_printf (slow, "%d.%03d,%d\n", 1700000000 + i * 33 / 1000, i * 33 % 1000, i);
  b = g_build_filename (folder, "b.csv", NULL);
  fail_unless (g_file_set_contents (b, slow->str, (gssize) slow->len, NULL));
  line = g_strdup_printf ("robocachefuse name=fuse rate=50/1 layout=concat pads=\"proprio_1,interpolation=%s\" ! fakesink name=sink signal-handoffs=true "
      "filesrc location=%s ! robocacheparse ! queue ! fuse.proprio_0 filesrc location=%s ! robocacheparse ! queue ! fuse.proprio_1",
      interpolations[__i__], a, b);
  for (guint i = 1; i <= N_SEEKS; i++) {
    GByteArray *whole = play_from (line, i * 60 * GST_MSECOND, FALSE), *part = play_from (line, i * 60 * GST_MSECOND, TRUE);

    fail_unless (whole->len > 0 && whole->len == part->len, "%u bytes instead of %u after a seek to %u ms", part->len, whole->len, i * 60);
    fail_unless (memcmp (whole->data, part->data, whole->len) == 0, "other samples after a seek to %u ms", i * 60);
    g_byte_array_unref (whole);
    g_byte_array_unref (part);
  }
  g_remove (a);
  g_remove (b);
  g_rmdir (folder);
  g_string_free (slow, TRUE);
  g_free (line);
  g_free (a);
  g_free (b);
  g_free (folder);
}

GST_END_TEST;

CHECK_MAIN (robocachefuseorigins, NULL, NULL, EACH (between, test_recordings), EACH (interpolations, test_seeks_are_as_a_whole_run),
  add_scenarios (suite, scenarios, G_N_ELEMENTS (scenarios), FALSE))

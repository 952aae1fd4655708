/* robocache: robocachefuse, streams that count from their own first rows, on one clock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fusescenario.h"

#include <glib/gstdio.h>

#define TWO_CLOCKS(why) "'warning:|proprio_1|proprio_0|0.030 s|" why "|time-origin=1000000000|start=own'"

/* The value of a row is its own time in ms: a shift of 20 ms is seen as t-20. */
static const Scenario scenarios[] = {
  {"two streams, the later origin is announced last", "rate=100/1", "a b",
      "a:origin=1000 a+0..50/10 b:origin=1020 b+0..50/10 eos >0..10/10 b=missing >20..50/10 b=t-20 >60..70/10 a=held:50 b=t-20 >eos "
      "a.origin-shift=0 b.origin-shift=20ms"},
  {"two streams, the later origin is announced first", "rate=100/1", "a b",
      "b:origin=1020 b+0..50/10 a:origin=1000 a+0..50/10 eos >0..10/10 b=missing >20..50/10 b=t-20 >60..70/10 a=held:50 b=t-20 >eos"},
  {"three, of which the last is the earliest", "rate=100/1", "a b c",
      "a:origin=1030 a+0..10/10 b:origin=1020 b+0..20/10 c:origin=1000 c+0..40/10 eos >0..10/10 a=missing b=missing "
      ">20 a=missing b=0 >30 a=0 b=10 >40 a=10 b=20 >eos a.origin-shift=30ms b.origin-shift=20ms c.origin-shift=0"},
  {"equal origins", "rate=100/1", "a b", "ab:origin=1000 ab+0..20/10 eos >0..20/10 >eos a.origin-shift=0 b.origin-shift=0 no:warning"},
  {"a UTC origin and one of a counter are years apart", "rate=100/1", "a b",
      "a:origin=1700000000000 b:origin=5 a.origin-shift=1699999999995000000"},
  {"the ends of time", "rate=100/1", "a b",
      "a:origin=9223372036854 b:origin=-9223372036854 a.origin-shift=9223372036854775807"},
  {"a stream without an origin stays", "rate=100/1", "a b c",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 c+0..30/10 eos >0..10/10 b=missing >20..30/10 b=t-20 >40..50/10 a=held:30 b=t-20 "
      "c=held:30 >eos"},
  {"offset is added", "rate=100/1", "a b,offset=-20ms",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 eos >0..30/10 >eos"},
  {"ticks are the rows of a stream that is shifted", "reference-pad=proprio_1", "a b",
      "b:origin=1020 b+0..20/10 a:origin=1000 a+0..50/10 eos >20..40/10 b=t-20 >eos"},
  {"ticks are the rows of a stream, and another is shifted", "reference-pad=proprio_0", "a b",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..10/10 eos >0..10/10 b=missing >20..30/10 b=t-20 >eos"},
  {"a GAP is shifted as rows are", "rate=100/1", "a b,max-gap=20ms,hold-limit=0",
      "a:origin=1000 a+0..70/10 b:origin=1020 b+0 b:gap:1,49 >0..10/10 b=missing >20 b=0 >30..50/10 b=missing ."},
  {"the origin again, after each segment", "rate=100/1", "a b",
      "a:origin=1000 a+0..20/10 b:origin=1010 b+0 b:segment b:origin=1010 b+10 eos >0 b=missing >10..20/10 b=t-10 >eos no:warning"},
  {"another origin after rows: they stay where they are", "rate=100/1", "a b",
      "a:origin=1000 a+0..20/10 b:origin=1010 b+0 b:segment b:origin=1015 b+10 eos 'warning:proprio_1|1015000000' "
      ">0 b=missing >10..20/10 b=t-10 >eos no:warning"},
  {"an origin after rows", "rate=100/1", "a b",
      "a:origin=1000 ab+0..20/10 b:origin=1010 eos 'warning:proprio_1|1010000000' >0..20/10 >eos"},
  {"a pad that comes later, with an earlier origin: ticks go on", "rate=100/1", "a b,absent",
      "a:origin=1000 a+0..30/10 >0..10/10 b:add b:start b:origin=990 b+0..50/10 a+40 eos >20..40/10 b=t+10 >eos b.origin-shift=-10000000"},
  {"a pad that comes later, with the first origin of all: ticks go on", "rate=100/1", "a b,absent",
      "a+0..30/10 >0..10/10 b:add b:start b:origin=990 b+0..50/10 a+40 eos >20..40/10 >50 a=held:40 >eos"},
  {"the pad with the earliest origin goes before the first tick", "rate=100/1", "a b c",
      "a:origin=1000 b:origin=1010 c:origin=1020 a:remove b+0..30/10 c+0..20/10 eos >0 c=missing >10..30/10 c=t-10 >eos"},
  {"a flush keeps the shift", "rate=100/1", "a b",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 >0..10/10 b=missing ab:flush ab:segment a:origin=1000 "
      "b:origin=1020 a+0..30/10 b+0..30/10 eos >0..10/10 b=missing >20..30/10 b=t-20 >40..50/10 a=held:30 b=t-20 >eos no:warning"},
  {"another recording after a flush", "rate=100/1", "a b",
      "a:origin=1000 a+0..30/10 b:origin=1020 b+0..30/10 >0..10/10 b=missing ab:flush ab:segment a:origin=1005 "
      "b:origin=1015 a+0..30/10 b+0..30/10 eos >0 b=missing >10..30/10 b=t-10 >40 a=held:30 b=30 >eos no:warning"},
  {"a new start forgets origins", "rate=100/1", "a b",
      "a:origin=1000 b:origin=1020 stop play ab:start ab+0..20/10 eos >0..20/10 >eos b.origin-shift=0"},
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

  /* what is not shifted is told */
  {"one was set by hand", "rate=100/1", "a b",
      "a:origin-set=1000 a+0..20/10 b:origin=1030 " TWO_CLOCKS ("set by hand") " b+0..20/10 eos >0..20/10 >eos no:warning"},
  {"all were set by hand", "rate=100/1", "a b", "a:origin-set=1000 b:origin-set=1030 ab+0..20/10 eos >0..20/10 >eos no:warning"},
  {"one was set by hand, and is the same", "rate=100/1", "a b",
      "a:origin-set=1000 b:origin=1000 ab+0..20/10 eos >0..20/10 >eos no:warning"},
  {"two live sources", "rate=100/1", "a,live b,live",
      "a:origin=1000 b:origin=1030 " TWO_CLOCKS ("live") " ab+0..30/10 >0..20/10 no:warning b.origin-shift=0"},
  {"two recordings beside a live source are shifted", "rate=100/1", "a b c,live",
      "a:origin=1000 b:origin=1010 b.origin-shift=10ms a+0..40/10 b+0..30/10 c+0..40/10 >0 b=missing >10..30/10 b=t-10 no:warning"},
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

static Suite *
robocachefuseorigins_suite (void)
{
  Suite *s = suite_create ("robocachefuseorigins");

  tcase_add_loop_test (add_case (s, "recordings"), test_recordings, 0, G_N_ELEMENTS (between));
  add_scenarios (s, scenarios, G_N_ELEMENTS (scenarios), FALSE);
  return s;
}

GST_CHECK_MAIN (robocachefuseorigins);

/* robocache: the running time of each row of a buffer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <string.h>

#include "common/time/rowtimes.h"
#include "tests/check/lib/checks.h"

/* Words: PTS/DURATION*N=TIMES a buffer of N rows, - for none, and the running times of its rows, -1 for those outside the
 * segment, or none; PTS/DURATION@ROWTIMES=TIMES one with a time for each row; rate:NUM/DEN; seg:START,STOP,BASE,OFFSET,RATE. */
static const gchar *const scenarios[] = {
  /* row i is at PTS + floor (i duration / R) */
  "0/40*4=0,10,20,30", "1000/40*4=1000,1010,1020,1030", "0/10*4=0,2,5,7", "5/10*1=5", "5/-*1=5", "5/-*3=5,5,5", "5/0*3=5,5,5",
  "0/9000000000000000000*3=0,3000000000000000000,6000000000000000000",
  "10000000000000000000/0*1=-1",        /* beyond int64 */
  /* without a PTS a buffer continues the one before, unless that has no duration or was in another segment */
  "-/10*1=none 100/10*1=100 -/20*2=110,120 -/-*1=130 -/10*1=none",
  "rate:100/1 0/-*2=0,5000000 -/-*1=10000000 -/1*1=20000000 -/-*1=20000001 rate:0/1 -/-*1=30000001 -/-*1=none",
  "0/10*1=0 seg:0,-,0,0,1 -/10*1=none",
  /* row times win over the PTS, and need none; none is before 0 or the segment */
  "500/40@30,20,-1,99=30,20,-1,99 -/-@30,20,-1,99=30,20,-1,99 seg:25,-,1000,0,1 -/-@30,20,-1,99=1005,-1,-1,1074",
  "seg:0,-,0,0,1 100/-*1=100", "seg:50,-,0,0,1 100/-*1=50 49/-*1=-1", "seg:50,-,1000,0,1 100/-*1=1050",
  "seg:50,-,1000,10,1 100/-*1=1040", "seg:50,100,0,0,1 100/-*1=50 101/-*1=-1", "seg:0,-,0,0,2 100/-*1=50",
};

static guint64
parse_time (const gchar *text)
{
  return *text == '-' && !g_ascii_isdigit (text[1]) ? GST_CLOCK_TIME_NONE : g_ascii_strtoull (text, NULL, 10);
}

static void
set_segment (RobocacheRowTimes *clock, const gchar *text)
{
  gchar **numbers = g_strsplit (text, ",", 5);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = parse_time (numbers[0]);
  segment.stop = parse_time (numbers[1]);
  segment.base = parse_time (numbers[2]);
  segment.offset = parse_time (numbers[3]);
  segment.rate = g_ascii_strtod (numbers[4], NULL);
  robocache_row_times_set_segment (clock, &segment);
  g_strfreev (numbers);
}

/* The times of the rows of one buffer, in words. row_times: words, or NULL; those of every other scenario are not aligned. */
static gchar *
times_of (RobocacheRowTimes *clock, GstBuffer *buffer, guint n, gchar **row_times, gsize misalignment)
{
  GString *times = g_string_new (NULL);
  RobocacheBufferTimes of_buffer;
  gint64 bytes[6], time;
  const gint64 *given = row_times ? (const gint64 *) (gconstpointer) ((guint8 *) bytes + misalignment) : NULL;

  for (guint i = 0; row_times && i < n; i++) {
    time = g_ascii_strtoll (row_times[i], NULL, 10);
    memcpy ((guint8 *) bytes + misalignment + i * sizeof (time), &time, sizeof (time));
  }
  if (robocache_row_times_begin (clock, buffer, n, given, &of_buffer) != ROBOCACHE_BUFFER_TIMED) {
    g_string_append (times, "none");
    n = 0;
  }
  for (guint i = 0; i < n; i++) {
    if (!robocache_row_times_nth (clock, &of_buffer, i, &time))
      time = -1;
    g_string_append_printf (times, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", time);
  }
  return g_string_free (times, FALSE);
}

static void
expect_buffer (RobocacheRowTimes *clock, const gchar *word, gsize misalignment)
{
  gchar **parts = g_strsplit_set (word, "/*@=", 4), **row_times = strchr (word, '@') ? g_strsplit (parts[2], ",", 4) : NULL;
  GstBuffer *buffer = gst_buffer_new ();
  gchar *times;

  GST_BUFFER_PTS (buffer) = parse_time (parts[0]);
  GST_BUFFER_DURATION (buffer) = parse_time (parts[1]);
  times = times_of (clock, buffer, row_times ? g_strv_length (row_times) : (guint) parse_time (parts[2]), row_times,
      misalignment);
  fail_unless (g_str_equal (times, parts[3]), "%s: the times are %s", word, times);
  gst_buffer_unref (buffer);
  g_free (times);
  g_strfreev (row_times);
  g_strfreev (parts);
}

GST_START_TEST (test_scenario)
{
  gchar **words = g_strsplit (scenarios[__i__ / 2], " ", -1);
  RobocacheRowTimes clock;
  gint num, den;

  robocache_row_times_init (&clock);
  set_segment (&clock, "0,-,0,0,1");
  for (gchar **word = words; *word; word++) {
    if (g_str_has_prefix (*word, "seg:"))
      set_segment (&clock, *word + 4);
    else if (sscanf (*word, "rate:%d/%d", &num, &den) == 2)
      robocache_row_times_set_rate (&clock, num, den);
    else
      expect_buffer (&clock, *word, __i__ % 2 * 4);
  }
  g_strfreev (words);
}

GST_END_TEST;

/* ---- layouts ---- */

static const struct
{
  RobocacheTensorsInfo info;
  guint64 channels, rows;       /* 0: refused */
  gboolean has_times;
  const gchar *word;            /* of the error */
} layouts[] = {
  {{1, {{RC_FLOAT32, 1, {14}}}, 0, 1}, 14, 1, FALSE, NULL},
  {{1, {{RC_INT8, 2, {3, 5}}}, 0, 1}, 3, 5, FALSE, NULL},
  {{2, {{RC_FLOAT32, 1, {14}}, {RC_INT64, 1, {1}}}, 0, 1}, 14, 1, TRUE, NULL},
  {{2, {{RC_FLOAT32, 2, {14, 3}}, {RC_INT64, 1, {3}}}, 0, 1}, 14, 3, TRUE, NULL},
  {{2, {{RC_FLOAT32, 2, {14, 3}}, {RC_INT64, 2, {1, 3}}}, 0, 1}, 14, 3, TRUE, NULL},
  {{1, {{RC_FLOAT32, 3, {14, 3, 2}}}, 0, 1}, 0, 0, FALSE, "14:3:2"},
  {{3, {{RC_FLOAT32, 1, {14}}, {RC_INT64, 1, {1}}, {RC_INT64, 1, {1}}}, 0, 1}, 0, 0, FALSE, "3 tensors"},
  {{2, {{RC_FLOAT32, 2, {14, 3}}, {RC_INT64, 1, {4}}}, 0, 1}, 0, 0, FALSE, "dimensions 4"},
  {{2, {{RC_FLOAT32, 2, {14, 3}}, {RC_UINT64, 1, {3}}}, 0, 1}, 0, 0, FALSE, "uint64"},
};

GST_START_TEST (test_layout)
{
  RobocacheRowLayout layout;
  GError *error = NULL;
  const gboolean ok = robocache_row_layout_from_info (&layout, &layouts[__i__].info, &error);

  fail_unless_equals_int (ok, layouts[__i__].channels > 0);
  if (ok) {
    fail_unless_equals_uint64 (layout.channels, layouts[__i__].channels);
    fail_unless_equals_uint64 (layout.n_rows, layouts[__i__].rows);
    fail_unless_equals_int (layout.has_times, layouts[__i__].has_times);
    fail_unless_equals_int (layout.dtype, layouts[__i__].info.tensors[0].dtype);
  } else {
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS));
    fail_unless (strstr (error->message, layouts[__i__].word) != NULL, "%s", error->message);
    g_error_free (error);
  }
}

GST_END_TEST;

CHECK_MAIN (rowtimes, NULL, NULL, TIMES (2 * G_N_ELEMENTS (scenarios), test_scenario), EACH (layouts, test_layout))

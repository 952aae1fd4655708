/* robocache: the running time of each row of a buffer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "common/time/rowtimes.h"

#define NONE GST_CLOCK_TIME_NONE

static void
begin (RobocacheRowTimes *clock)
{
  GstSegment segment;

  robocache_row_times_init (clock);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  robocache_row_times_set_segment (clock, &segment);
}

/* Times of the rows of one buffer; returns whether it has any. */
static gboolean
take (RobocacheRowTimes *clock, GstClockTime pts, GstClockTime duration, guint n, const gint64 *row_times, gint64 *times)
{
  GstBuffer *buffer = gst_buffer_new ();
  RobocacheBufferTimes of_buffer;
  gboolean timed;

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = duration;
  timed = robocache_row_times_begin (clock, buffer, n, row_times, &of_buffer) == ROBOCACHE_BUFFER_TIMED;
  for (guint i = 0; timed && i < n; i++) {
    if (!robocache_row_times_nth (clock, &of_buffer, i, &times[i]))
      times[i] = -1;
  }
  gst_buffer_unref (buffer);
  return timed;
}

/* Row i is at PTS + floor (i duration / R). */
static const struct
{
  GstClockTime pts, duration;
  guint n;
  gint64 times[4];
} blocks[] = {
  {0, 40, 4, {0, 10, 20, 30}},
  {1000, 40, 4, {1000, 1010, 1020, 1030}},
  {0, 10, 4, {0, 2, 5, 7}},
  {5, 10, 1, {5}},
  {5, NONE, 1, {5}},
  {5, NONE, 3, {5, 5, 5}},
  {5, 0, 3, {5, 5, 5}},
  {0, G_GUINT64_CONSTANT (9000000000000000000), 3, {0, G_GINT64_CONSTANT (3000000000000000000),
          G_GINT64_CONSTANT (6000000000000000000)}},
  {G_GUINT64_CONSTANT (10000000000000000000), 0, 1, {-1}},      /* beyond int64 */
};

GST_START_TEST (test_block)
{
  RobocacheRowTimes clock;
  gint64 times[4];

  begin (&clock);
  fail_unless (take (&clock, blocks[__i__].pts, blocks[__i__].duration, blocks[__i__].n, NULL, times));
  for (guint i = 0; i < blocks[__i__].n; i++)
    fail_unless_equals_int64 (times[i], blocks[__i__].times[i]);
}

GST_END_TEST;

GST_START_TEST (test_without_pts)
{
  RobocacheRowTimes clock;
  gint64 times[2];

  begin (&clock);
  fail_if (take (&clock, NONE, 10, 1, NULL, times));    /* nothing to go on from */
  fail_unless (take (&clock, 100, 10, 1, NULL, times));
  fail_unless (take (&clock, NONE, 20, 2, NULL, times));
  fail_unless_equals_int64 (times[0], 110);
  fail_unless_equals_int64 (times[1], 120);
  fail_unless (take (&clock, NONE, NONE, 1, NULL, times));
  fail_unless_equals_int64 (times[0], 130);
  fail_if (take (&clock, NONE, 10, 1, NULL, times));    /* the one before had no duration */
}

GST_END_TEST;

GST_START_TEST (test_nominal_duration)
{
  RobocacheRowTimes clock;
  gint64 times[2];

  begin (&clock);
  robocache_row_times_set_rate (&clock, 100, 1);
  fail_unless (take (&clock, 0, NONE, 2, NULL, times));
  fail_unless_equals_int64 (times[1], 5000000);
  fail_unless (take (&clock, NONE, NONE, 1, NULL, times));
  fail_unless_equals_int64 (times[0], 10000000);
  fail_unless (take (&clock, NONE, 1, 1, NULL, times));
  fail_unless_equals_int64 (times[0], 20000000);
  fail_unless (take (&clock, NONE, NONE, 1, NULL, times));
  fail_unless_equals_int64 (times[0], 20000001);
  robocache_row_times_set_rate (&clock, 0, 1);
  fail_unless (take (&clock, NONE, NONE, 1, NULL, times));
  fail_if (take (&clock, NONE, NONE, 1, NULL, times));
}

GST_END_TEST;

GST_START_TEST (test_new_segment_has_nothing_to_go_on_from)
{
  RobocacheRowTimes clock;
  GstSegment segment;
  gint64 times[1];

  begin (&clock);
  fail_unless (take (&clock, 0, 10, 1, NULL, times));
  segment = clock.segment;
  robocache_row_times_set_segment (&clock, &segment);
  fail_if (take (&clock, NONE, 10, 1, NULL, times));
}

GST_END_TEST;

/* Row times win over PTS, and are on its timeline. */
GST_START_TEST (test_row_times)
{
  static const gint64 row_times[] = { 30, 20, -1, 99 };
  RobocacheRowTimes clock;
  GstSegment segment;
  gint64 times[4];

  begin (&clock);
  fail_unless (take (&clock, 500, 40, 4, row_times, times));
  fail_unless_equals_int64 (times[0], 30);
  fail_unless_equals_int64 (times[1], 20);
  fail_unless_equals_int64 (times[2], -1);      /* no time before 0 */
  fail_unless_equals_int64 (times[3], 99);
  fail_unless (take (&clock, NONE, NONE, 4, row_times, times)); /* they need no PTS */
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 25;
  segment.base = 1000;
  robocache_row_times_set_segment (&clock, &segment);
  fail_unless (take (&clock, NONE, NONE, 4, row_times, times));
  fail_unless_equals_int64 (times[0], 1005);
  fail_unless_equals_int64 (times[1], -1);      /* before the segment */
  fail_unless_equals_int64 (times[3], 1074);
}

GST_END_TEST;

GST_START_TEST (test_unaligned_row_times)
{
  static const gint64 row_times[] = { 30, 20 };
  RobocacheRowTimes clock;
  guint8 bytes[20];
  gint64 times[2];

  memcpy (bytes + 4, row_times, sizeof (row_times));
  begin (&clock);
  fail_unless (take (&clock, 0, 40, 2, (const gint64 *) (gconstpointer) (bytes + 4), times));
  fail_unless_equals_int64 (times[0], 30);
  fail_unless_equals_int64 (times[1], 20);
}

GST_END_TEST;

static const struct
{
  guint64 start, stop, base, offset;
  gdouble rate;
  guint64 pts;
  gint64 running;               /* -1: outside */
} segments[] = {
  {0, NONE, 0, 0, 1.0, 100, 100},
  {50, NONE, 0, 0, 1.0, 100, 50},
  {50, NONE, 1000, 0, 1.0, 100, 1050},
  {50, NONE, 1000, 10, 1.0, 100, 1040},
  {50, NONE, 0, 0, 1.0, 49, -1},
  {50, 100, 0, 0, 1.0, 100, 50},
  {50, 100, 0, 0, 1.0, 101, -1},
  {0, NONE, 0, 0, 2.0, 100, 50},
};

GST_START_TEST (test_segment)
{
  RobocacheRowTimes clock;
  GstSegment segment;
  gint64 times[1];

  robocache_row_times_init (&clock);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segments[__i__].start;
  segment.stop = segments[__i__].stop;
  segment.base = segments[__i__].base;
  segment.offset = segments[__i__].offset;
  segment.rate = segments[__i__].rate;
  robocache_row_times_set_segment (&clock, &segment);
  fail_unless (take (&clock, segments[__i__].pts, NONE, 1, NULL, times));
  fail_unless_equals_int64 (times[0], segments[__i__].running);
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

static Suite *
rowtimes_suite (void)
{
  Suite *s = suite_create ("rowtimes");
  TCase *tc = tcase_create ("times");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_block, 0, G_N_ELEMENTS (blocks));
  tcase_add_test (tc, test_without_pts);
  tcase_add_test (tc, test_nominal_duration);
  tcase_add_test (tc, test_new_segment_has_nothing_to_go_on_from);
  tcase_add_test (tc, test_row_times);
  tcase_add_test (tc, test_unaligned_row_times);
  tcase_add_loop_test (tc, test_segment, 0, G_N_ELEMENTS (segments));
  tcase_add_loop_test (tc, test_layout, 0, G_N_ELEMENTS (layouts));
  return s;
}

GST_CHECK_MAIN (rowtimes);

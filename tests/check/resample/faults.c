/* robocache: robocacheresample and a sensor that misbehaves, live, on a test clock
 *
 * Rows and ticks are 50 ms apart. However the sensor fails, every row is accounted for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "resampleharness.h"

#define STEP 50
#define DAY G_GINT64_CONSTANT (86400000)
#define START (2 * DAY)

static GstHarness *
live_harness (const gchar *properties)
{
  GstHarness *h = harness (LIVE, properties, F32 ("1", "20/1"));

  gst_harness_set_time (h, NS (START));
  return h;
}

static void
finish (GstHarness *h)
{
  expect_balance (h);
  harness_close (h);
}

/* The clock is at t, and a row says that it is `ahead` later. */
static void
row_at (GstHarness *h, gint64 t, gint64 ahead)
{
  gst_harness_set_time (h, NS (t));
  push_ns (h, NS (t + ahead), (gfloat) (t - START));
}

/* Rows from first to last, each of which is one at its tick. */
static void
good_rows (GstHarness *h, gint64 first, gint64 last, gint64 ahead)
{
  for (gint64 t = first; t <= last; t += STEP) {
    row_at (h, t, ahead);
    expect_ns (h, NS (t), (gfloat) (t - START));
  }
}

static const gint64 jumps[] = { DAY, -DAY, 3600000, -3600000 };

static gint64
shift_of (GstHarness *h)
{
  GstStructure *stats;
  gint64 shift = -1;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int64 (stats, "clock-shift", &shift));
  gst_structure_free (stats);
  return shift;
}

/* Ticks until the jump is known have no rows, and are dropped. */
GST_START_TEST (test_clock_jumps)
{
  GstHarness *h = live_harness ("rate=20/1 max-gap=200000000");

  good_rows (h, START, START + 500, 0);
  for (gint64 t = START + 550; t < START + 1550; t += STEP)
    row_at (h, t, jumps[__i__]);
  expect_nothing (h);
  good_rows (h, START + 1550, START + 2000, jumps[__i__]);
  fail_unless_equals_uint64 (count_of (h, "clock-jumps"), 1);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped-clock-jump"), 20);
  fail_unless_equals_uint64 (count_of (h, "rows-late"), 0);
  fail_unless_equals_int64 (shift_of (h), -jumps[__i__] * 1000000);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING | GST_MESSAGE_QOS), 1 + 2);
  finish (h);
}

GST_END_TEST;

/* One wild timestamp is no tick of a day, and nothing after it is late. */
GST_START_TEST (test_one_wild_timestamp)
{
  GstHarness *h = live_harness ("rate=20/1");

  good_rows (h, START, START + 500, 0);
  row_at (h, START + 550, jumps[__i__]);
  expect_nothing (h);
  row_at (h, START + 600, 0);
  expect_ns (h, NS (START + 550), 550); /* between its neighbours */
  expect_ns (h, NS (START + 600), 600);
  good_rows (h, START + 650, START + 1000, 0);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped-clock-jump"), 1);
  fail_unless_equals_uint64 (count_of (h, "clock-jumps"), 0);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING), 0);
  finish (h);
}

GST_END_TEST;

GST_START_TEST (test_first_timestamp_wild)
{
  GstHarness *h = live_harness ("rate=20/1");

  row_at (h, START, jumps[__i__]);
  good_rows (h, START + 50, START + 500, 0);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped-clock-jump"), 1);
  finish (h);
}

GST_END_TEST;

GST_START_TEST (test_wild_gap)
{
  GstHarness *h = live_harness ("rate=20/1");

  good_rows (h, START, START + 500, 0);
  gst_harness_push_event (h, gst_event_new_gap (NS (START + DAY), NS (10)));
  good_rows (h, START + 550, START + 1000, 0);
  fail_unless_equals_uint64 (count_of (h, "rows-late"), 0);
  finish (h);
}

GST_END_TEST;

/* A flush forgets what was learnt of the clock. */
GST_START_TEST (test_flush_after_a_jump)
{
  GstHarness *h = live_harness ("rate=20/1 max-gap=200000000");

  good_rows (h, START, START + 500, 0);
  for (gint64 t = START + 550; t < START + 1550; t += STEP)
    row_at (h, t, DAY);
  good_rows (h, START + 1550, START + 2000, DAY);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (FALSE));
  push_time_segment (h);
  good_rows (h, START + 2050, START + 3000, 0);
  fail_unless_equals_int64 (shift_of (h), 0);
  finish (h);
}

GST_END_TEST;

/* After two seconds of silence the ticks of the hole come as gap-policy says, here as the row before. */
GST_START_TEST (test_silence)
{
  GstHarness *h = live_harness ("rate=20/1 max-gap=200000000 gap-policy=hold");

  good_rows (h, START, START + 500, 0);
  row_at (h, START + 2500, 0);
  for (gint64 t = START + 550; t < START + 2500; t += STEP)
    expect_ns (h, NS (t), 500);
  expect_ns (h, NS (START + 2500), 2500);
  fail_unless_equals_uint64 (count_of (h, "ticks-held"), 39);
  finish (h);
}

GST_END_TEST;

/* Nobody waited for them, so none is late. */
GST_START_TEST (test_burst_after_a_minute)
{
  GstHarness *h = live_harness ("rate=20/1");

  good_rows (h, START, START + 500, 0);
  gst_harness_set_time (h, NS (START + 60500));
  for (gint64 t = START + 550; t <= START + 60500; t += STEP) {
    push_ns (h, NS (t), (gfloat) (t - START));
    expect_ns (h, NS (t), (gfloat) (t - START));
  }
  fail_unless_equals_uint64 (count_of (h, "rows-late"), 0);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped"), 0);
  fail_unless_equals_uint64 (count_of (h, "clock-jumps"), 0);
  finish (h);
}

GST_END_TEST;

static Suite *
robocacheresamplefaults_suite (void)
{
  Suite *s = suite_create ("robocacheresamplefaults");
  TCase *tc = tcase_create ("faults");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_clock_jumps, 0, G_N_ELEMENTS (jumps));
  tcase_add_loop_test (tc, test_one_wild_timestamp, 0, G_N_ELEMENTS (jumps));
  tcase_add_loop_test (tc, test_first_timestamp_wild, 0, G_N_ELEMENTS (jumps));
  tcase_add_test (tc, test_wild_gap);
  tcase_add_test (tc, test_flush_after_a_jump);
  tcase_add_test (tc, test_silence);
  tcase_add_test (tc, test_burst_after_a_minute);
  return s;
}

GST_CHECK_MAIN (robocacheresamplefaults);

/* robocache: robocachefuse with busy-wait: it stays awake for the next tick, and for whatever else comes
 *
 * Where it stays awake for ever, or sleeps, a test that does not end shows what has not been noticed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "livefuse.h"

#define FOR_EVER "18446744073709551615"
#define HOUR (3600 * GST_SECOND)

/* ---- whether it is awake: then it reads the clock again and again ---- */

typedef GstTestClock WatchedClock;
typedef GstTestClockClass WatchedClockClass;

static GType watched_clock_get_type (void);
G_DEFINE_TYPE (WatchedClock, watched_clock, GST_TYPE_TEST_CLOCK)

static struct
{
  GMutex lock;
  GCond another;
  guint n;
} readings;

static GstClockTime
watched_clock_get_internal_time (GstClock *clock)
{
  g_mutex_lock (&readings.lock);
  readings.n++;
  g_cond_signal (&readings.another);
  g_mutex_unlock (&readings.lock);
  return GST_CLOCK_CLASS (watched_clock_parent_class)->get_internal_time (clock);
}

static void
watched_clock_class_init (WatchedClockClass *class)
{
  GST_CLOCK_CLASS (class)->get_internal_time = watched_clock_get_internal_time;
}

static void
watched_clock_init (WatchedClock *clock)
{
}

static void
wait_for_reading (void)
{
  guint before;

  g_mutex_lock (&readings.lock);
  before = readings.n;
  while (readings.n == before)
    g_cond_wait (&readings.another, &readings.lock);
  g_mutex_unlock (&readings.lock);
}

/* It does not wait for the clock. Called when all samples that are due have been seen. */
static void
assert_awake (Rig *rig)
{
  wait_for_reading ();
  fail_if (gst_test_clock_peek_next_pending_id (rig->clock, NULL), "it waits for the clock");
}

/* ---- rigs ---- */

static Rig *
awake_rig (const gchar *property, const gchar *value)
{
  Rig *rig = rig_new (property, value, "busy-wait", FOR_EVER, NULL);

  gst_object_unref (rig->clock);
  rig->clock = gst_object_ref_sink (g_object_new (watched_clock_get_type (), NULL));
  gst_element_set_clock (rig->fuse, GST_CLOCK (rig->clock));
  return rig;
}

static void
wake (Rig *rig, Feed *feed)
{
  feed_start (feed, AT_100_HZ);
  for (gint i = 0; i < 2; i++) {
    feed_one (feed, MS (10 * i), 10 * i);
    expect (rig, MS (10 * i), 10 * i, ALIGNED);
  }
  assert_awake (rig);
}

/* One sensor of 100 Hz and ticks at 0 and 10 ms, which are out. */
static Rig *
rig_at_100_hz (GstClockTime latency, GstClockTime upstream, Feed **feed)
{
  Rig *rig = awake_rig ("rate", "100/1");

  g_object_set (rig->fuse, "latency", latency, NULL);
  *feed = feed_new_bare (rig, "proprio_0", TRUE);
  (*feed)->latency = upstream;
  rig_play (rig);
  wake (rig, *feed);
  return rig;
}

/* The same with ticks at its rows. */
static Rig *
rig_with_reference (Feed **feed)
{
  Rig *rig = awake_rig ("reference-pad", "proprio_0");

  *feed = feed_new_bare (rig, "proprio_0", TRUE);
  rig_play (rig);
  wake (rig, *feed);
  return rig;
}

/* Nothing but the clock says that the deadline has come. */
static void
reach_deadline (Rig *rig, gint64 deadline)
{
  set_clock (rig, deadline - MS (2));
  assert_awake (rig);
  set_clock (rig, deadline);
  pass_deadline (rig, deadline);
}

/* ---- ticks ---- */

GST_START_TEST (test_ticks)
{
  Feed *feed;
  Rig *rig = rig_at_100_hz (MS (5), 0, &feed);

  for (gint i = 2; i < 100; i++) {
    feed_one (feed, MS (10 * i + 2), 10 * i + 2);
    expect (rig, MS (10 * i), 10 * i, ALIGNED);
    assert_awake (rig);
  }
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 100);
  rig_free (rig);
}

GST_END_TEST;

/* The next tick is not known, so there is no deadline either. */
GST_START_TEST (test_reference_pad)
{
  Feed *feed;
  Rig *rig = rig_with_reference (&feed);

  for (gint i = 2; i < 20; i++) {
    feed_one (feed, MS (10 * i), 10 * i);
    expect (rig, MS (10 * i), 10 * i, ALIGNED);
    assert_awake (rig);
  }
  rig_free (rig);
}

GST_END_TEST;

/* The last of two pads completes a tick, whichever it is; the first one needs no token. */
GST_START_TEST (test_two_pads)
{
  Rig *rig = awake_rig ("rate", "100/1");
  Feed *a = feed_new_bare (rig, "proprio_0", TRUE), *b = feed_new_bare (rig, "proprio_1", TRUE);

  rig_play (rig);
  feed_start (a, AT_100_HZ);
  feed_start (b, AT_100_HZ);
  for (gint i = 0; i < 40; i++) {
    feed_one (i % 2 ? a : b, MS (10 * i), i);
    if (i >= 2)
      assert_awake (rig);
    feed_one (i % 2 ? b : a, MS (10 * i), i);
    expect_two (rig, MS (10 * i), i, ALIGNED, i, ALIGNED);
    if (i >= 1)
      assert_awake (rig);
  }
  rig_free (rig);
}

GST_END_TEST;

/* ---- deadlines ---- */

GST_START_TEST (test_deadline)
{
  Feed *feed;
  Rig *rig = rig_at_100_hz (MS (5), 0, &feed);

  for (gint i = 2; i < 10; i++) {
    reach_deadline (rig, MS (10 * i + LATENCY));
    expect (rig, MS (10 * i), 10, HELD);
  }
  rig_free (rig);
}

GST_END_TEST;

/* Each row is a tick, which a row within the reorder window could still change. The one at 0 is out. */
static Rig *
rig_with_reorder_window (Feed **feed)
{
  Rig *rig = awake_rig ("reference-pad", "proprio_0");

  *feed = feed_new_bare (rig, "proprio_0", TRUE);
  feed_set (*feed, "interpolation", "previous", "reorder-window", "20000000", NULL);
  rig_play (rig);
  feed_start (*feed, AT_100_HZ);
  feed_one (*feed, 0, 0);
  pass_deadline (rig, MS (25));
  expect (rig, 0, 0, ALIGNED);
  assert_awake (rig);
  return rig;
}

GST_START_TEST (test_deadline_of_a_tick_that_becomes_known)
{
  Feed *feed;
  Rig *rig = rig_with_reorder_window (&feed);

  for (gint i = 1; i < 5; i++) {
    feed_one (feed, MS (100 * i), i);
    reach_deadline (rig, MS (100 * i + 25));
    expect (rig, MS (100 * i), i, ALIGNED);
    assert_awake (rig);
  }
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_deadline_of_a_tick_that_becomes_earlier)
{
  Feed *feed;
  Rig *rig = rig_with_reorder_window (&feed);

  feed_one (feed, MS (200), 3);
  assert_awake (rig);
  feed_one (feed, MS (190), 2);
  reach_deadline (rig, MS (215));
  expect (rig, MS (190), 2, ALIGNED);
  reach_deadline (rig, MS (225));
  expect (rig, MS (200), 3, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

/* ---- what changes meanwhile ---- */

/* The deadline that the clock has passed was an hour away. */
static void
assert_tick_is_overdue (Rig *rig)
{
  pass_deadline (rig, MS (20 + LATENCY));
  expect (rig, MS (20), 10, HELD);
}

GST_START_TEST (test_latency_that_falls)
{
  Feed *feed;
  Rig *rig = rig_at_100_hz (HOUR, 0, &feed);

  set_clock (rig, MS (20 + LATENCY));
  assert_awake (rig);
  g_object_set (rig->fuse, "latency", (guint64) MS (5), NULL);
  assert_tick_is_overdue (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_upstream_latency_that_falls)
{
  Feed *feed;
  Rig *rig = rig_at_100_hz (MS (5), HOUR, &feed);

  set_clock (rig, MS (20 + LATENCY));
  assert_awake (rig);
  feed->latency = 0;
  fail_unless_equals_uint64 (gst_harness_query_latency (rig->out), MS (LATENCY));
  assert_tick_is_overdue (rig);
  rig_free (rig);
}

GST_END_TEST;

/* Set to 0, it sleeps until the deadline; set again, it is awake after the next tick. */
GST_START_TEST (test_busy_wait_that_ends)
{
  Feed *feed;
  Rig *rig = rig_at_100_hz (HOUR, 0, &feed);

  gst_util_set_object_arg (G_OBJECT (rig->fuse), "busy-wait", "0");
  gst_test_clock_wait_for_next_pending_id (rig->clock, NULL);
  gst_util_set_object_arg (G_OBJECT (rig->fuse), "busy-wait", FOR_EVER);
  feed_one (feed, MS (20), 20);
  expect (rig, MS (20), 20, ALIGNED);
  assert_awake (rig);
  rig_free (rig);
}

GST_END_TEST;

/* ---- ends ---- */

GST_START_TEST (test_eos)
{
  Feed *feed;
  Rig *rig = rig_with_reference (&feed);

  feed_eos (feed);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* A flush stops the thread, and sets it off again. */
GST_START_TEST (test_flush)
{
  Feed *feed;
  Rig *rig = rig_with_reference (&feed);

  for (gint i = 0; i < 5; i++) {
    feed_event (feed, gst_event_new_flush_start ());
    feed_event (feed, gst_event_new_flush_stop (TRUE));
    wake (rig, feed);
  }
  rig_free (rig);
}

GST_END_TEST;

/* Rows go on before the element is stopped. */
GST_START_TEST (test_stop)
{
  Feed *feed;
  Rig *rig = rig_with_reference (&feed);

  fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefuseawake_suite (void)
{
  Suite *s = suite_create ("robocachefuseawake");
  TCase *tc = add_case (s, "awake");

  tcase_add_test (tc, test_ticks);
  tcase_add_test (tc, test_reference_pad);
  tcase_add_test (tc, test_two_pads);
  tcase_add_test (tc, test_deadline);
  tcase_add_test (tc, test_deadline_of_a_tick_that_becomes_known);
  tcase_add_test (tc, test_deadline_of_a_tick_that_becomes_earlier);
  tcase_add_test (tc, test_latency_that_falls);
  tcase_add_test (tc, test_upstream_latency_that_falls);
  tcase_add_test (tc, test_busy_wait_that_ends);
  tcase_add_test (tc, test_eos);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_stop);
  return s;
}

GST_CHECK_MAIN (robocachefuseawake);

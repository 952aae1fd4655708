/* robocache: robocachefuse with busy-wait: it stays awake for the next tick, and for whatever else comes
 *
 * Where it stays awake for ever, a test that does not end shows what has not been noticed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "livefuse.h"

#define FOR_EVER "18446744073709551615"

static void
stay_awake (void)
{
  rig_busy_wait = FOR_EVER;
}

static void
sleep_at_once (void)
{
  rig_busy_wait = "0";
}

GST_START_TEST (test_ticks)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_one (feed, 0, 0);
  expect (rig, 0, 0, ALIGNED);
  for (gint i = 1; i < 100; i++) {
    feed_one (feed, MS (10 * i + 2), 10 * i + 2);
    expect (rig, MS (10 * i), 10 * i, ALIGNED);
  }
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 100);
  rig_free (rig);
}

GST_END_TEST;

/* The next tick is not known, so there is no deadline either. */
GST_START_TEST (test_reference_pad)
{
  Rig *rig = rig_new ("reference-pad", "proprio_0", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);

  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  for (gint i = 0; i < 20; i++) {
    feed_one (feed, MS (10 * i), i);
    expect (rig, MS (10 * i), i, ALIGNED);
  }
  rig_free (rig);
}

GST_END_TEST;

/* The last of two pads completes a tick, whichever it is. */
GST_START_TEST (test_two_pads)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", TRUE), *b = feed_new_bare (rig, "proprio_1", TRUE);

  rig_play (rig);
  feed_start (a, AT_100_HZ);
  feed_start (b, AT_100_HZ);
  for (gint i = 0; i < 40; i++) {
    feed_one (i % 2 ? a : b, MS (10 * i), i);
    feed_one (i % 2 ? b : a, MS (10 * i), i);
    expect_two (rig, MS (10 * i), i, ALIGNED, i, ALIGNED);
  }
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_deadline)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_one (feed, 0, 7);
  expect (rig, 0, 7, ALIGNED);
  pass_deadline (rig, MS (10 + LATENCY));
  expect (rig, MS (10), 7, HELD);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_eos)
{
  Rig *rig = rig_new ("reference-pad", "proprio_0", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);

  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  feed_one (feed, 0, 0);
  expect (rig, 0, 0, ALIGNED);
  feed_eos (feed);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* A flush stops the thread, and sets it off again. */
GST_START_TEST (test_flush)
{
  Rig *rig = rig_new ("reference-pad", "proprio_0", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);

  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  for (gint i = 0; i < 5; i++) {
    feed_one (feed, 0, i);
    expect (rig, 0, i, ALIGNED);
    feed_event (feed, gst_event_new_flush_start ());
    feed_event (feed, gst_event_new_flush_stop (TRUE));
    feed_start (feed, AT_100_HZ);
  }
  rig_free (rig);
}

GST_END_TEST;

/* Rows go on before the element is stopped. */
GST_START_TEST (test_stop)
{
  Rig *rig = rig_new ("reference-pad", "proprio_0", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);

  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  feed_one (feed, 0, 1);
  expect (rig, 0, 1, ALIGNED);
  fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefuseawake_suite (void)
{
  Suite *s = suite_create ("robocachefuseawake");
  TCase *tc = add_case (s, "awake");

  tcase_add_checked_fixture (tc, stay_awake, sleep_at_once);
  tcase_add_test (tc, test_ticks);
  tcase_add_test (tc, test_reference_pad);
  tcase_add_test (tc, test_two_pads);
  tcase_add_test (tc, test_deadline);
  tcase_add_test (tc, test_eos);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_stop);
  return s;
}

GST_CHECK_MAIN (robocachefuseawake);

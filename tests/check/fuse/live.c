/* robocache: robocachefuse in a live pipeline: deadlines, latency, silence and late rows, on a test clock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "livefuse.h"

/* ---- deadlines ---- */

GST_START_TEST (test_complete_tick_leaves_early)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_one (feed, 0, 0);
  expect (rig, 0, 0, ALIGNED);
  feed_one (feed, MS (12), 12);
  expect (rig, MS (10), 10, ALIGNED);
  fail_unless_equals_int64 (gst_clock_get_time (GST_CLOCK (rig->clock)), 0);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_incomplete_tick_leaves_at_its_deadline)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_one (feed, 0, 7);
  expect (rig, 0, 7, ALIGNED);
  for (gint i = 1; i <= 20; i++) {
    pass_deadline (rig, MS (10 * i + LATENCY));
    expect (rig, MS (10 * i), 7, HELD);
  }
  pass_deadline (rig, MS (210 + LATENCY));
  expect (rig, MS (210), NAN, MISSING);
  feed_one (feed, MS (220), 8);
  expect (rig, MS (220), 8, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_silent_pad_beside_a_busy_one)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *busy = feed_new_bare (rig, "proprio_0", TRUE), *silent = feed_new_bare (rig, "proprio_1", TRUE);

  feed_set (silent, "hold-limit", "10000000", NULL);
  rig_play (rig);
  feed_start (busy, AT_100_HZ);
  feed_start (silent, AT_100_HZ);
  feed_one (silent, 0, 5);
  feed_ramp (busy, 0, 30, 10);
  expect_two (rig, 0, 0, ALIGNED, 5, ALIGNED);
  pass_deadline (rig, MS (10 + LATENCY));
  expect_two (rig, MS (10), 10, ALIGNED, 5, HELD);
  pass_deadline (rig, MS (20 + LATENCY));
  expect_two (rig, MS (20), 20, ALIGNED, NAN, MISSING);
  rig_free (rig);
}

GST_END_TEST;

/* A pad that never had caps has no tensor, and holds nothing up beyond the deadline. */
GST_START_TEST (test_pad_without_caps)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *busy = feed_new_bare (rig, "proprio_0", TRUE);
  GstBuffer *sample;

  feed_new_bare (rig, "proprio_1", TRUE);
  rig_play (rig);
  feed_start (busy, AT_100_HZ);
  feed_ramp (busy, 0, 10, 10);
  pass_deadline (rig, MS (LATENCY));
  sample = pull (rig);
  fail_unless_equals_int (gst_buffer_n_memory (sample), 1);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* Caps that come before the sources have started find nothing live; the pipeline asks again when they have. Then a sensor
 * that never says a thing holds nothing up. */
GST_START_TEST (test_sources_that_start_after_their_caps)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *busy = feed_new_bare (rig, "proprio_0", FALSE), *silent = feed_new_bare (rig, "proprio_1", FALSE);

  rig_play (rig);
  feed_start (busy, AT_100_HZ);
  feed_start (silent, AT_100_HZ);
  busy->live = silent->live = TRUE;
  fail_unless_equals_uint64 (gst_harness_query_latency (rig->out), MS (LATENCY));
  feed_one (busy, 0, 1);
  pass_deadline (rig, MS (LATENCY));
  expect_two (rig, 0, 1, ALIGNED, NAN, MISSING);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_required_pad_without_caps_holds_output_back)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *busy = feed_new_bare (rig, "proprio_0", TRUE), *bare = feed_new_bare (rig, "proprio_1", TRUE);

  feed_set (bare, "required", "true", NULL);
  rig_play (rig);
  feed_start (busy, AT_100_HZ);
  feed_ramp (busy, 0, 30, 10);
  for (gint i = 0; i < 3; i++)
    pass_deadline (rig, MS (10 * i + LATENCY));
  feed_start (bare, AT_100_HZ);
  feed_one (bare, MS (30), 1);
  expect_two (rig, MS (30), 30, ALIGNED, 1, ALIGNED);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-dropped"), 3);
  rig_free (rig);
}

GST_END_TEST;

/* The base time was an hour ago: ticks begin with the first row, and no empty ones come before it. */
GST_START_TEST (test_no_burst_of_empty_ticks)
{
  const gint64 hour = 3600 * GST_SECOND;
  Feed *feed;
  Rig *rig = rig_new ("rate", "100/1", NULL);

  gst_test_clock_set_time (rig->clock, hour);
  feed = feed_new_bare (rig, "proprio_0", TRUE);
  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  feed_one (feed, hour + MS (3), 3);
  feed_one (feed, hour + MS (13), 13);
  expect (rig, hour + MS (10), 10, ALIGNED);
  feed_one (feed, hour + MS (23), 23);
  expect (rig, hour + MS (20), 20, ALIGNED);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 2);
  rig_free (rig);
}

GST_END_TEST;

/* Data that is old when it begins to come makes no ticks whose deadlines have passed; in time or not, one row at a time. */
GST_START_TEST (test_no_burst_of_overdue_ticks)
{
  const gint64 hour = 3600 * GST_SECOND;
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  gst_test_clock_set_time (rig->clock, hour);
  feed_one (feed, hour - MS (300), 1);
  pass_deadline (rig, hour - MS (10) + MS (LATENCY));   /* the first tick that is not overdue yet */
  expect (rig, hour - MS (10), NAN, MISSING);
  feed_one (feed, hour, 2);
  expect (rig, hour, 2, ALIGNED);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 2);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* After the last stream has gone, too. */
GST_START_TEST (test_no_burst_when_streams_come_back)
{
  const gint64 hour = 3600 * GST_SECOND;
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_one (feed, 0, 0);
  expect (rig, 0, 0, ALIGNED);
  feed_remove (feed);
  gst_test_clock_set_time (rig->clock, hour);
  feed = feed_new_bare (rig, "proprio_0", TRUE);
  feed_start (feed, AT_100_HZ);
  feed_one (feed, hour - MS (300), 1);
  feed_one (feed, hour, 2);
  expect (rig, hour - MS (10), NAN, MISSING);
  expect (rig, hour, 2, ALIGNED);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 3);
  rig_free (rig);
}

GST_END_TEST;

/* An earlier row of the reference pad, within its reorder window, is a tick with an earlier deadline, which is kept. */
GST_START_TEST (test_earlier_tick_has_an_earlier_deadline)
{
  Rig *rig = rig_new ("reference-pad", "sink_0", NULL);
  Feed *feed = feed_new_bare (rig, "sink_0", TRUE);

  feed_set (feed, "reorder-window", "20000000", "interpolation", "previous", NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_one (feed, MS (20), 20);
  gst_test_clock_wait_for_next_pending_id (rig->clock, NULL);
  feed_one (feed, MS (9), 9);
  while (gst_test_clock_peek_next_pending_id (rig->clock, NULL) == FALSE
      || gst_test_clock_get_next_entry_time (rig->clock) != (GstClockTime) MS (9 + 5 + 20))
    g_thread_yield ();
  pass_deadline (rig, MS (9 + 5 + 20));
  expect (rig, MS (9), 9, ALIGNED);
  pass_deadline (rig, MS (20 + 5 + 20));
  expect (rig, MS (20), 20, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

/* So is an earlier first row of another stream. */
GST_START_TEST (test_earlier_start_has_an_earlier_deadline)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *ahead = feed_new_bare (rig, "proprio_0", TRUE), *feed = feed_new_bare (rig, "proprio_1", TRUE);

  rig_play (rig);
  feed_start (ahead, AT_100_HZ);
  feed_start (feed, AT_100_HZ);
  feed_one (ahead, MS (5000), 5);
  gst_test_clock_wait_for_next_pending_id (rig->clock, NULL);
  feed_one (feed, MS (8), 8);
  while (gst_test_clock_peek_next_pending_id (rig->clock, NULL) == FALSE
      || gst_test_clock_get_next_entry_time (rig->clock) != (GstClockTime) MS (10 + LATENCY))
    g_thread_yield ();
  pass_deadline (rig, MS (10 + LATENCY));
  expect_two (rig, MS (10), NAN, MISSING, 8, HELD);
  rig_free (rig);
}

GST_END_TEST;

/* Rows that come when their ticks have left, and that no later tick uses, are late. */
GST_START_TEST (test_late_rows_are_counted)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_one (feed, 0, 0);
  expect (rig, 0, 0, ALIGNED);
  pass_deadline (rig, MS (10 + LATENCY));
  expect (rig, MS (10), 0, HELD);
  feed_one (feed, MS (4), 4);
  feed_one (feed, MS (8), 8);   /* used at 20 */
  feed_one (feed, MS (28), 28);
  expect (rig, MS (20), 20, ALIGNED);
  feed_ramp (feed, 38, 58, 10);
  for (gint t = 30; t <= 50; t += 10)
    expect (rig, MS (t), t, ALIGNED);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-late"), 1);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_busy_pad_beside_a_silent_camera_never_blocks)
{
  Rig *rig = rig_new ("rate", "50/1", NULL);
  Feed *camera = feed_new_bare (rig, "camera_0", TRUE), *force = feed_new_bare (rig, "force_0", TRUE);

  rig_play (rig);
  feed_start (camera, "video/x-raw, format=(string)GRAY8, width=(int)4, height=(int)4, framerate=(fraction)30/1");
  feed_start (force, F32 ("1:10"));
  for (gint i = 0; i < 10000; i++) {
    const gfloat rows[10] = { 0 };
    GstBuffer *buffer = buffer_of (MS (10 * i), rows, sizeof (rows));

    GST_BUFFER_DURATION (buffer) = MS (10);
    fail_unless_equals_int (gst_pad_push (force->pad, buffer), GST_FLOW_OK);
  }
  fail_unless_equals_uint64 (count_of (force->sink, "rows-in"), 100000);
  fail_unless (count_of (force->sink, "rows-kept") <= 65536);
  assert_rows_balance (force);
  rig_free (rig);
}

GST_END_TEST;

/* With no latency at all, a tick a frame: nobody waits, and nothing is lost. */
GST_START_TEST (test_busy_pad_beside_a_camera_without_latency)
{
  Rig *rig = rig_new ("latency", "0", NULL);
  Feed *camera = feed_new_bare (rig, "camera_0", TRUE), *force = feed_new_bare (rig, "force_0", TRUE);
  const gchar pixels[16] = { 0 };

  feed_set (camera, "interpolation", "previous", NULL);
  feed_set (force, "interpolation", "previous", NULL);
  rig_play (rig);
  feed_start (camera, "video/x-raw, format=(string)GRAY8, width=(int)4, height=(int)4, framerate=(fraction)30/1");
  feed_start (force, ONE_CHANNEL);
  for (gint t = 0; t < 3000; t++) {
    set_clock (rig, MS (t));
    feed_one (force, MS (t), (gfloat) t);
    if (t % 33 != 0)
      continue;
    fail_unless_equals_int (feed_bytes (camera, MS (t), pixels, sizeof (pixels)), GST_FLOW_OK);
    gst_buffer_unref (pull (rig));
  }
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 91);
  fail_unless_equals_uint64 (count_of (force->sink, "rows-in"), 3000);
  fail_unless_equals_uint64 (count_of (force->sink, "ticks-aligned"), 91);
  fail_unless_equals_uint64 (count_of (rig->fuse, "rows-dropped") + count_of (rig->fuse, "rows-late"), 0);
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_eos_drains_at_once)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", TRUE), *b = feed_new_bare (rig, "proprio_1", TRUE);

  rig_play (rig);
  feed_start (a, AT_100_HZ);
  feed_start (b, AT_100_HZ);
  feed_ramp (a, 0, 30, 10);
  feed_one (b, 0, 5);
  all_eos (rig);
  expect_two (rig, 0, 0, ALIGNED, 5, ALIGNED);
  for (gint i = 1; i <= 3; i++)
    expect_two (rig, MS (10 * i), 10 * i, ALIGNED, 5, HELD);
  assert_eos (rig);
  fail_unless_equals_int64 (gst_clock_get_time (GST_CLOCK (rig->clock)), 0);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_eos_without_data)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_eos (feed);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* Live, each row of the reference pad is a tick; equal and older ones make none. */
GST_START_TEST (test_reference_pad)
{
  Rig *rig = rig_new ("reference-pad", "sink_0", NULL);
  Feed *feed = feed_new_bare (rig, "sink_0", TRUE);

  feed_set (feed, "reorder-window", "20000000", "interpolation", "previous", NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_one (feed, MS (7), 7);   /* an older row may still come, until the deadline */
  pass_deadline (rig, MS (7 + 5 + 20));
  expect (rig, MS (7), 7, ALIGNED);
  feed_one (feed, MS (7), 8);
  feed_one (feed, MS (5), 5);
  feed_one (feed, MS (19), 19);
  pass_deadline (rig, MS (19 + 5 + 20));
  expect (rig, MS (19), 19, ALIGNED);
  fail_unless (gst_harness_try_pull (rig->out) == NULL);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 2);
  rig_free (rig);
}

GST_END_TEST;

/* ---- measures ---- */

GST_START_TEST (test_reference_pad_leaves_at_once)
{
  Rig *rig = rig_new ("reference-pad", "sink_0", NULL);
  Feed *feed = feed_new_bare (rig, "sink_0", TRUE);

  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  for (gint t = 7; t < 100; t += 13) {
    feed_one (feed, MS (t), t);
    expect (rig, MS (t), t, ALIGNED);
  }
  fail_unless_equals_int64 (gst_clock_get_time (GST_CLOCK (rig->clock)), 0);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_lag_and_lateness)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);
  GstStructure *stats;
  gint64 lag = 0, lateness = -1;

  feed_one (feed, 0, 0);
  expect (rig, 0, 0, ALIGNED);
  pass_deadline (rig, MS (10 + LATENCY));
  expect (rig, MS (10), 0, HELD);
  stats = stats_of (rig->fuse);
  fail_unless (gst_structure_get_int64 (stats, "lag-max", &lag));
  fail_unless (gst_structure_get_int64 (stats, "lateness-max", &lateness));
  fail_unless_equals_int64 (lag, MS (LATENCY));
  fail_unless_equals_int64 (lateness, 0);
  gst_structure_free (stats);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_age)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);
  GstStructure *stats;
  gint64 age = 0;

  feed_one (feed, MS (6), 0);
  pass_deadline (rig, MS (10 + LATENCY));
  expect (rig, MS (10), 0, HELD);
  stats = stats_of (feed->sink);
  fail_unless (gst_structure_get_int64 (stats, "age-max", &age));
  fail_unless_equals_int64 (age, MS (4));
  gst_structure_free (stats);
  rig_free (rig);
}

GST_END_TEST;

/* ---- the LATENCY query ---- */

static gint64
query_latency (Rig *rig, gboolean *live)
{
  GstQuery *query = gst_query_new_latency ();
  GstPad *src = gst_element_get_static_pad (rig->fuse, "src");
  GstClockTime min = 0;

  fail_unless (gst_pad_query (src, query));
  gst_query_parse_latency (query, live, &min, NULL);
  gst_query_unref (query);
  gst_object_unref (src);
  return (gint64) min;
}

/* Rows at 100 Hz, ticks at 50 Hz, 5 ms of the element's own. */
static const struct
{
  const gchar *property, *value;
  gint upstream, expected;      /* ms */
} latencies[] = {
  {"interpolation", "previous", 0, 5},
  {"interpolation", "nearest", 0, 15},
  {"interpolation", "linear", 0, 15},
  {"interpolation", "hermite", 0, 15},
  {"interpolation", "cubic", 0, 25},
  {"interpolation", "mean", 0, 25},
  {"reorder-window", "7000000", 0, 22},
  {"offset", "-3000000", 0, 18},
  {"offset", "3000000", 0, 15},
  {"required", "true", 33, 48},
};

GST_START_TEST (test_latency)
{
  Rig *rig = rig_new ("rate", "50/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);
  gboolean live = FALSE;

  feed->latency = MS (latencies[__i__].upstream);
  feed_set (feed, latencies[__i__].property, latencies[__i__].value, NULL);
  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  fail_unless_equals_int64 (query_latency (rig, &live), MS (latencies[__i__].expected));
  fail_unless (live);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_latency_not_live)
{
  Rig *rig = rig_new ("rate", "50/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  gboolean live = TRUE;

  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  fail_unless_equals_int64 (query_latency (rig, &live), MS (15));
  fail_if (live);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_latency_is_that_of_the_slowest_pad)
{
  Rig *rig = rig_new ("rate", "50/1", "latency", "0", NULL);
  Feed *fast = feed_new_bare (rig, "force_0", TRUE), *camera = feed_new_bare (rig, "camera_0", TRUE);
  gboolean live = FALSE;

  rig_play (rig);
  feed_start (fast, AT_100_HZ);
  fail_unless_equals_int64 (query_latency (rig, &live), MS (10));
  feed_start (camera, "video/x-raw, format=(string)GRAY8, width=(int)4, height=(int)4, framerate=(fraction)25/1");
  fail_unless_equals_int64 (query_latency (rig, &live), MS (40));
  feed_remove (camera);
  fail_unless_equals_int64 (query_latency (rig, &live), MS (10));
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_latency_message_follows_a_change)
{
  Feed *feed;
  Rig *rig = live_rig ("50/1", &feed);
  gboolean live;

  drop_messages (rig, GST_MESSAGE_LATENCY);
  feed_set (feed, "required", "true", NULL);
  assert_no_message (rig, GST_MESSAGE_LATENCY);
  feed_set (feed, "interpolation", "cubic", NULL);
  gst_message_unref (wait_message (rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (query_latency (rig, &live), MS (25));
  feed_set (feed, "offset", "-1000000", NULL);
  gst_message_unref (wait_message (rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (query_latency (rig, &live), MS (26));
  rig_free (rig);
}

GST_END_TEST;

/* Each thing that the latency depends on, changed while playing: a LATENCY message, and the latency is exact. Rows at 100 Hz,
 * ticks at 50 Hz, 5 ms of the element's own. */
static const struct
{
  const gchar *property, *value;
  gint expected;                /* ms */
} changes[] = {
  {"interpolation", "previous", 5},
  {"interpolation", "cubic", 25},
  {"interpolation", "mean", 25},
  {"reorder-window", "7000000", 22},
  {"offset", "-3000000", 18},
};

GST_START_TEST (test_latency_message_of_a_property)
{
  Feed *feed;
  Rig *rig = live_rig ("50/1", &feed);
  gboolean live;

  drop_messages (rig, GST_MESSAGE_LATENCY);
  feed_set (feed, changes[__i__].property, changes[__i__].value, NULL);
  gst_message_unref (wait_message (rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (query_latency (rig, &live), MS (changes[__i__].expected));
  feed_set (feed, changes[__i__].property, changes[__i__].value, NULL);
  assert_no_message (rig, GST_MESSAGE_LATENCY);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_latency_message_of_pads)
{
  Feed *feed, *slow;
  Rig *rig = live_rig ("50/1", &feed);
  gboolean live;

  drop_messages (rig, GST_MESSAGE_LATENCY);
  slow = feed_new_bare (rig, "proprio_1", TRUE);
  feed_start (slow, "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "
      "dimensions=(string)1, framerate=(fraction)20/1");
  gst_message_unref (wait_message (rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (query_latency (rig, &live), MS (55));
  drop_messages (rig, GST_MESSAGE_LATENCY);
  feed_remove (slow);
  gst_message_unref (wait_message (rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (query_latency (rig, &live), MS (15));
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_latency_message_of_the_property_latency)
{
  Feed *feed;
  Rig *rig = live_rig ("50/1", &feed);
  gboolean live;

  drop_messages (rig, GST_MESSAGE_LATENCY);
  g_object_set (rig->fuse, "latency", (guint64) MS (40), NULL);
  gst_message_unref (wait_message (rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (query_latency (rig, &live), MS (50));
  rig_free (rig);
}

GST_END_TEST;

/* The rate of the reference pad is the tick's, over which others take their mean. */
GST_START_TEST (test_latency_message_of_the_reference_rate)
{
  Rig *rig = rig_new ("reference-pad", "sink_0", NULL);
  Feed *reference = feed_new_bare (rig, "sink_0", TRUE), *mean = feed_new_bare (rig, "force_0", TRUE);
  gboolean live;

  feed_set (reference, "interpolation", "previous", NULL);
  feed_set (mean, "interpolation", "mean", NULL);
  rig_play (rig);
  feed_start (reference, AT_100_HZ);
  feed_start (mean, AT_100_HZ);
  feed_one (reference, 0, 0);
  feed_ramp (mean, 0, 10, 10);
  expect_two (rig, 0, 0, ALIGNED, 0, ALIGNED);
  fail_unless_equals_int64 (query_latency (rig, &live), MS (20));
  drop_messages (rig, GST_MESSAGE_LATENCY);
  fail_unless (feed_caps (reference, "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "
          "dimensions=(string)1, framerate=(fraction)10/1"));
  feed_one (reference, MS (100), 100);
  feed_ramp (mean, 20, 200, 10);
  expect_two (rig, MS (100), 95, ALIGNED, 100, ALIGNED);        /* of the rows from 50 to 140 */
  gst_message_unref (wait_message (rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (query_latency (rig, &live), MS (65));
  rig_free (rig);
}

GST_END_TEST;

/* Neither pad's own settings matter, and the slower source goes. */
GST_START_TEST (test_latency_message_when_the_slowest_source_goes)
{
  Feed *feed, *slow;
  Rig *rig = live_rig ("50/1", &feed);
  gboolean live;

  slow = feed_new_bare (rig, "force_0", TRUE);
  slow->latency = MS (30);
  feed_start (slow, AT_100_HZ);
  fail_unless_equals_int64 (query_latency (rig, &live), MS (45));
  drop_messages (rig, GST_MESSAGE_LATENCY);
  feed_remove (slow);
  gst_message_unref (wait_message (rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (query_latency (rig, &live), MS (15));
  rig_free (rig);
}

GST_END_TEST;

/* Rows with no nominal rate: their spacing is measured. */
GST_START_TEST (test_latency_of_a_measured_rate)
{
  Rig *rig = rig_new ("rate", "50/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);
  gboolean live;

  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  fail_unless_equals_int64 (query_latency (rig, &live), MS (5));
  feed_ramp (feed, 0, 16, 4);
  fail_unless_equals_int64 (query_latency (rig, &live), MS (9));
  gst_message_unref (wait_message (rig, GST_MESSAGE_LATENCY));
  rig_free (rig);
}

GST_END_TEST;

/* One live stream among others makes the element live. */
GST_START_TEST (test_live_and_not)
{
  Rig *rig = rig_new ("rate", "50/1", NULL);
  Feed *recorded = feed_new_bare (rig, "proprio_0", FALSE), *sensor = feed_new_bare (rig, "proprio_1", TRUE);
  gboolean live = FALSE;
  GThread *source;

  rig_play (rig);
  feed_start (recorded, AT_100_HZ);
  feed_start (sensor, AT_100_HZ);
  query_latency (rig, &live);
  fail_unless (live);
  source = g_thread_new ("recording", push_until_refused, recorded);
  while (count_of (recorded->sink, "rows-in") < 33)
    g_thread_yield ();
  feed_ramp (sensor, 0, 10000, 10);     /* the live one never waits, and takes the recording along */
  while (count_of (rig->fuse, "ticks-out") < 490)
    g_thread_yield ();
  fail_unless_equals_uint64 (count_of (recorded->sink, "rows-dropped"), 0);
  fail_unless_equals_uint64 (count_of (recorded->sink, "ticks-missing"), 0);
  fail_unless (count_of (recorded->sink, "rows-in") < 1050);
  gst_element_set_state (rig->fuse, GST_STATE_NULL);
  g_thread_join (source);
  rig_free (rig);
}

GST_END_TEST;

/* A live source that needs latency and one that cannot hold anything back: the base class has no latency then. */
GST_START_TEST (test_latencies_that_contradict)
{
  Rig *rig = rig_new ("rate", "50/1", NULL);
  Feed *fast = feed_new_bare (rig, "proprio_0", TRUE), *slow = feed_new_bare (rig, "proprio_1", TRUE);

  fast->holds_nothing = TRUE;
  slow->latency = MS (30);
  rig_play (rig);
  feed_start (fast, AT_100_HZ);
  feed_start (slow, AT_100_HZ);
  push_until_refused (fast);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "proprio_0", "proprio_1", "queue", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* ---- settings while playing ---- */

GST_START_TEST (test_offset_while_playing)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_ramp (feed, 0, 10, 10);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  feed_set (feed, "offset", "-5000000", NULL);
  feed_ramp (feed, 20, 30, 10);
  expect (rig, MS (20), 25, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_interpolation_while_playing)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_one (feed, 0, 0);
  expect (rig, 0, 0, ALIGNED);
  feed_one (feed, MS (18), 18);
  expect (rig, MS (10), 10, ALIGNED);
  feed_set (feed, "interpolation", "previous", NULL);
  feed_one (feed, MS (28), 28);
  expect (rig, MS (20), 18, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

/* ---- the same while the element never sleeps for long ---- */

static void
stay_awake (void)
{
  rig_busy_wait = "3000000";
}

static void
sleep_at_once (void)
{
  rig_busy_wait = "0";
}

static void
add_tests (TCase *tc)
{
  tcase_add_test (tc, test_complete_tick_leaves_early);
  tcase_add_test (tc, test_incomplete_tick_leaves_at_its_deadline);
  tcase_add_test (tc, test_silent_pad_beside_a_busy_one);
  tcase_add_test (tc, test_pad_without_caps);
  tcase_add_test (tc, test_sources_that_start_after_their_caps);
  tcase_add_test (tc, test_required_pad_without_caps_holds_output_back);
  tcase_add_test (tc, test_no_burst_of_empty_ticks);
  tcase_add_test (tc, test_no_burst_of_overdue_ticks);
  tcase_add_test (tc, test_no_burst_when_streams_come_back);
  tcase_add_test (tc, test_earlier_tick_has_an_earlier_deadline);
  tcase_add_test (tc, test_earlier_start_has_an_earlier_deadline);
  tcase_add_test (tc, test_late_rows_are_counted);
  tcase_add_test (tc, test_busy_pad_beside_a_silent_camera_never_blocks);
  tcase_add_test (tc, test_busy_pad_beside_a_camera_without_latency);
  tcase_add_test (tc, test_eos_drains_at_once);
  tcase_add_test (tc, test_eos_without_data);
  tcase_add_test (tc, test_reference_pad);
  tcase_add_test (tc, test_reference_pad_leaves_at_once);
  tcase_add_test (tc, test_lag_and_lateness);
  tcase_add_test (tc, test_age);
  tcase_add_loop_test (tc, test_latency, 0, G_N_ELEMENTS (latencies));
  tcase_add_test (tc, test_latency_not_live);
  tcase_add_test (tc, test_latency_is_that_of_the_slowest_pad);
  tcase_add_test (tc, test_latency_message_follows_a_change);
  tcase_add_loop_test (tc, test_latency_message_of_a_property, 0, G_N_ELEMENTS (changes));
  tcase_add_test (tc, test_latency_message_of_pads);
  tcase_add_test (tc, test_latency_message_of_the_property_latency);
  tcase_add_test (tc, test_latency_message_of_the_reference_rate);
  tcase_add_test (tc, test_latency_message_when_the_slowest_source_goes);
  tcase_add_test (tc, test_latency_of_a_measured_rate);
  tcase_add_test (tc, test_live_and_not);
  tcase_add_test (tc, test_latencies_that_contradict);
  tcase_add_test (tc, test_offset_while_playing);
  tcase_add_test (tc, test_interpolation_while_playing);
}

static Suite *
robocachefuselive_suite (void)
{
  Suite *s = suite_create ("robocachefuselive");
  TCase *awake;

  add_tests (add_case (s, "live"));
  awake = add_case (s, "awake");
  tcase_add_checked_fixture (awake, stay_awake, sleep_at_once);
  add_tests (awake);
  return s;
}

GST_CHECK_MAIN (robocachefuselive);

/* robocache: robocachefuse, segments, caps that change, and GAP events on input
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuseharness.h"

/* ---- segments ---- */

static void
feed_segment_at (Feed *feed, GstClockTime start, GstClockTime stop, GstClockTime base, GstClockTime offset)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = start;
  segment.time = start;
  segment.stop = stop;
  segment.base = base;
  segment.offset = offset;
  feed_event (feed, gst_event_new_segment (&segment));
}

static const struct
{
  gint start, base, offset;     /* ms */
  gint first;                   /* running time, ms, of a row at 1000 ms */
} segments[] = {
  {0, 0, 0, 1000},
  {1000, 0, 0, 0},
  {1000, 500, 0, 500},
  {900, 0, 0, 100},
  {900, 50, 30, 120},
};

GST_START_TEST (test_segment)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  rig_play (rig);
  feed_event (feed, gst_event_new_stream_start ("s"));
  feed_caps (feed, ONE_CHANNEL);
  feed_segment_at (feed, MS (segments[__i__].start), GST_CLOCK_TIME_NONE, MS (segments[__i__].base),
      MS (segments[__i__].offset));
  feed_ramp (feed, 1000, 1020, 10);
  feed_eos (feed);
  for (gint i = 0; i < 3; i++)
    expect (rig, MS (segments[__i__].first + 10 * i), 1000 + 10 * i, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_rows_outside_the_segment)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  rig_play (rig);
  feed_event (feed, gst_event_new_stream_start ("s"));
  feed_caps (feed, ONE_CHANNEL);
  feed_segment_at (feed, MS (100), MS (120), 0, 0);
  feed_ramp (feed, 80, 140, 10);
  feed_eos (feed);
  for (gint i = 0; i < 3; i++)
    expect (rig, MS (10 * i), 100 + 10 * i, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped"), 4);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

static const GstFormat other_formats[] = { GST_FORMAT_BYTES, GST_FORMAT_DEFAULT, GST_FORMAT_PERCENT };

GST_START_TEST (test_segment_of_another_format)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  const gfloat zero = 0;
  GstSegment segment;

  rig_play (rig);
  feed_event (feed, gst_event_new_stream_start ("s"));
  feed_caps (feed, ONE_CHANNEL);
  gst_segment_init (&segment, other_formats[__i__]);
  feed_event (feed, gst_event_new_segment (&segment));
  fail_if (feed_row (feed, 0, &zero, 1) == GST_FLOW_OK);
  fail_if (feed_row (feed, 0, &zero, 1) == GST_FLOW_OK);
  assert_error (rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "proprio_0", gst_format_get_name (other_formats[__i__]),
      "TIME", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* A new segment drains the rows of the old one; nothing is blended across. */
GST_START_TEST (test_segment_change)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  feed_set (feed, "hold-limit", "10000000", NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_ramp (feed, 0, 20, 10);
  feed_segment_at (feed, MS (500), GST_CLOCK_TIME_NONE, MS (50), 0);
  feed_ramp (feed, 500, 510, 10);
  feed_eos (feed);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  expect (rig, MS (30), 20, HELD);
  expect (rig, MS (40), NAN, MISSING);
  expect (rig, MS (50), 500, ALIGNED);
  expect (rig, MS (60), 510, ALIGNED);
  assert_eos (rig);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* The same segment again is no new one, wherever it has got to: rows on both sides are blended. */
GST_START_TEST (test_segment_again)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  feed_one (feed, 0, 0);
  segment.position = MS (10);
  feed_event (feed, gst_event_new_segment (&segment));
  feed_one (feed, MS (20), 20);
  feed_eos (feed);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* ---- caps that change ---- */

GST_START_TEST (test_caps_change)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  const gfloat wide[] = { 100, 200 };
  GstBuffer *sample;

  feed_set (feed, "hold-limit", "-1", NULL);
  feed_ramp (feed, 0, 20, 10);
  fail_unless (feed_caps (feed, F32 ("2")));
  feed_row (feed, MS (40), wide, 2);
  feed_row (feed, MS (50), wide, 2);
  feed_eos (feed);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  expect (rig, MS (30), 20, HELD);
  for (gint i = 4; i <= 5; i++) {
    sample = pull (rig);
    fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (10 * i));
    fail_unless_equals_int (gst_buffer_get_size (sample), 8);
    assert_value (value_of (sample, 0, 1), 200);
    gst_buffer_unref (sample);
  }
  assert_eos (rig);
  assert_output_field (rig, "dimensions", "2");
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* Three formats, one after another, and no row between two of them. */
GST_START_TEST (test_caps_change_twice)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  const gdouble value = 30;

  feed_ramp (feed, 0, 20, 10);
  fail_unless (feed_caps (feed, F32 ("7")));
  fail_unless (feed_caps (feed, "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float64, "
          "dimensions=(string)1"));
  fail_unless_equals_int (feed_bytes (feed, MS (30), &value, sizeof (value)), GST_FLOW_OK);
  feed_eos (feed);
  for (gint i = 0; i < 3; i++)
    expect (rig, MS (10 * i), 10 * i, ALIGNED);
  gst_buffer_unref (pull (rig));
  assert_eos (rig);
  assert_output_field (rig, "types", "float64");
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_same_caps_again)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);

  feed_one (feed, 0, 0);
  fail_unless (feed_caps (feed, ONE_CHANNEL));
  feed_one (feed, MS (20), 20);
  feed_eos (feed);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* A pad is flushed while rows of an older format are still being handed out. */
GST_START_TEST (test_flush_after_a_caps_change)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  const gfloat wide[4] = { 1, 2, 3, 4 };
  GstBuffer *sample;

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 0, 20, 10);
  feed_ramp (b, 0, 20, 10);
  expect_two (rig, 0, 0, ALIGNED, 0, ALIGNED);
  fail_unless (feed_caps (a, F32 ("4")));
  feed_row (a, MS (100), wide, 4);
  feed_one (b, MS (30), 30);
  expect_two (rig, MS (10), 10, ALIGNED, 10, ALIGNED);  /* the caps have come, but this tick's rows are older */
  feed_event (a, gst_event_new_flush_start ());
  feed_event (a, gst_event_new_flush_stop (TRUE));
  feed_segment (a);
  for (gint i = 2; i < 5; i++)
    feed_row (a, MS (10 * i), wide, 4);
  feed_one (b, MS (40), 40);
  all_eos (rig);
  for (gint i = 2; i < 5; i++) {
    sample = pull (rig);
    fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (10 * i));
    fail_unless_equals_int (gst_buffer_get_size (sample), 20);
    assert_value (value_of (sample, 0, 3), 4);
    gst_buffer_unref (sample);
  }
  assert_eos (rig);
  assert_output_field (rig, "dimensions", "4,1");
  assert_rows_balance (a);
  rig_free (rig);
}

GST_END_TEST;

/* ---- GAP events on input ---- */

/* A GAP says that no row comes before its end: the other streams' ticks go on. */
GST_START_TEST (test_gap_event)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);

  feed_set (b, "max-gap", "20000000", "hold-limit", "30000000", NULL);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_one (b, 0, 5);
  feed_event (b, gst_event_new_gap (MS (1), MS (99)));
  feed_ramp (a, 0, 70, 10);
  expect_two (rig, 0, 0, ALIGNED, 5, ALIGNED);
  for (gint i = 1; i <= 3; i++)
    expect_two (rig, MS (10 * i), 10 * i, ALIGNED, 5, HELD);
  for (gint i = 4; i <= 5; i++) /* the row of a after 60 may still be replaced by one with its time */
    expect_two (rig, MS (10 * i), 10 * i, ALIGNED, NAN, MISSING);
  fail_unless (gst_harness_try_pull (rig->out) == NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_gap_event_makes_rows_before_its_end_late)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);

  feed_one (feed, 0, 0);
  feed_event (feed, gst_event_new_gap (MS (1), MS (19)));
  feed_one (feed, MS (10), 99);
  feed_one (feed, MS (20), 20);
  feed_eos (feed);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-late"), 1);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* A stream of nothing but GAPs does not hold the others up. */
GST_START_TEST (test_gap_events_only)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 0, 20, 10);
  feed_event (b, gst_event_new_gap (0, MS (100)));
  expect_two (rig, 0, 0, ALIGNED, NAN, MISSING);
  rig_free (rig);
}

GST_END_TEST;

/* One that ends after its segment still tells about all of the segment. */
GST_START_TEST (test_gap_event_beyond_the_segment)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_event (b, gst_event_new_stream_start ("s"));
  feed_caps (b, ONE_CHANNEL);
  feed_segment_at (b, 0, MS (50), 0, 0);
  feed_ramp (a, 0, 20, 10);
  feed_event (b, gst_event_new_gap (0, MS (100)));
  expect_two (rig, 0, 0, ALIGNED, NAN, MISSING);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_gap_event_before_caps_and_segment)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  rig_play (rig);
  feed_event (feed, gst_event_new_stream_start ("s"));
  feed_event (feed, gst_event_new_gap (0, MS (100)));
  feed_caps (feed, ONE_CHANNEL);
  feed_event (feed, gst_event_new_gap (0, MS (100)));
  feed_segment (feed);
  feed_one (feed, 0, 1);
  feed_eos (feed);
  expect (rig, 0, 1, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefusesegments_suite (void)
{
  Suite *s = suite_create ("robocachefusesegments");
  TCase *tc = add_case (s, "segments");

  tcase_add_loop_test (tc, test_segment, 0, G_N_ELEMENTS (segments));
  tcase_add_test (tc, test_rows_outside_the_segment);
  tcase_add_loop_test (tc, test_segment_of_another_format, 0, G_N_ELEMENTS (other_formats));
  tcase_add_test (tc, test_segment_change);
  tcase_add_test (tc, test_segment_again);
  tcase_add_test (tc, test_caps_change);
  tcase_add_test (tc, test_caps_change_twice);
  tcase_add_test (tc, test_same_caps_again);
  tcase_add_test (tc, test_flush_after_a_caps_change);

  tc = add_case (s, "gap events");
  tcase_add_test (tc, test_gap_event);
  tcase_add_test (tc, test_gap_event_makes_rows_before_its_end_late);
  tcase_add_test (tc, test_gap_events_only);
  tcase_add_test (tc, test_gap_event_beyond_the_segment);
  tcase_add_test (tc, test_gap_event_before_caps_and_segment);
  return s;
}

GST_CHECK_MAIN (robocachefusesegments);

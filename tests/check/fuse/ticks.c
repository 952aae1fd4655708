/* robocache: robocachefuse, alignment and time: interpolations, gaps, holding, and the times of rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuseharness.h"

/* ---- interpolations, against values computed by hand ---- */

/* Rows at 0, 10, 20, 40 ms with values 0, 1, 4, 16 (a parabola), ticks of 200 Hz. */
static const struct
{
  const gchar *interpolation;
  gfloat expected[9];           /* at 0, 5, 10, 15, … 40 ms */
} curves[] = {
  {"linear", {0, 0.5, 1, 2.5, 4, 7, 10, 13, 16}},
  {"nearest", {0, 0, 1, 1, 4, 4, 4, 16, 16}},
  {"previous", {0, 0, 1, 1, 4, 4, 4, 4, 16}},
  {"cubic", {0, 0.375, 1, 2.25, 4, 6.4375, 9.5, 12.8125, 16}},   /* tangents at the ends are one-sided */
  {"hermite", {0, 0.5, 1, 2.5, 4, 7, 10, 13, 16}},
  {"mean", {0, 0.5, 1, 2.5, 4, 7, 10, 13, 16}},
};

GST_START_TEST (test_curves)
{
  Feed *feed;
  Rig *rig = rig_with_one ("200/1", &feed);

  feed_set (feed, "interpolation", curves[__i__].interpolation, NULL);
  feed_one (feed, 0, 0);
  feed_one (feed, MS (10), 1);
  feed_one (feed, MS (20), 4);
  feed_one (feed, MS (40), 16);
  feed_eos (feed);
  for (guint i = 0; i < 9; i++)
    expect (rig, MS (5 * i), curves[__i__].expected[i], ALIGNED);
  assert_eos (rig);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* The mean over T - p/2 <= t < T + p/2, here of rows each 2 ms and ticks each 10 ms. */
GST_START_TEST (test_mean_of_many)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);

  feed_set (feed, "interpolation", "mean", NULL);
  feed_ramp (feed, 0, 30, 2);
  feed_eos (feed);
  expect (rig, 0, 2, ALIGNED);  /* 0, 2, 4 */
  expect (rig, MS (10), 10, ALIGNED);   /* 6, 8, 10, 12, 14 */
  expect (rig, MS (20), 20, ALIGNED);
  expect (rig, MS (30), 28, ALIGNED);   /* 26, 28, 30 */
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* The first tick waits for its whole interval too, however soon its own rows are there. */
GST_START_TEST (test_mean_of_the_first_tick)
{
  Rig *rig = rig_new ("rate", "10/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);

  feed_set (a, "interpolation", "mean", NULL);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (b, 0, 100, 10);
  feed_ramp (a, 0, 24, 8);
  for (gint i = 0; i < 20; i++) {       /* whatever the other thread gets to do meanwhile; a busy machine takes each yield */
    g_thread_yield ();
    fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 0);
  }
  feed_ramp (a, 32, 200, 8);
  all_eos (rig);
  expect_two (rig, 0, 24, ALIGNED, 0, ALIGNED);
  expect_two (rig, MS (100), 100, ALIGNED, 100, ALIGNED);
  expect_two (rig, MS (200), 176, ALIGNED, 100, HELD);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* With a reference pad a mean is over its nominal period. */
GST_START_TEST (test_mean_of_a_reference_pad)
{
  const gchar *caps = "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "
      "dimensions=(string)1, framerate=(fraction)50/1";
  Rig *rig = rig_new ("reference-pad", "sink_0", NULL);
  Feed *mean = feed_new_bare (rig, "proprio_0", FALSE), *reference = feed_new_bare (rig, "sink_0", FALSE);
  GstBuffer *sample;

  feed_set (mean, "interpolation", "mean", NULL);
  rig_play (rig);
  feed_start (mean, ONE_CHANNEL);
  feed_start (reference, caps);
  feed_one (reference, MS (20), 1);
  feed_one (reference, MS (40), 2);
  feed_one (mean, MS (12), 0);
  feed_one (mean, MS (16), 6);
  feed_one (mean, MS (24), 9);
  feed_one (mean, MS (60), 9);
  all_eos (rig);
  sample = pull (rig);
  assert_value (value_of (sample, 0, 0), 5);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (sample), MS (20));
  gst_buffer_unref (sample);
  assert_output_field (rig, "framerate", "50/1");
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_mean_of_no_period)
{
  Rig *rig = rig_new ("reference-pad", "sink_0", NULL);
  Feed *mean = feed_new_bare (rig, "proprio_0", FALSE), *reference = feed_new_bare (rig, "sink_0", FALSE);

  feed_set (mean, "interpolation", "mean", NULL);
  rig_play (rig);
  feed_start (mean, ONE_CHANNEL);
  feed_start (reference, ONE_CHANNEL);
  feed_ramp (reference, 20, 40, 20);
  feed_ramp (mean, 0, 60, 10);
  all_eos (rig);
  assert_error (rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "proprio_0", "mean", "set rate", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* A row of the reference pad that comes late, but within its reorder window, is a tick with all rows of the others. */
GST_START_TEST (test_reordered_reference)
{
  Rig *rig = rig_new ("reference-pad", "proprio_0", NULL);
  Feed *reference = feed_new_bare (rig, "proprio_0", FALSE), *other = feed_new_bare (rig, "force_0", FALSE);
  const gint64 ticks[] = { MS (150), MS (300), MS (600) };

  feed_set (reference, "reorder-window", "200000000", NULL);
  rig_play (rig);
  feed_start (reference, ONE_CHANNEL);
  feed_start (other, ONE_CHANNEL);
  feed_one (reference, MS (300), 300);
  feed_ramp (other, 0, 500, 10);
  feed_one (reference, MS (150), 150);
  feed_one (reference, MS (600), 600);
  feed_one (reference, MS (900), 900);
  feed_ramp (other, 510, 700, 10);
  all_eos (rig);
  for (guint i = 0; i < G_N_ELEMENTS (ticks); i++) {
    GstBuffer *sample = pull (rig);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (sample), ticks[i]);
    assert_value (value_of (sample, 1, 0), ticks[i] / 1000000);
    gst_buffer_unref (sample);
  }
  rig_free (rig);
}

GST_END_TEST;

/* Half of a quarter turn about z, the quaternion being channels 1 to 4 and channel 0 plain. */
GST_START_TEST (test_quaternions)
{
  Rig *rig = rig_new ("rate", "200/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  const gfloat a[] = { 1, 0, 0, 0, 1 }, b[] = { 3, 0, 0, (gfloat) M_SQRT1_2, (gfloat) M_SQRT1_2 };
  const gfloat expected[] = { 2, 0, 0, 0.38268343f, 0.92387953f };
  GstBuffer *sample;

  feed_set (feed, "quaternions", "1", NULL);
  rig_play (rig);
  feed_start (feed, F32 ("5"));
  feed_row (feed, 0, a, 5);
  feed_row (feed, MS (10), b, 5);
  feed_eos (feed);
  gst_buffer_unref (pull (rig));
  sample = pull (rig);
  for (guint i = 0; i < 5; i++)
    assert_value (value_of (sample, 0, i), expected[i]);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* q and -q are the same rotation: the short way round. */
GST_START_TEST (test_quaternions_short_arc)
{
  Rig *rig = rig_new ("rate", "200/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  const gfloat a[] = { 0, 0, 0, 1 }, b[] = { 0, 0, (gfloat) - M_SQRT1_2, (gfloat) - M_SQRT1_2 };
  GstBuffer *sample;

  feed_set (feed, "quaternions", "0", NULL);
  rig_play (rig);
  feed_start (feed, F32 ("4"));
  feed_row (feed, 0, a, 4);
  feed_row (feed, MS (10), b, 4);
  feed_eos (feed);
  gst_buffer_unref (pull (rig));
  sample = pull (rig);
  assert_value (value_of (sample, 0, 2), 0.38268343f);
  assert_value (value_of (sample, 0, 3), 0.92387953f);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* From 170 to -170 degrees is 20 degrees through 180, not 340 through 0; the middle is at most pi. */
GST_START_TEST (test_angles)
{
  Rig *rig = rig_new ("rate", "200/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  const gfloat a[] = { (gfloat) (170 * M_PI / 180), 1 }, b[] = { (gfloat) (-160 * M_PI / 180), 2 };
  GstBuffer *sample;

  feed_set (feed, "angles", "0", NULL);
  rig_play (rig);
  feed_start (feed, F32 ("2"));
  feed_row (feed, 0, a, 2);
  feed_row (feed, MS (10), b, 2);
  feed_eos (feed);
  gst_buffer_unref (pull (rig));
  sample = pull (rig);
  assert_value (value_of (sample, 0, 0), (gfloat) (-175 * M_PI / 180));
  assert_value (value_of (sample, 0, 1), 1.5);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* Position 0 at rest to position 1 at rest in 1 s: at a quarter 3/16 - 2/64 of it; the rate itself is linear. */
GST_START_TEST (test_velocities)
{
  Rig *rig = rig_new ("rate", "4/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  const gfloat a[] = { 0, 0 }, b[] = { 1, 2 };
  /* w = 1/4: h01 = 5/32, h11 h v = (1/64 - 1/16) * 2 */
  const gfloat expected[] = { 0.15625f - 0.09375f, 0.5f };
  GstBuffer *sample;

  feed_set (feed, "interpolation", "hermite", "velocities", "1", "max-gap", "-1", NULL);
  rig_play (rig);
  feed_start (feed, F32 ("2"));
  feed_row (feed, 0, a, 2);
  feed_row (feed, MS (1000), b, 2);
  feed_eos (feed);
  gst_buffer_unref (pull (rig));
  sample = pull (rig);
  assert_value (value_of (sample, 0, 0), expected[0]);
  assert_value (value_of (sample, 0, 1), expected[1]);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* ---- gaps and holding ---- */

/* Rows at 0 and 100 ms, the other stream goes on to 300 ms; ticks each 50 ms. */
static const struct
{
  const gchar *max_gap, *hold_limit;
  gint statuses[7];             /* at 0, 50, … 300 ms */
} holds[] = {
  {"200000000", "200000000", {ALIGNED, ALIGNED, ALIGNED, HELD, HELD, HELD, HELD}},
  {"100000000", "0", {ALIGNED, ALIGNED, ALIGNED, MISSING, MISSING, MISSING, MISSING}},
  {"99999999", "0", {ALIGNED, MISSING, ALIGNED, MISSING, MISSING, MISSING, MISSING}},
  {"99999999", "50000000", {ALIGNED, HELD, ALIGNED, HELD, MISSING, MISSING, MISSING}},
  {"99999999", "49999999", {ALIGNED, MISSING, ALIGNED, MISSING, MISSING, MISSING, MISSING}},
  {"0", "-1", {ALIGNED, HELD, ALIGNED, HELD, HELD, HELD, HELD}},
  {"-1", "100000000", {ALIGNED, ALIGNED, ALIGNED, HELD, HELD, MISSING, MISSING}},
  {"-1", "0", {ALIGNED, ALIGNED, ALIGNED, MISSING, MISSING, MISSING, MISSING}},
  {"-1", "-1", {ALIGNED, ALIGNED, ALIGNED, HELD, HELD, HELD, HELD}},
};

GST_START_TEST (test_holds)
{
  Rig *rig = rig_new ("rate", "20/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE), *other = feed_new_bare (rig, "proprio_1", FALSE);
  guint64 counts[3] = { 0 };

  feed_set (feed, "max-gap", holds[__i__].max_gap, "hold-limit", holds[__i__].hold_limit, NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_start (other, ONE_CHANNEL);
  feed_one (feed, 0, 0);
  feed_one (feed, MS (100), 100);
  feed_eos (feed);
  feed_ramp (other, 0, 300, 50);
  feed_eos (other);
  for (gint i = 0; i < 7; i++) {
    const gint status = holds[__i__].statuses[i];
    const gfloat held = i < 2 ? 0 : 100;

    counts[status]++;
    expect_two (rig, MS (50 * i), status == MISSING ? NAN : status == HELD ? held : 50 * i, status, 50 * i, ALIGNED);
  }
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "ticks-aligned"), counts[ALIGNED]);
  fail_unless_equals_uint64 (count_of (feed->sink, "ticks-held"), counts[HELD]);
  fail_unless_equals_uint64 (count_of (feed->sink, "ticks-missing"), counts[MISSING]);
  rig_free (rig);
}

GST_END_TEST;

/* previous: the gap is the age of the row */
GST_START_TEST (test_previous_and_max_gap)
{
  Feed *feed;
  Rig *rig = rig_with_one ("20/1", &feed);

  feed_set (feed, "interpolation", "previous", "max-gap", "60000000", "hold-limit", "120000000", NULL);
  feed_one (feed, 0, 1);
  feed_one (feed, MS (200), 2);
  feed_eos (feed);
  expect (rig, 0, 1, ALIGNED);
  expect (rig, MS (50), 1, ALIGNED);
  expect (rig, MS (100), 1, HELD);
  expect (rig, MS (150), NAN, MISSING);
  expect (rig, MS (200), 2, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_missing_before_the_first_row)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *late = feed_new_bare (rig, "proprio_0", FALSE), *early = feed_new_bare (rig, "proprio_1", FALSE);

  feed_set (late, "hold-limit", "-1", NULL);
  rig_play (rig);
  feed_start (late, ONE_CHANNEL);
  feed_start (early, ONE_CHANNEL);
  feed_ramp (early, 0, 30, 10);
  feed_one (late, MS (15), 15);
  feed_one (late, MS (25), 25);
  all_eos (rig);
  expect_two (rig, 0, NAN, MISSING, 0, ALIGNED);
  expect_two (rig, MS (10), NAN, MISSING, 10, ALIGNED);
  expect_two (rig, MS (20), 20, ALIGNED, 20, ALIGNED);
  expect_two (rig, MS (30), 25, HELD, 30, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* ---- required ---- */

GST_START_TEST (test_required)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  GstEvent *event;
  GstBuffer *sample;
  guint n_gaps = 0;

  feed_set (b, "required", "true", "hold-limit", "0", "max-gap", "10000000", NULL);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 0, 60, 10);
  feed_ramp (b, 10, 20, 10);
  feed_ramp (b, 50, 60, 10);
  all_eos (rig);
  sample = pull (rig);          /* the one at 0 was dropped, and nothing had been sent yet: no GAP */
  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (10));
  fail_unless (GST_BUFFER_IS_DISCONT (sample));
  gst_buffer_unref (sample);
  sample = pull (rig);
  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (20));
  fail_if (GST_BUFFER_IS_DISCONT (sample));
  gst_buffer_unref (sample);
  sample = pull (rig);
  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (50));
  fail_unless (GST_BUFFER_IS_DISCONT (sample));
  gst_buffer_unref (sample);
  sample = pull (rig);
  fail_if (GST_BUFFER_IS_DISCONT (sample));
  gst_buffer_unref (sample);
  assert_eos (rig);
  while ((event = gst_harness_try_pull_event (rig->out))) {
    GstClockTime pts, duration;

    if (GST_EVENT_TYPE (event) == GST_EVENT_GAP) {
      gst_event_parse_gap (event, &pts, &duration);
      fail_unless_equals_uint64 (pts, MS (30));
      fail_unless_equals_uint64 (duration, MS (20));
      n_gaps++;
    }
    gst_event_unref (event);
  }
  fail_unless_equals_int (n_gaps, 1);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-dropped"), 3);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 4);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_required_accepts_held)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);

  feed_set (b, "required", "true", NULL);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 0, 10, 10);
  feed_one (b, 0, 5);
  all_eos (rig);
  expect_two (rig, 0, 0, ALIGNED, 5, ALIGNED);
  expect_two (rig, MS (10), 10, ALIGNED, 5, HELD);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* ---- times of rows ---- */

GST_START_TEST (test_rows_of_a_block)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "force_0", FALSE);
  const gfloat rows[] = { 0, 1, 2, 3 };
  GstBuffer *buffer = buffer_of (0, rows, sizeof (rows));

  rig_play (rig);
  feed_start (feed, F32 ("1:4"));
  GST_BUFFER_DURATION (buffer) = MS (40);
  fail_unless_equals_int (gst_pad_push (feed->pad, buffer), GST_FLOW_OK);
  feed_eos (feed);
  for (gint i = 0; i < 4; i++)
    expect (rig, MS (10 * i), i, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-in"), 4);
  rig_free (rig);
}

GST_END_TEST;

/* Without a duration a nominal rate gives it; it is of buffers, so of blocks. */
GST_START_TEST (test_rows_of_a_block_at_a_nominal_rate)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "force_0", FALSE);
  const gfloat rows[] = { 0, 2 };

  rig_play (rig);
  feed_start (feed, "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "
      "dimensions=(string)1:2, framerate=(fraction)25/1");
  feed_row (feed, 0, rows, 2);
  feed_eos (feed);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 1, ALIGNED);
  expect (rig, MS (20), 2, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* A buffer without a time goes on where the one before it ended. */
GST_START_TEST (test_pts_none_later)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  const gfloat values[] = { 1, 2, 3 };

  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = buffer_of (i == 0 ? 0 : NONE, &values[i], sizeof (gfloat));

    GST_BUFFER_DURATION (buffer) = MS (10);
    fail_unless_equals_int (gst_pad_push (feed->pad, buffer), GST_FLOW_OK);
  }
  feed_eos (feed);
  expect (rig, 0, 1, ALIGNED);
  expect (rig, MS (10), 2, ALIGNED);
  expect (rig, MS (20), 3, ALIGNED);
  assert_eos (rig);
  assert_no_message (rig, GST_MESSAGE_WARNING);
  rig_free (rig);
}

GST_END_TEST;

/* With nothing to go on from it is dropped and counted, and warned about once. */
GST_START_TEST (test_pts_none_first)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);

  feed_one (feed, NONE, 1);
  feed_one (feed, NONE, 2);
  feed_one (feed, 0, 3);
  feed_one (feed, NONE, 4);     /* the one before it has no duration */
  feed_eos (feed);
  expect (rig, 0, 3, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped"), 3);
  assert_rows_balance (feed);
  gst_message_unref (wait_message (rig, GST_MESSAGE_WARNING));
  assert_no_message (rig, GST_MESSAGE_WARNING);
  assert_no_message (rig, GST_MESSAGE_ERROR);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_equal_pts)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);

  feed_one (feed, 0, 1);
  feed_one (feed, MS (10), 2);
  feed_one (feed, MS (10), 3);
  feed_one (feed, MS (10), 4);
  feed_one (feed, MS (20), 5);
  feed_eos (feed);
  expect (rig, 0, 1, ALIGNED);
  expect (rig, MS (10), 4, ALIGNED);
  expect (rig, MS (20), 5, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-duplicate"), 2);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_backwards_pts)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);

  feed_one (feed, 0, 0);
  feed_one (feed, MS (20), 20);
  feed_one (feed, MS (10), 99);
  feed_one (feed, MS (30), 30);
  feed_eos (feed);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  expect (rig, MS (30), 30, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-late"), 1);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_reorder_window)
{
  Feed *feed;
  Rig *rig = rig_new ("rate", "100/1", NULL);

  feed = feed_new_bare (rig, "proprio_0", FALSE);
  feed_set (feed, "reorder-window", "10000000", NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_one (feed, 0, 0);
  feed_one (feed, MS (20), 20);
  feed_one (feed, MS (10), 99); /* at the edge: taken */
  feed_one (feed, MS (9), 98);  /* beyond it: late */
  feed_one (feed, MS (30), 30);
  feed_eos (feed);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 99, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  expect (rig, MS (30), 30, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-late"), 1);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* When the ticks begin is known, and rows that none of them needs go, while a stream that is reordered stands between the
 * first row of all and the first that is kept. A stream that becomes ready then is heard. */
GST_START_TEST (test_first_tick_outlives_the_row_that_told_it)
{
  Rig *rig = rig_new ("rate", "1000/7", NULL);
  Feed *reordered = feed_new_bare (rig, "proprio_0", FALSE), *fast = feed_new_bare (rig, "force_0", FALSE);

  feed_set (reordered, "reorder-window", "15000000", NULL);
  feed_set (fast, "interpolation", "mean", NULL);
  rig_play (rig);
  feed_start (reordered, ONE_CHANNEL);
  feed_start (fast, ONE_CHANNEL);
  feed_one (reordered, MS (23), 23);    /* an earlier one could come from 8 ms on */
  feed_ramp (fast, 8, 25, 1);
  feed_ramp (reordered, 30, 60, 10);
  expect_two (rig, MS (14), NAN, MISSING, 14, ALIGNED);
  feed_ramp (fast, 26, 30, 1);
  expect_two (rig, MS (21), NAN, MISSING, 21, ALIGNED);
  all_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_offset)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);

  feed_set (a, "offset", "-10000000", NULL);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 10, 30, 10);
  feed_ramp (b, 0, 20, 10);
  all_eos (rig);
  for (gint i = 0; i < 3; i++)
    expect_two (rig, MS (10 * i), 10 * i + 10, ALIGNED, 10 * i, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* Ticks are never before running time 0. */
GST_START_TEST (test_no_ticks_before_zero)
{
  Feed *feed;
  Rig *rig = rig_new ("rate", "100/1", NULL);

  feed = feed_new_bare (rig, "proprio_0", FALSE);
  feed_set (feed, "offset", "-15000000", NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_ramp (feed, 0, 30, 10);
  feed_eos (feed);
  expect (rig, 0, 15, ALIGNED);
  expect (rig, MS (10), 25, ALIGNED);
  assert_eos (rig);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefuseticks_suite (void)
{
  Suite *s = suite_create ("robocachefuseticks");
  TCase *tc = add_case (s, "interpolation");

  tcase_add_loop_test (tc, test_curves, 0, G_N_ELEMENTS (curves));
  tcase_add_test (tc, test_mean_of_many);
  tcase_add_test (tc, test_mean_of_the_first_tick);
  tcase_add_test (tc, test_mean_of_a_reference_pad);
  tcase_add_test (tc, test_mean_of_no_period);
  tcase_add_test (tc, test_reordered_reference);
  tcase_add_test (tc, test_quaternions);
  tcase_add_test (tc, test_quaternions_short_arc);
  tcase_add_test (tc, test_angles);
  tcase_add_test (tc, test_velocities);

  tc = add_case (s, "gaps");
  tcase_add_loop_test (tc, test_holds, 0, G_N_ELEMENTS (holds));
  tcase_add_test (tc, test_previous_and_max_gap);
  tcase_add_test (tc, test_missing_before_the_first_row);
  tcase_add_test (tc, test_required);
  tcase_add_test (tc, test_required_accepts_held);

  tc = add_case (s, "times");
  tcase_add_test (tc, test_rows_of_a_block);
  tcase_add_test (tc, test_rows_of_a_block_at_a_nominal_rate);
  tcase_add_test (tc, test_pts_none_later);
  tcase_add_test (tc, test_pts_none_first);
  tcase_add_test (tc, test_equal_pts);
  tcase_add_test (tc, test_backwards_pts);
  tcase_add_test (tc, test_reorder_window);
  tcase_add_test (tc, test_first_tick_outlives_the_row_that_told_it);
  tcase_add_test (tc, test_offset);
  tcase_add_test (tc, test_no_ticks_before_zero);
  return s;
}

GST_CHECK_MAIN (robocachefuseticks);

/* robocache: robocachefuse, whose clock a pad's times are of: offset, timestamp-source and clock-mode
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/time/clocksim.h"
#include "livefuse.h"

#define SECONDS(s) ((gint64) (s) * (gint64) GST_SECOND)
#define TODAY SECONDS (1700000000)
/* NTP counts from 1900. */
#define NTP_TODAY (TODAY + SECONDS (2208988800))
#define NTP "timestamp/x-ntp"
#define UNIX "timestamp/x-unix"
#define WITH_TIMES(rows) "other/tensors, format=(string)static, num_tensors=(int)2, types=(string)\"float32,int64\", " \
    "dimensions=(string)\"1:" #rows "." #rows "\", framerate=(fraction)0/1"

/* ---- offset ---- */

/* A sensor that is found to be 5 ms late while it plays: ticks from then on are of other rows, and none is in between. */
GST_START_TEST (test_offset_takes_effect_at_a_tick)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_ramp (feed, 0, 30, 10);
  for (gint t = 0; t <= 30; t += 10)
    expect (rig, MS (t), t, ALIGNED);
  feed_set (feed, "offset", "-5000000", NULL);
  feed_ramp (feed, 40, 80, 10);
  for (gint t = 40; t <= 70; t += 10)
    expect (rig, MS (t), t + 5, ALIGNED);
  feed_set (feed, "offset", "5000000", NULL);
  feed_ramp (feed, 90, 120, 10);
  for (gint t = 80; t <= 120; t += 10)
    expect (rig, MS (t), t - 5, ALIGNED);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* The next tick is decided by the rows of before when they are there; after it the new offset holds. */
GST_START_TEST (test_offset_while_a_tick_waits)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_ramp (feed, 0, 10, 10);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  feed_set (feed, "offset", "10000000", NULL);  /* the row at 10 is at 20 */
  feed_one (feed, MS (20), 20);
  expect (rig, MS (20), 10, ALIGNED);
  expect (rig, MS (30), 20, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

/* ---- pts and row times ---- */

/* One row whose PTS and row time differ. */
static void
feed_two_times (Feed *feed, gint64 pts, gint64 row_time, gfloat value)
{
  GstBuffer *buffer = buffer_of (pts, &value, sizeof (value));

  gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, sizeof (row_time), NULL));
  gst_buffer_fill (buffer, sizeof (value), &row_time, sizeof (row_time));
  fail_unless_equals_int (gst_pad_push (feed->pad, buffer), GST_FLOW_OK);
}

static const struct
{
  const gchar *source;
  gint shift;                   /* ms that rows are later than their row times */
} two_times[] = {
  {"auto", 0},
  {"row-times", 0},
  {"pts", 100},
};

GST_START_TEST (test_pts_and_row_times)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "sink_0", FALSE);

  feed_set (feed, "timestamp-source", two_times[__i__].source, NULL);
  rig_play (rig);
  feed_start (feed, WITH_TIMES (1));
  for (gint t = 0; t <= 30; t += 10)
    feed_two_times (feed, MS (t + 100), MS (t), t);
  feed_eos (feed);
  for (gint t = 0; t <= 30; t += 10)
    expect (rig, MS (t + two_times[__i__].shift), t, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_row_times_that_are_not_there)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "sink_0", FALSE);
  const gfloat zero = 0;

  feed_set (feed, "timestamp-source", "row-times", NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  fail_if (feed_row (feed, 0, &zero, 1) == GST_FLOW_OK);
  fail_if (feed_row (feed, MS (10), &zero, 1) == GST_FLOW_OK);
  assert_error (rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "sink_0", "row-times", "int64", NULL);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped-refused"), 2);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* ---- reference ---- */

/* A row with a reference timestamp; none where reference is NULL. */
static void
feed_referenced (Feed *feed, gint64 pts, const gchar *reference, gint64 time, gfloat value)
{
  GstBuffer *buffer = buffer_of (pts, &value, sizeof (value));
  GstCaps *caps = reference ? gst_caps_from_string (reference) : NULL;

  if (caps)
    gst_buffer_add_reference_timestamp_meta (buffer, caps, (GstClockTime) time, GST_CLOCK_TIME_NONE);
  gst_clear_caps (&caps);
  fail_unless_equals_int (gst_pad_push (feed->pad, buffer), GST_FLOW_OK);
}

static Rig *
reference_rig (Feed **a, Feed **b, gboolean live)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);

  *a = feed_new_bare (rig, "proprio_0", live);
  feed_set (*a, "timestamp-source", "reference", NULL);
  if (b) {
    *b = feed_new_bare (rig, "proprio_1", live);
    feed_set (*b, "timestamp-source", "reference", NULL);
  }
  return rig;
}

static void
reference_start (Rig *rig, Feed *a, Feed *b)
{
  rig_play (rig);
  feed_start (a, AT_100_HZ);
  if (b)
    feed_start (b, AT_100_HZ);
}

/* Both hosts' pipelines run on one clock: reference times are its times, and the base time is where ours began. */
GST_START_TEST (test_reference_of_the_pipeline_s_clock)
{
  Feed *feed;
  Rig *rig = reference_rig (&feed, NULL, TRUE);

  feed_set (feed, "reference-clock", "pipeline", NULL);
  set_clock (rig, SECONDS (100));
  gst_element_set_base_time (rig->fuse, SECONDS (100));
  reference_start (rig, feed, NULL);
  /* PTS is when it arrived here, and does not matter */
  for (gint t = 0; t <= 40; t += 10)
    feed_referenced (feed, MS (t + 23 + t % 3), NTP, SECONDS (100) + MS (t), t);
  for (gint t = 0; t <= 40; t += 10)
    expect (rig, MS (t), t, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_reference_origin)
{
  Feed *feed;
  Rig *rig = reference_rig (&feed, NULL, FALSE);

  g_object_set (feed->sink, "reference-origin", NTP_TODAY, NULL);
  reference_start (rig, feed, NULL);
  for (gint t = 0; t <= 40; t += 10)
    feed_referenced (feed, NONE, NTP, NTP_TODAY + MS (t), t);
  feed_eos (feed);
  for (gint t = 0; t <= 40; t += 10)
    expect (rig, MS (t), t, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* The first buffer's PTS says where running time 0 is; after that only the reference counts. */
GST_START_TEST (test_reference_is_measured_at_the_first_row)
{
  Feed *feed;
  Rig *rig = reference_rig (&feed, NULL, TRUE);
  GstStructure *stats;
  gint64 origin;

  reference_start (rig, feed, NULL);
  for (gint t = 0; t <= 40; t += 10)
    feed_referenced (feed, MS (t == 0 ? 50 : 57 + t), NTP, NTP_TODAY + MS (t), t);
  for (gint t = 0; t <= 40; t += 10)
    expect (rig, MS (50 + t), t, ALIGNED);
  stats = stats_of (feed->sink);
  fail_unless (gst_structure_get_int64 (stats, "reference-origin", &origin));
  fail_unless_equals_int64 (origin, NTP_TODAY - MS (50));
  gst_structure_free (stats);
  rig_free (rig);
}

GST_END_TEST;

/* Two senders with different delays agree exactly, since they share the origin. */
GST_START_TEST (test_senders_share_a_measured_origin)
{
  Feed *a, *b;
  Rig *rig = reference_rig (&a, &b, TRUE);

  reference_start (rig, a, b);
  for (gint t = 0; t <= 40; t += 10) {
    feed_referenced (a, MS (50 + t), NTP, NTP_TODAY + MS (t), t);
    feed_referenced (b, MS (180 + t), NTP, NTP_TODAY + MS (t), t);
  }
  for (gint t = 0; t <= 40; t += 10)
    expect_two (rig, MS (50 + t), t, ALIGNED, t, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

/* Other clocks have other origins. */
GST_START_TEST (test_references_of_two_clocks)
{
  Feed *a, *b;
  Rig *rig = reference_rig (&a, &b, TRUE);

  feed_set (b, "reference-caps", UNIX, NULL);
  reference_start (rig, a, b);
  for (gint t = 0; t <= 40; t += 10) {
    feed_referenced (a, MS (50 + t), NTP, NTP_TODAY + MS (t), t);
    feed_referenced (b, MS (50 + t), UNIX, TODAY + SECONDS (3) + MS (t), t);
  }
  for (gint t = 0; t <= 40; t += 10)
    expect_two (rig, MS (50 + t), t, ALIGNED, t, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

static guint
count_warnings (Rig *rig, const gchar *word)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_WARNING))) {
    GError *error;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, word) != NULL, "\"%s\"", error->message);
    g_error_free (error);
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* As before the first sender report; and metas of another reference do not count. */
GST_START_TEST (test_rows_without_reference)
{
  Feed *feed;
  Rig *rig = reference_rig (&feed, NULL, TRUE);

  reference_start (rig, feed, NULL);
  feed_referenced (feed, 0, NULL, 0, 100);
  feed_referenced (feed, MS (10), UNIX, TODAY, 110);
  for (gint t = 20; t <= 40; t += 10)
    feed_referenced (feed, MS (t), NTP, NTP_TODAY + MS (t), t);
  for (gint t = 20; t <= 40; t += 10)
    expect (rig, MS (t), t, ALIGNED);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped-no-reference"), 2);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped"), 2);
  fail_unless_equals_int (count_warnings (rig, NTP), 1);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_reference_of_a_block)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "sink_0", FALSE);
  const gfloat rows[] = { 0, 10, 20, 30 };
  GstBuffer *buffer = buffer_of (0, rows, sizeof (rows));
  GstCaps *caps = gst_caps_from_string (NTP);

  feed_set (feed, "timestamp-source", "reference", NULL);
  g_object_set (feed->sink, "reference-origin", NTP_TODAY, NULL);
  rig_play (rig);
  feed_start (feed, F32 ("1:4"));
  gst_buffer_add_reference_timestamp_meta (buffer, caps, (GstClockTime) NTP_TODAY, 40 * GST_MSECOND);
  fail_unless_equals_int (gst_pad_push (feed->pad, buffer), GST_FLOW_OK);
  feed_eos (feed);
  for (gint t = 0; t <= 30; t += 10)
    expect (rig, MS (t), t, ALIGNED);
  assert_eos (rig);
  gst_caps_unref (caps);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_rows_before_the_reference_origin)
{
  Feed *feed;
  Rig *rig = reference_rig (&feed, NULL, FALSE);

  g_object_set (feed->sink, "reference-origin", NTP_TODAY, NULL);
  reference_start (rig, feed, NULL);
  feed_referenced (feed, NONE, NTP, NTP_TODAY - 1, 9);
  feed_referenced (feed, NONE, NTP, NTP_TODAY, 1);
  feed_eos (feed);
  expect (rig, 0, 1, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped-outside-segment"), 1);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* What is not live must not depend on which buffer comes first. */
GST_START_TEST (test_measuring_needs_a_live_source)
{
  Feed *feed;
  Rig *rig = reference_rig (&feed, NULL, FALSE);
  const gfloat zero = 0;

  reference_start (rig, feed, NULL);
  fail_if (feed_row (feed, 0, &zero, 1) == GST_FLOW_OK);
  assert_error (rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "proprio_0", "reference-origin", NULL);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* Another source of times while playing: what came before still answers its ticks. */
GST_START_TEST (test_timestamp_source_while_playing)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_ramp (feed, 0, 30, 10);
  for (gint t = 0; t <= 30; t += 10)
    expect (rig, MS (t), t, ALIGNED);
  feed_set (feed, "timestamp-source", "reference", NULL);
  g_object_set (feed->sink, "reference-origin", NTP_TODAY, NULL);
  feed_one (feed, MS (40), 40); /* taken with the settings of the last tick, and makes one with the new ones */
  expect (rig, MS (40), 40, ALIGNED);
  for (gint t = 50; t <= 70; t += 10)
    feed_referenced (feed, MS (t + 33), NTP, NTP_TODAY + MS (t), t);
  for (gint t = 50; t <= 70; t += 10)
    expect (rig, MS (t), t, ALIGNED);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

/* ---- clocks of their own ---- */

static const Sim usual = { 100.0, 20.0, SIM_UNIFORM, 200.0, SECONDS (5000), MS (3), 1, SIM_OVERTAKING };

/* A live pad that follows its sensor's clock, beside nothing else. */
static Rig *
track_rig (Feed **feed)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);

  *feed = feed_new_bare (rig, "force_0", TRUE);
  feed_set (*feed, "clock-mode", "track", "reorder-window", "50000000", "max-gap", "-1", NULL);
  rig_play (rig);
  feed_start (*feed, ONE_CHANNEL);
  return rig;
}

/* Rows whose value is the true time of capture in ms. */
static void
feed_sensor (Rig *rig, Feed *feed, SimState *state, guint n)
{
  for (guint i = 0; i < n; i++) {
    const SimRow row = sim_next (state);

    set_clock (rig, MAX (row.arrival, (gint64) gst_clock_get_time (GST_CLOCK (rig->clock))));
    feed_one (feed, row.sensor, (gfloat) ((gdouble) row.captured / 1e6));
  }
}

static guint
count_clock_messages (Rig *rig, const gchar *event)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *s = gst_message_get_structure (message);

    if (gst_structure_has_name (s, "robocache-clock")) {
      fail_unless_equals_string (gst_structure_get_string (s, "pad"), "force_0");
      n += g_strcmp0 (gst_structure_get_string (s, "event"), event) == 0;
    }
    gst_message_unref (message);
  }
  return n;
}

/* Ends the stream. The tick of the last sample less the time of capture that its value says, in ms, the constant delay
 * aside. */
static gdouble
error_at_end (Rig *rig, Feed *feed)
{
  gdouble error = NAN;
  GstBuffer *sample;

  feed_eos (feed);
  while ((sample = pull_until_eos (rig))) {
    if (status_of (sample, 0) == ALIGNED)
      error = (gdouble) GST_BUFFER_PTS (sample) / 1e6 - value_of (sample, 0, 0) - (gdouble) usual.least_delay / 1e6;
    gst_buffer_unref (sample);
  }
  return error;
}

/* A microcontroller's counter, 5000 s ahead and 200 ppm fast, is aligned to within a fifth of a millisecond. */
GST_START_TEST (test_track)
{
  Feed *feed;
  Rig *rig = track_rig (&feed);
  SimState state = sim_begin (&usual);
  GstStructure *stats;
  gboolean converged;
  gdouble skew, error;

  feed_sensor (rig, feed, &state, 3000);
  error = error_at_end (rig, feed);
  fail_unless (fabs (error) <= 0.2, "off by %g ms", error);
  fail_unless_equals_int (count_clock_messages (rig, "converged"), 1);
  stats = stats_of (feed->sink);
  fail_unless (gst_structure_get (stats, "clock-skew-ppm", G_TYPE_DOUBLE, &skew, "clock-converged", G_TYPE_BOOLEAN,
          &converged, NULL));
  fail_unless (converged && fabs (skew - 200.0) < 10.0, "%g ppm", skew);
  fail_unless_equals_uint64 (count_in (stats, "clock-pairs"), 3000);
  fail_unless_equals_uint64 (count_in (stats, "rows-in"), 3000);
  fail_unless_equals_uint64 (count_in (stats, "rows-dropped"), 0);
  gst_structure_free (stats);
  assert_rows_balance (feed);
  sim_end (&state);
  rig_free (rig);
}

GST_END_TEST;

/* offset is what the least delay cannot tell. */
GST_START_TEST (test_track_and_offset)
{
  Feed *feed;
  Rig *rig = track_rig (&feed);
  SimState state = sim_begin (&usual);
  gdouble error;

  feed_set (feed, "offset", "-3000000", NULL);
  feed_sensor (rig, feed, &state, 3000);
  error = error_at_end (rig, feed) + (gdouble) usual.least_delay / 1e6;
  fail_unless (fabs (error) <= 0.2, "off by %g ms", error);
  sim_end (&state);
  rig_free (rig);
}

GST_END_TEST;

static const gint64 jumps[] = { SECONDS (86400), -SECONDS (4000), SECONDS (3) };

/* No row is lost, and none is far from where it belongs. */
GST_START_TEST (test_track_through_a_jump)
{
  Feed *feed;
  Rig *rig = track_rig (&feed);
  SimState state = sim_begin (&usual);
  gdouble error;

  feed_sensor (rig, feed, &state, 3000);
  state.shift = jumps[__i__];
  feed_sensor (rig, feed, &state, 3000);
  error = error_at_end (rig, feed);
  fail_unless (fabs (error) <= 0.2, "off by %g ms", error);
  fail_unless_equals_uint64 (count_of (feed->sink, "clock-jumps"), 1);
  fail_unless_equals_uint64 (count_of (rig->fuse, "clock-jumps"), 1);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped"), 0);
  assert_rows_balance (feed);
  sim_end (&state);
  rig_free (rig);
}

GST_END_TEST;

/* Rows of a block arrive together; the last is the newest. */
GST_START_TEST (test_track_blocks)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "force_0", TRUE);
  const Sim sim = { 10.0, 4.0, SIM_UNIFORM, 200.0, SECONDS (5000), MS (3), 1, SIM_IN_ORDER };
  SimState state = sim_begin (&sim);
  gdouble error;

  feed_set (feed, "clock-mode", "track", NULL);
  rig_play (rig);
  feed_start (feed, F32 ("1:10"));
  for (guint i = 0; i < 300; i++) {
    const SimRow last = sim_next (&state);
    gfloat values[10];
    GstBuffer *buffer;

    for (gint k = 0; k < 10; k++)
      values[k] = (gfloat) ((gdouble) last.captured / 1e6 - 10.0 * (9 - k));
    buffer = buffer_of (last.sensor - MS (90), values, sizeof (values));
    GST_BUFFER_DURATION (buffer) = 100 * GST_MSECOND;
    set_clock (rig, last.arrival);
    fail_unless_equals_int (gst_pad_push (feed->pad, buffer), GST_FLOW_OK);
  }
  error = error_at_end (rig, feed);
  fail_unless (fabs (error) <= 0.2, "off by %g ms", error);
  fail_unless_equals_uint64 (count_of (feed->sink, "clock-pairs"), 300);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-in"), 3000);
  assert_rows_balance (feed);
  sim_end (&state);
  rig_free (rig);
}

GST_END_TEST;

/* The reference's clock is the sender's own: no origin is needed. */
GST_START_TEST (test_track_a_reference)
{
  Feed *feed;
  Rig *rig = reference_rig (&feed, NULL, TRUE);
  gint64 last = 0;

  feed_set (feed, "clock-mode", "track", NULL);
  reference_start (rig, feed, NULL);
  for (gint t = 0; t <= 1000; t += 10) {
    last = MS (t + 30 + (t / 10) % 4);
    set_clock (rig, last);
    feed_referenced (feed, NONE, UNIX, 0, 0);
    feed_referenced (feed, NONE, NTP, NTP_TODAY + MS (t), t);
  }
  feed_eos (feed);
  /* the least delay is 30 ms */
  expect (rig, MS (30), 0, ALIGNED);
  fail_unless_equals_uint64 (count_of (feed->sink, "clock-pairs"), 101);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped-no-reference"), 101);
  assert_rows_balance (feed);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_track_needs_a_live_source)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "force_0", FALSE);
  const gfloat zero = 0;

  feed_set (feed, "clock-mode", "track", NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  fail_if (feed_row (feed, 0, &zero, 1) == GST_FLOW_OK);
  assert_error (rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "force_0", "clock-mode=track", "live", NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_track_needs_a_clock)
{
  Feed *feed;
  Rig *rig = track_rig (&feed);
  const gfloat zero = 0;

  gst_element_set_clock (rig->fuse, NULL);
  fail_if (feed_row (feed, 0, &zero, 1) == GST_FLOW_OK);
  assert_error (rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "force_0", "clock-mode=track", "clock", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* A GAP is on the sensor's clock, too: ticks within it need not wait for their deadline. */
GST_START_TEST (test_track_gap)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *busy = feed_new_bare (rig, "proprio_0", TRUE), *feed = feed_new_bare (rig, "force_0", TRUE);

  feed_set (feed, "clock-mode", "track", "interpolation", "previous", NULL);
  rig_play (rig);
  feed_start (busy, AT_100_HZ);
  feed_start (feed, AT_100_HZ);
  for (gint t = 100; t <= 120; t += 10) {
    set_clock (rig, MS (t));
    feed_one (busy, MS (t), t);
    feed_one (feed, SECONDS (5000) + MS (t), t);
  }
  for (gint t = 100; t <= 120; t += 10)
    expect_two (rig, MS (t), t, ALIGNED, t, ALIGNED);
  feed_event (feed, gst_event_new_gap ((GstClockTime) (SECONDS (5000) + MS (120)), 30 * GST_MSECOND));
  feed_ramp (busy, 130, 140, 10);
  expect_two (rig, MS (130), 130, ALIGNED, 120, ALIGNED);
  expect_two (rig, MS (140), 140, ALIGNED, 120, ALIGNED);
  fail_unless_equals_int64 (gst_clock_get_time (GST_CLOCK (rig->clock)), MS (120));
  rig_free (rig);
}

GST_END_TEST;

/* NULL, and again: nothing of the old estimate is left. */
GST_START_TEST (test_track_after_a_new_start)
{
  Feed *feed;
  Rig *rig = track_rig (&feed);

  set_clock (rig, MS (50));
  feed_one (feed, SECONDS (5000), 0);
  rig_stop (rig);
  rig_play (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "clock-pairs"), 0);
  gst_pad_set_active (feed->pad, FALSE);
  gst_pad_set_active (feed->pad, TRUE);
  feed_start (feed, ONE_CHANNEL);
  set_clock (rig, MS (70));
  feed_one (feed, SECONDS (1), 5);
  feed_eos (feed);
  expect (rig, MS (70), 5, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefuseclock_suite (void)
{
  Suite *s = suite_create ("robocachefuseclock");
  TCase *offset = add_case (s, "offset"), *source = add_case (s, "timestamp-source"), *track = add_case (s, "clock-mode");

  tcase_add_test (offset, test_offset_takes_effect_at_a_tick);
  tcase_add_test (offset, test_offset_while_a_tick_waits);

  tcase_add_loop_test (source, test_pts_and_row_times, 0, G_N_ELEMENTS (two_times));
  tcase_add_test (source, test_row_times_that_are_not_there);
  tcase_add_test (source, test_reference_of_the_pipeline_s_clock);
  tcase_add_test (source, test_reference_origin);
  tcase_add_test (source, test_reference_is_measured_at_the_first_row);
  tcase_add_test (source, test_senders_share_a_measured_origin);
  tcase_add_test (source, test_references_of_two_clocks);
  tcase_add_test (source, test_rows_without_reference);
  tcase_add_test (source, test_reference_of_a_block);
  tcase_add_test (source, test_rows_before_the_reference_origin);
  tcase_add_test (source, test_measuring_needs_a_live_source);
  tcase_add_test (source, test_timestamp_source_while_playing);

  tcase_add_test (track, test_track);
  tcase_add_test (track, test_track_and_offset);
  tcase_add_loop_test (track, test_track_through_a_jump, 0, G_N_ELEMENTS (jumps));
  tcase_add_test (track, test_track_blocks);
  tcase_add_test (track, test_track_a_reference);
  tcase_add_test (track, test_track_needs_a_live_source);
  tcase_add_test (track, test_track_needs_a_clock);
  tcase_add_test (track, test_track_gap);
  tcase_add_test (track, test_track_after_a_new_start);
  return s;
}

GST_CHECK_MAIN (robocachefuseclock);

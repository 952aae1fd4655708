/* robocache: robocachefuse and sensors that misbehave, one test for each line of the table in its documentation
 *
 * Live, on a test clock: beside a good sensor there is one that fails. Both have a row every 50 ms, and so have the ticks.
 * However it fails, no tick leaves after its deadline, and every row is accounted for. Times are in ms unless a name says ns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "livefuse.h"

#define STEP 50
#define DAY G_GINT64_CONSTANT (86400000)

typedef struct
{
  Rig *rig;
  Feed *good, *bad;
} Duo;

static Duo
duo_on (Rig *rig)
{
  Duo duo = { rig, feed_new_bare (rig, "proprio_0", TRUE), feed_new_bare (rig, "proprio_1", TRUE) };

  rig_play (rig);
  feed_start (duo.good, AT_100_HZ);
  feed_start (duo.bad, AT_100_HZ);
  return duo;
}

static Duo
duo_new (void)
{
  return duo_on (rig_new ("rate", "20/1", NULL));
}

static gint64
ns_in_stats (gpointer object, const gchar *name)
{
  GstStructure *stats = stats_of (object);
  gint64 ns = G_MININT64;

  fail_unless (gst_structure_get_int64 (stats, name, &ns), "no %s", name);
  gst_structure_free (stats);
  return ns;
}

static void
duo_free (Duo *duo)
{
  assert_all_rows_balance (duo->rig);
  fail_unless_equals_int64 (ns_in_stats (duo->rig->fuse, "lateness-max"), 0);
  rig_free (duo->rig);
}

/* The clock is at t, and the good sensor has a row there. */
static void
good_row (Duo *duo, gint64 t)
{
  set_clock (duo->rig, MS (t));
  feed_one (duo->good, MS (t), (gfloat) t);
}

/* Ticks from first to last at which both sensors have a row; the bad one says that it is `ahead` later. */
static void
both_ahead (Duo *duo, gint64 first, gint64 last, gint64 ahead)
{
  for (gint64 t = first; t <= last; t += STEP) {
    good_row (duo, t);
    feed_one (duo->bad, MS (t + ahead), (gfloat) t);
    expect_two (duo->rig, MS (t), (gfloat) t, ALIGNED, (gfloat) t, ALIGNED);
  }
}

static void
both (Duo *duo, gint64 first, gint64 last)
{
  both_ahead (duo, first, last, 0);
}

/* The tick at t leaves at its deadline, since the bad sensor has nothing for it but this. */
static void
at_deadline (Duo *duo, gint64 t, gfloat value, gint status)
{
  pass_deadline (duo->rig, MS (t + LATENCY));
  expect_two (duo->rig, MS (t), (gfloat) t, ALIGNED, value, status);
}

/* Ticks from first to last at which the bad sensor has no row since `newest`: held for 200 ms, then missing. */
static void
without_bad (Duo *duo, gint64 first, gint64 last, gint64 newest)
{
  for (gint64 t = first; t <= last; t += STEP) {
    const gboolean held = newest >= 0 && t - newest <= 200;

    good_row (duo, t);
    at_deadline (duo, t, held ? (gfloat) newest : NAN, held ? HELD : MISSING);
  }
}

/* ---- silence ---- */

GST_START_TEST (test_silent_from_the_start)
{
  Duo duo = duo_new ();

  without_bad (&duo, 0, 1000, -1);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "ticks-missing"), 21);
  both (&duo, 1050, 1200);
  duo_free (&duo);
}

GST_END_TEST;

/* No caps either: it has no tensor until it has, and then the caps change. */
GST_START_TEST (test_silent_without_caps)
{
  Rig *rig = rig_new ("rate", "20/1", NULL);
  Duo duo = { rig, feed_new_bare (rig, "proprio_0", TRUE), feed_new_bare (rig, "proprio_1", TRUE) };

  rig_play (rig);
  feed_start (duo.good, AT_100_HZ);
  for (gint64 t = 0; t <= 500; t += STEP) {
    good_row (&duo, t);
    pass_deadline (rig, MS (t + LATENCY));
    expect (rig, MS (t), (gfloat) t, ALIGNED);
  }
  assert_output_field (rig, "num_tensors", "1");
  feed_start (duo.bad, AT_100_HZ);
  both (&duo, 550, 700);
  assert_output_field (rig, "num_tensors", "2");
  duo_free (&duo);
}

GST_END_TEST;

GST_START_TEST (test_required_and_silent)
{
  Duo duo = duo_new ();

  feed_set (duo.bad, "required", "true", NULL);
  both (&duo, 0, 500);
  without_bad (&duo, 550, 700, 500);
  for (gint64 t = 750; t <= 1000; t += STEP) {
    good_row (&duo, t);
    pass_deadline (duo.rig, MS (t + LATENCY));
    gst_message_unref (wait_message (duo.rig, GST_MESSAGE_QOS));
  }
  both (&duo, 1050, 1200);
  fail_unless_equals_uint64 (count_of (duo.rig->fuse, "ticks-dropped"), 6);
  duo_free (&duo);
}

GST_END_TEST;

GST_START_TEST (test_silent_for_two_seconds_then_back)
{
  Duo duo = duo_new ();

  both (&duo, 0, 500);
  without_bad (&duo, 550, 2500, 500);
  both (&duo, 2550, 3000);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "ticks-held"), 4);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "ticks-missing"), 36);
  fail_unless_equals_int64 (ns_in_stats (duo.bad->sink, "age-max"), MS (200));
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-late"), 0);
  duo_free (&duo);
}

GST_END_TEST;

/* The end is known, so no tick waits for more. */
GST_START_TEST (test_eos_early)
{
  Duo duo = duo_new ();

  both (&duo, 0, 500);
  feed_eos (duo.bad);
  for (gint64 t = 550; t <= 1000; t += STEP) {
    good_row (&duo, t);
    expect_two (duo.rig, MS (t), (gfloat) t, ALIGNED, t <= 700 ? 500 : NAN, t <= 700 ? HELD : MISSING);
  }
  fail_unless_equals_int64 (ns_in_stats (duo.rig->fuse, "lag-max"), 0);
  feed_eos (duo.good);
  assert_eos (duo.rig);
  duo_free (&duo);
}

GST_END_TEST;

/* A source that starts anew after its EOS. */
GST_START_TEST (test_eos_and_back)
{
  Duo duo = duo_new ();

  both (&duo, 0, 500);
  feed_eos (duo.bad);
  good_row (&duo, 550);
  expect_two (duo.rig, MS (550), 550, ALIGNED, 500, HELD);
  feed_start (duo.bad, AT_100_HZ);
  both (&duo, 600, 1000);
  duo_free (&duo);
}

GST_END_TEST;

/* ---- pads that flush, go and come ---- */

GST_START_TEST (test_flushing)
{
  Duo duo = duo_new ();

  both (&duo, 0, 500);
  feed_one (duo.bad, MS (510), 510);
  feed_event (duo.bad, gst_event_new_flush_start ());
  without_bad (&duo, 550, 700, 500 + 10);
  feed_event (duo.bad, gst_event_new_flush_stop (FALSE));
  feed_segment (duo.bad);
  without_bad (&duo, 750, 900, -1);
  both (&duo, 950, 1100);
  duo_free (&duo);
}

GST_END_TEST;

/* Rows that wait for their tick are dropped. */
GST_START_TEST (test_flush_drops_rows)
{
  Duo duo = duo_new ();

  both (&duo, 0, 500);
  feed_ramp (duo.bad, 510, 520, 10);
  feed_event (duo.bad, gst_event_new_flush_start ());
  feed_event (duo.bad, gst_event_new_flush_stop (FALSE));
  feed_segment (duo.bad);
  without_bad (&duo, 550, 700, -1);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-dropped-flush"), 2);
  both (&duo, 750, 900);
  duo_free (&duo);
}

GST_END_TEST;

GST_START_TEST (test_removed)
{
  Duo duo = duo_new ();

  both (&duo, 0, 500);
  feed_remove (duo.bad);
  for (gint64 t = 550; t <= 700; t += STEP) {
    good_row (&duo, t);
    expect (duo.rig, MS (t), (gfloat) t, ALIGNED);
  }
  assert_output_field (duo.rig, "num_tensors", "1");
  assert_output_field (duo.rig, "streams", "proprio_0");
  fail_unless_equals_uint64 (count_of (duo.rig->fuse, "rows-in"), 11 + 15);
  duo_free (&duo);
}

GST_END_TEST;

/* Under its old name, three times. */
GST_START_TEST (test_re_added)
{
  Duo duo = duo_new ();
  gint64 t = 0;

  for (gint i = 0; i < 3; i++, t += 300) {
    both (&duo, t, t + 100);
    feed_remove (duo.bad);
    good_row (&duo, t + 150);
    expect (duo.rig, MS (t + 150), (gfloat) (t + 150), ALIGNED);
    duo.bad = feed_new_bare (duo.rig, "proprio_1", TRUE);
    feed_start (duo.bad, AT_100_HZ);
    without_bad (&duo, t + 200, t + 250, -1);   /* nothing of before is left */
  }
  fail_unless_equals_uint64 (count_of (duo.rig->fuse, "rows-in"), 18 + 9);
  duo_free (&duo);
}

GST_END_TEST;

/* ---- rows that come late ---- */

/* Rows of a second come at once: they are of no use any more, but the newest is. */
GST_START_TEST (test_burst_after_a_stall)
{
  Duo duo = duo_new ();

  both (&duo, 0, 500);
  without_bad (&duo, 550, 1450, 500);
  good_row (&duo, 1500);
  feed_ramp (duo.bad, 550, 1500, STEP);
  expect_two (duo.rig, MS (1500), 1500, ALIGNED, 1500, ALIGNED);
  both (&duo, 1550, 2000);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-late"), 19);
  fail_unless_equals_int64 (ns_in_stats (duo.bad->sink, "lateness-max"), MS (900));
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "clock-jumps"), 0);
  duo_free (&duo);
}

GST_END_TEST;

/* A stall longer than any jump of the clock may be. */
GST_START_TEST (test_burst_after_a_minute)
{
  Duo duo = duo_new ();

  both (&duo, 0, 500);
  without_bad (&duo, 550, 60450, 500);
  good_row (&duo, 60500);
  feed_ramp (duo.bad, 550, 60500, STEP);
  expect_two (duo.rig, MS (60500), 60500, ALIGNED, 60500, ALIGNED);
  both (&duo, 60550, 60800);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-late"), 1199);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-dropped"), 0);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "clock-jumps"), 0);
  duo_free (&duo);
}

GST_END_TEST;

/* Every row comes 300 ms after its time: too late for every tick, and the statistics say by how much. */
GST_START_TEST (test_arrival_long_after_capture)
{
  Duo duo = duo_new ();

  for (gint64 t = 0; t <= 2000; t += STEP) {
    if (t >= 300)
      feed_one (duo.bad, MS (t - 300), (gfloat) t);
    good_row (&duo, t);
    at_deadline (&duo, t, NAN, MISSING);
  }
  fail_unless (count_of (duo.bad->sink, "rows-late") >= 30);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-used"), 0);
  fail_unless_equals_int64 (ns_in_stats (duo.bad->sink, "lateness-max"), MS (250));
  duo_free (&duo);
}

GST_END_TEST;

/* With that much latency no row is late. */
GST_START_TEST (test_latency_buys_coverage)
{
  Rig *rig = rig_new ("rate", "20/1", "latency", "300000000", NULL);
  Duo duo = duo_on (rig);

  for (gint64 t = 0; t <= 2000; t += STEP) {
    good_row (&duo, t);
    if (t < 300)
      continue;
    feed_one (duo.bad, MS (t - 300), (gfloat) t);
    expect_two (rig, MS (t - 300), (gfloat) (t - 300), ALIGNED, (gfloat) t, ALIGNED);
  }
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-late"), 0);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "ticks-aligned"), 35);
  duo_free (&duo);
}

GST_END_TEST;

/* ---- clocks that jump ---- */

static const gint64 jumps[] = { DAY, -DAY, 3600000, -3600000 };

static void
assert_one_warning (Duo *duo)
{
  GstMessage *message = wait_message (duo->rig, GST_MESSAGE_WARNING);
  GError *error = NULL;

  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "proprio_1") && strstr (error->message, "clock-jumps"), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  assert_no_message (duo->rig, GST_MESSAGE_WARNING);
}

/* A segment that starts two days before the running time 0, so that rows can be a day before it. */
static void
give_room (Feed *feed)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = MS (2 * DAY);
  feed_event (feed, gst_event_new_segment (&segment));
}

#define START (2 * DAY)

/* The good sensor goes on; rows of the bad one are dropped for a second and held from before, and then its clock is known. */
static void
jump_of_bad (Duo *duo, gint64 t, gint64 newest, gint64 ahead)
{
  for (gint64 end = t + 1000; t < end; t += STEP) {
    const gboolean held = t - newest <= 200;

    good_row (duo, t);
    feed_one (duo->bad, MS (t + ahead), (gfloat) t);
    at_deadline (duo, t, held ? (gfloat) newest : NAN, held ? HELD : MISSING);
  }
}

static Duo
duo_in_two_days (void)
{
  Rig *rig = rig_new ("rate", "20/1", NULL);

  set_clock (rig, MS (START));
  return duo_on (rig);
}

GST_START_TEST (test_clock_jumps)
{
  Duo duo = duo_in_two_days ();

  both (&duo, START, START + 500);
  jump_of_bad (&duo, START + 550, START + 500, jumps[__i__]);
  both_ahead (&duo, START + 1550, START + 2000, jumps[__i__]);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "clock-jumps"), 1);
  fail_unless_equals_uint64 (count_of (duo.rig->fuse, "clock-jumps"), 1);
  fail_unless_equals_int64 (ns_in_stats (duo.bad->sink, "clock-shift"), MS (-jumps[__i__]));
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-dropped-clock-jump"), 20);
  fail_unless_equals_uint64 (count_of (duo.good->sink, "ticks-aligned"), 41);
  assert_one_warning (&duo);
  duo_free (&duo);
}

GST_END_TEST;

/* And is put right after a while: the times are taken as they are again. */
GST_START_TEST (test_clock_jumps_and_is_put_right)
{
  Duo duo = duo_in_two_days ();

  both (&duo, START, START + 500);
  jump_of_bad (&duo, START + 550, START + 500, jumps[__i__]);
  both_ahead (&duo, START + 1550, START + 5000, jumps[__i__]);
  jump_of_bad (&duo, START + 5050, START + 5000, 0);
  both (&duo, START + 6050, START + 7000);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "clock-jumps"), 2);
  fail_unless_equals_int64 (ns_in_stats (duo.bad->sink, "clock-shift"), 0);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-dropped-clock-jump"), 40);
  assert_one_warning (&duo);
  duo_free (&duo);
}

GST_END_TEST;

/* One wild timestamp costs one row. */
GST_START_TEST (test_one_wild_timestamp)
{
  Duo duo = duo_in_two_days ();

  both (&duo, START, START + 500);
  good_row (&duo, START + 550);
  feed_one (duo.bad, MS (START + 550 + jumps[__i__]), 0);
  at_deadline (&duo, START + 550, START + 500, HELD);
  both (&duo, START + 600, START + 1000);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "clock-jumps"), 0);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-dropped-clock-jump"), 1);
  assert_no_message (duo.rig, GST_MESSAGE_WARNING);
  duo_free (&duo);
}

GST_END_TEST;

/* Also when it is the first. */
GST_START_TEST (test_first_timestamp_wild)
{
  Duo duo = duo_in_two_days ();

  feed_one (duo.bad, MS (START + jumps[__i__]), 0);
  both (&duo, START, START + 500);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-dropped-clock-jump"), 1);
  fail_unless_equals_uint64 (count_of (duo.rig->fuse, "ticks-out"), 11);
  duo_free (&duo);
}

GST_END_TEST;

/* On the pad whose rows are the ticks: no tick of a day hence, and none is lost afterwards. */
GST_START_TEST (test_wild_timestamp_of_the_reference_pad)
{
  Rig *rig = rig_new ("reference-pad", "proprio_0", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);

  set_clock (rig, MS (START));
  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  for (gint64 t = START; t < START + 1000; t += STEP) {
    set_clock (rig, MS (t));
    if (t == START || t == START + 500) {
      feed_one (feed, MS (t + jumps[__i__]), 0);
      continue;
    }
    feed_one (feed, MS (t), (gfloat) t);
    expect (rig, MS (t), (gfloat) t, ALIGNED);
  }
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 18);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped-clock-jump"), 2);
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

/* Its clock jumps: no tick until that is known, and then they go on where the clock is. */
GST_START_TEST (test_clock_of_the_reference_pad_jumps)
{
  Rig *rig = rig_new ("reference-pad", "proprio_0", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);

  set_clock (rig, MS (START));
  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  for (gint64 t = START; t < START + 3000; t += STEP) {
    const gboolean jumped = t >= START + 500, known = t >= START + 1500;

    set_clock (rig, MS (t));
    feed_one (feed, MS (t + (jumped ? jumps[__i__] : 0)), (gfloat) t);
    if (!jumped || known)
      expect (rig, MS (t), (gfloat) t, ALIGNED);
  }
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 40);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped-clock-jump"), 20);
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

/* A wild GAP event hides nothing. */
GST_START_TEST (test_wild_gap)
{
  Duo duo = duo_in_two_days ();

  both (&duo, START, START + 500);
  feed_event (duo.bad, gst_event_new_gap (MS (START + 550 + DAY), MS (10)));
  both (&duo, START + 550, START + 1000);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-late"), 0);
  duo_free (&duo);
}

GST_END_TEST;

/* A frame a day ahead is let go at once: it belongs to a pool. */
GST_START_TEST (test_wild_frame)
{
  Rig *rig = rig_new ("rate", "20/1", NULL);
  Feed *camera = feed_new_bare (rig, "camera_0", TRUE);
  const gchar pixels[16] = { 0 };
  GstBuffer *wild = buffer_of (MS (DAY), pixels, sizeof (pixels));

  rig_play (rig);
  feed_start (camera, "video/x-raw, format=(string)GRAY8, width=(int)4, height=(int)4, framerate=(fraction)20/1");
  gst_buffer_ref (wild);
  fail_unless_equals_int (gst_pad_push (camera->pad, wild), GST_FLOW_OK);
  ASSERT_MINI_OBJECT_REFCOUNT (wild, "frame", 1);
  gst_buffer_unref (wild);
  fail_unless_equals_int (feed_bytes (camera, 0, pixels, sizeof (pixels)), GST_FLOW_OK);
  gst_buffer_unref (pull (rig));
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

/* A new segment says where times are: what was learnt of the clock before is over. */
GST_START_TEST (test_segment_after_a_jump)
{
  Duo duo = duo_in_two_days ();

  both (&duo, START, START + 500);
  jump_of_bad (&duo, START + 550, START + 500, DAY);
  both_ahead (&duo, START + 1550, START + 2000, DAY);
  give_room (duo.bad);
  both_ahead (&duo, START + 2050, START + 3000, -START);
  fail_unless_equals_int64 (ns_in_stats (duo.bad->sink, "clock-shift"), 0);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "clock-jumps"), 1);
  duo_free (&duo);
}

GST_END_TEST;

/* Not live, output depends on the input alone: a row a day ahead is one, and rows behind it are late. */
GST_START_TEST (test_not_live_a_day_is_a_day)
{
  Rig *rig = rig_new ("rate", "1/3600", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  feed_one (feed, 0, 1);
  feed_one (feed, MS (DAY), 2);
  feed_one (feed, MS (10), 3);
  feed_eos (feed);
  expect (rig, 0, 1, ALIGNED);
  for (gint64 hour = 1; hour < 24; hour++)
    expect (rig, hour * 3600 * GST_SECOND, NAN, MISSING);
  expect (rig, MS (DAY), 2, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-late"), 1);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped"), 0);
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

/* ---- odd rows ---- */

/* NaN is a value like others: where it takes part the result is NaN, the status says aligned, and nothing else is touched. */
GST_START_TEST (test_nan_payloads)
{
  Duo duo = duo_new ();

  both (&duo, 0, 100);
  for (gint64 t = 150; t <= 300; t += STEP) {
    good_row (&duo, t);
    feed_one (duo.bad, MS (t), NAN);
    expect_two (duo.rig, MS (t), (gfloat) t, ALIGNED, NAN, ALIGNED);
  }
  good_row (&duo, 350);
  feed_one (duo.bad, MS (360), 360);    /* between NaN at 300 and this */
  expect_two (duo.rig, MS (350), 350, ALIGNED, NAN, ALIGNED);
  both (&duo, 400, 500);
  duo_free (&duo);
}

GST_END_TEST;

/* Of rows with the same time the last one wins. */
GST_START_TEST (test_equal_timestamps_in_pairs)
{
  Duo duo = duo_new ();

  for (gint64 t = 0; t <= 1000; t += STEP) {
    set_clock (duo.rig, MS (t));
    feed_one (duo.bad, MS (t), -1);
    feed_one (duo.bad, MS (t), (gfloat) t + 1);
    feed_one (duo.good, MS (t), (gfloat) t);
    expect_two (duo.rig, MS (t), (gfloat) t, ALIGNED, (gfloat) t + 1, ALIGNED);
  }
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-duplicate"), 21);
  fail_unless_equals_uint64 (count_of (duo.bad->sink, "rows-late"), 0);
  duo_free (&duo);
}

GST_END_TEST;

/* ---- rates that change ---- */

static gint64
latency_of (Rig *rig)
{
  GstQuery *query = gst_query_new_latency ();
  GstPad *src = gst_element_get_static_pad (rig->fuse, "src");
  GstClockTime min = 0;

  fail_unless (gst_pad_query (src, query));
  gst_query_parse_latency (query, NULL, &min, NULL);
  gst_query_unref (query);
  gst_object_unref (src);
  return (gint64) min;
}

#define AT(rate) "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, " \
    "dimensions=(string)1, framerate=(fraction)" rate

/* New caps with another framerate: the latency follows with a message, and rows before are not blended with those after. */
GST_START_TEST (test_nominal_rate_changes)
{
  Duo duo = duo_new ();

  both (&duo, 0, 500);
  feed_one (duo.bad, MS (540), 540);
  drop_messages (duo.rig, GST_MESSAGE_LATENCY);
  fail_unless_equals_int64 (latency_of (duo.rig), MS (15));
  fail_unless (feed_caps (duo.bad, AT ("50/1")));
  gst_message_unref (wait_message (duo.rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (latency_of (duo.rig), MS (25));
  good_row (&duo, 550);
  feed_one (duo.bad, MS (560), 560);
  expect_two (duo.rig, MS (550), 550, ALIGNED, 540, HELD);
  both (&duo, 600, 1000);
  fail_unless (feed_caps (duo.bad, AT ("1000/1")));
  gst_message_unref (wait_message (duo.rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (latency_of (duo.rig), MS (15));
  both (&duo, 1050, 1500);
  duo_free (&duo);
}

GST_END_TEST;

/* Without a nominal rate it is measured, and the latency follows when the last 64 spacings say so. */
GST_START_TEST (test_measured_rate_changes)
{
  Duo duo = duo_new ();
  gint64 t;

  fail_unless (feed_caps (duo.bad, AT ("0/1")));
  both (&duo, 0, 50 * 70);
  fail_unless_equals_int64 (latency_of (duo.rig), MS (55));
  drop_messages (duo.rig, GST_MESSAGE_LATENCY);
  for (t = 3550; t < 3550 + 50 * 70; t += STEP) {
    good_row (&duo, t);
    for (gint64 k = t - 40; k <= t; k += 10)
      feed_one (duo.bad, MS (k), (gfloat) k);
    expect_two (duo.rig, MS (t), (gfloat) t, ALIGNED, (gfloat) t, ALIGNED);
  }
  gst_message_unref (wait_message (duo.rig, GST_MESSAGE_LATENCY));
  fail_unless_equals_int64 (latency_of (duo.rig), MS (15));
  duo_free (&duo);
}

GST_END_TEST;

/* ---- many at once ---- */

#define MANY 50

/* Fifty sensors in one tensor; one of them is silent, one has two rows for each tick, one is a tick behind. */
GST_START_TEST (test_fifty_pads)
{
  enum { SILENT = 7, TWICE = 20, BEHIND = 49 };
  Rig *rig = rig_new ("rate", "20/1", "layout", "concat", NULL);
  Feed *feeds[MANY];

  for (guint i = 0; i < MANY; i++) {
    gchar *name = g_strdup_printf ("force_%u", i);

    feeds[i] = feed_new_bare (rig, name, TRUE);
    g_free (name);
  }
  rig_play (rig);
  for (guint i = 0; i < MANY; i++)
    feed_start (feeds[i], AT_100_HZ);
  for (gint64 t = 0; t <= 2000; t += STEP) {
    GstBuffer *sample;

    set_clock (rig, MS (t));
    for (guint i = 0; i < MANY; i++) {
      if (i == TWICE)
        feed_one (feeds[i], MS (t), -1);
      if (i != SILENT && (i != BEHIND || t > 0))
        feed_one (feeds[i], MS (i == BEHIND ? t - STEP : t), (gfloat) (t + i));
    }
    pass_deadline (rig, MS (t + LATENCY));
    sample = pull (rig);
    fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (t));
    for (guint i = 0; i < MANY; i++) {
      const gboolean missing = i == SILENT || (i == BEHIND && t == 0);
      const gint status = missing ? MISSING : i == BEHIND ? HELD : ALIGNED;

      fail_unless_equals_int64 (status_of (sample, i), status);
      assert_value (value_of (sample, 0, i), missing ? NAN : (gfloat) (t + i));
    }
    gst_buffer_unref (sample);
  }
  assert_output_field (rig, "dimensions", "50");
  fail_unless_equals_uint64 (count_of (rig->fuse, "rows-in"), 41 * 48 + 41 + 40);
  fail_unless_equals_uint64 (count_of (rig->fuse, "rows-duplicate"), 41);
  fail_unless_equals_int64 (ns_in_stats (rig->fuse, "lateness-max"), 0);
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefusefaults_suite (void)
{
  Suite *s = suite_create ("robocachefusefaults");
  TCase *tc = add_case (s, "silence");

  tcase_add_test (tc, test_silent_from_the_start);
  tcase_add_test (tc, test_silent_without_caps);
  tcase_add_test (tc, test_required_and_silent);
  tcase_add_test (tc, test_silent_for_two_seconds_then_back);
  tcase_add_test (tc, test_eos_early);
  tcase_add_test (tc, test_eos_and_back);

  tc = add_case (s, "pads");
  tcase_add_test (tc, test_flushing);
  tcase_add_test (tc, test_flush_drops_rows);
  tcase_add_test (tc, test_removed);
  tcase_add_test (tc, test_re_added);

  tc = add_case (s, "late rows");
  tcase_add_test (tc, test_burst_after_a_stall);
  tcase_add_test (tc, test_burst_after_a_minute);
  tcase_add_test (tc, test_arrival_long_after_capture);
  tcase_add_test (tc, test_latency_buys_coverage);

  tc = add_case (s, "clocks");
  tcase_add_loop_test (tc, test_clock_jumps, 0, G_N_ELEMENTS (jumps));
  tcase_add_loop_test (tc, test_clock_jumps_and_is_put_right, 0, G_N_ELEMENTS (jumps));
  tcase_add_loop_test (tc, test_one_wild_timestamp, 0, G_N_ELEMENTS (jumps));
  tcase_add_loop_test (tc, test_first_timestamp_wild, 0, G_N_ELEMENTS (jumps));
  tcase_add_loop_test (tc, test_wild_timestamp_of_the_reference_pad, 0, G_N_ELEMENTS (jumps));
  tcase_add_loop_test (tc, test_clock_of_the_reference_pad_jumps, 0, G_N_ELEMENTS (jumps));
  tcase_add_test (tc, test_wild_gap);
  tcase_add_test (tc, test_wild_frame);
  tcase_add_test (tc, test_segment_after_a_jump);
  tcase_add_test (tc, test_not_live_a_day_is_a_day);

  tc = add_case (s, "odd rows");
  tcase_add_test (tc, test_nan_payloads);
  tcase_add_test (tc, test_equal_timestamps_in_pairs);

  tc = add_case (s, "rates");
  tcase_add_test (tc, test_nominal_rate_changes);
  tcase_add_test (tc, test_measured_rate_changes);

  tc = add_case (s, "many");
  tcase_add_test (tc, test_fifty_pads);
  return s;
}

GST_CHECK_MAIN (robocachefusefaults);

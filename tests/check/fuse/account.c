/* robocache: robocachefuse, what became of every row and tick: counters with their reasons, distributions, QoS messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "livefuse.h"

static gint64
ns_in (const GstStructure *stats, const gchar *name)
{
  gint64 ns = -1;

  fail_unless (gst_structure_get_int64 (stats, name, &ns), "stats have no %s", name);
  return ns;
}

static gint64
ns_of (gpointer object, const gchar *name)
{
  GstStructure *stats = stats_of (object);
  const gint64 ns = ns_in (stats, name);

  gst_structure_free (stats);
  return ns;
}

/* All of the dropped rows were dropped for this reason. */
static void
assert_dropped (Feed *feed, const gchar *reason, guint64 n)
{
  fail_unless_equals_uint64 (count_of (feed->sink, reason), n);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped"), n);
  assert_all_rows_balance (feed->rig);
}

/* ---- reasons ---- */

GST_START_TEST (test_no_time)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_one (feed, NONE, 1);
  assert_dropped (feed, "rows-dropped-no-time", 1);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_outside_segment)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = MS (100);
  feed_event (feed, gst_event_new_segment (&segment));
  feed_ramp (feed, 80, 110, 10);
  assert_dropped (feed, "rows-dropped-outside-segment", 2);
  rig_free (rig);
}

GST_END_TEST;

/* With a reference pad that is silent, nothing takes the rows. */
GST_START_TEST (test_overflow)
{
  Rig *rig = rig_new ("reference-pad", "sink_0", NULL);
  Feed *silent = feed_new_bare (rig, "sink_0", TRUE), *busy = feed_new_bare (rig, "force_0", TRUE);

  rig_play (rig);
  feed_start (silent, AT_100_HZ);
  feed_start (busy, AT_100_HZ);
  for (gint i = 0; i < 65536 + 5; i++)
    feed_one (busy, MS (i), (gfloat) i);
  assert_dropped (busy, "rows-dropped-overflow", 5);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_flush)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_ramp (feed, 1, 5, 2);    /* before the first tick */
  feed_event (feed, gst_event_new_flush_start ());
  feed_event (feed, gst_event_new_flush_stop (TRUE));
  assert_dropped (feed, "rows-dropped-flush", 3);
  rig_free (rig);
}

GST_END_TEST;

/* The buffer that is wrong, and all after it: four rows each. */
GST_START_TEST (test_refused)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);
  const gfloat rows[4] = { 0 };

  rig_play (rig);
  feed_start (feed, F32 ("1:4"));
  fail_unless_equals_int (feed_bytes (feed, 0, rows, sizeof (rows)), GST_FLOW_OK);
  fail_unless_equals_int (feed_bytes (feed, MS (40), rows, sizeof (rows) - 1), GST_FLOW_ERROR);
  fail_unless_equals_int (feed_bytes (feed, MS (40), rows, sizeof (rows)), GST_FLOW_ERROR);
  assert_error (rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "proprio_0", NULL);
  assert_dropped (feed, "rows-dropped-refused", 8);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-in"), 12);
  rig_free (rig);
}

GST_END_TEST;

/* Nothing says how many rows a buffer has that comes before its caps. */
GST_START_TEST (test_refused_without_caps)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);
  const gfloat zero = 0;

  rig_play (rig);
  feed_event (feed, gst_event_new_stream_start ("s"));
  feed_segment (feed);
  fail_unless_equals_int (feed_row (feed, 0, &zero, 1), GST_FLOW_NOT_NEGOTIATED);
  assert_dropped (feed, "rows-dropped-refused", 1);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_frame_refused)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "camera_0", TRUE);
  const gchar bytes[15] = { 0 };

  rig_play (rig);
  feed_start (feed, "video/x-raw, format=(string)GRAY8, width=(int)4, height=(int)4, framerate=(fraction)30/1");
  fail_unless_equals_int (feed_bytes (feed, 0, bytes, sizeof (bytes)), GST_FLOW_ERROR);
  assert_dropped (feed, "rows-dropped-refused", 1);
  rig_free (rig);
}

GST_END_TEST;

/* ---- pads that are gone ---- */

static guint64
removed_count (Rig *rig, const gchar *name)
{
  GstStructure *stats = stats_of (rig->fuse), *removed;
  guint64 n;

  fail_unless (gst_structure_get (stats, "removed-pads", GST_TYPE_STRUCTURE, &removed, NULL));
  n = count_in (removed, name);
  gst_structure_free (removed);
  gst_structure_free (stats);
  return n;
}

GST_START_TEST (test_removed_pads_stay_in_the_account)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *stays = feed_new_bare (rig, "proprio_0", TRUE), *goes = feed_new_bare (rig, "proprio_1", TRUE);

  rig_play (rig);
  feed_start (stays, AT_100_HZ);
  feed_start (goes, AT_100_HZ);
  feed_one (stays, 0, 0);
  feed_ramp (goes, 0, 8, 4);
  expect_two (rig, 0, 0, ALIGNED, 0, ALIGNED);
  feed_remove (goes);
  fail_unless_equals_uint64 (removed_count (rig, "rows-in"), 3);
  fail_unless_equals_uint64 (removed_count (rig, "rows-used"), 1);
  fail_unless_equals_uint64 (removed_count (rig, "rows-dropped-removed"), 2);
  fail_unless_equals_uint64 (removed_count (rig, "rows-kept"), 0);
  fail_unless_equals_uint64 (removed_count (rig, "ticks-aligned"), 1);
  fail_unless_equals_uint64 (count_of (rig->fuse, "rows-in"), 4);
  assert_all_rows_balance (rig);

  goes = feed_new_bare (rig, "proprio_1", TRUE);        /* a new pad: its own counters begin at 0 */
  feed_start (goes, AT_100_HZ);
  feed_one (goes, MS (20), 20);
  fail_unless_equals_uint64 (count_of (goes->sink, "rows-in"), 1);
  feed_remove (goes);
  fail_unless_equals_uint64 (removed_count (rig, "rows-in"), 4);
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_restart_begins_a_new_account)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);

  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  feed_one (feed, 0, 0);
  feed_remove (feed);
  rig_stop (rig);
  rig_play (rig);
  fail_unless_equals_uint64 (removed_count (rig, "rows-in"), 0);
  fail_unless_equals_uint64 (count_of (rig->fuse, "rows-in"), 0);
  rig_free (rig);
}

GST_END_TEST;

/* ---- distributions ---- */

/* One tick left at its deadline; a row of before it comes and is of no use any more. */
static void
make_a_late_row (Rig *rig, Feed *feed)
{
  feed_one (feed, 0, 0);
  expect (rig, 0, 0, ALIGNED);
  pass_deadline (rig, MS (10 + LATENCY));
  expect (rig, MS (10), 0, HELD);
  feed_one (feed, MS (4), 4);
  feed_one (feed, MS (8), 8);   /* used at 20 */
  feed_one (feed, MS (28), 28);
  expect (rig, MS (20), 20, ALIGNED);
  feed_ramp (feed, 38, 48, 10);
  expect (rig, MS (30), 30, ALIGNED);
  expect (rig, MS (40), 40, ALIGNED);
  feed_one (feed, MS (58), 58);
  expect (rig, MS (50), 50, ALIGNED);
}

GST_START_TEST (test_lateness)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  make_a_late_row (rig, feed);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-late"), 1);
  fail_unless_equals_int64 (ns_of (feed->sink, "lateness-max"), MS (6));
  fail_unless_equals_int64 (ns_of (feed->sink, "lateness-p50"), MS (6));
  fail_unless_equals_int64 (ns_of (rig->fuse, "row-lateness-max"), MS (6));
  assert_all_rows_balance (rig);
  feed_remove (feed);
  fail_unless_equals_int64 (ns_of (rig->fuse, "row-lateness-max"), MS (6));
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_lateness_of_disorder)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_one (feed, MS (50), 50);
  feed_one (feed, MS (18), 18);
  fail_unless_equals_int64 (ns_of (feed->sink, "lateness-max"), MS (32));
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

/* Of all pads, and those that are gone. */
GST_START_TEST (test_age_of_the_element)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_one (feed, MS (6), 0);
  pass_deadline (rig, MS (10 + LATENCY));
  expect (rig, MS (10), 0, HELD);
  fail_unless_equals_int64 (ns_of (rig->fuse, "age-max"), MS (4));
  fail_unless_equals_int64 (ns_of (rig->fuse, "age-p99"), MS (4));
  feed_remove (feed);
  fail_unless_equals_int64 (ns_of (rig->fuse, "age-max"), MS (4));
  rig_free (rig);
}

GST_END_TEST;

/* What stats-interval posts is the same, and adds up as well. */
GST_START_TEST (test_message)
{
  static const gchar *const fields[] = { "ticks-out", "lag-p99", "lateness-p50", "age-max", "row-lateness-max", "rows-in",
    "rows-dropped-overflow", "proprio_0", "removed-pads"
  };
  Rig *rig = rig_new ("rate", "100/1", "stats-interval", "20000000", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);
  GstMessage *message;

  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  feed_ramp (feed, 0, 50, 10);
  message = wait_message (rig, GST_MESSAGE_ELEMENT);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    fail_unless (gst_structure_has_field (gst_message_get_structure (message), fields[i]), "no %s", fields[i]);
  assert_account_balances (gst_message_get_structure (message));
  gst_message_unref (message);
  rig_free (rig);
}

GST_END_TEST;

/* ---- QoS messages ---- */

typedef struct
{
  GstObject *source;            /* not owned */
  gboolean live;
  guint64 running_time, stream_time, timestamp, duration;
  gint64 jitter;
  gdouble proportion;
  gint quality;
  GstFormat format;
  guint64 processed, dropped;
} Qos;

static Qos
wait_qos (Rig *rig)
{
  GstMessage *message = wait_message (rig, GST_MESSAGE_QOS);
  Qos qos = {.source = GST_MESSAGE_SRC (message) };

  gst_message_parse_qos (message, &qos.live, &qos.running_time, &qos.stream_time, &qos.timestamp, &qos.duration);
  gst_message_parse_qos_values (message, &qos.jitter, &qos.proportion, &qos.quality);
  gst_message_parse_qos_stats (message, &qos.format, &qos.processed, &qos.dropped);
  gst_message_unref (message);
  return qos;
}

GST_START_TEST (test_qos_of_a_late_row)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);
  GstSegment segment;
  Qos qos;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = MS (1000);
  segment.time = MS (5000);
  feed_event (feed, gst_event_new_segment (&segment));
  feed_one (feed, MS (1050), 50);
  assert_no_message (rig, GST_MESSAGE_QOS);
  feed_one (feed, MS (1018), 18);
  qos = wait_qos (rig);
  fail_unless (qos.source == GST_OBJECT (feed->sink));
  fail_unless (qos.live);
  fail_unless_equals_uint64 (qos.running_time, MS (18));
  fail_unless_equals_uint64 (qos.stream_time, MS (5018));
  fail_unless_equals_uint64 (qos.timestamp, MS (1018));
  fail_unless_equals_uint64 (qos.duration, MS (10));
  fail_unless_equals_int64 (qos.jitter, MS (32));
  fail_unless_equals_float (qos.proportion, 1.0);
  fail_unless_equals_int (qos.quality, 1000000);
  fail_unless_equals_int (qos.format, GST_FORMAT_DEFAULT);
  fail_unless_equals_uint64 (qos.processed, 1);
  fail_unless_equals_uint64 (qos.dropped, 1);
  assert_no_message (rig, GST_MESSAGE_QOS);
  rig_free (rig);
}

GST_END_TEST;

/* One whose tick had left: known when the next ticks turn out not to need it. */
GST_START_TEST (test_qos_of_an_overdue_row)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);
  Qos qos;

  make_a_late_row (rig, feed);
  qos = wait_qos (rig);
  fail_unless_equals_uint64 (qos.running_time, MS (4));
  fail_unless_equals_int64 (qos.jitter, MS (6));
  fail_unless_equals_uint64 (qos.dropped, 1);
  assert_no_message (rig, GST_MESSAGE_QOS);
  rig_free (rig);
}

GST_END_TEST;

/* A buffer of rows is one message, for the first of them and with the greatest lateness. */
GST_START_TEST (test_qos_of_a_block)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);
  const gfloat rows[4] = { 0 };
  GstBuffer *late = buffer_of (MS (10), rows, sizeof (rows));
  Qos qos;

  rig_play (rig);
  feed_start (feed, F32 ("1:4"));
  fail_unless_equals_int (feed_bytes (feed, MS (100), rows, sizeof (rows)), GST_FLOW_OK);
  drop_messages (rig, GST_MESSAGE_QOS);
  GST_BUFFER_DURATION (late) = MS (8);
  fail_unless_equals_int (gst_pad_push (feed->pad, late), GST_FLOW_OK);
  qos = wait_qos (rig);
  fail_unless_equals_uint64 (qos.running_time, MS (10));
  fail_unless_equals_int64 (qos.jitter, MS (90));
  fail_unless_equals_uint64 (qos.dropped, 4);
  assert_no_message (rig, GST_MESSAGE_QOS);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_qos_of_a_row_without_time)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);
  Qos qos;

  feed_one (feed, NONE, 0);
  qos = wait_qos (rig);
  fail_unless_equals_uint64 (qos.running_time, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (qos.timestamp, GST_CLOCK_TIME_NONE);
  fail_unless_equals_int64 (qos.jitter, 0);
  fail_unless_equals_uint64 (qos.dropped, 1);
  rig_free (rig);
}

GST_END_TEST;

/* A tick at which a required stream is missing. */
GST_START_TEST (test_qos_of_a_tick)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *busy = feed_new_bare (rig, "proprio_0", TRUE), *bare = feed_new_bare (rig, "proprio_1", TRUE);
  Qos qos;

  feed_set (bare, "required", "true", NULL);
  rig_play (rig);
  feed_start (busy, AT_100_HZ);
  feed_ramp (busy, 0, 30, 10);
  for (guint i = 0; i < 3; i++) {
    pass_deadline (rig, MS (10 * i + LATENCY));
    qos = wait_qos (rig);
    fail_unless (qos.source == GST_OBJECT (rig->fuse));
    fail_unless (qos.live);
    fail_unless_equals_uint64 (qos.running_time, MS (10 * i));
    fail_unless_equals_uint64 (qos.timestamp, MS (10 * i));
    fail_unless_equals_uint64 (qos.stream_time, MS (10 * i));
    fail_unless_equals_uint64 (qos.duration, MS (10));
    fail_unless_equals_int64 (qos.jitter, MS (LATENCY));
    fail_unless_equals_int (qos.format, GST_FORMAT_BUFFERS);
    fail_unless_equals_uint64 (qos.processed, 0);
    fail_unless_equals_uint64 (qos.dropped, i + 1);
  }
  assert_no_message (rig, GST_MESSAGE_QOS);
  rig_free (rig);
}

GST_END_TEST;

/* Not live there is no clock to be late by. */
GST_START_TEST (test_qos_not_live)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *whole = feed_new_bare (rig, "proprio_0", FALSE), *short_one = feed_new_bare (rig, "proprio_1", FALSE);
  Qos qos;

  feed_set (short_one, "required", "true", "hold-limit", "0", NULL);
  rig_play (rig);
  feed_start (whole, AT_100_HZ);
  feed_start (short_one, AT_100_HZ);
  feed_ramp (whole, 0, 10, 10);
  feed_one (short_one, 0, 0);
  all_eos (rig);
  expect_two (rig, 0, 0, ALIGNED, 0, ALIGNED);
  assert_eos (rig);
  qos = wait_qos (rig);
  fail_if (qos.live);
  fail_unless_equals_uint64 (qos.running_time, MS (10));
  fail_unless_equals_int64 (qos.jitter, 0);
  fail_unless_equals_uint64 (qos.processed, 1);
  fail_unless_equals_uint64 (qos.dropped, 1);
  rig_free (rig);
}

GST_END_TEST;

/* What somebody asked for is no matter of quality: rows between ticks, equal times, a flush, a seek. */
GST_START_TEST (test_no_qos)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);
  GstSegment segment;

  feed_ramp (feed, 0, 21, 1);
  feed_one (feed, MS (21), 3);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  feed_event (feed, gst_event_new_flush_start ());
  feed_event (feed, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = MS (100);
  feed_event (feed, gst_event_new_segment (&segment));
  feed_one (feed, MS (90), 0);
  fail_unless (count_of (feed->sink, "rows-superseded") > 10);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-duplicate"), 1);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-dropped-outside-segment"), 1);
  assert_no_message (rig, GST_MESSAGE_QOS);
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

/* Whoever does not read the bus turns them off; what is counted stays. */
GST_START_TEST (test_qos_off)
{
  Rig *rig = rig_new ("rate", "100/1", "qos-messages", "false", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE), *bare = feed_new_bare (rig, "proprio_1", TRUE);

  feed_set (bare, "required", "true", NULL);
  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  feed_one (feed, MS (10), 50);
  feed_one (feed, 0, 18);
  pass_deadline (rig, MS (10 + LATENCY));
  gst_test_clock_wait_for_next_pending_id (rig->clock, NULL);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-dropped"), 1);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-late"), 1);
  assert_no_message (rig, GST_MESSAGE_QOS);
  assert_all_rows_balance (rig);

  g_object_set (rig->fuse, "qos-messages", TRUE, NULL);
  feed_one (feed, 0, 18);
  fail_unless_equals_uint64 (wait_qos (rig).dropped, 2);        /* and nothing is told afterwards */
  assert_no_message (rig, GST_MESSAGE_QOS);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefuseaccount_suite (void)
{
  Suite *s = suite_create ("robocachefuseaccount");
  TCase *tc = add_case (s, "reasons");

  tcase_add_test (tc, test_no_time);
  tcase_add_test (tc, test_outside_segment);
  tcase_add_test (tc, test_overflow);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_refused);
  tcase_add_test (tc, test_refused_without_caps);
  tcase_add_test (tc, test_frame_refused);

  tc = add_case (s, "removed pads");
  tcase_add_test (tc, test_removed_pads_stay_in_the_account);
  tcase_add_test (tc, test_restart_begins_a_new_account);

  tc = add_case (s, "distributions");
  tcase_add_test (tc, test_lateness);
  tcase_add_test (tc, test_lateness_of_disorder);
  tcase_add_test (tc, test_age_of_the_element);
  tcase_add_test (tc, test_message);

  tc = add_case (s, "QoS");
  tcase_add_test (tc, test_qos_of_a_late_row);
  tcase_add_test (tc, test_qos_of_an_overdue_row);
  tcase_add_test (tc, test_qos_of_a_block);
  tcase_add_test (tc, test_qos_of_a_row_without_time);
  tcase_add_test (tc, test_qos_of_a_tick);
  tcase_add_test (tc, test_qos_not_live);
  tcase_add_test (tc, test_no_qos);
  tcase_add_test (tc, test_qos_off);
  return s;
}

GST_CHECK_MAIN (robocachefuseaccount);

/* robocache: robocachefuse, live: metas, row times, QoS messages, sources that wait; what is decided: tests/core/tables/live.c
 *
 * Rows come at 100 Hz unless caps say otherwise. A tick leaves 15 ms after its time at the latest: the element's own 5 ms, and
 * the 10 ms that linear waits for the next row.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"
#include "gst/fuse/core/journal.h"

/* One tick left at its deadline; a row of before it comes and is of no use any more, and the one after it is. */
#define LATE_ROW "a+0 >0 deadline:25 >10 a=held:0 a+4 a+8 a+28 >20 a+38..48/10 >30..40/10 a+58 >50 "
#define ROW_TIMES "for:0..30/10 { a+t+100~row:t=t } a:eos"

static const Scenario scenarios[] = {
  /* deadlines */
  /* caps that come before find nothing live, and the pipeline asks again */
  {"sources that start after their caps", "rate=100/1", "a,caps:1@100/1 b,caps:1@100/1",
      "ab:live latency=15ms a+0=1 deadline:15 >0 a=1 b=missing"},

  /* reference timestamps: PTS is when a row arrived here */
  {"reference: of a block", "rate=100/1", "a=sink_0,caps:1:4,timestamp-source=reference,reference-origin=3908988800000000000",
      "a+0:40~ntp:0=0,10,20,30 a:eos >0..30/10 >eos"},
  {"reference: other clocks have other origins", "rate=100/1",
      "a,live,timestamp-source=reference b,live,timestamp-source=reference,reference-caps=timestamp/x-unix",
      "for:0..40/10 { a+t+50~ntp:t=t b+t+50~unix:t+3000=t } >50..90/10 a=t-50 b=t-50"},
  {"row times win over PTS", "rate=100/1", "a=sink_0,caps:1+times", ROW_TIMES " >0..30/10 >eos"},
  {"row times, asked for", "rate=100/1", "a=sink_0,caps:1+times,timestamp-source=row-times", ROW_TIMES " >0..30/10 >eos"},
  {"PTS instead of row times", "rate=100/1",
      "a=sink_0,caps:1+times,timestamp-source=pts", ROW_TIMES " >100..130/10 a=t-100 >eos"},

  /* why rows are dropped */
  {"dropped: without caps", "rate=100/1", "a,live,bare",
      "a:stream a:segment a+0!not-negotiated 'error:negotiation:proprio_0: a buffer arrived before caps: put robocacheparse "
      "before' a.rows-dropped-refused=1 a.rows-dropped=1 a+1!not-negotiated no:error"},

  /* QoS messages */
  {"QoS of a late row", "rate=100/1", "a,live",
      "a:segment:start=1000,time=5000 a+1050=50 no:qos a+1018=18 qos:from=proprio_0,live=1,running=18,stream=5018,"
      "timestamp=1018,duration=10,jitter=32,processed=1,dropped=1 no:qos"},
  {"QoS of a row whose tick had left", "rate=100/1", "a,live", LATE_ROW "qos:running=4,jitter=6,dropped=1 no:qos a.rows-late=1 a.rows-late-overtaken=0"},
  {"QoS of a block is one message, of its first row and with the greatest lateness", "rate=100/1", "a,live,caps:1:4",
      "a+100=0 drop:qos a+10:8=0 qos:running=10,jitter=90,dropped=4 no:qos"},
  {"QoS of a row without a time", "rate=100/1", "a,live", "a+-=0 qos:running=-,timestamp=-,jitter=0,dropped=1"},
  {"QoS of ticks at which a required stream is missing", "rate=100/1", "a,live b,live,bare,required=true",
      "a+0..30/10 "
      "deadline:15 qos:from=fuse,live=1,running=0,stream=0,timestamp=0,duration=10,jitter=15,processed=0,dropped=1 "
      "deadline:25 qos:from=fuse,live=1,running=10,stream=10,timestamp=10,duration=10,jitter=15,processed=0,dropped=2 "
      "deadline:35 qos:from=fuse,live=1,running=20,stream=20,timestamp=20,duration=10,jitter=15,processed=0,dropped=3 no:qos"},
  {"QoS not live: there is no clock to be late by", "rate=100/1", "a b,required=true,hold-limit=0",
      "a+0..10/10 b+0 eos >0 >eos qos:live=0,running=10,jitter=0,processed=1,dropped=1"},
  {"QoS is off: what is counted stays, and nothing is told afterwards", "rate=100/1 qos-messages=false",
      "a,live b,live,bare,required=true",
      "a+10=50 a+0=18 deadline:25 waits ticks-dropped=1 a.rows-late=1 a.rows-late-overtaken=1 no:qos balance "
      "set:qos-messages=true a+0=18 qos:dropped=2 no:qos"},
};

/* ---- sources that wait, or go on until they are refused ---- */

/* One live stream among others makes the element live; it never waits, and takes the recording along. */
GST_START_TEST (test_live_and_not)
{
  Play *play = play_new ("rate=50/1", "a,caps:1@100/1 b,live");
  GThread *source = start_source (play, 'a', 33);

  play_words (play, "live=1 b+0..10000/10");
  while (fuse_count (play->rig->fuse, "ticks-out") < 490)
    g_thread_yield ();
  play_words (play, "a.rows-dropped=0 a.ticks-missing=0 a.rows-in<1050");
  gst_element_set_state (play->rig->fuse, GST_STATE_NULL);
  g_thread_join (source);
  play_free (play);
}

GST_END_TEST;

/* A live source that needs latency and one that cannot hold anything back: the base class has no latency then. */
GST_START_TEST (test_latencies_that_contradict)
{
  Play *play = play_new ("rate=50/1", "a,live,holds-nothing b,live:30");

  push_until_refused (play->pads[0].feed);
  play_words (play, "error:negotiation:proprio_0|proprio_1|queue");
  play_free (play);
}

GST_END_TEST;

/* ---- ticks that are late because the task waited for the lock ---- */

/* The clock goes there in steps that are no jumps of it, each with a row of a pad. */
static void
walk_clock (Feed *feed, gint from_ms, gint to_ms)
{
  for (gint t = from_ms; t <= to_ms; t += 900) {
    set_clock (feed->rig, MS (t));
    feed_one (feed, MS (t), 0);
  }
}

static gboolean
journal_has (GstBuffer *sample, FuseJournalKind kind)
{
  const GValue *value = gst_structure_get_value (sample_meta (sample), "journal");
  gsize size;
  const FuseJournalEntry *entries = g_bytes_get_data (g_value_get_boxed (value), &size);
  gboolean has = FALSE;

  for (gsize i = 0; i < size / sizeof (FuseJournalEntry); i++)
    has |= entries[i].kind == (gint64) kind;
  return has;
}

/* Called by a thread that has the element's lock: the task, whose time comes, waits for the lock. */
static void
hold_lock (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer rig)
{
  if (strstr (gst_debug_message_get (message), "outside the segment") == NULL)
    return;
  jump_clock (rig, MS (10800));
  /* a wait for the lock is in real time */
  fail_unless (gst_bus_timed_pop_filtered (((Rig *) rig)->bus, 700 * GST_MSECOND, GST_MESSAGE_ERROR) == NULL);
}

static void
hold_lock_while_a_tick_is_due (Feed *feed)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = MS (9950);
  feed_event (feed, gst_event_new_segment (&segment));
  gst_test_clock_wait_for_next_pending_id (feed->rig->clock, NULL);     /* the event has woken the task */
  gst_debug_add_log_function (hold_lock, feed->rig, NULL);
  gst_debug_set_threshold_for_name ("robocachefuse", GST_LEVEL_LOG);
  feed_one (feed, MS (9940), 0);
  gst_debug_remove_log_function (hold_lock);
  gst_debug_unset_threshold_for_name ("robocachefuse");
}

/* Returns whether the journal of the sample at a tick has rows dropped unread. */
static gboolean
next_journal_ends (Rig *rig, gint64 tick)
{
  GstBuffer *sample = pull (rig);
  gboolean has;

  while (GST_BUFFER_PTS (sample) < (GstClockTime) tick) {       /* those at 0 */
    gst_buffer_unref (sample);
    sample = pull (rig);
  }
  has = journal_has (sample, FUSE_JOURNAL_ENDED);
  gst_buffer_unref (sample);
  return has;
}

static void
assert_overflow (Feed *feed, guint64 rows_in, guint64 overflow)
{
  fail_unless_equals_uint64 (fuse_count (feed->sink, "rows-in"), rows_in);
  fail_unless_equals_uint64 (fuse_count (feed->sink, "rows-dropped-overflow"), overflow);
  assert_all_rows_balance (feed->rig);
}

/* After a late tick a live pad inserts one row each 5 s, half the ticks' period, and counts the others: until a tick is in time. */
GST_START_TEST (test_late_ticks_thin_live_rows)
{
  Rig *rig = rig_new ("rate=1/10");
  Feed *live = feed_new_bare (rig, "proprio_0", TRUE), *recorded = feed_new_bare (rig, "proprio_1", FALSE);
  const gfloat zero = 0;
  GstMessage *message;
  guint64 dropped;

  set_all (live->sink, "interpolation=previous");
  set_all (recorded->sink, "interpolation=previous");
  rig_play (rig);
  feed_start (live, ONE_CHANNEL);
  feed_start (recorded, ONE_CHANNEL);
  feed_one (live, 0, 0);
  feed_one (recorded, 0, 0);
  walk_clock (recorded, 900, 9900);
  hold_lock_while_a_tick_is_due (live);
  fail_if (next_journal_ends (rig, MS (10000)));
  for (gint i = 0; i < 100; i++) {
    feed_one (live, MS (10600 + i), 0);
    feed_one (recorded, MS (10600 + i), 0);
  }
  assert_overflow (live, 102, 99);
  assert_overflow (recorded, 112, 0);
  do {
    message = wait_message (rig, GST_MESSAGE_QOS);
    gst_message_parse_qos_stats (message, NULL, NULL, &dropped);
    gst_message_unref (message);
  } while (dropped < 99 + 2);
  /* for all reasons: the row outside the segment, and the one at 0, which a jump of the clock has left behind */
  fail_unless_equals_uint64 (dropped, 99 + 2);
  fail_unless_equals_uint64 (fuse_count (live->sink, "rows-dropped"), dropped);
  fail_unless_equals_int (feed_row (live, NONE, &zero, 1), GST_FLOW_OK);        /* the time of the next one depends on it */
  assert_overflow (live, 103, 99);
  feed_event (live, gst_event_new_gap (MS (10701), 0));
  feed_ramp (live, 10701, 10703, 1);    /* the first row after an event is in */
  assert_overflow (live, 106, 101);

  walk_clock (recorded, 11700, 19900);
  jump_clock (rig, MS (20006));
  fail_unless (next_journal_ends (rig, MS (20000)));
  feed_ramp (live, 20001, 20100, 1);
  assert_overflow (live, 206, 101);
  rig_free (rig);
}

GST_END_TEST;

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

static Suite *
robocachefuselive_suite (void)
{
  Suite *s = suite_create ("robocachefuselive");
  TCase *cases[] = { add_case (s, "asleep"), add_case (s, "awake") };

  tcase_add_checked_fixture (cases[1], stay_awake, sleep_at_once);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    tcase_add_test (cases[i], test_live_and_not);
    tcase_add_test (cases[i], test_latencies_that_contradict);
    tcase_add_test (cases[i], test_late_ticks_thin_live_rows);
  }
  add_scenarios (s, scenarios, G_N_ELEMENTS (scenarios), TRUE);
  return s;
}

GST_CHECK_MAIN (robocachefuselive);

/* robocache: robocachefuse with busy-wait: it stays awake for the next tick, and for whatever else comes
 *
 * Where it stays awake for ever, or sleeps, a test that does not end shows what has not been noticed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

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

/* ---- scenarios ---- */

#define FOR_EVER " busy-wait=18446744073709551615"
/* Ticks at 0 and 10 ms are out. */
#define WAKE "a+0 >0 a+10 >10 awake "
/* Each row is a tick, which a row within the reorder window could still change. The one at 0 is out. */
#define REORDERED "reference-pad=proprio_0" FOR_EVER, "a,live,interpolation=previous,reorder-window=20ms"
#define WAKE_REORDERED "a+0 deadline:25 >0 awake "
/* Nothing but the clock says that the deadline has come. */
#define REACH(before, deadline) "@" before " awake @" deadline " "
/* The deadline that the clock has passed was an hour away. */
#define OVERDUE ">20 a=held:10"

static const Scenario scenarios[] = {
  {"ticks", "rate=100/1" FOR_EVER, "a,live", WAKE "for:20..990/10 { a+t+2 >t awake } ticks-out=100"},
  {"ticks of a reference pad: the next one is not known, so there is no deadline", "reference-pad=proprio_0" FOR_EVER, "a,live",
      WAKE "for:20..190/10 { a+t >t awake }"},
  {"the last of two pads completes a tick, whichever it is", "rate=100/1" FOR_EVER, "a,live b,live",
      "b+0 a+0 >0 a+10 b+10 >10 awake for:20..380/20 { b+t awake a+t >t awake a+t+10 awake b+t+10 >t+10 awake }"},
  {"deadlines", "rate=100/1" FOR_EVER, "a,live", WAKE "for:20..90/10 { " REACH ("t+13", "t+15") ">t a=held:10 }"},
  {"the deadline of a tick that becomes known", REORDERED,
      WAKE_REORDERED "for:100..400/100 { a+t " REACH ("t+23", "t+25") ">t awake }"},
  {"the deadline of a tick that becomes earlier", REORDERED,
      WAKE_REORDERED "a+200 awake a+190 " REACH ("213", "215") ">190 " REACH ("223", "225") ">200"},
  {"latency that falls", "rate=100/1 latency=3600000ms" FOR_EVER, "a,live", WAKE "@35 awake set:latency=5ms " OVERDUE},
  {"upstream latency that falls", "rate=100/1" FOR_EVER, "a,live:3600000", WAKE "@35 awake a:live:0 latency=15ms " OVERDUE},
  {"busy-wait that ends, and begins again", "rate=100/1 latency=3600000ms" FOR_EVER, "a,live",
      WAKE "set:busy-wait=0 waits set:busy-wait=18446744073709551615 a+20 >20 awake"},
  {"EOS", "reference-pad=proprio_0" FOR_EVER, "a,live", WAKE "a:eos >eos"},
  {"a flush stops the thread, and sets it off again", "reference-pad=proprio_0" FOR_EVER, "a,live",
      WAKE "for:1..5/1 { a:flush a:start " WAKE "}"},
};

/* Rows go on before the element is stopped. */
GST_START_TEST (test_stop)
{
  Play *play = play_new ("reference-pad=proprio_0" FOR_EVER, "a,live");

  play_words (play, WAKE);
  fail_unless_equals_int (gst_element_set_state (play->rig->fuse, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  play_free (play);
}

GST_END_TEST;

CHECK_MAIN (robocachefuseawake, NULL, NULL, rig_clock_type = watched_clock_get_type (), rig_assert_awake = assert_awake,
  add_scenarios (suite, scenarios, G_N_ELEMENTS (scenarios), FALSE), ONCE (test_stop))

/* robocache: robocachefuse and sensors that misbehave, where pads, frames and caps matter; see also tests/core/tables/sensorfaults.c
 *
 * Live, on a test clock: beside a good sensor, a, there is one that fails, b. Both have a row every 50 ms, and so have the ticks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

/* Ticks from first to last at which both have a row, or b has none since `newest`: held for 200 ms, then missing. */
#define BOTH(first, last) "for:" first ".." last "/50 { @t a+t b+t >t } "
#define HELD_FOR(first, last, newest) "for:" first ".." last "/50 { @t a+t deadline:t+15 >t b=held:" newest " } "
#define MISSING_FOR(first, last) "for:" first ".." last "/50 { @t a+t deadline:t+15 >t b=missing } "
#define IN_TIME " lateness-max=0"

#define DUO "rate=20/1", "a,live b,live"

static const Scenario scenarios[] = {
  /* pads that flush, go and come */
  {"flushing", DUO,
      BOTH ("0", "500") "b+510 b:flush-start#1 " HELD_FOR ("550", "700", "510") "b:flush-stop-keep#1 b:segment "
      MISSING_FOR ("750", "900") BOTH ("950", "1100") IN_TIME},
  {"a flush drops rows that wait for their tick", DUO,
      BOTH ("0", "500") "b+510..520/10 b:flush-start#1 b:flush-stop-keep#1 b:segment " MISSING_FOR ("550", "700")
      "b.rows-dropped-flush=2 " BOTH ("750", "900") IN_TIME},
};

/* A frame a day ahead is let go at once: it belongs to a pool. */
GST_START_TEST (test_wild_frame)
{
  Play *play = play_new ("rate=20/1", "a=camera_0,live,caps:gray@20/1");
  const gchar pixels[8] = { 0 };
  GstBuffer *wild = fuse_buffer (MS (24 * 3600000.0), pixels, sizeof (pixels));

  gst_buffer_ref (wild);
  fail_unless_equals_int (gst_pad_push (play->pads[0].feed->pad, wild), GST_FLOW_OK);
  ASSERT_MINI_OBJECT_REFCOUNT (wild, "frame", 1);
  gst_buffer_unref (wild);
  play_words (play, "a+0 >0");
  play_free (play);
}

GST_END_TEST;

/* ---- many at once ---- */

#define MANY 50
#define STEP 50

/* Fifty sensors in one tensor; one of them is silent, one has two rows for each tick, one is a tick behind. */
GST_START_TEST (test_fifty_pads)
{
  enum { SILENT = 7, TWICE = 20, BEHIND = 49 };
  Rig *rig = rig_new ("rate=20/1 layout=concat");
  Feed *feeds[MANY];
  GstStructure *stats;

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
  fail_unless_equals_uint64 (fuse_count (rig->fuse, "rows-in"), 41 * 48 + 41 + 40);
  fail_unless_equals_uint64 (fuse_count (rig->fuse, "rows-duplicate"), 41);
  stats = stats_of (rig->fuse);
  fail_unless_equals_int64 (number_in (stats, "lateness-max"), 0);
  gst_structure_free (stats);
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

/* ---- pads that are declared ---- */

/* A sensor that comes three seconds late: samples have its tensor from the first tick on, and caps never change. */
GST_START_TEST (test_declared_pad_that_comes_late)
{
  Play *play = play_new ("rate=100/1", "a,live b,unlinked,live,caps:2,expects:2");
  GstEvent *event;

  play_words (play, "a+0..30/10 >0..30/10 b=missing b:link b:stream b:caps=2[x,y] b:segment b+40..50/10=1,2 a+40..50/10 >40..50/10 b=1,2 "
      "eos >eos");
  event = next_event (play->rig, GST_EVENT_CAPS);
  fail_unless (event != NULL);
  gst_event_unref (event);
  fail_unless (next_event (play->rig, GST_EVENT_CAPS) == NULL);
  play_free (play);
}

GST_END_TEST;

static const struct
{
  const gchar *caps, *error;
} wrong_caps[] = {
  {"other/tensors, types=(string)float32", "negotiation:expected-caps|format"},
  {"other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, dimensions=(string)4, "
        "framerate=(fraction)[0,9]", "settings:expected-caps|fixed"},
};

GST_START_TEST (test_expected_caps_that_are_none)
{
  Rig *rig = rig_new ("rate=100/1");
  GstPad *pad = gst_element_request_pad_simple (rig->fuse, "proprio_0");

  gst_util_set_object_arg (G_OBJECT (pad), "expected-caps", wrong_caps[__i__].caps);
  fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  assert_error (rig, "%s", wrong_caps[__i__].error);
  gst_element_set_state (rig->fuse, GST_STATE_NULL);
  gst_object_unref (pad);
  rig_free (rig);
}

GST_END_TEST;

CHECK_MAIN (robocachefusesensorfaults, NULL, NULL, add_scenarios (suite, scenarios, G_N_ELEMENTS (scenarios), FALSE), ONCE (test_wild_frame),
  ONCE (test_fifty_pads), ONCE (test_declared_pad_that_comes_late), EACH (wrong_caps, test_expected_caps_that_are_none))

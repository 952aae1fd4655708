/* robocache: robocachefuse and sensors that misbehave, a scenario for each line of the table in its documentation
 *
 * Live, on a test clock: beside a good sensor, a, there is one that fails, b. Both have a row every 50 ms, and so have the ticks.
 * However b fails, no tick leaves after its deadline, and every row is accounted for. The words are those of fusescenario.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fusescenario.h"

/* Ticks from first to last at which both have a row, or b has none since `newest`: held for 200 ms, then missing. */
#define BOTH(first, last) "for:" first ".." last "/50 { @t a+t b+t >t } "
#define HELD_FOR(first, last, newest) "for:" first ".." last "/50 { @t a+t deadline:t+15 >t b=held:" newest " } "
#define MISSING_FOR(first, last) "for:" first ".." last "/50 { @t a+t deadline:t+15 >t b=missing } "
#define IN_TIME " lateness-max=0"

#define DUO "rate=20/1", "a,live b,live"

static const Scenario scenarios[] = {
  /* silence */
  {"silent from the start", DUO, MISSING_FOR ("0", "1000") "b.ticks-missing=21 " BOTH ("1050", "1200") IN_TIME},
  {"silent without caps: it has no tensor until it has, and then the caps change", "rate=20/1", "a,live b,live,bare",
      "for:0..500/50 { @t a+t deadline:t+15 >t } caps.num_tensors=1 b:start " BOTH ("550", "700") "caps.num_tensors=2" IN_TIME},
  {"required and silent", DUO,
      "b:required=true " BOTH ("0", "500") HELD_FOR ("550", "700", "500")
      "for:750..1000/50 { @t a+t deadline:t+15 wait:qos } " BOTH ("1050", "1200") "ticks-dropped=6" IN_TIME},
  {"silent for two seconds, then back", DUO,
      BOTH ("0", "500") HELD_FOR ("550", "700", "500") MISSING_FOR ("750", "2500") BOTH ("2550", "3000")
      "b.ticks-held=4 b.ticks-missing=36 b.age-max=200ms b.rows-late=0" IN_TIME},
  {"EOS early: the end is known, so no tick waits for more", DUO,
      BOTH ("0", "500") "b:eos for:550..700/50 { @t a+t >t b=held:500 } for:750..1000/50 { @t a+t >t b=missing } "
      "lag-max=0 a:eos >eos" IN_TIME},
  {"EOS and back", DUO, BOTH ("0", "500") "b:eos @550 a+550 >550 b=held:500 b:start " BOTH ("600", "1000") IN_TIME},

  /* pads that flush, go and come */
  {"flushing", DUO,
      BOTH ("0", "500") "b+510 b:flush-start#1 " HELD_FOR ("550", "700", "510") "b:flush-stop-keep#1 b:segment "
      MISSING_FOR ("750", "900") BOTH ("950", "1100") IN_TIME},
  {"a flush drops rows that wait for their tick", DUO,
      BOTH ("0", "500") "b+510..520/10 b:flush-start#1 b:flush-stop-keep#1 b:segment " MISSING_FOR ("550", "700")
      "b.rows-dropped-flush=2 " BOTH ("750", "900") IN_TIME},
  {"removed", DUO,
      BOTH ("0", "500") "b:remove for:550..700/50 { @t a+t >t } caps.num_tensors=1 caps.streams=proprio_0 rows-in=26" IN_TIME},
  {"added again under its old name, three times: nothing of before is left", DUO,
      "for:0..600/300 { " BOTH ("t", "t+100") "b:remove @t+150 a+t+150 >t+150 b:add b:start " MISSING_FOR ("t+200", "t+250") "} "
      "rows-in=27" IN_TIME},

  /* rows that come late */
  {"a burst after a stall: only the newest row is of use", DUO,
      BOTH ("0", "500") HELD_FOR ("550", "700", "500") MISSING_FOR ("750", "1450")
      "@1500 a+1500 b+550..1500/50 >1500 " BOTH ("1550", "2000") "b.rows-late=19 b.lateness-max=900ms b.clock-jumps=0" IN_TIME},
  {"a burst after a minute, longer than any jump of the clock may be", DUO,
      BOTH ("0", "500") HELD_FOR ("550", "700", "500") MISSING_FOR ("750", "60450")
      "@60500 a+60500 b+550..60500/50 >60500 " BOTH ("60550", "60800")
      "b.rows-late=1199 b.rows-dropped=0 b.clock-jumps=0" IN_TIME},
  {"every row comes 300 ms after its time, too late for every tick", DUO,
      MISSING_FOR ("0", "250") "for:300..2000/50 { b+t-300=t @t a+t deadline:t+15 >t b=missing } "
      "b.rows-late>29 b.rows-used=0 b.lateness-max=250ms" IN_TIME},
  {"with that much latency no row is late", "rate=20/1 latency=300ms", "a,live b,live",
      "for:0..250/50 { @t a+t } for:300..2000/50 { @t a+t b+t-300=t >t-300 b=t } b.rows-late=0 b.ticks-aligned=35" IN_TIME},

  /* odd rows */
  {"NaN is a value: it takes part, and nothing else is touched", DUO,
      BOTH ("0", "100") "for:150..300/50 { @t a+t b+t=nan >t b=nan } @350 a+350 b+360 >350 b=nan " BOTH ("400", "500") IN_TIME},
  {"equal times in pairs: the last one wins", DUO,
      "for:0..1000/50 { @t b+t=-1 b+t=t+1 a+t >t b=t+1 } b.rows-duplicate=21 b.rows-late=0" IN_TIME},

  /* rates that change: the latency follows with a message, and rows of before are not blended with those after */
  {"the nominal rate changes", DUO,
      BOTH ("0", "500") "b+540 drop:latency latency=15ms b:caps=1@50/1 wait:latency latency=25ms "
      "@550 a+550 b+560 >550 b=held:540 "
      BOTH ("600", "1000") "b:caps=1@1000/1 wait:latency latency=15ms " BOTH ("1050", "1500") IN_TIME},
  {"the measured rate changes, when the last 64 spacings say so", DUO,
      "b:caps=1 " BOTH ("0", "3500") "latency=55ms drop:latency for:3550..7000/50 { @t a+t b+t-40..t/10 >t } "
      "wait:latency latency=15ms" IN_TIME},
  {"not live a day is a day: rows behind one of tomorrow are late", "rate=1/3600 allow-gaps=true", "a,caps:1@100/1",
      "a+0=1 a+1d=2 a+10=3 a:eos >0 a=1 >1h..23h/1h a=missing >1d a=2 >eos a.rows-late=1 a.rows-dropped=0"},

  /* clocks: after two days, so that rows can be a day before */
  {"a wild GAP hides nothing", DUO,
      "stop @2d play ab:start " BOTH ("2d", "2d+500") "b:gap:3d+550,10 " BOTH ("2d+550", "2d+1000") "b.rows-late=0" IN_TIME},
  {"a new segment says where times are: what was learnt of the clock is over", DUO,
      "stop @2d play ab:start " BOTH ("2d", "2d+500")
      "for:2d+550..2d+700/50 { @t a+t b+t+1d=t deadline:t+15 >t b=held:2d+500 } "
      "for:2d+750..2d+1500/50 { @t a+t b+t+1d=t deadline:t+15 >t b=missing } "
      "for:2d+1550..2d+2000/50 { @t a+t b+t+1d=t >t } b:segment:base=2d "
      "for:2d+2050..2d+3000/50 { @t a+t b+t-2d=t >t } b.clock-shift=0 b.clock-jumps=1" IN_TIME},
};

/* Clocks that jump by JUMP. For a second rows are dropped and the stream is held from before, and then its clock is known. */
#define JUMPED(first, last) "for:" first ".." last "/50 { @t a+t b+t+JUMP=t >t } "
static const Scenario jumping[] = {
  {"the clock jumps", DUO,
      BOTH ("2d", "2d+500") "for:2d+550..2d+700/50 { @t a+t b+t+JUMP=t deadline:t+15 >t b=held:2d+500 } "
      "for:2d+750..2d+1500/50 { @t a+t b+t+JUMP=t deadline:t+15 >t b=missing } " JUMPED ("2d+1550", "2d+2000")
      "b.clock-jumps=1 clock-jumps=1 b.clock-shift=-JUMP b.rows-dropped-clock-jump=20 a.ticks-aligned=41 "
      "warning:proprio_1|clock-jumps no:warning" IN_TIME},
  {"the clock jumps, and is put right: times are read as they are again", DUO,
      BOTH ("2d", "2d+500") "for:2d+550..2d+700/50 { @t a+t b+t+JUMP=t deadline:t+15 >t b=held:2d+500 } "
      "for:2d+750..2d+1500/50 { @t a+t b+t+JUMP=t deadline:t+15 >t b=missing } " JUMPED ("2d+1550", "2d+5000")
      "for:2d+5050..2d+5200/50 { @t a+t b+t deadline:t+15 >t b=held:2d+5000 } "
      "for:2d+5250..2d+6000/50 { @t a+t b+t deadline:t+15 >t b=missing } " BOTH ("2d+6050", "2d+7000")
      "b.clock-jumps=2 b.clock-shift=0 b.rows-dropped-clock-jump=40 warning:proprio_1|clock-jumps no:warning" IN_TIME},
  {"one wild timestamp costs one row", DUO,
      BOTH ("2d", "2d+500") "@2d+550 a+2d+550 b+2d+550+JUMP=0 deadline:2d+565 >2d+550 b=held:2d+500 " BOTH ("2d+600", "2d+1000")
      "b.clock-jumps=0 b.rows-dropped-clock-jump=1 no:warning" IN_TIME},
  {"also when it is the first", DUO,
      "b+2d+JUMP=0 " BOTH ("2d", "2d+500") "b.rows-dropped-clock-jump=1 ticks-out=11" IN_TIME},
  {"wild timestamps of the reference pad: no tick of another day", "reference-pad=proprio_0", "a,live",
      "@2d a+2d+JUMP=0 for:2d+50..2d+450/50 { @t a+t >t } @2d+500 a+2d+500+JUMP=0 for:2d+550..2d+950/50 { @t a+t >t } "
      "ticks-out=18 a.rows-dropped-clock-jump=2"},
  {"the clock of the reference pad jumps: no tick until that is known", "reference-pad=proprio_0", "a,live",
      "for:2d..2d+450/50 { @t a+t >t } for:2d+500..2d+1450/50 { @t a+t+JUMP=t } for:2d+1500..2d+2950/50 { @t a+t+JUMP=t >t } "
      "ticks-out=40 a.rows-dropped-clock-jump=20"},
};

static const gchar *const jumps[][2] = { {"+1d", "-1d"}, {"-1d", "+1d"}, {"+1h", "-1h"}, {"-1h", "+1h"} };    /* and back */

static gchar *
replace (const gchar *text, const gchar *what, const gchar *with)
{
  gchar **parts = g_strsplit (text, what, -1), *replaced = g_strjoinv (with, parts);

  g_strfreev (parts);
  return replaced;
}

GST_START_TEST (test_jump)
{
  const Scenario *scenario = &jumping[__i__ / G_N_ELEMENTS (jumps)];
  const gchar *const *jump = jumps[__i__ % G_N_ELEMENTS (jumps)];
  Play *play = play_new (scenario->settings, scenario->pads);
  gchar *shifted = replace (scenario->words, "+JUMP", jump[0]), *words = replace (shifted, "-JUMP", jump[1]);

  play_words (play, "stop @2d play");
  for (guint p = 0; p < play->n_pads; p++)
    tell_pad (play, &play->pads[p], "start");
  play_words (play, words);
  g_free (words);
  g_free (shifted);
  play_free (play);
}

GST_END_TEST;

/* A frame a day ahead is let go at once: it belongs to a pool. */
GST_START_TEST (test_wild_frame)
{
  Play *play = play_new ("rate=20/1", "a=camera_0,live,caps:gray@20/1");
  const gchar pixels[8] = { 0 };
  GstBuffer *wild = buffer_of (MS (24 * 3600000.0), pixels, sizeof (pixels));

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
  fail_unless_equals_uint64 (count_of (rig->fuse, "rows-in"), 41 * 48 + 41 + 40);
  fail_unless_equals_uint64 (count_of (rig->fuse, "rows-duplicate"), 41);
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

/* A robot that boots before its cameras: ticks start at PLAYING, with expected caps and no data. */
GST_START_TEST (test_force_live)
{
  Play *play;

  rig_force_live = TRUE;
  play = play_new ("rate=100/1", "a,unlinked,expects:1@100/1");
  play_words (play, "for:0..30/10 { deadline:t+5 >t a=missing }");
  play_free (play);
  rig_force_live = FALSE;
}

GST_END_TEST;

static Suite *
robocachefusesensorfaults_suite (void)
{
  Suite *s = suite_create ("robocachefusesensorfaults");
  TCase *tc;

  add_scenarios (s, scenarios, G_N_ELEMENTS (scenarios), FALSE);
  for (gint i = 0; i < (gint) G_N_ELEMENTS (jumping); i++)
    tcase_add_loop_test (add_case (s, jumping[i].name), test_jump, i * (gint) G_N_ELEMENTS (jumps),
        (i + 1) * (gint) G_N_ELEMENTS (jumps));
  tc = add_case (s, "frames and many");
  tcase_add_test (tc, test_wild_frame);
  tcase_add_test (tc, test_fifty_pads);
  tc = add_case (s, "declared pads");
  tcase_add_test (tc, test_declared_pad_that_comes_late);
  tcase_add_loop_test (tc, test_expected_caps_that_are_none, 0, G_N_ELEMENTS (wrong_caps));
  tcase_add_test (tc, test_force_live);
  return s;
}

GST_CHECK_MAIN (robocachefusesensorfaults);

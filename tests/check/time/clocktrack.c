/* robocache: offset and skew of a sensor's clock, estimated from arrivals
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/rows/reports.h"
#include "tests/check/lib/clocksim.h"
#include "tests/check/lib/checks.h"

#define MS(ms) ((gint64) ((ms) * 1000000.0))
#define SECONDS(s) ((gint64) (s) * (gint64) GST_SECOND)
/* Of a clock that counts from 1970. */
#define TODAY SECONDS (1700000000)

static const Sim usual = { 100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1 };

/* ---- how exact ---- */

#define EXACT .n_seeds = 10, .max_error_ms = 0.2, .max_skew_error_ppm = 15.0
#define RMS .n_seeds = 20, .max_rms_ms = 0.1
#define HONEST .n_seeds = 40, .min_inside = 34
#define EXACT_ONCE(skew_error) .n_seeds = 1, .max_error_ms = 0.2, .max_skew_error_ppm = skew_error

/* What an estimate is after so many seconds, for so many seeds from the sim's on. 0: not asked. */
static const struct
{
  Sim sim;
  gdouble seconds;
  guint n_seeds;
  gdouble max_error_ms, max_skew_error_ppm, max_rms_ms;
  guint min_inside;             /* runs whose error is within the uncertainty: two standard deviations hold nineteen of twenty */
} estimates[] = {
  /* 20 ms of one-sided jitter */
  {{100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1, SIM_IN_ORDER}, 30.0, EXACT},
  {{100.0, 20.0, SIM_UNIFORM, -200.0, TODAY, MS (3), 1, SIM_IN_ORDER}, 30.0, EXACT},
  {{100.0, 20.0, SIM_UNIFORM, 0.0, TODAY, MS (3), 1, SIM_IN_ORDER}, 30.0, EXACT},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1, SIM_OVERTAKING}, 30.0, EXACT},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1, SIM_BUNCHED}, 30.0, EXACT},
  {{100.0, 20.0, SIM_EXPONENTIAL, 200.0, TODAY, MS (3), 1, SIM_OVERTAKING}, 30.0, EXACT},
  {{100.0, 20.0, SIM_EXPONENTIAL, -200.0, TODAY, MS (3), 1, SIM_OVERTAKING}, 30.0, EXACT},
  {{100.0, 20.0, SIM_EXPONENTIAL, 200.0, TODAY, MS (3), 1, SIM_BUNCHED}, 30.0, EXACT},
  {{300.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1, SIM_OVERTAKING}, 30.0, EXACT},
  {{300.0, 20.0, SIM_EXPONENTIAL, -200.0, TODAY, MS (3), 1, SIM_OVERTAKING}, 30.0, EXACT},
  {{300.0, 20.0, SIM_UNIFORM, -200.0, TODAY, MS (3), 1, SIM_BUNCHED}, 30.0, EXACT},
  {{300.0, 20.0, SIM_EXPONENTIAL, 200.0, TODAY, MS (3), 1, SIM_BUNCHED}, 30.0, EXACT},
  {{1000.0, 20.0, SIM_UNIFORM, -200.0, TODAY, MS (3), 1, SIM_OVERTAKING}, 30.0, EXACT},
  {{1000.0, 20.0, SIM_EXPONENTIAL, 200.0, TODAY, MS (3), 1, SIM_OVERTAKING}, 30.0, EXACT},
  {{1000.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1, SIM_BUNCHED}, 30.0, EXACT},
  {{1000.0, 20.0, SIM_EXPONENTIAL, -200.0, TODAY, MS (3), 1, SIM_BUNCHED}, 30.0, EXACT},
  /* exponential, of which 99 % are below 20 ms */
  {{100.0, 4.3, SIM_EXPONENTIAL, 200.0, TODAY, MS (3), 1, SIM_IN_ORDER}, 30.0, EXACT},
  {{30.0, 4.3, SIM_EXPONENTIAL, 200.0, TODAY, MS (3), 1, SIM_IN_ORDER}, 30.0, EXACT},
  {{10.0, 4.3, SIM_EXPONENTIAL, 200.0, TODAY, MS (3), 1, SIM_IN_ORDER}, 30.0, EXACT},
  {{10.0, 4.3, SIM_EXPONENTIAL, -200.0, TODAY, MS (3), 1, SIM_IN_ORDER}, 30.0, EXACT},
  /* 10 Hz need two minutes: 300 rows with 20 ms of jitter do not tell more */
  {{10.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1}, 120.0, RMS},
  {{10.0, 20.0, SIM_EXPONENTIAL, 200.0, TODAY, MS (3), 1}, 120.0, RMS},
  {{10.0, 20.0, SIM_UNIFORM, 200.0, TODAY, 0, 1, SIM_OVERTAKING}, 15.0, HONEST},
  {{30.0, 20.0, SIM_UNIFORM, 200.0, TODAY, 0, 1, SIM_OVERTAKING}, 15.0, HONEST},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, 0, 1, SIM_OVERTAKING}, 15.0, HONEST},
  {{1000.0, 20.0, SIM_UNIFORM, 200.0, TODAY, 0, 1, SIM_OVERTAKING}, 15.0, HONEST},
  {{100.0, 20.0, SIM_UNIFORM, 10000.0, TODAY, 0, 7}, 60.0, EXACT_ONCE (5.0)},   /* an oscillator without a crystal */
  {{100.0, 0.0, SIM_UNIFORM, 50.0, TODAY, MS (1), 7}, 30.0, 1, 0.02, 0.1},
  {{20.0, 20.0, SIM_UNIFORM, 200.0, TODAY, 0, 3}, 1800.0, EXACT_ONCE (15.0)},   /* after a night the numbers are as exact */
  {{100.0, 20.0, SIM_UNIFORM, 200.0, 0, 0, 3}, 30.0, EXACT_ONCE (15.0)},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, -SECONDS (5), 0, 3}, 30.0, EXACT_ONCE (15.0)},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, 0, 3}, 30.0, EXACT_ONCE (15.0)},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, G_MAXINT64 - SECONDS (100), 0, 3}, 30.0, EXACT_ONCE (15.0)},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, G_MININT64 + SECONDS (100), 0, 3}, 30.0, EXACT_ONCE (15.0)},
};

GST_START_TEST (an_estimate)
{
  const guint n = estimates[__i__].n_seeds;
  const gboolean is_honest = estimates[__i__].min_inside > 0;
  gdouble squares = 0.0;
  guint inside = 0;

  for (guint i = 0; i < n; i++) {
    Sim sim = estimates[__i__].sim;
    RobocacheClockEstimate e;
    gint64 error;

    sim.seed += i;
    error = sim_error_after (&sim, estimates[__i__].seconds, &e);
    squares += ((gdouble) error / 1e6) * ((gdouble) error / 1e6);
    inside += ABS (error) <= e.uncertainty_ns;
    fail_unless (e.uncertainty_ns > 0 && (is_honest || e.converged), "seed %u: uncertainty %" G_GINT64_FORMAT, sim.seed,
        e.uncertainty_ns);
    if (estimates[__i__].max_error_ms == 0.0)
      continue;
    fail_unless (ABS (error) <= MS (estimates[__i__].max_error_ms), "seed %u: off by %" G_GINT64_FORMAT " ns", sim.seed, error);
    fail_unless (fabs (e.skew_ppm - sim.skew_ppm) < estimates[__i__].max_skew_error_ppm, "seed %u: %g ppm", sim.seed, e.skew_ppm);
    fail_unless_equals_uint64 (e.pairs, (guint64) (estimates[__i__].seconds * sim.rate));
    fail_unless_equals_uint64 (e.outliers + e.jumps + e.steps, 0);
  }
  fail_unless (estimates[__i__].max_rms_ms == 0.0 || sqrt (squares / n) < estimates[__i__].max_rms_ms, "%g ms",
      sqrt (squares / n));
  fail_unless (inside >= estimates[__i__].min_inside, "%u of %u", inside, n);
}

GST_END_TEST;

/* The delay of the fastest row looks like an offset. */
GST_START_TEST (a_constant_delay_is_not_seen)
{
  const Sim near = { 100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, 0, 7 };
  const Sim far = { 100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, SECONDS (1), 7 };
  RobocacheClockEstimate a, b;

  /* each error is counted from its own constant delay */
  fail_unless (ABS (sim_error_after (&near, 30.0, &a) - sim_error_after (&far, 30.0, &b)) <= 1);
  fail_unless (ABS (b.offset_ns - a.offset_ns - SECONDS (1)) <= 1);
}

GST_END_TEST;

/* ---- what comes out ---- */

typedef struct
{
  RobocacheClockTrack *track;
  SimState state;
  SimRow row;
  gint64 out;
  guint events[ROBOCACHE_CLOCK_UNSURE + 1];
} Run;

static Run
run_begin (const Sim *sim)
{
  return (Run) {.track = robocache_clock_track_new (),.state = sim_begin (sim) };
}

static void
run_end (Run *run)
{
  robocache_clock_track_free (run->track);
  sim_end (&run->state);
}

/* Estimated less true time of capture, the constant delay aside. */
static gint64
step (Run *run)
{
  run->row = sim_next (&run->state);
  run->out = robocache_clock_track_add (run->track, run->row.sensor, run->row.arrival);
  run->events[robocache_clock_track_take_event (run->track)]++;
  return run->out - run->row.captured - run->state.sim->least_delay;
}

/* The greatest error over the last second of so many. */
static gint64
run_for (Run *run, gdouble seconds)
{
  const guint64 n = (guint64) (seconds * run->state.sim->rate);
  gint64 worst = 0;

  for (guint64 i = 0; i < n; i++) {
    const gint64 error = step (run);

    if (i + run->state.sim->rate >= n)
      worst = MAX (worst, ABS (error));
  }
  return worst;
}

static RobocacheClockEstimate
estimate_of (const Run *run)
{
  RobocacheClockEstimate e;

  robocache_clock_track_get (run->track, &e);
  return e;
}

/* Before it has converged the least delay so far counts. */
GST_START_TEST (the_least_delay_so_far)
{
  RobocacheClockTrack *track = robocache_clock_track_new ();

  fail_unless_equals_int64 (robocache_clock_track_add (track, 0, MS (120)), MS (120));
  /* 10 ms less of delay, of which 9 can be taken back in 10 ms */
  fail_unless_equals_int64 (robocache_clock_track_add (track, MS (10), MS (120)), MS (121));
  fail_unless_equals_int64 (robocache_clock_track_add (track, MS (20), MS (160)), MS (130));
  fail_unless_equals_int64 (robocache_clock_track_add (track, MS (30), MS (170)), MS (140));
  robocache_clock_track_free (track);
}

GST_END_TEST;

static const Sim orders[] = {
  {10.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1},
  {100.0, 20.0, SIM_EXPONENTIAL, -200.0, TODAY, MS (3), 2},
  {1000.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 3, SIM_BUNCHED},
  {1000.0, 100.0, SIM_EXPONENTIAL, 5000.0, TODAY, MS (3), 4, SIM_BUNCHED},
};

/* Later sensor times are later running times, with never less than a tenth of the time between them. A second after it has
 * converged the rate of time is off by no more than the slew and the skew's error. */
GST_START_TEST (times_stay_in_order_and_are_smooth)
{
  const Sim *sim = &orders[__i__];
  Run run = run_begin (sim);
  gint64 smooth_from = G_MAXINT64, n = (gint64) (40.0 * sim->rate);

  step (&run);
  for (gint64 i = 0; i < n; i++) {
    const gint64 before = run.out, sensor_before = run.row.sensor;
    gint64 spacing, wanted;

    step (&run);
    spacing = run.row.sensor - sensor_before;
    wanted = (gint64) ((gdouble) spacing * (1.0 - sim->skew_ppm * 1e-6));
    fail_unless (run.out - before >= spacing * 0.09, "row %" G_GINT64_FORMAT ": %" G_GINT64_FORMAT " ns", i, run.out - before);
    if (smooth_from == G_MAXINT64 && __i__ < 3 && estimate_of (&run).converged) {
      smooth_from = i + (gint64) sim->rate;
      n = smooth_from + (gint64) (40.0 * sim->rate);
    }
    fail_unless (i < smooth_from || ABS (run.out - before - wanted) <= (gint64) ((gdouble) spacing * 1.1e-3) + 2,
        "row %" G_GINT64_FORMAT ": %" G_GINT64_FORMAT " ns for %" G_GINT64_FORMAT, i, run.out - before, spacing);
  }
  fail_unless (estimate_of (&run).converged || __i__ == 3);
  run_end (&run);
}

GST_END_TEST;

/* Rows of a block have one arrival; each has the time that it would have alone. */
GST_START_TEST (rows_of_a_block)
{
  Run run = run_begin (&usual);
  gint64 last = G_MININT64;

  run_for (&run, 30.0);
  for (gint i = 9; i >= 0; i--) {
    const gint64 t = robocache_clock_track_map (run.track, run.row.sensor - MS (i));

    fail_unless (ABS (t - (run.out - MS (i))) <= MS (0.02));
    fail_unless (t > last);
    last = t;
  }
  fail_unless_equals_int64 (last, run.out);
  run_end (&run);
}

GST_END_TEST;

GST_START_TEST (the_same_pairs_make_the_same_times)
{
  Run a = run_begin (&usual), b = run_begin (&usual);

  for (guint i = 0; i < 3000; i++) {
    step (&a);
    step (&b);
    fail_unless_equals_int64 (a.out, b.out);
  }
  run_end (&b);
  robocache_clock_track_reset (a.track);
  fail_unless_equals_uint64 (estimate_of (&a).pairs, 0);
  run_end (&a);
}

GST_END_TEST;

/* ---- scenarios ---- */

static const Sim distant = { 100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (60), 1 };
static const Sim overtaken = { 100.0, 40.0, SIM_EXPONENTIAL, 200.0, TODAY, 0, 1, SIM_OVERTAKING };

/* A jump is over in the rows that it takes to believe it, and no row is placed far from its arrival. */
#define JUMP(ms) {&usual, "run:30 shift:" ms " near:100<60 run:30<0.3 anew=1 converged=2"}
/* One row with a wrong time. */
#define GLITCH(ms) {&usual, "run:30 shift:" ms " arrival:1 shift:0 run:1<0.2 outliers=1 jumps=0 sure=1 converged=1"}

/* Words: run:S runs for so many seconds, over the last one of which errors are less than <MS; rows:N runs for so many rows, each
 * of which has a smaller error than <MS; near:N, each of which is placed less than <MS before its arrival; arrival:N, each at its
 * arrival; off:MS expects an error of the next row that is within <MS of this. shift:MS sets the sensor's clock, delay:MS makes
 * the network slower from now on; miss:N loses rows; hold:S holds rows back for so long; restart:S lets the sensor count from 0
 * again, S seconds ago. NAME=N, NAME<N and NAME>N are numbers of the estimate, or of events. */
static const struct
{
  const Sim *sim;
  const gchar *words;
} scenarios[] = {
  {&usual, "arrival:1 sure=0 uncertainty=-1 pairs=1"},
  {&usual, "run:4 converged=0 run:56 converged=1 anew=0 unsure=0"},
  /* less than a second back looks like delay, until ten seconds of it are no chance */
  {&usual, "run:30 shift:-150 run:11<1000 run:30 off:0<0.3 jumps=0 steps=1 sure=1 converged=2"},
  /* the network has become slower, for good: for five seconds it may pass */
  {&usual, "run:30 delay:50 run:5<0.3 run:35 off:50<0.3 jumps=0 steps=1 sure=1 converged=2"},
  {&distant, "run:30 delay:-50 run:20<1000 run:10 off:-50<0.3 jumps=0 steps>0 steps<10 sure=1"},
  /* congestion that passes */
  {&usual, "run:30 delay:200 run:8<0.3 delay:0 run:10 off:0<0.3 anew=0 sure=1 converged=1"},
  /* nothing for ten minutes: the estimate is as good as the skew is known */
  {&usual, "run:60 miss:60000 run:0.02<2 run:30 off:0<0.3 jumps=0 steps<10 sure=1"},
  JUMP ("86400000"), JUMP ("-86400000"), JUMP ("2000"), JUMP ("-2000"), JUMP ("150"), JUMP ("-1700000000000"),
  GLITCH ("86400000"), GLITCH ("-86400000"), GLITCH ("2000"),
  /* a microcontroller that starts again counts from 0, after a while */
  {&usual, "run:30 miss:300 restart:3 arrival:1 run:30<0.3 jumps=1"},
  /* rows that a stall held back come all at once: their delay is great, and their times are right */
  {&usual, "run:30 hold:5 rows:500<0.2 run:1<0.2 anew=0 outliers=0"},
  {&usual, "hold:2 run:10 run:20<0.2 jumps=0"},
  /* a tenth of a second late is not a jump */
  {&overtaken, "run:30 rows:3000<0.4 late>30 jumps=0"},
};

static void
expect_number (const Run *run, guint n_late, const gchar *name, gchar relation, gint64 wanted)
{
  const RobocacheClockEstimate e = estimate_of (run);
  const struct
  {
    const gchar *name;
    gint64 value;
  } numbers[] = {
    {"sure", e.converged}, {"uncertainty", e.uncertainty_ns}, {"pairs", (gint64) e.pairs}, {"outliers", (gint64) e.outliers},
    {"jumps", (gint64) e.jumps}, {"steps", (gint64) e.steps}, {"anew", (gint64) (e.jumps + e.steps)}, {"late", n_late},
    {"converged", run->events[ROBOCACHE_CLOCK_CONVERGED]}, {"unsure", run->events[ROBOCACHE_CLOCK_UNSURE]},
  };
  guint i = 0;

  while (i < G_N_ELEMENTS (numbers) && !g_str_equal (name, numbers[i].name))
    i++;
  fail_unless (i < G_N_ELEMENTS (numbers), "no number %s", name);
  fail_unless (relation == '=' ? numbers[i].value == wanted : relation == '<' ? numbers[i].value < wanted
      : numbers[i].value > wanted, "%s is %" G_GINT64_FORMAT, name, numbers[i].value);
}

/* Of a number of rows each, what the word says of it. Returns how many came more than 150 ms after their capture. */
static guint
follow_rows (Run *run, const gchar *word, guint n, gint64 limit)
{
  guint n_late = 0;

  for (guint i = 0; i < n; i++) {
    const gint64 error = step (run), early = run->row.arrival - run->out;

    fail_unless (*word == 'r' ? ABS (error) < limit : *word == 'n' ? early < limit : early == 0,
        "%s: row %u is off by %" G_GINT64_FORMAT " ns, %" G_GINT64_FORMAT " ns before it arrived", word, i, error, early);
    n_late += run->row.arrival - run->row.captured > MS (150);
  }
  return n_late;
}

/* NAME:VALUE[<LIMIT] */
static void
follow (Run *run, const gchar *word, guint *n_late)
{
  gchar *end, *name = g_strndup (word, strcspn (word, ":"));
  const gdouble value = g_ascii_strtod (word + strlen (name) + 1, &end);
  const gint64 limit = *end == '<' ? MS (g_ascii_strtod (end + 1, NULL)) : G_MAXINT64;

  if (g_str_equal (name, "run")) {
    const gint64 worst = run_for (run, value);

    fail_unless (worst < limit, "%s: %" G_GINT64_FORMAT " ns", word, worst);
  } else if (g_str_equal (name, "off")) {
    const gint64 error = step (run) - MS (value);

    fail_unless (ABS (error) < limit, "%s: %" G_GINT64_FORMAT " ns", word, error);
  } else if (g_str_equal (name, "shift")) {
    run->state.shift = MS (value);
  } else if (g_str_equal (name, "delay")) {
    run->state.extra_delay = MS (value);
  } else if (g_str_equal (name, "miss")) {
    run->state.n += (guint64) value;
  } else if (g_str_equal (name, "hold")) {
    run->state.last_arrival = run->row.captured + SECONDS (value);
  } else if (g_str_equal (name, "restart")) {
    run->state.shift = -run->row.sensor - SECONDS (value);
  } else {
    *n_late = follow_rows (run, word, (guint) value, limit);
  }
  g_free (name);
}

GST_START_TEST (a_scenario)
{
  Run run = run_begin (scenarios[__i__].sim);
  gchar **words = g_strsplit (scenarios[__i__].words, " ", -1);
  guint n_late = 0;

  for (gchar **word = words; *word; word++) {
    const gsize length = strcspn (*word, "=<>");

    if (strchr (*word, ':')) {
      follow (&run, *word, &n_late);
    } else {
      const gchar relation = (*word)[length];

      (*word)[length] = '\0';
      expect_number (&run, n_late, *word, relation, g_ascii_strtoll (*word + length + 1, NULL, 10));
    }
  }
  fail_unless_equals_uint64 (run.events[ROBOCACHE_CLOCK_JUMPED], estimate_of (&run).jumps);
  fail_unless_equals_uint64 (run.events[ROBOCACHE_CLOCK_STEPPED], estimate_of (&run).steps);
  run_end (&run);
  g_strfreev (words);
}

GST_END_TEST;

/* ---- sensors that misbehave ---- */

/* Rows that overtake each other keep their own times. */
GST_START_TEST (rows_out_of_order)
{
  Run run = run_begin (&usual);
  SimRow a, b;

  run_for (&run, 30.0);
  for (guint i = 0; i < 500; i++) {
    a = sim_next (&run.state);
    b = sim_next (&run.state);
    b.captured -= robocache_clock_track_add (run.track, b.sensor, b.arrival) - usual.least_delay;
    a.captured -= robocache_clock_track_add (run.track, a.sensor, b.arrival) - usual.least_delay;
    fail_unless (ABS (a.captured) <= MS (0.2) && ABS (b.captured) <= MS (0.2));
  }
  fail_unless_equals_uint64 (estimate_of (&run).jumps + estimate_of (&run).outliers, 0);
  run_end (&run);
}

GST_END_TEST;

/* Two rows with each sensor time, or a clock that stands still, which is no clock; nothing breaks. */
GST_START_TEST (equal_sensor_times)
{
  RobocacheClockTrack *track = robocache_clock_track_new ();
  RobocacheClockEstimate e;

  for (gint i = 0; i < 3000; i++) {
    const gint64 sensor = __i__ ? 42 : MS (10 * (i / 2)), arrival = __i__ ? MS (10 * i) : MS (10 * (i / 2) + 1 + i % 2);
    const gint64 t = robocache_clock_track_add (track, sensor, arrival);

    fail_unless (__i__ || ABS (t - MS (10 * (i / 2) + 1)) <= MS (1), "row %d is at %" G_GINT64_FORMAT, i, t);
  }
  robocache_clock_track_get (track, &e);
  fail_unless_equals_int (e.converged, !__i__);
  robocache_clock_track_free (track);
}

GST_END_TEST;

/* Whatever the sensor says, nothing breaks. */
GST_START_TEST (noise_for_a_clock)
{
  RobocacheClockTrack *track = robocache_clock_track_new ();
  RobocacheClockEstimate e;
  GRand *rand = g_rand_new_with_seed (__i__ + 1);

  for (gint i = 0; i < 20000; i++) {
    const gint64 sensor = (gint64) (((guint64) g_rand_int (rand) << 32) | g_rand_int (rand));

    robocache_clock_track_add (track, sensor >> (i % 50), MS (i));
  }
  robocache_clock_track_get (track, &e);
  fail_unless_equals_uint64 (e.pairs, 20000);
  fail_unless (e.outliers + 3 * e.jumps <= e.pairs && e.outliers + e.jumps > 0);
  robocache_clock_track_free (track);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (what_is_reported)
{
  GstStructure *s = gst_structure_new_empty ("stats");
  RobocacheClockEstimate e;
  guint64 pairs, none;
  gint64 offset, uncertainty;
  gdouble skew;
  gboolean converged;

  sim_error_after (&usual, 30.0, &e);
  robocache_clock_estimate_to_structure (&e, s);
  fail_unless (gst_structure_get (s, "clock-offset", G_TYPE_INT64, &offset, "clock-skew-ppm", G_TYPE_DOUBLE, &skew,
          "clock-uncertainty", G_TYPE_INT64, &uncertainty, "clock-converged", G_TYPE_BOOLEAN, &converged, "clock-pairs",
          G_TYPE_UINT64, &pairs, "clock-outliers", G_TYPE_UINT64, &none, NULL));
  /* the sensor is 200 ppm of 30 s ahead of where it began */
  fail_unless (ABS (offset + TODAY + MS (6) - MS (3)) <= MS (0.3), "%" G_GINT64_FORMAT, offset);
  fail_unless (fabs (skew - 200.0) < 10.0);
  fail_unless (uncertainty > 0 && uncertainty < MS (0.5));
  fail_unless (converged);
  fail_unless_equals_uint64 (pairs, 3000);
  fail_unless_equals_uint64 (none, 0);
  gst_structure_free (s);
}

GST_END_TEST;

/* Jitter of up to 1 ms. */
static const struct
{
  Sim sim;
  gdouble slew_ppm;
} slewed[] = {
  {{100.0, 1.0, SIM_UNIFORM, 200.0, TODAY, MS (1), 1}, 500.0},
  {{100.0, 1.0, SIM_UNIFORM, -200.0, TODAY, MS (1), 2}, 500.0},
  {{100.0, 0.1, SIM_UNIFORM, 200.0, TODAY, MS (1), 3}, 500.0},
  {{100.0, 1.0, SIM_UNIFORM, 50.0, TODAY, MS (1), 4}, 100.0},
  {{100.0, 1.0, SIM_UNIFORM, 200.0, TODAY, MS (1), 5}, 0.0},
  {{200.0, 1.0, SIM_UNIFORM, -200.0, TODAY, MS (1), 6}, 500.0},
  {{1000.0, 1.0, SIM_UNIFORM, 200.0, TODAY, MS (1), 7}, 500.0},
};

/* 99 % of rows lie within the uncertainty. */
GST_START_TEST (rows_lie_within_the_uncertainty_of_a_slewed_clock)
{
  SimBounds bounds = { 0 };

  for (guint i = 0; i < 8; i++) {
    Sim sim = slewed[__i__].sim;

    sim.seed += 100 * i;
    sim_follow_slews (&sim, slewed[__i__].slew_ppm, 120.0, &bounds);
  }
  fail_unless ((gdouble) bounds.n >= 0.9 * 8 * 110 * slewed[__i__].sim.rate, "only %" G_GUINT64_FORMAT " rows have an uncertainty", bounds.n);
  fail_unless (bounds.n_inside >= bounds.n * 99 / 100, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, bounds.n_inside, bounds.n);
}

GST_END_TEST;

static const struct
{
  gdouble rate, ms;
} small_steps[] = { {100.0, 5.0}, {100.0, -5.0}, {1000.0, 5.0}, {1000.0, -5.0} };

GST_START_TEST (a_small_step_is_reported_within_two_seconds)
{
  for (guint seed = 1; seed <= 20; seed++) {
    const Sim sim = { small_steps[__i__].rate, 1.0, SIM_UNIFORM, 200.0, TODAY, MS (1), seed };
    Run run = run_begin (&sim);

    run_for (&run, 40.0);
    fail_unless_equals_int (run.events[ROBOCACHE_CLOCK_STEPPED], 0);
    run.state.shift += MS (small_steps[__i__].ms);
    run_for (&run, 2.0);
    fail_unless (run.events[ROBOCACHE_CLOCK_STEPPED] > 0, "seed %u", seed);
    run_end (&run);
  }
}

GST_END_TEST;

CHECK_MAIN (clocktrack, NULL, NULL, EACH (estimates, an_estimate), EACH (slewed, rows_lie_within_the_uncertainty_of_a_slewed_clock),
    EACH (small_steps, a_small_step_is_reported_within_two_seconds), ONCE (a_constant_delay_is_not_seen),
    ONCE (the_least_delay_so_far),
    EACH (orders, times_stay_in_order_and_are_smooth), ONCE (rows_of_a_block), ONCE (the_same_pairs_make_the_same_times),
    ONCE (what_is_reported), EACH (scenarios, a_scenario), ONCE (rows_out_of_order), TIMES (2, equal_sensor_times),
    TIMES (4, noise_for_a_clock))

/* robocache: offset and skew of a sensor's clock, estimated from arrivals
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include "clocksim.h"

#define MS(ms) ((gint64) ((ms) * 1000000.0))
#define SECONDS(s) ((gint64) (s) * (gint64) GST_SECOND)
#define DAY SECONDS (86400)
/* Of a clock that counts from 1970. */
#define TODAY SECONDS (1700000000)
#define N_SEEDS 10

#define USUAL {100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1}

/* ---- how exact ---- */

/* 20 ms of one-sided jitter, 30 s. */
static const struct
{
  gdouble rate, jitter_ms;
  SimDelays delays;
  SimOrder order;
  gdouble skew_ppm;
} exact[] = {
  {100.0, 20.0, SIM_UNIFORM, SIM_IN_ORDER, 200.0},
  {100.0, 20.0, SIM_UNIFORM, SIM_IN_ORDER, -200.0},
  {100.0, 20.0, SIM_UNIFORM, SIM_IN_ORDER, 0.0},
  {100.0, 20.0, SIM_UNIFORM, SIM_OVERTAKING, 200.0},
  {100.0, 20.0, SIM_UNIFORM, SIM_BUNCHED, 200.0},
  {100.0, 20.0, SIM_EXPONENTIAL, SIM_OVERTAKING, 200.0},
  {100.0, 20.0, SIM_EXPONENTIAL, SIM_OVERTAKING, -200.0},
  {100.0, 20.0, SIM_EXPONENTIAL, SIM_BUNCHED, 200.0},
  {300.0, 20.0, SIM_UNIFORM, SIM_OVERTAKING, 200.0},
  {300.0, 20.0, SIM_EXPONENTIAL, SIM_OVERTAKING, -200.0},
  {300.0, 20.0, SIM_UNIFORM, SIM_BUNCHED, -200.0},
  {300.0, 20.0, SIM_EXPONENTIAL, SIM_BUNCHED, 200.0},
  {1000.0, 20.0, SIM_UNIFORM, SIM_OVERTAKING, -200.0},
  {1000.0, 20.0, SIM_EXPONENTIAL, SIM_OVERTAKING, 200.0},
  {1000.0, 20.0, SIM_UNIFORM, SIM_BUNCHED, 200.0},
  {1000.0, 20.0, SIM_EXPONENTIAL, SIM_BUNCHED, -200.0},
  /* exponential, of which 99 % are below 20 ms */
  {100.0, 4.3, SIM_EXPONENTIAL, SIM_IN_ORDER, 200.0},
  {30.0, 4.3, SIM_EXPONENTIAL, SIM_IN_ORDER, 200.0},
  {10.0, 4.3, SIM_EXPONENTIAL, SIM_IN_ORDER, 200.0},
  {10.0, 4.3, SIM_EXPONENTIAL, SIM_IN_ORDER, -200.0},
};

GST_START_TEST (within_a_fifth_of_a_millisecond_after_half_a_minute)
{
  for (guint32 seed = 1; seed <= N_SEEDS; seed++) {
    const Sim sim = { exact[__i__].rate, exact[__i__].jitter_ms, exact[__i__].delays, exact[__i__].skew_ppm, TODAY,
      MS (3), seed, exact[__i__].order };
    RobocacheClockEstimate e;
    const gint64 error = sim_error_after (&sim, 30.0, &e);

    fail_unless (ABS (error) <= MS (0.2), "seed %u: off by %" G_GINT64_FORMAT " ns", seed, error);
    fail_unless (e.converged, "seed %u: uncertainty %" G_GINT64_FORMAT " ns", seed, e.uncertainty_ns);
    fail_unless (fabs (e.skew_ppm - sim.skew_ppm) < 15.0, "seed %u: %g ppm", seed, e.skew_ppm);
    fail_unless_equals_uint64 (e.pairs, (guint64) (30.0 * sim.rate));
    fail_unless_equals_uint64 (e.outliers + e.jumps + e.steps, 0);
  }
}

GST_END_TEST;

/* 300 rows with 20 ms of jitter do not tell more. */
GST_START_TEST (ten_hertz_need_two_minutes)
{
  gdouble squares = 0.0;

  for (guint32 seed = 1; seed <= 2 * N_SEEDS; seed++) {
    const Sim sim = { 10.0, 20.0, __i__ == 0 ? SIM_UNIFORM : SIM_EXPONENTIAL, 200.0, TODAY, MS (3), seed };
    RobocacheClockEstimate e;
    const gdouble error = (gdouble) sim_error_after (&sim, 120.0, &e) / 1e6;

    fail_unless (e.converged);
    squares += error * error;
  }
  fail_unless (sqrt (squares / (2 * N_SEEDS)) < 0.1, "%g ms", sqrt (squares / (2 * N_SEEDS)));
}

GST_END_TEST;

static const gdouble honest_rates[] = { 10.0, 30.0, 100.0, 1000.0 };

/* Two standard deviations hold nineteen of twenty. */
GST_START_TEST (the_uncertainty_is_honest)
{
  guint inside = 0, n = 40;

  for (guint32 seed = 1; seed <= n; seed++) {
    const Sim sim = { honest_rates[__i__], 20.0, SIM_UNIFORM, 200.0, TODAY, 0, seed, SIM_OVERTAKING };
    RobocacheClockEstimate e;
    const gint64 error = sim_error_after (&sim, 15.0, &e);

    fail_unless (e.uncertainty_ns > 0);
    inside += ABS (error) <= e.uncertainty_ns;
  }
  fail_unless (inside >= n * 34 / 40, "%u of %u", inside, n);
}

GST_END_TEST;

static const struct
{
  Sim sim;
  gdouble seconds, max_error_ms, max_skew_error_ppm;
} estimates[] = {
  {{100.0, 20.0, SIM_UNIFORM, 10000.0, TODAY, 0, 7}, 60.0, 0.2, 5.0},   /* an oscillator without a crystal */
  {{100.0, 0.0, SIM_UNIFORM, 50.0, TODAY, MS (1), 7}, 30.0, 0.02, 0.1},
  {{20.0, 20.0, SIM_UNIFORM, 200.0, TODAY, 0, 3}, 1800.0, 0.2, 15.0},   /* after a night the numbers are as exact */
  {{100.0, 20.0, SIM_UNIFORM, 200.0, 0, 0, 3}, 30.0, 0.2, 15.0},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, -SECONDS (5), 0, 3}, 30.0, 0.2, 15.0},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, 0, 3}, 30.0, 0.2, 15.0},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, G_MAXINT64 - SECONDS (100), 0, 3}, 30.0, 0.2, 15.0},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, G_MININT64 + SECONDS (100), 0, 3}, 30.0, 0.2, 15.0},
};

GST_START_TEST (an_estimate)
{
  RobocacheClockEstimate e;
  const gint64 error = sim_error_after (&estimates[__i__].sim, estimates[__i__].seconds, &e);

  fail_unless (ABS (error) <= MS (estimates[__i__].max_error_ms), "%" G_GINT64_FORMAT, error);
  fail_unless (fabs (e.skew_ppm - estimates[__i__].sim.skew_ppm) < estimates[__i__].max_skew_error_ppm, "%g ppm", e.skew_ppm);
  fail_unless (e.converged);
  fail_unless_equals_uint64 (e.jumps + e.steps, 0);
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
  guint converged, jumped, shifted, unsure;     /* events */
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

static void
count_event (Run *run)
{
  switch (robocache_clock_track_take_event (run->track)) {
    case ROBOCACHE_CLOCK_NO_EVENT:
      break;
    case ROBOCACHE_CLOCK_CONVERGED:
      run->converged++;
      break;
    case ROBOCACHE_CLOCK_JUMPED:
      run->jumped++;
      break;
    case ROBOCACHE_CLOCK_STEPPED:
      run->shifted++;
      break;
    case ROBOCACHE_CLOCK_UNSURE:
      run->unsure++;
      break;
  }
}

/* Estimated less true time of capture, the constant delay aside. */
static gint64
step (Run *run)
{
  run->row = sim_next (&run->state);
  run->out = robocache_clock_track_add (run->track, run->row.sensor, run->row.arrival);
  count_event (run);
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

GST_START_TEST (the_first_row_is_at_its_arrival)
{
  const Sim sim = USUAL;
  Run run = run_begin (&sim);
  RobocacheClockEstimate e;

  step (&run);
  fail_unless_equals_int64 (run.out, run.row.arrival);
  e = estimate_of (&run);
  fail_if (e.converged);
  fail_unless_equals_int64 (e.uncertainty_ns, -1);
  fail_unless_equals_uint64 (e.pairs, 1);
  run_end (&run);
}

GST_END_TEST;

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

/* Later sensor times are later running times, with never less than a tenth of the time between them. */
GST_START_TEST (times_stay_in_order)
{
  const Sim *sim = &orders[__i__];
  Run run = run_begin (sim);
  gint64 before, sensor_before;

  step (&run);
  for (guint i = 0; i < (guint) (40.0 * sim->rate); i++) {
    before = run.out;
    sensor_before = run.row.sensor;
    step (&run);
    fail_unless (run.out - before >= (run.row.sensor - sensor_before) * 0.09, "row %u: %" G_GINT64_FORMAT " ns", i,
        run.out - before);
  }
  run_end (&run);
}

GST_END_TEST;

/* Once converged the rate of time is off by no more than the slew and the skew's error. */
GST_START_TEST (times_are_smooth)
{
  const Sim *sim = &orders[__i__];
  Run run = run_begin (sim);
  gint64 before, sensor_before;

  while (!estimate_of (&run).converged)
    step (&run);
  run_for (&run, 1.0);
  for (guint i = 0; i < (guint) (40.0 * sim->rate); i++) {
    gint64 spacing;

    before = run.out;
    sensor_before = run.row.sensor;
    step (&run);
    spacing = run.row.sensor - sensor_before;
    fail_unless (fabs ((gdouble) (run.out - before) - (gdouble) spacing * (1.0 - sim->skew_ppm * 1e-6))
        <= (gdouble) spacing * 1.1e-3 + 1.0, "row %u: %" G_GINT64_FORMAT " ns for %" G_GINT64_FORMAT, i,
        run.out - before, spacing);
  }
  fail_unless (estimate_of (&run).converged);
  run_end (&run);
}

GST_END_TEST;

/* Rows of a block have one arrival; each has the time that it would have alone. */
GST_START_TEST (rows_of_a_block)
{
  const Sim sim = USUAL;
  Run run = run_begin (&sim);
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
  const Sim sim = USUAL;
  Run a = run_begin (&sim), b = run_begin (&sim);

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

GST_START_TEST (it_says_once_that_it_has_converged)
{
  const Sim sim = USUAL;
  Run run = run_begin (&sim);

  run_for (&run, 4.0);
  fail_unless_equals_int (run.converged, 0);
  run_for (&run, 56.0);
  fail_unless_equals_int (run.converged, 1);
  fail_unless_equals_int (run.jumped + run.shifted + run.unsure, 0);
  run_end (&run);
}

GST_END_TEST;

/* ---- sensors that misbehave ---- */

/* After a while something changes; it lasts, and is over or stays. Errors in ms over the last second of each part. */
static const struct
{
  Sim sim;
  gdouble before_s;
  gint64 shift, extra_delay;
  guint64 n_missing;            /* rows */
  gdouble during_s, max_during_ms;
  gboolean is_over;
  gdouble after_s, max_after_ms;
  gint64 settles_at;            /* ns of delay that cannot be seen */
  guint64 min_steps, max_steps;
  guint converged;              /* messages */
} changes[] = {
  /* less than a second back looks like delay, until ten seconds of it are no chance */
  {USUAL, 30.0, -MS (150), 0, 0, 11.0, 1000.0, FALSE, 30.0, 0.3, 0, 1, 1, 2},
  /* the network has become slower, for good: for five seconds it may pass */
  {USUAL, 30.0, 0, MS (50), 0, 5.0, 0.3, FALSE, 35.0, 0.3, MS (50), 1, 1, 2},
  {{100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (60), 1}, 30.0, 0, -MS (50), 0, 20.0, 1000.0, FALSE, 10.0, 0.3, -MS (50), 1, 9, 0},
  /* congestion that passes */
  {USUAL, 30.0, 0, MS (200), 0, 8.0, 0.3, TRUE, 10.0, 0.3, 0, 0, 0, 1},
  /* nothing for ten minutes: the estimate is as good as the skew is known */
  {USUAL, 60.0, 0, 0, 60000, 0.02, 2.0, FALSE, 30.0, 0.3, 0, 0, 9, 0},
};

GST_START_TEST (a_change)
{
  Run run = run_begin (&changes[__i__].sim);
  gint64 error;

  run_for (&run, changes[__i__].before_s);
  run.state.shift = changes[__i__].shift;
  run.state.extra_delay = changes[__i__].extra_delay;
  run.state.n += changes[__i__].n_missing;
  fail_unless (run_for (&run, changes[__i__].during_s) <= MS (changes[__i__].max_during_ms));
  if (changes[__i__].is_over)
    run.state.extra_delay = 0;
  run_for (&run, changes[__i__].after_s);
  error = step (&run) - changes[__i__].settles_at;
  fail_unless (ABS (error) <= MS (changes[__i__].max_after_ms), "%" G_GINT64_FORMAT, error);
  fail_unless_equals_uint64 (estimate_of (&run).jumps, 0);
  fail_unless (estimate_of (&run).steps >= changes[__i__].min_steps && estimate_of (&run).steps <= changes[__i__].max_steps);
  fail_unless (estimate_of (&run).converged);
  fail_unless (changes[__i__].converged == 0 || run.converged == changes[__i__].converged);
  fail_unless_equals_uint64 (run.shifted, estimate_of (&run).steps);
  run_end (&run);
}

GST_END_TEST;

static const gint64 jumps[] = { DAY, -DAY, SECONDS (2), -SECONDS (2), MS (150), -TODAY };

/* All of them are over in the rows that it takes to believe it, and no row is placed far from its arrival. */
GST_START_TEST (the_clock_jumps)
{
  const Sim sim = USUAL;
  Run run = run_begin (&sim);

  run_for (&run, 30.0);
  run.state.shift += jumps[__i__];
  for (guint i = 0; i < 100; i++) {
    step (&run);
    fail_unless (run.row.arrival - run.out < MS (60), "row %u is placed %" G_GINT64_FORMAT " ns before it arrived", i,
        run.row.arrival - run.out);
  }
  fail_unless (run_for (&run, 30.0) <= MS (0.3));
  fail_unless_equals_uint64 (estimate_of (&run).jumps + estimate_of (&run).steps, 1);
  fail_unless_equals_int (run.jumped + run.shifted, 1);
  fail_unless_equals_int (run.converged, 2);
  run_end (&run);
}

GST_END_TEST;

/* A microcontroller that starts again counts from 0, after a while. */
GST_START_TEST (the_sensor_restarts)
{
  const Sim sim = USUAL;
  Run run = run_begin (&sim);

  run_for (&run, 30.0);
  run.state.n += 300;
  run.state.shift = -run.row.sensor - SECONDS (3);
  step (&run);
  fail_unless_equals_int64 (run.out, run.row.arrival);
  fail_unless (run_for (&run, 30.0) <= MS (0.3));
  fail_unless_equals_uint64 (estimate_of (&run).jumps, 1);
  run_end (&run);
}

GST_END_TEST;

static const gint64 glitches[] = { DAY, -DAY, SECONDS (2) };

GST_START_TEST (one_row_with_a_wrong_time)
{
  const Sim sim = USUAL;
  Run run = run_begin (&sim);

  run_for (&run, 30.0);
  run.state.shift = glitches[__i__];
  step (&run);
  fail_unless_equals_int64 (run.out, run.row.arrival);
  run.state.shift = 0;
  fail_unless (run_for (&run, 1.0) <= MS (0.2));
  fail_unless_equals_uint64 (estimate_of (&run).outliers, 1);
  fail_unless_equals_uint64 (estimate_of (&run).jumps, 0);
  fail_unless (estimate_of (&run).converged);
  fail_unless_equals_int (run.converged, 1);
  run_end (&run);
}

GST_END_TEST;

/* Rows that a stall held back come all at once: their delay is great, and their times are right. */
GST_START_TEST (a_stall)
{
  const Sim sim = USUAL;
  Run run = run_begin (&sim);
  gint64 end;

  run_for (&run, 30.0);
  end = run.row.captured + SECONDS (5);
  run.state.last_arrival = end;
  while (run.row.captured < end)
    fail_unless (ABS (step (&run)) <= MS (0.2));
  fail_unless (run_for (&run, 1.0) <= MS (0.2));
  fail_unless_equals_uint64 (estimate_of (&run).jumps + estimate_of (&run).steps + estimate_of (&run).outliers, 0);
  run_end (&run);
}

GST_END_TEST;

/* The first row was held back for two seconds. */
GST_START_TEST (a_stall_at_first)
{
  const Sim sim = USUAL;
  Run run = run_begin (&sim);

  run.state.last_arrival = SECONDS (2);
  run_for (&run, 10.0);
  fail_unless (run_for (&run, 20.0) <= MS (0.2));
  fail_unless_equals_uint64 (estimate_of (&run).jumps, 0);
  run_end (&run);
}

GST_END_TEST;

/* Rows that overtake each other keep their own times. */
GST_START_TEST (rows_out_of_order)
{
  const Sim sim = USUAL;
  Run run = run_begin (&sim);
  SimRow a, b;

  run_for (&run, 30.0);
  for (guint i = 0; i < 500; i++) {
    a = sim_next (&run.state);
    b = sim_next (&run.state);
    b.captured -= robocache_clock_track_add (run.track, b.sensor, b.arrival) - sim.least_delay;
    a.captured -= robocache_clock_track_add (run.track, a.sensor, b.arrival) - sim.least_delay;
    fail_unless (ABS (a.captured) <= MS (0.2) && ABS (b.captured) <= MS (0.2));
  }
  fail_unless_equals_uint64 (estimate_of (&run).jumps + estimate_of (&run).outliers, 0);
  run_end (&run);
}

GST_END_TEST;

/* A tenth of a second late is not a jump. */
GST_START_TEST (rows_that_are_long_overtaken)
{
  const Sim sim = { 100.0, 40.0, SIM_EXPONENTIAL, 200.0, TODAY, 0, 1, SIM_OVERTAKING };
  Run run = run_begin (&sim);
  guint late = 0;

  run_for (&run, 30.0);
  for (guint i = 0; i < 3000; i++) {
    fail_unless (ABS (step (&run)) <= MS (0.4));
    late += run.row.arrival - run.row.captured > MS (150);
  }
  fail_unless (late > 30);
  fail_unless_equals_uint64 (estimate_of (&run).jumps, 0);
  run_end (&run);
}

GST_END_TEST;

GST_START_TEST (equal_sensor_times)
{
  RobocacheClockTrack *track = robocache_clock_track_new ();
  RobocacheClockEstimate e;

  for (gint i = 0; i < 3000; i++) {
    const gint64 t = robocache_clock_track_add (track, MS (10 * (i / 2)), MS (10 * (i / 2) + 1 + i % 2));

    fail_unless (ABS (t - MS (10 * (i / 2) + 1)) <= MS (1));
  }
  robocache_clock_track_get (track, &e);
  fail_unless (e.converged);
  robocache_clock_track_free (track);
}

GST_END_TEST;

/* A clock that stands still is no clock; nothing breaks. */
GST_START_TEST (a_clock_that_stands_still)
{
  RobocacheClockTrack *track = robocache_clock_track_new ();
  RobocacheClockEstimate e;

  for (gint i = 0; i < 3000; i++)
    robocache_clock_track_add (track, 42, MS (10 * i));
  robocache_clock_track_get (track, &e);
  fail_if (e.converged);
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
  const Sim sim = USUAL;
  GstStructure *s = gst_structure_new_empty ("stats");
  RobocacheClockEstimate e;
  guint64 pairs, none;
  gint64 offset, uncertainty;
  gdouble skew;
  gboolean converged;

  sim_error_after (&sim, 30.0, &e);
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

static Suite *
clocktrack_suite (void)
{
  Suite *s = suite_create ("clocktrack");
  TCase *exactness = tcase_create ("how exact"), *out = tcase_create ("what comes out");
  TCase *faults = tcase_create ("sensors that misbehave");

  suite_add_tcase (s, exactness);
  tcase_add_loop_test (exactness, within_a_fifth_of_a_millisecond_after_half_a_minute, 0, G_N_ELEMENTS (exact));
  tcase_add_loop_test (exactness, ten_hertz_need_two_minutes, 0, 2);
  tcase_add_loop_test (exactness, the_uncertainty_is_honest, 0, G_N_ELEMENTS (honest_rates));
  tcase_add_loop_test (exactness, an_estimate, 0, G_N_ELEMENTS (estimates));
  tcase_add_test (exactness, a_constant_delay_is_not_seen);

  suite_add_tcase (s, out);
  tcase_add_test (out, the_first_row_is_at_its_arrival);
  tcase_add_test (out, the_least_delay_so_far);
  tcase_add_loop_test (out, times_stay_in_order, 0, G_N_ELEMENTS (orders));
  tcase_add_loop_test (out, times_are_smooth, 0, 3);
  tcase_add_test (out, rows_of_a_block);
  tcase_add_test (out, the_same_pairs_make_the_same_times);
  tcase_add_test (out, it_says_once_that_it_has_converged);
  tcase_add_test (out, what_is_reported);

  suite_add_tcase (s, faults);
  tcase_add_loop_test (faults, a_change, 0, G_N_ELEMENTS (changes));
  tcase_add_loop_test (faults, the_clock_jumps, 0, G_N_ELEMENTS (jumps));
  tcase_add_test (faults, the_sensor_restarts);
  tcase_add_loop_test (faults, one_row_with_a_wrong_time, 0, G_N_ELEMENTS (glitches));
  tcase_add_test (faults, a_stall);
  tcase_add_test (faults, a_stall_at_first);
  tcase_add_test (faults, rows_out_of_order);
  tcase_add_test (faults, rows_that_are_long_overtaken);
  tcase_add_test (faults, equal_sensor_times);
  tcase_add_test (faults, a_clock_that_stands_still);
  tcase_add_loop_test (faults, noise_for_a_clock, 0, 4);
  return s;
}

GST_CHECK_MAIN (clocktrack);

/* robocache: the exact grid of ticks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include "common/time/tickgrid.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define WEEK (7 * 24 * 3600)

static const struct
{
  gint num, den;
  gint64 k, time;
} ticks[] = {
  {100, 1, 0, 0},
  {100, 1, 1, 10000000},
  {50, 1, 7, 140000000},
  {1000, 3, 1, 3000000},
  {1000, 3, 1000, 3 * SECOND},
  {30, 1, 1, 33333333},         /* floor */
  {30, 1, 2, 66666666},
  {30, 1, 3, 100000000},
  {30000, 1001, 1, 33366666},
  {30000, 1001, 30000, 1001 * SECOND},
  {1, 60, 1, 60 * SECOND},
  {3, 1, 1, 333333333},
  {3, 1, 2, 666666666},
  {7, 1, 6, 857142857},
  {1000000000, 1, 12345, 12345},
  {2147483647, 1, 2147483647, SECOND},
  {2147483647, 1, 1, 0},
  {1, 1, G_MAXINT64, G_MAXINT64},       /* does not fit */
  {1, 2147483647, 1000, G_MAXINT64},
  {1000000000, 1, G_MAXINT64, G_MAXINT64},
};

GST_START_TEST (test_tick_time)
{
  const RobocacheTickGrid grid = { ticks[__i__].num, ticks[__i__].den };

  fail_unless_equals_int64 (robocache_tick_time (&grid, ticks[__i__].k), ticks[__i__].time);
}

GST_END_TEST;

/* Rates of robots, and awkward ones. */
static const RobocacheTickGrid grids[] = {
  {1, 1}, {10, 1}, {30, 1}, {30000, 1001}, {50, 1}, {60, 1}, {100, 1}, {125, 1}, {333, 1}, {500, 1}, {1000, 1}, {1000, 3},
  {1000, 7}, {8000, 1}, {1, 3}, {1, 60}, {999983, 1}, {1000000007, 3}, {2147483647, 1}, {2147483647, 2147483646},
};

/* floor (k den 10^9 / num) by another route: whole seconds first. */
static gint64
expected_time (const RobocacheTickGrid *grid, gint64 k)
{
  const __int128 seconds = (__int128) (k / grid->num) * grid->den;
  const __int128 t = seconds * SECOND + (__int128) (k % grid->num) * grid->den * SECOND / grid->num;

  return (gint64) MIN (t, (__int128) G_MAXINT64);
}

GST_START_TEST (test_no_drift)
{
  const RobocacheTickGrid *grid = &grids[__i__];

  for (gint64 k = 0; k < 1000; k++)
    fail_unless_equals_int64 (robocache_tick_time (grid, k), expected_time (grid, k));
  for (gint64 k = 1; k < G_MAXINT32; k = 3 * k + 1)
    fail_unless_equals_int64 (robocache_tick_time (grid, k), expected_time (grid, k));
}

GST_END_TEST;

/* The first tick at or after t is that: not before t, and the one before it is. */
GST_START_TEST (test_at_or_after)
{
  const RobocacheTickGrid *grid = &grids[__i__];
  GRand *rand = g_rand_new_with_seed (7);

  for (gint i = 0; i < 2000; i++) {
    const gint64 t = i < 100 ? i : (gint64) g_rand_int (rand) << (g_rand_int (rand) % 25);
    const gint64 k = robocache_tick_at_or_after (grid, t);

    fail_unless (k >= 0 && robocache_tick_time (grid, k) >= t);
    fail_unless (k == 0 || robocache_tick_time (grid, k - 1) < t);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* At the very time of a tick, and 1 ns to either side. */
GST_START_TEST (test_at_a_tick)
{
  const RobocacheTickGrid *grid = &grids[__i__];

  for (gint64 k = 1; k < 100000; k = 2 * k + 1) {
    const gint64 t = robocache_tick_time (grid, k);

    fail_unless (robocache_tick_time (grid, robocache_tick_at_or_after (grid, t)) == t);
    fail_unless (robocache_tick_time (grid, robocache_tick_at_or_after (grid, t + 1)) > t);
    fail_unless (robocache_tick_at_or_after (grid, t - 1) <= k);
  }
}

GST_END_TEST;

GST_START_TEST (test_period)
{
  const RobocacheTickGrid *grid = &grids[__i__];

  fail_unless_equals_int64 (robocache_tick_period (grid), expected_time (grid, 1));
}

GST_END_TEST;

static const gint64 before_zero[] = { 0, -1, -1000000000, G_MININT64 };

GST_START_TEST (test_no_tick_before_zero)
{
  const RobocacheTickGrid grid = { 100, 1 };

  fail_unless_equals_int64 (robocache_tick_at_or_after (&grid, before_zero[__i__]), 0);
}

GST_END_TEST;

/* A week at 1000/3 Hz: 201600000 steps of 3 ms, and the last tick is where it belongs. */
GST_START_TEST (test_a_week)
{
  const RobocacheTickGrid grid = { 1000, 3 };
  const gint64 n = (gint64) WEEK * 1000 / 3;
  gint64 before = -3000000;

  fail_unless_equals_int64 (robocache_tick_time (&grid, n), WEEK * SECOND);
  for (gint64 k = 0; k <= n; k++) {
    const gint64 t = robocache_tick_time (&grid, k);

    if (t - before != 3000000)
      fail ("tick %" G_GINT64_FORMAT " is at %" G_GINT64_FORMAT " after %" G_GINT64_FORMAT, k, t, before);
    before = t;
  }
  fail_unless_equals_int64 (before, WEEK * SECOND);
}

GST_END_TEST;

/* A week at 30000/1001 Hz: each spacing is one of two, and the last tick is exact. */
GST_START_TEST (test_a_week_of_video)
{
  const RobocacheTickGrid grid = { 30000, 1001 };
  const gint64 n = (gint64) WEEK * 30000 / 1001;
  gint64 before = robocache_tick_time (&grid, 0);

  for (gint64 k = 1; k <= n; k++) {
    const gint64 t = robocache_tick_time (&grid, k), step = t - before;

    if (step != 33366666 && step != 33366667)
      fail ("a step of %" G_GINT64_FORMAT " at tick %" G_GINT64_FORMAT, step, k);
    before = t;
  }
  fail_unless_equals_int64 (before, expected_time (&grid, n));
}

GST_END_TEST;

static Suite *
tickgrid_suite (void)
{
  Suite *s = suite_create ("tickgrid");
  TCase *tc = tcase_create ("grid");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_tick_time, 0, G_N_ELEMENTS (ticks));
  tcase_add_loop_test (tc, test_no_drift, 0, G_N_ELEMENTS (grids));
  tcase_add_loop_test (tc, test_at_or_after, 0, G_N_ELEMENTS (grids));
  tcase_add_loop_test (tc, test_at_a_tick, 0, G_N_ELEMENTS (grids));
  tcase_add_loop_test (tc, test_period, 0, G_N_ELEMENTS (grids));
  tcase_add_loop_test (tc, test_no_tick_before_zero, 0, G_N_ELEMENTS (before_zero));
  tcase_add_test (tc, test_a_week);
  tcase_add_test (tc, test_a_week_of_video);
  return s;
}

GST_CHECK_MAIN (tickgrid);

/* robocache: the exact grid of ticks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/time/tickgrid.h"
#include "tests/check/lib/checks.h"

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

/* Ticks do not drift. The first tick at or after a time is not before it, and the one before that is. */
GST_START_TEST (test_grid)
{
  const RobocacheTickGrid *grid = &grids[__i__];
  GRand *rand = g_rand_new_with_seed (7);

  for (gint64 k = 0; k < G_MAXINT32; k = k < 1000 ? k + 1 : 3 * k + 1)
    fail_unless_equals_int64 (robocache_tick_time (grid, k), expected_time (grid, k));
  fail_unless_equals_int64 (robocache_tick_period (grid), expected_time (grid, 1));
  for (gint i = 0; i < 2000; i++) {
    const gint64 t = i < 100 ? i : (gint64) g_rand_int (rand) << (g_rand_int (rand) % 25);
    const gint64 k = robocache_tick_at_or_after (grid, t);

    fail_unless (k >= 0 && robocache_tick_time (grid, k) >= t);
    fail_unless (k == 0 || robocache_tick_time (grid, k - 1) < t);
  }
  /* at a tick, and 1 ns to either side */
  for (gint64 k = 1; k < 100000; k = 2 * k + 1) {
    const gint64 t = robocache_tick_time (grid, k);

    fail_unless (robocache_tick_time (grid, robocache_tick_at_or_after (grid, t)) == t);
    fail_unless (robocache_tick_time (grid, robocache_tick_at_or_after (grid, t + 1)) > t);
    fail_unless (robocache_tick_at_or_after (grid, t - 1) <= k);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_no_tick_before_zero)
{
  static const gint64 times[] = { 0, -1, -1000000000, G_MININT64 };
  const RobocacheTickGrid grid = { 100, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    fail_unless_equals_int64 (robocache_tick_at_or_after (&grid, times[i]), 0);
}

GST_END_TEST;

/* Each spacing is one of two, and the last tick is where it belongs. */
static const struct
{
  RobocacheTickGrid grid;
  gint64 steps[2];
} weeks[] = {
  {{1000, 3}, {3000000, 3000000}},
  {{30000, 1001}, {33366666, 33366667}},
};

GST_START_TEST (test_a_week)
{
  const RobocacheTickGrid *grid = &weeks[__i__].grid;
  const gint64 *steps = weeks[__i__].steps, n = (gint64) WEEK * grid->num / grid->den;
  gint64 before = 0;

  fail_unless_equals_int64 (robocache_tick_time (grid, 0), 0);
  for (gint64 k = 1; k <= n; k++) {
    const gint64 t = robocache_tick_time (grid, k);

    if (t - before != steps[0] && t - before != steps[1])
      fail ("tick %" G_GINT64_FORMAT " is at %" G_GINT64_FORMAT " after %" G_GINT64_FORMAT, k, t, before);
    before = t;
  }
  fail_unless_equals_int64 (before, expected_time (grid, n));
}

GST_END_TEST;

CHECK_MAIN (tickgrid, NULL, NULL, EACH (ticks, test_tick_time), EACH (grids, test_grid), ONCE (test_no_tick_before_zero),
    EACH (weeks, test_a_week))

/* robocache: rows of a live sensor whose clock jumps
 *
 * Times are in ms; rows come every 10 ms unless a test says otherwise.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include "common/time/clockjump.h"

#define MS ((gint64) GST_MSECOND)
#define DAY (G_GINT64_CONSTANT (86400000))
#define PERIOD 10

#define PLACED ROBOCACHE_ROW_PLACED
#define OUTLIER ROBOCACHE_ROW_OUTLIER
#define AFTER_JUMP ROBOCACHE_ROW_AFTER_JUMP

static RobocacheClockJump jump;

static RobocacheRowPlace
place (gint64 now, gint64 time, gint64 *placed)
{
  RobocacheRowPlace result;
  gint64 t = time * MS;

  result = robocache_clock_jump_place (&jump, now * MS, 0, &t);
  *placed = t / MS;
  return result;
}

static void
expect (gint64 now, gint64 time, RobocacheRowPlace result, gint64 expected)
{
  gint64 placed;
  const RobocacheRowPlace got = place (now, time, &placed);

  fail_unless (got == result, "the row %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT ": %d, not %d", time, now, got, result);
  if (result != OUTLIER)
    fail_unless_equals_int64 (placed, expected);
}

/* Rows from now = first to last, off by ahead, of which each is placed at now - delay. */
static void
go_on (gint64 first, gint64 last, gint64 ahead, gint64 delay)
{
  for (gint64 now = first; now <= last; now += PERIOD)
    expect (now, now + ahead - delay, PLACED, now - delay);
}

/* The same, but all dropped until a second has passed; then a jump. */
static gint64
jump_to (gint64 first, gint64 ahead, gint64 delay)
{
  gint64 now;

  for (now = first; now < first + 1000; now += PERIOD)
    expect (now, now + ahead - delay, OUTLIER, 0);
  expect (now, now + ahead - delay, AFTER_JUMP, now - delay);
  return now + PERIOD;
}

static void
begin (void)
{
  robocache_clock_jump_init (&jump);
}

/* ---- courses ---- */

/* Rows every 10 ms from first to last, or every period, whose times are off by a multiple of a jump, less a delay of 3. */
typedef struct
{
  enum
  {
    END,
    STEADY,                     /* placed at now less the delay */
    WILD,                       /* outliers */
    JUMPS,                      /* outliers but for the last, which is after a jump */
    AS_THEY_ARE
  } kind;
  gint64 first, last;
  gint64 off;
  gint64 period;
} Rows;

static const struct
{
  Rows rows[6];
  guint64 n_jumps;
  gint64 shift;
} courses[] = {
  {{{STEADY, 0, 1000}}, 0, 0},
  {{{STEADY, 0, 1000}, {WILD, 1010, 1010, 1}, {STEADY, 1020, 2000}}, 0, 0},
  {{{WILD, 0, 0, 1}, {STEADY, 10, 1000}}, 0, 0},
  {{{STEADY, 0, 1000}, {JUMPS, 1010, 2010, 1}, {STEADY, 2020, 3020, 1}}, 1, -1},
  {{{STEADY, 0, 1000}, {JUMPS, 1010, 2010, 1}, {STEADY, 2020, 4000, 1}, {JUMPS, 4010, 5010, 3}, {STEADY, 5020, 6000, 3}}, 2, -3},
  /* a clock that is put right again: the times are what they are */
  {{{STEADY, 0, 1000}, {JUMPS, 1010, 2010, 1}, {STEADY, 2020, 4000, 1}, {JUMPS, 4010, 5010}, {STEADY, 5020, 6000}}, 2, 0},
  /* after silence a row is as far ahead as the clock is */
  {{{STEADY, 0, 1000}, {STEADY, 3600000, 3601000}}, 0, 0},
  /* a slow sensor: its second row is a second later */
  {{{STEADY, 0, 8000, 0, 2000}, {JUMPS, 10000, 12000, 2, 2000}, {STEADY, 14000, 20000, 2, 2000}}, 1, -2},
  /* off from the beginning: the first second is lost, and then the times are taken as they are */
  {{{WILD, 0, 990, 1}, {AS_THEY_ARE, 1000, 2000, 1}}, 0, 0},
};

static const gint64 days[] = { DAY, -DAY, 3600000, -3600000, 10500, -10500, 400 * DAY, -400 * DAY };

static void
follow (const Rows *rows, gint64 size)
{
  for (gint64 now = rows->first; now <= rows->last; now += rows->period ? rows->period : PERIOD) {
    const gint64 time = now + rows->off * size - 3;

    if (rows->kind == WILD || (rows->kind == JUMPS && now < rows->last))
      expect (now, time, OUTLIER, 0);
    else
      expect (now, time, rows->kind == JUMPS ? AFTER_JUMP : PLACED, rows->kind == AS_THEY_ARE ? time : now - 3);
  }
}

GST_START_TEST (test_course)
{
  const guint i = __i__ / G_N_ELEMENTS (days);
  const gint64 size = days[__i__ % G_N_ELEMENTS (days)];

  begin ();
  for (const Rows *rows = courses[i].rows; rows->kind != END; rows++)
    follow (rows, size);
  fail_unless_equals_uint64 (jump.n_jumps, courses[i].n_jumps);
  fail_unless_equals_int64 (jump.shift, courses[i].shift * size * MS);
}

GST_END_TEST;

/* Every other row wild, for long: the good ones go on. */
GST_START_TEST (test_many_outliers)
{
  begin ();
  for (gint64 now = 0; now < 5000; now += 2 * PERIOD) {
    expect (now, now - 3, PLACED, now - 3);
    expect (now + PERIOD, now + PERIOD + days[__i__], OUTLIER, 0);
  }
  fail_unless_equals_uint64 (jump.n_jumps, 0);
}

GST_END_TEST;

/* Delays are one-sided: the least ones before and after the jump are what agree. */
GST_START_TEST (test_jitter)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  RobocacheRowPlace result;
  gint64 now, placed;

  begin ();
  for (now = 0; now < 2000; now += PERIOD)
    fail_unless (place (now, now - 3 - (now % 70 ? g_rand_int_range (rand, 0, 20) : 0), &placed) == PLACED);
  do {
    const gint64 delay = 3 + (now % 70 ? g_rand_int_range (rand, 0, 20) : 0);

    result = place (now, now + DAY - delay, &placed);
    now += PERIOD;
  } while (result == OUTLIER);
  fail_unless (result == AFTER_JUMP);
  fail_unless_equals_int64 (jump.shift, -DAY * MS);
  g_rand_free (rand);
}

GST_END_TEST;

/* Rows that waited somewhere come all at once. */
GST_START_TEST (test_burst_after_a_stall)
{
  begin ();
  go_on (0, 1000, 0, 3);
  for (gint64 t = 1010; t <= 61000; t += PERIOD)
    expect (61010, t, PLACED, t);
  go_on (61020, 62000, 0, 3);
  fail_unless_equals_uint64 (jump.n_jumps, 0);
}

GST_END_TEST;

/* The newest rows come first, and then those that had waited, for longer than a second: they are too old, and no jump. */
GST_START_TEST (test_backlog_behind_new_rows)
{
  gint64 t = 1010;

  begin ();
  go_on (0, 1000, 0, 3);
  expect (61000, 60997, PLACED, 60997);
  for (gint64 now = 61001; now < 64000 && t < 50000; now++, t += PERIOD)
    expect (now, t, OUTLIER, 0);
  fail_unless_equals_uint64 (jump.n_jumps, 0);
}

GST_END_TEST;

/* A clock that stands still, and rows that run ahead of it, as in many a test. */
GST_START_TEST (test_standing_clock)
{
  begin ();
  for (gint64 t = 0; t < 100000; t += PERIOD)
    expect (0, t, PLACED, t);
}

GST_END_TEST;

/* Within the bound, disorder is disorder. */
GST_START_TEST (test_small_steps)
{
  begin ();
  go_on (0, 1000, 0, 3);
  expect (1010, 1010 + 9900, PLACED, 1010 + 9900);
  go_on (1020, 2000, 0, 3);
  expect (2010, 11000 - 9900, PLACED, 11000 - 9900);
}

GST_END_TEST;

GST_START_TEST (test_reorder_window_is_no_jump)
{
  gint64 t = 5000 * MS;

  begin ();
  go_on (0, 100000, 0, 3);
  fail_unless (robocache_clock_jump_place (&jump, 100010 * MS, 99000 * MS, &t) == PLACED);
  t = 500 * MS;
  fail_unless (robocache_clock_jump_place (&jump, 100010 * MS, 99000 * MS, &t) == OUTLIER);
}

GST_END_TEST;

GST_START_TEST (test_fits)
{
  begin ();
  go_on (0, 1000, 0, 3);
  fail_unless (robocache_clock_jump_fits (&jump, 1010 * MS, 0, 1005 * MS));
  fail_if (robocache_clock_jump_fits (&jump, 1010 * MS, 0, (1005 + DAY) * MS));
  fail_if (robocache_clock_jump_fits (&jump, 1010 * MS, 0, (1005 - DAY) * MS));
  jump_to (1010, DAY, 3);
  fail_unless (robocache_clock_jump_fits (&jump, 2020 * MS, 0, (2015 + DAY) * MS));
}

GST_END_TEST;

GST_START_TEST (test_restart)
{
  gint64 now;

  begin ();
  go_on (0, 1000, 0, 3);
  now = jump_to (1010, DAY, 3);
  robocache_clock_jump_restart (&jump);
  fail_unless_equals_int64 (jump.shift, 0);
  fail_unless_equals_uint64 (jump.n_jumps, 1);
  go_on (now, now + 100, 0, 3);
}

GST_END_TEST;

/* No time and no clock overflows anything. */
GST_START_TEST (test_extremes)
{
  static const gint64 extremes[] = { 0, 1, G_MAXINT64, G_MAXINT64 - 1, G_MAXINT64 / 2 };

  begin ();
  for (guint i = 0; i < G_N_ELEMENTS (extremes); i++) {
    for (guint k = 0; k < G_N_ELEMENTS (extremes); k++) {
      for (guint n = 0; n < 3; n++) {
        gint64 t = extremes[k];

        robocache_clock_jump_place (&jump, extremes[i], G_MAXINT64, &t);
        t = extremes[k];
        robocache_clock_jump_place (&jump, extremes[i], 0, &t);
      }
    }
  }
}

GST_END_TEST;

static Suite *
clockjump_suite (void)
{
  Suite *s = suite_create ("clockjump");
  TCase *tc = tcase_create ("clockjump");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_course, 0, G_N_ELEMENTS (courses) * G_N_ELEMENTS (days));
  tcase_add_loop_test (tc, test_many_outliers, 0, G_N_ELEMENTS (days));
  tcase_add_loop_test (tc, test_jitter, 0, 5);
  tcase_add_test (tc, test_burst_after_a_stall);
  tcase_add_test (tc, test_backlog_behind_new_rows);
  tcase_add_test (tc, test_standing_clock);
  tcase_add_test (tc, test_small_steps);
  tcase_add_test (tc, test_reorder_window_is_no_jump);
  tcase_add_test (tc, test_fits);
  tcase_add_test (tc, test_restart);
  tcase_add_test (tc, test_extremes);
  return s;
}

GST_CHECK_MAIN (clockjump);

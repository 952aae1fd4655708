/* robocache: rows of a live sensor whose clock jumps
 *
 * Times are in ms; rows come every 10 ms unless a test says otherwise.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/time/clockjump.h"
#include "tests/check/lib/checks.h"

#define MS ((gint64) GST_MSECOND)
#define DAY (G_GINT64_CONSTANT (86400000))
#define PERIOD 10

#define PLACED ROBOCACHE_ROW_PLACED
#define OUTLIER ROBOCACHE_ROW_OUTLIER
#define AFTER_JUMP ROBOCACHE_ROW_AFTER_JUMP

static RobocacheClockJump jump;

/* The time must be in ms. */
static RobocacheRowPlace
place (gint64 now, gint64 reorder_window, gint64 time, gint64 *placed)
{
  gint64 t = time * MS;
  const RobocacheRowPlace result = robocache_clock_jump_place (&jump, now * MS, reorder_window * MS, &t);

  *placed = t / MS;
  return result;
}

static void
setup (void)
{
  robocache_clock_jump_init (&jump);
}

/* ---- courses ---- */

/* Rows every 10 ms from first to last, or every period, whose times are ahead by a multiple of a jump, less a delay of 3. Or
 * rows with times every 10 ms from times[0] to times[1], the first of which arrives at first, each other a period later. */
typedef struct
{
  enum
  {
    END,
    STEADY,                     /* placed at now less the delay */
    WILD,                       /* outliers */
    EVERY_OTHER_WILD,
    JUMPS,                      /* outliers but for the last, which is after a jump */
    AS_THEY_ARE,
    FITS,                       /* would be placed */
    DOES_NOT_FIT,
    RESTART
  } kind;
  gint64 first, last;
  gint64 ahead;
  gint64 period;
  gint64 times[2];
  gint64 reorder_window;
} Rows;

static const struct
{
  Rows rows[7];
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
  {{{EVERY_OTHER_WILD, 0, 4990, 1}}, 0, 0},
  /* rows that waited somewhere come all at once */
  {{{STEADY, 0, 1000}, {AS_THEY_ARE, 61010, .times = {1010, 61000}}, {STEADY, 61020, 62000}}, 0, 0},
  /* the newest row comes first, and then those that had waited, for longer than a second: they are too old, and no jump */
  {{{STEADY, 0, 1000}, {STEADY, 61000, 61000}, {WILD, 61001, .period = 1, .times = {1010, 30990}}}, 0, 0},
  /* a clock that stands still, and rows that run ahead of it, as in many a test */
  {{{AS_THEY_ARE, 0, .times = {0, 99990}}}, 0, 0},
  /* within the bound, disorder is disorder */
  {{{STEADY, 0, 1000}, {AS_THEY_ARE, 1010, .times = {10910, 10910}}, {AS_THEY_ARE, 1020, .times = {10900, 12900}},
      {AS_THEY_ARE, 3040, .times = {4100, 4100}}}, 0, 0},
  {{{STEADY, 0, 2000}, {AS_THEY_ARE, 2010, .times = {1100, 1100}}}, 0, 0},
  {{{STEADY, 0, 1000}, {AS_THEY_ARE, 1010, .times = {10910, 10910}, .reorder_window = 10000},
      {STEADY, 1020, 5000,.reorder_window = 10000}}, 0, 0},
  /* but rows that were ahead, and are at the clock again */
  {{{STEADY, 0, 1000}, {AS_THEY_ARE, 1010, .times = {10910, 10910}}, {JUMPS, 1020, 2020}, {STEADY, 2030, 3000}}, 1, 0},
  {{{AS_THEY_ARE, 0,.period = 10, .times = {5000, 6000}}, {JUMPS, 1010, 2010}, {STEADY, 2020, 3000}}, 1, 0},
  {{{STEADY, 0, 100000}, {AS_THEY_ARE, 100010, .times = {5000, 5000}, .reorder_window = 99000},
      {WILD, 100010, .times = {500, 500}, .reorder_window = 99000}}, 0, 0},
  {{{STEADY, 0, 1000}, {FITS, 1010, 1010}, {DOES_NOT_FIT, 1010, 1010, 1}, {DOES_NOT_FIT, 1010, 1010, -1},
      {JUMPS, 1010, 2010, 1}, {FITS, 2020, 2020, 1}}, 1, -1},
  {{{STEADY, 0, 1000}, {JUMPS, 1010, 2010, 1}, {RESTART}, {STEADY, 2020, 2120}}, 1, 0},
};

static const gint64 days[] = { DAY, -DAY, 3600000, -3600000, 10500, -10500, 400 * DAY, -400 * DAY };

static void
expect_row (const Rows *rows, gint64 now, gint64 time, gboolean is_last)
{
  static const RobocacheRowPlace places[] = {
    [STEADY] = PLACED,[WILD] = OUTLIER,[EVERY_OTHER_WILD] = PLACED,[JUMPS] = AFTER_JUMP,[AS_THEY_ARE] = PLACED
  };
  const RobocacheRowPlace wanted = rows->kind == JUMPS && !is_last ? OUTLIER : places[rows->kind];
  gint64 placed;
  const RobocacheRowPlace got = place (now, rows->reorder_window, time, &placed);

  fail_unless (got == wanted, "the row %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT ": %d, not %d", time, now, got, wanted);
  if (wanted != OUTLIER)
    fail_unless_equals_int64 (placed, rows->kind == AS_THEY_ARE ? time : now - 3);
}

static void
follow (const Rows *rows, gint64 size)
{
  static const Rows wild = { WILD };
  const gint64 period = rows->period ? rows->period : PERIOD;

  if (rows->kind == RESTART) {
    robocache_clock_jump_restart (&jump);
    fail_unless_equals_int64 (jump.shift, 0);
    return;
  }
  for (gint64 t = rows->times[0], now = rows->first; rows->times[1] > 0 && t <= rows->times[1]; t += PERIOD, now += rows->period)
    expect_row (rows, now, t, FALSE);
  for (gint64 now = rows->first; rows->times[1] == 0 && now <= rows->last; now += period) {
    const gint64 time = now + rows->ahead * size - 3;

    if (rows->kind == FITS || rows->kind == DOES_NOT_FIT)
      fail_unless (robocache_clock_jump_fits (&jump, now * MS, 0, time * MS) == (rows->kind == FITS), "%d", rows->kind);
    else if (rows->kind == EVERY_OTHER_WILD && now / period % 2)
      expect_row (&wild, now, time, FALSE);
    else
      expect_row (rows, now, rows->kind == EVERY_OTHER_WILD ? now - 3 : time, now == rows->last);
  }
}

GST_START_TEST (test_course)
{
  const guint i = __i__ / G_N_ELEMENTS (days);
  const gint64 size = days[__i__ % G_N_ELEMENTS (days)];

  GST_INFO ("course %u, %" G_GINT64_FORMAT " ms", i, size);
  for (const Rows *rows = courses[i].rows; rows->kind != END; rows++)
    follow (rows, size);
  fail_unless (jump.n_jumps == courses[i].n_jumps, "course %u: %" G_GUINT64_FORMAT " jumps", i, jump.n_jumps);
  fail_unless (jump.shift == courses[i].shift * size * MS, "course %u: %" G_GINT64_FORMAT, i, jump.shift);
}

GST_END_TEST;

/* ---- running time that moves ---- */

static const gint64 moves[] = { 1500, -1500, 5000, -5000, 9990, -9990, 3600000, -3600000 };

/* Rows from now on that arrive that much after they should, as those of a sensor that has not followed; placed less the delay.
 * Returns the arrival of the one after the last. */
static gint64
expect_rows (gint64 now, gint64 duration, gint64 delay, gint64 late_by, RobocacheRowPlace wanted)
{
  for (const gint64 end = now + duration; now < end; now += PERIOD) {
    const gint64 time = now - delay - late_by;
    gint64 placed;
    const RobocacheRowPlace got = place (now, 0, time, &placed);

    fail_unless (got == wanted, "the row %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT ": %d, not %d", time, now, got, wanted);
    fail_unless (got == OUTLIER || placed == (got == AFTER_JUMP || jump.shift != 0 ? now - delay : time));
  }
  return now;
}

static gint64
move (gint64 now, gint64 moved)
{
  if (moved < 0)
    robocache_clock_jump_follow (&jump, moved * MS);
  robocache_clock_jump_expect (&jump, (now + moved) * MS, moved * MS);
  return now + moved;
}

static const struct
{
  gint64 delay, on_their_way;
} delays[] = { {3, 0}, {3, 300}, {3, 990}, {2000, 2500}, {9000, 9500} };

/* Rows that were on their way are where those of a sensor are that does not follow. */
GST_START_TEST (test_follows)
{
  const gint64 moved = moves[__i__ % G_N_ELEMENTS (moves)], delay = delays[__i__ / G_N_ELEMENTS (moves)].delay;
  gint64 now = expect_rows (4000000, 2000, delay, 0, PLACED);

  now = expect_rows (move (now, moved), delays[__i__ / G_N_ELEMENTS (moves)].on_their_way, delay, moved,
      moved < 0 ? OUTLIER : PLACED);
  now = expect_rows (now, 3000, delay, 0, PLACED);
  fail_unless (jump.n_jumps == 0 && jump.shift == 0 && jump.moved == 0);
}

GST_END_TEST;

GST_START_TEST (test_does_not_follow)
{
  const gint64 moved = moves[__i__];
  gint64 now = expect_rows (4000000, 2000, 3, 0, PLACED);

  now = expect_rows (move (now, moved), 1010, 3, moved, moved < 0 ? OUTLIER : PLACED);
  now = expect_rows (now, PERIOD, 3, moved, AFTER_JUMP);
  now = expect_rows (now, 3000, 3, moved, PLACED);
  fail_unless (jump.n_jumps == 1 && jump.shift == moved * MS && jump.size == -moved * MS);

  now = move (now, -moved);
  for (gint64 i = 0; i < 1010; i += PERIOD, now += PERIOD) {
    gint64 placed;

    fail_unless (place (now, 0, now - 3, &placed) == (moved > 0 ? OUTLIER : PLACED));
  }
  now = expect_rows (now, PERIOD, 3, 0, AFTER_JUMP);
  expect_rows (now, 3000, 3, 0, PLACED);
  fail_unless (jump.n_jumps == 2 && jump.shift == 0);
}

GST_END_TEST;

/* There and back before the sensor's rows say whether it follows. */
GST_START_TEST (test_moves_back_at_once)
{
  gint64 now = expect_rows (4000000, 2000, 3, 0, PLACED);

  now = expect_rows (move (now, moves[__i__]), 500, 3, moves[__i__], moves[__i__] < 0 ? OUTLIER : PLACED);
  expect_rows (move (now, -moves[__i__]), 3000, 3, 0, PLACED);
  fail_unless (jump.n_jumps == 0 && jump.shift == 0);
}

GST_END_TEST;

/* Delays are one-sided: the least ones before and after the jump are what agree. */
GST_START_TEST (test_jitter)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  RobocacheRowPlace result;
  gint64 now, placed;

  for (now = 0; now < 2000; now += PERIOD)
    fail_unless (place (now, 0, now - 3 - (now % 70 ? g_rand_int_range (rand, 0, 20) : 0), &placed) == PLACED);
  do {
    const gint64 delay = 3 + (now % 70 ? g_rand_int_range (rand, 0, 20) : 0);

    result = place (now, 0, now + DAY - delay, &placed);
    now += PERIOD;
  } while (result == OUTLIER);
  fail_unless (result == AFTER_JUMP);
  fail_unless_equals_int64 (jump.shift, -DAY * MS);
  g_rand_free (rand);
}

GST_END_TEST;

/* No time and no clock overflows anything. */
GST_START_TEST (test_extremes)
{
  static const gint64 extremes[] = { 0, 1, G_MAXINT64, G_MAXINT64 - 1, G_MAXINT64 / 2 };

  for (guint i = 0; i < G_N_ELEMENTS (extremes); i++) {
    for (guint k = 0; k < G_N_ELEMENTS (extremes); k++) {
      for (guint n = 0; n < 3; n++) {
        gint64 t = extremes[k];

        robocache_clock_jump_place (&jump, extremes[i], G_MAXINT64, &t);
        t = extremes[k];
        robocache_clock_jump_place (&jump, extremes[i], 0, &t);
        robocache_clock_jump_expect (&jump, extremes[i], n > 0 ? extremes[k] : -extremes[k]);
      }
    }
  }
}

GST_END_TEST;

CHECK_MAIN (clockjump, setup, NULL, TIMES (G_N_ELEMENTS (courses) * G_N_ELEMENTS (days), test_course),
    TIMES (G_N_ELEMENTS (moves) * G_N_ELEMENTS (delays), test_follows), TIMES (G_N_ELEMENTS (moves), test_does_not_follow),
    TIMES (G_N_ELEMENTS (moves), test_moves_back_at_once), TIMES (5, test_jitter),
    ONCE (test_extremes))

/* robocache: searching times, at the edges
 *
 * What brackets mean is tested by align.c, through the rows that they make.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <sys/mman.h>

#include "kernels/interpolation.h"
#include "tests/check/lib/checks.h"

/* Every list of up to 9 times that rise by 0 or 1, against counting. */
GST_START_TEST (test_bounds_of_every_short_list)
{
  gint64 times[9];

  for (gint n = 0; n <= 9; n++) {
    for (gint steps = 0; steps < 1 << MAX (0, n - 1); steps++) {
      for (gint i = 0; i < n; i++)
        times[i] = i == 0 ? 0 : times[i - 1] + (steps >> (i - 1) & 1);
      for (gint64 t = -1; t <= 10; t++) {
        gint64 before = 0, up_to = 0;

        for (gint i = 0; i < n; i++) {
          before += times[i] < t;
          up_to += times[i] <= t;
        }
        fail_unless (rc_lower_bound (times, n, t) == before, "%d times, steps %x, at %d", n, steps, (gint) t);
        fail_unless (rc_upper_bound (times, n, t) == up_to, "%d times, steps %x, at %d", n, steps, (gint) t);
      }
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_bounds_at_the_ends_of_int64)
{
  static const gint64 times[] = { G_MININT64, G_MININT64, 0, G_MAXINT64, G_MAXINT64 };

  fail_unless_equals_int64 (rc_lower_bound (times, 5, G_MININT64), 0);
  fail_unless_equals_int64 (rc_upper_bound (times, 5, G_MININT64), 2);
  fail_unless_equals_int64 (rc_lower_bound (times, 5, G_MAXINT64), 3);
  fail_unless_equals_int64 (rc_upper_bound (times, 5, G_MAXINT64), 5);
  fail_unless_equals_int64 (rc_lower_bound (NULL, 0, 0), 0);
}

GST_END_TEST;

/* Beside each row, against looking at all. */
static void
check_equal (const gint64 *times, gint64 n)
{
  for (gint64 i = 0; i < n; i++) {
    gint64 before = -1, equal = i;

    for (gint64 k = 0; k < n; k++) {
      before = times[k] < times[i] ? k : before;
      equal = times[k] == times[i] ? k : equal;
    }
    fail_unless (rc_last_before (times, i) == before && rc_last_equal (times, n, i) == equal, "row %" G_GINT64_FORMAT " of %"
        G_GINT64_FORMAT, i, n);
  }
  fail_unless (rc_last_equal (times, n, n) == n);
}

/* From every guess, those far outside too, and the last row until a time. */
static void
check_guesses (const gint64 *times, gint64 n, gint64 t)
{
  const gint64 first = rc_lower_bound (times, n, t);

  for (gint64 guess = -3; guess <= n + 3; guess++) {
    const gint64 found = rc_lower_bound_near (times, n, guess, t);

    fail_unless (found == first, "%" G_GINT64_FORMAT " times, at %" G_GINT64_FORMAT ", from %" G_GINT64_FORMAT ": %"
        G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, n, t, guess, found, first);
  }
  fail_unless (rc_lower_bound_near (times, n, -1000 * n, t) == first && rc_lower_bound_near (times, n, 1000 * n, t) == first,
      "%" G_GINT64_FORMAT " times, at %" G_GINT64_FORMAT ", from afar", n, t);
  fail_unless (rc_last_until (times, n, first, t) == rc_upper_bound (times, n, t) - 1, "%" G_GINT64_FORMAT " times, at %"
      G_GINT64_FORMAT, n, t);
}

/* Lists of up to 100 times, with runs of equal ones and holes. */
GST_START_TEST (test_bounds_from_every_guess)
{
  GRand *rand = g_rand_new_with_seed (1);
  gint64 times[100];

  for (gint64 n = 0; n <= 100; n += n < 20 ? 1 : 20) {
    for (gint64 i = 0; i < n; i++)
      times[i] = i == 0 ? 0 : times[i - 1] + g_rand_int_range (rand, 0, 6) / 2 + (i % 17 == 0 ? 30 : 0);
    for (gint64 t = -2; t <= (n > 0 ? times[n - 1] : 0) + 2; t++)
      check_guesses (times, n, t);
    check_equal (times, n);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_guesses_at_the_ends_of_int64)
{
  gint64 times[40];

  for (gint64 i = 0; i < 40; i++)
    times[i] = i < 10 ? G_MININT64 : i < 20 ? i : G_MAXINT64;
  check_guesses (times, 40, G_MININT64);
  check_guesses (times, 40, G_MININT64 + 1);
  check_guesses (times, 40, 15);
  check_guesses (times, 40, G_MAXINT64);
  check_equal (times, 40);
}

GST_END_TEST;

GST_START_TEST (test_span_of_the_whole_range)
{
  fail_unless (rc_span (G_MININT64, G_MAXINT64) == G_MAXUINT64);
  fail_unless (rc_span (-5, 7) == 12);
  fail_unless (rc_within (G_MAXUINT64, -1));
  fail_unless (!rc_within (G_MAXUINT64, G_MAXINT64));
  fail_unless (rc_within (7, 7) && !rc_within (8, 7));
  fail_unless_equals_int64 (rc_mean_start (100, 7), 97);
  fail_unless_equals_int64 (rc_mean_end (100, 7), 104);
  fail_unless_equals_int64 (rc_mean_end (100, 8) - rc_mean_start (100, 8), 8);
  fail_unless_equals_int64 (rc_mean_start (G_MININT64 + 1, 100), G_MININT64);
  fail_unless_equals_int64 (rc_mean_end (G_MININT64 + 1, 100), G_MININT64 + 51);
  fail_unless_equals_int64 (rc_mean_end (G_MAXINT64 - 1, 100), G_MAXINT64);
}

GST_END_TEST;

/* The weights of three rows and the row itself add up: a constant stays one, a line stays one. */
GST_START_TEST (test_cubic_weights)
{
  static const gint64 times[] = { 0, 13, 20, 71 };
  const RcSearch search = { RC_CUBIC, -1, 0, 0 };

  for (gint64 t = 14; t < 20; t++) {
    const RcBracket b = rc_bracket_find (&search, times, 4, t);
    const gdouble line = b.c[0] * (20 - 13) + b.c[1] * (0 - 13) + b.c[2] * (71 - 13);

    fail_unless (b.blend == RC_BLEND_CUBIC && b.row == 1 && b.next == 2 && b.before == 0 && b.after == 3);
    fail_unless (fabs (line - (gdouble) (t - 13)) < 1e-13, "%g", line);
  }
}

GST_END_TEST;

/* A neighbour across a gap has no weight, and its index stays inside. */
GST_START_TEST (test_cubic_beside_gaps)
{
  static const gint64 times[] = { 0, 50, 60, 110 };
  const RcSearch search = { RC_CUBIC, 20, 0, 0 };
  const RcBracket b = rc_bracket_find (&search, times, 4, 55);

  fail_unless (b.before == b.row && b.after == b.row);
  fail_unless (b.c[0] == 0.5 && b.c[1] == 0 && b.c[2] == 0);
}

GST_END_TEST;

/* Rows of one time, with two before and two after: memory that is not written takes none. Whoever walked over them for each
 * tick would not come to an end in time. */
#define ROWS (G_GINT64_CONSTANT (1) << 30)
#define LAST (ROWS - 3)         /* row of that time */

static const struct
{
  RcInterpolation interpolation;
  gint64 tick;
  RcBlend blend;
  gint64 row, next, before, after;
} among_equal[] = {
  {RC_PREVIOUS, 0, RC_BLEND_COPY, LAST, LAST, LAST, LAST},
  {RC_PREVIOUS, 3, RC_BLEND_COPY, LAST, LAST, LAST, LAST},
  {RC_LINEAR, 0, RC_BLEND_COPY, LAST, LAST, LAST, LAST},
  {RC_NEAREST, -1, RC_BLEND_COPY, LAST, LAST, LAST, LAST},
  {RC_LINEAR, -5, RC_BLEND_LINEAR, 1, LAST, 1, 1},
  {RC_LINEAR, 5, RC_BLEND_LINEAR, LAST, LAST + 1, LAST, LAST},
  {RC_CUBIC, -15, RC_BLEND_CUBIC, 0, 1, 0, LAST},
  {RC_CUBIC, 5, RC_BLEND_CUBIC, LAST, LAST + 1, 1, LAST + 2},
  {RC_MEAN, 0, RC_BLEND_MEAN, 2, LAST + 1, 2, 2},
};

GST_START_TEST (test_many_equal_times)
{
  const RcSearch search = { among_equal[__i__].interpolation, -1, 0, 10 };
  const gint64 tick = among_equal[__i__].tick;
  const gsize size = ROWS * sizeof (gint64);
  gint64 *times = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  fail_unless (times != MAP_FAILED);
  times[0] = -20;
  times[1] = -10;
  times[LAST + 1] = 10;
  times[LAST + 2] = 20;
  for (guint i = 0; i < 1000; i++) {
    const RcBracket b = rc_bracket_find (&search, times, ROWS, tick);

    fail_unless (b.blend == (gint) among_equal[__i__].blend && b.row == among_equal[__i__].row
        && b.next == among_equal[__i__].next && b.before == among_equal[__i__].before && b.after == among_equal[__i__].after,
        "blend %d, rows %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT, b.blend, b.row,
        b.next, b.before, b.after);
  }
  munmap (times, size);
}

GST_END_TEST;

CHECK_MAIN (bracket, NULL, NULL, ONCE (test_bounds_of_every_short_list), ONCE (test_bounds_at_the_ends_of_int64),
    ONCE (test_bounds_from_every_guess), ONCE (test_guesses_at_the_ends_of_int64), ONCE (test_span_of_the_whole_range),
    ONCE (test_cubic_weights), ONCE (test_cubic_beside_gaps), EACH (among_equal, test_many_equal_times))

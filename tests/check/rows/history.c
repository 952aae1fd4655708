/* robocache: the recent rows of one stream, and their alignment to ticks
 *
 * Times here are small numbers of ns: only their order and differences matter.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "common/rows/history.h"

#define NONE ROBOCACHE_NO_TIME

static const RcSearch linear = { RC_LINEAR, 200, 200, 10 };
static const RcSearch unlimited = { RC_LINEAR, -1, -1, 10 };

/* Rows hold the number of their arrival. */
static gint32 arrivals;

static void
begin (RobocacheHistory *history, gint64 reorder_window)
{
  arrivals = 0;
  robocache_history_init (history, sizeof (gint32), NULL);
  history->reorder_window = reorder_window;
}

static void
add (RobocacheHistory *history, gint64 time)
{
  robocache_history_insert (history, time, &arrivals);
  arrivals++;
}

static gint32
row (const RobocacheHistory *history, gint64 i)
{
  gint32 value;

  memcpy (&value, robocache_history_row (history, i), sizeof (value));
  return value;
}

static void
assert_counts (const RobocacheHistory *h, guint64 in, guint64 used, guint64 late, guint64 duplicate, guint64 superseded,
    guint64 dropped)
{
  fail_unless_equals_uint64 (h->counts.in, in);
  fail_unless_equals_uint64 (h->counts.used, used);
  fail_unless_equals_uint64 (h->counts.late, late);
  fail_unless_equals_uint64 (h->counts.duplicate, duplicate);
  fail_unless_equals_uint64 (h->counts.superseded, superseded);
  fail_unless_equals_uint64 (robocache_row_counts_dropped (&h->counts), dropped);
  fail_unless_equals_uint64 (in, used + late + duplicate + superseded + dropped + h->n);
}

/* ---- rows in ---- */

/* Arrivals, the reorder window, and what is kept: times and which arrival each is. As `accept` of the reference. */
static const struct
{
  gint64 window;
  gint64 arrivals[8];           /* up to NONE */
  gint64 times[8];
  gint32 rows[8];
  guint64 late, duplicate;
} orders[] = {
  {0, {10, 20, 30, NONE}, {10, 20, 30, NONE}, {0, 1, 2}, 0, 0},
  {0, {10, 30, 20, 40, NONE}, {10, 30, 40, NONE}, {0, 1, 3}, 1, 0},
  {10, {10, 30, 20, 40, NONE}, {10, 20, 30, 40, NONE}, {0, 2, 1, 3}, 0, 0},
  {9, {10, 30, 20, 40, NONE}, {10, 30, 40, NONE}, {0, 1, 3}, 1, 0},
  {0, {10, 10, 10, NONE}, {10, NONE}, {2}, 0, 2},
  {100, {30, 10, 20, 10, 30, NONE}, {10, 20, 30, NONE}, {3, 2, 4}, 0, 2},
  {100, {30, 20, 10, 0, -10, NONE}, {-10, 0, 10, 20, 30, NONE}, {4, 3, 2, 1, 0}, 0, 0},
  {0, {G_MAXINT64, NONE}, {G_MAXINT64, NONE}, {0}, 0, 0},
  {G_MAXINT64, {5, -5, 0, NONE}, {-5, 0, 5, NONE}, {1, 2, 0}, 0, 0},
  {0, {G_MININT64 + 1, G_MAXINT64, NONE}, {G_MININT64 + 1, G_MAXINT64, NONE}, {0, 1}, 0, 0},
};

GST_START_TEST (test_order)
{
  RobocacheHistory history;
  guint n = 0;

  begin (&history, orders[__i__].window);
  for (; orders[__i__].arrivals[n] != NONE; n++)
    add (&history, orders[__i__].arrivals[n]);
  fail_unless_equals_uint64 (history.counts.late, orders[__i__].late);
  fail_unless_equals_uint64 (history.counts.duplicate, orders[__i__].duplicate);
  fail_unless_equals_uint64 (history.counts.in, n);
  for (n = 0; orders[__i__].times[n] != NONE; n++) {
    fail_unless_equals_int64 (history.times[history.first + n], orders[__i__].times[n]);
    fail_unless_equals_int (row (&history, n), orders[__i__].rows[n]);
  }
  fail_unless_equals_uint64 (history.n, n);
  fail_unless_equals_int64 (robocache_history_first_time (&history), orders[__i__].times[0]);
  fail_unless_equals_int64 (robocache_history_last_time (&history), orders[__i__].times[n - 1]);
  robocache_history_clear (&history);
}

GST_END_TEST;

/* Random arrivals against a plain list. */
GST_START_TEST (test_random_order)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  const gint64 window = g_rand_int_range (rand, 0, 50);
  gint64 kept[2000], newest = G_MININT64;
  RobocacheHistory history;
  gsize n = 0;

  begin (&history, window);
  for (gint i = 0; i < 2000; i++) {
    const gint64 t = 3 * i + g_rand_int_range (rand, -40, 40);
    gsize at = 0;

    add (&history, t);
    if (newest != G_MININT64 && t < newest - window)
      continue;
    newest = MAX (newest, t);
    while (at < n && kept[at] < t)
      at++;
    if (at < n && kept[at] == t)
      continue;
    memmove (kept + at + 1, kept + at, (n - at) * sizeof (gint64));
    kept[at] = t;
    n++;
  }
  fail_unless_equals_uint64 (history.n, n);
  fail_unless (memcmp (history.times + history.first, kept, n * sizeof (gint64)) == 0);
  fail_unless_equals_uint64 (history.counts.in, 2000);
  fail_unless_equals_uint64 (history.counts.late + history.counts.duplicate + n, 2000);
  robocache_history_clear (&history);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_bound)
{
  RobocacheHistory history;

  begin (&history, 1000);
  history.max_rows = 3;
  for (gint64 t = 10; t <= 50; t += 10)
    add (&history, t);
  assert_counts (&history, 5, 0, 0, 0, 0, 2);
  fail_unless_equals_int64 (robocache_history_first_time (&history), 30);
  add (&history, 20);           /* older than all that are kept */
  assert_counts (&history, 6, 0, 0, 0, 0, 3);
  add (&history, 45);           /* pushes 30 out */
  fail_unless_equals_int64 (robocache_history_first_time (&history), 40);
  add (&history, 45);           /* needs no room */
  assert_counts (&history, 8, 0, 0, 1, 0, 4);
  robocache_history_clear (&history);
}

GST_END_TEST;

GST_START_TEST (test_rows_without_a_time)
{
  RobocacheHistory history;

  begin (&history, 0);
  robocache_history_count_dropped (&history, ROBOCACHE_DROPPED_NO_TIME, NONE, 7);
  assert_counts (&history, 7, 0, 0, 0, 0, 7);
  robocache_history_clear (&history);
}

GST_END_TEST;

/* ---- what rows refer to ---- */

static guint alive;

static void
let_go (gpointer row_data)
{
  fail_unless (*(gint32 *) row_data >= 0);
  alive--;
}

static void
add_counted (RobocacheHistory *history, gint64 time)
{
  alive++;
  add (history, time);
}

/* Every row is let go once, whatever its fate. */
GST_START_TEST (test_rows_are_let_go_once)
{
  RobocacheHistory history;
  GRand *rand = g_rand_new_with_seed (3);

  arrivals = 0;
  alive = 0;
  robocache_history_init (&history, sizeof (gint32), let_go);
  history.reorder_window = 20;
  history.max_rows = 30;
  for (gint i = 0; i < 5000; i++) {
    RobocacheAlignment alignment;

    add_counted (&history, 5 * i + g_rand_int_range (rand, -40, 40));
    if (i % 7 == 0) {
      robocache_history_align (&history, &linear, 5 * i, &alignment);
      robocache_history_prune (&history, &linear, 5 * i + 1);
    }
    if (i % 1998 == 0)
      robocache_history_discard (&history, ROBOCACHE_DROPPED_FLUSH);
    else if (i % 999 == 0)
      robocache_history_reset (&history);
    fail_unless_equals_uint64 (alive, history.n);
    fail_unless_equals_uint64 (history.counts.in, history.counts.used + history.counts.late + history.counts.duplicate
        + history.counts.superseded + robocache_row_counts_dropped (&history.counts) + history.n);
  }
  robocache_history_clear (&history);
  fail_unless_equals_int (alive, 0);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (test_memory_is_bounded)
{
  RobocacheHistory history;
  gsize capacity = 0;

  begin (&history, 0);
  for (gint64 i = 0; i < 1000000; i++) {
    RobocacheAlignment alignment;

    add (&history, 10 * i);
    robocache_history_align (&history, &linear, 10 * i, &alignment);
    robocache_history_prune (&history, &linear, 10 * i + 10);
    if (i == 1000)
      capacity = history.capacity;
  }
  fail_unless_equals_uint64 (history.capacity, capacity);
  robocache_history_clear (&history);
}

GST_END_TEST;

/* ---- when a tick is decided ---- */

/* Rows at 0, 10, 20; is the row at a tick decided as soon as it can be, and is it settled? */
static const struct
{
  RcInterpolation interpolation;
  gint64 tick;
  gboolean ready, settled;
} decisions[] = {
  {RC_LINEAR, 0, TRUE, TRUE},
  {RC_LINEAR, 5, TRUE, TRUE},
  {RC_LINEAR, 9, TRUE, TRUE},
  {RC_LINEAR, 10, TRUE, FALSE},         /* info tells of the row after it, which may be replaced */
  {RC_LINEAR, 15, TRUE, FALSE},         /* the row at 20 may be replaced by one with its time */
  {RC_LINEAR, 20, TRUE, FALSE},
  {RC_LINEAR, 21, FALSE, FALSE},
  {RC_NEAREST, 15, TRUE, FALSE},
  {RC_NEAREST, 21, FALSE, FALSE},
  {RC_PREVIOUS, 15, TRUE, FALSE},
  {RC_PREVIOUS, 20, TRUE, FALSE},
  {RC_PREVIOUS, 21, FALSE, FALSE},
  {RC_CUBIC, 5, TRUE, FALSE},
  {RC_CUBIC, 10, TRUE, FALSE},
  {RC_CUBIC, 15, FALSE, FALSE},
  {RC_MEAN, 5, TRUE, TRUE},             /* -1 … 11 */
  {RC_MEAN, 15, TRUE, FALSE},
  {RC_MEAN, 16, FALSE, FALSE},          /* to 21 */
  {RC_LINEAR, -5, TRUE, TRUE},
};

GST_START_TEST (test_ready)
{
  const RcSearch search = { decisions[__i__].interpolation, 200, 200, 10 };
  RobocacheHistory history;

  begin (&history, 0);
  fail_if (robocache_history_ready (&history, &search, decisions[__i__].tick, FALSE));
  for (gint64 t = 0; t <= 20; t += 10)
    add (&history, t);
  fail_unless_equals_int (robocache_history_ready (&history, &search, decisions[__i__].tick, FALSE), decisions[__i__].ready);
  fail_unless_equals_int (robocache_history_ready (&history, &search, decisions[__i__].tick, TRUE), decisions[__i__].settled);
  robocache_history_eos (&history);
  fail_unless (robocache_history_ready (&history, &search, decisions[__i__].tick, TRUE));
  robocache_history_clear (&history);
}

GST_END_TEST;

/* Once ready and settled, no row that may still come changes the row at the tick, nor what is told of it. */
GST_START_TEST (test_settled_is_final)
{
  GRand *rand = g_rand_new_with_seed (100 + __i__);
  const RcSearch search = { __i__ % 6, g_rand_int_range (rand, -1, 40), g_rand_int_range (rand, -1, 40), 16 };
  const gint64 window = g_rand_int_range (rand, 0, 25), tick = g_rand_int_range (rand, 100, 400);
  RobocacheAlignment once, again;
  RobocacheHistory history;
  gboolean settled = FALSE;
  gint64 first_row_time = 0;
  gint32 first_row = 0;

  begin (&history, window);
  for (gint i = 0; i < 200; i++) {
    const gint64 t = 4 * i + g_rand_int_range (rand, -20, 20);

    if (i % 20 == 19)
      robocache_history_gap (&history, t);
    else
      add (&history, t);
    if (!settled && robocache_history_ready (&history, &search, tick, TRUE)) {
      settled = TRUE;
      robocache_history_align (&history, &search, tick, &once);
      first_row_time = once.bracket.blend == RC_BLEND_NONE ? NONE : history.times[history.first + once.bracket.row];
      first_row = once.bracket.blend == RC_BLEND_NONE ? 0 : row (&history, once.bracket.row);
    } else if (settled) {
      robocache_history_align (&history, &search, tick, &again);
      fail_unless_equals_int (again.bracket.blend, once.bracket.blend);
      fail_unless_equals_int (again.bracket.status, once.bracket.status);
      fail_unless (again.bracket.w == once.bracket.w && memcmp (again.bracket.c, once.bracket.c, sizeof (once.bracket.c)) == 0);
      fail_unless_equals_int64 (again.before, once.before);
      fail_unless_equals_int64 (again.after, once.after);
      if (first_row_time != NONE) {
        fail_unless_equals_int64 (history.times[history.first + again.bracket.row], first_row_time);
        fail_unless_equals_int (row (&history, again.bracket.row), first_row);
      }
    }
  }
  fail_unless (settled);
  robocache_history_clear (&history);
  g_rand_free (rand);
}

GST_END_TEST;

/* A GAP of the stream decides ticks in it, unless the row after it may still be near enough to blend with. */
static const struct
{
  gint64 max_gap, gap_end;
  gboolean ready;               /* at 20, after a row at 10 */
} gaps[] = { {5, 25, TRUE}, {20, 25, FALSE}, {20, 30, FALSE}, {20, 31, TRUE}, {5, 20, FALSE}, {-1, 1000000, FALSE} };

GST_START_TEST (test_gap)
{
  const RcSearch search = { RC_LINEAR, gaps[__i__].max_gap, 200, 10 };
  RobocacheHistory history;

  begin (&history, 0);
  add (&history, 10);
  robocache_history_gap (&history, gaps[__i__].gap_end);
  fail_unless_equals_int (robocache_history_ready (&history, &search, 20, TRUE), gaps[__i__].ready);
  fail_unless_equals_int64 (robocache_history_frontier (&history), gaps[__i__].gap_end);
  robocache_history_clear (&history);
}

GST_END_TEST;

GST_START_TEST (test_gap_goes_only_forward)
{
  RobocacheHistory history;

  begin (&history, 0);
  robocache_history_gap (&history, 100);
  robocache_history_gap (&history, 50);
  fail_unless_equals_int64 (robocache_history_frontier (&history), 100);
  fail_unless (robocache_history_ready (&history, &unlimited, 99, TRUE));
  fail_if (robocache_history_ready (&history, &unlimited, 100, TRUE));
  add (&history, 99);
  assert_counts (&history, 1, 0, 1, 0, 0, 0);
  robocache_history_clear (&history);
}

GST_END_TEST;

/* ---- alignment ---- */

GST_START_TEST (test_align)
{
  RobocacheAlignment alignment;
  RobocacheHistory history;

  begin (&history, 0);
  add (&history, 10);
  add (&history, 20);
  robocache_history_align (&history, &linear, 15, &alignment);
  fail_unless_equals_int (alignment.bracket.blend, RC_BLEND_LINEAR);
  fail_unless_equals_int (alignment.bracket.row, 0);
  fail_unless_equals_int (alignment.bracket.next, 1);
  fail_unless (alignment.bracket.w == 0.5);
  fail_unless_equals_int64 (alignment.before, 10);
  fail_unless_equals_int64 (alignment.after, 20);
  robocache_history_align (&history, &linear, 20, &alignment);
  fail_unless_equals_int64 (alignment.before, 20);
  fail_unless_equals_int64 (alignment.after, NONE);
  robocache_history_align (&history, &linear, 5, &alignment);
  fail_unless_equals_int (alignment.bracket.status, RC_MISSING);
  fail_unless_equals_int64 (alignment.before, NONE);
  fail_unless_equals_int64 (alignment.after, 10);
  robocache_history_clear (&history);
}

GST_END_TEST;

GST_START_TEST (test_align_of_nothing)
{
  RobocacheAlignment alignment;
  RobocacheHistory history;

  begin (&history, 0);
  robocache_history_align (&history, &unlimited, 15, &alignment);
  fail_unless_equals_int (alignment.bracket.blend, RC_BLEND_NONE);
  fail_unless_equals_int (alignment.bracket.status, RC_MISSING);
  fail_unless_equals_int64 (alignment.before, NONE);
  fail_unless_equals_int64 (alignment.after, NONE);
  robocache_history_clear (&history);
}

GST_END_TEST;

/* ---- pruning and counting ---- */

GST_START_TEST (test_used_and_superseded)
{
  RobocacheAlignment alignment;
  RobocacheHistory history;

  begin (&history, 0);
  for (gint64 t = 0; t <= 100; t += 10)
    add (&history, t);
  robocache_history_align (&history, &linear, 45, &alignment);  /* uses 40 and 50 */
  robocache_history_prune (&history, &linear, 95);      /* keeps 80, 90 and 100 */
  assert_counts (&history, 11, 2, 0, 0, 6, 0);
  robocache_history_reset (&history);
  assert_counts (&history, 11, 2, 0, 0, 9, 0);
  robocache_history_clear (&history);
}

GST_END_TEST;

/* A row that arrives when its tick has left is late, unless a later tick uses it. */
GST_START_TEST (test_overdue)
{
  RobocacheAlignment alignment;
  RobocacheHistory history;

  begin (&history, 1000);
  add (&history, 0);
  add (&history, 60);
  robocache_history_align (&history, &linear, 50, &alignment);
  add (&history, 20);
  add (&history, 55);
  add (&history, 50);
  robocache_history_align (&history, &linear, 52, &alignment);  /* uses 50 and 55 */
  robocache_history_reset (&history);
  assert_counts (&history, 5, 4, 1, 0, 0, 0);
  robocache_history_clear (&history);
}

GST_END_TEST;

GST_START_TEST (test_flush)
{
  RobocacheHistory history;

  begin (&history, 0);
  add (&history, 100);
  add (&history, 110);
  robocache_history_eos (&history);
  robocache_history_discard (&history, ROBOCACHE_DROPPED_FLUSH);
  assert_counts (&history, 2, 0, 0, 0, 0, 2);
  fail_if (robocache_history_has_rows (&history));
  fail_unless_equals_int64 (robocache_history_frontier (&history), NONE);
  fail_if (robocache_history_ready (&history, &linear, 0, FALSE));
  add (&history, 5);            /* before what was: a new time */
  fail_unless_equals_int64 (robocache_history_first_time (&history), 5);
  robocache_history_clear (&history);
}

GST_END_TEST;

/* What later ticks need is not pruned: the result is that of a history that was never pruned. */
GST_START_TEST (test_pruning_changes_nothing)
{
  GRand *rand = g_rand_new_with_seed (500 + __i__);
  const RcSearch search = { __i__ % 6, g_rand_int_range (rand, -1, 60), g_rand_int_range (rand, -1, 60), 30 };
  RobocacheHistory pruned, whole;

  begin (&pruned, 12);
  begin (&whole, 12);
  for (gint i = 0; i < 400; i++) {
    const gint64 t = 8 * i + g_rand_int_range (rand, -15, 15) + (i > 200 ? 100 : 0), tick = 8 * i - 120;
    RobocacheAlignment a, b;

    robocache_history_insert (&pruned, t, &i);
    robocache_history_insert (&whole, t, &i);
    robocache_history_align (&pruned, &search, tick, &a);
    robocache_history_align (&whole, &search, tick, &b);
    fail_unless_equals_int (a.bracket.blend, b.bracket.blend);
    fail_unless_equals_int (a.bracket.status, b.bracket.status);
    fail_unless (a.bracket.w == b.bracket.w && memcmp (a.bracket.c, b.bracket.c, sizeof (a.bracket.c)) == 0);
    fail_unless (a.before == b.before && a.after == b.after);
    if (a.bracket.blend != RC_BLEND_NONE)
      fail_unless_equals_int (row (&pruned, a.bracket.row), row (&whole, b.bracket.row));
    robocache_history_prune (&pruned, &search, tick + 8);
  }
  fail_unless (pruned.n < 100);
  robocache_history_clear (&pruned);
  robocache_history_clear (&whole);
  g_rand_free (rand);
}

GST_END_TEST;

/* ---- questions ---- */

GST_START_TEST (test_questions)
{
  RobocacheHistory history;

  begin (&history, 0);
  fail_unless_equals_int64 (robocache_history_next_after (&history, 0), NONE);
  for (gint64 t = 10; t <= 30; t += 10)
    add (&history, t);
  fail_unless_equals_int64 (robocache_history_next_after (&history, NONE), 10);
  fail_unless_equals_int64 (robocache_history_next_after (&history, 9), 10);
  fail_unless_equals_int64 (robocache_history_next_after (&history, 10), 20);
  fail_unless_equals_int64 (robocache_history_next_after (&history, 30), NONE);
  fail_unless_equals_uint64 (robocache_history_rows_after (&history, NONE), 3);
  fail_unless_equals_uint64 (robocache_history_rows_after (&history, 10), 2);
  fail_unless_equals_uint64 (robocache_history_rows_after (&history, G_MAXINT64), 0);
  robocache_history_clear (&history);
}

GST_END_TEST;

GST_START_TEST (test_median_spacing)
{
  RobocacheHistory history;
  gint64 t = 0;

  begin (&history, 100);
  fail_unless_equals_int64 (robocache_history_median_spacing (&history), 0);
  add (&history, t);
  fail_unless_equals_int64 (robocache_history_median_spacing (&history), 0);
  for (gint i = 0; i < 100; i++)
    add (&history, t += i % 3 == 0 ? 50 : 10);
  fail_unless_equals_int64 (robocache_history_median_spacing (&history), 10);
  add (&history, t - 5);        /* out of order: no spacing */
  fail_unless_equals_uint64 (history.n_spacings, 100);
  for (gint i = 0; i < 33; i++) /* more than half of the last 64 */
    add (&history, t += 20);
  fail_unless_equals_int64 (robocache_history_median_spacing (&history), 20);
  robocache_history_clear (&history);
}

GST_END_TEST;

static const struct
{
  RcInterpolation interpolation;
  gint64 latency;               /* of rows each 10, ticks each 30 */
} latencies[] = { {RC_PREVIOUS, 0}, {RC_NEAREST, 10}, {RC_LINEAR, 10}, {RC_HERMITE, 10}, {RC_CUBIC, 20}, {RC_MEAN, 25} };

GST_START_TEST (test_latency)
{
  fail_unless_equals_int64 (robocache_interpolation_latency (latencies[__i__].interpolation, 10, 30),
      latencies[__i__].latency);
}

GST_END_TEST;

static Suite *
history_suite (void)
{
  Suite *s = suite_create ("history");
  TCase *tc = tcase_create ("history");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_order, 0, G_N_ELEMENTS (orders));
  tcase_add_loop_test (tc, test_random_order, 0, 10);
  tcase_add_test (tc, test_bound);
  tcase_add_test (tc, test_rows_without_a_time);
  tcase_add_test (tc, test_rows_are_let_go_once);
  tcase_add_test (tc, test_memory_is_bounded);
  tcase_add_loop_test (tc, test_ready, 0, G_N_ELEMENTS (decisions));
  tcase_add_loop_test (tc, test_settled_is_final, 0, 120);
  tcase_add_loop_test (tc, test_gap, 0, G_N_ELEMENTS (gaps));
  tcase_add_test (tc, test_gap_goes_only_forward);
  tcase_add_test (tc, test_align);
  tcase_add_test (tc, test_align_of_nothing);
  tcase_add_test (tc, test_used_and_superseded);
  tcase_add_test (tc, test_overdue);
  tcase_add_test (tc, test_flush);
  tcase_add_loop_test (tc, test_pruning_changes_nothing, 0, 30);
  tcase_add_test (tc, test_questions);
  tcase_add_test (tc, test_median_spacing);
  tcase_add_loop_test (tc, test_latency, 0, G_N_ELEMENTS (latencies));
  return s;
}

GST_CHECK_MAIN (history);

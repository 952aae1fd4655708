/* robocache: the recent rows of one stream, and their alignment to ticks
 *
 * Times here are small numbers of ns: only their order and differences matter.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "common/rows/history.h"
#include "tests/check/lib/checks.h"

#define NONE ROBOCACHE_NO_TIME

static const RcSearch linear = { RC_LINEAR, 200, 200, 10 };

/* Rows hold the number of their arrival. */
static gint32 arrivals;

static void
begin (RobocacheHistory *history, gint64 reorder_window)
{
  arrivals = 0;
  robocache_history_init (history, sizeof (gint32), NULL, NULL);
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

/* ---- rows in ---- */

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

/* ---- what rows refer to ---- */

static guint alive;

static void
release (gpointer row_data, gpointer data)
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

/* Every row is released once, whatever its fate. */
GST_START_TEST (test_rows_are_released_once)
{
  RobocacheHistory history;
  GRand *rand = g_rand_new_with_seed (3);

  arrivals = 0;
  alive = 0;
  robocache_history_init (&history, sizeof (gint32), release, NULL);
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

static void
expect_same (const RobocacheAlignment *a, const RobocacheAlignment *b)
{
  fail_unless_equals_int (a->bracket.blend, b->bracket.blend);
  fail_unless_equals_int (a->bracket.status, b->bracket.status);
  fail_unless (a->bracket.w == b->bracket.w && memcmp (a->bracket.c, b->bracket.c, sizeof (a->bracket.c)) == 0);
  fail_unless (a->before == b->before && a->after == b->after);
}

/* Of times with RC_GAP_AUTO: rows some 20 ms apart, whose gap is between its bounds. */
#define AUTO_UNIT (5 * (gint64) GST_MSECOND)

/* Once ready and settled, no row that may still come changes the row at the tick, nor what is told of it. */
GST_START_TEST (test_settled_is_final)
{
  GRand *rand = g_rand_new_with_seed (100 + __i__);
  const gint64 unit = __i__ % 3 == 0 ? AUTO_UNIT : 1, window = unit * g_rand_int_range (rand, 0, 25), tick = unit * g_rand_int_range (rand, 100, 400);
  const RcSearch search = { __i__ % 7, __i__ % 3 == 0 ? RC_GAP_AUTO : g_rand_int_range (rand, -1, 40), unit * g_rand_int_range (rand, 0, 40),
    16 * unit, 0, 4, 0, __i__ / 7 % 2
  };
  RobocacheAlignment once, again;
  RobocacheHistory history;
  gboolean settled = FALSE;
  gint64 first_row_time = 0;
  gint32 first_row = 0;

  begin (&history, window);
  for (gint i = 0; i < 200; i++) {
    const gint64 t = unit * (4 * i + g_rand_int_range (rand, -20, 20));

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
      expect_same (&again, &once);
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

/* ---- pruning and counting ---- */

/* What later ticks need is not pruned: the result is that of a history that was never pruned. */
GST_START_TEST (test_pruning_changes_nothing)
{
  GRand *rand = g_rand_new_with_seed (500 + __i__);
  const gint64 unit = __i__ % 3 == 0 ? AUTO_UNIT : 1;
  const RcSearch search = { __i__ % 7, __i__ % 3 == 0 ? RC_GAP_AUTO : g_rand_int_range (rand, -1, 60), unit * g_rand_int_range (rand, 0, 60),
    unit * (__i__ % 2 ? 30 : 2), 0, 3, 0, __i__ / 7 % 2
  };
  RobocacheHistory pruned, whole;

  begin (&pruned, 12 * unit);
  begin (&whole, 12 * unit);
  for (gint i = 0; i < 400; i++) {
    const gint64 t = unit * (8 * i + g_rand_int_range (rand, -15, 15) + (i > 200 ? 100 : 0)), tick = unit * (8 * i - 120);
    RobocacheAlignment a, b;

    robocache_history_insert (&pruned, t, &i);
    robocache_history_insert (&whole, t, &i);
    robocache_history_align (&pruned, &search, tick, &a);
    robocache_history_align (&whole, &search, tick, &b);
    expect_same (&a, &b);
    if (a.bracket.blend != RC_BLEND_NONE)
      fail_unless_equals_int (row (&pruned, a.bracket.row), row (&whole, b.bracket.row));
    if (a.bracket.blend != RC_BLEND_NONE)
      fail_unless_equals_int (row (&pruned, a.bracket.hold), row (&whole, b.bracket.hold));
    robocache_history_prune (&pruned, &search, tick + 8 * unit);
  }
  fail_unless (pruned.n < 100);
  robocache_history_clear (&pruned);
  robocache_history_clear (&whole);
  g_rand_free (rand);
}

GST_END_TEST;

/* ---- scenarios ---- */

/* Words: +T a row in; gap:T a GAP that ends there; eos; flush; reset; from:T discards rows from there on; untimed:N rows without
 * a time; at:T=B,A aligns a tick to the rows before and after it, - for none; keep:T prunes for ticks from there on; ready:T and
 * wait:T, settled:T and unsettled:T say whether a tick is decided; kept:T#I,… are all rows, and which arrival each is; next:T=U
 * is the first row after a time, after:T=N the number of rows after it; NAME=N is a number below. Nothing else is left at the
 * end. */
static const struct
{
  RcSearch search;
  gint64 window;
  gsize max_rows;
  const gchar *words;
} scenarios[] = {
  /* arrivals, the reorder window, and what is kept, as `accept` of the reference */
  {{RC_LINEAR, 200, 200, 10}, 0, 0, "+10 +20 +30 kept:10#0,20#1,30#2 in=3 late=0 duplicate=0"},
  {{RC_LINEAR, 200, 200, 10}, 0, 0, "+10 +30 +20 +40 kept:10#0,30#1,40#3 in=4 late=1 duplicate=0"},
  {{RC_LINEAR, 200, 200, 10}, 10, 0, "+10 +30 +20 +40 kept:10#0,20#2,30#1,40#3 in=4 late=0 duplicate=0"},
  {{RC_LINEAR, 200, 200, 10}, 9, 0, "+10 +30 +20 +40 kept:10#0,30#1,40#3 in=4 late=1 duplicate=0"},
  {{RC_LINEAR, 200, 200, 10}, 0, 0, "+10 +10 +10 kept:10#2 in=3 late=0 duplicate=2"},
  {{RC_LINEAR, 200, 200, 10}, 100, 0, "+30 +10 +20 +10 +30 kept:10#3,20#2,30#4 in=5 late=0 duplicate=2"},
  {{RC_LINEAR, 200, 200, 10}, 100, 0, "+30 +20 +10 +0 +-10 kept:-10#4,0#3,10#2,20#1,30#0 in=5 late=0 duplicate=0"},
  {{RC_LINEAR, 200, 200, 10}, 0, 0, "+9223372036854775807 kept:9223372036854775807#0 in=1 late=0 duplicate=0"},
  {{RC_LINEAR, 200, 200, 10}, G_MAXINT64, 0, "+5 +-5 +0 kept:-5#1,0#2,5#0 in=3 late=0 duplicate=0"},
  {{RC_LINEAR, 200, 200, 10}, 0, 0, "+-9223372036854775807 +9223372036854775807 "
      "kept:-9223372036854775807#0,9223372036854775807#1 in=2 late=0 duplicate=0"},
  /* when a tick is decided; info tells of the row after it, which one with the same time may replace */
  {{RC_LINEAR, 200, 200, 10}, 0, 0, "wait:-5 wait:0 wait:21 +0 +10 +20 settled:-5 settled:0 settled:5 settled:9 unsettled:10 "
      "unsettled:15 unsettled:20 unsettled:21 ready:-5 ready:0 ready:5 ready:9 ready:10 ready:15 ready:20 wait:21 eos settled:21"},
  {{RC_NEAREST, 200, 200, 10}, 0, 0, "wait:15 +0 +10 +20 ready:15 unsettled:15 wait:21 unsettled:21 eos settled:15 settled:21"},
  {{RC_PREVIOUS, 200, 200, 10}, 0, 0, "wait:15 +0 +10 +20 ready:15 unsettled:15 ready:20 unsettled:20 wait:21 unsettled:21 eos "
      "settled:15 settled:20 settled:21"},
  {{RC_CUBIC, 200, 200, 10}, 0, 0,
      "wait:5 +0 +10 +20 ready:5 unsettled:5 ready:10 unsettled:10 wait:15 unsettled:15 eos settled:5 "
      "settled:10 settled:15"},
  /* the mean of 5 is of -1 … 11, that of 16 ends at 21 */
  {{RC_MEAN, 200, 200, 10}, 0, 0, "wait:5 +0 +10 +20 ready:5 settled:5 ready:15 unsettled:15 wait:16 unsettled:16 eos settled:15 "
      "settled:16"},
  {{RC_LINEAR, 200, 200, 10}, 0, 0,
      "next:0=none +10 +20 +30 next:none=10 next:9=10 next:10=20 next:30=none after:none=3 after:10=2 "
      "after:9223372036854775807=0"},
  /* a full history drops its oldest row, or one that is older */
  {{RC_LINEAR, 200, 200, 10}, 1000, 3, "+10 +20 +30 +40 +50 in=5 dropped=2 lost=2 lost-time=10 first=30 +20 dropped=3 "
      "+45 first=40 +45 duplicate=1 dropped=4"},
  /* but a row that was used is not lost */
  {{RC_PREVIOUS, -1, -1, 10}, 0, 2, "+10 at:10=10,- +20 +30 lost=0 used=1 +40 lost=1 lost-time=20 dropped=1"},
  {{RC_LINEAR, 200, 200, 10}, 0, 0, "untimed:7 in=7 dropped=7 lost=7"},
  /* a GAP decides ticks before its end, unless the row after it may still be near enough */
  {{RC_LINEAR, 5, 200, 10}, 0, 0, "+10 unsettled:20 gap:20 unsettled:20 gap:25 settled:20 frontier=25"},
  {{RC_LINEAR, 20, 200, 10}, 0, 0, "+10 gap:25 unsettled:20 gap:30 unsettled:20 gap:31 settled:20"},
  {{RC_LINEAR, -1, 200, 10}, 0, 0, "+10 gap:1000000 unsettled:20 frontier=1000000"},
  /* GAPs only go forward; rows before their end are late */
  {{RC_LINEAR, -1, -1, 10}, 0, 0, "gap:100 gap:50 frontier=100 settled:99 unsettled:100 +99 late=1"},
  {{RC_LINEAR, 200, 200, 10}, 0, 0, "+10 +20 at:15=10,20 used=0 at:20=20,- at:5=-,10 status=2 at:15=10,20 status=0 blend=2"},
  {{RC_LINEAR, -1, -1, 10}, 0, 0, "at:15=-,- status=2 blend=0"},
  /* 45 uses 40 and 50; for 95 the last three rows stay */
  {{RC_LINEAR, 200, 200, 10}, 0, 0, "+0 +10 +20 +30 +40 +50 +60 +70 +80 +90 +100 at:45=40,50 keep:95 used=2 superseded=6 n=3 "
      "reset used=2 superseded=9 n=0"},
  /* a row that arrives when its tick has left is late, unless a later tick uses it */
  {{RC_LINEAR, 200, 200, 10}, 1000, 0, "+0 +60 at:50=0,60 +20 +55 +50 at:52=50,55 reset used=4 late=1"},
  /* the age of a tick is that of the row that it copies, if info tells of it */
  {{RC_NEAREST, 200, 200, 10}, 0, 0, "+0 +10 +20 at:4=0,10 copied=0 at:6=0,10 copied=10 at:10=10,20 copied=10"},
  {{RC_NEAREST, 200, 200, 10}, 0, 0, "+0 gap:8 +10 +20 at:4=0,- copied=0 at:6=0,- copied=0 status=0 at:16=10,20 copied=20"},
  /* after a flush time begins anew */
  {{RC_LINEAR, 200, 200, 10}, 0, 0, "+100 +110 eos ready:300 flush dropped=2 n=0 frontier=none wait:0 +5 first=5"},
  /* lateness: what the window lacked */
  {{RC_LINEAR, 200, 200, 10}, 20, 0, "+100 +80 lost=0 +65 lost=1 lost-time=65 lateness=15"},
  /* or the time since the tick, once no tick can use the row */
  {{RC_PREVIOUS, -1, -1, 10}, 0, 0,
      "+0 at:100=0,- +93 +98 lost=0 +110 at:110=110,- +120 +130 keep:130 lost=2 lost-time=93 lateness=7 "
      "late=2"},
  /* rows that were used or late stay so, whatever becomes of the others */
  {{RC_PREVIOUS, -1, -1, 10}, 0, 0, "+10 at:15=10,- +12 +20 flush used=1 late=1 dropped=1"},
  {{RC_PREVIOUS, -1, -1, 10}, 0, 0, "+10 +20 +30 +40 +50 at:35=30,40 from:25 n=2 last=20 used=1 dropped=2 from:100 n=2"},
  /* filters around a tick of 20 reach from 5 to 35: rows at both ends, and none further apart than max-gap */
  {{RC_LOWPASS, 12, 200, 2, 0, 2}, 0, 0, "+0 +6 +12 +18 +24 +30 wait:20 +36 unsettled:20 ready:20 +42 settled:20 "
      "at:20=18,24 status=0 blend=6 used=0 at:3=0,6 status=1 blend=2 at:40=36,42 status=1 blend=2 wait:30 eos settled:30"},
  {{RC_LOWPASS, 12, 200, 2, 0, 2}, 0, 0, "+0 +6 +12 +18 +24 +30 gap:36 wait:20 gap:43 settled:20 at:20=18,24 status=1 blend=2"},
  {{RC_LOWPASS, 12, 200, 2, 0, 2}, 0, 0, "+0 +6 +12 +26 +32 +38 +44 at:30=26,32 status=1 blend=2"},
  {{RC_LOWPASS, 12, 0, 2, 0, 2}, 0, 0, "+0 +6 +12 +26 +32 at:20=12,26 status=2 until:20=26"},
  /* runs of missing ticks end at the next row, at a GAP's end, or for a mean half a tick before the row */
  {{RC_LINEAR, 20, 0, 10}, 0, 0, "+0 +100 +101 at:10=0,100 status=2 until:10=100 until:50=100"},
  {{RC_LINEAR, 20, 0, 10}, 0, 0, "+0 gap:60 +100 at:30=0,- settled:30 until:30=60"},
  {{RC_MEAN, 20, 0, 10}, 0, 0, "+0 +100 +101 at:10=0,100 status=2 until:10=96 until:95=96"},
};

static gint64
number_of (const RobocacheHistory *h, const RobocacheLosses *losses, const RobocacheAlignment *alignment, const gchar *name)
{
  const struct
  {
    const gchar *name;
    gint64 value;
  } numbers[] = {
    {"in", (gint64) h->counts.in}, {"used", (gint64) h->counts.used}, {"late", (gint64) h->counts.late},
    {"duplicate", (gint64) h->counts.duplicate}, {"superseded", (gint64) h->counts.superseded},
    {"dropped", (gint64) robocache_row_counts_dropped (&h->counts)}, {"n", (gint64) h->n},
    {"first", robocache_history_first_time (h)}, {"last", robocache_history_last_time (h)},
    {"frontier", robocache_history_frontier (h)}, {"status", alignment->bracket.status}, {"blend", alignment->bracket.blend},
    {"copied", alignment->used},
    {"lost", (gint64) losses->pending.n}, {"lost-time", losses->pending.time}, {"lateness", losses->pending.lateness},
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    if (g_str_equal (numbers[i].name, name))
      return numbers[i].value;
  }
  ck_abort_msg ("no number %s", name);
  return 0;
}

static gint64
parse_time (const gchar *text)
{
  return *text == '-' || g_str_equal (text, "none") ? NONE : g_ascii_strtoll (text, NULL, 10);
}

/* "at:T=B,A", "until:T=U", "next:T=U" or "after:T=N" */
static void
expect_answer (RobocacheHistory *history, const RcSearch *search, gchar **parts, RobocacheAlignment *alignment)
{
  const gint64 t = parse_time (parts[0] + strcspn (parts[0], ":") + 1), wanted = parse_time (parts[1]);

  if (g_str_has_prefix (parts[0], "until:")) {
    fail_unless_equals_int64 (robocache_history_missing_until (history, search, t, TRUE), wanted);
  } else if (g_str_has_prefix (parts[0], "next:")) {
    fail_unless_equals_int64 (robocache_history_next_after (history, t), wanted);
  } else if (g_str_has_prefix (parts[0], "after:")) {
    fail_unless_equals_uint64 (robocache_history_rows_after (history, t), (guint64) wanted);
  } else {
    robocache_history_align (history, search, t, alignment);
    fail_unless_equals_int64 (alignment->before, wanted);
    fail_unless_equals_int64 (alignment->after, parse_time (strchr (parts[1], ',') + 1));
  }
}

/* All rows: TIME#ARRIVAL,… */
static void
expect_kept (const RobocacheHistory *history, const gchar *text)
{
  gchar **rows = g_strsplit (text, ",", -1);
  const guint n = g_strv_length (rows);

  fail_unless_equals_uint64 (history->n, n);
  for (guint i = 0; i < n; i++) {
    fail_unless_equals_int64 (history->times[history->first + i], g_ascii_strtoll (rows[i], NULL, 10));
    fail_unless_equals_int (row (history, i), atoi (strchr (rows[i], '#') + 1));
  }
  fail_unless_equals_int64 (robocache_history_first_time (history), g_ascii_strtoll (rows[0], NULL, 10));
  fail_unless_equals_int64 (robocache_history_last_time (history), g_ascii_strtoll (rows[n - 1], NULL, 10));
  g_strfreev (rows);
}

static void
follow (RobocacheHistory *history, const RcSearch *search, const gchar *word, gint64 t)
{
  if (*word == '+')
    add (history, g_ascii_strtoll (word + 1, NULL, 10));
  else if (g_str_equal (word, "eos"))
    robocache_history_eos (history);
  else if (g_str_equal (word, "reset"))
    robocache_history_reset (history);
  else if (g_str_equal (word, "flush"))
    robocache_history_discard (history, ROBOCACHE_DROPPED_FLUSH);
  else if (g_str_has_prefix (word, "kept:"))
    expect_kept (history, word + 5);
  else if (g_str_has_prefix (word, "gap:"))
    robocache_history_gap (history, t);
  else if (g_str_has_prefix (word, "from:"))
    robocache_history_discard_from (history, t, ROBOCACHE_DROPPED_CLOCK_JUMP);
  else if (g_str_has_prefix (word, "untimed:"))
    robocache_history_count_dropped (history, ROBOCACHE_DROPPED_NO_TIME, NONE, (guint64) t);
  else if (g_str_has_prefix (word, "keep:"))
    robocache_history_prune (history, search, t);
  else if (strstr (word, "settled:"))
    fail_unless (robocache_history_ready (history, search, t, TRUE) == (*word == 's'), "not %s", word);
  else
    fail_unless (robocache_history_ready (history, search, t, FALSE) == (*word == 'r'), "not %s", word);
}

GST_START_TEST (test_scenario)
{
  const RcSearch *search = &scenarios[__i__].search;
  gchar **words = g_strsplit (scenarios[__i__].words, " ", -1);
  RobocacheLosses *losses = g_new0 (RobocacheLosses, 1);
  RobocacheAlignment alignment;
  RobocacheHistory history;

  begin (&history, scenarios[__i__].window);
  history.max_rows = scenarios[__i__].max_rows;
  history.losses = losses;
  for (gchar **word = words; *word; word++) {
    gchar **parts = g_strsplit (*word, "=", 2);

    GST_INFO ("%s", *word);
    if (parts[1] && strchr (parts[0], ':'))
      expect_answer (&history, search, parts, &alignment);
    else if (parts[1])
      fail_unless (number_of (&history, losses, &alignment, parts[0]) == parse_time (parts[1]), "not %s", *word);
    else
      follow (&history, search, *word, g_ascii_strtoll (*word + strcspn (*word, ":") + (strchr (*word, ':') != NULL), NULL, 10));
    g_strfreev (parts);
  }
  fail_unless_equals_uint64 (history.counts.in, history.counts.used + history.counts.late + history.counts.duplicate
      + history.counts.superseded + robocache_row_counts_dropped (&history.counts) + history.n);
  robocache_history_clear (&history);
  g_free (losses);
  g_strfreev (words);
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

#define MS * (gint64) GST_MSECOND

/* Rows each `spacing`, n of them, of which every second is pruned; n_past rows were released before them. */
static const struct
{
  gint64 row_period, spacing, max_gap;
  guint n;
  gint64 expected;
  guint64 n_past;
} gaps[] = {
  {0, 10 MS, 7, 100, 7}, {0, 10 MS, -1, 100, -1}, {0, 10 MS, 0, 100, 0}, {10 MS, 1 MS, 5, 100, 5},
  {10 MS, 1 MS, RC_GAP_AUTO, 100, 80 MS}, {1 MS, 10 MS, RC_GAP_AUTO, 100, 20 MS}, {2500000, 0, RC_GAP_AUTO, 0, 20 MS},
  {33333333, 0, RC_GAP_AUTO, 0, 266666664}, {200 MS, 0, RC_GAP_AUTO, 0, 1000 MS}, {1000 MS, 0, RC_GAP_AUTO, 0, 2000 MS},
  {G_MAXINT64, 0, RC_GAP_AUTO, 0, G_MAXINT64}, {1, 0, RC_GAP_AUTO, 0, 20 MS},
  {0, 10 MS, RC_GAP_AUTO, 0, 200 MS}, {0, 10 MS, RC_GAP_AUTO, 8, 200 MS}, {0, 10 MS, RC_GAP_AUTO, 9, 80 MS}, {0, 10 MS, RC_GAP_AUTO, 200, 80 MS},
  {0, 1 MS, RC_GAP_AUTO, 200, 20 MS}, {0, 600 MS, RC_GAP_AUTO, 200, 1200 MS}, {0, 125 MS + 1, RC_GAP_AUTO, 70, 1000 MS},
  {0, 10 MS, RC_GAP_AUTO, 200, 80 MS, G_MAXUINT32 - 195},
};

GST_START_TEST (test_max_gap)
{
  const RcSearch search = { RC_LINEAR, gaps[__i__].max_gap, 0, 10 };
  RobocacheHistory history;

  begin (&history, 0);
  history.row_period = gaps[__i__].row_period;
  history.n_past = gaps[__i__].n_past;
  for (guint i = 0; i < gaps[__i__].n; i++) {
    add (&history, i * gaps[__i__].spacing);
    if (i % 2)
      robocache_history_prune (&history, &search, i * gaps[__i__].spacing);
  }
  fail_unless_equals_int64 (robocache_history_max_gap (&history, &search, G_MAXINT64), gaps[__i__].expected);
  robocache_history_clear (&history);
}

GST_END_TEST;

/* Of two periods, that of the rows until the tick counts: the 33rd of the slower ones changes it. */
GST_START_TEST (test_max_gap_follows_the_period)
{
  const RcSearch search = { RC_LINEAR, RC_GAP_AUTO, 0, 10 };
  RobocacheHistory history;

  begin (&history, 0);
  for (gint i = 0; i <= 100; i++)
    add (&history, i * 5 MS);
  for (gint i = 1; i <= 100; i++)
    add (&history, 500 MS + i * 30 MS);
  for (gint i = 1; i <= 64; i++)
    fail_unless_equals_int64 (robocache_history_max_gap (&history, &search, 500 MS + i * 30 MS), i < 32 ? 40 MS : 240 MS);
  robocache_history_clear (&history);
}

GST_END_TEST;

/* The history, which sorts spacings and knows of released rows, and the kernels, which count those of an array, agree. */
GST_START_TEST (test_max_gap_is_that_of_kernels)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  const RcSearch search = { __i__ % 7, RC_GAP_AUTO, 0, 40 MS, 0, 3 };
  gint64 times[400], t = 0, tick = 0;
  RobocacheHistory history;

  begin (&history, 0);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    t += g_rand_int_range (rand, 1000000, i % 100 < 50 ? 30000000 : 9000000);
    t += g_rand_int_range (rand, 0, 15) == 0 ? g_rand_int_range (rand, 0, 400) MS : 0;
    times[i] = t;
    add (&history, t);
  }
  for (; tick < t; tick += g_rand_int_range (rand, 1, 40000000)) {
    const RcBracket expected = rc_bracket_find (&search, times, G_N_ELEMENTS (times), tick);
    RobocacheAlignment alignment;

    robocache_history_align (&history, &search, tick, &alignment);
    fail_unless_equals_int (alignment.bracket.blend, expected.blend);
    fail_unless_equals_int (alignment.bracket.status, expected.status);
    fail_unless (rc_bracket_is_sum (&expected) || memcmp (alignment.bracket.c, expected.c, sizeof (expected.c)) == 0);
    robocache_history_prune (&history, &search, tick);
  }
  robocache_history_clear (&history);
  g_rand_free (rand);
}

GST_END_TEST;

/* Of five channels, the quaternion from the second one on; a mean of (1, 0, 0, 0) / 5. */
static const gfloat orientations[][5] = { {9, 1, 0, 0, 0}, {9, 0, 1, 0, 0}, {9, 0, -1, 0, 0}, {9, 0, 0, 1, 0}, {9, 0, 0, -1, 0} };

static gboolean can_read;

/* A row is the number of one of them. */
static gboolean
read_orientation (gconstpointer row_data, gsize offset, gsize bytes, gpointer to)
{
  memcpy (to, (const guint8 *) orientations[*(const gint32 *) row_data] + offset, bytes);
  return can_read;
}

static RcRowStatus
status_of_mean (RobocacheHistory *history, gint64 period)
{
  const RcSearch mean = { RC_MEAN, -1, -1, period };
  RobocacheAlignment alignment;

  robocache_history_align (history, &mean, 2, &alignment);
  fail_unless_equals_int (alignment.bracket.blend, RC_BLEND_MEAN);
  fail_unless_equals_int (rc_bracket_is_scattered (&alignment.bracket), alignment.bracket.status == RC_MISSING);
  return alignment.bracket.status;
}

/* Quaternions outside of a row are left out. Rows that cannot be read are an error of the plan that reads them. */
GST_START_TEST (test_scattered_quaternions_are_missing)
{
  static const gint32 channels[] = { -1, 2, 1 };
  const RobocacheRowQuaternions there = { RC_FLOAT32, 5, channels, G_N_ELEMENTS (channels), NULL };
  const RobocacheRowQuaternions elsewhere = { RC_FLOAT32, 5, channels, G_N_ELEMENTS (channels), read_orientation };
  RobocacheHistory rows, numbers;

  robocache_history_init (&rows, sizeof (orientations[0]), NULL, NULL);
  robocache_history_init (&numbers, sizeof (gint32), NULL, NULL);
  for (gint32 i = 0; i < (gint32) G_N_ELEMENTS (orientations); i++) {
    robocache_history_insert (&rows, i, orientations[i]);
    robocache_history_insert (&numbers, i, &i);
  }
  fail_unless_equals_int (status_of_mean (&rows, 10), RC_ALIGNED);
  robocache_history_set_quaternions (&rows, &there);
  fail_unless_equals_int (status_of_mean (&rows, 10), RC_MISSING);
  fail_unless_equals_int (status_of_mean (&rows, 2), RC_ALIGNED);
  robocache_history_set_quaternions (&numbers, &elsewhere);
  fail_unless_equals_int (status_of_mean (&numbers, 10), RC_ALIGNED);
  can_read = TRUE;
  fail_unless_equals_int (status_of_mean (&numbers, 10), RC_MISSING);
  robocache_history_clear (&rows);
  robocache_history_clear (&numbers);
}

GST_END_TEST;

/* Of rows each 10, ticks each 30. */
GST_START_TEST (test_latency)
{
  static const gint64 latencies[] = {[RC_PREVIOUS] = 0,[RC_NEAREST] = 10,[RC_LINEAR] = 10,[RC_HERMITE] = 10,[RC_CUBIC] = 20,
    [RC_MEAN] = 25,[RC_LOWPASS] = 150
  };
  RcSearch search = { RC_LINEAR, -1, -1, 0, 0, RC_DEFAULT_LOBES };

  for (guint i = 0; i < G_N_ELEMENTS (latencies); i++) {
    search.interpolation = i;
    fail_unless_equals_int64 (robocache_interpolation_latency (&search, 10, 30), latencies[i]);
  }
  /* rows slower than ticks; and a cutoff, which is in Hz */
  fail_unless_equals_int64 (robocache_interpolation_latency (&search, 50, 30), 250);
  search.cutoff_hz = 10;
  fail_unless_equals_int64 (robocache_interpolation_latency (&search, 50, 30), 200 * GST_MSECOND);
}

GST_END_TEST;

/* ---- holds ---- */

#define HELD(how, ...) {how, -1, -1, 30, 0, 4, 0, 1}, __VA_ARGS__

/* The rows that a tick takes of rows at 0, 10, 20, 30 and 40, and its bracket once they lie one after another. */
static const struct
{
  RcSearch search;
  gint64 tick;
  guint n;
  gint64 rows[4];               /* not of sums */
  gint64 row, next, hold;
} gathered[] = {
  {HELD (RC_LINEAR, 25, 2, {2, 3, 2, 2}, 0, 1, 0)},
  {HELD (RC_LINEAR, 20, 1, {2}, 0, 0, 0)},
  {HELD (RC_NEAREST, 22, 1, {2}, 0, 0, 0)},
  {HELD (RC_NEAREST, 28, 2, {3, 2}, 0, 0, 1)},
  {{RC_NEAREST, -1, -1, 30}, 28, 1, {3}, 0, 0, 0},
  {HELD (RC_PREVIOUS, 28, 1, {2}, 0, 0, 0)},
  {HELD (RC_CUBIC, 25, 4, {2, 3, 1, 4}, 0, 1, 0)},
  {HELD (RC_MEAN, 29, 3, {0}, 0, 3, 0)},        /* of 20, 30 and 40 */
  {HELD (RC_MEAN, 33, 3, {0}, 0, 3, 1)},
  {{RC_MEAN, -1, -1, 4, 0, 4, 0, 1}, 29, 2, {0}, 1, 2, 0},     /* of 30 */
  {{RC_MEAN, -1, -1, 4}, 29, 1, {0}, 0, 1, 0},
  {HELD (RC_LINEAR, 99, 1, {4}, 0, 0, 0)},
  {HELD (RC_LINEAR, -1, 0, {0}, 0, 0, 0)},
  {HELD (RC_MEAN, -1, 0, {0}, 0, 0, 0)},
};

GST_START_TEST (test_gathered_rows)
{
  RobocacheAlignment alignment;
  RobocacheHistory history;
  RcBracket bracket;
  gint64 rows[4];
  guint64 n;

  begin (&history, 0);
  for (gint i = 0; i < 5; i++)
    add (&history, 10 * i);
  robocache_history_eos (&history);
  robocache_history_align (&history, &gathered[__i__].search, gathered[__i__].tick, &alignment);
  n = robocache_bracket_rows (&alignment.bracket, rows);
  fail_unless_equals_uint64 (n, gathered[__i__].n);
  for (guint i = 0; i < n && !rc_bracket_is_sum (&alignment.bracket) && alignment.bracket.blend != RC_BLEND_NONE; i++)
    fail_unless_equals_int64 (rows[i], gathered[__i__].rows[i]);
  bracket = robocache_bracket_of_gathered (&alignment.bracket);
  if (n > 0) {
    fail_unless_equals_int64 (bracket.row, gathered[__i__].row);
    fail_unless_equals_int64 (bracket.next, gathered[__i__].next);
    fail_unless_equals_int64 (bracket.hold, gathered[__i__].hold);
  }
  robocache_history_clear (&history);
}

GST_END_TEST;

static const struct
{
  RcSearch search;
  gboolean has_holds, are_all;
  RcSearch fitted;
} fitted[] = {
  {{RC_LINEAR, 200, -2}, FALSE, FALSE, {RC_LINEAR, 200, 200 * ROBOCACHE_MSECOND}},
  {{RC_LINEAR, 200, 7}, FALSE, FALSE, {RC_LINEAR, 200, 7}},
  {{RC_CUBIC, 200, -2}, TRUE, FALSE, {RC_CUBIC, 200, 200 * ROBOCACHE_MSECOND, 0, 0, 0, 0, 1}},
  {{RC_MEAN, 200, -2}, TRUE, TRUE, {RC_PREVIOUS, -1, -1, 0, 0, 0, 0, 1}},
  {{RC_MEAN, 200, 7}, TRUE, TRUE, {RC_PREVIOUS, 7, 7, 0, 0, 0, 0, 1}},
  {{RC_LINEAR, 200, -1}, TRUE, TRUE, {RC_PREVIOUS, -1, -1, 0, 0, 0, 0, 1}},
  {{RC_NEAREST, 200, 0}, TRUE, TRUE, {RC_PREVIOUS, 0, 0, 0, 0, 0, 0, 1}},
  {{RC_PREVIOUS, -1, 5}, TRUE, TRUE, {RC_PREVIOUS, 5, 5, 0, 0, 0, 0, 1}},
};

GST_START_TEST (test_search_for_holds)
{
  const RcSearch *wanted = &fitted[__i__].fitted;
  RcSearch search = fitted[__i__].search;

  robocache_search_set_holds (&search, fitted[__i__].has_holds, fitted[__i__].are_all);
  fail_unless_equals_int (search.interpolation, wanted->interpolation);
  fail_unless_equals_int64 (search.max_gap_ns, wanted->max_gap_ns);
  fail_unless_equals_int64 (search.hold_limit_ns, wanted->hold_limit_ns);
  fail_unless_equals_int (search.has_holds, wanted->has_holds);
}

GST_END_TEST;

CHECK_MAIN (history, NULL, NULL, TIMES (10, test_random_order), ONCE (test_rows_are_released_once), ONCE (test_memory_is_bounded),
    TIMES (120, test_settled_is_final), TIMES (30, test_pruning_changes_nothing), EACH (scenarios, test_scenario),
    ONCE (test_median_spacing), EACH (gaps, test_max_gap),
    ONCE (test_max_gap_follows_the_period), TIMES (35, test_max_gap_is_that_of_kernels), ONCE (test_scattered_quaternions_are_missing),
    ONCE (test_latency), EACH (gathered, test_gathered_rows), EACH (fitted, test_search_for_holds))

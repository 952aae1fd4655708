/* robocache: a second of a session, row by row and tick by tick
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "series.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define MAX_POINTS 1024

static void
clear_points (ReportPoints *points)
{
  g_clear_pointer (&points->times, g_array_unref);
  g_clear_pointer (&points->values, g_array_unref);
}

static void
clear_second (ReportSecond *second)
{
  clear_points (&second->rows);
  clear_points (&second->ticks);
  second->number = -1;
}

void
report_excerpt_init (ReportExcerpt *excerpt, gint64 begin_ns, guint n_channels)
{
  *excerpt = (ReportExcerpt) {.begin_ns = begin_ns,.n_channels = n_channels };
  for (guint i = 0; i < REPORT_N_EXCERPTS; i++)
    excerpt->seconds[i].number = -1;
}

void
report_excerpt_clear (ReportExcerpt *excerpt)
{
  for (guint i = 0; i < REPORT_N_EXCERPTS; i++)
    clear_second (&excerpt->seconds[i]);
}

/* 0, 1, 2, 3 … of the seconds 0, 1, 2, 4 …; -1: of another one. */
static gint
number_of (const ReportExcerpt *excerpt, gint64 time_ns)
{
  gint64 elapsed;
  guint64 second;

  if (__builtin_sub_overflow (time_ns, excerpt->begin_ns, &elapsed) || elapsed < 0)
    return -1;
  second = (guint64) (elapsed / SECOND);
  if ((second & (second - 1)) != 0)
    return -1;
  return second == 0 ? 0 : 1 + __builtin_ctzll (second);
}

/* Later seconds take the place of earlier ones. NULL: that second is over. */
static ReportSecond *
get_second (ReportExcerpt *excerpt, gint number)
{
  ReportSecond *second = &excerpt->seconds[number % REPORT_N_EXCERPTS];

  if (number < second->number)
    return NULL;
  if (number > second->number)
    clear_second (second);
  second->number = number;
  return second;
}

void
report_excerpt_add (ReportExcerpt *excerpt, gboolean is_tick, gint64 time_ns, const gdouble *values)
{
  const gint number = excerpt->n_channels > 0 ? number_of (excerpt, time_ns) : -1;
  ReportSecond *second = number >= 0 ? get_second (excerpt, number) : NULL;
  ReportPoints *points;

  if (!second)
    return;
  points = is_tick ? &second->ticks : &second->rows;
  if (!points->times) {
    points->times = g_array_new (FALSE, FALSE, sizeof (gint64));
    points->values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  }
  if (points->times->len >= MAX_POINTS)
    return;
  g_array_append_val (points->times, time_ns);
  g_array_append_vals (points->values, values, excerpt->n_channels);
}

/* 2: rows and ticks; 1: one of them; 0: none. */
static guint
worth_of (const ReportSecond *second)
{
  return second->number < 0 ? 0 : (second->rows.times && second->rows.times->len > 1) + (second->ticks.times
      && second->ticks.times->len > 1);
}

const ReportSecond *
report_excerpt_choose (const ReportExcerpt *excerpt)
{
  const ReportSecond *best = NULL;

  for (guint i = 0; i < REPORT_N_EXCERPTS; i++) {
    const ReportSecond *second = &excerpt->seconds[i];
    const guint worth = worth_of (second), best_worth = best ? worth_of (best) : 0;

    if (worth > best_worth || (best && worth == best_worth && second->number > best->number))
      best = second;
  }
  return best;
}

void
report_excerpt_take_ticks (ReportExcerpt *excerpt, ReportExcerpt *other)
{
  for (guint i = 0; i < REPORT_N_EXCERPTS; i++) {
    ReportSecond *from = &other->seconds[i], *second = from->number >= 0 ? get_second (excerpt, from->number) : NULL;

    if (!second)
      continue;
    clear_points (&second->ticks);
    second->ticks = from->ticks;
    from->ticks = (ReportPoints) { 0 };
  }
}

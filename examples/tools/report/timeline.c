/* robocache: what happened over time, in a bounded number of columns
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "series.h"

#include <string.h>

#define FIRST_WIDTH_NS 1000000

void
report_timeline_clear (ReportTimeline *timeline)
{
  g_free (timeline->columns);
  *timeline = (ReportTimeline) { 0 };
}

guint64
report_column_n (const ReportColumn *column)
{
  guint64 n = 0;

  for (guint kind = 0; kind < REPORT_N_KINDS; kind++)
    n += column->n[kind];
  return n;
}

static gint64
divide_down (gint64 number, gint64 by)
{
  return number / by - (number % by < 0);
}

static void
merge (ReportColumn *into, const ReportColumn *column)
{
  const gboolean is_first = report_column_n (into) == 0;

  if (report_column_n (column) == 0)
    return;
  for (guint kind = 0; kind < REPORT_N_KINDS; kind++)
    into->n[kind] += column->n[kind];
  into->min = is_first ? column->min : MIN (into->min, column->min);
  into->max = is_first ? column->max : MAX (into->max, column->max);
  into->sum += column->sum;
}

static void
double_width (ReportTimeline *timeline)
{
  const gint64 first = divide_down (timeline->first, 2), last = divide_down (timeline->first + timeline->n_columns - 1, 2);
  ReportColumn *columns = g_new0 (ReportColumn, REPORT_MAX_COLUMNS);

  for (guint i = 0; i < timeline->n_columns; i++)
    merge (&columns[divide_down (timeline->first + i, 2) - first], &timeline->columns[i]);
  g_free (timeline->columns);
  timeline->columns = columns;
  timeline->width_ns *= 2;
  timeline->first = first;
  timeline->n_columns = (guint) (last - first + 1);
}

/* Columns that it has once `column` is one of them. */
static gint64
extent_with (const ReportTimeline *timeline, gint64 column)
{
  return MAX (timeline->first + timeline->n_columns - 1, column) - MIN (timeline->first, column) + 1;
}

static ReportColumn *
get_column (ReportTimeline *timeline, gint64 time_ns)
{
  gint64 column;

  while (column = divide_down (time_ns, timeline->width_ns), extent_with (timeline, column) > REPORT_MAX_COLUMNS)
    double_width (timeline);
  if (column < timeline->first) {
    const guint shift = (guint) (timeline->first - column);

    memmove (timeline->columns + shift, timeline->columns, timeline->n_columns * sizeof (ReportColumn));
    memset (timeline->columns, 0, shift * sizeof (ReportColumn));
    timeline->first = column;
    timeline->n_columns += shift;
  }
  timeline->n_columns = MAX (timeline->n_columns, (guint) (column - timeline->first + 1));
  return &timeline->columns[column - timeline->first];
}

void
report_timeline_add (ReportTimeline *timeline, gint64 time_ns, guint kind, gdouble value)
{
  ReportColumn one = {.min = value,.max = value,.sum = value };

  if (!timeline->columns) {
    timeline->columns = g_new0 (ReportColumn, REPORT_MAX_COLUMNS);
    timeline->width_ns = FIRST_WIDTH_NS;
    timeline->first = divide_down (time_ns, FIRST_WIDTH_NS);
    timeline->n_columns = 1;
  }
  one.n[kind] = 1;
  merge (get_column (timeline, time_ns), &one);
  timeline->n++;
}

ReportTimeline
report_timeline_coarsen (const ReportTimeline *timeline, guint max, gint64 min_width_ns)
{
  ReportTimeline coarse = *timeline;

  if (!timeline->columns)
    return coarse;
  coarse.columns = g_new0 (ReportColumn, REPORT_MAX_COLUMNS);
  memcpy (coarse.columns, timeline->columns, timeline->n_columns * sizeof (ReportColumn));
  /* a column on each side of 0 stay two */
  while (coarse.n_columns > 1 && (coarse.n_columns > max || coarse.width_ns < min_width_ns) && coarse.width_ns <= G_MAXINT64 / 2)
    double_width (&coarse);
  return coarse;
}

guint64
report_timeline_count (const ReportTimeline *timeline, guint kind)
{
  guint64 n = 0;

  for (guint i = 0; i < timeline->n_columns; i++)
    n += timeline->columns[i].n[kind];
  return n;
}

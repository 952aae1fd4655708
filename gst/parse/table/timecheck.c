/* robocache: a check of the times of a recording's first rows
 *
 * Times increase. Some recordings repeat rows, or are not in order of time. A column that somebody called time is refused only
 * when its values are a handful, or wander as a measured quantity does. A column that nobody called time may have rows that come a
 * little late, and some of them twice: that is a warning.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timecheck.h"

#include "timeunits.h"

#include <stdlib.h>
#include <string.h>

#include "common/time/numberorder.h"

/* Fewer rows prove nothing. */
#define MIN_ROWS_OF_COLUMN 10
#define MIN_ROWS_OF_UNIT 4

gboolean
robocache_time_check_add (RobocacheTimeCheck *check, gint64 time_ns)
{
  if (check->n < ROBOCACHE_TIME_CHECK_ROWS)
    check->times[check->n++] = time_ns;
  return check->n == ROBOCACHE_TIME_CHECK_ROWS;
}

/* ---- steps ---- */

/* later - earlier, at most G_MAXINT64. */
static gint64
step_between (gint64 earlier, gint64 later)
{
  gint64 step;

  return robocache_time_difference (later, earlier, &step) ? step : G_MAXINT64;
}

gint64
robocache_time_median_step (gint64 *times, gsize n)
{
  gint64 *steps = g_new (gint64, MAX (n, 1)), median = 0;
  gsize n_steps = 0;

  qsort (times, n, sizeof (gint64), robocache_compare_integers);
  for (gsize i = 1; i < n; i++) {
    if (times[i] != times[i - 1])
      steps[n_steps++] = step_between (times[i - 1], times[i]);
  }
  qsort (steps, n_steps, sizeof (gint64), robocache_compare_integers);
  if (n_steps > 0)
    median = steps[(n_steps - 1) / 2];
  g_free (steps);
  return median;
}

/* What times do from row to row. */
typedef struct
{
  gsize n, n_equal, n_back;     /* rows; with a time that was there before; earlier than the row before them */
  gint64 range;                 /* ns */
  gint64 median_step;           /* of the sorted times, ns; 0: all are equal */
  gint64 median_move;           /* from row to row, either way, ns */
  gboolean is_regular;          /* most sorted steps are about the median */
  gboolean is_nearly_sorted;    /* rows are a twentieth of all from their places in order of time, on average */
} Course;

static gint64
median_move (const gint64 *times, gsize n)
{
  gint64 *moves, median;

  if (n < 2)
    return 0;
  moves = g_new (gint64, n - 1);
  for (gsize i = 1; i < n; i++)
    moves[i - 1] = step_between (MIN (times[i - 1], times[i]), MAX (times[i - 1], times[i]));
  qsort (moves, n - 1, sizeof (gint64), robocache_compare_integers);
  median = moves[(n - 1) / 2];
  g_free (moves);
  return median;
}

/* Where the first of the sorted times that is not before time_ns is. */
static gsize
place_of (gint64 time_ns, const gint64 *sorted, gsize n)
{
  gsize low = 0, high = n;

  while (low < high) {
    const gsize middle = low + (high - low) / 2;

    if (sorted[middle] < time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Spearman's footrule: in a random order, rows are a third of all from their places. */
static gboolean
is_nearly_sorted (const gint64 *times, const gint64 *sorted, gsize n)
{
  gdouble n_places = 0;

  for (gsize i = 0; i < n; i++) {
    const gsize place = place_of (times[i], sorted, n);

    n_places += (gdouble) (MAX (i, place) - MIN (i, place));
  }
  return 20 * n_places <= (gdouble) n * (gdouble) n;
}

static void
describe_sorted (Course *course, gint64 *sorted)
{
  gsize n_regular = 0;

  course->median_step = robocache_time_median_step (sorted, course->n);
  course->range = course->n > 0 ? step_between (sorted[0], sorted[course->n - 1]) : 0;
  for (gsize i = 1; i < course->n; i++) {
    const gint64 step = step_between (sorted[i - 1], sorted[i]);

    course->n_equal += step == 0;
    n_regular += step > 0 && step >= course->median_step / 2 && step / 2 <= course->median_step;
  }
  course->is_regular = course->n > 0 && 3 * n_regular >= 2 * (course->n - 1 - course->n_equal);
}

static Course
find_course (const gint64 *times, gsize n)
{
  Course course = {.n = n,.median_move = median_move (times, n) };
  gint64 *sorted = g_new (gint64, MAX (n, 1));

  if (n > 0)
    memcpy (sorted, times, n * sizeof (gint64));
  describe_sorted (&course, sorted);
  course.is_nearly_sorted = is_nearly_sorted (times, sorted, n);
  g_free (sorted);
  for (gsize i = 1; i < n; i++)
    course.n_back += times[i] < times[i - 1];
  return course;
}

/* ---- the column ---- */

/* A quantity that is measured moves little from row to row, and back as often as not. Rows in a wrong order do neither. */
static gboolean
wanders (const Course *course)
{
  return 4 * course->n_back > course->n && !course->is_regular && course->median_move < course->range / 5;
}

static RobocacheTimeVerdict
judge_column (const Course *course, RobocacheChoice chosen_by)
{
  const gboolean has_many_equal = 20 * course->n_equal > course->n, has_many_back = 20 * course->n_back > course->n;

  if (course->n < MIN_ROWS_OF_COLUMN)
    return ROBOCACHE_TIMES_FIT;
  if (chosen_by != ROBOCACHE_CHOSEN_BY_DEFAULT && (4 * course->n_equal > 3 * course->n || wanders (course)))
    return chosen_by == ROBOCACHE_CHOSEN_BY_USER ? ROBOCACHE_TIMES_DOUBTFUL : ROBOCACHE_TIMES_IMPOSSIBLE;
  if (chosen_by == ROBOCACHE_CHOSEN_BY_DEFAULT && (has_many_equal || has_many_back))
    return course->is_nearly_sorted && 4 * course->n_equal <= course->n ? ROBOCACHE_TIMES_DOUBTFUL : ROBOCACHE_TIMES_IMPOSSIBLE;
  return ROBOCACHE_TIMES_FIT;
}

static gchar *
describe_column (const RobocacheTimeSource *source)
{
  return source->name ? g_strdup_printf ("column %u (\"%.60s\")", source->column, source->name) :
      g_strdup_printf ("column %u", source->column);
}

static gchar *
describe_wrong_column (const RobocacheTimeSource *source, const Course *course)
{
  gchar *column = describe_column (source), *advice = NULL, *fault;

  if (source->column_by != ROBOCACHE_CHOSEN_BY_USER)
    advice = g_strdup_printf ("; set time-column to the column of the time%s%s%s, or to %u if it is this one",
        source->others ? " (perhaps " : "", source->others ? source->others : "", source->others ? ")" : "", source->column);
  fault = g_strdup_printf ("The time is in %s%s, but among its first %" G_GSIZE_FORMAT " rows, %" G_GSIZE_FORMAT " repeat a time "
      "and %" G_GSIZE_FORMAT " go back in time%s", column,
      source->column_by == ROBOCACHE_CHOSEN_BY_DEFAULT ? ", since time-column is not set" : "", course->n, course->n_equal,
      course->n_back, advice ? advice : "; is time-column right?");
  g_free (column);
  g_free (advice);
  return fault;
}

/* ---- the unit ---- */

/* "4888 s", "4.888 ms" */
static gchar *
describe_step (gdouble seconds)
{
  RobocacheTimeUnit unit = ROBOCACHE_TIME_UNIT_S;

  while (unit < ROBOCACHE_TIME_UNIT_NS && seconds < robocache_time_unit_seconds (unit))
    unit++;
  return g_strdup_printf ("%.4g %s", seconds / robocache_time_unit_seconds (unit), robocache_time_unit_name (unit));
}

static gchar *
describe_wrong_unit (const RobocacheTimeSource *source, gdouble step_s)
{
  const gdouble step = step_s / robocache_time_unit_seconds (source->reading.unit);
  const gchar *name = robocache_time_unit_name (source->reading.unit);
  gchar *median = describe_step (step_s), *fault;
  RobocacheTimeUnit fitting;

  if (robocache_time_unit_of_step (step, &fitting)) {
    gchar *better = describe_step (step * robocache_time_unit_seconds (fitting));

    fault = g_strdup_printf ("The median step of the first rows is %s with time-unit=%s%s; with time-unit=%s it is %s: set this "
        "unit%s%s",
        median, name, source->unit_by == ROBOCACHE_CHOSEN_BY_USER ? "" : ", which was not set",
        robocache_time_unit_name (fitting), better, source->unit_by == ROBOCACHE_CHOSEN_BY_USER ? "" : ", or time-unit=",
        source->unit_by == ROBOCACHE_CHOSEN_BY_USER ? "" : name);
    g_free (better);
  } else {
    fault = g_strdup_printf ("The median step of the first rows is %s with time-unit=%s, and no unit gives a step that is usual "
        "for sensors: set time-column%s", median, name, source->unit_by == ROBOCACHE_CHOSEN_BY_USER ? "" : " and time-unit");
  }
  g_free (median);
  return fault;
}

/* ---- the result ---- */

RobocacheTimeVerdict
robocache_times_judge (const gint64 *times, gsize n, const RobocacheTimeSource *source, gchar **fault)
{
  const Course course = find_course (times, n);
  const gdouble step_s = (gdouble) course.median_step / 1e9;
  RobocacheTimeVerdict verdict = judge_column (&course, source->column_by);

  *fault = NULL;
  if (verdict != ROBOCACHE_TIMES_FIT) {
    *fault = describe_wrong_column (source, &course);
  } else if (course.n >= MIN_ROWS_OF_UNIT && course.median_step > 0 && !source->has_dates
      && !robocache_time_step_is_possible (step_s)) {
    *fault = describe_wrong_unit (source, step_s);
    verdict = source->unit_by == ROBOCACHE_CHOSEN_BY_USER ? ROBOCACHE_TIMES_DOUBTFUL : ROBOCACHE_TIMES_IMPOSSIBLE;
  }
  return verdict;
}

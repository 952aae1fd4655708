/* robocache: the time column of a recording and its unit, guessed by names and steps
 *
 * Steps are compared as doubles, only to choose a unit: nothing here becomes a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timeguess.h"

#include <math.h>
#include <string.h>

#define MIN_STEP_S 10e-6
#define MAX_STEP_S 100.0

#define MIN_USUAL_STEP_S 50e-6
#define MAX_USUAL_STEP_S 2.0
#define USUAL_STEP_S 10e-3

/* 2000 and 2100, in seconds since 1970 */
#define MIN_DATE_S 946684800.0
#define MAX_DATE_S 4102444800.0

/* In order of preference, behind TABLE_NAME. */
static const gchar *const time_names[] = { "stamp", "timestamp", "time", "t" };

#define N_RANKS (G_N_ELEMENTS (time_names) + 1)

/* Begins the name of the first column of tables that align-recordings wrote. */
#define TABLE_NAME "tick_ns_since_"

static const struct
{
  const gchar *name;
  RobocacheTimeUnit unit;
} unit_names[] = {
  {"s", ROBOCACHE_TIME_UNIT_S}, {"sec", ROBOCACHE_TIME_UNIT_S}, {"secs", ROBOCACHE_TIME_UNIT_S},
  {"seconds", ROBOCACHE_TIME_UNIT_S}, {"ms", ROBOCACHE_TIME_UNIT_MS}, {"msec", ROBOCACHE_TIME_UNIT_MS},
  {"us", ROBOCACHE_TIME_UNIT_US}, {"usec", ROBOCACHE_TIME_UNIT_US}, {"ns", ROBOCACHE_TIME_UNIT_NS},
  {"nsec", ROBOCACHE_TIME_UNIT_NS},
};

gdouble
robocache_time_unit_seconds (RobocacheTimeUnit unit)
{
  static const gdouble seconds[] = {
    [ROBOCACHE_TIME_UNIT_S] = 1.0,
    [ROBOCACHE_TIME_UNIT_MS] = 1e-3,
    [ROBOCACHE_TIME_UNIT_US] = 1e-6,
    [ROBOCACHE_TIME_UNIT_NS] = 1e-9,
  };

  return seconds[unit];
}

/* ---- names ---- */

/* "Header.Stamp_ns_since_5" to "header.stamp_ns": lower case, without what a tick counts from. */
static gchar *
simplify (const gchar *name)
{
  gchar *simple = g_ascii_strdown (name, -1), *since = strstr (simple, "_since_");

  if (since)
    *since = '\0';
  return g_strstrip (g_strdelimit (simple, ")]", ' '));
}

/* Where the unit begins that ends a simplified name; NULL: it has none. */
static gchar *
find_unit (gchar *name, RobocacheTimeUnit *unit)
{
  gchar *part = name + strlen (name);

  while (part > name && g_ascii_isalpha (part[-1]))
    part--;
  if (part == name || !strchr ("_([ ", part[-1]))
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (unit_names); i++) {
    if (g_str_equal (part, unit_names[i].name)) {
      *unit = unit_names[i].unit;
      return part;
    }
  }
  return NULL;
}

/* The unit in a name like "stamp_ns", "t (ms)", "time[s]"; FALSE: the name has no unit. */
static gboolean
unit_of_name (const gchar *name, RobocacheTimeUnit *unit)
{
  gchar *simple = simplify (name);
  const gboolean has_unit = find_unit (simple, unit) != NULL;

  g_free (simple);
  return has_unit;
}

/* How good a name is for the time, without its unit and the names of messages around it: 0 is the best, N_RANKS none. */
static guint
rank_of_name (const gchar *name)
{
  gchar *simple = simplify (name), *part, *from = simple, *to = simple;
  RobocacheTimeUnit unit;
  guint rank = g_str_has_prefix (name, TABLE_NAME) ? 0 : 1;

  part = find_unit (simple, &unit);
  if (part)
    *part = '\0';
  for (part = simple; *part; part++) {
    if (strchr ("./:%", *part))
      from = part + 1;
  }
  for (; *from; from++) {
    if (!strchr ("_-([ ", *from))
      *to++ = *from;
  }
  *to = '\0';
  while (rank > 0 && rank < N_RANKS && !g_str_equal (simple, time_names[rank - 1]))
    rank++;
  g_free (simple);
  return rank;
}

static gboolean
may_be_time (const gchar *name)
{
  static const gchar *const parts[] = { "time", "stamp", "arriv", "sec", "epoch", "date", "clock" };
  gchar *simple = simplify (name);
  RobocacheTimeUnit unit = ROBOCACHE_TIME_UNIT_S;
  gboolean may = rank_of_name (name) < N_RANKS || (find_unit (simple, &unit) && unit != ROBOCACHE_TIME_UNIT_S);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    may |= strstr (simple, parts[i]) != NULL;
  g_free (simple);
  return may;
}

static void
guess_column (RobocacheTimeSource *source, gchar **names, guint n, gint arrival_column)
{
  guint best = N_RANKS;

  for (guint c = 0; c < n; c++) {
    const guint rank = (gint) c == arrival_column ? best : rank_of_name (names[c]);

    if (rank < best) {
      best = rank;
      source->column = c;
      source->column_by = ROBOCACHE_CHOSEN_BY_NAME;
    }
  }
}

static gchar *
list_others (const RobocacheTimeSource *source, gchar **names, guint n, gint arrival_column)
{
  GString *others = g_string_new (NULL);

  for (guint c = 0; c < n; c++) {
    if (c != source->column && (gint) c != arrival_column && may_be_time (names[c]))
      g_string_append_printf (others, others->len > 0 ? ", %s" : "%s", names[c]);
  }
  return g_string_free (others, others->len == 0);
}

void
robocache_time_source_clear (RobocacheTimeSource *source)
{
  g_free (source->name);
  g_free (source->others);
  *source = (RobocacheTimeSource) { 0 };
}

void
robocache_time_source_guess (RobocacheTimeSource *source, gchar **names, guint n, gint column, RobocacheTimeUnit unit,
    gint arrival_column)
{
  robocache_time_source_clear (source);
  *source = (RobocacheTimeSource) {.column = (guint) MAX (column, 0),.unit = unit };
  if (column >= 0)
    source->column_by = ROBOCACHE_CHOSEN_BY_USER;
  else if (names)
    guess_column (source, names, n, arrival_column);
  if (names && source->column < n)
    source->name = g_utf8_make_valid (names[source->column], -1);
  source->is_unlikely = source->name && source->column_by == ROBOCACHE_CHOSEN_BY_DEFAULT && !may_be_time (source->name);
  if (names && column < 0)
    source->others = list_others (source, names, n, arrival_column);

  source->unit_by = ROBOCACHE_CHOSEN_BY_USER;
  if (unit != ROBOCACHE_TIME_UNIT_AUTO)
    return;
  source->unit_by = ROBOCACHE_CHOSEN_BY_NAME;
  if (source->name && unit_of_name (source->name, &source->unit))
    return;
  source->unit_by = ROBOCACHE_CHOSEN_BY_DEFAULT;
  source->unit = ROBOCACHE_TIME_UNIT_S;
}

/* ---- steps ---- */

gboolean
robocache_time_step_is_possible (gdouble step_s)
{
  return step_s >= MIN_STEP_S && step_s <= MAX_STEP_S;
}

static gboolean
is_usual_step (gdouble step_s)
{
  return step_s >= MIN_USUAL_STEP_S && step_s <= MAX_USUAL_STEP_S;
}

gboolean
robocache_time_unit_of_step (gdouble step, RobocacheTimeUnit *unit)
{
  gdouble least_distance = INFINITY;

  for (RobocacheTimeUnit i = 0; i < ROBOCACHE_TIME_UNIT_AUTO; i++) {
    const gdouble step_s = step * robocache_time_unit_seconds (i), distance = fabs (log (step_s / USUAL_STEP_S));

    if (is_usual_step (step_s) && distance < least_distance) {
      least_distance = distance;
      *unit = i;
    }
  }
  return least_distance < INFINITY;
}

gboolean
robocache_time_unit_of_date (gdouble time, gdouble step, RobocacheTimeUnit *unit)
{
  for (RobocacheTimeUnit i = 0; i < ROBOCACHE_TIME_UNIT_AUTO; i++) {
    const gdouble seconds = robocache_time_unit_seconds (i);

    if (time * seconds >= MIN_DATE_S && time * seconds <= MAX_DATE_S && is_usual_step (step * seconds)) {
      *unit = i;
      return TRUE;
    }
  }
  return FALSE;
}

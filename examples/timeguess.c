/* robocache: which column of a recording is the time, and in which unit, by its first lines
 *
 * Nothing here becomes a time: steps are compared as doubles only to choose a unit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timeguess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gst/parse/records/csvrecord.h"
#include "fault.h"

#define LINES_TO_LOOK_AT 1000

/* A sensor is between 0.5 Hz and 20 kHz; of several units that make it one, the nearest to the middle is meant. */
#define LONGEST_STEP_S 2.0
#define SHORTEST_STEP_S 50e-6
#define USUAL_STEP_S 10e-3

static const gdouble unit_s[] = {
  [ROBOCACHE_TIME_UNIT_S] = 1.0,
  [ROBOCACHE_TIME_UNIT_MS] = 1e-3,
  [ROBOCACHE_TIME_UNIT_US] = 1e-6,
  [ROBOCACHE_TIME_UNIT_NS] = 1e-9,
};

/* ---- the first lines ---- */

typedef struct
{
  const gchar *what;            /* "time" or "arrival": of the option, and of the column in an error */
  gchar delimiter;
  gint64 column;                /* -1: by name, not found yet */
  const gchar *column_name;
  gboolean has_content;
  gchar *header;                /* of the time column, or NULL */
  gboolean has_decimals;
  GArray *times;                /* gdouble, in the file's unit */
} Look;

static gboolean
look_init (Look *look, const gchar *what, const gchar *delimiter, const gchar *column, GError **error)
{
  guint64 number;

  *look = (Look) {.what = what,.times = g_array_new (FALSE, FALSE, sizeof (gdouble)) };
  if (column && g_ascii_string_to_unsigned (column, 10, 0, G_MAXINT, &number, NULL)) {
    look->column = (gint64) number;
  } else if (column) {
    look->column = -1;
    look->column_name = column;
  }
  return robocache_csv_delimiter_parse (delimiter ? delimiter : ",", &look->delimiter, error);
}

static void
look_clear (Look *look)
{
  g_array_unref (look->times);
  g_free (look->header);
}

static gboolean
is_number (const gchar *text)
{
  gint64 unused;

  return robocache_time_from_text (text, ROBOCACHE_TIME_UNIT_NS, &unused) != ROBOCACHE_TIME_NOT_A_NUMBER;
}

static gboolean
find_column (Look *look, GPtrArray *fields, GError **error)
{
  for (guint c = 0; look->column < 0 && c < fields->len; c++) {
    if (g_str_equal (g_ptr_array_index (fields, c), look->column_name))
      look->column = c;
  }
  if (look->column >= 0)
    return TRUE;
  FAULT (error, "%s-column=%s: the header has no column of that name", look->what, look->column_name);
  return FALSE;
}

static void
read_time (Look *look, const gchar *text)
{
  const gdouble time = g_ascii_strtod (text, NULL);

  look->has_decimals |= strpbrk (text, ".eE") != NULL;
  g_array_append_val (look->times, time);
}

/* The line without its end and, at first, without the marks before NumPy's header; NULL when it is no row. */
static gchar *
trim_line (gchar *line, gboolean is_first)
{
  if (is_first && g_str_has_prefix (line, "\xEF\xBB\xBF"))
    line += 3;
  line[strcspn (line, "\r\n")] = '\0';
  if (line[strspn (line, " \t")] == '#' && is_first)
    line += strspn (line, "# \t");
  return line[strspn (line, " \t")] == '\0' || line[strspn (line, " \t")] == '#' ? NULL : line;
}

static gboolean
read_line (Look *look, gchar *line, GPtrArray *fields, GError **error)
{
  const gboolean is_first = !look->has_content;
  const gchar *text;

  line = trim_line (line, is_first);
  if (!line)
    return TRUE;
  look->has_content = TRUE;
  if (!robocache_csv_split (line, strlen (line), look->delimiter, fields, NULL))
    return TRUE;                /* malformed; the parser will say so */
  if (is_first && look->column < 0 && !find_column (look, fields, error))
    return FALSE;
  if (look->column >= fields->len)
    return TRUE;
  text = g_ptr_array_index (fields, look->column);
  if (is_number (text))
    read_time (look, text);
  else if (is_first)
    look->header = g_strdup (text);
  return TRUE;
}

static gboolean
look_at (Look *look, FILE *file, GError **error)
{
  GPtrArray *fields = g_ptr_array_new ();
  gchar *line = NULL;
  size_t size = 0;
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < LINES_TO_LOOK_AT && getline (&line, &size, file) >= 0; i++)
    ok = read_line (look, line, fields, error);
  free (line);
  g_ptr_array_unref (fields);
  if (!ok)
    return FALSE;
  if (!look->has_content)
    FAULT (error, "the file is empty");
  else if (look->times->len == 0)
    FAULT (error, "there is no number in the %s column, %" G_GINT64_FORMAT " counted from 0%s%s%s; set %s-column, or "
        "delimiter", look->what, look->column, look->header ? ", called \"" : "", look->header ? look->header : "",
        look->header ? "\"" : "", look->what);
  return look->times->len > 0;
}

/* ---- the unit ---- */

static gint
compare_doubles (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* Median of the steps that are any, in the file's unit; 0 when there are none. */
static gdouble
median_step (const GArray *times)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gdouble median = 0.0;

  for (guint i = 1; i < times->len; i++) {
    const gdouble step = fabs (g_array_index (times, gdouble, i) - g_array_index (times, gdouble, i - 1));

    if (step > 0.0)
      g_array_append_val (steps, step);
  }
  g_array_sort (steps, compare_doubles);
  if (steps->len > 0)
    median = g_array_index (steps, gdouble, steps->len / 2);
  g_array_unref (steps);
  return median;
}

/* "stamp_ns", "t (ms)", "time[s]" */
static gboolean
unit_of_header (const gchar *header, RobocacheTimeUnit *unit)
{
  gchar *name = g_ascii_strdown (header, -1), *part;
  gboolean known;

  g_strdelimit (name, ")]", '\0');
  part = name + strlen (name);
  while (part > name && g_ascii_isalpha (part[-1]))
    part--;
  known = part > name && strchr ("_([ ", part[-1]) && robocache_time_unit_by_name (part, unit);
  g_free (name);
  return known;
}

static gboolean
is_sensor_step (gdouble step_s)
{
  return step_s >= SHORTEST_STEP_S && step_s <= LONGEST_STEP_S;
}

static gboolean
unit_of_step (gdouble step, RobocacheTimeUnit *unit)
{
  gdouble least_distance = INFINITY;

  for (guint i = 0; i < G_N_ELEMENTS (unit_s); i++) {
    const gdouble step_s = step * unit_s[i], distance = fabs (log (step_s / USUAL_STEP_S));

    if (is_sensor_step (step_s) && distance < least_distance) {
      least_distance = distance;
      *unit = i;
    }
  }
  return least_distance < INFINITY;
}

static gboolean
guess_unit (TimeGuess *guess, const Look *look, gdouble step, GError **error)
{
  if (look->header && unit_of_header (look->header, &guess->unit)) {
    guess->reason = g_strdup_printf ("by the name %s", look->header);
    return TRUE;
  }
  if (look->has_decimals && (step == 0.0 || is_sensor_step (step))) {
    guess->unit = ROBOCACHE_TIME_UNIT_S;
    guess->reason = g_strdup ("guessed: it has decimals");
    return TRUE;
  }
  if (step > 0.0 && unit_of_step (step, &guess->unit)) {
    guess->reason = g_strdup_printf ("guessed: the median step of %g is then %.4g ms", step,
        step * unit_s[guess->unit] * 1e3);
    return TRUE;
  }
  if (step > 0.0)
    FAULT (error, "the median step of the time, %g, is that of a sensor of 0.5 Hz to 20 kHz in no unit; set "
        "time-unit", step);
  else
    FAULT (error, "all times are the same, so their unit is unknown; set time-unit");
  return FALSE;
}

gboolean
time_guess (TimeGuess *guess, FILE *file, const gchar *delimiter, const gchar *column, const gchar *unit, GError **error)
{
  Look look;
  gboolean ok = look_init (&look, "time", delimiter, column, error);

  *guess = (TimeGuess) { 0 };
  if (ok && unit && !robocache_time_unit_by_name (unit, &guess->unit)) {
    FAULT (error, "time-unit=%s: expected s, ms, us or ns", unit);
    ok = FALSE;
  }
  if (ok && look_at (&look, file, error)) {
    const gdouble step = median_step (look.times);

    guess->column = (guint) look.column;
    ok = unit || guess_unit (guess, &look, step, error);
    guess->step_s = step * unit_s[guess->unit];
  } else {
    ok = FALSE;
  }
  look_clear (&look);
  return ok;
}

gboolean
time_column_find (gint *number, FILE *file, const gchar *delimiter, const gchar *column, GError **error)
{
  Look look;
  const gboolean ok = look_init (&look, "arrival", delimiter, column, error) && look_at (&look, file, error);

  *number = ok ? (gint) look.column : -1;
  look_clear (&look);
  return ok;
}

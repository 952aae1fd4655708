/* robocache: which column of a recording is the time, and in which unit, by its names and its first lines
 *
 * Nothing here becomes a time: steps are compared as doubles only to choose a unit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timeguess.h"

#include <stdlib.h>
#include <string.h>

#include "examples/tools/program.h"
#include "gst/parse/records/csvrecord.h"
#include "gst/parse/records/timedate.h"

/* More only where they are not in order. */
#define LINES_TO_LOOK_AT 1000

/* ---- the first lines ---- */

typedef struct
{
  const gchar *what;            /* "time" or "arrival": of the option, and of the column in an error */
  gchar delimiter;
  gint column;                  /* -1: not known yet */
  const gchar *column_name;     /* NULL: given by number, or not at all */
  gint arrival_column;          /* -1: none */
  gboolean has_content, has_columns;    /* a line that is no comment was read; one that has fields */
  RobocacheTimeSource source;   /* with has_columns */
  gboolean has_decimals;
  gboolean is_in_order;
  GArray *times;                /* gdouble, in the file's unit; s of dates */
} Look;

static gboolean
look_init (Look *look, const gchar *what, const gchar *delimiter, const gchar *column, gint arrival_column, GError **error)
{
  guint64 number;

  *look = (Look) {.what = what,.column = -1,.arrival_column = arrival_column,.is_in_order = TRUE,
    .times = g_array_new (FALSE, FALSE, sizeof (gdouble))
  };
  if (column && g_ascii_string_to_unsigned (column, 10, 0, G_MAXINT, &number, NULL))
    look->column = (gint) number;
  else
    look->column_name = column;
  return robocache_csv_delimiter_parse (delimiter ? delimiter : ",", &look->delimiter, error);
}

static void
look_clear (Look *look)
{
  g_array_unref (look->times);
  robocache_time_source_clear (&look->source);
}

static gboolean
find_column (Look *look, GPtrArray *fields, GError **error)
{
  for (guint c = 0; look->column < 0 && c < fields->len; c++) {
    if (g_str_equal (g_ptr_array_index (fields, c), look->column_name))
      look->column = (gint) c;
  }
  if (look->column >= 0)
    return TRUE;
  FAULT (error, "%s-column=%s: the header has no column of that name", look->what, look->column_name);
  return FALSE;
}

/* A number or a date. */
static gboolean
is_time (const gchar *text)
{
  gint64 unused;

  return robocache_time_from_text (text, ROBOCACHE_TIME_UNIT_NS, &unused) != ROBOCACHE_TIME_NOT_A_NUMBER
      || robocache_time_from_date (text, &unused) != ROBOCACHE_TIME_NOT_A_NUMBER;
}

/* The first line with fields: a header, or a row. */
static gboolean
read_columns (Look *look, GPtrArray *fields, GError **error)
{
  const guint first = look->column >= 0 ? (guint) look->column : 0;
  gboolean has_header;

  if (look->column_name && !find_column (look, fields, error))
    return FALSE;
  has_header = look->column_name || (first < fields->len && !is_time (g_ptr_array_index (fields, first)));
  robocache_time_source_guess (&look->source, has_header ? (gchar **) fields->pdata : NULL, fields->len, look->column,
      ROBOCACHE_TIME_UNIT_AUTO, look->arrival_column);
  look->column = (gint) look->source.column;
  look->has_columns = TRUE;
  return TRUE;
}

static void
read_time (Look *look, const gchar *text)
{
  gdouble time;
  gint64 ns;

  if (robocache_time_from_date (text, &ns) == ROBOCACHE_TIME_OK) {
    look->source.has_dates = TRUE;
    time = (gdouble) ns / 1e9;
  } else {
    look->has_decimals |= strpbrk (text, ".eE") != NULL;
    time = g_ascii_strtod (text, NULL);
  }
  if (look->times->len > 0)
    look->is_in_order &= time >= g_array_index (look->times, gdouble, look->times->len - 1);
  g_array_append_val (look->times, time);
}

/* Behind blanks and # of a line. */
static gchar *
skip_marks (gchar *line)
{
  return line + strspn (line, "# \t");
}

/* NumPy writes a header behind a #. */
static gboolean
is_comment (const Look *look, gchar *line, GPtrArray *fields)
{
  gchar *copy;
  gboolean is;

  if (line[strspn (line, " \t")] != '#')
    return FALSE;
  if (look->has_columns)
    return TRUE;
  copy = g_strdup (skip_marks (line));
  is = !robocache_csv_split (copy, strlen (copy), look->delimiter, fields, NULL) || fields->len < 2
      || is_time (g_ptr_array_index (fields, 0));
  g_free (copy);
  return is;
}

static gboolean
read_line (Look *look, gchar *line, GPtrArray *fields, GError **error)
{
  if (!look->has_content && g_str_has_prefix (line, "\xEF\xBB\xBF"))
    line += 3;
  line[strcspn (line, "\r\n")] = '\0';
  if (line[strspn (line, " \t")] == '\0' || is_comment (look, line, fields))
    return TRUE;
  look->has_content = TRUE;
  if (!look->has_columns && line[strspn (line, " \t")] == '#')
    line = skip_marks (line);
  if (!robocache_csv_split (line, strlen (line), look->delimiter, fields, NULL))
    return TRUE;                /* malformed; the parser will say so */
  if (!look->has_columns && !read_columns (look, fields, error))
    return FALSE;
  if ((guint) look->column < fields->len && is_time (g_ptr_array_index (fields, look->column)))
    read_time (look, g_ptr_array_index (fields, look->column));
  return TRUE;
}

/* The separator in a line that is one field with the current delimiter; NULL: no separator. */
static const gchar *
other_delimiter (const Look *look)
{
  const gchar *name = look->source.name;

  if (name && strchr (name, ';'))
    return "\";\"";
  return name && strchr (name, '\t') ? "tab" : NULL;
}

static void
set_no_time (const Look *look, GError **error)
{
  const gchar *delimiter = other_delimiter (look);

  if (delimiter)
    FAULT (error, "the header \"%s\" is one field; set delimiter=%s", look->source.name, delimiter);
  else
    FAULT (error, "the %s column has no time: it is column %d, counted from 0%s%s%s; set %s-column, or delimiter", look->what,
        look->column, look->source.name ? ", called \"" : "", look->source.name ? look->source.name : "",
        look->source.name ? "\"" : "", look->what);
}

static gboolean
look_at (Look *look, FILE *file, GError **error)
{
  GPtrArray *fields = g_ptr_array_new ();
  gchar *line = NULL;
  size_t size = 0;
  gboolean ok = TRUE;

  for (guint i = 0; ok && (i < LINES_TO_LOOK_AT || !look->is_in_order) && getline (&line, &size, file) >= 0; i++)
    ok = read_line (look, line, fields, error);
  free (line);
  g_ptr_array_unref (fields);
  if (!ok)
    return FALSE;
  if (!look->has_content)
    FAULT (error, "the file is empty");
  else if (!look->has_columns)
    FAULT (error, "no line can be read; set delimiter");
  else if (look->times->len == 0)
    set_no_time (look, error);
  return look->times->len > 0;
}

/* Column 0 may be a count of rows. FALSE and an error where it has no name of a time, and other columns have. */
static gboolean
check_column (const RobocacheTimeSource *source, GError **error)
{
  if (source->column_by != ROBOCACHE_CHOSEN_BY_DEFAULT || !source->is_unlikely || !source->others)
    return TRUE;
  FAULT (error, "no column is called stamp, timestamp, time or t; set time-column to the column of the time (perhaps %s), or to %s",
      source->others, source->name);
  return FALSE;
}

/* ---- the unit ---- */

static gint
compare_doubles (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* Median step of the sorted times without equal times, in the file's unit; 0 when there is no step. */
static gdouble
median_step (GArray *times)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gdouble median = 0.0;

  g_array_sort (times, compare_doubles);
  for (guint i = 1; i < times->len; i++) {
    const gdouble step = g_array_index (times, gdouble, i) - g_array_index (times, gdouble, i - 1);

    if (step > 0.0)
      g_array_append_val (steps, step);
  }
  g_array_sort (steps, compare_doubles);
  if (steps->len > 0)
    median = g_array_index (steps, gdouble, (steps->len - 1) / 2);
  g_array_unref (steps);
  return median;
}

static gboolean
guess_unit (TimeGuess *guess, const Look *look, gdouble step, GError **error)
{
  RobocacheTimeSource *source = &guess->source;
  RobocacheTimeUnit *unit = &source->unit;

  if (source->has_dates) {
    guess->unit_reason = g_strdup ("they are dates");
  } else if (source->unit_by == ROBOCACHE_CHOSEN_BY_NAME) {
    guess->unit_reason = g_strdup_printf ("by the name %s", source->name);
  } else if (look->has_decimals && (step == 0.0 || robocache_time_step_is_possible (step))) {
    guess->unit_reason = g_strdup ("guessed: it has decimals");
  } else if (step > 0.0 && robocache_time_unit_of_date (g_array_index (look->times, gdouble, 0), step, unit)) {
    guess->unit_reason = g_strdup ("guessed: the times then count from 1970");
  } else if (step > 0.0 && robocache_time_unit_of_step (step, unit)) {
    guess->unit_reason = g_strdup_printf ("guessed: the median step of %g is then %.4g ms", step,
        step * robocache_time_unit_seconds (*unit) * 1e3);
  } else {
    if (step > 0.0)
      FAULT (error, "the median step of the times, %g, fits no sensor of 0.5 Hz to 20 kHz in any unit; set time-unit",
      step);
    else
      FAULT (error, "all times are equal, so their unit is unknown; set time-unit, or time-column");
    return FALSE;
  }
  return TRUE;
}

static gboolean
set_unit (TimeGuess *guess, const gchar *name, GError **error)
{
  guess->source.unit_by = ROBOCACHE_CHOSEN_BY_USER;
  if (robocache_time_unit_by_name (name, &guess->source.unit))
    return TRUE;
  FAULT (error, "time-unit=%s: expected s, ms, us or ns", name);
  return FALSE;
}

gboolean
time_guess (TimeGuess *guess, FILE *file, const gchar *delimiter, const gchar *column, const gchar *unit,
    gint arrival_column, GError **error)
{
  Look look;
  gboolean ok = look_init (&look, "time", delimiter, column, arrival_column, error) && look_at (&look, file, error);

  if (ok) {
    guess->source = look.source;
    look.source = (RobocacheTimeSource) { 0 };
    guess->source.column_by = column ? ROBOCACHE_CHOSEN_BY_USER : guess->source.column_by;
    ok = check_column (&guess->source, error);
  }
  if (ok) {
    ok = unit ? set_unit (guess, unit, error) : guess_unit (guess, &look, median_step (look.times), error);
  }
  look_clear (&look);
  return ok;
}

void
time_guess_clear (TimeGuess *guess)
{
  robocache_time_source_clear (&guess->source);
  g_free (guess->unit_reason);
}

gboolean
time_column_find (gint *number, FILE *file, const gchar *delimiter, const gchar *column, GError **error)
{
  Look look;
  const gboolean ok = look_init (&look, "arrival", delimiter, column, -1, error) && look_at (&look, file, error);

  *number = ok ? look.column : -1;
  look_clear (&look);
  return ok;
}

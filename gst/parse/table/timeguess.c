/* robocache: guesses the columns of a table's times, their form and unit, from names and the first rows
 *
 * Numbers are compared as doubles, only to choose columns and a unit: nothing here becomes a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timeguess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/element/errors.h"
#include "common/time/numberorder.h"
#include "csvrecord.h"
#include "timeformat.h"
#include "timenames.h"
#include "timeunits.h"

/* Names that an error lists. */
#define MAX_NAMED 8
#define MAX_WEEK 10000
/* Columns of equal names but for the unit, of which one may have the seconds; more are not looked at. */
#define MAX_EQUAL_STEMS 16

/* A table whose times are sought. */
typedef struct
{
  const RobocacheTimeChoice *choice;
  gchar **names;                /* NULL: none */
  guint n;
  const RobocacheSample *sample;        /* NULL: none */
  RobocacheTimeSource *source;
} Search;

void
robocache_time_source_clear (RobocacheTimeSource *source)
{
  g_free (source->name);
  g_free (source->second_name);
  g_free (source->others);
  g_free (source->unit_reason);
  *source = (RobocacheTimeSource) {.second = -1 };
}

void
robocache_time_source_copy (RobocacheTimeSource *copy, const RobocacheTimeSource *source)
{
  robocache_time_source_clear (copy);
  *copy = *source;
  copy->reading.format = NULL;
  copy->name = g_strdup (source->name);
  copy->second_name = g_strdup (source->second_name);
  copy->others = g_strdup (source->others);
  copy->unit_reason = g_strdup (source->unit_reason);
}

static gboolean
is_set (const gchar *text)
{
  return text && *text;
}

/* ---- the sample ---- */

static guint
n_rows (const Search *search)
{
  return search->sample ? robocache_sample_n_data (search->sample) : 0;
}

static gboolean
are (const Search *search, guint column, RobocacheCell cell)
{
  return n_rows (search) > 0 && column < search->sample->n_columns && robocache_facts_are (&search->sample->facts[column], cell);
}

/* Whether the sample is against a column: most of its fields are text. */
static gboolean
is_text (const Search *search, guint column)
{
  return n_rows (search) > 0 && column < search->sample->n_columns && robocache_facts_are_text (&search->sample->facts[column]);
}

static gdouble
number_of (const gchar *text)
{
  gchar copy[64];
  gdouble value = NAN;

  g_strlcpy (copy, text, sizeof (copy));
  robocache_csv_replace_comma (copy);
  return robocache_csv_number (copy, &value) ? value : NAN;
}

/* The numbers of a column, from row to row. */
typedef struct
{
  guint n, n_back, n_equal;
  gboolean are_integers, count_rows;    /* count_rows: each is 1 more than the one before */
  gdouble least, greatest;
} Course;

static Course
course_of (const Search *search, guint column)
{
  Course course = {.are_integers = TRUE,.count_rows = TRUE,.least = INFINITY,.greatest = -INFINITY };
  gdouble previous = NAN;

  for (guint i = 0; i < n_rows (search); i++) {
    const gdouble value = number_of (robocache_sample_field (search->sample, i, column));

    if (isnan (value))
      continue;
    if (course.n++ > 0) {
      course.n_back += value < previous;
      course.n_equal += value == previous;
      course.count_rows &= value - previous == 1.0;
    }
    course.are_integers &= value == floor (value);
    course.least = MIN (course.least, value);
    course.greatest = MAX (course.greatest, value);
    previous = value;
  }
  course.count_rows &= course.n > 1 && course.are_integers;
  return course;
}

/* Of a column whose name proves little: its numbers increase, or there is but one. */
static gboolean
increases (const Search *search, guint column)
{
  const Course course = course_of (search, column);

  return course.n > 0 && (course.n == 1 || course.least < course.greatest) && 20 * course.n_back <= course.n && 2 * course.n_equal <= course.n;
}

/* ---- what is chosen ---- */

static gchar *
name_of (const Search *search, gint column)
{
  return search->names && column >= 0 && (guint) column < search->n ? g_utf8_make_valid (search->names[column], -1) : NULL;
}

static void
choose (Search *search, RobocacheTimeForm form, guint column, gint second, RobocacheChoice by)
{
  RobocacheTimeSource *source = search->source;

  source->reading.form = form;
  source->column = column;
  source->second = second;
  source->column_by = by;
}

static gboolean
unit_of_column (const Search *search, gint column, RobocacheTimeUnit *unit)
{
  return search->names && column >= 0 && (guint) column < search->n && robocache_time_unit_of_name (search->names[column], unit);
}

/* Whether a column has what others than the time have. */
static gboolean
is_taken (const Search *search, guint column)
{
  return (gint) column == search->choice->arrival_column;
}

/* The column of one kind of cells that is nearest to another; -1: there is none. */
static gint
nearest (const Search *search, guint column, RobocacheCell cell)
{
  for (guint distance = 1; distance < search->n; distance++) {
    if (column >= distance && are (search, column - distance, cell))
      return (gint) (column - distance);
    if (column + distance < search->n && are (search, column + distance, cell))
      return (gint) (column + distance);
  }
  return -1;
}

/* Numbers of one unit that are parts of a second. */
static gboolean
are_parts (const Search *search, guint column, RobocacheTimeUnit unit)
{
  const Course course = course_of (search, column);

  return course.n == 0 || (course.are_integers && course.least >= 0.0 && course.greatest * robocache_time_unit_seconds (unit) < 1.0);
}

/* The column of parts of the seconds in a column: its name is the same but for the unit; -1: there is none. */
static gint
find_parts (const Search *search, guint column)
{
  RobocacheTimeUnit unit;
  gchar *stem;
  gint found = -1;

  if (!unit_of_column (search, (gint) column, &unit) || unit != ROBOCACHE_TIME_UNIT_S || !course_of (search, column).are_integers)
    return -1;
  stem = robocache_time_name_stem (search->names[column]);
  for (guint c = 0; c < search->n && found < 0; c++) {
    gchar *other = robocache_time_name_stem (search->names[c]);

    if (c != column && g_str_equal (stem, other) && unit_of_column (search, (gint) c, &unit) && unit != ROBOCACHE_TIME_UNIT_S
        && are_parts (search, c, unit))
      found = (gint) c;
    g_free (other);
  }
  g_free (stem);
  return found;
}

/* The column of the seconds that a column has parts of; -1: there is none. */
static gint
find_seconds (const Search *search, guint parts)
{
  gchar *stem = robocache_time_name_stem (search->names[parts]);
  gint found = -1;
  guint n_tried = 0;

  for (guint c = 0; c < search->n && found < 0 && n_tried < MAX_EQUAL_STEMS; c++) {
    gchar *other = robocache_time_name_stem (search->names[c]);

    if (c != parts && g_str_equal (stem, other)) {
      found = find_parts (search, c) == (gint) parts ? (gint) c : -1;
      n_tried++;
    }
    g_free (other);
  }
  g_free (stem);
  return found;
}

/* A column that is the time, or one half of it. */
static void
choose_with_partner (Search *search, guint column, RobocacheChoice by)
{
  gint partner = -1;

  if (are (search, column, ROBOCACHE_CELL_CLOCK) || are (search, column, ROBOCACHE_CELL_DAY)) {
    const gboolean is_day = are (search, column, ROBOCACHE_CELL_DAY);

    partner = nearest (search, column, is_day ? ROBOCACHE_CELL_CLOCK : ROBOCACHE_CELL_DAY);
    if (partner >= 0)
      choose (search, ROBOCACHE_TIME_DAY_AND_CLOCK, is_day ? column : (guint) partner, is_day ? partner : (gint) column, by);
    else
      choose (search, is_day ? ROBOCACHE_TIME_NUMBER : ROBOCACHE_TIME_CLOCK, column, -1, by);
    return;
  }
  partner = search->names ? find_seconds (search, column) : -1;
  if (partner >= 0) {
    choose (search, ROBOCACHE_TIME_PARTS, (guint) partner, (gint) column, by);
    return;
  }
  partner = search->names ? find_parts (search, column) : -1;
  choose (search, partner >= 0 ? ROBOCACHE_TIME_PARTS : ROBOCACHE_TIME_NUMBER, column, partner, by);
}

/* ---- by names ---- */

/* Names that prove little need numbers that are like times. */
static gboolean
is_plausible (const Search *search, guint column, RobocacheTimeName name)
{
  if (is_taken (search, column))
    return FALSE;
  if (name <= ROBOCACHE_NAME_T || n_rows (search) == 0)
    return TRUE;
  return are (search, column, ROBOCACHE_CELL_DATE) || are (search, column, ROBOCACHE_CELL_CLOCK)
      || (are (search, column, ROBOCACHE_CELL_DAY) && nearest (search, column, ROBOCACHE_CELL_CLOCK) >= 0)
      || (are (search, column, ROBOCACHE_CELL_NUMBER) && (find_parts (search, column) >= 0 || increases (search, column)));
}

static gboolean
choose_by_name (Search *search, RobocacheTimeName first, RobocacheTimeName last)
{
  for (RobocacheTimeName name = first; search->names && name <= last; name++) {
    for (guint c = 0; c < search->n; c++) {
      if (robocache_time_name_of (search->names[c]) != name || !is_plausible (search, c, name))
        continue;
      choose_with_partner (search, c, ROBOCACHE_CHOSEN_BY_NAME);
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
choose_gps (Search *search)
{
  gint week = -1, of_week = -1;

  for (guint c = 0; search->names && c < search->n; c++) {
    if (week < 0 && robocache_name_is_of_gps_week (search->names[c]) && !robocache_name_is_of_week_time (search->names[c]))
      week = (gint) c;
    else if (of_week < 0 && robocache_name_is_of_week_time (search->names[c]))
      of_week = (gint) c;
  }
  if (week < 0 || of_week < 0)
    return FALSE;
  if (n_rows (search) > 0 && (!course_of (search, (guint) week).are_integers || course_of (search, (guint) week).greatest > MAX_WEEK))
    return FALSE;
  choose (search, ROBOCACHE_TIME_GPS, (guint) week, of_week, ROBOCACHE_CHOSEN_BY_NAME);
  return TRUE;
}

/* Seconds and their parts that have no other name of a time, like tv_sec and tv_usec. */
static gboolean
choose_parts (Search *search)
{
  for (guint c = 0; search->names && c < search->n; c++) {
    const gint parts = is_taken (search, c) ? -1 : find_parts (search, c);

    if (parts < 0)
      continue;
    choose (search, ROBOCACHE_TIME_PARTS, c, parts, ROBOCACHE_CHOSEN_BY_NAME);
    return TRUE;
  }
  return FALSE;
}

/* ---- by values ---- */

static gboolean
choose_by_values (Search *search)
{
  static const RobocacheCell cells[] = { ROBOCACHE_CELL_DATE, ROBOCACHE_CELL_CLOCK };

  for (guint i = 0; i < G_N_ELEMENTS (cells); i++) {
    for (guint c = 0; c < search->n; c++) {
      if (is_taken (search, c) || !are (search, c, cells[i]))
        continue;
      choose_with_partner (search, c, ROBOCACHE_CHOSEN_BY_VALUES);
      return TRUE;
    }
  }
  return FALSE;
}

/* Without names: whole seconds since 1970 in column 0, and ns in column 1. */
static gboolean
has_seconds_and_ns (const Search *search)
{
  const Course s = course_of (search, 0), ns = course_of (search, 1);
  RobocacheTimeUnit unit;

  return search->n > 2 && s.n > 1 && ns.n == s.n && s.are_integers && s.n_back == 0 && robocache_time_unit_of_date (s.least, 1.0, &unit)
      && unit == ROBOCACHE_TIME_UNIT_S && ns.greatest >= 1e6 && are_parts (search, 1, ROBOCACHE_TIME_UNIT_NS);
}

static gboolean
refuse (GError **error, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error)
    *error = g_error_new_valist (ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, format, args);
  va_end (args);
  return FALSE;
}

/* A table without a header. */
static gboolean
choose_default (Search *search, GError **error)
{
  const Course course = course_of (search, 0);

  if (n_rows (search) > 1 && has_seconds_and_ns (search)) {
    choose (search, ROBOCACHE_TIME_PARTS, 0, 1, ROBOCACHE_CHOSEN_BY_VALUES);
    search->source->reading.second_unit = ROBOCACHE_TIME_UNIT_NS;
    return TRUE;
  }
  choose (search, ROBOCACHE_TIME_NUMBER, is_taken (search, 0) ? 1 : 0, -1, ROBOCACHE_CHOSEN_BY_DEFAULT);
  if (course.n < 2 || search->choice->unit != ROBOCACHE_TIME_UNIT_AUTO)
    return TRUE;
  if (course.count_rows)
    return refuse (error, "the table has no header, and column 0 counts rows: set time-column to the column of the time, or time-unit if it is this "
        "one");
  if (course.least == course.greatest)
    return refuse (error, "the table has no header, and column 0 is %g in each row: set time-column to the column of the time", course.least);
  if (course.n < 10 && course.n_back > 0)
    return refuse (error, "the table has no header, and column 0 goes back %u times in %u rows: set time-column to the column of the time, or to 0 if it is "
        "this one", course.n_back, course.n);
  return TRUE;
}

/* ---- by a format ---- */

static gboolean
fits_format (const Search *search, guint column, gint second)
{
  const gchar *first = n_rows (search) > 0 ? robocache_sample_field (search->sample, 0, column) : "";
  gchar *text = second >= 0 ? g_strconcat (first, " ", robocache_sample_field (search->sample, 0, (guint) second), NULL) : g_strdup (first);
  gint64 unused;
  const gboolean fits = robocache_time_from_format (text, search->choice->format, &unused) == ROBOCACHE_TIME_OK;

  g_free (text);
  return fits;
}

static gboolean
choose_by_format (Search *search, GError **error)
{
  for (guint pass = 0; n_rows (search) > 0 && pass < 3; pass++) {
    for (guint c = 0; c < search->n; c++) {
      const gint second = pass == 2 ? (gint) c + 1 : -1;

      /* named ones first */
      if (is_taken (search, c) || (pass == 0 && (!search->names || robocache_time_name_of (search->names[c]) >= ROBOCACHE_NAME_OF_NO_TIME)))
        continue;
      if ((guint) (second + 1) > search->n || !fits_format (search, c, second))
        continue;
      choose (search, ROBOCACHE_TIME_FORMATTED, c, second, ROBOCACHE_CHOSEN_BY_VALUES);
      return TRUE;
    }
  }
  return refuse (error, "time-format=\"%s\": in the first row with data, no column and no two adjacent columns have this format",
      search->choice->format);
}

/* ---- by the user ---- */

/* The names of columns that are not taken, or NULL. is_listed: those that it accepts, and no column of the time. */
static gchar *
list_names (const Search *search, gboolean (*is_listed) (const gchar * name))
{
  GString *list = g_string_new (NULL);
  guint n = 0;

  for (guint c = 0; search->names && c < search->n; c++) {
    if (is_taken (search, c) || (is_listed && !is_listed (search->names[c])) || (is_listed && (c == search->source->column || (gint) c == search->source->second)))
      continue;
    if (n++ < MAX_NAMED)
      g_string_append_printf (list, "%s%s", n > 1 ? ", " : "", search->names[c]);
  }
  if (n > MAX_NAMED)
    g_string_append_printf (list, " and %u others", n - MAX_NAMED);
  return g_string_free (list, list->len == 0);
}

static gboolean
find_user_column (const Search *search, const gchar *text, guint *column, GError **error)
{
  guint64 number;

  for (guint c = 0; search->names && c < search->n; c++) {
    if (g_str_equal (search->names[c], text)) {
      *column = c;
      return TRUE;
    }
  }
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, &number, NULL)) {
    gchar *all = list_names (search, NULL);

    refuse (error, "time-column=%s: the header has no column of that name%s%s", text, all ? "; the table has " : "", all ? all : "");
    g_free (all);
    return FALSE;
  }
  *column = (guint) number;
  return number < search->n || search->n == 0 || refuse (error, "time-column=%s: the table has columns 0-%u only", text, search->n - 1);
}

/* A name may have a comma, which sets of two columns have, too. */
static gboolean
find_user_columns (const Search *search, guint *column, gint *second, GError **error)
{
  const gchar *text = search->choice->columns, *comma = strchr (text, ',');
  gchar *first;
  guint number;
  gboolean ok;

  *second = -1;
  if (!comma || find_user_column (search, text, column, NULL))
    return find_user_column (search, text, column, error);
  first = g_strstrip (g_strndup (text, (gsize) (comma - text)));
  ok = find_user_column (search, first, column, error) && find_user_column (search, comma + 1, &number, error);
  g_free (first);
  if (ok && number == *column)
    ok = refuse (error, "time-column=%s: expected two different columns", text);
  *second = ok ? (gint) number : -1;
  return ok;
}

/* The unit of parts that have no name: the smallest in which they are less than a second. */
static RobocacheTimeUnit
unit_of_parts (const Search *search, guint column)
{
  const Course course = course_of (search, column);
  RobocacheTimeUnit unit = course.n > 0 ? ROBOCACHE_TIME_UNIT_MS : ROBOCACHE_TIME_UNIT_NS;

  while (unit < ROBOCACHE_TIME_UNIT_NS && course.greatest * robocache_time_unit_seconds (unit) >= 1.0)
    unit++;
  return unit;
}

static gboolean
choose_as_user (Search *search, GError **error)
{
  guint column;
  gint second;

  if (!find_user_columns (search, &column, &second, error))
    return FALSE;
  if (is_set (search->choice->format))
    choose (search, ROBOCACHE_TIME_FORMATTED, column, second, ROBOCACHE_CHOSEN_BY_USER);
  else if (second < 0)
    choose (search, are (search, column, ROBOCACHE_CELL_CLOCK) ? ROBOCACHE_TIME_CLOCK : ROBOCACHE_TIME_NUMBER, column, -1, ROBOCACHE_CHOSEN_BY_USER);
  else if (are (search, column, ROBOCACHE_CELL_DAY) || are (search, (guint) second, ROBOCACHE_CELL_CLOCK))
    choose (search, ROBOCACHE_TIME_DAY_AND_CLOCK, column, second, ROBOCACHE_CHOSEN_BY_USER);
  else if (search->names && robocache_name_is_of_gps_week (search->names[column]))
    choose (search, ROBOCACHE_TIME_GPS, column, second, ROBOCACHE_CHOSEN_BY_USER);
  else
    choose (search, ROBOCACHE_TIME_PARTS, column, second, ROBOCACHE_CHOSEN_BY_USER);
  return TRUE;
}

/* ---- units ---- */

/* How a column's numbers are written. */
typedef struct
{
  gdouble first;                /* the least one */
  gboolean has_decimals, has_fractions; /* "10.0" has decimals, "10.5" a fraction, too */
} Writing;

/* Median step of the column's numbers, sorted and without equal ones; 0: there is none. */
static gdouble
median_step (const Search *search, guint column, Writing *writing)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (gdouble)), *steps = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gdouble median;

  *writing = (Writing) { 0 };
  for (guint i = 0; i < n_rows (search); i++) {
    const gchar *text = robocache_sample_field (search->sample, i, column);
    const gdouble number = number_of (text);

    if (isnan (number))
      continue;
    writing->has_decimals |= strpbrk (text, ".,eE") != NULL;
    writing->has_fractions |= number != floor (number);
    g_array_append_val (numbers, number);
  }
  g_array_sort (numbers, robocache_compare_doubles);
  writing->first = numbers->len > 0 ? g_array_index (numbers, gdouble, 0) : 0.0;
  for (guint i = 1; i < numbers->len; i++) {
    const gdouble step = g_array_index (numbers, gdouble, i) - g_array_index (numbers, gdouble, i - 1);

    if (step > 0.0)
      g_array_append_val (steps, step);
  }
  g_array_sort (steps, robocache_compare_doubles);
  median = steps->len > 0 ? g_array_index (steps, gdouble, (steps->len - 1) / 2) : 0.0;
  g_array_unref (numbers);
  g_array_unref (steps);
  return median;
}

/* FALSE and an error: steps fit no unit. */
static gboolean
guess_unit (Search *search, GError **error)
{
  RobocacheTimeSource *source = search->source;
  RobocacheTimeUnit *unit = &source->reading.unit;
  Writing writing;
  const gdouble step = median_step (search, source->column, &writing);
  const gboolean is_possible = robocache_time_step_is_possible (step) && (robocache_time_step_is_usual (step) || writing.has_fractions);

  if (n_rows (search) < 2)
    return TRUE;
  if (step == 0.0 && (!writing.has_decimals || source->column_by != ROBOCACHE_CHOSEN_BY_USER))
    return refuse (error, "all times are equal, so their unit is unknown; set time-unit, or time-column");
  if (writing.has_decimals && (step == 0.0 || is_possible))
    source->unit_reason = g_strdup ("guessed: it has decimals");
  else if (robocache_time_unit_of_date (writing.first, step, unit))
    source->unit_reason = g_strdup ("guessed: the times then count from 1970");
  else if (robocache_time_unit_of_step (step, unit) && (source->is_unsorted = 20 * course_of (search, source->column).n_back > n_rows (search), TRUE))
    source->unit_reason = g_strdup_printf ("guessed: the median step of %g is then %.4g ms", step, step * robocache_time_unit_seconds (*unit) * 1e3);
  else if (writing.has_decimals && robocache_time_step_is_possible (step))
    source->unit_reason = g_strdup ("guessed: it has decimals");
  else
    return refuse (error, "the median step of the times, %g, fits no sensor of 0.5 Hz to 20 kHz in any unit; set time-unit", step);
  return TRUE;
}

static gboolean
choose_unit (Search *search, GError **error)
{
  RobocacheTimeSource *source = search->source;
  RobocacheTimeReading *reading = &source->reading;
  const gboolean is_gps = reading->form == ROBOCACHE_TIME_GPS;

  source->unit_by = search->choice->unit != ROBOCACHE_TIME_UNIT_AUTO ? ROBOCACHE_CHOSEN_BY_USER : ROBOCACHE_CHOSEN_BY_DEFAULT;
  if (reading->form == ROBOCACHE_TIME_PARTS) {
    if (source->unit_by == ROBOCACHE_CHOSEN_BY_USER)
      reading->second_unit = search->choice->unit;
    else if (!unit_of_column (search, source->second, &reading->second_unit))
      reading->second_unit = unit_of_parts (search, (guint) source->second);
    return TRUE;
  }
  source->has_dates = (reading->form != ROBOCACHE_TIME_NUMBER && !is_gps) || are (search, source->column, ROBOCACHE_CELL_DATE);
  if (source->has_dates)
    source->unit_reason = g_strdup (reading->form == ROBOCACHE_TIME_CLOCK ? "they are times of day" : "they are dates");
  if (source->has_dates || source->unit_by == ROBOCACHE_CHOSEN_BY_USER) {
    reading->unit = source->unit_by == ROBOCACHE_CHOSEN_BY_USER ? search->choice->unit : reading->unit;
    return TRUE;
  }
  if (unit_of_column (search, is_gps ? source->second : (gint) source->column, &reading->unit)) {
    source->unit_by = ROBOCACHE_CHOSEN_BY_NAME;
    source->unit_reason = g_strdup_printf ("by the name %s", is_gps ? source->second_name : source->name);
    return TRUE;
  }
  if (!is_gps)
    return guess_unit (search, error);
  if (n_rows (search) > 0 && course_of (search, (guint) source->second).greatest > 604800.0)
    reading->unit = ROBOCACHE_TIME_UNIT_MS;
  return TRUE;
}

/* ---- the columns ---- */

/* A header, but none of its names is one of a time. */
static gboolean
refuse_names (Search *search, GError **error)
{
  gchar *possible, *all = list_names (search, NULL);

  search->source->column = search->n;
  possible = list_names (search, robocache_time_name_is_possible);
  if (possible)
    refuse (error, "no column is called stamp, timestamp, time or t; set time-column to the column of the time (perhaps %s)", possible);
  else
    refuse (error, "no column has a name of a time, like stamp, timestamp, time or t: the table has %s; set time-column to the "
        "column of the time", all ? all : "none");
  g_free (possible);
  g_free (all);
  return FALSE;
}

static gboolean
choose_columns (Search *search, GError **error)
{
  const gchar *columns = search->choice->columns;

  if (is_set (columns) && !g_str_equal (columns, "-1"))
    return choose_as_user (search, error);
  if (is_set (search->choice->format))
    return choose_by_format (search, error);
  if (choose_by_name (search, ROBOCACHE_NAME_OF_TABLE, ROBOCACHE_NAME_T) || choose_parts (search) || choose_gps (search)
      || choose_by_name (search, ROBOCACHE_NAME_OTHER, ROBOCACHE_NAME_VAGUE) || choose_by_values (search))
    return TRUE;
  return search->names ? refuse_names (search, error) : choose_default (search, error);
}

/* "18.01.2012 10:00:00": a date that may be read in several ways. */
static gboolean
is_other_date (const gchar *text)
{
  const gsize first = strspn (text, "0123456789");
  const gchar *rest = text + first;

  return first > 0 && first <= 4 && *rest && strchr ("./-", *rest) && g_ascii_isdigit (rest[1]) && strchr (rest + 1, *rest);
}

/* The user or a name chose a column without times. */
static gboolean
check_column (const Search *search, GError **error)
{
  const RobocacheTimeSource *source = search->source;
  const gchar *text = n_rows (search) > 0 ? robocache_sample_field (search->sample, 0, source->column) : NULL;
  const gboolean is_day = are (search, source->column, ROBOCACHE_CELL_DAY);

  if (!text || source->reading.form == ROBOCACHE_TIME_FORMATTED || (!is_day && !is_text (search, source->column)) || source->second >= 0)
    return TRUE;
  if (is_day)
    return refuse (error, "column %u (\"%s\") has days without a time of day: set time-column to two columns, like %u,%u", source->column,
        source->name ? source->name : "", source->column, source->column + 1);
  if (is_other_date (text))
    return refuse (error, "column %u (\"%s\") has dates like \"%.40s\": set time-format, like \"%%d.%%m.%%Y %%H:%%M:%%S\" or \"%%m/%%d/%%Y %%H:%%M:%%S\"", source->column,
        source->name ? source->name : "", text);
  return refuse (error, "the time column has no time: it is column %u, counted from 0%s%s%s; set time-column, or delimiter", source->column,
      source->name ? ", called \"" : "", source->name ? source->name : "", source->name ? "\"" : "");
}

gboolean
robocache_time_source_guess (RobocacheTimeSource *source, const RobocacheTimeChoice *choice, gchar **names, guint n,
    const RobocacheSample *sample, GError **error)
{
  Search search = { choice, names, n, sample, source };

  robocache_time_source_clear (source);
  source->reading.leap_seconds = choice->leap_seconds;
  if (is_set (choice->format)) {
    source->reading.format = choice->format;
    if (!robocache_time_format_check (choice->format, &source->reading.format_has_day, error))
      return FALSE;
  }
  if (!choose_columns (&search, error))
    return FALSE;
  source->name = name_of (&search, (gint) source->column);
  source->second_name = name_of (&search, source->second);
  if (source->column_by != ROBOCACHE_CHOSEN_BY_USER)
    source->others = list_names (&search, robocache_time_name_is_possible);
  return check_column (&search, error) && choose_unit (&search, error);
}

gboolean
robocache_time_source_of_numbers (RobocacheTimeSource *source, const RobocacheTimeChoice *choice, GError **error)
{
  Search search = { choice, NULL, 0, NULL, source };

  robocache_time_source_clear (source);
  if (is_set (choice->format))
    return refuse (error, "time-format=\"%s\" is for format=csv: binary records have no dates", choice->format);
  if (!is_set (choice->columns) || g_str_equal (choice->columns, "-1"))
    choose (&search, ROBOCACHE_TIME_NUMBER, 0, -1, ROBOCACHE_CHOSEN_BY_DEFAULT);
  else if (!choose_as_user (&search, error))
    return FALSE;
  return choose_unit (&search, error);
}

void
robocache_time_source_take_unit (RobocacheTimeSource *source, const gchar *unit)
{
  RobocacheTimeUnit found;

  if (source->reading.form != ROBOCACHE_TIME_NUMBER || source->unit_by != ROBOCACHE_CHOSEN_BY_DEFAULT || source->has_dates
      || !robocache_time_unit_of_name (unit, &found))
    return;
  source->reading.unit = found;
  source->unit_by = ROBOCACHE_CHOSEN_BY_NAME;
  g_free (source->unit_reason);
  source->unit_reason = g_strdup ("by the line with the units");
}

/* ---- what is said ---- */

static void
append_column (GString *text, guint column, const gchar *name)
{
  g_string_append_printf (text, "%u", column);
  if (name)
    g_string_append_printf (text, " (\"%s\")", name);
}

gchar *
robocache_time_source_describe (const RobocacheTimeSource *source)
{
  const RobocacheTimeReading *reading = &source->reading;
  GString *text = g_string_new (source->second >= 0 ? "columns " : "column ");

  append_column (text, source->column, source->name);
  if (source->second >= 0) {
    g_string_append (text, " and ");
    append_column (text, (guint) source->second, source->second_name);
  }
  if (reading->form == ROBOCACHE_TIME_PARTS)
    g_string_append_printf (text, ", in s and %s", robocache_time_unit_name (reading->second_unit));
  else if (reading->form == ROBOCACHE_TIME_GPS)
    g_string_append_printf (text, ", GPS weeks and %s", robocache_time_unit_name (reading->unit));
  else if (reading->form == ROBOCACHE_TIME_DAY_AND_CLOCK)
    g_string_append (text, ", days and times of day");
  else if (reading->form == ROBOCACHE_TIME_CLOCK)
    g_string_append (text, ", times of day, in order over midnight");
  else if (reading->form == ROBOCACHE_TIME_FORMATTED)
    g_string_append (text, ", as time-format has it");
  else if (source->has_dates)
    g_string_append (text, ", dates");
  else
    g_string_append_printf (text, " in %s", robocache_time_unit_name (reading->unit));
  return g_string_free (text, FALSE);
}

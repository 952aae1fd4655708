/* robocache: guesses the columns of a table's times, their form and unit, from names and the first rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tablesample.h"
#include "tabletime.h"

/* The source of a choice of column or unit. */
typedef enum
{
  ROBOCACHE_CHOSEN_BY_DEFAULT,
  ROBOCACHE_CHOSEN_BY_NAME,     /* by a name in the header */
  ROBOCACHE_CHOSEN_BY_VALUES,   /* by fields that are dates, or times of day */
  ROBOCACHE_CHOSEN_BY_USER
} RobocacheChoice;

/* Settings of the user. */
typedef struct
{
  const gchar *columns;         /* one or two, numbers or names: "0", "stamp", "sec,nanosec"; NULL, "" or "-1": not set */
  const gchar *format;          /* NULL or "": not set */
  RobocacheTimeUnit unit;       /* ROBOCACHE_TIME_UNIT_AUTO: not set */
  gint leap_seconds;            /* -1: not set */
  gint arrival_column;          /* no column of times; -1: there is none */
} RobocacheTimeChoice;

/* The columns, form and unit of a table's times. The choice owns the format string. */
typedef struct
{
  RobocacheTimeReading reading; /* the form of the times; the unit is never auto */
  guint column;                 /* from 0 */
  gint second;                  /* the second column; -1: there is none */
  RobocacheChoice column_by, unit_by;
  gboolean is_unsorted;         /* the unit is guessed from steps, but the sample is not in order: a longer sample gives a better guess */
  gboolean has_dates;           /* a time was no number, and so has no unit */
  gchar *name, *second_name;    /* names of the columns; NULL without a header */
  gchar *others;                /* names of other columns that may be times, or NULL */
  gchar *unit_reason;           /* why this unit was chosen; NULL: the user set it, or times have no unit */
} RobocacheTimeSource;

void robocache_time_source_clear (RobocacheTimeSource * source);
/* Makes copy, which is zeroed or another source, equal to source, but for the format, which it does not have. */
void robocache_time_source_copy (RobocacheTimeSource * copy, const RobocacheTimeSource * source);

/* Sets the options that the user did not set, by names (NULL: no header) and a sample of rows (NULL: no sample). FALSE and an error that
 * names the property to set: no column is a time. Columns are, in this order: one called stamp, timestamp, time or t, with or without a
 * unit ("stamp_ns", "t [ms]"); seconds and parts of them ("sec,nanosec"); GPS week and seconds; another name of a time ("elapsed", "ms");
 * dates and times of day; and, without a header, column 0 if its numbers increase, and do not count rows. The unit is that of the name, or
 * that in which numbers count from 1970, or in which steps are those of a sensor; of fewer than two rows, seconds. */
gboolean robocache_time_source_guess (RobocacheTimeSource * source, const RobocacheTimeChoice * choice, gchar ** names, guint n,
    const RobocacheSample * sample, GError ** error);

/* Sets the unit that a line of units has for the first column, unless the user or the name set one, or it is no unit of time. */
void robocache_time_source_take_unit (RobocacheTimeSource * source, const gchar * unit);

/* For a table of numbers without names: the columns that the user set, or column 0. FALSE and an error: a column is no number. */
gboolean robocache_time_source_of_numbers (RobocacheTimeSource * source, const RobocacheTimeChoice * choice, GError ** error);

/* "stamp in ns", "sec and nanosec": the columns, by names or numbers, and how they are read. Free with g_free. */
gchar *robocache_time_source_describe (const RobocacheTimeSource * source);

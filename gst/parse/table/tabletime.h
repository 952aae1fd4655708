/* robocache: the time of a row of a table, from its fields
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/text/timetext.h"

/* Forms of a time in the fields of one or two columns. */
typedef enum
{
  ROBOCACHE_TIME_NUMBER,        /* a number of a unit, or an ISO date */
  ROBOCACHE_TIME_PARTS,         /* seconds, and a number of second_unit to add */
  ROBOCACHE_TIME_DAY_AND_CLOCK, /* a day, and a time of day */
  ROBOCACHE_TIME_CLOCK,         /* a time of day, which begins again at midnight */
  ROBOCACHE_TIME_FORMATTED,     /* in time-format, the fields of two columns with a blank between them */
  ROBOCACHE_TIME_GPS            /* a GPS week, and a number of unit since its beginning */
} RobocacheTimeForm;

/* The form of a table's times. The format is the owner's. */
typedef struct
{
  RobocacheTimeForm form;
  RobocacheTimeUnit unit, second_unit;
  const gchar *format;          /* time-format for ROBOCACHE_TIME_FORMATTED, already checked */
  gboolean format_has_day;
  gint leap_seconds;            /* seconds that GPS time is ahead of UTC; -1: from the table of leap seconds */
} RobocacheTimeReading;

/* Times of day so far. A zeroed struct is at the beginning. */
typedef struct
{
  gboolean has_previous;
  gint64 previous;              /* ns since midnight */
  gint64 days;                  /* midnights passed */
} RobocacheDayClock;

/* Reads a time; second: field of the second column, or NULL. The first field may be changed. clock is of times of day: one that is at least 12 hours before
 * the previous one is after midnight. */
RobocacheTimeStatus robocache_table_time_read (const RobocacheTimeReading * reading, RobocacheDayClock * clock, const gchar * first,
    const gchar * second, gint64 * time_ns);

/* Leap seconds that GPS was ahead of UTC at a GPS time, which counts seconds since 1970 without leap seconds: IERS Bulletin C, up to 18
 * since 2017. */
gint robocache_leap_seconds_at (gint64 gps_s);

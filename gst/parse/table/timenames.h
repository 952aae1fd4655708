/* robocache: recognizes times and their units by the name of a column
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/text/timetext.h"

/* Classes of column names, from the best to the worst name for a time. */
typedef enum
{
  ROBOCACHE_NAME_OF_TABLE,      /* the first column of tables that robocache align wrote */
  ROBOCACHE_NAME_STAMP,         /* stamp, with or without a unit, as "stamp_ns", "Stamp [ns]", "header.stamp" */
  ROBOCACHE_NAME_TIMESTAMP,
  ROBOCACHE_NAME_TIME,
  ROBOCACHE_NAME_T,
  ROBOCACHE_NAME_OTHER,         /* elapsed, epoch, datetime, Zeit, a unit of time alone, … */
  ROBOCACHE_NAME_VAGUE,         /* a name with "time" or "stamp" in it, but no word for an arrival or a duration */
  ROBOCACHE_NAME_OF_NO_TIME
} RobocacheTimeName;

RobocacheTimeName robocache_time_name_of (const gchar * name);
/* Whether a name is one of those that the time is sought by first: stamp, timestamp, time, t. */
static inline gboolean
robocache_name_is_of_time (const gchar *name)
{
  return robocache_time_name_of (name) <= ROBOCACHE_NAME_T;
}

/* Whether a column with this name may be one of times, of arrivals, too. */
gboolean robocache_time_name_is_possible (const gchar * name);

/* The unit in a name like "stamp_ns", "t (ms)", "time[s]", "TimeUS" or "ms"; FALSE: the name has no unit. */
gboolean robocache_time_unit_of_name (const gchar * name, RobocacheTimeUnit * unit);
/* The name without its unit, in lower case: equal for "sec" and "nanosec", and for "stamp.sec" and "stamp.nanosec". Free with g_free. */
gchar *robocache_time_name_stem (const gchar * name);

/* Names of GPS times: of a week number, and of the time in a week. */
gboolean robocache_name_is_of_gps_week (const gchar * name);
gboolean robocache_name_is_of_week_time (const gchar * name);

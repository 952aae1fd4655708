/* robocache: the time of a row of a table, from its fields
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tabletime.h"

#include "timedate.h"
#include "timeformat.h"

#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define NS_PER_DAY (86400 * NS_PER_S)
#define S_PER_WEEK G_GINT64_CONSTANT (604800)
#define GPS_EPOCH_S G_GINT64_CONSTANT (315964800)      /* 1980-01-06, since 1970 */
#define MAX_WEEK 10000

gint
robocache_leap_seconds_at (gint64 gps_s)
{
  /* beginning of the first second (UTC, since 1970) with one leap second, with two, … */
  static const gint64 beginnings[] = { 362793600, 394329600, 425865600, 489024000, 567993600, 631152000, 662688000, 709948800, 741484800,
    773020800, 820454400, 867715200, 915148800, 1136073600, 1230768000, 1341100800, 1435708800, 1483228800
  };
  gint n = 0;

  while (n < (gint) G_N_ELEMENTS (beginnings) && gps_s >= beginnings[n] + n + 1)
    n++;
  return n;
}

static RobocacheTimeStatus
add (RobocacheTimeStatus status, gint64 ns, gint64 *time_ns)
{
  if (status == ROBOCACHE_TIME_OK && __builtin_add_overflow (*time_ns, ns, time_ns))
    return ROBOCACHE_TIME_OVERFLOW;
  return status;
}

static RobocacheTimeStatus
read_parts (const RobocacheTimeReading *reading, const gchar *first, const gchar *second, gint64 *time_ns)
{
  gint64 part;
  const RobocacheTimeStatus status = robocache_time_from_text (second, reading->second_unit, &part);

  if (status == ROBOCACHE_TIME_OK && (part < 0 || part >= NS_PER_S))
    return ROBOCACHE_TIME_NOT_A_NUMBER;
  return status != ROBOCACHE_TIME_OK ? status : add (robocache_time_from_text (first, reading->unit, time_ns), part, time_ns);
}

static RobocacheTimeStatus
read_gps (const RobocacheTimeReading *reading, const gchar *first, const gchar *second, gint64 *time_ns)
{
  gint64 week, ns, beginning;
  RobocacheTimeStatus status = robocache_time_from_text (first, ROBOCACHE_TIME_UNIT_NS, &week);

  if (status == ROBOCACHE_TIME_OK)
    status = robocache_time_from_text (second, reading->unit, &ns);
  if (status != ROBOCACHE_TIME_OK)
    return status;
  if (week < 0 || week > MAX_WEEK || ns < 0 || ns > S_PER_WEEK * NS_PER_S)
    return ROBOCACHE_TIME_OVERFLOW;
  beginning = GPS_EPOCH_S + week * S_PER_WEEK;
  beginning -= reading->leap_seconds >= 0 ? reading->leap_seconds : robocache_leap_seconds_at (beginning + ns / NS_PER_S);
  *time_ns = beginning * NS_PER_S + ns;
  return ROBOCACHE_TIME_OK;
}

/* A step of half a day or more between an evening and a morning is one over midnight, either way. */
static void
pass_midnight (RobocacheDayClock *clock, gint64 *time_ns)
{
  const gint64 now = *time_ns, step = clock->has_previous ? now - clock->previous : 0;

  clock->days += step <= -NS_PER_DAY / 2 && clock->previous >= NS_PER_DAY / 4 * 3 && now < NS_PER_DAY / 4;
  clock->days -= step >= NS_PER_DAY / 2 && clock->days > 0 && now >= NS_PER_DAY - NS_PER_DAY / 24;
  clock->has_previous = TRUE;
  clock->previous = now;
  *time_ns += clock->days * NS_PER_DAY;
}

static RobocacheTimeStatus
read_formatted (const RobocacheTimeReading *reading, RobocacheDayClock *clock, const gchar *first, const gchar *second, gint64 *time_ns)
{
  gchar *both = second ? g_strconcat (first, " ", second, NULL) : NULL;
  const RobocacheTimeStatus status = robocache_time_from_format (both ? both : first, reading->format, time_ns);

  g_free (both);
  if (status == ROBOCACHE_TIME_OK && !reading->format_has_day)
    pass_midnight (clock, time_ns);
  return status;
}

static RobocacheTimeStatus
read_day_and_clock (const gchar *first, const gchar *second, gint64 *time_ns)
{
  gint64 days, ns;
  const RobocacheTimeStatus status = robocache_time_from_clock (second, &ns);

  if (status != ROBOCACHE_TIME_OK || !robocache_days_from_text (first, &days))
    return ROBOCACHE_TIME_NOT_A_NUMBER;
  return robocache_time_from_days (days, 0, ns, time_ns);
}

RobocacheTimeStatus
robocache_table_time_read (const RobocacheTimeReading *reading, RobocacheDayClock *clock, const gchar *first, const gchar *second, gint64 *time_ns)
{
  RobocacheTimeStatus status;

  switch (reading->form) {
    case ROBOCACHE_TIME_PARTS:
      return read_parts (reading, first, second, time_ns);
    case ROBOCACHE_TIME_DAY_AND_CLOCK:
      return read_day_and_clock (first, second, time_ns);
    case ROBOCACHE_TIME_CLOCK:
      status = robocache_time_from_clock (first, time_ns);
      if (status == ROBOCACHE_TIME_OK)
        pass_midnight (clock, time_ns);
      return status;
    case ROBOCACHE_TIME_FORMATTED:
      return read_formatted (reading, clock, first, second, time_ns);
    case ROBOCACHE_TIME_GPS:
      return read_gps (reading, first, second, time_ns);
    case ROBOCACHE_TIME_NUMBER:
      break;
  }
  status = robocache_time_from_text (first, reading->unit, time_ns);
  return status == ROBOCACHE_TIME_NOT_A_NUMBER ? robocache_time_from_date (first, time_ns) : status;
}

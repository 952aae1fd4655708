/* robocache: units of times that steps tell
 *
 * Steps are compared as doubles, only to choose a unit: nothing here becomes a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timeunits.h"

#include <math.h>

#define MIN_STEP_S 10e-6
#define MAX_STEP_S 100.0

#define MIN_USUAL_STEP_S 50e-6
#define MAX_USUAL_STEP_S 2.0
#define USUAL_STEP_S 10e-3

/* 2000 and 2100, in seconds since 1970 */
#define MIN_DATE_S 946684800.0
#define MAX_DATE_S 4102444800.0

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

gboolean
robocache_time_step_is_possible (gdouble step_s)
{
  return step_s >= MIN_STEP_S && step_s <= MAX_STEP_S;
}

gboolean
robocache_time_step_is_usual (gdouble step_s)
{
  return step_s >= MIN_USUAL_STEP_S && step_s <= MAX_USUAL_STEP_S;
}

gboolean
robocache_time_unit_of_step (gdouble step, RobocacheTimeUnit *unit)
{
  gdouble least_distance = INFINITY;

  for (RobocacheTimeUnit i = 0; i < ROBOCACHE_TIME_UNIT_AUTO; i++) {
    const gdouble step_s = step * robocache_time_unit_seconds (i), distance = fabs (log (step_s / USUAL_STEP_S));

    if (robocache_time_step_is_usual (step_s) && distance < least_distance) {
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

    if (time * seconds >= MIN_DATE_S && time * seconds <= MAX_DATE_S && robocache_time_step_is_usual (step * seconds)) {
      *unit = i;
      return TRUE;
    }
  }
  return FALSE;
}

/* robocache: the clocks of this host and of a pipeline, read together
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "clockreading.h"

#include <time.h>

/* Readings, of which the closest counts. */
#define N_READINGS 5

static gint64
read_clock (clockid_t id)
{
  struct timespec time;

  clock_gettime (id, &time);
  return time.tv_sec * (gint64) GST_SECOND + time.tv_nsec;
}

static RobocacheClockReading
read_once (GstClock *clock, GstClockTime base_time)
{
  RobocacheClockReading reading;

  reading.system_before_ns = read_clock (CLOCK_REALTIME);
  reading.running_ns = clock ? (gint64) (gst_clock_get_time (clock) - base_time) : 0;
  reading.system_after_ns = read_clock (CLOCK_REALTIME);
  reading.monotonic_ns = read_clock (CLOCK_MONOTONIC);
  reading.boot_ns = read_clock (CLOCK_BOOTTIME);
  return reading;
}

RobocacheClockReading
robocache_clock_reading_of (GstElement *element)
{
  GstClock *clock = gst_element_get_clock (element);
  const GstClockTime base_time = gst_element_get_base_time (element);
  RobocacheClockReading best = read_once (clock, base_time);

  for (guint i = 1; i < N_READINGS; i++) {
    const RobocacheClockReading next = read_once (clock, base_time);

    if (next.system_after_ns - next.system_before_ns < best.system_after_ns - best.system_before_ns)
      best = next;
  }
  gst_clear_object (&clock);
  return best;
}

gint64
robocache_clock_reading_origin (const RobocacheClockReading *reading, gint64 *uncertainty_ns)
{
  *uncertainty_ns = (reading->system_after_ns - reading->system_before_ns) / 2;
  return reading->system_before_ns + *uncertainty_ns - reading->running_ns;
}

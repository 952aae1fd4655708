/* robocache: the system clock's time at running time 0
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "systemorigin.h"

#include <time.h>

/* Readings, of which the closest counts. */
#define N_READINGS 5

static gint64
read_system (void)
{
  struct timespec time;

  clock_gettime (CLOCK_REALTIME, &time);
  return time.tv_sec * (gint64) GST_SECOND + time.tv_nsec;
}

gint64
robocache_system_origin (GstElement *element, gint64 *uncertainty_ns)
{
  GstClock *clock = gst_element_get_clock (element);
  const GstClockTime base_time = gst_element_get_base_time (element);
  gint64 origin_ns = 0;

  *uncertainty_ns = G_MAXINT64;
  for (guint i = 0; i < N_READINGS; i++) {
    const gint64 before = read_system ();
    const gint64 running = clock ? (gint64) (gst_clock_get_time (clock) - base_time) : 0;
    const gint64 half = (read_system () - before) / 2;

    if (half < *uncertainty_ns) {
      *uncertainty_ns = half;
      origin_ns = before + half - running;
    }
  }
  gst_clear_object (&clock);
  return origin_ns;
}

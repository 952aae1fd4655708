/* robocache: the clocks of this host and of a pipeline, read together
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* One reading of all clocks (ns). */
typedef struct
{
  gint64 system_before_ns, running_ns, system_after_ns; /* read in this order; running_ns: the pipeline's clock since its base time */
  gint64 monotonic_ns, boot_ns; /* clocks that no step moves: since some time, and since the start of the host */
} RobocacheClockReading;

/* Reads all clocks several times, and returns the reading with the shortest time between both readings of the system clock. The running time of an element without a
 * clock is 0. */
RobocacheClockReading robocache_clock_reading_of (GstElement * element);

/* The system clock (ns) at running time 0; *uncertainty_ns is half the time between its two readings. */
gint64 robocache_clock_reading_origin (const RobocacheClockReading * reading, gint64 * uncertainty_ns);

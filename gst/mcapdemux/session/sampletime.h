/* robocache: times of capture of messages, and the time of running time 0
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/time/clocks/clockmap.h"

#define ROBOCACHE_MCAP_NO_ORIGIN G_MININT64

typedef enum
{
  ROBOCACHE_MCAP_TIME_AUTO,
  ROBOCACHE_MCAP_TIME_PUBLISH,
  ROBOCACHE_MCAP_TIME_LOG
} RobocacheMcapTimeSource;

typedef enum
{
  ROBOCACHE_MCAP_START_ZERO,
  ROBOCACHE_MCAP_START_KEEP,
  ROBOCACHE_MCAP_START_OWN
} RobocacheMcapStart;

/* Times of a message (ns of the recording's clock). */
typedef struct
{
  gint64 stamp_ns;              /* ROBOCACHE_ROS_NO_TIME: none */
  guint64 log_time, publish_time;
} RobocacheMcapTimes;

/* Corrections of a recording's stamps. A zeroed struct does not change the stamps. */
typedef struct
{
  RobocacheClockMap *map;       /* NULL: all are of one clock */
  GHashTable *zeros;            /* names of topics whose stamps of 0 are times; NULL: none */
} RobocacheMcapClocks;

/* The time of capture of a message of a topic, on the timeline of the clocks. *from_stamp: FALSE if the message has no stamp, or source selects
 * another time. */
gint64 robocache_mcap_time_of_capture (RobocacheMcapTimeSource source, const RobocacheMcapClocks * clocks, const gchar * topic,
    const RobocacheMcapTimes * times, gboolean * from_stamp);

/* The saturated difference of two times. */
gint64 robocache_mcap_time_difference (gint64 a, gint64 b);
/* A log time as a signed time, saturated. */
gint64 robocache_mcap_time_signed (guint64 time);

/* robocache: times of capture of live messages, and running times of the clock of their stamps
 *
 * Plain values: the caller reads clocks, or invents them. Running time stops in a pause and is continuous over a step of a clock, so a span of
 * time has an origin of its own after each of these.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/clockreading.h"
#include "properties.h"

/* Spans that are kept. A message that is older than all of them counts as captured before running time 0. */
#define ROBOCACHE_ROS_MAX_SPANS 16

/* Running times between start and end, and the clocks at running time 0 as this span counts (ns). */
typedef struct
{
  gint64 origin_ns;             /* clock of the stamps; ROBOCACHE_ROS_NO_ORIGIN: not known yet */
  gint64 monotonic_ns;
  gint64 start_ns, end_ns;      /* end of the last one while playing: G_MAXINT64 */
} RobocacheRosSpan;

typedef struct
{
  gint64 set_origin_ns;         /* setting time-origin */
  gboolean is_simulated, follows;       /* stamps are on the clock of /clock; origins follow steps of the system clock */
  RobocacheRosSpan spans[ROBOCACHE_ROS_MAX_SPANS];
  guint n_spans;
  guint64 n_changes;            /* spans that were ever begun */
  gint64 uncertainty_ns;        /* uncertainty of the first origin after the last start */
  gint64 lead_ns;               /* system clock minus monotonic clock, when last read */
  gint64 agreed_ns;             /* last running time at which the lead was lead_ns */
  gint64 boot_ns;               /* system clock at the start of the host */
  gint64 boot_running_ns;       /* running time of the start of the host, negative */
} RobocacheRosMapping;

/* Nothing is mapped before the first start. */
void robocache_ros_mapping_init (RobocacheRosMapping * mapping, const RobocacheRosSrcSettings * settings);
/* Playing starts, or starts again, and stops. */
void robocache_ros_mapping_start (RobocacheRosMapping * mapping, const RobocacheClockReading * clocks);
void robocache_ros_mapping_stop (RobocacheRosMapping * mapping, const RobocacheClockReading * clocks);
/* Returns the step (ns) of the system clock since the last reading; 0: none above 1 ms. */
gint64 robocache_ros_mapping_check (RobocacheRosMapping * mapping, gint64 system_ns, gint64 monotonic_ns);
/* /clock is at sim_ns, and before that it was at last_ns (ROBOCACHE_ROS_NO_ORIGIN: this is its first message), when a message came. Returns
 * how far it stepped back; times continue from there. */
gint64 robocache_ros_mapping_set_sim_time (RobocacheRosMapping * mapping, gint64 last_ns, gint64 sim_ns, gint64 monotonic_ns);

/* The origin of the last span; ROBOCACHE_ROS_NO_ORIGIN: not known. */
gint64 robocache_ros_mapping_origin (const RobocacheRosMapping * mapping);
/* Now on the clock of the stamps, and as running time. system_ns and monotonic_ns: clocks at that time; sim_ns: of /clock. An origin must be
 * known. */
gint64 robocache_ros_mapping_now (const RobocacheRosMapping * mapping, gint64 system_ns, gint64 monotonic_ns, gint64 sim_ns, gint64 * running_ns);
/* The start of this host on the clock of the stamps; before the first time of /clock. */
gint64 robocache_ros_mapping_boot (const RobocacheRosMapping * mapping);

typedef enum
{
  ROBOCACHE_ROS_PLACED,
  ROBOCACHE_ROS_BEFORE_ORIGIN,
  ROBOCACHE_ROS_IN_PAUSE
} RobocacheRosPlacement;

/* Converts a time on the clock of the stamps, of a message that arrived at a running time. A clock that was set has had some times twice: of two
 * running times the one is right that the arrival follows closest. If it is not placed, *running_ns is that of the next start. */
RobocacheRosPlacement robocache_ros_mapping_place (const RobocacheRosMapping * mapping, gint64 time_ns, gint64 arrival_running_ns, gint64 * running_ns);
/* The inverse: the clock of the stamps at a running time. An origin must be known. */
gint64 robocache_ros_mapping_time (const RobocacheRosMapping * mapping, gint64 running_ns);

/* Times of a message (ns). */
typedef struct
{
  gint64 stamp_ns;              /* ROBOCACHE_ROS_NO_TIME: 0 or none */
  gboolean has_stamp;           /* the message's type has a stamp */
  gint64 source_ns;
  gint64 now_ns;                /* arrival on the clock of the stamps */
} RobocacheRosTimes;

/* Chooses the time of capture by the settings. boot_ns: the earliest valid time. NULL, or why the time is not valid and no fallback is set. */
const gchar *robocache_ros_time_of_capture (const RobocacheRosSrcSettings * settings, const RobocacheRosTimes * times, gint64 boot_ns,
    gint64 * time_ns);

/* robocache: times of capture of live messages, and the system clock's time at running time 0
 *
 * Plain values: the caller reads clocks, or invents them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_ROS_ROSTIME_H
#define GST_ROBOCACHE_ROS_ROSTIME_H

#include "properties.h"

G_BEGIN_DECLS

/* One reading of all clocks (ns). */
typedef struct
{
  gint64 system_before_ns, running_ns, system_after_ns; /* read in this order; running_ns: the pipeline's clock since its base time */
  gint64 monotonic_ns, boot_ns; /* clocks that no step moves: since some time, and since the start of the host */
} RobocacheRosClocks;

typedef struct
{
  gint64 origin_ns;             /* system clock at running time 0; ROBOCACHE_ROS_NO_ORIGIN: not known yet */
  gint64 uncertainty_ns;        /* of the origin */
  gint64 lead_ns;               /* system clock minus monotonic clock, when last read */
  gint64 boot_ns;               /* system clock at the start of the host */
} RobocacheRosMapping;

/* Maps running time 0 by one reading, unless origin_ns sets it. */
void robocache_ros_mapping_init (RobocacheRosMapping * mapping, const RobocacheRosClocks * clocks, gint64 origin_ns);
/* Returns the step (ns) of the system clock since the last reading; 0: none above 1 ms. follows: the mapping moves with it. */
gint64 robocache_ros_mapping_check (RobocacheRosMapping * mapping, gint64 system_ns, gint64 monotonic_ns, gboolean follows);

/* Times of a message (ns of the system clock). */
typedef struct
{
  gint64 stamp_ns;              /* ROBOCACHE_ROS_NO_TIME: 0 or none */
  gboolean has_stamp;           /* its type has a stamp */
  gint64 source_ns, arrival_ns;
  gint64 now_ns;                /* arrival on the clock of the stamps */
} RobocacheRosTimes;

/* Chooses the time of capture by the settings. boot_ns: the earliest valid time. NULL, or why the time is not valid and no fallback is set. */
const gchar *robocache_ros_time_of_capture (const RobocacheRosSrcSettings * settings, const RobocacheRosTimes * times, gint64 boot_ns,
    gint64 * time_ns);

G_END_DECLS
#endif

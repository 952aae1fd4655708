/* robocache: times of capture of live messages, and the system clock's time at running time 0
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rostime.h"

#include "common/ros/messageencoders.h"
#include "common/rospads/outputstream.h"

/* Smaller steps are the slewing of a clock. */
#define MIN_STEP GST_MSECOND

void
robocache_ros_mapping_init (RobocacheRosMapping *mapping, const RobocacheRosClocks *clocks, gint64 origin_ns)
{
  const gint64 half = (clocks->system_after_ns - clocks->system_before_ns) / 2, system_ns = clocks->system_before_ns + half;

  mapping->lead_ns = clocks->system_after_ns - clocks->monotonic_ns;
  mapping->boot_ns = clocks->system_after_ns - clocks->boot_ns;
  mapping->origin_ns = origin_ns;
  mapping->uncertainty_ns = 0;
  if (origin_ns != ROBOCACHE_ROS_NO_ORIGIN)
    return;
  mapping->origin_ns = system_ns - clocks->running_ns;
  mapping->uncertainty_ns = half;
}

gint64
robocache_ros_mapping_check (RobocacheRosMapping *mapping, gint64 system_ns, gint64 monotonic_ns, gboolean follows)
{
  const gint64 step = system_ns - monotonic_ns - mapping->lead_ns;

  if (ABS (step) <= (gint64) MIN_STEP)
    return 0;
  mapping->lead_ns += step;
  mapping->boot_ns += step;
  if (follows)
    mapping->origin_ns += step;
  return step;
}

/* NULL: the time is valid. */
static const gchar *
fault_of (gint64 time_ns, gint64 now_ns, gint64 boot_ns, guint64 max_future)
{
  if (time_ns == 0 || time_ns == ROBOCACHE_ROS_NO_TIME)
    return "its time is 0";
  if (time_ns < boot_ns)
    return "its time is before the start of this host";
  if (time_ns > now_ns && (guint64) time_ns - (guint64) now_ns > max_future)
    return "its time is more than max-future after its arrival";
  return NULL;
}

static gint64
time_by (gint source, const RobocacheRosTimes *times)
{
  if (source == ROBOCACHE_ROS_TIME_ARRIVAL)
    return times->now_ns;
  return source == ROBOCACHE_ROS_TIME_STAMP && times->has_stamp ? times->stamp_ns : times->source_ns;
}

const gchar *
robocache_ros_time_of_capture (const RobocacheRosSrcSettings *settings, const RobocacheRosTimes *times, gint64 boot_ns, gint64 *time_ns)
{
  const gchar *fault;

  *time_ns = time_by (settings->time_source, times);
  fault = fault_of (*time_ns, times->now_ns, boot_ns, settings->max_future);
  if (!fault || settings->time_fallback == ROBOCACHE_ROS_TIME_NONE)
    return fault;
  *time_ns = time_by (settings->time_fallback, times);
  return fault_of (*time_ns, times->now_ns, boot_ns, settings->max_future);
}

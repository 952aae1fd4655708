/* robocache: times of capture of messages, and the one that is running time 0
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sampletime.h"

#include "common/ros/messageencoders.h"

gint64
robocache_mcap_time_signed (guint64 time)
{
  return (gint64) MIN (time, G_MAXINT64);
}

gint64
robocache_mcap_time_difference (gint64 a, gint64 b)
{
  if (b < 0 && a > G_MAXINT64 + b)
    return G_MAXINT64;
  if (b > 0 && a < G_MININT64 + b)
    return G_MININT64;
  return a - b;
}

static gboolean
has_zero (const RobocacheMcapClocks *clocks, const gchar *topic)
{
  return robocache_clock_map_has_zero (clocks->map, topic) || (clocks->zeros && g_hash_table_contains (clocks->zeros, topic));
}

/* A writer without publish times repeats the log time, or leaves 0. */
static gint64
time_of_arrival (RobocacheMcapTimeSource source, const RobocacheMcapTimes *times)
{
  if (source == ROBOCACHE_MCAP_TIME_LOG || (source == ROBOCACHE_MCAP_TIME_AUTO && times->publish_time == 0))
    return robocache_mcap_time_signed (times->log_time);
  return robocache_mcap_time_signed (times->publish_time);
}

gint64
robocache_mcap_time_of_capture (RobocacheMcapTimeSource source, const RobocacheMcapClocks *clocks, const gchar *topic,
    const RobocacheMcapTimes *times, gboolean *from_stamp)
{
  const gboolean is_zero = times->stamp_ns == ROBOCACHE_ROS_NO_TIME && has_zero (clocks, topic);

  *from_stamp = source == ROBOCACHE_MCAP_TIME_AUTO && (is_zero || times->stamp_ns != ROBOCACHE_ROS_NO_TIME);
  if (*from_stamp)
    return robocache_clock_map_stamp (clocks->map, topic, times->log_time, is_zero ? 0 : times->stamp_ns);
  if (source == ROBOCACHE_MCAP_TIME_AUTO)
    return robocache_clock_map_log (clocks->map, time_of_arrival (source, times));
  return time_of_arrival (source, times);
}

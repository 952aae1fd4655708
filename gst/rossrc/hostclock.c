/* robocache: clocks of other hosts, one for each process that publishes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "hostclock.h"

#include <string.h>

#include "common/time/clocktrack.h"

#define PREFIX_BYTES 12

struct _RobocacheRosHostClock
{
  guint8 prefix[PREFIX_BYTES];
  guint n_publishers;
  RobocacheClockTrack *track;
  gint64 arrival_ns;            /* the last one; arrivals of several topics may be in another order */
  gint64 source_ns, converted_ns;       /* of the last message */
};

static void
host_clock_free (RobocacheRosHostClock *clock)
{
  robocache_clock_track_free (clock->track);
  g_free (clock);
}

GPtrArray *
robocache_ros_host_clocks_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) host_clock_free);
}

RobocacheRosHostClock *
robocache_ros_host_clocks_use (GPtrArray *clocks, const guint8 *guid)
{
  RobocacheRosHostClock *clock;

  for (guint i = 0; i < clocks->len; i++) {
    clock = g_ptr_array_index (clocks, i);
    if (memcmp (clock->prefix, guid, PREFIX_BYTES) == 0) {
      clock->n_publishers++;
      return clock;
    }
  }
  clock = g_new0 (RobocacheRosHostClock, 1);
  memcpy (clock->prefix, guid, PREFIX_BYTES);
  clock->n_publishers = 1;
  clock->track = robocache_clock_track_new ();
  clock->arrival_ns = G_MININT64;
  g_ptr_array_add (clocks, clock);
  return clock;
}

void
robocache_ros_host_clocks_release (GPtrArray *clocks, RobocacheRosHostClock *clock)
{
  if (--clock->n_publishers == 0)
    g_ptr_array_remove_fast (clocks, clock);
}

void
robocache_ros_host_clock_read (RobocacheRosHostClock *clock, gint64 source_ns, gint64 monotonic_ns)
{
  clock->arrival_ns = MAX (clock->arrival_ns, monotonic_ns);
  clock->source_ns = source_ns;
  clock->converted_ns = robocache_clock_track_add (clock->track, source_ns, clock->arrival_ns);
}

gint64
robocache_ros_host_clock_convert (const RobocacheRosHostClock *clock, gint64 time_ns)
{
  /* a stamp after the publishing is of yet another clock */
  return time_ns <= clock->source_ns ? robocache_clock_track_map (clock->track, time_ns)
      : (gint64) ((guint64) clock->converted_ns + ((guint64) time_ns - (guint64) clock->source_ns));
}

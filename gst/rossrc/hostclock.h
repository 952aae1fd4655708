/* robocache: clocks of other hosts, one for each process that publishes
 *
 * The time at which DDS published a message and its arrival are a pair of robocache_clock_track_add. All topics of a process share the
 * estimate, so the messages that arrive soonest determine it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef struct _RobocacheRosHostClock RobocacheRosHostClock;

/* The list owns its items. */
GPtrArray *robocache_ros_host_clocks_new (void);
/* The clock of the process with this publisher, by the first twelve bytes of its GUID. */
RobocacheRosHostClock *robocache_ros_host_clocks_use (GPtrArray * clocks, const guint8 * guid);
/* Call once for each use, when no message of the publisher can come any more. */
void robocache_ros_host_clocks_release (GPtrArray * clocks, RobocacheRosHostClock * clock);

/* Reads the times of a message. source_ns: at its publishing, on the clock of the host. monotonic_ns: at its arrival. */
void robocache_ros_host_clock_read (RobocacheRosHostClock * clock, gint64 source_ns, gint64 monotonic_ns);
/* Converts a time of the message that was read last to the monotonic clock of this host. */
gint64 robocache_ros_host_clock_convert (const RobocacheRosHostClock * clock, gint64 time_ns);

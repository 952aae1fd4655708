/* robocache: the newest messages of a topic, and the clock on which most of them agree
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "clockgroups.h"

#define ROBOCACHE_CLOCK_RECENT 16

/* Zeroed, it has no messages. */
typedef struct
{
  RobocacheClockPair pairs[ROBOCACHE_CLOCK_RECENT];
  guint64 n;                    /* messages that were added */
} RobocacheClockRecent;

void robocache_clock_recent_add (RobocacheClockRecent * recent, const RobocacheClockPair * pair);
/* Number of stored messages, and the i-th message, the oldest first. */
guint robocache_clock_recent_count (const RobocacheClockRecent * recent);
const RobocacheClockPair *robocache_clock_recent_at (const RobocacheClockRecent * recent, guint i);

/* Least log time minus stamp (ns) of most of these messages, at a log time: those whose difference is less by more than ROBOCACHE_CLOCK_AGREE are
 * ahead. *slope: its change per ns, at most 0, as in a simulation that is faster than the recorder's clock. There must be a message. */
gint64 robocache_clock_recent_difference (const RobocacheClockRecent * recent, gint64 log_ns, gdouble * slope);

/* robocache: statistics of the last second
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Statistics of an element, read again and again. A zeroed struct is valid and empty. */
#define ROBOCACHE_RECENT_STATS 12
typedef struct
{
  GstStructure *read[ROBOCACHE_RECENT_STATS];   /* the newest last */
  gint64 at_us[ROBOCACHE_RECENT_STATS];         /* monotonic time */
  guint n;
} RobocacheRecentStats;

/* Takes the statistics that were read at that time, and forgets those that are more than a second older. */
void robocache_recent_stats_add (RobocacheRecentStats * recent, GstStructure * stats, gint64 now_us);
const GstStructure *robocache_recent_stats_newest (const RobocacheRecentStats * recent);
/* Span of the readings, in seconds; 0: statistics were read once. */
gdouble robocache_recent_stats_span (const RobocacheRecentStats * recent);
/* Growth of a counter during the span. part: the structure in the statistics that has the counter; NULL: the statistics themselves. */
guint64 robocache_recent_stats_count (const RobocacheRecentStats * recent, const gchar * part, const gchar * counter);
void robocache_recent_stats_clear (RobocacheRecentStats * recent);

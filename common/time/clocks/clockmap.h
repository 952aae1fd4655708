/* robocache: converts the times of several clocks to one timeline
 *
 * A clock is a line of knots. Each knot has a time of the clock, and the shift to add to it. Between knots the shift is interpolated. Before the
 * first knot and after the last knot, the line of the nearest two knots is extended. The recorder's clock, which made the log times, is also a clock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* ---- lines ---- */

typedef struct
{
  gint64 time, shift;           /* ns; time + shift is on the timeline */
} RobocacheClockKnot;

/* Convert a time of the clock to the timeline, and back. knots: RobocacheClockKnot of increasing times; without knots, the time does not
 * change. Results are saturated. */
gint64 robocache_clock_line_at (const GArray * knots, gint64 time);
gint64 robocache_clock_line_back (const GArray * knots, gint64 time);

/* ---- maps ---- */

/* Type of the text of a map. For each topic: its name, whether a stamp of 0 is a stamp, and a list with a log time and the knots of the clock
 * from this log time on. The name "" is the recorder's clock. */
#define ROBOCACHE_CLOCK_MAP_TYPE "a(sba(ta(xx)))"

typedef struct _RobocacheClockMap RobocacheClockMap;

/* Makes a map from a variant of this type. */
RobocacheClockMap *robocache_clock_map_new (GVariant * map);
void robocache_clock_map_free (RobocacheClockMap * map);

/* Converts the stamp of a message with that log time. Topics without an entry keep their stamps. */
gint64 robocache_clock_map_stamp (const RobocacheClockMap * map, const gchar * topic, guint64 log_time, gint64 stamp_ns);
/* Convert a time of the recorder's clock, such as that of a message without a stamp, to the timeline, and back. */
gint64 robocache_clock_map_log (const RobocacheClockMap * map, gint64 log_ns);
gint64 robocache_clock_map_to_log (const RobocacheClockMap * map, gint64 time_ns);
/* Whether stamps of 0 of this topic are times. */
gboolean robocache_clock_map_has_zero (const RobocacheClockMap * map, const gchar * topic);

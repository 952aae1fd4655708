/* robocache: converts the times of several clocks to one timeline
 *
 * A clock is a line of knots: at each knot, a time of the clock and what is added to it. Between knots the shift is interpolated; before the
 * first knot and after the last one, the nearest two knots are extended. The recorder's clock, which has the log times, is a clock as well.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CLOCKMAP_H
#define ROBOCACHE_CLOCKMAP_H

#include <glib.h>

G_BEGIN_DECLS

/* ---- lines ---- */

typedef struct
{
  gint64 time, shift;           /* ns; time + shift is on the timeline */
} RobocacheClockKnot;

/* A time of the clock on the timeline, and the reverse. knots: RobocacheClockKnot of increasing times; without knots, nothing changes.
 * Saturated. */
gint64 robocache_clock_line_at (const GArray * knots, gint64 time);
gint64 robocache_clock_line_back (const GArray * knots, gint64 time);

/* ---- maps ---- */

/* Type of the text of a map: for each topic its name, whether a stamp of 0 is a stamp, and from each log time on the knots of its clock. The
 * name "" is the recorder's clock. */
#define ROBOCACHE_CLOCK_MAP_TYPE "a(sba(ta(xx)))"

typedef struct _RobocacheClockMap RobocacheClockMap;

/* From a variant of that type. */
RobocacheClockMap *robocache_clock_map_new (GVariant * map);
void robocache_clock_map_free (RobocacheClockMap * map);

/* Converts the stamp of a message with that log time. Topics without an entry keep their stamps. */
gint64 robocache_clock_map_stamp (const RobocacheClockMap * map, const gchar * topic, guint64 log_time, gint64 stamp_ns);
/* Converts times of the recorder's clock, as those of messages without a stamp; and the reverse. */
gint64 robocache_clock_map_log (const RobocacheClockMap * map, gint64 log_ns);
gint64 robocache_clock_map_to_log (const RobocacheClockMap * map, gint64 time_ns);
/* Whether stamps of 0 of this topic are times. */
gboolean robocache_clock_map_has_zero (const RobocacheClockMap * map, const gchar * topic);

G_END_DECLS
#endif

/* robocache: times in the form of ISO 8601 dates, and of times of day
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/text/timetext.h"

/* Converts all of text, "2012-01-18T15:12:08.468056009Z", to ns since 1970 in UTC. T may be a blank, and the day 2012/01/18. The fraction may have any number of
 * digits; digits below 1 ns are cut off. The zone is Z, +01:00, +0100, +01 or missing, which means UTC. */
RobocacheTimeStatus robocache_time_from_date (const gchar * text, gint64 * time_ns);

/* Converts all of text, a time of day like "7:03:22.5", to ns since midnight. */
RobocacheTimeStatus robocache_time_from_clock (const gchar * text, gint64 * time_ns);
/* Converts all of text, a day like "2012-01-18" or "2012/01/18", to the days since 1970. */
gboolean robocache_days_from_text (const gchar * text, gint64 * days);
/* Days since 1970 of a day of a month (1 to 12). FALSE: there is no such day. */
gboolean robocache_days_from_numbers (guint year, guint month, guint day, gint64 * days);
/* ns since 1970 of a second of a day and the ns after it. */
RobocacheTimeStatus robocache_time_from_days (gint64 days, gint64 seconds, gint64 ns, gint64 * time_ns);

/* robocache: times in the form of ISO 8601 dates
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TIMEDATE_H
#define ROBOCACHE_TIMEDATE_H

#include "common/text/timetext.h"

G_BEGIN_DECLS

/* Converts all of text, "2012-01-18T15:12:08.468056009Z", to ns since 1970 in UTC. T may be a blank. The fraction may have any number of
 * digits; digits below 1 ns are cut off. The zone is Z, +01:00, +0100, +01 or missing, which means UTC. */
RobocacheTimeStatus robocache_time_from_date (const gchar * text, gint64 * time_ns);

G_END_DECLS
#endif

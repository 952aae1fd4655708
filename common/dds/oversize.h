/* robocache: counts of messages that Cyclone drops as they are larger than its limit
 *
 * Only a line of Cyclone's log tells of them. Counts are kept for topics that are read, so peers cannot make their number grow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef struct _RobocacheDdsOversize RobocacheDdsOversize;

/* The count of a topic of DDS ("rt/imu"), from now on. The log does not name the domain, so a topic in two domains of this process has one
 * count. Any thread may call these functions. */
RobocacheDdsOversize *robocache_dds_oversize_new (const gchar * topic);
void robocache_dds_oversize_free (RobocacheDdsOversize * oversize);
guint64 robocache_dds_oversize_count (const RobocacheDdsOversize * oversize);

/* Reads a line of the log. */
void robocache_dds_oversize_read_log (const gchar * line);

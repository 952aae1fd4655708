/* robocache: SQLite as a storage of bags, the default of ROS 2 up to Humble
 *
 * Tables: topics (name, type), messages (topic, time of arrival, data), and since Iron message_definitions.
 * Source: rosbag2, rosbag2_storage_sqlite3.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BAG_SQLITESTORAGE_H
#define ROBOCACHE_BAG_SQLITESTORAGE_H

#include "storage.h"

G_BEGIN_DECLS

/* *is_stopped, atomic, ends what takes long. Names in errors are `name`, as path may be a temporary one, which may be removed once it
 * is open. NULL and an error: no bag, or damaged. */
RobocacheBagStorage *robocache_sqlite_storage_new (const gchar * path, const gchar * name, gint * is_stopped, GError ** error);

G_END_DECLS
#endif

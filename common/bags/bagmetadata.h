/* robocache: metadata.yaml of a bag, through libyaml
 *
 * Source: rosbag2, rosbag2_storage, versions 1 to 9 of its metadata.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Storage, compression and files of a bag, for a reader. */
typedef struct
{
  gchar *storage;               /* "mcap", "sqlite3", or another name */
  gchar *compression_format, *compression_mode; /* "": none */
  gchar **paths;                /* complete paths of its files */
} RobocacheBagInfo;

/* Reads FOLDER/metadata.yaml. FALSE and an error: the file cannot be read, is not YAML, is nested too deep, or lacks a field, which the
 * error names. */
gboolean robocache_bag_info_read (RobocacheBagInfo * info, const gchar * folder, GError ** error);
/* Like robocache_bag_info_read, but stops when *is_stopped, which is atomic, is set. */
gboolean robocache_bag_info_read_until (RobocacheBagInfo * info, const gchar * folder, gint * is_stopped, GError ** error);
void robocache_bag_info_clear (RobocacheBagInfo * info);

/* robocache: metadata.yaml of a bag, through libyaml
 *
 * Source: rosbag2, rosbag2_storage, versions 1 to 9 of its metadata.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BAG_METADATA_H
#define ROBOCACHE_BAG_METADATA_H

#include <glib.h>

G_BEGIN_DECLS

/* What a reader of its files needs. */
typedef struct
{
  gchar *storage;               /* "mcap", "sqlite3", or another */
  gchar *compression_format, *compression_mode; /* "" where there is none */
  gchar **paths;                /* of its files, complete */
} RobocacheBagInfo;

/* Reads FOLDER/metadata.yaml. FALSE and an error: it cannot be read, is no YAML, or lacks a field, which is named. */
gboolean robocache_bag_info_read (RobocacheBagInfo * info, const gchar * folder, GError ** error);
void robocache_bag_info_clear (RobocacheBagInfo * info);

G_END_DECLS
#endif

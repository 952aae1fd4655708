/* robocache: a file of recorded messages in one of the storage formats of ROS, for a bag
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/mcap/read/reader.h"

typedef struct _RobocacheBagStorage RobocacheBagStorage;

/* Called for a metadata record. */
typedef void (*RobocacheBagMetadata) (gpointer user_data, const gchar * name, GHashTable * metadata);

/* Functions of a storage: those of RobocacheMcapReader, for any storage. */
typedef struct
{
  void (*free) (RobocacheBagStorage * storage);
  void (*select) (RobocacheBagStorage * storage, const guint16 * channel_ids, guint n);
  void (*seek) (RobocacheBagStorage * storage, guint64 log_time);
    RobocacheMcapReadResult (*next) (RobocacheBagStorage * storage, RobocacheMcapMessage * message, GError ** error);
    gboolean (*find_back) (RobocacheBagStorage * storage, guint16 channel_id, guint64 log_time, RobocacheMcapTake take,
      gpointer user_data, guint64 * found);
  void (*read_metadata) (RobocacheBagStorage * storage, RobocacheBagMetadata note, gpointer user_data);
} RobocacheBagStorageClass;

struct _RobocacheBagStorage
{
  const RobocacheBagStorageClass *class;
  const RobocacheMcapDefinitions *definitions;
  gboolean is_empty;            /* the file has no messages */
  guint64 start_time, end_time; /* smallest and greatest log time */
  const gchar *note;            /* for the log, a constant text; NULL: none */
  GPtrArray *warnings;          /* texts about damaged or missing data; NULL: nothing was found when the file was opened */
};

/* mcapstorage.c: an MCAP file. The source must outlive the storage, unless `free_source` is set, which frees its user_data in any case. NULL
 * and an error: not an MCAP file, or it cannot be read. */
RobocacheBagStorage *robocache_mcap_storage_new (const RobocacheMcapSource * source, GDestroyNotify free_source, GError ** error);

/* Like robocache_mcap_storage_new, for a bag of ROS 1 (ros1bag.h). */
RobocacheBagStorage *robocache_ros1_storage_new (const RobocacheMcapSource * source, GDestroyNotify free_source, GError ** error);

/* sqlitestorage.c, if built: an SQLite file. Takes fd, an open file. path: NULL if the file has no name. *is_stopped (atomic): when set, stops
 * long operations. Errors use `name`. Texts and blobs above max_bytes, which is not 0, are an error. NULL and an error: not a bag, damaged, or with views or
 * computed columns instead of tables. */
RobocacheBagStorage *robocache_sqlite_storage_new (int fd, const gchar * path, const gchar * name, guint64 max_bytes, gint * is_stopped,
    GError ** error);

/* robocache: a file of recorded messages in one of the storages of ROS 2, as a bag reads it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BAG_STORAGE_H
#define ROBOCACHE_BAG_STORAGE_H

#include "common/mcap/read/reader.h"

G_BEGIN_DECLS

typedef struct _RobocacheBagStorage RobocacheBagStorage;

/* Called for a metadata record. */
typedef void (*RobocacheBagMetadata) (gpointer user_data, const gchar * name, GHashTable * metadata);

/* What a storage can do; the functions are those of RobocacheMcapReader, for any storage. */
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
  gboolean is_empty;            /* it has no message */
  guint64 start_time, end_time; /* least and greatest log time */
  const gchar *note;            /* for the log, a constant text; NULL: none */
};

G_END_DECLS
#endif

/* robocache: the files of a bag as one recording
 *
 * Messages of all files come in order of their log times; of equal times those of an earlier file first. Channels of files that are
 * the same have one id. Messages that are compressed by zstd come out as they were.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BAG_H
#define ROBOCACHE_BAG_H

#include "storage.h"

G_BEGIN_DECLS

typedef struct _RobocacheBag RobocacheBag;

RobocacheBag *robocache_bag_new (void);
void robocache_bag_free (RobocacheBag * bag);

/* The text of a message of a type ("sensor_msgs/msg/Imu") whose file has none; NULL: unknown. Freed with g_free. */
typedef gchar *(*RobocacheBagDefine) (gpointer user_data, const gchar * type);
/* Adds a file behind those that are there, and takes it over. FALSE and an error: too many channels. define may be NULL. */
gboolean robocache_bag_add (RobocacheBag * bag, RobocacheBagStorage * storage, RobocacheBagDefine define, gpointer user_data,
    GError ** error);

/* Of all files, once they are added. */
const RobocacheMcapDefinitions *robocache_bag_get_definitions (const RobocacheBag * bag);
/* The greatest log time; FALSE: there is no message. */
gboolean robocache_bag_get_end_time (const RobocacheBag * bag, guint64 * end_time);
void robocache_bag_read_metadata (RobocacheBag * bag, RobocacheBagMetadata note, gpointer user_data);

/* As robocache_mcap_reader_select, _seek, _next and _find_back. */
void robocache_bag_select (RobocacheBag * bag, const guint16 * channel_ids, guint n);
void robocache_bag_seek (RobocacheBag * bag, guint64 log_time);
RobocacheMcapReadResult robocache_bag_next (RobocacheBag * bag, RobocacheMcapMessage * message, GError ** error);
gboolean robocache_bag_find_back (RobocacheBag * bag, guint16 channel_id, guint64 log_time, RobocacheMcapTake take,
    gpointer user_data, guint64 * found);

G_END_DECLS
#endif

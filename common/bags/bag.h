/* robocache: the files of a bag as one recording
 *
 * Messages of all files are returned in order of their log times; for equal times, messages of an earlier file come first. Equal channels
 * of several files have one id. Messages that are compressed by zstd are decompressed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "storage.h"

typedef struct _RobocacheBag RobocacheBag;

/* Compressed messages above max_bytes count as damaged. */
RobocacheBag *robocache_bag_new (guint64 max_bytes);
void robocache_bag_free (RobocacheBag * bag);

/* Returns the definition of a type ("sensor_msgs/msg/Imu") if a file has none; NULL: unknown. The bag frees the text with g_free. */
typedef gchar *(*RobocacheBagDefine) (gpointer user_data, const gchar * type);
/* Adds a file (taken) after the existing ones. FALSE and an error: too many channels. name, which warnings use, and define may be NULL.
 * */
gboolean robocache_bag_add (RobocacheBag * bag, RobocacheBagStorage * storage, const gchar * name, RobocacheBagDefine define,
    gpointer user_data, GError ** error);
/* Warnings about damaged or missing data in the files. */
const GPtrArray *robocache_bag_get_warnings (const RobocacheBag * bag);

/* Definitions of all files, once they are added. */
const RobocacheMcapDefinitions *robocache_bag_get_definitions (const RobocacheBag * bag);
/* The greatest log time; FALSE: no messages. */
gboolean robocache_bag_get_end_time (const RobocacheBag * bag, guint64 * end_time);
void robocache_bag_read_metadata (RobocacheBag * bag, RobocacheBagMetadata note, gpointer user_data);

/* Like robocache_mcap_reader_select, _seek, _next and _find_back. */
void robocache_bag_select (RobocacheBag * bag, const guint16 * channel_ids, guint n);
void robocache_bag_seek (RobocacheBag * bag, guint64 log_time);
RobocacheMcapReadResult robocache_bag_next (RobocacheBag * bag, RobocacheMcapMessage * message, GError ** error);
gboolean robocache_bag_find_back (RobocacheBag * bag, guint16 channel_id, guint64 log_time, RobocacheMcapTake take,
    gpointer user_data, guint64 * found);

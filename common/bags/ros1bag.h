/* robocache: bags of ROS 1, as the index and the blocks of an MCAP file
 *
 * Version 2.0 of the format, with chunks that are not compressed or compressed by bzip2 or LZ4. A bag whose recorder was stopped has no
 * index: then its chunks are read once. Source: wiki.ros.org/Bags/Format/2.0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/mcap/read/fileindex.h"

/* The first bytes of a bag of any version; the version follows, "2.0". */
#define ROBOCACHE_ROS1_MAGIC "#ROSBAG V"

typedef struct _RobocacheRos1Bag RobocacheRos1Bag;

/* The source must outlive the bag. */
RobocacheRos1Bag *robocache_ros1_bag_new (const RobocacheMcapSource * source);
void robocache_ros1_bag_free (RobocacheRos1Bag * bag);

/* Makes an index whose channels are the connections, and whose blocks are the chunks. NULL and an error: not a bag of version 2.0, or the
 * source cannot be read. */
RobocacheMcapFileIndex *robocache_ros1_bag_read_index (RobocacheRos1Bag * bag, GError ** error);

/* A RobocacheMcapUnpack: the messages of a chunk. user_data is the bag. */
gboolean robocache_ros1_bag_unpack (gpointer user_data, RobocacheMcapBytes block, RobocacheMcapBuffer * records, GError ** error);

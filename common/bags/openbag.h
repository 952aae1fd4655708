/* robocache: opens a recording of ROS: a folder with metadata.yaml, one of its files, or a bag of ROS 1
 *
 * The first bytes of a file determine its kind. Files that are compressed as a whole are decompressed to the folder for temporary
 * files, where they have no name, so they are removed with the recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "bag.h"

typedef struct
{
  const gchar *location;        /* a folder, a .mcap, .db3 or .bag file, or one of these files with .zstd */
  const gchar *msg_path;        /* folders of .msg files; NULL: none */
  guint64 max_bytes;            /* maximum size of a message or chunk; larger ones count as damaged; 0: the default */
  gint *is_stopped;             /* atomic; when set, stops long operations, also later; must outlive the bag */
} RobocacheBagPlace;

/* NULL and an error; it is a GST_RESOURCE_ERROR if a file is missing or cannot be read. */
RobocacheBag *robocache_bag_open (const RobocacheBagPlace * place, GError ** error);

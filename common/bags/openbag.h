/* robocache: opens a recording of ROS 2: a folder with metadata.yaml, or one of its files
 *
 * The kind of a file is known by its first bytes. Files that are compressed as a whole are decompressed to the folder for temporary
 * files, where they have no name and vanish with the recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_OPENBAG_H
#define ROBOCACHE_OPENBAG_H

#include "bag.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *location;        /* a folder, .mcap or .db3, or one of them with .zstd */
  const gchar *msg_path;        /* folders of .msg files; NULL: none */
  gint *is_stopped;             /* atomic; ends what takes long, also later; it must outlive the bag */
} RobocacheBagPlace;

/* NULL and an error, of GST_RESOURCE_ERROR where a file is missing or cannot be read. */
RobocacheBag *robocache_bag_open (const RobocacheBagPlace * place, GError ** error);

G_END_DECLS
#endif

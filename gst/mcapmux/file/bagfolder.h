/* robocache: metadata.yaml of a folder that ros2 bag plays
 *
 * Source: the storage of rosbag2, metadata version 5 (ROS 2 Humble), which later versions can read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recording.h"

/* The complete files of a bag. */
typedef struct _MuxBag MuxBag;
MuxBag *mux_bag_new (void);
void mux_bag_free (MuxBag * bag);

/* Adds a file. closed: the MUX_CLOSE_FILE output; name: that of the file in the folder. */
void mux_bag_add_file (MuxBag * bag, const gchar * name, const MuxOutput * closed);
/* The text of metadata.yaml; free with g_free. */
gchar *mux_bag_describe (const MuxBag * bag);

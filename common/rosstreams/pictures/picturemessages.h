/* robocache: sensor_msgs/Image, sensor_msgs/CompressedImage and foxglove_msgs/CompressedVideo as frames
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_PICTUREMESSAGES_H
#define ROBOCACHE_PICTUREMESSAGES_H

#include "common/rosstreams/streamreader.h"

G_BEGIN_DECLS

gboolean robocache_picture_messages_have (const gchar * type);
/* NULL and an error: the definition of the type is another one. Buffers of video that only a decoder with the frames before them can
 * show have GST_BUFFER_FLAG_DELTA_UNIT. */
RobocacheStreamReader *robocache_picture_messages_new (const RobocacheRosSource * source, GError ** error);

G_END_DECLS
#endif

/* robocache: the readers of messages, one for each kind of type
 *
 * A constructor returns NULL and an error if the type has an unexpected definition.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "streamreader.h"

/* numbermessages.c: messages with a fixed list of numbers, like Imu and Odometry, as rows. */
gboolean robocache_number_messages_have (const gchar * type);
RobocacheStreamReader *robocache_number_messages_new (const RobocacheRosSource * source, GError ** error);

/* jointmessages.c: rows of joints, by their names. An error, too, if a group names a joint twice. */
#define ROBOCACHE_JOINT_STATE_TYPE "sensor_msgs/JointState"
RobocacheStreamReader *robocache_joint_messages_new (const RobocacheRosSource * source, GError ** error);

/* cloudmessages.c: clouds. */
#define ROBOCACHE_POINT_CLOUD_TYPE "sensor_msgs/PointCloud2"
gboolean robocache_cloud_messages_have (const gchar * type);
RobocacheStreamReader *robocache_cloud_messages_new (const RobocacheRosSource * source, GError ** error);

/* livoxmessages.c: CustomMsg of Livox's drivers as clouds of x, y, z, reflectivity, tag, line and offset_time (ns). */
gboolean robocache_livox_messages_have (const gchar * type);
RobocacheStreamReader *robocache_livox_messages_new (const RobocacheRosSource * source, GError ** error);

/* lasermessages.c: clouds in the scanner's frame. A ray without a return within the scanner's limits is a point of NaN, so that the rays
 * keep their positions. */
gboolean robocache_laser_messages_have (const gchar * type);
RobocacheStreamReader *robocache_laser_messages_new (const RobocacheRosSource * source, GError ** error);

/* pictures/picturemessages.c: sensor_msgs/Image and sensor_msgs/CompressedImage, and RawImage, CompressedImage and CompressedVideo
 * of foxglove_msgs, as frames. Video buffers
 * that need earlier frames for decoding have GST_BUFFER_FLAG_DELTA_UNIT. */
gboolean robocache_picture_messages_have (const gchar * type);
RobocacheStreamReader *robocache_picture_messages_new (const RobocacheRosSource * source, GError ** error);

/* tensormessages.c: std_msgs/…MultiArray, robocache_msgs/Row and robocache_msgs/Tensor as tensors. */
gboolean robocache_tensor_messages_have (const gchar * type);
RobocacheStreamReader *robocache_tensor_messages_new (const RobocacheRosSource * source, GError ** error);

/* anymessages.c: messages of any type as rows of their numbers, selected by source->fields. NULL and an error: the type has no numbers, or
 * none is selected. */
RobocacheStreamReader *robocache_any_messages_new (const RobocacheRosSource * source, GError ** error);
/* Names of fields of such a reader that never become channels, like robocache_row_decoder_skipped. */
const gchar *const *robocache_any_messages_skipped (const RobocacheStreamReader * reader);

/* robocache: the decoder of a topic's messages, by their type
 *
 *   sensor_msgs/JointState                                              rows of joints (jointmessages.c)
 *   sensor_msgs/Imu, geometry_msgs/{Wrench,Pose,Twist,Transform}…,      rows (numbermessages.c)
 *   nav_msgs/Odometry, tf2_msgs/TFMessage, foxglove_msgs/{PoseInFrame,FrameTransform,FrameTransforms}
 *   std_msgs/…MultiArray, robocache_msgs/{Row,Tensor}                   tensors
 *   sensor_msgs/{Image,CompressedImage}                                 frames
 *   foxglove_msgs/{RawImage,CompressedImage,CompressedVideo}            frames
 *   sensor_msgs/{PointCloud2,LaserScan}, foxglove_msgs/{PointCloud,LaserScan}, CustomMsg of Livox   clouds
 *   all others                                                          rows of their numbers (anymessages.c)
 *
 * Types of Foxglove in protobuf and JSON, foxglove.RawImage, are those of foxglove_msgs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "streamreader.h"

/* A channel of a recording, and settings for it. */
typedef struct
{
  const gchar *topic;
  const gchar *type;            /* "sensor_msgs/msg/Imu" */
  const gchar *definition;      /* in schema_encoding */
  gsize definition_size;
  const gchar *caps;            /* caps that the writer recorded; NULL: none */
  const gchar *kinds;           /* recorded for this tensor of a sample, since the caps describe all tensors; NULL: not recorded */
  const gchar *fields;          /* "GLOB,TOPIC:GLOB,…": the numbers to read from topics that match; without a topic, from all types
                                 * without their own decoder; NULL or "": no choice */
  const gchar *joints;          /* "a,b;c": groups; NULL or "" */
  const gchar *message_encoding, *schema_encoding;      /* NULL: cdr and ros2msg */
} RobocacheRosChannel;

typedef struct _RobocacheRosDecoder RobocacheRosDecoder;

/* Reads caps that a writer recorded; the caller unrefs them. NULL: they cannot be read. */
GstCaps *robocache_ros_read_noted_caps (const gchar * text);

/* NULL and a ROBOCACHE_ERROR_CAPS or _PROPERTY: the definition cannot be read, is not that of the type, or has nothing to decode; or a
 * setting is wrong. */
RobocacheRosDecoder *robocache_ros_decoder_new (const RobocacheRosChannel * channel, GError ** error);
void robocache_ros_decoder_free (RobocacheRosDecoder * decoder);

/* Decodes a message. Returns RobocacheRosSample items, which the decoder owns, valid until the next message. NULL and an error: the
 * message is lost. */
GArray *robocache_ros_decoder_run (RobocacheRosDecoder * decoder, gconstpointer message, gsize size, GError ** error);

/* Reads the stamp of a message, of the first sample where samples have stamps of their own. *has_stamp: its type has one; 0 may mean none.
 * FALSE: the message is lost, or has no sample. */
gboolean robocache_ros_decoder_read_stamp (RobocacheRosDecoder * decoder, gconstpointer message, gsize size, gboolean * has_stamp,
    gint64 * stamp_ns);

/* Allows samples of rows without a buffer from now on, from readers that support this. */
void robocache_ros_decoder_leave_rows_bare (RobocacheRosDecoder * decoder);

/* A choice that the decoder made for the messages so far, for the user, UTF-8, by its number from 0 on; NULL: no more. */
const gchar *robocache_ros_decoder_note (const RobocacheRosDecoder * decoder, guint number);

/* Whether the type has a field for the time of capture. */
gboolean robocache_ros_decoder_has_stamps (const RobocacheRosDecoder * decoder);

/* Whether later messages may have streams that the first one has not. */
gboolean robocache_ros_decoder_has_several_streams (const RobocacheRosDecoder * decoder);

/* Names of fields that the general decoder does not read, with NULL at the end; NULL: the type has its own decoder. */
const gchar *const *robocache_ros_decoder_skipped (const RobocacheRosDecoder * decoder);

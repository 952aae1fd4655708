/* robocache: messages of several encodings, as CDR
 *
 *   message encoding   schema encoding
 *   cdr                ros2msg, ros2idl      ROS 2: the message itself
 *   ros1               ros1msg               ROS 1
 *   protobuf           protobuf              the schema is a FileDescriptorSet
 *   json               jsonschema
 *
 * Each schema becomes that of messages of ROS, and each message a message of that schema in CDR, so that one decoder reads all of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/ros/schema.h"

/* The format of the messages of a channel. */
typedef struct
{
  const gchar *type;            /* "sensor_msgs/msg/Imu", "foxglove.Imu" */
  const gchar *message_encoding, *schema_encoding;      /* NULL: cdr and ros2msg */
  gconstpointer definition;     /* text or bytes */
  gsize definition_size;
} RobocacheMessageFormat;

typedef struct _RobocacheTranscoder RobocacheTranscoder;

/* NULL and a ROBOCACHE_ERROR_CAPS: the encodings are not among those above, or the definition cannot be read. */
RobocacheTranscoder *robocache_transcoder_new (const RobocacheMessageFormat * format, GError ** error);
void robocache_transcoder_free (RobocacheTranscoder * transcoder);

/* The schema of the messages that robocache_transcoder_run returns. */
const RobocacheRosSchema *robocache_transcoder_schema (const RobocacheTranscoder * transcoder);

/* Replaces a message by the same message in CDR, which is valid until the next call. FALSE and a ROBOCACHE_ERROR_DATA: the message does not
 * match its definition, or is damaged. */
gboolean robocache_transcoder_run (RobocacheTranscoder * transcoder, gconstpointer * message, gsize * size, GError ** error);

/* robocache: message definitions of ROS 2 as text ("ros2msg"), parsed
 *
 * The text of a message, and behind it those of the types that it is made of:
 *
 *   std_msgs/Header header
 *   float64[9] k                     # fixed, [] unbounded, [<=9] bounded
 *   string<=20 name "default"
 *   uint8 FLOAT32=7
 *   ================================================================================
 *   MSG: std_msgs/Header
 *   ...
 *
 * Source: docs.ros.org, "About internal ROS 2 interfaces", and the registry of the MCAP specification.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SCHEMA_H
#define ROBOCACHE_SCHEMA_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  ROBOCACHE_ROS_BOOL,
  ROBOCACHE_ROS_INT8,
  ROBOCACHE_ROS_UINT8,          /* byte and char, too */
  ROBOCACHE_ROS_INT16,
  ROBOCACHE_ROS_UINT16,
  ROBOCACHE_ROS_INT32,
  ROBOCACHE_ROS_UINT32,
  ROBOCACHE_ROS_INT64,
  ROBOCACHE_ROS_UINT64,
  ROBOCACHE_ROS_FLOAT32,
  ROBOCACHE_ROS_FLOAT64,
  ROBOCACHE_ROS_STRING,
  ROBOCACHE_ROS_WSTRING,
  ROBOCACHE_ROS_MESSAGE         /* another type */
} RobocacheRosKind;

typedef enum
{
  ROBOCACHE_ROS_SINGLE,
  ROBOCACHE_ROS_ARRAY,          /* of `count` items */
  ROBOCACHE_ROS_SEQUENCE        /* of at most `count` items; 0: unbounded */
} RobocacheRosRepeat;

typedef struct
{
  gchar *name;
  RobocacheRosKind kind;
  guint message;                /* index of its type, for ROBOCACHE_ROS_MESSAGE */
  RobocacheRosRepeat repeat;
  guint32 count;
  guint32 max_length;           /* of a string; 0: unbounded */
} RobocacheRosField;

typedef struct
{
  gchar *name;                  /* "sensor_msgs/Imu" */
  GArray *fields;               /* of RobocacheRosField; may be empty */
} RobocacheRosType;

typedef struct
{
  GPtrArray *types;             /* of RobocacheRosType; the message itself is the first */
} RobocacheRosSchema;

/* Parses the text of the message `name` ("sensor_msgs/msg/Imu"). Time, Duration and Header may be missing in it, as some writers
 * leave them out. NULL and a ROBOCACHE_ERROR_CAPS that names type and line. */
RobocacheRosSchema *robocache_ros_schema_parse (const gchar * name, const gchar * text, gsize length, GError ** error);
void robocache_ros_schema_free (RobocacheRosSchema * schema);

const RobocacheRosType *robocache_ros_schema_type (const RobocacheRosSchema * schema, guint index);
/* Bytes of one number; 0 for other kinds. */
static inline guint
robocache_ros_kind_bytes (RobocacheRosKind kind)
{
  static const guint8 bytes[] = { 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0, 0, 0 };

  return bytes[kind];
}

G_END_DECLS
#endif

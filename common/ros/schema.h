/* robocache: message definitions of ROS as text ("ros2msg" and "ros1msg"), parsed
 *
 * The text of a message, followed by the texts of the types that it uses:
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
#pragma once

#include <glib.h>

typedef enum
{
  ROBOCACHE_ROS_BOOL,
  ROBOCACHE_ROS_INT8,
  ROBOCACHE_ROS_UINT8,          /* also byte and char */
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
  ROBOCACHE_ROS_MESSAGE         /* a field of another message type */
} RobocacheRosKind;

typedef enum
{
  ROBOCACHE_ROS_SINGLE,
  ROBOCACHE_ROS_ARRAY,          /* an array of `count` items */
  ROBOCACHE_ROS_SEQUENCE        /* a sequence of at most `count` items; 0: unbounded */
} RobocacheRosRepeat;

typedef struct
{
  gchar *name;
  RobocacheRosKind kind;
  guint message;                /* index of its type, for ROBOCACHE_ROS_MESSAGE */
  RobocacheRosRepeat repeat;
  guint32 count;
  guint32 max_length;           /* maximum length of a string; 0: unbounded */
  guint32 number;               /* in messages of protobuf; 0: others */
  guint64 initial;              /* bits of a number that a message of protobuf lacks */
  guint8 encoding;              /* type of protobuf, or data that another encoding needs */
  gboolean is_byte;             /* a byte, whose kind is UINT8 but whose hash is not that of uint8 */
} RobocacheRosField;

typedef struct
{
  gchar *name;                  /* "sensor_msgs/Imu" */
  GArray *fields;               /* RobocacheRosField items; may be empty */
  GHashTable *places;           /* for encodings: key of a field → its index, plus 1; NULL: unused */
} RobocacheRosType;

typedef struct
{
  GPtrArray *types;             /* RobocacheRosType items; the first is the message itself */
  gchar *left_out;              /* names of fields that no message of ROS has, for the user; NULL: none */
} RobocacheRosSchema;

/* Parses the text of the message `name` ("sensor_msgs/msg/Imu"). Types whose definitions the text lacks are those that are built in. NULL and
 * a ROBOCACHE_ERROR_CAPS that names type and line. */
RobocacheRosSchema *robocache_ros_schema_parse (const gchar * name, const gchar * text, gsize length, GError ** error);
/* Like robocache_ros_schema_parse, for a text of ROS 1, whose time and duration become messages with the fields sec and nanosec. */
RobocacheRosSchema *robocache_ros1_schema_parse (const gchar * name, const gchar * text, gsize length, GError ** error);
/* An empty schema, and an empty type added to one, for other definitions than texts; the name is taken. */
RobocacheRosSchema *robocache_ros_schema_new (void);
RobocacheRosType *robocache_ros_schema_add_type (RobocacheRosSchema * schema, gchar * name);
void robocache_ros_schema_leave_out (RobocacheRosSchema * schema, const gchar * field);
/* FALSE and a ROBOCACHE_ERROR_CAPS: a type contains itself, or types are nested in too many levels for a message. */
gboolean robocache_ros_schema_check_depth (const RobocacheRosSchema * schema, GError ** error);
void robocache_ros_schema_free (RobocacheRosSchema * schema);

const RobocacheRosType *robocache_ros_schema_type (const RobocacheRosSchema * schema, guint index);
/* The size of a number in bytes; 0 for other kinds. */
static inline guint
robocache_ros_kind_bytes (RobocacheRosKind kind)
{
  static const guint8 bytes[] = { 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0, 0, 0 };

  return bytes[kind];
}

/* robocache: built-in definitions of messages, and complete texts of messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* The name without msg, srv or action: "sensor_msgs/msg/Imu" → "sensor_msgs/Imu"; free with g_free. */
gchar *robocache_ros_short_name (const gchar * name);

/* The definition of one type ("sensor_msgs/Imu"), without the types that it uses; NULL: not built in. */
const gchar *robocache_ros_definition (const gchar * name);

/* The full definition of a message type ("sensor_msgs/msg/Imu" or "sensor_msgs/Imu"), followed by the definition of each type that it uses, once.
 * NULL: it is not built in.
 * Free with g_free. */
gchar *robocache_ros_schema_text (const gchar * name);

/* Returns the definition of one type by its short name; NULL: unknown. */
typedef const gchar *(*RobocacheRosFind) (gpointer user_data, const gchar * name);
/* Like robocache_ros_schema_text, for definitions that a function returns; unknown types are omitted. NULL: the message is unknown. */
gchar *robocache_ros_schema_text_from (const gchar * name, RobocacheRosFind find, gpointer user_data);

/* robocache: definitions of messages that are built in, and complete texts of messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DEFINITIONS_H
#define ROBOCACHE_DEFINITIONS_H

#include <glib.h>

G_BEGIN_DECLS

/* "sensor_msgs/msg/Imu" → "sensor_msgs/Imu", and the same without srv and action; free with g_free. */
gchar *robocache_ros_short_name (const gchar * name);

/* The definition of one type ("sensor_msgs/Imu"), without those it uses; NULL: not built in. */
const gchar *robocache_ros_definition (const gchar * name);
/* Names of all of them, with NULL at the end; free with g_free. */
const gchar **robocache_ros_definition_names (void);

/* The complete text of a message ("sensor_msgs/msg/Imu" or without msg), each type that it uses behind it once; NULL: not built in.
 * Free with g_free. */
gchar *robocache_ros_schema_text (const gchar * name);

/* The definition of one type by its short name; NULL: unknown. */
typedef const gchar *(*RobocacheRosFind) (gpointer user_data, const gchar * name);
/* The same of definitions that a function finds; types that it does not find are left out. NULL: it does not find the message. */
gchar *robocache_ros_schema_text_from (const gchar * name, RobocacheRosFind find, gpointer user_data);

G_END_DECLS
#endif

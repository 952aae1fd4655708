/* robocache: definitions of messages as nodes of ROS 2 describe them
 *
 * The answer of the service get_type_description: type_description_interfaces/srv/GetTypeDescription.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Writes the request for the definition of a type ("a_msgs/msg/B") with this hash, without the sources. header: bytes of the middleware between
 * the encoding and the request; NULL: none. Free with g_byte_array_unref. */
GByteArray *robocache_ros_type_request (const gchar * type, const gchar * hash, const guint8 * header, gsize header_bytes);

/* The definition in an answer as a text ("ros2msg"), without constants and defaults, whose first type is *type. header_bytes: bytes of the
 * middleware between the encoding and the answer. NULL and an error: the node has no definition, a field cannot be read, or the message is
 * malformed. Free with g_free. The caller compares the hash. */
gchar *robocache_ros_type_description_text (gconstpointer message, gsize size, gsize header_bytes, gchar ** type, GError ** error);

/* robocache: hashes of message types, which publishers of ROS 2 offer
 *
 * Two definitions with one hash have the same fields, so their messages have the same bytes. Source: REP 2016, and
 * rosidl_generator_type_description.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "schema.h"

/* "RIHS01_" and 64 digits; free with g_free. All types must be messages, not parts of services or actions. */
gchar *robocache_ros_type_hash (const RobocacheRosSchema * schema);

/* robocache: definitions of messages by package
 *
 * Each table ends with a NULL name. Names of field types are complete.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef struct
{
  const gchar *name;            /* "sensor_msgs/Imu" */
  const gchar *text;            /* lines of fields and constants */
} RobocacheRosDefinition;

extern const RobocacheRosDefinition robocache_ros_core[];
extern const RobocacheRosDefinition robocache_ros_ackermann_msgs[];
extern const RobocacheRosDefinition robocache_ros_actionlib_msgs[];
extern const RobocacheRosDefinition robocache_ros_control_msgs[];
extern const RobocacheRosDefinition robocache_ros_diagnostic_msgs[];
extern const RobocacheRosDefinition robocache_ros_ours[];
extern const RobocacheRosDefinition robocache_ros_geographic_msgs[];
extern const RobocacheRosDefinition robocache_ros_geometry_msgs[];
extern const RobocacheRosDefinition robocache_ros_moveit_msgs[];
extern const RobocacheRosDefinition robocache_ros_nav_msgs[];
extern const RobocacheRosDefinition robocache_ros_sensor_msgs[];
extern const RobocacheRosDefinition robocache_ros_shape_msgs[];
extern const RobocacheRosDefinition robocache_ros_std_msgs[];
extern const RobocacheRosDefinition robocache_ros_stereo_msgs[];
extern const RobocacheRosDefinition robocache_ros_trajectory_msgs[];
extern const RobocacheRosDefinition robocache_ros_turtlesim[];
extern const RobocacheRosDefinition robocache_ros_visualization_msgs[];

/* All tables, with NULL at the end. */
extern const RobocacheRosDefinition *const robocache_ros_packages[];

/* robocache: definitions of messages: trajectory_msgs
 *
 * Source: the .msg files of github.com/ros2/common_interfaces, branch humble
 * (Apache-2.0): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_trajectory_msgs[] = {
  {"trajectory_msgs/JointTrajectory",
        "std_msgs/Header header\n"
        "string[] joint_names\n"
        "trajectory_msgs/JointTrajectoryPoint[] points\n"},
  {"trajectory_msgs/JointTrajectoryPoint",
        "float64[] positions\n"
        "float64[] velocities\n"
        "float64[] accelerations\n"
        "float64[] effort\n"
        "builtin_interfaces/Duration time_from_start\n"},
  {"trajectory_msgs/MultiDOFJointTrajectory",
        "std_msgs/Header header\n"
        "string[] joint_names\n"
        "trajectory_msgs/MultiDOFJointTrajectoryPoint[] points\n"},
  {"trajectory_msgs/MultiDOFJointTrajectoryPoint",
        "geometry_msgs/Transform[] transforms\n"
        "geometry_msgs/Twist[] velocities\n"
        "geometry_msgs/Twist[] accelerations\n"
        "builtin_interfaces/Duration time_from_start\n"},
  {NULL}
};

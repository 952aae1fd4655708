/* robocache: definitions of messages: ackermann_msgs
 *
 * Source: the .msg files of github.com/ros-drivers/ackermann_msgs, branch ros2
 * (BSD): fields, types, constants and their order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_ackermann_msgs[] = {
  {"ackermann_msgs/AckermannDrive",
        "float32 steering_angle\n"
        "float32 steering_angle_velocity\n"
        "float32 speed\n"
        "float32 acceleration\n"
        "float32 jerk\n"},
  {"ackermann_msgs/AckermannDriveStamped",
        "std_msgs/Header header\n"
        "ackermann_msgs/AckermannDrive drive\n"},
  {NULL}
};

/* robocache: definitions of messages: turtlesim
 *
 * Source: the .msg files of github.com/ros/ros_tutorials, branch humble
 * (BSD): fields, types, constants and their order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_turtlesim[] = {
  {"turtlesim/Color",
        "uint8 r\n"
        "uint8 g\n"
        "uint8 b\n"},
  {"turtlesim/Pose",
        "float32 x\n"
        "float32 y\n"
        "float32 theta\n"
        "float32 linear_velocity\n"
        "float32 angular_velocity\n"},
  {NULL}
};

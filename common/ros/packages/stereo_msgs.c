/* robocache: definitions of messages: stereo_msgs
 *
 * Source: the .msg files of github.com/ros2/common_interfaces, branch humble
 * (Apache-2.0): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_stereo_msgs[] = {
  {"stereo_msgs/DisparityImage",
        "std_msgs/Header header\n"
        "sensor_msgs/Image image\n"
        "float32 f\n"
        "float32 t\n"
        "sensor_msgs/RegionOfInterest valid_window\n"
        "float32 min_disparity\n"
        "float32 max_disparity\n"
        "float32 delta_d\n"},
  {NULL}
};

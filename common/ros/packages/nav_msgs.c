/* robocache: definitions of messages: nav_msgs
 *
 * Source: the .msg files of github.com/ros2/common_interfaces, branch humble
 * (Apache-2.0): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_nav_msgs[] = {
  {"nav_msgs/GridCells",
        "std_msgs/Header header\n"
        "float32 cell_width\n"
        "float32 cell_height\n"
        "geometry_msgs/Point[] cells\n"},
  {"nav_msgs/MapMetaData",
        "builtin_interfaces/Time map_load_time\n"
        "float32 resolution\n"
        "uint32 width\n"
        "uint32 height\n"
        "geometry_msgs/Pose origin\n"},
  {"nav_msgs/OccupancyGrid",
        "std_msgs/Header header\n"
        "nav_msgs/MapMetaData info\n"
        "int8[] data\n"},
  {"nav_msgs/Odometry",
        "std_msgs/Header header\n"
        "string child_frame_id\n"
        "geometry_msgs/PoseWithCovariance pose\n"
        "geometry_msgs/TwistWithCovariance twist\n"},
  {"nav_msgs/Path",
        "std_msgs/Header header\n"
        "geometry_msgs/PoseStamped[] poses\n"},
  {NULL}
};

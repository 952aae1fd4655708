/* robocache: definitions of messages: actionlib_msgs
 *
 * Source: the .msg files of github.com/ros2/common_interfaces, branch humble
 * (Apache-2.0): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_actionlib_msgs[] = {
  {"actionlib_msgs/GoalID",
        "builtin_interfaces/Time stamp\n"
        "string id\n"},
  {"actionlib_msgs/GoalStatus",
        "actionlib_msgs/GoalID goal_id\n"
        "uint8 status\n"
        "uint8 PENDING=0\n"
        "uint8 ACTIVE=1\n"
        "uint8 PREEMPTED=2\n"
        "uint8 SUCCEEDED=3\n"
        "uint8 ABORTED=4\n"
        "uint8 REJECTED=5\n"
        "uint8 PREEMPTING=6\n"
        "uint8 RECALLING=7\n"
        "uint8 RECALLED=8\n"
        "uint8 LOST=9\n"
        "string text\n"},
  {"actionlib_msgs/GoalStatusArray",
        "std_msgs/Header header\n"
        "actionlib_msgs/GoalStatus[] status_list\n"},
  {NULL}
};

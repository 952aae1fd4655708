/* robocache: definitions of messages: diagnostic_msgs
 *
 * Source: the .msg files of github.com/ros2/common_interfaces, branch humble
 * (Apache-2.0): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_diagnostic_msgs[] = {
  {"diagnostic_msgs/DiagnosticArray",
        "std_msgs/Header header\n"
        "diagnostic_msgs/DiagnosticStatus[] status\n"},
  {"diagnostic_msgs/DiagnosticStatus",
        "byte OK=0\n"
        "byte WARN=1\n"
        "byte ERROR=2\n"
        "byte STALE=3\n"
        "byte level\n"
        "string name\n"
        "string message\n"
        "string hardware_id\n"
        "diagnostic_msgs/KeyValue[] values\n"},
  {"diagnostic_msgs/KeyValue",
        "string key\n"
        "string value\n"},
  {NULL}
};

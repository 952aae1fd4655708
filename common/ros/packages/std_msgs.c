/* robocache: definitions of messages: std_msgs
 *
 * Source: the .msg files of github.com/ros2/common_interfaces, branch humble
 * (Apache-2.0): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_std_msgs[] = {
  {"std_msgs/Bool",
        "bool data\n"},
  {"std_msgs/Byte",
        "byte data\n"},
  {"std_msgs/ByteMultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "byte[] data\n"},
  {"std_msgs/Char",
        "char data\n"},
  {"std_msgs/ColorRGBA",
        "float32 r\n"
        "float32 g\n"
        "float32 b\n"
        "float32 a\n"},
  {"std_msgs/Empty",
        ""},
  {"std_msgs/Float32",
        "float32 data\n"},
  {"std_msgs/Float32MultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "float32[] data\n"},
  {"std_msgs/Float64",
        "float64 data\n"},
  {"std_msgs/Float64MultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "float64[] data\n"},
  {"std_msgs/Header",
        "builtin_interfaces/Time stamp\n"
        "string frame_id\n"},
  {"std_msgs/Int16",
        "int16 data\n"},
  {"std_msgs/Int16MultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "int16[] data\n"},
  {"std_msgs/Int32",
        "int32 data\n"},
  {"std_msgs/Int32MultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "int32[] data\n"},
  {"std_msgs/Int64",
        "int64 data\n"},
  {"std_msgs/Int64MultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "int64[] data\n"},
  {"std_msgs/Int8",
        "int8 data\n"},
  {"std_msgs/Int8MultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "int8[] data\n"},
  {"std_msgs/MultiArrayDimension",
        "string label\n"
        "uint32 size\n"
        "uint32 stride\n"},
  {"std_msgs/MultiArrayLayout",
        "std_msgs/MultiArrayDimension[] dim\n"
        "uint32 data_offset\n"},
  {"std_msgs/String",
        "string data\n"},
  {"std_msgs/UInt16",
        "uint16 data\n"},
  {"std_msgs/UInt16MultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "uint16[] data\n"},
  {"std_msgs/UInt32",
        "uint32 data\n"},
  {"std_msgs/UInt32MultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "uint32[] data\n"},
  {"std_msgs/UInt64",
        "uint64 data\n"},
  {"std_msgs/UInt64MultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "uint64[] data\n"},
  {"std_msgs/UInt8",
        "uint8 data\n"},
  {"std_msgs/UInt8MultiArray",
        "std_msgs/MultiArrayLayout layout\n"
        "uint8[] data\n"},
  {NULL}
};

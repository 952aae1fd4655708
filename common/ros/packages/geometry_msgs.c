/* robocache: definitions of messages: geometry_msgs
 *
 * Source: the .msg files of github.com/ros2/common_interfaces, branch humble
 * (Apache-2.0): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_geometry_msgs[] = {
  {"geometry_msgs/Accel",
        "geometry_msgs/Vector3 linear\n"
        "geometry_msgs/Vector3 angular\n"},
  {"geometry_msgs/AccelStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Accel accel\n"},
  {"geometry_msgs/AccelWithCovariance",
        "geometry_msgs/Accel accel\n"
        "float64[36] covariance\n"},
  {"geometry_msgs/AccelWithCovarianceStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/AccelWithCovariance accel\n"},
  {"geometry_msgs/Inertia",
        "float64 m\n"
        "geometry_msgs/Vector3 com\n"
        "float64 ixx\n"
        "float64 ixy\n"
        "float64 ixz\n"
        "float64 iyy\n"
        "float64 iyz\n"
        "float64 izz\n"},
  {"geometry_msgs/InertiaStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Inertia inertia\n"},
  {"geometry_msgs/Point",
        "float64 x  # m\n"
        "float64 y\n"
        "float64 z\n"},
  {"geometry_msgs/Point32",
        "float32 x\n"
        "float32 y\n"
        "float32 z\n"},
  {"geometry_msgs/PointStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Point point\n"},
  {"geometry_msgs/Polygon",
        "geometry_msgs/Point32[] points\n"},
  {"geometry_msgs/PolygonStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Polygon polygon\n"},
  {"geometry_msgs/Pose",
        "geometry_msgs/Point position\n"
        "geometry_msgs/Quaternion orientation\n"},
  {"geometry_msgs/Pose2D",
        "float64 x\n"
        "float64 y\n"
        "float64 theta\n"},
  {"geometry_msgs/PoseArray",
        "std_msgs/Header header\n"
        "geometry_msgs/Pose[] poses\n"},
  {"geometry_msgs/PoseStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Pose pose\n"},
  {"geometry_msgs/PoseWithCovariance",
        "geometry_msgs/Pose pose\n"
        "float64[36] covariance\n"},
  {"geometry_msgs/PoseWithCovarianceStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/PoseWithCovariance pose\n"},
  {"geometry_msgs/Quaternion",
        "float64 x 0\n"
        "float64 y 0\n"
        "float64 z 0\n"
        "float64 w 1\n"},
  {"geometry_msgs/QuaternionStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Quaternion quaternion\n"},
  {"geometry_msgs/Transform",
        "geometry_msgs/Vector3 translation\n"
        "geometry_msgs/Quaternion rotation\n"},
  {"geometry_msgs/TransformStamped",
        "std_msgs/Header header\n"
        "string child_frame_id\n"
        "geometry_msgs/Transform transform\n"},
  {"geometry_msgs/Twist",
        "geometry_msgs/Vector3 linear\n"
        "geometry_msgs/Vector3 angular\n"},
  {"geometry_msgs/TwistStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Twist twist\n"},
  {"geometry_msgs/TwistWithCovariance",
        "geometry_msgs/Twist twist\n"
        "float64[36] covariance\n"},
  {"geometry_msgs/TwistWithCovarianceStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/TwistWithCovariance twist\n"},
  {"geometry_msgs/Vector3",
        "float64 x\n"
        "float64 y\n"
        "float64 z\n"},
  {"geometry_msgs/Vector3Stamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Vector3 vector\n"},
  {"geometry_msgs/VelocityStamped",
        "std_msgs/Header header\n"
        "string body_frame_id\n"
        "string reference_frame_id\n"
        "geometry_msgs/Twist velocity\n"},
  {"geometry_msgs/Wrench",
        "geometry_msgs/Vector3 force  # N\n"
        "geometry_msgs/Vector3 torque  # N m\n"},
  {"geometry_msgs/WrenchStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Wrench wrench\n"},
  {NULL}
};

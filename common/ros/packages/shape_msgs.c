/* robocache: definitions of messages: shape_msgs
 *
 * Source: the .msg files of github.com/ros2/common_interfaces, branch humble
 * (Apache-2.0): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_shape_msgs[] = {
  {"shape_msgs/Mesh",
        "shape_msgs/MeshTriangle[] triangles\n"
        "geometry_msgs/Point[] vertices\n"},
  {"shape_msgs/MeshTriangle",
        "uint32[3] vertex_indices\n"},
  {"shape_msgs/Plane",
        "float64[4] coef\n"},
  {"shape_msgs/SolidPrimitive",
        "uint8 BOX=1\n"
        "uint8 SPHERE=2\n"
        "uint8 CYLINDER=3\n"
        "uint8 CONE=4\n"
        "uint8 PRISM=5\n"
        "uint8 type\n"
        "float64[<=3] dimensions\n"
        "uint8 BOX_X=0\n"
        "uint8 BOX_Y=1\n"
        "uint8 BOX_Z=2\n"
        "uint8 SPHERE_RADIUS=0\n"
        "uint8 CYLINDER_HEIGHT=0\n"
        "uint8 CYLINDER_RADIUS=1\n"
        "uint8 CONE_HEIGHT=0\n"
        "uint8 CONE_RADIUS=1\n"
        "uint8 PRISM_HEIGHT=0\n"
        "geometry_msgs/Polygon polygon\n"},
  {NULL}
};

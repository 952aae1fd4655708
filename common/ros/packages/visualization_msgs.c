/* robocache: definitions of messages: visualization_msgs
 *
 * Source: the .msg files of github.com/ros2/common_interfaces, branch humble
 * (Apache-2.0): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_visualization_msgs[] = {
  {"visualization_msgs/ImageMarker",
        "int32 CIRCLE=0\n"
        "int32 LINE_STRIP=1\n"
        "int32 LINE_LIST=2\n"
        "int32 POLYGON=3\n"
        "int32 POINTS=4\n"
        "int32 ADD=0\n"
        "int32 REMOVE=1\n"
        "std_msgs/Header header\n"
        "string ns\n"
        "int32 id\n"
        "int32 type\n"
        "int32 action\n"
        "geometry_msgs/Point position\n"
        "float32 scale\n"
        "std_msgs/ColorRGBA outline_color\n"
        "uint8 filled\n"
        "std_msgs/ColorRGBA fill_color\n"
        "builtin_interfaces/Duration lifetime\n"
        "geometry_msgs/Point[] points\n"
        "std_msgs/ColorRGBA[] outline_colors\n"},
  {"visualization_msgs/InteractiveMarker",
        "std_msgs/Header header\n"
        "geometry_msgs/Pose pose\n"
        "string name\n"
        "string description\n"
        "float32 scale\n"
        "visualization_msgs/MenuEntry[] menu_entries\n"
        "visualization_msgs/InteractiveMarkerControl[] controls\n"},
  {"visualization_msgs/InteractiveMarkerControl",
        "string name\n"
        "geometry_msgs/Quaternion orientation\n"
        "uint8 INHERIT=0\n"
        "uint8 FIXED=1\n"
        "uint8 VIEW_FACING=2\n"
        "uint8 orientation_mode\n"
        "uint8 NONE=0\n"
        "uint8 MENU=1\n"
        "uint8 BUTTON=2\n"
        "uint8 MOVE_AXIS=3\n"
        "uint8 MOVE_PLANE=4\n"
        "uint8 ROTATE_AXIS=5\n"
        "uint8 MOVE_ROTATE=6\n"
        "uint8 MOVE_3D=7\n"
        "uint8 ROTATE_3D=8\n"
        "uint8 MOVE_ROTATE_3D=9\n"
        "uint8 interaction_mode\n"
        "bool always_visible\n"
        "visualization_msgs/Marker[] markers\n"
        "bool independent_marker_orientation\n"
        "string description\n"},
  {"visualization_msgs/InteractiveMarkerFeedback",
        "std_msgs/Header header\n"
        "string client_id\n"
        "string marker_name\n"
        "string control_name\n"
        "uint8 KEEP_ALIVE=0\n"
        "uint8 POSE_UPDATE=1\n"
        "uint8 MENU_SELECT=2\n"
        "uint8 BUTTON_CLICK=3\n"
        "uint8 MOUSE_DOWN=4\n"
        "uint8 MOUSE_UP=5\n"
        "uint8 event_type\n"
        "geometry_msgs/Pose pose\n"
        "uint32 menu_entry_id\n"
        "geometry_msgs/Point mouse_point\n"
        "bool mouse_point_valid\n"},
  {"visualization_msgs/InteractiveMarkerInit",
        "string server_id\n"
        "uint64 seq_num\n"
        "visualization_msgs/InteractiveMarker[] markers\n"},
  {"visualization_msgs/InteractiveMarkerPose",
        "std_msgs/Header header\n"
        "geometry_msgs/Pose pose\n"
        "string name\n"},
  {"visualization_msgs/InteractiveMarkerUpdate",
        "string server_id\n"
        "uint64 seq_num\n"
        "uint8 KEEP_ALIVE=0\n"
        "uint8 UPDATE=1\n"
        "uint8 type\n"
        "visualization_msgs/InteractiveMarker[] markers\n"
        "visualization_msgs/InteractiveMarkerPose[] poses\n"
        "string[] erases\n"},
  {"visualization_msgs/Marker",
        "int32 ARROW=0\n"
        "int32 CUBE=1\n"
        "int32 SPHERE=2\n"
        "int32 CYLINDER=3\n"
        "int32 LINE_STRIP=4\n"
        "int32 LINE_LIST=5\n"
        "int32 CUBE_LIST=6\n"
        "int32 SPHERE_LIST=7\n"
        "int32 POINTS=8\n"
        "int32 TEXT_VIEW_FACING=9\n"
        "int32 MESH_RESOURCE=10\n"
        "int32 TRIANGLE_LIST=11\n"
        "int32 ADD=0\n"
        "int32 MODIFY=0\n"
        "int32 DELETE=2\n"
        "int32 DELETEALL=3\n"
        "std_msgs/Header header\n"
        "string ns\n"
        "int32 id\n"
        "int32 type\n"
        "int32 action\n"
        "geometry_msgs/Pose pose\n"
        "geometry_msgs/Vector3 scale\n"
        "std_msgs/ColorRGBA color\n"
        "builtin_interfaces/Duration lifetime\n"
        "bool frame_locked\n"
        "geometry_msgs/Point[] points\n"
        "std_msgs/ColorRGBA[] colors\n"
        "string texture_resource\n"
        "sensor_msgs/CompressedImage texture\n"
        "visualization_msgs/UVCoordinate[] uv_coordinates\n"
        "string text\n"
        "string mesh_resource\n"
        "visualization_msgs/MeshFile mesh_file\n"
        "bool mesh_use_embedded_materials\n"},
  {"visualization_msgs/MarkerArray",
        "visualization_msgs/Marker[] markers\n"},
  {"visualization_msgs/MenuEntry",
        "uint32 id\n"
        "uint32 parent_id\n"
        "string title\n"
        "string command\n"
        "uint8 FEEDBACK=0\n"
        "uint8 ROSRUN=1\n"
        "uint8 ROSLAUNCH=2\n"
        "uint8 command_type\n"},
  {"visualization_msgs/MeshFile",
        "string filename\n"
        "uint8[] data\n"},
  {"visualization_msgs/UVCoordinate",
        "float32 u\n"
        "float32 v\n"},
  {NULL}
};

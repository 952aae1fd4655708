/* robocache: definitions of messages: geographic_msgs
 *
 * Source: the .msg files of github.com/ros-geographic-info/geographic_info, branch ros2
 * (BSD): fields, types, constants and their order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_geographic_msgs[] = {
  {"geographic_msgs/BoundingBox",
        "geographic_msgs/GeoPoint min_pt\n"
        "geographic_msgs/GeoPoint max_pt\n"},
  {"geographic_msgs/GeoPath",
        "std_msgs/Header header\n"
        "geographic_msgs/GeoPoseStamped[] poses\n"},
  {"geographic_msgs/GeoPoint",
        "float64 latitude\n"
        "float64 longitude\n"
        "float64 altitude\n"},
  {"geographic_msgs/GeoPointStamped",
        "std_msgs/Header header\n"
        "geographic_msgs/GeoPoint position\n"},
  {"geographic_msgs/GeoPose",
        "geographic_msgs/GeoPoint position\n"
        "geometry_msgs/Quaternion orientation\n"},
  {"geographic_msgs/GeoPoseStamped",
        "std_msgs/Header header\n"
        "geographic_msgs/GeoPose pose\n"},
  {"geographic_msgs/GeoPoseWithCovariance",
        "geographic_msgs/GeoPose pose\n"
        "float64[36] covariance\n"},
  {"geographic_msgs/GeoPoseWithCovarianceStamped",
        "std_msgs/Header header\n"
        "geographic_msgs/GeoPoseWithCovariance pose\n"},
  {"geographic_msgs/GeographicMap",
        "std_msgs/Header header\n"
        "unique_identifier_msgs/UUID id\n"
        "geographic_msgs/BoundingBox bounds\n"
        "geographic_msgs/WayPoint[] points\n"
        "geographic_msgs/MapFeature[] features\n"
        "geographic_msgs/KeyValue[] props\n"},
  {"geographic_msgs/GeographicMapChanges",
        "std_msgs/Header header\n"
        "geographic_msgs/GeographicMap diffs\n"
        "unique_identifier_msgs/UUID[] deletes\n"},
  {"geographic_msgs/KeyValue",
        "string key\n"
        "string value\n"},
  {"geographic_msgs/MapFeature",
        "unique_identifier_msgs/UUID id\n"
        "unique_identifier_msgs/UUID[] components\n"
        "geographic_msgs/KeyValue[] props\n"},
  {"geographic_msgs/RouteNetwork",
        "std_msgs/Header header\n"
        "unique_identifier_msgs/UUID id\n"
        "geographic_msgs/BoundingBox bounds\n"
        "geographic_msgs/WayPoint[] points\n"
        "geographic_msgs/RouteSegment[] segments\n"
        "geographic_msgs/KeyValue[] props\n"},
  {"geographic_msgs/RoutePath",
        "std_msgs/Header header\n"
        "unique_identifier_msgs/UUID network\n"
        "unique_identifier_msgs/UUID[] segments\n"
        "geographic_msgs/KeyValue[] props\n"},
  {"geographic_msgs/RouteSegment",
        "unique_identifier_msgs/UUID id\n"
        "unique_identifier_msgs/UUID start\n"
        "unique_identifier_msgs/UUID end\n"
        "geographic_msgs/KeyValue[] props\n"},
  {"geographic_msgs/WayPoint",
        "unique_identifier_msgs/UUID id\n"
        "geographic_msgs/GeoPoint position\n"
        "geographic_msgs/KeyValue[] props\n"},
  {NULL}
};

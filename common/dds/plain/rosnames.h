/* robocache: names of ROS 2 topics and types in DDS
 *
 * Source: design.ros2.org, "Topic and Service name mapping to DDS", and REP 2011 for hashes of types.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* "/imu" → "rt/imu", and back; names of DDS for services ("rq/…", "rr/…") and ROBOCACHE_DDS_NODES_TOPIC stay; "sensor_msgs/msg/Imu" → "sensor_msgs::msg::dds_::Imu_", and back. Free with g_free. The ways back return
 * NULL for names of other kinds, like services. */
gchar *robocache_dds_topic_name (const gchar * ros_topic);
gchar *robocache_dds_topic_of (const gchar * dds_topic);
gchar *robocache_dds_type_name (const gchar * ros_type);
gchar *robocache_dds_type_of (const gchar * dds_type);

/* The topic of ROS 2 that lists nodes; it alone has no prefix in DDS. Each enclave of SROS 2 may use it. */
#define ROBOCACHE_DDS_NODES_TOPIC "ros_discovery_info"
#define ROBOCACHE_DDS_NODES_TYPE "rmw_dds_common/msg/ParticipantEntitiesInfo"

/* The full name of a topic: "x" → "/x" or "/NAMESPACE/x", "~/x" → "/NAMESPACE/NODE/x", "/x" stays. namespace: "/" or "/a/b". NULL and
 * an error: it is no name of ROS 2. Free with g_free. */
gchar *robocache_dds_full_topic (const gchar * name, const gchar * namespace, const gchar * node, GError ** error);
/* FALSE and an error: the namespace or the name is not one of ROS 2. */
gboolean robocache_dds_check_node (const gchar * namespace, const gchar * name, GError ** error);

/* The hash "RIHS01_…" in an endpoint's user data; NULL: the publisher gives none. Free with g_free. */
gchar *robocache_dds_type_hash_of (gconstpointer user_data, gsize size);

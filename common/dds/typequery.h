/* robocache: asks nodes of ROS 2 for definitions of messages
 *
 * The node of a publisher is in the topic ros_discovery_info, and has the service NODE/get_type_description (Jazzy and later). Source: the
 * definitions of rmw_dds_common and type_description_interfaces; rmw_fastrtps_cpp and rmw_cyclonedds_cpp for requests.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "endpoints.h"
#include "reader.h"

/* Reads the nodes of a domain. */
RobocacheDdsReader *robocache_dds_nodes_new (RobocacheDdsParticipant * participant, RobocacheDdsMessageFunc func, gpointer user_data, GError ** error);
/* "/namespace/name" of the node with this publisher, in one message of that reader; NULL: the message does not name it. Free with g_free. */
gchar *robocache_dds_find_node (const RobocacheDdsMessage * message, const guint8 * guid);

/* A question to one node. */
typedef struct _RobocacheDdsTypeQuery RobocacheDdsTypeQuery;

/* guid: of the publisher, which tells its middleware. func gets the answers, also those to others. NULL and an error: Cyclone refuses it. */
RobocacheDdsTypeQuery *robocache_dds_type_query_new (RobocacheDdsParticipant * participant, const gchar * node, const guint8 * guid,
    RobocacheDdsMessageFunc func, gpointer user_data, GError ** error);
void robocache_dds_type_query_free (RobocacheDdsTypeQuery * query);

/* Asks for a type with a hash, as soon as both sides know each other. FALSE: they do not yet, call it again later. */
gboolean robocache_dds_type_query_ask (RobocacheDdsTypeQuery * query, const gchar * type, const gchar * hash);

/* Bytes of the middleware in an answer of the node with this publisher: robocache_ros_type_description_text. */
gsize robocache_dds_answer_header_bytes (const guint8 * guid);

/* robocache: nodes of ROS 2, which own the writers of a participant in the lists of ROS
 *
 * Tools of ROS 2 show the node of each publisher. They learn it from messages of ros_discovery_info, of which each participant has one with all
 * its nodes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "writer.h"

typedef struct _RobocacheDdsNode RobocacheDdsNode;

/* namespace: "/" or "/left/arm". The participant must outlive the node. NULL and an error: a name is not one of ROS 2, or Cyclone refuses.
 * Any thread may call these functions. */
RobocacheDdsNode *robocache_dds_node_new (RobocacheDdsParticipant * participant, const gchar * namespace, const gchar * name, GError ** error);
void robocache_dds_node_free (RobocacheDdsNode * node);

/* The node owns a writer of its participant from now on, or no longer. */
void robocache_dds_node_add (RobocacheDdsNode * node, const RobocacheDdsWriter * writer);
void robocache_dds_node_remove (RobocacheDdsNode * node, const RobocacheDdsWriter * writer);

/* robocache: definitions of types that robocacherossrc asks the nodes of publishers for
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session.h"

/* Asks the publisher of a new topic for its definition, if the publisher's hash differs from ours, or if we have no definition. FALSE: no request is needed. */
gboolean robocache_ros_inquiry_begin (RobocacheRosSession * session, RobocacheRosTopic * topic, const RobocacheDdsEndpoint * endpoint);

/* A message that lists nodes, an answer of the node of a topic's publisher, and the time that passes. The topic of the answer is read from then on,
 * or a fault of it is reported. */
void robocache_ros_inquiry_read_nodes (RobocacheRosSession * session, const RobocacheDdsMessage * message);
void robocache_ros_inquiry_read_answer (RobocacheRosSession * session, RobocacheRosTopic * topic, const RobocacheDdsMessage * message);
void robocache_ros_inquiries_check (RobocacheRosSession * session, gint64 now_us);

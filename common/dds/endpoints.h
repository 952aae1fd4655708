/* robocache: publishers of ROS 2 topics, as they come and go in a domain
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "participant.h"
#include "plain/message.h"

/* Called for each publisher that comes or goes, on a thread of Cyclone, which must not wait. Takes the endpoint. */
typedef void (*RobocacheDdsEndpointFunc) (gpointer user_data, RobocacheDdsEndpoint * endpoint);

/* Watches the publishers of all topics of ROS 2. After the free function returns, no call is in progress. */
typedef struct _RobocacheDdsEndpoints RobocacheDdsEndpoints;

RobocacheDdsEndpoints *robocache_dds_endpoints_new (RobocacheDdsParticipant * participant, RobocacheDdsEndpointFunc func, gpointer user_data,
    GError ** error);
void robocache_dds_endpoints_free (RobocacheDdsEndpoints * endpoints);

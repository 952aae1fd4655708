/* robocache: publishers of ROS 2 topics, as they come and go in a domain
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DDS_ENDPOINTS_H
#define ROBOCACHE_DDS_ENDPOINTS_H

#include "participant.h"

G_BEGIN_DECLS

#define ROBOCACHE_DDS_GUID_BYTES 16

typedef struct
{
  guint64 id;                   /* id of the publisher, equal to that in RobocacheDdsMessage */
  guint8 guid[ROBOCACHE_DDS_GUID_BYTES];        /* name of the publisher in the domain */
  gchar *topic;                 /* "/joint_states"; NULL: the publisher has gone */
  gchar *type;                  /* "sensor_msgs/msg/JointState"; "": a type that is not of ROS 2 */
  gchar *type_hash;             /* "RIHS01_…"; NULL: none */
  gboolean is_reliable, is_transient_local;
} RobocacheDdsEndpoint;

void robocache_dds_endpoint_free (RobocacheDdsEndpoint * endpoint);

/* Called for each publisher that comes or goes, on a thread of Cyclone, which must not wait. Takes the endpoint. */
typedef void (*RobocacheDdsEndpointFunc) (gpointer user_data, RobocacheDdsEndpoint * endpoint);

/* Watches the publishers of all topics of ROS 2. After the free function returns, no call is in progress. */
typedef struct _RobocacheDdsEndpoints RobocacheDdsEndpoints;

RobocacheDdsEndpoints *robocache_dds_endpoints_new (RobocacheDdsParticipant * participant, RobocacheDdsEndpointFunc func, gpointer user_data,
    GError ** error);
void robocache_dds_endpoints_free (RobocacheDdsEndpoints * endpoints);

G_END_DECLS
#endif

/* robocache: which hosts a domain of DDS talks to
 *
 * Values come from properties, else from the environment as ROS 2 reads it: ROS_DOMAIN_ID, ROS_LOCALHOST_ONLY,
 * ROS_AUTOMATIC_DISCOVERY_RANGE, ROS_STATIC_PEERS and CYCLONEDDS_URI. Without either the domain stays on this host.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#define ROBOCACHE_DDS_DOMAIN_AUTO -1
#define ROBOCACHE_DDS_MAX_DOMAIN 232

typedef enum
{
  ROBOCACHE_DDS_DISCOVERY_AUTO,
  ROBOCACHE_DDS_DISCOVERY_SUBNET,
  ROBOCACHE_DDS_DISCOVERY_LOCALHOST,
  ROBOCACHE_DDS_DISCOVERY_OFF
} RobocacheDdsDiscovery;

typedef struct
{
  guint32 domain;
  RobocacheDdsDiscovery discovery;      /* not AUTO */
  gchar **peers;                /* names or addresses of other hosts; NULL at the end */
  guint64 max_message_bytes;
} RobocacheDdsNetwork;

/* Combines properties and environment. peers: "host;host", NULL or "": those of the environment. FALSE and an error: a number in the
 * environment is wrong. */
gboolean robocache_dds_network_init (RobocacheDdsNetwork * network, gint domain, RobocacheDdsDiscovery discovery, const gchar * peers,
    GError ** error);
void robocache_dds_network_clear (RobocacheDdsNetwork * network);
gboolean robocache_dds_network_equal (const RobocacheDdsNetwork * a, const RobocacheDdsNetwork * b);

/* The discovery as a property's value: "subnet". */
const gchar *robocache_dds_discovery_name (RobocacheDdsDiscovery discovery);

/* The configuration of Cyclone, followed by that of CYCLONEDDS_URI. n_interfaces: 2: a card and the loopback interface, 1: that
 * alone, 0: none of ours; Cyclone refuses an interface twice. Free with g_free. */
gchar *robocache_dds_network_config (const RobocacheDdsNetwork * network, guint n_interfaces);

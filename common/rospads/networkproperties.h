/* robocache: properties of elements that join a domain of ROS 2: domain, discovery and peers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ROSPADS_NETWORKPROPERTIES_H
#define ROBOCACHE_ROSPADS_NETWORKPROPERTIES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The properties in this order. Values are those that robocache_dds_network_init takes. */
enum
{ ROBOCACHE_NETWORK_DOMAIN, ROBOCACHE_NETWORK_DISCOVERY, ROBOCACHE_NETWORK_PEERS, ROBOCACHE_N_NETWORK_PROPERTIES };

void robocache_network_param_specs (GParamSpec * specs[ROBOCACHE_N_NETWORK_PROPERTIES], GParamFlags flags);

G_END_DECLS
#endif

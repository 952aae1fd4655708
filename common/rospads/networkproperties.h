/* robocache: properties of elements that join a domain of ROS 2: domain, discovery and peers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* The properties in this order. Values are those that robocache_dds_network_init takes. */
enum
{ ROBOCACHE_NETWORK_DOMAIN, ROBOCACHE_NETWORK_DISCOVERY, ROBOCACHE_NETWORK_PEERS, ROBOCACHE_N_NETWORK_PROPERTIES };

void robocache_network_param_specs (GParamSpec * specs[ROBOCACHE_N_NETWORK_PROPERTIES], GParamFlags flags);

/* Posts a warning if topics are not protected although ROS_SECURITY_ENABLE is true. */
void robocache_network_warn_of_open_topics (GstElement * element);

/* robocache: a packet filter for packets of this host and of named hosts
 *
 * The program runs in the operating system, so packets of other hosts reach no parser. Packets between processes of a host pass through the
 * loopback interface, whatever their addresses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <linux/filter.h>

/* Maximum number of addresses of named hosts. */
#define ROBOCACHE_DDS_MAX_PEER_ADDRESSES 64

typedef struct
{
  struct sock_filter code[ROBOCACHE_DDS_MAX_PEER_ADDRESSES + 8];
  guint n;
} RobocacheDdsHostFilter;

/* Makes the program. peers: names or IPv4 addresses, NULL at the end. FALSE and an error: a name has no address, or there are too many. */
gboolean robocache_dds_host_filter_init (RobocacheDdsHostFilter * filter, gchar ** peers, GError ** error);

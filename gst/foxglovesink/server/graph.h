/* robocache: who reads which topic, as a connection graph of Foxglove's protocol
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "channel.h"

/* One client's subscription to the graph. A zeroed struct is not subscribed. */
typedef struct
{
  GHashTable *topics;           /* names; NULL: not subscribed */
  guint generation;
} RobocacheViewGraph;

void robocache_view_graph_subscribe (RobocacheViewGraph * graph, gboolean is_subscribed);
/* The update of a client that subscribes, if its generation is another; NULL: none. Free with g_free. channels: those of the server, with its
 * lock. */
gchar *robocache_view_graph_update (RobocacheViewGraph * graph, guint generation, const GPtrArray * channels);

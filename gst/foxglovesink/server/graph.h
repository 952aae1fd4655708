/* robocache: who reads which topic, as a connection graph of Foxglove's protocol
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VIEW_GRAPH_H
#define ROBOCACHE_VIEW_GRAPH_H

#include "channel.h"

G_BEGIN_DECLS

/* What a client has of it. A zeroed struct is a client that does not subscribe to it. */
typedef struct
{
  GHashTable *topics;           /* names; NULL: it does not subscribe */
  guint generation;
} RobocacheViewGraph;

void robocache_view_graph_subscribe (RobocacheViewGraph * graph, gboolean is_subscribed);
/* The update of a client that subscribes, if its generation is another; NULL: none. Free with g_free. channels: those of the server, with its
 * lock. */
gchar *robocache_view_graph_update (RobocacheViewGraph * graph, guint generation, const GPtrArray * channels);

G_END_DECLS
#endif

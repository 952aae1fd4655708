/* robocache: a viewer that is connected
 *
 * All functions run in the server's thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <libsoup/soup.h>

#include "channel.h"
#include "countedstream.h"
#include "graph.h"
#include "parameters.h"

typedef struct _RobocacheViewClient RobocacheViewClient;

/* The part of the server that its clients use. The server outlives them. */
typedef struct
{
  GMutex lock;                  /* guards channels, readers, counts and messages */
  GPtrArray *channels;          /* RobocacheViewChannel, by id */
  guint generation;             /* changes of channels */
  guint graph_generation;       /* changes of channels and of their readers; not 0 */
  guint n_clients;              /* since the start, for their numbers; the server's thread */
  RobocacheViewCounts counts;
  gboolean has_new, is_awake;   /* messages since the last turn of the server's thread; it will have another turn */
  guint64 max_queue_bytes;      /* constant */
  RobocacheViewParameterTable parameters;       /* the server's thread */

  /* constant; called without the lock */
  void (*wake) (gpointer user_data);    /* call robocache_view_client_pump soon */
  void (*closed) (gpointer user_data, RobocacheViewClient * client);
  gpointer user_data;
} RobocacheViewShared;

/* stream: what the connection runs over; the connection keeps it. */
RobocacheViewClient *robocache_view_client_new (RobocacheViewShared * shared, SoupWebsocketConnection * connection,
    RobocacheCountedStream * stream, const gchar * server_info);
/* Ends the connection, if it is open. */
void robocache_view_client_free (RobocacheViewClient * client);

/* Advertises new channels, and gives the connection what it can take. */
void robocache_view_client_pump (RobocacheViewClient * client);
/* Whether nothing waits for its socket, or the connection is closed. */
gboolean robocache_view_client_is_idle (const RobocacheViewClient * client);
/* Discards messages of streams that wait, and sends the others. Returns how many were discarded. */
guint robocache_view_client_drop_streams (RobocacheViewClient * client);
/* Asks the viewer to close the connection, if it is open. */
void robocache_view_client_end (RobocacheViewClient * client);

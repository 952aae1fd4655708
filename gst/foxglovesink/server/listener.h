/* robocache: the sockets of a view server
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "countedstream.h"

typedef struct _RobocacheViewListener RobocacheViewListener;

/* A connection. stream NULL: there were max_connections, and this one was closed. */
typedef void (*RobocacheViewAccept) (gpointer user_data, RobocacheCountedStream * stream, GSocketAddress * local, GSocketAddress * remote);

/* Listens; host is an IP address or localhost. NULL and a ROBOCACHE_ERROR_PROPERTY: it cannot. */
RobocacheViewListener *robocache_view_listener_new (const gchar * host, guint port, guint max_connections, GError ** error);
guint robocache_view_listener_port (const RobocacheViewListener * listener);

/* Accepts connections in the thread of context from now on. At most max_connections are open; more are closed at once. One that is not
 * kept within 10 s is closed. The functions below are for that thread, too. */
void robocache_view_listener_start (RobocacheViewListener * listener, GMainContext * context, RobocacheViewAccept accept, gpointer user_data);
void robocache_view_listener_keep (RobocacheViewListener * listener, RobocacheCountedStream * stream);

/* The stream with this remote address, which is the object that accept was called with; NULL: gone. */
RobocacheCountedStream *robocache_view_listener_find (RobocacheViewListener * listener, GSocketAddress * remote);

/* Closes all connections, and waits until nobody uses their streams. In the thread of context. */
void robocache_view_listener_free (RobocacheViewListener * listener);

/* robocache: the sockets of a view server
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "common/element/errordomain.h"

#define BACKLOG 128
/* What the kernel holds is late data; it doubles this. */
#define SEND_BUFFER_BYTES (128 << 10)
/* A request without a WebSocket: its headers. */
#define MAX_REQUEST_BYTES (64 << 10)
#define REQUEST_TIMEOUT_S 10
/* Out of descriptors. */
#define RETRY_MS 100
#define END_TIMEOUT_MS 2000

typedef struct
{
  RobocacheViewListener *listener;
  RobocacheCountedStream *stream;       /* no reference */
  GSocketAddress *remote;
  GSource *timeout;             /* NULL: kept */
} Connection;

struct _RobocacheViewListener
{
  GSocket *socket;
  guint port, max_connections;
  GMainContext *context;        /* NULL: not started */
  RobocacheViewAccept accept;
  gpointer user_data;
  GSource *source;              /* of connections, or to try again */
  GHashTable *connections;      /* Connection by its stream */
};

/* ---- connections ---- */

static void
connection_free (gpointer data)
{
  Connection *connection = data;

  if (connection->timeout) {
    g_source_destroy (connection->timeout);
    g_source_unref (connection->timeout);
  }
  g_object_unref (connection->remote);
  g_free (connection);
}

static void
on_stream_gone (gpointer listener, GObject *stream)
{
  g_hash_table_remove (((RobocacheViewListener *) listener)->connections, stream);
}

static gboolean
on_timeout (gpointer data)
{
  Connection *connection = data;

  g_clear_pointer (&connection->timeout, g_source_unref);
  g_io_stream_close (G_IO_STREAM (connection->stream), NULL, NULL);
  return G_SOURCE_REMOVE;
}

static void
add_connection (RobocacheViewListener *listener, RobocacheCountedStream *stream, GSocketAddress *remote)
{
  Connection *connection = g_new0 (Connection, 1);

  connection->stream = stream;
  connection->remote = g_object_ref (remote);
  connection->timeout = g_timeout_source_new_seconds (REQUEST_TIMEOUT_S);
  g_source_set_callback (connection->timeout, on_timeout, connection, NULL);
  g_source_attach (connection->timeout, listener->context);
  g_hash_table_insert (listener->connections, stream, connection);
  g_object_weak_ref (G_OBJECT (stream), on_stream_gone, listener);
}

void
robocache_view_listener_keep (RobocacheViewListener *listener, RobocacheCountedStream *stream)
{
  Connection *connection = g_hash_table_lookup (listener->connections, stream);

  /* else the stream is closed already */
  if (connection->timeout) {
    g_source_destroy (connection->timeout);
    g_clear_pointer (&connection->timeout, g_source_unref);
  }
}

RobocacheCountedStream *
robocache_view_listener_find (RobocacheViewListener *listener, GSocketAddress *remote)
{
  Connection *connection;
  GHashTableIter iter;

  g_hash_table_iter_init (&iter, listener->connections);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) & connection))
    if (connection->remote == remote)
      return connection->stream;
  return NULL;
}

/* ---- accepting ---- */

static void
take_socket (RobocacheViewListener *listener, GSocket *socket)
{
  GSocketAddress *local = g_socket_get_local_address (socket, NULL), *remote = g_socket_get_remote_address (socket, NULL);
  GSocketConnection *connection = g_socket_connection_factory_create_connection (socket);
  RobocacheCountedStream *stream = robocache_counted_stream_new (connection);

  g_object_unref (connection);
  if (local && remote && g_hash_table_size (listener->connections) < listener->max_connections) {
    g_socket_set_option (socket, IPPROTO_TCP, TCP_NODELAY, TRUE, NULL);
    g_socket_set_option (socket, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER_BYTES, NULL);
    g_socket_set_keepalive (socket, TRUE);
    robocache_counted_stream_allow (stream, MAX_REQUEST_BYTES);
    add_connection (listener, stream, remote);
    listener->accept (listener->user_data, stream, local, remote);
  } else {
    g_io_stream_close (G_IO_STREAM (stream), NULL, NULL);
    listener->accept (listener->user_data, NULL, local, remote);
  }
  g_object_unref (stream);
  g_clear_object (&local);
  g_clear_object (&remote);
}

static void watch_socket (RobocacheViewListener * listener);

static gboolean
on_retry (gpointer listener)
{
  watch_socket (listener);
  return G_SOURCE_REMOVE;
}

static void
set_source (RobocacheViewListener *listener, GSource *source)
{
  if (listener->source) {
    g_source_destroy (listener->source);
    g_source_unref (listener->source);
  }
  listener->source = source;
  if (source)
    g_source_attach (source, listener->context);
}

static gboolean
on_connection (GSocket *socket, GIOCondition condition, gpointer user_data)
{
  RobocacheViewListener *listener = user_data;
  GError *error = NULL;
  GSocket *accepted = g_socket_accept (socket, NULL, &error);

  if (accepted) {
    take_socket (listener, accepted);
    g_object_unref (accepted);
  } else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) {
    /* the socket would be ready again at once */
    GSource *retry = g_timeout_source_new (RETRY_MS);

    g_source_set_callback (retry, on_retry, listener, NULL);
    set_source (listener, retry);
  }
  g_clear_error (&error);
  return G_SOURCE_CONTINUE;
}

static void
watch_socket (RobocacheViewListener *listener)
{
  GSource *source = g_socket_create_source (listener->socket, G_IO_IN, NULL);

  g_source_set_callback (source, G_SOURCE_FUNC (on_connection), listener, NULL);
  set_source (listener, source);
}

void
robocache_view_listener_start (RobocacheViewListener *listener, GMainContext *context, RobocacheViewAccept accept, gpointer user_data)
{
  listener->context = context;
  listener->accept = accept;
  listener->user_data = user_data;
  watch_socket (listener);
}

/* ---- listening ---- */

static GSocket *
listen_at (GInetAddress *host, guint port, GError **error)
{
  GSocketAddress *address = g_inet_socket_address_new (host, (guint16) port);
  GSocket *socket = g_socket_new (g_inet_address_get_family (host), G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, error);

  if (socket) {
    g_socket_set_blocking (socket, FALSE);
    g_socket_set_listen_backlog (socket, BACKLOG);
    if (!g_socket_bind (socket, address, TRUE, error) || !g_socket_listen (socket, error))
      g_clear_object (&socket);
  }
  g_object_unref (address);
  return socket;
}

RobocacheViewListener *
robocache_view_listener_new (const gchar *host, guint port, guint max_connections, GError **error)
{
  GInetAddress *address = g_inet_address_new_from_string (g_strcmp0 (host, "localhost") == 0 ? "127.0.0.1" : host);
  RobocacheViewListener *listener;
  GSocketAddress *bound;
  GError *reason = NULL;
  GSocket *socket;

  if (!address) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "host=%s is not an address: expected one of this machine, or 0.0.0.0 for all",
        host);
    return NULL;
  }
  socket = listen_at (address, port, &reason);
  g_object_unref (address);
  if (!socket) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "cannot listen on host=%s port=%u (%s): set another port, or 0 for a free one",
        host, port, reason->message);
    g_error_free (reason);
    return NULL;
  }
  listener = g_new0 (RobocacheViewListener, 1);
  listener->socket = socket;
  bound = g_socket_get_local_address (socket, NULL);
  listener->port = bound ? g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)) : port;
  g_clear_object (&bound);
  listener->max_connections = max_connections;
  listener->connections = g_hash_table_new_full (NULL, NULL, NULL, connection_free);
  return listener;
}

guint
robocache_view_listener_port (const RobocacheViewListener *listener)
{
  return listener->port;
}

/* ---- the end ---- */

static gboolean
on_end_timeout (gpointer is_over)
{
  *(gboolean *) is_over = TRUE;
  return G_SOURCE_REMOVE;
}

/* libsoup closes streams asynchronously. */
static void
wait_for_streams (RobocacheViewListener *listener)
{
  GSource *timeout = g_timeout_source_new (END_TIMEOUT_MS);
  gboolean is_over = FALSE;

  g_source_set_callback (timeout, on_end_timeout, &is_over, NULL);
  g_source_attach (timeout, listener->context);
  while (!is_over && g_hash_table_size (listener->connections) > 0)
    g_main_context_iteration (listener->context, TRUE);
  g_source_destroy (timeout);
  g_source_unref (timeout);
}

static void
close_streams (RobocacheViewListener *listener)
{
  GList *streams = g_hash_table_get_keys (listener->connections);

  for (GList *item = streams; item; item = item->next)
    g_object_ref (item->data);
  for (GList *item = streams; item; item = item->next)
    g_io_stream_close (item->data, NULL, NULL);
  g_list_free_full (streams, g_object_unref);
}

void
robocache_view_listener_free (RobocacheViewListener *listener)
{
  GHashTableIter iter;
  gpointer stream;

  if (listener->context) {
    set_source (listener, NULL);
    close_streams (listener);
    wait_for_streams (listener);
  }
  g_hash_table_iter_init (&iter, listener->connections);
  while (g_hash_table_iter_next (&iter, &stream, NULL))
    g_object_weak_unref (stream, on_stream_gone, listener);
  g_hash_table_unref (listener->connections);
  g_socket_close (listener->socket, NULL);
  g_object_unref (listener->socket);
  g_free (listener);
}

/* robocache top: a client of robocachefoxglovesink that reads /robocache/status
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <libsoup/soup.h>

#include "top.h"

#define TOPIC "/robocache/status"
#define SUBSCRIPTION 1
/* Opcode, subscription and time come before the data. */
#define HEADER_SIZE 13
/* From the start to the first status; later, the server may be on a host that has gone. */
#define TIMEOUT_S 10

struct _TopConnection
{
  gchar *url;
  TopHandlers handlers;
  SoupSession *session;
  SoupMessage *handshake;
  GCancellable *cancellable;
  SoupWebsocketConnection *socket;      /* NULL: not yet */
  gint64 channel;               /* of the topic; -1: not advertised */
  guint timeout;                /* 0: none */
};

static void
end_connection (TopConnection *self, const gchar *reason)
{
  if (self->timeout)
    g_source_remove (self->timeout);
  self->timeout = 0;
  self->handlers.end (self->handlers.user_data, reason);
}

static gboolean
on_timeout (gpointer user_data)
{
  TopConnection *self = user_data;

  self->timeout = 0;
  end_connection (self, !self->socket ? "no answer" : self->channel < 0 ? "the server does not offer " TOPIC : "no status for 10 s");
  return G_SOURCE_REMOVE;
}

static void
restart_timeout (TopConnection *self)
{
  if (self->timeout)
    g_source_remove (self->timeout);
  self->timeout = g_timeout_add_seconds (TIMEOUT_S, on_timeout, self);
}

/* ---- messages ---- */

static void
subscribe (TopConnection *self, gint64 channel)
{
  gchar *text = g_strdup_printf ("{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":%d,\"channelId\":%" G_GINT64_FORMAT "}]}", SUBSCRIPTION, channel);

  self->channel = channel;
  soup_websocket_connection_send_text (self->socket, text);
  g_free (text);
}

static void
take_text (TopConnection *self, const gchar *text, gsize size)
{
  RobocacheJsonValue message, key, item;
  RobocacheJsonWalk walk;
  gint64 id;

  if (!robocache_json_parse (text, size, &message) || !robocache_json_string_equal (robocache_json_member (message, "op"), "advertise"))
    return;
  robocache_json_walk_init (&walk, robocache_json_member (message, "channels"));
  while (robocache_json_walk_next (&walk, &key, &item))
    if (robocache_json_string_equal (robocache_json_member (item, "topic"), TOPIC) && robocache_json_get_integer (robocache_json_member (item, "id"), &id))
      subscribe (self, id);
}

static void
take_binary (TopConnection *self, const gchar *data, gsize size)
{
  RobocacheJsonValue status;

  if (size <= HEADER_SIZE || data[0] != 1 || !robocache_json_parse (data + HEADER_SIZE, size - HEADER_SIZE, &status))
    return;
  restart_timeout (self);
  self->handlers.take (self->handlers.user_data, status, data + HEADER_SIZE, size - HEADER_SIZE);
}

static void
on_message (SoupWebsocketConnection *socket, gint type, GBytes *message, gpointer user_data)
{
  gsize size;
  const gchar *data = g_bytes_get_data (message, &size);

  if (type == SOUP_WEBSOCKET_DATA_TEXT)
    take_text (user_data, data, size);
  else
    take_binary (user_data, data, size);
}

/* ---- life ---- */

static void
on_closed (SoupWebsocketConnection *socket, gpointer user_data)
{
  end_connection (user_data, "the connection is closed: the program of the pipeline has ended, or the network is down");
}

static void
on_connected (GObject *session, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;
  SoupWebsocketConnection *socket = soup_session_websocket_connect_finish (SOUP_SESSION (session), result, &error);
  TopConnection *self = user_data;

  if (socket) {
    self->socket = socket;
    /* a status has a few hundred bytes a stream, and definitions of topics are longer */
    soup_websocket_connection_set_max_incoming_payload_size (socket, 16 << 20);
    g_signal_connect (socket, "message", G_CALLBACK (on_message), self);
    g_signal_connect (socket, "closed", G_CALLBACK (on_closed), self);
  } else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    const guint status = soup_message_get_status (self->handshake);

    end_connection (self, status >= 400 ? soup_message_get_reason_phrase (self->handshake) : error->message);
  }
  g_clear_error (&error);
}

TopConnection *
top_connection_new (const gchar *url, const TopHandlers *handlers)
{
  gchar *protocols[] = { (gchar *) "foxglove.sdk.v1", (gchar *) "foxglove.websocket.v1", NULL };
  TopConnection *self = g_new0 (TopConnection, 1);

  self->url = g_strdup (url);
  self->handlers = *handlers;
  self->channel = -1;
  self->session = soup_session_new ();
  self->cancellable = g_cancellable_new ();
  self->handshake = soup_message_new (SOUP_METHOD_GET, url);
  /* servers check the name by which browsers address them, and this is no browser */
  soup_message_headers_replace (soup_message_get_request_headers (self->handshake), "Host", "localhost");
  restart_timeout (self);
  soup_session_websocket_connect_async (self->session, self->handshake, NULL, protocols, G_PRIORITY_DEFAULT, self->cancellable, on_connected, self);
  return self;
}

void
top_connection_free (TopConnection *self)
{
  if (self->timeout)
    g_source_remove (self->timeout);
  g_cancellable_cancel (self->cancellable);
  while (!self->socket && g_main_context_pending (NULL))
    g_main_context_iteration (NULL, FALSE);
  if (self->socket) {
    g_signal_handlers_disconnect_by_data (self->socket, self);
    g_object_unref (self->socket);
  }
  g_object_unref (self->cancellable);
  g_object_unref (self->handshake);
  g_object_unref (self->session);
  g_free (self->url);
  g_free (self);
}

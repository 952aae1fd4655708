/* robocache: the server of robocachefoxglovesink
 *
 * A thread of its own has the sockets, libsoup and the clients. Threads of streams add messages to the queues of subscriptions, and wake it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "viewserver.h"

#include <string.h>

#include "access.h"
#include "client.h"
#include "jpeg.h"
#include "listener.h"
#include "page.h"
#include "protocol.h"

/* Requests that have no WebSocket yet, beside the clients. */
#define EXTRA_CONNECTIONS 32
#ifdef HAVE_JPEG
#define COMPRESS robocache_view_jpeg_new
#else
#define COMPRESS NULL
#endif

/* Messages are sent in batches: waking the thread and writing cost more than all else of a row. */
#define BATCH_INTERVAL_US (4 * G_TIME_SPAN_MILLISECOND)
#define DUE_INTERVAL_US (100 * G_TIME_SPAN_MILLISECOND)
/* Times after the end until which all messages are sent, those of the server's own topics, and connections are closed. */
#define END_US (600 * G_TIME_SPAN_MILLISECOND)
#define DROPPED_END_US (800 * G_TIME_SPAN_MILLISECOND)
#define CLOSE_US (2000 * G_TIME_SPAN_MILLISECOND)

struct _RobocacheViewServer
{
  /* constant */
  gchar *server_info;
  gchar **origins, **hosts;
  guint max_clients;
  void (*log) (gpointer user_data, const gchar * line);
  gpointer log_data;
  GThread *thread;
  GMainContext *context;
  GMainLoop *loop;
  GSource *wake, *timer;

  /* the thread of the server */
  RobocacheViewListener *listener;
  SoupServer *soup;
  RobocacheViewPage *page;
  GPtrArray *clients;           /* RobocacheViewClient */
  GPtrArray *closed;            /* those that are freed next */
  guint timer_generation;       /* graph_generation when the timer was last started */

  RobocacheViewShared shared;
  guint next_channel;           /* the shared lock, as the number of the next message */
  guint64 next_number;
};

static void G_GNUC_PRINTF (2, 3)
log_line (RobocacheViewServer *server, const gchar *format, ...)
{
  va_list arguments;
  gchar *line;

  va_start (arguments, format);
  line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  server->log (server->log_data, line);
  g_free (line);
}

/* ---- waking the thread ---- */

static void
wake (gpointer user_data)
{
  g_source_set_ready_time (((RobocacheViewServer *) user_data)->wake, 0);
}

static gboolean
dispatch_ready (GSource *source, GSourceFunc callback, gpointer user_data)
{
  g_source_set_ready_time (source, -1);
  return callback (user_data);
}

static GSourceFuncs ready_functions = { NULL, NULL, dispatch_ready, NULL };

/* ---- topics that are due ---- */

/* Topics of the server's own stay, so they may be called without the lock. Free with g_ptr_array_unref. */
static GPtrArray *
list_due (RobocacheViewServer *server)
{
  GPtrArray *due = g_ptr_array_new ();

  g_mutex_lock (&server->shared.lock);
  for (guint i = 0; i < server->shared.channels->len; i++) {
    RobocacheViewChannel *channel = g_ptr_array_index (server->shared.channels, i);

    if (channel->topic.due && (channel->was_due || robocache_view_channel_is_wanted (channel)))
      g_ptr_array_add (due, channel);
  }
  g_mutex_unlock (&server->shared.lock);
  return due;
}

static gboolean
call_due (gpointer user_data)
{
  RobocacheViewServer *server = user_data;
  GPtrArray *due = list_due (server);

  for (guint i = 0; i < due->len; i++) {
    RobocacheViewChannel *channel = g_ptr_array_index (due, i);

    channel->was_due = robocache_view_channel_is_wanted (channel);
    channel->topic.due (channel->topic.user_data, channel->was_due);
  }
  if (due->len > 0)
    g_source_set_ready_time (server->timer, g_get_monotonic_time () + DUE_INTERVAL_US);
  g_ptr_array_unref (due);
  return G_SOURCE_CONTINUE;
}

/* The timer does not run while no topic is due, which only changes of readers change. */
static void
start_timer (RobocacheViewServer *server)
{
  GPtrArray *due;
  guint generation;

  g_mutex_lock (&server->shared.lock);
  generation = server->shared.graph_generation;
  g_mutex_unlock (&server->shared.lock);
  if (g_source_get_ready_time (server->timer) >= 0 || generation == server->timer_generation)
    return;
  server->timer_generation = generation;
  due = list_due (server);
  if (due->len > 0)
    g_source_set_ready_time (server->timer, 0);
  g_ptr_array_unref (due);
}

static void
count_clients (RobocacheViewServer *server)
{
  g_mutex_lock (&server->shared.lock);
  server->shared.counts.clients = server->clients->len;
  g_mutex_unlock (&server->shared.lock);
}

/* The first message after a silence is sent at once. Those after it need not wake the thread: it has a turn at the end of the interval. */
static void
plan_next_turn (RobocacheViewServer *server)
{
  gboolean has_new;

  g_mutex_lock (&server->shared.lock);
  has_new = server->shared.is_awake = server->shared.has_new;
  server->shared.has_new = FALSE;
  g_mutex_unlock (&server->shared.lock);
  if (has_new)
    g_source_set_ready_time (server->wake, g_get_monotonic_time () + BATCH_INTERVAL_US);
}

static gboolean
serve (gpointer user_data)
{
  RobocacheViewServer *server = user_data;

  plan_next_turn (server);
  /* first: others see that their subscriptions are gone */
  g_ptr_array_set_size (server->closed, 0);
  for (guint i = 0; i < server->clients->len; i++)
    robocache_view_client_pump (g_ptr_array_index (server->clients, i));
  start_timer (server);
  return G_SOURCE_CONTINUE;
}

/* ---- clients ---- */

/* Called by the client. */
static void
on_client_closed (gpointer user_data, RobocacheViewClient *client)
{
  RobocacheViewServer *server = user_data;

  if (!g_ptr_array_remove (server->clients, client))
    return;
  g_ptr_array_add (server->closed, client);
  count_clients (server);
  log_line (server, "a client is gone, %u are left", server->clients->len);
  wake (server);
}

static void
count_refused (RobocacheViewServer *server)
{
  g_mutex_lock (&server->shared.lock);
  server->shared.counts.refused++;
  g_mutex_unlock (&server->shared.lock);
}

static void
refuse (RobocacheViewServer *server, SoupServerMessage *message, guint status, const gchar *reason)
{
  gchar *text = g_strconcat (reason, "\n", NULL);

  /* libraries for WebSockets show the status line, but not the text */
  soup_server_message_set_status (message, status, reason);
  soup_server_message_set_response (message, "text/plain; charset=utf-8", SOUP_MEMORY_COPY, text, strlen (text));
  g_free (text);
  count_refused (server);
  log_line (server, "a connection from %s is refused: %s", soup_server_message_get_remote_host (message), reason);
}

/* After the answer to the handshake. */
static void
on_upgraded (SoupServerMessage *message, gpointer user_data)
{
  RobocacheViewServer *server = user_data;
  RobocacheCountedStream *counted = robocache_view_listener_find (server->listener, soup_server_message_get_remote_address (message));
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (message);
  SoupWebsocketConnection *connection;
  GIOStream *stream;

  g_object_ref (message);
  stream = soup_server_message_steal_connection (message);
  if (server->clients->len >= server->max_clients) {
    count_refused (server);     /* others came while this one was answered */
  } else if (stream && counted) {
    connection = soup_websocket_connection_new (stream, soup_server_message_get_uri (message), SOUP_WEBSOCKET_CONNECTION_SERVER, NULL,
        soup_message_headers_get_one (headers, "Sec-WebSocket-Protocol"), NULL);
    robocache_view_listener_keep (server->listener, counted);
    g_ptr_array_add (server->clients, robocache_view_client_new (&server->shared, connection, counted, server->server_info));
    count_clients (server);
    log_line (server, "client %s speaks %s", soup_server_message_get_remote_host (message), soup_websocket_connection_get_protocol (connection));
    g_object_unref (connection);
    wake (server);
  }
  g_clear_object (&stream);
  g_object_unref (message);
}

/* ---- requests ---- */

/* The text of an address; free with g_free. */
static gchar *
address_text (GSocketAddress *address)
{
  return G_IS_INET_SOCKET_ADDRESS (address) ? g_inet_address_to_string (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address))) : NULL;
}

static gchar *
refusal_of (RobocacheViewServer *server, SoupServerMessage *message)
{
  SoupMessageHeaders *headers = soup_server_message_get_request_headers (message);
  gchar *local = address_text (soup_server_message_get_local_address (message));
  /* several headers of a name are one list, which is no host and no origin */
  const RobocacheViewRequest request = { soup_message_headers_get_list (headers, "Host"), soup_message_headers_get_list (headers, "Origin"),
    local
  };
  gchar *refusal = robocache_view_refusal (&request, (const gchar * const *) server->hosts, (const gchar * const *) server->origins);

  g_free (local);
  return refusal;
}

static gboolean
has_subprotocol (SoupMessageHeaders *headers)
{
  const gchar *list = soup_message_headers_get_list (headers, "Sec-WebSocket-Protocol");
  gboolean has_one = FALSE;

  for (guint i = 0; list && robocache_view_subprotocols[i]; i++)
    has_one |= soup_header_contains (list, robocache_view_subprotocols[i]);
  return has_one;
}

static gboolean
is_page_request (SoupServerMessage *message, const gchar *path)
{
  const gchar *method = soup_server_message_get_method (message);

  return (method == SOUP_METHOD_GET || method == SOUP_METHOD_HEAD) && g_str_equal (path, "/");
}

static void
handle_request (SoupServer *soup, SoupServerMessage *message, const char *path, GHashTable *query, gpointer user_data)
{
  RobocacheViewServer *server = user_data;
  SoupMessageHeaders *headers = soup_server_message_get_request_headers (message);
  const gchar *upgrade = soup_message_headers_get_list (headers, "Upgrade");
  gchar *refusal = refusal_of (server, message);

  if (refusal) {
    refuse (server, message, SOUP_STATUS_FORBIDDEN, refusal);
  } else if (!upgrade && is_page_request (message, path)) {
    robocache_view_page_answer (server->page, message, soup_message_headers_get_one (headers, "Host"));
  } else if (!upgrade || !soup_header_contains (upgrade, "websocket")) {
    soup_message_headers_append (soup_server_message_get_response_headers (message), "Upgrade", "websocket");
    refuse (server, message, 426, "This is a WebSocket server for viewers: open a Foxglove WebSocket connection to this address, or / in a browser.");
  } else if (!has_subprotocol (headers)) {
    refuse (server, message, SOUP_STATUS_BAD_REQUEST, "no subprotocol in common: expected foxglove.sdk.v1 or foxglove.websocket.v1");
  } else if (server->clients->len >= server->max_clients) {
    refuse (server, message, SOUP_STATUS_SERVICE_UNAVAILABLE, "as many clients as max-clients are connected");
  } else if (soup_websocket_server_process_handshake (message, NULL, (char **) robocache_view_subprotocols, NULL, NULL)) {
    g_signal_connect (message, "wrote-informational", G_CALLBACK (on_upgraded), server);
  }
  g_free (refusal);
}

static void
accept_stream (gpointer user_data, RobocacheCountedStream *stream, GSocketAddress *local, GSocketAddress *remote)
{
  RobocacheViewServer *server = user_data;

  if (stream)
    soup_server_accept_iostream (server->soup, G_IO_STREAM (stream), local, remote, NULL);
  else
    count_refused (server);
}

/* ---- the thread ---- */

static gboolean
has_busy_client (const RobocacheViewServer *server)
{
  for (guint i = 0; i < server->clients->len; i++)
    if (!robocache_view_client_is_idle (g_ptr_array_index (server->clients, i)))
      return TRUE;
  return FALSE;
}

static gboolean
has_client (const RobocacheViewServer *server)
{
  return server->clients->len > 0;
}

static gboolean
on_deadline (gpointer user_data)
{
  return G_SOURCE_REMOVE;
}

/* Runs the main context while the condition holds, until this time at most. */
static void
serve_while (RobocacheViewServer *server, gboolean (*condition) (const RobocacheViewServer * server), gint64 end_us)
{
  GSource *deadline = g_timeout_source_new ((guint) (MAX (end_us - g_get_monotonic_time (), 0) / 1000 + 1));

  g_source_set_callback (deadline, on_deadline, NULL, NULL);
  g_source_attach (deadline, server->context);
  while (condition (server) && g_get_monotonic_time () < end_us)
    g_main_context_iteration (server->context, TRUE);
  g_source_destroy (deadline);
  g_source_unref (deadline);
}

/* The server's own topics carry the error that ends the pipeline. They are not called again: a pipeline that has stopped looks faulty. For viewers
 * that are behind, messages of streams are discarded first. */
static void
send_last_messages (RobocacheViewServer *server)
{
  const gint64 now_us = g_get_monotonic_time ();

  call_due (server);
  g_source_destroy (server->timer);
  serve (server);
  serve_while (server, has_busy_client, now_us + END_US);
  for (guint i = 0; i < server->clients->len; i++) {
    const guint n = robocache_view_client_drop_streams (g_ptr_array_index (server->clients, i));

    if (n > 0)
      log_line (server, "a client was behind at the end, and lost the last %u messages", n);
  }
  serve_while (server, has_busy_client, now_us + DROPPED_END_US);
  /* a socket that is closed with unread requests of its client loses what the client has not read */
  for (guint i = 0; i < server->clients->len; i++)
    robocache_view_client_end (g_ptr_array_index (server->clients, i));
  serve_while (server, has_client, now_us + CLOSE_US);
}

static gpointer
run (gpointer user_data)
{
  RobocacheViewServer *server = user_data;

  g_main_context_push_thread_default (server->context);
  server->soup = soup_server_new (NULL, NULL);
  server->page = robocache_view_page_new ();
  soup_server_add_handler (server->soup, NULL, handle_request, server, NULL);
  robocache_view_listener_start (server->listener, server->context, accept_stream, server);
  g_main_loop_run (server->loop);
  send_last_messages (server);
  g_ptr_array_set_size (server->closed, 0);
  while (server->clients->len > 0)
    robocache_view_client_free (g_ptr_array_remove_index (server->clients, server->clients->len - 1));
  soup_server_disconnect (server->soup);
  g_object_unref (server->soup);
  robocache_view_page_free (server->page);
  robocache_view_listener_free (server->listener);
  g_main_context_pop_thread_default (server->context);
  return NULL;
}

static void
server_free (RobocacheViewServer *server)
{
  g_source_destroy (server->wake);
  g_source_unref (server->wake);
  g_source_destroy (server->timer);
  g_source_unref (server->timer);
  g_main_loop_unref (server->loop);
  g_main_context_unref (server->context);
  g_ptr_array_unref (server->clients);
  g_ptr_array_unref (server->closed);
  g_ptr_array_unref (server->shared.channels);
  g_mutex_clear (&server->shared.lock);
  g_strfreev (server->origins);
  g_strfreev (server->hosts);
  g_free ((gchar *) server->shared.parameters.functions.token);
  g_free (server->server_info);
  g_free (server);
}

static GSource *
source_new (RobocacheViewServer *server, GSourceFunc function)
{
  GSource *source = g_source_new (&ready_functions, sizeof (GSource));

  g_source_set_callback (source, function, server, NULL);
  g_source_attach (source, server->context);
  return source;
}

static void
init_thread (RobocacheViewServer *server)
{
  server->context = g_main_context_new ();
  server->loop = g_main_loop_new (server->context, FALSE);
  server->wake = source_new (server, serve);
  server->timer = source_new (server, call_due);
  server->clients = g_ptr_array_new ();
  server->closed = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_view_client_free);
}

/* ---- functions ---- */

static RobocacheViewServer *
start (const RobocacheViewSettings *settings, GError **error)
{
  RobocacheViewListener *listener = robocache_view_listener_new (settings->host, settings->port, settings->max_clients + EXTRA_CONNECTIONS, error);
  RobocacheViewServer *server;

  if (!listener)
    return NULL;
  server = g_new0 (RobocacheViewServer, 1);
  server->listener = listener;
  server->server_info = robocache_view_server_info (settings->name, settings->parameters.list != NULL, g_get_real_time ());
  server->origins = g_strdupv ((gchar **) settings->origins);
  server->hosts = g_strdupv ((gchar **) settings->hosts);
  server->max_clients = settings->max_clients;
  server->log = settings->log;
  server->log_data = settings->user_data;
  server->next_channel = 1;
  g_mutex_init (&server->shared.lock);
  server->shared.channels = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_view_channel_free);
  server->shared.parameters.functions = settings->parameters;
  server->shared.parameters.functions.token = g_strdup (settings->parameters.token);
  server->shared.graph_generation = 1;
  server->shared.max_queue_bytes = settings->max_queue_bytes;
  server->shared.counts.port = robocache_view_listener_port (listener);
  server->shared.wake = wake;
  server->shared.closed = on_client_closed;
  server->shared.user_data = server;
  init_thread (server);
  server->thread = g_thread_new ("robocache-view", run, server);
  return server;
}

static gboolean
quit (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

static void
stop (RobocacheViewServer *server)
{
  GSource *source = g_idle_source_new ();

  /* g_main_loop_quit before the loop runs would be lost */
  g_source_set_callback (source, quit, server->loop, NULL);
  g_source_attach (source, server->context);
  g_source_unref (source);
  g_thread_join (server->thread);
  server_free (server);
}

static RobocacheViewChannel *
add (RobocacheViewServer *server, const RobocacheViewTopic *topic)
{
  RobocacheViewChannel *channel;

  g_mutex_lock (&server->shared.lock);
  channel = robocache_view_channel_new (server->next_channel++, topic);
  g_ptr_array_add (server->shared.channels, channel);
  server->shared.generation++;
  server->shared.graph_generation++;
  g_mutex_unlock (&server->shared.lock);
  wake (server);
  return channel;
}

static void
remove_channel (RobocacheViewServer *server, RobocacheViewChannel *channel)
{
  g_mutex_lock (&server->shared.lock);
  server->shared.generation++;
  server->shared.graph_generation++;
  g_ptr_array_remove (server->shared.channels, channel);
  g_mutex_unlock (&server->shared.lock);
  wake (server);
}

static void
publish (RobocacheViewServer *server, RobocacheViewChannel *channel, const RobocacheViewMessage *message)
{
  RobocacheViewItem *item = robocache_view_item_new (message);
  GQueue lost = G_QUEUE_INIT;
  gboolean is_waiting = FALSE, must_wake;

  g_mutex_lock (&server->shared.lock);
  item->number = server->next_number++;
  item->is_own = channel->topic.due != NULL;
  for (guint i = 0; i < channel->readers->len; i++) {
    RobocacheViewReader *reader = g_ptr_array_index (channel->readers, i);

    server->shared.counts.dropped += robocache_view_subscription_push (&reader->waiting, item, &lost);
    is_waiting |= reader->waiting.items.length > 0;
  }
  must_wake = is_waiting && !server->shared.is_awake;
  server->shared.has_new |= is_waiting;
  server->shared.is_awake |= is_waiting;
  g_mutex_unlock (&server->shared.lock);
  if (must_wake)
    wake (server);
  robocache_view_item_unref (item);
  g_queue_clear_full (&lost, (GDestroyNotify) robocache_view_item_unref);
}

static void
get_counts (RobocacheViewServer *server, RobocacheViewCounts *counts)
{
  g_mutex_lock (&server->shared.lock);
  *counts = server->shared.counts;
  g_mutex_unlock (&server->shared.lock);
}

G_MODULE_EXPORT const RobocacheViewServerFunctions *robocache_view_server_functions (void);

G_MODULE_EXPORT const RobocacheViewServerFunctions *
robocache_view_server_functions (void)
{
  static const RobocacheViewServerFunctions functions = { start, stop, add, remove_channel, robocache_view_channel_is_wanted, publish, get_counts,
    COMPRESS
  };

  return &functions;
}

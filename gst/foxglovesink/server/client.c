/* robocache: a viewer that is connected
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "client.h"

#include <string.h>

#include "common/ros/encodings/jsontext.h"
#include "protocol.h"

#define MAX_INCOMING_BYTES (64 << 10)
/* A message in frames of a few bytes, each with a header. */
#define ALLOWANCE (4 * MAX_INCOMING_BYTES)
/* Texts for a client that does not read; it is not one that catches up. */
#define MAX_TEXT_BYTES (16 << 20)
/* Answers to faults are left out beyond. */
#define MAX_STATUS_BYTES (64 << 10)
#define TIME_INTERVAL_NS (50 * G_GINT64_CONSTANT (1000000))
/* Messages of streams come in any order; a time that is earlier by more is that of a recording which begins again. */
#define MAX_LATE_NS G_GINT64_CONSTANT (1000000000)

/* RFC 6455, 5.2 */
enum
{ OPCODE_TEXT = 1, OPCODE_BINARY = 2 };

struct _RobocacheViewClient
{
  RobocacheViewShared *shared;
  SoupWebsocketConnection *connection;
  RobocacheCountedStream *stream;
  guint number;

  GQueue texts;                 /* of gchar *, which go first */
  gsize text_bytes;

  GHashTable *readers;          /* RobocacheViewReader by id; the lock */
  GArray *advertised;           /* ids of channels, ascending */
  guint generation;             /* of these channels */
  gint64 time_ns;               /* last time that was sent; -1: none */
  gboolean follows_streams;     /* the time of a stream's message was sent, and streams are still subscribed to */
  RobocacheViewParameterClient parameters;
  RobocacheViewGraph graph;
  gint64 lag_ns;                /* the longest wait of a message since the last report of the connection */
};

static gboolean
is_open (const RobocacheViewClient *client)
{
  return soup_websocket_connection_get_state (client->connection) == SOUP_WEBSOCKET_STATE_OPEN;
}

/* ---- texts ---- */

/* Takes text. Names in it may be of any bytes, but clients end a connection with a text that is not UTF-8. */
static void
queue_text (RobocacheViewClient *client, gchar *text)
{
  gchar *valid = g_utf8_make_valid (text, -1);

  g_free (text);
  client->text_bytes += strlen (valid);
  g_queue_push_tail (&client->texts, valid);
  if (client->text_bytes > MAX_TEXT_BYTES && is_open (client))
    soup_websocket_connection_close (client->connection, SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION, "the client does not read");
}

static void
queue_status (RobocacheViewClient *client, RobocacheViewLevel level, const gchar *message)
{
  if (client->text_bytes < MAX_STATUS_BYTES)
    queue_text (client, robocache_view_status (level, message));
}

static gboolean
send_text (RobocacheViewClient *client)
{
  const gchar *text = g_queue_peek_head (&client->texts);
  const gsize size = text ? strlen (text) : 0;

  if (!text || !robocache_counted_stream_has_space (client->stream, size))
    return FALSE;
  robocache_counted_stream_append (client->stream, OPCODE_TEXT, TRUE, NULL, 0, text, size);
  client->text_bytes -= size;
  g_free (g_queue_pop_head (&client->texts));
  return TRUE;
}

/* ---- messages ---- */

/* The reader whose message is the oldest; NULL: nothing waits. Called with the lock. */
static RobocacheViewReader *
find_oldest (RobocacheViewClient *client)
{
  RobocacheViewReader *reader, *oldest = NULL;
  guint64 number = G_MAXUINT64;
  GHashTableIter iter;

  g_hash_table_iter_init (&iter, client->readers);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) & reader)) {
    const RobocacheViewItem *item = g_queue_peek_head (&reader->waiting.items);

    if (item && item->number < number) {
      number = item->number;
      oldest = reader;
    }
  }
  return oldest;
}

/* A viewer that is paused, or far behind, follows the data. Rows of a recording have times of their own, and a viewer that gets the times of the
 * server's topics between them clears its plots. */
static void
send_time (RobocacheViewClient *client, gint64 time_ns, gboolean is_own)
{
  guint8 message[ROBOCACHE_VIEW_TIME_SIZE];

  client->follows_streams |= !is_own;
  if (is_own && client->follows_streams)
    return;
  if (client->time_ns >= 0 && time_ns > client->time_ns - MAX_LATE_NS && time_ns < client->time_ns + TIME_INTERVAL_NS)
    return;
  client->time_ns = time_ns;
  robocache_view_write_time (message, time_ns);
  robocache_counted_stream_append (client->stream, OPCODE_BINARY, FALSE, message, sizeof message, NULL, 0);
}

static void
send_payload (RobocacheViewClient *client, guint32 id, const RobocacheViewItem *item, gconstpointer payload, gsize payload_size)
{
  guint8 header[ROBOCACHE_VIEW_HEADER_SIZE];

  send_time (client, item->log_ns, item->is_own);
  robocache_view_write_header (header, id, item->log_ns);
  robocache_counted_stream_append (client->stream, OPCODE_BINARY, item->is_own, header, sizeof header, payload, payload_size);
}

/* The message of ROBOCACHE_VIEW_CONNECTION. */
static GString *
describe_connection (RobocacheViewClient *client)
{
  GString *json = g_string_new (NULL), *topics = g_string_new (NULL);
  guint64 n_dropped = 0, n_waiting = 0, waiting_bytes = 0;
  RobocacheViewReader *reader;
  GHashTableIter iter;

  g_mutex_lock (&client->shared->lock);
  g_hash_table_iter_init (&iter, client->readers);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) & reader)) {
    const RobocacheViewSubscription *waiting = &reader->waiting;

    n_dropped += waiting->dropped;
    n_waiting += waiting->items.length;
    waiting_bytes += waiting->bytes;
    if (!reader->channel)
      continue;
    g_string_append (topics, topics->len > 0 ? ",{\"topic\":" : "{\"topic\":");
    robocache_json_append_string (topics, reader->channel->topic.topic);
    g_string_append_printf (topics, ",\"dropped\":%" G_GUINT64_FORMAT ",\"waiting\":%u}", waiting->dropped, waiting->items.length);
  }
  g_mutex_unlock (&client->shared->lock);
  g_string_printf (json, "{\"dropped\":%" G_GUINT64_FORMAT ",\"waiting\":%" G_GUINT64_FORMAT ",\"waiting_bytes\":%" G_GUINT64_FORMAT
      ",\"lag_ms\":%.3f,\"topics\":[%s]}", n_dropped, n_waiting, waiting_bytes, (gdouble) client->lag_ns / 1e6, topics->str);
  g_string_free (topics, TRUE);
  return json;
}

static void
send_item (RobocacheViewClient *client, const RobocacheViewSubscription *subscription, const RobocacheViewItem *item)
{
  const gint64 lag_ns = g_get_monotonic_time () * 1000 - item->published_ns;
  GString *report;

  client->lag_ns = MAX (client->lag_ns, lag_ns);
  if (subscription->kind != ROBOCACHE_VIEW_CONNECTION) {
    send_payload (client, subscription->id, item, item->data, item->size);
    return;
  }
  report = describe_connection (client);
  client->lag_ns = 0;
  send_payload (client, subscription->id, item, report->str, report->len);
  g_string_free (report, TRUE);
}

static gboolean
send_message (RobocacheViewClient *client)
{
  RobocacheViewShared *shared = client->shared;
  RobocacheViewItem *item = NULL;
  RobocacheViewReader *reader;

  g_mutex_lock (&shared->lock);
  reader = find_oldest (client);
  if (reader) {
    const RobocacheViewItem *next = g_queue_peek_head (&reader->waiting.items);

    if (robocache_counted_stream_has_space (client->stream, ROBOCACHE_VIEW_HEADER_SIZE + next->size)) {
      item = robocache_view_subscription_pop (&reader->waiting);
      shared->counts.sent++;
      shared->counts.bytes += item->size;
    }
  }
  g_mutex_unlock (&shared->lock);
  if (!item)
    return FALSE;
  /* clients alone free their readers, in this thread */
  send_item (client, &reader->waiting, item);
  robocache_view_item_unref (item);
  return TRUE;
}

/* ---- channels ---- */

/* Lists, in ids, the channels that are there; appends to json those that are not advertised, and to gone those that were. All ascend. Called
 * with the lock. */
static void
compare_channels (const RobocacheViewClient *client, GArray *ids, GString *json, GArray *gone)
{
  const GPtrArray *channels = client->shared->channels;
  guint old = 0;

  for (guint i = 0; i < channels->len; i++) {
    const RobocacheViewChannel *channel = g_ptr_array_index (channels, i);

    for (; old < client->advertised->len && g_array_index (client->advertised, guint, old) < channel->id; old++)
      g_array_append_val (gone, g_array_index (client->advertised, guint, old));
    if (old < client->advertised->len && g_array_index (client->advertised, guint, old) == channel->id) {
      old++;
    } else {
      g_string_append (json, json->len > 0 ? "," : "");
      robocache_view_append_channel (json, channel->id, &channel->topic);
    }
    g_array_append_val (ids, channel->id);
  }
  for (; old < client->advertised->len; old++)
    g_array_append_val (gone, g_array_index (client->advertised, guint, old));
}

/* Called with the lock. */
static gboolean
reads_streams (const RobocacheViewClient *client)
{
  RobocacheViewReader *reader;
  GHashTableIter iter;

  g_hash_table_iter_init (&iter, client->readers);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) & reader))
    if (reader->channel && !reader->channel->topic.due)
      return TRUE;
  return FALSE;
}

static gboolean
is_orphan (gpointer id, gpointer reader, gpointer user_data)
{
  return ((RobocacheViewReader *) reader)->channel == NULL;
}

static void
advertise (RobocacheViewClient *client)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint)), *gone = g_array_new (FALSE, FALSE, sizeof (guint));
  GString *json = g_string_new (NULL);

  g_mutex_lock (&client->shared->lock);
  compare_channels (client, ids, json, gone);
  client->generation = client->shared->generation;
  g_hash_table_foreach_remove (client->readers, is_orphan, NULL);
  client->follows_streams &= reads_streams (client);
  g_mutex_unlock (&client->shared->lock);
  for (guint i = 0; i < gone->len; i++)
    queue_text (client, robocache_view_unadvertise (g_array_index (gone, guint, i)));
  if (json->len > 0)
    queue_text (client, robocache_view_advertise (json->str));
  g_array_unref (client->advertised);
  client->advertised = ids;
  g_array_unref (gone);
  g_string_free (json, TRUE);
}

static gboolean
has_new_channels (RobocacheViewClient *client)
{
  gboolean has_new;

  g_mutex_lock (&client->shared->lock);
  has_new = client->generation != client->shared->generation;
  g_mutex_unlock (&client->shared->lock);
  return has_new;
}

static void
queue_updates (RobocacheViewClient *client)
{
  gchar *parameters = robocache_view_parameters_update (&client->shared->parameters, &client->parameters);
  gchar *graph;

  g_mutex_lock (&client->shared->lock);
  graph = robocache_view_graph_update (&client->graph, client->shared->graph_generation, client->shared->channels);
  g_mutex_unlock (&client->shared->lock);
  if (parameters)
    queue_text (client, parameters);
  if (graph)
    queue_text (client, graph);
}

void
robocache_view_client_pump (RobocacheViewClient *client)
{
  if (has_new_channels (client))
    advertise (client);
  queue_updates (client);
  while (is_open (client) && send_text (client)) {
  }
  while (is_open (client) && client->texts.length == 0 && send_message (client)) {
  }
  robocache_counted_stream_flush (client->stream);
}

gboolean
robocache_view_client_is_idle (const RobocacheViewClient *client)
{
  RobocacheViewReader *reader;
  GHashTableIter iter;
  gboolean is_idle = !is_open (client) || (client->texts.length == 0 && robocache_counted_stream_pending (client->stream) == 0);

  g_mutex_lock (&client->shared->lock);
  g_hash_table_iter_init (&iter, client->readers);
  while (is_idle && is_open (client) && g_hash_table_iter_next (&iter, NULL, (gpointer *) & reader))
    is_idle = reader->waiting.items.length == 0;
  g_mutex_unlock (&client->shared->lock);
  return is_idle;
}

guint
robocache_view_client_drop_streams (RobocacheViewClient *client)
{
  RobocacheViewReader *reader;
  GHashTableIter iter;
  guint n = 0;

  g_mutex_lock (&client->shared->lock);
  g_hash_table_iter_init (&iter, client->readers);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) & reader)) {
    if (reader->channel && reader->channel->topic.due)
      continue;
    n += reader->waiting.items.length;
    robocache_view_subscription_clear (&reader->waiting);
  }
  g_mutex_unlock (&client->shared->lock);
  n += robocache_counted_stream_drop (client->stream);
  robocache_view_client_pump (client);
  return n;
}

void
robocache_view_client_end (RobocacheViewClient *client)
{
  if (is_open (client))
    soup_websocket_connection_close (client->connection, SOUP_WEBSOCKET_CLOSE_GOING_AWAY, "the pipeline has stopped");
}

/* ---- requests ---- */

/* Called with the lock. */
static RobocacheViewChannel *
find_channel (const RobocacheViewClient *client, guint id)
{
  const GPtrArray *channels = client->shared->channels;

  for (guint i = 0; i < channels->len; i++)
    if (((RobocacheViewChannel *) g_ptr_array_index (channels, i))->id == id)
      return g_ptr_array_index (channels, i);
  return NULL;
}

/* Called with the lock. */
static gboolean
reads_channel (const RobocacheViewClient *client, const RobocacheViewChannel *channel)
{
  RobocacheViewReader *reader;
  GHashTableIter iter;

  g_hash_table_iter_init (&iter, client->readers);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) & reader))
    if (reader->channel == channel)
      return TRUE;
  return FALSE;
}

static void
subscribe (RobocacheViewClient *client, const RobocacheViewWish *wish)
{
  const gchar *fault = NULL;
  RobocacheViewChannel *channel;
  RobocacheViewReader *reader;
  gchar *text;

  g_mutex_lock (&client->shared->lock);
  channel = find_channel (client, wish->channel);
  if (!channel)
    fault = "this channel is not advertised";
  else if (g_hash_table_contains (client->readers, GUINT_TO_POINTER (wish->id)))
    fault = "this id is that of another subscription";
  else if (reads_channel (client, channel))
    fault = "the client subscribes to this channel already";
  if (!fault) {
    reader = robocache_view_reader_new (channel, client->number, wish->id, client->shared->max_queue_bytes);
    reader->waiting.interval_ns = wish->interval_ms * G_GINT64_CONSTANT (1000000);
    g_hash_table_insert (client->readers, GUINT_TO_POINTER (wish->id), reader);
  }
  client->shared->graph_generation++;
  g_mutex_unlock (&client->shared->lock);
  if (!fault)
    return;
  text = g_strdup_printf ("subscription %u to channel %u is ignored: %s", wish->id, wish->channel, fault);
  queue_status (client, ROBOCACHE_VIEW_WARNING, text);
  g_free (text);
}

static void
unsubscribe (RobocacheViewClient *client, const RobocacheViewWish *wish)
{
  g_mutex_lock (&client->shared->lock);
  g_hash_table_remove (client->readers, GUINT_TO_POINTER (wish->id));
  client->follows_streams &= reads_streams (client);
  client->shared->graph_generation++;
  g_mutex_unlock (&client->shared->lock);
}

static void
answer_parameters (RobocacheViewClient *client, RobocacheViewOperation operation, RobocacheJsonValue message)
{
  GQueue answers = G_QUEUE_INIT;
  gchar *text;

  if (!robocache_view_parameters_answer (&client->shared->parameters, &client->parameters, operation, message, &answers) && is_open (client))
    soup_websocket_connection_close (client->connection, SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION, "the token is wrong");
  while ((text = g_queue_pop_head (&answers)))
    queue_text (client, text);
}

static void
answer (RobocacheViewClient *client, const gchar *text, gsize size)
{
  GArray *wishes = g_array_new (FALSE, FALSE, sizeof (RobocacheViewWish));
  RobocacheViewOperation operation;
  RobocacheJsonValue message;
  gchar *fault = NULL;

  if (!robocache_view_parse (text, size, &operation, &message, wishes, &fault)) {
    queue_status (client, ROBOCACHE_VIEW_ERROR, fault);
    g_free (fault);
    g_array_set_size (wishes, 0);
  } else if (operation == ROBOCACHE_VIEW_SUBSCRIBE_GRAPH || operation == ROBOCACHE_VIEW_UNSUBSCRIBE_GRAPH) {
    robocache_view_graph_subscribe (&client->graph, operation == ROBOCACHE_VIEW_SUBSCRIBE_GRAPH);
  } else if (operation > ROBOCACHE_VIEW_UNSUBSCRIBE) {
    answer_parameters (client, operation, message);
  }
  for (guint i = 0; i < wishes->len; i++) {
    const RobocacheViewWish *wish = &g_array_index (wishes, RobocacheViewWish, i);

    if (operation == ROBOCACHE_VIEW_SUBSCRIBE)
      subscribe (client, wish);
    else
      unsubscribe (client, wish);
  }
  g_array_unref (wishes);
}

static void
on_message (SoupWebsocketConnection *connection, gint type, GBytes *message, gpointer user_data)
{
  RobocacheViewClient *client = user_data;
  gsize size;
  const gchar *text = g_bytes_get_data (message, &size);

  if (type == SOUP_WEBSOCKET_DATA_TEXT)
    answer (client, text, size);
  else
    queue_status (client, ROBOCACHE_VIEW_ERROR, "binary messages of clients are not used by this server");
  robocache_counted_stream_renew (client->stream);
  client->shared->wake (client->shared->user_data);
}

static void
on_closed (SoupWebsocketConnection *connection, gpointer user_data)
{
  RobocacheViewClient *client = user_data;

  client->shared->closed (client->shared->user_data, client);
}

/* ---- life ---- */

RobocacheViewClient *
robocache_view_client_new (RobocacheViewShared *shared, SoupWebsocketConnection *connection, RobocacheCountedStream *stream,
    const gchar *server_info)
{
  RobocacheViewClient *client = g_new0 (RobocacheViewClient, 1);

  client->shared = shared;
  client->connection = g_object_ref (connection);
  client->stream = g_object_ref (stream);
  g_queue_init (&client->texts);
  client->readers = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) robocache_view_reader_free);
  client->advertised = g_array_new (FALSE, FALSE, sizeof (guint));
  g_mutex_lock (&shared->lock);
  client->generation = shared->generation - 1;
  client->number = ++shared->n_clients;
  g_mutex_unlock (&shared->lock);
  client->time_ns = -1;
  soup_websocket_connection_set_max_incoming_payload_size (connection, MAX_INCOMING_BYTES);
  robocache_counted_stream_allow (stream, ALLOWANCE);
  robocache_counted_stream_set_notify (stream, shared->wake, shared->user_data);
  g_signal_connect (connection, "message", G_CALLBACK (on_message), client);
  g_signal_connect (connection, "closed", G_CALLBACK (on_closed), client);
  queue_text (client, g_strdup (server_info));
  return client;
}

void
robocache_view_client_free (RobocacheViewClient *client)
{
  robocache_counted_stream_set_notify (client->stream, NULL, NULL);
  g_signal_handlers_disconnect_by_data (client->connection, client);
  g_io_stream_close (G_IO_STREAM (client->stream), NULL, NULL);
  g_object_unref (client->connection);
  g_object_unref (client->stream);
  g_mutex_lock (&client->shared->lock);
  g_hash_table_unref (client->readers);
  client->shared->graph_generation++;
  g_mutex_unlock (&client->shared->lock);
  g_queue_clear_full (&client->texts, g_free);
  robocache_view_parameters_clear (&client->parameters);
  robocache_view_graph_subscribe (&client->graph, FALSE);
  g_array_unref (client->advertised);
  g_free (client);
}

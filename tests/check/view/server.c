/* robocache: tests of robocachefoxglovesink with clients: who is served, what they get, and what slow and hostile ones cost
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <gst/app/gstappsrc.h>
#include <malloc.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/check/lib/checks.h"
#include "tests/check/lib/memorylimit.h"
#include "viewclient.h"

#define ROWS "other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)%u,framerate=100/1%s"
#define PERIOD (10 * GST_MSECOND)
#define PROTOCOLS "foxglove.websocket.v1"

/* After the three of the sink. */
enum
{ ROWS_CHANNEL = 4 };

/* ---- a run ---- */

typedef struct
{
  GstElement *pipeline, *sink;
  GstAppSrc *source;
  guint port, n_pushed, n_channels;
} View;

static guint64
stat_of (const View *view, const gchar *field)
{
  GstStructure *stats;
  guint64 number = 0;
  guint small;

  g_object_get (view->sink, "stats", &stats, NULL);
  if (gst_structure_get_uint (stats, field, &small))
    number = small;
  else
    fail_unless (gst_structure_get_uint64 (stats, field, &number), "%s", field);
  gst_structure_free (stats);
  return number;
}

static guint64
stream_stat_of (const View *view, const gchar *field)
{
  GstStructure *stats, *stream;
  guint64 number;

  g_object_get (view->sink, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "sink_0", GST_TYPE_STRUCTURE, &stream, NULL));
  fail_unless (gst_structure_get_uint64 (stream, field, &number), "%s", field);
  gst_structure_free (stream);
  gst_structure_free (stats);
  return number;
}

static void
set_caps (View *view, guint n_channels, const gchar *more)
{
  gchar *text = g_strdup_printf (ROWS, n_channels, more);
  GstCaps *caps = gst_caps_from_string (text);

  gst_app_src_set_caps (view->source, caps);
  view->n_channels = n_channels;
  gst_caps_unref (caps);
  g_free (text);
}

/* A row with its number in every channel. */
static void
push_row (View *view)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, view->n_channels * sizeof (gfloat), NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint i = 0; i < view->n_channels; i++)
    ((gfloat *) (gpointer) map.data)[i] = (gfloat) view->n_pushed;
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = view->n_pushed++ * PERIOD;
  GST_BUFFER_DURATION (buffer) = PERIOD;
  fail_unless_equals_int (gst_app_src_push_buffer (view->source, buffer), GST_FLOW_OK);
}

/* In PLAYING, with one row behind it. */
static View
view_begin (guint n_channels, const gchar *properties)
{
  gchar *launch = g_strdup_printf ("appsrc name=a format=time block=true max-buffers=1 ! s.sink_0 robocachefoxglovesink name=s port=0 sync=false "
      "time-origin=0 sink_0::topic=/rows %s", properties);
  View view = { 0 };

  view.pipeline = gst_parse_launch (launch, NULL);
  fail_unless (view.pipeline != NULL, "%s", launch);
  g_free (launch);
  view.sink = gst_bin_get_by_name (GST_BIN (view.pipeline), "s");
  view.source = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (view.pipeline), "a"));
  set_caps (&view, n_channels, "");
  gst_element_set_state (view.pipeline, GST_STATE_PLAYING);
  push_row (&view);
  fail_unless_equals_int (gst_element_get_state (view.pipeline, NULL, NULL, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  /* the row of the preroll is past before viewers come */
  while (stream_stat_of (&view, "buffers-in") == 0)
    g_thread_yield ();
  view.port = (guint) stat_of (&view, "port");
  return view;
}

static void
view_end (View *view)
{
  GstBus *bus = gst_element_get_bus (view->pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

  fail_unless (message == NULL, "%" GST_PTR_FORMAT, message);
  gst_element_set_state (view->pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (view->source);
  gst_object_unref (view->sink);
  gst_object_unref (view->pipeline);
}

/* Waits for an answer of the server, which has read what was sent before. */
static void
synchronize (ViewClient *client)
{
  gchar *text = NULL;

  view_client_send_text (client, "synchronize");
  do {
    g_free (text);
    text = view_client_receive_text (client);
  } while (!strstr (text, "synchronize"));
  g_free (text);
}

/* Connects, and subscribes to the channel. */
static void
subscribe (ViewClient *client, const View *view, guint channel)
{
  gchar *text = g_strdup_printf ("{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":77,\"channelId\":%u}]}", channel);

  view_client_connect (client, view->port);
  view_client_send_text (client, text);
  synchronize (client);
  g_free (text);
}

/* ---- who is served ---- */

#define SITE "https://app.foxglove.dev"

static const struct
{
  ViewRequest request;
  guint status;
  const gchar *answer;          /* words of the headers */
} handshakes[] = {
  {{"localhost:8765", NULL, PROTOCOLS}, 101, "Sec-WebSocket-Protocol: foxglove.websocket.v1"},
  {{"localhost:8765", NULL, "foxglove.websocket.v1, foxglove.sdk.v1"}, 101, "Sec-WebSocket-Protocol: foxglove.sdk.v1"},
  {{"127.0.0.1:8765", SITE, PROTOCOLS}, 101, NULL},
  {{"robot.local", "http://robot.local", PROTOCOLS}, 101, NULL},
  {{"localhost:8765", NULL, PROTOCOLS, "Sec-WebSocket-Extensions: permessage-deflate\r\n"}, 101, NULL},
  {{"localhost:8765", NULL, "graphql-ws"}, 400, NULL},
  {{"localhost:8765", NULL, NULL}, 400, NULL},
  {{"evil.example:8765", NULL, PROTOCOLS}, 403, "403 Host is \"evil.example:8765\": add the name to allow-host"},
  {{"localhost:8765", "https://evil.example", PROTOCOLS}, 403, NULL},
  {{"localhost:8765", "null", PROTOCOLS}, 403, NULL},
  {{"localhost:8765", SITE, PROTOCOLS, "Origin: https://evil.example\r\n"}, 403, NULL},
  {{"localhost:8765", NULL, PROTOCOLS, "Sec-WebSocket-Version: 8\r\n"}, 400, NULL},
};

GST_START_TEST (answers_handshakes)
{
  View view = view_begin (2, "allow-host=robot.local");

  for (guint i = 0; i < G_N_ELEMENTS (handshakes); i++) {
    const ViewRequest *request = &handshakes[i].request;
    ViewClient client;
    gchar *answer;
    guint status = view_client_open (&client, view.port, request, &answer);

    fail_unless (status == handshakes[i].status, "case %u: %s", i, answer);
    fail_unless (!handshakes[i].answer || strstr (answer, handshakes[i].answer), "case %u: %s", i, answer);
    fail_if (strstr (answer, "permessage-deflate"));
    g_free (answer);
    view_client_close (&client);
  }
  fail_unless_equals_uint64 (stat_of (&view, "connections-refused") > 0, TRUE);
  view_end (&view);
}

GST_END_TEST;

GST_START_TEST (limits_clients)
{
  const ViewRequest request = { "localhost:8765", NULL, PROTOCOLS };
  View view = view_begin (2, "max-clients=3");
  ViewClient clients[3], other;

  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    subscribe (&clients[i], &view, ROWS_CHANNEL);
  fail_unless_equals_uint64 (stat_of (&view, "clients"), 3);
  fail_unless_equals_int (view_client_open (&other, view.port, &request, NULL), 503);
  view_client_close (&other);
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    view_client_close (&clients[i]);
  /* each waits for its turn in the server's thread */
  while (stat_of (&view, "clients") > 0)
    g_thread_yield ();
  view_client_connect (&other, view.port);
  view_client_close (&other);
  view_end (&view);
}

GST_END_TEST;

static guint
count_descriptors (void)
{
  GDir *folder = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (folder))
    n++;
  g_dir_close (folder);
  return n;
}

/* 10,000 connections one after the other, most of which ask for nothing, then more at a time than the server has. None is left. */
GST_START_TEST (survives_many_connections)
{
  const ViewRequest foreign = { "evil.example", NULL, PROTOCOLS };
  View view = view_begin (2, "max-clients=4");
  /* and those that a server which starts may still open */
  const guint n_descriptors = count_descriptors () + 2;
  gint64 end_us;
  ViewClient clients[100], client;

  for (guint i = 0; i < 10000; i++) {
    if (i % 100 == 0) {
      const guint status = view_client_open (&client, view.port, &foreign, NULL);

      /* closed at once: those before are not gone yet */
      fail_unless (status == 403 || status == 0, "%u", status);
    } else {
      view_client_open_silent (&client, view.port);
    }
    view_client_close (&client);
  }
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    view_client_open_silent (&clients[i], view.port);
  fail_unless (view_client_is_closed (&clients[G_N_ELEMENTS (clients) - 1]));
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    view_client_close (&clients[i]);
  end_us = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;
  while (count_descriptors () > n_descriptors && g_get_monotonic_time () < end_us)
    g_thread_yield ();
  fail_unless (count_descriptors () <= n_descriptors);
  subscribe (&client, &view, ROWS_CHANNEL);
  push_row (&view);
  g_bytes_unref (view_client_receive_data (&client, 77));
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

/* ---- what they get ---- */

GST_START_TEST (sends_what_comes)
{
  View view = view_begin (3, "");
  ViewClient client, other;
  gchar *text;

  subscribe (&client, &view, ROWS_CHANNEL);
  view_client_connect (&other, view.port);
  text = view_client_receive_text (&other);
  fail_unless (strstr (text, "\"op\":\"serverInfo\"") && strstr (text, "\"capabilities\":[\"time\",\"connectionGraph\"]"), "%s", text);
  g_free (text);
  text = view_client_receive_text (&other);
  fail_unless (strstr (text, "\"op\":\"advertise\"") && strstr (text, "\"id\":4,\"topic\":\"/rows\",\"encoding\":\"cdr\","
          "\"schemaName\":\"robocache_msgs/msg/Row\",\"schemaEncoding\":\"ros2msg\",\"schema\":\""), "%s", text);
  g_free (text);
  for (guint i = 1; i < 200; i++) {
    const guint8 *bytes;
    GBytes *message;
    gsize size;

    push_row (&view);
    message = view_client_receive_data (&client, 77);
    bytes = g_bytes_get_data (message, &size);
    fail_unless_equals_uint64 (GST_READ_UINT64_LE (bytes + 5), i * PERIOD);
    fail_unless (size > 13 + 3 * sizeof (gfloat));
    g_bytes_unref (message);
  }
  fail_unless_equals_uint64 (stat_of (&view, "messages-sent"), 199);
  fail_unless_equals_uint64 (stat_of (&view, "messages-dropped"), 0);
  view_client_close (&client);
  view_client_close (&other);
  view_end (&view);
}

GST_END_TEST;

GST_START_TEST (serves_many_clients)
{
  View view = view_begin (3, "");
  ViewClient clients[50];

  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    subscribe (&clients[i], &view, ROWS_CHANNEL);
  for (guint i = 0; i < 100; i++)
    push_row (&view);
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++) {
    for (guint n = 0; n < 100; n++)
      g_bytes_unref (view_client_receive_data (&clients[i], 77));
    view_client_close (&clients[i]);
  }
  /* encoded once */
  fail_unless_equals_uint64 (stream_stat_of (&view, "messages"), 100);
  fail_unless_equals_uint64 (stat_of (&view, "messages-dropped"), 0);
  view_end (&view);
}

GST_END_TEST;

/* Readers by topic, and topics that end. */
GST_START_TEST (draws_connections)
{
  View view = view_begin (2, "");
  ViewClient client, other;
  gchar *text;

  view_client_connect (&client, view.port);
  view_client_send_text (&client, "{\"op\":\"subscribeConnectionGraph\"}");
  do
    text = view_client_receive_text (&client);
  while (!strstr (text, "\"op\":\"connectionGraphUpdate\"") && (g_free (text), TRUE));
  fail_unless (strstr (text, "{\"name\":\"/rows\",\"publisherIds\":[\"robocache\"]}"), "%s", text);
  fail_unless (strstr (text, "{\"name\":\"/rows\",\"subscriberIds\":[]}"), "%s", text);
  g_free (text);
  subscribe (&other, &view, ROWS_CHANNEL);
  text = view_client_receive_text (&client);
  fail_unless (strstr (text, "{\"name\":\"/rows\",\"subscriberIds\":[\"viewer 2\"]}"), "%s", text);
  g_free (text);
  view_client_close (&other);
  text = view_client_receive_text (&client);
  fail_unless (strstr (text, "{\"name\":\"/rows\",\"subscriberIds\":[]}") && strstr (text, "\"removedTopics\":[]"), "%s", text);
  g_free (text);
  view_client_send_text (&client, "{\"op\":\"unsubscribeConnectionGraph\"}");
  subscribe (&other, &view, ROWS_CHANNEL);
  synchronize (&client);
  view_client_close (&other);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

/* Nothing is encoded without a subscription, nor after its end. */
GST_START_TEST (encodes_for_subscribers)
{
  View view = view_begin (3, "");
  ViewClient client;

  view_client_connect (&client, view.port);
  synchronize (&client);
  for (guint i = 0; i < 10; i++)
    push_row (&view);
  view_client_close (&client);
  subscribe (&client, &view, ROWS_CHANNEL);
  push_row (&view);
  g_bytes_unref (view_client_receive_data (&client, 77));
  fail_unless_equals_uint64 (stream_stat_of (&view, "messages"), 1);
  view_client_send_text (&client, "{\"op\":\"unsubscribe\",\"subscriptionIds\":[77]}");
  synchronize (&client);
  for (guint i = 0; i < 10; i++)
    push_row (&view);
  /* appsrc has one buffer at most; the one before it has arrived */
  fail_unless_equals_uint64 (stream_stat_of (&view, "messages"), 1);
  fail_unless (stream_stat_of (&view, "buffers-unread") >= 10);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

/* New caps of the same messages change nothing for clients; others are another channel. */
GST_START_TEST (advertises_changes)
{
  View view = view_begin (2, "");
  ViewClient client;
  gchar *text;

  subscribe (&client, &view, ROWS_CHANNEL);
  set_caps (&view, 4, "");
  push_row (&view);
  g_bytes_unref (view_client_receive_data (&client, 77));
  set_caps (&view, 2, ",channels=(string)\"q0,q1\",role=proprio");
  push_row (&view);
  text = view_client_receive_text (&client);
  fail_unless (g_str_equal (text, "{\"op\":\"unadvertise\",\"channelIds\":[4]}"), "%s", text);
  g_free (text);
  text = view_client_receive_text (&client);
  fail_unless (strstr (text, "\"id\":5,\"topic\":\"/rows\"") && strstr (text, "sensor_msgs/msg/JointState"), "%s", text);
  g_free (text);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

GST_START_TEST (starts_again)
{
  View view = view_begin (2, "");

  for (guint i = 0; i < 5; i++) {
    ViewClient client;

    view.port = (guint) stat_of (&view, "port");
    subscribe (&client, &view, ROWS_CHANNEL);
    gst_element_set_state (view.pipeline, i % 2 ? GST_STATE_NULL : GST_STATE_READY);
    fail_unless (view_client_is_closed (&client));
    view_client_close (&client);
    gst_element_set_state (view.pipeline, GST_STATE_PLAYING);
    push_row (&view);
    gst_element_get_state (view.pipeline, NULL, NULL, 20 * GST_SECOND);
  }
  view_end (&view);
}

GST_END_TEST;

/* The time of a viewer follows the rows, which are of 1970, and not the topics of the server's own. */
GST_START_TEST (follows_the_time_of_rows)
{
  View view = view_begin (3, "");
  guint n_own = 0, opcode;
  ViewClient client;

  subscribe (&client, &view, ROWS_CHANNEL);
  push_row (&view);
  g_bytes_unref (view_client_receive_data (&client, 77));
  view_client_send_text (&client, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":78,\"channelId\":1}]}");
  while (n_own < 3) {
    GBytes *message = view_client_receive (&client, &opcode);
    const guint8 *bytes = g_bytes_get_data (message, NULL);

    fail_if (opcode == VIEW_BINARY && bytes[0] == 2 && GST_READ_UINT64_LE (bytes + 1) > GST_SECOND);
    if (opcode == VIEW_BINARY && bytes[0] == 1) {
      fail_unless_equals_int (GST_READ_UINT32_LE (bytes + 1), 78);
      fail_unless (GST_READ_UINT64_LE (bytes + 5) > 1000000000 * GST_SECOND);
      n_own++;
    }
    g_bytes_unref (message);
  }
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

/* ---- slow clients ---- */

/* The client sees what it has lost, and that nothing waits. */
static void
expect_report (ViewClient *client, guint n_lost)
{
  gchar *expected = g_strdup_printf ("{\"dropped\":%u,\"waiting\":0,\"waiting_bytes\":0,", n_lost), *lost;
  GBytes *message;
  gchar *report;
  gsize size;

  view_client_send_text (client, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":78,\"channelId\":2}]}");
  message = view_client_receive_data (client, 78);
  lost = g_strdup_printf ("{\"topic\":\"/rows\",\"dropped\":%u,\"waiting\":0}", n_lost);
  report = g_strndup ((const gchar *) g_bytes_get_data (message, &size) + 13, g_bytes_get_size (message) - 13);
  fail_unless (g_str_has_prefix (report, expected) && strstr (report, lost), "%s has no %s", report, lost);
  g_free (report);
  g_free (lost);
  g_free (expected);
  g_bytes_unref (message);
}

/* One client reads everything while another, with a small socket, reads nothing. */
GST_START_TEST (slow_clients_lose_alone)
{
  const ViewRequest small = { "localhost", NULL, PROTOCOLS, NULL, 4096 };
  View view = view_begin (1000, "max-queue-size=1000000");
  ViewClient fast, slow;
  guint64 last = 0;
  guint n = 0;

  fail_unless_equals_int (view_client_open (&slow, view.port, &small, NULL), 101);
  view_client_send_text (&slow, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":77,\"channelId\":4}]}");
  synchronize (&slow);
  subscribe (&fast, &view, ROWS_CHANNEL);
  for (guint i = 0; i < 2000; i++) {
    GBytes *message;

    push_row (&view);
    message = view_client_receive_data (&fast, 77);
    fail_unless_equals_uint64 (GST_READ_UINT64_LE ((const guint8 *) g_bytes_get_data (message, NULL) + 5), (i + 1) * PERIOD);
    g_bytes_unref (message);
  }
  fail_unless (stat_of (&view, "messages-dropped") > 1000);
  view_client_close (&fast);
  /* what the slow one gets is in order, ends with the newest row, and all that it does not get was counted */
  while (last < 2000 * PERIOD) {
    GBytes *message = view_client_receive_data (&slow, 77);
    const guint64 time = GST_READ_UINT64_LE ((const guint8 *) g_bytes_get_data (message, NULL) + 5);

    fail_unless (time > last);
    last = time;
    n++;
    g_bytes_unref (message);
  }
  fail_unless_equals_uint64 (n + stat_of (&view, "messages-dropped"), 2000);
  expect_report (&slow, 2000 - n);
  view_client_close (&slow);
  view_end (&view);
}

GST_END_TEST;

/* Requests do not end a client whose link is always full, as that of the page which asks for each picture. They are longer in all than what a
 * client may send that reads nothing. */
GST_START_TEST (serves_requests_over_full_links)
{
  const ViewRequest small = { "localhost", NULL, PROTOCOLS, NULL, 4096 };
  View view = view_begin (25000, "max-queue-size=1000000");
  gchar *padding = g_strnfill (8000, ' '), *request = g_strconcat (padding, "{\"op\":\"unsubscribe\",\"subscriptionIds\":[5]}", NULL);
  ViewClient client;

  fail_unless_equals_int (view_client_open (&client, view.port, &small, NULL), 101);
  view_client_send_text (&client, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":77,\"channelId\":4}]}");
  synchronize (&client);
  for (guint i = 0; i < 20; i++)
    push_row (&view);
  for (guint i = 0; i < 80; i++) {
    GBytes *message;

    push_row (&view);
    view_client_send_text (&client, request);
    message = view_client_receive_data (&client, 77);
    fail_unless (message != NULL, "the connection ends after %u requests", i);
    g_bytes_unref (message);
  }
  synchronize (&client);
  view_client_close (&client);
  g_free (request);
  g_free (padding);
  view_end (&view);
}

GST_END_TEST;

/* The error that ends a pipeline reaches a viewer that was behind, though it reads only after the end. */
GST_START_TEST (late_readers_get_the_last_error)
{
  const ViewRequest small = { "localhost", NULL, PROTOCOLS, NULL, 4096 };
  View view = view_begin (25000, "max-queue-size=100000000");
  gboolean is_found = FALSE;
  ViewClient client;
  GBytes *message;

  fail_unless_equals_int (view_client_open (&client, view.port, &small, NULL), 101);
  view_client_send_text (&client, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":77,\"channelId\":4},{\"id\":1,\"channelId\":1},"
      "{\"id\":2,\"channelId\":2},{\"id\":3,\"channelId\":3}]}");
  synchronize (&client);
  for (guint i = 0; i < 100; i++)
    push_row (&view);
  GST_ELEMENT_ERROR (view.source, RESOURCE, NO_SPACE_LEFT, ("the disk is full"), (NULL));
  gst_message_unref (gst_bus_pop_filtered (GST_ELEMENT_BUS (view.pipeline), GST_MESSAGE_ERROR));
  view_end (&view);
  while (!is_found && (message = view_client_receive (&client, NULL)) != NULL) {
    gsize size;
    const gchar *bytes = g_bytes_get_data (message, &size);

    is_found = memmem (bytes, size, "the disk is full", strlen ("the disk is full")) != NULL;
    g_bytes_unref (message);
  }
  fail_unless (is_found);
  view_client_close (&client);
}

GST_END_TEST;

/* 400 MB go past 8 clients that never read. */
GST_START_TEST (unread_rows_cost_no_memory)
{
#ifdef __SANITIZE_ADDRESS__
  g_print ("SKIP unread_rows_cost_no_memory: a sanitizer keeps memory that was freed\n");
#else
  View view = view_begin (250000, "max-queue-size=2000000");
  ViewClient clients[8];
  guint64 before, after;

  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    subscribe (&clients[i], &view, ROWS_CHANNEL);
  for (guint i = 0; i < 20; i++)
    push_row (&view);
  malloc_trim (0);
  before = resident_kib ();
  for (guint i = 0; i < 400; i++)
    push_row (&view);
  malloc_trim (0);
  after = resident_kib ();
  fail_unless (after < before + (16 << 10), "%" G_GUINT64_FORMAT " KiB before, %" G_GUINT64_FORMAT " after", before, after);
  fail_unless (stat_of (&view, "messages-dropped") > 1000);
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    view_client_close (&clients[i]);
  view_end (&view);
#endif
}

GST_END_TEST;

/* 60 MB go to a client that reads, but never all. */
GST_START_TEST (slow_reading_costs_no_memory)
{
#ifdef __SANITIZE_ADDRESS__
  g_print ("SKIP slow_reading_costs_no_memory: a sanitizer keeps memory that was freed\n");
#else
  const ViewRequest small = { "localhost", NULL, PROTOCOLS, NULL, 4096 };
  View view = view_begin (4000, "max-queue-size=4000000");
  guint64 before = 0, after;
  ViewClient client;

  fail_unless_equals_int (view_client_open (&client, view.port, &small, NULL), 101);
  view_client_send_text (&client, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":77,\"channelId\":4}]}");
  synchronize (&client);
  for (guint i = 0; i < 60; i++)
    push_row (&view);
  for (guint i = 0; i < 2000; i++) {
    GBytes *message;

    push_row (&view);
    message = view_client_receive_data (&client, 77);
    fail_unless (message != NULL);
    g_bytes_unref (message);
    if (i == 200)
      before = resident_kib ();
  }
  after = resident_kib ();
  fail_unless (after < before + (16 << 10), "%" G_GUINT64_FORMAT " KiB before, %" G_GUINT64_FORMAT " after", before, after);
  view_client_close (&client);
  view_end (&view);
#endif
}

GST_END_TEST;

/* ---- hostile clients ---- */

/* A frame, and so many times. */
static const struct
{
  guint8 first;
  gsize size;
  guint n;
} frames[] = {
  {VIEW_FINAL | VIEW_TEXT, 65537, 1},
  {VIEW_FINAL | VIEW_BINARY, 10 << 20, 1},
  {VIEW_CONTINUATION, 100, 1},
  {VIEW_FINAL | 3, 4, 1},
  {VIEW_FINAL | 0x40 | VIEW_TEXT, 4, 1},
  {VIEW_PING, 4, 1},
  {VIEW_FINAL | VIEW_PING, 126, 1},
  /* no end: a message in pieces, and pings whose answers nobody reads */
  {VIEW_CONTINUATION, 60000, 20},
  {VIEW_FINAL | VIEW_PING, 125, 20000},
};

GST_START_TEST (ends_hostile_clients)
{
  View view = view_begin (2, "");
  guint8 *data = g_malloc0 (10 << 20);
  ViewClient client;
  guint n = 0;

  view_client_connect (&client, view.port);
  if (frames[__i__].first == VIEW_CONTINUATION && frames[__i__].n > 1)
    view_client_send (&client, VIEW_TEXT, data, 10);
  while (n < frames[__i__].n && view_client_send (&client, frames[__i__].first, data, frames[__i__].size))
    n++;
  fail_unless (view_client_is_closed (&client));
  view_client_close (&client);
  /* the others are served */
  subscribe (&client, &view, ROWS_CHANNEL);
  push_row (&view);
  g_bytes_unref (view_client_receive_data (&client, 77));
  view_client_close (&client);
  g_free (data);
  view_end (&view);
}

GST_END_TEST;

#define BYTES(text) (text), sizeof (text) - 1
#define OPEN "GET / HTTP/1.1\r\nHost: localhost\r\n"

/* Bytes that no client may send, and so many times; the first frames follow a handshake, the first requests do not. */
static const struct
{
  const gchar *start;           /* NULL: a handshake */
  const gchar *bytes;
  gsize size;
  guint n;
} violations[] = {
  /* not masked, no size of a message, no UTF-8, half a code, a control frame that has no meaning */
  {NULL, BYTES ("\x81\x02hi"), 1},
  {NULL, BYTES ("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0"), 1},
  {NULL, BYTES ("\x81\x82\0\0\0\0\xff\xfe"), 1},
  {NULL, BYTES ("\x88\x81\0\0\0\0x"), 1},
  {NULL, BYTES ("\x8b\x80\0\0\0\0"), 1},
  /* no request, and headers without end */
  {"", BYTES ("\0\1\2\3\r\n\r\n"), 1},
  {OPEN "X: ", BYTES ("0123456789abcdef"), 1 << 20},
  {OPEN, BYTES ("X: 0123456789\r\n"), 1 << 20},
};

GST_START_TEST (ends_clients_that_break_rules)
{
  View view = view_begin (2, "");
  const gchar *start = violations[__i__].start;
  ViewClient client;
  gchar buffer[4096];

  if (start)
    view_client_open_silent (&client, view.port);
  else
    view_client_connect (&client, view.port);
  if (start)
    fail_unless (send (client.socket, start, strlen (start), MSG_NOSIGNAL) == (gssize) strlen (start));
  for (guint i = 0; i < violations[__i__].n; i++)
    if (send (client.socket, violations[__i__].bytes, violations[__i__].size, MSG_NOSIGNAL) < 0)
      break;
  errno = 0;
  while (recv (client.socket, buffer, sizeof buffer, 0) > 0) {
  }
  fail_if (errno == EAGAIN, "the server keeps this client");
  view_client_close (&client);
  subscribe (&client, &view, ROWS_CHANNEL);
  push_row (&view);
  g_bytes_unref (view_client_receive_data (&client, 77));
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

/* Whatever comes, the server answers others. */
GST_START_TEST (survives_random_bytes)
{
  View view = view_begin (2, "");
  GRand *random = g_rand_new_with_seed (51);
  ViewClient client;

  for (guint i = 0; i < 200; i++) {
    guint8 bytes[300];

    view_client_connect (&client, view.port);
    for (guint j = 0; j < sizeof bytes; j++)
      bytes[j] = (guint8) g_rand_int (random);
    if (i % 2)
      fail_unless (write (client.socket, bytes, sizeof bytes) == (gssize) sizeof bytes);
    else
      view_client_send (&client, VIEW_FINAL | (i % 4 ? VIEW_TEXT : VIEW_BINARY), bytes, sizeof bytes);
    view_client_close (&client);
  }
  subscribe (&client, &view, ROWS_CHANNEL);
  push_row (&view);
  g_bytes_unref (view_client_receive_data (&client, 77));
  view_client_close (&client);
  g_rand_free (random);
  view_end (&view);
}

GST_END_TEST;

/* ---- errors ---- */

static const struct
{
  const gchar *host;
  gboolean uses_port;           /* which another sink has */
  const gchar *words;
} faults[] = {
  {"robot", FALSE, "host=robot is not an address"},
  {"203.0.113.1", FALSE, "cannot listen on host=203.0.113.1"},
  {"127.0.0.1", TRUE, "set another port"},
};

GST_START_TEST (explains_why_it_cannot_listen)
{
  View view = view_begin (2, "");
  gchar *launch = g_strdup_printf ("robocachetestsrc ! s.sink_0 robocachefoxglovesink name=s port=%u host=%s", faults[__i__].uses_port ? view.port : 0,
      faults[__i__].host);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error;

  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
  fail_unless (strstr (error->message, faults[__i__].words) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (launch);
  view_end (&view);
}

GST_END_TEST;

/* libsoup 3 would end a process that has libsoup 2.4. */
GST_START_TEST (refuses_beside_libsoup_2)
{
  GstElement *sink = gst_element_factory_make ("robocachefoxglovesink", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error;

  if (!dlopen ("libsoup-2.4.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    g_print ("SKIP refuses_beside_libsoup_2: libsoup 2.4 is not installed\n");
  } else {
    gst_element_set_bus (sink, bus);
    fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_READY), GST_STATE_CHANGE_FAILURE);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    gst_message_parse_error (message, &error, NULL);
    fail_unless (strstr (error->message, "libsoup 2.4 is in this process") != NULL, "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
    gst_element_set_state (sink, GST_STATE_NULL);
  }
  gst_object_unref (bus);
  gst_object_unref (sink);
}

GST_END_TEST;

CHECK_MAIN (view_server, NULL, NULL, ONCE (answers_handshakes), ONCE (limits_clients), ONCE (survives_many_connections), ONCE (sends_what_comes),
    ONCE (serves_many_clients), ONCE (encodes_for_subscribers), ONCE (draws_connections), ONCE (advertises_changes), ONCE (starts_again), ONCE (follows_the_time_of_rows),
    ONCE (slow_clients_lose_alone), ONCE (serves_requests_over_full_links), ONCE (late_readers_get_the_last_error), ONCE (unread_rows_cost_no_memory), ONCE (slow_reading_costs_no_memory),
    EACH (frames, ends_hostile_clients), EACH (violations, ends_clients_that_break_rules), ONCE (survives_random_bytes), EACH (faults, explains_why_it_cannot_listen), ONCE (refuses_beside_libsoup_2))

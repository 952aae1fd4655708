/* robocache: tests of the topics of robocachefoxglovesink about the pipeline: equal to the statistics of elements, nothing without a reader
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/app/gstappsrc.h>
#include <string.h>

#include "common/ros/encodings/jsontext.h"
#include "tests/check/lib/checks.h"
#include "viewclient.h"

#define PERIOD (10 * GST_MSECOND)

/* Channels of the sink. */
enum
{ STATUS = 1, CONNECTION };

/* ---- a run: rows of two streams, which a test pushes, become samples ---- */

typedef struct
{
  GstElement *pipeline, *sink, *fuse;
  GstAppSrc *sources[2];
  guint port, n_pushed;
} View;

#define ROWS "other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)2,framerate=100/1"
#define SOURCE(name) "appsrc name=" name " format=time caps=\"" ROWS "\" ! "

static void
push_row (GstAppSrc *source, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 2 * sizeof (gfloat), NULL);

  gst_buffer_memset (buffer, 0, 0, 2 * sizeof (gfloat));
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = PERIOD;
  fail_unless_equals_int (gst_app_src_push_buffer (source, buffer), GST_FLOW_OK);
}

/* Rows of the second stream are a quarter of a period late, and every fifth is absent. */
static void
push_rows (View *view, guint n)
{
  for (guint end = view->n_pushed + n; view->n_pushed < end; view->n_pushed++) {
    push_row (view->sources[0], view->n_pushed * PERIOD);
    if (view->n_pushed % 5 != 3)
      push_row (view->sources[1], view->n_pushed * PERIOD + PERIOD / 4);
  }
}

static GstStructure *
stats_of (GstElement *element)
{
  GstStructure *stats;

  g_object_get (element, "stats", &stats, NULL);
  return stats;
}

static guint64
ticks_of (const View *view)
{
  GstStructure *stats = stats_of (view->fuse);
  guint64 n;

  fail_unless (gst_structure_get_uint64 (stats, "ticks-out", &n));
  gst_structure_free (stats);
  return n;
}

static guint64
outputs_of (const View *view)
{
  GstStructure *stats = stats_of (view->sink), *stream;
  guint64 n;

  fail_unless (gst_structure_get (stats, "sink_0", GST_TYPE_STRUCTURE, &stream, NULL));
  fail_unless (gst_structure_get_uint64 (stream, "buffers-in", &n));
  gst_structure_free (stream);
  gst_structure_free (stats);
  return n;
}

/* Waits until all ticks of the rows are out, and read: the last two wait for later rows. */
static void
settle (View *view)
{
  while (ticks_of (view) < view->n_pushed - 2 || outputs_of (view) < ticks_of (view))
    g_thread_yield ();
}

static View
view_begin (void)
{
  View view = { 0 };
  GstStructure *stats;

  view.pipeline = gst_parse_launch ("robocachefuse name=f rate=100/1 ! queue ! robocachefoxglovesink name=s port=0 sync=false time-origin=0 "
      SOURCE ("a") "f.proprio_0 " SOURCE ("b") "f.sink_0", NULL);
  view.sink = gst_bin_get_by_name (GST_BIN (view.pipeline), "s");
  view.fuse = gst_bin_get_by_name (GST_BIN (view.pipeline), "f");
  view.sources[0] = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (view.pipeline), "a"));
  view.sources[1] = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (view.pipeline), "b"));
  gst_element_set_state (view.pipeline, GST_STATE_PLAYING);
  push_rows (&view, 10);
  fail_unless_equals_int (gst_element_get_state (view.pipeline, NULL, NULL, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  stats = stats_of (view.sink);
  fail_unless (gst_structure_get_uint (stats, "port", &view.port));
  gst_structure_free (stats);
  return view;
}

static void
view_end (View *view)
{
  gst_element_set_state (view->pipeline, GST_STATE_NULL);
  for (guint i = 0; i < G_N_ELEMENTS (view->sources); i++)
    gst_clear_object (&view->sources[i]);
  gst_object_unref (view->sink);
  gst_object_unref (view->fuse);
  gst_object_unref (view->pipeline);
}

/* ---- messages ---- */

static void
subscribe (ViewClient *client, const View *view, guint channel)
{
  gchar *text = g_strdup_printf ("{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":%u,\"channelId\":%u}]}", channel, channel);

  view_client_connect (client, view->port);
  view_client_send_text (client, text);
  g_free (text);
}

/* The nth next message of a subscription; free with g_bytes_unref. */
static RobocacheJsonValue
receive_json (ViewClient *client, guint subscription, guint n, GBytes **message)
{
  RobocacheJsonValue value;
  const gchar *text;
  gsize size;

  *message = NULL;
  for (; n > 0; n--) {
    g_clear_pointer (message, g_bytes_unref);
    *message = view_client_receive_data (client, subscription);
  }
  text = (const gchar *) g_bytes_get_data (*message, &size) + 13;
  fail_unless (robocache_json_parse (text, size - 13, &value), "%.*s", (gint) size - 13, text);
  return value;
}

static RobocacheJsonValue
item_named (RobocacheJsonValue array, const gchar *name)
{
  RobocacheJsonValue key, item;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, array);
  while (robocache_json_walk_next (&walk, &key, &item))
    if (robocache_json_string_equal (robocache_json_member (item, "name"), name))
      return item;
  fail ("no item %s in %.*s", name, (gint) array.size, array.data);
  return (RobocacheJsonValue) { 0 };
}

static gint64
integer_of (RobocacheJsonValue object, const gchar *name)
{
  gint64 number = G_MININT64;

  fail_unless (robocache_json_get_integer (robocache_json_member (object, name), &number), "%s in %.*s", name, (gint) object.size, object.data);
  return number;
}

/* Every number of the structure is in the object. */
static guint
compare_numbers (RobocacheJsonValue object, const GstStructure *stats)
{
  guint n = 0;

  for (gint i = 0; i < gst_structure_n_fields (stats); i++) {
    const gchar *field = gst_structure_nth_field_name (stats, (guint) i);
    gchar *name = g_strdelimit (g_strdup (field), "-", '_');
    guint64 unsigned_number;
    gint64 number;

    if (gst_structure_get_uint64 (stats, field, &unsigned_number))
      number = (gint64) unsigned_number;
    else if (!gst_structure_get_int64 (stats, field, &number))
      name[0] = '\0';
    if (name[0]) {
      fail_unless (integer_of (object, name) == number, "%s is %" G_GINT64_FORMAT ": %.*s", name, number, (gint) object.size, object.data);
      n++;
    }
    g_free (name);
  }
  return n;
}

/* ---- tests ---- */

GST_START_TEST (agrees_with_stats)
{
  static const gchar *const pads[] = { "proprio_0", "sink_0" };
  View view = view_begin ();
  GstStructure *stats;
  RobocacheJsonValue json;
  ViewClient client;
  GBytes *message;

  push_rows (&view, 200);
  settle (&view);
  subscribe (&client, &view, STATUS);
  json = receive_json (&client, STATUS, 2, &message);
  stats = stats_of (view.fuse);
  fail_unless (compare_numbers (item_named (robocache_json_member (json, "fuses"), "f"), stats) > 30);
  for (guint i = 0; i < G_N_ELEMENTS (pads); i++) {
    const RobocacheJsonValue stream = item_named (robocache_json_member (json, "streams"), pads[i]);

    fail_unless (compare_numbers (stream, gst_value_get_structure (gst_structure_get_value (stats, pads[i]))) > 30);
    fail_unless (robocache_json_string_equal (robocache_json_member (stream, "kind"), i == 0 ? "proprio" : "rows"));
  }
  gst_structure_free (stats);
  stats = stats_of (view.sink);
  compare_numbers (item_named (robocache_json_member (json, "outputs"), "sink_0"), gst_value_get_structure (gst_structure_get_value (stats, "sink_0")));
  fail_unless_equals_int64 (integer_of (robocache_json_member (json, "server"), "clients"), 1);
  gst_structure_free (stats);
  g_bytes_unref (message);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

static gdouble
number_of (RobocacheJsonValue object, const gchar *name)
{
  gdouble number;

  fail_unless (robocache_json_get_number (robocache_json_member (object, name), &number), "%s in %.*s", name, (gint) object.size, object.data);
  return number;
}

/* The first status with all ticks; those before it may wait in the socket. Free message with g_bytes_unref. */
static RobocacheJsonValue
receive_settled (ViewClient *client, const View *view, GBytes **message)
{
  const gint64 n_ticks = (gint64) ticks_of (view);

  for (;;) {
    const RobocacheJsonValue json = receive_json (client, STATUS, 1, message);

    if (integer_of (item_named (robocache_json_member (json, "fuses"), "f"), "ticks_out") == n_ticks)
      return json;
    g_bytes_unref (*message);
  }
}

/* Rows that are pushed after the subscription are in what is recent. FALSE: this machine took more than a second, and the first ones are not. */
static gboolean
is_recent_right (void)
{
  View view = view_begin ();
  RobocacheJsonValue json, stream, recent;
  ViewClient client;
  GBytes *message;
  gboolean is_recent;
  gint64 n;

  subscribe (&client, &view, STATUS);
  n = integer_of (item_named (robocache_json_member (receive_json (&client, STATUS, 1, &message), "streams"), "sink_0"), "rows_in");
  g_bytes_unref (message);
  push_rows (&view, 50);
  settle (&view);
  json = receive_settled (&client, &view, &message);
  stream = item_named (robocache_json_member (json, "streams"), "sink_0");
  recent = robocache_json_member (stream, "recent");
  is_recent = number_of (recent, "seconds") < 0.9;
  if (is_recent) {
    fail_unless_equals_int64 (integer_of (recent, "rows_in"), integer_of (stream, "rows_in") - n);
    fail_unless_equals_int64 (integer_of (recent, "rows_in"), 40);
    fail_unless (number_of (recent, "seconds") > 0 && number_of (recent, "rate") > 0);
    /* the row before each tick is 7.5 ms old, or 17.5 ms where one is absent */
    fail_unless (number_of (recent, "age_p50_ms") == 7.5, "%.*s", (gint) recent.size, recent.data);
    fail_unless (number_of (recent, "age_p99_ms") == 17.5 && number_of (recent, "age_max_ms") == 17.5, "%.*s", (gint) recent.size, recent.data);
    fail_unless (robocache_json_string_equal (robocache_json_member (recent, "status"), "aligned"));
  }
  g_bytes_unref (message);
  view_client_close (&client);
  view_end (&view);
  return is_recent;
}

GST_START_TEST (counts_the_last_second)
{
  guint n_slow = 0;

  while (!is_recent_right ())
    fail_unless (++n_slow < 20, "this machine is too slow");
}

GST_END_TEST;

/* Between the time of statistics and the sample's way out of the element. */
#define SLACK_NS 200e3

/* Whether a duration of the last second is that of the statistics, whose quantiles are upper bounds of bins. */
static gboolean
has_duration (RobocacheJsonValue recent, const gchar *name, const GstStructure *stats, const gchar *field, gdouble bin)
{
  const gdouble shown = 1e6 * number_of (recent, name);
  gint64 counted;

  fail_unless (gst_structure_get_int64 (stats, field, &counted));
  GST_INFO ("%s is %.0f ns, and %s is %" G_GINT64_FORMAT " ns", name, shown, field, counted);
  return shown <= (gdouble) counted + SLACK_NS && (gdouble) counted <= shown * (1 + bin) + 1;
}

/* A live run that is wholly in the last second: its lag is that of the statistics. FALSE: it is not, as if this machine stops a thread. */
static gboolean
is_lag_right (void)
{
  View view = { gst_parse_launch ("robocachefuse name=f rate=100/1 ! queue ! robocachefoxglovesink name=s port=0 sync=false "
        "robocachetestsrc kind=proprio is-live=true rate=100 num-buffers=30 ! f.proprio_0", NULL) };
  GstBus *bus = gst_element_get_bus (view.pipeline);
  RobocacheJsonValue recent;
  GstStructure *stats;
  ViewClient client;
  GBytes *message;
  gboolean is_recent;

  view.sink = gst_bin_get_by_name (GST_BIN (view.pipeline), "s");
  view.fuse = gst_bin_get_by_name (GST_BIN (view.pipeline), "f");
  gst_element_set_state (view.pipeline, GST_STATE_PAUSED);
  stats = stats_of (view.sink);
  fail_unless (gst_structure_get_uint (stats, "port", &view.port));
  gst_structure_free (stats);
  subscribe (&client, &view, STATUS);
  receive_json (&client, STATUS, 1, &message);
  g_bytes_unref (message);
  gst_element_set_state (view.pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS));
  recent = robocache_json_member (item_named (robocache_json_member (receive_settled (&client, &view, &message), "fuses"), "f"), "recent");
  is_recent = integer_of (recent, "ticks_out") == (gint64) ticks_of (&view) && number_of (recent, "seconds") < 0.9;
  if (is_recent) {
    stats = stats_of (view.fuse);
    is_recent = has_duration (recent, "lag_p50_ms", stats, "lag-p50", 0.032) && has_duration (recent, "lag_p99_ms", stats, "lag-p99", 0.032)
        && has_duration (recent, "lag_max_ms", stats, "lag-max", 0);
    gst_structure_free (stats);
  }
  g_bytes_unref (message);
  view_client_close (&client);
  gst_element_set_state (view.pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (view.sink);
  gst_object_unref (view.fuse);
  gst_object_unref (view.pipeline);
  return is_recent;
}

GST_START_TEST (lag_agrees_with_stats)
{
  guint n_slow = 0;

  while (!is_lag_right ())
    fail_unless (++n_slow < 20, "this machine is too slow");
}

GST_END_TEST;

/* Warnings of before the connection, once each with their number. */
GST_START_TEST (keeps_warnings)
{
  View view = view_begin ();
  RobocacheJsonValue json, key, warning;
  RobocacheJsonWalk walk;
  ViewClient client;
  GBytes *message;

  for (guint i = 0; i < 3; i++)
    GST_ELEMENT_WARNING (view.fuse, STREAM, FAILED, ("set \"offset\" of %s", "proprio_0"), (NULL));
  for (guint i = 0; i < 40; i++)
    GST_ELEMENT_WARNING (view.sink, STREAM, FAILED, ("warning %u", i), (NULL));
  GST_ELEMENT_WARNING (view.fuse, STREAM, FAILED, ("set \"offset\" of %s", "sink_0"), (NULL));
  GST_ELEMENT_WARNING (view.fuse, STREAM, FAILED, ("set \"offset\" of %s", "sink_0"), (NULL));
  subscribe (&client, &view, STATUS);
  json = receive_json (&client, STATUS, 1, &message);
  robocache_json_walk_init (&walk, robocache_json_member (json, "warnings"));
  for (guint i = 0; i < 32; i++)
    fail_unless (robocache_json_walk_next (&walk, &key, &warning));
  fail_unless_equals_int64 (integer_of (warning, "count"), 2);
  fail_unless (robocache_json_string_equal (robocache_json_member (warning, "text"), "set \"offset\" of sink_0"));
  fail_unless (robocache_json_string_equal (robocache_json_member (warning, "source"), "f"));
  fail_unless (robocache_json_string_equal (robocache_json_member (warning, "level"), "warning"));
  fail_if (robocache_json_walk_next (&walk, &key, &warning));
  g_bytes_unref (message);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

static guint64
messages_sent (const View *view)
{
  GstStructure *stats = stats_of (view->sink);
  guint64 n;

  fail_unless (gst_structure_get_uint64 (stats, "messages-sent", &n));
  gst_structure_free (stats);
  return n;
}

/* Of a client alone: the rows that it lost. */
GST_START_TEST (describes_connections)
{
  View view = view_begin ();
  RobocacheJsonValue json, key, topic;
  RobocacheJsonWalk walk;
  ViewClient client;
  GBytes *message;

  subscribe (&client, &view, CONNECTION);
  json = receive_json (&client, CONNECTION, 3, &message);
  fail_unless_equals_int64 (integer_of (json, "dropped"), 0);
  fail_unless_equals_int64 (integer_of (json, "waiting"), 0);
  fail_unless (number_of (json, "lag_ms") >= 0);
  robocache_json_walk_init (&walk, robocache_json_member (json, "topics"));
  fail_unless (robocache_json_walk_next (&walk, &key, &topic));
  fail_unless (robocache_json_string_equal (robocache_json_member (topic, "topic"), "/robocache/connection"));
  g_bytes_unref (message);
  fail_unless (messages_sent (&view) >= 3);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

/* The last status, of while the sink stops. */
GST_START_TEST (counts_until_the_end)
{
  View view = view_begin ();
  gint64 port = 0, n_clients = 0, n_sent = 0;
  ViewClient client;
  GBytes *message;

  subscribe (&client, &view, STATUS);
  receive_json (&client, STATUS, 3, &message);
  gst_element_set_state (view.pipeline, GST_STATE_NULL);
  while (message) {
    gsize size;
    const gchar *text = (const gchar *) g_bytes_get_data (message, &size) + 13;
    RobocacheJsonValue json, server;

    fail_unless (robocache_json_parse (text, size - 13, &json));
    server = robocache_json_member (json, "server");
    port = integer_of (server, "port");
    n_clients = integer_of (server, "clients");
    n_sent = integer_of (server, "messages_sent");
    g_bytes_unref (message);
    message = view_client_receive_data (&client, STATUS);
  }
  fail_unless_equals_int64 (port, view.port);
  fail_unless_equals_int64 (n_clients, 1);
  fail_unless (n_sent > 0);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

/* ---- live rows whose PTS is a second ahead ---- */

#define AND_TIMES "other/tensors,format=static,num_tensors=2,types=(string)\"float32,int64\",dimensions=(string)\"2,1\",framerate=100/1"

static const struct
{
  const gchar *caps, *source;
  gboolean has_times;           /* of their own, which are right */
  gboolean is_ahead;
} times[] = {
  {ROWS, "auto", FALSE, TRUE},
  {AND_TIMES, "auto", TRUE, FALSE},
  {AND_TIMES, "pts", TRUE, TRUE},
};

static View
begin_ahead (gint i)
{
  View view = {.pipeline = gst_parse_launch ("robocachefuse name=f rate=100/1 ! queue ! robocachefoxglovesink name=s port=0 sync=false "
        "appsrc name=a is-live=true format=time ! f.proprio_0", NULL) };
  GstCaps *caps = gst_caps_from_string (times[i].caps);
  GstStructure *stats;
  GstPad *pad;

  view.sink = gst_bin_get_by_name (GST_BIN (view.pipeline), "s");
  view.fuse = gst_bin_get_by_name (GST_BIN (view.pipeline), "f");
  view.sources[0] = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (view.pipeline), "a"));
  gst_app_src_set_caps (view.sources[0], caps);
  gst_caps_unref (caps);
  pad = gst_element_get_static_pad (view.fuse, "proprio_0");
  gst_util_set_object_arg (G_OBJECT (pad), "timestamp-source", times[i].source);
  gst_object_unref (pad);
  gst_element_set_state (view.pipeline, GST_STATE_PLAYING);
  stats = stats_of (view.sink);
  fail_unless (gst_structure_get_uint (stats, "port", &view.port));
  gst_structure_free (stats);
  return view;
}

static void
push_ahead (View *view, gboolean has_times)
{
  const gint64 now = (gint64) gst_element_get_current_running_time (view->fuse);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 2 * sizeof (gfloat), NULL);

  gst_buffer_memset (buffer, 0, 0, 2 * sizeof (gfloat));
  GST_BUFFER_PTS (buffer) = (GstClockTime) now + GST_SECOND;
  if (has_times) {
    gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, sizeof now, NULL));
    gst_buffer_fill (buffer, 2 * sizeof (gfloat), &now, sizeof now);
  }
  fail_unless_equals_int (gst_app_src_push_buffer (view->sources[0], buffer), GST_FLOW_OK);
}

GST_START_TEST (finds_rows_ahead)
{
  View view = begin_ahead (__i__);
  RobocacheJsonValue json;
  ViewClient client;
  GBytes *message;
  gboolean is_found;
  gint64 n_rows;

  subscribe (&client, &view, STATUS);
  receive_json (&client, STATUS, 1, &message);
  push_ahead (&view, times[__i__].has_times);
  do {
    g_bytes_unref (message);
    json = receive_json (&client, STATUS, 1, &message);
    n_rows = integer_of (item_named (robocache_json_member (json, "streams"), "proprio_0"), "rows_in");
  } while (n_rows == 0);
  is_found = g_strstr_len (json.data, (gssize) json.size, " ahead: its rows arrive") != NULL;
  fail_unless (is_found == times[__i__].is_ahead, "%.*s", (gint) json.size, json.data);
  g_bytes_unref (message);
  view_client_close (&client);
  view_end (&view);
}

GST_END_TEST;

CHECK_MAIN (view_status, NULL, NULL, ONCE (agrees_with_stats), ONCE (lag_agrees_with_stats), ONCE (counts_the_last_second), ONCE (keeps_warnings), ONCE (describes_connections),
    ONCE (counts_until_the_end), EACH (times, finds_rows_ahead))

/* robocache: robocacherossink with readers in other processes: what they get when they are slow, late or gone, and what others see of it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>
#include <gst/check/gsttestclock.h>
#include <signal.h>
#include <string.h>

#include "tests/check/lib/checks.h"
#include "tests/check/lib/dds/sinkrun.h"
#include "tests/check/lib/messagetext.h"

/* ---- commands ---- */

static void
begin_commands (SinkRun *live, guint domain, const gchar *settings)
{
  gchar *on = on_pad (settings);

  sink_run_begin (live, domain, "appsrc name=a0 is-live=true format=time ! robocacherossink name=s sink_0::topic=/x%s", on);
  live_set_caps (live, 0, COMMANDS);
  live_use_test_clock (live);
  live_set (live, GST_STATE_PLAYING);
  g_free (on);
}

static void
set_time (SinkRun *live, GstClockTime time)
{
  gst_test_clock_set_time (GST_TEST_CLOCK (live->clock), time);
}

/* A row that is due now, and published when this returns. */
static void
push_now (SinkRun *live, GstClockTime time, gdouble value)
{
  const guint64 n = sink_count (live, "sink_0", "messages");

  set_time (live, time);
  push_row (live, 0, time, value);
  sink_run_wait_for_count (live, "sink_0", "messages", n + 1);
}

/* Of the first messages after both sides have found each other, DDS may send the last one again alone. */
static void
settle (SinkRun *live, GstClockTime time, Peer *peer)
{
  push_now (live, time, -1);
  fail_unless (receive_number (peer, 0) == -1);
}

/* A reader that comes during motion gets what is sent after it came. */
GST_START_TEST (test_late_reader)
{
  Peer *early, *late;
  SinkRun live;

  begin_commands (&live, 42, "lifespan=0");
  push_now (&live, 1 * PERIOD, 1);
  early = peer_start (42);
  peer_do (early, "listen /x " ARRAY " reliable volatile 10");
  peer_do (early, "publisher /x");
  sink_run_wait_for_count (&live, "sink_0", "readers", 1);
  push_now (&live, 2 * PERIOD, 2);
  fail_unless (receive_number (early, 0) == 2);
  late = peer_start (42);
  peer_do (late, "listen /x " ARRAY " reliable volatile 10");
  peer_do (late, "publisher /x");
  sink_run_wait_for_count (&live, "sink_0", "readers", 2);
  push_now (&live, 3 * PERIOD, 3);
  fail_unless (receive_number (late, 0) == 3);
  fail_unless (receive_number (early, 0) == 3);
  fail_unless_equals_int (waiting (late, 0), 0);
  sink_run_end (&live);
  peer_stop (early);
  peer_stop (late);
}

GST_END_TEST;

/* Ages of rows in ms when they are due, and those that are sent. */
static const struct
{
  const gchar *settings;
  guint ages[4];
  guint n_sent;
} ages[] = {
  {"lifespan=0", {0, 100, 101, 500}, 2},
  {"lifespan=0 max-age=20000000", {0, 20, 21, 100}, 2},
  {"lifespan=0 max-age=0", {0, 20, 100, 900}, 4},
};

GST_START_TEST (test_stale)
{
  guint n_sent = ages[__i__].n_sent;
  Peer *peer = peer_start (43);
  SinkRun live;

  begin_commands (&live, 43, ages[__i__].settings);
  push_now (&live, GST_SECOND, 7);
  peer_do (peer, "listen /x " ARRAY " reliable volatile 10");
  peer_do (peer, "publisher /x");
  sink_run_wait_for_count (&live, "sink_0", "readers", 1);
  settle (&live, GST_SECOND, peer);
  for (guint i = 0; i < G_N_ELEMENTS (ages->ages); i++)
    push_row (&live, 0, GST_SECOND - ages[__i__].ages[i] * MS, i);
  sink_run_wait_for_count (&live, "sink_0", "rows-in", 6);
  push_now (&live, GST_SECOND, 9);
  for (guint i = 0; i < n_sent; i++)
    fail_unless (receive_number (peer, 0) == i);
  fail_unless (receive_number (peer, 0) == 9);
  fail_unless_equals_uint64 (sink_count (&live, "sink_0", "rows-dropped-too-old"), 4 - n_sent);
  if (n_sent < 4)
    gst_message_unref (next_message (&live, GST_MESSAGE_WARNING));
  sink_run_end (&live);
  peer_stop (peer);
}

GST_END_TEST;

/* Running time stands still in a pause, but a command of before it is old. */
GST_START_TEST (test_stale_after_pause)
{
  Peer *peer = peer_start (58);
  SinkRun live;

  begin_commands (&live, 58, "lifespan=0");
  push_now (&live, GST_SECOND, 7);
  peer_do (peer, "listen /x " ARRAY " reliable volatile 10");
  peer_do (peer, "publisher /x");
  sink_run_wait_for_count (&live, "sink_0", "readers", 1);
  settle (&live, GST_SECOND, peer);
  live_reach (&live, GST_STATE_PAUSED);
  live_set (&live, GST_STATE_PLAYING);
  /* later appsrcs than that of GStreamer 1.22 take nothing in PAUSED */
  push_row (&live, 0, GST_SECOND, 5);
  sink_run_wait_for_count (&live, "sink_0", "rows-dropped-too-old", 1);
  push_now (&live, GST_SECOND + PERIOD, 9);
  fail_unless (receive_number (peer, 0) == 9);
  sink_run_end (&live);
  peer_stop (peer);
}

GST_END_TEST;

/* ---- readers that are slow or dead ---- */

#define N_ROWS 25
#define N_LARGE 40000

/* Settings of the pad, and how many of the last messages are kept for the reader; 0: they expire */
static const struct
{
  const gchar *settings;
  guint n_kept;
} slow_readers[] = { {"depth=4", 4}, {"lifespan=1000000", 0} };

/* Reads on after a pause, up to a row of nines. */
static void
expect_nines (Peer *peer, guint n_kept, guint n_sent)
{
  for (guint i = 1;; i++) {
    const Received received = receive (peer, 0);
    gchar *digits = hex_of_bytes (received.bytes->data, received.bytes->len);
    const gboolean is_last = strstr (digits, "0000000000002240") != NULL;

    g_byte_array_unref (received.bytes);
    g_free (digits);
    fail_unless (i < n_sent, "nothing was lost");
    if (is_last) {
      fail_unless (i >= n_kept);
      break;
    }
  }
}

/* A reliable reader that is stopped loses messages of its own topic, which are counted; nobody waits for it. */
GST_START_TEST (test_slow_reader)
{
  const guint n_kept = slow_readers[__i__].n_kept;
  Peer *slow = peer_start (44), *fast = peer_start (44);
  gdouble *large = g_new0 (gdouble, N_LARGE);
  guint64 n_lost;
  guint n = 0;
  SinkRun live;

  sink_run_begin (&live, 44, "appsrc name=a0 is-live=true format=time ! s.sink_0 appsrc name=a1 is-live=true format=time ! s.sink_1 "
      "robocacherossink name=s sink_0::topic=/x sink_0::lifespan=0 sink_1::topic=/large sink_1::%s", slow_readers[__i__].settings);
  live_set_caps (&live, 0, COMMANDS);
  live_set_caps (&live, 1, "other/tensors,format=static,num_tensors=1,types=float64,dimensions=(string)%u,framerate=100/1", N_LARGE);
  live_use_test_clock (&live);
  live_set (&live, GST_STATE_PLAYING);
  push_now (&live, PERIOD, 0);
  push_bytes (&live, 1, PERIOD, large, N_LARGE * sizeof (gdouble));
  sink_run_wait_for_count (&live, "sink_1", "messages", 1);
  peer_do (slow, "listen /large robocache_msgs/msg/Row reliable volatile 1000");
  peer_do (slow, "publisher /large");
  peer_do (fast, "listen /x " ARRAY " reliable volatile 1000");
  peer_do (fast, "publisher /x");
  sink_run_wait_for_count (&live, "sink_0", "readers", 1);
  sink_run_wait_for_count (&live, "sink_1", "readers", 1);
  kill (slow->pid, SIGSTOP);
  for (n = 2; n < N_ROWS || sink_count (&live, "sink_1", "messages-lost") == 0; n++) {
    push_now (&live, n * PERIOD, n);
    push_bytes (&live, 1, n * PERIOD, large, N_LARGE * sizeof (gdouble));
    sink_run_wait_for_count (&live, "sink_1", "messages", n);
    fail_unless (receive_number (fast, 0) == n);
    fail_unless (n < 100 * N_ROWS, "nothing is lost");
  }
  fail_unless_equals_uint64 (sink_count (&live, "sink_0", "messages-lost"), 0);
  n_lost = sink_count (&live, "sink_1", "messages-lost");
  fail_unless (n_kept > 0 ? n_lost == n - 2 - n_kept : n_lost <= n - 2, "%" G_GUINT64_FORMAT " of %u messages are lost", n_lost, n - 1);
  kill (slow->pid, SIGCONT);
  /* the last ones are still there, and those of the topic go on */
  *large = 9;
  set_time (&live, n * PERIOD);
  push_bytes (&live, 1, n * PERIOD, large, N_LARGE * sizeof (gdouble));
  sink_run_wait_for_count (&live, "sink_1", "messages", n);
  if (n_kept > 0)
    expect_nines (slow, n_kept, n - 1);
  sink_run_end (&live);
  peer_stop (slow);
  peer_stop (fast);
  g_free (large);
}

GST_END_TEST;

/* A reader that is killed holds up nobody, and another one goes on. */
GST_START_TEST (test_killed_reader)
{
  Peer *killed = peer_start (45), *other = peer_start (45);
  SinkRun live;

  begin_commands (&live, 45, "lifespan=0");
  push_now (&live, 1 * PERIOD, 1);
  peer_do (killed, "listen /x " ARRAY " reliable volatile 10");
  peer_do (killed, "publisher /x");
  peer_do (other, "listen /x " ARRAY " reliable volatile 10");
  peer_do (other, "publisher /x");
  sink_run_wait_for_count (&live, "sink_0", "readers", 2);
  push_now (&live, 2 * PERIOD, 2);
  fail_unless (receive_number (killed, 0) == 2);
  fail_unless (receive_number (other, 0) == 2);
  peer_kill (killed);
  for (guint i = 3; i < 20; i++) {
    push_now (&live, i * PERIOD, i);
    fail_unless (receive_number (other, 0) == i);
  }
  /* DDS notices its end by the time that it announced */
  sink_run_wait_for_count (&live, "sink_0", "readers", 1);
  sink_run_end (&live);
  peer_stop (other);
}

GST_END_TEST;

/* ---- the graph of ROS 2 ---- */

/* settings: of the pad. */
static const struct
{
  const gchar *settings, *expected;
} offers[] = {
  {"", "reliable volatile"}, {"reliability=best-effort", "best volatile"}, {"durability=transient-local depth=3", "reliable transient"},
};

GST_START_TEST (test_offers)
{
  gchar *settings = on_pad (offers[__i__].settings);
  gchar *expected = g_strdup_printf ("sensor_msgs/msg/Imu %s RIHS01_7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b",
      offers[__i__].expected);
  Peer *peer = peer_start (46);
  SinkRun live;

  sink_run_begin (&live, 46, "robocachetestsrc kind=imu num-buffers=1 ! robocacherossink name=s namespace=/arm node-name=n sink_0::topic=~/imu%s",
      settings);
  live_reach (&live, GST_STATE_PAUSED);
  fail_unless_equals_string (peer_do (peer, "publisher /arm/n/imu"), expected);
  sink_run_end (&live);
  peer_stop (peer);
  g_free (expected);
  g_free (settings);
}

GST_END_TEST;

/* Messages of ros_discovery_info: 16 bytes an id, or 24 in Humble; one node with no reader and one writer. */
#define NODE_NAMES "05 00 00 00 2f 61 72 6d 00 00 00 00 02 00 00 00 6e 00 00 00 00 00 00 00 01 00 00 00"
#define NODES_TYPE "rmw_dds_common/msg/ParticipantEntitiesInfo"
#define ZEROS "00 00 00 00 00 00 00 00 "
#define NO_NODES "00 00 00 00"

static const struct
{
  const gchar *other;           /* message of another participant, or none */
  guint id_bytes;
} graphs[] = {
  {NULL, 16},
  {"00 01 00 00 " ZEROS ZEROS NO_NODES, 16},
  {"00 01 00 00 " ZEROS ZEROS ZEROS NO_NODES, 24},
};

/* The node is listed with its writer, in the form that the others use. */
GST_START_TEST (test_nodes)
{
  GByteArray *names = bytes_of_hex (NODE_NAMES);
  const guint id_bytes = graphs[__i__].id_bytes;
  Peer *peer = peer_start (47);
  SinkRun live;

  if (graphs[__i__].other) {
    peer_do (peer, "open ros_discovery_info " NODES_TYPE " reliable transient 1 -");
    peer_do (peer, "hex 0 1 %s", graphs[__i__].other);
  }
  sink_run_begin (&live, 47, "robocachetestsrc kind=imu num-buffers=1 ! robocacherossink name=s namespace=/arm node-name=n");
  live_reach (&live, GST_STATE_PAUSED);
  peer_do (peer, "listen ros_discovery_info " NODES_TYPE " reliable transient 1");
  for (gboolean is_listed = FALSE; !is_listed;) {
    const Received received = receive (peer, 0);
    const guint8 *data = received.bytes->data;

    is_listed = received.bytes->len == 4 + id_bytes + 4 + names->len + id_bytes && data[4 + id_bytes] == 1
        && memcmp (data + 4 + id_bytes + 4, names->data, names->len) == 0 && memcmp (data + 4, data + 4 + id_bytes + 4 + names->len, 12) == 0;
    g_byte_array_unref (received.bytes);
  }
  sink_run_end (&live);
  peer_stop (peer);
  g_byte_array_unref (names);
}

GST_END_TEST;

/* ---- a sink to the letter ---- */

/* Each end is that of the element, once. */
GST_START_TEST (test_ends)
{
  GstElement *other;
  GstMessage *message;
  GstPad *pad;
  SinkRun live;

  sink_run_begin (&live, 48, "appsrc name=a0 format=time ! s.sink_0 appsrc name=a1 format=time ! s.sink_1 robocacherossink name=s");
  live_set_caps (&live, 0, COMMANDS);
  live_set_caps (&live, 1, COMMANDS);
  fail_unless (GST_OBJECT_FLAG_IS_SET (live.sink, GST_ELEMENT_FLAG_SINK));
  fail_unless_equals_int (gst_element_set_state (live.pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_ASYNC);
  fail_unless_equals_int (gst_element_get_state (live.pipeline, NULL, NULL, 10 * MS), GST_STATE_CHANGE_ASYNC);
  /* the other pad is silent */
  push_row (&live, 0, 0, 1);
  live_reach (&live, GST_STATE_PLAYING);
  push_row (&live, 1, 0, 1);
  sink_run_wait_for_count (&live, "sink_0", "messages", 1);
  end_stream (&live, 0);
  /* the other pad goes on, until it is released: then all have ended */
  push_row (&live, 1, PERIOD, 2);
  sink_run_wait_for_count (&live, "sink_1", "messages", 2);
  pad = gst_element_get_static_pad (live.sink, "sink_1");
  other = gst_object_ref (live.sources[1]);
  gst_element_set_locked_state (other, TRUE);
  gst_element_set_state (other, GST_STATE_NULL);
  gst_element_unlink (other, live.sink);
  gst_element_release_request_pad (live.sink, pad);
  message = next_message (&live, GST_MESSAGE_EOS);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (pad);
  gst_object_unref (other);
  sink_run_end (&live);
}

GST_END_TEST;

/* Rows before a flushing seek are published once more after it, and the pipeline is in PLAYING again. */
GST_START_TEST (test_seek)
{
  gchar *csv = make_csv ("t,a\n0,1\n0.01,2\n0.02,3\n");
  SinkRun live;

  sink_run_begin (&live, 49, "filesrc location=%s ! robocacheparse ! s.sink_0 filesrc location=%s ! robocacheparse ! s.sink_1 "
      "robocacherossink name=s", csv, csv);
  live_reach (&live, GST_STATE_PLAYING);
  wait_for_eos (&live);
  fail_unless (gst_element_seek_simple (live.pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
  fail_unless_equals_int (gst_element_get_state (live.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
  wait_for_eos (&live);
  fail_unless_equals_uint64 (sink_count (&live, "sink_0", "messages"), 6);
  fail_unless_equals_uint64 (sink_count (&live, "sink_1", "messages"), 6);
  live_reach (&live, GST_STATE_READY);
  live_reach (&live, GST_STATE_PLAYING);
  wait_for_eos (&live);
  fail_unless_equals_uint64 (sink_count (&live, "sink_0", "messages"), 3);
  sink_run_end (&live);
  g_unlink (csv);
  g_free (csv);
}

GST_END_TEST;

/* A row waits for its time, and each row of a block for its own. */
GST_START_TEST (test_sync)
{
  const gdouble block[] = { 1, -1, 2, -2 };
  GstClockTime due[] = { 30 * MS, 50 * MS };
  SinkRun live;

  sink_run_begin (&live, 50, "appsrc name=a0 is-live=true format=time ! robocacherossink name=s");
  live_set_caps (&live, 0, "other/tensors,format=static,num_tensors=1,types=float64,dimensions=(string)2:2,framerate=0/1");
  live_use_test_clock (&live);
  live_set (&live, GST_STATE_PLAYING);
  {
    GstBuffer *buffer = gst_buffer_new_memdup (block, sizeof (block));
    GstFlowReturn flow;

    GST_BUFFER_PTS (buffer) = due[0];
    GST_BUFFER_DURATION (buffer) = 40 * MS;
    g_signal_emit_by_name (live.sources[0], "push-buffer", buffer, &flow);
    gst_buffer_unref (buffer);
  }
  for (guint i = 0; i < G_N_ELEMENTS (due); i++) {
    GstClockID id;

    gst_test_clock_wait_for_next_pending_id (GST_TEST_CLOCK (live.clock), &id);
    fail_unless_equals_uint64 (gst_clock_id_get_time (id), due[i]);
    fail_unless_equals_uint64 (sink_count (&live, "sink_0", "messages"), i);
    gst_clock_id_unref (id);
    set_time (&live, due[i]);
    gst_clock_id_unref (gst_test_clock_process_next_clock_id (GST_TEST_CLOCK (live.clock)));
    sink_run_wait_for_count (&live, "sink_0", "messages", i + 1);
  }
  sink_run_end (&live);
}

GST_END_TEST;

/* The latency of a pad that is silent at PLAYING counts from its first data on. */
GST_START_TEST (test_silent_pad)
{
  const gdouble numbers[2] = { 0 };
  GstClockTime least = 0;
  GstQuery *query = gst_query_new_latency ();
  GstObject *source = NULL;
  SinkRun live;

  sink_run_begin (&live, 53, "appsrc name=a0 is-live=true format=time ! s.sink_0 "
      "appsrc name=a1 is-live=true format=time min-latency=300000000 max-latency=-1 ! s.sink_1 robocacherossink name=s");
  live_set_caps (&live, 0, COMMANDS);
  live_set_caps (&live, 1, COMMANDS);
  live_set (&live, GST_STATE_PLAYING);
  push_bytes (&live, 0, 0, numbers, sizeof (numbers));
  sink_run_wait_for_count (&live, "sink_0", "buffers-in", 1);
  push_bytes (&live, 1, 0, numbers, sizeof (numbers));
  while (!source || !g_str_equal (GST_OBJECT_NAME (source), "stream_sink_1")) {
    GstMessage *message = next_message (&live, GST_MESSAGE_LATENCY);

    gst_object_replace (&source, GST_MESSAGE_SRC (message));
    gst_message_unref (message);
  }
  fail_unless (gst_element_query (live.pipeline, query));
  gst_query_parse_latency (query, NULL, &least, NULL);
  fail_unless_equals_uint64 (least, 300 * MS);
  gst_query_unref (query);
  gst_object_unref (source);
  sink_run_end (&live);
}

GST_END_TEST;

/* A pad that comes while the element plays publishes at once, and its topic ends with it. */
GST_START_TEST (test_new_pad)
{
  GstElement *source;
  SinkRun live;

  begin_commands (&live, 51, "");
  push_now (&live, PERIOD, 1);
  source = gst_element_factory_make ("appsrc", "late");
  g_object_set (source, "format", GST_FORMAT_TIME, "is-live", TRUE, NULL);
  gst_bin_add (GST_BIN (live.pipeline), source);
  fail_unless (gst_element_link (source, live.sink));
  gst_element_sync_state_with_parent (source);
  live.sources[1] = gst_object_ref (source);
  live_set_caps (&live, 1, COMMANDS);
  push_row (&live, 1, PERIOD, 5);
  sink_run_wait_for_count (&live, "sink_1", "messages", 1);
  fail_unless_equals_int (GST_STATE (live.pipeline), GST_STATE_PLAYING);
  push_now (&live, 2 * PERIOD, 2);
  sink_run_end (&live);
}

GST_END_TEST;

/* ---- other hosts ---- */

static const struct
{
  const gchar *settings;
  guint n_readers;              /* one on this host, and one on the other */
} hosts[] = { {"peers=" DDS_OTHER_HOST, 2}, {"", 1} };

/* Without a property, a reader on another host gets nothing. */
GST_START_TEST (test_other_host)
{
  Peer *far = peer_start_on_host (54), *near;
  SinkRun live;

  if (!far) {
    g_print ("SKIP test_other_host: no pair of network interfaces can be made\n");
    return;
  }
  near = peer_start (54);
  peer_do (far, "listen /x " ARRAY " reliable transient 10");
  peer_do (near, "listen /x " ARRAY " reliable transient 10");
  sink_run_begin (&live, 54, "appsrc name=a0 is-live=true format=time ! robocacherossink name=s sink_0::topic=/x sink_0::message=float64-multi-array "
      "sink_0::durability=transient-local %s", hosts[__i__].settings);
  live_set_caps (&live, 0, "other/tensors,format=static,num_tensors=1,types=float64,dimensions=(string)2,framerate=100/1");
  live_use_test_clock (&live);
  live_set (&live, GST_STATE_PLAYING);
  push_now (&live, PERIOD, 3);
  sink_run_wait_for_count (&live, "sink_0", "readers", hosts[__i__].n_readers);
  fail_unless (receive_number (near, 0) == 3);
  if (hosts[__i__].n_readers > 1)
    fail_unless (receive_number (far, 0) == 3);
  else
    /* announcements are sent each second */
    g_usleep (3 * G_USEC_PER_SEC);
  fail_unless_equals_uint64 (sink_count (&live, "sink_0", "readers"), hosts[__i__].n_readers);
  fail_unless_equals_int (waiting (far, 0), 0);
  sink_run_end (&live);
  peer_stop (near);
  peer_kill (far);
}

GST_END_TEST;

/* ---- settings that are wrong ---- */

static const struct
{
  const gchar *caps, *element, *pad, *expected;
} complaints[] = {
  {COMMANDS, "namespace=arm", "", "namespace=arm is not a namespace of ROS 2, like / or /left/arm"},
  {COMMANDS, "node-name=1st", "", "node-name=1st is not a name of ROS 2: expected letters, digits and _, with no digit first"},
  {COMMANDS, "peers=no.such.host.invalid", "", "the peer no.such.host.invalid has no IPv4 address"},
  {COMMANDS, "", "topic=/a/1b", "sink_0: topic=/a/1b is not a name of ROS 2: expected letters, digits and _ between slashes"},
  {COMMANDS, "", "message=pose", "sink_0: rows of 2 channels (no names in the caps) cannot be sent as geometry_msgs/msg/PoseStamped"},
  {COMMANDS, "", "durability=transient-local", "sink_0: the stream is a command, and durability=transient-local would send stale commands to later"},
  {COMMANDS, "", "depth=2", "sink_0: the stream is a command, and depth above 1 would send stale commands to slow readers"},
  {"image/jpeg", "", "message=twist", "sink_0: message selects a type for rows, but the stream is image/jpeg: set message=auto"},
  {"image/jpeg", "max-message-bytes=65536", "", "a message of /sink_0 has 100036 bytes, above max-message-bytes=65536"},
};

GST_START_TEST (test_complaints)
{
  gchar *on = on_pad (complaints[__i__].pad);
  guint8 *bytes = g_malloc0 (100000);
  GstMessage *message;
  GError *error;
  SinkRun live;

  sink_run_begin (&live, 52, "appsrc name=a0 format=time ! robocacherossink name=s %s%s", complaints[__i__].element, on);
  live_set_caps (&live, 0, "%s", complaints[__i__].caps);
  gst_element_set_state (live.pipeline, GST_STATE_PLAYING);
  push_bytes (&live, 0, 0, bytes, *complaints[__i__].caps == 'i' ? 100000 : 16);
  message = next_message (&live, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, complaints[__i__].expected) != NULL, "\"%s\" is not \"%s\"", error->message, complaints[__i__].expected);
  g_error_free (error);
  gst_message_unref (message);
  sink_run_end (&live);
  g_free (bytes);
  g_free (on);
}

GST_END_TEST;

CHECK_MAIN_IF (rossink, dds_network_begin ("rossink"), NULL, NULL,
    ONCE (test_late_reader);
    EACH (ages, test_stale);
    ONCE (test_stale_after_pause);
    EACH (slow_readers, test_slow_reader);
    ONCE (test_killed_reader);
    EACH (offers, test_offers);
    EACH (graphs, test_nodes);
    ONCE (test_ends);
    ONCE (test_seek);
    ONCE (test_sync);
    ONCE (test_silent_pad);
    ONCE (test_new_pad);
    EACH (hosts, test_other_host);
    EACH (complaints, test_complaints));

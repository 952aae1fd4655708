/* robocache: robocacherossrc with publishers in another process: what becomes of their messages, and of their ends
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/ros/definitions.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/dds/live.h"
#include "tests/check/lib/messageexamples.h"

/* ---- types ---- */

static void
append_hex (GString *hex, gconstpointer bytes, gsize size)
{
  gchar *digits = hex_of_bytes (bytes, size);

  g_string_append_printf (hex, "%s;", digits);
  g_free (digits);
}

static void
append_buffer (GString *hex, GstBuffer *buffer)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  append_hex (hex, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

/* The samples of a message by the decoder itself. */
static GString *
decode (const MessageExample *example, const RobocacheCdrWriter *message, guint *n, gboolean *is_malformed)
{
  GError *error = NULL;
  gchar *definition = robocache_ros_schema_text (example->type);
  const RobocacheRosChannel channel = {.topic = "/x",.type = example->type,.definition = definition,.definition_size = strlen (definition) };
  RobocacheRosDecoder *decoder = robocache_ros_decoder_new (&channel, NULL);
  GArray *samples = decoder ? robocache_ros_decoder_run (decoder, message->data, message->size, &error) : NULL;
  GString *hex = g_string_new (NULL);

  *is_malformed = error != NULL;
  g_clear_error (&error);
  /* calibrations of a camera are fields of other streams */
  *n = samples && !g_str_equal (example->type, "sensor_msgs/CameraInfo") ? samples->len : 0;
  for (guint i = 0; i < *n; i++) {
    const RobocacheRosSample *sample = &g_array_index (samples, RobocacheRosSample, i);

    if (sample->buffer)
      append_buffer (hex, sample->buffer);
    else
      append_hex (hex, sample->row, sample->row_bytes);
  }
  robocache_ros_decoder_free (decoder);
  g_free (definition);
  return hex;
}

typedef struct
{
  GMutex lock;
  GString *hex;
} Bytes;

static GstPadProbeReturn
note_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Bytes *bytes = data;

  g_mutex_lock (&bytes->lock);
  append_buffer (bytes->hex, GST_PAD_PROBE_INFO_BUFFER (info));
  g_mutex_unlock (&bytes->lock);
  return GST_PAD_PROBE_OK;
}

static void
watch_pad (GstElement *source, GstPad *pad, gpointer bytes)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_buffer, bytes, NULL);
}

/* Messages of each type have the samples that the decoder makes of them; stamps of long ago do not count. */
GST_START_TEST (test_types)
{
  const MessageExample *example = &message_examples[__i__];
  RobocacheCdrWriter message = { 0 };
  Bytes bytes = {.hex = g_string_new (NULL) };
  GString *expected;
  gchar *digits;
  Live live;
  gboolean is_malformed;
  guint n;

  example->write (&message);
  expected = decode (example, &message, &n, &is_malformed);
  digits = hex_of_bytes (message.data, message.size);
  live_begin (&live, 10, "topics=/x time-source=source");
  g_signal_connect (live.source, "pad-added", G_CALLBACK (watch_pad), &bytes);
  live_play (&live);
  peer_do (live.peer, "open /x %s reliable volatile 10 -", example->type);
  peer_do (live.peer, "wait 0 1");
  peer_do (live.peer, "hex 0 %" G_GINT64_FORMAT " %s", live.origin_ns, digits);
  if (n > 0)
    wait_for_buffers (&live, n);
  else
    wait_for_count (&live, "messages", 1);
  fail_unless_equals_uint64 (live_count (&live, "malformed"), is_malformed);
  fail_unless_equals_uint64 (live_count (&live, "buffers"), n);
  live_end (&live);
  fail_unless_equals_string (bytes.hex->str, expected->str);
  g_string_free (bytes.hex, TRUE);
  g_string_free (expected, TRUE);
  g_free (digits);
  robocache_cdr_writer_clear (&message);
}

GST_END_TEST;

/* ---- streams ---- */

GST_START_TEST (test_two_topics)
{
  Live live;

  live_begin (&live, 11, "topics=/left/*,/right");
  live_play (&live);
  open_wrench (&live, "/left/force", 0, "reliable volatile 10 -");
  send_wrench (&live, 0, 10, 1);
  wait_for_buffers (&live, 1);
  open_wrench (&live, "/right", 1, "best volatile 10 -");
  peer_do (live.peer, "open /other " WRENCH " reliable volatile 10 -");
  send_wrench (&live, 0, 12, 2);
  wait_for_buffers (&live, 2);
  expect_pads (&live, "src_0 /left/force@base:" WRENCH_CAPS " 10=1,0,0,0,0,0 12=2,0,0,0,0,0; ");
  live_end (&live);
}

GST_END_TEST;

/* ---- late, dead and other publishers ---- */

/* The last messages of a publisher that is transient local are the state at the start. */
GST_START_TEST (test_latched)
{
  Live live;

  live_begin (&live, 12, "topics=/x");
  peer_do (live.peer, "open /x " WRENCH " reliable transient 1 -");
  send_wrench (&live, 0, 1, 1);
  send_wrench (&live, 0, 2, 2);
  g_object_set (live.source, "time-origin", live.origin_ns + 5 * (gint64) GST_MSECOND, NULL);
  live_play (&live);
  wait_for_buffers (&live, 1);
  send_wrench (&live, 0, 8, 3);
  wait_for_buffers (&live, 2);
  expect_pads (&live, "src_0 /x@base:" WRENCH_CAPS " 0=2,0,0,0,0,0 3=3,0,0,0,0,0; ");
  fail_unless_equals_uint64 (live_count (&live, "latched"), 1);
  live_end (&live);
}

GST_END_TEST;

/* A publisher that returns continues on its pad. */
GST_START_TEST (test_return)
{
  Live live;

  live_begin (&live, 13, "topics=/x");
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 10 -");
  send_wrench (&live, 0, 1, 1);
  wait_for_buffers (&live, 1);
  peer_kill (live.peer);
  live.peer = peer_start (13);
  open_wrench (&live, "/x", 0, "best volatile 10 -");
  /* the reader is opened again for less than it requested, and a best-effort message may come before */
  for (guint ms = 2; live_buffers (&live) < 2; ms++) {
    send_wrench (&live, 0, ms, 7);
    g_usleep (10000);
  }
  fail_unless_equals_int (GST_ELEMENT (live.source)->numsrcpads, 1);
  live_end (&live);
}

GST_END_TEST;

static const struct
{
  const gchar *properties, *open, *expected;
} complaints[] = {
  {"topics=/x definition-timeout=0", "open /x " WRENCH " reliable volatile 1 RIHS01_00",
        "error a publisher of /x has another definition of geometry_msgs/msg/WrenchStamped than ours: its messages would be misread. Set msg-path to a folder with the .msg files of the publisher (type hash RIHS01_00, ours RIHS01_"},
  {"topics=/x definition-timeout=1", "open /x " WRENCH " reliable volatile 1 RIHS01_00", "error a publisher of /x has another definition of "
        "geometry_msgs/msg/WrenchStamped than ours, and no node lists its publisher, so none can be asked for the definition: its messages would be "
        "misread. Set msg-path"},
  {"topics=/x* definition-timeout=1", "open /x a_msgs/msg/B reliable volatile 1 RIHS01_00", "warning /x of type a_msgs/msg/B cannot be read: its type "
        "is not built in: set msg-path to a folder with its .msg file; no node lists its publisher, so none can be asked for the definition"},
  {"topics=/x*", "open /x a_msgs/msg/B reliable volatile 1 -", "warning /x of type a_msgs/msg/B cannot be read: its type is not built in: "
        "set msg-path to a folder with its .msg file"},
  {"topics=/x", "open /x a_msgs/msg/B reliable volatile 1 -", "error /x of type a_msgs/msg/B cannot be read: its type is not built in: "},
  {"topics=/y wait=1", NULL, "warning nothing on this host in domain 14; for other hosts: discovery=subnet"},
};

GST_START_TEST (test_complaints)
{
  Live live;

  live_begin (&live, 14, complaints[__i__].properties);
  live_play (&live);
  if (complaints[__i__].open)
    peer_do (live.peer, "%s", complaints[__i__].open);
  expect_complaint (&live, complaints[__i__].expected);
  live_end (&live);
}

GST_END_TEST;

GST_START_TEST (test_missing_topic)
{
  Live live;

  live_begin (&live, 15, "topics=/x,/y");
  peer_do (live.peer, "open /z " WRENCH " reliable transient 1 -");
  peer_do (live.peer, "open /x " WRENCH " reliable transient 1 -");
  send_wrench (&live, 1, 1, 1);
  g_object_set (live.source, "wait", 1 * GST_SECOND, NULL);
  live_play (&live);
  expect_complaint (&live, "warning no publisher of /y in domain 15 yet; topics there: /x, /z");
  live_end (&live);
}

GST_END_TEST;

/* ---- messages that are not as they should be ---- */

GST_START_TEST (test_malformed)
{
  Live live;

  live_begin (&live, 16, "topics=/x");
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 100 -");
  peer_do (live.peer, "hex 0 1 00 01 00 00 ff ff ff ff");
  peer_do (live.peer, "hex 0 1 00 09 00 00 ff ff ff ff");
  send_wrench (&live, 0, 3, 1);
  wait_for_buffers (&live, 1);
  expect_complaint (&live, "warning message 1 of /x, type geometry_msgs/msg/WrenchStamped, is lost: ");
  fail_unless_equals_uint64 (live_count (&live, "malformed"), 2);
  fail_unless_equals_uint64 (live_count (&live, "messages"), 3);
  live_end (&live);
}

GST_END_TEST;

/* A stamp of 0, and one from before the start of this host. */
GST_START_TEST (test_invalid_times)
{
  Live live;

  live_begin (&live, 17, "topics=/x");
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 100 -");
  peer_do (live.peer, "text 0 1 (((0 0) '') ((1 0 0) (0 0 0)))");
  peer_do (live.peer, "text 0 1 (((7 0) '') ((1 0 0) (0 0 0)))");
  send_wrench (&live, 0, 3, 1);
  wait_for_buffers (&live, 1);
  expect_complaint (&live, "warning a message of /x is dropped: its time is 0");
  fail_unless_equals_uint64 (live_count (&live, "without-time"), 2);
  expect_pads (&live, "src_0 /x@base:" WRENCH_CAPS " 3=1,0,0,0,0,0; ");
  live_end (&live);
}

GST_END_TEST;

/* Stamps are on the clock of /clock, whose first message is at the running time of its arrival. */
GST_START_TEST (test_sim_time)
{
  const gint64 sim_ns = 100 * (gint64) GST_SECOND;
  GstStructure *stats;
  gint64 origin_ns;
  Live live;

  live_begin (&live, 22, "topics=/x use-sim-time=true");
  g_object_set (live.source, "time-origin", G_MININT64, NULL);
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 100 -");
  peer_do (live.peer, "text 0 1 (((100 0) 'base') ((1 0 0) (0 0 0)))");
  expect_complaint (&live, "warning a message of /x is dropped: there is no message of /clock yet");
  peer_do (live.peer, "open /clock rosgraph_msgs/msg/Clock reliable transient 1 -");
  peer_do (live.peer, "wait 1 1");
  do {
    peer_do (live.peer, "hex 1 1 00 01 00 00 64 00 00 00 00 00 00 00");
    peer_do (live.peer, "text 0 1 (((100 0) 'base') ((2 0 0) (0 0 0)))");
    g_usleep (10000);
  } while (live_count (&live, "buffers") == 0);
  g_object_get (live.source, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int64 (stats, "time-origin", &origin_ns));
  fail_unless (origin_ns < sim_ns && origin_ns > sim_ns - 60 * (gint64) GST_SECOND, "%" G_GINT64_FORMAT, origin_ns);
  gst_structure_free (stats);
  live_end (&live);
}

GST_END_TEST;

/* ---- a queue that is full, and packets that are lost ---- */

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

static const struct
{
  const gchar *leaky, *expected;
} leaks[] = { {"downstream", " 9=9,0,0,0,0,0 10=10,0,0,0,0,0"}, {"upstream", " 3=3,0,0,0,0,0 4=4,0,0,0,0,0"} };

/* Downstream that waits costs messages of a full queue, not those of other readers. */
GST_START_TEST (test_leaky)
{
  gchar *properties = g_strdup_printf ("topics=/x max-queue-messages=2 leaky=%s", leaks[__i__].leaky);
  gchar *expected = g_strdup_printf ("src_0 /x@base:" WRENCH_CAPS " 1=1,0,0,0,0,0 2=2,0,0,0,0,0%s; ", leaks[__i__].expected);
  GstPad *pad;
  gulong probe;
  Live live;

  live_begin (&live, 18, properties);
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 100 -");
  send_wrench (&live, 0, 1, 1);
  wait_for_buffers (&live, 1);
  pad = gst_element_get_static_pad (live.source, "src_0");
  probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, hold, NULL, NULL);
  send_wrench (&live, 0, 2, 2);
  wait_for_count (&live, "buffers", 2);
  for (guint i = 3; i <= 10; i++)
    send_wrench (&live, 0, i, i);
  wait_for_count (&live, "leaked", 6);
  gst_pad_remove_probe (pad, probe);
  wait_for_buffers (&live, 4);
  fail_unless_equals_uint64 (live_count (&live, "leaked"), 6);
  fail_unless_equals_uint64 (live_count (&live, "messages-lost"), 0);
  expect_pads (&live, expected);
  gst_object_unref (pad);
  live_end (&live);
  g_free (properties);
  g_free (expected);
}

GST_END_TEST;

GST_START_TEST (test_losses)
{
  guint ms = 1;
  Live live;

  live_begin (&live, 19, "topics=/x");
  live_play (&live);
  open_wrench (&live, "/x", 0, "best volatile 10 -");
  for (; live_buffers (&live) == 0; ms++) {
    send_wrench (&live, 0, ms, 1);
    g_usleep (10000);
  }
  fail_unless (dds_set_loopback (FALSE));
  for (guint i = 0; i < 3; i++)
    send_wrench (&live, 0, ms++, 2);
  fail_unless (dds_set_loopback (TRUE));
  send_wrench (&live, 0, ms, 9);
  wait_for_count (&live, "messages-lost", 1);
  fail_unless_equals_uint64 (live_count (&live, "messages-lost"), 3);
  live_end (&live);
}

GST_END_TEST;

/* ---- live to the letter ---- */

GST_START_TEST (test_live)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  GString *text = g_string_new (NULL);
  gboolean is_live;
  GstPad *pad;
  Live live;

  live_begin (&live, 20, "topics=/x latency=5000000");
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 10 -");
  send_wrench (&live, 0, 1, 1);
  wait_for_buffers (&live, 1);
  pad = gst_element_get_static_pad (live.source, "src_0");
  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_latency (query, &is_live, &min, &max);
  fail_unless (is_live && min == 5 * GST_MSECOND && max == GST_CLOCK_TIME_NONE);
  fail_if (gst_element_seek_simple (live.source, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
  fail_unless (live.output.no_more_pads);
  fail_unless (gst_element_send_event (live.pipeline, gst_event_new_eos ()));
  wait_for_end (live.pipeline, text);
  fail_unless_equals_string (text->str, "");
  expect_pads (&live, "src_0 /x@base:" WRENCH_CAPS " 1=1,0,0,0,0,0 eos; ");
  gst_query_unref (query);
  gst_object_unref (pad);
  g_string_free (text, TRUE);
  live_end (&live);
}

GST_END_TEST;

/* A silent topic has GAP events, and after a pause the same pads go on. */
GST_START_TEST (test_silence)
{
  GString *text = g_string_new (NULL);
  Live live;

  live_begin (&live, 21, "topics=/x max-transport=0");
  live.output.has_events = TRUE;
  g_object_set (live.source, "time-origin", G_MININT64, NULL);
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 10 -");
  /* a stamp of before PLAYING would be dropped */
  send_wrench_at (&live, 0, g_get_real_time () * 1000, 1);
  wait_for_buffers (&live, 1);
  while (!strstr (text->str, " gap:")) {
    g_usleep (10000);
    g_string_truncate (text, 0);
    append_pads (text, &live.output);
  }
  gst_element_set_state (live.pipeline, GST_STATE_PAUSED);
  gst_element_set_state (live.pipeline, GST_STATE_PLAYING);
  send_wrench_at (&live, 0, g_get_real_time () * 1000, 1);
  wait_for_buffers (&live, 2);
  fail_unless_equals_int (GST_ELEMENT (live.source)->numsrcpads, 1);
  live_end (&live);
  g_string_free (text, TRUE);
}

GST_END_TEST;

CHECK_MAIN_IF (rossrc, dds_network_begin ("rossrc"), NULL, NULL,
    EACH (message_examples, test_types);
    ONCE (test_two_topics);
    ONCE (test_latched);
    ONCE (test_return);
    EACH (complaints, test_complaints);
    ONCE (test_missing_topic);
    ONCE (test_malformed);
    ONCE (test_invalid_times);
    ONCE (test_sim_time);
    EACH (leaks, test_leaky);
    ONCE (test_losses);
    ONCE (test_live);
    ONCE (test_silence));

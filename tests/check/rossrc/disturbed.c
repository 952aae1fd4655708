/* robocache: robocacherossrc in pauses, behind slow and flushing branches, at the end, and with publishers that do harm
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gsttestclock.h>
#include <stdio.h>
#include <string.h>

#include "tests/check/lib/checks.h"
#include "tests/check/lib/dds/live.h"

#define ONE_WRENCH "src_0 /x@base:" WRENCH_CAPS

/* ---- branches that are held ---- */

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

typedef struct
{
  GstPad *pad;
  gulong probe;
} Held;

/* The first pad takes one more buffer, which stays in it; the thread of the element waits for it. */
static void
hold_begin (Held *held, Live *live)
{
  const guint64 n = live_count (live, "buffers");

  held->pad = gst_element_get_static_pad (live->source, "src_0");
  held->probe = gst_pad_add_probe (held->pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, hold, NULL, NULL);
  send_wrench (live, 0, 2, 2);
  wait_for_count (live, "buffers", n + 1);
}

static void
hold_end (Held *held)
{
  gst_pad_remove_probe (held->pad, held->probe);
  gst_object_unref (held->pad);
}

static void
begin_with_a_wrench (Live *live, guint domain, const gchar *properties)
{
  live_begin (live, domain, properties);
  live_play (live);
  open_wrench (live, "/x", 0, "reliable volatile 1000 -");
  send_wrench (live, 0, 1, 1);
  wait_for_buffers (live, 1);
}

/* ---- pauses ---- */

static gint64
time_origin_of (const Live *live)
{
  GstStructure *stats;
  gint64 origin_ns = 0;

  g_object_get (live->source, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int64 (stats, "time-origin", &origin_ns));
  gst_structure_free (stats);
  return origin_ns;
}

/* A message of before a pause keeps its time, one that was captured in it is dropped, and times after it continue. */
GST_START_TEST (test_pause)
{
  GstClock *clock = gst_test_clock_new ();
  gint64 origin_ns;
  Live live;

  live_begin (&live, 30, "topics=/x");
  gst_pipeline_use_clock (GST_PIPELINE (live.pipeline), clock);
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 10 -");
  send_wrench (&live, 0, 1, 1);
  wait_for_buffers (&live, 1);
  gst_test_clock_set_time (GST_TEST_CLOCK (clock), gst_element_get_base_time (live.source) + 3 * GST_MSECOND);
  fail_unless_equals_int (gst_element_set_state (live.pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_NO_PREROLL);
  send_wrench (&live, 0, 2, 2);
  wait_for_count (&live, "queued", 1);
  fail_if (gst_element_set_state (live.pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE);
  wait_for_buffers (&live, 2);
  /* longer than the pipeline's clock, which the test holds */
  origin_ns = time_origin_of (&live);
  fail_unless (origin_ns > live.origin_ns + 1);
  send_wrench_at (&live, 0, origin_ns + 3 * (gint64) GST_MSECOND - 1, 3);
  send_wrench_at (&live, 0, origin_ns + 7 * (gint64) GST_MSECOND, 4);
  wait_for_buffers (&live, 3);
  fail_unless_equals_uint64 (live_count (&live, "in-pause"), 1);
  expect_pads (&live, ONE_WRENCH " 1=1,0,0,0,0,0 2=2,0,0,0,0,0 7=4,0,0,0,0,0; ");
  live_end (&live);
  gst_object_unref (clock);
}

GST_END_TEST;

/* The time to wait for topics begins with PLAYING: a complaint of before comes first. */
GST_START_TEST (test_wait)
{
  Live live;

  live_begin (&live, 31, "topics=/x*,/y");
  g_object_set (live.source, "wait", (guint64) 1, NULL);
  gst_element_set_state (live.pipeline, GST_STATE_PAUSED);
  peer_do (live.peer, "open /x a_msgs/msg/B reliable volatile 1 -");
  expect_complaint (&live, "warning /x of type a_msgs/msg/B cannot be read: ");
  gst_element_set_state (live.pipeline, GST_STATE_PLAYING);
  expect_complaint (&live, "warning no publisher of /y in domain 31 yet; topics there: /x");
  live_end (&live);
}

GST_END_TEST;

/* ---- clocks of others ---- */

/* Stamps of a clock that began when the robot started, long before this host was made: only their distance to time-origin counts. */
static const struct
{
  gint64 origin_s, stamp_ms;
  const gchar *complaint;       /* NULL: it is sent */
} robot_clocks[] = {
  {5, 5001, NULL},
  {5, 90000, "warning a message of /x is dropped: its time is more than max-future after its arrival"},
  {2000000000, 2000000000001, NULL},
};

GST_START_TEST (test_robot_clock)
{
  const gint64 stamp_ns = robot_clocks[__i__].stamp_ms * (gint64) GST_MSECOND;
  Live live;

  live_begin (&live, 32, "topics=/x");
  g_object_set (live.source, "time-origin", robot_clocks[__i__].origin_s * (gint64) GST_SECOND, NULL);
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 10 -");
  send_wrench_at (&live, 0, stamp_ns, 1);
  if (robot_clocks[__i__].complaint) {
    expect_complaint (&live, robot_clocks[__i__].complaint);
  } else {
    wait_for_buffers (&live, 1);
    expect_pads (&live, ONE_WRENCH " 1=1,0,0,0,0,0; ");
  }
  live_end (&live);
}

GST_END_TEST;

#define AHEAD 1000 * (gint64) GST_SECOND

/* Sends a wrench from a host whose clock is ahead, captured 3 ms before its publishing. Returns the time of its capture on the clock of this host. */
static gint64
send_from_other_host (Live *live)
{
  const gint64 now_ns = g_get_real_time () * 1000, stamp_ns = now_ns + AHEAD - 3 * (gint64) GST_MSECOND;

  peer_do (live->peer, "text 0 %" G_GINT64_FORMAT " (((%" G_GINT64_FORMAT " %" G_GINT64_FORMAT ") 'base') ((1 0 0) (0 0 0)))", now_ns + AHEAD,
      stamp_ns / (gint64) GST_SECOND, stamp_ns % (gint64) GST_SECOND);
  return stamp_ns - AHEAD;
}

static void
expect_time (Live *live, gint64 capture_ns)
{
  const gint64 running_ns = capture_ns - time_origin_of (live);
  GString *text = g_string_new (NULL);
  gdouble ms = -1.0;
  const gchar *found;

  g_mutex_lock (&live->output.lock);
  append_pads (text, &live->output);
  g_mutex_unlock (&live->output.lock);
  found = strstr (text->str, "] ");
  fail_unless (found && sscanf (found, "] %lf=", &ms) == 1, "%s", text->str);
  /* the shortest transport so far cannot be told from the clocks' difference */
  fail_unless (ms * 1e6 >= (gdouble) running_ns - 1e6 && ms * 1e6 < (gdouble) (g_get_real_time () * 1000 - time_origin_of (live)),
      "%f ms, captured at %" G_GINT64_FORMAT " ns", ms, running_ns);
  g_string_free (text, TRUE);
}

static const struct
{
  const gchar *setting, *complaint;     /* NULL: it has the right time */
} host_clocks[] = {
  {"track", NULL},
  {"trust", "warning a message of /x is dropped: its time is more than max-future after its arrival"},
};

/* The clock of another host is tracked, or trusted. */
GST_START_TEST (test_clock_of_other_host)
{
  gchar *properties = g_strdup_printf ("topics=/x peers=" DDS_OTHER_HOST " host-clocks=%s", host_clocks[__i__].setting);
  gint64 capture_ns;
  Live live;

  live_begin (&live, 38, properties);
  peer_stop (live.peer);
  live.peer = peer_start_on_host (38);
  if (!live.peer) {
    g_print ("SKIP test_clock_of_other_host: no pair of network interfaces can be made\n");
  } else {
    g_object_set (live.source, "time-origin", G_MININT64, NULL);
    live_play (&live);
    open_wrench (&live, "/x", 0, "reliable volatile 10 -");
    capture_ns = send_from_other_host (&live);
    if (host_clocks[__i__].complaint) {
      expect_complaint (&live, host_clocks[__i__].complaint);
    } else {
      wait_for_buffers (&live, 1);
      expect_time (&live, capture_ns);
    }
  }
  live_end (&live);
  g_free (properties);
}

GST_END_TEST;

/* ---- declared streams ---- */

#define FORCE "other/tensors,format=(string)static,num_tensors=(int)1,types=(string)float64,dimensions=(string)"

/* The pads of declared streams exist at once, in this order, with GAP events until their topics come. */
GST_START_TEST (test_expected)
{
  GString *text = g_string_new (NULL);
  Live live;

  live_begin (&live, 39, "topics=/y,/x max-transport=0");
  g_object_set (live.source, "expected", "/x " FORCE "6,framerate=(fraction)0/1; /y " FORCE "7,framerate=(fraction)0/1", "time-origin", G_MININT64, NULL);
  live.output.has_events = TRUE;
  gst_element_set_start_time (live.pipeline, 60 * GST_SECOND);
  fail_unless_equals_int (gst_element_set_state (live.pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_NO_PREROLL);
  fail_unless_equals_int (GST_ELEMENT (live.source)->numsrcpads, 2);
  fail_unless (live.output.no_more_pads);
  gst_element_set_state (live.pipeline, GST_STATE_PLAYING);
  open_wrench (&live, "/x", 0, "reliable volatile 10 -");
  g_mutex_lock (&live.output.lock);
  for (append_pads (text, &live.output); !strstr (text->str, "src_0 /x: caps[other/tensors float64 6] seg:0-none gap:0,");
      append_pads (text, &live.output)) {
    g_cond_wait (&live.output.changed, &live.output.lock);
    g_string_truncate (text, 0);
  }
  g_mutex_unlock (&live.output.lock);
  send_wrench_at (&live, 0, g_get_real_time () * 1000, 1);
  wait_for_buffers (&live, 1);
  open_wrench (&live, "/y", 1, "reliable volatile 10 -");
  send_wrench_at (&live, 1, g_get_real_time () * 1000, 2);
  expect_complaint (&live, "warning /y has other caps than expected declares");
  wait_for_buffers (&live, 2);
  fail_unless_equals_int (GST_ELEMENT (live.source)->numsrcpads, 2);
  live_end (&live);
  g_string_free (text, TRUE);
}

GST_END_TEST;

static const gchar *const wrong_expected[] = { "/x", "x " FORCE "6,framerate=0/1", "/x audio/x-raw", "/x other/tensors,framerate=[0/1,30/1]", "/x a/b;" };

GST_START_TEST (test_wrong_expected)
{
  gchar *expected = g_strdup_printf ("error expected has \"%.*s\": the topic must be followed by a blank and by fixed caps of a stream",
      (gint) strcspn (wrong_expected[__i__], ";"), wrong_expected[__i__]);
  Live live;

  live_begin (&live, 40, "topics=/x");
  g_object_set (live.source, "expected", wrong_expected[__i__], NULL);
  fail_unless_equals_int (gst_element_set_state (live.pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  expect_complaint (&live, expected);
  live_end (&live);
  g_free (expected);
}

GST_END_TEST;

/* ---- slow and flushing branches ---- */

/* GAP events of a topic whose messages wait do not overtake them, however late it is. */
GST_START_TEST (test_gaps)
{
  GString *text = g_string_new (NULL);
  Held held;
  Live live;

  live_begin (&live, 33, "topics=/x max-transport=0");
  live.output.has_events = TRUE;
  gst_element_set_start_time (live.pipeline, 60 * GST_SECOND);
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 1000 -");
  send_wrench (&live, 0, 1, 1);
  wait_for_buffers (&live, 1);
  hold_begin (&held, &live);
  for (guint ms = 3; ms < 500; ms++)
    send_wrench (&live, 0, ms, 3);
  wait_for_count (&live, "queued", 497);
  hold_end (&held);
  wait_for_buffers (&live, 499);
  g_mutex_lock (&live.output.lock);
  append_pads (text, &live.output);
  g_mutex_unlock (&live.output.lock);
  /* one after the first message is right, as nothing waited then */
  fail_unless (!strstr (strstr (text->str, " 3=3"), " gap:"), "%s", text->str);
  live_end (&live);
  g_string_free (text, TRUE);
}

GST_END_TEST;

static void
flush (const Live *live, const gchar *name, GstEvent *event)
{
  GstPad *pad = gst_element_get_static_pad (live->source, name), *peer = gst_pad_get_peer (pad);

  gst_pad_send_event (peer, event);
  gst_object_unref (peer);
  gst_object_unref (pad);
}

/* A branch that flushes stops no other, and continues with a segment of its own. */
GST_START_TEST (test_flush)
{
  Live live;

  live_begin (&live, 34, "topics=/x,/y");
  live.output.has_events = TRUE;
  live_play (&live);
  open_wrench (&live, "/x", 0, "reliable volatile 10 -");
  open_wrench (&live, "/y", 1, "reliable volatile 10 -");
  send_wrench (&live, 0, 1, 1);
  wait_for_buffers (&live, 1);
  send_wrench (&live, 1, 2, 2);
  wait_for_buffers (&live, 2);
  flush (&live, "src_0", gst_event_new_flush_start ());
  send_wrench (&live, 0, 3, 3);
  send_wrench (&live, 1, 4, 4);
  wait_for_buffers (&live, 4);
  flush (&live, "src_0", gst_event_new_flush_stop (TRUE));
  send_wrench (&live, 0, 5, 5);
  wait_for_buffers (&live, 5);
  expect_pads (&live, ONE_WRENCH " seg:0-none 1=1,0,0,0,0,0! 3=3,0,0,0,0,0 seg:0-none 5=5,0,0,0,0,0!; "
      "src_1 /y@base:" WRENCH_CAPS " seg:0-none 2=2,0,0,0,0,0! 4=4,0,0,0,0,0; ");
  live_end (&live);
}

GST_END_TEST;

/* EOS follows the messages that arrived before the application asked for it. */
GST_START_TEST (test_end)
{
  GString *text = g_string_new (NULL);
  Held held;
  Live live;

  begin_with_a_wrench (&live, 35, "topics=/x");
  hold_begin (&held, &live);
  send_wrench (&live, 0, 3, 3);
  send_wrench (&live, 0, 4, 4);
  wait_for_count (&live, "queued", 2);
  fail_unless (gst_element_send_event (live.pipeline, gst_event_new_eos ()));
  hold_end (&held);
  wait_for_end (live.pipeline, text);
  fail_unless_equals_string (text->str, "");
  expect_pads (&live, ONE_WRENCH " 1=1,0,0,0,0,0 2=2,0,0,0,0,0 3=3,0,0,0,0,0 4=4,0,0,0,0,0 eos; ");
  live_end (&live);
  g_string_free (text, TRUE);
}

GST_END_TEST;

/* ---- publishers that do harm ---- */

/* Messages of a publisher with another definition are not read, though it has gone before they are handled. */
GST_START_TEST (test_refused)
{
  Held held;
  Live live;

  begin_with_a_wrench (&live, 36, "topics=/x*");
  hold_begin (&held, &live);
  open_wrench (&live, "/x", 1, "reliable volatile 10 RIHS01_00");
  send_wrench (&live, 1, 3, 66);
  wait_for_count (&live, "queued", 1);
  peer_do (live.peer, "close 1");
  send_wrench (&live, 0, 4, 4);
  hold_end (&held);
  wait_for_buffers (&live, 3);
  expect_complaint (&live, "warning a publisher of /x has another definition of ");
  fail_unless_equals_uint64 (live_count (&live, "refused"), 1);
  fail_unless_equals_uint64 (live_count (&live, "malformed"), 0);
  expect_pads (&live, ONE_WRENCH " 1=1,0,0,0,0,0 2=2,0,0,0,0,0 4=4,0,0,0,0,0; ");
  live_end (&live);
}

GST_END_TEST;

/* DDS drops messages above its limit, which is max-message-bytes. */
GST_START_TEST (test_too_large)
{
  Live live;

  begin_with_a_wrench (&live, 37, "topics=/x max-message-bytes=65536");
  peer_do (live.peer, "bytes 0 1 2 70000");
  wait_for_count (&live, "too-large", 2);
  expect_complaint (&live, "warning a message of /x is larger than max-message-bytes: it is dropped");
  send_wrench (&live, 0, 2, 2);
  wait_for_buffers (&live, 2);
  fail_unless_equals_uint64 (live_count (&live, "too-large"), 2);
  fail_unless_equals_uint64 (live_count (&live, "messages-lost"), 2);
  live_end (&live);
}

GST_END_TEST;

CHECK_MAIN_IF (disturbed, dds_network_begin ("disturbed"), NULL, NULL,
    ONCE (test_pause);
    ONCE (test_wait);
    EACH (robot_clocks, test_robot_clock);
    EACH (host_clocks, test_clock_of_other_host);
    ONCE (test_expected);
    EACH (wrong_expected, test_wrong_expected);
    ONCE (test_gaps);
    ONCE (test_flush);
    ONCE (test_end);
    ONCE (test_refused);
    ONCE (test_too_large));

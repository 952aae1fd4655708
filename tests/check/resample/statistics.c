/* robocache: robocacheresample, what became of every row and tick: counters with their reasons, distributions, QoS messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "resampleharness.h"

static void
expect_dropped (GstHarness *h, const gchar *reason, guint64 n)
{
  fail_unless_equals_uint64 (count_of (h, reason), n);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped"), n);
  expect_balance (h);
}

/* ---- reasons ---- */

/* Three rows a buffer, of which one is a byte short. */
GST_START_TEST (test_refused_size)
{
  GstHarness *h = harness (LIVE, "rate=100/1", F32 ("1:3", "0/1"));
  const gfloat rows[3] = { 0 };

  fail_unless_equals_int (gst_harness_push (h, buffer_of (rows, sizeof rows, 0)), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (h, buffer_of (rows, sizeof rows - 1, NS (30))), GST_FLOW_ERROR);
  expect_dropped (h, "rows-dropped-refused", 3);
  fail_unless_equals_uint64 (count_of (h, "rows-in"), 6);
  harness_close (h);
}

GST_END_TEST;

/* What was still undecided when an error was posted does not go out at the end. */
GST_START_TEST (test_no_row_after_an_error)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);
  const gfloat rows[2] = { 0 };

  push (h, 0, 0);
  push (h, 15, 1);
  push (h, 25, 2);
  fail_unless_equals_int (gst_harness_buffers_received (h), 2); /* 20 is not decided yet */
  fail_unless_equals_int (gst_harness_push (h, buffer_of (rows, sizeof rows, NS (30))), GST_FLOW_ERROR);
  gst_harness_push_event (h, gst_event_new_gap (NS (40), 0));
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (h), 2);
  harness_close (h);
}

GST_END_TEST;

static guint received_before_the_error;

static GstBusSyncReply
note_error (GstBus *bus, GstMessage *message, gpointer h)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    received_before_the_error = gst_harness_buffers_received (h);
  return GST_BUS_PASS;
}

/* Rows of the old caps go out before the error that refuses the new ones. */
GST_START_TEST (test_rows_before_refused_caps)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);
  GstBus *bus = gst_element_get_bus (h->element);

  gst_bus_set_sync_handler (bus, note_error, h, NULL);
  push (h, 0, 0);
  push (h, 20, 1);
  gst_harness_set_sink_caps_str (h, ONE ",channels=(string)x");
  push_caps (h, F32 ("2", "0/1"));
  fail_unless (received_before_the_error > 0);
  fail_unless_equals_int (gst_harness_buffers_received (h), received_before_the_error);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (bus);
  harness_close (h);
}

GST_END_TEST;

/* Nothing says how many rows a buffer has that comes before its caps. */
GST_START_TEST (test_refused_without_caps)
{
  GstHarness *h = harness_open (LIVE, "rate=100/1");
  const gfloat row = 0;

  gst_harness_push_event (h, gst_event_new_stream_start ("test"));
  push_time_segment (h);
  fail_unless_equals_int (gst_harness_push (h, buffer_of (&row, sizeof row, 0)), GST_FLOW_NOT_NEGOTIATED);
  expect_dropped (h, "rows-dropped-refused", 1);
  harness_close (h);
}

GST_END_TEST;

/* ---- QoS messages ---- */

typedef struct
{
  gboolean live;
  guint64 running_time, stream_time, timestamp, duration;
  gint64 jitter;
  gdouble proportion;
  gint quality;
  GstFormat format;
  guint64 processed, dropped;
} Qos;

static Qos
pop_qos (GstHarness *h)
{
  GstMessage *message = pop_message (h, GST_MESSAGE_QOS);
  Qos qos = { 0 };

  fail_unless (message != NULL, "no QoS message");
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (h->element));
  gst_message_parse_qos (message, &qos.live, &qos.running_time, &qos.stream_time, &qos.timestamp, &qos.duration);
  gst_message_parse_qos_values (message, &qos.jitter, &qos.proportion, &qos.quality);
  gst_message_parse_qos_stats (message, &qos.format, &qos.processed, &qos.dropped);
  gst_message_unref (message);
  return qos;
}

GST_START_TEST (test_qos_of_a_late_row)
{
  GstHarness *h = harness (LIVE, "rate=50/1", F32 ("1", "100/1"));
  Qos qos;

  push (h, 50, 0);
  push (h, 30, 0);
  qos = pop_qos (h);
  fail_unless (qos.live);
  fail_unless_equals_uint64 (qos.running_time, NS (30));
  fail_unless_equals_uint64 (qos.timestamp, NS (30));
  fail_unless_equals_uint64 (qos.duration, NS (10));
  fail_unless_equals_int64 (qos.jitter, NS (20));
  fail_unless_equals_float (qos.proportion, 1.0);
  fail_unless_equals_int (qos.format, GST_FORMAT_DEFAULT);
  fail_unless_equals_uint64 (qos.processed, 1);
  fail_unless_equals_uint64 (qos.dropped, 1);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_QOS), 0);
  harness_close (h);
}

GST_END_TEST;

/* Ticks at 10 and 20 lie in a gap, and are one run. */
GST_START_TEST (test_qos_of_ticks)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1 max-gap=5000000", ONE);
  Qos qos;

  push (h, 0, 0);
  push (h, 30, 0);
  gst_harness_push_event (h, gst_event_new_eos ());
  qos = pop_qos (h);
  fail_if (qos.live);
  fail_unless_equals_uint64 (qos.running_time, NS (10));
  fail_unless_equals_uint64 (qos.duration, NS (10));
  fail_unless_equals_int64 (qos.jitter, 0);
  fail_unless_equals_int (qos.format, GST_FORMAT_BUFFERS);
  fail_unless_equals_uint64 (qos.processed, 1);
  fail_unless_equals_uint64 (qos.dropped, 2);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_QOS), 0);
  harness_close (h);
}

GST_END_TEST;

/* Live, the lateness of a dropped tick is what the clock says. */
GST_START_TEST (test_qos_of_a_live_tick)
{
  GstHarness *h = harness (LIVE, "rate=100/1 max-gap=5000000", ONE);
  Qos qos;

  push (h, 0, 0);
  gst_harness_set_time (h, NS (23));
  push (h, 20, 0);
  qos = pop_qos (h);
  fail_unless (qos.live);
  fail_unless_equals_uint64 (qos.running_time, NS (10));
  fail_unless_equals_int64 (qos.jitter, NS (13));
  harness_close (h);
}

GST_END_TEST;

/* Every second row of 1 kHz is late for 2.5 s: messages an interval apart, the first at once, the last at EOS, with all counts. */
GST_START_TEST (test_qos_interval)
{
  static const struct
  {
    const gchar *properties;
    guint n_messages;
  } cases[] = {
    {"rate=100/1", 4},
    {"rate=100/1 qos-interval=500000000", 6},
    {"rate=100/1 qos-interval=18446744073709551615", 2},
    {"rate=100/1 qos-interval=0", 1250},
  };
  GstHarness *h = harness (__i__ % 2 == 0 ? NOT_LIVE : LIVE, cases[__i__ / 2].properties, ONE);
  Qos qos = { 0 };

  for (gint t = 0; t < 2500; t += 2) {
    gst_harness_set_time (h, NS (t + 1));
    push (h, t + 1, 0);
    push (h, t, 0);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  for (guint i = 0; i < cases[__i__ / 2].n_messages; i++)
    qos = pop_qos (h);
  fail_unless_equals_uint64 (qos.dropped, 1250);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_QOS), 0);
  harness_close (h);
}

GST_END_TEST;

/* Rows between ticks, equal times, a flush: nothing that somebody did not ask for. */
GST_START_TEST (test_no_qos)
{
  GstHarness *h = harness (LIVE, "rate=100/1", ONE);

  for (gint t = 0; t <= 30; t++)
    push (h, t, (gfloat) t);
  push (h, 30, 0);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_QOS), 0);
  expect_balance (h);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_qos_off)
{
  GstHarness *h = harness (LIVE, "rate=100/1 max-gap=5000000 qos-messages=false", ONE);

  push (h, 0, 0);
  push (h, 20, 0);
  push (h, 10, 0);
  fail_unless_equals_uint64 (count_of (h, "rows-late"), 1);
  fail_unless_equals_uint64 (count_of (h, "ticks-dropped"), 1);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_QOS), 0);
  harness_close (h);
}

GST_END_TEST;

static Suite *
robocacheresamplestatistics_suite (void)
{
  Suite *s = suite_create ("robocacheresamplestatistics");
  TCase *tc = tcase_create ("statistics");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_refused_size);
  tcase_add_test (tc, test_no_row_after_an_error);
  tcase_add_test (tc, test_rows_before_refused_caps);
  tcase_add_test (tc, test_refused_without_caps);
  tcase_add_test (tc, test_qos_of_a_late_row);
  tcase_add_test (tc, test_qos_of_ticks);
  tcase_add_test (tc, test_qos_of_a_live_tick);
  tcase_add_loop_test (tc, test_qos_interval, 0, 8);
  tcase_add_test (tc, test_no_qos);
  tcase_add_test (tc, test_qos_off);
  return s;
}

GST_CHECK_MAIN (robocacheresamplestatistics);

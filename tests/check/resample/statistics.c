/* robocache: robocacheresample, counters of refused rows, rows around an error, and intervals of QoS messages
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
  GstMessage *message;
  guint64 dropped = 0;
  guint n = 0;

  for (gint t = 0; t < 2500; t += 2) {
    gst_harness_set_time (h, NS (t + 1));
    push (h, t + 1, 0);
    push (h, t, 0);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  for (; (message = pop_message (h, GST_MESSAGE_QOS)); n++) {
    gst_message_parse_qos_stats (message, NULL, NULL, &dropped);
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, cases[__i__ / 2].n_messages);
  fail_unless_equals_uint64 (dropped, 1250);
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
  tcase_add_loop_test (tc, test_qos_interval, 0, 8);
  return s;
}

GST_CHECK_MAIN (robocacheresamplestatistics);

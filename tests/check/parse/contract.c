/* robocache: robocacheparse keeps GStreamer's contract: messages, seeks, settings, logs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parse_harness.h"
#include "gst/parse/records/recordtime.h"
#include "tests/check/logs.h"
#include "tests/check/random_properties.h"

/* ---- duration ---- */

GST_START_TEST (a_new_duration_is_announced)
{
  static const struct
  {
    const gchar *text;
    guint n_messages;
    gint64 duration;
  } inputs[] = { {"0,1\n3,1\n", 1, 3}, {"0,1\n3,1\n", 0, 3}, {"0,1\n5,1\n", 1, 5}, {"# nothing\n", 0, 5} };
  GstBus *bus;
  GstHarness *h = harness (&bus, NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    gint64 duration = -1;

    if (i > 0) {
      push_flush (h);
      push_bytes_segment (h);
    }
    fail_unless_equals_int (push_text (h, inputs[i].text), GST_FLOW_OK);
    fail_unless_equals_int (count_messages (bus, GST_MESSAGE_DURATION_CHANGED), 0);
    gst_harness_push_event (h, gst_event_new_eos ());
    fail_unless_equals_int (count_messages (bus, GST_MESSAGE_DURATION_CHANGED), inputs[i].n_messages);
    fail_unless (gst_pad_peer_query_duration (h->sinkpad, GST_FORMAT_TIME, &duration));
    fail_unless_equals_int64 (duration, inputs[i].duration * GST_SECOND);
  }
  harness_clear (h, bus);
}

GST_END_TEST;

/* ---- SEGMENT seeks ---- */

GST_START_TEST (segment_seeks_end_with_segment_done)
{
  static const GstClockTime stops[] = { 2 * GST_SECOND, 5 * GST_SECOND, GST_CLOCK_TIME_NONE };
  static const gint n_rows[] = { 20, 30, 50 };
  GString *text = g_string_new (NULL);
  gchar *path, *line;

  for (guint i = 0; i < 100; i++)
    g_string_append_printf (text, "%u.%u,%u\n", i / 10, i % 10, i);
  path = write_file (text->str, (gssize) text->len);
  line = describe (path, "", 64);
  expect_segments (line, stops, n_rows, G_N_ELEMENTS (stops));
  g_string_free (text, TRUE);
  g_unlink (path);
  g_free (path);
  g_free (line);
}

GST_END_TEST;

static gboolean
accept_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* Upstream that ends a seek with EOS, whatever its flags. */
GST_START_TEST (eos_ends_a_segment_seek)
{
  static const GstEventType expected[] = { GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_SEGMENT_DONE };
  GstBus *bus;
  GstHarness *h = harness (&bus, NULL, NULL);

  gst_pad_set_event_function (h->srcpad, accept_event);
  fail_unless (gst_pad_push_event (h->sinkpad, gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_SEGMENT,
              GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, GST_SECOND)));
  push_bytes_segment (h);
  fail_unless_equals_int (push_text (h, "t,q\n0,1\n2,2\n"), GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_gap (0, 1)); /* of bytes, so it ends here */
  gst_harness_push_event (h, gst_event_new_eos ());
  gst_event_unref (gst_harness_pull_event (h)); /* STREAM_START */
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    GstEvent *event = gst_harness_pull_event (h);

    fail_unless_equals_int (GST_EVENT_TYPE (event), expected[i]);
    gst_event_unref (event);
  }
  fail_unless_equals_int (gst_harness_events_in_queue (h), 0);
  fail_unless_equals_int (gst_harness_buffers_received (h), 1);
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_SEGMENT_START | GST_MESSAGE_SEGMENT_DONE), 2);
  harness_clear (h, bus);
}

GST_END_TEST;

/* Clouds with times of upstream: its GAP and SEGMENT_DONE are theirs. */
GST_START_TEST (events_of_a_segment_in_time_continue)
{
  static const GstEventType expected[] = { GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_GAP,
    GST_EVENT_SEGMENT_DONE
  };
  GstHarness *h = harness (NULL, "format", 3, NULL);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  fail_unless_equals_int (push_text (h, "1234567890123456"), GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_gap (0, GST_SECOND));
  gst_harness_push_event (h, gst_event_new_segment_done (GST_FORMAT_TIME, GST_SECOND));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    GstEvent *event = gst_harness_pull_event (h);

    fail_unless_equals_int (GST_EVENT_TYPE (event), expected[i]);
    gst_event_unref (event);
  }
  harness_clear (h, NULL);
}

GST_END_TEST;

/* ---- settings ---- */

GST_START_TEST (late_settings_wait_for_the_next_start)
{
  GstBus *bus;
  GstHarness *h = harness (&bus, NULL, NULL);

  fail_unless_equals_int (push_text (h, "0,1\n"), GST_FLOW_OK);
  g_object_set (h->element, "stats-interval", GST_SECOND, NULL);
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_WARNING), 0);
  g_object_set (h->element, "time-unit", ROBOCACHE_TIME_UNIT_MS, "format", 2, NULL);
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_WARNING), 2);
  fail_unless_equals_int (push_text (h, "2,2\n"), GST_FLOW_OK);
  expect_row (h, 0, 1);
  expect_row (h, 2 * GST_SECOND, 2);

  gst_element_set_state (h->element, GST_STATE_NULL);
  g_object_set (h->element, "format", 0, NULL);
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_WARNING), 0);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (h, "text/csv");
  fail_unless_equals_int (push_text (h, "0,1\n2,2\n"), GST_FLOW_OK);
  expect_row (h, 0, 1);
  expect_row (h, 2 * GST_MSECOND, 2);
  harness_clear (h, bus);
}

GST_END_TEST;

GST_START_TEST (every_property_reads_back)
{
  expect_properties_read_back ("robocacheparse");
}

GST_END_TEST;

GST_START_TEST (any_property_set_while_data_flows)
{
  GRand *random = g_rand_new_with_seed (17);

  for (guint i = 0; i < 2; i++) {
    GstBus *bus;
    GstHarness *h = i == 0 ? harness (&bus, NULL, NULL) : harness (&bus, "format", 3, "points-per-cloud",
        G_GUINT64_CONSTANT (1), "rate", 10, 1, NULL);
    guint n_late = 0;

    for (guint k = 0; k < 500; k++) {
      gchar *text = i == 0 ? g_strdup_printf ("%u,1,2\n", k) : g_strdup ("1234567890123456");

      n_late += (set_random_property (random, G_OBJECT (h->element)) & GST_PARAM_MUTABLE_READY) != 0;
      fail_unless_equals_int (push_text (h, text), GST_FLOW_OK);
      fail_unless_equals_int (gst_harness_buffers_received (h), k + 1);
      g_free (text);
    }
    fail_unless (n_late > 300);
    fail_unless_equals_int (count_messages (bus, GST_MESSAGE_ERROR), 0);
    harness_clear (h, bus);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* ---- logs ---- */

GST_START_TEST (logs)
{
  static const struct
  {
    const gchar *properties, *text, *expected[6];
  } cases[] = {
    {"", "t,q0,q1\n0,1,2\n", {"INFO channels=(string)\"q0\\,q1\"", "DEBUG segment", "LOG row of record 2 at 0:00:00.0",
            "DEBUG the duration is", "DEBUG eos"}},
    {"time-unit=ms", "1,1\n0,1\nx\n", {"INFO time in column 0 in ms", "WARN dropped: record 2 is 1000000 ns before",
            "WARN dropped: line 3"}},
    {"format=kitti", "1234567890123456", {"INFO a file of points ends with the stream", "INFO application/x-pointcloud",
            "LOG cloud 1 of 1 points at 99:99:99"}},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Logs *logs = logs_begin ("robocacheparse");
    Output out = parse (cases[i].text, cases[i].properties);

    output_clear (&out);
    logs_end (logs, cases[i].expected);
  }
}

GST_END_TEST;

GST_START_TEST (the_origin_of_the_plugin_is_a_url)
{
  GstPlugin *plugin = gst_registry_find_plugin (gst_registry_get (), "robocache");

  fail_unless (g_str_has_prefix (gst_plugin_get_origin (plugin), "https://"));
  gst_object_unref (plugin);
}

GST_END_TEST;

static Suite *
robocacheparse_contract_suite (void)
{
  Suite *suite = suite_create ("robocacheparse_contract");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, a_new_duration_is_announced);
  tcase_add_test (tc, segment_seeks_end_with_segment_done);
  tcase_add_test (tc, eos_ends_a_segment_seek);
  tcase_add_test (tc, events_of_a_segment_in_time_continue);
  tcase_add_test (tc, late_settings_wait_for_the_next_start);
  tcase_add_test (tc, every_property_reads_back);
  tcase_add_test (tc, any_property_set_while_data_flows);
  tcase_add_test (tc, logs);
  tcase_add_test (tc, the_origin_of_the_plugin_is_a_url);
  return suite;
}

GST_CHECK_MAIN (robocacheparse_contract);

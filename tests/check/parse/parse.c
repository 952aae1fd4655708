/* robocache: bytes of a recording or a serial port to a stream of rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "parse_harness.h"
#include "tests/recordings.h"

#define TENSOR "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "

/* ---- rows and caps ---- */

GST_START_TEST (rows_of_a_file_with_header)
{
  Output out = parse ("t,q0,q1\n0,1,2\n0.004,3,4\n", "");
  gchar *names = output_caps_field (&out, "channels");

  fail_unless_equals_int (out.buffers->len, 2);
  fail_unless_equals_string (names, "q0,q1");
  fail_unless_equals_uint64 (output_pts (&out, 1), 4000000);
  fail_unless (output_value (&out, 1, 0) == 3.0f && output_value (&out, 1, 1) == 4.0f);
  fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 1)), 8);
  fail_unless (!GST_BUFFER_DURATION_IS_VALID (output_buffer (&out, 0)));
  fail_unless (GST_BUFFER_FLAG_IS_SET (output_buffer (&out, 0), GST_BUFFER_FLAG_DISCONT));
  fail_if (GST_BUFFER_FLAG_IS_SET (output_buffer (&out, 1), GST_BUFFER_FLAG_DISCONT));
  fail_unless_equals_int (out.n_warnings, 0);
  g_free (names);
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (caps)
{
  expect_caps (
      "t,q0,q1\n0,1,2\n", "", TENSOR "dimensions=(string)2, framerate=(fraction)0/1, channels=(string)\"q0,q1\"");
  expect_caps ("0,1,2,3\n", "", TENSOR "dimensions=(string)3, framerate=(fraction)0/1");
  expect_caps (
      "t,q0,q1\n0,1,2\n", "channels=q1", TENSOR "dimensions=(string)1, framerate=(fraction)0/1, channels=(string)q1");
  expect_caps ("a,t,q0,q1\n0,0,1,2\n", "time-column=1 channels=2-3,0",
      TENSOR "dimensions=(string)3, framerate=(fraction)0/1, channels=(string)\"q0,q1,a\"");
}

GST_END_TEST;

GST_START_TEST (downstream_s_spelling_is_kept)
{
  expect_caps (
      "0,1,2\n", "! other/tensors,dimensions=(string)2:1", TENSOR "dimensions=(string)2:1, framerate=(fraction)0/1");
  expect_caps ("0,1,2\n", "! other/tensors,dimensions=2", TENSOR "dimensions=(int)2, framerate=(fraction)0/1");
}

GST_END_TEST;

GST_START_TEST (caps_that_downstream_refuses)
{
  expect_parse_error ("0,1,2\n", "! other/tensors,dimensions=(string)3", "downstream accepts only");
  expect_parse_error ("t,a\n0,1\n", "! other/tensors,dimensions=(string)3", "dimensions=(string)1");
}

GST_END_TEST;

GST_START_TEST (any_caps_are_accepted)
{
  static const gchar *types[] = { "text/csv", "application/octet-stream", "text/x-raw, format=utf8" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    GstHarness *h = harness (NULL, NULL, NULL);

    gst_harness_set_src_caps_str (h, types[i]);
    fail_unless_equals_int (push_text (h, "0,1\n"), GST_FLOW_OK);
    expect_row (h, 0, 1.0f);
    harness_clear (h, NULL);
  }
}

GST_END_TEST;

GST_START_TEST (events_are_in_order)
{
  static const GstEventType expected[] = { GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_TAG };
  GstHarness *h = harness (NULL, NULL, NULL);

  gst_harness_push_event (h, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "a flight", NULL)));
  fail_unless_equals_int (push_text (h, "0,1\n"), GST_FLOW_OK);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    GstEvent *event = gst_harness_pull_event (h);

    fail_unless_equals_int (GST_EVENT_TYPE (event), expected[i]);
    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
      const GstSegment *segment;

      gst_event_parse_segment (event, &segment);
      fail_unless (segment->format == GST_FORMAT_TIME && segment->start == 0 && segment->base == 0
          && segment->stop == GST_CLOCK_TIME_NONE);
    }
    gst_event_unref (event);
  }
  harness_clear (h, NULL);
}

GST_END_TEST;

/* ---- time ---- */

GST_START_TEST (start_zero_is_the_first_row)
{
  expect_times ("100.5,1\n100.75,2\n", "", 2, (GstClockTime[]) {0, 250000000});
}

GST_END_TEST;

GST_START_TEST (start_keep_is_the_file_s_clock)
{
  expect_times ("100.5,1\n100.75,2\n", "start=keep", 2, (GstClockTime[]) {100500000000, 100750000000});
}

GST_END_TEST;

GST_START_TEST (time_origin_wins_over_start)
{
  expect_times ("100.5,1\n100.75,2\n", "time-origin=100000000000", 2, (GstClockTime[]) {500000000, 750000000});
  expect_times (
      "100.5,1\n100.75,2\n", "time-origin=100000000000 start=keep", 2, (GstClockTime[]){ 500000000, 750000000 });
  expect_times ("-1,1\n1,2\n", "time-origin=-2000000000", 2, (GstClockTime[]) {1000000000, 3000000000});
}

GST_END_TEST;

GST_START_TEST (units)
{
  expect_times ("20327133,1\n20490883,2\n", "time-unit=us start=keep", 2, (GstClockTime[]) {20327133000, 20490883000});
  expect_times ("1326899528468056009,1\n", "time-unit=ns start=keep", 1, (GstClockTime[]) {1326899528468056009});
  expect_times ("1326899528.468056009,1\n", "time-unit=s start=keep", 1, (GstClockTime[]) {1326899528468056009});
  expect_times ("1.5e-3,1\n", "time-unit=ms start=keep", 1, (GstClockTime[]) {1500});
}

GST_END_TEST;

GST_START_TEST (rows_before_the_origin)
{
  gchar *path = write_file ("5,1\n4,2\n3,3\n6,4\n", -1), *line = describe (path, "", 4096);
  GstElement *pipeline = gst_parse_launch (line, NULL), *e = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  Output out = play_to_end (pipeline);

  fail_unless_equals_int (out.buffers->len, 2);
  fail_unless_equals_uint64 (output_pts (&out, 1), GST_SECOND);
  fail_unless (GST_BUFFER_FLAG_IS_SET (output_buffer (&out, 1), GST_BUFFER_FLAG_DISCONT));
  fail_unless_equals_int (out.n_warnings, 1);
  fail_unless (strstr (out.warning, "record 2") && strstr (out.warning, "1000000000 ns before") && strstr (out.warning,
          "time-origin"), "%s", out.warning);
  fail_unless_equals_uint64 (stats_uint64 (e, "before-origin"), 2);
  fail_unless_equals_uint64 (stats_uint64 (e, "rows"), 2);
  output_clear (&out);
  gst_object_unref (e);
  gst_object_unref (pipeline);
  g_unlink (path);
  g_free (path);
  g_free (line);
}

GST_END_TEST;

GST_START_TEST (backwards_and_equal_times_are_passed_on)
{
  gchar *path = write_file ("0,1\n3,2\n2,3\n2,4\n4,5\n", -1), *line = describe (path, "", 4096);
  GstElement *pipeline = gst_parse_launch (line, NULL), *e = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  Output out = play_to_end (pipeline);

  fail_unless_equals_int (out.buffers->len, 5);
  fail_unless_equals_uint64 (output_pts (&out, 2), 2 * GST_SECOND);
  fail_unless_equals_uint64 (output_pts (&out, 3), 2 * GST_SECOND);
  fail_unless_equals_uint64 (stats_uint64 (e, "backwards"), 1);
  output_clear (&out);
  gst_object_unref (e);
  gst_object_unref (pipeline);
  g_unlink (path);
  g_free (path);
  g_free (line);
}

GST_END_TEST;

GST_START_TEST (a_time_too_far_from_the_origin_is_malformed)
{
  Output out = parse ("9223372036854775807,1\n1,2\n", "time-unit=ns time-origin=-5");

  fail_unless_equals_int (out.buffers->len, 1);
  fail_unless_equals_uint64 (output_pts (&out, 0), 6);
  fail_unless (strstr (out.warning, "record 1 is further") != NULL, "%s", out.warning);
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (times_at_the_ends_of_int64)
{
  Output out = parse ("-9223372036854775808,1\n0,2\n9223372036854775807,3\n", "time-unit=ns time-origin=0");

  fail_unless_equals_int (out.buffers->len, 2);
  fail_unless_equals_uint64 (output_pts (&out, 1), G_MAXINT64);
  fail_unless (strstr (out.warning, "9223372036854775808 ns before running time 0") != NULL, "%s", out.warning);
  output_clear (&out);
}

GST_END_TEST;

/* A week at 1000/3 Hz, written as times of 9 digits: nothing drifts. */
GST_START_TEST (a_week_of_rows_has_exact_times)
{
  const guint64 week_rows = G_GUINT64_CONSTANT (7) * 24 * 3600 * 1000 / 3;
  GString *text = g_string_new ("t,q\n0,0\n");
  Output out;

  for (guint64 k = week_rows - 300; k <= week_rows; k++) {
    const guint64 t = k * 3000000;

    g_string_append_printf (text, "%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT ",1\n", t / GST_SECOND, t % GST_SECOND);
  }
  out = parse (text->str, "");
  fail_unless_equals_int (out.buffers->len, 302);
  for (guint i = 1; i < 302; i++)
    fail_unless_equals_uint64 (output_pts (&out, i), (week_rows - 301 + i) * 3000000);
  output_clear (&out);
  g_string_free (text, TRUE);
}

GST_END_TEST;

/* ---- the same however it is cut ---- */

static const gchar mixed[] = "\xEF\xBB\xBF"
                             "t,q0,\"q 1\"\r\n0,1,2\r\n\r\n0.1,3,4\n# note\n0.2,x,5\n0.3,6\n0.4,,7\n0.5,\"8\",9";

GST_START_TEST (any_cut_gives_the_same_rows)
{
  gchar *path = write_file (mixed, -1);
  Output whole = parse_file (path, "", 65536);
  GBytes *expected = output_bytes (&whole);

  fail_unless_equals_int (whole.buffers->len, 4);
  fail_unless (isnan (output_value (&whole, 2, 0)));
  for (guint block = 1; block < 40; block++) {
    Output cut = parse_file (path, "", block);
    GBytes *bytes = output_bytes (&cut);

    fail_unless (g_bytes_equal (bytes, expected), "blocks of %u bytes", block);
    fail_unless_equals_string (cut.warning, whole.warning);
    g_bytes_unref (bytes);
    output_clear (&cut);
  }
  g_bytes_unref (expected);
  output_clear (&whole);
  g_unlink (path);
  g_free (path);
}

GST_END_TEST;

GST_START_TEST (any_cut_of_binary_gives_the_same_rows)
{
  guint8 bytes[20 * 12];
  gchar *path;
  Output whole;
  GBytes *expected;

  for (guint i = 0; i < 20; i++) {
    const gint64 t = (gint64) i * 1000;
    const gfloat value = (gfloat) i / 3;

    memcpy (bytes + 12 * i, &t, 8);
    memcpy (bytes + 12 * i + 8, &value, 4);
  }
  path = write_file (bytes, sizeof bytes);
  whole = parse_file (path, "format=binary layout==qf time-unit=us", 4096);
  expected = output_bytes (&whole);
  fail_unless_equals_int (whole.buffers->len, 20);
  fail_unless (output_value (&whole, 19, 0) == 19.0f / 3);
  fail_unless_equals_uint64 (output_pts (&whole, 19), 19000000);
  for (guint block = 1; block < 30; block++) {
    Output cut = parse_file (path, "format=binary layout==qf time-unit=us", block);
    GBytes *got = output_bytes (&cut);

    fail_unless (g_bytes_equal (got, expected));
    g_bytes_unref (got);
    output_clear (&cut);
  }
  g_bytes_unref (expected);
  output_clear (&whole);
  g_unlink (path);
  g_free (path);
}

GST_END_TEST;

GST_START_TEST (ten_runs_of_one_pipeline_are_the_same)
{
  gchar *path = write_file (mixed, -1), *line = describe (path, "", 7);
  GstElement *pipeline = gst_parse_launch (line, NULL), *e = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  GBytes *expected = NULL;

  for (guint i = 0; i < 10; i++) {
    Output out = play_to_end (pipeline);
    GBytes *bytes = output_bytes (&out);

    fail_unless_equals_int (out.n_warnings, 1);
    fail_unless_equals_uint64 (stats_uint64 (e, "rows"), 4);
    fail_unless_equals_uint64 (stats_uint64 (e, "malformed"), 2);
    fail_unless_equals_uint64 (stats_uint64 (e, "empty-fields"), 1);
    fail_unless_equals_uint64 (stats_uint64 (e, "comments"), 1);
    if (!expected)
      expected = g_bytes_ref (bytes);
    fail_unless (g_bytes_equal (expected, bytes));
    g_bytes_unref (bytes);
    output_clear (&out);
  }
  g_bytes_unref (expected);
  gst_object_unref (e);
  gst_object_unref (pipeline);
  g_unlink (path);
  g_free (path);
  g_free (line);
}

GST_END_TEST;

/* ---- malformed input ---- */

GST_START_TEST (a_malformed_record_is_dropped_and_said_once)
{
  Output out = parse ("t,q\n0,1\n1,x\n2,3\n3,y\n4,5\n", "");

  fail_unless_equals_int (out.buffers->len, 3);
  fail_unless_equals_int (out.n_warnings, 1);
  fail_unless (strstr (out.warning, "line 3, column 1: \"x\"") != NULL, "%s", out.warning);
  fail_unless (GST_BUFFER_FLAG_IS_SET (output_buffer (&out, 1), GST_BUFFER_FLAG_DISCONT));
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (max_errors)
{
  Output out = parse ("0,1\nx\nx\n1,1\nx\nx\n2,1\n", "max-errors=2");

  fail_unless_equals_int (out.n_errors, 0);
  fail_unless_equals_int (out.buffers->len, 3);
  output_clear (&out);
  expect_parse_error ("0,1\nx\nx\nx\n1,1\n", "max-errors=2",
      "3 malformed records in a row, more than max-errors=2; the last: line 4 has 1 column, expected 2");
  expect_parse_error ("0,1\nx\n", "max-errors=0", "more than max-errors=0");
  out = parse ("0,1\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\n1,1\n", "max-errors=-1");
  fail_unless_equals_int (out.n_errors, 0);
  fail_unless_equals_int (out.buffers->len, 2);
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (after_an_error_nothing_goes_on)
{
  GstBus *bus;
  GstHarness *h = harness (&bus, "max-errors", 0, NULL);

  fail_unless_equals_int (push_text (h, "0,1\nx\n1,1\n"), GST_FLOW_ERROR);
  fail_unless_equals_int (push_text (h, "2,1\n"), GST_FLOW_ERROR);
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_ERROR), 1);
  fail_unless_equals_int (gst_harness_buffers_received (h), 1);
  harness_clear (h, bus);
}

GST_END_TEST;

GST_START_TEST (input_without_a_record)
{
  Output out = parse ("", "");

  fail_unless_equals_int (out.n_errors, 0);
  fail_unless_equals_int (out.n_warnings, 1);
  fail_unless_equals_string (out.warning, "The input ended without a record");
  output_clear (&out);
  expect_parse_error ("t,q\nno,table\nat all\n", "", "No record of 2 could be read; the first: line 2");
}

GST_END_TEST;

GST_START_TEST (a_header_alone_makes_caps)
{
  GstBus *bus;
  GstHarness *h = harness (&bus, NULL, NULL);
  GstCaps *sent;

  fail_unless_equals_int (push_text (h, "t,a,b\n"), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  sent = gst_pad_get_current_caps (h->sinkpad);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure (sent, 0), "dimensions"), "2");
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_WARNING), 1);
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_ERROR), 0);
  gst_caps_unref (sent);
  harness_clear (h, bus);
}

GST_END_TEST;

GST_START_TEST (the_last_line_needs_no_end)
{
  GstBus *bus;
  GstHarness *h = harness (&bus, NULL, NULL);

  fail_unless_equals_int (push_text (h, "0,1\n1,2"), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (h), 1);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (h), 2);
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_WARNING), 0);
  harness_clear (h, bus);
}

GST_END_TEST;

GST_START_TEST (a_record_cut_short_is_said)
{
  Output out = parse ("0,1,2\n1,2", "");

  fail_unless_equals_int (out.buffers->len, 1);
  fail_unless (strstr (out.warning, "line 2 has 2 columns, expected 3") != NULL, "%s", out.warning);
  output_clear (&out);
  out = parse_bytes ("\0\0\0\0\x01\x02", 6, "format=binary layout=<ib");
  fail_unless_equals_int (out.buffers->len, 1);
  fail_unless (strstr (out.warning, "record 2, the last one, has 1 bytes, expected 5") != NULL, "%s", out.warning);
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (settings_that_make_no_sense)
{
  expect_parse_error ("0,1\n", "delimiter=ab", "delimiter=\"ab\"");
  expect_parse_error ("0,1\n", "format=binary", "layout=\"\" has no number in it");
  expect_parse_error ("0,1\n", "format=binary layout=<q4s", "'s'");
  expect_parse_error ("0,1\n", "layout=<qf", "is for format=binary");
  expect_parse_error ("0,1\n", "format=binary layout=<qf time-column=2", "time-column=2");
  expect_parse_error ("t,q\n0,1\n", "channels=q7", "the file has no column \"q7\"; it has t,q");
  expect_parse_error ("t,q\n0,1\n", "channels=1-4", "\"1-4\" is not within columns 0-1");
  expect_parse_error ("0,1\n", "channels=q0", "the file has no header with names");
}

GST_END_TEST;

GST_START_TEST (every_property_reads_back)
{
  GstElement *e = gst_element_factory_make ("robocacheparse", NULL);
  gchar *delimiter, *channels, *layout;
  gint format, unit, start, arrival, errors;
  guint column;
  gint64 origin;
  guint64 interval;

  g_object_set (e, "format", 1, "delimiter", ";", "time-column", 3, "time-unit", 2, "channels", "1-2", "layout", "<q",
      "start", 1, "time-origin", G_GINT64_CONSTANT (-7), "arrival-column", 4, "max-errors", 5, "stats-interval",
      G_GUINT64_CONSTANT (6), NULL);
  g_object_get (e, "format", &format, "delimiter", &delimiter, "time-column", &column, "time-unit", &unit, "channels",
      &channels, "layout", &layout, "start", &start, "time-origin", &origin, "arrival-column", &arrival, "max-errors",
      &errors, "stats-interval", &interval, NULL);
  fail_unless (format == 1 && column == 3 && unit == 2 && start == 1 && origin == -7 && arrival == 4 && errors == 5
      && interval == 6);
  fail_unless_equals_string (delimiter, ";");
  fail_unless_equals_string (channels, "1-2");
  fail_unless_equals_string (layout, "<q");
  g_free (delimiter);
  g_free (channels);
  g_free (layout);
  gst_object_unref (e);
}

GST_END_TEST;

static gboolean refuse_activation;

static gboolean
activate_unless_refused (GstPad *pad, GstObject *parent)
{
  return !refuse_activation && gst_pad_activate_mode (pad, GST_PAD_MODE_PUSH, TRUE);
}

/* Each time what start made is let go, which a checker of leaks sees. */
GST_START_TEST (a_start_that_fails_can_be_tried_again)
{
  GstBus *bus;
  GstHarness *h = harness (&bus, NULL, NULL);
  GstPad *src = gst_element_get_static_pad (h->element, "src");

  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_pad_set_activate_function (src, activate_unless_refused);
  refuse_activation = TRUE;
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  refuse_activation = FALSE;
  fail_if (gst_element_set_state (h->element, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE);
  gst_harness_push_event (h, gst_event_new_stream_start ("again"));
  fail_unless_equals_int (push_text (h, "0,1\n"), GST_FLOW_OK);
  expect_row (h, 0, 1);
  gst_object_unref (src);
  harness_clear (h, bus);
}

GST_END_TEST;

GST_START_TEST (stats_messages)
{
  GstBus *bus;
  GstHarness *h = harness (&bus, "stats-interval", GST_SECOND, NULL);
  GstMessage *message;
  guint64 rows = 0;

  fail_unless_equals_int (push_text (h, "0,1\n0.5,1\n1,1\n1.2,1\n2.5,1\n"), GST_FLOW_OK);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (gst_structure_has_name (gst_message_get_structure (message), "robocacheparse"));
  fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message), "rows", &rows));
  fail_unless_equals_uint64 (rows, 3);
  gst_message_unref (message);
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_ELEMENT), 1);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_ELEMENT), 1);
  harness_clear (h, bus);
}

GST_END_TEST;

/* ---- real recordings ---- */

/* FALSE: it is not there, which has been said. */
static gboolean
expect_recording (const gchar *test, const gchar *file, const gchar *properties, guint rows, guint channels,
    GstClockTime last)
{
  const gchar *path = recording_path (test, file);
  Output out;

  if (!path)
    return FALSE;
  out = parse_file (path, properties, 1000);
  fail_unless_equals_int (out.n_errors, 0);
  fail_unless_equals_int (out.n_warnings, 0);
  fail_unless_equals_int (out.buffers->len, rows);
  fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 0)), channels * sizeof (gfloat));
  fail_unless_equals_uint64 (output_pts (&out, rows - 1), last);
  output_clear (&out);
  return TRUE;
}

typedef struct
{
  const gchar *file, *properties;
  guint rows, channels;
  GstClockTime last;
} Recording;

static void
expect_recordings (const gchar *test, const Recording *recordings, guint n)
{
  for (guint i = 0; i < n; i++) {
    const Recording *r = &recordings[i];

    if (!expect_recording (test, r->file, r->properties, r->rows, r->channels, r->last))
      return;
  }
}

GST_START_TEST (arm_recordings)
{
  static const Recording recordings[] = {
    {"arm_joints_250hz.csv", "", 936, 12, 3740000000},
    {"arm_torque_250hz.csv", "", 936, 6, 3740000000},
  };

  expect_recordings ("arm_recordings", recordings, G_N_ELEMENTS (recordings));
}

GST_END_TEST;

#define PX4 "time-unit=us time-origin=20310847000"

GST_START_TEST (px4_recordings_share_an_origin)
{
  static const Recording recordings[] = {
    {"px4_attitude_quat_wxyz.csv", PX4, 1298, 4, 6512021000},
    {"px4_imu.csv", PX4, 1298, 10, 6512021000},
    {"px4_mag.csv", PX4, 319, 3, 6499999000},
    {"px4_baro.csv", PX4, 120, 6, 6502967000},
    {"px4_actuator_controls.csv", PX4, 1812, 9, 6514883000},
  };

  expect_recordings ("px4_recordings_share_an_origin", recordings, G_N_ELEMENTS (recordings));
}

GST_END_TEST;

GST_START_TEST (rover_recordings)
{
  static const Recording recordings[] = {
    {"rover_imu_20hz.csv", "time-column=1 time-unit=ns channels=qx,qy,qz,qw", 356, 4, 17748843403},
    {"rover_twist_40hz.csv", "time-column=1 time-unit=ns channels=2-7", 712, 6, 17748843443},
  };

  expect_recordings ("rover_recordings", recordings, G_N_ELEMENTS (recordings));
}

GST_END_TEST;

static Suite *
robocacheparse_suite (void)
{
  Suite *suite = suite_create ("robocacheparse");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, rows_of_a_file_with_header);
  tcase_add_test (tc, caps);
  tcase_add_test (tc, downstream_s_spelling_is_kept);
  tcase_add_test (tc, caps_that_downstream_refuses);
  tcase_add_test (tc, any_caps_are_accepted);
  tcase_add_test (tc, events_are_in_order);
  tcase_add_test (tc, start_zero_is_the_first_row);
  tcase_add_test (tc, start_keep_is_the_file_s_clock);
  tcase_add_test (tc, time_origin_wins_over_start);
  tcase_add_test (tc, units);
  tcase_add_test (tc, rows_before_the_origin);
  tcase_add_test (tc, backwards_and_equal_times_are_passed_on);
  tcase_add_test (tc, a_time_too_far_from_the_origin_is_malformed);
  tcase_add_test (tc, times_at_the_ends_of_int64);
  tcase_add_test (tc, a_week_of_rows_has_exact_times);
  tcase_add_test (tc, any_cut_gives_the_same_rows);
  tcase_add_test (tc, any_cut_of_binary_gives_the_same_rows);
  tcase_add_test (tc, ten_runs_of_one_pipeline_are_the_same);
  tcase_add_test (tc, a_malformed_record_is_dropped_and_said_once);
  tcase_add_test (tc, max_errors);
  tcase_add_test (tc, after_an_error_nothing_goes_on);
  tcase_add_test (tc, input_without_a_record);
  tcase_add_test (tc, a_header_alone_makes_caps);
  tcase_add_test (tc, the_last_line_needs_no_end);
  tcase_add_test (tc, a_record_cut_short_is_said);
  tcase_add_test (tc, settings_that_make_no_sense);
  tcase_add_test (tc, every_property_reads_back);
  tcase_add_test (tc, a_start_that_fails_can_be_tried_again);
  tcase_add_test (tc, stats_messages);
  tcase_add_test (tc, arm_recordings);
  tcase_add_test (tc, px4_recordings_share_an_origin);
  tcase_add_test (tc, rover_recordings);
  return suite;
}

GST_CHECK_MAIN (robocacheparse);

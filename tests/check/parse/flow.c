/* robocache: robocacheparse as a part of a pipeline: flush, seek, queries, and recordings replayed live
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gsttestclock.h>

#include "parse_harness.h"

/* ---- flush and seek ---- */

GST_START_TEST (a_flush_forgets_the_partial_line)
{
  GstHarness *h = harness (NULL, NULL, NULL);

  fail_unless_equals_int (push_text (h, "10,1\n11,"), GST_FLOW_OK);
  expect_row (h, 0, 1.0f);
  push_flush (h);
  push_bytes_segment (h);
  fail_unless_equals_int (push_text (h, "12,2\n"), GST_FLOW_OK);
  /* the origin is where it was: a flush does not move the file's clock */
  expect_row (h, 2 * GST_SECOND, 2.0f);
  harness_clear (h, NULL);
}

GST_END_TEST;

GST_START_TEST (a_new_segment_drains_the_last_line)
{
  GstHarness *h = harness (NULL, NULL, NULL);

  fail_unless_equals_int (push_text (h, "t,a\n0,1\n1,2"), GST_FLOW_OK);
  push_bytes_segment (h);
  fail_unless_equals_int (gst_harness_buffers_received (h), 2);
  fail_unless_equals_int (push_text (h, "t,a\n2,3\n"), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (h), 3);
  harness_clear (h, NULL);
}

GST_END_TEST;

GST_START_TEST (new_columns_are_new_caps)
{
  GstHarness *h = harness (NULL, NULL, NULL);
  GstCaps *sent;

  fail_unless_equals_int (push_text (h, "t,a\n0,1\n"), GST_FLOW_OK);
  push_bytes_segment (h);
  fail_unless_equals_int (push_text (h, "t,a,b\n1,2,3\n"), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (h), 2);
  sent = gst_pad_get_current_caps (h->sinkpad);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure (sent, 0), "channels"), "a,b");
  gst_caps_unref (sent);
  harness_clear (h, NULL);
}

GST_END_TEST;

/* A file of 0, 0.1 … 9.9 s, value 0 … 99, at its beginning in PAUSED. */
static FileRun
preroll_ramp (void)
{
  GString *text = g_string_new ("t,q\n");
  FileRun run;

  for (guint i = 0; i < 100; i++)
    g_string_append_printf (text, "%u.%u,%u\n", i / 10, i % 10, i);
  run = file_run_begin (text->str, (gssize) text->len, "", 64);
  file_run_preroll (&run);
  g_string_free (text, TRUE);
  return run;
}

GST_START_TEST (a_seek_is_accurate)
{
  FileRun run = preroll_ramp ();
  Output out;

  fail_unless (gst_element_seek (run.pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 3050000000,
          GST_SEEK_TYPE_SET, 5000000000));
  gst_element_get_state (run.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  out = play_to_end (run.pipeline);
  fail_unless_equals_int (out.buffers->len, 19);
  for (guint i = 0; i < 19; i++) {
    fail_unless_equals_uint64 (output_pts (&out, i), (31 + i) * G_GUINT64_CONSTANT (100000000));
    fail_unless (output_value (&out, i, 0) == (gfloat) (31 + i));
  }
  fail_unless (GST_BUFFER_FLAG_IS_SET (output_buffer (&out, 0), GST_BUFFER_FLAG_DISCONT));
  fail_unless (stats_uint64 (run.e, "skipped") >= 81);
  output_clear (&out);

  /* after NULL nothing of the seek is left */
  out = play_to_end (run.pipeline);
  fail_unless_equals_int (out.buffers->len, 100);
  output_clear (&out);
  file_run_end (&run);
}

GST_END_TEST;

static gboolean
refuse_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return FALSE;
}

GST_START_TEST (seeks_that_are_refused)
{
  static const struct
  {
    gdouble rate;
    GstFormat format;
    GstSeekFlags flags;
    gint64 start, stop;         /* s; stop -1: as it is */
    gboolean is_accepted;
  } seeks[] = {
    {-1.0, GST_FORMAT_TIME, 0, 0, 1, FALSE}, {1.0, GST_FORMAT_DEFAULT, 0, 3, -1, FALSE},
    /* and behind the stop of the one before */
    {1.0, GST_FORMAT_TIME, 0, 0, 1, TRUE}, {1.0, GST_FORMAT_TIME, 0, 2, -1, FALSE},
  };
  FileRun run = preroll_ramp ();
  GstHarness *h;

  for (guint i = 0; i < G_N_ELEMENTS (seeks); i++) {
    fail_unless_equals_int (gst_element_seek (run.pipeline, seeks[i].rate, seeks[i].format,
            GST_SEEK_FLAG_FLUSH | seeks[i].flags, GST_SEEK_TYPE_SET, seeks[i].start * (gint64) GST_SECOND,
            seeks[i].stop < 0 ? GST_SEEK_TYPE_NONE : GST_SEEK_TYPE_SET, seeks[i].stop * (gint64) GST_SECOND),
        seeks[i].is_accepted);
    gst_element_get_state (run.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  }
  file_run_end (&run);

  /* upstream cannot */
  h = harness (NULL, NULL, NULL);
  fail_unless_equals_int (push_text (h, "0,1\n"), GST_FLOW_OK);
  gst_pad_set_event_function (h->srcpad, refuse_event);
  fail_if (gst_pad_push_event (h->sinkpad,
      gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0)));
  fail_unless_equals_int (push_text (h, "1,2\n"), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (h), 2);
  harness_clear (h, NULL);
}

GST_END_TEST;

GST_START_TEST (queries)
{
  static const GstFormat formats[] = { GST_FORMAT_TIME, GST_FORMAT_BYTES };
  FileRun run = preroll_ramp ();
  GstBus *bus = gst_element_get_bus (run.pipeline);
  GstPad *pad = gst_element_get_static_pad (run.e, "src");
  gint64 value = -1;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstQuery *query = gst_query_new_seeking (formats[i]);
    gboolean is_seekable = FALSE;

    fail_unless (gst_pad_query (pad, query));
    gst_query_parse_seeking (query, NULL, &is_seekable, NULL, NULL);
    fail_unless_equals_int (is_seekable, formats[i] == GST_FORMAT_TIME);
    gst_query_unref (query);
  }
  gst_element_set_state (run.pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS));
  fail_unless (gst_pad_query_duration (pad, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 9900000000);
  fail_unless (gst_pad_query_position (pad, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 9900000000);
  fail_if (gst_pad_query_duration (pad, GST_FORMAT_DEFAULT, &value));
  fail_if (gst_pad_query_position (pad, GST_FORMAT_DEFAULT, &value));
  gst_object_unref (pad);
  gst_object_unref (bus);
  file_run_end (&run);
}

GST_END_TEST;

GST_START_TEST (duration_is_not_known_before_the_end)
{
  GstHarness *h = harness (NULL, NULL, NULL);
  gint64 value;

  fail_unless_equals_int (push_text (h, "0,1\n3,1\n"), GST_FLOW_OK);
  fail_if (gst_pad_peer_query_duration (h->sinkpad, GST_FORMAT_TIME, &value));
  fail_unless (gst_pad_peer_query_position (h->sinkpad, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 3 * GST_SECOND);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless (gst_pad_peer_query_duration (h->sinkpad, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 3 * GST_SECOND);
  harness_clear (h, NULL);
}

GST_END_TEST;

GST_START_TEST (latency_not_live_is_upstream_s)
{
  GstHarness *h = harness (NULL, NULL, NULL);

  gst_harness_set_upstream_latency (h, 7000);
  fail_unless_equals_uint64 (gst_harness_query_latency (h), 7000);
  harness_clear (h, NULL);
}

GST_END_TEST;

/* ---- live replay ---- */

#define LIVE "arrival-column", 0, "time-column", 1, "time-unit", 1

typedef struct
{
  GstHarness *h;
  GstTestClock *clock;
  GThread *thread;
} Replay;

static gpointer
push_from_thread (gpointer h)
{
  return GINT_TO_POINTER (push_text (h, "arrival,stamp,q\n1100,1000,1\n1130,1010,2\n1140,1040,3\n"));
}

static void
expect_wait (Replay *replay, GstClockTime time)
{
  fail_unless (gst_harness_wait_for_clock_id_waits (replay->h, 1, 60));
  fail_unless_equals_int (gst_harness_buffers_in_queue (replay->h), 0);
  fail_unless_equals_uint64 (gst_test_clock_get_next_entry_time (replay->clock), time);
}

/* Three rows that the element holds, and with them the thread that pushes them, until their arrivals; up to the first wait. */
static Replay
replay_begin (gint64 time_origin, GstClockTime first_arrival)
{
  Replay replay = { harness (NULL, LIVE, "time-origin", time_origin, NULL) };

  gst_harness_use_testclock (replay.h);
  replay.clock = gst_harness_get_testclock (replay.h);
  replay.thread = g_thread_new ("push", push_from_thread, replay.h);
  expect_wait (&replay, first_arrival);
  return replay;
}

static void
replay_end (Replay *replay, GstFlowReturn flow, guint n_rows)
{
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (replay->thread)), flow);
  fail_unless_equals_int (gst_harness_buffers_received (replay->h), n_rows);
  gst_object_unref (replay->clock);
  harness_clear (replay->h, NULL);
}

GST_START_TEST (a_replay_releases_rows_at_arrival_stamped_with_capture)
{
  static const GstClockTime releases[] = { 100, 130, 140 }, stamps[] = { 0, 10, 40 };
  Replay replay = replay_begin (G_MININT64, 100 * GST_MSECOND);

  for (guint i = 0; i < 3; i++) {
    expect_wait (&replay, releases[i] * GST_MSECOND);
    crank (replay.h, 1);
    expect_row (replay.h, stamps[i] * GST_MSECOND, (gfloat) (i + 1));
  }
  replay_end (&replay, GST_FLOW_OK, 3);
}

GST_END_TEST;

GST_START_TEST (a_replay_counts_both_times_from_the_origin)
{
  Replay replay = replay_begin (900 * GST_MSECOND, 200 * GST_MSECOND);
  GstStructure *stats;
  gint64 delay = 0;

  crank (replay.h, 1);
  expect_row (replay.h, 100 * GST_MSECOND, 1.0f);
  crank (replay.h, 2);
  g_object_get (replay.h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int64 (stats, "delay-max", &delay));
  fail_unless_equals_int64 (delay, 120 * GST_MSECOND);
  gst_structure_free (stats);
  replay_end (&replay, GST_FLOW_OK, 3);
}

GST_END_TEST;

GST_START_TEST (a_stop_or_a_flush_ends_the_wait)
{
  Replay replay = replay_begin (G_MININT64, 100 * GST_MSECOND);

  fail_unless_equals_int (gst_element_set_state (replay.h->element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  replay_end (&replay, GST_FLOW_FLUSHING, 0);

  replay = replay_begin (G_MININT64, 100 * GST_MSECOND);
  push_flush (replay.h);
  replay_end (&replay, GST_FLOW_FLUSHING, 0);
}

GST_END_TEST;

GST_START_TEST (a_replay_holds_in_paused_and_goes_on)
{
  Replay replay = replay_begin (G_MININT64, 100 * GST_MSECOND);

  fail_unless_equals_int (gst_element_set_state (replay.h->element, GST_STATE_PAUSED), GST_STATE_CHANGE_NO_PREROLL);
  fail_unless (gst_harness_set_time (replay.h, GST_SECOND));
  fail_unless_equals_int (gst_harness_buffers_received (replay.h), 0);
  gst_element_set_base_time (replay.h->element, 950 * GST_MSECOND);
  gst_element_set_state (replay.h->element, GST_STATE_PLAYING);
  expect_wait (&replay, 1050 * GST_MSECOND);
  crank (replay.h, 3);
  replay_end (&replay, GST_FLOW_OK, 3);
}

GST_END_TEST;

GST_START_TEST (a_replay_is_live)
{
  GstHarness *h = harness (NULL, LIVE, NULL);
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean live;

  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (live);
  fail_unless_equals_uint64 (min, 0);
  fail_unless_equals_uint64 (max, GST_CLOCK_TIME_NONE);
  gst_query_unref (query);

  query = gst_query_new_seeking (GST_FORMAT_TIME);
  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_seeking (query, NULL, &live, NULL, NULL);
  fail_if (live);
  gst_query_unref (query);
  fail_if (gst_pad_push_event (h->sinkpad,
      gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0)));
  harness_clear (h, NULL);
}

GST_END_TEST;

/* ---- input that cannot be read ---- */

#define TYPE_UNREADABLE (unreadable_get_type ())
G_DECLARE_FINAL_TYPE (Unreadable, unreadable, TEST, UNREADABLE, GstAllocator)

struct _Unreadable
{
  GstAllocator parent;
};

G_DEFINE_TYPE (Unreadable, unreadable, GST_TYPE_ALLOCATOR)

static gpointer
map_nothing (GstMemory *memory, gsize size, GstMapFlags flags)
{
  return NULL;
}

static void
free_memory (GstAllocator *allocator, GstMemory *memory)
{
  g_free (memory);
}

static void
unreadable_class_init (UnreadableClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->free = free_memory;
}

static void
unreadable_init (Unreadable *unreadable)
{
  GST_ALLOCATOR (unreadable)->mem_map = map_nothing;
  GST_OBJECT_FLAG_SET (unreadable, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

/* 100 bytes of which none can be mapped. */
static GstBuffer *
unreadable_buffer (void)
{
  GstAllocator *allocator = g_object_ref_sink (g_object_new (TYPE_UNREADABLE, NULL));
  GstMemory *memory = g_new0 (GstMemory, 1);
  GstBuffer *buffer = gst_buffer_new ();

  gst_memory_init (memory, GST_MEMORY_FLAG_NO_SHARE, allocator, NULL, 100, 0, 0, 100);
  gst_buffer_append_memory (buffer, memory);
  gst_object_unref (allocator);
  return buffer;
}

GST_START_TEST (a_buffer_that_cannot_be_mapped_is_an_error)
{
  for (gint format = 0; format < 6; format++) {
    GstBus *bus;
    GstHarness *h = harness (&bus, "format", format, "layout", format == 1 || format == 5 ? "=4f" : "", "channels",
        format == 5 ? "x,y,z,i" : "", "cloud-end", 2, NULL);
    GstMessage *message;
    GError *error;

    fail_unless_equals_int (gst_harness_push (h, unreadable_buffer ()), GST_FLOW_ERROR);
    fail_unless_equals_int (gst_harness_push (h, unreadable_buffer ()), GST_FLOW_ERROR);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    fail_unless (message != NULL);
    gst_message_parse_error (message, &error, NULL);
    fail_unless (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT));
    fail_unless_equals_string (error->message, "a buffer of 100 bytes cannot be mapped");
    g_error_free (error);
    gst_message_unref (message);
    fail_unless_equals_int (count_messages (bus, GST_MESSAGE_ERROR), 0);
    harness_clear (h, bus);
  }
}

GST_END_TEST;

static Suite *
robocacheparse_flow_suite (void)
{
  Suite *suite = suite_create ("robocacheparse_flow");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, a_flush_forgets_the_partial_line);
  tcase_add_test (tc, a_new_segment_drains_the_last_line);
  tcase_add_test (tc, new_columns_are_new_caps);
  tcase_add_test (tc, a_seek_is_accurate);
  tcase_add_test (tc, seeks_that_are_refused);
  tcase_add_test (tc, queries);
  tcase_add_test (tc, duration_is_not_known_before_the_end);
  tcase_add_test (tc, latency_not_live_is_upstream_s);
  tcase_add_test (tc, a_replay_releases_rows_at_arrival_stamped_with_capture);
  tcase_add_test (tc, a_replay_counts_both_times_from_the_origin);
  tcase_add_test (tc, a_stop_or_a_flush_ends_the_wait);
  tcase_add_test (tc, a_replay_holds_in_paused_and_goes_on);
  tcase_add_test (tc, a_replay_is_live);
  tcase_add_test (tc, a_buffer_that_cannot_be_mapped_is_an_error);
  return suite;
}

GST_CHECK_MAIN (robocacheparse_flow);

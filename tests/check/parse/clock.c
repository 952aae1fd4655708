/* robocache: robocacheparse with sensors whose clock is their own
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gsttestclock.h>

#include "tests/check/time/clocksim.h"
#include "gst/parse/records/recordtime.h"
#include "parse_harness.h"

#define MS(ms) ((gint64) ((ms) * 1000000.0))
#define TODAY ((gint64) 1700000000 * (gint64) GST_SECOND)
#define TRACK "clock-mode", ROBOCACHE_CLOCK_TRACK, "time-unit", ROBOCACHE_TIME_UNIT_NS

static const Sim usual = { 100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1 };

static GstFlowReturn
push_row_of_sensor (GstHarness *h, gint64 sensor, gint64 arrival)
{
  gchar *line = g_strdup_printf ("%" G_GINT64_FORMAT ",1\n", sensor);
  GstFlowReturn flow;

  gst_harness_set_time (h, (GstClockTime) arrival);
  flow = push_text (h, line);
  g_free (line);
  return flow;
}

static GstClockTime
pull_pts (GstHarness *h)
{
  GstBuffer *buffer = gst_harness_pull (h);
  const GstClockTime pts = GST_BUFFER_PTS (buffer);

  gst_buffer_unref (buffer);
  return pts;
}

/* Error of the last of so many rows of a live sensor. */
static gint64
run_sensor (GstHarness *h, SimState *state, guint n, gint64 base_time)
{
  gint64 error = 0;

  for (guint i = 0; i < n; i++) {
    const SimRow row = sim_next (state);

    fail_unless_equals_int (push_row_of_sensor (h, row.sensor, row.arrival), GST_FLOW_OK);
    error = (gint64) pull_pts (h) + base_time - row.captured - state->sim->least_delay;
  }
  return error;
}

static guint
count_clock_messages (GstBus *bus, const gchar *event)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *s = gst_message_get_structure (message);

    n += gst_structure_has_name (s, "robocache-clock") && g_strcmp0 (gst_structure_get_string (s, "event"), event) == 0
        && gst_structure_has_field_typed (s, "clock-offset", G_TYPE_INT64);
    gst_message_unref (message);
  }
  return n;
}

static gboolean
is_converged (GstElement *element)
{
  GstStructure *stats;
  gboolean converged;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_boolean (stats, "clock-converged", &converged));
  gst_structure_free (stats);
  return converged;
}

/* ---- live ---- */

GST_START_TEST (a_sensor_with_its_own_clock)
{
  GstBus *bus;
  GstHarness *h = harness (&bus, TRACK, NULL);
  SimState state = sim_begin (&usual);
  GstStructure *stats;
  gint64 error, uncertainty;
  gdouble skew;

  gst_harness_use_testclock (h);
  fail_if (is_converged (h->element));
  error = run_sensor (h, &state, 3000, 0);
  fail_unless (ABS (error) <= MS (0.2), "off by %" G_GINT64_FORMAT, error);
  fail_unless_equals_int (count_clock_messages (bus, "converged"), 1);
  fail_unless (is_converged (h->element));
  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "clock-skew-ppm", G_TYPE_DOUBLE, &skew, "clock-uncertainty", G_TYPE_INT64,
          &uncertainty, NULL));
  fail_unless (fabs (skew - 200.0) < 10.0, "%g ppm", skew);
  fail_unless (uncertainty > 0 && uncertainty <= MS (0.5));
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clock-pairs"), 3000);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "rows"), 3000);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "backwards"), 0);
  gst_structure_free (stats);
  sim_end (&state);
  harness_clear (h, bus);
}

GST_END_TEST;

GST_START_TEST (the_first_row_is_at_its_arrival)
{
  GstHarness *h = harness (NULL, TRACK, NULL);

  gst_harness_use_testclock (h);
  fail_unless_equals_int (push_row_of_sensor (h, TODAY, MS (1234)), GST_FLOW_OK);
  fail_unless_equals_uint64 (pull_pts (h), MS (1234));
  fail_unless_equals_int (push_row_of_sensor (h, TODAY + MS (10), MS (1264)), GST_FLOW_OK);
  fail_unless_equals_uint64 (pull_pts (h), MS (1244));
  harness_clear (h, NULL);
}

GST_END_TEST;

/* Lines that came in one packet keep their distances. */
GST_START_TEST (many_rows_in_a_buffer)
{
  GstHarness *h = harness (NULL, TRACK, NULL);
  SimState state = sim_begin (&usual);
  GString *text = g_string_new (NULL);
  gint64 last = 0;
  SimRow row;

  gst_harness_use_testclock (h);
  run_sensor (h, &state, 3000, 0);
  for (guint i = 0; i < 10; i++) {
    row = sim_next (&state);
    g_string_append_printf (text, "%" G_GINT64_FORMAT ",1\n", row.sensor);
  }
  gst_harness_set_time (h, (GstClockTime) row.arrival);
  fail_unless_equals_int (push_text (h, text->str), GST_FLOW_OK);
  for (guint i = 0; i < 10; i++) {
    const gint64 pts = (gint64) pull_pts (h);

    if (i > 0)
      fail_unless (ABS (pts - last - MS (10)) <= MS (0.02), "%" G_GINT64_FORMAT, pts - last);
    last = pts;
  }
  fail_unless (ABS (last - row.captured - usual.least_delay) <= MS (0.2));
  g_string_free (text, TRUE);
  sim_end (&state);
  harness_clear (h, NULL);
}

GST_END_TEST;

GST_START_TEST (the_base_time_counts)
{
  GstHarness *h = harness (NULL, TRACK, NULL);

  gst_harness_use_testclock (h);
  gst_harness_set_time (h, MS (5000));
  gst_element_set_base_time (h->element, MS (5000));
  fail_unless_equals_int (push_row_of_sensor (h, TODAY, MS (5020)), GST_FLOW_OK);
  fail_unless_equals_uint64 (pull_pts (h), MS (20));
  harness_clear (h, NULL);
}

GST_END_TEST;

/* Running time stands still in PAUSED and the sensor's clock does not: the estimate outlives it. */
GST_START_TEST (a_pause_does_not_disturb_the_estimate)
{
  GstBus *bus;
  GstHarness *h = harness (&bus, TRACK, NULL);
  SimState state = sim_begin (&usual);
  gint64 error;

  gst_harness_use_testclock (h);
  run_sensor (h, &state, 3000, 0);
  gst_element_set_state (h->element, GST_STATE_PAUSED);
  gst_element_set_base_time (h->element, MS (10000));
  state.n += 1000;
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  error = run_sensor (h, &state, 1, MS (10000));
  fail_unless (ABS (error) <= MS (0.3), "off by %" G_GINT64_FORMAT, error);
  error = run_sensor (h, &state, 1000, MS (10000));
  fail_unless (ABS (error) <= MS (0.2), "off by %" G_GINT64_FORMAT, error);
  fail_unless_equals_int (count_clock_messages (bus, "converged"), 1);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clock-jumps") + stats_uint64 (h->element, "clock-steps"), 0);
  sim_end (&state);
  harness_clear (h, bus);
}

GST_END_TEST;

static gpointer
push_one_from_thread (gpointer h)
{
  return GINT_TO_POINTER (push_text (h, "1700000000000000000,1\n"));
}

GST_START_TEST (it_waits_for_playing)
{
  GstHarness *h = harness (NULL, TRACK, NULL);
  GThread *thread;

  gst_harness_use_testclock (h);
  fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_PAUSED), GST_STATE_CHANGE_NO_PREROLL);
  thread = g_thread_new ("push", push_one_from_thread, h);
  gst_harness_set_time (h, MS (700));
  fail_unless_equals_int (gst_harness_buffers_received (h), 0);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_OK);
  fail_unless_equals_uint64 (pull_pts (h), MS (700));
  harness_clear (h, NULL);
}

GST_END_TEST;

GST_START_TEST (without_a_clock)
{
  GstBus *bus;
  GstHarness *h = harness (&bus, TRACK, NULL);
  GstMessage *message;
  GError *error = NULL;

  gst_element_set_clock (h->element, NULL);
  fail_unless_equals_int (push_text (h, "1,1\n"), GST_FLOW_ERROR);
  fail_unless_equals_int (push_text (h, "2,1\n"), GST_FLOW_ERROR);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_CLOCK), "%s", error->message);
  fail_unless (strstr (error->message, "clock-mode=track") != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_ERROR), 0);
  harness_clear (h, bus);
}

GST_END_TEST;

/* Another clock shares nothing with the one before it. */
GST_START_TEST (another_clock)
{
  GstHarness *h = harness (NULL, TRACK, NULL);
  GstClock *clock = gst_test_clock_new_with_start_time (MS (5));

  gst_harness_use_testclock (h);
  fail_unless_equals_int (push_row_of_sensor (h, TODAY, MS (1000)), GST_FLOW_OK);
  fail_unless_equals_uint64 (pull_pts (h), MS (1000));
  gst_element_set_clock (h->element, clock);
  fail_unless_equals_int (push_text (h, "1700000000010000000,1\n"), GST_FLOW_OK);
  fail_unless_equals_uint64 (pull_pts (h), MS (5));
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clock-pairs"), 1);
  gst_object_unref (clock);
  harness_clear (h, NULL);
}

GST_END_TEST;

static const gint64 jumps[] = { 86400 * (gint64) GST_SECOND, -86400 * (gint64) GST_SECOND };

GST_START_TEST (the_sensor_s_clock_jumps_by_a_day)
{
  GstBus *bus;
  GstHarness *h = harness (&bus, TRACK, NULL);
  SimState state = sim_begin (&usual);
  gint64 error;

  gst_harness_use_testclock (h);
  run_sensor (h, &state, 3000, 0);
  count_clock_messages (bus, "converged");
  state.shift = jumps[__i__];
  for (guint i = 0; i < 10; i++) {
    error = run_sensor (h, &state, 1, 0);
    fail_unless (error > -MS (40) && error < MS (40), "row %u is off by %" G_GINT64_FORMAT, i, error);
  }
  fail_unless_equals_int (count_clock_messages (bus, "jumped"), 1);
  error = run_sensor (h, &state, 3000, 0);
  fail_unless (ABS (error) <= MS (0.2), "off by %" G_GINT64_FORMAT, error);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clock-jumps"), 1);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "before-origin"), 0);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "rows"), 6010);
  sim_end (&state);
  harness_clear (h, bus);
}

GST_END_TEST;

static GstQuery *
latency_of (GstHarness *h, GstClockTime *min)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live;

  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_latency (query, &live, min, NULL);
  fail_unless (live);
  return query;
}

/* A serial port is no live source for GStreamer; rows that must be stamped when they come are. */
GST_START_TEST (it_is_live)
{
  GstHarness *h = harness (NULL, TRACK, NULL);
  GstClockTime min;

  gst_query_unref (latency_of (h, &min));
  gst_harness_set_upstream_latency (h, MS (30));
  gst_query_unref (latency_of (h, &min));
  fail_unless_equals_uint64 (min, MS (30));
  fail_if (gst_pad_push_event (h->sinkpad,
      gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0)));
  harness_clear (h, NULL);
}

GST_END_TEST;

GST_START_TEST (without_tracking_stats_have_no_clock)
{
  GstHarness *h = harness (NULL, NULL, NULL);
  GstStructure *stats;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_if (gst_structure_has_field (stats, "clock-offset"));
  gst_structure_free (stats);
  harness_clear (h, NULL);
}

GST_END_TEST;

/* ---- recordings ---- */

#define RECORDED TRACK, "arrival-column", 1

static gchar *
record (const Sim *sim, guint n, gint64 clock_of_arrivals)
{
  GString *text = g_string_new ("sensor,arrival,q\n");
  SimState state = sim_begin (sim);

  for (guint i = 0; i < n; i++) {
    const SimRow row = sim_next (&state);

    g_string_append_printf (text, "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%u\n", row.sensor,
        row.arrival + clock_of_arrivals, i);
  }
  sim_end (&state);
  return g_string_free (text, FALSE);
}

typedef struct
{
  GstHarness *h;
  const gchar *text;
} Push;

static gpointer
push_from_thread (gpointer data)
{
  const Push *push = data;

  return GINT_TO_POINTER (push_text (push->h, push->text));
}

/* Replays a recording of n rows, and returns the time of each. */
static void
replay (GstHarness *h, const gchar *text, GstClockTime *times, guint n)
{
  Push push = { h, text };
  GThread *thread;

  gst_harness_use_testclock (h);
  thread = g_thread_new ("push", push_from_thread, &push);
  for (guint i = 0; i < n; i++) {
    crank (h, 1);
    times[i] = pull_pts (h);
  }
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_OK);
}

#define N_RECORDED 3000

static GstClockTime replayed[N_RECORDED], again[N_RECORDED];

GST_START_TEST (a_recording_is_aligned_by_its_arrivals)
{
  GstHarness *h = harness (NULL, RECORDED, "time-origin", TODAY, NULL);
  gchar *text = record (&usual, N_RECORDED, TODAY);
  gint64 error;

  replay (h, text, replayed, N_RECORDED);
  error = (gint64) replayed[N_RECORDED - 1] - MS (10 * (N_RECORDED - 1)) - usual.least_delay;
  fail_unless (ABS (error) <= MS (0.2), "off by %" G_GINT64_FORMAT, error);
  fail_unless (is_converged (h->element));
  harness_clear (h, NULL);
  g_free (text);
}

GST_END_TEST;

/* Running time 0 is the first arrival. */
GST_START_TEST (a_recording_starts_at_zero)
{
  GstHarness *h = harness (NULL, RECORDED, NULL);
  gchar *text = record (&usual, 1, TODAY);

  replay (h, text, replayed, 1);
  fail_unless_equals_uint64 (replayed[0], 0);
  harness_clear (h, NULL);
  g_free (text);
}

GST_END_TEST;

GST_START_TEST (a_recording_has_the_same_times_each_time)
{
  GstHarness *a = harness (NULL, RECORDED, NULL), *b = harness (NULL, RECORDED, NULL);
  gchar *text = record (&usual, N_RECORDED, TODAY);

  replay (a, text, replayed, N_RECORDED);
  replay (b, text, again, N_RECORDED);
  fail_unless (memcmp (replayed, again, sizeof (replayed)) == 0);
  harness_clear (a, NULL);
  harness_clear (b, NULL);
  g_free (text);
}

GST_END_TEST;

/* Nothing of the estimate outlives NULL. */
GST_START_TEST (a_new_start_is_a_new_estimate)
{
  GstHarness *h = harness (NULL, TRACK, NULL);

  gst_harness_use_testclock (h);
  fail_unless_equals_int (push_row_of_sensor (h, TODAY, MS (1000)), GST_FLOW_OK);
  fail_unless_equals_uint64 (pull_pts (h), MS (1000));
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (h, "text/csv");
  fail_unless_equals_int (push_row_of_sensor (h, 5, MS (2000)), GST_FLOW_OK);
  fail_unless_equals_uint64 (pull_pts (h), MS (2000));
  fail_unless_equals_uint64 (stats_uint64 (h->element, "clock-pairs"), 1);
  harness_clear (h, NULL);
}

GST_END_TEST;

static Suite *
robocacheparse_clock_suite (void)
{
  Suite *s = suite_create ("robocacheparse_clock");
  TCase *live = tcase_create ("live"), *recordings = tcase_create ("recordings");

  suite_add_tcase (s, live);
  tcase_add_test (live, a_sensor_with_its_own_clock);
  tcase_add_test (live, the_first_row_is_at_its_arrival);
  tcase_add_test (live, many_rows_in_a_buffer);
  tcase_add_test (live, the_base_time_counts);
  tcase_add_test (live, a_pause_does_not_disturb_the_estimate);
  tcase_add_test (live, it_waits_for_playing);
  tcase_add_test (live, without_a_clock);
  tcase_add_test (live, another_clock);
  tcase_add_loop_test (live, the_sensor_s_clock_jumps_by_a_day, 0, G_N_ELEMENTS (jumps));
  tcase_add_test (live, it_is_live);
  tcase_add_test (live, a_new_start_is_a_new_estimate);
  tcase_add_test (live, without_tracking_stats_have_no_clock);

  suite_add_tcase (s, recordings);
  tcase_add_test (recordings, a_recording_is_aligned_by_its_arrivals);
  tcase_add_test (recordings, a_recording_starts_at_zero);
  tcase_add_test (recordings, a_recording_has_the_same_times_each_time);
  return s;
}

GST_CHECK_MAIN (robocacheparse_clock);

/* robocache: robocacheparse with sensors whose clock is their own
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/clocksim.h"
#include "tests/check/lib/points/parseharness.h"

#define MS(ms) ((gint64) ((ms) * 1000000.0))
#define TODAY ((gint64) 1700000000 * (gint64) GST_SECOND)
#define TRACK "clock-mode=track time-unit=ns"

static const Sim usual = { 100.0, 20.0, SIM_UNIFORM, 200.0, TODAY, MS (3), 1 };

/* A live sensor and the element. */
typedef struct
{
  GstHarness *h;
  SimState state;
  gint64 base_time;
} Sensor;

static Sensor
sensor_begin (void)
{
  return (Sensor) { parse_harness (TRACK), sim_begin (&usual), 0 };
}

static void
sensor_end (Sensor *sensor)
{
  sim_end (&sensor->state);
  harness_close (sensor->h);
}

static gint64
pull_pts (GstHarness *h)
{
  GstBuffer *buffer = gst_harness_pull (h);
  const gint64 pts = (gint64) GST_BUFFER_PTS (buffer);

  gst_buffer_unref (buffer);
  return pts;
}

/* So many rows, of which the last is off by less than that. */
static void
run_sensor (Sensor *sensor, guint n, gint64 greatest_error)
{
  gint64 error = 0;

  for (guint i = 0; i < n; i++) {
    const SimRow row = sim_next (&sensor->state);
    gchar *line = g_strdup_printf ("%" G_GINT64_FORMAT ",1\n", row.sensor);

    gst_harness_set_time (sensor->h, (GstClockTime) row.arrival);
    fail_unless_equals_int (push_text (sensor->h, line), GST_FLOW_OK);
    error = pull_pts (sensor->h) + sensor->base_time - row.captured - usual.least_delay;
    g_free (line);
  }
  fail_unless (ABS (error) <= greatest_error, "off by %" G_GINT64_FORMAT, error);
}

static guint
count_clock_messages (GstHarness *h, const gchar *event)
{
  GstMessage *message;
  guint n = 0;

  while ((message = pop_message (h, GST_MESSAGE_ELEMENT))) {
    const GstStructure *s = gst_message_get_structure (message);

    n += gst_structure_has_name (s, "robocache-clock") && g_strcmp0 (gst_structure_get_string (s, "event"), event) == 0
        && gst_structure_has_field_typed (s, "clock-offset", G_TYPE_INT64);
    gst_message_unref (message);
  }
  return n;
}

static void
expect_stats (GstHarness *h, const gchar *field, const gchar *expected)
{
  gchar *got = stats_text (h->element, field);

  fail_unless_equals_string (got, expected);
  g_free (got);
}

/* ---- live ---- */

GST_START_TEST (a_sensor_with_its_own_clock)
{
  Sensor sensor = sensor_begin ();
  GstStructure *stats;
  gint64 uncertainty;
  gdouble skew;

  expect_stats (sensor.h, "clock-converged", "false");
  run_sensor (&sensor, 3000, MS (0.2));
  fail_unless_equals_int (count_clock_messages (sensor.h, "converged"), 1);
  expect_stats (sensor.h, "clock-converged", "true");
  g_object_get (sensor.h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "clock-skew-ppm", G_TYPE_DOUBLE, &skew, "clock-uncertainty", G_TYPE_INT64,
          &uncertainty, NULL));
  fail_unless (fabs (skew - 200.0) < 10.0, "%g ppm", skew);
  fail_unless (uncertainty > 0 && uncertainty <= MS (0.5));
  expect_stats (sensor.h, "clock-pairs", "3000");
  expect_stats (sensor.h, "rows", "3000");
  expect_stats (sensor.h, "backwards", "0");
  gst_structure_free (stats);
  sensor_end (&sensor);
}

GST_END_TEST;

/* Lines that came in one packet keep their distances. */
GST_START_TEST (many_rows_in_a_buffer)
{
  Sensor sensor = sensor_begin ();
  GString *text = g_string_new (NULL);
  gint64 last = 0;
  SimRow row;

  run_sensor (&sensor, 3000, MS (0.2));
  for (guint i = 0; i < 10; i++) {
    row = sim_next (&sensor.state);
    g_string_append_printf (text, "%" G_GINT64_FORMAT ",1\n", row.sensor);
  }
  gst_harness_set_time (sensor.h, (GstClockTime) row.arrival);
  fail_unless_equals_int (push_text (sensor.h, text->str), GST_FLOW_OK);
  for (guint i = 0; i < 10; i++) {
    const gint64 pts = pull_pts (sensor.h);

    if (i > 0)
      fail_unless (ABS (pts - last - MS (10)) <= MS (0.02), "%" G_GINT64_FORMAT, pts - last);
    last = pts;
  }
  fail_unless (ABS (last - row.captured - usual.least_delay) <= MS (0.2));
  g_string_free (text, TRUE);
  sensor_end (&sensor);
}

GST_END_TEST;

/* Running time stands still in PAUSED and the sensor's clock does not: the estimate outlives it. */
GST_START_TEST (a_pause_does_not_disturb_the_estimate)
{
  Sensor sensor = sensor_begin ();

  run_sensor (&sensor, 3000, MS (0.2));
  gst_element_set_state (sensor.h->element, GST_STATE_PAUSED);
  sensor.base_time = MS (10000);
  gst_element_set_base_time (sensor.h->element, MS (10000));
  sensor.state.n += 1000;
  gst_element_set_state (sensor.h->element, GST_STATE_PLAYING);
  run_sensor (&sensor, 1, MS (0.3));
  run_sensor (&sensor, 1000, MS (0.2));
  fail_unless_equals_int (count_clock_messages (sensor.h, "converged"), 1);
  expect_stats (sensor.h, "clock-jumps", "0");
  expect_stats (sensor.h, "clock-steps", "0");
  sensor_end (&sensor);
}

GST_END_TEST;

static const gint64 jumps[] = { 86400 * (gint64) GST_SECOND, -86400 * (gint64) GST_SECOND };

GST_START_TEST (the_sensor_s_clock_jumps_by_a_day)
{
  Sensor sensor = sensor_begin ();

  run_sensor (&sensor, 3000, MS (0.2));
  count_clock_messages (sensor.h, "converged");
  sensor.state.shift = jumps[__i__];
  for (guint i = 0; i < 10; i++)
    run_sensor (&sensor, 1, MS (40));
  fail_unless_equals_int (count_clock_messages (sensor.h, "jumped"), 1);
  run_sensor (&sensor, 3000, MS (0.2));
  expect_stats (sensor.h, "clock-jumps", "1");
  expect_stats (sensor.h, "before-origin", "0");
  expect_stats (sensor.h, "rows", "6010");
  sensor_end (&sensor);
}

GST_END_TEST;

/* ---- recordings ---- */

#define N_RECORDED 3000

/* Sensor, arrival and number of rows. */
static gchar *
record (void)
{
  GString *text = g_string_new ("sensor,arrival,q\n");
  SimState state = sim_begin (&usual);

  for (guint i = 0; i < N_RECORDED; i++) {
    const SimRow row = sim_next (&state);

    g_string_append_printf (text, "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%u\n", row.sensor, row.arrival + TODAY, i);
  }
  sim_end (&state);
  return g_string_free (text, FALSE);
}

static gpointer
push_recording (gpointer h)
{
  gchar *text = record ();
  const GstFlowReturn flow = push_text (h, text);

  g_free (text);
  return GINT_TO_POINTER (flow);
}

/* Replays the recording. */
static void
replay (GstHarness *h, gint64 times[N_RECORDED])
{
  GThread *thread = g_thread_new ("push", push_recording, h);

  for (guint i = 0; i < N_RECORDED; i++) {
    fail_unless (gst_harness_crank_single_clock_wait (h));
    times[i] = pull_pts (h);
  }
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_OK);
}

/* By its arrivals; and with the same times each time, counted from the origin. */
GST_START_TEST (a_recording_is_aligned)
{
  static gint64 times[3][N_RECORDED];

  for (guint i = 0; i < 3; i++) {
    GstHarness *h = parse_harness (i == 0 ? TRACK " time-column=0 arrival-column=1 time-origin=1700000000000000000" : TRACK " time-column=0 arrival-column=1");

    replay (h, times[i]);
    expect_stats (h, "clock-converged", "true");
    harness_close (h);
  }
  fail_unless (ABS (times[0][N_RECORDED - 1] - MS (10 * (N_RECORDED - 1)) - usual.least_delay) <= MS (0.2));
  fail_unless (memcmp (times[1], times[2], sizeof times[1]) == 0);
}

GST_END_TEST;

CHECK_MAIN (robocacheparse_clock, NULL, NULL, ONCE (a_sensor_with_its_own_clock), ONCE (many_rows_in_a_buffer),
  ONCE (a_pause_does_not_disturb_the_estimate), EACH (jumps, the_sensor_s_clock_jumps_by_a_day), ONCE (a_recording_is_aligned))

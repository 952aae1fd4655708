/* robocache: the simulated robot's sensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>

#include "gst/testsrc/testsignal.h"
#include "common/time/tickgrid.h"
#include "tests/check/logs.h"
#include "tests/check/random_properties.h"
#include "tests/check/run_pipeline.h"

static GstHarness *
harness (const gchar *first, ...)
{
  GstElement *element = gst_element_factory_make ("robocachetestsrc", "e");
  GstHarness *h;
  va_list args;

  va_start (args, first);
  g_object_set_valist (G_OBJECT (element), first, args);
  va_end (args);
  h = gst_harness_new_with_element (element, NULL, "src");
  gst_object_unref (element);
  return h;
}

/* Plays a live source until its first row is out. A test clock holds a waiter until it is cranked, even at time 0. */
static void
play_first_row (GstHarness *h)
{
  gst_harness_use_testclock (h);
  gst_harness_play (h);
  fail_unless (gst_harness_crank_single_clock_wait (h));
  gst_buffer_unref (gst_harness_pull (h));
}

/* ---- rows and caps ---- */

GST_START_TEST (times_are_the_exact_grid)
{
  const RobocacheTickGrid grid = { 1000, 3 };
  Output out = run_pipeline ("robocachetestsrc name=e rate=1000/3 num-buffers=1000 ! fakesink name=sink");

  fail_unless_equals_int (out.buffers->len, 1000);
  for (guint i = 0; i < 1000; i++) {
    GstBuffer *buffer = output_buffer (&out, i);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), i * 3 * GST_SECOND / 1000);
    fail_unless_equals_uint64 (
        GST_BUFFER_DURATION (buffer), robocache_tick_time (&grid, i + 1) - robocache_tick_time (&grid, i));
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), i + 1);
    fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT) == (i == 0));
  }
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (values_are_the_closed_form_at_the_row_s_own_time)
{
  static const struct
  {
    const gchar *name;
    RobocacheTestKind kind;
    guint channels;
  } cases[] = { { "proprio", ROBOCACHE_TEST_PROPRIO, 14 }, { "force", ROBOCACHE_TEST_FORCE, 6 },
    { "imu", ROBOCACHE_TEST_IMU, 10 } };

  for (guint n = 0; n < G_N_ELEMENTS (cases); n++) {
    gchar *line = g_strdup_printf (
        "robocachetestsrc name=e kind=%s jitter=700000 seed=5 num-buffers=300 ! fakesink name=sink", cases[n].name);
    Output out = run_pipeline (line);
    guint moved = 0;

    for (guint i = 0; i < 300; i++) {
      const gint64 t = (gint64) output_pts (&out, i);

      fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, i)), cases[n].channels * sizeof (gfloat));
      for (guint c = 0; c < cases[n].channels; c++)
        fail_unless (output_value (&out, i, c) == (gfloat) robocache_test_signal (cases[n].kind, c, t));
      moved += t % 1000000 != 0;
    }
    fail_unless (moved > 250);
    output_clear (&out);
    g_free (line);
  }
}

GST_END_TEST;

GST_START_TEST (points_are_the_room)
{
  Output out = run_pipeline ("robocachetestsrc name=e kind=points channels=500 num-buffers=3 ! fakesink name=sink");
  GstCaps *expected = gst_caps_from_string ("application/x-pointcloud, fields=(string)\"x,y,z,intensity\", "
      "type=(string)float32, framerate=(fraction)10/1");

  fail_unless (gst_caps_is_equal (out.caps, expected));
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, i)), 500 * 16);
    for (guint p = 0; p < 500; p++) {
      gdouble ray[3];
      gfloat point[4];

      robocache_test_room_ray (p, 500, ray);
      robocache_test_room_point (ray, i * 100000000, point);
      for (guint c = 0; c < 4; c++)
        fail_unless (output_value (&out, i, 4 * p + c) == point[c]);
    }
  }
  gst_caps_unref (expected);
  output_clear (&out);
}

GST_END_TEST;

static void
expect_caps (const gchar *description, const gchar *expected)
{
  Output out = run_pipeline (description);
  GstCaps *caps = gst_caps_from_string (expected);

  fail_unless (gst_caps_is_equal (out.caps, caps), "%" GST_PTR_FORMAT, out.caps);
  gst_caps_unref (caps);
  output_clear (&out);
}

#define TENSOR "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "

GST_START_TEST (caps_of_each_kind)
{
  expect_caps ("robocachetestsrc name=e channels=2 num-buffers=1 ! fakesink name=sink",
      TENSOR "dimensions=(string)2, framerate=(fraction)100/1, role=(string)proprio, channels=(string)\"q0,q1\"");
  expect_caps ("robocachetestsrc name=e kind=force num-buffers=1 ! fakesink name=sink", TENSOR
      "dimensions=(string)6, framerate=(fraction)1000/1, role=(string)force, channels=(string)\"fx,fy,fz,tx,ty,tz\"");
  expect_caps ("robocachetestsrc name=e kind=imu rate=30000/1001 num-buffers=1 ! fakesink name=sink",
      TENSOR "dimensions=(string)10, framerate=(fraction)30000/1001, role=(string)imu, "
      "channels=(string)\"qx,qy,qz,qw,gx,gy,gz,ax,ay,az\"");
}

GST_END_TEST;

GST_START_TEST (downstream_s_caps_fill_what_is_open)
{
  expect_caps (
      "robocachetestsrc name=e num-buffers=1 ! other/tensors,dimensions=(string)3,framerate=250/1 ! fakesink name=sink",
      TENSOR "dimensions=(string)3, framerate=(fraction)250/1, role=(string)proprio, channels=(string)\"q0,q1,q2\"");
  expect_caps (
      "robocachetestsrc name=e channels=1 num-buffers=1 ! other/tensors,framerate=[1/1,50/1] ! fakesink name=sink",
      TENSOR "dimensions=(string)1, framerate=(fraction)50/1, role=(string)proprio, channels=(string)q0");
  expect_caps (
      "robocachetestsrc name=e kind=points num-buffers=1 ! application/x-pointcloud,framerate=7/1 ! fakesink name=sink",
      "application/x-pointcloud, fields=(string)\"x,y,z,intensity\", type=(string)float32, framerate=(fraction)7/1");
}

GST_END_TEST;

GST_START_TEST (downstream_s_spelling_is_kept)
{
  expect_caps (
      "robocachetestsrc name=e channels=3 num-buffers=1 ! other/tensors,dimensions=(string)3:1:1 ! fakesink name=sink",
      TENSOR
      "dimensions=(string)3:1:1, framerate=(fraction)100/1, role=(string)proprio, channels=(string)\"q0,q1,q2\"");
  expect_caps ("robocachetestsrc name=e channels=3 num-buffers=1 ! other/tensors,dimensions=3 ! fakesink name=sink",
      TENSOR "dimensions=(int)3, framerate=(fraction)100/1, role=(string)proprio, channels=(string)\"q0,q1,q2\"");
}

GST_END_TEST;

GST_START_TEST (caps_that_are_refused)
{
  GstElement *src;
  static const gchar *refused[] = { "other/tensors, dimensions=(string)7", "other/tensors, framerate=(fraction)20/1",
    "other/tensors, types=(string)float64", "application/x-pointcloud", "video/x-raw"
  };

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    GstCaps *caps = gst_caps_from_string (refused[i]), *ours;
    GstPad *pad;

    src = gst_element_factory_make ("robocachetestsrc", NULL);
    g_object_set (src, "channels", 6, "rate", 100, 1, NULL);
    pad = gst_element_get_static_pad (src, "src");
    ours = gst_pad_query_caps (pad, caps);
    fail_unless (gst_caps_is_empty (ours), "%s: %" GST_PTR_FORMAT, refused[i], ours);
    gst_caps_unref (ours);
    gst_caps_unref (caps);
    gst_object_unref (pad);
    gst_object_unref (src);
  }
}

GST_END_TEST;

GST_START_TEST (a_refusal_on_the_way_is_one_error)
{
  expect_error ("robocachetestsrc name=e num-buffers=1 ! other/tensors,dimensions=(string)3:2 ! fakesink name=sink",
      "downstream accepts only");
  expect_error (
      "robocachetestsrc name=e kind=imu num-buffers=1 ! other/tensors,dimensions=(string)7 ! fakesink name=sink",
      "channels=7 is not a multiple of 10");
}

GST_END_TEST;

/* ---- settings that make no sense ---- */

GST_START_TEST (settings_that_make_no_sense)
{
  expect_error ("robocachetestsrc name=e kind=force channels=7 ! fakesink name=sink", "multiple of 6");
  expect_error ("robocachetestsrc name=e kind=imu channels=4 ! fakesink name=sink", "multiple of 10");
  expect_error ("robocachetestsrc name=e gap=1000000000 ! fakesink name=sink", "gap=1000000000 leaves no row");
  expect_error ("robocachetestsrc name=e gap=5 gap-interval=4 ! fakesink name=sink", "gap-interval=4");
  expect_error ("robocachetestsrc name=e drop=1 ! fakesink name=sink", "drop=1 leaves no row");
  expect_error ("robocachetestsrc name=e rate=2000000000 ! fakesink name=sink", "rate=2000000000/1");
}

GST_END_TEST;

GST_START_TEST (every_property_reads_back)
{
  GstElement *e = gst_element_factory_make ("robocachetestsrc", NULL);
  gint kind, num, den;
  guint channels;
  guint64 jitter, gap, interval, seed;
  gdouble drop, disorder;
  gboolean live;
  GValue rate = G_VALUE_INIT;

  g_object_set (e, "kind", ROBOCACHE_TEST_IMU, "rate", 30000, 1001, "channels", 20, "jitter", G_GUINT64_CONSTANT (5),
      "drop", 0.25, "disorder", 0.5, "gap", G_GUINT64_CONSTANT (6), "gap-interval", G_GUINT64_CONSTANT (7), "seed",
      G_MAXUINT64, "is-live", TRUE, NULL);
  g_object_get (e, "kind", &kind, "channels", &channels, "jitter", &jitter, "drop", &drop, "disorder", &disorder, "gap",
      &gap, "gap-interval", &interval, "seed", &seed, "is-live", &live, NULL);
  g_value_init (&rate, GST_TYPE_FRACTION);
  g_object_get_property (G_OBJECT (e), "rate", &rate);
  num = gst_value_get_fraction_numerator (&rate);
  den = gst_value_get_fraction_denominator (&rate);
  fail_unless (kind == ROBOCACHE_TEST_IMU && num == 30000 && den == 1001 && channels == 20 && jitter == 5
               && drop == 0.25 && disorder == 0.5 && gap == 6 && interval == 7 && seed == G_MAXUINT64 && live);
  g_value_unset (&rate);
  gst_object_unref (e);
}

GST_END_TEST;

/* ---- faults ---- */

GST_START_TEST (jitter_is_bounded_and_two_sided)
{
  Output out =
      run_pipeline ("robocachetestsrc name=e rate=100 jitter=2000000 seed=1 num-buffers=2000 ! fakesink name=sink");
  gint64 least = G_MAXINT64, most = G_MININT64;

  for (guint i = 0; i < 2000; i++) {
    const gint64 off = (gint64) output_pts (&out, i) - (gint64) i * 10000000;

    fail_unless (ABS (off) <= 2000000);
    least = MIN (least, off);
    most = MAX (most, off);
  }
  fail_unless (least < -1900000 && most > 1900000);
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (jitter_never_makes_a_time_negative)
{
  guint at_zero = 0;

  for (guint seed = 0; seed < 20; seed++) {
    gchar *line =
        g_strdup_printf ("robocachetestsrc name=e jitter=2000000 seed=%u num-buffers=1 ! fakesink name=sink", seed);
    Output out = run_pipeline (line);

    fail_unless (output_pts (&out, 0) <= 2000000);
    at_zero += output_pts (&out, 0) == 0;
    output_clear (&out);
    g_free (line);
  }
  fail_unless (at_zero > 2 && at_zero < 18);
}

GST_END_TEST;

static GstElement *
parse_pipeline (const gchar *description, GstElement **element)
{
  GstElement *pipeline = gst_parse_launch (description, NULL);

  *element = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  return pipeline;
}

GST_START_TEST (dropped_rows_are_missing_and_counted)
{
  GstElement *e;
  GstElement *pipeline = parse_pipeline ("robocachetestsrc name=e drop=0.2 num-buffers=1000 ! fakesink name=sink", &e);
  Output out = play_to_end (pipeline);
  guint64 k = 0, lost = 0;

  for (guint i = 0; i < out.buffers->len; i++, k++) {
    lost += GST_BUFFER_OFFSET (output_buffer (&out, i)) - k;
    k = GST_BUFFER_OFFSET (output_buffer (&out, i));
    fail_unless_equals_uint64 (output_pts (&out, i), k * 10000000);
  }
  fail_unless_equals_int (out.buffers->len, 1000);
  fail_unless (lost > 180 && lost < 330);
  fail_unless_equals_uint64 (stats_uint64 (e, "dropped"), lost);
  fail_unless_equals_uint64 (stats_uint64 (e, "rows"), 1000);
  output_clear (&out);
  gst_object_unref (e);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (swapped_pairs_are_counted)
{
  GstElement *e;
  GstElement *pipeline = parse_pipeline ("robocachetestsrc name=e disorder=0.3 num-buffers=1000 ! fakesink name=sink",
      &e);
  Output out = play_to_end (pipeline);
  guint swapped = 0;

  for (guint i = 0; i < 1000; i += 2) {
    const guint64 a = GST_BUFFER_OFFSET (output_buffer (&out, i)), b = GST_BUFFER_OFFSET (output_buffer (&out, i + 1));

    fail_unless ((a == i && b == i + 1) || (a == i + 1 && b == i));
    swapped += a > b;
  }
  fail_unless (swapped > 120 && swapped < 180);
  fail_unless_equals_uint64 (stats_uint64 (e, "swapped"), swapped);
  output_clear (&out);
  gst_object_unref (e);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (a_silence_begins_at_each_interval)
{
  GstElement *e;
  GstElement *pipeline = parse_pipeline ("robocachetestsrc name=e gap=50000000 gap-interval=200000000 num-buffers=60 "
                                  "jitter=3000000 ! fakesink name=sink",
          &e);
  Output out = play_to_end (pipeline);
  guint64 k = 0;

  for (guint i = 0; i < 60; i++, k++) {
    while (k >= 20 && k % 20 < 5)
      k++;
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (output_buffer (&out, i)), k);
  }
  fail_unless_equals_uint64 (stats_uint64 (e, "silent"), k - 60);
  output_clear (&out);
  gst_object_unref (e);
  gst_object_unref (pipeline);
}

GST_END_TEST;

static GBytes *
bytes_of (const gchar *description)
{
  Output out = run_pipeline (description);
  GBytes *bytes = output_bytes (&out);

  output_clear (&out);
  return bytes;
}

#define FAULTY "jitter=2000000 drop=0.1 disorder=0.2 gap=30000000 gap-interval=300000000 num-buffers=200 "

GST_START_TEST (the_seed_decides)
{
  GBytes *one = bytes_of ("robocachetestsrc name=e seed=1 " FAULTY "! fakesink name=sink");
  GBytes *again = bytes_of ("robocachetestsrc name=e seed=1 " FAULTY "! fakesink name=sink");
  GBytes *other = bytes_of ("robocachetestsrc name=e seed=2 " FAULTY "! fakesink name=sink");

  fail_unless (g_bytes_equal (one, again));
  fail_if (g_bytes_equal (one, other));
  g_bytes_unref (one);
  g_bytes_unref (again);
  g_bytes_unref (other);
}

GST_END_TEST;

GST_START_TEST (ten_runs_of_one_pipeline_are_the_same)
{
  GstElement *e, *pipeline = parse_pipeline ("robocachetestsrc name=e " FAULTY "! fakesink name=sink", &e);
  GBytes *expected = NULL;

  for (guint i = 0; i < 10; i++) {
    Output out = play_to_end (pipeline);
    GBytes *bytes = output_bytes (&out);

    fail_unless_equals_uint64 (stats_uint64 (e, "rows"), 200);
    if (!expected)
      expected = g_bytes_ref (bytes);
    fail_unless (g_bytes_equal (expected, bytes));
    g_bytes_unref (bytes);
    output_clear (&out);
  }
  g_bytes_unref (expected);
  gst_object_unref (e);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* ---- seek ---- */

/* Seeks a paused pipeline and plays it to the end. */
static Output
seek_and_play (const gchar *description, GstClockTime start, GstClockTime stop)
{
  GstElement *e, *pipeline = parse_pipeline (description, &e);
  Output out;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
  fail_unless (gst_element_seek (pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
          GST_SEEK_TYPE_SET, (gint64) start, GST_SEEK_TYPE_SET, (gint64) stop));
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
  out = play_to_end (pipeline);
  gst_object_unref (e);
  gst_object_unref (pipeline);
  return out;
}

static gint
compare_pts (gconstpointer a, gconstpointer b)
{
  const GstClockTime x = GST_BUFFER_PTS (*(GstBuffer **) a), y = GST_BUFFER_PTS (*(GstBuffer **) b);

  return x < y ? -1 : x > y;
}

GST_START_TEST (a_seek_gives_the_same_rows)
{
  const gchar *line = "robocachetestsrc name=e " FAULTY "! fakesink name=sink";
  Output whole = run_pipeline (line), part = seek_and_play (line, 503000000, 1204000000);
  guint n = 0;

  for (guint i = 0; i < whole.buffers->len; i++) {
    const GstClockTime t = output_pts (&whole, i);

    if (t < 503000000 || t >= 1204000000)
      continue;
    fail_unless_equals_uint64 (output_pts (&part, n), t);
    fail_unless (output_value (&part, n, 0) == output_value (&whole, i, 0));
    n++;
  }
  fail_unless_equals_int (part.buffers->len, n);
  fail_unless (n > 50);
  g_ptr_array_sort (part.buffers, compare_pts);
  fail_unless (output_pts (&part, 0) >= 503000000);
  output_clear (&whole);
  output_clear (&part);
}

GST_END_TEST;

GST_START_TEST (a_seek_does_not_make_a_recording_longer)
{
  Output out =
      seek_and_play ("robocachetestsrc name=e num-buffers=100 ! fakesink name=sink", 900000000, GST_CLOCK_TIME_NONE);

  fail_unless_equals_int (out.buffers->len, 10);
  fail_unless_equals_uint64 (output_pts (&out, 0), 900000000);
  output_clear (&out);
  out = seek_and_play (
      "robocachetestsrc name=e num-buffers=100 drop=0.5 ! fakesink name=sink", 500000000, GST_CLOCK_TIME_NONE);
  fail_unless (out.buffers->len > 55 && out.buffers->len < 95);
  output_clear (&out);
}

GST_END_TEST;

/* Reached by a seek, not by playing: the rows of the last second of a week. */
GST_START_TEST (a_week_of_rows_has_exact_times)
{
  const guint64 week_s = 7 * 24 * 3600;
  Output out = seek_and_play ("robocachetestsrc name=e rate=1000/3 channels=1 ! fakesink name=sink",
      (week_s - 1) * GST_SECOND, week_s * GST_SECOND);
  guint64 k = GST_BUFFER_OFFSET (output_buffer (&out, 0));

  fail_unless_equals_uint64 (k, ((week_s - 1) * 1000 + 2) / 3);
  for (guint i = 0; i < out.buffers->len; i++, k++) {
    const guint64 exact = (guint64) ((unsigned __int128) k * 3 * GST_SECOND / 1000);

    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (output_buffer (&out, i)), k);
    fail_unless_equals_uint64 (output_pts (&out, i), exact);
    fail_unless (output_value (&out, i, 0)
        == (gfloat) robocache_test_signal (ROBOCACHE_TEST_PROPRIO, 0, (gint64) exact));
  }
  fail_unless (out.buffers->len == 333 || out.buffers->len == 334);
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (backwards_and_live_are_not_seekable)
{
  GstHarness *h = harness ("num-buffers", 100, NULL);

  gst_harness_play (h);
  gst_buffer_unref (gst_harness_pull (h));
  fail_if (gst_element_seek (
      h->element, -1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, GST_SECOND));
  gst_harness_teardown (h);

  h = harness ("is-live", TRUE, NULL);
  play_first_row (h);
  fail_if (gst_element_seek_simple (h->element, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
  gst_harness_teardown (h);
}

GST_END_TEST;

/* ---- live ---- */

GST_START_TEST (live_rows_are_released_at_their_time)
{
  GstHarness *h = harness ("is-live", TRUE, "rate", 100, 1, "jitter", G_GUINT64_CONSTANT (2000000), "seed",
      G_GUINT64_CONSTANT (3), NULL);
  Output truth =
      run_pipeline ("robocachetestsrc name=e rate=100 jitter=2000000 seed=3 num-buffers=50 ! fakesink name=sink");
  GstTestClock *clock;

  gst_harness_use_testclock (h);
  clock = gst_harness_get_testclock (h);
  gst_harness_play (h);
  for (guint i = 0; i < 50; i++) {
    const GstClockTime t = output_pts (&truth, i);
    GstBuffer *buffer;

    fail_unless (gst_harness_wait_for_clock_id_waits (h, 1, 60));
    fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
    fail_unless_equals_uint64 (gst_test_clock_get_next_entry_time (clock), t);
    fail_unless (gst_harness_crank_single_clock_wait (h));
    buffer = gst_harness_pull (h);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), t);
    gst_buffer_unref (buffer);
  }
  output_clear (&truth);
  gst_object_unref (clock);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (a_dead_live_sensor_sends_nothing)
{
  GstHarness *h = harness ("is-live", TRUE, "drop", 1.0, NULL);

  gst_harness_use_testclock (h);
  gst_harness_play (h);
  for (guint i = 1; i <= 20; i++)
    fail_unless (gst_harness_crank_single_clock_wait (h));
  fail_unless (gst_harness_wait_for_clock_id_waits (h, 1, 60));
  fail_unless_equals_int (gst_harness_buffers_received (h), 0);
  fail_unless_equals_uint64 (stats_uint64 (h->element, "dropped"), 20);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A pause of the pipeline moves the base time; a row that was waited for comes that much later. */
GST_START_TEST (a_pause_shifts_the_release)
{
  GstHarness *h = harness ("is-live", TRUE, "rate", 10, 1, NULL);
  GstTestClock *clock;

  play_first_row (h);
  clock = gst_harness_get_testclock (h);
  fail_unless (gst_harness_wait_for_clock_id_waits (h, 1, 60));
  fail_unless_equals_uint64 (gst_test_clock_get_next_entry_time (clock), 100000000);

  fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_PAUSED), GST_STATE_CHANGE_NO_PREROLL);
  fail_unless (gst_harness_set_time (h, 500000000));
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  gst_element_set_base_time (h->element, 450000000);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  fail_unless (gst_harness_wait_for_clock_id_waits (h, 1, 60));
  fail_unless_equals_uint64 (gst_test_clock_get_next_entry_time (clock), 550000000);
  fail_unless (gst_harness_crank_single_clock_wait (h));
  gst_buffer_unref (gst_harness_pull (h));
  gst_object_unref (clock);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (a_live_source_stops_while_it_waits)
{
  GstHarness *h = harness ("is-live", TRUE, "rate", 1, 3600, NULL);

  play_first_row (h);
  fail_unless (gst_harness_wait_for_clock_id_waits (h, 1, 60));
  fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
expect_latency (gboolean live, GstClockTime jitter, gdouble disorder, GstClockTime expected)
{
  GstHarness *h = harness ("is-live", live, "rate", 100, 1, "jitter", jitter, "disorder", disorder, NULL);
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean is_live;

  gst_harness_use_testclock (h);
  if (live)
    gst_harness_play (h);
  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_latency (query, &is_live, &min, &max);
  fail_unless (is_live == live);
  fail_unless_equals_uint64 (min, expected);
  fail_unless_equals_uint64 (max, GST_CLOCK_TIME_NONE);
  gst_query_unref (query);
  gst_harness_teardown (h);
}

GST_START_TEST (latency)
{
  expect_latency (FALSE, 0, 0.0, 0);
  expect_latency (FALSE, 2000000, 0.5, 0);
  expect_latency (TRUE, 0, 0.0, 0);
  expect_latency (TRUE, 5000000, 0.0, 0);
  expect_latency (TRUE, 6000000, 0.0, 2000000);
  expect_latency (TRUE, 0, 0.1, 10000000);
  expect_latency (TRUE, 2000000, 0.1, 14000000);
}

GST_END_TEST;

/* ---- queries and events ---- */

GST_START_TEST (duration_position_and_seeking)
{
  GstElement *e, *pipeline = parse_pipeline ("robocachetestsrc name=e num-buffers=50 ! fakesink name=sink", &e);
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gint64 value = -1;
  gboolean seekable;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  fail_unless (gst_element_query_duration (e, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 500000000);
  fail_unless (gst_element_query (e, query));
  gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  fail_unless (seekable);
  fail_unless (gst_element_query_position (e, GST_FORMAT_TIME, &value));
  gst_query_unref (query);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (e);
  gst_object_unref (pipeline);

  e = gst_element_factory_make ("robocachetestsrc", NULL);
  fail_if (gst_element_query_duration (e, GST_FORMAT_TIME, &value));
  g_object_set (e, "num-buffers", 50, "rate", 10, 1, NULL);
  fail_unless (gst_element_query_duration (e, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 5 * GST_SECOND);
  gst_object_unref (e);
}

GST_END_TEST;

GST_START_TEST (segment_is_time_from_zero)
{
  GstHarness *h = harness ("num-buffers", 1, NULL);
  const GstSegment *segment = NULL;
  GstEvent *event;

  gst_harness_play (h);
  gst_buffer_unref (gst_harness_pull (h));
  event = gst_pad_get_sticky_event (h->sinkpad, GST_EVENT_SEGMENT, 0);
  gst_event_parse_segment (event, &segment);
  fail_unless (segment->format == GST_FORMAT_TIME && segment->start == 0 && segment->base == 0 && segment->rate == 1.0);
  gst_event_unref (event);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (zero_buffers_is_only_eos)
{
  Output out = run_pipeline ("robocachetestsrc name=e num-buffers=0 ! fakesink name=sink");

  fail_unless_equals_int (out.buffers->len, 0);
  fail_unless_equals_int (out.n_errors, 0);
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (an_eos_event_ends_a_live_source)
{
  GstHarness *h = harness ("is-live", TRUE, NULL);
  gboolean eos = FALSE;

  play_first_row (h);
  fail_unless (gst_harness_wait_for_clock_id_waits (h, 1, 60));
  gst_element_send_event (h->element, gst_event_new_eos ());
  while (!eos) {
    GstEvent *event = gst_harness_pull_event (h);

    fail_unless (event != NULL);
    eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (properties_set_while_running_wait_for_the_next_run)
{
  GstElement *e;
  GstElement *pipeline = parse_pipeline ("robocachetestsrc name=e num-buffers=20 channels=3 ! fakesink name=sink", &e);
  Output out;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  g_object_set (e, "kind", ROBOCACHE_TEST_FORCE, "channels", 6, "drop", 0.9, NULL);
  out = play_to_end (pipeline);
  for (guint i = 0; i < out.buffers->len; i++)
    fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, i)), 12);
  fail_unless_equals_uint64 (stats_uint64 (e, "dropped"), 0);
  output_clear (&out);
  out = play_to_end (pipeline);
  fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 0)), 24);
  fail_unless (stats_uint64 (e, "dropped") > 50);
  output_clear (&out);
  gst_object_unref (e);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* ---- GStreamer's contract ---- */

GST_START_TEST (segment_seeks_end_with_segment_done)
{
  static const GstClockTime stops[] = { 500 * GST_MSECOND, 700 * GST_MSECOND, GST_CLOCK_TIME_NONE };
  static const gint n_rows[] = { 50, 20, 30 };

  expect_segments ("robocachetestsrc name=e num-buffers=100 ! fakesink name=sink", stops, n_rows, G_N_ELEMENTS (stops));
}

GST_END_TEST;

/* Pauses of all lengths up to some 100 us: the streaming thread sees them begin, end, or neither. */
GST_START_TEST (short_pauses_do_not_end_a_live_source)
{
  GstHarness *h = harness ("is-live", TRUE, "rate", 100, 1, NULL);

  play_first_row (h);
  for (guint i = 0; i < 500; i++) {
    gst_element_set_state (h->element, GST_STATE_PAUSED);
    for (volatile guint spin = 0; spin < i * 100; spin++);
    gst_element_set_state (h->element, GST_STATE_PLAYING);
    fail_unless (gst_harness_crank_single_clock_wait (h));
    gst_buffer_unref (gst_harness_pull (h));
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

static gboolean
propose_pool (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstBufferPool *pool = pad->querydata;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);
  gst_query_add_allocation_pool (query, pool, 1, 2, 0);
  return TRUE;
}

GST_START_TEST (downstream_s_pool_is_used)
{
  GstHarness *h = harness ("num-buffers", 3, "channels", 6, NULL);
  GstBufferPool *pool = gst_buffer_pool_new ();

  gst_pad_set_query_function_full (h->sinkpad, propose_pool, pool, gst_object_unref);
  gst_harness_play (h);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = gst_harness_pull (h);

    fail_unless (buffer->pool == pool);
    fail_unless_equals_int (gst_buffer_get_size (buffer), 24);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

static GRand *random_numbers;

static void
set_a_property (GstElement *sink, GstBuffer *buffer, GstPad *pad, GObject *element)
{
  set_random_property (random_numbers, element);
}

GST_START_TEST (any_property_set_while_data_flows)
{
  static const gchar *const kinds[] = { "proprio", "force jitter=100000 drop=0.1", "points channels=10" };

  random_numbers = g_rand_new_with_seed (17);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    gchar *line = g_strdup_printf ("robocachetestsrc name=e kind=%s num-buffers=500 ! fakesink name=sink", kinds[i]);
    GstElement *e, *pipeline = parse_pipeline (line, &e), *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
    Output out;

    g_signal_connect (sink, "handoff", G_CALLBACK (set_a_property), e);
    out = play_to_end (pipeline);
    fail_unless_equals_int (out.n_errors, 0);
    fail_unless (out.n_warnings > 450);
    fail_unless_equals_int (out.buffers->len, 500);
    output_clear (&out);
    gst_object_unref (sink);
    gst_object_unref (e);
    gst_object_unref (pipeline);
    g_free (line);
  }
  g_rand_free (random_numbers);
}

GST_END_TEST;

GST_START_TEST (logs)
{
  static const gchar *const expected[] = { "INFO caps other/tensors", "LOG row 3 at 0:00:00.03", "LOG row 0 is dropped",
    "DEBUG seek to 0:00:00.0", NULL
  };
  Logs *logs = logs_begin ("robocachetestsrc");
  Output out = run_pipeline ("robocachetestsrc name=e drop=0.5 seed=3 num-buffers=20 ! fakesink name=sink");

  output_clear (&out);
  logs_end (logs, expected);
}

GST_END_TEST;

static Suite *
robocachetestsrc_suite (void)
{
  Suite *suite = suite_create ("robocachetestsrc");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, times_are_the_exact_grid);
  tcase_add_test (tc, values_are_the_closed_form_at_the_row_s_own_time);
  tcase_add_test (tc, points_are_the_room);
  tcase_add_test (tc, caps_of_each_kind);
  tcase_add_test (tc, downstream_s_caps_fill_what_is_open);
  tcase_add_test (tc, downstream_s_spelling_is_kept);
  tcase_add_test (tc, caps_that_are_refused);
  tcase_add_test (tc, a_refusal_on_the_way_is_one_error);
  tcase_add_test (tc, settings_that_make_no_sense);
  tcase_add_test (tc, every_property_reads_back);
  tcase_add_test (tc, jitter_is_bounded_and_two_sided);
  tcase_add_test (tc, jitter_never_makes_a_time_negative);
  tcase_add_test (tc, dropped_rows_are_missing_and_counted);
  tcase_add_test (tc, swapped_pairs_are_counted);
  tcase_add_test (tc, a_silence_begins_at_each_interval);
  tcase_add_test (tc, the_seed_decides);
  tcase_add_test (tc, ten_runs_of_one_pipeline_are_the_same);
  tcase_add_test (tc, a_seek_gives_the_same_rows);
  tcase_add_test (tc, a_seek_does_not_make_a_recording_longer);
  tcase_add_test (tc, a_week_of_rows_has_exact_times);
  tcase_add_test (tc, backwards_and_live_are_not_seekable);
  tcase_add_test (tc, live_rows_are_released_at_their_time);
  tcase_add_test (tc, a_dead_live_sensor_sends_nothing);
  tcase_add_test (tc, a_pause_shifts_the_release);
  tcase_add_test (tc, a_live_source_stops_while_it_waits);
  tcase_add_test (tc, latency);
  tcase_add_test (tc, duration_position_and_seeking);
  tcase_add_test (tc, segment_is_time_from_zero);
  tcase_add_test (tc, zero_buffers_is_only_eos);
  tcase_add_test (tc, an_eos_event_ends_a_live_source);
  tcase_add_test (tc, properties_set_while_running_wait_for_the_next_run);
  tcase_add_test (tc, segment_seeks_end_with_segment_done);
  tcase_add_test (tc, short_pauses_do_not_end_a_live_source);
  tcase_add_test (tc, downstream_s_pool_is_used);
  tcase_add_test (tc, any_property_set_while_data_flows);
  tcase_add_test (tc, logs);
  return suite;
}

GST_CHECK_MAIN (robocachetestsrc);

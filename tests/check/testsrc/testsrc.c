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

typedef struct
{
  GstElement *pipeline, *e;     /* e: the source */
} Source;

static gchar *
describe (const gchar *properties)
{
  return g_strdup_printf ("robocachetestsrc name=e %s ! fakesink name=sink", properties);
}

static Source
source_begin (const gchar *properties)
{
  gchar *line = describe (properties);
  Source source = { gst_parse_launch (line, NULL) };

  source.e = gst_bin_get_by_name (GST_BIN (source.pipeline), "e");
  g_free (line);
  return source;
}

static void
source_end (Source *source)
{
  gst_element_set_state (source->pipeline, GST_STATE_NULL);
  gst_object_unref (source->e);
  gst_object_unref (source->pipeline);
}

static Output
run_source (const gchar *properties)
{
  gchar *line = describe (properties);
  Output out = run_pipeline (line);

  g_free (line);
  return out;
}

/* ---- rows and caps ---- */

GST_START_TEST (times_are_the_exact_grid)
{
  const RobocacheTickGrid grid = { 1000, 3 };
  Output out = run_source ("rate=1000/3 num-buffers=1000");

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
    gchar *properties = g_strdup_printf ("kind=%s jitter=700000 seed=5 num-buffers=300", cases[n].name);
    Output out = run_source (properties);
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
    g_free (properties);
  }
}

GST_END_TEST;

GST_START_TEST (points_are_the_room)
{
  Output out = run_source ("kind=points channels=500 num-buffers=3");
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

#define TENSOR "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "

/* Downstream's caps fill what is open, and their spelling is kept. */
GST_START_TEST (caps)
{
  static const struct
  {
    const gchar *properties, *expected;
  } cases[] = {
    {"channels=2", TENSOR "dimensions=(string)2, framerate=(fraction)100/1, role=(string)proprio, channels=(string)\"q0,q1\""},
    {"kind=force", TENSOR "dimensions=(string)6, framerate=(fraction)1000/1, role=(string)force, "
          "channels=(string)\"fx,fy,fz,tx,ty,tz\""},
    {"kind=imu rate=30000/1001", TENSOR "dimensions=(string)10, framerate=(fraction)30000/1001, role=(string)imu, "
          "channels=(string)\"qx,qy,qz,qw,gx,gy,gz,ax,ay,az\""},
    {"! other/tensors,dimensions=(string)3,framerate=250/1",
          TENSOR "dimensions=(string)3, framerate=(fraction)250/1, role=(string)proprio, channels=(string)\"q0,q1,q2\""},
    {"channels=1 ! other/tensors,framerate=[1/1,50/1]",
          TENSOR "dimensions=(string)1, framerate=(fraction)50/1, role=(string)proprio, channels=(string)q0"},
    {"kind=points ! application/x-pointcloud,framerate=7/1",
        "application/x-pointcloud, fields=(string)\"x,y,z,intensity\", type=(string)float32, framerate=(fraction)7/1"},
    {"channels=3 ! other/tensors,dimensions=(string)3:1:1",
          TENSOR "dimensions=(string)3:1:1, framerate=(fraction)100/1, role=(string)proprio, channels=(string)\"q0,q1,q2\""},
    {"channels=3 ! other/tensors,dimensions=3",
          TENSOR "dimensions=(int)3, framerate=(fraction)100/1, role=(string)proprio, channels=(string)\"q0,q1,q2\""},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *properties = g_strconcat ("num-buffers=1 ", cases[i].properties, NULL);
    Output out = run_source (properties);
    GstCaps *caps = gst_caps_from_string (cases[i].expected);

    fail_unless (gst_caps_is_equal (out.caps, caps), "%" GST_PTR_FORMAT, out.caps);
    gst_caps_unref (caps);
    output_clear (&out);
    g_free (properties);
  }
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

GST_START_TEST (errors)
{
  static const gchar *const cases[][2] = {
    {"num-buffers=1 ! other/tensors,dimensions=(string)3:2", "downstream accepts only"},
    {"kind=imu num-buffers=1 ! other/tensors,dimensions=(string)7", "channels=7 is not a multiple of 10"},
    {"kind=force channels=7", "multiple of 6"}, {"kind=imu channels=4", "multiple of 10"},
    {"gap=1000000000", "gap=1000000000 leaves no row"}, {"gap=5 gap-interval=4", "gap-interval=4"},
    {"drop=1", "drop=1 leaves no row"}, {"rate=2000000000", "rate=2000000000/1"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *line = describe (cases[i][0]);

    expect_error (line, cases[i][1]);
    g_free (line);
  }
}

GST_END_TEST;

/* ---- faults ---- */

GST_START_TEST (jitter_is_bounded_and_two_sided)
{
  Output out =
      run_source ("rate=100 jitter=2000000 seed=1 num-buffers=2000");
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
    gchar *properties = g_strdup_printf ("jitter=2000000 seed=%u num-buffers=1", seed);
    Output out = run_source (properties);

    fail_unless (output_pts (&out, 0) <= 2000000);
    at_zero += output_pts (&out, 0) == 0;
    output_clear (&out);
    g_free (properties);
  }
  fail_unless (at_zero > 2 && at_zero < 18);
}

GST_END_TEST;

GST_START_TEST (dropped_rows_are_missing_and_counted)
{
  Source source = source_begin ("drop=0.2 num-buffers=1000");
  Output out = play_to_end (source.pipeline);
  guint64 k = 0, lost = 0;

  for (guint i = 0; i < out.buffers->len; i++, k++) {
    lost += GST_BUFFER_OFFSET (output_buffer (&out, i)) - k;
    k = GST_BUFFER_OFFSET (output_buffer (&out, i));
    fail_unless_equals_uint64 (output_pts (&out, i), k * 10000000);
  }
  fail_unless_equals_int (out.buffers->len, 1000);
  fail_unless (lost > 180 && lost < 330);
  fail_unless_equals_uint64 (stats_uint64 (source.e, "dropped"), lost);
  fail_unless_equals_uint64 (stats_uint64 (source.e, "rows"), 1000);
  output_clear (&out);
  source_end (&source);
}

GST_END_TEST;

GST_START_TEST (swapped_pairs_are_counted)
{
  Source source = source_begin ("disorder=0.3 num-buffers=1000");
  Output out = play_to_end (source.pipeline);
  guint swapped = 0;

  for (guint i = 0; i < 1000; i += 2) {
    const guint64 a = GST_BUFFER_OFFSET (output_buffer (&out, i)), b = GST_BUFFER_OFFSET (output_buffer (&out, i + 1));

    fail_unless ((a == i && b == i + 1) || (a == i + 1 && b == i));
    swapped += a > b;
  }
  fail_unless (swapped > 120 && swapped < 180);
  fail_unless_equals_uint64 (stats_uint64 (source.e, "swapped"), swapped);
  output_clear (&out);
  source_end (&source);
}

GST_END_TEST;

GST_START_TEST (a_silence_begins_at_each_interval)
{
  Source source = source_begin ("gap=50000000 gap-interval=200000000 num-buffers=60 jitter=3000000");
  Output out = play_to_end (source.pipeline);
  guint64 k = 0;

  for (guint i = 0; i < 60; i++, k++) {
    while (k >= 20 && k % 20 < 5)
      k++;
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (output_buffer (&out, i)), k);
  }
  fail_unless_equals_uint64 (stats_uint64 (source.e, "silent"), k - 60);
  output_clear (&out);
  source_end (&source);
}

GST_END_TEST;

#define FAULTY "jitter=2000000 drop=0.1 disorder=0.2 gap=30000000 gap-interval=300000000 num-buffers=200 "

/* The same in ten runs of one pipeline, and only with the same seed. */
GST_START_TEST (the_seed_decides)
{
  GBytes *expected = NULL;

  for (guint i = 0; i < 3; i++) {
    Source source = source_begin (i < 2 ? "seed=1 " FAULTY : "seed=2 " FAULTY);

    for (guint k = 0; k < 5; k++) {
      Output out = play_to_end (source.pipeline);
      GBytes *bytes = output_bytes (&out);

      fail_unless_equals_uint64 (stats_uint64 (source.e, "rows"), 200);
      if (!expected)
        expected = g_bytes_ref (bytes);
      fail_unless (g_bytes_equal (expected, bytes) == (i < 2));
      g_bytes_unref (bytes);
      output_clear (&out);
    }
    source_end (&source);
  }
  g_bytes_unref (expected);
}

GST_END_TEST;

/* ---- seek ---- */

static void
preroll (const Source *source)
{
  gst_element_set_state (source->pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (gst_element_get_state (source->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE),
      GST_STATE_CHANGE_SUCCESS);
}

/* Seeks a paused source and plays it to the end. */
static Output
seek_and_play (const gchar *properties, GstClockTime start, GstClockTime stop)
{
  Source source = source_begin (properties);
  Output out;

  preroll (&source);
  fail_unless (gst_element_seek (source.pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
          GST_SEEK_TYPE_SET, (gint64) start, GST_SEEK_TYPE_SET, (gint64) stop));
  preroll (&source);
  out = play_to_end (source.pipeline);
  source_end (&source);
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
  Output whole = run_source (FAULTY), part = seek_and_play (FAULTY, 503000000, 1204000000);
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
      seek_and_play ("num-buffers=100", 900000000, GST_CLOCK_TIME_NONE);

  fail_unless_equals_int (out.buffers->len, 10);
  fail_unless_equals_uint64 (output_pts (&out, 0), 900000000);
  output_clear (&out);
  out = seek_and_play ("num-buffers=100 drop=0.5", 500000000, GST_CLOCK_TIME_NONE);
  fail_unless (out.buffers->len > 55 && out.buffers->len < 95);
  output_clear (&out);
}

GST_END_TEST;

/* Reached by a seek, not by playing: the rows of the last second of a week. */
GST_START_TEST (a_week_of_rows_has_exact_times)
{
  const guint64 week_s = 7 * 24 * 3600;
  Output out = seek_and_play ("rate=1000/3 channels=1",
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
      run_source ("rate=100 jitter=2000000 seed=3 num-buffers=50");
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

GST_START_TEST (latency)
{
  static const struct
  {
    gboolean live;
    GstClockTime jitter;
    gdouble disorder;
    GstClockTime expected;
  } cases[] = {
    {FALSE, 0, 0.0, 0}, {FALSE, 2000000, 0.5, 0}, {TRUE, 0, 0.0, 0}, {TRUE, 5000000, 0.0, 0}, {TRUE, 6000000, 0.0, 2000000},
    {TRUE, 0, 0.1, 10000000}, {TRUE, 2000000, 0.1, 14000000},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *h = harness ("is-live", cases[i].live, "rate", 100, 1, "jitter", cases[i].jitter, "disorder",
        cases[i].disorder, NULL);
    GstQuery *query = gst_query_new_latency ();
    GstClockTime min, max;
    gboolean live;

    gst_harness_use_testclock (h);
    if (cases[i].live)
      gst_harness_play (h);
    fail_unless (gst_pad_peer_query (h->sinkpad, query));
    gst_query_parse_latency (query, &live, &min, &max);
    fail_unless_equals_int (live, cases[i].live);
    fail_unless_equals_uint64 (min, cases[i].expected);
    fail_unless_equals_uint64 (max, GST_CLOCK_TIME_NONE);
    gst_query_unref (query);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* ---- queries and events ---- */

GST_START_TEST (duration_position_and_seeking)
{
  Source source = source_begin ("num-buffers=50");
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gint64 value = -1;
  gboolean seekable;

  preroll (&source);
  fail_unless (gst_element_query_duration (source.e, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 500000000);
  fail_unless (gst_element_query (source.e, query));
  gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  fail_unless (seekable);
  fail_unless (gst_element_query_position (source.e, GST_FORMAT_TIME, &value));
  gst_query_unref (query);
  /* stopped, its properties count */
  gst_element_set_state (source.pipeline, GST_STATE_NULL);
  g_object_set (source.e, "rate", 10, 1, NULL);
  fail_unless (gst_element_query_duration (source.e, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 5 * GST_SECOND);
  g_object_set (source.e, "num-buffers", -1, NULL);
  fail_if (gst_element_query_duration (source.e, GST_FORMAT_TIME, &value));
  source_end (&source);
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
  Output out = run_source ("num-buffers=0");

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
  Source source = source_begin ("num-buffers=20 channels=3");
  Output out;

  preroll (&source);
  g_object_set (source.e, "kind", ROBOCACHE_TEST_FORCE, "channels", 6, "drop", 0.9, NULL);
  out = play_to_end (source.pipeline);
  for (guint i = 0; i < out.buffers->len; i++)
    fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, i)), 12);
  fail_unless_equals_uint64 (stats_uint64 (source.e, "dropped"), 0);
  output_clear (&out);
  out = play_to_end (source.pipeline);
  fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 0)), 24);
  fail_unless (stats_uint64 (source.e, "dropped") > 50);
  output_clear (&out);
  source_end (&source);
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

GST_START_TEST (every_property_reads_back)
{
  expect_properties_read_back ("robocachetestsrc");
}

GST_END_TEST;

GST_START_TEST (any_property_set_while_data_flows)
{
  static const gchar *const properties[] = { "num-buffers=500", "num-buffers=500 kind=force jitter=100000 drop=0.1",
    "num-buffers=500 kind=points channels=10"
  };

  random_numbers = g_rand_new_with_seed (17);
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    Source source = source_begin (properties[i]);
    GstElement *sink = gst_bin_get_by_name (GST_BIN (source.pipeline), "sink");
    Output out;

    g_signal_connect (sink, "handoff", G_CALLBACK (set_a_property), source.e);
    out = play_to_end (source.pipeline);
    fail_unless_equals_int (out.n_errors, 0);
    fail_unless (out.n_warnings > 450);
    fail_unless_equals_int (out.buffers->len, 500);
    output_clear (&out);
    gst_object_unref (sink);
    source_end (&source);
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
  Output out = run_source ("drop=0.5 seed=3 num-buffers=20");

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
  tcase_add_test (tc, caps);
  tcase_add_test (tc, caps_that_are_refused);
  tcase_add_test (tc, errors);
  tcase_add_test (tc, every_property_reads_back);
  tcase_add_test (tc, jitter_is_bounded_and_two_sided);
  tcase_add_test (tc, jitter_never_makes_a_time_negative);
  tcase_add_test (tc, dropped_rows_are_missing_and_counted);
  tcase_add_test (tc, swapped_pairs_are_counted);
  tcase_add_test (tc, a_silence_begins_at_each_interval);
  tcase_add_test (tc, the_seed_decides);
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

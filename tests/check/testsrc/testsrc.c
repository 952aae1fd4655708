/* robocache: the simulated robot's sensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gst/testsrc/negotiation.h"
#include "gst/testsrc/testsignal.h"
#include "common/time/tickgrid.h"
#include "tests/check/lib/logs.h"
#include "tests/check/lib/randomproperties.h"
#include "tests/check/lib/runpipeline.h"
#include "tests/check/lib/scenario.h"

static gchar *
describe (const gchar *properties)
{
  return g_strdup_printf ("robocachetestsrc name=e %s ! fakesink name=sink", properties);
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
    const gchar *properties;
    RobocacheTestKind kind;
    guint channels;
  } cases[] = {
    {"kind=proprio jitter=700000 seed=5 num-buffers=300", ROBOCACHE_TEST_PROPRIO, 14},
    {"kind=force jitter=700000 seed=5 num-buffers=300", ROBOCACHE_TEST_FORCE, 6},
    {"kind=imu jitter=700000 seed=5 num-buffers=300", ROBOCACHE_TEST_IMU, 10},
  };

  for (guint n = 0; n < G_N_ELEMENTS (cases); n++) {
    Output out = run_source (cases[n].properties);
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
  }
}

GST_END_TEST;

GST_START_TEST (points_are_the_room)
{
  Output out = run_source ("kind=points channels=500 num-buffers=3");

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
  output_clear (&out);
}

GST_END_TEST;

#define TENSOR "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "

#define CLOUD "application/x-pointcloud, fields=(string)\"x,y,z,intensity\", type=(string)float32, "

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
          "channels=(string)\"qx,qy,qz,qw,gx,gy,gz,ax,ay,az\", kinds=(string)\"quaternion,real*6\""},
    {"! other/tensors,dimensions=(string)3,framerate=250/1",
          TENSOR "dimensions=(string)3, framerate=(fraction)250/1, role=(string)proprio, channels=(string)\"q0,q1,q2\""},
    {"channels=1 ! other/tensors,framerate=[1/1,50/1]",
          TENSOR "dimensions=(string)1, framerate=(fraction)50/1, role=(string)proprio, channels=(string)q0"},
    {"kind=points", CLOUD "framerate=(fraction)10/1"},
    {"kind=points ! application/x-pointcloud,framerate=7/1", CLOUD "framerate=(fraction)7/1"},
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
  static const gchar *const refused[] = { "other/tensors, dimensions=(string)7", "other/tensors, framerate=(fraction)20/1",
    "other/tensors, types=(string)float64", "application/x-pointcloud", "video/x-raw"
  };
  GstHarness *h = element_open ("robocachetestsrc", "channels=6 rate=100/1");

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    GstCaps *caps = gst_caps_from_string (refused[i]), *ours = gst_pad_peer_query_caps (h->sinkpad, caps);

    fail_unless (gst_caps_is_empty (ours), "%s: %" GST_PTR_FORMAT, refused[i], ours);
    gst_caps_unref (ours);
    gst_caps_unref (caps);
  }
  harness_close (h);
}

GST_END_TEST;

/* A refusal has the caps of the settings, also of channels that are no whole sensors. */
GST_START_TEST (refused_caps)
{
  static const struct
  {
    guint channels;
    const gchar *expected;
  } cases[] = {
    {3, "channels=(string)\"qx\\,qy\\,qz\", but downstream"},
    {4, "kinds=(string)quaternion, but downstream"},
    {6, "kinds=(string)\"quaternion\\,real\\*2\", but downstream"},
    {13, "kinds=(string)\"quaternion\\,real\\*9\", but downstream"},
    {14, "kinds=(string)\"quaternion\\,real\\*6\\,quaternion\", but downstream"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCaps *none = gst_caps_new_empty ();
    RobocacheTestSettings settings;
    gchar *refusal;

    robocache_test_settings_init (&settings);
    settings.kind = ROBOCACHE_TEST_IMU;
    settings.channels = cases[i].channels;
    fail_unless (robocache_test_fixed_caps (&settings, none, &refusal) == NULL);
    fail_unless (strstr (refusal, cases[i].expected) != NULL, "%u channels: %s", cases[i].channels, refusal);
    g_free (refusal);
    gst_caps_unref (none);
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
    {"drop=1", "drop=1 loses all rows"}, {"rate=2000000000", "rate=2000000000/1"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Output out = run_source (cases[i][0]);

    expect_complaints (&out, cases[i][1], NULL, cases[i][0]);
    output_clear (&out);
  }
}

GST_END_TEST;

/* The base class sends EOS, with the number of what started the stream. */
GST_START_TEST (a_refusal_ends_the_stream_once)
{
  GstHarness *h = element_open ("robocachetestsrc", "channels=6");
  GstEvent *event, *seek = gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0);
  const guint32 started = gst_event_get_seqnum (seek);

  gst_harness_set_sink_caps_str (h, "other/tensors, dimensions=(string)7");
  fail_unless (gst_element_send_event (h->element, seek));
  gst_harness_play (h);
  while ((event = gst_harness_pull_event (h)) && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    gst_event_unref (event);
  fail_unless (event != NULL);
  fail_unless_equals_int (gst_event_get_seqnum (event), started);
  gst_event_unref (event);
  expect_posted_error (h, "negotiation", "downstream accepts only");
  gst_element_set_state (h->element, GST_STATE_NULL);
  fail_unless (gst_harness_try_pull_event (h) == NULL);
  harness_close (h);
}

GST_END_TEST;

/* ---- faults ---- */

GST_START_TEST (jitter_is_bounded_and_two_sided)
{
  Output out = run_source ("rate=100 jitter=2000000 seed=1 num-buffers=2000");
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
  Output out = run_source ("drop=0.2 num-buffers=1000");
  guint64 k = 0, lost = 0;

  for (guint i = 0; i < out.buffers->len; i++, k++) {
    lost += GST_BUFFER_OFFSET (output_buffer (&out, i)) - k;
    k = GST_BUFFER_OFFSET (output_buffer (&out, i));
    fail_unless_equals_uint64 (output_pts (&out, i), k * 10000000);
  }
  fail_unless_equals_int (out.buffers->len, 1000);
  fail_unless (lost > 180 && lost < 330);
  fail_unless_equals_uint64 (output_count (&out, "dropped"), lost);
  fail_unless_equals_uint64 (output_count (&out, "rows"), 1000);
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (swapped_pairs_are_counted)
{
  Output out = run_source ("disorder=0.3 num-buffers=1000");
  guint swapped = 0;

  for (guint i = 0; i < 1000; i += 2) {
    const guint64 a = GST_BUFFER_OFFSET (output_buffer (&out, i)), b = GST_BUFFER_OFFSET (output_buffer (&out, i + 1));

    fail_unless ((a == i && b == i + 1) || (a == i + 1 && b == i));
    swapped += a > b;
  }
  fail_unless (swapped > 120 && swapped < 180);
  fail_unless_equals_uint64 (output_count (&out, "swapped"), swapped);
  output_clear (&out);
}

GST_END_TEST;

GST_START_TEST (a_silence_begins_at_each_interval)
{
  Output out = run_source ("gap=50000000 gap-interval=200000000 num-buffers=60 jitter=3000000");
  guint64 k = 0;

  for (guint i = 0; i < 60; i++, k++) {
    while (k >= 20 && k % 20 < 5)
      k++;
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (output_buffer (&out, i)), k);
  }
  fail_unless_equals_uint64 (output_count (&out, "silent"), k - 60);
  output_clear (&out);
}

GST_END_TEST;

#define FAULTY "jitter=2000000 drop=0.1 disorder=0.2 gap=30000000 gap-interval=300000000 num-buffers=200 "

static GBytes *
live_five_times (const gchar *properties)
{
  Run run = run_begin (describe (properties));
  GBytes *bytes = expect_equal_lives (&run, 5);

  run_end (&run);
  return bytes;
}

/* And only the same seed gives the same. */
GST_START_TEST (the_seed_decides)
{
  GBytes *first = live_five_times ("seed=1 " FAULTY), *again = live_five_times ("seed=1 " FAULTY);
  GBytes *other = live_five_times ("seed=2 " FAULTY);

  fail_unless (g_bytes_equal (first, again) && !g_bytes_equal (first, other));
  g_bytes_unref (first);
  g_bytes_unref (again);
  g_bytes_unref (other);
}

GST_END_TEST;

/* ---- seek ---- */

/* Seeks a paused source and plays it to the end. */
static Output
seek_and_play (const gchar *properties, GstClockTime start, GstClockTime stop)
{
  Run run = run_begin (describe (properties));
  Output out;

  run_preroll (&run);
  fail_unless (gst_element_seek (run.pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
          GST_SEEK_TYPE_SET, (gint64) start, GST_SEEK_TYPE_SET, (gint64) stop));
  run_preroll (&run);
  out = play_to_end (run.pipeline);
  run_end (&run);
  return out;
}

/* The newest row before a time, as no row is there; its number in the output. */
static guint
row_in_force (const Output *whole, GstClockTime time)
{
  guint newest = G_MAXUINT;

  for (guint i = 0; i < whole->buffers->len; i++) {
    const GstClockTime t = output_pts (whole, i);

    fail_unless (t != time);
    if (t < time && (newest == G_MAXUINT || t > output_pts (whole, newest)))
      newest = i;
  }
  return newest;
}

GST_START_TEST (a_seek_gives_the_same_rows)
{
  Output whole = run_source (FAULTY), part = seek_and_play (FAULTY, 503000000, 1204000000);
  guint n = 1;

  fail_unless_equals_uint64 (output_pts (&part, 0), output_pts (&whole, row_in_force (&whole, 503000000)));
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
  output_clear (&whole);
  output_clear (&part);
}

GST_END_TEST;

/* Wherever it leads to, behind the end, too, where the last row is in force. A sink may drop it, as it is before the segment. */
GST_START_TEST (a_seek_begins_with_the_row_in_force)
{
  Output whole = run_source (FAULTY);

  for (GstClockTime start = 100000001; start < 2600000000; start += 99999999) {
    GstHarness *h = element_open ("robocachetestsrc", FAULTY);
    GstBuffer *row;

    fail_unless (gst_element_seek (h->element, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, (gint64) start,
            GST_SEEK_TYPE_NONE, -1));
    gst_harness_play (h);
    row = gst_harness_pull (h);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (row), GST_BUFFER_OFFSET (output_buffer (&whole, row_in_force (&whole, start))));
    gst_buffer_unref (row);
    harness_close (h);
  }
  output_clear (&whole);
}

GST_END_TEST;

GST_START_TEST (a_seek_does_not_make_a_recording_longer)
{
  Output out = seek_and_play ("num-buffers=100", 900000000, GST_CLOCK_TIME_NONE);

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
  Output out = seek_and_play ("rate=1000/3 channels=1", (week_s - 1) * GST_SECOND, week_s * GST_SECOND);
  guint64 k = GST_BUFFER_OFFSET (output_buffer (&out, 0));

  /* the row before the start is in force there */
  fail_unless_equals_uint64 (k, ((week_s - 1) * 1000 + 2) / 3 - 1);
  for (guint i = 0; i < out.buffers->len; i++, k++) {
    const guint64 exact = (guint64) ((unsigned __int128) k * 3 * GST_SECOND / 1000);

    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (output_buffer (&out, i)), k);
    fail_unless_equals_uint64 (output_pts (&out, i), exact);
    fail_unless (output_value (&out, i, 0)
        == (gfloat) robocache_test_signal (ROBOCACHE_TEST_PROPRIO, 0, (gint64) exact));
  }
  fail_unless (out.buffers->len == 334 || out.buffers->len == 335);
  output_clear (&out);
}

GST_END_TEST;

/* ---- live ---- */

GST_START_TEST (live_rows_are_released_at_their_time)
{
  Output truth = run_source ("rate=100 jitter=2000000 seed=3 num-buffers=50");
  GString *words = g_string_new ("state:playing ");
  Scenario s = {.name = "live rows",.is_source = TRUE };

  s.h = element_open ("robocachetestsrc", "is-live=true rate=100/1 jitter=2000000 seed=3");
  gst_harness_use_testclock (s.h);
  for (guint i = 0; i < 50; i++) {
    const gdouble ms = (gdouble) output_pts (&truth, i) / 1e6;

    g_string_append_printf (words, "wait:%.6f crank:1 >%.6f ", ms, ms);
  }
  scenario_run (&s, words->str);
  g_string_free (words, TRUE);
  output_clear (&truth);
  harness_close (s.h);
}

GST_END_TEST;

/* Words are those of tests/check/lib/scenario.h. A test clock holds a waiter until it is cranked, even at time 0. */
#define FIRST_ROW "state:playing crank:1 >0 "

static const struct
{
  const gchar *name, *properties, *words;
} scenarios[] = {
  {"a dead sensor sends nothing", "is-live=true drop=1", "state:playing crank:20 wait:200 buffers=0 dropped=20"},
  /* a row that was waited for comes later by the base time */
  {"a pause shifts the release", "is-live=true rate=10/1", FIRST_ROW "wait:100 'state:paused=NO PREROLL' time:500 base:450 "
      "state:playing wait:550 crank:1 >100"},
  {"it joins a clock that runs", "is-live=true rate=10/1 num-buffers=2", "time:1005 state:playing wait:1100 crank:1 >1100 wait:1200 crank:1 >1200 >eos"},
  {"it joins at the time of a row", "is-live=true rate=10/1", "time:1100 state:playing crank:1 >1100 wait:1200"},
  {"a row that jitter puts before is left out", "is-live=true rate=10/1 jitter=50000000 seed=3", "time:1001 state:playing wait:1125.173379"},
  {"after READY it joins anew", "is-live=true rate=10/1", FIRST_ROW "wait:100 state:ready time:555 state:playing wait:600 crank:1 >600"},
  {"it stops while it waits", "is-live=true rate=1/3600", FIRST_ROW "wait:3600000 state:null"},
  {"EOS ends it while it waits", "is-live=true", FIRST_ROW "wait:10 eos >eos"},
  {"live is not seekable", "is-live=true", FIRST_ROW "no-seek:0"},
  {"a stop before the start is refused", "num-buffers=1", "state:playing >eos no-seek:2000,1000 seekable=1"},
  {"the segment is time from zero", "num-buffers=1", "state:playing >0 >seg:0,0,1"},
  /* stopped, its properties count */
  {"duration, position and seeking", "num-buffers=50", "state:playing >eos duration=500 position=500 seekable=1 "
      "state:null set:rate=10/1 duration=5000 set:num-buffers=-1 duration=none"},
  {"no buffers", "num-buffers=0", "state:playing >eos buffers=0 errors=0"},
  {"latency of a file", "rate=100/1", "live=0 latency=0 latency-max=none"},
  {"latency of a file with jitter and disorder", "rate=100/1 jitter=2000000 disorder=0.5", "live=0 latency=0 latency-max=none"},
  {"latency", "is-live=true rate=100/1", "state:playing live=1 latency=0 latency-max=none"},
  {"latency of jitter within half a period", "is-live=true rate=100/1 jitter=5000000", "state:playing live=1 latency=0"},
  {"latency of more jitter", "is-live=true rate=100/1 jitter=6000000", "state:playing live=1 latency=2 latency-max=none"},
  {"latency of disorder", "is-live=true rate=100/1 disorder=0.1", "state:playing live=1 latency=10 latency-max=none"},
  {"latency of both", "is-live=true rate=100/1 jitter=2000000 disorder=0.1", "state:playing live=1 latency=14 latency-max=none"},
};

GST_START_TEST (scenario)
{
  Scenario s = {.name = scenarios[__i__].name,.is_source = TRUE };

  s.h = element_open ("robocachetestsrc", scenarios[__i__].properties);
  gst_harness_use_testclock (s.h);
  scenario_run (&s, scenarios[__i__].words);
  harness_close (s.h);
}

GST_END_TEST;

static void
queue_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer queue)
{
  g_async_queue_push (queue, gst_buffer_ref (buffer));
}

/* A pipeline on a test clock, that the source is a part of from the beginning, or joins. */
typedef struct
{
  GstElement *pipeline, *source, *sink;
  GstTestClock *clock;
} Joining;

static void
join (Joining *joining)
{
  gst_bin_add_many (GST_BIN (joining->pipeline), joining->source, joining->sink, NULL);
  fail_unless (gst_element_link (joining->source, joining->sink));
  fail_unless (gst_element_sync_state_with_parent (joining->sink) && gst_element_sync_state_with_parent (joining->source));
}

/* Before the source is in PLAYING its sink is: the clock runs on. */
static GstBusSyncReply
delay_start (GstBus *bus, GstMessage *message, gpointer data)
{
  Joining *joining = data;
  GstState state;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_STATE_CHANGED && GST_MESSAGE_SRC (message) == GST_OBJECT (joining->sink)) {
    gst_message_parse_state_changed (message, NULL, &state, NULL);
    if (state == GST_STATE_PLAYING && gst_clock_get_time (GST_CLOCK (joining->clock)) < NS (250))
      gst_test_clock_set_time (joining->clock, NS (250));
  }
  return GST_BUS_DROP;
}

static void
join_from_the_beginning (Joining *joining)
{
  join (joining);
  gst_element_set_state (joining->pipeline, GST_STATE_PLAYING);
}

static void
join_in_playing (Joining *joining)
{
  gst_element_set_state (joining->pipeline, GST_STATE_PLAYING);
  gst_test_clock_set_time (joining->clock, NS (2050));
  join (joining);
}

static void
join_in_paused (Joining *joining)
{
  gst_element_set_state (joining->pipeline, GST_STATE_PLAYING);
  gst_test_clock_set_time (joining->clock, NS (2050));
  gst_element_set_state (joining->pipeline, GST_STATE_PAUSED);
  gst_test_clock_set_time (joining->clock, NS (9000));
  join (joining);
  gst_element_set_state (joining->pipeline, GST_STATE_PLAYING);
}

static const struct
{
  void (*join) (Joining *);
  guint first_ms, waits_until_ms;       /* the row's time, and that of the clock */
} joins[] = { {join_from_the_beginning, 0, 0}, {join_in_playing, 2100, 2100}, {join_in_paused, 2100, 9050} };

GST_START_TEST (rows_begin_where_the_source_plays)
{
  Joining joining = { gst_pipeline_new (NULL), gst_element_factory_make ("robocachetestsrc", NULL), gst_element_factory_make ("fakesink", NULL),
    GST_TEST_CLOCK (gst_test_clock_new ())
  };
  GstBus *bus = gst_element_get_bus (joining.pipeline);
  GstElement *other = gst_element_factory_make ("fakesink", NULL);
  GAsyncQueue *queue = g_async_queue_new ();
  GstClockID waiting;
  GstBuffer *row;

  g_object_set (other, "async", FALSE, NULL);
  g_object_set (joining.source, "is-live", TRUE, "rate", 10, 1, NULL);
  g_object_set (joining.sink, "sync", FALSE, "async", FALSE, "signal-handoffs", TRUE, NULL);
  g_signal_connect (joining.sink, "handoff", G_CALLBACK (queue_buffer), queue);
  gst_bin_add (GST_BIN (joining.pipeline), other);
  gst_pipeline_use_clock (GST_PIPELINE (joining.pipeline), GST_CLOCK (joining.clock));
  gst_bus_set_sync_handler (bus, delay_start, &joining, NULL);
  joins[__i__].join (&joining);
  gst_test_clock_wait_for_next_pending_id (joining.clock, &waiting);
  fail_unless_equals_uint64 (gst_clock_id_get_time (waiting), NS (joins[__i__].waits_until_ms));
  gst_clock_id_unref (waiting);
  fail_unless (gst_test_clock_crank (joining.clock));
  row = g_async_queue_pop (queue);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (row), NS (joins[__i__].first_ms));
  gst_element_set_state (joining.pipeline, GST_STATE_NULL);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_buffer_unref (row);
  g_async_queue_unref (queue);
  gst_object_unref (bus);
  gst_object_unref (joining.clock);
  gst_object_unref (joining.pipeline);
}

GST_END_TEST;

/* ---- queries and events ---- */

GST_START_TEST (backwards_is_refused)
{
  Run run = run_begin (describe ("num-buffers=100"));

  run_preroll (&run);
  fail_if (gst_element_seek (run.e, -1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
          GST_SECOND));
  run_end (&run);
}

GST_END_TEST;

GST_START_TEST (properties_set_while_running_wait_for_the_next_run)
{
  Run run = run_begin (describe ("num-buffers=20 channels=3"));
  Output out;

  run_preroll (&run);
  g_object_set (run.e, "kind", ROBOCACHE_TEST_FORCE, "channels", 6, "drop", 0.9, NULL);
  out = play_to_end (run.pipeline);
  for (guint i = 0; i < out.buffers->len; i++)
    fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, i)), 12);
  fail_unless_equals_uint64 (output_count (&out, "dropped"), 0);
  output_clear (&out);
  out = play_to_end (run.pipeline);
  fail_unless_equals_int (gst_buffer_get_size (output_buffer (&out, 0)), 24);
  fail_unless (output_count (&out, "dropped") > 50);
  output_clear (&out);
  run_end (&run);
}

GST_END_TEST;

/* ---- GStreamer's contract ---- */

GST_START_TEST (segment_seeks_end_with_segment_done)
{
  static const GstClockTime stops[] = { 500 * GST_MSECOND, 700 * GST_MSECOND, GST_CLOCK_TIME_NONE };
  static const gint n_rows[] = { 50, 20, 30 };
  Run run = run_begin (describe ("num-buffers=100"));

  expect_segments (&run, stops, n_rows, G_N_ELEMENTS (stops));
  run_end (&run);
}

GST_END_TEST;

/* Pauses of all lengths up to some 100 us: the streaming thread sees them begin, end, or neither. */
GST_START_TEST (short_pauses_do_not_end_a_live_source)
{
  GstHarness *h = element_open ("robocachetestsrc", "is-live=true rate=100/1");

  gst_harness_use_testclock (h);
  gst_harness_play (h);
  fail_unless (gst_harness_crank_single_clock_wait (h));
  gst_buffer_unref (gst_harness_pull (h));
  for (guint i = 0; i < 500; i++) {
    gst_element_set_state (h->element, GST_STATE_PAUSED);
    for (volatile guint spin = 0; spin < i * 100; spin++);
    gst_element_set_state (h->element, GST_STATE_PLAYING);
    fail_unless (gst_harness_crank_single_clock_wait (h));
    gst_buffer_unref (gst_harness_pull (h));
  }
  harness_close (h);
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
  GstHarness *h = element_open ("robocachetestsrc", "num-buffers=3 channels=6");
  GstBufferPool *pool = gst_buffer_pool_new ();

  gst_pad_set_query_function_full (h->sinkpad, propose_pool, pool, gst_object_unref);
  gst_harness_play (h);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = gst_harness_pull (h);

    fail_unless (buffer->pool == pool);
    fail_unless_equals_int (gst_buffer_get_size (buffer), 24);
    gst_buffer_unref (buffer);
  }
  harness_close (h);
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
    Run run = run_begin (describe (properties[i]));
    GstElement *sink = gst_bin_get_by_name (GST_BIN (run.pipeline), "sink");
    Output out;

    g_signal_connect (sink, "handoff", G_CALLBACK (set_a_property), run.e);
    out = play_to_end (run.pipeline);
    fail_unless_equals_int (out.n_errors, 0);
    fail_unless (out.n_warnings > 450);
    fail_unless_equals_int (out.buffers->len, 500);
    output_clear (&out);
    gst_object_unref (sink);
    run_end (&run);
  }
  g_rand_free (random_numbers);
}

GST_END_TEST;

GST_START_TEST (logs)
{
  static const gchar *const expected[] = { "INFO sends other/tensors", "LOG row 3 at 0:00:00.03", "LOG row 0 at 0:00:00.0",
    "DEBUG seek to 0:00:00.0", NULL
  };
  Logs *logs = logs_begin ("robocachetestsrc");
  Output out = run_source ("drop=0.5 seed=3 num-buffers=20");

  output_clear (&out);
  logs_end (logs, expected);
}

GST_END_TEST;

CHECK_MAIN (robocachetestsrc, NULL, NULL, ONCE (times_are_the_exact_grid), ONCE (values_are_the_closed_form_at_the_row_s_own_time),
  ONCE (points_are_the_room), ONCE (caps), ONCE (caps_that_are_refused), ONCE (refused_caps), ONCE (errors), ONCE (a_refusal_ends_the_stream_once),
  ONCE (every_property_reads_back), ONCE (jitter_is_bounded_and_two_sided), ONCE (jitter_never_makes_a_time_negative),
  ONCE (dropped_rows_are_missing_and_counted), ONCE (swapped_pairs_are_counted), ONCE (a_silence_begins_at_each_interval), ONCE (the_seed_decides),
  ONCE (a_seek_gives_the_same_rows), ONCE (a_seek_begins_with_the_row_in_force), ONCE (a_seek_does_not_make_a_recording_longer),
  ONCE (a_week_of_rows_has_exact_times), EACH (scenarios, scenario), ONCE (live_rows_are_released_at_their_time),
  EACH (joins, rows_begin_where_the_source_plays), ONCE (backwards_is_refused), ONCE (properties_set_while_running_wait_for_the_next_run),
  ONCE (segment_seeks_end_with_segment_done), ONCE (short_pauses_do_not_end_a_live_source), ONCE (downstream_s_pool_is_used),
  ONCE (any_property_set_while_data_flows), ONCE (logs))

/* robocache: robocacheresample: times of rows, gaps, events, and the life of a pipeline
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "resampleharness.h"

#include "common/time/tickgrid.h"
#include "tests/check/run_pipeline.h"

static void
push_eos (GstHarness *h)
{
  gst_harness_push_event (h, gst_event_new_eos ());
}

static void
expect_eos (GstHarness *h)
{
  GstEvent *event = pull_event (h, GST_EVENT_EOS);

  fail_unless (event != NULL, "no EOS");
  gst_event_unref (event);
}

/* ---- when a tick goes out ---- */

GST_START_TEST (test_eos_without_caps)
{
  GstHarness *h = harness_open (LIVE, "rate=100/1");

  gst_harness_push_event (h, gst_event_new_stream_start ("test"));
  push_eos (h);
  expect_eos (h);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  harness_close (h);
}

GST_END_TEST;

/* ---- the grid ---- */

#define WEEK (G_GUINT64_CONSTANT (7) * 24 * 3600 * GST_SECOND)

GST_START_TEST (test_a_week_has_no_drift)
{
  static const gint rates[][2] = { {1000, 3}, {30000, 1001}, {7, 1}, {1000000, 1}, {999983, 1000} };
  const gint num = rates[__i__][0], den = rates[__i__][1];
  const RobocacheTickGrid grid = { num, den };
  const guint64 k = gst_util_uint64_scale_ceil (WEEK, num, (guint64) den * GST_SECOND);
  gchar *properties = g_strdup_printf ("rate=%d/%d interpolation=previous", num, den);
  GstHarness *h = harness (LIVE, properties, ONE);

  g_free (properties);
  gst_harness_set_time (h, WEEK);
  push_ns (h, gst_util_uint64_scale (k, den * GST_SECOND, num), 1);
  push_ns (h, gst_util_uint64_scale (k + 5, den * GST_SECOND, num), 2);
  for (guint i = 0; i < 5; i++) {
    GstBuffer *buffer = gst_harness_try_pull (h);
    const GstClockTime tick = gst_util_uint64_scale (k + i, den * GST_SECOND, num);

    fail_unless (buffer != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), tick);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer),
        gst_util_uint64_scale (k + i + 1, den * GST_SECOND, num));
    fail_unless_equals_int64 (robocache_tick_time (&grid, (gint64) (k + i)), (gint64) tick);
    fail_unless_equals_int64 (robocache_tick_at_or_after (&grid, (gint64) tick), (gint64) (k + i));
    gst_buffer_unref (buffer);
  }
  harness_close (h);
}

GST_END_TEST;

/* Rows before a first tick that is an hour away do not pile up. */
GST_START_TEST (test_far_first_tick)
{
  GstHarness *h = harness (__i__, "rate=1/3600", ONE);

  for (guint i = 1; i < 5000; i++)
    push (h, i, (gfloat) i);
  fail_unless (count_of (h, "rows-kept") < 5, "%" G_GUINT64_FORMAT, count_of (h, "rows-kept"));
  expect_balance (h);
  gst_harness_set_time (h, 3601 * GST_SECOND);
  push_ns (h, 3601 * GST_SECOND, 0);
  push_eos (h);
  fail_unless_equals_uint64 (count_of (h, "ticks-out"), 1);
  harness_close (h);
}

GST_END_TEST;

/* ---- times of rows ---- */

GST_START_TEST (test_many_rows_a_buffer)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", F32 ("1:5", "0/1"));
  const gfloat values[10] = { 0, 10, 20, 30, 40, 50, 60, 70, 80, 90 };

  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = buffer_of (values + 5 * i, 5 * sizeof (gfloat), NS (50 * i));

    GST_BUFFER_DURATION (buffer) = NS (50);
    gst_harness_push (h, buffer);
  }
  push_eos (h);
  for (guint ms = 0; ms <= 90; ms += 10)
    expect (h, ms, (gfloat) ms);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

/* Times win over PTS and duration. In one memory they start at an address that is no multiple of 8. */
GST_START_TEST (test_row_times)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", TENSORS ("2", "float32,int64", "1:3,3", "0/1"));
  const gfloat rows[3] = { 3, 13, 33 };
  const gint64 times[3] = { NS (3), NS (13), NS (33) };
  GstBuffer *buffer;

  if (__i__ == 0) {
    buffer = buffer_of (rows, sizeof rows, NS (500));
    gst_buffer_append (buffer, gst_buffer_new_memdup (times, sizeof times));
  } else {
    guint8 both[sizeof rows + sizeof times];

    memcpy (both, rows, sizeof rows);
    memcpy (both + sizeof rows, times, sizeof times);
    buffer = buffer_of (both, sizeof both, __i__ == 1 ? NS (500) : GST_CLOCK_TIME_NONE);
  }
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  push_eos (h);
  for (guint ms = 10; ms <= 30; ms += 10)
    expect (h, ms, (gfloat) ms);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_negative_row_times)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", TENSORS ("2", "float32,int64", "1:2,2", "0/1"));
  const gfloat rows[2] = { 1, 2 };
  const gint64 times[2] = { -5, G_MAXINT64 };
  GstBuffer *buffer = buffer_of (rows, sizeof rows, 0);

  gst_buffer_append (buffer, gst_buffer_new_memdup (times, sizeof times));
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  push_eos (h);
  expect_nothing (h);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped"), 2);
  expect_balance (h);
  harness_close (h);
}

GST_END_TEST;

/* ---- however rows are cut into buffers ---- */

#define N_CUT 210

/* Irregular rows, some late, some twice. */
static void
make_irregular (gfloat *rows, gint64 *times)
{
  GRand *rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < N_CUT; i++) {
    rows[i] = (gfloat) g_rand_double (rand);
    times[i] = NS (3) * i + g_rand_int_range (rand, 0, 4) * NS (5);
  }
  g_rand_free (rand);
}

static void
push_cut (GstHarness *h, const gfloat *rows, const gint64 *times, guint n)
{
  GstBuffer *buffer = buffer_of (rows, n * sizeof (gfloat), GST_CLOCK_TIME_NONE);

  gst_buffer_append (buffer, gst_buffer_new_memdup (times, n * sizeof (gint64)));
  gst_harness_push (h, buffer);
}

static GBytes *
take_output (GstHarness *h)
{
  GByteArray *all = g_byte_array_new ();
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (h))) {
    gfloat value;

    gst_buffer_extract (buffer, 0, &value, sizeof value);
    g_byte_array_append (all, (const guint8 *) &GST_BUFFER_PTS (buffer), sizeof (GstClockTime));
    g_byte_array_append (all, (const guint8 *) &value, sizeof value);
    gst_buffer_unref (buffer);
  }
  return g_byte_array_free_to_bytes (all);
}

static const gchar *cut_settings[] = {
  "rate=200/1",
  "rate=333/1 interpolation=cubic max-gap=8000000 gap-policy=nan",
  "rate=100/1 interpolation=mean reorder-window=10000000",
  "rate=50/1 interpolation=previous reorder-window=20000000 max-gap=4000000 gap-policy=hold",
  "rate=500/1 interpolation=nearest reorder-window=7000000 max-gap=9000000",
};

/* Caps say how many rows a buffer has, and caps that change drain: so each cut is one stream of equal buffers. */
static GBytes *
output_of_cut (const gchar *settings, guint rows_a_buffer)
{
  gchar *caps = g_strdup_printf (TENSORS ("2", "float32,int64", "1:%u,%u", "0/1"), rows_a_buffer, rows_a_buffer);
  GstHarness *h = harness (NOT_LIVE, settings, caps);
  gfloat rows[N_CUT];
  gint64 times[N_CUT];
  GBytes *output;

  g_free (caps);
  make_irregular (rows, times);
  for (guint i = 0; i < N_CUT; i += rows_a_buffer)
    push_cut (h, rows + i, times + i, rows_a_buffer);
  push_eos (h);
  output = take_output (h);
  harness_close (h);
  return output;
}

GST_START_TEST (test_cuts)
{
  static const guint cuts[] = { 7, 2, 3, 5, 10, 30, 105, 210 };
  const gchar *settings = cut_settings[__i__ / G_N_ELEMENTS (cuts)];
  GBytes *one = output_of_cut (settings, 1), *many = output_of_cut (settings, cuts[__i__ % G_N_ELEMENTS (cuts)]);

  fail_unless (g_bytes_get_size (one) > 12 * 20);
  fail_unless (g_bytes_equal (one, many));
  g_bytes_unref (one);
  g_bytes_unref (many);
}

GST_END_TEST;

/* ---- gaps ---- */

GST_START_TEST (test_gap_nan_is_0_for_integers)
{
  GstHarness *h = harness (LIVE, "rate=100/1 max-gap=15000000 gap-policy=nan type=int32", ONE);
  const gint32 wanted[] = { 5, 0, 0, 7 };

  push (h, 0, 5);
  push (h, 30, 7);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer = gst_harness_try_pull (h);

    gst_check_buffer_data (buffer, &wanted[i], sizeof (gint32));
    gst_buffer_unref (buffer);
  }
  harness_close (h);
}

GST_END_TEST;

/* ---- segments ---- */

GST_START_TEST (test_segment_of_bytes)
{
  GstHarness *h = harness_open (LIVE, "rate=100/1");
  const gfloat row = 0;
  GstSegment segment;

  start_stream (h, ONE);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  push_segment (h, &segment);
  expect_message (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "a segment in bytes");
  fail_unless (gst_harness_push (h, buffer_of (&row, sizeof row, 0)) != GST_FLOW_OK);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_no_segment)
{
  GstHarness *h = harness_open (LIVE, "rate=100/1");
  const gfloat row = 0;

  start_stream (h, ONE);
  ASSERT_WARNING (fail_unless (gst_harness_push (h, buffer_of (&row, sizeof row, 0)) == GST_FLOW_ERROR));
  expect_message (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "a buffer before its segment, but resampling needs times");
  harness_close (h);
}

GST_END_TEST;

/* ---- streams and caps that change ---- */

GST_START_TEST (test_caps_change_drains)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);
  const gfloat rows[2][2] = { {1, 2}, {3, 6} }, between[2] = { 2, 4 };
  GstBuffer *buffer;

  push (h, 0, 0);
  push (h, 18, 18);
  push_caps (h, F32 ("2", "0/1"));
  expect (h, 0, 0);
  expect (h, 10, 10);
  expect_nothing (h);
  expect_caps_field (h, "dimensions", "2");
  gst_harness_push (h, buffer_of (rows[0], 8, NS (25)));
  gst_harness_push (h, buffer_of (rows[1], 8, NS (35)));
  push_eos (h);
  buffer = gst_harness_try_pull (h);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), NS (30));
  gst_check_buffer_data (buffer, between, sizeof between);
  gst_buffer_unref (buffer);
  expect_nothing (h);
  expect_balance (h);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_caps_that_turn_bad)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);
  const gfloat row = 0;

  push (h, 0, 0);
  push (h, 10, 10);
  push_caps (h, F32 ("1:2:3", "0/1"));
  expect (h, 0, 0);
  expect (h, 10, 10);
  expect_refused_caps (h, "1:2:3");
  fail_unless_equals_int (gst_harness_push (h, buffer_of (&row, sizeof row, NS (20))), GST_FLOW_NOT_NEGOTIATED);
  push_eos (h);
  expect_nothing (h);
  expect_balance (h);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  harness_close (h);
}

GST_END_TEST;

/* ---- flush and seek ---- */

/* A seek of a whole pipeline. */
GST_START_TEST (test_seek_upstream)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);
  GstEvent *seek = gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, GST_SECOND,
      GST_SEEK_TYPE_NONE, 0), *got;

  gst_harness_push_upstream_event (h, seek);
  while ((got = gst_harness_try_pull_upstream_event (h)) && GST_EVENT_TYPE (got) != GST_EVENT_SEEK)
    gst_event_unref (got);
  fail_unless (got != NULL);
  gst_event_unref (got);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_input_discont_is_passed)
{
  GstHarness *h = harness (LIVE, "rate=100/1", ONE);
  const gfloat value = 20;
  GstBuffer *buffer;

  push (h, 0, 0);
  push (h, 10, 10);
  expect (h, 0, 0);
  expect (h, 10, 10);
  buffer = buffer_of (&value, sizeof value, NS (20));
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (h, buffer);
  buffer = gst_harness_try_pull (h);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  gst_buffer_unref (buffer);
  harness_close (h);
}

GST_END_TEST;

/* ---- a pipeline's life ---- */

#define LIFE "robocachetestsrc kind=force rate=1000/1 jitter=300000 drop=0.05 disorder=0.05 gap=30000000 gap-interval=100000000 seed=5 num-buffers=500 " \
    "! robocacheresample name=e rate=333/1 interpolation=%s reorder-window=2000000 max-gap=20000000 ! fakesink name=sink"

GST_START_TEST (test_ten_lives)
{
  static const gchar *interpolations[] = { "linear", "nearest", "previous", "cubic", "mean" };
  gchar *description = g_strdup_printf (LIFE, interpolations[__i__]);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  GBytes *first = NULL;

  fail_unless (error == NULL, "%s: %s", description, error ? error->message : "");
  g_free (description);
  for (guint life = 0; life < 10; life++) {
    Output out = play_to_end (pipeline);
    GBytes *bytes = output_bytes (&out);

    fail_unless (out.error == NULL, "%s", out.error);
    fail_unless (out.buffers->len > 100);
    if (first == NULL)
      first = g_bytes_ref (bytes);
    fail_unless (g_bytes_equal (first, bytes), "life %u differs", life);
    g_bytes_unref (bytes);
    output_clear (&out);
  }
  g_bytes_unref (first);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_counts_begin_anew)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);

  push (h, 0, 0);
  push (h, 10, 10);
  fail_unless_equals_uint64 (count_of (h, "rows-in"), 2);
  gst_element_set_state (h->element, GST_STATE_NULL);
  expect_balance (h);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped"), 2);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  fail_unless_equals_uint64 (count_of (h, "rows-in"), 0);
  harness_close (h);
}

GST_END_TEST;

/* Another thread asks all the time. */
static gpointer
ask (gpointer data)
{
  GstHarness *h = data;

  for (guint i = 0; i < 2000; i++) {
    GstQuery *query = gst_query_new_latency ();
    GstCaps *caps = gst_pad_peer_query_caps (h->sinkpad, NULL);

    gst_pad_peer_query (h->sinkpad, query);
    gst_query_unref (query);
    gst_caps_unref (caps);
    expect_balance (h);
  }
  return NULL;
}

GST_START_TEST (test_questions_of_another_thread)
{
  GstHarness *h = harness (LIVE, "rate=1000/1 reorder-window=1000000", ONE);
  GThread *thread = g_thread_new ("ask", ask, h);
  GstBuffer *buffer;

  for (guint i = 0; i < 20000; i++) {
    push (h, i, (gfloat) i);
    while ((buffer = gst_harness_try_pull (h)))
      gst_buffer_unref (buffer);
  }
  g_thread_join (thread);
  harness_close (h);
}

GST_END_TEST;

static Suite *
resample_time_suite (void)
{
  Suite *suite = suite_create ("robocacheresampletime");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_eos_without_caps);
  tcase_add_loop_test (tc, test_a_week_has_no_drift, 0, 5);
  tcase_add_loop_test (tc, test_far_first_tick, 0, 2);
  tcase_add_test (tc, test_many_rows_a_buffer);
  tcase_add_loop_test (tc, test_row_times, 0, 3);
  tcase_add_test (tc, test_negative_row_times);
  tcase_add_loop_test (tc, test_cuts, 0, 8 * G_N_ELEMENTS (cut_settings));
  tcase_add_test (tc, test_gap_nan_is_0_for_integers);
  tcase_add_test (tc, test_segment_of_bytes);
  tcase_add_test (tc, test_no_segment);
  tcase_add_test (tc, test_caps_change_drains);
  tcase_add_test (tc, test_caps_that_turn_bad);
  tcase_add_test (tc, test_seek_upstream);
  tcase_add_test (tc, test_input_discont_is_passed);
  tcase_add_loop_test (tc, test_ten_lives, 0, 5);
  tcase_add_test (tc, test_counts_begin_anew);
  tcase_add_test (tc, test_questions_of_another_thread);
  return suite;
}

GST_CHECK_MAIN (resample_time);

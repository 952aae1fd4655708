/* robocache: robocacheresample over long times, cuts and lives, beside other threads, and when it posts QoS messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/resampleharness.h"

#include "common/time/tickgrid.h"
#include "tests/check/lib/runpipeline.h"

/* ---- the grid ---- */

#define WEEK (G_GUINT64_CONSTANT (7) * 24 * 3600 * GST_SECOND)

GST_START_TEST (test_a_week_has_no_drift)
{
  static const gint rates[][2] = { {1000, 3}, {30000, 1001}, {7, 1}, {1000000, 1}, {999983, 1000} };
  const gint num = rates[__i__][0], den = rates[__i__][1];
  const RobocacheTickGrid grid = { num, den };
  const guint64 k = gst_util_uint64_scale_ceil (WEEK, num, (guint64) den * GST_SECOND);
  gchar *properties = g_strdup_printf ("rate=%d/%d interpolation=previous max-gap=-1", num, den);
  GstHarness *h = resample_harness (LIVE, properties, ONE);

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

/* ---- however rows are cut into buffers ---- */

#define N_CUT 210

static const gchar *cut_settings[] = {
  "rate=200/1",
  "rate=333/1 interpolation=cubic max-gap=8000000 gap-policy=nan",
  "rate=100/1 interpolation=mean reorder-window=10000000",
  "rate=50/1 interpolation=previous reorder-window=20000000 max-gap=4000000 gap-policy=hold",
  "rate=500/1 interpolation=nearest reorder-window=7000000 max-gap=9000000",
};

/* PTS and value of all rows out. */
static GBytes *
take_output (GstHarness *h)
{
  GByteArray *all = g_byte_array_new ();
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (h))) {
    guint8 value[sizeof (gfloat)];

    gst_buffer_extract (buffer, 0, value, sizeof value);
    g_byte_array_append (all, (const guint8 *) &GST_BUFFER_PTS (buffer), sizeof (GstClockTime));
    g_byte_array_append (all, value, sizeof value);
    gst_buffer_unref (buffer);
  }
  return g_byte_array_free_to_bytes (all);
}

/* Irregular rows, some late, some twice. Caps say how many rows a buffer has, and caps that change drain: so each cut is one
 * stream of equal buffers. */
static GBytes *
output_of_cut (const gchar *settings, guint rows_a_buffer)
{
  gchar *caps = g_strdup_printf (TENSORS ("2", "float32,int64", "1:%u,%u", "0/1"), rows_a_buffer, rows_a_buffer);
  GstHarness *h = resample_harness (NOT_LIVE, settings, caps);
  GRand *rand = g_rand_new_with_seed (3);
  gfloat rows[N_CUT];
  gint64 times[N_CUT];
  GBytes *output;

  for (guint i = 0; i < N_CUT; i++) {
    rows[i] = (gfloat) g_rand_double (rand);
    times[i] = NS (3) * i + g_rand_int_range (rand, 0, 4) * NS (5);
  }
  for (guint i = 0; i < N_CUT; i += rows_a_buffer) {
    GstBuffer *buffer = buffer_of (rows + i, rows_a_buffer * sizeof *rows, GST_CLOCK_TIME_NONE);

    buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (times + i, rows_a_buffer * sizeof *times));
    gst_harness_push (h, buffer);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  output = take_output (h);
  harness_close (h);
  g_rand_free (rand);
  g_free (caps);
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

/* ---- segments ---- */

GST_START_TEST (test_no_segment)
{
  GstHarness *h = harness_open (LIVE, "rate=100/1");
  const gfloat row = 0;

  start_stream (h, ONE);
  ASSERT_WARNING (fail_unless (gst_harness_push (h, buffer_of (&row, sizeof row, 0)) == GST_FLOW_ERROR));
  expect_posted_error (h, "format", "a buffer before its segment, but resampling needs times");
  harness_close (h);
}

GST_END_TEST;

/* ---- a pipeline's life ---- */

#define LIFE "robocachetestsrc kind=force rate=1000/1 jitter=300000 drop=0.05 disorder=0.05 gap=30000000 " \
    "gap-interval=100000000 seed=5 num-buffers=500 ! robocacheresample name=e rate=333/1 interpolation=%s " \
    "reorder-window=2000000 max-gap=20000000 ! fakesink name=sink"

GST_START_TEST (test_ten_lives)
{
  static const gchar *interpolations[] = { "linear", "nearest", "previous", "cubic", "mean", "lowpass" };
  Run run = run_begin (g_strdup_printf (LIFE, interpolations[__i__]));

  g_bytes_unref (expect_equal_lives (&run, 10));
  run_end (&run);
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
  GstHarness *h = resample_harness (LIVE, "rate=1000/1 reorder-window=1000000", ONE);
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

/* ---- messages ---- */

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
  GstHarness *h = resample_harness (NOT_LIVE, "rate=100/1", ONE);
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

CHECK_MAIN (resample_time, NULL, NULL, TIMES (5, test_a_week_has_no_drift), TIMES (8 * G_N_ELEMENTS (cut_settings), test_cuts),
  ONCE (test_no_segment), TIMES (6, test_ten_lives), ONCE (test_questions_of_another_thread), ONCE (test_rows_before_refused_caps))

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
push_gap (GstHarness *h, gdouble ms, gdouble duration_ms)
{
  gst_harness_push_event (h, gst_event_new_gap (NS (ms), duration_ms < 0 ? GST_CLOCK_TIME_NONE : NS (duration_ms)));
}

static void
expect_eos (GstHarness *h)
{
  GstEvent *event = pull_event (h, GST_EVENT_EOS);

  fail_unless (event != NULL, "no EOS");
  gst_event_unref (event);
}

/* ---- when a tick goes out ---- */

/* Live, as soon as the row after it is there. */
GST_START_TEST (test_eager_when_live)
{
  GstHarness *h = harness (LIVE, "rate=100/1", ONE);

  push (h, 0, 0);
  expect (h, 0, 0);
  push (h, 9, 9);
  expect_nothing (h);
  push (h, 10, 10);
  expect (h, 10, 10);
  push (h, 15, 15);
  expect_nothing (h);
  push (h, 41, 41);
  expect (h, 20, 20);
  expect (h, 30, 30);
  expect (h, 40, 40);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

/* Not live, when no row can change it: the row after it may yet come twice. */
GST_START_TEST (test_settled_when_not_live)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);

  push (h, 0, 0);
  push (h, 20, 1);
  expect_nothing (h);
  push (h, 20, 20);
  expect_nothing (h);
  push (h, 21, 21);
  expect (h, 0, 0);
  expect (h, 10, 10);
  expect_nothing (h);
  push_eos (h);
  expect (h, 20, 20);
  expect_nothing (h);
  expect_eos (h);
  harness_close (h);
}

GST_END_TEST;

/* Ticks run from the first row to the last. */
GST_START_TEST (test_ticks_within_the_rows)
{
  GstHarness *h = harness (__i__, "rate=100/1", ONE);

  push (h, 31, 31);
  push (h, 59, 59);
  push_eos (h);
  expect (h, 40, 40);
  expect (h, 50, 50);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_eos_without_data)
{
  GstHarness *h = harness (__i__, "rate=100/1", ONE);

  push_eos (h);
  expect_nothing (h);
  expect_eos (h);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  harness_close (h);
}

GST_END_TEST;

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

GST_START_TEST (test_one_row)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);

  push (h, 20, 7);
  push_eos (h);
  expect (h, 20, 7);
  expect_nothing (h);
  expect_eos (h);
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

GST_START_TEST (test_no_time_at_first)
{
  GstHarness *h = harness (LIVE, "rate=100/1", ONE);

  push_ns (h, GST_CLOCK_TIME_NONE, 1);
  push_ns (h, GST_CLOCK_TIME_NONE, 2);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING), 1);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped"), 2);
  push (h, 0, 5);
  expect (h, 0, 5);
  expect_balance (h);
  harness_close (h);
}

GST_END_TEST;

/* With a duration, of its own or by the framerate, the next row follows it. */
GST_START_TEST (test_no_time_later)
{
  GstHarness *h = harness (LIVE, "rate=100/1", __i__ == 0 ? F32 ("1", "100/1") : ONE);

  for (guint i = 0; i < 4; i++) {
    const gfloat value = (gfloat) i;
    GstBuffer *buffer = buffer_of (&value, sizeof value, i == 0 ? 0 : GST_CLOCK_TIME_NONE);

    if (__i__ == 1)
      GST_BUFFER_DURATION (buffer) = NS (10);
    gst_harness_push (h, buffer);
  }
  for (guint i = 0; i < 4; i++)
    expect (h, 10 * i, (gfloat) i);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped"), 0);
  harness_close (h);
}

GST_END_TEST;

/* With neither, there is nothing to go on from. */
GST_START_TEST (test_no_time_and_no_duration)
{
  GstHarness *h = harness (LIVE, "rate=100/1", ONE);

  push (h, 0, 0);
  push_ns (h, GST_CLOCK_TIME_NONE, 1);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped"), 1);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING), 1);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_equal_times)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);

  push (h, 0, 1);
  push (h, 0, 2);
  push (h, 0, 3);
  push (h, 20, 5);
  push_eos (h);
  expect (h, 0, 3);
  expect (h, 10, 4);
  expect (h, 20, 5);
  fail_unless_equals_uint64 (count_of (h, "rows-duplicate"), 2);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_backwards_is_late)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);

  push (h, 0, 0);
  push (h, 20, 20);
  push (h, 10, 99);
  push (h, 30, 30);
  push_eos (h);
  for (guint ms = 0; ms <= 30; ms += 10)
    expect (h, ms, (gfloat) ms);
  fail_unless_equals_uint64 (count_of (h, "rows-late"), 1);
  expect_balance (h);
  harness_close (h);
}

GST_END_TEST;

/* 12 ms: 8 before 20 is in time, 7 before 20 is not. */
GST_START_TEST (test_reorder_window)
{
  GstHarness *h = harness (__i__, "rate=100/1 reorder-window=12000000", ONE);

  push (h, 0, 0);
  push (h, 20, 20);
  push (h, 8, 8);
  push (h, 7, 99);
  push (h, 12, 12);
  push (h, 40, 40);
  push_eos (h);
  for (guint ms = 0; ms <= 40; ms += 10)
    expect (h, ms, (gfloat) ms);
  fail_unless_equals_uint64 (count_of (h, "rows-late"), 1);
  expect_balance (h);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_first_row_may_come_second)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1 reorder-window=50000000", ONE);

  push (h, 40, 40);
  push (h, 20, 20);
  push (h, 60, 60);
  push_eos (h);
  for (guint ms = 20; ms <= 60; ms += 10)
    expect (h, ms, (gfloat) ms);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

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

/* Rows at 0, 10, 20 and then 60 and 70; nothing between counts as known. */
static GstHarness *
harness_with_gap (const gchar *properties)
{
  gchar *all = g_strdup_printf ("rate=100/1 max-gap=15000000 %s", properties);
  GstHarness *h = harness (NOT_LIVE, all, ONE);
  const guint ms[] = { 0, 10, 20, 60, 70 };

  g_free (all);
  for (guint i = 0; i < G_N_ELEMENTS (ms); i++)
    push (h, ms[i], (gfloat) ms[i]);
  push_eos (h);
  for (guint i = 0; i <= 20; i += 10)
    expect (h, i, (gfloat) i);
  return h;
}

GST_START_TEST (test_gap_dropped)
{
  GstHarness *h = harness_with_gap ("gap-policy=drop");
  GstBuffer *buffer = gst_harness_try_pull (h);

  fail_unless (buffer != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), NS (60));
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  gst_buffer_unref (buffer);
  buffer = gst_harness_try_pull (h);
  fail_if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  gst_buffer_unref (buffer);
  expect_gap (h, 30, 30);
  fail_unless_equals_uint64 (count_of (h, "ticks-dropped"), 3);
  fail_unless_equals_uint64 (count_of (h, "ticks-out"), 5);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_gap_nan)
{
  GstHarness *h = harness_with_gap ("gap-policy=nan");

  for (guint ms = 30; ms <= 50; ms += 10)
    expect (h, ms, (gfloat) NAN);
  expect (h, 60, 60);
  fail_unless_equals_uint64 (count_of (h, "ticks-nan"), 3);
  harness_close (h);
}

GST_END_TEST;

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

GST_START_TEST (test_gap_held)
{
  GstHarness *h = harness_with_gap ("gap-policy=hold");

  for (guint ms = 30; ms <= 50; ms += 10)
    expect (h, ms, 20);
  expect (h, 60, 60);
  fail_unless_equals_uint64 (count_of (h, "ticks-held"), 3);
  harness_close (h);
}

GST_END_TEST;

/* For previous it is the greatest age. */
GST_START_TEST (test_gap_of_previous)
{
  GstHarness *h = harness_with_gap ("interpolation=previous gap-policy=nan");

  expect (h, 30, 20);
  expect (h, 40, (gfloat) NAN);
  expect (h, 50, (gfloat) NAN);
  expect (h, 60, 60);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_no_gap_event_before_the_first_buffer)
{
  GstHarness *h = harness (LIVE, "rate=100/1 max-gap=5000000", ONE);

  push (h, 5, 5);
  push (h, 35, 35);
  push_gap (h, 35, 1);
  expect_nothing (h);
  fail_unless (pull_event (h, GST_EVENT_GAP) == NULL);
  fail_unless_equals_uint64 (count_of (h, "ticks-dropped"), 3);
  push (h, 38, 38);
  push (h, 42, 42);
  expect (h, 40, 40);
  harness_close (h);
}

GST_END_TEST;

/* ---- GAP events ---- */

/* A GAP says that no row comes before its end: what waited for that goes out. */
GST_START_TEST (test_gap_event_decides)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);

  push (h, 0, 0);
  push (h, 20, 20);
  expect_nothing (h);
  push_gap (h, 20, 30);
  expect (h, 0, 0);
  expect (h, 10, 10);
  expect (h, 20, 20);
  expect_nothing (h);
  push (h, 45, 99);             /* the GAP was a promise */
  fail_unless_equals_uint64 (count_of (h, "rows-late"), 1);
  push (h, 60, 60);
  push_eos (h);
  for (guint ms = 30; ms <= 60; ms += 10)
    expect (h, ms, (gfloat) ms);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_gap_event_passes_where_no_row_waits)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);
  GstSegment segment;

  push (h, 0, 0);
  push (h, 10, 10);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = NS (100);
  push_segment (h, &segment);
  expect (h, 0, 0);
  expect (h, 10, 10);
  push_gap (h, 20, 30);
  expect_gap (h, 20, 30);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_strange_gap_events)
{
  GstHarness *h = harness_open (NOT_LIVE, "rate=100/1");
  GstSegment segment;

  start_stream (h, ONE);
  push_gap (h, 0, 10);          /* before any segment */
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = NS (100);
  segment.stop = NS (200);
  push_segment (h, &segment);
  push_gap (h, 0, 10);          /* before the segment */
  push (h, 100, 100);
  push (h, 120, 120);
  push_gap (h, 150, -1);        /* without a duration */
  expect_ns (h, NS (100), 100);
  push_gap (h, 150, 1000);      /* beyond the segment's end */
  push_eos (h);
  expect_ns (h, NS (110), 110);
  expect_ns (h, NS (120), 120);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

/* ---- segments ---- */

static void
push_segment_of (GstHarness *h, gdouble start, gdouble base, gdouble offset, gdouble rate)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = segment.time = segment.position = NS (start);
  segment.base = NS (base);
  segment.offset = NS (offset);
  push_segment (h, &segment);
}

/* Rows are aligned in running time, and stamped back in the segment. */
GST_START_TEST (test_segment_with_start_base_offset)
{
  GstHarness *h = harness_open (NOT_LIVE, "rate=100/1");

  start_stream (h, ONE);
  push_segment_of (h, 1000, 3, 0, 1.0); /* running time = PTS - 997 ms */
  push (h, 1002, 5);
  push (h, 1032, 35);
  push_eos (h);
  expect (h, 1007, 10);
  expect (h, 1017, 20);
  expect (h, 1027, 30);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_segment_with_offset)
{
  GstHarness *h = harness_open (NOT_LIVE, "rate=100/1");

  start_stream (h, ONE);
  push_segment_of (h, 1000, 0, 4, 1.0); /* running time = PTS - 1004 ms */
  push (h, 1002, 99);           /* before the segment's offset */
  push (h, 1008, 4);
  push (h, 1032, 28);
  push_eos (h);
  expect (h, 1014, 10);
  expect (h, 1024, 20);
  expect_nothing (h);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped"), 1);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_segment_at_double_rate)
{
  GstHarness *h = harness_open (NOT_LIVE, "rate=100/1");

  start_stream (h, ONE);
  push_segment_of (h, 0, 0, 0, 2.0);
  push (h, 0, 0);
  push (h, 80, 80);
  push_eos (h);
  for (guint ms = 0; ms <= 80; ms += 20)
    expect (h, ms, (gfloat) ms);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_rows_outside_the_segment)
{
  GstHarness *h = harness_open (NOT_LIVE, "rate=100/1");

  start_stream (h, ONE);
  push_segment_of (h, 50, 0, 0, 1.0);
  push (h, 20, 99);
  push (h, 50, 50);
  push (h, 60, 60);
  push_eos (h);
  expect (h, 50, 50);
  expect (h, 60, 60);
  fail_unless_equals_uint64 (count_of (h, "rows-dropped"), 1);
  expect_balance (h);
  harness_close (h);
}

GST_END_TEST;

/* What came before a new segment is finished, and nothing is interpolated across. */
GST_START_TEST (test_new_segment_drains)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);

  push (h, 0, 0);
  push (h, 18, 18);
  push_segment_of (h, 0, 18, 0, 1.0);
  expect (h, 0, 0);
  expect (h, 10, 10);
  expect_nothing (h);
  push (h, 7, 107);             /* 25 ms */
  push (h, 27, 127);            /* 45 ms */
  push_eos (h);
  expect (h, 12, 112);          /* 30 ms */
  expect (h, 22, 122);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

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

GST_START_TEST (test_stream_start_drains)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);

  push (h, 0, 0);
  push (h, 10, 10);
  gst_harness_push_event (h, gst_event_new_stream_start ("another"));
  expect (h, 0, 0);
  expect (h, 10, 10);
  push_time_segment (h);
  push (h, 20, 5);
  push (h, 40, 7);
  push_eos (h);
  expect (h, 20, 5);
  expect (h, 30, 6);
  expect (h, 40, 7);
  harness_close (h);
}

GST_END_TEST;

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

GST_START_TEST (test_same_caps_change_nothing)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);

  push (h, 0, 0);
  push (h, 20, 1);
  push_caps (h, ONE);
  expect_nothing (h);
  push (h, 20, 20);
  push (h, 40, 40);
  push (h, 41, 41);
  for (guint ms = 0; ms < 40; ms += 10)
    expect (h, ms, (gfloat) ms);
  expect_nothing (h);
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

static void
flush (GstHarness *h)
{
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
}

GST_START_TEST (test_flush_forgets)
{
  GstHarness *h = harness (__i__, "rate=100/1", ONE);
  GstBuffer *buffer;

  push (h, 0, 0);
  push (h, 15, 15);
  while ((buffer = gst_harness_try_pull (h)))
    gst_buffer_unref (buffer);
  flush (h);
  push_time_segment (h);
  expect_nothing (h);
  push_ns (h, GST_CLOCK_TIME_NONE, 99); /* goes on from nothing */
  push (h, 5, 105);
  push (h, 25, 125);
  push_eos (h);
  expect (h, 10, 110);
  expect (h, 20, 120);
  expect_nothing (h);
  expect_balance (h);
  fail_unless (count_of (h, "rows-dropped") >= 1);
  harness_close (h);
}

GST_END_TEST;

/* As after a flushing seek to 2 s: running time begins anew, at the place that was sought. */
GST_START_TEST (test_seek)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);
  GstBuffer *buffer;

  for (guint round = 0; round < 3; round++) {
    for (guint ms = 0; ms < 200; ms += 7)
      push (h, 2000 * round + ms, (gfloat) ms);
    while ((buffer = gst_harness_try_pull (h)))
      gst_buffer_unref (buffer);
    flush (h);
    push_segment_of (h, 2000 * (round + 1), 0, 0, 1.0);
    push (h, 2000 * (round + 1) + 4, 4);
    push (h, 2000 * (round + 1) + 14, 14);
    push (h, 2000 * (round + 1) + 15, 15);
    buffer = gst_harness_try_pull (h);
    fail_unless (buffer != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), NS (2000 * (round + 1) + 10));
    fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
    gst_buffer_unref (buffer);
    expect_nothing (h);
    flush (h);
    push_segment_of (h, 2000 * (round + 1), 0, 0, 1.0);
  }
  harness_close (h);
}

GST_END_TEST;

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
  tcase_add_test (tc, test_eager_when_live);
  tcase_add_test (tc, test_settled_when_not_live);
  tcase_add_loop_test (tc, test_ticks_within_the_rows, 0, 2);
  tcase_add_loop_test (tc, test_eos_without_data, 0, 2);
  tcase_add_test (tc, test_eos_without_caps);
  tcase_add_test (tc, test_one_row);
  tcase_add_loop_test (tc, test_a_week_has_no_drift, 0, 5);
  tcase_add_loop_test (tc, test_far_first_tick, 0, 2);
  tcase_add_test (tc, test_no_time_at_first);
  tcase_add_loop_test (tc, test_no_time_later, 0, 2);
  tcase_add_test (tc, test_no_time_and_no_duration);
  tcase_add_test (tc, test_equal_times);
  tcase_add_test (tc, test_backwards_is_late);
  tcase_add_loop_test (tc, test_reorder_window, 0, 2);
  tcase_add_test (tc, test_first_row_may_come_second);
  tcase_add_test (tc, test_many_rows_a_buffer);
  tcase_add_loop_test (tc, test_row_times, 0, 3);
  tcase_add_test (tc, test_negative_row_times);
  tcase_add_loop_test (tc, test_cuts, 0, 8 * G_N_ELEMENTS (cut_settings));
  tcase_add_test (tc, test_gap_dropped);
  tcase_add_test (tc, test_gap_nan);
  tcase_add_test (tc, test_gap_nan_is_0_for_integers);
  tcase_add_test (tc, test_gap_held);
  tcase_add_test (tc, test_gap_of_previous);
  tcase_add_test (tc, test_no_gap_event_before_the_first_buffer);
  tcase_add_test (tc, test_gap_event_decides);
  tcase_add_test (tc, test_gap_event_passes_where_no_row_waits);
  tcase_add_test (tc, test_strange_gap_events);
  tcase_add_test (tc, test_segment_with_start_base_offset);
  tcase_add_test (tc, test_segment_with_offset);
  tcase_add_test (tc, test_segment_at_double_rate);
  tcase_add_test (tc, test_rows_outside_the_segment);
  tcase_add_test (tc, test_new_segment_drains);
  tcase_add_test (tc, test_segment_of_bytes);
  tcase_add_test (tc, test_no_segment);
  tcase_add_test (tc, test_stream_start_drains);
  tcase_add_test (tc, test_caps_change_drains);
  tcase_add_test (tc, test_same_caps_change_nothing);
  tcase_add_test (tc, test_caps_that_turn_bad);
  tcase_add_loop_test (tc, test_flush_forgets, 0, 2);
  tcase_add_test (tc, test_seek);
  tcase_add_test (tc, test_seek_upstream);
  tcase_add_test (tc, test_input_discont_is_passed);
  tcase_add_loop_test (tc, test_ten_lives, 0, 5);
  tcase_add_test (tc, test_counts_begin_anew);
  tcase_add_test (tc, test_questions_of_another_thread);
  return suite;
}

GST_CHECK_MAIN (resample_time);

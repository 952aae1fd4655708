/* robocache: robocacheresample on recorded episodes: rows, their times and target times in, rows at the targets out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "resampleharness.h"

#define D 2
#define S 4
#define T 5
#define B 3
#define EPISODES TENSORS ("3", "float32,int64,int64", "2:4:3,4:3,5:3", "10/1")

typedef struct
{
  gfloat rows[B][S][D];
  gint64 times[B][S];
  gint64 targets[B][T];
} Episodes;

/* Channel 0 is the time in ms, channel 1 minus that; episode b begins at 100 b. Targets: before, on, between, on, after. */
static Episodes
make_episodes (void)
{
  const gint64 ms[S] = { 0, 10, 20, 60 }, targets[T] = { -5, 0, 15, 40, 61 };
  Episodes e;

  for (guint b = 0; b < B; b++) {
    for (guint s = 0; s < S; s++) {
      e.times[b][s] = (100 * b + ms[s]) * 1000000;
      e.rows[b][s][0] = (gfloat) (100 * b + ms[s]);
      e.rows[b][s][1] = -e.rows[b][s][0];
    }
    for (guint t = 0; t < T; t++)
      e.targets[b][t] = (100 * (gint64) b + targets[t]) * 1000000;
  }
  return e;
}

static GstBuffer *
buffer_of_episodes (const Episodes *e)
{
  GstBuffer *buffer = gst_buffer_new_memdup (e->rows, sizeof e->rows);

  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (e->times, sizeof e->times));
  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (e->targets, sizeof e->targets));
  GST_BUFFER_PTS (buffer) = NS (700);
  return buffer;
}

static GstBuffer *
resampled (GstHarness *h, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_try_pull (h);
  fail_unless (buffer != NULL);
  fail_unless_equals_int ((gint) gst_buffer_get_size (buffer), B * T * D * sizeof (gfloat));
  fail_unless (gst_harness_try_pull (h) == NULL);
  return buffer;
}

/* wanted: channel 0 of an episode, counted from its begin; channel 1 is minus it. */
static void
expect_episode (GstBuffer *buffer, guint b, const gfloat *wanted)
{
  gfloat got[T][D];

  gst_buffer_extract (buffer, b * sizeof got, got, sizeof got);
  for (guint t = 0; t < T; t++) {
    const gfloat value = wanted[t] + 100.0f * b;

    if (isnan (wanted[t]))
      fail_unless (isnan (got[t][0]) && isnan (got[t][1]), "episode %u, target %u: %g", b, t, got[t][0]);
    else
      fail_unless (got[t][0] == value && got[t][1] == -value, "episode %u, target %u: %g, not %g", b, t, got[t][0], value);
  }
}

static const struct
{
  const gchar *properties;
  gfloat wanted[T];             /* before, on a row, between, between rows 40 ms apart, after */
} cases[] = {
  {"gap-policy=nan", {NAN, 0, 15, 40, NAN}},
  {"gap-policy=hold", {NAN, 0, 15, 40, 60}},
  {"gap-policy=nan max-gap=20000000", {NAN, 0, 15, NAN, NAN}},
  {"gap-policy=hold max-gap=20000000", {NAN, 0, 15, 20, 60}},
  {"gap-policy=nan interpolation=nearest", {NAN, 0, 10, 20, NAN}},
  {"gap-policy=nan interpolation=previous", {NAN, 0, 10, 20, 60}},
  {"gap-policy=nan interpolation=previous max-gap=5000000", {NAN, 0, 10, NAN, 60}},
  {"gap-policy=nan interpolation=mean rate=50/1", {0, 0, 15, 40, 60}},
  {"gap-policy=nan reorder-window=1000000000", {NAN, 0, 15, 40, NAN}},
};

static const guint threads[] = { 1, 2, 3, 16, 0 };

/* __i__ is threads * cases + case. */
GST_START_TEST (test_values)
{
  const gint i = __i__ % (gint) G_N_ELEMENTS (cases);
  gchar *properties = g_strdup_printf ("%s n-threads=%u", cases[i].properties, threads[__i__ / (gint) G_N_ELEMENTS (cases)]);
  GstHarness *h = harness (LIVE, properties, EPISODES);
  const Episodes e = make_episodes ();
  GstBuffer *buffer = resampled (h, buffer_of_episodes (&e));

  expect_caps_field (h, "dimensions", "2:5:3");
  expect_caps_field (h, "framerate", "10/1");
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), NS (700));
  for (guint b = 0; b < B; b++)
    expect_episode (buffer, b, cases[i].wanted);
  fail_unless_equals_uint64 (count_of (h, "disordered-episodes"), 0);
  fail_unless_equals_uint64 (count_of (h, "ticks-out"), B * T);
  gst_buffer_unref (buffer);
  harness_close (h);
  g_free (properties);
}

GST_END_TEST;

/* One memory that holds all three. */
GST_START_TEST (test_one_memory)
{
  GstHarness *h = harness (LIVE, "gap-policy=nan", EPISODES);
  const Episodes e = make_episodes ();
  GstBuffer *buffer = resampled (h, buffer_of (&e, sizeof e, 0));

  for (guint b = 0; b < B; b++)
    expect_episode (buffer, b, cases[0].wanted);
  gst_buffer_unref (buffer);
  harness_close (h);
}

GST_END_TEST;

/* Three rows of one float: the times start 4 bytes off. */
GST_START_TEST (test_one_memory_of_odd_rows)
{
  GstHarness *h = harness (LIVE, "gap-policy=nan", TENSORS ("3", "float32,int64,int64", "1:3,3,2", "0/1"));
  const gfloat rows[3] = { 1, 2, 3 }, wanted[2] = { 1.5f, 3 };
  const gint64 times[5] = { 0, 10, 20, 5, 20 };
  guint8 all[sizeof rows + sizeof times];
  GstBuffer *buffer;

  memcpy (all, rows, sizeof rows);
  memcpy (all + sizeof rows, times, sizeof times);
  fail_unless_equals_int (gst_harness_push (h, buffer_of (all, sizeof all, 0)), GST_FLOW_OK);
  buffer = gst_harness_try_pull (h);
  gst_check_buffer_data (buffer, wanted, sizeof wanted);
  gst_buffer_unref (buffer);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_unsorted_episode)
{
  const gfloat nowhere[T] = { NAN, NAN, NAN, NAN, NAN };
  GstHarness *h = harness (LIVE, __i__ ? "gap-policy=hold" : "gap-policy=nan", EPISODES);
  Episodes e = make_episodes ();
  GstBuffer *buffer;

  e.times[1][2] = e.times[1][1] - 1;
  buffer = resampled (h, buffer_of_episodes (&e));
  expect_episode (buffer, 0, cases[__i__].wanted);
  expect_episode (buffer, 1, nowhere);
  expect_episode (buffer, 2, cases[__i__].wanted);
  gst_buffer_unref (buffer);
  gst_buffer_unref (resampled (h, buffer_of_episodes (&e)));
  fail_unless_equals_uint64 (count_of (h, "disordered-episodes"), 2);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  harness_close (h);
}

GST_END_TEST;

/* Of equal times the last row wins. */
GST_START_TEST (test_equal_times)
{
  const gfloat wanted[T] = { NAN, 0, 40, 30, NAN };
  GstHarness *h = harness (LIVE, "gap-policy=nan", EPISODES);
  Episodes e = make_episodes ();
  GstBuffer *buffer;

  for (guint b = 0; b < B; b++) {
    e.times[b][1] = e.times[b][0];
    e.rows[b][0][0] += 77;
    e.rows[b][1][0] = 100.0f * b;
    e.rows[b][1][1] = -100.0f * b;
    e.rows[b][2][0] += 20;
    e.rows[b][2][1] -= 20;
    e.times[b][2] -= 5000000;   /* on the target at 15 */
    e.rows[b][3][0] = 20 + 100.0f * b;
    e.rows[b][3][1] = -e.rows[b][3][0];
    e.times[b][3] = e.times[b][2] + 50000000;   /* the target at 40 is half way */
    e.targets[b][4] = e.times[b][3] + 1;
  }
  buffer = resampled (h, buffer_of_episodes (&e));
  for (guint b = 0; b < B; b++)
    expect_episode (buffer, b, wanted);
  gst_buffer_unref (buffer);
  harness_close (h);
}

GST_END_TEST;

static const gchar *const refused_properties[][2] = {
  {"", "gap-policy=drop cannot"},
  {"gap-policy=nan interpolation=mean", "set rate"},
  {"gap-policy=nan quaternions=0", "quaternion"},
};

GST_START_TEST (test_refused_properties)
{
  GstHarness *h = harness_open (LIVE, refused_properties[__i__][0]);

  start_stream (h, EPISODES);
  expect_refused_property (h, refused_properties[__i__][1]);
  harness_close (h);
}

GST_END_TEST;

static const struct
{
  const gchar *types, *dimensions, *words;
} too_large[] = {
  {"float32,int64,int64", "10000000:1:1,1:1,10000000:1", "float32 of dimensions 10000000:10000000 needs 400000000000000 bytes"},
  {"uint8,int64,int64", "10000000:1:1,1:1,10000000:1", "float32 of dimensions 10000000:10000000"},
  {"float16,int64,int64", "1000000000:1:1000,1:1000,1000000000:1000", "1000000000:1000000000:1000 needs 184467440737"},
};

GST_START_TEST (test_output_larger_than_the_machine)
{
  gchar *caps = g_strdup_printf ("other/tensors,format=(string)static,num_tensors=3,types=(string)\"%s\","
      "dimensions=(string)\"%s\"", too_large[__i__].types, too_large[__i__].dimensions);
  GstHarness *h = harness_open (LIVE, "gap-policy=nan");

  start_stream (h, caps);
  push_time_segment (h);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL, 64, NULL)), GST_FLOW_NOT_NEGOTIATED);
  expect_message (h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, too_large[__i__].words);
  g_free (caps);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_wrong_size)
{
  GstHarness *h = harness (LIVE, "gap-policy=nan", EPISODES);
  const Episodes e = make_episodes ();

  fail_unless_equals_int (gst_harness_push (h, buffer_of (&e, sizeof e - 8, 0)), GST_FLOW_ERROR);
  expect_message (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "in 3 tensors");
  harness_close (h);
}

GST_END_TEST;

/* A memory each, in sum right, one by one wrong. */
GST_START_TEST (test_wrong_sizes_that_add_up)
{
  GstHarness *h = harness (LIVE, "gap-policy=nan", EPISODES);
  const Episodes e = make_episodes ();
  GstBuffer *buffer = gst_buffer_new_memdup (e.rows, sizeof e.rows);

  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (e.targets, sizeof e.targets));
  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (e.times, sizeof e.times));
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  expect_message (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "tensor 1 of the buffer has 120 bytes");
  harness_close (h);
}

GST_END_TEST;

/* Recorded episodes need no time of their own: a segment in bytes and buffers without PTS pass. */
GST_START_TEST (test_needs_no_time)
{
  GstHarness *h = harness_open (LIVE, "gap-policy=nan");
  const Episodes e = make_episodes ();
  GstBuffer *buffer = buffer_of_episodes (&e);
  GstSegment segment;

  start_stream (h, EPISODES);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  push_segment (h, &segment);
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  buffer = resampled (h, buffer);
  expect_episode (buffer, 1, cases[0].wanted);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  /* rows in order of arrival do need it */
  push_caps (h, F32 ("1", "100/1"));
  fail_unless_equals_int (gst_harness_push (h, buffer_of (&e, 4, 0)), GST_FLOW_ERROR);
  expect_message (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "a segment in bytes");
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_types)
{
  GstHarness *h = harness (LIVE, "gap-policy=nan type=int32", TENSORS ("3", "float64,int64,int64", "1:2,2,3", "0/1"));
  const gdouble rows[2] = { 1, 4 };
  const gint64 times[5] = { 0, 10, 5, 10, 11 };
  const gint32 wanted[3] = { 2, 4, 0 }; /* 2.5 to even, a row, nothing */
  GstBuffer *buffer = gst_buffer_new_memdup (rows, sizeof rows);

  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (times, 16));
  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (times + 2, 24));
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  expect_caps_field (h, "types", "int32");
  buffer = gst_harness_try_pull (h);
  gst_check_buffer_data (buffer, wanted, sizeof wanted);
  gst_buffer_unref (buffer);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_no_latency)
{
  GstHarness *h = harness (LIVE, "gap-policy=nan interpolation=cubic", EPISODES);

  gst_harness_set_upstream_latency (h, NS (5));
  fail_unless_equals_uint64 (gst_harness_query_latency (h), NS (5));
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_flush_eos_and_again)
{
  GstHarness *h = harness (LIVE, "gap-policy=nan stats-interval=100000000", EPISODES);
  const Episodes e = make_episodes ();

  for (guint round = 0; round < 3; round++) {
    for (guint i = 0; i < 4; i++) {
      GstBuffer *buffer = buffer_of_episodes (&e);

      GST_BUFFER_PTS (buffer) = NS (100 * i);
      gst_buffer_unref (resampled (h, buffer));
    }
    fail_unless_equals_int (count_messages (h, GST_MESSAGE_ELEMENT), 3);
    gst_harness_push_event (h, gst_event_new_gap (NS (400), NS (10)));
    gst_harness_push_event (h, gst_event_new_eos ());
    fail_unless_equals_int (count_messages (h, GST_MESSAGE_ELEMENT), 1);
    gst_harness_push_event (h, gst_event_new_flush_start ());
    gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
    push_time_segment (h);
  }
  harness_close (h);
}

GST_END_TEST;

static Suite *
resample_batch_suite (void)
{
  Suite *suite = suite_create ("robocacheresamplebatch");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_values, 0, G_N_ELEMENTS (cases) * G_N_ELEMENTS (threads));
  tcase_add_test (tc, test_one_memory);
  tcase_add_test (tc, test_one_memory_of_odd_rows);
  tcase_add_loop_test (tc, test_unsorted_episode, 0, 2);
  tcase_add_test (tc, test_equal_times);
  tcase_add_loop_test (tc, test_refused_properties, 0, G_N_ELEMENTS (refused_properties));
  tcase_add_loop_test (tc, test_output_larger_than_the_machine, 0, G_N_ELEMENTS (too_large));
  tcase_add_test (tc, test_wrong_size);
  tcase_add_test (tc, test_wrong_sizes_that_add_up);
  tcase_add_test (tc, test_needs_no_time);
  tcase_add_test (tc, test_types);
  tcase_add_test (tc, test_no_latency);
  tcase_add_test (tc, test_flush_eos_and_again);
  return suite;
}

GST_CHECK_MAIN (resample_batch);

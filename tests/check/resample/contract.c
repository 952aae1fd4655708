/* robocache: robocacheresample and GStreamer's contract: properties while playing, allocation, holes, logs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/resampleharness.h"
#include "common/time/tickgrid.h"
#include "tests/check/lib/logs.h"
#include "tests/check/lib/randomproperties.h"

/* ---- rate while playing ---- */

/* Before and after the change. */
static const RobocacheTickGrid rates[][2] = {
  {{50, 1}, {100, 1}},
  {{100, 1}, {50, 1}},
  {{100, 1}, {30, 1}},
  {{1000, 3}, {7, 1}},
  {{7, 1}, {1000, 1}},
  {{1, 1}, {30000, 1001}},
};

/* A row a millisecond, whose value is its time, so that rows on both grids are known. The rate changes at 1.205 s. */
GST_START_TEST (test_rate_while_playing)
{
  const RobocacheTickGrid *from = &rates[__i__ / 2][0], *to = &rates[__i__ / 2][1];
  gchar *properties = g_strdup_printf ("rate=%d/%d", from->num, from->den);
  gchar *framerate = g_strdup_printf ("%d/%d", to->num, to->den);
  GstHarness *h = resample_harness (__i__ % 2 == 0 ? LIVE : NOT_LIVE, properties, ONE);
  gint64 last = -1;
  guint n_after = 0;

  for (gint t = 0; t < 3000; t++) {
    const gboolean changed = t >= 1205;
    const RobocacheTickGrid *grid = changed ? to : from;
    GstBuffer *buffer;

    if (t == 1205)
      gst_util_set_object_arg (G_OBJECT (h->element), "rate", framerate);
    push (h, t, (gfloat) t);
    while ((buffer = gst_harness_try_pull (h))) {
      const gboolean is_first = last < 0 || (changed && n_after == 0);
      gfloat value;

      gst_buffer_extract (buffer, 0, &value, sizeof value);
      fail_unless_equals_int64 ((gint64) GST_BUFFER_PTS (buffer),
          robocache_tick_time (grid, robocache_tick_at_or_after (grid, last + 1)));
      last = (gint64) GST_BUFFER_PTS (buffer);
      fail_unless (fabs (value - (gdouble) last / 1e6) < 1e-3, "at %g: %g", (gdouble) last / 1e6, value);
      fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), is_first);
      n_after += changed;
      gst_buffer_unref (buffer);
    }
  }
  fail_unless (n_after >= 10, "%u rows after the change", n_after);
  expect_caps_field (h, "framerate", framerate);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 0);
  expect_balance (h);
  g_free (properties);
  g_free (framerate);
  harness_close (h);
}

GST_END_TEST;

/* ---- every property at random ---- */

/* Within its range. A rate so low that no tick may come within the test is none to test with. */
static void
set_at_random (GstHarness *h, GParamSpec *pspec, GRand *rand)
{
  GValue value = G_VALUE_INIT;

  fail_unless (random_value (rand, pspec, &value), "%s", pspec->name);
  if (pspec->value_type == GST_TYPE_FRACTION)
    gst_value_set_fraction (&value, g_rand_int_range (rand, 10, 5000), g_rand_int_range (rand, 1, 10));
  g_object_set_property (G_OBJECT (h->element), pspec->name, &value);
  g_value_unset (&value);
}

/* While rows flow, at 1 kHz, output never ends without an error; and here there is none. */
GST_START_TEST (test_properties_at_random)
{
  GstHarness *h = resample_harness (__i__ % 2 == 0 ? LIVE : NOT_LIVE, "rate=100/1 max-gap=100000000", F32 ("4", "0/1"));
  GRand *rand = g_rand_new_with_seed (1 + __i__);
  const gfloat row[4] = { 1, 0, 0, 0 };
  guint n_properties, n_set = 0;
  GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (h->element), &n_properties);

  for (guint t = 0; t < 20000; t++) {
    GParamSpec *pspec = specs[g_rand_int_range (rand, 0, (gint) n_properties)];
    GstBuffer *buffer;

    if (t % 20 == 0 && pspec->flags & G_PARAM_WRITABLE && !g_str_equal (pspec->name, "name") && !g_str_equal (pspec->name,
            "parent")) {
      set_at_random (h, pspec, rand);
      n_set++;
    }
    fail_unless_equals_int (gst_harness_push (h, buffer_of (row, sizeof row, NS (t))), GST_FLOW_OK);
    if (t % 1000 == 999)
      fail_unless (gst_harness_buffers_in_queue (h) > 0, "no output after %u settings", n_set);
    while (t % 1000 == 999 && (buffer = gst_harness_try_pull (h)))
      gst_buffer_unref (buffer);
  }
  fail_unless (n_set > 500);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  g_free (specs);
  g_rand_free (rand);
  harness_close (h);
}

GST_END_TEST;

/* ---- allocation ---- */

typedef GstAllocator FailingAllocator;
typedef GstAllocatorClass FailingAllocatorClass;
static GType failing_allocator_get_type (void);
G_DEFINE_TYPE (FailingAllocator, failing_allocator, GST_TYPE_ALLOCATOR)

static GstMemory *
fail_to_allocate (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  return NULL;
}

static void
failing_allocator_class_init (FailingAllocatorClass *klass)
{
  klass->alloc = fail_to_allocate;
}

static void
failing_allocator_init (FailingAllocator *allocator)
{
}

/* What a query of the element's source pad offers. */
static struct
{
  GstBufferPool *pool;
  guint pool_size;
  GstAllocator *allocator;
  GstAllocationParams params;
  guint n_queries;
} offer;

static gboolean
answer_offer (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);
  offer.n_queries++;
  if (offer.pool)
    gst_query_add_allocation_pool (query, offer.pool, offer.pool_size, 2, 0);
  gst_query_add_allocation_param (query, offer.allocator, &offer.params);
  return TRUE;
}

static const struct
{
  gboolean is_batch;
  guint pool_size;              /* 0: no pool, but an allocator */
} offers[] = { {FALSE, 1}, {TRUE, 1}, {FALSE, 4096}, {TRUE, 4096}, {FALSE, 0}, {TRUE, 0}, };

static GstHarness *
harness_with_offer (gboolean is_batch, GstBufferPool *pool, GstAllocator *allocator)
{
  GstHarness *h = harness_open (NOT_LIVE, "rate=100/1 gap-policy=nan backend=cpu"); /* a GPU's memory is its own */

  gst_allocation_params_init (&offer.params);
  offer.params.align = 255;
  offer.pool = pool;
  offer.allocator = allocator;
  offer.n_queries = 0;
  gst_pad_set_query_function (h->sinkpad, answer_offer);
  start_stream (h, is_batch ? TENSORS ("3", "float32,int64,int64", "1:3:1,3:1,2:1", "0/1") : ONE);
  push_segment_of (h, GST_FORMAT_TIME);
  return h;
}

/* Rows and batches lie in memory of the pool, or as allocator and parameters say, and have their size. */
GST_START_TEST (test_offered_memory)
{
  static const gfloat rows[3] = { 7, 10, 20 }, expected[2] = { 7, 15 };
  static const gint64 times[3] = { 0, 10, 20 }, targets[2] = { 0, 15 };
  const gboolean is_batch = offers[__i__].is_batch;
  GstBufferPool *pool = offers[__i__].pool_size > 0 ? gst_buffer_pool_new () : NULL;
  GstAllocator *allocator = pool ? NULL : gst_allocator_find (GST_ALLOCATOR_SYSMEM);
  GstBuffer *buffer = buffer_of (rows, is_batch ? sizeof rows : sizeof *rows, 0);
  GstHarness *h;

  offer.pool_size = offers[__i__].pool_size;
  h = harness_with_offer (is_batch, pool, allocator);
  fail_unless_equals_int (offer.n_queries, 1);
  if (is_batch) {
    buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (times, sizeof times));
    buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (targets, sizeof targets));
  }
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  buffer = gst_harness_try_pull (h);
  fail_unless (buffer && buffer->pool == pool);
  fail_unless (gst_buffer_peek_memory (buffer, 0)->align >= 255);
  gst_check_buffer_data (buffer, expected, is_batch ? sizeof expected : sizeof *expected);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 0);
  gst_buffer_unref (buffer);
  harness_close (h);
  gst_clear_object (&pool);
  gst_clear_object (&allocator);
}

GST_END_TEST;

GST_START_TEST (test_offered_memory_that_fails)
{
  GstAllocator *allocator = g_object_new (failing_allocator_get_type (), NULL);
  GstHarness *h = harness_with_offer (FALSE, NULL, allocator);
  const gfloat row = 0;

  push (h, 0, 0);
  gst_harness_push (h, buffer_of (&row, sizeof row, NS (10)));
  fail_unless_equals_int (gst_harness_push (h, buffer_of (&row, sizeof row, NS (20))), GST_FLOW_ERROR);
  expect_posted_error (h, "no-space-left", "downstream's allocator has no writable memory");
  harness_close (h);
  gst_object_unref (allocator);
}

GST_END_TEST;

/* ---- holes ---- */

static const gchar *const interpolations[] = { "linear", "nearest", "previous", "cubic", "hermite", "mean", "lowpass" };

/* The ticks of a run: 0 none, 1 a row, 2 a missing row or a tick within a GAP. */
static GByteArray *
ticks_of_run (const gchar *policy, guint seed, GstClockTime tick)
{
  gchar *properties = g_strdup_printf ("rate=1000/1 max-gap=5000000 reorder-window=%u interpolation=%s gap-policy=%s",
      seed % 3 * 1000000, interpolations[seed / 2 % G_N_ELEMENTS (interpolations)], policy);
  GstHarness *h = resample_harness (seed % 2 ? LIVE : NOT_LIVE, properties, ONE);
  GRand *rand = g_rand_new_with_seed (seed);
  GByteArray *ticks = g_byte_array_new ();
  GstClockTime t = 0, start, duration;
  GstBuffer *buffer;
  GstEvent *event;

  g_byte_array_set_size (ticks, 2000);
  memset (ticks->data, 0, ticks->len);
  for (guint i = 0; i < 100; i++) {
    t += (GstClockTime) (pow (g_rand_double (rand), 4) * 2e7);
    push_ns (h, t, 1);
    if (g_rand_int_range (rand, 0, 10) == 0)
      gst_harness_push_event (h, gst_event_new_gap (t, g_rand_int_range (rand, 1, 9000000)));
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  while ((buffer = gst_harness_try_pull (h))) {
    gfloat value;

    gst_buffer_extract (buffer, 0, &value, sizeof value);
    ticks->data[GST_BUFFER_PTS (buffer) / tick] += isnan (value) ? 2 : 1;
    gst_buffer_unref (buffer);
  }
  while ((event = pull_event (h, GST_EVENT_GAP))) {
    gst_event_parse_gap (event, &start, &duration);
    for (GstClockTime at = start; at < start + duration; at += tick)
      ticks->data[at / tick] += 2;
    gst_event_unref (event);
  }
  g_rand_free (rand);
  g_free (properties);
  harness_close (h);
  return ticks;
}

/* GAPs span the ticks that gap-policy=nan fills, and no others. */
GST_START_TEST (test_holes_against_nan)
{
  GByteArray *drop = ticks_of_run ("drop", __i__, GST_MSECOND), *nan = ticks_of_run ("nan", __i__, GST_MSECOND);
  const guint8 *from = memchr (drop->data, 1, drop->len);
  gsize n_before;

  fail_unless (from != NULL);
  n_before = (gsize) (from - drop->data);       /* no GAP precedes the first buffer */
  fail_unless (memcmp (from, nan->data + n_before, drop->len - n_before) == 0);
  fail_unless (memchr (from, 2, drop->len - n_before) != NULL);
  g_byte_array_unref (drop);
  g_byte_array_unref (nan);
}

GST_END_TEST;

/* ---- logs ---- */

/* GST_DEBUG=robocacheresample:6 says why a row is missing, and what a tick waits for. */
GST_START_TEST (test_logs)
{
  static const gchar *const lines[] = {
    "INFO other/tensors",
    "LOG row at +0:00:00.000000000 inserted",
    "LOG row at +0:00:00.010000000 late, dropped; newest at +0:00:00.020000000, reorder-window 0 ns",
    "LOG row at +0:00:00.020000000 replaced",
    "LOG tick at +0:00:00.020000000 waits for a row after the tick",
    "LOG tick at +0:00:00.010000000 aligned, rows around it at +0:00:00.000000000 and +0:00:00.020000000",
    "LOG tick at +0:00:00.030000000 dropped",
    "DEBUG row at +99:99:99.999999999 dropped: outside-segment",
    "WARN 7 ticks from +0:00:00.030000000 dropped",
    NULL
  };
  static const gint times[] = { 0, 20, 10, 20, 100, 101 };
  Logs *logs = logs_begin ("robocacheresample");
  GstHarness *h = resample_harness (NOT_LIVE, "rate=100/1 max-gap=50000000", ONE);
  GstSegment segment;

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    push (h, times[i], 0);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = NS (500);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  push (h, 102, 0);
  harness_close (h);
  logs_end (logs, lines);
}

GST_END_TEST;

CHECK_MAIN (robocacheresamplecontract, NULL, NULL, TIMES (2 * G_N_ELEMENTS (rates), test_rate_while_playing), TIMES (6, test_properties_at_random),
  EACH (offers, test_offered_memory), ONCE (test_offered_memory_that_fails), TIMES (36, test_holes_against_nan), ONCE (test_logs))

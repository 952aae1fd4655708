/* robocache: robocacheresample and GStreamer's contract: settings while playing, segment seeks, allocation, holes, logs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "resampleharness.h"

static void
set_one (GstHarness *h, const gchar *name, const gchar *value)
{
  gst_util_set_object_arg (G_OBJECT (h->element), name, value);
}

static gchar *
pop_warning (GstHarness *h)
{
  GstMessage *message = pop_message (h, GST_MESSAGE_WARNING);
  GError *error = NULL;
  gchar *text;

  fail_unless (message != NULL, "no warning");
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

/* ---- settings while playing ---- */

static const struct
{
  const gchar *name, *value, *words;
  gboolean kept;                /* the old value */
} late_settings[] = {
  {"interpolation", "previous", "next starts", FALSE},
  {"max-gap", "1", "next starts", FALSE},
  {"gap-policy", "nan", "next starts", FALSE},
  {"reorder-window", "1000000000", "next starts", FALSE},
  {"type", "float64", "next starts", FALSE},
  {"backend", "cpu", "next starts", FALSE},
  {"device-id", "3", "next starts", FALSE},
  {"devices", "7", "next starts", FALSE},
  {"max-device-memory", "1", "next starts", FALSE},
  {"n-threads", "2", "next starts", FALSE},
  {"quaternions", "99", "next starts", FALSE},
  {"angles", "0", "next starts", FALSE},
  {"velocities", "0", "next starts", FALSE},
  {"quaternions", "x", "quaternions: \"x\" is no channel list", TRUE},
  {"angles", "3-1", "angles: \"3-1\" is no channel list", TRUE},
  {"velocities", ",", "velocities: \",\" is no channel list", TRUE},
};

/* The output does not change, nor when downstream renegotiates; a warning names the property. */
GST_START_TEST (test_late_setting)
{
  GstHarness *h = harness (LIVE, "rate=100/1", ONE);
  gchar *before, *after, *warning;
  GValue value = G_VALUE_INIT;

  push (h, 0, 0);
  expect (h, 0, 0);
  g_object_get_property (G_OBJECT (h->element), late_settings[__i__].name, &value);
  before = g_strdup_value_contents (&value);
  set_one (h, late_settings[__i__].name, late_settings[__i__].value);
  g_value_unset (&value);
  g_object_get_property (G_OBJECT (h->element), late_settings[__i__].name, &value);
  after = g_strdup_value_contents (&value);
  g_value_unset (&value);
  fail_unless_equals_int (g_str_equal (before, after), late_settings[__i__].kept);
  warning = pop_warning (h);
  fail_unless (strstr (warning, late_settings[__i__].name) && strstr (warning, late_settings[__i__].words), "%s", warning);
  gst_pad_push_event (h->sinkpad, gst_event_new_reconfigure ());
  push (h, 20, 20);
  expect (h, 10, 10);
  expect (h, 20, 20);
  push (h, 10, 5);
  fail_unless_equals_uint64 (count_of (h, "rows-late"), 1);
  expect_caps_field (h, "types", "float32");
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 0);
  g_free (before);
  g_free (after);
  g_free (warning);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_late_setting_at_the_next_start)
{
  GstHarness *h = harness (LIVE, "rate=100/1", ONE);

  set_one (h, "type", "float64");
  gst_element_set_state (h->element, GST_STATE_READY);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  start_stream (h, F32 ("2", "0/1"));
  push_time_segment (h);
  expect_caps_field (h, "types", "float64");
  harness_close (h);
}

GST_END_TEST;

/* ---- rate while playing ---- */

static const struct
{
  gint from[2], to[2];
} rates[] = {
  {{50, 1}, {100, 1}},
  {{100, 1}, {50, 1}},
  {{100, 1}, {30, 1}},
  {{1000, 3}, {7, 1}},
  {{7, 1}, {1000, 1}},
  {{1, 1}, {30000, 1001}},
};

/* First instant of a grid after t; 0 after -1. */
static GstClockTime
after (const gint rate[2], gint64 t)
{
  guint64 k = t < 0 ? 0 : gst_util_uint64_scale ((guint64) t, rate[0], rate[1] * GST_SECOND);

  while ((gint64) gst_util_uint64_scale (k, rate[1] * GST_SECOND, rate[0]) <= t)
    k++;
  return gst_util_uint64_scale (k, rate[1] * GST_SECOND, rate[0]);
}

/* A row a millisecond, whose value is its time, so that rows on both grids are known. The rate changes at 1.205 s. */
GST_START_TEST (test_rate_while_playing)
{
  const gint *from = rates[__i__ / 2].from, *to = rates[__i__ / 2].to;
  gchar *properties = g_strdup_printf ("rate=%d/%d", from[0], from[1]);
  gchar *framerate = g_strdup_printf ("%d/%d", to[0], to[1]);
  GstHarness *h = harness (__i__ % 2 == 0 ? LIVE : NOT_LIVE, properties, ONE);
  gint64 last = -1;
  guint n_after = 0;

  for (gint t = 0; t < 3000; t++) {
    const gboolean changed = t >= 1205;
    GstBuffer *buffer;

    if (t == 1205)
      set_one (h, "rate", framerate);
    push (h, t, (gfloat) t);
    while ((buffer = gst_harness_try_pull (h))) {
      const gboolean is_first = last < 0 || (changed && n_after == 0);
      gfloat value;

      gst_buffer_extract (buffer, 0, &value, sizeof value);
      fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), after (changed ? to : from, last));
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

/* Without a rate the input's holds, or there is an error. */
GST_START_TEST (test_rate_unset_while_playing)
{
  GstHarness *h = harness (LIVE, "rate=50/1", __i__ ? ONE : F32 ("1", "100/1"));
  const gfloat row = 0;

  push (h, 0, 0);
  set_one (h, "rate", "0/1");
  if (__i__) {
    fail_unless_equals_int (gst_harness_push (h, buffer_of (&row, sizeof row, NS (10))), GST_FLOW_NOT_NEGOTIATED);
    expect_refused_caps (h, "set rate");
  } else {
    push (h, 10, 10);
    expect (h, 0, 0);
    expect (h, 10, 10);
    expect_caps_field (h, "framerate", "100/1");
  }
  harness_close (h);
}

GST_END_TEST;

/* ---- every property at random ---- */

static void
set_random_number (GValue *value, const GParamSpec *pspec, GRand *rand)
{
  const gdouble u = g_rand_double (rand);

  switch (G_TYPE_FUNDAMENTAL (pspec->value_type)) {
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, g_rand_boolean (rand));
      break;
    case G_TYPE_INT:
      g_value_set_int (value, (gint) (u * (G_PARAM_SPEC_INT (pspec)->maximum - (gdouble) G_PARAM_SPEC_INT (pspec)->minimum))
          + G_PARAM_SPEC_INT (pspec)->minimum);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, (guint) (u * G_PARAM_SPEC_UINT (pspec)->maximum));
      break;
    case G_TYPE_INT64:
      g_value_set_int64 (value, (gint64) (pow (u, 8) * 9e18) - 1);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, (guint64) (pow (u, 8) * 1.8e19));
      break;
    default:
      ck_abort_msg ("a property of type %s: name it here", g_type_name (pspec->value_type));
  }
  g_param_value_validate ((GParamSpec *) pspec, value);
}

/* Within its range. A rate so low that no tick may come within the test is none to test with. */
static void
set_at_random (GstHarness *h, const GParamSpec *pspec, GRand *rand)
{
  static const gchar *const lists[] = { "", "0", "0-3", "99", "x", "7-2", "3,3,3", "0,4-9," };
  GValue value = G_VALUE_INIT;

  g_value_init (&value, pspec->value_type);
  if (pspec->value_type == GST_TYPE_FRACTION) {
    gst_value_set_fraction (&value, g_rand_int_range (rand, 10, 5000), g_rand_int_range (rand, 1, 10));
  } else if (pspec->value_type == G_TYPE_STRING) {
    g_value_set_static_string (&value, lists[g_rand_int_range (rand, 0, G_N_ELEMENTS (lists))]);
  } else if (G_TYPE_IS_ENUM (pspec->value_type)) {
    const GEnumClass *class = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    g_value_set_enum (&value, class->values[g_rand_int_range (rand, 0, (gint) class->n_values)].value);
  } else {
    set_random_number (&value, pspec, rand);
  }
  g_object_set_property (G_OBJECT (h->element), pspec->name, &value);
  g_value_unset (&value);
}

/* While rows flow, at 1 kHz, output never ends without an error; and here there is none. */
GST_START_TEST (test_properties_at_random)
{
  GstHarness *h = harness (__i__ % 2 == 0 ? LIVE : NOT_LIVE, "rate=100/1 max-gap=100000000", F32 ("4", "0/1"));
  GRand *rand = g_rand_new_with_seed (1 + __i__);
  const gfloat row[4] = { 1, 0, 0, 0 };
  guint n_properties, n_set = 0;
  GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (h->element), &n_properties);

  for (guint t = 0; t < 20000; t++) {
    const GParamSpec *pspec = specs[g_rand_int_range (rand, 0, (gint) n_properties)];
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

/* ---- segment seeks ---- */

/* SEGMENT_DONE outputs what EOS does, and the next segment goes on from there. */
GST_START_TEST (test_segment_done)
{
  GstHarness *h = harness (__i__, "rate=100/1", ONE);
  GstEvent *event;

  for (guint round = 0; round < 2; round++) {
    GstSegment segment;

    for (guint i = 0; i < 50; i++)
      push (h, 10 * i, (gfloat) i);
    gst_harness_push_event (h, gst_event_new_segment_done (GST_FORMAT_TIME, NS (500)));
    for (guint i = 0; i < 50; i++)
      expect (h, 10 * i, (gfloat) i);
    expect_nothing (h);
    event = pull_event (h, GST_EVENT_SEGMENT_DONE);
    fail_unless (event != NULL);
    gst_event_unref (event);
    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.base = NS (500);
    push_segment (h, &segment);
  }
  harness_close (h);
}

GST_END_TEST;

/* ---- allocation ---- */

typedef struct
{
  GstAllocator parent;
} FailingAllocator;
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
  gboolean has_params;
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
  if (offer.has_params)
    gst_query_add_allocation_param (query, offer.allocator, &offer.params);
  return TRUE;
}

#define BATCH TENSORS ("3", "float32,int64,int64", "1:3:1,3:1,2:1", "0/1")

static GstHarness *
harness_with_offer (const gchar *caps)
{
  GstHarness *h = harness_open (NOT_LIVE, "rate=100/1 gap-policy=nan");

  gst_pad_set_query_function (h->sinkpad, answer_offer);
  start_stream (h, caps);
  push_time_segment (h);
  return h;
}

static GstBuffer *
pull_batch (GstHarness *h)
{
  static const gfloat rows[3] = { 0, 10, 20 };
  static const gint64 times[3] = { 0, 10, 20 }, targets[2] = { 5, 15 };
  GstBuffer *buffer = buffer_of (rows, sizeof rows, 0);

  gst_buffer_append_memory (buffer, gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, (gpointer) times, sizeof times, 0,
          sizeof times, NULL, NULL));
  gst_buffer_append_memory (buffer, gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, (gpointer) targets, sizeof targets,
          0, sizeof targets, NULL, NULL));
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  return gst_harness_try_pull (h);
}

static GstBuffer *
pull_row (GstHarness *h)
{
  push (h, 0, 7);
  push (h, 10, 7);
  gst_harness_push_event (h, gst_event_new_eos ());
  return gst_harness_try_pull (h);
}

/* Rows and batches lie in memory of the pool, or as allocator and parameters say, and have their size. */
GST_START_TEST (test_offered_memory)
{
  const gboolean is_batch = __i__ % 2, has_pool = __i__ / 2 < 2;
  static const gfloat row[1] = { 7 }, batch[2] = { 5, 15 };
  GstBuffer *buffer;
  GstHarness *h;

  memset (&offer, 0, sizeof offer);
  gst_allocation_params_init (&offer.params);
  offer.params.align = 255;
  offer.has_params = TRUE;
  if (has_pool)
    offer.pool = gst_buffer_pool_new ();
  else
    offer.allocator = gst_allocator_find (GST_ALLOCATOR_SYSMEM);
  offer.pool_size = __i__ / 2 == 0 ? 1 : 4096;
  h = harness_with_offer (is_batch ? BATCH : ONE);
  fail_unless_equals_int (offer.n_queries, 1);
  buffer = is_batch ? pull_batch (h) : pull_row (h);
  fail_unless (buffer != NULL);
  fail_unless (buffer->pool == offer.pool);
  fail_unless (gst_buffer_peek_memory (buffer, 0)->align >= 255);
  gst_check_buffer_data (buffer, is_batch ? batch : row, is_batch ? sizeof batch : sizeof row);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 0);
  gst_buffer_unref (buffer);
  harness_close (h);
  gst_clear_object (&offer.pool);
  gst_clear_object (&offer.allocator);
}

GST_END_TEST;

GST_START_TEST (test_offered_memory_that_fails)
{
  const gfloat row = 0;
  GstHarness *h;

  memset (&offer, 0, sizeof offer);
  gst_allocation_params_init (&offer.params);
  offer.has_params = TRUE;
  offer.allocator = g_object_new (failing_allocator_get_type (), NULL);
  h = harness_with_offer (ONE);
  gst_harness_push (h, buffer_of (&row, sizeof row, 0));
  gst_harness_push (h, buffer_of (&row, sizeof row, NS (10)));
  fail_unless_equals_int (gst_harness_push (h, buffer_of (&row, sizeof row, NS (20))), GST_FLOW_ERROR);
  expect_message (h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "the allocator of downstream provides no");
  harness_close (h);
  gst_clear_object (&offer.allocator);
}

GST_END_TEST;

/* Rows in system memory are copied: no buffer of upstream is held. */
GST_START_TEST (test_drain_query)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1", ONE);
  GstQuery *query = gst_query_new_drain ();

  push (h, 0, 0);
  push (h, 5, 0);
  fail_unless (count_of (h, "rows-kept") > 0);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  gst_query_unref (query);
  harness_close (h);
}

GST_END_TEST;

/* ---- holes ---- */

#define DAY_S G_GUINT64_CONSTANT (86400)

static const gchar *const interpolations[] = { "linear", "nearest", "previous", "cubic", "hermite", "mean" };

/* 86 million ticks in a hole: one GAP event, one message. Counting them takes minutes. */
GST_START_TEST (test_hole_of_a_day)
{
  const gboolean holds = __i__ / 2 == 2;        /* previous, for max-gap */
  gchar *properties = g_strdup_printf ("rate=1000/1 max-gap=1000000000 interpolation=%s", interpolations[__i__ / 2]);
  GstHarness *h = harness (__i__ % 2 == 0 ? LIVE : NOT_LIVE, properties, ONE);
  const guint64 n_out = holds ? 1001 : 1;

  push_ns (h, 0, 0);
  gst_harness_set_time (h, DAY_S * GST_SECOND);
  push_ns (h, DAY_S * GST_SECOND, 1);
  push_ns (h, DAY_S * GST_SECOND + 1000000, 1);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_uint64 (count_of (h, "ticks-dropped"), DAY_S * 1000 - n_out);
  fail_unless_equals_uint64 (count_of (h, "ticks-out"), n_out + 2);
  expect_gap (h, (gdouble) n_out, (gdouble) (DAY_S * 1000 - n_out));
  fail_unless (pull_event (h, GST_EVENT_GAP) == NULL);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_QOS), 1);
  g_free (properties);
  harness_close (h);
}

GST_END_TEST;

/* The ticks of a run: 0 none, 1 a row, 2 a missing row or a tick within a GAP. */
static GByteArray *
ticks_of_run (const gchar *policy, guint seed, GstClockTime tick)
{
  gchar *properties = g_strdup_printf ("rate=1000/1 max-gap=5000000 reorder-window=%u interpolation=%s gap-policy=%s",
      seed % 3 * 1000000, interpolations[seed / 2 % G_N_ELEMENTS (interpolations)], policy);
  GstHarness *h = harness (seed % 2 ? LIVE : NOT_LIVE, properties, ONE);
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

/* The memory of a mean is for its rows, however close to each other some are. */
GST_START_TEST (test_mean_of_close_rows)
{
  static const GstClockTime times[] = { 0, 1, 2, GST_SECOND };
  GstHarness *h = harness (NOT_LIVE, "rate=1/1 interpolation=mean", ONE);

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    push_ns (h, times[i], (gfloat) (3 * i));
  gst_harness_push_event (h, gst_event_new_eos ());
  expect_ns (h, 0, 3);
  expect_ns (h, GST_SECOND, 9);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  harness_close (h);
}

GST_END_TEST;

/* A first row at 0 before times of UTC: with any policy an error that names both, at once. */
GST_START_TEST (test_times_of_two_clocks)
{
  static const gchar *policies[] = { "drop", "drop max-gap=1000000000", "nan max-gap=1000000000", "hold max-gap=1000000000" };
  gchar *properties = g_strdup_printf ("rate=1000/1 gap-policy=%s", policies[__i__]);
  GstHarness *h = harness (NOT_LIVE, properties, ONE);
  const GstClockTime utc = 1700000000 * GST_SECOND;
  const gfloat row = 0;

  push_ns (h, 0, 0);
  push_ns (h, utc, 0);
  gst_harness_push (h, buffer_of (&row, sizeof row, utc + 1));
  expect_message (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "rows at 0.000 s and 1700000000.000 s are years apart");
  g_free (properties);
  harness_close (h);
}

GST_END_TEST;

/* ---- logs ---- */

static GString *log_text;

static void
collect_log (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line,
    GObject *object, GstDebugMessage *message, gpointer data)
{
  if (g_str_equal (gst_debug_category_get_name (category), "robocacheresample"))
    g_string_append_printf (log_text, "%s %s\n", gst_debug_level_get_name (level), gst_debug_message_get (message));
}

/* GST_DEBUG=robocacheresample:6 says why a row is missing, and what a tick waits for. */
GST_START_TEST (test_logs)
{
  static const gchar *const lines[] = {
    "INFO    other/tensors",
    "LOG     row at +0:00:00.000000000 inserted",
    "LOG     row at +0:00:00.010000000 late, dropped; newest at +0:00:00.020000000, reorder-window 0 ns",
    "LOG     row at +0:00:00.020000000 replaced",
    "LOG     tick at +0:00:00.020000000 waits for a row after the tick",
    "LOG     tick at +0:00:00.010000000 aligned, rows around it at +0:00:00.000000000 and +0:00:00.020000000",
    "LOG     tick at +0:00:00.030000000 dropped",
    "DEBUG   row at +99:99:99.999999999 dropped: outside-segment",
    "WARN    7 ticks from +0:00:00.030000000 dropped",
  };
  GstHarness *h;
  GstSegment segment;

  log_text = g_string_new (NULL);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (collect_log, NULL, NULL);
  gst_debug_set_threshold_for_name ("robocacheresample", GST_LEVEL_LOG);
  h = harness (NOT_LIVE, "rate=100/1 max-gap=50000000", ONE);
  push (h, 0, 0);
  push (h, 20, 0);
  push (h, 10, 0);
  push (h, 20, 0);
  push (h, 100, 0);
  push (h, 101, 0);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = NS (500);
  push_segment (h, &segment);
  push (h, 102, 0);
  harness_close (h);
  gst_debug_remove_log_function (collect_log);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    fail_unless (strstr (log_text->str, lines[i]) != NULL, "\"%s\" is not in:\n%s", lines[i], log_text->str);
  g_string_free (log_text, TRUE);
}

GST_END_TEST;

static Suite *
robocacheresamplecontract_suite (void)
{
  Suite *s = suite_create ("robocacheresamplecontract");
  TCase *tc = tcase_create ("contract");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_late_setting, 0, G_N_ELEMENTS (late_settings));
  tcase_add_test (tc, test_late_setting_at_the_next_start);
  tcase_add_loop_test (tc, test_rate_while_playing, 0, 2 * G_N_ELEMENTS (rates));
  tcase_add_loop_test (tc, test_rate_unset_while_playing, 0, 2);
  tcase_add_loop_test (tc, test_properties_at_random, 0, 6);
  tcase_add_loop_test (tc, test_segment_done, 0, 2);
  tcase_add_loop_test (tc, test_offered_memory, 0, 6);
  tcase_add_test (tc, test_offered_memory_that_fails);
  tcase_add_test (tc, test_drain_query);
  tcase_add_loop_test (tc, test_hole_of_a_day, 0, 2 * G_N_ELEMENTS (interpolations));
  tcase_add_loop_test (tc, test_holes_against_nan, 0, 36);
  tcase_add_test (tc, test_mean_of_close_rows);
  tcase_add_loop_test (tc, test_times_of_two_clocks, 0, 4);
  tcase_add_test (tc, test_logs);
  return s;
}

GST_CHECK_MAIN (robocacheresamplecontract);

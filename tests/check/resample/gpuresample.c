/* robocache: robocacheresample on a GPU: the CPU's bytes, from and into either memory, in chunks and over devices
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/device/deviceharness.h"

#include "kernels/dtype.h"

#define MS G_GINT64_CONSTANT (1000000)

/* Where a run computes, and which memory its two sides are in. */
static const struct
{
  const gchar *name, *in, *out;
} sides[] = {
  {"system to system", SYSTEM, SYSTEM},
  {"system to device", SYSTEM, DEVICE},
  {"device to system", DEVICE, SYSTEM},
  {"device to device", DEVICE, DEVICE},
};

/* Random bytes that are no NaN of a kind that arithmetic would change: small numbers of every dtype. */
static void
fill (GRand *random, const gchar *type, gpointer data, guint64 n)
{
  for (guint64 i = 0; i < n; i++) {
    if (g_str_equal (type, "float32"))
      ((gfloat *) data)[i] = (gfloat) g_rand_double_range (random, -100, 100);
    else if (g_str_equal (type, "float64"))
      ((gdouble *) data)[i] = g_rand_double_range (random, -100, 100);
    else if (g_str_equal (type, "float16") || g_str_equal (type, "bfloat16"))
      ((guint16 *) data)[i] = (guint16) (0x3000 + g_rand_int_range (random, 0, 0x1000) + (g_rand_boolean (random)
      ? 0x8000 : 0));
    else
      ((gint32 *) data)[i] = g_rand_int_range (random, -1000000, 1000000);
  }
}

static gsize
size_of (const gchar *type)
{
  return g_str_equal (type, "float64") ? 8 : g_str_has_suffix (type, "16") ? 2 : 4;
}

/* ---- streams ---- */

typedef struct
{
  const gchar *type, *properties;
  guint channels, block;        /* rows a buffer */
  gboolean has_times;
} Stream;

static const Stream streams[] = {
  {"float32", "", 1, 1},
  {"float32", "", 14, 1},
  {"float32", "interpolation=nearest", 7, 1},
  {"float32", "interpolation=previous", 7, 5},
  {"float32", "interpolation=cubic", 13, 3},
  {"float32", "interpolation=mean", 6, 1},
  {"float32", "interpolation=hermite velocities=7-13", 14, 2},
  {"float32", "quaternions=3 angles=0-2", 7, 1},
  {"float32", "quaternions=0 interpolation=cubic", 5, 4, TRUE},
  {"float64", "", 33, 1},
  {"float64", "interpolation=mean", 3, 7, TRUE},
  {"float16", "", 9, 1},
  {"bfloat16", "interpolation=cubic", 64, 2},
  {"int32", "", 5, 1},
  {"int32", "type=int32 interpolation=cubic", 5, 1},
  {"float32", "type=float16", 1023, 1},
  {"float32", "", 40000, 1},
  {"float32", "max-gap=11000000 gap-policy=nan", 3, 1},
  {"float32", "max-gap=11000000 gap-policy=hold", 3, 4},
  {"float32", "reorder-window=20000000", 4, 1},
};

static gchar *
stream_caps (const Stream *s, const gchar *media)
{
  return s->has_times ? g_strdup_printf ("%s,format=(string)static,num_tensors=(int)2,types=(string)\"%s,int64\","
      "dimensions=(string)\"%u:%u,%u\",framerate=(fraction)0/1", media, s->type, s->channels, s->block, s->block)
      : g_strdup_printf ("%s,format=(string)static,num_tensors=(int)1,types=(string)%s,dimensions=(string)\"%u:%u\","
      "framerate=(fraction)0/1", media, s->type, s->channels, s->block);
}

static GstBuffer *
stream_buffer (const Stream *s, GRand *random, GstAllocator *allocator, guint i)
{
  const guint64 n = (guint64) s->channels * s->block;
  const gint64 start = i * s->block * 10 * MS + g_rand_int_range (random, 0, 3000000);
  gpointer rows = g_malloc (n * size_of (s->type));
  gint64 *times = g_new (gint64, s->block);
  GstBuffer *buffer;

  fill (random, s->type, rows, n);
  for (guint k = 0; k < s->block; k++)
    times[k] = start + k * 10 * MS + g_rand_int_range (random, 0, 3000000);
  buffer = device_buffer (allocator, rows, n * size_of (s->type), (GstClockTime) start);
  GST_BUFFER_DURATION (buffer) = (GstClockTime) (s->block * 10 * MS);
  if (s->has_times)
    gst_buffer_append_memory (buffer, memory_of (allocator, times, s->block * sizeof (gint64)));
  g_free (times);
  g_free (rows);
  return buffer;
}

static GstHarness *
stream_harness (const Stream *s, const gchar *backend, const gchar *more, const gchar *in, const gchar *out)
{
  gchar *properties = g_strdup_printf ("backend=%s rate=70/1 %s %s", backend, s->properties, more);
  gchar *caps = stream_caps (s, in);
  GstHarness *h = device_harness ("robocacheresample", properties, out);

  gst_harness_set_src_caps_str (h, caps);
  g_free (caps);
  g_free (properties);
  return h;
}

/* Whether the element has given all buffers of upstream back. */
static gboolean
is_drained (GstHarness *h)
{
  GstQuery *query = gst_query_new_drain ();
  const gboolean drained = gst_pad_peer_query (h->srcpad, query);

  gst_query_unref (query);
  return drained;
}

/* The i-th; half way the rate changes. */
static void
push_stream_buffer (GstHarness *h, const Stream *s, GRand *random, GstAllocator *allocator, guint i)
{
  if (i == 30 / s->block)
    gst_util_set_object_arg (G_OBJECT (h->element), "rate", "130/1");
  fail_unless_equals_int (gst_harness_push (h, stream_buffer (s, random, allocator, i)), GST_FLOW_OK);
}

static GByteArray *
run_stream (const Stream *s, const gchar *backend, const gchar *in, const gchar *out)
{
  GstHarness *h = stream_harness (s, backend, "", in, out);
  GstAllocator *allocator = g_str_equal (in, DEVICE) ? allocator_of (h) : NULL;
  GRand *random = g_rand_new_with_seed (7);
  GByteArray *all = g_byte_array_new ();

  fail_unless (g_str_equal (in, SYSTEM) || allocator != NULL);
  for (guint i = 0; i < 60 / s->block + 3; i++) {
    push_stream_buffer (h, s, random, allocator, i);
    pull_all (h, all);
  }
  fail_unless_equals_int (is_drained (h), allocator == NULL);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless (is_drained (h));
  pull_all (h, all);
  expect_no_error (h);
  expect_backend (h, backend);
  g_rand_free (random);
  gst_clear_object (&allocator);
  device_harness_free (h);
  return all;
}

GST_START_TEST (test_stream)
{
  const Stream *s = &streams[__i__ / 4];
  GByteArray *wanted = run_stream (s, "cpu", SYSTEM, SYSTEM);
  GByteArray *got = run_stream (s, "cuda", sides[__i__ % 4].in, sides[__i__ % 4].out);
  gchar *what = g_strdup_printf ("%s %u \"%s\", %s", s->type, s->channels, s->properties, sides[__i__ % 4].name);

  expect_same (got, wanted, what);
  g_free (what);
  g_byte_array_unref (got);
  g_byte_array_unref (wanted);
}

GST_END_TEST;

/* A thousand rows allocate nothing after the first ones. */
GST_START_TEST (test_steady_stream)
{
  static const gchar *const constant[] = { "pool-misses", "device-memory", "pinned-memory" };
  const Stream s = {.type = "float32",.properties = __i__ & 1 ? "interpolation=cubic" : "",.channels = 14,.block = 1 };
  GstHarness *h = stream_harness (&s, "cuda", "", sides[__i__].in, sides[__i__].out);
  GstAllocator *allocator = g_str_equal (sides[__i__].in, DEVICE) ? allocator_of (h) : NULL;
  GRand *random = g_rand_new_with_seed (1);
  gint64 before[G_N_ELEMENTS (constant)] = { 0 };
  const guint n = few_cases ()? 150 : 1100;

  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer;

    if (i == 100) {
      for (guint k = 0; k < G_N_ELEMENTS (constant); k++)
        before[k] = stat_of (h, constant[k]);
    }
    fail_unless_equals_int (gst_harness_push (h, stream_buffer (&s, random, allocator, i)), GST_FLOW_OK);
    while ((buffer = gst_harness_try_pull (h)))
      gst_buffer_unref (buffer);
  }
  for (guint k = 0; k < G_N_ELEMENTS (constant); k++)
    fail_unless (stat_of (h, constant[k]) == before[k], "%s was %" G_GINT64_FORMAT " and is %" G_GINT64_FORMAT,
    constant[k],
        before[k], stat_of (h, constant[k]));
  fail_unless (stat_of (h, "pool-hits") > n / 2 - 50);
  g_rand_free (random);
  gst_clear_object (&allocator);
  device_harness_free (h);
}

GST_END_TEST;

/* Outputs that downstream keeps are its own: none is written again. */
GST_START_TEST (test_kept_outputs)
{
  const Stream s = {.type = "float32",.properties = "",.channels = 100,.block = 1 };
  GByteArray *wanted = run_stream (&s, "cpu", SYSTEM, SYSTEM), *got = g_byte_array_new ();
  GstHarness *h = stream_harness (&s, "cuda", "", SYSTEM, sides[__i__].out);
  GRand *random = g_rand_new_with_seed (7);
  GPtrArray *kept = g_ptr_array_new ();
  GstBuffer *buffer;

  for (guint i = 0; i < 63; i++)
    push_stream_buffer (h, &s, random, NULL, i);
  gst_harness_push_event (h, gst_event_new_eos ());
  while ((buffer = gst_harness_try_pull (h)))
    g_ptr_array_add (kept, buffer);
  for (guint i = 0; i < kept->len; i++)
    add_output (got, kept->pdata[i]);
  expect_same (got, wanted, "kept outputs");
  g_ptr_array_unref (kept);
  g_byte_array_unref (got);
  g_byte_array_unref (wanted);
  g_rand_free (random);
  device_harness_free (h);
}

GST_END_TEST;

/* Two elements, the rows between them on the device. */
GST_START_TEST (test_chain)
{
  const Stream s = {.type = "float32",.properties = "",.channels = 14,.block = 1 };
  const gchar *const middle[] = { SYSTEM, DEVICE };
  GByteArray *all[2];

  for (guint i = 0; i < 2; i++) {
    gchar *line = g_strdup_printf ("robocacheresample backend=%s rate=200/1 ! %s ! robocacheresample backend=%s rate=90/1 "
        "interpolation=cubic", i ? "cuda" : "cpu", middle[i], i ? "cuda" : "cpu");
    GstHarness *h = gst_harness_new_parse (line);
    GRand *random = g_rand_new_with_seed (3);
    gchar *caps = stream_caps (&s, SYSTEM);

    gst_harness_set_sink_caps_str (h, SYSTEM);
    gst_harness_set_src_caps_str (h, caps);
    all[i] = g_byte_array_new ();
    for (guint k = 0; k < 100; k++) {
      fail_unless_equals_int (gst_harness_push (h, stream_buffer (&s, random, NULL, k)), GST_FLOW_OK);
      pull_all (h, all[i]);
    }
    gst_harness_push_event (h, gst_event_new_eos ());
    pull_all (h, all[i]);
    g_free (caps);
    g_free (line);
    g_rand_free (random);
    gst_harness_teardown (h);
  }
  expect_same (all[1], all[0], "two elements");
  g_byte_array_unref (all[0]);
  g_byte_array_unref (all[1]);
}

GST_END_TEST;

/* ---- recorded episodes ---- */

typedef struct
{
  const gchar *type, *properties;
  guint batch, rows, ticks, channels;
} Batch;

static const Batch batches[] = {
  {"float32", "gap-policy=nan", 1, 1, 1, 1},
  {"float32", "gap-policy=nan", 3, 4, 5, 2},
  {"float32", "gap-policy=hold", 32, 500, 256, 14},
  {"float32", "gap-policy=nan interpolation=cubic", 8, 100, 77, 13},
  {"float32", "gap-policy=nan interpolation=nearest", 5, 33, 64, 7},
  {"float32", "gap-policy=hold interpolation=previous", 5, 33, 64, 7},
  {"float32", "gap-policy=nan interpolation=mean rate=100/1", 4, 200, 50, 3},
  {"float32", "gap-policy=nan interpolation=hermite velocities=3-5", 4, 200, 50, 6},
  {"float32", "gap-policy=nan quaternions=0 angles=4", 4, 200, 50, 5},
  {"float64", "gap-policy=nan", 6, 64, 100, 5},
  {"float16", "gap-policy=nan", 6, 64, 100, 5},
  {"bfloat16", "gap-policy=nan", 32, 50, 40, 256},
  {"int32", "gap-policy=nan", 6, 64, 100, 5},
  {"int32", "gap-policy=hold type=int32", 6, 64, 100, 5},
  {"float32", "gap-policy=nan", 2, 6000, 3000, 3},
  {"float32", "gap-policy=nan max-gap=12000000", 9, 40, 90, 1},
  {"float32", "gap-policy=nan", 1, 4, 1, 3000},
};

static gsize
rows_bytes (const Batch *b)
{
  return (gsize) b->batch * b->rows * b->channels * size_of (b->type);
}

static gchar *
batch_caps (const Batch *b, const gchar *media)
{
  return g_strdup_printf ("%s,format=(string)static,num_tensors=(int)3,types=(string)\"%s,int64,int64\",dimensions=(string)"
      "\"%u:%u:%u,%u:%u,%u:%u\",framerate=(fraction)0/1", media, b->type, b->channels, b->rows, b->batch, b->rows,
      b->batch,
      b->ticks, b->batch);
}

/* Every fifth episode goes back in time once. in_one: a memory that holds all three. */
static GstBuffer *
batch_buffer (const Batch *b, GRand *random, GstAllocator *allocator, gboolean in_one, GstClockTime pts)
{
  const gsize n_rows = rows_bytes (b), n_times = (gsize) b->batch * b->rows * 8,
      n_targets = (gsize) b->batch * b->ticks * 8;
  guint8 *all = g_malloc (n_rows + n_times + n_targets);
  gint64 *times = g_malloc (n_times), *targets = g_malloc (n_targets);
  GstBuffer *buffer;

  fill (random, b->type, all, n_rows / size_of (b->type));
  for (guint e = 0; e < b->batch; e++) {
    gint64 t = g_rand_int_range (random, 0, 1000000);

    for (guint i = 0; i < b->rows; i++, t += g_rand_int_range (random, 0, 20000000))
      times[e * b->rows + i] = t;
    for (guint i = 0; i < b->ticks; i++)
      targets[e * b->ticks + i] = (gint64) (g_rand_double_range (random, -0.05, 1.05) * (gdouble) (t + 1));
    if (e % 5 == 4 && b->rows > 2)
      times[e * b->rows + 1] = times[e * b->rows] - 1;
  }
  memcpy (all + n_rows, times, n_times);
  memcpy (all + n_rows + n_times, targets, n_targets);
  if (in_one) {
    buffer = device_buffer (allocator, all, n_rows + n_times + n_targets, pts);
  } else {
    buffer = device_buffer (allocator, all, n_rows, pts);
    gst_buffer_append_memory (buffer, memory_of (allocator, times, n_times));
    gst_buffer_append_memory (buffer, memory_of (allocator, targets, n_targets));
  }
  g_free (targets);
  g_free (times);
  g_free (all);
  return buffer;
}

static GstHarness *
batch_harness (const Batch *b, const gchar *backend, const gchar *more, const gchar *in, const gchar *out)
{
  gchar *properties = g_strdup_printf ("backend=%s %s %s", backend, b->properties, more);
  GstHarness *h = device_harness ("robocacheresample", properties, out);
  gchar *caps = batch_caps (b, in);

  push_start (h, caps);
  g_free (caps);
  g_free (properties);
  return h;
}

typedef struct
{
  gint64 ticks_out, ticks_nan, ticks_held, disordered, chunks, fallbacks, last_pts;
} Counted;

static GByteArray *
run_batch (const Batch *b, const gchar *backend, const gchar *more, guint side, gboolean in_one, Counted *counted)
{
  GstHarness *h = batch_harness (b, backend, more, sides[side].in, sides[side].out);
  GstAllocator *allocator = g_str_equal (sides[side].in, DEVICE) ? allocator_of (h) : NULL;
  GRand *random = g_rand_new_with_seed (11);
  GByteArray *all = g_byte_array_new ();

  fail_unless (g_str_equal (sides[side].in, SYSTEM) || allocator != NULL);
  for (guint i = 0; i < 4; i++) {
    fail_unless_equals_int (gst_harness_push (h, batch_buffer (b, random, allocator, in_one, i * GST_SECOND)),
        GST_FLOW_OK);
    pull_all (h, all);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  expect_no_error (h);
  *counted = (Counted) {
    stat_of (h, "ticks-out"), stat_of (h, "ticks-nan"), stat_of (h, "ticks-held"), stat_of (h, "disordered-episodes"),
    stat_of (h, "chunks"), stat_of (h, "fallbacks"), stat_of (h, "last-pts")
  };
  g_rand_free (random);
  gst_clear_object (&allocator);
  device_harness_free (h);
  return all;
}

/* The same bytes and counts as the CPU's; returns the GPU's counts. */
static Counted
compare_batch (const Batch *b, const gchar *backend, const gchar *more, guint side, gboolean in_one)
{
  gchar *what = g_strdup_printf ("%s %ux%u to %ux%u \"%s\" %s, %s", b->type, b->batch, b->rows, b->ticks, b->channels,
      b->properties, more, sides[side].name);
  Counted wanted, got;
  GByteArray *wanted_bytes = run_batch (b, "cpu", "", 0, in_one, &wanted);
  GByteArray *got_bytes = run_batch (b, backend, more, side, in_one, &got);

  expect_same (got_bytes, wanted_bytes, what);
  fail_unless_equals_int64 (got.ticks_out, wanted.ticks_out);
  fail_unless_equals_int64 (got.ticks_nan, wanted.ticks_nan);
  fail_unless_equals_int64 (got.ticks_held, wanted.ticks_held);
  fail_unless_equals_int64 (got.disordered, wanted.disordered);
  fail_unless_equals_int64 (got.last_pts, 3 * GST_SECOND);
  g_byte_array_unref (got_bytes);
  g_byte_array_unref (wanted_bytes);
  g_free (what);
  return got;
}

GST_START_TEST (test_batch)
{
  const Counted counted = compare_batch (&batches[__i__ / 4], "cuda", "", __i__ % 4, FALSE);

  fail_unless_equals_int64 (counted.chunks, 0);
}

GST_END_TEST;

/* Three tensors in one memory; of odd rows the times lie crooked. */
GST_START_TEST (test_batch_in_one_memory)
{
  static const Batch odd = { "float16", "gap-policy=nan", 3, 7, 9, 3 };

  compare_batch (__i__ / 4 ? &odd : &batches[1], "cuda", "", __i__ % 4, TRUE);
}

GST_END_TEST;

/* Of 32 episodes of 34,048 bytes in and 14,336 out; what is on the device already needs room too. */
static const struct
{
  guint side, bound;
} chunks[] = {
  {0, 1300000}, {0, 600000}, {0, 70000}, {1, 1300000}, {1, 600000}, {2, 1300000},
};

GST_START_TEST (test_chunks)
{
  gchar *more = g_strdup_printf ("max-device-memory=%u", chunks[__i__].bound);
  const Counted counted = compare_batch (&batches[2], "cuda", more, chunks[__i__].side, FALSE);

  fail_unless (counted.chunks >= 4 * 2, "%" G_GINT64_FORMAT " chunks", counted.chunks);
  g_free (more);
}

GST_END_TEST;

/* What one episode needs is named, with what is free. */
GST_START_TEST (test_no_space)
{
  const Batch *b = &batches[2];
  GstHarness *h = batch_harness (b, "cuda", "max-device-memory=20000", SYSTEM, SYSTEM);
  GRand *random = g_rand_new_with_seed (1);

  fail_unless (gst_harness_push (h, batch_buffer (b, random, NULL, FALSE, 0)) != GST_FLOW_OK);
  expect_error (h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "one episode needs |device 0 has 20000 free of "
      "max-device-memory|raise max-device-memory");
  fail_unless (gst_harness_try_pull (h) == NULL);
  g_rand_free (random);
  device_harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_auto_falls_back)
{
  const Counted counted = compare_batch (&batches[2], "auto", "devices=0 max-device-memory=20000", 0, FALSE);

  fail_unless_equals_int64 (counted.fallbacks, 1);
}

GST_END_TEST;

GST_START_TEST (test_steady_batch)
{
  static const gchar *const constant[] = { "pool-misses", "device-memory", "pinned-memory" };
  const Batch b = { "float32", "gap-policy=nan", 4, 50, 20, 7 };
  GstHarness *h = batch_harness (&b, "cuda", "", sides[__i__].in, sides[__i__].out);
  GstAllocator *allocator = g_str_equal (sides[__i__].in, DEVICE) ? allocator_of (h) : NULL;
  GRand *random = g_rand_new_with_seed (1);
  gint64 before[G_N_ELEMENTS (constant)] = { 0 };
  const guint n = few_cases ()? 150 : 1100;

  for (guint i = 0; i < n; i++) {
    if (i == 100) {
      for (guint k = 0; k < G_N_ELEMENTS (constant); k++)
        before[k] = stat_of (h, constant[k]);
    }
    fail_unless_equals_int (gst_harness_push (h, batch_buffer (&b, random, allocator, FALSE, i)), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (h));
  }
  for (guint k = 0; k < G_N_ELEMENTS (constant); k++)
    fail_unless (stat_of (h, constant[k]) == before[k], "%s was %" G_GINT64_FORMAT " and is %" G_GINT64_FORMAT,
    constant[k],
        before[k], stat_of (h, constant[k]));
  gst_harness_push_event (h, gst_event_new_eos ());     /* stats are exact then */
  fail_unless_equals_int64 (stat_of (h, "ticks-out"), n * 80);
  g_rand_free (random);
  gst_clear_object (&allocator);
  device_harness_free (h);
}

GST_END_TEST;

/* ---- devices ---- */

/* One GPU twice splits as two do, but for the copies between them. */
static const gchar *const splits[] = { "devices=0,0", "devices=0,0,0,0,0", "devices=0,1", "devices=1,0" };

GST_START_TEST (test_devices)
{
  const gchar *more = splits[__i__ / 4];
  static const guint picked[] = { 0, 1, 2, 3, 12 };

  if (strchr (more, '1') && !has_gpu (1))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (picked); i++)
    compare_batch (&batches[picked[i]], "cuda", more, __i__ % 4, FALSE);
}

GST_END_TEST;

GST_START_TEST (test_devices_in_chunks)
{
  if (strchr (splits[__i__ / 2], '1') == NULL || has_gpu (1)) {
    gchar *more = g_strdup_printf ("%s max-device-memory=700000", splits[__i__ / 2]);

    compare_batch (&batches[2], "cuda", more, __i__ % 2, FALSE);
    g_free (more);
  }
}

GST_END_TEST;

static const gchar *const wrong_devices[] = { "device-id=99", "devices=99", "devices=0,99" };

GST_START_TEST (test_wrong_device)
{
  gchar *properties = g_strdup_printf ("backend=cuda gap-policy=nan %s", wrong_devices[__i__]);
  GstElement *element = gst_element_factory_make ("robocacheresample", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error;

  set_properties (element, properties);
  gst_element_set_bus (element, bus);
  if (__i__ < 2) {
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  } else {
    GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
    gchar *caps = batch_caps (&batches[1], SYSTEM);

    gst_element_set_bus (element, bus);
    push_start (h, caps);
    g_free (caps);
    gst_harness_teardown (h);
  }
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND), "%s", error->message);
  fail_unless (strstr (error->message, "device is 99; expected 0 to ") != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_bus (element, NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
  g_free (properties);
}

GST_END_TEST;

static Suite *
gpuresample_suite (void)
{
  Suite *suite = suite_create ("gpuresample");
  TCase *tc = tcase_create ("gpu");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_loop_test (tc, test_stream, 0, 4 * G_N_ELEMENTS (streams));
  tcase_add_loop_test (tc, test_steady_stream, 0, 4);
  tcase_add_loop_test (tc, test_kept_outputs, 0, 2);
  tcase_add_test (tc, test_chain);
  tcase_add_loop_test (tc, test_batch, 0, 4 * G_N_ELEMENTS (batches));
  tcase_add_loop_test (tc, test_batch_in_one_memory, 0, 8);
  tcase_add_loop_test (tc, test_chunks, 0, G_N_ELEMENTS (chunks));
  tcase_add_test (tc, test_no_space);
  tcase_add_test (tc, test_auto_falls_back);
  tcase_add_loop_test (tc, test_steady_batch, 0, 4);
  tcase_add_loop_test (tc, test_devices, 0, 4 * G_N_ELEMENTS (splits));
  tcase_add_loop_test (tc, test_devices_in_chunks, 0, 2 * G_N_ELEMENTS (splits));
  tcase_add_loop_test (tc, test_wrong_device, 0, 3);
  return suite;
}

GPU_CHECK_MAIN (gpuresample);

/* robocache: robocachevoxelize on a GPU: the CPU's bytes, from and into either memory, in pieces and over devices
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/device/deviceharness.h"

#include <math.h>

/* Maps of clouds are clouds. */
#define ANY_SYSTEM SYSTEM "; application/x-pointcloud"
#define ANY_DEVICE DEVICE "; application/x-pointcloud(memory:RobocacheCUDA)"
#define GRID "origin=<-1.0,-2.0,0.0> voxel-size=<0.25,0.2,0.5> "

/* Where a run takes its clouds from, and where its grids go. */
static const struct
{
  const gchar *name;
  gboolean in_on_device;
  const gchar *out;
} sides[] = {
  {"system to system", FALSE, ANY_SYSTEM},
  {"system to device", FALSE, ANY_DEVICE},
  {"device to system", TRUE, ANY_SYSTEM},
  {"device to device", TRUE, ANY_DEVICE},
};

/* ---- clouds ---- */

typedef enum
{
  CLOUDS,                       /* of any number of points */
  TENSOR,
  BATCH,
  DEPTH
} Form;

typedef struct
{
  Form form;
  const gchar *type;            /* float16, float32 or float64 */
  guint fields, points, items;
  const gchar *properties;
} Case;

static gchar *
caps_of (const Case *c, gboolean on_device)
{
  static const gchar *const features[] = { "", ",a", ",a,b", ",a,b,c" };
  const gchar *memory = on_device ? "(memory:RobocacheCUDA)" : "";

  if (c->form == CLOUDS)
    return g_strdup_printf ("application/x-pointcloud%s,fields=(string)\"x,y,z%s\",type=(string)%s,framerate=(fraction)10/1",
        memory, features[c->fields - 3], c->type);
  if (c->form == DEPTH)
    return g_strdup ("video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=10/1");
  return g_strdup_printf ("other/tensors%s,format=(string)static,num_tensors=(int)1,types=(string)%s,dimensions=(string)"
      "\"%u:%u:%u\",framerate=(fraction)10/1", memory, c->type, c->fields, c->points, c->items);
}

static guint
size_of (const gchar *type)
{
  return g_str_equal (type, "float64") ? 8 : g_str_equal (type, "float16") ? 2 : 4;
}

static void
put (const gchar *type, gpointer data, guint64 i, gdouble value)
{
  if (g_str_equal (type, "float64"))
    ((gdouble *) data)[i] = value;
  else if (g_str_equal (type, "float32"))
    ((gfloat *) data)[i] = (gfloat) value;
  else                          /* 1 to 2 with a sign: any bits of the fraction will do */
    ((guint16 *) data)[i] = (guint16) (0x3c00 + (gint) (fabs (value) * 1023) % 1024 + (value < 0 ? 0x8000 : 0));
}

/* Clouds of a stream have as many points as caps say, or about so many. Some points are nowhere. */
static GstBuffer *
make_cloud (const Case *c, GRand *random, GstAllocator *allocator, GstClockTime pts)
{
  const guint n = c->form == CLOUDS ? (guint) g_rand_int_range (random, 0, (gint) c->points + 1) : c->points * c->items;
  const gsize bytes = c->form == DEPTH ? 64 * 48 * 2 : (gsize) n * c->fields * size_of (c->type);
  gpointer data = g_malloc0 (bytes + 8);
  GstBuffer *buffer;

  for (guint i = 0; c->form == DEPTH && i < 64 * 48; i++)
    ((guint16 *) data)[i] = (guint16) g_rand_int_range (random, 0, 4000);
  for (guint i = 0; c->form != DEPTH && i < n; i++) {
    for (guint f = 0; f < c->fields; f++)
      put (c->type, data, (guint64) i * c->fields + f, g_rand_double_range (random, -3, 6));
    if (i % 97 == 13 && size_of (c->type) > 2)
      put (c->type, data, (guint64) i * c->fields + i % c->fields, i % 2 ? NAN : INFINITY);
  }
  buffer = device_buffer (allocator, data, bytes, pts);
  g_free (data);
  return buffer;
}

/* ---- runs ---- */

static const gchar *const counted[] = { "buffers", "points", "points-inside", "points-outside", "points-nan",
    "points-infinite",
  "values-clamped", "occupied-voxels", "voxels-over-cap", "buffers-over-cap", "points-over-max", "last-pts"
};

typedef struct
{
  GByteArray *bytes;
  gint64 counts[G_N_ELEMENTS (counted)];
  gint64 chunks, fallbacks, points_read;
} Result;

static GstHarness *
open_harness (const Case *c, const gchar *backend, const gchar *more, guint side)
{
  gchar *properties = g_strdup_printf (GRID "backend=%s %s %s", backend, c->properties, more);
  gchar *caps = caps_of (c, sides[side].in_on_device);
  GstHarness *h = device_harness ("robocachevoxelize", properties, sides[side].out);

  push_start (h, caps);
  g_free (caps);
  g_free (properties);
  return h;
}

static Result
run (const Case *c, const gchar *backend, const gchar *more, guint side)
{
  GstHarness *h = open_harness (c, backend, more, side);
  GstAllocator *allocator = sides[side].in_on_device ? allocator_of (h) : NULL;
  GRand *random = g_rand_new_with_seed (17);
  Result result = { g_byte_array_new () };

  fail_unless (!sides[side].in_on_device || allocator != NULL);
  for (guint i = 0; i < 6; i++) {
    fail_unless_equals_int (gst_harness_push (h, make_cloud (c, random, allocator, i * GST_SECOND)), GST_FLOW_OK);
    pull_all (h, result.bytes);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  expect_no_error (h);
  for (guint i = 0; i < G_N_ELEMENTS (counted); i++)
    result.counts[i] = stat_of (h, counted[i]);
  result.chunks = stat_of (h, "chunks");
  result.fallbacks = stat_of (h, "fallbacks");
  result.points_read = stat_of (h, "points-read");
  g_rand_free (random);
  gst_clear_object (&allocator);
  device_harness_free (h);
  return result;
}

/* The same bytes and counts as the CPU's, and of windows as few points read where there is room; returns what the GPU counted. */
static Result
compare (const Case *c, const gchar *backend, const gchar *more, guint side)
{
  gchar *what = g_strdup_printf ("form %d, %s %u:%u:%u \"%s\" %s, %s", c->form, c->type, c->fields, c->points, c->items,
      c->properties, more, sides[side].name);
  Result wanted = run (c, "cpu", "", 0), got = run (c, backend, more, side);

  expect_same (got.bytes, wanted.bytes, what);
  for (guint i = 0; i < G_N_ELEMENTS (counted); i++)
    fail_unless (got.counts[i] == wanted.counts[i], "%s: %s is %" G_GINT64_FORMAT ", the CPU has %" G_GINT64_FORMAT,
    what,
        counted[i], got.counts[i], wanted.counts[i]);
  fail_unless (*more != '\0' || got.points_read == wanted.points_read, "%s: %" G_GINT64_FORMAT " points were read, the CPU "
      "reads %" G_GINT64_FORMAT, what, got.points_read, wanted.points_read);
  g_byte_array_unref (wanted.bytes);
  g_byte_array_unref (got.bytes);
  g_free (what);
  return got;
}

static const Case cases[] = {
  {CLOUDS, "float32", 3, 2000, 1, "grid=32:20:8"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=33:20:8 type=float32"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=33:20:8 output=bits"},
  {CLOUDS, "float64", 4, 700, 1, "grid=17:9:5 mode=count type=uint8"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=mean"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=mean feature-range=2 type=float16"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=32:20:8 mode=centroid"},
  {CLOUDS, "float32", 4, 2000, 1, "grid=32:20:8 mode=max"},
  {CLOUDS, "float16", 6, 2000, 1, "grid=32:20:8 mode=min type=float16"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=32:20:8 output=sparse max-voxels=100"},
  {CLOUDS, "float32", 4, 2000, 1, "grid=32:20:8 output=sparse max-voxels=5000 mode=mean accumulate=3"},
  {CLOUDS, "float32", 4, 2000, 1, "grid=2097152:2097152:2097152 output=sparse max-voxels=5000 mode=centroid"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=mean accumulate=4"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=32:20:8 accumulate=3"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=33:20:8 mode=count output=sparse max-voxels=3000 accumulate=3"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=mean feature-range=2 accumulate=4"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=max accumulate=4"},
  {BATCH, "float32", 4, 500, 5, "grid=32:20:8 mode=min output=sparse max-voxels=3000 accumulate=3"},
  {TENSOR, "float32", 3, 50000, 1, "grid=128:128:64"},
  {TENSOR, "float64", 4, 333, 1, "grid=32:20:8 mode=count"},
  {BATCH, "float32", 4, 500, 7, "grid=32:20:8 mode=count type=float16"},
  {BATCH, "float32", 4, 500, 7, "grid=32:20:8 mode=mean"},
  {BATCH, "float32", 3, 5000, 32, "grid=64:64:16"},
  {BATCH, "float32", 3, 500, 5, "grid=40:20:8 output=bits accumulate=3"},
  {BATCH, "float32", 4, 500, 6, "grid=32:20:8 output=sparse max-voxels=300 mode=max"},
  {CLOUDS, "float32", 4, 2000, 1, "grid=32:20:8 output=index"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=32:20:8 output=rank max-voxels=500 accumulate=3"},
  {TENSOR, "float64", 4, 777, 1, "grid=32:20:8 output=rank"},
  {BATCH, "float32", 4, 500, 7, "grid=32:20:8 output=index"},
  {BATCH, "float32", 3, 500, 6, "grid=32:20:8 output=rank max-voxels=300 accumulate=2"},
  {BATCH, "float32", 3, 500, 6, "grid=32:20:8 output=rank max-voxels=300 accumulate=4"},
  {DEPTH, "float32", 3, 0, 1, "grid=32:20:8 fx=40 fy=40 cx=32 cy=24 output=rank"},
  {DEPTH, "float32", 3, 0, 1, "grid=32:20:8 fx=40 fy=40 cx=32 cy=24 output=rank accumulate=3"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=16:10:4 mode=first output=sparse max-voxels=300 max-points=3 accumulate=3"},
  {TENSOR, "float64", 4, 777, 1, "grid=16:10:4 mode=first output=sparse max-voxels=900 max-points=2 type=float16"},
  {BATCH, "float32", 4, 500, 7, "grid=16:10:4 mode=first output=sparse max-voxels=300 max-points=5"},
  {DEPTH, "float32", 3, 0, 1, "grid=32:20:8 fx=40 fy=40 cx=32 cy=24 mode=first output=sparse max-voxels=2000 max-points=3"},
  {DEPTH, "float32", 3, 0, 1, "grid=32:20:8 fx=40 fy=40 cx=32 cy=24 mode=count"},
  {DEPTH, "float32", 3, 0, 1, "grid=32:20:8 fx=40 fy=40 cx=32 cy=24 mode=centroid output=sparse accumulate=3"},
};

GST_START_TEST (test_same_as_the_cpu)
{
  const Case *c = &cases[__i__ / 4];
  const guint side = __i__ % 4;

  if (c->form != DEPTH || !sides[side].in_on_device)    /* images are in system memory */
    fail_unless_equals_int64 (compare (c, "cuda", "", side).chunks, 0);
}

GST_END_TEST;

/* ---- memory ---- */

static const struct
{
  Case c;
  guint side, bound;
} tight[] = {
  {{TENSOR, "float32", 3, 50000, 1, "grid=64:64:16"}, 0, 400000},
  {{TENSOR, "float32", 5, 50000, 1, "grid=32:20:8 mode=mean"}, 0, 2600000},
  {{TENSOR, "float32", 5, 50000, 1, "grid=32:20:8 mode=mean"}, 1, 2600000},
  {{BATCH, "float32", 3, 5000, 32, "grid=64:64:16"}, 0, 500000},
  {{BATCH, "float32", 4, 5000, 9, "grid=32:20:8 mode=mean accumulate=2"}, 0, 700000},
  {{DEPTH, "float32", 3, 0, 1, "grid=32:20:8 fx=40 fy=40 cx=32 cy=24 mode=centroid accumulate=2"}, 0, 212000},
  {{CLOUDS, "float32", 3, 20000, 1, "grid=32:20:8 output=rank max-voxels=500 accumulate=3"}, 0, 300000},
  {{CLOUDS, "float32", 5, 20000, 1, "grid=32:20:8 mode=mean accumulate=4"}, 0, 500000},
  {{CLOUDS, "float32", 5, 20000, 1, "grid=32:20:8 mode=max accumulate=4"}, 0, 500000},
};

GST_START_TEST (test_pieces)
{
  gchar *more = g_strdup_printf ("max-device-memory=%u", tight[__i__].bound);
  const Result result = compare (&tight[__i__].c, "cuda", more, tight[__i__].side);

  fail_unless (result.chunks > 1, "%" G_GINT64_FORMAT " chunks", result.chunks);
  g_free (more);
}

GST_END_TEST;

GST_START_TEST (test_no_space)
{
  static const Case c = { TENSOR, "float32", 3, 100, 1, "grid=256:256:256 mode=count" };
  GstHarness *h = open_harness (&c, "cuda", "max-device-memory=1000000", __i__);

  expect_error (h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "a voxel grid needs |device 0 has 1000000 free of "
      "max-device-memory|smaller grid");
  device_harness_free (h);
}

GST_END_TEST;

/* 64 x 48 pixels with 8 bytes each, where the lens distorts. */
GST_START_TEST (test_no_space_for_rays)
{
  static const Case flat = { DEPTH, "float32", 3, 0, 1, "grid=8:8:8 fx=40 fy=40 cx=32 cy=24 mode=count" };
  static const Case lens = { DEPTH, "float32", 3, 0, 1, "grid=8:8:8 fx=40 fy=40 cx=32 cy=24 mode=count k1=0.1" };
  GstHarness *h;

  compare (&flat, "cuda", "max-device-memory=24000", __i__);
  compare (&lens, "cuda", "max-device-memory=48000", __i__);
  h = open_harness (&lens, "cuda", "max-device-memory=24000", __i__);
  expect_error (h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "a voxel grid needs |device 0 has 24000 free of max-device-memory");
  device_harness_free (h);
}

GST_END_TEST;

/* How many points come nobody knows before they do, and each takes scratch: 11 MB, of which the grid takes 0.1. */
GST_START_TEST (test_no_space_for_a_cloud)
{
  static const Case c = { CLOUDS, "float32", 3, 200000, 1,
    "grid=64:64:64 mode=centroid output=sparse max-voxels=1000" };
  GstHarness *h = open_harness (&c, "cuda", "max-device-memory=1000000", __i__);
  gfloat *points = g_new0 (gfloat, 3 * 200000);

  fail_unless_equals_int (gst_harness_push (h, device_buffer (NULL, points, 3 * 200000 * sizeof (gfloat), 0)),
      GST_FLOW_ERROR);
  expect_error (h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, " needs | free of max-device-memory");
  fail_unless (gst_harness_try_pull (h) == NULL);
  fail_unless_equals_int (gst_harness_push (h, device_buffer (NULL, points, 12, 0)), GST_FLOW_ERROR);
  expect_no_error (h);          /* said once */
  g_free (points);
  device_harness_free (h);
}

GST_END_TEST;

/* Outputs are as large as clouds: what is asked for, what there is, and what to change. */
GST_START_TEST (test_no_space_for_an_output)
{
  static const Case c = { CLOUDS, "float32", 3, 200000, 1, "grid=8:8:8 output=index" };
  GstHarness *h = open_harness (&c, "cuda", "max-device-memory=1000000", 3);
  gfloat *points = g_new0 (gfloat, 3 * 200000);

  fail_unless_equals_int (gst_harness_push (h, device_buffer (NULL, points, 3 * 200000 * sizeof (gfloat), 0)),
      GST_FLOW_ERROR);
  expect_error (h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "a number for each point: 1600000 bytes needed|"
      " free of max-device-memory=1000000: take smaller clouds");
  g_free (points);
  device_harness_free (h);
}

GST_END_TEST;

/* With auto the CPU goes on: known from caps. */
GST_START_TEST (test_auto_falls_back)
{
  static const Case c = { BATCH, "float32", 3, 100, 2, "grid=64:64:16 mode=count" };
  const Result result = compare (&c, "auto", "devices=0 max-device-memory=10000", 0);

  fail_unless_equals_int64 (result.fallbacks, 1);
}

GST_END_TEST;

/* The same, known only when the cloud is there: the CPU maps it. */
GST_START_TEST (test_auto_falls_back_at_a_cloud)
{
  static const Case c = { CLOUDS, "float32", 4, 0, 1, "grid=64:64:16 output=sparse mode=centroid max-voxels=1000" };
  static const guint sizes[] = { 20, 20000, 20 };
  static const gchar *const backends[] = { "cuda", "cpu", "cpu" };
  GstHarness *h = open_harness (&c, "auto", "max-device-memory=300000", 2), *cpu = open_harness (&c, "cpu", "", 0);
  GstHarness *without_bound = open_harness (&c, "cuda", "", 2);
  GstAllocator *allocator = allocator_of (without_bound);
  GByteArray *wanted = g_byte_array_new (), *got = g_byte_array_new ();
  gfloat *points = g_new (gfloat, 4 * 20000);
  GRand *random = g_rand_new_with_seed (5);

  for (guint i = 0; i < 4 * 20000; i++)
    points[i] = (gfloat) g_rand_double_range (random, -1, 6);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    fail_unless_equals_int (gst_harness_push (cpu, device_buffer (NULL, points, sizes[i] * 16, i)), GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_push (h, device_buffer (allocator, points, sizes[i] * 16, i)), GST_FLOW_OK);
    expect_backend (h, backends[i]);
  }
  pull_all (cpu, wanted);
  pull_all (h, got);
  expect_same (got, wanted, "before and after");
  expect_no_error (h);
  fail_unless_equals_int64 (stat_of (h, "fallbacks"), 1);
  fail_unless_equals_int64 (stat_of (h, "buffers"), 3);
  g_rand_free (random);
  g_free (points);
  g_byte_array_unref (got);
  g_byte_array_unref (wanted);
  gst_object_unref (allocator);
  device_harness_free (without_bound);
  device_harness_free (cpu);
  device_harness_free (h);
}

GST_END_TEST;

/* A thousand clouds of one size allocate nothing after the first ones. */
GST_START_TEST (test_steady)
{
  static const gchar *const constant[] = { "pool-misses", "device-memory", "pinned-memory" };
  static const Case steady[] = {
    {TENSOR, "float32", 4, 300, 1, "grid=16:16:8 mode=mean"},
    {TENSOR, "float32", 4, 300, 1, "grid=16:16:8 output=sparse max-voxels=50 accumulate=3"},
    {TENSOR, "float32", 4, 300, 1, "grid=16:16:8 mode=mean accumulate=4"},
    {BATCH, "float32", 3, 100, 4, "grid=16:16:8"},
  };
  const guint side = __i__ % 4;
  const Case *c = &steady[__i__ / 4];
  GstHarness *h = open_harness (c, "cuda", "", side);
  GstAllocator *allocator = sides[side].in_on_device ? allocator_of (h) : NULL;
  GRand *random = g_rand_new_with_seed (1);
  gint64 before[G_N_ELEMENTS (constant)] = { 0 };
  const guint n = few_cases ()? 150 : 1100;

  for (guint i = 0; i < n; i++) {
    if (i == 100) {
      for (guint k = 0; k < G_N_ELEMENTS (constant); k++)
        before[k] = stat_of (h, constant[k]);
    }
    fail_unless_equals_int (gst_harness_push (h, make_cloud (c, random, allocator, i)), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (h));
  }
  for (guint k = 0; k < G_N_ELEMENTS (constant); k++)
    fail_unless (stat_of (h, constant[k]) == before[k], "%s was %" G_GINT64_FORMAT " and is %" G_GINT64_FORMAT,
    constant[k],
        before[k], stat_of (h, constant[k]));
  gst_harness_push_event (h, gst_event_new_eos ());     /* stats are exact then */
  fail_unless_equals_int64 (stat_of (h, "buffers"), n);
  g_rand_free (random);
  gst_clear_object (&allocator);
  device_harness_free (h);
}

GST_END_TEST;

/* What downstream does with a grid on the CPU: i % 5 == 4 as behind a tee, where the other branch keeps it as it was. */
static void
use_output (GByteArray *bytes, GstBuffer *output, guint i)
{
  static const GstMapFlags flags[] = { GST_MAP_WRITE, GST_MAP_READWRITE, GST_MAP_READ, GST_MAP_READ };
  GstBuffer *other = gst_buffer_ref (output);
  GstMapInfo map;

  if (i % 5 == 4) {
    output = gst_buffer_make_writable (output);
    fail_unless (output != other);
  } else {
    add_output (bytes, g_steal_pointer (&other));
  }
  fail_unless (gst_buffer_map (output, &map, flags[i % G_N_ELEMENTS (flags)]));
  if (map.flags & GST_MAP_WRITE)
    memset (map.data, (int) i + 1, map.size);
  gst_buffer_unmap (output, &map);
  gst_buffer_unref (output);
  if (other)
    add_output (bytes, other);
}

/* Grids that downstream keeps, or writes to before it releases them, do not change others. */
GST_START_TEST (test_used_outputs)
{
  static const struct
  {
    Case c;
    gboolean is_kept;
  } used[] = {
    {{TENSOR, "float32", 4, 3000, 1, "grid=32:20:8"}, FALSE}, {{TENSOR, "float32", 4, 300, 1, "grid=33:20:8 mode=mean"}, FALSE},
    {{BATCH, "float32", 4, 500, 7, "grid=32:20:8 mode=count type=float16"}, FALSE},
    {{TENSOR, "float32", 4, 3000, 1, "grid=32:20:8 mode=mean"}, TRUE},
  };
  const Case *c = &used[__i__ / 2].c;
  GByteArray *all[2] = { g_byte_array_new (), g_byte_array_new () };

  for (guint gpu = 0; gpu < 2; gpu++) {
    GstHarness *h = open_harness (c, gpu ? "cuda" : "cpu", "", gpu ? (guint) __i__ % 2 : 0);
    GRand *random = g_rand_new_with_seed (3);
    GPtrArray *kept = g_ptr_array_new ();

    for (guint i = 0; i < 45; i++) {
      fail_unless_equals_int (gst_harness_push (h, make_cloud (c, random, NULL, i)), GST_FLOW_OK);
      if (used[__i__ / 2].is_kept)
        g_ptr_array_add (kept, gst_harness_pull (h));
      else
        use_output (all[gpu], gst_harness_pull (h), i);
    }
    for (guint i = 0; i < kept->len; i++)
      add_output (all[gpu], kept->pdata[i]);
    expect_no_error (h);
    g_ptr_array_unref (kept);
    g_rand_free (random);
    device_harness_free (h);
  }
  expect_same (all[1], all[0], c->properties);
  g_byte_array_unref (all[0]);
  g_byte_array_unref (all[1]);
}

GST_END_TEST;

/* More voxels than there is room for: said once, a buffer later at most, and counted. */
GST_START_TEST (test_over_cap)
{
  static const Case c = { TENSOR, "float32", 3, 3000, 1, "grid=32:20:8 output=sparse max-voxels=10" };
  GstHarness *h = open_harness (&c, "cuda", "", __i__);
  GRand *random = g_rand_new_with_seed (2);
  GstBus *bus = gst_element_get_bus (h->element);
  GstMessage *message;

  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (h, make_cloud (&c, random, NULL, i)), GST_FLOW_OK);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_unref (message);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  fail_unless_equals_int64 (stat_of (h, "buffers-over-cap"), 3);
  gst_object_unref (bus);
  g_rand_free (random);
  device_harness_free (h);
}

GST_END_TEST;

/* ---- devices ---- */

/* One GPU twice splits as two do, but for the copies between them. */
static const gchar *const splits[] = { "devices=0,0", "devices=0,0,0,0,0,0,0,0,0", "devices=0,1", "devices=1,0" };

GST_START_TEST (test_devices)
{
  const gchar *more = splits[__i__ / 4];

  if (strchr (more, '1') && !has_gpu (1))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (cases[i].form == BATCH && (!few_cases () || i % 4 == (guint) __i__ % 4))
      compare (&cases[i], "cuda", more, __i__ % 4);
  }
  compare (&cases[0], "cuda", more, __i__ % 4); /* nothing to split */
}

GST_END_TEST;

/* Clouds whose number of points caps do not say. */
static const Case told[] = {
  {CLOUDS, "float32", 4, 60000, 1, "grid=16:16:8 mode=mean output=sparse max-voxels=500"},
  {CLOUDS, "float32", 3, 60000, 1, "grid=64:64:64 mode=centroid output=sparse max-voxels=500"},
  {CLOUDS, "float64", 4, 60000, 1, "grid=16:16:8 mode=mean"},
};

/* The number that ends what the text has before it. */
static guint64
number_before (const gchar *text, const gchar *after)
{
  const gchar *end = strstr (text, after), *begin = end;

  fail_unless (end != NULL, "\"%s\" lacks \"%s\"", text, after);
  while (begin > text && g_ascii_isdigit (begin[-1]))
    begin--;
  return g_ascii_strtoull (begin, NULL, 10);
}

/* Raises max-device-memory by what an error says that there is too little; 0: it suffices. */
static guint64
raise_bound (const Case *c, guint64 bound, guint side, gchar **text)
{
  gchar *more = g_strdup_printf ("max-device-memory=%" G_GUINT64_FORMAT, bound);
  GstHarness *h = open_harness (c, "cuda", more, side);
  GRand *random = g_rand_new_with_seed (5);
  const gboolean ok = gst_harness_push (h, make_cloud (c, random, NULL, 0)) == GST_FLOW_OK;
  GstBus *bus = gst_element_get_bus (h->element);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  gst_object_unref (bus);
  fail_unless_equals_int (ok, message == NULL);
  g_free (more);
  g_rand_free (random);
  if (message) {
    gst_message_parse_error (message, &error, NULL);
    fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT));
    *text = g_strdup (error->message);
    bound += number_before (*text, " bytes, and device") - number_before (*text, " free of max-device-memory");
    g_error_free (error);
    gst_message_unref (message);
  }
  device_harness_free (h);
  return message ? bound : 0;
}

GST_START_TEST (test_who_raises_the_bound_gets_on)
{
  const Case *c = &told[__i__ / 2];
  gchar *text = NULL;
  guint64 bound = raise_bound (c, 250000, __i__ % 2, &text);

  fail_unless (bound > 0, "there was room");
  fail_unless (strstr (text, "a voxel grid of ") && strstr (text, "raise max-device-memory"), "%s", text);
  g_clear_pointer (&text, g_free);
  fail_unless_equals_uint64 (raise_bound (c, bound, __i__ % 2, &text), 0);
}

GST_END_TEST;

static Suite *
gpuvoxelize_suite (void)
{
  Suite *suite = suite_create ("gpuvoxelize");
  TCase *tc = tcase_create ("gpu");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_loop_test (tc, test_same_as_the_cpu, 0, 4 * G_N_ELEMENTS (cases));
  tcase_add_loop_test (tc, test_pieces, 0, G_N_ELEMENTS (tight));
  tcase_add_loop_test (tc, test_no_space, 0, 2);
  tcase_add_loop_test (tc, test_no_space_for_rays, 0, 2);
  tcase_add_loop_test (tc, test_no_space_for_a_cloud, 0, 2);
  tcase_add_loop_test (tc, test_who_raises_the_bound_gets_on, 0, 2 * G_N_ELEMENTS (told));
  tcase_add_test (tc, test_no_space_for_an_output);
  tcase_add_test (tc, test_auto_falls_back);
  tcase_add_test (tc, test_auto_falls_back_at_a_cloud);
  tcase_add_loop_test (tc, test_steady, 0, 4 * 4);
  tcase_add_loop_test (tc, test_used_outputs, 0, 8);
  tcase_add_loop_test (tc, test_over_cap, 0, 2);
  tcase_add_loop_test (tc, test_devices, 0, 4 * G_N_ELEMENTS (splits));
  return suite;
}

GPU_CHECK_MAIN (gpuvoxelize);

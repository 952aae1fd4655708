/* robocache: robocachevoxelize writes of a grid what changes, into memory that it uses again
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/randomclouds.h"

/* Modes and types whose grids have as many bytes use the same blocks. */
GST_START_TEST (test_mode_changes_while_playing)
{
  static const gchar *const modes[] = { "occupancy", "count", "max", "min", "count", "mean", "occupancy" };
  GRand *random = g_rand_new_with_seed (11);
  GstHarness *h = start_on ("grid=40:7:5 type=float32", "", 0, 1);

  for (guint i = 0; i < 40; i++) {
    const gchar *mode = modes[i / 2 % G_N_ELEMENTS (modes)];
    gchar *kind = g_strdup_printf ("grid=40:7:5 type=float32 mode=%s", mode);
    GstBuffer *cloud = random_cloud (random, (guint) g_rand_int_range (random, 0, MAX_POINTS), 1), *output;

    gst_util_set_object_arg (G_OBJECT (h->element), "mode", mode);
    output = push_pull (h, gst_buffer_copy (cloud));
    expect_bytes (output, made_of (kind, cloud), kind, i);
    gst_buffer_unref (output);
    g_free (kind);
  }
  harness_close (h);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- what it costs ---- */

#define FAR 9999                /* of grid 10000:1:1 */

/* Writes where nobody may, as a sign of what is written there later. */
static GstMemory *
leave_a_sign (GstBuffer *buffer, gsize at)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  map.data[at] = 77;
  gst_memory_unmap (memory, &map);
  return memory;
}

static guint8
byte_at (GstBuffer *buffer, gsize at)
{
  guint8 byte;

  fail_unless_equals_int (gst_buffer_extract (buffer, at, &byte, 1), 1);
  return byte;
}

/* In system memory the same block comes back, and of it only the voxels of the two clouds are written, however often it is
 * used; but all of it once somebody could have written to it, or the settings are others. */
GST_START_TEST (test_only_what_changes_is_written)
{
  GstHarness *h = harness_with_caps (UNIT "backend=cpu grid=10000:1:1", XYZ);
  GstBuffer *output = push_pull (h, cloud (1, 0, 0));
  GstMemory *memory = leave_a_sign (output, FAR);

  for (guint i = 0; i < 5; i++) {
    gst_buffer_unref (output);
    output = push_pull (h, cloud ((gfloat) (i * 40), 0, 0));
    fail_unless (gst_buffer_peek_memory (output, 0) == memory);
    fail_unless_equals_int (byte_at (output, i * 40), 1);
    fail_unless_equals_int (byte_at (output, i > 0 ? (i - 1) * 40 : 1), 0);
    fail_unless_equals_int (byte_at (output, FAR), 77);
  }
  if (__i__ == 0) {
    GstMapInfo map;

    fail_unless (gst_buffer_map (output, &map, GST_MAP_WRITE));
    gst_buffer_unmap (output, &map);
  } else if (__i__ == 1) {
    gst_util_set_object_arg (G_OBJECT (h->element), "origin", "<0.5,0.0,0.0>");
  } else {
    gst_util_set_object_arg (G_OBJECT (h->element), "mode", "count");
    gst_util_set_object_arg (G_OBJECT (h->element), "type", "uint8");
  }
  gst_buffer_unref (output);
  output = push_pull (h, cloud (3.75, 0, 0));
  fail_unless_equals_int (byte_at (output, 3), 1);
  fail_unless_equals_int (byte_at (output, FAR), 0);
  gst_buffer_unref (output);
  harness_close (h);
}

GST_END_TEST;

/* Downstream takes the memory out of a buffer, lets the buffer go, and puts the memory into one of its own. */
GST_START_TEST (test_memory_in_another_buffer)
{
  GstHarness *h = harness_with_caps (UNIT "grid=100:1:1", XYZ);
  GstBuffer *output = push_pull (h, cloud (1, 0, 0)), *own = gst_buffer_new ();
  GstMemory *memory = gst_buffer_get_memory (output, 0);
  GBytes *before;

  gst_buffer_unref (output);
  gst_buffer_append_memory (own, memory);
  before = bytes_of (own);
  output = push_pull (h, cloud (50, 0, 0));
  expect_bytes (own, before, "memory in another buffer", 0);
  gst_buffer_unref (own);
  gst_buffer_unref (output);
  harness_close (h);
}

GST_END_TEST;

/* A map that was begun before a grid was made in the memory ends after it. */
GST_START_TEST (test_map_over_a_grid)
{
  GstHarness *h = harness_with_caps (UNIT "grid=100:1:1", XYZ);
  GstBuffer *output = push_pull (h, cloud (1, 0, 0));
  GstMemory *memory = gst_buffer_get_memory (output, 0);
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  gst_buffer_unref (output);
  gst_buffer_unref (push_pull (h, cloud (50, 0, 0)));
  map.data[70] = 9;
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
  output = push_pull (h, cloud (3, 0, 0));
  fail_unless_equals_int (byte_at (output, 70), 0);
  gst_buffer_unref (output);
  harness_close (h);
}

GST_END_TEST;

/* ---- maps of clouds ---- */

static GstBuffer *
long_cloud (guint n)
{
  gfloat *points = g_new0 (gfloat, 3 * n);
  GstBuffer *buffer;

  for (guint i = 0; i < n; i++)
    points[3 * i] = (gfloat) (i % 5);
  buffer = untimed_buffer (points, 12 * n);
  g_free (points);
  return buffer;
}

static void
expect_long (GstBuffer *output, guint n)
{
  gint64 *map = g_new (gint64, n + 1);

  fail_unless_equals_uint64 (gst_buffer_get_size (output), n * sizeof (gint64));
  gst_buffer_extract (output, 0, map, n * sizeof (gint64));
  for (guint i = 0; i < n; i++)
    fail_unless (map[i] == (i % 5 < 4 ? (gint64) (i % 5) : -1), "point %u of %u", i, n);
  gst_buffer_unref (output);
  g_free (map);
}

/* Clouds that grow and shrink, while readers hold on to maps. */
GST_START_TEST (test_any_number_of_points)
{
  static const guint numbers[] = { 5, 700, 3, 0, 701, 10000, 699, 12000, 1, 15000, 15001 };
  GstHarness *h = harness_with_caps (UNIT "output=index", XYZ);
  GstBuffer *outputs[G_N_ELEMENTS (numbers)];

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    outputs[i] = push_pull (h, long_cloud (numbers[i]));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    expect_long (outputs[i], numbers[i]);
  harness_close (h);
}

GST_END_TEST;

/* A map that comes back is the next one, and so is a grid: a buffer that was freed would have lost what was noted on it. Nothing
 * is allocated after the first ones. */
GST_START_TEST (test_memory_is_used_again)
{
  GstHarness *h = harness_with_caps (__i__ ? UNIT : UNIT "output=index", XYZ);
  const GQuark seen = g_quark_from_static_string ("seen");
  gint64 misses = 0;

  for (guint i = 0; i < 20; i++) {
    const guint n = i == 0 ? 1000 : 900 + i;
    GstBuffer *output = push_pull (h, long_cloud (n));

    fail_unless_equals_int (gst_buffer_n_memory (output), 1);
    fail_unless (i == 0 || gst_mini_object_get_qdata (GST_MINI_OBJECT (output), seen), "buffer %u", i);
    gst_mini_object_set_qdata (GST_MINI_OBJECT (output), seen, h, NULL);
    if (__i__ == 0) {
      expect_long (output, n);
    } else {
      gst_check_buffer_data (output, ((const guint8[24]) {1, 1, 1, 1}), 24);
      gst_buffer_unref (output);
    }
    if (i == 3)
      misses = count_of (h, "pool-misses");
  }
  fail_unless_equals_int64 (count_of (h, "pool-misses"), misses);
  fail_unless (count_of (h, "pool-hits") >= 16);
  harness_close (h);
}

GST_END_TEST;

/* ---- memory that downstream asks for ---- */

static const struct
{
  gboolean names_allocator;
  gsize align;
  GstMemoryFlags flags;
  gsize prefix;
  gboolean is_ours;
} proposals[] = {
  {FALSE, 0, 0, 0, TRUE},
  {FALSE, 63, 0, 64, TRUE},
  {FALSE, 255, 0, 0, TRUE},
  {FALSE, 4095, 0, 0, FALSE},
  {FALSE, 0, GST_MEMORY_FLAG_ZERO_PADDED, 0, FALSE},
  {TRUE, 0, 0, 0, FALSE},
};

GST_START_TEST (test_memory_that_downstream_asks_for)
{
  GstAllocator *allocator = proposals[__i__].names_allocator ? gst_allocator_find (GST_ALLOCATOR_SYSMEM) : NULL;
  GstHarness *h = voxelize_harness (UNIT "backend=cpu grid=40:7:5");
  GRand *random = g_rand_new_with_seed (7);
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  params.align = proposals[__i__].align;
  params.flags = proposals[__i__].flags;
  params.prefix = proposals[__i__].prefix;
  gst_harness_set_propose_allocator (h, allocator, &params);
  gst_harness_set_src_caps_str (h, XYZI);
  for (guint i = 0; i < 10; i++) {
    GstBuffer *cloud = random_cloud (random, (guint) g_rand_int_range (random, 0, MAX_POINTS), 1);
    GstBuffer *output = push_pull (h, gst_buffer_copy (cloud));
    GstMapInfo map;

    fail_unless_equals_int (gst_memory_is_type (gst_buffer_peek_memory (output, 0), "RobocacheMemory"),
        proposals[__i__].is_ours);
    fail_unless (gst_buffer_map (output, &map, GST_MAP_READ));
    fail_unless_equals_int ((int) (GPOINTER_TO_SIZE (map.data) & params.align), 0);
    gst_buffer_unmap (output, &map);
    expect_bytes (output, made_of ("grid=40:7:5", cloud), "memory", i);
    fail_unless (gst_buffer_is_writable (output));
    if (i % 2)
      gst_buffer_memset (output, 0, 0x55, gst_buffer_get_size (output));
    gst_buffer_unref (output);
  }
  g_rand_free (random);
  harness_close (h);
}

GST_END_TEST;

CHECK_MAIN (voxelize_clearing, NULL, NULL, ONCE (test_mode_changes_while_playing), TIMES (3, test_only_what_changes_is_written),
    ONCE (test_memory_in_another_buffer), ONCE (test_map_over_a_grid), ONCE (test_any_number_of_points), TIMES (2,
    test_memory_is_used_again),
    EACH (proposals, test_memory_that_downstream_asks_for))

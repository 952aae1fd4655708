/* robocache: robocachevoxelize on batches of clouds: each item is the grid that its cloud makes alone
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/voxelizeharness.h"

#define N 40                    /* points of a cloud */
#define B 5
#define FIELDS 5
#define CLOUD TENSORS "types=(string)float32,dimensions=(string)5:40"
#define BATCH TENSORS "types=(string)float32,dimensions=(string)5:40:5"

typedef struct
{
  gfloat points[B][N][FIELDS];
} Clouds;

static void
make_clouds (Clouds *clouds, guint32 seed)
{
  GRand *random = g_rand_new_with_seed (seed);

  for (guint b = 0; b < B; b++) {
    for (guint i = 0; i < N; i++) {
      for (guint f = 0; f < FIELDS; f++)
        clouds->points[b][i][f] = (gfloat) g_rand_double_range (random, -0.5, 4.5);
    }
  }
  clouds->points[1][3][0] = NAN;
  clouds->points[2][4][1] = INFINITY;
  clouds->points[3][5][3] = NAN;
  g_rand_free (random);
}

static const gchar *const kinds[] = {
  "mode=occupancy", "mode=occupancy output=bits", "mode=count", "mode=count type=float16", "mode=mean",
  "mode=mean feature-range=2", "mode=mean type=float16", "mode=centroid", "mode=max", "mode=min type=float16",
  "output=sparse max-voxels=20", "output=sparse max-voxels=200 mode=count type=uint8",
  "output=sparse max-voxels=9 mode=mean",
  "output=sparse max-voxels=64 mode=centroid", "output=sparse max-voxels=64 mode=max",
  "mode=mean accumulate=3", "output=sparse max-voxels=64 mode=min accumulate=2",
  "output=index", "output=rank max-voxels=9", "output=rank accumulate=3",
  "mode=pillars output=sparse max-voxels=20 max-points=3",
  "mode=first output=sparse max-voxels=20 max-points=2", "mode=first output=sparse max-voxels=9 type=float16 accumulate=2",
};

static GstHarness *
start (const gchar *kind, const gchar *caps)
{
  gchar *properties = g_strdup_printf (UNIT "%s", kind);
  GstHarness *h = harness_with_caps (properties, caps);

  g_free (properties);
  return h;
}

/* Compares item b of each tensor of a batch with the tensors of its cloud. */
static void
compare_item (GstBuffer *batch, guint b, GstBuffer *alone, const gchar *kind)
{
  fail_unless_equals_int (gst_buffer_n_memory (batch), gst_buffer_n_memory (alone));
  for (guint i = 0; i < gst_buffer_n_memory (alone); i++) {
    GstMapInfo all, one;

    fail_unless (gst_memory_map (gst_buffer_peek_memory (batch, i), &all, GST_MAP_READ));
    fail_unless (gst_memory_map (gst_buffer_peek_memory (alone, i), &one, GST_MAP_READ));
    fail_unless_equals_uint64 (all.size, B * one.size);
    fail_unless (memcmp (all.data + b * one.size, one.data, one.size) == 0, "%s: tensor %u of item %u", kind, i, b);
    gst_memory_unmap (gst_buffer_peek_memory (batch, i), &all);
    gst_memory_unmap (gst_buffer_peek_memory (alone, i), &one);
  }
}

/* __i__ is thread * kinds + kind. */
static const guint threads[] = { 1, 2, 4, 17, 0 };

GST_START_TEST (test_items_are_clouds)
{
  static const gchar *const sums[] = { "points", "points-inside", "points-outside", "points-nan", "points-infinite",
    "values-clamped", "voxels-over-cap", "points-over-max"
  };
  const gchar *kind = kinds[__i__ % (gint) G_N_ELEMENTS (kinds)];
  gchar *shared = g_strdup_printf ("%s n-threads=%u", kind, threads[__i__ / (gint) G_N_ELEMENTS (kinds)]);
  GstHarness *h = start (shared, BATCH), *alone[B];
  Clouds clouds;

  for (guint b = 0; b < B; b++)
    alone[b] = start (kind, CLOUD);
  for (guint round = 0; round < 4; round++) {
    GstBuffer *batch;

    make_clouds (&clouds, round);
    batch = push_pull (h, at (untimed_buffer (&clouds, sizeof (clouds)), round * GST_SECOND));
    fail_unless_equals_uint64 (GST_BUFFER_PTS (batch), round * GST_SECOND);
    for (guint b = 0; b < B; b++) {
      GstBuffer *one = push_pull (alone[b], untimed_buffer (clouds.points[b], sizeof (clouds.points[b])));

      compare_item (batch, b, one, shared);
      gst_buffer_unref (one);
    }
    gst_buffer_unref (batch);
  }
  for (guint i = 0; i < G_N_ELEMENTS (sums); i++) {
    guint64 sum = 0;

    for (guint b = 0; b < B; b++)
      sum += count_of (alone[b], sums[i]);
    fail_unless (count_of (h, sums[i]) == sum, "%s is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, sums[i],
        count_of (h, sums[i]), sum);
  }
  fail_unless_equals_int64 (count_of (h, "buffers"), 4);
  fail_unless_equals_int64 (count_of (h, "last-pts"), 3 * GST_SECOND);
  for (guint b = 0; b < B; b++)
    harness_close (alone[b]);
  harness_close (h);
  g_free (shared);
}

GST_END_TEST;

CHECK_MAIN (voxelize_batch, NULL, NULL, TIMES (G_N_ELEMENTS (kinds) * G_N_ELEMENTS (threads), test_items_are_clouds))

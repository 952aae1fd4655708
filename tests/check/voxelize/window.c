/* robocache: robocachevoxelize makes the grid of a window from the clouds that come and leave, and it is the right one
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelize_harness.h"

#include <math.h>

#define ROUNDS 90
#define MAX_POINTS 300
#define BATCH_POINTS 50
#define BATCH 3
#define FIELDS 4
#define MAX_HELD 8

static const gchar *const kinds[] = {
  "grid=40:7:5", "grid=40:7:5 type=float32", "grid=40:7:5 output=bits", "grid=40:7:5 output=sparse max-voxels=90",
  "grid=33:9:2 mode=count", "grid=33:9:2 mode=count output=sparse max-voxels=500", "grid=33:9:2 mode=mean",
  "grid=33:9:2 mode=mean feature-range=2 type=float16", "grid=40:7:5 mode=mean output=sparse max-voxels=90",
  "grid=33:9:2 mode=centroid", "grid=33:9:2 mode=centroid output=sparse max-voxels=200", "grid=40:7:5 mode=max",
  "grid=33:9:2 mode=min type=float16", "grid=40:7:5 mode=max output=sparse max-voxels=90",
  "grid=33:9:1 mode=min output=sparse max-voxels=500",
  "grid=33:9:2 mode=first output=sparse max-points=3 max-voxels=90", "grid=40:7:5 output=rank max-voxels=90",
  "grid=33:9:2 output=rank",
};

/* ---- clouds ---- */

static gfloat
random_feature (GRand *random)
{
  static const gfloat specials[] = { NAN, INFINITY, -INFINITY, 3000.0f, -3000.0f, 0.0f, -0.0f };

  if (g_rand_int_range (random, 0, 200) == 0)
    return specials[g_rand_int_range (random, 0, G_N_ELEMENTS (specials))];
  return (gfloat) g_rand_double_range (random, -3, 3);
}

/* n points of each item. */
static GstBuffer *
random_cloud (GRand *random, guint n, guint items)
{
  gfloat *data = g_new (gfloat, n * items * FIELDS + 1);
  GstBuffer *buffer;

  for (guint i = 0; i < n * items * FIELDS; i++)
    data[i] = i % FIELDS == 3 ? random_feature (random) : (gfloat) g_rand_double_range (random, -1, 34);
  buffer = n > 0 ? buffer_of (data, n * items * FIELDS * sizeof (gfloat)) : gst_buffer_new ();
  g_free (data);
  return buffer;
}

static GstHarness *
start (const gchar *kind, const gchar *more, guint n, guint items)
{
  gchar *properties = g_strdup_printf (UNIT "%s %s", kind, more);
  gchar *caps = items == 1 ? g_strdup (XYZI)
      : g_strdup_printf (TENSORS "types=(string)float32,dimensions=(string)%d:%u:%u", FIELDS, n, items);
  GstHarness *h = harness_with_caps (properties, caps);

  g_free (caps);
  g_free (properties);
  return h;
}

/* The clouds of a window as one: of each item those of all clouds, one after the other. */
static GstBuffer *
join (const GQueue *window, guint items)
{
  GByteArray *points = g_byte_array_new ();
  gsize size;

  for (guint item = 0; item < items; item++) {
    for (const GList *link = window->head; link; link = link->next) {
      GBytes *cloud = bytes_of (link->data);
      const guint8 *data = g_bytes_get_data (cloud, &size);

      g_byte_array_append (points, data + item * (size / items), (guint) (size / items));
      g_bytes_unref (cloud);
    }
  }
  size = points->len;
  return size > 0 ? gst_buffer_new_wrapped (g_byte_array_free (points, FALSE), size)
      : (g_byte_array_unref (points), gst_buffer_new ());
}

/* Of a map of all points those of the newest cloud, which are the last of each item. */
static GBytes *
last_points (GBytes *map, guint items, guint n)
{
  const gint64 *all = g_bytes_get_data (map, NULL);
  const gsize each = g_bytes_get_size (map) / sizeof (gint64) / items;
  gint64 *last = g_new (gint64, n * items);

  for (guint item = 0; n > 0 && item < items; item++)
    memcpy (last + item * n, all + (item + 1) * each - n, n * sizeof (gint64));
  g_bytes_unref (map);
  return g_bytes_new_take (last, n * items * sizeof (gint64));
}

/* What an element puts out for one cloud, its first. */
static GBytes *
made_of_one (const gchar *kind, const gchar *more, const GQueue *window, guint items)
{
  GstHarness *h = start (kind, more, BATCH_POINTS * window->length, items);
  GstBuffer *output = push_pull (h, join (window, items));
  GBytes *bytes = bytes_of (output);

  gst_buffer_unref (output);
  harness_free (h);
  if (strstr (kind, "output=rank"))
    return last_points (bytes, items, (guint) (gst_buffer_get_size (window->tail->data) / sizeof (gfloat[FIELDS])) / items);
  return bytes;
}

static void
forget_all_but (GQueue *queue, guint n)
{
  while (queue->length > n)
    gst_buffer_unref (g_queue_pop_head (queue));
}

/* Clouds come as they are, and so may be held, and written to later, by whoever made them. */
GST_START_TEST (test_grids_are_those_of_one_cloud)
{
  const guint items = __i__ % 2 ? BATCH : 1;
  const gchar *kind = kinds[__i__ / 2], *change = "";
  GRand *random = g_rand_new_with_seed ((guint32) __i__);
  GstHarness *h = start (kind, "accumulate=5", BATCH_POINTS, items);
  GQueue window = G_QUEUE_INIT, held = G_QUEUE_INIT;
  gboolean are_few = FALSE;     /* points: too few for a grid to be kept for them */
  guint most = 5;

  for (guint round = 0; round < ROUNDS; round++) {
    GstBuffer *output;

    if (g_rand_int_range (random, 0, 25) == 0)
      change = change_origin (h, random);
    if (g_rand_int_range (random, 0, 25) == 0)
      flush (h, &window);
    if (g_rand_int_range (random, 0, 25) == 0)
      push_a_wrong_cloud (h);
    if (g_rand_int_range (random, 0, 12) == 0) {
      most = (guint) g_rand_int_range (random, 1, 8);
      g_object_set (h->element, "accumulate", most, NULL);
    }
    if (g_rand_int_range (random, 0, 15) == 0)
      are_few = !are_few;
    g_queue_push_tail (&window, random_cloud (random, items > 1 ? BATCH_POINTS
            : (guint) g_rand_int_range (random, 0, are_few ? 2 : MAX_POINTS), items));
    forget_all_but (&window, most);
    output = push_pull (h, gst_buffer_copy (g_queue_peek_tail (&window)));
    expect_bytes (output, made_of_one (kind, change, &window, items), kind, round);
    g_queue_push_tail (&held, output);
    forget_all_but (&held, (guint) g_rand_int_range (random, 0, MAX_HELD));
  }
  expect_no_error (h);
  forget_all_but (&held, 0);
  forget_all_but (&window, 0);
  harness_free (h);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- the cost ---- */

typedef struct
{
  const gchar *kind;
  gboolean is_incremental;
} Cost;

static const Cost costs[] = {
  {"grid=40:7:5", TRUE},
  {"grid=40:7:5 output=bits", TRUE},
  {"grid=40:7:5 output=sparse max-voxels=90", TRUE},
  {"grid=40:7:5 mode=count", TRUE},
  {"grid=40:7:5 mode=mean", TRUE},
  {"grid=40:7:5 mode=mean feature-range=2 output=sparse max-voxels=90", TRUE},
  {"grid=40:7:5 mode=centroid", TRUE},
  {"grid=40:7:5 mode=max", TRUE},
  {"grid=40:7:5 mode=min output=sparse max-voxels=90", TRUE},
  {"grid=512:512:1 mode=max", TRUE},
  {"grid=512:512:64 mode=max", FALSE},  /* more than is kept */
  {"grid=40:7:5 output=rank max-voxels=90", TRUE},
  {"grid=40:7:5 mode=first output=sparse max-points=3 max-voxels=90", FALSE},
  {"grid=2000:2000:2000 output=sparse max-voxels=90", FALSE},   /* more than is kept */
  {"grid=300:300:300 output=sparse max-voxels=90", FALSE},      /* more than it is worth for so few points */
  {"grid=2000:2000:2000 output=rank", FALSE},
  {"grid=300:300:300 output=rank", FALSE},
};

/* Of a full window the clouds that come and leave are read, and not all. */
GST_START_TEST (test_two_clouds_are_read)
{
  const Cost *cost = &costs[__i__ / 2];
  const guint items = __i__ % 2 ? BATCH : 1, n = BATCH_POINTS * items;
  GRand *random = g_rand_new_with_seed (3);
  GstHarness *h = start (cost->kind, "accumulate=10", BATCH_POINTS, items);

  for (guint round = 0; round < 40; round++) {
    const gint64 before = round > 0 ? stat_of (h, "points-read") : 0;
    GstBuffer *cloud = random_cloud (random, BATCH_POINTS, items);
    gfloat largest = 3000.0f;

    for (guint item = 0; item < items; item++)  /* so that the range is the same */
      gst_buffer_fill (cloud, (item * BATCH_POINTS * FIELDS + 3) * sizeof (gfloat), &largest, sizeof (largest));
    for (guint item = 0; item < items; item++)
      gst_buffer_fill (cloud, item * BATCH_POINTS * FIELDS * sizeof (gfloat), (gfloat[3]) {1, 1, 1}, 3 * sizeof (gfloat));
    gst_buffer_unref (push_pull (h, cloud));
    if (round >= 10)
      fail_unless_equals_int64 (stat_of (h, "points-read") - before, (cost->is_incremental ? 2 : 10) * n);
  }
  fail_unless_equals_int64 (stat_of (h, "points"), 40 * n);
  harness_free (h);
  g_rand_free (random);
}

GST_END_TEST;

/* While the window fills, nothing leaves; a mean begins anew where its scale changes, as soon as N passes a power of two. */
GST_START_TEST (test_a_window_that_fills)
{
  static const gchar *const some[] = { "grid=40:7:5", "grid=40:7:5 mode=max", "grid=40:7:5 mode=centroid" };
  static const guint others[] = { 1, 1, 1, 1, 1, 1, 1, 1 }, centroids[] = { 1, 2, 3, 1, 5, 1, 1, 1 };
  const guint *clouds = __i__ == 2 ? centroids : others;
  GstHarness *h = start (some[__i__], "accumulate=8", 0, 1);
  GRand *random = g_rand_new_with_seed (3);

  for (guint round = 0; round < 8; round++) {
    const gint64 before = round > 0 ? stat_of (h, "points-read") : 0;

    gst_buffer_unref (push_pull (h, random_cloud (random, 64, 1)));
    fail_unless_equals_int64 (stat_of (h, "points-read") - before, 64 * clouds[round]);
  }
  harness_free (h);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- buffers ---- */

static void
count_release (gpointer data, GstMiniObject *buffer)
{
  ++*(guint *) data;
}

/* A cloud that was taken out is let go of at once, and one that is in the window is not. */
GST_START_TEST (test_clouds_that_left_are_let_go)
{
  static const gchar *const some[] = { "grid=40:7:5", "grid=40:7:5 mode=max",
    "grid=40:7:5 mode=first output=sparse max-points=3 max-voxels=90"
  };
  GstHarness *h = start (some[__i__], "accumulate=4", 0, 1);
  GRand *random = g_rand_new_with_seed (3);
  guint n_released = 0;

  for (guint round = 0; round < 12; round++) {
    GstBuffer *cloud = random_cloud (random, 64, 1);

    gst_mini_object_weak_ref (GST_MINI_OBJECT (cloud), count_release, &n_released);
    gst_buffer_unref (push_pull (h, cloud));
    fail_unless_equals_int (n_released, round < 4 ? 0 : round - 3);
  }
  harness_free (h);
  fail_unless_equals_int (n_released, 12);
  g_rand_free (random);
}

GST_END_TEST;

static Suite *
robocachevoxelizewindow_suite (void)
{
  Suite *s = suite_create ("robocachevoxelize: the window");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_grids_are_those_of_one_cloud, 0, 2 * G_N_ELEMENTS (kinds));
  tcase_add_loop_test (tc, test_two_clouds_are_read, 0, 2 * G_N_ELEMENTS (costs));
  tcase_add_loop_test (tc, test_a_window_that_fills, 0, 3);
  tcase_add_loop_test (tc, test_clouds_that_left_are_let_go, 0, 3);
  return s;
}

GST_CHECK_MAIN (robocachevoxelizewindow);

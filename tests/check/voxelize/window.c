/* robocache: robocachevoxelize makes the grid of a window from the clouds that come and leave, and writes of it what changes; it
 * is the right one, whatever becomes of its buffers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/randomclouds.h"

#define ROUNDS 90
#define MAX_HELD 8

static const struct
{
  const gchar *kind;
  guint accumulate;             /* 0: it changes while playing */
} kinds[] = {
  {"grid=40:7:5"}, {"grid=40:7:5 type=float32"}, {"grid=40:7:5 output=bits"}, {"grid=40:7:5 output=sparse max-voxels=90"},
  {"grid=33:9:2 mode=count"}, {"grid=33:9:2 mode=count output=sparse max-voxels=500"}, {"grid=33:9:2 mode=mean"},
  {"grid=33:9:2 mode=mean feature-range=2 type=float16"}, {"grid=40:7:5 mode=mean output=sparse max-voxels=90"},
  {"grid=33:9:2 mode=centroid"}, {"grid=33:9:2 mode=centroid output=sparse max-voxels=200"}, {"grid=40:7:5 mode=max"},
  {"grid=33:9:2 mode=min type=float16"}, {"grid=40:7:5 mode=max output=sparse max-voxels=90"},
  {"grid=33:9:1 mode=min output=sparse max-voxels=500"}, {"grid=33:9:2 mode=first output=sparse max-points=3 max-voxels=90"},
  {"grid=33:9:1 mode=pillars output=sparse max-points=3 max-voxels=90"},
  {"grid=33:9:2 mode=first output=sparse max-points=3 max-voxels=90 keep=first"},
  {"grid=33:9:1 mode=pillars output=sparse max-points=3 max-voxels=90 keep=first"},
  {"grid=40:7:5 output=rank max-voxels=90"}, {"grid=33:9:2 output=rank"},
  {"grid=40:7:5", 1}, {"grid=40:7:5 type=float32", 1}, {"grid=33:9:2 type=float16", 1}, {"grid=40:7:5 mode=count", 1},
  {"grid=40:7:5 mode=count type=uint8", 3}, {"grid=33:9:2 mode=mean", 1}, {"grid=40:7:5 mode=mean feature-range=2", 1},
  {"grid=33:9:2 mode=centroid", 2}, {"grid=40:7:5 mode=max", 1}, {"grid=40:7:5 mode=min type=float16", 1},
  {"grid=40:7:5 output=bits", 1}, {"grid=40:7:5 output=sparse mode=mean max-voxels=90", 1}, {"grid=1:1:1 mode=count", 1},
};

/* ---- what downstream does with a buffer ---- */

static void
scribble (GstMapInfo *map, GRand *random)
{
  for (gsize i = 0; i < map->size; i++)
    map->data[i] = (guint8) g_rand_int (random);
}

static void
write_buffer (GstBuffer *buffer, GRand *random)
{
  GstMapInfo map;

  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    fail_unless (gst_buffer_map_range (buffer, i, 1, &map, GST_MAP_WRITE));
    scribble (&map, random);
    gst_buffer_unmap (buffer, &map);
  }
}

static void
let_go (GstBuffer *buffer, GRand *random)
{
  gst_buffer_unref (buffer);
}

static void
write_and_let_go (GstBuffer *buffer, GRand *random)
{
  fail_unless (gst_buffer_is_writable (buffer));
  write_buffer (buffer, random);
  gst_buffer_unref (buffer);
}

/* As behind a tee: one branch writes, and so gets a copy of its own. */
static void
write_behind_a_tee (GstBuffer *buffer, GRand *random)
{
  GBytes *before = bytes_of (buffer);
  GstBuffer *branch = gst_buffer_make_writable (gst_buffer_ref (buffer));

  fail_unless (branch != buffer);
  write_buffer (branch, random);
  gst_buffer_unref (branch);
  expect_bytes (buffer, before, "the other branch", 0);
  gst_buffer_unref (buffer);
}

/* When the buffer is in the pool already. */
static void
keep_the_memory_and_write (GstBuffer *buffer, GRand *random)
{
  GstMemory *memory = gst_buffer_get_memory (buffer, 0);
  GstMapInfo map;

  gst_buffer_unref (buffer);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
  scribble (&map, random);
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
}

/* A share is read only, and a buffer of it that is written gets a copy. */
static void
write_a_share (GstBuffer *buffer, GRand *random)
{
  GstMemory *share = gst_memory_share (gst_buffer_peek_memory (buffer, 0), 0, 3);
  GstBuffer *part = gst_buffer_new ();
  GstMapInfo map;

  fail_unless (!gst_memory_map (share, &map, GST_MAP_WRITE));
  gst_buffer_append_memory (part, share);
  write_buffer (part, random);
  gst_buffer_unref (part);
  gst_buffer_unref (buffer);
}

static void
replace_the_memory (GstBuffer *buffer, GRand *random)
{
  const gsize size = gst_buffer_get_size (buffer);

  gst_buffer_replace_all_memory (buffer, gst_allocator_alloc (NULL, size, NULL));
  write_buffer (buffer, random);
  gst_buffer_unref (buffer);
}

static void
cut_and_write (GstBuffer *buffer, GRand *random)
{
  gst_buffer_resize (buffer, 1, 2);
  write_buffer (buffer, random);
  gst_buffer_unref (buffer);
}

static void (*const uses[]) (GstBuffer * buffer, GRand * random) = {
  let_go, write_and_let_go, write_behind_a_tee, keep_the_memory_and_write, write_a_share, replace_the_memory, cut_and_write
};

/* ---- what is held is not touched ---- */

typedef struct
{
  GstBuffer *buffer;
  GBytes *bytes;
} Held;

static void
release_held (gpointer data)
{
  Held *held = data;

  expect_bytes (held->buffer, held->bytes, "held", 0);
  gst_buffer_unref (held->buffer);
  g_free (held);
}

static void
hold (GQueue *held, GstBuffer *buffer)
{
  Held *next = g_new (Held, 1);

  next->buffer = buffer;
  next->bytes = bytes_of (buffer);
  g_queue_push_tail (held, next);
  if (held->length > MAX_HELD)
    release_held (g_queue_pop_head (held));
}

/* ---- grids ---- */

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
  const gchar *kind = kinds[__i__ / 2].kind, *change = "";
  const gboolean changes = kinds[__i__ / 2].accumulate == 0;
  guint most = changes ? 5 : kinds[__i__ / 2].accumulate;
  GRand *random = g_rand_new_with_seed ((guint32) __i__);
  GstHarness *h = start_on (kind, "", BATCH_POINTS, items);
  GQueue window = G_QUEUE_INIT, held = G_QUEUE_INIT;
  gboolean are_few = FALSE;     /* points: too few for a grid to be kept for them */

  g_object_set (h->element, "accumulate", most, NULL);
  for (guint round = 0; round < ROUNDS; round++) {
    GstBuffer *output;

    if (g_rand_int_range (random, 0, 20) == 0)
      change = change_origin (h, random);
    if (g_rand_int_range (random, 0, 20) == 0)
      flush (h, &window);
    if (g_rand_int_range (random, 0, 20) == 0)
      push_a_wrong_cloud (h);
    if (changes && g_rand_int_range (random, 0, 12) == 0) {
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
    if (g_rand_int_range (random, 0, 3) == 0)
      hold (&held, output);
    else
      uses[g_rand_int_range (random, 0, gst_buffer_get_size (output) > 2 ? G_N_ELEMENTS (uses) : 2)] (output, random);
  }
  fail_unless (pop_message (h, GST_MESSAGE_ERROR) == NULL);     /* random points may all be outside, which is a warning */
  g_queue_clear_full (&held, release_held);
  forget_all_but (&window, 0);
  harness_close (h);
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
  {"grid=40:7:5 mode=pillars output=sparse max-points=3 max-voxels=90", FALSE},
  {"grid=2000:2000:2000 output=sparse max-voxels=90", FALSE},   /* more than is kept */
  {"grid=300:300:300 output=sparse max-voxels=90", FALSE},      /* more than it is worth for so few points */
  {"grid=2000:2000:2000 output=rank", FALSE},
  {"grid=300:300:300 output=rank", FALSE},
};

/* Of a full window the clouds that come and leave are read, and not all. One that left is released at once, and one that is in
 * the window is not. */
GST_START_TEST (test_two_clouds_are_read)
{
  const Cost *cost = &costs[__i__ / 2];
  const guint items = __i__ % 2 ? BATCH : 1, n = BATCH_POINTS * items;
  GRand *random = g_rand_new_with_seed (3);
  GstHarness *h = start_on (cost->kind, "accumulate=10", BATCH_POINTS, items);
  guint n_released = 0;

  for (guint round = 0; round < 40; round++) {
    const gint64 before = round > 0 ? count_of (h, "points-read") : 0;
    GstBuffer *cloud = random_cloud (random, BATCH_POINTS, items);
    gfloat largest = 3000.0f;

    for (guint item = 0; item < items; item++)  /* so that the range is the same */
      gst_buffer_fill (cloud, (item * BATCH_POINTS * FIELDS + 3) * sizeof (gfloat), &largest, sizeof (largest));
    for (guint item = 0; item < items; item++)
      gst_buffer_fill (cloud, item * BATCH_POINTS * FIELDS * sizeof (gfloat), (gfloat[3]) {1, 1, 1}, 3 * sizeof (gfloat));
    gst_mini_object_weak_ref (GST_MINI_OBJECT (cloud), count_release, &n_released);
    gst_buffer_unref (push_pull (h, cloud));
    fail_unless_equals_int (n_released, round < 10 ? 0 : round - 9);
    if (round >= 10)
      fail_unless_equals_int64 (count_of (h, "points-read") - before, (cost->is_incremental ? 2 : 10) * n);
  }
  fail_unless_equals_int64 (count_of (h, "points"), 40 * n);
  harness_close (h);
  fail_unless_equals_int (n_released, 40);
  g_rand_free (random);
}

GST_END_TEST;

/* While the window fills, nothing leaves; a mean begins anew where its scale changes, as soon as N passes a power of two. */
GST_START_TEST (test_a_window_that_fills)
{
  static const gchar *const some[] = { "grid=40:7:5", "grid=40:7:5 mode=max", "grid=40:7:5 mode=centroid" };
  static const guint others[] = { 1, 1, 1, 1, 1, 1, 1, 1 }, centroids[] = { 1, 2, 3, 1, 5, 1, 1, 1 };
  const guint *clouds = __i__ == 2 ? centroids : others;
  GstHarness *h = start_on (some[__i__], "accumulate=8", 0, 1);
  GRand *random = g_rand_new_with_seed (3);

  for (guint round = 0; round < 8; round++) {
    const gint64 before = round > 0 ? count_of (h, "points-read") : 0;

    gst_buffer_unref (push_pull (h, random_cloud (random, 64, 1)));
    fail_unless_equals_int64 (count_of (h, "points-read") - before, 64 * clouds[round]);
  }
  harness_close (h);
  g_rand_free (random);
}

GST_END_TEST;

CHECK_MAIN (voxelize_window, NULL, NULL, TIMES (2 * G_N_ELEMENTS (kinds), test_grids_are_those_of_one_cloud),
    TIMES (2 * G_N_ELEMENTS (costs), test_two_clouds_are_read), TIMES (3, test_a_window_that_fills))

/* robocache: robocachevoxelize writes of a grid what changes, and its grids are right whatever becomes of its buffers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelize_harness.h"

#define ROUNDS 60
#define MAX_POINTS 300
#define MAX_HELD 4
#define BATCH_POINTS 60
#define BATCH 3

/* ---- clouds ---- */

typedef struct
{
  const gchar *caps;
  guint fields;
  gboolean is_batch;
} Input;

static const Input inputs[] = {
  {XYZI, 4, FALSE},
  {TENSORS "types=(string)float32,dimensions=(string)4:60:3", 4, TRUE},
};

static const gchar *const kinds[] = {
  "grid=40:7:5", "grid=40:7:5 type=float32", "grid=33:9:2 type=float16", "grid=40:7:5 mode=count",
  "grid=40:7:5 mode=count type=uint8 accumulate=3", "grid=33:9:2 mode=mean", "grid=40:7:5 mode=mean feature-range=2",
  "grid=33:9:2 mode=centroid accumulate=2", "grid=40:7:5 mode=max", "grid=40:7:5 mode=min type=float16",
  "grid=40:7:5 output=bits", "grid=40:7:5 output=sparse mode=mean max-voxels=90", "grid=1:1:1 mode=count",
};

static GstBuffer *
random_cloud (GRand *random, const Input *input)
{
  const guint n = input->is_batch ? BATCH * BATCH_POINTS : (guint) g_rand_int_range (random, 0, MAX_POINTS);
  gfloat *data = g_new (gfloat, n * input->fields + 1);
  GstBuffer *buffer;

  for (guint i = 0; i < n * input->fields; i++)
    data[i] = (gfloat) g_rand_double_range (random, -1, 34);
  for (guint i = 0; i < n && g_rand_boolean (random); i++)      /* and some in few voxels */
    data[i * input->fields] = 3.5f;
  buffer = n > 0 ? buffer_of (data, n * input->fields * sizeof (gfloat)) : gst_buffer_new ();
  g_free (data);
  return buffer;
}

/* ---- elements ---- */

static GstHarness *
start (const Input *input, const gchar *kind, const gchar *change)
{
  gchar *properties = g_strdup_printf (UNIT "%s %s", kind, change);
  GstHarness *h = harness_with_caps (properties, input->caps);

  g_free (properties);
  return h;
}

/* What an element puts out that has put out nothing before. */
static GBytes *
made_anew (const Input *input, const gchar *kind, const gchar *change, GQueue *window)
{
  GstHarness *h = start (input, kind, change);
  GBytes *bytes = NULL;

  for (GList *link = window->head; link; link = link->next) {
    GstBuffer *output = push_pull (h, gst_buffer_copy (link->data));

    g_clear_pointer (&bytes, g_bytes_unref);
    bytes = bytes_of (output);
    gst_buffer_unref (output);
  }
  harness_free (h);
  return bytes;
}

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

static guint
length_of_window (GstHarness *h)
{
  guint accumulate;

  g_object_get (h->element, "accumulate", &accumulate, NULL);
  return accumulate;
}

GST_START_TEST (test_grids_are_those_of_a_new_element)
{
  const Input *input = &inputs[__i__ % G_N_ELEMENTS (inputs)];
  const gchar *kind = kinds[__i__ / G_N_ELEMENTS (inputs)], *change = "";
  GRand *random = g_rand_new_with_seed ((guint32) __i__);
  GstHarness *h = start (input, kind, change);
  GQueue window = G_QUEUE_INIT, held = G_QUEUE_INIT;

  for (guint round = 0; round < ROUNDS; round++) {
    GstBuffer *output;

    if (g_rand_int_range (random, 0, 12) == 0)
      change = change_origin (h, random);
    if (g_rand_int_range (random, 0, 12) == 0)
      flush (h, &window);
    if (g_rand_int_range (random, 0, 12) == 0)
      push_a_wrong_cloud (h);
    g_queue_push_tail (&window, random_cloud (random, input));
    if (window.length > length_of_window (h))
      gst_buffer_unref (g_queue_pop_head (&window));
    output = push_pull (h, gst_buffer_copy (g_queue_peek_tail (&window)));
    expect_bytes (output, made_anew (input, kind, change, &window), kind, round);
    if (g_rand_int_range (random, 0, 3) == 0)
      hold (&held, output);
    else
      uses[g_rand_int_range (random, 0, G_N_ELEMENTS (uses))] (output, random);
  }
  expect_no_error (h);
  g_queue_clear_full (&held, release_held);
  g_queue_clear_full (&window, (GDestroyNotify) gst_buffer_unref);
  harness_free (h);
  g_rand_free (random);
}

GST_END_TEST;

/* Modes and types whose grids have as many bytes use the same blocks. */
GST_START_TEST (test_mode_changes_while_playing)
{
  static const gchar *const modes[] = { "occupancy", "count", "max", "min", "count", "mean", "occupancy" };
  GRand *random = g_rand_new_with_seed (11);
  GstHarness *h = start (&inputs[0], "grid=40:7:5 type=float32", "");

  for (guint i = 0; i < 40; i++) {
    gchar *kind = g_strdup_printf ("grid=40:7:5 type=float32 mode=%s", modes[i / 2 % G_N_ELEMENTS (modes)]);
    GQueue window = G_QUEUE_INIT;
    GstBuffer *output;

    gst_util_set_object_arg (G_OBJECT (h->element), "mode", modes[i / 2 % G_N_ELEMENTS (modes)]);
    g_queue_push_tail (&window, random_cloud (random, &inputs[0]));
    output = push_pull (h, gst_buffer_copy (g_queue_peek_tail (&window)));
    expect_bytes (output, made_anew (&inputs[0], kind, "", &window), kind, i);
    gst_buffer_unref (output);
    g_queue_clear_full (&window, (GDestroyNotify) gst_buffer_unref);
    g_free (kind);
  }
  harness_free (h);
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
  harness_free (h);
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
  harness_free (h);
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
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_steady_state_allocates_nothing)
{
  GstHarness *h = harness_with_caps (UNIT "grid=64:64:8", XYZ);
  gint64 misses = 0;

  for (guint i = 0; i < 20; i++) {
    gst_buffer_unref (push_pull (h, cloud ((gfloat) i, 1, 1)));
    if (i == 3)
      misses = stat_of (h, "pool-misses");
  }
  fail_unless_equals_int64 (stat_of (h, "pool-misses"), misses);
  fail_unless (stat_of (h, "pool-hits") >= 16);
  harness_free (h);
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
  buffer = n > 0 ? buffer_of (points, 12 * n) : gst_buffer_new ();
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
  harness_free (h);
}

GST_END_TEST;

/* A map that comes back is the next one, and so is a grid: a buffer that was freed would have lost what was noted on it. */
GST_START_TEST (test_memory_is_used_again)
{
  GstHarness *h = harness_with_caps (__i__ ? UNIT : UNIT "output=index", XYZ);
  const GQuark seen = g_quark_from_static_string ("seen");

  for (guint i = 0; i < 20; i++) {
    const guint n = i == 0 ? 1000 : 900 + i;
    GstBuffer *output = push_pull (h, long_cloud (n));

    fail_unless_equals_int (gst_buffer_n_memory (output), 1);
    fail_unless (i == 0 || gst_mini_object_get_qdata (GST_MINI_OBJECT (output), seen), "buffer %u", i);
    gst_mini_object_set_qdata (GST_MINI_OBJECT (output), seen, h, NULL);
    if (__i__ == 0)
      expect_long (output, n);
    else
      fail_unless_equals_int (occupied (output), 4);
  }
  harness_free (h);
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
  GstHarness *h = harness (UNIT "backend=cpu grid=40:7:5");
  GRand *random = g_rand_new_with_seed (7);
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  params.align = proposals[__i__].align;
  params.flags = proposals[__i__].flags;
  params.prefix = proposals[__i__].prefix;
  gst_harness_set_propose_allocator (h, allocator, &params);
  gst_harness_set_src_caps_str (h, XYZI);
  for (guint i = 0; i < 10; i++) {
    GQueue window = G_QUEUE_INIT;
    GstBuffer *output;
    GstMapInfo map;

    g_queue_push_tail (&window, random_cloud (random, &inputs[0]));
    output = push_pull (h, gst_buffer_copy (g_queue_peek_tail (&window)));
    fail_unless_equals_int (gst_memory_is_type (gst_buffer_peek_memory (output, 0), "RobocacheMemory"),
        proposals[__i__].is_ours);
    fail_unless (gst_buffer_map (output, &map, GST_MAP_READ));
    fail_unless_equals_int ((int) (GPOINTER_TO_SIZE (map.data) & params.align), 0);
    gst_buffer_unmap (output, &map);
    expect_bytes (output, made_anew (&inputs[0], "grid=40:7:5", "", &window), "memory", i);
    uses[i % 2] (output, random);
    g_queue_clear_full (&window, (GDestroyNotify) gst_buffer_unref);
  }
  g_rand_free (random);
  harness_free (h);
}

GST_END_TEST;

static Suite *
robocachevoxelize_clearing_suite (void)
{
  Suite *s = suite_create ("robocachevoxelize: grids without clearing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_grids_are_those_of_a_new_element, 0, G_N_ELEMENTS (kinds) * G_N_ELEMENTS (inputs));
  tcase_add_test (tc, test_mode_changes_while_playing);
  tcase_add_loop_test (tc, test_only_what_changes_is_written, 0, 3);
  tcase_add_test (tc, test_memory_in_another_buffer);
  tcase_add_test (tc, test_map_over_a_grid);
  tcase_add_test (tc, test_steady_state_allocates_nothing);
  tcase_add_test (tc, test_any_number_of_points);
  tcase_add_loop_test (tc, test_memory_is_used_again, 0, 2);
  tcase_add_loop_test (tc, test_memory_that_downstream_asks_for, 0, G_N_ELEMENTS (proposals));
  return s;
}

GST_CHECK_MAIN (robocachevoxelize_clearing);

/* robocache: pools and allocators of device memory use it again, in many threads, and never too early
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicefixture.h"

#include <gst/check/gstharness.h>

#include "common/tensors/tensorpool.h"

#define BYTES 64
#define CAPS "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, " \
    "dimensions=(string)16, framerate=(fraction)100/1"
#define CAPS_OF_TWO "other/tensors, format=(string)static, num_tensors=(int)2, types=(string)\"float32,uint8\", " \
    "dimensions=(string)\"16.5\", framerate=(fraction)100/1"

static GstBufferPool *
new_pool (const gchar *text, const GstAllocationParams *params, guint min, guint max)
{
  GstCaps *caps = gst_caps_from_string (text);
  GError *error = NULL;
  GstBufferPool *pool = robocache_tensor_pool_new (caps, allocator, params, min, max, &error);

  fail_unless (pool != NULL, "%s", error ? error->message : "no error");
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  gst_caps_unref (caps);
  return pool;
}

static void
free_pool (GstBufferPool *pool)
{
  fail_unless (gst_buffer_pool_set_active (pool, FALSE));
  gst_object_unref (pool);
}

static GstBuffer *
acquire (GstBufferPool *pool)
{
  GstBuffer *buffer = NULL;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
  return buffer;
}

/* ---- large buffers ---- */

/* Nobody touches them. What the base class calls their size is 32 bits. */
GST_START_TEST (test_buffers_of_more_than_4_gib)
{
  GstCaps *caps = gst_caps_from_string ("other/tensors, format=(string)static, num_tensors=(int)2, "
      "types=(string)\"uint8,float32\", dimensions=(string)\"2048:2048:1030.3\", framerate=(fraction)1/1");
  const gsize bytes[] = { (gsize) 2048 * 2048 * 1030, 12 };
  GstAllocationParams params;
  GstMemory *large = NULL;
  GstBufferPool *pool;

  gst_allocation_params_init (&params);
  pool = robocache_tensor_pool_new (caps, NULL, &params, 0, 0, NULL);
  fail_unless (pool && gst_buffer_pool_set_active (pool, TRUE));
  for (guint round = 0; round < 3; round++) {
    GstBuffer *buffer = acquire (pool);

    fail_unless_equals_int (gst_buffer_n_memory (buffer), 2);
    fail_unless (round == 0 || gst_buffer_peek_memory (buffer, 0) == large, "it is not used again");
    large = gst_buffer_peek_memory (buffer, 0);
    for (guint i = 0; i < 2; i++)
      fail_unless_equals_uint64 (gst_memory_get_sizes (gst_buffer_peek_memory (buffer, i), NULL, NULL), bytes[i]);
    gst_buffer_unref (buffer);
  }
  free_pool (pool);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* ---- a pool, and slow readers ---- */

/* A block is used again while it is still being read: that of a pool, and one that the allocator kept. */
GST_START_TEST (test_one_block_and_a_slow_reader)
{
  RobocacheEngine *engines[] = { engine, other };
  GstBufferPool *pool = __i__ / N_ORDERS ? new_pool (CAPS, NULL, 1, 1) : NULL;
  Seen seen[50];

  for (guint i = 0; i < G_N_ELEMENTS (seen); i++) {
    GstBuffer *buffer = pool ? acquire (pool) : NULL;
    GstMemory *memory = pool ? gst_buffer_get_memory (buffer, 0) : alloc_memory (allocator, BYTES);

    write_with (memory, engine, i);
    read_with (memory, other, &seen[i]);
    gst_memory_unref (memory);
    gst_clear_buffer (&buffer);
  }
  finish_in_order (__i__ % N_ORDERS, engines, 2);
  for (guint i = 0; i < G_N_ELEMENTS (seen); i++)
    fail_unless_all (seen[i].bytes, BYTES, i);
  fail_unless_equals_int (device->counts.allocs, 1);
  if (pool)
    free_pool (pool);
}

GST_END_TEST;

/* Both branches of a tee get the one block at once, on engines of their own; one of them does nothing until the end. */
GST_START_TEST (test_pool_of_one_behind_a_tee)
{
  RobocacheEngine *engines[] = { engine, other, engine_on (device, 0) };
  GstElement *tee = gst_element_factory_make ("tee", NULL);
  GstHarness *fast, *slow;
  GstBufferPool *pool = new_pool (CAPS, NULL, 1, 1);
  Seen seen[50][2];

  fast = gst_harness_new_with_element (tee, "sink", "src_%u");
  slow = gst_harness_new_with_element (tee, NULL, "src_%u");
  gst_harness_set_src_caps_str (fast, CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (seen); i++) {
    GstBuffer *buffer = acquire (pool), *branches[2];

    write_with (gst_buffer_peek_memory (buffer, 0), engine, i);
    fail_unless_equals_int (gst_harness_push (fast, buffer), GST_FLOW_OK);
    branches[0] = gst_harness_pull (fast);
    branches[1] = gst_harness_pull (slow);
    for (guint k = 0; k < 2; k++) {
      read_with (gst_buffer_peek_memory (branches[k], 0), engines[1 + k], &seen[i][k]);
      gst_buffer_unref (branches[k]);
    }
    fail_unless (robocache_engine_synchronize (other, NULL));
  }
  finish_in_order (__i__, engines, 3);
  for (guint i = 0; i < G_N_ELEMENTS (seen); i++) {
    fail_unless_all (seen[i][0].bytes, BYTES, i);
    fail_unless_all (seen[i][1].bytes, BYTES, i);
  }
  gst_harness_teardown (slow);
  gst_harness_teardown (fast);
  gst_object_unref (tee);
  free_pool (pool);
  robocache_allocator_trim (allocator);
  robocache_engine_unref (engines[2]);
}

GST_END_TEST;

GST_START_TEST (test_pool_of_two_tensors)
{
  const GstAllocationParams params = { 0, 31, 8, 24, };
  GstBufferPool *pool = new_pool (CAPS_OF_TWO, &params, 2, 2);
  GstBuffer *both[2];

  for (guint i = 0; i < 2; i++) {
    both[i] = acquire (pool);
    fail_unless_equals_int (gst_buffer_n_memory (both[i]), 2);
    fail_unless_equals_uint64 (gst_buffer_get_size (both[i]), 69);
    write_with (gst_buffer_peek_memory (both[i], 0), engine, 10 + i);
    write_with (gst_buffer_peek_memory (both[i], 1), other, 20 + i);
  }
  for (guint i = 0; i < 2; i++) {
    fail_unless_mapped (gst_buffer_peek_memory (both[i], 0), 10 + i);
    fail_unless_mapped (gst_buffer_peek_memory (both[i], 1), 20 + i);
    gst_buffer_unref (both[i]);
  }
  free_pool (pool);
  fail_unless_equals_uint64 (statistics_of (engine).bytes, 2 * (64 + 32 + 5 + 32));        /* kept by the allocator */
}

GST_END_TEST;

/* As upstream does with a pool that an ALLOCATION query proposed: other numbers of buffers, its size or none. */
GST_START_TEST (test_pool_configured_by_upstream)
{
  static const guint max_buffers[] = { 0, 4 };
  GstCaps *caps = gst_caps_from_string (CAPS_OF_TWO), *others = gst_caps_new_empty_simple ("video/x-raw");
  GstBufferPool *pool = robocache_tensor_pool_new (caps, allocator, NULL, 0, 0, NULL);
  const guint sizes[] = { robocache_tensor_pool_buffer_size (ROBOCACHE_TENSOR_POOL (pool)), 0 };
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstBuffer *held[4];
  guint size, min_buffers, allocated;

  gst_buffer_pool_config_set_params (config, others, 69, 0, 0);
  fail_if (gst_buffer_pool_set_config (pool, config));
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, sizes[__i__ / 2], 3, max_buffers[__i__ % 2]);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, NULL, &size, &min_buffers, NULL);
  fail_unless_equals_int (size, 69);
  fail_unless_equals_int (min_buffers, 3);
  allocated = device->counts.allocs;
  for (guint i = 0; i < 4; i++) {
    held[i] = acquire (pool);
    fail_unless_equals_int (device->counts.allocs > allocated, i >= 3);
    fail_unless_equals_int (gst_buffer_n_memory (held[i]), 2);
    fail_unless_equals_uint64 (gst_buffer_get_size (held[i]), 69);
    fail_unless (robocache_is_gpu_memory (gst_buffer_peek_memory (held[i], 1)));
  }
  for (guint i = 0; i < 4; i++)
    gst_buffer_unref (held[i]);
  gst_structure_free (config);
  free_pool (pool);
  gst_caps_unref (caps);
  gst_caps_unref (others);
}

GST_END_TEST;

/* ---- steady state ---- */

static void
one_buffer (GstBufferPool *pool, guint i)
{
  GstBuffer *buffer = acquire (pool);
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0), *scratch = alloc_memory (allocator, 1000), *copied;
  GstMapInfo map;
  Seen seen;

  write_with (scratch, engine, i);
  write_with (memory, engine, i);
  read_with (memory, other, &seen);
  write_with (memory, other, i + 1);    /* in place */
  copied = gst_memory_copy (memory, 0, -1);
  fail_unless_mapped (copied, i + 1);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  gst_memory_unmap (memory, &map);
  gst_memory_unref (copied);
  gst_memory_unref (scratch);
  gst_buffer_unref (buffer);
  fake_finish (i);
  fail_unless_all (seen.bytes, BYTES, i);
}

GST_START_TEST (test_steady_state_allocates_nothing)
{
  const RcMemoryKind kinds[] = { RC_MEMORY_DEVICE, RC_MEMORY_PINNED };
  GstBufferPool *pool;
  FakeCounts before, after;
  RobocacheMemoryStatistics statistics;

  gst_object_unref (allocator);
  allocator = robocache_allocator_new (engine, kinds[__i__]);
  pool = new_pool (CAPS, NULL, 2, 2);
  for (guint i = 0; i < 10; i++)
    one_buffer (pool, i);
  before = device->counts;
  statistics = statistics_of (engine);
  for (guint i = 10; i < 1010; i++)
    one_buffer (pool, i);
  after = device->counts;
  fail_unless_equals_int (after.allocs, before.allocs);
  fail_unless_equals_int (after.event_news, before.event_news);
  fail_unless_equals_int (after.stream_news, before.stream_news);
  fail_unless_equals_int (after.events, before.events);
  fail_unless_equals_uint64 (statistics_of (engine).bytes, statistics.bytes);
  fail_unless_equals_uint64 (statistics_of (engine).peak_bytes, statistics.peak_bytes);
  fail_unless_equals_uint64 (statistics_of (engine).host_bytes, statistics.host_bytes);
  fail_unless_equals_uint64 (statistics_of (engine).pool_misses, statistics.pool_misses);
  fail_unless_equals_uint64 (statistics_of (engine).pool_hits, statistics.pool_hits + 2000);
  free_pool (pool);
}

GST_END_TEST;

/* ---- blocks ---- */

/* What the last user did to a memory is not seen by the next. */
GST_START_TEST (test_memory_that_comes_again_is_as_new)
{
  GstAllocationParams params = { GST_MEMORY_FLAG_NO_SHARE, 0, 0, 0, };
  GstMemory *memory = gst_allocator_alloc (allocator, BYTES, &params), *part;
  const gpointer data = robocache_memory_data (memory);
  GstMapInfo map;

  fail_unless (GST_MEMORY_IS_NO_SHARE (memory));
  GST_MINI_OBJECT_FLAG_SET (memory, GST_MEMORY_FLAG_READONLY | GST_MEMORY_FLAG_ZERO_PADDED);
  gst_memory_resize (memory, 10, 20);
  gst_memory_unref (memory);
  memory = alloc_memory (allocator, BYTES);
  fail_unless (robocache_memory_data (memory) == data);
  fail_unless_equals_uint64 (memory->size, BYTES);
  fail_unless_equals_uint64 (memory->offset, 0);
  fail_unless_equals_int (GST_MINI_OBJECT_FLAGS (memory), GST_MINI_OBJECT_FLAG_LOCKABLE);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
  gst_memory_unmap (memory, &map);
  part = gst_memory_share (memory, 0, 10);
  fail_if (gst_memory_map (part, &map, GST_MAP_WRITE));
  gst_memory_unref (memory);
  gst_memory_unref (part);
}

GST_END_TEST;

/* Sizes that change with each buffer do not fill the device. */
GST_START_TEST (test_sizes_that_keep_changing)
{
  for (guint i = 1; i <= 1000; i++) {
    GstMemory *memory = alloc_memory (allocator, i), *steady = alloc_memory (allocator, 5000);

    write_with (memory, engine, i);
    gst_memory_unref (memory);
    gst_memory_unref (steady);
  }
  fail_unless (device->counts.device_blocks <= 64, "%u blocks", device->counts.device_blocks);
  fail_unless_equals_uint64 (statistics_of (engine).pool_hits, 999);       /* of what is asked for all the time */
}

GST_END_TEST;

GST_START_TEST (test_sizes_that_alternate_are_all_kept)
{
  for (guint i = 0; i < 100; i++)
    gst_memory_unref (alloc_memory (allocator, 100 + i % 16));
  fail_unless_equals_int (device->counts.allocs, 16);
}

GST_END_TEST;

GST_START_TEST (test_prefix_and_padding)
{
  GstAllocationParams params = { 0, 15, 16, 20, };
  GstMemory *memory = gst_allocator_alloc (allocator, BYTES, &params);
  const guint8 *data = robocache_memory_data (memory);
  GstMapInfo map;

  fail_unless_equals_uint64 (memory->offset, 16);
  fail_unless_equals_uint64 (memory->size, BYTES);
  fail_unless_equals_uint64 (memory->maxsize, 16 + BYTES + 20);
  fail_unless_equals_uint64 ((guintptr) data % 16, 0);
  write_with (memory, engine, 1);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
  fail_unless_equals_uint64 (map.size, BYTES);
  fail_unless_all (map.data, BYTES, 1);
  memset (map.data, 2, BYTES);
  gst_memory_unmap (memory, &map);
  fail_unless_mapped (memory, 2);
  gst_memory_resize (memory, -16, BYTES + 36);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  fail_unless_all (map.data, 16, 0xa5); /* as it was allocated */
  fail_unless_all (map.data + 16, BYTES, 2);
  fail_unless_all (map.data + 16 + BYTES, 20, 0xa5);
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
}

GST_END_TEST;

/* ---- limits ---- */

GST_START_TEST (test_more_than_can_be_counted)
{
  GstAllocationParams prefixed = { 0, 0, 1000, 1000, }, aligned = { 0, 4095, 0, 0, };

  fail_if (gst_allocator_alloc (allocator, G_MAXSIZE - 10, &prefixed));
  fail_if (gst_allocator_alloc (allocator, G_MAXSIZE - 10, NULL));
  fail_if (gst_allocator_alloc (allocator, 100, &aligned));
  fail_unless_equals_uint64 (statistics_of (engine).bytes, 0);
  fail_unless_equals_uint64 (statistics_of (engine).peak_bytes, 0);
}

GST_END_TEST;

GST_START_TEST (test_pool_when_the_device_is_full)
{
  GstBufferPool *pool;
  GstBuffer *buffer = NULL, *refused = NULL;

  device->total = BYTES;
  pool = new_pool (CAPS, NULL, 0, 0);
  buffer = acquire (pool);
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &refused, NULL), GST_FLOW_ERROR);
  gst_buffer_unref (buffer);
  buffer = acquire (pool);
  gst_buffer_unref (buffer);
  free_pool (pool);
}

GST_END_TEST;

/* ---- threads ---- */

#define N_THREADS 4
#define N_ROUNDS 300

typedef struct
{
  GstMemory *memory;            /* shared by all; to be read only */
  guint8 value;
} Common;

static gpointer
map_and_use (gpointer data)
{
  const Common *common = data;
  RobocacheEngine *mine = engine_on (device, 0);
  Seen seen;

  for (guint i = 0; i < N_ROUNDS; i++) {
    GstMemory *memory = alloc_memory (allocator, BYTES + i % 3), *part = gst_memory_share (common->memory, i % 10, 10);
    GstMapInfo map;

    write_with (memory, mine, i);
    fail_unless_mapped (common->memory, common->value);
    fail_unless_mapped (part, common->value);
    read_with (common->memory, mine, &seen);
    fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
    fail_unless_all (map.data, map.size, i);
    memset (map.data, i + 1, map.size);
    gst_memory_unmap (memory, &map);
    gst_memory_unref (part);
    fail_unless_mapped (memory, i + 1);
    gst_memory_unref (memory);
    fail_unless (robocache_engine_synchronize (mine, NULL));
    fail_unless_all (seen.bytes, BYTES, common->value);
  }
  robocache_engine_unref (mine);
  return NULL;
}

static gpointer
trim_again_and_again (gpointer done)
{
  while (!g_atomic_int_get ((gint *) done)) {
    robocache_allocator_trim (allocator);
    g_thread_yield ();
  }
  return NULL;
}

/* __i__: half as many threads, while another one trims. */
GST_START_TEST (test_many_threads)
{
  const guint n = __i__ ? N_THREADS / 2 : N_THREADS;
  Common common = { alloc_memory (allocator, BYTES), 77 };
  GThread *threads[N_THREADS], *trimmer = NULL;
  RobocacheMemoryStatistics statistics;
  gint done = 0;

  write_with (common.memory, engine, common.value);
  if (__i__)
    trimmer = g_thread_new ("trimmer", trim_again_and_again, &done);
  for (guint i = 0; i < n; i++)
    threads[i] = g_thread_new ("mapper", map_and_use, &common);
  for (guint i = 0; i < n; i++)
    g_thread_join (threads[i]);
  g_atomic_int_set (&done, 1);
  if (trimmer)
    g_thread_join (trimmer);
  gst_memory_unref (common.memory);
  robocache_allocator_trim (allocator);
  statistics = statistics_of (engine);
  fail_unless_equals_uint64 (statistics.bytes, 0);
  fail_unless_equals_uint64 (statistics.host_bytes, 0);
  fail_unless_equals_uint64 (statistics.pool_hits + statistics.pool_misses, 1 + n * N_ROUNDS);
}

GST_END_TEST;

CHECK_MAIN (allocator, setup, teardown,
    ONCE (test_buffers_of_more_than_4_gib), TIMES (2 * N_ORDERS, test_one_block_and_a_slow_reader),
    TIMES (N_ORDERS, test_pool_of_one_behind_a_tee), ONCE (test_pool_of_two_tensors),
    TIMES (4, test_pool_configured_by_upstream), TIMES (2, test_steady_state_allocates_nothing),
    ONCE (test_memory_that_comes_again_is_as_new), ONCE (test_sizes_that_keep_changing),
    ONCE (test_sizes_that_alternate_are_all_kept), ONCE (test_prefix_and_padding), ONCE (test_more_than_can_be_counted),
    ONCE (test_pool_when_the_device_is_full), TIMES (2, test_many_threads))

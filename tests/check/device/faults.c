/* robocache: device memory under faults, in many threads, and in any order of random work
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicework.h"

#define BYTES 32

static FakeDevice *device;
static RobocacheEngine *engine; /* that makes the memory */
static RobocacheEngine *other;  /* on the same device */
static GstAllocator *allocator;

static void
setup (void)
{
  device = fake_device_new (0);
  engine = engine_on (device, 0);
  other = engine_on (device, 0);
  allocator = robocache_allocator_new (engine, RC_MEMORY_DEVICE);
}

static void
teardown (void)
{
  gst_object_unref (allocator);
  robocache_engine_unref (engine);
  robocache_engine_unref (other);
  fake_device_free (device);
}

/* ---- a device that fails ---- */

static guint errors;            /* logged */

static void
count_errors (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line,
    GObject *object, GstDebugMessage *message, gpointer user_data)
{
  if (level == GST_LEVEL_ERROR)
    g_atomic_int_inc (&errors);
}

/* Everything once. FALSE as soon as something fails, with what failed. */
static gboolean
use_everything (RobocacheEngine *far, Seen *seen, GError **error)
{
  GstMemory *memory = robocache_allocator_alloc (allocator, BYTES, error), *copied = NULL, *result = NULL;
  GstMapInfo map;
  gboolean ok = memory && enqueue_write (memory, engine, 1, error) && enqueue_read (memory, other, seen, error);

  if (ok && (ok = gst_memory_map (memory, &map, GST_MAP_READWRITE))) {
    memset (map.data, 2, map.size);
    gst_memory_unmap (memory, &map);
  }
  if (ok)
    ok = (copied = gst_memory_copy (memory, 0, -1)) != NULL;
  ok = ok && (result = robocache_allocator_alloc (allocator, BYTES, error));
  ok = ok && robocache_memory_begin_write (result, far, error)
      && robocache_memory_copy_out (copied, 0, BYTES, robocache_memory_data (result), far, error)
      && robocache_memory_end_write (result, far, error) && enqueue_write (memory, far, 3, error)
      && enqueue_write (memory, engine, 4, error) && robocache_engine_synchronize (engine, error);
  if (ok && (ok = gst_memory_map (result, &map, GST_MAP_READ))) {
    fail_unless_all (map.data, map.size, 2);
    gst_memory_unmap (result, &map);
  }
  g_clear_pointer (&memory, gst_memory_unref);
  g_clear_pointer (&copied, gst_memory_unref);
  g_clear_pointer (&result, gst_memory_unref);
  return ok;
}

/* A read after the device has failed says so, in one way or another. */
static void
fail_unless_failed (Seen *seen)
{
  GError *error = NULL;
  GstMemory *memory = robocache_allocator_alloc (allocator, BYTES, &error);

  if (memory) {                 /* a block that was kept */
    fail_if (enqueue_write (memory, engine, 5, &error));
    gst_memory_unref (memory);
  }
  fail_unless_error (error, LIBRARY, FAILED, "failed before");
}

/* Whichever call it is at which the device fails: no crash, an error or a log line that names it, nothing left. */
GST_START_TEST (test_device_fails_at_any_call)
{
  GError *error = NULL;
  gboolean reached = TRUE;
  guint n;

  gst_debug_set_active (TRUE);
  gst_debug_set_default_threshold (GST_LEVEL_ERROR);
  gst_debug_remove_log_function (NULL);
  gst_debug_add_log_function (count_errors, NULL, NULL);
  for (n = 1; reached; n++) {
    Seen *seen = g_new0 (Seen, 1);
    gboolean ok;

    errors = 0;
    fake_device_fail_call (device, n);
    ok = use_everything (other, seen, &error);
    reached = fake_device_has_failed (device);
    if (reached) {
      fail_unless (!ok || errors > 0, "call %u", n);
      fail_unless (error || errors > 0, "call %u", n);
      fail_unless (error == NULL || strstr (error->message, "device 0 (fake)") || strstr (error->message, "did not get"),
          "call %u: %s", n, error ? error->message : "");
      fail_unless_failed (seen);
    } else {
      fail_unless (ok, "%s", error ? error->message : "no error");
    }
    g_clear_error (&error);
    teardown ();
    setup ();
    g_free (seen);
  }
  fail_unless (n > 25, "only %u calls", n);
  gst_debug_remove_log_function (count_errors);
}

GST_END_TEST;

/* The same of one of two devices; the other one goes on. */
GST_START_TEST (test_another_device_fails_at_any_call)
{
  gboolean reached = TRUE;
  guint n;

  for (n = 1; reached; n++) {
    FakeDevice *far_device = fake_device_new (1);
    RobocacheEngine *far = engine_on (far_device, 0);
    Seen *seen = g_new0 (Seen, 1);
    GstAllocator *there = robocache_allocator_new (far, RC_MEMORY_DEVICE);
    GstMemory *memory = alloc_memory (allocator, BYTES), *result = alloc_memory (there, BYTES);
    GError *error = NULL;
    gboolean ok;

    write_with (memory, engine, 1);
    fake_device_fail_call (far_device, n);
    ok = robocache_memory_begin_write (result, far, &error)
        && robocache_memory_copy_out (memory, 0, BYTES, robocache_memory_data (result), far, &error)
        && robocache_memory_end_write (result, far, &error) && robocache_engine_synchronize (far, &error);
    reached = fake_device_has_failed (far_device);
    fail_unless_equals_int (ok, !reached);
    fail_unless_equals_int (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED), reached);
    g_clear_error (&error);
    if (!reached)
      fake_device_fail_call (far_device, 0);
    write_with (memory, other, 2);
    read_with (memory, engine, seen);
    fail_unless_mapped (memory, 2);
    fake_finish (n);
    fail_unless_all (seen->bytes, BYTES, 2);
    gst_memory_unref (memory);
    gst_memory_unref (result);
    gst_object_unref (there);
    robocache_allocator_trim (allocator);
    robocache_engine_unref (far);
    fake_device_free (far_device);
    g_free (seen);
  }
  fail_unless (n > 4, "only %u calls", n);
}

GST_END_TEST;

/* A writer on a device that has failed does not hide a reader on another one that is still at work. */
GST_START_TEST (test_free_waits_for_the_device_that_works)
{
  FakeDevice *far_device = fake_device_new (1);
  RobocacheEngine *far = engine_on (far_device, 0);
  GstAllocator *pinned = robocache_allocator_new (engine, RC_MEMORY_PINNED);
  GstMemory *memory = alloc_memory (pinned, BYTES);
  Seen seen;

  write_with (memory, engine, 1);
  fail_unless (robocache_engine_synchronize (engine, NULL));
  read_with (memory, far, &seen);
  fake_device_fail_call (device, 1);
  fail_if (robocache_engine_synchronize (engine, NULL));
  gst_memory_unref (memory);
  robocache_allocator_trim (pinned);
  fail_unless_all (seen.bytes, BYTES, 1);
  gst_object_unref (pinned);
  robocache_engine_unref (far);
  fake_device_free (far_device);
}

GST_END_TEST;

/* ---- what fails once ---- */

/* Work without an event is waited for: nobody can overtake it, nor free its memory. */
GST_START_TEST (test_no_event_for_a_write)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);
  GError *error = NULL;
  Seen seen;

  fake_device_fail_event (device, 1);
  fail_if (enqueue_write (memory, engine, 1, &error));
  fail_unless_error (error, RESOURCE, NO_SPACE_LEFT, "");
  read_with (memory, other, &seen);
  fail_unless (robocache_engine_synchronize (other, NULL));
  fail_unless_all (seen.bytes, BYTES, 1);
  write_with (memory, engine, 2);
  fail_unless_mapped (memory, 2);
  gst_memory_unref (memory);
}

GST_END_TEST;

GST_START_TEST (test_no_event_for_a_read)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);
  GError *error = NULL;
  Seen seen;

  write_with (memory, engine, 1);
  fake_device_fail_event (device, 1);
  fail_if (enqueue_read (memory, other, &seen, &error));
  fail_unless_error (error, RESOURCE, NO_SPACE_LEFT, "");
  write_with (memory, engine, 2);
  fail_unless (robocache_engine_synchronize (engine, NULL));
  fail_unless_all (seen.bytes, BYTES, 1);
  gst_memory_unref (memory);
  robocache_allocator_trim (allocator);
}

GST_END_TEST;

/* What was written to a map and did not get there is nobody's data: whoever reads is told, and the block is not kept. */
GST_START_TEST (test_what_a_map_wrote_is_lost)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);
  GError *error = NULL;
  GstMapInfo map;
  Seen seen;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  memset (map.data, 1, BYTES);
  fake_device_fail_event (device, 1);
  gst_memory_unmap (memory, &map);
  fail_if (enqueue_read (memory, other, &seen, &error));
  fail_unless_error (error, LIBRARY, FAILED, "a memory of 32 bytes did not get to the device");
  fail_if (gst_memory_map (memory, &map, GST_MAP_READ));
  fail_if (gst_memory_map (memory, &map, GST_MAP_READ | ROBOCACHE_MAP_DEVICE));
  fail_if (gst_memory_copy (memory, 0, -1));
  gst_memory_unref (memory);
  robocache_allocator_trim (allocator); /* the copy that did not come about */
  fail_unless_equals_int (fake_device_counts (device).device_blocks, 0);
  memory = alloc_memory (allocator, BYTES);
  write_with (memory, engine, 2);
  fail_unless_mapped (memory, 2);
  gst_memory_unref (memory);
}

GST_END_TEST;

GST_START_TEST (test_no_pinned_memory_for_a_map)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);
  RobocacheMemoryStatistics statistics;
  GstMapInfo map;

  write_with (memory, engine, 1);
  fake_device_fail_alloc (device, 1);
  fail_if (gst_memory_map (memory, &map, GST_MAP_READ));
  robocache_engine_get_memory_statistics (engine, &statistics);
  fail_unless_equals_uint64 (statistics.host_bytes, 0);
  fail_unless_mapped (memory, 1);       /* it failed once */
  robocache_engine_get_memory_statistics (engine, &statistics);
  fail_unless_equals_uint64 (statistics.host_bytes, BYTES);
  gst_memory_unref (memory);
}

GST_END_TEST;

/* An allocation that fails is tried again without the blocks that were kept; after that it is an error. */
GST_START_TEST (test_allocation_fails)
{
  GstMemory *memory, *copied;
  GError *error = NULL;

  fake_device_fail_alloc (device, 1);
  memory = alloc_memory (allocator, BYTES);
  fake_device_fail_alloc (device, 1);
  copied = gst_memory_copy (memory, 0, -1);
  fail_unless (copied != NULL);
  gst_memory_unref (copied);
  robocache_allocator_trim (allocator);
  fake_device_fail_call (device, 1);
  fail_if (robocache_allocator_alloc (allocator, 2 * BYTES, &error));
  fail_unless_error (error, LIBRARY, FAILED, "");
  fail_if (gst_memory_copy (memory, 0, -1));
  gst_memory_unref (memory);
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

GST_START_TEST (test_maps_from_many_threads)
{
  Common common = { alloc_memory (allocator, BYTES), 77 };
  GThread *threads[N_THREADS];
  RobocacheMemoryStatistics statistics;

  write_with (common.memory, engine, common.value);
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("mapper", map_and_use, &common);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  gst_memory_unref (common.memory);
  robocache_allocator_trim (allocator);
  robocache_engine_get_memory_statistics (engine, &statistics);
  fail_unless_equals_uint64 (statistics.bytes, 0);
  fail_unless_equals_uint64 (statistics.host_bytes, 0);
  fail_unless_equals_uint64 (statistics.pool_hits + statistics.pool_misses, 1 + N_THREADS * N_ROUNDS);
}

GST_END_TEST;

static gpointer
trim_again_and_again (gpointer done)
{
  while (!g_atomic_int_get ((gint *) done)) {
    robocache_allocator_trim (allocator);
    g_thread_yield ();
  }
  return NULL;
}

GST_START_TEST (test_trim_while_others_allocate)
{
  Common common = { alloc_memory (allocator, BYTES), 77 };
  GThread *threads[2], *trimmer;
  gint done = 0;

  write_with (common.memory, engine, common.value);
  trimmer = g_thread_new ("trimmer", trim_again_and_again, &done);
  for (guint i = 0; i < 2; i++)
    threads[i] = g_thread_new ("mapper", map_and_use, &common);
  for (guint i = 0; i < 2; i++)
    g_thread_join (threads[i]);
  g_atomic_int_set (&done, 1);
  g_thread_join (trimmer);
  gst_memory_unref (common.memory);
}

GST_END_TEST;

/* ---- random work ---- */

#define N_ENGINES 4             /* two on each of two devices */
#define N_MEMORIES 6
#define N_WORKS 400

typedef struct
{
  Seen seen;
  guint8 value;
} Expected;

typedef struct
{
  GRand *random;
  RobocacheEngine *engines[N_ENGINES];
  GstAllocator *allocators[4];  /* device memory of both, and pinned memory of both */
  GstMemory *memories[N_MEMORIES];
  guint8 values[N_MEMORIES];    /* that they will have */
  GPtrArray *reads;             /* of Expected */
} Play;

static guint
any (Play *play, guint n)
{
  return (guint) g_rand_int_range (play->random, 0, (gint) n);
}

static void
play_write (Play *play, guint m)
{
  GstMemory *memory = play->memories[m];
  RobocacheEngine *writer = play->engines[any (play, N_ENGINES)];

  if (robocache_is_gpu_memory (memory) && robocache_engine_device (writer)
      != robocache_engine_device (robocache_memory_engine (memory)))
    writer = robocache_memory_engine (memory);
  write_with (memory, writer, play->values[m] = any (play, 256));
}

static void
play_read (Play *play, guint m)
{
  GstMemory *memory = play->memories[m];
  RobocacheEngine *reader = play->engines[any (play, N_ENGINES)];
  Expected *expected = g_new0 (Expected, 1);

  if (robocache_is_gpu_memory (memory) && robocache_engine_device (reader)
      != robocache_engine_device (robocache_memory_engine (memory)))
    reader = robocache_memory_engine (memory);
  expected->value = play->values[m];
  g_ptr_array_add (play->reads, expected);
  read_with (memory, reader, &expected->seen);
}

/* From any memory to any other one, by an engine that can write there. */
static void
play_copy_out (Play *play, guint m)
{
  const guint to = any (play, N_MEMORIES);
  RobocacheEngine *writer = robocache_memory_engine (play->memories[to]);
  GstMemory *memory = play->memories[to];

  if (to == m)
    return;
  fail_unless (robocache_memory_begin_write (memory, writer, NULL));
  fail_unless (robocache_memory_copy_out (play->memories[m], 0, BYTES, robocache_memory_data (memory), writer, NULL));
  fail_unless (robocache_memory_end_write (memory, writer, NULL));
  play->values[to] = play->values[m];
}

static void
play_copy (Play *play, guint m)
{
  const guint to = any (play, N_MEMORIES);
  GstMemory *copied;

  copied = gst_memory_copy (play->memories[m], 0, -1);
  fail_unless (copied != NULL);
  gst_memory_unref (play->memories[to]);
  play->memories[to] = copied;
  play->values[to] = play->values[m];
}

static void
play_look (Play *play, guint m)
{
  fail_unless_mapped (play->memories[m], play->values[m]);
}

static void
play_map (Play *play, guint m)
{
  GstMapInfo map;

  fail_unless (gst_memory_map (play->memories[m], &map, GST_MAP_READWRITE));
  fail_unless_all (map.data, map.size, play->values[m]);
  memset (map.data, play->values[m] = any (play, 256), map.size);
  gst_memory_unmap (play->memories[m], &map);
}

static void
play_part (Play *play, guint m)
{
  GstMemory *part = gst_memory_share (play->memories[m], 8, 16);

  fail_unless_mapped (part, play->values[m]);
  gst_memory_unref (part);
}

static void
play_renew (Play *play, guint m)
{
  gst_memory_unref (play->memories[m]);
  play->memories[m] = alloc_memory (play->allocators[any (play, 4)], BYTES);
  play_write (play, m);
}

static void
play_step (Play *play, guint m)
{
  const guint n = any (play, 10);
  const RcStream stream = robocache_engine_stream (play->engines[any (play, N_ENGINES)]);

  for (guint i = 0; i < n && fake_step (stream); i++);
}

static void
play_trim (Play *play, guint m)
{
  if (any (play, 10) == 0)
    robocache_allocator_trim (play->allocators[any (play, 4)]);
}

GST_START_TEST (test_random_work)
{
  static void (*const moves[]) (Play * play, guint m) = {
    play_write, play_write, play_read, play_read, play_copy_out, play_copy_out, play_copy, play_look, play_map,
    play_part, play_renew, play_step, play_trim
  };
  FakeDevice *far_device = fake_device_new (1);
  Play play = { g_rand_new_with_seed ((guint32) __i__) };

  play.reads = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < N_ENGINES; i++)
    play.engines[i] = engine_on (i < 2 ? device : far_device, 0);
  for (guint i = 0; i < 4; i++)
    play.allocators[i] = robocache_allocator_new (play.engines[i], i % 2 ? RC_MEMORY_PINNED : RC_MEMORY_DEVICE);
  for (guint m = 0; m < N_MEMORIES; m++) {
    play.memories[m] = alloc_memory (play.allocators[m % 4], BYTES);
    play_write (&play, m);
  }
  for (guint i = 0; i < N_WORKS; i++)
    moves[any (&play, G_N_ELEMENTS (moves))] (&play, any (&play, N_MEMORIES));
  for (guint m = 0; m < N_MEMORIES; m++) {
    fail_unless_mapped (play.memories[m], play.values[m]);
    gst_memory_unref (play.memories[m]);
  }
  for (guint i = 0; i < 4; i++)
    gst_object_unref (play.allocators[i]);
  fake_finish ((guint32) __i__);
  for (guint i = 0; i < play.reads->len; i++) {
    const Expected *expected = g_ptr_array_index (play.reads, i);

    fail_unless_all (expected->seen.bytes, BYTES, expected->value);
  }
  for (guint i = 0; i < N_ENGINES; i++)
    robocache_engine_unref (play.engines[i]);
  g_ptr_array_unref (play.reads);
  g_rand_free (play.random);
  fake_device_free (far_device);
}

GST_END_TEST;

static Suite *
faults_suite (void)
{
  Suite *s = suite_create ("faults");
  TCase *tc = tcase_create ("faults");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_device_fails_at_any_call);
  tcase_add_test (tc, test_another_device_fails_at_any_call);
  tcase_add_test (tc, test_free_waits_for_the_device_that_works);
  tcase_add_test (tc, test_no_event_for_a_write);
  tcase_add_test (tc, test_no_event_for_a_read);
  tcase_add_test (tc, test_what_a_map_wrote_is_lost);
  tcase_add_test (tc, test_no_pinned_memory_for_a_map);
  tcase_add_test (tc, test_allocation_fails);
  tcase_add_test (tc, test_maps_from_many_threads);
  tcase_add_test (tc, test_trim_while_others_allocate);
  tcase_add_loop_test (tc, test_random_work, 0, 40);
  return s;
}

GST_CHECK_MAIN (faults);

/* robocache: an engine is opened whole or not at all, and its statistics is right
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicefixture.h"

#include "common/device/budget.h"

GST_START_TEST (test_streams_of_its_own)
{
  const RcStream streams[] = { robocache_engine_stream (engine), robocache_engine_transfer_stream (engine),
    robocache_engine_stream (other), robocache_engine_transfer_stream (other)
  };

  for (guint i = 0; i < 4; i++) {
    fail_unless (streams[i] != NULL);
    for (guint k = 0; k < i; k++)
      fail_if (streams[i] == streams[k]);
  }
  fail_unless (robocache_engine_is_gpu (engine));
  fail_if (robocache_engine_is_host_addressable (engine));
  fail_unless_equals_int (robocache_engine_device (engine), NUMBER);
}

GST_END_TEST;

GST_START_TEST (test_cpu)
{
  const RcWhere where = {.kind = RC_BACKEND_CPU };
  RobocacheEngine *cpu = robocache_engine_new (&where, 0, NULL);
  GError *error = NULL;

  fail_unless (cpu != NULL);
  fail_if (robocache_engine_is_gpu (cpu));
  fail_unless (robocache_engine_is_host_addressable (cpu));
  fail_unless_equals_int (robocache_engine_device (cpu), -1);
  fail_unless (robocache_engine_synchronize (cpu, NULL));
  fail_unless (robocache_engine_check_budget (cpu, 1000, "a job", "a smaller one", NULL));
  fail_if (robocache_engine_check_budget (cpu, G_MAXUINT64, "a job", "a smaller one", &error));
  fail_unless (strstr (error->message, "a smaller one") != NULL, "%s", error->message);
  fail_unless_error (error, RESOURCE, NO_SPACE_LEFT, "a job needs");
  robocache_engine_unref (cpu);
}

GST_END_TEST;

GST_START_TEST (test_backend_that_does_not_open)
{
  const RcWhere where = {.kind = RC_BACKEND_CUDA,.device = 12345 };
  GError *error = NULL;

  fail_if (robocache_engine_new (&where, 0, &error));
  fail_unless (strlen (error->message) > 0);
  fail_unless_error (error, RESOURCE, NOT_FOUND, "");
}

GST_END_TEST;

/* Info, and two streams; the backend is closed, as it was taken over. */
GST_START_TEST (test_fails_while_it_is_made)
{
  GError *error = NULL;

  device->failing_call = (guint) __i__ + 1;
  fail_if (robocache_engine_new_for_backend (fake_device_open (device), 0, &error));
  fail_unless_error (error, LIBRARY, FAILED, "device 5 (fake): it broke");
  fail_unless_equals_int (device->counts.backends, 2); /* those of before */
}

GST_END_TEST;

static void
expect_statistics (guint64 bytes, guint64 peak_bytes, guint64 host_bytes)
{
  const RobocacheMemoryStatistics statistics = statistics_of (engine);

  fail_unless_equals_uint64 (statistics.bytes, bytes);
  fail_unless_equals_uint64 (statistics.peak_bytes, peak_bytes);
  fail_unless_equals_uint64 (statistics.host_bytes, host_bytes);
}

GST_START_TEST (test_statistics)
{
  gpointer a = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, 1000, NULL);
  gpointer b = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, 500, NULL);
  gpointer pinned = robocache_engine_alloc (engine, RC_MEMORY_PINNED, 300, NULL);

  fail_unless (a && b && pinned);
  robocache_engine_free (engine, RC_MEMORY_DEVICE, a, 1000);
  expect_statistics (500, 1500, 300);
  robocache_engine_free (engine, RC_MEMORY_DEVICE, b, 500);
  robocache_engine_free (engine, RC_MEMORY_PINNED, pinned, 300);
  robocache_engine_free (engine, RC_MEMORY_PINNED, NULL, 300);
  expect_statistics (0, 1500, 0);
}

GST_END_TEST;

/* What could not be allocated was never there. */
GST_START_TEST (test_statistics_of_what_fails)
{
  static const RcMemoryKind kinds[] = { RC_MEMORY_DEVICE, RC_MEMORY_PINNED };
  GError *error = NULL;

  device->failing_alloc = 1;
  fail_if (robocache_engine_alloc (engine, kinds[__i__], 1000, &error));
  fail_unless_error (error, RESOURCE, NO_SPACE_LEFT, "1000 bytes needed");
  expect_statistics (0, 0, 0);
}

GST_END_TEST;

/* A job fits in bytes and not in one byte more. */
static void
expect_budget (RobocacheEngine *of, guint64 bytes, const gchar *message)
{
  GError *error = NULL;

  fail_unless_equals_uint64 (robocache_engine_budget (of), bytes);
  fail_unless (robocache_engine_check_budget (of, bytes, "a grid", "fewer voxels", NULL));
  fail_if (robocache_engine_check_budget (of, bytes + 1, "a grid", "fewer voxels", &error));
  ck_assert_str_eq (error->message, message);
  fail_unless_error (error, RESOURCE, NO_SPACE_LEFT, "");
}

GST_START_TEST (test_budget)
{
  RobocacheEngine *bounded = engine_on (device, 600);
  gpointer memory;

  device->total = 1000;
  expect_budget (engine, 1000, "a grid needs 1001 bytes, and device 5 has 1000 free: fewer voxels");
  expect_budget (bounded, 600, "a grid needs 601 bytes, and device 5 has 600 free of max-device-memory: fewer voxels");
  memory = robocache_engine_alloc (bounded, RC_MEMORY_DEVICE, 250, NULL);
  expect_budget (engine, 750, "a grid needs 751 bytes, and device 5 has 750 free: fewer voxels");
  expect_budget (bounded, 350, "a grid needs 351 bytes, and device 5 has 350 free of max-device-memory: fewer voxels");
  robocache_engine_free (bounded, RC_MEMORY_DEVICE, memory, 250);
  fail_unless_equals_uint64 (robocache_engine_budget (bounded), 600);
  robocache_engine_unref (bounded);
}

GST_END_TEST;

GST_START_TEST (test_budget_of_a_device_that_failed)
{
  GError *error = NULL;

  device->failing_call = 1;
  fail_unless_equals_uint64 (robocache_engine_budget (engine), 0);
  fail_if (robocache_engine_alloc (engine, RC_MEMORY_DEVICE, 1, &error));
  fail_unless_error (error, LIBRARY, FAILED, "failed before");
  fail_if (robocache_engine_synchronize (engine, &error));
  g_clear_error (&error);
}

GST_END_TEST;

/* Bounds hold while many allocate. */
#define BOUND 10000

static gpointer
allocate_and_free (gpointer data)
{
  for (guint i = 0; i < 500; i++) {
    gpointer memory = robocache_engine_alloc (data, RC_MEMORY_DEVICE, 3000, NULL);

    if (i % 10 == 0)
      g_thread_yield ();        /* seldom, since it takes as long as the machine is busy */
    robocache_engine_free (data, RC_MEMORY_DEVICE, memory, 3000);
  }
  return NULL;
}

GST_START_TEST (test_bound_with_many_threads)
{
  RobocacheEngine *bounded = engine_on (device, BOUND);
  RobocacheMemoryStatistics statistics;
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("allocator", allocate_and_free, bounded);
  for (guint i = 0; i < 4; i++)
    g_thread_join (threads[i]);
  robocache_engine_get_memory_statistics (bounded, &statistics);
  fail_unless_equals_uint64 (statistics.bytes, 0);
  fail_unless (statistics.peak_bytes >= 3000 && statistics.peak_bytes <= BOUND);
  robocache_engine_unref (bounded);
}

GST_END_TEST;

CHECK_MAIN (engine, setup, teardown,
    ONCE (test_streams_of_its_own), ONCE (test_cpu), ONCE (test_backend_that_does_not_open),
    TIMES (3, test_fails_while_it_is_made), ONCE (test_statistics),
    TIMES (2, test_statistics_of_what_fails), ONCE (test_budget), ONCE (test_budget_of_a_device_that_failed),
    ONCE (test_bound_with_many_threads))

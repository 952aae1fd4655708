/* robocache: an engine is opened whole or not at all, and its statistics is right
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicework.h"

#include "common/device/budget.h"

static FakeDevice *device;

static void
setup (void)
{
  device = fake_device_new (5);
}

static void
teardown (void)
{
  fake_device_free (device);
}

GST_START_TEST (test_streams_of_its_own)
{
  RobocacheEngine *a = engine_on (device, 0), *b = engine_on (device, 0);
  const RcStream streams[] = { robocache_engine_stream (a), robocache_engine_transfer_stream (a),
    robocache_engine_stream (b), robocache_engine_transfer_stream (b)
  };

  for (guint i = 0; i < 4; i++) {
    fail_unless (streams[i] != NULL);
    for (guint k = 0; k < i; k++)
      fail_if (streams[i] == streams[k]);
  }
  fail_unless (robocache_engine_is_gpu (a));
  fail_if (robocache_engine_is_host_addressable (a));
  fail_unless_equals_int (robocache_engine_device (a), 5);
  robocache_engine_unref (a);
  robocache_engine_unref (b);
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
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT));
  fail_unless (strstr (error->message, "a job needs") && strstr (error->message, "a smaller one"), "%s",
      error->message);
  g_clear_error (&error);
  robocache_engine_unref (cpu);
}

GST_END_TEST;

GST_START_TEST (test_backend_that_does_not_open)
{
  const RcWhere where = {.kind = RC_BACKEND_CUDA,.device = 12345 };
  GError *error = NULL;

  fail_if (robocache_engine_new (&where, 0, &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  fail_unless (strlen (error->message) > 0);
  g_clear_error (&error);
}

GST_END_TEST;

/* Info, and two streams; the backend is closed, as it was taken over. */
GST_START_TEST (test_fails_while_it_is_made)
{
  GError *error = NULL;

  fake_device_fail_call (device, (guint) __i__);
  fail_if (robocache_engine_new_for_backend (fake_device_open (device), 0, &error));
  fail_unless_error (error, LIBRARY, FAILED, "device 5 (fake): it broke");
  fail_unless_equals_int (fake_device_counts (device).backends, 0);
}

GST_END_TEST;

GST_START_TEST (test_statistics)
{
  RobocacheEngine *engine = engine_on (device, 0);
  gpointer a, b, pinned;

  a = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, 1000, NULL);
  b = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, 500, NULL);
  pinned = robocache_engine_alloc (engine, RC_MEMORY_PINNED, 300, NULL);
  fail_unless (a && b && pinned);
  robocache_engine_free (engine, RC_MEMORY_DEVICE, a, 1000);
  expect_statistics (engine, 500, 1500, 300);
  robocache_engine_free (engine, RC_MEMORY_DEVICE, b, 500);
  robocache_engine_free (engine, RC_MEMORY_PINNED, pinned, 300);
  robocache_engine_free (engine, RC_MEMORY_PINNED, NULL, 300);
  expect_statistics (engine, 0, 1500, 0);
  robocache_engine_unref (engine);
}

GST_END_TEST;

/* What could not be allocated was never there. */
GST_START_TEST (test_statistics_of_what_fails)
{
  static const RcMemoryKind kinds[] = { RC_MEMORY_DEVICE, RC_MEMORY_PINNED };
  RobocacheEngine *engine = engine_on (device, 0);
  GError *error = NULL;

  fake_device_fail_alloc (device, 1);
  fail_if (robocache_engine_alloc (engine, kinds[__i__], 1000, &error));
  fail_unless_error (error, RESOURCE, NO_SPACE_LEFT, "1000 bytes needed");
  expect_statistics (engine, 0, 0, 0);
  robocache_engine_unref (engine);
}

GST_END_TEST;

GST_START_TEST (test_budget)
{
  RobocacheEngine *engine, *bounded;
  GError *error = NULL;
  gpointer memory;

  fake_device_set_total (device, 1000);
  engine = engine_on (device, 0);
  bounded = engine_on (device, 600);
  fail_unless_equals_uint64 (robocache_engine_budget (engine), 1000);
  fail_unless_equals_uint64 (robocache_engine_budget (bounded), 600);
  memory = robocache_engine_alloc (bounded, RC_MEMORY_DEVICE, 250, NULL);
  fail_unless_equals_uint64 (robocache_engine_budget (engine), 750);
  fail_unless_equals_uint64 (robocache_engine_budget (bounded), 350);
  fail_unless (robocache_engine_check_budget (engine, 750, "a grid", "fewer voxels", NULL));
  fail_if (robocache_engine_check_budget (engine, 751, "a grid", "fewer voxels", &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT));
  ck_assert_str_eq (error->message, "a grid needs 751 bytes, and device 5 has 750 free: fewer voxels");
  g_clear_error (&error);
  fail_if (robocache_engine_check_budget (bounded, 351, "a grid", "fewer voxels", &error));
  ck_assert_str_eq (error->message,
      "a grid needs 351 bytes, and device 5 has 350 free of max-device-memory: fewer voxels");
  g_clear_error (&error);
  robocache_engine_free (bounded, RC_MEMORY_DEVICE, memory, 250);
  fail_unless_equals_uint64 (robocache_engine_budget (bounded), 600);
  robocache_engine_unref (bounded);
  robocache_engine_unref (engine);
}

GST_END_TEST;

GST_START_TEST (test_budget_of_a_device_that_failed)
{
  RobocacheEngine *engine = engine_on (device, 0);
  GError *error = NULL;

  fake_device_fail_call (device, 1);
  fail_unless_equals_uint64 (robocache_engine_budget (engine), 0);
  fail_if (robocache_engine_alloc (engine, RC_MEMORY_DEVICE, 1, &error));
  fail_unless_error (error, LIBRARY, FAILED, "failed before");
  fail_if (robocache_engine_synchronize (engine, &error));
  g_clear_error (&error);
  robocache_engine_unref (engine);
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
  RobocacheEngine *engine = engine_on (device, BOUND);
  RobocacheMemoryStatistics statistics;
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("allocator", allocate_and_free, engine);
  for (guint i = 0; i < 4; i++)
    g_thread_join (threads[i]);
  robocache_engine_get_memory_statistics (engine, &statistics);
  fail_unless_equals_uint64 (statistics.bytes, 0);
  fail_unless (statistics.peak_bytes >= 3000 && statistics.peak_bytes <= BOUND);
  robocache_engine_unref (engine);
}

GST_END_TEST;

static Suite *
engine_suite (void)
{
  Suite *s = suite_create ("engine");
  TCase *tc = tcase_create ("engine");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_streams_of_its_own);
  tcase_add_test (tc, test_cpu);
  tcase_add_test (tc, test_backend_that_does_not_open);
  tcase_add_loop_test (tc, test_fails_while_it_is_made, 1, 4);
  tcase_add_test (tc, test_statistics);
  tcase_add_loop_test (tc, test_statistics_of_what_fails, 0, 2);
  tcase_add_test (tc, test_budget);
  tcase_add_test (tc, test_budget_of_a_device_that_failed);
  tcase_add_test (tc, test_bound_with_many_threads);
  return s;
}

GST_CHECK_MAIN (engine);

/* robocache: counters of jobs are taken in order, and taking them never waits for a device
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicework.h"

#include "common/device/readback.h"

#define N_ENGINES 2

static FakeDevice *device;
static RobocacheEngine *engines[N_ENGINES];
static RobocacheReadback *readback;

static void
setup (void)
{
  device = fake_device_new (0);
  for (guint i = 0; i < N_ENGINES; i++)
    engines[i] = engine_on (device, 0);
  readback = robocache_readback_new (engines, N_ENGINES, 1, NULL);
  fail_unless (readback != NULL);
}

static void
teardown (void)
{
  robocache_readback_free (readback);
  for (guint i = 0; i < N_ENGINES; i++)
    robocache_engine_unref (engines[i]);
  fake_device_free (device);
}

static void
count (guint8 *to, const guint8 *from, gsize bytes, gpointer data)
{
  *(gint64 *) (gpointer) to += GPOINTER_TO_INT (data);
}

/* A job that counts `number` on each engine. */
static void
enqueue_job (gint number)
{
  fail_unless (robocache_readback_begin (readback, NULL));
  for (guint i = 0; i < N_ENGINES; i++)
    fake_launch (robocache_engine_stream (engines[i]), count, robocache_readback_counters (readback, i), NULL, sizeof (gint64),
        GINT_TO_POINTER (number));
  fail_unless (robocache_readback_end (readback, (GstClockTime) number, NULL));
}

static void
expect_none (void)
{
  const guint pending = fake_pending ();
  GstClockTime pts;
  GError *error = NULL;
  gint64 counter;

  fail_if (robocache_readback_take (readback, &counter, &pts, &error));
  fail_unless (error == NULL);
  fail_unless_equals_int (fake_pending (), pending);
}

static void
expect_job (gint number)
{
  const guint pending = fake_pending ();
  GstClockTime pts;
  gint64 counter;

  fail_unless (robocache_readback_take (readback, &counter, &pts, NULL));
  fail_unless_equals_int64 (counter, N_ENGINES * number);
  fail_unless_equals_uint64 (pts, (GstClockTime) number);
  fail_unless_equals_int (fake_pending (), pending);
}

GST_START_TEST (test_take_waits_for_nothing)
{
  expect_none ();
  enqueue_job (1);
  enqueue_job (2);
  expect_none ();
  fail_unless (robocache_engine_synchronize (engines[0], NULL));
  expect_none ();               /* the other engine is not done */
  fail_unless (robocache_readback_wait (readback, 1, NULL));
  expect_job (1);
  expect_none ();
  fail_unless (robocache_readback_wait (readback, 0, NULL));
  expect_job (2);
  expect_none ();
  fail_unless (robocache_readback_wait (readback, 0, NULL));
}

GST_END_TEST;

/* Jobs that another thread took already are not waited for. */
GST_START_TEST (test_wait_for_jobs_that_were_taken)
{
  enqueue_job (1);
  fake_finish (0);
  expect_job (1);
  enqueue_job (2);
  fail_unless (robocache_readback_wait (readback, 1, NULL));
  expect_none ();
  fake_finish (0);
  expect_job (2);
}

GST_END_TEST;

GST_START_TEST (test_many_jobs)
{
  for (gint number = 1; number < 20; number++) {
    enqueue_job (number);
    fail_unless (robocache_readback_wait (readback, 1, NULL));
    if (number > 1)
      expect_job (number - 1);
  }
}

GST_END_TEST;

/* A device that fails loses a job, and no call waits for it. */
GST_START_TEST (test_failed_device)
{
  GstClockTime pts;
  GError *error = NULL;
  gint64 counter;

  enqueue_job (1);
  fake_device_fail_call (device, 1);
  if (__i__ == 0) {
    fail_if (robocache_readback_wait (readback, 0, &error));
    fail_unless_error (error, LIBRARY, FAILED, "");
  }
  fail_if (robocache_readback_take (readback, &counter, &pts, &error));
  fail_unless_error (error, LIBRARY, FAILED, "");
  fail_unless_equals_int (robocache_readback_pending (readback), 0);
}

GST_END_TEST;

/* Statistics of memory and the budget cause no work either. */
GST_START_TEST (test_memory_statistics_wait_for_nothing)
{
  RobocacheMemoryStatistics statistics;
  guint pending;

  enqueue_job (1);
  pending = fake_pending ();
  robocache_engine_get_memory_statistics (engines[0], &statistics);
  fail_unless_equals_uint64 (statistics.bytes, sizeof (gint64));
  fail_unless_equals_uint64 (statistics.host_bytes, ROBOCACHE_READBACK_SLOTS * sizeof (gint64));
  fail_unless (robocache_engine_budget (engines[0]) > 0);
  fail_unless_equals_int (fake_pending (), pending);
}

GST_END_TEST;

static Suite *
readback_suite (void)
{
  Suite *s = suite_create ("readback");
  TCase *tc = tcase_create ("readback");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_take_waits_for_nothing);
  tcase_add_test (tc, test_wait_for_jobs_that_were_taken);
  tcase_add_test (tc, test_many_jobs);
  tcase_add_loop_test (tc, test_failed_device, 0, 2);
  tcase_add_test (tc, test_memory_statistics_wait_for_nothing);
  return s;
}

GST_CHECK_MAIN (readback);

/* robocache: counters of jobs are taken in order, and taking them never waits for a device
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicefixture.h"

#include "common/transfers/readback.h"

#define N_ENGINES 2

static RobocacheEngine *engines[N_ENGINES];
static RobocacheReadback *readback;

static void
setup_readback (void)
{
  setup ();
  engines[0] = engine;
  engines[1] = other;
  readback = robocache_readback_new (engines, N_ENGINES, 1, NULL);
  fail_unless (readback != NULL);
}

static void
teardown_readback (void)
{
  robocache_readback_free (readback);
  teardown ();
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
  device->failing_call = 1;
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
  statistics = statistics_of (engine);
  fail_unless_equals_uint64 (statistics.bytes, sizeof (gint64));
  fail_unless_equals_uint64 (statistics.host_bytes, ROBOCACHE_READBACK_SLOTS * sizeof (gint64));
  fail_unless (robocache_engine_budget (engines[0]) > 0);
  fail_unless_equals_int (fake_pending (), pending);
}

GST_END_TEST;

CHECK_MAIN (readback, setup_readback, teardown_readback,
    ONCE (test_take_waits_for_nothing), ONCE (test_wait_for_jobs_that_were_taken), ONCE (test_many_jobs),
    TIMES (2, test_failed_device), ONCE (test_memory_statistics_wait_for_nothing))

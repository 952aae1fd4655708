/* robocache: memory that plans work in, and what does not fit
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/device/budget.h"
#include "common/device/scratch.h"
#include "tests/check/lib/checks.h"

static RobocacheEngine *engine;
static RobocacheScratch scratch;

static void
setup (void)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };

  engine = robocache_engine_new (&where, 0, NULL);
  fail_unless (engine != NULL);
}

static void
teardown (void)
{
  robocache_scratch_clear (&scratch);
  fail_unless (scratch.data == NULL && scratch.bytes == 0);
  robocache_engine_unref (engine);
}

GST_START_TEST (test_grows_and_is_aligned)
{
  static const guint64 sizes[] = { 1, 255, 256, 257, 100000 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    fail_unless (robocache_scratch_reserve (&scratch, engine, sizes[i], NULL));
    fail_unless (scratch.bytes >= sizes[i]);
    fail_unless_equals_uint64 ((guintptr) scratch.data % 256, 0);
    memset (scratch.data, 0xff, sizes[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_stays_when_less_is_enough)
{
  gpointer data;

  fail_unless (robocache_scratch_reserve (&scratch, engine, 0, NULL));
  fail_unless (scratch.data == NULL);
  fail_unless (robocache_scratch_reserve (&scratch, engine, 1000, NULL));
  data = scratch.data;
  fail_unless (robocache_scratch_reserve (&scratch, engine, 1000, NULL));
  fail_unless (robocache_scratch_reserve (&scratch, engine, 10, NULL));
  fail_unless (scratch.data == data && scratch.bytes == 1000);
}

GST_END_TEST;

GST_START_TEST (test_more_than_the_machine_has)
{
  static const guint64 sizes[] = { G_MAXUINT64, G_MAXUINT64 - 1000, G_GUINT64_CONSTANT (1) << 62, 0 };
  const guint64 bytes = sizes[__i__] ? sizes[__i__] : robocache_machine_memory ();
  GError *error = NULL;

  fail_if (robocache_scratch_reserve (&scratch, engine, bytes, &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT));
  fail_unless (scratch.data == NULL && scratch.bytes == 0);
  g_error_free (error);
}

GST_END_TEST;

GST_START_TEST (test_bytes_saturate)
{
  fail_unless_equals_uint64 (robocache_bytes_multiply (3, 7), 21);
  fail_unless_equals_uint64 (robocache_bytes_multiply (G_GUINT64_CONSTANT (1) << 32, G_GUINT64_CONSTANT (1) << 32),
      G_MAXUINT64);
  fail_unless_equals_uint64 (robocache_bytes_add (3, 7), 10);
  fail_unless_equals_uint64 (robocache_bytes_add (G_MAXUINT64, 1), G_MAXUINT64);
}

GST_END_TEST;

CHECK_MAIN (scratch, setup, teardown,
    ONCE (test_grows_and_is_aligned), ONCE (test_stays_when_less_is_enough), TIMES (4, test_more_than_the_machine_has),
    ONCE (test_bytes_saturate))

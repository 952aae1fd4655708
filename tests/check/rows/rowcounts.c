/* robocache: counters of rows, and reports of losses
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/rows/reports.h"
#include "common/rows/rowcounts.h"
#include "tests/check/lib/checks.h"

/* Fields of twice these counts, 12 kept. */
GST_START_TEST (test_to_structure)
{
  static const RobocacheRowCounts counts = { 21, 1, 2, 1, 3, 4, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} };
  static const struct
  {
    const gchar *name;
    guint64 expected;
  } fields[] = {
    {"rows-in", 42}, {"rows-used", 2}, {"rows-late", 4}, {"rows-late-overtaken", 2}, {"rows-duplicate", 6}, {"rows-superseded", 8},
    {"rows-dropped", 132}, {"rows-kept", 12}, {"rows-dropped-no-time", 2}, {"rows-dropped-outside-segment", 4},
    {"rows-dropped-clock-jump", 6}, {"rows-dropped-overflow", 8}, {"rows-dropped-flush", 10}, {"rows-dropped-refused", 12},
    {"rows-dropped-removed", 14}, {"rows-dropped-no-reference", 16}, {"rows-dropped-ahead", 18}, {"rows-dropped-malformed", 20},
    {"rows-dropped-nan", 22},
  };
  GstStructure *structure = gst_structure_new_empty ("x");
  RobocacheRowCounts sum = { 0 };

  robocache_row_counts_add (&sum, &counts);
  robocache_row_counts_add (&sum, &counts);
  robocache_row_counts_to_structure (&sum, 12, structure);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    guint64 value = G_MAXUINT64;

    gst_structure_get_uint64 (structure, fields[i].name, &value);
    fail_unless (value == fields[i].expected, "%s is %" G_GUINT64_FORMAT, fields[i].name, value);
  }
  gst_structure_free (structure);
}

GST_END_TEST;

GST_START_TEST (test_refuse)
{
  RobocacheRowCounts counts = { 0 };

  robocache_row_counts_refuse (&counts, __i__, 3);
  robocache_row_counts_refuse (&counts, __i__, 4);
  fail_unless_equals_uint64 (counts.in, 7);
  fail_unless_equals_uint64 (counts.dropped[__i__], 7);
  fail_unless_equals_uint64 (robocache_row_counts_dropped (&counts), 7);
}

GST_END_TEST;

/* What is pending is told once; the distribution stays. */
GST_START_TEST (test_losses)
{
  RobocacheLosses *losses = g_new0 (RobocacheLosses, 1);
  RobocacheLoss loss;

  fail_if (robocache_losses_take (losses, 0, 0, &loss));
  robocache_losses_late (losses, 100, 7);
  robocache_losses_late (losses, 50, 57);
  robocache_losses_dropped (losses, 10, 3);
  fail_unless (robocache_losses_take (losses, 0, 0, &loss));
  fail_unless_equals_uint64 (loss.n, 5);
  fail_unless_equals_int64 (loss.time, 100);
  fail_unless_equals_int64 (loss.lateness, 57);
  fail_if (robocache_losses_take (losses, 0, 0, &loss));
  fail_unless_equals_uint64 (losses->lateness.n, 2);
  fail_unless_equals_int64 (losses->lateness.max_ns, 57);
  g_free (losses);
}

GST_END_TEST;

/* Rows lost one after the other, and which of them cause a report under an interval of 100 ns. */
GST_START_TEST (test_report_interval)
{
  static const struct
  {
    gint64 now, interval;
    guint n_lost, n_reported;
  } steps[] = {
    {1000, 100, 0, 0},
    {1000, 100, 2, 2},
    {1050, 100, 3, 0},
    {1099, 100, 1, 0},
    {1100, 100, 0, 4},
    {1300, 100, 0, 0},
    {1310, 100, 1, 1},
    {1320, 100, 1, 0},
    {20, 100, 1, 2},            /* the timeline restarted */
    {30, 100, 1, 0},
    {30, 0, 1, 2},              /* each */
    {G_MININT64, 100, 1, 0},    /* unknown: no time has passed */
    {G_MAXINT64, G_MAXINT64, 0, 0},
    {G_MAXINT64, 100, 0, 1},
    {G_MAXINT64, 1, 1, 0},
  };
  RobocacheLosses *losses = g_new0 (RobocacheLosses, 1);
  RobocacheLoss loss;

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    gboolean due;

    for (guint k = 0; k < steps[i].n_lost; k++)
      robocache_losses_dropped (losses, 1, 1);
    due = robocache_losses_take (losses, steps[i].now, steps[i].interval, &loss);
    fail_unless_equals_int (due, steps[i].n_reported > 0);
    if (due)
      fail_unless_equals_uint64 (loss.n, steps[i].n_reported);
  }
  fail_unless (robocache_losses_flush (losses, &loss));
  fail_unless_equals_uint64 (loss.n, 1);
  fail_if (robocache_losses_flush (losses, &loss));
  g_free (losses);
}

GST_END_TEST;

GST_START_TEST (test_nobody_asks)
{
  robocache_losses_late (NULL, 1, 1);
  robocache_losses_dropped (NULL, 1, 1);
}

GST_END_TEST;

CHECK_MAIN (rowcounts, NULL, NULL, ONCE (test_to_structure), TIMES (ROBOCACHE_N_DROP_REASONS, test_refuse), ONCE (test_losses),
    ONCE (test_report_interval), ONCE (test_nobody_asks))

/* robocache: what elements report about themselves
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include <stdlib.h>
#include <string.h>

#include "common/element/statistics.h"

static RobocacheHistogram *
histogram_new (void)
{
  return g_new0 (RobocacheHistogram, 1);
}

GST_START_TEST (test_empty)
{
  RobocacheHistogram *h = histogram_new ();

  fail_unless_equals_int64 (robocache_histogram_quantile (h, 0.5), 0);
  fail_unless_equals_int64 (robocache_histogram_quantile (h, 1), 0);
  g_free (h);
}

GST_END_TEST;

static const gint64 values[] = { 0, 1, 2, 31, 32, 33, 63, 64, 65, 100, 1000, 1000000, 1000003, 16777215, 16777216,
  G_GINT64_CONSTANT (1000000000), G_GINT64_CONSTANT (3600000000000), G_GINT64_CONSTANT (1) << 59, G_MAXINT64
};

/* One value is every quantile of itself. */
GST_START_TEST (test_one_value)
{
  static const gdouble quantiles[] = { 0.001, 0.5, 0.99, 1 };
  RobocacheHistogram *h = histogram_new ();

  robocache_histogram_add (h, values[__i__]);
  for (guint i = 0; i < G_N_ELEMENTS (quantiles); i++)
    fail_unless_equals_int64 (robocache_histogram_quantile (h, quantiles[i]), values[__i__]);
  fail_unless_equals_int64 (h->max_ns, values[__i__]);
  g_free (h);
}

GST_END_TEST;

/* Beside a greater one, a value is read off at most 1/31 too high, and never too low. */
GST_START_TEST (test_bins)
{
  RobocacheHistogram *h = histogram_new ();
  const gint64 value = MIN (values[__i__], G_GINT64_CONSTANT (1) << 58);
  gint64 read;

  robocache_histogram_add (h, value);
  robocache_histogram_add (h, G_MAXINT64);
  read = robocache_histogram_quantile (h, 0.5);
  fail_unless (read >= value && read - value <= value / 31, "%" G_GINT64_FORMAT " is read as %" G_GINT64_FORMAT, value, read);
  g_free (h);
}

GST_END_TEST;

GST_START_TEST (test_negative_counts_as_zero)
{
  RobocacheHistogram *h = histogram_new ();

  robocache_histogram_add (h, -5);
  robocache_histogram_add (h, G_MININT64);
  fail_unless_equals_uint64 (h->n, 2);
  fail_unless_equals_int64 (robocache_histogram_quantile (h, 1), 0);
  g_free (h);
}

GST_END_TEST;

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Against the sorted list. */
GST_START_TEST (test_random)
{
  static const gdouble quantiles[] = { 0.01, 0.25, 0.5, 0.9, 0.99, 1 };
  GRand *rand = g_rand_new_with_seed (__i__);
  RobocacheHistogram *h = histogram_new ();
  gint64 all[1000];

  for (guint i = 0; i < 1000; i++) {
    all[i] = (gint64) g_rand_int (rand) >> (g_rand_int (rand) % 32);
    robocache_histogram_add (h, all[i]);
  }
  qsort (all, 1000, sizeof (gint64), compare);
  for (guint i = 0; i < G_N_ELEMENTS (quantiles); i++) {
    const gint64 exact = all[(gint) (quantiles[i] * 1000 + 0.5) - 1], read = robocache_histogram_quantile (h, quantiles[i]);

    fail_unless (read >= exact && read - exact <= exact / 31, "quantile %g", quantiles[i]);
  }
  robocache_histogram_clear (h);
  fail_unless_equals_uint64 (h->n, 0);
  fail_unless_equals_int64 (robocache_histogram_quantile (h, 1), 0);
  g_free (h);
  g_rand_free (rand);
}

GST_END_TEST;

/* Two halves are the whole. */
GST_START_TEST (test_merge)
{
  RobocacheHistogram *whole = histogram_new (), *odd = histogram_new (), *even = histogram_new ();

  robocache_histogram_merge (odd, even);
  fail_unless_equals_uint64 (odd->n, 0);
  for (gint64 i = 0; i < 1000; i++) {
    robocache_histogram_add (whole, i * i);
    robocache_histogram_add (i % 2 ? odd : even, i * i);
  }
  robocache_histogram_merge (odd, even);
  fail_unless (memcmp (odd, whole, sizeof (*whole)) == 0);
  g_free (whole);
  g_free (odd);
  g_free (even);
}

GST_END_TEST;

GST_START_TEST (test_to_structure)
{
  RobocacheHistogram *h = histogram_new ();
  GstStructure *structure = gst_structure_new_empty ("x");
  gint64 p50 = 0, p99 = 0, max = 0;

  for (gint i = 1; i <= 10; i++)
    robocache_histogram_add (h, i);
  robocache_histogram_to_structure (h, structure, "age");
  fail_unless (gst_structure_get (structure, "age-p50", G_TYPE_INT64, &p50, "age-p99", G_TYPE_INT64, &p99, "age-max",
          G_TYPE_INT64, &max, NULL));
  fail_unless_equals_int64 (p50, 5);
  fail_unless_equals_int64 (p99, 10);
  fail_unless_equals_int64 (max, 10);
  gst_structure_free (structure);
  g_free (h);
}

GST_END_TEST;

/* ---- when to post ---- */

GST_START_TEST (test_timer)
{
  RobocacheStatisticsTimer timer = { 100, GST_CLOCK_TIME_NONE };

  fail_if (robocache_statistics_timer_due (&timer, 1000));   /* it starts here */
  fail_if (robocache_statistics_timer_due (&timer, 1099));
  fail_unless (robocache_statistics_timer_due (&timer, 1100));
  fail_if (robocache_statistics_timer_due (&timer, 1100));
  fail_unless (robocache_statistics_timer_due (&timer, 1450));       /* once for all that were passed over */
  fail_if (robocache_statistics_timer_due (&timer, 1499));
  fail_unless (robocache_statistics_timer_due (&timer, 1500));
  fail_if (robocache_statistics_timer_due (&timer, GST_CLOCK_TIME_NONE));
  robocache_statistics_timer_reset (&timer);
  fail_if (robocache_statistics_timer_due (&timer, 5));
  fail_unless (robocache_statistics_timer_due (&timer, 105));
}

GST_END_TEST;

/* The sum of time and interval does not wrap. */
GST_START_TEST (test_timer_of_a_huge_interval)
{
  static const GstClockTime intervals[] = { G_MAXUINT64, G_MAXUINT64 - 1, G_MAXUINT64 - 1000, G_MAXINT64 };
  RobocacheStatisticsTimer timer = { intervals[__i__], GST_CLOCK_TIME_NONE };

  for (GstClockTime t = 1000; t < G_MAXINT64; t *= 2)
    fail_if (robocache_statistics_timer_due (&timer, t));
}

GST_END_TEST;

GST_START_TEST (test_timer_beyond_the_end_of_time)
{
  RobocacheStatisticsTimer timer = { G_MAXINT64, GST_CLOCK_TIME_NONE };

  fail_if (robocache_statistics_timer_due (&timer, 1000));
  fail_unless (robocache_statistics_timer_due (&timer, G_GUINT64_CONSTANT (1000) + G_MAXINT64));
  fail_if (robocache_statistics_timer_due (&timer, G_GUINT64_CONSTANT (1001) + G_MAXINT64));
  fail_if (robocache_statistics_timer_due (&timer, GST_CLOCK_TIME_NONE - 2));
}

GST_END_TEST;

GST_START_TEST (test_timer_off)
{
  RobocacheStatisticsTimer timer = { 0, GST_CLOCK_TIME_NONE };

  for (GstClockTime t = 0; t < 10 * GST_SECOND; t += GST_SECOND)
    fail_if (robocache_statistics_timer_due (&timer, t));
}

GST_END_TEST;

GST_START_TEST (test_post)
{
  GstElement *element = gst_element_factory_make ("identity", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;

  gst_element_set_bus (element, bus);
  robocache_statistics_post (element, gst_structure_new ("any", "n", G_TYPE_INT, 7, NULL));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  fail_unless (gst_message_has_name (message, "identity"));
  gst_message_unref (message);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
stats_suite (void)
{
  Suite *s = suite_create ("stats");
  TCase *tc = tcase_create ("stats");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_empty);
  tcase_add_loop_test (tc, test_one_value, 0, G_N_ELEMENTS (values));
  tcase_add_loop_test (tc, test_bins, 0, G_N_ELEMENTS (values));
  tcase_add_test (tc, test_negative_counts_as_zero);
  tcase_add_loop_test (tc, test_random, 0, 10);
  tcase_add_test (tc, test_merge);
  tcase_add_test (tc, test_to_structure);
  tcase_add_test (tc, test_timer);
  tcase_add_loop_test (tc, test_timer_of_a_huge_interval, 0, 4);
  tcase_add_test (tc, test_timer_beyond_the_end_of_time);
  tcase_add_test (tc, test_timer_off);
  tcase_add_test (tc, test_post);
  return s;
}

GST_CHECK_MAIN (stats);

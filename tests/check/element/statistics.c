/* robocache: what elements report about themselves
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "common/element/statsmessages.h"
#include "common/rows/reports.h"
#include "tests/check/lib/checks.h"

static RobocacheHistogram histogram;

static void
setup (void)
{
  histogram = (RobocacheHistogram) { 0 };
}

static const gint64 values[] = { 0, 1, 2, 31, 32, 33, 63, 64, 65, 100, 1000, 1000000, 1000003, 16777215, 16777216,
  G_GINT64_CONSTANT (1000000000), G_GINT64_CONSTANT (3600000000000), G_GINT64_CONSTANT (1) << 59, G_MAXINT64
};

/* One value is every quantile of itself. Beside a greater one it is read off at most 1/31 too high, and never too low. */
GST_START_TEST (test_one_value)
{
  static const gdouble quantiles[] = { 0.001, 0.5, 0.99, 1 };
  const gint64 value = MIN (values[__i__], G_GINT64_CONSTANT (1) << 58);
  gint64 read;

  robocache_histogram_add (&histogram, values[__i__]);
  for (guint i = 0; i < G_N_ELEMENTS (quantiles); i++)
    fail_unless_equals_int64 (robocache_histogram_quantile (&histogram, quantiles[i]), values[__i__]);
  fail_unless_equals_int64 (histogram.max_ns, values[__i__]);
  histogram = (RobocacheHistogram) { 0 };
  robocache_histogram_add (&histogram, value);
  robocache_histogram_add (&histogram, G_MAXINT64);
  read = robocache_histogram_quantile (&histogram, 0.5);
  fail_unless (read >= value && read - value <= value / 31, "%" G_GINT64_FORMAT " is read as %" G_GINT64_FORMAT, value, read);
}

GST_END_TEST;

/* An empty one, and one of negative values. */
GST_START_TEST (test_zero)
{
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_uint64 (histogram.n, i);
    fail_unless_equals_int64 (robocache_histogram_quantile (&histogram, 0.5), 0);
    fail_unless_equals_int64 (robocache_histogram_quantile (&histogram, 1), 0);
    robocache_histogram_add (&histogram, i ? -5 : G_MININT64);
  }
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
  gint64 all[1000];

  for (guint i = 0; i < 1000; i++) {
    all[i] = (gint64) g_rand_int (rand) >> (g_rand_int (rand) % 32);
    robocache_histogram_add (&histogram, all[i]);
  }
  qsort (all, 1000, sizeof (gint64), compare);
  for (guint i = 0; i < G_N_ELEMENTS (quantiles); i++) {
    const gint64 exact = all[(gint) (quantiles[i] * 1000 + 0.5) - 1];
    const gint64 read = robocache_histogram_quantile (&histogram, quantiles[i]);

    fail_unless (read >= exact && read - exact <= exact / 31, "quantile %g", quantiles[i]);
  }
  histogram = (RobocacheHistogram) { 0 };
  fail_unless_equals_uint64 (histogram.n, 0);
  fail_unless_equals_int64 (robocache_histogram_quantile (&histogram, 1), 0);
  g_rand_free (rand);
}

GST_END_TEST;

/* Two halves are the whole. */
GST_START_TEST (test_merge)
{
  static RobocacheHistogram odd, even;

  robocache_histogram_merge (&odd, &even);
  fail_unless_equals_uint64 (odd.n, 0);
  for (gint64 i = 0; i < 1000; i++) {
    robocache_histogram_add (&histogram, i * i);
    robocache_histogram_add (i % 2 ? &odd : &even, i * i);
  }
  robocache_histogram_merge (&odd, &even);
  fail_unless (memcmp (&odd, &histogram, sizeof (odd)) == 0);
}

GST_END_TEST;

GST_START_TEST (test_to_structure)
{
  GstStructure *structure = gst_structure_new_empty ("x");
  gint64 p50 = 0, p99 = 0, max = 0;

  for (gint i = 1; i <= 10; i++)
    robocache_histogram_add (&histogram, i);
  robocache_histogram_to_structure (&histogram, structure, "age");
  fail_unless (gst_structure_get (structure, "age-p50", G_TYPE_INT64, &p50, "age-p99", G_TYPE_INT64, &p99, "age-max",
          G_TYPE_INT64, &max, NULL));
  fail_unless_equals_int64 (p50, 5);
  fail_unless_equals_int64 (p99, 10);
  fail_unless_equals_int64 (max, 10);
  gst_structure_free (structure);
}

GST_END_TEST;

/* ---- when to post ---- */

/* Times, those at which the timer is due with a ! */
static const struct
{
  GstClockTime interval;
  const gchar *times;
} timers[] = {
  /* starts at 1000; is due once for all intervals that were passed over */
  {100, "1000 1099 1100! 1100 1450! 1499 1500! reset 5 105!"},
  {0, "0 1000000000 10000000000"},
  /* the sum of time and interval does not wrap */
  {G_MAXUINT64, "1000 1048576000 4503599627370496000"},
  {G_MAXUINT64 - 1, "1000 1048576000 4503599627370496000"},
  {G_MAXUINT64 - 1000, "1000 1048576000 4503599627370496000"},
  {G_MAXINT64, "1000 1048576000 4503599627370496000"},
  {G_MAXINT64, "1000 9223372036854776807! 9223372036854776808 18446744073709551613"},
};

GST_START_TEST (test_timer)
{
  RobocacheStatisticsTimer timer = { timers[__i__].interval, GST_CLOCK_TIME_NONE };
  gchar **times = g_strsplit (timers[__i__].times, " ", -1);

  for (gchar **time = times; *time; time++) {
    fail_if (robocache_statistics_timer_due (&timer, GST_CLOCK_TIME_NONE));
    if (g_str_equal (*time, "reset"))
      robocache_statistics_timer_reset (&timer);
    else
      fail_unless (robocache_statistics_timer_due (&timer, g_ascii_strtoull (*time, NULL, 10)) == (strchr (*time, '!') != NULL),
          "%s", *time);
  }
  g_strfreev (times);
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

CHECK_MAIN (statistics, setup, NULL, EACH (values, test_one_value), ONCE (test_zero), TIMES (10, test_random), ONCE (test_merge),
    ONCE (test_to_structure), EACH (timers, test_timer), ONCE (test_post))

/* robocache: times of recorded rows are exact
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "gst/parse/records/recordtime.h"

static void
expect_text (const gchar *text, RobocacheTimeUnit unit, gint64 expected)
{
  gint64 t = -77;

  fail_unless_equals_int (robocache_time_from_text (text, unit, &t), ROBOCACHE_TIME_OK);
  fail_unless_equals_int64 (t, expected);
}

static void
expect_status (const gchar *text, RobocacheTimeUnit unit, RobocacheTimeStatus expected)
{
  gint64 t = -77;

  fail_unless_equals_int (robocache_time_from_text (text, unit, &t), expected);
  fail_unless_equals_int64 (t, -77);
}

GST_START_TEST (units)
{
  expect_text ("20327133", ROBOCACHE_TIME_UNIT_US, G_GINT64_CONSTANT (20327133000));
  expect_text ("1.5", ROBOCACHE_TIME_UNIT_S, 1500000000);
  expect_text ("1.5", ROBOCACHE_TIME_UNIT_MS, 1500000);
  expect_text ("1.5", ROBOCACHE_TIME_UNIT_US, 1500);
  expect_text ("1.5", ROBOCACHE_TIME_UNIT_NS, 1);
}

GST_END_TEST;

GST_START_TEST (nothing_goes_through_a_double)
{
  expect_text ("1326899528468056009", ROBOCACHE_TIME_UNIT_NS, G_GINT64_CONSTANT (1326899528468056009));
  expect_text ("1326899528.468056009", ROBOCACHE_TIME_UNIT_S, G_GINT64_CONSTANT (1326899528468056009));
  expect_text ("1326899528468056.009", ROBOCACHE_TIME_UNIT_US, G_GINT64_CONSTANT (1326899528468056009));
  expect_text ("0.004", ROBOCACHE_TIME_UNIT_S, 4000000);
  expect_text ("9007199254740993", ROBOCACHE_TIME_UNIT_NS, G_GINT64_CONSTANT (9007199254740993));
}

GST_END_TEST;

GST_START_TEST (digits_below_a_nanosecond_are_cut_off)
{
  expect_text ("0.9999999999", ROBOCACHE_TIME_UNIT_S, 999999999);
  expect_text ("-0.9999999999", ROBOCACHE_TIME_UNIT_S, -999999999);
  expect_text ("0.0000000009", ROBOCACHE_TIME_UNIT_S, 0);
  expect_text ("-0.9", ROBOCACHE_TIME_UNIT_NS, 0);
  expect_text ("12.3456789012345678901234567890", ROBOCACHE_TIME_UNIT_S, G_GINT64_CONSTANT (12345678901));
}

GST_END_TEST;

GST_START_TEST (exponents)
{
  expect_text ("1.5e-3", ROBOCACHE_TIME_UNIT_S, 1500000);
  expect_text ("1.5E-3", ROBOCACHE_TIME_UNIT_S, 1500000);
  expect_text ("1.326899528468056009e18", ROBOCACHE_TIME_UNIT_NS, G_GINT64_CONSTANT (1326899528468056009));
  expect_text ("15e+1", ROBOCACHE_TIME_UNIT_MS, 150000000);
  expect_text ("12345e-20", ROBOCACHE_TIME_UNIT_S, 0);
  expect_text ("12345e-13", ROBOCACHE_TIME_UNIT_S, 1);
  expect_text ("0e999999999999999999", ROBOCACHE_TIME_UNIT_S, 0);
  expect_text ("1e-999999999999999999", ROBOCACHE_TIME_UNIT_S, 0);
}

GST_END_TEST;

GST_START_TEST (spellings)
{
  expect_text ("+5", ROBOCACHE_TIME_UNIT_NS, 5);
  expect_text ("-5", ROBOCACHE_TIME_UNIT_NS, -5);
  expect_text ("5.", ROBOCACHE_TIME_UNIT_NS, 5);
  expect_text (".5", ROBOCACHE_TIME_UNIT_S, 500000000);
  expect_text ("-.5", ROBOCACHE_TIME_UNIT_S, -500000000);
  expect_text ("000000000000000000000000000007", ROBOCACHE_TIME_UNIT_NS, 7);
  expect_text ("-0", ROBOCACHE_TIME_UNIT_S, 0);
}

GST_END_TEST;

GST_START_TEST (no_numbers)
{
  static const gchar *texts[] = { "", " ", "t", "nan", "inf", "1,5", "1.2.3", "0x10", "1e", "1e+", "1e1.5", "--1",
    "+-1", ".", "-", "e5", "1 ", " 1", "1s", "2012-01-18 15:12:08" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    expect_status (texts[i], ROBOCACHE_TIME_UNIT_S, ROBOCACHE_TIME_NOT_A_NUMBER);
}

GST_END_TEST;

GST_START_TEST (limits)
{
  expect_text ("9223372036854775807", ROBOCACHE_TIME_UNIT_NS, G_MAXINT64);
  expect_text ("-9223372036854775808", ROBOCACHE_TIME_UNIT_NS, G_MININT64);
  expect_text ("9223372036.8547758079", ROBOCACHE_TIME_UNIT_S, G_MAXINT64);
  expect_status ("9223372036854775808", ROBOCACHE_TIME_UNIT_NS, ROBOCACHE_TIME_OVERFLOW);
  expect_status ("-9223372036854775809", ROBOCACHE_TIME_UNIT_NS, ROBOCACHE_TIME_OVERFLOW);
  expect_status ("1326899528468056009", ROBOCACHE_TIME_UNIT_S, ROBOCACHE_TIME_OVERFLOW);
  expect_status ("1e10", ROBOCACHE_TIME_UNIT_S, ROBOCACHE_TIME_OVERFLOW);
  expect_status ("1e999999999999999999999", ROBOCACHE_TIME_UNIT_S, ROBOCACHE_TIME_OVERFLOW);
}

GST_END_TEST;

GST_START_TEST (integers)
{
  gint64 t = 0;

  fail_unless_equals_int (robocache_time_from_int64 (-3, ROBOCACHE_TIME_UNIT_MS, &t), ROBOCACHE_TIME_OK);
  fail_unless_equals_int64 (t, -3000000);
  fail_unless_equals_int (robocache_time_from_int64 (G_MAXINT64, ROBOCACHE_TIME_UNIT_NS, &t), ROBOCACHE_TIME_OK);
  fail_unless_equals_int64 (t, G_MAXINT64);
  fail_unless_equals_int (robocache_time_from_int64 (G_MAXINT64, ROBOCACHE_TIME_UNIT_US, &t), ROBOCACHE_TIME_OVERFLOW);
  fail_unless_equals_int (robocache_time_from_uint64 (7, ROBOCACHE_TIME_UNIT_S, &t), ROBOCACHE_TIME_OK);
  fail_unless_equals_int64 (t, G_GINT64_CONSTANT (7000000000));
  fail_unless_equals_int (
      robocache_time_from_uint64 (G_MAXUINT64, ROBOCACHE_TIME_UNIT_NS, &t), ROBOCACHE_TIME_OVERFLOW);
}

GST_END_TEST;

static void
expect_double (gdouble value, RobocacheTimeUnit unit, gint64 expected)
{
  gint64 t = -77;

  fail_unless_equals_int (robocache_time_from_double (value, unit, &t), ROBOCACHE_TIME_OK);
  fail_unless_equals_int64 (t, expected);
}

GST_START_TEST (doubles)
{
  gint64 t = 0;

  expect_double (1.5, ROBOCACHE_TIME_UNIT_S, 1500000000);
  expect_double (-1.5, ROBOCACHE_TIME_UNIT_NS, -1);
  expect_double (0x1p52 + 0.5, ROBOCACHE_TIME_UNIT_NS, G_GINT64_CONSTANT (1) << 52);
  /* the double nearest to 0.1 is 0.1000000000000000055…, the one nearest to 0.3 is 0.29999999999999998… */
  expect_double (0.1, ROBOCACHE_TIME_UNIT_S, 100000000);
  expect_double (0.3, ROBOCACHE_TIME_UNIT_S, 299999999);
  expect_double (0x1p62, ROBOCACHE_TIME_UNIT_NS, G_GINT64_CONSTANT (1) << 62);
  expect_double (5e-324, ROBOCACHE_TIME_UNIT_S, 0);
  expect_double (-0.0, ROBOCACHE_TIME_UNIT_S, 0);
  fail_unless_equals_int (robocache_time_from_double (NAN, ROBOCACHE_TIME_UNIT_S, &t), ROBOCACHE_TIME_NOT_A_NUMBER);
  fail_unless_equals_int (robocache_time_from_double (HUGE_VAL, ROBOCACHE_TIME_UNIT_S, &t), ROBOCACHE_TIME_OVERFLOW);
  fail_unless_equals_int (robocache_time_from_double (0x1p63, ROBOCACHE_TIME_UNIT_NS, &t), ROBOCACHE_TIME_OVERFLOW);
  fail_unless_equals_int (robocache_time_from_double (1e10, ROBOCACHE_TIME_UNIT_S, &t), ROBOCACHE_TIME_OVERFLOW);
}

GST_END_TEST;

GST_START_TEST (differences)
{
  gint64 d = 0;

  fail_unless (robocache_time_difference (5, 8, &d));
  fail_unless_equals_int64 (d, -3);
  fail_if (robocache_time_difference (G_MAXINT64, -1, &d));
  fail_if (robocache_time_difference (G_MININT64, 1, &d));
}

GST_END_TEST;

static Suite *
recordtime_suite (void)
{
  Suite *suite = suite_create ("recordtime");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, units);
  tcase_add_test (tc, nothing_goes_through_a_double);
  tcase_add_test (tc, digits_below_a_nanosecond_are_cut_off);
  tcase_add_test (tc, exponents);
  tcase_add_test (tc, spellings);
  tcase_add_test (tc, no_numbers);
  tcase_add_test (tc, limits);
  tcase_add_test (tc, integers);
  tcase_add_test (tc, doubles);
  tcase_add_test (tc, differences);
  return suite;
}

GST_CHECK_MAIN (recordtime);

/* robocache: quaternions whose length is not 1, counted and reported
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/element/propertytypes.h"
#include "common/rows/reports.h"
#include "common/rows/checks.h"

#include <math.h>

#include "kernels/arithmetic.h"
#include "tests/check/lib/checks.h"

#define CHANNELS 6

/* Rows of six channels, with quaternions of four from channel 1 on: the outer channels are no part of them. */
static const struct
{
  gdouble quaternion[4];
  gboolean is_odd, is_zero;
} rows[] = {
  {{1, 0, 0, 0}}, {{0.5, 0.5, 0.5, 0.5}}, {{-0.5, 0.5, -0.5, 0.5}}, {{0.707, 0.707, 0, 0}}, {{0.995, 0, 0, 0}}, {{1.005, 0, 0, 0}},
  {{0.98, 0, 0, 0}, TRUE}, {{1.02, 0, 0, 0}, TRUE}, {{2, 0, 0, 0}, TRUE}, {{0, 0, 0, 0.25}, TRUE}, {{1, 1, 1, 1}, TRUE},
  {{INFINITY, 0, 0, 0}, TRUE}, {{0, 0, 0, 0}, FALSE, TRUE}, {{-0.0, 0, -0.0, 0}, FALSE, TRUE}, {{NAN, 0, 0, 0}}, {{NAN, NAN, NAN, NAN}},
};

static const RcDtype dtypes[] = { RC_FLOAT16, RC_BFLOAT16, RC_FLOAT32, RC_FLOAT64 };

static void
write_element (RcDtype dtype, guint8 *at, gdouble value)
{
  const gfloat single = (gfloat) value;
  const guint16 half = dtype == RC_FLOAT16 ? rc_float16_from_float64 (value) : rc_bfloat16_from_float64 (value);

  if (dtype == RC_FLOAT64)
    memcpy (at, &value, sizeof (value));
  else if (dtype == RC_FLOAT32)
    memcpy (at, &single, sizeof (single));
  else
    memcpy (at, &half, sizeof (half));
}

/* At an odd address. */
static guint8 *
write_row (RcDtype dtype, guint8 *buffer, const gdouble *quaternion)
{
  guint8 *row = buffer + 1;

  for (guint c = 0; c < CHANNELS; c++)
    write_element (dtype, row + c * rc_dtype_size (dtype), c >= 1 && c <= 4 ? quaternion[c - 1] : 77);
  return row;
}

static RobocacheQuaternionCheck
check_row (RcDtype dtype, const gdouble *quaternion, const gchar *list)
{
  RobocacheQuaternionCheck check = { 0 };
  RobocacheChannelList quaternions = { 0 };
  guint8 buffer[CHANNELS * sizeof (gdouble) + 1];

  fail_unless (robocache_channel_list_parse (&quaternions, list, NULL, NULL));
  robocache_quaternion_check_rows (&check, quaternions.channels, quaternions.n, dtype, CHANNELS, write_row (dtype, buffer, quaternion), 1);
  robocache_channel_list_clear (&quaternions);
  return check;
}

GST_START_TEST (test_rows)
{
  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++) {
    const RobocacheQuaternionCheck check = check_row (dtypes[d], rows[__i__].quaternion, "1");

    fail_unless (check.not_unit.n == (guint64) rows[__i__].is_odd && check.zero.n == (guint64) rows[__i__].is_zero, "%s",
        rc_dtype_name (dtypes[d]));
  }
}

GST_END_TEST;

/* The plan refuses such a list; until then it is harmless. */
GST_START_TEST (test_past_the_end)
{
  const gdouble odd[] = { 2, 2, 2, 2 };

  fail_unless_equals_uint64 (check_row (RC_FLOAT32, odd, "3").not_unit.n, 0);
  fail_unless_equals_uint64 (check_row (RC_FLOAT32, odd, "2").not_unit.n, 1);
  fail_unless_equals_uint64 (check_row (RC_FLOAT32, odd, NULL).not_unit.n, 0);
}

GST_END_TEST;

static void
expect_warning (RobocacheQuaternionCheck *check, const gchar *words)
{
  gchar *warning = robocache_quaternion_check_take_warning (check);

  fail_unless (words ? warning && strstr (warning, words) != NULL : warning == NULL, "%s", warning);
  g_free (warning);
}

/* Each fault is reported once, with its first quaternion, and counted always. */
GST_START_TEST (test_reports)
{
  const gdouble unit[] = { 1, 0, 0, 0 }, odd[] = { 0, 3, 0, 4 }, other[] = { 7, 0, 0, 0 }, zero[4] = { 0 };
  const gdouble *const quaternions[] = { unit, odd, other, zero };
  GstStructure *structure = gst_structure_new_empty ("x");
  RobocacheQuaternionCheck sum = { 0 };

  expect_warning (&sum, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (quaternions); i++) {
    const RobocacheQuaternionCheck check = check_row (RC_FLOAT32, quaternions[i], "1");

    robocache_quaternion_check_add (&sum, &check);
  }
  expect_warning (&sum, "the quaternion in channels 1 to 4 has length 0: interpolation gives NaN");
  expect_warning (&sum, "the quaternion in channels 1 to 4 has length 5 instead of 1: interpolation normalises it");
  expect_warning (&sum, NULL);
  robocache_quaternion_check_to_structure (&sum, structure);
  fail_unless (gst_structure_has_field_typed (structure, "quaternions-not-unit", G_TYPE_UINT64));
  fail_unless_equals_uint64 (sum.not_unit.n, 2);
  fail_unless_equals_uint64 (sum.zero.n, 1);
  gst_structure_free (structure);
}

GST_END_TEST;

CHECK_MAIN (quaternioncheck, NULL, NULL, EACH (rows, test_rows), ONCE (test_past_the_end), ONCE (test_reports))

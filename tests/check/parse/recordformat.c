/* robocache: binary records are read as Python's struct module reads them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "gst/parse/records/recordformat.h"

static void
expect_layout (const gchar *string, gsize size, const gchar *offsets)
{
  RobocacheRecordFormat layout;
  GString *got = g_string_new (NULL);
  GError *error = NULL;

  fail_unless (robocache_record_format_parse (&layout, string, &error), "%s: %s", string, error ? error->message : "");
  for (guint i = 0; i < layout.n_fields; i++)
    g_string_append_printf (got, "%s%" G_GSIZE_FORMAT, i ? " " : "", layout.fields[i].offset);
  fail_unless_equals_string (got->str, offsets);
  fail_unless_equals_uint64 (layout.size, size);
  g_string_free (got, TRUE);
  robocache_record_format_clear (&layout);
}

static void
expect_refused (const gchar *string, const gchar *fault)
{
  RobocacheRecordFormat layout;
  GError *error = NULL;

  fail_if (robocache_record_format_parse (&layout, string, &error), "%s", string);
  fail_unless (strstr (error->message, fault) != NULL, "\"%s\" lacks \"%s\"", error->message, fault);
  g_error_free (error);
}

/* Sizes and offsets as struct.calcsize gives them. */
GST_START_TEST (standard_sizes_have_no_padding)
{
  expect_layout ("<q6f", 32, "0 8 12 16 20 24 28");
  expect_layout ("=bhiq", 15, "0 1 3 7");
  expect_layout (">?BHILQ", 20, "0 1 2 4 8 12");
  expect_layout ("!lef", 10, "0 4 6");
  expect_layout ("<3xb2xd", 14, "3 6");
}

GST_END_TEST;

GST_START_TEST (native_sizes_are_aligned)
{
  expect_layout ("@bq", 16, "0 8");
  expect_layout ("bq", 16, "0 8");
  expect_layout ("qb", 9, "0 8");
  expect_layout ("@bhbi", 12, "0 2 4 8");
  expect_layout ("@ib0q", 8, "0 4");
  expect_layout ("@bd", 16, "0 8");
  if (sizeof (long) == 8)
    expect_layout ("@bl", 16, "0 8");
}

GST_END_TEST;

GST_START_TEST (counts_and_blanks)
{
  expect_layout ("< q 3f", 20, "0 8 12 16");
  expect_layout ("<02h", 4, "0 2");
  expect_layout ("<0q b", 1, "0");
}

GST_END_TEST;

GST_START_TEST (refusals_name_the_character)
{
  expect_refused ("<q4s", "character 4, 's'");
  expect_refused ("<qZ", "character 3, 'Z'");
  expect_refused ("q<f", "character 2, '<'");
  expect_refused ("<q6", "'6'");
  expect_refused ("<q6 f", "' '");
  expect_refused ("", "no number in it");
  expect_refused (NULL, "no number in it");
  expect_refused ("<8x", "no number in it");
  expect_refused ("<99999999999999999999f", "longer than");
  expect_refused ("<1048576f", "longer than");
}

GST_END_TEST;

static gfloat
read_one (const gchar *string, const guint8 *record)
{
  RobocacheRecordFormat layout;
  gfloat value;

  fail_unless (robocache_record_format_parse (&layout, string, NULL));
  value = robocache_record_format_read_float (&layout, layout.n_fields - 1, record);
  robocache_record_format_clear (&layout);
  return value;
}

GST_START_TEST (integers)
{
  static const guint8 ff[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
  static const guint8 order[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

  fail_unless (read_one ("<b", ff) == -1.0f);
  fail_unless (read_one ("<B", ff) == 255.0f);
  fail_unless (read_one ("<h", ff) == -1.0f);
  fail_unless (read_one ("<H", ff) == 65535.0f);
  fail_unless (read_one ("<i", ff) == -1.0f);
  fail_unless (read_one ("<I", ff) == 4294967296.0f);
  fail_unless (read_one ("<l", ff) == -1.0f);
  fail_unless (read_one ("<L", ff) == 4294967296.0f);
  fail_unless (read_one ("<q", ff) == -1.0f);
  fail_unless (read_one ("<Q", ff) == 18446744073709551616.0f);
  fail_unless (read_one ("<h", order) == 513.0f);
  fail_unless (read_one (">h", order) == 258.0f);
  fail_unless (read_one ("!H", order) == 258.0f);
  fail_unless (read_one ("<xH", order) == 770.0f);
  fail_unless (read_one ("?", order + 1) == 1.0f);
}

GST_END_TEST;

GST_START_TEST (an_integer_is_rounded_once)
{
  /* 2^24 + 1 + 2^-... as int64: through a double it would be rounded twice */
  const gint64 value = (G_GINT64_CONSTANT (1) << 60) + (G_GINT64_CONSTANT (1) << 36) + 1;

  fail_unless (read_one ("=q", (const guint8 *) &value) == (gfloat) value);
  fail_unless (read_one ("=q", (const guint8 *) &value) != (gfloat) (gdouble) value);
}

GST_END_TEST;

GST_START_TEST (floats)
{
  const gfloat f = -1.25f;
  const gdouble d = 0.1;
  static const guint8 big[8] = { 0x3f, 0xf8, 0, 0, 0, 0, 0, 0 };

  fail_unless (read_one ("=f", (const guint8 *) &f) == -1.25f);
  fail_unless (read_one ("=d", (const guint8 *) &d) == 0.1f);
  fail_unless (read_one (">d", big) == 1.5f);
  fail_unless (read_one (">f", (const guint8[]) {0x3f, 0xc0, 0, 0}) == 1.5f);
}

GST_END_TEST;

GST_START_TEST (halves)
{
  static const struct
  {
    guint16 bits;
    gdouble value;
  } halves[] = { {0x3c00, 1.0}, {0xc000, -2.0}, {0x7bff, 65504.0}, {0x0001, 0x1p-24}, {0x03ff, 1023 * 0x1p-24},
  {0x0400, 0x1p-14}, {0x7c00, HUGE_VAL}, {0xfc00, -HUGE_VAL}, {0x3555, 0x1.554p-2}
  };

  for (guint i = 0; i < G_N_ELEMENTS (halves); i++)
    fail_unless (read_one ("=e", (const guint8 *) &halves[i].bits) == (gfloat) halves[i].value, "%#x", halves[i].bits);
  fail_unless (isnan (read_one ("=e", (const guint8 *) &(guint16) { 0x7e01 })));
}

GST_END_TEST;

GST_START_TEST (a_nan_has_the_computed_bits)
{
  const guint32 payload = 0xffc12345;
  union
  {
    gfloat f;
    guint32 bits;
  } read;

  read.f = read_one ("=f", (const guint8 *) &payload);
  fail_unless_equals_int (read.bits, 0x7fc00000);
}

GST_END_TEST;

GST_START_TEST (times)
{
  RobocacheRecordFormat layout;
  guint8 record[16];
  const gint64 i = G_GINT64_CONSTANT (1326899528468056009);
  const gdouble d = 0.25;
  gint64 t = 0;

  fail_unless (robocache_record_format_parse (&layout, "=qd", NULL));
  memcpy (record, &i, 8);
  memcpy (record + 8, &d, 8);
  fail_unless_equals_int (
      robocache_record_format_read_time (&layout, 0, record, ROBOCACHE_TIME_UNIT_NS, &t), ROBOCACHE_TIME_OK);
  fail_unless_equals_int64 (t, i);
  fail_unless_equals_int (robocache_record_format_read_time (&layout, 0, record, ROBOCACHE_TIME_UNIT_S, &t),
      ROBOCACHE_TIME_OVERFLOW);
  fail_unless_equals_int (
      robocache_record_format_read_time (&layout, 1, record, ROBOCACHE_TIME_UNIT_S, &t), ROBOCACHE_TIME_OK);
  fail_unless_equals_int64 (t, 250000000);
  robocache_record_format_clear (&layout);
}

GST_END_TEST;

static Suite *
binarylayout_suite (void)
{
  Suite *suite = suite_create ("binarylayout");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, standard_sizes_have_no_padding);
  tcase_add_test (tc, native_sizes_are_aligned);
  tcase_add_test (tc, counts_and_blanks);
  tcase_add_test (tc, refusals_name_the_character);
  tcase_add_test (tc, integers);
  tcase_add_test (tc, an_integer_is_rounded_once);
  tcase_add_test (tc, floats);
  tcase_add_test (tc, halves);
  tcase_add_test (tc, a_nan_has_the_computed_bits);
  tcase_add_test (tc, times);
  return suite;
}

GST_CHECK_MAIN (binarylayout);

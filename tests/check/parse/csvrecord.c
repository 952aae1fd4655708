/* robocache: lines of CSV files are cut into the right fields
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include "gst/parse/records/csvrecord.h"

/* The fields of a line, joined by "|"; NULL when the line is refused with an error that contains fault. */
static void
expect_fields (const gchar *line, gchar delimiter, const gchar *expected)
{
  gchar *copy = g_strdup (line), *joined;
  GPtrArray *fields = g_ptr_array_new ();
  GError *error = NULL;

  fail_unless (robocache_csv_split (copy, strlen (copy), delimiter, fields, &error), "%s: %s", line,
      error ? error->message : "");
  g_ptr_array_add (fields, NULL);
  joined = g_strjoinv ("|", (gchar **) fields->pdata);
  fail_unless_equals_string (joined, expected);
  g_free (joined);
  g_free (copy);
  g_ptr_array_unref (fields);
}

static void
expect_refused (const gchar *line, const gchar *fault)
{
  gchar *copy = g_strdup (line);
  GPtrArray *fields = g_ptr_array_new ();
  GError *error = NULL;

  fail_if (robocache_csv_split (copy, strlen (copy), ',', fields, &error));
  fail_unless (strstr (error->message, fault) != NULL, "\"%s\" lacks \"%s\"", error->message, fault);
  g_error_free (error);
  g_free (copy);
  g_ptr_array_unref (fields);
}

GST_START_TEST (plain)
{
  expect_fields ("1,2,3", ',', "1|2|3");
  expect_fields ("1", ',', "1");
  expect_fields ("1;2", ';', "1|2");
  expect_fields ("1,2", ';', "1,2");
}

GST_END_TEST;

GST_START_TEST (empty_fields)
{
  expect_fields ("", ',', "");
  expect_fields (",", ',', "|");
  expect_fields ("1,,3", ',', "1||3");
  expect_fields ("1,2,", ',', "1|2|");
  expect_fields (",1", ',', "|1");
}

GST_END_TEST;

GST_START_TEST (blanks_around_fields)
{
  expect_fields (" 1 , 2\t,\t3 ", ',', "1|2|3");
  expect_fields ("a b , c", ',', "a b|c");
  expect_fields (" , ", ',', "|");
}

GST_END_TEST;

GST_START_TEST (tabs)
{
  expect_fields ("1\t2\t3", '\t', "1|2|3");
  expect_fields ("1\t\t3", '\t', "1||3");
  expect_fields (" 1 \t 2 ", '\t', "1|2");
}

GST_END_TEST;

GST_START_TEST (runs_of_blanks)
{
  expect_fields ("  1   2 \t 3  ", ' ', "1|2|3");
  expect_fields ("1 2", ' ', "1|2");
  expect_fields ("\"a b\"  c", ' ', "a b|c");
}

GST_END_TEST;

GST_START_TEST (quotes)
{
  expect_fields ("\"1\",\"2\"", ',', "1|2");
  expect_fields ("\"a,b\",c", ',', "a,b|c");
  expect_fields ("\"say \"\"so\"\"\",1", ',', "say \"so\"|1");
  expect_fields (" \" kept \" ,1", ',', " kept |1");
  expect_fields ("\"\",\"\"", ',', "|");
  expect_fields ("a\"b,c", ',', "a\"b|c");
}

GST_END_TEST;

GST_START_TEST (bad_quotes)
{
  expect_refused ("1,\"2", "column 1 opens a quote");
  expect_refused ("\"1\"2,3", "column 0 has text after its closing quote");
  expect_refused ("\"", "column 0 opens a quote");
  expect_refused ("1,\"a\"\"", "column 1 opens a quote");
}

GST_END_TEST;

GST_START_TEST (delimiters)
{
  static const struct
  {
    const gchar *string;
    gchar delimiter;
  } good[] = { {",", ','}, {";", ';'}, {"|", '|'}, {":", ':'}, {"\t", '\t'}, {"tab", '\t'}, {"\\t", '\t'}, {" ", ' '},
  {"space", ' '}
  };
  static const gchar *bad[] = { "", ",,", "a", "0", "+", "-", ".", "\"", "\n", "\r", "#", "_", "é", NULL };
  gchar delimiter = '?';

  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    fail_unless (robocache_csv_delimiter_parse (good[i].string, &delimiter, NULL));
    fail_unless_equals_int (delimiter, good[i].delimiter);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    GError *error = NULL;

    fail_if (robocache_csv_delimiter_parse (bad[i], &delimiter, &error), "%s", bad[i]);
    fail_unless (bad[i] == NULL || strstr (error->message, bad[i]) != NULL);
    g_error_free (error);
  }
}

GST_END_TEST;

static Suite *
csvrecord_suite (void)
{
  Suite *suite = suite_create ("csvrecord");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, plain);
  tcase_add_test (tc, empty_fields);
  tcase_add_test (tc, blanks_around_fields);
  tcase_add_test (tc, tabs);
  tcase_add_test (tc, runs_of_blanks);
  tcase_add_test (tc, quotes);
  tcase_add_test (tc, bad_quotes);
  tcase_add_test (tc, delimiters);
  return suite;
}

GST_CHECK_MAIN (csvrecord);

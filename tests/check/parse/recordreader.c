/* robocache: records come out the same however the bytes were cut
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "gst/parse/records/byteinput.h"
#include "gst/parse/records/recordreader.h"

static const RobocacheRecordSpec csv = { .format = ROBOCACHE_INPUT_CSV,
  .delimiter = ",",
  .channels = "",
  .arrival_column = -1,
  .time_unit = ROBOCACHE_TIME_UNIT_S };

/* Everything that a reader says about some bytes pushed in pieces, one line a result. */
static gchar *
read_pieces (const RobocacheRecordSpec *spec, const gchar *bytes, gsize n, gsize piece)
{
  GError *error = NULL;
  RobocacheRecordReader *reader = robocache_record_reader_new (spec, &error);
  GString *said = g_string_new (NULL);
  RobocacheReadResult result;
  gsize pushed = 0;

  fail_unless (reader != NULL, "%s", error ? error->message : "");
  do {
    RobocacheRecord record = { 0 };

    result = robocache_record_reader_next (reader, &record, &error);
    switch (result) {
      case ROBOCACHE_READ_HEADER:
        g_string_append_printf (said, "header %s\n", robocache_record_reader_channel_names (reader));
        break;
      case ROBOCACHE_READ_RECORD:
        g_string_append_printf (said, "%" G_GUINT64_FORMAT " t=%" G_GINT64_FORMAT, record.number, record.time_ns);
        if (record.arrival_ns != record.time_ns)
          g_string_append_printf (said, " a=%" G_GINT64_FORMAT, record.arrival_ns);
        for (guint i = 0; i < robocache_record_reader_n_channels (reader); i++)
          g_string_append_printf (said, " %g", isnan (record.values[i]) ? NAN : record.values[i]);
        g_string_append_c (said, '\n');
        break;
      case ROBOCACHE_READ_MALFORMED:
      case ROBOCACHE_READ_REFUSED:
        g_string_append_printf (
            said, "%s %s\n", result == ROBOCACHE_READ_REFUSED ? "refused" : "malformed", error->message);
        g_clear_error (&error);
        break;
      case ROBOCACHE_READ_MORE:
        if (pushed < n) {
          const gsize size = MIN (piece, n - pushed);

          fail_unless (robocache_record_reader_push (reader, gst_buffer_new_memdup (bytes + pushed, size), NULL));
          pushed += size;
          if (pushed == n)
            robocache_record_reader_end (reader);
          result = ROBOCACHE_READ_RECORD;
        }
        break;
    }
  } while (result != ROBOCACHE_READ_MORE && result != ROBOCACHE_READ_REFUSED);
  robocache_record_reader_free (reader);
  return g_string_free (said, FALSE);
}

static void
expect_bytes (const RobocacheRecordSpec *spec, const gchar *bytes, gsize n, const gchar *expected)
{
  for (gsize piece = 1; piece <= n; piece = piece < 9 ? piece + 1 : piece * 2) {
    gchar *said = read_pieces (spec, bytes, n, piece);

    fail_unless_equals_string (said, expected);
    g_free (said);
  }
}

static void
expect (const RobocacheRecordSpec *spec, const gchar *text, const gchar *expected)
{
  expect_bytes (spec, text, strlen (text), expected);
}

GST_START_TEST (with_header)
{
  expect (&csv, "t,q0,q1\n0,1,2\n0.5,3,4\n", "header q0,q1\n2 t=0 1 2\n3 t=500000000 3 4\n");
}

GST_END_TEST;

GST_START_TEST (without_header)
{
  expect (&csv, "0,1,2\n0.5,3,4\n", "1 t=0 1 2\n2 t=500000000 3 4\n");
}

GST_END_TEST;

GST_START_TEST (line_ends)
{
  expect (&csv, "t,q\r\n0,1\r\n\r\n1,2", "header q\n2 t=0 1\n4 t=1000000000 2\n");
  expect (&csv, "\n\n  \n0,1\n", "4 t=0 1\n");
}

GST_END_TEST;

GST_START_TEST (byte_order_mark)
{
  expect (&csv, "\xEF\xBB\xBFt,q\n0,1\n", "header q\n2 t=0 1\n");
  expect (&csv, "\xEF\xBB\xBF" "0,1\n", "1 t=0 1\n");
}

GST_END_TEST;

GST_START_TEST (comments)
{
  expect (&csv, "# t,q\n0,1\n# a, b\n1,2\n", "header q\n2 t=0 1\n4 t=1000000000 2\n");
  expect (&csv, "# recorded today\nt,q\n0,1\n", "header q\n3 t=0 1\n");
  expect (&csv, "#0,5\n0,1\n", "2 t=0 1\n");
}

GST_END_TEST;

GST_START_TEST (a_pandas_index_has_no_name)
{
  expect (&csv, ",q\n0,1\n", "header q\n2 t=0 1\n");
}

GST_END_TEST;

GST_START_TEST (names_are_safe_in_caps)
{
  expect (&csv, "t,\"a,b\",c\n0,1,2\n", "header a_b,c\n2 t=0 1 2\n");
  expect (&csv, "t,\xff\n0,1\n", "header \xEF\xBF\xBD\n2 t=0 1\n");
}

GST_END_TEST;

GST_START_TEST (chosen_columns)
{
  RobocacheRecordSpec spec = csv;

  spec.channels = "3,1-2";
  expect (&spec, "0,1,2,3\n", "1 t=0 3 1 2\n");
  spec.channels = "q2, q0";
  expect (&spec, "t,q0,q1,q2\n0,1,2,3\n", "header q2,q0\n2 t=0 3 1\n");
  spec.channels = "q0,3";
  expect (&spec, "t,q0,q1,q2\n0,1,text,3\n", "header q0,q2\n2 t=0 1 3\n");
  spec.channels = "0-1";
  expect (&spec, "5,1\n", "1 t=5000000000 5 1\n");
}

GST_END_TEST;

GST_START_TEST (a_time_column_in_the_middle)
{
  RobocacheRecordSpec spec = csv;

  spec.time_column = 1;
  spec.arrival_column = 0;
  spec.time_unit = ROBOCACHE_TIME_UNIT_NS;
  expect (&spec, "a,t,q\n1326899528468056009,1326899528368658417,2\n",
      "header q\n2 t=1326899528368658417 a=1326899528468056009 2\n");
}

GST_END_TEST;

GST_START_TEST (columns_that_are_not_there)
{
  RobocacheRecordSpec spec = csv;

  spec.channels = "q7";
  expect (&spec, "t,q0\n0,1\n", "refused channels: the file has no column \"q7\"; it has t,q0\n");
  spec.channels = "1-3";
  expect (&spec, "t,q0\n0,1\n", "refused channels: \"1-3\" is not within columns 0-1; the file has 2\n");
  spec.channels = "";
  expect (&spec, "t\n0\n", "refused no column is left for data: the file has 1, and time-column=0 is one of them\n");
}

GST_END_TEST;

/* A serial port is opened in the middle of a line. */
GST_START_TEST (the_rest_of_a_line_is_malformed_where_columns_are_chosen)
{
  RobocacheRecordSpec spec = csv;

  spec.channels = "1-3";
  expect (&spec, "34,0.5\n0,1,2,3\n", "malformed line 1: channels: \"1-3\" is not within columns 0-1; the file has 2\n"
      "2 t=0 1 2 3\n");
}

GST_END_TEST;

GST_START_TEST (malformed_lines)
{
  expect (&csv, "0,1\n1,2,3\n2,x\nt,5\n1e99,5\n5,\"6\n7,8\n", "1 t=0 1\n" "malformed line 2 has 3 columns, expected 2\n"
      "malformed line 3, column 1: \"x\" is no number\n" "malformed line 4, column 0: time \"t\" is no decimal number\n"
      "malformed line 5, column 0: time \"1e99\" is beyond int64 nanoseconds; is time-unit right?\n"
      "malformed line 6: column 1 opens a quote that the line does not close\n" "7 t=7000000000 8\n");
}

GST_END_TEST;

GST_START_TEST (numbers)
{
  expect (&csv, "0,nan,inf,-inf,1e-3,.5,+2, 7 \n", "1 t=0 nan inf -inf 0.001 0.5 2 7\n");
  expect (&csv, "0,1,,\"\"\n", "1 t=0 1 nan nan\n");
}

GST_END_TEST;

GST_START_TEST (zero_bytes)
{
  static const gchar bytes[] = "0,1\n1,\0002\n2,3\n";

  expect_bytes (&csv, bytes, sizeof bytes - 1,
      "1 t=0 1\nmalformed line 2 has a zero byte in it: is this a text file in UTF-8?\n3 t=2000000000 3\n");
}

GST_END_TEST;

GST_START_TEST (errors_are_utf8_whatever_they_quote)
{
  RobocacheRecordSpec spec = csv;

  expect (&csv, "0,\xff\n1,2\n", "malformed line 1, column 1: \"\xEF\xBF\xBD\" is no number\n2 t=1000000000 2\n");
  spec.channels = "q";
  expect (&spec, "t,\xff\n", "refused channels: the file has no column \"q\"; it has t,\xEF\xBF\xBD\n");
}

GST_END_TEST;

GST_START_TEST (a_line_without_end)
{
  GString *text = g_string_new ("0,1\n");
  static const gsize pieces[] = { 1, 4096, 65536, 10 * ROBOCACHE_MAX_LINE };

  for (gsize i = 0; i < ROBOCACHE_MAX_LINE + 10; i++)
    g_string_append_c (text, '7');
  g_string_append (text, "\n2,3\n");
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++) {
    gchar *said = read_pieces (&csv, text->str, text->len, pieces[i]);

    fail_unless_equals_string (said, "1 t=0 1\nmalformed line 2 is longer than 1048576 bytes\n3 t=2000000000 3\n");
    g_free (said);
  }
  g_string_free (text, TRUE);
}

GST_END_TEST;

GST_START_TEST (delimiters)
{
  RobocacheRecordSpec spec = csv;

  spec.delimiter = ";";
  expect (&spec, "t;q\n0;1\n", "header q\n2 t=0 1\n");
  spec.delimiter = "tab";
  expect (&spec, "t\tq\n0\t1\n", "header q\n2 t=0 1\n");
  spec.delimiter = "space";
  expect (&spec, " t   q\n 0    1 \n", "header q\n2 t=0 1\n");
}

GST_END_TEST;

GST_START_TEST (binary_records)
{
  static const gchar bytes[] = "\x01\0\0\0\x02\0\x03\0" "\x02\0\0\0\xff\xff\x04\0" "\x03\0";
  RobocacheRecordSpec spec = csv;

  spec.format = ROBOCACHE_INPUT_BINARY;
  spec.layout = "<i2h";
  spec.time_unit = ROBOCACHE_TIME_UNIT_US;
  expect_bytes (&spec, bytes, 16, "1 t=1000 2 3\n2 t=2000 -1 4\n");
  expect_bytes (&spec, bytes, 18,
      "1 t=1000 2 3\n2 t=2000 -1 4\nmalformed record 3, the last one, has 2 bytes, expected 8\n");
  spec.channels = "2";
  expect_bytes (&spec, bytes, 16, "1 t=1000 3\n2 t=2000 4\n");
}

GST_END_TEST;

GST_START_TEST (binary_times_that_are_none)
{
  const gdouble records[4] = { NAN, 1.0, 0.5, 2.0 };
  RobocacheRecordSpec spec = csv;

  spec.format = ROBOCACHE_INPUT_BINARY;
  spec.layout = "=2d";
  expect_bytes (&spec, (const gchar *)records, sizeof records,
      "malformed record 1 at byte 0: column 0 is no time within "
      "int64 nanoseconds; are layout and time-unit right?\n2 t=500000000 2\n");
}

GST_END_TEST;

static void
expect_no_reader (const RobocacheRecordSpec *spec, const gchar *fault)
{
  GError *error = NULL;

  fail_unless (robocache_record_reader_new (spec, &error) == NULL);
  fail_unless (strstr (error->message, fault) != NULL, "\"%s\" lacks \"%s\"", error->message, fault);
  g_error_free (error);
}

GST_START_TEST (specs_that_make_no_sense)
{
  RobocacheRecordSpec spec = csv;

  spec.delimiter = "ab";
  expect_no_reader (&spec, "delimiter=\"ab\"");
  spec = csv;
  spec.layout = "<q";
  expect_no_reader (&spec, "layout=\"<q\" is for format=binary");
  spec.format = ROBOCACHE_INPUT_BINARY;
  expect_no_reader (&spec, "no column is left");
  spec.layout = "<q2f";
  spec.time_column = 3;
  expect_no_reader (&spec, "time-column=3");
  spec.time_column = 0;
  spec.channels = "1-5";
  expect_no_reader (&spec, "\"1-5\"");
  spec.channels = "q0";
  expect_no_reader (&spec, "\"q0\"");
}

GST_END_TEST;

GST_START_TEST (restart_reads_a_header_again)
{
  RobocacheRecordReader *reader = robocache_record_reader_new (&csv, NULL);
  RobocacheRecord record;

  for (guint i = 0; i < 2; i++) {
    fail_unless (robocache_record_reader_push (reader, gst_buffer_new_memdup ("t,q\n0,1\n2,", 10), NULL));
    fail_unless_equals_int (robocache_record_reader_next (reader, &record, NULL), ROBOCACHE_READ_HEADER);
    fail_unless_equals_int (robocache_record_reader_next (reader, &record, NULL), ROBOCACHE_READ_RECORD);
    fail_unless_equals_uint64 (record.number, 2);
    fail_unless_equals_int (robocache_record_reader_next (reader, &record, NULL), ROBOCACHE_READ_MORE);
    robocache_record_reader_restart (reader);
    fail_unless_equals_int (robocache_record_reader_n_channels (reader), 0);
  }
  robocache_record_reader_free (reader);
}

GST_END_TEST;

static Suite *
recordreader_suite (void)
{
  Suite *suite = suite_create ("recordreader");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, with_header);
  tcase_add_test (tc, without_header);
  tcase_add_test (tc, line_ends);
  tcase_add_test (tc, byte_order_mark);
  tcase_add_test (tc, comments);
  tcase_add_test (tc, a_pandas_index_has_no_name);
  tcase_add_test (tc, names_are_safe_in_caps);
  tcase_add_test (tc, chosen_columns);
  tcase_add_test (tc, a_time_column_in_the_middle);
  tcase_add_test (tc, columns_that_are_not_there);
  tcase_add_test (tc, the_rest_of_a_line_is_malformed_where_columns_are_chosen);
  tcase_add_test (tc, malformed_lines);
  tcase_add_test (tc, numbers);
  tcase_add_test (tc, zero_bytes);
  tcase_add_test (tc, errors_are_utf8_whatever_they_quote);
  tcase_add_test (tc, a_line_without_end);
  tcase_add_test (tc, delimiters);
  tcase_add_test (tc, binary_records);
  tcase_add_test (tc, binary_times_that_are_none);
  tcase_add_test (tc, specs_that_make_no_sense);
  tcase_add_test (tc, restart_reads_a_header_again);
  return suite;
}

GST_CHECK_MAIN (recordreader);

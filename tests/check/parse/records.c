/* robocache: what is read of records: times, fields of lines, binary numbers, and rows however the bytes are cut
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "gst/parse/records/byteinput.h"
#include "gst/parse/table/csvrecord.h"
#include "gst/parse/records/binaryrecord.h"
#include "gst/parse/records/recordreader.h"
#include "common/text/timetext.h"
#include "tests/check/lib/checks.h"

#define S ROBOCACHE_TIME_UNIT_S
#define MS ROBOCACHE_TIME_UNIT_MS
#define US ROBOCACHE_TIME_UNIT_US
#define NS ROBOCACHE_TIME_UNIT_NS
#define NOT_A_NUMBER ROBOCACHE_TIME_NOT_A_NUMBER
#undef OVERFLOW                  /* of math.h */
#define OVERFLOW ROBOCACHE_TIME_OVERFLOW

static void
expect_fault (GError *error, const gchar *fault)
{
  fail_unless (error != NULL && strstr (error->message, fault) != NULL, "\"%s\" lacks \"%s\"", error ? error->message : "",
      fault);
  g_error_free (error);
}

/* ---- times ---- */

/* A time that was not written, since the text has none. */
#define UNTOUCHED -77

static void
expect_time (RobocacheTimeStatus status, RobocacheTimeStatus expected_status, gint64 time, gint64 expected)
{
  fail_unless_equals_int (status, expected_status);
  fail_unless_equals_int64 (time, expected_status == ROBOCACHE_TIME_OK ? expected : UNTOUCHED);
}

GST_START_TEST (times_of_text)
{
  static const struct
  {
    const gchar *text;
    RobocacheTimeUnit unit;
    gint64 time;
    RobocacheTimeStatus status;
  } cases[] = {
    {"20327133", US, 20327133000}, {"1.5", S, 1500000000}, {"1.5", MS, 1500000}, {"1.5", US, 1500}, {"1.5", NS, 1},
    /* never through a double */
    {"1326899528468056009", NS, 1326899528468056009}, {"1326899528.468056009", S, 1326899528468056009},
    {"1326899528468056.009", US, 1326899528468056009}, {"0.004", S, 4000000}, {"9007199254740993", NS, 9007199254740993},
    /* digits below a nanosecond are cut off */
    {"0.9999999999", S, 999999999}, {"-0.9999999999", S, -999999999}, {"0.0000000009", S, 0}, {"-0.9", NS, 0},
    {"12.3456789012345678901234567890", S, 12345678901},
    {"1.5e-3", S, 1500000}, {"1.5E-3", S, 1500000}, {"1.326899528468056009e18", NS, 1326899528468056009},
    {"15e+1", MS, 150000000}, {"12345e-20", S, 0}, {"12345e-13", S, 1}, {"0e999999999999999999", S, 0},
    {"1e-999999999999999999", S, 0},
    {"+5", NS, 5}, {"-5", NS, -5}, {"5.", NS, 5}, {".5", S, 500000000}, {"-.5", S, -500000000},
    {"000000000000000000000000000007", NS, 7}, {"-0", S, 0},
    {"", S, 0, NOT_A_NUMBER}, {" ", S, 0, NOT_A_NUMBER}, {"t", S, 0, NOT_A_NUMBER}, {"nan", S, 0, NOT_A_NUMBER},
    {"inf", S, 0, NOT_A_NUMBER}, {"1,5", S, 0, NOT_A_NUMBER}, {"1.2.3", S, 0, NOT_A_NUMBER}, {"0x10", S, 0, NOT_A_NUMBER},
    {"1e", S, 0, NOT_A_NUMBER}, {"1e+", S, 0, NOT_A_NUMBER}, {"1e1.5", S, 0, NOT_A_NUMBER}, {"--1", S, 0, NOT_A_NUMBER},
    {"+-1", S, 0, NOT_A_NUMBER}, {".", S, 0, NOT_A_NUMBER}, {"-", S, 0, NOT_A_NUMBER}, {"e5", S, 0, NOT_A_NUMBER},
    {"1 ", S, 0, NOT_A_NUMBER}, {" 1", S, 0, NOT_A_NUMBER}, {"1s", S, 0, NOT_A_NUMBER},
    {"2012-01-18 15:12:08", S, 0, NOT_A_NUMBER},
    {"9223372036854775807", NS, G_MAXINT64}, {"-9223372036854775808", NS, G_MININT64},
    {"9223372036.8547758079", S, G_MAXINT64}, {"9223372036854775808", NS, 0, OVERFLOW},
    {"-9223372036854775809", NS, 0, OVERFLOW}, {"1326899528468056009", S, 0, OVERFLOW}, {"1e10", S, 0, OVERFLOW},
    {"1e999999999999999999999", S, 0, OVERFLOW},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 t = UNTOUCHED;
    const RobocacheTimeStatus status = robocache_time_from_text (cases[i].text, cases[i].unit, &t);

    expect_time (status, cases[i].status, t, cases[i].time);
  }
}

GST_END_TEST;

GST_START_TEST (times_of_integers)
{
  static const struct
  {
    gint64 value;
    gboolean is_unsigned;
    RobocacheTimeUnit unit;
    gint64 time;
    RobocacheTimeStatus status;
  } cases[] = {
    {-3, FALSE, MS, -3000000}, {G_MAXINT64, FALSE, NS, G_MAXINT64}, {G_MAXINT64, FALSE, US, 0, OVERFLOW},
    {7, TRUE, S, 7000000000}, {-1, TRUE, NS, 0, OVERFLOW},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 t = UNTOUCHED;
    const RobocacheTimeStatus status = cases[i].is_unsigned
        ? robocache_time_from_uint64 ((guint64) cases[i].value, cases[i].unit, &t)
        : robocache_time_from_int64 (cases[i].value, cases[i].unit, &t);

    expect_time (status, cases[i].status, t, cases[i].time);
  }
}

GST_END_TEST;

/* The double nearest to 0.1 is 0.1000000000000000055…, the one nearest to 0.3 is 0.29999999999999998… */
GST_START_TEST (times_of_doubles)
{
  static const struct
  {
    gdouble value;
    RobocacheTimeUnit unit;
    gint64 time;
    RobocacheTimeStatus status;
  } cases[] = {
    {1.5, S, 1500000000}, {-1.5, NS, -1}, {0x1p52 + 0.5, NS, G_GINT64_CONSTANT (1) << 52}, {0.1, S, 100000000},
    {0.3, S, 299999999}, {0x1p62, NS, G_GINT64_CONSTANT (1) << 62}, {5e-324, S, 0}, {-0.0, S, 0},
    {NAN, S, 0, NOT_A_NUMBER}, {HUGE_VAL, S, 0, OVERFLOW}, {0x1p63, NS, 0, OVERFLOW}, {1e10, S, 0, OVERFLOW},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 t = UNTOUCHED;
    const RobocacheTimeStatus status = robocache_time_from_double (cases[i].value, cases[i].unit, &t);

    expect_time (status, cases[i].status, t, cases[i].time);
  }
}

GST_END_TEST;

GST_START_TEST (differences_and_units)
{
  RobocacheTimeUnit unit;
  gint64 d = 0;

  fail_unless (robocache_time_difference (5, 8, &d));
  fail_unless_equals_int64 (d, -3);
  fail_if (robocache_time_difference (G_MAXINT64, -1, &d));
  fail_if (robocache_time_difference (G_MININT64, 1, &d));
  for (guint i = S; i <= NS; i++) {
    fail_unless (robocache_time_unit_by_name (robocache_time_unit_name (i), &unit));
    fail_unless_equals_int (unit, i);
  }
  fail_if (robocache_time_unit_by_name ("m", &unit));
}

GST_END_TEST;

/* ---- fields of lines ---- */

/* Fields joined by "|"; fault: the line is refused, with an error that contains it. */
GST_START_TEST (fields_of_lines)
{
  static const struct
  {
    const gchar *line;
    gchar delimiter;
    const gchar *fields, *fault;
  } cases[] = {
    {"1,2,3", ',', "1|2|3"}, {"1", ',', "1"}, {"1;2", ';', "1|2"}, {"1,2", ';', "1,2"},
    {"", ',', ""}, {",", ',', "|"}, {"1,,3", ',', "1||3"}, {"1,2,", ',', "1|2|"}, {",1", ',', "|1"},
    /* blanks around fields */
    {" 1 , 2\t,\t3 ", ',', "1|2|3"}, {"a b , c", ',', "a b|c"}, {" , ", ',', "|"},
    {"1\t2\t3", '\t', "1|2|3"}, {"1\t\t3", '\t', "1||3"}, {" 1 \t 2 ", '\t', "1|2"},
    {"  1   2 \t 3  ", ' ', "1|2|3"}, {"1 2", ' ', "1|2"}, {"\"a b\"  c", ' ', "a b|c"},
    {"\"1\",\"2\"", ',', "1|2"}, {"\"a,b\",c", ',', "a,b|c"}, {"\"say \"\"so\"\"\",1", ',', "say \"so\"|1"},
    {" \" kept \" ,1", ',', " kept |1"}, {"\"\",\"\"", ',', "|"}, {"a\"b,c", ',', "a\"b|c"},
    {"1,\"2", ',', NULL, "column 1 opens a quote"}, {"\"1\"2,3", ',', NULL, "column 0 has text after its closing quote"},
    {"\"", ',', NULL, "column 0 opens a quote"}, {"1,\"a\"\"", ',', NULL, "column 1 opens a quote"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *copy = g_strdup (cases[i].line), *joined;
    GPtrArray *fields = g_ptr_array_new ();
    GError *error = NULL;

    if (robocache_csv_split (copy, strlen (copy), cases[i].delimiter, fields, &error)) {
      g_ptr_array_add (fields, NULL);
      joined = g_strjoinv ("|", (gchar **) fields->pdata);
      fail_unless_equals_string (joined, cases[i].fields);
      g_free (joined);
    } else {
      expect_fault (error, cases[i].fault);
    }
    g_free (copy);
    g_ptr_array_unref (fields);
  }
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
    expect_fault (error, bad[i] ? bad[i] : "");
  }
}

GST_END_TEST;

/* ---- binary numbers ---- */

/* Sizes and offsets as struct.calcsize of Python has them; fault: the format is refused. */
GST_START_TEST (record_formats)
{
  static const struct
  {
    const gchar *string;
    gsize size;
    const gchar *offsets, *fault;
  } cases[] = {
    {"<q6f", 32, "0 8 12 16 20 24 28"}, {"=bhiq", 15, "0 1 3 7"}, {">?BHILQ", 20, "0 1 2 4 8 12"}, {"!lef", 10, "0 4 6"},
    {"<3xb2xd", 14, "3 6"},
    /* native sizes are aligned */
    {"@bq", 16, "0 8"}, {"bq", 16, "0 8"}, {"qb", 9, "0 8"}, {"@bhbi", 12, "0 2 4 8"}, {"@ib0q", 8, "0 4"}, {"@bd", 16, "0 8"},
    {"@bl", 2 * sizeof (long), sizeof (long) == 8 ? "0 8" : "0 4"},
    {"< q 3f", 20, "0 8 12 16"}, {"<02h", 4, "0 2"}, {"<0q b", 1, "0"},
    {"<q4s", 0, NULL, "character 4, 's'"}, {"<qZ", 0, NULL, "character 3, 'Z'"}, {"q<f", 0, NULL, "character 2, '<'"},
    {"<q6", 0, NULL, "'6'"}, {"<q6 f", 0, NULL, "' '"}, {"", 0, NULL, "contains no number"}, {NULL, 0, NULL, "contains no number"},
    {"<8x", 0, NULL, "contains no number"}, {"<99999999999999999999f", 0, NULL, "longer than"},
    {"<1048576f", 0, NULL, "longer than"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    RobocacheRecordFormat format;
    GString *got = g_string_new (NULL);
    GError *error = NULL;

    if (robocache_record_format_parse (&format, cases[i].string, &error)) {
      for (guint k = 0; k < format.n_fields; k++)
        g_string_append_printf (got, "%s%" G_GSIZE_FORMAT, k ? " " : "", format.fields[k].offset);
      fail_unless_equals_string (got->str, cases[i].offsets);
      fail_unless_equals_uint64 (format.size, cases[i].size);
      robocache_record_format_clear (&format);
    } else {
      expect_fault (error, cases[i].fault);
    }
    g_string_free (got, TRUE);
  }
}

GST_END_TEST;

static gfloat
read_one (const gchar *string, const guint8 *record)
{
  RobocacheRecordFormat format;
  gfloat value;

  fail_unless (robocache_record_format_parse (&format, string, NULL));
  value = robocache_record_format_read_float (&format, format.n_fields - 1, record);
  robocache_record_format_clear (&format);
  return value;
}

/* Halves: 1, -2, the greatest, the least, denormals, infinities. */
GST_START_TEST (binary_numbers)
{
  static const struct
  {
    const gchar *format;
    guint8 record[8];
    gfloat value;
  } cases[] = {
#define FF { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }
    {"<b", FF, -1.0f}, {"<B", FF, 255.0f}, {"<h", FF, -1.0f}, {"<H", FF, 65535.0f}, {"<i", FF, -1.0f},
    {"<I", FF, 4294967296.0f}, {"<l", FF, -1.0f}, {"<L", FF, 4294967296.0f}, {"<q", FF, -1.0f},
    {"<Q", FF, 18446744073709551616.0f},
    {"<h", {1, 2}, 513.0f}, {">h", {1, 2}, 258.0f}, {"!H", {1, 2}, 258.0f}, {"<xH", {1, 2, 3}, 770.0f}, {"?", {2}, 1.0f},
    {"<f", {0, 0, 0xa0, 0xbf}, -1.25f}, {">f", {0x3f, 0xc0, 0, 0}, 1.5f}, {">d", {0x3f, 0xf8}, 1.5f},
    {">d", {0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a}, 0.1f},
    /* 2^60 + 2^36 + 1, which a double would round first */
    {">q", {0x10, 0, 0, 0x10, 0, 0, 0, 1}, 0x1.000002p60f},
    {"<e", {0x00, 0x3c}, 1.0f}, {"<e", {0x00, 0xc0}, -2.0f}, {"<e", {0xff, 0x7b}, 65504.0f}, {"<e", {0x01, 0x00}, 0x1p-24f},
    {"<e", {0xff, 0x03}, 1023 * 0x1p-24f}, {"<e", {0x00, 0x04}, 0x1p-14f}, {"<e", {0x00, 0x7c}, HUGE_VALF},
    {"<e", {0x00, 0xfc}, -HUGE_VALF}, {"<e", {0x55, 0x35}, 0x1.554p-2f},
  };
  union
  {
    gfloat f;
    guint32 bits;
  } nan_of_payload;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    fail_unless (read_one (cases[i].format, cases[i].record) == cases[i].value, "%s, case %u", cases[i].format, i);
  fail_unless (isnan (read_one ("<e", (const guint8[]) {0x01, 0x7e})));
  /* a NaN has the computed bits */
  nan_of_payload.f = read_one (">f", (const guint8[]) {0xff, 0xc1, 0x23, 0x45});
  fail_unless_equals_int (nan_of_payload.bits, 0x7fc00000);
}

GST_END_TEST;

GST_START_TEST (binary_times)
{
  static const guint8 record[] = { 0x12, 0x6a, 0x1c, 0xbf, 0x12, 0x34, 0x56, 0x78, 0x3f, 0xd0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 };
  static const struct
  {
    guint field;
    RobocacheTimeUnit unit;
    gint64 time;
    const gchar *message;
  } cases[] = { {0, NS, 0x126a1cbf12345678}, {0, S, UNTOUCHED, "column 0 is not a time within int64 nanoseconds"}, {1, S, 250000000}, {2, S, 7000000000} };
  RobocacheRecordFormat format;

  fail_unless (robocache_record_format_parse (&format, ">qdQ", NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 t = UNTOUCHED;
    GError *error = NULL;

    fail_unless_equals_int (robocache_record_format_read_time (&format, cases[i].field, record, cases[i].unit, &t, &error), !cases[i].message);
    fail_unless (!error == !cases[i].message && (!error || g_str_has_prefix (error->message, cases[i].message)));
    fail_unless_equals_int64 (t, cases[i].time);
    g_clear_error (&error);
  }
  robocache_record_format_clear (&format);
}

GST_END_TEST;

/* ---- rows ---- */

/* All results of a reader of bytes that are pushed in pieces, one line each. */
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

/* CSV with a time column in seconds, unless said otherwise; n: number of bytes, of those that hold a zero. */
typedef struct
{
  const gchar *bytes, *expected;
  const gchar *channels, *delimiter, *layout;
  const gchar *time_column;     /* NULL: "0" */
  gint arrival_column;          /* 0: none, else + 1 */
  RobocacheTimeUnit unit;
  gsize n;
} Rows;

static RobocacheRecordSpec
spec_of (const Rows *rows)
{
  return (RobocacheRecordSpec) { rows->layout ? ROBOCACHE_INPUT_BINARY : ROBOCACHE_INPUT_CSV,
        rows->delimiter ? rows->delimiter : ",", rows->layout, rows->channels,
        {rows->time_column ? rows->time_column : "0", NULL, rows->unit, -1, rows->arrival_column - 1}, 0 };
}

#define BINARY_RECORDS "\x01\0\0\0\x02\0\x03\0\x02\0\0\0\xff\xff\x04\0\x03\0"

GST_START_TEST (rows_in_pieces)
{
  static const Rows cases[] = {
    {"t,q0,q1\n0,1,2\n0.5,3,4\n", "header q0,q1\n2 t=0 1 2\n3 t=500000000 3 4\n"},
    {"0,1,2\n0.5,3,4\n", "1 t=0 1 2\n2 t=500000000 3 4\n"},
    {"t,q\r\n0,1\r\n\r\n1,2", "header q\n2 t=0 1\n4 t=1000000000 2\n"},
    {"\n\n  \n0,1\n", "4 t=0 1\n"},
    {"\xEF\xBB\xBFt,q\n0,1\n", "header q\n2 t=0 1\n"},
    {"\xEF\xBB\xBF" "0,1\n", "1 t=0 1\n"},
    {"# t,q\n0,1\n# a, b\n1,2\n", "header q\n2 t=0 1\n4 t=1000000000 2\n"},
    {"# recorded today\nt,q\n0,1\n", "header q\n3 t=0 1\n"},
    {"#0,5\n0,1\n", "2 t=0 1\n"},
    {",q\n0,1\n", "header q\n2 t=0 1\n"},       /* a pandas index has no name */
    /* names are safe in caps */
    {"t,\"a,b\",c\n0,1,2\n", "header a_b,c\n2 t=0 1 2\n"},
    {"t,\xff\n0,1\n", "header \xEF\xBF\xBD\n2 t=0 1\n"},
    {"0,1,2,3\n", "1 t=0 3 1 2\n", "3,1-2"},
    {"t,q0,q1,q2\n0,1,2,3\n", "header q2,q0\n2 t=0 3 1\n", "q2, q0"},
    {"t,q0,q1,q2\n0,1,text,3\n", "header q0,q2\n2 t=0 1 3\n", "q0,3"},
    {"5,1\n", "1 t=5000000000 5 1\n", "0-1"},
    {"a,t,q\n1326899528468056009,1326899528368658417,2\n",
        "header q\n2 t=1326899528368658417 a=1326899528468056009 2\n", NULL, NULL, NULL, "1", 0 + 1, NS},
    {"t,q0\n0,1\n", "refused channels: the file has no column \"q7\"; it has t,q0\n", "q7"},
    {"t,q0\n0,1\n", "refused channels: \"1-3\": expected columns 0-1; the file has 2 columns\n", "1-3"},
    {"t\n0\n", "refused the file has no column of data: column 0 of its 1 is the time; set delimiter, or format if the file is not CSV\n"},
    /* a serial port is opened in the middle of a line */
    {"34,0.5\n0,1,2,3\n", "malformed line 1: channels: \"1-3\": expected columns 0-1; the file has 2 columns\n2 t=0 1 2 3\n",
        "1-3"},
    {"0,1\n1,2,3\n2,x\nt,5\n1e99,5\n5,\"6\n7,8\n", "1 t=0 1\nmalformed line 2 has 3 columns, expected 2\n"
          "malformed line 3, column 1: \"x\" is not a number\nmalformed line 4, column 0: time \"t\" is neither a decimal number nor a date like 2012-01-18T15:12:08.468Z\n"
          "malformed line 5, column 0: time \"1e99\" is beyond int64 nanoseconds; is time-unit right?\n"
          "malformed line 6: column 1 opens a quote that the line does not close\n7 t=7000000000 8\n"},
    {"4,1\n0,1,2,3\n", "malformed line 1: time-column=3: the table has columns 0-1 only\n2 t=3000000000 0 1 2\n", NULL, NULL, NULL, "3"},
    {"4,1\n0,1,2,3\n", "malformed line 1: arrival-column=3: the table has columns 0-1 only\n2 t=0 a=3000000000 1 2\n", NULL, NULL, NULL, "0", 3 + 1},
    {"t,q\n0,1\n", "refused arrival-column=3: the table has columns 0-1 only\n", NULL, NULL, NULL, "0", 3 + 1},
    {"0,nan,inf,-inf,1e-3,.5,+2, 7 \n", "1 t=0 nan inf -inf 0.001 0.5 2 7\n"},
    {"0,1,,\"\"\n", "1 t=0 1 nan nan\n"},
    {"0,1\n1,\0002\n2,3\n", "1 t=0 1\nmalformed line 2 contains a zero byte: is this a text file in UTF-8?\n"
          "3 t=2000000000 3\n", .n = 13},
    /* errors are UTF-8, whatever they quote */
    {"0,\xff\n1,2\n", "malformed line 1, column 1: \"\xEF\xBF\xBD\" is not a number\n2 t=1000000000 2\n"},
    {"t,\xff\n", "refused channels: the file has no column \"q\"; it has t,\xEF\xBF\xBD\n", "q"},
    {"t;q\n0;1\n", "header q\n2 t=0 1\n", NULL, ";"},
    {"t\tq\n0\t1\n", "header q\n2 t=0 1\n", NULL, "tab"},
    {" t   q\n 0    1 \n", "header q\n2 t=0 1\n", NULL, "space"},
    {BINARY_RECORDS, "1 t=1000 2 3\n2 t=2000 -1 4\n", NULL, NULL, "<i2h", .unit = US,.n = 16},
    {BINARY_RECORDS, "1 t=1000 2 3\n2 t=2000 -1 4\nmalformed the last record, 3, has 2 bytes, expected 8\n", NULL, NULL,
          "<i2h",.unit = US,.n = 18},
    {BINARY_RECORDS, "1 t=1000 3\n2 t=2000 4\n", "2", NULL, "<i2h",.unit = US,.n = 16},
    {"\0\0\xc0\x7f\0\0\x80\x3f\0\0\0\x3f\0\0\0\x40", "malformed record 1 at byte 0: column 0 is not a time within int64 "
          "nanoseconds; are layout and time-unit right?\n2 t=500000000 2\n", NULL, NULL, "<2f",.n = 16},
    {"\0\0\0\0\0\0\xc0\x7f\1", "malformed record 1 at byte 0: column 1 is not a time within int64 nanoseconds; are layout and "
          "time-unit right?\n", NULL, NULL, "<ifb", NULL, 1 + 1,.n = 9},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const RobocacheRecordSpec spec = spec_of (&cases[i]);
    const gsize n = cases[i].n ? cases[i].n : strlen (cases[i].bytes);

    for (gsize piece = 1; piece <= n; piece = piece < 9 ? piece + 1 : piece * 2) {
      gchar *said = read_pieces (&spec, cases[i].bytes, n, piece);

      fail_unless_equals_string (said, cases[i].expected);
      g_free (said);
    }
  }
}

GST_END_TEST;

GST_START_TEST (a_line_without_end)
{
  static const gsize pieces[] = { 1, 4096, 65536, 10 * ROBOCACHE_MAX_LINE };
  const RobocacheRecordSpec spec = spec_of (&(Rows) {.bytes = "" });
  GString *text = g_string_new ("0,1\n");

  for (gsize i = 0; i < ROBOCACHE_MAX_LINE + 10; i++)
    g_string_append_c (text, '7');
  g_string_append (text, "\n2,3\n");
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++) {
    gchar *said = read_pieces (&spec, text->str, text->len, pieces[i]);

    fail_unless_equals_string (said, "1 t=0 1\nmalformed line 2 is longer than 1048576 bytes\n3 t=2000000000 3\n");
    g_free (said);
  }
  g_string_free (text, TRUE);
}

GST_END_TEST;

GST_START_TEST (specs_that_make_no_sense)
{
  static const struct
  {
    RobocacheRecordSpec spec;
    const gchar *fault;
  } cases[] = {
    {{ROBOCACHE_INPUT_CSV, "ab", NULL, "", {"0", NULL, S, -1, -1}, 0}, "delimiter=\"ab\""},
    {{ROBOCACHE_INPUT_CSV, ",", "<q", "", {"0", NULL, S, -1, -1}, 0}, "layout=\"<q\" is for format=binary"},
    {{ROBOCACHE_INPUT_BINARY, ",", "<q", "", {"0", NULL, S, -1, -1}, 0}, "no column of data"},
    {{ROBOCACHE_INPUT_BINARY, ",", "<q2f", "", {"3", NULL, S, -1, -1}, 0}, "time-column=3"},
    {{ROBOCACHE_INPUT_BINARY, ",", "<q2f", "1-5", {"0", NULL, S, -1, -1}, 0}, "\"1-5\""},
    {{ROBOCACHE_INPUT_BINARY, ",", "<q2f", "q0", {"0", NULL, S, -1, -1}, 0}, "\"q0\""},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;

    fail_unless (robocache_record_reader_new (&cases[i].spec, &error) == NULL);
    expect_fault (error, cases[i].fault);
  }
}

GST_END_TEST;

GST_START_TEST (restart_reads_a_header_again)
{
  const RobocacheRecordSpec spec = spec_of (&(Rows) {.bytes = "" });
  RobocacheRecordReader *reader = robocache_record_reader_new (&spec, NULL);
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

CHECK_MAIN (records, NULL, NULL, ONCE (times_of_text), ONCE (times_of_integers), ONCE (times_of_doubles), ONCE (differences_and_units),
  ONCE (fields_of_lines), ONCE (delimiters), ONCE (record_formats), ONCE (binary_numbers), ONCE (binary_times), ONCE (rows_in_pieces),
  ONCE (a_line_without_end), ONCE (specs_that_make_no_sense), ONCE (restart_reads_a_header_again))

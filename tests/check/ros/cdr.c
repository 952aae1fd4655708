/* robocache: CDR, written and read in both byte orders
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/cdr.h"

#include <string.h>

#include "common/element/errors.h"
#include "tests/check/lib/messagetext.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/memorylimit.h"

/* ---- reading ---- */

/* What is read, one letter each: b h i l unsigned of 1, 2, 4 and 8 bytes, d double, s string, B H I L D sequences of them, and
 * the text of what comes of it. Errors are words of theirs. */
static const struct
{
  const gchar *hex, *reads, *text, *error;
} reads[] = {
  {"00010000 ff", "b", "255"},
  {"00010000 01 00 0200 03000000", "bhi", "1 2 3"},
  {"00000000 01 00 0002 00000003", "bhi", "1 2 3"},
  /* alignment counts from the fifth byte */
  {"00010000 01 00000000000000 0200000000000000", "bl", "1 2"},
  {"00000000 01 00000000000000 0000000000000002", "bl", "1 2"},
  {"00010000 01 000000 02000000 0300000000000000", "bil", "1 2 3"},
  {"00010000 000000000000f8bf", "d", "-1.5"},
  {"00000000 bff8000000000000", "d", "-1.5"},
  {"00010000 03000000 616200", "s", "ab"},
  {"00000000 00000003 616200", "s", "ab"},
  {"00010000 01000000 00 000000 01000000 00", "ss", " "},
  {"00010000 00000000 01000000 00", "ss", " "},
  {"00010000 03000000 616200 00 07000000", "si", "ab 7"},
  {"00010000 02000000 0102", "B", "[1 2]"},
  {"00010000 02000000 0100 0200", "H", "[1 2]"},
  {"00010000 02000000 00000000 0100000000000000 0200000000000000", "L", "[1 2]"},
  {"00000000 00000001 00000000 bff8000000000000", "D", "[-1.5]"},
  /* an empty sequence has no padding behind its count */
  {"00010000 00000000 05000000", "Li", "[] 5"},
  {"00010000 00000000 00000000 01000000 00000000 0900000000000000", "LDL", "[] [] [9]"},
  /* faults */
  {"", "b", NULL, "at byte 0 of the message: the message ends before"},
  {"000100", "b", NULL, "at byte 0 of the message: the message ends before"},
  {"00010000", "b", NULL, "at byte 4 of the message: the message ends within"},
  {"00020000 01", "b", NULL, "at byte 0 of the message: the encoding"},
  {"00070000 01", "b", NULL, "at byte 0 of the message: the encoding"},
  {"01010000 01", "b", NULL, "at byte 0 of the message: the encoding"},
  {"00010000 01 000000 020000", "bi", NULL, "at byte 5 of the message: the message ends within"},
  {"00010000 ffffffff 0000", "B", NULL, "at byte 4 of the message: a sequence or string has more items"},
  {"00010000 ffffffff 0000", "D", NULL, "more items"},
  {"00010000 03000000 0102", "B", NULL, "more items"},
  {"00010000 02000000 00000000 0100000000000000 02000000000000", "L", NULL, "at byte 8 of the message: the message ends within"},
  {"00010000 01000000 0100000000000000", "L", NULL, "at byte 8 of the message: the message ends within"},
  {"00010000 ffffffff 6100", "s", NULL, "more items"},
  {"00010000 02000000 6162", "s", NULL, "at byte 8 of the message: a string does not end"},
  {"00010000 0200", "s", NULL, "at byte 4 of the message: the message ends within"},
};

static void
read_numbers (RobocacheCdrReader *reader, guint bytes, gboolean is_double, GString *text)
{
  const guint32 n = robocache_cdr_read_count (reader, bytes, 0);
  const guint8 *array = robocache_cdr_read_array (reader, bytes, n);

  g_string_append_c (text, '[');
  for (guint32 i = 0; array && i < n; i++) {
    guint64 number = 0;
    gdouble real;

    robocache_cdr_copy_numbers (reader, &number, array + i * bytes, bytes, 1);
    memcpy (&real, &number, sizeof (real));
    g_string_append_printf (text, i ? " " : "%s", "");
    if (is_double)
      g_string_append_printf (text, "%g", real);
    else
      g_string_append_printf (text, "%" G_GUINT64_FORMAT, number);
  }
  g_string_append_c (text, ']');
}

static void
read_one (RobocacheCdrReader *reader, gchar what, GString *text)
{
  static const gchar letters[] = "bhilBHIL";
  const gchar *letter = strchr (letters, what);
  guint64 number = 0;
  gdouble real;
  guint32 length;
  const gchar *string;

  if (what == 's') {
    string = robocache_cdr_read_string (reader, &length);
    fail_unless_equals_int (strlen (string), length);
    g_string_append (text, string);
  } else if (what == 'd') {
    robocache_cdr_read_number (reader, sizeof (real), &real);
    g_string_append_printf (text, "%g", real);
  } else if (what == 'D') {
    read_numbers (reader, 8, TRUE, text);
  } else if (g_ascii_isupper (what)) {
    read_numbers (reader, 1u << (letter - letters - 4), FALSE, text);
  } else {
    robocache_cdr_read_number (reader, 1u << (letter - letters), &number);
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, number);
  }
}

GST_START_TEST (test_reads)
{
  GByteArray *bytes = bytes_of_hex (reads[__i__].hex);
  /* nothing behind the bytes is touched */
  guint8 *exact = g_memdup (bytes->data, bytes->len);
  GString *text = g_string_new (NULL);
  RobocacheCdrReader reader;
  GError *error = NULL;

  robocache_cdr_reader_init (&reader, exact, bytes->len);
  for (const gchar *what = reads[__i__].reads; *what; what++) {
    g_string_append (text, what > reads[__i__].reads ? " " : "");
    read_one (&reader, *what, text);
  }
  fail_unless_equals_int (robocache_cdr_reader_check (&reader, &error), reads[__i__].error == NULL);
  if (reads[__i__].error) {
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA));
    fail_unless (strstr (error->message, reads[__i__].error) != NULL, "\"%s\" lacks \"%s\"", error->message, reads[__i__].error);
    /* and all that follows is nothing */
    fail_unless_equals_int (robocache_cdr_read_uint8 (&reader), 0);
    fail_unless (robocache_cdr_read_array (&reader, 1, 0) == NULL);
    g_error_free (error);
  } else {
    fail_unless_equals_string (text->str, reads[__i__].text);
    fail_unless_equals_int (reader.offset, reader.size);
  }
  g_string_free (text, TRUE);
  g_free (exact);
  g_byte_array_unref (bytes);
}

GST_END_TEST;

static const struct
{
  guint32 max;
  gboolean fits;
} bounds[] = { {0, TRUE}, {3, TRUE}, {4, TRUE}, {2, FALSE}, {1, FALSE} };

GST_START_TEST (test_bound)
{
  static const guint8 three[] = { 0, 1, 0, 0, 3, 0, 0, 0, 1, 2, 3 };
  RobocacheCdrReader reader;
  GError *error = NULL;

  robocache_cdr_reader_init (&reader, three, sizeof (three));
  fail_unless_equals_int (robocache_cdr_read_count (&reader, 1, bounds[__i__].max), bounds[__i__].fits ? 3 : 0);
  fail_unless_equals_int (robocache_cdr_reader_check (&reader, &error), bounds[__i__].fits);
  if (error)
    fail_unless (strstr (error->message, "longer than its type allows") != NULL, "%s", error->message);
  g_clear_error (&error);
}

GST_END_TEST;

/* ---- writing ---- */

static void
write_one (RobocacheCdrWriter *writer, gchar what)
{
  static const guint64 numbers[] = { 1, 2 };
  static const guint16 shorts[] = { 1, 2 };
  static const gchar *const strings[] = { "a", NULL };

  switch (what) {
    case 'b':
      robocache_cdr_write_uint8 (writer, 0x12);
      break;
    case 'i':
      robocache_cdr_write_int32 (writer, -2);
      break;
    case 'u':
      robocache_cdr_write_uint32 (writer, 0x12345678);
      break;
    case 'l':
      robocache_cdr_write_int64 (writer, -2);
      break;
    case 'd':
      robocache_cdr_write_array (writer, &(gdouble) { -1.5 }, sizeof (gdouble), 1);
      break;
    case 's':
      robocache_cdr_write_string (writer, "ab");
      break;
    case 'H':
      robocache_cdr_write_sequence (writer, shorts, 2, 2);
      break;
    case 'L':
      robocache_cdr_write_sequence (writer, numbers, 8, 2);
      break;
    case 'a':
      robocache_cdr_write_array (writer, numbers, 8, 1);
      break;
    case '0':
      robocache_cdr_write_sequence (writer, NULL, 8, 0);
      break;
    case 'S':
      robocache_cdr_write_strings (writer, strings, 2);
      break;
    default:
      g_assert_not_reached ();
  }
}

static const struct
{
  const gchar *writes, *hex;
} writes[] = {
  {"", "00010000"},
  {"bbi", "00010000 1212 0000 feffffff"},
  {"bu", "00010000 12 000000 78563412"},
  {"bl", "00010000 12 00000000000000 feffffffffffffff"},
  {"ibd", "00010000 feffffff 12 000000 000000000000f8bf"},
  {"sb", "00010000 03000000 616200 12"},
  {"H", "00010000 02000000 0100 0200"},
  {"L", "00010000 02000000 00000000 0100000000000000 0200000000000000"},
  {"ba", "00010000 12 00000000000000 0100000000000000"},
  {"0u", "00010000 00000000 78563412"},
  {"S", "00010000 02000000 02000000 6100 0000 01000000 00"},
};

GST_START_TEST (test_writes)
{
  GByteArray *bytes = bytes_of_hex (writes[__i__].hex);
  gchar *expected = hex_of_bytes (bytes->data, bytes->len), *hex;
  RobocacheCdrWriter writer = { 0 };

  /* the second message is in the memory of the first, whose bytes do not show */
  for (guint round = 0; round < 2; round++) {
    robocache_cdr_writer_begin (&writer);
    for (const gchar *what = writes[__i__].writes; *what; what++)
      write_one (&writer, *what);
    fail_if (writer.has_failed);
    hex = hex_of_bytes (writer.data, writer.size);
    fail_unless_equals_string (hex, expected);
    memset (writer.data, 0xee, writer.size);
    g_free (hex);
  }
  robocache_cdr_writer_clear (&writer);
  g_free (expected);
  g_byte_array_unref (bytes);
}

GST_END_TEST;

/* Passing strings leaves the reader where reading them does, in every message that has been cut or changed. */
GST_START_TEST (test_skip)
{
  GByteArray *bytes = bytes_of_hex ("00010000 03000000 616200 00 01000000 00 000000 00000000 02000000 6300 0000 04000000 64656600");
  GRand *random = g_rand_new_with_seed (11);

  for (guint round = 0; round < 20000; round++) {
    const gsize size = round == 0 ? bytes->len : (gsize) g_rand_int_range (random, 4, (gint) bytes->len + 1);
    guint8 *message = g_malloc (size);
    RobocacheCdrReader reading, skipping;
    guint32 length;

    memcpy (message, bytes->data, size);
    message[1] = g_rand_boolean (random) || round == 0;
    if (round > 0)
      message[g_rand_int_range (random, 3, (gint) size)] = (guint8) g_rand_int (random);
    robocache_cdr_reader_init (&reading, message, size);
    skipping = reading;
    for (guint i = 0; i < 5; i++)
      robocache_cdr_read_string (&reading, &length);
    robocache_cdr_skip_strings (&skipping, 5);
    fail_if (round == 0 && reading.fault);
    fail_unless (reading.fault == skipping.fault && reading.offset == skipping.offset
        && reading.fault_offset == skipping.fault_offset);
    g_free (message);
  }
  g_rand_free (random);
  g_byte_array_unref (bytes);
}

GST_END_TEST;

/* Lengths that no memory holds, and that no count does. */
GST_START_TEST (test_failure)
{
  RobocacheCdrWriter writer = { 0 };
  const guint8 byte = 0;

  /* a sanitizer ends a process that asks for as much */
  if (has_memory_limit ()) {
    robocache_cdr_writer_begin (&writer);
    robocache_cdr_write_array (&writer, &byte, 8, G_MAXSSIZE / 8);
    fail_unless (writer.has_failed);
    robocache_cdr_write_uint8 (&writer, 1);
    fail_unless (writer.has_failed);
    fail_unless_equals_int (writer.size, 4);
  }
  robocache_cdr_writer_begin (&writer);
  fail_if (writer.has_failed);
  robocache_cdr_write_sequence (&writer, &byte, 1, (gsize) G_MAXUINT32 + 1);
  fail_unless (writer.has_failed);
  robocache_cdr_writer_clear (&writer);
}

GST_END_TEST;

CHECK_MAIN (cdr, NULL, NULL, EACH (reads, test_reads), EACH (bounds, test_bound), EACH (writes, test_writes), ONCE (test_skip),
    ONCE (test_failure))

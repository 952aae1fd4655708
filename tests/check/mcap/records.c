/* robocache: records of MCAP files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/element/errors.h"
#include "common/mcap/records.h"
#include "tests/check/lib/checks.h"

#define TEXT(string) {(const guint8 *) (string), sizeof (string) - 1}

/* A record of each opcode, and its content as the specification defines it. */
static const struct
{
  guint8 opcode;
  RobocacheMcapRecord record;
  RobocacheMcapBytes content;
} records[] = {
  {ROBOCACHE_MCAP_HEADER, {.header = {TEXT ("ros2"), TEXT ("me")}}, TEXT ("\4\0\0\0ros2\2\0\0\0me")},
  {ROBOCACHE_MCAP_FOOTER, {.footer = {0x0102030405060708, 9, 0xa0b0c0d0}},
        TEXT ("\10\7\6\5\4\3\2\1\11\0\0\0\0\0\0\0\xd0\xc0\xb0\xa0")},
  {ROBOCACHE_MCAP_SCHEMA, {.schema = {258, TEXT ("a/B"), TEXT ("ros2msg"), TEXT ("x\0y")}},
        TEXT ("\2\1\3\0\0\0a/B\7\0\0\0ros2msg\3\0\0\0x\0y")},
  {ROBOCACHE_MCAP_CHANNEL, {.channel = {7, 258, TEXT ("/t"), TEXT ("cdr"), TEXT ("\1\0\0\0k\1\0\0\0v")}},
        TEXT ("\7\0\2\1\2\0\0\0/t\3\0\0\0cdr\12\0\0\0\1\0\0\0k\1\0\0\0v")},
  {ROBOCACHE_MCAP_MESSAGE, {.message = {7, 3, 1, 2, TEXT ("data")}},
        TEXT ("\7\0\3\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0data")},
  {ROBOCACHE_MCAP_CHUNK, {.chunk = {1, 2, 3, 4, TEXT ("lz4"), TEXT ("xyz")}},
        TEXT ("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\3\0\0\0lz4\3\0\0\0\0\0\0\0xyz")},
  {ROBOCACHE_MCAP_MESSAGE_INDEX, {.message_index = {7, TEXT ("0123456789abcdef")}}, TEXT ("\7\0\20\0\0\0" "0123456789abcdef")},
  {ROBOCACHE_MCAP_CHUNK_INDEX, {.chunk_index = {1, 2, 3, 4, TEXT ("0123456789"), 5, TEXT ("zstd"), 6, 7}},
        TEXT ("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\12\0\0\0" "0123456789\5\0\0\0\0\0\0\0"
            "\4\0\0\0zstd\6\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0")},
  {ROBOCACHE_MCAP_ATTACHMENT, {.attachment = {1, 2, TEXT ("n"), TEXT ("a/b"), TEXT ("data"), 3}},
        TEXT ("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0n\3\0\0\0a/b\4\0\0\0\0\0\0\0data\3\0\0\0")},
  {ROBOCACHE_MCAP_ATTACHMENT_INDEX, {.attachment_index = {1, 2, 3, 4, 5, TEXT ("n"), TEXT ("a/b")}},
        TEXT ("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\1\0\0\0n\3\0\0\0a/b")},
  {ROBOCACHE_MCAP_STATISTICS, {.statistics = {1, 2, 3, 4, 5, 6, 7, 8, TEXT ("0123456789")}},
        TEXT ("\1\0\0\0\0\0\0\0\2\0\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0\7\0\0\0\0\0\0\0\10\0\0\0\0\0\0\0\12\0\0\0" "0123456789")},
  {ROBOCACHE_MCAP_METADATA, {.metadata = {TEXT ("n"), TEXT ("\1\0\0\0k\0\0\0\0")}}, TEXT ("\1\0\0\0n\11\0\0\0\1\0\0\0k\0\0\0\0")},
  {ROBOCACHE_MCAP_METADATA_INDEX, {.metadata_index = {1, 2, TEXT ("n")}},
        TEXT ("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0n")},
  {ROBOCACHE_MCAP_SUMMARY_OFFSET, {.summary_offset = {4, 1, 2}}, TEXT ("\4\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0")},
  {ROBOCACHE_MCAP_DATA_END, {.data_end = {0xa0b0c0d0}}, TEXT ("\xd0\xc0\xb0\xa0")},
};

static void
assert_bytes (const GByteArray *array, gsize from, RobocacheMcapBytes expected)
{
  fail_unless_equals_uint64 (array->len, from + expected.size);
  fail_unless (memcmp (array->data + from, expected.data, expected.size) == 0);
}

GST_START_TEST (test_append)
{
  GByteArray *array = g_byte_array_new ();

  robocache_mcap_append_record (array, records[__i__].opcode, &records[__i__].record);
  fail_unless_equals_int (array->data[0], records[__i__].opcode);
  fail_unless_equals_uint64 (robocache_mcap_get_uint64 (array->data + 1), records[__i__].content.size);
  assert_bytes (array, ROBOCACHE_MCAP_HEAD_SIZE, records[__i__].content);
  g_byte_array_unref (array);
}

GST_END_TEST;

/* What was read is written as the same bytes, and bytes of later versions behind it are ignored, but by messages, whose data they
 * are. */
GST_START_TEST (test_read)
{
  const RobocacheMcapBytes content = records[__i__].content;
  GByteArray *array = g_byte_array_new (), *again = g_byte_array_new ();
  RobocacheMcapRecord record;

  g_byte_array_append (array, content.data, (guint) content.size);
  g_byte_array_append (array, (const guint8 *) "more", 4);
  for (guint extra = 0; extra <= 4; extra += 4) {
    const guint is_kept = records[__i__].opcode == ROBOCACHE_MCAP_MESSAGE ? extra : 0;

    fail_unless (robocache_mcap_record_read (&record, records[__i__].opcode,
            (RobocacheMcapBytes) {array->data, content.size + extra}, NULL));
    g_byte_array_set_size (again, 0);
    robocache_mcap_append_record (again, records[__i__].opcode, &record);
    assert_bytes (again, ROBOCACHE_MCAP_HEAD_SIZE, (RobocacheMcapBytes) {array->data, content.size + is_kept});
  }
  g_byte_array_unref (array);
  g_byte_array_unref (again);
}

GST_END_TEST;

/* Of a record that ends early nothing is read behind its end, which a sanitizer sees. */
GST_START_TEST (test_cut)
{
  const RobocacheMcapBytes content = records[__i__].content;
  const gsize n_free = records[__i__].opcode == ROBOCACHE_MCAP_MESSAGE ? 4 : 0;

  for (gsize size = 0; size < content.size - n_free; size++) {
    guint8 *copy = g_memdup (content.data, (guint) size);
    RobocacheMcapRecord record;
    GError *error = NULL;

    fail_if (robocache_mcap_record_read (&record, records[__i__].opcode, (RobocacheMcapBytes) {copy, size}, &error));
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA));
    fail_unless (strstr (error->message, robocache_mcap_opcode_name (records[__i__].opcode)) != NULL);
    g_clear_error (&error);
    g_free (copy);
  }
}

GST_END_TEST;

GST_START_TEST (test_heads)
{
  GByteArray *array = g_byte_array_new ();
  RobocacheMcapMessage message = records[4].record.message;
  RobocacheMcapChunkRecord chunk = records[5].record.chunk;

  robocache_mcap_append_message_head (array, &message, 4);
  fail_unless_equals_uint64 (array->len, ROBOCACHE_MCAP_MESSAGE_HEAD_SIZE);
  g_byte_array_append (array, message.data.data, 4);
  assert_bytes (array, ROBOCACHE_MCAP_HEAD_SIZE, records[4].content);
  fail_unless_equals_uint64 (robocache_mcap_get_uint64 (array->data + 1), records[4].content.size);

  g_byte_array_set_size (array, 0);
  robocache_mcap_append_record_head (array, ROBOCACHE_MCAP_CHUNK, &chunk);
  g_byte_array_append (array, chunk.records.data, (guint) chunk.records.size);
  assert_bytes (array, ROBOCACHE_MCAP_HEAD_SIZE, records[5].content);
  g_byte_array_unref (array);
}

GST_END_TEST;

/* Sequences of records: how many are whole, and how many bytes are left. */
GST_START_TEST (test_sequences)
{
  static const struct
  {
    RobocacheMcapBytes bytes;
    guint n_records;
    gsize n_left;
  } cases[] = {
    {TEXT (""), 0, 0},
    {TEXT ("\5"), 0, 1},
    {TEXT ("\5\0\0\0\0\0\0\0"), 0, 8},
    {TEXT ("\5\0\0\0\0\0\0\0\0"), 1, 0},
    {TEXT ("\5\1\0\0\0\0\0\0\0"), 0, 9},
    {TEXT ("\5\1\0\0\0\0\0\0\0x\7"), 1, 1},
    {TEXT ("\5\1\0\0\0\0\0\0\0x\6\2\0\0\0\0\0\0\0xy"), 2, 0},
    {TEXT ("\5\377\377\377\377\377\377\377\377xxxx"), 0, 13},
    {TEXT ("\5\370\377\377\377\377\377\377\377xxxx"), 0, 13},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    RobocacheMcapBytes left = cases[i].bytes, content;
    guint8 opcode;
    guint n = 0;

    while (robocache_mcap_next_record (&left, &opcode, &content)) {
      fail_unless_equals_int (opcode, 5 + n);
      fail_unless_equals_uint64 (content.size, cases[i].bytes.size == 9 ? 0 : n + 1);
      n++;
    }
    fail_unless_equals_int (n, cases[i].n_records);
    fail_unless_equals_uint64 (left.size, cases[i].n_left);
  }
}

GST_END_TEST;

GST_START_TEST (test_maps)
{
  GByteArray *map = g_byte_array_new ();
  RobocacheMcapBytes left, key, value;
  guint64 number;
  guint16 id;

  robocache_mcap_append_text (map, "caps", "a, b");
  robocache_mcap_append_text (map, "none", NULL);
  left = (RobocacheMcapBytes) {map->data, map->len};
  fail_unless (robocache_mcap_next_text (&left, &key, &value));
  fail_unless (robocache_mcap_text_equal (key, "caps") && robocache_mcap_text_equal (value, "a, b"));
  fail_unless (robocache_mcap_next_text (&left, &key, &value));
  fail_unless (robocache_mcap_text_equal (key, "none") && robocache_mcap_text_equal (value, ""));
  fail_if (robocache_mcap_next_text (&left, &key, &value));
  fail_unless_equals_uint64 (left.size, 0);
  for (guint size = 17; size < map->len; size++) {
    left = (RobocacheMcapBytes) {map->data, size};
    while (robocache_mcap_next_text (&left, &key, &value));
    fail_unless_equals_uint64 (left.size, size - 16);
  }

  g_byte_array_set_size (map, 0);
  robocache_mcap_append_number (map, 65535, G_MAXUINT64 - 1);
  left = (RobocacheMcapBytes) {map->data, map->len};
  fail_unless (robocache_mcap_next_number (&left, &id, &number));
  fail_unless (id == 65535 && number == G_MAXUINT64 - 1 && left.size == 0);
  left = (RobocacheMcapBytes) {map->data, map->len - 1};
  fail_if (robocache_mcap_next_number (&left, &id, &number));

  g_byte_array_set_size (map, 0);
  robocache_mcap_append_entry (map, 5, 6);
  fail_unless (map->len == 16 && GST_READ_UINT64_LE (map->data) == 5 && GST_READ_UINT64_LE (map->data + 8) == 6);
  g_byte_array_unref (map);
}

GST_END_TEST;

GST_START_TEST (test_texts)
{
  static const struct
  {
    RobocacheMcapBytes text;
    const gchar *expected;
  } cases[] = { {TEXT (""), ""}, {TEXT ("abc"), "abc"}, {TEXT ("Gr\xc3\xbc\xc3\x9f"), "Gr\xc3\xbc\xc3\x9f"},
  {TEXT ("a\xff" "b"), "a\xef\xbf\xbd" "b"}, {TEXT ("a\0b"), "a\xef\xbf\xbd" "b"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *copy = robocache_mcap_text_dup (cases[i].text);

    fail_unless_equals_string (copy, cases[i].expected);
    g_free (copy);
  }
}

GST_END_TEST;

GST_START_TEST (test_names)
{
  fail_unless_equals_string (robocache_mcap_opcode_name (ROBOCACHE_MCAP_CHUNK_INDEX), "Chunk Index");
  fail_unless (robocache_mcap_opcode_name (0) == NULL);
  fail_unless (robocache_mcap_opcode_name (ROBOCACHE_MCAP_N_OPCODES) == NULL);
  fail_unless (robocache_mcap_opcode_name (255) == NULL);
}

GST_END_TEST;

CHECK_MAIN (records, NULL, NULL, EACH (records, test_append), EACH (records, test_read), EACH (records, test_cut),
    ONCE (test_heads), ONCE (test_sequences), ONCE (test_maps), ONCE (test_texts), ONCE (test_names))

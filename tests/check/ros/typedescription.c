/* robocache: definitions of messages as nodes of ROS 2 describe them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/encodings/typedescription.h"

#include "common/ros/cdr.h"
#include "tests/check/lib/checks.h"

typedef struct
{
  const gchar *name;
  guint8 id;
  guint64 capacity, string_capacity;
  const gchar *nested;
} Field;

typedef struct
{
  const gchar *name;
  Field fields[8];
} Type;

/* Numbers of type_description_interfaces/msg/FieldType. */
static const struct
{
  guint header_bytes;
  const gchar *reason;          /* NULL: successful */
  Type types[2];
  guint cut;                    /* bytes that are missing at the end */
  const gchar *expected, *error;
} answers[] = {
  {0, NULL, {{"a_msgs/msg/B", {{"header", 1, 0, 0, "std_msgs/msg/Header"}, {"k", 59, 9, 0, ""}, {"names", 161, 0, 0, ""}, {"few", 106, 3, 0, ""},
            {"short_name", 21, 0, 20, ""}, {"raw", 160, 0, 0, ""}}}, {"std_msgs/msg/Header", {{"frame_id", 17, 0, 0, ""}}}}, 0,
    "std_msgs/Header header\nfloat64[9] k\nstring[] names\nfloat32[<=3] few\nstring<=20 short_name\nbyte[] raw\n"
        "================================================================================\nMSG: std_msgs/Header\nstring frame_id\n", NULL},
  /* a client of Cyclone's middleware, and a type without fields */
  {16, NULL, {{"a_msgs/msg/Nothing", {{"structure_needs_at_least_one_member", 3, 0, 0, ""}}}}, 0, "", NULL},
  {0, "there is no such type", {{""}}, 0, NULL, "the node has no definition: there is no such type"},
  {0, NULL, {{"a_msgs/msg/B", {{"wide", 12, 0, 0, ""}}}}, 0, NULL, "a field has a type that no message of ROS has"},
  {0, NULL, {{"a_msgs/msg/B", {{"high", 255, 0, 0, ""}}}}, 0, NULL, "a field has a type that no message of ROS has"},
  {0, NULL, {{"a_msgs/msg/B", {{"k", 11, 0, 0, ""}}}}, 20, NULL, "the message ends within a field"},
};

static void
write_type (RobocacheCdrWriter *writer, const Type *type)
{
  guint n = 0;

  while (n < G_N_ELEMENTS (type->fields) && type->fields[n].name)
    n++;
  robocache_cdr_write_string (writer, type->name);
  robocache_cdr_write_uint32 (writer, n);
  for (guint i = 0; i < n; i++) {
    robocache_cdr_write_string (writer, type->fields[i].name);
    robocache_cdr_write_uint8 (writer, type->fields[i].id);
    robocache_cdr_write_uint64 (writer, type->fields[i].capacity);
    robocache_cdr_write_uint64 (writer, type->fields[i].string_capacity);
    robocache_cdr_write_string (writer, type->fields[i].nested);
    robocache_cdr_write_string (writer, "a default");
  }
}

static void
write_answer (RobocacheCdrWriter *writer, guint i)
{
  robocache_cdr_writer_begin (writer);
  for (guint k = 0; k < answers[i].header_bytes; k++)
    robocache_cdr_write_uint8 (writer, 0xff);
  robocache_cdr_write_uint8 (writer, answers[i].reason == NULL);
  robocache_cdr_write_string (writer, answers[i].reason);
  write_type (writer, &answers[i].types[0]);
  robocache_cdr_write_uint32 (writer, answers[i].types[1].name ? 1 : 0);
  if (answers[i].types[1].name)
    write_type (writer, &answers[i].types[1]);
}

GST_START_TEST (test_answer)
{
  RobocacheCdrWriter writer = { 0 };
  GError *error = NULL;
  gchar *type = NULL, *text;

  write_answer (&writer, __i__);
  text = robocache_ros_type_description_text (writer.data, writer.size - answers[__i__].cut, answers[__i__].header_bytes, &type, &error);
  fail_unless_equals_string (text, answers[__i__].expected);
  if (text) {
    fail_unless_equals_string (type, answers[__i__].types[0].name);
  } else {
    fail_unless (strstr (error->message, answers[__i__].error) != NULL, "%s", error->message);
  }
  g_clear_error (&error);
  g_free (text);
  g_free (type);
  robocache_cdr_writer_clear (&writer);
}

GST_END_TEST;

/* FALSE: it is malformed. */
static gboolean
read_copy (const guint8 *answer, gsize size, gsize header_bytes)
{
  guint8 *copy = g_malloc (size);
  gboolean is_read;
  GError *error = NULL;
  gchar *type = NULL, *text;

  /* reads beyond it are seen */
  if (size > 0)
    memcpy (copy, answer, size);
  text = robocache_ros_type_description_text (copy, size, header_bytes, &type, &error);
  fail_unless ((text == NULL) == (error != NULL));
  g_clear_error (&error);
  is_read = text != NULL;
  g_free (text);
  g_free (type);
  g_free (copy);
  return is_read;
}

/* Answers that end anywhere, or have any other byte, are read or refused. */
GST_START_TEST (test_damaged)
{
  RobocacheCdrWriter writer = { 0 };
  guint n_malformed = 0;

  write_answer (&writer, __i__);
  for (gsize size = 0; size < writer.size; size++)
    n_malformed += !read_copy (writer.data, size, answers[__i__].header_bytes);
  for (gsize at = 0; at < writer.size; at++) {
    for (guint flip = 1; flip < 256; flip = 2 * flip + 1) {
      writer.data[at] ^= (guint8) flip;
      n_malformed += !read_copy (writer.data, writer.size, answers[__i__].header_bytes);
      writer.data[at] ^= (guint8) flip;
    }
  }
  fail_unless (n_malformed > writer.size / 2);
  robocache_cdr_writer_clear (&writer);
}

GST_END_TEST;

GST_START_TEST (test_request)
{
  static const guint8 header[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

  for (gsize n = 0; n <= sizeof (header); n += sizeof (header)) {
    GByteArray *request = robocache_ros_type_request ("a/msg/B", "RIHS01_0", header, n);
    RobocacheCdrReader reader;
    const guint8 *own;
    guint32 length;

    robocache_cdr_reader_init (&reader, request->data, request->len);
    own = robocache_cdr_read_array (&reader, 1, n);
    fail_unless (memcmp (own, header, n) == 0);
    fail_unless_equals_string (robocache_cdr_read_string (&reader, &length), "a/msg/B");
    fail_unless_equals_string (robocache_cdr_read_string (&reader, &length), "RIHS01_0");
    fail_unless_equals_int (robocache_cdr_read_uint8 (&reader), 0);
    fail_unless (robocache_cdr_reader_check (&reader, NULL) && reader.offset == reader.size);
    g_byte_array_unref (request);
  }
}

GST_END_TEST;

CHECK_MAIN (typedescription, NULL, NULL, EACH (answers, test_answer); EACH (answers, test_damaged); ONCE (test_request));

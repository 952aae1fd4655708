/* robocache: definitions of messages as nodes of ROS 2 describe them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "typedescription.h"

#include "common/element/errordomain.h"
#include "common/ros/cdr.h"
#include "common/ros/definitions.h"

/* Numbers of type_description_interfaces/msg/FieldType: a type, plus the multiple of STEP that says how it repeats. */
#define STEP 48
enum
{ NESTED = 1, BOUNDED_STRING = 21, BOUNDED_WSTRING = 22 };

static const gchar *const names[STEP] = {
  [NESTED] = "",[2] = "int8",[3] = "uint8",[4] = "int16",[5] = "uint16",[6] = "int32",[7] = "uint32",[8] = "int64",[9] = "uint64",[10] = "float32",
  [11] = "float64",[15] = "bool",[16] = "byte",[17] = "string",[18] = "wstring",[BOUNDED_STRING] = "string<=",[BOUNDED_WSTRING] = "wstring<="
};

enum
{ SINGLE, ARRAY, BOUNDED_SEQUENCE, UNBOUNDED_SEQUENCE };

/* The member of a structure of C that has no other. */
#define FILLER "structure_needs_at_least_one_member"

GByteArray *
robocache_ros_type_request (const gchar *type, const gchar *hash, const guint8 *header, gsize header_bytes)
{
  RobocacheCdrWriter writer = { 0 };
  GByteArray *bytes = g_byte_array_new ();

  robocache_cdr_writer_begin (&writer);
  robocache_cdr_write_array (&writer, header, 1, header_bytes);
  robocache_cdr_write_string (&writer, type);
  robocache_cdr_write_string (&writer, hash);
  robocache_cdr_write_uint8 (&writer, FALSE);
  g_byte_array_append (bytes, writer.data, (guint) writer.size);
  robocache_cdr_writer_clear (&writer);
  return bytes;
}

static guint64
read_uint64 (RobocacheCdrReader *reader)
{
  guint64 value;

  robocache_cdr_read_number (reader, sizeof (value), &value);
  return value;
}

static void
append_type (GString *text, guint type, guint64 string_capacity, const gchar *nested)
{
  gchar *short_name = robocache_ros_short_name (nested);

  g_string_append (text, type == NESTED ? short_name : names[type]);
  if (type == BOUNDED_STRING || type == BOUNDED_WSTRING)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, string_capacity);
  g_free (short_name);
}

static void
append_field (GString *text, RobocacheCdrReader *reader)
{
  guint32 length;
  const gchar *name = robocache_cdr_read_string (reader, &length), *nested;
  const guint8 id = robocache_cdr_read_uint8 (reader);
  const guint64 capacity = read_uint64 (reader), string_capacity = read_uint64 (reader);

  nested = robocache_cdr_read_string (reader, &length);
  robocache_cdr_read_string (reader, &length);  /* default */
  if (id / STEP > UNBOUNDED_SEQUENCE || !names[id % STEP]) {
    robocache_cdr_reader_fail (reader, "a field has a type that no message of ROS has");
    return;
  }
  if (g_str_equal (name, FILLER))
    return;
  append_type (text, id % STEP, string_capacity, nested);
  if (id / STEP == ARRAY)
    g_string_append_printf (text, "[%" G_GUINT64_FORMAT "]", capacity);
  else if (id / STEP == BOUNDED_SEQUENCE)
    g_string_append_printf (text, "[<=%" G_GUINT64_FORMAT "]", capacity);
  else if (id / STEP == UNBOUNDED_SEQUENCE)
    g_string_append (text, "[]");
  g_string_append_printf (text, " %s\n", name);
}

/* Bytes that a field has at least, and a type. */
#define MIN_FIELD 32
#define MIN_TYPE 8

/* Returns the name of the type, in the message. */
static const gchar *
append_fields (GString *text, RobocacheCdrReader *reader, gboolean is_first)
{
  guint32 length, n;
  const gchar *name = robocache_cdr_read_string (reader, &length);
  gchar *short_name = robocache_ros_short_name (name);

  if (!is_first)
    g_string_append_printf (text, "================================================================================\nMSG: %s\n", short_name);
  g_free (short_name);
  n = robocache_cdr_read_count (reader, MIN_FIELD, 0);
  for (guint32 i = 0; i < n && !reader->fault; i++)
    append_field (text, reader);
  return name;
}

gchar *
robocache_ros_type_description_text (gconstpointer message, gsize size, gsize header_bytes, gchar **type, GError **error)
{
  GString *text = g_string_new (NULL);
  RobocacheCdrReader reader;
  const gchar *reason, *name;
  gboolean is_successful;
  guint32 length, n;

  robocache_cdr_reader_init (&reader, message, size);
  robocache_cdr_read_array (&reader, 1, header_bytes);
  is_successful = robocache_cdr_read_uint8 (&reader) != 0;
  reason = robocache_cdr_read_string (&reader, &length);
  name = append_fields (text, &reader, TRUE);
  n = robocache_cdr_read_count (&reader, MIN_TYPE, 0);
  for (guint32 i = 0; i < n && !reader.fault; i++)
    append_fields (text, &reader, FALSE);
  if (robocache_cdr_reader_check (&reader, error) && is_successful) {
    *type = g_strdup (name);
    return g_string_free (text, FALSE);
  }
  if (!reader.fault)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the node has no definition: %s", reason);
  g_string_free (text, TRUE);
  return NULL;
}

/* robocache: messages, rows and samples as text
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/messagetext.h"

GByteArray *
bytes_of_hex (const gchar *hex)
{
  GByteArray *bytes = g_byte_array_new ();
  gint high = -1;

  for (; *hex; hex++) {
    const gint digit = g_ascii_xdigit_value (*hex);
    guint8 byte;

    if (digit < 0)
      continue;
    if (high < 0) {
      high = digit;
      continue;
    }
    byte = (guint8) (high << 4 | digit);
    g_byte_array_append (bytes, &byte, 1);
    high = -1;
  }
  return bytes;
}

gchar *
hex_of_bytes (const guint8 *bytes, gsize n)
{
  GString *hex = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (hex, "%02x", bytes[i]);
  return g_string_free (hex, FALSE);
}

static void write_message_text (RobocacheCdrWriter * writer, const RobocacheRosSchema * schema, guint index,
    const gchar ** text);

/* Moves behind blanks and `mark`, which must follow. */
static void
expect_mark (const gchar **text, gchar mark)
{
  *text += strspn (*text, " ");
  if (**text != mark)
    g_error ("expected %c at \"%s\"", mark, *text);
  (*text)++;
}

static void
write_number_text (RobocacheCdrWriter *writer, RobocacheRosKind kind, const gchar **text)
{
  const guint bytes = robocache_ros_kind_bytes (kind);
  gchar *end;
  const gdouble real = g_ascii_strtod (*text, &end);
  const gfloat single = (gfloat) real;
  const gint64 integer = **text == '-' ? g_ascii_strtoll (*text, NULL, 10) : (gint64) g_ascii_strtoull (*text, NULL, 10);
  guint8 copy[8];

  if (end == *text)
    g_error ("expected a number at \"%s\"", *text);
  *text = end;
  if (kind == ROBOCACHE_ROS_FLOAT64)
    memcpy (copy, &real, bytes);
  else if (kind == ROBOCACHE_ROS_FLOAT32)
    memcpy (copy, &single, bytes);
  else
    memcpy (copy, (const guint8 *) &integer + (G_BYTE_ORDER == G_BIG_ENDIAN ? 8 - bytes : 0), bytes);
  robocache_cdr_write_array (writer, copy, bytes, 1);
}

static void
write_item_text (RobocacheCdrWriter *writer, const RobocacheRosSchema *schema, const RobocacheRosField *field, const gchar **text)
{
  *text += strspn (*text, " ");
  if (field->kind == ROBOCACHE_ROS_MESSAGE) {
    write_message_text (writer, schema, field->message, text);
  } else if (field->kind == ROBOCACHE_ROS_STRING) {
    gchar *string;

    expect_mark (text, '\'');
    string = g_strndup (*text, strcspn (*text, "'"));
    *text += strlen (string);
    expect_mark (text, '\'');
    robocache_cdr_write_string (writer, string);
    g_free (string);
  } else {
    write_number_text (writer, field->kind, text);
  }
}

/* Items up to the bracket, whose count is written in front of them, once it is known. */
static void
write_items_text (RobocacheCdrWriter *writer, const RobocacheRosSchema *schema, const RobocacheRosField *field, const gchar **text)
{
  guint32 n = 0;
  gsize count_at;

  expect_mark (text, '[');
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE)
    robocache_cdr_write_uint32 (writer, 0);
  count_at = writer->size - sizeof (n);
  for (; (*text)[strspn (*text, " ")] != ']'; n++)
    write_item_text (writer, schema, field, text);
  expect_mark (text, ']');
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE) {
    n = GUINT32_TO_LE (n);
    memcpy (writer->data + count_at, &n, sizeof (n));
  }
}

static void
write_message_text (RobocacheCdrWriter *writer, const RobocacheRosSchema *schema, guint index, const gchar **text)
{
  const RobocacheRosType *type = robocache_ros_schema_type (schema, index);

  expect_mark (text, '(');
  if (type->fields->len == 0)
    robocache_cdr_write_uint8 (writer, 0);
  for (guint i = 0; i < type->fields->len; i++) {
    const RobocacheRosField *field = &g_array_index (type->fields, RobocacheRosField, i);

    if (field->repeat == ROBOCACHE_ROS_SINGLE)
      write_item_text (writer, schema, field, text);
    else
      write_items_text (writer, schema, field, text);
  }
  expect_mark (text, ')');
}

void
write_text (RobocacheCdrWriter *writer, const RobocacheRosSchema *schema, const gchar *text)
{
  robocache_cdr_writer_begin (writer);
  write_message_text (writer, schema, 0, &text);
}

void
append_number (GString *text, RcDtype dtype, const guint8 *value)
{
  const gsize size = rc_dtype_size (dtype);
  gint64 integer = 0;
  gdouble real;
  gfloat single;

  memcpy (&real, value, MIN (size, sizeof (real)));
  memcpy (&single, value, MIN (size, sizeof (single)));
  memcpy ((guint8 *) &integer + (G_BYTE_ORDER == G_BIG_ENDIAN ? 8 - size : 0), value, size);
  if (dtype == RC_FLOAT64)
    g_string_append_printf (text, "%.17g", real);
  else if (dtype == RC_FLOAT32)
    g_string_append_printf (text, "%.9g", single);
  else if (dtype == RC_INT8 || dtype == RC_INT16 || dtype == RC_INT32 || dtype == RC_INT64)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, (gint64) ((guint64) integer << (64 - 8 * size)) >> (64 - 8 * size));
  else
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, (guint64) integer);
}

gchar *
row_to_string (const RobocacheRowChannels *channels, gconstpointer values)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < channels->n; i++) {
    g_string_append_printf (text, "%s%s=", i ? " " : "", channels->names[i]);
    append_number (text, channels->dtype, (const guint8 *) values + i * rc_dtype_size (channels->dtype));
  }
  g_string_append_printf (text, ": %s%s", rc_dtype_name (channels->dtype), channels->is_exact ? "" : ", rounded");
  return g_string_free (text, FALSE);
}

static void
append_memory (GString *text, const RobocacheRosSample *sample, guint index)
{
  RobocacheTensorsInfo info;
  const gboolean is_tensor = robocache_tensors_info_from_caps (&info, sample->caps, NULL);
  GstMemory *memory = gst_buffer_peek_memory (sample->buffer, index);
  GstMapInfo map;

  gst_memory_map (memory, &map, GST_MAP_READ);
  if (is_tensor) {
    const RcDtype dtype = info.tensors[index].dtype;

    for (gsize i = 0; i < map.size; i += rc_dtype_size (dtype)) {
      g_string_append_c (text, ' ');
      append_number (text, dtype, map.data + i);
    }
  } else {
    g_string_append_c (text, ' ');
    for (gsize i = 0; i < map.size; i++)
      g_string_append_printf (text, "%02x", map.data[i]);
  }
  gst_memory_unmap (memory, &map);
}

static void
append_sample (GString *text, const RobocacheRosSample *sample)
{
  gchar *caps = gst_caps_to_string (sample->caps);

  g_string_append_printf (text, "%s%s @", text->len > 0 ? "; " : "", sample->key);
  if (sample->stamp_ns == ROBOCACHE_ROS_NO_TIME)
    g_string_append (text, "none");
  else
    g_string_append_printf (text, "%" G_GINT64_FORMAT, sample->stamp_ns);
  g_string_append_printf (text, " %s: %s =", sample->frame_id, caps);
  for (guint i = 0; i < gst_buffer_n_memory (sample->buffer); i++) {
    g_string_append (text, i ? " |" : "");
    append_memory (text, sample, i);
  }
  if (GST_BUFFER_FLAG_IS_SET (sample->buffer, GST_BUFFER_FLAG_DELTA_UNIT))
    g_string_append (text, " delta");
  if (GST_BUFFER_DURATION_IS_VALID (sample->buffer))
    g_string_append_printf (text, " for %" G_GUINT64_FORMAT, GST_BUFFER_DURATION (sample->buffer));
  g_free (caps);
}

gchar *
samples_to_string (const GArray *samples)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < samples->len; i++)
    append_sample (text, &g_array_index (samples, RobocacheRosSample, i));
  if (samples->len == 0)
    g_string_append (text, "none");
  return g_string_free (text, FALSE);
}

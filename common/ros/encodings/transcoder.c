/* robocache: messages of several encodings, as CDR
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "transcoder.h"

#include <string.h>

#include "common/element/errors.h"
#include "encodings.h"

/* Bytes that a message may have in CDR: fields that it lacks are written, too. */
#define MAX_BYTES_OF(size) (((gsize) 64 << 20) + 8 * (size))

typedef RobocacheRosSchema *(*Parse) (const gchar * type, const gchar * definition, gsize size, GError ** error);

typedef struct
{
  const gchar *message_encoding, *schema_encoding;
  Parse parse;
  gboolean (*convert) (RobocacheConversion * conversion, GError ** error);      /* NULL: the messages are CDR */
} Encoding;

static const Encoding encodings[] = {
  {"cdr", "ros2msg", robocache_ros_schema_parse, NULL},
  {"cdr", "ros2idl", robocache_idl_parse, NULL},
  {"ros1", "ros1msg", robocache_ros1_schema_parse, robocache_ros1_convert},
  {"protobuf", "protobuf", robocache_protobuf_parse, robocache_protobuf_convert},
  {"json", "jsonschema", robocache_json_schema_parse, robocache_json_convert},
};

struct _RobocacheTranscoder
{
  const Encoding *encoding;
  RobocacheRosSchema *schema;
  RobocacheCdrWriter writer;
};

/* ---- writing ---- */

void
robocache_conversion_write_integer (RobocacheConversion *conversion, RobocacheRosKind kind, guint64 number)
{
  const guint bytes = robocache_ros_kind_bytes (kind);

  robocache_cdr_write_array (conversion->writer, (const guint8 *) &number + (G_BYTE_ORDER == G_BIG_ENDIAN ? sizeof (number) - bytes : 0),
      bytes, 1);
}

void
robocache_conversion_write_text (RobocacheConversion *conversion, const guint8 *text, gsize size)
{
  if (size >= G_MAXUINT32)
    conversion->writer->has_failed = TRUE;
  robocache_cdr_write_uint32 (conversion->writer, (guint32) size + 1);
  robocache_cdr_write_array (conversion->writer, text, 1, size);
  robocache_cdr_write_uint8 (conversion->writer, '\0');
}

gboolean
robocache_conversion_check (const RobocacheConversion *conversion, GError **error)
{
  if (conversion->writer->size <= conversion->max_bytes)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a message of %" G_GSIZE_FORMAT " bytes becomes longer than %" G_GSIZE_FORMAT
      ", with the fields that it lacks", conversion->size, conversion->max_bytes);
  return FALSE;
}

static gboolean
write_default_message (RobocacheConversion *conversion, guint index, GError **error)
{
  const RobocacheRosType *type = robocache_ros_schema_type (conversion->schema, index);
  gboolean ok = robocache_conversion_check (conversion, error);

  if (type->fields->len == 0)
    robocache_cdr_write_uint8 (conversion->writer, 0);
  for (guint i = 0; ok && i < type->fields->len; i++)
    ok = robocache_conversion_write_default (conversion, &g_array_index (type->fields, RobocacheRosField, i), error);
  return ok;
}

gboolean
robocache_conversion_write_default (RobocacheConversion *conversion, const RobocacheRosField *field, GError **error)
{
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE)
    robocache_cdr_write_uint32 (conversion->writer, 0);
  else if (field->kind == ROBOCACHE_ROS_MESSAGE)
    return write_default_message (conversion, field->message, error);
  else if (field->kind == ROBOCACHE_ROS_STRING)
    robocache_cdr_write_string (conversion->writer, NULL);
  else
    robocache_conversion_write_integer (conversion, field->kind, 0);
  return TRUE;
}

gsize
robocache_conversion_begin_items (RobocacheConversion *conversion)
{
  robocache_cdr_write_uint32 (conversion->writer, 0);
  return conversion->writer->size - sizeof (guint32);
}

void
robocache_conversion_end_items (RobocacheConversion *conversion, gsize place, guint32 count)
{
  const guint32 little = GUINT32_TO_LE (count);

  if (!conversion->writer->has_failed)
    memcpy (conversion->writer->data + place, &little, sizeof (little));
}

/* ---- life ---- */

static const Encoding *
find_encoding (const RobocacheMessageFormat *format, GError **error)
{
  const gchar *of_messages = format->message_encoding ? format->message_encoding : "cdr";
  const gchar *of_schema = format->schema_encoding ? format->schema_encoding : "ros2msg";
  GString *known = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (encodings); i++) {
    if (g_str_equal (of_messages, encodings[i].message_encoding) && g_str_equal (of_schema, encodings[i].schema_encoding)) {
      g_string_free (known, TRUE);
      return &encodings[i];
    }
    g_string_append_printf (known, "%s%s of %s", i == 0 ? "" : ", ", encodings[i].message_encoding, encodings[i].schema_encoding);
  }
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "its messages are \"%.40s\" with a schema in \"%.40s\", and only %s can be read",
      of_messages, of_schema, known->str);
  g_string_free (known, TRUE);
  return NULL;
}

RobocacheTranscoder *
robocache_transcoder_new (const RobocacheMessageFormat *format, GError **error)
{
  const Encoding *encoding = find_encoding (format, error);
  RobocacheRosSchema *schema = encoding ? encoding->parse (format->type, format->definition, format->definition_size, error) : NULL;
  RobocacheTranscoder *transcoder;

  if (!schema)
    return NULL;
  transcoder = g_new0 (RobocacheTranscoder, 1);
  transcoder->encoding = encoding;
  transcoder->schema = schema;
  return transcoder;
}

void
robocache_transcoder_free (RobocacheTranscoder *transcoder)
{
  if (!transcoder)
    return;
  robocache_ros_schema_free (transcoder->schema);
  robocache_cdr_writer_clear (&transcoder->writer);
  g_free (transcoder);
}

const RobocacheRosSchema *
robocache_transcoder_schema (const RobocacheTranscoder *transcoder)
{
  return transcoder->schema;
}

gboolean
robocache_transcoder_run (RobocacheTranscoder *transcoder, gconstpointer *message, gsize *size, GError **error)
{
  RobocacheConversion conversion = { transcoder->schema, *message, *size, &transcoder->writer, MAX_BYTES_OF (*size) };

  if (!transcoder->encoding->convert)
    return TRUE;
  robocache_cdr_writer_begin (&transcoder->writer);
  if (!transcoder->encoding->convert (&conversion, error))
    return FALSE;
  if (transcoder->writer.has_failed) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory for a message of %" G_GSIZE_FORMAT " bytes", *size);
    return FALSE;
  }
  *message = transcoder->writer.data;
  *size = transcoder->writer.size;
  return TRUE;
}

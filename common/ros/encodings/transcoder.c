/* robocache: messages of several encodings, as CDR
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "transcoder.h"

#include "common/element/errors.h"
#include "encodings.h"

/* Bytes that a message may have in CDR: fields that it lacks are written, too, and a number may have one byte in protobuf. */
#define MAX_BYTES_OF(size) (((gsize) 32 << 20) + 5 * (size) / 2)

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
  if (!transcoder->encoding->convert (&conversion, error) || !robocache_conversion_check (&conversion, error))
    return FALSE;
  if (transcoder->writer.has_failed) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory for a message of %" G_GSIZE_FORMAT " bytes", *size);
    return FALSE;
  }
  *message = transcoder->writer.data;
  *size = transcoder->writer.size;
  return TRUE;
}

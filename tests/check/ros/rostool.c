/* robocache: messages for rosbags.py: writes our examples, and reads what it wrote
 *
 *   rostool examples   writes a line an example: type, hexadecimal digits of the schema, of the message, and its text
 *   rostool built-in   writes a line a definition that is built in: type, hexadecimal digits of the schema
 *   rostool rows       reads lines of type, fields, schema, message and, unless they are ros2msg and cdr, the encodings of both; writes
 *                      the row of each, or "error: ..."
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <string.h>

#include "common/ros/definitions.h"
#include "common/ros/encodings/transcoder.h"
#include "common/ros/packages/packages.h"
#include "tests/check/lib/messageexamples.h"
#include "tests/check/lib/messagetext.h"

static gint
write_examples (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (message_examples); i++) {
    const MessageExample *example = &message_examples[i];
    gchar *schema = robocache_ros_schema_text (example->type), *schema_hex, *hex;
    RobocacheCdrWriter writer = { 0 };

    example->write (&writer);
    schema_hex = hex_of_bytes ((const guint8 *) schema, strlen (schema));
    hex = hex_of_bytes (writer.data, writer.size);
    printf ("%s\t%s\t%s\t%s\n", example->type, schema_hex, hex, example->text);
    g_free (hex);
    g_free (schema_hex);
    g_free (schema);
    robocache_cdr_writer_clear (&writer);
  }
  return 0;
}

static gint
write_built_in (void)
{
  for (guint i = 0; robocache_ros_packages[i]; i++) {
    for (const RobocacheRosDefinition * definition = robocache_ros_packages[i]; definition->name; definition++) {
      gchar *schema = robocache_ros_schema_text (definition->name), *hex = hex_of_bytes ((const guint8 *) schema, strlen (schema));

      printf ("%s\t%s\n", definition->name, hex);
      g_free (hex);
      g_free (schema);
    }
  }
  return 0;
}

static gchar *
row_of (RobocacheTranscoder *transcoder, const gchar *fields, const GByteArray *message, GError **error)
{
  RobocacheRowDecoder *decoder = robocache_row_decoder_new (robocache_transcoder_schema (transcoder), fields, error);
  gconstpointer bytes = message->data, values = NULL;
  gsize size = message->len;
  RobocacheCdrReader reader;
  gchar *row = NULL;

  if (decoder && robocache_transcoder_run (transcoder, &bytes, &size, error)) {
    robocache_cdr_reader_init (&reader, bytes, size);
    values = robocache_row_decoder_run (decoder, &reader, error);
  }
  if (values)
    row = row_to_string (robocache_row_decoder_channels (decoder), values);
  robocache_row_decoder_free (decoder);
  return row;
}

static void
write_row_of (gchar **columns)
{
  GByteArray *text = bytes_of_hex (columns[2]), *message = bytes_of_hex (columns[3]);
  const RobocacheMessageFormat format = {.type = columns[0],.definition = text->data,.definition_size = text->len,
    .schema_encoding = columns[4],.message_encoding = columns[4] ? columns[5] : NULL
  };
  GError *error = NULL;
  RobocacheTranscoder *transcoder = robocache_transcoder_new (&format, &error);
  gchar *row = transcoder ? row_of (transcoder, columns[1], message, &error) : NULL;

  if (row)
    printf ("%s\n", row);
  else
    printf ("error: %s\n", error->message);
  g_clear_error (&error);
  g_free (row);
  robocache_transcoder_free (transcoder);
  g_byte_array_unref (message);
  g_byte_array_unref (text);
}

static gint
read_rows (void)
{
  gchar *line = NULL;
  size_t capacity = 0;

  while (getline (&line, &capacity, stdin) > 0) {
    gchar **columns = g_strsplit (g_strchomp (line), "\t", -1);

    if (g_strv_length (columns) == 4 || g_strv_length (columns) == 6)
      write_row_of (columns);
    g_strfreev (columns);
  }
  free (line);
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc == 2 && g_str_equal (argv[1], "examples"))
    return write_examples ();
  if (argc == 2 && g_str_equal (argv[1], "built-in"))
    return write_built_in ();
  if (argc == 2 && g_str_equal (argv[1], "rows"))
    return read_rows ();
  fprintf (stderr, "rostool examples|built-in|rows\n");
  return 2;
}

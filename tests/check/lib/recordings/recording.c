/* robocache: MCAP recordings made of texts, for tests
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/recordings/recording.h"

static gboolean
append_pieces (gpointer file, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  for (guint i = 0; i < n_pieces; i++)
    g_byte_array_append (file, pieces[i].data, (guint) pieces[i].size);
  return TRUE;
}

static gchar *
recorded_definition (const RecordingOptions *options, const gchar *type)
{
  gchar *text = g_strcmp0 (type, options->redefined) == 0 ? NULL : robocache_ros_schema_text (type);

  return text ? text : g_strdup (options->definition ? options->definition : "int8 a");
}

/* A message as bytes. */
static void
write_recorded (RobocacheCdrWriter *writer, const RecordingOptions *options, const RecordedMessage *message)
{
  gchar *definition = recorded_definition (options, message->type);
  RobocacheRosSchema *schema;

  if (g_str_has_prefix (message->message, "hex:")) {
    GByteArray *bytes = g_byte_array_new ();

    for (const gchar *hex = message->message + 4; *hex; hex += 2) {
      const guint8 byte = (guint8) (g_ascii_xdigit_value (hex[0]) << 4 | g_ascii_xdigit_value (hex[1]));

      g_byte_array_append (bytes, &byte, 1);
    }
    robocache_cdr_writer_begin (writer);
    writer->size = 0;
    robocache_cdr_write_array (writer, bytes->data, 1, bytes->len);
    g_byte_array_unref (bytes);
  } else {
    schema = robocache_ros_schema_parse (message->type, definition, strlen (definition), NULL);
    write_text (writer, schema, message->message);
    robocache_ros_schema_free (schema);
  }
  g_free (definition);
}

/* Numbers of channels from 1 on, in the order of their first messages. */
static guint16
recorded_channel (GPtrArray *topics, const gchar *topic, gboolean *is_new)
{
  guint index;

  *is_new = !g_ptr_array_find_with_equal_func (topics, topic, g_str_equal, &index);
  if (*is_new) {
    index = topics->len;
    g_ptr_array_add (topics, (gpointer) topic);
  }
  return (guint16) (index + 1);
}

static void
add_recorded_channel (RobocacheMcapChunk *chunk, GByteArray *plain, const RecordingOptions *options, const RecordedMessage *message,
    guint16 id)
{
  gchar *definition = recorded_definition (options, message->type);
  gchar **parts = g_strsplit (message->type, "/", 2), *name = g_strjoin ("/msg/", parts[0], parts[1], NULL);
  GByteArray *metadata = g_byte_array_new ();
  const RobocacheMcapSchema schema = { id, robocache_mcap_text (name),
    robocache_mcap_text (options->schema_encoding ? options->schema_encoding : "ros2msg"), robocache_mcap_text (definition)
  };
  RobocacheMcapChannel channel = { id, id, robocache_mcap_text (message->topic),
    robocache_mcap_text (options->message_encoding ? options->message_encoding : "cdr"), {NULL, 0}
  };

  if (options->caps)
    robocache_mcap_append_text (metadata, "caps", options->caps);
  channel.metadata = (RobocacheMcapBytes) { metadata->data, metadata->len };
  if (options->form == RECORDED_PLAIN) {
    robocache_mcap_append_record (plain, ROBOCACHE_MCAP_SCHEMA, &schema);
    robocache_mcap_append_record (plain, ROBOCACHE_MCAP_CHANNEL, &channel);
  } else {
    robocache_mcap_chunk_add_schema (chunk, &schema);
    robocache_mcap_chunk_add_channel (chunk, &channel);
  }
  g_byte_array_unref (metadata);
  g_free (definition);
  g_strfreev (parts);
  g_free (name);
}

/* -1: the greatest time */
static guint64
recorded_time (gint ms)
{
  return ms < 0 ? G_MAXUINT64 : (guint64) ms * 1000000;
}

/* The end of a file without summary. */
static void
end_plain (GByteArray *file)
{
  robocache_mcap_append_record (file, ROBOCACHE_MCAP_DATA_END, &(RobocacheMcapDataEnd) {0});
  robocache_mcap_append_record (file, ROBOCACHE_MCAP_FOOTER, &(RobocacheMcapFooter) {0});
  g_byte_array_append (file, (const guint8 *) ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE);
}

static void
add_origin (RobocacheMcapWriter *writer, const gchar *origin)
{
  GByteArray *map = g_byte_array_new ();

  robocache_mcap_append_sealed (map, "time-origin", origin);
  g_assert_true (robocache_mcap_writer_add_metadata (writer, &(RobocacheMcapMetadata) {robocache_mcap_text ("robocache.recording"),
              {map->data, map->len}}, NULL));
  g_byte_array_unref (map);
}

GByteArray *
make_recording (const RecordingOptions *options, const RecordedMessage *messages, guint n)
{
  GByteArray *file = g_byte_array_new ();
  RobocacheMcapWriter *writer = robocache_mcap_writer_new (options->compression, append_pieces, file);
  RobocacheMcapChunk *chunk = robocache_mcap_chunk_new (1 << 16);
  GPtrArray *topics = g_ptr_array_new ();
  RobocacheCdrWriter cdr = { 0 };
  guint32 sequences[64] = { 0 };

  g_assert_true (robocache_mcap_writer_begin (writer, "ros2", "test", NULL));
  if (options->origin)
    add_origin (writer, options->origin);
  for (guint i = 0; i < n; i++) {
    gboolean is_new;
    const guint16 id = recorded_channel (topics, messages[i].topic, &is_new);
    const guint64 log_time = recorded_time (messages[i].log_ms);
    RobocacheMcapMessage message = { id, ++sequences[id], log_time,
      messages[i].publish_ms ? recorded_time (messages[i].publish_ms) : log_time
    };
    RobocacheMcapBytes data;

    if (is_new)
      add_recorded_channel (chunk, file, options, &messages[i], id);
    write_recorded (&cdr, options, &messages[i]);
    data = message.data = (RobocacheMcapBytes) { cdr.data, cdr.size };
    if (options->form == RECORDED_PLAIN)
      robocache_mcap_append_record (file, ROBOCACHE_MCAP_MESSAGE, &message);
    else
      robocache_mcap_chunk_add_message (chunk, &message, &data, 1);
    if (options->form != RECORDED_PLAIN && (i + 1 == n || (options->chunk_messages && (i + 1) % options->chunk_messages == 0))) {
      g_assert_true (robocache_mcap_writer_add_chunk (writer, chunk, NULL));
      robocache_mcap_chunk_clear (chunk);
    }
  }
  if (options->form == RECORDED_IN_CHUNKS)
    g_assert_true (robocache_mcap_writer_finish (writer, NULL));
  if (options->form == RECORDED_PLAIN)
    end_plain (file);
  robocache_cdr_writer_clear (&cdr);
  g_ptr_array_unref (topics);
  robocache_mcap_chunk_free (chunk);
  robocache_mcap_writer_free (writer);
  return file;
}

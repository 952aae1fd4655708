/* robocache: MCAP files from and to lists of records, for tests with other readers and writers
 *
 *   mcapfile write FILE none|zstd|lz4 < LIST
 *   mcapfile read FILE [FROM-TIME [CHANNEL-ID]...] > LIST  messages in order of time, then definitions, attachments and metadata
 *   mcapfile stream FILE > LIST                            records in order of the file, as they arrive in pieces
 *   mcapfile back FILE CHANNEL-ID TIME SIZE                the time of the last message up to TIME with that size, or "none"
 *
 * LIST has a line for each record; words are separated by one space, and texts and bytes are hexadecimal, empty ones "-":
 *
 *   schema ID NAME ENCODING DATA
 *   channel ID SCHEMA-ID TOPIC ENCODING [KEY VALUE]...
 *   message CHANNEL-ID SEQUENCE LOG-TIME PUBLISH-TIME DATA
 *   chunk                                                  closes the chunk; schemas, channels and messages are in chunks
 *   attachment LOG-TIME CREATE-TIME NAME MEDIA-TYPE DATA
 *   metadata NAME [KEY VALUE]...
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mcap/read/reader.h"
#include "common/mcap/read/stream.h"
#include "common/mcap/writer.h"

/* ---- writing ---- */

typedef struct
{
  FILE *file;
  RobocacheMcapWriter *writer;
  RobocacheMcapChunk *chunk;
  gchar **words;
  GPtrArray *texts;             /* of GByteArray: texts and bytes of the line */
} Output;

static G_NORETURN void
die (const gchar *what)
{
  fprintf (stderr, "mcapfile: %s\n", what);
  exit (1);
}

/* ---- words of a line ---- */

static guint64
number (Output *output, guint word)
{
  return g_ascii_strtoull (output->words[word], NULL, 10);
}

static RobocacheMcapBytes
bytes_of (const GByteArray *array)
{
  return (RobocacheMcapBytes) {array->data, array->len};
}

static RobocacheMcapBytes
text (Output *output, guint word)
{
  const gchar *digits = output->words[word];
  GByteArray *bytes = g_byte_array_new ();

  for (; g_ascii_isxdigit (digits[0]); digits += 2) {
    const guint8 byte = (guint8) (g_ascii_xdigit_value (digits[0]) * 16 + g_ascii_xdigit_value (digits[1]));

    g_byte_array_append (bytes, &byte, 1);
  }
  g_ptr_array_add (output->texts, bytes);
  return bytes_of (bytes);
}

/* Keys and values from a word on. */
static RobocacheMcapBytes
map (Output *output, guint word)
{
  GByteArray *bytes = g_byte_array_new ();

  for (; output->words[word]; word++) {
    const RobocacheMcapBytes item = text (output, word);
    const guint32 size = GUINT32_TO_LE ((guint32) item.size);

    g_byte_array_append (bytes, (const guint8 *) &size, sizeof size);
    g_byte_array_append (bytes, item.data, (guint) item.size);
  }
  g_ptr_array_add (output->texts, bytes);
  return bytes_of (bytes);
}

/* ---- records ---- */

static gboolean
add_schema (Output *output, GError **error)
{
  robocache_mcap_chunk_add_schema (output->chunk, &(RobocacheMcapSchema) {
      (guint16) number (output, 1), text (output, 2), text (output, 3), text (output, 4)});
  return TRUE;
}

static gboolean
add_channel (Output *output, GError **error)
{
  robocache_mcap_chunk_add_channel (output->chunk, &(RobocacheMcapChannel) {
      (guint16) number (output, 1), (guint16) number (output, 2), text (output, 3), text (output, 4), map (output, 5)});
  return TRUE;
}

static gboolean
add_message (Output *output, GError **error)
{
  const RobocacheMcapMessage message = {
    (guint16) number (output, 1), (guint32) number (output, 2), number (output, 3), number (output, 4)
  };
  const RobocacheMcapBytes data = text (output, 5);
  /* as a caller would that has them apart */
  const RobocacheMcapBytes pieces[] = { {data.data, data.size / 2}, {NULL, 0}, {data.data + data.size / 2, data.size - data.size / 2} };

  robocache_mcap_chunk_add_message (output->chunk, &message, pieces, G_N_ELEMENTS (pieces));
  return TRUE;
}

static gboolean
close_chunk (Output *output, GError **error)
{
  if (!robocache_mcap_writer_add_chunk (output->writer, output->chunk, error))
    return FALSE;
  robocache_mcap_chunk_clear (output->chunk);
  return TRUE;
}

static gboolean
add_attachment (Output *output, GError **error)
{
  return robocache_mcap_writer_add_attachment (output->writer, &(RobocacheMcapAttachment) {
      number (output, 1), number (output, 2), text (output, 3), text (output, 4), text (output, 5)}, error);
}

static gboolean
add_metadata (Output *output, GError **error)
{
  return robocache_mcap_writer_add_metadata (output->writer, &(RobocacheMcapMetadata) {
      text (output, 1), map (output, 2)}, error);
}

static const struct
{
  const gchar *name;
  guint min_words;
  gboolean (*add) (Output *output, GError **error);
} kinds[] = {
  {"schema", 5, add_schema}, {"channel", 5, add_channel}, {"message", 6, add_message}, {"chunk", 1, close_chunk},
  {"attachment", 6, add_attachment}, {"metadata", 2, add_metadata},
};

static gboolean
add_line (Output *output, const gchar *line, GError **error)
{
  gboolean is_added = FALSE;
  guint i;

  output->words = g_strsplit (line, " ", -1);
  for (i = 0; i < G_N_ELEMENTS (kinds) && g_strcmp0 (kinds[i].name, output->words[0]) != 0; i++);
  if (i == G_N_ELEMENTS (kinds) || g_strv_length (output->words) < kinds[i].min_words)
    die (line);
  is_added = kinds[i].add (output, error);
  g_strfreev (output->words);
  g_ptr_array_set_size (output->texts, 0);
  return is_added;
}

static gboolean
write_pieces (gpointer user_data, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  for (guint i = 0; i < n_pieces; i++)
    if (pieces[i].size > 0 && fwrite (pieces[i].data, pieces[i].size, 1, user_data) != 1)
      die ("cannot write");
  return TRUE;
}

/* TRUE unless *error is set. */
static gboolean
write_list (Output *output, GError **error)
{
  gchar *line = NULL;
  size_t size = 0;
  ssize_t n;
  gboolean is_good = robocache_mcap_writer_begin (output->writer, "ros2", "robocache", error);

  while (is_good && (n = getline (&line, &size, stdin)) > 0)
    is_good = add_line (output, g_strchomp (line), error);
  free (line);
  return is_good && close_chunk (output, error) && robocache_mcap_writer_finish (output->writer, error);
}

static void
write_file (const gchar *path, const gchar *compression_name)
{
  RobocacheMcapCompression compression;
  Output output = { .file = fopen (path, "wb"), .texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref) };
  GError *error = NULL;

  if (!output.file)
    die ("cannot open the file");
  if (!robocache_mcap_compression_find (robocache_mcap_text (strcmp (compression_name, "none") == 0 ? "" : compression_name),
          &compression, &error))
    die (error->message);
  output.writer = robocache_mcap_writer_new (compression, write_pieces, output.file);
  output.chunk = robocache_mcap_chunk_new (1000);
  if (!write_list (&output, &error))
    die (error->message);
  fclose (output.file);
  robocache_mcap_chunk_free (output.chunk);
  robocache_mcap_writer_free (output.writer);
  g_ptr_array_unref (output.texts);
}

/* ---- reading ---- */

static void
print_hex (RobocacheMcapBytes bytes)
{
  if (bytes.size == 0)
    printf (" -");
  else
    putchar (' ');
  for (gsize i = 0; i < bytes.size; i++)
    printf ("%02x", bytes.data[i]);
}

static void
print_text (const gchar *string)
{
  print_hex (robocache_mcap_text (string));
}

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar * const *) a, *(const gchar * const *) b);
}

/* By key; the end of the line. */
static void
print_map (GHashTable *map)
{
  guint n;
  const gchar **keys = (const gchar **) g_hash_table_get_keys_as_array (map, &n);

  qsort (keys, n, sizeof *keys, compare_texts);
  for (guint i = 0; i < n; i++) {
    print_text (keys[i]);
    print_text (g_hash_table_lookup (map, keys[i]));
  }
  putchar ('\n');
  g_free (keys);
}

static void
print_message (const RobocacheMcapMessage *message)
{
  printf ("message %u %u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, message->channel_id, message->sequence, message->log_time,
      message->publish_time);
  print_hex (message->data);
  putchar ('\n');
}

static void
print_definitions (const RobocacheMcapDefinitions *definitions)
{
  const RobocacheMcapChannelInfo *channel;

  for (guint id = 1; id <= G_MAXUINT16; id++) {
    const RobocacheMcapSchemaInfo *schema = robocache_mcap_definitions_schema (definitions, (guint16) id);

    if (!schema)
      continue;
    printf ("schema %u", id);
    print_text (schema->name);
    print_text (schema->encoding);
    print_hex ((RobocacheMcapBytes) {schema->data, schema->size});
    putchar ('\n');
  }
  for (guint id = 0; (channel = robocache_mcap_definitions_next_channel (definitions, id)) != NULL; id = channel->id + 1) {
    printf ("channel %u %u", channel->id, channel->schema_id);
    print_text (channel->topic);
    print_text (channel->message_encoding);
    print_map (channel->metadata);
  }
}

static void
print_entries (RobocacheMcapReader *reader)
{
  const RobocacheMcapFileIndex *index = robocache_mcap_reader_get_index (reader);
  GError *error = NULL;

  for (guint i = 0; i < index->attachments->len; i++) {
    const RobocacheMcapEntry *entry = &g_array_index (index->attachments, RobocacheMcapEntry, i);
    GBytes *data = robocache_mcap_reader_get_attachment (reader, entry, &error);

    if (!data)
      die (error->message);
    printf ("attachment");
    print_text (entry->name);
    print_hex ((RobocacheMcapBytes) {g_bytes_get_data (data, NULL), g_bytes_get_size (data)});
    putchar ('\n');
    g_bytes_unref (data);
  }
  for (guint i = 0; i < index->metadata->len; i++) {
    const RobocacheMcapEntry *entry = &g_array_index (index->metadata, RobocacheMcapEntry, i);
    GHashTable *metadata = robocache_mcap_reader_get_metadata (reader, entry, &error);

    if (!metadata)
      die (error->message);
    printf ("metadata");
    print_text (entry->name);
    print_map (metadata);
    g_hash_table_unref (metadata);
  }
}

static gboolean
read_file_bytes (gpointer user_data, guint64 offset, gsize size, guint8 *to, GError **error)
{
  if (fseeko (user_data, (off_t) offset, SEEK_SET) == 0 && fread (to, size, 1, user_data) == 1)
    return TRUE;
  g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_IO, "cannot read the file");
  return FALSE;
}

static RobocacheMcapSource
open_source (const gchar *path)
{
  RobocacheMcapSource source = { .read = read_file_bytes, .user_data = fopen (path, "rb") };

  if (!source.user_data || fseeko (source.user_data, 0, SEEK_END) != 0)
    die ("cannot open the file");
  source.size = (guint64) ftello (source.user_data);
  return source;
}

static void
read_file (const gchar *path, guint64 from_time, guint n_channels, gchar **channels)
{
  RobocacheMcapSource source = open_source (path);
  RobocacheMcapReadResult result;
  RobocacheMcapMessage message;
  GError *error = NULL;
  RobocacheMcapReader *reader = robocache_mcap_reader_new (&source, &error);
  guint16 ids[16];

  if (!reader)
    die (error->message);
  for (guint i = 0; i < MIN (n_channels, G_N_ELEMENTS (ids)); i++)
    ids[i] = (guint16) atoi (channels[i]);
  if (n_channels > 0)
    robocache_mcap_reader_select (reader, ids, n_channels);
  robocache_mcap_reader_seek (reader, from_time);
  while ((result = robocache_mcap_reader_next (reader, &message, &error)) != ROBOCACHE_MCAP_READ_END) {
    if (result == ROBOCACHE_MCAP_READ_MESSAGE)
      print_message (&message);
    else
      printf ("damaged: %s\n", error->message);
    g_clear_error (&error);
  }
  print_definitions (robocache_mcap_reader_get_index (reader)->definitions);
  print_entries (reader);
  printf ("summary %s\n", robocache_mcap_reader_get_summary_fault (reader) ? robocache_mcap_reader_get_summary_fault (reader) : "used");
  robocache_mcap_reader_free (reader);
  fclose (source.user_data);
}

static gboolean
has_size (gpointer user_data, const RobocacheMcapMessage *message)
{
  return message->data.size == *(gsize *) user_data;
}

static void
find_back (const gchar *path, guint16 channel_id, guint64 time, gsize size)
{
  RobocacheMcapSource source = open_source (path);
  GError *error = NULL;
  RobocacheMcapReader *reader = robocache_mcap_reader_new (&source, &error);
  guint64 found;

  if (!reader)
    die (error->message);
  if (robocache_mcap_reader_find_back (reader, channel_id, time, has_size, &size, &found))
    printf ("%" G_GUINT64_FORMAT "\n", found);
  else
    printf ("none\n");
  robocache_mcap_reader_free (reader);
  fclose (source.user_data);
}

static void
print_record (const RobocacheMcapStreamRecord *next, RobocacheMcapDefinitions *definitions)
{
  GHashTable *map;

  switch (next->opcode) {
    case ROBOCACHE_MCAP_MESSAGE:
      print_message (&next->record.message);
      break;
    case ROBOCACHE_MCAP_ATTACHMENT:
      printf ("attachment");
      print_hex (next->record.attachment.name);
      print_hex (next->record.attachment.data);
      putchar ('\n');
      break;
    case ROBOCACHE_MCAP_METADATA:
      printf ("metadata");
      print_hex (next->record.metadata.name);
      map = robocache_mcap_text_map (next->record.metadata.metadata);
      print_map (map);
      g_hash_table_unref (map);
      break;
    default:
      robocache_mcap_definitions_add (definitions, next->opcode, next->content, NULL);
      break;
  }
}

/* Pieces have 1, 2, … bytes, and begin anew at a prime. */
static void
read_stream (const gchar *path)
{
  RobocacheMcapDefinitions *definitions = robocache_mcap_definitions_new ();
  RobocacheMcapStream *stream = robocache_mcap_stream_new ();
  RobocacheMcapStreamResult result = ROBOCACHE_MCAP_STREAM_MORE;
  RobocacheMcapStreamRecord next;
  FILE *file = fopen (path, "rb");
  guint8 piece[997];
  GError *error = NULL;
  gsize n;

  if (!file)
    die ("cannot open the file");
  for (gsize size = 1; result < ROBOCACHE_MCAP_STREAM_FATAL && (n = fread (piece, 1, size, file)) > 0; size = size % sizeof piece + 1) {
    robocache_mcap_stream_push (stream, piece, n);
    while ((result = robocache_mcap_stream_next (stream, &next, &error)) == ROBOCACHE_MCAP_STREAM_RECORD || error) {
      if (result == ROBOCACHE_MCAP_STREAM_RECORD)
        print_record (&next, definitions);
      else
        printf ("damaged: %s\n", error->message);
      g_clear_error (&error);
      if (result == ROBOCACHE_MCAP_STREAM_FATAL)
        break;
    }
  }
  print_definitions (definitions);
  printf ("%s\n", result == ROBOCACHE_MCAP_STREAM_END ? "complete" : "cut");
  robocache_mcap_definitions_free (definitions);
  robocache_mcap_stream_free (stream);
  fclose (file);
}

int
main (int argc, char **argv)
{
  if (argc == 4 && strcmp (argv[1], "write") == 0)
    write_file (argv[2], argv[3]);
  else if (argc >= 3 && strcmp (argv[1], "read") == 0)
    read_file (argv[2], argc > 3 ? g_ascii_strtoull (argv[3], NULL, 10) : 0, (guint) MAX (argc - 4, 0), argv + 4);
  else if (argc == 3 && strcmp (argv[1], "stream") == 0)
    read_stream (argv[2]);
  else if (argc == 6 && strcmp (argv[1], "back") == 0)
    find_back (argv[2], (guint16) atoi (argv[3]), g_ascii_strtoull (argv[4], NULL, 10), (gsize) atoi (argv[5]));
  else
    die ("usage: mcapfile write|read|stream|back FILE ...");
  return 0;
}

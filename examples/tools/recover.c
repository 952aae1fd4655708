/* robocache: what is whole of an MCAP file that was cut or damaged, as a file with an index
 *
 * Records keep their order. Messages of whole chunks are whole; of a chunk that is cut none is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mcap/read/fileindex.h"
#include "common/mcap/read/source.h"
#include "common/mcap/read/stream.h"
#include "common/mcap/writer.h"
#include "common/ros/messagecheck.h"
#include "output.h"
#include "program.h"

#define READ_BYTES ((gsize) 1 << 20)
/* A chunk is closed from this size on. */
#define CHUNK_BYTES ((gsize) 1 << 20)

typedef struct
{
  /* the command line */
  gchar *output, *compression;
  gchar **arguments;
  gboolean keeps_damaged;
  gint64 max_message_bytes;     /* 0: the default */

  const gchar *input;
  FILE *from;
  OutputFile to;
  RobocacheMcapStream *stream;
  RobocacheMcapWriter *writer;
  RobocacheMcapChunk *chunk;
  RobocacheMcapDefinitions *definitions;
  GHashTable *checks;           /* Check by channel id; NULL where its messages cannot be read */
  GHashTable *intact, *held;    /* GBytes by key_of_definition: of whole records, or of the summary; of damaged chunks, for want of the former */
  gboolean seeks_definitions;   /* the first pass of --keep-damaged, which fills intact */
  gboolean has_begun, is_complete, has_marks;

  guint64 n_kept;               /* messages of damaged chunks */
  guint64 n_kept_chunks, last_kept_chunk;       /* damaged chunks with such messages; offset of the last one */
  guint64 n_messages, n_metadata, n_attachments, n_faults, n_undefined, n_channels;
  guint64 size, whole_size;     /* bytes of the input, and up to where its records are whole */
} Job;

/* Of the messages of a channel. */
typedef struct
{
  gchar *topic;
  RobocacheRosSchema *schema;
  RobocacheMessageCheck *check;
} Check;

/* ---- the command line ---- */

static gboolean
parse_command_line (Job *job, gchar ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &job->output, "write FILE once it is complete (NAME.recovered.mcap)", "FILE"},
    {"compression", 'c', 0, G_OPTION_ARG_STRING, &job->compression, "none, zstd or lz4 (zstd)", "HOW"},
    {"keep-damaged", 0, 0, G_OPTION_ARG_NONE, &job->keeps_damaged, "keep messages of chunks with a wrong CRC; their values may be "
        "wrong",
          NULL},
    {"max-message-bytes", 0, 0, G_OPTION_ARG_INT64, &job->max_message_bytes, "leave out messages and chunks that are larger, unpacked (256 MiB, and no "
          "more than 32 MiB and 1.5 times the file)", "N"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &job->arguments, NULL, "FILE"},
    {NULL}
  };
  GOptionContext *context = program_option_context_new ("Writes the intact part of a cut or damaged MCAP file, with an index. Records keep their "
      "order.\nChunks with a wrong CRC, private records, and attachments above 64 MiB are left out. Marks of episodes beside FILE "
      "are\ncopied beside the output.", "robocache recover cut.mcap");
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  ok = g_option_context_parse_strv (context, argv, error);
  g_option_context_free (context);
  if (!ok)
    return FALSE;
  if (job->arguments && job->arguments[0] && !job->arguments[1])
    return TRUE;
  USAGE_FAULT (error, "expected one MCAP file; see --help");
  return FALSE;
}

static gboolean
find_compression (const Job *job, RobocacheMcapCompression *compression, GError **error)
{
  const gchar *name = job->compression ? job->compression : "zstd";

  if (robocache_mcap_compression_find (robocache_mcap_text (g_str_equal (name, "none") ? "" : name), compression, NULL))
    return TRUE;
  USAGE_FAULT (error, "--compression %s: expected none, zstd or lz4", name);
  return FALSE;
}

/* "run.mcap" → "run.recovered.mcap" */
static gchar *
default_output (const gchar *input)
{
  const gsize length = strlen (input) - (g_str_has_suffix (input, ".mcap") ? strlen (".mcap") : 0);

  return g_strdup_printf ("%.*s.recovered.mcap", (int) length, input);
}

/* ---- writing ---- */

static gboolean
write_pieces (gpointer user_data, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  Job *job = user_data;

  for (guint i = 0; i < n_pieces; i++) {
    if (pieces[i].size > 0 && fwrite (pieces[i].data, 1, pieces[i].size, job->to.stream) != pieces[i].size) {
      FAULT (error, "%s: %s", job->output, g_strerror (errno));
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
write_chunk (Job *job, GError **error)
{
  const gboolean ok = robocache_mcap_writer_add_chunk (job->writer, job->chunk, error);

  robocache_mcap_chunk_clear (job->chunk);
  return ok;
}

/* The profile of the file; a file that ends before its Header has none. */
static gboolean
begin (Job *job, const RobocacheMcapHeader *header, GError **error)
{
  gchar *profile = header ? robocache_mcap_text_dup (header->profile) : g_strdup (""), *library;
  gboolean ok;

  if (job->has_begun) {
    g_free (profile);
    return TRUE;
  }
  library = header ? robocache_mcap_text_dup (header->library) : g_strdup ("");
  job->has_begun = TRUE;
  ok = robocache_mcap_writer_begin (job->writer, profile, library, error);
  g_free (profile);
  g_free (library);
  return ok;
}

/* ---- records ---- */

/* Whether there is memory for a record of this size beside the open chunk, in the chunk and compressed. What keeps it would end the
 * program without; small ones are within what the program needs anyway. */
static gboolean
check_memory (const Job *job, gsize size, GError **error)
{
  const gsize needed = 3 * (job->chunk->records->len + size) + CHUNK_BYTES;
  gpointer memory = size < CHUNK_BYTES ? NULL : g_try_malloc (needed);
  const gboolean ok = size < CHUNK_BYTES || memory;

  if (!ok)
    FAULT (error, "%s: no memory for a record of %" G_GSIZE_FORMAT " bytes, which needs %" G_GSIZE_FORMAT, job->input, size, needed);
  g_free (memory);
  return ok;
}

static gpointer
key_of_definition (guint8 opcode, guint16 id)
{
  return GUINT_TO_POINTER ((guint) opcode << 16 | id);
}

static guint16
id_of_definition (const RobocacheMcapStreamRecord *record)
{
  return record->opcode == ROBOCACHE_MCAP_SCHEMA ? record->record.schema.id : record->record.channel.id;
}

static gboolean
is_defined (const Job *job, guint8 opcode, guint16 id)
{
  return opcode == ROBOCACHE_MCAP_SCHEMA ? robocache_mcap_definitions_schema (job->definitions, id) != NULL
      : robocache_mcap_definitions_channel (job->definitions, id) != NULL;
}

/* Keeps a copy of the first record of an id. */
static gboolean
keep_definition (const Job *job, GHashTable *definitions, const RobocacheMcapStreamRecord *record, GError **error)
{
  gpointer key = key_of_definition (record->opcode, id_of_definition (record));

  if (g_hash_table_contains (definitions, key))
    return TRUE;
  if (!check_memory (job, record->content.size, error))
    return FALSE;
  g_hash_table_insert (definitions, key, g_bytes_new (record->content.data, record->content.size));
  return TRUE;
}

/* Does nothing where the record cannot be read. */
static void
write_definition (Job *job, guint8 opcode, const RobocacheMcapRecord *record, RobocacheMcapBytes content)
{
  if (!robocache_mcap_definitions_add (job->definitions, opcode, content, NULL))
    return;
  if (opcode == ROBOCACHE_MCAP_SCHEMA) {
    robocache_mcap_chunk_add_schema (job->chunk, &record->schema);
  } else {
    robocache_mcap_chunk_add_channel (job->chunk, &record->channel);
    job->n_channels++;
  }
}

/* Writes a definition that was kept, if it was, before what needs it: the intact one, or else that of a damaged chunk. */
static gboolean
write_kept_definition (Job *job, guint8 opcode, guint16 id, GError **error)
{
  gpointer key = key_of_definition (opcode, id);
  GBytes *bytes = g_hash_table_lookup (job->intact, key);
  RobocacheMcapRecord record;
  RobocacheMcapBytes content;

  if (!bytes)
    bytes = g_hash_table_lookup (job->held, key);
  if (!bytes || is_defined (job, opcode, id))
    return TRUE;
  content.data = g_bytes_get_data (bytes, &content.size);
  if (!check_memory (job, content.size, error))
    return FALSE;
  if (!robocache_mcap_record_read (&record, opcode, content, NULL))
    return TRUE;
  if (opcode == ROBOCACHE_MCAP_CHANNEL && record.channel.schema_id != 0) {
    if (!write_kept_definition (job, ROBOCACHE_MCAP_SCHEMA, record.channel.schema_id, error))
      return FALSE;
    if (!is_defined (job, ROBOCACHE_MCAP_SCHEMA, record.channel.schema_id))
      return TRUE;
  }
  write_definition (job, opcode, &record, content);
  return TRUE;
}

/* The first definition of an id counts; the summary repeats them. One of a damaged chunk waits for a message that needs it. */
static gboolean
take_definition (Job *job, const RobocacheMcapStreamRecord *record, GError **error)
{
  if (is_defined (job, record->opcode, id_of_definition (record)))
    return TRUE;
  if (record->is_damaged)
    return keep_definition (job, job->held, record, error);
  if (!check_memory (job, record->content.size, error))
    return FALSE;
  if (record->opcode == ROBOCACHE_MCAP_CHANNEL
      && !write_kept_definition (job, ROBOCACHE_MCAP_SCHEMA, record->record.channel.schema_id, error))
    return FALSE;
  write_definition (job, record->opcode, &record->record, record->content);
  return TRUE;
}

/* ---- messages ---- */

static void
check_free (gpointer data)
{
  Check *check = data;

  if (!check)
    return;
  robocache_message_check_free (check->check);
  robocache_ros_schema_free (check->schema);
  g_free (check->topic);
  g_free (check);
}

/* NULL: the messages cannot be read. */
static Check *
check_new (const Job *job, guint16 id)
{
  const RobocacheMcapChannelInfo *channel = robocache_mcap_definitions_channel (job->definitions, id);
  const RobocacheMcapSchemaInfo *schema = robocache_mcap_definitions_schema (job->definitions, channel->schema_id);
  Check *check;

  if (!schema || g_strcmp0 (channel->message_encoding, "cdr") != 0 || g_strcmp0 (schema->encoding, "ros2msg") != 0)
    return NULL;
  check = g_new0 (Check, 1);
  check->topic = g_strdup (channel->topic);
  check->schema = robocache_ros_schema_parse (schema->name, (const gchar *) schema->data, schema->size, NULL);
  if (check->schema)
    check->check = robocache_message_check_new (check->schema);
  else
    g_clear_pointer (&check, check_free);
  return check;
}

static void
check_message (Job *job, const RobocacheMcapMessage *message)
{
  gpointer key = GUINT_TO_POINTER ((guint) message->channel_id), check;

  if (!g_hash_table_lookup_extended (job->checks, key, NULL, &check)) {
    check = check_new (job, message->channel_id);
    g_hash_table_insert (job->checks, key, check);
  }
  if (check)
    robocache_message_check_count (((Check *) check)->check, message->data.data, message->data.size);
}

static void
count_kept (Job *job, guint64 chunk)
{
  job->n_kept_chunks += job->n_kept == 0 || job->last_kept_chunk != chunk;
  job->last_kept_chunk = chunk;
  job->n_kept++;
}

static gboolean
take_message (Job *job, const RobocacheMcapStreamRecord *record, GError **error)
{
  const RobocacheMcapMessage *message = &record->record.message;

  if (!write_kept_definition (job, ROBOCACHE_MCAP_CHANNEL, message->channel_id, error))
    return FALSE;
  if (!robocache_mcap_definitions_channel (job->definitions, message->channel_id)) {
    job->n_undefined++;
    return TRUE;
  }
  if (!check_memory (job, message->data.size, error))
    return FALSE;
  if ((job->chunk->records->len >= CHUNK_BYTES || !robocache_mcap_chunk_fits (job->chunk, message->data.size))
      && !write_chunk (job, error))
    return FALSE;
  robocache_mcap_chunk_add_message (job->chunk, message, &message->data, 1);
  job->n_messages++;
  if (record->is_damaged)
    count_kept (job, record->offset);
  check_message (job, message);
  return TRUE;
}

static gboolean
take_attachment (Job *job, const RobocacheMcapAttachment *attachment, GError **error)
{
  job->n_attachments++;
  return write_chunk (job, error) && robocache_mcap_writer_add_attachment (job->writer, attachment, error);
}

static gboolean
take_metadata (Job *job, const RobocacheMcapMetadata *metadata, GError **error)
{
  job->n_metadata++;
  return write_chunk (job, error) && robocache_mcap_writer_add_metadata (job->writer, metadata, error);
}

static gboolean
take_record (Job *job, const RobocacheMcapStreamRecord *record, GError **error)
{
  const RobocacheMcapRecord *content = &record->record;
  const gboolean is_definition = record->opcode == ROBOCACHE_MCAP_SCHEMA || record->opcode == ROBOCACHE_MCAP_CHANNEL;

  if (job->seeks_definitions)
    return !is_definition || keep_definition (job, job->intact, record, error);
  if (record->opcode == ROBOCACHE_MCAP_HEADER)
    return begin (job, &content->header, error);
  if (!begin (job, NULL, error))
    return FALSE;
  switch (record->opcode) {
    case ROBOCACHE_MCAP_SCHEMA:
    case ROBOCACHE_MCAP_CHANNEL:
      return take_definition (job, record, error);
    case ROBOCACHE_MCAP_MESSAGE:
      return take_message (job, record, error);
    case ROBOCACHE_MCAP_ATTACHMENT:
      return take_attachment (job, &content->attachment, error);
    case ROBOCACHE_MCAP_METADATA:
      return take_metadata (job, &content->metadata, error);
    default:
      return TRUE;
  }
}

static void
report_warning (const gchar *input, const gchar *message)
{
  gchar *text = g_strdup_printf ("%s: %s", input, message);

  printable_report ("warning", text);
  g_free (text);
}

/* Takes the fault. */
static void
report_fault (Job *job, GError *fault)
{
  if (!job->seeks_definitions && job->n_faults++ < 10)
    report_warning (job->input, fault->message);
  g_error_free (fault);
}

/* Takes all available records. */
static gboolean
take_records (Job *job, GError **error)
{
  for (;;) {
    RobocacheMcapStreamRecord record;
    GError *fault = NULL;

    switch (robocache_mcap_stream_next (job->stream, &record, &fault)) {
      case ROBOCACHE_MCAP_STREAM_RECORD:
        if (!take_record (job, &record, error))
          return FALSE;
        break;
      case ROBOCACHE_MCAP_STREAM_DAMAGED:
        report_fault (job, fault);
        break;
      case ROBOCACHE_MCAP_STREAM_FATAL:
        g_propagate_prefixed_error (error, fault, "%s: ", job->input);
        return FALSE;
      case ROBOCACHE_MCAP_STREAM_END:
        job->is_complete = TRUE;
        return TRUE;
      default:
        return TRUE;
    }
  }
}

/* ---- the file ---- */

static gboolean
read_through (Job *job, GError **error)
{
  guint8 *bytes = g_malloc (READ_BYTES);
  gboolean ok = TRUE;
  gsize n;

  while (ok && !job->is_complete && (n = fread (bytes, 1, READ_BYTES, job->from)) > 0) {
    job->size += n;
    robocache_mcap_stream_push (job->stream, bytes, n);
    ok = take_records (job, error);
  }
  g_free (bytes);
  /* what waited behind a length that leads out of the file */
  robocache_mcap_stream_end (job->stream);
  ok = ok && take_records (job, error);
  if (ok && ferror (job->from))
    FAULT (error, "%s: %s", job->input, g_strerror (errno));
  job->whole_size = job->is_complete ? job->size : robocache_mcap_stream_get_offset (job->stream);
  return ok && !ferror (job->from);
}

/* Reads the file once more beforehand, as an intact definition may follow the damaged chunk that has the first one. */
static gboolean
find_intact_definitions (Job *job, GError **error)
{
  job->seeks_definitions = TRUE;
  if (fseek (job->from, 0, SEEK_SET) != 0) {
    FAULT (error, "%s: %s: --keep-damaged must read the file twice", job->input, g_strerror (errno));
    return FALSE;
  }
  if (!read_through (job, error))
    return FALSE;
  rewind (job->from);
  robocache_mcap_stream_reset (job->stream);
  robocache_mcap_stream_keep_damaged (job->stream);
  job->size = 0;
  job->seeks_definitions = job->is_complete = FALSE;
  return TRUE;
}

static gboolean
keep_definitions_between (Job *job, const RobocacheMcapSource *source, guint64 start, guint64 end, GError **error)
{
  RobocacheMcapPlace place;
  RobocacheMcapWalk walk;
  gboolean ok = TRUE;

  robocache_mcap_walk_init (&walk, source, start, end);
  while (ok && robocache_mcap_walk_next (&walk, &place, NULL)) {
    RobocacheMcapStreamRecord record = {.opcode = place.opcode };

    if ((place.opcode == ROBOCACHE_MCAP_SCHEMA || place.opcode == ROBOCACHE_MCAP_CHANNEL)
        && robocache_mcap_walk_peek (&walk, &place, (gsize) place.size, &record.content, NULL)
        && robocache_mcap_record_read (&record.record, record.opcode, record.content, NULL))
      ok = keep_definition (job, job->intact, &record, error);
  }
  robocache_mcap_walk_clear (&walk);
  return ok;
}

/* The summary repeats definitions, of which a damaged chunk may have the first. Those of a file without a whole summary are unknown. */
static gboolean
find_definitions_of_summary (Job *job, GError **error)
{
  RobocacheMcapFileSource *file = robocache_mcap_file_source_new (dup (fileno (job->from)), job->input, NULL, NULL);
  RobocacheMcapFileIndex *index = robocache_mcap_file_index_new ();
  const gchar *reason;
  gboolean ok = TRUE;

  if (file && robocache_mcap_summary_read (&file->source, index, &reason, NULL) == ROBOCACHE_MCAP_SUMMARY_READ)
    ok = keep_definitions_between (job, &file->source, index->summary_start, index->summary_end, error);
  robocache_mcap_file_index_free (index);
  g_clear_pointer (&file, robocache_mcap_file_source_free);
  return ok;
}

static gboolean
check_content (const Job *job, GError **error)
{
  if (job->n_messages + job->n_attachments + job->n_metadata > 0)
    return TRUE;
  if (job->size < ROBOCACHE_MCAP_MAGIC_SIZE)
    FAULT (error, "%s: not an MCAP file: it has %" PRIu64 " bytes", job->input, job->size);
  else
    FAULT (error, "%s: no record is intact, so %s was not written", job->input, job->output);
  return FALSE;
}

static gboolean
copy (Job *job, GError **error)
{
  return (job->keeps_damaged ? find_intact_definitions (job, error) : find_definitions_of_summary (job, error)) && read_through (job, error) && check_content (job, error) && write_chunk (job, error)
      && robocache_mcap_writer_finish (job->writer, error);
}

static gint
compare_checks (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const Check *const *) a)->topic, (*(const Check *const *) b)->topic);
}

static void
report_checks (const Job *job)
{
  GPtrArray *checks = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer check;

  g_hash_table_iter_init (&iter, job->checks);
  while (g_hash_table_iter_next (&iter, NULL, &check))
    if (check)
      g_ptr_array_add (checks, check);
  g_ptr_array_sort (checks, compare_checks);
  for (guint i = 0; i < checks->len; i++) {
    const Check *one = checks->pdata[i];
    gchar *text = robocache_message_check_describe (one->check, one->topic);

    if (text)
      report_warning (job->input, text);
    g_free (text);
  }
  g_ptr_array_unref (checks);
}

static void
report_losses (const Job *job)
{
  const guint64 n_skipped = robocache_mcap_stream_get_skipped (job->stream), n_lost = job->n_faults - job->n_kept_chunks;

  if (n_lost > 0)
    printf ("%" PRIu64 " damaged record%s lost\n", n_lost, n_lost == 1 ? " is" : "s are");
  if (job->n_kept_chunks > 0)
    printf ("%" PRIu64 " damaged chunk%s in the output\n", job->n_kept_chunks, job->n_kept_chunks == 1 ? " is" : "s are");
  if (job->n_kept > 0)
    printf ("%" PRIu64 " message%s kept: values may be wrong, without a CRC to detect it\n", job->n_kept,
        job->n_kept == 1 ? " of a damaged chunk is" : "s of damaged chunks are");
  if (n_skipped > 0)
    printf ("%" PRIu64 " record%s left out: private, or above 64 MiB\n", n_skipped, n_skipped == 1 ? " is" : "s are");
  if (job->n_undefined > 0)
    printf ("%" PRIu64 " messages are lost: their channels are not defined before them\n", job->n_undefined);
}

static void
report (const Job *job)
{
  gchar *input = printable (job->input), *output = printable (job->output);

  printf ("%s: %" PRIu64 " message%s of %" PRIu64 " channel%s, %" PRIu64 " attachment%s, %" PRIu64 " metadata records\n", output,
      job->n_messages, job->n_messages == 1 ? "" : "s", job->n_channels, job->n_channels == 1 ? "" : "s", job->n_attachments,
      job->n_attachments == 1 ? "" : "s", job->n_metadata);
  if (job->is_complete)
    printf ("%s is complete%s\n", input, job->n_faults > 0 ? ", but damaged" : "");
  else if (job->whole_size == job->size)
    printf ("%s lacks a footer, but nothing is lost\n", input);
  else
    printf ("%s is cut within a record: intact up to byte %" PRIu64 ", the last %" PRIu64 " bytes are lost\n",
        input, job->whole_size,
        job->size - job->whole_size);
  report_losses (job);
  report_checks (job);
  if (job->has_marks)
    printf ("marks of episodes are copied beside the output\n");
  g_free (input);
  g_free (output);
}

/* ---- marks of episodes, which robocache record writes beside a recording ---- */

/* "run.mcap" → "run.episodes.csv" */
static gchar *
marks_of (const gchar *recording)
{
  const gchar *name = strrchr (recording, G_DIR_SEPARATOR), *dot = strrchr (name ? name : recording, '.');

  return g_strdup_printf ("%.*s.episodes.csv", (int) (dot ? dot - recording : (gssize) strlen (recording)), recording);
}

/* FALSE and an error: there are marks, which cannot be copied. */
static gboolean
copy_marks (Job *job, GError **error)
{
  gchar *from = marks_of (job->input), *to = marks_of (job->output), *bytes = NULL;
  const OutputName output = { "--output", to, FALSE, TRUE };
  const gchar *const inputs[] = { job->input, from, NULL };
  OutputFile file;
  gboolean ok = TRUE;
  gsize size;

  job->has_marks = g_file_test (from, G_FILE_TEST_IS_REGULAR) && !g_str_equal (from, to);
  if (job->has_marks) {
    ok = g_file_get_contents (from, &bytes, &size, error) && output_check (&output, 1, inputs, error) && output_file_open (&file, to, error);
    if (ok && fwrite (bytes, 1, size, file.stream) != size) {
      FAULT (error, "%s: %s", to, g_strerror (errno));
      ok = FALSE;
      output_file_close (&file, FALSE, NULL);
    } else if (ok) {
      ok = output_file_close (&file, TRUE, error);
    }
  }
  g_free (bytes);
  g_free (from);
  g_free (to);
  return ok;
}

static gboolean
check_output (const Job *job, GError **error)
{
  const OutputName output = { "--output", job->output, FALSE, TRUE };
  const gchar *const inputs[] = { job->input, NULL };

  return output_check (&output, 1, inputs, error);
}

/* Returns the limit of a message or a chunk, unpacked. A pipe has no size. */
static guint64
find_limit (const Job *job)
{
  struct stat status;
  const gboolean has_size = fstat (fileno (job->from), &status) == 0 && S_ISREG (status.st_mode);

  return robocache_mcap_max_unpacked ((guint64) job->max_message_bytes, has_size ? (guint64) status.st_size : ROBOCACHE_MCAP_DEFAULT_MAX_BYTES);
}

static gboolean
recover (Job *job, GError **error)
{
  RobocacheMcapCompression compression;
  gboolean ok;

  job->input = job->arguments[0];
  if (!job->output)
    job->output = default_output (job->input);
  if (job->max_message_bytes < 0) {
    USAGE_FAULT (error, "--max-message-bytes: expected a number of bytes");
    return FALSE;
  }
  if (!find_compression (job, &compression, error) || !check_output (job, error))
    return FALSE;
  job->from = g_file_test (job->input, G_FILE_TEST_IS_DIR) ? NULL : g_fopen (job->input, "rb");
  if (!job->from) {
    FAULT (error, "%s: %s", job->input, g_file_test (job->input, G_FILE_TEST_IS_DIR) ? g_strerror (EISDIR) : g_strerror (errno));
    return FALSE;
  }
  if (!output_file_open (&job->to, job->output, error))
    return FALSE;
  job->stream = robocache_mcap_stream_new ();
  robocache_mcap_stream_set_max_bytes (job->stream, find_limit (job));
  job->intact = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_bytes_unref);
  job->held = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_bytes_unref);
  job->checks = g_hash_table_new_full (NULL, NULL, NULL, check_free);
  job->chunk = robocache_mcap_chunk_new (2 * CHUNK_BYTES);
  job->definitions = robocache_mcap_definitions_new ();
  job->writer = robocache_mcap_writer_new (compression, write_pieces, job);
  ok = copy (job, error);
  return output_file_close (&job->to, ok, ok ? error : NULL) && ok && copy_marks (job, error);
}

static void
job_clear (Job *job)
{
  g_clear_pointer (&job->stream, robocache_mcap_stream_free);
  g_clear_pointer (&job->checks, g_hash_table_unref);
  g_clear_pointer (&job->intact, g_hash_table_unref);
  g_clear_pointer (&job->held, g_hash_table_unref);
  g_clear_pointer (&job->chunk, robocache_mcap_chunk_free);
  g_clear_pointer (&job->definitions, robocache_mcap_definitions_free);
  g_clear_pointer (&job->writer, robocache_mcap_writer_free);
  if (job->from)
    fclose (job->from);
  g_strfreev (job->arguments);
  g_free (job->output);
  g_free (job->compression);
}

int
main (int argc, char **argv)
{
  gchar **arguments = g_strdupv (argv);
  GError *error = NULL;
  Job job = { 0 };
  gboolean ok = parse_command_line (&job, &arguments, &error) && recover (&job, &error);

  if (ok)
    report (&job);
  g_strfreev (arguments);
  job_clear (&job);
  return program_end (ok, error);
}

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

#include "common/mcap/read/definitions.h"
#include "common/mcap/read/stream.h"
#include "common/mcap/writer.h"
#include "fault.h"
#include "outputfile.h"

#define READ_BYTES ((gsize) 1 << 20)
/* A chunk is closed from this size on. */
#define CHUNK_BYTES ((gsize) 1 << 20)

typedef struct
{
  /* the command line */
  gchar *output, *compression;
  gchar **arguments;

  const gchar *input;
  FILE *from;
  OutputFile to;
  RobocacheMcapStream *stream;
  RobocacheMcapWriter *writer;
  RobocacheMcapChunk *chunk;
  RobocacheMcapDefinitions *definitions;
  gboolean has_begun, is_complete;

  guint64 n_messages, n_metadata, n_attachments, n_faults, n_undefined, n_channels;
  guint64 size, whole_size;     /* bytes of the input, and up to where its records are whole */
} Job;

/* ---- the command line ---- */

static gboolean
parse_command_line (Job *job, gchar ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &job->output, "write FILE once it is complete (NAME.recovered.mcap)", "FILE"},
    {"compression", 'c', 0, G_OPTION_ARG_STRING, &job->compression, "none, zstd or lz4 (zstd)", "HOW"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &job->arguments, NULL, "FILE"},
    {NULL}
  };
  GOptionContext *context = g_option_context_new (NULL);
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_summary (context, "Writes what is whole of an MCAP file that was cut or damaged, with an index. Records keep "
      "their order;\nprivate records, and attachments above 64 MiB, are left out.");
  ok = g_option_context_parse_strv (context, argv, error);
  g_option_context_free (context);
  if (!ok)
    return FALSE;
  if (job->arguments && job->arguments[0] && !job->arguments[1])
    return TRUE;
  FAULT (error, "expected one MCAP file; see --help");
  return FALSE;
}

static gboolean
find_compression (const Job *job, RobocacheMcapCompression *compression, GError **error)
{
  const gchar *name = job->compression ? job->compression : "zstd";

  if (robocache_mcap_compression_find (robocache_mcap_text (g_str_equal (name, "none") ? "" : name), compression, NULL))
    return TRUE;
  FAULT (error, "--compression %s: expected none, zstd or lz4", name);
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

/* The first definition of an id counts; the summary repeats them. */
static void
take_definition (Job *job, const RobocacheMcapStreamRecord *record)
{
  const gboolean is_schema = record->opcode == ROBOCACHE_MCAP_SCHEMA;
  const gboolean is_known = is_schema
      ? robocache_mcap_definitions_schema (job->definitions, record->record.schema.id) != NULL
      : robocache_mcap_definitions_channel (job->definitions, record->record.channel.id) != NULL;

  if (is_known || !robocache_mcap_definitions_add (job->definitions, record->opcode, record->content, NULL))
    return;
  if (is_schema) {
    robocache_mcap_chunk_add_schema (job->chunk, &record->record.schema);
  } else {
    robocache_mcap_chunk_add_channel (job->chunk, &record->record.channel);
    job->n_channels++;
  }
}

static gboolean
take_message (Job *job, const RobocacheMcapMessage *message, GError **error)
{
  if (!robocache_mcap_definitions_channel (job->definitions, message->channel_id)) {
    job->n_undefined++;
    return TRUE;
  }
  if ((job->chunk->records->len >= CHUNK_BYTES || !robocache_mcap_chunk_fits (job->chunk, message->data.size))
      && !write_chunk (job, error))
    return FALSE;
  robocache_mcap_chunk_add_message (job->chunk, message, &message->data, 1);
  job->n_messages++;
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

  if (record->opcode == ROBOCACHE_MCAP_HEADER)
    return begin (job, &content->header, error);
  if (!begin (job, NULL, error))
    return FALSE;
  switch (record->opcode) {
    case ROBOCACHE_MCAP_SCHEMA:
    case ROBOCACHE_MCAP_CHANNEL:
      take_definition (job, record);
      return TRUE;
    case ROBOCACHE_MCAP_MESSAGE:
      return take_message (job, &content->message, error);
    case ROBOCACHE_MCAP_ATTACHMENT:
      return take_attachment (job, &content->attachment, error);
    case ROBOCACHE_MCAP_METADATA:
      return take_metadata (job, &content->metadata, error);
    default:
      return TRUE;
  }
}

/* Takes the fault. */
static void
report_fault (Job *job, GError *fault)
{
  if (job->n_faults++ < 10)
    fprintf (stderr, "warning: %s: %s\n", job->input, fault->message);
  g_error_free (fault);
}

/* Takes all records that are there. */
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
  if (ok && ferror (job->from))
    FAULT (error, "%s: %s", job->input, g_strerror (errno));
  job->whole_size = job->is_complete ? job->size : robocache_mcap_stream_get_offset (job->stream);
  return ok && !ferror (job->from);
}

static gboolean
check_content (const Job *job, GError **error)
{
  if (job->n_messages + job->n_attachments + job->n_metadata > 0)
    return TRUE;
  if (job->size < ROBOCACHE_MCAP_MAGIC_SIZE)
    FAULT (error, "%s: not an MCAP file: it has %" PRIu64 " bytes", job->input, job->size);
  else
    FAULT (error, "%s: nothing in it is whole, so %s was not written", job->input, job->output);
  return FALSE;
}

static gboolean
copy (Job *job, GError **error)
{
  return read_through (job, error) && check_content (job, error) && write_chunk (job, error)
      && robocache_mcap_writer_finish (job->writer, error);
}

static void
report (const Job *job)
{
  const guint64 n_skipped = robocache_mcap_stream_get_skipped (job->stream);

  printf ("%s: %" PRIu64 " message%s of %" PRIu64 " channel%s, %" PRIu64 " attachment%s, %" PRIu64 " metadata records\n", job->output,
      job->n_messages, job->n_messages == 1 ? "" : "s", job->n_channels, job->n_channels == 1 ? "" : "s", job->n_attachments,
      job->n_attachments == 1 ? "" : "s", job->n_metadata);
  if (job->is_complete)
    printf ("%s is complete\n", job->input);
  else if (job->whole_size == job->size)
    printf ("%s ends without a footer, and nothing of it is lost\n", job->input);
  else
    printf ("%s ends in a record: whole up to byte %" PRIu64 ", the last %" PRIu64 " bytes are lost\n", job->input, job->whole_size,
        job->size - job->whole_size);
  if (job->n_faults > 0)
    printf ("%" PRIu64 " damaged record%s lost\n", job->n_faults, job->n_faults == 1 ? " is" : "s are");
  if (n_skipped > 0)
    printf ("%" PRIu64 " record%s left out: private, or above 64 MiB\n", n_skipped, n_skipped == 1 ? " is" : "s are");
  if (job->n_undefined > 0)
    printf ("%" PRIu64 " messages are lost: their channels are not defined before them\n", job->n_undefined);
}

static gboolean
check_output (const Job *job, GError **error)
{
  GStatBuf input, output;

  if (g_stat (job->output, &output) != 0 || g_stat (job->input, &input) != 0 || input.st_dev != output.st_dev
      || input.st_ino != output.st_ino)
    return TRUE;
  FAULT (error, "--output %s is the file itself; write to another one", job->output);
  return FALSE;
}

static gboolean
recover (Job *job, GError **error)
{
  RobocacheMcapCompression compression;
  gboolean ok;

  job->input = job->arguments[0];
  if (!job->output)
    job->output = default_output (job->input);
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
  job->chunk = robocache_mcap_chunk_new (2 * CHUNK_BYTES);
  job->definitions = robocache_mcap_definitions_new ();
  job->writer = robocache_mcap_writer_new (compression, write_pieces, job);
  ok = copy (job, error);
  return output_file_close (&job->to, ok, ok ? error : NULL) && ok;
}

static void
job_clear (Job *job)
{
  g_clear_pointer (&job->stream, robocache_mcap_stream_free);
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
  if (error)
    fprintf (stderr, "error: %s\n", error->message);
  g_clear_error (&error);
  g_strfreev (arguments);
  job_clear (&job);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* robocache: messages of MCAP files, one file after the other, in order of arrival
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessionfile.h"

#include <errno.h>
#include <stdio.h>

#include "common/mcap/read/stream.h"
#include "examples/tools/program.h"

#define PIECE_BYTES (1 << 20)

struct _SessionFile
{
  gchar **paths;
  guint next;                   /* of the paths */
  FILE *input;                  /* NULL: none is open */
  RobocacheMcapStream *stream;
  RobocacheMcapDefinitions *definitions;
  guint8 *piece;
};

SessionFile *
session_file_new (gchar **paths)
{
  SessionFile *file = g_new0 (SessionFile, 1);

  file->paths = paths;
  file->stream = robocache_mcap_stream_new ();
  file->piece = g_malloc (PIECE_BYTES);
  return file;
}

static void
close_input (SessionFile *file)
{
  g_clear_pointer (&file->input, fclose);
}

void
session_file_free (SessionFile *file)
{
  close_input (file);
  robocache_mcap_stream_free (file->stream);
  g_clear_pointer (&file->definitions, robocache_mcap_definitions_free);
  g_free (file->piece);
  g_free (file);
}

static gboolean
open_next (SessionFile *file, GError **error)
{
  file->input = fopen (file->paths[file->next], "rb");
  if (!file->input) {
    FAULT (error, "%s: %s", file->paths[file->next], g_strerror (errno));
    return FALSE;
  }
  file->next++;
  robocache_mcap_stream_reset (file->stream);
  g_clear_pointer (&file->definitions, robocache_mcap_definitions_free);
  file->definitions = robocache_mcap_definitions_new ();
  return TRUE;
}

/* FALSE: at the end, or an error. */
static gboolean
read_piece (SessionFile *file, GError **error)
{
  const gsize size = fread (file->piece, 1, PIECE_BYTES, file->input);

  if (ferror (file->input))
    FAULT (error, "%s: %s", file->paths[file->next - 1], g_strerror (errno));
  robocache_mcap_stream_push (file->stream, file->piece, size);
  return size > 0;
}

static void
name_file (const SessionFile *file, GError **error)
{
  g_prefix_error (error, "%s: ", file->paths[file->next - 1]);
}

/* TRUE: message is one of a channel that is known. */
static gboolean
take_message (SessionFile *file, const RobocacheMcapMessage *of_file, SessionMessage *message, GError **error)
{
  message->message = *of_file;
  message->file = file->next - 1;
  message->channel = robocache_mcap_definitions_channel (file->definitions, of_file->channel_id);
  message->schema = message->channel ? robocache_mcap_definitions_schema (file->definitions, message->channel->schema_id) : NULL;
  if (message->schema)
    return TRUE;
  FAULT (error, "a message of channel %u, which the file does not define", of_file->channel_id);
  return FALSE;
}

/* FALSE: callers do not need this record. */
static gboolean
take_record (SessionFile *file, const RobocacheMcapStreamRecord *record, SessionMessage *message, RobocacheMcapMetadata *metadata,
    SessionFileResult *result, GError **error)
{
  *result = SESSION_FILE_FAILED;
  switch (record->opcode) {
    case ROBOCACHE_MCAP_SCHEMA:
    case ROBOCACHE_MCAP_CHANNEL:
      return !robocache_mcap_definitions_add (file->definitions, record->opcode, record->content, error);
    case ROBOCACHE_MCAP_MESSAGE:
      if (take_message (file, &record->record.message, message, error))
        *result = SESSION_FILE_MESSAGE;
      return TRUE;
    case ROBOCACHE_MCAP_METADATA:
      *metadata = record->record.metadata;
      *result = SESSION_FILE_METADATA;
      return TRUE;
    default:
      return FALSE;
  }
}

/* Of the open file. */
static SessionFileResult
next_of_file (SessionFile *file, SessionMessage *message, RobocacheMcapMetadata *metadata, GError **error)
{
  RobocacheMcapStreamRecord record;
  SessionFileResult result;

  for (;;) {
    switch (robocache_mcap_stream_next (file->stream, &record, error)) {
      case ROBOCACHE_MCAP_STREAM_RECORD:
        if (take_record (file, &record, message, metadata, &result, error))
          return result;
        break;
      case ROBOCACHE_MCAP_STREAM_MORE:
        if (!read_piece (file, error))
          return *error ? SESSION_FILE_FAILED : SESSION_FILE_END;
        break;
      case ROBOCACHE_MCAP_STREAM_END:
        return SESSION_FILE_END;
      default:
        return SESSION_FILE_FAILED;
    }
  }
}

SessionFileResult
session_file_next (SessionFile *file, SessionMessage *message, RobocacheMcapMetadata *metadata, GError **error)
{
  SessionFileResult result;

  do {
    if (!file->input && !file->paths[file->next])
      return SESSION_FILE_END;
    if (!file->input && !open_next (file, error))
      return SESSION_FILE_FAILED;
    result = next_of_file (file, message, metadata, error);
    if (result == SESSION_FILE_END)
      close_input (file);
  } while (result == SESSION_FILE_END);
  if (result == SESSION_FILE_FAILED)
    name_file (file, error);
  return result;
}

/* robocache: reads an MCAP file as its bytes arrive
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include <string.h>
#include <zlib.h>

#include "common/element/errors.h"
#include "common/mcap/compression.h"
#include "recordfit.h"
#include "source.h"

/* Attachments and metadata above this are skipped. */
#define MAX_OTHER_SIZE ((guint64) 64 << 20)

typedef enum
{ MAGIC, RECORDS, END_MAGIC, AT_END, NO_SUMMARY, BROKEN } State;

struct _RobocacheMcapStream
{
  State state;
  guint64 offset;               /* position in the file of the first pending byte */
  RobocacheMcapBuffer pending;
  gsize n_read;                 /* bytes of pending that were read */
  guint64 to_skip;              /* bytes of a record that are not wanted */
  gboolean is_in_data;          /* in the data section, whose CRC is computed */
  gulong crc;
  RobocacheMcapView view;
  guint64 max_bytes;            /* as it was set */
  RobocacheMcapPlace place;     /* of the next record, corrected; size G_MAXUINT64: not known yet */
  GError *fault;                /* behind which a record that fits is sought, from fault_offset on; NULL: none */
  guint64 fault_offset;
  GError *no_memory;            /* for the bytes that were pushed */

  RobocacheMcapCodec *codec;
  RobocacheMcapBuffer memory;   /* of the chunk */
  RobocacheMcapBytes records;   /* of the chunk, those left */
  guint64 chunk_offset;
  gboolean keeps_damaged, is_damaged;   /* the latter of the chunk */
  guint64 n_skipped;            /* records, without an error */
};

static gboolean
peek_pending (gpointer user_data, guint64 offset, gsize size, RobocacheMcapBytes *bytes, GError **error)
{
  const RobocacheMcapStream *stream = user_data;
  const guint64 at = offset - stream->offset;

  bytes->size = at < stream->pending.size ? (gsize) MIN (size, stream->pending.size - at) : 0;
  bytes->data = bytes->size > 0 ? stream->pending.data + at : NULL;
  return TRUE;
}

RobocacheMcapStream *
robocache_mcap_stream_new (void)
{
  RobocacheMcapStream *stream = g_new0 (RobocacheMcapStream, 1);

  stream->codec = robocache_mcap_codec_new ();
  stream->view = (RobocacheMcapView) { peek_pending, stream, G_MAXUINT64, 0, FALSE };
  robocache_mcap_stream_set_max_bytes (stream, ROBOCACHE_MCAP_DEFAULT_MAX_BYTES);
  robocache_mcap_stream_reset (stream);
  return stream;
}

void
robocache_mcap_stream_free (RobocacheMcapStream *stream)
{
  robocache_mcap_buffer_clear (&stream->pending);
  robocache_mcap_buffer_clear (&stream->memory);
  robocache_mcap_codec_free (stream->codec);
  g_clear_error (&stream->fault);
  g_clear_error (&stream->no_memory);
  g_free (stream);
}

void
robocache_mcap_stream_reset (RobocacheMcapStream *stream)
{
  stream->state = MAGIC;
  stream->offset = stream->n_read = stream->to_skip = 0;
  stream->pending.size = 0;
  stream->records.size = 0;
  stream->n_skipped = 0;
  stream->is_in_data = TRUE;
  stream->crc = crc32 (0, NULL, 0);
  stream->view.end = G_MAXUINT64;
  stream->view.has_chunks = FALSE;
  stream->place.size = G_MAXUINT64;
  g_clear_error (&stream->fault);
  g_clear_error (&stream->no_memory);
}

void
robocache_mcap_stream_set_max_bytes (RobocacheMcapStream *stream, guint64 max_bytes)
{
  stream->max_bytes = max_bytes;
  stream->view.max_bytes = max_bytes ? max_bytes : ROBOCACHE_MCAP_DEFAULT_MAX_BYTES;
}

void
robocache_mcap_stream_keep_damaged (RobocacheMcapStream *stream)
{
  stream->keeps_damaged = TRUE;
}

static guint64
position_of (const RobocacheMcapStream *stream)
{
  return stream->offset + stream->n_read;
}

guint64
robocache_mcap_stream_get_offset (const RobocacheMcapStream *stream)
{
  return stream->fault ? stream->fault_offset : position_of (stream);
}

gboolean
robocache_mcap_stream_is_in_data (const RobocacheMcapStream *stream)
{
  return stream->is_in_data && stream->state <= RECORDS;
}

guint64
robocache_mcap_stream_get_skipped (const RobocacheMcapStream *stream)
{
  return stream->n_skipped;
}

/* ---- bytes ---- */

/* Drops bytes that are no longer needed. */
static void
consume (RobocacheMcapStream *stream, gsize size)
{
  if (stream->is_in_data && size > 0)
    stream->crc = crc32_z (stream->crc, stream->pending.data + stream->n_read, size);
  stream->n_read += size;
}

static void
skip (RobocacheMcapStream *stream)
{
  const gsize size = (gsize) MIN (stream->to_skip, stream->pending.size - stream->n_read);

  consume (stream, size);
  stream->to_skip -= size;
}

/* Moves the remaining bytes to the beginning. */
static void
forget_read (RobocacheMcapStream *stream)
{
  const gsize left = stream->pending.size - stream->n_read;

  if (left > 0)
    memmove (stream->pending.data, stream->pending.data + stream->n_read, left);
  stream->pending.size = left;
  stream->offset += stream->n_read;
  stream->n_read = 0;
}

void
robocache_mcap_stream_push (RobocacheMcapStream *stream, const guint8 *bytes, gsize size)
{
  if (stream->state >= AT_END)
    return;
  /* large records: not once a push */
  if (stream->n_read > 0)
    forget_read (stream);
  if (!stream->no_memory)
    robocache_mcap_buffer_append (&stream->pending, bytes, size, &stream->no_memory);
}

void
robocache_mcap_stream_end (RobocacheMcapStream *stream)
{
  stream->view.end = stream->offset + stream->pending.size;
  /* a length that ends after the file is wrong, or the file is cut: the fields decide */
  if (stream->place.size != G_MAXUINT64 && stream->place.size > stream->view.end - position_of (stream) - ROBOCACHE_MCAP_HEAD_SIZE)
    stream->place.size = G_MAXUINT64;
}

static RobocacheMcapBytes
unread (const RobocacheMcapStream *stream)
{
  return (RobocacheMcapBytes) {stream->pending.data + stream->n_read, stream->pending.size - stream->n_read};
}

/* ---- records ---- */

static RobocacheMcapStreamResult
fail (RobocacheMcapStream *stream, GError **error, const gchar *what)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s at byte %" G_GUINT64_FORMAT, what,
      position_of (stream));
  stream->state = BROKEN;
  return ROBOCACHE_MCAP_STREAM_FATAL;
}

/* Prefixes the error with the offset of its record; returns DAMAGED. */
static RobocacheMcapStreamResult
damaged (guint64 offset, GError **error)
{
  g_prefix_error (error, "record at byte %" G_GUINT64_FORMAT ": ", offset);
  return ROBOCACHE_MCAP_STREAM_DAMAGED;
}

static RobocacheMcapStreamResult
read_magic (RobocacheMcapStream *stream, State next_state, GError **error)
{
  const RobocacheMcapBytes bytes = unread (stream);
  const gboolean is_first = stream->state == MAGIC;

  if (bytes.size < ROBOCACHE_MCAP_MAGIC_SIZE)
    return ROBOCACHE_MCAP_STREAM_MORE;
  if (memcmp (bytes.data, ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE) == 0) {
    consume (stream, ROBOCACHE_MCAP_MAGIC_SIZE);
    stream->state = next_state;
    return ROBOCACHE_MCAP_STREAM_RECORD;
  }
  if (is_first)
    return fail (stream, error, "not an MCAP file: no magic bytes");
  stream->state = AT_END;
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the file does not end with the magic bytes");
  return damaged (position_of (stream), error);
}

static gboolean
has_messages (guint8 opcode)
{
  return opcode == ROBOCACHE_MCAP_MESSAGE || opcode == ROBOCACHE_MCAP_CHUNK;
}

/* Whether a record is of interest. Messages behind the data section do not belong to the file. */
static gboolean
is_read (const RobocacheMcapStream *stream, guint8 opcode)
{
  return robocache_mcap_opcode_name (opcode) != NULL && (stream->is_in_data || !has_messages (opcode));
}

static RobocacheMcapStreamResult
check_data_crc (const RobocacheMcapStream *stream, gulong crc, guint32 expected, guint64 offset, GError **error)
{
  if (expected == 0 || expected == crc)
    return ROBOCACHE_MCAP_STREAM_RECORD;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the data before it are damaged: their CRC is 0x%08lx, expected 0x%08x",
      crc, expected);
  return damaged (offset, error);
}

/* A whole record, which was consumed. */
static RobocacheMcapStreamResult
read_record (RobocacheMcapStream *stream, RobocacheMcapStreamRecord *next, gulong crc_before, GError **error)
{
  if (!robocache_mcap_record_read (&next->record, next->opcode, next->content, error))
    return damaged (next->offset, error);
  if (next->opcode == ROBOCACHE_MCAP_CHUNK) {
    stream->chunk_offset = next->offset;
    stream->records.size = 0;
    stream->is_damaged = !robocache_mcap_unpack (stream->codec, &next->record.chunk,
        robocache_mcap_max_unpacked (stream->max_bytes, position_of (stream)), &stream->memory, &stream->records, error);
    if (stream->is_damaged && !stream->keeps_damaged)
      stream->records.size = 0;
    if (stream->is_damaged)
      return damaged (next->offset, error);
  } else if (next->opcode == ROBOCACHE_MCAP_DATA_END) {
    stream->is_in_data = FALSE;
    return check_data_crc (stream, crc_before, next->record.data_end.crc, next->offset, error);
  } else if (next->opcode == ROBOCACHE_MCAP_FOOTER) {
    stream->state = END_MAGIC;
  }
  return ROBOCACHE_MCAP_STREAM_RECORD;
}

/* Drops the record's content as it arrives. */
static RobocacheMcapStreamResult
skip_record (RobocacheMcapStream *stream, const RobocacheMcapPlace *place)
{
  consume (stream, ROBOCACHE_MCAP_HEAD_SIZE);
  stream->to_skip = place->size;
  /* messages after the data section do not count */
  if (!has_messages (place->opcode))
    stream->n_skipped++;
  return ROBOCACHE_MCAP_STREAM_RECORD;
}

/* ---- places ---- */

/* A fault of the summary, which has no message. */
static RobocacheMcapStreamResult
leave_summary (RobocacheMcapStream *stream, GError **error)
{
  stream->state = NO_SUMMARY;
  g_prefix_error (error, "the summary is damaged: ");
  return damaged (position_of (stream), error);
}

/* A record that fits is sought behind the fault, which is reported once it is found. */
static RobocacheMcapStreamResult
begin_search (RobocacheMcapStream *stream, GError *fault)
{
  stream->fault = fault;
  stream->fault_offset = position_of (stream);
  consume (stream, 1);
  return ROBOCACHE_MCAP_STREAM_RECORD;
}

static RobocacheMcapStreamResult
search (RobocacheMcapStream *stream, GError **error)
{
  guint64 offset = position_of (stream);
  const RobocacheMcapFit fit = robocache_mcap_find_fit (&stream->view, &offset, error);

  consume (stream, (gsize) (offset - position_of (stream)));
  if (fit != ROBOCACHE_MCAP_FIT_RECORD)
    return ROBOCACHE_MCAP_STREAM_MORE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "record at byte %" G_GUINT64_FORMAT ": %s: reading resumes at byte %"
      G_GUINT64_FORMAT, stream->fault_offset, stream->fault->message, offset);
  g_clear_error (&stream->fault);
  return ROBOCACHE_MCAP_STREAM_DAMAGED;
}

/* Finds the place of the next record outside chunks. RECORD: it is known, or a search begins. */
static RobocacheMcapStreamResult
find_place (RobocacheMcapStream *stream, GError **error)
{
  RobocacheMcapPlace place = { 0 };
  GError *fault = NULL;
  const RobocacheMcapFit fit = robocache_mcap_fit (&stream->view, position_of (stream), &place, &fault);

  if (fit == ROBOCACHE_MCAP_FIT_MORE || fit == ROBOCACHE_MCAP_FIT_END)
    return ROBOCACHE_MCAP_STREAM_MORE;
  stream->view.has_chunks |= place.opcode == ROBOCACHE_MCAP_CHUNK && stream->is_in_data;
  /* where the summary is cut no message is lost */
  if (fault && !stream->is_in_data && stream->view.end != G_MAXUINT64) {
    g_error_free (fault);
    return ROBOCACHE_MCAP_STREAM_MORE;
  }
  if (fault && !stream->is_in_data) {
    g_propagate_error (error, fault);
    return leave_summary (stream, error);
  }
  if (fit == ROBOCACHE_MCAP_FIT_DAMAGED)
    return begin_search (stream, fault);
  if (fit == ROBOCACHE_MCAP_FIT_SKIP)
    skip_record (stream, &place);
  else
    stream->place = place;
  if (!fault)
    return ROBOCACHE_MCAP_STREAM_RECORD;
  g_propagate_error (error, fault);
  return damaged (place.offset, error);
}

/* The next record outside chunks. opcode 0: it was skipped. */
static RobocacheMcapStreamResult
next_in_file (RobocacheMcapStream *stream, RobocacheMcapStreamRecord *next, GError **error)
{
  const RobocacheMcapPlace place = stream->place;
  const RobocacheMcapBytes bytes = unread (stream);
  const gulong crc_before = stream->crc;

  if (stream->fault)
    return search (stream, error);
  if (place.size == G_MAXUINT64)
    return find_place (stream, error);
  if (!is_read (stream, place.opcode) || (place.size > MAX_OTHER_SIZE && !has_messages (place.opcode))) {
    stream->place.size = G_MAXUINT64;
    return skip_record (stream, &place);
  }
  if (bytes.size - ROBOCACHE_MCAP_HEAD_SIZE < place.size)
    return ROBOCACHE_MCAP_STREAM_MORE;
  stream->place.size = G_MAXUINT64;
  next->opcode = place.opcode;
  next->offset = place.offset;
  consume (stream, ROBOCACHE_MCAP_HEAD_SIZE + (gsize) place.size);
  next->content = (RobocacheMcapBytes) {bytes.data + ROBOCACHE_MCAP_HEAD_SIZE, (gsize) place.size};
  return read_record (stream, next, crc_before, error);
}

/* The next record of the chunk, which has some left. */
static RobocacheMcapStreamResult
next_in_chunk (RobocacheMcapStream *stream, RobocacheMcapStreamRecord *next, GError **error)
{
  next->offset = stream->chunk_offset;
  if (!robocache_mcap_next_record (&stream->records, &next->opcode, &next->content)) {
    stream->records.size = 0;
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the last record of the chunk is truncated");
    return damaged (next->offset, error);
  }
  /* the format has no others in chunks */
  if (next->opcode != ROBOCACHE_MCAP_SCHEMA && next->opcode != ROBOCACHE_MCAP_CHANNEL && next->opcode != ROBOCACHE_MCAP_MESSAGE)
    next->opcode = 0;
  else if (!robocache_mcap_record_read (&next->record, next->opcode, next->content, error))
    return damaged (next->offset, error);
  return ROBOCACHE_MCAP_STREAM_RECORD;
}

/* Reads on by one step, which may make no record for the caller: opcode 0. */
static RobocacheMcapStreamResult
step (RobocacheMcapStream *stream, RobocacheMcapStreamRecord *next, GError **error)
{
  next->opcode = 0;
  next->is_damaged = stream->records.size > 0 && stream->is_damaged;
  if (stream->no_memory) {
    g_propagate_error (error, g_error_copy (stream->no_memory));
    return ROBOCACHE_MCAP_STREAM_FATAL;
  }
  if (stream->records.size > 0)
    return next_in_chunk (stream, next, error);
  skip (stream);
  if (stream->to_skip > 0)
    return ROBOCACHE_MCAP_STREAM_MORE;
  switch (stream->state) {
    case MAGIC:
      return read_magic (stream, RECORDS, error);
    case RECORDS:
      return next_in_file (stream, next, error);
    case END_MAGIC:
      return read_magic (stream, AT_END, error);
    case AT_END:
      return ROBOCACHE_MCAP_STREAM_END;
    case NO_SUMMARY:
      consume (stream, stream->pending.size - stream->n_read);
      return ROBOCACHE_MCAP_STREAM_MORE;
    default:
      return fail (stream, error, "nothing can be read after the error");
  }
}

RobocacheMcapStreamResult
robocache_mcap_stream_next (RobocacheMcapStream *stream, RobocacheMcapStreamRecord *next, GError **error)
{
  RobocacheMcapStreamResult result;

  do
    result = step (stream, next, error);
  while (result == ROBOCACHE_MCAP_STREAM_RECORD && (next->opcode == 0 || next->opcode == ROBOCACHE_MCAP_CHUNK));
  return result;
}

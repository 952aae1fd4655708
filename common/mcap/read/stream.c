/* robocache: reads an MCAP file as its bytes arrive
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include <string.h>
#include <zlib.h>

#include "common/mcap/chunk.h"
#include "common/element/errors.h"
#include "unpack.h"

/* Attachments and metadata above this are skipped; chunks and messages above ROBOCACHE_MCAP_MAX_CHUNK_SIZE are errors. */
#define MAX_OTHER_SIZE ((guint64) 64 << 20)

typedef enum
{ MAGIC, RECORDS, END_MAGIC, AT_END, BROKEN } State;

struct _RobocacheMcapStream
{
  State state;
  guint64 offset;               /* in the file, of the first byte of what is pending */
  GByteArray *pending;
  gsize n_read;                 /* bytes of pending that were read */
  guint64 to_skip;              /* bytes of a record that are not wanted */
  gboolean is_in_data;          /* in the data section, whose CRC is computed */
  gulong crc;

  RobocacheMcapCodec *codec;
  GByteArray *memory;           /* of the chunk */
  RobocacheMcapBytes records;   /* of the chunk, those left */
  guint64 chunk_offset;
  guint64 n_skipped;            /* records, without an error */
};

RobocacheMcapStream *
robocache_mcap_stream_new (void)
{
  RobocacheMcapStream *stream = g_new0 (RobocacheMcapStream, 1);

  stream->pending = g_byte_array_new ();
  stream->codec = robocache_mcap_codec_new ();
  stream->memory = g_byte_array_new ();
  robocache_mcap_stream_reset (stream);
  return stream;
}

void
robocache_mcap_stream_free (RobocacheMcapStream *stream)
{
  g_byte_array_unref (stream->pending);
  g_byte_array_unref (stream->memory);
  robocache_mcap_codec_free (stream->codec);
  g_free (stream);
}

void
robocache_mcap_stream_reset (RobocacheMcapStream *stream)
{
  stream->state = MAGIC;
  stream->offset = stream->n_read = stream->to_skip = 0;
  g_byte_array_set_size (stream->pending, 0);
  stream->records.size = 0;
  stream->n_skipped = 0;
  stream->is_in_data = TRUE;
  stream->crc = crc32 (0, NULL, 0);
}

guint64
robocache_mcap_stream_get_offset (const RobocacheMcapStream *stream)
{
  return stream->offset + stream->n_read;
}

guint64
robocache_mcap_stream_get_skipped (const RobocacheMcapStream *stream)
{
  return stream->n_skipped;
}

/* ---- bytes ---- */

/* Bytes that are needed no more. */
static void
consume (RobocacheMcapStream *stream, gsize size)
{
  if (stream->is_in_data && size > 0)
    stream->crc = crc32_z (stream->crc, stream->pending->data + stream->n_read, size);
  stream->n_read += size;
}

static void
skip (RobocacheMcapStream *stream)
{
  const gsize size = (gsize) MIN (stream->to_skip, stream->pending->len - stream->n_read);

  consume (stream, size);
  stream->to_skip -= size;
}

/* Moves what is left to the beginning. */
static void
forget_read (RobocacheMcapStream *stream)
{
  const gsize left = stream->pending->len - stream->n_read;

  if (left > 0)
    memmove (stream->pending->data, stream->pending->data + stream->n_read, left);
  g_byte_array_set_size (stream->pending, (guint) left);
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
  if (size > 0)
    g_byte_array_append (stream->pending, bytes, (guint) size);
}

static RobocacheMcapBytes
unread (const RobocacheMcapStream *stream)
{
  return (RobocacheMcapBytes) {stream->pending->data + stream->n_read, stream->pending->len - stream->n_read};
}

/* ---- records ---- */

static RobocacheMcapStreamResult
fail (RobocacheMcapStream *stream, GError **error, const gchar *what)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s at byte %" G_GUINT64_FORMAT, what,
      robocache_mcap_stream_get_offset (stream));
  stream->state = BROKEN;
  return ROBOCACHE_MCAP_STREAM_FATAL;
}

/* Where an error happened; DAMAGED. */
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

  if (bytes.size < ROBOCACHE_MCAP_MAGIC_SIZE)
    return ROBOCACHE_MCAP_STREAM_MORE;
  if (memcmp (bytes.data, ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE) != 0)
    return fail (stream, error, "not an MCAP file: no magic bytes");
  consume (stream, ROBOCACHE_MCAP_MAGIC_SIZE);
  stream->state = next_state;
  return ROBOCACHE_MCAP_STREAM_RECORD;
}

static gboolean
has_messages (guint8 opcode)
{
  return opcode == ROBOCACHE_MCAP_MESSAGE || opcode == ROBOCACHE_MCAP_CHUNK;
}

/* Whether a record is of interest. Messages behind the data section are none of the file's. */
static gboolean
is_read (const RobocacheMcapStream *stream, guint8 opcode)
{
  return robocache_mcap_opcode_name (opcode) != NULL && (stream->is_in_data || !has_messages (opcode));
}

/* Bytes that a record may have in memory. */
static guint64
max_size (guint8 opcode)
{
  return has_messages (opcode) ? ROBOCACHE_MCAP_MAX_CHUNK_SIZE : MAX_OTHER_SIZE;
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
    if (!robocache_mcap_unpack (stream->codec, &next->record.chunk, stream->memory, &stream->records, error))
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
skip_record (RobocacheMcapStream *stream, RobocacheMcapStreamRecord *next, guint64 size, GError **error)
{
  const gboolean is_lost = is_read (stream, next->opcode) && has_messages (next->opcode);

  consume (stream, ROBOCACHE_MCAP_HEAD_SIZE);
  stream->to_skip = size;
  if (is_lost) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the %s record has %" G_GUINT64_FORMAT " bytes, more than %"
        G_GSIZE_FORMAT, robocache_mcap_opcode_name (next->opcode), size, ROBOCACHE_MCAP_MAX_CHUNK_SIZE);
    return damaged (next->offset, error);
  }
  /* messages behind the data section are none of the file's */
  if (!has_messages (next->opcode))
    stream->n_skipped++;
  next->opcode = 0;
  return ROBOCACHE_MCAP_STREAM_RECORD;
}

/* The next record outside chunks. opcode 0: it was skipped. */
static RobocacheMcapStreamResult
next_in_file (RobocacheMcapStream *stream, RobocacheMcapStreamRecord *next, GError **error)
{
  const RobocacheMcapBytes bytes = unread (stream);
  const gulong crc_before = stream->crc;
  guint64 size;

  if (bytes.size < ROBOCACHE_MCAP_HEAD_SIZE)
    return ROBOCACHE_MCAP_STREAM_MORE;
  next->opcode = bytes.data[0];
  next->offset = robocache_mcap_stream_get_offset (stream);
  size = robocache_mcap_get_uint64 (bytes.data + 1);
  if (!is_read (stream, next->opcode) || size > max_size (next->opcode))
    return skip_record (stream, next, size, error);
  if (bytes.size - ROBOCACHE_MCAP_HEAD_SIZE < size)
    return ROBOCACHE_MCAP_STREAM_MORE;
  consume (stream, ROBOCACHE_MCAP_HEAD_SIZE + (gsize) size);
  next->content = (RobocacheMcapBytes) {bytes.data + ROBOCACHE_MCAP_HEAD_SIZE, (gsize) size};
  return read_record (stream, next, crc_before, error);
}

/* The next record of the chunk, which has some left. */
static RobocacheMcapStreamResult
next_in_chunk (RobocacheMcapStream *stream, RobocacheMcapStreamRecord *next, GError **error)
{
  next->offset = stream->chunk_offset;
  if (!robocache_mcap_next_record (&stream->records, &next->opcode, &next->content)) {
    stream->records.size = 0;
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the last record of the chunk is cut");
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

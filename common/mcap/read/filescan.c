/* robocache: the index of an MCAP file from a walk over its records
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "filescan.h"

#include <string.h>

#include "common/mcap/chunk.h"
#include "common/element/errors.h"
#include "unpack.h"

/* Definitions, headers and names above this are not read. */
#define MAX_RECORD_SIZE ((guint64) 64 << 20)
/* A row of messages outside chunks is cut into blocks of about this size. */
#define PLAIN_BLOCK_SIZE ((guint64) 1 << 20)

typedef struct
{
  RobocacheMcapWalk walk;
  RobocacheMcapFileIndex *index;
  gboolean is_in_messages;      /* the last block is a row of messages, and goes on */
  RobocacheMcapPlace chunk;     /* the last one, while its message indexes are read; size 0: none */
  gboolean is_chunk_unpacked;   /* for its definitions */
  gboolean has_index;           /* it has message indexes */
  RobocacheMcapCodec *codec;
  GByteArray *packed, *memory;
} Scan;

static gboolean
read_content (Scan *scan, const RobocacheMcapPlace *place, RobocacheMcapBytes *content, GError **error)
{
  return robocache_mcap_walk_peek (&scan->walk, place, (gsize) MIN (place->size, MAX_RECORD_SIZE), content, error);
}

/* ---- chunks ---- */

static RobocacheMcapBlock *
last_block (Scan *scan)
{
  return &g_array_index (scan->index->blocks, RobocacheMcapBlock, scan->index->blocks->len - 1);
}

/* Definitions in the chunk, and without message indexes its channels and times. Where it is damaged, reading it says so. */
static void
read_records (Scan *scan, RobocacheMcapBytes records)
{
  RobocacheMcapBytes content;
  RobocacheMcapRecord record;
  guint8 opcode;

  while (robocache_mcap_next_record (&records, &opcode, &content)) {
    if (opcode != ROBOCACHE_MCAP_MESSAGE)
      robocache_mcap_definitions_add (scan->index->definitions, opcode, content, NULL);
    else if (!scan->has_index && robocache_mcap_record_read (&record, opcode, content, NULL)
        && (last_block (scan)->n_channels == 0
            || !robocache_mcap_file_index_may_hold (scan->index, last_block (scan), record.message.channel_id)))
      robocache_mcap_file_index_add_channel (scan->index, record.message.channel_id);
  }
}

/* FALSE and an error: the source cannot be read. */
static gboolean
unpack_chunk (Scan *scan, GError **error)
{
  const RobocacheMcapSource *source = scan->walk.source;
  const gsize size = (gsize) MIN (scan->chunk.size, ROBOCACHE_MCAP_MAX_CHUNK_SIZE);
  RobocacheMcapRecord record;
  RobocacheMcapBytes records;

  scan->is_chunk_unpacked = TRUE;
  if (size != scan->chunk.size)
    return TRUE;
  g_byte_array_set_size (scan->packed, (guint) size);
  if (!source->read (source->user_data, scan->chunk.offset + ROBOCACHE_MCAP_HEAD_SIZE, size, scan->packed->data, error))
    return FALSE;
  if (robocache_mcap_record_read (&record, ROBOCACHE_MCAP_CHUNK, (RobocacheMcapBytes) {scan->packed->data, size}, NULL)
      && robocache_mcap_unpack (scan->codec, &record.chunk, scan->memory, &records, NULL))
    read_records (scan, records);
  return TRUE;
}

/* No more message indexes follow the last chunk. */
static gboolean
end_chunk (Scan *scan, GError **error)
{
  const gboolean is_read = scan->chunk.size == 0 || scan->has_index || unpack_chunk (scan, error);

  scan->chunk.size = 0;
  return is_read;
}

static gboolean
add_chunk (Scan *scan, const RobocacheMcapPlace *place, GError **error)
{
  RobocacheMcapBytes fields;

  if (!robocache_mcap_walk_peek (&scan->walk, place, 16, &fields, error))
    return FALSE;
  /* too short to be one: reading the block says so */
  robocache_mcap_file_index_add_block (scan->index, &(RobocacheMcapBlock) {
      .offset = place->offset,
      .size = ROBOCACHE_MCAP_HEAD_SIZE + place->size,
      .start_time = fields.size == 16 ? robocache_mcap_get_uint64 (fields.data) : 0,
      .end_time = fields.size == 16 ? robocache_mcap_get_uint64 (fields.data + 8) : 0,
      .is_chunk = TRUE});
  scan->chunk = *place;
  scan->is_chunk_unpacked = scan->has_index = FALSE;
  return TRUE;
}

static gboolean
add_message_index (Scan *scan, const RobocacheMcapPlace *place, GError **error)
{
  RobocacheMcapBytes fields;
  guint16 id;

  if (scan->chunk.size == 0)
    return TRUE;
  if (!robocache_mcap_walk_peek (&scan->walk, place, sizeof id, &fields, error))
    return FALSE;
  if (fields.size < sizeof id)
    return TRUE;
  scan->has_index = TRUE;
  id = robocache_mcap_get_uint16 (fields.data);
  robocache_mcap_file_index_add_channel (scan->index, id);
  return robocache_mcap_definitions_channel (scan->index->definitions, id) || scan->is_chunk_unpacked || unpack_chunk (scan, error);
}

/* ---- records outside chunks ---- */

static gboolean
add_message (Scan *scan, const RobocacheMcapPlace *place, GError **error)
{
  const guint64 end = place->offset + ROBOCACHE_MCAP_HEAD_SIZE + place->size;
  RobocacheMcapBytes fields;
  RobocacheMcapBlock *block;
  guint64 time;

  if (!robocache_mcap_walk_peek (&scan->walk, place, ROBOCACHE_MCAP_MESSAGE_HEAD_SIZE - ROBOCACHE_MCAP_HEAD_SIZE, &fields, error))
    return FALSE;
  time = fields.size >= 14 ? robocache_mcap_get_uint64 (fields.data + 6) : 0;
  if (!scan->is_in_messages || last_block (scan)->size >= PLAIN_BLOCK_SIZE) {
    robocache_mcap_file_index_add_block (scan->index, &(RobocacheMcapBlock) {
        .offset = place->offset, .start_time = time, .end_time = time});
    scan->is_in_messages = TRUE;
  }
  block = last_block (scan);
  block->size = end - block->offset;
  block->start_time = MIN (block->start_time, time);
  block->end_time = MAX (block->end_time, time);
  return TRUE;
}

static gboolean
add_definition (Scan *scan, const RobocacheMcapPlace *place, GError **error)
{
  RobocacheMcapBytes content;

  if (!read_content (scan, place, &content, error))
    return FALSE;
  robocache_mcap_definitions_add (scan->index->definitions, place->opcode, content, NULL);
  return TRUE;
}

static gboolean
add_header (Scan *scan, const RobocacheMcapPlace *place, GError **error)
{
  RobocacheMcapBytes content;
  RobocacheMcapRecord record;

  if (!read_content (scan, place, &content, error))
    return FALSE;
  if (!scan->index->profile && robocache_mcap_record_read (&record, place->opcode, content, NULL)) {
    scan->index->profile = robocache_mcap_text_dup (record.header.profile);
    scan->index->library = robocache_mcap_text_dup (record.header.library);
  }
  return TRUE;
}

/* Of attachments the content is not read: their names are, as far as they are in its first bytes. */
static gboolean
add_entry (Scan *scan, const RobocacheMcapPlace *place, GError **error)
{
  const gboolean is_metadata = place->opcode == ROBOCACHE_MCAP_METADATA;
  const gsize n_before = is_metadata ? 0 : 16;
  RobocacheMcapEntry entry = { place->offset, ROBOCACHE_MCAP_HEAD_SIZE + place->size, NULL };
  RobocacheMcapBytes fields, name = { NULL, 0 };

  if (!robocache_mcap_walk_peek (&scan->walk, place, 1024, &fields, error))
    return FALSE;
  if (fields.size >= n_before + 4) {
    name.data = fields.data + n_before + 4;
    name.size = MIN (robocache_mcap_get_uint32 (fields.data + n_before), fields.size - n_before - 4);
  }
  entry.name = robocache_mcap_text_dup (name);
  g_array_append_val (is_metadata ? scan->index->metadata : scan->index->attachments, entry);
  return TRUE;
}

/* Adds what it says. FALSE and an error: the source cannot be read. */
static gboolean
add_record (Scan *scan, const RobocacheMcapPlace *place, GError **error)
{
  if (place->opcode == ROBOCACHE_MCAP_MESSAGE_INDEX)
    return add_message_index (scan, place, error);
  if (!end_chunk (scan, error))
    return FALSE;
  switch (place->opcode) {
    case ROBOCACHE_MCAP_MESSAGE:
      return add_message (scan, place, error);
    case ROBOCACHE_MCAP_SCHEMA:
    case ROBOCACHE_MCAP_CHANNEL:
      return add_definition (scan, place, error);
    default:
      break;
  }
  scan->is_in_messages = FALSE;
  switch (place->opcode) {
    case ROBOCACHE_MCAP_HEADER:
      return add_header (scan, place, error);
    case ROBOCACHE_MCAP_CHUNK:
      return add_chunk (scan, place, error);
    case ROBOCACHE_MCAP_METADATA:
    case ROBOCACHE_MCAP_ATTACHMENT:
      return add_entry (scan, place, error);
    default:
      return TRUE;
  }
}

/* ---- the file ---- */

static gboolean
check_magic (const RobocacheMcapSource *source, GError **error)
{
  guint8 magic[ROBOCACHE_MCAP_MAGIC_SIZE] = { 0 };

  if (source->size >= sizeof magic && !source->read (source->user_data, 0, sizeof magic, magic, error))
    return FALSE;
  if (memcmp (magic, ROBOCACHE_MCAP_MAGIC, sizeof magic) == 0)
    return TRUE;
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "not an MCAP file: it does not start with the magic bytes");
  return FALSE;
}

/* Records up to the end of the data section, or to where no whole one is left. */
static gboolean
scan_records (Scan *scan, GError **error)
{
  RobocacheMcapPlace place;
  GError *failure = NULL;

  scan->index->is_cut = TRUE;
  while (scan->index->is_cut && robocache_mcap_walk_next (&scan->walk, &place, &failure)) {
    scan->index->is_cut = place.opcode != ROBOCACHE_MCAP_FOOTER && place.opcode != ROBOCACHE_MCAP_DATA_END;
    if (!add_record (scan, &place, &failure))
      break;
  }
  if (!failure)
    end_chunk (scan, &failure);
  scan->index->whole_size = scan->index->is_cut ? scan->walk.offset : scan->walk.source->size;
  if (failure)
    g_propagate_error (error, failure);
  return !failure;
}

gboolean
robocache_mcap_file_scan (const RobocacheMcapSource *source, RobocacheMcapFileIndex *index, GError **error)
{
  Scan scan = { .index = index };
  gboolean is_read;

  if (!check_magic (source, error))
    return FALSE;
  robocache_mcap_walk_init (&scan.walk, source, ROBOCACHE_MCAP_MAGIC_SIZE, source->size);
  scan.codec = robocache_mcap_codec_new ();
  scan.packed = g_byte_array_new ();
  scan.memory = g_byte_array_new ();
  is_read = scan_records (&scan, error);
  robocache_mcap_file_index_sort (index);
  robocache_mcap_walk_clear (&scan.walk);
  robocache_mcap_codec_free (scan.codec);
  g_byte_array_unref (scan.packed);
  g_byte_array_unref (scan.memory);
  return is_read;
}

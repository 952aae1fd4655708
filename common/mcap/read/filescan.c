/* robocache: the index of an MCAP file from a walk over its records
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fileindex.h"

#include <string.h>

#include "common/element/errors.h"
#include "common/mcap/compression.h"
#include "recordfit.h"

/* Definitions, headers and names above this are not read. */
#define MAX_RECORD_SIZE ((guint64) 64 << 20)
/* Faults that are noted as texts. */
#define MAX_FAULTS 16
/* Consecutive messages outside chunks are cut into blocks of about this size. */
#define PLAIN_BLOCK_SIZE ((guint64) 1 << 20)
/* Bytes of the two times with which chunks and attachments begin. */
#define TIMES_SIZE (2 * sizeof (guint64))
/* Offset of the log time in a message, after its channel and sequence number. */
#define TIME_AT (sizeof (guint16) + sizeof (guint32))

typedef struct
{
  RobocacheMcapWalk walk;
  RobocacheMcapFileIndex *index;
  gboolean is_in_messages;      /* the last block is a sequence of messages that may continue */
  RobocacheMcapPlace chunk;     /* the last one, while its message indexes are read; size 0: none */
  gboolean is_chunk_unpacked;   /* for its definitions */
  gboolean has_index;           /* it has message indexes */
  RobocacheMcapCodec *codec;
  RobocacheMcapBuffer packed, memory;
  RobocacheMcapView view;
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

/* Definitions in the chunk, and without message indexes its channels and times. If the chunk is damaged, reading it reports the error. */
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
  const gsize size = (gsize) scan->chunk.size;
  RobocacheMcapRecord record;
  RobocacheMcapBytes records;

  scan->is_chunk_unpacked = TRUE;
  /* without memory, reading the block reports the error */
  if (!robocache_mcap_buffer_resize (&scan->packed, size, NULL))
    return TRUE;
  if (!source->read (source->user_data, scan->chunk.offset + ROBOCACHE_MCAP_HEAD_SIZE, size, scan->packed.data, error))
    return FALSE;
  if (robocache_mcap_record_read (&record, ROBOCACHE_MCAP_CHUNK, (RobocacheMcapBytes) {scan->packed.data, size}, NULL)
      && robocache_mcap_unpack (scan->codec, &record.chunk, robocache_mcap_max_unpacked (source->max_bytes, source->size), &scan->memory,
          &records, NULL))
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

  if (!robocache_mcap_walk_peek (&scan->walk, place, TIMES_SIZE, &fields, error))
    return FALSE;
  /* too short for a chunk: reading the block reports the error */
  robocache_mcap_file_index_add_block (scan->index, &(RobocacheMcapBlock) {
      .offset = place->offset,
      .size = ROBOCACHE_MCAP_HEAD_SIZE + place->size,
      .start_time = fields.size == TIMES_SIZE ? robocache_mcap_get_uint64 (fields.data) : 0,
      .end_time = fields.size == TIMES_SIZE ? robocache_mcap_get_uint64 (fields.data + sizeof (guint64)) : 0,
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
  time = fields.size >= TIME_AT + sizeof (time) ? robocache_mcap_get_uint64 (fields.data + TIME_AT) : 0;
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

/* Reads the names of attachments, as far as they are in the first bytes, but not their data. */
static gboolean
add_entry (Scan *scan, const RobocacheMcapPlace *place, GError **error)
{
  const gboolean is_metadata = place->opcode == ROBOCACHE_MCAP_METADATA;
  const gsize n_before = is_metadata ? 0 : TIMES_SIZE, length_size = sizeof (guint32);
  RobocacheMcapEntry entry = { place->offset, ROBOCACHE_MCAP_HEAD_SIZE + place->size, NULL };
  RobocacheMcapBytes fields, name = { NULL, 0 };

  if (!robocache_mcap_walk_peek (&scan->walk, place, 1024, &fields, error))
    return FALSE;
  if (fields.size >= n_before + length_size) {
    name.data = fields.data + n_before + length_size;
    name.size = MIN (robocache_mcap_get_uint32 (fields.data + n_before), fields.size - n_before - length_size);
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

static void
note_fault (Scan *scan, guint64 offset, GError *fault, guint64 resumed_at)
{
  GPtrArray *faults = scan->index->faults;

  scan->is_in_messages = FALSE;
  scan->index->n_faults++;
  if (faults->len < MAX_FAULTS)
    g_ptr_array_add (faults, resumed_at == 0 ? g_strdup_printf ("record at byte %" G_GUINT64_FORMAT ": %s", offset, fault->message)
        : g_strdup_printf ("record at byte %" G_GUINT64_FORMAT ": %s: reading resumes at byte %" G_GUINT64_FORMAT, offset, fault->message,
            resumed_at));
  g_error_free (fault);
}

static RobocacheMcapFit
take_record (Scan *scan, const RobocacheMcapPlace *place, GError **error)
{
  scan->walk.offset = place->offset + ROBOCACHE_MCAP_HEAD_SIZE + place->size;
  scan->index->is_cut = place->opcode != ROBOCACHE_MCAP_FOOTER && place->opcode != ROBOCACHE_MCAP_DATA_END;
  return add_record (scan, place, error) ? ROBOCACHE_MCAP_FIT_RECORD : ROBOCACHE_MCAP_FIT_FAILED;
}

/* Goes on at the next record that fits. Takes the fault; without such a record the file is cut. */
static RobocacheMcapFit
resume (Scan *scan, const RobocacheMcapPlace *place, GError *fault, GError **error)
{
  guint64 offset = place->offset + 1;
  const RobocacheMcapFit fit = robocache_mcap_find_fit (&scan->view, &offset, error);

  if (fit != ROBOCACHE_MCAP_FIT_RECORD) {
    g_error_free (fault);
    return fit;
  }
  note_fault (scan, place->offset, fault, offset);
  scan->walk.offset = offset;
  return fit;
}

/* Scans one record or damaged range. RECORD: there may be more. */
static RobocacheMcapFit
scan_record (Scan *scan, GError **error)
{
  RobocacheMcapPlace place;
  GError *fault = NULL;
  const RobocacheMcapFit fit = robocache_mcap_fit (&scan->view, scan->walk.offset, &place, &fault);

  if (fit == ROBOCACHE_MCAP_FIT_FAILED) {
    g_propagate_error (error, fault);
    return fit;
  }
  if (fit == ROBOCACHE_MCAP_FIT_END || fit == ROBOCACHE_MCAP_FIT_MORE)
    return ROBOCACHE_MCAP_FIT_END;
  if (place.opcode == ROBOCACHE_MCAP_CHUNK)
    scan->view.has_chunks = TRUE;
  if (fit == ROBOCACHE_MCAP_FIT_DAMAGED)
    return resume (scan, &place, fault, error);
  if (fault)
    note_fault (scan, place.offset, fault, 0);
  if (fit == ROBOCACHE_MCAP_FIT_RECORD)
    return take_record (scan, &place, error);
  scan->walk.offset = place.offset + ROBOCACHE_MCAP_HEAD_SIZE + place.size;
  return ROBOCACHE_MCAP_FIT_RECORD;
}

/* Definitions are repeated in the summary, and a chunk that had them may be damaged. Up to the first fault. */
static gboolean
scan_summary (Scan *scan, GError **error)
{
  RobocacheMcapPlace place;
  GError *fault = NULL;

  while (robocache_mcap_fit (&scan->view, scan->walk.offset, &place, &fault) == ROBOCACHE_MCAP_FIT_RECORD && !fault
      && place.opcode != ROBOCACHE_MCAP_FOOTER) {
    if ((place.opcode == ROBOCACHE_MCAP_SCHEMA || place.opcode == ROBOCACHE_MCAP_CHANNEL) && !add_definition (scan, &place, error))
      return FALSE;
    scan->walk.offset = place.offset + ROBOCACHE_MCAP_HEAD_SIZE + place.size;
  }
  g_clear_error (&fault);
  return TRUE;
}

/* Records up to the end of the data section, or to where none that fits is left. */
static gboolean
scan_records (Scan *scan, GError **error)
{
  RobocacheMcapFit fit = ROBOCACHE_MCAP_FIT_RECORD;

  scan->index->is_cut = TRUE;
  while (scan->index->is_cut && fit == ROBOCACHE_MCAP_FIT_RECORD)
    fit = scan_record (scan, error);
  if (fit != ROBOCACHE_MCAP_FIT_FAILED && (!end_chunk (scan, error) || (!scan->index->is_cut && !scan_summary (scan, error))))
    fit = ROBOCACHE_MCAP_FIT_FAILED;
  scan->index->whole_size = scan->index->is_cut ? scan->walk.offset : scan->walk.source->size;
  return fit != ROBOCACHE_MCAP_FIT_FAILED;
}

static gboolean
look (gpointer walk, guint64 offset, gsize size, RobocacheMcapBytes *bytes, GError **error)
{
  return robocache_mcap_walk_look (walk, offset, size, bytes, error);
}

gboolean
robocache_mcap_file_scan (const RobocacheMcapSource *source, RobocacheMcapFileIndex *index, GError **error)
{
  Scan scan = { .index = index };
  gboolean is_read;

  if (!check_magic (source, error))
    return FALSE;
  robocache_mcap_walk_init (&scan.walk, source, ROBOCACHE_MCAP_MAGIC_SIZE, source->size);
  scan.view = (RobocacheMcapView) { look, &scan.walk, source->size, robocache_mcap_source_max_bytes (source), FALSE };
  scan.codec = robocache_mcap_codec_new ();
  is_read = scan_records (&scan, error);
  robocache_mcap_file_index_sort (index);
  robocache_mcap_walk_clear (&scan.walk);
  robocache_mcap_codec_free (scan.codec);
  robocache_mcap_buffer_clear (&scan.packed);
  robocache_mcap_buffer_clear (&scan.memory);
  return is_read;
}

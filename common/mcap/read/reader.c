/* robocache: reads messages of an MCAP file in order of their log times, from any time on
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reader.h"

#include <string.h>
#include <zlib.h>

#include "common/element/errors.h"
#include "filescan.h"
#include "openblock.h"
#include "summary.h"

/* Bytes of blocks that are open because they overlap. Beyond, messages come block by block. */
#define MAX_OPEN_SIZE ((guint64) 512 << 20)
/* Metadata and attachments above this are not read. */
#define MAX_RECORD_SIZE ((guint64) 1 << 30)

struct _RobocacheMcapReader
{
  const RobocacheMcapSource *source;
  RobocacheMcapFileIndex *index;
  const gchar *summary_fault;
  RobocacheMcapCodec *codec;

  GByteArray *is_selected;      /* by channel id; NULL: all */
  guint64 from_time;
  guint next_block;
  GPtrArray *open, *idle;       /* of RobocacheMcapOpenBlock */
  guint64 open_size;
};

/* ---- opening ---- */

/* The summary's index, or that of a scan. NULL and an error. */
static RobocacheMcapFileIndex *
read_index (const RobocacheMcapSource *source, const gchar **summary_fault, GError **error)
{
  RobocacheMcapFileIndex *index = robocache_mcap_file_index_new ();
  gboolean is_read = FALSE;

  switch (robocache_mcap_summary_read (source, index, summary_fault, error)) {
    case ROBOCACHE_MCAP_SUMMARY_READ:
      is_read = TRUE;
      break;
    case ROBOCACHE_MCAP_SUMMARY_UNUSABLE:
      robocache_mcap_file_index_free (index);
      index = robocache_mcap_file_index_new ();
      is_read = robocache_mcap_file_scan (source, index, error);
      break;
    default:
      break;
  }
  if (is_read)
    return index;
  robocache_mcap_file_index_free (index);
  return NULL;
}

RobocacheMcapReader *
robocache_mcap_reader_new (const RobocacheMcapSource *source, GError **error)
{
  const gchar *summary_fault;
  RobocacheMcapFileIndex *index = read_index (source, &summary_fault, error);
  RobocacheMcapReader *reader;

  if (!index)
    return NULL;
  reader = g_new0 (RobocacheMcapReader, 1);
  reader->source = source;
  reader->index = index;
  reader->summary_fault = summary_fault;
  reader->codec = robocache_mcap_codec_new ();
  reader->open = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_mcap_open_block_free);
  reader->idle = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_mcap_open_block_free);
  return reader;
}

void
robocache_mcap_reader_free (RobocacheMcapReader *reader)
{
  robocache_mcap_file_index_free (reader->index);
  robocache_mcap_codec_free (reader->codec);
  g_clear_pointer (&reader->is_selected, g_byte_array_unref);
  g_ptr_array_unref (reader->open);
  g_ptr_array_unref (reader->idle);
  g_free (reader);
}

const RobocacheMcapFileIndex *
robocache_mcap_reader_get_index (const RobocacheMcapReader *reader)
{
  return reader->index;
}

const gchar *
robocache_mcap_reader_get_summary_fault (const RobocacheMcapReader *reader)
{
  return reader->summary_fault;
}

/* ---- blocks ---- */

static const RobocacheMcapBlock *
nth_block (const RobocacheMcapReader *reader, guint i)
{
  return &g_array_index (reader->index->blocks, RobocacheMcapBlock, i);
}

static RobocacheMcapOpenBlock *
nth_open (const RobocacheMcapReader *reader, guint i)
{
  return g_ptr_array_index (reader->open, i);
}

static guint64
size_of (const RobocacheMcapOpenBlock *open)
{
  return open->bytes->len + open->memory->len;
}

/* A block that holds none of the selected channels, or ended before. */
static gboolean
is_skipped (const RobocacheMcapReader *reader, const RobocacheMcapBlock *block)
{
  if (block->end_time < reader->from_time)
    return TRUE;
  if (!reader->is_selected)
    return FALSE;
  for (guint i = 0; i < block->n_channels; i++) {
    const guint16 id = g_array_index (reader->index->channels, guint16, block->first_channel + i);

    if (id < reader->is_selected->len && reader->is_selected->data[id])
      return FALSE;
  }
  return block->n_channels > 0;
}

/* The next block to open; NULL: none. */
static const RobocacheMcapBlock *
peek_block (RobocacheMcapReader *reader)
{
  while (reader->next_block < reader->index->blocks->len && is_skipped (reader, nth_block (reader, reader->next_block)))
    reader->next_block++;
  return reader->next_block < reader->index->blocks->len ? nth_block (reader, reader->next_block) : NULL;
}

static void
close_block (RobocacheMcapReader *reader, guint i)
{
  reader->open_size -= size_of (nth_open (reader, i));
  g_ptr_array_add (reader->idle, g_ptr_array_steal_index (reader->open, i));
}

static RobocacheMcapOpenBlock *
get_idle (RobocacheMcapReader *reader)
{
  if (reader->idle->len > 0)
    return g_ptr_array_steal_index (reader->idle, reader->idle->len - 1);
  return robocache_mcap_open_block_new ();
}

static RobocacheMcapBlockReader
block_reader (const RobocacheMcapReader *reader)
{
  return (RobocacheMcapBlockReader) {reader->source, reader->codec, reader->index->definitions, reader->is_selected, reader->from_time};
}

static RobocacheMcapBlockResult
open_next (RobocacheMcapReader *reader, const RobocacheMcapBlock *block, GError **error)
{
  const RobocacheMcapBlockReader of_block = block_reader (reader);
  RobocacheMcapOpenBlock *open = get_idle (reader);
  const RobocacheMcapBlockResult result = robocache_mcap_open_block_read (open, &of_block, block, error);

  /* where the source failed it is tried again */
  if (result != ROBOCACHE_MCAP_BLOCK_FAILED)
    reader->next_block++;
  g_ptr_array_add (reader->open, open);
  reader->open_size += size_of (open);
  return result;
}

/* ---- messages ---- */

static const RobocacheMcapOpenEntry *
next_entry (const RobocacheMcapOpenBlock *open)
{
  return &g_array_index (open->entries, RobocacheMcapOpenEntry, open->position);
}

static gboolean
is_before (const RobocacheMcapOpenBlock *a, const RobocacheMcapOpenBlock *b)
{
  const guint64 time_a = next_entry (a)->log_time, time_b = next_entry (b)->log_time;

  return time_a != time_b ? time_a < time_b : a->file_offset < b->file_offset;
}

static void
close_finished (RobocacheMcapReader *reader)
{
  for (guint i = reader->open->len; i-- > 0;)
    if (nth_open (reader, i)->position >= nth_open (reader, i)->entries->len)
      close_block (reader, i);
}

/* The open block with the next message; NULL: none is open. */
static RobocacheMcapOpenBlock *
first_open (const RobocacheMcapReader *reader)
{
  RobocacheMcapOpenBlock *first = NULL;

  for (guint i = 0; i < reader->open->len; i++)
    if (!first || is_before (nth_open (reader, i), first))
      first = nth_open (reader, i);
  return first;
}

/* Whether a block may hold a message that comes before the next one of `first`. */
static gboolean
must_open (const RobocacheMcapReader *reader, const RobocacheMcapBlock *block, const RobocacheMcapOpenBlock *first)
{
  if (!block || !first)
    return block != NULL;
  return block->start_time <= next_entry (first)->log_time && reader->open_size + block->size <= MAX_OPEN_SIZE;
}

RobocacheMcapReadResult
robocache_mcap_reader_next (RobocacheMcapReader *reader, RobocacheMcapMessage *message, GError **error)
{
  for (;;) {
    const RobocacheMcapBlock *block = peek_block (reader);
    RobocacheMcapOpenBlock *first;

    close_finished (reader);
    first = first_open (reader);
    if (must_open (reader, block, first)) {
      const RobocacheMcapBlockResult result = open_next (reader, block, error);

      if (result != ROBOCACHE_MCAP_BLOCK_OPEN)
        return result == ROBOCACHE_MCAP_BLOCK_DAMAGED ? ROBOCACHE_MCAP_READ_DAMAGED : ROBOCACHE_MCAP_READ_FAILED;
      continue;
    }
    if (!first)
      return ROBOCACHE_MCAP_READ_END;
    robocache_mcap_open_block_get (first, first->position++, message);
    return ROBOCACHE_MCAP_READ_MESSAGE;
  }
}

void
robocache_mcap_reader_select (RobocacheMcapReader *reader, const guint16 *channel_ids, guint n)
{
  g_clear_pointer (&reader->is_selected, g_byte_array_unref);
  reader->is_selected = g_byte_array_new ();
  g_byte_array_set_size (reader->is_selected, G_MAXUINT16 + 1);
  memset (reader->is_selected->data, 0, reader->is_selected->len);
  for (guint i = 0; i < n; i++)
    reader->is_selected->data[channel_ids[i]] = TRUE;
}

void
robocache_mcap_reader_seek (RobocacheMcapReader *reader, guint64 log_time)
{
  while (reader->open->len > 0)
    close_block (reader, reader->open->len - 1);
  reader->from_time = log_time;
  reader->next_block = robocache_mcap_file_index_find (reader->index, log_time);
}

/* ---- backwards ---- */

/* The last entry of an open block up to a log time that is taken. FALSE: none. */
static gboolean
find_in_block (const RobocacheMcapOpenBlock *open, guint64 log_time, RobocacheMcapTake take, gpointer user_data, guint64 *found)
{
  RobocacheMcapMessage message;

  for (guint i = open->entries->len; i-- > 0;) {
    robocache_mcap_open_block_get (open, i, &message);
    if (message.log_time <= log_time && take (user_data, &message)) {
      *found = message.log_time;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
robocache_mcap_reader_find_back (RobocacheMcapReader *reader, guint16 channel_id, guint64 log_time, RobocacheMcapTake take,
    gpointer user_data, guint64 *found)
{
  RobocacheMcapBlockReader of_block = block_reader (reader);
  GByteArray *is_selected = g_byte_array_new ();
  RobocacheMcapOpenBlock *open = get_idle (reader);
  gboolean has_found = FALSE;
  guint64 time;

  g_byte_array_set_size (is_selected, channel_id + 1);
  memset (is_selected->data, 0, channel_id);
  is_selected->data[channel_id] = TRUE;
  of_block.is_selected = is_selected;
  of_block.from_time = 0;
  for (guint i = reader->index->blocks->len; i-- > 0;) {
    const RobocacheMcapBlock *block = nth_block (reader, i);

    if (has_found && block->max_end_time <= *found)
      break;
    if (block->start_time > log_time || !robocache_mcap_file_index_may_hold (reader->index, block, channel_id))
      continue;
    robocache_mcap_open_block_read (open, &of_block, block, NULL);
    if (find_in_block (open, log_time, take, user_data, &time) && (!has_found || time > *found)) {
      *found = time;
      has_found = TRUE;
    }
  }
  g_byte_array_unref (is_selected);
  g_ptr_array_add (reader->idle, open);
  return has_found;
}

/* ---- other records ---- */

/* The content of a record in the file, in bytes. */
static gboolean
read_entry (RobocacheMcapReader *reader, const RobocacheMcapEntry *entry, guint8 opcode, GByteArray *bytes,
    RobocacheMcapRecord *record, GError **error)
{
  RobocacheMcapBytes sequence, content;
  guint8 found;

  if (entry->size > MAX_RECORD_SIZE || entry->offset > reader->source->size || entry->size > reader->source->size - entry->offset) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s at byte %" G_GUINT64_FORMAT " has %" G_GUINT64_FORMAT " bytes",
        entry->name, entry->offset, entry->size);
    return FALSE;
  }
  g_byte_array_set_size (bytes, (guint) entry->size);
  if (entry->size > 0 && !reader->source->read (reader->source->user_data, entry->offset, (gsize) entry->size, bytes->data, error))
    return FALSE;
  sequence = (RobocacheMcapBytes) {bytes->data, bytes->len};
  if (robocache_mcap_next_record (&sequence, &found, &content) && found == opcode)
    return robocache_mcap_record_read (record, opcode, content, error);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the record at byte %" G_GUINT64_FORMAT " is not a %s record",
      entry->offset, robocache_mcap_opcode_name (opcode));
  return FALSE;
}

GHashTable *
robocache_mcap_reader_get_metadata (RobocacheMcapReader *reader, const RobocacheMcapEntry *entry, GError **error)
{
  GByteArray *bytes = g_byte_array_new ();
  GHashTable *metadata = NULL;
  RobocacheMcapRecord record;

  if (read_entry (reader, entry, ROBOCACHE_MCAP_METADATA, bytes, &record, error))
    metadata = robocache_mcap_text_map (record.metadata.metadata);
  g_byte_array_unref (bytes);
  return metadata;
}

static gboolean
check_attachment (const RobocacheMcapAttachment *attachment, const GByteArray *bytes, GError **error)
{
  const guint8 *end = attachment->data.data + attachment->data.size;
  const guint8 *start = bytes->data + ROBOCACHE_MCAP_HEAD_SIZE;

  if (attachment->crc == 0 || attachment->crc == crc32_z (crc32 (0, NULL, 0), start, (gsize) (end - start)))
    return TRUE;
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the attachment is damaged: its CRC differs");
  return FALSE;
}

GBytes *
robocache_mcap_reader_get_attachment (RobocacheMcapReader *reader, const RobocacheMcapEntry *entry, GError **error)
{
  GByteArray *bytes = g_byte_array_new ();
  RobocacheMcapRecord record;
  GBytes *data = NULL;

  if (read_entry (reader, entry, ROBOCACHE_MCAP_ATTACHMENT, bytes, &record, error) && check_attachment (&record.attachment, bytes, error))
    data = g_bytes_new (record.attachment.data.data, record.attachment.data.size);
  g_byte_array_unref (bytes);
  return data;
}

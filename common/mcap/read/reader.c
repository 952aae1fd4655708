/* robocache: reads messages of an MCAP file in order of their log times, from any time on
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reader.h"

#include <string.h>
#include <zlib.h>

#include "common/element/errors.h"
#include "common/mcap/compression.h"

/* Bytes of blocks that are open because they overlap. Beyond, messages come block by block. */
#define MAX_OPEN_SIZE ((guint64) 512 << 20)
/* Closed blocks keep as much memory, except the last one, which keeps all. */
#define MAX_IDLE_SIZE ((guint64) 4 << 20)
/* Bytes that a block may have in addition to its largest message, or to the records of a chunk. */
#define MAX_MORE_BYTES ((guint64) 2 << 20)
/* Metadata and attachments above these are not read. */
#define MAX_METADATA_SIZE ((guint64) 64 << 20)
#define MAX_ATTACHMENT_SIZE ((guint64) 1 << 30)

/* A message of an open block. */
typedef struct
{
  guint64 log_time, offset;     /* log time and offset of the record in the block */
} OpenEntry;

/* A block whose messages are listed in order of their log times. */
typedef struct
{
  guint64 file_offset;          /* offset of the block in the file */
  RobocacheMcapBuffer bytes, memory;    /* the block as in the file, and decompressed */
  RobocacheMcapBytes records;   /* the records, in bytes or in memory */
  GArray *entries;              /* OpenEntry items */
  guint position;               /* index of the next entry */
} OpenBlock;

/* The part of a block that is read. */
typedef struct
{
  const RobocacheMcapSource *source;
  RobocacheMcapCodec *codec;
  RobocacheMcapDefinitions *definitions;        /* receives the definitions in the block */
  const GByteArray *is_selected;        /* by channel id; NULL: all channels */
  guint64 from_time;            /* earlier entries are omitted */
  gboolean checks_times;        /* the times of the block have no CRC, so messages outside them are a fault */
  RobocacheMcapUnpack unpack;   /* of another format; NULL: MCAP */
  gpointer user_data;
} BlockReader;

typedef enum
{
  BLOCK_OPEN,
  BLOCK_DAMAGED,                /* an error; the readable part is available */
  BLOCK_FAILED                  /* an error of the source */
} BlockResult;

struct _RobocacheMcapReader
{
  const RobocacheMcapSource *source;
  RobocacheMcapFileIndex *index;
  const gchar *summary_fault;
  RobocacheMcapCodec *codec;
  RobocacheMcapUnpack unpack;   /* of another format; NULL: MCAP */
  gpointer user_data;

  GByteArray *is_selected;      /* by channel id; NULL: all */
  guint64 from_time;
  guint next_block;
  GPtrArray *open, *idle;       /* OpenBlock items with messages left; items to use again */
  guint64 open_size;
  guint64 last_time;            /* of the messages since the last seek; 0: none */
  gboolean is_disordered;       /* since then a message came late, which was reported */
};

/* ---- a block ---- */

static OpenBlock *
new_open_block (void)
{
  OpenBlock *open = g_new0 (OpenBlock, 1);

  open->entries = g_array_new (FALSE, FALSE, sizeof (OpenEntry));
  return open;
}

static void
free_open_block (OpenBlock *open)
{
  robocache_mcap_buffer_clear (&open->bytes);
  robocache_mcap_buffer_clear (&open->memory);
  g_array_unref (open->entries);
  g_free (open);
}

static BlockResult
damaged (const OpenBlock *open, GError **error)
{
  g_prefix_error (error, "block at byte %" G_GUINT64_FORMAT ": ", open->file_offset);
  return BLOCK_DAMAGED;
}

static BlockResult
fail (const OpenBlock *open, GError **error, const gchar *what)
{
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, what);
  return damaged (open, error);
}

static BlockResult
read_bytes (OpenBlock *open, const RobocacheMcapSource *source, const RobocacheMcapBlock *block, GError **error)
{
  /* plus the bytes before the records of a chunk, and messages of a block before its last one */
  const guint64 limit = robocache_mcap_source_max_bytes (source) + MAX_MORE_BYTES;

  if (block->offset > source->size || block->size > source->size - block->offset)
    return fail (open, error, "it ends after the end of the file");
  if (block->size > limit) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "it has %" G_GUINT64_FORMAT " bytes, more than %" G_GUINT64_FORMAT,
        block->size, limit);
    return damaged (open, error);
  }
  if (!robocache_mcap_buffer_resize (&open->bytes, (gsize) block->size, error))
    return damaged (open, error);
  if (block->size > 0 && !source->read (source->user_data, block->offset, (gsize) block->size, open->bytes.data, error))
    return BLOCK_FAILED;
  return BLOCK_OPEN;
}

static BlockResult
unpack_block (OpenBlock *open, const BlockReader *reader, GError **error)
{
  RobocacheMcapBytes content = { open->bytes.data, open->bytes.size };
  RobocacheMcapRecord record;

  if (reader->unpack) {
    const gboolean ok = reader->unpack (reader->user_data, content, &open->memory, error);

    open->records = (RobocacheMcapBytes) {open->memory.data, open->memory.size};
    return ok ? BLOCK_OPEN : damaged (open, error);
  }
  if (content.size < ROBOCACHE_MCAP_HEAD_SIZE || content.data[0] != ROBOCACHE_MCAP_CHUNK)
    return fail (open, error, "it is not a Chunk record");
  /* the index has its length: where the head has another one it is damaged, and the records have a CRC */
  content.data += ROBOCACHE_MCAP_HEAD_SIZE;
  content.size -= ROBOCACHE_MCAP_HEAD_SIZE;
  if (!robocache_mcap_record_read (&record, ROBOCACHE_MCAP_CHUNK, content, error)
      || !robocache_mcap_unpack (reader->codec, &record.chunk, robocache_mcap_max_unpacked (reader->source->max_bytes, reader->source->size),
          &open->memory, &open->records, error))
    return damaged (open, error);
  return BLOCK_OPEN;
}

static gboolean
is_wanted (const BlockReader *reader, const RobocacheMcapMessage *message)
{
  return message->log_time >= reader->from_time && (!reader->is_selected
      || (message->channel_id < reader->is_selected->len && reader->is_selected->data[message->channel_id]));
}

static gboolean
check_time (const RobocacheMcapBlock *block, guint64 log_time, GError **error)
{
  if (log_time >= block->start_time && log_time <= block->end_time)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "it has a message at log time %" G_GUINT64_FORMAT ", but its header "
      "gives %"
      G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, log_time, block->start_time, block->end_time);
  return FALSE;
}

/* Adds a message, or a definition. FALSE and an error: it is damaged. */
static gboolean
add_record (OpenBlock *open, const BlockReader *reader, const RobocacheMcapBlock *block, guint8 opcode,
    RobocacheMcapBytes content, guint64 offset, GError **error)
{
  RobocacheMcapRecord record;

  if (opcode != ROBOCACHE_MCAP_MESSAGE)
    return robocache_mcap_definitions_add (reader->definitions, opcode, content, error);
  if (!robocache_mcap_record_read (&record, opcode, content, error))
    return FALSE;
  if (is_wanted (reader, &record.message)) {
    const OpenEntry entry = { record.message.log_time, offset };

    g_array_append_val (open->entries, entry);
  }
  return !reader->checks_times || check_time (block, record.message.log_time, error);
}

/* A damaged record is left out; the error is of the first. */
static BlockResult
list_entries (OpenBlock *open, const BlockReader *reader, const RobocacheMcapBlock *block, GError **error)
{
  RobocacheMcapBytes left = open->records, content;
  GError *fault = NULL;
  guint64 offset = 0;
  guint8 opcode;

  for (; robocache_mcap_next_record (&left, &opcode, &content); offset = open->records.size - left.size)
    add_record (open, reader, block, opcode, content, offset, fault ? NULL : &fault);
  if (!fault)
    return left.size == 0 ? BLOCK_OPEN : fail (open, error, "its last record is truncated");
  g_propagate_error (error, fault);
  return damaged (open, error);
}

static gint
compare_entries (gconstpointer a, gconstpointer b)
{
  const OpenEntry *first = a, *second = b;

  if (first->log_time != second->log_time)
    return first->log_time < second->log_time ? -1 : 1;
  return first->offset < second->offset ? -1 : first->offset > second->offset;
}

static void
sort_entries (GArray *entries)
{
  const OpenEntry *entry = (const OpenEntry *) entries->data;
  guint i = 1;

  while (i < entries->len && entry[i - 1].log_time <= entry[i].log_time)
    i++;
  if (i < entries->len)
    g_array_sort (entries, compare_entries);
}

/* Opens a block, which replaces the previous one. */
static BlockResult
read_block (OpenBlock *open, const BlockReader *reader, const RobocacheMcapBlock *block,
    GError **error)
{
  BlockResult result;

  open->file_offset = block->offset;
  open->position = 0;
  g_array_set_size (open->entries, 0);
  result = read_bytes (open, reader->source, block, error);
  open->records = (RobocacheMcapBytes) {open->bytes.data, open->bytes.size};
  if (result == BLOCK_OPEN && block->is_chunk) {
    result = unpack_block (open, reader, error);
    /* the records before the fault are whole */
    if (result == BLOCK_DAMAGED && reader->unpack)
      list_entries (open, reader, block, NULL);
  }
  if (result == BLOCK_OPEN)
    result = list_entries (open, reader, block, error);
  sort_entries (open->entries);
  return result;
}

/* Returns the message of an entry. */
static void
get_message (const OpenBlock *open, guint entry, RobocacheMcapMessage *message)
{
  const gsize offset = (gsize) g_array_index (open->entries, OpenEntry, entry).offset;
  RobocacheMcapBytes left = { open->records.data + offset, open->records.size - offset }, content;
  RobocacheMcapRecord record;
  guint8 opcode;

  robocache_mcap_next_record (&left, &opcode, &content);
  robocache_mcap_record_read (&record, opcode, content, NULL);
  *message = record.message;
}

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
robocache_mcap_reader_new_of (const RobocacheMcapSource *source, RobocacheMcapFileIndex *index, RobocacheMcapUnpack unpack,
    gpointer user_data)
{
  RobocacheMcapReader *reader = g_new0 (RobocacheMcapReader, 1);

  reader->source = source;
  reader->index = index;
  reader->unpack = unpack;
  reader->user_data = user_data;
  reader->codec = robocache_mcap_codec_new ();
  reader->open = g_ptr_array_new_with_free_func ((GDestroyNotify) free_open_block);
  reader->idle = g_ptr_array_new_with_free_func ((GDestroyNotify) free_open_block);
  return reader;
}

RobocacheMcapReader *
robocache_mcap_reader_new (const RobocacheMcapSource *source, GError **error)
{
  const gchar *summary_fault;
  RobocacheMcapFileIndex *index = read_index (source, &summary_fault, error);
  RobocacheMcapReader *reader = index ? robocache_mcap_reader_new_of (source, index, NULL, NULL) : NULL;

  if (reader)
    reader->summary_fault = summary_fault;
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

static OpenBlock *
nth_open (const RobocacheMcapReader *reader, guint i)
{
  return g_ptr_array_index (reader->open, i);
}

static guint64
size_of (const OpenBlock *open)
{
  return open->bytes.size + open->memory.size;
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
  OpenBlock *open = g_ptr_array_steal_index (reader->open, i);

  reader->open_size -= size_of (open);
  if (reader->idle->len > 0 && size_of (open) > MAX_IDLE_SIZE)
    free_open_block (open);
  else
    g_ptr_array_add (reader->idle, open);
}

static OpenBlock *
get_idle (RobocacheMcapReader *reader)
{
  if (reader->idle->len > 0)
    return g_ptr_array_steal_index (reader->idle, reader->idle->len - 1);
  return new_open_block ();
}

static BlockReader
block_reader (const RobocacheMcapReader *reader)
{
  return (BlockReader) {reader->source, reader->codec, reader->index->definitions, reader->is_selected, reader->from_time,
        !reader->index->has_summary || reader->unpack, reader->unpack, reader->user_data};
}

static BlockResult
open_next (RobocacheMcapReader *reader, const RobocacheMcapBlock *block, GError **error)
{
  const BlockReader of_block = block_reader (reader);
  OpenBlock *open = get_idle (reader);
  const BlockResult result = read_block (open, &of_block, block, error);

  /* where the source failed it is tried again */
  if (result != BLOCK_FAILED)
    reader->next_block++;
  g_ptr_array_add (reader->open, open);
  reader->open_size += size_of (open);
  return result;
}

/* ---- messages ---- */

static const OpenEntry *
next_entry (const OpenBlock *open)
{
  return &g_array_index (open->entries, OpenEntry, open->position);
}

static gboolean
is_before (const OpenBlock *a, const OpenBlock *b)
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
static OpenBlock *
first_open (const RobocacheMcapReader *reader)
{
  OpenBlock *first = NULL;

  for (guint i = 0; i < reader->open->len; i++)
    if (!first || is_before (nth_open (reader, i), first))
      first = nth_open (reader, i);
  return first;
}

/* Bytes of open blocks, above which messages of a further one come late. */
static guint64
max_open_size (const RobocacheMcapReader *reader)
{
  const guint64 of_chunk = robocache_mcap_max_unpacked (0, reader->source->size);

  return reader->source->max_bytes ? MAX_OPEN_SIZE : MIN (MAX_OPEN_SIZE, of_chunk + reader->source->size / 2);
}

/* Whether a block may hold a message that comes before the next one of `first`. */
static gboolean
must_open (const RobocacheMcapReader *reader, const RobocacheMcapBlock *block, const OpenBlock *first)
{
  if (!block || !first)
    return block != NULL;
  return block->start_time <= next_entry (first)->log_time && reader->open_size + block->size <= max_open_size (reader);
}

/* TRUE and an error, once after a seek: the next message is earlier than one before it. */
static gboolean
report_disorder (RobocacheMcapReader *reader, guint64 time, GError **error)
{
  const guint64 limit = max_open_size (reader);

  if (reader->is_disordered || time >= reader->last_time)
    return FALSE;
  reader->is_disordered = TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "messages are out of order: chunks that overlap in time have more than %"
      G_GUINT64_FORMAT " MiB unpacked. %sort the file by time%s", limit >> 20, limit < MAX_OPEN_SIZE ? "Set max-message-bytes, which allows 512 MiB, or s"
      : "S", reader->unpack ? "" : ", as \"mcap sort\" does");
  return TRUE;
}

RobocacheMcapReadResult
robocache_mcap_reader_next (RobocacheMcapReader *reader, RobocacheMcapMessage *message, GError **error)
{
  for (;;) {
    const RobocacheMcapBlock *block = peek_block (reader);
    OpenBlock *first;

    close_finished (reader);
    first = first_open (reader);
    if (must_open (reader, block, first)) {
      const BlockResult result = open_next (reader, block, error);

      if (result != BLOCK_OPEN)
        return result == BLOCK_DAMAGED ? ROBOCACHE_MCAP_READ_DAMAGED : ROBOCACHE_MCAP_READ_FAILED;
      continue;
    }
    if (!first)
      return ROBOCACHE_MCAP_READ_END;
    if (report_disorder (reader, next_entry (first)->log_time, error))
      return ROBOCACHE_MCAP_READ_DAMAGED;
    reader->last_time = MAX (reader->last_time, next_entry (first)->log_time);
    get_message (first, first->position++, message);
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
  reader->last_time = 0;
  reader->is_disordered = FALSE;
  reader->from_time = log_time;
  reader->next_block = robocache_mcap_file_index_find (reader->index, log_time);
}

/* ---- backwards ---- */

/* The last entry of an open block up to a log time that is taken. FALSE: none. */
static gboolean
find_in_block (const OpenBlock *open, guint64 log_time, RobocacheMcapTake take, gpointer user_data, guint64 *found)
{
  RobocacheMcapMessage message;

  for (guint i = open->entries->len; i-- > 0;) {
    get_message (open, i, &message);
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
  BlockReader of_block = block_reader (reader);
  GByteArray *is_selected = g_byte_array_new ();
  OpenBlock *open = get_idle (reader);
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
    read_block (open, &of_block, block, NULL);
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
read_entry (RobocacheMcapReader *reader, const RobocacheMcapEntry *entry, guint8 opcode, RobocacheMcapBuffer *bytes,
    RobocacheMcapRecord *record, GError **error)
{
  RobocacheMcapBytes sequence, content;
  guint8 found;

  if (entry->size > (opcode == ROBOCACHE_MCAP_METADATA ? MAX_METADATA_SIZE : MAX_ATTACHMENT_SIZE) || entry->offset > reader->source->size || entry->size > reader->source->size - entry->offset) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%s at byte %" G_GUINT64_FORMAT " has %" G_GUINT64_FORMAT " bytes",
        entry->name, entry->offset, entry->size);
    return FALSE;
  }
  if (!robocache_mcap_buffer_resize (bytes, (gsize) entry->size, error))
    return FALSE;
  if (entry->size > 0 && !reader->source->read (reader->source->user_data, entry->offset, (gsize) entry->size, bytes->data, error))
    return FALSE;
  sequence = (RobocacheMcapBytes) {bytes->data, bytes->size};
  if (robocache_mcap_next_record (&sequence, &found, &content) && found == opcode)
    return robocache_mcap_record_read (record, opcode, content, error);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the record at byte %" G_GUINT64_FORMAT " is not a %s record",
      entry->offset, robocache_mcap_opcode_name (opcode));
  return FALSE;
}

GHashTable *
robocache_mcap_reader_get_metadata (RobocacheMcapReader *reader, const RobocacheMcapEntry *entry, GError **error)
{
  RobocacheMcapBuffer bytes = { 0 };
  GHashTable *metadata = NULL;
  RobocacheMcapRecord record;

  if (read_entry (reader, entry, ROBOCACHE_MCAP_METADATA, &bytes, &record, error))
    metadata = robocache_mcap_text_map (record.metadata.metadata);
  robocache_mcap_buffer_clear (&bytes);
  return metadata;
}

static gboolean
check_attachment (const RobocacheMcapAttachment *attachment, const RobocacheMcapBuffer *bytes, GError **error)
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
  RobocacheMcapBuffer bytes = { 0 };
  RobocacheMcapRecord record;
  GBytes *whole, *data = NULL;

  if (read_entry (reader, entry, ROBOCACHE_MCAP_ATTACHMENT, &bytes, &record, error)
      && check_attachment (&record.attachment, &bytes, error)) {
    whole = g_bytes_new_take (bytes.data, bytes.size);
    data = g_bytes_new_from_bytes (whole, (gsize) (record.attachment.data.data - bytes.data), record.attachment.data.size);
    g_bytes_unref (whole);
    return data;
  }
  robocache_mcap_buffer_clear (&bytes);
  return NULL;
}

/* robocache: the messages of one block of an MCAP file, in order of their log times
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "openblock.h"

#include "common/mcap/chunk.h"
#include "common/element/errors.h"
#include "unpack.h"

RobocacheMcapOpenBlock *
robocache_mcap_open_block_new (void)
{
  RobocacheMcapOpenBlock *open = g_new0 (RobocacheMcapOpenBlock, 1);

  open->bytes = g_byte_array_new ();
  open->memory = g_byte_array_new ();
  open->entries = g_array_new (FALSE, FALSE, sizeof (RobocacheMcapOpenEntry));
  return open;
}

void
robocache_mcap_open_block_free (RobocacheMcapOpenBlock *open)
{
  g_byte_array_unref (open->bytes);
  g_byte_array_unref (open->memory);
  g_array_unref (open->entries);
  g_free (open);
}

static RobocacheMcapBlockResult
damaged (const RobocacheMcapOpenBlock *open, GError **error)
{
  g_prefix_error (error, "block at byte %" G_GUINT64_FORMAT ": ", open->file_offset);
  return ROBOCACHE_MCAP_BLOCK_DAMAGED;
}

static RobocacheMcapBlockResult
fail (const RobocacheMcapOpenBlock *open, GError **error, const gchar *what)
{
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, what);
  return damaged (open, error);
}

/* ---- bytes ---- */

static RobocacheMcapBlockResult
read_bytes (RobocacheMcapOpenBlock *open, const RobocacheMcapSource *source, const RobocacheMcapBlock *block, GError **error)
{
  if (block->offset > source->size || block->size > source->size - block->offset)
    return fail (open, error, "it ends behind the file");
  if (block->size > 2 * ROBOCACHE_MCAP_MAX_CHUNK_SIZE)
    return fail (open, error, "it is too large");
  g_byte_array_set_size (open->bytes, (guint) block->size);
  if (block->size > 0 && !source->read (source->user_data, block->offset, (gsize) block->size, open->bytes->data, error))
    return ROBOCACHE_MCAP_BLOCK_FAILED;
  return ROBOCACHE_MCAP_BLOCK_OPEN;
}

static RobocacheMcapBlockResult
unpack (RobocacheMcapOpenBlock *open, RobocacheMcapCodec *codec, GError **error)
{
  RobocacheMcapBytes sequence = { open->bytes->data, open->bytes->len }, content;
  RobocacheMcapRecord record;
  guint8 opcode;

  if (!robocache_mcap_next_record (&sequence, &opcode, &content) || opcode != ROBOCACHE_MCAP_CHUNK)
    return fail (open, error, "it is not a Chunk record");
  if (!robocache_mcap_record_read (&record, opcode, content, error)
      || !robocache_mcap_unpack (codec, &record.chunk, open->memory, &open->records, error))
    return damaged (open, error);
  return ROBOCACHE_MCAP_BLOCK_OPEN;
}

/* ---- entries ---- */

static gboolean
is_wanted (const RobocacheMcapBlockReader *reader, const RobocacheMcapMessage *message)
{
  return message->log_time >= reader->from_time && (!reader->is_selected
      || (message->channel_id < reader->is_selected->len && reader->is_selected->data[message->channel_id]));
}

/* Adds a message, or a definition. FALSE and an error: it is damaged. */
static gboolean
add_record (RobocacheMcapOpenBlock *open, const RobocacheMcapBlockReader *reader, guint8 opcode, RobocacheMcapBytes content,
    guint64 offset, GError **error)
{
  RobocacheMcapRecord record;

  if (opcode != ROBOCACHE_MCAP_MESSAGE)
    return robocache_mcap_definitions_add (reader->definitions, opcode, content, error);
  if (!robocache_mcap_record_read (&record, opcode, content, error))
    return FALSE;
  if (is_wanted (reader, &record.message)) {
    const RobocacheMcapOpenEntry entry = { record.message.log_time, offset };

    g_array_append_val (open->entries, entry);
  }
  return TRUE;
}

/* A damaged record is left out; the error is of the first. */
static RobocacheMcapBlockResult
list_entries (RobocacheMcapOpenBlock *open, const RobocacheMcapBlockReader *reader, GError **error)
{
  RobocacheMcapBytes left = open->records, content;
  GError *fault = NULL;
  guint64 offset = 0;
  guint8 opcode;

  for (; robocache_mcap_next_record (&left, &opcode, &content); offset = open->records.size - left.size)
    add_record (open, reader, opcode, content, offset, fault ? NULL : &fault);
  if (!fault)
    return left.size == 0 ? ROBOCACHE_MCAP_BLOCK_OPEN : fail (open, error, "its last record is cut");
  g_propagate_error (error, fault);
  return damaged (open, error);
}

static gint
compare_entries (gconstpointer a, gconstpointer b)
{
  const RobocacheMcapOpenEntry *first = a, *second = b;

  if (first->log_time != second->log_time)
    return first->log_time < second->log_time ? -1 : 1;
  return first->offset < second->offset ? -1 : first->offset > second->offset;
}

static void
sort_entries (GArray *entries)
{
  const RobocacheMcapOpenEntry *entry = (const RobocacheMcapOpenEntry *) entries->data;
  guint i = 1;

  while (i < entries->len && entry[i - 1].log_time <= entry[i].log_time)
    i++;
  if (i < entries->len)
    g_array_sort (entries, compare_entries);
}

RobocacheMcapBlockResult
robocache_mcap_open_block_read (RobocacheMcapOpenBlock *open, const RobocacheMcapBlockReader *reader, const RobocacheMcapBlock *block,
    GError **error)
{
  RobocacheMcapBlockResult result;

  open->file_offset = block->offset;
  open->position = 0;
  g_array_set_size (open->entries, 0);
  result = read_bytes (open, reader->source, block, error);
  open->records = (RobocacheMcapBytes) {open->bytes->data, open->bytes->len};
  if (result == ROBOCACHE_MCAP_BLOCK_OPEN && block->is_chunk)
    result = unpack (open, reader->codec, error);
  if (result == ROBOCACHE_MCAP_BLOCK_OPEN)
    result = list_entries (open, reader, error);
  sort_entries (open->entries);
  return result;
}

void
robocache_mcap_open_block_get (const RobocacheMcapOpenBlock *open, guint entry, RobocacheMcapMessage *message)
{
  const gsize offset = (gsize) g_array_index (open->entries, RobocacheMcapOpenEntry, entry).offset;
  RobocacheMcapBytes left = { open->records.data + offset, open->records.size - offset }, content;
  RobocacheMcapRecord record;
  guint8 opcode;

  robocache_mcap_next_record (&left, &opcode, &content);
  robocache_mcap_record_read (&record, opcode, content, NULL);
  *message = record.message;
}

/* robocache: a chunk of an MCAP file while it is filled
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "chunk.h"

#include <string.h>

/* Definitions may come beside the data of a full chunk. */
#define MAX_SLACK ((gsize) 64 << 20)

static void
free_index (gpointer index)
{
  if (index)
    g_byte_array_unref (index);
}

RobocacheMcapChunk *
robocache_mcap_chunk_new (gsize size)
{
  RobocacheMcapChunk *chunk = g_new0 (RobocacheMcapChunk, 1);

  chunk->records = g_byte_array_sized_new ((guint) MIN (size, ROBOCACHE_MCAP_MAX_CHUNK_SIZE));
  chunk->indexes = g_ptr_array_new_with_free_func (free_index);
  chunk->definitions = g_byte_array_new ();
  return chunk;
}

void
robocache_mcap_chunk_free (RobocacheMcapChunk *chunk)
{
  g_byte_array_unref (chunk->records);
  g_ptr_array_unref (chunk->indexes);
  g_byte_array_unref (chunk->definitions);
  g_free (chunk);
}

void
robocache_mcap_chunk_clear (RobocacheMcapChunk *chunk)
{
  g_byte_array_set_size (chunk->records, 0);
  g_byte_array_set_size (chunk->definitions, 0);
  for (guint i = 0; i < chunk->indexes->len; i++)
    if (chunk->indexes->pdata[i])
      g_byte_array_set_size (chunk->indexes->pdata[i], 0);
  chunk->n_messages = chunk->start_time = chunk->end_time = 0;
}

gboolean
robocache_mcap_chunk_fits (const RobocacheMcapChunk *chunk, gsize size)
{
  return size <= ROBOCACHE_MCAP_MAX_CHUNK_SIZE - ROBOCACHE_MCAP_MESSAGE_HEAD_SIZE
      && chunk->records->len <= ROBOCACHE_MCAP_MAX_CHUNK_SIZE - ROBOCACHE_MCAP_MESSAGE_HEAD_SIZE - size;
}

gboolean
robocache_mcap_chunk_reserve (RobocacheMcapChunk *chunk, gsize size, gsize expected)
{
  const guint used = chunk->records->len;
  const gsize needed = used + size;
  gsize capacity = MIN (MAX (MAX (needed, expected), 2 * chunk->capacity), ROBOCACHE_MCAP_MAX_CHUNK_SIZE + MAX_SLACK);
  GByteArray *records;
  guint8 *data;

  if (needed <= chunk->capacity)
    return TRUE;
  data = g_try_malloc (capacity);
  if (!data && capacity > needed)
    data = g_try_malloc (capacity = needed);
  if (!data)
    return FALSE;
  if (used > 0)
    memcpy (data, chunk->records->data, used);
  records = g_byte_array_new_take (data, capacity);
  g_byte_array_set_size (records, used);
  g_byte_array_unref (chunk->records);
  chunk->records = records;
  chunk->capacity = capacity;
  return TRUE;
}

static void
add_definition (RobocacheMcapChunk *chunk, guint8 opcode, gconstpointer record)
{
  const guint start = chunk->records->len;

  robocache_mcap_append_record (chunk->records, opcode, record);
  g_byte_array_append (chunk->definitions, chunk->records->data + start, chunk->records->len - start);
}

void
robocache_mcap_chunk_add_schema (RobocacheMcapChunk *chunk, const RobocacheMcapSchema *schema)
{
  add_definition (chunk, ROBOCACHE_MCAP_SCHEMA, schema);
}

void
robocache_mcap_chunk_add_channel (RobocacheMcapChunk *chunk, const RobocacheMcapChannel *channel)
{
  add_definition (chunk, ROBOCACHE_MCAP_CHANNEL, channel);
}

static GByteArray *
index_of (RobocacheMcapChunk *chunk, guint16 channel_id)
{
  if (channel_id >= chunk->indexes->len)
    g_ptr_array_set_size (chunk->indexes, channel_id + 1);
  if (!chunk->indexes->pdata[channel_id])
    chunk->indexes->pdata[channel_id] = g_byte_array_new ();
  return chunk->indexes->pdata[channel_id];
}

/* Moves the last entry before those that are later. */
static void
sort_last_entry (GByteArray *index)
{
  guint8 entry[ROBOCACHE_MCAP_INDEX_ENTRY_SIZE];
  const gsize size = sizeof (entry);
  gsize at = index->len - size;
  guint64 time;

  memcpy (entry, index->data + at, size);
  time = robocache_mcap_get_uint64 (entry);
  for (; at > 0 && robocache_mcap_get_uint64 (index->data + at - size) > time; at -= size)
    memcpy (index->data + at, index->data + at - size, size);
  memcpy (index->data + at, entry, size);
}

void
robocache_mcap_chunk_add_message (RobocacheMcapChunk *chunk, const RobocacheMcapMessage *message, const RobocacheMcapBytes *pieces,
    guint n_pieces)
{
  GByteArray *index = index_of (chunk, message->channel_id);
  gsize size = 0;

  robocache_mcap_append_entry (index, message->log_time, chunk->records->len);
  sort_last_entry (index);
  for (guint i = 0; i < n_pieces; i++)
    size += pieces[i].size;
  robocache_mcap_append_message_head (chunk->records, message, size);
  for (guint i = 0; i < n_pieces; i++)
    if (pieces[i].size > 0)
      g_byte_array_append (chunk->records, pieces[i].data, (guint) pieces[i].size);
  chunk->start_time = chunk->n_messages ? MIN (chunk->start_time, message->log_time) : message->log_time;
  chunk->end_time = MAX (chunk->end_time, message->log_time);
  chunk->n_messages++;
}

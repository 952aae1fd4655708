/* robocache: what an MCAP file has: its schemas and channels, and where its messages, metadata and attachments are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fileindex.h"

#include <string.h>

/* ---- definitions ---- */

struct _RobocacheMcapDefinitions
{
  GPtrArray *schemas, *channels;        /* by id; NULL for ids without a definition */
};

static void
free_schema (gpointer data)
{
  RobocacheMcapSchemaInfo *schema = data;

  if (!schema)
    return;
  g_free (schema->name);
  g_free (schema->encoding);
  g_free (schema->data);
  g_free (schema);
}

static void
free_channel (gpointer data)
{
  RobocacheMcapChannelInfo *channel = data;

  if (!channel)
    return;
  g_free (channel->topic);
  g_free (channel->message_encoding);
  g_hash_table_unref (channel->metadata);
  g_free (channel);
}

RobocacheMcapDefinitions *
robocache_mcap_definitions_new (void)
{
  RobocacheMcapDefinitions *definitions = g_new0 (RobocacheMcapDefinitions, 1);

  definitions->schemas = g_ptr_array_new_with_free_func (free_schema);
  definitions->channels = g_ptr_array_new_with_free_func (free_channel);
  return definitions;
}

void
robocache_mcap_definitions_free (RobocacheMcapDefinitions *definitions)
{
  g_ptr_array_unref (definitions->schemas);
  g_ptr_array_unref (definitions->channels);
  g_free (definitions);
}

static gpointer
lookup (const GPtrArray *infos, guint16 id)
{
  return id < infos->len ? infos->pdata[id] : NULL;
}

static void
store (GPtrArray *infos, guint16 id, gpointer info)
{
  if (id >= infos->len)
    g_ptr_array_set_size (infos, id + 1);
  infos->pdata[id] = info;
}

static RobocacheMcapSchemaInfo *
new_schema (const RobocacheMcapSchema *record)
{
  RobocacheMcapSchemaInfo *schema = g_new0 (RobocacheMcapSchemaInfo, 1);

  schema->id = record->id;
  schema->name = robocache_mcap_text_dup (record->name);
  schema->encoding = robocache_mcap_text_dup (record->encoding);
  schema->size = record->data.size;
  schema->data = g_malloc (schema->size);
  if (schema->size > 0)
    memcpy (schema->data, record->data.data, schema->size);
  return schema;
}

static RobocacheMcapChannelInfo *
new_channel (const RobocacheMcapChannel *record)
{
  RobocacheMcapChannelInfo *channel = g_new0 (RobocacheMcapChannelInfo, 1);

  channel->id = record->id;
  channel->schema_id = record->schema_id;
  channel->topic = robocache_mcap_text_dup (record->topic);
  channel->message_encoding = robocache_mcap_text_dup (record->message_encoding);
  channel->metadata = robocache_mcap_text_map (record->metadata);
  return channel;
}

gboolean
robocache_mcap_definitions_add (RobocacheMcapDefinitions *definitions, guint8 opcode, RobocacheMcapBytes content, GError **error)
{
  RobocacheMcapRecord record;

  if (opcode != ROBOCACHE_MCAP_SCHEMA && opcode != ROBOCACHE_MCAP_CHANNEL)
    return TRUE;
  if (!robocache_mcap_record_read (&record, opcode, content, error))
    return FALSE;
  if (opcode == ROBOCACHE_MCAP_CHANNEL) {
    if (!lookup (definitions->channels, record.channel.id))
      store (definitions->channels, record.channel.id, new_channel (&record.channel));
  } else if (record.schema.id != 0 && !lookup (definitions->schemas, record.schema.id)) {
    store (definitions->schemas, record.schema.id, new_schema (&record.schema));
  }
  return TRUE;
}

void
robocache_mcap_definitions_add_new (RobocacheMcapDefinitions *definitions, guint8 opcode, gconstpointer record)
{
  GByteArray *bytes = g_byte_array_new ();

  robocache_mcap_append_record (bytes, opcode, record);
  robocache_mcap_definitions_add (definitions, opcode, (RobocacheMcapBytes) {bytes->data + ROBOCACHE_MCAP_HEAD_SIZE,
          bytes->len - ROBOCACHE_MCAP_HEAD_SIZE}, NULL);
  g_byte_array_unref (bytes);
}

const RobocacheMcapSchemaInfo *
robocache_mcap_definitions_schema (const RobocacheMcapDefinitions *definitions, guint16 id)
{
  return lookup (definitions->schemas, id);
}

const RobocacheMcapChannelInfo *
robocache_mcap_definitions_channel (const RobocacheMcapDefinitions *definitions, guint16 id)
{
  return lookup (definitions->channels, id);
}

const RobocacheMcapChannelInfo *
robocache_mcap_definitions_next_channel (const RobocacheMcapDefinitions *definitions, guint id)
{
  while (id < definitions->channels->len && !definitions->channels->pdata[id])
    id++;
  return id < definitions->channels->len ? definitions->channels->pdata[id] : NULL;
}

/* ---- index ---- */

static void
clear_entry (gpointer data)
{
  g_free (((RobocacheMcapEntry *) data)->name);
}

static GArray *
new_entries (void)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (RobocacheMcapEntry));

  g_array_set_clear_func (entries, clear_entry);
  return entries;
}

RobocacheMcapFileIndex *
robocache_mcap_file_index_new (void)
{
  RobocacheMcapFileIndex *index = g_new0 (RobocacheMcapFileIndex, 1);

  index->definitions = robocache_mcap_definitions_new ();
  index->blocks = g_array_new (FALSE, FALSE, sizeof (RobocacheMcapBlock));
  index->channels = g_array_new (FALSE, FALSE, sizeof (guint16));
  index->metadata = new_entries ();
  index->attachments = new_entries ();
  index->faults = g_ptr_array_new_with_free_func (g_free);
  return index;
}

void
robocache_mcap_file_index_free (RobocacheMcapFileIndex *index)
{
  g_free (index->profile);
  g_free (index->library);
  robocache_mcap_definitions_free (index->definitions);
  g_array_unref (index->blocks);
  g_array_unref (index->channels);
  g_array_unref (index->metadata);
  g_array_unref (index->attachments);
  g_ptr_array_unref (index->faults);
  g_free (index);
}

static RobocacheMcapBlock *
nth_block (const RobocacheMcapFileIndex *index, guint i)
{
  return &g_array_index (index->blocks, RobocacheMcapBlock, i);
}

void
robocache_mcap_file_index_add_block (RobocacheMcapFileIndex *index, const RobocacheMcapBlock *block)
{
  RobocacheMcapBlock *added;

  g_array_append_val (index->blocks, *block);
  added = nth_block (index, index->blocks->len - 1);
  added->end_time = MAX (block->end_time, block->start_time);
  added->first_channel = index->channels->len;
  added->n_channels = 0;
}

void
robocache_mcap_file_index_add_channel (RobocacheMcapFileIndex *index, guint16 channel_id)
{
  g_array_append_val (index->channels, channel_id);
  nth_block (index, index->blocks->len - 1)->n_channels++;
}

static gint
compare_blocks (gconstpointer a, gconstpointer b)
{
  const RobocacheMcapBlock *first = a, *second = b;

  if (first->start_time != second->start_time)
    return first->start_time < second->start_time ? -1 : 1;
  return first->offset < second->offset ? -1 : first->offset > second->offset;
}

void
robocache_mcap_file_index_sort (RobocacheMcapFileIndex *index)
{
  guint64 max_end_time = 0;

  g_array_sort (index->blocks, compare_blocks);
  for (guint i = 0; i < index->blocks->len; i++) {
    RobocacheMcapBlock *block = nth_block (index, i);

    max_end_time = MAX (max_end_time, block->end_time);
    block->max_end_time = max_end_time;
  }
}

guint
robocache_mcap_file_index_find (const RobocacheMcapFileIndex *index, guint64 log_time)
{
  guint low = 0, high = index->blocks->len;

  while (low < high) {
    const guint middle = low + (high - low) / 2;

    if (nth_block (index, middle)->max_end_time < log_time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

gboolean
robocache_mcap_file_index_may_hold (const RobocacheMcapFileIndex *index, const RobocacheMcapBlock *block, guint16 channel_id)
{
  for (guint i = 0; i < block->n_channels; i++)
    if (g_array_index (index->channels, guint16, block->first_channel + i) == channel_id)
      return TRUE;
  return block->n_channels == 0;
}

gchar *
robocache_mcap_cut_text (guint64 offset)
{
  return g_strdup_printf ("the recording is cut: no whole record is left from byte %" G_GUINT64_FORMAT " on", offset);
}

/* robocache: the schemas and channels of an MCAP file that is read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "definitions.h"

#include <string.h>

struct _RobocacheMcapDefinitions
{
  GPtrArray *schemas, *channels;        /* by id, with NULL where there is none */
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

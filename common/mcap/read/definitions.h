/* robocache: the schemas and channels of an MCAP file that is read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_DEFINITIONS_H
#define ROBOCACHE_MCAP_DEFINITIONS_H

#include "common/mcap/records.h"

G_BEGIN_DECLS

typedef struct
{
  guint16 id;
  gchar *name, *encoding;
  guint8 *data;
  gsize size;
} RobocacheMcapSchemaInfo;

typedef struct
{
  guint16 id, schema_id;
  gchar *topic, *message_encoding;
  GHashTable *metadata;         /* of texts */
} RobocacheMcapChannelInfo;

typedef struct _RobocacheMcapDefinitions RobocacheMcapDefinitions;
RobocacheMcapDefinitions *robocache_mcap_definitions_new (void);
void robocache_mcap_definitions_free (RobocacheMcapDefinitions * definitions);

/* Adds a Schema or Channel record; other opcodes are ignored. The first of an id stays, as the format has them equal. FALSE and an
 * error: the record is damaged. */
gboolean robocache_mcap_definitions_add (RobocacheMcapDefinitions * definitions, guint8 opcode, RobocacheMcapBytes content,
    GError ** error);

/* They stay where they are until definitions are freed. NULL: none of that id. */
const RobocacheMcapSchemaInfo *robocache_mcap_definitions_schema (const RobocacheMcapDefinitions * definitions, guint16 id);
const RobocacheMcapChannelInfo *robocache_mcap_definitions_channel (const RobocacheMcapDefinitions * definitions, guint16 id);
/* Channels by id: the first with this id or a higher one; NULL: no more. */
const RobocacheMcapChannelInfo *robocache_mcap_definitions_next_channel (const RobocacheMcapDefinitions * definitions, guint id);

G_END_DECLS
#endif

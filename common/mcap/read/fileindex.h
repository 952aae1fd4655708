/* robocache: an index of an MCAP file: its schemas and channels, and the places of its messages, metadata and attachments
 *
 * A block is a chunk, or a run of consecutive messages outside chunks. The index comes from the summary of a file, or from a scan of its
 * records if the file has no summary, is cut, or contains messages outside chunks. If message indexes follow the chunks, a scan reads only the
 * heads of records.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "source.h"

/* ---- definitions ---- */

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
  GHashTable *metadata;         /* a map of texts */
} RobocacheMcapChannelInfo;

typedef struct _RobocacheMcapDefinitions RobocacheMcapDefinitions;
RobocacheMcapDefinitions *robocache_mcap_definitions_new (void);
void robocache_mcap_definitions_free (RobocacheMcapDefinitions * definitions);

/* Adds a Schema or Channel record; other opcodes are ignored. The first record of an id is kept, as the format requires them to be equal.
 * FALSE and an error: the record is damaged. */
gboolean robocache_mcap_definitions_add (RobocacheMcapDefinitions * definitions, guint8 opcode, RobocacheMcapBytes content,
    GError ** error);

/* Adds a Schema or Channel that is not a record yet. */
void robocache_mcap_definitions_add_new (RobocacheMcapDefinitions * definitions, guint8 opcode, gconstpointer record);

/* Return a schema or channel, which stays valid until definitions are freed. NULL: no such id. */
const RobocacheMcapSchemaInfo *robocache_mcap_definitions_schema (const RobocacheMcapDefinitions * definitions, guint16 id);
const RobocacheMcapChannelInfo *robocache_mcap_definitions_channel (const RobocacheMcapDefinitions * definitions, guint16 id);
/* Iterates over channels: returns the first one with this id or a higher id; NULL: no more. */
const RobocacheMcapChannelInfo *robocache_mcap_definitions_next_channel (const RobocacheMcapDefinitions * definitions, guint id);

/* ---- blocks ---- */

typedef struct
{
  guint64 offset, size;         /* offset and size in the file, record heads included */
  guint64 start_time, end_time; /* log times */
  guint64 max_end_time;         /* greatest end_time of all blocks up to this one */
  gboolean is_chunk;
  guint first_channel, n_channels;      /* range of its channels in the index's channels; n_channels 0: unknown */
} RobocacheMcapBlock;

/* Metadata or an attachment. */
typedef struct
{
  guint64 offset, size;         /* offset and size in the file, record head included */
  gchar *name;
} RobocacheMcapEntry;

typedef struct
{
  gchar *profile, *library;
  RobocacheMcapDefinitions *definitions;
  GArray *blocks;               /* RobocacheMcapBlock items, by start time, then offset */
  GArray *channels;             /* guint16 items, for blocks */
  GArray *metadata, *attachments;       /* RobocacheMcapEntry items, by offset */
  gboolean has_summary;
  guint64 summary_start, summary_end;   /* offsets of its records, if it has one */
  gboolean is_cut;              /* the file ends in a record, or without a footer */
  guint64 whole_size;           /* end of its last complete record */
  GPtrArray *faults;            /* texts of the first faults that a scan found */
  guint n_faults;
} RobocacheMcapFileIndex;

/* Makes an empty index. */
RobocacheMcapFileIndex *robocache_mcap_file_index_new (void);
void robocache_mcap_file_index_free (RobocacheMcapFileIndex * index);

/* Adds a block, without channels; robocache_mcap_file_index_add_channel adds a channel to the last block. */
void robocache_mcap_file_index_add_block (RobocacheMcapFileIndex * index, const RobocacheMcapBlock * block);
void robocache_mcap_file_index_add_channel (RobocacheMcapFileIndex * index, guint16 channel_id);
/* Sorts the index; call it when all blocks were added. */
void robocache_mcap_file_index_sort (RobocacheMcapFileIndex * index);

/* Returns the first block that may contain messages from a log time on; the number of blocks: none. */
guint robocache_mcap_file_index_find (const RobocacheMcapFileIndex * index, guint64 log_time);
/* The warning about a file that is cut after its last complete record, at an offset; free with g_free. */
gchar *robocache_mcap_cut_text (guint64 offset);
/* Whether a block may contain messages of a channel. */
gboolean robocache_mcap_file_index_may_hold (const RobocacheMcapFileIndex * index, const RobocacheMcapBlock * block,
    guint16 channel_id);

/* ---- indexing ---- */

typedef enum
{
  ROBOCACHE_MCAP_SUMMARY_READ,
  ROBOCACHE_MCAP_SUMMARY_UNUSABLE,      /* absent, damaged or incomplete; *reason has the reason */
  ROBOCACHE_MCAP_SUMMARY_FAILED /* the source cannot be read: an error */
} RobocacheMcapSummaryResult;

/* summary.c: fills an empty index. If the summary is unusable, the index is undefined, and *reason is a constant text. */
RobocacheMcapSummaryResult robocache_mcap_summary_read (const RobocacheMcapSource * source, RobocacheMcapFileIndex * index,
    const gchar ** reason, GError ** error);

/* filescan.c: fills an empty index. A cut file ends with its last complete record. FALSE and an error: not an MCAP file, or the source cannot be
 * read. */
gboolean robocache_mcap_file_scan (const RobocacheMcapSource * source, RobocacheMcapFileIndex * index, GError ** error);

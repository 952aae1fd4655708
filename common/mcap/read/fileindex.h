/* robocache: where the messages of an MCAP file are
 *
 * A block is a chunk, or a row of messages outside chunks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_FILEINDEX_H
#define ROBOCACHE_MCAP_FILEINDEX_H

#include "definitions.h"
#include "source.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 offset, size;         /* in the file, heads included */
  guint64 start_time, end_time; /* log times */
  guint64 max_end_time;         /* of all blocks up to this one */
  gboolean is_chunk;
  guint first_channel, n_channels;      /* those in it, in the index's channels; 0: unknown */
} RobocacheMcapBlock;

/* Metadata or an attachment. */
typedef struct
{
  guint64 offset, size;         /* in the file, heads included */
  gchar *name;
} RobocacheMcapEntry;

typedef struct
{
  gchar *profile, *library;
  RobocacheMcapDefinitions *definitions;
  GArray *blocks;               /* of RobocacheMcapBlock, by start time, then offset */
  GArray *channels;             /* of guint16, for blocks */
  GArray *metadata, *attachments;       /* of RobocacheMcapEntry, by offset */
  gboolean has_summary;
  gboolean is_cut;              /* it ends in a record, or without footer */
  guint64 whole_size;           /* where its last whole record ends */
} RobocacheMcapFileIndex;

/* An empty one. */
RobocacheMcapFileIndex *robocache_mcap_file_index_new (void);
void robocache_mcap_file_index_free (RobocacheMcapFileIndex * index);

/* Adds a block, without channels; robocache_mcap_file_index_add_channel adds to the last one. */
void robocache_mcap_file_index_add_block (RobocacheMcapFileIndex * index, const RobocacheMcapBlock * block);
void robocache_mcap_file_index_add_channel (RobocacheMcapFileIndex * index, guint16 channel_id);
/* To be called when all blocks are there. */
void robocache_mcap_file_index_sort (RobocacheMcapFileIndex * index);

/* The first block that may hold messages from a log time on; the number of blocks: none. */
guint robocache_mcap_file_index_find (const RobocacheMcapFileIndex * index, guint64 log_time);
/* Whether a block may hold messages of a channel. */
gboolean robocache_mcap_file_index_may_hold (const RobocacheMcapFileIndex * index, const RobocacheMcapBlock * block,
    guint16 channel_id);

G_END_DECLS
#endif

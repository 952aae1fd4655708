/* robocache: the messages of one block of an MCAP file, in order of their log times
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_OPENBLOCK_H
#define ROBOCACHE_MCAP_OPENBLOCK_H

#include "common/mcap/compression.h"
#include "fileindex.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 log_time, offset;     /* of the record, in the block */
} RobocacheMcapOpenEntry;

typedef struct
{
  guint64 file_offset;          /* of the block */
  GByteArray *bytes, *memory;   /* the block as it is in the file, and decompressed */
  RobocacheMcapBytes records;   /* in one of them */
  GArray *entries;              /* of RobocacheMcapOpenEntry */
  guint position;               /* the next entry */
} RobocacheMcapOpenBlock;

RobocacheMcapOpenBlock *robocache_mcap_open_block_new (void);
void robocache_mcap_open_block_free (RobocacheMcapOpenBlock * open);

/* The state of the reader of one block. */
typedef struct
{
  const RobocacheMcapSource *source;
  RobocacheMcapCodec *codec;
  RobocacheMcapDefinitions *definitions;        /* gets those in the block */
  const GByteArray *is_selected;        /* by channel id; NULL: all */
  guint64 from_time;            /* entries before are left out */
} RobocacheMcapBlockReader;

typedef enum
{
  ROBOCACHE_MCAP_BLOCK_OPEN,
  ROBOCACHE_MCAP_BLOCK_DAMAGED, /* an error; what is whole is there */
  ROBOCACHE_MCAP_BLOCK_FAILED   /* an error of the source */
} RobocacheMcapBlockResult;

/* Replaces what was open. */
RobocacheMcapBlockResult robocache_mcap_open_block_read (RobocacheMcapOpenBlock * open, const RobocacheMcapBlockReader * reader,
    const RobocacheMcapBlock * block, GError ** error);

/* The message of an entry, which was read before. */
void robocache_mcap_open_block_get (const RobocacheMcapOpenBlock * open, guint entry, RobocacheMcapMessage * message);

G_END_DECLS
#endif

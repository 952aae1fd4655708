/* robocache: reads an MCAP file as its bytes arrive
 *
 * For pipes, sockets and files that are still being written: records are returned in the order of the file, also those within chunks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/mcap/records.h"

typedef struct _RobocacheMcapStream RobocacheMcapStream;
RobocacheMcapStream *robocache_mcap_stream_new (void);
void robocache_mcap_stream_free (RobocacheMcapStream * stream);
/* Starts at the beginning of a file. */
void robocache_mcap_stream_reset (RobocacheMcapStream * stream);

/* Sets the maximum size of messages and chunks, from the next record on; larger ones are faults. 0: the default, and for chunks that are unpacked less,
 * by the bytes of the file so far. */
void robocache_mcap_stream_set_max_bytes (RobocacheMcapStream * stream, guint64 max_bytes);

/* From the next chunk on, also returns the records of chunks whose CRC is wrong, after the error about the chunk. Their bytes may be wrong. */
void robocache_mcap_stream_keep_damaged (RobocacheMcapStream * stream);

/* Copies the next bytes of the file. Memory grows with the pushed bytes, not with announced sizes. Call it after next has returned
 * ROBOCACHE_MCAP_STREAM_MORE, because it moves the bytes of the last record. If memory is short, next returns ROBOCACHE_MCAP_STREAM_FATAL. */
void robocache_mcap_stream_push (RobocacheMcapStream * stream, const guint8 * bytes, gsize size);

/* Ends the file. After that, next also returns records that follow a record whose length exceeds the file. */
void robocache_mcap_stream_end (RobocacheMcapStream * stream);

typedef enum
{
  ROBOCACHE_MCAP_STREAM_RECORD,
  ROBOCACHE_MCAP_STREAM_MORE,   /* more bytes are needed */
  ROBOCACHE_MCAP_STREAM_DAMAGED,        /* an error; the following data can be read */
  ROBOCACHE_MCAP_STREAM_FATAL,  /* an error; no more data can be read */
  ROBOCACHE_MCAP_STREAM_END     /* the file is complete; further bytes are ignored */
} RobocacheMcapStreamResult;

typedef struct
{
  guint8 opcode;                /* never CHUNK: the records in a chunk are returned after a check of its CRC */
  RobocacheMcapRecord record;   /* points into the stream; valid until the next call */
  RobocacheMcapBytes content;
  guint64 offset;               /* offset in the file: that of the record, or of the chunk that contains it */
  gboolean is_damaged;          /* the record is in a chunk whose CRC is wrong */
} RobocacheMcapStreamRecord;

/* Returns the next record. Skips unknown and private records, and attachments that are too large for memory. */
RobocacheMcapStreamResult robocache_mcap_stream_next (RobocacheMcapStream * stream, RobocacheMcapStreamRecord * next,
    GError ** error);

/* Number of records that were skipped since the beginning of the file, except those that an error named. */
guint64 robocache_mcap_stream_get_skipped (const RobocacheMcapStream * stream);

/* Offset of the next record, up to which the file is complete. */
guint64 robocache_mcap_stream_get_offset (const RobocacheMcapStream * stream);
/* Whether the data section is still open: a file that ends here is cut. */
gboolean robocache_mcap_stream_is_in_data (const RobocacheMcapStream * stream);

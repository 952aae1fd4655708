/* robocache: a chunk of an MCAP file while it is filled
 *
 * A chunk contains its records as in the file, but uncompressed, and the message index of each channel.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "records.h"

typedef struct
{
  GByteArray *records;
  gsize capacity;               /* bytes for which robocache_mcap_chunk_reserve has memory */
  GPtrArray *indexes;           /* by channel id: GByteArray with entries in order of time, or NULL */
  GByteArray *definitions;      /* copies of the Schema and Channel records */
  guint64 n_messages;
  guint64 start_time, end_time; /* log times; 0 without messages */
} RobocacheMcapChunk;

/* Makes a chunk; `size` is the expected number of bytes of records. */
RobocacheMcapChunk *robocache_mcap_chunk_new (gsize size);
void robocache_mcap_chunk_free (RobocacheMcapChunk * chunk);
/* Empties the chunk, and keeps its memory. */
void robocache_mcap_chunk_clear (RobocacheMcapChunk * chunk);

/* Maximum bytes of one chunk. */
#define ROBOCACHE_MCAP_MAX_CHUNK_SIZE ((gsize) 1 << 30)
/* Whether `size` more bytes of data fit. */
gboolean robocache_mcap_chunk_fits (const RobocacheMcapChunk * chunk, gsize size);

/* Allocates memory for `size` more bytes, and for at least `expected` bytes. FALSE: no memory. Without this call, memory grows as needed,
 * and the process aborts if no memory is left. */
gboolean robocache_mcap_chunk_reserve (RobocacheMcapChunk * chunk, gsize size, gsize expected);

/* Add records. The caller must ensure that they fit, and that a schema precedes its channels and a channel its messages. */
void robocache_mcap_chunk_add_schema (RobocacheMcapChunk * chunk, const RobocacheMcapSchema * schema);
void robocache_mcap_chunk_add_channel (RobocacheMcapChunk * chunk, const RobocacheMcapChannel * channel);
/* Adds a message whose data are these pieces, one after another; message->data is not read. */
void robocache_mcap_chunk_add_message (RobocacheMcapChunk * chunk, const RobocacheMcapMessage * message,
    const RobocacheMcapBytes * pieces, guint n_pieces);

/* robocache: a chunk of an MCAP file while it is filled
 *
 * Records lie in it as they will in the file, uncompressed, beside the message index of each channel.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_CHUNK_H
#define ROBOCACHE_MCAP_CHUNK_H

#include "records.h"

G_BEGIN_DECLS

typedef struct
{
  GByteArray *records;
  GPtrArray *indexes;           /* by channel id, of GByteArray with entries in order of time, or NULL */
  GByteArray *definitions;      /* copies of the Schema and Channel records */
  guint64 n_messages;
  guint64 start_time, end_time; /* log times; 0 without messages */
} RobocacheMcapChunk;

/* `size` bytes of records are expected. */
RobocacheMcapChunk *robocache_mcap_chunk_new (gsize size);
void robocache_mcap_chunk_free (RobocacheMcapChunk * chunk);
/* Makes it empty; the memory stays. */
void robocache_mcap_chunk_clear (RobocacheMcapChunk * chunk);

/* Bytes that one chunk can hold. */
#define ROBOCACHE_MCAP_MAX_CHUNK_SIZE ((gsize) 1 << 30)
/* Whether `size` more bytes of data fit. */
gboolean robocache_mcap_chunk_fits (const RobocacheMcapChunk * chunk, gsize size);

/* The caller sees to it that the records fit, and that a schema comes before its channels and a channel before its messages. */
void robocache_mcap_chunk_add_schema (RobocacheMcapChunk * chunk, const RobocacheMcapSchema * schema);
void robocache_mcap_chunk_add_channel (RobocacheMcapChunk * chunk, const RobocacheMcapChannel * channel);
/* A message whose data are these pieces, one behind the other; message->data is not read. */
void robocache_mcap_chunk_add_message (RobocacheMcapChunk * chunk, const RobocacheMcapMessage * message,
    const RobocacheMcapBytes * pieces, guint n_pieces);

G_END_DECLS
#endif

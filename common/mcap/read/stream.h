/* robocache: reads an MCAP file as its bytes arrive
 *
 * For pipes, sockets and files that are still written: records come out in order of the file, those of chunks one by one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_STREAM_H
#define ROBOCACHE_MCAP_STREAM_H

#include "common/mcap/records.h"

G_BEGIN_DECLS

typedef struct _RobocacheMcapStream RobocacheMcapStream;
RobocacheMcapStream *robocache_mcap_stream_new (void);
void robocache_mcap_stream_free (RobocacheMcapStream * stream);
/* Starts at the beginning of a file. */
void robocache_mcap_stream_reset (RobocacheMcapStream * stream);

/* Copies the next bytes of the file. Records are limited by what was pushed, not by what they announce. Call it once next returned
 * ROBOCACHE_MCAP_STREAM_MORE, as it moves what was read. */
void robocache_mcap_stream_push (RobocacheMcapStream * stream, const guint8 * bytes, gsize size);

typedef enum
{
  ROBOCACHE_MCAP_STREAM_RECORD,
  ROBOCACHE_MCAP_STREAM_MORE,   /* more bytes are needed */
  ROBOCACHE_MCAP_STREAM_DAMAGED,        /* an error; what follows can be read */
  ROBOCACHE_MCAP_STREAM_FATAL,  /* an error; nothing can be read */
  ROBOCACHE_MCAP_STREAM_END     /* the file is complete; bytes behind it are ignored */
} RobocacheMcapStreamResult;

typedef struct
{
  guint8 opcode;                /* never CHUNK: its records follow */
  RobocacheMcapRecord record;   /* lies in the stream, until the next call */
  RobocacheMcapBytes content;
  guint64 offset;               /* in the file, of the record or of the chunk that it is in */
} RobocacheMcapStreamRecord;

/* Unknown and private records, and attachments that are too large for memory, are skipped. */
RobocacheMcapStreamResult robocache_mcap_stream_next (RobocacheMcapStream * stream, RobocacheMcapStreamRecord * next,
    GError ** error);

/* Records that were skipped since the beginning of the file, but those that an error named. */
guint64 robocache_mcap_stream_get_skipped (const RobocacheMcapStream * stream);

/* Where the next record starts: the file is whole up to there. */
guint64 robocache_mcap_stream_get_offset (const RobocacheMcapStream * stream);

G_END_DECLS
#endif

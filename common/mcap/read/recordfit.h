/* robocache: checks whether the head of a record fits its content, the file and the next records
 *
 * A damaged length or opcode would hide the following records, or make wrong records from the content. Nearly all records have their
 * length twice: as a number, and as the sizes of their fields. If the two differ, the correct end is the one after which a record begins.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "source.h"

typedef struct
{
  /* Returns bytes of the file from an offset on: `size` bytes, or fewer if no more are available. FALSE and an error: they cannot be read. */
  gboolean (*peek) (gpointer user_data, guint64 offset, gsize size, RobocacheMcapBytes * bytes, GError ** error);
  gpointer user_data;
  guint64 end;                  /* end of the file; G_MAXUINT64: unknown, and more bytes may come */
  guint64 max_bytes;            /* maximum bytes of a message or chunk */
  gboolean has_chunks;          /* the file has chunks, so damaged bytes are not searched for messages outside chunks */
} RobocacheMcapView;

typedef enum
{
  ROBOCACHE_MCAP_FIT_RECORD,    /* a record was found; an error is set if its position was corrected */
  ROBOCACHE_MCAP_FIT_SKIP,      /* a fault: the record cannot be read, and the next record begins after it */
  ROBOCACHE_MCAP_FIT_DAMAGED,   /* a fault: the beginning of the next record is unknown */
  ROBOCACHE_MCAP_FIT_MORE,      /* more bytes are needed */
  ROBOCACHE_MCAP_FIT_END,       /* the file ends here, or in the head of a record */
  ROBOCACHE_MCAP_FIT_FAILED     /* an error: bytes cannot be read */
} RobocacheMcapFit;

/* Checks the record at an offset. Its opcode may be unknown or private. The error is the fault. */
RobocacheMcapFit robocache_mcap_fit (const RobocacheMcapView * view, guint64 offset, RobocacheMcapPlace * place, GError ** error);

/* Moves *offset to the next valid record (RECORD), to the end of the bytes that were searched (MORE), or to the end of the file (END). */
RobocacheMcapFit robocache_mcap_find_fit (const RobocacheMcapView * view, guint64 * offset, GError ** error);

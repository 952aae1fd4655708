/* robocache: bytes of a file at any place, and its records one after the other
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_SOURCE_H
#define ROBOCACHE_MCAP_SOURCE_H

#include "common/mcap/records.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 size;
  /* Reads bytes that lie within the size. FALSE and an error where that is not possible. */
  gboolean (*read) (gpointer user_data, guint64 offset, gsize size, guint8 * to, GError ** error);
  gpointer user_data;
} RobocacheMcapSource;

/* Makes a source of bytes in memory, which must outlive the source. */
RobocacheMcapSource robocache_mcap_source_of_memory (const RobocacheMcapBytes * bytes);

/* Goes through a range of records. It reads ahead little where they are skipped, and more where they are read. */
typedef struct
{
  const RobocacheMcapSource *source;
  guint64 offset, end;          /* of the next record, and of the range */
  GByteArray *window;
  guint64 window_offset;
  gsize read_ahead;
} RobocacheMcapWalk;

void robocache_mcap_walk_init (RobocacheMcapWalk * walk, const RobocacheMcapSource * source, guint64 offset, guint64 end);
void robocache_mcap_walk_clear (RobocacheMcapWalk * walk);

typedef struct
{
  guint8 opcode;
  guint64 offset;               /* of the record's head */
  guint64 size;                 /* of the content */
} RobocacheMcapPlace;

/* The next record. FALSE: at the end, or where no whole record is left, walk->offset stays there; with an error if reading failed. */
gboolean robocache_mcap_walk_next (RobocacheMcapWalk * walk, RobocacheMcapPlace * place, GError ** error);
/* The first bytes of its content, at most max of them, valid until the next call. */
gboolean robocache_mcap_walk_peek (RobocacheMcapWalk * walk, const RobocacheMcapPlace * place, gsize max, RobocacheMcapBytes * bytes,
    GError ** error);

G_END_DECLS
#endif

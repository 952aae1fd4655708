/* robocache: reads messages of an MCAP file in order of their log times, from any time on
 *
 * A file needs no summary, and may be cut: see filescan.h. Where chunks overlap in time their messages are merged; of equal times
 * those come first that are first in the file. A seek is a binary search, and one chunk is read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_READER_H
#define ROBOCACHE_MCAP_READER_H

#include "fileindex.h"

G_BEGIN_DECLS

typedef struct _RobocacheMcapReader RobocacheMcapReader;

/* The source must outlive the reader. NULL and an error: no MCAP file, or the source cannot be read. */
RobocacheMcapReader *robocache_mcap_reader_new (const RobocacheMcapSource * source, GError ** error);
void robocache_mcap_reader_free (RobocacheMcapReader * reader);

const RobocacheMcapFileIndex *robocache_mcap_reader_get_index (const RobocacheMcapReader * reader);
/* Why the summary was not used, a constant text; NULL: it was. */
const gchar *robocache_mcap_reader_get_summary_fault (const RobocacheMcapReader * reader);

/* Reads these channels alone; until then all. Takes effect with the next seek. */
void robocache_mcap_reader_select (RobocacheMcapReader * reader, const guint16 * channel_ids, guint n);

/* The next message is the first from this log time on. At first that is 0. */
void robocache_mcap_reader_seek (RobocacheMcapReader * reader, guint64 log_time);

typedef enum
{
  ROBOCACHE_MCAP_READ_MESSAGE,
  ROBOCACHE_MCAP_READ_DAMAGED,  /* an error, of one block; what follows can be read */
  ROBOCACHE_MCAP_READ_FAILED,   /* an error of the source */
  ROBOCACHE_MCAP_READ_END
} RobocacheMcapReadResult;

/* The data lie in the reader until its next call. */
RobocacheMcapReadResult robocache_mcap_reader_next (RobocacheMcapReader * reader, RobocacheMcapMessage * message, GError ** error);

/* Finds the last message of a channel, at a log time or before, that a function takes, and sets *found to its log time. FALSE: there
 * is none, or blocks are damaged. Where next goes on stays. */
typedef gboolean (*RobocacheMcapTake) (gpointer user_data, const RobocacheMcapMessage * message);
gboolean robocache_mcap_reader_find_back (RobocacheMcapReader * reader, guint16 channel_id, guint64 log_time, RobocacheMcapTake take,
    gpointer user_data, guint64 * found);

/* The metadata of an entry of the index, as texts by key; free with g_hash_table_unref. NULL and an error: damaged. */
GHashTable *robocache_mcap_reader_get_metadata (RobocacheMcapReader * reader, const RobocacheMcapEntry * entry, GError ** error);
/* The data of an attachment, whose CRC is checked. */
GBytes *robocache_mcap_reader_get_attachment (RobocacheMcapReader * reader, const RobocacheMcapEntry * entry, GError ** error);

G_END_DECLS
#endif

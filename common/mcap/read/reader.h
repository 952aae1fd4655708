/* robocache: reads the messages of an MCAP file in the order of their log times, from any log time on
 *
 * A file needs no summary, and may be cut: see fileindex.h. Messages of chunks that overlap in time are merged; messages with equal times
 * have the order of the file. Chunks that overlap by more unpacked bytes than max_open_size() of reader.c are read one after the other: then messages come
 * late, and the first one after a seek is reported as ROBOCACHE_ERROR_PROPERTY. A seek is a binary search, and reads one chunk.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "fileindex.h"

typedef struct _RobocacheMcapReader RobocacheMcapReader;

/* The source must outlive the reader. NULL and an error: not an MCAP file, or the source cannot be read. */
RobocacheMcapReader *robocache_mcap_reader_new (const RobocacheMcapSource * source, GError ** error);

/* Writes the messages of a block of another format as Message records of MCAP. FALSE and an error: the block is damaged. */
typedef gboolean (*RobocacheMcapUnpack) (gpointer user_data, RobocacheMcapBytes block, RobocacheMcapBuffer * records, GError ** error);
/* Reads a file of another format by its index, which the reader takes over. The source and user_data must outlive the reader. */
RobocacheMcapReader *robocache_mcap_reader_new_of (const RobocacheMcapSource * source, RobocacheMcapFileIndex * index,
    RobocacheMcapUnpack unpack, gpointer user_data);
void robocache_mcap_reader_free (RobocacheMcapReader * reader);

const RobocacheMcapFileIndex *robocache_mcap_reader_get_index (const RobocacheMcapReader * reader);
/* The reason why the summary was not used, a constant text; NULL: it was used. */
const gchar *robocache_mcap_reader_get_summary_fault (const RobocacheMcapReader * reader);

/* Selects channels; by default all are read. Takes effect with the next seek. */
void robocache_mcap_reader_select (RobocacheMcapReader * reader, const guint16 * channel_ids, guint n);

/* The next message is then the first message from this log time on. Without a seek, reading starts at log time 0. */
void robocache_mcap_reader_seek (RobocacheMcapReader * reader, guint64 log_time);

typedef enum
{
  ROBOCACHE_MCAP_READ_MESSAGE,
  ROBOCACHE_MCAP_READ_DAMAGED,  /* an error in one block, or the order of messages; the following data can be read */
  ROBOCACHE_MCAP_READ_FAILED,   /* an error of the source */
  ROBOCACHE_MCAP_READ_END
} RobocacheMcapReadResult;

/* Returns the next message. Its data are valid until the next call. */
RobocacheMcapReadResult robocache_mcap_reader_next (RobocacheMcapReader * reader, RobocacheMcapMessage * message, GError ** error);

/* Finds the last message of a channel, at or before a log time, that a function accepts, and sets *found to its log time. FALSE: no such
 * message, or blocks are damaged. Does not change the next message. */
typedef gboolean (*RobocacheMcapTake) (gpointer user_data, const RobocacheMcapMessage * message);
gboolean robocache_mcap_reader_find_back (RobocacheMcapReader * reader, guint16 channel_id, guint64 log_time, RobocacheMcapTake take,
    gpointer user_data, guint64 * found);

/* Returns the metadata of an index entry, as texts by key; free with g_hash_table_unref. NULL and an error: damaged. */
GHashTable *robocache_mcap_reader_get_metadata (RobocacheMcapReader * reader, const RobocacheMcapEntry * entry, GError ** error);
/* Returns the data of an attachment, after a check of its CRC. */
GBytes *robocache_mcap_reader_get_attachment (RobocacheMcapReader * reader, const RobocacheMcapEntry * entry, GError ** error);

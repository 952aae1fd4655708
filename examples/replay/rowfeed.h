/* robocache: feeds one recorded stream to a core of robocachefuse, in the order of the journal
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_ROWFEED_H
#define ROBOCACHE_EXAMPLES_ROWFEED_H

#include "examples/steppedcore.h"
#include "session.h"

G_BEGIN_DECLS

typedef struct _RowFeed RowFeed;

/* stream: NULL where nothing of it was recorded. timestamp_source: of the pad at first; may be NULL. */
RowFeed *row_feed_new (const gchar * pad, SessionStream * stream, const gchar * timestamp_source);
void row_feed_free (RowFeed * feed);

/* PTS and duration of the buffer that the next entry of rows is of, from an entry of kind FUSE_JOURNAL_PTS. */
void row_feed_set_buffer_times (RowFeed * feed, const FuseJournalEntry * entry);
/* Feeds what one entry of the journal of this pad says. FALSE and an error: the recording has not what was taken in. */
gboolean row_feed_take (RowFeed * feed, const FuseJournalEntry * entry, Session * session, SteppedCore * core, GError ** error);

/* Appends which row was at a running time, if it was one of the last ones. */
void row_feed_describe (const RowFeed * feed, GString * text, gint64 time_ns);

G_END_DECLS
#endif

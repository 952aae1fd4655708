/* robocache: queries of a recording's times
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAP_QUERIES_H
#define GST_ROBOCACHE_MCAP_QUERIES_H

#include "session.h"

G_BEGIN_DECLS

/* Answers position, duration, seeking and segment of a source pad. FALSE: it cannot, or another query: *is_known says which. Object lock
 * held. */
gboolean robocache_mcap_query (const RobocacheMcapSession * session, gboolean is_seekable, GstQuery * query, gboolean * is_known);

/* The segment of a seek event. FALSE: it cannot be played. */
gboolean robocache_mcap_seek_segment (GstSegment * segment, GstEvent * event);

G_END_DECLS
#endif

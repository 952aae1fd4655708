/* robocache: the sources of robocachefuse: whether they are live, and the latency that follows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_SOURCES_H
#define FUSE_SOURCES_H

#include "element.h"

G_BEGIN_DECLS

/* Called without the lock. */

/* Asks the source of pad; NULL: of every pad. */
void gst_robocache_fuse_query_sources (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Asks all sources, and remembers nothing. */
gboolean gst_robocache_fuse_has_live_source (GstRobocacheFuse * fuse);
/* FALSE and an error with the remedy: latencies of live sources contradict each other, and waiting would never
 * end. */
gboolean gst_robocache_fuse_check_sources (GstRobocacheFuse * fuse, GError ** error);
/* Computes the latency anew, and how many frames cameras may have with us. Posts a LATENCY message when it changed. */
void gst_robocache_fuse_update_latency (GstRobocacheFuse * fuse);
/* Answers a LATENCY query of downstream. */
gboolean gst_robocache_fuse_answer_latency (GstRobocacheFuse * fuse, GstQuery * query);

G_END_DECLS
#endif

/* robocache: the latency of robocachefuse, from its sources and its streams, and whether it is live
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_ELEMENTLATENCY_H
#define FUSE_ELEMENTLATENCY_H

#include "element.h"

G_BEGIN_DECLS

/* Called without the lock, except where noted. */

/* Asks the source of pad; NULL: of every pad. */
void gst_robocache_fuse_query_sources (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Asks all sources, and remembers nothing. */
gboolean gst_robocache_fuse_has_live_source (GstRobocacheFuse * fuse);
/* Computes the latency anew, and how many frames cameras may have with us. Posts a LATENCY message when it changed. */
void gst_robocache_fuse_update_latency (GstRobocacheFuse * fuse);
/* A replay of a recorded session repeats when latencies changed, which depends on threads: a custom event RobocacheFuseReplay at a sink
 * pad says with "latency" (int64, ns; -1: not live) how long ticks may wait until the next one. Until the element stops, nothing else
 * decides that. FALSE: the event is another one. */
#define FUSE_REPLAY_EVENT "RobocacheFuseReplay"
gboolean gst_robocache_fuse_replay_latency (GstRobocacheFuse * fuse, GstEvent * event);
/* FALSE and an error with the remedy: latencies of live sources contradict each other, and waiting would never
 * end. */
gboolean gst_robocache_fuse_check_sources (GstRobocacheFuse * fuse, GError ** error);
/* Whether a measured period is off from what was announced by more than an eighth, or the period of the ticks is another one.
 * pad NULL: the latter alone. Called with the lock. */
gboolean gst_robocache_fuse_latency_is_off (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Answers a LATENCY query of downstream. */
gboolean gst_robocache_fuse_answer_latency (GstRobocacheFuse * fuse, GstQuery * query);

G_END_DECLS
#endif

/* robocache: the sources of robocachefuse: whether they are live, and the resulting latency
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "element.h"

/* Functions are called without the lock. */

/* Queries the source of pad; NULL: the sources of all pads. */
void gst_robocache_fuse_query_sources (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Whether a source is live. Queries all sources, and stores nothing. */
gboolean gst_robocache_fuse_has_live_source (GstRobocacheFuse * fuse);
/* FALSE and an error with the remedy: latencies of live sources contradict each other, so a tick would wait for ever. */
gboolean gst_robocache_fuse_check_sources (GstRobocacheFuse * fuse, GError ** error);
/* Recomputes the latency, and the number of camera frames that the element may keep. Posts a LATENCY message if the latency changed. */
void gst_robocache_fuse_update_latency (GstRobocacheFuse * fuse);
/* Answers a LATENCY query of downstream. */
gboolean gst_robocache_fuse_answer_latency (GstRobocacheFuse * fuse, GstQuery * query);

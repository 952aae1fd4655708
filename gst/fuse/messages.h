/* robocache: reports of robocachefuse: statistics, and QoS messages about losses
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_MESSAGES_H
#define FUSE_MESSAGES_H

#include "element.h"

G_BEGIN_DECLS

/* The property stats. Called with the lock. */
GstStructure *gst_robocache_fuse_make_statistics (GstRobocacheFuse * fuse);
/* Statistics of a pad; called without the lock. */
GstStructure *gst_robocache_fuse_make_pad_statistics (GstElement * element, GstRobocacheFusePad * pad);
/* The pad goes: its rows are counted among those of removed pads. Called with the lock. */
void gst_robocache_fuse_close_statistics (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);

/* Whether a message about rows that pad has lost is due, at the running time now. Called with the lock. */
gboolean gst_robocache_fuse_losses_are_due (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstClockTime now);
/* Adds messages about rows that pads have lost, and about tracked clocks; at most one a pad and qos-interval unless all is
 * TRUE. Called with the lock, by the task alone, so that one thread posts. */
void gst_robocache_fuse_collect_messages (GstRobocacheFuse * fuse, gboolean all, GQueue * messages);
/* Counts n dropped ticks from first on, decided lag ns after it, and adds a message about them when one is due. */
void gst_robocache_fuse_collect_dropped (GstRobocacheFuse * fuse, gint64 first, GstClockTime duration, gint64 lag, guint64 n,
    GQueue * messages);
/* Posts and empties messages. Called without the lock. */
void gst_robocache_fuse_post_messages (GstRobocacheFuse * fuse, GQueue * messages);

G_END_DECLS
#endif

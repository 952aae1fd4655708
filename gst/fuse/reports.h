/* robocache: reports of robocachefuse: statistics, and messages about what the core notes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_REPORTS_H
#define FUSE_REPORTS_H

#include "element.h"

G_BEGIN_DECLS

/* What is to be reported once the lock is free. */
typedef struct
{
  GQueue notes;                 /* of FuseNote, of the core */
  GQueue messages;              /* of GstMessage */
  gboolean latency_is_off;      /* the element's latency is to be computed anew */
} FuseReports;

#define FUSE_REPORTS_INIT { G_QUEUE_INIT, G_QUEUE_INIT, FALSE }

/* Makes messages of the notes. Called with the lock. */
void gst_robocache_fuse_collect_reports (GstRobocacheFuse * fuse, FuseReports * reports);
/* Posts and empties messages. Called without the lock. */
void gst_robocache_fuse_post_reports (GstRobocacheFuse * fuse, FuseReports * reports);
void gst_robocache_fuse_post_messages (GstRobocacheFuse * fuse, GQueue * messages);

/* The property stats. Called with the lock. */
GstStructure *gst_robocache_fuse_make_statistics (GstRobocacheFuse * fuse);
/* Those that are due at a tick, by stats-interval; NULL: none are. Called with the lock. */
GstStructure *gst_robocache_fuse_take_due_statistics (GstRobocacheFuse * fuse, gint64 tick);
/* The interval begins anew. Called with the lock. */
void gst_robocache_fuse_reset_stats_timer (GstRobocacheFuse * fuse);
/* Statistics of a pad; called without the lock. */
GstStructure *gst_robocache_fuse_make_pad_statistics (GstElement * element, GstRobocacheFusePad * pad);

G_END_DECLS
#endif

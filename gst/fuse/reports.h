/* robocache: reports of robocachefuse: statistics, and messages for the notes of the core
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "element.h"

/* Reports to post once the lock is free. */
typedef struct
{
  GQueue notes;                 /* FuseNote items of the core */
  GQueue messages;              /* GstMessage items */
  gboolean latency_is_off;      /* the element's latency must be recomputed */
} FuseReports;

#define FUSE_REPORTS_INIT { G_QUEUE_INIT, G_QUEUE_INIT, FALSE }

/* Makes messages from the notes. Called with the lock. */
void gst_robocache_fuse_collect_reports (GstRobocacheFuse * fuse, FuseReports * reports);
/* Posts and empties messages. Called without the lock. */
void gst_robocache_fuse_post_reports (GstRobocacheFuse * fuse, FuseReports * reports);
void gst_robocache_fuse_post_messages (GstRobocacheFuse * fuse, GQueue * messages);

/* The property stats in two steps: a copy of its numbers, made with the lock, and the structure made from that copy (transferred), without
 * the lock. */
typedef struct _FuseElementStatistics FuseElementStatistics;
FuseElementStatistics *gst_robocache_fuse_copy_statistics (GstRobocacheFuse * fuse);
GstStructure *gst_robocache_fuse_statistics_to_structure (GstRobocacheFuse * fuse, FuseElementStatistics * copy);
void gst_robocache_fuse_statistics_free (FuseElementStatistics * copy);
/* A copy of the statistics if they are due at a tick, by stats-interval; NULL: not due. Called with the lock. */
FuseElementStatistics *gst_robocache_fuse_copy_due_statistics (GstRobocacheFuse * fuse, gint64 tick);
/* Restarts the interval. Called with the lock. */
void gst_robocache_fuse_reset_stats_timer (GstRobocacheFuse * fuse);
/* Statistics of a pad; called without the lock. */
GstStructure *gst_robocache_fuse_make_pad_statistics (GstElement * element, GstRobocacheFusePad * pad);

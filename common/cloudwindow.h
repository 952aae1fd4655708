/* robocache: the last clouds of a stream, which make one voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CLOUDWINDOW_H
#define ROBOCACHE_CLOUDWINDOW_H

#include <gst/gst.h>

#include "kernels/voxel.h"
#include "pointcloudcaps.h"

G_BEGIN_DECLS

typedef struct
{
  GArray *clouds;               /* the oldest first; each holds a reference to its buffer */
} RobocacheCloudWindow;

void robocache_cloud_window_init (RobocacheCloudWindow * window);
void robocache_cloud_window_finish (RobocacheCloudWindow * window);
void robocache_cloud_window_clear (RobocacheCloudWindow * window);

/* Adds a buffer and forgets all but the newest n. FALSE and an error that names both sizes when the buffer is not what
 * points says; the window is then as before. */
gboolean robocache_cloud_window_push (RobocacheCloudWindow * window, const RobocachePointsInfo * points, guint n,
    GstBuffer * buffer, GError ** error);

/* Points of all clouds. */
gint64 robocache_cloud_window_points (const RobocacheCloudWindow * window);

/* rc_voxel_range or rc_voxel_add */
typedef RcStatus (*RobocacheVoxelPhase) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk,
    RcStream stream, RcError * error);

/* One phase over all clouds. counters (may be NULL) get the newest cloud only: the others were counted when they
 * came. */
gboolean robocache_cloud_window_run (const RobocacheCloudWindow * window, const RobocachePointsInfo * points,
    RobocacheVoxelPhase phase, RcVoxelPlan * plan, const RcVoxelJob * job, RcVoxelCounters * counters, GError ** error);

G_END_DECLS
#endif

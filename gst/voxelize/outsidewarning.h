/* robocache: robocachevoxelize, a warning if all points are outside the grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/points/pointcloudcaps.h"

/* The check for one grid. */
typedef struct
{
  gint64 inside, outside;       /* points that were counted before the check began */
  gboolean is_over;             /* some points were inside, or the warning was posted */
} RobocacheOutsideCheck;

/* Initializes the check. total: the counts so far. */
void robocache_outside_check_init (RobocacheOutsideCheck * check, const RcVoxelCounters * total);
/* Whether the warning is due: no point was inside, and at least 1000 were outside, or 10 at_end. Returns TRUE once. */
gboolean robocache_outside_check_is_due (RobocacheOutsideCheck * check, const RcVoxelCounters * total, gboolean at_end);
/* Posts the warning, with the bounding boxes of the grid and of the newest cloud, if it is in host memory; cloud may be NULL. */
void robocache_outside_check_warn (const RobocacheOutsideCheck * check, GstElement * element, const RcVoxelCounters * total,
    const RcVoxelSpec * spec, const RobocachePointsInfo * points, GstBuffer * cloud);

/* robocache: robocachevoxelize, a warning if all points are outside the grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXELIZE_OUTSIDE_H
#define ROBOCACHE_VOXELIZE_OUTSIDE_H

#include "common/points/pointcloudcaps.h"

G_BEGIN_DECLS

/* The check of one grid. */
typedef struct
{
  gint64 inside, outside;       /* points that were counted before it was set */
  gboolean is_over;             /* some were inside, or the warning was posted */
} RobocacheOutsideCheck;

/* total: the counts so far. */
void robocache_outside_check_init (RobocacheOutsideCheck * check, const RcVoxelCounters * total);
/* Whether the warning is due: no point was inside, and at least 1000 were outside, or 10 at_end. Once. */
gboolean robocache_outside_check_is_due (RobocacheOutsideCheck * check, const RcVoxelCounters * total, gboolean at_end);
/* The warning, with the boxes of the grid and, where it is in host memory, of the newest cloud; cloud may be NULL. Free with g_free. */
gchar *robocache_outside_check_text (const RobocacheOutsideCheck * check, const RcVoxelCounters * total, const RcVoxelSpec * spec,
    const RobocachePointsInfo * points, GstBuffer * cloud);

G_END_DECLS
#endif

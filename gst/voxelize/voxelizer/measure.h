/* robocache: the ranges of features that a window's grids depend on, measured before a run
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXEL_MEASURE_H
#define ROBOCACHE_VOXEL_MEASURE_H

#include "cloudranges.h"
#include "run.h"

G_BEGIN_DECLS

/* Sets run->ranges where grids that accumulate incrementally depend on them: a run must know beforehand whether it can be
 * incremental. Stops accumulating when the memory budget is too small. */
gboolean robocache_voxel_measure_ranges (RobocacheVoxelRun * run, RobocacheCloudRanges * ranges, GError ** error);

G_END_DECLS
#endif

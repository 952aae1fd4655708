/* robocache: the ranges of features that a window's grids depend on, each cloud measured once
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "run.h"

/* A zeroed struct is valid and empty. */
typedef struct
{
  guint n_slots;
  gsize n_values;
  guint64 *numbers;             /* [n_slots] number of the slot's cloud, from 1 on; 0: free */
  gdouble *values;              /* [n_slots, n_values] */
  gdouble *maxima;              /* [n_values] maxima over the clouds of the window */
} RobocacheCloudRanges;

/* Sets run->ranges, valid until the next call, if grids that accumulate incrementally depend on them: these ranges decide whether a run can
 * be incremental. Stops accumulating if the memory budget is too small. */
gboolean robocache_voxel_measure_ranges (RobocacheVoxelRun * run, RobocacheCloudRanges * ranges, GError ** error);
void robocache_cloud_ranges_clear (RobocacheCloudRanges * ranges);

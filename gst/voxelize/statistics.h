/* robocache: robocachevoxelize, its statistics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/transfers/readback.h"
#include "kernels/voxel.h"

typedef struct
{
  guint64 buffers;
  RcVoxelCounters total;        /* points … clamped count each cloud once; occupied, over_cap and over_points sum over
                                 * outputs */
  gint64 points_read;           /* points that were read to add clouds to grids or to remove them */
  gint64 occupied_voxels;       /* number of occupied voxels in the grids of the last buffer */
  guint64 buffers_over_cap;
  gint64 occupied_over_cap;     /* occupied voxels of the last buffer that had more than max-voxels; 0: no buffer had */
  gdouble share_over_cap;       /* share of that buffer's occupied voxels that are over max-voxels */
  GstClockTime last_pts;        /* PTS of the last buffer that was counted */

  RobocacheReadback *readback;  /* counters of buffers that were sent and may still be computed */
} RobocacheVoxelizeStatistics;

/* Sets all counts to 0. Keeps the readback. */
void robocache_voxelize_statistics_reset (RobocacheVoxelizeStatistics * statistics);
/* Counts the completed buffers; never waits for a device. FALSE and an error: a device failed. */
gboolean robocache_voxelize_statistics_count (RobocacheVoxelizeStatistics * statistics, GError ** error);
/* Posts a warning if a buffer had voxels over max_voxels, and returns whether it did. */
gboolean robocache_voxelize_statistics_warn_over_cap (const RobocacheVoxelizeStatistics * statistics, GstElement * element,
    gint64 max_voxels);
/* The structure of `stats`, without the fields of the device. */
GstStructure *robocache_voxelize_statistics_to_structure (const RobocacheVoxelizeStatistics * statistics);

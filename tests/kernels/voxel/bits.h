/* robocache: the bits of a grid, whatever it is made on and however its cloud is cut into chunks
 *
 * Needs no GLib.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VOXEL_BITS_H
#define VOXEL_BITS_H

#include "kernels/memory.h"
#include "tests/kernels/report.h"
#include "clouds.h"

#define VOXEL_BITS_RUNS 100     /* of one grid, that must not differ */

/* All outputs and counters of a job, in one number. */
typedef struct
{
  uint64_t hash;
  RcVoxelCounters counters;
} VoxelBits;

/* A grid to be made again and again on a backend, in memory that is as the last run left it. */
typedef struct VoxelGrid VoxelGrid;

/* All points of a cloud in a backend's memory, for grids to share; free with rc_memory_free. NULL when that failed, and test
 * has why. */
void *voxel_points_new (RcBackend * backend, const VoxelCloud * cloud, Test * test);

/* NULL when that failed, and test has why. cloud and points must live as long. Without points the grid has its own, and of a
 * cloud of more than 2^20 points, which has one item, only a chunk at a time. */
VoxelGrid *voxel_grid_new (RcBackend * backend, const VoxelCloud * cloud, const VoxelForm * form, const void *points,
    Test * test);
void voxel_grid_free (VoxelGrid * grid);

/* Makes it. Run 0 is in as few chunks as there may be, other even ones are cut in their own way, and their chunks come in
 * another order for the range than for the points, unless the output is in their order. Odd ones are whole clouds, by
 * rc_voxel_run, and every fourth is in a grid that is known to hold half of the cloud. Where a grid has a chunk of its cloud
 * at a time all are cut. Checks that no point is lost: points are those of the cloud, and the sum of inside, outside, nan
 * and infinite. */
VoxelBits voxel_grid_run (VoxelGrid * grid, int run, Test * test);

void voxel_bits_compare (const VoxelBits * got, const VoxelBits * wanted, const char *what, Test * test);

#endif

/* robocache: the memory budget of a run: items per job, and points per piece of a cloud
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "run.h"

/* Reserves memory on every shard. Restarts the run if a shard loses its accumulators, and stops accumulating if these exceed the budget.
 * FALSE and an error: not even one item and a piece of a cloud fit, or a device failed. */
gboolean robocache_voxel_budget_reserve (RobocacheVoxelRun * run, GError ** error);
/* Reserves memory before a run, for the shard's items of one cloud, whole or in pieces. */
gboolean robocache_voxel_budget_reserve_cloud (const RobocacheVoxelRun * run, RobocacheVoxelShard * shard,
    const RobocacheCloud * cloud, GError ** error);
/* Reserves scratch for another plan of the shard: a smaller batch may need more. */
gboolean robocache_voxel_budget_reserve_scratch (const RobocacheVoxelRun * run, RobocacheVoxelShard * shard,
    const RobocacheVoxelPlan * plan, GError ** error);

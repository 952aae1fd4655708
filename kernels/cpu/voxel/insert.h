/* robocache: what the phases of voxel grids on the CPU do with a block of located points
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "item.h"

/* points: the points of the block, stride bytes apart; NULL for depth. */
typedef void (*RcCpuVoxelInsert) (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcCpuVoxelBlock * block,
    const char *points, int64_t stride, RcVoxelCounters * counters);

/* Raises the item's ranges to the ranges of the features. */
void rc_cpu_voxel_find_range (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcCpuVoxelBlock * block,
    const char *points, int64_t stride, RcVoxelCounters * counters);

/* The function that adds points to the plan's accumulators or lists, and the one that removes them from kept accumulators. */
RcCpuVoxelInsert rc_cpu_voxel_adder (const RcVoxelPlan * plan);
RcCpuVoxelInsert rc_cpu_voxel_remover (const RcVoxelPlan * plan);

/* robocache: what the phases of voxel grids on the CPU do with a block of located points
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CPU_VOXEL_INSERT_H
#define RC_CPU_VOXEL_INSERT_H

#include "item.h"

/* points: those of the block, stride bytes apart; NULL for depth. */
typedef void (*RcCpuVoxelInsert) (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcCpuVoxelBlock * block,
    const char *points, int64_t stride, RcVoxelCounters * counters);

/* Raises the item's ranges to those of the features. */
void rc_cpu_voxel_find_range (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcCpuVoxelBlock * block,
    const char *points, int64_t stride, RcVoxelCounters * counters);

/* What adds points to the plan's accumulators or lists, and what takes them out of accumulators that are kept. */
RcCpuVoxelInsert rc_cpu_voxel_adder (const RcVoxelPlan * plan);
RcCpuVoxelInsert rc_cpu_voxel_remover (const RcVoxelPlan * plan);

#endif

/* robocache: removes a cloud from an incremental voxel grid of mode max or min, on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "item.h"

/* Removes the cloud of the item's layer from the voxels of the points of a block; does not read points, stride and counters. */
void rc_cpu_voxel_remove_layered (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcCpuVoxelBlock * block,
    const char *points, int64_t stride, RcVoxelCounters * counters);

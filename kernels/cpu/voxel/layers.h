/* robocache: max and min of incremental voxel grids on the CPU: a cloud that leaves
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CPU_VOXEL_LAYERS_H
#define RC_CPU_VOXEL_LAYERS_H

#include "item.h"

/* Removes the cloud of the item's layer from the voxels of the points of a block; points, stride and counters are not read. */
void rc_cpu_voxel_remove_layered (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcCpuVoxelBlock * block,
    const char *points, int64_t stride, RcVoxelCounters * counters);

#endif

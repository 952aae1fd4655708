/* robocache: robocachevoxelize, buffers: ALLOCATION queries, and the memories of an output that kernels write
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/tensors/tensorbuffer.h"
#include "negotiation.h"

/* Sets the allocator and pool of outputs in downstream's answer. Sparse output has one memory per tensor, so the pool is
 * always a GstRobocacheTensorPool; maps of clouds have another pool (pointmap.h). */
gboolean robocache_voxelize_decide_allocation (const RobocacheVoxelizeConfiguration * configuration,
    RobocacheDevice * device, GstElement * element, GstQuery * query, GError ** error);
/* Adds the buffers that upstream needs while the window holds some, and memory of the device or pinned memory. */
void robocache_voxelize_propose_allocation (const RobocacheVoxelizeConfiguration * configuration,
    RobocacheDevice * device, GstElement * element, GstQuery * query);
/* The reason why no output of so many bytes could be allocated. Pools do not report a reason, so the allocator tries again. */
GError *robocache_voxelize_explain_no_output (const RobocacheVoxelizeConfiguration * configuration,
    RobocacheDevice * device, gsize bytes);

/* Finds the memory in which kernels write the output. Memories that kernels cannot access are mapped: unmap `map` if place->mapped[0]. */
gboolean robocache_voxelize_find_output (const RobocacheVoxelizeConfiguration * configuration, GstBuffer * output,
    RobocacheTensorsMap * map, RobocacheVoxelPlace * place, GError ** error);

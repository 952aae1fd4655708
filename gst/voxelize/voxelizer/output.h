/* robocache: outputs of a job: the place where kernels write them, and their way to the destination
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "run.h"

/* Bytes of the shard's block for `items` items of the outputs that kernels cannot write directly. */
guint64 robocache_voxel_output_bytes (const RobocacheVoxelShard * shard, const RobocacheVoxelPlace * place, guint64 items);
/* Sets run->occupied to the occupancy stamp of a grid that all shards write directly. */
void robocache_voxel_output_find_bitmap (RobocacheVoxelRun * run);
/* Sets the stamp of the grid after its last write. */
void robocache_voxel_output_stamp (const RobocacheVoxelRun * run);
/* Sets the memory that the job writes: job->out, for maps of points job->job, and parts[] for robocache_voxel_output_deliver. */
void robocache_voxel_output_place (RobocacheVoxelJob * job, guint8 * parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS]);
/* Enqueues copies of the parts that kernels did not write directly. */
gboolean robocache_voxel_output_deliver (const RobocacheVoxelJob * job,
    guint8 * const parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS], GError ** error);

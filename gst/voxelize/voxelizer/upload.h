/* robocache: one cloud of a job: the memory of its rows, and their transfer to the kernels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "run.h"

/* Phases of the kernels that read a cloud. */
typedef enum
{
  ROBOCACHE_VOXEL_PHASE_RUN,    /* a whole job, of one chunk */
  ROBOCACHE_VOXEL_PHASE_RANGE,
  ROBOCACHE_VOXEL_PHASE_ADD,
  ROBOCACHE_VOXEL_PHASE_REMOVE,
  ROBOCACHE_VOXEL_PHASE_MEASURE /* outside of jobs */
} RobocacheVoxelPhase;

/* Bytes from one point to the next, or from one line of an image to the next. */
guint64 robocache_voxel_upload_row_stride (const RobocachePointsInfo * points, const RobocacheCloud * cloud);
/* Bytes of the shard's block for `items` items of the cloud; 0: kernels read the cloud directly. */
guint64 robocache_voxel_upload_bytes (const RobocacheVoxelRun * run, const RobocacheVoxelShard * shard,
    const RobocacheCloud * cloud, guint64 items);

/* Begin and end the shard's work on a cloud that kernels read directly. */
gboolean robocache_voxel_upload_begin_read (const RobocacheVoxelRun * run, const RobocacheVoxelShard * shard,
    const RobocacheCloud * cloud, GError ** error);
gboolean robocache_voxel_upload_end_read (const RobocacheVoxelRun * run, const RobocacheVoxelShard * shard,
    const RobocacheCloud * cloud, GError ** error);

/* Uploads the cloud, unless kernels read it directly or the job has already uploaded it, and enqueues the phase. offset: position of the
 * cloud in the shard's block. */
gboolean robocache_voxel_upload_and_run (RobocacheVoxelJob * job, RobocacheVoxelPhase phase,
    const RobocacheCloud * cloud, guint64 offset, RcVoxelCounters * counters, GError ** error);

/* robocache: voxel grids of the clouds of a window: directly or through blocks of memory, whole or in pieces, on one engine or split over
 * several
 *
 * A batch is split over engines on the axis of items. Kernels directly use the memory that they can access; other memory is copied
 * through blocks of the engine's memory. With a small memory budget, a job has fewer items, and the clouds of a single item are cut: the
 * result has the same bits.
 *
 * Where plans accumulate incrementally (spec->accumulates) within the budget, a sliding window reads only the points of the clouds that
 * enter and leave it, if these are fewer than all. So the window keeps clouds that have left until the run is done. Accumulators identify
 * their clouds by number, independently of other changes of the window.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/transfers/readback.h"
#include "run.h"

#define ROBOCACHE_VOXELIZER_N_COUNTERS (sizeof (RcVoxelCounters) / sizeof (gint64))

typedef struct _RobocacheVoxelizer RobocacheVoxelizer;

/* Makes a plan on each engine, for its share of spec->batch items. The rays of depth images must outlive it; a layout is copied.
 * reads_host: kernels read system memory. NULL, *status and an error: rc_voxel_plan refused the spec, or memory is short. */
RobocacheVoxelizer *robocache_voxelizer_new (RobocacheEngine * const *engines, guint n_engines, gboolean reads_host,
    const RcVoxelSpec * spec, RcStatus * status, GError ** error);
/* Waits for enqueued work. */
void robocache_voxelizer_free (RobocacheVoxelizer * voxelizer);

/* The first engine, on whose device outputs are. */
RobocacheEngine *robocache_voxelizer_engine (const RobocacheVoxelizer * voxelizer);

/* Enqueues the grids of the window; they are complete in stream order of the first engine. The readback has the same engines, and gets
 * RcVoxelCounters. Points are counted in the newest cloud only, since earlier clouds were counted before. FALSE and an error, without
 * enqueued work: ROBOCACHE_ERROR_DATA, no memory, or a device failed. */
gboolean robocache_voxelizer_run (RobocacheVoxelizer * voxelizer, const RobocachePointsInfo * points,
    const RobocacheCloudWindow * window, const RobocacheVoxelPlace * place, RobocacheReadback * readback,
    RobocacheVoxelWork * work, GError ** error);

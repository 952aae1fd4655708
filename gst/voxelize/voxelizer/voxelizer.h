/* robocache: voxel grids of the clouds of a window: where they are or where there is room, whole or in pieces, on one
 * engine or split over several
 *
 * A batch is split over engines on the axis of items. What lies where an engine's kernels look is used in place; the
 * rest goes through blocks of the engine's memory. Where that is short, a job takes fewer items at once, and of one
 * item fewer points: the phases of a grid give the same bits.
 *
 * Where plans keep (spec->keeps) and there is room, a window that slides costs the clouds that come and leave, as often as
 * that is fewer points than all; for this the window keeps those that left until the run is done. Accumulators know their
 * clouds by number, so it does not matter what else happened to the window.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXELIZER_H
#define ROBOCACHE_VOXELIZER_H

#include "cloudwindow.h"
#include "kernels/voxel.h"
#include "common/device/scratch.h"
#include "common/device/readback.h"

G_BEGIN_DECLS

#define ROBOCACHE_VOXELIZER_MAX_OUTPUTS 4
#define ROBOCACHE_VOXELIZER_N_COUNTERS (sizeof (RcVoxelCounters) / sizeof (gint64))

/* Where the tensors of the output are, each with the items one after another. The map of a cloud is one tensor, or none
 * where the cloud is empty. */
typedef struct
{
  guint n_outputs;
  GstMemory *memories[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];
  guint64 item_bytes[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];
  gpointer mapped[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];    /* when the CPU writes; then memories are not looked at */
} RobocacheVoxelPlace;

typedef struct _RobocacheVoxelizer RobocacheVoxelizer;

/* What a run took. */
typedef struct
{
  guint n_chunks;               /* pieces that the job was cut into that does not fit whole; 0: it was not */
  gint64 points_read;           /* of all items, to add them or to take them out */
} RobocacheVoxelWork;

/* A plan on each engine, for its share of spec->batch items. The rays of depth must live as long; a layout is copied.
 * reads_host: kernels read where the CPU does. NULL, *status and an error: what rc_voxel_plan said of the spec, or there
 * is no memory. */
RobocacheVoxelizer *robocache_voxelizer_new (RobocacheEngine * const *engines, guint n_engines, gboolean reads_host,
    const RcVoxelSpec * spec, RcStatus * status, GError ** error);
/* Waits for work under way. */
void robocache_voxelizer_free (RobocacheVoxelizer * voxelizer);

/* Of the first engine, on whose device outputs are. */
RobocacheEngine *robocache_voxelizer_engine (const RobocacheVoxelizer * voxelizer);

/* Enqueues the grids of the window; they are done when the stream of the first engine is. The readback, of as many
 * engines, gets RcVoxelCounters, of points the newest cloud's only: the others were counted when they came. FALSE and an
 * error: ROBOCACHE_ERROR_DATA, no room, or a device failed; nothing is under way then. */
gboolean robocache_voxelizer_run (RobocacheVoxelizer * voxelizer, const RobocachePointsInfo * points,
    const RobocacheCloudWindow * window, const RobocacheVoxelPlace * place, RobocacheReadback * readback,
    RobocacheVoxelWork * work, GError ** error);

G_END_DECLS
#endif

/* robocache: a run for the grids of a window: clouds to add to the accumulators, and clouds to remove
 *
 * A run takes each shard through its share of the items in jobs; in a job each phase goes over the clouds one by one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXEL_RUN_H
#define ROBOCACHE_VOXEL_RUN_H

#include "cloudwindow.h"
#include "shard.h"

G_BEGIN_DECLS

#define ROBOCACHE_VOXELIZER_MAX_OUTPUTS 4

/* Where the tensors of the output are, each with the items one after another. The map of a cloud is one tensor, and none for
 * an empty cloud. */
typedef struct
{
  guint n_outputs;
  GstMemory *memories[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];
  guint64 item_bytes[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];
  gpointer mapped[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];    /* set when the CPU writes; memories are then ignored */
} RobocacheVoxelPlace;

/* The work of a run. */
typedef struct
{
  guint n_chunks;               /* pieces of a job that did not fit the memory budget; 0: it fitted */
  gint64 points_read;           /* of all items, to add or remove them */
} RobocacheVoxelWork;

/* Clouds that the accumulators contain, by their numbers: first … end - 1. */
typedef struct
{
  guint64 first, end;
} RobocacheVoxelHeld;

typedef struct
{
  RobocacheVoxelShards *shards;
  const RobocachePointsInfo *points;
  const RobocacheCloudWindow *window;
  const RobocacheVoxelPlace *place;
  RobocacheVoxelWork *work;
  gint64 n_points;              /* per item, in the window */
  const gdouble *ranges;        /* [items, channels] of the window's features; NULL: a range phase finds them */
  gboolean is_incremental;      /* starts from the accumulators of the last run */
  guint64 add_first, add_end;   /* numbers of clouds to add, and to remove */
  guint64 remove_first, remove_end;
  guint8 *occupied;             /* bitmaps of the items' grids; NULL: every byte of the grids is written */
  gboolean is_known;            /* the bitmaps are those of the grids */
} RobocacheVoxelRun;

/* Items first … first + n - 1 of a run, on one shard. */
typedef struct
{
  const RobocacheVoxelRun *run;
  RobocacheVoxelShard *shard;
  RcVoxelPlan *plan;
  RcVoxelJob job;
  RcVoxelOut out;
  guint64 first, n;
  RcVoxelCounters *counters;
  gdouble *measured;            /* [n, channels] result of the measure phase */
  gboolean is_uploaded;         /* all clouds are where the kernels read */
  guint n_pieces;               /* of clouds that were cut */
} RobocacheVoxelJob;

/* A run over all clouds of the window, from cleared accumulators. */
RobocacheVoxelRun robocache_voxel_run_init (RobocacheVoxelShards * shards, const RobocachePointsInfo * points,
    const RobocacheCloudWindow * window, const RobocacheVoxelPlace * place, RobocacheVoxelWork * work);
/* Returns to that. */
void robocache_voxel_run_restart (RobocacheVoxelRun * run);
/* Makes the run incremental where that reads fewer points. */
void robocache_voxel_run_choose_clouds (RobocacheVoxelRun * run, const RobocacheVoxelHeld * held);
/* Whether to accumulate incrementally at all. Sparse and rank outputs then read the whole bitmap, which costs more than sorting
 * a few points in a large grid. Assumes that later clouds are like those of the window. */
gboolean robocache_voxel_run_is_worth_accumulating (const RobocacheVoxelRun * run);

/* Clouds to add, then clouds to remove. */
guint robocache_voxel_run_n_touched (const RobocacheVoxelRun * run);
const RobocacheCloud *robocache_voxel_run_touched (const RobocacheVoxelRun * run, guint i);
/* Points per item of the clouds to add. */
gint64 robocache_voxel_run_points_added (const RobocacheVoxelRun * run);

/* Arguments that all jobs on a shard share. */
RcVoxelJob robocache_voxel_run_describe_job (const RobocacheVoxelRun * run, const RobocacheVoxelShard * shard);

G_END_DECLS
#endif

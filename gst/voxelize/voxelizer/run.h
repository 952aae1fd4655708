/* robocache: a run for the grids of a window: clouds to add to the accumulators, and clouds to remove
 *
 * A run takes each shard through its share of the items in jobs; in a job each phase goes over the clouds one by one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cloudwindow.h"
#include "shard.h"

#define ROBOCACHE_VOXELIZER_MAX_OUTPUTS 4

/* The memory of the output tensors, each with the items one after another. The map of a cloud is one tensor; an empty cloud has no
 * tensor. */
typedef struct
{
  guint n_outputs;
  GstMemory *memories[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];
  guint64 item_bytes[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];
  gpointer mapped[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];    /* set if the CPU writes; then memories are ignored */
} RobocacheVoxelPlace;

/* Counts of the work of a run. */
typedef struct
{
  guint n_chunks;               /* pieces of a job that did not fit the memory budget; 0: it fitted */
  gint64 points_read;           /* points of all items that were read to add or remove them */
  const gchar *recomputes;      /* for log lines: why each grid is computed from all clouds of its window; NULL: it is not */
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
  gint64 n_points;              /* points per item in the window */
  const gdouble *ranges;        /* [items, channels] of the window's features; NULL: a range phase finds them */
  gboolean is_incremental;      /* starts from the accumulators of the last run */
  guint64 add_first, add_end;   /* numbers of clouds to add, and to remove */
  guint64 remove_first, remove_end;
  guint8 *occupied;             /* occupancy bitmaps of the items' grids; NULL: every byte of the grids is written */
  gboolean is_known;            /* the bitmaps match the current content of the grids */
} RobocacheVoxelRun;

/* The part of a run on one shard: items first … first + n - 1. */
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
  gboolean is_uploaded;         /* all clouds are in memory that the kernels read */
  guint n_pieces;               /* number of pieces of clouds that were cut */
} RobocacheVoxelJob;

/* Makes a run over all clouds of the window, from cleared accumulators. */
RobocacheVoxelRun robocache_voxel_run_init (RobocacheVoxelShards * shards, const RobocachePointsInfo * points,
    const RobocacheCloudWindow * window, const RobocacheVoxelPlace * place, RobocacheVoxelWork * work);
/* Resets the run to that state. */
void robocache_voxel_run_restart (RobocacheVoxelRun * run);
/* Makes the run incremental if that reads fewer points. */
void robocache_voxel_run_choose_clouds (RobocacheVoxelRun * run, const RobocacheVoxelHeld * held);
/* Whether to accumulate incrementally at all. Sparse and rank outputs then read the whole bitmap, which costs more than sorting
 * a few points in a large grid. Assumes that later clouds are like those of the window. */
gboolean robocache_voxel_run_is_worth_accumulating (const RobocacheVoxelRun * run);

/* Clouds to add, in the order of the window, then clouds to remove. */
guint robocache_voxel_run_n_touched (const RobocacheVoxelRun * run);
const RobocacheCloud *robocache_voxel_run_touched (const RobocacheVoxelRun * run, guint i);
/* Points per item of the clouds to add. */
gint64 robocache_voxel_run_points_added (const RobocacheVoxelRun * run);

/* Arguments that all jobs on a shard share. */
RcVoxelJob robocache_voxel_run_describe_job (const RobocacheVoxelRun * run, const RobocacheVoxelShard * shard);

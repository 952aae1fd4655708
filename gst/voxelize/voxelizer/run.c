/* robocache: a run for the grids of a window: clouds to add to the accumulators, and clouds to remove
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "run.h"

#define MAX_VOXELS_A_POINT 1024        /* of a grid whose bitmap is read in order, rather than its points sorted */

RobocacheVoxelRun
robocache_voxel_run_init (RobocacheVoxelShards *shards, const RobocachePointsInfo *points,
    const RobocacheCloudWindow *window, const RobocacheVoxelPlace *place, RobocacheVoxelWork *work)
{
  RobocacheVoxelRun run = { shards, points, window, place, work, robocache_cloud_window_points (window) };

  *work = (RobocacheVoxelWork) { 0 };
  robocache_voxel_run_restart (&run);
  return run;
}

void
robocache_voxel_run_restart (RobocacheVoxelRun *run)
{
  run->is_incremental = FALSE;
  run->add_end = run->window->n_pushed;
  run->add_first = run->add_end - robocache_cloud_window_length (run->window);
  run->remove_first = run->remove_end = 0;
}

/* ---- clouds ---- */

guint
robocache_voxel_run_n_touched (const RobocacheVoxelRun *run)
{
  return (guint) (run->add_end - run->add_first + run->remove_end - run->remove_first);
}

const RobocacheCloud *
robocache_voxel_run_touched (const RobocacheVoxelRun *run, guint i)
{
  const guint64 n_added = run->add_end - run->add_first;
  const guint64 added = run->window->newest_first ? run->add_end - 1 - i : run->add_first + i;

  return robocache_cloud_window_find (run->window, i < n_added ? added : run->remove_first + i - n_added);
}

static gint64
points_between (const RobocacheVoxelRun *run, guint64 first, guint64 end)
{
  gint64 n = 0;

  for (guint64 number = first; number < end; number++)
    n += robocache_cloud_window_find (run->window, number)->n_points;
  return n;
}

gint64
robocache_voxel_run_points_added (const RobocacheVoxelRun *run)
{
  return points_between (run, run->add_first, run->add_end);
}

/* ---- incremental runs ---- */

static gboolean
has_layers_for (const RobocacheVoxelRun *run, guint64 n_clouds)
{
  const gint64 layers = rc_voxel_layers (run->shards->shards[0].plans[0].plan);

  return layers == 0 || n_clouds <= (guint64) layers;
}

static gboolean
can_be_incremental (const RobocacheVoxelRun *run, const RobocacheVoxelHeld *held)
{
  const RobocacheVoxelShards *shards = run->shards;
  const guint64 first = held->first, end = held->end;
  gboolean ok = shards->accumulates && first < end && end < run->add_end
      && robocache_cloud_window_find (run->window, first) && has_layers_for (run, run->add_end - first)
      && points_between (run, first, run->add_end) <= RC_VOXEL_MAX_POINTS
      && points_between (run, end, run->add_end) + points_between (run, first, run->add_first) < run->n_points;

  for (guint i = 0; i < shards->n && ok; i++) {
    const RobocacheVoxelShard *shard = &shards->shards[i];
    const RcVoxelJob job = robocache_voxel_run_describe_job (run, shard);

    ok = shard->items == shard->n && rc_voxel_can_be_incremental (shard->plans[0].plan, &job);
  }
  return ok;
}

gboolean
robocache_voxel_run_is_worth_accumulating (const RobocacheVoxelRun *run)
{
  const RcVoxelSpec *spec = &run->shards->spec;
  const gdouble voxels = (gdouble) spec->grid[0] * (gdouble) spec->grid[1] * (gdouble) spec->grid[2];
  const gdouble points = (gdouble) run->n_points * run->window->capacity / robocache_cloud_window_length (run->window);

  if (spec->output != RC_VOXEL_SPARSE && spec->output != RC_VOXEL_RANK)
    return TRUE;
  return points == 0 || voxels <= MAX_VOXELS_A_POINT * points;
}

void
robocache_voxel_run_choose_clouds (RobocacheVoxelRun *run, const RobocacheVoxelHeld *held)
{
  robocache_voxel_run_restart (run);
  /* the window released clouds before they were removed, as after a flush: nothing of them may be left */
  for (guint i = 0; i < run->shards->n && held->first < held->end
      && robocache_cloud_window_find (run->window, held->first) == NULL; i++)
    run->shards->shards[i].clean = NULL;
  if (!can_be_incremental (run, held))
    return;
  run->is_incremental = TRUE;
  run->remove_first = held->first;
  run->remove_end = run->add_first;
  run->add_first = held->end;
}

RcVoxelJob
robocache_voxel_run_describe_job (const RobocacheVoxelRun *run, const RobocacheVoxelShard *shard)
{
  const guint64 channels = (guint64) rc_voxel_channels (shard->plans[0].plan);

  return (RcVoxelJob) {.n_points = run->n_points,.scratch = shard->scratch.data,.is_incremental = run->is_incremental,
    .ranges = run->ranges ? run->ranges + shard->first * channels : NULL
  };
}

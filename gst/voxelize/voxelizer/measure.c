/* robocache: the ranges of features that a window's grids depend on, measured before a run
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"

#include "budget.h"
#include "upload.h"

static gboolean
measure_share (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard, const RobocacheCloud *cloud, gdouble *values,
    GError **error)
{
  RcVoxelPlan *plan = shard->plans[0].plan;
  RobocacheVoxelJob job = {.run = run,.shard = shard,.plan = plan,.first = shard->first,.n = shard->n,
    .measured = values + shard->first * (guint64) rc_voxel_channels (plan)
  };

  return robocache_voxel_budget_reserve_cloud (run, shard, cloud, error)
      && robocache_voxel_upload_begin_read (run, shard, cloud, error)
      && robocache_voxel_upload_and_run (&job, ROBOCACHE_VOXEL_PHASE_MEASURE, cloud, 0, NULL, error)
      && robocache_voxel_upload_end_read (run, shard, cloud, error);
}

/* Raises values [items, channels] to the ranges of the cloud's features. data: the run. */
static gboolean
measure_cloud (gpointer data, const RobocacheCloud *cloud, gdouble *values, GError **error)
{
  const RobocacheVoxelRun *run = data;
  gboolean ok = TRUE;

  for (guint i = 0; i < run->shards->n && ok; i++)
    ok = measure_share (run, &run->shards->shards[i], cloud, values, error);
  return ok;
}

gboolean
robocache_voxel_measure_ranges (RobocacheVoxelRun *run, RobocacheCloudRanges *ranges, GError **error)
{
  RobocacheVoxelShards *shards = run->shards;
  const RcVoxelPlan *plan = shards->shards[0].plans[0].plan;
  GError *failure = NULL;

  if (!shards->accumulates || !rc_voxel_needs_range (plan))
    return TRUE;
  run->ranges = robocache_cloud_ranges_update (ranges, run->window,
      (guint) (shards->spec.batch * rc_voxel_channels (plan)), measure_cloud, run, &failure);
  if (run->ranges)
    return TRUE;
  if (!robocache_voxel_is_no_space (failure)) {
    g_propagate_error (error, failure);
    return FALSE;
  }
  g_error_free (failure);
  robocache_voxel_shards_stop_accumulating (shards, "clouds that must be measured exceed the memory budget");
  return TRUE;
}

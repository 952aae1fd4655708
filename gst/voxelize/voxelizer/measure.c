/* robocache: the ranges of features that a window's grids depend on, each cloud measured once
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"

#include <string.h>

#include "budget.h"
#include "common/device/budget.h"
#include "upload.h"

#define MIN_SLOTS 16

void
robocache_cloud_ranges_clear (RobocacheCloudRanges *ranges)
{
  g_free (ranges->numbers);
  g_free (ranges->values);
  g_free (ranges->maxima);
  *ranges = (RobocacheCloudRanges) { 0 };
}

/* Discards all ranges when the window needs more slots. FALSE and an error: there is no memory for them. */
static gboolean
reserve (RobocacheCloudRanges *ranges, guint n_clouds, gsize n_values, GError **error)
{
  const guint n_slots = MAX (2 * n_clouds, MIN_SLOTS);
  const guint64 value_bytes = robocache_bytes_multiply (n_values, sizeof (gdouble));

  if (n_clouds <= ranges->n_slots && n_values == ranges->n_values)
    return TRUE;
  robocache_cloud_ranges_clear (ranges);
  ranges->values = robocache_try_malloc (robocache_bytes_multiply (n_slots, value_bytes), "ranges of a window's clouds", error);
  ranges->maxima = ranges->values ? robocache_try_malloc (value_bytes, "ranges of features", error) : NULL;
  if (ranges->maxima == NULL)
    return FALSE;
  ranges->numbers = g_new0 (guint64, n_slots);
  ranges->n_slots = n_slots;
  ranges->n_values = n_values;
  return TRUE;
}

/* Raises the shard's part of values [items, channels] to the ranges of the cloud's features. */
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

static gboolean
measure_cloud (const RobocacheVoxelRun *run, RobocacheCloudRanges *ranges, const RobocacheCloud *cloud, GError **error)
{
  const guint slot = (guint) (cloud->number % ranges->n_slots);
  gdouble *values = ranges->values + (gsize) slot * ranges->n_values;
  const gboolean is_known = ranges->numbers[slot] == cloud->number + 1;
  gboolean ok = TRUE;

  if (!is_known) {
    ranges->numbers[slot] = 0;
    memset (values, 0, ranges->n_values * sizeof (gdouble));
  }
  for (guint i = 0; i < run->shards->n && ok && !is_known; i++)
    ok = measure_share (run, &run->shards->shards[i], cloud, values, error);
  if (ok)
    ranges->numbers[slot] = cloud->number + 1;
  for (gsize k = 0; k < ranges->n_values; k++)
    ranges->maxima[k] = MAX (ranges->maxima[k], values[k]);
  return ok;
}

gboolean
robocache_voxel_measure_ranges (RobocacheVoxelRun *run, RobocacheCloudRanges *ranges, GError **error)
{
  const guint n = robocache_cloud_window_length (run->window);
  const RcVoxelPlan *plan = run->shards->shards[0].plans[0].plan;
  GError *failure = NULL;
  gboolean ok;

  if (!run->shards->accumulates || !rc_voxel_needs_range (plan))
    return TRUE;
  ok = reserve (ranges, n, (gsize) (run->shards->spec.batch * rc_voxel_channels (plan)), &failure);
  if (ok)
    memset (ranges->maxima, 0, ranges->n_values * sizeof (gdouble));
  for (guint i = 0; i < n && ok; i++)
    ok = measure_cloud (run, ranges, robocache_cloud_window_nth (run->window, i), &failure);
  if (ok) {
    run->ranges = ranges->maxima;
  } else if (robocache_voxel_is_no_space (failure)) {
    g_clear_error (&failure);
    robocache_voxel_shards_stop_accumulating (run->shards, "clouds that must be measured exceed the memory budget");
    return TRUE;
  } else {
    g_propagate_error (error, failure);
  }
  return ok;
}

/* robocache: the engines that share a batch of grids, and their plans
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "shard.h"

#include "common/tensors/tensorcaps.h"

static void
clear_plan (RobocacheVoxelShard *shard, RobocacheVoxelPlan *plan)
{
  if (shard->clean == plan->plan)
    shard->clean = NULL;
  g_clear_pointer (&plan->plan, rc_voxel_plan_free);
  plan->items = 0;
}

void
robocache_voxel_shards_synchronize (const RobocacheVoxelShards *shards)
{
  for (guint i = 0; i < shards->n; i++) {
    if (shards->shards[i].engine)
      robocache_engine_synchronize (shards->shards[i].engine, NULL);
  }
}

RcStatus
robocache_voxel_shard_make_plan (const RobocacheVoxelShards *shards, RobocacheVoxelShard *shard,
    RobocacheVoxelPlan *plan, guint64 items, RcError *failure)
{
  RcVoxelSpec spec = shards->spec;
  RcStatus status;

  if (plan->items == items)
    return RC_OK;
  robocache_voxel_shards_synchronize (shards);
  clear_plan (shard, plan);
  spec.batch = (gint64) items;
  status = rc_voxel_plan (robocache_engine_backend (shard->engine), &spec, &plan->plan, &plan->footprint, failure);
  plan->items = status == RC_OK ? items : 0;
  return status;
}

static RcStatus
init_shard (RobocacheVoxelShards *shards, RobocacheVoxelShard *shard, RobocacheEngine *engine, RcError *failure)
{
  RcStatus status;

  shard->engine = robocache_engine_ref (engine);
  status = robocache_voxel_shard_make_plan (shards, shard, &shard->plans[0], shard->n, failure);
  if (status == RC_OK)
    status = rc_event_new (robocache_engine_backend (engine), &shard->done, failure);
  if (status == RC_OK)
    status = rc_event_new (robocache_engine_backend (shards->shards[0].engine), &shard->gathered, failure);
  return status;
}

static gboolean
all_accumulate (const RobocacheVoxelShards *shards)
{
  gboolean all = TRUE;

  for (guint i = 0; i < shards->n && all; i++)
    all = rc_voxel_accumulates (shards->shards[i].plans[0].plan);
  return all;
}

RcStatus
robocache_voxel_shards_init (RobocacheVoxelShards *shards, RobocacheEngine *const *engines, guint n_engines,
    gboolean reads_host, const RcVoxelSpec *spec, RcError *failure)
{
  static guint64 last_writer = 0;
  const guint64 batch = (guint64) spec->batch;
  RcStatus status = RC_OK;

  *shards = (RobocacheVoxelShards) {.spec = *spec,.reads_host = reads_host,.n = (guint) MIN (n_engines, batch) };
  shards->writer = __atomic_add_fetch (&last_writer, 1, __ATOMIC_RELAXED);
  if (spec->points.layout) {
    shards->layout = g_new (RcVoxelField, spec->points.fields);
    memcpy (shards->layout, spec->points.layout, (gsize) spec->points.fields * sizeof (RcVoxelField));
  }
  shards->spec.points.layout = shards->layout;
  shards->shards = g_new0 (RobocacheVoxelShard, shards->n);
  for (guint i = 0; i < shards->n && status == RC_OK; i++) {
    shards->shards[i].first = batch * i / shards->n;
    shards->shards[i].n = batch * (i + 1) / shards->n - shards->shards[i].first;
    status = init_shard (shards, &shards->shards[i], engines[i], failure);
  }
  if (status != RC_OK)
    return status;
  if (rc_voxel_profits_from_known (shards->shards[0].plans[0].plan))
    shards->bitmap_bytes = (guint64) rc_voxel_bitmap_bytes (shards->shards[0].plans[0].plan);
  if (!spec->accumulates)
    return RC_OK;
  shards->accumulates = all_accumulate (shards);
  if (!shards->accumulates)
    robocache_voxel_shards_stop_accumulating (shards, "the mode, the size of the grid or the device does not support it");
  return RC_OK;
}

/* Keeps the engine: events of other shards may belong to the first one. */
static void
clear_shard (RobocacheVoxelShards *shards, RobocacheVoxelShard *shard)
{
  if (shard->engine == NULL)
    return;
  clear_plan (shard, &shard->plans[0]);
  clear_plan (shard, &shard->plans[1]);
  robocache_staging_clear (&shard->staging);
  robocache_scratch_clear (&shard->scratch);
  robocache_scratch_clear (&shard->clouds);
  robocache_scratch_clear (&shard->outputs);
  rc_event_free (robocache_engine_backend (shard->engine), shard->done);
  rc_event_free (robocache_engine_backend (shards->shards[0].engine), shard->gathered);
}

void
robocache_voxel_shards_clear (RobocacheVoxelShards *shards)
{
  robocache_voxel_shards_synchronize (shards);
  for (guint i = 0; i < shards->n; i++)
    clear_shard (shards, &shards->shards[i]);
  for (guint i = 0; i < shards->n; i++)
    g_clear_pointer (&shards->shards[i].engine, robocache_engine_unref);
  g_free (shards->shards);
  g_free (shards->layout);
}

void
robocache_voxel_shards_stop_accumulating (RobocacheVoxelShards *shards, const gchar *reason)
{
  shards->recomputes = reason;
  robocache_voxel_shards_synchronize (shards);
  shards->accumulates = shards->spec.accumulates = FALSE;
  for (guint i = 0; i < shards->n; i++) {
    RobocacheVoxelShard *shard = &shards->shards[i];

    if (shard->plans[0].plan && !rc_voxel_accumulates (shard->plans[0].plan))
      continue;
    clear_plan (shard, &shard->plans[0]);
    robocache_scratch_clear (&shard->scratch);
    shard->items = 0;
  }
}

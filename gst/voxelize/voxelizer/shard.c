/* robocache: the voxelizer, a lane: one engine, and its plans for its share of the items
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelizerprivate.h"

#include "common/tensors/tensorcaps.h"

/* ---- plans ---- */

static void
clear_plan (RobocacheVoxelLane *lane, RobocacheVoxelPlan *plan)
{
  if (lane->clean == plan->plan)
    lane->clean = NULL;
  g_clear_pointer (&plan->plan, rc_voxel_plan_free);
  plan->items = 0;
}

void
robocache_voxelizer_wait_for_all (RobocacheVoxelizer *voxelizer)
{
  for (guint i = 0; i < voxelizer->n_lanes; i++) {
    if (voxelizer->lanes[i].engine)
      robocache_engine_synchronize (voxelizer->lanes[i].engine, NULL);
  }
}

RcStatus
robocache_voxelizer_make_plan (RobocacheVoxelizer *voxelizer, RobocacheVoxelLane *lane, RobocacheVoxelPlan *plan,
    guint64 items, RcError *failure)
{
  RcVoxelSpec spec = voxelizer->spec;
  RcStatus status;

  if (plan->items == items)
    return RC_OK;
  robocache_voxelizer_wait_for_all (voxelizer);
  clear_plan (lane, plan);
  spec.batch = (gint64) items;
  status = rc_voxel_plan (robocache_engine_backend (lane->engine), &spec, &plan->plan, &plan->footprint, failure);
  plan->items = status == RC_OK ? items : 0;
  return status;
}

RcStatus
robocache_voxelizer_init_lane (RobocacheVoxelizer *voxelizer, RobocacheVoxelLane *lane, RobocacheEngine *engine,
    RcError *failure)
{
  RcStatus status;

  lane->engine = robocache_engine_ref (engine);
  status = robocache_voxelizer_make_plan (voxelizer, lane, &lane->plans[0], lane->n, failure);
  if (status == RC_OK)
    status = rc_event_new (robocache_engine_backend (engine), &lane->done, failure);
  if (status == RC_OK)
    status = rc_event_new (robocache_engine_backend (voxelizer->lanes[0].engine), &lane->gathered, failure);
  return status;
}

void
robocache_voxelizer_clear_lane (RobocacheVoxelizer *voxelizer, RobocacheVoxelLane *lane)
{
  if (lane->engine == NULL)
    return;
  clear_plan (lane, &lane->plans[0]);
  clear_plan (lane, &lane->plans[1]);
  robocache_staging_clear (&lane->staging);
  robocache_scratch_clear (&lane->scratch);
  robocache_scratch_clear (&lane->clouds);
  robocache_scratch_clear (&lane->outputs);
  rc_event_free (robocache_engine_backend (lane->engine), lane->done);
  rc_event_free (robocache_engine_backend (voxelizer->lanes[0].engine), lane->gathered);
}

/* ---- whether accumulators are kept ---- */

gboolean
robocache_voxelizer_all_keep (const RobocacheVoxelizer *voxelizer)
{
  gboolean keep = TRUE;

  for (guint i = 0; i < voxelizer->n_lanes && keep; i++)
    keep = rc_voxel_keeps (voxelizer->lanes[i].plans[0].plan);
  return keep;
}

void
robocache_voxelizer_stop_keeping (RobocacheVoxelizer *voxelizer, const gchar *reason)
{
  GST_INFO ("windows of clouds are made anew: %s", reason);
  robocache_voxelizer_wait_for_all (voxelizer);
  voxelizer->keeps = voxelizer->spec.keeps = FALSE;
  for (guint i = 0; i < voxelizer->n_lanes; i++) {
    RobocacheVoxelLane *lane = &voxelizer->lanes[i];

    if (lane->plans[0].plan && !rc_voxel_keeps (lane->plans[0].plan))
      continue;
    clear_plan (lane, &lane->plans[0]);
    robocache_scratch_clear (&lane->scratch);
    lane->items = 0;
  }
}

/* ---- jobs ---- */

gboolean
robocache_voxelizer_check_phase (RcStatus status, const RcError *failure, GError **error)
{
  if (status != RC_INVALID_ARGUMENT)
    return robocache_engine_check (status, failure, error);
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, failure->message);
  return FALSE;
}

RcVoxelJob
robocache_voxelizer_describe_job (const RobocacheVoxelRun *run, const RobocacheVoxelLane *lane)
{
  const guint64 channels = (guint64) rc_voxel_channels (lane->plans[0].plan);

  return (RcVoxelJob) {.n_points = run->n_points,.scratch = lane->scratch.data,.goes_on = run->goes_on,
    .ranges = run->ranges ? run->ranges + lane->first * channels : NULL
  };
}

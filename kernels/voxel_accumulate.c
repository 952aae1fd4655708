/* robocache: incremental voxel grids: which plans accumulate over jobs, and when a job can be incremental
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backend_impl.h"
#include "floatmode.h"
#include "voxel_plan.h"

#include <inttypes.h>
#include <stdlib.h>

static int
may_accumulate (const RcVoxelPlan *plan)
{
  return plan->spec.accumulates > 0 && !rc_voxel_lists_points (plan->spec.mode) && plan->spec.output != RC_VOXEL_INDEX
      && plan->ops->remove != NULL;
}

RcStatus
rc_voxel_lay_out_accumulated (RcVoxelPlan *plan, RcError *error)
{
  const RcVoxelPlan alone = *plan;
  const uint64_t most = (uint64_t) RC_VOXEL_MAX_ACCUMULATED_BYTES / (uint64_t) plan->spec.batch;

  if (!may_accumulate (plan))
    return RC_OK;
  plan->accumulates = 1;
  plan->layers = rc_voxel_is_extreme (plan) ? plan->spec.accumulates : 0;
  if (rc_voxel_lay_out (plan, NULL) != RC_OK || plan->layout.item_bytes - alone.layout.item_bytes > most) {
    *plan = alone;
    return RC_OK;
  }
  if (plan->layers > 0)
    return rc_voxel_make_layers (plan, error);
  if (!rc_voxel_needs_range (plan))
    return RC_OK;
  plan->exponents = calloc ((size_t) (plan->spec.batch * plan->channels), sizeof (int));
  if (plan->exponents == NULL)
    return rc_error_set (error, RC_NO_SPACE, "no memory for the scales of %" PRId64 " values", plan->spec.batch
        * plan->channels);
  return RC_OK;
}

int
rc_voxel_accumulates (const RcVoxelPlan *plan)
{
  return plan->accumulates;
}

static int
log2_points_of (const RcVoxelJob *job)
{
  return job->item_points ? -1 : rc_voxel_ceil_log2 ((uint64_t) job->n_points);
}

/* Whether the scales of a mean are what those of the accumulators are. */
static int
has_same_scales (const RcVoxelPlan *plan, const RcVoxelJob *job)
{
  const int64_t n = plan->exponents ? plan->spec.batch * plan->channels : 0;

  if (plan->log2_points < 0 || log2_points_of (job) != plan->log2_points || (n > 0 && job->ranges == NULL))
    return 0;
  for (int64_t i = 0; i < n; i++) {
    if (rc_voxel_exponent_above (job->ranges[i]) != plan->exponents[i])
      return 0;
  }
  return 1;
}

int
rc_voxel_can_be_incremental (const RcVoxelPlan *plan, const RcVoxelJob *job)
{
  const RcFloatMode mode = rc_float_mode_enter ();
  const int can = plan->accumulates && job->scratch != NULL && job->scratch == plan->ended_scratch
      && (!rc_voxel_is_mean (plan) || has_same_scales (plan, job));

  rc_float_mode_leave (mode);
  return can;
}

void
rc_voxel_store_scales (RcVoxelPlan *plan, const RcVoxelJob *job)
{
  const RcFloatMode mode = rc_float_mode_enter ();
  const int64_t n = plan->exponents && job->ranges ? plan->spec.batch * plan->channels : 0;

  plan->log2_points = plan->exponents && job->ranges == NULL ? -1 : log2_points_of (job);
  for (int64_t i = 0; i < n; i++)
    plan->exponents[i] = rc_voxel_exponent_above (job->ranges[i]);
  rc_float_mode_leave (mode);
}

RcStatus
rc_voxel_check_incremental (const RcVoxelPlan *plan, const RcVoxelJob *job, RcError *error)
{
  const int64_t n = plan->exponents && job->ranges ? plan->spec.batch * plan->channels : 0;

  if (job->is_incremental && !plan->accumulates)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "is_incremental: jobs of this plan are never incremental, since "
        "rc_voxel_accumulates returned 0");
  for (int64_t i = 0; i < n; i++) {
    if (!(job->ranges[i] >= 0.0 && job->ranges[i] < INFINITY))
      return rc_error_set (error, RC_INVALID_ARGUMENT, "ranges[%" PRId64 "] is %g: expected a finite magnitude", i,
          job->ranges[i]);
  }
  if (job->is_incremental && !rc_voxel_can_be_incremental (plan, job))
    return rc_error_set (error, RC_INVALID_ARGUMENT, "is_incremental: the last job ended in scratch %p, but this job of %" PRId64
        " points has %p; expected the same scratch, and for means the same scales", plan->ended_scratch, job->n_points,
        job->scratch);
  return RC_OK;
}

/* robocache: incremental voxel grids: the layers of max and min, and how many points each holds
 *
 * The first removed point of a layer in a voxel removes the whole layer there, so no other call may come before the last point
 * of that layer is removed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backend_impl.h"
#include "voxel_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

RcStatus
rc_voxel_make_layers (RcVoxelPlan *plan, RcError *error)
{
  plan->leaving = -1;
  plan->held_in = calloc ((size_t) plan->layers, sizeof (int64_t));
  if (plan->held_in == NULL)
    return rc_error_set (error, RC_NO_SPACE, "no memory for the numbers of points of %" PRId64 " layers", plan->layers);
  return RC_OK;
}

void
rc_voxel_empty_layers (RcVoxelPlan *plan)
{
  if (plan->layers == 0)
    return;
  plan->leaving = -1;
  memset (plan->held_in, 0, (size_t) plan->layers * sizeof (int64_t));
}

int64_t
rc_voxel_layers (const RcVoxelPlan *plan)
{
  return plan->layers;
}

RcStatus
rc_voxel_check_leaving (const RcVoxelPlan *plan, RcError *error)
{
  if (plan->layers == 0 || plan->leaving < 0)
    return RC_OK;
  return rc_error_set (error, RC_INVALID_ARGUMENT, "layer %" PRId64 " still holds %" PRId64 " points after a remove of others: "
      "expected remove of all its points first", plan->leaving, plan->held_in[plan->leaving]);
}

RcStatus
rc_voxel_check_layer (const RcVoxelPlan *plan, const RcVoxelChunk *chunk, int64_t points, RcError *error)
{
  const int64_t layer = chunk->layer;

  if (plan->layers == 0 || points == 0)
    return RC_OK;
  if (layer < 0 || layer >= plan->layers)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "layer of a chunk is %" PRId64 ": expected 0 to %" PRId64, layer,
        plan->layers - 1);
  if (-points > plan->held_in[layer])
    return rc_error_set (error, RC_INVALID_ARGUMENT, "remove of %" PRId64 " points of layer %" PRId64 ": %" PRId64 " are held",
        -points, layer, plan->held_in[layer]);
  return points < 0 && layer == plan->leaving ? RC_OK : rc_voxel_check_leaving (plan, error);
}

/* If chunks have counts, the host does not know how many points are left. */
void
rc_voxel_count_layer (RcVoxelPlan *plan, const RcVoxelChunk *chunk, int64_t points)
{
  if (plan->layers == 0 || points == 0)
    return;
  plan->held_in[chunk->layer] += points;
  if (points < 0)
    plan->leaving = plan->held_in[chunk->layer] > 0 && !plan->held_has_counts ? chunk->layer : -1;
}

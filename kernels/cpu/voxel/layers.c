/* robocache: what is the greatest in a voxel when a cloud leaves it, on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "layers.h"

/* Of a feature, in all layers of a voxel. */
static uint32_t
greatest_of (const RcVoxelPlan *plan, const uint32_t *layers)
{
  uint32_t greatest = 0;

  for (int64_t i = 0; i < plan->layers * plan->channels; i += plan->channels)
    greatest = layers[i] > greatest ? layers[i] : greatest;
  return greatest;
}

static void
leave_voxel (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, int64_t voxel)
{
  uint32_t *greatest = item->keys + voxel * plan->channels;
  uint32_t *layers = rc_cpu_voxel_layer (plan, item, voxel, 0), *own = rc_cpu_voxel_layer (plan, item, voxel, item->layer);

  for (int64_t c = 0; c < plan->channels; c++) {
    const uint32_t was = own[c];

    own[c] = 0;
    if (greatest[c] == was)
      greatest[c] = greatest_of (plan, layers + c);
  }
  if (greatest[0] == 0)
    rc_cpu_voxel_unmark (item, voxel);
}

/* With the first point of a voxel all of them leave; features are not read. */
void
rc_cpu_voxel_remove_layered (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block,
    const char *points, int64_t stride, RcVoxelCounters *counters)
{
  for (int64_t i = 0; i < block->n; i++) {
    const int64_t voxel = block->voxel[i];

    if (voxel >= 0 && *rc_cpu_voxel_layer (plan, item, voxel, item->layer) != 0)
      leave_voxel (plan, item, voxel);
  }
}

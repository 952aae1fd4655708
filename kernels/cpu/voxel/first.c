/* robocache: the first points of a voxel, for modes first and pillars
 *
 * Bytes moved: of a point what is kept of it is read once, at random, since points lie in order of arrival (of those that
 * find no place too, as they are asked for ahead); every byte of the output is written once, most of it zeros.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "feature.h"
#include "item.h"

/* Of a stored point, as it was located. */
static double
distance (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, uint32_t point, int axis)
{
  return rc_voxel_distance (&plan->box, axis, (float) rc_cpu_voxel_stored (plan, item, point, axis));
}

static double
mean_distance (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t n, int axis)
{
  const RcVoxelScale scale = rc_voxel_scale (plan->centroid_exponent[axis], (uint64_t) plan->spec.max_points);
  uint64_t sum = 0;

  for (int64_t i = 0; i < n; i++)
    sum += (uint64_t) rc_voxel_fixed (&scale, distance (plan, item, order[i], axis));
  return rc_voxel_mean (&scale, (int64_t) sum, (uint32_t) n, 0);
}

/* Mode pillars: n >= 1 points of the voxel at xyz, each with its decorations. */
static void
put_pillar (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t n, const int32_t *xyz,
    char *points)
{
  const RcCpuStoreValue store = rc_cpu_store_value[plan->spec.dtype];
  double middles[6];
  int64_t at = 0;

  for (int axis = 0; axis < 3; axis++) {
    middles[axis] = mean_distance (plan, item, order, n, axis);
    middles[3 + axis] = rc_voxel_centre (&plan->box, axis, xyz[axis]);
  }
  for (int64_t i = 0; i < n; i++) {
    for (int64_t c = 0; c < plan->channels; c++)
      store (points, at++, rc_cpu_voxel_stored (plan, item, order[i], c));
    for (int c = 0; c < plan->decorations; c++)
      store (points, at++, distance (plan, item, order[i], c % 3) - middles[c]);
  }
}

void
rc_cpu_voxel_write_first (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t n,
    const RcVoxelOut *out, int64_t m, RcVoxelCounters *counters)
{
  const int64_t room = plan->spec.max_points, kept = n < room ? n : room;
  const size_t point_bytes = (size_t) (plan->channels + plan->decorations) * rc_dtype_size (plan->spec.dtype);
  char *points = (char *) out->values + (size_t) (m * room) * point_bytes;

  if (plan->decorations > 0 && kept > 0)
    put_pillar (plan, item, order, kept, out->coordinates + 3 * m, points);
  for (int64_t i = 0; i < kept && plan->decorations == 0; i++)
    memcpy (points + (size_t) i * point_bytes, item->payload + order[i] * plan->layout.payload_bytes, point_bytes);
  memset (points + (size_t) kept * point_bytes, 0, (size_t) (room - kept) * point_bytes);
  out->point_counts[m] = (uint32_t) kept;
  counters->over_points += n - kept;
}

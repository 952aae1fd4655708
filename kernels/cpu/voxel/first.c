/* robocache: the first points of a voxel
 *
 * Bytes moved: of a point what is kept of it is read once, at random, since points lie in order of arrival (of those that
 * find no place too, as they are asked for ahead); every byte of the output is written once, most of it zeros.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "item.h"

void
rc_cpu_voxel_write_first (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t n,
    const RcVoxelOut *out, int64_t m, RcVoxelCounters *counters)
{
  const int64_t room = plan->spec.max_points, kept = n < room ? n : room;
  const size_t point_bytes = (size_t) plan->channels * rc_dtype_size (plan->spec.dtype);
  char *points = (char *) out->values + (size_t) (m * room) * point_bytes;

  for (int64_t i = 0; i < kept; i++)
    memcpy (points + (size_t) i * point_bytes, item->payload + order[i] * plan->layout.payload_bytes, point_bytes);
  memset (points + (size_t) kept * point_bytes, 0, (size_t) (room - kept) * point_bytes);
  out->point_counts[m] = (uint32_t) kept;
  counters->over_points += n - kept;
}

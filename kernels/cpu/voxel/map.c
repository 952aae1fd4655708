/* robocache: the map from points to voxels
 *
 * Bytes moved, a point: index writes 8. rank writes 12 where the point is inside, sorts them (24 a pass, 8 passes at most,
 * those of digits that differ) and writes 8, in order of voxels; 8 where it is not. Where accumulators are kept rank writes
 * what index does; the end reads the bitmap once, writes 4 for each word of it that is not 0, and reads of each point that is
 * wanted its word and that, and writes 8.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "item.h"

/* The address, possibly unaligned, of the output for a point. */
static char *
place_of (const RcCpuVoxelItem *item, int64_t point)
{
  return (char *) item->point_voxels + (point - item->first_point) * (int64_t) sizeof (int64_t);
}

static void
put (const RcCpuVoxelItem *item, int64_t point, int64_t voxel)
{
  memcpy (place_of (item, point), &voxel, sizeof (voxel));
}

static int64_t
voxel_at (const RcCpuVoxelItem *item, int64_t point)
{
  int64_t voxel;

  memcpy (&voxel, place_of (item, point), sizeof (voxel));
  return voxel;
}

void
rc_cpu_voxel_add_index (const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block)
{
  const int64_t before = item->first_point - block->first, skipped = before > 0 ? before : 0;

  if (skipped < block->n)
    memcpy (place_of (item, block->first + skipped), block->voxel + skipped,
        (size_t) (block->n - skipped) * sizeof (int64_t));
}

void
rc_cpu_voxel_add_rank (const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block)
{
  int64_t at = item->head->n_keys;

  for (int64_t i = 0; i < block->n; i++) {
    const int64_t voxel = block->voxel[i], point = block->first + i;

    if (voxel >= 0) {
      item->voxels[0][at] = (uint64_t) voxel;
      item->order[0][at++] = (uint32_t) point;
    } else if (point >= item->first_point) {
      put (item, point, voxel);
    }
  }
  item->head->n_keys = at;
}

/* The rank of a voxel to its points. */
static void
put_rank (const RcCpuVoxelItem *item, const uint32_t *points, int64_t n, int64_t rank)
{
  for (int64_t i = 0; i < n; i++) {
    if ((int64_t) points[i] >= item->first_point)
      put (item, points[i], rank);
  }
}

static void
write_ranks (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, RcVoxelCounters *counters)
{
  const int sorted = rc_cpu_voxel_sort (item->voxels, item->order, item->head->n_keys, plan->key_bits);
  const int64_t n = item->head->n_keys, cap = plan->spec.max_voxels;
  const uint64_t *voxels = item->voxels[sorted];
  int64_t occupied = 0;

  for (int64_t first = 0, next; first < n; first = next, occupied++) {
    for (next = first + 1; next < n && voxels[next] == voxels[first]; next++);
    put_rank (item, item->order[sorted] + first, next - first, occupied < cap ? occupied : RC_VOXEL_OVER_CAP);
  }
  rc_cpu_voxel_count_occupied (plan, occupied, counters);
}

/* ---- accumulators that are kept ---- */

/* Returns how many bits are set in all words. */
static int64_t
rank_words (const RcVoxelPlan *plan, const RcCpuVoxelItem *item)
{
  int64_t set = 0;

  for (int64_t w = 0; w < plan->bit_words; w++) {
    if (item->bits[w] == 0)
      continue;
    item->ranks[w] = (uint32_t) set;
    set += __builtin_popcount (item->bits[w]);
  }
  return set;
}

/* Of a voxel that has its bit. */
static int64_t
rank_of (const RcCpuVoxelItem *item, int64_t voxel)
{
  const uint32_t before = item->bits[voxel / 32] & ((UINT32_C (1) << (voxel % 32)) - 1);

  return item->ranks[voxel / 32] + __builtin_popcount (before);
}

/* The output already has the voxel of each point. */
static void
write_window_ranks (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, RcVoxelCounters *counters)
{
  const int64_t occupied = rank_words (plan, item), cap = plan->spec.max_voxels;

  for (int64_t point = item->first_point; point < item->head->n_added; point++) {
    const int64_t voxel = voxel_at (item, point), rank = voxel < 0 ? voxel : rank_of (item, voxel);

    put (item, point, rank < cap ? rank : RC_VOXEL_OVER_CAP);
  }
  rc_cpu_voxel_count_occupied (plan, occupied, counters);
}

void
rc_cpu_voxel_write_map (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, int64_t n_points,
    RcVoxelCounters *counters)
{
  const int64_t added = item->head->n_added;

  if (plan->spec.output == RC_VOXEL_RANK && plan->accumulates)
    write_window_ranks (plan, item, counters);
  else if (plan->spec.output == RC_VOXEL_RANK)
    write_ranks (plan, item, counters);
  for (int64_t point = added > item->first_point ? added : item->first_point; point < n_points; point++)
    put (item, point, RC_VOXEL_OUTSIDE);
}

/* robocache: what the phases of voxel grids on the CPU do with a block of located points
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "insert.h"
#include "layers.h"

#include "feature.h"

void
rc_cpu_voxel_find_range (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  for (int64_t i = 0; i < block->n; i++) {
    if (block->voxel[i] < 0)
      continue;
    for (int64_t c = 0; c < plan->channels; c++) {
      const double magnitude = fabs (rc_cpu_voxel_feature (plan, points + i * stride, c));

      if (magnitude < INFINITY && magnitude > item->range[c])
        item->range[c] = magnitude;
    }
  }
}

static void
add_bits (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  for (int64_t i = 0; i < block->n; i++) {
    if (block->voxel[i] >= 0)
      rc_cpu_voxel_mark (item, block->voxel[i]);
  }
}

/* What follows is inlined with a sign that is known: 1 adds a point, -1 takes it out. The first point of a voxel marks it,
 * and the last one that leaves it ends that. */
static inline void
count_point (const RcCpuVoxelItem *item, int64_t voxel, int sign)
{
  const uint32_t before = item->counts[voxel];

  item->counts[voxel] = before + (uint32_t) sign;
  if (sign > 0 && before == 0)
    rc_cpu_voxel_mark (item, voxel);
  if (sign < 0 && before == 1)
    rc_cpu_voxel_unmark (item, voxel);
}

static inline void
add_counts_of (const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, int sign)
{
  for (int64_t i = 0; i < block->n; i++) {
    if (block->voxel[i] >= 0)
      count_point (item, block->voxel[i], sign);
  }
}

static void
add_count (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  add_counts_of (item, block, 1);
}

static void
remove_count (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  add_counts_of (item, block, -1);
}

static inline void
add_to_sum (int64_t *sum, int64_t x, int sign)
{
  *sum = (int64_t) (sign > 0 ? (uint64_t) *sum + (uint64_t) x : (uint64_t) *sum - (uint64_t) x);
}

/* What cannot be added up: a flag can be set, and a count taken back. */
static inline void
copy_special (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, int64_t at, uint32_t nonfinite_flags, int sign)
{
  if (plan->accumulates)
    item->nonfinite_counts[3 * at + rc_voxel_nonfinite_index (nonfinite_flags)] += (uint32_t) sign;
  else
    item->nonfinite_flags[at / 8] |= nonfinite_flags << (at % 8 * RC_VOXEL_NONFINITE_BITS);
}

static inline void
insert_features (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters, int sign)
{
  for (int64_t i = 0; i < block->n; i++) {
    const int64_t v = block->voxel[i];

    if (v < 0)
      continue;
    count_point (item, v, sign);
    for (int64_t c = 0; c < plan->channels; c++) {
      const double x = rc_cpu_voxel_feature (plan, points + i * stride, c);
      const uint32_t nonfinite_flags = rc_voxel_nonfinite_flags (x);
      const int64_t at = v * plan->channels + c;

      counters->clamped += rc_cpu_voxel_exceeds_range (plan, x);
      if (nonfinite_flags)
        copy_special (plan, item, at, nonfinite_flags, sign);
      else
        add_to_sum (&item->sums[at], rc_voxel_fixed (&item->scales[c], rc_cpu_voxel_clamp (plan, x)), sign);
    }
  }
}

static void
add_mean (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  insert_features (plan, item, block, points, stride, counters, 1);
}

static void
remove_mean (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  insert_features (plan, item, block, points, stride, counters, -1);
}

static inline void
copy_positions (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, int sign)
{
  const float *const axes[3] = { block->x, block->y, block->z };

  for (int64_t i = 0; i < block->n; i++) {
    const int64_t v = block->voxel[i];

    if (v < 0)
      continue;
    count_point (item, v, sign);
    for (int axis = 0; axis < 3; axis++)
      add_to_sum (&item->sums[v * 3 + axis],
          rc_voxel_fixed (&item->scales[axis], (double) axes[axis][i] - (double) plan->box.origin[axis]), sign);
  }
}

static void
add_centroid (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  copy_positions (plan, item, block, 1);
}

static void
remove_centroid (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  copy_positions (plan, item, block, -1);
}

static inline void
raise_to (uint32_t *greatest, uint32_t key)
{
  *greatest = key > *greatest ? key : *greatest;
}

/* Inlined, where it is known whether there are layers. */
static inline void
insert_extremes (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, int has_layers)
{
  for (int64_t i = 0; i < block->n; i++) {
    const int64_t v = block->voxel[i];
    uint32_t *greatest = v < 0 ? NULL : item->keys + v * plan->channels;

    if (greatest == NULL)
      continue;
    if (greatest[0] == 0)
      rc_cpu_voxel_mark (item, v);
    for (int64_t c = 0; c < plan->channels; c++) {
      const uint32_t key = rc_cpu_voxel_extreme_key (plan, rc_cpu_voxel_feature (plan, points + i * stride, c));

      raise_to (&greatest[c], key);
      if (has_layers)
        raise_to (rc_cpu_voxel_layer (plan, item, v, item->layer) + c, key);
    }
  }
}

static void
add_extreme (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  insert_extremes (plan, item, block, points, stride, 0);
}

static void
add_layered (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  insert_extremes (plan, item, block, points, stride, 1);
}

/* The fields of a point as the output has them. */
static void
store_fields (const RcVoxelPlan *plan, const RcCpuVoxelBlock *block, int64_t i, const char *point, char *kept)
{
  const float p[3] = { block->x[i], block->y[i], block->z[i] };

  for (int64_t c = 0; c < plan->channels; c++)
    rc_cpu_store_value[plan->spec.dtype] (kept, c, point ? rc_cpu_voxel_feature (plan, point, c) : (double) p[c]);
}

/* Stores what the end needs of one point; point is NULL for depth. */
static void
store_point (const RcVoxelPlan *plan, const RcCpuVoxelBlock *block, int64_t i, const char *point, char *kept,
    RcVoxelCounters *counters)
{
  if (plan->spec.mode == RC_VOXEL_FIRST) {
    store_fields (plan, block, i, point, kept);
    return;
  }
  if (plan->spec.mode == RC_VOXEL_CENTROID || point == NULL) {
    const float p[3] = { block->x[i], block->y[i], block->z[i] };

    memcpy (kept, p, sizeof (p));
    return;
  }
  for (int64_t c = 0; c < plan->channels; c++) {
    const double x = rc_cpu_voxel_feature (plan, point, c);

    if (rc_voxel_is_extreme (plan)) {
      ((uint32_t *) kept)[c] = rc_cpu_voxel_extreme_key (plan, x);
      continue;
    }
    counters->clamped += rc_cpu_voxel_exceeds_range (plan, x);
    if (plan->stored_dtype == RC_FLOAT64)
      ((double *) kept)[c] = x;
    else
      ((float *) kept)[c] = (float) x;
  }
}

static void
add_sparse (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  const int64_t payload_bytes = (int64_t) plan->layout.payload_bytes;
  for (int64_t i = 0; i < block->n; i++) {
    const int64_t at = item->head->n_keys;

    if (block->voxel[i] < 0)
      continue;
    item->voxels[0][at] = (uint64_t) block->voxel[i];
    if (payload_bytes > 0)
      store_point (plan, block, i, points ? points + i * stride : NULL, item->payload + at * payload_bytes, counters);
    item->head->n_keys = at + 1;
  }
}

static void
add_index (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  rc_cpu_voxel_add_index (item, block);
}

static void
add_stored_rank (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  rc_cpu_voxel_add_index (item, block);
  add_counts_of (item, block, 1);
}

static void
add_rank (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  rc_cpu_voxel_add_rank (item, block);
}

RcCpuVoxelInsert
rc_cpu_voxel_adder (const RcVoxelPlan *plan)
{
  static const RcCpuVoxelInsert dense[] = {
    [RC_VOXEL_OCCUPANCY] = add_bits,
    [RC_VOXEL_COUNT] = add_count,
    [RC_VOXEL_MEAN] = add_mean,
    [RC_VOXEL_CENTROID] = add_centroid,
    [RC_VOXEL_MAX] = add_extreme,
    [RC_VOXEL_MIN] = add_extreme,
  };

  static const RcCpuVoxelInsert others[] = {
    [RC_VOXEL_SPARSE] = add_sparse,
    [RC_VOXEL_INDEX] = add_index,
    [RC_VOXEL_RANK] = add_rank,
  };

  if (plan->accumulates && plan->spec.mode == RC_VOXEL_OCCUPANCY)
    return plan->spec.output == RC_VOXEL_RANK ? add_stored_rank : add_count;
  if (plan->layers > 0)
    return add_layered;
  return rc_voxel_has_accumulators (plan) ? dense[plan->spec.mode] : others[plan->spec.output];
}

RcCpuVoxelInsert
rc_cpu_voxel_remover (const RcVoxelPlan *plan)
{
  if (plan->layers > 0)
    return rc_cpu_voxel_remove_layered;
  if (plan->spec.mode == RC_VOXEL_MEAN)
    return remove_mean;
  return plan->spec.mode == RC_VOXEL_CENTROID ? remove_centroid : remove_count;
}

/* robocache: the scratch of one item of a batch, as arrays
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "block.h"

/* RcVoxelLayout describes each array. */
typedef struct RcCpuVoxelItem
{
  RcVoxelItem *head;
  double *range;
  RcVoxelScale *scales;
  uint32_t *bits;
  uint32_t *counts;
  int64_t *sums;
  uint32_t *nonfinite_flags;
  uint32_t *nonfinite_counts;
  uint32_t *keys;
  uint32_t *layers;
  int64_t layer;                /* layer of the chunk */

  /* sparse and rank */
  uint64_t *voxels[2];          /* linear index of each inside point; the sort needs the second array */
  char *payload;
  uint32_t *order[2];           /* number of the point of each index, after sorting; the sort needs both arrays */

  uint32_t *ranks;              /* rank, if the plan accumulates: for each word with a bit set, the number of bits set before it */

  /* index and rank: output for the voxels of the points from first_point on */
  int64_t *point_voxels;
  int64_t first_point;
} RcCpuVoxelItem;

/* Bytes of the ranks of an item. */
static inline uint64_t
rc_cpu_voxel_ranks_bytes (const RcVoxelPlan *plan)
{
  const int has_ranks = plan->accumulates && plan->spec.output == RC_VOXEL_RANK;

  return has_ranks ? ((uint64_t) plan->bit_words * sizeof (uint32_t) + 63) / 64 * 64 : 0;
}

static inline RcCpuVoxelItem
rc_cpu_voxel_item (const RcVoxelPlan *plan, const RcVoxelJob *job, int64_t i)
{
  const RcVoxelLayout *layout = &plan->layout;
  const uint64_t n = (uint64_t) job->n_points;
  char *fixed = (char *) job->scratch + (uint64_t) i * layout->item_bytes;
  char *points = (char *) job->scratch + (uint64_t) plan->spec.batch * layout->item_bytes
      + (uint64_t) i * n * layout->point_bytes;
  RcCpuVoxelItem item;

  item.head = (RcVoxelItem *) fixed;
  item.range = (double *) (fixed + layout->range);
  item.scales = (RcVoxelScale *) (fixed + layout->scales);
  item.bits = (uint32_t *) (fixed + layout->bits);
  item.counts = (uint32_t *) (fixed + layout->counts);
  item.sums = (int64_t *) (fixed + layout->sums);
  item.nonfinite_flags = (uint32_t *) (fixed + layout->nonfinite_flags);
  item.nonfinite_counts = (uint32_t *) (fixed + layout->nonfinite_counts);
  item.keys = (uint32_t *) (fixed + layout->keys);
  item.layers = (uint32_t *) (fixed + layout->layers);
  item.layer = 0;
  item.voxels[0] = (uint64_t *) points;
  item.voxels[1] = item.voxels[0] + n;
  item.payload = (char *) (item.voxels[1] + n);
  item.order[0] = (uint32_t *) (item.payload + n * layout->payload_bytes);
  item.order[1] = item.order[0] + n;
  item.ranks = (uint32_t *) (points + (uint64_t) i * rc_cpu_voxel_ranks_bytes (plan));
  item.point_voxels = NULL;
  if (job->point_voxels)
    item.point_voxels = (int64_t *) ((char *) job->point_voxels + i * job->point_voxels_batch_stride);
  item.first_point = job->first_point;
  return item;
}

/* A stored feature of a point, for mean and pillars. */
static inline double
rc_cpu_voxel_stored (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, uint32_t point, int64_t channel)
{
  const char *kept = item->payload + point * plan->layout.payload_bytes;

  if (plan->stored_dtype == RC_FLOAT64)
    return ((const double *) kept)[channel];
  return ((const float *) kept)[channel];
}

/* Counts the voxels of an item, and the voxels that do not fit into the output. */
static inline void
rc_cpu_voxel_count_occupied (const RcVoxelPlan *plan, int64_t occupied, RcVoxelCounters *counters)
{
  const int64_t cap = plan->spec.max_voxels;

  counters->occupied += occupied;
  counters->over_cap += occupied > cap ? occupied - cap : 0;
}

/* The keys of a voxel in a layer. */
static inline uint32_t *
rc_cpu_voxel_layer (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, int64_t voxel, int64_t layer)
{
  return item->layers + (voxel * plan->layers + layer) * plan->channels;
}

static inline void
rc_cpu_voxel_mark (const RcCpuVoxelItem *item, int64_t voxel)
{
  item->bits[voxel / 32] |= UINT32_C (1) << (voxel % 32);
}

static inline void
rc_cpu_voxel_unmark (const RcCpuVoxelItem *item, int64_t voxel)
{
  item->bits[voxel / 32] &= ~(UINT32_C (1) << (voxel % 32));
}

/* Writes the output of one item; all pointers are those of the item. Dense and bits clear its accumulators, unless the plan accumulates;
 * for sparse a plan that accumulates has its own function. */
void rc_cpu_voxel_write_dense (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcVoxelOut * out,
    RcVoxelCounters * counters);
void rc_cpu_voxel_write_bits (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcVoxelOut * out,
    RcVoxelCounters * counters);
void rc_cpu_voxel_write_sparse (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcVoxelOut * out,
    RcVoxelCounters * counters);
void rc_cpu_voxel_write_window_sparse (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcVoxelOut * out,
    RcVoxelCounters * counters);
/* Clears accumulators that were kept. */
void rc_cpu_voxel_clear_accumulated (const RcVoxelPlan * plan, const RcCpuVoxelItem * item);

/* first.c: writes voxel m of the output, whose coordinates are already written, from the first of the points order[0 … n). Places without
 * a point become zero. */
void rc_cpu_voxel_write_first (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const uint32_t * order, int64_t n,
    const RcVoxelOut * out, int64_t m, RcVoxelCounters * counters);

/* map.c: add the points of a block to the outputs index and rank, and finish these outputs. With kept accumulators, points for rank are
 * added as for index. n_points: the points of the job. */
void rc_cpu_voxel_add_index (const RcCpuVoxelItem * item, const RcCpuVoxelBlock * block);
void rc_cpu_voxel_add_rank (const RcCpuVoxelItem * item, const RcCpuVoxelBlock * block);
void rc_cpu_voxel_write_map (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, int64_t n_points,
    RcVoxelCounters * counters);

/* Stable sort of n keys with key_bits significant bits; order, unless NULL, moves with the keys. The result is in keys[r] and order[r],
 * where r is the returned value. */
int rc_cpu_voxel_sort (uint64_t * const keys[2], uint32_t * const order[2], int64_t n, int key_bits);

/* robocache: the part of a chunk that an item has, and the counts and marks of its points
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "points.cuh"

namespace rc
{
/* N of an item; 0 if it is not in 0 … n_points, so that the item gets no points. Not inlined, like all that is done once
 * per item, since branches nest too deep. */
inline __device__ __noinline__ int64_t
stated_points (const Job &job, int64_t item)
{
  const int64_t n = job.item_points != NULL ? job.item_points[item] : job.n_points;

  return n < 0 || n > job.n_points ? 0 : n;
}

/* k of the scale 2^k of a channel, once the range is known. */
__device__ __forceinline__ int
scale_bits_of (const Values &values, const Job &job, int64_t item, int64_t n_points, int64_t c)
{
  const uint64_t *range = item_array<const uint64_t> (job, item, job.layout.range);
  const double greatest = values.feature_range > 0.0 ? values.feature_range : rc_float64 (range[c]);
  const int exponent = values.mode == RC_VOXEL_CENTROID ? values.centroid_exponent[c] : rc_voxel_exponent_above (greatest);

  return rc_voxel_scale_bits (exponent, (uint64_t) n_points);
}

__device__ __forceinline__ RcVoxelScale
make_scale (const Values &values, const Job &job, int64_t item, int64_t n_points, int64_t c)
{
  return rc_voxel_scale_of (scale_bits_of (values, job, item, n_points, c));
}

/* Sets all scales of an item. All threads of a block call it. */
__device__ __forceinline__ void
set_scales_of (const Values &values, const Job &job, int64_t item)
{
  const int64_t n_points = stated_points (job, item);

  for (int64_t c = threadIdx.x; c < values.channels; c += RC_CUDA_VOXEL_THREADS)
    item_array<RcVoxelScale> (job, item, job.layout.scales)[c] = make_scale (values, job, item, n_points, c);
}

/* The points of a chunk that belong to an item. */
struct Part
{
  int64_t item;
  const char *data;
  int64_t n;                    /* points; 0 if the chunk's count of them is not valid */
  int64_t first;                /* points of the item before this chunk */
};

/* The part of an item in a chunk of add, or of range if not `adding`. */
template <class Source>
__device__ __forceinline__ Part
part_of (const Format &format, const Job &job, const Chunk &chunk, int64_t item, bool adding)
{
  const int64_t n = chunk.counts != NULL ? chunk.counts[item] : chunk.n;
  Part part = { item, chunk.data + item * chunk.batch_stride, Source::is_depth ? n * format.width : n, 0 };

  if (!adding)
    part.first = head_of (job, item)->n_ranged;
  else if (!job.is_first)
    part.first = head_of (job, item)->item.n_added;
  if (n < 0 || n > chunk.n || part.n > stated_points (job, item) - part.first)
    part.n = 0;
  return part;
}

/* Begins the head of an item, whose points so far are those of this first chunk. No kernel cleared the head before. */
__device__ __forceinline__ void
begin_head (const Job &job, const Part &part)
{
  RcCudaVoxelHead *head = head_of (job, part.item);

  head->item.n_added = part.n;
  head->blocks_done = 0;
}

/* Returns true to the first thread of the last block of an item, after all other blocks have read and used the old counts.
 * All threads of all blocks call it once per item.
 *
 *   if (is_last_of (head))
 *     head->n_ranged = part.first + part.n;
 */
__device__ __forceinline__ bool
is_last_of (RcCudaVoxelHead *head)
{
  __syncthreads ();
  if (threadIdx.x != 0 || atomicAdd (&head->blocks_done, 1u) != gridDim.x - 1)
    return false;
  head->blocks_done = 0;
  return true;
}

/* Counts the points of an item: in the last block, or in the first block of a first chunk, which reads no old count. */
__device__ __forceinline__ void
finish_part (const Job &job, const Part &part)
{
  RcCudaVoxelHead *head = head_of (job, part.item);

  if (job.is_first) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
      begin_head (job, part);
    return;
  }
  if (is_last_of (head))
    head->item.n_added = part.first + part.n;
}

/* Sets the bit of a voxel, for kernels that add to another accumulator too. They do not test the bit first, as AddBits
 * does: branches would nest too deep, and the other atomic is needed anyway. */
__device__ __forceinline__ void
mark (const Job &job, const Part &part, int64_t voxel)
{
  atomicOr (item_array<uint32_t> (job, part.item, job.layout.bits) + voxel / 32, 1u << (voxel % 32));
}

/* Marks the voxel, or block, of point i of the part, and stores the voxel if it is wanted later. A negative voxel has no
 * bit. */
__device__ __forceinline__ void
mark_point (const Job &job, const Ranks &ranks, const Part &part, int64_t i, int64_t voxel)
{
  if (ranks.voxels_of_points != NULL)
    ranks.voxels_of_points[part.item * job.n_points + part.first + i] = voxel;
  if (voxel >= 0)
    mark (job, part, voxel >> ranks.block_bits);
}

/* Marks the voxels of a warp's points, each once. Points that follow each other are close together, and atomics on one word
 * wait for each other. All lanes call it.
 *
 *   voxels of lanes 0 … 5   7  7  7  9  7  9
 *   lanes that mark         0        3             the first lane of each voxel
 */
__device__ __forceinline__ void
mark_warp (const Job &job, const Ranks &ranks, const Part &part, int64_t voxel)
{
  const int64_t bit = voxel >> ranks.block_bits;        /* fits 32 bits */
  const uint32_t same = __match_any_sync (ALL_LANES, voxel >= 0 ? (uint32_t) bit : UINT32_MAX);

  if (voxel >= 0 && (same & ((1u << threadIdx.x % 32) - 1)) == 0)
    mark (job, part, bit);
}

/* Stores the voxel of a point in the map, if it is known and wanted. A single branch, since they nest too deep. */
__device__ __forceinline__ void
put_point (const Map &map, const Part &part, int64_t i, int64_t voxel, bool known)
{
  const int64_t at = part.first + i - map.first_point;

  if (known & (at >= 0))
    point_voxels_of (map, part.item)[at] = voxel;
}

/* Counts of points, first of a thread and then of a block. */
struct PointCounts
{
  uint32_t points, outside, nan, infinite, clamped;
};

/* Counts a point that is in no voxel, by the reason. Others change nothing. */
__device__ __forceinline__ void
count_miss (PointCounts *counts, int64_t voxel)
{
  counts->outside += voxel == RC_VOXEL_OUTSIDE;
  counts->nan += voxel == RC_VOXEL_NAN;
  counts->infinite += voxel == RC_VOXEL_INFINITE;
}

__device__ __forceinline__ void
count_point (PointCounts *counts, int64_t voxel)
{
  counts->points++;
  count_miss (counts, voxel);
}

__device__ __forceinline__ void
add_counter (int64_t *counter, uint32_t n)
{
  if (n > 0)
    add_64 (counter, n);
}

/* Adds the counts of all threads of a block to the counters of the chunk. All threads call it, once. It is a reduction in
 * three steps: over the lanes of a warp by shuffles, over the warps by atomics in shared memory, and over the blocks by
 * atomics in global memory.
 *
 *   PointCounts counts = { };
 *
 *   for (…)
 *     count_point (&counts, voxel_of (grid, p));
 *   if (chunk.counters != NULL)
 *     add_counts (chunk, counts);
 */
__device__ __forceinline__ void
add_counts (const Chunk &chunk, const PointCounts &counts)
{
  __shared__ uint32_t sums[5];
  const uint32_t own[5] = { counts.points, counts.outside, counts.nan, counts.infinite, counts.clamped };

  if (threadIdx.x < 5)
    sums[threadIdx.x] = 0;
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < 5; i++) {
    const uint32_t sum = __any_sync (ALL_LANES, own[i] > 0) ? warp_sum (own[i]) : 0;

    if (threadIdx.x % 32 == 0 && sum > 0)
      atomicAdd (&sums[i], sum);
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    add_counter (&chunk.counters->points, sums[0]);
    /* below 0 if another kernel counted the points as inside */
    add_64 (&chunk.counters->inside, (int64_t) sums[0] - sums[1] - sums[2] - sums[3]);
    add_counter (&chunk.counters->outside, sums[1]);
    add_counter (&chunk.counters->nan, sums[2]);
    add_counter (&chunk.counters->infinite, sums[3]);
    add_counter (&chunk.counters->clamped, sums[4]);
  }
}
}

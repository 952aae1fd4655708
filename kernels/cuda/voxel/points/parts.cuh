/* robocache: what a chunk has of an item, and what becomes of its points
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_PARTS_CUH
#define RC_CUDA_VOXEL_PARTS_CUH

#include "points.cuh"

namespace rc
{
/* An item whose N is none gets no points. Not inlined, as what else is done once an item: branches nest too deep. */
inline __device__ __noinline__ int64_t
stated_points (const Job &job, int64_t item)
{
  const int64_t n = job.item_points != NULL ? job.item_points[item] : job.n_points;

  return n < 0 || n > job.n_points ? 0 : n;
}

/* The bits of the scale of a channel, where what they depend on is known. */
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

/* All scales of an item, by the threads of a block. */
__device__ __forceinline__ void
set_scales_of (const Values &values, const Job &job, int64_t item)
{
  const int64_t n_points = stated_points (job, item);

  for (int64_t c = threadIdx.x; c < values.channels; c += RC_CUDA_VOXEL_THREADS)
    item_array<RcVoxelScale> (job, item, job.layout.scales)[c] = make_scale (values, job, item, n_points, c);
}

struct Part
{
  int64_t item;
  const char *data;
  int64_t n;                    /* points; none where the counts are not what they may be */
  int64_t first;                /* points of the item before this chunk */
};

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

/* The points of a first chunk are those of its item so far; nothing may have cleared the head. */
__device__ __forceinline__ void
begin_head (const Job &job, const Part &part)
{
  RcCudaVoxelHead *head = head_of (job, part.item);

  head->item.n_added = part.n;
  head->blocks_done = 0;
}

/* Whether this is the first thread of the last block of an item: all of them have then read, and used, the counts before. All
 * threads ask, once. */
__device__ __forceinline__ bool
is_last_of (RcCudaVoxelHead *head)
{
  __syncthreads ();
  if (threadIdx.x != 0 || atomicAdd (&head->blocks_done, 1u) != gridDim.x - 1)
    return false;
  head->blocks_done = 0;
  return true;
}

/* Counts the points of an item, as the last block; of a first chunk, whose count before nobody reads, as the first one. */
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

/* Sets the bit of a voxel, beside another accumulator. Looking first, as where bits are all there is, would nest branches too
 * deep, and that other one must be added to anyway. */
__device__ __forceinline__ void
mark (const Job &job, const Part &part, int64_t voxel)
{
  atomicOr (item_array<uint32_t> (job, part.item, job.layout.bits) + voxel / 32, 1u << (voxel % 32));
}

/* The same of point i of the part, where a bit may stand for a block; where it is wanted later, the voxel is kept. Negative
 * voxels have no bit. */
__device__ __forceinline__ void
mark_point (const Job &job, const Ranks &ranks, const Part &part, int64_t i, int64_t voxel)
{
  if (ranks.voxels_of_points != NULL)
    ranks.voxels_of_points[part.item * job.n_points + part.first + i] = voxel;
  if (voxel >= 0)
    mark (job, part, voxel >> ranks.block_bits);
}

/* Marks the voxels of a warp's points, each once: points that follow each other are close together, and atomics to one word wait for each
 * other. All lanes call it. */
__device__ __forceinline__ void
mark_warp (const Job &job, const Ranks &ranks, const Part &part, int64_t voxel)
{
  const int64_t bit = voxel >> ranks.block_bits;        /* fits 32 bits */
  const uint32_t same = __match_any_sync (ALL_LANES, voxel >= 0 ? (uint32_t) bit : UINT32_MAX);

  if (voxel >= 0 && (same & ((1u << threadIdx.x % 32) - 1)) == 0)
    mark (job, part, bit);
}

/* Says of a point where it is, where that is known and wanted. One branch: more of them nest too deep. */
__device__ __forceinline__ void
put_point (const Map &map, const Part &part, int64_t i, int64_t voxel, bool known)
{
  const int64_t at = part.first + i - map.first_point;

  if (known & (at >= 0))
    point_voxels_of (map, part.item)[at] = voxel;
}

/* Points of one thread, then of a block. */
struct PointCounts
{
  uint32_t points, outside, nan, infinite, clamped;
};

/* What a point is that is in no voxel. */
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
    /* less than 0 where others counted the points */
    add_64 (&chunk.counters->inside, (int64_t) sums[0] - sums[1] - sums[2] - sums[3]);
    add_counter (&chunk.counters->outside, sums[1]);
    add_counter (&chunk.counters->nan, sums[2]);
    add_counter (&chunk.counters->infinite, sums[3]);
    add_counter (&chunk.counters->clamped, sums[4]);
  }
}
}

#endif

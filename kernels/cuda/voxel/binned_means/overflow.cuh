/* robocache: binned means on the GPU: points beyond the capacity of their bin
 *
 * Before the blocks that write the means do so, they add these points to accumulators of their voxels, each block the parts
 * that it takes. Blocks whose bin overflows then wait until all parts are added. That cannot deadlock: a block that waits
 * holds no part. Mostly there are no such points, so a kernel of their own would cost more than asking. A lane has a
 * channel of a point.
 *
 * Bytes that must move: 8 of each such point, and its features, read; 4 of its voxel, and 8 a value of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cuda/voxel/points/parts.cuh"

namespace rc
{
constexpr uint32_t OVERFLOW_PART = RC_CUDA_VOXEL_THREADS;       /* points that a block takes at a time */

/* Adds n points to the accumulators of their voxels. A warp calls it. */
template <class Source>
__device__ __forceinline__ void
add_overflowing (const Format &format, const Values &values, const Job &job, const Chunk &chunk,
    const Accumulators &accumulators, int64_t item, const RcCudaVoxelEntry *points, uint32_t n)
{
  const char *features = features_of<Source> (format, chunk, item);
  Channel own = first_channel (values, threadIdx.x % 32);

  for (uint32_t i = threadIdx.x % 32; i < n; i += 32)
    atomicAdd (counts_of (accumulators, item) + points[i].voxel, 1u);
#pragma unroll 1
  for (uint32_t i = threadIdx.x % 32; i < n * (uint32_t) values.channels; i += 32, own = next_channel (values, own)) {
    const RcVoxelScale scale = make_scale (values, job, item, chunk.n, own.channel);
    const RcCudaVoxelEntry entry = points[own.of];
    const int64_t at = (int64_t) entry.voxel * values.channels + own.channel;
    uint32_t words[2];

    Source::load_feature (format, features + (int64_t) entry.point * chunk.stride, own.channel, words);

    const double x = Source::feature_of (words);
    const uint32_t nonfinite_flags = rc_voxel_nonfinite_flags (x);

    if (nonfinite_flags != 0)
      add_nonfinite_flags (nonfinite_words_of (accumulators, item), at, nonfinite_flags);
    else
      add_64 (sums_of (accumulators, item) + at, rc_voxel_fixed (&scale, x));
  }
}

__device__ __forceinline__ uint32_t *
overflow_words_of (const Bins &bins, int64_t item)
{
  return bin_counts_of (bins, item) + bins.bins;
}

/* The number of parts of an item's overflow. */
__device__ __forceinline__ uint32_t
overflow_parts (const Bins &bins, int64_t item)
{
  return (overflow_words_of (bins, item)[RC_CUDA_VOXEL_OVERFLOW_POINTS] + OVERFLOW_PART - 1) / OVERFLOW_PART;
}

/* Whether all parts are added, as far as this thread sees. */
__device__ __forceinline__ bool
is_overflow_added (const Bins &bins, int64_t item, uint32_t parts)
{
  return *(const volatile uint32_t *) (overflow_words_of (bins, item) + RC_CUDA_VOXEL_OVERFLOW_ADDED) >= parts;
}

/* Adds parts that no other block has taken, until there are none. All threads of the block call it. */
template <class Source>
__device__ __noinline__ void
add_overflow (const Format &format, const Values &values, const Job &job, const Chunk &chunk, const Accumulators &accumulators,
    const Bins &bins, int64_t item, uint32_t parts)
{
  constexpr uint32_t OF_WARP = OVERFLOW_PART / RC_CUDA_VOXEL_WARPS;
  __shared__ uint32_t taken;
  uint32_t *words = overflow_words_of (bins, item);
  const uint32_t n = words[RC_CUDA_VOXEL_OVERFLOW_POINTS];

  for (;;) {
    if (threadIdx.x == 0)
      taken = atomicAdd (words + RC_CUDA_VOXEL_OVERFLOW_TAKEN, 1u);
    __syncthreads ();

    const uint32_t part = taken, first = part * OVERFLOW_PART + threadIdx.x / 32 * OF_WARP;

    if (part >= parts)
      break;
    if (first < n)
      add_overflowing<Source> (format, values, job, chunk, accumulators, item, overflow_of (job, bins, item) + first,
          min (n - first, OF_WARP));
    __threadfence ();
    __syncthreads ();
    if (threadIdx.x == 0)
      atomicAdd (words + RC_CUDA_VOXEL_OVERFLOW_ADDED, 1u);
  }
}

/* Adds parts that no block has taken yet. If the block reads the accumulators, it then waits until all parts are added, by
 * any block. All threads of the block call it, if there are parts. */
template <class Source>
__device__ __forceinline__ void
finish_overflow (const Format &format, const Values &values, const Job &job, const Chunk &chunk,
    const Accumulators &accumulators, const Bins &bins, int64_t item, uint32_t parts, bool is_read)
{
  if (__syncthreads_or (threadIdx.x == 0 && !is_overflow_added (bins, item, parts)))
    add_overflow<Source> (format, values, job, chunk, accumulators, bins, item, parts);
  if (!is_read)
    return;
  while (threadIdx.x == 0 && !is_overflow_added (bins, item, parts))
    continue;
  __syncthreads ();
  __threadfence ();
}
}

/* robocache: which voxels of a grid have a point: bits set in the L2, in shared memory, and in that of a cluster
 *
 * Bytes that must move: 12 a point, and a bit a voxel written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bitmap.h"

#include <cooperative_groups.h>

using namespace cooperative_groups;

namespace
{
constexpr int THREADS = BITMAP_THREADS;
constexpr int EACH = 4;         /* points that a thread has under way */

extern __shared__ uint32_t slab[];

__device__ __forceinline__ uint32_t
axis_index (float x)
{
  return (uint32_t) (x / (1.0f / BITMAP_AXIS));
}

/* Calls set (bit) for the points first, first + step … of a cloud. */
template <typename Set>
__device__ __forceinline__ void
each_bit (const BitmapArgs &args, int32_t cloud, int64_t first, int64_t step, Set set)
{
  const float *points = args.points + (int64_t) cloud * args.n * 3;

#pragma unroll 1
  for (int64_t i = first; i < args.n; i += EACH * step) {
    float at[EACH][3];

#pragma unroll
    for (int u = 0; u < EACH; u++) {
      if (i + u * step < args.n) {
#pragma unroll
        for (int k = 0; k < 3; k++)
          at[u][k] = __ldg (points + (i + u * step) * 3 + k);
      }
    }
#pragma unroll
    for (int u = 0; u < EACH; u++) {
      if (i + u * step < args.n)
        set ((axis_index (at[u][2]) * BITMAP_AXIS + axis_index (at[u][1])) * BITMAP_AXIS + axis_index (at[u][0]));
    }
  }
}

__global__ void __launch_bounds__ (THREADS)
clear (const __grid_constant__ BitmapArgs args)
{
  uint4 *words = reinterpret_cast<uint4 *> (args.words);

  for (int64_t i = (int64_t) blockIdx.x * THREADS + threadIdx.x; i < (int64_t) args.batch * (BITMAP_WORDS / 4);
      i += (int64_t) gridDim.x * THREADS)
    words[i] = make_uint4 (0, 0, 0, 0);
}

__global__ void __launch_bounds__ (THREADS)
set_global (const __grid_constant__ BitmapArgs args)
{
  const int32_t cloud = blockIdx.x / args.parts, part = blockIdx.x % args.parts;
  uint32_t *words = args.words + (int64_t) cloud * BITMAP_WORDS;

  each_bit (args, cloud, part * THREADS + threadIdx.x, args.parts * THREADS,
      [&] (uint32_t bit) { atomicOr (words + bit / 32, 1u << bit % 32); });
}

__device__ __forceinline__ void
clear_slab (int32_t words)
{
  for (int32_t i = threadIdx.x; i < words; i += THREADS)
    slab[i] = 0;
}

__device__ __forceinline__ void
write_slab (const BitmapArgs &args, int32_t words)
{
  uint4 *to = reinterpret_cast<uint4 *> (args.words + (int64_t) blockIdx.x * words);

  for (int32_t i = threadIdx.x; i < words / 4; i += THREADS)
    to[i] = reinterpret_cast<const uint4 *> (slab)[i];
}

__global__ void __launch_bounds__ (THREADS)
set_slab (const __grid_constant__ BitmapArgs args)
{
  const uint32_t words = BITMAP_WORDS / args.parts, first = blockIdx.x % args.parts * words * 32;

  clear_slab (words);
  __syncthreads ();
  each_bit (args, blockIdx.x / args.parts, threadIdx.x, THREADS, [&] (uint32_t bit) {
    if (bit - first < words * 32)
      atomicOr (slab + (bit - first) / 32, 1u << bit % 32);
  });
  __syncthreads ();
  write_slab (args, words);
}

__global__ void __launch_bounds__ (THREADS)
set_cluster (const __grid_constant__ BitmapArgs args)
{
  cluster_group cluster = this_cluster ();
  const uint32_t words = BITMAP_WORDS / args.parts;
  const int32_t part = (int32_t) cluster.block_rank ();

  clear_slab (words);
  cluster.sync ();
  each_bit (args, blockIdx.x / args.parts, part * THREADS + threadIdx.x, args.parts * THREADS, [&] (uint32_t bit) {
    const uint32_t word = bit / 32;

    atomicOr (cluster.map_shared_rank (slab, word / words) + word % words, 1u << bit % 32);
  });
  cluster.sync ();
  write_slab (args, words);
}
}

#define POINTER(kernel) reinterpret_cast<const void *> (kernel)

const void *const bitmap_clear = POINTER (clear);
const void *const bitmap_global = POINTER (set_global);
const void *const bitmap_slab = POINTER (set_slab);
const void *const bitmap_cluster = POINTER (set_cluster);

/* robocache: ranks of voxels on the GPU, from the bitmap of those that are occupied
 *
 * The rank of a voxel is how many bits are set before its own. An item's bits are cut into tiles: one kernel counts each
 * tile's, the next adds up those before its tile and says of each word how many come before it. With that the rank of any voxel
 * is two words away, wherever its point is; and what is kept of voxels by rank lies in order, without gaps, as much as there
 * are points or less.
 *
 * Bytes that must move: a bit a voxel, read twice, and 16 bytes written for each 4 words in which a bit is set (of a dense
 * grid all). Of a sparse output 4 of each voxel for the list of them, written and read, 4 of its count and 8.5 a value of its
 * sums and flags, read; and every byte of the output, written once. Of the output rank 8 a point, read and written, and a
 * sector each of bits and ranks. Bitmaps and ranks stay in the L2, as far as they fit there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda_runtime_api.h>

#include "voxel_parts.cuh"
#include "voxel_rows.cuh"

using namespace rc;

namespace
{
using Reduce = cub::BlockReduce<uint32_t, THREADS>;
using Scan = cub::BlockScan<uint32_t, THREADS>;

/* ---- ranks ---- */

/* Four words of an item's bits, from a multiple of four on. Arrays end at a multiple of 64 bytes, and nobody sets bits beyond
 * those of the grid. */
__device__ __forceinline__ uint4
words_at (const RcCudaVoxelTask &task, int64_t item, int64_t word)
{
  return word < task.bit_words ? *reinterpret_cast<const uint4 *> (item_array<const uint32_t> (task, item,
          task.layout.bits) + word) : make_uint4 (0, 0, 0, 0);
}

__device__ __forceinline__ uint32_t
bits_in (const uint4 &words)
{
  return __popc (words.x) + __popc (words.y) + __popc (words.z) + __popc (words.w);
}

/* How many bits are set in each tile of each item. */
__global__ void __launch_bounds__ (THREADS)
count_set_bits (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ typename Reduce::TempStorage storage;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    for (int64_t tile = blockIdx.x; tile < task.bit_tiles; tile += gridDim.x) {
      const int64_t first = tile * task.bit_tile_words + threadIdx.x * 4, end = (tile + 1) * task.bit_tile_words;
      uint32_t own = 0;

#pragma unroll 4
      for (int64_t word = first; word < end; word += RC_CUDA_VOXEL_BIT_TILE)
        own += bits_in (words_at (task, item, word));
      own = Reduce (storage).Sum (own);
      if (threadIdx.x == 0)
        task.bit_counts[item * task.bit_tiles + tile] = own;
      __syncthreads ();
    }
  }
}

/* How many bits are set in the tiles before; for all threads of a block. */
__device__ __forceinline__ uint32_t
bits_before (const RcCudaVoxelTask &task, int64_t item, int64_t tile)
{
  __shared__ typename Reduce::TempStorage storage;
  __shared__ uint32_t before;
  const uint32_t *counts = task.bit_counts + item * task.bit_tiles;
  uint32_t own = 0;

#pragma unroll 4
  for (int64_t i = threadIdx.x; i < tile; i += THREADS)
    own += counts[i];
  own = Reduce (storage).Sum (own);
  if (threadIdx.x == 0)
    before = own;
  __syncthreads ();
  return before;
}

/* The voxels of a word, from that rank on. */
__device__ __forceinline__ void
list_voxels (uint32_t *voxels, uint32_t rank, uint32_t first_voxel, uint32_t word)
{
  for (; word != 0; word &= word - 1)
    voxels[rank++] = first_voxel + (uint32_t) __ffs ((int) word) - 1;
}

/* Four words, and how many bits are set before them. */
__device__ __forceinline__ void
rank_words (const RcCudaVoxelTask &task, int64_t item, int64_t first, const uint4 &words, uint32_t rank)
{
  const uint32_t y = rank + __popc (words.x), z = y + __popc (words.y), w = z + __popc (words.z);

  *reinterpret_cast<uint4 *> (ranks_of (task, item) + first) = make_uint4 (rank, y, z, w);
  if (task.voxels_by_rank == NULL)
    return;
  uint32_t *voxels = task.voxels_by_rank + item * task.n_points;
  const uint32_t voxel = (uint32_t) first * 32;

  list_voxels (voxels, rank, voxel, words.x);
  list_voxels (voxels, y, voxel + 32, words.y);
  list_voxels (voxels, z, voxel + 64, words.z);
  list_voxels (voxels, w, voxel + 96, words.w);
}

__global__ void __launch_bounds__ (THREADS)
rank_set_bits (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ typename Scan::TempStorage storage;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    for (int64_t tile = blockIdx.x; tile < task.bit_tiles; tile += gridDim.x) {
      uint32_t before = bits_before (task, item, tile);

      for (int64_t at = 0; at < task.bit_tile_words; at += RC_CUDA_VOXEL_BIT_TILE) {
        const int64_t first = tile * task.bit_tile_words + at + threadIdx.x * 4;
        const uint4 words = words_at (task, item, first);
        const uint32_t own = bits_in (words);
        uint32_t rank, sum;

        Scan (storage).ExclusiveSum (own, rank, sum);
        if (first < task.bit_words && (own > 0 || !task.in_bitmap))     /* dense outputs read those of all words */
          rank_words (task, item, first, words, before + rank);
        before += sum;
        __syncthreads ();
      }
      if (tile == task.bit_tiles - 1 && threadIdx.x == 0) {
        head_of (task, item)->first_rank = 0;
        head_of (task, item)->end_rank = before;
      }
    }
  }
}

/* ---- sparse outputs ---- */

struct FromRanks
{
  static __device__ __forceinline__ uint64_t
  voxel (const RcCudaVoxelTask &task, const Voxels &voxels, int64_t m)
  {
    return task.voxels_by_rank[voxels.item * task.n_points + m];
  }

  static __device__ __forceinline__ uint32_t
  value (const RcCudaVoxelTask &task, const Voxels &voxels, int64_t m, int64_t c)
  {
    const int64_t at = m * task.channels + c;

    return value_bits (task.dtype, rc_voxel_mean (item_array<const RcVoxelScale> (task, voxels.item, task.layout.scales) + c,
            sums_of (task, voxels.item)[at], counts_of (task, voxels.item)[m], saw_of (saw_words_of (task, voxels.item), at)));
  }
};

__global__ void __launch_bounds__ (THREADS)
write_ranked (const __grid_constant__ RcCudaVoxelTask task)
{
  write_rows<FromRanks> (task, 0, task.batch);
}

/* ---- ranks of points ---- */

/* What is there is the voxel of each point, as add left it. */
__device__ __forceinline__ int64_t
rank_of_point (const RcCudaVoxelTask &task, int64_t item, int64_t voxel)
{
  if ((uint64_t) voxel >= (uint64_t) task.voxels)
    return voxel;
  const uint32_t word = item_array<const uint32_t> (task, item, task.layout.bits)[voxel / 32];
  const int64_t rank = ranks_of (task, item)[voxel / 32] + __popc (word & ((1u << (voxel % 32)) - 1));

  return rank < task.max_voxels ? rank : RC_VOXEL_OVER_CAP;
}

__global__ void __launch_bounds__ (THREADS)
finish_ranks (const __grid_constant__ RcCudaVoxelTask task)
{
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const int64_t added = head_of (task, item)->item.n_added;
    int64_t *map = point_voxels_of (task, item) - task.first_point;

    for (int64_t point = task.first_point + (int64_t) blockIdx.x * THREADS + threadIdx.x; point < task.n_points;
        point += (int64_t) gridDim.x * THREADS)
      map[point] = point < added ? rank_of_point (task, item, map[point]) : RC_VOXEL_OUTSIDE;
    if (blockIdx.x == 0 && threadIdx.x == 0)
      count_occupied (task, voxels_of (task, item));
  }
}
}

const void *const rc_cuda_voxel_count_set_bits = reinterpret_cast<const void *> (count_set_bits);
const void *const rc_cuda_voxel_rank_set_bits = reinterpret_cast<const void *> (rank_set_bits);
const void *const rc_cuda_voxel_write_ranked = reinterpret_cast<const void *> (write_ranked);
const void *const rc_cuda_voxel_finish_ranks = reinterpret_cast<const void *> (finish_ranks);

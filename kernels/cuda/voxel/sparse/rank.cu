/* robocache: ranks of voxels on the GPU, from the bitmap of those that are occupied
 *
 * The rank of a voxel is the number of bits that are set before its own. It is a scan in two kernels: an item's bits are
 * cut into tiles, count_set_bits counts those of each tile, and rank_set_bits adds up the counts of the tiles before its
 * own and stores with each word how many bits are set before it. Then a lookup of any rank reads two words
 * (points/ranks.cuh). Accumulators by rank have no gaps and are no longer than there are points.
 *
 *   tile            0           1           2
 *   set bits        5           0           7          count_set_bits
 *   before          0           5           5          rank_set_bits: sums over the tiles before
 *   word            0   1   2   3   4   5   6   7   8
 *   its set bits    1   4   0   0   0   0   2   2   3
 *   stored before   0   1   5   5   5   5   5   7   9
 *
 * A large grid has far more voxels than points. There a bit stands for a block of voxels. Each occupied block gets a rank,
 * and at that rank the bits of its voxels, which are ranked the same way. Then a lookup reads four words.
 *
 * Bytes that must move: a bit a voxel or block, read twice; 32 bytes written for each 4 words with a set bit, or for all
 * words of a dense grid. With blocks also 8 a point, written and read, and the bits of each occupied block, like those of
 * the grid. A sparse output: 8 of each voxel for the list of voxels, written and read; 4 of its count and 8.5 a value of
 * its sums and flags, read; every byte of the output, written once. Output rank: 8 a point, read and written, and a sector
 * each of bits and ranks. Bitmaps and ranks stay in the L2, as far as they fit there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/points/parts.cuh"
#include "kernels/cuda/voxel/points/ranks.cuh"
#include "rows.cuh"

using namespace rc;

namespace
{
using Reduce = cub::BlockReduce<uint32_t, THREADS>;
using Scan = cub::BlockScan<uint32_t, THREADS>;

/* ---- ranks ---- */

/* The words of an item's bitmap: for voxels in blocks, those of the occupied blocks. */
__device__ __forceinline__ int64_t
words_of (const Job &job, const Ranks &ranks, int64_t item, uint32_t which)
{
  return which == 0 ? ranks.bitmaps[0].words : (int64_t) head_of (job, item)->n_blocks << (ranks.block_bits - 5);
}

/* Four words of an item's bits from a multiple of four on; 0 beyond the last. Arrays end at a multiple of 64 bytes, whose
 * spare bits are 0. */
__device__ __forceinline__ uint4
words_at (const RcCudaVoxelBitmap &bitmap, int64_t item, int64_t word, int64_t words)
{
  return word < words ? *reinterpret_cast<const uint4 *> (bits_of_item (bitmap, item) + word) : make_uint4 (0, 0, 0, 0);
}

__device__ __forceinline__ uint32_t
bits_in (const uint4 &words)
{
  return __popc (words.x) + __popc (words.y) + __popc (words.z) + __popc (words.w);
}

/* First step of the scan: counts the set bits of each tile of a bitmap. Sets the scales, too, since range ends here. A
 * block takes every gridDim.x-th tile. */
__global__ void __launch_bounds__ (THREADS, at_once (4))
count_set_bits (GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Ranks ranks, uint32_t which)
{
  follow_previous ();

  const RcCudaVoxelBitmap &bitmap = ranks.bitmaps[which];
  __shared__ typename Reduce::TempStorage storage;

  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const int64_t words = words_of (job, ranks, item, which);

    if (job.needs_range && which == 0 && blockIdx.x == 0)
      set_scales_of (values, job, item);
    for (int64_t tile = blockIdx.x; tile < bitmap.tiles; tile += gridDim.x) {
      const int64_t first = tile * bitmap.tile_words + threadIdx.x * 4, end = (tile + 1) * bitmap.tile_words;
      uint32_t own = 0;

#pragma unroll 4
      for (int64_t word = first; word < end; word += RC_CUDA_VOXEL_BIT_TILE)
        own += bits_in (words_at (bitmap, item, word, words));
      own = Reduce (storage).Sum (own);
      if (threadIdx.x == 0)
        bitmap.counts[item * bitmap.tiles + tile] = own;
      __syncthreads ();
    }
  }
}

/* The number of set bits in the tiles before, for all threads of a block. It is a block reduction whose result goes through
 * shared memory.
 *
 *   counts of tiles  5 0 7 2 …     bits_before (tile 3) = 12
 */
__device__ __forceinline__ uint32_t
bits_before (const RcCudaVoxelBitmap &bitmap, int64_t item, int64_t tile)
{
  __shared__ typename Reduce::TempStorage storage;
  __shared__ uint32_t before;
  const uint32_t *counts = bitmap.counts + item * bitmap.tiles;
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

/* Stores four words, each with the number of bits that are set before it. `rank` bits are set before the first. */
__device__ __forceinline__ void
rank_words (const RcCudaVoxelBitmap &bitmap, int64_t item, int64_t first, const uint4 &words, uint32_t rank)
{
  const uint32_t y = rank + __popc (words.x), z = y + __popc (words.y), w = z + __popc (words.z);
  uint4 *to = reinterpret_cast<uint4 *> (ranked_of_item (bitmap, item) + first);

  to[0] = make_uint4 (words.x, rank, words.y, y);
  to[1] = make_uint4 (words.z, z, words.w, w);
}

/* Stores the number of an item's voxels or blocks. The bits of voxels are ranked last, so the head ends with the number of
 * rows. */
__device__ __forceinline__ void
put_total (const Job &job, const Ranks &ranks, int64_t item, uint32_t which, uint32_t total)
{
  RcCudaVoxelHead *head = head_of (job, item);

  if (which == 0 && ranks.block_bits > 0)
    head->n_blocks = total;
  head->first_rank = 0;
  head->end_rank = total;
}

/* Second step of the scan: stores with each word how many bits are set before it. A block takes every gridDim.x-th tile. It
 * adds up the counts of the tiles before by itself, which is cheaper than another kernel, then scans its tile 4 words a
 * thread at a time. */
__global__ void __launch_bounds__ (THREADS, at_once (4))
rank_set_bits (GRID_CONSTANT Job job, GRID_CONSTANT Ranks ranks, uint32_t which)
{
  follow_previous ();

  const RcCudaVoxelBitmap &bitmap = ranks.bitmaps[which];
  __shared__ typename Scan::TempStorage storage;

  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const int64_t n_words = words_of (job, ranks, item, which);

    for (int64_t tile = blockIdx.x; tile < bitmap.tiles; tile += gridDim.x) {
      uint32_t before = bits_before (bitmap, item, tile);

      for (int64_t at = 0; at < bitmap.tile_words; at += RC_CUDA_VOXEL_BIT_TILE) {
        const int64_t first = tile * bitmap.tile_words + at + threadIdx.x * 4;
        const uint4 words = words_at (bitmap, item, first, n_words);
        const uint32_t own = bits_in (words);
        uint32_t rank, sum;

        Scan (storage).ExclusiveSum (own, rank, sum);
        if (first < n_words && (own > 0 || !ranks.in_bitmap))    /* dense outputs read the ranks of all words */
          rank_words (bitmap, item, first, words, before + rank);
        before += sum;
        __syncthreads ();
      }
      if (tile == bitmap.tiles - 1 && threadIdx.x == 0)
        put_total (job, ranks, item, which, before);
    }
  }
}

/* ---- voxels in blocks ---- */

/* Marks the voxels of points in the bitmap of occupied blocks, once blocks have ranks. A thread per point. */
__global__ void __launch_bounds__ (THREADS)
mark_in_blocks (GRID_CONSTANT Job job, GRID_CONSTANT Ranks ranks)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const int64_t n = job.needs_range ? head_of (job, item)->n_ranged : head_of (job, item)->item.n_added;
    const int64_t *voxels = ranks.voxels_of_points + item * job.n_points;
    uint32_t *bits = bits_of_item (ranks.bitmaps[1], item);

    for (int64_t i = (int64_t) blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t) gridDim.x * THREADS) {
      const int64_t bit = bit_in_blocks (job, ranks, item, voxels[i]);

      if (bit >= 0)
        atomicOr (bits + bit / 32, 1u << (bit % 32));
    }
  }
}

/* ---- sparse outputs ---- */

struct FromRanks
{
  const Values &values;
  const Job &job;
  const Accumulators &accumulators;
  const Ranks &ranks;

  static constexpr int at_once = 4;

  __device__ __forceinline__ uint64_t
  voxel (const Voxels &voxels, int64_t m) const
  {
    return (uint64_t) ranks.voxels_by_rank[voxels.item * job.n_points + m];
  }

  __device__ __forceinline__ RowValue
  load (const Voxels &voxels, int64_t m, int64_t c) const
  {
    const bool has_count = values.mode != RC_VOXEL_MAX && values.mode != RC_VOXEL_MIN;

    return load_value (values, has_count ? counts_of (accumulators, voxels.item)[m] : 0, sums_of (accumulators, voxels.item),
        nonfinite_words_of (accumulators, voxels.item), extremes_of (accumulators, voxels.item), m * values.channels + c);
  }
};

/* Writes the rows of all items, in the order of ranks. A block takes as many rows at a time as it has threads. */
__global__ void __launch_bounds__ (THREADS)
write_ranked (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job,
    GRID_CONSTANT Accumulators accumulators, GRID_CONSTANT Ranks ranks, GRID_CONSTANT Rows rows)
{
  const FromRanks from = { values, job, accumulators, ranks };

  follow_previous ();
  write_rows<FromRanks> (from, grid, values, job, rows, 0, job.batch);
}

/* ---- ranks of points ---- */

/* The rank of a point, of which the map has the voxel that add stored. */
__device__ __forceinline__ int64_t
finished_rank (const Job &job, const Ranks &ranks, const Map &map, int64_t item, int64_t voxel)
{
  const int64_t rank = rank_of_voxel (job, ranks, item, voxel);

  return voxel < 0 ? voxel : rank < map.max_voxels ? rank : RC_VOXEL_OVER_CAP;
}

/* Replaces the voxel of each point in the map by its rank. A thread per point. */
__global__ void __launch_bounds__ (THREADS)
finish_ranks (GRID_CONSTANT Job job, GRID_CONSTANT Ranks ranks, GRID_CONSTANT Map map)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const int64_t added = head_of (job, item)->item.n_added;
    int64_t *to = point_voxels_of (map, item) - map.first_point;

    for (int64_t point = map.first_point + (int64_t) blockIdx.x * THREADS + threadIdx.x; point < job.n_points;
        point += (int64_t) gridDim.x * THREADS)
      to[point] = point < added ? finished_rank (job, ranks, map, item, to[point]) : RC_VOXEL_OUTSIDE;
    if (blockIdx.x == 0 && threadIdx.x == 0)
      count_occupied (map.counters, voxels_of (job, map.max_voxels, item));
  }
}
}

const RcCudaVoxelKernel rc_cuda_voxel_count_set_bits = VOXEL_KERNEL (count_set_bits);
const RcCudaVoxelKernel rc_cuda_voxel_rank_set_bits = VOXEL_KERNEL (rank_set_bits);
const RcCudaVoxelKernel rc_cuda_voxel_mark_in_blocks = VOXEL_KERNEL (mark_in_blocks);
const RcCudaVoxelKernel rc_cuda_voxel_write_ranked = VOXEL_KERNEL (write_ranked);
const RcCudaVoxelKernel rc_cuda_voxel_finish_ranks = VOXEL_KERNEL (finish_ranks);

/* robocache: sliding windows of voxel grids on the GPU: from accumulators to sparse outputs
 *
 * Bits are in the order of voxels, so the rows of a tile of the bitmap begin at the number of bits in the tiles before. It
 * is a scan in three kernels:
 *
 *   tile          0  1  2
 *   count_tiles   3  0  2           set bits of each tile
 *   scan_tiles    0  3  3  (5)      set bits of the tiles before (and of all)
 *   write_tiles   rows 0 … 2, none, rows 3 … 4, then rows of zeros
 *
 * Bytes that must move: the bitmap twice; of occupied voxels the accumulators, and every byte of the output, once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/points/points.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr int TILE = RC_CUDA_VOXEL_WINDOW_TILE;
constexpr int WORDS = TILE / THREADS;   /* adjacent words of a thread */

using Reduce = cub::BlockReduce<uint32_t, THREADS>;
using Scan = cub::BlockScan<uint32_t, THREADS>;

/* The words of a thread in a tile. */
struct OwnWords
{
  uint32_t words[WORDS];
  uint32_t set;                 /* bits that are set in them */

  __device__ __forceinline__
  OwnWords (const Grid &grid, const Job &job, int64_t item, int64_t tile)
  {
    const uint32_t *bits = item_array<const uint32_t> (job, item, job.layout.bits);
    const int64_t first = tile * TILE + threadIdx.x * WORDS;

    set = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
      words[i] = first + i < grid.bit_words ? bits[first + i] : 0;
      set += __popc (words[i]);
    }
  }
};

__device__ __forceinline__ uint32_t *
tile_counts_of (const Window &window, int64_t item)
{
  return window.tile_counts + item * (window.tiles + 1);
}

/* Counts the voxels of each tile of the bitmap. A block takes every gridDim.x-th tile. */
__global__ void __launch_bounds__ (THREADS)
count_tiles (GRID_CONSTANT Grid grid, GRID_CONSTANT Job job, GRID_CONSTANT Window window)
{
  __shared__ typename Reduce::TempStorage storage;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    for (int64_t tile = blockIdx.x; tile < window.tiles; tile += gridDim.x) {
      const OwnWords own (grid, job, item, tile);
      const uint32_t sum = Reduce (storage).Sum (own.set);

      if (threadIdx.x == 0)
        tile_counts_of (window, item)[tile] = sum;
      __syncthreads ();
    }
  }
}

/* Replaces the counts of tiles by the sums over the tiles before. Appends the total. A block per item. */
__global__ void __launch_bounds__ (THREADS)
scan_tiles (GRID_CONSTANT Job job, GRID_CONSTANT Window window)
{
  __shared__ typename Scan::TempStorage storage;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    uint32_t *counts = tile_counts_of (window, item), before = 0;

    for (int64_t first = 0; first < window.tiles; first += THREADS) {
      const int64_t tile = first + threadIdx.x;
      uint32_t own = tile < window.tiles ? counts[tile] : 0, sum;

      Scan (storage).ExclusiveSum (own, own, sum);
      if (tile < window.tiles)
        counts[tile] = before + own;
      before += sum;
      __syncthreads ();
    }
    if (threadIdx.x == 0)
      counts[window.tiles] = before;
  }
}

/* The bits of value c of a voxel. */
__device__ __forceinline__ uint32_t
value_of (const Grid &grid, const Values &values, const Job &job, const Window &window, int64_t item, int64_t voxel, int64_t c)
{
  const int64_t at = voxel * values.channels + c;

  if (window.layers > 0)
    return extreme_bits (values, item_array<const uint32_t> (job, item, job.layout.keys)[at]);

  const uint32_t count = item_array<const uint32_t> (job, item, job.layout.counts)[voxel];

  if (values.mode == RC_VOXEL_COUNT)
    return count_bits (values.dtype, count);

  const uint32_t nonfinite_flags = values.mode == RC_VOXEL_MEAN ? nonfinite_counted (job, item, at) : 0;
  const double mean = rc_voxel_mean (item_array<const RcVoxelScale> (job, item, job.layout.scales) + c,
      item_array<const int64_t> (job, item, job.layout.sums)[at], count, nonfinite_flags);

  return value_bits (values.dtype, values.mode == RC_VOXEL_CENTROID ? (double) grid.box.origin[c] + mean : mean);
}

/* Writes value c of row m. voxel < 0: a row of zeros. */
__device__ __forceinline__ void
write_value (const Grid &grid, const Values &values, const Job &job, const Window &window, const Rows &rows, int64_t item,
    int64_t m, int64_t c, int64_t voxel)
{
  const uint32_t bits = voxel < 0 ? 0 : value_of (grid, values, job, window, item, voxel, c);
  char *to = rows.values + item * rows.values_batch_stride;

  if (values.dtype == RC_UINT8)
    reinterpret_cast<uint8_t *> (to)[m] = (uint8_t) bits;
  else if (values.dtype == RC_FLOAT16)
    reinterpret_cast<uint16_t *> (to)[m * values.channels + c] = (uint16_t) bits;
  else
    reinterpret_cast<uint32_t *> (to)[m * values.channels + c] = bits;
}

__device__ __forceinline__ void
write_coordinates (const Grid &grid, const Rows &rows, int64_t item, int64_t m, int64_t voxel)
{
  int32_t *to = reinterpret_cast<int32_t *> (reinterpret_cast<char *> (rows.coordinates)
      + item * rows.coordinates_batch_stride) + 3 * m;
  const uint64_t of = voxel < 0 ? 0 : (uint64_t) voxel;
  const uint64_t row = divide_64 (of, (uint64_t) grid.nx), z = divide_64 (row, (uint64_t) grid.ny);

  to[0] = (int32_t) (of - row * (uint64_t) grid.nx);
  to[1] = (int32_t) (row - z * (uint64_t) grid.ny);
  to[2] = (int32_t) z;
}

/* Lists the voxels of a tile, in order, counted from its first one. All threads of a block call it. A block scan tells each
 * thread where its voxels begin in the list.
 *
 *   word, here one a thread     0b101   0b0   0b110
 *   set bits                    2       0     2
 *   at (exclusive sum)          0       2     2
 *   voxels                      0  2  65  66
 */
__device__ __forceinline__ void
list_voxels (const Grid &grid, const Job &job, int64_t item, int64_t tile, uint16_t *voxels)
{
  __shared__ typename Scan::TempStorage storage;
  const OwnWords own (grid, job, item, tile);
  uint32_t at;

  Scan (storage).ExclusiveSum (own.set, at);
#pragma unroll
  for (int i = 0; i < WORDS; i++) {
    for (uint32_t word = own.words[i]; word != 0; word &= word - 1)
      voxels[at++] = (uint16_t) ((threadIdx.x * WORDS + i) * 32 + __ffs ((int) word) - 1);
  }
  __syncthreads ();
}

/* Writes n rows from `first` on, values in the order of memory. voxels NULL: rows of zeros. */
__device__ __forceinline__ void
write_rows (const Grid &grid, const Values &values, const Job &job, const Window &window, const Rows &rows, int64_t item,
    int64_t first, uint32_t n, const uint16_t *voxels, int64_t first_voxel)
{
  const uint32_t channels = (uint32_t) values.channels, n_values = values.mode == RC_VOXEL_OCCUPANCY ? 0 : n * channels;

  for (uint32_t m = threadIdx.x; m < n; m += THREADS)
    write_coordinates (grid, rows, item, first + m, voxels != NULL ? first_voxel + voxels[m] : -1);
  for (uint32_t at = threadIdx.x; at < n_values; at += THREADS) {
    const uint32_t m = at / channels;

    write_value (grid, values, job, window, rows, item, first + m, at - m * channels,
        voxels != NULL ? first_voxel + voxels[m] : -1);
  }
}

__device__ __forceinline__ uint32_t
lesser (int64_t a, int64_t b)
{
  return (uint32_t) (a < b ? a : b);
}

/* Writes the rows of the voxels of each tile, then rows of zeros. A block takes every gridDim.x-th tile. It lists the
 * voxels in shared memory, so that values are written in the order of memory. */
__global__ void __launch_bounds__ (THREADS)
write_tiles (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Window window,
    GRID_CONSTANT Rows rows)
{
  __shared__ uint16_t voxels[TILE * 32];

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const uint32_t *begins = tile_counts_of (window, item);
    const int64_t occupied = begins[window.tiles], n = lesser (occupied, rows.max_voxels);

    for (int64_t tile = blockIdx.x; tile < window.tiles; tile += gridDim.x) {
      const int64_t first = begins[tile], end = lesser (begins[tile + 1], n);

      if (first < end) {
        list_voxels (grid, job, item, tile, voxels);
        write_rows (grid, values, job, window, rows, item, first, (uint32_t) (end - first), voxels, tile * TILE * 32);
      }
      __syncthreads ();
    }
    for (int64_t first = n + (int64_t) blockIdx.x * THREADS; first < rows.max_voxels; first += (int64_t) gridDim.x * THREADS)
      write_rows (grid, values, job, window, rows, item, first, lesser (THREADS, rows.max_voxels - first), NULL, 0);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      *reinterpret_cast<uint32_t *> (reinterpret_cast<char *> (rows.n_voxels) + item * rows.n_voxels_batch_stride) = (uint32_t) n;
      if (rows.counters != NULL) {
        add_64 (&rows.counters->occupied, occupied);
        add_64 (&rows.counters->over_cap, occupied - n);
      }
    }
  }
}
}

const RcCudaVoxelKernel rc_cuda_voxel_count_tiles = VOXEL_KERNEL (count_tiles);
const RcCudaVoxelKernel rc_cuda_voxel_scan_tiles = VOXEL_KERNEL (scan_tiles);
const RcCudaVoxelKernel rc_cuda_voxel_write_tiles = VOXEL_KERNEL (write_tiles);

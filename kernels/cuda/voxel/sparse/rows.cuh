/* robocache: sparse outputs on the GPU: a row for each of the first voxels of an item, then rows of zeros
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_ROWS_CUH
#define RC_CUDA_VOXEL_ROWS_CUH

#include "kernels/cuda/voxel/points/points.cuh"

namespace rc
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;

/* The voxels of an item, whose ranks follow each other. */
struct Voxels
{
  int64_t item;
  uint32_t first_rank;
  int64_t n, occupied;          /* in the output, and in all */
};

__device__ __forceinline__ Voxels
voxels_of (const RcCudaVoxelTask &task, int64_t item)
{
  const RcCudaVoxelHead *head = head_of (task, item);
  Voxels voxels = { item, head->first_rank, 0, head->end_rank - head->first_rank };

  voxels.n = voxels.occupied < task.max_voxels ? voxels.occupied : task.max_voxels;
  return voxels;
}

/* How many points voxel m of those in the output has, where they are sorted. */
__device__ __forceinline__ uint32_t
points_of (const RcCudaVoxelTask &task, const Voxels &voxels, int64_t m)
{
  const uint32_t *start = task.starts + voxels.first_rank + m;

  return start[1] - start[0];
}

__device__ __forceinline__ void
count_occupied (const RcCudaVoxelTask &task, const Voxels &voxels)
{
  if (task.counters == NULL)
    return;
  add_64 (&task.counters->occupied, voxels.occupied);
  add_64 (&task.counters->over_cap, voxels.occupied - voxels.n);
}

/* From says which voxel is number m of the item, and what a value of it is made from. */
template <class From>
__device__ __forceinline__ void
write_coordinates (const RcCudaVoxelTask &task, const Voxels &voxels, int64_t m)
{
  int32_t *to = reinterpret_cast<int32_t *> (reinterpret_cast<char *> (task.coordinates)
      + voxels.item * task.coordinates_batch_stride) + 3 * m;
  const uint64_t voxel = m < voxels.n ? From::voxel (task, voxels, m) : 0;
  const uint64_t row = divide_64 (voxel, (uint64_t) task.nx), z = divide_64 (row, (uint64_t) task.ny);

  to[0] = (int32_t) (voxel - row * (uint64_t) task.nx);
  to[1] = (int32_t) (row - z * (uint64_t) task.ny);
  to[2] = (int32_t) z;
}

__device__ __forceinline__ void
write_value (const RcCudaVoxelTask &task, const Voxels &voxels, int64_t at, uint32_t bits)
{
  char *to = task.grid + voxels.item * task.grid_batch_stride;

  if (task.dtype == RC_UINT8)
    reinterpret_cast<uint8_t *> (to)[at] = (uint8_t) bits;
  else if (task.dtype == RC_FLOAT16)
    reinterpret_cast<uint16_t *> (to)[at] = (uint16_t) bits;
  else
    reinterpret_cast<uint32_t *> (to)[at] = bits;
}

/* What a value of a voxel is made from. */
struct RowValue
{
  int64_t sum;
  uint32_t count, saw, extreme;
};

/* From the sums and flags of a voxel of that many points, or its extremes; `at` is where these are. */
__device__ __forceinline__ RowValue
load_value (const RcCudaVoxelTask &task, uint32_t count, const int64_t *sums, const uint32_t *saw, const uint32_t *extremes,
    int64_t at)
{
  const bool has_sum = task.mode == RC_VOXEL_MEAN || task.mode == RC_VOXEL_CENTROID;
  const bool is_extreme = task.mode == RC_VOXEL_MAX || task.mode == RC_VOXEL_MIN;

  return { has_sum ? sums[at] : 0, count, task.mode == RC_VOXEL_MEAN ? saw_of (saw, at) : 0, is_extreme ? extremes[at] : 0 };
}

/* Its bits. */
__device__ __forceinline__ uint32_t
bits_of_value (const RcCudaVoxelTask &task, int64_t item, int64_t channel, const RowValue &value)
{
  const RcVoxelScale *scale = item_array<const RcVoxelScale> (task, item, task.layout.scales) + channel;

  switch (task.mode) {
    case RC_VOXEL_COUNT:
      return count_bits (task.dtype, value.count);
    case RC_VOXEL_MEAN:
      return value_bits (task.dtype, rc_voxel_mean (scale, value.sum, value.count, value.saw));
    case RC_VOXEL_CENTROID:
      return value_bits (task.dtype, (double) task.box.origin[channel] + rc_voxel_mean (scale, value.sum, value.count, 0));
    default:
      return extreme_bits (task, value.extreme);
  }
}

/* n rows from the first on, by a block: their coordinates, then their values in the order of memory, several of a thread
 * under way before the first is made. */
template <class From>
__device__ __forceinline__ void
write_rows_of_block (const RcCudaVoxelTask &task, const Voxels &voxels, int64_t first, uint32_t n)
{
  constexpr int AT_ONCE = From::at_once;
  const uint32_t channels = (uint32_t) task.channels, n_values = task.mode == RC_VOXEL_OCCUPANCY ? 0 : n * channels;
  const Channel step = { THREADS / channels, THREADS % channels };
  Channel next = { threadIdx.x / channels, threadIdx.x % channels };

  if (threadIdx.x < n)
    write_coordinates<From> (task, voxels, first + threadIdx.x);
#pragma unroll 1
  for (uint32_t at = threadIdx.x; at < n_values; at += THREADS * AT_ONCE) {
    RowValue values[AT_ONCE];
    Channel own = next;

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (at + u * THREADS < n_values && first + next.of < voxels.n)
        values[u] = From::load (task, voxels, first + next.of, next.channel);
      next = channel_after (task, next, step);
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (at + u * THREADS < n_values)
        write_value (task, voxels, first * task.channels + at + u * THREADS,
            first + own.of < voxels.n ? bits_of_value (task, voxels.item, own.channel, values[u]) : 0);
      own = channel_after (task, own, step);
    }
  }
}

/* The rows of items, and how many voxels they have. */
template <class From>
__device__ __forceinline__ void
write_rows (const RcCudaVoxelTask &task, int64_t first_item, int64_t items)
{
  for (int64_t i = blockIdx.y; i < items; i += gridDim.y) {
    const Voxels voxels = voxels_of (task, first_item + i);

    for (int64_t first = (int64_t) blockIdx.x * THREADS; first < task.max_voxels;
        first += (int64_t) gridDim.x * THREADS) {
      const int64_t left = task.max_voxels - first;

      write_rows_of_block<From> (task, voxels, first, (uint32_t) (left < THREADS ? left : THREADS));
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      *reinterpret_cast<uint32_t *> (reinterpret_cast<char *> (task.n_voxels)
          + voxels.item * task.n_voxels_batch_stride) = (uint32_t) voxels.n;
      count_occupied (task, voxels);
    }
  }
}
}

#endif

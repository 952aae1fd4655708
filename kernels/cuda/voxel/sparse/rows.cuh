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
voxels_of (const Job &job, int64_t max_voxels, int64_t item)
{
  const RcCudaVoxelHead *head = head_of (job, item);
  Voxels voxels = { item, head->first_rank, 0, head->end_rank - head->first_rank };

  voxels.n = voxels.occupied < max_voxels ? voxels.occupied : max_voxels;
  return voxels;
}

/* How many points voxel m of those in the output has, where they are sorted. */
__device__ __forceinline__ uint32_t
points_of (const Group &group, const Voxels &voxels, int64_t m)
{
  const uint32_t *start = group.starts + voxels.first_rank + m;

  return start[1] - start[0];
}

/* The points of a voxel. */
struct Points
{
  const uint32_t *order;        /* their numbers: sorted keys in the order in which they came, lists in none */
  uint32_t n, kept;             /* in all, and put out */
  uint32_t listed;              /* entries of the list; 0: keys are sorted */
  int64_t first;                /* point of the group, or item, which numbers count from */
};

/* Those of voxel m, none if it is not in the output. */
__device__ __forceinline__ Points
points_at (const Job &job, const Stored &stored, const First &first, const Group &group, const Rows &rows, const Voxels &voxels,
    int64_t m)
{
  const bool is_listed = first.lists != NULL;
  Points points = { NULL, 0, 0, 0, (is_listed ? voxels.item : group.first_item) * job.n_points };

  if (m >= voxels.n)
    return points;
  if (is_listed) {
    const RcCudaVoxelList list = first.lists[voxels.item * first.voxels + m];

    points.order = first.numbers + points.first + list.start;
    points.n = list.n_points;
    points.listed = list.n_points < first.max_points ? list.n_points : first.max_points + list.n_extra;
  } else {
    points.order = stored.order[group.sorted] + points.first + group.starts[voxels.first_rank + m];
    points.n = points_of (group, voxels, m);
  }
  points.kept = points.n < (uint32_t) rows.max_points ? points.n : (uint32_t) rows.max_points;
  return points;
}

/* Writes how many points voxel m has in the output. Returns how many it has beside these. */
__device__ __forceinline__ uint32_t
put_count (const Rows &rows, const Voxels &voxels, int64_t m, const Points &points)
{
  reinterpret_cast<uint32_t *> (reinterpret_cast<char *> (rows.point_counts)
      + voxels.item * rows.point_counts_batch_stride)[m] = points.kept;
  return points.n - points.kept;
}

/* Fills n elements with zeros: what thread `index` of `threads` has of them, 16 bytes at a time where these are aligned. */
template <typename T, typename Count>
__device__ __forceinline__ void
fill_zeros (T *to, Count n, Count index, Count threads)
{
  constexpr Count each = 16 / (Count) sizeof (T);
  const Count to_aligned = (Count) (-(uintptr_t) to % 16 / sizeof (T)), before = to_aligned < n ? to_aligned : n;
  const Count vectors = (n - before) / each;
  uint4 *aligned = reinterpret_cast<uint4 *> (to + before);

  for (Count i = index; i < vectors; i += threads)
    aligned[i] = make_uint4 (0, 0, 0, 0);
  for (Count i = index; i < n - vectors * each; i += threads)
    to[i < before ? i : i + vectors * each] = 0;
}

/* Fills what the output has after the voxels of an item with zeros: rows of so many elements, and counts of their points. */
template <typename T>
__device__ __forceinline__ void
fill_after (const Rows &rows, const Voxels &voxels, int64_t row)
{
  const int64_t index = (int64_t) blockIdx.x * THREADS + threadIdx.x, threads = (int64_t) gridDim.x * THREADS;
  T *values = reinterpret_cast<T *> (rows.values + voxels.item * rows.values_batch_stride);
  uint32_t *counts = reinterpret_cast<uint32_t *> (reinterpret_cast<char *> (rows.point_counts)
      + voxels.item * rows.point_counts_batch_stride);

  fill_zeros (values + voxels.n * row, (rows.max_voxels - voxels.n) * row, index, threads);
  fill_zeros (counts + voxels.n, rows.max_voxels - voxels.n, index, threads);
}

/* Counts points beyond those that are put out. All lanes of a warp call it. */
__device__ __forceinline__ void
count_over (RcVoxelCounters *counters, uint64_t over)
{
  over = warp_sum (over);
  if (counters != NULL && threadIdx.x % 32 == 0 && over > 0)
    add_64 (&counters->over_points, (int64_t) over);
}

__device__ __forceinline__ void
count_occupied (RcVoxelCounters *counters, const Voxels &voxels)
{
  if (counters == NULL)
    return;
  add_64 (&counters->occupied, voxels.occupied);
  add_64 (&counters->over_cap, voxels.occupied - voxels.n);
}

/* From says which voxel is number m of the item, and what a value of it is made from. */
template <class From>
__device__ __forceinline__ void
write_coordinates (const From &from, const Grid &grid, const Rows &rows, const Voxels &voxels, int64_t m)
{
  int32_t *to = reinterpret_cast<int32_t *> (reinterpret_cast<char *> (rows.coordinates)
      + voxels.item * rows.coordinates_batch_stride) + 3 * m;
  const uint64_t voxel = m < voxels.n ? from.voxel (voxels, m) : 0;
  const uint64_t row = divide_64 (voxel, (uint64_t) grid.nx), z = divide_64 (row, (uint64_t) grid.ny);

  to[0] = (int32_t) (voxel - row * (uint64_t) grid.nx);
  to[1] = (int32_t) (row - z * (uint64_t) grid.ny);
  to[2] = (int32_t) z;
}

__device__ __forceinline__ void
write_value (const Values &values, const Rows &rows, const Voxels &voxels, int64_t at, uint32_t bits)
{
  char *to = rows.values + voxels.item * rows.values_batch_stride;

  if (values.dtype == RC_UINT8)
    reinterpret_cast<uint8_t *> (to)[at] = (uint8_t) bits;
  else if (values.dtype == RC_FLOAT16)
    reinterpret_cast<uint16_t *> (to)[at] = (uint16_t) bits;
  else
    reinterpret_cast<uint32_t *> (to)[at] = bits;
}

/* What a value of a voxel is made from. */
struct RowValue
{
  int64_t sum;
  uint32_t count, nonfinite_flags, extreme;
};

/* From the sums and flags of a voxel of that many points, or its extremes; `at` is where these are. */
__device__ __forceinline__ RowValue
load_value (const Values &values, uint32_t count, const int64_t *sums, const uint32_t *nonfinite_flags,
    const uint32_t *extremes, int64_t at)
{
  const bool has_sum = values.mode == RC_VOXEL_MEAN || values.mode == RC_VOXEL_CENTROID;
  const bool is_extreme = values.mode == RC_VOXEL_MAX || values.mode == RC_VOXEL_MIN;

  return { has_sum ? sums[at] : 0, count, values.mode == RC_VOXEL_MEAN ? nonfinite_flags_of (nonfinite_flags, at) : 0,
      is_extreme ? extremes[at] : 0 };
}

/* Its bits. */
__device__ __forceinline__ uint32_t
bits_of_value (const Grid &grid, const Values &values, const Job &job, int64_t item, int64_t channel, const RowValue &value)
{
  const RcVoxelScale *scale = item_array<const RcVoxelScale> (job, item, job.layout.scales) + channel;

  switch (values.mode) {
    case RC_VOXEL_COUNT:
      return count_bits (values.dtype, value.count);
    case RC_VOXEL_MEAN:
      return value_bits (values.dtype, rc_voxel_mean (scale, value.sum, value.count, value.nonfinite_flags));
    case RC_VOXEL_CENTROID:
      return value_bits (values.dtype, (double) grid.box.origin[channel] + rc_voxel_mean (scale, value.sum, value.count, 0));
    default:
      return extreme_bits (values, value.extreme);
  }
}

/* n rows from the first on, by a block: their coordinates, then their values in the order of memory, several of a thread
 * under way before the first is made. */
template <class From>
__device__ __forceinline__ void
write_rows_of_block (const From &from, const Grid &grid, const Values &values, const Job &job, const Rows &rows,
    const Voxels &voxels, int64_t first, uint32_t n)
{
  constexpr int AT_ONCE = From::at_once;
  const uint32_t channels = (uint32_t) values.channels, n_values = values.mode == RC_VOXEL_OCCUPANCY ? 0 : n * channels;
  const Channel step = { THREADS / channels, THREADS % channels };
  Channel next = { threadIdx.x / channels, threadIdx.x % channels };

  if (threadIdx.x < n)
    write_coordinates<From> (from, grid, rows, voxels, first + threadIdx.x);
#pragma unroll 1
  for (uint32_t at = threadIdx.x; at < n_values; at += THREADS * AT_ONCE) {
    RowValue loaded[AT_ONCE];
    Channel own = next;

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (at + u * THREADS < n_values && first + next.of < voxels.n)
        loaded[u] = from.load (voxels, first + next.of, next.channel);
      next = channel_after (values, next, step);
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (at + u * THREADS < n_values)
        write_value (values, rows, voxels, first * values.channels + at + u * THREADS,
            first + own.of < voxels.n ? bits_of_value (grid, values, job, voxels.item, own.channel, loaded[u]) : 0);
      own = channel_after (values, own, step);
    }
  }
}

/* The rows of items, and how many voxels they have. */
template <class From>
__device__ __forceinline__ void
write_rows (const From &from, const Grid &grid, const Values &values, const Job &job, const Rows &rows, int64_t first_item,
    int64_t items)
{
  for (int64_t i = blockIdx.y; i < items; i += gridDim.y) {
    const Voxels voxels = voxels_of (job, rows.max_voxels, first_item + i);

    for (int64_t first = (int64_t) blockIdx.x * THREADS; first < rows.max_voxels;
        first += (int64_t) gridDim.x * THREADS) {
      const int64_t left = rows.max_voxels - first;

      write_rows_of_block<From> (from, grid, values, job, rows, voxels, first, (uint32_t) (left < THREADS ? left : THREADS));
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      *reinterpret_cast<uint32_t *> (reinterpret_cast<char *> (rows.n_voxels)
          + voxels.item * rows.n_voxels_batch_stride) = (uint32_t) voxels.n;
      count_occupied (rows.counters, voxels);
    }
  }
}
}

#endif

/* robocache: sparse outputs on the GPU: a row for each of the first voxels of an item, then rows of zeros
 *
 * from_keys.cu writes rows from sorted keys, rank.cu from accumulators by rank, first.cu and pillars.cu the points of each
 * row.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cuda/voxel/points/points.cuh"

namespace rc
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;

/* The voxels of an item. Their ranks follow each other. */
struct Voxels
{
  int64_t item;
  uint32_t first_rank;
  int64_t n, occupied;          /* voxels in the output, and all */
};

__device__ __forceinline__ Voxels
voxels_of (const Job &job, int64_t max_voxels, int64_t item)
{
  const RcCudaVoxelHead *head = head_of (job, item);
  Voxels voxels = { item, head->first_rank, 0, head->end_rank - head->first_rank };

  voxels.n = voxels.occupied < max_voxels ? voxels.occupied : max_voxels;
  return voxels;
}

/* The number of points of voxel m of the output, from sorted keys. */
__device__ __forceinline__ uint32_t
points_of (const Group &group, const Voxels &voxels, int64_t m)
{
  const uint32_t *start = group.starts + voxels.first_rank + m;

  return start[1] - start[0];
}

/* The points of a voxel. */
struct Points
{
  const uint32_t *order;        /* their numbers: in order of arrival from sorted keys, in any order from lists */
  uint32_t n, kept;             /* points in all, and in the output */
  uint32_t listed;              /* entries of the list; 0: from sorted keys */
  int64_t first;                /* the point of the group, or of the item, from which numbers count */
};

/* The points of voxel m. A voxel that is not in the output has none. */
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

/* Writes how many points voxel m has in the output. Returns how many it has beyond these. */
__device__ __forceinline__ uint32_t
put_count (const Rows &rows, const Voxels &voxels, int64_t m, const Points &points)
{
  reinterpret_cast<uint32_t *> (reinterpret_cast<char *> (rows.point_counts)
      + voxels.item * rows.point_counts_batch_stride)[m] = points.kept;
  return points.n - points.kept;
}

/* Fills n elements with zeros, together with other threads: 16 bytes at a time between the first and the last multiple of
 * 16.
 *
 *   fill_zeros (row + filled, n - filled, threadIdx.x % 32, 32u);         a warp clears the rest of a row
 */
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

/* Fills the output after the voxels of an item with zeros: rows of `row` elements, and the numbers of their points. */
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

/* Counts points that are beyond those in the output. All lanes of a warp call it. */
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

/* Writes x, y, z of row m. From states which voxel is number m of the item, and from what its values are computed. */
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

/* What a value of a voxel is computed from. */
struct RowValue
{
  int64_t sum;
  uint32_t count, nonfinite_flags, extreme;
};

/* Loads a value of a voxel of `count` points from the sums and flags, or from the extremes, at `at`. */
__device__ __forceinline__ RowValue
load_value (const Values &values, uint32_t count, const int64_t *sums, const uint32_t *nonfinite_flags,
    const uint32_t *extremes, int64_t at)
{
  const bool has_sum = values.mode == RC_VOXEL_MEAN || values.mode == RC_VOXEL_CENTROID;
  const bool is_extreme = values.mode == RC_VOXEL_MAX || values.mode == RC_VOXEL_MIN;

  return { has_sum ? sums[at] : 0, count, values.mode == RC_VOXEL_MEAN ? nonfinite_flags_of (nonfinite_flags, at) : 0,
      is_extreme ? extremes[at] : 0 };
}

/* The bits of a value in the output's type. */
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

/* Writes n rows from the first on: coordinates, then values in the order of memory. All threads of a block call it. A
 * thread has several values under way before it computes the first. */
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

/* Writes the rows of items, and the number of their voxels. All threads of all blocks call it. */
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

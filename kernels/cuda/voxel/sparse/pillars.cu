/* robocache: voxel grids on the GPU: the first points of each voxel with their offsets from the mean and the centre
 *
 * A warp takes a voxel: its lanes add up the points that are in the output, then write these in the order of memory.
 *
 * Bytes that must move: every byte of the output, written once and in order, most of it zeros; of each point in the output
 * what is stored of it and 4 of the order, each once from memory and then from the L1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "least.cuh"

using namespace rc;

namespace
{
constexpr int WARPS = RC_CUDA_VOXEL_WARPS;

/* A stored field of a point. */
__device__ __forceinline__ double
field_of (const Values &values, const Stored &stored, int64_t point, uint32_t field)
{
  const int64_t at = point * values.channels + field;

  return stored.dtype == RC_FLOAT64 ? reinterpret_cast<const double *> (stored.payload)[at]
      : reinterpret_cast<const float *> (stored.payload)[at];
}

/* The scales of the sums along each axis, and that of the axis whose mean the lane computes. */
struct Scales
{
  RcVoxelScale of[3], own;
};

/* What the decoration of each lane is measured from: lanes 0 … 2 get the mean of x, y, z, lanes 3 … 5 the centre. All lanes
 * of a warp call it. */
__device__ __forceinline__ double
middle_of (const Grid &grid, const Values &values, const Stored &stored, const First &first, const Scales &scales, const Points &points,
    uint32_t least, const int32_t *xyz)
{
  const uint32_t lane = threadIdx.x % 32, axis = lane % 3;
  int64_t sums[3] = { 0, 0, 0 };

  for (uint32_t begin = 0; begin < points.kept; begin += 32) {
    const int64_t point = point_at (first, points, least, begin + lane, 32);

    if (begin + lane < points.kept) {
#pragma unroll
      for (int a = 0; a < 3; a++)
        sums[a] += rc_voxel_fixed (&scales.of[a], rc_voxel_distance (&grid.box, a, (float) field_of (values, stored, point, (uint32_t) a)));
    }
  }
#pragma unroll
  for (int a = 0; a < 3; a++)
    sums[a] = __shfl_sync (ALL_LANES, warp_sum (sums[a]), 0);
  return lane < 3 ? rc_voxel_mean (&scales.own, axis == 0 ? sums[0] : axis == 1 ? sums[1] : sums[2], points.kept, 0)
      : rc_voxel_centre (&grid.box, (int) axis, xyz[axis]);
}

/* Writes the points of a voxel, then zeros up to max_points. All lanes of a warp call it. */
template <typename T>
__device__ __forceinline__ void
write_pillar (const Grid &grid, const Values &values, const Stored &stored, const First &first, const Rows &rows, const Points &points,
    uint32_t least, double middle, T *to)
{
  const uint32_t fields = (uint32_t) values.channels, width = fields + (uint32_t) rows.decorations, lane = threadIdx.x % 32;
  const uint32_t n = (uint32_t) rows.max_points * width, filled = points.kept * width;
  const Channel step = { 32 / width, 32 % width };
  Channel next = { lane / width, lane % width };

  for (uint32_t at = lane; at - lane < filled; at += 32) {
    const int decoration = next.channel < fields ? 0 : (int) (next.channel - fields), axis = decoration % 3;
    const int64_t point = point_at (first, points, least, next.of, 32);
    const double from = __shfl_sync (ALL_LANES, middle, decoration);

    if (at < filled) {
      const double x = field_of (values, stored, point, next.channel < fields ? next.channel : (uint32_t) axis);

      to[at] = (T) value_bits (values.dtype, next.channel < fields ? x : rc_voxel_distance (&grid.box, axis, (float) x) - from);
    }
    next = channel_after (width, next, step);
  }
  fill_zeros (to + filled, n - filled, lane, 32u);
}

/* Writes the points of each voxel of mode pillars, and their number. A warp takes a voxel at a time. */
template <typename T>
__global__ void __launch_bounds__ (THREADS, 4)
write_pillars (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Stored stored,
    GRID_CONSTANT First first, GRID_CONSTANT Group group, GRID_CONSTANT Rows rows)
{
  const int64_t row = rows.max_points * (values.channels + rows.decorations);
  uint64_t over = 0;
  Scales scales;

#pragma unroll
  for (int a = 0; a < 3; a++)
    scales.of[a] = rc_voxel_scale (values.centroid_exponent[a], (uint64_t) rows.max_points);
  scales.own = rc_voxel_scale (values.centroid_exponent[threadIdx.x % 32 % 3], (uint64_t) rows.max_points);

  follow_previous ();
  for (int64_t i = blockIdx.y; i < group.items; i += gridDim.y) {
    const Voxels voxels = voxels_of (job, rows.max_voxels, group.first_item + i);
    const int32_t *coordinates = reinterpret_cast<const int32_t *> (reinterpret_cast<const char *> (rows.coordinates)
        + voxels.item * rows.coordinates_batch_stride);
    T *to = reinterpret_cast<T *> (rows.values + voxels.item * rows.values_batch_stride);

    for (int64_t m = (int64_t) blockIdx.x * WARPS + threadIdx.x / 32; m < voxels.n; m += (int64_t) gridDim.x * WARPS) {
      const Points points = points_at (job, stored, first, group, rows, voxels, m);
      const uint32_t least = least_of (points.order, points.listed, 32);
      const double middle = middle_of (grid, values, stored, first, scales, points, least, coordinates + 3 * m);

      if (threadIdx.x % 32 == 0)
        over += put_count (rows, voxels, m, points);
      write_pillar<T> (grid, values, stored, first, rows, points, least, middle, to + m * row);
    }
    fill_after<T> (rows, voxels, row);
  }
  count_over (rows.counters, over);
}
}

const RcCudaVoxelKernel rc_cuda_voxel_write_pillars[2] = {
  VOXEL_KERNEL (write_pillars<uint16_t>), VOXEL_KERNEL (write_pillars<uint32_t>)
};

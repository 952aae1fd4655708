/* robocache: voxel grids on the GPU: the first points of each voxel with their offsets to its middles
 *
 * Sorted keys of a voxel are in the order in which its points came, and so are slots. A warp has a voxel: its lanes add up the
 * points that are put out, then write these in the order of memory.
 *
 * Bytes that must move: every byte of the output, written once and in order, most of it zeros; of a point in the output
 * what is kept of it, from where it came, and 4 of the order, each once from memory and then from the L1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "rows.cuh"

using namespace rc;

namespace
{
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;
constexpr int WARPS = RC_CUDA_VOXEL_WARPS;

/* The points of a voxel that are put out. */
struct Pillar
{
  const uint32_t *order;        /* [n] */
  uint32_t n;
  int64_t first;                /* point of the group, or item, which order counts from */
};

__device__ __forceinline__ Pillar
pillar_of (const Job &job, const Stored &stored, const First &first, const Group &group, const Rows &rows, const Voxels &voxels,
    int64_t m)
{
  const int64_t first_point = (first.slots != NULL ? voxels.item : group.first_item) * job.n_points;

  if (m >= voxels.n)
    return { NULL, 0, 0 };

  const uint32_t count = points_of (first, group, voxels, m), most = (uint32_t) rows.max_points;

  return { first.slots != NULL ? slots_of (first, voxels.item, m)
      : stored.order[group.sorted] + first_point + group.starts[voxels.first_rank + m], count < most ? count : most, first_point };
}

/* A field of a point. */
__device__ __forceinline__ double
field_of (const Values &values, const Stored &stored, const Pillar &pillar, uint32_t slot, uint32_t field)
{
  const int64_t at = (pillar.first + pillar.order[slot]) * values.channels + field;

  return stored.dtype == RC_FLOAT64 ? reinterpret_cast<const double *> (stored.payload)[at]
      : reinterpret_cast<const float *> (stored.payload)[at];
}

__device__ __forceinline__ double
distance_of (const Grid &grid, const Values &values, const Stored &stored, const Pillar &pillar, uint32_t slot, int axis)
{
  return rc_voxel_distance (&grid.box, axis, (float) field_of (values, stored, pillar, slot, (uint32_t) axis));
}

/* What decoration number `lane` measures from: the mean along x, y, z, then the centre. All lanes of a warp call it. */
__device__ __forceinline__ double
middle_of (const Grid &grid, const Values &values, const Stored &stored, const Rows &rows, const Pillar &pillar, const int32_t *xyz)
{
  const uint32_t lane = threadIdx.x % 32;
  double own = 0.0;

#pragma unroll 1
  for (int axis = 0; axis < 3; axis++) {
    const RcVoxelScale scale = rc_voxel_scale (values.centroid_exponent[axis], (uint64_t) rows.max_points);
    int64_t sum = 0;

    for (uint32_t slot = lane; slot < pillar.n; slot += 32)
      sum += rc_voxel_fixed (&scale, distance_of (grid, values, stored, pillar, slot, axis));
    sum = __shfl_sync (ALL_LANES, warp_sum (sum), 0);
    if (lane == (uint32_t) axis)
      own = rc_voxel_mean (&scale, sum, pillar.n, 0);
    if (lane == (uint32_t) axis + 3)
      own = rc_voxel_centre (&grid.box, axis, xyz[axis]);
  }
  return own;
}

/* Writes the rows of a voxel, of which those beyond its points are zeros. All lanes of a warp call it. */
template <typename T>
__device__ __forceinline__ void
write_pillar (const Grid &grid, const Values &values, const Stored &stored, const Rows &rows, const Pillar &pillar,
    const int32_t *xyz, T *to)
{
  const uint32_t fields = (uint32_t) values.channels, width = fields + (uint32_t) rows.decorations;
  const uint32_t n = (uint32_t) rows.max_points * width, filled = pillar.n * width;
  const double middle = filled > 0 ? middle_of (grid, values, stored, rows, pillar, xyz) : 0.0;

  for (uint32_t first = 0; first < n; first += 32) {
    const uint32_t at = first + threadIdx.x % 32, slot = at / width, c = at - slot * width;
    const int decoration = c < fields ? 0 : (int) (c - fields);
    const double from = __shfl_sync (ALL_LANES, middle, decoration);
    double x = 0.0;

    if (at < filled)
      x = c < fields ? field_of (values, stored, pillar, slot, c)
          : distance_of (grid, values, stored, pillar, slot, decoration % 3) - from;
    if (at < n)
      to[at] = (T) value_bits (values.dtype, x);
  }
}

template <typename T>
__global__ void __launch_bounds__ (THREADS, 4)
write_pillars (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Stored stored,
    GRID_CONSTANT First first, GRID_CONSTANT Group group, GRID_CONSTANT Rows rows)
{
  const int64_t elements = rows.max_points * (values.channels + rows.decorations);

  follow_previous ();
  for (int64_t i = blockIdx.y; i < group.items; i += gridDim.y) {
    const Voxels voxels = voxels_of (job, rows.max_voxels, group.first_item + i);
    const int32_t *coordinates = reinterpret_cast<const int32_t *> (reinterpret_cast<const char *> (rows.coordinates)
        + voxels.item * rows.coordinates_batch_stride);
    T *to = reinterpret_cast<T *> (rows.values + voxels.item * rows.values_batch_stride);

    for (int64_t m = (int64_t) blockIdx.x * WARPS + threadIdx.x / 32; m < rows.max_voxels; m += (int64_t) gridDim.x * WARPS)
      write_pillar<T> (grid, values, stored, rows, pillar_of (job, stored, first, group, rows, voxels, m), coordinates + 3 * m,
          to + m * elements);
  }
}
}

const RcCudaVoxelKernel rc_cuda_voxel_write_pillars[2] = {
  VOXEL_KERNEL (write_pillars<uint16_t>), VOXEL_KERNEL (write_pillars<uint32_t>)
};

/* robocache: voxel grids on the GPU: the first points of each voxel
 *
 * Sorted keys of a voxel are in the order in which its points came, since the sort keeps the order of equal keys.
 *
 * Bytes that must move: every byte of the output, written once and in order, most of it zeros; of a point in the output
 * what is kept of it, from where it came, and 4 of the order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "rows.cuh"

using namespace rc;

namespace
{
/* An element of the output, by its number: field c of the point in a slot of voxel m. */
template <typename T>
__device__ __forceinline__ T
element_of (const Values &values, const Job &job, const Stored &stored, const Group &group, const Rows &rows,
    const Voxels &voxels, int64_t at)
{
  const int64_t row = (int64_t) divide_64 ((uint64_t) at, (uint64_t) values.channels), c = at - row * values.channels;
  const int64_t m = (int64_t) divide_64 ((uint64_t) row, (uint64_t) rows.max_points), slot = row - m * rows.max_points;

  if (m >= voxels.n || slot >= points_of (group, voxels, m))
    return 0;
  const int64_t first = group.first_item * job.n_points;
  const int64_t sorted = first + group.starts[voxels.first_rank + m] + slot;
  const int64_t point = first + stored.order[group.sorted][sorted];

  return reinterpret_cast<const T *> (stored.payload + point * (int64_t) stored.payload_bytes)[c];
}

/* Writes the fields of the first points of each voxel. A grid-stride loop over the elements of the output, in the order of memory,
 * since most of them are zeros. */
template <typename T>
__global__ void __launch_bounds__ (THREADS)
write_first (GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Stored stored, GRID_CONSTANT Group group,
    GRID_CONSTANT Rows rows)
{
  const int64_t n = rows.max_voxels * rows.max_points * values.channels, step = (int64_t) gridDim.x * THREADS;

  follow_previous ();
  for (int64_t i = blockIdx.y; i < group.items; i += gridDim.y) {
    const Voxels voxels = voxels_of (job, rows.max_voxels, group.first_item + i);
    T *to = reinterpret_cast<T *> (rows.values + voxels.item * rows.values_batch_stride);

    for (int64_t at = (int64_t) blockIdx.x * THREADS + threadIdx.x; at < n; at += step)
      to[at] = element_of<T> (values, job, stored, group, rows, voxels, at);
  }
}

/* Writes how many points of each voxel are in the output, and counts the others. A thread per voxel. */
__global__ void __launch_bounds__ (THREADS)
count_first (GRID_CONSTANT Job job, GRID_CONSTANT Group group, GRID_CONSTANT Rows rows)
{
  const uint32_t most = (uint32_t) rows.max_points;
  uint64_t over = 0;

  follow_previous ();
  for (int64_t i = blockIdx.y; i < group.items; i += gridDim.y) {
    const Voxels voxels = voxels_of (job, rows.max_voxels, group.first_item + i);
    uint32_t *to = reinterpret_cast<uint32_t *> (reinterpret_cast<char *> (rows.point_counts)
        + voxels.item * rows.point_counts_batch_stride);

    for (int64_t m = (int64_t) blockIdx.x * THREADS + threadIdx.x; m < rows.max_voxels; m += (int64_t) gridDim.x * THREADS) {
      const uint32_t count = m < voxels.n ? points_of (group, voxels, m) : 0, kept = count < most ? count : most;

      to[m] = kept;
      over += count - kept;
    }
  }
  over = warp_sum (over);
  if (rows.counters != NULL && threadIdx.x % 32 == 0 && over > 0)
    add_64 (&rows.counters->over_points, (int64_t) over);
}
}

const RcCudaVoxelKernel rc_cuda_voxel_count_first = VOXEL_KERNEL (count_first);
const RcCudaVoxelKernel rc_cuda_voxel_write_first[2] = {
  VOXEL_KERNEL (write_first<uint16_t>), VOXEL_KERNEL (write_first<uint32_t>)
};

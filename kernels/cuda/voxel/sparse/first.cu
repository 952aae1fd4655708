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
element_of (const RcCudaVoxelTask &task, const Voxels &voxels, int64_t at)
{
  const int64_t row = (int64_t) divide_64 ((uint64_t) at, (uint64_t) task.channels), c = at - row * task.channels;
  const int64_t m = (int64_t) divide_64 ((uint64_t) row, (uint64_t) task.max_points), slot = row - m * task.max_points;

  if (m >= voxels.n || slot >= points_of (task, voxels, m))
    return 0;
  const int64_t group = task.first_item * task.n_points;
  const int64_t sorted = group + task.starts[voxels.first_rank + m] + slot;
  const int64_t point = group + task.points.order[task.sorted][sorted];

  return reinterpret_cast<const T *> (task.points.payload + point * (int64_t) task.layout.payload_bytes)[c];
}

template <typename T>
__global__ void __launch_bounds__ (THREADS)
write_first (const __grid_constant__ RcCudaVoxelTask task)
{
  const int64_t n = task.max_voxels * task.max_points * task.channels, step = (int64_t) gridDim.x * THREADS;

  follow_previous ();
  for (int64_t i = blockIdx.y; i < task.group_items; i += gridDim.y) {
    const Voxels voxels = voxels_of (task, task.first_item + i);
    T *to = reinterpret_cast<T *> (task.grid + voxels.item * task.grid_batch_stride);

    for (int64_t at = (int64_t) blockIdx.x * THREADS + threadIdx.x; at < n; at += step)
      to[at] = element_of<T> (task, voxels, at);
  }
}

/* How many points of each voxel are in the output, and how many are not. */
__global__ void __launch_bounds__ (THREADS)
count_first (const __grid_constant__ RcCudaVoxelTask task)
{
  const uint32_t most = (uint32_t) task.max_points;
  uint64_t over = 0;

  follow_previous ();
  for (int64_t i = blockIdx.y; i < task.group_items; i += gridDim.y) {
    const Voxels voxels = voxels_of (task, task.first_item + i);
    uint32_t *to = reinterpret_cast<uint32_t *> (reinterpret_cast<char *> (task.point_counts)
        + voxels.item * task.point_counts_batch_stride);

    for (int64_t m = (int64_t) blockIdx.x * THREADS + threadIdx.x; m < task.max_voxels; m += (int64_t) gridDim.x * THREADS) {
      const uint32_t count = m < voxels.n ? points_of (task, voxels, m) : 0, kept = count < most ? count : most;

      to[m] = kept;
      over += count - kept;
    }
  }
  over = warp_sum (over);
  if (task.counters != NULL && threadIdx.x % 32 == 0 && over > 0)
    add_64 (&task.counters->over_points, (int64_t) over);
}
}

const void *const rc_cuda_voxel_count_first = KERNEL (count_first);
const void *const rc_cuda_voxel_write_first[2] = {
  KERNEL (write_first<uint16_t>), KERNEL (write_first<uint32_t>)
};

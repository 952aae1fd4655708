/* robocache: the map from points to voxels on the GPU: from sorted keys to the ranks of their points
 *
 * What a point that is in no voxel gets was written when it was added, and so was the whole of the output index.
 *
 * Bytes that must move, a point: 8 of its key, 4 of the order, and 8 written where the point is, each in a sector of its own
 * unless points of a voxel came together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "voxel_runs.cuh"

using namespace rc;

namespace
{
/* A thread has one of the sorted keys. Where voxels of items begin is known now. */
__global__ void __launch_bounds__ (THREADS)
write_ranks (const __grid_constant__ RcCudaVoxelTask task)
{
  const Keys keys (task);
  const uint64_t i = (uint64_t) blockIdx.x * TILE + threadIdx.x, key = keys.at (i);
  const uint32_t so_far = voxels_so_far (task, keys.begins (i));

  if (key == RC_CUDA_VOXEL_NO_KEY)
    return;
  const int64_t item = item_of (task, key);
  const int64_t point = task.points.order[task.sorted][task.first_item * task.n_points + (int64_t) i]
      - (item - task.first_item) * task.n_points;
  const int64_t rank = (int64_t) so_far - 1 - head_of (task, item)->first_rank;

  if (point >= task.first_point)
    point_voxels_of (task, item)[point - task.first_point] = rank < task.max_voxels ? rank : RC_VOXEL_OVER_CAP;
}

/* Where an item may have had more points; and, with sorted keys, how many voxels there are. */
__global__ void __launch_bounds__ (THREADS)
finish_map (const __grid_constant__ RcCudaVoxelTask task)
{
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const int64_t added = task.is_first ? 0 : head_of (task, item)->item.n_added;
    const int64_t first = added > task.first_point ? added : task.first_point;

    for (int64_t point = first + (int64_t) blockIdx.x * THREADS + threadIdx.x; point < task.n_points;
        point += (int64_t) gridDim.x * THREADS)
      point_voxels_of (task, item)[point - task.first_point] = RC_VOXEL_OUTSIDE;
    if (task.sorts && blockIdx.x == 0 && threadIdx.x == 0)
      count_occupied (task, voxels_of (task, item));
  }
}
}

const void *const rc_cuda_voxel_write_ranks = reinterpret_cast<const void *> (write_ranks);
const void *const rc_cuda_voxel_finish_map = reinterpret_cast<const void *> (finish_map);

/* robocache: the map from points to voxels on the GPU: the places to which no point came
 *
 * Adding a point without a voxel, or any point for output index, writes its place. Ranks are written from sorted keys
 * (from_keys.cu) or looked up in a bitmap (rank.cu).
 *
 * Bytes that must move: 8 of each place to which no point came, written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "rows.cuh"

using namespace rc;

namespace
{
/* Completes the map: if an item has fewer points than the job, the remaining places have no voxel. A grid-stride loop over
 * these. Also counts the voxels of sorted keys. */
__global__ void __launch_bounds__ (THREADS)
finish_map (GRID_CONSTANT Job job, GRID_CONSTANT Map map)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const int64_t added = job.is_first ? 0 : head_of (job, item)->item.n_added;
    const int64_t first = added > map.first_point ? added : map.first_point;

    for (int64_t point = first + (int64_t) blockIdx.x * THREADS + threadIdx.x; point < job.n_points;
        point += (int64_t) gridDim.x * THREADS)
      point_voxels_of (map, item)[point - map.first_point] = RC_VOXEL_OUTSIDE;
    if (map.has_ranges && blockIdx.x == 0 && threadIdx.x == 0)
      count_occupied (map.counters, voxels_of (job, map.max_voxels, item));
  }
}
}

const RcCudaVoxelKernel rc_cuda_voxel_finish_map = VOXEL_KERNEL (finish_map);

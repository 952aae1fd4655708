/* robocache: the map from points to voxels on the GPU: what it says where no point came
 *
 * What a point that is in no voxel gets was written when it was added, and so was the whole of the output index; ranks come
 * from sorted keys (from_keys.cu) or from bits (rank.cu).
 *
 * Bytes that must move: 8 of each place that no point came to, written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "rows.cuh"

using namespace rc;

namespace
{
/* Completes the map: items with fewer points than the job have no voxel for the rest. A grid-stride loop over these. Counts the
 * voxels of sorted keys, too. */
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

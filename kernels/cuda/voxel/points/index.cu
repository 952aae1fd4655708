/* robocache: the index of the voxel of each point on the GPU, where one chunk has all points of a job
 *
 * Nothing but its own bytes is waited for, and that is what there is to save: a thread takes a point, which comes to the L2
 * while the kernel before still runs, and the points of an item are counted once.
 *
 * Bytes that must move: each point read once, of float32 12 bytes, and 8 of the output written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "parts.cuh"

using namespace rc;

namespace
{
/* What is inside is what is not missed, which few blocks do. */
__device__ __forceinline__ void
count_points (RcVoxelCounters *counters, int64_t n)
{
  if (counters == NULL)
    return;
  add_64 (&counters->points, n);
  add_64 (&counters->inside, n);
}

/* Points whose numbers are aligned, and blocks for all of them. The quotient, since a point waits for its loads anyway, longer
 * than for divisions. */
template <class Source>
__global__ void LAUNCH_BOUNDS (RC_CUDA_VOXEL_THREADS, at_once (4))
index_whole (const __grid_constant__ RcCudaVoxelTask task)
{
  const Part part = { blockIdx.y, task.data + blockIdx.y * task.batch_stride, task.n, 0 };
  const uint32_t i = blockIdx.x * RC_CUDA_VOXEL_THREADS + threadIdx.x, n = (uint32_t) task.n;
  PointCounts counts = { };

  allow_next ();
  if (i < n)
    prefetch_global (part.data + i * task.stride);
  wait_for_previous ();
  if (i < n) {
    float p[3];

    Source::template read<true> (task, part.data, i, p);

    const int64_t voxel = rc_voxel_of (&task.box, p[0], p[1], p[2]);

    count_miss (&counts, voxel);
    if (i >= task.first_point)
      point_voxels_of (task, part.item)[i - task.first_point] = voxel;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    count_points (task.counters, n);
    begin_head (task, part);
  }
  if (__syncthreads_or ((int) (counts.outside | counts.nan | counts.infinite)) && task.counters != NULL)
    add_counts (task, counts);
}
}

const void *const rc_cuda_voxel_index_whole[RC_CUDA_VOXEL_PACKED] = {
  KERNEL (index_whole<PointSource<RC_FLOAT16>>), KERNEL (index_whole<PointSource<RC_FLOAT32>>),
  KERNEL (index_whole<PointSource<RC_FLOAT64>>)
};

/* robocache: output index on the GPU, where one chunk has all points of a job
 *
 * The kernel waits for nothing but its own bytes: a thread takes a point, whose line is fetched to the L2 while the
 * previous kernel still runs, and the points of an item are counted once.
 *
 * Bytes that must move: each point read once, 12 bytes in float32, and 8 of the output written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "parts.cuh"

using namespace rc;

namespace
{
/* Counts n points as inside. Blocks with points that miss the grid subtract these. */
__device__ __forceinline__ void
count_points (RcVoxelCounters *counters, int64_t n)
{
  if (counters == NULL)
    return;
  add_64 (&counters->points, n);
  add_64 (&counters->inside, n);
}

/* Writes the index of the voxel of each point of a job that is one aligned chunk. A thread per point. It divides, since a
 * point waits longer for its loads than for divisions. */
template <class Source>
__global__ void __launch_bounds__ (RC_CUDA_VOXEL_THREADS, at_once (4))
index_whole (GRID_CONSTANT Grid grid, GRID_CONSTANT Format format, GRID_CONSTANT Job job, GRID_CONSTANT Chunk chunk,
    GRID_CONSTANT Map map)
{
  const Part part = { blockIdx.y, chunk.data + blockIdx.y * chunk.batch_stride, chunk.n, 0 };
  const uint32_t i = blockIdx.x * RC_CUDA_VOXEL_THREADS + threadIdx.x, n = (uint32_t) chunk.n;
  PointCounts counts = { };

  allow_next ();
  if (i < n)
    prefetch_global (part.data + i * chunk.stride);
  wait_for_previous ();
  if (i < n) {
    float p[3];

    Source::template read<true> (format, chunk, part.data, i, p);

    const int64_t voxel = rc_voxel_of (&grid.box, p[0], p[1], p[2]);

    count_miss (&counts, voxel);
    if (i >= map.first_point)
      point_voxels_of (map, part.item)[i - map.first_point] = voxel;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    count_points (chunk.counters, n);
    begin_head (job, part);
  }
  if (__syncthreads_or ((int) (counts.outside | counts.nan | counts.infinite)) && chunk.counters != NULL)
    add_counts (chunk, counts);
}
}

const RcCudaVoxelKernel rc_cuda_voxel_index_whole[RC_CUDA_VOXEL_PACKED] = {
  VOXEL_KERNEL (index_whole<PointSource<RC_FLOAT16>>), VOXEL_KERNEL (index_whole<PointSource<RC_FLOAT32>>),
  VOXEL_KERNEL (index_whole<PointSource<RC_FLOAT64>>)
};

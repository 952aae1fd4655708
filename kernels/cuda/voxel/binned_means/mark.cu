/* robocache: binned means on the GPU that get another chunk after all: their voxels, marked from the bins
 *
 * Bytes that must move: 8 a point, read; a bit of each voxel.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/points/parts.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;

/* Marks the voxels of n binned points. All threads of a block call it. */
__device__ __forceinline__ void
mark_points (const Job &job, int64_t item, const RcCudaVoxelEntry *points, uint32_t n)
{
  for (uint32_t i = threadIdx.x; i < n; i += THREADS)
    mark (job, { item, NULL, 0, 0 }, points[i].voxel);
}

/* Marks the voxels of binned points in the bitmap, as find_range does. A block takes every gridDim.x-th bin. It is needed
 * if other chunks follow the one that had all points, so that the end cannot read the points again. */
__global__ void __launch_bounds__ (THREADS)
mark_binned (GRID_CONSTANT Job job, GRID_CONSTANT Bins bins)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const uint32_t *counts = bin_counts_of (bins, item), over = counts[bins.bins + RC_CUDA_VOXEL_OVERFLOW_POINTS];

    for (uint32_t bin = blockIdx.x; bin < bins.bins; bin += gridDim.x)
      mark_points (job, item, bin_of (bins, item, bin), min (counts[bin], bins.capacity));
    for (int64_t first = (int64_t) blockIdx.x * THREADS; first < over; first += (int64_t) gridDim.x * THREADS)
      mark_points (job, item, overflow_of (job, bins, item) + first, min (over - (uint32_t) first, (uint32_t) THREADS));
  }
}
}

const RcCudaVoxelKernel rc_cuda_voxel_mark_binned = VOXEL_KERNEL (mark_binned);

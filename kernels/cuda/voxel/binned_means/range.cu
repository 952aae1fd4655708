/* robocache: the range of features on the GPU, which the scale of a mean depends on
 *
 * The kernel finds the greatest magnitude of each feature. If accumulators are by rank, it also marks the voxels of points.
 * Binned means have bin.cu in its place.
 *
 * Bytes that must move: each point once, 12 bytes in float32 and 4 a feature; and a bit of each voxel.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "greatest.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;

/* A bit for each of 32 points from first on that is inside. Marks their voxels if these get ranks. All lanes call it. */
template <class Source>
__device__ __forceinline__ uint32_t
locate (const Grid &grid, const Format &format, const Job &job, const Chunk &chunk, const Ranks &ranks, const Part &part,
    int64_t first)
{
  const int64_t i = first + threadIdx.x % 32;
  float p[3] = { rc_float32 (RC_NAN32_BITS), 0.0f, 0.0f };

  if (i < part.n)
    Source::template read<true> (format, chunk, part.data, i, p);

  const int64_t voxel = voxel_of (grid, p);

  if (ranks.is_ranked && i < part.n)
    mark_point (job, ranks, part, i, voxel);
  return __ballot_sync (ALL_LANES, voxel >= 0);
}

/* Reads the points of an item's part. The first features are under way together with the coordinates, whether points are
 * inside or not. */
template <class Source>
__device__ __forceinline__ void
find_range_of_part (const Grid &grid, const Format &format, const Values &values, const Job &job, const Chunk &chunk,
    const Ranks &ranks, const Part &part)
{
  Reader<Source> reader (values, chunk);

  for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < part.n;
      first += (int64_t) gridDim.x * THREADS) {
    const uint32_t n = part.n - first < 32 ? (uint32_t) (part.n - first) : 32;
    const char *points = part.data + first * chunk.stride;

    reader.begin (format, values, chunk, points, n);
    reader.finish (format, values, chunk, points, n, locate<Source> (grid, format, job, chunk, ranks, part, first));
  }
  reader.raise_greatest (values);
}

/* Counts the points of an item, in its last block. The head was cleared before. */
__device__ __forceinline__ void
finish_range (const Job &job, const Part &part)
{
  RcCudaVoxelHead *head = head_of (job, part.item);

  if (is_last_of (head))
    head->n_ranged = part.first + part.n;
}

/* Finds the greatest magnitude of each feature, and marks the voxels of points if accumulators are by rank. A warp reads 32
 * points at a time, one a lane, then their features in the order of memory; a block keeps its maxima in shared memory. */
template <class Source>
__global__ void __launch_bounds__ (THREADS, at_once (4))
find_range (GRID_CONSTANT Grid grid, GRID_CONSTANT Format format, GRID_CONSTANT Values values, GRID_CONSTANT Job job,
    GRID_CONSTANT Chunk chunk, GRID_CONSTANT Ranks ranks)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const Part part = part_of<Source> (format, job, chunk, item, false);

    clear_greatest<THREADS> (values);
    __syncthreads ();
    find_range_of_part<Source> (grid, format, values, job, chunk, ranks, part);
    __syncthreads ();
    store_greatest<THREADS> (values, job, item);
    finish_range (job, part);
  }
}
}

const RcCudaVoxelKernel rc_cuda_voxel_range[RC_CUDA_VOXEL_SOURCES] = {
  VOXEL_KERNEL (find_range<PointSource<RC_FLOAT16>>), VOXEL_KERNEL (find_range<PointSource<RC_FLOAT32>>),
  VOXEL_KERNEL (find_range<PointSource<RC_FLOAT64>>), VOXEL_KERNEL (find_range<LayoutSource>),
};

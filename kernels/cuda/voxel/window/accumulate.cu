/* robocache: sliding windows of voxel grids on the GPU: points that are added to accumulators, and removed again
 *
 * Each voxel has a count, in all modes but max and min (layers.cu): removing its last point clears the bit of the voxel.
 * Kernels of both signs do the same, on integers, in any order.
 *
 * Bytes that must move: each point once, 12 bytes in float32 and 4 a feature, without the bytes between them; of the
 * accumulators what is touched: a sector of counts, one of the bitmap, and those that the sums of a voxel span. Output
 * rank: 8 bytes of the map for each point that is wanted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "chunk.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;

/* ---- begin ---- */

/* Begins a job that continues from the accumulators and scales of the last one. A thread per item. */
__global__ void __launch_bounds__ (THREADS)
begin_incremental (GRID_CONSTANT Job job, GRID_CONSTANT Window window)
{
  follow_previous ();
  for (int64_t item = (int64_t) blockIdx.x * THREADS + threadIdx.x; item < job.batch; item += (int64_t) gridDim.x * THREADS)
    head_of (job, item)->item.n_added = window.first_added;
}

/* Stores the ranges of features that the job knows. One block. They are arguments, since host memory may change before the
 * launch runs. */
__global__ void __launch_bounds__ (THREADS)
put_ranges (GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Ranges ranges)
{
  follow_previous ();
  for (int64_t i = threadIdx.x; i < ranges.n; i += THREADS) {
    const int64_t at = ranges.first + i, item = at / values.channels;

    item_array<double> (job, item, job.layout.range)[at - item * values.channels] = ranges.values[i];
  }
}

/* ---- actions ---- */

template <int SIGN>
__device__ __forceinline__ void
add_count (const Job &job, const Part &part, int64_t voxel)
{
  uint32_t *word = item_array<uint32_t> (job, part.item, job.layout.bits) + voxel / 32;
  uint32_t *count = item_array<uint32_t> (job, part.item, job.layout.counts) + voxel;
  const uint32_t bit = 1u << (voxel % 32);

  if constexpr (SIGN > 0) {
    atomicOr (word, bit);
    atomicAdd (count, 1u);
  } else {
    /* no branch, since they nest too deep */
    atomicAnd (word, atomicSub (count, 1u) == 1 ? ~bit : 0xFFFFFFFFu);
  }
}

/* Adds a term to a sum, or subtracts it. Not inlined: where points are read and located, branches nest too deep. */
template <int SIGN>
__device__ __noinline__ void
add_term (int64_t *sum, const RcVoxelScale *scale, double x)
{
  add_64 (sum, SIGN * rc_voxel_fixed (scale, x));
}

template <int SIGN>
struct Counts : WindowAction
{
  static constexpr bool counts_alone = true;

  __device__ __forceinline__ void
  insert (const Part &part, int64_t, int64_t voxel, const float *, PointCounts *) const
  {
    add_count<SIGN> (job, part, voxel);
  }
};

/* Counts that also write the voxel of every added point to the map, or why it has none. */
struct MappedCounts : Counts<1>
{
  const Map &map;

  static constexpr bool maps = true;

  __device__ __forceinline__ void
  map_point (const Part &part, int64_t i, int64_t voxel) const
  {
    put_point (map, part, i, voxel, true);
  }
};

template <int SIGN>
struct Centroids : WindowAction
{
  __device__ __forceinline__ void
  insert (const Part &part, int64_t, int64_t voxel, const float *p, PointCounts *) const
  {
    const RcVoxelScale *scales = item_array<const RcVoxelScale> (job, part.item, job.layout.scales);
    int64_t *sums = item_array<int64_t> (job, part.item, job.layout.sums) + voxel * 3;

    add_count<SIGN> (job, part, voxel);
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      add_term<SIGN> (sums + axis, &scales[axis], (double) p[axis] - (double) grid.box.origin[axis]);
  }
};

template <class Source, int SIGN>
struct Means : WindowAction
{
  const Values &values;

  __device__ __forceinline__ void
  add_feature (const Part &part, int64_t at, int64_t c, double x, PointCounts *counts) const
  {
    const uint32_t nonfinite_flags = rc_voxel_nonfinite_flags (x);

    if constexpr (SIGN > 0)
      counts->clamped += exceeds_range (values, x);
    if (nonfinite_flags != 0)
      atomicAdd (item_array<uint32_t> (job, part.item,
          job.layout.nonfinite_counts) + 3 * at + rc_voxel_nonfinite_index (nonfinite_flags),
          (uint32_t) SIGN);
    else
      add_term<SIGN> (item_array<int64_t> (job, part.item, job.layout.sums) + at,
          item_array<const RcVoxelScale> (job, part.item, job.layout.scales) + c, clamp_feature (values, x));
  }

  __device__ __forceinline__ void
  insert (const Part &part, int64_t i, int64_t voxel, const float *, PointCounts *counts) const
  {
    const char *features = part.data + i * chunk.stride + Source::feature_offset (format);

    if constexpr (SIGN < 0)     /* first here and last when adding: otherwise it takes more registers */
      add_count<SIGN> (job, part, voxel);
#pragma unroll 1
    for (int64_t c = 0; c < values.channels; c++)
      add_feature (part, voxel * values.channels + c, c, feature_anywhere<Source> (format, chunk, features, c), counts);
    if constexpr (SIGN > 0)
      add_count<SIGN> (job, part, voxel);
  }
};
}

/* A macro takes commas only in parentheses. */
#define COUNTS(...) { \
    VOXEL_KERNEL (accumulate_points<__VA_ARGS__, 1, Counts<1>>), \
    VOXEL_KERNEL (accumulate_points<__VA_ARGS__, -1, Counts<-1>>) }
#define RANKS(...) { \
    VOXEL_KERNEL (accumulate_points<__VA_ARGS__, 1, MappedCounts, Map>), \
    VOXEL_KERNEL (accumulate_points<__VA_ARGS__, -1, Counts<-1>>) }
#define CENTROIDS(...) { \
    VOXEL_KERNEL (accumulate_points<__VA_ARGS__, 1, Centroids<1>>), \
    VOXEL_KERNEL (accumulate_points<__VA_ARGS__, -1, Centroids<-1>>) }
#define MEANS(...) { \
    VOXEL_KERNEL (accumulate_points<__VA_ARGS__, 1, Means<__VA_ARGS__, 1>, Values>), \
    VOXEL_KERNEL (accumulate_points<__VA_ARGS__, -1, Means<__VA_ARGS__, -1>, Values>) }
#define OF_DEPTH(...) { COUNTS (__VA_ARGS__), RANKS (__VA_ARGS__), CENTROIDS (__VA_ARGS__), { } }
#define OF_POINTS(...) { COUNTS (__VA_ARGS__), RANKS (__VA_ARGS__), CENTROIDS (__VA_ARGS__), MEANS (__VA_ARGS__) }

const RcCudaVoxelKernel rc_cuda_voxel_begin_incremental = VOXEL_KERNEL (begin_incremental);
const RcCudaVoxelKernel rc_cuda_voxel_put_ranges = VOXEL_KERNEL (put_ranges);
const RcCudaVoxelKernel rc_cuda_voxel_accumulate[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_ACCUMULATIONS][2] = {
  OF_POINTS (PointSource<RC_FLOAT16>),
  OF_POINTS (PointSource<RC_FLOAT32>),
  OF_POINTS (PointSource<RC_FLOAT64>),
  OF_POINTS (LayoutSource),
  OF_DEPTH (DepthSource),
  OF_DEPTH (RaySource),
};

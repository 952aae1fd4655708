/* robocache: voxel grids on the GPU whose accumulators are kept: points that are added, and taken out again
 *
 * Each voxel has a count, whatever the mode, but for max and min (voxel_layers.cu): the last point that leaves takes the bit of
 * the voxel with it. What kernels do is the same for both signs, on integers, in any order.
 *
 * Bytes that must move: each point once, of float32 12 bytes and 4 a feature, whatever lies between left out; of the
 * accumulators what is touched, as when they are not kept: a sector of counts, one of the bitmap, and those that the sums of
 * a voxel span. Of output rank 8 bytes of the map, of each point that is wanted.
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

/* A job that goes on has the accumulators of the last one, and their scales. */
__global__ void __launch_bounds__ (THREADS)
go_on (const __grid_constant__ RcCudaVoxelTask task)
{
  follow_previous ();
  for (int64_t item = (int64_t) blockIdx.x * THREADS + threadIdx.x; item < task.batch; item += (int64_t) gridDim.x * THREADS)
    head_of (task, item)->item.n_added = task.first_added;
}

/* What a job knows of features, from its arguments. */
__global__ void __launch_bounds__ (THREADS)
put_ranges (const __grid_constant__ RcCudaVoxelTask task, const __grid_constant__ RcCudaVoxelRanges ranges)
{
  follow_previous ();
  for (int64_t i = threadIdx.x; i < ranges.n; i += THREADS) {
    const int64_t at = ranges.first + i, item = at / task.channels;

    item_array<double> (task, item, task.layout.range)[at - item * task.channels] = ranges.values[i];
  }
}

/* ---- what becomes of a point that is inside ---- */

template <int SIGN>
__device__ __forceinline__ void
take_count (const RcCudaVoxelTask &task, const Part &part, int64_t voxel)
{
  uint32_t *word = item_array<uint32_t> (task, part.item, task.layout.bits) + voxel / 32;
  uint32_t *count = item_array<uint32_t> (task, part.item, task.layout.counts) + voxel;
  const uint32_t bit = 1u << (voxel % 32);

  if constexpr (SIGN > 0) {
    atomicOr (word, bit);
    atomicAdd (count, 1u);
  } else {
    /* no branch: they nest too deep */
    atomicAnd (word, atomicSub (count, 1u) == 1 ? ~bit : 0xFFFFFFFFu);
  }
}

/* Not inlined: where points are read and located, branches nest too deep. */
template <int SIGN>
__device__ __noinline__ void
take_term (int64_t *sum, const RcVoxelScale *scale, double x)
{
  add_64 (sum, SIGN * rc_voxel_fixed (scale, x));
}

template <class Source, int SIGN>
struct Counts
{
  static constexpr bool maps = false;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t voxel, const float *, PointCounts *)
  {
    take_count<SIGN> (task, part, voxel);
  }
};

/* The map says where points are that come, those that are in no voxel, too. */
template <class Source, int SIGN>
struct Ranks : Counts<Source, SIGN>
{
  static constexpr bool maps = true;
};

template <class Source, int SIGN>
struct Centroids
{
  static constexpr bool maps = false;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t voxel, const float *p, PointCounts *)
  {
    const RcVoxelScale *scales = item_array<const RcVoxelScale> (task, part.item, task.layout.scales);
    int64_t *sums = item_array<int64_t> (task, part.item, task.layout.sums) + voxel * 3;

    take_count<SIGN> (task, part, voxel);
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      take_term<SIGN> (sums + axis, &scales[axis], (double) p[axis] - (double) task.box.origin[axis]);
  }
};

template <class Source, int SIGN>
struct Means
{
  static constexpr bool maps = false;

  static __device__ __forceinline__ void
  take_feature (const RcCudaVoxelTask &task, const Part &part, int64_t at, int64_t c, double x, PointCounts *counts)
  {
    const uint32_t saw = rc_voxel_saw (x);

    if constexpr (SIGN > 0)
      counts->clamped += exceeds_range (task, x);
    if (saw != 0)
      atomicAdd (item_array<uint32_t> (task, part.item, task.layout.seen) + 3 * at + rc_voxel_seen_index (saw),
          (uint32_t) SIGN);
    else
      take_term<SIGN> (item_array<int64_t> (task, part.item, task.layout.sums) + at,
          item_array<const RcVoxelScale> (task, part.item, task.layout.scales) + c, clamp_feature (task, x));
  }

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel, const float *, PointCounts *counts)
  {
    const char *features = part.data + i * task.stride + Source::feature_offset (task);

    if constexpr (SIGN < 0)     /* last, or first: the other way round takes more registers */
      take_count<SIGN> (task, part, voxel);
#pragma unroll 1
    for (int64_t c = 0; c < task.channels; c++)
      take_feature (task, part, voxel * task.channels + c, c, feature_anywhere<Source> (task, features, c), counts);
    if constexpr (SIGN > 0)
      take_count<SIGN> (task, part, voxel);
  }
};
}

/* A macro takes commas only in parentheses. */
#define BOTH_SIGNS(Source, Action) { KERNEL (take_points<Source, Action, 1>), KERNEL (take_points<Source, Action, -1>) }
#define RANKS(Source) { KERNEL (take_points<Source, Ranks, 1>), KERNEL (take_points<Source, Counts, -1>) }
#define OF_DEPTH(Source) { BOTH_SIGNS (Source, Counts), RANKS (Source), BOTH_SIGNS (Source, Centroids), { NULL, NULL } }
#define OF_POINTS(Source) { BOTH_SIGNS (Source, Counts), RANKS (Source), BOTH_SIGNS (Source, Centroids), BOTH_SIGNS (Source, Means) }

const void *const rc_cuda_voxel_go_on = KERNEL (go_on);
const void *const rc_cuda_voxel_put_ranges = KERNEL (put_ranges);
const void *const rc_cuda_voxel_take[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_KEPT][2] = {
  OF_POINTS (PointSource<RC_FLOAT16>),
  OF_POINTS (PointSource<RC_FLOAT32>),
  OF_POINTS (PointSource<RC_FLOAT64>),
  OF_POINTS (LayoutSource),
  OF_DEPTH (DepthSource),
  OF_DEPTH (RaySource),
};

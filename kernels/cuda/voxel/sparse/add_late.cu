/* robocache: sparse outputs on the GPU of points that are added when the job ends
 *
 * Without a range, all points come once, and what is kept of them must wait for the last: then their voxels have ranks. A
 * warp has 32 points, one a lane, and then what is kept of them in the order in which it lies in memory.
 *
 * Bytes that must move: 8 of each point, its voxel, and what is kept of it, read; of each voxel 4 for its count, and 8 (mean,
 * centroid) or 4 (max, min) a value, which stay in the L2 as far as they fit there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "ranks.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

/* A value of a voxel, and what is kept of one of its points for it. */
struct Value
{
  int64_t item;
  int64_t at;                   /* of the voxel, among those of the item */
  int64_t kept;                 /* of the point, among those of all items */
  uint32_t channel;
};

__device__ __forceinline__ const RcVoxelScale *
scale_of (const RcCudaVoxelTask &task, const Value &value)
{
  return item_array<const RcVoxelScale> (task, value.item, task.layout.scales) + value.channel;
}

struct Features
{
  static constexpr bool counts = true, has_values = true;

  static __device__ __forceinline__ void
  add (const RcCudaVoxelTask &task, const Value &value)
  {
    const double x = task.kept_dtype == RC_FLOAT64 ? reinterpret_cast<const double *> (task.points.payload)[value.kept]
        : reinterpret_cast<const float *> (task.points.payload)[value.kept];
    const uint32_t saw = rc_voxel_saw (x);

    if (saw != 0)
      add_saw (saw_words_of (task, value.item), value.at, saw);
    else
      add_64 (sums_of (task, value.item) + value.at, rc_voxel_fixed (scale_of (task, value), clamp_feature (task, x)));
  }
};

struct Coordinates
{
  static constexpr bool counts = true, has_values = true;

  static __device__ __forceinline__ void
  add (const RcCudaVoxelTask &task, const Value &value)
  {
    const float p = reinterpret_cast<const float *> (task.points.payload)[value.kept];

    add_64 (sums_of (task, value.item) + value.at,
        rc_voxel_fixed (scale_of (task, value), (double) p - (double) task.box.origin[value.channel]));
  }
};

struct Extremes
{
  static constexpr bool counts = false, has_values = true;

  static __device__ __forceinline__ void
  add (const RcCudaVoxelTask &task, const Value &value)
  {
    atomicMax (extremes_of (task, value.item) + value.at,
        reinterpret_cast<const uint32_t *> (task.points.payload)[value.kept]);
  }
};

/* Nothing is kept but how many there are, or not even that. */
template <bool COUNTS>
struct Nothing
{
  static constexpr bool counts = COUNTS, has_values = false;
};

/* What is kept of 32 points from first on, of ranks that the lanes have. All of them call it. */
template <class Kept>
__device__ __forceinline__ void
add_kept (const RcCudaVoxelTask &task, int64_t item, int64_t first, int64_t rank)
{
  const uint32_t channels = (uint32_t) task.channels;
  Channel own = first_channel (task, threadIdx.x % 32);

#pragma unroll 1
  for (uint32_t done = 0; done < channels; done++, own = next_channel (task, own)) {
    const int64_t to = __shfl_sync (ALL_LANES, rank, (int) own.of);

    if (to >= 0)
      Kept::add (task, { item, to * task.channels + own.channel,
          (item * task.n_points + first + own.of) * task.channels + own.channel, own.channel });
  }
}

template <class Kept>
__global__ void __launch_bounds__ (THREADS)
add_deferred (const __grid_constant__ RcCudaVoxelTask task)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const int64_t n = head_of (task, item)->item.n_added, *voxels = task.voxels_of_points + item * task.n_points;

    for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < n;
        first += (int64_t) gridDim.x * THREADS) {
      const int64_t i = first + threadIdx.x % 32, rank = rank_point (task, item, i < n ? voxels[i] : RC_VOXEL_OUTSIDE);

      if (Kept::counts && rank >= 0)
        atomicAdd (counts_of (task, item) + rank, 1u);
      if constexpr (Kept::has_values)
        add_kept<Kept> (task, item, first, rank);
    }
  }
}
}

const void *const rc_cuda_voxel_add_deferred[RC_CUDA_VOXEL_VALUES] = {
  KERNEL (add_deferred<Nothing<true>>), KERNEL (add_deferred<Features>), KERNEL (add_deferred<Coordinates>),
  KERNEL (add_deferred<Extremes>),
};
const void *const rc_cuda_voxel_list_deferred = KERNEL (add_deferred<Nothing<false>>);

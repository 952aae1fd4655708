/* robocache: sparse outputs on the GPU of points that are added when the job ends
 *
 * Without a range phase, points come once, before their voxels have ranks. So what the output needs of each point is stored
 * until the job ends. Then a warp takes 32 points: a lane looks up one rank, and the lanes add the stored values in the
 * order of memory.
 *
 * Bytes that must move: 8 of each point, its voxel, and its stored values, read; of each voxel 4 for its count, and 8
 * (mean, centroid) or 4 (max, min) a value, which stay in the L2 as far as they fit there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/points/ranks.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;

/* A value of a voxel, and the stored value of one of its points. */
struct Value
{
  int64_t item;
  int64_t at;                   /* of the voxel's value among those of the item */
  int64_t kept;                 /* of the point's value among those of all items */
  uint32_t channel;
};

__device__ __forceinline__ const RcVoxelScale *
scale_of (const Job &job, const Value &value)
{
  return item_array<const RcVoxelScale> (job, value.item, job.layout.scales) + value.channel;
}

/* What all additions may read. */
struct Addition
{
  const Grid &grid;
  const Values &values;
  const Job &job;
  const Accumulators &accumulators;
  const Stored &stored;
};

struct Features : Addition
{
  static constexpr bool counts = true, has_values = true;

  __device__ __forceinline__ void
  add (const Value &value) const
  {
    const double x = stored.dtype == RC_FLOAT64 ? reinterpret_cast<const double *> (stored.payload)[value.kept]
        : reinterpret_cast<const float *> (stored.payload)[value.kept];
    const uint32_t nonfinite_flags = rc_voxel_nonfinite_flags (x);

    if (nonfinite_flags != 0)
      add_nonfinite_flags (nonfinite_words_of (accumulators, value.item), value.at, nonfinite_flags);
    else
      add_64 (sums_of (accumulators, value.item) + value.at, rc_voxel_fixed (scale_of (job, value), clamp_feature (values, x)));
  }
};

struct Coordinates : Addition
{
  static constexpr bool counts = true, has_values = true;

  __device__ __forceinline__ void
  add (const Value &value) const
  {
    const float p = reinterpret_cast<const float *> (stored.payload)[value.kept];

    add_64 (sums_of (accumulators, value.item) + value.at,
        rc_voxel_fixed (scale_of (job, value), (double) p - (double) grid.box.origin[value.channel]));
  }
};

struct Extremes : Addition
{
  static constexpr bool counts = false, has_values = true;

  __device__ __forceinline__ void
  add (const Value &value) const
  {
    atomicMax (extremes_of (accumulators, value.item) + value.at,
        reinterpret_cast<const uint32_t *> (stored.payload)[value.kept]);
  }
};

/* Adds no value; counts points, or not even that. */
template <bool COUNTS>
struct Nothing : Addition
{
  static constexpr bool counts = COUNTS, has_values = false;
};

/* Adds the stored values of 32 points from first on, whose ranks the lanes have. All lanes call it. */
template <class Kept>
__device__ __forceinline__ void
add_stored (const Kept &kept, const Values &values, const Job &job, int64_t item, int64_t first, int64_t rank)
{
  const uint32_t channels = (uint32_t) values.channels;
  Channel own = first_channel (values, threadIdx.x % 32);

#pragma unroll 1
  for (uint32_t done = 0; done < channels; done++, own = next_channel (values, own)) {
    const int64_t to = __shfl_sync (ALL_LANES, rank, (int) own.of);

    if (to >= 0)
      kept.add ({ item, to * values.channels + own.channel,
          (item * job.n_points + first + own.of) * values.channels + own.channel, own.channel });
  }
}

/* Adds the stored points of a job to the accumulators of their voxels, which have ranks by now. A warp takes 32 points at a
 * time: a lane looks up a rank, then the lanes add the payload in the order of memory. */
template <class Kept>
__global__ void __launch_bounds__ (THREADS)
add_deferred (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job,
    GRID_CONSTANT Accumulators accumulators, GRID_CONSTANT Ranks ranks, GRID_CONSTANT Stored stored)
{
  [[maybe_unused]] const Kept kept = { grid, values, job, accumulators, stored };

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const int64_t n = head_of (job, item)->item.n_added, *voxels = ranks.voxels_of_points + item * job.n_points;

    for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < n;
        first += (int64_t) gridDim.x * THREADS) {
      const int64_t i = first + threadIdx.x % 32, rank = rank_point (job, ranks, item, i < n ? voxels[i] : RC_VOXEL_OUTSIDE);

      if (Kept::counts && rank >= 0)
        atomicAdd (counts_of (accumulators, item) + rank, 1u);
      if constexpr (Kept::has_values)
        add_stored<Kept> (kept, values, job, item, first, rank);
    }
  }
}
}

const RcCudaVoxelKernel rc_cuda_voxel_add_deferred[RC_CUDA_VOXEL_VALUE_SOURCES] = {
  VOXEL_KERNEL (add_deferred<Nothing<true>>), VOXEL_KERNEL (add_deferred<Features>), VOXEL_KERNEL (add_deferred<Coordinates>),
  VOXEL_KERNEL (add_deferred<Extremes>),
};
const RcCudaVoxelKernel rc_cuda_voxel_list_deferred = VOXEL_KERNEL (add_deferred<Nothing<false>>);

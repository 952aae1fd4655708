/* robocache: dense means on the GPU of points that stay in place until the job ends: those for which bins have no room
 *
 * They are added to accumulators of their voxels, which the end reads (voxel_mean_slab.cu); a lane has a channel of a point.
 * Mostly there are none.
 *
 * Bytes that must move: 8 of each of them, and its features, read; 4 of its voxel, and 8 a value of that.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "voxel_parts.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr int WARPS = RC_CUDA_VOXEL_WARPS;
constexpr int OF_WARP = RC_CUDA_VOXEL_OVERFLOW_TILE / WARPS;    /* that a warp takes at a time */

/* What range found of the points, which all came with it. */
__device__ __forceinline__ void
count_points (const RcCudaVoxelTask &task, int64_t item)
{
  const uint32_t *missed = head_of (task, item)->missed;

  add_counter (&task.counters->points, (uint32_t) task.n);
  add_counter (&task.counters->inside, (uint32_t) task.n - missed[0] - missed[1] - missed[2]);
  add_counter (&task.counters->outside, missed[0]);
  add_counter (&task.counters->nan, missed[1]);
  add_counter (&task.counters->infinite, missed[2]);
}

template <class Source>
__device__ __forceinline__ void
add_points (const RcCudaVoxelTask &task, int64_t item, const RcCudaVoxelEntry *points, uint32_t n)
{
  const char *features = features_of<Source> (task, item);
  Channel own = first_channel (task, threadIdx.x % 32);

  for (uint32_t i = threadIdx.x % 32; i < n; i += 32)
    atomicAdd (counts_of (task, item) + points[i].voxel, 1u);
#pragma unroll 2
  for (uint32_t i = threadIdx.x % 32; i < n * (uint32_t) task.channels; i += 32, own = next_channel (task, own)) {
    const RcVoxelScale scale = make_scale (task, item, task.n, own.channel);    /* nobody has stored it yet */
    const RcCudaVoxelEntry entry = points[own.of];
    const int64_t at = (int64_t) entry.voxel * task.channels + own.channel;
    uint32_t words[2];

    Source::load_feature (task, features + (int64_t) entry.point * task.stride, own.channel, words);

    const double x = Source::feature_of (words);
    const uint32_t saw = rc_voxel_saw (x);

    if (saw != 0)
      add_saw (saw_words_of (task, item), at, saw);
    else
      add_64 (sums_of (task, item) + at, rc_voxel_fixed (&scale, x));
  }
}

/* And the scales, which range has found what they depend on for, are stored. */
template <class Source>
__global__ void LAUNCH_BOUNDS (THREADS, at_once (4))
add_overflow (const __grid_constant__ RcCudaVoxelTask task)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const uint32_t n = bin_counts_of (task, item)[task.mean_bins];

    for (int64_t first = ((int64_t) blockIdx.x * WARPS + threadIdx.x / 32) * OF_WARP; first < n;
        first += (int64_t) gridDim.x * WARPS * OF_WARP)
      add_points<Source> (task, item, overflow_of (task, item) + first, min (n - (uint32_t) first, (uint32_t) OF_WARP));
    if (blockIdx.x == 0)
      set_scales_of (task, item);
    if (task.counters != NULL && blockIdx.x == 0 && threadIdx.x == 0)
      count_points (task, item);
  }
}

/* ---- points that do not stay ---- */

/* Range saw one chunk, and add gets several: voxels are marked, as if range had done it, and each point is added. */
__device__ __forceinline__ void
mark_points (const RcCudaVoxelTask &task, int64_t item, const RcCudaVoxelEntry *points, uint32_t n)
{
  for (uint32_t i = threadIdx.x; i < n; i += THREADS)
    mark (task, { item, NULL, 0, 0 }, points[i].voxel);
}

__global__ void __launch_bounds__ (THREADS)
mark_binned (const __grid_constant__ RcCudaVoxelTask task)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const uint32_t *counts = bin_counts_of (task, item), over = counts[task.mean_bins];

    for (uint32_t bin = blockIdx.x; bin < task.mean_bins; bin += gridDim.x)
      mark_points (task, item, bin_of (task, item, bin), min (counts[bin], task.mean_room));
    for (int64_t first = (int64_t) blockIdx.x * THREADS; first < over; first += (int64_t) gridDim.x * THREADS)
      mark_points (task, item, overflow_of (task, item) + first, min (over - (uint32_t) first, (uint32_t) THREADS));
  }
}
}

const void *const rc_cuda_voxel_add_overflow[RC_CUDA_VOXEL_SOURCES] = {
  KERNEL (add_overflow<PointSource<RC_FLOAT16>>), KERNEL (add_overflow<PointSource<RC_FLOAT32>>),
  KERNEL (add_overflow<PointSource<RC_FLOAT64>>), KERNEL (add_overflow<LayoutSource>),
};
const void *const rc_cuda_voxel_mark_binned = KERNEL (mark_binned);

/* robocache: chunks whose points come to accumulators that are kept, or leave them, on the GPU
 *
 * An action says what becomes of a point that is inside, and whether it maps: writes of every point that comes where it is. SIGN
 * is 1 where points are added, and -1 where they are taken out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_KEPT_CUH
#define RC_CUDA_VOXEL_KEPT_CUH

#include "kernels/cuda/voxel/points/parts.cuh"

namespace rc
{
/* How many points of an item may have been added when the job ends, with those before first_added. */
__device__ __forceinline__ int64_t
most_added (const RcCudaVoxelTask &task, int64_t item)
{
  const int64_t n = stated_points (task, item) + task.first_added;

  return n < task.n_points ? n : task.n_points;
}

/* Added are no more points than the job has, and taken out no more than are held. */
template <class Source, int SIGN>
__device__ __forceinline__ Part
kept_part_of (const RcCudaVoxelTask &task, int64_t item)
{
  const RcVoxelItem *head = &head_of (task, item)->item;
  const int64_t n = task.counts != NULL ? task.counts[item] : task.n;
  const int64_t most = SIGN > 0 ? most_added (task, item) - head->n_added : head->n_held;
  Part part = { item, task.data + item * task.batch_stride, Source::is_depth ? n * task.width : n, head->n_added };

  if (n < 0 || n > task.n || part.n > most)
    part.n = 0;
  return part;
}

/* The last block of an item counts its points. */
template <int SIGN>
__device__ __forceinline__ void
finish_kept_part (const RcCudaVoxelTask &task, const Part &part)
{
  RcCudaVoxelHead *head = head_of (task, part.item);

  if (is_last_of (head)) {
    head->item.n_added += SIGN > 0 ? part.n : 0;
    head->item.n_held += SIGN * part.n;
  }
}

template <class Source, class Action, int SIGN, bool ALIGNED>
__device__ __forceinline__ void
take_part (const RcCudaVoxelTask &task, const Part &part, PointCounts *counts)
{
#pragma unroll 1
  for (int64_t i = (int64_t) blockIdx.x * RC_CUDA_VOXEL_THREADS + threadIdx.x; i < part.n;
      i += (int64_t) gridDim.x * RC_CUDA_VOXEL_THREADS) {
    float p[3];

    Source::template read<ALIGNED> (task, part.data, i, p);

    const int64_t voxel = rc_voxel_of (&task.box, p[0], p[1], p[2]);

    if constexpr (SIGN > 0)
      count_point (counts, voxel);
    if constexpr (Action::maps)
      put_point (task, part, i, voxel, true);
    if (voxel >= 0)
      Action::take (task, part, i, voxel, p, counts);
  }
}

template <class Source, template <class, int> class Action, int SIGN>
__global__ void __launch_bounds__ (RC_CUDA_VOXEL_THREADS)
take_points (const __grid_constant__ RcCudaVoxelTask task)
{
  PointCounts counts = { };

  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const Part part = kept_part_of<Source, SIGN> (task, item);

    if (Source::asks_address || task.aligned)
      take_part<Source, Action<Source, SIGN>, SIGN, true> (task, part, &counts);
    else
      take_part<Source, Action<Source, SIGN>, SIGN, false> (task, part, &counts);
    finish_kept_part<SIGN> (task, part);
  }
  if (SIGN > 0 && task.counters != NULL)
    add_counts (task, counts);
}
}

#endif

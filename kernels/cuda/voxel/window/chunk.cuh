/* robocache: chunks whose points are added to the accumulators of a window, or removed from them, on the GPU
 *
 * A WindowAction states what is done with a point that is inside, and whether it maps: writes the voxel of every added
 * point. SIGN is 1 to add points, and -1 to remove them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cuda/voxel/points/parts.cuh"

namespace rc
{
/* Maximum number of points of an item that are added when the job ends, including those before first_added. */
__device__ __forceinline__ int64_t
max_added (const Job &job, const Window &window, int64_t item)
{
  const int64_t n = stated_points (job, item) + window.first_added;

  return n < job.n_points ? n : job.n_points;
}

/* The part of an item in a chunk. It is empty if it would add more points than the job has, or remove more than are held. */
template <class Source, int SIGN>
__device__ __forceinline__ Part
window_part_of (const Format &format, const Job &job, const Chunk &chunk, const Window &window, int64_t item)
{
  const RcVoxelItem *head = &head_of (job, item)->item;
  const int64_t n = chunk.counts != NULL ? chunk.counts[item] : chunk.n;
  const int64_t most = SIGN > 0 ? max_added (job, window, item) - head->n_added : head->n_held;
  Part part = { item, chunk.data + item * chunk.batch_stride, Source::is_depth ? n * format.width : n, head->n_added };

  if (n < 0 || n > chunk.n || part.n > most)
    part.n = 0;
  return part;
}

/* Counts the points of an item, in its last block. */
template <int SIGN>
__device__ __forceinline__ void
finish_window_part (const Job &job, const Part &part)
{
  RcCudaVoxelHead *head = head_of (job, part.item);

  if (is_last_of (head)) {
    head->item.n_added += SIGN > 0 ? part.n : 0;
    head->item.n_held += SIGN * part.n;
  }
}

/* What all actions may read. Each adds the parts that it alone reads. */
struct WindowAction
{
  const Grid &grid;
  const Format &format;
  const Job &job;
  const Chunk &chunk;
  const Window &window;

  static constexpr bool maps = false;
  static constexpr bool counts_alone = false;
};

/* Locates the points of an item's part one by one, and inserts those that are inside. */
template <class Source, int SIGN, bool ALIGNED, class Action>
__device__ __forceinline__ void
accumulate_part (const Action &action, const Grid &grid, const Format &format, const Chunk &chunk, const Part &part,
    PointCounts *counts)
{
#pragma unroll 1
  for (int64_t i = (int64_t) blockIdx.x * RC_CUDA_VOXEL_THREADS + threadIdx.x; i < part.n;
      i += (int64_t) gridDim.x * RC_CUDA_VOXEL_THREADS) {
    float p[3];

    Source::template read<ALIGNED> (format, chunk, part.data, i, p);

    const int64_t voxel = rc_voxel_of (&grid.box, p[0], p[1], p[2]);

    if constexpr (SIGN > 0)
      count_point (counts, voxel);
    if constexpr (Action::maps)
      action.map_point (part, i, voxel);
    if (voxel >= 0)
      action.insert (part, i, voxel, p, counts);
  }
}

/* Blocks per multiprocessor; 0: as many as fit. Pixels that only leave counts wait for nothing but atomics, so more blocks
 * hide that. */
template <class Source, int SIGN, class Action>
__host__ __device__ constexpr int
window_blocks ()
{
  /* eight blocks are 2,048 threads: multiprocessors of other generations have fewer threads, or too few registers */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ / 100 == 9
  constexpr bool has_threads = true;
#else
  constexpr bool has_threads = false;
#endif

  return has_threads && Source::is_depth && SIGN < 0 && Action::counts_alone ? 8 : 0;
}

/* Adds (SIGN 1) or removes (-1) each point of a chunk. A grid-stride loop, a point a thread. */
template <class Source, int SIGN, class Action, class... Parts>
__global__ void __launch_bounds__ (RC_CUDA_VOXEL_THREADS, window_blocks<Source, SIGN, Action> ())
accumulate_points (GRID_CONSTANT Grid grid, GRID_CONSTANT Format format, GRID_CONSTANT Job job, GRID_CONSTANT Chunk chunk,
    GRID_CONSTANT Window window, GRID_CONSTANT Parts... parts)
{
  const Action action = { grid, format, job, chunk, window, parts... };
  PointCounts counts = { };

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const Part part = window_part_of<Source, SIGN> (format, job, chunk, window, item);

    if (Source::asks_address || chunk.is_aligned)
      accumulate_part<Source, SIGN, true> (action, grid, format, chunk, part, &counts);
    else
      accumulate_part<Source, SIGN, false> (action, grid, format, chunk, part, &counts);
    finish_window_part<SIGN> (job, part);
  }
  if (SIGN > 0 && chunk.counters != NULL)
    add_counts (chunk, counts);
}
}

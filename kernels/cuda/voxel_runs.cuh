/* robocache: sorted keys on the GPU: a voxel is a run of equal ones, and its rank is the number of runs before it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_RUNS_CUH
#define RC_CUDA_VOXEL_RUNS_CUH

#include <cub/block/block_scan.cuh>

#include "voxel_rows.cuh"

namespace rc
{
constexpr int TILE = RC_CUDA_VOXEL_RANK_TILE;
static_assert (TILE == THREADS, "a thread has one key");

using Scan = cub::BlockScan<uint32_t, THREADS>;

/* The sorted keys of the group. */
struct Keys
{
  const uint64_t *keys;
  uint32_t n;

  __device__ __forceinline__ explicit
  Keys (const RcCudaVoxelTask &task)
  {
    keys = task.points.keys[task.sorted] + task.first_item * task.n_points;
    n = (uint32_t) task.group_items * task.group_points;
  }

  __device__ __forceinline__ uint64_t
  at (uint64_t i) const
  {
    return i < n ? keys[i] : RC_CUDA_VOXEL_NO_KEY;
  }

  /* Whether a voxel begins at i. */
  __device__ __forceinline__ bool
  begins (uint64_t i) const
  {
    const uint64_t key = at (i);

    return key != RC_CUDA_VOXEL_NO_KEY && (i == 0 || key != keys[i - 1]);
  }
};

/* How many voxels of the group begin up to this thread's key, whose voxel may begin with it. All threads call it, in a
 * block for each tile of keys. */
__device__ __forceinline__ uint32_t
voxels_so_far (const RcCudaVoxelTask &task, bool begins)
{
  __shared__ typename Scan::TempStorage storage;
  uint32_t so_far;

  Scan (storage).InclusiveSum ((uint32_t) begins, so_far);
  return so_far + task.rank_counts[blockIdx.x];
}

/* The item of a key. */
__device__ __forceinline__ int64_t
item_of (const RcCudaVoxelTask &task, uint64_t key)
{
  return task.first_item + (int64_t) (task.group_items == 1 ? 0 : divide_64 (key, task.key_voxels));
}

/* ---- the voxels of an item ---- */

/* How many points voxel m of those in the output has. */
__device__ __forceinline__ uint32_t
points_of (const RcCudaVoxelTask &task, const Voxels &voxels, int64_t m)
{
  const uint32_t *start = task.starts + voxels.first_rank + m;

  return start[1] - start[0];
}
}

#endif

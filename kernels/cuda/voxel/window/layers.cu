/* robocache: voxel grids on the GPU whose accumulators are kept, of max and min: a layer for each cloud
 *
 * Points raise the greatest of a voxel, and that of their cloud there. When the cloud leaves, one of its points in a voxel,
 * whichever comes first, takes what the cloud had there, and no other one finds it; where that was the greatest of all, it
 * looks up the greatest of those that are left. Nobody else changes it meanwhile, since one layer leaves at a time.
 *
 * Bytes that must move: of points that come, 12 bytes in float32 and 4 a feature, of those that leave 12; of a voxel that is
 * touched a sector of its keys, of its cloud's and of the bitmap, and where the greatest leaves, those of all layers, which
 * lie together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "chunk.cuh"

using namespace rc;

namespace
{
__device__ __forceinline__ uint32_t *
keys_of (const RcCudaVoxelTask &task, int64_t item, int64_t voxel)
{
  return item_array<uint32_t> (task, item, task.layout.keys) + voxel * task.channels;
}

/* Of all clouds. */
__device__ __forceinline__ uint32_t *
layers_of (const RcCudaVoxelTask &task, int64_t item, int64_t voxel)
{
  return item_array<uint32_t> (task, item, task.layout.layers) + voxel * task.layers * task.channels;
}

__device__ __forceinline__ void
unmark (const RcCudaVoxelTask &task, int64_t item, int64_t voxel)
{
  atomicAnd (item_array<uint32_t> (task, item, task.layout.bits) + voxel / 32, ~(1u << (voxel % 32)));
}

/* Where another cloud has the greatest no layer is looked at, by a loop that has no turn: branches nest too deep. */
__device__ __forceinline__ void
leave_voxel (const RcCudaVoxelTask &task, int64_t item, int64_t voxel)
{
  uint32_t *keys = keys_of (task, item, voxel), *layers = layers_of (task, item, voxel);

#pragma unroll 1
  for (int64_t c = 0; c < task.channels; c++) {
    const uint32_t was = atomicExch (layers + task.layer * task.channels + c, 0u);
    const int64_t n = was != 0 && keys[c] == was ? task.layers : 0;
    uint32_t greatest = 0;

#pragma unroll 8
    for (int64_t i = 0; i < n; i++)
      greatest = max (greatest, layers[i * task.channels + c]);
    if (n > 0)
      keys[c] = greatest;
    if (n > 0 && c == 0 && greatest == 0)       /* all features of a voxel are there, or none */
      unmark (task, item, voxel);
  }
}

/* Not inlined: where points are read and located, branches nest too deep. */
__device__ __noinline__ uint32_t
key_of (const RcCudaVoxelTask &task, double x)
{
  return extreme_key (task, x);
}

template <class Source, int SIGN>
struct Layered
{
  static constexpr bool maps = false;

  static __device__ __forceinline__ void
  raise (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel)
  {
    const char *features = part.data + i * task.stride + Source::feature_offset (task);
    uint32_t *keys = keys_of (task, part.item, voxel);
    uint32_t *own = layers_of (task, part.item, voxel) + task.layer * task.channels;

    mark (task, part, voxel);
#pragma unroll 1
    for (int64_t c = 0; c < task.channels; c++) {
      const uint32_t key = key_of (task, feature_anywhere<Source> (task, features, c));

      atomicMax (keys + c, key);
      atomicMax (own + c, key);
    }
  }

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel, const float *, PointCounts *)
  {
    if constexpr (SIGN > 0)
      raise (task, part, i, voxel);
    else
      leave_voxel (task, part.item, voxel);
  }
};
}

#define BOTH_SIGNS(...) { KERNEL (take_points<__VA_ARGS__, Layered, 1>), KERNEL (take_points<__VA_ARGS__, Layered, -1>) }

const void *const rc_cuda_voxel_take_layered[RC_CUDA_VOXEL_DEPTH][2] = {
  BOTH_SIGNS (PointSource<RC_FLOAT16>),
  BOTH_SIGNS (PointSource<RC_FLOAT32>),
  BOTH_SIGNS (PointSource<RC_FLOAT64>),
  BOTH_SIGNS (LayoutSource),
};

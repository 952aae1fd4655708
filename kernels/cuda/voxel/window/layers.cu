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
keys_of (const Values &values, const Job &job, int64_t item, int64_t voxel)
{
  return item_array<uint32_t> (job, item, job.layout.keys) + voxel * values.channels;
}

/* Of all clouds. */
__device__ __forceinline__ uint32_t *
layers_of (const Values &values, const Job &job, const Window &window, int64_t item, int64_t voxel)
{
  return item_array<uint32_t> (job, item, job.layout.layers) + voxel * window.layers * values.channels;
}

__device__ __forceinline__ void
unmark (const Job &job, int64_t item, int64_t voxel)
{
  atomicAnd (item_array<uint32_t> (job, item, job.layout.bits) + voxel / 32, ~(1u << (voxel % 32)));
}

/* Where another cloud has the greatest no layer is looked at, by a loop that has no turn: branches nest too deep. */
__device__ __forceinline__ void
leave_voxel (const Values &values, const Job &job, const Chunk &chunk, const Window &window, int64_t item, int64_t voxel)
{
  uint32_t *keys = keys_of (values, job, item, voxel), *layers = layers_of (values, job, window, item, voxel);

#pragma unroll 1
  for (int64_t c = 0; c < values.channels; c++) {
    const uint32_t was = atomicExch (layers + chunk.layer * values.channels + c, 0u);
    const int64_t n = was != 0 && keys[c] == was ? window.layers : 0;
    uint32_t greatest = 0;

#pragma unroll 8
    for (int64_t i = 0; i < n; i++)
      greatest = max (greatest, layers[i * values.channels + c]);
    if (n > 0)
      keys[c] = greatest;
    if (n > 0 && c == 0 && greatest == 0)       /* all features of a voxel are there, or none */
      unmark (job, item, voxel);
  }
}

/* Not inlined: where points are read and located, branches nest too deep. */
__device__ __noinline__ uint32_t
key_of (const Values &values, double x)
{
  return extreme_key (values, x);
}

template <class Source, int SIGN>
struct Layered : WindowAction
{
  const Values &values;

  __device__ __forceinline__ void
  raise (const Part &part, int64_t i, int64_t voxel) const
  {
    const char *features = part.data + i * chunk.stride + Source::feature_offset (format);
    uint32_t *keys = keys_of (values, job, part.item, voxel);
    uint32_t *own = layers_of (values, job, window, part.item, voxel) + chunk.layer * values.channels;

    mark (job, part, voxel);
#pragma unroll 1
    for (int64_t c = 0; c < values.channels; c++) {
      const uint32_t key = key_of (values, feature_anywhere<Source> (format, chunk, features, c));

      atomicMax (keys + c, key);
      atomicMax (own + c, key);
    }
  }

  __device__ __forceinline__ void
  insert (const Part &part, int64_t i, int64_t voxel, const float *, PointCounts *) const
  {
    if constexpr (SIGN > 0)
      raise (part, i, voxel);
    else
      leave_voxel (values, job, chunk, window, part.item, voxel);
  }
};
}

#define BOTH_SIGNS(...) { \
    VOXEL_KERNEL (accumulate_points<__VA_ARGS__, 1, Layered<__VA_ARGS__, 1>, Values>), \
    VOXEL_KERNEL (accumulate_points<__VA_ARGS__, -1, Layered<__VA_ARGS__, -1>, Values>) }

const RcCudaVoxelKernel rc_cuda_voxel_accumulate_layers[RC_CUDA_VOXEL_DEPTH][2] = {
  BOTH_SIGNS (PointSource<RC_FLOAT16>),
  BOTH_SIGNS (PointSource<RC_FLOAT32>),
  BOTH_SIGNS (PointSource<RC_FLOAT64>),
  BOTH_SIGNS (LayoutSource),
};

/* robocache: sliding windows of max and min on the GPU: a layer for each cloud
 *
 * Adding a point raises the greatest key of its voxel, and that of its cloud there. Removing a cloud: the first of its
 * points in a voxel, in any order, takes the cloud's key there, and the others find none. If that key was the greatest of
 * the voxel, the greatest of the remaining layers replaces it. No other thread changes it meanwhile, since layers are
 * removed one at a time.
 *
 *   clouds a, b, c in a voxel   keys  3 7 5   greatest 7
 *   remove b                    keys  3 - 5   greatest 5
 *   remove a                    keys  - - 5   greatest 5, without a look at the layers
 *
 * Bytes that must move: of added points 12 bytes in float32 and 4 a feature, of removed ones 12; of a voxel that is touched
 * a sector of its keys, of its cloud's and of the bitmap, and where the greatest is removed those of all layers, which are
 * adjacent.
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

/* The keys of all clouds in a voxel. */
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

/* Removes the keys of a cloud from a voxel. If another cloud has the greatest key, the loop over layers has no turn, which
 * nests less deep than a branch. */
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
    if (n > 0 && c == 0 && greatest == 0)       /* a voxel has keys of all features, or of none */
      unmark (job, item, voxel);
  }
}

/* The key of a value. Not inlined: where points are read and located, branches nest too deep. */
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

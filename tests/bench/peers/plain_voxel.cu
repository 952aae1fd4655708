/* robocache: voxel grids as one writes them at first, for others to be compared with
 *
 * A thread for each point finds its voxel and stores, or adds by atomics, into a grid that was cleared before. Sums of means
 * are floats, in whatever order they come.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/peers/plain_voxel.h"

#define THREADS 256

typedef struct
{
  const float *points;          /* [batch, n_item, fields] */
  int64_t n, n_item, fields, features;  /* n: of all items */
  float origin[3], size[3];
  int64_t grid[3];
} Cloud;

static __device__ int64_t
this_thread (void)
{
  return blockIdx.x * (int64_t) THREADS + threadIdx.x;
}

/* The linear index over all items; -1: beyond the grid. */
static __device__ int64_t
locate (const Cloud & cloud, int64_t i)
{
  int64_t voxel = i / cloud.n_item;

  for (int axis = 2; axis >= 0; axis--) {
    const float d = (cloud.points[i * cloud.fields + axis] - cloud.origin[axis]) / cloud.size[axis];

    if (!(d >= 0 && d < (float) cloud.grid[axis]))
      return -1;
    voxel = voxel * cloud.grid[axis] + (int64_t) d;
  }
  return voxel;
}

template <typename T>
__global__ void
store_ones (Cloud cloud, T *grid)
{
  const int64_t i = this_thread (), voxel = i < cloud.n ? locate (cloud, i) : -1;

  if (voxel >= 0)
    grid[voxel] = 1;
}

__global__ void
set_bits (Cloud cloud, uint32_t *words)
{
  const int64_t i = this_thread (), voxel = i < cloud.n ? locate (cloud, i) : -1;

  if (voxel >= 0)
    atomicOr (&words[voxel / 32], 1u << voxel % 32);
}

__global__ void
count (Cloud cloud, float *grid)
{
  const int64_t i = this_thread (), voxel = i < cloud.n ? locate (cloud, i) : -1;

  if (voxel >= 0)
    atomicAdd (&grid[voxel], 1.0f);
}

__global__ void
add_features (Cloud cloud, float *sums, float *counts)
{
  const int64_t i = this_thread (), voxel = i < cloud.n ? locate (cloud, i) : -1;

  if (voxel < 0)
    return;
  atomicAdd (&counts[voxel], 1.0f);
  for (int64_t c = 0; c < cloud.features; c++)
    atomicAdd (&sums[voxel * cloud.features + c], cloud.points[(i + 1) * cloud.fields - cloud.features + c]);
}

__global__ void
divide (float *sums, const float *counts, int64_t n, int64_t features)
{
  const int64_t i = this_thread ();

  if (i < n)
    sums[i] /= fmaxf (counts[i / features], 1.0f);
}

__global__ void
store_index (Cloud cloud, int64_t *map)
{
  const int64_t i = this_thread ();

  if (i < cloud.n)
    map[i] = locate (cloud, i);
}

static unsigned
blocks (int64_t n)
{
  return (unsigned) ((n + THREADS - 1) / THREADS);
}

static Cloud
make_cloud (const RcVoxelSpec *spec, const RcVoxelChunk *chunk)
{
  Cloud cloud = { (const float *) chunk->data, spec->batch * chunk->n, chunk->n, spec->points.fields, spec->points.features };

  for (int axis = 0; axis < 3; axis++) {
    cloud.origin[axis] = (float) spec->origin[axis];
    cloud.size[axis] = (float) spec->voxel_size[axis];
    cloud.grid[axis] = spec->grid[axis];
  }
  return cloud;
}

static int64_t
voxels_of (const RcVoxelSpec *spec)
{
  return spec->batch * spec->grid[0] * spec->grid[1] * spec->grid[2];
}

static void
occupancy (const RcVoxelSpec *spec, const Cloud & cloud, void *grid, cudaStream_t on)
{
  cudaMemsetAsync (grid, 0, (size_t) voxels_of (spec) * rc_dtype_size (spec->dtype), on);
  if (spec->dtype == RC_UINT8)
    store_ones<<<blocks (cloud.n), THREADS, 0, on>>> (cloud, (uint8_t *) grid);
  else
    store_ones<<<blocks (cloud.n), THREADS, 0, on>>> (cloud, (float *) grid);
}

static void
bits (const RcVoxelSpec *spec, const Cloud & cloud, void *words, cudaStream_t on)
{
  cudaMemsetAsync (words, 0, (size_t) voxels_of (spec) / 8, on);
  set_bits<<<blocks (cloud.n), THREADS, 0, on>>> (cloud, (uint32_t *) words);
}

static void
counts_of (const RcVoxelSpec *spec, const Cloud & cloud, void *grid, cudaStream_t on)
{
  cudaMemsetAsync (grid, 0, (size_t) voxels_of (spec) * sizeof (float), on);
  count<<<blocks (cloud.n), THREADS, 0, on>>> (cloud, (float *) grid);
}

static void
means (const RcVoxelSpec *spec, const Cloud & cloud, float *sums, float *counts, cudaStream_t on)
{
  const int64_t n = voxels_of (spec) * cloud.features;

  cudaMemsetAsync (sums, 0, (size_t) n * sizeof (float), on);
  cudaMemsetAsync (counts, 0, (size_t) voxels_of (spec) * sizeof (float), on);
  add_features<<<blocks (cloud.n), THREADS, 0, on>>> (cloud, sums, counts);
  divide<<<blocks (n), THREADS, 0, on>>> (sums, counts, n, cloud.features);
}

int
bench_plain_has_voxels (const RcVoxelSpec *spec)
{
  if (spec->output == RC_VOXEL_BITS)
    return spec->grid[0] % 32 == 0;     /* no row ends within a word */
  if (spec->output == RC_VOXEL_INDEX)
    return 1;
  if (spec->output != RC_VOXEL_DENSE)
    return 0;
  if (spec->mode == RC_VOXEL_OCCUPANCY && spec->dtype == RC_UINT8)
    return 1;
  return spec->dtype == RC_FLOAT32 && (spec->mode == RC_VOXEL_OCCUPANCY || spec->mode == RC_VOXEL_COUNT
      || spec->mode == RC_VOXEL_MEAN);
}

void
bench_plain_voxels (const RcVoxelSpec *spec, const RcVoxelChunk *chunk, void *out, float *counts, cudaStream_t on)
{
  const Cloud cloud = make_cloud (spec, chunk);

  if (spec->output == RC_VOXEL_BITS)
    bits (spec, cloud, out, on);
  else if (spec->output == RC_VOXEL_INDEX)
    store_index<<<blocks (cloud.n), THREADS, 0, on>>> (cloud, (int64_t *) out);
  else if (spec->mode == RC_VOXEL_OCCUPANCY)
    occupancy (spec, cloud, out, on);
  else if (spec->mode == RC_VOXEL_COUNT)
    counts_of (spec, cloud, out, on);
  else
    means (spec, cloud, (float *) out, counts, on);
}

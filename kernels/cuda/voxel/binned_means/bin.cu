/* robocache: binned means on the GPU: the range of features, and the voxel of each point in a bin
 *
 * If one chunk has all points, the end can read their features where they are, and only needs to know which points are in
 * which voxels. So beside the greatest magnitudes this kernel finds the voxel of each point, and stores both in the bin of
 * the voxel's slab (write.cu). A block counts the points of its tile for each bin, reserves entries for them there, and
 * stores them; their order in a bin is arbitrary. Points beyond the capacity of their bin go to the overflow: they are few
 * unless points crowd.
 *
 * If points are aligned to 16 bytes and not too large, a tile is copied to shared memory as it is, and read there.
 *
 * Bytes that must move: each point read once, 12 bytes in float32 and 4 a feature; 8 bytes a point written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "greatest.cuh"
#include "kernels/cuda/voxel/points/locate.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_MEAN_BIN_THREADS;
constexpr int TILE = RC_CUDA_VOXEL_MEAN_TILE;
constexpr int N = TILE / THREADS;
constexpr int BINS = RC_CUDA_VOXEL_MEAN_BINS;
constexpr int64_t LINE = 128;   /* bytes of a line of the L2 */
constexpr uint32_t FEW_BLOCKS = 512;    /* blocks that all begin while the previous kernel runs; with more, prefetching gains nothing */

static_assert (BINS % THREADS == 0 && TILE <= 1 << 16, "as many bins of each thread, and half a word for what they count");

struct Shared
{
  uint32_t bins[BINS];          /* points of the tile in each bin; then where these begin in the bin */
  uint32_t missed[3];           /* outside, NaN and infinite points */
  uint32_t n_overflow, first_overflow;
};

/* ---- the range of features ---- */

/* Which points of a warp are inside. The warp's points u are 32 points that follow each other; lane u gets a bit for each
 * of them. All lanes call it.
 *
 *   voxels[0] of lanes 0 … 3   5  none  7  9      lane 0 gets 0b1101
 *   voxels[1] of lanes 0 … 3   none  5  5  none   lane 1 gets 0b0110
 */
__device__ __forceinline__ uint32_t
inside_of (const uint32_t (&voxels)[N])
{
  uint32_t own = 0;

#pragma unroll
  for (int u = 0; u < N; u++) {
    const uint32_t inside = __ballot_sync (ALL_LANES, voxels[u] != RC_CUDA_VOXEL_NO_BIT);

    own = threadIdx.x % 32 == u ? inside : own;
  }
  return own;
}

/* Finds the greatest magnitudes of a tile. `inside` is what inside_of returned. */
template <class Source>
__device__ __forceinline__ void
find_greatest (const Format &format, const Values &values, const Chunk &chunk, const Part &part, const Tile &tile,
    uint32_t inside)
{
  Reader<Source> reader (values, chunk);

#pragma unroll 1
  for (int u = 0; u < N; u++) {
    const uint32_t first = u * THREADS + threadIdx.x / 32 * 32, n = first < tile.n ? min (tile.n - first, 32u) : 0;
    const char *points = part.data + (tile.first + first) * chunk.stride;

    reader.begin (format, values, chunk, points, n);
    reader.finish (format, values, chunk, points, n, __shfl_sync (ALL_LANES, inside, u));
  }
  reader.raise_greatest (values);
}

/* ---- bins ---- */

__device__ __forceinline__ uint32_t
bin_of_voxel (const Bins &bins, uint32_t voxel)
{
  return slab_of_piece (bins, voxel / 32) & (bins.bins - 1);
}

/* The rank of each point among the tile's points of its bin, two per register. */
struct Places
{
  uint32_t pairs[N / 2];
};

__device__ __forceinline__ uint32_t
place_of (const Places &places, int u)
{
  return places.pairs[u / 2] >> 16 * (u % 2) & 0xFFFF;
}

/* First step: counts the points of each bin, and returns the rank that each point got. */
__device__ __forceinline__ Places
count_bins (const Bins &bins, const uint32_t (&voxels)[N], Shared *shared)
{
  Places places = { };

#pragma unroll
  for (int u = 0; u < N; u++) {
    if (voxels[u] != RC_CUDA_VOXEL_NO_BIT)
      places.pairs[u / 2] |= atomicAdd (&shared->bins[bin_of_voxel (bins, voxels[u])], 1u) << 16 * (u % 2);
  }
  return places;
}

/* Second step: reserves entries for the tile's points of each bin, by one atomic per bin. The start of the entries replaces
 * the count.
 *
 *   shared->bins   points of the tile       3    0    2
 *   bins.counts    before                   100  7    41
 *                  after                    103  7    43
 *   shared->bins   start of the entries     100  0    41
 */
__device__ __forceinline__ void
reserve_entries (const Bins &bins, int64_t item, Shared *shared)
{
  uint32_t begins[BINS / THREADS] = { };

#pragma unroll
  for (int i = 0; i < BINS / THREADS; i++) {
    const uint32_t bin = i * THREADS + threadIdx.x, n = shared->bins[bin];

    if (n > 0)
      begins[i] = atomicAdd (bin_counts_of (bins, item) + bin, n);
  }
#pragma unroll
  for (int i = 0; i < BINS / THREADS; i++)
    shared->bins[i * THREADS + threadIdx.x] = begins[i];
}

/* Stores an entry in one access. */
__device__ __forceinline__ void
store_entry (RcCudaVoxelEntry *to, uint32_t point, uint32_t voxel)
{
  *reinterpret_cast<uint2 *> (to) = make_uint2 (point, voxel);
}

/* Stores the thread's points that are set in `which` behind the overflow so far. All threads of the block call it. */
__device__ __forceinline__ void
store_overflow (const Job &job, const Bins &bins, const Part &part, const Tile &tile, const uint32_t (&voxels)[N],
    uint32_t which,
    Shared *shared)
{
  uint32_t at = which != 0 ? atomicAdd (&shared->n_overflow, (uint32_t) __popc (which)) : 0;

  __syncthreads ();
  if (threadIdx.x == 0)
    shared->first_overflow = atomicAdd (bin_counts_of (bins, part.item) + bins.bins + RC_CUDA_VOXEL_OVERFLOW_POINTS,
        shared->n_overflow);
  __syncthreads ();
  at += shared->first_overflow;
#pragma unroll
  for (int u = 0; u < N; u++) {
    if (which >> u & 1)
      store_entry (overflow_of (job, bins, part.item) + at++, (uint32_t) tile.first + point_of<THREADS, false> (u), voxels[u]);
  }
}

/* Third step: stores each point at the start of its bin's entries plus its rank. All threads of the block call it. */
__device__ __forceinline__ void
store_entries (const Job &job, const Bins &bins, const Part &part, const Tile &tile, const uint32_t (&voxels)[N],
    const Places &places, Shared *shared)
{
  uint32_t at[N], left = 0;

#pragma unroll
  for (int u = 0; u < N; u++)   /* all of them are read before the first is used */
    at[u] = voxels[u] != RC_CUDA_VOXEL_NO_BIT ? shared->bins[bin_of_voxel (bins, voxels[u])] + place_of (places, u) : 0;
#pragma unroll
  for (int u = 0; u < N; u++) {
    if (voxels[u] != RC_CUDA_VOXEL_NO_BIT && at[u] < bins.capacity)
      store_entry (bin_of (bins, part.item, bin_of_voxel (bins, voxels[u])) + at[u],
          (uint32_t) tile.first + point_of<THREADS, false> (u), voxels[u]);
    else
      left |= voxels[u] != RC_CUDA_VOXEL_NO_BIT ? 1u << u : 0;
  }
  if (__syncthreads_or (left != 0))
    store_overflow (job, bins, part, tile, voxels, left, shared);
}

/* ---- tiles ---- */

/* Clears shared memory. All threads of a block call it, then a barrier. */
__device__ __forceinline__ void
clear_tile (const Values &values, Shared *shared)
{
  clear_greatest<THREADS> (values);
#pragma unroll
  for (uint32_t first = 0; first < BINS; first += THREADS)
    shared->bins[first + threadIdx.x] = 0;
  if (threadIdx.x < 3)
    shared->missed[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    shared->n_overflow = 0;
}

/* Adds what a thread has missed to the counts of the tile; mostly nothing. */
__device__ __forceinline__ void
gather_missed (const PointCounts &counts, Shared *shared)
{
  const uint32_t own[3] = { counts.outside, counts.nan, counts.infinite };

#pragma unroll
  for (int i = 0; i < 3; i++) {
    if (own[i] > 0)
      atomicAdd (&shared->missed[i], own[i]);
  }
}

/* Stores the maxima and misses of a tile. The item has all its points. */
__device__ __forceinline__ void
finish_tile (const Values &values, const Job &job, const Part &part, const Shared &shared)
{
  RcCudaVoxelHead *head = head_of (job, part.item);

  store_greatest<THREADS> (values, job, part.item);
  if (threadIdx.x < 3 && shared.missed[threadIdx.x] > 0)
    atomicAdd (&head->missed[threadIdx.x], shared.missed[threadIdx.x]);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    head->n_ranged = part.n;
}

/* Prefetches a tile while the previous kernel runs. The end reads the features again while it writes the grid, so they stay
 * in the L2. */
__device__ __forceinline__ void
prefetch_tile (const Chunk &chunk, const Part &part, const Tile &tile)
{
  const char *data = part.data + tile.first * chunk.stride;
  const int64_t bytes = (int64_t) tile.n * chunk.stride;

  if (gridDim.x * gridDim.y > FEW_BLOCKS || chunk.stride > LINE)
    return;
  for (int64_t at = threadIdx.x * LINE; at < bytes; at += THREADS * LINE)
    prefetch_evict_last (data + at);
}

/* ---- copies ----
 *
 * Points are read twice, coordinates and then features, in words that lie far apart. If they fit shared memory, they are read there. */

/* [TILE] copied points of a tile, behind the maxima of the block. */
__device__ __forceinline__ char *
copied_tile (const Values &values)
{
  return reinterpret_cast<char *> (greatest) + RC_CUDA_VOXEL_MEAN_GREATEST_BYTES (values.channels);
}

/* Begins to copy n points to shared memory. All threads of the block call it, then finish_copies and a barrier.
 *
 *   copy_tile (chunk, bins, part.data, copied_tile (values), tile.n);
 *   finish_copies ();
 *   __syncthreads ();
 */
__device__ __forceinline__ void
copy_tile (const Chunk &chunk, const Bins &bins, const char *from, char *to, uint32_t n)
{
  const uint32_t bytes = (n - 1) * (uint32_t) chunk.stride + bins.copied_bytes, whole = bytes / 16 * 16;

  for (uint32_t at = threadIdx.x * 16; at < whole; at += THREADS * 16)
    begin_copy (to + at, from + at);
  if (threadIdx.x < bytes - whole)
    to[whole + threadIdx.x] = from[whole + threadIdx.x];
}

/* Finds the range of each feature, and puts the voxel of each point into the bin of its slab. A block per tile of points of an
 * item: one atomic per bin and tile reserves the entries of all of its points. */
template <class Source>
__global__ void __launch_bounds__ (THREADS, at_once (2))
bin_in_place (GRID_CONSTANT Grid grid, GRID_CONSTANT Format format, GRID_CONSTANT Values values, GRID_CONSTANT Job job,
    GRID_CONSTANT Chunk chunk, GRID_CONSTANT Bins bins)
{
  __shared__ Shared shared;
  Part part = { blockIdx.y, chunk.data + blockIdx.y * chunk.batch_stride, chunk.n, 0 };
  const uint32_t first = blockIdx.x * TILE;
  const Tile tile = { first, min ((uint32_t) chunk.n - first, (uint32_t) TILE) };
  PointCounts counts = { };
  const Tile read = { 0, tile.n };      /* the same points, relative to part.data below */
  float p[N][3];
  uint32_t voxels[N];

#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  read_late (job, bins);        /* without it these architectures spill registers, with it older ones do */
#endif
  allow_next ();
  prefetch_tile (chunk, part, tile);
  wait_for_previous ();
  part.data += tile.first * chunk.stride;
  if (bins.copied_bytes > 0 && tile.n > 0) {
    copy_tile (chunk, bins, part.data, copied_tile (values), tile.n);
    part.data = copied_tile (values);
  }
  clear_tile (values, &shared);
  finish_copies ();
  __syncthreads ();
  read_each<Source, true, THREADS> (format, chunk, part, read, p);
  find_bits<Source, THREADS, false> (grid, format, chunk, part, read, p, voxels, &counts);
  gather_missed (counts, &shared);

  const uint32_t inside = inside_of (voxels);
  const Places places = count_bins (bins, voxels, &shared);

  __syncthreads ();

  reserve_entries (bins, part.item, &shared);
  find_greatest<Source> (format, values, chunk, part, read, inside);
  __syncthreads ();
  store_entries (job, bins, part, tile, voxels, places, &shared);
  finish_tile (values, job, part, shared);
}
}

const RcCudaVoxelKernel rc_cuda_voxel_bin_in_place[RC_CUDA_VOXEL_SOURCES] = {
  VOXEL_KERNEL (bin_in_place<PointSource<RC_FLOAT16>>), VOXEL_KERNEL (bin_in_place<PointSource<RC_FLOAT32>>),
  VOXEL_KERNEL (bin_in_place<PointSource<RC_FLOAT64>>), VOXEL_KERNEL (bin_in_place<LayoutSource>),
};

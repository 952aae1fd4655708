/* robocache: occupancy and counts on the GPU: from points to their bits, sorted by the slab of the grid
 *
 * Setting a random bit costs the L2 as much as a whole sector. So add only stores the bit of each point, and the end sets
 * or counts bits in shared memory, one slab of the grid per block (bits.cu, counts.cu). So that a block need not read all
 * bits of an item, the bits of a tile of points are sorted into bins, one per slab, before they are stored. Their order
 * within a bin is arbitrary, and changes no result.
 *
 * Tiles are cut from the points of the item, not of a chunk. If a chunk has only a part of a tile, the bits stay in the
 * order of the points, and every slab reads all of them.
 *
 * Bytes that must move: each point read once, 12 bytes in float32; 4 bytes a point written, and 4 a bin of each tile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/points/locate.cuh"
#include "starts.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr int TILE = RC_CUDA_VOXEL_BIN_TILE;
constexpr int COUNTERS = THREADS;
constexpr uint32_t LINE = 128;  /* bytes of a line of the L2 */
constexpr uint32_t FEW_BLOCKS = 512;    /* blocks that all begin while the previous kernel runs; with more, prefetching gains nothing */
constexpr uint32_t ALL_OF_TILE = (uint32_t) TILE << 16; /* a slot: all bits of the tile */

struct Shared
{
  typename Scan::TempStorage scan;
  uint32_t counts[COUNTERS];    /* of each bin, and of points without a bit; few bins have several counters, so that lanes rarely meet */
  uint32_t starts[COUNTERS];
  uint32_t missed[3];           /* outside, NaN and infinite points of the tile */
  __align__ (16) uint32_t sorted[TILE];
};

static_assert (TILE == EACH * THREADS, "what its threads have of it");
static_assert (THREADS * LINE >= TILE * 12, "a line a thread");
static_assert (COUNTERS > RC_CUDA_VOXEL_BINS && COUNTERS % 32 == 0, "a thread clears a counter, a warp adds them up");

/* The part of a tile that a chunk has. */
struct TilePart : Tile
{
  int64_t place;                /* of its first point among the points of the item */
  bool is_whole;                /* no other chunk has points of the tile */
};

__device__ __forceinline__ TilePart
tile_part (const Job &job, const Part &part, int64_t tile)
{
  const int64_t from = tile * TILE, to = from + TILE, end = part.first + part.n;
  const int64_t first = from > part.first ? from : part.first, last = to < end ? to : end;

  return { { first - part.first, (uint32_t) (last - first) }, first,
    first == from && (last == to || last == stated_points (job, part.item)) };
}

/* ---- bins ---- */

/* The index of a bit where slabs lie one after the other (RcCudaVoxelSlabIndex has an example). RC_CUDA_VOXEL_NO_BIT comes
 * after the last slab, since all slabs together have at most 2^31 bits. */
__device__ __forceinline__ uint32_t
in_slabs (const RcCudaVoxelSlabIndex &slabs, uint32_t bit)
{
  return bit + (bit & slabs.mask) * slabs.factor + (bit >> slabs.shift) * slabs.piece_factor;
}

__device__ __forceinline__ void
place_in_slabs (const RcCudaVoxelSlabIndex &slabs, uint32_t bits[EACH])
{
#pragma unroll
  for (int u = 0; u < EACH; u++)
    bits[u] = in_slabs (slabs, bits[u]);
}

__device__ __forceinline__ uint32_t *
slots_of (const Slabs &slabs, int64_t item, int64_t tile)
{
  return slabs.slots + item * slabs.bins * slabs.tiles_apart + tile;
}

/* Clears the counters. All threads of a block call this and the next function. */
__device__ __forceinline__ void
clear_counters (Shared *shared)
{
  shared->counts[threadIdx.x] = 0;
  if (threadIdx.x < 3)
    shared->missed[threadIdx.x] = 0;
  __syncthreads ();
}

/* Sorts the bits of a tile by bin in shared memory, and stores them with the slot of each bin. It is a counting sort in
 * three steps:
 *
 *   bins of points      2  0  2  1  0  2      points 0 … 5
 *   counts (atomics)    0:2  1:1  2:3         each atomic returns the rank of its point in the bin:  0 0 1 0 1 2
 *   find_starts         0:0  1:2  2:3  (6)
 *   place               3  0  4  2  1  5      start of the bin + rank
 */
__device__ __forceinline__ void
store_sorted (const Slabs &slabs, int64_t item, int64_t tile, const uint32_t bits[EACH], Shared *shared)
{
  const uint32_t bins = (uint32_t) slabs.bins, parts = (uint32_t) slabs.bin_parts, part = threadIdx.x & (parts - 1);
  uint32_t places[EACH];        /* rank * COUNTERS + counter, in one register */

#pragma unroll
  for (int u = 0; u < EACH; u++) {      /* points without a bit have a bin, too: branches would cost more */
    const uint32_t counter = min (bits[u] >> slabs.bin_shift, bins) * parts + part;

    places[u] = atomicAdd (&shared->counts[counter], 1u) * COUNTERS + counter;
  }
  __syncthreads ();
  if (threadIdx.x < 32)
    find_starts (shared->counts, shared->starts, shared->scan);
  __syncthreads ();
#pragma unroll
  for (int u = 0; u < EACH; u++)        /* all starts are read before the first is used */
    places[u] = places[u] / COUNTERS + shared->starts[places[u] % COUNTERS];
#pragma unroll
  for (int u = 0; u < EACH; u++)
    shared->sorted[places[u]] = bits[u];
  if (threadIdx.x < bins)
    slots_of (slabs, item, tile)[threadIdx.x * slabs.tiles_apart] = shared->starts[threadIdx.x * parts]
        | shared->starts[(threadIdx.x + 1) * parts] << 16;
  __syncthreads ();

  uint4 *to = reinterpret_cast<uint4 *> (slabs.bits + item * slabs.bits_apart + tile * TILE);
  const uint32_t n = shared->starts[bins * parts];

  for (uint32_t i = threadIdx.x; i * 4 < n; i += THREADS)
    to[i] = reinterpret_cast<const uint4 *> (shared->sorted)[i];
}

/* Stores the bits of a part of a tile in the order of the points. The slot of each bin is the whole tile. */
template <bool FOURS>
__device__ __forceinline__ void
store_in_place (const Slabs &slabs, int64_t item, int64_t tile, const TilePart &of_tile, const uint32_t bits[EACH])
{
  uint32_t *to = slabs.bits + item * slabs.bits_apart + of_tile.place;

#pragma unroll
  for (int u = 0; u < EACH; u++) {
    if (point_of<THREADS, FOURS> (u) < of_tile.n)
      to[point_of<THREADS, FOURS> (u)] = bits[u];
  }
  if (threadIdx.x < slabs.bins)
    slots_of (slabs, item, tile)[threadIdx.x * slabs.tiles_apart] = ALL_OF_TILE;
}

/* Locates the points of a tile, which are at p, and stores their bits. */
template <class Source, bool FOURS>
__device__ __forceinline__ void
bin_tile (const Grid &grid, const Format &format, const Chunk &chunk, const Slabs &slabs, const Part &part, int64_t tile,
    const TilePart &of_tile, const float (&p)[EACH][3],
    Shared *shared, PointCounts *counts)
{
  uint32_t bits[EACH];

  find_bits<Source, THREADS, FOURS> (grid, format, chunk, part, of_tile, p, bits, counts);
  place_in_slabs (slabs.index, bits);
  if (!of_tile.is_whole) {
    store_in_place<FOURS> (slabs, part.item, tile, of_tile, bits);
    return;
  }
  clear_counters (shared);
  store_sorted (slabs, part.item, tile, bits, shared);
}

/* Reads a tile and stores its bits. PACKED: points are float32, which may be read by fours. */
template <class Source, bool PACKED>
__device__ __forceinline__ void
read_tile (const Grid &grid, const Format &format, const Job &job, const Chunk &chunk, const Slabs &slabs, const Part &part,
    int64_t tile, Shared *shared, PointCounts *counts)
{
  const TilePart of_tile = tile_part (job, part, tile);
  float p[EACH][3];

  counts->points += threadIdx.x == 0 ? of_tile.n : 0;
  if (PACKED && in_fours (chunk, of_tile)) {
    read_fours<THREADS> (part.data + of_tile.first * 12, of_tile.n, p);
    bin_tile<Source, PACKED> (grid, format, chunk, slabs, part, tile, of_tile, p, shared, counts);
    return;
  }
  if (Source::asks_address || chunk.is_aligned)
    read_each<Source, true, THREADS> (format, chunk, part, of_tile, p);
  else
    read_each<Source, false, THREADS> (format, chunk, part, of_tile, p);
  bin_tile<Source, false> (grid, format, chunk, slabs, part, tile, of_tile, p, shared, counts);
}

/* Stores the bit of each point, sorted by the slab of the grid within each tile. A block takes every gridDim.x-th tile of
 * an item and sorts it in shared memory. */
template <class Source, bool PACKED>
__global__ void __launch_bounds__ (THREADS, at_once (PACKED ? 5 : 3))
bin_points (GRID_CONSTANT Grid grid, GRID_CONSTANT Format format, GRID_CONSTANT Job job, GRID_CONSTANT Chunk chunk,
    GRID_CONSTANT Slabs slabs)
{
  __shared__ Shared shared;
  PointCounts counts = { };

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const Part part = part_of<Source> (format, job, chunk, item, true);
    const int64_t end = (part.first + part.n + TILE - 1) / TILE;

    for (int64_t tile = part.first / TILE + blockIdx.x; part.n > 0 && tile < end; tile += gridDim.x)
      read_tile<Source, PACKED> (grid, format, job, chunk, slabs, part, tile, &shared, &counts);
    finish_part (job, part);
  }
  if (chunk.counters != NULL)
    add_counts (chunk, counts);
}

/* ---- all points of a job in one chunk ---- */

/* Reads the last points of a tile, which are fewer than four. The thread that has them reads no others there. */
__device__ __forceinline__ void
read_last (const char *data, uint32_t n, float p[EACH][3])
{
#pragma unroll
  for (int u = 0; u < EACH; u++) {
    const uint32_t i = point_of<THREADS, true> (u);

#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      if (i < n && i / 4 == n / 4)
        p[u][axis] = reinterpret_cast<const float *> (data)[i * 3 + axis];
    }
  }
}

/* Adds what a thread has missed to the counts of the tile; mostly nothing. */
__device__ __forceinline__ void
gather_missed (const PointCounts &counts, Shared *shared)
{
  if ((counts.outside | counts.nan | counts.infinite) == 0)
    return;
  atomicAdd (&shared->missed[0], counts.outside);
  atomicAdd (&shared->missed[1], counts.nan);
  atomicAdd (&shared->missed[2], counts.infinite);
}

__device__ __forceinline__ void
count_tile (RcVoxelCounters *counters, uint32_t n, const uint32_t missed[3])
{
  if (counters == NULL)
    return;
  add_counter (&counters->points, n);
  add_counter (&counters->inside, n - missed[0] - missed[1] - missed[2]);
  add_counter (&counters->outside, missed[0]);
  add_counter (&counters->nan, missed[1]);
  add_counter (&counters->infinite, missed[2]);
}

/* Blocks per multiprocessor; more would spill registers. An architecture that is asked for here must be one of `first` in
 * kernels/cuda/meson.build. */
__host__ __device__ constexpr int
whole_blocks ()
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  return 4;
#elif defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return 6;
#else
  return at_once (5);
#endif
}

/* bin_points for packed float32 points of a job that is one chunk. A block per tile of an item; its points are under way
 * while it clears its counters. */
__global__ void __launch_bounds__ (THREADS, whole_blocks ())
bin_whole (GRID_CONSTANT Grid grid, GRID_CONSTANT Format format, GRID_CONSTANT Job job, GRID_CONSTANT Chunk chunk,
    GRID_CONSTANT Slabs slabs)
{
  __shared__ Shared shared;
  const uint32_t first = blockIdx.x * TILE;
  const Part part = { blockIdx.y, chunk.data + blockIdx.y * chunk.batch_stride, chunk.n, 0 };
  const Tile tile = { first, min ((uint32_t) chunk.n - first, (uint32_t) TILE) };
  const char *data = part.data + (int64_t) first * 12;
  PointCounts counts = { };
  float p[EACH][3];
  uint32_t bits[EACH];

  allow_next ();
  if (gridDim.x * gridDim.y <= FEW_BLOCKS && threadIdx.x * LINE < tile.n * 12)
    prefetch_global (data + threadIdx.x * LINE);
  wait_for_previous ();
  read_fours<THREADS> (data, tile.n & ~3u, p);
  if (tile.n % 4 != 0)
    read_last (data, tile.n, p);
  clear_counters (&shared);
  find_bits<PointSource<RC_FLOAT32>, THREADS, true> (grid, format, chunk, part, tile, p, bits, &counts);
  place_in_slabs (slabs.index, bits);
  gather_missed (counts, &shared);
  store_sorted (slabs, part.item, blockIdx.x, bits, &shared);
  if (threadIdx.x == 0)
    count_tile (chunk.counters, tile.n, shared.missed);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    begin_head (job, part);
}
}

const RcCudaVoxelKernel rc_cuda_voxel_bin_whole = VOXEL_KERNEL (bin_whole);

#define BIN(...) VOXEL_KERNEL (bin_points<__VA_ARGS__>)

const RcCudaVoxelKernel rc_cuda_voxel_bin[RC_CUDA_VOXEL_SOURCES] = {
  BIN (PointSource<RC_FLOAT16>, false), BIN (PointSource<RC_FLOAT32>, true), BIN (PointSource<RC_FLOAT64>, false),
  BIN (LayoutSource, false), BIN (DepthSource, false), BIN (RaySource, false),
};

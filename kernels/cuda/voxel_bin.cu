/* robocache: occupancy on the GPU: from points to the bits that they set, sorted by the slab of the bitmap
 *
 * A bit set at random costs the L2 as much as a whole sector. So add only stores which bits points set, and the end sets them
 * in shared memory, a slab of the bitmap in each block (voxel_slab.cu). So that a block need not read all of an item's
 * bits, those of a tile of points are put into bins, one for each slab, before they are stored. Their order in a bin is any:
 * it changes no bitmap.
 *
 * Tiles are those of the item, whatever its chunks are. Of a tile that a chunk has a part of, the bits stay where their points
 * are, and every slab reads all of them.
 *
 * Bytes that must move: each point read once, of float32 12 bytes; 4 bytes a point written, and 4 a bin of each tile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "voxel_locate.cuh"
#include "voxel_starts.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr int TILE = RC_CUDA_VOXEL_BIN_TILE;
constexpr int COUNTERS = THREADS;
constexpr uint32_t ALL_OF_TILE = (uint32_t) TILE << 16; /* a slot: as many as there are */

struct Shared
{
  typename Scan::TempStorage scan;
  uint32_t counts[COUNTERS];    /* of each bin, and of no bit; of few bins in several parts, so that lanes rarely meet */
  uint32_t starts[COUNTERS];
  __align__ (16) uint32_t sorted[TILE];
};

static_assert (TILE == EACH * THREADS, "what its threads have of it");
static_assert (COUNTERS > RC_CUDA_VOXEL_BINS && COUNTERS % 32 == 0, "a thread clears a counter, a warp adds them up");

/* What a chunk has of a tile. */
struct TilePart : Tile
{
  int64_t place;                /* of its first point among the points of the item */
  bool is_whole;                /* no other chunk has points of the tile */
};

__device__ __forceinline__ TilePart
tile_part (const RcCudaVoxelTask &task, const Part &part, int64_t tile)
{
  const int64_t from = tile * TILE, to = from + TILE, end = part.first + part.n;
  const int64_t first = from > part.first ? from : part.first, last = to < end ? to : end;

  return { { first - part.first, (uint32_t) (last - first) }, first,
    first == from && (last == to || last == stated_points (task, part.item)) };
}

/* ---- bins ---- */

__device__ __forceinline__ uint32_t *
slots_of (const RcCudaVoxelTask &task, int64_t item, int64_t tile)
{
  return task.slots + item * task.bins * task.tiles_apart + tile;
}

/* All threads of a block call it. */
__device__ __forceinline__ void
store_sorted (const RcCudaVoxelTask &task, int64_t item, int64_t tile, const uint32_t bits[EACH], Shared *shared)
{
  const uint32_t bins = (uint32_t) task.bins, parts = (uint32_t) task.bin_parts, part = threadIdx.x & (parts - 1);
  uint32_t counters[EACH], ranks[EACH];

  shared->counts[threadIdx.x] = 0;
  __syncthreads ();
#pragma unroll
  for (int u = 0; u < EACH; u++) {      /* no bit has a bin, too: branches would cost more */
    counters[u] = min (bits[u] >> task.bin_shift, bins) * parts + part;
    ranks[u] = atomicAdd (&shared->counts[counters[u]], 1u);
  }
  __syncthreads ();
  if (threadIdx.x < 32)
    find_starts (shared->counts, shared->starts, shared->scan);
  __syncthreads ();
#pragma unroll
  for (int u = 0; u < EACH; u++)        /* all of them are read before the first is used */
    ranks[u] += shared->starts[counters[u]];
#pragma unroll
  for (int u = 0; u < EACH; u++)
    shared->sorted[ranks[u]] = bits[u];
  if (threadIdx.x < bins)
    slots_of (task, item, tile)[threadIdx.x * task.tiles_apart] = shared->starts[threadIdx.x * parts]
        | shared->starts[(threadIdx.x + 1) * parts] << 16;
  __syncthreads ();

  uint4 *to = reinterpret_cast<uint4 *> (task.bits_set + item * task.bits_set_apart + tile * TILE);
  const uint32_t n = shared->starts[bins * parts];

  for (uint32_t i = threadIdx.x; i * 4 < n; i += THREADS)
    to[i] = reinterpret_cast<const uint4 *> (shared->sorted)[i];
}

template <bool FOURS>
__device__ __forceinline__ void
store_in_place (const RcCudaVoxelTask &task, int64_t item, int64_t tile, const TilePart &of_tile, const uint32_t bits[EACH])
{
  uint32_t *to = task.bits_set + item * task.bits_set_apart + of_tile.place;

#pragma unroll
  for (int u = 0; u < EACH; u++) {
    if (point_of<THREADS, FOURS> (u) < of_tile.n)
      to[point_of<THREADS, FOURS> (u)] = bits[u];
  }
  if (threadIdx.x < task.bins)
    slots_of (task, item, tile)[threadIdx.x * task.tiles_apart] = ALL_OF_TILE;
}

template <class Source, bool FOURS>
__device__ __forceinline__ void
bin_tile (const RcCudaVoxelTask &task, const Part &part, int64_t tile, const TilePart &of_tile, const float p[EACH][3],
    Shared *shared, Tally *tally)
{
  uint32_t bits[EACH];

  find_bits<Source, THREADS, FOURS> (task, part, of_tile, p, bits, tally);
  if (of_tile.is_whole)
    store_sorted (task, part.item, tile, bits, shared);
  else
    store_in_place<FOURS> (task, part.item, tile, of_tile, bits);
}

/* PACKED: float32, which may lie four by four. */
template <class Source, bool PACKED>
__device__ __forceinline__ void
read_tile (const RcCudaVoxelTask &task, const Part &part, int64_t tile, Shared *shared, Tally *tally)
{
  const TilePart of_tile = tile_part (task, part, tile);
  float p[EACH][3];

  tally->points += threadIdx.x == 0 ? of_tile.n : 0;
  if (PACKED && in_fours (task, of_tile)) {
    read_fours<THREADS> (part.data + of_tile.first * 12, of_tile.n, p);
    bin_tile<Source, PACKED> (task, part, tile, of_tile, p, shared, tally);
    return;
  }
  if (Source::asks_address || task.aligned)
    read_each<Source, true, THREADS> (task, part, of_tile, p);
  else
    read_each<Source, false, THREADS> (task, part, of_tile, p);
  bin_tile<Source, false> (task, part, tile, of_tile, p, shared, tally);
}

template <class Source, bool PACKED>
__global__ void __launch_bounds__ (THREADS, at_once (PACKED ? 5 : 1))
bin_points (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ Shared shared;
  Tally tally = { };

  allow_next ();                /* the slabs, which wait for this one to end */
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const Part part = part_of<Source> (task, item, true);
    const int64_t end = (part.first + part.n + TILE - 1) / TILE;

    for (int64_t tile = part.first / TILE + blockIdx.x; part.n > 0 && tile < end; tile += gridDim.x)
      read_tile<Source, PACKED> (task, part, tile, &shared, &tally);
    finish_part (task, part);
  }
  if (task.counters != NULL)
    add_tally (task, tally);
}
}

#define BIN(...) KERNEL (bin_points<__VA_ARGS__>)

const void *const rc_cuda_voxel_bin[RC_CUDA_VOXEL_SOURCES] = {
  BIN (PointSource<RC_FLOAT16>, false), BIN (PointSource<RC_FLOAT32>, true), BIN (PointSource<RC_FLOAT64>, false),
  BIN (LayoutSource, false), BIN (DepthSource, false), BIN (RaySource, false),
};

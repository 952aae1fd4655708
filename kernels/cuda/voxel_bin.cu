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
#include <cub/block/block_scan.cuh>
#include <cuda_runtime_api.h>

#include "voxel_parts.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr int TILE = RC_CUDA_VOXEL_BIN_TILE;
constexpr int EACH = TILE / THREADS;
constexpr int COUNTERS = RC_CUDA_VOXEL_BINS;
constexpr uint32_t ALL_OF_TILE = (uint32_t) TILE << 16; /* a slot: as many as there are */

using Scan = cub::BlockScan<uint32_t, THREADS>;

struct Shared
{
  typename Scan::TempStorage scan;
  uint32_t counts[COUNTERS];    /* of each bin; of few bins in several parts, so that lanes rarely meet */
  uint32_t starts[COUNTERS + 1];
  __align__ (16) uint32_t sorted[TILE];
};

/* What a chunk has of a tile. */
struct TilePart
{
  int64_t first;                /* point of the chunk */
  int64_t place;                /* of it among the points of the item */
  uint32_t n;
  bool is_whole;                /* no other chunk has points of the tile */
};

__device__ __forceinline__ TilePart
tile_part (const RcCudaVoxelTask &task, const Part &part, int64_t tile)
{
  const int64_t from = tile * TILE, to = from + TILE, end = part.first + part.n;
  const int64_t first = from > part.first ? from : part.first, last = to < end ? to : end;

  return { first - part.first, first, (uint32_t) (last - first),
    first == from && (last == to || last == stated_points (task, part.item)) };
}

/* ---- bits ---- */

template <class Source>
__device__ __forceinline__ uint32_t
bit_of (const RcCudaVoxelTask &task, const float *p, Tally *tally)
{
  const int64_t voxel = voxel_of<Source> (task, p);

  count_point (tally, voxel);
  return voxel < 0 ? RC_CUDA_VOXEL_NO_BIT : (uint32_t) voxel;
}

/* Which of the tile part's points thread-wise number u is: four by four, or one by one. */
__device__ __forceinline__ uint32_t
point_of (bool by_four, int u)
{
  return by_four ? (u / 4 * THREADS + threadIdx.x) * 4 + u % 4 : u * THREADS + threadIdx.x;
}

/* float32 x, y, z alone: four points in three accesses of 16 bytes, all of them under way before the first is used. */
__device__ __forceinline__ void
read_four_by_four (const RcCudaVoxelTask &task, const char *data, uint32_t n, uint32_t bits[EACH], Tally *tally)
{
  float4 four[EACH / 4][3];

#pragma unroll
  for (int g = 0; g < EACH / 4; g++) {
    const uint32_t first = (g * THREADS + threadIdx.x) * 4;
    const float4 *from = reinterpret_cast<const float4 *> (data + (int64_t) first * 12);

#pragma unroll
    for (int i = 0; i < 3; i++)
      four[g][i] = first < n ? __ldg (from + i) : make_float4 (0, 0, 0, 0);
  }
#pragma unroll
  for (int g = 0; g < EACH / 4; g++) {
    const float4 a = four[g][0], b = four[g][1], c = four[g][2];
    const float p[4][3] = { {a.x, a.y, a.z}, {a.w, b.x, b.y}, {b.z, b.w, c.x}, {c.y, c.z, c.w} };

#pragma unroll
    for (int i = 0; i < 4; i++)
      bits[g * 4 + i] = (g * THREADS + threadIdx.x) * 4 + i < n ? bit_of<PointSource<RC_FLOAT32>> (task, p[i], tally) : RC_CUDA_VOXEL_NO_BIT;
  }
}

template <class Source>
__device__ __forceinline__ void
read_one_by_one (const RcCudaVoxelTask &task, const Part &part, const TilePart &tile, uint32_t bits[EACH], Tally *tally)
{
#pragma unroll 2
  for (int u = 0; u < EACH; u++) {
    const uint32_t at = u * THREADS + threadIdx.x;
    float p[3];

    bits[u] = RC_CUDA_VOXEL_NO_BIT;
    if (at < tile.n) {
      if (Source::asks_address || task.aligned)
        Source::template read<true> (task, part.data, tile.first + at, p);
      else
        Source::template read<false> (task, part.data, tile.first + at, p);
      bits[u] = bit_of<Source> (task, p, tally);
    }
  }
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
  const uint32_t bins = (uint32_t) task.bins, parts = COUNTERS / bins, part = threadIdx.x % parts;
  uint32_t ranks[EACH], n;

  if (threadIdx.x < COUNTERS)
    shared->counts[threadIdx.x] = 0;
  __syncthreads ();
#pragma unroll
  for (int u = 0; u < EACH; u++)
    ranks[u] = bits[u] == RC_CUDA_VOXEL_NO_BIT ? 0
        : atomicAdd (&shared->counts[(bits[u] >> task.bin_shift) * parts + part], 1u);
  __syncthreads ();
  uint32_t start = threadIdx.x < COUNTERS ? shared->counts[threadIdx.x] : 0;
  Scan (shared->scan).ExclusiveSum (start, start, n);
  if (threadIdx.x <= COUNTERS)
    shared->starts[threadIdx.x] = start;
  __syncthreads ();
#pragma unroll
  for (int u = 0; u < EACH; u++) {
    if (bits[u] != RC_CUDA_VOXEL_NO_BIT)
      shared->sorted[shared->starts[(bits[u] >> task.bin_shift) * parts + part] + ranks[u]] = bits[u];
  }
  if (threadIdx.x < bins)
    slots_of (task, item, tile)[threadIdx.x * task.tiles_apart] = shared->starts[threadIdx.x * parts]
        | shared->starts[(threadIdx.x + 1) * parts] << 16;
  __syncthreads ();

  uint4 *to = reinterpret_cast<uint4 *> (task.bits_set + item * task.bits_set_apart + tile * TILE);

  for (uint32_t i = threadIdx.x; i * 4 < n; i += THREADS)
    to[i] = reinterpret_cast<const uint4 *> (shared->sorted)[i];
}

__device__ __forceinline__ void
store_in_place (const RcCudaVoxelTask &task, int64_t item, int64_t tile, const TilePart &of_tile, bool by_four,
    const uint32_t bits[EACH])
{
  uint32_t *to = task.bits_set + item * task.bits_set_apart + of_tile.place;

#pragma unroll
  for (int u = 0; u < EACH; u++) {
    if (point_of (by_four, u) < of_tile.n)
      to[point_of (by_four, u)] = bits[u];
  }
  if (threadIdx.x < task.bins)
    slots_of (task, item, tile)[threadIdx.x * task.tiles_apart] = ALL_OF_TILE;
}

template <class Source, bool FOURS>
__device__ __forceinline__ void
bin_tile (const RcCudaVoxelTask &task, const Part &part, int64_t tile, Shared *shared, Tally *tally)
{
  const TilePart of_tile = tile_part (task, part, tile);
  const bool by_four = FOURS && task.packed && of_tile.first % 4 == 0 && of_tile.n % 4 == 0;
  uint32_t bits[EACH];

  if (by_four)
    read_four_by_four (task, part.data + of_tile.first * 12, of_tile.n, bits, tally);
  else
    read_one_by_one<Source> (task, part, of_tile, bits, tally);
  if (of_tile.is_whole)
    store_sorted (task, part.item, tile, bits, shared);
  else
    store_in_place (task, part.item, tile, of_tile, by_four, bits);
}

template <class Source, bool FOURS>
__global__ void __launch_bounds__ (THREADS)
bin_points (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ Shared shared;
  Tally tally = { };

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const Part part = part_of<Source> (task, item, true);
    const int64_t end = (part.first + part.n + TILE - 1) / TILE;

    for (int64_t tile = part.first / TILE + blockIdx.x; part.n > 0 && tile < end; tile += gridDim.x)
      bin_tile<Source, FOURS> (task, part, tile, &shared, &tally);
    finish_part (task, part);
  }
  if (task.counters != NULL)
    add_tally (task, tally);
}
}

#define KERNEL(...) reinterpret_cast<const void *> (bin_points<__VA_ARGS__>)

const void *const rc_cuda_voxel_bin[RC_CUDA_VOXEL_SOURCES] = {
  KERNEL (PointSource<RC_FLOAT16>, false), KERNEL (PointSource<RC_FLOAT32>, true), KERNEL (PointSource<RC_FLOAT64>, false),
  KERNEL (LayoutSource, false), KERNEL (DepthSource, false), KERNEL (RaySource, false),
};

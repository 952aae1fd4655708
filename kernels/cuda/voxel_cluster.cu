/* robocache: counts of small grids on the GPU, from the points of a cloud to the output in one launch
 *
 * A cluster of blocks makes the grid of an item. Each block has the counts of a slab of the grid in shared memory. It sorts
 * its share of the points by slab, and when all have, it counts those of its own slab, which it reads from the others, and
 * writes it.
 *
 * Bytes that must move: each point read once, of float32 12 bytes; of the output every byte once, or where it is known what
 * the grid holds, the sectors that may change. Between blocks go 4 bytes a point.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cooperative_groups.h>
#include <cuda_runtime_api.h>

#include "voxel_expand.cuh"
#include "voxel_locate.cuh"
#include "voxel_starts.cuh"

using namespace rc;

/* Others that know clusters have a third of the shared memory. */
#if !defined (__CUDA_ARCH__)
#define HAS_CLUSTERS 1
#else
#define HAS_CLUSTERS (__CUDA_ARCH__ >= 10 * RC_CUDA_VOXEL_CLUSTER_FIRST && __CUDA_ARCH__ < 10 * RC_CUDA_VOXEL_CLUSTER_END)
#endif

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_CLUSTER_THREADS;

#if HAS_CLUSTERS

constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;
constexpr int TILE = RC_CUDA_VOXEL_CLUSTER_TILE;
constexpr int BLOCKS = RC_CUDA_VOXEL_CLUSTER_BLOCKS;
constexpr int PARTS = 32;       /* counters of a slab, one for each lane: those of a warp never meet */
constexpr int COUNTERS = (BLOCKS + 1) * PARTS;  /* of each slab, then of what is in none */
constexpr int AT_ONCE = 8;      /* of a run, that a thread has under way */

using Source = PointSource<RC_FLOAT32>;
using Cluster = cooperative_groups::cluster_group;

DYNAMIC_SHARED (uint32_t, cluster_counts);

/* ---- points ---- */

__device__ __forceinline__ void
clear (uint32_t *words, uint32_t n)
{
  for (uint32_t i = threadIdx.x; i < n / 4; i += THREADS)
    reinterpret_cast<uint4 *> (words)[i] = make_uint4 (0, 0, 0, 0);
}

/* Tiles of a block's share of the points of an item. */
__device__ __forceinline__ Tile
tile_of_share (const RcCudaVoxelTask &task, const Part &part, uint32_t rank, uint32_t tile)
{
  const uint32_t n = (uint32_t) part.n, share = (n + 4 * BLOCKS - 1) / (4 * BLOCKS) * 4;
  const uint32_t begin = min (rank * share, n), end = min (begin + share, n), first = min (begin + tile * TILE, end);

  return { first, min (end - first, (uint32_t) TILE) };
}

/* ---- sorting them ---- */

struct Shared
{
  typename Scan::TempStorage scan;
  __align__ (16) uint32_t counts[COUNTERS];
  uint32_t starts[COUNTERS];
  uint32_t runs[RC_CUDA_VOXEL_CLUSTER_MOST_TILES][BLOCKS + 1];  /* where those of each slab begin in a sorted tile */
};

/* All threads of a block call it. */
__device__ __forceinline__ void
sort_bits (const RcCudaVoxelTask &task, const uint32_t bits[EACH], uint32_t *sorted, uint32_t *runs, Shared *shared)
{
  uint32_t places[EACH];        /* counter, and rank there << 16: registers are few */

  clear (shared->counts, COUNTERS);
  __syncthreads ();
#pragma unroll
  for (int u = 0; u < EACH; u++) {
    const uint32_t counter = min (bits[u] >> task.cluster_shift, (uint32_t) BLOCKS) * PARTS + threadIdx.x % 32;

    places[u] = atomicAdd (&shared->counts[counter], 1u) << 16 | counter;
  }
  __syncthreads ();
  if (threadIdx.x < 32)
    find_starts (shared->counts, shared->starts, shared->scan);
  __syncthreads ();
#pragma unroll
  for (int u = 0; u < EACH; u++)        /* all of them are read before the first is used */
    places[u] = shared->starts[places[u] & 0xFFFF] + (places[u] >> 16);
#pragma unroll
  for (int u = 0; u < EACH; u++)
    sorted[places[u]] = bits[u];
  if (threadIdx.x <= BLOCKS)
    runs[threadIdx.x] = shared->starts[threadIdx.x * PARTS];
}

template <bool FOURS>
__device__ __forceinline__ void
sort_tile (const RcCudaVoxelTask &task, const Part &part, const Tile &of_share, uint32_t tile, uint32_t *sorted,
    Shared *shared, Tally *tally)
{
  uint32_t bits[EACH];
  float p[EACH][3];

  if constexpr (FOURS)
    read_fours<THREADS> (part.data + of_share.first * 12, of_share.n, p);
  else
    read_each<Source, true, THREADS> (task, part, of_share, p);
  if (tile == 0)
    clear (cluster_counts, task.cluster_words * 32);    /* while points are under way */
  find_bits<Source, THREADS, FOURS> (task, part, of_share, p, bits, tally);
  tally->points += threadIdx.x == 0 ? of_share.n : 0;
  sort_bits (task, bits, sorted + tile * TILE, shared->runs[tile], shared);
}

__device__ __forceinline__ void
sort_share (const RcCudaVoxelTask &task, int64_t item, uint32_t rank, uint32_t *sorted, Shared *shared, Tally *tally)
{
  const Part part = part_of<Source> (task, item, true);

#pragma unroll 1
  for (uint32_t tile = 0; tile < task.cluster_tiles; tile++) {
    const Tile of_share = tile_of_share (task, part, rank, tile);

    if (in_fours (task, of_share))
      sort_tile<true> (task, part, of_share, tile, sorted, shared, tally);
    else
      sort_tile<false> (task, part, of_share, tile, sorted, shared, tally);
  }
}

/* ---- counting ---- */

__device__ __forceinline__ void
count_run (const uint32_t *run, uint32_t n, uint32_t *counts, uint32_t first_voxel)
{
  for (uint32_t first = threadIdx.x % 32; first < n; first += AT_ONCE * 32) {
    uint32_t voxels[AT_ONCE];

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++)
      voxels[u] = first + u * 32 < n ? run[first + u * 32] : 0;
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (first + u * 32 < n)
        atomicAdd (counts + (voxels[u] - first_voxel), 1u);
    }
  }
}

/* What the blocks of a cluster sorted for this one, a warp a run; each begins with another one. */
__device__ __forceinline__ void
count_runs (const RcCudaVoxelTask &task, Cluster &cluster, uint32_t rank, uint32_t *sorted, Shared *shared)
{
  for (uint32_t i = threadIdx.x / 32; i < BLOCKS * task.cluster_tiles; i += THREADS / 32) {
    const uint32_t of = (i + rank) % BLOCKS, tile = i / BLOCKS;
    const uint32_t *runs = cluster.map_shared_rank (shared->runs[tile], (int) of);
    const uint32_t *run = cluster.map_shared_rank (sorted + tile * TILE, (int) of) + runs[rank];

    count_run (run, runs[rank + 1] - runs[rank], cluster_counts, rank * task.cluster_words * 32);
  }
}

/* ---- writing ---- */

/* 16 bytes of the output, and which of their voxels are occupied. */
template <int SIZE>
__device__ __forceinline__ uint4
values_of (const RcCudaVoxelTask &task, const uint32_t *counts, uint32_t *is)
{
  constexpr int N = 16 / SIZE;
  uint32_t words[4] = { 0 };

  *is = 0;
#pragma unroll
  for (int i = 0; i < N; i += 4) {
    const uint4 four = *reinterpret_cast<const uint4 *> (counts + i);
    const uint32_t each[4] = { four.x, four.y, four.z, four.w };

#pragma unroll
    for (int k = 0; k < 4; k++) {
      const uint32_t value = SIZE == 4 ? task.dtype == RC_FLOAT32 ? rc_bits32 ((float) each[k]) : each[k]
          : count_bits (SIZE == 1 ? RC_UINT8 : RC_FLOAT16, each[k]);

      *is |= (each[k] != 0) << (i + k);
      words[(i + k) * SIZE / 4] |= value << (i + k) * SIZE % 4 * 8;
    }
  }
  return make_uint4 (words[0], words[1], words[2], words[3]);
}

/* n words of 32 voxels from the first one of an item on; a lane takes 16 bytes of the output at a time. Returns how many
 * voxels are occupied in the thread's. */
template <int SIZE>
__device__ __forceinline__ uint32_t
write_counts (const RcCudaVoxelTask &task, int64_t item, int64_t first_word, uint32_t n)
{
  constexpr uint32_t VOXELS = 16 / SIZE, LANES = 32 / VOXELS;   /* that share a word */
  constexpr uint32_t sector = (uint32_t) ((UINT64_C (1) << 2 * VOXELS) - 1);
  const uint32_t part = threadIdx.x % LANES;
  char *grid = task.grid + item * task.grid_batch_stride;
  uint32_t occupied = 0;

  for (uint32_t first = threadIdx.x / 32 * VOXELS; first < n; first += THREADS / 32 * VOXELS) {
    const uint32_t w = first + threadIdx.x % 32 / LANES;
    const int64_t voxel = (first_word + w) * 32 + part * VOXELS;
    uint32_t is = 0, needed = 0;
    uint4 values = make_uint4 (0, 0, 0, 0);

    if (w < n)
      values = values_of<SIZE> (task, cluster_counts + w * 32 + part * VOXELS, &is);
    occupied += __popc (is);
    is <<= part * VOXELS;
#pragma unroll
    for (uint32_t distance = 1; distance < LANES; distance *= 2)
      is |= __shfl_xor_sync (ALL_LANES, is, distance);
    if (w < n && part == 0)
      needed = take_word<false> (task, item, first_word + w, is);
    needed = __shfl_sync (ALL_LANES, needed, 0, LANES);
    if ((needed >> part / 2 * 2 * VOXELS & sector) != 0)
      write_group<SIZE> (task, grid + voxel * SIZE, values, task.voxels - voxel);
  }
  return occupied;
}

#endif

template <int SIZE>
__global__ void LAUNCH_BOUNDS (THREADS, 1)
make_counts (const __grid_constant__ RcCudaVoxelTask task)
{
#if HAS_CLUSTERS
  Cluster cluster = cooperative_groups::this_cluster ();
  const uint32_t rank = cluster.block_rank (), words = task.cluster_words, all = (uint32_t) task.bit_words;
  const uint32_t first = min (rank * words, all), n = min (all - first, words);
  const int64_t item = blockIdx.x / BLOCKS;
  uint32_t *sorted = cluster_counts + words * 32;
  __shared__ Shared shared;
  Tally tally = { };
  uint32_t occupied;

  sort_share (task, item, rank, sorted, &shared, &tally);
  cluster.barrier_arrive ();
  if (task.counters != NULL)
    add_tally (task, tally);
  cluster.barrier_wait ();
  count_runs (task, cluster, rank, sorted, &shared);
  cluster.barrier_arrive ();
  __syncthreads ();
  occupied = write_counts<SIZE> (task, item, first, n);
  add_occupied_by (task.made_counters, occupied, shared.counts);
  cluster.barrier_wait ();      /* until no other block reads what this one sorted */
#endif
}
}

const void *const rc_cuda_voxel_make_counts[3] = {
  KERNEL (make_counts<1>), KERNEL (make_counts<2>),
  KERNEL (make_counts<4>)
};

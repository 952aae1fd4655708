/* robocache: the order of sparse voxels on the GPU
 *
 * A radix sort from the least significant digit on, of CUB's block primitives. CUB's device-wide sort asks the device how
 * to run at each call, sets it at the first one, and states its scratch only through such a call; here all of this is known
 * when the plan is made. A pass sorts by one digit, in three kernels:
 *
 *   keys         tile 0: 2 0 1 2      tile 1: 0 2 0 1        digits 0, 1, 2
 *   sort_count   digit 0: 1 2         digit 1: 1 1           digit 2: 2 1        how often each comes in each tile
 *   sort_scan    digit 0: 0 1 (3)     digit 1: 0 1 (2)       digit 2: 0 2 (3)    sums over the tiles before (and over all)
 *   sort_move    0 0 0 1 1 2 2 2      digit 1 begins at 3, digit 2 at 5; equal digits keep their order
 *
 * Bytes that must move, a pass: 24 a key and, with the order, 8 more.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/points/points.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr int DIGITS = RC_CUDA_VOXEL_DIGITS;
constexpr int ITEMS = RC_CUDA_VOXEL_SORT_ITEMS;
constexpr int WARP_ITEMS = 32 * ITEMS;
static_assert (DIGITS == THREADS, "a thread has one digit");

using Rank = cub::BlockRadixRankMatch<THREADS, RC_CUDA_VOXEL_DIGIT_BITS, false>;
using Scan = cub::BlockScan<uint32_t, THREADS>;

/* The digit of a key in this pass, as CUB's ranks ask for it. */
struct DigitOf
{
  uint32_t first_bit, mask;

  __device__ __forceinline__
  DigitOf (uint32_t first_bit, uint32_t bits) : first_bit (first_bit), mask ((1u << bits) - 1)
  {
  }

  /* CUB calls this name */
  __device__ __forceinline__ uint32_t
  Digit (uint64_t key) const
  {
    return (uint32_t) (key >> first_bit) & mask;
  }
};

/* The keys of the group. */
__device__ __forceinline__ uint64_t *
keys_of (const Job &job, const Stored &stored, const Group &group, uint32_t which)
{
  return stored.keys[which] + group.first_item * job.n_points;
}

__device__ __forceinline__ uint32_t *
order_of (const Job &job, const Stored &stored, const Group &group, uint32_t which)
{
  return stored.order[which] + group.first_item * job.n_points;
}

__device__ __forceinline__ uint32_t
n_keys (const Group &group)
{
  return (uint32_t) group.items * group.item_points;
}

/* The number of keys of the tile that begins at first, of n in all. */
__device__ __forceinline__ uint32_t
tile_keys (uint32_t n, uint32_t first)
{
  return n - first < RC_CUDA_VOXEL_SORT_TILE ? n - first : RC_CUDA_VOXEL_SORT_TILE;
}

/* ---- first step: how often each digit comes in each tile ---- */

/* Counts the digit of each of `lanes`. If all are alike, as high digits of keys that are in order already, one lane adds
 * their number once; otherwise atomics on the same word would queue. */
__device__ __forceinline__ void
count_digit (uint32_t *counts, uint32_t digit, uint32_t lanes)
{
  int same;

  __match_all_sync (lanes, digit, &same);
  if (!same)
    atomicAdd (&counts[digit], 1u);
  else if (threadIdx.x % 32 == (uint32_t) __ffs ((int) lanes) - 1)
    atomicAdd (&counts[digit], (uint32_t) __popc (lanes));
}

/* Counts each digit in each tile of keys: digit_counts[digit][tile]. A block per tile. */
__global__ void __launch_bounds__ (THREADS)
sort_count (GRID_CONSTANT Job job, GRID_CONSTANT Stored stored, GRID_CONSTANT Group group, GRID_CONSTANT Digit digit)
{
  follow_previous ();

  const DigitOf digit_of (digit.first_bit, digit.bits);
  const uint32_t first = blockIdx.x * RC_CUDA_VOXEL_SORT_TILE, n = tile_keys (n_keys (group), first);
  const uint64_t *keys = keys_of (job, stored, group, digit.from) + first;
  __shared__ uint32_t counts[DIGITS];
  uint64_t own[ITEMS];          /* all loads are under way before the first key is counted */

  counts[threadIdx.x] = 0;
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < ITEMS; i++)
    own[i] = threadIdx.x + i * THREADS < n ? keys[threadIdx.x + i * THREADS] : RC_CUDA_VOXEL_NO_KEY;
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const bool has_key = threadIdx.x + i * THREADS < n;
    const uint32_t lanes = __ballot_sync (ALL_LANES, has_key);

    if (has_key)
      count_digit (counts, digit_of.Digit (own[i]), lanes);
  }
  __syncthreads ();
  group.digit_counts[(uint64_t) threadIdx.x * group.sort_tiles + blockIdx.x] = counts[threadIdx.x];
}

/* ---- second step: sums over the tiles before ---- */

/* Replaces the counts of a digit by the sums over the tiles before. Appends its total. A block per digit. */
__global__ void __launch_bounds__ (THREADS)
sort_scan (GRID_CONSTANT Group group)
{
  follow_previous ();

  uint32_t *counts = group.digit_counts + (uint64_t) blockIdx.x * group.sort_tiles;
  __shared__ typename Scan::TempStorage storage;
  uint32_t before = 0;

  for (uint32_t first = 0; first < group.sort_tiles; first += THREADS) {
    const bool has_tile = group.sort_tiles - first > threadIdx.x;
    uint32_t count = has_tile ? counts[first + threadIdx.x] : 0, sum;

    Scan (storage).ExclusiveSum (count, count, sum);
    if (has_tile)
      counts[first + threadIdx.x] = before + count;
    before += sum;
    __syncthreads ();
  }
  if (threadIdx.x == 0)
    group.digit_counts[(uint64_t) DIGITS * group.sort_tiles + blockIdx.x] = before;
}

/* ---- third step: each key to its place ---- */

union MoveShared
{
  typename Rank::TempStorage rank;
  typename Scan::TempStorage scan;
  struct
  {
    uint64_t keys[RC_CUDA_VOXEL_SORT_TILE];
    uint32_t order[RC_CUDA_VOXEL_SORT_TILE];
  } sorted;
};

/* Moves each key, and its number if ORDERED, to its place: the start of its digit, plus the keys of the digit in the tiles
 * before, plus those before it in this tile. A block per tile sorts its keys in shared memory first, so that keys of a
 * digit are written together. A warp has adjacent keys, its lanes every 32nd, so that ranks keep the order of equal digits. */
template <bool ORDERED>
__global__ void __launch_bounds__ (THREADS)
sort_move (GRID_CONSTANT Job job, GRID_CONSTANT Stored stored, GRID_CONSTANT Group group, GRID_CONSTANT Digit digit)
{
  follow_previous ();

  const DigitOf digit_of (digit.first_bit, digit.bits);
  const uint32_t first = blockIdx.x * RC_CUDA_VOXEL_SORT_TILE, n = tile_keys (n_keys (group), first);
  const uint32_t own = threadIdx.x / 32 * WARP_ITEMS + threadIdx.x % 32;
  const uint64_t *keys_from = keys_of (job, stored, group, digit.from) + first;
  uint64_t *keys_to = keys_of (job, stored, group, !digit.from);
  __shared__ MoveShared shared;
  __shared__ uint32_t places[DIGITS];
  uint64_t keys[ITEMS];
  uint32_t order[ITEMS], place;
  int ranks[ITEMS], before[1];

#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const uint32_t at = own + i * 32;

    keys[i] = at < n ? keys_from[at] : RC_CUDA_VOXEL_NO_KEY;
    order[i] = first + at;
    if (ORDERED && digit.first_bit > 0 && at < n)
      order[i] = order_of (job, stored, group, digit.from)[first + at];
  }
  Rank (shared.rank).RankKeys (keys, ranks, digit_of, before);
  __syncthreads ();
  place = group.digit_counts[(uint64_t) DIGITS * group.sort_tiles + threadIdx.x];
  Scan (shared.scan).ExclusiveSum (place, place);
  place += group.digit_counts[(uint64_t) threadIdx.x * group.sort_tiles + blockIdx.x];
  places[threadIdx.x] = place - (uint32_t) before[0];
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    shared.sorted.keys[ranks[i]] = keys[i];
    if (ORDERED)
      shared.sorted.order[ranks[i]] = order[i];
  }
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < n; i += THREADS) {
    const uint64_t key = shared.sorted.keys[i];
    const uint32_t to = places[digit_of.Digit (key)] + i;

    keys_to[to] = key;
    if (ORDERED)
      order_of (job, stored, group, !digit.from)[to] = shared.sorted.order[i];
  }
}
}

const RcCudaVoxelKernel rc_cuda_voxel_sort_count = VOXEL_KERNEL (sort_count);
const RcCudaVoxelKernel rc_cuda_voxel_sort_scan = VOXEL_KERNEL (sort_scan);
const RcCudaVoxelKernel rc_cuda_voxel_sort_move[2] = {
  VOXEL_KERNEL (sort_move<false>), VOXEL_KERNEL (sort_move<true>)
};

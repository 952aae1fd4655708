/* robocache: the order of sparse voxels on the GPU
 *
 * A radix sort from the least significant digit on, made of CUB's block primitives. CUB's own device-wide sort asks
 * the device how to run at each call, sets it at the first one, and states its scratch only through such a call; here
 * all of this is known when the plan is made. A pass is three kernels: how often each digit comes in each tile of
 * keys; the sum over the tiles before it; each key to its place.
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

struct DigitOf
{
  uint32_t first_bit, mask;

  __device__ __forceinline__
  DigitOf (uint32_t first_bit, uint32_t bits) : first_bit (first_bit), mask ((1u << bits) - 1)
  {
  }

  /* the name that CUB calls */
  __device__ __forceinline__ uint32_t
  Digit (uint64_t key) const
  {
    return (uint32_t) (key >> first_bit) & mask;
  }
};

/* Keys of the group, and their number. */
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

/* How many of n keys are left from first on, at most a tile. */
__device__ __forceinline__ uint32_t
tile_keys (uint32_t n, uint32_t first)
{
  return n - first < RC_CUDA_VOXEL_SORT_TILE ? n - first : RC_CUDA_VOXEL_SORT_TILE;
}

/* ---- how often each digit comes in each tile ---- */

/* High digits of keys that are in order already are alike: one addition then, in place of a queue. */
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

/* Counts each digit in each tile of keys. A block per tile. */
__global__ void __launch_bounds__ (THREADS)
sort_count (GRID_CONSTANT Job job, GRID_CONSTANT Stored stored, GRID_CONSTANT Group group, GRID_CONSTANT Digit digit)
{
  follow_previous ();

  const DigitOf digit_of (digit.first_bit, digit.bits);
  const uint32_t first = blockIdx.x * RC_CUDA_VOXEL_SORT_TILE, n = tile_keys (n_keys (group), first);
  const uint64_t *keys = keys_of (job, stored, group, digit.from) + first;
  __shared__ uint32_t counts[DIGITS];
  uint64_t own[ITEMS];          /* all are under way before the first is counted */

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

/* ---- the sum over the tiles before: a block for each digit ---- */

/* Replaces the counts of a digit by the sums over the tiles before. A block per digit. */
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

/* ---- each key to its place ---- */

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

/* Moves each key, and its number if ORDERED, to its place. A block per tile. A warp has adjacent keys, its lanes every 32nd, so that
 * ranks keep the order of equal digits. */
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

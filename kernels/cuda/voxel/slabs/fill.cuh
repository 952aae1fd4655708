/* robocache: the bits of the points in one slab of a grid, read by the block that makes the slab
 *
 * bin.cu has sorted the bits of each tile of points by bin. So the bits of a slab are a *run* in each tile, and a slot
 * states where:
 *
 *   tile 0   bits of bin 0 | bin 1     | bin 2           slot of bin 1:  4 | 9 << 16
 *   tile 1   bits of bin 0  | bin 1 | bin 2              slot of bin 1:  5 | 8 << 16
 *
 * fill_slab walks over these runs, a few lanes per tile, and hands the bits to an action, which sets or counts them in
 * shared memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cuda/voxel/points/points.cuh"

namespace rc
{
constexpr int BITS_EACH = 10;   /* bits that a thread has under way */
constexpr int EXPECTED = 8;     /* bits of an average run per lane: fewer than BITS_EACH, since runs differ in length */

/* ---- the slab of a block ---- */

struct Slab
{
  uint32_t first_bit, n_bits;
};

struct Place
{
  int64_t item;
  uint32_t slab;
};

/* The item and slab of this block. There is a block for each. */
__device__ __forceinline__ Place
own_place (const Slabs &slabs)
{
  return { blockIdx.x >> slabs.shift, blockIdx.x & ((uint32_t) slabs.n - 1) };
}

/* ---- runs ---- */

/* The bits of a bin in one tile of an item. */
struct Run
{
  const uint32_t *bits;
  uint32_t n;
};

/* The run that a slot states, in a tile of an item of n_points points. */
__device__ __forceinline__ Run
run_of (const uint32_t *bits, uint32_t slot, uint32_t tile, uint32_t n_points)
{
  const uint32_t first = tile * RC_CUDA_VOXEL_BIN_TILE, left = n_points - first;
  const uint32_t begin = slot & 0xFFFF, end = slot >> 16 < left ? slot >> 16 : left;

  return { bits + first + begin, end - begin };
}

/* The walk of a thread over tiles: it has a part of every `step`th from `tile` on, as lane `lane` of the lanes there. */
struct Walk
{
  const uint32_t *bits, *slots;
  uint32_t n, tiles, tile, step, lane;
};

__device__ __forceinline__ uint32_t
next_slot (const Walk &walk)
{
  return walk.tile < walk.tiles ? walk.slots[walk.tile] : 0;
}

/* The run that the slot of the current tile states. Moves on to the next tile. */
__device__ __forceinline__ Run
next_run (Walk *walk, uint32_t slot)
{
  const uint32_t tile = walk->tile;

  walk->tile += walk->step;
  return tile < walk->tiles ? run_of (walk->bits, slot, tile, walk->n) : Run { walk->bits, 0 };
}

/* Loads the bits of a run that a thread has, from `first` on; RC_CUDA_VOXEL_NO_BIT beyond its end. */
__device__ __forceinline__ void
load_bits (const Run &run, uint32_t first, uint32_t lanes, uint32_t bits[BITS_EACH])
{
#pragma unroll
  for (int u = 0; u < BITS_EACH; u++)
    bits[u] = first + u * lanes < run.n ? run.bits[first + u * lanes] : RC_CUDA_VOXEL_NO_BIT;
}

/* Inserts what is left of a run that is longer than most. All lanes call it. */
template <class Action>
__device__ __forceinline__ void
insert_rest (uint32_t *words, const Slab &slab, const Run &run, uint32_t lane, uint32_t lanes)
{
#pragma unroll 1
  for (uint32_t first = BITS_EACH * lanes; __any_sync (ALL_LANES, first < run.n); first += BITS_EACH * lanes) {
    uint32_t bits[BITS_EACH];

    load_bits (run, first + lane, lanes, bits);
    Action::insert (words, slab, bits);
  }
}

/* Inserts all bits of the slab's bin into its words. All threads of a block call it. While the bits of one tile are
 * inserted, those of the next are under way, and the slot of the one after it. Action::insert gets bits that each thread of
 * a warp has read; it must ignore those of other slabs.
 *
 *   struct SetBits
 *   {
 *     static __device__ void insert (uint32_t *words, const Slab &slab, uint32_t bits[BITS_EACH]);
 *   };
 *
 *   fill_slab<SetBits> (job, slabs, place.item, slab_words, { place.slab * n_bits, n_bits });
 *   __syncthreads ();
 */
template <class Action>
__device__ __forceinline__ void
fill_slab (const Job &job, const Slabs &slabs, int64_t item, uint32_t *words, const Slab &slab)
{
  const uint32_t n = slabs.is_complete ? (uint32_t) job.n_points : job.is_first ? 0
      : (uint32_t) head_of (job, item)->item.n_added;
  const uint32_t expected = RC_CUDA_VOXEL_BIN_TILE / EXPECTED / (uint32_t) slabs.bins;
  const uint32_t lanes = min (max (expected, 4u), 32u);
  Walk walk = { slabs.bits + item * slabs.bits_apart,
    slabs.slots + (item * slabs.bins + (slab.first_bit >> slabs.bin_shift)) * slabs.tiles_apart, n,
    n / RC_CUDA_VOXEL_BIN_TILE + (n % RC_CUDA_VOXEL_BIN_TILE != 0), threadIdx.x / lanes, RC_CUDA_VOXEL_SLAB_THREADS / lanes,
    threadIdx.x % lanes
  };
  uint32_t of_warp = threadIdx.x / 32 * 32 / lanes, next_bits[BITS_EACH];
  Run next = next_run (&walk, next_slot (walk));
  uint32_t slot = next_slot (walk);

  load_bits (next, walk.lane, lanes, next_bits);
  for (; of_warp < walk.tiles; of_warp += walk.step) {
    const Run run = next;
    uint32_t bits[BITS_EACH];

#pragma unroll
    for (int u = 0; u < BITS_EACH; u++)
      bits[u] = next_bits[u];
    next = next_run (&walk, slot);
    load_bits (next, walk.lane, lanes, next_bits);
    slot = next_slot (walk);
    Action::insert (words, slab, bits);
    insert_rest<Action> (words, slab, run, walk.lane, lanes);
  }
}
}

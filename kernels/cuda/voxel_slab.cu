/* robocache: occupancy on the GPU: from the bits that points set to the output, through bitmaps in shared memory
 *
 * The bitmap of an item is cut into slabs, of which each has every so many of its pieces. A block reads the bits of its slab,
 * which lie together in each tile of points (voxel_bin.cu), sets them in shared memory, and expands the slab piece by piece.
 *
 * Bytes that must move: 4 a point, and 4 for each tile of points and slab, which the L2 mostly still has; a bit a voxel of the
 * grid's bitmap read, and those of its words that change written; of the output every byte once, 16 at a time where it can
 * be, or where it is known what the grid holds, the sectors that change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "voxel_expand.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_SLAB_THREADS;
constexpr int EACH = 10;        /* bits that a thread has under way */
constexpr int EXPECTED = 8;     /* of a run: runs differ in length */
constexpr int MANY_SET = 8;     /* of the first bits of 32 lanes */
constexpr uint32_t PIECE = RC_CUDA_VOXEL_PIECE_WORDS;

static_assert (PIECE == THREADS && PIECE * 32 == 1 << RC_CUDA_VOXEL_PIECE_SHIFT, "a word a thread");

/* ---- which slab ---- */

struct Slab
{
  uint32_t first_bit, n_bits;
};

struct Place
{
  int64_t item;
  uint32_t slab;
};

/* A block for each. */
__device__ __forceinline__ Place
own_place (const RcCudaVoxelTask &task)
{
  return { blockIdx.x >> (task.in_slabs.shift - RC_CUDA_VOXEL_PIECE_SHIFT), blockIdx.x & ((uint32_t) task.slabs - 1) };
}

/* ---- filling it ---- */

/* Where no bit is to be set, each lane adds nothing to a word of its own: branches would cost more. */
__device__ __forceinline__ void
set_each (uint32_t *words, const Slab &slab, const uint32_t bits[EACH])
{
#pragma unroll
  for (int u = 0; u < EACH; u++) {
    const uint32_t at = bits[u] - slab.first_bit;
    const bool is_bit = at < slab.n_bits;

    atomicOr (words + (is_bit ? at / 32 : threadIdx.x % 32), is_bit ? 1u << at % 32 : 0);
  }
}

__device__ __forceinline__ bool
is_set (uint32_t *words, const Slab &slab, uint32_t bit)
{
  const uint32_t at = bit - slab.first_bit;

  return at < slab.n_bits && (((volatile uint32_t *) words)[at / 32] >> at % 32 & 1) != 0;
}

/* Looking whether a bit is set costs as much as to set it, but for those that many points set, which then queue. So a warp
 * looks at the first bit of each lane, and where many of these are set at all others, too. All lanes call it. */
__device__ __forceinline__ void
set_bits (uint32_t *words, const Slab &slab, uint32_t bits[EACH])
{
  if (__popc (__ballot_sync (0xFFFFFFFFu, is_set (words, slab, bits[0]))) >= MANY_SET) {
#pragma unroll
    for (int u = 0; u < EACH; u++)
      bits[u] = is_set (words, slab, bits[u]) ? RC_CUDA_VOXEL_NO_BIT : bits[u];
  }
  set_each (words, slab, bits);
}

/* Where the bits of a bin are in a tile of an item, which has so many points. */
struct Run
{
  const uint32_t *bits;
  uint32_t n;
};

__device__ __forceinline__ Run
run_of (const uint32_t *bits, uint32_t slot, uint32_t tile, uint32_t n_points)
{
  const uint32_t first = tile * RC_CUDA_VOXEL_BIN_TILE, left = n_points - first;
  const uint32_t begin = slot & 0xFFFF, end = slot >> 16 < left ? slot >> 16 : left;

  return { bits + first + begin, end - begin };
}

/* The tiles of an item that a thread has a part of, every `step`th from `tile` on, and which lane it is there. */
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

/* The run that the slot of the current tile says; goes on to the next tile. */
__device__ __forceinline__ Run
next_run (Walk *walk, uint32_t slot)
{
  const uint32_t tile = walk->tile;

  walk->tile += walk->step;
  return tile < walk->tiles ? run_of (walk->bits, slot, tile, walk->n) : Run { walk->bits, 0 };
}

/* What a thread has of a run, from `first` on. */
__device__ __forceinline__ void
load_bits (const Run &run, uint32_t first, uint32_t lanes, uint32_t bits[EACH])
{
#pragma unroll
  for (int u = 0; u < EACH; u++)
    bits[u] = first + u * lanes < run.n ? run.bits[first + u * lanes] : RC_CUDA_VOXEL_NO_BIT;
}

/* What is left of runs that are longer than most. */
__device__ __forceinline__ void
set_rest (uint32_t *words, const Slab &slab, const Run &run, uint32_t lane, uint32_t lanes)
{
#pragma unroll 1
  for (uint32_t first = EACH * lanes; __any_sync (0xFFFFFFFFu, first < run.n); first += EACH * lanes) {
    uint32_t bits[EACH];

    load_bits (run, first + lane, lanes, bits);
    set_bits (words, slab, bits);
  }
}

/* All threads of a block call it. A few lanes a tile, the fewer the shorter its runs are. While the bits of one tile are set,
 * those of the next are under way, and where those after it are. */
__device__ __forceinline__ void
fill_slab (const RcCudaVoxelTask &task, int64_t item, uint32_t *words, const Slab &slab)
{
  const uint32_t n = task.is_complete ? (uint32_t) task.n_points : task.is_first ? 0
      : (uint32_t) head_of (task, item)->item.n_added;
  const uint32_t expected = RC_CUDA_VOXEL_BIN_TILE / EXPECTED / (uint32_t) task.bins;
  const uint32_t lanes = min (max (expected, 4u), 32u);
  Walk walk = { task.bits_set + item * task.bits_set_apart,
    task.slots + (item * task.bins + (slab.first_bit >> task.bin_shift)) * task.tiles_apart, n,
    n / RC_CUDA_VOXEL_BIN_TILE + (n % RC_CUDA_VOXEL_BIN_TILE != 0), threadIdx.x / lanes, THREADS / lanes,
    threadIdx.x % lanes
  };
  uint32_t of_warp = threadIdx.x / 32 * 32 / lanes, next_bits[EACH];
  Run next = next_run (&walk, next_slot (walk));
  uint32_t slot = next_slot (walk);

  load_bits (next, walk.lane, lanes, next_bits);
  for (; of_warp < walk.tiles; of_warp += walk.step) {
    const Run run = next;
    uint32_t bits[EACH];

#pragma unroll
    for (int u = 0; u < EACH; u++)
      bits[u] = next_bits[u];
    next = next_run (&walk, slot);
    load_bits (next, walk.lane, lanes, next_bits);
    slot = next_slot (walk);
    set_bits (words, slab, bits);
    set_rest (words, slab, run, walk.lane, lanes);
  }
}

/* ---- the output ---- */

/* By all threads of a block. Returns how many bits are set in the thread's words. SIZE 0: bits. */
template <int SIZE>
__device__ __forceinline__ uint32_t
write_slab (const RcCudaVoxelTask &task, const Place &place, const uint32_t *words)
{
  char *grid = task.grid + place.item * task.grid_batch_stride;
  const uint32_t n = (uint32_t) task.bit_words, apart = (uint32_t) task.slabs * PIECE, lane = threadIdx.x % 32;
  uint32_t occupied = 0;

  for (uint32_t own = place.slab * PIECE + threadIdx.x; own - lane < n; own += apart, words += PIECE) {
    const uint32_t word = own < n ? words[threadIdx.x] : 0;

    occupied += __popc (word);
    if constexpr (SIZE > 0) {
      const uint32_t needed = own < n ? take_word<true> (task, place.item, own, word) : 0;
      const int64_t first = own - lane;

      expand_words<SIZE> (task, grid + first * 32 * SIZE, word, needed, task.voxels - first * 32);
    } else if (own < n) {
      reinterpret_cast<uint32_t *> (grid)[own] = word;
    }
  }
  return occupied;
}

DYNAMIC_SHARED (uint32_t, slab_words);

/* Blocks that fill their slabs, and others that write theirs, share a multiprocessor, unless the launch gives each one of its own.
 * With registers for BLOCKS of them. SIZE 0: bits. */
template <int SIZE, int BLOCKS>
__global__ void LAUNCH_BOUNDS (THREADS, at_once (BLOCKS))
write_slabs (const __grid_constant__ RcCudaVoxelTask task)
{
  const Place place = own_place (task);
  const uint32_t n_bits = (uint32_t) task.slab_words * 32;

  allow_next ();
  for (uint32_t i = threadIdx.x; i < task.slab_words; i += THREADS)
    slab_words[i] = 0;
  wait_for_previous ();
  __syncthreads ();
  fill_slab (task, place.item, slab_words, { place.slab * n_bits, n_bits });
  __syncthreads ();

  const uint32_t occupied = write_slab<SIZE> (task, place, slab_words);

  __syncthreads ();
  add_occupied_by (task.counters, occupied, slab_words);        /* no other shared memory: Turing has 64 KB for a block */
}
}

#define FOR_SIZES(blocks) { \
    KERNEL (write_slabs<0, blocks>), KERNEL (write_slabs<1, blocks>), \
    KERNEL (write_slabs<2, blocks>), KERNEL (write_slabs<4, blocks>) }

const void *const rc_cuda_voxel_write_slabs[2][4] = { FOR_SIZES (2), FOR_SIZES (1) };

/* robocache: occupancy on the GPU: from the bits that points set to the output, through bitmaps in shared memory
 *
 * The bitmap of an item is cut into slabs. A block reads the bits of its slab, which lie together in each tile of points
 * (voxel_bin.cu), sets them in shared memory, and expands the slab.
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

struct Slab
{
  uint32_t first_bit, n_bits;
};

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

/* Looking whether a bit is set costs as much as to set it, but for those that many points set, which then queue. So a thread
 * looks at its first bit, and where that is set at each of the others. */
__device__ __forceinline__ void
set_bits (uint32_t *words, const Slab &slab, uint32_t bits[EACH])
{
  if (is_set (words, slab, bits[0])) {
#pragma unroll
    for (int u = 0; u < EACH; u++)
      bits[u] = is_set (words, slab, bits[u]) ? RC_CUDA_VOXEL_NO_BIT : bits[u];
  }
  set_each (words, slab, bits);
}

/* What the lanes of a tile have of it, at most EACH a lane. */
struct Load
{
  Run run;
  uint32_t bits[EACH];
};

/* The tiles of an item that a thread has a part of, every `step`th from `tile` on, and which lane of `lanes` it is there. */
struct Walk
{
  const uint32_t *bits, *slots;
  uint32_t n, tiles, tile, step, lane, lanes;
};

__device__ __forceinline__ uint32_t
next_slot (const Walk &walk)
{
  return walk.tile < walk.tiles ? walk.slots[walk.tile] : 0;
}

/* Begins to load what the slot of the current tile says, and goes on to the next. */
__device__ __forceinline__ void
begin_load (Walk *walk, uint32_t slot, Load *load)
{
  load->run = walk->tile < walk->tiles ? run_of (walk->bits, slot, walk->tile, walk->n) : Run { walk->bits, 0 };
#pragma unroll
  for (int u = 0; u < EACH; u++) {
    const uint32_t at = walk->lane + u * walk->lanes;

    load->bits[u] = at < load->run.n ? load->run.bits[at] : RC_CUDA_VOXEL_NO_BIT;
  }
  walk->tile += walk->step;
}

/* What is left of runs that are longer than most: a warp a run. */
__device__ __forceinline__ void
fill_rest (uint32_t *words, const Slab &slab, const Walk &walk)
{
#pragma unroll 1
  for (uint32_t tile = threadIdx.x / 32; tile < walk.tiles; tile += THREADS / 32) {
    const Run run = run_of (walk.bits, walk.slots[tile], tile, walk.n);

#pragma unroll 1
    for (uint32_t first = EACH * walk.lanes + threadIdx.x % 32; first < run.n; first += EACH * 32) {
      uint32_t bits[EACH];

#pragma unroll
      for (int u = 0; u < EACH; u++)
        bits[u] = first + u * 32 < run.n ? run.bits[first + u * 32] : RC_CUDA_VOXEL_NO_BIT;
      set_bits (words, slab, bits);
    }
  }
}

/* All threads of a block call it. A few lanes a tile, the fewer the shorter its runs are. While the bits of one tile are set,
 * those of the next are under way, and where those after it are. */
__device__ __forceinline__ void
fill_slab (const RcCudaVoxelTask &task, int64_t item, uint32_t *words, const Slab &slab)
{
  const uint32_t n = task.is_first ? 0 : (uint32_t) head_of (task, item)->item.n_added;
  const uint32_t run = RC_CUDA_VOXEL_BIN_TILE / EXPECTED / (uint32_t) task.bins, lanes = run > 32 ? 32 : run < 4 ? 4 : run;
  Walk walk = { task.bits_set + item * task.bits_set_apart,
    task.slots + (item * task.bins + (slab.first_bit >> task.bin_shift)) * task.tiles_apart, n,
    n / RC_CUDA_VOXEL_BIN_TILE + (n % RC_CUDA_VOXEL_BIN_TILE != 0), threadIdx.x / lanes, THREADS / lanes,
    threadIdx.x % lanes, lanes
  };
  uint32_t slot = next_slot (walk);
  bool is_long = false;
  Load next;

  begin_load (&walk, slot, &next);
  for (slot = next_slot (walk); walk.tile - walk.step < walk.tiles; slot = next_slot (walk)) {
    Load now = next;

    begin_load (&walk, slot, &next);
    set_bits (words, slab, now.bits);
    is_long |= now.run.n > EACH * lanes;
  }
  if (__syncthreads_or (is_long))
    fill_rest (words, slab, walk);
}

/* SIZE 0: bits. */
template <int SIZE>
__device__ __forceinline__ uint32_t
write_slab (const RcCudaVoxelTask &task, int64_t item, const uint32_t *words, int64_t first_word, uint32_t n)
{
  char *grid = task.grid + item * task.grid_batch_stride;
  uint32_t occupied = 0;

  for (uint32_t first = threadIdx.x / 32 * 32; first < n; first += THREADS) {
    const uint32_t own = first + threadIdx.x % 32, word = own < n ? words[own] : 0;

    occupied += __popc (word);
    if constexpr (SIZE > 0) {
      const uint32_t needed = own < n ? take_word<true> (task, item, first_word + own, word) : 0;

      expand_words<SIZE> (task, grid + (first_word + first) * 32 * SIZE, word, needed,
          task.voxels - (first_word + first) * 32);
    } else if (own < n) {
      reinterpret_cast<uint32_t *> (grid)[first_word + own] = word;
    }
  }
  return occupied;
}

extern __shared__ __align__ (16) uint32_t slab_words[];

/* Blocks that fill their slabs, and others that write theirs, share a multiprocessor. */
template <int SIZE>
__global__ void __launch_bounds__ (THREADS, at_once (2))
write_slabs (const __grid_constant__ RcCudaVoxelTask task)
{
  uint32_t occupied = 0;

  for (int64_t block = blockIdx.x; block < task.batch * task.slabs; block += gridDim.x) {
    const int64_t item = block / task.slabs, first_word = (block - item * task.slabs) * task.slab_words;
    const int64_t left = task.bit_words - first_word;
    const uint32_t n = (uint32_t) (left < task.slab_words ? left : task.slab_words);
    const Slab slab = { (uint32_t) first_word * 32, n * 32 };

    for (uint32_t i = threadIdx.x; i < n; i += THREADS)
      slab_words[i] = 0;
    __syncthreads ();
    fill_slab (task, item, slab_words, slab);
    __syncthreads ();
    occupied += write_slab<SIZE> (task, item, slab_words, first_word, n);
    __syncthreads ();
  }
  add_occupied_by (task, occupied, slab_words);         /* no other shared memory: Turing has 64 KB for a block */
}
}

const void *const rc_cuda_voxel_write_slabs[4] = {
  reinterpret_cast<const void *> (write_slabs<0>), reinterpret_cast<const void *> (write_slabs<1>),
  reinterpret_cast<const void *> (write_slabs<2>), reinterpret_cast<const void *> (write_slabs<4>)
};

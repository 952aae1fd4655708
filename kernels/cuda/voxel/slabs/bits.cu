/* robocache: occupancy on the GPU: from the bits of points to the output, through bitmaps in shared memory
 *
 * The bitmap of an item is cut into pieces, which are dealt to slabs in turn. A block reads the bits of its slab, which are
 * a run in each tile of points (fill.cuh), sets them in shared memory, and expands the slab piece by piece.
 *
 * Bytes that must move: 4 a point, and 4 for each tile of points and slab, which the L2 mostly still has; a bit a voxel of
 * the grid's bitmap read, and its changed words written; of the output every byte once, 16 at a time if possible, or if the
 * content of the grid is known the sectors that change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/dense/expand.cuh"
#include "fill.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_SLAB_THREADS;
constexpr int MANY_SET = 8;     /* set ones among the first bits of 32 lanes */
constexpr uint32_t PIECE = RC_CUDA_VOXEL_PIECE_WORDS;

static_assert (PIECE == THREADS && PIECE * 32 == 1 << RC_CUDA_VOXEL_PIECE_SHIFT, "a word a thread");

/* ---- filling a slab ---- */

/* Sets each bit of the slab. A lane without one adds nothing to a word of its own: branches would cost more. */
__device__ __forceinline__ void
set_each (uint32_t *words, const Slab &slab, const uint32_t bits[BITS_EACH])
{
#pragma unroll
  for (int u = 0; u < BITS_EACH; u++) {
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

struct SetBits
{
  /* Testing a bit costs as much as setting it, except for bits that many points set, whose atomics queue. So a warp tests
   * the first bit of each lane; if many are set already, it tests all others, too. All lanes call it. */
  static __device__ __forceinline__ void
  insert (uint32_t *words, const Slab &slab, uint32_t bits[BITS_EACH])
  {
    if (__popc (__ballot_sync (ALL_LANES, is_set (words, slab, bits[0]))) >= MANY_SET) {
#pragma unroll
      for (int u = 0; u < BITS_EACH; u++)
        bits[u] = is_set (words, slab, bits[u]) ? RC_CUDA_VOXEL_NO_BIT : bits[u];
    }
    set_each (words, slab, bits);
  }
};

/* ---- the output ---- */

/* Writes the part of the grid that a slab has. SIZE 0: bits. All threads of a block call it. Returns the number of bits
 * that are set in the thread's words. */
template <int SIZE>
__device__ __forceinline__ uint32_t
write_slab (const Grid &grid, const Values &values, const Slabs &slabs, const Dense &dense, const Place &place,
    const uint32_t *words)
{
  char *out = dense.data + place.item * dense.batch_stride;
  const uint32_t n = (uint32_t) grid.bit_words, apart = (uint32_t) slabs.n * PIECE, lane = threadIdx.x % 32;
  uint32_t occupied = 0;

  for (uint32_t own = place.slab * PIECE + threadIdx.x; own - lane < n; own += apart, words += PIECE) {
    const uint32_t word = own < n ? words[threadIdx.x] : 0;

    occupied += __popc (word);
    if constexpr (SIZE > 0) {
      const uint32_t needed = own < n ? update_word<true> (dense, place.item, own, word) : 0;
      const int64_t first = own - lane;

      expand_words<SIZE> (values, dense, out + first * 32 * SIZE, word, needed, grid.voxels - first * 32);
    } else if (own < n) {
      reinterpret_cast<uint32_t *> (out)[own] = word;
    }
  }
  return occupied;
}

DYNAMIC_SHARED (uint32_t, slab_words);

/* Sets the bits of one slab in shared memory and writes its part of the grid. SIZE 0: bits. A block per slab of an item.
 * Blocks that fill and blocks that write share a multiprocessor, unless the launch gives each one of its own. BLOCKS of
 * them have enough registers. */
template <int SIZE, int BLOCKS>
__global__ void __launch_bounds__ (THREADS, at_once (BLOCKS))
write_slabs (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Slabs slabs,
    GRID_CONSTANT Dense dense)
{
  const Place place = own_place (slabs);
  const uint32_t n_bits = (uint32_t) slabs.words * 32;

  allow_next ();
  for (uint32_t i = threadIdx.x; i < slabs.words; i += THREADS)
    slab_words[i] = 0;
  wait_for_previous ();
  __syncthreads ();
  fill_slab<SetBits> (job, slabs, place.item, slab_words, { place.slab * n_bits, n_bits });
  __syncthreads ();

  const uint32_t occupied = write_slab<SIZE> (grid, values, slabs, dense, place, slab_words);

  __syncthreads ();
  add_occupied_by (dense.counters, occupied, slab_words);        /* no other shared memory: Turing has 64 KB for a block */
}
}

#define FOR_SIZES(blocks) { \
    VOXEL_KERNEL (write_slabs<0, blocks>), VOXEL_KERNEL (write_slabs<1, blocks>), \
    VOXEL_KERNEL (write_slabs<2, blocks>), VOXEL_KERNEL (write_slabs<4, blocks>) }

const RcCudaVoxelKernel rc_cuda_voxel_write_slabs[2][4] = { FOR_SIZES (2), FOR_SIZES (1) };

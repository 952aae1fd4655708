/* robocache: occupancy on the GPU, through bitmaps in shared memory
 *
 * A bit set at random costs the L2 as much as a whole sector, so for a batch of items add only stores the bit that each
 * point sets, and the end makes the bitmaps where that is cheap: the bitmap of an item is cut into slabs, a block reads
 * the bits of all points of the item, sets those of its slab in shared memory, and expands the slab.
 *
 * Bytes that must move: 4 a point for each slab of its item, most of which the L2 still has; a bit a voxel of the grid's
 * bitmap read, and those of its words that change written; of the output every byte once, 16 at a time where it can be, or
 * where it is known what the grid holds, the sectors that change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "voxel_expand.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_SLAB_THREADS;
constexpr int VECTORS = 8;      /* of 4 bits, which a thread has under way */

struct Slab
{
  uint32_t first_bit, n_bits;
};

__device__ __forceinline__ void
set_bit (uint32_t *words, const Slab &slab, uint32_t bit)
{
  const uint32_t at = bit - slab.first_bit;

  if (at < slab.n_bits)
    atomicOr (words + at / 32, 1u << (at % 32));
}

/* Points beside each other are often in one voxel. */
__device__ __forceinline__ void
set_bits (uint32_t *words, const Slab &slab, const uint4 &bits)
{
  set_bit (words, slab, bits.x);
  if (bits.y != bits.x)
    set_bit (words, slab, bits.y);
  if (bits.z != bits.y)
    set_bit (words, slab, bits.z);
  if (bits.w != bits.z)
    set_bit (words, slab, bits.w);
}

__device__ __forceinline__ void
fill_slab (uint32_t *words, const Slab &slab, const uint32_t *bits, int64_t n)
{
  const int64_t vectors = n / 4;

  for (int64_t first = threadIdx.x; first < vectors; first += VECTORS * THREADS) {
    uint4 four[VECTORS];

#pragma unroll
    for (int u = 0; u < VECTORS; u++)
      four[u] = first + u * THREADS < vectors ? reinterpret_cast<const uint4 *> (bits)[first + u * THREADS]
          : make_uint4 (RC_CUDA_VOXEL_NO_BIT, RC_CUDA_VOXEL_NO_BIT, RC_CUDA_VOXEL_NO_BIT, RC_CUDA_VOXEL_NO_BIT);
#pragma unroll
    for (int u = 0; u < VECTORS; u++)
      set_bits (words, slab, four[u]);
  }
  if (threadIdx.x < n % 4)
    set_bit (words, slab, bits[vectors * 4 + threadIdx.x]);
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

template <int SIZE>
__global__ void __launch_bounds__ (THREADS)
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
    fill_slab (slab_words, slab, task.bits_set + item * task.bits_set_apart, head_of (task, item)->item.n_added);
    __syncthreads ();
    occupied += write_slab<SIZE> (task, item, slab_words, first_word, n);
    __syncthreads ();
  }
  add_occupied (task, occupied);
}
}

const void *const rc_cuda_voxel_write_slabs[4] = {
  reinterpret_cast<const void *> (write_slabs<0>), reinterpret_cast<const void *> (write_slabs<1>),
  reinterpret_cast<const void *> (write_slabs<2>), reinterpret_cast<const void *> (write_slabs<4>)
};

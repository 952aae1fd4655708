/* robocache: counts on the GPU: from the bits of points to the output, through counts in shared memory
 *
 * The grid of an item is cut into slabs. A block reads the bits of its slab, which are a run in each tile of points
 * (fill.cuh), and counts each in shared memory.
 *
 * Bytes that must move: 4 a point, and 4 for each tile of points and slab, which the L2 mostly still has; of the output
 * every byte once, or if the content of the grid is known the sectors that may change.
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
constexpr int AT_ONCE = 4;      /* groups of 16 bytes that a thread has under way */

struct CountBits
{
  /* Counts each bit. An atomic whose result is not used takes lanes of the same voxel together. */
  static __device__ __forceinline__ void
  insert (uint32_t *counts, const Slab &slab, const uint32_t bits[BITS_EACH])
  {
#pragma unroll
    for (int u = 0; u < BITS_EACH; u++) {
      const uint32_t at = bits[u] - slab.first_bit;

      if (at < slab.n_bits)
        atomicAdd (counts + at, 1u);
    }
  }
};

/* ---- the output ---- */

/* 16 bytes of the output, and which of their voxels are occupied. */
template <int SIZE>
__device__ __forceinline__ uint4
values_of (const Values &values, const uint32_t *counts, uint32_t *is)
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
      const uint32_t value = SIZE == 4 ? values.dtype == RC_FLOAT32 ? rc_bits32 ((float) each[k]) : each[k]
          : count_bits (SIZE == 1 ? RC_UINT8 : RC_FLOAT16, each[k]);

      *is |= (each[k] != 0) << (i + k);
      words[(i + k) * SIZE / 4] |= value << (i + k) * SIZE % 4 * 8;
    }
  }
  return make_uint4 (words[0], words[1], words[2], words[3]);
}

/* Writes the part of the grid that a slab has, 16 bytes at a time, of which each thread has several under way. All threads
 * of a block call it. Returns the number of occupied voxels that the thread wrote. */
template <int SIZE>
__device__ __forceinline__ uint32_t
write_whole (const Values &values, const Slabs &slabs, const Dense &dense, const Place &place, const uint32_t *counts)
{
  constexpr uint32_t VOXELS = 16 / SIZE, STEP = THREADS * VOXELS;
  const uint32_t n = (uint32_t) slabs.words;
  char *out = dense.data + place.item * dense.batch_stride + (int64_t) place.slab * n * SIZE;
  uint32_t occupied = 0;

#pragma unroll 1
  for (uint32_t first = threadIdx.x * VOXELS; first < n; first += AT_ONCE * STEP) {
    uint4 vectors[AT_ONCE];

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      uint32_t is = 0;

      if (first + u * STEP < n)
        vectors[u] = values_of<SIZE> (values, counts + first + u * STEP, &is);
      occupied += __popc (is);
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (first + u * STEP < n)
        __stcs (reinterpret_cast<uint4 *> (out + (first + u * STEP) * SIZE), vectors[u]);
    }
  }
  return occupied;
}

/* The same for a grid that may not be aligned to 16 bytes, or whose bitmap is wanted, or whose bitmap states what need not
 * be written. */
template <int SIZE>
__device__ __forceinline__ uint32_t
write_needed (const Grid &grid, const Values &values, const Slabs &slabs, const Dense &dense, const Place &place,
    const uint32_t *counts)
{
  constexpr uint32_t VOXELS = 16 / SIZE, LANES = 32 / VOXELS;   /* lanes that share a word */
  constexpr uint32_t sector = (uint32_t) ((UINT64_C (1) << 2 * VOXELS) - 1);
  const uint32_t part = threadIdx.x % LANES;
  const uint32_t words = (uint32_t) slabs.words / 32, all = (uint32_t) grid.bit_words;
  const uint32_t first_word = min (place.slab * words, all), n = min (all - first_word, words);
  char *out = dense.data + place.item * dense.batch_stride;
  uint32_t occupied = 0;

  for (uint32_t first = threadIdx.x / 32 * VOXELS; first < n; first += THREADS / 32 * VOXELS) {
    const uint32_t w = first + threadIdx.x % 32 / LANES;
    const int64_t voxel = (int64_t) (first_word + w) * 32 + part * VOXELS;
    uint32_t is = 0, needed = 0;
    uint4 vector = make_uint4 (0, 0, 0, 0);

    if (w < n)
      vector = values_of<SIZE> (values, counts + w * 32 + part * VOXELS, &is);
    occupied += __popc (is);
    is <<= part * VOXELS;
#pragma unroll
    for (uint32_t distance = 1; distance < LANES; distance *= 2)
      is |= __shfl_xor_sync (ALL_LANES, is, distance);
    if (w < n && part == 0)
      needed = update_word<false> (dense, place.item, first_word + w, is);
    needed = __shfl_sync (ALL_LANES, needed, 0, LANES);
    if ((needed >> part / 2 * 2 * VOXELS & sector) != 0)
      write_group<SIZE> (dense, out + voxel * SIZE, vector, grid.voxels - voxel);
  }
  return occupied;
}

DYNAMIC_SHARED (uint32_t, slab_counts);

/* Counts the points of each voxel of one slab in shared memory and writes its part of the grid. A block per slab of an
 * item. Blocks that count and blocks that write share a multiprocessor. */
template <int SIZE>
__global__ void __launch_bounds__ (THREADS, at_once (2))
count_slabs (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Slabs slabs,
    GRID_CONSTANT Dense dense)
{
  const Place place = own_place (slabs);
  const uint32_t n = (uint32_t) slabs.words;

  allow_next ();
  for (uint32_t i = threadIdx.x; i < n / 4; i += THREADS)
    reinterpret_cast<uint4 *> (slab_counts)[i] = make_uint4 (0, 0, 0, 0);
  wait_for_previous ();
  __syncthreads ();
  fill_slab<CountBits> (job, slabs, place.item, slab_counts, { place.slab * n, n });
  __syncthreads ();

  const bool is_whole = dense.is_whole && dense.occupied == NULL && (place.slab + 1) * (int64_t) n <= grid.voxels;
  const uint32_t occupied = is_whole ? write_whole<SIZE> (values, slabs, dense, place, slab_counts)
      : write_needed<SIZE> (grid, values, slabs, dense, place, slab_counts);

  __syncthreads ();
  add_occupied_by (dense.counters, occupied, slab_counts);       /* no other shared memory: Turing has 64 KB for a block */
}
}

const RcCudaVoxelKernel rc_cuda_voxel_count_slabs[3] = {
  VOXEL_KERNEL (count_slabs<1>), VOXEL_KERNEL (count_slabs<2>), VOXEL_KERNEL (count_slabs<4>)
};

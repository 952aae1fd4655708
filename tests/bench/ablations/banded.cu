/* robocache: interpolation as a product with a banded matrix, by mma.sync (compute capability 8.0)
 *
 * PTX ISA, "mma.m16n8k16" and "ldmatrix".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "banded.cuh"

using namespace ablation;

namespace
{
/* Rows k … k + 15 of 16 channels, as two fragments of 8 channels. */
__device__ __forceinline__ void
load_fragments (char *staged, int32_t k, int32_t channels, uint32_t rows[4])
{
  const int32_t lane = threadIdx.x % 32;
  const char *from = piece (staged, k + lane % 16, channels * 2 + lane / 16);

  asm volatile ("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
      :"=r" (rows[0]), "=r" (rows[1]), "=r" (rows[2]), "=r" (rows[3]):"r" (shared_address (from)):"memory");
}

__device__ __forceinline__ void
multiply (float sums[4], const uint32_t weights[4], const uint32_t rows[2])
{
  asm volatile ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};":"+f" (sums[0]), "+f" (sums[1]), "+f" (sums[2]), "+f" (sums[3])
      :"r" (weights[0]), "r" (weights[1]), "r" (weights[2]), "r" (weights[3]), "r" (rows[0]), "r" (rows[1]));
}

template <bool REST>
__device__ __forceinline__ void
multiply_all (char *staged, int32_t k, int32_t row, const Tick &tick0, const Tick &tick1, Accumulators &sums)
{
  uint32_t weights[4];

  make_weights<REST> (tick0, tick1, row, weights);
#pragma unroll
  for (int i = 0; i < BANDED_CHANNELS / 16; i++) {
    uint32_t rows[4];

    load_fragments (staged, k, i, rows);
    multiply (sums.of[2 * i], weights, rows);
    multiply (sums.of[2 * i + 1], weights, rows + 2);
  }
}

template <bool SPLIT>
struct Mma
{
  static __device__ __forceinline__ void order () { }

  static __device__ __forceinline__ void
  step (char *staged, int32_t k, int32_t row, const Tick &tick0, const Tick &tick1, Accumulators &sums)
  {
    /* the warp has nothing to do with rows that its 16 ticks do not need */
    const int32_t first = __shfl_sync (~0u, tick0.row, 0), last = __reduce_max_sync (~0u, max (tick0.next, tick1.next));

    if (row > last || row + BANDED_STEP <= first)
      return;
    multiply_all<false> (staged, k, row, tick0, tick1, sums);
    if (SPLIT)
      multiply_all<true> (staged, k, row, tick0, tick1, sums);
  }
};

template <bool SPLIT>
__global__ void __launch_bounds__ (BANDED_THREADS)
align_mma (const __grid_constant__ EpisodesArgs args)
{
  align_banded<Mma<SPLIT>> (args);
}
}

const void *const banded_mma[2] = {
  reinterpret_cast<const void *> (align_mma<false>),
  reinterpret_cast<const void *> (align_mma<true>),
};

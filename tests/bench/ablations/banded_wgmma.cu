/* robocache: interpolation as a product with a banded matrix, by wgmma (compute capability 9.0a)
 *
 * PTX ISA, "wgmma.mma_async" with A in registers, and "matrix descriptor". The rows are B, whose channels are contiguous: 64
 * of them are the 128 bytes of the swizzle, and 8 rows are 1024 bytes apart from the next 8.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "banded.cuh"

using namespace ablation;

namespace
{
__device__ __forceinline__ uint64_t
descriptor_of (const char *rows)
{
  const uint64_t eight_rows = 8 * 16 * PIECES / 16, swizzle_128 = 1;

  return (shared_address (rows) & 0x3FFFF) / 16 | eight_rows << 16 | eight_rows << 32 | swizzle_128 << 62;
}

__device__ __forceinline__ void
multiply (Accumulators &sums, const uint32_t weights[4], uint64_t rows)
{
  float (*c)[4] = sums.of;

  asm volatile ("wgmma.fence.sync.aligned;":::"memory");
  asm volatile ("{\n"
      ".reg .pred adds;\n"
      "setp.eq.u32 adds, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, adds, 1, 1, 1;\n"
      "}"
      :"+f" (c[0][0]), "+f" (c[0][1]), "+f" (c[0][2]), "+f" (c[0][3]), "+f" (c[1][0]), "+f" (c[1][1]), "+f" (c[1][2]),
      "+f" (c[1][3]), "+f" (c[2][0]), "+f" (c[2][1]), "+f" (c[2][2]), "+f" (c[2][3]), "+f" (c[3][0]), "+f" (c[3][1]),
      "+f" (c[3][2]), "+f" (c[3][3]), "+f" (c[4][0]), "+f" (c[4][1]), "+f" (c[4][2]), "+f" (c[4][3]), "+f" (c[5][0]),
      "+f" (c[5][1]), "+f" (c[5][2]), "+f" (c[5][3]), "+f" (c[6][0]), "+f" (c[6][1]), "+f" (c[6][2]), "+f" (c[6][3]),
      "+f" (c[7][0]), "+f" (c[7][1]), "+f" (c[7][2]), "+f" (c[7][3])
      :"r" (weights[0]), "r" (weights[1]), "r" (weights[2]), "r" (weights[3]), "l" (rows));
  asm volatile ("wgmma.commit_group.sync.aligned;":::"memory");
  asm volatile ("wgmma.wait_group.sync.aligned 0;":::"memory");
}

template <bool SPLIT>
struct Wgmma
{
  static __device__ __forceinline__ void order () { order_bulk_copies (); }

  /* All 64 ticks together: whoever does not need these rows multiplies them with zeros. */
  static __device__ __forceinline__ void
  step (char *staged, int32_t k, int32_t row, const Tick &tick0, const Tick &tick1, Accumulators &sums)
  {
    const uint64_t rows = descriptor_of (staged + k * 16 * PIECES);
    uint32_t weights[4];

    make_weights<false> (tick0, tick1, row, weights);
    multiply (sums, weights, rows);
    if (SPLIT) {
      make_weights<true> (tick0, tick1, row, weights);
      multiply (sums, weights, rows);
    }
  }
};

template <bool SPLIT>
__global__ void __launch_bounds__ (BANDED_THREADS)
align_wgmma (const __grid_constant__ EpisodesArgs args)
{
  align_banded<Wgmma<SPLIT>> (args);
}
}

const void *const banded_wgmma[2] = {
  reinterpret_cast<const void *> (align_wgmma<false>),
  reinterpret_cast<const void *> (align_wgmma<true>),
};

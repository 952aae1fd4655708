/* robocache: bulk copies into shared memory, and barriers that count their bytes (compute capability 9.0)
 *
 * PTX ISA, "cp.async.bulk", "cp.async.bulk.tensor" and "mbarrier".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_BULK_CUH
#define BENCH_BULK_CUH

#include <cuda.h>
#include <stdint.h>

namespace ablation
{
__device__ __forceinline__ uint32_t
shared_address (const void *p)
{
  return (uint32_t) __cvta_generic_to_shared (p);
}

/* By one thread, before the block waits. */
__device__ __forceinline__ void
barrier_init (uint64_t *barrier)
{
  asm volatile ("mbarrier.init.shared::cta.b64 [%0], 1;"::"r" (shared_address (barrier)):"memory");
  asm volatile ("fence.mbarrier_init.release.cluster;":::"memory");
}

/* The phase ends when so many bytes have come. */
__device__ __forceinline__ void
barrier_expect (uint64_t *barrier, uint32_t bytes)
{
  asm volatile ("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"::"r" (shared_address (barrier)), "r" (bytes)
      :"memory");
}

__device__ __forceinline__ void
barrier_wait (uint64_t *barrier, uint32_t parity)
{
  uint32_t done = 0;

  while (!done)
    asm volatile ("{\n"
        ".reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n"
        "}":"=r" (done):"r" (shared_address (barrier)), "r" (parity):"memory");
}

/* Addresses and bytes are multiples of 16. */
__device__ __forceinline__ void
bulk_copy (void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
  asm volatile ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      ::"r" (shared_address (to)), "l" (__cvta_generic_to_global (from)), "r" (bytes), "r" (shared_address (barrier))
      :"memory");
}

/* A box of the map from (column, row) on. */
__device__ __forceinline__ void
tensor_copy (void *to, const CUtensorMap *map, int32_t column, int32_t row, uint64_t *barrier)
{
  asm volatile ("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
      ::"r" (shared_address (to)), "l" (reinterpret_cast<uint64_t> (map)), "r" (column), "r" (row),
      "r" (shared_address (barrier)):"memory");
}

/* What threads read of shared memory comes before what bulk copies write there next. */
__device__ __forceinline__ void
order_bulk_copies ()
{
  asm volatile ("fence.proxy.async.shared::cta;":::"memory");
}
}

#endif

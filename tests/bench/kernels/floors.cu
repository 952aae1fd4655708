/* robocache: kernels that only fill or only read memory
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>
#include <stdint.h>

extern "C" {
#include "tests/bench/kernels/device.h"
}

namespace
{
/* A thread has every 256th word of 16 bytes of its block's memory. */
__device__ __forceinline__ int64_t
first_word ()
{
  return blockIdx.x * (int64_t) (BENCH_BLOCK_BYTES / sizeof (uint4)) + threadIdx.x;
}

__global__ void
fill (uint4 *to, uint32_t value)
{
  to += first_word ();
#pragma unroll
  for (int i = 0; i < BENCH_THREAD_WORDS; i++)
    to[i * BENCH_THREADS] = make_uint4 (value, value, value, value);
}

__global__ void
add_up (const uint4 *from, unsigned long long *sums)
{
  __shared__ unsigned long long sum;
  uint4 words[BENCH_THREAD_WORDS];
  unsigned long long mine = 0;

  if (threadIdx.x == 0)
    sum = 0;
  from += first_word ();
#pragma unroll
  for (int i = 0; i < BENCH_THREAD_WORDS; i++)
    words[i] = from[i * BENCH_THREADS];
#pragma unroll
  for (int i = 0; i < BENCH_THREAD_WORDS; i++)
    mine += (unsigned long long) words[i].x + words[i].y + words[i].z + words[i].w;
  for (int lanes = 16; lanes > 0; lanes /= 2)
    mine += __shfl_down_sync (0xFFFFFFFF, mine, lanes);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    atomicAdd (&sum, mine);
  __syncthreads ();
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
}

const void *const bench_fill = reinterpret_cast<const void *> (fill);
const void *const bench_add_up = reinterpret_cast<const void *> (add_up);

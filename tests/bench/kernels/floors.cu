/* robocache: kernels that only fill, read or scatter, or wait for memory, for floors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/floors_task.h"

#include "kernels/cuda/runtime/kernel.h"
#include "kernels/cuda/runtime/language.cuh"

namespace
{
/* ---- in order ----
 *
 * A block has a part, and a thread every so many words of 16 bytes of it. */

__device__ __forceinline__ int64_t
first_word ()
{
  return blockIdx.x * (int64_t) (BENCH_PART_BYTES / sizeof (uint4)) + threadIdx.x;
}

__global__ void
fill (uint4 *to, uint32_t value)
{
  to += first_word ();
#pragma unroll
  for (int i = 0; i < BENCH_PART_WORDS; i++)
    to[i * BENCH_MEMORY_THREADS] = make_uint4 (value, value, value, value);
}

__global__ void
add_up (const uint4 *from, unsigned long long *sums)
{
  __shared__ unsigned long long sum;
  uint4 words[BENCH_PART_WORDS];
  unsigned long long mine = 0;

  if (threadIdx.x == 0)
    sum = 0;

  from += first_word ();
#pragma unroll
  for (int i = 0; i < BENCH_PART_WORDS; i++)
    words[i] = from[i * BENCH_MEMORY_THREADS];
#pragma unroll
  for (int i = 0; i < BENCH_PART_WORDS; i++)
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

/* ---- sectors at random ----
 *
 * Two lanes have a sector, which so is written at once. */

/* A permutation of the numbers below n, which is at most 2^bits: one of the numbers of so many bits, again and again until it
 * is one of those. */
__device__ __forceinline__ uint32_t
shuffled (uint32_t i, uint32_t n, int bits)
{
  const uint32_t mask = (uint32_t) ((UINT64_C (1) << bits) - 1);

  do {
    i = i * 0x9E3779B1 & mask;
    i ^= i >> (bits + 1) / 2;
    i = i * 0x85EBCA6B & mask;
    i ^= i >> (bits + 2) / 3;
    i = i * 0xC2B2AE35 & mask;
    i ^= i >> (bits + 1) / 2;
  } while (i >= n);
  return i;
}

__device__ __forceinline__ void
write_half (uint4 *to, int64_t sector, uint32_t value)
{
  to[2 * sector + threadIdx.x % 2] = make_uint4 (value, value, value, value);
}

/* The first chosen of the permutation, one after the other. */
__global__ void
scatter (uint4 *to, uint32_t chosen, uint32_t sectors, int bits)
{
  const int64_t i = (blockIdx.x * (int64_t) BENCH_MEMORY_THREADS + threadIdx.x) / 2;

  if (i < chosen)
    write_half (to, shuffled ((uint32_t) i, sectors, bits), 1);
}

/* Of a bit for each of 32 sectors those of the pairs, and then of the fours, that have a bit. */
__device__ __forceinline__ uint32_t
with_neighbours (uint32_t sectors, int together)
{
  if (together > 1)
    sectors |= (sectors >> 1 & 0x55555555) | (sectors & 0x55555555) << 1;
  if (together > 2)
    sectors |= (sectors >> 2 & 0x33333333) | (sectors & 0x33333333) << 2;
  return sectors;
}

/* As many others, in the order in which they lie, a warp 32 of them; and as they were, the others of as many sectors as are
 * written together. */
__global__ void
scatter_in_order (uint4 *to, uint32_t chosen, uint32_t sectors, int bits, int together)
{
  const int64_t mine = blockIdx.x * (int64_t) BENCH_MEMORY_THREADS + threadIdx.x, first = mine / 32 * 32;
  const uint32_t those = __ballot_sync (0xFFFFFFFF, mine < sectors && shuffled ((uint32_t) mine, sectors, bits) < chosen);
  const uint32_t all = with_neighbours (those, together);

#pragma unroll
  for (int i = 0; i < 32; i += 16) {
    const uint32_t k = i + threadIdx.x % 32 / 2;

    if (all >> k & 1 && first + k < sectors)
      write_half (to, first + k, those >> k & 1);
  }
}

/* ---- one access after the other ---- */

__device__ __forceinline__ int64_t
place_of (const BenchPlaces &places)
{
  return blockIdx.x % places.n * places.step;
}

/* Words are 0 or 1, which the compiler cannot know. */
__global__ void
chain (BenchChainTask task)
{
  uint64_t word;

  rc::follow_previous ();
  if (threadIdx.x != 0)
    return;
  word = task.first.words[place_of (task.first)];
  if (task.second.words != nullptr)
    word = task.second.words[place_of (task.second) + (int64_t) (word >> 63)];
  task.stored.words[place_of (task.stored) + (int64_t) (word >> 63)] = word | 1;
}
}

const void *const bench_fill = KERNEL (fill);
const void *const bench_add_up = KERNEL (add_up);
const void *const bench_scatter = KERNEL (scatter);
const void *const bench_scatter_in_order = KERNEL (scatter_in_order);
const void *const bench_chain_kernel = KERNEL (chain);

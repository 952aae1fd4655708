/* robocache: from bits to elements, and the count of those that are set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_EXPAND_CUH
#define RC_CUDA_VOXEL_EXPAND_CUH

#include "voxel_points.cuh"

namespace rc
{
/* Adds the occupied voxels that each thread of a block saw. */
__device__ __forceinline__ void
add_occupied (const RcCudaVoxelTask &task, uint32_t own)
{
  __shared__ uint32_t sum;
  const uint32_t of_warp = warp_sum (own);

  if (task.counters == NULL)
    return;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads ();
  if (threadIdx.x % 32 == 0 && of_warp > 0)
    atomicAdd (&sum, of_warp);
  __syncthreads ();
  if (threadIdx.x == 0 && sum > 0)
    add_64 (&task.counters->occupied, sum);
}

/* 16 bytes from the lowest 16 / SIZE bits; one is the element for a set one. */
template <int SIZE>
__device__ __forceinline__ uint4
expand (uint32_t bits, uint32_t one)
{
  uint32_t words[4];

#pragma unroll
  for (int i = 0; i < 4; i++) {
    if constexpr (SIZE == 4)
      words[i] = bits >> i & 1 ? one : 0;
    else if constexpr (SIZE == 2)
      words[i] = (bits >> 2 * i & 1 ? one : 0) | (bits >> (2 * i + 1) & 1 ? one << 16 : 0);
    else
      words[i] = ((bits >> 4 * i & 15) * 0x00204081u & 0x01010101u) * one;
  }
  return make_uint4 (words[0], words[1], words[2], words[3]);
}

/* 16 bytes to an address that is only aligned to SIZE. */
template <int SIZE>
__device__ __forceinline__ void
write_each (char *to, const uint4 &v)
{
  const uint32_t words[4] = { v.x, v.y, v.z, v.w };

#pragma unroll
  for (int i = 0; i < 16 / SIZE; i++) {
    const uint32_t element = words[i * SIZE / 4] >> i * SIZE % 4 * 8;

    write_words<SIZE> (to + i * SIZE, &element);
  }
}

/* The elements of n words, at most 32, of which each lane of the warp has one, 512 bytes at a time. */
template <int SIZE>
__device__ __forceinline__ void
expand_words (const RcCudaVoxelTask &task, char *grid, uint32_t word, int64_t n)
{
  constexpr int lanes = 2 * SIZE;       /* that share a word */
  constexpr int bits = 32 / lanes;
  const uint32_t one = count_bits (task.dtype, 1), lane = threadIdx.x % 32;

#pragma unroll
  for (int i = 0; i < lanes; i++) {
    const int source = i * bits + (int) lane / lanes;
    const uint32_t of_source = __shfl_sync (0xFFFFFFFFu, word, source);
    const uint4 v = expand<SIZE> (of_source >> (lane % lanes * bits), one);
    char *to = grid + (i * 32 + lane) * 16;

    if (source >= n)
      continue;
    if (task.whole)
      __stcs (reinterpret_cast<uint4 *> (to), v);
    else
      write_each<SIZE> (to, v);
  }
}
}

#endif

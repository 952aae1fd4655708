/* robocache: dense grids on the GPU: from bits to elements, the parts that must be written, and the number of occupied
 * voxels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cuda/voxel/points/points.cuh"

namespace rc
{
/* Adds the occupied voxels that each thread of a block saw to the counters: a reduction over warps by shuffles, then over
 * the block in `sum`, which is shared memory. All threads call it.
 *
 *   add_occupied_by (dense.counters, occupied, slab_words);      the slab is written, so its first word is free
 */
__device__ __forceinline__ void
add_occupied_by (RcVoxelCounters *counters, uint32_t own, uint32_t *sum)
{
  const uint32_t of_warp = warp_sum (own);

  if (counters == NULL)
    return;
  if (threadIdx.x == 0)
    *sum = 0;
  __syncthreads ();
  if (threadIdx.x % 32 == 0 && of_warp > 0)
    atomicAdd (sum, of_warp);
  __syncthreads ();
  if (threadIdx.x == 0 && *sum > 0)
    add_64 (&counters->occupied, *sum);
}

__device__ __forceinline__ void
add_occupied (const Dense &dense, uint32_t own)
{
  __shared__ uint32_t sum;

  add_occupied_by (dense.counters, own, &sum);
}

/* Takes word w of an item's new bitmap into the bitmap of the grid. Returns the voxels of the word of which something must
 * be written: all if the content is not known; else those of which occupancy differs, or for values those that were or are
 * occupied.
 *
 *   was 0b0110, is 0b0101     occupancy 0b0011     values 0b0111
 */
template <bool OCCUPANCY>
__device__ __forceinline__ uint32_t
update_word (const Dense &dense, int64_t item, int64_t w, uint32_t is)
{
  uint32_t was = 0;

  if (dense.occupied != NULL) {
    uint32_t *known = reinterpret_cast<uint32_t *> (reinterpret_cast<char *> (dense.occupied)
        + item * dense.occupied_batch_stride) + w;

    if (dense.is_known)
      was = *known;
    if (!dense.is_known || was != is)
      *known = is;
  }
  return !dense.is_known ? 0xFFFFFFFFu : OCCUPANCY ? was ^ is : was | is;
}

/* 16 bytes of elements from the lowest 16 / SIZE bits; `one` is the element of a set bit.
 *
 *   expand<4> (0b0101, rc_bits32 (1.0f))      1.0f  0.0f  1.0f  0.0f
 */
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

/* Writes the first n elements of 16 bytes to an address that is only aligned to SIZE; rare. */
template <int SIZE>
__device__ __noinline__ void
write_each (char *to, const uint4 &v, int64_t n)
{
  const uint32_t words[4] = { v.x, v.y, v.z, v.w };

#pragma unroll
  for (int i = 0; i < 16 / SIZE; i++) {
    const uint32_t element = words[i * SIZE / 4] >> i * SIZE % 4 * 8;

    if (i < n)
      write_words<SIZE> (to + i * SIZE, &element);
  }
}

/* Writes 16 bytes, or less if the grid ends n elements after their start. */
template <int SIZE>
__device__ __forceinline__ void
write_group (const Dense &dense, char *to, const uint4 &v, int64_t n)
{
  if (dense.is_whole && n >= 16 / SIZE)
    __stcs (reinterpret_cast<uint4 *> (to), v);
  else
    write_each<SIZE> (to, v, n);
}

/* Writes the elements of 32 words, of which each lane of the warp has one. n: voxels of the grid from the first word on.
 * The warp writes 512 bytes at a time, and of these only sectors of 32 bytes with something needed. All lanes call it.
 *
 *   float32: 32 words are 1024 elements, in 8 stores per lane
 *   store 0   lane 0 … 7 write word 0, lanes 8 … 15 word 1, 16 … 23 word 2, 24 … 31 word 3
 */
template <int SIZE>
__device__ __forceinline__ void
expand_words (const Values &values, const Dense &dense, char *to, uint32_t word, uint32_t needed, int64_t n)
{
  constexpr int lanes = 2 * SIZE;       /* lanes that share a word */
  constexpr int bits = 32 / lanes;
  constexpr uint32_t sector = (uint32_t) ((UINT64_C (1) << 2 * bits) - 1);
  const uint32_t one = count_bits (values.dtype, 1), lane = threadIdx.x % 32;

  if (!__any_sync (ALL_LANES, needed != 0))
    return;
  if (__all_sync (ALL_LANES, needed == 0xFFFFFFFFu) && dense.is_whole && n >= 32 * 32) {
#pragma unroll
    for (int i = 0; i < lanes; i++) {
      const uint32_t of_source = __shfl_sync (ALL_LANES, word, i * bits + (int) lane / lanes);

      __stcs (reinterpret_cast<uint4 *> (to) + i * 32 + lane, expand<SIZE> (of_source >> (int) lane % lanes * bits, one));
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < lanes; i++) {
    const int source = i * bits + (int) lane / lanes, part = (int) lane % lanes;
    const uint32_t of_source = __shfl_sync (ALL_LANES, word, source);
    const uint32_t needed_of_source = __shfl_sync (ALL_LANES, needed, source);

    if ((needed_of_source >> (part / 2 * 2 * bits) & sector) != 0)
      write_group<SIZE> (dense, to + (i * 32 + lane) * 16, expand<SIZE> (of_source >> (part * bits), one),
          n - (source * 32 + part * bits));
  }
}
}

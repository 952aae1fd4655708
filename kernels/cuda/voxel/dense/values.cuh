/* robocache: elements of dense grids that are values, by warps on the GPU
 *
 * A warp takes words of the bitmap of occupied voxels. It fills the sectors in which something is needed with zeros, 16 bytes a
 * lane, but for those that it writes all of anyway: then it writes the elements of the voxels that are occupied. A source says
 * where of an occupied voxel its elements come from, loads what one is made from, several of them before the first is used, and
 * makes it; it clears what the element alone reads, and later what those of a voxel share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_VALUES_CUH
#define RC_CUDA_VOXEL_VALUES_CUH

#include "expand.cuh"

namespace rc
{
/* A word of which something is needed. */
struct alignas (16) Word
{
  uint32_t first_voxel;         /* from that of the first word on */
  uint32_t is, needed;
};

/* What a warp takes at a time. */
template <int WORDS>
struct WarpWords
{
  Word words[WORDS];
  uint16_t voxels[WORDS * 32];  /* those that are occupied, in order */
};

struct Gathered
{
  uint32_t words, voxels;       /* how many */
  int64_t first_voxel;          /* of the words: what voxels are counted from */
  uint32_t first_rank;          /* of the voxels */
};

/* How many are in lanes before this one, and in all. */
__device__ __forceinline__ uint32_t
sum_before (uint32_t own, uint32_t *sum)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t so_far = own;

#pragma unroll
  for (uint32_t distance = 1; distance < 32; distance *= 2) {
    const uint32_t other = __shfl_up_sync (ALL_LANES, so_far, distance);

    so_far += lane >= distance ? other : 0;
  }
  *sum = __shfl_sync (ALL_LANES, so_far, 31);
  return so_far - own;
}

/* The words from the first on, of which each lane has one, as far as something of it is needed. */
template <int WORDS>
__device__ __forceinline__ Gathered
put_words (uint32_t is, uint32_t needed, int64_t first, WarpWords<WORDS> *words)
{
  const uint32_t lane = threadIdx.x % 32, lanes = __ballot_sync (ALL_LANES, needed != 0);
  const uint32_t place = __popc (lanes & ((1u << lane) - 1));

  if (needed != 0)
    words->words[place] = { lane * 32, is, needed };
  return { (uint32_t) __popc (lanes), 0, first * 32, 0 };
}

/* Zeros in sectors of 32 bytes that hold something that is needed, and something that is not occupied. A lane has the
 * same 16 bytes of each word, or of every so many where a word has less than the warp writes at a time. */
template <int SIZE, int WORDS>
__device__ __forceinline__ void
fill_words (const Grid &grid, const Values &values, const Dense &dense, int64_t item, const Gathered &gathered,
    const WarpWords<WORDS> *words)
{
  constexpr uint32_t in_sector = 32 / SIZE, in_group = 16 / SIZE;
  const uint32_t channels = (uint32_t) values.channels, groups = 2 * SIZE * channels;     /* of a word */
  const uint32_t step = groups < 32 ? 32 / groups : 1, lane = threadIdx.x % 32, own = lane / groups;
  const int64_t end = (grid.voxels - gathered.first_voxel) * values.channels;
  const bool whole = dense.is_whole && end >= WORDS * 32 * values.channels;
  char *to = dense.data + item * dense.batch_stride + gathered.first_voxel * values.channels * SIZE;

  for (uint32_t group = own < step ? lane - own * groups : groups; group < groups; group += 32) {
    const uint32_t element = group * in_group, sector = element / in_sector * in_sector;
    const uint32_t first = voxel_of_element (values, sector), last = voxel_of_element (values, sector + in_sector - 1);
    const uint32_t voxels = ((2u << (last - first)) - 1) << first;

#pragma unroll 2
    for (uint32_t k = own; k < gathered.words; k += step) {
      const Word word = words->words[k];
      const uint32_t at = word.first_voxel * channels + element;
      const bool wanted = (word.needed & voxels) != 0 && (~word.is & voxels) != 0;

      if (wanted && whole)
        __stcs (reinterpret_cast<uint4 *> (to + at * SIZE), make_uint4 (0, 0, 0, 0));
      else if (wanted)
        write_group<SIZE> (dense, to + at * SIZE, make_uint4 (0, 0, 0, 0), end - at);
    }
  }
}

template <class From, int SIZE, class Words>
__device__ __forceinline__ void
write_occupied (const From &from, const Values &values, const Dense &dense, int64_t item, const Gathered &gathered,
    const Words *words)
{
  const uint32_t lane = threadIdx.x % 32, channels = (uint32_t) values.channels, n = gathered.voxels * channels;
  char *to = dense.data + item * dense.batch_stride + gathered.first_voxel * values.channels * SIZE;
  Channel next = first_channel (values, lane);

#pragma unroll 1
  for (uint32_t i = lane; i < n; i += 32 * From::at_once) {
    typename From::Kept kept[From::at_once];
    Channel own = next;

#pragma unroll
    for (int u = 0; u < From::at_once; u++) {
      if (i + u * 32 < n)
        kept[u] = from.load (item, from.entry (gathered, words, next.of), next.channel);
      next = next_channel (values, next);
    }
#pragma unroll
    for (int u = 0; u < From::at_once; u++) {
      if (i + u * 32 < n) {
        const typename From::Entry entry = from.entry (gathered, words, own.of);
        const uint32_t bits = from.template bits<SIZE> (item, entry, own.channel, kept[u]);

        write_words<SIZE> (to + (int64_t) (words->voxels[own.of] * channels + own.channel) * SIZE, &bits);
        if (!dense.accumulates)
          from.clear (item, entry, own.channel, kept[u]);
      }
      own = next_channel (values, own);
    }
  }
}

/* All lanes call it. */
template <class From, int SIZE, class Words>
__device__ __forceinline__ void
write_words_of (const From &from, const Grid &grid, const Values &values, const Dense &dense, int64_t item,
    const Gathered &gathered, const Words *words)
{
  fill_words<SIZE> (grid, values, dense, item, gathered, words);
  __syncwarp ();                /* zeros come before what takes their place */
  write_occupied<From, SIZE> (from, values, dense, item, gathered, words);
  __syncwarp ();                /* all have what they share */
  if (!dense.accumulates) {
    for (uint32_t i = threadIdx.x % 32; i < gathered.voxels; i += 32)
      from.clear_shared (item, from.entry (gathered, words, i));
  }
  __syncwarp ();
}
}

#endif

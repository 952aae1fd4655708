/* robocache: elements of dense grids that are values, by warps on the GPU
 *
 * A warp takes words of the bitmap of occupied voxels. First it writes zeros, 16 bytes a lane, to sectors with something
 * needed, except sectors that it overwrites completely. Then it writes the elements of the occupied voxels. A source
 * (`From`) has
 *
 *   entry         where the values of an occupied voxel are: its index or rank
 *   load, bits    what an element is computed from, and its bits; several loads are under way before the first is used
 *   clear         clears what this element alone reads
 *   clear_shared  clears what the elements of a voxel share
 *
 *   const Gathered gathered = gather_words (grid, job, ranks, dense, item, first, words, &occupied);
 *
 *   write_words_of<FromCounts, 4> (from, grid, values, dense, item, gathered, words);
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "expand.cuh"

namespace rc
{
/* A word of the bitmap of which something is needed. */
struct alignas (16) Word
{
  uint32_t first_voxel;         /* counted from the first voxel of the first word */
  uint32_t is, needed;
};

/* The words that a warp takes at a time. */
template <int WORDS>
struct WarpWords
{
  Word words[WORDS];
  uint16_t voxels[WORDS * 32];  /* the occupied ones, in order */
};

struct Gathered
{
  uint32_t words, voxels;       /* numbers of them */
  int64_t first_voxel;          /* of the first word; voxels are counted from it */
  uint32_t first_rank;          /* of the first voxel */
};

/* The sum of own over the lanes before this one; *sum gets that of all lanes. It is an exclusive warp scan by shuffles in
 * five steps. All lanes call it.
 *
 *   own          2  0  3  1 …
 *   sum_before   0  2  2  5 …
 *
 *   uint32_t n, at = sum_before (__popc (word), &n);
 */
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

/* Lists the words of which something is needed, without gaps. Each lane has a word, from the first on. It is a compaction:
 * a ballot, and the number of set lanes before this one as the place. All lanes call it.
 *
 *   needed         0  5  0  1      ballot 0b1010
 *   words->words   lane 1's, lane 3's
 */
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

/* Writes zeros to sectors of 32 bytes with something needed and a voxel that is not occupied. A lane has the same 16 bytes
 * of each word; if a word has less than 512 bytes, lanes share out several words. */
template <int SIZE, int WORDS>
__device__ __forceinline__ void
fill_words (const Grid &grid, const Values &values, const Dense &dense, int64_t item, const Gathered &gathered,
    const WarpWords<WORDS> *words)
{
  constexpr uint32_t in_sector = 32 / SIZE, in_group = 16 / SIZE;
  const uint32_t channels = (uint32_t) values.channels, groups = 2 * SIZE * channels;     /* groups of 16 bytes per word */
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

/* Writes the elements of occupied voxels and clears what they were computed from. All lanes call it. */
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

/* Writes zeros, then elements, then clears what elements share. All lanes call it. */
template <class From, int SIZE, class Words>
__device__ __forceinline__ void
write_words_of (const From &from, const Grid &grid, const Values &values, const Dense &dense, int64_t item,
    const Gathered &gathered, const Words *words)
{
  fill_words<SIZE> (grid, values, dense, item, gathered, words);
  __syncwarp ();                /* zeros come before the elements that replace them */
  write_occupied<From, SIZE> (from, values, dense, item, gathered, words);
  __syncwarp ();                /* all lanes have read what their elements share */
  if (!dense.accumulates) {
    for (uint32_t i = threadIdx.x % 32; i < gathered.voxels; i += 32)
      from.clear_shared (item, from.entry (gathered, words, i));
  }
  __syncwarp ();
}
}

/* robocache: voxel grids on the GPU: from accumulators to dense outputs and bits
 *
 * Points set a bit of each voxel that they come to. A warp takes words of that bitmap, clears them again, takes them into the
 * bitmap of the grid, and writes what is needed of the grid's elements. Counts and sums of means are by voxel or, where
 * voxels have ranks, by rank: as long as there are points then, in place of voxels.
 *
 * Bytes that must move: a bit a voxel read, of the grid's bitmap too, and written where it was set or changes; of the output
 * every byte once, or where it is known what the grid holds, the sectors of 32 bytes of voxels that were or are occupied (of
 * occupancy, that differ); of those that are occupied the accumulators, read once and cleared: 4 bytes for counts, 4 a value
 * for max and min, 4 and 8.5 a value for mean, 4 and 8 for centroid. Bitmaps and counts are what fits the L2 and stays in it
 * between add and end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "voxel_expand.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

/* ---- bits ---- */

__global__ void __launch_bounds__ (THREADS)
write_bits (const __grid_constant__ RcCudaVoxelTask task)
{
  const int64_t step = (int64_t) gridDim.x * THREADS, own = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  const bool wide = task.bit_words % 4 == 0 && task.whole;
  uint32_t occupied = 0;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    uint32_t *from = item_array<uint32_t> (task, item, task.layout.bits);
    char *to = task.grid + item * task.grid_batch_stride;

    if (wide) {
      for (int64_t i = own; i < task.bit_words / 4; i += step) {
        const uint4 v = reinterpret_cast<const uint4 *> (from)[i];

        occupied += __popc (v.x) + __popc (v.y) + __popc (v.z) + __popc (v.w);
        reinterpret_cast<uint4 *> (to)[i] = v;
        if ((v.x | v.y | v.z | v.w) != 0 && !task.keeps)
          reinterpret_cast<uint4 *> (from)[i] = make_uint4 (0, 0, 0, 0);
      }
    } else {
      for (int64_t i = own; i < task.bit_words; i += step) {
        occupied += __popc (from[i]);
        reinterpret_cast<uint32_t *> (to)[i] = from[i];
        if (!task.keeps)
          from[i] = 0;
      }
    }
  }
  add_occupied (task, occupied);
}

/* ---- occupancy ---- */

template <int SIZE>
__global__ void __launch_bounds__ (THREADS)
write_occupancy (const __grid_constant__ RcCudaVoxelTask task)
{
  const int64_t step = (int64_t) gridDim.x * THREADS;
  uint32_t occupied = 0;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    uint32_t *from = item_array<uint32_t> (task, item, task.layout.bits);
    char *to = task.grid + item * task.grid_batch_stride;

    for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < task.bit_words;
        first += step) {
      const int64_t own = first + threadIdx.x % 32;
      uint32_t word = 0, needed = 0;

      if (own < task.bit_words) {
        word = from[own];
        needed = take_word<true> (task, item, own, word);
        if (word != 0 && !task.keeps)
          from[own] = 0;
      }
      occupied += __popc (word);
      expand_words<SIZE> (task, to + first * 32 * SIZE, word, needed, task.voxels - first * 32);
    }
  }
  add_occupied (task, occupied);
}

/* ---- values ----
 *
 * A warp fills the sectors in which something is needed with zeros, 16 bytes a lane, but for those that it writes all of
 * anyway: then it writes the elements of the voxels that are occupied. A source loads what an element is made from, several of
 * them before the first is used, and makes it; it clears what the element alone reads, and later what those of a voxel
 * share. `entry` is the voxel, or its rank. Nothing is cleared where all is kept. */

struct FromCounts
{
  static constexpr int at_once = 4;

  struct Kept
  {
    uint32_t count;
  };

  static __device__ __forceinline__ Kept
  load (const RcCudaVoxelTask &task, int64_t item, int64_t entry, uint32_t)
  {
    return { counts_of (task, item)[entry] };
  }

  template <int SIZE>
  static __device__ __forceinline__ uint32_t
  bits (const RcCudaVoxelTask &task, int64_t, uint32_t, const Kept &kept)
  {
    return count_bits (SIZE == 1 ? RC_UINT8 : SIZE == 2 ? RC_FLOAT16 : task.dtype, kept.count);
  }

  static __device__ __forceinline__ void
  clear (const RcCudaVoxelTask &task, int64_t item, int64_t entry, uint32_t, const Kept &)
  {
    counts_of (task, item)[entry] = 0;
  }

  static __device__ __forceinline__ void
  clear_shared (const RcCudaVoxelTask &, int64_t, int64_t)
  {
  }
};

template <bool CENTROID>
struct FromSums
{
  static constexpr int at_once = 2;     /* more would spill */

  struct Kept
  {
    int64_t sum;
    uint32_t count, saw;
  };

  static __device__ __forceinline__ Kept
  load (const RcCudaVoxelTask &task, int64_t item, int64_t entry, uint32_t channel)
  {
    const int64_t at = entry * task.channels + channel;

    return { sums_of (task, item)[at], counts_of (task, item)[entry],
      CENTROID ? 0 : task.keeps ? saw_kept (task, item, at) : saw_of (saw_words_of (task, item), at)
    };
  }

  template <int SIZE>
  static __device__ __forceinline__ uint32_t
  bits (const RcCudaVoxelTask &task, int64_t item, uint32_t channel, const Kept &kept)
  {
    const double mean = rc_voxel_mean (item_array<const RcVoxelScale> (task, item, task.layout.scales) + channel, kept.sum,
        kept.count, kept.saw);

    return value_bits (SIZE == 2 ? RC_FLOAT16 : RC_FLOAT32, CENTROID ? (double) task.box.origin[channel] + mean : mean);
  }

  /* Of 8 elements that share a word of flags each clears its own, which are rare. */
  static __device__ __forceinline__ void
  clear (const RcCudaVoxelTask &task, int64_t item, int64_t entry, uint32_t channel, const Kept &kept)
  {
    const int64_t at = entry * task.channels + channel;

    sums_of (task, item)[at] = 0;
    if (kept.saw != 0)
      clear_saw (saw_words_of (task, item), at, kept.saw);
  }

  static __device__ __forceinline__ void
  clear_shared (const RcCudaVoxelTask &task, int64_t item, int64_t entry)
  {
    counts_of (task, item)[entry] = 0;
  }
};

struct FromKeys
{
  static constexpr int at_once = 4;

  struct Kept
  {
    uint32_t key;
  };

  static __device__ __forceinline__ uint32_t *
  key_of (const RcCudaVoxelTask &task, int64_t item, int64_t entry, uint32_t channel)
  {
    return item_array<uint32_t> (task, item, task.layout.keys) + entry * task.channels + channel;
  }

  static __device__ __forceinline__ Kept
  load (const RcCudaVoxelTask &task, int64_t item, int64_t entry, uint32_t channel)
  {
    return { *key_of (task, item, entry, channel) };
  }

  template <int SIZE>
  static __device__ __forceinline__ uint32_t
  bits (const RcCudaVoxelTask &task, int64_t, uint32_t, const Kept &kept)
  {
    return extreme_bits (task, kept.key);
  }

  static __device__ __forceinline__ void
  clear (const RcCudaVoxelTask &task, int64_t item, int64_t entry, uint32_t channel, const Kept &)
  {
    *key_of (task, item, entry, channel) = 0;
  }

  static __device__ __forceinline__ void
  clear_shared (const RcCudaVoxelTask &, int64_t, int64_t)
  {
  }
};

/* What a warp takes at a time. */
struct WarpWords
{
  uint32_t lane[32];            /* words of which something is needed: which of them */
  uint32_t is[32];
  uint32_t needed[32];
  uint16_t voxels[32 * 32];     /* those that are occupied, in order */
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

/* Words from the first on; all lanes call it. */
__device__ __forceinline__ Gathered
gather_words (const RcCudaVoxelTask &task, int64_t item, int64_t first, WarpWords *words, uint32_t *occupied)
{
  const uint32_t lane = threadIdx.x % 32;
  const int64_t own = first + lane;
  uint32_t is = 0, needed = 0, rank = 0;
  Gathered gathered = { 0, 0, first * 32, 0 };

  if (lane < task.warp_words && own < task.bit_words) {
    uint32_t *word = item_array<uint32_t> (task, item, task.layout.bits) + own;

    is = *word;
    if (task.ranked)            /* of no use where no bit is set */
      rank = ranks_of (task, item)[own];
    needed = take_word<false> (task, item, own, is);
    if (is != 0 && !task.keeps)
      *word = 0;
  }
  *occupied += __popc (is);

  const uint32_t lanes = __ballot_sync (ALL_LANES, needed != 0), set = __ballot_sync (ALL_LANES, is != 0);
  const uint32_t place = __popc (lanes & ((1u << lane) - 1));
  uint32_t at = sum_before (__popc (is), &gathered.voxels);

  gathered.words = __popc (lanes);
  gathered.first_rank = __shfl_sync (ALL_LANES, rank, set != 0 ? __ffs ((int) set) - 1 : 0);
  if (needed != 0) {
    words->lane[place] = lane;
    words->is[place] = is;
    words->needed[place] = needed;
  }
  for (; is != 0; is &= is - 1)
    words->voxels[at++] = (uint16_t) (lane * 32 + (uint32_t) __ffs ((int) is) - 1);
  __syncwarp ();
  return gathered;
}

/* element / channels of an element of 32 words. */
__device__ __forceinline__ uint32_t
voxel_of_element (const RcCudaVoxelTask &task, uint32_t element)
{
  return (uint32_t) ((uint64_t) element * task.channel_inverse >> 31);
}

/* Zeros in sectors of 32 bytes that hold something that is needed, and something that is not occupied. */
template <int SIZE>
__device__ __forceinline__ void
fill_words (const RcCudaVoxelTask &task, int64_t item, const Gathered &gathered, const WarpWords *words)
{
  constexpr uint32_t in_sector = 32 / SIZE, in_group = 16 / SIZE;
  const uint32_t channels = (uint32_t) task.channels, groups = 2 * SIZE * channels;     /* of a word */
  const int64_t end = task.voxels * task.channels;
  char *to = task.grid + item * task.grid_batch_stride;

  for (uint32_t i = threadIdx.x % 32; i < gathered.words * groups; i += 32) {
    const uint32_t k = voxel_of_element (task, i / (2 * SIZE)), element = (i - k * groups) * in_group;
    const uint32_t first = voxel_of_element (task, element / in_sector * in_sector);
    const uint32_t last = voxel_of_element (task, element / in_sector * in_sector + in_sector - 1);
    const uint32_t voxels = ((2u << (last - first)) - 1) << first;

    if ((words->needed[k] & voxels) != 0 && (~words->is[k] & voxels) != 0) {
      const int64_t at = (gathered.first_voxel + words->lane[k] * 32) * task.channels + element;

      write_group<SIZE> (task, to + at * SIZE, make_uint4 (0, 0, 0, 0), end - at);
    }
  }
}

template <class From, int SIZE>
__device__ __forceinline__ void
write_occupied (const RcCudaVoxelTask &task, int64_t item, const Gathered &gathered, const WarpWords *words)
{
  const uint32_t lane = threadIdx.x % 32, channels = (uint32_t) task.channels, n = gathered.voxels * channels;
  char *to = task.grid + item * task.grid_batch_stride;
  Channel next = first_channel (lane, channels);

#pragma unroll 1
  for (uint32_t i = lane; i < n; i += 32 * From::at_once) {
    typename From::Kept kept[From::at_once];
    Channel own = next;

#pragma unroll
    for (int u = 0; u < From::at_once; u++) {
      if (i + u * 32 < n)
        kept[u] = From::load (task, item, task.ranked ? gathered.first_rank + next.of
            : gathered.first_voxel + words->voxels[next.of], next.channel);
      next = next_channel (next, channels);
    }
#pragma unroll
    for (int u = 0; u < From::at_once; u++) {
      if (i + u * 32 < n) {
        const int64_t voxel = gathered.first_voxel + words->voxels[own.of];
        const uint32_t bits = From::template bits<SIZE> (task, item, own.channel, kept[u]);

        write_words<SIZE> (to + (voxel * task.channels + own.channel) * SIZE, &bits);
        if (!task.keeps)
          From::clear (task, item, task.ranked ? gathered.first_rank + own.of : voxel, own.channel, kept[u]);
      }
      own = next_channel (own, channels);
    }
  }
}

template <class From>
__device__ __forceinline__ void
clear_shared (const RcCudaVoxelTask &task, int64_t item, const Gathered &gathered, const WarpWords *words)
{
  for (uint32_t i = threadIdx.x % 32; i < gathered.voxels; i += 32)
    From::clear_shared (task, item, task.ranked ? gathered.first_rank + i : gathered.first_voxel + words->voxels[i]);
}

template <class From, int SIZE>
__global__ void __launch_bounds__ (THREADS, at_once (RC_CUDA_VOXEL_WRITE_BLOCKS))
write_values (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ WarpWords of_warps[RC_CUDA_VOXEL_WARPS];
  WarpWords *words = &of_warps[threadIdx.x / 32];
  const int64_t step = (int64_t) gridDim.x * RC_CUDA_VOXEL_WARPS * task.warp_words;
  const int64_t own = ((int64_t) blockIdx.x * RC_CUDA_VOXEL_WARPS + threadIdx.x / 32) * task.warp_words;
  uint32_t occupied = 0;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    for (int64_t first = own; first < task.bit_words; first += step) {
      const Gathered gathered = gather_words (task, item, first, words, &occupied);

      fill_words<SIZE> (task, item, gathered, words);
      __syncwarp ();            /* zeros come before what takes their place */
      write_occupied<From, SIZE> (task, item, gathered, words);
      __syncwarp ();            /* all have what they share */
      if (!task.keeps)
        clear_shared<From> (task, item, gathered, words);
      __syncwarp ();
    }
  }
  add_occupied (task, occupied);
}
}

/* A macro takes commas only in parentheses. */
#define KERNEL(...) reinterpret_cast<const void *> (__VA_ARGS__)

const void *const rc_cuda_voxel_write_bits = KERNEL (write_bits);
const void *const rc_cuda_voxel_write_occupancy[3] = {
  KERNEL (write_occupancy<1>), KERNEL (write_occupancy<2>), KERNEL (write_occupancy<4>)
};
const void *const rc_cuda_voxel_write[RC_CUDA_VOXEL_VALUES][3] = {
  { KERNEL (write_values<FromCounts, 1>), KERNEL (write_values<FromCounts, 2>), KERNEL (write_values<FromCounts, 4>) },
  { NULL, KERNEL (write_values<FromSums<false>, 2>), KERNEL (write_values<FromSums<false>, 4>) },
  { NULL, KERNEL (write_values<FromSums<true>, 2>), KERNEL (write_values<FromSums<true>, 4>) },
  { NULL, KERNEL (write_values<FromKeys, 2>), KERNEL (write_values<FromKeys, 4>) },
};

/* robocache: voxel grids on the GPU: from accumulators to dense outputs and bits
 *
 * Points set a bit of each voxel that they come to. A warp takes words of that bitmap, clears them again, takes them into the
 * bitmap of the grid, and writes what is needed of the grid's elements.
 *
 * Bytes that must move: a bit a voxel read, of the grid's bitmap too, and written where it was set or changes; of the output
 * every byte once, or where it is known what the grid holds, the sectors of 32 bytes of voxels that were or are occupied (of
 * occupancy, that differ); of those that are occupied the accumulators, read once and cleared: 4 bytes for counts, 4 a value
 * for max and min, 4 and 8.5 a value for mean, 4 and 8 for centroid. Bitmaps and counts are what fits the L2 and stays in it between
 * add and end.
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
 * A source gives the element `at`, which is a channel of a voxel, and is asked once for each of an occupied one; 0 where
 * is_set says that it is none: lanes go on together, since branches would nest too deep. It clears what it alone reads; what
 * elements of a voxel share is cleared by clear_word, once all lanes have what they read. Nothing is where all is kept. */

/* What is shared by the elements of word w: a lane clears the count of its voxel. */
__device__ __forceinline__ void
clear_counts (const RcCudaVoxelTask &task, int64_t item, int64_t w, uint32_t is)
{
  if ((is >> threadIdx.x % 32 & 1) != 0 && !task.keeps)
    item_array<uint32_t> (task, item, task.layout.counts)[w * 32 + threadIdx.x % 32] = 0;
}

struct FromCounts
{
  static __device__ __forceinline__ uint32_t
  take (const RcCudaVoxelTask &task, int64_t item, int64_t voxel, int64_t, int64_t, bool is_set)
  {
    return is_set ? count_bits (task.dtype, item_array<const uint32_t> (task, item, task.layout.counts)[voxel]) : 0;
  }

  static __device__ __forceinline__ void
  clear_word (const RcCudaVoxelTask &task, int64_t item, int64_t w, uint32_t is)
  {
    clear_counts (task, item, w, is);
  }
};

template <bool CENTROID>
struct FromSums
{
  static __device__ __forceinline__ uint32_t
  take (const RcCudaVoxelTask &task, int64_t item, int64_t voxel, int64_t channel, int64_t at, bool is_set)
  {
    int64_t *own = item_array<int64_t> (task, item, task.layout.sums) + at;
    const uint32_t count = is_set ? item_array<const uint32_t> (task, item, task.layout.counts)[voxel] : 1;
    const uint32_t saw = !is_set || CENTROID ? 0 : task.keeps ? saw_kept (task, item, at)
        : saw_of (item_array<const uint32_t> (task, item, task.layout.saw), at);
    const int64_t sum = is_set ? *own : 0;
    const double mean = rc_voxel_mean (item_array<const RcVoxelScale> (task, item, task.layout.scales) + channel, sum,
        count, saw);
    const uint32_t bits = value_bits (task.dtype, CENTROID ? (double) task.box.origin[channel] + mean : mean);

    if (is_set)
      *own = task.keeps ? sum : 0;
    if (saw != 0 && !task.keeps)        /* rare; of 8 elements that share a word each clears its own bits */
      clear_saw (item_array<uint32_t> (task, item, task.layout.saw), at, saw);
    return is_set ? bits : 0;
  }

  static __device__ __forceinline__ void
  clear_word (const RcCudaVoxelTask &task, int64_t item, int64_t w, uint32_t is)
  {
    clear_counts (task, item, w, is);
  }
};

struct FromKeys
{
  static __device__ __forceinline__ uint32_t
  take (const RcCudaVoxelTask &task, int64_t item, int64_t, int64_t, int64_t at, bool is_set)
  {
    uint32_t *own = item_array<uint32_t> (task, item, task.layout.keys) + at;
    const uint32_t key = is_set ? *own : 0;

    if (is_set)
      *own = 0;
    return extreme_bits (task, key);
  }

  static __device__ __forceinline__ void
  clear_word (const RcCudaVoxelTask &, int64_t, int64_t, uint32_t)
  {
  }
};

/* Words of which something is needed, of those that a warp takes at a time. */
struct WarpWords
{
  uint32_t lane[32];            /* which of them */
  uint32_t is[32];
  uint32_t needed[32];
};

/* Returns how many are in words; all lanes call it. */
__device__ __forceinline__ uint32_t
gather_words (const RcCudaVoxelTask &task, int64_t item, int64_t first, WarpWords *words, uint32_t *occupied)
{
  const uint32_t lane = threadIdx.x % 32;
  const int64_t own = first + lane;
  uint32_t is = 0, needed = 0;

  if (lane < task.warp_words && own < task.bit_words) {
    uint32_t *word = item_array<uint32_t> (task, item, task.layout.bits) + own;

    is = *word;
    needed = take_word<false> (task, item, own, is);
    if (is != 0 && !task.keeps)
      *word = 0;
  }
  *occupied += __popc (is);

  const uint32_t lanes = __ballot_sync (ALL_LANES, needed != 0), place = __popc (lanes & ((1u << lane) - 1));

  if (needed != 0) {
    words->lane[place] = lane;
    words->is[place] = is;
    words->needed[place] = needed;
  }
  __syncwarp ();
  return __popc (lanes);
}

/* Whether a sector of 32 bytes, which begins at that element of a word, holds a channel of a voxel that is needed. */
__device__ __forceinline__ bool
needs_sector (uint32_t needed, uint32_t element, uint32_t elements, uint32_t channels)
{
  const uint32_t first = element / channels, last = (element + elements - 1) / channels;

  return (needed >> first & ((2u << (last - first)) - 1)) != 0;
}

/* The elements of words, 32 of them at a time: one a lane, since more of them nest branches too deep. */
template <class From, int SIZE>
__device__ __forceinline__ void
write_words_of_warp (const RcCudaVoxelTask &task, int64_t item, int64_t first, const WarpWords *words, uint32_t n)
{
  constexpr uint32_t in_sector = 32 / SIZE;
  const uint32_t channels = (uint32_t) task.channels;
  const int64_t end = task.voxels * task.channels;
  char *to = task.grid + item * task.grid_batch_stride;

#pragma unroll 1
  for (uint32_t row = 0, k = 0; k < n;) {
    const uint32_t element = row * 32 + threadIdx.x % 32, of_word = element / channels;
    const int64_t voxel = (first + words->lane[k]) * 32, at = voxel * task.channels + element;
    const bool is_set = words->is[k] >> of_word & 1;
    uint32_t bits = 0;

    if (__any_sync (ALL_LANES, is_set))
      bits = From::take (task, item, voxel + of_word, element - of_word * channels, at, is_set);
    if (at < end && needs_sector (words->needed[k], element / in_sector * in_sector, in_sector, channels))
      write_words<SIZE> (to + at * SIZE, &bits);
    if (++row == channels) {
      __syncwarp ();
      From::clear_word (task, item, first + words->lane[k], words->is[k]);
      row = 0;
      k++;
    }
  }
}

template <class From, int SIZE>
__global__ void __launch_bounds__ (THREADS)
write_values (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ WarpWords of_warps[RC_CUDA_VOXEL_WARPS];
  WarpWords *words = &of_warps[threadIdx.x / 32];
  const int64_t step = (int64_t) gridDim.x * RC_CUDA_VOXEL_WARPS * task.warp_words;
  const int64_t own = ((int64_t) blockIdx.x * RC_CUDA_VOXEL_WARPS + threadIdx.x / 32) * task.warp_words;
  uint32_t occupied = 0;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    for (int64_t first = own; first < task.bit_words; first += step) {
      const uint32_t n = gather_words (task, item, first, words, &occupied);

      write_words_of_warp<From, SIZE> (task, item, first, words, n);
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

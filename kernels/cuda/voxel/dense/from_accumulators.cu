/* robocache: voxel grids on the GPU: from accumulators to dense outputs and bits
 *
 * Points have set the bit of their voxel. A warp takes words of that bitmap, clears them, takes them into the bitmap of the
 * grid, and writes the needed elements of the grid. Counts and sums are by voxel, or by rank where voxels of means have
 * ranks: then they are as long as there are points, not voxels. Accumulators of sliding windows are not cleared.
 *
 * Bytes that must move: a bit a voxel read, of the grid's bitmap too, and written where it was set or changes; of the
 * output every byte once, or if the content of the grid is known the sectors of 32 bytes of voxels that were or are
 * occupied (of occupancy, that differ); of occupied voxels the accumulators, read once and cleared: 4 bytes for counts, 4 a
 * value for max and min, 4 and 8.5 a value for mean, 4 and 8 for centroid. Bitmaps and counts stay in the L2 between add
 * and end, as far as they fit there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/points/ranks.cuh"
#include "values.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;

/* ---- bits ---- */

/* Blocks per multiprocessor at once; 0: the compiler chooses. From 10.0 on it would spill registers on some GPUs (11.0). */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr int BITS_BLOCKS = 6;
#else
constexpr int BITS_BLOCKS = 0;
#endif

/* Copies the bitmap of each item to the output and clears it. A grid-stride loop of 16 bytes a thread, as copies are fastest. */
__global__ void __launch_bounds__ (THREADS, BITS_BLOCKS)
write_bits (GRID_CONSTANT Grid grid, GRID_CONSTANT Job job, GRID_CONSTANT Dense dense)
{
  const int64_t step = (int64_t) gridDim.x * THREADS, own = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  const bool wide = grid.bit_words % 4 == 0 && dense.is_whole;
  uint32_t occupied = 0;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    uint32_t *from = item_array<uint32_t> (job, item, job.layout.bits);
    char *to = dense.data + item * dense.batch_stride;

    if (wide) {
      for (int64_t i = own; i < grid.bit_words / 4; i += step) {
        const uint4 v = reinterpret_cast<const uint4 *> (from)[i];

        occupied += __popc (v.x) + __popc (v.y) + __popc (v.z) + __popc (v.w);
        reinterpret_cast<uint4 *> (to)[i] = v;
        if ((v.x | v.y | v.z | v.w) != 0 && !dense.accumulates)
          reinterpret_cast<uint4 *> (from)[i] = make_uint4 (0, 0, 0, 0);
      }
    } else {
      for (int64_t i = own; i < grid.bit_words; i += step) {
        occupied += __popc (from[i]);
        reinterpret_cast<uint32_t *> (to)[i] = from[i];
        if (!dense.accumulates)
          from[i] = 0;
      }
    }
  }
  add_occupied (dense, occupied);
}

/* ---- occupancy ---- */

/* Writes an element per voxel from the bitmap of each item, and clears the bitmap. A warp expands 32 words at a time, so
 * that it stores whole lines. */
template <int SIZE>
__global__ void __launch_bounds__ (THREADS)
write_occupancy (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Dense dense)
{
  const int64_t step = (int64_t) gridDim.x * THREADS;
  uint32_t occupied = 0;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    uint32_t *from = item_array<uint32_t> (job, item, job.layout.bits);
    char *to = dense.data + item * dense.batch_stride;

    for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < grid.bit_words;
        first += step) {
      const int64_t own = first + threadIdx.x % 32;
      uint32_t word = 0, needed = 0;

      if (own < grid.bit_words) {
        word = from[own];
        needed = update_word<true> (dense, item, own, word);
        if (word != 0 && !dense.accumulates)
          from[own] = 0;
      }
      occupied += __popc (word);
      expand_words<SIZE> (values, dense, to + first * 32 * SIZE, word, needed, grid.voxels - first * 32);
    }
  }
  add_occupied (dense, occupied);
}

/* ---- values ---- */

/* What all sources may read. An entry is the index of a voxel, or its rank. */
struct FromEntries
{
  const Grid &grid;
  const Values &values;
  const Job &job;
  const Accumulators &accumulators;
  const Ranks &ranks;
  const Dense &dense;

  using Entry = int64_t;

  __device__ __forceinline__ Entry
  entry (const Gathered &gathered, const WarpWords<32> *words, uint32_t k) const
  {
    return ranks.is_ranked ? gathered.first_rank + k : gathered.first_voxel + words->voxels[k];
  }
};

struct FromCounts : FromEntries
{
  static constexpr int at_once = 4;

  struct Kept
  {
    uint32_t count;
  };

  __device__ __forceinline__ Kept
  load (int64_t item, int64_t entry, uint32_t) const
  {
    return { counts_of (accumulators, item)[entry] };
  }

  template <int SIZE>
  __device__ __forceinline__ uint32_t
  bits (int64_t, int64_t, uint32_t, const Kept &kept) const
  {
    return count_bits (SIZE == 1 ? RC_UINT8 : SIZE == 2 ? RC_FLOAT16 : values.dtype, kept.count);
  }

  __device__ __forceinline__ void
  clear (int64_t item, int64_t entry, uint32_t, const Kept &) const
  {
    counts_of (accumulators, item)[entry] = 0;
  }

  __device__ __forceinline__ void
  clear_shared (int64_t, int64_t) const
  {
  }
};

template <bool CENTROID>
struct FromSums : FromEntries
{
  static constexpr int at_once = 2;     /* more would spill */

  struct Kept
  {
    int64_t sum;
    uint32_t count, nonfinite_flags;
  };

  __device__ __forceinline__ Kept
  load (int64_t item, int64_t entry, uint32_t channel) const
  {
    const int64_t at = entry * values.channels + channel;

    return { sums_of (accumulators, item)[at], counts_of (accumulators, item)[entry],
      CENTROID ? 0 : dense.accumulates ? nonfinite_counted (job, item, at)
      : nonfinite_flags_of (nonfinite_words_of (accumulators, item), at)
    };
  }

  template <int SIZE>
  __device__ __forceinline__ uint32_t
  bits (int64_t item, int64_t, uint32_t channel, const Kept &kept) const
  {
    const double mean = rc_voxel_mean (item_array<const RcVoxelScale> (job, item, job.layout.scales) + channel, kept.sum,
        kept.count, kept.nonfinite_flags);

    return value_bits (SIZE == 2 ? RC_FLOAT16 : RC_FLOAT32, CENTROID ? (double) grid.box.origin[channel] + mean : mean);
  }

  /* 8 elements share a word of flags, so each clears its own, which are rare. */
  __device__ __forceinline__ void
  clear (int64_t item, int64_t entry, uint32_t channel, const Kept &kept) const
  {
    const int64_t at = entry * values.channels + channel;

    sums_of (accumulators, item)[at] = 0;
    if (kept.nonfinite_flags != 0)
      clear_nonfinite_flags (nonfinite_words_of (accumulators, item), at, kept.nonfinite_flags);
  }

  __device__ __forceinline__ void
  clear_shared (int64_t item, int64_t entry) const
  {
    counts_of (accumulators, item)[entry] = 0;
  }
};

struct FromKeys : FromEntries
{
  static constexpr int at_once = 4;

  struct Kept
  {
    uint32_t key;
  };

  __device__ __forceinline__ uint32_t *
  key_of (int64_t item, int64_t entry, uint32_t channel) const
  {
    return item_array<uint32_t> (job, item, job.layout.keys) + entry * values.channels + channel;
  }

  __device__ __forceinline__ Kept
  load (int64_t item, int64_t entry, uint32_t channel) const
  {
    return { *key_of (item, entry, channel) };
  }

  template <int SIZE>
  __device__ __forceinline__ uint32_t
  bits (int64_t, int64_t, uint32_t, const Kept &kept) const
  {
    return extreme_bits (values, kept.key);
  }

  __device__ __forceinline__ void
  clear (int64_t item, int64_t entry, uint32_t channel, const Kept &) const
  {
    *key_of (item, entry, channel) = 0;
  }

  __device__ __forceinline__ void
  clear_shared (int64_t, int64_t) const
  {
  }
};

/* Lists the needed words of the bitmap from the first on, and their occupied voxels. Clears the words. All lanes call it. */
__device__ __forceinline__ Gathered
gather_words (const Grid &grid, const Job &job, const Ranks &ranks, const Dense &dense, int64_t item, int64_t first,
    WarpWords<32> *words, uint32_t *occupied)
{
  const uint32_t lane = threadIdx.x % 32;
  const int64_t own = first + lane;
  uint32_t is = 0, needed = 0, rank = 0;

  if (lane < dense.warp_words && own < grid.bit_words) {
    uint32_t *word = item_array<uint32_t> (job, item, job.layout.bits) + own;

    is = *word;
    if (ranks.is_ranked)            /* not valid unless a bit is set */
      rank = ranked_of_item (ranks.bitmaps[0], item)[own].before;
    needed = update_word<false> (dense, item, own, is);
    if (is != 0 && !dense.accumulates)
      *word = 0;
  }
  *occupied += __popc (is);

  Gathered gathered = put_words (is, needed, first, words);
  const uint32_t set = __ballot_sync (ALL_LANES, is != 0);
  uint32_t at = sum_before (__popc (is), &gathered.voxels);

  gathered.first_rank = __shfl_sync (ALL_LANES, rank, set != 0 ? __ffs ((int) set) - 1 : 0);
  for (; is != 0; is &= is - 1)
    words->voxels[at++] = (uint16_t) (lane * 32 + (uint32_t) __ffs ((int) is) - 1);
  __syncwarp ();
  return gathered;
}

/* Writes the values of each voxel (counts, means, extremes) and clears the accumulators. A warp takes dense.warp_words
 * words of the bitmap at a time: few if the grid is small, so that all multiprocessors have work. */
template <class From, int SIZE>
__global__ void __launch_bounds__ (THREADS, at_once (RC_CUDA_VOXEL_WRITE_BLOCKS))
write_values (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job,
    GRID_CONSTANT Accumulators accumulators, GRID_CONSTANT Ranks ranks, GRID_CONSTANT Dense dense)
{
  const From from = { grid, values, job, accumulators, ranks, dense };
  __shared__ WarpWords<32> of_warps[RC_CUDA_VOXEL_WARPS];
  WarpWords<32> *words = &of_warps[threadIdx.x / 32];
  const int64_t step = (int64_t) gridDim.x * RC_CUDA_VOXEL_WARPS * dense.warp_words;
  const int64_t own = ((int64_t) blockIdx.x * RC_CUDA_VOXEL_WARPS + threadIdx.x / 32) * dense.warp_words;
  uint32_t occupied = 0;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    for (int64_t first = own; first < grid.bit_words; first += step) {
      const Gathered gathered = gather_words (grid, job, ranks, dense, item, first, words, &occupied);

      write_words_of<From, SIZE> (from, grid, values, dense, item, gathered, words);
    }
  }
  add_occupied (dense, occupied);
}
}

const RcCudaVoxelKernel rc_cuda_voxel_write_bits = VOXEL_KERNEL (write_bits);
const RcCudaVoxelKernel rc_cuda_voxel_write_occupancy[3] = {
  VOXEL_KERNEL (write_occupancy<1>), VOXEL_KERNEL (write_occupancy<2>), VOXEL_KERNEL (write_occupancy<4>)
};
const RcCudaVoxelKernel rc_cuda_voxel_write[RC_CUDA_VOXEL_VALUE_SOURCES][3] = {
  { VOXEL_KERNEL (write_values<FromCounts, 1>), VOXEL_KERNEL (write_values<FromCounts, 2>),
      VOXEL_KERNEL (write_values<FromCounts, 4>) },
  { { }, VOXEL_KERNEL (write_values<FromSums<false>, 2>), VOXEL_KERNEL (write_values<FromSums<false>, 4>) },
  { { }, VOXEL_KERNEL (write_values<FromSums<true>, 2>), VOXEL_KERNEL (write_values<FromSums<true>, 4>) },
  { { }, VOXEL_KERNEL (write_values<FromKeys, 2>), VOXEL_KERNEL (write_values<FromKeys, 4>) },
};

/* robocache: voxel grids on the GPU: from accumulators to dense outputs and bits
 *
 * Bytes that must move: every byte of the output is written once, 16 at a time where it can be; the accumulators are
 * read once: a bit a voxel for occupancy, 4 bytes a voxel for count, 4 a value for max and min, 4 a voxel and, of
 * those that are occupied, 8 a value for mean and centroid. Bits and counts are what fits the L2 and stays in it
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

/* ---- bits ---- */

__global__ void __launch_bounds__ (THREADS)
write_bits (const __grid_constant__ RcCudaVoxelTask task)
{
  const int64_t step = (int64_t) gridDim.x * THREADS, own = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  const bool wide = task.bit_words % 4 == 0 && task.whole;
  uint32_t occupied = 0;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const uint32_t *from = item_array<const uint32_t> (task, item, task.layout.bits);
    char *to = task.grid + item * task.grid_batch_stride;

    if (wide) {
      for (int64_t i = own; i < task.bit_words / 4; i += step) {
        const uint4 v = reinterpret_cast<const uint4 *> (from)[i];

        occupied += __popc (v.x) + __popc (v.y) + __popc (v.z) + __popc (v.w);
        reinterpret_cast<uint4 *> (to)[i] = v;
      }
    } else {
      for (int64_t i = own; i < task.bit_words; i += step) {
        occupied += __popc (from[i]);
        reinterpret_cast<uint32_t *> (to)[i] = from[i];
      }
    }
  }
  add_occupied (task, occupied);
}

/* ---- occupancy, rows of whole words ---- */

template <int SIZE>
__global__ void __launch_bounds__ (THREADS)
write_rows (const __grid_constant__ RcCudaVoxelTask task)
{
  const int64_t step = (int64_t) gridDim.x * THREADS;
  uint32_t occupied = 0;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const uint32_t *from = item_array<const uint32_t> (task, item, task.layout.bits);
    char *to = task.grid + item * task.grid_batch_stride;

    for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < task.bit_words;
        first += step) {
      const int64_t own = first + threadIdx.x % 32;
      const uint32_t word = own < task.bit_words ? from[own] : 0;

      occupied += __popc (word);
      expand_words<SIZE> (task, to + first * 32 * SIZE, word, task.bit_words - first);
    }
  }
  add_occupied (task, occupied);
}

/* ---- any grid ----
 *
 * A source walks over the elements of an item in steps of one. `bits` is those of the element, `occupied` whether it is
 * the first one of an occupied voxel. */

struct FromBits
{
  const uint32_t *words;
  int64_t at;

  __device__ __forceinline__
  FromBits (const RcCudaVoxelTask &task, int64_t item, int64_t first) : at (first)
  {
    words = item_array<const uint32_t> (task, item, task.layout.bits);
  }

  __device__ __forceinline__ void
  next (const RcCudaVoxelTask &)
  {
    at++;
  }

  __device__ __forceinline__ uint32_t
  bits (const RcCudaVoxelTask &task, bool *occupied) const
  {
    *occupied = words[at / 32] >> (at % 32) & 1;
    return *occupied ? count_bits (task.dtype, 1) : 0;
  }
};

struct FromCounts
{
  const uint32_t *count;

  __device__ __forceinline__
  FromCounts (const RcCudaVoxelTask &task, int64_t item, int64_t at)
  {
    count = item_array<const uint32_t> (task, item, task.layout.counts) + at;
  }

  __device__ __forceinline__ void
  next (const RcCudaVoxelTask &)
  {
    count++;
  }

  __device__ __forceinline__ uint32_t
  bits (const RcCudaVoxelTask &task, bool *occupied) const
  {
    *occupied = *count > 0;
    return count_bits (task.dtype, *count);
  }
};

/* Where an element is: its voxel and its channel. */
struct VoxelWalk
{
  int64_t item, at, voxel, channel;

  __device__ __forceinline__
  VoxelWalk (const RcCudaVoxelTask &task, int64_t item, int64_t at) : item (item), at (at)
  {
    voxel = (int64_t) divide_64 ((uint64_t) at, (uint64_t) task.channels);
    channel = at - voxel * task.channels;
  }

  __device__ __forceinline__ void
  next (const RcCudaVoxelTask &task)
  {
    at++;
    if (++channel == task.channels) {
      channel = 0;
      voxel++;
    }
  }
};

template <bool CENTROID>
struct FromSums : VoxelWalk
{
  using VoxelWalk::VoxelWalk;

  __device__ __forceinline__ uint32_t
  bits (const RcCudaVoxelTask &task, bool *occupied) const
  {
    const uint32_t count = item_array<const uint32_t> (task, item, task.layout.counts)[voxel];

    *occupied = count > 0 && channel == 0;
    if (count == 0)
      return 0;
    const RcVoxelScale *scale = item_array<const RcVoxelScale> (task, item, task.layout.scales) + channel;
    const int64_t sum = item_array<const int64_t> (task, item, task.layout.sums)[at];

    if constexpr (CENTROID)
      return value_bits (task.dtype, (double) task.box.origin[channel] + rc_voxel_mean (scale, sum, count, 0));
    else
      return value_bits (task.dtype, rc_voxel_mean (scale, sum, count,
              saw_of (item_array<const uint32_t> (task, item, task.layout.saw), at)));
  }
};

struct FromKeys : VoxelWalk
{
  using VoxelWalk::VoxelWalk;

  __device__ __forceinline__ uint32_t
  bits (const RcCudaVoxelTask &task, bool *occupied) const
  {
    const uint32_t key = item_array<const uint32_t> (task, item, task.layout.keys)[at];

    *occupied = key != 0 && channel == 0;
    return extreme_bits (task, key);
  }
};

template <int SIZE>
__device__ __forceinline__ void
put_bits (char *to, uint32_t bits)
{
  write_words<SIZE> (to, &bits);
}

/* 16 bytes at a time from the first address that 16 divides; threads of block 0 write what is before and after. */
template <class From, int SIZE>
__global__ void __launch_bounds__ (THREADS)
write_values (const __grid_constant__ RcCudaVoxelTask task)
{
  constexpr int elements = 16 / SIZE, in_word = 4 / SIZE;
  const int64_t n = task.voxels * task.channels, step = (int64_t) gridDim.x * THREADS;
  const int64_t own = (int64_t) blockIdx.x * THREADS + threadIdx.x;
  uint32_t n_occupied = 0;
  bool occupied;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    char *to = task.grid + item * task.grid_batch_stride;
    const int64_t past = (int64_t) (reinterpret_cast<uint64_t> (to) % 16), before = (16 - past) % 16 / SIZE;
    const int64_t lead = before < n ? before : n, groups = (n - lead) / elements, end = lead + groups * elements;

    for (int64_t group = own; group < groups; group += step) {
      From from (task, item, lead + group * elements);
      uint32_t words[4] = { 0, 0, 0, 0 };

#pragma unroll
      for (int i = 0; i < elements; i++) {
        words[i / in_word] |= from.bits (task, &occupied) << (i % in_word * SIZE * 8 % 32);
        n_occupied += occupied;
        from.next (task);
      }
      __stcs (reinterpret_cast<uint4 *> (to + lead * SIZE) + group, make_uint4 (words[0], words[1], words[2],
              words[3]));
    }
    if (own < lead + (n - end)) {
      const int64_t at = own < lead ? own : end + own - lead;

      put_bits<SIZE> (to + at * SIZE, From (task, item, at).bits (task, &occupied));
      n_occupied += occupied;
    }
  }
  add_occupied (task, n_occupied);
}
}

/* A macro takes commas only in parentheses. */
#define KERNEL(...) reinterpret_cast<const void *> (__VA_ARGS__)

const void *const rc_cuda_voxel_write_bits = KERNEL (write_bits);
const void *const rc_cuda_voxel_write_rows[3] = {
  KERNEL (write_rows<1>), KERNEL (write_rows<2>), KERNEL (write_rows<4>)
};
const void *const rc_cuda_voxel_write[RC_CUDA_VOXEL_VALUES][3] = {
  { KERNEL (write_values<FromBits, 1>), KERNEL (write_values<FromBits, 2>), KERNEL (write_values<FromBits, 4>) },
  { KERNEL (write_values<FromCounts, 1>), KERNEL (write_values<FromCounts, 2>), KERNEL (write_values<FromCounts, 4>) },
  { NULL, KERNEL (write_values<FromSums<false>, 2>), KERNEL (write_values<FromSums<false>, 4>) },
  { NULL, KERNEL (write_values<FromSums<true>, 2>), KERNEL (write_values<FromSums<true>, 4>) },
  { NULL, KERNEL (write_values<FromKeys, 2>), KERNEL (write_values<FromKeys, 4>) },
};

/* robocache: dense means on the GPU of points that stay in place until the job ends
 *
 * Where one chunk has all points, the end can read them where they are. So range leaves in each voxel the point that came last,
 * and adding is left to do for the others alone, which are few unless points crowd: their sums go to accumulators of their
 * voxels. The end reads the newest point of each voxel, adds what is there of others, and writes the mean.
 *
 * Bytes that must move: 8 of each point, and of each other one its features, read, and 8 a value of its voxel; 4 of each voxel,
 * and of each occupied one its newest point's features, read; of the output what voxel_write.cu says.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "voxel_parts.cuh"
#include "voxel_values.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr int WARPS = RC_CUDA_VOXEL_WARPS;
constexpr int MOST_WORDS = 8;   /* that a warp takes at a time: enough to have many features under way */
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

template <class Source>
__device__ __forceinline__ void
load_value (const RcCudaVoxelTask &task, int64_t item, uint32_t point, uint32_t channel, uint32_t *words)
{
  Source::load_feature (task, task.data + item * task.batch_stride + (int64_t) point * task.stride
      + Source::feature_offset (task), channel, words);
}

__device__ __forceinline__ const RcVoxelScale *
scale_of (const RcCudaVoxelTask &task, int64_t item, uint32_t channel)
{
  return item_array<const RcVoxelScale> (task, item, task.layout.scales) + channel;
}

/* ---- adding the others ---- */

/* Of 32 points that others may have been left beside, one after the other. */
struct Others
{
  RcCudaVoxelOther of[32];
};

__device__ __forceinline__ uint32_t
gather_others (const RcCudaVoxelTask &task, int64_t item, int64_t i, Others *others)
{
  const RcCudaVoxelOther own = i < task.n ? others_of (task, item)[i] : RcCudaVoxelOther { 0, 0 };
  const uint32_t lanes = __ballot_sync (ALL_LANES, own.point > 0), lane = threadIdx.x % 32;

  if (own.point > 0) {
    others->of[__popc (lanes & ((1u << lane) - 1))] = own;
    atomicAdd (counts_of (task, item) + own.voxel, 1u);
    atomicOr (newest_of (task, item) + own.voxel, RC_CUDA_VOXEL_HAS_OTHERS);
  }
  __syncwarp ();
  return __popc (lanes);
}

template <class Source>
__device__ __forceinline__ void
add_features_of (const RcCudaVoxelTask &task, int64_t item, const Others *others, uint32_t n)
{
  const uint32_t lane = threadIdx.x % 32, channels = (uint32_t) task.channels;
  Channel own = first_channel (lane, channels);

#pragma unroll 1
  for (uint32_t i = lane; i < n * channels; i += 32, own = next_channel (own, channels)) {
    const RcCudaVoxelOther other = others->of[own.of];
    const int64_t at = (int64_t) other.voxel * channels + own.channel;
    uint32_t words[2];

    load_value<Source> (task, item, other.point - 1, own.channel, words);

    const double x = Source::feature_of (words);
    const uint32_t saw = rc_voxel_saw (x);

    if (saw != 0)
      add_saw (saw_words_of (task, item), at, saw);
    else
      add_64 (sums_of (task, item) + at, rc_voxel_fixed (scale_of (task, item, own.channel), x));
  }
}

/* What range found of the points, which all came with it. */
__device__ __forceinline__ void
count_points (const RcCudaVoxelTask &task, int64_t item)
{
  const uint32_t *missed = head_of (task, item)->missed;

  add_counter (&task.counters->points, (uint32_t) task.n);
  add_counter (&task.counters->inside, (uint32_t) task.n - missed[0] - missed[1] - missed[2]);
  add_counter (&task.counters->outside, missed[0]);
  add_counter (&task.counters->nan, missed[1]);
  add_counter (&task.counters->infinite, missed[2]);
}

template <class Source>
__global__ void __launch_bounds__ (THREADS, at_once (4))
add_others (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ Others of_warps[WARPS];
  Others *others = &of_warps[threadIdx.x / 32];

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < task.n;
        first += (int64_t) gridDim.x * THREADS) {
      const uint32_t n = gather_others (task, item, first + threadIdx.x % 32, others);

      add_features_of<Source> (task, item, others, n);
      __syncwarp ();
    }
    if (task.counters != NULL && blockIdx.x == 0 && threadIdx.x == 0)
      count_points (task, item);
  }
}

/* ---- the output ---- */

struct WarpNewest : WarpWords<MOST_WORDS>
{
  uint32_t newest[MOST_WORDS * 32];     /* of the voxels that are occupied */
};

template <class Source>
struct FromNewest
{
  static constexpr int at_once = 4;

  struct Entry
  {
    int64_t voxel;
    uint32_t newest;

    __device__ __forceinline__ bool
    has_others () const
    {
      return newest >= RC_CUDA_VOXEL_HAS_OTHERS;
    }
  };

  struct Kept
  {
    uint32_t words[2];
  };

  static __device__ __forceinline__ Entry
  entry (const RcCudaVoxelTask &, const Gathered &gathered, const WarpNewest *words, uint32_t k)
  {
    return { gathered.first_voxel + words->voxels[k], words->newest[k] };
  }

  static __device__ __forceinline__ Kept
  load (const RcCudaVoxelTask &task, int64_t item, const Entry &entry, uint32_t channel)
  {
    Kept kept;

    load_value<Source> (task, item, (entry.newest & ~RC_CUDA_VOXEL_HAS_OTHERS) - 1, channel, kept.words);
    return kept;
  }

  template <int SIZE>
  static __device__ __forceinline__ uint32_t
  bits (const RcCudaVoxelTask &task, int64_t item, const Entry &entry, uint32_t channel, const Kept &kept)
  {
    const RcVoxelScale *scale = scale_of (task, item, channel);
    const double x = Source::feature_of (kept.words);
    uint32_t saw = rc_voxel_saw (x), count = 1;
    int64_t sum = saw == 0 ? rc_voxel_fixed (scale, x) : 0;

    if (entry.has_others ()) {
      const int64_t at = entry.voxel * task.channels + channel;

      sum += sums_of (task, item)[at];
      count += counts_of (task, item)[entry.voxel];
      saw |= saw_of (saw_words_of (task, item), at);
    }
    return value_bits (SIZE == 2 ? RC_FLOAT16 : RC_FLOAT32, rc_voxel_mean (scale, sum, count, saw));
  }

  static __device__ __forceinline__ void
  clear (const RcCudaVoxelTask &task, int64_t item, const Entry &entry, uint32_t channel, const Kept &)
  {
    const int64_t at = entry.voxel * task.channels + channel;

    if (!entry.has_others ())
      return;
    sums_of (task, item)[at] = 0;
    clear_saw (saw_words_of (task, item), at, 7);
  }

  static __device__ __forceinline__ void
  clear_shared (const RcCudaVoxelTask &task, int64_t item, const Entry &entry)
  {
    newest_of (task, item)[entry.voxel] = 0;
    if (entry.has_others ())
      counts_of (task, item)[entry.voxel] = 0;
  }
};

__device__ __forceinline__ uint32_t
newest_at (const RcCudaVoxelTask &task, int64_t item, int64_t voxel)
{
  return voxel < task.voxels ? newest_of (task, item)[voxel] : 0;
}

/* Words from the first on; all lanes call it. */
__device__ __forceinline__ Gathered
gather_newest (const RcCudaVoxelTask &task, int64_t item, int64_t first, uint32_t n, WarpNewest *words, uint32_t *occupied)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t newest[MOST_WORDS], own = 0, voxels = 0;

#pragma unroll
  for (uint32_t w = 0; w < MOST_WORDS; w++)
    newest[w] = w < n ? newest_at (task, item, (first + w) * 32 + lane) : 0;
#pragma unroll
  for (uint32_t w = 0; w < MOST_WORDS; w++) {
    const uint32_t is = __ballot_sync (ALL_LANES, newest[w] != 0);
    const uint32_t at = voxels + __popc (is & ((1u << lane) - 1));

    if (newest[w] != 0) {
      words->voxels[at] = (uint16_t) (w * 32 + lane);
      words->newest[at] = newest[w];
    }
    own = lane == w ? is : own;
    voxels += __popc (is);
  }
  const uint32_t needed = lane < n && first + lane < task.bit_words ? take_word<false> (task, item, first + lane, own) : 0;
  Gathered gathered = put_words (own, needed, first, words);

  *occupied += __popc (own);
  gathered.voxels = voxels;
  __syncwarp ();
  return gathered;
}

template <class Source, int SIZE>
__global__ void __launch_bounds__ (THREADS, at_once (3))
write_newest (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ WarpNewest of_warps[WARPS];
  WarpNewest *words = &of_warps[threadIdx.x / 32];
  const uint32_t n = task.warp_words < MOST_WORDS ? (uint32_t) task.warp_words : MOST_WORDS;
  const int64_t step = (int64_t) gridDim.x * WARPS * n, own = ((int64_t) blockIdx.x * WARPS + threadIdx.x / 32) * n;
  uint32_t occupied = 0;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    for (int64_t first = own; first < task.bit_words; first += step) {
      const Gathered gathered = gather_newest (task, item, first, n, words, &occupied);

      write_words_of<FromNewest<Source>, SIZE> (task, item, gathered, words);
    }
  }
  add_occupied (task, occupied);
}

/* ---- points that do not stay ---- */

/* Range saw one chunk, and add gets several: voxels are marked, as if range had done it, and each point is added. */
__global__ void __launch_bounds__ (THREADS)
mark_newest (const __grid_constant__ RcCudaVoxelTask task)
{
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    for (int64_t word = (int64_t) blockIdx.x * WARPS + threadIdx.x / 32; word < task.bit_words;
        word += (int64_t) gridDim.x * WARPS) {
      const int64_t voxel = word * 32 + threadIdx.x % 32;
      const uint32_t newest = newest_at (task, item, voxel), is = __ballot_sync (ALL_LANES, newest != 0);

      if (newest != 0)
        newest_of (task, item)[voxel] = 0;
      if (threadIdx.x % 32 == 0 && is != 0)
        item_array<uint32_t> (task, item, task.layout.bits)[word] = is;
    }
  }
}
}

/* A macro takes commas only in parentheses. */
#define KERNEL(...) reinterpret_cast<const void *> (__VA_ARGS__)
#define OF_POINTS(...) { KERNEL (write_newest<__VA_ARGS__, 2>), KERNEL (write_newest<__VA_ARGS__, 4>) }

const void *const rc_cuda_voxel_add_others[RC_CUDA_VOXEL_SOURCES] = {
  KERNEL (add_others<PointSource<RC_FLOAT16>>), KERNEL (add_others<PointSource<RC_FLOAT32>>),
  KERNEL (add_others<PointSource<RC_FLOAT64>>), KERNEL (add_others<LayoutSource>),
};
const void *const rc_cuda_voxel_write_newest[RC_CUDA_VOXEL_SOURCES][2] = {
  OF_POINTS (PointSource<RC_FLOAT16>), OF_POINTS (PointSource<RC_FLOAT32>), OF_POINTS (PointSource<RC_FLOAT64>),
  OF_POINTS (LayoutSource),
};
const void *const rc_cuda_voxel_mark_newest = KERNEL (mark_newest);

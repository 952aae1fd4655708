/* robocache: dense means on the GPU of points that stay in place until the job ends
 *
 * Where one chunk has all points, the end can read them where they are. So range leaves in each voxel the point that came
 * last, and adding is left to do for the others alone, which are few unless points crowd: their sums go to accumulators of
 * their voxels. The end reads the newest point of each voxel, adds what is there of others, and writes the mean.
 *
 * Bytes that must move: 8 of each point, and of each other one its features, read, and 8 a value of its voxel; 4 of each
 * voxel, and of each occupied one its newest point's features, read; of the output what voxel_write.cu says.
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
constexpr int OTHERS = RC_CUDA_VOXEL_OTHERS_TILE / WARPS;       /* that a warp looks for at a time */
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

/* Elements that a lane has under way; more would spill. */
template <class Source>
__device__ constexpr int
features_at_once ()
{
  return Source::asks_address ? 1 : Source::feature_dtype == RC_FLOAT64 ? 2 : 4;
}

/* The features of n points, in their order in memory; several are under way before the first is taken. Functions say which
 * point number k is, and take a feature of it. */
template <class Source, int AT_ONCE, class Point, class Take>
__device__ __forceinline__ void
for_features (const RcCudaVoxelTask &task, int64_t item, uint32_t n, Point point, Take take)
{
  const char *features = task.data + item * task.batch_stride + Source::feature_offset (task);
  const uint32_t end = n * (uint32_t) task.channels;
  Channel next = first_channel (task, threadIdx.x % 32);

#pragma unroll 1
  for (uint32_t i = threadIdx.x % 32; i < end; i += 32 * AT_ONCE) {
    uint32_t loaded[AT_ONCE][2];
    Channel own = next;

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (i + u * 32 < end)
        Source::load_feature (task, features + (int64_t) point (next.of) * task.stride, next.channel, loaded[u]);
      next = next_channel (task, next);
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (i + u * 32 < end)
        take (own.of, own.channel, Source::feature_of (loaded[u]));
      own = next_channel (task, own);
    }
  }
}

/* ---- adding the others ---- */

/* Those beside the points from first on, one after the other; they are counted. All lanes call it. */
__device__ __forceinline__ uint32_t
gather_others (const RcCudaVoxelTask &task, int64_t item, int64_t first, RcCudaVoxelOther *others)
{
  constexpr int EACH = OTHERS / 32;
  const uint32_t lane = threadIdx.x % 32;
  RcCudaVoxelOther own[EACH];
  uint32_t n = 0;

#pragma unroll
  for (int u = 0; u < EACH; u++)
    own[u] = first + u * 32 + lane < task.n ? others_of (task, item)[first + u * 32 + lane] : RcCudaVoxelOther { 0, 0 };
#pragma unroll
  for (int u = 0; u < EACH; u++) {
    const uint32_t lanes = __ballot_sync (ALL_LANES, own[u].point > 0);

    if (own[u].point > 0) {
      others[n + __popc (lanes & ((1u << lane) - 1))] = own[u];
      atomicAdd (counts_of (task, item) + own[u].voxel, 1u);
      atomicOr (newest_of (task, item) + own[u].voxel, RC_CUDA_VOXEL_HAS_OTHERS);
    }
    n += __popc (lanes);
  }
  __syncwarp ();
  return n;
}

template <class Source>
__device__ __forceinline__ void
add_features_of (const RcCudaVoxelTask &task, int64_t item, const RcCudaVoxelOther *others, uint32_t n)
{
  const auto point = [&] (uint32_t k) {
    return others[k].point - 1;
  };

  for_features<Source, features_at_once<Source> ()> (task, item, n, point, [&] (uint32_t k, uint32_t channel, double x) {
    const RcVoxelScale scale = make_scale (task, item, task.n, channel);        /* nobody has stored it yet */
    const int64_t at = (int64_t) others[k].voxel * task.channels + channel;
    const uint32_t saw = rc_voxel_saw (x);

    if (saw != 0)
      add_saw (saw_words_of (task, item), at, saw);
    else
      add_64 (sums_of (task, item) + at, rc_voxel_fixed (&scale, x));
  });
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

/* And the scales, which range has found what they depend on for, are stored. */
template <class Source>
__global__ void LAUNCH_BOUNDS (THREADS, at_once (4))
add_others (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ RcCudaVoxelOther of_warps[WARPS][OTHERS];
  RcCudaVoxelOther *others = of_warps[threadIdx.x / 32];

  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    for (int64_t first = (int64_t) blockIdx.x * RC_CUDA_VOXEL_OTHERS_TILE + threadIdx.x / 32 * OTHERS; first < task.n;
        first += (int64_t) gridDim.x * RC_CUDA_VOXEL_OTHERS_TILE) {
      const uint32_t n = gather_others (task, item, first, others);

      add_features_of<Source> (task, item, others, n);
      __syncwarp ();
    }
    if (blockIdx.x == 0)
      set_scales_of (task, item);
    if (task.counters != NULL && blockIdx.x == 0 && threadIdx.x == 0)
      count_points (task, item);
  }
}

/* ---- the output ---- */

/* What a warp takes at a time. Voxels of one point come first in the list, in order, and those that have others last, from the
 * end on. */
struct WarpNewest : WarpWords<MOST_WORDS>
{
  uint32_t newest[MOST_WORDS * 32];     /* of the voxels that are occupied */
};

/* Which point is the newest of number k of the voxels listed from the first on. */
__device__ __forceinline__ uint32_t
newest_point (const WarpNewest *words, uint32_t k)
{
  return (words->newest[k] & ~RC_CUDA_VOXEL_HAS_OTHERS) - 1;
}

/* The mean of one finite value, which is what is left of it in fixed point; + 0.0 as of an integer. */
__device__ __forceinline__ double
mean_of_one (const RcVoxelScale *scale, double x)
{
  const double2 *pairs = reinterpret_cast<const double2 *> (scale);
  const double2 factor = pairs[0], inverse = pairs[1];

  return (rint (x * factor.x * factor.y) + 0.0) * inverse.x * inverse.y;
}

template <int SIZE>
__device__ __forceinline__ uint32_t
mean_bits (double mean)
{
  return value_bits (SIZE == 2 ? RC_FLOAT16 : RC_FLOAT32, mean);
}

template <class Source, int SIZE>
__device__ __forceinline__ void
write_single (const RcCudaVoxelTask &task, int64_t item, int64_t first_voxel, const WarpNewest *words, uint32_t n)
{
  const RcVoxelScale *scales = item_array<const RcVoxelScale> (task, item, task.layout.scales);
  char *to = task.grid + item * task.grid_batch_stride + first_voxel * task.channels * SIZE;

  const auto point = [&] (uint32_t k) {
    return newest_point (words, k);
  };

  for_features<Source, features_at_once<Source> ()> (task, item, n, point, [&] (uint32_t k, uint32_t channel, double x) {
    const double mean = fabs (x) < INFINITY ? mean_of_one (scales + channel, x) : x;
    const uint32_t bits = mean_bits<SIZE> (mean);

    write_words<SIZE> (to + (words->voxels[k] * (uint32_t) task.channels + channel) * SIZE, &bits);
  });
}

/* Beside the newest point, the sums of others, which are cleared. */
template <class Source, int SIZE>
__device__ __forceinline__ void
write_with_others (const RcCudaVoxelTask &task, int64_t item, int64_t first_voxel, const WarpNewest *words, uint32_t first,
    uint32_t n)
{
  const RcVoxelScale *scales = item_array<const RcVoxelScale> (task, item, task.layout.scales);
  char *to = task.grid + item * task.grid_batch_stride + first_voxel * task.channels * SIZE;

  const auto point = [&] (uint32_t k) {
    return newest_point (words, first + k);
  };

  for_features<Source, 1> (task, item, n, point, [&] (uint32_t k, uint32_t channel, double x) {
    const uint32_t voxel = words->voxels[first + k];
    const int64_t at = (first_voxel + voxel) * task.channels + channel, sum = sums_of (task, item)[at];
    const uint32_t own = rc_voxel_saw (x), seen = saw_of (saw_words_of (task, item), at);
    const int64_t whole = own == 0 ? sum + rc_voxel_fixed (scales + channel, x) : sum;
    const uint32_t bits = mean_bits<SIZE> (rc_voxel_mean (scales + channel, whole,
            counts_of (task, item)[first_voxel + voxel] + 1, own | seen));

    sums_of (task, item)[at] = 0;
    if (seen != 0)
      clear_saw (saw_words_of (task, item), at, seen);
    write_words<SIZE> (to + (voxel * (uint32_t) task.channels + channel) * SIZE, &bits);
  });
  __syncwarp ();                /* all have the counts */
  for (uint32_t i = threadIdx.x % 32; i < n; i += 32)
    counts_of (task, item)[first_voxel + words->voxels[first + i]] = 0;
}

__device__ __forceinline__ uint32_t
newest_at (const RcCudaVoxelTask &task, int64_t item, int64_t voxel)
{
  return voxel < task.voxels ? newest_of (task, item)[voxel] : 0;
}

struct Listed
{
  uint32_t single, with_others;
};

/* The voxels of a word, from lane to lane. */
__device__ __forceinline__ void
list_voxels (uint32_t newest, uint32_t word, Listed *listed, WarpNewest *words)
{
  const uint32_t lane = threadIdx.x % 32, before = (1u << lane) - 1;
  const bool has_others = newest >= RC_CUDA_VOXEL_HAS_OTHERS;
  const uint32_t others = __ballot_sync (ALL_LANES, has_others);
  const uint32_t single = __ballot_sync (ALL_LANES, newest != 0 && !has_others);
  const uint32_t at = has_others ? MOST_WORDS * 32 - 1 - listed->with_others - __popc (others & before)
      : listed->single + __popc (single & before);

  if (newest != 0) {
    words->voxels[at] = (uint16_t) (word * 32 + lane);
    words->newest[at] = newest;
  }
  listed->single += __popc (single);
  listed->with_others += __popc (others);
}

/* n words from the first on, and the voxels in them, whose newest points are no longer known then; all lanes call it. */
__device__ __forceinline__ Gathered
gather_newest (const RcCudaVoxelTask &task, int64_t item, int64_t first, uint32_t n, WarpNewest *words, Listed *listed)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t newest[MOST_WORDS], own = 0;

#pragma unroll
  for (uint32_t w = 0; w < MOST_WORDS; w++)
    newest[w] = w < n ? newest_at (task, item, (first + w) * 32 + lane) : 0;
#pragma unroll
  for (uint32_t w = 0; w < MOST_WORDS; w++) {
    const uint32_t is = __ballot_sync (ALL_LANES, newest[w] != 0);

    list_voxels (newest[w], w, listed, words);
    own = lane == w ? is : own;
    if (newest[w] != 0)
      newest_of (task, item)[(first + w) * 32 + lane] = 0;
  }
  return put_words (own, lane < n && first + lane < task.bit_words ? take_word<false> (task, item, first + lane, own) : 0,
      first, words);
}

/* Blocks of a multiprocessor; of later architectures 4 would spill. */
__host__ __device__ constexpr int
write_blocks ()
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  return 3;
#else
  return at_once (4);
#endif
}

template <class Source, int SIZE>
__global__ void LAUNCH_BOUNDS (THREADS, write_blocks ())
write_newest (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ WarpNewest of_warps[WARPS];
  WarpNewest *words = &of_warps[threadIdx.x / 32];
  const uint32_t n = task.warp_words < MOST_WORDS ? (uint32_t) task.warp_words : MOST_WORDS;
  const int64_t step = (int64_t) gridDim.x * WARPS * n, own = ((int64_t) blockIdx.x * WARPS + threadIdx.x / 32) * n;
  uint32_t occupied = 0;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    for (int64_t first = own; first < task.bit_words; first += step) {
      Listed listed = { 0, 0 };
      const Gathered gathered = gather_newest (task, item, first, n, words, &listed);

      __syncwarp ();
      fill_words<SIZE> (task, item, gathered, words);
      __syncwarp ();            /* zeros come before what takes their place */
      write_single<Source, SIZE> (task, item, first * 32, words, listed.single);
      write_with_others<Source, SIZE> (task, item, first * 32, words, MOST_WORDS * 32 - listed.with_others,
          listed.with_others);
      __syncwarp ();
      occupied += threadIdx.x % 32 == 0 ? listed.single + listed.with_others : 0;
    }
  }
  add_occupied (task, occupied);
}

/* ---- points that do not stay ---- */

/* Range saw one chunk, and add gets several: voxels are marked, as if range had done it, and each point is added. */
__global__ void __launch_bounds__ (THREADS)
mark_newest (const __grid_constant__ RcCudaVoxelTask task)
{
  follow_previous ();
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

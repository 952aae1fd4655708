/* robocache: voxel grids on the GPU: a first look at points, where the scale of a mean needs it
 *
 * It finds the greatest magnitude of each feature. Where voxels get ranks, it marks those that points come to; where points
 * stay in place until the job ends (voxel_in_place.cu), it leaves in each voxel the point that came last.
 *
 * Bytes that must move: each point once, of float32 12 bytes and 4 a feature; and a bit of each voxel, or 4 bytes of it and 8
 * of each point.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "voxel_parts.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

/* ---- magnitudes ---- */

/* Bits that compare as finite magnitudes do; 0 of what is not finite. */
template <RcDtype D>
struct Magnitude
{
  static_assert (D == RC_FLOAT16 || D == RC_FLOAT32, "one word");
  using Bits = uint32_t;
  static constexpr uint32_t infinity = D == RC_FLOAT16 ? 0x7C00u : 0x7F800000u;

  static __device__ __forceinline__ Bits
  of (const uint32_t *words)
  {
    const uint32_t bits = words[0] & (D == RC_FLOAT16 ? 0x7FFFu : 0x7FFFFFFFu);

    return bits < infinity ? bits : 0;
  }

  /* Those of the float64. */
  static __device__ __forceinline__ uint64_t
  wide (Bits bits)
  {
    return rc_bits64 (unpack<D, double> (&bits, 0));
  }
};

template <>
struct Magnitude<RC_FLOAT64>
{
  using Bits = uint64_t;

  static __device__ __forceinline__ Bits
  of (const uint32_t *words)
  {
    const uint64_t bits = ((uint64_t) words[1] << 32 | words[0]) & ~(UINT64_C (1) << 63);

    return bits < UINT64_C (0x7FF) << 52 ? bits : 0;
  }

  static __device__ __forceinline__ uint64_t
  wide (Bits bits)
  {
    return bits;
  }
};

/* ---- where points are ---- */

/* 32 points of a warp. */
struct Located
{
  uint32_t inside;              /* which of them are */
  RcCudaVoxelOther other;       /* of the lane's own */
};

/* The newest point of a voxel takes the place of the one before. That is an other then; so is at once what follows a
 * point of its voxel in the warp, as points of a sensor often do. All lanes call it. */
__device__ __forceinline__ RcCudaVoxelOther
take_place (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel)
{
  const uint32_t own = (uint32_t) voxel, before = __shfl_up_sync (ALL_LANES, voxel >= 0 ? own : UINT32_MAX, 1);
  const uint32_t point = (uint32_t) i + 1;
  RcCudaVoxelOther other = { 0, own };

  if (voxel < 0)
    return other;
  if (threadIdx.x % 32 > 0 && own == before)
    other.point = point;
  else
    other.point = atomicExch (newest_of (task, part.item) + own, point);
  return other;
}

/* All lanes call it. */
template <class Source, bool IN_PLACE>
__device__ __forceinline__ Located
locate (const RcCudaVoxelTask &task, const Part &part, int64_t first, Tally *tally)
{
  const int64_t i = first + threadIdx.x % 32;
  float p[3] = { rc_float32 (RC_NAN32_BITS), 0.0f, 0.0f };
  Located located = { };

  if (i < part.n)
    Source::template read<true> (task, part.data, i, p);

  const int64_t voxel = voxel_of (task, p);

  if constexpr (IN_PLACE) {
    if (i < part.n)
      count_miss (tally, voxel);
    located.other = take_place (task, part, i, voxel);
  } else if (task.ranked && i < part.n) {
    mark_point (task, part, i, voxel);
  }
  located.inside = __ballot_sync (ALL_LANES, voxel >= 0);
  return located;
}

/* ---- the range of features ----
 *
 * A lane has one channel, of every so many of 32 points; of more than 32 channels 32 at a time. The greatest of a block are in
 * shared memory, and go to those of the item last. */

DYNAMIC_SHARED (unsigned long long, greatest);

template <class Source>
struct Reader
{
  using Of = Magnitude<Source::feature_dtype>;
  static constexpr int at_once = Source::asks_address ? 1 : sizeof (typename Of::Bits) == 4 ? 8 : 2;

  const char *point;            /* what is read next */
  int64_t step_bytes;           /* from it to the next one */
  uint32_t at, step;            /* which of 32 it is, and how far the next one is */
  uint32_t points;              /* of 32 */
  uint32_t channel;
  uint32_t words[at_once][2];

  __device__ __forceinline__ void
  load (const RcCudaVoxelTask &task)
  {
#pragma unroll
    for (int u = 0; u < at_once; u++) {
      words[u][0] = words[u][1] = 0;
      if (at + u * step < points)
        Source::load_feature (task, point + u * step_bytes, channel, words[u]);
    }
  }

  /* The greatest of own and of what was loaded of points inside. */
  __device__ __forceinline__ typename Of::Bits
  take (uint32_t inside, typename Of::Bits own)
  {
#pragma unroll
    for (int u = 0; u < at_once; u++) {
      const typename Of::Bits bits = __funnelshift_rc (inside, 0, at + u * step) & 1 ? Of::of (words[u]) : 0;

      own = bits > own ? bits : own;
    }
    at += step * at_once;
    point += at_once * step_bytes;
    return own;
  }
};

template <class Source>
__device__ __forceinline__ void
raise (uint32_t channel, typename Magnitude<Source::feature_dtype>::Bits own)
{
  if (own > 0)                  /* nothing of channels beyond the last */
    atomicMax (&greatest[channel], (unsigned long long) Magnitude<Source::feature_dtype>::wide (own));
}

/* The first features are under way with the coordinates, whether points are inside or not. */
template <class Source, bool IN_PLACE>
__device__ __forceinline__ void
find_range_of_part (const RcCudaVoxelTask &task, const Part &part, Tally *tally)
{
  const uint32_t lane = threadIdx.x % 32, channels = (uint32_t) task.channels, width = channels < 32 ? channels : 32;
  const uint32_t step = 32 / width, at = lane < step * width ? lane / width : 32;       /* left over: no point */
  const char *features = part.data + Source::feature_offset (task) + at * task.stride;
  Reader<Source> reader;
  typename Reader<Source>::Of::Bits own = 0;
  RcCudaVoxelOther *others = IN_PLACE ? others_of (task, part.item) : NULL, other = { }, *to = NULL;

  reader.step = step;
  reader.step_bytes = step * task.stride;
  for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < part.n;
      first += (int64_t) gridDim.x * THREADS) {
    const uint32_t points = part.n - first < 32 ? (uint32_t) (part.n - first) : 32;

    reader.channel = lane - at * width;
    reader.point = features + first * task.stride;
    reader.at = at;
    reader.points = points;
    reader.load (task);
    if (to != NULL)             /* of the points before, which had to wait for it */
      *to = other;

    const Located located = locate<Source, IN_PLACE> (task, part, first, tally);

    own = reader.take (located.inside, own);
#pragma unroll 1
    for (uint32_t done = step * reader.at_once, before = 0; done < 32 || before + 32 < channels;
        done += step * reader.at_once) {
      if (done >= 32) {         /* of this channel all */
        raise<Source> (reader.channel, own);
        own = 0;
        done = 0;
        before += 32;
        reader.channel += 32;
        reader.point = features + first * task.stride;
        reader.at = at;
        reader.points = reader.channel < channels ? points : 0;
      }
      reader.load (task);
      own = reader.take (located.inside, own);
    }
    if (channels > 32) {
      raise<Source> (reader.channel, own);
      own = 0;
    }
    to = IN_PLACE && lane < points ? others + first + lane : NULL;
    other = located.other;
  }
  if (to != NULL)
    *to = other;
  if (channels <= 32)
    raise<Source> (lane - at * width, own);
}

/* Of the points of a block; what add tells later. */
__device__ __forceinline__ void
add_missed (const RcCudaVoxelTask &task, int64_t item, const Tally &tally, uint32_t *missed)
{
  const uint32_t own[3] = { tally.outside, tally.nan, tally.infinite };

#pragma unroll
  for (int i = 0; i < 3; i++) {
    const uint32_t sum = __any_sync (ALL_LANES, own[i] > 0) ? warp_sum (own[i]) : 0;

    if (threadIdx.x % 32 == 0 && sum > 0)
      atomicAdd (&missed[i], sum);
  }
  __syncthreads ();
  if (threadIdx.x < 3 && missed[threadIdx.x] > 0)
    atomicAdd (&head_of (task, item)->missed[threadIdx.x], missed[threadIdx.x]);
}

/* Counts the points of an item, as the last block, since all have then read the count before; heads are cleared before. */
__device__ __forceinline__ void
finish_range (const RcCudaVoxelTask &task, const Part &part)
{
  RcCudaVoxelHead *head = head_of (task, part.item);

  __syncthreads ();
  if (threadIdx.x == 0 && atomicAdd (&head->blocks_done, 1u) == gridDim.x - 1) {
    head->blocks_done = 0;
    head->n_ranged = part.first + part.n;
  }
}

template <class Source, bool IN_PLACE>
__global__ void LAUNCH_BOUNDS (THREADS, at_once (4))
find_range (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ uint32_t missed[3];

  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const Part part = part_of<Source> (task, item, false);
    unsigned long long *of_item = item_array<unsigned long long> (task, item, task.layout.range);
    Tally tally = { };

    for (int64_t c = threadIdx.x; c < task.channels; c += THREADS)
      greatest[c] = 0;
    if (threadIdx.x < 3)
      missed[threadIdx.x] = 0;
    __syncthreads ();
    find_range_of_part<Source, IN_PLACE> (task, part, &tally);
    __syncthreads ();
    for (int64_t c = threadIdx.x; c < task.channels; c += THREADS) {
      if (greatest[c] > *(volatile unsigned long long *) (of_item + c))
        atomicMax (of_item + c, greatest[c]);
    }
    if constexpr (IN_PLACE)
      add_missed (task, item, tally, missed);
    finish_range (task, part);
  }
}
}

/* A macro takes commas only in parentheses. */
#define OF_POINTS(...) { \
    KERNEL (find_range<__VA_ARGS__, false>), \
    KERNEL (find_range<__VA_ARGS__, true>) }

const void *const rc_cuda_voxel_range[RC_CUDA_VOXEL_SOURCES][2] = {
  OF_POINTS (PointSource<RC_FLOAT16>),
  OF_POINTS (PointSource<RC_FLOAT32>),
  OF_POINTS (PointSource<RC_FLOAT64>),
  OF_POINTS (LayoutSource),
};

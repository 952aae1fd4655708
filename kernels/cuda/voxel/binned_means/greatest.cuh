/* robocache: the greatest magnitude of each feature, by warps on the GPU
 *
 * A warp takes 32 points at a time. A lane has one channel of every so many points; of more than 32 channels, 32 at a time.
 * The maxima of a block are in shared memory, and raise those of the item at the end.
 *
 *   3 channels, so 10 points at once    lane     0  1  2  3  4  …  29  30  31
 *                                       point    0  0  0  1  1  …  9   -   -
 *                                       channel  0  1  2  0  1  …  2
 *
 *   clear_greatest<THREADS> (values);
 *   __syncthreads ();
 *   Reader<Source> reader (values, chunk);
 *
 *   for (…) {
 *     reader.begin (format, values, chunk, points, n);
 *     reader.finish (format, values, chunk, points, n, inside);
 *   }
 *   reader.raise_greatest (values);
 *   __syncthreads ();
 *   store_greatest<THREADS> (values, job, item);
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cuda/voxel/points/parts.cuh"

namespace rc
{
/* The bits of a magnitude, which compare as finite magnitudes do; 0 if it is not finite. */
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

  /* The bits of the same magnitude as float64. */
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

/* [channels] the maxima of the block. */
DYNAMIC_SHARED (unsigned long long, greatest);

template <class Source>
__device__ __forceinline__ void
raise (uint32_t channel, typename Magnitude<Source::feature_dtype>::Bits own)
{
  if (own > 0)                  /* channels beyond the last have 0 */
    atomicMax (&greatest[channel], (unsigned long long) Magnitude<Source::feature_dtype>::wide (own));
}

/* The features that a lane reads, and the greatest of its channel. */
template <class Source>
struct Reader
{
  using Of = Magnitude<Source::feature_dtype>;
  static constexpr int at_once = Source::asks_address ? 1 : sizeof (typename Of::Bits) == 4 ? 8 : 2;

  const char *point;            /* the next one to read */
  int64_t step_bytes;           /* from it to the next one */
  uint32_t at, step;            /* its number among the 32, and the distance to the next one */
  uint32_t points;              /* valid ones of the 32 */
  uint32_t first_at, first_channel, channel;
  typename Of::Bits own;        /* the greatest of its first channel */
  uint32_t words[at_once][2];

  __device__ explicit
  Reader (const Values &values, const Chunk &chunk)
  {
    const uint32_t lane = threadIdx.x % 32, channels = (uint32_t) values.channels, width = channels < 32 ? channels : 32;

    step = 32 / width;
    step_bytes = step * chunk.stride;
    first_at = lane < step * width ? lane / width : 32; /* left over: no point */
    first_channel = lane - first_at * width;
    own = 0;
  }

  __device__ __forceinline__ void
  load (const Format &format)
  {
#pragma unroll
    for (int u = 0; u < at_once; u++) {
      words[u][0] = words[u][1] = 0;
      if (at + u * step < points)
        Source::load_feature (format, point + u * step_bytes, channel, words[u]);
    }
  }

  /* Raises own to the greatest of what was loaded of points that are inside. */
  __device__ __forceinline__ void
  reduce (uint32_t inside)
  {
#pragma unroll
    for (int u = 0; u < at_once; u++) {
      const typename Of::Bits bits = __funnelshift_rc (inside, 0, at + u * step) & 1 ? Of::of (words[u]) : 0;

      own = bits > own ? bits : own;
    }
    at += step * at_once;
    point += at_once * step_bytes;
  }

  /* Begins to read a channel of n points, from the one at `from` on. */
  __device__ __forceinline__ void
  begin_channel (const Format &format, const Values &values, const Chunk &chunk, const char *from, uint32_t n, uint32_t of)
  {
    channel = of;
    at = first_at;
    point = from + Source::feature_offset (format) + at * chunk.stride;
    points = channel < (uint32_t) values.channels ? n : 0;
    load (format);
  }

  /* Begins to read n points. The first features are under way then, so the caller may locate the points meanwhile. */
  __device__ __forceinline__ void
  begin (const Format &format, const Values &values, const Chunk &chunk, const char *from, uint32_t n)
  {
    begin_channel (format, values, chunk, from, n, first_channel);
  }

  /* Finishes points that began: reads all of their features. `inside` has a bit for each point that counts. */
  __device__ __forceinline__ void
  finish (const Format &format, const Values &values, const Chunk &chunk, const char *from, uint32_t n, uint32_t inside)
  {
    const uint32_t channels = (uint32_t) values.channels;

    reduce (inside);
#pragma unroll 1
    for (uint32_t done = step * at_once, before = 0; done < 32 || before + 32 < channels; done += step * at_once) {
      if (done >= 32) {         /* all of this channel is read */
        raise<Source> (channel, own);
        own = 0;
        done = 0;
        before += 32;
        begin_channel (format, values, chunk, from, n, first_channel + before);
      } else {
        load (format);
      }
      reduce (inside);
    }
    if (channels > 32) {
      raise<Source> (channel, own);
      own = 0;
    }
  }

  /* Raises the maxima of the block, after all points. */
  __device__ __forceinline__ void
  raise_greatest (const Values &values)
  {
    if (values.channels <= 32)
      raise<Source> (first_channel, own);
  }
};

/* All threads of a block call clear_greatest, then a barrier; at the end a barrier, then store_greatest. */
template <int THREADS>
__device__ __forceinline__ void
clear_greatest (const Values &values)
{
  for (int64_t c = threadIdx.x; c < values.channels; c += THREADS)
    greatest[c] = 0;
}

template <int THREADS>
__device__ __forceinline__ void
store_greatest (const Values &values, const Job &job, int64_t item)
{
  unsigned long long *of_item = item_array<unsigned long long> (job, item, job.layout.range);

  for (int64_t c = threadIdx.x; c < values.channels; c += THREADS) {
    if (greatest[c] > *(volatile unsigned long long *) (of_item + c))
      atomicMax (of_item + c, greatest[c]);
  }
}
}

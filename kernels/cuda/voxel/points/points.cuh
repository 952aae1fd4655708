/* robocache: points and pixels, read and located on the GPU, and what all voxel kernels share
 *
 * Sections: the scratch of an item, its accumulators, binned points, sources, the voxel of a point, features and their
 * channels, values, sums over a warp.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cuda/runtime/elements.cuh"
#include "arguments.cuh"

namespace rc
{
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

/* Blocks of a kernel that a multiprocessor is to have at once. Turing has room for few. */
__host__ __device__ constexpr int
at_once (int blocks)
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return 1;
#else
  return blocks;
#endif
}

/* ---- the scratch of an item ---- */

__device__ __forceinline__ char *
item_scratch (const Job &job, int64_t item)
{
  return job.scratch + item * (int64_t) job.layout.item_bytes;
}

__device__ __forceinline__ RcCudaVoxelHead *
head_of (const Job &job, int64_t item)
{
  return reinterpret_cast<RcCudaVoxelHead *> (item_scratch (job, item));
}

template <typename T>
__device__ __forceinline__ T *
item_array (const Job &job, int64_t item, uint64_t offset)
{
  return reinterpret_cast<T *> (item_scratch (job, item) + offset);
}

/* The map of an item's points, from first_point on. */
__device__ __forceinline__ int64_t *
point_voxels_of (const Map &map, int64_t item)
{
  return reinterpret_cast<int64_t *> (reinterpret_cast<char *> (map.voxels)
      + item * map.batch_stride);
}

__device__ __forceinline__ void
add_64 (int64_t *to, int64_t x)
{
  atomicAdd (reinterpret_cast<unsigned long long *> (to), (unsigned long long) x);
}

/* ---- accumulators of an item ---- */

__device__ __forceinline__ char *
means_of (const Accumulators &accumulators, int64_t item)
{
  return accumulators.first + item * accumulators.apart;
}

__device__ __forceinline__ uint32_t *
counts_of (const Accumulators &accumulators, int64_t item)
{
  return reinterpret_cast<uint32_t *> (means_of (accumulators, item) + accumulators.counts);
}

__device__ __forceinline__ int64_t *
sums_of (const Accumulators &accumulators, int64_t item)
{
  return reinterpret_cast<int64_t *> (means_of (accumulators, item) + accumulators.sums);
}

__device__ __forceinline__ uint32_t *
nonfinite_words_of (const Accumulators &accumulators, int64_t item)
{
  return reinterpret_cast<uint32_t *> (means_of (accumulators, item) + accumulators.nonfinite_flags);
}

__device__ __forceinline__ uint32_t *
extremes_of (const Accumulators &accumulators, int64_t item)
{
  return reinterpret_cast<uint32_t *> (means_of (accumulators, item) + accumulators.extremes);
}

/* ---- binned points ---- */

/* Pieces of the grid are dealt to slabs in rounds. Each round begins RC_CUDA_VOXEL_MEAN_TURN slabs later than the one
 * before. With 8 slabs and a turn of 433 (1 modulo 8):
 *
 *   piece           0 1 2 3 4 5 6 7   8 9 10 11 12 13 14 15   16 17 …
 *   round_of_piece  0 0 0 0 0 0 0 0   1 1 1  1  1  1  1  1    2  2  …
 *   slab_of_piece   0 1 2 3 4 5 6 7   1 2 3  4  5  6  7  0    2  3  …
 *
 *   piece_of_slab (bins, slab_of_piece (bins, piece), round_of_piece (bins, piece)) == piece
 */
__device__ __forceinline__ uint32_t
round_of_piece (const Bins &bins, uint32_t piece)
{
  return piece >> bins.slab_shift;
}

__device__ __forceinline__ uint32_t
slab_of_piece (const Bins &bins, uint32_t piece)
{
  return (piece + round_of_piece (bins, piece) * RC_CUDA_VOXEL_MEAN_TURN) & ((uint32_t) bins.slabs - 1);
}

__device__ __forceinline__ uint32_t
piece_of_slab (const Bins &bins, uint32_t slab, uint32_t round)
{
  return round << bins.slab_shift | ((slab - round * RC_CUDA_VOXEL_MEAN_TURN) & ((uint32_t) bins.slabs - 1));
}

/* The number of points of each bin of an item, then the RC_CUDA_VOXEL_OVERFLOW_WORDS. */
__device__ __forceinline__ uint32_t *
bin_counts_of (const Bins &bins, int64_t item)
{
  return bins.counts + item * (bins.bins + RC_CUDA_VOXEL_OVERFLOW_WORDS);
}

__device__ __forceinline__ RcCudaVoxelEntry *
bin_of (const Bins &bins, int64_t item, uint32_t bin)
{
  return bins.entries + (item * bins.bins + bin) * bins.capacity;
}

__device__ __forceinline__ RcCudaVoxelEntry *
overflow_of (const Job &job, const Bins &bins, int64_t item)
{
  return bins.overflow + item * job.n_points;
}

/* ---- sources ---- */

/* Reads one element of dtype D at p. ALIGNED: p is a multiple of its size. */
template <RcDtype D, bool ALIGNED>
__device__ __forceinline__ void
read_one (const char *p, uint32_t *words)
{
  constexpr int size = size_of (D);

  words[0] = words[1] = 0;
  if constexpr (!ALIGNED) {
#pragma unroll
    for (int i = 0; i < size; i++)
      words[i / 4] |= (uint32_t) reinterpret_cast<const uint8_t *> (p)[i] << 8 * (i % 4);
  } else if constexpr (size == 8) {
    const uint2 v = *reinterpret_cast<const uint2 *> (p);

    words[0] = v.x;
    words[1] = v.y;
  } else if constexpr (size == 4) {
    words[0] = *reinterpret_cast<const uint32_t *> (p);
  } else {
    words[0] = *reinterpret_cast<const uint16_t *> (p);
  }
}

/* The bits of a number at any address: read in words if the address is a multiple of 4, else byte by byte. Fields of one
 * point differ, so few conditions are tested. */
__device__ __forceinline__ uint64_t
read_bits (RcDtype dtype, const char *p)
{
  const int size = size_of (dtype);
  const bool in_words = size >= 4 && ((uint64_t) (uintptr_t) p & 3) == 0;
  const uint32_t *words = reinterpret_cast<const uint32_t *> (p);
  const uint32_t low = in_words ? words[0] : 0, high = in_words && size == 8 ? words[1] : 0;
  uint64_t bits = (uint64_t) high << 32 | low;

  /* predicated loads in place of a loop: branches nest too deep already */
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const bool wanted = !in_words && i < size;

    bits |= (uint64_t) (wanted ? reinterpret_cast<const uint8_t *> (p)[i] : 0) << 8 * i;
  }
  return bits;
}

/* Any number, as float64. A single byte, such as a colour, returns early: the general way waits for up to eight loads.
 * There, integers of all sizes are handled as one of 64 bits, and a selection among values that are all computed is cheaper
 * than branches, which nest too deep. */
inline __device__ __noinline__ double
read_number (RcDtype dtype, const char *p)
{
  if (size_of (dtype) == 1)
    return dtype == RC_UINT8 ? (double) *reinterpret_cast<const uint8_t *> (p) : (double) *reinterpret_cast<const int8_t *> (p);

  const uint64_t bits = read_bits (dtype, p);
  const uint32_t words[2] = { (uint32_t) bits, (uint32_t) (bits >> 32) };
  const int unused_bits = 64 - 8 * size_of (dtype);
  const bool is_signed = dtype == RC_INT16 || dtype == RC_INT32 || dtype == RC_INT64;
  const double integer = is_signed ? (double) ((int64_t) (bits << unused_bits) >> unused_bits) : (double) bits;
  const float half = dtype == RC_FLOAT16 ? unpack<RC_FLOAT16, float> (words, 0) : unpack<RC_BFLOAT16, float> (words, 0);
  const float real = dtype == RC_FLOAT32 ? unpack<RC_FLOAT32, float> (words, 0) : half;

  return dtype == RC_FLOAT64 ? unpack<RC_FLOAT64, double> (words, 0) : dtype >= RC_FLOAT16 ? (double) real : integer;
}

/* A coordinate of type float16, float32 or float64, as float32. */
__device__ __forceinline__ float
read_coordinate (RcDtype dtype, const char *p)
{
  const uint64_t bits = read_bits (dtype, p);

  return dtype == RC_FLOAT32 ? rc_float32 ((uint32_t) bits)
      : dtype == RC_FLOAT64 ? (float) rc_float64 (bits) : rc_float32_from_float16 ((uint16_t) bits);
}

/* A source reads points of one format:
 *
 *   read            x, y, z of point i as float32; exact, but float64 is rounded. ALIGNED: all elements are aligned
 *   feature_offset  bytes from a point to its first feature, if these are adjacent, else 0
 *   load_feature    loads feature c as words, which must be aligned unless asks_address
 *   feature_of      makes a float64 of these words, later: loads of several features are under way at once
 *   asks_address    the source tests each address itself, so ALIGNED does not matter
 *
 *   uint32_t words[2];
 *
 *   Source::load_feature (format, point + Source::feature_offset (format), c, words);
 *   x = Source::feature_of (words);
 */
template <RcDtype D>
struct PointSource
{
  static constexpr bool is_depth = false;
  static constexpr bool asks_address = false;
  static constexpr int at_once = D == RC_FLOAT64 ? 2 : 4;       /* points that a thread has under way */
  static constexpr RcDtype feature_dtype = D;                   /* of what is loaded */
  static constexpr int features_at_once = 4;

  template <bool ALIGNED>
  static __device__ __forceinline__ void
  read (const Format &, const Chunk &chunk, const char *data, int64_t i, float *p)
  {
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      uint32_t words[2];

      read_one<D, ALIGNED> (data + i * chunk.stride + axis * size_of (D), words);
      if constexpr (D == RC_FLOAT64)
        p[axis] = (float) unpack<D, double> (words, 0);
      else
        p[axis] = unpack<D, float> (words, 0);
    }
  }

  static __device__ __forceinline__ int64_t
  feature_offset (const Format &format)
  {
    return format.feature_offset;
  }

  static __device__ __forceinline__ void
  load_feature (const Format &, const char *p, int64_t c, uint32_t *words)
  {
    read_one<D, true> (p + c * size_of (D), words);
  }

  static __device__ __forceinline__ void
  load_feature_anywhere (const char *p, int64_t c, uint32_t *words)
  {
    read_one<D, false> (p + c * size_of (D), words);
  }

  static __device__ __forceinline__ double
  feature_of (const uint32_t *words)
  {
    return unpack<D, double> (words, 0);
  }

  static __device__ __forceinline__ bool
  stores_float64 (const Stored &)
  {
    return D == RC_FLOAT64;
  }
};

/* Points of any layout. The source tests each address for alignment, since fields differ. */
struct LayoutSource
{
  static constexpr bool is_depth = false;
  static constexpr bool asks_address = true;
  static constexpr int at_once = 1;
  static constexpr RcDtype feature_dtype = RC_FLOAT64;
  static constexpr int features_at_once = 1;

  template <bool ALIGNED>
  static __device__ __forceinline__ void
  read (const Format &format, const Chunk &chunk, const char *data, int64_t i, float *p)
  {
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      p[axis] = read_coordinate (format.xyz_dtype, data + i * chunk.stride + format.xyz_offset[axis]);
  }

  static __device__ __forceinline__ int64_t
  feature_offset (const Format &)
  {
    return 0;
  }

  static __device__ __forceinline__ void
  load_feature (const Format &format, const char *point, int64_t c, uint32_t *words)
  {
    const uint64_t bits = rc_bits64 (read_number (format.fields[c].dtype, point + format.fields[c].offset));

    words[0] = (uint32_t) bits;
    words[1] = (uint32_t) (bits >> 32);
  }

  static __device__ __forceinline__ double
  feature_of (const uint32_t *words)
  {
    return unpack<RC_FLOAT64, double> (words, 0);
  }

  static __device__ __forceinline__ bool
  stores_float64 (const Stored &stored)
  {
    return stored.dtype == RC_FLOAT64;
  }
};

/* The first feature of an item's first point. */
template <class Source>
__device__ __forceinline__ const char *
features_of (const Format &format, const Chunk &chunk, int64_t item)
{
  return chunk.data + item * chunk.batch_stride + Source::feature_offset (format);
}

/* Feature c of the point whose features are at p, at any address. */
template <class Source>
__device__ __forceinline__ double
feature_anywhere (const Format &format, const Chunk &chunk, const char *p, int64_t c)
{
  uint32_t words[2];

  if constexpr (Source::asks_address)
    Source::load_feature (format, p, c, words);
  else if (chunk.is_aligned)
    Source::load_feature (format, p, c, words);
  else
    Source::load_feature_anywhere (p, c, words);
  return Source::feature_of (words);
}

/* A pixel of a chunk: its row and column, and its depth in metres. */
struct Pixel
{
  uint32_t row, u;
  float z;
};

template <bool ALIGNED>
__device__ __forceinline__ Pixel
read_pixel (const Format &format, const Chunk &chunk, const char *data, int64_t i)
{
  const uint32_t row = (uint32_t) i / (uint32_t) format.width, u = (uint32_t) i - row * (uint32_t) format.width;
  uint32_t depth[2];

  if (format.is_float_depth) {
    read_one<RC_FLOAT32, ALIGNED> (data + row * chunk.stride + (int64_t) u * 4, depth);
    const float metres = rc_float32 (depth[0]);

    return { row, u, metres > 0.0f && metres < INFINITY ? metres * format.depth_scale : rc_float32 (RC_NAN32_BITS) };
  }
  read_one<RC_UINT16, ALIGNED> (data + row * chunk.stride + (int64_t) u * 2, depth);
  return { row, u, depth[0] > 0 ? (float) depth[0] * format.depth_scale : rc_float32 (RC_NAN32_BITS) };
}

struct DepthSource
{
  static constexpr bool is_depth = true;
  static constexpr bool asks_address = false;
  static constexpr int at_once = 4;

  template <bool ALIGNED>
  static __device__ __forceinline__ void
  read (const Format &format, const Chunk &chunk, const char *data, int64_t i, float *p)
  {
    const Pixel pixel = read_pixel<ALIGNED> (format, chunk, data, i);

    p[0] = __ldg (format.rays + pixel.u) * pixel.z;
    p[1] = __ldg (format.rays + format.width + chunk.first_row + pixel.row) * pixel.z;
    p[2] = pixel.z;
  }
};

/* Depth with a ray per pixel, which costs 8 bytes beside the 2 or 4 of the depth. */
struct RaySource
{
  static constexpr bool is_depth = true;
  static constexpr bool asks_address = false;
  static constexpr int at_once = 4;

  template <bool ALIGNED>
  static __device__ __forceinline__ void
  read (const Format &format, const Chunk &chunk, const char *data, int64_t i, float *p)
  {
    const Pixel pixel = read_pixel<ALIGNED> (format, chunk, data, i);
    const float2 ray = __ldg (reinterpret_cast<const float2 *> (format.rays) + chunk.first_row * format.width + i);

    p[0] = ray.x * pixel.z;
    p[1] = ray.y * pixel.z;
    p[2] = pixel.z;
  }
};

/* ---- the voxel of a point ----
 *
 * voxel_of tries a product first and divides if that is not sure. Kernels whose branches nest deep already always divide. */

/* The reason why a point is in no voxel, if it is found without a division: the point is far outside, or not a number. 0: the point may be
 * in a voxel. */
__device__ __forceinline__ int
miss_without_division (const Grid &grid, const float *p)
{
  const float *least = grid.locate.least, *greatest = grid.locate.greatest;
  bool is_far = false, is_nan = false, is_infinite = false;

#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    is_far |= p[axis] < least[axis] || p[axis] > greatest[axis];
    is_nan |= p[axis] != p[axis];
    is_infinite |= fabsf (p[axis]) == INFINITY;
  }
  return is_nan ? RC_VOXEL_NAN : is_infinite ? RC_VOXEL_INFINITE : is_far ? RC_VOXEL_OUTSIDE : 0;
}

/* rc_voxel_of. Not inlined, since it is rarely called after voxel_by_product. */
inline __device__ __noinline__ int64_t
voxel_by_quotient (const Grid &grid, float x, float y, float z)
{
  const float p[3] = { x, y, z };
  const int miss = miss_without_division (grid, p);

  return miss != 0 ? miss : rc_voxel_of (&grid.box, x, y, z);
}

/* rc_voxel_of by products in place of quotients. Returns true if the result is sure: no product is so close to a whole
 * number that the quotient may be on its other side. Points outside, or that are no numbers, become a share of 0 or 1 of
 * the grid, which are whole numbers. Adding 2^23 with rounding down leaves the whole part in the low bits of a float.
 * Products and sums may be fused here, since only sure results are used.
 *
 *   n = 128 voxels of 0.1 from 0 on:  p = 5.23  share 0.40859…  share * n 52.3   sure, voxel 52
 *                                     p = 5.2   share 0.40625   share * n 52.0   not sure
 */
__device__ __forceinline__ bool
voxel_by_product (const Grid &grid, const float *p, uint32_t *voxel)
{
  const RcCudaVoxelLocate &locate = grid.locate;
  bool is_clear = true;

  *voxel = 0u - locate.bias;
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    const float share = __saturatef ((p[axis] - grid.box.origin[axis]) * locate.inverse[axis]), n = grid.box.n[axis];
    const float whole = __fmaf_rd (share, n, 8388608.0f);

    is_clear &= fabsf (__fmaf_rn (share, n, 8388607.5f - whole)) <= locate.margin[axis];
    *voxel += rc_bits32 (whole) * locate.distance[axis];
  }
  return is_clear;
}

/* The voxel of a single point, or why it has none. */
__device__ __forceinline__ int64_t
voxel_of (const Grid &grid, const float *p)
{
  uint32_t voxel;

  return voxel_by_product (grid, p, &voxel) ? voxel : voxel_by_quotient (grid, p[0], p[1], p[2]);
}

/* ---- features ---- */

__device__ __forceinline__ bool
exceeds_range (const Values &values, double x)
{
  return values.feature_range > 0.0 && fabs (x) > values.feature_range && fabs (x) < INFINITY;
}

/* The value, clamped to feature_range if that is given. The value must be finite. */
__device__ __forceinline__ double
clamp_feature (const Values &values, double x)
{
  const double range = values.feature_range;

  return range == 0.0 || fabs (x) <= range ? x : x > 0.0 ? range : -range;
}

/* The key of a value for max and min: the value is rounded to the output's type first. */
__device__ __forceinline__ uint32_t
extreme_key (const Values &values, double x)
{
  const float rounded = values.dtype == RC_FLOAT16 ? rc_float32_from_float16 (rc_float16_from_float64 (x))
      : rc_float32_from_float64 (x);

  return rc_voxel_key (rounded, values.flip);
}

/* A warp takes the channels of its points, or voxels, in the order of memory: 32 at a time, one per lane. A Channel is the
 * channel of a lane, and of which point (`of`) it is.
 *
 *   3 channels      lane      0   1   2   3   4   …  31
 *                   of        0   0   0   1   1   …  10
 *                   channel   0   1   2   0   1   …   1
 *   next_channel    of        10  11  11  11  12  …  21
 *                   channel   2   0   1   2   0   …   0
 *
 *   for (Channel own = first_channel (values, threadIdx.x % 32); own.of < n; own = next_channel (values, own))
 *     add (own.of, own.channel);
 */
struct Channel
{
  uint32_t of, channel;
};

/* element / channels, for elements of at most 32 words of voxels. */
__device__ __forceinline__ uint32_t
voxel_of_element (const Values &values, uint32_t element)
{
  return (uint32_t) ((uint64_t) element * values.channel_inverse >> 31);
}

__device__ __forceinline__ Channel
first_channel (const Values &values, uint32_t lane)
{
  const uint32_t of = voxel_of_element (values, lane);

  return { of, lane - of * (uint32_t) values.channels };
}

/* The Channel that is step.of points and step.channel channels later. */
__device__ __forceinline__ Channel
channel_after (uint32_t channels, Channel own, Channel step)
{
  const uint32_t channel = own.channel + step.channel;
  const bool wraps = channel >= channels;

  return { own.of + step.of + wraps, wraps ? channel - channels : channel };
}

__device__ __forceinline__ Channel
channel_after (const Values &values, Channel own, Channel step)
{
  return channel_after ((uint32_t) values.channels, own, step);
}

__device__ __forceinline__ Channel
next_channel (const Values &values, Channel own)
{
  return channel_after (values, own, { values.step_of, values.step_channel });
}

/* ---- values ---- */

/* The bits of x as float16 or float32. */
__device__ __forceinline__ uint32_t
value_bits (RcDtype dtype, double x)
{
  return dtype == RC_FLOAT16 ? rc_float16_from_float64 (x) : rc_bits32 (rc_float32_from_float64 (x));
}

/* Stores the bits of a float16 or float32 as element i of to. */
__device__ __forceinline__ void
store_value (RcDtype dtype, void *to, int64_t i, uint32_t bits)
{
  if (dtype == RC_FLOAT16)
    reinterpret_cast<uint16_t *> (to)[i] = (uint16_t) bits;
  else
    reinterpret_cast<uint32_t *> (to)[i] = bits;
}

/* The bits of the value of a max or min key. The value is rounded already, so this is exact. */
__device__ __forceinline__ uint32_t
extreme_bits (const Values &values, uint32_t key)
{
  const float x = rc_voxel_value_of_key (key, values.flip);

  return values.dtype == RC_FLOAT16 ? rc_float16_from_float32 (x) : rc_bits32 (x);
}

/* The bits of a count, saturated in the output's type. */
__device__ __forceinline__ uint32_t
count_bits (RcDtype dtype, uint32_t count)
{
  return dtype == RC_UINT8 ? rc_voxel_count_uint8 (count) : dtype == RC_FLOAT16 ? rc_voxel_count_float16 (count)
      : dtype == RC_FLOAT32 ? rc_bits32 ((float) count) : count;
}

/* The non-finite values of a voxel's feature, as flags, in windows, which count them. */
__device__ __forceinline__ uint32_t
nonfinite_counted (const Job &job, int64_t item, int64_t at)
{
  return rc_voxel_flags_of_counts (item_array<const uint32_t> (job, item, job.layout.nonfinite_counts) + 3 * at);
}

/* The same from flags, of which 8 features share a word. */
__device__ __forceinline__ uint32_t
nonfinite_flags_of (const uint32_t *nonfinite_flags, int64_t at)
{
  return nonfinite_flags[at / 8] >> (at % 8 * RC_VOXEL_NONFINITE_BITS) & 7;
}

__device__ __forceinline__ void
add_nonfinite_flags (uint32_t *nonfinite_flags, int64_t at, uint32_t what)
{
  atomicOr (nonfinite_flags + at / 8, what << (at % 8 * RC_VOXEL_NONFINITE_BITS));
}

__device__ __forceinline__ void
clear_nonfinite_flags (uint32_t *nonfinite_flags, int64_t at, uint32_t what)
{
  atomicAnd (nonfinite_flags + at / 8, ~(what << (at % 8 * RC_VOXEL_NONFINITE_BITS)));
}

/* ---- sums over a warp, and division ---- */

/* The sum of x over the lanes of a warp, in lane 0. Other lanes get a part of it. All lanes call it.
 *
 *   const uint32_t sum = warp_sum (own);
 *
 *   if (threadIdx.x % 32 == 0)
 *     atomicAdd (total, sum);
 */
template <typename T>
__device__ __forceinline__ T
warp_sum (T x)
{
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    x += __shfl_down_sync (ALL_LANES, x, distance);
  return x;                     /* in lane 0 */
}

/* a / b. Divides 32 bits if both fit, since 64-bit divisions are slow and rarely needed. */
__device__ __forceinline__ uint64_t
divide_64 (uint64_t a, uint64_t b)
{
  return (a | b) >> 32 == 0 ? (uint64_t) ((uint32_t) a / (uint32_t) b) : a / b;
}
}

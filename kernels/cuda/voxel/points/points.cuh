/* robocache: points and pixels, read and located on the GPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_POINTS_CUH
#define RC_CUDA_VOXEL_POINTS_CUH

#include "kernels/cuda/runtime/elements.cuh"
#include "arguments.cuh"

namespace rc
{
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

/* How many blocks of a kernel a multiprocessor is to have at once; Turing has room for few. */
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

/* Where the voxels of an item's points go, from first_point on. */
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

/* ---- means of an item ---- */

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

/* ---- points that stay in place ---- */

/* Pieces of the grid go round among slabs, beginning elsewhere each time. */
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

/* Of an item, how many each bin has, and after them what there is of those that overflow. */
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

/* One element of D at p. */
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

/* The bits of a number at any address: in words where they are aligned to that, or byte for byte. Fields of one point
 * differ, so little is asked. */
__device__ __forceinline__ uint64_t
read_bits (RcDtype dtype, const char *p)
{
  const int size = size_of (dtype);
  const bool in_words = size >= 4 && ((uint64_t) (uintptr_t) p & 3) == 0;
  const uint32_t *words = reinterpret_cast<const uint32_t *> (p);
  const uint32_t low = in_words ? words[0] : 0, high = in_words && size == 8 ? words[1] : 0;
  uint64_t bits = (uint64_t) high << 32 | low;

  /* loads that are left out, no loop: branches nest too deep already */
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const bool wanted = !in_words && i < size;

    bits |= (uint64_t) (wanted ? reinterpret_cast<const uint8_t *> (p)[i] : 0) << 8 * i;
  }
  return bits;
}

/* Any number, as float64. A single byte, such as a colour, returns early: the other way waits for up to eight loads. There,
 * integers of all sizes are one of 64 bits, signed or not, and a choice among values that are all computed is cheaper than
 * branches, which nest too deep. */
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

/* A number of a coordinate's dtype, as float32. */
__device__ __forceinline__ float
read_coordinate (RcDtype dtype, const char *p)
{
  const uint64_t bits = read_bits (dtype, p);

  return dtype == RC_FLOAT32 ? rc_float32 ((uint32_t) bits)
      : dtype == RC_FLOAT64 ? (float) rc_float64 (bits) : rc_float32_from_float16 ((uint16_t) bits);
}

/* A source reads coordinates, as float32 (conversions are exact, but for float64, which is rounded), and features of a
 * point at p: feature_offset is where the first of them is, for sources that read all at one distance. What is loaded of a
 * feature, which is aligned unless the source asks its address, is made a float64 later. asks_address: what ALIGNED says does
 * not matter. */
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

/* Points of any layout. Whether a number is aligned is asked of its address, since fields differ. */
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

/* Where the features of the points of an item are. */
template <class Source>
__device__ __forceinline__ const char *
features_of (const Format &format, const Chunk &chunk, int64_t item)
{
  return chunk.data + item * chunk.batch_stride + Source::feature_offset (format);
}

/* A feature at any address. */
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

/* Pixel i of the rows of a chunk: which row and column, and its depth in metres. */
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

/* A ray a pixel costs 8 bytes beside the 2 of the depth. */
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

/* ---- where a point is ----
 *
 * Where branches nest deep already there is no room for two ways, and the quotient it is. */

/* Why a point is in no voxel, where that needs no division: it is far outside, or no number. 0: it may be in one. */
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

/* rc_voxel_of; not inlined, since calls are rare where voxel_by_product is asked first. */
inline __device__ __noinline__ int64_t
voxel_by_quotient (const Grid &grid, float x, float y, float z)
{
  const float p[3] = { x, y, z };
  const int miss = miss_without_division (grid, p);

  return miss != 0 ? miss : rc_voxel_of (&grid.box, x, y, z);
}

/* rc_voxel_of by products: TRUE where these leave no doubt, since none of them is as close to a whole number as it may be away
 * from the quotient. What is outside, or no number, is a share of the grid of 0 or 1, which both are at a whole number. 2^23 added
 * with rounding down leaves the whole part in the low bits of a float. Only what is sure becomes a result, so that products and
 * sums may be one operation here. */
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

/* Where a point is that is no part of many under way. */
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

/* A finite value, within feature_range where there is one. */
__device__ __forceinline__ double
clamp_feature (const Values &values, double x)
{
  const double range = values.feature_range;

  return range == 0.0 || fabs (x) <= range ? x : x > 0.0 ? range : -range;
}

/* The value that max and min see, as their key. */
__device__ __forceinline__ uint32_t
extreme_key (const Values &values, double x)
{
  const float rounded = values.dtype == RC_FLOAT16 ? rc_float32_from_float16 (rc_float16_from_float64 (x))
      : rc_float32_from_float64 (x);

  return rc_voxel_key (rounded, values.flip);
}

/* Which channel of which of several points or voxels a lane has: a warp takes 32 channels at a time. */
struct Channel
{
  uint32_t of, channel;
};

/* element / channels of an element of 32 words of voxels. */
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

/* The one that comes so many points, and channels of one, later. */
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

/* The bits of a float16 or float32. */
__device__ __forceinline__ uint32_t
value_bits (RcDtype dtype, double x)
{
  return dtype == RC_FLOAT16 ? rc_float16_from_float64 (x) : rc_bits32 (rc_float32_from_float64 (x));
}

/* The bits of a float16 or float32 as element i of to. */
__device__ __forceinline__ void
store_value (RcDtype dtype, void *to, int64_t i, uint32_t bits)
{
  if (dtype == RC_FLOAT16)
    reinterpret_cast<uint16_t *> (to)[i] = (uint16_t) bits;
  else
    reinterpret_cast<uint32_t *> (to)[i] = bits;
}

/* The bits of the value that max and min kept. It is exact as float64, so this rounds as often as that: once. */
__device__ __forceinline__ uint32_t
extreme_bits (const Values &values, uint32_t key)
{
  const float x = rc_voxel_value_of_key (key, values.flip);

  return values.dtype == RC_FLOAT16 ? rc_float16_from_float32 (x) : rc_bits32 (x);
}

__device__ __forceinline__ uint32_t
count_bits (RcDtype dtype, uint32_t count)
{
  return dtype == RC_UINT8 ? rc_voxel_count_uint8 (count) : dtype == RC_FLOAT16 ? rc_voxel_count_float16 (count)
      : dtype == RC_FLOAT32 ? rc_bits32 ((float) count) : count;
}

/* What a voxel's feature saw beside finite values, where that is counted. */
__device__ __forceinline__ uint32_t
nonfinite_counted (const Job &job, int64_t item, int64_t at)
{
  return rc_voxel_flags_of_counts (item_array<const uint32_t> (job, item, job.layout.nonfinite_counts) + 3 * at);
}

/* The same where 8 features share a word of flags. */
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

/* ---- sums over a block ---- */

template <typename T>
__device__ __forceinline__ T
warp_sum (T x)
{
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    x += __shfl_down_sync (ALL_LANES, x, distance);
  return x;                     /* in lane 0 */
}

/* 64-bit divisions are slow, and rarely needed. */
__device__ __forceinline__ uint64_t
divide_64 (uint64_t a, uint64_t b)
{
  return (a | b) >> 32 == 0 ? (uint64_t) ((uint32_t) a / (uint32_t) b) : a / b;
}
}

#endif

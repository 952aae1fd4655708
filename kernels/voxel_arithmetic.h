/* robocache: the arithmetic of voxel grids that every backend shares, bit for bit
 *
 * Included by .c and .cu. The formulas are those of voxel.h; docs/explanation/voxels.md defines the same arithmetic in words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "arithmetic.h"
#include "voxel.h"

/* Fixed-point sums are below 2^62 in magnitude, so that sums of rounded values fit in int64. */
#define RC_VOXEL_SUM_BITS 62

/* Values of a feature of a voxel that are not finite. */
#define RC_VOXEL_NONFINITE_NAN 1u
#define RC_VOXEL_NONFINITE_PLUS 2u
#define RC_VOXEL_NONFINITE_MINUS 4u
#define RC_VOXEL_NONFINITE_BITS 4     /* bits per feature, so that 8 features share a uint32 */

/* The box of a grid; float32 for all fields that take part in float32 arithmetic. */
typedef struct RcVoxelBox
{
  float origin[3];
  float size[3];
  float n[3];
  int64_t row;                  /* index distance of neighbours in y: nx, or more if rows are padded */
  int64_t plane;                /* index distance of neighbours in z */
} RcVoxelBox;

/* Index of the voxel that holds x, y, z, or RC_VOXEL_OUTSIDE, _NAN or _INFINITE. 0 <= d < n equals 0 <= floor (d) < n for integers n, and
 * for the remaining d truncation equals floor, also for -0 and denormals. */
#define RC_VOXEL_OF(name, Index) \
  RC_SHARED Index \
  name (const RcVoxelBox * box, float x, float y, float z) \
  { \
    const float *origin = box->origin, *size = box->size, *n = box->n; \
    const float dx = (x - origin[0]) / size[0], dy = (y - origin[1]) / size[1], dz = (z - origin[2]) / size[2]; \
    const int inside = (dx >= 0.0f) & (dx < n[0]) & (dy >= 0.0f) & (dy < n[1]) & (dz >= 0.0f) & (dz < n[2]); \
    const uint32_t mx = rc_bits32 (x) & 0x7FFFFFFFu, my = rc_bits32 (y) & 0x7FFFFFFFu, mz = rc_bits32 (z) & 0x7FFFFFFFu; \
    const uint32_t infinity = 0x7F800000u; \
    const int nan = (mx > infinity) | (my > infinity) | (mz > infinity); \
    const int infinite = (mx == infinity) | (my == infinity) | (mz == infinity); \
    const int32_t ix = (int32_t) (inside ? dx : 0.0f), iy = (int32_t) (inside ? dy : 0.0f); \
    const int32_t iz = (int32_t) (inside ? dz : 0.0f); \
    const Index index = iz * (Index) box->plane + iy * (Index) box->row + ix; \
    const Index finite = inside ? index : RC_VOXEL_OUTSIDE; \
\
    return nan ? RC_VOXEL_NAN : infinite ? RC_VOXEL_INFINITE : finite; \
  }

RC_VOXEL_OF (rc_voxel_of, int64_t)
/* Like rc_voxel_of, for grids with every index below 2^31, without 64-bit products. */
RC_VOXEL_OF (rc_voxel_of_32, int32_t)

/* ceil (log2 (max (n, 1))) */
RC_SHARED int
rc_voxel_ceil_log2 (uint64_t n)
{
#ifdef __CUDA_ARCH__
  return n > UINT64_C (1) << 62 ? 63 : n > 1 ? 64 - __clzll ((long long) (n - 1)) : 0;
#else
  int bits = 0;

  while (bits < 63 && (UINT64_C (1) << bits) < n)
    bits++;
  return bits;
#endif
}

/* The exponent of the smallest power of two above a finite magnitude >= 0; 0 for 0. */
RC_SHARED int
rc_voxel_exponent_above (double magnitude)
{
  const uint64_t bits = rc_bits64 (magnitude);
  const int exponent = (int) (bits >> 52);

  if (bits == 0)
    return 0;
  if (exponent == 0)            /* denormal: scaled by 2^64 it is normal */
    return (int) (rc_bits64 (magnitude * 0x1p64) >> 52) - 1022 - 64;
  return exponent - 1022;
}

/* 2^exponent for -1022 <= exponent <= 1023. */
RC_SHARED double
rc_voxel_power_of_two (int exponent)
{
  return rc_float64 ((uint64_t) (exponent + 1023) << 52);
}

/* 2^k as two factors, because for denormals of float64 a single double cannot represent 2^k. Multiplying by one factor, then the other,
 * rounds at most once, and only if the result is a denormal. */
typedef struct RcVoxelScale
{
  double factor[2];             /* 2^k */
  double inverse[2];            /* 2^-k */
} RcVoxelScale;

/* The scale k for n_points points with magnitudes below 2^exponent. */
RC_SHARED int
rc_voxel_scale_bits (int exponent, uint64_t n_points)
{
  return RC_VOXEL_SUM_BITS - exponent - rc_voxel_ceil_log2 (n_points);
}

RC_SHARED RcVoxelScale
rc_voxel_scale_of (int k)
{
  const int half = k / 2, rest = k - half;
  RcVoxelScale scale;

  scale.factor[0] = rc_voxel_power_of_two (half);
  scale.factor[1] = rc_voxel_power_of_two (rest);
  scale.inverse[0] = rc_voxel_power_of_two (-half);
  scale.inverse[1] = rc_voxel_power_of_two (-rest);
  return scale;
}

RC_SHARED RcVoxelScale
rc_voxel_scale (int exponent, uint64_t n_points)
{
  return rc_voxel_scale_of (rc_voxel_scale_bits (exponent, n_points));
}

/* rint (x * 2^k) of a finite x. */
RC_SHARED int64_t
rc_voxel_fixed (const RcVoxelScale * scale, double x)
{
  const double scaled = x * scale->factor[0] * scale->factor[1];

#ifdef __CUDA_ARCH__
  return __double2ll_rn (scaled);       /* the same, in one step */
#else
  return (int64_t) rc_nearest (scaled);
#endif
}

/* The flag RC_VOXEL_NONFINITE_… of x; 0: x is finite. */
RC_SHARED uint32_t
rc_voxel_nonfinite_flags (double x)
{
  if (x != x)
    return RC_VOXEL_NONFINITE_NAN;
  if (fabs (x) < INFINITY)
    return 0;
  return x > 0.0 ? RC_VOXEL_NONFINITE_PLUS : RC_VOXEL_NONFINITE_MINUS;
}

/* The flags of a feature of a voxel, from the counts of each kind. */
RC_SHARED uint32_t
rc_voxel_flags_of_counts (const uint32_t * nonfinite_counts)
{
  return (nonfinite_counts[0] ? RC_VOXEL_NONFINITE_NAN : 0) | (nonfinite_counts[1] ? RC_VOXEL_NONFINITE_PLUS : 0)
      | (nonfinite_counts[2] ? RC_VOXEL_NONFINITE_MINUS : 0);
}

/* The index of the count that belongs to a single flag. */
RC_SHARED int
rc_voxel_nonfinite_index (uint32_t nonfinite_flags)
{
  return (int) (nonfinite_flags >> 1);
}

/* sum / count. Most voxels have one point, and on a GPU a division costs more than a comparison. */
RC_SHARED double
rc_voxel_quotient (int64_t sum, uint32_t count)
{
#ifdef __CUDA_ARCH__
  if (count == 1)
    return (double) sum;
#endif
  return (double) sum / (double) count;
}

/* Mean of count >= 1 values whose fixed-point sum is sum. */
RC_SHARED double
rc_voxel_mean (const RcVoxelScale * scale, int64_t sum, uint32_t count, uint32_t nonfinite_flags)
{
  const uint32_t both = RC_VOXEL_NONFINITE_PLUS | RC_VOXEL_NONFINITE_MINUS;
  const double mean = rc_voxel_quotient (sum, count) * scale->inverse[0] * scale->inverse[1];
  const double infinity = nonfinite_flags & RC_VOXEL_NONFINITE_PLUS ? (double) INFINITY : -(double) INFINITY;
  const int is_nan = (nonfinite_flags & RC_VOXEL_NONFINITE_NAN) != 0 || (nonfinite_flags & both) == both;

  return nonfinite_flags == 0 ? mean : is_nan ? rc_float64 (RC_NAN64_BITS) : infinity;
}

/* Mode pillars, along one axis: the distance of a coordinate from the origin, and that of the centre of voxel i. A decoration of a point is
 * its distance minus the distance of the centre, or minus the rc_voxel_mean of the distances. The fixed-point scale of this mean is
 * rc_voxel_scale of max_points. */
RC_SHARED double
rc_voxel_distance (const RcVoxelBox * box, int axis, float p)
{
  return (double) p - (double) box->origin[axis];
}

RC_SHARED double
rc_voxel_centre (const RcVoxelBox * box, int axis, int32_t i)
{
  return ((double) i + 0.5) * (double) box->size[axis];
}

/* An unsigned integer that is greater for a greater value (-0 is below +0), greatest for NaN, and 0 for no value:
 * the maximum of keys is the key of the maximum. flip is 0 for max and 0xFFFFFFFF for min, whose order is reversed. */
RC_SHARED uint32_t
rc_voxel_key (float x, uint32_t flip)
{
  const uint32_t bits = rc_bits32 (x);
  const uint32_t ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;

  return x != x ? 0xFFFFFFFFu : ordered ^ flip;
}

/* The value of a key; 0 for no value. */
RC_SHARED float
rc_voxel_value_of_key (uint32_t key, uint32_t flip)
{
  const uint32_t ordered = key ^ flip;

  if (key == 0)
    return 0.0f;
  if (key == 0xFFFFFFFFu)
    return rc_float32 (RC_NAN32_BITS);
  return rc_float32 (ordered & 0x80000000u ? ordered & 0x7FFFFFFFu : ~ordered);
}

/* A count as uint8, and as float16, whose greatest finite value is 65504. */
RC_SHARED uint8_t
rc_voxel_count_uint8 (uint32_t count)
{
  return (uint8_t) (count < 255u ? count : 255u);
}

RC_SHARED uint16_t
rc_voxel_count_float16 (uint32_t count)
{
  return rc_float16_from_float32 ((float) (count < 65504u ? count : 65504u));
}

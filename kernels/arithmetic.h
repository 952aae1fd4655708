/* robocache: the arithmetic that every backend shares, bit for bit
 *
 * Conversions between dtypes, sine and arccosine, angles, quaternions and their means. Included by .c and .cu files. The code uses only +
 * - * / sqrt, floor, comparisons and integer operations. IEEE 754 fixes the result of each, so all compilers and devices agree if
 * they round to nearest even, keep denormals and contract no operations to fma. Selections are written as
 * conditional expressions on values that are already computed, so that loops over them vectorise.
 * docs/explanation/arithmetic.md defines the same arithmetic in words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "dtype.h"
#include "shared.h"

#ifdef __FAST_MATH__
#error "robocache promises the same bits everywhere: do not build it with -ffast-math"
#endif
#if defined (__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "float and double must be computed in their own precision: build with -msse2 -mfpmath=sse"
#endif

/* ---- bits ---- */

#define RC_NAN32_BITS UINT32_C (0x7FC00000)
#define RC_NAN64_BITS UINT64_C (0x7FF8000000000000)
#define RC_NAN_FLOAT16 UINT16_C (0x7E00)
#define RC_NAN_BFLOAT16 UINT16_C (0x7FC0)

RC_SHARED uint32_t
rc_bits32 (float x)
{
  uint32_t bits;

  memcpy (&bits, &x, sizeof (bits));
  return bits;
}

RC_SHARED float
rc_float32 (uint32_t bits)
{
  float x;

  memcpy (&x, &bits, sizeof (x));
  return x;
}

RC_SHARED uint64_t
rc_bits64 (double x)
{
  uint64_t bits;

  memcpy (&bits, &x, sizeof (bits));
  return bits;
}

RC_SHARED double
rc_float64 (uint64_t bits)
{
  double x;

  memcpy (&x, &bits, sizeof (x));
  return x;
}

/* x; a NaN becomes the canonical NaN, which is the only NaN that a computation may store: quiet, without sign and payload. */
RC_SHARED float
rc_canonical32 (float x)
{
  return x == x ? x : rc_float32 (RC_NAN32_BITS);
}

RC_SHARED double
rc_canonical64 (double x)
{
  return x == x ? x : rc_float64 (RC_NAN64_BITS);
}

/* ---- float16, bfloat16, float32, float64: one rounding, to nearest even; a NaN becomes canonical ---- */

RC_SHARED float
rc_float32_from_float64 (double x)
{
  return rc_canonical32 ((float) x);
}

/* Exact. A denormal is made by subtracting 2^-14 from 2^-14 (1 + mantissa), so that no float32 denormal occurs. */
RC_SHARED float
rc_float32_from_float16 (uint16_t half)
{
  const uint32_t sign = (uint32_t) (half & 0x8000u) << 16;
  const uint32_t magnitude = (uint32_t) (half & 0x7FFFu) << 13;
  const uint32_t denormal = rc_bits32 (rc_float32 (magnitude + 0x38800000u) - 0x1p-14f);
  const uint32_t normal = magnitude + 0x38000000u;
  const uint32_t finite = magnitude < 0x00800000u ? denormal : normal;
  const uint32_t infinite = magnitude > 0x0F800000u ? RC_NAN32_BITS : sign | 0x7F800000u;

  return rc_float32 (magnitude < 0x0F800000u ? sign | finite : infinite);
}

/* Exact. */
RC_SHARED float
rc_float32_from_bfloat16 (uint16_t b)
{
  return rc_canonical32 (rc_float32 ((uint32_t) b << 16));
}

/* A normal result is rounded by an integer addition below its last place. For a denormal result, adding 0.5 puts the last
 * place of the sum at 2^-24, the last place of a float16 denormal, so the addition rounds. */
RC_SHARED uint16_t
rc_float16_from_float32 (float x)
{
  const uint32_t bits = rc_bits32 (x), magnitude = bits & 0x7FFFFFFFu;
  const uint32_t denormal = rc_bits32 (rc_float32 (magnitude) + 0.5f) - 0x3F000000u;
  const uint32_t normal = (magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1u)) >> 13;
  const uint32_t finite = magnitude < 0x38800000u ? denormal : normal;
  const uint32_t rounded = magnitude < 0x47800000u ? finite : 0x7C00u;

  return (uint16_t) (magnitude > 0x7F800000u ? RC_NAN_FLOAT16 : (bits >> 16 & 0x8000u) | rounded);
}

/* bfloat16 has the exponents of float32, so denormals need no special case. */
RC_SHARED uint16_t
rc_bfloat16_from_float32 (float x)
{
  const uint32_t bits = rc_bits32 (x);
  const uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;

  return (uint16_t) ((bits & 0x7FFFFFFFu) > 0x7F800000u ? RC_NAN_BFLOAT16 : rounded);
}

/* Like the conversion from float32, but not through float32, which would round twice. 2^28 has its last place at 2^-24. */
RC_SHARED uint16_t
rc_float16_from_float64 (double x)
{
  const uint64_t bits = rc_bits64 (x), magnitude = bits & UINT64_C (0x7FFFFFFFFFFFFFFF);
  const uint64_t denormal = rc_bits64 (rc_float64 (magnitude) + 0x1p28) - UINT64_C (0x41B0000000000000);
  const uint64_t normal =
      (magnitude - UINT64_C (0x3F00000000000000) + UINT64_C (0x1FFFFFFFFFF) + (magnitude >> 42 & 1)) >> 42;
  const uint64_t finite = magnitude < UINT64_C (0x3F10000000000000) ? denormal : normal;
  const uint64_t rounded = magnitude < UINT64_C (0x40F0000000000000) ? finite : 0x7C00u;

  return (uint16_t) (magnitude > UINT64_C (0x7FF0000000000000) ? RC_NAN_FLOAT16 : (bits >> 48 & 0x8000u) | rounded);
}

/* 2^-81 has its last place at 2^-133, that of a bfloat16 denormal. */
RC_SHARED uint16_t
rc_bfloat16_from_float64 (double x)
{
  const uint64_t bits = rc_bits64 (x), magnitude = bits & UINT64_C (0x7FFFFFFFFFFFFFFF);
  const uint64_t denormal = rc_bits64 (rc_float64 (magnitude) + 0x1p-81) - UINT64_C (0x3AE0000000000000);
  const uint64_t normal =
      (magnitude - UINT64_C (0x3800000000000000) + UINT64_C (0xFFFFFFFFFFF) + (magnitude >> 45 & 1)) >> 45;
  const uint64_t finite = magnitude < UINT64_C (0x3810000000000000) ? denormal : normal;
  const uint64_t rounded = magnitude < UINT64_C (0x47F0000000000000) ? finite : 0x7F80u;

  return (uint16_t) (magnitude > UINT64_C (0x7FF0000000000000) ? RC_NAN_BFLOAT16 : (bits >> 48 & 0x8000u) | rounded);
}

/* ---- float64 to integers: nearest even, saturated, 0 for NaN ---- */

/* To the nearest integer, ties to even, at any magnitude; the result of rint, without a call. */
RC_SHARED double
rc_nearest (double x)
{
  const double units = x < 0.0 ? -0x1p52 : 0x1p52;      /* its last place is 1 */
  const double rounded = (x + units) - units;

  return fabs (x) < 0x1p52 ? rounded : x;
}

/* The nearest integer of [low, high] as a double; 0 for NaN. low and high must be representable. */
RC_SHARED double
rc_nearest_within (double x, double low, double high)
{
  const double nearest = rc_nearest (x == x ? x : 0.0);
  const double raised = nearest > low ? nearest : low;

  return raised < high ? raised : high;
}

RC_SHARED int8_t
rc_int8_from_float64 (double x)
{
  return (int8_t) (int32_t) rc_nearest_within (x, INT8_MIN, INT8_MAX);
}

RC_SHARED uint8_t
rc_uint8_from_float64 (double x)
{
  return (uint8_t) (int32_t) rc_nearest_within (x, 0.0, UINT8_MAX);
}

RC_SHARED int16_t
rc_int16_from_float64 (double x)
{
  return (int16_t) (int32_t) rc_nearest_within (x, INT16_MIN, INT16_MAX);
}

RC_SHARED uint16_t
rc_uint16_from_float64 (double x)
{
  return (uint16_t) (int32_t) rc_nearest_within (x, 0.0, UINT16_MAX);
}

RC_SHARED int32_t
rc_int32_from_float64 (double x)
{
  return (int32_t) rc_nearest_within (x, INT32_MIN, INT32_MAX);
}

RC_SHARED uint32_t
rc_uint32_from_float64 (double x)
{
  return (uint32_t) (int64_t) rc_nearest_within (x, 0.0, UINT32_MAX);
}

/* The greatest int64 cannot be represented as a double, so 2^63 and above saturate separately. */
RC_SHARED int64_t
rc_int64_from_float64 (double x)
{
  const double nearest = rc_nearest_within (x, -0x1p63, 0x1p63);
  const int64_t inside = (int64_t) (nearest < 0x1p63 ? nearest : 0.0);

  return nearest < 0x1p63 ? inside : INT64_MAX;
}

RC_SHARED uint64_t
rc_uint64_from_float64 (double x)
{
  const double nearest = rc_nearest_within (x, 0.0, 0x1p64);
  const uint64_t inside = (uint64_t) (nearest < 0x1p64 ? nearest : 0.0);

  return nearest < 0x1p64 ? inside : UINT64_MAX;
}

/* ---- sine and arccosine ----
 * Polynomials in x^2 for (sin x / x - 1) / x^2 on [0, pi/2] and (asin x / x - 1) / x^2 on [0, 1/2], found by the Remez
 * exchange in 60 digits for the least relative error of the function. Each coefficient was then rounded to double. The relative
 * error of the exact polynomials is at most 2.8e-19 and 1.5e-17. They are evaluated by Horner from the last coefficient; the
 * absolute error of both functions is then at most 3e-16. */

RC_SHARED double
rc_sine (double x)              /* 0 <= x <= pi/2 */
{
  const double u = x * x;
  double p = 0x1.8829a2b583538p-49;

  p = p * u - 0x1.ae431d97fbc7ep-41;
  p = p * u + 0x1.6123cb290ad83p-33;
  p = p * u - 0x1.ae6454cb579efp-26;
  p = p * u + 0x1.71de3a5287c8bp-19;
  p = p * u - 0x1.a01a01a0148bdp-13;
  p = p * u + 0x1.11111111110c1p-7;
  p = p * u - 0x1.5555555555555p-3;
  return x + x * u * p;
}

RC_SHARED double
rc_arcsine_of_small (double x)  /* 0 <= x <= 1/2 */
{
  const double u = x * x;
  double p = 0x1.056cf088e9421p-5;

  p = p * u - 0x1.09d19f62d600cp-6;
  p = p * u + 0x1.3ff397bc13f9bp-6;
  p = p * u + 0x1.abd116aa5360ap-8;
  p = p * u + 0x1.8ec2c39d9898dp-7;
  p = p * u + 0x1.c6fdcb8159f85p-7;
  p = p * u + 0x1.1c6be11383b25p-6;
  p = p * u + 0x1.6e89f44b979e9p-6;
  p = p * u + 0x1.f1c72c3866959p-6;
  p = p * u + 0x1.6db6db427c907p-5;
  p = p * u + 0x1.333333336e7c7p-4;
  p = p * u + 0x1.5555555555390p-3;
  return x + x * u * p;
}

#define RC_PI 0x1.921fb54442d18p+1
#define RC_TWO_PI 0x1.921fb54442d18p+2
/* 2 pi in two parts of at most 25 bits, so that the product of k and either part is exact for k < 2^28. */
#define RC_TWO_PI_HIGH 0x1.921fb5p+2
#define RC_TWO_PI_LOW (RC_TWO_PI - RC_TWO_PI_HIGH)

/* 0 <= x <= 1. Above 1/2, the half angle is used, acos x = 2 asin sqrt ((1 - x) / 2), which is accurate near 1. */
RC_SHARED double
rc_arccosine (double x)
{
  const double half = sqrt ((1.0 - x) * 0.5);
  const double arcsine = rc_arcsine_of_small (x > 0.5 ? half : x);

  return x > 0.5 ? 2.0 * arcsine : 0.5 * RC_PI - arcsine;
}

/* ---- angles and quaternions, always in double ---- */

/* x in (-pi, pi]; NaN for an infinite x. The result is pi - ((pi - x) mod 2 pi), with the remainder computed by floor. Rounding may leave
 * the remainder slightly outside [0, 2 pi), and a huge x has no meaningful remainder: both are clamped. */
RC_SHARED double
rc_wrap (double x)
{
  const double a = RC_PI - x, turns = floor (a / RC_TWO_PI);
  const double r = (a - turns * RC_TWO_PI_HIGH) - turns * RC_TWO_PI_LOW;
  const double shift = r < 0.0 ? RC_TWO_PI : 0.0;
  const double raised = r + shift;
  const double back = raised >= RC_TWO_PI ? RC_TWO_PI : 0.0;
  const double inside = raised - back;
  const int outside = (inside < 0.0) | (inside >= RC_TWO_PI);

  return RC_PI - (outside ? 0.0 : inside);
}

/* The limits of the ranges [-pi, pi] and [0, 2 pi], for angles of dtype `in` that are stored in dtype `out`. */
typedef struct RcAngleLimits
{
  double pi, two_pi;            /* nearest values of dtype in: the inclusive limits of the rows */
  double top_pi, top_two_pi;    /* least results that dtype out rounds to these limits */
} RcAngleLimits;

/* The least double that rounds to the same value as limit, if the last `dropped` bits are rounded to nearest even. */
RC_SHARED double
rc_least_rounded_to (double limit, int dropped)
{
  const uint64_t unit = UINT64_C (1) << dropped, half = unit / 2, bits = rc_bits64 (limit);
  const uint64_t rounded = (bits + half - 1 + (bits >> dropped & 1)) & ~(unit - 1);

  return dropped == 0 ? limit : rc_float64 (rounded - half + (rounded >> dropped & 1));
}

/* Bits that a double loses in a dtype, for a number in [2^exponent, 2^(exponent + 1)). */
RC_SHARED int
rc_dropped_bits (RcDtype dtype, int exponent)
{
  return dtype == RC_FLOAT64 ? 0 : dtype == RC_FLOAT32 ? 29 : dtype == RC_FLOAT16 ? 42 : dtype == RC_BFLOAT16 ? 45
      : 52 - exponent;
}

RC_SHARED RcAngleLimits
rc_angle_limits (RcDtype in, RcDtype out)
{
  const double pi = in == RC_FLOAT64 ? RC_PI : in == RC_FLOAT32 ? 0x1.921fb6p+1 : in == RC_FLOAT16 || in == RC_BFLOAT16 ? 0x1.92p+1
      : 3.0;
  const double two_pi = 2.0 * pi;
  const RcAngleLimits limits = { pi, two_pi, rc_least_rounded_to (pi, rc_dropped_bits (out, 1)),
    rc_least_rounded_to (two_pi, rc_dropped_bits (out, 2))
  };

  return limits;
}

/* The angle x, brought into the range of the rows from which it was computed; least and greatest are the limits of these rows. The range is
 * [0, 2 pi) or [-pi, pi) if it contains all rows, both limits included; otherwise x is returned unchanged. */
RC_SHARED double
rc_into_turn (double x, double least, double greatest, const RcAngleLimits *limits)
{
  const int is_full = (least >= 0.0) & (greatest <= limits->two_pi);
  const int is_half = (least >= -limits->pi) & (greatest <= limits->pi);
  const double low = is_full ? 0.0 : -limits->pi, high = is_full ? limits->two_pi : limits->pi;
  const double top = is_full ? limits->top_two_pi : limits->top_pi;
  const double turns = floor ((x - low) / RC_TWO_PI);
  const double r = (x - turns * RC_TWO_PI_HIGH) - turns * RC_TWO_PI_LOW;
  const double moved = (x >= low) & (x < high) ? x : r;
  const double raised = moved < low ? moved + RC_TWO_PI : moved;
  const double inside = raised >= high ? raised - RC_TWO_PI : raised;
  const int outside = (inside < low) | (inside >= top);

  return is_full | is_half ? (outside ? low : inside) : x;
}

/* Interpolates between the angles y0 and y1 along the shorter arc, in their range. */
RC_SHARED double
rc_blend_angle (double y0, double y1, double w, const RcAngleLimits *limits)
{
  const double x = y0 + w * rc_wrap (y1 - y0);

  return rc_into_turn (x, y0 < y1 ? y0 : y1, y0 < y1 ? y1 : y0, limits);
}

/* The weighted mean of the angles of one channel: arcs from row to row, accumulated from the first angle on. */
typedef struct RcAngleMean
{
  double first, previous, arc, sum;
  double least, greatest;
} RcAngleMean;

/* Sets the first angle, whose arc is 0 for every weight. */
RC_SHARED void
rc_angle_mean_begin (RcAngleMean *mean, double y)
{
  mean->first = mean->previous = mean->least = mean->greatest = y;
  mean->arc = mean->sum = 0.0;
}

RC_SHARED void
rc_angle_mean_add (RcAngleMean *mean, double y, double weight)
{
  mean->arc = mean->arc + rc_wrap (y - mean->previous);
  mean->sum = mean->sum + weight * mean->arc;
  mean->previous = y;
  mean->least = y < mean->least ? y : mean->least;
  mean->greatest = y > mean->greatest ? y : mean->greatest;
}

/* total: the sum of all weights. */
RC_SHARED double
rc_angle_mean_end (const RcAngleMean *mean, double total, const RcAngleLimits *limits)
{
  return rc_into_turn (mean->first + mean->sum / total, mean->least, mean->greatest, limits);
}

RC_SHARED double
rc_dot4 (const double *a, const double *b)
{
  return ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3];
}

#ifdef __CUDA_ARCH__
/* Whether x, as dividend or divisor, is far from overflow and underflow. */
RC_SHARED int
rc_is_ordinary (double x)
{
  return ((uint32_t) (rc_bits64 (x) >> 52) & 0x7FFu) - (1023u - 300u) <= 600u;
}

RC_SHARED int
rc_is_zero (double x)
{
  return rc_bits64 (x) << 1 == 0;
}

/* The reciprocal of d that nvcc computes for x / d, by the same operations. */
RC_SHARED double
rc_reciprocal (double d)
{
  double r, e;

#ifdef __CUDACC__
  asm ("rcp.approx.ftz.f64 %0, %1;" : "=d" (r) : "d" (d));
#else
  r = 1.0 / d;
#endif
  r = rc_float64 ((rc_bits64 (r) & UINT64_C (0xFFFFFFFF00000000)) | 1);
  e = fma (-d, r, 1.0);
  r = fma (r, fma (e, e, e), r);
  return fma (r, fma (-d, r, 1.0), r);
}
#endif

/* q / d, each rounded once. On a GPU, four divisions would run one after the other, because each ends in a branch for special values. Here
 * they share one branch and the reciprocal of d; the other operations are those that nvcc generates for a division. */
RC_SHARED void
rc_divide4 (double *q, double d)
{
  int i;

#ifdef __CUDA_ARCH__
  int ordinary = rc_is_ordinary (d);

  for (i = 0; i < 4; i++)
    ordinary &= rc_is_ordinary (q[i]) | rc_is_zero (q[i]);
  if (ordinary) {
    const double r = rc_reciprocal (d);

    for (i = 0; i < 4; i++) {
      const double near = q[i] * r;

      q[i] = rc_is_zero (q[i]) ? near : fma (r, fma (-d, near, q[i]), near);    /* 0 keeps its sign */
    }
    return;
  }
#endif
  for (i = 0; i < 4; i++)
    q[i] = q[i] / d;
}

RC_SHARED void
rc_normalise4 (double *q)
{
  rc_divide4 (q, sqrt (rc_dot4 (q, q)));
}

/* Spherical interpolation of two quaternions along the shorter arc, with any order of components; out has norm 1. A quaternion
 * of norm 0 gives NaN. Below an angle of 1.8 degrees (dot product above 0.9995) the chord replaces the arc. */
RC_SHARED void
rc_slerp (const double *y0, const double *y1, double w, double *out)
{
  double q0[4], q1[4], d, f0, f1;
  int i;

  for (i = 0; i < 4; i++) {
    q0[i] = y0[i];
    q1[i] = y1[i];
  }
  rc_normalise4 (q0);
  rc_normalise4 (q1);
  d = rc_dot4 (q0, q1);
  if (d < 0.0) {
    d = -d;
    for (i = 0; i < 4; i++)
      q1[i] = -q1[i];
  }
  if (d > 0.9995) {
    for (i = 0; i < 4; i++)
      out[i] = q0[i] + w * (q1[i] - q0[i]);
  } else {
    const double angle = rc_arccosine (d), sine = rc_sine (angle);

    f0 = rc_sine ((1.0 - w) * angle);
    f1 = rc_sine (w * angle);
    for (i = 0; i < 4; i++)
      out[i] = f0 * q0[i] + f1 * q1[i];
    rc_divide4 (out, sine);
  }
  rc_normalise4 (out);
}

/* The weighted mean of quaternions. Each is normalised, and gets the sign that brings it nearer to the first one. */
typedef struct RcQuaternionMean
{
  double first[4], sum[4];
} RcQuaternionMean;

/* If the norm of a mean is below this, the quaternions are scattered: no rotation represents them. */
#define RC_MIN_MEAN_NORM 0.5

RC_SHARED void
rc_quaternion_mean_begin (RcQuaternionMean *mean, const double *y, double weight)
{
  int i;

  for (i = 0; i < 4; i++)
    mean->first[i] = y[i];
  rc_normalise4 (mean->first);
  for (i = 0; i < 4; i++)
    mean->sum[i] = weight * mean->first[i];
}

RC_SHARED void
rc_quaternion_mean_add (RcQuaternionMean *mean, const double *y, double weight)
{
  double q[4], sign;
  int i;

  for (i = 0; i < 4; i++)
    q[i] = y[i];
  rc_normalise4 (q);
  sign = rc_dot4 (q, mean->first) < 0.0 ? -1.0 : 1.0;
  for (i = 0; i < 4; i++)
    mean->sum[i] = mean->sum[i] + weight * (sign * q[i]);
}

/* total: the sum of all weights. Returns whether the quaternions are scattered: then out is NaN, otherwise it has norm 1. */
RC_SHARED int
rc_quaternion_mean_end (const RcQuaternionMean *mean, double total, double *out)
{
  double norm;
  int i;

  for (i = 0; i < 4; i++)
    out[i] = mean->sum[i];
  rc_divide4 (out, total);
  norm = sqrt (rc_dot4 (out, out));
  rc_divide4 (out, norm);
  for (i = 0; i < 4; i++)
    out[i] = norm < RC_MIN_MEAN_NORM ? rc_float64 (RC_NAN64_BITS) : out[i];
  return norm < RC_MIN_MEAN_NORM;
}

/* robocache: numbers of every dtype, stored and loaded plainly in double
 *
 * In terms of libm, and nothing of the kernels but the names of dtypes: the oracles of alignments and voxel grids.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/dtype.h"

/* Binary formats smaller than double: significand bits with the hidden one, least normal and greatest exponent. */
typedef struct
{
  int precision, least, greatest;
} OracleFormat;

static const OracleFormat oracle_float16 = { 11, -14, 15 };
static const OracleFormat oracle_bfloat16 = { 8, -126, 127 };
static const OracleFormat oracle_float32 = { 24, -126, 127 };

/* x rounded to the format, to nearest even. */
static inline double
oracle_round (OracleFormat f, double x)
{
  int exponent;
  double unit, rounded;

  if (x == 0 || !isfinite (x))
    return x;
  frexp (x, &exponent);
  exponent = exponent - 1 < f.least ? f.least : exponent - 1;
  unit = ldexp (1.0, exponent - (f.precision - 1));
  rounded = nearbyint (x / unit) * unit;
  return fabs (rounded) >= ldexp (1.0, f.greatest + 1) ? copysign (INFINITY, x) : rounded;
}

/* Bits of a value that the 16-bit format holds exactly. */
static inline uint16_t
oracle_encode16 (OracleFormat f, double x)
{
  const int mantissa = f.precision - 1;
  const unsigned sign = signbit (x) ? 0x8000u : 0u, top = 2u * (unsigned) f.greatest + 1u;
  int exponent;

  if (isnan (x))
    return (uint16_t) (top << mantissa | 1u << (mantissa - 1));
  if (isinf (x))
    return (uint16_t) (sign | top << mantissa);
  if (fabs (x) < ldexp (1.0, f.least))
    return (uint16_t) (sign | (unsigned) ldexp (fabs (x), mantissa - f.least));
  frexp (x, &exponent);
  return (uint16_t) (sign + ((unsigned) (exponent - 1 + f.greatest - 1) << mantissa)
      + (unsigned) ldexp (fabs (x), mantissa - (exponent - 1)));
}

static inline double
oracle_decode16 (OracleFormat f, uint16_t bits)
{
  const int mantissa = f.precision - 1;
  const int exponent = (bits & 0x7FFF) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
  const double sign = bits & 0x8000 ? -1.0 : 1.0;

  if (exponent == 2 * f.greatest + 1)
    return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * ldexp (fraction, f.least - mantissa);
  return sign * ldexp (fraction + (1 << mantissa), exponent - f.greatest - mantissa);
}

static inline double
oracle_least_integer (RcDtype dtype)
{
  static const double least[RC_N_DTYPES] = { -128, 0, -32768, 0, -2147483648.0, 0, -9223372036854775808.0, 0 };

  return least[dtype];
}

/* The first integer that is too great. */
static inline double
oracle_end_integer (RcDtype dtype)
{
  static const double end[RC_N_DTYPES] = { 128, 256, 32768, 65536, 2147483648.0, 4294967296.0, 9223372036854775808.0,
    18446744073709551616.0
  };

  return end[dtype];
}

/* The value of an element of dtype after x was stored in it. */
static inline double
oracle_stored (RcDtype dtype, double x)
{
  switch (dtype) {
    case RC_FLOAT16:
      return oracle_round (oracle_float16, x);
    case RC_BFLOAT16:
      return oracle_round (oracle_bfloat16, x);
    case RC_FLOAT32:
      return oracle_round (oracle_float32, x);
    case RC_FLOAT64:
      return x;
    default:
      if (isnan (x))
        return 0;
      x = nearbyint (x);
      if (x < oracle_least_integer (dtype))
        return oracle_least_integer (dtype);
      return x >= oracle_end_integer (dtype) ? oracle_end_integer (dtype) - 1 : x;
  }
}

/* Stores x at any address; a NaN is canonical. */
static inline void
oracle_put (RcDtype dtype, void *to, double x)
{
  const double stored = isnan (x) && rc_dtype_is_float (dtype) ? (double) NAN : oracle_stored (dtype, x);

/* the greatest integers of 64 bits are no doubles */
#define PUT_END(type, most) { type v = stored >= oracle_end_integer (dtype) ? most : (type) stored; memcpy (to, &v, sizeof (v)); break; }
#define PUT(type) { type v = (type) stored; memcpy (to, &v, sizeof (v)); break; }
  switch (dtype) {
    case RC_INT8: PUT (int8_t)
    case RC_UINT8: PUT (uint8_t)
    case RC_INT16: PUT (int16_t)
    case RC_UINT16: PUT (uint16_t)
    case RC_INT32: PUT (int32_t)
    case RC_UINT32: PUT (uint32_t)
    case RC_INT64: PUT_END (int64_t, INT64_MAX)
    case RC_UINT64: PUT_END (uint64_t, UINT64_MAX)
    case RC_FLOAT32: PUT (float)
    case RC_FLOAT64: PUT (double)
    default: {
      uint16_t v = oracle_encode16 (dtype == RC_FLOAT16 ? oracle_float16 : oracle_bfloat16, stored);
      memcpy (to, &v, sizeof (v));
    }
  }
#undef PUT
#undef PUT_END
}

static inline double
oracle_get (RcDtype dtype, const void *from)
{
#define GET(type) { type v; memcpy (&v, from, sizeof (v)); return (double) v; }
  switch (dtype) {
    case RC_INT8: GET (int8_t)
    case RC_UINT8: GET (uint8_t)
    case RC_INT16: GET (int16_t)
    case RC_UINT16: GET (uint16_t)
    case RC_INT32: GET (int32_t)
    case RC_UINT32: GET (uint32_t)
    case RC_INT64: GET (int64_t)
    case RC_UINT64: GET (uint64_t)
    case RC_FLOAT32: GET (float)
    case RC_FLOAT64: GET (double)
    default: {
      uint16_t v;
      memcpy (&v, from, sizeof (v));
      return oracle_decode16 (dtype == RC_FLOAT16 ? oracle_float16 : oracle_bfloat16, v);
    }
  }
#undef GET
}

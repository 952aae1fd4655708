/* robocache: rows of any dtype, to and from the types that are computed in
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "convert.h"

#include "kernels/arithmetic.h"

/* Elements that are converted by explicit vectors: none, where the compiler's own are as good. */
#if defined (__aarch64__) && defined (__ARM_NEON) && !defined (__AARCH64EB__)
#include "convert_neon.h"
#define IN_VECTORS(name, from, to, n) neon_##name (from, to, n)
#else
#define IN_VECTORS(name, from, to, n) 0
#endif

#define LOAD(name, type, to, value) LOAD_FROM (name, type, to, value, 0)
#define STORE(name, type, from, value) STORE_FROM (name, type, from, value, 0)
#define LOAD_IN_VECTORS(name, type, to, value) LOAD_FROM (name, type, to, value, IN_VECTORS (load_##name##_##to, row, out, n))
#define STORE_IN_VECTORS(name, type, from, value) \
  STORE_FROM (name, type, from, value, IN_VECTORS (store_##name##_##from, values, row, n))

/* value is an expression in x, an element */
#define CONVERT_FROM(first, type, x_of, result, value) \
    for (int64_t i = first; i < n; i++) { \
      const type x = x_of[i]; \
      result[i] = value; \
    }

#define LOAD_FROM(name, type, to, value, first) \
  static void \
  load_##name##_##to (const void *row, to *restrict out, int64_t n) \
  { \
    const type##_loose *from = row; \
\
    CONVERT_FROM (first, type, from, out, value) \
  }

#define STORE_FROM(name, type, from, value, first) \
  static void \
  store_##name##_##from (const from *restrict values, void *row, int64_t n) \
  { \
    type##_loose *restrict to = row; \
\
    CONVERT_FROM (first, from, values, to, value) \
  }

static inline int64_t
clamp (int64_t x, int64_t low, int64_t high)
{
  const int64_t raised = x > low ? x : low;

  return raised < high ? raised : high;
}

LOAD (int8, int8_t, float, (float) x)
LOAD (uint8, uint8_t, float, (float) x)
LOAD (int16, int16_t, float, (float) x)
LOAD (uint16, uint16_t, float, (float) x)
LOAD_IN_VECTORS (float16, uint16_t, float, rc_float32_from_float16 (x))
LOAD (bfloat16, uint16_t, float, rc_float32_from_bfloat16 (x))
LOAD (float32, float, float, rc_canonical32 (x))

LOAD (int8, int8_t, double, (double) x)
LOAD (uint8, uint8_t, double, (double) x)
LOAD (int16, int16_t, double, (double) x)
LOAD (uint16, uint16_t, double, (double) x)
LOAD (int32, int32_t, double, (double) x)
LOAD (uint32, uint32_t, double, (double) x)
LOAD (int64, int64_t, double, (double) x)
LOAD (uint64, uint64_t, double, (double) x)
LOAD_IN_VECTORS (float16, uint16_t, double, rc_canonical64 (rc_float32_from_float16 (x)))
LOAD (bfloat16, uint16_t, double, rc_canonical64 (rc_float32_from_bfloat16 (x)))
LOAD (float32, float, double, rc_canonical64 (x))
LOAD (float64, double, double, rc_canonical64 (x))

LOAD (int8, int8_t, int64_t, x)
LOAD (uint8, uint8_t, int64_t, x)
LOAD (int16, int16_t, int64_t, x)
LOAD (uint16, uint16_t, int64_t, x)
LOAD (int32, int32_t, int64_t, x)
LOAD (uint32, uint32_t, int64_t, x)
LOAD (int64, int64_t, int64_t, x)
LOAD (uint64, uint64_t, int64_t, (int64_t) (x < INT64_MAX ? x : INT64_MAX))

STORE_IN_VECTORS (float16, uint16_t, float, rc_float16_from_float32 (x))
STORE (bfloat16, uint16_t, float, rc_bfloat16_from_float32 (x))
STORE (float32, float, float, rc_canonical32 (x))

STORE_IN_VECTORS (int8, int8_t, double, rc_int8_from_float64 (x))
STORE_IN_VECTORS (uint8, uint8_t, double, rc_uint8_from_float64 (x))
STORE_IN_VECTORS (int16, int16_t, double, rc_int16_from_float64 (x))
STORE_IN_VECTORS (uint16, uint16_t, double, rc_uint16_from_float64 (x))
STORE_IN_VECTORS (int32, int32_t, double, rc_int32_from_float64 (x))
STORE_IN_VECTORS (uint32, uint32_t, double, rc_uint32_from_float64 (x))
STORE_IN_VECTORS (int64, int64_t, double, rc_int64_from_float64 (x))
STORE_IN_VECTORS (uint64, uint64_t, double, rc_uint64_from_float64 (x))
STORE_IN_VECTORS (float16, uint16_t, double, rc_float16_from_float64 (x))
STORE_IN_VECTORS (bfloat16, uint16_t, double, rc_bfloat16_from_float64 (x))
STORE (float32, float, double, rc_float32_from_float64 (x))
STORE (float64, double, double, rc_canonical64 (x))

STORE (int8, int8_t, int64_t, (int8_t) clamp (x, INT8_MIN, INT8_MAX))
STORE (uint8, uint8_t, int64_t, (uint8_t) clamp (x, 0, UINT8_MAX))
STORE (int16, int16_t, int64_t, (int16_t) clamp (x, INT16_MIN, INT16_MAX))
STORE (uint16, uint16_t, int64_t, (uint16_t) clamp (x, 0, UINT16_MAX))
STORE (int32, int32_t, int64_t, (int32_t) clamp (x, INT32_MIN, INT32_MAX))
STORE (uint32, uint32_t, int64_t, (uint32_t) clamp (x, 0, UINT32_MAX))
STORE (int64, int64_t, int64_t, x)
STORE (uint64, uint64_t, int64_t, (uint64_t) clamp (x, 0, INT64_MAX))

#define FLOAT32_TABLE(f) { \
  [RC_INT8] = f##_int8_float, [RC_UINT8] = f##_uint8_float, [RC_INT16] = f##_int16_float, \
  [RC_UINT16] = f##_uint16_float, [RC_FLOAT16] = f##_float16_float, [RC_BFLOAT16] = f##_bfloat16_float, \
  [RC_FLOAT32] = f##_float32_float }

#define INTEGERS(f, type) \
  [RC_INT8] = f##_int8_##type, [RC_UINT8] = f##_uint8_##type, [RC_INT16] = f##_int16_##type, \
  [RC_UINT16] = f##_uint16_##type, [RC_INT32] = f##_int32_##type, [RC_UINT32] = f##_uint32_##type, \
  [RC_INT64] = f##_int64_##type, [RC_UINT64] = f##_uint64_##type

#define FLOATS(f, type) \
  [RC_FLOAT16] = f##_float16_##type, [RC_BFLOAT16] = f##_bfloat16_##type, [RC_FLOAT32] = f##_float32_##type

const RcConversions RC_LEVEL_NAME (rc_conversions) = {
  .load_float32 = FLOAT32_TABLE (load),
  .load_float64 = {INTEGERS (load, double), FLOATS (load, double), [RC_FLOAT64] = load_float64_double},
  .load_int64 = {INTEGERS (load, int64_t)},
  .store_float32 = {FLOATS (store, float)},
  .store_float64 = {INTEGERS (store, double), FLOATS (store, double), [RC_FLOAT64] = store_float64_double},
  .store_int64 = {INTEGERS (store, int64_t)},
};

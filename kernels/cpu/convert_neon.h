/* robocache: conversions of float16, bfloat16, and float64 to integers, with AArch64 instructions that the compiler does not select
 *
 * Each function converts full vectors and returns the number of elements it has converted; convert.c converts the rest. The bits are those of
 * kernels/arithmetic.h: FCVTN and FCVTL round to nearest even and keep denormals with the FPCR of floatmode.h, FCVTN* to integers
 * saturate and turn NaN into 0, and FCVTXN rounds to odd, so that the rounding after it is the only one (Arm Architecture Reference
 * Manual for A-profile, C7.2). Counts: docs/explanation/decisions/alignment-kernels.md.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <arm_neon.h>
#include <stdint.h>

#include "kernels/arithmetic.h"

/* Defines a function that converts elements from x to out, `lanes` at a time. Rows may be at any address. */
#define RC_NEON_LOOP(name, from, to, lanes) \
  static inline int64_t \
  neon_##name (const void *row, void *result, int64_t n) \
  { \
    const char *x = row; \
    char *out = result; \
    int64_t i = 0; \
\
    for (; i + (lanes) <= n; i += (lanes), x += (lanes) * sizeof (from), out += (lanes) * sizeof (to)) \
      neon_##name##_vectors ((const uint8_t *) x, (uint8_t *) out); \
    return i; \
  }

/* ---- floats ---- */

static inline float32x4_t
neon_canonical (float32x4_t x)
{
  return vbslq_f32 (vceqq_f32 (x, x), x, vreinterpretq_f32_u32 (vdupq_n_u32 (RC_NAN32_BITS)));
}

static inline float32x4_t
neon_float32_of_float16 (const uint8_t *x)
{
  return neon_canonical (vcvt_f32_f16 (vreinterpret_f16_u8 (vld1_u8 (x))));
}

static inline void
neon_load_float16_float_vectors (const uint8_t *x, uint8_t *out)
{
  vst1q_u8 (out, vreinterpretq_u8_f32 (neon_float32_of_float16 (x)));
  vst1q_u8 (out + 16, vreinterpretq_u8_f32 (neon_float32_of_float16 (x + 8)));
}

RC_NEON_LOOP (load_float16_float, uint16_t, float, 8)

static inline void
neon_load_float16_double_vectors (const uint8_t *x, uint8_t *out)
{
  const float32x4_t loaded = neon_float32_of_float16 (x);

  vst1q_u8 (out, vreinterpretq_u8_f64 (vcvt_f64_f32 (vget_low_f32 (loaded))));
  vst1q_u8 (out + 16, vreinterpretq_u8_f64 (vcvt_high_f64_f32 (loaded)));
}

RC_NEON_LOOP (load_float16_double, uint16_t, double, 4)

static inline float32x4_t
neon_floats (const uint8_t *x)
{
  return vreinterpretq_f32_u8 (vld1q_u8 (x));
}

static inline float64x2_t
neon_doubles (const uint8_t *x)
{
  return vreinterpretq_f64_u8 (vld1q_u8 (x));
}

/* Four doubles, rounded to odd. */
static inline float32x4_t
neon_odd_floats (const uint8_t *x)
{
  return vcvtx_high_f32_f64 (vcvtx_f32_f64 (neon_doubles (x)), neon_doubles (x + 16));
}

static inline uint8x8_t
neon_float16_of (float32x4_t x)
{
  return vreinterpret_u8_f16 (vcvt_f16_f32 (neon_canonical (x)));
}

static inline uint8x8_t
neon_bfloat16_of (float32x4_t x)
{
  const uint32x4_t bits = vreinterpretq_u32_f32 (x);
  const uint32x4_t last = vandq_u32 (vshrq_n_u32 (bits, 16), vdupq_n_u32 (1));
  const uint16x4_t rounded = vshrn_n_u32 (vaddq_u32 (vaddq_u32 (bits, last), vdupq_n_u32 (0x7FFF)), 16);

  return vreinterpret_u8_u16 (vbsl_u16 (vmovn_u32 (vceqq_f32 (x, x)), rounded, vdup_n_u16 (RC_NAN_BFLOAT16)));
}

static inline void
neon_store_float16_float_vectors (const uint8_t *x, uint8_t *out)
{
  vst1_u8 (out, neon_float16_of (neon_floats (x)));
  vst1_u8 (out + 8, neon_float16_of (neon_floats (x + 16)));
}

RC_NEON_LOOP (store_float16_float, float, uint16_t, 8)

static inline void
neon_store_float16_double_vectors (const uint8_t *x, uint8_t *out)
{
  vst1_u8 (out, neon_float16_of (neon_odd_floats (x)));
}

RC_NEON_LOOP (store_float16_double, double, uint16_t, 4)

static inline void
neon_store_bfloat16_double_vectors (const uint8_t *x, uint8_t *out)
{
  vst1_u8 (out, neon_bfloat16_of (neon_odd_floats (x)));
}

RC_NEON_LOOP (store_bfloat16_double, double, uint16_t, 4)

/* ---- integers ---- */

static inline int64x2_t
neon_int64_of (const uint8_t *x)
{
  return vcvtnq_s64_f64 (neon_doubles (x));
}

static inline uint64x2_t
neon_uint64_of (const uint8_t *x)
{
  return vcvtnq_u64_f64 (neon_doubles (x));
}

static inline int32x4_t
neon_int32_of (const uint8_t *x)
{
  return vqmovn_high_s64 (vqmovn_s64 (neon_int64_of (x)), neon_int64_of (x + 16));
}

static inline uint32x4_t
neon_uint32_of (const uint8_t *x)
{
  return vqmovn_high_u64 (vqmovn_u64 (neon_uint64_of (x)), neon_uint64_of (x + 16));
}

static inline int16x8_t
neon_int16_of (const uint8_t *x)
{
  return vqmovn_high_s32 (vqmovn_s32 (neon_int32_of (x)), neon_int32_of (x + 32));
}

static inline uint16x8_t
neon_uint16_of (const uint8_t *x)
{
  return vqmovn_high_u32 (vqmovn_u32 (neon_uint32_of (x)), neon_uint32_of (x + 32));
}

static inline void
neon_store_int64_double_vectors (const uint8_t *x, uint8_t *out)
{
  vst1q_u8 (out, vreinterpretq_u8_s64 (neon_int64_of (x)));
  vst1q_u8 (out + 16, vreinterpretq_u8_s64 (neon_int64_of (x + 16)));
}

RC_NEON_LOOP (store_int64_double, double, int64_t, 4)

static inline void
neon_store_uint64_double_vectors (const uint8_t *x, uint8_t *out)
{
  vst1q_u8 (out, vreinterpretq_u8_u64 (neon_uint64_of (x)));
  vst1q_u8 (out + 16, vreinterpretq_u8_u64 (neon_uint64_of (x + 16)));
}

RC_NEON_LOOP (store_uint64_double, double, uint64_t, 4)

static inline void
neon_store_int32_double_vectors (const uint8_t *x, uint8_t *out)
{
  vst1q_u8 (out, vreinterpretq_u8_s32 (neon_int32_of (x)));
}

RC_NEON_LOOP (store_int32_double, double, int32_t, 4)

static inline void
neon_store_uint32_double_vectors (const uint8_t *x, uint8_t *out)
{
  vst1q_u8 (out, vreinterpretq_u8_u32 (neon_uint32_of (x)));
}

RC_NEON_LOOP (store_uint32_double, double, uint32_t, 4)

static inline void
neon_store_int16_double_vectors (const uint8_t *x, uint8_t *out)
{
  vst1q_u8 (out, vreinterpretq_u8_s16 (neon_int16_of (x)));
}

RC_NEON_LOOP (store_int16_double, double, int16_t, 8)

static inline void
neon_store_uint16_double_vectors (const uint8_t *x, uint8_t *out)
{
  vst1q_u8 (out, vreinterpretq_u8_u16 (neon_uint16_of (x)));
}

RC_NEON_LOOP (store_uint16_double, double, uint16_t, 8)

static inline void
neon_store_int8_double_vectors (const uint8_t *x, uint8_t *out)
{
  vst1_u8 (out, vreinterpret_u8_s8 (vqmovn_s16 (neon_int16_of (x))));
}

RC_NEON_LOOP (store_int8_double, double, int8_t, 8)

static inline void
neon_store_uint8_double_vectors (const uint8_t *x, uint8_t *out)
{
  vst1_u8 (out, vqmovn_u16 (neon_uint16_of (x)));
}

RC_NEON_LOOP (store_uint8_double, double, uint8_t, 8)

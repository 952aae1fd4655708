/* robocache: elements of any dtype, in registers
 *
 * Elements are read and written as words of raw bits, up to 16 bytes at a time, and unpacked in registers. Functions that take a dtype as
 * a template parameter compile to what that dtype needs; functions that take it as an argument branch, in the same way in all threads of
 * a row. Loads need not make a NaN canonical, since every store does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/arithmetic.h"
#include "kernels/dtype.h"
#include "language.cuh"

namespace rc
{
__host__ __device__ constexpr int
size_of (RcDtype dtype)
{
  return dtype <= RC_UINT8 ? 1 : dtype <= RC_UINT16 || dtype == RC_FLOAT16 || dtype == RC_BFLOAT16 ? 2
      : dtype == RC_INT64 || dtype == RC_UINT64 || dtype == RC_FLOAT64 ? 8 : 4;
}

/* ---- words ---- */

/* Loads BYTES at p, which is aligned to BYTES or to 16. */
template <int BYTES>
__device__ __forceinline__ void
read_words (const char *p, uint32_t *words)
{
  if constexpr (BYTES >= 16) {
#pragma unroll
    for (int i = 0; i < BYTES / 16; i++) {
      const uint4 v = load_global<uint4> (p + 16 * i);

      words[4 * i] = v.x;
      words[4 * i + 1] = v.y;
      words[4 * i + 2] = v.z;
      words[4 * i + 3] = v.w;
    }
  } else if constexpr (BYTES == 8) {
    const uint2 v = load_global<uint2> (p);

    words[0] = v.x;
    words[1] = v.y;
  } else if constexpr (BYTES == 4) {
    words[0] = load_global<uint32_t> (p);
  } else if constexpr (BYTES == 2) {
    words[0] = load_global<uint16_t> (p);
  } else {
    words[0] = load_global<uint8_t> (p);
  }
}

/* GLOBAL: p is in global memory, which the compiler cannot infer. */
template <typename Word, bool GLOBAL>
__device__ __forceinline__ void
write_word (char *p, Word v)
{
  if constexpr (GLOBAL)
    store_global (p, v);
  else
    *reinterpret_cast<Word *> (p) = v;
}

template <int BYTES, bool GLOBAL = false>
__device__ __forceinline__ void
write_words (char *p, const uint32_t *words)
{
  if constexpr (BYTES >= 16) {
#pragma unroll
    for (int i = 0; i < BYTES / 16; i++, words += 4)
      write_word<uint4, GLOBAL> (p + 16 * i, make_uint4 (words[0], words[1], words[2], words[3]));
  } else if constexpr (BYTES == 8) {
    write_word<uint2, GLOBAL> (p, make_uint2 (words[0], words[1]));
  } else if constexpr (BYTES == 4) {
    write_word<uint32_t, GLOBAL> (p, words[0]);
  } else if constexpr (BYTES == 2) {
    write_word<uint16_t, GLOBAL> (p, (uint16_t) words[0]);
  } else {
    write_word<uint8_t, GLOBAL> (p, (uint8_t) words[0]);
  }
}

/* V elements of size bytes. */
template <int V>
__device__ __forceinline__ void
read_elements (int size, const char *p, uint32_t *words)
{
  if (size == 1)
    read_words<V> (p, words);
  else if (size == 2)
    read_words<2 * V> (p, words);
  else if (size == 4)
    read_words<4 * V> (p, words);
  else
    read_words<8 * V> (p, words);
}

template <int V, bool GLOBAL = false>
__device__ __forceinline__ void
write_elements (int size, char *p, const uint32_t *words)
{
  if (size == 1)
    write_words<V, GLOBAL> (p, words);
  else if (size == 2)
    write_words<2 * V, GLOBAL> (p, words);
  else if (size == 4)
    write_words<4 * V, GLOBAL> (p, words);
  else
    write_words<8 * V, GLOBAL> (p, words);
}

/* One element at any address. */
__device__ __forceinline__ void
read_element (int size, const char *p, bool aligned, uint32_t *words)
{
  words[0] = words[1] = 0;
  if (aligned) {
    read_elements<1> (size, p, words);
    return;
  }
  for (int i = 0; i < size; i++) {
    const uint32_t byte = load_global<uint8_t> (p + i);

    words[0] |= i < 4 ? byte << 8 * i : 0;
    words[1] |= i < 4 ? 0 : byte << 8 * (i - 4);
  }
}

__device__ __forceinline__ void
write_element (int size, char *p, bool aligned, const uint32_t *words)
{
  if (aligned) {
    write_elements<1> (size, p, words);
    return;
  }
  for (int i = 0; i < size; i++)
    p[i] = (char) (i < 4 ? words[0] >> 8 * i : words[1] >> 8 * (i - 4));
}

/* ---- from bits ---- */

__device__ __forceinline__ uint32_t
part (const uint32_t *words, int size, int i)
{
  return size == 1 ? words[i / 4] >> 8 * (i % 4) & 0xFF : words[i / 2] >> 16 * (i % 2) & 0xFFFF;
}

__device__ __forceinline__ uint64_t
pair (const uint32_t *words, int i)
{
  return (uint64_t) words[2 * i + 1] << 32 | words[2 * i];
}

/* Element i as Real; exact, except for 64-bit integers. The hardware conversion of float16 is exact, too. */
template <RcDtype D, typename Real>
__device__ __forceinline__ Real
unpack (const uint32_t *words, int i)
{
  if constexpr (D == RC_INT8)
    return (Real) (int8_t) part (words, 1, i);
  else if constexpr (D == RC_UINT8)
    return (Real) (uint8_t) part (words, 1, i);
  else if constexpr (D == RC_INT16)
    return (Real) (int16_t) part (words, 2, i);
  else if constexpr (D == RC_UINT16)
    return (Real) (uint16_t) part (words, 2, i);
  else if constexpr (D == RC_INT32)
    return (Real) (int32_t) words[i];
  else if constexpr (D == RC_UINT32)
    return (Real) words[i];
  else if constexpr (D == RC_INT64)
    return (Real) (int64_t) pair (words, i);
  else if constexpr (D == RC_UINT64)
    return (Real) pair (words, i);
  else if constexpr (D == RC_FLOAT16)
    return (Real) __half2float (__ushort_as_half ((unsigned short) part (words, 2, i)));
  else if constexpr (D == RC_BFLOAT16)
    return (Real) __uint_as_float (i % 2 == 0 ? words[i / 2] << 16 : words[i / 2] & 0xFFFF0000u);
  else if constexpr (D == RC_FLOAT32)
    return (Real) __uint_as_float (words[i]);
  else
    return (Real) __longlong_as_double ((long long) pair (words, i));
}

template <RcDtype D, typename Real, int V>
__device__ __forceinline__ void
unpack_all (const uint32_t *words, Real *values)
{
#pragma unroll
  for (int i = 0; i < V; i++)
    values[i] = unpack<D, Real> (words, i);
}

/* ---- to bits ---- */

template <RcDtype D>
__device__ __forceinline__ uint64_t
bits_of (double x)
{
  if constexpr (D == RC_INT8)
    return (uint8_t) rc_int8_from_float64 (x);
  else if constexpr (D == RC_UINT8)
    return rc_uint8_from_float64 (x);
  else if constexpr (D == RC_INT16)
    return (uint16_t) rc_int16_from_float64 (x);
  else if constexpr (D == RC_UINT16)
    return rc_uint16_from_float64 (x);
  else if constexpr (D == RC_INT32)
    return (uint32_t) rc_int32_from_float64 (x);
  else if constexpr (D == RC_UINT32)
    return rc_uint32_from_float64 (x);
  else if constexpr (D == RC_INT64)
    return (uint64_t) rc_int64_from_float64 (x);
  else if constexpr (D == RC_UINT64)
    return rc_uint64_from_float64 (x);
  else if constexpr (D == RC_FLOAT16)
    return rc_float16_from_float64 (x);
  else if constexpr (D == RC_BFLOAT16)
    return rc_bfloat16_from_float64 (x);
  else if constexpr (D == RC_FLOAT32)
    return rc_bits32 (rc_float32_from_float64 (x));
  else
    return rc_bits64 (rc_canonical64 (x));
}

template <RcDtype D>
__device__ __forceinline__ uint64_t
bits_of (float x)
{
  if constexpr (D == RC_FLOAT16)
    return rc_float16_from_float32 (x);
  else if constexpr (D == RC_BFLOAT16)
    return rc_bfloat16_from_float32 (x);
  else
    return rc_bits32 (rc_canonical32 (x));
}

/* Stores element i of SIZE bytes; the elements before it in its word must be stored already. */
template <int SIZE>
__device__ __forceinline__ void
put_bits (uint64_t bits, int i, uint32_t *words)
{
  constexpr int per_word = SIZE >= 4 ? 1 : 4 / SIZE;

  if constexpr (SIZE == 8) {
    words[2 * i] = (uint32_t) bits;
    words[2 * i + 1] = (uint32_t) (bits >> 32);
  } else {
    const uint32_t place = (uint32_t) bits << 8 * SIZE * (i % per_word);

    words[i / per_word] = i % per_word == 0 ? place : words[i / per_word] | place;
  }
}

template <RcDtype D, typename Real, int V>
__device__ __forceinline__ void
pack_each (const Real *values, uint32_t *words)
{
#pragma unroll
  for (int i = 0; i < V; i++)
    put_bits<size_of (D)> (bits_of<D> (values[i]), i, words);
}

/* Converts two at a time in hardware, which rounds to nearest even and keeps denormals as we do, but turns a NaN into 0x7FFF. Among
 * signed 16-bit numbers only 0x7FFF is above our NaN: infinity is below it, and negative values are below zero. */
template <RcDtype D, int V>
__device__ __forceinline__ void
pack_halves (const float *values, uint32_t *words)
{
#pragma unroll
  for (int i = 0; i < V; i += 2) {
    if constexpr (D == RC_FLOAT16) {
      const __half2 h = __floats2half2_rn (values[i], values[i + 1]);

      words[i / 2] = __vmins2 (*reinterpret_cast<const uint32_t *> (&h), RC_NAN_FLOAT16 * 0x10001u);
    } else {
      const __nv_bfloat162 h = __floats2bfloat162_rn (values[i], values[i + 1]);

      words[i / 2] = __vmins2 (*reinterpret_cast<const uint32_t *> (&h), RC_NAN_BFLOAT16 * 0x10001u);
    }
  }
}

template <RcDtype D, typename Real, int V>
__device__ __forceinline__ void
pack_all (const Real *values, uint32_t *words)
{
  if constexpr ((D == RC_FLOAT16 || D == RC_BFLOAT16) && sizeof (Real) == 4 && V % 2 == 0)
    pack_halves<D, V> (values, words);
  else
    pack_each<D, Real, V> (values, words);
}

/* ---- dtypes as arguments ---- */

/* A dtype of the kernel, as an argument. The compiler then has no switch to simplify at each inlined call, which would take half of the
 * kernel's compile time. */
template <RcDtype D>
struct Known
{
  __device__ constexpr
  operator RcDtype () const
  {
    return D;
  }
};

template <typename Real, int V, RcDtype D>
__device__ __forceinline__ void
unpack_as (Known<D>, const uint32_t *words, Real *values)
{
  unpack_all<D, Real, V> (words, values);
}

template <typename Real, int V, RcDtype D>
__device__ __forceinline__ void
pack_as (Known<D>, const Real *values, uint32_t *words)
{
  pack_all<D, Real, V> (values, words);
}

/* For a dtype that align_plan.h computes in Real. */
template <typename Real, int V>
__device__ __forceinline__ void
unpack_as (RcDtype dtype, const uint32_t *words, Real *values)
{
  switch (dtype) {
    case RC_INT8:
      return unpack_all<RC_INT8, Real, V> (words, values);
    case RC_UINT8:
      return unpack_all<RC_UINT8, Real, V> (words, values);
    case RC_INT16:
      return unpack_all<RC_INT16, Real, V> (words, values);
    case RC_UINT16:
      return unpack_all<RC_UINT16, Real, V> (words, values);
    case RC_FLOAT16:
      return unpack_all<RC_FLOAT16, Real, V> (words, values);
    case RC_BFLOAT16:
      return unpack_all<RC_BFLOAT16, Real, V> (words, values);
    case RC_FLOAT32:
      return unpack_all<RC_FLOAT32, Real, V> (words, values);
    default:
      break;
  }
  if constexpr (sizeof (Real) == 8) {
    switch (dtype) {
      case RC_INT32:
        return unpack_all<RC_INT32, Real, V> (words, values);
      case RC_UINT32:
        return unpack_all<RC_UINT32, Real, V> (words, values);
      case RC_INT64:
        return unpack_all<RC_INT64, Real, V> (words, values);
      case RC_UINT64:
        return unpack_all<RC_UINT64, Real, V> (words, values);
      default:
        return unpack_all<RC_FLOAT64, Real, V> (words, values);
    }
  }
}

template <typename Real, int V>
__device__ __forceinline__ void
pack_as (RcDtype dtype, const Real *values, uint32_t *words)
{
  switch (dtype) {
    case RC_FLOAT16:
      return pack_all<RC_FLOAT16, Real, V> (values, words);
    case RC_BFLOAT16:
      return pack_all<RC_BFLOAT16, Real, V> (values, words);
    case RC_FLOAT32:
      return pack_all<RC_FLOAT32, Real, V> (values, words);
    default:
      break;
  }
  if constexpr (sizeof (Real) == 8) {
    switch (dtype) {
      case RC_INT8:
        return pack_all<RC_INT8, Real, V> (values, words);
      case RC_UINT8:
        return pack_all<RC_UINT8, Real, V> (values, words);
      case RC_INT16:
        return pack_all<RC_INT16, Real, V> (values, words);
      case RC_UINT16:
        return pack_all<RC_UINT16, Real, V> (values, words);
      case RC_INT32:
        return pack_all<RC_INT32, Real, V> (values, words);
      case RC_UINT32:
        return pack_all<RC_UINT32, Real, V> (values, words);
      case RC_INT64:
        return pack_all<RC_INT64, Real, V> (values, words);
      case RC_UINT64:
        return pack_all<RC_UINT64, Real, V> (values, words);
      default:
        return pack_all<RC_FLOAT64, Real, V> (values, words);
    }
  }
}

/* ---- from integer to integer: exact or saturated; uint64 passes through int64 as on the CPU ---- */

/* Element i. */
__device__ __forceinline__ int64_t
integer_of (RcDtype dtype, const uint32_t *words, int i)
{
  switch (dtype) {
    case RC_INT8:
      return (int8_t) part (words, 1, i);
    case RC_UINT8:
      return (uint8_t) part (words, 1, i);
    case RC_INT16:
      return (int16_t) part (words, 2, i);
    case RC_UINT16:
      return (uint16_t) part (words, 2, i);
    case RC_INT32:
      return (int32_t) words[i];
    case RC_UINT32:
      return words[i];
    case RC_INT64:
      return (int64_t) pair (words, i);
    default:
      return (int64_t) (pair (words, i) < (uint64_t) INT64_MAX ? pair (words, i) : (uint64_t) INT64_MAX);
  }
}

__device__ __forceinline__ uint64_t
saturated (RcDtype dtype, int64_t x)
{
  const int bits = 8 * size_of (dtype);
  const bool is_signed = dtype == RC_INT8 || dtype == RC_INT16 || dtype == RC_INT32 || dtype == RC_INT64;
  const int64_t high = bits == 64 ? INT64_MAX : (INT64_C (1) << (is_signed ? bits - 1 : bits)) - 1;
  const int64_t low = is_signed ? -high - 1 : 0;
  const int64_t raised = x > low ? x : low;

  return (uint64_t) (raised < high ? raised : high);
}

/* Converts V integers of words from one dtype to another. */
template <int V>
__device__ __forceinline__ void
convert_integers (RcDtype from, RcDtype to, uint32_t *words)
{
  uint64_t bits[V];

#pragma unroll
  for (int i = 0; i < V; i++)
    bits[i] = saturated (to, integer_of (from, words, i));
#pragma unroll
  for (int i = 0; i < V; i++) {
    switch (size_of (to)) {
      case 1:
        put_bits<1> (bits[i] & 0xFF, i, words);
        break;
      case 2:
        put_bits<2> (bits[i] & 0xFFFF, i, words);
        break;
      case 4:
        put_bits<4> (bits[i], i, words);
        break;
      default:
        put_bits<8> (bits[i], i, words);
    }
  }
}
}

/* robocache: rows stored in few bits: experimental kernels that blend them in float32
 *
 * Bytes that must move: times and ticks, the rows that ticks need, and the output, each once: with 8-bit rows and outputs a
 * quarter of float32's, but for the times, which become a third of the rest where rows have 16 channels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "storage.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "items.cuh"
#include "kernels/arithmetic.h"

using namespace ablation;

namespace
{
constexpr int THREADS = STORAGE_THREADS;

__host__ __device__ constexpr int
bytes_of (StorageKind kind)
{
  return kind == STORAGE_FLOAT32 ? 4 : kind <= STORAGE_FLOAT16 ? 2 : 1;
}

/* ---- words ---- */

/* 4, 8, or a multiple of 16 bytes. */
template <int BYTES>
__device__ __forceinline__ void
read_words (const char *p, uint32_t *words)
{
  if constexpr (BYTES == 4) {
    words[0] = __ldg (reinterpret_cast<const uint32_t *> (p));
  } else if constexpr (BYTES == 8) {
    const uint2 v = __ldg (reinterpret_cast<const uint2 *> (p));

    words[0] = v.x, words[1] = v.y;
  } else {
#pragma unroll
    for (int i = 0; i < BYTES / 16; i++) {
      const uint4 v = __ldg (reinterpret_cast<const uint4 *> (p) + i);

      words[4 * i] = v.x, words[4 * i + 1] = v.y, words[4 * i + 2] = v.z, words[4 * i + 3] = v.w;
    }
  }
}

template <int BYTES>
__device__ __forceinline__ void
write_words (char *p, const uint32_t *words)
{
  if constexpr (BYTES == 4) {
    *reinterpret_cast<uint32_t *> (p) = words[0];
  } else if constexpr (BYTES == 8) {
    *reinterpret_cast<uint2 *> (p) = make_uint2 (words[0], words[1]);
  } else {
#pragma unroll
    for (int i = 0; i < BYTES / 16; i++)
      reinterpret_cast<uint4 *> (p)[i] = make_uint4 (words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
  }
}

/* ---- elements, two at a time ---- */

template <StorageKind K>
__device__ __forceinline__ float2
decode_pair (const uint32_t *words, int i, const float *scales)
{
  if constexpr (K == STORAGE_FLOAT32) {
    return { __uint_as_float (words[i]), __uint_as_float (words[i + 1]) };
  } else if constexpr (K == STORAGE_BFLOAT16) {
    return { __uint_as_float (words[i / 2] << 16), __uint_as_float (words[i / 2] & 0xFFFF0000) };
  } else if constexpr (K == STORAGE_FLOAT16) {
    return { __half2float (__ushort_as_half ((unsigned short) words[i / 2])),
      __half2float (__ushort_as_half ((unsigned short) (words[i / 2] >> 16))) };
  } else {
    const uint32_t pair = words[i / 4] >> 8 * (i % 4) & 0xFFFF;

    if constexpr (K == STORAGE_INT8)
      return { (float) (int8_t) pair * scales[i], (float) (int8_t) (pair >> 8) * scales[i + 1] };
    const __half2_raw two = __nv_cvt_fp8x2_to_halfraw2 ((__nv_fp8x2_storage_t) pair,
        K == STORAGE_E4M3 ? __NV_E4M3 : __NV_E5M2);

    return { __half2float (__ushort_as_half (two.x)), __half2float (__ushort_as_half (two.y)) };
  }
}

__device__ __forceinline__ uint32_t
encode_int8 (float x, float inverse)
{
  const float level = rintf (x * inverse);

  return (uint32_t) (uint8_t) (int8_t) (level > 127 ? 127 : level < -127 ? -127 : level);
}

/* Into words that are 0. */
template <StorageKind K>
__device__ __forceinline__ void
encode_pair (float2 x, uint32_t *words, int i, const float *inverses)
{
  if constexpr (K == STORAGE_FLOAT32) {
    words[i] = __float_as_uint (x.x);
    words[i + 1] = __float_as_uint (x.y);
  } else if constexpr (K == STORAGE_BFLOAT16) {
    words[i / 2] = __bfloat16_as_ushort (__float2bfloat16_rn (x.x))
        | (uint32_t) __bfloat16_as_ushort (__float2bfloat16_rn (x.y)) << 16;
  } else if constexpr (K == STORAGE_FLOAT16) {
    words[i / 2] = __half_as_ushort (__float2half_rn (x.x)) | (uint32_t) __half_as_ushort (__float2half_rn (x.y)) << 16;
  } else if constexpr (K == STORAGE_INT8) {
    words[i / 4] |= encode_int8 (x.x, inverses[i]) << 8 * (i % 4) | encode_int8 (x.y, inverses[i + 1]) << 8 * (i % 4 + 1);
  } else {
    words[i / 4] |= (uint32_t) __nv_cvt_float2_to_fp8x2 (x, __NV_SATFINITE, K == STORAGE_E4M3 ? __NV_E4M3 : __NV_E5M2)
        << 8 * (i % 4);
  }
}

/* ---- blends ---- */

template <int V>
__device__ __forceinline__ void
blend_linear (const float *y0, const float *y1, float w, float *y)
{
#pragma unroll
  for (int i = 0; i < V; i++)
    y[i] = y0[i] + w * (y1[i] - y0[i]);
}

__device__ __forceinline__ void
blend_slerp (const float *y0, const float *y1, double w, float *y)
{
  const double q0[4] = { y0[0], y0[1], y0[2], y0[3] }, q1[4] = { y1[0], y1[1], y1[2], y1[3] };
  double q[4];

  rc_slerp (q0, q1, w, q);
#pragma unroll
  for (int i = 0; i < 4; i++)
    y[i] = (float) q[i];
}

/* V elements of one tick from channel c on, whose words have come. */
template <StorageKind IN, StorageKind OUT, bool SLERP, int V>
__device__ __forceinline__ void
put_blend (const EpisodesArgs &args, const uint32_t *words0, const uint32_t *words1, float w, uint32_t c, char *to)
{
  uint32_t words[V * bytes_of (OUT) / 4] = { };
  float y0[V], y1[V], y[V], scales[V], inverses[V];

  if constexpr (IN == STORAGE_INT8)
    read_words<4 * V> (reinterpret_cast<const char *> (args.scales + c), reinterpret_cast<uint32_t *> (scales));
  if constexpr (OUT == STORAGE_INT8)
    read_words<4 * V> (reinterpret_cast<const char *> (args.scales + args.channels + c),
        reinterpret_cast<uint32_t *> (inverses));
#pragma unroll
  for (int i = 0; i < V; i += 2) {
    const float2 a = decode_pair<IN> (words0, i, scales), b = decode_pair<IN> (words1, i, scales);

    y0[i] = a.x, y0[i + 1] = a.y;
    y1[i] = b.x, y1[i + 1] = b.y;
  }
  if constexpr (SLERP)
    blend_slerp (y0, y1, w, y);
  else
    blend_linear<V> (y0, y1, w, y);
#pragma unroll
  for (int i = 0; i < V; i += 2)
    encode_pair<OUT> ({ y[i], y[i + 1] }, words, i, inverses);
  write_words<V * bytes_of (OUT)> (to, words);
}

template <StorageKind IN, StorageKind OUT, bool SLERP>
__global__ void __launch_bounds__ (THREADS)
blend_stored (const __grid_constant__ EpisodesArgs args)
{
  /* 16 bytes of the larger, so that neighbours write what lies together */
  constexpr int V = SLERP || OUT == STORAGE_FLOAT32 ? 4 : 16 / bytes_of (IN), N = V * bytes_of (IN) / 4;
  constexpr int U = SLERP ? 1 : N < 4 ? 4 : 2;
  __shared__ int64_t staged[SPAN_TIMES];
  __shared__ Tick ticks[TICKS];
  __shared__ Span span;
  const int32_t slices = STORAGE_SLICES (args.channels), slice = blockIdx.x % slices;
  const Item item = item_of (args, blockIdx.x / slices);
  const int32_t first = slice * STORAGE_SLICE_CHANNELS, left = args.channels - first;
  const uint32_t lanes = (left < STORAGE_SLICE_CHANNELS ? left : STORAGE_SLICE_CHANNELS) / V;
  const uint32_t n = (uint32_t) item.n_ticks * lanes;
  const char *rows = static_cast<const char *> (args.rows)
      + ((int64_t) item.episode * args.n_rows * args.channels + first) * bytes_of (IN);
  char *out = static_cast<char *> (args.out)
      + (((int64_t) item.episode * args.n_ticks + item.first_tick) * args.channels + first) * bytes_of (OUT);

  find_in_span<THREADS> (args, item, staged, &span, ticks);
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < n; i += U * THREADS) {
    uint32_t words0[U][N], words1[U][N];

#pragma unroll
    for (int u = 0; u < U; u++) {
      const uint32_t at = i + u * THREADS;

      if (at < n) {
        const Tick &tick = ticks[at / lanes];
        const uint32_t c = at % lanes * V;

        read_words<4 * N> (rows + ((int64_t) tick.row * args.channels + c) * bytes_of (IN), words0[u]);
        read_words<4 * N> (rows + ((int64_t) tick.next * args.channels + c) * bytes_of (IN), words1[u]);
      }
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
      const uint32_t at = i + u * THREADS, c = at % lanes * V;

      if (at < n)
        put_blend<IN, OUT, SLERP, V> (args, words0[u], words1[u], ticks[at / lanes].w, first + c,
            out + ((int64_t) (at / lanes) * args.channels + c) * bytes_of (OUT));
    }
  }
}
}

#define POINTER(...) reinterpret_cast<const void *> (blend_stored<__VA_ARGS__>)
#define KINDS(to_float32, slerp) { \
    POINTER (STORAGE_FLOAT32, STORAGE_FLOAT32, slerp), \
    POINTER (STORAGE_BFLOAT16, to_float32 ? STORAGE_FLOAT32 : STORAGE_BFLOAT16, slerp), \
    POINTER (STORAGE_FLOAT16, to_float32 ? STORAGE_FLOAT32 : STORAGE_FLOAT16, slerp), \
    POINTER (STORAGE_E4M3, to_float32 ? STORAGE_FLOAT32 : STORAGE_E4M3, slerp), \
    POINTER (STORAGE_E5M2, to_float32 ? STORAGE_FLOAT32 : STORAGE_E5M2, slerp), \
    POINTER (STORAGE_INT8, to_float32 ? STORAGE_FLOAT32 : STORAGE_INT8, slerp) }

const void *const storage_kernels[2][2][STORAGE_KINDS] = {
  {KINDS (true, false), KINDS (false, false)},
  {KINDS (true, true), KINDS (false, true)},
};

/* robocache: one thread reads, blends and writes some neighbouring channels of a row
 *
 * All inputs of a piece are loaded before any of them is used, so that the loads overlap; for the same reason a thread in rows.cuh loads
 * pieces of several rows at once. blend.h and align_episode.c of the CPU backend do the same arithmetic in the same order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <type_traits>

#include "task.h"
#include "kernels/cuda/runtime/elements.cuh"

namespace rc
{
/* The inputs of one tick if rows are copied or blended linearly: a bracket with addresses, and its weight in the type of the computation. */
template <typename Weight>
struct __align__ (16) Row
{
  const char *y[2];             /* row and next, or the first row of a sum; these and out begin at the item's first channel. For a lowpass
                                   the second one is its bracket */
  char *out;
  int32_t blend;
  Weight w;
  const char *hold;             /* of hold channels; rows that a warp reads at once are in banks of their own by its size, too */
};

/* Like Row, for any blend. */
template <typename Weight>
struct CurvedRow : Row<Weight>
{
  union
  {
    const char *beside[2];      /* the rows before and after those two */
    struct
    {
      int64_t first, end;
    } mean;
  };
  Weight c[3];
};

/* Blocks per multiprocessor, for kernels with quaternions but without curves, and for kernels with neither: one more than for others on
 * devices where this was measured and registers suffice. */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ != 900
#define SPECIAL_BLOCKS 3
#define SIMPLE_BLOCKS 4
#else
#define SPECIAL_BLOCKS 4
#define SIMPLE_BLOCKS 5
#endif

/* What a kernel is built for: elements and rows that a thread takes at a time, the fewest elements beside one, blocks at
 * once on a multiprocessor, and which of its branches it needs. curves: cubic, hermite and mean. special: quaternions,
 * angles, holds, and what is computed in float64 beside means. filters: lowpass. The dtypes are constants or come with the stream. */
template <RcDtype D, RcCudaAlignLevel LEVEL>
struct Same
{
  static constexpr bool mixed = false;
  static constexpr bool same = true;
  static constexpr bool curves = (LEVEL & RC_CUDA_ALIGN_CURVED) != 0;
  static constexpr bool special = (LEVEL & RC_CUDA_ALIGN_SPECIAL) != 0;
  static constexpr bool filters = LEVEL == RC_CUDA_ALIGN_FILTERED;
  static constexpr int elements = RC_CUDA_ALIGN_ELEMENTS (false, LEVEL, size_of (D));
  static constexpr int least = RC_CUDA_ALIGN_MIN_ELEMENTS (false, LEVEL);
  static constexpr int rows = curves && size_of (D) > 4 ? 1 : 2;
  static constexpr int blocks = !curves && !special ? SIMPLE_BLOCKS : special && !curves && size_of (D) <= 4 ? SPECIAL_BLOCKS
      : 4 - curves - special;
  using Real = std::conditional_t<D == RC_FLOAT64, double, float>;
  using Weight = std::conditional_t<special, double, Real>;     /* quaternions and angles are computed in float64 */
  using Row = std::conditional_t<curves, CurvedRow<Weight>, rc::Row<Weight>>;
  static constexpr int size = size_of (D), out_size = size;
  static __device__ constexpr Known<D> in (const RcCudaAlignTask &) { return { }; }
  static __device__ constexpr Known<D> out (const RcCudaAlignTask &) { return { }; }
};

/* Rows of float32 to a shorter type OUT, copied or linear: typical for training data. */
template <RcDtype OUT>
struct FromFloat32 : Same<RC_FLOAT32, RC_CUDA_ALIGN_SIMPLE>
{
  static constexpr bool same = false;
  static constexpr int out_size = size_of (OUT);
  static __device__ constexpr Known<OUT> out (const RcCudaAlignTask &) { return { }; }
};

template <RcCudaAlignLevel LEVEL>
struct Mixed
{
  static constexpr bool mixed = true;
  static constexpr bool same = false;
  static constexpr bool curves = (LEVEL & RC_CUDA_ALIGN_CURVED) != 0;
  static constexpr bool special = (LEVEL & RC_CUDA_ALIGN_SPECIAL) != 0;
  static constexpr bool filters = LEVEL == RC_CUDA_ALIGN_FILTERED;
  static constexpr int elements = RC_CUDA_ALIGN_ELEMENTS (true, LEVEL, 1);
  static constexpr int least = RC_CUDA_ALIGN_MIN_ELEMENTS (true, LEVEL);
  static constexpr int rows = curves ? 1 : 2;
  static constexpr int blocks = curves || special ? 1 : 3;
  using Real = float;           /* unless special */
  using Weight = std::conditional_t<special, double, float>;
  using Row = std::conditional_t<curves, CurvedRow<Weight>, rc::Row<Weight>>;
  static __device__ __forceinline__ RcDtype in (const RcCudaAlignTask &task) { return (RcDtype) task.in; }
  static __device__ __forceinline__ RcDtype out (const RcCudaAlignTask &task) { return (RcDtype) task.out_dtype; }
};

/* The inputs of V elements, in registers. With LOOSE they may be at any address. */
template <int V, bool CURVES>
struct Piece
{
  uint32_t y0[V * 2], y1[V * 2];
  uint32_t y2[CURVES ? V * 2 : 1], y3[CURVES ? V * 2 : 1];      /* the rows before and after, or the rates of both rows */
  int32_t blend;                /* -1: no row */
};

template <class Types, int V, bool LOOSE>
__device__ __forceinline__ void
read_from (const RcCudaAlignTask &task, const char *row, int64_t c, uint32_t *words)
{
  const int size = size_of (Types::in (task));

  if constexpr (LOOSE)
    read_element (size, row + c * size, task.in_alignment >= size, words);
  else if constexpr (!Types::mixed)
    read_words<V * Types::size> (row + c * size, words);
  else
    read_elements<V> (size, row + c * size, words);
}

template <class Types, int V, bool LOOSE>
__device__ __forceinline__ void
write_to (const RcCudaAlignTask &task, char *row, int64_t c, const uint32_t *words)
{
  const int size = size_of (Types::out (task));

  if constexpr (LOOSE)
    write_element (size, row + c * size, task.out_alignment >= size, words);
  else if constexpr (!Types::mixed)
    write_words<V * Types::out_size, true> (row + c * size, words);
  else
    write_elements<V, true> (size, row + c * size, words);
}

__device__ __forceinline__ bool
is_blended (int32_t blend)
{
  return blend == RC_BLEND_LINEAR || blend == RC_BLEND_CUBIC || blend == RC_BLEND_HERMITE;
}

/* Whether a piece of a hermite row has positions. */
__device__ __forceinline__ bool
has_rates (const RcCudaAlignTask &task, int32_t blend, int64_t channel)
{
  return blend == RC_BLEND_HERMITE && channel < task.n_velocities;
}

/* The channel of the rate of c; both count from the addresses of the row. */
template <int V>
__device__ __forceinline__ int64_t
rate_of (const RcCudaAlignTask &task, int64_t first, int32_t c)
{
  return V == 1 ? task.rates[first + c] - first : c + task.rates_after;
}

/* Loads the channels from first + c on; c counts from the addresses of row. */
template <class Types, int V, bool LOOSE>
__device__ __forceinline__ void
read_piece (const RcCudaAlignTask &task, const typename Types::Row &row, int64_t first, int32_t c,
    Piece<V, Types::curves> *piece)
{
  const char *const y0 = row.y[0], *const y1 = row.y[1];        /* 16 bytes at once */

  if (piece->blend == RC_BLEND_COPY || is_blended (piece->blend))
    read_from<Types, V, LOOSE> (task, y0, c, piece->y0);
  if (is_blended (piece->blend))
    read_from<Types, V, LOOSE> (task, y1, c, piece->y1);
  if constexpr (Types::curves) {
    if (piece->blend == RC_BLEND_CUBIC) {
      const char *const before = row.beside[0], *const after = row.beside[1];

      read_from<Types, V, LOOSE> (task, before, c, piece->y2);
      read_from<Types, V, LOOSE> (task, after, c, piece->y3);
    } else if (has_rates (task, piece->blend, first + c)) {
      const int64_t rate = rate_of<V> (task, first, c);

      read_from<Types, V, LOOSE> (task, y0, rate, piece->y2);
      read_from<Types, V, LOOSE> (task, y1, rate, piece->y3);
    }
  }
}

/* ---- blends ---- */

template <typename Real>
struct Factors
{
  Real w, c[3];
};

template <typename Real, typename Weight>
__device__ __forceinline__ Factors<Real>
factors_of (const Row<Weight> &row)
{
  return Factors<Real> { (Real) row.w, { } };
}

template <typename Real, typename Weight>
__device__ __forceinline__ Factors<Real>
factors_of (const CurvedRow<Weight> &row)
{
  return Factors<Real> { (Real) row.w, { (Real) row.c[0], (Real) row.c[1], (Real) row.c[2] } };
}

template <typename Real>
__device__ __forceinline__ Real
linear (Real y0, Real y1, const Factors<Real> &f)
{
  return y0 + f.w * (y1 - y0);
}

template <typename Real>
__device__ __forceinline__ Real
cubic (Real y0, Real y1, Real before, Real after, const Factors<Real> &f)
{
  return ((y0 + f.c[0] * (y1 - y0)) + f.c[1] * (before - y0)) + f.c[2] * (after - y0);
}

template <typename Real>
__device__ __forceinline__ Real
hermite (Real y0, Real y1, Real rate0, Real rate1, const Factors<Real> &f)
{
  return ((y0 + f.c[0] * (y1 - y0)) + f.c[1] * rate0) + f.c[2] * rate1;
}

/* Copies or blends elements g … g + G - 1 of a piece, the first of which is channel; the result is in y0. */
template <class Types, typename Real, int G, int V>
__device__ __forceinline__ void
blend_elements (const RcCudaAlignTask &task, const typename Types::Row &row, int64_t channel, int g,
    Piece<V, Types::curves> *piece)
{
  const auto in = Types::in (task);
  const int at = g * size_of (in) / 4;
  const Factors<Real> f = factors_of<Real> (row);
  Real y0[G], y1[G];

  unpack_as<Real, G> (in, piece->y0 + at, y0);
  if (piece->blend != RC_BLEND_COPY)
    unpack_as<Real, G> (in, piece->y1 + at, y1);
  if constexpr (Types::curves) {
    const bool is_cubic = piece->blend == RC_BLEND_CUBIC;

    if (is_cubic || (piece->blend == RC_BLEND_HERMITE && channel < task.n_velocities)) {
      Real y2[G], y3[G];

      unpack_as<Real, G> (in, piece->y2 + at, y2);
      unpack_as<Real, G> (in, piece->y3 + at, y3);
#pragma unroll
      for (int i = 0; i < G; i++)
        y0[i] = is_cubic ? cubic (y0[i], y1[i], y2[i], y3[i], f) : hermite (y0[i], y1[i], y2[i], y3[i], f);
      pack_as<Real, G> (Types::out (task), y0, piece->y0 + at);
      return;
    }
  }
  if (piece->blend != RC_BLEND_COPY) {
#pragma unroll
    for (int i = 0; i < G; i++)
      y0[i] = linear (y0[i], y1[i], f);
  }
  pack_as<Real, G> (Types::out (task), y0, piece->y0 + at);
}

/* The mean of the elements from c on of rows row.mean.first … end - 1. times: of all rows, or NULL in the brackets form; of rows with
 * equal times only the last counts. */
template <class Types, int V, bool LOOSE>
__device__ __forceinline__ void
average (const RcCudaAlignTask &task, const typename Types::Row &row, const int64_t *times, int32_t c,
    Piece<V, Types::curves> *piece)
{
  uint32_t words[V * 2];
  int64_t count = 0;
  double sum[V];

#pragma unroll 1
  for (int64_t i = row.mean.first; i < row.mean.end; i++) {
    double y[V];

    if (times != NULL && i + 1 < row.mean.end && times[i + 1] == times[i])
      continue;
    read_from<Types, V, LOOSE> (task, row.y[0] + (i - row.mean.first) * task.row_stride, c, words);
    unpack_as<double, V> (Types::in (task), words, y);
#pragma unroll
    for (int k = 0; k < V; k++)
      sum[k] = count == 0 ? y[k] : sum[k] + y[k];
    count++;
  }
#pragma unroll
  for (int k = 0; k < V; k++)
    sum[k] = sum[k] / (double) count;
  pack_as<double, V> (Types::out (task), sum, piece->y0);
}

/* ---- quaternions and angles ---- */

template <class Types>
__device__ __forceinline__ RcAngleLimits
limits_of (const RcCudaAlignTask &task)
{
  return rc_angle_limits (Types::in (task), Types::out (task));
}

template <class Types>
__device__ __forceinline__ double
load_element (const RcCudaAlignTask &task, const char *row, int64_t c)
{
  uint32_t words[2];
  double value;

  read_from<Types, 1, true> (task, row, c, words);
  unpack_as<double, 1> (Types::in (task), words, &value);
  return value;
}

template <class Types>
__device__ __forceinline__ void
store_element (const RcCudaAlignTask &task, char *row, int64_t c, double value)
{
  uint32_t words[2];

  pack_as<double, 1> (Types::out (task), &value, words);
  write_to<Types, 1, true> (task, row, c, words);
}

template <class Types>
__device__ __forceinline__ void
blend_angle (const RcCudaAlignTask &task, const typename Types::Row &row, int32_t c)
{
  const double y0 = load_element<Types> (task, row.y[0], c), y1 = load_element<Types> (task, row.y[1], c);
  const RcAngleLimits limits = limits_of<Types> (task);

  store_element<Types> (task, row.out, c, rc_blend_angle (y0, y1, row.w, &limits));
}

template <class Types>
__device__ __forceinline__ void
load_quaternion (const RcCudaAlignTask &task, const char *row, int32_t c, double *q)
{
  if (task.elements % 4 == 0) {
    uint32_t words[8];

    read_from<Types, 4, false> (task, row, c, words);
    unpack_as<double, 4> (Types::in (task), words, q);
  } else {
#pragma unroll
    for (int i = 0; i < 4; i++)
      q[i] = load_element<Types> (task, row, c + i);
  }
}

template <class Types>
__device__ __forceinline__ void
store_quaternion (const RcCudaAlignTask &task, char *row, int32_t c, const double *q)
{
  if (task.elements % 4 == 0) {
    uint32_t words[8];

    pack_as<double, 4> (Types::out (task), q, words);
    write_to<Types, 4, false> (task, row, c, words);
  } else {
#pragma unroll
    for (int i = 0; i < 4; i++)
      store_element<Types> (task, row, c + i, q[i]);
  }
}

template <class Types>
__device__ __forceinline__ void
blend_quaternion (const RcCudaAlignTask &task, const typename Types::Row &row, int32_t c)
{
  double q0[4], q1[4], q[4];

  load_quaternion<Types> (task, row.y[0], c, q0);
  load_quaternion<Types> (task, row.y[1], c, q1);
  rc_slerp (q0, q1, row.w, q);
  store_quaternion<Types> (task, row.out, c, q);
}

/* The first row from i on that counts in a mean, as in average; row.mean.end when there is none. */
template <class Row>
__device__ __forceinline__ int64_t
counted_row (const Row &row, const int64_t *times, int64_t i)
{
  while (times != NULL && i + 1 < row.mean.end && times[i + 1] == times[i])
    i++;
  return i;
}

template <class Row>
__device__ __forceinline__ const char *
mean_row (const RcCudaAlignTask &task, const Row &row, int64_t i)
{
  return row.y[0] + (i - row.mean.first) * task.row_stride;
}

template <class Types>
__device__ __forceinline__ void
average_angle (const RcCudaAlignTask &task, const typename Types::Row &row, const int64_t *times, int32_t c)
{
  const RcAngleLimits limits = limits_of<Types> (task);
  int64_t i = counted_row (row, times, row.mean.first), count = 1;
  RcAngleMean mean;

  rc_angle_mean_begin (&mean, load_element<Types> (task, mean_row (task, row, i), c));
#pragma unroll 1
  for (i = counted_row (row, times, i + 1); i < row.mean.end; i = counted_row (row, times, i + 1)) {
    rc_angle_mean_add (&mean, load_element<Types> (task, mean_row (task, row, i), c), 1.0);
    count++;
  }
  store_element<Types> (task, row.out, c, rc_angle_mean_end (&mean, (double) count, &limits));
}

/* Returns whether the rows are scattered. */
template <class Types>
__device__ __forceinline__ bool
average_quaternion (const RcCudaAlignTask &task, const typename Types::Row &row, const int64_t *times, int32_t c)
{
  int64_t i = counted_row (row, times, row.mean.first), count = 1;
  RcQuaternionMean mean;
  double q[4];

  load_quaternion<Types> (task, mean_row (task, row, i), c, q);
  rc_quaternion_mean_begin (&mean, q, 1.0);
#pragma unroll 1
  for (i = counted_row (row, times, i + 1); i < row.mean.end; i = counted_row (row, times, i + 1)) {
    load_quaternion<Types> (task, mean_row (task, row, i), c, q);
    rc_quaternion_mean_add (&mean, q, 1.0);
    count++;
  }
  const bool is_scattered = rc_quaternion_mean_end (&mean, (double) count, q);

  store_quaternion<Types> (task, row.out, c, q);
  return is_scattered;
}

/* ---- lowpass ---- */

template <class Row>
__device__ __forceinline__ const RcBracket &
filter_of (const Row &row)
{
  return *reinterpret_cast<const RcBracket *> (row.y[1]);
}

/* Writes the V elements from c on. Not inlined, like the functions below, so that the registers of sines do not slow down other blends. */
template <class Types, int V, bool LOOSE>
__device__ __noinline__ void
filter_elements (const RcCudaAlignTask &task, const typename Types::Row &row, const int64_t *times, int32_t c)
{
  const RcBracket &filter = filter_of (row);
  uint32_t words[V * 2];
  bool is_first = true;
  double sum[V];

#pragma unroll 1
  for (int64_t i = counted_row (row, times, row.mean.first); i < row.mean.end; i = counted_row (row, times, i + 1)) {
    const double weight = rc_lowpass_weight (&filter, times, i);
    double y[V];

    read_from<Types, V, LOOSE> (task, mean_row (task, row, i), c, words);
    unpack_as<double, V> (Types::in (task), words, y);
#pragma unroll
    for (int k = 0; k < V; k++)
      sum[k] = is_first ? weight * y[k] : sum[k] + weight * y[k];
    is_first = false;
  }
#pragma unroll
  for (int k = 0; k < V; k++)
    sum[k] = sum[k] / filter.w;
  pack_as<double, V> (Types::out (task), sum, words);
  write_to<Types, V, LOOSE> (task, row.out, c, words);
}

template <class Types>
__device__ __noinline__ void
filter_angle (const RcCudaAlignTask &task, const typename Types::Row &row, const int64_t *times, int32_t c)
{
  const RcAngleLimits limits = limits_of<Types> (task);
  const RcBracket &filter = filter_of (row);
  int64_t i = counted_row (row, times, row.mean.first);
  RcAngleMean mean;

  rc_angle_mean_begin (&mean, load_element<Types> (task, mean_row (task, row, i), c));
#pragma unroll 1
  for (i = counted_row (row, times, i + 1); i < row.mean.end; i = counted_row (row, times, i + 1))
    rc_angle_mean_add (&mean, load_element<Types> (task, mean_row (task, row, i), c), rc_lowpass_weight (&filter, times, i));
  store_element<Types> (task, row.out, c, rc_angle_mean_end (&mean, filter.w, &limits));
}

/* Returns whether the rows are scattered. */
template <class Types>
__device__ __noinline__ bool
filter_quaternion (const RcCudaAlignTask &task, const typename Types::Row &row, const int64_t *times, int32_t c)
{
  const RcBracket &filter = filter_of (row);
  int64_t i = counted_row (row, times, row.mean.first);
  RcQuaternionMean mean;
  double q[4];

  load_quaternion<Types> (task, mean_row (task, row, i), c, q);
  rc_quaternion_mean_begin (&mean, q, rc_lowpass_weight (&filter, times, i));
#pragma unroll 1
  for (i = counted_row (row, times, i + 1); i < row.mean.end; i = counted_row (row, times, i + 1)) {
    load_quaternion<Types> (task, mean_row (task, row, i), c, q);
    rc_quaternion_mean_add (&mean, q, rc_lowpass_weight (&filter, times, i));
  }
  const bool is_scattered = rc_quaternion_mean_end (&mean, filter.w, q);

  store_quaternion<Types> (task, row.out, c, q);
  return is_scattered;
}

/* ---- any piece ---- */

/* Applies piece->blend; the result is in y0. */
template <class Types, int V, bool LOOSE>
__device__ __forceinline__ void
blend_piece (const RcCudaAlignTask &task, const typename Types::Row &row, const int64_t *times, int64_t first, int32_t c,
    Piece<V, Types::curves> *piece)
{
  constexpr int G = V < 4 ? V : 4;

  if (piece->blend == RC_BLEND_NONE) {
#pragma unroll
    for (int i = 0; i < V * 2; i++)
      piece->y0[i] = (uint32_t) (i % 2 == 0 ? task.missing : task.missing >> 32);
    return;
  }
  if (piece->blend == RC_BLEND_COPY && (Types::same || task.copy == RC_COPY_BITS))
    return;
  if constexpr (Types::curves && V <= 4) {
    if (piece->blend == RC_BLEND_MEAN) {
      average<Types, V, LOOSE> (task, row, times, c, piece);
      return;
    }
  }
  if constexpr (Types::special && Types::mixed) {
    if (piece->blend == RC_BLEND_COPY && task.copy == RC_COPY_INTEGERS) {
      convert_integers<V> (Types::in (task), Types::out (task), piece->y0);
      return;
    }
  }
#pragma unroll
  for (int g = 0; g < V; g += G) {
    if constexpr (Types::special && Types::mixed) {
      if (task.compute == RC_COMPUTE_FLOAT64) {
        blend_elements<Types, double, G, V> (task, row, first + c + g, g, piece);
        continue;
      }
    }
    blend_elements<Types, typename Types::Real, G, V> (task, row, first + c + g, g, piece);
  }
}

/* Of a channel that is held. */
template <class Types>
__device__ __forceinline__ void
copy_hold (const RcCudaAlignTask &task, const typename Types::Row &row, int32_t c)
{
  Piece<1, Types::curves> piece;

  piece.blend = RC_BLEND_COPY;
  read_from<Types, 1, true> (task, row.hold, c, piece.y0);
  blend_piece<Types, 1, true> (task, row, NULL, 0, c, &piece);
  write_to<Types, 1, true> (task, row.out, c, piece.y0);
}
}

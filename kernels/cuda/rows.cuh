/* robocache: the rows of an item, moved and blended
 *
 * A row passes through 2^lanes_log2 adjacent threads, V elements at a time where its addresses allow, else one by one.
 * Memory answers after a microsecond: kernels for simple blends have the loads of several rows under way at once.
 * blend.h and align_stream.c of the CPU backend are the same arithmetic in the same order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_ROWS_CUH
#define RC_CUDA_ROWS_CUH

#include <type_traits>

#include "align_task.h"
#include "elements.cuh"

namespace rc
{
/* What one tick is made of: a bracket with addresses. */
struct Row
{
  const char *y[4];             /* row, next, before, after; the first row of a mean */
  char *out;                    /* all five from the item's first channel on */
  double w;
  union
  {
    double c[3];
    struct
    {
      int64_t first, end;       /* of a mean */
    } mean;
  };
  float w32, c32[3];
  int32_t blend;
};

/* What a kernel is built for: elements and rows that a thread takes at a time, blocks at once on a multiprocessor, and
 * which of its branches it needs. curves: cubic, hermite and mean. special: quaternions, angles, and what is computed in
 * float64 beside means. The dtypes are constants or come with the stream. */
template <RcDtype D>
struct Same
{
  static constexpr int elements = 16 / size_of (D);
  static constexpr int rows = 2;
  static constexpr int blocks = 4;
  static constexpr bool curves = false;
  static constexpr bool special = false;
  using Real = std::conditional_t<D == RC_FLOAT64, double, float>;
  static __device__ constexpr RcDtype in (const RcCudaAlignTask &) { return D; }
  static __device__ constexpr RcDtype out (const RcCudaAlignTask &) { return D; }
};

template <bool CURVES, bool SPECIAL>
struct Mixed
{
  static constexpr int elements = RC_CUDA_MIXED_ELEMENTS;
  static constexpr int rows = 2;
  static constexpr int blocks = CURVES ? 1 : 3;
  static constexpr bool curves = CURVES;
  static constexpr bool special = SPECIAL;
  using Real = float;           /* unless special */
  static __device__ __forceinline__ RcDtype in (const RcCudaAlignTask &task) { return (RcDtype) task.in; }
  static __device__ __forceinline__ RcDtype out (const RcCudaAlignTask &task) { return (RcDtype) task.out_dtype; }
};

/* Where this thread is in a row. Channels and bytes of one item are few enough for 32 bits. */
struct Lane
{
  int32_t index;
  int32_t count;
};

/* ---- rows without arithmetic ---- */

template <typename Word>
__device__ __forceinline__ void
copy_words (const char *from, char *to, int32_t bytes, Lane lane)
{
  const int32_t words = bytes / (int32_t) sizeof (Word);

  for (int32_t i = lane.index; i < words; i += lane.count)
    reinterpret_cast<Word *> (to)[i] = __ldg (reinterpret_cast<const Word *> (from) + i);
  for (int32_t i = words * (int32_t) sizeof (Word) + lane.index; i < bytes; i += lane.count)
    to[i] = __ldg (from + i);
}

__device__ __forceinline__ void
copy_bytes (const char *from, char *to, int32_t bytes, int alignment, Lane lane)
{
  if (alignment >= 16)
    copy_words<uint4> (from, to, bytes, lane);
  else if (alignment == 8)
    copy_words<uint2> (from, to, bytes, lane);
  else if (alignment == 4)
    copy_words<uint32_t> (from, to, bytes, lane);
  else if (alignment == 2)
    copy_words<uint16_t> (from, to, bytes, lane);
  else
    copy_words<uint8_t> (from, to, bytes, lane);
}

/* Repeats the 8 bytes of pattern. */
__device__ __forceinline__ void
fill_bytes (uint64_t pattern, char *to, int32_t bytes, int alignment, Lane lane)
{
  const uint32_t low = (uint32_t) pattern, high = (uint32_t) (pattern >> 32);
  const int32_t words = alignment >= 16 ? bytes / 16 : 0;

  for (int32_t i = lane.index; i < words; i += lane.count)
    reinterpret_cast<uint4 *> (to)[i] = make_uint4 (low, high, low, high);
  for (int32_t i = words * 16 + lane.index; i < bytes; i += lane.count)
    to[i] = (char) (pattern >> 8 * (i % 8));
}

__device__ __forceinline__ void
copy_integers (const RcCudaAlignTask &task, const char *from, char *to, int32_t n, Lane lane)
{
  const RcDtype in = (RcDtype) task.in, out = (RcDtype) task.out_dtype;
  const int in_size = size_of (in), out_size = size_of (out);

#pragma unroll 1
  for (int32_t c = lane.index; c < n; c += lane.count) {
    uint32_t words[2];
    uint64_t bits;

    read_element (in_size, from + c * in_size, task.in_alignment >= in_size, words);
    bits = saturated (out, integer_of (in, words));
    words[0] = (uint32_t) bits;
    words[1] = (uint32_t) (bits >> 32);
    write_element (out_size, to + c * out_size, task.out_alignment >= out_size, words);
  }
}

/* ---- one element at any address ---- */

template <class Types, typename Real>
__device__ __forceinline__ Real
load_element (const RcCudaAlignTask &task, const char *row, int64_t channel)
{
  const RcDtype in = Types::in (task);
  const int size = size_of (in);
  uint32_t words[2];
  Real value;

  read_element (size, row + channel * size, task.in_alignment >= size, words);
  unpack_as<Real, 1> (in, words, &value);
  return value;
}

template <class Types, typename Real>
__device__ __forceinline__ void
store_element (const RcCudaAlignTask &task, char *row, int64_t channel, Real value)
{
  const RcDtype out = Types::out (task);
  const int size = size_of (out);
  uint32_t words[2];

  pack_as<Real, 1> (out, &value, words);
  write_element (size, row + channel * size, task.out_alignment >= size, words);
}

/* ---- blends ---- */

template <typename Real>
struct Factors
{
  Real w, c0, c1, c2;
};

__device__ __forceinline__ void
take_factors (const Row &row, Factors<float> *f)
{
  *f = Factors<float> { row.w32, row.c32[0], row.c32[1], row.c32[2] };
}

__device__ __forceinline__ void
take_factors (const Row &row, Factors<double> *f)
{
  *f = Factors<double> { row.w, row.c[0], row.c[1], row.c[2] };
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
  return ((y0 + f.c0 * (y1 - y0)) + f.c1 * (before - y0)) + f.c2 * (after - y0);
}

template <typename Real>
__device__ __forceinline__ Real
hermite (Real y0, Real y1, Real rate0, Real rate1, const Factors<Real> &f)
{
  return ((y0 + f.c0 * (y1 - y0)) + f.c1 * rate0) + f.c2 * rate1;
}

/* V elements of a copied, linear or cubic row from channel c on. The loads come first, so that all are under way. */
template <class Types, typename Real, int V>
__device__ __forceinline__ void
blend_elements (const RcCudaAlignTask &task, const Row &row, const Factors<Real> &f, int32_t c, char *out)
{
  const RcDtype in = Types::in (task);
  const int in_size = size_of (in), out_size = size_of (Types::out (task));
  const bool copied = row.blend == RC_BLEND_COPY, is_cubic = row.blend == RC_BLEND_CUBIC;
  uint32_t words[4][V * 2];
  Real y0[V], y1[V];

  read_elements<V> (in_size, row.y[0] + c * in_size, words[0]);
  if (!copied)
    read_elements<V> (in_size, row.y[1] + c * in_size, words[1]);
  if (is_cubic) {
    read_elements<V> (in_size, row.y[2] + c * in_size, words[2]);
    read_elements<V> (in_size, row.y[3] + c * in_size, words[3]);
  }
  unpack_as<Real, V> (in, words[0], y0);
  if (!copied)
    unpack_as<Real, V> (in, words[1], y1);
  if (!copied && !is_cubic) {
#pragma unroll
    for (int i = 0; i < V; i++)
      y0[i] = linear (y0[i], y1[i], f);
  }
  if (is_cubic) {
    Real before[V], after[V];

    unpack_as<Real, V> (in, words[2], before);
    unpack_as<Real, V> (in, words[3], after);
#pragma unroll
    for (int i = 0; i < V; i++)
      y0[i] = cubic (y0[i], y1[i], before[i], after[i], f);
  }
  pack_as<Real, V> (Types::out (task), y0, words[0]);
  write_elements<V> (out_size, out + c * out_size, words[0]);
}

template <class Types, typename Real>
__device__ __forceinline__ void
blend_element (const RcCudaAlignTask &task, const Row &row, const Factors<Real> &f, int32_t c, char *out)
{
  Real y = load_element<Types, Real> (task, row.y[0], c);

  if (row.blend != RC_BLEND_COPY) {
    const Real y1 = load_element<Types, Real> (task, row.y[1], c);

    if (row.blend == RC_BLEND_CUBIC)
      y = cubic (y, y1, load_element<Types, Real> (task, row.y[2], c),
          load_element<Types, Real> (task, row.y[3], c), f);
    else
      y = linear (y, y1, f);
  }
  store_element<Types, Real> (task, out, c, y);
}

/* A copied, linear or cubic row. */
template <class Types, typename Real>
__device__ __forceinline__ void
blend_row (const RcCudaAlignTask &task, const Row &row, int32_t n, char *out, Lane lane)
{
  constexpr int V = Types::elements;
  Factors<Real> f;

  take_factors (row, &f);
  if (task.elements == 1) {
#pragma unroll 1
    for (int32_t c = lane.index; c < n; c += lane.count)
      blend_element<Types, Real> (task, row, f, c, out);
    return;
  }
  for (int32_t c = lane.index * V; c < n; c += lane.count * V) {
    if (c + V <= n) {
      blend_elements<Types, Real, V> (task, row, f, c, out);
    } else {
#pragma unroll 1
      for (int32_t k = c; k < n; k++)
        blend_element<Types, Real> (task, row, f, k, out);
    }
  }
}

/* Positions with their rates, the other channels linear. */
template <class Types, typename Real>
__device__ __forceinline__ void
hermite_row (const RcCudaAlignTask &task, const Row &row, int64_t first, int32_t n, char *out, Lane lane)
{
  Factors<Real> f;

  take_factors (row, &f);
#pragma unroll 1
  for (int32_t c = lane.index; c < n; c += lane.count) {
    const Real y0 = load_element<Types, Real> (task, row.y[0], c), y1 = load_element<Types, Real> (task, row.y[1], c);
    Real y;

    if (first + c < task.n_velocities) {
      const int64_t rate = __ldg (task.rates + first + c) - first;

      y = hermite (y0, y1, load_element<Types, Real> (task, row.y[0], rate),
          load_element<Types, Real> (task, row.y[1], rate), f);
    } else {
      y = linear (y0, y1, f);
    }
    store_element<Types, Real> (task, out, c, y);
  }
}

/* times are those of all rows, or NULL in the brackets form; of rows with equal times only the last counts. */
template <class Types>
__device__ __forceinline__ void
mean_row (const RcCudaAlignTask &task, const Row &row, const int64_t *times, int32_t n, char *out, Lane lane)
{
#pragma unroll 1
  for (int32_t c = lane.index; c < n; c += lane.count) {
    int64_t count = 0;
    double sum = 0.0;

#pragma unroll 1
    for (int64_t i = row.mean.first; i < row.mean.end; i++) {
      double y;

      if (times != NULL && i + 1 < row.mean.end && times[i + 1] == times[i])
        continue;
      y = load_element<Types, double> (task, row.y[0] + (i - row.mean.first) * task.row_stride, c);
      sum = count == 0 ? y : sum + y;
      count++;
    }
    store_element<Types, double> (task, out, c, sum / (double) count);
  }
}

/* ---- copied, linear and missing rows, several at once ---- */

/* V elements of a row that is copied, linear or missing, on their way. One that is LOOSE may be at any address. */
template <int V>
struct Piece
{
  uint32_t y0[V * 2], y1[V * 2];
  int32_t blend;                /* -1: no row */
};

template <int V, bool LOOSE>
__device__ __forceinline__ void
read_piece (int size, const char *p, int alignment, uint32_t *words)
{
  if constexpr (LOOSE)
    read_element (size, p, alignment >= size, words);
  else
    read_elements<V> (size, p, words);
}

/* What piece->blend says, left in y0. */
template <class Types, int V>
__device__ __forceinline__ void
blend_piece (const RcCudaAlignTask &task, const Row &row, Piece<V> *piece)
{
  using Real = typename Types::Real;
  const RcDtype in = Types::in (task);
  Real y0[V], y1[V];

  if (piece->blend == RC_BLEND_NONE) {
#pragma unroll
    for (int i = 0; i < V * 2; i++)
      piece->y0[i] = (uint32_t) (i % 2 == 0 ? task.missing : task.missing >> 32);
    return;
  }
  if (piece->blend != RC_BLEND_LINEAR && task.copy == RC_COPY_BITS)
    return;
  unpack_as<Real, V> (in, piece->y0, y0);
  if (piece->blend == RC_BLEND_LINEAR) {
    Factors<Real> f;

    take_factors (row, &f);
    unpack_as<Real, V> (in, piece->y1, y1);
#pragma unroll
    for (int i = 0; i < V; i++)
      y0[i] = linear (y0[i], y1[i], f);
  }
  pack_as<Real, V> (Types::out (task), y0, piece->y0);
}

/* V elements from channel c on of the U rows r, r + step, … */
template <class Types, int V, int U, bool LOOSE>
__device__ __forceinline__ void
move_pieces (const RcCudaAlignTask &task, const Row *rows, int r, int step, int n_rows, int32_t c)
{
  const int in_size = size_of (Types::in (task)), out_size = size_of (Types::out (task));
  Piece<V> pieces[U];

#pragma unroll
  for (int u = 0; u < U; u++) {
    const Row *row = &rows[r + u * step];

    pieces[u].blend = r + u * step < n_rows ? row->blend : -1;
    if (pieces[u].blend >= RC_BLEND_COPY)
      read_piece<V, LOOSE> (in_size, row->y[0] + c * in_size, task.in_alignment, pieces[u].y0);
    if (pieces[u].blend == RC_BLEND_LINEAR)
      read_piece<V, LOOSE> (in_size, row->y[1] + c * in_size, task.in_alignment, pieces[u].y1);
  }
#pragma unroll
  for (int u = 0; u < U; u++) {
    char *to;

    if (pieces[u].blend < 0)
      continue;
    to = rows[r + u * step].out + c * out_size;
    blend_piece<Types, V> (task, rows[r + u * step], &pieces[u]);
    if constexpr (LOOSE)
      write_element (out_size, to, task.out_alignment >= out_size, pieces[u].y0);
    else
      write_elements<V> (out_size, to, pieces[u].y0);
  }
}

/* All rows of an item, n channels each; this thread begins with row r, and step rows pass side by side. */
template <class Types, int V, int U, bool LOOSE>
__device__ __forceinline__ void
move_rows (const RcCudaAlignTask &task, const Row *rows, int r, int step, int n_rows, int32_t n, Lane lane)
{
#pragma unroll 1
  for (; r < n_rows; r += U * step) {
#pragma unroll 1
    for (int32_t c = lane.index * V; c < n; c += lane.count * V) {
      if (V == 1 || c + V <= n) {
        move_pieces<Types, V, U, LOOSE> (task, rows, r, step, n_rows, c);
      } else if constexpr (V > 1) {
#pragma unroll 1
        for (int i = 0; i < U * (n - c); i++)
          move_pieces<Types, 1, 1, false> (task, rows, r + i % U * step, 1, n_rows, c + i / U);
      }
    }
  }
}

/* ---- quaternions and angles, which replace what the blend of the row left ---- */

template <class Types>
__device__ __noinline__ void
blend_quaternion (const RcCudaAlignTask &task, const Row &row, int64_t channel)
{
  double q0[4], q1[4], q[4];

#pragma unroll 1
  for (int i = 0; i < 4; i++) {
    q0[i] = load_element<Types, double> (task, row.y[0], channel + i);
    q1[i] = load_element<Types, double> (task, row.y[1], channel + i);
  }
  rc_slerp (q0, q1, row.w, q);
#pragma unroll 1
  for (int i = 0; i < 4; i++)
    store_element<Types, double> (task, row.out, channel + i, q[i]);
}

template <class Types>
__device__ __noinline__ void
blend_angle (const RcCudaAlignTask &task, const Row &row, int64_t channel)
{
  const double y0 = load_element<Types, double> (task, row.y[0], channel);
  const double y1 = load_element<Types, double> (task, row.y[1], channel);

  store_element<Types, double> (task, row.out, channel, rc_blend_angle (y0, y1, row.w));
}

/* ---- a row of any kind ---- */

template <class Types, typename Real>
__device__ __forceinline__ void
computed_row (const RcCudaAlignTask &task, const Row &row, int64_t first, int32_t n, char *out, Lane lane)
{
  if (row.blend == RC_BLEND_HERMITE)
    hermite_row<Types, Real> (task, row, first, n, out, lane);
  else
    blend_row<Types, Real> (task, row, n, out, lane);
}

/* The n channels of one tick from channel first on, where the addresses of row are. */
template <class Types>
__device__ __forceinline__ void
make_row (const RcCudaAlignTask &task, const Row &row, const int64_t *times, int64_t first, int32_t n, Lane lane)
{
  char *out = row.out;
  const int32_t in_size = size_of (Types::in (task)), out_size = size_of (Types::out (task));
  const int alignment = task.in_alignment < task.out_alignment ? task.in_alignment : task.out_alignment;

  if (row.blend == RC_BLEND_NONE)
    fill_bytes (task.missing, out, n * out_size, task.out_alignment, lane);
  else if (row.blend == RC_BLEND_COPY && task.copy == RC_COPY_BITS)
    copy_bytes (row.y[0], out, n * in_size, alignment, lane);
  else if (row.blend == RC_BLEND_MEAN)
    mean_row<Types> (task, row, times, n, out, lane);
  else if (Types::special && row.blend == RC_BLEND_COPY && task.copy == RC_COPY_INTEGERS)
    copy_integers (task, row.y[0], out, n, lane);
  else if (!Types::special || task.compute == RC_COMPUTE_FLOAT32)
    computed_row<Types, float> (task, row, first, n, out, lane);
  else if constexpr (Types::special)
    computed_row<Types, double> (task, row, first, n, out, lane);
}
}

#endif

/* robocache: the rows of an item
 *
 * The pieces of all rows are numbered consecutively, and neighbouring threads process neighbouring pieces, so that all threads have work
 * with any number of channels. A load takes about a microsecond, so a thread starts the loads of several pieces at once, and the code for
 * rows with the same blend has no branches between these loads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "blend.cuh"

namespace rc
{
/* The place of this thread in a row that 2^lanes_log2 neighbouring threads process. 32 bits suffice for the channels and bytes of an
 * item. */
struct Lane
{
  int32_t index;
  int32_t count;
};

/* The rows of an item. */
template <class Types>
struct Rows
{
  const typename Types::Row *rows;
  const int64_t *times;         /* times of all rows of the stream, for means; NULL in the brackets form */
  uint32_t *scattered;          /* one bit per row, which make_quaternions sets for a mean of scattered quaternions */
  int64_t first;                /* channel to which their addresses point */
  int32_t n;
  int32_t n_channels;
};

/* ---- rows without arithmetic ---- */

template <typename Word>
__device__ __forceinline__ void
copy_words (const char *from, char *to, int32_t bytes, Lane lane)
{
  const int32_t words = bytes / (int32_t) sizeof (Word);

  for (int32_t i = lane.index; i < words; i += lane.count)
    reinterpret_cast<Word *> (to)[i] = reinterpret_cast<const Word *> (from)[i];
  for (int32_t i = words * (int32_t) sizeof (Word) + lane.index; i < bytes; i += lane.count)
    to[i] = from[i];
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

/* Makes the row if that takes no arithmetic; returns whether it did. */
template <class Row>
__device__ __forceinline__ bool
move_bytes (const RcCudaAlignTask &task, const Row &row, int32_t n, Lane lane)
{
  const int alignment = task.in_alignment < task.out_alignment ? task.in_alignment : task.out_alignment;

  if (row.blend == RC_BLEND_NONE)
    fill_bytes (task.missing, row.out, n * size_of ((RcDtype) task.out_dtype), task.out_alignment, lane);
  else if (row.blend == RC_BLEND_COPY && task.copy == RC_COPY_BITS)
    copy_bytes (row.y[0], row.out, n * size_of ((RcDtype) task.in), alignment, lane);
  else
    return false;
  return true;
}

/* ---- rows in pieces ---- */

constexpr int32_t ANY_BLEND = -2;       /* a blend that is known once the row is known */

/* A piece: its row and its first channel, which counts from the addresses of the row. */
struct Place
{
  int32_t r, c;
};

/* The step from a piece of a thread to its next one, a block of pieces further. Uses additions, since divisions would take long. */
struct Stride
{
  int32_t rows, channels;       /* whole rows, and the negative number of channels back from the end of the last one */
  int32_t row_channels;
};

__device__ __forceinline__ Place
next_place (Place at, Stride stride)
{
  const int32_t c = at.c + stride.channels, row_before = c >> 31;       /* -1 or 0; two selections would take a third more time */

  return Place { at.r + stride.rows + row_before, c + (row_before & stride.row_channels) };
}

template <int V>
__device__ __forceinline__ Stride
stride_of (const RcCudaAlignTask &task)
{
  return Stride { task.stride_rows + 1, (task.stride_pieces - task.pieces) * V, task.pieces * V };
}

/* The first piece of this thread. */
template <int V>
__device__ __forceinline__ Place
first_place (const RcCudaAlignTask &task)
{
  const int32_t row = task.pieces > 1 ? __umulhi (threadIdx.x, task.pieces_inverse) : threadIdx.x;

  return Place { row, ((int32_t) threadIdx.x - row * task.pieces) * V };
}

/* The times of all rows of the stream: the ones that come with brackets, or the ones of the run. */
__device__ __forceinline__ const int64_t *
filter_times (const RcCudaAlignTask &task, const int64_t *times)
{
  return task.brackets != NULL ? task.times : times;
}

__device__ __forceinline__ bool
is_sum (int32_t blend)
{
  return blend >= RC_BLEND_MEAN;
}

template <class Types>
__device__ __forceinline__ void
make_angle (const RcCudaAlignTask &task, const Rows<Types> &all, const typename Types::Row &row, int32_t c)
{
  if constexpr (Types::curves) {
    if (row.blend == RC_BLEND_MEAN) {
      average_angle<Types> (task, row, all.times, c);
      return;
    }
  }
  if constexpr (Types::filters) {
    if (row.blend == RC_BLEND_LOWPASS) {
      filter_angle<Types> (task, row, filter_times (task, all.times), c);
      return;
    }
  }
  blend_angle<Types> (task, row, c);
}

/* Whether the quaternions and angles of a row need their own arithmetic. */
template <class Types>
__device__ __forceinline__ bool
has_rotations (int32_t blend)
{
  return is_blended (blend) || (Types::curves && is_sum (blend));
}

/* Whether a piece belongs to a quaternion, which make_quaternions computes, or is an angle, which is computed here. If all dtypes are the
 * same, pieces of 4 with quaternions were skipped before. */
template <class Types, int V>
__device__ __forceinline__ bool
is_made_apart (const RcCudaAlignTask &task, const Rows<Types> &all, Place at)
{
  const auto &row = all.rows[at.r];
  uint8_t role;

  if (V == 2 || (V == 4 && !Types::mixed) || task.roles == NULL || !has_rotations<Types> (row.blend))
    return false;
  role = task.roles[all.first + at.c];
  if (V == 1 && role == RC_CUDA_ALIGN_ANGLE)
    make_angle<Types> (task, all, row, at.c);
  return role != RC_CUDA_ALIGN_PLAIN;
}

/* Makes U pieces of V elements each, of rows that all have BLEND. */
template <class Types, int V, int U, bool LOOSE, int32_t BLEND>
__device__ __forceinline__ void
move_pieces (const RcCudaAlignTask &task, const Rows<Types> &all, const Place *at)
{
  Piece<V, Types::curves> pieces[U];

  if constexpr (BLEND == ANY_BLEND || BLEND == RC_BLEND_HERMITE)
    memset (pieces, 0, sizeof (pieces));        /* otherwise unread parts would occupy registers during the whole loop */
#pragma unroll
  for (int u = 0; u < U; u++) {
    const auto &row = all.rows[at[u].r];

    pieces[u].blend = BLEND != ANY_BLEND ? BLEND : row.blend;
    if constexpr (Types::special) {
      if (is_made_apart<Types, V> (task, all, at[u])) {
        pieces[u].blend = -1;
        continue;
      }
    }
    if constexpr (Types::filters && V <= 4 && BLEND == ANY_BLEND) {
      if (row.blend == RC_BLEND_LOWPASS) {
        filter_elements<Types, V, LOOSE> (task, row, filter_times (task, all.times), at[u].c);
        pieces[u].blend = -1;
        continue;
      }
    }
    read_piece<Types, V, LOOSE> (task, row, all.first, at[u].c, &pieces[u]);
  }
#pragma unroll
  for (int u = 0; u < U; u++) {
    const auto &row = all.rows[at[u].r];

    if (pieces[u].blend < 0)
      continue;
    blend_piece<Types, V, LOOSE> (task, row, all.times, all.first, at[u].c, &pieces[u]);
    write_to<Types, V, LOOSE> (task, row.out, at[u].c, pieces[u].y0);
  }
}

/* Makes the elements of a piece that lie within the row, at most V, one by one. */
template <class Types, int V>
__device__ __forceinline__ void
move_elements (const RcCudaAlignTask &task, const Rows<Types> &all, Place at)
{
  const int32_t end = at.c + V < all.n_channels ? at.c + V : all.n_channels;

#pragma unroll 1
  for (; at.c < end; at.c++)
    move_pieces<Types, 1, 1, false, ANY_BLEND> (task, all, &at);
}

/* Makes a piece with any blend; element by element if the row has fewer than V elements left. */
template <class Types, int V, bool LOOSE>
__device__ __forceinline__ void
move_any (const RcCudaAlignTask &task, const Rows<Types> &all, Place at)
{
  if (at.c + V <= all.n_channels && (!Types::curves || V <= 4 || !is_sum (all.rows[at.r].blend)))
    move_pieces<Types, V, 1, LOOSE, ANY_BLEND> (task, all, &at);
  else if constexpr (V > 1)
    move_elements<Types, V> (task, all, at);
}

/* Converts a place from pieces to channels. */
template <class Types, int V>
__device__ __forceinline__ Place
in_channels (const RcCudaAlignTask &task, Place at)
{
  if constexpr (Types::special && !Types::mixed && V == 4) {
    if (task.skips)
      return Place { at.r, __ldg (task.plain + at.c / V) };
  }
  return at;
}

/* The blend of a piece's row, if the row exists and the piece is complete. */
template <class Types, int V>
__device__ __forceinline__ int32_t
blend_at (const Rows<Types> &all, Place place, Place at)
{
  return place.r < all.n && at.c <= all.n_channels - V ? all.rows[place.r].blend : ANY_BLEND;
}

/* Makes all rows; neighbouring threads process neighbouring pieces, U at a time if their rows have the same blend. */
template <class Types, int V, int U, bool LOOSE>
__device__ __forceinline__ void
move_rows (const RcCudaAlignTask &task, const Rows<Types> &all)
{
  const Stride stride = stride_of<V> (task);
  Place place = first_place<V> (task);

  if (Types::special && task.skips && task.n_plain == 0)
    return;
#pragma unroll 1
  while (place.r < all.n) {
    Place places[U + 1] = { place }, at[U];
    int32_t blend = ANY_BLEND;

#pragma unroll
    for (int u = 0; u < U; u++) {
      at[u] = in_channels<Types, V> (task, places[u]);
      const int32_t own = blend_at<Types, V> (all, places[u], at[u]);

      blend = u == 0 || own == blend ? own : ANY_BLEND;
      places[u + 1] = next_place (places[u], stride);
    }
    place = places[U];
    if (blend == RC_BLEND_LINEAR) {
      move_pieces<Types, V, U, LOOSE, RC_BLEND_LINEAR> (task, all, at);
    } else if (!Types::mixed && !Types::special && blend == RC_BLEND_COPY) {
      move_pieces<Types, V, U, LOOSE, RC_BLEND_COPY> (task, all, at);
    } else if (Types::curves && !Types::special && blend == RC_BLEND_CUBIC) {
      move_pieces<Types, V, U, LOOSE, RC_BLEND_CUBIC> (task, all, at);
    } else if (Types::curves && !Types::special && blend == RC_BLEND_HERMITE) {
      move_pieces<Types, V, U, LOOSE, RC_BLEND_HERMITE> (task, all, at);
    } else {
      move_any<Types, V, LOOSE> (task, all, at[0]);
      place = places[1];
    }
  }
}

/* Makes all rows, with 2^lanes_log2 threads for each. */
template <class Types, int V, bool LOOSE>
__device__ __forceinline__ void
move_rows_apart (const RcCudaAlignTask &task, const Rows<Types> &all)
{
  const Lane lane = { (int32_t) (threadIdx.x & ((1u << task.lanes_log2) - 1)), 1 << task.lanes_log2 };

#pragma unroll 1
  for (int32_t r = threadIdx.x >> task.lanes_log2; r < all.n; r += RC_CUDA_THREADS >> task.lanes_log2) {
    if (move_bytes (task, all.rows[r], all.n_channels, lane))
      continue;
#pragma unroll 1
    for (int32_t c = lane.index * V; c < all.n_channels; c += lane.count * V)
      move_any<Types, V, LOOSE> (task, all, Place { r, c });
  }
}

/* ---- quaternions ---- */

/* Makes the quaternions of all rows, one per thread: each takes hundreds of instructions, for which threads with other channels would
 * wait. The channel of the next quaternion is loaded in advance, since the whole quaternion would wait for this load. */
template <class Types>
__device__ __forceinline__ void
make_quaternions (const RcCudaAlignTask &task, const Rows<Types> &all)
{
  const int32_t n = (int32_t) task.n_quaternions;

  if (n == 0)
    return;
  const Stride stride = { task.quaternion_stride_rows + 1, task.quaternion_stride - n, n };
  Place place = { (int32_t) threadIdx.x / n, (int32_t) threadIdx.x % n };
  int32_t ahead = __ldg (task.quaternions + place.c);

#pragma unroll 1
  while (place.r < all.n) {
    const Place at = { place.r, ahead };
    const auto &row = all.rows[at.r];

    place = next_place (place, stride);
    ahead = __ldg (task.quaternions + place.c);
    if constexpr (Types::curves) {
      if (row.blend == RC_BLEND_MEAN) {
        if (average_quaternion<Types> (task, row, all.times, at.c))
          atomicOr (&all.scattered[at.r / 32], 1u << at.r % 32);
        continue;
      }
    }
    if constexpr (Types::filters) {
      if (row.blend == RC_BLEND_LOWPASS) {
        if (filter_quaternion<Types> (task, row, filter_times (task, all.times), at.c))
          atomicOr (&all.scattered[at.r / 32], 1u << at.r % 32);
        continue;
      }
    }
    if (is_blended (row.blend))
      blend_quaternion<Types> (task, row, at.c);
    else if (!Types::mixed && task.skips)
      move_any<Types, 4, false> (task, all, at);
  }
}

/* ---- holds ---- */

/* Copies the hold channels of all rows, one channel per thread, after the rows were blended. Overwrites their blended values. */
template <class Types>
__device__ __forceinline__ void
copy_holds (const RcCudaAlignTask &task, const Rows<Types> &all)
{
  const int32_t *const holds = task.rates + task.n_velocities;
  const int32_t n = task.n_holds;

  if (n == 0)
    return;
  const Stride stride = { RC_CUDA_THREADS / n + 1, RC_CUDA_THREADS % n - n, n };
  Place place = { (int32_t) threadIdx.x / n, (int32_t) threadIdx.x % n };

  __syncthreads ();
#pragma unroll 1
  for (; place.r < all.n; place = next_place (place, stride)) {
    if (all.rows[place.r].blend != RC_BLEND_NONE)
      copy_hold<Types> (task, all.rows[place.r], __ldg (holds + place.c));
  }
}
}

/* robocache: the rows of an item, asked for ahead
 *
 * A piece of a curve is made of four rows, half of which the pieces beside it are made of, too: so of what a thread has
 * under way half is new to the multiprocessor, and registers for more would leave no place for other blocks. Here pieces
 * come past the registers, where the staged times were: each thread copies into places of its own, and waits for nothing
 * but its own copies. Copies go through the L1, where rows are met again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_ROWS_AHEAD_CUH
#define RC_CUDA_ROWS_AHEAD_CUH

#include <cuda_pipeline.h>

#include "language.cuh"
#include "rows.cuh"

namespace rc
{
constexpr int32_t AHEAD = 2;    /* pieces that a thread has under way */
static_assert (AHEAD * 4 * RC_CUDA_THREADS * 16 <= RC_CUDA_STAGED_TIMES * 8, "in the room of the times");

/* All copies of this thread but those of the last N commits have come. The compiler reads no shared memory before. */
template <int N>
__device__ __forceinline__ void
wait_for_copies (void)
{
  __pipeline_wait_prior (N);
  asm volatile ("" ::: "memory");
}

/* Room for what one piece of this thread is made of. */
template <int BYTES>
struct Slots
{
  char *first;                  /* of the block; four times as many as threads */

  __device__ __forceinline__ char *
  part (int k) const
  {
    return first + (k * RC_CUDA_THREADS + threadIdx.x) * BYTES;
  }

  __device__ __forceinline__ void
  take (int k, uint32_t *words) const
  {
    using Word = std::conditional_t<BYTES == 16, uint4, std::conditional_t<BYTES == 8, uint2, uint32_t>>;
    const Word word = *reinterpret_cast<const Word *> (part (k));

    memcpy (words, &word, BYTES);
  }
};

template <class Types, int V, int BYTES>
__device__ __forceinline__ void
ask_for_piece (const RcCudaAlignTask &task, const Rows<Types> &all, Place at, Slots<BYTES> slots)
{
  constexpr int64_t SIZE = BYTES / V;
  const auto &row = all.rows[at.r];
  const int32_t blend = row.blend;

  if (blend == RC_BLEND_COPY || is_blended (blend))
    copy_to_shared<BYTES> (slots.part (0), row.y[0] + at.c * SIZE);
  if (is_blended (blend))
    copy_to_shared<BYTES> (slots.part (1), row.y[1] + at.c * SIZE);
  if (blend == RC_BLEND_CUBIC) {
    copy_to_shared<BYTES> (slots.part (2), row.before + at.c * SIZE);
    copy_to_shared<BYTES> (slots.part (3), row.after + at.c * SIZE);
  } else if (has_rates (task, blend, all.first + at.c)) {
    const int64_t rate = rate_of<V> (task, all.first, at.c);

    copy_to_shared<BYTES> (slots.part (2), row.y[0] + rate * SIZE);
    copy_to_shared<BYTES> (slots.part (3), row.y[1] + rate * SIZE);
  }
}

/* Makes a piece whose parts have come. A mean, which the brackets form alone has here, is made of more. */
template <class Types, int V, int BYTES>
__device__ __forceinline__ void
make_piece (const RcCudaAlignTask &task, const Rows<Types> &all, Place at, Slots<BYTES> slots)
{
  const auto &row = all.rows[at.r];
  Piece<V, true> piece;

  piece.blend = row.blend;
  if (piece.blend == RC_BLEND_MEAN) {
    move_elements<Types, V> (task, all, at);
    return;
  }
  if (piece.blend == RC_BLEND_COPY || is_blended (piece.blend))
    slots.take (0, piece.y0);
  if (is_blended (piece.blend))
    slots.take (1, piece.y1);
  if (piece.blend == RC_BLEND_CUBIC || has_rates (task, piece.blend, all.first + at.c)) {
    slots.take (2, piece.y2);
    slots.take (3, piece.y3);
  }
  blend_piece<Types, V, false> (task, row, all.times, all.first, at.c, &piece);
  write_to<Types, V, false> (task, row.out, at.c, piece.y0);
}

template <class Types, int V>
__device__ __forceinline__ bool
is_whole (const Rows<Types> &all, Place at)
{
  return at.r < all.n && at.c + V <= all.n_channels;
}

/* All rows, as move_rows makes them. room is that of the staged times, which no thread reads any more. */
template <class Types, int V>
__device__ __forceinline__ void
move_rows_ahead (const RcCudaAlignTask &task, const Rows<Types> &all, char *room)
{
  constexpr int BYTES = V * Types::size;
  const Stride stride = { task.stride_rows, task.stride_pieces * V, task.pieces * V };
  Place place = first_place<V> (task), ahead = place;
  int32_t stage = 0;

#pragma unroll
  for (int i = 0; i < AHEAD; i++, ahead = next_place (ahead, stride)) {
    if (is_whole<Types, V> (all, ahead))
      ask_for_piece<Types, V> (task, all, ahead, Slots<BYTES> { room + i * 4 * RC_CUDA_THREADS * BYTES });
    __pipeline_commit ();
  }
#pragma unroll 1
  for (; place.r < all.n; place = next_place (place, stride), ahead = next_place (ahead, stride)) {
    const Slots<BYTES> slots = { room + stage * 4 * RC_CUDA_THREADS * BYTES };

    wait_for_copies<AHEAD - 1> ();
    if (is_whole<Types, V> (all, place))
      make_piece<Types, V> (task, all, place, slots);
    else
      move_elements<Types, V> (task, all, place);
    if (is_whole<Types, V> (all, ahead))
      ask_for_piece<Types, V> (task, all, ahead, slots);
    __pipeline_commit ();
    stage = stage + 1 < AHEAD ? stage + 1 : 0;
  }
  wait_for_copies<0> ();
}
}

#endif

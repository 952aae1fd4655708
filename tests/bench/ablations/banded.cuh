/* robocache: a banded matrix of weights times the rows of an item, on tensor cores
 *
 * The output [64 ticks, 64 channels] is W [64, rows] times the rows, which lie in shared memory in pieces of 16 bytes in the
 * order that wgmma calls a swizzle of 128 bytes, so that no two of 8 rows are in the same banks. A warp has 16 ticks; the
 * parts of W that it needs are made in registers, in the order of the fragments of m16n8k16 and of wgmma alike. W has two
 * numbers a tick; all others are zeros that are multiplied like them. A NaN in any row of a product is a NaN in all of its
 * ticks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_BANDED_CUH
#define BENCH_BANDED_CUH

#include <cuda_bf16.h>

#include "banded.h"
#include "bulk.cuh"
#include "items.cuh"

namespace ablation
{
constexpr int PIECES = BANDED_CHANNELS * 2 / 16;        /* of a row */
constexpr int ROOM_ROWS = 192;  /* staged at a time; more come in turn */

struct Accumulators
{
  float of[BANDED_CHANNELS / 8][4];     /* ticks g, g, g + 8, g + 8 of the warp, channels 8 i + 2 t and the one after it */
};

__device__ __forceinline__ char *
piece (char *staged, int32_t row, int32_t c)
{
  return staged + row * (16 * PIECES) + ((c ^ (row & 7)) * 16);
}

/* n rows from `first` on; up to a multiple of BANDED_STEP zeros follow. The block waits. */
__device__ __forceinline__ void
stage_rows (const EpisodesArgs &args, const Item &item, int32_t first, int32_t n, char *staged)
{
  const char *rows = static_cast<const char *> (args.rows)
      + ((int64_t) item.episode * args.n_rows + first) * (16 * PIECES);
  const int32_t filled = (n + BANDED_STEP - 1) / BANDED_STEP * BANDED_STEP;

  for (int32_t i = threadIdx.x; i < filled * PIECES; i += BANDED_THREADS) {
    char *to = piece (staged, i / PIECES, i % PIECES);

    if (i / PIECES < n)
      asm volatile ("cp.async.cg.shared.global [%0], [%1], 16;"::"r" (shared_address (to)),
          "l" (__cvta_generic_to_global (rows + i * 16)):"memory");
    else
      *reinterpret_cast<uint4 *> (to) = make_uint4 (0, 0, 0, 0);
  }
  asm volatile ("cp.async.wait_all;":::"memory");
}

/* What row k is multiplied with for a tick. */
__device__ __forceinline__ float
weight_of (const Tick &tick, int32_t k)
{
  return (k == tick.row ? 1 - tick.w : 0) + (k == tick.next ? tick.w : 0);
}

/* Rows k and k + 1; SPLIT: what rounding left out of them. */
template <bool REST>
__device__ __forceinline__ uint32_t
weight_pair (const Tick &tick, int32_t k)
{
  const float a = weight_of (tick, k), b = weight_of (tick, k + 1);
  __nv_bfloat162 pair = __floats2bfloat162_rn (a, b);

  if (REST)
    pair = __floats2bfloat162_rn (a - __low2float (pair), b - __high2float (pair));
  return *reinterpret_cast<const uint32_t *> (&pair);
}

/* Rows k … k + 15 of this warp's ticks g and g + 8. */
template <bool REST>
__device__ __forceinline__ void
make_weights (const Tick &tick0, const Tick &tick1, int32_t k, uint32_t weights[4])
{
  const int32_t mine = k + threadIdx.x % 4 * 2;

  weights[0] = weight_pair<REST> (tick0, mine);
  weights[1] = weight_pair<REST> (tick1, mine);
  weights[2] = weight_pair<REST> (tick0, mine + 8);
  weights[3] = weight_pair<REST> (tick1, mine + 8);
}

/* By way of shared memory, 16 bytes a thread at a time. The block waits before, and need not after. */
__device__ __forceinline__ void
write_out (const EpisodesArgs &args, const Item &item, const Accumulators &sums, char *staged)
{
  const int32_t warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  char *out = static_cast<char *> (args.out) + ((int64_t) item.episode * args.n_ticks + item.first_tick) * (16 * PIECES);

  __syncthreads ();
#pragma unroll
  for (int i = 0; i < BANDED_CHANNELS / 8; i++) {
    const int32_t tick = warp * 16 + g;

    const float *sum = sums.of[i];

    reinterpret_cast<__nv_bfloat162 *> (piece (staged, tick, i))[t] = __floats2bfloat162_rn (sum[0], sum[1]);
    reinterpret_cast<__nv_bfloat162 *> (piece (staged, tick + 8, i))[t] = __floats2bfloat162_rn (sum[2], sum[3]);
  }
  __syncthreads ();
  for (int32_t i = threadIdx.x; i < item.n_ticks * PIECES; i += BANDED_THREADS)
    *reinterpret_cast<uint4 *> (out + i * 16) = *reinterpret_cast<const uint4 *> (piece (staged, i / PIECES, i % PIECES));
}

/* Multiply::step (staged, k, row, tick0, tick1, sums): rows row … row + 15 of the episode, staged from row k on. */
template <class Multiply>
__device__ __forceinline__ void
align_banded (const EpisodesArgs &args)
{
  __shared__ __align__ (1024) char staged[ROOM_ROWS * 16 * PIECES];
  __shared__ int64_t times[SPAN_TIMES];
  __shared__ Tick ticks[TICKS];
  __shared__ Span shared;
  const Item item = item_of (args, blockIdx.x);
  const Span span = find_in_span<BANDED_THREADS> (args, item, times, &shared, ticks);
  const int32_t mine = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  const Tick none = { -1, -1, 0 };
  const Tick tick0 = mine < item.n_ticks ? ticks[mine] : none, tick1 = mine + 8 < item.n_ticks ? ticks[mine + 8] : none;
  Accumulators sums = { };

  for (int32_t first = span.first; first < span.end; first += ROOM_ROWS) {
    const int32_t left = span.end - first, n = left < ROOM_ROWS ? left : ROOM_ROWS;

    __syncthreads ();
    stage_rows (args, item, first, n, staged);
    Multiply::order ();
    __syncthreads ();
    for (int32_t k = 0; k < n; k += BANDED_STEP)
      Multiply::step (staged, k, first + k, tick0, tick1, sums);
  }
  write_out (args, item, sums, staged);
}
}

#endif

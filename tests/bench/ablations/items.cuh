/* robocache: an item of an experimental alignment: which rows its ticks need, and the rows themselves, read and blended
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_ITEMS_CUH
#define BENCH_ITEMS_CUH

#include <cuda_runtime_api.h>

#include "episodes.h"
#include "kernels/bracket.h"

namespace ablation
{
constexpr int TICKS = EPISODES_ITEM_TICKS;

struct Item
{
  int32_t episode, first_tick, n_ticks;
};

/* What a tick is made of; its rows are of the episode. A copied row is its own neighbour. */
struct Tick
{
  int32_t row, next;
  float w;
};

__device__ __forceinline__ Item
item_of (const EpisodesArgs &args, int32_t index)
{
  const int32_t episode = index / args.items_per_episode, first = (index - episode * args.items_per_episode) * TICKS;
  const int32_t left = args.n_ticks - first;

  return { episode, first, left < TICKS ? left : TICKS };
}

__device__ __forceinline__ const int64_t *
times_of (const EpisodesArgs &args, const Item &item)
{
  return args.times + (int64_t) item.episode * args.n_rows;
}

__device__ __forceinline__ int64_t
tick_time (const EpisodesArgs &args, const Item &item, int32_t i)
{
  return __ldg (args.tick_times + (int64_t) item.episode * args.n_ticks + item.first_tick + i);
}

/* In times [0 … n), which are those from row `first` of the episode on. */
__device__ __forceinline__ Tick
find_tick (const int64_t *times, int32_t n, int32_t first, int64_t tick)
{
  const RcSearch linear = { RC_LINEAR, -1, 0, 0 };
  const RcBracket b = rc_bracket_find (&linear, times, n, tick);

  return { first + (int32_t) b.row, first + (int32_t) b.next, (float) b.w };
}

/* The first row whose time is >= t, by a warp: 32 probes a step. */
__device__ __forceinline__ int32_t
warp_lower_bound (const int64_t *times, int32_t n, int64_t t)
{
  const int32_t lane = threadIdx.x % 32;
  int32_t first = 0;

  while (n > 0) {
    const int32_t step = (n + 31) / 32, end = (lane + 1) * step < n ? (lane + 1) * step : n;
    const int32_t before = __popc (__ballot_sync (~0u, __ldg (times + first + end - 1) < t));

    if (before == 32)
      return first + n;
    first += before * step;
    n -= before * step;
    n = (n < step ? n : step) - 1;
  }
  return first;
}

/* The rows that the ticks of an item can need: first … end - 1. */
struct Span
{
  int32_t first, end;
};

/* By the first two warps; the block waits. */
__device__ __forceinline__ Span
find_span (const EpisodesArgs &args, const Item &item, Span *shared)
{
  const int64_t *times = times_of (args, item);

  if (threadIdx.x < 32) {
    const int32_t row = warp_lower_bound (times, args.n_rows, tick_time (args, item, 0));

    if (threadIdx.x == 0)
      shared->first = row > 0 ? row - 1 : 0;
  } else if (threadIdx.x < 64) {
    const int32_t row = warp_lower_bound (times, args.n_rows, tick_time (args, item, item.n_ticks - 1));

    if (threadIdx.x == 32)
      shared->end = row < args.n_rows ? row + 1 : args.n_rows;
  }
  __syncthreads ();
  return *shared;
}

__device__ __forceinline__ void
find_in (const EpisodesArgs &args, const Item &item, const int64_t *times, int32_t n, int32_t first, Tick *ticks)
{
  if ((int) threadIdx.x < item.n_ticks)
    ticks[threadIdx.x] = find_tick (times, n, first, tick_time (args, item, threadIdx.x));
  __syncthreads ();
}

constexpr int SPAN_TIMES = 512; /* more are searched where they are */

template <int THREADS>
__device__ __forceinline__ Span
find_in_span (const EpisodesArgs &args, const Item &item, int64_t *staged, Span *shared, Tick *ticks)
{
  const Span span = find_span (args, item, shared);
  const int32_t n = span.end - span.first;
  const int64_t *times = times_of (args, item) + span.first;

  if (n <= SPAN_TIMES) {
    for (int32_t i = threadIdx.x; i < n; i += THREADS)
      staged[i] = __ldg (times + i);
    __syncthreads ();
    times = staged;
  }
  find_in (args, item, times, n, span.first, ticks);
  return span;
}

/* ---- rows ---- */

__device__ __forceinline__ float4
blend (const float4 &y0, const float4 &y1, float w)
{
  return { y0.x + w * (y1.x - y0.x), y0.y + w * (y1.y - y0.y), y0.z + w * (y1.z - y0.z), y0.w + w * (y1.w - y0.w) };
}

__device__ __forceinline__ float4 *
out_of (const EpisodesArgs &args, const Item &item)
{
  return reinterpret_cast<float4 *> (args.out)
      + ((int64_t) item.episode * args.n_ticks + item.first_tick) * (args.channels / 4);
}

/* float32 rows from `rows` on, the first of which is row `first` of the episode; 2 U loads of a thread are under way. */
template <int THREADS, int U>
__device__ __forceinline__ void
blend_rows (const EpisodesArgs &args, const Item &item, const float4 *rows, int32_t first, const Tick *ticks)
{
  const uint32_t lanes = (uint32_t) args.channels / 4, n = (uint32_t) item.n_ticks * lanes;
  float4 *out = out_of (args, item);

#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < n; i += U * THREADS) {
    float4 y0[U], y1[U];

#pragma unroll
    for (int u = 0; u < U; u++) {
      const uint32_t at = i + u * THREADS;

      if (at < n) {
        const Tick &tick = ticks[at / lanes];

        y0[u] = rows[(uint32_t) (tick.row - first) * lanes + at % lanes];
        y1[u] = rows[(uint32_t) (tick.next - first) * lanes + at % lanes];
      }
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
      const uint32_t at = i + u * THREADS;

      if (at < n)
        out[at] = blend (y0[u], y1[u], ticks[at / lanes].w);
    }
  }
}

__device__ __forceinline__ const float4 *
rows_of (const EpisodesArgs &args, const Item &item)
{
  return static_cast<const float4 *> (args.rows) + (int64_t) item.episode * args.n_rows * (args.channels / 4);
}
}

#endif

/* robocache: a block finds the rows of each tick of an item
 *
 * Times are staged in shared memory: all times of an episode if they fit, otherwise the times around the item's ticks, which two searches
 * with 32 probes per step find. Then every tick has a thread, which runs kernels/interpolation.h on them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda_pipeline.h>

#include "task.h"

namespace rc
{
/* Times of rows first … first + n - 1 of an episode. A search in these finds the same rows as a search in all times. */
struct View
{
  const int64_t *times;
  int64_t first;
  int64_t n;
};

/* rc_lower_bound by a warp, with 32 probes per step, so a hundred thousand times take four steps. If times decrease the result is some
 * index from 0 to n, and nothing outside the times is read. */
__device__ __forceinline__ int64_t
warp_lower_bound (const int64_t *times, int64_t n, int64_t t)
{
  const int lane = threadIdx.x % 32;
  int64_t first = 0;

  while (n > 0) {
    const int64_t step = (n + 31) / 32;
    const int64_t end = (lane + 1) * step < n ? (lane + 1) * step : n;
    const uint32_t others = __ballot_sync (~0u, times[first + end - 1] >= t);

    if (others == 0)
      return first + n;
    /* the answer is in the first part whose last time is not before t */
    const int64_t before = (__ffs (others) - 1) * step;

    first += before;
    n -= before;
    n = (n < step ? n : step) - 1;
  }
  return first;
}

__device__ __forceinline__ int64_t
warp_upper_bound (const int64_t *times, int64_t n, int64_t t)
{
  return t == INT64_MAX ? n : warp_lower_bound (times, n, t + 1);
}

/* One past the last row with the time of row i, found by a warp; usually this is among the next 32 rows. */
__device__ __forceinline__ int64_t
warp_end_of_equal (const int64_t *times, int64_t n, int64_t i)
{
  const int64_t at = i + threadIdx.x % 32;
  const int64_t time = times[at < n ? at : n - 1], first = __shfl_sync (~0u, time, 0);
  const uint32_t others = __ballot_sync (~0u, at >= n || time != first);

  return others != 0 ? i + __ffs (others) - 1 : i + 32 + warp_upper_bound (times + i + 32, n - i - 32, first);
}

/* The first row with the time of row i. */
__device__ __forceinline__ int64_t
warp_first_of_equal (const int64_t *times, int64_t i)
{
  const int64_t at = i - threadIdx.x % 32;
  const int64_t time = times[at > 0 ? at : 0], last = __shfl_sync (~0u, time, 0);
  const uint32_t others = __ballot_sync (~0u, at < 0 || time != last);

  return others != 0 ? i + 2 - __ffs (others) : warp_lower_bound (times, i - 31, last);
}

/* The first row that a search at or after `least` can read: of the last two times before `least` all rows of the later one, and one row
 * of the earlier one. */
__device__ __forceinline__ int64_t
first_looked_at (const int64_t *times, int64_t n, int64_t least)
{
  const int64_t after = warp_lower_bound (times, n, least), row = after > 0 ? warp_first_of_equal (times, after - 1) : 0;

  return row > 0 ? row - 1 : 0;
}

/* One past the last row that a search at or before `greatest` can read: the first two times at or after `greatest`. */
__device__ __forceinline__ int64_t
end_looked_at (const int64_t *times, int64_t n, int64_t greatest)
{
  int64_t end = warp_lower_bound (times, n, greatest);

  for (int i = 0; i < 2 && end < n; i++)
    end = warp_end_of_equal (times, n, end);
  return end;
}

struct SearchShared
{
  int64_t first;
  int64_t end;
};

/* Stages all n times. The copies bypass the registers, so that they all overlap. */
__device__ __forceinline__ void
stage_all (const int64_t *times, int32_t n, int64_t *staged)
{
  const int32_t pairs = reinterpret_cast<uintptr_t> (times) % 16 == 0 ? n / 2 : 0;

#pragma unroll 4
  for (int32_t i = threadIdx.x; i < pairs; i += RC_CUDA_THREADS)
    __pipeline_memcpy_async (staged + 2 * i, times + 2 * i, 16);
#pragma unroll 4
  for (int32_t i = 2 * pairs + threadIdx.x; i < n; i += RC_CUDA_THREADS)
    __pipeline_memcpy_async (staged + i, times + i, 8);
  __pipeline_commit ();
  __pipeline_wait_prior (0);
  __syncthreads ();
}

/* Whether this thread, one of the threads from first_thread on, finds staged times that decrease. */
__device__ __forceinline__ bool
goes_back (const int64_t *staged, int32_t n, int32_t first_thread)
{
  bool back = false;

  /* two times and the next one, or the later one twice: half as many loads */
  for (int32_t i = 2 * (threadIdx.x - first_thread); i + 1 < n; i += 2 * (RC_CUDA_THREADS - first_thread)) {
    const longlong2 pair = *reinterpret_cast<const longlong2 *> (staged + i);

    back |= (pair.y < pair.x) | (staged[i + 2 < n ? i + 2 : i + 1] < pair.y);
  }
  return back;
}

/* The part of times that the ticks of this item need. The ticks are almost always in order; has_tick and tick belong to this thread. If
 * times are not in order, the result is not used. */
__device__ __forceinline__ View
stage_part (const RcSearch &search, const int64_t *times, int64_t n, const int64_t *ticks, int32_t n_ticks, bool has_tick,
    int64_t tick, int64_t *staged, int32_t capacity, SearchShared &shared)
{
  const bool mean = search.interpolation == RC_MEAN;
  const int64_t least = n_ticks > 0 ? ticks[0] : INT64_MIN, greatest = n_ticks > 0 ? ticks[n_ticks - 1] : INT64_MIN;

  if (search.interpolation == RC_LOWPASS || search.max_gap_ns == RC_GAP_AUTO)
    return View { times, 0, n };        /* how far they look back depends on the rows */
  if (threadIdx.x / 32 == 0) {
    const int64_t first = first_looked_at (times, n, mean ? rc_mean_start (least, search.period_ns) : least);

    if (threadIdx.x == 0)
      shared.first = first;
  } else if (threadIdx.x / 32 == 1) {
    const int64_t end = end_looked_at (times, n, mean ? rc_mean_end (greatest, search.period_ns) : greatest);

    if (threadIdx.x == 32)
      shared.end = end;
  }
  if (__syncthreads_or (has_tick && (tick < least || tick > greatest)) || shared.end - shared.first > capacity)
    return View { times, 0, n };        /* ticks out of order, or far apart */
  for (int64_t i = shared.first + threadIdx.x; i < shared.end; i += RC_CUDA_THREADS)
    staged[i - shared.first] = times[i];
  __syncthreads ();
  return View { staged, shared.first, shared.end - shared.first };
}

/* rc_lower_bound of staged times, with 32-bit indices: the time of a small alignment is mainly the chain of loads of a tick. */
__device__ __forceinline__ int32_t
staged_lower_bound (const int64_t *staged, int32_t n, int64_t t)
{
  int32_t first = 0;

#pragma unroll 1
  while (n > 1) {
    const int32_t half = n / 2;

    first += staged[first + half - 1] < t ? half : 0;
    n -= half;
  }
  return first + (n == 1 && staged[first] < t);
}

/* The bracket of a tick, with row numbers of the episode. Without CURVES the interpolation is one of the first three and max-gap is a
 * number, which takes far fewer registers; without HOLDS no channel is held. Where the view is of staged times the compiler sees that they
 * are in shared memory. */
template <bool CURVES, bool HOLDS, bool FILTERS>
__device__ __forceinline__ RcBracket
find_bracket (RcSearch search, const View &view, const int64_t *staged, int64_t tick)
{
  RcBracket b;

  if (!CURVES && search.interpolation != RC_NEAREST && search.interpolation != RC_PREVIOUS)
    search.interpolation = RC_LINEAR;   /* which it is: now the compiler knows */
  if (!CURVES && search.max_gap_ns == RC_GAP_AUTO)
    __builtin_unreachable ();
  if (!HOLDS)
    search.has_holds = 0;
  if constexpr (FILTERS) {
    if (search.interpolation == RC_LOWPASS)     /* all times are in view */
      return rc_bracket_at (&search, view.times, view.n, rc_lower_bound (view.times, view.n, tick), tick);
  }
  if (view.times == staged)
    b = rc_bracket_unfiltered (&search, staged, view.n,
        staged_lower_bound (staged, (int32_t) view.n, rc_search_time (&search, tick)), tick);
  else
    b = rc_bracket_unfiltered (&search, view.times, view.n,
        rc_lower_bound (view.times, view.n, rc_search_time (&search, tick)), tick);

  b.row += view.first;
  b.next += view.first;
  b.before += view.first;
  b.after += view.first;
  b.hold += view.first;
  return b;
}

__device__ __forceinline__ bool
is_row (int64_t row, int64_t n)
{
  return row >= 0 && row < n;
}

/* A bracket of the caller that points outside the rows, or a lowpass without times, makes the tick missing. The CPU backend returns an
 * error instead, which a device cannot. */
__device__ __forceinline__ RcBracket
checked_bracket (const RcBracket &b, const int64_t *times, int64_t n)
{
  bool valid = (uint32_t) b.blend <= RC_BLEND_LOWPASS && (uint32_t) b.status <= RC_MISSING
      && (b.blend >= RC_BLEND_MEAN || (b.blend == RC_BLEND_NONE) == (b.status == RC_MISSING));

  if (b.blend != RC_BLEND_NONE)
    valid = valid && is_row (b.row, n) && is_row (b.hold, n);
  if (b.blend >= RC_BLEND_MEAN)
    valid = valid && b.next > b.row && b.next <= n && (b.blend == RC_BLEND_MEAN || times != NULL);
  else if (b.blend > RC_BLEND_COPY)
    valid = valid && is_row (b.next, n);
  if (b.blend == RC_BLEND_CUBIC)
    valid = valid && is_row (b.before, n) && is_row (b.after, n);
  return valid ? b : rc_bracket_none ();
}
}

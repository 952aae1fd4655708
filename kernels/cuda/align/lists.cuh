/* robocache: alignment on the GPU: finds the lists of an episode
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "task.h"

namespace rc
{
/* The last stream whose first number is at most index; a stream without slices has the same first number as the next stream. */
template <typename Number>
__device__ __forceinline__ int64_t
stream_of (int64_t n, int64_t index, Number number)
{
  int64_t first = 0;

  while (n > 1) {
    const int64_t half = n / 2;

    if (number (first + half) <= index) {
      first += half;
      n -= half;
    } else {
      n = half;
    }
  }
  return first;
}

__device__ __forceinline__ int64_t
rows_of (const RcCudaAlignTask &task, int64_t episode)
{
  return task.row_counts != NULL ? task.row_counts[episode] : task.n_rows;
}

__device__ __forceinline__ const int64_t *
list_of (const int64_t *lists, int64_t stride, int64_t episode)
{
  return reinterpret_cast<const int64_t *> (reinterpret_cast<const char *> (lists) + episode * stride);
}
}

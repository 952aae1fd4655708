/* robocache: the least numbers of a list, in order, by the lanes of a warp
 *
 * A list has `lanes` lanes, a power of two. Each lane holds one of the least numbers so far, and a warp reads several lists
 * at once. A list has at most 2^32 - 129 numbers.
 *
 *   lanes = 8: four lists per warp
 *   list      9  4  7  1  8  3  2  6  0  5         n = 10
 *   sort      1  2  3  4  6  7  8  9               of the first 8 numbers
 *   next      0  5  -  -  -  -  -  -               0 is below the greatest, 9
 *   merged    0  1  2  3  4  5  6  7               least_of returns the number of the lane
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "rows.cuh"

namespace rc
{
constexpr int LEAST_AT_ONCE = 4;        /* loads of a lane under way */

/* Merges two halves of `lanes` lanes, one ascending and the other descending, into one order: a bitonic merge. All lanes
 * call it.
 *
 *   own                           1  4  7  9  8  6  3  2
 *   merge_lanes (own, 8, true)    1  2  3  4  6  7  8  9
 */
__device__ __forceinline__ uint32_t
merge_lanes (uint32_t own, int lanes, bool ascends)
{
  for (int apart = lanes / 2; apart > 0; apart /= 2) {
    const uint32_t other = __shfl_xor_sync (ALL_LANES, own, apart);
    const bool is_lower = (threadIdx.x & apart) == 0;

    own = (is_lower == ascends) == (other < own) ? other : own;
  }
  return own;
}

/* Puts the numbers of `lanes` lanes in ascending order. Only the first n are less than UINT32_MAX, which saves the last
 * steps of short lists. Each step merges sorted runs in pairs, one ascending and the next descending (K. E. Batcher:
 * Sorting networks and their applications, 1968).
 *
 *   own          9  4  7  1
 *   runs of 2    4  9  7  1
 *   runs of 4    1  4  7  9
 */
__device__ __forceinline__ uint32_t
sort_lanes (uint32_t own, uint32_t n, int lanes)
{
  for (int sorted = 2; sorted <= lanes && (uint32_t) sorted / 2 < n; sorted *= 2)
    own = merge_lanes (own, sorted, (threadIdx.x & sorted & (lanes - 1)) == 0);
  return own;
}

/* The greatest n of the lists of a warp. All lanes of a list have the same n. */
__device__ __forceinline__ uint32_t
greatest_of_warp (uint32_t n, int lanes)
{
  for (int apart = lanes; apart < 32; apart *= 2) {
    const uint32_t other = __shfl_xor_sync (ALL_LANES, n, apart);

    n = other > n ? other : n;
  }
  return n;
}

/* Returns to each lane one of the least of the n numbers of its list, in order; UINT32_MAX to lanes beyond n. All lanes of
 * a warp call it.
 *
 *   const uint32_t least = least_of (points.order, points.listed, lanes);
 */
__device__ __forceinline__ uint32_t
least_of (const uint32_t *numbers, uint32_t n, int lanes)
{
  const uint32_t lane = threadIdx.x & (lanes - 1), most = greatest_of_warp (n, lanes);
  uint32_t least = sort_lanes (lane < n ? numbers[lane] : UINT32_MAX, most, lanes);
  uint32_t greatest = __shfl_sync (ALL_LANES, least, lanes - 1, lanes);

  for (uint32_t first = lanes; first < most; first += LEAST_AT_ONCE * lanes) {
    uint32_t next[LEAST_AT_ONCE];

#pragma unroll
    for (int u = 0; u < LEAST_AT_ONCE; u++)
      next[u] = first + u * lanes + lane < n ? numbers[first + u * lanes + lane] : UINT32_MAX;
#pragma unroll
    for (int u = 0; u < LEAST_AT_ONCE; u++) {
      if (__any_sync (ALL_LANES, next[u] < greatest)) {
        const uint32_t other = __shfl_sync (ALL_LANES, sort_lanes (next[u], (uint32_t) lanes, lanes), lanes - 1 - (int) lane, lanes);

        least = merge_lanes (other < least ? other : least, lanes, true);
        greatest = __shfl_sync (ALL_LANES, least, lanes - 1, lanes);
      }
    }
  }
  return least;
}

/* The number of the point at a place of a voxel: read from memory if keys are sorted, else taken from the lane that has it.
 * All lanes of a warp call it. */
__device__ __forceinline__ int64_t
point_at (const First &first, const Points &points, uint32_t least, uint32_t place, int lanes)
{
  const uint32_t listed = __shfl_sync (ALL_LANES, least, (int) place, lanes);

  return points.first + (first.lists != NULL ? listed : place < points.kept ? points.order[place] : 0);
}
}

/* robocache: an exclusive sum over counters in shared memory, by one warp
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cub/warp/warp_scan.cuh>
#include <stdint.h>

namespace rc
{
using Scan = cub::WarpScan<uint32_t>;

/* Sets starts[i] to the sum of counts[0] … counts[i - 1]. n is a multiple of 32. The first warp of a block calls it; each
 * lane scans n / 32 counters, and a warp scan adds the sums of the lanes before.
 *
 *   __shared__ uint32_t counts[256], starts[256];
 *   __shared__ typename Scan::TempStorage scan;
 *
 *   if (threadIdx.x < 32)
 *     find_starts (counts, starts, scan);
 *   __syncthreads ();
 *
 *   counts   3  1  0  4  …
 *   starts   0  3  4  4  8 …
 */
template <int n>
__device__ __forceinline__ void
find_starts (const uint32_t (&counts)[n], uint32_t (&starts)[n], Scan::TempStorage &scan)
{
  constexpr int OF_LANE = n / 32;
  uint32_t before[OF_LANE + 1] = { 0 }, first;

#pragma unroll
  for (int i = 0; i < OF_LANE; i++)
    before[i + 1] = before[i] + counts[threadIdx.x * OF_LANE + i];
  Scan (scan).ExclusiveSum (before[OF_LANE], first);
#pragma unroll
  for (int i = 0; i < OF_LANE; i++)
    starts[threadIdx.x * OF_LANE + i] = first + before[i];
}
}

/* robocache: where each of many counters begins in what they count together
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_STARTS_CUH
#define RC_CUDA_VOXEL_STARTS_CUH

#include <cub/warp/warp_scan.cuh>
#include <stdint.h>

namespace rc
{
using Scan = cub::WarpScan<uint32_t>;

/* starts[i] is the sum of counts[0] … counts[i - 1], n being a multiple of 32. A warp calls it, the first of its block. */
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

#endif

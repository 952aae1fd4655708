/* robocache: chains of 4x4 matrices on tensor cores
 *
 * Four arms are one product of 16x8 and 8x8. Arm i has four rows of the left from 4 i on and four columns from 4 (i % 2) on, all
 * else of which is 0; of the right four rows from 4 (i % 2) and columns from 4 (i / 2) on; of the result rows and columns
 * accordingly. So of 1024 products 256 are some arm's. Between two joints the result becomes the left of the next product,
 * which is laid out differently over the lanes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_CHAINS_CUH
#define BENCH_CHAINS_CUH

#include <cuda_runtime_api.h>

#include "chains.h"

namespace ablation
{
__constant__ const ChainsLink links[CHAINS_JOINTS] = CHAINS_LINKS;

/* The upper three rows. */
struct Matrix
{
  float of[3][4];
};

__device__ __forceinline__ Matrix
joint_matrix (int joint, float angle)
{
  const ChainsLink link = links[joint];
  float s, c;

  sincospif (angle * 0.318309886f, &s, &c);   /* in half turns: no large angle needs a slow path */
  return { {{c, -s * link.cos_alpha, s * link.sin_alpha, link.a * c},
      {s, c * link.cos_alpha, -c * link.sin_alpha, link.a * s},
      {0, link.sin_alpha, link.cos_alpha, link.d}} };
}

__device__ __forceinline__ uint32_t
tf32_of (float x)
{
  uint32_t bits;

  asm ("cvt.rna.tf32.f32 %0, %1;":"=r" (bits):"f" (x));
  return bits;
}

/* Rows g % 4, column t of the matrices of four arms, where g is lane / 4 and t is lane % 4: of arm 0 or, from lane 16 on, 1;
 * and of arm 2 or 3. */
struct Four
{
  float low, high;
};

__device__ __forceinline__ Four
identity ()
{
  const float one = threadIdx.x / 4 % 4 == threadIdx.x % 4;

  return { one, one };
}

/* The left of a product. */
__device__ __forceinline__ void
left_of (const Four &four, uint32_t left[4])
{
  const bool is_first = threadIdx.x % 32 < 16;

  left[0] = is_first ? tf32_of (four.low) : 0;
  left[1] = is_first ? tf32_of (four.high) : 0;
  left[2] = is_first ? 0 : tf32_of (four.low);
  left[3] = is_first ? 0 : tf32_of (four.high);
}

/* From the 8 columns of a result: lanes have two columns of rows g and g + 8 each. */
__device__ __forceinline__ Four
four_of (const float result[4])
{
  const int lane = threadIdx.x % 32, from = lane / 4 * 4 + lane % 4 / 2;
  const float low0 = __shfl_sync (~0u, result[0], from), low1 = __shfl_sync (~0u, result[1], from);
  const float high0 = __shfl_sync (~0u, result[2], from + 2), high1 = __shfl_sync (~0u, result[3], from + 2);

  return { lane % 2 ? low1 : low0, lane % 2 ? high1 : high0 };
}

/* poses: of the four arms. */
__device__ __forceinline__ void
write_poses (const Four &four, float *poses)
{
  const int lane = threadIdx.x % 32, row = lane / 4 % 4, at = (lane / 16) * CHAINS_POSE + row * 4 + lane % 4;

  if (row < 3) {
    poses[at] = four.low;
    poses[at + 2 * CHAINS_POSE] = four.high;
  }
}
}

#endif

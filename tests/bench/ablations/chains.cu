/* robocache: the pose at the end of an arm, by fused multiply-add and by mma.sync
 *
 * Bytes that must move: 28 of angles and 48 of a pose, an arm.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "chains.cuh"

using namespace ablation;

namespace
{
constexpr int GROUPS = 32 / 4;  /* of four arms, a warp */

__device__ __forceinline__ Matrix
multiply (const Matrix &a, const Matrix &b)
{
  Matrix product;

#pragma unroll
  for (int i = 0; i < 3; i++) {
#pragma unroll
    for (int k = 0; k < 4; k++)
      product.of[i][k] = fmaf (a.of[i][0], b.of[0][k], fmaf (a.of[i][1], b.of[1][k],
              fmaf (a.of[i][2], b.of[2][k], k == 3 ? a.of[i][3] : 0)));
  }
  return product;
}

__global__ void __launch_bounds__ (CHAINS_THREADS)
chain_plain (const __grid_constant__ ChainsArgs args)
{
  const int64_t arm = (int64_t) blockIdx.x * CHAINS_THREADS + threadIdx.x;
  float4 *pose = reinterpret_cast<float4 *> (args.poses + arm * CHAINS_POSE);
  Matrix product = joint_matrix (0, args.angles[arm * CHAINS_JOINTS]);

#pragma unroll
  for (int joint = 1; joint < CHAINS_JOINTS; joint++)
    product = multiply (product, joint_matrix (joint, args.angles[arm * CHAINS_JOINTS + joint]));
#pragma unroll
  for (int i = 0; i < 3; i++)
    pose[i] = make_float4 (product.of[i][0], product.of[i][1], product.of[i][2], product.of[i][3]);
}

/* ---- tensor cores ---- */

__device__ __forceinline__ void
multiply_four (const uint32_t left[4], const uint32_t right[2], float result[4])
{
  asm ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %10, %10, %10};":"=f" (result[0]), "=f" (result[1]), "=f" (result[2]), "=f" (result[3])
      :"r" (left[0]), "r" (left[1]), "r" (left[2]), "r" (left[3]), "r" (right[0]), "r" (right[1]), "f" (0.0f));
}

/* Matrices of a warp's arms, a column after the other; 17 words each, so that lanes are in different banks. */
typedef float Columns[32][17];

__device__ __forceinline__ void
put_columns (const Matrix &matrix, Columns &columns)
{
  float *of = columns[threadIdx.x % 32];

  __syncwarp ();
#pragma unroll
  for (int k = 0; k < 4; k++) {
#pragma unroll
    for (int i = 0; i < 3; i++)
      of[4 * k + i] = matrix.of[i][k];
    of[4 * k + 3] = k == 3;
  }
  __syncwarp ();
}

__global__ void __launch_bounds__ (CHAINS_THREADS)
chain_mma (const __grid_constant__ ChainsArgs args)
{
  __shared__ Columns of_warps[CHAINS_THREADS / 32];
  Columns &columns = of_warps[threadIdx.x / 32];
  const int lane = threadIdx.x % 32, element = lane / 4 % 4 * 4 + lane % 4, pair = lane / 16 * 2;
  const int64_t first = (int64_t) blockIdx.x * CHAINS_THREADS + threadIdx.x / 32 * 32;
  Four fours[GROUPS];

#pragma unroll
  for (int i = 0; i < GROUPS; i++)
    fours[i] = identity ();
#pragma unroll 1
  for (int joint = 0; joint < CHAINS_JOINTS; joint++) {
    put_columns (joint_matrix (joint, args.angles[(first + lane) * CHAINS_JOINTS + joint]), columns);
#pragma unroll
    for (int i = 0; i < GROUPS; i++) {
      const uint32_t right[2] = { tf32_of (columns[4 * i + pair][element]), tf32_of (columns[4 * i + pair + 1][element]) };
      uint32_t left[4];
      float result[4];

      left_of (fours[i], left);
      multiply_four (left, right, result);
      fours[i] = four_of (result);
    }
  }
#pragma unroll
  for (int i = 0; i < GROUPS; i++)
    write_poses (fours[i], args.poses + (first + 4 * i) * CHAINS_POSE);
}
}

const void *const chains_plain = reinterpret_cast<const void *> (chain_plain);
const void *const chains_mma = reinterpret_cast<const void *> (chain_mma);

/* robocache: the pose at the end of an arm, by wgmma (compute capability 9.0a)
 *
 * As with mma.sync, but the right is 8x32, in shared memory, and shared by the four warps: of 16384 products, 1024 are some
 * arm's. PTX ISA, "wgmma.mma_async" with A in registers, and "matrix descriptor" without a swizzle: 8 columns of 4 rows are
 * 128 bytes; the other 4 rows follow, then the next 8 columns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bulk.cuh"
#include "chains.cuh"

using namespace ablation;

namespace
{
constexpr int GROUPS = 8;       /* products of a block, 16 arms each */
constexpr int AT_ONCE = 4;      /* of them under way */
constexpr int RIGHT = 8 * 32;   /* floats */

__device__ __forceinline__ uint64_t
descriptor_of (const float *right)
{
  const uint64_t four_rows = 128 / 16, eight_columns = 256 / 16;

  return (shared_address (right) & 0x3FFFF) / 16 | four_rows << 16 | eight_columns << 32;
}

/* The columns of this thread's arm, where its warp and its place among four arms put them. */
__device__ __forceinline__ void
put_right (const Matrix &matrix, float (*rights)[RIGHT])
{
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, arm = lane % 4;
  float4 *to = reinterpret_cast<float4 *> (rights[lane / 4]) + (warp * 2 + arm % 2) * 8 + arm / 2 * 4;

#pragma unroll
  for (int k = 0; k < 4; k++) {
    const uint4 column = { tf32_of (matrix.of[0][k]), tf32_of (matrix.of[1][k]), tf32_of (matrix.of[2][k]),
      __float_as_uint (k == 3) };

    to[k] = make_float4 (__uint_as_float (column.x), __uint_as_float (column.y), __uint_as_float (column.z), k == 3);
  }
}

__device__ __forceinline__ void
multiply_sixteen (const uint32_t left[4], uint64_t right, float result[16])
{
  asm volatile ("{\n"
      ".reg .pred adds;\n"
      "setp.ne.u32 adds, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19}, %20, adds, 1, 1;\n"
      "}"
      :"=f" (result[0]), "=f" (result[1]), "=f" (result[2]), "=f" (result[3]), "=f" (result[4]), "=f" (result[5]),
      "=f" (result[6]), "=f" (result[7]), "=f" (result[8]), "=f" (result[9]), "=f" (result[10]), "=f" (result[11]),
      "=f" (result[12]), "=f" (result[13]), "=f" (result[14]), "=f" (result[15])
      :"r" (left[0]), "r" (left[1]), "r" (left[2]), "r" (left[3]), "l" (right));
}

/* The eight columns of this warp's arms. */
__device__ __forceinline__ Four
my_four (const float result[16])
{
  const int warp = threadIdx.x / 32;
  float mine[4];

#pragma unroll
  for (int i = 0; i < 4; i++)
    mine[i] = warp == 0 ? result[i] : warp == 1 ? result[4 + i] : warp == 2 ? result[8 + i] : result[12 + i];
  return four_of (mine);
}

__device__ __forceinline__ void
multiply_all (const float (*rights)[RIGHT], Four fours[GROUPS])
{
#pragma unroll
  for (int first = 0; first < GROUPS; first += AT_ONCE) {
    uint32_t lefts[AT_ONCE][4];
    float results[AT_ONCE][16];

#pragma unroll
    for (int i = 0; i < AT_ONCE; i++)
      left_of (fours[first + i], lefts[i]);
    asm volatile ("wgmma.fence.sync.aligned;":::"memory");
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++)
      multiply_sixteen (lefts[i], descriptor_of (rights[first + i]), results[i]);
    asm volatile ("wgmma.commit_group.sync.aligned;":::"memory");
    asm volatile ("wgmma.wait_group.sync.aligned 0;":::"memory");
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++)
      fours[first + i] = my_four (results[i]);
  }
}

__global__ void __launch_bounds__ (CHAINS_THREADS)
chain_wgmma (const __grid_constant__ ChainsArgs args)
{
  __shared__ __align__ (128) float rights[2][GROUPS][RIGHT];
  const int64_t arm = (int64_t) blockIdx.x * CHAINS_THREADS + threadIdx.x, first = arm / 32 * 32;
  Four fours[GROUPS];

#pragma unroll
  for (int i = 0; i < GROUPS; i++)
    fours[i] = identity ();
#pragma unroll 1
  for (int joint = 0; joint < CHAINS_JOINTS; joint++) {
    put_right (joint_matrix (joint, args.angles[arm * CHAINS_JOINTS + joint]), rights[joint % 2]);
    order_bulk_copies ();
    __syncthreads ();
    multiply_all (rights[joint % 2], fours);
  }
#pragma unroll
  for (int i = 0; i < GROUPS; i++)
    write_poses (fours[i], args.poses + (first + 4 * i) * CHAINS_POSE);
}
}

const void *const chains_wgmma = reinterpret_cast<const void *> (chain_wgmma);

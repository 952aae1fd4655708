/* robocache: kinematics on the GPU: the arguments of its kernels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/kinematics/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RC_CUDA_KINEMATICS_THREADS 128  /* threads per block */
#define RC_CUDA_ARM_THREADS 64          /* threads per block for forward kinematics of an arm */
#define RC_CUDA_KINEMATICS_WARP 32      /* threads per block for a small batch: one warp */

/* Sizes of the arrays in a thread's local memory. */
#define RC_CUDA_KINEMATICS_MAX_STEPS 64
#define RC_CUDA_KINEMATICS_MAX_VARIABLES 64

/* Arms have their own kernels, whose arrays are short. */
#define RC_CUDA_ARM_STEPS 8
#define RC_CUDA_ARM_VARIABLES 8
#define RC_CUDA_ARM_FRAMES 1

/* One thread per row, from row first on. Lists of the chain are in device memory. */
typedef struct RcCudaForward
{
  RcChain chain;
  RcForwardArgs args;
  int64_t first;
  int32_t staged;               /* for an arm: doubles per thread in shared memory */
} RcCudaForward;

typedef struct RcCudaInverse
{
  RcChain chain;
  RcInverseArgs args;
  int64_t first;
} RcCudaInverse;

/* The kernels for any model, and for an arm. The arm kernel of forward kinematics needs consecutive joints with one variable each. */
extern const void *const rc_cuda_kinematics_forward[2];
extern const void *const rc_cuda_kinematics_inverse[2];

#ifdef __cplusplus
}
#endif

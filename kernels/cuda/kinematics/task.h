/* robocache: kinematics on the GPU: what its kernels take
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_KINEMATICS_TASK_H
#define RC_CUDA_KINEMATICS_TASK_H

#include "kernels/kinematics/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RC_CUDA_KINEMATICS_THREADS 128  /* of a block */
#define RC_CUDA_ARM_THREADS 64          /* of one of forward kinematics of an arm */
#define RC_CUDA_KINEMATICS_WARP 32      /* of one of a small batch, which is a warp */

/* Arms have their own kernels, whose arrays are short. */
#define RC_CUDA_ARM_STEPS 8
#define RC_CUDA_ARM_VARIABLES 8
#define RC_CUDA_ARM_FRAMES 1

/* A thread for each row from first on. Lists of the chain are in device memory. */
typedef struct RcCudaForward
{
  RcChain chain;
  RcForwardArgs args;
  int64_t first;
  int32_t staged;               /* of an arm: doubles of a thread in shared memory */
} RcCudaForward;

typedef struct RcCudaInverse
{
  RcChain chain;
  RcInverseArgs args;
  int64_t first;
} RcCudaInverse;

/* The kernels for any model, and for an arm. Forward kinematics of an arm needs joints that follow one another, and a variable for each. */
extern const void *const rc_cuda_kinematics_forward[2];
extern const void *const rc_cuda_kinematics_inverse[2];

#ifdef __cplusplus
}
#endif
#endif

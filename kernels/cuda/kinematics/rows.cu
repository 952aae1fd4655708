/* robocache: kinematics on the GPU: a thread for each row
 *
 * A row's arrays are in local memory, since loops over a model's joints index them. Forward kinematics of an arm is as fast as its
 * longest chain of operations: its joints come with the launch, and loops over them are unrolled, so that they overlap.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "kernels/cuda/runtime/language.cuh"
#include "task.h"

namespace
{
__global__ void
forward_rows (GRID_CONSTANT RcCudaForward task)
{
  const int64_t row = task.first + (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
  RcTransform moved[RC_KINEMATICS_MAX_STEPS];
  double jacobian[6 * RC_KINEMATICS_MAX_VARIABLES], packed[6 * RC_KINEMATICS_MAX_VARIABLES];

  rc::follow_previous ();
  if (row < task.args.batch)
    rc_forward_row (&task.chain, &task.args, row, moved, jacobian, packed);
}

/* As rc_chain_move, for 1 to RC_CUDA_ARM_STEPS steps. */
__device__ void
move_arm (const RcChainStep *steps, int n_steps, const RcTransform *base, const double *variables, RcTransform *moved)
{
  double position[RC_CUDA_ARM_STEPS], sine[RC_CUDA_ARM_STEPS], cosine[RC_CUDA_ARM_STEPS];
  RcTransform last;

#pragma unroll
  for (int i = 0; i < RC_CUDA_ARM_STEPS; i++)
    position[i] = rc_chain_position (&steps[i < n_steps ? i : 0], variables);
#pragma unroll
  for (int i = 0; i < RC_CUDA_ARM_STEPS; i++)
    rc_sine_cosine (position[i], &sine[i], &cosine[i]);
#pragma unroll
  for (int i = 0; i < RC_CUDA_ARM_STEPS; i++) {
    if (i < n_steps) {
      const RcChainStep *step = &steps[i];

      if (step->before < 0) {
        rc_chain_step (step, base, position[i], sine[i], cosine[i], &moved[i]);
      } else {
        if (step->before != i - 1)
          last = moved[step->before];
        rc_chain_step (step, &last, position[i], sine[i], cosine[i], &moved[i]);
      }
      last = moved[i];
    }
  }
}

__global__ void
forward_arm (GRID_CONSTANT RcCudaForwardArm task)
{
  const int64_t row = task.first + (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
  RcTransform moved[RC_CUDA_ARM_STEPS], own;
  double jacobian[6 * RC_CUDA_ARM_VARIABLES], packed[6 * RC_CUDA_ARM_VARIABLES];
  RcChain chain = task.chain;
  int is_valid;

  rc::follow_previous ();
  if (row >= task.args.batch)
    return;
  chain.frames = &task.frame;
  const RcTransform *base = rc_forward_base (&task.args, row, &own, &is_valid);
  move_arm (task.steps, chain.n_steps, base, rc_row_in (&task.args.positions, row), moved);
  rc_forward_frame (&chain, &task.args, row, 0, base, is_valid, moved, jacobian, packed);
}

template <int STEPS, int VARIABLES, int FRAMES>
__global__ void
inverse_rows (GRID_CONSTANT RcCudaInverse task)
{
  constexpr int M = 6 * FRAMES;
  const int64_t row = task.first + (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
  RcTransform moved[STEPS], targets[FRAMES];
  double jacobian[M * VARIABLES], normal[M * M], error[M], solution[M], trial_error[M];
  double position[VARIABLES], trial[VARIABLES], slope[VARIABLES], start[VARIABLES], closest[VARIABLES];
  const RcInverseMemory memory = { moved, targets, jacobian, normal, error, solution, trial_error, position, trial, slope, start,
    closest
  };

  rc::follow_previous ();
  if (row < task.args.batch)
    rc_inverse_row (&task.chain, &task.args, row, &memory);
}
}

const void *const rc_cuda_kinematics_forward[2] = {
  KERNEL (forward_rows),
  KERNEL (forward_arm)
};

const void *const rc_cuda_kinematics_inverse[2] = {
  KERNEL (inverse_rows<RC_KINEMATICS_MAX_STEPS, RC_KINEMATICS_MAX_VARIABLES, RC_KINEMATICS_MAX_TARGETS>),
  KERNEL (inverse_rows<RC_CUDA_ARM_STEPS, RC_CUDA_ARM_VARIABLES, RC_CUDA_ARM_FRAMES>)
};

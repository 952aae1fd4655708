/* robocache: kinematics on the GPU: a thread for each row
 *
 * A row's arrays are in local memory, since loops over a model's joints index them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "kernels/cuda/runtime/language.cuh"
#include "task.h"

namespace
{
template <int STEPS, int VARIABLES>
__global__ void
forward_rows (GRID_CONSTANT RcCudaForward task)
{
  const int64_t row = task.first + (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
  RcTransform moved[STEPS];
  double jacobian[6 * VARIABLES], packed[6 * VARIABLES];

  if (row < task.args.batch)
    rc_forward_row (&task.chain, &task.args, row, moved, jacobian, packed);
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

  if (row < task.args.batch)
    rc_inverse_row (&task.chain, &task.args, row, &memory);
}
}

const void *const rc_cuda_kinematics_forward[2] = {
  KERNEL (forward_rows<RC_KINEMATICS_MAX_STEPS, RC_KINEMATICS_MAX_VARIABLES>),
  KERNEL (forward_rows<RC_CUDA_ARM_STEPS, RC_CUDA_ARM_VARIABLES>)
};

const void *const rc_cuda_kinematics_inverse[2] = {
  KERNEL (inverse_rows<RC_KINEMATICS_MAX_STEPS, RC_KINEMATICS_MAX_VARIABLES, RC_KINEMATICS_MAX_TARGETS>),
  KERNEL (inverse_rows<RC_CUDA_ARM_STEPS, RC_CUDA_ARM_VARIABLES, RC_CUDA_ARM_FRAMES>)
};

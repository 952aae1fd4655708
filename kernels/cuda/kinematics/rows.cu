/* robocache: kinematics on the GPU: a thread for each row
 *
 * A row's arrays are in local memory, since loops over a model's joints index them. Forward kinematics of an arm, whose joints follow one
 * another, has them in registers: loops over joints are unrolled. Its joints are in shared memory before the kernel before has ended, and the
 * rows of a warp leave through shared memory, so that neighbours in memory are written together.
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
  RcTransform moved[RC_CUDA_KINEMATICS_MAX_STEPS];
  double jacobian[6 * RC_CUDA_KINEMATICS_MAX_VARIABLES], packed[6 * RC_CUDA_KINEMATICS_MAX_VARIABLES];

  rc::follow_previous ();
  if (row < task.args.batch)
    rc_forward_row (&task.chain, &task.args, row, moved, jacobian, packed);
}

DYNAMIC_SHARED (double, dynamic_shared);
static_assert (RC_CUDA_ARM_THREADS % RC_CUDA_KINEMATICS_WARP == 0, "warps");

struct Arm
{
  RcChainStep steps[RC_CUDA_ARM_STEPS];
  RcChainFrame frame;
};

/* By the threads of a block. T has nothing but words of 8 bytes. */
template <typename T>
__device__ __forceinline__ void
copy_words (T *to, const T *from, int n)
{
  static_assert (sizeof (T) % sizeof (uint64_t) == 0, "words");
  for (int i = threadIdx.x; i < n * (int) (sizeof (T) / sizeof (uint64_t)); i += blockDim.x)
    reinterpret_cast<uint64_t *> (to)[i] = reinterpret_cast<const uint64_t *> (from)[i];
}

/* As rc_chain_move, of an arm. */
__device__ __forceinline__ void
move_arm (const RcChainStep *steps, int n_steps, const RcTransform &base, bool has_base, const double *variables, RcTransform *moved)
{
  double position[RC_CUDA_ARM_STEPS], sine[RC_CUDA_ARM_STEPS], cosine[RC_CUDA_ARM_STEPS];

#pragma unroll
  for (int i = 0; i < RC_CUDA_ARM_STEPS; i++)
    position[i] = rc_chain_position (&steps[i < n_steps ? i : 0], variables);
#pragma unroll
  for (int i = 0; i < RC_CUDA_ARM_STEPS; i++)
    rc_sine_cosine (position[i], &sine[i], &cosine[i]);
  rc_chain_step (&steps[0], has_base ? &base : NULL, position[0], sine[0], cosine[0], &moved[0]);
#pragma unroll
  for (int i = 1; i < RC_CUDA_ARM_STEPS; i++) {
    if (i < n_steps)
      rc_chain_step (&steps[i], &moved[i - 1], position[i], sine[i], cosine[i], &moved[i]);
    else
      moved[i] = moved[i - 1];
  }
}

/* As rc_chain_velocity. */
__device__ __forceinline__ void
arm_velocity (const RcChainStep *steps, int n_steps, const RcTransform *moved, const RcTransform &at, const double *velocities, double *twist)
{
  for (int k = 0; k < 6; k++)
    twist[k] = 0.0;
#pragma unroll
  for (int i = 0; i < RC_CUDA_ARM_STEPS; i++) {
    if (i < n_steps) {
      const double velocity = steps[i].multiplier * rc_bounded (velocities[steps[i].variable], RC_KINEMATICS_MAX_VELOCITY);
      double one[6];

      rc_chain_twist (&steps[i], &moved[i], at.p, one);
      for (int k = 0; k < 6; k++)
        twist[k] = twist[k] + velocity * one[k];
    }
  }
}

/* As rc_chain_jacobian: no variable moves two joints. */
__device__ __forceinline__ void
arm_jacobian (const RcChainStep *steps, int n_steps, int n, const RcTransform *moved, const RcTransform &at, double *jacobian)
{
  for (int i = 0; i < 6 * n; i++)
    jacobian[i] = 0.0;
#pragma unroll
  for (int i = 0; i < RC_CUDA_ARM_STEPS; i++) {
    if (i < n_steps) {
      double twist[6];

      rc_chain_twist (&steps[i], &moved[i], at.p, twist);
      for (int k = 0; k < 6; k++)
        jacobian[k * n + steps[i].variable] = 0.0 + steps[i].multiplier * twist[k];
    }
  }
}

/* Writes the n numbers in staged of each row of a warp. Neighbouring threads write neighbouring numbers. */
__device__ __forceinline__ void
write_rows (const RcCudaForward &task, const RcKinematicsOut &out, int n, double *staged, bool is_missing)
{
  const unsigned missing = __ballot_sync (0xFFFFFFFF, is_missing);
  const int lane = threadIdx.x % RC_CUDA_KINEMATICS_WARP;
  const int64_t first = task.first + (int64_t) blockIdx.x * blockDim.x + threadIdx.x - lane, left = task.args.batch - first;
  const int rows = left < RC_CUDA_KINEMATICS_WARP ? (int) left : RC_CUDA_KINEMATICS_WARP;

  __syncwarp ();
  for (int i = lane; i < rows * n; i += RC_CUDA_KINEMATICS_WARP) {
    const int row = i / n;

    rc_store (rc_row_out (&out, first + row) + (i - row * n), &staged[i], 1, missing >> row & 1);
  }
  __syncwarp ();
}

/* As rc_forward_row. Threads beyond the last row compute that row, too. */
__global__ void
forward_arm (GRID_CONSTANT RcCudaForward task)
{
  const int64_t own = task.first + (int64_t) blockIdx.x * blockDim.x + threadIdx.x, last = task.args.batch - 1;
  const int64_t row = own < last ? own : last;
  const int n = task.chain.n_variables, lane = threadIdx.x % RC_CUDA_KINEMATICS_WARP;
  double *warp = dynamic_shared + (threadIdx.x - lane) * task.staged, packed[6 * RC_CUDA_ARM_VARIABLES];
  __shared__ Arm arm;
  RcTransform base, moved[RC_CUDA_ARM_STEPS], at;
  int is_valid;

  rc::allow_next ();
  copy_words (arm.steps, task.chain.steps, task.chain.n_steps);
  copy_words (&arm.frame, task.chain.frames, 1);
  __syncthreads ();
  rc::wait_for_previous ();
  const bool has_base = rc_forward_base (&task.args, row, &base, &is_valid) != NULL;
  move_arm (arm.steps, task.chain.n_steps, base, has_base, rc_row_in (&task.args.positions, row), moved);
  rc_transform_compose (&moved[RC_CUDA_ARM_STEPS - 1], &arm.frame.in_step, &at);
  const bool is_missing = !is_valid || !((at.p[0] - at.p[0]) + (at.p[1] - at.p[1]) + (at.p[2] - at.p[2]) == 0.0);

  if (task.args.poses.numbers != NULL) {
    rc_pose_from_transform (&at, warp + 7 * lane);
    write_rows (task, task.args.poses, 7, warp, is_missing);
  }
  if (task.args.twists.numbers != NULL) {
    arm_velocity (arm.steps, task.chain.n_steps, moved, at, rc_row_in (&task.args.velocities, row), warp + 6 * lane);
    write_rows (task, task.args.twists, 6, warp, is_missing);
  }
  if (task.args.jacobians.numbers != NULL || task.args.manipulabilities.numbers != NULL)
    arm_jacobian (arm.steps, task.chain.n_steps, n, moved, at, warp + 6 * n * lane);
  if (task.args.manipulabilities.numbers != NULL && own == row) {
    const double manipulability = rc_manipulability (warp + 6 * n * lane, n, task.chain.columns + arm.frame.columns,
        arm.frame.n_columns, packed);

    rc_store (rc_row_out (&task.args.manipulabilities, row), &manipulability, 1, is_missing);
  }
  if (task.args.jacobians.numbers != NULL)
    write_rows (task, task.args.jacobians, 6 * n, warp, is_missing);
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
  KERNEL (inverse_rows<RC_CUDA_KINEMATICS_MAX_STEPS, RC_CUDA_KINEMATICS_MAX_VARIABLES, RC_KINEMATICS_MAX_TARGETS>),
  KERNEL (inverse_rows<RC_CUDA_ARM_STEPS, RC_CUDA_ARM_VARIABLES, RC_CUDA_ARM_FRAMES>)
};

/* robocache: kinematics on the GPU: plans and launches
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/runtime/device.h"
#include "task.h"

#define MAX_BLOCKS INT32_MAX

/* The device's part of a plan. */
typedef struct
{
  RcKinematicsPlan *copy;       /* device: the lists of the plan */
  RcChain chain;                /* whose lists lie in the copy */
  int is_arm;                   /* see task.h */
  int begins_early;             /* see rc_cuda_begins_early; all of the kernels were compiled alike */
} State;

static int
is_arm (const RcChain *chain)
{
  return chain->n_steps >= 1 && chain->n_steps <= RC_CUDA_ARM_STEPS && chain->n_variables <= RC_CUDA_ARM_VARIABLES
      && chain->n_frames <= RC_CUDA_ARM_FRAMES;
}

static RcStatus
load (RcCudaBackend *cuda, State *state, RcError *error)
{
  const void *forward = rc_cuda_kinematics_forward[state->is_arm];
  RcStatus status = rc_cuda_enter (cuda, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_load (cuda, forward, "forward kinematics", error);
  if (status == RC_OK)
    status = rc_cuda_load (cuda, rc_cuda_kinematics_inverse[state->is_arm], "inverse kinematics", error);
  if (status == RC_OK)
    status = rc_cuda_begins_early (cuda, forward, "forward kinematics", &state->begins_early, error);
  rc_cuda_leave (cuda);
  return status;
}

static RcStatus
prepare (RcBackend *backend, RcKinematicsPlan *plan, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;
  State *state = calloc (1, sizeof (*state));
  RcStatus status;

  if (state == NULL)
    return rc_error_set (error, RC_NO_SPACE, "no memory for a plan of %zu bytes", sizeof (*state));
  plan->state = state;
  state->is_arm = is_arm (&plan->chain);
  status = load (cuda, state, error);
  if (status == RC_OK)
    status = rc_cuda_upload (cuda, plan, sizeof (*plan), (void **) &state->copy, error);
  state->chain = plan->chain;
  if (status != RC_OK)
    return status;
  state->chain.steps = state->copy->steps;
  state->chain.frames = state->copy->frames;
  state->chain.paths = state->copy->paths;
  state->chain.columns = state->copy->columns;
  state->chain.limits = state->copy->limits;
  return RC_OK;
}

static void
release (RcKinematicsPlan *plan)
{
  State *state = plan->state;

  if (state == NULL)
    return;
  rc_cuda_free ((RcCudaBackend *) plan->backend, state->copy);
  free (state);
}

/* ---- runs ---- */

/* The launches of one kernel: its argument, and the first row in it. */
typedef struct
{
  const void *kernel;
  void *task;
  int64_t *first;
  int64_t batch;
  const char *work;
} Launch;

/* A small batch is cut into single warps, so that more multiprocessors take part in it. */
static int
threads_of_block (const RcCudaBackend *cuda, int64_t batch)
{
  return batch > (int64_t) cuda->multiprocessors * RC_CUDA_KINEMATICS_THREADS ? RC_CUDA_KINEMATICS_THREADS : RC_CUDA_KINEMATICS_WARP;
}

static RcStatus
launch_blocks (RcCudaBackend *cuda, const Launch *launch, int begins_early, RcStream stream, RcError *error)
{
  const int threads = threads_of_block (cuda, launch->batch);
  const int64_t most = (int64_t) MAX_BLOCKS * threads;
  RcStatus status = RC_OK;

  for (*launch->first = 0; *launch->first < launch->batch && status == RC_OK; *launch->first += most) {
    const int64_t left = launch->batch - *launch->first, rows = left < most ? left : most;
    const unsigned blocks = (unsigned) ((rows + threads - 1) / threads);
    cudaLaunchAttribute early = rc_cuda_early ();
    const cudaLaunchConfig_t config = { {blocks, 1, 1}, {(unsigned) threads, 1, 1}, 0, (cudaStream_t) stream, &early,
      (unsigned) begins_early
    };
    void *arguments[] = { launch->task };

    status = rc_cuda_check (cuda, cudaLaunchKernelExC (&config, launch->kernel, arguments), stream, error,
        "cudaLaunchKernelExC", "%s of batch %" PRId64, launch->work, launch->batch);
  }
  return status;
}

static RcStatus
run (const RcKinematicsPlan *plan, const Launch *launch, RcStream stream, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) plan->backend;
  RcStatus status = rc_cuda_check_stream (stream, error);

  if (status == RC_OK)
    status = rc_cuda_enter (cuda, error);
  if (status != RC_OK)
    return status;
  status = launch_blocks (cuda, launch, ((const State *) plan->state)->begins_early, stream, error);
  rc_cuda_leave (cuda);
  return status;
}

static RcStatus
run_forward_arm (RcKinematicsPlan *plan, const RcForwardArgs *args, RcStream stream, RcError *error)
{
  const State *state = plan->state;
  RcCudaForwardArm task = {.chain = state->chain,.args = *args,.frame = plan->frames[0] };
  const Launch launch = { rc_cuda_kinematics_forward[1], &task, &task.first, args->batch, "forward kinematics" };

  memcpy (task.steps, plan->steps, sizeof (task.steps));
  return run (plan, &launch, stream, error);
}

static RcStatus
run_forward (RcKinematicsPlan *plan, const RcForwardArgs *args, RcStream stream, RcError *error)
{
  const State *state = plan->state;
  RcCudaForward task = { state->chain, *args, 0 };
  const Launch launch = { rc_cuda_kinematics_forward[0], &task, &task.first, args->batch, "forward kinematics" };

  return state->is_arm ? run_forward_arm (plan, args, stream, error) : run (plan, &launch, stream, error);
}

static RcStatus
run_inverse (RcKinematicsPlan *plan, const RcInverseArgs *args, RcStream stream, RcError *error)
{
  const State *state = plan->state;
  RcCudaInverse task = { state->chain, *args, 0 };
  const Launch launch = { rc_cuda_kinematics_inverse[state->is_arm], &task, &task.first, args->batch, "inverse kinematics" };

  return run (plan, &launch, stream, error);
}

const RcKinematicsOps rc_cuda_kinematics_ops = {
  .prepare = prepare,
  .forward = run_forward,
  .inverse = run_inverse,
  .release = release,
};

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
  int is_arm, is_serial;        /* see task.h: for inverse kinematics, and for forward */
  int begins_early;             /* see rc_cuda_begins_early; all of the kernels were compiled alike */
} State;

static int
is_arm (const RcChain *chain)
{
  return chain->n_steps >= 1 && chain->n_steps <= RC_CUDA_ARM_STEPS && chain->n_variables <= RC_CUDA_ARM_VARIABLES
      && chain->n_frames <= RC_CUDA_ARM_FRAMES;
}

/* Whether the joints of an arm follow one another, up to its frame, and no variable moves two. */
static int
is_serial (const RcChain *chain)
{
  unsigned used = 0;
  int i;

  for (i = 0; i < chain->n_steps; i++) {
    if (chain->steps[i].before != i - 1 || (used >> chain->steps[i].variable & 1))
      return 0;
    used |= 1u << chain->steps[i].variable;
  }
  return chain->n_frames == 1 && chain->frames[0].step == chain->n_steps - 1;
}

static RcStatus
load (RcCudaBackend *cuda, State *state, RcError *error)
{
  const void *forward = rc_cuda_kinematics_forward[state->is_serial];
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
  State *state;
  RcStatus status;

  if (plan->chain.n_variables > RC_CUDA_KINEMATICS_MAX_VARIABLES)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_length (RC_SETTING_VARIABLES, plan->chain.n_variables),
        "at most %d on a GPU", RC_CUDA_KINEMATICS_MAX_VARIABLES);
  if (plan->chain.n_steps > RC_CUDA_KINEMATICS_MAX_STEPS)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_length (RC_SETTING_FRAMES, plan->chain.n_frames),
        "frames that at most %d joints move on a GPU", RC_CUDA_KINEMATICS_MAX_STEPS);
  state = calloc (1, sizeof (*state));
  if (state == NULL)
    return rc_error_set (error, RC_NO_SPACE, "no memory for a plan of %zu bytes", sizeof (*state));
  plan->state = state;
  state->is_arm = is_arm (&plan->chain);
  state->is_serial = state->is_arm && is_serial (&plan->chain);
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
  int threads;                  /* of a block of many */
  size_t shared;                /* bytes for a thread */
} Launch;

/* A small batch is cut into single warps, so that more multiprocessors take part in it. */
static int
threads_of_block (const RcCudaBackend *cuda, const Launch *launch)
{
  return launch->batch > (int64_t) cuda->multiprocessors * launch->threads ? launch->threads : RC_CUDA_KINEMATICS_WARP;
}

static RcStatus
launch_blocks (RcCudaBackend *cuda, const Launch *launch, int begins_early, RcStream stream, RcError *error)
{
  const int threads = threads_of_block (cuda, launch);
  const int64_t most = (int64_t) MAX_BLOCKS * threads;
  RcStatus status = RC_OK;

  for (*launch->first = 0; *launch->first < launch->batch && status == RC_OK; *launch->first += most) {
    const int64_t left = launch->batch - *launch->first, rows = left < most ? left : most;
    const unsigned blocks = (unsigned) ((rows + threads - 1) / threads);
    cudaLaunchAttribute early = rc_cuda_early ();
    const cudaLaunchConfig_t config = { {blocks, 1, 1}, {(unsigned) threads, 1, 1}, (size_t) threads * launch->shared, (cudaStream_t) stream,
      &early, (unsigned) begins_early
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

/* Doubles of a row that leaves through shared memory. */
static int
staged_numbers (const RcKinematicsPlan *plan, const RcForwardArgs *args)
{
  const int has_jacobian = args->jacobians.numbers != NULL || args->manipulabilities.numbers != NULL;
  const int jacobian = has_jacobian ? 6 * plan->chain.n_variables : 0;

  return jacobian > 7 ? jacobian : 7;
}

static RcStatus
run_forward (RcKinematicsPlan *plan, const RcForwardArgs *args, RcStream stream, RcError *error)
{
  const State *state = plan->state;
  RcCudaForward task = { state->chain, *args, 0, state->is_serial ? staged_numbers (plan, args) : 0 };
  const Launch launch = { rc_cuda_kinematics_forward[state->is_serial], &task, &task.first, args->batch, "forward kinematics",
    state->is_serial ? RC_CUDA_ARM_THREADS : RC_CUDA_KINEMATICS_THREADS, (size_t) task.staged * sizeof (double)
  };

  return run (plan, &launch, stream, error);
}

static RcStatus
run_inverse (RcKinematicsPlan *plan, const RcInverseArgs *args, RcStream stream, RcError *error)
{
  const State *state = plan->state;
  RcCudaInverse task = { state->chain, *args, 0 };
  const Launch launch = { rc_cuda_kinematics_inverse[state->is_arm], &task, &task.first, args->batch, "inverse kinematics",
    RC_CUDA_KINEMATICS_THREADS, 0
  };

  return run (plan, &launch, stream, error);
}

const RcKinematicsOps rc_cuda_kinematics_ops = {
  .prepare = prepare,
  .forward = run_forward,
  .inverse = run_inverse,
  .release = release,
};

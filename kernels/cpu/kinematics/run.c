/* robocache: kinematics on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kinematics.h"

#include "kernels/cpu/cpu.h"

#define ROWS 64                 /* of one thread's turn */

/* A run, forward or inverse. */
typedef struct
{
  const RcCpuKernels *kernels;
  const RcChain *chain;
  const RcForwardArgs *forward;
  const RcInverseArgs *inverse;
  int64_t batch;
} Run;

static void
run_rows (void *data, int64_t i)
{
  const Run *run = data;
  const int64_t first = i * ROWS, left = run->batch - first, end = first + (left < ROWS ? left : ROWS);

  if (run->forward != NULL)
    run->kernels->forward_rows (run->chain, run->forward, first, end);
  else
    run->kernels->inverse_rows (run->chain, run->inverse, first, end);
}

static RcStatus
run_all (const RcKinematicsPlan *plan, Run *run, RcStream stream, RcError *error)
{
  if (stream != NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "stream is %p; expected NULL, the CPU has no streams", stream);
  run->kernels = ((const RcCpuBackend *) plan->backend)->kernels;
  run->chain = &plan->chain;
  rc_cpu_for_each (plan->backend, run_rows, run, run->batch / ROWS + (run->batch % ROWS != 0));
  return RC_OK;
}

static RcStatus
run_forward (RcKinematicsPlan *plan, const RcForwardArgs *args, RcStream stream, RcError *error)
{
  Run run = {.forward = args,.batch = args->batch };

  return run_all (plan, &run, stream, error);
}

static RcStatus
run_inverse (RcKinematicsPlan *plan, const RcInverseArgs *args, RcStream stream, RcError *error)
{
  Run run = {.inverse = args,.batch = args->batch };

  return run_all (plan, &run, stream, error);
}

const RcKinematicsOps rc_cpu_kinematics_ops = {
  .forward = run_forward,
  .inverse = run_inverse,
};

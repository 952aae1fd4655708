/* robocache: plans of kinematic models, and what makes the arguments of a run valid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <inttypes.h>
#include <stdlib.h>

#include "kernels/backend_impl.h"
#include "kernels/floatmode.h"
#include "plan.h"
#include "spec.h"

/* ---- plans ---- */

static RcStatus
make_plan (RcBackend *backend, const RcKinematicsSpec *spec, RcKinematicsPlan *plan, RcError *error)
{
  const RcFloatMode mode = rc_float_mode_enter ();
  RcStatus status;

  plan->backend = backend;
  status = rc_kinematics_build (plan, spec, error);
  rc_float_mode_leave (mode);
  if (status == RC_OK && backend->ops->kinematics->prepare != NULL)
    status = backend->ops->kinematics->prepare (backend, plan, error);
  return status;
}

RcStatus
rc_kinematics_plan (RcBackend *backend, const RcKinematicsSpec *spec, RcKinematicsPlan **plan, RcFootprint *footprint,
    RcError *error)
{
  const RcFootprint nothing = { 0 };
  RcKinematicsPlan *made;
  RcStatus status;

  if (plan == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "plan is NULL; expected an address for the plan");
  *plan = NULL;
  if (backend == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "backend is NULL; expected one that rc_backend_open opened");
  if (spec == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "spec is NULL; expected a model");
  if (backend->ops->kinematics == NULL)
    return rc_error_set (error, RC_UNSUPPORTED, "this backend does not support kinematics");
  status = rc_kinematics_check_spec (spec, error);
  if (status != RC_OK)
    return status;
  made = calloc (1, sizeof (*made));
  if (made == NULL)
    return rc_error_set (error, RC_NO_SPACE, "no memory for a plan of %zu bytes", sizeof (*made));
  status = make_plan (backend, spec, made, error);
  if (status != RC_OK) {
    rc_kinematics_plan_free (made);
    return status;
  }
  if (footprint != NULL)
    *footprint = nothing;
  *plan = made;
  return RC_OK;
}

void
rc_kinematics_plan_free (RcKinematicsPlan *plan)
{
  if (plan == NULL)
    return;
  if (plan->backend->ops->kinematics->release != NULL)
    plan->backend->ops->kinematics->release (plan);
  free (plan);
}

/* ---- the arguments of a run ---- */

/* An array of a run. */
typedef struct
{
  const char *name;
  const void *numbers;
  int64_t stride;
  int64_t length;               /* numbers of a row */
  int is_needed, is_shared;     /* is_shared: a stride of 0 is meaningful */
} Array;

static RcStatus
check_array (const Array *array, int64_t batch, RcError *error)
{
  const int64_t bytes = array->length * (int64_t) sizeof (double);

  if (array->numbers == NULL && array->is_needed && array->length > 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is NULL; expected %" PRId64 " numbers a row", array->name, array->length);
  if ((uintptr_t) array->numbers % sizeof (double) != 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is %p; expected an address that is a multiple of 8", array->name,
        array->numbers);
  if (array->numbers == NULL || batch <= 1 || (array->is_shared && array->stride == 0))
    return RC_OK;
  if (array->stride % (int64_t) sizeof (double) != 0 || array->stride < bytes)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s.stride is %" PRId64 "; expected %sa multiple of 8 that holds %" PRId64
        " numbers", array->name, array->stride, array->is_shared ? "0, or " : "", array->length);
  return RC_OK;
}

static RcStatus
check_arrays (const Array *arrays, size_t n, int64_t batch, RcError *error)
{
  RcStatus status = RC_OK;
  size_t i;

  if (batch < 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "batch is %" PRId64 "; expected 0 or more", batch);
  for (i = 0; i < n && status == RC_OK && batch > 0; i++)
    status = check_array (&arrays[i], batch, error);
  return status;
}

static RcStatus
check_run (const RcKinematicsPlan *plan, const void *args, RcError *error)
{
  if (plan == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "plan is NULL; expected one that rc_kinematics_plan made");
  if (args == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "args is NULL; expected the arguments of a run");
  return RC_OK;
}

#define ARRAY(rows, length, is_needed, is_shared) { #rows, args->rows.numbers, args->rows.stride, length, is_needed, is_shared }
#define CHECK_ARRAYS(arrays, batch, error) check_arrays (arrays, sizeof (arrays) / sizeof (arrays[0]), batch, error)

static RcStatus
check_forward (const RcKinematicsPlan *plan, const RcForwardArgs *args, RcError *error)
{
  const int64_t n = plan->chain.n_variables, frames = plan->chain.n_frames;
  const Array arrays[] = {
    ARRAY (positions, n, 1, 1), ARRAY (velocities, n, args->twists.numbers != NULL, 1), ARRAY (base_poses, 7, 0, 1),
    ARRAY (poses, 7 * frames, 0, 0), ARRAY (jacobians, 6 * n * frames, 0, 0), ARRAY (manipulabilities, frames, 0, 0),
    ARRAY (twists, 6 * frames, 0, 0)
  };

  return CHECK_ARRAYS (arrays, args->batch, error);
}

RcStatus
rc_kinematics_forward (RcKinematicsPlan *plan, const RcForwardArgs *args, RcStream stream, RcError *error)
{
  RcStatus status = check_run (plan, args, error);

  if (status == RC_OK)
    status = check_forward (plan, args, error);
  return status == RC_OK ? plan->backend->ops->kinematics->forward (plan, args, stream, error) : status;
}

static RcStatus
check_inverse (const RcKinematicsPlan *plan, const RcInverseArgs *args, RcError *error)
{
  const int64_t n = plan->chain.n_variables, frames = plan->chain.n_frames;
  const Array arrays[] = {
    ARRAY (targets, 7 * frames, 1, 1), ARRAY (starts, n, 1, 1), ARRAY (base_poses, 7, 0, 1), ARRAY (positions, n, 0, 0),
    ARRAY (residuals, 2, 0, 0)
  };

  if (n > RC_KINEMATICS_MAX_INVERSE_VARIABLES)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "the plan has %" PRId64 " variables; expected at most %d for inverse kinematics", n,
        RC_KINEMATICS_MAX_INVERSE_VARIABLES);
  if (frames > RC_KINEMATICS_MAX_TARGETS)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "the plan has %" PRId64 " frames; expected at most %d for inverse kinematics",
        frames, RC_KINEMATICS_MAX_TARGETS);
  if ((uintptr_t) args->iterations % sizeof (*args->iterations) != 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "iterations is %p; expected an address that is a multiple of 4",
        (const void *) args->iterations);
  return CHECK_ARRAYS (arrays, args->batch, error);
}

RcStatus
rc_kinematics_inverse (RcKinematicsPlan *plan, const RcInverseArgs *args, RcStream stream, RcError *error)
{
  RcStatus status = check_run (plan, args, error);

  if (status == RC_OK)
    status = check_inverse (plan, args, error);
  return status == RC_OK ? plan->backend->ops->kinematics->inverse (plan, args, stream, error) : status;
}

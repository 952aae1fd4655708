/* robocache: what makes a kinematic model valid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "spec.h"

#include <inttypes.h>
#include <math.h>

#include "kernels/backend_impl.h"

/* ---- joints ---- */

/* "joints[3] is axis 0 0 0; expected …" */
#define JOINT_WRONG(error, i, expected, ...) \
  rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_joint (i, rc_wrong (RC_SETTING_JOINTS, __VA_ARGS__)), "%s", expected)

static RcWrongSetting
wrong_joint (int64_t i, RcWrongSetting wrong)
{
  wrong.part = RC_PART_ENTRY;
  wrong.index = i;
  return wrong;
}

static int
is_number (double x)
{
  return fabs (x) <= RC_KINEMATICS_MAX_NUMBER;
}

static int
are_numbers (const double *x)
{
  return is_number (x[0]) && is_number (x[1]) && is_number (x[2]);
}

static RcStatus
check_origin (const RcJointSpec *joint, int64_t i, RcError *error)
{
  const double *q = joint->quaternion;

  if (!are_numbers (joint->origin))
    return JOINT_WRONG (error, i, "numbers of at most 1e6", "origin %g %g %g", joint->origin[0], joint->origin[1],
        joint->origin[2]);
  if (!are_numbers (joint->rpy))
    return JOINT_WRONG (error, i, "numbers of at most 1e6", "rpy %g %g %g", joint->rpy[0], joint->rpy[1], joint->rpy[2]);
  if (!are_numbers (q) || !is_number (q[3]) || (rc_joint_has_quaternion (joint) && !(fmax (fmax (fabs (q[0]), fabs (q[1])), fmax (fabs (q[2]), fabs (q[3]))) >= 1e-6)))
    return JOINT_WRONG (error, i, "numbers of at most 1e6, one of them at least 1e-6", "quaternion %g %g %g %g", q[0], q[1], q[2], q[3]);
  return RC_OK;
}

static RcStatus
check_motion (const RcJointSpec *joint, int64_t i, RcError *error)
{
  const double *a = joint->axis;
  const double size = fmax (fabs (a[0]), fmax (fabs (a[1]), fabs (a[2])));

  if (!are_numbers (a) || !(size >= 1e-6))
    return JOINT_WRONG (error, i, "three numbers of at most 1e6, one of them at least 1e-6", "axis %g %g %g", a[0], a[1], a[2]);
  if (joint->kind != RC_JOINT_CONTINUOUS && !(joint->lower <= joint->upper))
    return JOINT_WRONG (error, i, "a lower limit that is not above the upper one", "limits %g to %g", joint->lower, joint->upper);
  if (joint->mimics != -1 && (!is_number (joint->multiplier) || !is_number (joint->offset)))
    return JOINT_WRONG (error, i, "numbers of at most 1e6", "multiplier %g, offset %g", joint->multiplier, joint->offset);
  return RC_OK;
}

static RcStatus
check_joint (const RcKinematicsSpec *spec, int64_t i, RcError *error)
{
  const RcJointSpec *joint = &spec->joints[i];
  RcStatus status;

  if ((unsigned) joint->kind > RC_JOINT_PRISMATIC)
    return JOINT_WRONG (error, i, "0 (fixed) to 3 (prismatic)", "kind %d", (int) joint->kind);
  if (joint->parent < -1 || joint->parent >= i)
    return JOINT_WRONG (error, i, "a joint before it, or -1", "parent %" PRId32, joint->parent);
  if (joint->mimics < -1 || joint->mimics >= spec->n_joints)
    return JOINT_WRONG (error, i, "a joint, or -1", "mimics %" PRId32, joint->mimics);
  if (joint->mimics >= 0 && !rc_joint_moves (&spec->joints[joint->mimics]))
    return JOINT_WRONG (error, i, "a joint that moves", "mimics %" PRId32, joint->mimics);
  status = check_origin (joint, i, error);
  return status == RC_OK && rc_joint_moves (joint) ? check_motion (joint, i, error) : status;
}

/* Joints that mimic each other in a circle have no position. */
static RcStatus
check_mimicry (const RcKinematicsSpec *spec, int64_t i, RcError *error)
{
  int64_t joint = i, n;

  for (n = 0; spec->joints[joint].mimics >= 0; n++) {
    if (n == spec->n_joints)
      return JOINT_WRONG (error, i, "joints that do not mimic each other in a cycle", "mimics %" PRId32, spec->joints[i].mimics);
    joint = spec->joints[joint].mimics;
  }
  return RC_OK;
}

static RcStatus
check_joints (const RcKinematicsSpec *spec, RcError *error)
{
  RcStatus status = RC_OK;
  int64_t i;

  if (spec->n_joints < 1 || spec->n_joints > RC_KINEMATICS_MAX_JOINTS)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_length (RC_SETTING_JOINTS, spec->n_joints), "1 to %d",
        RC_KINEMATICS_MAX_JOINTS);
  if (spec->joints == NULL)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_JOINTS, "NULL"), "%" PRId64 " joints",
        spec->n_joints);
  for (i = 0; i < spec->n_joints && status == RC_OK; i++)
    status = check_joint (spec, i, error);
  for (i = 0; i < spec->n_joints && status == RC_OK; i++)
    status = check_mimicry (spec, i, error);
  return status;
}

/* ---- lists of joints ---- */

static RcStatus
check_list (RcSetting setting, const int32_t *list, int64_t n, int64_t least, int64_t most, RcError *error)
{
  if (n < least || n > most)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_length (setting, n), "%" PRId64 " to %" PRId64, least, most);
  if (n > 0 && list == NULL)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (setting, "NULL"), "%" PRId64 " joints", n);
  return RC_OK;
}

static RcStatus
check_frames (const RcKinematicsSpec *spec, RcError *error)
{
  RcStatus status = check_list (RC_SETTING_FRAMES, spec->frames, spec->n_frames, 1, RC_KINEMATICS_MAX_FRAMES, error);
  int64_t i;

  for (i = 0; status == RC_OK && i < spec->n_frames; i++) {
    if (spec->frames[i] < -1 || spec->frames[i] >= spec->n_joints)
      status = rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_entry (RC_SETTING_FRAMES, i, spec->frames[i]),
          "-1 to %" PRId64, spec->n_joints - 1);
  }
  return status;
}

static int
is_repeated (const int32_t *list, int64_t i)
{
  int64_t k;

  for (k = 0; k < i; k++) {
    if (list[k] == list[i])
      return 1;
  }
  return 0;
}

static RcStatus
check_variable (const RcKinematicsSpec *spec, int64_t i, RcError *error)
{
  const int32_t joint = spec->variables[i];
  const RcWrongSetting wrong = rc_wrong_entry (RC_SETTING_VARIABLES, i, joint);

  if (joint < 0 || joint >= spec->n_joints)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong, "0 to %" PRId64, spec->n_joints - 1);
  if (!rc_joint_moves (&spec->joints[joint]) || spec->joints[joint].mimics >= 0)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong, "a joint that moves and mimics none");
  if (is_repeated (spec->variables, i))
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong, "each joint once");
  return RC_OK;
}

static RcStatus
check_variables (const RcKinematicsSpec *spec, RcError *error)
{
  RcStatus status = check_list (RC_SETTING_VARIABLES, spec->variables, spec->n_variables, 0, RC_KINEMATICS_MAX_VARIABLES, error);
  int64_t i;

  for (i = 0; status == RC_OK && i < spec->n_variables; i++)
    status = check_variable (spec, i, error);
  return status;
}

/* ---- inverse kinematics ---- */

static RcStatus
check_inverse (const RcKinematicsSpec *spec, RcError *error)
{
  if (spec->max_iterations < 1 || spec->max_iterations > RC_KINEMATICS_MAX_ITERATIONS)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_MAX_ITERATIONS, "%" PRId32, spec->max_iterations),
        "1 to %d", RC_KINEMATICS_MAX_ITERATIONS);
  if (spec->restarts < 0 || spec->restarts > RC_KINEMATICS_MAX_RESTARTS)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_RESTARTS, "%" PRId32, spec->restarts), "0 to %d",
        RC_KINEMATICS_MAX_RESTARTS);
  if (!(spec->tolerance > 0.0 && spec->tolerance <= 1.0))
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_TOLERANCE, "%g", spec->tolerance),
        "a number above 0 and at most 1");
  if (!(spec->orientation_weight >= 0.0 && spec->orientation_weight <= 1e3))
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_ORIENTATION_WEIGHT, "%g", spec->orientation_weight),
        "0 to 1000");
  return RC_OK;
}

RcStatus
rc_kinematics_check_spec (const RcKinematicsSpec *spec, RcError *error)
{
  RcStatus status = check_joints (spec, error);

  if (status == RC_OK && (spec->base < -1 || spec->base >= spec->n_joints))
    status = rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_BASE, "%" PRId32, spec->base), "-1 to %" PRId64,
        spec->n_joints - 1);
  if (status == RC_OK)
    status = check_frames (spec, error);
  if (status == RC_OK)
    status = check_variables (spec, error);
  return status == RC_OK ? check_inverse (spec, error) : status;
}

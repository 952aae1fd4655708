/* robocache: checks a spec, and builds its plan
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kinematics.h"
#include "plan.h"

/* ---- checks whether a kinematic model is valid ---- */

/* Checks every field by itself, and lists against each other. RC_INVALID_ARGUMENT: the error names the field. */
RcStatus rc_kinematics_check_spec (const RcKinematicsSpec * spec, RcError * error);

static inline int
rc_joint_moves (const RcJointSpec *joint)
{
  return joint->kind != RC_JOINT_FIXED;
}

/* ---- finds the steps from a base to its frames in a tree of joints ---- */

/* Writes the lists of plan, whose spec is valid by itself. RC_INVALID_ARGUMENT: too many steps, or a moving step without a variable. */
RcStatus rc_kinematics_build (RcKinematicsPlan * plan, const RcKinematicsSpec * spec, RcError * error);

/* Whether quaternion, not rpy, is the rotation of the joint's frame. */
static inline int
rc_joint_has_quaternion (const RcJointSpec *joint)
{
  const double *q = joint->quaternion;

  return q[0] != 0.0 || q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0;
}

/* robocache: checks whether a kinematic model is valid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_KINEMATICS_SPEC_H
#define RC_KINEMATICS_SPEC_H

#include "kinematics.h"

/* Checks every field by itself, and lists against each other. RC_INVALID_ARGUMENT: the error names the field. */
RcStatus rc_kinematics_check_spec (const RcKinematicsSpec * spec, RcError * error);

static inline int
rc_joint_moves (const RcJointSpec *joint)
{
  return joint->kind != RC_JOINT_FIXED;
}

#endif

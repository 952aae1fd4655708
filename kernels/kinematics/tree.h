/* robocache: finds the steps from a base to its frames in a tree of joints
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_KINEMATICS_TREE_H
#define RC_KINEMATICS_TREE_H

#include "plan.h"

/* Writes the lists of plan, whose spec is valid by itself. RC_INVALID_ARGUMENT: too many steps, or a moving step without a variable. */
RcStatus rc_kinematics_build (RcKinematicsPlan * plan, const RcKinematicsSpec * spec, RcError * error);

#endif

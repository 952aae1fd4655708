/* robocache: kinematics on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CPU_KINEMATICS_RUN_H
#define RC_CPU_KINEMATICS_RUN_H

#include "kernels/kinematics/plan.h"

extern const RcKinematicsOps rc_cpu_kinematics_ops;

#endif

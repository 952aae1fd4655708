/* robocache: kinematics on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cpu/cpu.h"
#include "kernels/kinematics/plan.h"

/* ---- kinematics on the CPU ---- */

extern const RcKinematicsOps rc_cpu_kinematics_ops;

/* ---- kinematics of a range of rows of a batch, built once for each instruction set ---- */

void RC_LEVEL_NAME (rc_cpu_forward_rows) (const RcChain * chain, const RcForwardArgs * args, int64_t first, int64_t end);
void RC_LEVEL_NAME (rc_cpu_inverse_rows) (const RcChain * chain, const RcInverseArgs * args, int64_t first, int64_t end);

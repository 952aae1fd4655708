/* robocache: kinematics on the GPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_KINEMATICS_PLAN_H
#define RC_CUDA_KINEMATICS_PLAN_H

#include "kernels/backend_impl.h"

extern const RcKinematicsOps rc_cuda_kinematics_ops;

#endif

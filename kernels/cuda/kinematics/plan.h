/* robocache: kinematics on the GPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/backend_impl.h"

extern const RcKinematicsOps rc_cuda_kinematics_ops;

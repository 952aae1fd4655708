/* robocache: the voxel operations of the CUDA backend, as RcBackendOps takes them; kernels.h has a map of their kernels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/backend_impl.h"

extern const RcVoxelOps rc_cuda_voxel_ops;

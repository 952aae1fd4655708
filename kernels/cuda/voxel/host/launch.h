/* robocache: voxel grids on the GPU, as RcBackendOps has them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_LAUNCH_H
#define RC_CUDA_VOXEL_LAUNCH_H

#include "kernels/backend_impl.h"

extern const RcVoxelOps rc_cuda_voxel_ops;

#endif

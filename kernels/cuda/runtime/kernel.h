/* robocache: kernels of .cu files that .c files launch
 *
 * A kernel is a pointer to its host stub, as cudaLaunchKernel and cudaFuncGetAttributes take it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel that does nothing. It can be loaded exactly if the build has code for the device. */
extern const void *const rc_cuda_probe;

#ifdef __cplusplus
}
#endif

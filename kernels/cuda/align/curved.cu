/* robocache: alignment on the GPU: any interpolation, and brackets
 *
 * Bytes that must move: align_item.cuh says them for all of these.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "item.cuh"

const void *const rc_cuda_align_curved[RC_CUDA_ALIGN_TYPES][2] = { RC_CUDA_ALIGN_KERNELS (RC_CUDA_ALIGN_CURVED) };

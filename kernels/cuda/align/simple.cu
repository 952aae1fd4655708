/* robocache: alignment on the GPU: rows that are copied or linear
 *
 * Bytes that must move: align_item.cuh says them for all of these.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "item.cuh"

const void *const rc_cuda_align_simple[RC_CUDA_ALIGN_TYPES][2] = {
  RC_CUDA_ALIGN_KERNELS (RC_CUDA_ALIGN_SIMPLE),
  RC_CUDA_FEW_AND_MANY (rc::FromFloat32<RC_FLOAT16>), RC_CUDA_FEW_AND_MANY (rc::FromFloat32<RC_BFLOAT16>)
};
const size_t rc_cuda_align_row_bytes[2][2] = {
  {sizeof (rc::Row<float>), sizeof (rc::Row<double>)}, {sizeof (rc::CurvedRow<float>), sizeof (rc::CurvedRow<double>)}
};

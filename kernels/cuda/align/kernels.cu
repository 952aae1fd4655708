/* robocache: alignment on the GPU: the kernels of one level
 *
 * Compiled once for each level (RcCudaAlignLevel), whose name in lower case is RC_CUDA_VARIANT: nvcc takes a minute for all of
 * them together, and a level alone needs far fewer registers than one kernel for everything.
 *
 * Bytes that must move: see item.cuh.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "item.cuh"

#define LEVEL_simple RC_CUDA_ALIGN_SIMPLE
#define LEVEL_curved RC_CUDA_ALIGN_CURVED
#define LEVEL_special RC_CUDA_ALIGN_SPECIAL
#define LEVEL_curved_special RC_CUDA_ALIGN_CURVED_SPECIAL
#define LEVEL_filtered RC_CUDA_ALIGN_FILTERED
#define IS_simple 1

#define JOIN_NAMES(a, b) a ## b
#define OF_VARIANT(name, variant) JOIN_NAMES (name, variant)
#define LEVEL OF_VARIANT (LEVEL_, RC_CUDA_VARIANT)
#define IS_SIMPLE OF_VARIANT (IS_, RC_CUDA_VARIANT)

/* A macro takes commas only in parentheses. */
#define FEW_AND_MANY(...) { KERNEL (rc::align_few<__VA_ARGS__>), KERNEL (rc::align_many<__VA_ARGS__>) }

const void *const OF_VARIANT (rc_cuda_align_, RC_CUDA_VARIANT)[RC_CUDA_ALIGN_TYPES][2] = {
  FEW_AND_MANY (rc::Same<RC_FLOAT32, LEVEL>), FEW_AND_MANY (rc::Same<RC_FLOAT16, LEVEL>),
  FEW_AND_MANY (rc::Same<RC_BFLOAT16, LEVEL>), FEW_AND_MANY (rc::Same<RC_FLOAT64, LEVEL>), FEW_AND_MANY (rc::Mixed<LEVEL>),
#if IS_SIMPLE
  FEW_AND_MANY (rc::FromFloat32<RC_FLOAT16>), FEW_AND_MANY (rc::FromFloat32<RC_BFLOAT16>)
#endif
};

#if IS_SIMPLE
const size_t rc_cuda_align_row_bytes[2][2] = {
  {sizeof (rc::Row<float>), sizeof (rc::Row<double>)}, {sizeof (rc::CurvedRow<float>), sizeof (rc::CurvedRow<double>)}
};
#endif

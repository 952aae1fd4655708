/* robocache: alignment on the GPU: one launch after another
 *
 * The blocks of a launch may come to a multiprocessor before the kernel before it has ended, if that allows it, as these
 * do. When it ends they have their arguments and their item, and their times are on the way to the L2: 1.1 us less of
 * each launch that follows another. Loads are not of the kind for constant data, as what they read may be written while
 * the block is there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_ALIGN_EARLY_CUH
#define RC_CUDA_ALIGN_EARLY_CUH

#include "task.h"
#include "kernels/cuda/runtime/language.cuh"

namespace rc
{
/* Times that will be read, brought to the L2, which is where others write: nothing is read too early by it. */
__device__ __forceinline__ void
bring (const int64_t *times, int32_t n)
{
  static_assert (RC_CUDA_STAGED_TIMES <= RC_CUDA_THREADS * 16, "16 times a thread");
  if ((int32_t) threadIdx.x * 16 < n)
    prefetch_global (reinterpret_cast<const char *> (times + threadIdx.x * 16));
}
}

#endif

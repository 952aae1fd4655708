/* robocache: alignment on the GPU: one launch after another
 *
 * The blocks of a launch may start on a multiprocessor before the preceding kernel has ended, if that kernel allows it, as these kernels
 * do. When it ends the blocks have their arguments and their item, and their times are on the way to the L2. This saves 1.1 us per launch
 * that follows another. The kernels do not use loads for constant data, since the preceding kernel may write the data while the block
 * runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "task.h"
#include "kernels/cuda/runtime/language.cuh"

namespace rc
{
/* Prefetches times to the L2. Other kernels write to the L2, too, so nothing is read too early. */
__device__ __forceinline__ void
bring (const int64_t *times, int32_t n)
{
  static_assert (RC_CUDA_STAGED_TIMES <= RC_CUDA_THREADS * 16, "16 times a thread");
  if ((int32_t) threadIdx.x * 16 < n)
    prefetch_global (reinterpret_cast<const char *> (times + threadIdx.x * 16));
}
}

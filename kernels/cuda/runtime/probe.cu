/* robocache: whether this build has code for a device
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel.h"
#include "language.cuh"

namespace
{
/* Does nothing: it loads if this build has code for the device. */
__global__ void
probe ()
{
}
}

const void *const rc_cuda_probe = KERNEL (probe);

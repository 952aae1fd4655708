/* robocache: whether this build has code for a device
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel.h"

namespace
{
__global__ void
probe ()
{
}
}

const void *const rc_cuda_probe = reinterpret_cast<const void *> (probe);

/* robocache: a CUDA device on the CPU: the shared memory of a launch
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine.h"

extern "C"
{
__thread char emulation_shared[emulation::MAX_SHARED] __attribute__ ((aligned (128)));
}

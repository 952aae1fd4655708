/* robocache: a CUDA device on the CPU: a test learns of each allocation and its kind
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called with a lock of the device, from any thread. is_of_host: of cudaHostAlloc, not of cudaMalloc or a pool. */
typedef void EmulationWatch (size_t bytes, int is_of_host);

/* Sets the function that is called after each allocation; NULL: none. */
void emulation_watch_allocations (EmulationWatch *watch);

#ifdef __cplusplus
}
#endif

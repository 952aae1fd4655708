/* robocache: calls of the driver that fail when they are told to
 *
 *   ROBOCACHE_FAULT="NAME:N:RESULT[,…]"   the Nth call of NAME returns the CUresult RESULT and does nothing
 *
 * A program may also look up what a library with this exports (faultydriver.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct Fault Fault;

/* Of a function's name, with or without a version. NULL: it is none that can fail. */
Fault *fault_find (const char *name);

/* Counts a call. What it is to return in place of doing anything; 0: it is to be done. */
int fault_due (Fault * fault);

void fault_arm_from_environment (void);

#ifdef __cplusplus
}
#endif

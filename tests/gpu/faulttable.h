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

/* The fault of a function, by its name with or without a version. NULL: the table has no fault for this function. */
Fault *fault_find (const char *name);

/* Counts a call. Returns the error that the call returns instead of its work; 0: the call does its work. */
int fault_due (Fault * fault);

void fault_arm_from_environment (void);

#ifdef __cplusplus
}
#endif

/* robocache: a libcuda.so.1 that passes everything on to the real one, but for calls that it is asked for
 *
 * The library that has passingdriver.c defines the functions here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda.h>
#include <stdint.h>

/* The functions of the driver that are asked for take at most eleven integers and pointers, so twelve machine words carry the
 * arguments of any of them, whichever it is. */
#define PASSING_WORDS uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g, uintptr_t h, \
    uintptr_t i, uintptr_t j, uintptr_t k, uintptr_t l
#define PASSING_ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l
typedef CUresult (*PassingFunction) (PASSING_WORDS);

/* The data that passing_call gets for calls of a driver function, by its name with or without a version. NULL: calls go to the driver. */
void *passing_wanted (const char *name);

/* Called instead of the driver's function. */
CUresult passing_call (void *wanted, PassingFunction real, PASSING_WORDS);

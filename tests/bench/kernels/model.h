/* robocache: work that keeps a GPU busy, as a model beside the elements would
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

/* Multiplies matrices on the first GPU, one product after another, each of about a millisecond and on all multiprocessors; prints "busy"
 * once it does. Returns 0 after so many seconds or a SIGTERM; 1, with a SKIP line, where there is no GPU. */
#if defined (HAVE_CUDA) || defined (__CUDACC__)
#ifdef __cplusplus
extern "C"
#endif
int bench_run_model (double seconds);
#else
static inline int
bench_run_model (double seconds)
{
  (void) seconds;
  printf ("SKIP model: this build has no CUDA\n");
  return 1;
}
#endif

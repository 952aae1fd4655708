/* robocache: a libcuda.so.1 that works, and times calls of each thread
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timeddriver.h"

#include <string.h>
#include <time.h>

#include "tests/gpu/passingdriver.h"

/* What memory that moves, a launch and waiting may come down to; without versions. */
static const char *const names[] = {
  "cuCtxPopCurrent", "cuCtxPushCurrent", "cuEventQuery", "cuEventRecord", "cuEventRecordWithFlags", "cuEventSynchronize",
  "cuLaunchKernel", "cuLaunchKernelEx", "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuMemcpy2DAsync",
  "cuMemcpy3DAsync", "cuMemcpyAsync", "cuMemcpyDtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync", "cuMemsetD8Async",
  "cuStreamSynchronize", "cuStreamWaitEvent",
};

static _Thread_local struct
{
  TimedCall calls[TIMED_CALLS];
  int n;
} mine;

static int64_t
now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
}

void *
passing_wanted (const char *name)
{
  size_t i;

  for (i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
    const size_t n = strlen (names[i]);

    if (strncmp (name, names[i], n) == 0 && (name[n] == '\0' || name[n] == '_'))
      return (void *) names[i];
  }
  return NULL;
}

CUresult
passing_call (void *wanted, PassingFunction real, PASSING_WORDS)
{
  const int64_t begun = now_ns ();
  const CUresult result = real (PASSING_ARGUMENTS);

  if (mine.n < TIMED_CALLS)
    mine.calls[mine.n++] = (TimedCall) { wanted, now_ns () - begun};
  return result;
}

__attribute__ ((visibility ("default"))) int robocache_timed_calls (TimedCall * calls);

int
robocache_timed_calls (TimedCall *calls)
{
  const int n = mine.n;

  memcpy (calls, mine.calls, (size_t) n * sizeof (*calls));
  mine.n = 0;
  return n;
}

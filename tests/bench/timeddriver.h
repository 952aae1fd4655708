/* robocache: a libcuda.so.1 that works, and times calls of each thread
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_TIMED_DRIVER_H
#define BENCH_TIMED_DRIVER_H

#include <stdint.h>

#define TIMED_CALLS 64          /* that are kept of a thread */

typedef struct
{
  const char *name;             /* of the driver's function, without a version */
  int64_t ns;
} TimedCall;

/* robocache_timed_calls, which the library exports: of the thread that asks the calls since it last did, in their order, but
 * those that are more than are kept. calls: room for TIMED_CALLS. Returns how many. */
typedef int (*TimedCallsTake) (TimedCall * calls);

#endif

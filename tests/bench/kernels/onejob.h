/* robocache: a job that is alone on a device
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#define BENCH_MAILBOX_CHANNELS 20       /* at most 32 */
#define BENCH_MAILBOX_END 0xFFFFFFFFu

/* Between the host and a kernel that waits. */
typedef struct
{
  unsigned asked, done;         /* numbers of jobs */
  float weight;                 /* of the second row */
} BenchMailbox;

extern const void *const bench_wait_for_jobs;   /* (mailbox, rows [2, channels], out [channels]) of 32 threads */

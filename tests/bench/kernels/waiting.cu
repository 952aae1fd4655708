/* robocache: a kernel that stays on the device and waits for jobs, as a bound of what a launch costs
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

extern "C" {
#include "tests/bench/kernels/onejob.h"
}

namespace
{
/* One warp. mailbox is memory of the host. Blends the two rows of each job, channel by channel. */
__global__ void
wait_for_jobs (BenchMailbox *mailbox, const float *rows, float *out)
{
  unsigned done = 0;

  for (;;) {
    unsigned asked;

    do
      asked = *(volatile unsigned *) &mailbox->asked;
    while (asked == done);
    if (asked == BENCH_MAILBOX_END)
      return;
    if (threadIdx.x < BENCH_MAILBOX_CHANNELS)
      out[threadIdx.x] = fmaf (mailbox->weight, rows[BENCH_MAILBOX_CHANNELS + threadIdx.x] - rows[threadIdx.x], rows[threadIdx.x]);
    __threadfence_system ();
    __syncwarp ();
    done = asked;
    if (threadIdx.x == 0)
      *(volatile unsigned *) &mailbox->done = done;
  }
}
}

const void *const bench_wait_for_jobs = reinterpret_cast<const void *> (wait_for_jobs);

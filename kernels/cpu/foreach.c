/* robocache: the CPU backend: work of a batch on several threads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cpu.h"
#include "kernels/floatmode.h"

typedef struct
{
  void (*work) (void *data, int64_t i);
  void *data;
} Each;

/* The mode is a thread's own. */
static void
work_in_float_mode (void *data, int64_t i)
{
  const Each *each = data;
  const RcFloatMode mode = rc_float_mode_enter ();

  each->work (each->data, i);
  rc_float_mode_leave (mode);
}

void
rc_cpu_for_each (const RcBackend *backend, void (*work) (void *data, int64_t i), void *data, int64_t n)
{
  const RcThreadPool *threads = ((const RcCpuBackend *) backend)->threads;
  Each each = { work, data };
  int64_t i;

  if (threads != NULL && n > 1) {
    threads->run (threads->self, work_in_float_mode, &each, n);
    return;
  }
  for (i = 0; i < n; i++)
    work_in_float_mode (&each, i);
}

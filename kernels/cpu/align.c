/* robocache: alignment on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cpu.h"
#include "kernels/floatmode.h"

RcStatus
rc_cpu_align_run (RcAlignPlan *plan, const RcAlignArgs *args, RcStream stream, RcError *error)
{
  const RcCpuKernels *kernels = ((const RcCpuBackend *) plan->backend)->kernels;
  RcFloatMode mode;
  int64_t i;

  if (stream != NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "stream is %p; expected NULL, the CPU has no streams", stream);
  mode = rc_float_mode_enter ();
  for (i = 0; i < plan->n_streams; i++)
    kernels->align_stream (&plan->streams[i], &args->streams[i], args);
  rc_float_mode_leave (mode);
  return RC_OK;
}

/* robocache: the CPU backend: which instruction set and which threads it runs on
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cpu.h"
#include "kernels/cpu/kinematics/kinematics.h"

#include <stdlib.h>

/* ---- instruction sets ---- */

static int
has_baseline (void)
{
  return 1;
}

#ifdef RC_HAVE_X86_LEVELS
static int
has_avx2 (void)
{
  return __builtin_cpu_supports ("avx2") != 0;
}

static int
has_avx512 (void)
{
  return __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512vl");
}
#endif

/* Highest last. */
static const struct
{
  RcCpuLevel level;
  int (*available) (void);
  const RcCpuKernels *kernels;
} levels[] = {
  {RC_CPU_BASELINE, has_baseline, &rc_cpu_kernels_baseline},
#ifdef RC_HAVE_X86_LEVELS
  {RC_CPU_AVX2, has_avx2, &rc_cpu_kernels_avx2},
  {RC_CPU_AVX512, has_avx512, &rc_cpu_kernels_avx512},
#endif
};

static const char *const level_names[] = {
  [RC_CPU_BEST] = "best",
  [RC_CPU_BASELINE] = "baseline",
  [RC_CPU_AVX2] = "AVX2",
  [RC_CPU_AVX512] = "AVX-512",
};

/* ---- life ---- */

static void
cpu_close (RcBackend *backend)
{
  free (backend);
}

static const RcBackendOps cpu_ops = {
  .close = cpu_close,
  .memory = &rc_cpu_memory_ops,
  .align_run = rc_cpu_align_run,
  .voxel = &rc_cpu_voxel_ops,
  .kinematics = &rc_cpu_kinematics_ops,
};

RcStatus
rc_cpu_open (const RcWhere *where, RcBackend **backend, RcError *error)
{
  const RcCpuKernels *kernels = NULL;
  RcCpuBackend *cpu;
  size_t i;

  if ((unsigned) where->cpu_level > RC_CPU_AVX512)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "where.cpu_level is %d; expected %d (best) to %d (AVX-512)",
        (int) where->cpu_level, RC_CPU_BEST, RC_CPU_AVX512);
  for (i = 0; i < sizeof (levels) / sizeof (levels[0]); i++) {
    if ((where->cpu_level == RC_CPU_BEST || where->cpu_level == levels[i].level) && levels[i].available ())
      kernels = levels[i].kernels;
  }
  if (kernels == NULL)
    return rc_error_set (error, RC_UNSUPPORTED, "where.cpu_level is %s, which this machine or this build lacks; "
        "expected best or baseline", level_names[where->cpu_level]);

  cpu = malloc (sizeof (*cpu));
  if (cpu == NULL)
    return rc_error_set (error, RC_NO_SPACE, "no memory for a backend of %zu bytes", sizeof (*cpu));
  cpu->base.kind = RC_BACKEND_CPU;
  cpu->base.device = -1;
  cpu->base.ops = &cpu_ops;
  cpu->kernels = kernels;
  cpu->threads = where->threads;
  *backend = &cpu->base;
  return RC_OK;
}

/* robocache: what a backend implements
 *
 * For the files in kernels/ only. The functions of the C API check their arguments, which is the same everywhere, and
 * call a backend through this table; a new backend is a folder that fills one, and a line in backend.c that opens it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_BACKEND_IMPL_H
#define RC_BACKEND_IMPL_H

#include "align.h"
#include "backend.h"
#include "voxel_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RcBackendOps
{
  void (*close) (RcBackend * backend);

  /* Sets plan->state and the footprint of a plan whose spec is valid. May be NULL: nothing to prepare, no scratch. */
  RcStatus (*align_prepare) (RcBackend * backend, RcAlignPlan * plan, RcFootprint * footprint, RcError * error);
  /* args are valid. */
  RcStatus (*align_run) (RcAlignPlan * plan, const RcAlignArgs * args, RcStream stream, RcError * error);
  /* Frees plan->state, which is NULL when preparing failed. May be NULL. */
  void (*align_release) (RcAlignPlan * plan);

  /* Voxel grids. NULL: this backend has none. */
  const RcVoxelOps *voxel;
} RcBackendOps;

/* The first member of every backend. */
struct RcBackend
{
  RcBackendKind kind;
  const RcBackendOps *ops;
};

RcStatus rc_cpu_open (const RcWhere * where, RcBackend ** backend, RcError * error);
#ifdef HAVE_CUDA
RcStatus rc_cuda_open (const RcWhere * where, RcBackend ** backend, RcError * error);
#endif

#ifdef __cplusplus
}
#endif

#endif

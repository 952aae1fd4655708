/* robocache: the functions that a backend implements
 *
 * For the files in kernels/ only. The functions of the C API check their arguments in the same way for every backend, and call the
 * backend through this table. A new backend is a folder that fills such a table, and a line in backends.c that opens it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "align.h"
#include "backend.h"
#include "kinematics/plan.h"
#include "memory.h"
#include "voxel_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors about settings ---- */

/* A wrong setting, with its formatted value. */
RcWrongSetting rc_wrong (RcSetting setting, const char *format, ...) __attribute__ ((format (printf, 2, 3)));
/* A list with a wrong length, or a wrong entry. */
RcWrongSetting rc_wrong_length (RcSetting setting, int64_t n);
RcWrongSetting rc_wrong_entry (RcSetting setting, int64_t index, int64_t value);
/* A setting with one number per axis, whose number for `axis` (0 to 2) is wrong. */
RcWrongSetting rc_wrong_axis (RcSetting setting, int axis, double value);
/* wrong because of another setting, whose value is a word or a number. */
RcWrongSetting rc_wrong_with (RcWrongSetting wrong, RcSetting other, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));
/* As rc_error_set, for a wrong setting. format: what was expected. */
RcStatus rc_error_set_wrong (RcError * error, RcStatus status, RcWrongSetting wrong, const char *format, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Checks that all cameras share (rays.c): 1 to 65536 pixels per axis, and finite numbers, above 0 if is_positive. */
RcStatus rc_check_image_size (int64_t width, int64_t height, RcError * error);
RcStatus rc_check_image_number (RcSetting setting, double value, int is_positive, RcError * error);

/* ---- backends ---- */

/* See memory.h. kind, bytes, rows and pointers are valid. */
typedef struct RcMemoryOps
{
  RcStatus (*info) (RcBackend * backend, RcMemoryInfo * info, RcError * error);
  RcStatus (*alloc) (RcBackend * backend, RcMemoryKind kind, uint64_t bytes, void **memory, RcError * error);
  void (*free) (RcBackend * backend, RcMemoryKind kind, void *memory);
  RcStatus (*stream_new) (RcBackend * backend, RcStream * stream, RcError * error);
  void (*stream_free) (RcBackend * backend, RcStream stream);
  RcStatus (*stream_synchronize) (RcBackend * backend, RcStream stream, RcError * error);
  RcStatus (*event_new) (RcBackend * backend, RcEvent * event, RcError * error);
  void (*event_free) (RcBackend * backend, RcEvent event);
  RcStatus (*event_record) (RcBackend * backend, RcEvent event, RcStream stream, RcError * error);
  RcStatus (*event_wait) (RcBackend * backend, RcEvent event, RcStream stream, RcError * error);
  RcStatus (*event_query) (RcBackend * backend, RcEvent event, int *is_done, RcError * error);
  RcStatus (*event_synchronize) (RcBackend * backend, RcEvent event, RcError * error);
  RcStatus (*copy) (RcBackend * backend, const RcMemoryCopy * copy, RcStream stream, RcError * error);
  RcStatus (*copy_between) (RcBackend * to_backend, void *to, RcBackend * from_backend, const void *from, uint64_t bytes,
      RcStream stream, RcError * error);
  RcStatus (*clear) (RcBackend * backend, void *memory, uint64_t bytes, RcStream stream, RcError * error);
} RcMemoryOps;

typedef struct RcBackendOps
{
  void (*close) (RcBackend * backend);
  const RcMemoryOps *memory;

  /* Sets plan->state and the footprint of a plan whose spec is valid. May be NULL: nothing to prepare, no scratch. */
  RcStatus (*align_prepare) (RcBackend * backend, RcAlignPlan * plan, RcFootprint * footprint, RcError * error);
  /* args are valid. */
  RcStatus (*align_run) (RcAlignPlan * plan, const RcAlignArgs * args, RcStream stream, RcError * error);
  /* Frees plan->state, which is NULL when preparing failed. May be NULL. */
  void (*align_release) (RcAlignPlan * plan);

  /* Voxel grids. NULL: this backend has none. */
  const RcVoxelOps *voxel;

  /* Kinematics. NULL: this backend has none. */
  const RcKinematicsOps *kinematics;
} RcBackendOps;

/* The first member of every backend. */
struct RcBackend
{
  RcBackendKind kind;
  int device;                   /* CUDA device number; -1 for the CPU */
  void *context;                /* CUcontext; NULL for the CPU */
  const RcBackendOps *ops;
};

RcStatus rc_cpu_open (const RcWhere * where, RcBackend ** backend, RcError * error);
#ifdef HAVE_CUDA
RcStatus rc_cuda_probe_device (const RcWhere * where, RcError * error);
RcStatus rc_cuda_open (const RcWhere * where, RcBackend ** backend, RcError * error);
#endif

#ifdef __cplusplus
}
#endif

/* robocache: backends that run the arithmetic, and their errors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __FAST_MATH__
#error "robocache promises the same bits everywhere: do not build it with -ffast-math"
#endif

typedef enum RcStatus
{
  RC_OK = 0,
  RC_INVALID_ARGUMENT,          /* a spec or an argument is wrong: the error states the field, its value and what was expected */
  RC_UNSUPPORTED,               /* a valid request that this backend cannot serve */
  RC_NO_DEVICE,                 /* no driver, no device, or no device with that number */
  RC_NO_SPACE,                  /* not enough memory: the message states the bytes needed and free */
  RC_DEVICE_FAILED,             /* the device reported an error; the backend is unusable from now on */
  RC_CALL_FAILED                /* one call failed; the device still works, and the backend may be used again */
} RcStatus;

/* A setting that the caller's user may have chosen: a field of a spec. */
typedef enum RcSetting
{
  RC_SETTING_NONE,              /* no setting, or a setting that only a program can set wrongly */
  RC_SETTING_DEVICE,            /* RcWhere */
  /* RcAlignStreamSpec */
  RC_SETTING_IN,
  RC_SETTING_OUT,
  RC_SETTING_CHANNELS,
  RC_SETTING_INTERPOLATION,
  RC_SETTING_MAX_GAP,
  RC_SETTING_HOLD_LIMIT,
  RC_SETTING_PERIOD,
  RC_SETTING_QUATERNIONS,
  RC_SETTING_ANGLES,
  RC_SETTING_VELOCITIES,
  RC_SETTING_HOLDS,
  /* RcVoxelSpec, and the points of an RcVoxelJob */
  RC_SETTING_MODE,
  RC_SETTING_OUTPUT,
  RC_SETTING_POINT_DTYPE,
  RC_SETTING_FIELDS,
  RC_SETTING_GRID,
  RC_SETTING_ORIGIN,
  RC_SETTING_VOXEL_SIZE,
  RC_SETTING_DTYPE,
  RC_SETTING_MAX_POINTS,
  RC_SETTING_MAX_VOXELS,
  RC_SETTING_FEATURE_RANGE,
  RC_SETTING_N_POINTS,
  /* RcVoxelDepth and RcCamera */
  RC_SETTING_WIDTH,
  RC_SETTING_HEIGHT,
  RC_SETTING_FX,
  RC_SETTING_FY,
  RC_SETTING_CX,
  RC_SETTING_CY,
  RC_SETTING_SCALE,
  RC_SETTING_K1,
  RC_SETTING_K2,
  RC_SETTING_K3,
  RC_SETTING_P1,
  RC_SETTING_P2,
  /* RcKinematicsSpec */
  RC_SETTING_JOINTS,
  RC_SETTING_BASE,
  RC_SETTING_FRAMES,
  RC_SETTING_VARIABLES,
  RC_SETTING_MAX_ITERATIONS,
  RC_SETTING_RESTARTS,
  RC_SETTING_TOLERANCE,
  RC_SETTING_ORIENTATION_WEIGHT,
  /* RcAlignStreamSpec, for RC_LOWPASS */
  RC_SETTING_CUTOFF,
  RC_SETTING_LOBES,
  RC_N_SETTINGS
} RcSetting;

typedef enum RcSettingPart
{
  RC_PART_VALUE,                /* the setting */
  RC_PART_LENGTH,               /* the length of a list */
  RC_PART_ENTRY,                /* an entry of a list */
  RC_PART_AXIS                  /* one of three numbers: index 0 is x */
} RcSettingPart;

/* A setting and the part of it that is wrong. */
typedef struct RcWrongSetting
{
  RcSetting setting;
  RcSettingPart part;
  int64_t stream;               /* index into RcAlignSpec.streams; -1: the setting does not belong to a stream */
  int64_t index;                /* index of the entry or axis; -1: the value identifies the entry */
  char value[64];               /* value of the part */
  RcSetting other;              /* another setting that excludes this value, or RC_SETTING_NONE */
  char other_value[24];
} RcWrongSetting;

/* Filled whenever a function does not return RC_OK. Every function accepts NULL. */
typedef struct RcError
{
  RcStatus status;
  char message[496];            /* in the terms of these headers: "max_voxels is 0; expected 1 to 2147483647" */
  RcWrongSetting wrong;         /* for a message in the terms of the caller's user; without a setting, its other fields are undefined */
  char expected[192];           /* with a setting: what was expected, without the setting's name */
} RcError;

/* Writes a formatted message into error (which may be NULL) and returns status, so that a failing function needs one statement. */
RcStatus rc_error_set (RcError * error, RcStatus status, const char *format, ...) __attribute__ ((format (printf, 3, 4)));

typedef enum RcBackendKind
{
  RC_BACKEND_CPU,
  RC_BACKEND_CUDA
} RcBackendKind;

/* Instruction sets for which the CPU backend is built. All give the same bits; tests compare them. */
typedef enum RcCpuLevel
{
  RC_CPU_BEST,                  /* the highest level that this machine has */
  RC_CPU_BASELINE,
  RC_CPU_AVX2,
  RC_CPU_AVX512
} RcCpuLevel;

/* Threads that share the work of a CPU backend. run calls work (data, i) once for each i of 0 … n - 1, from any threads and in any order,
 * and returns when all calls have returned; two threads may call run at once. */
typedef struct RcThreadPool
{
  void (*run) (void *self, void (*work) (void *data, int64_t i), void *data, int64_t n);
  void *self;
} RcThreadPool;

#define RC_MAX_PRIORITY 2

typedef struct RcWhere
{
  RcBackendKind kind;
  int device;                   /* CUDA device number; ignored for the CPU */
  RcCpuLevel cpu_level;         /* ignored for CUDA */
  int mapped_memory;            /* CUDA: compute in memory of the host; GPUs that share the machine's memory always do this */
  const RcThreadPool *threads;           /* CPU: threads for the episodes and items of a batch; must outlive the backend. NULL: the
                                   caller's thread does all the work. Ignored for CUDA */
  int priority;                 /* CUDA: if work waits for the device, higher values begin first; 0 to RC_MAX_PRIORITY; ignored for the
                                   CPU */
} RcWhere;

typedef struct RcBackend RcBackend;

/* A queue of work: a CUstream for CUDA, NULL for the CPU, whose runs are complete when they return. */
typedef void *RcStream;

/* Bytes that a plan needs in addition to its inputs and outputs, known before anything is allocated. The caller allocates scratch in the
 * memory in which the backend computes, aligned to 256 bytes, and passes it to every run; a run allocates nothing. */
typedef struct RcFootprint
{
  uint64_t scratch_bytes;
  uint64_t scratch_bytes_per_point;     /* voxel grids: additional bytes for each point of the job; 0 for alignments */
} RcFootprint;

/* Whether this build has code for backends of that kind; does not call a driver. */
int rc_backend_is_built (RcBackendKind kind);

/* Checks whether a backend could be opened, without opening it: for a GPU that its driver works and that the device exists; creates no
 * context. Errors as for rc_backend_open. */
RcStatus rc_backend_probe (const RcWhere * where, RcError * error);

/* Opens a backend. RC_UNSUPPORTED: the backend is not built in, or the machine lacks the CPU level. RC_NO_DEVICE: no usable GPU. */
RcStatus rc_backend_open (const RcWhere * where, RcBackend ** backend, RcError * error);
void rc_backend_close (RcBackend * backend);
RcBackendKind rc_backend_kind (const RcBackend * backend);
/* CUDA device number; -1 for the CPU. */
int rc_backend_device (const RcBackend * backend);
/* The CUcontext in which the backend works: the device's primary context, which exists until the backend is closed. NULL for the CPU. */
void *rc_backend_context (const RcBackend * backend);

#ifdef __cplusplus
}
#endif

/* robocache: where the arithmetic runs, and how it reports what went wrong
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_BACKEND_H
#define RC_BACKEND_H

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
  RC_INVALID_ARGUMENT,          /* a spec or an argument is wrong: the error names it, its value and what was expected */
  RC_UNSUPPORTED,               /* a valid request that this backend cannot serve */
  RC_NO_DEVICE,                 /* no driver, no device, or none with that number */
  RC_NO_SPACE,                  /* not enough memory: the message names bytes needed and free */
  RC_DEVICE_FAILED,             /* the device reported an error; the backend is unusable from now on */
  RC_CALL_FAILED                /* one call failed; the device answers, and the backend may be used again */
} RcStatus;

/* A setting that the caller's user may have chosen: a field of a spec. */
typedef enum RcSetting
{
  RC_SETTING_NONE,              /* no setting, or one that only a program can get wrong */
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
  RC_N_SETTINGS
} RcSetting;

typedef enum RcSettingPart
{
  RC_PART_VALUE,                /* the setting */
  RC_PART_LENGTH,               /* the length of a list */
  RC_PART_ENTRY,                /* an entry of a list */
  RC_PART_AXIS                  /* one of three numbers: index 0 is x */
} RcSettingPart;

/* A setting and what is wrong with it. */
typedef struct RcWrongSetting
{
  RcSetting setting;
  RcSettingPart part;
  int64_t stream;               /* index into RcAlignSpec.streams; -1: not of a stream */
  int64_t index;                /* of the entry or axis; -1: the entry is known by its value */
  char value[64];               /* of the part */
  RcSetting other;              /* another setting that the value does not go with, or RC_SETTING_NONE */
  char other_value[24];
} RcWrongSetting;

/* Filled whenever a function returns something else than RC_OK. NULL is accepted everywhere. */
typedef struct RcError
{
  RcStatus status;
  char message[496];            /* in terms of these headers: "max_voxels is 0; expected 1 to 2147483647" */
  RcWrongSetting wrong;         /* for a message in the words of the caller's user; without a setting, the rest is undefined */
  char expected[192];           /* with a setting: what was expected. It names no setting */
} RcError;

/* Writes a formatted message into error (which may be NULL) and returns status, so that failing is one statement. */
RcStatus rc_error_set (RcError * error, RcStatus status, const char *format, ...) __attribute__ ((format (printf, 3, 4)));

typedef enum RcBackendKind
{
  RC_BACKEND_CPU,
  RC_BACKEND_CUDA
} RcBackendKind;

/* Instruction sets the CPU backend is built for. All give the same bits; tests compare them. */
typedef enum RcCpuLevel
{
  RC_CPU_BEST,                  /* the highest that this machine has */
  RC_CPU_BASELINE,
  RC_CPU_AVX2,
  RC_CPU_AVX512
} RcCpuLevel;

/* Threads that take part in the work of a CPU backend. run calls work (data, i) once for each i of 0 … n - 1, from any
 * threads and in any order, and returns when all calls have; two threads may call it at once. */
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
  int mapped_memory;            /* CUDA: compute in memory of the host, as is always done on GPUs that share the machine's */
  const RcThreadPool *threads;           /* CPU: shares out the episodes and items of a batch; must outlive the backend. NULL: the
                                   caller's thread does it all. Ignored for CUDA */
  int priority;                 /* CUDA: where work waits for the device, higher values begin first; 0 to RC_MAX_PRIORITY; the CPU
                                   ignores it */
} RcWhere;

typedef struct RcBackend RcBackend;

/* A queue of work: a CUstream for CUDA, NULL for the CPU, whose runs are complete when they return. */
typedef void *RcStream;

/* Bytes that a plan needs beside its inputs and outputs, known before anything is allocated. The caller allocates
 * scratch where the backend computes, aligned to 256 bytes, and passes it to every run; a run allocates nothing. */
typedef struct RcFootprint
{
  uint64_t scratch_bytes;
  uint64_t scratch_bytes_per_point;     /* voxel grids: more for each point of the job; 0 for alignments */
} RcFootprint;

/* Whether this build has code for backends of that kind; asks no driver. */
int rc_backend_is_built (RcBackendKind kind);

/* Whether a backend could be opened, found out without opening it: of a GPU that its driver works and that it has the
 * device; no context is made. Errors as of rc_backend_open. */
RcStatus rc_backend_probe (const RcWhere * where, RcError * error);

/* Opens a backend. RC_UNSUPPORTED: not built in, or a CPU level this machine lacks. RC_NO_DEVICE: no usable GPU. */
RcStatus rc_backend_open (const RcWhere * where, RcBackend ** backend, RcError * error);
void rc_backend_close (RcBackend * backend);
RcBackendKind rc_backend_kind (const RcBackend * backend);
/* CUDA device number; -1 for the CPU. */
int rc_backend_device (const RcBackend * backend);
/* The CUcontext that it works in: the device's primary one, which stays until the backend is closed. NULL for the CPU. */
void *rc_backend_context (const RcBackend * backend);

#ifdef __cplusplus
}
#endif
#endif

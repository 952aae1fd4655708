/* robocache: an NVIDIA GPU: its context, its errors
 *
 * For the files in kernels/cuda only. Everything runs in the device's primary context. A function that calls CUDA begins with
 * rc_cuda_enter and ends with rc_cuda_leave, which preserve the current context of the caller's thread; cudaSetDevice is never called. In
 * between, the runtime API works on the pushed context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "driver.h"
#include "kernels/backend_impl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RcCudaBackend
{
  RcBackend base;
  const RcCudaDriver *driver;
  int device;
  cudaStream_t setup;           /* non-blocking stream for uploads of plans, which wait for no other work */
  cudaMemPool_t pool;           /* pool of device memory; NULL if the driver has no pools */
  int mapped;                   /* device memory is mapped memory of the host */
  int stream_priority;          /* in CUDA's order: lower numbers have higher priority */
  int multiprocessors;
  int shared_bytes;             /* most shared memory of a block */
  int major;                    /* major number of the compute capability */
  int driver_version;           /* encoded as CUDA_VERSION */
  char name[64];
  int failed;                   /* atomic; a device error that every later call would return */
} RcCudaBackend;

/* Makes the device's context current. RC_DEVICE_FAILED: the device failed before, or the process was forked since. */
RcStatus rc_cuda_enter (RcCudaBackend * backend, RcError * error);
void rc_cuda_leave (RcCudaBackend * backend);

/* RC_OK for cudaSuccess. Otherwise a status and a message "CALL on device 0 (NAME), stream 0x…, WORK: CUDA's message"; the format gives
 * the work, with its shape. RC_NO_SPACE: not enough memory. RC_INVALID_ARGUMENT: CUDA refused the call, the device still works.
 * RC_DEVICE_FAILED: the context is lost, and the backend is unusable from now on. RC_CALL_FAILED: any other error; a check has shown that
 * the device still works. */
RcStatus rc_cuda_check (RcCudaBackend * backend, cudaError_t result, RcStream stream, RcError * error,
    const char *call, const char *work, ...) __attribute__ ((format (printf, 6, 7)));

/* Returns status, with the message "CALL …: the driver's message". */
RcStatus rc_cuda_driver_failed (const RcCudaBackend * backend, const RcCudaDriver * driver, CUresult result, const char * call, RcStatus status, RcError * error);

/* Loads kernel now instead of at its first launch, and checks that this build has code for the device. */
RcStatus rc_cuda_load (RcCudaBackend * backend, const void *kernel, const char *name, RcError * error);

/* Sets *early if blocks of kernel may start before the preceding kernel has ended, in graphs too: the device and the driver can do it,
 * and the kernel's code itself waits for the preceding kernel, which code for older devices does not. */
RcStatus rc_cuda_begins_early (RcCudaBackend * backend, const void *kernel, const char *name, int *early,
    RcError * error);

/* The launch attribute of such kernels. */
static inline cudaLaunchAttribute
rc_cuda_early (void)
{
  return (cudaLaunchAttribute) {.id = cudaLaunchAttributeProgrammaticStreamSerialization,
    .val = {.programmaticStreamSerializationAllowed = 1}
  };
}

/* Refuses the default stream, since other work would wait for it. */
RcStatus rc_cuda_check_stream (RcStream stream, RcError * error);

/* memory.c. Allocates device memory that a plan keeps, and copies bytes from host to it; *memory is NULL for 0 bytes. May be called while
 * another thread captures a graph. */
RcStatus rc_cuda_upload (RcCudaBackend * backend, const void *host, size_t bytes, void **memory, RcError * error);
/* Does not wait, so no run may still read the memory. */
void rc_cuda_free (RcCudaBackend * backend, void *memory);

/* memory.c. To be called between enter and leave. mapped: use mapped memory, as integrated GPUs always do. */
RcStatus rc_cuda_memory_open (RcCudaBackend * backend, int mapped, RcError * error);
void rc_cuda_memory_close (RcCudaBackend * backend);
extern const RcMemoryOps rc_cuda_memory_ops;

#ifdef __cplusplus
}
#endif

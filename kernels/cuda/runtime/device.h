/* robocache: an NVIDIA GPU: its context, its errors
 *
 * For the files in kernels/cuda only. Everything runs in the device's primary context. A function that calls CUDA is
 * bracketed by rc_cuda_enter and rc_cuda_leave, so that the context which is current on the caller's thread stays what
 * it was; cudaSetDevice is never called. In between, the runtime API works on the pushed context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_DEVICE_H
#define RC_CUDA_DEVICE_H

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
  cudaStream_t setup;           /* non-blocking; for what plans upload, which waits for nothing but itself */
  cudaMemPool_t pool;           /* of device memory; NULL where the driver has no pools */
  int mapped;                   /* device memory is mapped memory of the host */
  int stream_priority;          /* as CUDA counts: less is more */
  int multiprocessors;
  int shared_bytes;             /* that a block may have */
  int major;                    /* of its compute capability */
  int driver_version;           /* as CUDA_VERSION */
  char name[64];
  int failed;                   /* atomic: a device error that every later call would repeat */
} RcCudaBackend;

/* Makes the device's context current. RC_DEVICE_FAILED: the device failed before, or the process was forked since. */
RcStatus rc_cuda_enter (RcCudaBackend * backend, RcError * error);
void rc_cuda_leave (RcCudaBackend * backend);

/* RC_OK for cudaSuccess. Otherwise a status and a message "CALL on device 0 (NAME), stream 0x…, WORK: what CUDA says",
 * where the format says the work, with its shape. RC_NO_SPACE: not enough memory. RC_INVALID_ARGUMENT: CUDA refused the
 * call, the device is well. RC_DEVICE_FAILED: the context is lost, and the backend is unusable from now on. RC_CALL_FAILED:
 * anything else; the device was asked, and answers. */
RcStatus rc_cuda_check (RcCudaBackend * backend, cudaError_t result, RcStream stream, RcError * error,
    const char *call, const char *work, ...) __attribute__ ((format (printf, 6, 7)));

/* status, with the message "CALL …: what the driver says". */
RcStatus rc_cuda_driver_failed (const RcCudaBackend * backend, const RcCudaDriver * driver, CUresult result, const char * call, RcStatus status, RcError * error);

/* Loads kernel now, so that its first launch does not, and checks that this build has code for the device. */
RcStatus rc_cuda_load (RcCudaBackend * backend, const void *kernel, const char *name, RcError * error);

/* Whether blocks of kernel may come before the kernel before it has ended, in graphs too: the device and the driver can
 * do it, and the kernel's code waits for that itself, which code for older devices does not. */
RcStatus rc_cuda_begins_early (RcCudaBackend * backend, const void *kernel, const char *name, int *early,
    RcError * error);

/* The attribute of their launch. */
static inline cudaLaunchAttribute
rc_cuda_early (void)
{
  return (cudaLaunchAttribute) {.id = cudaLaunchAttributeProgrammaticStreamSerialization,
    .val = {.programmaticStreamSerializationAllowed = 1}
  };
}

/* Refuses the default stream, on which work of others would wait. */
RcStatus rc_cuda_check_stream (RcStream stream, RcError * error);

/* memory.c. Device memory that a plan keeps, with a copy of bytes from host; *memory is NULL for 0 bytes. May be called while
 * another thread captures a graph. */
RcStatus rc_cuda_upload (RcCudaBackend * backend, const void *host, size_t bytes, void **memory, RcError * error);
/* Waits for nothing: no run may still read it. */
void rc_cuda_free (RcCudaBackend * backend, void *memory);

/* memory.c. Within enter and leave. mapped: as on integrated GPUs, which always are. */
RcStatus rc_cuda_memory_open (RcCudaBackend * backend, int mapped, RcError * error);
void rc_cuda_memory_close (RcCudaBackend * backend);
extern const RcMemoryOps rc_cuda_memory_ops;

#ifdef __cplusplus
}
#endif
#endif

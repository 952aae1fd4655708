/* robocache: an NVIDIA GPU: its context, its errors, its kernels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- errors ---- */

/* Results that a wrong call gives, and that say nothing of the device. */
static const cudaError_t refusals[] = {
  cudaErrorInvalidValue,
  cudaErrorInvalidConfiguration,
  cudaErrorInvalidPitchValue,
  cudaErrorInvalidMemcpyDirection,
  cudaErrorInvalidResourceHandle,
  cudaErrorContextIsDestroyed,
  cudaErrorStreamCaptureUnsupported,
  cudaErrorStreamCaptureInvalidated,
  cudaErrorStreamCaptureMerge,
  cudaErrorStreamCaptureUnmatched,
  cudaErrorStreamCaptureUnjoined,
  cudaErrorStreamCaptureIsolation,
  cudaErrorStreamCaptureImplicit,
  cudaErrorStreamCaptureWrongThread,
};

/* Results of a context that is lost: every later call returns the same. */
static const cudaError_t losses[] = {
  cudaErrorIllegalAddress,
  cudaErrorIllegalInstruction,
  cudaErrorMisalignedAddress,
  cudaErrorInvalidAddressSpace,
  cudaErrorInvalidPc,
  cudaErrorHardwareStackError,
  cudaErrorLaunchFailure,
  cudaErrorLaunchTimeout,
  cudaErrorAssert,
  cudaErrorECCUncorrectable,
  cudaErrorNvlinkUncorrectable,
  cudaErrorExternalDevice,
  cudaErrorMpsClientTerminated,
};

#define N_OF(array) (sizeof (array) / sizeof ((array)[0]))

static int
is_among (const cudaError_t *results, size_t n, cudaError_t result)
{
  size_t i;

  for (i = 0; i < n && results[i] != result; i++) {
  }
  return i < n;
}

/* Asks the device once, where a result does not tell whether the context is lost. A backend that is being opened is closed anyway. */
static int
is_lost (RcCudaBackend *backend, cudaError_t result)
{
  enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

  if (backend->setup == NULL || is_among (losses, N_OF (losses), result))
    return 1;
  cudaThreadExchangeStreamCaptureMode (&mode);
  result = cudaStreamQuery (backend->setup);
  cudaThreadExchangeStreamCaptureMode (&mode);
  cudaGetLastError ();
  return result != cudaSuccess && result != cudaErrorNotReady;
}

static RcStatus
status_of (RcCudaBackend *backend, cudaError_t result)
{
  if (result == cudaErrorMemoryAllocation)
    return RC_NO_SPACE;
  if (is_among (refusals, N_OF (refusals), result))
    return RC_INVALID_ARGUMENT;
  return is_lost (backend, result) ? RC_DEVICE_FAILED : RC_CALL_FAILED;
}

RcStatus
rc_cuda_check (RcCudaBackend *backend, cudaError_t result, RcStream stream, RcError *error, const char *call,
    const char *work, ...)
{
  RcStatus status;
  char shape[256];
  va_list args;

  if (result == cudaSuccess)
    return RC_OK;
  cudaGetLastError ();          /* reported here, so not by the next call too */
  status = status_of (backend, result);
  if (status == RC_DEVICE_FAILED)
    __atomic_store_n (&backend->failed, 1, __ATOMIC_RELAXED);
  va_start (args, work);
  vsnprintf (shape, sizeof (shape), work, args);
  va_end (args);
  return rc_error_set (error, status, "%s on device %d (%s), stream %p, %s: %s (%s)", call, backend->device,
      backend->name, stream, shape, cudaGetErrorString (result), cudaGetErrorName (result));
}

RcStatus
rc_cuda_check_stream (RcStream stream, RcError *error)
{
  if (stream == NULL || stream == (RcStream) cudaStreamLegacy || stream == (RcStream) cudaStreamPerThread)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "stream is %p, a default stream; expected one made with "
        "cudaStreamCreateWithFlags or cuStreamCreate", stream);
  return RC_OK;
}

/* ---- context ---- */

RcStatus
rc_cuda_driver_failed (const RcCudaBackend *backend, const RcCudaDriver *driver, CUresult result, const char *call,
    RcStatus status, RcError *error)
{
  return rc_error_set (error, status, "%s on device %d (%s): %s (error %d)", call, backend->device, backend->name,
      rc_cuda_driver_error (driver, result), (int) result);
}

RcStatus
rc_cuda_enter (RcCudaBackend *backend, RcError *error)
{
  const RcCudaDriver *driver = backend->driver;
  CUresult result;

  if (rc_cuda_driver_is_forked ())
    return rc_error_set (error, RC_DEVICE_FAILED, "device %d (%s) was opened before this process was forked, and CUDA "
        "does not work in a fork; expected the first use of CUDA after the fork", backend->device, backend->name);
  if (__atomic_load_n (&backend->failed, __ATOMIC_RELAXED))
    return rc_error_set (error, RC_DEVICE_FAILED, "device %d (%s) failed before; expected a new process",
        backend->device, backend->name);
  result = driver->cuCtxPushCurrent_ (backend->base.context);
  if (result != CUDA_SUCCESS)
    return rc_cuda_driver_failed (backend, driver, result, "cuCtxPushCurrent", RC_DEVICE_FAILED, error);
  return RC_OK;
}

void
rc_cuda_leave (RcCudaBackend *backend)
{
  CUcontext popped;

  backend->driver->cuCtxPopCurrent_ (&popped);
}

/* ---- kernels ----
 *
 * A thread that captures in global mode forbids loading to all others, unless these say that they are apart. */

RcStatus
rc_cuda_load (RcCudaBackend *backend, const void *kernel, const char *name, RcError *error)
{
  enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  struct cudaFuncAttributes attributes;
  int major = 0, minor = 0;
  cudaError_t result;

  cudaThreadExchangeStreamCaptureMode (&mode);
  result = cudaFuncGetAttributes (&attributes, kernel);
  cudaThreadExchangeStreamCaptureMode (&mode);
  switch (result) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
      cudaGetLastError ();
      cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, backend->device);
      cudaDeviceGetAttribute (&minor, cudaDevAttrComputeCapabilityMinor, backend->device);
      return rc_error_set (error, RC_NO_DEVICE, "device %d (%s) has compute capability %d.%d, and this build has code "
          "for " RC_CUDA_ARCH " only: %s; expected a build with -Dcuda-arch=%d%d", backend->device, backend->name, major,
          minor, cudaGetErrorName (result), major, minor);
    default:
      return rc_cuda_check (backend, result, backend->setup, error, "cudaFuncGetAttributes", "kernel %s", name);
  }
}

RcStatus
rc_cuda_begins_early (RcCudaBackend *backend, const void *kernel, const char *name, int *early, RcError *error)
{
  struct cudaFuncAttributes attributes;
  const RcStatus status = rc_cuda_check (backend, cudaFuncGetAttributes (&attributes, kernel), backend->setup, error,
      "cudaFuncGetAttributes", "kernel %s", name);

  *early = status == RC_OK && CUDART_VERSION >= 12030 && backend->driver_version >= 12030 && backend->major >= 9
      && attributes.ptxVersion >= 90;
  return status;
}

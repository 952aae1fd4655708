/* robocache: a CUDA device on the CPU: the driver's contexts, and the devices
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>

#include <atomic>
#include <vector>

namespace
{
constexpr int MAX_DEVICES = 8;

struct Context
{
  int device;
};

Context primary[MAX_DEVICES] = { {0}, {1}, {2}, {3}, {4}, {5}, {6}, {7} };
thread_local std::vector<CUcontext> stack;      /* of contexts; the last one is current */
thread_local cudaError_t last_error = cudaSuccess;
std::atomic<bool> are_broken { false };

CUcontext
handle_of (Context *context)
{
  return reinterpret_cast<CUcontext> (context);
}

struct Named
{
  cudaError_t error;
  const char *name, *text;
};

const Named errors[] = {
  {cudaSuccess, "cudaSuccess", "no error"},
  {cudaErrorOperatingSystem, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
  {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
  {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
  {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
  {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
  {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
  {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
  {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
  {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
      "no kernel image is available for execution on the device"},
  {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
  {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
  {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
      "operation not permitted when stream is capturing"},
  {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
      "operation failed due to a previous error during capture"},
  {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched", "the capture was not initiated in this stream"},
};

const Named *
name_of (cudaError_t error)
{
  static const Named unknown = { cudaErrorUnknown, "cudaErrorUnknown", "unknown error" };

  for (const Named &named : errors) {
    if (named.error == error)
      return &named;
  }
  return &unknown;
}
}

namespace emulation
{
cudaError_t
note (cudaError_t result)
{
  if (result != cudaSuccess)
    last_error = result;
  return result;
}

void
break_devices ()
{
  are_broken = true;
}

cudaError_t
state_of_devices ()
{
  return are_broken ? cudaErrorIllegalAddress : cudaSuccess;
}

int
n_devices ()
{
  const char *wanted = getenv ("ROBOCACHE_EMULATED_DEVICES");
  const int n = wanted != nullptr ? atoi (wanted) : 2;

  return n < MAX_DEVICES ? n : MAX_DEVICES;
}

int
current_device ()
{
  return stack.empty () ? 0 : reinterpret_cast<Context *> (stack.back ())->device;
}
}

using namespace emulation;

/* ---- the driver ---- */

CUresult
cuInit (unsigned)
{
  fault_arm_from_environment ();
  return n_devices () > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult
cuDriverGetVersion (int *version)
{
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetCount (int *count)
{
  *count = n_devices ();
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGet (CUdevice *device, int number)
{
  *device = number;
  return number >= 0 && number < n_devices () ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult
cuDeviceGetName (char *name, int length, CUdevice)
{
  snprintf (name, (size_t) length, "emulated device");
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetAttribute (int *value, CUdevice_attribute attribute, CUdevice device)
{
  return (CUresult) cudaDeviceGetAttribute (value, (cudaDeviceAttr) attribute, device);
}

CUresult
cuDevicePrimaryCtxRetain (CUcontext *context, CUdevice device)
{
  static Fault *const fault = fault_find ("cuDevicePrimaryCtxRetain");
  const CUresult result = (CUresult) fault_due (fault);

  *context = handle_of (&primary[device]);
  return result;
}

CUresult
cuDevicePrimaryCtxRelease (CUdevice)
{
  return CUDA_SUCCESS;
}

/* As CUDA 12 has it in its header and all of them have it in the library. */
#undef cuCtxCreate_v2
extern "C" CUresult cuCtxCreate_v2 (CUcontext *context, unsigned flags, CUdevice device);

CUresult
cuCtxCreate_v2 (CUcontext *context, unsigned, CUdevice device)
{
  *context = handle_of (new Context { device });
  stack.push_back (*context);
  return CUDA_SUCCESS;
}

CUresult
cuCtxDestroy (CUcontext context)
{
  delete reinterpret_cast<Context *> (context);

  return CUDA_SUCCESS;
}

CUresult
cuCtxPushCurrent (CUcontext context)
{
  static Fault *const fault = fault_find ("cuCtxPushCurrent");
  const CUresult result = (CUresult) fault_due (fault);

  if (result == CUDA_SUCCESS)
    stack.push_back (context);
  return result;
}

CUresult
cuCtxPopCurrent (CUcontext *context)
{
  if (stack.empty ())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr)
    *context = stack.back ();
  stack.pop_back ();
  return CUDA_SUCCESS;
}

CUresult
cuCtxGetCurrent (CUcontext *context)
{
  *context = stack.empty () ? nullptr : stack.back ();
  return CUDA_SUCCESS;
}

CUresult
cuCtxSynchronize ()
{
  wait_until_all_idle ();
  return (CUresult) state_of_devices ();
}

CUresult
cuPointerGetAttribute (void *value, CUpointer_attribute attribute, CUdeviceptr memory)
{
  const Where where = where_is (reinterpret_cast<const void *> (memory));

  if (attribute != CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL || where.kind == Kind::PAGEABLE)
    return CUDA_ERROR_INVALID_VALUE;
  *static_cast<int *> (value) = where.device;
  return CUDA_SUCCESS;
}

CUresult
cuMemAlloc (CUdeviceptr *memory, size_t bytes)
{
  return (CUresult) cudaMalloc (reinterpret_cast<void **> (memory), bytes);
}

CUresult
cuMemcpyHtoD (CUdeviceptr to, const void *from, size_t bytes)
{
  return (CUresult) cudaMemcpy (reinterpret_cast<void *> (to), from, bytes, cudaMemcpyHostToDevice);
}

CUresult
cuGetErrorString (CUresult error, const char **text)
{
  *text = name_of ((cudaError_t) error)->text;
  return CUDA_SUCCESS;
}

/* ---- the same of the runtime ---- */

const char *
cudaGetErrorString (cudaError_t error)
{
  return name_of (error)->text;
}

const char *
cudaGetErrorName (cudaError_t error)
{
  return name_of (error)->name;
}

cudaError_t
cudaGetLastError (void)
{
  const cudaError_t result = last_error;

  last_error = cudaSuccess;
  return result;
}

cudaError_t
cudaDriverGetVersion (int *version)
{
  *version = CUDA_VERSION;
  return cudaSuccess;
}

cudaError_t
cudaGetDeviceCount (int *count)
{
  *count = n_devices ();
  return *count > 0 ? cudaSuccess : note (cudaErrorNoDevice);
}

cudaError_t
cudaSetDevice (int device)
{
  if (device < 0 || device >= n_devices ())
    return note (cudaErrorInvalidDevice);
  if (!stack.empty ())
    stack.pop_back ();
  stack.push_back (handle_of (&primary[device]));
  return cudaSuccess;
}

cudaError_t
cudaGetDevice (int *device)
{
  *device = current_device ();
  return cudaSuccess;
}

cudaError_t
cudaDeviceCanAccessPeer (int *can, int device, int peer)
{
  *can = device != peer;
  return cudaSuccess;
}

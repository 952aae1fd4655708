/* robocache: a libcuda.so.1 that does not work, in the way that ROBOCACHE_FAKE_DRIVER says
 *
 *   old      of CUDA 11.4
 *   empty    finds no device
 *   broken   does not start
 *   none     counts no device
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__ ((visibility ("default")))

static int
is (const char *what)
{
  const char *wanted = getenv ("ROBOCACHE_FAKE_DRIVER");

  return wanted != NULL && strcmp (wanted, what) == 0;
}

EXPORT CUresult
cuDriverGetVersion (int *version)
{
  *version = is ("old") ? 11040 : CUDA_VERSION;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuInit (unsigned flags)
{
  return is ("empty") ? CUDA_ERROR_NO_DEVICE : is ("broken") ? CUDA_ERROR_SYSTEM_DRIVER_MISMATCH : CUDA_SUCCESS;
}

EXPORT CUresult
cuDeviceGetCount (int *count)
{
  *count = 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuGetErrorString (CUresult result, const char **text)
{
  *text = "in words of the driver";
  return CUDA_SUCCESS;
}

/* Not reached, but a driver has them. */
#define UNUSED(name, ...) \
  EXPORT CUresult name (__VA_ARGS__) \
  { \
    return CUDA_ERROR_UNKNOWN; \
  }

UNUSED (cuDeviceGet, CUdevice * device, int ordinal)
UNUSED (cuDeviceGetName, char *name, int length, CUdevice device)
UNUSED (cuDeviceGetAttribute, int *value, CUdevice_attribute attribute, CUdevice device)
UNUSED (cuDevicePrimaryCtxRetain, CUcontext * context, CUdevice device)
UNUSED (cuDevicePrimaryCtxRelease, CUdevice device)
UNUSED (cuCtxPushCurrent, CUcontext context)
UNUSED (cuCtxPopCurrent, CUcontext * context)
UNUSED (cuMemcpy3DPeerAsync, const CUDA_MEMCPY3D_PEER * copy, CUstream stream)

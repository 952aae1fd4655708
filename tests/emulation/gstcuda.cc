/* robocache: a CUDA device on the CPU: what gstreamer-cuda asks of the driver beside what our backend does
 *
 * The library loads all functions that it may call, so those that no test calls are there, too, and fail.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "gstcudafunctions.h"

#define PITCH 512

CUresult
cuMemAllocPitch (CUdeviceptr *memory, size_t *pitch, size_t row_bytes, size_t rows, unsigned)
{
  *pitch = (row_bytes + PITCH - 1) / PITCH * PITCH;
  return cuMemAlloc (memory, *pitch * rows);
}

CUresult
cuMemFree (CUdeviceptr memory)
{
  return (CUresult) cudaFree (reinterpret_cast<void *> (memory));
}

CUresult
cuMemAllocHost (void **memory, size_t bytes)
{
  return (CUresult) cudaHostAlloc (memory, bytes, cudaHostAllocDefault);
}

CUresult
cuMemFreeHost (void *memory)
{
  return (CUresult) cudaFreeHost (memory);
}

CUresult
cuMemcpy2D (const CUDA_MEMCPY2D *copy)
{
  const void *from = copy->srcMemoryType == CU_MEMORYTYPE_HOST ? copy->srcHost : reinterpret_cast<const void *> (copy->srcDevice);
  void *to = copy->dstMemoryType == CU_MEMORYTYPE_HOST ? copy->dstHost : reinterpret_cast<void *> (copy->dstDevice);

  for (size_t row = 0; row < copy->Height; row++) {
    const cudaError_t result = cudaMemcpy (static_cast<char *> (to) + row * copy->dstPitch,
        static_cast<const char *> (from) + row * copy->srcPitch, copy->WidthInBytes, cudaMemcpyDefault);

    if (result != cudaSuccess)
      return (CUresult) result;
  }
  return CUDA_SUCCESS;
}

CUresult
cuDeviceCanAccessPeer (int *can, CUdevice, CUdevice)
{
  *can = 0;
  return CUDA_SUCCESS;
}

/* ---- what no test calls ---- */

/* By the symbol's name, since the headers have their declarations. */
#define MISSING(symbol) \
  extern "C" CUresult missing_##symbol (void) __asm__ (#symbol); \
  CUresult missing_##symbol (void) { return CUDA_ERROR_NOT_SUPPORTED; }

GST_CUDA_UNUSED_FUNCTIONS (MISSING)
MISSING (cuStreamDestroy_v2)

/* robocache: a CUDA device on the CPU: its size, and launches
 *
 * The numbers are those of compute capability 9.0 in CUDA's programming guide, so that plans choose what they choose there, but
 * for the multiprocessors: many would have many blocks, and more to emulate.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device.h"
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace emulation;

namespace
{
constexpr int MULTIPROCESSORS = 16;
constexpr int THREADS_OF_A_MULTIPROCESSOR = 2048;

const Kernel *
kernel_at (const void *function)
{
  return static_cast<const Kernel *> (function);
}

bool
is_possible (const Kernel *kernel, const Launch &launch)
{
  const uint64_t threads = (uint64_t) launch.block.x * launch.block.y * launch.block.z;

  return launch.grid.x > 0 && launch.grid.x <= INT32_MAX && launch.grid.y > 0 && launch.grid.y <= UINT16_MAX
      && launch.grid.z > 0 && launch.grid.z <= UINT16_MAX && threads > 0 && threads <= MAX_THREADS
      && launch.shared_bytes <= (size_t) kernel->most_shared;
}
}

cudaError_t
cudaDeviceGetAttribute (int *value, cudaDeviceAttr attribute, int)
{
  const char *integrated = getenv ("ROBOCACHE_EMULATED_INTEGRATED");

  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = MULTIPROCESSORS;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = MAX_SHARED;
      break;
    case cudaDevAttrIntegrated:
      *value = integrated != nullptr && atoi (integrated) != 0;
      break;
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrUnifiedAddressing:
      *value = 1;
      break;
    default:
      *value = 0;
  }
  return cudaSuccess;
}

/* What robocache's benchmarks say of it. */
cudaError_t
cudaGetDeviceProperties (cudaDeviceProp *properties, int)
{
  memset (properties, 0, sizeof (*properties));
  snprintf (properties->name, sizeof (properties->name), "emulated device");
  properties->multiProcessorCount = MULTIPROCESSORS;
  return cudaSuccess;
}

/* ROBOCACHE_EMULATED_CODE=none: the build has no code for these devices. */
cudaError_t
cudaFuncGetAttributes (cudaFuncAttributes *attributes, const void *function)
{
  const char *code = getenv ("ROBOCACHE_EMULATED_CODE");

  if (code != nullptr && strcmp (code, "none") == 0)
    return note (cudaErrorNoKernelImageForDevice);
  memset (attributes, 0, sizeof (*attributes));
  attributes->maxThreadsPerBlock = MAX_THREADS;
  attributes->maxDynamicSharedSizeBytes = kernel_at (function)->most_shared;
  attributes->binaryVersion = attributes->ptxVersion = 90;
  return cudaSuccess;
}

cudaError_t
cudaFuncSetAttribute (const void *function, cudaFuncAttribute attribute, int value)
{
  Kernel *kernel = const_cast<Kernel *> (kernel_at (function));

  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    return cudaSuccess;
  if (value < 0 || (size_t) value > MAX_SHARED)
    return note (cudaErrorInvalidValue);
  __atomic_store_n (&kernel->most_shared, value, __ATOMIC_RELAXED);
  return cudaSuccess;
}

/* As many as threads allow: there are no registers to run out of. */
cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor (int *blocks, const void *, int threads, size_t)
{
  *blocks = THREADS_OF_A_MULTIPROCESSOR / threads;
  return cudaSuccess;
}

cudaError_t
cudaLaunchKernelExC (const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
  FAIL_IF_TOLD ("cuLaunchKernelEx");
  const Kernel *kernel = kernel_at (function);
  const Launch launch = { kernel->name, kernel->bind (arguments), kernel->shared,
    { config->gridDim.x, config->gridDim.y, config->gridDim.z },
    { config->blockDim.x, config->blockDim.y, config->blockDim.z }, config->dynamicSmemBytes
  };

  if (!is_possible (kernel, launch))
    return note (cudaErrorInvalidValue);
  enqueue (config->stream, [=] {
    if (!run (launch))
      break_devices ();
  });
  return cudaSuccess;
}

cudaError_t
cudaLaunchKernel (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream)
{
  const cudaLaunchConfig_t config = { grid, block, shared, stream, nullptr, 0 };

  return cudaLaunchKernelExC (&config, function, arguments);
}

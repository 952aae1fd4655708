/* robocache: functions of the CUDA driver that tests call, found by name since the driver is not linked
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#define DRIVER_FUNCTIONS(find) \
  find (create, cuCtxCreate_v2, CUcontext * context, unsigned flags, CUdevice device) \
  find (destroy, cuCtxDestroy_v2, CUcontext context) \
  find (current, cuCtxGetCurrent, CUcontext * context) \
  find (pop, cuCtxPopCurrent_v2, CUcontext * context) \
  find (alloc, cuMemAlloc_v2, CUdeviceptr * memory, size_t bytes) \
  find (upload, cuMemcpyHtoD_v2, CUdeviceptr to, const void *from, size_t bytes)

#define DRIVER_FIELD(field, name, ...) CUresult (*field) (__VA_ARGS__);
static struct
{
  DRIVER_FUNCTIONS (DRIVER_FIELD)
} driver;

/* Returns whether the driver has all of them. */
static inline int
find_driver (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);

  if (library == NULL)
    return 0;
#define DRIVER_FIND(field, name, ...) \
  if ((driver.field = (CUresult (*) (__VA_ARGS__)) dlsym (library, #name)) == NULL) \
    return 0;
  DRIVER_FUNCTIONS (DRIVER_FIND)
  return 1;
}

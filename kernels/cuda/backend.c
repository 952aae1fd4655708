/* robocache: the CUDA backend: opened on one device, and what it implements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align/plan.h"
#include "kinematics/plan.h"
#include "runtime/device.h"
#include "runtime/driver.h"
#include "runtime/kernel.h"
#include "voxel/host/launch.h"

#include <stdio.h>
#include <stdlib.h>

static void
cuda_close (RcBackend *backend)
{
  RcCudaBackend *cuda = (RcCudaBackend *) backend;

  if (cuda->setup != NULL && rc_cuda_enter (cuda, NULL) == RC_OK) {
    rc_cuda_memory_close (cuda);
    cudaStreamDestroy (cuda->setup);
    rc_cuda_leave (cuda);
  }
  if (cuda->base.context != NULL && !rc_cuda_driver_is_forked ())
    cuda->driver->cuDevicePrimaryCtxRelease_ ((CUdevice) cuda->device);
  free (cuda);
}

static const RcBackendOps cuda_ops = {
  .close = cuda_close,
  .memory = &rc_cuda_memory_ops,
  .align_prepare = rc_cuda_align_prepare,
  .align_run = rc_cuda_align_run,
  .align_release = rc_cuda_align_release,
  .voxel = &rc_cuda_voxel_ops,
  .kinematics = &rc_cuda_kinematics_ops,
};

static RcStatus
check_device (const RcCudaDriver *driver, int device, RcError *error)
{
  int count = 0;
  const CUresult result = driver->cuDeviceGetCount_ (&count);

  if (result != CUDA_SUCCESS)
    return rc_error_set (error, RC_NO_DEVICE, "cuDeviceGetCount: %s (error %d)", rc_cuda_driver_error (driver, result),
        (int) result);
  if (count == 0)
    return rc_error_set (error, RC_NO_DEVICE, "no GPU: the NVIDIA driver finds no device");
  if (device < 0 || device >= count)
    return rc_error_set_wrong (error, RC_NO_DEVICE, rc_wrong (RC_SETTING_DEVICE, "%d", device), "0 to %d, the GPUs of this machine",
        count - 1);
  return RC_OK;
}

static RcStatus
find_device (RcCudaBackend *cuda, RcError *error)
{
  const RcCudaDriver *driver = cuda->driver;
  const char *call = "cuDeviceGet";
  CUcontext context = NULL;
  CUdevice device;
  CUresult result = driver->cuDeviceGet_ (&device, cuda->device);

  if (result == CUDA_SUCCESS) {
    call = "cuDeviceGetName";
    result = driver->cuDeviceGetName_ (cuda->name, sizeof (cuda->name), device);
  }
  if (result == CUDA_SUCCESS) {
    call = "cuDevicePrimaryCtxRetain";
    result = driver->cuDevicePrimaryCtxRetain_ (&context, device);
  }
  if (result != CUDA_SUCCESS)
    return rc_cuda_driver_failed (cuda, driver, result, call, result == CUDA_ERROR_OUT_OF_MEMORY ? RC_NO_SPACE : RC_NO_DEVICE,
        error);
  cuda->base.context = context;
  return RC_OK;
}

static RcStatus
ask (RcCudaBackend *cuda, enum cudaDeviceAttr attribute, int *value, RcError *error)
{
  return rc_cuda_check (cuda, cudaDeviceGetAttribute (value, attribute, cuda->device), NULL, error,
      "cudaDeviceGetAttribute", "attribute %d, when opening", (int) attribute);
}

/* Some devices have fewer priorities than there are. */
static RcStatus
set_priority (RcCudaBackend *cuda, int priority, RcError *error)
{
  int least = 0, greatest = 0;
  const RcStatus status = rc_cuda_check (cuda, cudaDeviceGetStreamPriorityRange (&least, &greatest), NULL, error,
      "cudaDeviceGetStreamPriorityRange", "when opening");

  cuda->stream_priority = least - priority < greatest ? greatest : least - priority;
  return status;
}

static RcStatus
set_up (RcCudaBackend *cuda, const RcWhere *where, RcError *error)
{
  RcStatus status = rc_cuda_enter (cuda, error);

  if (status != RC_OK)
    return status;
  status = rc_cuda_load (cuda, rc_cuda_probe, "probe", error);
  if (status == RC_OK)
    status = rc_cuda_check (cuda, cudaStreamCreateWithFlags (&cuda->setup, cudaStreamNonBlocking), NULL, error,
        "cudaStreamCreateWithFlags", "when opening");
  if (status == RC_OK)
    status = ask (cuda, cudaDevAttrMultiProcessorCount, &cuda->multiprocessors, error);
  if (status == RC_OK)
    status = ask (cuda, cudaDevAttrMaxSharedMemoryPerBlockOptin, &cuda->shared_bytes, error);
  if (status == RC_OK)
    status = ask (cuda, cudaDevAttrComputeCapabilityMajor, &cuda->major, error);
  if (status == RC_OK)
    status = rc_cuda_check (cuda, cudaDriverGetVersion (&cuda->driver_version), NULL, error, "cudaDriverGetVersion",
        "when opening");
  if (status == RC_OK)
    status = set_priority (cuda, where->priority, error);
  if (status == RC_OK)
    status = rc_cuda_memory_open (cuda, where->mapped_memory, error);
  rc_cuda_leave (cuda);
  return status;
}

RcStatus
rc_cuda_probe_device (const RcWhere *where, RcError *error)
{
  const RcCudaDriver *driver = NULL;
  const RcStatus status = rc_cuda_driver_open (&driver, error);

  return status == RC_OK ? check_device (driver, where->device, error) : status;
}

RcStatus
rc_cuda_open (const RcWhere *where, RcBackend **backend, RcError *error)
{
  const RcCudaDriver *driver = NULL;
  RcStatus status = rc_cuda_driver_open (&driver, error);
  RcCudaBackend *cuda;

  if (status == RC_OK)
    status = check_device (driver, where->device, error);
  if (status != RC_OK)
    return status;
  cuda = calloc (1, sizeof (*cuda));
  if (cuda == NULL)
    return rc_error_set (error, RC_NO_SPACE, "no memory for a backend of %zu bytes", sizeof (*cuda));
  cuda->base.kind = RC_BACKEND_CUDA;
  cuda->base.device = where->device;
  cuda->base.ops = &cuda_ops;
  cuda->driver = driver;
  cuda->device = where->device;
  snprintf (cuda->name, sizeof (cuda->name), "not yet known");
  status = find_device (cuda, error);
  if (status == RC_OK)
    status = set_up (cuda, where, error);
  if (status != RC_OK) {
    cuda_close (&cuda->base);
    return status;
  }
  *backend = &cuda->base;
  return RC_OK;
}

/* robocache: the CUDA driver, found at run time
 *
 * The library loads on machines without a driver, so libcuda is opened with the first backend, and never linked.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda.h>

#include "kernels/backend.h"

/* The functions that are called; cuda.h maps some names to newer versions of them. */
#define RC_CUDA_DRIVER_FUNCTIONS(f) \
  f (cuInit) \
  f (cuDriverGetVersion) \
  f (cuDeviceGet) \
  f (cuDeviceGetCount) \
  f (cuDeviceGetName) \
  f (cuDeviceGetAttribute) \
  f (cuDevicePrimaryCtxRetain) \
  f (cuDevicePrimaryCtxRelease) \
  f (cuCtxPushCurrent) \
  f (cuCtxPopCurrent) \
  f (cuMemcpy3DPeerAsync) \
  f (cuGetErrorString)

typedef struct RcCudaDriver
{
#define MEMBER(name) __typeof__ (name) *name##_;
  RC_CUDA_DRIVER_FUNCTIONS (MEMBER)
#undef MEMBER
} RcCudaDriver;

/* Loads and initialises the driver, once in a process. RC_NO_DEVICE: there is none, it is too old for this build, it
 * finds no device, or the process is a fork of one that used the driver; each case has its own message. */
RcStatus rc_cuda_driver_open (const RcCudaDriver ** driver, RcError * error);

/* Whether this process is a fork of one that had initialised the driver. CUDA does not work in such a process. */
int rc_cuda_driver_is_forked (void);

/* The driver's message for a result. */
const char *rc_cuda_driver_error (const RcCudaDriver * driver, CUresult result);

/* robocache: the CUDA driver, found at run time
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define LIBRARY "libcuda.so.1"

/* The first driver of a major version of CUDA; it runs programs of every minor one. */
#if CUDA_VERSION >= 13000
#define OLDEST_DRIVER "580"
#elif CUDA_VERSION >= 12000
#define OLDEST_DRIVER "525"
#else
#error "robocache needs CUDA 12 or newer"
#endif

#define JOIN_STRING(x) #x
#define STRING(x) JOIN_STRING (x)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static RcCudaDriver functions;  /* guarded by lock until is_open */
static int is_loaded, is_open;  /* guarded by lock */
static int forked;              /* set in a child, before it has other threads */

static void
record_fork (void)
{
  forked = 1;
}

int
rc_cuda_driver_is_forked (void)
{
  return forked;
}

const char *
rc_cuda_driver_error (const RcCudaDriver *driver, CUresult result)
{
  const char *text = NULL;

  if (driver->cuGetErrorString_ (result, &text) != CUDA_SUCCESS || text == NULL)
    return "an error that the driver does not name";
  return text;
}

static RcStatus
load (RcError *error)
{
  void *library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);

  if (library == NULL)
    return rc_error_set (error, RC_NO_DEVICE, "no NVIDIA driver: %s; expected driver " OLDEST_DRIVER " or newer",
        dlerror ());
#define FIND(name) \
  if ((functions.name##_ = (__typeof__ (functions.name##_)) dlsym (library, STRING (name))) == NULL) \
    return rc_error_set (error, RC_NO_DEVICE, LIBRARY " has no " STRING (name) "; expected driver " OLDEST_DRIVER \
        " or newer");
  RC_CUDA_DRIVER_FUNCTIONS (FIND)
#undef FIND
  is_loaded = 1;
  return RC_OK;
}

static RcStatus
check_version (RcError *error)
{
  int version = 0;
  const CUresult result = functions.cuDriverGetVersion_ (&version);

  if (result != CUDA_SUCCESS)
    return rc_error_set (error, RC_NO_DEVICE, "the NVIDIA driver does not report its version: %s",
        rc_cuda_driver_error (&functions, result));
  if (version / 1000 < CUDA_VERSION / 1000)
    return rc_error_set (error, RC_NO_DEVICE, "the NVIDIA driver is too old: it is for CUDA %d.%d, this build for CUDA "
        "%d.%d; expected driver " OLDEST_DRIVER " or newer", version / 1000, version % 1000 / 10, CUDA_VERSION / 1000,
        CUDA_VERSION % 1000 / 10);
  return RC_OK;
}

static RcStatus
initialise (RcError *error)
{
  const CUresult result = functions.cuInit_ (0);

  if (result == CUDA_ERROR_NO_DEVICE)
    return rc_error_set (error, RC_NO_DEVICE, "no GPU: the NVIDIA driver finds no device");
  if (result != CUDA_SUCCESS)
    return rc_error_set (error, RC_NO_DEVICE, "the NVIDIA driver cannot be initialised: %s (error %d)",
        rc_cuda_driver_error (&functions, result), (int) result);
  if (pthread_atfork (NULL, NULL, record_fork) != 0)
    return rc_error_set (error, RC_NO_SPACE, "no memory to register for forks");
  is_open = 1;
  return RC_OK;
}

RcStatus
rc_cuda_driver_open (const RcCudaDriver **driver, RcError *error)
{
  RcStatus status = RC_OK;

  if (forked)
    return rc_error_set (error, RC_NO_DEVICE, "CUDA does not work in this process, a fork of one that used CUDA; "
        "expected the first use of CUDA after the fork, or a new program");
  pthread_mutex_lock (&lock);
  if (!is_loaded)
    status = load (error);
  if (status == RC_OK && !is_open) {
    status = check_version (error);
    if (status == RC_OK)
      status = initialise (error);
  }
  pthread_mutex_unlock (&lock);
  *driver = &functions;
  return status;
}

/* robocache: errors, and the choice of a backend
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backend.h"

#include "backend_impl.h"

#include <stdarg.h>
#include <stdio.h>

RcStatus
rc_error_set (RcError *error, RcStatus status, const char *format, ...)
{
  va_list args;

  if (error == NULL)
    return status;
  error->status = status;
  va_start (args, format);
  vsnprintf (error->message, sizeof (error->message), format, args);
  va_end (args);
  return status;
}

#ifndef HAVE_CUDA
static RcStatus
rc_cuda_probe_device (const RcWhere *where, RcError *error)
{
  return rc_error_set (error, RC_UNSUPPORTED, "this build has no CUDA backend; expected kind %d (the CPU)",
      RC_BACKEND_CPU);
}

static RcStatus
rc_cuda_open (const RcWhere *where, RcBackend **backend, RcError *error)
{
  return rc_cuda_probe_device (where, error);
}
#endif

int
rc_backend_is_built (RcBackendKind kind)
{
#ifdef HAVE_CUDA
  return 1;
#else
  return kind == RC_BACKEND_CPU;
#endif
}

static RcStatus (*const open_backend[]) (const RcWhere * where, RcBackend ** backend, RcError * error) = {
  [RC_BACKEND_CPU] = rc_cpu_open,
  [RC_BACKEND_CUDA] = rc_cuda_open,
};

static RcStatus
check_where (const RcWhere *where, RcError *error)
{
  if (where == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "where is NULL; expected a kind and a device");
  if ((unsigned) where->kind >= sizeof (open_backend) / sizeof (open_backend[0]))
    return rc_error_set (error, RC_INVALID_ARGUMENT, "where.kind is %d; expected %d (the CPU) or %d (CUDA)",
        (int) where->kind, RC_BACKEND_CPU, RC_BACKEND_CUDA);
  return RC_OK;
}

RcStatus
rc_backend_probe (const RcWhere *where, RcError *error)
{
  const RcStatus status = check_where (where, error);

  return status == RC_OK && where->kind == RC_BACKEND_CUDA ? rc_cuda_probe_device (where, error) : status;
}

RcStatus
rc_backend_open (const RcWhere *where, RcBackend **backend, RcError *error)
{
  RcStatus status;

  if (backend == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "backend is NULL; expected where to put the backend");
  *backend = NULL;
  status = check_where (where, error);
  return status == RC_OK ? open_backend[where->kind] (where, backend, error) : status;
}

void
rc_backend_close (RcBackend *backend)
{
  if (backend != NULL)
    backend->ops->close (backend);
}

RcBackendKind
rc_backend_kind (const RcBackend *backend)
{
  return backend->kind;
}

int
rc_backend_device (const RcBackend *backend)
{
  return backend->device;
}

/* robocache: the choice of a backend, and its memory
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backend.h"

#include "backend_impl.h"

#include <inttypes.h>

#ifndef HAVE_CUDA
static RcStatus
rc_cuda_probe_device (const RcWhere *where, RcError *error)
{
  return rc_error_set (error, RC_UNSUPPORTED, "this build has no code for GPUs");
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
  if (where->priority < 0 || where->priority > RC_MAX_PRIORITY)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "where.priority is %d; expected 0 to %d", where->priority, RC_MAX_PRIORITY);
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
    return rc_error_set (error, RC_INVALID_ARGUMENT, "backend is NULL; expected an address for the backend");
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

void *
rc_backend_context (const RcBackend *backend)
{
  return backend->context;
}

RcStatus
rc_memory_info (RcBackend *backend, RcMemoryInfo *info, RcError *error)
{
  return backend->ops->memory->info (backend, info, error);
}

RcStatus
rc_memory_alloc (RcBackend *backend, RcMemoryKind kind, uint64_t bytes, void **memory, RcError *error)
{
  *memory = NULL;
  if ((unsigned) kind > RC_MEMORY_SCRATCH)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "kind is %d; expected %d (device), %d (pinned) or %d (scratch)", (int) kind,
        RC_MEMORY_DEVICE, RC_MEMORY_PINNED, RC_MEMORY_SCRATCH);
  return backend->ops->memory->alloc (backend, kind, bytes > 0 ? bytes : 1, memory, error);
}

void
rc_memory_free (RcBackend *backend, RcMemoryKind kind, void *memory)
{
  if (memory != NULL)
    backend->ops->memory->free (backend, kind, memory);
}

RcStatus
rc_stream_new (RcBackend *backend, RcStream *stream, RcError *error)
{
  *stream = NULL;
  return backend->ops->memory->stream_new (backend, stream, error);
}

void
rc_stream_free (RcBackend *backend, RcStream stream)
{
  if (stream != NULL)
    backend->ops->memory->stream_free (backend, stream);
}

RcStatus
rc_stream_synchronize (RcBackend *backend, RcStream stream, RcError *error)
{
  return backend->ops->memory->stream_synchronize (backend, stream, error);
}

RcStatus
rc_event_new (RcBackend *backend, RcEvent *event, RcError *error)
{
  *event = NULL;
  return backend->ops->memory->event_new (backend, event, error);
}

void
rc_event_free (RcBackend *backend, RcEvent event)
{
  if (event != NULL)
    backend->ops->memory->event_free (backend, event);
}

RcStatus
rc_event_record (RcBackend *backend, RcEvent event, RcStream stream, RcError *error)
{
  return backend->ops->memory->event_record (backend, event, stream, error);
}

RcStatus
rc_event_wait (RcBackend *backend, RcEvent event, RcStream stream, RcError *error)
{
  return backend->ops->memory->event_wait (backend, event, stream, error);
}

RcStatus
rc_event_query (RcBackend *backend, RcEvent event, int *is_done, RcError *error)
{
  return backend->ops->memory->event_query (backend, event, is_done, error);
}

RcStatus
rc_event_synchronize (RcBackend *backend, RcEvent event, RcError *error)
{
  return backend->ops->memory->event_synchronize (backend, event, error);
}

static RcStatus
check_stride (const char *name, int64_t stride, const RcMemoryCopy *copy, RcError *error)
{
  if (copy->rows <= 1 || (stride >= 0 && (uint64_t) stride >= copy->row_bytes))
    return RC_OK;
  return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is %" PRId64 "; expected at least row_bytes, %" PRIu64, name,
      stride, copy->row_bytes);
}

RcStatus
rc_memory_copy (RcBackend *backend, const RcMemoryCopy *copy, RcStream stream, RcError *error)
{
  RcStatus status;

  if (copy->rows == 0 || copy->row_bytes == 0)
    return RC_OK;
  if (copy->to == NULL || copy->from == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is NULL; expected memory of %" PRIu64 " rows of %" PRIu64
        " bytes", copy->to == NULL ? "to" : "from", copy->rows, copy->row_bytes);
  status = check_stride ("to_stride", copy->to_stride, copy, error);
  if (status == RC_OK)
    status = check_stride ("from_stride", copy->from_stride, copy, error);
  return status == RC_OK ? backend->ops->memory->copy (backend, copy, stream, error) : status;
}

RcStatus
rc_memory_copy_between (RcBackend *to_backend, void *to, RcBackend *from_backend, const void *from, uint64_t bytes,
    RcStream stream, RcError *error)
{
  if (bytes == 0)
    return RC_OK;
  if (to == NULL || from == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is NULL; expected memory of %" PRIu64 " bytes",
        to == NULL ? "to" : "from", bytes);
  if (to_backend->kind != from_backend->kind)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "from_backend is of kind %d; expected %d, as to_backend",
        (int) from_backend->kind, (int) to_backend->kind);
  return to_backend->ops->memory->copy_between (to_backend, to, from_backend, from, bytes, stream, error);
}

RcStatus
rc_memory_clear (RcBackend *backend, void *memory, uint64_t bytes, RcStream stream, RcError *error)
{
  if (bytes == 0)
    return RC_OK;
  if (memory == NULL)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "memory is NULL; expected %" PRIu64 " bytes", bytes);
  return backend->ops->memory->clear (backend, memory, bytes, stream, error);
}

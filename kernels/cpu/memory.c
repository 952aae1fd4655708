/* robocache: the CPU backend: ordinary memory, and work that is complete at once
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cpu.h"

#include "kernels/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALIGNMENT 256

static RcStatus
cpu_info (RcBackend *backend, RcMemoryInfo *info, RcError *error)
{
  info->total_bytes = (uint64_t) sysconf (_SC_PHYS_PAGES) * (uint64_t) sysconf (_SC_PAGESIZE);
  info->free_bytes = info->total_bytes;
  info->host_addressable = 1;
  return RC_OK;
}

static RcStatus
cpu_alloc (RcBackend *backend, RcMemoryKind kind, uint64_t bytes, void **memory, RcError *error)
{
  if (posix_memalign (memory, ALIGNMENT, bytes) == 0)
    return RC_OK;
  *memory = NULL;
  return rc_error_set (error, RC_NO_SPACE, "%" PRIu64 " bytes could not be allocated, and this machine has %" PRIu64,
      bytes, (uint64_t) sysconf (_SC_PHYS_PAGES) * (uint64_t) sysconf (_SC_PAGESIZE));
}

static void
cpu_free (RcBackend *backend, RcMemoryKind kind, void *memory)
{
  free (memory);
}

static RcStatus
nothing_to_make (RcBackend *backend, void **handle, RcError *error)
{
  return RC_OK;
}

static void
nothing_to_free (RcBackend *backend, void *handle)
{
}

static RcStatus
nothing_to_wait_for (RcBackend *backend, void *handle, RcError *error)
{
  return RC_OK;
}

static RcStatus
nothing_to_order (RcBackend *backend, RcEvent event, RcStream stream, RcError *error)
{
  return RC_OK;
}

static RcStatus
cpu_copy (RcBackend *backend, const RcMemoryCopy *copy, RcStream stream, RcError *error)
{
  uint64_t i;

  if (copy->from_context != NULL)
    return rc_error_set (error, RC_UNSUPPORTED, "from_context is %p; expected NULL on the CPU", copy->from_context);
  for (i = 0; i < copy->rows; i++)
    memcpy ((char *) copy->to + i * (uint64_t) copy->to_stride, (const char *) copy->from
        + i * (uint64_t) copy->from_stride, copy->row_bytes);
  return RC_OK;
}

static RcStatus
cpu_copy_between (RcBackend *to_backend, void *to, RcBackend *from_backend, const void *from, uint64_t bytes,
    RcStream stream, RcError *error)
{
  memcpy (to, from, bytes);
  return RC_OK;
}

static RcStatus
cpu_clear (RcBackend *backend, void *memory, uint64_t bytes, RcStream stream, RcError *error)
{
  memset (memory, 0, bytes);
  return RC_OK;
}

static RcStatus
always_done (RcBackend *backend, RcEvent event, int *is_done, RcError *error)
{
  *is_done = 1;
  return RC_OK;
}

const RcMemoryOps rc_cpu_memory_ops = {
  .info = cpu_info,
  .alloc = cpu_alloc,
  .free = cpu_free,
  .stream_new = nothing_to_make,
  .stream_free = nothing_to_free,
  .stream_synchronize = nothing_to_wait_for,
  .event_new = nothing_to_make,
  .event_free = nothing_to_free,
  .event_record = nothing_to_order,
  .event_wait = nothing_to_order,
  .event_query = always_done,
  .event_synchronize = nothing_to_wait_for,
  .copy = cpu_copy,
  .copy_between = cpu_copy_between,
  .clear = cpu_clear,
};

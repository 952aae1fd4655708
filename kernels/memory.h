/* robocache: the memory of backends, copies to and from it, and the order of work
 *
 * A backend on a device has its own memory, and streams, each of which does its work in order. Events order the work of different
 * streams. The CPU backend implements the same functions: its work is complete when a call returns, its
 * streams and events are NULL, and device memory is ordinary memory.
 *
 * Functions may be called from any thread. Functions that take a stream enqueue and return, except copies to or from pageable memory,
 * which may wait. The default streams of a GPU are refused with RC_INVALID_ARGUMENT, since other work would wait for them.
 * Errors, unless a function lists others: RC_DEVICE_FAILED, RC_CALL_FAILED; the message states call, device, stream and shape.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum RcMemoryKind
{
  RC_MEMORY_DEVICE,             /* memory in which the backend computes */
  RC_MEMORY_PINNED,             /* memory of the host that the device copies to and from directly */
  RC_MEMORY_SCRATCH             /* like DEVICE, but the CPU never reads or writes it; on any GPU it is memory of the device */
} RcMemoryKind;

typedef struct RcMemoryInfo
{
  uint64_t total_bytes;         /* memory of the device, or of the machine */
  uint64_t free_bytes;          /* free part of total_bytes; for the CPU all of it, because its free memory is never known */
  int host_addressable;         /* the CPU can read and write RC_MEMORY_DEVICE: true for the CPU backend, and for GPUs that share the
                                 * machine's memory */
} RcMemoryInfo;

RcStatus rc_memory_info (RcBackend * backend, RcMemoryInfo * info, RcError * error);

/* Allocates at least one byte, aligned to 256. RC_NO_SPACE: the message states the bytes needed and free. */
RcStatus rc_memory_alloc (RcBackend * backend, RcMemoryKind kind, uint64_t bytes, void **memory, RcError * error);
/* No enqueued work may still use the memory. */
void rc_memory_free (RcBackend * backend, RcMemoryKind kind, void *memory);

/* Creates a stream that does not wait for other streams. NULL for the CPU. */
RcStatus rc_stream_new (RcBackend * backend, RcStream * stream, RcError * error);
void rc_stream_free (RcBackend * backend, RcStream stream);
/* Waits until all enqueued work is done, and reports its errors. */
RcStatus rc_stream_synchronize (RcBackend * backend, RcStream stream, RcError * error);

/* A point in a stream. Before it is recorded for the first time, it counts as passed. */
typedef void *RcEvent;

RcStatus rc_event_new (RcBackend * backend, RcEvent * event, RcError * error);
void rc_event_free (RcBackend * backend, RcEvent event);
/* Sets the event to the current end of stream, which must be of the same device. */
RcStatus rc_event_record (RcBackend * backend, RcEvent event, RcStream stream, RcError * error);
/* Work that is enqueued on stream from now on waits for the event, which may be of another device. */
RcStatus rc_event_wait (RcBackend * backend, RcEvent event, RcStream stream, RcError * error);
/* Sets *is_done if the event has passed; does not wait. */
RcStatus rc_event_query (RcBackend * backend, RcEvent event, int *is_done, RcError * error);
/* Waits for the event. */
RcStatus rc_event_synchronize (RcBackend * backend, RcEvent event, RcError * error);

/* A copy of rows of bytes, between any memory that the backend can address. */
typedef struct RcMemoryCopy
{
  void *to;
  const void *from;
  int64_t to_stride, from_stride;       /* bytes between rows, at least row_bytes; not read for one row */
  uint64_t row_bytes, rows;
  void *from_context;           /* the CUcontext of `from`, if it is not the device's primary context; else NULL */
  int is_read_on_return;        /* on return, the caller may write to `from` again, if it is in host memory, pinned or not */
} RcMemoryCopy;

/* RC_UNSUPPORTED: from_context is set on the CPU backend. */
RcStatus rc_memory_copy (RcBackend * backend, const RcMemoryCopy * copy, RcStream stream, RcError * error);
/* Copies from memory of another device: directly if the two are linked, otherwise through the host. stream belongs to to_backend. */
RcStatus rc_memory_copy_between (RcBackend * to_backend, void *to, RcBackend * from_backend, const void *from,
    uint64_t bytes, RcStream stream, RcError * error);
/* Sets bytes to 0. */
RcStatus rc_memory_clear (RcBackend * backend, void *memory, uint64_t bytes, RcStream stream, RcError * error);

#ifdef __cplusplus
}
#endif

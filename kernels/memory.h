/* robocache: the memory a backend computes in, copies to and from it, and the order of work
 *
 * A backend on a device has memory of its own, and streams in which work is done one after another. Work of two streams
 * is put in order with events. The CPU backend serves the same calls: its work is complete when a call returns, its
 * streams and events are NULL, and device memory is ordinary memory.
 *
 * Functions may be called from any thread. Those that take a stream enqueue and return, but for a copy to or from
 * pageable memory, which may wait. A GPU's streams are never the default ones, on which work of others would wait:
 * RC_INVALID_ARGUMENT.
 * Errors, where nothing else is said: RC_DEVICE_FAILED, RC_CALL_FAILED; the message names call, device, stream and shape.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_MEMORY_H
#define RC_MEMORY_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum RcMemoryKind
{
  RC_MEMORY_DEVICE,             /* where the backend computes */
  RC_MEMORY_PINNED,             /* of the host, from and to which the device copies by itself */
  RC_MEMORY_SCRATCH             /* as DEVICE, but the CPU never reads or writes it: memory of the device, on any GPU */
} RcMemoryKind;

typedef struct RcMemoryInfo
{
  uint64_t total_bytes;         /* of the device, or of the machine */
  uint64_t free_bytes;          /* of these; for the CPU all of them, since what is free there is never known */
  int host_addressable;         /* the CPU reads and writes RC_MEMORY_DEVICE itself: the CPU backend, and GPUs that share
                                 * the machine's memory */
} RcMemoryInfo;

RcStatus rc_memory_info (RcBackend * backend, RcMemoryInfo * info, RcError * error);

/* Memory of at least one byte, aligned to 256. RC_NO_SPACE: the message names bytes needed and free. */
RcStatus rc_memory_alloc (RcBackend * backend, RcMemoryKind kind, uint64_t bytes, void **memory, RcError * error);
/* No work that was enqueued may still use it. */
void rc_memory_free (RcBackend * backend, RcMemoryKind kind, void *memory);

/* A stream that waits for no other. The CPU's is NULL. */
RcStatus rc_stream_new (RcBackend * backend, RcStream * stream, RcError * error);
void rc_stream_free (RcBackend * backend, RcStream stream);
/* Waits until all that was enqueued is done, and reports what failed in it. */
RcStatus rc_stream_synchronize (RcBackend * backend, RcStream stream, RcError * error);

/* A point in a stream. It has passed until it is recorded for the first time. */
typedef void *RcEvent;

RcStatus rc_event_new (RcBackend * backend, RcEvent * event, RcError * error);
void rc_event_free (RcBackend * backend, RcEvent event);
/* The event is where stream, of the same device, is now. */
RcStatus rc_event_record (RcBackend * backend, RcEvent event, RcStream stream, RcError * error);
/* What is enqueued on stream from now on waits for the event, which may be another device's. */
RcStatus rc_event_wait (RcBackend * backend, RcEvent event, RcStream stream, RcError * error);
/* Whether the event has passed; does not wait. */
RcStatus rc_event_query (RcBackend * backend, RcEvent event, int *is_done, RcError * error);
/* The caller waits. */
RcStatus rc_event_synchronize (RcBackend * backend, RcEvent event, RcError * error);

/* Rows of bytes, from and to anywhere that backend can address. */
typedef struct RcMemoryCopy
{
  void *to;
  const void *from;
  int64_t to_stride, from_stride;       /* bytes between rows, at least row_bytes; not read for one row */
  uint64_t row_bytes, rows;
  void *from_context;           /* a CUcontext that `from` belongs to, when it is not the device's primary one; NULL */
  int is_read_on_return;        /* `from`, when it is of the host, may be written again on return, pinned or not */
} RcMemoryCopy;

/* RC_UNSUPPORTED: a from_context on the CPU. */
RcStatus rc_memory_copy (RcBackend * backend, const RcMemoryCopy * copy, RcStream stream, RcError * error);
/* From memory of another device: directly where the two are linked, otherwise by way of the host. stream is to_backend's. */
RcStatus rc_memory_copy_between (RcBackend * to_backend, void *to, RcBackend * from_backend, const void *from,
    uint64_t bytes, RcStream stream, RcError * error);
/* Makes bytes 0. */
RcStatus rc_memory_clear (RcBackend * backend, void *memory, uint64_t bytes, RcStream stream, RcError * error);

#ifdef __cplusplus
}
#endif
#endif

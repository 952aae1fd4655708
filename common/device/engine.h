/* robocache: the engine of an element: a backend, the element's stream on it, and statistics of its memory
 *
 * Memory that is passed to other elements keeps its engine, so an engine may outlive its element. Any thread may call any function.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/element/settingerror.h"
#include "kernels/memory.h"

#define ROBOCACHE_ALIGNMENT 256         /* alignment in bytes of memory that an engine allocates */

/* Log category robocachedevice: memory of engines. What an element decides about them is in the category of the element. */
GstDebugCategory *robocache_device_category (void);

typedef struct _RobocacheEngine RobocacheEngine;

typedef struct
{
  guint64 bytes, peak_bytes;    /* bytes of device memory, now and maximum */
  guint64 host_bytes;           /* bytes of host memory that the device copies from and to; 0 on the CPU */
  guint64 pool_hits, pool_misses;       /* number of memories from a pool, and of allocated memories */
} RobocacheMemoryStatistics;

/* Sets GST_RESOURCE_ERROR_NOT_FOUND with the reason why a backend cannot be opened. */
void robocache_engine_set_no_backend (const RcError * failure, GError ** error);

/* Opens a backend and a stream. max_bytes: maximum device memory; 0: no limit. NULL and GST_RESOURCE_ERROR_NOT_FOUND with the reason. */
RobocacheEngine *robocache_engine_new (const RcWhere * where, guint64 max_bytes, GError ** error);
/* Opens an engine on the CPU, with n_threads threads for batches, including the caller's; 1: no additional threads. NULL and an error:
 * the threads cannot be started. */
RobocacheEngine *robocache_engine_new_for_cpu (guint n_threads, GError ** error);
/* Takes over an open backend. */
RobocacheEngine *robocache_engine_new_for_backend (RcBackend * backend, guint64 max_bytes, GError ** error);
/* Starts threads, at least 2 including the caller's, that copy the data that the engine uploads. Call it before other threads use the
 * engine. FALSE and an error: the threads cannot be started. */
gboolean robocache_engine_start_threads (RobocacheEngine * engine, guint n_threads, GError ** error);
RobocacheEngine *robocache_engine_ref (RobocacheEngine * engine);
void robocache_engine_unref (RobocacheEngine * engine);

RcBackend *robocache_engine_backend (const RobocacheEngine * engine);
/* The stream for work of the streaming thread. */
RcStream robocache_engine_stream (const RobocacheEngine * engine);
/* The stream for CPU maps, from any thread. */
RcStream robocache_engine_transfer_stream (const RobocacheEngine * engine);
gboolean robocache_engine_is_gpu (const RobocacheEngine * engine);
/* Threads that share the engine's work on the CPU; NULL: none. */
const RcThreadPool *robocache_engine_threads (const RobocacheEngine * engine);
/* Whether the CPU may access the engine's device memory directly, once its work is done. */
gboolean robocache_engine_is_host_addressable (const RobocacheEngine * engine);
/* CUDA device number; -1 for the CPU. */
gint robocache_engine_device (const RobocacheEngine * engine);

/* Checks that bytes of device memory fit, before an allocation. FALSE and GST_RESOURCE_ERROR_NO_SPACE_LEFT, which names `what`, the bytes
 * needed and free, and `advice`, which is the remedy. */
gboolean robocache_engine_check_budget (RobocacheEngine * engine, guint64 bytes, const gchar * what, const gchar * advice,
    GError ** error);
/* Bytes of device memory that may still be allocated within max_bytes and the free memory; 0: the device has failed. */
guint64 robocache_engine_budget (RobocacheEngine * engine);

/* Allocates memory aligned to ROBOCACHE_ALIGNMENT; NULL and GST_RESOURCE_ERROR_NO_SPACE_LEFT: no memory. */
gpointer robocache_engine_alloc (RobocacheEngine * engine, RcMemoryKind kind, guint64 bytes, GError ** error);
/* Frees memory that no work uses any more. */
void robocache_engine_free (RobocacheEngine * engine, RcMemoryKind kind, gpointer memory, guint64 bytes);
/* Waits for the element's own work. FALSE and GST_LIBRARY_ERROR_FAILED: the work failed. */
gboolean robocache_engine_synchronize (RobocacheEngine * engine, GError ** error);
/* Waits for the element's own work after some of it failed with *error, so that its memory can be freed. If the device fails during the
 * wait, its error replaces *error. */
void robocache_engine_wait_after_failure (RobocacheEngine * engine, GError ** error);

/* Enqueues a copy of bytes by the engine, between its own memory and any memory that it can access. */
RcStatus robocache_engine_copy (RobocacheEngine * engine, gpointer to, gconstpointer from, guint64 bytes,
    RcError * failure);
/* Enqueues a copy, on the stream of `by`, from memory of another engine. The copy waits for earlier work of engine; later work of engine
 * waits for the copy. written is an event of engine, fetched an event of by. */
RcStatus robocache_engine_fetch (RobocacheEngine * by, gpointer to, RobocacheEngine * engine, gconstpointer from,
    guint64 bytes, RcEvent written, RcEvent fetched, RcError * failure);

void robocache_engine_count_pool (RobocacheEngine * engine, gboolean hit);
void robocache_engine_get_memory_statistics (RobocacheEngine * engine, RobocacheMemoryStatistics * statistics);

/* TRUE for RC_OK; otherwise FALSE and the matching error: RESOURCE/NO_SPACE_LEFT, RESOURCE/FAILED if a call failed and the device still
 * responds, or LIBRARY/FAILED. */
gboolean robocache_engine_check (RcStatus status, const RcError * failure, GError ** error);
/* Like robocache_engine_check, for a call with settings of the user. For a wrong setting, the error has this code and a message in the
 * user's terms. */
gboolean robocache_engine_check_settings (RcStatus status, const RcError * failure, RobocacheError code, GError ** error);

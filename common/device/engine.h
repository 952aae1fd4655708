/* robocache: the engine of an element: a backend, the element's stream on it, and statistics of its memory
 *
 * Memory handed on to other elements keeps the engine that made it, so it may outlive the element. Any thread may call
 * any function.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ENGINE_H
#define ROBOCACHE_ENGINE_H

#include <gst/gst.h>

#include "common/element/settingerror.h"
#include "kernels/memory.h"

G_BEGIN_DECLS

#define ROBOCACHE_ALIGNMENT 256         /* bytes, of memory that an engine allocates */

/* Log category robocachedevice: engines, memory and the choice of a backend. */
GstDebugCategory *robocache_device_category (void);

typedef struct _RobocacheEngine RobocacheEngine;

typedef struct
{
  guint64 bytes, peak_bytes;    /* of device memory, now and at most */
  guint64 host_bytes;           /* of memory of the host that the device copies from and to; 0 on the CPU */
  guint64 pool_hits, pool_misses;       /* memories from a pool, and allocated ones */
} RobocacheMemoryStatistics;

/* GST_RESOURCE_ERROR_NOT_FOUND: why a backend cannot be opened. */
void robocache_engine_set_no_backend (const RcError * failure, GError ** error);

/* Opens a backend, and a stream of its own. max_bytes of device memory at most; 0: as much as there is. NULL and
 * GST_RESOURCE_ERROR_NOT_FOUND with the reason. */
RobocacheEngine *robocache_engine_new (const RcWhere * where, guint64 max_bytes, GError ** error);
/* On the CPU, with so many threads for batches, the caller's among them; 1: none of its own. NULL and an error where they
 * cannot be started. */
RobocacheEngine *robocache_engine_new_for_cpu (guint n_threads, GError ** error);
/* Takes over an open backend. */
RobocacheEngine *robocache_engine_new_for_backend (RcBackend * backend, guint64 max_bytes, GError ** error);
/* Before other threads know the engine: has threads, at least 2 with the caller's, copy what it uploads. FALSE and an error where
 * they cannot be started. */
gboolean robocache_engine_start_threads (RobocacheEngine * engine, guint n_threads, GError ** error);
RobocacheEngine *robocache_engine_ref (RobocacheEngine * engine);
void robocache_engine_unref (RobocacheEngine * engine);

RcBackend *robocache_engine_backend (const RobocacheEngine * engine);
/* For work of the streaming thread. */
RcStream robocache_engine_stream (const RobocacheEngine * engine);
/* For CPU maps, from any thread. */
RcStream robocache_engine_transfer_stream (const RobocacheEngine * engine);
gboolean robocache_engine_is_gpu (const RobocacheEngine * engine);
/* Threads that share its work on the CPU; NULL: there are none. */
const RcThreadPool *robocache_engine_threads (const RobocacheEngine * engine);
/* Whether the CPU may read and write the engine's device memory itself, once its work is done. */
gboolean robocache_engine_is_host_addressable (const RobocacheEngine * engine);
/* CUDA device number; -1 for the CPU. */
gint robocache_engine_device (const RobocacheEngine * engine);

/* Checks that bytes of device memory fit, before an allocation. FALSE and GST_RESOURCE_ERROR_NO_SPACE_LEFT, which names `what`, the
 * bytes needed and free, and `advice`, what to change. */
gboolean robocache_engine_check_budget (RobocacheEngine * engine, guint64 bytes, const gchar * what, const gchar * advice,
    GError ** error);
/* Bytes of device memory that are left of max_bytes and of the free memory; 0 for a device that has failed. */
guint64 robocache_engine_budget (RobocacheEngine * engine);

/* Memory aligned to ROBOCACHE_ALIGNMENT; NULL and GST_RESOURCE_ERROR_NO_SPACE_LEFT. */
gpointer robocache_engine_alloc (RobocacheEngine * engine, RcMemoryKind kind, guint64 bytes, GError ** error);
/* No work may still use it. */
void robocache_engine_free (RobocacheEngine * engine, RcMemoryKind kind, gpointer memory, guint64 bytes);
/* Waits for the element's own work. FALSE and GST_LIBRARY_ERROR_FAILED when it failed. */
gboolean robocache_engine_synchronize (RobocacheEngine * engine, GError ** error);
/* The same once some of that work failed with *error, so that its memory can be freed. If the device fails only then, its error takes the
 * place of *error. */
void robocache_engine_wait_after_failure (RobocacheEngine * engine, GError ** error);

/* Enqueues a copy of bytes by the engine, between memory of its own and any that it reads and writes. */
RcStatus robocache_engine_copy (RobocacheEngine * engine, gpointer to, gconstpointer from, guint64 bytes,
    RcError * failure);
/* Enqueues a copy, on the stream of `by`, from memory of another engine. It waits for work that engine enqueued before; later work
 * of engine waits for it. written is an event of engine, fetched one of by. */
RcStatus robocache_engine_fetch (RobocacheEngine * by, gpointer to, RobocacheEngine * engine, gconstpointer from,
    guint64 bytes, RcEvent written, RcEvent fetched, RcError * failure);

void robocache_engine_count_pool (RobocacheEngine * engine, gboolean hit);
void robocache_engine_get_memory_statistics (RobocacheEngine * engine, RobocacheMemoryStatistics * statistics);

/* TRUE for RC_OK; otherwise FALSE and the error that fits: RESOURCE/NO_SPACE_LEFT, RESOURCE/FAILED for a call that failed on a device
 * that answers, or LIBRARY/FAILED. */
gboolean robocache_engine_check (RcStatus status, const RcError * failure, GError ** error);
/* The same for a call whose settings are the user's: a wrong one is an error of this code, in the user's words. */
gboolean robocache_engine_check_settings (RcStatus status, const RcError * failure, RobocacheError code, GError ** error);

G_END_DECLS
#endif
